//! Copies between blocks of a random graph (`ocrDbCopy`). A copy is a task: an EDT of the runtime with
//! the source in CONST and the destination in EW, whose output event is the completion event.
//!
//! Where it is certain what the words of the source are, it copies those, and where no other task writes
//! the words of the destination meanwhile, it copies to those. Otherwise it takes the margin: behind the
//! words that tasks work on, blocks that are copied have a few that no task changes, and then a place
//! for each copy that goes there. Who has such a block in EW spoils the margin and restores it, so a
//! copy that did not wait takes what is wrong, or is lost.

use crate::api::{self, CopyType, EINVAL, EPERM, Guid, NULL, check_one_of};
use crate::body::fill;
use crate::graph::*;
use crate::maps::Key;
use crate::oracle::{self, Moment, Order, certain, op};
use crate::run::Running;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Words of a margin that no task changes.
const FIXED: u32 = 4;
/// The most bytes that are copied to a margin.
const MOST: u32 = 256;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct CopySpec {
    /// Whether words of the source are copied, and not of its margin.
    pub(crate) reads: bool,
    /// Whether they go to words of the destination, and not to its margin.
    pub(crate) writes: bool,
    /// Bytes, or as many as there are.
    pub(crate) size: u32,
    /// Where in the source and in the destination, as far as there is room.
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// What is copied, in bytes.
pub(crate) struct Copied {
    pub(crate) source: Block,
    pub(crate) destination: Block,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) size: u32,
}

impl Graph {
    /// How many words a block has, with its margin.
    pub(crate) fn size(&self, block: Block) -> u32 {
        self.blocks[block].words + self.blocks[block].margin
    }

    /// Where a task copies from and to.
    fn copied_blocks(&self, task: Task) -> Option<(&CopySpec, Block, Block)> {
        let spec = &self.tasks[task];
        match (&spec.copy, &spec.slots[..]) {
            (Some(copy), [from, to]) => Some((copy, from.used()?, to.used()?)),
            _ => None,
        }
    }

    /// What a task copies.
    pub(crate) fn copied(&self, task: Task) -> Option<Copied> {
        let (copy, source, destination) = self.copied_blocks(task)?;
        let (sources, size) = self.source_of(copy, source, destination);
        let place = if copy.writes { 0..4 * self.blocks[destination].words } else { self.place_of(task, destination) };
        let within = |place: Range<u32>, at: u32| {
            let room = (place.end - place.start).saturating_sub(size);
            place.start + at % (room + 1)
        };
        Some(Copied { source, destination, from: within(sources, copy.from), to: within(place, copy.to), size })
    }

    /// Which bytes can be copied, and how many are.
    fn source_of(&self, copy: &CopySpec, source: Block, destination: Block) -> (Range<u32>, u32) {
        let words = self.blocks[source].words;
        let sources = match (copy.reads, self.has_margin(source)) {
            (true, _) => 0..4 * words,
            (false, true) => 4 * words..4 * (words + FIXED),
            (false, false) => 0..0,
        };
        let most = match (copy.writes, self.has_margin(destination)) {
            (true, _) => 4 * self.blocks[destination].words,
            (false, true) => MOST,
            (false, false) => 0,
        };
        let size = copy.size.min(sources.end - sources.start).min(most);
        (sources, size)
    }

    fn has_margin(&self, block: Block) -> bool {
        matches!(self.blocks[block].origin, Origin::Main | Origin::Keyed | Origin::Bare(_) | Origin::Made(_))
    }

    /// The copies to the margin of a block, and where there each goes, in bytes.
    fn places(&self, block: Block) -> impl Iterator<Item = (Task, Range<u32>)> + '_ {
        let mut end = 4 * (self.blocks[block].words + FIXED);
        (0..self.tasks.len()).filter_map(move |task| {
            let (copy, source, destination) = self.copied_blocks(task)?;
            if destination != block || copy.writes || !self.has_margin(block) {
                return None;
            }
            let start = end;
            let size = self.source_of(copy, source, destination).1;
            // One word more, so that it need not begin with a word.
            end += 4 * (size.div_ceil(4) + 1);
            Some((task, start..end))
        })
    }

    fn place_of(&self, task: Task, block: Block) -> Range<u32> {
        let mut places = self.places(block).filter(|(copy, _)| *copy == task);
        places.next().map_or(0..0, |(_, place)| place)
    }

    /// The words of a block's margin that must have been copied before a task starts.
    pub(crate) fn arrived(&self, order: &Order, block: Block, task: Task) -> Vec<Range<usize>> {
        let before = |copy| order.is_before(Moment::Complete(copy), Moment::Start(task));
        let places = self.places(block).filter(|&(copy, _)| before(copy));
        let words = |place: Range<u32>| place.start as usize / 4..place.end as usize / 4;
        places.map(|(_, place)| words(place)).collect()
    }
}

/// Makes functions without pre-slots of copies that do not have two blocks; false if there were some.
pub(crate) fn settle_copies(graph: &mut Graph) -> bool {
    let mut right = true;
    let copies: Vec<bool> = graph.tasks.iter().map(|spec| spec.copy.is_some()).collect();
    for slot in graph.tasks.iter_mut().flat_map(|spec| &mut spec.slots) {
        if let Source::Output(from, chain) = &mut slot.source
            && copies[*from]
        {
            // Nothing keeps a copy from running, so its event may trigger before there is a next one.
            let early = chain.iter_mut().filter(|kind| kind.goes_at_once());
            early.for_each(|kind| *kind = Kind::Sticky);
        }
    }
    for task in 0..graph.tasks.len() {
        let spec = &graph.tasks[task];
        let is_block = |slot: &Slot| matches!(slot.source, Source::Block(_));
        let two = matches!(&spec.slots[..], [from, to] if from.source != to.source);
        if spec.variant != Variant::Copy || two && spec.slots.iter().all(is_block) {
            continue;
        }
        right = false;
        let spec = &mut graph.tasks[task];
        spec.variant = Variant::Function;
        spec.copy = None;
        spec.slots.clear();
        spec.outcome = Outcome::Nothing;
    }
    right
}

/// Which copies take words and which the margins, and how long these are.
pub(crate) fn settle_margins(graph: &mut Graph, order: &Order) {
    loop {
        let (ops, _) = certain(graph, order);
        let mut changed = false;
        for (spec, ops) in graph.tasks.iter_mut().zip(&ops) {
            if let Some(copy) = &mut spec.copy {
                let before = copy.clone();
                copy.reads &= ops[0] & op::SEE != 0;
                copy.writes &= ops[1] & op::CHANGE != 0;
                changed |= *copy != before;
            }
        }
        if !changed {
            break;
        }
    }
    for block in 0..graph.blocks.len() {
        let copied = |task| graph.copied_blocks(task);
        let mut copies = (0..graph.tasks.len()).filter_map(copied);
        let copied = copies.any(|(_, from, to)| from == block || to == block);
        let words = graph.blocks[block].words;
        let end = graph.places(block).last().map(|(_, place)| place.end / 4);
        let margin = end.map_or(FIXED, |end| end - words);
        graph.blocks[block].margin = if copied && graph.has_margin(block) { margin } else { 0 };
    }
}

/// Copies bytes between the contents that the oracle knows.
pub(crate) fn copy_words(copied: &Copied, blocks: &mut [Vec<u32>]) {
    let bytes = |block: Block| blocks[block].iter().flat_map(|word| word.to_le_bytes());
    let source: Vec<u8> = bytes(copied.source).collect();
    let mut destination: Vec<u8> = bytes(copied.destination).collect();
    let (from, to, size) = (copied.from, copied.to, copied.size as usize);
    destination[to as usize..][..size].copy_from_slice(&source[from as usize..][..size]);
    let words = destination.as_chunks::<4>().0;
    blocks[copied.destination] = words.iter().copied().map(u32::from_le_bytes).collect();
}

impl Running {
    /// Starts a copy; the answer is its completion event, if somebody wants it. A source that no task
    /// needs any more goes with it.
    pub(crate) fn start_copy(&self, task: Task) -> Guid {
        let Some(copied) = self.graph.copied(task) else {
            return NULL;
        };
        let gone = self.graph.blocks[copied.source].destroyed_by == Some(task);
        let kind = match (gone, task % 2) {
            (true, _) => CopyType::PartitionBack,
            (_, 0) => CopyType::Plain,
            _ => CopyType::Partition,
        };
        let destination = (self.given_block(copied.destination, Mode::Ew), copied.to);
        let source = (self.given_block(copied.source, Mode::Const), copied.from);
        let wanted = self.graph.wants_output(task);
        if gone {
            self.begin_destruction(Key::Block(copied.source), source.0);
        }
        api::copy(destination, source, copied.size, kind, wanted)
    }

    /// Fills a block by a copy of one that goes with the copy; the answer is its completion event.
    pub(crate) fn fill_by_copy(&self, block: Block) -> Guid {
        let size = self.graph.size(block);
        let (filled, address) = api::block(size, true);
        // SAFETY: the caller has just created it.
        let words = unsafe { crate::body::words(address, size) };
        fill(oracle::block_hash(block), words);
        api::release(filled);
        let destination = (self.blocks[block].guid.get(), 0);
        api::copy(destination, (filled, 0), 4 * size, CopyType::PartitionBack, true)
    }

    /// Keeps a completion event that does not go by itself.
    pub(crate) fn keep_event(&self, event: Guid) {
        match self.completions.lock() {
            Ok(mut events) => events.push(event),
            Err(poisoned) => poisoned.into_inner().push(event),
        }
    }

    /// Destroys these events, and looks whether what copies were to destroy is gone.
    pub(crate) fn end_copies(&self) {
        let events = match self.completions.lock() {
            Ok(events) => events,
            Err(poisoned) => poisoned.into_inner(),
        };
        events.iter().copied().for_each(api::destroy_event);
        for (block, spec) in self.graph.blocks.iter().enumerate() {
            let by_copy = |&task: &Task| self.graph.tasks[task].variant == Variant::Copy;
            if spec.destroyed_by.filter(by_copy).is_some() {
                check_one_of(
                    "ocrDbDestroy of a source that went with its copy",
                    api::try_destroy_block(self.blocks[block].guid.get()),
                    &[EPERM, EINVAL],
                );
            }
        }
    }
}
