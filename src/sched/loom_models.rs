//! Workers that search, sleep and steal, by the functions that they do it with.

use super::queues::{Found, Local, Queues};
use crate::object::edt::EdtRef;
use loom::sync::atomic::{AtomicBool, AtomicUsize};
use loom::sync::{Arc, Condvar, Mutex};
use std::sync::atomic::Ordering;

/// An EDT that is a number, and is never looked into.
fn edt(number: usize) -> EdtRef {
    // SAFETY: the number comes from no `token`, but the reference is only passed on: the model never looks at an EDT.
    unsafe { EdtRef::from_token(number) }
}

fn number(found: &Found) -> usize {
    match found {
        Found::Ready(edt) | Found::Unplaced(edt) => edt.token(),
    }
}

struct Shared {
    queues: Queues,
    left: AtomicUsize,
}

impl Shared {
    fn has_ended(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }

    /// What a worker does (`engine/workers/worker.rs`), with EDTs of which those up to `forks` make another ready.
    fn work(&self, mut local: Local, forks: usize) {
        let queues = &self.queues;
        loop {
            let next = local.next(queues, None).map(Found::Ready);
            let search = || local.search(queues, || self.has_ended(), || None, || {});
            let Some(found) = next.or_else(search) else {
                return;
            };
            if (1..=forks).contains(&number(&found)) {
                local.push(edt(100));
                queues.sleep.notify();
            }
            if self.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                queues.sleep.wake_all();
            }
        }
    }
}

/// `workers` workers run `pushed` EDTs of another thread, the first `forks` of which make others ready. Only a thread
/// that makes an EDT ready wakes a worker: loom reports a deadlock if a worker sleeps indefinitely.
fn all_run(workers: usize, pushed: usize, forks: usize, push: fn(&Queues, EdtRef)) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let (queues, locals) = Queues::new(workers);
        let left = AtomicUsize::new(pushed + forks);
        let shared = Arc::new(Shared { queues, left });
        let threads: Vec<_> = locals
            .into_iter()
            .map(|local| {
                let shared = shared.clone();
                loom::thread::spawn(move || shared.work(local, forks))
            })
            .collect();
        for number in 1..=pushed {
            push(&shared.queues, edt(number));
        }
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
}

#[test]
fn one_worker_runs_what_is_injected() {
    all_run(1, 2, 0, Queues::inject);
}

#[test]
fn two_workers_run_what_is_injected() {
    all_run(2, 1, 0, Queues::inject);
}

#[test]
fn two_workers_run_what_one_of_them_makes_ready() {
    all_run(2, 1, 1, Queues::inject);
}

#[test]
fn one_worker_runs_what_comes_into_the_pool() {
    all_run(1, 2, 0, |queues, edt| {
        queues.pool.push(edt);
        queues.sleep.notify();
    });
}

#[test]
fn one_worker_runs_what_has_a_priority() {
    all_run(1, 2, 0, |queues, edt| {
        queues.urgent.push(edt, 1);
        queues.sleep.notify();
    });
}

/// A worker that takes one of two EDTs does not come back before the other one is taken. Then the worker that searched
/// last has to wake another (S2).
#[test]
fn who_found_one_wakes_another_for_the_next() {
    const BOTH: usize = 2;
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let (queues, locals) = Queues::new(BOTH);
        let shared = Arc::new((queues, Mutex::new(0), Condvar::new()));
        let threads: Vec<_> = locals
            .into_iter()
            .map(|mut local| {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let (queues, taken, changed) = &*shared;
                    assert!(local.search(queues, || false, || None, || {}).is_some());
                    let mut taken = taken.lock().expect("no panic");
                    *taken += 1;
                    changed.notify_one();
                    while *taken < BOTH {
                        taken = changed.wait(taken).expect("no panic");
                    }
                })
            })
            .collect();
        for number in 1..=BOTH {
            shared.0.inject(edt(number));
        }
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
}

/// A policy that keeps EDTs and offers them: a worker that has been refused, and sleeps, is woken when there is one
/// again (`Queues::set_offers`). The lock is the policy's.
fn what_is_offered_is_taken_by(workers: usize, offered: usize) {
    struct Offered {
        queues: Queues,
        kept: Mutex<usize>,
        left: AtomicUsize,
    }
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(move || {
        let (queues, locals) = Queues::new(workers);
        let left = AtomicUsize::new(offered);
        let kept = Mutex::new(0);
        let shared = Arc::new(Offered { queues, kept, left });
        let threads: Vec<_> = locals
            .into_iter()
            .map(|mut local| {
                let shared = shared.clone();
                loom::thread::spawn(move || {
                    let ask = || {
                        let mut kept = shared.kept.lock().expect("no panic");
                        let taken = (*kept > 0).then(|| edt(*kept));
                        *kept -= usize::from(taken.is_some());
                        shared.queues.set_offers(*kept > 0);
                        taken
                    };
                    let has_ended = || shared.left.load(Ordering::Relaxed) == 0;
                    while local.search(&shared.queues, has_ended, ask, || {}).is_some() {
                        if shared.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                            shared.queues.sleep.wake_all();
                        }
                    }
                })
            })
            .collect();
        for _ in 0..offered {
            let mut kept = shared.kept.lock().expect("no panic");
            *kept += 1;
            shared.queues.set_offers(true);
        }
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
}

#[test]
fn one_worker_takes_what_is_offered() {
    what_is_offered_is_taken_by(1, 2);
}

#[test]
fn two_workers_take_what_is_offered() {
    what_is_offered_is_taken_by(2, 1);
}

/// Workers of which some give up their seats, and the number of the first one that does.
struct Limited {
    shared: Shared,
    limit: AtomicUsize,
    /// Whether the workers are called, as by `Interrupt::RETIRE`.
    is_called: AtomicBool,
}

impl Limited {
    /// The steps of `Seats::limit_to` (`engine/state/seats/handover.rs`).
    fn limit_to(&self, workers: usize) {
        let sleep = &self.shared.queues.sleep;
        self.limit.store(workers, Ordering::SeqCst);
        self.is_called.store(true, Ordering::SeqCst);
        sleep.wake_all();
        sleep.notify();
    }

    /// What a worker does that may have to give up its seat (`engine/workers/worker.rs`, `Context::retire`). EDT 1
    /// makes another one ready.
    fn work(&self, mut local: Local) {
        let (shared, index) = (&self.shared, local.index());
        let queues = &shared.queues;
        let retires = || self.is_called.load(Ordering::Relaxed) && index >= self.limit.load(Ordering::SeqCst);
        loop {
            if retires() {
                local.hand_over(queues);
                queues.sleep.notify();
                return;
            }
            let stop = || shared.has_ended() || retires();
            let next = local.next(queues, None).map(Found::Ready);
            let found = next.or_else(|| local.search(queues, stop, || None, || {}));
            let Some(found) = found else {
                if shared.has_ended() {
                    return;
                }
                continue;
            };
            if number(&found) == 1 {
                local.push(edt(100));
                queues.sleep.notify();
            }
            if shared.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                queues.sleep.wake_all();
            }
        }
    }
}

/// One of two workers gives up its seat while `left` EDTs are left to run. `own` is in its queue, EDT 1 makes another
/// one ready, and `injected` comes from elsewhere just before.
fn who_is_left_runs_all(own: Option<usize>, injected: Option<usize>, left: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let (queues, locals) = Queues::new(2);
        let left = AtomicUsize::new(left);
        let limited = Arc::new(Limited {
            shared: Shared { queues, left },
            limit: AtomicUsize::new(2),
            is_called: AtomicBool::new(false),
        });
        if let (Some(number), Some(local)) = (own, locals.last()) {
            local.push(edt(number));
        }
        let threads: Vec<_> = locals
            .into_iter()
            .map(|local| {
                let limited = limited.clone();
                loom::thread::spawn(move || limited.work(local))
            })
            .collect();
        if let Some(number) = injected {
            limited.shared.queues.inject(edt(number));
        }
        limited.limit_to(1);
        for thread in threads {
            thread.join().expect("no panic");
        }
    });
}

#[test]
fn who_gives_up_a_seat_leaves_its_edts_to_the_others() {
    who_is_left_runs_all(Some(1), None, 2);
}

#[test]
fn who_gives_up_a_seat_leaves_the_search_to_the_others() {
    who_is_left_runs_all(None, Some(2), 1);
}

/// Workers of which one gives up its seat and gets one back: `state` of `engine/state/seats.rs`.
struct Seated {
    shared: Shared,
    limit: AtomicUsize,
    /// Whether the workers are called, as by `Interrupt::RETIRE` and `Interrupt::END`.
    is_called: AtomicBool,
    ends: AtomicBool,
    state: Mutex<SeatLists>,
    free: Condvar,
    /// How many EDTs have been taken by now, of those that wait for each other.
    taken: Mutex<usize>,
    changed: Condvar,
    /// So many EDTs go on only when all of them have been taken.
    together: usize,
}

#[derive(Default)]
struct SeatLists {
    empty: Vec<Local>,
    retired: Vec<Local>,
}

impl Seated {
    /// The steps of `Seats::limit_to`.
    fn limit_to(&self, workers: usize) {
        {
            let mut state = self.state.lock().expect("no panic");
            self.limit.store(workers, Ordering::SeqCst);
            self.is_called.store(true, Ordering::SeqCst);
            let is_one = |local: &Local| local.index() >= workers;
            let (gone, empty) = std::mem::take(&mut state.empty).into_iter().partition(is_one);
            state.empty = empty;
            for local in gone {
                self.retire(&mut state, local);
            }
            let (retired, back): (Vec<Local>, _) = std::mem::take(&mut state.retired).into_iter().partition(is_one);
            state.retired = retired;
            state.empty.extend(back);
            for _ in 0..state.empty.len() {
                self.free.notify_one();
            }
            self.uncall(&state);
        }
        let sleep = &self.shared.queues.sleep;
        sleep.wake_all();
        sleep.notify();
    }

    fn retire(&self, state: &mut SeatLists, local: Local) {
        local.hand_over(&self.shared.queues);
        state.retired.push(local);
        self.uncall(state);
    }

    fn uncall(&self, state: &SeatLists) {
        if state.retired.len() >= 2 - self.limit.load(Ordering::SeqCst) {
            self.is_called.store(false, Ordering::SeqCst);
        }
    }

    /// The steps of `End::call` at the end, with `Seats::call_all`.
    fn end(&self) {
        self.ends.store(true, Ordering::SeqCst);
        self.shared.queues.sleep.wake_all();
        drop(self.state.lock().expect("no panic"));
        self.free.notify_all();
    }

    /// `Context::retire`: leaves the thread without its seat where that is one of those that are too many.
    fn gives_up(&self, seat: &mut Option<Local>) {
        let is_one = |local: &Local| local.index() >= self.limit.load(Ordering::SeqCst);
        let Some(local) = seat.take_if(|local| is_one(local)) else {
            return;
        };
        let mut state = self.state.lock().expect("no panic");
        if is_one(&local) {
            self.retire(&mut state, local);
            drop(state);
            self.shared.queues.sleep.notify();
        } else {
            *seat = Some(local);
        }
    }

    /// `Seats::take`.
    fn take(&self) -> Option<Local> {
        let mut state = self.state.lock().expect("no panic");
        while !self.ends.load(Ordering::SeqCst) {
            if let Some(local) = state.empty.pop() {
                return Some(local);
            }
            state = self.free.wait(state).expect("no panic");
        }
        None
    }

    /// What a worker does (`engine/workers/worker.rs`). Returns the seat that it has at the end.
    fn work(&self, local: Local) -> Option<Local> {
        let queues = &self.shared.queues;
        let mut seat = Some(local);
        while !self.ends.load(Ordering::SeqCst) {
            if self.is_called.load(Ordering::Relaxed) {
                self.gives_up(&mut seat);
            }
            let Some(local) = &mut seat else {
                seat = self.take();
                continue;
            };
            let index = local.index();
            let retires = || self.is_called.load(Ordering::Relaxed) && index >= self.limit.load(Ordering::SeqCst);
            let stop = || self.ends.load(Ordering::Relaxed) || retires();
            let next = local.next(queues, None).map(Found::Ready);
            if next.or_else(|| local.search(queues, stop, || None, || {})).is_none() {
                continue;
            }
            let mut taken = self.taken.lock().expect("no panic");
            *taken += 1;
            self.changed.notify_all();
            while *taken < self.together {
                taken = self.changed.wait(taken).expect("no panic");
            }
            drop(taken);
            if self.shared.left.fetch_sub(1, Ordering::AcqRel) == 1 {
                self.end();
            }
        }
        seat
    }
}

/// One of two workers gives up its seat, or is about to, and gets it back, while EDTs come: `before` of them before
/// that, `meanwhile` while the seat is not there, and `behind` afterwards. `together` of them wait for each other, so
/// that both workers are needed. The one that runs the last EDT ends the run.
fn seats_come_back([before, meanwhile, behind]: [usize; 3], together: usize) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let (queues, locals) = Queues::new(2);
        let left = AtomicUsize::new(before + meanwhile + behind);
        let seated = Arc::new(Seated {
            shared: Shared { queues, left },
            limit: AtomicUsize::new(2),
            is_called: AtomicBool::new(false),
            ends: AtomicBool::new(false),
            state: Mutex::new(SeatLists::default()),
            free: Condvar::new(),
            taken: Mutex::new(0),
            changed: Condvar::new(),
            together,
        });
        let threads: Vec<_> = locals
            .into_iter()
            .map(|local| {
                let seated = seated.clone();
                loom::thread::spawn(move || seated.work(local))
            })
            .collect();
        let push = |edts: usize| (0..edts).for_each(|_| seated.shared.queues.inject(edt(1)));
        push(before);
        seated.limit_to(1);
        push(meanwhile);
        seated.limit_to(2);
        push(behind);
        let had: Vec<_> = threads.into_iter().filter_map(|thread| thread.join().expect("no panic")).collect();
        let state = seated.state.lock().expect("no panic");
        assert_eq!(had.len() + state.empty.len() + state.retired.len(), 2, "no seat is lost");
        assert_eq!(seated.shared.left.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn a_seat_that_comes_back_has_a_worker_again() {
    seats_come_back([0, 0, 2], 2);
}

#[test]
fn what_comes_while_a_seat_is_lent_runs() {
    seats_come_back([0, 1, 0], 0);
}

#[test]
fn what_waits_for_each_other_runs_when_a_seat_comes_back() {
    seats_come_back([1, 1, 0], 2);
}

#[test]
fn a_run_ends_while_seats_go_and_come_back() {
    seats_come_back([1, 0, 0], 0);
}
