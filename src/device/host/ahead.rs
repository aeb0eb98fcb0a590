//! Whether what kernels write is brought to the host before anybody has asked for it.
//!
//! Where a device shares the host's memory, to bring a block to the host copies nothing: the device only says that it
//! has done with the block. But a device whose threads are all in a kernel says so when that kernel ends. PoCL is like
//! that. A worker that asked for a block when the next kernel had begun waited for the whole of it, and in a wavefront
//! on a worker and a device of one core that was a fifth of the worker's time. So the fetch is enqueued right behind
//! the kernel that writes the block, in front of the next kernel, and the worker finds the block on the host.
//!
//! A fetch ahead costs the device two commands for each block, a map and an unmap, which are in vain where only kernels
//! use the block. So a manager fetches ahead only while the host is seen to want blocks. Each block that is brought
//! costs a credit, and one that the host was seen to want gives it back with [`WORTH`] more. A block that the host
//! reads, unseen by the manager, and then a kernel uses, counts as brought in vain. One that is destroyed before a
//! kernel uses it again gives back what it has cost. Without credit nothing is brought ahead: programs whose blocks
//! stay on the device pay nothing.
//!
//! Fetches are done in the order in which they were enqueued. So that one that somebody asks for does not wait for many
//! kernels, nothing is brought ahead where more than [`BESIDE`] launches are enqueued. And it is done on CPU devices
//! alone: others may have to do something for it, and what that costs has not been measured. A block whose hints say
//! that it is lazy (`OCR_HINT_DB_LAZY`) is not brought ahead.

/// How many blocks may be brought in vain for each one that was wanted. What a worker waits for otherwise is about half
/// a kernel, and two commands take some microseconds.
const WORTH: u32 = 8;
/// The greatest number of blocks that are brought in vain, once none is wanted any more.
const MOST: u32 = 64;
/// The greatest number of launches, this one among them, behind which a block is brought.
const BESIDE: usize = 4;

/// Whether fetches ahead are of use on a device.
#[derive(Default)]
pub(crate) struct FetchAhead {
    /// How many blocks may be brought in vain from now on.
    credit: u32,
}

impl FetchAhead {
    /// Whether what a kernel writes should be brought to the host behind it, where `launches` launches are enqueued.
    pub(crate) fn is_worth_it(&self, launches: usize) -> bool {
        self.credit > 0 && launches <= BESIDE
    }

    /// A block is brought to the host.
    pub(crate) fn bring(&mut self) {
        self.credit = self.credit.saturating_sub(1);
    }

    /// A block was wanted on the host, whether it was brought before somebody asked or not.
    pub(crate) fn wanted(&mut self) {
        self.credit = (self.credit + 1 + WORTH).min(MOST);
    }

    /// A block that was brought is destroyed, and whether the host has used it is not known.
    pub(crate) fn destroyed(&mut self) {
        self.credit = (self.credit + 1).min(MOST);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_brought_ahead_until_a_block_is_wanted() {
        let mut ahead = FetchAhead::default();
        assert!(!ahead.is_worth_it(1));
        ahead.destroyed();
        ahead.bring();
        assert!(!ahead.is_worth_it(1));
        ahead.wanted();
        assert!(ahead.is_worth_it(1) && ahead.is_worth_it(BESIDE));
        assert!(!ahead.is_worth_it(BESIDE + 1), "many would wait for many");
    }

    #[test]
    fn it_goes_on_while_one_in_nine_is_wanted() {
        let mut ahead = FetchAhead::default();
        for _ in 0..100 {
            ahead.wanted();
            for _ in 0..=WORTH {
                assert!(ahead.is_worth_it(1));
                ahead.bring();
            }
        }
        assert!(!ahead.is_worth_it(1));
    }

    #[test]
    fn it_ends_soon_after_the_last_that_was_wanted() {
        let mut ahead = FetchAhead::default();
        for _ in 0..1000 {
            ahead.wanted();
        }
        let mut brought = 0;
        while ahead.is_worth_it(1) {
            ahead.bring();
            brought += 1;
        }
        assert_eq!(brought, MOST);
    }
}
