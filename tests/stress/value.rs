//! Contents that tasks of a random graph pass on by value: who passes what, when, and to whom.

use crate::far::FarSpec;
use crate::graph::{Block, Graph, Kind, Origin, Source, Task};
use serde::{Deserialize, Serialize};

/// Position in [`Graph::values`].
pub(crate) type Value = usize;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ValueSpec {
    /// The task whose body passes it on.
    pub(crate) by: Task,
    /// The pre-slot with the block. If none arrives there, nothing is passed on.
    pub(crate) slot: usize,
    pub(crate) when: When,
    /// The kind of the event that gets it; otherwise it goes to the pre-slot of an EDT.
    pub(crate) route: Option<Kind>,
    /// Whether the call stands in a group.
    pub(crate) grouped: bool,
    /// What arrives.
    pub(crate) copy: Block,
    /// Whether that is a part of the block and no copy.
    #[serde(default)]
    pub(crate) part: Option<FarSpec>,
}

/// When in the body a content is passed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum When {
    /// Before the body changes the block.
    Before,
    /// At once after that.
    After,
    /// At the end, if the body has the block until then and waits for nothing.
    Last,
}

impl Graph {
    /// What a task passes on.
    pub(crate) fn values_of(&self, task: Task) -> impl Iterator<Item = Value> + '_ {
        (0..self.values.len())
            .filter(move |&value| self.values[value].by == task && self.is_source(&Source::Value(value)))
    }

    /// The block whose content is passed on.
    pub(crate) fn passed(&self, value: Value) -> Option<Block> {
        let spec = &self.values[value];
        self.tasks[spec.by].slots[spec.slot].used()
    }

    /// When a content is passed on, as things are.
    pub(crate) fn when(&self, value: Value) -> When {
        let spec = &self.values[value];
        let (giver, block) = (&self.tasks[spec.by], self.passed(value));
        let mut slots = giver.slots.iter();
        let released = slots.any(|slot| slot.used() == block && slot.release);
        match spec.when {
            When::Last if released || !giver.waits.is_empty() => When::After,
            when => when,
        }
    }

    /// The task and the pre-slot that get a content.
    pub(crate) fn first_consumer(&self, value: Value) -> Option<(Task, usize)> {
        let source = Source::Value(value);
        self.tasks.iter().enumerate().find_map(|(task, spec)| {
            let at = spec.slots.iter().position(|slot| slot.source == source)?;
            Some((task, at))
        })
    }

    /// Whether a block is a copy that goes with its last consumer, and cannot be passed on.
    pub(crate) fn is_private(&self, block: Block) -> bool {
        match self.blocks[block].origin {
            Origin::Value(value) => self.values[value].part.is_none() && self.goes_at_once(value),
            _ => false,
        }
    }

    /// Whether what is passed on has to find those who want it.
    pub(crate) fn goes_at_once(&self, value: Value) -> bool {
        self.values[value].route.is_none_or(Kind::goes_at_once)
    }
}
