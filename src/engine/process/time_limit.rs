//! Which functions run beyond their time limit (`OCR_TIME_LIMIT`), as the thread that watches sees it: it looks ten
//! times in the time of the least limit, so one may run for as much longer. What it asks a thread then is in
//! `sched/run_limit.rs`, and what the thread does in `crash/late.rs`.

use crate::engine::attempt::point::LATE;
use crate::engine::state::handlers::is_ours;
use crate::engine::state::runtime::Runtime;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long until a thread is asked again that cannot leave its function where it is.
const SOON: Duration = Duration::from_millis(5);
/// How often a thread is asked, at least, before it is asked at last. One that allocates memory again and again, and is
/// outside of that a tenth of its time, comes through all of them once in 10^18 times.
const OFTEN: u32 = 400;

/// How much later than planned the thread that watches comes at most where the process goes on. If it was stopped, by
/// Ctrl-Z or a debugger, that is no time in which functions run.
const STOPPED: Duration = Duration::from_millis(500);

/// What is known of the functions that run.
pub(super) struct TimeLimits {
    /// How long it waits between two looks.
    rest: Duration,
    /// When it looked last.
    looked: Instant,
    /// By the system's numbers of the threads.
    runs: HashMap<libc::pid_t, LimitedRun>,
}

/// The run of a thread.
struct LimitedRun {
    number: u64,
    /// When it was seen first.
    since: Instant,
    asked: u32,
}

/// Whether a run that has lasted so long, and was asked so often, is to be asked now, and if so, whether at last.
fn question(limit: Duration, long: Duration, asked: u32) -> Option<bool> {
    (long >= limit).then(|| asked >= OFTEN && long >= limit.saturating_mul(2))
}

impl TimeLimits {
    /// Where there is a limit.
    pub(super) fn of(runtime: &Runtime) -> Option<TimeLimits> {
        let limit = runtime.settings.time_limit.filter(|_| is_ours(LATE))?;
        let rest = (limit.least() / 10).min(Duration::from_secs(1));
        Some(TimeLimits { rest, looked: Instant::now(), runs: HashMap::new() })
    }

    /// Looks at all threads, and asks those whose function is beyond its limit. After how long it is to look again.
    pub(super) fn look(&mut self, runtime: &Runtime) -> Duration {
        let now = Instant::now();
        let mut runs = HashMap::new();
        let mut next = self.rest;
        let gap = now.saturating_duration_since(std::mem::replace(&mut self.looked, now));
        if gap > next + STOPPED {
            self.runs.values_mut().for_each(|run| run.since += gap);
        }
        for tally in runtime.registry.threads() {
            let Some(number) = tally.now.limit.number() else { continue };
            let thread = tally.now.thread.load(Ordering::Relaxed);
            let known = self.runs.remove(&thread).filter(|run| run.number == number);
            let mut run = known.unwrap_or(LimitedRun { number, since: now, asked: 0 });
            if let Some(at_last) =
                question(tally.now.limit.limit(), now.saturating_duration_since(run.since), run.asked)
            {
                next = SOON;
                if tally.now.limit.ask(number, at_last) {
                    run.asked += 1;
                    send(thread);
                }
            }
            runs.insert(thread, run);
        }
        self.runs = runs;
        next
    }
}

/// Sends a thread of this process the signal. One that has ended is none of this process.
fn send(thread: libc::pid_t) {
    let process = std::process::id();
    // SAFETY: the call takes numbers alone. The signal has a handler of the runtime, or does nothing.
    unsafe { libc::syscall(libc::SYS_tgkill, process, thread, LATE) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_asked_when_it_is_beyond_its_limit() {
        let second = Duration::from_secs(1);
        let after = |tenths: u32, asked| question(second, second / 10 * tenths, asked);
        assert_eq!(after(9, 0), None);
        assert_eq!(after(10, 0), Some(false));
        assert_eq!(after(19, OFTEN), Some(false), "it was asked often, but not for long");
        assert_eq!(after(50, OFTEN - 1), Some(false), "it was asked for long, but not often");
        assert_eq!(after(20, OFTEN), Some(true));
    }
}
