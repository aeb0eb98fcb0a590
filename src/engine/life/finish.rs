//! Steps 7 to 9 of an EDT's life: what it holds is released, its slot is recycled, its output event is satisfied.

use crate::engine::state::context::Context;
use crate::graph::finish::{Closes, Credit};
use crate::memory;
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use crate::object::scope::Scope;
use ocr_place::place::Place;
use std::sync::atomic::Ordering;

impl Closes for Context {
    #[inline(always)]
    fn credit(&mut self) -> &mut Credit {
        &mut self.credit
    }

    fn close_one(&mut self, scope: &Scope) -> *const Scope {
        if scope.is_timed.get() {
            self.end_timed_scope(scope);
        }
        let (output, result) = (scope.output.get(), scope.result.get());
        if output.is_null() && scope.is_guest.get() {
            self.end_guest_scope(scope);
        }
        let work = scope.work.get();
        let (parent, index, goes) = (scope.parent.get(), scope.index.get(), scope.result_goes.get());
        if let Some(freed) = scope.header.peek().freed() {
            scope.header.publish(freed);
            self.runtime.objects.scopes.free(&mut self.caches.scopes, freed, index);
        }
        self.pass_result((None, work), output, result);
        if goes {
            self.graph().let_go(result);
        }
        // What the result led to is worked off, as at the end of an EDT.
        self.work_off();
        parent
    }
}

impl Context {
    /// Steps 7 to 9: an EDT has run.
    pub(crate) fn finish(&mut self, edt: &'static Edt, result: Guid) {
        self.steps.keep_next = true;
        // 7: released.
        self.release_held();
        let place = edt.place.get();
        for (_, slot) in edt.blocks() {
            let info = slot.info();
            if !info.released {
                let guid = slot.data();
                let block = self.runtime.objects.data_blocks.pinned(guid);
                let left = match place {
                    Place::HOST => self.leases.release(guid, block, info.mode, &mut self.steps.granted),
                    _ => memory::release(block, info.held_mode(), place, &mut self.steps.granted),
                };
                self.dispose_if(block, left);
            }
        }
        self.belongings.slots_by_block.clear();
        self.current = None;
        self.tally.now.running.store(0, Ordering::Relaxed);
        // 8: recycled, 9: triggered; then out of the scope, whose end comes after the EDT's.
        let scope = edt.finish_scope();
        let belongings = std::mem::take(&mut self.belongings.any);
        if edt.has_output_inside() {
            self.end_with_output(edt, result);
        } else {
            if let Some(scope) = scope.filter(|_| edt.flags.get().is_finish()) {
                scope.result.set(result);
                if belongings && let Some(at) = self.belongings.completions.iter().position(|e| *e == result) {
                    // The result's event goes when it has been passed on, as the scope closes.
                    self.belongings.completions.swap_remove(at);
                    scope.result_goes.set(true);
                }
                self.runtime.objects.edts.free(&mut self.caches.edts, edt);
            } else if edt.output().is_null() {
                self.runtime.objects.edts.free(&mut self.caches.edts, edt);
            } else {
                self.end_with_output_apart(edt, result);
            }
        }
        if belongings {
            self.end_belongings();
        }
        // Events that depend on the output event have triggered when the scope is left.
        self.work_off();
        self.check_out(scope);
        self.work_off();
    }

    /// Ends what belonged to the EDT that has run, for the next one.
    #[cold]
    fn end_belongings(&mut self) {
        self.belongings.clear();
        // Another EDT may get the place of this one.
        self.let_all_answered_go();
        while let Some(event) = self.belongings.completions.pop() {
            self.graph().let_go(event);
        }
    }

    /// Ends the leases of blocks that the EDT which runs next does not use; all where there is none.
    #[inline]
    pub(crate) fn end_leases(&mut self, next: Option<&Edt>) {
        if self.leases.is_empty() {
            return;
        }
        while let Some((block, left)) = self.leases.end_unused(next, &mut self.steps.granted) {
            self.dispose_if(block, left);
        }
    }
}
