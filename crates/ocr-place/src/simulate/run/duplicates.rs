//! Duplicates in virtual time: an idle worker runs an EDT, too, that a device runs, where the policy asks for it
//! ([`Keeper::duplicate`]). What ends first counts, and the other keeps its place busy until it ends. Copies for the
//! worker take no time.
//!
//! [`Keeper::duplicate`]: crate::policy::Keeper::duplicate

use super::blocks::shape_of;
use super::{Happening, SimulatedRun};
use crate::place::Place;
use std::cmp::Reverse;
use std::collections::HashMap;

/// The duplicates of a simulated run, by EDT.
#[derive(Default)]
pub(super) struct SimulatedDuplicates {
    /// Those whose functions run: the worker, and when it began, in nanoseconds from the beginning.
    running: HashMap<u32, (usize, u64)>,
    /// The devices that run the EDT in vain.
    vain: HashMap<u32, Place>,
}

impl SimulatedRun<'_> {
    /// The worker runs an EDT, too, that the policy has named. False if it has not, or the EDT cannot run twice.
    pub(super) fn duplicate(&mut self, worker: usize) -> bool {
        let Some(keeper) = self.policy.keeper().filter(|_| self.shared.duplicates) else {
            return false;
        };
        let Some(number) = keeper.duplicate(Place::HOST, &self.shared).map(|edt| edt as u32) else {
            return false;
        };
        let (task, ran, now) = (&self.graph.tasks[number as usize], self.ran[number as usize], self.shared.now.get());
        let runs = ran.place.device_index().is_some() && ran.ended > now;
        if !runs || !task.during.is_empty() || self.has_scope[number as usize] {
            return false;
        }
        let begun = now + self.costs(number, Place::HOST).launch_ns;
        self.duplicates.running.insert(number, (worker, begun));
        self.ends.push(Reverse((begun + self.takes(number, Place::HOST), number, Happening::DuplicateEnds)));
        true
    }

    /// The function of a duplicate has ended.
    pub(super) fn duplicate_ends(&mut self, number: u32) {
        let Some((worker, begun)) = self.duplicates.running.remove(&number) else {
            return;
        };
        let now = self.shared.now.get();
        self.free_at[worker] = now;
        self.idle.push(worker);
        self.shared.idle.set(self.idle.len());
        let graph = self.graph;
        let task = &graph.tasks[number as usize];
        let times = self.known[task.template as usize];
        times.sample(Place::HOST.number(), shape_of(graph, task), now - begun, self.running > 1);
        let ran = &mut self.ran[number as usize];
        let device = ran.place;
        if ran.ended <= now {
            // The kernel was first.
            return;
        }
        (ran.place, ran.unit, ran.begun, ran.ended) = (Place::HOST, worker, begun, now);
        self.shared.left.update(|left| left - 1);
        self.duplicates.vain.insert(number, device);
        if let Some(keeper) = self.policy.keeper() {
            keeper.outrun(number as usize, device, self.in_vain(number), &self.shared);
        }
        self.is_over(number);
    }

    /// By what the policy knows a kernel that is in vain.
    fn in_vain(&self, number: u32) -> usize {
        self.graph.tasks.len() + number as usize
    }

    /// Whether a kernel that ends now was in vain. Then its device is free.
    pub(super) fn ends_in_vain(&mut self, number: u32) -> bool {
        let Some(device) = self.duplicates.vain.remove(&number) else {
            return false;
        };
        self.running -= 1;
        if let Some(index) = device.device_index() {
            self.shared.loads.borrow_mut()[index] -= 1;
        }
        let graph = self.graph;
        let task = &graph.tasks[number as usize];
        let ns = task.ns[device.number()].unwrap_or(0);
        self.known[task.template as usize].sample(device.number(), shape_of(graph, task), ns, self.running > 0);
        if let Some(keeper) = self.policy.keeper() {
            keeper.ended(self.in_vain(number), device, false, &self.shared);
        }
        true
    }
}
