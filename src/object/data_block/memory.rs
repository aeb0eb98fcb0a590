//! Host memory of blocks: how it is allocated, aligned, guarded and given back.
//!
//! In strict mode a guard stands before and behind the content of each block: bytes that nobody has
//! reason to write. One that has changed tells of a write beyond the block.

use std::ptr::NonNull;

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

/// Host memory that was taken from a block; given back when this is dropped.
pub struct Memory {
    pub(super) base: *mut u8,
    /// Where the block began.
    pub start: *mut u8,
    /// Its size in bytes.
    pub len: usize,
}

// SAFETY: it is memory of the process, and nobody else has it.
unsafe impl Send for Memory {}

impl Memory {
    /// How many bytes of the process it takes, guarded: of small blocks that is mostly guards.
    pub fn taken(&self) -> usize {
        self.len + alignment(self.len) + 2 * GUARD
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        free_memory(self.base);
    }
}

/// How many bytes a guard has: a multiple of every alignment, and no less than any.
const GUARD: usize = 128;
/// What each of them is.
const PATTERN: u8 = 0xc3;

/// How host memory for a block of so many bytes is aligned at least.
pub fn alignment(bytes: usize) -> usize {
    bytes.next_power_of_two().clamp(16, 128)
}

pub(super) fn allocate_memory(
    size: u64,
    guarded: bool,
) -> Result<(*mut u8, NonNull<u8>), OutOfMemory> {
    let failed = OutOfMemory { bytes: size };
    let bytes = usize::try_from(size).map_err(|_| failed)?;
    if bytes > isize::MAX as usize / 2 {
        return Err(failed);
    }
    let align = alignment(bytes);
    // malloc aligns to 16; the rest is done here because it is several times faster than the
    // aligned allocators of libc. A block of no bytes gets an address of its own, too.
    let slack = align - 16;
    let guard = if guarded { GUARD } else { 0 };
    // SAFETY: a plain call; any size may be asked for.
    let base = unsafe { libc::malloc(bytes.max(1) + slack + 2 * guard) }.cast::<u8>();
    if base.is_null() {
        return Err(failed);
    }
    let offset = base.align_offset(align) + guard;
    let host = base.wrapping_add(offset);
    if guarded {
        // What is freed in strict mode was filled with a pattern, and malloc gives it out again; a program
        // that reads a block before it writes it should find what it mostly finds in memory that is new.
        // SAFETY: within what was allocated.
        unsafe { host.write_bytes(0, bytes) };
        for start in [host.wrapping_sub(GUARD), host.wrapping_add(bytes)] {
            // SAFETY: within what was allocated: a guard more on either side.
            unsafe { start.write_bytes(PATTERN, GUARD) };
        }
    }
    NonNull::new(host).map(|host| (base, host)).ok_or(failed)
}

/// Where the guards of a block of so many bytes have changed, counted from its start.
///
/// # Safety
/// `host` is that of [`allocate_memory`] for this size, guarded, and has not been given back.
pub(super) unsafe fn written_beyond(host: *const u8, bytes: usize) -> Option<isize> {
    let behind = bytes as isize..(bytes + GUARD) as isize;
    let before = (-(GUARD as isize)..0).rev();
    behind.chain(before).find(|&at| {
        // SAFETY: within the guards, by the contract. Volatile, since a program that misuses the block
        // may write to them now.
        let byte = unsafe { host.wrapping_offset(at).read_volatile() };
        byte != PATTERN
    })
}

pub(super) fn free_memory(base: *mut u8) {
    // SAFETY: `base` is null or came from `allocate_memory` and is given back once.
    unsafe { libc::free(base.cast()) };
}
