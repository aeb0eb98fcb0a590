//! `ocrPause`: the workers stand still between two EDTs, so that somebody can look.
//!
//! The thread that pauses calls the workers ([`Interrupt::PAUSE`]), wakes those that sleep, and waits until each
//! thread that runs EDTs stands still: between two of them, or in a call that is made again and again
//! to wait. Threads that wait in one call have left their seats and need not be waited for; one that is
//! woken meanwhile does not go on before the pause is over. Launches that a device has accepted go on,
//! and what they lead to becomes ready.

use crate::check::history::Who;
use crate::engine::state::context::Context;
use crate::engine::state::end::Interrupt;
use crate::engine::state::runtime::Runtime;
use crate::engine::state::{fork, seats};
use ocr_base::lock::{MutexGuard, rank};
use ocr_base::sync::fence;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl Context {
    fn name(&self) -> usize {
        std::ptr::from_ref(self) as usize
    }

    /// Whether this thread has paused the runtime.
    pub(crate) fn has_paused(&self) -> bool {
        self.runtime.end.is_called_to(Interrupt::PAUSE) && self.runtime.seats.lock().pause.owner == self.name()
    }

    /// Pauses the runtime. If another thread has, waits for the end of that, or returns false, as
    /// it does if the run ends.
    pub(crate) fn pause(&mut self, wait: bool) -> bool {
        let runtime = self.runtime;
        fork::check_fork("ocrPause");
        // In an EDT, this is one of the threads at work, which others wait for.
        let me = usize::from(self.current.is_some());
        let mut state = runtime.seats.lock();
        if state.pause.owner == self.name() {
            return false;
        }
        if state.pause.is_on() {
            if !wait {
                return false;
            }
            self.seat.waits += 1;
            runtime.wait_for_resume(&mut state, me);
            if runtime.end.is_ending() {
                return false;
            }
        }
        state.pause.owner = self.name();
        state.pause.by = Some(self.who());
        runtime.end.call(Interrupt::PAUSE);
        drop(state);
        self.seat.waits += 1;
        runtime.queues.sleep.wake_all();
        let mut state = runtime.seats.lock();
        while !runtime.end.is_ending() && state.at_work(runtime) > state.pause.still + me {
            runtime.seats.wait(&mut state);
        }
        if runtime.end.is_ending() {
            drop(state);
            self.resume();
            return false;
        }
        true
    }

    /// Ends the pause that this thread has begun; nothing if it has not.
    pub(crate) fn resume(&mut self) {
        let runtime = self.runtime;
        let mut state = runtime.seats.lock();
        if state.pause.owner == self.name() {
            state.pause.owner = 0;
            runtime.end.uncall(Interrupt::PAUSE);
            runtime.seats.notify(&mut state);
        }
    }

    /// A worker between two EDTs stands still until the pause is over.
    pub(crate) fn stand_still(&mut self) {
        let runtime = self.runtime;
        if self.has_paused() {
            let by = runtime.seats.lock().pause.by.unwrap_or(Who::NOBODY);
            if let Some(check) = &runtime.check {
                runtime.fatal(&check.never_resumed(by).to_string());
            }
            warning!(
                "{by} had paused the runtime (ocrPause) and has ended without ocrResume, and so the pause ends. Call \
                 ocrResume before the EDT returns."
            );
            self.resume();
            return;
        }
        self.settle_up();
        // Where `ocrQuery` finds it. Every worker looks for work when the pause is over.
        if let (Some(local), Some(next)) = (&self.local, self.steps.next.take()) {
            local.push(next);
        }
        let mut state = runtime.seats.lock();
        runtime.wait_for_resume(&mut state, 1);
    }

    /// An EDT that waits by looking again and again stands still, too: what it waits for may be an EDT
    /// that does not run before the pause is over.
    pub(crate) fn stand_still_in_edt(&mut self) {
        let runtime = self.runtime;
        if runtime.end.is_called_to(Interrupt::PAUSE) && !self.has_paused() {
            let mut state = runtime.seats.lock();
            runtime.wait_for_resume(&mut state, 1);
        }
    }
}

/// The owner of the pause while a checkpoint is made: the address of no context.
const CHECKPOINT: usize = 1;

impl Runtime {
    /// Calls the workers to stand still for a checkpoint, unless a thread has paused the runtime.
    fn call_for_checkpoint(&self, state: &mut seats::SeatState) {
        if !state.pause.is_on() {
            state.pause.owner = CHECKPOINT;
            state.pause.by = None;
            self.end.call(Interrupt::PAUSE);
        }
    }

    /// The program asks for a checkpoint. Workers stand still from the ends of their EDTs on, if the thread that makes
    /// it is free.
    pub(crate) fn ask_for_checkpoint(&self) {
        let mut state = self.seats.lock();
        self.checkpoints.asked.store(true, Ordering::SeqCst);
        // Under the lock, before this call is over: from now on the thread that makes it does something for others.
        self.checkpoints.waits.store(0, Ordering::SeqCst);
        if self.checkpoints.is_free.load(Ordering::SeqCst) {
            self.call_for_checkpoint(&mut state);
        }
        drop(state);
        self.checkpoints.wake();
    }

    /// The thread that makes checkpoints, which has this number of the system's, is about to wait for the time of the
    /// next. False if one is asked for, and those who ask hold workers already.
    pub(crate) fn rests_from_checkpoints(&self, thread: i32) -> bool {
        let _state = self.seats.lock();
        let (asked, holds) = (&self.checkpoints.asked, &self.checkpoints.is_free);
        let rests = !(asked.load(Ordering::SeqCst) && holds.load(Ordering::SeqCst));
        self.checkpoints.waits.store(if rests { thread } else { 0 }, Ordering::SeqCst);
        rests
    }

    /// No checkpoint is made that was asked for: workers go on that were held for it.
    pub(crate) fn give_up_asked(&self) {
        let mut state = self.seats.lock();
        self.checkpoints.asked.store(false, Ordering::SeqCst);
        if state.pause.owner == CHECKPOINT {
            state.pause.owner = 0;
            self.end.uncall(Interrupt::PAUSE);
            self.seats.notify(&mut state);
        }
    }

    /// Holds all workers between two EDTs. False if the run ends, or if one has not ended its EDT in this time: it may
    /// wait for what an EDT does that is held. No thread that runs EDTs calls this.
    pub(crate) fn hold_workers(&self, patience: Duration) -> bool {
        let mut state = self.seats.lock();
        // Before the workers are held, so that a call finds the thread that holds them, or its successor does.
        self.checkpoints.is_free.store(false, Ordering::SeqCst);
        while state.pause.is_on() && state.pause.owner != CHECKPOINT && !self.end.is_ending() {
            self.seats.wait(&mut state);
        }
        self.call_for_checkpoint(&mut state);
        drop(state);
        self.queues.sleep.wake_all();
        let until = Instant::now() + patience;
        let mut state = self.seats.lock();
        while !self.end.is_ending() && state.at_work(self) > state.pause.still {
            if !self.seats.wait_until(&mut state, until) {
                return false;
            }
        }
        // Callers wait only from here on: an EDT may have waited for a thread that was in a call.
        self.end.call(Interrupt::CHECKPOINT);
        !self.end.is_ending()
    }

    /// Does what takes locks of objects, on a thread that is in no call, while no checkpoint is made: the process that
    /// writes one must not find them locked.
    pub(crate) fn beside_checkpoints<R>(&self, work: impl FnOnce() -> R) -> R {
        let looks = &self.checkpoints.looks;
        loop {
            looks.store(true, Ordering::SeqCst);
            // Either this sees that one is made, or the thread that makes it sees the mark (`CheckpointMaker::settle`).
            fence(Ordering::SeqCst);
            if !self.end.is_called_to(Interrupt::CHECKPOINT) || self.end.is_ending() {
                break;
            }
            looks.store(false, Ordering::SeqCst);
            self.wait_for_checkpoint();
        }
        let done = work();
        looks.store(false, Ordering::SeqCst);
        done
    }

    /// Threads of the program call again, and kernels go to devices. The workers are held yet.
    pub(crate) fn let_callers_go(&self) {
        let mut state = self.seats.lock();
        self.end.uncall(Interrupt::CHECKPOINT);
        self.seats.notify(&mut state);
    }

    /// Lets the workers go on that were held.
    pub(crate) fn let_workers_go(&self) {
        let mut state = self.seats.lock();
        state.pause.owner = 0;
        self.end.uncall(Interrupt::PAUSE);
        self.seats.notify(&mut state);
    }

    /// Waits until no checkpoint is made.
    pub(crate) fn wait_for_checkpoint(&self) {
        let mut state = self.seats.lock();
        while self.end.is_called_to(Interrupt::CHECKPOINT) && !self.end.is_ending() {
            self.seats.wait(&mut state);
        }
    }

    /// Waits until no thread pauses the runtime. The caller counts as `threads` of the threads that run EDTs.
    fn wait_for_resume(&self, state: &mut MutexGuard<'_, rank::Seats, seats::SeatState>, threads: usize) {
        state.pause.still += threads;
        self.seats.notify(state);
        while state.pause.is_on() && !self.end.is_ending() {
            self.seats.wait(state);
        }
        state.pause.still -= threads;
    }
}
