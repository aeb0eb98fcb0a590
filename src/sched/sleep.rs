//! Sleeping workers and how they are woken; the protocol and its argument are in `sleep.md`.

use crate::sync::{AtomicU64, Ordering, dawdle, fence};
#[cfg(not(loom))]
use crossbeam_utils::sync::{Parker, Unparker};
#[cfg(loom)]
use models::{Parker, Unparker};

#[cfg(loom)]
use loom::sync::Mutex;
#[cfg(not(loom))]
use std::sync::Mutex;

/// How many workers search (16 bits) and sleep (16 bits), and how often one has been woken (32 bits,
/// so that a state that was left and reached again is another one).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State(u64);

const SEARCHING: u64 = 1;
const SLEEPING: u64 = 1 << 16;
const WOKEN: u64 = 1 << 32;

/// What is added when a sleeping worker becomes a searching one.
const WAKE: u64 = SEARCHING.wrapping_sub(SLEEPING).wrapping_add(WOKEN);

impl State {
    /// Workers without work that look for some.
    pub fn searching(self) -> usize {
        self.0 as u16 as usize
    }

    /// Workers that sleep.
    pub fn sleeping(self) -> usize {
        (self.0 >> 16) as u16 as usize
    }
}

/// Who sleeps.
pub struct Sleep {
    state: AtomicU64,
    sleepers: Mutex<Vec<usize>>,
    unparkers: Vec<Unparker>,
}

impl Sleep {
    /// For so many workers, with a parker for each.
    pub fn new(workers: usize) -> (Sleep, Vec<Parker>) {
        let parkers: Vec<Parker> = (0..workers).map(|_| Parker::new()).collect();
        let sleep = Sleep {
            state: AtomicU64::new(0),
            sleepers: Mutex::new(Vec::with_capacity(workers)),
            unparkers: parkers
                .iter()
                .map(|parker| parker.unparker().clone())
                .collect(),
        };
        (sleep, parkers)
    }

    /// The state now (sequentially consistent).
    pub fn state(&self) -> State {
        State(self.state.load(Ordering::SeqCst))
    }

    fn sleepers(&self) -> impl std::ops::DerefMut<Target = Vec<usize>> + '_ {
        // Nothing panics with the lock held.
        self.sleepers
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// P2 to P4: after a push, wakes a worker if one sleeps and none searches.
    #[inline]
    pub fn notify(&self) {
        dawdle(64);
        fence(Ordering::SeqCst);
        let state = State(self.state.load(Ordering::Relaxed));
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

    /// Wakes everybody, to end.
    pub fn wake_all(&self) {
        let mut sleepers = self.sleepers();
        for worker in sleepers.drain(..) {
            self.state.fetch_add(WAKE, Ordering::SeqCst);
            self.unparkers[worker].unpark();
        }
    }

    /// S1: a running worker begins to search.
    pub fn start_search(&self) {
        self.state.fetch_add(SEARCHING, Ordering::SeqCst);
    }

    /// S2: a searching worker found something. True if it was the last that searched: it must look for
    /// more work then, and call [`Sleep::notify`] if there is.
    #[must_use]
    pub fn found(&self) -> bool {
        let last = State(self.state.fetch_sub(SEARCHING, Ordering::SeqCst)).searching() == 1;
        if last {
            // As in S4, of the look that follows.
            fence(Ordering::SeqCst);
        }
        last
    }

    /// S3 to S6: a searching worker sleeps, unless `look` finds work after it has said that it
    /// will. It is searching again when this returns. `asleep` is called when it is on the list.
    pub fn sleep(
        &self,
        worker: usize,
        parker: &Parker,
        look: impl FnOnce() -> bool,
        asleep: impl FnOnce(),
    ) {
        {
            let mut sleepers = self.sleepers();
            sleepers.push(worker);
            self.state
                .fetch_add(SLEEPING.wrapping_sub(SEARCHING), Ordering::SeqCst);
        }
        dawdle(64);
        fence(Ordering::SeqCst);
        if look() {
            let mut sleepers = self.sleepers();
            if let Some(at) = sleepers.iter().position(|&other| other == worker) {
                sleepers.swap_remove(at);
                self.state.fetch_add(WAKE, Ordering::SeqCst);
                return;
            }
            // Taken out by somebody, who has left or will leave a token.
            drop(sleepers);
            parker.park();
            return;
        }
        asleep();
        loop {
            parker.park();
            // A token may be old; the list says whether this worker was taken out.
            if !self.sleepers().contains(&worker) {
                return;
            }
        }
    }
}

#[cfg(loom)]
mod models {
    //! What `crossbeam_utils` has, made of what the model checker knows.
    use loom::sync::{Arc, Condvar, Mutex};

    #[derive(Clone)]
    pub struct Unparker(Arc<(Mutex<bool>, Condvar)>);
    pub struct Parker(Unparker);

    impl Parker {
        pub fn new() -> Parker {
            Parker(Unparker(Arc::new((Mutex::new(false), Condvar::new()))))
        }
        pub fn unparker(&self) -> &Unparker {
            &self.0
        }
        pub fn park(&self) {
            let (token, woken) = &*self.0.0;
            let mut token = token.lock().expect("no panic");
            while !*token {
                token = woken.wait(token).expect("no panic");
            }
            *token = false;
        }
    }

    impl Unparker {
        pub fn unpark(&self) {
            let (token, woken) = &*self.0;
            *token.lock().expect("no panic") = true;
            woken.notify_one();
        }
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// A queue in which `taken` pushes have been taken out of `pushed`.
    #[derive(Default)]
    struct Queue {
        ready: AtomicUsize,
    }

    impl Queue {
        fn take(&self) -> bool {
            self.ready
                .fetch_update(Ordering::Acquire, Ordering::Relaxed, |n| n.checked_sub(1))
                .is_ok()
        }
    }

    fn worker(index: usize, parker: Parker, sleep: &Sleep, queue: &Queue, left: &AtomicUsize) {
        sleep.start_search();
        loop {
            if left.load(Ordering::Acquire) == 0 {
                return;
            }
            if queue.take() {
                if sleep.found() && queue.ready.load(Ordering::Relaxed) != 0 {
                    sleep.notify();
                }
                if left.fetch_sub(1, Ordering::AcqRel) == 1 {
                    sleep.wake_all();
                }
                sleep.start_search();
                continue;
            }
            let look =
                || queue.ready.load(Ordering::Relaxed) != 0 || left.load(Ordering::Relaxed) == 0;
            sleep.sleep(index, &parker, look, || {});
        }
    }

    /// Everything that is pushed is taken, though nobody but the pusher wakes anybody: loom
    /// reports a deadlock if a worker sleeps for ever.
    fn all_is_taken(workers: usize, pushes: usize) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(move || {
            let (sleep, parkers) = Sleep::new(workers);
            let shared = Arc::new((sleep, Queue::default(), AtomicUsize::new(pushes)));
            let threads: Vec<_> = parkers
                .into_iter()
                .enumerate()
                .map(|(index, parker)| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || {
                        worker(index, parker, &shared.0, &shared.1, &shared.2);
                    })
                })
                .collect();
            for _ in 0..pushes {
                shared.1.ready.fetch_add(1, Ordering::Release);
                shared.0.notify();
            }
            for thread in threads {
                thread.join().expect("no panic");
            }
        });
    }

    /// A worker that takes one of two pushes does not come back before the other one is taken: then who
    /// searched last has to wake another (S2).
    #[test]
    fn who_found_one_wakes_another_for_the_next() {
        const BOTH: usize = 2;
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let (sleep, parkers) = Sleep::new(BOTH);
            let taken = (loom::sync::Mutex::new(0), loom::sync::Condvar::new());
            let shared = Arc::new((sleep, Queue::default(), taken));
            let threads: Vec<_> = parkers
                .into_iter()
                .enumerate()
                .map(|(index, parker)| {
                    let shared = shared.clone();
                    loom::thread::spawn(move || {
                        let (sleep, queue, (taken, changed)) = &*shared;
                        let more = || queue.ready.load(Ordering::Relaxed) != 0;
                        sleep.start_search();
                        while !queue.take() {
                            sleep.sleep(index, &parker, more, || {});
                        }
                        if sleep.found() && more() {
                            sleep.notify();
                        }
                        let mut taken = taken.lock().expect("no panic");
                        *taken += 1;
                        changed.notify_one();
                        while *taken < BOTH {
                            taken = changed.wait(taken).expect("no panic");
                        }
                    })
                })
                .collect();
            for _ in 0..BOTH {
                shared.1.ready.fetch_add(1, Ordering::Release);
                shared.0.notify();
            }
            for thread in threads {
                thread.join().expect("no panic");
            }
        });
    }

    #[test]
    fn one_worker_takes_everything() {
        all_is_taken(1, 2);
    }

    #[test]
    fn two_workers_take_everything() {
        all_is_taken(2, 1);
    }
}
