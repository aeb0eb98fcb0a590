//! A data block: its states and marks, its holders by mode, and the queue of those that wait. Where its content is
//! stands in `copies`, its host memory in `memory`, and where blocks are kept in `store`.
//!
//! ```text
//!                                  an event keeps it
//!   free ---passed by value--> private -----------------+
//!                                 |                     v       ocrDbPartition
//!   free ---creation--------------|------------------> live <-------------------> divided
//!                                 |                     |        last part goes      |
//!                 done with it,   |       ocrDbDestroy  |                            | ocrDbDestroy
//!                 or ocrDbDestroy |                     v       last part goes       v
//!                                 +---------------> destroyed <------------ divided and destroyed
//!                                                       |
//!                                  the last holder, the | last waiter and every device have let go of it
//!                                                       v
//!                                                     free
//! ```
//!
//! | state | meaning | left by |
//! |---|---|---|
//! | free | slot of no block | creation |
//! | live | can be acquired | `ocrDbDestroy` |
//! | private | a content passed by value: acquired by the EDTs that it was passed to, and passed on no more (`memory::private`) | no EDT being left that will use it, or `ocrDbDestroy`: destroyed; an event keeping it: live |
//! | divided | there are parts of it: an EDT that wants it waits (`memory::divided`) | the last part: live; `ocrDbDestroy`: divided and destroyed |
//! | divided and destroyed | both | the last part: destroyed |
//! | copy to read | a copy of another node's block, which others may have, too: EDTs get it to read it alone (`engine/life/away.rs`) | the owner wanting it back: destroyed |
//! | destroyed | its GUID is no longer accepted; holders and those that wait still use it | the last of them: freed, after every device that has a buffer has forgotten it |
//!
//! All cells are touched under the lock of the header, except that the host copy's address and the
//! size do not change once set (but for the address where a part leaves the memory that it shares,
//! `DataBlock::copy_out`) and may be read by any holder of the block, and that `held_before`
//! and `held_after` belong to the thread that holds the block as its creator.
//!
//! What a checkpoint has of a block is in `saved`.

mod copies;
mod memory;
mod saved;
mod store;

pub(crate) use copies::{Copies, Source};
pub(crate) use memory::{
    Former, Memory, OutOfMemoryError, PAGE, Pages, REACH, UNWRITTEN, alignment, former_at, will_fork,
};
pub(crate) use store::DataBlocks;

use super::arena::Slot;
use super::edt::Edt;
use super::guid::{Guid, Kind};
use super::header::{COUNT_MAX, Header, Locked, Word, states};
use ocr_base::sync::{AtomicU32, Ordering, Spin};
use ocr_place::place::{Place, PlaceSet};
use std::cell::{Cell, UnsafeCell};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize};

states! {
    /// The states of a data block.
    pub enum BlockState {
        /// The block can be acquired.
        Live = 1,
        /// `ocrDbDestroy` was called; holders still use it.
        Destroyed = 2,
        /// The block has parts.
        Divided = 3,
        /// The block goes when the EDTs that it was passed to are done with it.
        Private = 4,
        /// The block is another node's, and here to be read: no EDT of this node gets it to write.
        ReadCopy = 5,
        /// The block has parts, and goes with the last.
        DividedDestroyed = 6,
    }
}

impl BlockState {
    /// Whether a program can use a block in this state.
    #[inline]
    fn is_usable(self) -> bool {
        matches!(self, BlockState::Live | BlockState::Divided | BlockState::ReadCopy)
    }
}

/// The lock of a data block.
pub(crate) type LockedBlock<'a> = Locked<'a, BlockState>;

/// Stands in the count of a private block while it is passed on: more pre-slots than there can be.
pub(crate) const PASSING: u32 = COUNT_MAX / 2 + 1;

/// What threads that do not take its lock may know about a live block.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Mark {
    /// An EDT is in the block's queue.
    WaitedFor = 1,
    /// A device has, or has had, a buffer for the block.
    OnDevice = 2,
    /// `ocrDbDestroy` was called: the block goes with its last user.
    Destroyed = 4,
    /// The block was created with `DB_PROP_SINGLE_ASSIGNMENT`: it may be written once.
    WrittenOnce = 8,
    /// The block is written once, and has been: no EDT may write it any more.
    Written = 16,
    /// The block is or was private.
    Private = 32,
    /// The block is a part of another one ([`super::partition`]).
    Part = 64,
    /// There are parts of the block, or will be.
    Divided = 128,
    /// The block has parts, and they hold it.
    Closed = 256,
    /// The block is a part of a file, to which it goes back.
    Chunk = 512,
    /// Memory of its own is guarded (`memory.rs`), as of all blocks in strict mode.
    Guarded = 1024,
    /// Strict mode looks at it, while no EDT has it.
    Watched = 2048,
    /// The block is a part that gets memory of its own and leaves its whole.
    Leaving = 4096,
    /// The block is a copy of another node's, which goes back to it.
    Borrowed = 8192,
    /// It is a copy to be read.
    ToRead = 16384,
}

/// The holders of a block, counted by mode.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Holders {
    /// EDTs that hold it in RO mode.
    pub ro: u32,
    /// EDTs that hold it in CONST mode.
    pub constant: u32,
    /// EDTs that hold it in RW mode; all run in `rw_place`.
    pub rw: u32,
    /// Whether an EDT holds it in EW mode.
    pub ew: bool,
    /// Where the RW holders run, or the EW holder; of no meaning without either.
    pub rw_place: Option<Place>,
}

/// A data block: what its header's lock guards, and behind it what is seldom written.
#[repr(C, align(128))]
pub struct DataBlock {
    pub header: Header<BlockState>,
    index: Cell<u32>,
    /// The EDT that created the block and has not released it, or the thread, outside of EDTs. 0: there is none.
    pub(crate) creator: AtomicUsize,
    pub(crate) holders: Cell<Holders>,
    /// First and last EDT of those that wait, linked through `Edt::link`.
    pub(crate) queue: Cell<(*const Edt, *const Edt)>,
    second: Second,
}

/// What is seldom written, on a cache line of its own: EDTs that run read it, those that acquire and
/// release write the other.
#[repr(C, align(64))]
struct Second {
    /// The [`Mark`]s that are set, a bit for each.
    marks: AtomicU32,
    hinted: Cell<bool>,
    /// Written by the thread that makes the block. Read also by threads that have not locked it, and ask for a guess.
    size: AtomicU64,
    /// The start of the allocation that `host` points into.
    base: Cell<*mut u8>,
    /// The host memory, or null.
    host: AtomicPtr<u8>,
    copies: UnsafeCell<Copies>,
    /// Neighbours among the blocks that the creator holds; they belong to the creator's thread.
    held_before: Cell<*const DataBlock>,
    held_after: Cell<*const DataBlock>,
}

// SAFETY: see the module: the lock of the header guards the cells.
unsafe impl Sync for DataBlock {}

// SAFETY: zero is a free block; the size is 128; the fields are fixed.
unsafe impl Slot for DataBlock {
    type State = BlockState;

    fn header(&self) -> &Header<BlockState> {
        &self.header
    }
}

#[cfg(all(test, loom))]
impl DataBlock {
    /// A live block for a model, in no arena, and its GUID.
    pub(crate) fn for_model(index: u32, holders: Holders) -> (&'static DataBlock, Guid) {
        let block: &DataBlock = Box::leak(Box::new(DataBlock {
            header: Header::new(),
            index: Cell::default(),
            creator: AtomicUsize::default(),
            holders: Cell::default(),
            queue: Cell::new((std::ptr::null(), std::ptr::null())),
            second: Second {
                marks: AtomicU32::new(0),
                hinted: Cell::default(),
                size: AtomicU64::default(),
                base: Cell::new(std::ptr::null_mut()),
                // Models do not look into it.
                host: AtomicPtr::new(NonNull::dangling().as_ptr()),
                copies: UnsafeCell::new(Copies {
                    valid: PlaceSet::EMPTY,
                    resident: PlaceSet::EMPTY,
                    version: 0,
                    has_host: true,
                }),
                held_before: Cell::new(std::ptr::null()),
                held_after: Cell::new(std::ptr::null()),
            },
        }));
        block.begin(index, 8, Some((std::ptr::null_mut(), NonNull::dangling())), false);
        block.holders.set(holders);
        block.header.publish(block.header.peek().with_state(BlockState::Live));
        (block, block.guid())
    }
}

impl DataBlock {
    /// Makes a slot that this thread has taken a block, not yet published.
    fn begin(&self, index: u32, size: u64, memory: Option<(*mut u8, NonNull<u8>)>, guarded: bool) {
        self.index.set(index);
        self.second.hinted.set(false);
        self.second.size.store(size, Ordering::Relaxed);
        self.second.base.set(memory.map_or(std::ptr::null_mut(), |(base, _)| base));
        // SAFETY: the slot is free and belongs to this thread.
        let copies = unsafe { &mut *self.second.copies.get() };
        copies.valid = PlaceSet::EMPTY;
        copies.resident = PlaceSet::EMPTY;
        let host = memory.map_or(std::ptr::null_mut(), |(_, host)| host.as_ptr());
        copies.has_host = !host.is_null();
        self.second.host.store(host, Ordering::Relaxed);
        self.holders.set(Holders::default());
        self.queue.set((std::ptr::null(), std::ptr::null()));
        self.creator.store(0, Ordering::Relaxed);
        let marks = if guarded { Mark::Guarded as u32 } else { 0 };
        self.second.marks.store(marks, Ordering::Relaxed);
    }

    /// Makes a block that was just begun a copy of another node's, whose content is on the host: a device gets it from
    /// there, also for a kernel that writes.
    fn begin_borrowed(&self, reads: bool) {
        self.begin_marked(if reads { &[Mark::Borrowed, Mark::ToRead] } else { &[Mark::Borrowed] });
        // SAFETY: the slot is claimed by this thread, which has not published the block.
        let copies = unsafe { &mut *self.second.copies.get() };
        copies.wrote(Place::HOST);
    }

    /// Makes a block that was just begun one that is divided and closed.
    pub fn begin_closed(&self) {
        self.begin_marked(&[Mark::Divided, Mark::Closed]);
    }

    /// Sets marks of a block that was just begun, whose slot is claimed by this thread.
    fn begin_marked(&self, marks: &[Mark]) {
        let before = self.second.marks.load(Ordering::Relaxed);
        self.second.marks.store(marks.iter().fold(before, |all, &mark| all | mark as u32), Ordering::Relaxed);
    }

    /// Its GUID; the block must be known to be alive.
    pub fn guid(&self) -> Guid {
        Guid::new(Kind::DataBlock, self.header.peek().generation(), self.index.get())
    }

    /// Whether nothing but the EDTs of the host that hold it has to do with the block: it has no mark. In
    /// strict mode none is plain.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.second.marks.load(Ordering::Relaxed) == 0
    }

    /// Whether `ocrDbDestroy` was called for it, or it goes.
    pub fn is_destroyed(&self, locked: &LockedBlock<'_>) -> bool {
        let state = locked.word.state();
        matches!(state, BlockState::Destroyed | BlockState::DividedDestroyed) || self.has(Mark::Destroyed)
    }

    /// Whether a block of this generation is private, and is not about to be another. That is not known while it is
    /// passed on: an event that keeps it may have given it to the caller already. So this waits for the thread that
    /// passes it on, which waits for no other.
    pub fn stays_private(&self, generation: u32) -> bool {
        let spin = Spin::default();
        while let Some(word) = self.private_word(generation) {
            if word.count() <= PASSING / 2 {
                return true;
            }
            spin.wait();
        }
        false
    }

    /// The header's word of a private block of this generation.
    fn private_word(&self, generation: u32) -> Option<Word<BlockState>> {
        let word = self.header.peek();
        let private = word.generation() == generation && word.state() == BlockState::Private;
        private.then_some(word)
    }

    /// Whether it has this mark.
    pub fn has(&self, mark: Mark) -> bool {
        self.second.marks.load(Ordering::Relaxed) & mark as u32 != 0
    }

    /// Whether it has one of these marks.
    #[inline]
    pub fn has_any<const N: usize>(&self, marks: [Mark; N]) -> bool {
        let wanted = marks.into_iter().fold(0, |all, mark| all | mark as u32);
        self.second.marks.load(Ordering::Relaxed) & wanted != 0
    }

    /// Sets a mark, under the lock, for threads that look without it.
    pub fn mark(&self, _locked: &LockedBlock<'_>, mark: Mark) {
        let marks = self.second.marks.load(Ordering::Relaxed) | mark as u32;
        self.second.marks.store(marks, Ordering::Relaxed);
    }

    /// Takes a mark away, under the lock.
    pub fn unmark(&self, _locked: &LockedBlock<'_>, mark: Mark) {
        let marks = self.second.marks.load(Ordering::Relaxed) & !(mark as u32);
        self.second.marks.store(marks, Ordering::Relaxed);
    }

    /// The blocks before and after it among those that its creator holds; for the creator's thread.
    #[cfg_attr(loom, allow(dead_code))]
    pub(crate) fn held_neighbours(&self) -> [&Cell<*const DataBlock>; 2] {
        [&self.second.held_before, &self.second.held_after]
    }

    /// Its size in bytes; may be 0.
    pub fn size(&self) -> u64 {
        self.second.size.load(Ordering::Relaxed)
    }
}
