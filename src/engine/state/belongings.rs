//! What the EDT that runs on a thread has for itself until it ends.

use crate::engine::state::answered::Answered;
use crate::object::data_block::DataBlock;
use crate::object::guid::Guid;
use std::collections::HashMap;
use std::ptr;

/// `ELS_USER_SIZE`: the slots of an EDT's local storage.
pub(crate) const LOCAL_SLOTS: usize = crate::abi::sys::ELS_USER_SIZE as usize;

/// What the EDT that runs has for itself until it ends.
#[derive(Default)]
pub(crate) struct Belongings {
    /// Whether the EDT's end has to see to one of those below (`end_belongings`).
    pub any: bool,
    /// The local storage of the EDT.
    pub edt_local: [Guid; LOCAL_SLOTS],
    /// Completion events that the EDT was given.
    pub(crate) completions: Vec<Guid>,
    /// Whether the EDT has a group of calls open (`calls/by_value.rs`).
    in_group: bool,
    /// The blocks that the EDT got by waiting for an event.
    pub answered: Answered,
    /// The slots of an EDT with many, by block, once it has released one of them.
    pub slots_by_block: HashMap<Guid, u32>,
}

impl Belongings {
    /// Begins a group of the EDT. False if one is open.
    pub(crate) fn begin_group(&mut self) -> bool {
        self.any = true;
        !std::mem::replace(&mut self.in_group, true)
    }

    /// Ends the group. False if none is open.
    pub(crate) fn end_group(&mut self) -> bool {
        std::mem::take(&mut self.in_group)
    }

    /// Whether a group is open.
    pub(crate) fn is_in_group(&self) -> bool {
        self.in_group
    }

    /// Empties all that the next EDT must not find, but for the completion events and the blocks that were answered.
    pub(crate) fn clear(&mut self) {
        self.edt_local = [Guid::NULL; LOCAL_SLOTS];
        self.in_group = false;
    }
}

/// The blocks that running code has created and not released: a list through the blocks.
pub(crate) struct HeldBlocks(*const DataBlock);

impl Default for HeldBlocks {
    fn default() -> HeldBlocks {
        HeldBlocks(ptr::null())
    }
}

impl HeldBlocks {
    /// The block that was created last; null if there is none.
    pub(crate) fn first(&self) -> *const DataBlock {
        self.0
    }

    /// Puts a block at the head.
    pub(crate) fn push(&mut self, block: &DataBlock) {
        let [before, after] = block.held_neighbours();
        before.set(ptr::null());
        after.set(self.0);
        // SAFETY: blocks in the list are held, so they are alive.
        if let Some(second) = unsafe { self.0.as_ref() } {
            second.held_neighbours()[0].set(block);
        }
        self.0 = block;
    }

    /// Takes out a block, which is in the list.
    pub(crate) fn remove(&mut self, block: &DataBlock) {
        let [before, after] = block.held_neighbours().map(std::cell::Cell::get);
        // SAFETY: neighbours in the list are held, so they are alive.
        match unsafe { before.as_ref() } {
            Some(before) => before.held_neighbours()[1].set(after),
            None => self.0 = after,
        }
        // SAFETY: the pointer is null or that of a neighbour in the list; neighbours are held, so they are alive.
        if let Some(after) = unsafe { after.as_ref() } {
            after.held_neighbours()[0].set(before);
        }
    }
}
