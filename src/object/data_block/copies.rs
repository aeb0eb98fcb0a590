//! Where the content of a block is: which copies are valid, and the one in host memory.

use super::memory::{
    Memory, OutOfMemory, Pages, UNWRITTEN, allocate_memory, free_memory, written_beyond,
};
use super::{DataBlock, Holders, LIVE, Mark};
use crate::object::header::Locked;
use crate::object::place::{Place, PlaceSet};
use crate::sync::{Ordering, fence};
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

    /// Those of a new block that nobody has acquired.
    #[cfg(all(test, loom))]
    pub fn begin_for_model(&mut self) {
        (self.valid, self.has_host) = (PlaceSet::EMPTY, false);
    }

    /// Whether a host EDT can use host memory as it is.
    pub fn host_ready(&self) -> bool {
        self.has_host && (self.valid.is_empty() || self.valid.contains(Place::HOST))
    }
}

/// Access to a block's copies; the block is locked as long as this lives.
pub struct CopiesGuard<'a> {
    block: &'a DataBlock,
    locked: Locked<'a>,
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

impl DataBlock {
    /// Locks the block and gives access to where its copies are. Hold it for a few instructions.
    pub fn copies(&self) -> CopiesGuard<'_> {
        CopiesGuard {
            block: self,
            locked: self.header.lock_pinned(),
        }
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
    pub(crate) fn copies_of<'a>(&'a self, locked: &'a mut Locked<'_>) -> &'a mut Copies {
        debug_assert!(locked.is_of(&self.header));
        // SAFETY: the lock of the block is held, and borrowed alone as long as the copies are, to which this and
        // `copies_seen` are the only ways.
        unsafe { &mut *self.second.copies.get() }
    }

    /// The same, to read them.
    pub(crate) fn copies_seen<'a>(&'a self, locked: &'a Locked<'_>) -> &'a Copies {
        debug_assert!(locked.is_of(&self.header));
        // SAFETY: the lock of the block is held, and borrowed as long as the copies are; who changes them borrows it
        // alone.
        unsafe { &*self.second.copies.get() }
    }

    /// The address of the host copy; for holders, which made sure that there is one.
    #[inline]
    pub fn host_ptr(&self) -> *mut u8 {
        // Set before anybody who may call this holds the block; but where the block leaves the memory that it shares
        // (`copy_out`), who holds it in mode RO may find the new memory, whose content this has to come after. Pairs
        // with the store in `set_host`.
        self.second.host.load(Ordering::Acquire)
    }

    /// Notes the host memory, or that there is none any more.
    fn set_host(&self, copies: &mut Copies, host: *mut u8) {
        copies.has_host = !host.is_null();
        // Pairs with the load in `host_ptr`.
        self.second.host.store(host, Ordering::Release);
    }

    /// The block's host memory, allocated when it is first needed. It is aligned to the smaller of
    /// 128 and the size rounded up to a power of two (at least 16), which is what OpenCL asks of
    /// memory that a device uses in place: a vector no longer than the block can be loaded.
    pub fn host_memory(&self) -> Result<NonNull<u8>, OutOfMemory> {
        if self.copies().has_host
            && let Some(host) = NonNull::new(self.host_ptr())
        {
            return Ok(host);
        }
        // Allocated without the lock: the allocator may take its time.
        let (base, host) = allocate_memory(self.size(), self.has(Mark::Guarded))?;
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

    /// Keeps its host memory for ever, even if the block goes: somebody may read it at any time.
    pub fn keep_memory(&self) {
        let _locked = self.header.lock_pinned();
        self.second.base.set(std::ptr::null_mut());
    }

    /// Whether nobody has used the block yet: it was made without memory, nobody has it or waits for it, and it is
    /// nothing but a block.
    #[cfg_attr(loom, allow(dead_code))]
    pub(crate) fn is_unused_yet(&self, locked: &Locked<'_>) -> bool {
        let copies = self.copies_seen(locked);
        let marks = self.second.marks.load(Ordering::Relaxed) & !(Mark::Guarded as u32);
        let bare = !copies.has_host && copies.valid.is_empty() && copies.resident.is_empty();
        bare && marks == 0 && locked.word.state() == LIVE && self.queue.get().0.is_null()
    }

    /// Gives a block whose memory belongs to another one memory of its own, with the content; for its only holder
    /// but for those in mode RO. The host's copy is valid, or nobody has written the block yet.
    #[cfg_attr(loom, allow(dead_code))]
    pub fn copy_out(&self) -> Result<(), OutOfMemory> {
        if self.owns_memory() {
            return Ok(());
        }
        let (base, host) = allocate_memory(self.size(), self.has(Mark::Guarded))?;
        let (from, to) = (self.host_ptr(), host.as_ptr());
        // SAFETY: the old memory is there as long as the block is a part of another one, and the new one is as large;
        // nobody writes the block now, since the caller holds it.
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

    /// Where somebody has written beyond the block, if its memory has guards: the nearest such byte,
    /// counted from the start. For who holds the block, or is about to free it.
    pub fn written_beyond(&self) -> Option<isize> {
        if !self.has(Mark::Guarded) || !self.owns_memory() {
            return None;
        }
        // SAFETY: the memory is the block's own, with guards, and stays while the caller has the block.
        unsafe { written_beyond(self.host_ptr(), self.size() as usize) }
    }

    /// The pages of its own that a live block has which nobody holds, or waits for, and which nothing but EDTs of the host
    /// has to do with.
    pub fn pages_of_nobody(&self, locked: &Locked<'_>) -> Option<Pages> {
        let Holders {
            ro,
            constant,
            rw,
            ew,
            ..
        } = self.holders.get();
        let is_held = ro != 0 || constant != 0 || rw != 0 || ew;
        let is_free = locked.word.state() == LIVE
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
        (is_free && !self.has_any(marks))
            .then(|| Pages::of(base, self.host_ptr(), self.size() as usize))?
    }

    /// Whether its host memory is as strict mode leaves that of a new block. For who holds the block.
    pub fn is_unwritten(&self) -> bool {
        let (start, len) = (self.host_ptr(), self.size() as usize);
        let is_new = |at| {
            // SAFETY: within the block, whose memory stays while the caller holds it. Volatile, since a program that misuses
            // the block may write to it now.
            let byte = unsafe { start.wrapping_add(at).read_volatile() };
            byte == UNWRITTEN
        };
        start.is_null() || (0..len).all(is_new)
    }

    /// Takes the host memory of a block that nobody uses any more and that is about to be freed.
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
