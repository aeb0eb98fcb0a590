//! Host memory of blocks: how it is allocated, aligned and given back.

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

impl Drop for Memory {
    fn drop(&mut self) {
        free_memory(self.base);
    }
}

/// How host memory for a block of so many bytes is aligned at least.
pub fn alignment(bytes: usize) -> usize {
    bytes.next_power_of_two().clamp(16, 128)
}

pub(super) fn allocate_memory(size: u64) -> Result<(*mut u8, NonNull<u8>), OutOfMemory> {
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

pub(super) fn free_memory(base: *mut u8) {
    // SAFETY: `base` is null or came from `allocate_memory` and is given back once.
    unsafe { libc::free(base.cast()) };
}
