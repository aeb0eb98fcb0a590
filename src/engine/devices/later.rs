//! Opening devices is put off where no kernel is likely to be used, as in a run of some milliseconds. It takes as long
//! as many such runs, and a core meanwhile.
//!
//! What is known of devices that are not open is what earlier runs have found (`found.rs`): that there are only CPU
//! devices, which compute on the cores of the workers. Where nothing is known, or there is another device, the first
//! kernel opens the devices: nobody can say then what would be lost.
//!
//! A kernel is left unbuilt, and opens nothing, if its template has a C function, and
//!
//! - the run is not one that compares kernels with functions (`OCR_REDUNDANT`), and
//! - `OCR_DEVICES` is `auto`, by which such a kernel has no device unless a hint names one; or it is `all`, and
//! - the policy decides by what earlier runs have learned of times, and devices have cores of the workers' at times;
//!   and
//! - an earlier run has built the kernel for the same devices; and
//! - the times of the function are known, and for no size the kernel is known to be faster, even on all cores alone.
//!
//! | what comes | then |
//! |---|---|
//! | a kernel of which that does not hold; a call that asks for devices | they are opened, and the call waits |
//! | the run has lasted [`PART`] times as long as opening takes, over the number of cores | they are opened beside the run |
//! | a function of such a template takes twice as long as the longest that is known | the same |
//! | the end of the run | it waits for a thread that opens devices, and starts no other |
//!
//! When the devices are open, the kernels that were left are built. EDTs that are not placed by then have them, too.

use crate::device::{self, DeviceInfo, Selection};
use crate::engine::devices::options::split_options;
use crate::engine::state::devices::{Opener, suits};
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::object::code::{Code, Kernel};
use ocr_place::model::{KeptTimes, ModelEntry};
use ocr_place::place::Place;
use ocr_place::policy::can_kernel_win;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

/// Opening devices may take this part of the core time of a run that uses no kernel.
const PART: u64 = 32;
/// A function is none of those that are known if it takes so many times as long as the longest of them.
const LONGER: u64 = 2;
/// A function that takes less says nothing, however short the known ones are: it may have been interrupted.
const SHORT_NS: u64 = 20_000_000;

fn median(entry: &ModelEntry) -> Option<u64> {
    KeptTimes::median(&entry.times)
}

/// Whether a kernel may be faster than the function on so many cores, by what is known of both.
fn can_win(function: &[ModelEntry], kernel: &[ModelEntry], cores: usize) -> bool {
    kernel.iter().any(|entry| {
        let of_bytes = || function.iter().filter(|other| other.bytes == entry.bytes);
        let same = of_bytes().find(|other| other.told_by == entry.told_by).and_then(median);
        let function_ns = same.or_else(|| of_bytes().filter_map(median).max());
        let times = median(entry).map(|kernel_ns| (function_ns, kernel_ns));
        times.is_some_and(|(function_ns, kernel_ns)| function_ns.is_none_or(|ns| can_kernel_win(ns, kernel_ns, cores)))
    })
}

impl Runtime {
    /// Leaves a kernel of a work unbuilt, for now, if its devices need not be opened.
    pub(crate) fn puts_off(&self, work: &Code, kernel: &Kernel) -> bool {
        let later = &self.devices.later;
        let is_all = self.settings.devices.value == Selection::All;
        let is_compared = self.redundant.is_some();
        if work.function.is_none() || self.devices.is_open() || !is_all || !self.remembered.reads || is_compared {
            return false;
        }
        let Some(found) = self.found() else {
            return false;
        };
        let Ok((wanted, _)) = split_options(&kernel.options) else {
            return false;
        };
        let devices = found.inventory().devices;
        let units = devices.iter().map(|info| info.compute_units as usize).sum();
        if self.devices.sharing.cores_to_lend(self, units).is_none() {
            return false;
        }
        let function = self.remembered_of(work, Place::HOST);
        let Some(longest) = function.iter().filter_map(median).max() else {
            return false;
        };
        let is_needless = |info: &DeviceInfo| {
            found.has_built(self.remembered.hash_of_built(work, kernel, info))
                && !can_win(&function, &self.remembered_kernel(work, kernel, info), self.settings.cores)
        };
        if !devices.iter().filter(|info| suits(info.kind, wanted)).all(is_needless) {
            return false;
        }
        let opening_ns = found.opened_ns.max(SHORT_NS);
        // Both numbers are of files.
        let wait_ns = opening_ns.saturating_mul(PART) / self.settings.cores.max(1) as u64;
        later.open_at.fetch_min(self.now_since_start().saturating_add(wait_ns), Ordering::Relaxed);
        later.longest.fetch_max(longest.saturating_mul(LONGER).max(SHORT_NS), Ordering::Relaxed);
        true
    }

    fn now_since_start(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    /// An EDT is about to run as its function since its kernels were left unbuilt: sees whether it is time to open the
    /// devices.
    pub(crate) fn look_at_put_off(&'static self) {
        let later = &self.devices.later;
        if self.now_since_start() >= later.open_at.load(Ordering::Relaxed) {
            self.open_beside();
        }
    }

    /// A function of a template has taken so long whose kernels may have been left unbuilt.
    #[inline]
    pub(crate) fn look_at_function(&'static self, ns: u64) {
        let later = &self.devices.later;
        if ns > SHORT_NS && later.is_any_left() && ns > later.longest.load(Ordering::Relaxed) {
            self.open_beside();
        }
    }

    /// Opens devices on a thread of its own, unless that is done, or the run ends.
    #[cold]
    fn open_beside(&'static self) {
        let later = &self.devices.later;
        // Whoever adds a kernel under the lock of the dynamic loader says so; here, a later EDT tries again.
        if loader::why_no_devices().is_some() {
            return;
        }
        later.open_at.store(u64::MAX, Ordering::Relaxed);
        let mut opener = later.opener.lock();
        // One that met a thread with the lock of the loader has opened nothing.
        let opens_nothing = |thread: &JoinHandle<()>| thread.is_finished() && !self.devices.is_open();
        let may_start = match &*opener {
            Opener::NotStarted => true,
            Opener::Started(thread) => opens_nothing(thread),
            Opener::Over => false,
        };
        if may_start {
            let thread = device::spawn_thread_of_opencl("later", || {
                self.begin_outside();
                self.open_what_was_put_off();
                self.end_outside();
            });
            // Without a thread, the kernels stay unbuilt.
            *opener = thread.map_or(Opener::Over, Opener::Started);
        }
    }

    /// Opens the devices, and builds the kernels that were left.
    pub(crate) fn open_what_was_put_off(&'static self) {
        let is_open = self.devices.open_for(self, true).is_some();
        let is_nothing_there = || self.devices.plan.get().is_some_and(|plan| plan.devices().is_empty());
        if !is_open && is_nothing_there() {
            // What earlier runs have found is gone: the kernels have no device.
            self.devices.later.left.store(false, Ordering::SeqCst);
        }
        self.build_left();
    }

    /// Builds the kernels that were left, if devices are open by now.
    pub(crate) fn build_left(&'static self) {
        if self.devices.is_open() && self.devices.later.is_any_left() {
            self.build_all_left();
        }
    }

    fn build_all_left(&'static self) {
        self.build_for_all_templates();
        // While another thread has the lock of the loader, nothing was built.
        if loader::why_no_devices().is_none() {
            // What is left from here on is built by the thread that leaves it, which finds the devices open.
            self.devices.later.left.store(false, Ordering::SeqCst);
        }
    }

    /// A template has got a kernel that was left unbuilt. Other threads may have opened devices meanwhile, and may have
    /// built what was left before.
    pub(crate) fn is_left(&'static self) {
        self.devices.later.left.store(true, Ordering::SeqCst);
        if self.devices.is_open() {
            self.build_all_left();
        }
    }

    /// The run ends: no thread opens devices any more.
    pub(crate) fn end_opening(&self) {
        let opener = std::mem::replace(&mut *self.devices.later.opener.lock(), Opener::Over);
        if let Opener::Started(thread) = opener {
            // A panic there was reported there.
            let _ = thread.join();
        }
    }

    /// Says in the statistics of a run that it has opened no device, and why.
    pub(crate) fn remark_put_off(&self) {
        if *self.settings.stats && self.devices.later.is_any_left() && !self.devices.is_open() {
            self.registry.remark(
                "OpenCL was not opened: by what earlier runs have learned, no kernel of this program is faster than its \
                 C function on the only devices that they have found, which compute on the workers' cores"
                    .to_string(),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ocr_place::model::{ModelKey, ToldBy};

    fn took(bytes: u64, value: Option<u64>, us: u64) -> ModelEntry {
        ModelEntry {
            key: ModelKey::new("", "", ""),
            bytes,
            told_by: value.map_or(ToldBy::Bytes, |value| ToldBy::Param { index: 0, value }),
            day: 0,
            times: KeptTimes { alone: vec![us * 1000], ..KeptTimes::default() },
        }
    }

    #[test]
    fn kernels_that_are_slower_wherever_they_are_known_cannot_win() {
        let function = [took(64, None, 100), took(128, Some(1), 200), took(128, Some(2), 2000)];
        let can = |kernel: ModelEntry| can_win(&function, &[kernel], 2);
        assert!(!can_win(&function, &[], 2), "nobody has tried it");
        assert!(!can(took(64, None, 95)));
        assert!(can(took(64, None, 60)));
        assert!(!can(took(128, Some(1), 250)));
        assert!(can(took(128, Some(2), 250)));
        assert!(can(took(128, None, 250)), "it may be that of the longest");
        assert!(can(took(256, None, 1_000_000)), "there is nothing to compare it with");
    }
}
