//! Threads of the program that can do nothing before the runtime has done something.

use std::sync::atomic::{AtomicU64, Ordering};

/// Threads of the program that cannot do anything before the runtime has done something: they wait
/// for an event, or for the end of the run.
#[derive(Default)]
pub(crate) struct IdleProgramThreads(AtomicU64);

/// How many rest (32 bits), and how often one has begun or ended to (32 bits, so that a value that
/// was left and reached again is another one).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdleCount(u64);

const CHANGE: u64 = 1 << 32;

impl IdleProgramThreads {
    /// Counts the calling thread among those that rest.
    pub(crate) fn begin(&self) {
        self.0.fetch_add(CHANGE + 1, Ordering::SeqCst);
    }

    /// Counts the calling thread as one that can do things again. Until then it counted as work in
    /// flight.
    pub(crate) fn end(&self) {
        self.0.fetch_add(CHANGE - 1, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> IdleCount {
        IdleCount(self.0.load(Ordering::SeqCst))
    }
}

impl IdleCount {
    pub(crate) fn count(self) -> usize {
        self.0 as u32 as usize
    }
}
