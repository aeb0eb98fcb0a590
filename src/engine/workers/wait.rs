//! Threads that wait for an event in a call: of the program, or of a worker whose EDT waits.
//!
//! What stands for such a thread in the graph is an EDT with the flag [`EdtFlags::WAITER`]: its first pre-slot
//! is connected to the event, so events of every kind are waited for in the same way, chains of
//! them too, and a data block is brought from the device where it is. It acquires the block in RO
//! mode, which excludes no other holder. It never runs: when it has its block, the thread that brought it so far
//! wakes the thread (`Context::wake`). A block of another node is held on, so that its copy stays here: until the
//! caller releases it, or its EDT ends.
//!
//! When the run ends and no EDT runs any more, on any node, the waiting ends, too, unless the answer is on its way
//! already (`Runtime::answer_comes`), or may be: while other threads of the program are in calls, or kernels run, what
//! they lead to may end in one. An EDT that stands for a thread and is in the queue of a block stays there.
//!
//! While an EDT of this kind waits, the message about a hang shows it as the thread.

use crate::abi::Api;
use crate::engine::life::create_request::{CreateError, Output};
use crate::engine::life::internal_edt::InternalEdt;
use crate::engine::nodes::outbox;
use crate::engine::nodes::work::Call;
use crate::engine::state::context::Context;
use crate::engine::state::fork;
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::engine::state::seats::Seating;
use crate::engine::state::waiters::Comes;
use crate::engine::state::waiters::{NOTHING, Sleeper, WaitError, WaitResult, WaitState};
use crate::graph::GraphError;
use crate::object::code::{EdtDep, WorkKind};
use crate::object::edt::{EdtFlags, EdtState, Mode};
use crate::object::event::EventState;
use crate::object::guid::Guid;
use crate::object::waiting::Wake;
use crate::report::tally::{Label, Wait};
use crate::trace;
use ocr_base::sync::{Spin, preemption_point};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The function of the waiting EDTs, which do not run.
unsafe extern "C" fn nothing(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
    Guid::NULL
}

impl Context {
    /// Waits, in a call of this name, until an event is satisfied. In an EDT, another thread runs EDTs
    /// meanwhile.
    pub(crate) fn wait_for(&mut self, event: Guid, call: Api) -> Result<WaitResult, WaitError> {
        let runtime = self.runtime;
        if !event.is_event() {
            return Err(WaitError::NoSuchEvent);
        }
        if self.has_paused() {
            return Err(WaitError::Paused);
        }
        let sleeper = Sleeper::new();
        let edt = self.create_waiter(event, &sleeper)?;
        // Not before: a thread that ends all waiting would take away an answer that is on its way.
        runtime.waits.add(&sleeper);
        let label = None;
        let mut state = self.sleep(&sleeper, call, event, label);
        if matches!(state, WaitState::Ending) {
            let (calls, limit) = (&self.tally.now.calls, &self.tally.now.limit);
            calls.set_idle(true);
            let is_limited = limit.end();
            state = sleeper.wait_for_last(
                || runtime.answer_comes(edt, event, &sleeper),
                || runtime.registry.others_call(&self.tally) || runtime.any_launch(),
            );
            if is_limited {
                limit.begin();
            }
            calls.set_idle(false);
        }
        match state {
            WaitState::Answered(answer) => {
                // A block of another node that is gone has not come, and nobody holds it.
                let is_gone = answer.address.is_null() && self.runtime.objects.data_blocks.is_foreign(answer.data);
                if !is_gone && !self.belongings.answered.add(self.holder(), answer.data) {
                    self.let_answered_go(answer.data);
                }
                self.belongings.any |= self.current.is_some();
                Ok(answer)
            }
            _ => {
                // If it can be destroyed, no thread will wake this thread. If not, it is in the queue of a block that
                // no EDT gives back any more, or another thread is about to wake this one, and has the sleeper.
                if self.destroy_edt(edt).is_ok() {
                    // SAFETY: made by `into_raw` for the EDT, which is no more.
                    drop(unsafe { Arc::from_raw(Arc::as_ptr(&sleeper)) });
                }
                Err(WaitError::Ending)
            }
        }
    }

    /// Waits, in a call of this name, until it is with a label as wanted: `watch` is given what must be
    /// called then, once. False if the program ends meanwhile, or the caller has paused it.
    pub(crate) fn wait_until(&mut self, label: Label, call: Api, watch: impl FnOnce(Wake)) -> bool {
        let runtime = self.runtime;
        if self.has_paused() {
            return false;
        }
        let sleeper = Sleeper::new();
        let waits = sleeper.clone();
        watch(Box::new(move || {
            waits.wake(runtime, WaitState::Answered(NOTHING));
        }));
        runtime.waits.add(&sleeper);
        let (event, label) = (Guid::NULL, Some(label));
        matches!(self.sleep(&sleeper, call, event, label), WaitState::Answered(_))
    }

    /// Sleeps until it is woken, with an answer or because the program has ended.
    fn sleep(&mut self, sleeper: &Sleeper, call: Api, event: Guid, label: Option<Label>) -> WaitState {
        let runtime = self.runtime;
        let call = call.shown();
        fork::check_fork(call);
        let wait = Wait { call, event, label };
        *self.tally.now.waits.lock() = Some(wait);
        // What an EDT waits for may take any time.
        let is_limited = self.tally.now.limit.end();
        let _under_lock = loader::waits();
        // A thread that runs EDTs, or an EDT that has left its seat.
        let worker = self.local.is_some() || self.seat.seating != Seating::Seated;
        if worker {
            self.settle_up();
            self.leave_seat();
        } else {
            runtime.idle_threads.begin();
        }
        preemption_point(8);
        runtime.cancel_if_over();
        preemption_point(8);
        runtime.check_halt();
        let is_recorded = trace::is_on() && self.current.is_some();
        if is_recorded {
            trace::events::waits(true);
        }
        let calls = &self.tally.now.calls;
        calls.set_idle(true);
        let state = sleeper.wait();
        calls.set_idle(false);
        if is_recorded {
            trace::events::waits(false);
        }
        self.seat.waits += 1;
        if worker {
            self.come_back();
        } else {
            // The thread is one of the program's free threads again, and seen as that.
            runtime.idle_threads.end();
            runtime.end_outside();
        }
        *self.tally.now.waits.lock() = None;
        if is_limited {
            self.tally.now.limit.begin();
        }
        state
    }

    /// Creates the EDT that stands for this thread.
    fn create_waiter(&mut self, event: Guid, sleeper: &Arc<Sleeper>) -> Result<Guid, WaitError> {
        let param = Arc::into_raw(sleeper.clone()) as u64;
        let created = self.create_internal_edt(InternalEdt {
            function: nothing,
            kind: WorkKind::Waiter,
            params: &[param],
            depc: 2,
            output: Output::None,
            // The scope of the caller may be what is waited for.
            in_scope: false,
        });
        let edt = *created.as_ref().unwrap_or(&Guid::NULL);
        let linked = created.is_ok() && {
            if let Some((waiter, _locked)) = self.runtime.objects.edts.lock(edt) {
                waiter.flags.add(EdtFlags::WAITER);
            }
            // The second pre-slot has kept it from going on.
            self.connect_waiter(event, edt)
                .and_then(|()| self.with_graph(|graph| graph.add_dependence(Guid::NULL, edt, 1, Mode::Null)))
                .is_ok()
        };
        if linked {
            return Ok(edt);
        }
        let _ = self.destroy_edt(edt);
        // SAFETY: made above, and the EDT, if there was one, is no more.
        drop(unsafe { Arc::from_raw(Arc::as_ptr(sleeper)) });
        Err(match created {
            Err(CreateError::OutOfMemory) => WaitError::OutOfMemory,
            _ => WaitError::NoSuchEvent,
        })
    }

    /// Connects the EDT that stands for a thread to the event; where another thread opens that, when it has:
    /// it waits for no other thread.
    fn connect_waiter(&mut self, event: Guid, edt: Guid) -> Result<(), GraphError> {
        if let Some(owner) = self.runtime.objects.owner_elsewhere(event) {
            // What it is satisfied with is passed on to the EDT. Where no answer comes the program ends.
            let (post_slot, slot, mode, hold) = (0, 0, Mode::Ro, false);
            let call = Call::Depend { source: event, post_slot, destination: edt, slot, mode, hold };
            let is_refused = outbox::ask(owner, call).is_some_and(|answer| answer.status != 0);
            return if is_refused { Err(GraphError::NoSuchObject) } else { Ok(()) };
        }
        let spin = Spin::default();
        loop {
            match self.with_graph(|graph| graph.add_dependence(event, edt, 0, Mode::Ro)) {
                Err(GraphError::Opening) => spin.wait(),
                connected => return connected,
            }
        }
    }
}

impl Runtime {
    /// When the run ends and no EDT runs any more, nothing will be satisfied: ends all waiting.
    /// Called by the thread that ends the run, the last that stops running EDTs, and each that begins to wait.
    pub(crate) fn cancel_if_over(&self) {
        let over = self.end.is_ending() && !self.hears_others() && self.seats.lock().at_work(self) == 0;
        if over {
            self.waits.cancel_all(self);
        }
    }

    /// Whether another node may do something yet for those that wait on this one.
    pub(crate) fn hears_others(&self) -> bool {
        outbox::is_open() && !self.end.hears_nothing()
    }

    /// Whether nothing happens on this node before another one sends something, in a run that ends.
    pub(crate) fn rests_at_end(&self) -> bool {
        self.waits.none_is_woken(|| self.seats.rest_at_end(self) && !self.any_launch())
    }

    /// Whether another thread is about to bring what a thread waits for that this EDT stands for. When the run has
    /// ended, that is left of what was satisfied before: by a call that still goes on, or from a device.
    fn answer_comes(&self, edt: Guid, event: Guid, sleeper: &Sleeper) -> Comes {
        let waits = self.objects.edts.lock(edt).and_then(|(edt, locked)| {
            let connected = !edt.slots()[0].is_unconnected();
            (locked.word.state() == EdtState::Waiting).then_some(connected)
        });
        match waits {
            // The event may be another one on the label, and the pre-slot open again.
            Some(connected) if connected && self.is_satisfied(event) => Comes::Yes,
            // Another thread may be on the way from an event that this one depends on.
            Some(true) => Comes::Perhaps,
            Some(false) => Comes::No,
            None if sleeper.stuck.load(Ordering::SeqCst) => Comes::Perhaps,
            None => Comes::Yes,
        }
    }

    /// Whether an event has been satisfied and still exists.
    pub(crate) fn is_satisfied(&self, event: Guid) -> bool {
        let event = self.objects.events.lock(event);
        event.is_some_and(|(_, locked)| locked.word.state() == EventState::Triggered)
    }
}
