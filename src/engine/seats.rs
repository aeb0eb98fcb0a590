//! Which threads are workers. There are as many *seats* as workers: a seat is an end of the queues
//! ([`Local`]), and the thread that has it runs EDTs.
//!
//! An EDT that waits in a call (`ocrLegacyBlockProgress`) must not take a worker away from the
//! others. Its thread cannot run other EDTs meanwhile on the same stack: what it waits for may come
//! sooner than the end of the EDT on top, which may itself wait for the one below. So it gives its
//! seat to another thread, a *helper*, which is started if none is free. No seat is ever without
//! a thread for longer than that takes, so whatever the EDT waits for is run if it can be.
//!
//! | a thread is | in words | left by |
//! |---|---|---|
//! | seated | it has a seat and runs EDTs, or looks for some | its EDT waits; or there is a crowd, and its EDT ends |
//! | waiting | its EDT waits in a call | being woken: away |
//! | away | its EDT goes on, and it has no seat | the end of the EDT, or waiting again |
//! | spare | it has nothing | getting a seat |
//!
//! A thread that is woken does not wait for a seat, since whoever has one may run for long, or wait
//! for what this thread does next. So for a time there is one more that runs: a *crowd*. The next
//! worker that ends an EDT leaves its seat empty for it and becomes a spare. So seats that are empty
//! are no more than threads that are away; a thread whose EDT ends takes an empty seat.
//!
//! A thread that is away counts as work in flight (`Runtime::in_flight`): it is none of the workers
//! whose sleep says that nothing can happen.
//!
//! # Who waits at the end by looking again and again
//!
//! The run ends when the EDTs that run have ended. One that looks again and again may look for what
//! never comes. It is given up, and its thread stays in the call for ever, when nobody else can do
//! anything for it: the run ends; all threads that run EDTs look so; nothing else is in flight; the
//! process has no thread that may do something unknown to the runtime, by the rule by which hangs are
//! found (`halt.rs`); and since all that was found, each has looked `IN_VAIN` times and none has done
//! anything else. So it has seen whatever others did before they were gone. Threads that wait in a call
//! are told before that nobody satisfies anything any more, and may do something then. What cannot be
//! known is what one EDT does for another between two of its own looks, or whether it would stop by
//! itself; that is what the number is for.

use super::context::Context;
use super::end::{Call, FATAL_STATUS, end_process, fatal, stay};
use super::stack::{self, SignalStack};
use super::{Runtime, worker};
use crate::graph::finish::Closes;
use crate::object::edt::Edt;
use crate::sched::queues::Local;
use crate::sync::dawdle;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{JoinHandle, ThreadId};

/// How often each EDT that waits by looking again and again has to do that before all are given up. More
/// than once, since an EDT may do something for another before it looks again; not often, since each may
/// take its time between two looks.
const IN_VAIN: u32 = 16;

/// Threads of the process, of this run and of earlier ones, that stay in a call for ever.
static GONE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// Whether the runtime has started this thread.
    pub(super) static OF_RUNTIME: Cell<bool> = const { Cell::new(false) };
}

/// Whether a thread runs an EDT without a seat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Away {
    /// It has a seat, or runs no EDT.
    No,
    /// Its EDT has waited and goes on; it is one of the threads that run.
    Back,
    /// Its EDT still waits, by looking again and again (`ocrInformLegacyCodeBlocking`).
    Looking,
}

/// The seats.
#[derive(Default)]
pub struct Seats {
    state: Mutex<State>,
    /// Something has changed in `state` that a thread may wait for, but a spare.
    changed: Condvar,
    /// There is a seat for a spare; one is told for each.
    free: Condvar,
    /// Threads of the runtime, the one that watches included, that have been started and have not ended.
    /// Written with `state` locked, and never more than there are: whoever compares it with the threads
    /// of the process may take one of them for the program's for a moment, but does not miss one of the
    /// program's.
    own: AtomicUsize,
}

#[derive(Default)]
pub(super) struct State {
    empty: Vec<Local>,
    /// Threads that are away and [`Away::Back`].
    back: usize,
    /// Threads that are away and [`Away::Looking`].
    looking: usize,
    /// Spares, and threads that are being started to be some.
    spare: usize,
    threads: Vec<JoinHandle<()>>,
    /// How many of them have not ended, and will.
    running: usize,
    /// Those that never will.
    lost: Vec<ThreadId>,
    /// How many of those have a seat.
    lost_seats: usize,
    vain: Vain,
    /// What `pause.rs` has of this.
    pub(super) pause: super::pause::State,
}

/// How often those that look again and again have done so, at the end of the run.
#[derive(Default)]
struct Vain {
    /// Rounds since anybody else did something; in a round each of them looks at least once.
    rounds: u32,
    /// Whether it was found, before those rounds, that there is nobody else left.
    alone: bool,
    /// The number of the round.
    round: u64,
    /// How many have looked in it.
    looked: usize,
}

impl Vain {
    /// Begins anew, since something has been done.
    fn begin(&mut self) {
        self.next();
        (self.rounds, self.alone) = (0, false);
    }

    fn next(&mut self) {
        self.round += 1;
        self.looked = 0;
        self.rounds += 1;
    }
}

impl State {
    /// Empty seats that no thread which is away will take.
    fn for_spares(&self) -> usize {
        self.empty.len().saturating_sub(self.back)
    }

    /// Threads that run EDTs or may begin to.
    pub(super) fn at_work(&self, runtime: &Runtime) -> usize {
        let seated = runtime.queues.workers() - self.empty.len() - self.lost_seats;
        seated + self.back + self.looking
    }
}

impl Seats {
    /// How many threads of the process are the runtime's, or will never do anything.
    pub fn known(&self) -> usize {
        // In this order: one that is lost is counted here after it has been taken from the others.
        let gone = GONE.load(Ordering::SeqCst);
        gone + self.own.load(Ordering::SeqCst)
    }

    /// Starts and counts a thread that gets no seat.
    pub fn start_other(
        &'static self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let _state = self.state.lock();
        let work = move || {
            OF_RUNTIME.set(true);
            work();
            let _state = self.state.lock();
            self.own.fetch_sub(1, Ordering::SeqCst);
        };
        let thread = std::thread::Builder::new().name(name.into()).spawn(work)?;
        self.own.fetch_add(1, Ordering::SeqCst);
        Ok(thread)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    pub(super) fn wait(&self, state: &mut MutexGuard<'_, State>) {
        self.changed.wait(state);
    }

    /// Has everybody who waits look again, by whoever has the lock.
    pub(super) fn tell(&self, _state: &mut State) {
        self.changed.notify_all();
    }

    /// Has everybody who waits look again.
    pub fn call_all(&self) {
        // Whoever waits has looked under the lock.
        drop(self.state.lock());
        self.changed.notify_all();
        self.free.notify_all();
    }

    /// Does not wait for this thread at the end: it never comes back from the EDT that it runs. If it
    /// is away, it has still to be counted out of the work in flight.
    pub fn lose(&self, thread: ThreadId, away: Away) {
        let mut state = self.state.lock();
        match away {
            Away::No => state.lost_seats += 1,
            Away::Back => state.back -= 1,
            Away::Looking => state.looking -= 1,
        }
        state.running -= 1;
        state.lost.push(thread);
        self.own.fetch_sub(1, Ordering::SeqCst);
        GONE.fetch_add(1, Ordering::SeqCst);
        self.changed.notify_all();
        self.tell_spares(&state);
    }

    /// Waits until all threads have ended, apart from those that never will.
    pub fn join(&self) {
        let mut state = self.state.lock();
        while state.running != 0 {
            self.changed.wait(&mut state);
        }
        let threads = std::mem::take(&mut state.threads);
        let lost = std::mem::take(&mut state.lost);
        drop(state);
        for thread in threads {
            if !lost.contains(&thread.thread().id()) {
                // A worker that panics ends the process instead.
                let _ = thread.join();
            }
        }
    }

    /// Puts an end of the queues on an empty seat, and has a spare take it.
    fn give(&self, runtime: &'static Runtime, state: &mut State, local: Option<Local>) {
        state.empty.extend(local);
        for _ in state.spare..state.for_spares() {
            if runtime.end.is_ending() {
                return;
            }
            if let Err(error) = self.start(runtime, state) {
                fatal(&format!(
                    "no thread can be started to run other EDTs while one waits: {error}. Let fewer \
                     EDTs wait in a call at a time, or let other EDTs depend on what they wait for."
                ));
            }
        }
        self.changed.notify_all();
        self.tell_spares(state);
    }

    /// Tells a spare for each seat that is for one. Called whenever there may be one more, so each of the spares
    /// that could have it has been told, or will look before it sleeps. Only as many: there may be
    /// thousands, of EDTs that have waited for each other.
    fn tell_spares(&self, state: &State) {
        for _ in 0..state.for_spares() {
            self.free.notify_one();
        }
    }

    /// Starts a spare.
    fn start(&self, runtime: &'static Runtime, state: &mut State) -> std::io::Result<()> {
        let number = state.threads.len();
        let name = match number < runtime.queues.workers() {
            true => format!("ocr-worker-{number}"),
            false => format!("ocr-helper-{number}"),
        };
        let work = move || {
            if let Some(local) = runtime.seats.take(runtime) {
                worker::work(runtime, local);
            }
            let mut state = runtime.seats.lock();
            state.running -= 1;
            runtime.seats.own.fetch_sub(1, Ordering::SeqCst);
            runtime.seats.tell(&mut state);
        };
        let thread = std::thread::Builder::new()
            .name(name)
            .stack_size(stack::BYTES)
            .spawn(move || {
                OF_RUNTIME.set(true);
                let _signals = SignalStack::begin();
                // The panic hook has said what happened. Without this worker the program could
                // wait for ever.
                if catch_unwind(AssertUnwindSafe(work)).is_err() {
                    end_process(FATAL_STATUS);
                }
            });
        state.threads.push(thread?);
        self.own.fetch_add(1, Ordering::SeqCst);
        state.running += 1;
        state.spare += 1;
        Ok(())
    }

    /// Starts the workers. The error says how many there are.
    pub fn open(
        &self,
        runtime: &'static Runtime,
        locals: Vec<Local>,
    ) -> Result<(), (usize, std::io::Error)> {
        let mut state = self.state.lock();
        for local in locals {
            state.empty.push(local);
            let before = state.threads.len();
            self.start(runtime, &mut state)
                .map_err(|error| (before, error))?;
        }
        Ok(())
    }

    /// Waits for a seat; `None` at the end. The thread has been counted as a spare.
    fn take(&self, runtime: &Runtime) -> Option<Local> {
        let mut state = self.state.lock();
        while !runtime.end.is_ending() {
            if state.for_spares() != 0 {
                state.spare -= 1;
                return state.empty.pop();
            }
            self.free.wait(&mut state);
        }
        None
    }
}

impl Context {
    /// The EDT that runs on this worker begins to wait: its seat is for another thread.
    pub(super) fn leave_seat(&mut self) {
        dawdle(8);
        let runtime = self.runtime;
        let local = self.local.take();
        let away = std::mem::replace(&mut self.away, Away::No);
        {
            let mut state = runtime.seats.lock();
            state.vain.begin();
            match away {
                Away::No => {}
                Away::Back => state.back -= 1,
                Away::Looking => state.looking -= 1,
            }
            runtime.seats.give(runtime, &mut state, local);
        }
        if away != Away::No {
            runtime.end_outside();
        }
    }

    /// The EDT that has waited goes on, when nobody pauses the runtime. Whoever has woken the thread
    /// has counted it as work in flight.
    pub(super) fn come_back(&mut self) {
        dawdle(8);
        let runtime = self.runtime;
        let mut state = runtime.seats.lock();
        while state.pause.is_on() && !runtime.end.is_ending() {
            runtime.seats.wait(&mut state);
        }
        state.back += 1;
        state.vain.begin();
        self.away = Away::Back;
        if state.back > state.empty.len() {
            runtime.end.call(Call::CROWD);
        }
    }

    /// The EDT, this one, waits by looking again and again: as long as it runs, another thread has its
    /// seat. Does not return once nobody can do anything for it any more.
    pub fn look_again(&mut self, edt: &Edt) {
        let runtime = self.runtime;
        self.stand_still_in_edt();
        if self.away == Away::Looking {
            if runtime.end.is_ending() && self.looks_in_vain() {
                give_up(runtime, edt);
            }
            std::thread::yield_now();
            return;
        }
        self.settle_up();
        let local = self.local.take();
        if local.is_some() {
            runtime.begin_outside();
        }
        let mut state = runtime.seats.lock();
        if self.away == Away::Back {
            // It has gone on without a seat, and does not any more.
            state.back -= 1;
            if state.back <= state.empty.len() {
                runtime.end.uncall(Call::CROWD);
            }
        }
        self.away = Away::Looking;
        state.looking += 1;
        state.vain.begin();
        runtime.seats.give(runtime, &mut state, local);
    }

    /// Whether nobody can do anything for the EDT that looks again, in a run that ends.
    fn looks_in_vain(&mut self) -> bool {
        let runtime = self.runtime;
        let mut state = runtime.seats.lock();
        let looking = state.looking;
        if state.at_work(runtime) != looking {
            state.vain.begin();
            return false;
        }
        let vain = &mut state.vain;
        if self.looked_in != vain.round {
            self.looked_in = vain.round;
            vain.looked += 1;
        }
        if vain.looked >= looking {
            vain.next();
        }
        if vain.rounds < IN_VAIN {
            return false;
        }
        // Those that wait in a call may yet do something, when that ends.
        runtime.waits.cancel_all(runtime);
        if !runtime.is_left_to(looking) {
            vain.begin();
            return false;
        }
        if !vain.alone {
            // Whoever was there until now may have done something at the last moment.
            vain.begin();
            vain.alone = true;
            return false;
        }
        true
    }

    /// A worker between two EDTs makes room if there is a crowd. True if it has no seat any more.
    pub(super) fn make_room(&mut self) -> bool {
        let runtime = self.runtime;
        self.settle_up();
        let mut state = runtime.seats.lock();
        if state.back <= state.empty.len() {
            runtime.end.uncall(Call::CROWD);
            return false;
        }
        if let Some(local) = self.local.take() {
            if let Some(next) = self.next.take() {
                local.push(next);
                // Whoever has the seat next may be long in coming.
                runtime.queues.sleep.notify();
            }
            state.empty.push(local);
        }
        if state.back <= state.empty.len() {
            runtime.end.uncall(Call::CROWD);
        }
        runtime.seats.tell(&mut state);
        true
    }

    /// A thread without a seat whose EDT has ended waits for one. False at the end.
    pub(super) fn find_seat(&mut self) -> bool {
        let runtime = self.runtime;
        self.settle_up();
        let away = std::mem::replace(&mut self.away, Away::No);
        if away != Away::No {
            let mut state = runtime.seats.lock();
            state.vain.begin();
            match away {
                Away::Back => state.back -= 1,
                _ => state.looking -= 1,
            }
            if state.for_spares() != 0 {
                self.local = state.empty.pop();
            }
            if state.back <= state.empty.len() {
                runtime.end.uncall(Call::CROWD);
            }
            runtime.seats.tell(&mut state);
            runtime.seats.tell_spares(&state);
            drop(state);
            runtime.end_outside();
        }
        if self.local.is_none() {
            runtime.seats.lock().spare += 1;
            self.local = runtime.seats.take(runtime);
        }
        self.local.is_some()
    }

    /// This thread runs no EDTs any more, since the program ends. A thread of the program may wait
    /// for what the last one leads to.
    pub(super) fn close_seat(&mut self) {
        let runtime = self.runtime;
        self.settle_up();
        {
            let mut state = runtime.seats.lock();
            state.vain.begin();
            state.empty.extend(self.local.take());
        }
        runtime.cancel_if_over();
    }

    /// Gives back what the thread holds of finish scopes and blocks for the EDTs that it runs: nobody
    /// is to wait for that while it does not.
    pub(super) fn settle_up(&mut self) {
        self.give_credit_back();
        self.end_leases(None);
        self.work_off();
    }
}

/// Leaves an EDT that looks again in vain where it is: the run ends without it.
fn give_up(runtime: &'static Runtime, edt: &Edt) -> ! {
    tell!(
        "ocr: warning: the run ends without EDT {} ({}): it waits with ocrInformLegacyCodeBlocking, and \
         nothing is left that could end that. Let it also look whether the program ends, or call \
         ocrShutdown after it has ended.",
        edt.guid(),
        edt.work().name
    );
    let keeper = Runtime::current();
    runtime
        .seats
        .lose(std::thread::current().id(), Away::Looking);
    runtime.end_outside();
    runtime.cancel_if_over();
    stay(keeper)
}
