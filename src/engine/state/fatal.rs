//! The end of the process in the middle of a run: a message, the report, and a status that is not 0.

use crate::diag::SaidOnce;
use crate::engine::state::context::Context;
use crate::engine::state::end::{FATAL_STATUS, Interrupt};
use crate::engine::state::runtime::Runtime;
use crate::link::threads;
use ocr_base::output_file::without_limit_signal;
use std::cell::Cell;
use std::ffi::c_int;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::thread::Builder;

impl Runtime {
    /// What is said where the process ends in the middle of the run: by `say`, then as always. Does not
    /// return if somebody else does that.
    pub(crate) fn last_words(&self, status: i32, say: impl FnOnce()) {
        // Before any other thread can see that the run ends.
        if self.end.exiting.swap(true, Ordering::SeqCst) {
            self.end.leave_it_to_who_exits();
        }
        self.end.call(Interrupt::END);
        say();
        self.warn_unwritten();
        self.report(status);
    }

    /// [`fatal`] at the end of this run, when there is no runtime any more.
    pub(crate) fn fatal(&self, message: &str) -> ! {
        self.last_words(FATAL_STATUS, || say_error(message));
        exit_now(FATAL_STATUS)
    }
}

/// Keeps this thread, which has been lost ([`Seats::lose`](crate::engine::state::seats::Seats::lose)), until the
/// process ends. The thread that ends the run does not wait for a lost one. So the lost thread itself keeps the
/// runtime, from before it was lost until here.
pub(crate) fn stay(keeper: Option<Arc<Runtime>>) -> ! {
    drop(keeper);
    loop {
        std::thread::park();
    }
}

/// Ends the process: the report is written, and no other thread has to come to an end.
pub(crate) fn end_process(status: i32) -> ! {
    end_with(status, || (), || ())
}

/// Ends the process, unless another thread does: then this waits for that. `say` says first why, and `then` does what
/// may take its time, when all has been said.
fn end_with(status: i32, say: impl FnOnce(), then: impl FnOnce()) -> ! {
    let Some(context) = Context::get() else {
        say();
        then();
        exit_now(status)
    };
    // SAFETY: the context is this thread's; what refers to it is never used again.
    let context = unsafe { &*context };
    let runtime = context.runtime;
    runtime.last_words(status, || {
        // What the EDT has printed before the call that ends the program, and what is held.
        context.attempt.iter().flat_map(|attempt| attempt.texts()).for_each(print_text);
        say();
    });
    then();
    exit_now(status)
}

/// Ends the program with a message: the only way out where no caller can be given a status code. Of threads
/// that come at the same time one is heard.
pub(crate) fn fatal(message: &str) -> ! {
    if threads::makes_calls() {
        leave_to_another(message.to_string());
    }
    fatal_then(message, || ())
}

/// What the thread of the link unwinds with where it has left a fatal error to another thread.
struct LeftToAnother;

thread_local! {
    /// Whether this thread, that of the link, has met a fatal error.
    static HAS_LEFT: Cell<bool> = const { Cell::new(false) };
}

/// [`fatal`] on the thread of the link, which has to tell the other nodes that the process ends: so another thread ends
/// it, and this one gives up the message that it handles.
#[cold]
fn leave_to_another(message: String) -> ! {
    HAS_LEFT.set(true);
    let end = message.clone();
    if Builder::new().name("ocr-fatal".into()).spawn(move || fatal_then(&end, || ())).is_err() {
        fatal_then(&message, || ());
    }
    resume_unwind(Box::new(LeftToAnother))
}

/// Handles a message on the thread of the link. After a fatal error, what comes next is dropped.
pub(crate) fn handle_on_link(handle: impl FnOnce()) {
    if HAS_LEFT.get() {
        return;
    }
    if let Err(panic) = catch_unwind(AssertUnwindSafe(handle)) {
        Context::leave_calls();
        if !panic.is::<LeftToAnother>() {
            resume_unwind(panic);
        }
    }
}

/// [`fatal`], with something to do when the message is out.
pub(crate) fn fatal_then(message: &str, then: impl FnOnce()) -> ! {
    end_with(FATAL_STATUS, || say_error(message), then)
}

fn say_error(message: &str) {
    flush_output();
    error!("{message}");
}

/// Flushes what the program has printed, so that what is said of it comes behind that.
pub(crate) fn flush_output() {
    // SAFETY: `ocrFlushStreams` of the shim has no preconditions.
    without_limit_signal(|| unsafe { ocrFlushStreams() });
}

unsafe extern "C" {
    /// Writes what the program has printed through C's streams (`src/capi/shim.c`). Not 0 where some of it is lost.
    fn ocrFlushStreams() -> c_int;

    /// Prints a text to C's standard output (`src/capi/shim.c`).
    fn ocrPrintHeld(text: *const u8, len: usize);
}

/// Prints a text that the program has printed by `ocrPrintf` and that was held.
pub(crate) fn print_text(text: &[u8]) {
    // SAFETY: the text has as many bytes as the call is given, which only reads them.
    without_limit_signal(|| unsafe { ocrPrintHeld(text.as_ptr(), text.len()) });
}

/// Flushes what the program has printed. Says once if some of that is lost, and then returns a status that is not 0 in
/// place of this one.
pub(crate) fn status_after_output(status: i32) -> i32 {
    static TOLD: SaidOnce = SaidOnce::new();
    // SAFETY: `ocrFlushStreams` of the shim has no preconditions.
    let fault = without_limit_signal(|| unsafe { ocrFlushStreams() });
    if fault == 0 {
        return status;
    }
    if TOLD.is_first() {
        let why = if fault > 0 { format!(": {}", io::Error::from_raw_os_error(fault)) } else { String::new() };
        error!(
            "not all that the program has printed could be written to its standard output{why}. Make room where that goes, \
             or send it elsewhere, and run the program again."
        );
    }
    if status == 0 { FATAL_STATUS } else { status }
}

/// What is done last where the process is one of several nodes: ends the others, and returns the status.
static BEFORE_END: OnceLock<fn(i32) -> i32> = OnceLock::new();

/// Has this done last before the process ends. There is one such act in a process.
pub(crate) fn before_end(act: fn(i32) -> i32) {
    let _ = BEFORE_END.set(act);
}

/// Flushes what the program has printed and ends the process without running destructors, which
/// could meet threads that are still at work.
pub(crate) fn exit_now(status: i32) -> ! {
    let status = status_after_output(status);
    let status = BEFORE_END.get().map_or(status, |act| act(status));
    // SAFETY: `_exit` has no preconditions; it does not return.
    unsafe { libc::_exit(status) }
}
