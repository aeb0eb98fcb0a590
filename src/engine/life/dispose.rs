//! The end of a data block that is not used any more: devices forget it, and its memory is freed.

use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::memory::Left;
use crate::object::data_block::{DataBlock, Mark};
use crate::object::name::BlockName;
use crate::protocol::borrower::GivenBack;

impl Context {
    /// Frees a block that is not used any more.
    pub(crate) fn dispose_if(&mut self, block: &'static DataBlock, left: Left) {
        if left != Left::Alive {
            if block.has_any([Mark::Chunk, Mark::Part, Mark::Guarded, Mark::Borrowed]) {
                self.dispose_marked(block);
            } else {
                self.dispose(block);
            }
        }
    }

    /// Frees a block that is not used any more, and that is a chunk, a part, or guarded: more than memory has to be
    /// given back.
    #[cold]
    fn dispose_marked(&mut self, block: &'static DataBlock) {
        if block.has(Mark::Chunk) && !self.end_chunk(block) {
            return;
        }
        if block.has(Mark::Part) {
            self.dispose_parts(block);
        } else {
            self.dispose_checked(block);
        }
    }

    fn dispose_checked(&mut self, block: &'static DataBlock) {
        if let Some(check) = &self.runtime.check {
            self.check_gone(check, block);
        }
        self.dispose(block);
    }

    /// Disposes of a part, and of those that go when it is gone, one after the other.
    #[cold]
    fn dispose_parts(&mut self, part: &'static DataBlock) {
        self.unused_parts.parts.push(part);
        if self.unused_parts.disposing {
            return;
        }
        self.unused_parts.disposing = true;
        while let Some(part) = self.unused_parts.parts.pop() {
            if self.bring_back(part) {
                self.dispose_checked(part);
            }
        }
        self.unused_parts.disposing = false;
    }

    /// Frees a block that is not used any more, as soon as no device knows it.
    fn dispose(&mut self, block: &'static DataBlock) {
        let resident = block.copies().resident;
        if resident.is_empty() {
            return self.free_block(block);
        }
        // Others may wait for what follows: for the label of the block, or for the whole that it is a part of.
        self.runtime.begin_outside();
        self.runtime.devices.forget(block, resident);
    }

    #[inline]
    fn free_block(&mut self, block: &'static DataBlock) {
        if block.has_any([Mark::Part, Mark::Borrowed]) {
            return self.free_part_or_copy(block);
        }
        self.runtime.objects.data_blocks.free(&mut self.caches.data_blocks, block);
    }

    /// Frees a part of a block, or a copy of a block of another node, and tells what waits for that.
    #[cold]
    fn free_part_or_copy(&mut self, block: &'static DataBlock) {
        let (guid, is_part) = (block.guid(), block.has(Mark::Part));
        let given_back = GivenBack::of(block.has(Mark::ToRead));
        if !is_part && given_back == GivenBack::Content && block.copy_out().is_err() {
            // It has memory of its own, but where a device has been given up that may still read it.
            fatal(&format!(
                "there is no memory to send {} back to its node. Let fewer objects be alive at a time, or start more nodes.",
                BlockName(guid)
            ));
        }
        let content = if is_part { None } else { block.take_memory() };
        self.runtime.objects.data_blocks.free(&mut self.caches.data_blocks, block);
        if is_part {
            self.part_gone(guid);
        } else {
            self.copy_is_gone(guid, content.filter(|_| given_back == GivenBack::Content));
        }
    }

    /// No device knows an unused block any more.
    pub(crate) fn forgotten(&mut self, block: &'static DataBlock) {
        self.free_block(block);
        self.work_off();
    }
}
