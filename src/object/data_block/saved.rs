//! Data blocks in a checkpoint: the content that is on the host, and what does not come from who uses the block. No EDT
//! has a block when a run goes on from it: those that had it acquire it anew.

use super::memory::{Start, allocate_memory};
use super::{BlockState, DataBlock, DataBlocks, Mark};
use crate::object::saved::Saved;
use ocr_base::sync::Ordering;
use ocr_place::place::{Place, PlaceSet};
use std::io;

/// What stays of the marks of a block.
const KEPT: u32 = Mark::Destroyed as u32 | Mark::WrittenOnce as u32 | Mark::Written as u32 | Mark::Private as u32;

impl DataBlocks {
    /// Passes all blocks through a checkpoint.
    pub(in crate::object) fn pass(&self, file: &mut Saved<'_>) -> io::Result<()> {
        self.blocks.pass(file, |file, index, block| block.pass(file, index))?;
        self.any_hinted.store(file.word(self.any_hinted())?, Ordering::Relaxed);
        self.hints.pass(file)
    }
}

impl DataBlock {
    fn pass(&self, file: &mut Saved<'_>, index: u32) -> io::Result<()> {
        if self.header.pass(file)?.state() == BlockState::Free {
            return Ok(());
        }
        let second = &self.second;
        let size = file.word(self.size())?;
        let marks = file.word(second.marks.load(Ordering::Relaxed) & KEPT)?;
        let hinted = file.word(second.hinted.get())?;
        // SAFETY: no other thread changes a block while a checkpoint is written or read.
        let copies = unsafe { &mut *second.copies.get() };
        let written = file.word(!copies.valid.is_empty())?;
        let has_host = file.word(copies.has_host)?;
        if !file.restores() {
            if has_host {
                // SAFETY: host memory has as many bytes as the block, and no other thread writes them now.
                unsafe { file.content(index, self.host_ptr(), size as usize) }?;
            }
            return Ok(());
        }
        let allocated = has_host.then(|| allocate_memory(size, false, Start::Anything)).transpose();
        let memory = allocated.map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.begin(index, size, memory, false);
        second.marks.store(marks, Ordering::Relaxed);
        second.hinted.set(hinted);
        copies.valid = if written { PlaceSet::only(Place::HOST) } else { PlaceSet::EMPTY };
        if let Some((_, host)) = memory {
            // SAFETY: the memory was allocated just now, for a block of this size.
            unsafe { file.content(index, host.as_ptr(), size as usize) }?;
        }
        Ok(())
    }
}
