//! The content of a block on its way: bytes that go from the program's memory to the program's memory, without a copy.

use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Memory of blocks that is read or written for the link. SeqCst: who frees blocks waits until there is none.
static IN_USE: AtomicUsize = AtomicUsize::new(0);

/// Whether memory of blocks is read or written for the link.
pub(crate) fn is_any_in_use() -> bool {
    IN_USE.load(Ordering::SeqCst) != 0
}

/// Memory that is sent or received as a whole.
#[derive(Debug)]
pub(crate) struct BlockBytes {
    at: *mut u8,
    len: usize,
    /// What gives the memory back, where it is not that of a block.
    owned: Option<Box<dyn Any + Send>>,
}

// SAFETY: the memory is its own, or is left to it by whoever has made it, on any thread.
unsafe impl Send for BlockBytes {}

impl BlockBytes {
    /// The memory of a block.
    ///
    /// # Safety
    /// The memory has so many bytes, and stays as long as the result lives. Nobody writes to it meanwhile; where the
    /// bytes are to be received, nobody reads it.
    pub(crate) unsafe fn of_block(at: *mut u8, len: usize) -> BlockBytes {
        IN_USE.fetch_add(1, Ordering::SeqCst);
        BlockBytes { at, len, owned: None }
    }

    /// Memory that belongs to `owner`, and stays where it is as long as that lives.
    pub(crate) fn of_owner(at: *mut u8, len: usize, owner: Box<dyn Any + Send>) -> BlockBytes {
        BlockBytes { at, len, owned: Some(owner) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Its parts of at most so many bytes: where each begins, and its length.
    pub(super) fn parts(&self, most: usize) -> impl Iterator<Item = (*mut u8, usize)> {
        let (at, len) = (self.at, self.len);
        (0..len).step_by(most).map(move |begin| (at.wrapping_add(begin), most.min(len - begin)))
    }
}

impl From<Vec<u8>> for BlockBytes {
    fn from(mut bytes: Vec<u8>) -> BlockBytes {
        // A `Vec` that moves leaves its bytes where they are.
        BlockBytes::of_owner(bytes.as_mut_ptr(), bytes.len(), Box::new(bytes))
    }
}

impl Drop for BlockBytes {
    fn drop(&mut self) {
        if self.owned.is_none() {
            IN_USE.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_all_of_it() {
        let bytes = BlockBytes::from(vec![0; 10]);
        let at = bytes.at;
        let parts: Vec<_> = bytes.parts(4).collect();
        assert_eq!(parts, [(at, 4), (at.wrapping_add(4), 4), (at.wrapping_add(8), 2)]);
        assert_eq!(bytes.parts(10).count(), 1);
    }
}
