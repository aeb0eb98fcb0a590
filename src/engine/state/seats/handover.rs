//! How seats change hands: workers are started, threads take seats and leave them to others, and seats are given up and
//! come back.

use super::{FUTILE_POLLS, OF_RUNTIME, SeatState, Seats};
use crate::config::Bind;
use crate::cores::CoreSet;
use crate::engine::state::end::{FATAL_STATUS, Interrupt};
use crate::engine::state::fatal::{end_process, fatal};
use crate::engine::state::runtime::Runtime;
use crate::sched::queues::Local;
use crate::stack;
use crate::stack::SignalStack;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl SeatState {
    /// Threads that run EDTs or may begin to.
    pub(crate) fn at_work(&self, runtime: &Runtime) -> usize {
        let seated = runtime.workers_left() - self.empty.len() - self.lost_seats;
        seated + self.back + self.looking
    }
}

impl Seats {
    /// In a run that ends: whether no thread runs an EDT any more, but for those that look again and again, in vain.
    pub(crate) fn rest_at_end(&self, runtime: &Runtime) -> bool {
        let state = self.state.lock();
        state.at_work(runtime) == state.looking && (state.looking == 0 || state.vain.rounds >= FUTILE_POLLS)
    }

    /// Has so many seats at most: gives up others, those that nobody has now at once, and the rest when the workers
    /// come by that have them. Seats that were given up come back, where there may be more again.
    pub(crate) fn limit_to(&self, runtime: &Runtime, workers: usize) {
        let workers = workers.min(runtime.queues.workers());
        if workers == self.limit().min(runtime.queues.workers()) {
            return;
        }
        {
            let mut state = self.state.lock();
            self.limit.store(workers, Ordering::SeqCst);
            runtime.end.call(Interrupt::RETIRE);
            let is_one = |local: &Local| local.index() >= workers;
            let (gone, empty) = std::mem::take(&mut state.empty).into_iter().partition(is_one);
            state.empty = empty;
            for local in gone {
                self.retire(runtime, &mut state, local);
            }
            self.bring_back(runtime, &mut state);
            if state.back > state.empty.len() {
                runtime.end.call(Interrupt::OVERSUBSCRIBED);
            }
        }
        // Workers that sleep look up, and see whether they are too many. A worker that gets onto the list of sleepers
        // later has its lock after this thread. So it sees the call and the limit when it looks for the last time.
        runtime.queues.sleep.wake_all();
        runtime.queues.sleep.notify();
    }

    /// Seats that are not too many any more are empty ones again. Each was given up by a thread that is a spare since
    /// then, or is about to look for a seat behind the lock, or it had waited for a spare. So there is a thread for
    /// each.
    fn bring_back(&self, runtime: &Runtime, state: &mut SeatState) {
        let limit = self.limit();
        let (retired, back): (Vec<_>, Vec<_>) =
            std::mem::take(&mut state.retired).into_iter().partition(|(local, _)| local.index() >= limit);
        state.retired = retired;
        if !back.is_empty() {
            state.stood += back.iter().map(|(_, since)| since.elapsed()).sum::<Duration>();
            state.empty.extend(back.into_iter().rev().map(|(local, _)| local));
            // Once it counts, a seat is there for a thread: nobody takes the workers that are left for all.
            self.retired.store(state.retired.len(), Ordering::SeqCst);
            self.notify(state);
            self.notify_spares(state);
        }
        self.uncall_retired(runtime);
    }

    /// Workers do not look any more where as many seats have been given up as must be.
    fn uncall_retired(&self, runtime: &Runtime) {
        let all = runtime.queues.workers();
        if self.retired() >= all - self.limit().min(all) {
            runtime.end.uncall(Interrupt::RETIRE);
        }
    }

    /// Gives up a seat. The caller then wakes a worker for what was in its queue, and sees whether all sleep.
    pub(crate) fn retire(&self, runtime: &Runtime, state: &mut SeatState, local: Local) {
        local.hand_over(&runtime.queues);
        state.retired.push((local, Instant::now()));
        self.retired.fetch_add(1, Ordering::SeqCst);
        self.uncall_retired(runtime);
        self.notify(state);
    }

    /// Starts the workers, each of which calls `work` with its end of the queues, and waits until all have begun: the C
    /// library ends a process in which there is no memory for a thread that begins, and the program may use all there
    /// is. The error says how many there are.
    pub(crate) fn open(&self, runtime: &'static Runtime, locals: Vec<Local>) -> Result<(), (usize, std::io::Error)> {
        let mut state = self.state.lock();
        if *runtime.settings.bind == Bind::Cores
            && let Ok(cores) = CoreSet::of_thread(0)
        {
            state.pins = cores.spread();
        }
        let all = state.begun + locals.len();
        for local in locals {
            state.empty.push(local);
            let before = state.threads.len();
            self.start(runtime, &mut state).map_err(|error| (before, error))?;
        }
        while state.begun < all {
            self.changed.wait(&mut state);
        }
        Ok(())
    }

    /// Waits for a seat; `None` at the end. The thread has been counted as a spare.
    pub(crate) fn take(&self, runtime: &Runtime) -> Option<Local> {
        let mut state = self.state.lock();
        while !runtime.end.is_ending() {
            if state.for_spares() != 0 {
                state.spare -= 1;
                return state.sit_down();
            }
            self.free.wait(&mut state);
        }
        None
    }

    /// Puts an end of the queues on an empty seat, and has a spare take it.
    pub(crate) fn give(&self, runtime: &'static Runtime, state: &mut SeatState, local: Option<Local>) {
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
        self.notify_spares(state);
    }

    /// Starts a thread that waits for an empty seat.
    fn start(&self, runtime: &'static Runtime, state: &mut SeatState) -> std::io::Result<()> {
        let number = state.threads.len();
        let name = if number < runtime.queues.workers() {
            format!("ocr-worker-{number}")
        } else {
            format!("ocr-helper-{number}")
        };
        let work = move || {
            runtime.seats.arrive();
            if let Some(local) = runtime.seats.take(runtime) {
                (runtime.work)(runtime, local);
            }
            let mut state = runtime.seats.lock();
            // SAFETY: `gettid` has no preconditions.
            let number = unsafe { libc::gettid() };
            state.numbers.retain(|&(other, _)| other != number);
            state.running -= 1;
            runtime.seats.own.fetch_sub(1, Ordering::SeqCst);
            runtime.seats.notify(&mut state);
        };
        let thread = std::thread::Builder::new().name(name).stack_size(stack::BYTES).spawn(move || {
            OF_RUNTIME.set(true);
            let _handlers = SignalStack::of_runtime();
            // The panic hook has said what happened. Without this worker the program could
            // wait indefinitely.
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
}
