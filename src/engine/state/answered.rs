//! The blocks that were passed to running code as the answer to its waiting.

use crate::object::guid::Guid;
use std::collections::HashSet;

/// The blocks that were passed to the running code as the answer to its waiting. It holds none of them
/// (see `workers/wait.rs`), but programs release them all the same.
#[derive(Default)]
pub(crate) struct Answered {
    /// The EDT or thread that the block was passed to ([`crate::engine::state::context::Context::holder`]).
    by: usize,
    blocks: HashSet<Guid>,
}

impl Answered {
    /// Notes what was passed to the running code, which this token stands for.
    pub(crate) fn add(&mut self, by: usize, block: Guid) {
        if self.by != by {
            self.blocks.clear();
            self.by = by;
        }
        if !block.is_null() {
            self.blocks.insert(block);
        }
    }

    /// Forgets the blocks, since the code that they were passed to has ended.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
    }

    /// Whether the block is one of them; it is not any more.
    pub(crate) fn take(&mut self, by: usize, block: Guid) -> bool {
        self.by == by && self.blocks.remove(&block)
    }
}
