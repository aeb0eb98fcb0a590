//! The memory that the runtime takes for itself: the C library's, and whether there was none. Where the runtime cannot
//! go on without, the standard library ends the process by `abort`; the message about that says why (`engine/crash`).

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    /// How many bytes this thread asked for last where there were none; 0: it has got some, or goes on without.
    static LACKING: Cell<usize> = const { Cell::new(0) };
}

/// For the handler of a signal, too.
pub fn lacking() -> Option<usize> {
    Some(LACKING.get()).filter(|bytes| *bytes != 0)
}

/// A call that could not go on without answers so: what comes to an end afterwards does for another reason.
pub fn coped() {
    LACKING.set(0);
}

struct Heap;

#[global_allocator]
static HEAP: Heap = Heap;

#[inline]
fn noted(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() {
        LACKING.set(bytes);
    }
    memory
}

// SAFETY: all is the system's.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the contract.
        noted(unsafe { System.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: by the contract.
        noted(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: by the contract.
        unsafe { System.dealloc(memory, layout) };
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // SAFETY: by the contract.
        noted(unsafe { System.realloc(memory, layout, bytes) }, bytes)
    }
}
