//! A data block: its memory, who holds it in which mode, who waits, and where its valid copies are.
//!
//! | state | meaning | left by |
//! |---|---|---|
//! | free | slot of no block | creation |
//! | live | can be acquired | `ocrDbDestroy` |
//! | private | a content passed by value: acquired by the EDTs that it was passed to, and passed on no more (`memory::private`) | nobody being to use it any more, or `ocrDbDestroy`: destroyed; an event keeping it: live |
//! | divided | there are parts of it: who wants it waits (`memory::divided`) | the last part: live; `ocrDbDestroy`: divided and destroyed |
//! | divided and destroyed | both | the last part: destroyed |
//! | destroyed | its GUID is no longer accepted; holders and those that wait still use it | the last of them: freed, after every device that has a buffer has forgotten it |
//!
//! All cells are touched under the lock of the header, except that the host copy's address and the
//! size do not change once set and may be read by whoever holds the block, and that `held_before`
//! and `held_after` belong to the thread that holds the block as its creator.

use super::arena::{Arena, Cache, Labels, Slot, Taken};
use super::edt::Edt;
use super::guid::{Guid, Kind};
use super::header::{Header, Locked, Word};
use super::hints::{HintSet, Hints};
use super::partition::Partitions;
use super::place::{Place, PlaceSet};
use crate::sync::{AtomicU32, Ordering, fence};
use std::cell::{Cell, UnsafeCell};
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::AtomicUsize;

/// State: exists.
pub const LIVE: u8 = 1;
/// State: `ocrDbDestroy` was called; holders still use it.
pub const DESTROYED: u8 = 2;
/// State: there are parts of it.
pub const DIVIDED: u8 = 3;
/// State: goes when those that it was passed to are done with it.
pub const PRIVATE: u8 = 4;
/// State: there are parts of it, and it goes with the last.
pub const DIVIDED_DESTROYED: u8 = 6;

/// Whether a program can use a block in this state: it is live or divided.
#[inline]
fn is_usable(state: u8) -> bool {
    state & LIVE != 0
}

/// What there is to know about a live block for those who do not take its lock.
#[derive(Clone, Copy)]
#[repr(u32)]
pub enum Mark {
    /// Somebody is in the block's queue.
    WaitedFor = 1,
    /// A device has, or has had, a buffer for the block.
    OnDevice = 2,
    /// The block was destroyed.
    Destroyed = 4,
    /// `DB_PROP_SINGLE_ASSIGNMENT`.
    WrittenOnce = 8,
    /// The block is written once, and has been: nobody may write it any more.
    Written = 16,
    /// The block is or was private.
    Private = 32,
    /// The block is a part of another one ([`super::partition`]).
    Part = 64,
    /// There are parts of the block, or will be.
    Divided = 128,
    /// There are, and they hold the block.
    Closed = 256,
    /// It is a part of a file, to which it goes back.
    Chunk = 512,
}

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
    /// Who created the block and has not released it: an EDT, or a thread outside of EDTs. 0: nobody.
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
    /// [`Mark`]s.
    marks: AtomicU32,
    hinted: Cell<bool>,
    size: Cell<u64>,
    /// The start of the allocation that `Copies::host` points into.
    base: Cell<*mut u8>,
    copies: UnsafeCell<Copies>,
    /// Neighbours among the blocks that the creator holds; they belong to the creator's thread.
    held_before: Cell<*const DataBlock>,
    held_after: Cell<*const DataBlock>,
}

// SAFETY: see the module: the lock of the header guards the cells.
unsafe impl Sync for DataBlock {}

// SAFETY: zero is a free block; the size is 128; the fields are fixed.
unsafe impl Slot for DataBlock {
    fn header(&self) -> &Header {
        &self.header
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
pub struct DataBlocks {
    blocks: Arena<DataBlock>,
    /// The hints of those that have some.
    pub hints: Hints,
    /// Those that are divided, and their parts.
    pub partitions: Partitions,
}

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
        let Some((index, block)) = self.blocks.allocate(cache) else {
            free_memory(memory.map_or(std::ptr::null_mut(), |(base, _)| base));
            return Err(failed);
        };
        block.begin(index, size, memory);
        Ok(block)
    }

    /// As [`DataBlocks::allocate`], on a label.
    pub fn allocate_on(
        &self,
        label: Guid,
        size: u64,
        with_memory: bool,
    ) -> Result<Result<&DataBlock, Taken>, OutOfMemory> {
        if size > ADDRESS_SPACE {
            return Err(OutOfMemory { bytes: size });
        }
        if !label.is_data_block() {
            return Ok(Err(Taken::NoLabel));
        }
        // Others who want to create it wait while the label is claimed, so the memory comes before.
        let memory = with_memory.then(|| allocate_memory(size)).transpose()?;
        Ok(self
            .blocks
            .claim(label)
            .inspect(|block| block.begin(label.index(), size, memory))
            .inspect_err(|_| free_memory(memory.map_or(std::ptr::null_mut(), |(base, _)| base))))
    }

    /// The labels of data blocks.
    pub fn labels(&self) -> &dyn Labels {
        &self.blocks
    }

    /// Gives back the memory and the slot of a block nobody uses and no device knows.
    pub fn free(&self, cache: &mut Cache, block: &DataBlock) {
        let index = block.index.get();
        if block.second.hinted.get() {
            self.hints.drop_of(block.guid());
        }
        let mut locked = block.header.lock_pinned();
        let base = block.second.base.replace(std::ptr::null_mut());
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
        self.blocks.free(cache, freed, index);
    }

    /// The block of a GUID and its lock, if the slot is still in that generation: the block is
    /// live, or destroyed and still in use (`locked.word.state()` tells).
    #[inline]
    pub fn lock(&self, guid: Guid) -> Option<(&DataBlock, Locked<'_>)> {
        if !guid.is_data_block() {
            return None;
        }
        let block = self.blocks.get(guid.index())?;
        Some((block, block.header.lock(guid.generation())?))
    }

    /// Adds hints to a block. False if there is none.
    pub fn add_hints(&self, guid: Guid, hints: &HintSet) -> bool {
        let locked = self.lock(guid);
        let Some((block, _locked)) = locked.filter(|(_, locked)| is_usable(locked.word.state()))
        else {
            return false;
        };
        self.hints.add(guid, hints);
        block.second.hinted.set(true);
        true
    }

    /// Whether this is the GUID of a block that is not destroyed. Writes nothing: many EDTs may
    /// name one block.
    #[inline]
    pub fn exists(&self, guid: Guid) -> bool {
        guid.is_data_block()
            && self.blocks.get(guid.index()).is_some_and(|block| {
                let word = block.header.peek();
                word.generation() == guid.generation() && is_usable(word.state())
            })
    }

    /// Whether this is the GUID of a private block.
    pub fn is_private(&self, guid: Guid) -> bool {
        guid.is_data_block()
            && self.blocks.get(guid.index()).is_some_and(|block| {
                let word = block.header.peek();
                word.generation() == guid.generation() && word.state() == PRIVATE
            })
    }

    /// Whether this is the GUID of a part of a block. It may have been one, if it is gone.
    pub fn is_part(&self, guid: Guid) -> bool {
        guid.is_data_block()
            && (self.blocks.get(guid.index())).is_some_and(|block| block.has(Mark::Part))
    }

    /// The block of a GUID that somebody holds.
    #[inline]
    pub fn pinned(&self, guid: Guid) -> &DataBlock {
        self.blocks.slot(guid.index())
    }

    /// Whether this was the GUID of a block that has been freed since.
    pub fn was_freed(&self, guid: Guid) -> bool {
        guid.is_data_block()
            && self.blocks.get(guid.index()).is_some_and(|block| {
                let now = block.header.peek().generation();
                // A slot takes on the generation of a label with its first block.
                guid.generation() < now || guid.is_label() && guid.generation() == now
            })
    }

    /// All blocks that are not free, with their GUIDs: others may free them meanwhile, so they are
    /// not to be asked.
    pub fn live(&self) -> impl Iterator<Item = (Guid, &DataBlock)> {
        let guid = |index, word: Word| Guid::new(Kind::DataBlock, word.generation(), index);
        self.blocks
            .live()
            .map(move |(index, word, block)| (guid(index, word), block))
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, cache: &mut Cache) {
        self.blocks.drain(cache);
    }
}

impl Drop for DataBlocks {
    fn drop(&mut self) {
        for (_, block) in self.live() {
            free_memory(block.second.base.replace(std::ptr::null_mut()));
        }
    }
}

#[cfg(all(test, loom))]
impl DataBlock {
    /// A live block for a model, in no arena, and its GUID.
    pub(crate) fn for_model(holders: Holders) -> (&'static DataBlock, Guid) {
        let block: &DataBlock = Box::leak(Box::new(DataBlock {
            header: Header::new(),
            index: Cell::default(),
            creator: AtomicUsize::default(),
            holders: Cell::default(),
            queue: Cell::new((std::ptr::null(), std::ptr::null())),
            second: Second {
                marks: AtomicU32::new(0),
                hinted: Cell::default(),
                size: Cell::default(),
                base: Cell::new(std::ptr::null_mut()),
                copies: UnsafeCell::new(Copies {
                    valid: PlaceSet::EMPTY,
                    resident: PlaceSet::EMPTY,
                    version: 0,
                    host: std::ptr::null_mut(),
                }),
                held_before: Cell::new(std::ptr::null()),
                held_after: Cell::new(std::ptr::null()),
            },
        }));
        block.begin(1, 8, None);
        block.holders.set(holders);
        block.header.publish(block.header.peek().with_state(LIVE));
        (block, block.guid())
    }
}

impl DataBlock {
    /// Makes a slot that this thread has taken a block, not yet published.
    fn begin(&self, index: u32, size: u64, memory: Option<(*mut u8, NonNull<u8>)>) {
        self.index.set(index);
        self.second.hinted.set(false);
        self.second.size.set(size);
        self.second
            .base
            .set(memory.map_or(std::ptr::null_mut(), |(base, _)| base));
        // SAFETY: the slot is free and belongs to this thread.
        let copies = unsafe { &mut *self.second.copies.get() };
        copies.valid = PlaceSet::EMPTY;
        copies.resident = PlaceSet::EMPTY;
        copies.host = memory.map_or(std::ptr::null_mut(), |(_, host)| host.as_ptr());
        self.holders.set(Holders::default());
        self.queue.set((std::ptr::null(), std::ptr::null()));
        self.creator.store(0, Ordering::Relaxed);
        self.second.marks.store(0, Ordering::Relaxed);
    }

    /// Its GUID; the block must be known to be alive.
    pub fn guid(&self) -> Guid {
        Guid::new(
            Kind::DataBlock,
            self.header.peek().generation(),
            self.index.get(),
        )
    }

    /// Whether nothing but the EDTs of the host that hold it has to do with the block: it has no mark.
    #[inline]
    pub fn is_plain(&self) -> bool {
        self.second.marks.load(Ordering::Relaxed) == 0
    }

    /// Whether `ocrDbDestroy` was called for it, or it goes.
    pub fn is_destroyed(&self, locked: &Locked<'_>) -> bool {
        let state = locked.word.state();
        matches!(state, DESTROYED | DIVIDED_DESTROYED) || self.has(Mark::Destroyed)
    }

    /// Whether it has this mark.
    pub fn has(&self, mark: Mark) -> bool {
        self.second.marks.load(Ordering::Relaxed) & mark as u32 != 0
    }

    /// Puts a mark.
    pub fn mark(&self, _locked: &Locked<'_>, mark: Mark) {
        let marks = self.second.marks.load(Ordering::Relaxed) | mark as u32;
        self.second.marks.store(marks, Ordering::Relaxed);
    }

    /// Takes a mark away.
    pub fn unmark(&self, _locked: &Locked<'_>, mark: Mark) {
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
        self.second.size.get()
    }

    /// Locks the block and gives access to where its copies are. Hold it for a few instructions.
    pub fn copies(&self) -> CopiesGuard<'_> {
        let locked = self.header.lock_pinned();
        CopiesGuard {
            copies: self.copies_of(&locked),
            _locked: locked,
        }
    }

    /// Notes that the device at `place` has a buffer for the block.
    pub fn got_buffer(&self, place: Place) {
        let locked = self.header.lock_pinned();
        self.copies_of(&locked).resident.insert(place);
        self.mark(&locked, Mark::OnDevice);
        drop(locked);
        // Pairs with the fence of an EDT that has written (`memory::lease`): the device copies after this.
        fence(Ordering::SeqCst);
    }

    /// Access to the copies under a lock that the caller has.
    #[allow(clippy::mut_from_ref)]
    pub(crate) fn copies_of(&self, _locked: &Locked<'_>) -> &mut Copies {
        // SAFETY: the lock is held, and this is the only way to the copies.
        unsafe { &mut *self.second.copies.get() }
    }

    /// The address of the host copy; for holders, which made sure that there is one.
    #[inline]
    pub fn host_ptr(&self) -> *mut u8 {
        let copies = self.second.copies.get();
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
                self.second.base.set(base);
                Ok(host)
            }
        }
    }
}

impl DataBlock {
    /// Gives a block that has none host memory that belongs to another one, which lives longer.
    pub fn lend(&self, host: *mut u8) {
        self.copies().host = host;
    }

    /// Whether its host memory is its own.
    pub fn owns_memory(&self) -> bool {
        let _locked = self.header.lock_pinned();
        !self.second.base.get().is_null()
    }
}

/// Host memory that was taken from a block; given back when this is dropped.
pub struct Memory {
    base: *mut u8,
    /// Where the block began.
    pub start: *mut u8,
    /// Its size in bytes.
    pub len: usize,
}

// SAFETY: it is memory of the process, and nobody else has it.
unsafe impl Send for Memory {}

impl Drop for Memory {
    fn drop(&mut self) {
        free_memory(self.base);
    }
}

impl DataBlock {
    /// Takes the host memory of a block that nobody uses any more and that is about to be freed.
    pub fn take_memory(&self) -> Option<Memory> {
        let locked = self.header.lock_pinned();
        let copies = self.copies_of(&locked);
        let start = std::mem::replace(&mut copies.host, std::ptr::null_mut());
        let base = self.second.base.replace(std::ptr::null_mut());
        let len = self.size() as usize;
        (!base.is_null()).then_some(Memory { base, start, len })
    }
}

/// How host memory for a block of so many bytes is aligned at least.
pub fn alignment(bytes: usize) -> usize {
    bytes.next_power_of_two().clamp(16, 128)
}

fn allocate_memory(size: u64) -> Result<(*mut u8, NonNull<u8>), OutOfMemory> {
    let failed = OutOfMemory { bytes: size };
    let bytes = usize::try_from(size).map_err(|_| failed)?;
    if bytes > isize::MAX as usize / 2 {
        return Err(failed);
    }
    let align = alignment(bytes);
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
