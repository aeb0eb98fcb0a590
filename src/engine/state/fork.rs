//! The process in which a run has begun, and what happens to those that it forks.

use crate::engine::state::end::FATAL_STATUS;
use crate::engine::state::fatal::exit_now;
use std::sync::atomic::{AtomicU32, Ordering};

/// The process in which a run has begun; 0 before. One that it has forked is another.
/// Relaxed: it orders nothing, and whether a run goes on is asked of the runtime that is installed, under its lock.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Says that a run begins in this process.
pub(crate) fn watch_process() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// Ends a process that a program has made by `fork` in the middle of a run, where it would wait for threads of the
/// runtime: they are in the first process alone.
pub(crate) fn check_fork(call: &str) {
    let first = PROCESS.load(Ordering::Relaxed);
    if first == std::process::id() || first == 0 {
        return;
    }
    error!(
        "{call}: this process was made by fork() while the runtime ran in process {first}, which has kept the \
         threads that run EDTs. Fork before ocrLegacyInit, or have the new process call nothing of OCR, but exec() or \
         _exit()."
    );
    exit_now(FATAL_STATUS);
}

/// Whether a run has begun in this process itself.
pub(crate) fn is_first() -> bool {
    PROCESS.load(Ordering::Relaxed) == std::process::id()
}
