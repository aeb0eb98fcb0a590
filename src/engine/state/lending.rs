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
//!
//! A switch takes some tens of microseconds of a core. So what is lent stays so for [`LOOK`], unless EDTs wait for
//! workers when nothing is launched any more. `lent` is written with the lock held, and is read without it for a guess:
//! by a thread that sends a launch and sees that something is lent already, and for how many cores a kernel had. The
//! thread that sends counts its launch after it has looked. So the manager may take back the cores of that launch, and
//! lends some at its next look.

use crate::cores::{self, CoreSet};
use crate::engine::state::devices::Used;
use crate::engine::state::runtime::Runtime;
use ocr_base::lock::{Mutex, rank};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// For how long it stays as it is, at least, how many cores are lent.
const LOOK: Duration = Duration::from_millis(2);

/// The cores that workers and CPU devices share.
pub(crate) struct Lending {
    all: CoreSet,
    /// How many may be busy at a time.
    cores: usize,
    /// How many workers there are.
    workers: usize,
    /// The threads that the devices have had from the beginning; none where threads are not bound.
    threads: Vec<i32>,
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
}

/// How many cores are lent, of `cores`.
fn wanted(cores: usize, launches: usize, is_host_busy: bool) -> usize {
    match (launches, is_host_busy) {
        (0, _) => 0,
        (_, false) => cores,
        (launches, true) => launches.min(cores / 2).max(1),
    }
}

/// How many of the workers run EDTs while `lent` cores are lent.
fn workers_beside(workers: usize, lent: usize, cores: usize) -> usize {
    if lent >= cores {
        return workers;
    }
    (workers * (cores - lent)).div_ceil(cores).max(1)
}

impl Lending {
    pub(crate) fn new(all: &CoreSet, cores: usize, workers: usize, threads: Vec<i32>) -> Lending {
        Lending {
            all: all.clone(),
            cores: cores.min(all.count()).max(1),
            workers,
            threads,
            lent: AtomicUsize::new(0),
            state: Mutex::default(),
        }
    }

    /// How many cores there are.
    pub(crate) fn cores(&self) -> usize {
        self.cores
    }

    /// The time that a kernel would have taken with all cores, which has taken so long with those that are lent now.
    /// Where no thread is bound to a part of the cores, it has had all.
    pub(crate) fn with_all_cores(&self, ns: u64) -> u64 {
        match self.lent.load(Ordering::Relaxed) {
            0 => ns,
            _ if self.threads.is_empty() => ns,
            lent => (u128::from(ns) * lent as u128 / self.cores as u128) as u64,
        }
    }

    /// A launch is about to be sent.
    pub(crate) fn begin(&self, runtime: &Runtime, used: &[Used], by_worker: bool) {
        if self.lent.load(Ordering::Relaxed) != 0 {
            return;
        }
        let mut state = self.state.lock();
        if self.lent.load(Ordering::Relaxed) == 0 {
            let is_busy = is_host_busy(runtime, by_worker);
            let lent = wanted(self.cores, launches(used) + 1, is_busy);
            self.lend(runtime, used, &mut state, lent);
        }
    }

    /// The manager of a device is about to sleep. For how long at most, as far as cores are concerned.
    pub(crate) fn look(&self, runtime: &Runtime, used: &[Used]) -> Option<Duration> {
        let lent = self.lent.load(Ordering::Relaxed);
        let launches = launches(used);
        if lent == 0 && launches == 0 {
            return None;
        }
        let mut state = self.state.lock();
        let lent = self.lent.load(Ordering::Relaxed);
        let since = state.changed.map_or(LOOK, |changed| changed.elapsed());
        // A thread that waits for a core which no other needs gets it at once.
        let at_once = launches == 0 && (lent == self.cores || runtime.queues.any_work());
        if since < LOOK && !at_once && lent != 0 {
            return Some(LOOK - since);
        }
        let wanted = wanted(self.cores, launches, is_host_busy(runtime, false));
        self.lend(runtime, used, &mut state, wanted);
        (wanted != 0).then_some(LOOK)
    }

    /// The threads of drivers are there after the run, and may run anywhere then.
    pub(crate) fn end(&self) {
        for &thread in &self.threads {
            let _ = self.all.bind(thread);
        }
    }

    fn lend(&self, runtime: &Runtime, used: &[Used], state: &mut LendingState, lent: usize) {
        let before = self.lent.load(Ordering::Relaxed);
        if before == lent {
            return;
        }
        let now = Instant::now();
        if let Some(changed) = state.changed.replace(now) {
            state.lent_time += (now - changed) * before as u32;
        }
        self.lent.store(lent, Ordering::Relaxed);
        let part = |lent: usize| if lent == self.cores { 0 } else { lent };
        if part(before) == part(lent) {
            return;
        }
        if part(lent) != 0 && part(before) == 0 {
            state.stood += 1;
        }
        let workers = workers_beside(self.workers, lent, self.cores);
        runtime.seats.limit_to(runtime, workers);
        if !self.threads.is_empty() {
            self.bind(runtime, used, part(lent));
        }
    }

    /// Binds all threads, so that devices have `lent` cores of their own; 0: all threads have all.
    fn bind(&self, runtime: &Runtime, used: &[Used], lent: usize) {
        let (of_workers, of_devices) = match lent {
            0 => (self.all.clone(), self.all.clone()),
            lent => self.all.split(self.all.count() * lent / self.cores),
        };
        // What the system refuses stays where it is, and is as fast as the system has it.
        let _ = runtime.seats.bind(&of_workers);
        for &thread in &self.threads {
            let _ = of_devices.bind(thread);
        }
        for used in used.iter().filter(|used| used.is_cpu()) {
            let manager = used.manager.thread_number();
            let _ = of_devices.bind(manager);
            // On its one core, a manager that goes first lengthens each kernel by what it does beside it.
            if lent == 1 {
                cores::let_others_finish(manager);
            }
        }
    }

    /// How many seconds of cores were lent, and how often workers had to stand still for that.
    pub(crate) fn so_far(&self) -> (f64, u64) {
        let state = self.state.lock();
        let lent = self.lent.load(Ordering::Relaxed) as u32;
        let now = state.changed.map_or(Duration::ZERO, |changed| changed.elapsed() * lent);
        ((state.lent_time + now).as_secs_f64(), state.stood)
    }
}

/// How many launches the CPU devices have.
fn launches(used: &[Used]) -> usize {
    let cpus = used.iter().filter(|used| used.is_cpu());
    cpus.map(|used| used.manager.load()).sum()
}

/// Whether workers have something to do, but for the one that asks.
fn is_host_busy(runtime: &Runtime, by_worker: bool) -> bool {
    let state = runtime.queues.sleep.state();
    let at_rest = state.searching() + state.sleeping() + usize::from(by_worker);
    runtime.queues.any_work() || at_rest < runtime.workers_left()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_lent_to_launches_and_no_core_is_left_idle() {
        for cores in 1..20 {
            assert_eq!(wanted(cores, 0, false), 0);
            assert_eq!(wanted(cores, 0, true), 0);
            for launches in 1..40 {
                assert_eq!(wanted(cores, launches, false), cores);
                let lent = wanted(cores, launches, true);
                assert!(lent >= 1 && lent <= launches && lent <= (cores / 2).max(1));
            }
        }
        assert_eq!(wanted(2, 9, true), 1);
        assert_eq!(wanted(16, 3, true), 3);
        assert_eq!(wanted(16, 30, true), 8);
    }

    #[test]
    fn a_kernel_on_a_part_of_the_cores_would_be_faster_on_all() {
        let all: CoreSet = CoreSet::of_thread(0).expect("the system tells");
        let mut lending = Lending::new(&all, all.count(), 2, vec![1]);
        lending.cores = 4;
        for (lent, ns) in [(0, 1000), (1, 250), (2, 500), (4, 1000)] {
            lending.lent.store(lent, Ordering::Relaxed);
            assert_eq!(lending.with_all_cores(1000), ns, "{lent}");
        }
        lending.lent.store(1, Ordering::Relaxed);
        lending.threads.clear();
        assert_eq!(lending.with_all_cores(1000), 1000, "no thread is bound");
    }

    #[test]
    fn workers_and_what_is_lent_fill_the_cores() {
        for cores in 1..20 {
            for lent in 0..=cores {
                let workers = workers_beside(cores, lent, cores);
                let all = if lent == cores { cores } else { cores - lent };
                assert_eq!(workers, all);
            }
        }
        // More workers than cores, and fewer.
        assert_eq!(workers_beside(8, 1, 2), 4);
        assert_eq!(workers_beside(3, 2, 4), 2);
        assert_eq!(workers_beside(1, 1, 2), 1);
    }
}
