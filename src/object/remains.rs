//! What is still known of a once, latch or output event that has triggered and is gone.
//!
//! Its slot is free, and keeps the data block and what has satisfied it, until another object is made there
//! ([`super::header`] has the protocol). The mark of the protocol is the word of the data block: [`mark`].

use super::code::Code;
use super::guid::Guid;

/// In a mark, beside the GUID of a data block or `NULL_GUID`. No other GUID that stands in such a word has both this
/// bit and what is left of the kind.
const MARK: u64 = 1 << 62;

/// What is left of an event that has triggered.
#[derive(Clone, Copy)]
pub struct Remains {
    /// What it was satisfied with: a data block, which may be destroyed by now, or `NULL_GUID`.
    pub data: Guid,
    /// What the EDT ran that has satisfied it, if that is known.
    pub by: Option<&'static Code>,
}

/// The word that an event leaves that was satisfied with this data block or `NULL_GUID`.
#[inline(always)]
pub(super) fn mark(data: Guid) -> u64 {
    data.bits() | MARK
}

/// What an event was satisfied with that has left this word, if it is a mark.
pub(super) fn data_in(word: u64) -> Option<Guid> {
    let data = Guid::from_bits(word & !MARK);
    (word & MARK != 0 && (data.is_null() || data.is_data_block())).then_some(data)
}

#[cfg(all(test, not(loom)))]
mod tests;
