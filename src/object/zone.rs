//! Which indices and generations a node gives to the objects that it makes, and what a GUID says of nodes. The layout
//! is in [`super::guid`].

use super::guid::{FIRST_LABEL_GENERATION, GENERATION_BITS, Guid};
use ocr_trace::numbers::OF_LABEL;
pub(crate) use ocr_trace::numbers::is_made_for_other;
use std::ops::Range;

/// The most nodes of a program: a GUID has no more than 12 bits for the number of a node.
pub(crate) const MOST_NODES: u32 = 1 << 12;

/// A block can be a part of a part, and so on, as often as this says, where there are several nodes.
pub(crate) const MOST_LEVELS: u32 = 7;

/// What a node gives to the objects that it makes: its part of the indices, and its number where a generation has an
/// owner. A process that is alone gives all indices.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Zone {
    node: u32,
    /// How many bits hold the number of a node.
    bits: u32,
}

impl Zone {
    /// The zone of node `node` of `nodes`, or `None` where there is no such node, or more nodes than there can be.
    pub fn of(node: u32, nodes: u32) -> Option<Zone> {
        let can_be = node < nodes && nodes <= MOST_NODES;
        can_be.then(|| Zone { node, bits: nodes.next_power_of_two().ilog2() })
    }

    /// How many bits of an index are below the creator.
    fn slot_bits(self) -> u32 {
        u32::BITS - self.bits
    }

    /// The indices of the objects that the node makes. No object has index 0.
    pub fn indices(self) -> Range<u64> {
        let start = |node: u32| u64::from(node) << self.slot_bits();
        start(self.node).max(1)..start(self.node + 1)
    }

    /// The GUID part of a number that is given once: its index and its generation. `None` when they are used up.
    pub fn nth(self, number: u64) -> Option<(u32, u32)> {
        let generation = u32::try_from(number >> self.slot_bits()).ok()?;
        let slot = number & ((1 << self.slot_bits()) - 1);
        let index = u64::from(self.node) << self.slot_bits() | slot;
        (generation < FIRST_LABEL_GENERATION).then_some((index as u32, generation))
    }

    /// The number that has led to the index and generation of this GUID, if it is one of this node.
    pub fn number_of(self, guid: Guid) -> Option<u64> {
        let slot = u64::from(guid.index()) & ((1 << self.slot_bits()) - 1);
        (self.creator_of(guid) == self.node).then(|| u64::from(guid.generation()) << self.slot_bits() | slot)
    }

    /// The node that has given the GUID.
    pub fn creator_of(self, guid: Guid) -> u32 {
        (u64::from(guid.index()) >> self.slot_bits()) as u32
    }

    /// The node that has the object.
    pub fn owner_of(self, guid: Guid) -> u32 {
        match guid.generation() {
            ..FIRST_LABEL_GENERATION => self.creator_of(guid),
            generation => generation & ((1 << self.bits) - 1),
        }
    }

    /// The bits of a block's generation that do not count how often its slot was used, but tell its level. None where a
    /// process is alone.
    pub fn level_bits(self) -> u32 {
        if self.bits == 0 { 0 } else { MOST_LEVELS }
    }

    /// How many wholes a block is inside of: 1 for a part, 2 for a part of a part. It is 0 for all other blocks, and
    /// where a process is alone.
    pub fn level_of(self, block: Guid) -> u32 {
        match block.generation() {
            generation if block.is_data_block() && generation < FIRST_LABEL_GENERATION => {
                generation & self.level_bits()
            }
            _ => 0,
        }
    }

    /// The node whose zone this is.
    pub fn node(self) -> u32 {
        self.node
    }

    /// Whether the node has made the object for another one.
    pub fn is_lent(self, guid: Guid) -> bool {
        is_made_for_other(guid.generation()) && self.creator_of(guid) == self.node
    }

    /// Whether the node has the object.
    pub fn owns(self, guid: Guid) -> bool {
        self.owner_of(guid) == self.node
    }

    /// The generation of an object that the node makes for another one, in a slot of its own that was used so often.
    /// `None` when they are used up.
    pub fn made_for(self, owner: u32, used: u32) -> Option<u32> {
        (used < OF_LABEL >> self.bits).then_some(FIRST_LABEL_GENERATION | used << self.bits | owner)
    }

    /// How often the slot was used when the node made an object of this generation for another one.
    pub fn used_before(self, generation: u32) -> u32 {
        (generation & !FIRST_LABEL_GENERATION) >> self.bits
    }

    /// The first generation of labels whose objects the node has.
    pub fn first_label_generation(self) -> u32 {
        FIRST_LABEL_GENERATION | OF_LABEL | self.node
    }

    /// The generation of the labels that have the slots next, with the same owner. `None` when they are used up.
    pub fn label_generation_after(self, generation: u32) -> Option<u32> {
        let next = generation + (1 << self.bits);
        (next < 1 << GENERATION_BITS).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::guid::Kind;

    /// Zones with no bits, one bit and as many as there can be.
    fn zones() -> impl Iterator<Item = Zone> {
        [
            (0, 1),
            (0, 2),
            (1, 2),
            (0, 3),
            (2, 3),
            (5, 8),
            (0, MOST_NODES),
            (2730, MOST_NODES),
            (MOST_NODES - 1, MOST_NODES),
        ]
        .into_iter()
        .map(|(node, nodes)| Zone::of(node, nodes).expect("there can be such a node"))
    }

    #[test]
    fn as_many_bits_hold_a_node_as_its_number_needs() {
        let bits = |nodes| Zone::of(0, nodes).map(|zone| zone.bits);
        let wanted = [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4), (2049, 12), (4096, 12)];
        for (nodes, wanted) in wanted {
            assert_eq!(bits(nodes), Some(wanted), "{nodes} nodes");
        }
        for (node, nodes) in [(0, 0), (1, 1), (8, 8), (0, MOST_NODES + 1), (0, u32::MAX)] {
            assert_eq!(Zone::of(node, nodes), None, "node {node} of {nodes}");
        }
        assert_eq!(Zone::of(0, 1), Some(Zone::default()));
    }

    #[test]
    fn zones_of_all_nodes_follow_one_another() {
        for nodes in [1, 2, 8, MOST_NODES] {
            let mut end = 1;
            for node in 0..nodes {
                let indices = Zone::of(node, nodes).expect("there can be such a node").indices();
                assert_eq!(indices.start, end);
                end = indices.end;
            }
            assert_eq!(end, 1 << u32::BITS);
        }
    }

    #[test]
    fn a_guid_says_which_nodes_have_made_and_have_the_object() {
        for zone in zones() {
            let of_this = zone.indices();
            for index in [of_this.start, of_this.end - 1] {
                let last = Guid::new(Kind::Event, FIRST_LABEL_GENERATION - 1, index as u32);
                for plain in [Guid::new(Kind::Event, 0, index as u32), last] {
                    assert!(!plain.is_label());
                    assert_eq!((zone.creator_of(plain), zone.owner_of(plain)), (zone.node, zone.node), "{zone:?}");
                }
                // Labels of this node, and an object that it has made for another one.
                let mut generation = Some(zone.first_label_generation());
                for _ in 0..3 {
                    let label = Guid::new(Kind::Event, generation.expect("they are not used up"), index as u32);
                    assert!(label.is_label() && zone.owns(label), "{zone:?}");
                    assert_eq!(zone.creator_of(label), zone.node, "{zone:?}");
                    generation = zone.label_generation_after(label.generation());
                }
                for owner in [0, (1 << zone.bits) - 1] {
                    let generation = zone.made_for(owner, 77).expect("they are not used up");
                    assert!(is_made_for_other(generation) && !is_made_for_other(zone.first_label_generation()));
                    let made = Guid::new(Kind::Event, generation, index as u32);
                    assert!(!made.is_label() && zone.used_before(generation) == 77);
                    assert_eq!((zone.creator_of(made), zone.owner_of(made)), (zone.node, owner), "{zone:?}");
                    assert_eq!(zone.owns(made), owner == zone.node, "{zone:?}");
                }
            }
            let beyond = [of_this.start.checked_sub(1), Some(of_this.end)].into_iter().flatten();
            for index in beyond.filter(|&index| index != 0 && index <= u32::MAX.into()) {
                let guid = Guid::new(Kind::Event, 0, index as u32);
                assert!(!zone.owns(guid), "{zone:?}, index {index}");
            }
        }
    }

    #[test]
    fn a_block_of_several_nodes_tells_its_level() {
        for zone in zones() {
            let guid = |kind, generation| Guid::new(kind, generation, zone.indices().start as u32);
            for level in 0..=MOST_LEVELS {
                let told = if zone.bits == 0 { 0 } else { level };
                assert_eq!(zone.level_of(guid(Kind::DataBlock, 40 | level)), told, "{zone:?}");
                assert_eq!(zone.level_of(guid(Kind::Event, 40 | level)), 0, "{zone:?}");
                assert_eq!(zone.level_of(guid(Kind::DataBlock, zone.first_label_generation() | level)), 0, "{zone:?}");
            }
        }
    }

    #[test]
    fn generations_of_labels_end_where_there_are_no_more_bits() {
        for zone in zones() {
            let (first, step) = (zone.first_label_generation(), 1 << zone.bits);
            let last = (1 << GENERATION_BITS) - step + zone.node;
            assert_eq!((last - first) % step, 0, "{zone:?}");
            assert_eq!(zone.label_generation_after(last - step), Some(last), "{zone:?}");
            assert_eq!(zone.label_generation_after(last), None, "{zone:?}");
            assert!(zone.owns(Guid::new(Kind::Event, last, zone.indices().start as u32)), "{zone:?}");
        }
    }

    #[test]
    fn numbers_come_back() {
        for zone in zones() {
            let most = u64::from(FIRST_LABEL_GENERATION) << zone.slot_bits();
            for number in [1, 2, (1 << zone.slot_bits()) - 1, 1 << zone.slot_bits(), most - 1] {
                let (index, generation) = zone.nth(number).expect("they are not used up");
                let guid = Guid::new(Kind::Registered, generation, index);
                assert_eq!(zone.number_of(guid), Some(number), "{zone:?}");
                assert!(zone.owns(guid) && !guid.is_label(), "{zone:?}");
            }
            assert_eq!(zone.nth(most), None, "{zone:?}");
            assert_eq!(zone.nth(u64::MAX), None, "{zone:?}");
        }
        let other = Zone::of(4, 8).and_then(|zone| zone.nth(9)).expect("they are not used up");
        let guid = Guid::new(Kind::Registered, other.1, other.0);
        assert_eq!(Zone::of(5, 8).and_then(|zone| zone.number_of(guid)), None);
    }
}
