//! The life of an EDT, step by step. The one room that knows the rooms below.
//!
//! | step | where it is written |
//! |---|---|
//! | 1 created | [`create`] |
//! | 2 resolved, runnable | `graph`; the answer comes to `context.rs`, `work_off` |
//! | 3 placed, as far as the policy decides now | `life.rs`, `advance` |
//! | 4 locked | `life.rs`, `acquire_rest` |
//! | 5 fetched | `life.rs`, `locked`; `launch.rs`, `bring_blocks` |
//! | 6 run | `life.rs`, `run`; `launch.rs`, `launch` |
//! | 7 released, 8 triggered, 9 recycled | `life.rs`, `finish` |
//!
//! Placement comes before locking where the policy decides at once, because EDTs that share a block
//! in RW mode must run in the same place: the place is part of what is asked of the block. An EDT
//! that goes to the first free place locks its blocks unplaced, sharing RW with nobody, and is
//! placed when a place takes it.
//!
//! Every thread that calls the runtime has a [`context::Context`]: workers, the device managers'
//! threads, and threads of the program. The context collects what a step leads to and works it off
//! before the call returns, in loops and not by recursion.

pub mod blocks;
pub mod context;
pub mod create;
pub mod devices;
pub mod end;
pub mod launch;
pub mod life;
pub mod start;
pub mod worker;

use crate::config::Settings;
use crate::object::Objects;
use crate::report::tally::Registry;
use crate::sched::policy::Policy;
use crate::sched::queues::Queues;
use devices::Devices;
use end::End;
use std::ffi::CString;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::time::Instant;

/// A running runtime.
pub struct Runtime {
    /// All objects.
    pub objects: Objects,
    /// Ready EDTs and sleeping workers.
    pub queues: Queues,
    /// How EDTs are placed.
    pub policy: Box<dyn Policy>,
    /// The policy's name, for C.
    pub policy_name: CString,
    /// The OpenCL devices, opened when the first kernel is added.
    pub devices: Devices,
    /// How and when it ends.
    pub end: End,
    /// Work in flight outside of the workers: launches, fetches, starting. While it is not 0, the
    /// program has not come to a halt.
    pub in_flight: AtomicUsize,
    /// What was done, for the report.
    pub registry: Registry,
    /// The settings.
    pub settings: Settings,
    /// When it was started.
    pub started: Instant,
}

static RUNTIME: AtomicPtr<Runtime> = AtomicPtr::new(std::ptr::null_mut());

/// Threads of the program that have a context, or are making one.
static OUTSIDERS: AtomicUsize = AtomicUsize::new(0);

impl Runtime {
    /// The runtime of this process, if it runs. The caller has a context or is counted in
    /// `OUTSIDERS`, which keep the runtime alive.
    fn current() -> Option<&'static Runtime> {
        // Pairs with the store in `install`.
        let runtime = RUNTIME.load(Ordering::SeqCst);
        // SAFETY: a runtime is freed when it has been taken out and nobody is counted.
        unsafe { runtime.as_ref() }
    }

    fn install(runtime: Option<&'static Runtime>) {
        let pointer = runtime.map_or(std::ptr::null_mut(), |runtime| {
            std::ptr::from_ref(runtime).cast_mut()
        });
        // Pairs with the load in `current`. A thread that counts itself after this store finds
        // nothing; one that did before is seen by `may_be_freed`.
        RUNTIME.store(pointer, Ordering::SeqCst);
    }

    /// Whether no thread of the program can still use a runtime that was taken out.
    fn may_be_freed() -> bool {
        OUTSIDERS.load(Ordering::SeqCst) == 0
    }

    /// Counts work that happens outside of the workers in.
    pub fn begin_outside(&self) {
        self.in_flight.fetch_add(1, Ordering::SeqCst);
    }

    /// Counts it out, when what it leads to has been queued.
    pub fn end_outside(&self) {
        if self.in_flight.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.check_halt();
        }
    }

    /// Whether the process has threads that are not known to the runtime: of the program, or of a
    /// library. They may call the runtime any time, so a program that has some is never accused.
    fn has_foreign_threads(&self) -> bool {
        let known = 1 + self.queues.workers() + self.devices.threads();
        threads_of_process().is_none_or(|threads| threads > known)
    }

    /// Ends the program with a message if nothing can happen any more (see `sched/sleep.md`).
    pub fn check_halt(&self) {
        let state = self.queues.sleep.state();
        if state.sleeping() != self.queues.workers() || state.searching() != 0 {
            return;
        }
        let foreign = self.has_foreign_threads();
        let before = self.queues.sleep.state();
        let halted = before == state
            && self.in_flight.load(Ordering::SeqCst) == 0
            && !self.queues.any_work()
            && !self.end.is_ending();
        // No worker has left its sleep between the two looks, so nothing has run meanwhile.
        if !halted || self.queues.sleep.state() != state {
            return;
        }
        match foreign {
            // A thread of the program may do something yet; the main thread looks again.
            true => self.end.suspect(),
            false => end::fatal(&crate::report::halt::describe(&self.objects)),
        }
    }
}

/// How many threads the process has.
fn threads_of_process() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("Threads:"))?;
    line.trim().parse().ok()
}
