//! A function that runs beyond its time limit (`OCR_TIME_LIMIT`): what its thread does when the thread that watches has
//! sent it a signal. What the two tell each other is in `sched/run_limit.rs`.
//!
//! | what is the case | what is done |
//! |---|---|
//! | nothing is asked of the thread | nothing |
//! | the function of the attempt has not begun, or has returned | the thread that watches asks again, if it goes on |
//! | the attempt can be undone, and the thread may leave the function (`again.rs`) | it leaves the function, and the EDT runs again |
//! | it may not leave the function where it is, but elsewhere | the thread that watches asks again, until it asks at last |
//! | the EDT runs as no attempt, cannot be undone, has run as often as may be, or was asked at last | the report is written, and the program ends with a status that is not 0 |
//!
//! As with a crash, the handler says first what is sure, and the thread that watches the rest (`report.rs`). That
//! thread ends the program, too.

use crate::engine::attempt::point::LATE;
use crate::engine::process::crash::again::{self, LateFate, NotAgain};
use crate::engine::process::crash::{CrashedEdt, DONE, TOLD, report};
use crate::engine::state::context::Context;
use crate::engine::state::end::FATAL_STATUS;
use crate::engine::state::handlers::{Handler, WithInfo};
use crate::message::say;
use crate::stack;
use std::fmt::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Listens to the signal while the handler lives. None, and a note, if the program has a handler for it.
pub(crate) fn listen() -> Option<Handler> {
    // A function that sleeps goes on sleeping, as far as the system does that.
    let flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
    // SAFETY: `handle` has the form that SA_SIGINFO asks for, which is among the flags. It allocates nothing and takes
    // no lock, so it may interrupt anything.
    let handler = unsafe { Handler::begin(LATE, handle as WithInfo as usize, flags) };
    if handler.is_none() {
        note!("OCR_TIME_LIMIT: there is no time limit, as the program has a handler of its own for SIGURG.");
    }
    handler
}

extern "C" fn handle(_: libc::c_int, _: *const libc::siginfo_t, context: *const libc::c_void) {
    // SAFETY: the call has no preconditions, and returns the address of this thread's `errno`.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: the place is this thread's `errno`, which is there as long as the thread is.
    let before = unsafe { *place };
    answer(context);
    // SAFETY: the place is this thread's `errno`. Code that the signal has interrupted finds its own value there.
    unsafe { *place = before };
}

/// Answers the thread that watches, if it has asked.
fn answer(context: *const libc::c_void) {
    let Some((limit, is_attempt)) = Context::limited_here() else { return };
    let Some(at_last) = limit.take() else { return };
    match again::leave_if_late(is_attempt, context.cast_mut()) {
        LateFate::Left => {}
        LateFate::Over => limit.not_now(),
        LateFate::Ends(why) if why.may_pass() && !at_last => limit.not_now(),
        LateFate::Ends(why) => end(limit.limit(), Some(why), context),
        LateFate::NoAttempt => end(limit.limit(), None, context),
    }
}

/// Has the program end, with a report. Returns where another thread does that.
fn end(limit: Duration, why: Option<NotAgain>, context: *const libc::c_void) {
    let Some(edt) = Context::running_here() else { return };
    if TOLD.swap(true, Ordering::Relaxed) {
        return;
    }
    let seconds = limit.as_secs_f64();
    say(|text| {
        let edt = CrashedEdt(edt);
        writeln!(text, "ocr: error: EDT {edt} was beyond its time limit of {seconds} s (OCR_TIME_LIMIT).")
    });
    if let Some(why) = why {
        say(|text| why.tell(text, "was"));
    }
    report::ask(Some(edt), None, stack::instruction(context));
    again::write_held_text();
    DONE.store(true, Ordering::Relaxed);
    report::ask_for_end();
    // The thread that watches is not there, or needs a lock that this thread has.
    // SAFETY: `_exit` has no preconditions; it does not return.
    unsafe { libc::_exit(FATAL_STATUS) };
}
