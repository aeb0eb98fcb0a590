//! Cores that CPU devices have of the workers', for as long as kernels run (`devices/sharing.rs` says when cores are
//! lent and when each side has its own).
//!
//! All cores are the workers' as long as no kernel is to run on a CPU device. Which EDTs become kernels is the policy's
//! to say (`crates/ocr-place/src/policy/variant.rs`). What their launches get follows from what there is to do:
//!
//! | launches on CPU devices | workers have something to do | cores lent |
//! |---|---|---|
//! | none | | 0 |
//! | some | no | all |
//! | some | yes | as many as launches, but half of all at most, and one at least |
//!
//! Both sides have something to do as long as there is any, so no core is idle, and neither keeps the other waiting.
//! Where all cores are lent, workers sleep, and nothing has to be done. Where a part is, as many workers give up their
//! seats (`seats.rs`), when their EDTs have ended. The threads of either side are bound to its cores, since kernels
//! have as many threads as the device has compute units. Cores that come back are given to workers again.
//!
//! | who looks | when |
//! |---|---|
//! | a thread that sends a launch | nothing is lent; so what the launch needs is there before it begins |
//! | the manager of the device | before it sleeps, and each [`LOOK`] while something is lent |
//! | the thread that ends the run | when the workers have ended: kernels that still run have all cores then |
//!
//! A switch takes some tens of microseconds of a core. So what is lent stays so for [`LOOK`], unless EDTs wait for
//! workers when nothing is launched any more. `lent` is written with the lock held, and is read without it for a guess
//! by a thread that sends a launch and sees that something is lent already. The thread that sends counts its launch
//! after it has looked. So the manager may take back the cores of that launch, and lends some at its next look.
//!
//! # Threads that are started meanwhile
//!
//! A thread has the cores of the thread that starts it. So one that a function or a driver starts while a part is lent
//! would stay on a part for good. Each switch looks through the threads of the process for new ones: a driver's is
//! bound as the others are from then on, and any other follows its side until that side has all cores again. A thread
//! of the program that binds itself, meanwhile, to just the cores of a side cannot be told from one that has inherited
//! them. A process that a function starts keeps the cores of the worker, and nobody moves it later. `OCR_BIND=off` is
//! for programs to which that matters.
//!
//! # What a time is worth
//!
//! Models have the time of a kernel that has all cores. A kernel that had a part of them has taken longer, and one
//! during which the part has changed had the mean of the parts, by time. If such a kernel is short, what it took to
//! move threads is much of its time, so it teaches nothing: the next one will.

mod switch;

use crate::cores::CoreSet;
use crate::device;
use ocr_base::lock::{Mutex, rank};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// For how long it stays as it is, at least, how many cores are lent.
const LOOK: Duration = Duration::from_millis(2);
/// How many changes of the part that devices have are remembered, for the times of kernels that ran meanwhile.
const CHANGES: usize = 32;

/// The cores that workers and CPU devices share.
pub(crate) struct Lending {
    all: CoreSet,
    /// How many may be busy at a time.
    cores: usize,
    /// How many workers there are.
    workers: usize,
    /// Whether threads are bound to the cores of their side.
    binds: bool,
    /// Whether each thread that a driver starts is one of a CPU device.
    is_told: bool,
    lent: AtomicUsize,
    state: Mutex<rank::Lending, LendingState>,
}

#[derive(Default)]
struct LendingState {
    /// When it was last changed how many cores are lent; none before the first time.
    changed: Option<Instant>,
    /// The time of cores that were lent, without those that are lent now.
    lent_time: Duration,
    /// How often cores were lent while workers had something to do, so that workers had to stand still.
    stood: u64,
    /// Whether the workers have ended: nothing is lent or given back any more.
    is_over: bool,
    /// Since when the devices have which part of the cores, the newest last. They had all before the first.
    parts: VecDeque<(Instant, f64)>,
    /// The threads of the devices.
    drivers: Vec<i32>,
    /// Threads of the process of which it is known that they have no cores that a switch has left them with.
    seen: HashSet<i32>,
    /// The cores of the workers and those of the devices, while each side has its own.
    sides: Option<(CoreSet, CoreSet)>,
    /// Whether managers let others finish (`cores::let_others_finish`).
    managers_wait: bool,
}

/// The part of the cores that a kernel had which has run for so long until now. None where that is not known well
/// enough.
fn part_of_kernel(parts: &VecDeque<(Instant, f64)>, ran: Duration, now: Instant) -> Option<f64> {
    let Some(&(since, part)) = parts.back() else {
        return Some(1.0);
    };
    let begin = now.checked_sub(ran)?;
    if since <= begin {
        return Some(part);
    }
    if ran < LOOK {
        return None;
    }
    let (mut end, mut sum) = (now, 0.0);
    let before_first = (parts.len() < CHANGES).then_some((begin, 1.0));
    for (since, part) in parts.iter().rev().copied().chain(before_first) {
        let from = since.max(begin);
        sum += end.saturating_duration_since(from).as_secs_f64() * part;
        end = end.min(from);
        if since <= begin {
            return Some(sum / ran.as_secs_f64());
        }
    }
    None
}

impl Lending {
    /// `drivers` are the threads of the devices that are there by now; none where threads are not to be bound.
    pub(crate) fn new(
        all: &CoreSet,
        cores: usize,
        workers: usize,
        (drivers, is_told): (Option<Vec<i32>>, bool),
    ) -> Lending {
        let binds = drivers.is_some();
        let seen = if binds { device::threads_of_process().collect() } else { HashSet::new() };
        let state = LendingState { drivers: drivers.unwrap_or_default(), seen, ..LendingState::default() };
        Lending {
            all: all.clone(),
            cores: cores.min(all.count()).max(1),
            workers,
            binds,
            is_told,
            lent: AtomicUsize::new(0),
            state: Mutex::new(state),
        }
    }

    /// How many cores there are.
    pub(crate) fn cores(&self) -> usize {
        self.cores
    }

    /// The part of the cores that a kernel had which has just ended and has run for so many nanoseconds. None where
    /// its time says nothing.
    pub(crate) fn part_of_kernel(&self, ran_ns: u64) -> Option<f64> {
        let state = self.state.lock();
        part_of_kernel(&state.parts, Duration::from_nanos(ran_ns), Instant::now())
    }

    /// How many seconds of cores were lent, and how often workers had to stand still for that.
    pub(crate) fn so_far(&self) -> (f64, u64) {
        let state = self.state.lock();
        let lent = self.lent.load(Ordering::Relaxed) as u32;
        let now = state.changed.map_or(Duration::ZERO, |changed| changed.elapsed() * lent);
        ((state.lent_time + now).as_secs_f64(), state.stood)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_had_the_part_of_the_cores_that_was_lent_while_it_ran() {
        let begin = Instant::now();
        let at = |ms: u64| begin + Duration::from_millis(ms);
        let part = |parts: &[(u64, f64)], ran: u64, now: u64| {
            let parts: VecDeque<_> = parts.iter().map(|&(ms, part)| (at(ms), part)).collect();
            part_of_kernel(&parts, Duration::from_millis(ran), at(now))
        };
        assert_eq!(part(&[], 10, 20), Some(1.0));
        let lent = [(20, 0.25), (30, 1.0), (40, 0.5)];
        assert_eq!(part(&lent, 10, 50), Some(0.5), "nothing has changed since");
        assert_eq!(part(&lent, 1, 40), None, "it is short, and ended as that changed");
        assert_eq!(part(&lent, 1, 41), Some(0.5));
        let near = |is: Option<f64>, ought: f64| assert!(is.is_some_and(|is| (is - ought).abs() < 1e-9), "{is:?}");
        near(part(&lent, 20, 50), 0.75);
        near(part(&lent, 30, 50), (0.25 + 1.0 + 0.5) / 3.0);
        near(part(&lent, 50, 50), (2.0 + 0.25 + 1.0 + 0.5) / 5.0);
        // What was before the oldest change that is remembered is not known.
        let many: Vec<(u64, f64)> = (0..CHANGES as u64).map(|n| (100 + n, 0.5)).collect();
        assert_eq!(part(&many, 100, 150), None);
        near(part(&many, 45, 150), 0.5);
    }
}
