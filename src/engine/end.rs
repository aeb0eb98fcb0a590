//! How a program ends: `ocrShutdown`, `ocrAbort`, or a message and a non-zero status.

use super::Runtime;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status of a program that the runtime ended with a message.
pub const FATAL_STATUS: i32 = 1;

/// Whether and how the program ends.
#[derive(Default)]
pub struct End {
    ending: AtomicBool,
    outcome: Mutex<Option<Outcome>>,
    known: Condvar,
}

/// How a program ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// `ocrShutdown`: running EDTs finish, everything is given back.
    Shutdown,
    /// `ocrAbort` or a fatal error: the process ends with this status as it stands.
    Abort(i32),
}

impl End {
    /// Whether the workers are to stop.
    #[inline]
    pub fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }

    /// Sets the outcome; an abort outranks a shutdown that has not been carried out yet.
    fn set(&self, outcome: Outcome) {
        let mut known = self.outcome.lock();
        if known.is_none() || matches!(outcome, Outcome::Abort(_)) {
            known.get_or_insert(outcome);
            if let (Some(Outcome::Shutdown), Outcome::Abort(_)) = (*known, outcome) {
                *known = Some(outcome);
            }
        }
        self.ending.store(true, Ordering::Relaxed);
        self.known.notify_all();
    }

    /// Waits for the end.
    pub fn wait(&self) -> Outcome {
        let mut outcome = self.outcome.lock();
        loop {
            match *outcome {
                Some(outcome) => return outcome,
                None => self.known.wait(&mut outcome),
            }
        }
    }

    /// The outcome now.
    pub fn outcome(&self) -> Option<Outcome> {
        *self.outcome.lock()
    }
}

impl Runtime {
    /// `ocrShutdown` (OCR 1.1.0, 2.3.1).
    pub fn shutdown(&self) {
        self.end.set(Outcome::Shutdown);
        self.queues.sleep.wake_all();
    }
}

/// `ocrAbort` (OCR 1.1.0, 2.3.2): the process ends with `status`. The calling thread does not go
/// on, since a program that aborts does not expect the code behind the call to run.
pub fn abort(status: i32) -> ! {
    let Some(runtime) = Runtime::current() else {
        exit_now(status)
    };
    runtime.end.set(Outcome::Abort(status));
    loop {
        std::thread::park();
    }
}

/// Ends the program with a message: the only way out where nobody can be given a status code.
pub fn fatal(message: &str) -> ! {
    eprintln!("ocr: error: {message}");
    abort(FATAL_STATUS)
}

/// Flushes what the program has printed and ends the process without running destructors, which
/// could meet threads that are still at work.
pub fn exit_now(status: i32) -> ! {
    // SAFETY: a null stream means all streams.
    unsafe { libc::fflush(std::ptr::null_mut()) };
    // SAFETY: a plain call.
    unsafe { libc::_exit(status) }
}
