//! The blocks that were passed to running code as the answer to its waiting.

use crate::object::guid::Guid;
use std::collections::HashSet;

/// The blocks that were passed to the running code as the answer to its waiting. It holds those of other nodes alone
/// (see `workers/wait.rs`), but programs release them all the same.
#[derive(Default)]
pub(crate) struct Answered {
    /// The EDT or thread that the block was passed to ([`crate::engine::state::context::Context::holder`]).
    by: usize,
    blocks: HashSet<Guid>,
}

impl Answered {
    /// Notes what was passed to the running code, which this token stands for. False if it had the block already.
    pub(crate) fn add(&mut self, by: usize, block: Guid) -> bool {
        if self.by != by {
            self.blocks.clear();
            self.by = by;
        }
        block.is_null() || self.blocks.insert(block)
    }

    /// Forgets the blocks, since the code that they were passed to has ended, and returns them.
    pub(crate) fn take_all(&mut self) -> HashSet<Guid> {
        std::mem::take(&mut self.blocks)
    }

    /// Whether the block is one of them; it is not any more.
    pub(crate) fn take(&mut self, by: usize, block: Guid) -> bool {
        self.by == by && self.blocks.remove(&block)
    }
}
