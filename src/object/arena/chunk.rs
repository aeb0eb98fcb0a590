//! The memory of the slots: chunks that the system maps, and the table of them.

use super::CHUNK_BYTES;
use std::alloc::Layout;
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

/// A table of zeros, of which no page is there before it is touched. Where the system gives huge pages unasked, one
/// entry would take 2 MiB.
#[cfg(not(any(miri, loom)))]
pub(super) fn map_table(layout: Layout) -> Option<NonNull<u8>> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: a new mapping at an address of the system's choice touches nothing else.
    let start = unsafe { libc::mmap(ptr::null_mut(), layout.size(), protection, flags, -1, 0) };
    if start == libc::MAP_FAILED {
        return None;
    }
    // SAFETY: advice on the new mapping; whether it is taken makes no difference but in memory.
    unsafe { libc::madvise(start, layout.size(), libc::MADV_NOHUGEPAGE) };
    NonNull::new(start.cast())
}

/// Gives a table back.
///
/// # Safety
/// [`map_table`] made it, with this layout, and it is not used any more.
#[cfg(not(any(miri, loom)))]
pub(super) unsafe fn unmap_table(table: NonNull<u8>, layout: Layout) {
    // SAFETY: the caller promises that `map_table` has mapped these bytes, and that they are not used any more.
    unsafe { libc::munmap(table.as_ptr().cast(), layout.size()) };
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
const LAYOUT: Layout = match Layout::from_size_align(CHUNK_BYTES, CHUNK_BYTES) {
    Ok(layout) => layout,
    Err(_) => panic!("a chunk fits an address space"),
};

/// Gets a table from the allocator: the interpreter knows no advice, and a model makes many small tables.
#[cfg(any(miri, loom))]
pub(super) fn map_table(layout: Layout) -> Option<NonNull<u8>> {
    // SAFETY: the layout has a non-zero size.
    NonNull::new(unsafe { std::alloc::alloc_zeroed(layout) })
}

/// Gives a table back.
///
/// # Safety
/// [`map_table`] made it, with this layout, and it is not used any more.
#[cfg(any(miri, loom))]
pub(super) unsafe fn unmap_table(table: NonNull<u8>, layout: Layout) {
    // SAFETY: the caller promises that `map_table` has allocated it with this layout, and that it is not used any more.
    unsafe { std::alloc::dealloc(table.as_ptr(), layout) };
}
