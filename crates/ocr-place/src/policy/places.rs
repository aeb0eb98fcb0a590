//! The queues of all places, and in what time an EDT has ended in each of them. Times are nanoseconds.

use super::interface::{Candidate, KeptEdt, Machine};
use super::queue::{COMMITTED_MOST_NS, Queue, QueuedEdt};
use super::told::Expected;
use crate::place::Place;

/// The queues of all places, the host's first.
pub(super) struct Places(Vec<Queue>);

impl Places {
    pub(super) fn new() -> Places {
        Places(Vec::new())
    }

    /// Has queues for all places that there are by now, and looks what the places have to do.
    pub(super) fn complete(&mut self, machine: &dyn Machine, now: u64) {
        while self.0.len() <= machine.devices() {
            let place = self.0.len().checked_sub(1).map_or(Place::HOST, Place::device);
            self.0.push(Queue::new(place));
        }
        self.0.iter_mut().for_each(|queue| queue.look_at(machine, now));
    }

    pub(super) fn of(&mut self, place: Place) -> &mut Queue {
        &mut self.0[index(place)]
    }

    pub(super) fn get(&self, place: Place) -> &Queue {
        &self.0[index(place)]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Queue> {
        self.0.iter()
    }

    /// The places whose queues these are.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> + use<> {
        let devices = self.0.len().saturating_sub(1);
        std::iter::once(Place::HOST).chain((0..devices).map(Place::device))
    }

    /// In what time the blocks of an EDT are in a place; none if it cannot run there.
    fn copies_in(&self, kept: &KeptEdt, place: Place, now: u64) -> Option<u64> {
        let candidate = (kept.candidates.iter()).find(|candidate| candidate.place == place)?;
        let behind = candidate.behind.map(|device| self.get(device).given_ns(now));
        // Blocks come to a device behind those of the EDTs that it was given.
        let link = match place {
            Place::HOST => 0,
            _ if candidate.copy_ns == 0 => 0,
            device => self.get(device).link_free_in(now),
        };
        Some(candidate.copy_ns + link.max(behind.unwrap_or(0)))
    }

    /// Whether the blocks of an EDT are all in a place.
    pub(super) fn is_there(kept: &KeptEdt, place: Place) -> bool {
        let there = |one: &Candidate| one.copy_ns == 0 && one.behind.is_none();
        kept.candidates.iter().any(|one| one.place == place && there(one))
    }

    /// In what time no other place than this one would have ended the EDT whose turn it is here, if it began now;
    /// halved, since times may be wrong.
    pub(super) fn safe_ns(&self, place: Place) -> u64 {
        let Some(next) = self.get(place).line().get(0) else {
            return 0;
        };
        let others = (next.kept.candidates.iter()).filter(|candidate| candidate.place != place);
        let ns = |other: &Candidate| {
            let ns = (next.kept.times).expected(other.place, &next.kept.shape);
            ns.map_or(0, |ns| (ns + other.copy_ns) / 2)
        };
        others.map(ns).min().unwrap_or(COMMITTED_MOST_NS)
    }

    /// A place is given an EDT. True if it has to wait for blocks.
    pub(super) fn give(&mut self, kept: &KeptEdt, place: Place, now: u64) -> bool {
        let copies = self.copies_in(kept, place, now).unwrap_or(0);
        self.of(place).give(kept, copies, now);
        copies != 0
    }

    /// What is expected of an EDT in a place behind `before` of those that wait there; none where it cannot run there.
    pub(super) fn expected(&self, kept: &KeptEdt, place: Place, before: usize, now: u64) -> Option<Expected> {
        let queue = self.get(place);
        let copies = self.copies_in(kept, place, now)?;
        let ahead = queue.part(before, queue.line().len());
        Some(queue.expected(kept, copies, ahead, now))
    }

    /// In what time it has ended then; none where its time is not known.
    fn end_behind(&self, kept: &KeptEdt, place: Place, before: usize, now: u64) -> Option<u64> {
        self.expected(kept, place, before, now)?.end_ns()
    }

    /// In what time an EDT has ended that comes to wait for a place.
    pub(super) fn end_of_new(&self, one: &QueuedEdt, place: Place, now: u64) -> Option<u64> {
        let before = self.get(place).line().before(one.key);
        self.end_behind(&one.kept, place, before, now)
    }

    /// In what time the EDT of this number in the line of a place has ended.
    pub(super) fn end_of(&self, place: Place, at: usize, now: u64) -> Option<u64> {
        let one = self.get(place).line().get(at)?;
        self.end_behind(&one.kept, place, at, now)
    }

    /// In what time an EDT has ended that a place takes now, before those that wait there.
    pub(super) fn end_of_next(&self, kept: &KeptEdt, place: Place, now: u64) -> Option<u64> {
        self.end_behind(kept, place, 0, now)
    }

    /// Whether a device computes on the cores of the workers.
    pub(super) fn any_shares_cores(&self, machine: &dyn Machine) -> bool {
        self.places().any(|place| place != Place::HOST && machine.shares_cores(place).is_some())
    }

    /// An EDT that another place works on and that `place`, which has nothing to do, should run, too.
    pub(super) fn duplicate(&mut self, place: Place, now: u64) -> Option<usize> {
        self.0.iter_mut().find_map(|queue| queue.duplicate(place, now))
    }

    /// From when on there is such an EDT; none if nothing that runs will be one.
    pub(super) fn next_duplicate(&self, place: Place) -> Option<u64> {
        self.0.iter().filter_map(|queue| queue.next_duplicate(place)).min()
    }

    /// An EDT has ended that was given to this place, or to another, if it has failed there.
    pub(super) fn ended(&mut self, edt: usize, place: Place, now: u64) -> Option<KeptEdt> {
        let here = self.of(place).ended(edt, now);
        here.or_else(|| self.0.iter_mut().find_map(|queue| queue.ended(edt, now)))
    }
}

fn index(place: Place) -> usize {
    place.device_index().map_or(0, |device| device + 1)
}
