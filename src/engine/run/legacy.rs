//! Runs inside a program that has its own `main` (extension: OCR 1.2, legacy support): the same start
//! and end as where the library has it, with the program between them.

use crate::config::{GivenArguments, Settings};
use crate::engine::checkpoint;
use crate::engine::nodes::join::{NodeRole, join};
use crate::engine::process::watchdog;
use crate::engine::run::serve;
use crate::engine::run::start::{Run, USAGE_STATUS, answered, run_for_others};
use crate::engine::state::context::Context;
use crate::engine::state::fatal::{exit_now, fatal};
use crate::engine::state::fork;
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::message::keep_standard_error_of_run;
use crate::object::guid::Guid;
use crate::report::tally::Wait;
use ocr_base::lock::{Mutex, rank};
use std::ffi::OsString;
use std::path::PathBuf;
use std::thread::JoinHandle;

/// What the program's arguments have given for each run that it begins.
static GIVEN: Mutex<rank::GivenArguments, GivenArguments> = Mutex::new(GivenArguments::NOTHING);

/// The run that has begun.
static RUN: Mutex<rank::LegacyRun, Option<Legacy>> = Mutex::new(None);

struct Legacy {
    run: Run,
    watching: JoinHandle<()>,
}

/// Takes the runtime's options out of the program's arguments, for the runs that begin from now on.
/// Ends the process if they are wrong, or ask for help.
pub(crate) fn take_arguments(args: &mut Vec<OsString>) {
    match GivenArguments::take_from(args) {
        Ok(given) => match answered(given.request) {
            None => GIVEN.lock().add(given),
            Some(status) => exit_now(status),
        },
        Err(message) => {
            error!("{message}");
            exit_now(USAGE_STATUS);
        }
    }
}

/// The settings file that the arguments have named.
pub(crate) fn settings_file() -> Option<PathBuf> {
    GIVEN.lock().file.clone()
}

/// Begins a run. `file` is a settings file, if the program names one.
pub(crate) fn begin(file: Option<PathBuf>) {
    keep_standard_error_of_run();
    let mut current = RUN.lock();
    if Runtime::current().is_some() {
        fork::check_fork("ocrLegacyInit");
        fatal(
            "ocrLegacyInit: the runtime runs already. A program with its own main calls it again \
             after ocrLegacyFinalize, and a program with a mainEdt does not call it.",
        );
    }
    let mut given = GIVEN.lock().clone();
    given.file = file.or(given.file);
    let mut settings = match Settings::with(&given) {
        Ok(settings) => settings,
        Err(message) => {
            error!("{message}");
            exit_now(USAGE_STATUS);
        }
    };
    // On another node, the program's own thread does not come back: the rest of its `main` is node 0's.
    if let NodeRole::Serve(told) = join(&mut settings, true) {
        exit_now(run_for_others(settings, &told));
    }
    if let Err(message) = checkpoint::open(&settings, true) {
        error!("{message}");
        exit_now(USAGE_STATUS);
    }
    let run = Run::begin(settings, true);
    let runtime = run.runtime();
    serve::open(runtime);
    let watching = runtime.seats.start_other("ocr-watch", || watchdog::watch(runtime));
    let watching = match watching {
        Ok(watching) => watching,
        Err(error) => {
            error!(
                "ocrLegacyInit: the thread that looks for hangs cannot be started: {error}; a limit (ulimit -u, ulimit -v) \
                 leaves no thread, or no memory for one"
            );
            exit_now(USAGE_STATUS);
        }
    };
    // From here on, the program's own thread is seen as one that may do things.
    runtime.end_outside();
    *current = Some(Legacy { run, watching });
    drop(current);
    // The thread has called the runtime, so it gets what such a thread has, among that the stack for signal handlers.
    Context::get();
}

/// Ends the run: after `ocrShutdown` or `ocrAbort`, for which it waits if `wait`, or now. Returns the
/// code of `ocrAbort`, or 0; `None` where no such run is, or inside an EDT.
pub(crate) fn end(wait: bool) -> Option<i32> {
    let context = Context::get()?;
    fork::check_fork("ocrLegacyFinalize");
    {
        // SAFETY: the context is this thread's, and nothing else refers to it here.
        let this = unsafe { &mut *context };
        if this.current.is_some() || RUN.lock().is_none() {
            return None;
        }
        if this.has_paused() {
            warning!(
                "ocrLegacyFinalize was called by the thread that has paused the runtime (ocrPause), and so the pause ends. \
                 Call ocrResume before."
            );
            this.resume();
        }
        if wait {
            let call = "ocrLegacyFinalize, for ocrShutdown";
            let (event, label) = (Guid::NULL, None);
            *this.tally.now.waits.lock() = Some(Wait { call, event, label });
        }
    }
    let Legacy { run, watching } = RUN.lock().take()?;
    let runtime = run.runtime();
    let _under_lock = loader::waits();
    if wait {
        runtime.idle_threads.begin();
        runtime.check_halt();
        runtime.end.wait();
        runtime.idle_threads.end();
    } else {
        runtime.shutdown();
        runtime.end.wait();
    }
    Context::leave();
    // While somebody watches: a thread that opens devices may wait for a lock of this thread's.
    runtime.end_opening();
    // A panic there has been printed; there is nothing to be done about it.
    let _ = watching.join();
    // From here on it waits for the runtime's threads.
    runtime.idle_threads.begin();
    Some(run.end())
}
