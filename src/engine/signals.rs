//! Signal handlers of the runtime, which leave to the program those that it has.

use std::mem::MaybeUninit;
use std::ptr;

/// A handler that is installed while this lives.
pub(super) struct Handler {
    signal: libc::c_int,
    function: usize,
}

impl Handler {
    /// Installs a handler; none if the program has one.
    ///
    /// # Safety
    /// `function` is a handler as `flags` say, and does what a handler of this signal may do.
    pub(super) unsafe fn begin(
        signal: libc::c_int,
        function: usize,
        flags: libc::c_int,
    ) -> Option<Handler> {
        if installed(signal)? != libc::SIG_DFL {
            return None;
        }
        // SAFETY: by the contract.
        unsafe { install(signal, function, flags) };
        Some(Handler { signal, function })
    }

    /// Leaves a signal to the system; may be called in a handler.
    pub(super) fn give_back(signal: libc::c_int) {
        // SAFETY: what the system does by itself.
        unsafe { install(signal, libc::SIG_DFL, 0) };
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        // The program may have installed another since.
        if installed(self.signal) == Some(self.function) {
            Handler::give_back(self.signal);
        }
    }
}

fn installed(signal: libc::c_int) -> Option<usize> {
    let mut now = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: nothing is changed, and the place is valid.
    let result = unsafe { libc::sigaction(signal, ptr::null(), now.as_mut_ptr()) };
    // SAFETY: written by a call that succeeded.
    (result == 0).then(|| unsafe { now.assume_init() }.sa_sigaction)
}

/// # Safety
/// As for [`Handler::begin`].
unsafe fn install(signal: libc::c_int, handler: usize, flags: libc::c_int) {
    // SAFETY: zero bytes are a valid `sigaction` with an empty mask.
    let mut new: libc::sigaction = unsafe { std::mem::zeroed() };
    new.sa_sigaction = handler;
    new.sa_flags = flags;
    // While it runs, no other handler does on this thread.
    // SAFETY: a valid place.
    unsafe { libc::sigfillset(&mut new.sa_mask) };
    // SAFETY: by the contract.
    unsafe { libc::sigaction(signal, &new, ptr::null_mut()) };
}
