//! Blocks that no EDT holds, whose pages no thread can touch: an EDT that reads one behind its `ocrDbRelease` comes to
//! a signal there, whose handler has the program ended with this misuse.
//!
//! When an EDT has called `ocrDbRelease` and no other EDT has the block, its pages are closed, under the lock of its
//! header; before an EDT runs that has it, and before the runtime looks into it, they are opened. So an EDT of the
//! program that comes to closed pages does not hold the block. Only a read is reported here: a write is let through,
//! and reported with more when the EDT ends (`contents`).
//!
//! What else may touch a block holds nothing: a thread of the program to which `ocrLegacyBlockProgress` gave it, for
//! instance. A thread that runs no EDT opens the pages, in the handler of the signal, and goes on. Not closed are
//! blocks that others than EDTs of the host have to do with, since what touches them may be a system call or a device,
//! which fails where the pages are closed: parts and what has parts, chunks of files, contents passed by value, what a
//! device has, all once the program has a kernel, and what `ocrLegacyBlockProgress` has given to somebody. Blocks
//! without pages of their own are not closed either (`object::data_block::memory`).

use super::history::Who;
use super::{Check, Misuse, rules};
use crate::object::data_block::{DataBlock, LockedBlock, Pages};
use crate::object::guid::Guid;
use ocr_base::lock::{Mutex, MutexGuard, rank};
use ocr_base::text::Counted;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

#[derive(Clone, Copy)]
struct ClosedBlock {
    /// The pages of the block. None if they are never closed.
    pages: Option<Pages>,
    closed: bool,
}

/// The blocks whose pages are closed, or have been.
#[derive(Default)]
pub(crate) struct Closed {
    blocks: Mutex<rank::ClosedBlocks, HashMap<Guid, ClosedBlock>>,
    /// How many have an entry: no thread takes the lock where there is none.
    count: AtomicUsize,
    /// Whether the run ends, so that no pages are closed any more.
    over: AtomicBool,
}

/// What is at an address in the pages of a block.
#[derive(Clone, Copy)]
pub(crate) struct At {
    /// The block whose pages have the address.
    pub block: Guid,
    /// Which byte; before the start or behind the end it is one of a guard.
    pub byte: isize,
    /// The size of the block.
    pub len: usize,
    /// Whether the pages are closed.
    pub closed: bool,
}

impl Check {
    /// An EDT has read a block that no EDT holds. `instruction` is where, if that is known.
    pub(crate) fn read_released(
        &self,
        who: Who,
        (block, byte, len): (Guid, usize, usize),
        instruction: Option<String>,
    ) -> Box<Misuse> {
        let len = Counted(len as u64, "byte");
        let mut place = format!("in {who}, which read byte {byte} of the data block {block}, of {len}");
        if let Some(instruction) = instruction {
            place += &format!("; the instruction is {instruction}");
        }
        self.by_edt(who, place, &[block], rules::ReadReleased)
    }
}

impl Closed {
    /// A block was released. Its header stays locked meanwhile: an EDT that acquires it comes later, and opens it.
    pub(crate) fn close(&self, block: &DataBlock, locked: &LockedBlock<'_>) {
        if self.over.load(Ordering::Relaxed) {
            return;
        }
        let Some(pages) = block.pages_of_nobody(locked) else {
            return;
        };
        let mut blocks = self.blocks.lock();
        let entry = blocks.entry(block.guid()).or_insert(ClosedBlock { pages: Some(pages), closed: false });
        // Under the lock of the table, as `end` sets it.
        if entry.pages.is_some() && !entry.closed && !self.over.load(Ordering::Relaxed) {
            // SAFETY: the caller has locked the block, and `pages_of_nobody` has found it live, so it has not been
            // freed.
            entry.closed = unsafe { pages.let_touch(false) };
        }
        self.count.store(blocks.len(), Ordering::Relaxed);
    }

    /// Opens the pages of a block that the caller is about to touch. It holds the block, or looks at it where no thread
    /// frees it.
    pub(crate) fn open(&self, block: Guid) {
        // Relaxed: a thread that acquires a block has seen, by the lock of its header, what was done under that before.
        if self.count.load(Ordering::Relaxed) != 0
            && let Some(entry) = self.blocks.lock().get_mut(&block)
        {
            entry.open();
        }
    }

    /// Whether no thread can touch the pages of a block. Its header is locked, so that they are not closed meanwhile.
    pub(crate) fn has(&self, guid: Guid, _locked: &LockedBlock<'_>) -> bool {
        // Relaxed: what is closed was closed under the lock of the header, as in `open`.
        self.count.load(Ordering::Relaxed) != 0 && self.blocks.lock().get(&guid).is_some_and(|entry| entry.closed)
    }

    /// The block is not closed from now on.
    pub(crate) fn keep_open(&self, block: Guid) {
        let mut blocks = self.blocks.lock();
        let entry = blocks.entry(block).or_insert(ClosedBlock { pages: None, closed: false });
        entry.open();
        entry.pages = None;
        self.count.store(blocks.len(), Ordering::Relaxed);
    }

    /// No block is closed from now on.
    pub(crate) fn end(&self) {
        let mut blocks = self.blocks.lock();
        self.over.store(true, Ordering::Relaxed);
        blocks.values_mut().for_each(ClosedBlock::open);
    }

    /// A block is about to be freed.
    pub(super) fn forget(&self, block: Guid) {
        if self.count.load(Ordering::Relaxed) != 0 {
            let mut blocks = self.blocks.lock();
            if let Some(mut entry) = blocks.remove(&block) {
                entry.open();
            }
            self.count.store(blocks.len(), Ordering::Relaxed);
        }
    }

    /// The table, for the handler of a signal. A thread that has it does not touch blocks, and so gives it back soon.
    /// If it does not, there is something else wrong.
    fn soon(&self) -> Option<MutexGuard<'_, rank::ClosedBlocks, HashMap<Guid, ClosedBlock>>> {
        (0..1 << 20).find_map(|_| {
            std::hint::spin_loop();
            self.blocks.try_lock()
        })
    }
}

impl ClosedBlock {
    fn open(&mut self) {
        if let Some(pages) = self.pages.filter(|_| self.closed) {
            // SAFETY: a block has no entry any more when it is freed.
            self.closed = !unsafe { pages.let_touch(true) };
        }
    }
}

impl Check {
    /// What is at an address, if that is in pages of a block that are closed, or have been. For the handler of a
    /// signal.
    pub(crate) fn closed_at(&self, address: usize) -> Option<At> {
        let blocks = self.contents.closed.soon()?;
        blocks.iter().find_map(|(&block, entry)| {
            let pages = entry.pages.filter(|pages| pages.contain(address))?;
            Some(At { block, byte: address.wrapping_sub(pages.start) as isize, len: pages.len, closed: entry.closed })
        })
    }

    /// Opens the pages of a block. For the handler of a signal.
    pub(crate) fn open_now(&self, block: Guid) {
        if let Some(mut blocks) = self.contents.closed.soon()
            && let Some(entry) = blocks.get_mut(&block)
        {
            entry.open();
        }
    }
}
