//! Whether what kernels write is brought to the host before anybody has asked for it.
//!
//! Where a device shares the host's memory, to bring a block to the host copies nothing: the device only says that it has
//! done with the block. But a device whose threads are all in a kernel says so when that kernel ends. PoCL is like that. A
//! worker that asked for a block when the next kernel had begun waited for the whole of it, and in a wavefront on a worker
//! and a device of one core that was a fifth of the worker's time. So the fetch is enqueued right behind the kernel that
//! writes the block, in front of the next kernel, and the worker finds the block on the host.
//!
//! That is two commands more for each block, which are in vain where only kernels use the block. So it is done while it is
//! known to be of use. A block that somebody asked for, or that the host has written, or that no kernel has used again, is
//! worth [`WORTH`] blocks that were brought in vain. Without any, nothing is brought ahead: programs whose blocks stay on the
//! device pay nothing.

/// How many blocks may be brought in vain for each one that was wanted. What a worker waits for otherwise is about half a
/// kernel, and two commands take some microseconds.
const WORTH: u32 = 8;
/// The greatest number of blocks that are brought in vain, once none is wanted any more.
const MOST: u32 = 64;

/// Whether fetches ahead are of use on a device.
#[derive(Default)]
pub(crate) struct FetchAhead {
    /// How many blocks may be brought in vain from now on.
    credit: u32,
}

impl FetchAhead {
    /// Whether what a kernel writes is to be brought to the host behind it.
    pub(crate) fn is_worth_it(&self) -> bool {
        self.credit > 0
    }

    /// A block was wanted on the host.
    pub(crate) fn wanted(&mut self) {
        self.credit = (self.credit + WORTH).min(MOST);
    }

    /// A block was brought to the host, and the device has used it next.
    pub(crate) fn in_vain(&mut self) {
        self.credit = self.credit.saturating_sub(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_brought_ahead_until_a_block_is_wanted() {
        let mut ahead = FetchAhead::default();
        assert!(!ahead.is_worth_it());
        ahead.in_vain();
        assert!(!ahead.is_worth_it());
        ahead.wanted();
        assert!(ahead.is_worth_it());
    }

    #[test]
    fn it_goes_on_while_one_in_nine_is_wanted_and_ends_soon_after_the_last() {
        let mut ahead = FetchAhead::default();
        for _ in 0..100 {
            ahead.wanted();
            for _ in 0..WORTH {
                assert!(ahead.is_worth_it());
                ahead.in_vain();
            }
        }
        assert!(!ahead.is_worth_it(), "one in nine is just not enough");
        (0..1000).for_each(|_| ahead.wanted());
        let in_vain = (0..1000).take_while(|_| {
            ahead.in_vain();
            ahead.is_worth_it()
        });
        assert_eq!(in_vain.count(), MOST as usize - 1);
    }
}
