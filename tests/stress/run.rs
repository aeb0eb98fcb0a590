//! Runs a graph as an OCR program in this process, and compares what has come of it.

use crate::api::{self, Guid};
use crate::ends::{legacy_main, main_edt};
use crate::faults::{Counts, Faults};
use crate::files::FileState;
use crate::graph::*;
use crate::maps::Maps;
use crate::oracle::Expected;
use crate::settle::KERNEL_SLOTS;
use crate::shared::{Object, Shared};
use ocr::run_program;
use std::collections::HashMap;
use std::ffi::{CString, OsString};
use std::ptr;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64};
use std::sync::{Mutex, OnceLock};

/// Pre-slots of an EDT that may be a kernel: the task's, the gate, and the journal.
pub(crate) const GATE: usize = KERNEL_SLOTS;
pub(crate) const JOURNAL: usize = KERNEL_SLOTS + 1;
pub(crate) const KERNEL_DEPC: usize = KERNEL_SLOTS + 2;
pub(crate) const KERNEL_PARAMC: usize = 2 + KERNEL_DEPC;

/// A GUID that EDTs find.
#[derive(Default)]
pub(crate) struct Place(AtomicI64);

impl Place {
    pub(crate) fn set(&self, guid: Guid) {
        self.0.store(guid.guid, Release);
    }

    /// Sets it if it is not set.
    pub(crate) fn set_first(&self, guid: Guid) {
        // An error means that it is set already.
        let _ = self.0.compare_exchange(0, guid.guid, AcqRel, Acquire);
    }

    pub(crate) fn get(&self) -> Guid {
        Guid { guid: self.0.load(Acquire) }
    }
}

/// What is known of a task that runs or has run.
#[derive(Default)]
pub(crate) struct TaskState {
    pub(crate) runs: AtomicU32,
    /// Satisfied to open the gates of all copies of a task, or once all rivals have tried to create it.
    pub(crate) gate: Place,
    /// Tick when it could run at the latest, if its creator knows.
    pub(crate) ready: AtomicU64,
    /// Tick of the clock when the first copy started; 0 if that is not known.
    start: AtomicU64,
    /// Tick when the last copy ended; 0 if that is not known.
    end: AtomicU64,
    pub(crate) seen: AtomicU32,
    pub(crate) edt: Object,
    pub(crate) output: Place,
    pub(crate) journal: Place,
    /// How often a crash came.
    pub(crate) crashes: AtomicU32,
}

#[derive(Default)]
pub(crate) struct BlockState {
    pub(crate) guid: Place,
    /// EDTs in their bodies that have it in EW, and in RW.
    pub(crate) exclusive: AtomicU32,
    pub(crate) shared: AtomicU32,
    /// EDTs in their bodies that have a part of it.
    pub(crate) parts: AtomicU32,
    pub(crate) content: Mutex<Option<Vec<u32>>>,
}

pub(crate) struct Running {
    pub(crate) graph: Graph,
    pub(crate) expected: Expected,
    pub(crate) tasks: Vec<TaskState>,
    pub(crate) blocks: Vec<BlockState>,
    /// By variant and the slot of the result.
    pub(crate) templates: Mutex<HashMap<(Variant, u32), Guid>>,
    pub(crate) shared: Shared,
    pub(crate) maps: Maps,
    pub(crate) files: Vec<FileState>,
    /// Ranges of labels.
    pub(crate) ranges: Mutex<Vec<Guid>>,
    /// Completion events that the first EDT has asked for outside of EDTs.
    pub(crate) completions: Mutex<Vec<Guid>>,
    /// Whether kernels go to the devices in turn, and these.
    spread: bool,
    devices: OnceLock<Vec<Guid>>,
    pub(crate) clock: AtomicU64,
    pub(crate) faults: Option<Faults>,
    /// Functions that have written a wrong bit.
    pub(crate) wrong: AtomicU32,
    pub(crate) failures: Mutex<Vec<String>>,
}

static RUNNING: AtomicPtr<Running> = AtomicPtr::new(ptr::null_mut());

pub(crate) fn running() -> &'static Running {
    let running = RUNNING.load(Acquire);
    // SAFETY: set before the runtime is started, and freed after it has ended.
    match unsafe { running.as_ref() } {
        Some(running) => running,
        None => std::process::abort(),
    }
}

/// Notes a failure of the case, and ends it.
pub(crate) fn fail(text: String) {
    let mut failures = match running().failures.lock() {
        Ok(failures) => failures,
        Err(poisoned) => poisoned.into_inner(),
    };
    failures.push(text);
    drop(failures);
    api::shutdown();
}

/// Runs a case; the answer is what is wrong.
pub(crate) fn run(case: &Case) -> (Vec<String>, Counts) {
    let graph = case.graph.clone();
    let expected = Expected::of(&graph);
    let running = Box::into_raw(Box::new(Running {
        tasks: graph.tasks.iter().map(|_| TaskState::default()).collect(),
        blocks: graph.blocks.iter().map(|_| BlockState::default()).collect(),
        templates: Mutex::default(),
        shared: Shared::of(&graph),
        maps: Maps::of(&graph),
        files: FileState::all_of(&graph),
        ranges: Mutex::default(),
        completions: Mutex::default(),
        spread: case.settings.spread,
        devices: OnceLock::new(),
        clock: AtomicU64::new(1),
        faults: case.settings.faults.clone(),
        wrong: AtomicU32::new(0),
        failures: Mutex::default(),
        expected,
        graph,
    }));
    RUNNING.store(running, Release);
    let settings = &case.settings;
    let mut args = vec![
        "stress".to_string(),
        format!("-ocr:workers={}", settings.workers),
        format!("-ocr:sched={}", settings.sched),
        format!("-ocr:devices={}", if settings.devices { "all" } else { "none" }),
        format!("-ocr:device-copies={}", settings.copies as u8),
    ];
    args.extend(settings.memory.map(|bytes| format!("-ocr:device-memory={bytes}")));
    if let Some(faults) = &settings.faults {
        args.extend(faults.settings());
        faults.begin();
    }
    let status = if settings.legacy {
        let args = args.into_iter().map(CString::new);
        let args: Vec<CString> = args.map(Result::unwrap_or_default).collect();
        api::run_legacy(&args, legacy_main)
    } else {
        run_program(args.into_iter().map(OsString::from).collect(), main_edt)
    };
    RUNNING.store(ptr::null_mut(), Release);
    // SAFETY: made above; the runtime has ended, so no other thread has it.
    let running = unsafe { Box::from_raw(running) };
    let mut failures = running.judge(settings.workers);
    if let Some(faults) = &settings.faults {
        let wrong = u64::from(running.wrong.load(Relaxed));
        let counts = faults.judge(status, wrong, &mut failures);
        return (failures, counts);
    }
    if status != 0 {
        failures.push(format!("the program ended with status {status}"));
    }
    (failures, Counts::default())
}

impl TaskState {
    pub(crate) fn started(&self, tick: u64) {
        let first = |start| (start == 0 || tick < start).then_some(tick);
        // An error means that it is the first already.
        let _ = self.start.fetch_update(Relaxed, Relaxed, first);
    }

    pub(crate) fn ended(&self, tick: u64) {
        self.end.fetch_max(tick, Relaxed);
    }
}

impl Running {
    pub(crate) fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Relaxed)
    }

    /// Where the kernel of a task is to run, if that is said.
    pub(crate) fn device_of(&self, task: Task) -> Option<Guid> {
        if !self.spread {
            return None;
        }
        let devices = self.devices.get_or_init(api::devices);
        (!devices.is_empty()).then(|| devices[task % devices.len()])
    }

    /// What is wrong after the end.
    fn judge(&self, workers: usize) -> Vec<String> {
        let mut failures = match self.failures.lock() {
            Ok(failures) => failures.clone(),
            Err(poisoned) => poisoned.into_inner().clone(),
        };
        let of_files = self.judge_files();
        if !failures.is_empty() {
            return failures;
        }
        failures.extend(of_files);
        for (task, state) in self.tasks.iter().enumerate() {
            let (runs, seen) = (state.runs.load(Relaxed), state.seen.load(Relaxed));
            let hash = self.expected.hashes[task];
            let copies = self.graph.tasks[task].copies;
            if self.graph.tasks[task].variant == Variant::Copy {
                // It does not tell.
            } else if runs != copies {
                failures.push(format!("t{task} ran {runs} times, not {copies}"));
            } else if seen != hash {
                failures.push(format!("t{task} saw {seen:#x}, not {hash:#x}"));
            }
        }
        for (block, state) in self.blocks.iter().enumerate() {
            let expected = &self.expected.blocks[block];
            let content = match state.content.lock() {
                Ok(content) => content.clone(),
                Err(poisoned) => poisoned.into_inner().clone(),
            };
            let Some(content) = content else {
                let by = self.graph.blocks[block].destroyed_by;
                let by_itself = match by {
                    Some(task) => self.graph.tasks[task].variant == Variant::Copy,
                    None => {
                        self.graph.is_private(block)
                            || self.graph.is_left_in_whole(block)
                            || self.graph.is_unseen(block)
                    }
                };
                if self.blocks[block].guid.get().guid == 0 || by_itself {
                    // A result that no task has asked for, or what goes by itself or with a copy.
                    continue;
                }
                failures.push(format!("no task has seen the end of b{block}"));
                continue;
            };
            let spec = &self.graph.blocks[block];
            let count = match spec.origin {
                // It is not known which copies had come to the margin.
                Origin::Value(_) => spec.words as usize,
                _ => expected.len(),
            };
            let wrong = (0..count).find(|&at| content[at] != expected[at]);
            if let Some(at) = wrong.filter(|_| self.expected.known[block]) {
                failures.push(format!("b{block}[{at}] is {:#x}, not {:#x}", content[at], expected[at]));
            }
        }
        for first in 0..self.tasks.len() {
            for second in 0..self.tasks.len() {
                let end = self.tasks[first].end.load(Relaxed);
                let start = self.tasks[second].start.load(Relaxed);
                // 0: a kernel does not tell.
                if self.expected.order.ends_before(first, second) && end != 0 && start != 0 && end > start {
                    failures.push(format!("t{second} started before t{first} had ended"));
                }
            }
        }
        failures.extend(self.judge_shared());
        failures.extend(self.maps.judge());
        if workers == 1 {
            failures.extend(self.judge_priorities());
        }
        failures
    }

    /// With one worker, and none that waits in a call, it is certain what runs first.
    fn judge_priorities(&self) -> Vec<String> {
        let mut failures = Vec::new();
        let specs = &self.graph.tasks;
        if specs.iter().any(|spec| !spec.waits.is_empty() || !spec.contests.is_empty()) {
            return failures;
        }
        let function = |&task: &Task| specs[task].variant == Variant::Function;
        let at_once = |slot: &Slot| match slot.source {
            Source::Nothing => true,
            Source::Block(_) => slot.mode == Mode::Null,
            _ => false,
        };
        let known = |&task: &Task| {
            let spec = &specs[task];
            spec.priority.value != 0 && spec.copies == 1 && spec.rivals == 0 && spec.slots.iter().all(at_once)
        };
        let of = |tick: &AtomicU64| tick.load(Relaxed);
        for first in (0..specs.len()).filter(function).filter(known) {
            for second in (0..specs.len()).filter(function) {
                let (one, other) = (&self.tasks[first], &self.tasks[second]);
                let (priority, less) = (specs[first].priority, specs[second].priority);
                let waited = of(&one.ready) < of(&other.start) && of(&other.start) < of(&one.start);
                let came_first = priority.value == less.value && known(&second) && of(&one.ready) < of(&other.ready);
                if waited && (priority.value > less.value || came_first) {
                    failures.push(format!("t{second} ran before t{first}, which is more urgent"));
                }
            }
        }
        failures
    }
}
