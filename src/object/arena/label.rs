//! Labels: runs of slots that are set apart, so that programs know GUIDs before there are objects.
//!
//! Slot `i` of a run belongs to label `i`, in the one generation that the run has: the GUIDs are
//! contiguous. Reserving a run maps memory and touches none of it; a slot takes on the generation of
//! its label when the first object is made there (the protocol is in [`super::super::header`]).
//!
//! A free label can be claimed while its run is reserved. That is looked up under the read lock, under
//! which the claim itself is made, too: so a thread that has taken a run back knows that no slot of it will be
//! claimed any more. Slots that are free then serve later runs, in the next generation. Those of
//! objects that are still there do when the object has gone: the run waits for that as a thread does that
//! wants to create on a label (`super::super::waiting`), so that each comes back once.

use super::{Arena, Depot, Slot};
use crate::object::guid::Guid;
use crate::object::waiting::{Waiting, Wake};
use crate::object::zone::is_made_for_other;
use ocr_base::lock::{RwLock, rank};
use ocr_base::sync::preemption_point;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Why a label cannot be claimed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LabelTakenError {
    /// There is an object already.
    Exists,
    /// The GUID is no label of this kind of object, or not any more.
    NoLabel,
}

/// Why no object is created on a label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CreateOnLabelError {
    /// There is no memory for the object.
    OutOfMemory,
    /// The label cannot be claimed.
    Label(LabelTakenError),
}

impl From<LabelTakenError> for CreateOnLabelError {
    fn from(why: LabelTakenError) -> CreateOnLabelError {
        CreateOnLabelError::Label(why)
    }
}

/// The labels of one kind of object.
pub trait Labels {
    /// Sets `len` contiguous slots apart: the first, and their generation.
    fn reserve(&self, len: u32) -> Option<(u32, u32)>;
    /// Takes the run back that begins with this slot. Objects in it stay.
    fn give_back(&self, first: u32);
    /// Has `wake` called when the slot is free, now or later; at once, too, where what is in it does not go as `goes`
    /// says: it may be the next object by now.
    fn watch(&self, index: u32, goes: &dyn Fn() -> bool, wake: Wake);
    /// Whether the GUID is a label.
    fn is_label(&self, guid: Guid) -> bool;
    /// Whether the GUID is a label that has had no object yet.
    fn is_awaited(&self, guid: Guid) -> bool;
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct LabelRun {
    first: u32,
    len: u32,
    generation: u32,
}

impl LabelRun {
    /// The index behind the last, which may be greater than any.
    fn behind(self) -> u64 {
        u64::from(self.first) + u64::from(self.len)
    }
}

/// The runs of an arena.
#[derive(Default)]
pub(super) struct Runs {
    runs: RwLock<rank::LabelRuns, KnownRuns>,
    waiting: Waiting<u32, Watcher>,
}

/// What waits until the slot of a label is free.
enum Watcher {
    /// A waiting thread or call that must be woken.
    Wake(Wake),
    /// The run that it was in was given back. The generation in which it serves the next.
    GivenBack(u32),
}

#[derive(Clone, Default, Serialize, Deserialize)]
struct KnownRuns {
    /// The reserved runs, by their first slots.
    reserved: BTreeMap<u32, LabelRun>,
    /// Free for later runs, by their first slots. Neighbours in one generation are one.
    returned: BTreeMap<u32, LabelRun>,
}

/// What a checkpoint has of the labels of an arena.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct SavedLabels {
    runs: KnownRuns,
    /// The slots with objects whose runs were given back, and the generations in which they serve the next.
    given_back: Vec<(u32, u32)>,
}

impl SavedLabels {
    /// Whether a slot is set apart, and free for labels alone.
    pub(super) fn has(&self, index: u32) -> bool {
        let is_in = |runs: &BTreeMap<u32, LabelRun>| {
            let run = runs.range(..=index).next_back();
            run.is_some_and(|(&first, run)| index - first < run.len)
        };
        is_in(&self.runs.reserved) || is_in(&self.runs.returned)
    }
}

impl KnownRuns {
    fn is_label(&self, index: u32, generation: u32) -> bool {
        let run = self.reserved.range(..=index).next_back();
        run.is_some_and(|(&first, run)| index - first < run.len && run.generation == generation)
    }

    /// A part of a run that was given back.
    fn take(&mut self, len: u32) -> Option<LabelRun> {
        let (&first, _) = self.returned.iter().find(|(_, run)| run.len >= len)?;
        let run = self.returned.remove(&first)?;
        if run.len > len {
            let rest = LabelRun { first: first + len, len: run.len - len, ..run };
            self.returned.insert(rest.first, rest);
        }
        Some(LabelRun { len, ..run })
    }

    /// Adds slots that are free, if there are any.
    fn add(&mut self, mut run: LabelRun) {
        if run.len == 0 {
            return;
        }
        let before = self.returned.range(..run.first).next_back();
        if let Some((&first, before)) = before
            && before.generation == run.generation
            && before.behind() == u64::from(run.first)
        {
            run.first = first;
            run.len += before.len;
        }
        if let Ok(behind) = u32::try_from(run.behind())
            && let Some(next) = self.returned.get(&behind)
            && next.generation == run.generation
        {
            run.len += next.len;
            self.returned.remove(&behind);
        }
        self.returned.insert(run.first, run);
    }
}

impl<T: Slot> Labels for Arena<T> {
    fn reserve(&self, len: u32) -> Option<(u32, u32)> {
        let mut known = self.labels.runs.write();
        let run = match known.take(len) {
            Some(run) => run,
            None => LabelRun { first: self.reserve_fresh(len)?, len, generation: self.zone.first_label_generation() },
        };
        known.reserved.insert(run.first, run);
        Some((run.first, run.generation))
    }

    fn give_back(&self, first: u32) {
        let mut known = self.labels.runs.write();
        let Some(run) = known.reserved.remove(&first) else {
            return;
        };
        let Some(generation) = self.zone.label_generation_after(run.generation) else {
            return;
        };
        let part = |first: u64, behind: u64| LabelRun { first: first as u32, len: (behind - first) as u32, generation };
        let mut start = u64::from(run.first);
        let end = run.behind();
        for index in self.used_of(start..end) {
            if !self.comes_back(index, generation) {
                known.add(part(start, index.into()));
                start = u64::from(index) + 1;
            }
        }
        known.add(part(start, end));
    }

    fn watch(&self, index: u32, goes: &dyn Fn() -> bool, wake: Wake) {
        let is_so = || self.slot(index).header().is_vacant() || !goes();
        let watcher = Watcher::Wake(wake);
        if let Some(Watcher::Wake(wake)) = self.labels.waiting.wait(index, watcher, is_so) {
            wake();
        }
    }

    fn is_label(&self, guid: Guid) -> bool {
        let known = self.labels.runs.read();
        known.is_label(guid.index(), guid.generation())
    }

    fn is_awaited(&self, guid: Guid) -> bool {
        self.is_label(guid) && self.slot(guid.index()).header().is_awaited(guid.generation())
    }
}

impl<T: Slot> Arena<T> {
    /// What a checkpoint is to have of the labels.
    pub(super) fn saved_labels(&self) -> SavedLabels {
        let given_back = self.labels.waiting.all(|index, watcher| match watcher {
            Watcher::GivenBack(generation) => Some((index, *generation)),
            Watcher::Wake(_) => None,
        });
        SavedLabels { runs: self.labels.runs.read().clone(), given_back }
    }

    /// Takes the labels of a checkpoint over, when all slots have been.
    pub(super) fn restore_labels(&self, labels: SavedLabels) {
        *self.labels.runs.write() = labels.runs;
        for (index, generation) in labels.given_back {
            if self.comes_back(index, generation) {
                self.labels.runs.write().add(LabelRun { first: index, len: 1, generation });
            }
        }
    }

    /// Claims the slot of a label: it is like one that was just allocated, but others may wait for
    /// what becomes of it. The caller publishes an object.
    pub fn claim(&self, label: Guid) -> Result<&T, LabelTakenError> {
        let (index, generation) = (label.index(), label.generation());
        let slot = self.get(index).ok_or(LabelTakenError::NoLabel)?;
        loop {
            let Some(vacant) = slot.header().vacant() else {
                let word = slot.header().peek();
                return Err(if word.is_label() && word.generation() == generation {
                    LabelTakenError::Exists
                } else {
                    LabelTakenError::NoLabel
                });
            };
            let known = self.labels.runs.read();
            if !known.is_label(index, generation) {
                return Err(LabelTakenError::NoLabel);
            }
            debug_assert!(self.zone.owns(label), "the node does not have this label's objects");
            if slot.header().claim(vacant, generation) {
                self.note_use(index);
                drop(known);
                preemption_point(8);
                return Ok(slot);
            }
        }
    }

    /// Claims a label, as [`Arena::claim`] does, whose object leaves it to another; that object is in `state`.
    pub fn claim_from(&self, label: Guid, state: T::State) -> Option<&T> {
        let (index, generation) = (label.index(), label.generation());
        let slot = self.get(index)?;
        let known = self.labels.runs.read();
        let left = known.is_label(index, generation) && slot.header().claim_from(state, generation);
        left.then_some(slot)
    }

    /// Whether a slot is free whose run is given back. If not, that is seen to when it is.
    fn comes_back(&self, index: u32, generation: u32) -> bool {
        let is_free = || self.slot(index).header().is_vacant();
        let watcher = Watcher::GivenBack(generation);
        is_free() || self.labels.waiting.wait(index, watcher, is_free).is_some()
    }

    /// Tells those that wait for the slot of a label that it is free. One that another node has made for this one is
    /// told to that node.
    #[cold]
    pub(super) fn label_freed(&self, index: u32, generation: u32) {
        if is_made_for_other(generation) {
            return self.note_gone(index, generation);
        }
        for watcher in self.labels.waiting.take(index) {
            match watcher {
                Watcher::Wake(wake) => wake(),
                // Since the slot was freed it may have been in another run, which was given back with an object
                // in it: then this is what waits for that.
                Watcher::GivenBack(generation) => {
                    if self.comes_back(index, generation) {
                        self.labels.runs.write().add(LabelRun { first: index, len: 1, generation });
                    }
                }
            }
        }
    }

    /// Sets slots apart that were never handed out.
    fn reserve_fresh(&self, len: u32) -> Option<u32> {
        let depot: &mut Depot = &mut self.depot.lock();
        let first = depot.fresh;
        let end = first + u64::from(len);
        if end > self.zone.indices().end {
            return None;
        }
        // A label here and there is used: huge pages would touch what lies between.
        for number in first as usize / Self::PER_CHUNK..=(end - 1) as usize / Self::PER_CHUNK {
            self.chunk_for((number * Self::PER_CHUNK) as u32, false)?;
        }
        depot.fresh = end;
        #[cfg(loom)]
        (first..end).for_each(|index| self.begin_header(index as u32));
        Some(first as u32)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::super::tests::Thing;
    use super::*;
    use crate::object::arena::Cache;
    use crate::object::guid::Kind;
    use crate::object::header::TestState;

    fn label(first: u32, generation: u32, at: u32) -> Guid {
        Guid::new(Kind::Event, generation, first + at)
    }

    fn make(arena: &Arena<Thing>, label: Guid) -> Result<(), LabelTakenError> {
        let header = arena.claim(label)?.header();
        header.publish(header.peek().with_state(TestState::Live));
        Ok(())
    }

    fn destroy(arena: &Arena<Thing>, label: Guid) {
        let mut locked = arena.slot(label.index()).header().lock_pinned();
        let freed = locked.word.freed().expect("labels are not used up");
        locked.word = freed;
        drop(locked);
        arena.free(&mut Cache::default(), freed, label.index());
    }

    #[test]
    fn labels_are_apart_from_other_slots_and_come_again() {
        let arena = Arena::<Thing>::default();
        let mut cache = Cache::default();
        let (first, generation) = arena.reserve(1000).expect("memory");
        for _ in 0..if cfg!(miri) { 300 } else { 5000 } {
            let (index, slot) = arena.allocate(&mut cache).expect("memory");
            assert!(!(first..first + 1000).contains(&index));
            slot.header().publish(slot.header().peek().with_state(TestState::Live));
        }
        let label = label(first, generation, 999);
        for _ in 0..3 {
            assert_eq!(make(&arena, label), Ok(()));
            assert_eq!(make(&arena, label), Err(LabelTakenError::Exists));
            destroy(&arena, label);
        }
        let beyond = Guid::from_bits(label.bits() + 1);
        assert_eq!(make(&arena, beyond), Err(LabelTakenError::NoLabel));
        let stale = Guid::new(Kind::Event, generation + 1, label.index());
        assert_eq!(make(&arena, stale), Err(LabelTakenError::NoLabel));
    }

    #[test]
    fn a_run_that_is_given_back_serves_again_but_for_what_is_in_use() {
        let arena = Arena::<Thing>::default();
        let (first, generation) = arena.reserve(10).expect("memory");
        let in_use = label(first, generation, 4);
        assert_eq!(make(&arena, in_use), Ok(()));
        arena.give_back(first);
        assert_eq!(make(&arena, label(first, generation, 3)), Err(LabelTakenError::NoLabel));
        assert_eq!(make(&arena, in_use), Err(LabelTakenError::Exists));
        assert_eq!(arena.reserve(5), Some((first + 5, generation + 1)));
        assert_eq!(arena.reserve(4), Some((first, generation + 1)));
        destroy(&arena, in_use);
        assert_eq!(make(&arena, in_use), Err(LabelTakenError::NoLabel));
        assert_eq!(arena.reserve(1), Some((first + 4, generation + 1)));
        assert_eq!(make(&arena, label(first, generation + 1, 3)), Ok(()), "the same slot, in its new life");
    }

    #[test]
    fn slots_come_back_once_whoever_is_first() {
        const LEN: u32 = 8;
        let arena = Arena::<Thing>::default();
        let (first, mut generation) = arena.reserve(LEN).expect("memory");
        for _ in 0..if cfg!(miri) { 5 } else { 2000 } {
            let labels: Vec<Guid> = (0..LEN).map(|at| label(first, generation, at)).collect();
            labels.iter().for_each(|&label| assert_eq!(make(&arena, label), Ok(())));
            let start = std::sync::Barrier::new(3);
            std::thread::scope(|scope| {
                let (arena, start) = (&arena, &start);
                for half in labels.chunks(LEN as usize / 2) {
                    scope.spawn(move || {
                        start.wait();
                        half.iter().for_each(|&label| destroy(arena, label));
                    });
                }
                start.wait();
                arena.give_back(first);
            });
            // The runs are together again, and in one generation.
            generation += 1;
            assert_eq!(arena.reserve(LEN), Some((first, generation)));
        }
    }

    #[test]
    fn a_run_longer_than_a_chunk_is_reserved_and_one_too_long_refused() {
        let arena = Arena::<Thing>::default();
        let len = 3 * Arena::<Thing>::PER_CHUNK as u32;
        let (first, generation) = arena.reserve(len).expect("memory");
        let used = [0, len / 2, len - 1];
        for at in used {
            assert_eq!(make(&arena, label(first, generation, at)), Ok(()));
        }
        if !cfg!(miri) {
            assert_eq!(arena.live().map(|(at, ..)| at - first).collect::<Vec<_>>(), used);
        }
        assert_eq!(arena.reserve(u32::MAX), None);
        assert!(arena.reserve(1).is_some());
        arena.give_back(first);
        for at in used {
            destroy(&arena, label(first, generation, at));
        }
        assert_eq!(arena.reserve(len), Some((first, generation + 1)));
    }
}
