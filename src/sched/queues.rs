//! Where ready EDTs are: a deque per worker, an injector for other threads, the pool of EDTs whose
//! place is still open, and those with a priority.
//!
//! A worker takes what it has made ready last, or what has the highest priority. So that every EDT that is
//! ready runs at some time (OCR 1.1.0, 1.4.2), also where EDTs go on making others ready indefinitely (one that
//! creates itself anew until another has run, say), each 61st time, but not more often than every ten
//! milliseconds, it takes what has waited longest in its deque. More often would be harm: where EDTs fork, the
//! oldest is the root of the most, and to begin it is memory. While there are EDTs with a priority, which go
//! before others, a worker does that four times a second at most, in turns in its deque, in the injector, and
//! with what has waited longest of them. The pool is left to the devices, and to workers that have nothing else.

#[cfg(loom)]
use super::models::{Injector, Parker, Stealer, Worker};
use super::sleep::Sleep;
use super::urgent::Urgent;
use crate::object::edt::EdtRef;
use crossbeam_deque::Steal;
#[cfg(not(loom))]
use crossbeam_deque::{Injector, Stealer, Worker};
use crossbeam_utils::CachePadded;
#[cfg(not(loom))]
use crossbeam_utils::sync::Parker;
use ocr_base::sync::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How many EDTs a worker runs from its own deque before it looks at the injector: often enough
/// that what other threads push is not forgotten, seldom enough to cost nothing.
const INJECTOR_INTERVAL: u32 = 61;

/// How long a worker goes on with what is newest, at least.
const FAIRNESS_INTERVAL: Duration = Duration::from_millis(10);
/// How long with what is most urgent.
const URGENT_PATIENCE: Duration = Duration::from_millis(250);

/// How often a worker looks everywhere before it sleeps.
const SEARCH_ROUNDS: u32 = if cfg!(loom) { 1 } else { 24 };

/// A search that has found fewer than `ENOUGH` EDTs is not followed by the next one for `SEARCH_AGAIN`. To steal takes
/// some lines from the worker that is stolen from, and it misses each of them with its next push. Where one
/// worker creates short EDTs, a thief that comes back at once finds one or two each time, and both do little else:
/// 100 ns for an EDT that takes the two 60 where it finds more. A worker that has run long with what it found does not
/// wait.
const ENOUGH: usize = 8;
const SEARCH_AGAIN: Duration = Duration::from_micros(1);

/// The queues that all workers see.
pub(crate) struct Queues {
    injector: Injector<EdtRef>,
    /// EDTs that hold their blocks but are not placed: the first free place takes one.
    pub pool: Injector<EdtRef>,
    /// Whether the placement policy may have an EDT for a worker that finds nothing else.
    offers: AtomicBool,
    /// Ready EDTs with a priority: workers take these first.
    pub urgent: Urgent,
    stealers: Vec<Stealer<EdtRef>>,
    /// Which workers sleep, and how they are woken.
    pub sleep: CachePadded<Sleep>,
}

/// A worker's end of the queues.
pub(crate) struct Local {
    deque: Worker<EdtRef>,
    index: usize,
    parker: Parker,
    random: u32,
    tick: u32,
    /// When it has taken one that has waited longest.
    last_fair_pick: Instant,
    /// Since when there have been EDTs with a priority each time, or it has taken such a one so.
    urgent_since: Option<Instant>,
    /// Which queue the last EDT was taken from that had waited longest, as a number below 3.
    turn: u8,
    /// When its last search has ended, if that has found few.
    backoff_since: Option<Instant>,
}

/// An EDT found by a worker.
pub(crate) enum Found {
    /// The EDT is placed: run it.
    Ready(EdtRef),
    /// The EDT is from the pool: place it here first.
    Unplaced(EdtRef),
}

impl Queues {
    /// Queues for `workers` workers, and each worker's end.
    pub(crate) fn new(workers: usize) -> (Queues, Vec<Local>) {
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
                last_fair_pick: Instant::now(),
                urgent_since: None,
                turn: 0,
                backoff_since: None,
            })
            .collect();
        let stealers = locals.iter().map(|local| local.deque.stealer()).collect();
        (
            Queues {
                injector: Injector::new(),
                pool: Injector::new(),
                offers: AtomicBool::new(false),
                urgent: Urgent::default(),
                stealers,
                sleep: CachePadded::new(sleep),
            },
            locals,
        )
    }

    /// How many workers there are, including those that have given up their seats.
    pub(crate) fn workers(&self) -> usize {
        self.stealers.len()
    }

    /// A ready EDT from a thread that is not a worker.
    pub(crate) fn inject(&self, edt: EdtRef) {
        self.injector.push(edt);
        self.sleep.notify();
    }

    /// Whether any queue holds an EDT.
    pub(crate) fn any_work(&self) -> bool {
        !self.injector.is_empty()
            || !self.pool.is_empty()
            || !self.urgent.is_empty()
            || self.offers()
            || self.stealers.iter().any(|stealer| !stealer.is_empty())
    }

    /// How many EDTs the queues hold; right at a moment when no thread pushes or takes any.
    pub(crate) fn ready(&self) -> usize {
        let of_workers = self.stealers.iter().map(Stealer::len).sum::<usize>();
        of_workers + self.injector.len() + self.pool.len() + self.urgent.len()
    }

    /// What `look` says of each EDT in the queues. No other thread pushes or takes any meanwhile but
    /// the devices; the EDTs of the workers' queues end up in the injector.
    pub(crate) fn look_through<T>(&self, look: impl Fn(EdtRef) -> T) -> Vec<T> {
        let drain = |queue: &dyn Fn() -> Steal<EdtRef>| std::iter::from_fn(|| take(queue)).collect::<Vec<_>>();
        let mut placed = drain(&|| self.injector.steal());
        for stealer in &self.stealers {
            placed.extend(drain(&|| stealer.steal()));
        }
        let unplaced = drain(&|| self.pool.steal());
        let mut seen = self.urgent.look_through(&look);
        seen.extend(placed.iter().chain(&unplaced).map(|&edt| look(edt)));
        placed.into_iter().for_each(|edt| self.injector.push(edt));
        unplaced.into_iter().for_each(|edt| self.pool.push(edt));
        seen
    }

    /// Whether the policy may have an EDT for a worker. Relaxed: a thread that has to be sure looks behind a fence
    /// (`sleep.md`).
    fn offers(&self) -> bool {
        self.offers.load(Ordering::Relaxed)
    }

    /// Says whether the policy may have an EDT for a worker, and wakes one if it has. The policy orders its calls by a
    /// lock of its own.
    pub(crate) fn set_offers(&self, offers: bool) {
        self.offers.store(offers, Ordering::Relaxed);
        if offers {
            self.sleep.notify();
        }
    }

    /// An EDT of the pool.
    pub(crate) fn take_from_pool(&self) -> Option<EdtRef> {
        take(|| self.pool.steal())
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
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Puts a ready EDT where this worker finds it first and others can steal it.
    #[inline]
    pub(crate) fn push(&self, edt: EdtRef) {
        self.deque.push(edt);
    }

    /// Puts all that this worker has where others look for it, before it goes for good. The caller must notify them.
    pub(crate) fn hand_over(&self, queues: &Queues) {
        while let Some(edt) = self.deque.pop() {
            queues.injector.push(edt);
        }
    }

    /// The next EDT without searching: `kept`, if the worker has kept one, or the last pushed.
    #[inline]
    pub(crate) fn next(&mut self, queues: &Queues, kept: Option<EdtRef>) -> Option<EdtRef> {
        self.tick = self.tick.wrapping_add(1);
        let other = if self.tick.is_multiple_of(INJECTOR_INTERVAL) {
            self.longest_waiting(queues).or_else(|| queues.urgent.pop())
        } else {
            queues.urgent.pop()
        };
        if other.is_some() {
            if let Some(kept) = kept {
                self.deque.push(kept);
                queues.sleep.notify();
            }
            return other;
        }
        kept.or_else(|| self.deque.pop())
    }

    /// What would be forgotten otherwise: from the injector, or what has waited long.
    #[cold]
    fn longest_waiting(&mut self, queues: &Queues) -> Option<EdtRef> {
        let now = Instant::now();
        let own = |index: usize| take(|| queues.stealers[index].steal());
        let injected = || take(|| queues.injector.steal());
        if queues.urgent.is_empty() {
            self.urgent_since = None;
            let mut found = None;
            if now.duration_since(self.last_fair_pick) >= FAIRNESS_INTERVAL {
                self.last_fair_pick = now;
                found = own(self.index);
            }
            return found.or_else(injected);
        }
        let since = self.urgent_since.get_or_insert(now);
        if now.duration_since(*since) < URGENT_PATIENCE {
            return None;
        }
        *since = now;
        self.turn = (self.turn + 1) % 3;
        match self.turn {
            0 => own(self.index),
            1 => injected(),
            _ => queues.urgent.pop_oldest(),
        }
    }

    /// Searches, and sleeps between searches, until there is an EDT or `stop` says so. `ask` asks the policy for one.
    /// `asleep` is called each time this worker has fallen asleep.
    pub(crate) fn search(
        &mut self,
        queues: &Queues,
        stop: impl Fn() -> bool,
        ask: impl Fn() -> Option<EdtRef>,
        asleep: impl Fn(),
    ) -> Option<Found> {
        queues.sleep.start_search();
        if let Some(then) = self.backoff_since.take() {
            while then.elapsed() < SEARCH_AGAIN {
                std::hint::spin_loop();
            }
        }
        loop {
            for round in 0..SEARCH_ROUNDS {
                let stopped = stop();
                let found = if stopped { None } else { self.look(queues, &ask) };
                if stopped || found.is_some() {
                    let few = 1 + self.deque.len() < ENOUGH;
                    self.backoff_since = few.then(Instant::now);
                    if queues.sleep.found() && queues.any_work() {
                        queues.sleep.notify();
                    }
                    return found;
                }
                if round < SEARCH_ROUNDS / 2 {
                    std::hint::spin_loop();
                } else {
                    std::thread::yield_now();
                }
            }
            queues.sleep.sleep(self.index, &self.parker, || stop() || queues.any_work(), &asleep);
        }
    }

    fn look(&mut self, queues: &Queues, ask: impl FnOnce() -> Option<EdtRef>) -> Option<Found> {
        if let Some(edt) = queues.urgent.pop() {
            return Some(Found::Ready(edt));
        }
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
        let kept = || queues.offers().then(ask).flatten();
        queues.take_from_pool().or_else(kept).map(Found::Unplaced)
    }
}
