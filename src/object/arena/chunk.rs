//! The memory of the slots: chunks that the system maps.

use super::CHUNK_BYTES;
#[cfg(not(miri))]
use std::ptr;
use std::ptr::NonNull;

/// A chunk of zeros. It is mapped and not allocated because its pages must be touched only when
/// their slots are used, and aligned allocators that give zeros write them.
///
/// From the second chunk on an arena asks for huge pages: a fault for each 4 KiB costs more than
/// what is done with the EDTs in them. A program with few objects stays small.
#[cfg(not(miri))]
pub(super) fn map(huge: bool) -> Option<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // Twice the size has an aligned chunk in it.
    // SAFETY: a new mapping at an address of the system's choice touches nothing else.
    let start = unsafe { libc::mmap(ptr::null_mut(), 2 * CHUNK_BYTES, protection, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    let before = start.cast::<u8>().align_offset(CHUNK_BYTES);
    let chunk = start.wrapping_byte_add(before);
    let end = chunk.wrapping_byte_add(CHUNK_BYTES);
    if before != 0 {
        // SAFETY: these bytes are the part of the new mapping before the chunk, and no other thread knows them.
        unsafe { libc::munmap(start, before) };
    }
    // SAFETY: these bytes are the part of the new mapping behind the chunk, and no other thread knows them.
    unsafe { libc::munmap(end, CHUNK_BYTES - before) };
    if huge {
        // SAFETY: advice on the chunk; whether it is taken makes no difference but in speed.
        unsafe { libc::madvise(chunk, CHUNK_BYTES, libc::MADV_HUGEPAGE) };
    }
    NonNull::new(chunk.cast())
}

/// Gives a chunk back.
///
/// # Safety
/// [`map`] made it, and it is not used any more.
#[cfg(not(miri))]
pub(super) unsafe fn unmap(chunk: *mut u8) {
    // SAFETY: the caller promises that `map` has mapped these bytes, and that they are not used any more.
    unsafe { libc::munmap(chunk.cast(), CHUNK_BYTES) };
}

/// Gets a chunk from the allocator, since the interpreter knows no mapping in parts.
#[cfg(miri)]
pub(super) fn map(_huge: bool) -> Option<NonNull<u8>> {
    // SAFETY: the layout has a non-zero size.
    NonNull::new(unsafe { std::alloc::alloc_zeroed(LAYOUT) })
}

/// Gives a chunk back.
///
/// # Safety
/// [`map`] made it, and it is not used any more.
#[cfg(miri)]
pub(super) unsafe fn unmap(chunk: *mut u8) {
    // SAFETY: the caller promises that `map` has allocated the chunk, with this layout, and that it is not used any
    // more.
    unsafe { std::alloc::dealloc(chunk, LAYOUT) };
}

#[cfg(miri)]
const LAYOUT: std::alloc::Layout = match std::alloc::Layout::from_size_align(CHUNK_BYTES, CHUNK_BYTES) {
    Ok(layout) => layout,
    Err(_) => panic!("a chunk fits an address space"),
};
