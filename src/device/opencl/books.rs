//! The launches of a device from when they are taken until they are answered: how many wait and run, and which have
//! failed.

use crate::device::opencl::job::{Job, Outrun};
use crate::device::{InlineList, Launch};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// How many answered jobs are kept to be used again: as many as a burst has, about a megabyte.
const SPARE_JOBS: usize = 4096;

/// The books of the manager's thread about launches.
pub(crate) struct LaunchBooks {
    /// Launches that were not enqueued yet, in order.
    pub(crate) waiting: VecDeque<Box<Job>>,
    /// How many launches are enqueued and have not been answered.
    pub(crate) running: usize,
    /// Enqueued launches for which another EDT or a scope may wait.
    pub(crate) awaited: usize,
    /// Counts the launches put together.
    pub(crate) serial: u64,
    /// Jobs that have been answered: their memory is used again.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Job>>,
    /// Launches that have failed, by their tokens, until these name others: what follows one of them is not started.
    pub(crate) failed: FxHashSet<usize>,
}

impl LaunchBooks {
    /// Books without launches.
    pub(crate) fn new() -> LaunchBooks {
        LaunchBooks {
            waiting: VecDeque::new(),
            running: 0,
            awaited: 0,
            serial: 0,
            spare: Vec::new(),
            failed: FxHashSet::default(),
        }
    }

    /// Whether no launch waits or is enqueued.
    pub(crate) fn are_empty(&self) -> bool {
        self.running == 0 && self.waiting.is_empty()
    }

    /// Makes a job of a launch, before it is put together.
    pub(crate) fn begin_job(&mut self, launch: Launch) -> Box<Job> {
        if !self.failed.is_empty() {
            self.failed.remove(&launch.token);
        }
        match self.spare.pop() {
            Some(mut job) => {
                job.launch = launch;
                job.is_first = false;
                job.waits_for_idle = false;
                job.outrun = Outrun::Not;
                job
            }
            None => {
                let (uses, outrun) = (InlineList::new(), Outrun::Not);
                Box::new(Job { launch, is_first: false, waits_for_idle: false, outrun, uses })
            }
        }
    }

    /// The launch has been answered, and uses no block any more.
    pub(crate) fn end_job(&mut self, job: Box<Job>) {
        if self.spare.len() < SPARE_JOBS {
            self.spare.push(job);
        }
    }

    /// A launch has been enqueued.
    pub(crate) fn count_in(&mut self, awaited: bool) {
        self.running += 1;
        self.awaited += usize::from(awaited);
    }

    /// A launch is not enqueued any more.
    pub(crate) fn count_out(&mut self, job: &Job) {
        self.count_out_one(job.launch.awaited);
    }

    /// A kernel is not on the device any more. `awaited` is whether its launch is one for which somebody waits.
    pub(crate) fn count_out_one(&mut self, awaited: bool) {
        self.running -= 1;
        self.awaited -= usize::from(awaited);
    }
}
