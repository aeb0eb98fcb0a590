//! Who leaves without the runtime's doing: a thread that has called the runtime, or that the runtime needs, and a
//! process that ends by `exit`.

use super::Runtime;
use super::context::Context;
use super::end::{FATAL_STATUS, exit_now, fatal, flush_output};
use crate::object::edt::Edt;
use parking_lot::Mutex;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};

/// Has [`thread_ends`] called where a thread ends by itself. A destructor of Rust's would be called by `exit` as
/// well, and before those of C++ and of other keys, which may call the runtime.
static KEY: Mutex<Option<libc::pthread_key_t>> = Mutex::new(None);
/// The process in which a run has begun; 0 before. One that it has forked is another.
/// Relaxed: it orders nothing, and whether a run goes on is asked of the runtime that is installed, under its lock.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Has the end of this thread seen to. A worker is to call [`stop_watching`] before.
pub(super) fn watch_thread() {
    set(1);
}

/// This thread may end.
pub(super) fn stop_watching() {
    set(0);
}

fn set(watched: usize) {
    let key = *KEY.lock().get_or_insert_with(|| {
        let mut key = 0;
        // SAFETY: a valid place, and a function of the right type.
        let error = unsafe { libc::pthread_key_create(&raw mut key, Some(thread_ends)) };
        assert_eq!(error, 0, "the system gives each process some keys");
        key
    });
    // SAFETY: the key was created, and nobody deletes it.
    unsafe { libc::pthread_setspecific(key, ptr::without_provenance(watched)) };
}

/// Called by the C library on a thread that ends and is watched.
extern "C" fn thread_ends(_: *mut c_void) {
    if !Context::is_worker_here() {
        // If another destructor calls the runtime, the thread is watched again, and this called again.
        Context::leave();
        return;
    }
    // Nobody would see later that nothing comes of what it did: it counts as at work.
    let (who, whose) = match Context::running_here() {
        Some(edt) => (edt_name(edt), "its EDT"),
        None => ("a function of the program".to_string(), "that function"),
    };
    fatal(&format!(
        "{who} has ended the worker that it ran on: it called pthread_exit (or the thread was cancelled). The \
         runtime needs its workers, and waits for {whose} to return: end an EDT with return NULL_GUID."
    ));
}

/// Says that a run begins in this process.
pub(super) fn watch_process() {
    PROCESS.store(std::process::id(), Ordering::Relaxed);
}

/// Ends a process that a program has made by `fork` in the middle of a run, where it would wait for threads of the runtime:
/// they are in the first process alone.
pub(super) fn check_fork(call: &str) {
    let first = PROCESS.load(Ordering::Relaxed);
    if first == std::process::id() || first == 0 {
        return;
    }
    tell!(
        "ocr: error: {call}: this process was made by fork() while the runtime ran in process {first}, which has kept the \
         threads that run EDTs. Fork before ocrLegacyInit, or have the new process call nothing of OCR, but exec() or \
         _exit()."
    );
    exit_now(FATAL_STATUS);
}

/// Called by the C library when the process ends by `exit`, after what the program has registered for that
/// (`src/capi/shim.c`), where a run may be going on: then its report is written all the same.
#[unsafe(no_mangle)]
extern "C" fn ocrProcessEnds(status: c_int, _: *mut c_void) {
    if PROCESS.load(Ordering::Relaxed) != std::process::id() {
        return;
    }
    let Some(runtime) = Runtime::current() else {
        return;
    };
    if runtime.end.is_ending() {
        runtime.end.leave_it_to_who_exits();
        return;
    }
    runtime.last_words(status, || {
        if runtime.check.is_some() {
            flush_output();
            tell!("ocr: note: strict mode: {}", told(status, runtime.legacy));
        }
    });
}

/// What strict mode says of a call of `exit`, here.
fn told(status: c_int, legacy: bool) -> String {
    let (who, how) = match (Context::running_here(), legacy) {
        (Some(edt), _) => (edt_name(edt), ""),
        (None, false) => ("a thread of the program".to_string(), ""),
        (None, true) => ("the program".to_string(), ", or returned from its main,"),
    };
    let instead = match legacy {
        false => "ocrShutdown, or ocrAbort with a status",
        true => "ocrShutdown and ocrLegacyFinalize",
    };
    format!(
        "{who} called exit({status}){how} while the runtime runs. EDTs that are not done are not \
         waited for, and objects that are left are not listed. An OCR program ends with {instead} \
         (OCR 1.1.0, 2.3)."
    )
}

fn edt_name(edt: &Edt) -> String {
    format!("EDT {} ({})", edt.guid(), edt.work().name)
}
