//! What happens when: the queue of a simulation.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// No time of a run is above this, in nanoseconds: some three years. Sums of such times have room in 64 bits.
pub(super) const LONGEST_NS: u64 = 100_000_000_000_000_000;

/// Something that happens at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    /// The thread of the link of a node sends what waits.
    Sends(u32),
    /// A batch is at its node, by its number.
    Arrives(u32),
    /// The thread of the link of a node has handled a message.
    Handled(u32),
    /// An EDT comes to its next call, or to its end.
    Step(u32),
    /// What waits for the end of an EDT may know of it.
    Told(u32),
}

#[derive(PartialEq, Eq)]
struct Entry {
    at: u64,
    /// Of equal times, what was entered first comes first.
    number: u64,
    moment: Moment,
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> Ordering {
        (self.at, self.number).cmp(&(other.at, other.number))
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What will happen, and what time it is.
#[derive(Default)]
pub(super) struct Agenda {
    entries: BinaryHeap<Reverse<Entry>>,
    entered: u64,
    /// The virtual time, in nanoseconds from the beginning.
    pub(super) now: u64,
}

impl Agenda {
    /// Has something happen at a time, which is not before now.
    pub(super) fn enter(&mut self, at: u64, moment: Moment) {
        debug_assert!(at >= self.now);
        self.entered += 1;
        self.entries.push(Reverse(Entry { at, number: self.entered, moment }));
    }

    /// What happens next. It is that time then.
    pub(super) fn next(&mut self) -> Option<Moment> {
        let Reverse(entry) = self.entries.pop()?;
        self.now = entry.at;
        Some(entry.moment)
    }
}
