//! The thread that watches: it looks again and again whether a program hangs that has threads of its own, or
//! EDTs that wait outside of the runtime, prints the snapshot of a running program on `SIGUSR1`, reports
//! an EDT that has crashed, and stops functions that run too long. Where the library has the `main`, it is the main
//! thread, which has nothing else to do; otherwise one of its own.
//!
//! The thread sleeps on a semaphore (`bell.rs`), which is what a signal handler may touch. The handler sets a flag and
//! posts; everything else happens here, in an ordinary thread.

use crate::engine::process::bell::{PROCESS, SEMAPHORE, SUSPECTED, THREAD, look};
use crate::engine::process::crash;
use crate::engine::process::patience::Patience;
use crate::engine::process::time_limit::TimeLimits;
use crate::engine::state::handlers::Handler;
use crate::engine::state::runtime::Runtime;
use crate::message::has_standard_error;
use ocr_base::output_file;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often the threads of the process are looked at, at least.
const ROUTINE_SECONDS: i64 = 5;
/// How often the threads are looked at while the program hangs unless a thread of its own does something.
const SUSPICION_SECONDS: i64 = 1;
/// How often the thread looks whether functions that have a time limit still run, where all else has ended.
const ENDING: Duration = Duration::from_millis(10);

/// `SIGUSR1` has come, and the snapshot has not been printed yet. The handler's store pairs with the swap in `watch`.
static ASKED: AtomicBool = AtomicBool::new(false);

fn in_seconds(seconds: i64) -> libc::timespec {
    after(Duration::from_secs(seconds.unsigned_abs()))
}

/// The time in so long.
fn after(long: Duration) -> libc::timespec {
    const SECOND_NS: i64 = 1_000_000_000;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` has room for the answer. If somebody sets the clock, a look comes sooner or later, and no memory
    // depends on that.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut time) };
    let ns = time.tv_nsec + i64::from(long.subsec_nanos());
    time.tv_sec += long.as_secs() as i64 + ns / SECOND_NS;
    time.tv_nsec = ns % SECOND_NS;
    time
}

/// Watches until the run ends.
pub(crate) fn watch(runtime: &Runtime) {
    // SAFETY: `gettid` has no preconditions.
    THREAD.store(unsafe { libc::gettid() }, Ordering::Relaxed);
    let mut patience = runtime.settings.patience.map(Patience::new);
    let mut under_lock = runtime.settings.patience.map(Patience::new);
    let mut limits = TimeLimits::of(runtime);
    let routine = match *runtime.settings.patience {
        Some(patience) => ROUTINE_SECONDS.min(patience.as_secs() as i64),
        None => ROUTINE_SECONDS,
    };
    let mut next = in_seconds(routine);
    let mut is_soon = false;
    let mut last = None;
    while !runtime.end.is_ending() {
        if ASKED.swap(false, Ordering::SeqCst) {
            let tell = || {
                let snapshot = runtime.snapshot();
                say_text!(snapshot.of_run(last.as_ref()));
                runtime.draw(&snapshot);
                snapshot.marks()
            };
            last = Some(output_file::apart(|| runtime.beside_checkpoints(tell)));
        }
        runtime.signals.take_back(libc::SIGUSR1);
        crash::say_if_asked(runtime);
        if SUSPECTED.load(Ordering::SeqCst) && !is_soon {
            (next, is_soon) = (in_seconds(SUSPICION_SECONDS), true);
        }
        let limits_next = limits.as_mut().map(|limits| after(limits.look(runtime)));
        let sooner = limits_next.filter(|time| (time.tv_sec, time.tv_nsec) < (next.tv_sec, next.tv_nsec));
        if SEMAPHORE.wait_until(&sooner.unwrap_or(next)) && sooner.is_none() {
            (next, is_soon) = (in_seconds(routine), false);
            // Before it looks: what is suspected from now on is another look.
            SUSPECTED.store(false, Ordering::SeqCst);
            // What is looked at in /proc is opened there.
            output_file::apart(|| {
                runtime.check_halt();
                runtime.check_deadlock();
                runtime.note_blind();
                if let Some(patience) = &mut under_lock {
                    runtime.end_under_lock(patience);
                }
                if let Some(patience) = &mut patience {
                    runtime.note_patience(patience);
                }
            });
        }
    }
    // The end waits for functions that still run. They keep their limit.
    let runs = || runtime.registry.threads().iter().any(|tally| tally.now.limit.number().is_some());
    while let Some(limits) = limits.as_mut().filter(|_| runs()) {
        crash::say_if_asked(runtime);
        SEMAPHORE.wait_until(&after(limits.look(runtime).min(ENDING)));
    }
    PROCESS.store(0, Ordering::SeqCst);
    // From here on no thread waits for this thread.
    crash::say_if_asked(runtime);
}

/// The address of the handler of `SIGUSR1`, which wakes the thread that watches.
pub(crate) fn handler() -> usize {
    asked as *const () as usize
}

extern "C" fn asked(_: libc::c_int) {
    // All of this may be done in a signal handler; the semaphore is initialised before the handler
    // is installed.
    ASKED.store(true, Ordering::SeqCst);
    look();
}

/// The run is over: a `SIGUSR1` that comes yet, or between two runs of a program with its own `main`, ends nothing.
pub(crate) fn stay_harmless() {
    // SAFETY: `late` has the form of a handler without SA_SIGINFO. It calls `write` alone, which POSIX allows in a
    // handler, and keeps `errno`.
    let handler = unsafe { Handler::begin(libc::SIGUSR1, late_handler(), libc::SA_RESTART) };
    std::mem::forget(handler);
}

/// The handler of `SIGUSR1` where no run goes on.
pub(crate) fn late_handler() -> usize {
    late as *const () as usize
}

extern "C" fn late(_: libc::c_int) {
    const NOTE: &str = "ocr: note: SIGUSR1: no OCR program runs in this process now.\n";
    // SAFETY: the call has no preconditions, and returns the address of this thread's `errno`.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: the place is this thread's `errno`, which is there as long as the thread is.
    let before = unsafe { *place };
    if has_standard_error() {
        // SAFETY: the call reads as many bytes as the text has, and POSIX allows it in a handler.
        unsafe { libc::write(libc::STDERR_FILENO, NOTE.as_ptr().cast(), NOTE.len()) };
    }
    // SAFETY: the place is this thread's `errno`. Code that the signal has interrupted finds its own value there.
    unsafe { *place = before };
}

/// The run begins, and a thread of it will watch. Listens to `SIGUSR1` while the handler lives, unless the program
/// does.
pub(crate) fn listen() -> Option<Handler> {
    SEMAPHORE.get();
    PROCESS.store(std::process::id(), Ordering::SeqCst);
    ASKED.store(false, Ordering::SeqCst);
    SUSPECTED.store(false, Ordering::SeqCst);
    // The handler of this run is taken off at its end, and a signal may come at once, so a harmless one lies below.
    stay_harmless();
    // The system call that it interrupts is begun again, as far as that is possible.
    // SAFETY: `asked` has the form of a handler without SA_SIGINFO. It stores to an atomic and posts a semaphore that
    // `listen` has initialised, which POSIX allows in a handler.
    unsafe { Handler::begin(libc::SIGUSR1, handler(), libc::SA_RESTART) }
}
