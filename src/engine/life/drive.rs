//! The step loop: a call works off what its step has led to, in loops and not by recursion.

use crate::engine::state::context::Context;
use crate::graph::Graph;

impl Context {
    /// Works on the graph, then works off what that leads to.
    #[inline]
    pub(crate) fn with_graph<R>(&mut self, f: impl FnOnce(&mut Graph<'_>) -> R) -> R {
        let result = f(&mut self.graph());
        self.work_off();
        result
    }

    /// Works off everything that the last step has led to, and tells a sleeping worker if there is
    /// something for it. Every call of the runtime ends with this.
    #[inline]
    pub(crate) fn work_off(&mut self) {
        if self.steps.are_pending() {
            self.work_off_some();
        }
    }

    /// Apart from `work_off`, which is then small enough to be part of its callers.
    #[inline(never)]
    fn work_off_some(&mut self) {
        loop {
            self.graph().pass_on();
            if self.steps.worklist.rejected.as_ref().is_some_and(|events| !events.is_empty()) {
                self.report_rejected();
            }
            while let Some(edt) = self.steps.worklist.runnable.pop() {
                self.advance(edt.get());
            }
            while let Some(edt) = self.steps.granted.pop() {
                self.was_granted(edt.get());
            }
            if !self.steps.worklist.for_openers.is_empty() {
                self.pass_to_openers();
            }
            // For each batch: what is behind a wide event takes its time.
            if std::mem::take(&mut self.steps.queued) {
                self.runtime.queues.sleep.notify();
            }
            if self.steps.worklist.is_empty() && self.steps.granted.is_empty() {
                break;
            }
        }
    }
}
