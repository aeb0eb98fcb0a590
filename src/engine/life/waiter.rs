//! Threads that wait in a call are woken: each by the "run" step of the EDT that stands for it, or at the end.

use crate::engine::state::context::Context;
use crate::engine::state::runtime::Runtime;
use crate::engine::state::waiters::{NOTHING, Sleeper, WaitResult, WaitState, Waiters};
use crate::memory;
use crate::object::code::WorkKind;
use crate::object::edt::Edt;
use ocr_base::sync::preemption_point;
use ocr_place::place::Place;
use std::sync::Arc;

impl Sleeper {
    /// Ends the wait, unless it has ended already. The thread counts as work in flight from *before* it is woken until
    /// it has gone on so far that other threads see it. So the gap is not taken for a hang.
    pub(crate) fn wake(&self, runtime: &Runtime, with: WaitState) {
        runtime.begin_outside();
        runtime.waits.note_woken();
        preemption_point(8);
        if !self.end_wait(with) {
            runtime.end_outside();
        }
    }
}

impl Waiters {
    /// Ends all waiting. Those that waited count as work in flight, as if they had an answer.
    pub(crate) fn cancel_all(&self, runtime: &Runtime) {
        self.each(|sleeper| sleeper.wake(runtime, WaitState::Ending));
    }
}

impl Context {
    /// Wakes the thread that an EDT stands for, which has what it waited for.
    pub(crate) fn wake(&mut self, edt: &'static Edt) {
        if edt.work().kind == WorkKind::Elsewhere {
            return self.has_come(edt);
        }
        let data = edt.slots()[0].data();
        let mut answer = WaitResult { data, ..NOTHING };
        for (_, slot) in edt.blocks() {
            let block = self.runtime.objects.data_blocks.pinned(slot.data());
            if let Some(check) = &self.runtime.check {
                // The thread that gets the address uses it without holding the block.
                check.contents.closed.keep_open(slot.data());
            }
            answer.address = block.host_ptr();
            answer.size = block.size();
            if self.runtime.objects.data_blocks.is_foreign(slot.data()) {
                // The caller has it, in this mode (`let_answered_go`).
                continue;
            }
            let mode = slot.info().mode;
            let left = memory::release(block, mode, Place::HOST, &mut self.steps.granted);
            self.dispose_if(block, left);
        }
        let sleeper = edt.params()[0] as *const Sleeper;
        self.runtime.objects.edts.free(&mut self.caches.edts, edt);
        // SAFETY: made by `into_raw` for this EDT, which gets here once.
        let sleeper = unsafe { Arc::from_raw(sleeper) };
        sleeper.wake(self.runtime, WaitState::Answered(answer));
    }
}
