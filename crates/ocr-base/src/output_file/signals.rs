//! Signals that the system would send for a write: they are errors here.

use std::mem::MaybeUninit;
use std::ptr;

/// The signals that the system sends to a thread for what it writes: beyond the limit of file sizes, and to a pipe that
/// no process reads.
const OF_WRITES: [libc::c_int; 2] = [libc::SIGXFSZ, libc::SIGPIPE];

/// Does some work in which a write that the system would end the process for is an error. The program's own handling of
/// these signals stays as it is.
pub fn without_signals<T>(work: impl FnOnce() -> T) -> T {
    // Miri has no signals.
    let _held = (!cfg!(miri)).then(|| HeldSignals::new(&OF_WRITES));
    work()
}

/// Does some work in which a write beyond the limit of file sizes is an error. A write to a pipe without a reader ends
/// the program as it ends others, since the program itself has printed there.
pub fn without_limit_signal<T>(work: impl FnOnce() -> T) -> T {
    let _held = HeldSignals::new(&OF_WRITES[..1]);
    work()
}

/// The signals of writes are held back in this thread as long as this lives.
struct HeldSignals {
    /// The signals that are held back.
    held: &'static [libc::c_int],
    /// What was held back before.
    before: libc::sigset_t,
    /// The signals that had come before, and that are not ours.
    pending: libc::sigset_t,
}

impl HeldSignals {
    fn new(held: &'static [libc::c_int]) -> HeldSignals {
        let (mut set, mut before, mut pending) = (no_signals(), no_signals(), no_signals());
        for signal in held {
            // SAFETY: the set is a variable, and the signal exists.
            unsafe { libc::sigaddset(&raw mut set, *signal) };
        }
        // SAFETY: both sets are variables.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before) };
        // SAFETY: the set is a variable.
        unsafe { libc::sigpending(&raw mut pending) };
        HeldSignals { held, before, pending }
    }
}

impl Drop for HeldSignals {
    fn drop(&mut self) {
        const AT_ONCE: libc::timespec = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        for &signal in self.held {
            // SAFETY: the set is that of this value.
            if unsafe { libc::sigismember(&raw const self.pending, signal) } == 1 {
                continue;
            }
            let mut one = no_signals();
            // SAFETY: the set is a variable, and the signal exists.
            unsafe { libc::sigaddset(&raw mut one, signal) };
            // SAFETY: the set is a variable and the time a constant; no more of the signal is wanted.
            unsafe { libc::sigtimedwait(&raw const one, ptr::null_mut(), &AT_ONCE) };
        }
        // SAFETY: the set is that of this value; the mask that was is not wanted.
        unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, ptr::null_mut()) };
    }
}

pub(super) fn no_signals() -> libc::sigset_t {
    let mut none = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the call fills the set.
    unsafe { libc::sigemptyset(none.as_mut_ptr()) };
    // SAFETY: the call has filled the set.
    unsafe { none.assume_init() }
}
