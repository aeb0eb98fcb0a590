//! How a program ends: `ocrShutdown`, `ocrAbort`, or a message and a non-zero status.

use super::Runtime;
use super::context::Context;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Exit status of a program that the runtime ended with a message.
pub const FATAL_STATUS: i32 = 1;

/// How often the main thread looks at a program that hangs unless a thread of its own does
/// something.
const SUSPICION: Duration = Duration::from_secs(1);

/// Whether the program ends.
#[derive(Default)]
pub struct End {
    ending: AtomicBool,
    aborting: AtomicBool,
    known: Mutex<Known>,
    changed: Condvar,
}

#[derive(Default)]
struct Known {
    shutdown: bool,
    suspect: bool,
}

impl End {
    /// Whether the workers are to stop.
    #[inline]
    pub fn is_ending(&self) -> bool {
        self.ending.load(Ordering::Relaxed)
    }

    /// Has the main thread look again whether the program hangs.
    pub fn suspect(&self) {
        self.known.lock().suspect = true;
        self.changed.notify_all();
    }

    /// Waits for `ocrShutdown`; `look` is called from time to time while there is a suspicion.
    pub fn wait(&self, look: impl Fn()) {
        let mut known = self.known.lock();
        while !known.shutdown {
            if std::mem::take(&mut known.suspect) {
                self.changed.wait_for(&mut known, SUSPICION);
                parking_lot::MutexGuard::unlocked(&mut known, &look);
            } else {
                self.changed.wait(&mut known);
            }
        }
    }
}

impl Runtime {
    /// `ocrShutdown` (OCR 1.1.0, 2.3.1).
    pub fn shutdown(&self) {
        self.end.ending.store(true, Ordering::Relaxed);
        self.end.known.lock().shutdown = true;
        self.end.changed.notify_all();
        self.queues.sleep.wake_all();
    }
}

/// `ocrAbort` (OCR 1.1.0, 2.3.2): the process ends with `status`, here and now: no other thread has
/// to come to an end for it. The caller does not go on, since a program that aborts does not expect
/// the code behind the call to run.
pub fn abort(status: i32) -> ! {
    if let Some(context) = Context::get() {
        // SAFETY: the context is this thread's; what refers to it is never used again.
        let runtime = unsafe { &*context }.runtime;
        runtime.end.ending.store(true, Ordering::Relaxed);
        if runtime.end.aborting.swap(true, Ordering::Relaxed) {
            // Somebody else is about to end the process.
            loop {
                std::thread::park();
            }
        }
        runtime.report(status);
    }
    exit_now(status)
}

/// Ends the program with a message: the only way out where nobody can be given a status code.
pub fn fatal(message: &str) -> ! {
    eprintln!("ocr: error: {message}");
    abort(FATAL_STATUS)
}

unsafe extern "C" {
    /// In `src/capi/shim.c`.
    fn ocrFlushStreams();
}

/// Flushes what the program has printed and ends the process without running destructors, which
/// could meet threads that are still at work.
pub fn exit_now(status: i32) -> ! {
    // SAFETY: a plain call.
    unsafe { ocrFlushStreams() };
    // SAFETY: a plain call.
    unsafe { libc::_exit(status) }
}
