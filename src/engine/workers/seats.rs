//! How a thread whose EDT waits leaves its seat, and finds one again. The seats themselves, and the protocol, are in
//! `state/seats.rs`.

use crate::engine::state::context::Context;
use crate::engine::state::end::Interrupt;
use crate::engine::state::fatal::stay;
use crate::engine::state::runtime::Runtime;
use crate::engine::state::seats::{FUTILE_POLLS, Seating};
use crate::graph::finish::Closes;
use crate::object::edt::Edt;
use crate::object::name::EdtName;
use ocr_base::sync::preemption_point;

impl Context {
    /// The EDT that runs on this worker begins to wait: its seat is for another thread.
    pub(crate) fn leave_seat(&mut self) {
        preemption_point(8);
        let runtime = self.runtime;
        let local = self.local.take();
        let seating = std::mem::replace(&mut self.seat.seating, Seating::Seated);
        {
            let mut state = runtime.seats.lock();
            state.vain.begin();
            match seating {
                Seating::Seated => {}
                Seating::Resumed => state.back -= 1,
                Seating::Polling => state.looking -= 1,
            }
            runtime.seats.give(runtime, &mut state, local);
        }
        if seating != Seating::Seated {
            runtime.end_outside();
        }
    }

    /// The EDT that has waited goes on, when no thread pauses the runtime. The thread that has woken
    /// this one has counted it as work in flight.
    pub(crate) fn come_back(&mut self) {
        preemption_point(8);
        let runtime = self.runtime;
        let mut state = runtime.seats.lock();
        while state.pause.is_on() && !runtime.end.is_ending() {
            runtime.seats.wait(&mut state);
        }
        state.back += 1;
        state.vain.begin();
        self.seat.seating = Seating::Resumed;
        if state.back > state.empty.len() {
            runtime.end.call(Interrupt::OVERSUBSCRIBED);
        }
    }

    /// The EDT, this one, waits by looking again and again: as long as it runs, another thread has its
    /// seat. Does not return once no other thread can do anything for it any more.
    pub(crate) fn look_again(&mut self, edt: &Edt) {
        let runtime = self.runtime;
        self.seat.waits += 1;
        self.stand_still_in_edt();
        if self.seat.seating == Seating::Polling {
            if runtime.end.is_ending() && self.polls_in_vain() {
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
        if self.seat.seating == Seating::Resumed {
            // The thread has gone on without a seat, and does not any more.
            state.back -= 1;
            if state.back <= state.empty.len() {
                runtime.end.uncall(Interrupt::OVERSUBSCRIBED);
            }
        }
        self.seat.seating = Seating::Polling;
        state.looking += 1;
        state.vain.begin();
        runtime.seats.give(runtime, &mut state, local);
    }

    /// Whether no other thread can do anything for the EDT that looks again, in a run that ends.
    fn polls_in_vain(&mut self) -> bool {
        let runtime = self.runtime;
        let mut state = runtime.seats.lock();
        let looking = state.looking;
        if state.at_work(runtime) != looking {
            state.vain.begin();
            return false;
        }
        let vain = &mut state.vain;
        if self.seat.looked_in != vain.round {
            self.seat.looked_in = vain.round;
            vain.looked += 1;
        }
        if vain.looked >= looking {
            vain.next();
        }
        if vain.rounds < FUTILE_POLLS || runtime.hears_others() {
            return false;
        }
        // Threads that wait in a call may yet do something, when that call ends.
        runtime.waits.cancel_all(runtime);
        if !runtime.is_left_to(looking) {
            vain.begin();
            return false;
        }
        if !vain.alone {
            // A thread that was there until now may have done something at the last moment.
            vain.begin();
            vain.alone = true;
            return false;
        }
        true
    }

    /// A worker between two EDTs makes room if the run is oversubscribed. True if it has no seat any more.
    pub(crate) fn make_room(&mut self) -> bool {
        let runtime = self.runtime;
        self.settle_up();
        let mut state = runtime.seats.lock();
        if state.back <= state.empty.len() {
            runtime.end.uncall(Interrupt::OVERSUBSCRIBED);
            return false;
        }
        if let Some(local) = self.local.take() {
            if let Some(next) = self.steps.next.take() {
                local.push(next);
                // The next thread that has the seat may be long in coming.
                runtime.queues.sleep.notify();
            }
            state.empty.push(local);
        }
        if state.back <= state.empty.len() {
            runtime.end.uncall(Interrupt::OVERSUBSCRIBED);
        }
        runtime.seats.notify(&mut state);
        true
    }

    /// A worker between two EDTs gives up its seat if that is one of those that are too many. True if it has none
    /// any more.
    pub(crate) fn retire(&mut self) -> bool {
        let runtime = self.runtime;
        let limit = runtime.seats.limit();
        if self.local.as_ref().is_none_or(|local| local.index() < limit) {
            return false;
        }
        self.settle_up();
        let Some(local) = self.local.take() else {
            return false;
        };
        if let Some(next) = self.steps.next.take() {
            local.push(next);
        }
        let mut state = runtime.seats.lock();
        if local.index() < runtime.seats.limit() {
            // It is none of those any more.
            self.local = Some(local);
            return false;
        }
        runtime.seats.retire(runtime, &mut state, local);
        drop(state);
        runtime.queues.sleep.notify();
        // All others may sleep already.
        runtime.check_halt();
        true
    }

    /// A thread without a seat whose EDT has ended waits for one. False at the end.
    pub(crate) fn find_seat(&mut self) -> bool {
        let runtime = self.runtime;
        self.settle_up();
        let seating = std::mem::replace(&mut self.seat.seating, Seating::Seated);
        if seating != Seating::Seated {
            let mut state = runtime.seats.lock();
            state.vain.begin();
            match seating {
                Seating::Resumed => state.back -= 1,
                _ => state.looking -= 1,
            }
            if state.for_spares() != 0 {
                self.local = state.sit_down();
            }
            if state.back <= state.empty.len() {
                runtime.end.uncall(Interrupt::OVERSUBSCRIBED);
            }
            runtime.seats.notify(&mut state);
            runtime.seats.notify_spares(&state);
            drop(state);
            runtime.end_outside();
        }
        if self.local.is_none() {
            runtime.seats.lock().spare += 1;
            self.local = runtime.seats.take(runtime);
        }
        self.local.is_some()
    }

    /// Gives up the seat of this thread, which runs no EDTs any more, since the program ends. A
    /// thread of the program may wait for what the last one leads to.
    pub(crate) fn close_seat(&mut self) {
        let runtime = self.runtime;
        self.settle_up();
        {
            let mut state = runtime.seats.lock();
            state.vain.begin();
            state.empty.extend(self.local.take());
        }
        runtime.cancel_if_over();
    }

    /// Gives back what the thread holds of finish scopes and blocks for the EDTs that it runs: no EDT
    /// should wait for that while it runs none.
    pub(crate) fn settle_up(&mut self) {
        self.give_credit_back();
        self.end_leases(None);
        self.work_off();
    }
}

/// Leaves an EDT that looks again in vain where it is: the run ends without it.
fn give_up(runtime: &'static Runtime, edt: &Edt) -> ! {
    warning!(
        "the run ends without {}: it waits with ocrInformLegacyCodeBlocking, and \
         nothing is left that could end that. Let it also look whether the program ends, or call \
         ocrShutdown after it has ended.",
        EdtName::of(edt)
    );
    let keeper = Runtime::current();
    runtime.seats.lose(std::thread::current().id(), Seating::Polling);
    runtime.end_outside();
    runtime.cancel_if_over();
    stay(keeper)
}
