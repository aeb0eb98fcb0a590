//! The process in which a run has begun, and what happens to those that it forks.

use crate::engine::state::end::FATAL_STATUS;
use crate::engine::state::fatal::exit_now;
use std::ptr;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

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

/// Whether something holds in this process, and in none that it has forked. To ask costs no call of the system, of
/// which each call of a program on several nodes would make one: the word is in a page that the system clears in a
/// forked process (`MADV_WIPEONFORK`).
///
/// SeqCst: the stores of [`OwnFlag::set`] pair with the loads of [`OwnFlag::is_set`]. A thread that finds the flag set
/// sees what was written before. Between the two stores, `is_set` asks for the process ID, which is right as well.
pub(crate) struct OwnFlag {
    /// Null before the flag is set, or where there was no such page.
    word: AtomicPtr<AtomicU32>,
    /// The process that has set the flag; 0 before.
    process: AtomicU32,
}

impl OwnFlag {
    pub(crate) const fn new() -> OwnFlag {
        OwnFlag { word: AtomicPtr::new(ptr::null_mut()), process: AtomicU32::new(0) }
    }

    /// Sets the flag, for as long as the process lives.
    pub(crate) fn set(&self) {
        self.process.store(std::process::id(), Ordering::SeqCst);
        if let Some(word) = wiped_page() {
            word.store(1, Ordering::SeqCst);
            self.word.store(ptr::from_ref(word).cast_mut(), Ordering::SeqCst);
        }
    }

    /// Whether this process itself has set the flag. A process that shares this one's memory, as by `vfork`, is taken
    /// for it. For handlers of signals, too.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        // SAFETY: the pointer is null, or that of a word which stays mapped, and which atomic operations alone use.
        match unsafe { self.word.load(Ordering::SeqCst).as_ref() } {
            Some(word) => word.load(Ordering::SeqCst) != 0,
            None => self.is_of_this_process(),
        }
    }

    /// Whether the process ID is that of the process which has set the flag: true of no other one, also after `vfork`.
    /// It takes a call of the system.
    pub(crate) fn is_of_this_process(&self) -> bool {
        match self.process.load(Ordering::SeqCst) {
            0 => false,
            process => process == std::process::id(),
        }
    }
}

/// The first word of a new page, which stays, and which the system clears in a forked process. None where it does not
/// (before Linux 4.14), or without memory.
fn wiped_page() -> Option<&'static AtomicU32> {
    const BYTES: usize = 4096;
    let (protection, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: the mapping is a new one, wherever the system has room.
    let page = unsafe { libc::mmap(ptr::null_mut(), BYTES, protection, flags, -1, 0) };
    if page == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: the pages are those of the new mapping, which nothing else uses yet.
    let advised = |advice| unsafe { libc::madvise(page, BYTES, advice) } == 0;
    // Emulators may accept any advice, and follow none.
    let is_wiped = !advised(-1) && advised(libc::MADV_WIPEONFORK);
    // SAFETY: the mapping begins with an aligned word of zeros, and is never taken back.
    is_wiped.then(|| unsafe { &*page.cast::<AtomicU32>() })
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    /// The status that a forked process ends with, which asks for the flag.
    fn status_of_forked(flag: &OwnFlag) -> i32 {
        // SAFETY: the new process makes no calls but one that ends it at once.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: the call has no preconditions.
            unsafe { libc::_exit(i32::from(flag.is_set())) };
        }
        let mut status = 0;
        // SAFETY: the status is this function's, and the process is a child of this one.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        libc::WEXITSTATUS(status)
    }

    #[test]
    fn a_forked_process_finds_the_flag_cleared() {
        let flag = OwnFlag::new();
        assert!(!flag.is_set());
        flag.set();
        assert!(flag.is_set() && !flag.word.load(Ordering::SeqCst).is_null());
        assert_eq!(status_of_forked(&flag), 0);
        assert!(flag.is_set());
    }

    #[test]
    fn without_a_page_processes_are_compared() {
        let flag = OwnFlag { process: AtomicU32::new(std::process::id()), ..OwnFlag::new() };
        assert!(flag.is_set());
        assert_eq!(status_of_forked(&flag), 0);
    }
}
