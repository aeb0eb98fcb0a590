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

use super::context::Context;
use super::end::{Call, FATAL_STATUS, end_process, fatal};
use super::halt::threads_of_process;
use super::{Runtime, worker};
use crate::sched::queues::Local;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{JoinHandle, ThreadId};

/// EDTs run on the workers' stacks; programs put arrays there as they do in `main`. Only what is
/// touched takes memory.
const STACK_BYTES: usize = 16 << 20;

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
    /// Something has changed in `state` that a thread may wait for.
    changed: Condvar,
    /// Threads started for the runtime, the one that watches included. Written with `state` locked,
    /// and never more than there are: whoever compares it with the threads of the process may take
    /// one of them for the program's for a moment, but does not miss one of the program's.
    started: AtomicUsize,
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
    lost: Vec<ThreadId>,
    /// What `pause.rs` has of this.
    pub(super) pause: super::pause::State,
}

impl State {
    /// Threads that run EDTs or may begin to.
    pub(super) fn at_work(&self, runtime: &Runtime) -> usize {
        let seated = runtime.queues.workers() - self.empty.len();
        seated + self.back + self.looking - self.lost.len()
    }
}

impl Seats {
    /// How many threads have been started for the runtime.
    pub fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }

    /// How many threads the process has besides them; `None` if the system does not say.
    pub fn others(&self) -> Option<usize> {
        // None is started meanwhile.
        let _state = self.state.lock();
        Some(threads_of_process()?.saturating_sub(self.started()))
    }

    /// Starts and counts a thread that gets no seat.
    pub fn start_other(
        &self,
        name: &str,
        work: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<JoinHandle<()>> {
        let _state = self.state.lock();
        let thread = std::thread::Builder::new().name(name.into()).spawn(work)?;
        self.started.fetch_add(1, Ordering::SeqCst);
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
    }

    /// Does not wait for this thread at the end.
    pub fn lose(&self, thread: ThreadId) {
        self.state.lock().lost.push(thread);
    }

    /// Waits until all threads have ended, apart from those that never will.
    pub fn join(&self) {
        loop {
            let (thread, lost) = {
                let mut state = self.state.lock();
                let Some(thread) = state.threads.pop() else {
                    return;
                };
                let lost = state.lost.contains(&thread.thread().id());
                (thread, lost)
            };
            if !lost {
                // A worker that panics ends the process instead.
                let _ = thread.join();
            }
        }
    }

    /// Puts an end of the queues on an empty seat, and has a spare take it.
    fn give(&self, runtime: &'static Runtime, state: &mut State, local: Option<Local>) {
        state.empty.extend(local);
        let wanted = state.empty.len().saturating_sub(state.back);
        // Each of the spares has been told, or will look before it sleeps.
        for _ in state.spare..wanted {
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
        };
        let thread = std::thread::Builder::new()
            .name(name)
            .stack_size(STACK_BYTES)
            .spawn(move || {
                // The panic hook has said what happened. Without this worker the program could
                // wait for ever.
                if catch_unwind(AssertUnwindSafe(work)).is_err() {
                    end_process(FATAL_STATUS);
                }
            });
        state.threads.push(thread?);
        self.started.fetch_add(1, Ordering::SeqCst);
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
            if state.empty.len() > state.back {
                state.spare -= 1;
                return state.empty.pop();
            }
            self.changed.wait(&mut state);
        }
        None
    }
}

impl Context {
    /// The EDT that runs on this worker begins to wait: its seat is for another thread.
    pub(super) fn leave_seat(&mut self) {
        let runtime = self.runtime;
        let local = self.local.take();
        let away = std::mem::replace(&mut self.away, Away::No);
        {
            let mut state = runtime.seats.lock();
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
        let runtime = self.runtime;
        let mut state = runtime.seats.lock();
        while state.pause.is_on() && !runtime.end.is_ending() {
            runtime.seats.wait(&mut state);
        }
        state.back += 1;
        self.away = Away::Back;
        if state.back > state.empty.len() {
            runtime.end.call(Call::CROWD);
        }
    }

    /// The EDT waits by looking again and again: as long as it runs, another thread has its seat.
    pub fn look_again(&mut self) {
        let runtime = self.runtime;
        self.stand_still_in_edt();
        if self.local.is_none() {
            std::thread::yield_now();
            return;
        }
        self.settle_up();
        runtime.begin_outside();
        self.away = Away::Looking;
        let local = self.local.take();
        let mut state = runtime.seats.lock();
        state.looking += 1;
        runtime.seats.give(runtime, &mut state, local);
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
            match away {
                Away::Back => state.back -= 1,
                _ => state.looking -= 1,
            }
            if state.empty.len() > state.back {
                self.local = state.empty.pop();
            }
            if state.back <= state.empty.len() {
                runtime.end.uncall(Call::CROWD);
            }
            runtime.seats.changed.notify_all();
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
        runtime.seats.lock().empty.extend(self.local.take());
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
