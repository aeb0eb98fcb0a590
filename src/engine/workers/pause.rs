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

impl Runtime {
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
