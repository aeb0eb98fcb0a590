//! The blocks that running code holds by having created them, and the pre-slot through which it holds others.

use crate::engine::state::context::Context;
use crate::memory;
use crate::object::data_block::{DataBlock, LockedBlock};
use crate::object::edt::{Mode, PreSlot};
use crate::object::guid::Guid;
use ocr_place::place::Place;
use std::sync::atomic::Ordering;

/// EDTs with more pre-slots than this get an index of them when they release a block.
const MANY_SLOTS: usize = 16;

impl Context {
    /// Releases everything that the running code created and still holds.
    pub(crate) fn release_held(&mut self) {
        // SAFETY: blocks in the list are held, so they are alive.
        while let Some(block) = unsafe { self.held.first().as_ref() } {
            self.release_created(block);
        }
    }

    pub(crate) fn release_created(&mut self, block: &'static DataBlock) {
        self.release_created_locked(block, block.header.lock_pinned());
    }

    pub(crate) fn release_created_locked(&mut self, block: &'static DataBlock, locked: LockedBlock<'_>) {
        self.held.remove(block);
        block.creator.store(0, Ordering::Relaxed);
        let left = memory::release_locked(block, locked, Mode::Rw, Place::HOST, &mut self.steps.granted);
        self.dispose_if(block, left);
    }

    /// The pre-slot through which the running EDT holds a block.
    pub(crate) fn slot_of(&mut self, guid: Guid) -> Option<&'static PreSlot> {
        let edt = self.current?;
        let slots = edt.slots();
        let slot = if slots.len() <= MANY_SLOTS {
            slots.iter().find(|slot| slot.data() == guid && !slot.info().duplicate)?
        } else {
            if self.belongings.slots_by_block.is_empty() {
                let blocks = edt.blocks().map(|(at, slot)| (slot.data(), at));
                self.belongings.slots_by_block.extend(blocks);
            }
            &slots[*self.belongings.slots_by_block.get(&guid)? as usize]
        };
        (!slot.info().released).then_some(slot)
    }
}
