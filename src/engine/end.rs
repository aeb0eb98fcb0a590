//! How a program ends: `ocrShutdown`, `ocrAbort`, or a message and a non-zero status. What the workers
//! are called to between two EDTs.

use super::context::Context;
use super::seats::Away;
use super::{Runtime, watch};
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Once};
use std::thread::ThreadId;

/// Exit status of a program that the runtime ended with a message.
pub const FATAL_STATUS: i32 = 1;

/// A reason why workers are to look up between two EDTs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Call(u8);

impl Call {
    /// The program ends.
    pub const END: Call = Call(1);
    /// Somebody has paused the runtime.
    pub const PAUSE: Call = Call(2);
    /// More threads run EDTs than there are workers.
    pub const CROWD: Call = Call(4);
}

/// Whether the program ends, and what else workers are called to.
#[derive(Default)]
pub struct End {
    calls: AtomicU8,
    /// The code of `ocrAbort`, where the program gets it from `ocrLegacyFinalize`.
    code: AtomicI32,
    /// Whether that was called, which may be with 0.
    aborted: AtomicBool,
    /// See [`End::edt_missing`]. Read when the threads that count have been joined.
    missing_edts: AtomicU64,
    /// Whether somebody is ending the process.
    exiting: AtomicBool,
    /// Whether somebody has found that the program hangs.
    accused: AtomicBool,
    shutdown: Mutex<bool>,
    changed: Condvar,
}

impl End {
    /// Whether the workers are called to anything.
    #[inline]
    pub fn is_called(&self) -> bool {
        self.calls.load(Ordering::Relaxed) != 0
    }

    /// Whether they are called to this.
    #[inline]
    pub fn is_called_to(&self, call: Call) -> bool {
        self.calls.load(Ordering::Relaxed) & call.0 != 0
    }

    /// Calls the workers to something.
    pub fn call(&self, call: Call) {
        self.calls.fetch_or(call.0, Ordering::SeqCst);
    }

    /// Takes a call back.
    pub fn uncall(&self, call: Call) {
        self.calls.fetch_and(!call.0, Ordering::SeqCst);
    }

    /// Whether the workers are to stop.
    #[inline]
    pub fn is_ending(&self) -> bool {
        self.is_called_to(Call::END)
    }

    /// Does not return if somebody else is about to end the process, with a status of his own.
    pub(super) fn leave_it_to_who_exits(&self) {
        while self.exiting.load(Ordering::SeqCst) {
            std::thread::park();
        }
    }

    /// Waits for the end of the run.
    pub fn wait(&self) {
        let mut shutdown = self.shutdown.lock();
        while !*shutdown {
            self.changed.wait(&mut shutdown);
        }
    }

    /// True for the first who finds that the program hangs.
    pub fn accuse(&self) -> bool {
        !self.accused.swap(true, Ordering::SeqCst)
    }

    /// Notes that an EDT was not created for a reason that OCR 1.2 asserts on and the specification has
    /// no code for: programs do not look at the one they get, so the status of the run tells it, too.
    pub fn edt_missing(&self) {
        self.missing_edts.fetch_add(1, Ordering::Relaxed);
    }

    /// The status of a run that was shut down, as far as EDTs are missing of it.
    pub(super) fn check_missing(&self) -> i32 {
        let missing = self.missing_edts.load(Ordering::Relaxed);
        if missing == 0 {
            return 0;
        }
        tell!(
            "ocr: error: the program ends with status {FATAL_STATUS}: {missing} of its EDTs were not created, \
             since paramv and paramc contradict each other (see the warnings)"
        );
        FATAL_STATUS
    }

    /// Whether `ocrAbort` has ended the run, or was called while it ended.
    pub fn was_aborted(&self) -> bool {
        self.aborted.load(Ordering::SeqCst)
    }

    /// What `ocrAbort` was given; 0 without.
    pub fn code(&self) -> i32 {
        self.code.load(Ordering::SeqCst)
    }
}

impl Runtime {
    /// `ocrShutdown` (OCR 1.1.0, 2.3.1).
    pub fn shutdown(&self) {
        self.end_run(None);
    }

    /// What is said where the process ends in the middle of the run: by `tell`, then as always. Does not
    /// return if somebody else does that.
    pub(super) fn last_words(&self, status: i32, tell: impl FnOnce()) {
        // Before anybody can see that the run ends.
        if self.end.exiting.swap(true, Ordering::SeqCst) {
            self.end.leave_it_to_who_exits();
        }
        self.end.call(Call::END);
        tell();
        self.tell_unwritten();
        self.report(status);
    }

    /// [`fatal`] at the end of this run, when there is no runtime any more.
    pub(super) fn fatal(&self, message: &str) -> ! {
        self.last_words(FATAL_STATUS, || tell_error(message));
        exit_now(FATAL_STATUS)
    }

    /// Ends the run. True if it was not ending yet: then `lost`, a thread that does not come back
    /// from its EDT, is not waited for.
    fn end_run(&self, lost: Option<(ThreadId, Away)>) -> bool {
        let first = {
            let mut shutdown = self.end.shutdown.lock();
            // Noted before anybody who waits for the end sees it.
            if !*shutdown && let Some((thread, away)) = lost {
                self.seats.lose(thread, away);
            }
            !std::mem::replace(&mut *shutdown, true)
        };
        self.end.call(Call::END);
        if first && lost.is_some_and(|(_, away)| away != Away::No) {
            self.end_outside();
        }
        self.end.changed.notify_all();
        self.queues.sleep.wake_all();
        self.seats.call_all();
        self.cancel_if_over();
        watch::look();
        first
    }
}

/// `ocrAbort` (OCR 1.1.0, 2.3.2). Where the library has the `main`, the process ends with `status`,
/// here and now: no other thread has to come to an end for it. Where the program has its own, the
/// run ends as by `ocrShutdown`, and `ocrLegacyFinalize` returns `status`.
///
/// An EDT that aborts does not go on, since it does not expect the code behind the call to run; only
/// where a run with the program's own `main` was ending already, this returns to it.
pub fn abort(status: i32) {
    let Some(context) = Context::get() else {
        exit_now(status)
    };
    let (runtime, in_edt, away) = {
        // SAFETY: the context is this thread's.
        let this = unsafe { &*context };
        (this.runtime, this.current.is_some(), this.away)
    };
    if !runtime.legacy {
        end_process(status);
    }
    runtime.end.code.store(status, Ordering::SeqCst);
    runtime.end.aborted.store(true, Ordering::SeqCst);
    if !in_edt {
        runtime.shutdown();
        return;
    }
    let keeper = Runtime::current();
    if runtime.end_run(Some((std::thread::current().id(), away))) {
        stay(keeper);
    }
}

/// Keeps this thread for ever, which has been lost ([`Seats::lose`](super::seats::Seats::lose)). Whoever
/// ends the run does not wait for such a one, so it keeps the runtime itself, since before it was lost
/// and until here.
pub(super) fn stay(keeper: Option<Arc<Runtime>>) -> ! {
    drop(keeper);
    loop {
        std::thread::park();
    }
}

/// Ends the process: the report is written, and no other thread has to come to an end.
pub fn end_process(status: i32) -> ! {
    end_with(status, || ())
}

/// Ends the process, unless somebody else does: then this waits for that. `tell` says first why.
fn end_with(status: i32, tell: impl FnOnce()) -> ! {
    let Some(context) = Context::get() else {
        tell();
        exit_now(status)
    };
    // SAFETY: the context is this thread's; what refers to it is never used again.
    let runtime = unsafe { &*context }.runtime;
    runtime.last_words(status, tell);
    exit_now(status)
}

/// Ends the program with a message: the only way out where nobody can be given a status code. Of threads
/// that come at the same time one is heard.
pub fn fatal(message: &str) -> ! {
    end_with(FATAL_STATUS, || tell_error(message))
}

/// Has panics, which are mistakes of the runtime or come of memory that the program has overwritten, end with a word
/// to people.
pub(super) fn explain_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let tell = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            tell(panic);
            tell!(
                "ocr: error: the runtime has failed, as it says above. That may come of a write beyond a data block, which \
                 OCR_CHECK=strict tells, or of an EDT that was left by longjmp(). Otherwise it is a mistake of the \
                 runtime: please report it with what is above, with RUST_BACKTRACE=1."
            );
        }));
    });
}

fn tell_error(message: &str) {
    flush_output();
    tell!("ocr: error: {message}");
}

/// Flushes what the program has printed, so that what is said of it comes behind that.
pub(super) fn flush_output() {
    // SAFETY: a plain call.
    unsafe { ocrFlushStreams() };
}

unsafe extern "C" {
    /// In `src/capi/shim.c`.
    fn ocrFlushStreams();
}

/// Flushes what the program has printed and ends the process without running destructors, which
/// could meet threads that are still at work.
pub fn exit_now(status: i32) -> ! {
    flush_output();
    // SAFETY: a plain call.
    unsafe { libc::_exit(status) }
}
