//! Sleeping workers and how they are woken; the protocol and its argument are in `sleep.md`.
//! Models that drive it by what workers do are in `loom_models.rs`.

#[cfg(loom)]
use super::models::{Parker, Unparker};
#[cfg(not(loom))]
use crossbeam_utils::sync::{Parker, Unparker};
#[cfg(loom)]
use loom::sync::Mutex;
use ocr_base::sync::{AtomicU64, Ordering, fence, preemption_point};
#[cfg(not(loom))]
use std::sync::Mutex;

/// How many workers search (16 bits) and sleep (16 bits), and how often one has been woken (32 bits,
/// so that a state that was left and reached again is another one).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SleepState(u64);

const SEARCHING: u64 = 1;
const SLEEPING: u64 = 1 << 16;
const WOKEN: u64 = 1 << 32;

/// What is added when a sleeping worker becomes a searching one.
const WAKE: u64 = SEARCHING.wrapping_sub(SLEEPING).wrapping_add(WOKEN);

impl SleepState {
    /// Workers without work that look for some.
    pub(crate) fn searching(self) -> usize {
        self.0 as u16 as usize
    }

    /// How many workers are on the list of sleepers.
    pub(crate) fn sleeping(self) -> usize {
        (self.0 >> 16) as u16 as usize
    }
}

/// Which workers sleep, and how many search.
pub(crate) struct Sleep {
    state: AtomicU64,
    sleepers: Mutex<Vec<usize>>,
    unparkers: Vec<Unparker>,
}

impl Sleep {
    /// Makes the state for `workers` workers, with a parker for each.
    pub(crate) fn new(workers: usize) -> (Sleep, Vec<Parker>) {
        let parkers: Vec<Parker> = (0..workers).map(|_| Parker::new()).collect();
        let sleep = Sleep {
            state: AtomicU64::new(0),
            sleepers: Mutex::new(Vec::with_capacity(workers)),
            unparkers: parkers.iter().map(|parker| parker.unparker().clone()).collect(),
        };
        (sleep, parkers)
    }

    /// The state now (sequentially consistent).
    pub(crate) fn state(&self) -> SleepState {
        SleepState(self.state.load(Ordering::SeqCst))
    }

    fn sleepers(&self) -> impl std::ops::DerefMut<Target = Vec<usize>> + '_ {
        // Nothing panics with the lock held.
        self.sleepers.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// P2 to P4: after a push, wakes a worker if one sleeps and none searches.
    #[inline]
    pub(crate) fn notify(&self) {
        preemption_point(64);
        fence(Ordering::SeqCst);
        let state = SleepState(self.state.load(Ordering::Relaxed));
        if state.sleeping() != 0 && state.searching() == 0 {
            self.wake_one();
        }
    }

    #[cold]
    fn wake_one(&self) {
        let mut sleepers = self.sleepers();
        if let Some(worker) = sleepers.pop() {
            self.state.fetch_add(WAKE, Ordering::SeqCst);
            drop(sleepers);
            self.unparkers[worker].unpark();
        }
    }

    /// Wakes all sleepers: the run ends, or workers are called to something else.
    pub(crate) fn wake_all(&self) {
        let mut sleepers = self.sleepers();
        for worker in sleepers.drain(..) {
            self.state.fetch_add(WAKE, Ordering::SeqCst);
            self.unparkers[worker].unpark();
        }
    }

    /// S1: a running worker begins to search.
    pub(crate) fn start_search(&self) {
        self.state.fetch_add(SEARCHING, Ordering::SeqCst);
    }

    /// S2: a searching worker found something. True if it was the last that searched: it must look for
    /// more work then, and call [`Sleep::notify`] if there is.
    #[must_use]
    pub(crate) fn found(&self) -> bool {
        let last = SleepState(self.state.fetch_sub(SEARCHING, Ordering::SeqCst)).searching() == 1;
        if last {
            // Orders the look that follows behind the change, as in S4.
            fence(Ordering::SeqCst);
        }
        last
    }

    /// S3 to S6: a searching worker sleeps, unless `look` finds work after it has said that it
    /// will. It is searching again when this returns. `asleep` is called when it is on the list.
    pub(crate) fn sleep(&self, worker: usize, parker: &Parker, look: impl FnOnce() -> bool, asleep: impl FnOnce()) {
        {
            let mut sleepers = self.sleepers();
            sleepers.push(worker);
            self.state.fetch_add(SLEEPING.wrapping_sub(SEARCHING), Ordering::SeqCst);
        }
        preemption_point(64);
        fence(Ordering::SeqCst);
        if look() {
            let mut sleepers = self.sleepers();
            if let Some(at) = sleepers.iter().position(|&other| other == worker) {
                sleepers.swap_remove(at);
                self.state.fetch_add(WAKE, Ordering::SeqCst);
                return;
            }
        } else {
            asleep();
        }
        // The thread that takes it out of the list leaves one token, which is taken here: so there is never an old one.
        parker.park();
    }
}
