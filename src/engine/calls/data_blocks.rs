//! Data blocks, as programs create, release and destroy them (OCR 1.1.0, 2.5).

use crate::engine::state::context::Context;
use crate::memory;
use crate::memory::Left;
use crate::object::arena::CreateOnLabelError;
use crate::object::data_block::{BlockState, DataBlock, Mark, OutOfMemoryError};
use crate::object::edt::{Mode, PreSlot};
use crate::object::guid::Guid;
use ocr_base::sync::Spin;
use ocr_place::place::Place;
use std::sync::atomic::Ordering;

/// Why a block is not released or destroyed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BlockError {
    /// The GUID names no block.
    NoSuchBlock,
    /// The block has been destroyed.
    Destroyed,
    /// The caller has not acquired the block, or has released it.
    NotAcquired,
}

impl Context {
    /// Creates a block, and acquires it for the caller unless `acquire` is false. Returns its GUID
    /// and address (null if it is not acquired).
    pub(crate) fn create_block(&mut self, size: u64, acquire: bool) -> Result<(Guid, *mut u8), OutOfMemoryError> {
        let blocks = &self.runtime.objects.data_blocks;
        let block = blocks.allocate(&mut self.caches.data_blocks, size, acquire)?;
        Ok(self.begin_block(block, acquire))
    }

    /// Creates a data block as [`Context::create_block`] does, on a label.
    pub(crate) fn create_block_on(
        &mut self,
        label: Guid,
        size: u64,
        acquire: bool,
    ) -> Result<(Guid, *mut u8), CreateOnLabelError> {
        let blocks = &self.runtime.objects.data_blocks;
        let block = blocks.allocate_on(label, size, acquire)?;
        Ok(self.begin_block(block, acquire))
    }

    fn begin_block(&mut self, block: &'static DataBlock, acquire: bool) -> (Guid, *mut u8) {
        let address = block.host_ptr();
        if acquire {
            self.hold_new(block);
        } else {
            block.header.publish(block.header.peek().with_state(BlockState::Live));
        }
        (block.guid(), address)
    }

    /// Publishes a new block, which the caller holds as its creator.
    pub(crate) fn hold_new(&mut self, block: &'static DataBlock) {
        memory::hold_at_creation(block);
        block.creator.store(self.holder(), Ordering::Relaxed);
        self.held.push(block);
        block.header.publish(block.header.peek().with_state(BlockState::Live));
    }

    /// Releases a block, as `ocrDbRelease` does: what was written is visible to EDTs that acquire the block from now
    /// on.
    pub(crate) fn release_block(&mut self, guid: Guid) -> Result<(), BlockError> {
        let objects = &self.runtime.objects;
        let Some((block, locked)) = objects.data_blocks.lock(guid) else {
            return Err(BlockError::NoSuchBlock);
        };
        if block.creator.load(Ordering::Relaxed) == self.holder() {
            self.release_created_locked(block, locked);
        } else {
            drop(locked);
            match self.slot_of(guid) {
                Some(slot) => self.release_slot(block, slot),
                None if self.belongings.answered.take(self.holder(), guid) => self.let_answered_go(guid),
                None => return Err(BlockError::NotAcquired),
            }
        }
        self.work_off();
        Ok(())
    }

    /// The running code has no more use for a block that it got by waiting. It holds those of other nodes.
    pub(crate) fn let_answered_go(&mut self, guid: Guid) {
        let blocks = &self.runtime.objects.data_blocks;
        if blocks.is_foreign(guid) {
            let block = blocks.pinned(guid);
            let left = memory::release(block, Mode::Ro, Place::HOST, &mut self.steps.granted);
            self.dispose_if(block, left);
        }
    }

    /// The running code ends, or the thread does.
    pub(crate) fn let_all_answered_go(&mut self) {
        for guid in self.belongings.answered.take_all() {
            self.let_answered_go(guid);
        }
    }

    fn release_slot(&mut self, block: &'static DataBlock, slot: &PreSlot) {
        let mut info = slot.info();
        info.released = true;
        slot.set_info(info);
        self.leases.end_of(slot.data(), &mut self.steps.granted);
        let left = memory::release(block, info.mode, Place::HOST, &mut self.steps.granted);
        self.dispose_if(block, left);
    }

    /// `ocrDbDestroy`: no EDT can acquire the block from now on; it is freed when it is not used any more.
    /// If the running code holds it, it is released.
    pub(crate) fn destroy_block(&mut self, guid: Guid) -> Result<(), BlockError> {
        let blocks = &self.runtime.objects.data_blocks;
        let spin = Spin::default();
        let (block, locked) = loop {
            let Some((block, locked)) = blocks.lock(guid) else {
                return Err(if blocks.was_freed(guid) { BlockError::Destroyed } else { BlockError::NoSuchBlock });
            };
            if !block.has(Mark::Watched) {
                break (block, locked);
            }
            // Strict mode looks at it, and does not wait in turn.
            drop(locked);
            spin.wait();
        };
        if block.is_destroyed(&locked) {
            return Err(BlockError::Destroyed);
        }
        let created = block.creator.load(Ordering::Relaxed) == self.holder();
        let part = block.has(Mark::Part);
        let left = memory::destroy(block, locked);
        if part {
            blocks.partitions.destroyed(guid);
        }
        if left == Left::Unused {
            self.belongings.answered.take(self.holder(), guid);
            self.dispose_if(block, left);
        } else if created {
            self.release_created(block);
        } else if let Some(slot) = self.slot_of(guid) {
            self.release_slot(block, slot);
        }
        if blocks.partitions.exist() {
            // Other nodes that have it give it back.
            self.recall(guid);
        }
        self.work_off();
        Ok(())
    }

    /// Makes a block that was just created one that is written once.
    pub(crate) fn write_once(&self, guid: Guid) {
        if let Some((block, locked)) = self.runtime.objects.data_blocks.lock(guid) {
            block.mark(&locked, Mark::WrittenOnce);
        }
    }

    /// Whether this is a block that was to be written once, and was. Writes nothing: many EDTs may name
    /// one block.
    pub(crate) fn is_written_once(&self, guid: Guid) -> bool {
        let blocks = &self.runtime.objects.data_blocks;
        blocks.exists(guid) && blocks.pinned(guid).has(Mark::Written)
    }

    /// The size of a block that is not destroyed, in bytes.
    pub(crate) fn block_size(&self, guid: Guid) -> Option<u64> {
        let (block, locked) = self.runtime.objects.data_blocks.lock(guid)?;
        (!block.is_destroyed(&locked)).then(|| block.size())
    }
}
