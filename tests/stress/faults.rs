//! Faults that a run is given, and what is made of them. What is undone must not be seen, and a wrong bit must be
//! found.

use crate::graph::{Task, Variant};
use crate::oracle::mix;
use crate::run::running;
use serde::{Deserialize, Serialize};
use std::ffi::{CString, c_char, c_int, c_ulong, c_void};
use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

/// Names the library with the OpenCL in which calls fail.
pub(crate) const LIBRARY: &str = "OPENCL_DYLIB_PATH";

/// What goes wrong in a run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Faults {
    /// EDTs crash, and commands of OpenCL fail: all is undone, or not waited for.
    Undone(Undone),
    /// Bits are wrong that EDTs write, which run as functions and as kernels.
    Compared(Compared),
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Undone {
    /// One of so many EDTs with a function crashes once.
    pub(crate) crashes: Option<u32>,
    /// What fails, as in `OCR_INJECT`.
    pub(crate) inject: Option<String>,
    /// How a device is lost at that failure, as in `OCR_INJECT_LOST`.
    pub(crate) lost: Option<String>,
    /// On which device that is, and on which kernels are slow.
    pub(crate) device: i32,
    /// How slow these are, in thousands of turns.
    pub(crate) slow: u32,
    /// `OCR_DUPLICATES`.
    pub(crate) duplicates: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Compared {
    /// `OCR_REDUNDANT`.
    pub(crate) runs: u32,
    /// One of so many runs as a kernel writes a wrong bit, or as a function.
    pub(crate) every: u32,
    pub(crate) by_function: bool,
}

/// What has gone wrong in runs, so that it is known that something has.
#[derive(Clone, Copy, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Counts {
    pub(crate) crashes: u64,
    pub(crate) failures: u64,
    pub(crate) lost: u64,
    pub(crate) slow: u64,
    pub(crate) duplicates: u64,
    /// EDTs with a wrong bit that was found: by two runs and by three, in the kernel and in the function.
    pub(crate) found: [[u64; 2]; 2],
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Counts) {
        self.crashes += other.crashes;
        self.failures += other.failures;
        self.lost += other.lost;
        self.slow += other.slow;
        self.duplicates += other.duplicates;
        for (all, more) in self.found.iter_mut().flatten().zip(other.found.iter().flatten()) {
            *all += more;
        }
    }

    /// What has not gone wrong at all, or was not found. Whether there are duplicates is a matter of speed.
    pub(crate) fn missing(&self) -> Vec<&'static str> {
        let [[two, two_by_function], [three, three_by_function]] = self.found;
        let all = [
            (self.crashes, "crashes that were undone"),
            (self.failures, "commands that failed"),
            (self.lost, "lost devices"),
            (self.slow, "slow kernels"),
            (two, "wrong bits of kernels, found by two runs"),
            (two_by_function, "wrong bits of functions, found by two runs"),
            (three, "wrong bits of kernels, found by three runs"),
            (three_by_function, "wrong bits of functions, found by three runs"),
        ];
        all.into_iter().filter(|&(count, _)| count == 0).map(|(_, what)| what).collect()
    }
}

impl Faults {
    pub(crate) fn undone(&self) -> Option<&Undone> {
        match self {
            Faults::Undone(undone) => Some(undone),
            Faults::Compared(_) => None,
        }
    }

    /// Whether a device may be lost.
    pub(crate) fn loses(&self) -> bool {
        self.undone().is_some_and(|undone| undone.lost.is_some())
    }

    /// Settings of the runtime.
    pub(crate) fn settings(&self) -> Vec<String> {
        let report = format!("-ocr:report={}", report().display());
        // What a legacy program is given holds for all its runs, so all is said each time.
        let (retry, duplicates, redundant) = match self {
            // What fails has others behind it fail.
            Faults::Undone(undone) => ("1000", u8::from(undone.duplicates), "off".to_string()),
            Faults::Compared(compared) => ("off", 0, compared.runs.to_string()),
        };
        let [retry, redundant] =
            [("retry", retry), ("redundant", &redundant)].map(|(name, value)| format!("-ocr:{name}={value}"));
        vec![retry, redundant, format!("-ocr:duplicates={duplicates}"), report]
    }

    /// Has all that goes wrong in OpenCL go wrong from here on.
    pub(crate) fn begin(&self) {
        match self {
            Faults::Undone(undone) => plan(
                undone.inject.as_deref().unwrap_or_default(),
                undone.lost.as_deref().unwrap_or_default(),
                undone.device,
                (0, undone.slow),
            ),
            Faults::Compared(compared) => {
                let every = if compared.by_function { 0 } else { compared.every };
                plan("", "", -1, (every, 0));
            }
        }
    }

    /// What has gone wrong, and what was made of that otherwise than it should be. `failures` are those of the graph.
    pub(crate) fn judge(&self, status: i32, functions: u64, failures: &mut Vec<String>) -> Counts {
        let [failed, wrong, slow, lost] = harm();
        plan("", "", -1, (0, 0));
        let text = std::fs::read_to_string(report()).unwrap_or_default();
        // A later run of this process does not take the name of one that is there.
        let _ = std::fs::remove_file(report());
        let report: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let mut counts = Counts::default();
        match self {
            Faults::Undone(_) => {
                if status != 0 {
                    failures.push(format!("the program ended with status {status}"));
                }
                counts.crashes = report["attempts_undone"].as_u64().unwrap_or(0);
                counts.duplicates = report["duplicates"].as_u64().unwrap_or(0);
                (counts.failures, counts.lost, counts.slow) = (failed, lost, slow);
            }
            Faults::Compared(compared) => {
                let templates = report["redundant"].as_array().cloned().unwrap_or_default();
                let sum = |what: &str| templates.iter().filter_map(|template| template[what].as_u64()).sum::<u64>();
                let different = sum("different");
                let harmed = if compared.by_function { functions } else { wrong };
                // Two runs of one EDT may be wrong where three are compared, unless they are by turns.
                let least = if compared.by_function || compared.runs == 2 { harmed } else { harmed.div_ceil(2) };
                if compared.by_function && harmed != 0 {
                    // The function counts: what comes after has something wrong, and the program may have ended early.
                    failures.clear();
                }
                if !(least..=harmed).contains(&different) {
                    failures.push(format!(
                        "{harmed} runs have left a wrong bit, and {different} EDTs are called different"
                    ));
                }
                if (different != 0) != (status == 1) || status > 1 {
                    failures.push(format!("the program ended with status {status}; {different} EDTs are different"));
                }
                counts.found[usize::from(compared.runs == 3)][usize::from(compared.by_function)] = different;
            }
        }
        counts
    }
}

fn report() -> PathBuf {
    crate::child::folder().join(format!("stress-report-{}.json", std::process::id()))
}

/// Whether the duplicates of EDTs that may be kernels run, of which the test itself keeps no books then.
pub(crate) fn is_duplicated(variant: Variant) -> bool {
    let undone = running().faults.as_ref().and_then(Faults::undone);
    variant == Variant::Both && undone.is_some_and(|undone| undone.duplicates)
}

/// Crashes once in a task for which that is planned, with `spoil` done before, if that can be undone.
pub(crate) fn crash(task: Task, spoil: impl Fn()) {
    let (running, variant) = (running(), running().graph.tasks[task].variant);
    let undone = running.faults.as_ref().and_then(Faults::undone);
    let Some(every) = undone.and_then(|undone| undone.crashes) else { return };
    if is_duplicated(variant) || !mix(every, task as u32).is_multiple_of(every) {
        return;
    }
    if running.tasks[task].crashes.fetch_add(1, Relaxed) == 0 {
        spoil();
        clear_stack();
        crate::api::inject_fault();
        // It was not undone.
        spoil();
    }
}

/// Clears what earlier calls have left on the stack below the caller. The runtime takes a word that looks like an
/// address in a library for a call that goes on, and then does not leave a crashed EDT.
#[inline(never)]
pub(crate) fn clear_stack() {
    let mut words = [0u64; 4096];
    std::hint::black_box(&mut words);
}

/// Whether the function of a task is to write a wrong bit.
pub(crate) fn is_wrong(task: Task, wrong: &AtomicU32) -> bool {
    let Some(Faults::Compared(compared)) = &running().faults else { return false };
    let is_so = compared.by_function
        && running().graph.tasks[task].variant == Variant::Both
        && mix(compared.every, task as u32).is_multiple_of(compared.every);
    if is_so {
        wrong.fetch_add(1, Relaxed);
    }
    is_so
}

/// A function of the library in which calls fail.
fn of_library(name: &std::ffi::CStr) -> *mut c_void {
    let path = std::env::var(LIBRARY).ok().and_then(|path| CString::new(path).ok()).unwrap_or_default();
    // SAFETY: the library is the test's own, and does nothing when it is loaded but read its environment.
    let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW) };
    assert!(!library.is_null(), "{path:?} cannot be loaded");
    // SAFETY: the library is loaded, and is never unloaded.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    assert!(!found.is_null(), "{path:?} has no {name:?}");
    found
}

fn plan(inject: &str, lost: &str, device: i32, (wrong, slow): (u32, u32)) {
    type Plan = unsafe extern "C" fn(*const c_char, *const c_char, c_int, c_ulong, c_ulong);
    let [inject, lost] = [inject, lost].map(|text| CString::new(text).unwrap_or_default());
    // SAFETY: the function has this type there.
    let plan: Plan = unsafe { std::mem::transmute(of_library(c"injectPlan")) };
    // SAFETY: the texts end with a zero, and are copied. No run is under way.
    unsafe { plan(inject.as_ptr(), lost.as_ptr(), device, c_ulong::from(wrong), c_ulong::from(slow)) }
}

/// How many commands failed, kernels had a wrong bit, kernels were slow, and devices were lost.
fn harm() -> [u64; 4] {
    let mut done = [0; 4];
    // SAFETY: the function has this type there.
    let harm: unsafe extern "C" fn(*mut u64) = unsafe { std::mem::transmute(of_library(c"injectHarm")) };
    // SAFETY: there is room for as many numbers as the function writes.
    unsafe { harm(done.as_mut_ptr()) };
    done
}
