//! What a thread keeps of the blocks of the EDT that it runs, where the run is recorded (`life/contents.rs`).

use crate::object::guid::Guid;

/// What the blocks of the EDT that runs contained.
#[derive(Default)]
pub(crate) struct Contents {
    /// Words of its blocks, as they were when it began.
    pub(crate) words: Vec<u64>,
    /// The blocks whose words these are, with the index of the first one and how many there are.
    pub(crate) before: Vec<(Guid, usize, usize)>,
    /// The blocks that it has given to others, with a checksum.
    pub(crate) given: Vec<(Guid, u64)>,
    /// What is compared with `words`, kept for its memory.
    pub(crate) now: Vec<u64>,
    /// How many words of blocks that it has given to others are still looked at. With 0 it is not seen any more
    /// whether it writes such blocks.
    pub(crate) left: usize,
}
