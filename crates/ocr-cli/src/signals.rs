//! Signals that ask the command to end while programs run for it: they are noticed, so that the programs end, what was
//! measured is shown, and no file is left.

use std::io::{self, PipeReader};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, IntoRawFd};
use std::ptr;
use std::sync::atomic::{AtomicI32, Ordering};

/// The signals with which people, shells and systems end a program.
const ENDING: [libc::c_int; 4] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT];

/// The last of these signals that has come; 0 where none has.
static COME: AtomicI32 = AtomicI32::new(0);

/// The descriptor of the pipe that wakes the thread which waits; -1 before there is one.
static WAKE: AtomicI32 = AtomicI32::new(-1);

/// While this lives, such a signal is noticed in place of ending the command. One that was ignored stays ignored, as
/// under `nohup`.
pub(crate) struct Signals {
    /// Has a byte to read for each signal that has come.
    woken: PipeReader,
    /// What each signal did before.
    before: Vec<(libc::c_int, libc::sigaction)>,
}

/// Notes a signal. It runs inside of whatever the thread was doing.
extern "C" fn note(signal: libc::c_int) {
    // Relaxed: the number stands alone. The byte in the pipe comes after it, by the order of system calls.
    COME.store(signal, Ordering::Relaxed);
    // Relaxed: the descriptor was stored before this handler was installed.
    let pipe = WAKE.load(Ordering::Relaxed);
    let error = io::Error::last_os_error().raw_os_error();
    // SAFETY: the address is that of a byte that lives as long as the program, and one byte is written from it. The
    // call is one that handlers may make.
    unsafe { libc::write(pipe, ptr::from_ref(&b'.').cast(), 1) };
    // SAFETY: the function takes nothing, and its address is that of this thread's error number.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: the address is that of this thread's error number, which the code that was interrupted may look at next.
    unsafe { *place = error.unwrap_or(0) };
}

impl Signals {
    /// Begins to notice signals.
    pub(crate) fn new() -> io::Result<Signals> {
        let (woken, wake) = io::pipe()?;
        // Relaxed: see `note`. The end that is written to stays open, since a handler may just be about to write.
        WAKE.store(wake.into_raw_fd(), Ordering::Relaxed);
        let mut before = Vec::new();
        for signal in ENDING {
            let old = set(signal, None)?;
            if old.sa_sigaction != libc::SIG_IGN {
                let mut new = old;
                new.sa_sigaction = note as extern "C" fn(libc::c_int) as libc::sighandler_t;
                new.sa_flags = libc::SA_RESTART;
                set(signal, Some(&new))?;
                before.push((signal, old));
            }
        }
        Ok(Signals { woken, before })
    }

    /// The signal that has come. None where none has.
    pub(crate) fn come(&self) -> Option<i32> {
        // Relaxed: the number stands alone.
        Some(COME.load(Ordering::Relaxed)).filter(|&signal| signal != 0)
    }

    /// The file that can be read when a signal has come, until [`Signals::forget`] is called.
    pub(crate) fn file(&self) -> BorrowedFd<'_> {
        self.woken.as_fd()
    }

    /// Reads the bytes of signals that have come, so that the file can be read again when the next one comes. It blocks
    /// where none has come.
    pub(crate) fn forget(&self) {
        let mut bytes = [0; 16];
        let _ = io::Read::read(&mut &self.woken, &mut bytes);
    }
}

impl Drop for Signals {
    fn drop(&mut self) {
        for (signal, old) in &self.before {
            let _ = set(*signal, Some(old));
        }
    }
}

/// What a signal did before, and from now on does if `new` is given.
fn set(signal: libc::c_int, new: Option<&libc::sigaction>) -> io::Result<libc::sigaction> {
    let new = new.map_or(ptr::null(), ptr::from_ref);
    let mut old = MaybeUninit::uninit();
    // SAFETY: `new` is null or the address of an action whose handler, if it is ours, makes only calls that handlers
    // may make. The other address is that of room for an action.
    match unsafe { libc::sigaction(signal, new, old.as_mut_ptr()) } {
        // SAFETY: the call has written the action.
        0 => Ok(unsafe { old.assume_init() }),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The name of a signal that asks the command to end.
pub(crate) fn name(signal: i32) -> &'static str {
    match signal {
        libc::SIGINT => "SIGINT",
        libc::SIGTERM => "SIGTERM",
        libc::SIGHUP => "SIGHUP",
        libc::SIGQUIT => "SIGQUIT",
        _ => "a signal",
    }
}
