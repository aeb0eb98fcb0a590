//! Step 9 of an EDT's life: its output event is satisfied with what the EDT returned (OCR 1.1.0, 2.7).

use crate::check::history::Who;
use crate::engine::nodes::outbox;
use crate::engine::nodes::work::{Call, NodeWork};
use crate::engine::state::context::Context;
use crate::engine::state::deferred::{DeferredBy, DeferredCall};
use crate::graph::{Dependence, GraphCall, GraphError};
use crate::object::code::Code;
use crate::object::edt::{Edt, Mode};
use crate::object::guid::Guid;
use crate::trace::format::Asked;
use crate::trace::{self, events};

impl Context {
    /// Satisfies an event with what `edt` returned, or the EDT of a scope: a block, nothing, or another
    /// event, which is then what the event waits for (OCR 1.1.0, 2.7). `work` is what that EDT has run.
    #[inline]
    pub(crate) fn pass_result(&mut self, (who, work): (Option<Who>, *const Code), output: Guid, result: Guid) {
        if output.is_null() {
            return;
        }
        let who = who.unwrap_or(Who::NOBODY);
        if result.is_event() {
            self.pass_event(who, output, result);
        } else if result.is_null() || self.graph().check_source(result).is_ok() {
            if self.graph().pass_to_output(output, result, work).is_err() {
                self.report_rejected_result(who, output);
            }
        } else {
            self.pass_other(who, output, result);
        }
    }

    /// Ends an EDT that has an output event which is not in itself, and satisfies that as `pass_result` does.
    #[inline(never)]
    pub(crate) fn end_with_output_apart(&mut self, edt: &Edt, result: Guid) {
        let (output, by) = (edt.output(), (Some(Who::of(edt)), edt.work.get()));
        // A thread that learns of the end may create the next EDT on its label.
        self.runtime.objects.edts.free(&mut self.caches.edts, edt);
        self.pass_result(by, output, result);
    }

    /// Ends an EDT that has its output event in itself, and satisfies that as `pass_result` does.
    #[inline]
    pub(crate) fn end_with_output(&mut self, edt: &Edt, result: Guid) {
        let mut graph = self.graph();
        if !result.is_event() && (result.is_null() || graph.check_source(result).is_ok()) {
            graph.end_with_output(edt, result);
            return;
        }
        // The slot is the output event's from here on.
        let who = Who::of(edt);
        if let Some(output) = graph.leave_to_output(edt) {
            if result.is_event() {
                self.pass_event(who, output, result);
            } else {
                self.pass_other(who, output, result);
            }
        }
    }

    /// Has the output event depend on an event that an EDT has returned. Where another node has that event, the output
    /// event is satisfied by that node.
    fn pass_event(&mut self, who: Who, output: Guid, result: Guid) {
        if trace::is_on() {
            events::called(Asked::Returned, output.bits(), (0, result.bits()), false);
        }
        if outbox::has_others()
            && let Some(owner) = self.runtime.objects.owner_elsewhere(result)
        {
            let call = Call::Return { event: result, output };
            return outbox::post(owner, NodeWork::Call { id: 0, by: None, call });
        }
        let mut graph = self.graph();
        if let Err(why) = graph.add_dependence(result, output, 0, Mode::Rw) {
            let call = GraphCall::Dependence(Dependence {
                source: result,
                post_slot: 0,
                destination: output,
                slot: 0,
                mode: Mode::Rw,
            });
            self.defer_result(who, why, call);
        }
    }

    /// An EDT has returned something that is no event and no block that is there.
    #[cold]
    fn pass_other(&mut self, who: Who, output: Guid, result: Guid) {
        if !result.is_data_block() {
            let _ = self.graph().pass_to_event(output, false, Guid::NULL);
            return;
        }
        let call = GraphCall::Satisfaction { event: output, increment: false, data: result, called: false };
        self.defer_result(who, GraphError::NoSuchObject, call);
    }

    /// An output event cannot have what an EDT returned: that may be a label without object, which is
    /// waited for. Otherwise the EDT has ended all the same.
    #[cold]
    fn defer_result(&mut self, who: Who, why: GraphError, call: GraphCall) {
        let deferred = DeferredCall::from(DeferredBy::Result, call, who);
        if let Err(why) = self.defer_refused(why, deferred) {
            self.no_result(who, call, why);
        }
    }
}
