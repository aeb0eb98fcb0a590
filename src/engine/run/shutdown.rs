//! How a run ends: by `ocrShutdown`, by `ocrAbort`, or because the runtime itself has failed.
//!
//! `ocrShutdown` lets running EDTs, on all nodes, and the kernels that were sent to a device end. Then no device takes
//! another launch, what is left of files is written, managers end, the report is written (`start.rs`), and all memory
//! is given back. A kernel that fails meanwhile ends the program as ever: what it has left half written must not get
//! into a file. `ocrAbort` and fatal errors write the report and end the process as it stands; the calling thread does
//! not go on.

use crate::engine::nodes::work::Call;
use crate::engine::nodes::{drain, ending, outbox};
use crate::engine::process::bell;
use crate::engine::state::context::Context;
use crate::engine::state::end::Interrupt;
use crate::engine::state::fatal::{end_process, exit_now, stay};
use crate::engine::state::runtime::Runtime;
use crate::engine::state::seats::Seating;
use crate::engine::state::user_call::is_called_by_rust;
use std::cell::Cell;
use std::panic::PanicHookInfo;
use std::sync::Once;
use std::sync::atomic::Ordering;
use std::thread::ThreadId;

impl Runtime {
    /// Ends the run, as `ocrShutdown` does (OCR 1.1.0, 2.3.1).
    pub(crate) fn shutdown(&self) {
        self.end_run(None);
    }

    /// Ends the run. True if it was not ending yet: then `lost`, a thread that does not come back
    /// from its EDT, is not waited for.
    fn end_run(&self, lost: Option<(ThreadId, Seating)>) -> bool {
        let first = {
            let mut shutdown = self.end.shutdown.lock();
            // Noted before any thread that waits for the end sees it.
            if !*shutdown && let Some((thread, seating)) = lost {
                self.seats.lose(thread, seating);
            }
            !std::mem::replace(&mut *shutdown, true)
        };
        self.end.call(Interrupt::END);
        if first && lost.is_some_and(|(_, seating)| seating != Seating::Seated) {
            self.end_outside();
        }
        if first {
            drain::end_elsewhere();
        }
        self.end.changed.notify_all();
        self.queues.sleep.wake_all();
        self.seats.call_all();
        self.cancel_if_over();
        bell::look();
        first
    }
}

/// `ocrAbort` (OCR 1.1.0, 2.3.2). Where the library has the `main`, the process ends with `status`,
/// here and now: no other thread has to come to an end for it. Where the program has its own, the
/// run ends as by `ocrShutdown`, and `ocrLegacyFinalize` returns `status`.
///
/// An EDT that aborts does not go on, since it does not expect the code behind the call to run. This returns to it only
/// where a run with the program's own `main`, or that of another node than 0, was ending already.
pub(crate) fn abort(status: i32) {
    let Some(context) = Context::get() else { exit_now(status) };
    let (runtime, in_edt, seating) = {
        // SAFETY: `Context::get` returns the context of this thread, which lives until `Context::leave`. Only three
        // fields are copied, and the reference ends before anything else uses the context.
        let this = unsafe { &*context };
        (this.runtime, this.current.is_some(), this.seat.seating)
    };
    if ending::place().is_some_and(|(node, _)| node != 0) {
        // All nodes end with the status, this one among them.
        let _ = outbox::ask(0, Call::Abort(status));
        if !in_edt {
            stay(Runtime::current());
        }
        leave_edt(runtime, seating);
        return;
    }
    if !runtime.legacy {
        end_process(status);
    }
    runtime.end.code.store(status, Ordering::SeqCst);
    runtime.end.aborted.store(true, Ordering::SeqCst);
    if !in_edt {
        runtime.shutdown();
        return;
    }
    leave_edt(runtime, seating);
}

/// Ends the run, and keeps this thread, which runs an EDT that does not go on. Returns where the run was ending
/// already.
fn leave_edt(runtime: &Runtime, seating: Seating) {
    let keeper = Runtime::current();
    if runtime.end_run(Some((std::thread::current().id(), seating))) {
        stay(keeper);
    }
}

/// Whether a panic is the program's. Its line is one of `ocr::tasks`, which tells mistakes of its callers so, or none
/// of the runtime. The latter counts in a function of the program, and on a thread that is not the runtime's: elsewhere
/// a crate that the runtime uses has failed.
fn is_of_the_program(panic: &PanicHookInfo<'_>) -> bool {
    let here = file!();
    let root = &here[..here.rfind("src/").unwrap_or(0)];
    let file = panic.location().map_or("", |location| location.file());
    let inside = file.strip_prefix(root).filter(|file| file.starts_with("src/"));
    match inside {
        Some(file) => file.starts_with("src/tasks/"),
        None => is_called_by_rust() || !is_thread_of_the_runtime(),
    }
}

thread_local! {
    /// Whether the thread runs a whole program, as the main thread does for a program without a `main` of its own.
    static RUNS_PROGRAM: Cell<bool> = const { Cell::new(false) };
}

/// Notes that this thread runs a whole program, until the end of the process.
pub(crate) fn enter_as_main_thread() {
    RUNS_PROGRAM.set(true);
}

/// Whether this thread is in the runtime for good: it is the main thread, or one that the runtime has started, which
/// has a name of its own.
fn is_thread_of_the_runtime() -> bool {
    let current = std::thread::current();
    RUNS_PROGRAM.get() || current.name().is_some_and(|name| name.starts_with("ocr-"))
}

/// Has panics, which are mistakes of the runtime or come of memory that the program has overwritten, end with a word
/// to people.
pub(crate) fn explain_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            hook(panic);
            if is_of_the_program(panic) {
                return;
            }
            error!(
                "the runtime has failed, as it says above. That may come of a write beyond a data block, which \
                 OCR_CHECK=strict tells, or of an EDT that was left by longjmp(). Otherwise it is a mistake of the \
                 runtime: please report it with what is above, with RUST_BACKTRACE=1."
            );
        }));
    });
}
