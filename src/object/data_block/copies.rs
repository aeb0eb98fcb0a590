//! Where the content of a block is: which copies are valid, and the one in host memory.
//!
//! # The protocol of copies
//!
//! A content goes from place to place by host memory. `valid` is the set of places that have the latest one, and
//! changes under the lock of the block's header. It has four states:
//!
//! | state | meaning |
//! |---|---|
//! | empty | no write has ended: the content is what its creator holds in host memory, or zeros |
//! | one device | a kernel of that device has written, or will, and it has not been brought |
//! | the host | an EDT of the host has written, or the devices have lost their buffers |
//! | the host and devices | the content was brought from a device, or copied to some |
//!
//! The set `valid` thus has the host in it, or at most one device, since devices get contents from the host alone.
//! Between two states goes one of these steps, each in one hold of the lock:
//!
//! | step | by | `valid` | `version` |
//! |---|---|---|---|
//! | [`Copies::wrote`] | a writer of the host, as it releases the block; a device's manager, when it enqueues a kernel that writes, and when that has ended | that place alone | +1 |
//! | the same, where kernels can be undone | the manager, when all that the kernel has written was brought (`device/opencl/settle.rs`); then `fetched`. While the kernel runs, the content stays valid on the host | that place alone | +1 |
//! | [`Copies::fetched`] | the manager that has brought the content to the host | + the host, if that device still has the latest | |
//! | [`CopiesGuard::source`] | a manager that launches a kernel: what must be copied | | |
//! | [`CopiesGuard::copied`] | the same, when it has enqueued the copy | + the device, if the copy counts and `version` is the same | |
//! | [`Copies::left`] | a manager that gives up a buffer | - the device; + the host, if that was the only one and was written back | |
//!
//! *Writers.* Modes other than RO let no EDT write a block in one place beside a writer, or a reader, in another
//! (`memory`). An EDT that has a block in such a mode has the content brought to its place before it begins, and it
//! stays valid there: all that takes a place out of the set is a write elsewhere, or the loss of a buffer, whose
//! content is written back before. So no write is lost, and no such reader reads an old content.
//!
//! *Readers in mode RO* have no such promise: others may write the block at any time. What they are promised is a
//! content that the block had since they began to be launched, which has all writes that ended before (by an event),
//! and may have some of those that go on. In each case [`CopiesGuard::source`] names a copy that has it:
//!
//! - A writer of the host holds the block, and the host's copy is valid, or no write has ended: then the latest
//!   content is what that writer has in host memory now. A device copies it for each launch anew, and never counts it
//!   as valid: it grows old with the next instruction of the writer. The device's own copy may be older than a write of
//!   an EDT that ended before, which a writer that shares the block in RW mode has outlived.
//! - The device's own copy is valid.
//! - The host's copy is: it is copied, and counts, unless a writer ends a write until it is enqueued. A writer of the
//!   host may begin meanwhile, and end later than that; its release then takes the device out of the set.
//! - Neither is. When the launch was sent, one of them was, or had been brought since (`Context::bring_blocks`), and
//!   then a kernel of another device wrote: for that the content was brought to the host before. So host memory has a
//!   content of that time, or a later one that is being brought now. It is copied and does not count.
//! - The block was never written. Then host memory is zeros, or in strict mode a pattern: memory that is
//!   allocated later than the block begins so. It is copied for readers, and does not count.
//!
//! By these steps a kernel that only reads never finds what was in its buffer before. One that writes a block which
//! was not written yet gets its buffer as it is, but in strict mode: most write all of it, and for these a copy
//! would be lost time.
//!
//! `loom_models/copies.rs` of the room `memory` runs these functions, with those that acquire and release.

use super::memory::{Memory, OutOfMemoryError, Pages, Start, UNWRITTEN, allocate_memory, free_memory, written_beyond};
use super::{BlockState, DataBlock, Holders, LockedBlock, Mark};
use ocr_base::sync::{Ordering, fence};
use ocr_place::place::{Place, PlaceSet};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;

/// Where a block's content is.
#[derive(Debug)]
pub struct Copies {
    /// The places whose copy has the latest content; none before the first write.
    pub valid: PlaceSet,
    /// The devices that have a buffer for the block.
    pub resident: PlaceSet,
    /// How often a write has begun or ended anywhere, modulo 2^32.
    pub version: u32,
    /// Whether there is host memory, whose address stands apart: holders read it without the lock.
    pub(super) has_host: bool,
}

impl Copies {
    /// `place` begins or has ended to write: no other copy is valid.
    pub fn wrote(&mut self, place: Place) {
        self.valid = PlaceSet::only(place);
        self.version = self.version.wrapping_add(1);
    }

    /// `place` has got a copy of the latest content.
    pub fn joined(&mut self, place: Place) {
        self.valid.insert(place);
    }

    /// From where the content must be brought to the host before an EDT uses the block in `place`; nowhere if it is
    /// there, or on the host.
    pub fn to_bring(&self, place: Place) -> Option<Place> {
        let near = self.valid.contains(place) || self.valid.contains(Place::HOST);
        self.valid.iter().next().filter(|_| !near)
    }

    /// What the device at `place` has brought to the host: all that kernels have written there, if it is `current`.
    pub fn fetched(&mut self, place: Place, current: bool) {
        if current && self.valid.contains(place) {
            self.joined(Place::HOST);
        }
    }

    /// Whether the content is on the device at `place` and nowhere else.
    pub fn only_at(&self, place: Place) -> bool {
        self.valid == PlaceSet::only(place)
    }

    /// The device at `place` has no buffer any more, whose content the host has got, or not.
    pub fn left(&mut self, place: Place, written_back: bool) {
        // The content may have moved on since, but not to here.
        self.fetched(place, written_back);
        self.valid.remove(place);
        self.resident.remove(place);
    }

    /// The copies of a new block that no EDT has acquired.
    #[cfg(all(test, loom))]
    pub fn begin_for_model(&mut self) {
        (self.valid, self.has_host) = (PlaceSet::EMPTY, false);
    }

    /// Whether a host EDT can use host memory as it is.
    pub fn host_ready(&self) -> bool {
        self.has_host && (self.valid.is_empty() || self.valid.contains(Place::HOST))
    }
}

/// What a launch finds of the content of a block for a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// The device's buffer has it.
    Here,
    /// Host memory must be copied, by which the device's copy becomes a valid one.
    Host(CopyOf),
    /// Host memory must be copied, for this launch alone: a writer of the host has it now.
    Written,
    /// Host memory must be copied, for this launch alone: the latest content is on this other device, and the host has
    /// the one from before.
    Older(Place),
    /// It has not been written, so host memory has zeros.
    Nothing,
}

/// Names the content that is copied, by the version that the block had then: a writer may have made another one since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CopyOf {
    version: u32,
}

/// Access to a block's copies; the block is locked as long as this lives.
pub struct CopiesGuard<'a> {
    block: &'a DataBlock,
    locked: LockedBlock<'a>,
}

impl Deref for CopiesGuard<'_> {
    type Target = Copies;
    fn deref(&self) -> &Copies {
        self.block.copies_seen(&self.locked)
    }
}

impl DerefMut for CopiesGuard<'_> {
    fn deref_mut(&mut self) -> &mut Copies {
        self.block.copies_of(&mut self.locked)
    }
}

impl CopiesGuard<'_> {
    /// Whether an EDT of the host, or the creator, holds the block for writing, and has it in host memory.
    pub fn is_written_on_host(&self) -> bool {
        let holders = self.block.holders.get();
        let by_host = (holders.rw != 0 || holders.ew) && holders.rw_place == Some(Place::HOST);
        by_host && self.host_ready()
    }

    /// Where a kernel on the device at `place` gets the content from.
    pub fn source(&self, place: Place) -> Source {
        if self.is_written_on_host() {
            return Source::Written;
        }
        if self.valid.contains(place) {
            return Source::Here;
        }
        match self.valid.iter().next() {
            None => Source::Nothing,
            // The first one, if it is there.
            Some(Place::HOST) => Source::Host(CopyOf { version: self.version }),
            Some(other) => Source::Older(other),
        }
    }

    /// The copy has been enqueued that [`CopiesGuard::source`] has asked for, to the device at `place`. A writer that
    /// has ended meanwhile may not be in it.
    pub fn copied(&mut self, place: Place, what: CopyOf) {
        if self.version == what.version {
            self.joined(place);
        }
    }
}

impl DataBlock {
    /// Locks the block and gives access to where its copies are. Hold it for a few instructions.
    pub fn copies(&self) -> CopiesGuard<'_> {
        CopiesGuard { block: self, locked: self.header.lock_pinned() }
    }

    /// Notes that the device at `place` has a buffer for the block.
    pub fn got_buffer(&self, place: Place) {
        let mut locked = self.header.lock_pinned();
        self.copies_of(&mut locked).resident.insert(place);
        self.mark(&locked, Mark::OnDevice);
        drop(locked);
        // Pairs with the fence of an EDT that has written (`memory::lease`): the device copies after this.
        fence(Ordering::SeqCst);
    }

    /// Access to the copies under the lock of this block, which the caller has.
    pub(crate) fn copies_of<'a>(&'a self, locked: &'a mut LockedBlock<'_>) -> &'a mut Copies {
        debug_assert!(locked.is_of(&self.header));
        // SAFETY: the lock of the block is held, and borrowed alone as long as the copies are, to which this and
        // `copies_seen` are the only ways.
        unsafe { &mut *self.second.copies.get() }
    }

    /// Access to the copies for reading, under the lock of this block, which the caller has.
    pub(crate) fn copies_seen<'a>(&'a self, locked: &'a LockedBlock<'_>) -> &'a Copies {
        debug_assert!(locked.is_of(&self.header));
        // SAFETY: the lock of the block is held, and borrowed as long as the copies are. A change needs it borrowed
        // exclusively, so nothing changes them meanwhile.
        unsafe { &*self.second.copies.get() }
    }

    /// The address of the host copy; for holders, which made sure that there is one.
    #[inline]
    pub fn host_ptr(&self) -> *mut u8 {
        // Set before any thread that may call this holds the block. But where the block leaves the memory that it
        // shares (`copy_out`), a holder in mode RO may find the new memory, whose content this has to come after. Pairs
        // with the store in `set_host`.
        self.second.host.load(Ordering::Acquire)
    }

    /// Notes the host memory, or that there is none any more.
    fn set_host(&self, copies: &mut Copies, host: *mut u8) {
        copies.has_host = !host.is_null();
        // Pairs with the load in `host_ptr`.
        self.second.host.store(host, Ordering::Release);
    }

    /// The block's host memory, allocated when it is first needed. It is aligned to the smaller of 128 and the size
    /// rounded up to a power of two (at least 16), which is what OpenCL asks of memory that a device uses in place: a
    /// vector no longer than the block can be loaded. It begins as zeros, in strict mode as a pattern: no thread reads
    /// what was there before.
    pub fn host_memory(&self) -> Result<NonNull<u8>, OutOfMemoryError> {
        if self.copies().has_host
            && let Some(host) = NonNull::new(self.host_ptr())
        {
            return Ok(host);
        }
        // Allocated without the lock: the allocator may take its time.
        let (base, host) = allocate_memory(self.size(), self.has(Mark::Guarded), Start::Zeros)?;
        let mut locked = self.header.lock_pinned();
        let copies = self.copies_of(&mut locked);
        match NonNull::new(self.host_ptr()) {
            Some(other) => {
                drop(locked);
                free_memory(base, self.size());
                Ok(other)
            }
            None => {
                self.set_host(copies, host.as_ptr());
                self.second.base.set(base);
                Ok(host)
            }
        }
    }

    /// Gives a block that has none host memory that belongs to another one, which lives longer.
    pub fn lend(&self, host: *mut u8) {
        let mut copies = self.copies();
        self.set_host(&mut copies, host);
    }

    /// Keeps its host memory until the process ends, even if the block goes: it may be read at any time.
    pub fn keep_memory(&self) {
        let _locked = self.header.lock_pinned();
        self.second.base.set(std::ptr::null_mut());
    }

    /// Whether the block has not been used yet: it was made without memory, no EDT has it or waits for it, and it is
    /// nothing but a block.
    #[cfg_attr(loom, allow(dead_code))]
    pub(crate) fn is_unused_yet(&self, locked: &LockedBlock<'_>) -> bool {
        let copies = self.copies_seen(locked);
        let marks = self.second.marks.load(Ordering::Relaxed) & !(Mark::Guarded as u32);
        let bare = !copies.has_host && copies.valid.is_empty() && copies.resident.is_empty();
        bare && marks == 0 && locked.word.state() == BlockState::Live && self.queue.get().0.is_null()
    }

    /// Gives a block whose memory belongs to another one memory of its own, with the content; for its only holder
    /// but for those in mode RO. The host's copy is valid, or the block has not been written yet.
    #[cfg_attr(loom, allow(dead_code))]
    pub fn copy_out(&self) -> Result<(), OutOfMemoryError> {
        if self.owns_memory() {
            return Ok(());
        }
        let (base, host) = allocate_memory(self.size(), self.has(Mark::Guarded), Start::Anything)?;
        let (from, to) = (self.host_ptr(), host.as_ptr());
        // SAFETY: the old memory is there as long as the block is a part of another one, and the new one is as large;
        // no other thread writes the block now, since the caller holds it.
        unsafe { to.copy_from_nonoverlapping(from, self.size() as usize) };
        let mut copies = self.copies();
        self.set_host(&mut copies, host.as_ptr());
        self.second.base.set(base);
        Ok(())
    }

    /// Whether its host memory is its own.
    pub fn owns_memory(&self) -> bool {
        let _locked = self.header.lock_pinned();
        !self.second.base.get().is_null()
    }

    /// Where somebody has written beyond the block, if its memory has guards: the nearest such
    /// byte, counted from the start. The caller holds the block, or is about to free it.
    pub fn written_beyond(&self) -> Option<isize> {
        if !self.has(Mark::Guarded) || !self.owns_memory() {
            return None;
        }
        // SAFETY: the memory is the block's own, with guards, and stays while the caller has the block.
        unsafe { written_beyond(self.host_ptr(), self.size() as usize) }
    }

    /// The pages of its own that a live block has which no EDT holds, or waits for, and which nothing but EDTs of the
    /// host has to do with.
    pub fn pages_of_nobody(&self, locked: &LockedBlock<'_>) -> Option<Pages> {
        let Holders { ro, constant, rw, ew, .. } = self.holders.get();
        let is_held = ro != 0 || constant != 0 || rw != 0 || ew;
        let is_free = locked.word.state() == BlockState::Live
            && !is_held
            && self.queue.get().0.is_null()
            && self.creator.load(Ordering::Relaxed) == 0;
        let marks = [
            Mark::OnDevice,
            Mark::Destroyed,
            Mark::Private,
            Mark::Part,
            Mark::Divided,
            Mark::Closed,
            Mark::Chunk,
            Mark::Watched,
        ];
        let base = self.second.base.get();
        (is_free && !self.has_any(marks)).then(|| Pages::of(base, self.host_ptr(), self.size() as usize))?
    }

    /// Whether its host memory is as strict mode leaves that of a new block. The caller holds the block.
    pub fn is_unwritten(&self) -> bool {
        let (start, len) = (self.host_ptr(), self.size() as usize);
        let is_new = |at| {
            // SAFETY: within the block, whose memory stays while the caller holds it. Volatile, since a program that
            // misuses the block may write to it now.
            let byte = unsafe { start.wrapping_add(at).read_volatile() };
            byte == UNWRITTEN
        };
        start.is_null() || (0..len).all(is_new)
    }

    /// Takes the host memory of a block that is not used any more and that is about to be freed.
    pub fn take_memory(&self) -> Option<Memory> {
        let mut locked = self.header.lock_pinned();
        let copies = self.copies_of(&mut locked);
        let start = self.host_ptr();
        self.set_host(copies, std::ptr::null_mut());
        let base = self.second.base.replace(std::ptr::null_mut());
        let len = self.size() as usize;
        (!base.is_null()).then_some(Memory { base, start, len })
    }
}
