//! What is connected to the post-slot of an event: a list of links in single words.
//!
//! A link names an EDT's pre-slot, or an event's pre-slot, or a [`Connector`] that carries one
//! event target and the rest of the list. The pre-slot of an EDT is itself a list node (its second
//! word), so that connecting an event to an EDT allocates nothing; so does the first event target
//! of an event, which needs no rest.
//!
//! ```text
//! end          0
//! EDT slot     0 | EDT kind (4) | slot (27) | index (32)     the EDT is pinned while it is linked
//! event slot   1 or 0 | event kind (4) | generation | index  bit 63: the latch's increment slot
//! connector    0 | 15           | 0          | index
//! ```

use super::guid::{GENERATION_BITS, Guid, Kind};
use super::header::{Header, states};
use super::saved::AsWord;
use serde::{Deserialize, Serialize};
use std::cell::Cell;

/// One more than the largest pre-slot number of an EDT.
pub(crate) const MAX_SLOTS: u32 = 1 << GENERATION_BITS;

const CONNECTOR: u64 = 15;

/// One word of a list of waiting pre-slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[repr(transparent)]
pub struct Link(u64);

/// What a link leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Target {
    /// The end of the list.
    End,
    /// Pre-slot `slot` of the EDT in slot `index` of the arena of `kind`.
    Edt {
        /// The kind of the EDT, which says in which arena it is.
        kind: Kind,
        /// The slot of the EDT in that arena.
        index: u32,
        /// The number of the pre-slot.
        slot: u32,
    },
    /// An event, and whether its increment slot is meant.
    Event {
        /// The GUID of the event.
        guid: Guid,
        /// Whether the latch's increment slot is meant.
        increment: bool,
    },
    /// The index of a [`Connector`], which has the event that depends and the rest of the list.
    Connector(u32),
}

impl Link {
    /// The end of a list.
    pub const END: Link = Link(0);

    /// A link to a pre-slot of an EDT.
    pub fn to_edt(kind: Kind, index: u32, slot: u32) -> Link {
        debug_assert!(kind.is_edt() && slot < MAX_SLOTS);
        Link(Guid::new(kind, slot, index).bits())
    }

    /// A link to a pre-slot of the EDT of this GUID, which is that of its slot.
    #[inline]
    pub fn to_slot(edt: Guid, slot: u32) -> Link {
        debug_assert!(edt.is_edt() && !edt.is_label() && slot < MAX_SLOTS);
        let generation = ((MAX_SLOTS - 1) as u64) << 32;
        Link(edt.bits() & !generation | (slot as u64) << 32)
    }

    /// A link to a pre-slot of an event.
    pub fn to_event(guid: Guid, increment: bool) -> Link {
        debug_assert!(guid.is_event());
        Link(guid.bits() | (increment as u64) << 63)
    }

    /// A link to a connector.
    pub fn to_connector(index: u32) -> Link {
        Link(CONNECTOR << 59 | index as u64)
    }

    /// The link as the word that lists are made of.
    pub fn bits(self) -> u64 {
        self.0
    }

    /// The link with this word.
    pub fn from_bits(bits: u64) -> Link {
        Link(bits)
    }

    pub fn target(self) -> Target {
        let guid = Guid::from_bits(self.0 & !(1 << 63));
        match guid.kind() {
            _ if guid.is_event() => Target::Event { guid, increment: self.0 >> 63 != 0 },
            Some(kind) => Target::Edt { kind, index: guid.index(), slot: guid.generation() },
            None if self.0 >> 59 == CONNECTOR => Target::Connector(guid.index()),
            None => Target::End,
        }
    }
}

impl AsWord for Link {
    fn to_word(self) -> u64 {
        self.bits()
    }

    fn of_word(word: u64) -> Link {
        Link::from_bits(word)
    }
}

states! {
    /// The states of a connector.
    pub(crate) enum ConnectorState {
        /// The connector is in the list of an event, or in a queue.
        Linked = 1,
    }
}

/// A list node for the second and later event targets of an event, and in the queues of a channel.
#[repr(C, align(32))]
pub(crate) struct Connector {
    /// The word that each object in a slot begins with.
    pub header: Header<ConnectorState>,
    /// The event target; in a channel's queue of satisfactions, the bits of the block's GUID.
    pub target: Cell<Link>,
    /// The rest of the list.
    pub next: Cell<Link>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_come_apart_as_they_were_put_together() {
        let edt = Link::to_edt(Kind::EdtHuge, 77, MAX_SLOTS - 1);
        assert_eq!(edt.target(), Target::Edt { kind: Kind::EdtHuge, index: 77, slot: MAX_SLOTS - 1 });
        let guid = Guid::new(Kind::EdtLarge, 1000, 5);
        assert_eq!(Link::to_slot(guid, 3), Link::to_edt(Kind::EdtLarge, 5, 3));
        let guid = Guid::new(Kind::Event, 9, u32::MAX);
        for increment in [false, true] {
            assert_eq!(Link::to_event(guid, increment).target(), Target::Event { guid, increment });
        }
        assert_eq!(Link::to_connector(5).target(), Target::Connector(5));
        assert_eq!(Link::END.target(), Target::End);
    }
}
