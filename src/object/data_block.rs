//! A data block: its memory, who holds it in which mode, who waits, and where its valid copies are.
//!
//! | state | meaning | left by |
//! |---|---|---|
//! | free | slot of no block | creation |
//! | live | can be acquired | `ocrDbDestroy` |
//! | destroyed | its GUID is no longer accepted; holders and those that wait still use it | the last of them: freed, after every device that has a buffer has forgotten it |
//!
//! All cells are touched under the lock of the header, except that the host copy's address and the
//! size do not change once set and may be read by whoever holds the block, and that `held_before`
//! and `held_after` belong to the thread that holds the block as its creator.

use super::arena::{Arena, Cache, Slot};
use super::edt::Edt;
use super::guid::{Guid, Kind};
use super::header::{Header, Locked};
use super::place::{Place, PlaceSet};
use std::cell::{Cell, UnsafeCell};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicUsize, Ordering};

/// State: exists.
pub const LIVE: u8 = 1;
/// State: `ocrDbDestroy` was called; holders still use it.
pub const DESTROYED: u8 = 2;

/// No block is larger: what a process on a 64-bit machine can address.
const ADDRESS_SPACE: u64 = 1 << 47;

/// Host memory for a block of this size could not be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemory {
    /// The size asked for, in bytes.
    pub bytes: u64,
}

impl std::fmt::Display for OutOfMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no host memory for a data block of {} bytes", self.bytes)
    }
}

/// Where a block's content is.
#[derive(Debug)]
pub struct Copies {
    /// The places whose copy has the latest content; none before the first write.
    pub valid: PlaceSet,
    /// The devices that have a buffer for the block.
    pub resident: PlaceSet,
    /// How often a write has begun or ended anywhere, modulo 2^32.
    pub version: u32,
    host: *mut u8,
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

    /// Whether a host EDT can use host memory as it is.
    pub fn host_ready(&self) -> bool {
        !self.host.is_null() && (self.valid.is_empty() || self.valid.contains(Place::HOST))
    }
}

/// Who has acquired a block.
#[derive(Clone, Copy, Default, Debug)]
pub struct Holders {
    /// EDTs that hold it in RO mode.
    pub ro: u32,
    /// EDTs that hold it in CONST mode.
    pub constant: u32,
    /// EDTs that hold it in RW mode; all run in `rw_place`.
    pub rw: u32,
    /// Whether an EDT holds it in EW mode.
    pub ew: bool,
    /// Where the RW holders run; of no meaning while `rw` is 0.
    pub rw_place: Option<Place>,
}

/// A data block.
#[repr(C, align(128))]
pub struct DataBlock {
    /// Generation and state.
    pub header: Header,
    index: Cell<u32>,
    pub(crate) size: Cell<u64>,
    /// The start of the allocation that `Copies::host` points into.
    base: Cell<*mut u8>,
    copies: UnsafeCell<Copies>,
    pub(crate) holders: Cell<Holders>,
    /// First and last EDT of those that wait, linked through `Edt::link`.
    pub(crate) queue: Cell<(*const Edt, *const Edt)>,
    /// Who created the block and has not released it: an EDT, or a thread outside of EDTs. 0: nobody.
    pub(crate) creator: AtomicUsize,
    /// Neighbours among the blocks that the creator holds; they belong to the creator's thread.
    pub(crate) held_before: Cell<*const DataBlock>,
    pub(crate) held_after: Cell<*const DataBlock>,
}

// SAFETY: see the module: the lock of the header guards the cells.
unsafe impl Sync for DataBlock {}

// SAFETY: zero is a free block; the size is 128; the fields are fixed.
unsafe impl Slot for DataBlock {
    fn header(&self) -> &Header {
        &self.header
    }
    fn next_free(&self) -> &Cell<u32> {
        &self.index
    }
}

/// Access to a block's copies; the block is locked as long as this lives.
pub struct CopiesGuard<'a> {
    copies: &'a mut Copies,
    _locked: Locked<'a>,
}

impl Deref for CopiesGuard<'_> {
    type Target = Copies;
    fn deref(&self) -> &Copies {
        self.copies
    }
}

impl DerefMut for CopiesGuard<'_> {
    fn deref_mut(&mut self) -> &mut Copies {
        self.copies
    }
}

/// The data blocks.
#[derive(Default)]
pub struct DataBlocks(Arena<DataBlock>);

impl DataBlocks {
    /// A new block of `size` bytes, with or without host memory, not yet published: the caller sets
    /// who holds it and publishes the header.
    pub fn allocate(
        &self,
        cache: &mut Cache,
        size: u64,
        with_memory: bool,
    ) -> Result<&DataBlock, OutOfMemory> {
        let failed = OutOfMemory { bytes: size };
        if size > ADDRESS_SPACE {
            return Err(failed);
        }
        let memory = with_memory.then(|| allocate_memory(size)).transpose()?;
        let Some((index, block)) = self.0.allocate(cache) else {
            free_memory(memory.map_or(std::ptr::null_mut(), |(base, _)| base));
            return Err(failed);
        };
        block.index.set(index);
        block.size.set(size);
        block
            .base
            .set(memory.map_or(std::ptr::null_mut(), |(base, _)| base));
        // SAFETY: the slot is free and belongs to this thread.
        let copies = unsafe { &mut *block.copies.get() };
        copies.valid = PlaceSet::EMPTY;
        copies.resident = PlaceSet::EMPTY;
        copies.host = memory.map_or(std::ptr::null_mut(), |(_, host)| host.as_ptr());
        block.holders.set(Holders::default());
        block.queue.set((std::ptr::null(), std::ptr::null()));
        block.creator.store(0, Ordering::Relaxed);
        Ok(block)
    }

    /// Gives back the memory and the slot of a block nobody uses and no device knows.
    pub fn free(&self, cache: &mut Cache, block: &DataBlock) {
        let index = block.index.get();
        let mut locked = block.header.lock_pinned();
        let base = block.base.replace(std::ptr::null_mut());
        let Some(freed) = locked.word.freed() else {
            // The generations of the slot are used up: it stays "destroyed" for ever.
            locked.word = locked.word.with_state(DESTROYED);
            drop(locked);
            free_memory(base);
            return;
        };
        locked.word = freed;
        drop(locked);
        free_memory(base);
        self.0.free(cache, index);
    }

    /// The block of a GUID and its lock, if the slot is still in that generation: the block is
    /// live, or destroyed and still in use (`locked.word.state()` tells).
    #[inline]
    pub fn lock(&self, guid: Guid) -> Option<(&DataBlock, Locked<'_>)> {
        if !guid.is_data_block() {
            return None;
        }
        let block = self.0.get(guid.index())?;
        Some((block, block.header.lock(guid.generation())?))
    }

    /// Whether this is the GUID of a block that is not destroyed. Writes nothing: many EDTs may
    /// name one block.
    #[inline]
    pub fn exists(&self, guid: Guid) -> bool {
        guid.is_data_block()
            && self.0.get(guid.index()).is_some_and(|block| {
                let word = block.header.peek();
                word.generation() == guid.generation() && word.state() == LIVE
            })
    }

    /// The block of a GUID that somebody holds.
    #[inline]
    pub fn pinned(&self, guid: Guid) -> &DataBlock {
        self.0.slot(guid.index())
    }

    /// Whether this was the GUID of a block that has been freed since.
    pub fn was_freed(&self, guid: Guid) -> bool {
        guid.is_data_block()
            && self
                .0
                .get(guid.index())
                .is_some_and(|block| guid.generation() < block.header.peek().generation())
    }

    /// All blocks that are not free.
    pub fn live(&self) -> impl Iterator<Item = &DataBlock> {
        self.0.live().map(|(_, _, block)| block)
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, cache: &mut Cache) {
        self.0.drain(cache);
    }
}

impl Drop for DataBlocks {
    fn drop(&mut self) {
        for block in self.live() {
            free_memory(block.base.replace(std::ptr::null_mut()));
        }
    }
}

impl DataBlock {
    /// Its GUID; the block must be known to be alive.
    pub fn guid(&self) -> Guid {
        Guid::new(
            Kind::DataBlock,
            self.header.peek().generation(),
            self.index.get(),
        )
    }

    /// Its size in bytes; may be 0.
    pub fn size(&self) -> u64 {
        self.size.get()
    }

    /// Locks the block and gives access to where its copies are. Hold it for a few instructions.
    pub fn copies(&self) -> CopiesGuard<'_> {
        let locked = self.header.lock_pinned();
        CopiesGuard {
            copies: self.copies_of(&locked),
            _locked: locked,
        }
    }

    /// Access to the copies under a lock that the caller has.
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn copies_of(&self, _locked: &Locked<'_>) -> &mut Copies {
        // SAFETY: the lock is held, and this is the only way to the copies.
        unsafe { &mut *self.copies.get() }
    }

    /// The address of the host copy; for holders, which made sure that there is one.
    #[inline]
    pub fn host_ptr(&self) -> *mut u8 {
        let copies = self.copies.get();
        // SAFETY: `host` is set once, before anybody who may call this holds the block.
        unsafe { (*copies).host }
    }

    /// The block's host memory, allocated when it is first needed. It is aligned to the smaller of
    /// 128 and the size rounded up to a power of two (at least 16), which is what OpenCL asks of
    /// memory that a device uses in place: a vector no longer than the block can be loaded.
    pub fn host_memory(&self) -> Result<NonNull<u8>, OutOfMemory> {
        if let Some(host) = NonNull::new(self.copies().host) {
            return Ok(host);
        }
        // Allocated without the lock: the allocator may take its time.
        let (base, host) = allocate_memory(self.size())?;
        let locked = self.header.lock_pinned();
        let copies = self.copies_of(&locked);
        match NonNull::new(copies.host) {
            Some(other) => {
                drop(locked);
                free_memory(base);
                Ok(other)
            }
            None => {
                copies.host = host.as_ptr();
                self.base.set(base);
                Ok(host)
            }
        }
    }
}

fn allocate_memory(size: u64) -> Result<(*mut u8, NonNull<u8>), OutOfMemory> {
    let failed = OutOfMemory { bytes: size };
    let bytes = usize::try_from(size).map_err(|_| failed)?;
    if bytes > isize::MAX as usize / 2 {
        return Err(failed);
    }
    let align = bytes.next_power_of_two().clamp(16, 128);
    // malloc aligns to 16; the rest is done here because it is several times faster than the
    // aligned allocators of libc. A block of no bytes gets an address of its own, too.
    let slack = align - 16;
    // SAFETY: a plain call; any size may be asked for.
    let base = unsafe { libc::malloc(bytes.max(1) + slack) }.cast::<u8>();
    if base.is_null() {
        return Err(failed);
    }
    let offset = base.align_offset(align);
    let host = base.wrapping_add(offset);
    NonNull::new(host).map(|host| (base, host)).ok_or(failed)
}

fn free_memory(base: *mut u8) {
    // SAFETY: `base` is null or came from `allocate_memory` and is given back once.
    unsafe { libc::free(base.cast()) };
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn block(blocks: &DataBlocks, cache: &mut Cache, size: u64) -> Guid {
        let block = blocks.allocate(cache, size, false).expect("memory");
        let word = block.header.peek();
        block.header.publish(word.with_state(LIVE));
        block.guid()
    }

    #[test]
    fn memory_is_aligned_for_the_vectors_that_fit() {
        let blocks = DataBlocks::default();
        let mut cache = Cache::default();
        for (size, align) in [
            (0, 16),
            (1, 16),
            (17, 32),
            (64, 64),
            (65, 128),
            (1 << 20, 128),
        ] {
            let guid = block(&blocks, &mut cache, size);
            let host = blocks.pinned(guid).host_memory().expect("memory");
            assert_eq!(host.as_ptr() as usize % align, 0, "{size}");
            assert_eq!(blocks.pinned(guid).host_memory(), Ok(host));
            assert_eq!(blocks.pinned(guid).host_ptr(), host.as_ptr());
        }
    }

    #[test]
    fn absurd_sizes_are_refused() {
        let blocks = DataBlocks::default();
        let mut cache = Cache::default();
        for bytes in [1 << 60, u64::MAX] {
            for with_memory in [false, true] {
                let answer = blocks.allocate(&mut cache, bytes, with_memory);
                assert_eq!(answer.map(|_| ()).unwrap_err(), OutOfMemory { bytes });
            }
        }
    }

    #[test]
    fn a_freed_block_is_remembered_as_such() {
        let blocks = DataBlocks::default();
        let mut cache = Cache::default();
        let guid = block(&blocks, &mut cache, 8);
        assert!(!blocks.was_freed(guid));
        blocks.free(&mut cache, blocks.pinned(guid));
        assert!(blocks.lock(guid).is_none());
        assert!(blocks.was_freed(guid));
        assert!(!blocks.was_freed(Guid::from_bits(0x0aaa_aaaa_aaaa_aaaa)));
    }
}
