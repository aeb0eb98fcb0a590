//! Host memory of blocks: how it is allocated, aligned, guarded and given back.
//!
//! In strict mode a guard stands before and behind the content of each block: bytes that no thread has
//! reason to write. One that has changed tells of a write beyond the block. And there the content has pages of
//! its own, the last of which it fills, between two that no thread can touch: a loop that runs on behind a block
//! ends there, before it has overwritten what the runtime would tell of it with. When such a block is gone no thread
//! can touch its pages any more ([`Memory::close`]). The system gives a
//! process a limited number of such mappings, so blocks beyond [`MAPPED_MOST`] at a time have guards alone.

use super::super::guid::Guid;
use ocr_base::lock::{Mutex, rank};
use ocr_base::text::Counted;
use std::collections::VecDeque;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Host memory for a block of this size could not be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutOfMemoryError {
    /// The size asked for, in bytes.
    pub bytes: u64,
}

impl std::fmt::Display for OutOfMemoryError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let size = Counted(self.bytes, "byte");
        write!(f, "no host memory for a data block of {size}")
    }
}

/// Host memory that was taken from a block; given back when this is dropped.
pub struct Memory {
    pub(super) base: *mut u8,
    /// Where the memory of the block began.
    pub start: *mut u8,
    /// How many bytes the block had.
    pub len: usize,
}

// SAFETY: it is memory of the process, and no other thread has it.
unsafe impl Send for Memory {}

impl Memory {
    /// How many bytes of the process it takes, guarded: of small blocks that is mostly guards.
    pub fn taken(&self) -> usize {
        if is_mapped(self.base) { mapped_bytes(self.len) } else { self.len + alignment(self.len) + 2 * GUARD }
    }

    /// Closes the pages: an access to them from now on crashes, and they take no memory any more. False, and nothing is
    /// done, if the memory has no pages of its own.
    pub fn close(&self) -> bool {
        if !is_mapped(self.base) {
            return false;
        }
        let first = self.base.wrapping_sub(1).wrapping_add(PAGE);
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED | libc::MAP_NORESERVE;
        // SAFETY: pages that `map` has mapped, to which no thread has references: the block is gone.
        let closed = unsafe { libc::mmap(first.cast(), pages(self.len), libc::PROT_NONE, flags, -1, 0) };
        closed != libc::MAP_FAILED
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        free_memory(self.base, self.len as u64);
    }
}

/// A block that was there when its run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Former {
    /// The GUID that the block had.
    pub guid: Guid,
    /// How many bytes it had.
    pub size: usize,
}

/// The blocks that have outlived their runs, whose pages no thread can touch: the last ones, since each takes a
/// mapping, and addresses, of which a process may have a limit.
static FORMER: Mutex<rank::FormerMemory, VecDeque<(Guid, Memory)>> = Mutex::new(VecDeque::new());
const FORMER_MOST: usize = 1024;
const FORMER_BYTES: usize = 1 << 30;

/// Closes the memory of a block that is left at the end of a run, if it has pages of its own, and remembers whose it
/// was; otherwise gives it back.
pub(super) fn bequeath(memory: Memory, guid: Guid) {
    if !memory.close() {
        return;
    }
    let mut former = FORMER.lock();
    former.push_back((guid, memory));
    let bytes = |former: &VecDeque<(Guid, Memory)>| former.iter().map(|(_, memory)| memory.len).sum::<usize>();
    while former.len() > FORMER_MOST || bytes(&former) > FORMER_BYTES {
        former.pop_front();
    }
}

/// The block of a run that has ended which this address was in, and the byte of it. For the handler of a crash: it
/// waits for no lock.
pub(crate) fn former_at(address: usize) -> Option<(Former, usize)> {
    let former = FORMER.try_lock()?;
    former.iter().find_map(|&(guid, Memory { start, len: size, .. })| {
        let at = address.checked_sub(start.addr())?;
        (at < size).then_some((Former { guid, size }, at))
    })
}

/// How many bytes a guard has: a multiple of every alignment, and no less than any.
const GUARD: usize = 128;
/// What each of them is.
const PATTERN: u8 = 0xc3;

/// What strict mode fills a new block with: a program that uses what was not written must see it.
pub(crate) const UNWRITTEN: u8 = 0xa5;

/// How many blocks have pages of their own at most, of 65530 mappings that a process may have.
const MAPPED_MOST: usize = 16 << 10;
static MAPPED: AtomicUsize = AtomicUsize::new(0);
/// The largest size of a page: what is a multiple of it is one of every page.
pub(crate) const PAGE: usize = if cfg!(target_arch = "x86_64") { 4 << 10 } else { 64 << 10 };

/// The pages that a block has of its own. They may be looked at without holding the block.
#[derive(Clone, Copy)]
pub struct Pages {
    first: usize,
    bytes: usize,
    /// Where the memory of the block begins.
    pub start: usize,
    /// How many bytes the block has.
    pub len: usize,
}

impl Pages {
    /// The pages of the block whose memory has this base, if it has some.
    pub(super) fn of(base: *mut u8, start: *mut u8, len: usize) -> Option<Pages> {
        is_mapped(base).then(|| Pages { first: base.addr() - 1 + PAGE, bytes: pages(len), start: start.addr(), len })
    }

    /// Whether an address is in one of them, whether or not it is one of the block.
    pub fn contain(&self, address: usize) -> bool {
        address.wrapping_sub(self.first) < self.bytes
    }

    /// Lets no thread touch them, or all threads. False if the system does not: then they are as before.
    ///
    /// # Safety
    /// The block has not been freed.
    pub unsafe fn let_touch(&self, all: bool) -> bool {
        let access = if all { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
        let first = ptr::with_exposed_provenance_mut(self.first);
        // SAFETY: `map` has mapped these pages; the caller promises that the block has not been freed, so they are
        // there.
        unsafe { libc::mprotect(first, self.bytes, access) == 0 }
    }
}

/// The content and its guards, in pages; the content begins at a multiple of its alignment.
fn pages(bytes: usize) -> usize {
    (bytes.next_multiple_of(GUARD) + 2 * GUARD).next_multiple_of(PAGE)
}

/// What is mapped for them: a page more on either side.
fn mapped_bytes(bytes: usize) -> usize {
    pages(bytes) + 2 * PAGE
}

/// Whether memory has pages of its own: its base is odd then, as no other is.
fn is_mapped(base: *mut u8) -> bool {
    !base.addr().is_multiple_of(2)
}

/// Pages for a block: the base, and where the content begins.
fn map(bytes: usize) -> Option<(*mut u8, *mut u8)> {
    if cfg!(miri) || MAPPED.load(Ordering::Relaxed) >= MAPPED_MOST {
        return None;
    }
    let all = mapped_bytes(bytes);
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: without MAP_FIXED the system places the mapping where nothing is mapped, so it changes no memory that
    // somebody has.
    let base = unsafe { libc::mmap(ptr::null_mut(), all, libc::PROT_NONE, flags, -1, 0) };
    if base == libc::MAP_FAILED {
        return None;
    }
    let base = base.cast::<u8>();
    let first = base.wrapping_add(PAGE);
    // SAFETY: the pages are within the mapping that was made just now, and no other thread knows them.
    let opened = unsafe { libc::mprotect(first.cast(), pages(bytes), libc::PROT_READ | libc::PROT_WRITE) };
    if opened != 0 {
        // SAFETY: these are the bytes that were mapped just now, and no other thread knows them.
        unsafe { libc::munmap(base.cast(), all) };
        return None;
    }
    // Relaxed: it is a number alone.
    MAPPED.fetch_add(1, Ordering::Relaxed);
    let content = pages(bytes) - GUARD - bytes.next_multiple_of(GUARD);
    Some((base.wrapping_add(1), first.wrapping_add(content)))
}

/// How far from a block an access can be that its guards, and the pages beside them, have stopped.
pub(crate) const REACH: usize = 2 * PAGE + 2 * GUARD;

/// How host memory for a block of `bytes` bytes is aligned at least.
pub(crate) fn alignment(bytes: usize) -> usize {
    bytes.next_power_of_two().clamp(16, 128)
}

/// What memory has in it that is not guarded; other has [`UNWRITTEN`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Start {
    /// Anything: its creator is about to write it.
    Anything,
    Zeros,
}

pub(super) fn allocate_memory(
    size: u64,
    guarded: bool,
    start: Start,
) -> Result<(*mut u8, NonNull<u8>), OutOfMemoryError> {
    let failed = OutOfMemoryError { bytes: size };
    let bytes = usize::try_from(size).map_err(|_| failed)?;
    if bytes > isize::MAX as usize / 2 {
        return Err(failed);
    }
    let (base, host) = match guarded.then(|| map(bytes)).flatten() {
        Some(mapped) => mapped,
        None => on_heap(bytes, guarded, start).ok_or(failed)?,
    };
    if guarded {
        // SAFETY: the allocation has `bytes` bytes from `host` on, and no other thread knows it yet.
        unsafe { host.write_bytes(UNWRITTEN, bytes) };
        for start in [host.wrapping_sub(GUARD), host.wrapping_add(bytes)] {
            // SAFETY: with guards, the allocation has `GUARD` more bytes on either side of the content, and no other
            // thread knows it yet.
            unsafe { start.write_bytes(PATTERN, GUARD) };
        }
    }
    NonNull::new(host).map(|host| (base, host)).ok_or(failed)
}

/// From how many bytes on memory is in huge pages where the process will be forked: the C library maps it apart.
const LARGE: usize = 4 << 20;

/// Whether the process will be forked, for which tables of pages are copied. Relaxed: it is a hint.
static WILL_FORK: AtomicBool = AtomicBool::new(false);

/// Has large blocks be in huge pages from now on, so that there are few of them when the process is forked.
pub(crate) fn will_fork() {
    WILL_FORK.store(true, Ordering::Relaxed);
}

#[cold]
fn ask_for_huge_pages(base: *mut u8, bytes: usize) {
    let first = base.addr().next_multiple_of(PAGE);
    let start = base.with_addr(first).cast();
    // SAFETY: the pages are within memory that was allocated just now. The advice does not change what is in it, and it
    // does not matter if the system refuses.
    unsafe { libc::madvise(start, (base.addr() + bytes - first) / PAGE * PAGE, libc::MADV_HUGEPAGE) };
}

/// Memory of malloc, with room for guards: the base, and where the content begins.
fn on_heap(bytes: usize, guarded: bool, start: Start) -> Option<(*mut u8, *mut u8)> {
    let align = alignment(bytes);
    // malloc aligns to 16; the rest is done here because it is several times faster than the
    // aligned allocators of libc. A block of no bytes gets an address of its own, too.
    let slack = align - 16;
    let guard = if guarded { GUARD } else { 0 };
    // What is smaller than 16 bytes need not be aligned to 16.
    let all = (bytes + slack + 2 * guard).max(16);
    let base = match start {
        // SAFETY: `malloc` has no preconditions: any size may be asked for.
        Start::Anything => unsafe { libc::malloc(all) },
        // SAFETY: `calloc` has no preconditions: any number and size may be asked for.
        Start::Zeros => unsafe { libc::calloc(all, 1) },
    }
    .cast::<u8>();
    if bytes >= LARGE && WILL_FORK.load(Ordering::Relaxed) && !base.is_null() {
        ask_for_huge_pages(base, all);
    }
    let offset = base.align_offset(align) + guard;
    (!base.is_null()).then(|| (base, base.wrapping_add(offset)))
}

/// Where the guards of a block of `bytes` bytes have changed, counted from its start.
///
/// # Safety
/// `host` is that of [`allocate_memory`] for this size, guarded, and has not been given back.
pub(super) unsafe fn written_beyond(host: *const u8, bytes: usize) -> Option<isize> {
    let behind = bytes as isize..(bytes + GUARD) as isize;
    let before = (-(GUARD as isize)..0).rev();
    behind.chain(before).find(|&at| {
        // SAFETY: the caller promises memory of this size with guards, and `at` is within one of them. The read is
        // volatile, since a program that misuses the block may write there now.
        let byte = unsafe { host.wrapping_offset(at).read_volatile() };
        byte != PATTERN
    })
}

/// Gives back what [`allocate_memory`] has answered for this size, or a null pointer.
pub(super) fn free_memory(base: *mut u8, size: u64) {
    if is_mapped(base) {
        MAPPED.fetch_sub(1, Ordering::Relaxed);
        let base = base.wrapping_sub(1).cast();
        // SAFETY: `map` has mapped it for this size, and it is given back once.
        unsafe { libc::munmap(base, mapped_bytes(size as usize)) };
        return;
    }
    // SAFETY: `base` is null or came from `on_heap` and is given back once.
    unsafe { libc::free(base.cast()) };
}
