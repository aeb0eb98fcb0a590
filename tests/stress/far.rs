//! Parts of divided blocks that go elsewhere, in a random graph (`ocrDbPartition`). What a task passes on
//! need not be a copy of its block (`value.rs`): it may be a part of it. A part is a block as others are:
//! it goes to EDTs and through events, tasks have it in all modes, together with other blocks, copy it,
//! pass its content on by value, divide it again, and destroy it; the last parts go at the end of all.
//!
//! No task gets the whole while there is a part, and who waits for it may hold what others need. So all
//! others who use the whole are done before the task that passes the part on starts, or start after
//! the part was destroyed. Where that is not so, they do without, or the content is passed on by value.

use crate::api::{self, Guid};
use crate::graph::*;
use crate::oracle::{Moment, Order};
use crate::run::{Running, fail};
use crate::settle::brings;
use crate::value::{Value, ValueSpec};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::atomic::Ordering::SeqCst;

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct FarSpec {
    /// Words between it and the part before, of those that the task makes of the block.
    pub(crate) gap: u32,
    pub(crate) words: u32,
    /// Whether with `OCR_DB_PARTITION_STATIC`, where it is the only one.
    pub(crate) fixed: bool,
    /// Whether others do without the whole who may want it meanwhile.
    pub(crate) alone: bool,
}

/// A block that is a part.
pub(crate) struct Far {
    pub(crate) value: Value,
    pub(crate) whole: Block,
    /// Words of the whole.
    pub(crate) place: Range<u32>,
}

impl Far {
    pub(crate) fn words(&self) -> Range<usize> {
        self.place.start as usize..self.place.end as usize
    }
}

impl Graph {
    /// The parts that a task makes of a block to pass them on.
    fn parts_passed(&self, task: Task, whole: Block) -> Vec<(Value, &FarSpec)> {
        let values = (0..self.values.len()).filter_map(|value| {
            let spec = &self.values[value];
            let part = spec.part.as_ref()?;
            (spec.by == task && self.passed(value) == Some(whole)).then_some((value, part))
        });
        values.collect()
    }

    /// Whether a task passes parts of a block on.
    pub(crate) fn passes_part(&self, task: Task, whole: Block) -> bool {
        !self.parts_passed(task, whole).is_empty()
    }

    /// What a block is a part of.
    pub(crate) fn far(&self, block: Block) -> Option<Far> {
        let Origin::Value(value) = self.blocks[block].origin else {
            return None;
        };
        let spec: &ValueSpec = &self.values[value];
        let whole = spec.part.as_ref().and_then(|_| self.passed(value))?;
        let most = self.blocks[whole].words;
        let mut place = 0..0;
        for (other, part) in self.parts_passed(spec.by, whole) {
            let start = part.gap.saturating_add(place.end).min(most);
            place = start..part.words.saturating_add(start).min(most);
            if other == value {
                break;
            }
        }
        Some(Far { value, whole, place })
    }

    /// The wholes that a block is in, from the innermost.
    pub(crate) fn wholes(&self, block: Block) -> impl Iterator<Item = Block> + '_ {
        let whole = |&block: &Block| self.far(block).map(|far| far.whole);
        std::iter::successors(whole(&block), whole)
    }

    /// Whether a block is a part that no task destroys before the end, where its whole is looked at.
    pub(crate) fn is_left_in_whole(&self, block: Block) -> bool {
        let left = |block: Block| self.blocks[block].destroyed_by.is_none();
        left(block) && self.far(block).is_some_and(|far| left(far.whole))
    }

    /// What a task changes in parts is in the wholes in the end.
    pub(crate) fn fold_parts(&self, task: Task, blocks: &mut [Vec<u32>]) {
        let slots = self.tasks[task].slots.iter();
        for part in slots.filter_map(Slot::used) {
            let mut inner = part;
            while let Some(far) = self.far(inner) {
                // Otherwise no task looks at it again.
                let by = self.values[far.value].by;
                if self.blocks[far.whole].destroyed_by == Some(by) {
                    break;
                }
                let content = blocks[inner].clone();
                blocks[far.whole][far.words()].copy_from_slice(&content);
                inner = far.whole;
            }
        }
    }

    /// Whether a task waits in a call for what brings a block, and so looks at it.
    fn looks_at(&self, task: Task, block: Block) -> bool {
        let mut waits = self.tasks[task].waits.iter();
        waits.any(|wait| brings(self, wait) == Some(block))
    }

    /// Whether a task needs a block.
    fn uses(&self, task: Task, block: Block) -> bool {
        let mut slots = self.tasks[task].slots.iter();
        slots.any(|slot| slot.used() == Some(block)) || self.looks_at(task, block)
    }

    /// Whether a part can be, if no other task is in the way.
    fn can_be(&self, far: &Far) -> bool {
        let giver = self.values[far.value].by;
        let mut slots = self.tasks[giver].slots.iter();
        // With the whole in RO the task would see what the part becomes.
        let read = slots.any(|slot| slot.used() == Some(far.whole) && slot.mode == Mode::Ro);
        !far.place.is_empty()
            && !read
            && !self.is_private(far.whole)
            && !self.looks_at(giver, far.whole)
            && self.divided(giver) != Some(far.whole)
    }

    /// Those who may want the whole of a part while there is the part.
    fn in_the_way(&self, far: &Far, order: &Order) -> Vec<Task> {
        let (giver, part) = (self.values[far.value].by, self.values[far.value].copy);
        let last = self.blocks[part].destroyed_by;
        let apart = |other: Task| {
            let complete = Moment::Complete(other);
            order.is_before(complete, Moment::Start(giver))
                || last.is_some_and(|last| order.is_before(Moment::Complete(last), Moment::Start(other)))
        };
        (0..self.tasks.len()).filter(|&other| other != giver && self.uses(other, far.whole) && !apart(other)).collect()
    }

    /// Has a task do without a block; false if it cannot.
    fn do_without(&mut self, task: Task, block: Block) -> bool {
        if self.looks_at(task, block) || self.tasks[task].variant == Variant::Copy {
            return false;
        }
        for slot in &mut self.tasks[task].slots {
            if slot.used() == Some(block) {
                slot.mode = Mode::Null;
                slot.in_depv = false;
            }
        }
        true
    }
}

/// No task waits in a call for a part that is not certain to be there yet.
pub(crate) fn settle_part_waits(graph: &mut Graph) {
    let values = &graph.values;
    for spec in &mut graph.tasks {
        let part = |wait: &Source| match wait {
            Source::Value(value) => values[*value].part.is_some(),
            _ => false,
        };
        spec.waits.retain(|wait| !part(wait));
    }
}

/// Has others do without the wholes of parts, or contents passed on by value where parts cannot be;
/// false if that has changed something.
pub(crate) fn settle_far(graph: &mut Graph, order: &Order) -> bool {
    for value in 0..graph.values.len() {
        let Some(part) = graph.values[value].part.clone() else {
            continue;
        };
        let far = graph.far(graph.values[value].copy);
        let far = far.filter(|far| graph.can_be(far));
        let others = far.as_ref().map(|far| graph.in_the_way(far, order));
        let right = match (far, others) {
            (Some(_), Some(others)) if others.is_empty() => continue,
            (Some(far), Some(others)) if part.alone && graph.is_source(&Source::Value(value)) => {
                others.iter().all(|&other| graph.do_without(other, far.whole))
            }
            _ => false,
        };
        if !right {
            graph.values[value].part = None;
        }
        return false;
    }
    true
}

impl Running {
    /// Makes the part that a task passes on.
    pub(crate) fn make_part(&self, far: &Far, whole: Guid) -> Guid {
        let spec = &self.graph.values[far.value];
        let fixed =
            spec.part.as_ref().is_some_and(|part| part.fixed) && self.graph.parts_passed(spec.by, far.whole).len() == 1;
        let parts = api::divide(whole, std::slice::from_ref(&far.place), fixed);
        self.blocks[spec.copy].guid.set(parts[0]);
        parts[0]
    }

    /// A task begins, or ends, to use a block: no task uses what that is a part of.
    pub(crate) fn use_within_wholes(&self, block: Block, begins: bool) {
        for whole in self.graph.wholes(block) {
            let state = &self.blocks[whole];
            if !begins {
                state.parts.fetch_sub(1, SeqCst);
                continue;
            }
            state.parts.fetch_add(1, SeqCst);
            if state.exclusive.load(SeqCst) + state.shared.load(SeqCst) != 0 {
                fail(format!("b{whole} is in use, and b{block}, a part of it"));
            }
        }
    }

    /// Destroys the parts that are left.
    pub(crate) fn end_parts(&self) {
        for (block, state) in self.blocks.iter().enumerate() {
            let known = state.guid.get().guid != 0;
            let stays = self.graph.wholes(block).any(|whole| self.graph.is_left(whole));
            if self.graph.is_left_in_whole(block) && known && !stays {
                api::destroy_block(state.guid.get());
            }
        }
    }
}
