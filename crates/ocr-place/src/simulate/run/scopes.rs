//! Finish EDTs whose function creates others, in a simulated run: a kernel stands for function and scope, or the
//! function runs and its scope is timed until it closes.

use super::SimulatedRun;
use super::blocks::shape_of;
use crate::model::RunTimes;
use crate::place::Place;

/// The function of a finish EDT that has returned, and whose scope is open.
#[derive(Clone, Copy)]
pub(super) struct ReturnedTask {
    /// How long the function took, in nanoseconds.
    function: u64,
    /// Its share of the workers' time when it returned.
    share: u64,
    /// Whether a device worked then.
    beside: bool,
    /// Whether the policy's keeper waits for the end of the scope.
    is_kept: bool,
}

impl SimulatedRun<'_> {
    /// Whether a kernel of a finish EDT does what this EDT would have done.
    pub(super) fn is_stood_for(&self, number: u32) -> bool {
        let mut at = self.graph.tasks[number as usize].within;
        while let Some(head) = at {
            if self.ran[head as usize].place.device_index().is_some() {
                return true;
            }
            at = self.graph.tasks[head as usize].within;
        }
        false
    }

    /// Whether workers do the work of an EDT together if it runs as a function.
    pub(super) fn is_spread(&self, number: u32) -> bool {
        let template = self.graph.tasks[number as usize].template;
        self.has_scope[number as usize] && !self.known[template as usize].works_alone()
    }

    /// By what the keeper knows the scope of an EDT.
    fn token_of_scope(&self, number: u32) -> usize {
        self.graph.tasks.len() + number as usize
    }

    /// The function of a finish EDT has returned that has created others.
    pub(super) fn returns(&mut self, number: u32, function: u64) {
        let keeper = self.policy.keeper();
        let token = self.token_of_scope(number);
        self.returned[number as usize] = Some(ReturnedTask {
            function,
            share: self.shares.begin(self.shared.now.get()),
            beside: self.shared.any_device_works(),
            is_kept: keeper.is_some_and(|keeper| keeper.goes_on(number as usize, token, false, &self.shared)),
        });
    }

    /// An EDT has ended. Closes its own scope if nothing in it is left, and those that were open for it alone.
    pub(super) fn closes_scopes(&mut self, number: u32) {
        let mut at = number;
        loop {
            match self.returned[at as usize] {
                Some(_) if self.open[at as usize] != 0 => return,
                Some(returned) => self.closes(at, returned),
                None => {}
            }
            let Some(head) = self.graph.tasks[at as usize].within else {
                return;
            };
            self.open[head as usize] -= 1;
            if self.returned[head as usize].is_none() {
                // Its function has not returned.
                return;
            }
            at = head;
        }
    }

    /// The scope of a finish EDT closes that ran as a function: what it took is learned.
    fn closes(&mut self, number: u32, returned: ReturnedTask) {
        let now = self.shared.now.get();
        let task = &self.graph.tasks[number as usize];
        let whole = returned.function + (now - self.ran[number as usize].ended);
        let share = returned.function + self.shares.end(returned.share, now);
        let works_alone = RunTimes::is_alone(returned.function, whole);
        let times = self.known[task.template as usize];
        self.returned[number as usize] = None;
        times.note_alone(works_alone);
        let beside = returned.beside || self.shared.any_device_works();
        let ns = if works_alone { whole } else { share };
        times.sample(Place::HOST.number(), shape_of(self.graph, task), ns, beside);
        if let Some(keeper) = self.policy.keeper().filter(|_| returned.is_kept) {
            keeper.ended(self.token_of_scope(number), Place::HOST, false, &self.shared);
        }
    }
}
