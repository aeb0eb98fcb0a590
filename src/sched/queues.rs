//! Where ready EDTs are: a deque per worker, an injector for other threads, and the pool of EDTs
//! whose place is still open.

use super::sleep::Sleep;
use crate::object::edt::EdtRef;
use crossbeam_deque::{Injector, Steal, Stealer, Worker};
use crossbeam_epoch::LocalHandle;
use crossbeam_utils::sync::Parker;
use std::sync::atomic::{AtomicPtr, Ordering};

/// How many EDTs a worker runs from its own deque before it looks at the injector: often enough
/// that what other threads push is not forgotten, seldom enough to cost nothing.
const INJECTOR_INTERVAL: u32 = 61;

/// How often a worker looks everywhere before it sleeps.
const SEARCH_ROUNDS: u32 = 24;

/// The queues that all workers see.
pub struct Queues {
    injector: Injector<EdtRef>,
    /// EDTs that hold their blocks but are not placed: the first free place takes one.
    pub pool: Injector<EdtRef>,
    stealers: Vec<Stealer<EdtRef>>,
    /// Who sleeps.
    pub sleep: Sleep,
}

/// A worker's end of the queues.
pub struct Local {
    deque: Worker<EdtRef>,
    index: usize,
    parker: Parker,
    random: u32,
    tick: u32,
}

/// An EDT found by a worker.
pub enum Found {
    /// It is placed: run it.
    Ready(EdtRef),
    /// It is from the pool: place it here first.
    Unplaced(EdtRef),
}

impl Queues {
    /// Queues for so many workers, and each worker's end.
    pub fn new(workers: usize) -> (Queues, Vec<Local>) {
        let (sleep, parkers) = Sleep::new(workers);
        let locals: Vec<Local> = parkers
            .into_iter()
            .enumerate()
            .map(|(index, parker)| Local {
                deque: Worker::new_lifo(),
                index,
                parker,
                random: index as u32 + 1,
                tick: 0,
            })
            .collect();
        let stealers = locals.iter().map(|local| local.deque.stealer()).collect();
        (
            Queues {
                injector: Injector::new(),
                pool: Injector::new(),
                stealers,
                sleep,
            },
            locals,
        )
    }

    /// Number of workers.
    pub fn workers(&self) -> usize {
        self.stealers.len()
    }

    /// A ready EDT from a thread that is not a worker.
    pub fn inject(&self, edt: EdtRef) {
        self.injector.push(edt);
        self.sleep.notify();
    }

    /// Whether any queue holds an EDT.
    pub fn any_work(&self) -> bool {
        !self.injector.is_empty()
            || !self.pool.is_empty()
            || self.stealers.iter().any(|stealer| !stealer.is_empty())
    }

    /// An EDT of the pool.
    pub fn take_from_pool(&self) -> Option<EdtRef> {
        take(|| self.pool.steal())
    }
}

/// Frees what the deques left for later: buffers that they have outgrown, and the records of worker
/// threads that have ended. Called when no worker is left.
pub fn reclaim() {
    /// How often garbage has to be looked at until it is surely old enough.
    const ROUNDS: u32 = 16;
    static KEEPER: AtomicPtr<LocalHandle> = AtomicPtr::new(std::ptr::null_mut());
    // The one record that is left belongs to this handle, which is never dropped: that of a thread
    // that has ended would look like a leak to tools that search memory for pointers.
    if KEEPER.load(Ordering::Acquire).is_null() {
        let keeper = Box::into_raw(Box::new(crossbeam_epoch::default_collector().register()));
        KEEPER.store(keeper, Ordering::Release);
    }
    // SAFETY: made above, and never freed. One thread ends a runtime at a time.
    let keeper = unsafe { &*KEEPER.load(Ordering::Acquire) };
    for _ in 0..ROUNDS {
        keeper.pin().flush();
    }
}

fn take(mut steal: impl FnMut() -> Steal<EdtRef>) -> Option<EdtRef> {
    loop {
        match steal() {
            Steal::Success(edt) => return Some(edt),
            Steal::Empty => return None,
            Steal::Retry => std::hint::spin_loop(),
        }
    }
}

impl Local {
    /// The number of this worker.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Puts a ready EDT where this worker finds it first and others can steal it.
    #[inline]
    pub fn push(&self, edt: EdtRef) {
        self.deque.push(edt);
    }

    /// The next EDT without searching: `kept`, if the worker has kept one, or the last pushed.
    #[inline]
    pub fn next(&mut self, queues: &Queues, kept: Option<EdtRef>) -> Option<EdtRef> {
        self.tick = self.tick.wrapping_add(1);
        if self.tick.is_multiple_of(INJECTOR_INTERVAL)
            && let Some(edt) = take(|| queues.injector.steal())
        {
            if let Some(kept) = kept {
                self.deque.push(kept);
            }
            return Some(edt);
        }
        kept.or_else(|| self.deque.pop())
    }

    /// Searches, and sleeps between searches, until there is an EDT or `stop` says so. `asleep` is
    /// called each time this worker has fallen asleep.
    pub fn search(
        &mut self,
        queues: &Queues,
        stop: impl Fn() -> bool,
        asleep: impl Fn(),
    ) -> Option<Found> {
        queues.sleep.start_search();
        loop {
            for round in 0..SEARCH_ROUNDS {
                if stop() {
                    let _ = queues.sleep.found();
                    return None;
                }
                if let Some(found) = self.look(queues) {
                    if queues.sleep.found() && queues.any_work() {
                        queues.sleep.notify();
                    }
                    return Some(found);
                }
                match round < SEARCH_ROUNDS / 2 {
                    true => std::hint::spin_loop(),
                    false => std::thread::yield_now(),
                }
            }
            queues.sleep.sleep(
                self.index,
                &self.parker,
                || stop() || queues.any_work(),
                &asleep,
            );
        }
    }

    fn look(&mut self, queues: &Queues) -> Option<Found> {
        if let Some(edt) = take(|| queues.injector.steal_batch_and_pop(&self.deque)) {
            return Some(Found::Ready(edt));
        }
        // xorshift: the first victim should differ from thief to thief and from time to time.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 17;
        self.random ^= self.random << 5;
        let workers = queues.workers();
        let start = self.random as usize % workers;
        for victim in (0..workers).map(|offset| (start + offset) % workers) {
            if victim == self.index {
                continue;
            }
            if let Some(edt) = take(|| queues.stealers[victim].steal_batch_and_pop(&self.deque)) {
                return Some(Found::Ready(edt));
            }
        }
        queues.take_from_pool().map(Found::Unplaced)
    }
}
