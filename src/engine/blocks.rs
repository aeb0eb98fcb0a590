//! Data blocks, as programs create, release and destroy them (OCR 1.1.0, 2.5).

use super::context::Context;
use crate::memory::{self, Left};
use crate::object::arena::Taken;
use crate::object::data_block::{DataBlock, LIVE, Mark, OutOfMemory};
use crate::object::edt::{Mode, PreSlot};
use crate::object::guid::Guid;
use crate::object::header::Locked;
use crate::object::place::Place;
use crate::sync::Spin;
use std::collections::HashSet;
use std::ptr;
use std::sync::atomic::Ordering;

/// Why a block is not released or destroyed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BlockError {
    /// The GUID names no block.
    NoSuchBlock,
    /// The block has been destroyed.
    Destroyed,
    /// The caller has not acquired the block, or has released it.
    NotAcquired,
}

/// EDTs with more pre-slots than this get an index of them when they release a block.
const MANY_SLOTS: usize = 16;

/// The blocks that the running code was told of as the answer to its waiting. It holds none of them
/// (see `block.rs`), but programs release them all the same.
#[derive(Default)]
pub struct Answered {
    /// Who was told ([`Context::holder`]).
    by: usize,
    blocks: HashSet<Guid>,
}

impl Answered {
    /// Notes what the running code, which this token stands for, was told of.
    pub fn add(&mut self, by: usize, block: Guid) {
        if self.by != by {
            self.blocks.clear();
            self.by = by;
        }
        if !block.is_null() {
            self.blocks.insert(block);
        }
    }

    /// Forgets them: who was told has ended.
    pub fn clear(&mut self) {
        self.blocks.clear();
    }

    /// Whether the block is one of them; it is not any more.
    fn take(&mut self, by: usize, block: Guid) -> bool {
        self.by == by && self.blocks.remove(&block)
    }
}

impl Context {
    /// Creates a block, and acquires it for the caller unless `acquire` is false. Returns its GUID
    /// and address (null if it is not acquired).
    pub fn create_block(
        &mut self,
        size: u64,
        acquire: bool,
    ) -> Result<(Guid, *mut u8), OutOfMemory> {
        let blocks = &self.runtime.objects.data_blocks;
        let block = blocks.allocate(&mut self.caches.data_blocks, size, acquire)?;
        Ok(self.begin_block(block, acquire))
    }

    /// As [`Context::create_block`], on a label.
    pub fn create_block_on(
        &mut self,
        label: Guid,
        size: u64,
        acquire: bool,
    ) -> Result<Result<(Guid, *mut u8), Taken>, OutOfMemory> {
        let blocks = &self.runtime.objects.data_blocks;
        let block = blocks.allocate_on(label, size, acquire)?;
        Ok(block.map(|block| self.begin_block(block, acquire)))
    }

    fn begin_block(&mut self, block: &'static DataBlock, acquire: bool) -> (Guid, *mut u8) {
        let address = block.host_ptr();
        if acquire {
            memory::hold_at_creation(block);
            block.creator.store(self.holder(), Ordering::Relaxed);
            self.hold(block);
        }
        block.header.publish(block.header.peek().with_state(LIVE));
        (block.guid(), address)
    }

    /// Puts a block at the head of those that the running code holds by having created them.
    fn hold(&mut self, block: &DataBlock) {
        let [before, after] = block.held_neighbours();
        before.set(ptr::null());
        after.set(self.held);
        // SAFETY: blocks in the list are held, so they are alive.
        if let Some(second) = unsafe { self.held.as_ref() } {
            second.held_neighbours()[0].set(block);
        }
        self.held = block;
    }

    fn unhold(&mut self, block: &DataBlock) {
        let [before, after] = block.held_neighbours().map(|neighbour| neighbour.get());
        // SAFETY: neighbours in the list are held, so they are alive.
        match unsafe { before.as_ref() } {
            Some(before) => before.held_neighbours()[1].set(after),
            None => self.held = after,
        }
        // SAFETY: as above.
        if let Some(after) = unsafe { after.as_ref() } {
            after.held_neighbours()[0].set(before);
        }
    }

    /// Releases everything that the running code created and still holds.
    pub fn release_held(&mut self) {
        // SAFETY: blocks in the list are held, so they are alive.
        while let Some(block) = unsafe { self.held.as_ref() } {
            self.release_created(block);
        }
    }

    fn release_created(&mut self, block: &'static DataBlock) {
        self.release_created_locked(block, block.header.lock_pinned());
    }

    fn release_created_locked(&mut self, block: &'static DataBlock, locked: Locked<'_>) {
        self.unhold(block);
        block.creator.store(0, Ordering::Relaxed);
        let left = memory::release_locked(block, locked, Mode::Rw, Place::HOST, &mut self.granted);
        self.dispose_if(block, left);
    }

    /// The pre-slot through which the running EDT holds a block.
    pub(super) fn slot_of(&mut self, guid: Guid) -> Option<&'static PreSlot> {
        let edt = self.current?;
        let slots = edt.slots();
        let slot = if slots.len() <= MANY_SLOTS {
            slots
                .iter()
                .find(|slot| slot.data() == guid && !slot.info().duplicate)?
        } else {
            if self.slots_by_block.is_empty() {
                let blocks = edt.blocks().map(|(at, slot)| (slot.data(), at));
                self.slots_by_block.extend(blocks);
            }
            &slots[*self.slots_by_block.get(&guid)? as usize]
        };
        (!slot.info().released).then_some(slot)
    }

    /// `ocrDbRelease`: what was written is visible to those who acquire the block from now on.
    pub fn release_block(&mut self, guid: Guid) -> Result<(), BlockError> {
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
                None if self.answered.take(self.holder(), guid) => {}
                None => return Err(BlockError::NotAcquired),
            }
        }
        self.work_off();
        Ok(())
    }

    fn release_slot(&mut self, block: &'static DataBlock, slot: &PreSlot) {
        let mut info = slot.info();
        info.released = true;
        slot.set_info(info);
        self.leases.end_of(slot.data(), &mut self.granted);
        let left = memory::release(block, info.mode, Place::HOST, &mut self.granted);
        self.dispose_if(block, left);
    }

    /// `ocrDbDestroy`: nobody can acquire the block from now on; it is freed when nobody uses it.
    /// If the running code holds it, it is released.
    pub fn destroy_block(&mut self, guid: Guid) -> Result<(), BlockError> {
        let blocks = &self.runtime.objects.data_blocks;
        let spin = Spin::default();
        let (block, locked) = loop {
            let Some((block, locked)) = blocks.lock(guid) else {
                return Err(match blocks.was_freed(guid) {
                    true => BlockError::Destroyed,
                    false => BlockError::NoSuchBlock,
                });
            };
            if !block.has(Mark::Watched) {
                break (block, locked);
            }
            // Strict mode looks at it, and waits for nobody.
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
            self.answered.take(self.holder(), guid);
            self.dispose_if(block, left);
        } else if created {
            self.release_created(block);
        } else if let Some(slot) = self.slot_of(guid) {
            self.release_slot(block, slot);
        }
        self.work_off();
        Ok(())
    }

    /// Makes a block that was just created one that is written once.
    pub fn write_once(&self, guid: Guid) {
        if let Some((block, locked)) = self.runtime.objects.data_blocks.lock(guid) {
            block.mark(&locked, Mark::WrittenOnce);
        }
    }

    /// Whether this is a block that was to be written once, and was. Writes nothing: many EDTs may name
    /// one block.
    pub fn is_written_once(&self, guid: Guid) -> bool {
        let blocks = &self.runtime.objects.data_blocks;
        blocks.exists(guid) && blocks.pinned(guid).has(Mark::Written)
    }

    /// The size of a block that is not destroyed, in bytes.
    pub fn block_size(&self, guid: Guid) -> Option<u64> {
        let (block, locked) = self.runtime.objects.data_blocks.lock(guid)?;
        (!block.is_destroyed(&locked)).then(|| block.size())
    }
}
