//! Globally unique identifiers: 64 bits of kind, generation and slot.
//!
//! ```text
//! 63   62..59  58..32       31..0
//! 0    kind    generation   index of the slot in the arena of that kind
//! ```
//!
//! With several nodes, a GUID says which node has given it, the *creator*, and which one has the object, the *owner*.
//! The number of a node takes b bits: 0 for a process that is alone, 1 for two nodes, 12 for 4096, the most
//! ([`super::zone`]).
//!
//! ```text
//! 58  57..32                      31..32-b  31-b..0
//! 0   how often the slot was used  creator   slot     the owner is the creator
//!
//! 58  57     56..32+b  31+b..32    31..32-b  31-b..0
//! 1   label  counter   owner       creator   slot     label: 1 for labels of the program; 0 for
//!                                                     objects that a node makes for another one
//! ```
//!
//! In a data block of the first kind, bits 34..32 are its *level*: how many wholes it is inside of, as a part of them
//! (`ocrDbPartition`). What counts how often the slot was used begins at bit 35 there.
//!
//! The arenas of a node hand out the indices that begin with its own number. So no two nodes give one GUID, and none
//! has to ask another for one.
//!
//! A GUID is positive. `NULL_GUID` is 0, `ERROR_GUID` -1 and `UNINITIALIZED_GUID` -2, so no object
//! has kind 0 and no object has the sign bit.

use ocr_trace::numbers::{self, GENERATION_MASK};
use serde::{Deserialize, Serialize};
use std::fmt;

pub(crate) use ocr_trace::numbers::{FIRST_LABEL_GENERATION, GENERATION_BITS};

/// What a GUID names. The EDT kinds differ in the size of the slot (see [`super::edt`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    DataBlock = 1,
    /// A template, from which EDTs are created.
    Template = 2,
    /// An event of any type.
    Event = 3,
    /// An EDT in a slot of 128 bytes.
    EdtSmall = 4,
    /// An EDT in a slot of 256 bytes.
    EdtMedium = 5,
    /// An EDT in a slot of 512 bytes.
    EdtLarge = 6,
    /// An EDT whose slots and parameters are in an allocation of their own.
    EdtHuge = 7,
    /// A place: the index is 0 for the host, or the number of a device in use plus 1.
    Affinity = 8,
    /// A range of labels, or a map.
    Range = 9,
    /// The output event that an EDT in a slot of 128 bytes has in itself.
    OutputSmall = 10,
    /// The output event that an EDT in a slot of 256 bytes has in itself.
    OutputMedium = 11,
    /// The output event that an EDT in a slot of 512 bytes has in itself.
    OutputLarge = 12,
    /// One of those that are in a [`super::registry::Registry`]: a file, or a map whose objects a
    /// function of the program creates.
    Registered = 13,
    /// What such a function is given to create an object with, while it runs.
    Local = 14,
    // 15 stands for something else in a link ([`super::link`]).
}

/// The kinds by the highest five bits of a GUID: a look at a table costs less than comparisons.
static KINDS: [Option<Kind>; 32] = {
    let mut kinds = [None; 32];
    let all = [
        Kind::DataBlock,
        Kind::Template,
        Kind::Event,
        Kind::EdtSmall,
        Kind::EdtMedium,
        Kind::EdtLarge,
        Kind::EdtHuge,
        Kind::Affinity,
        Kind::Range,
        Kind::OutputSmall,
        Kind::OutputMedium,
        Kind::OutputLarge,
        Kind::Registered,
        Kind::Local,
    ];
    let mut at = 0;
    while at < all.len() {
        kinds[all[at] as usize] = Some(all[at]);
        at += 1;
    }
    kinds
};

/// Kinds as bits, by their numbers: so a question about a kind is a shift, whatever bits it is asked of.
const fn set_of(kinds: &[Kind]) -> u32 {
    let (mut set, mut at) = (0, 0);
    while at < kinds.len() {
        set |= 1 << kinds[at] as u32;
        at += 1;
    }
    set
}

const EDTS: u32 = set_of(&[Kind::EdtSmall, Kind::EdtMedium, Kind::EdtLarge, Kind::EdtHuge]);
const OUTPUTS: u32 = set_of(&[Kind::OutputSmall, Kind::OutputMedium, Kind::OutputLarge]);
const EVENTS: u32 = OUTPUTS | set_of(&[Kind::Event]);

/// The kind of an output event that an EDT has in itself, less that of the EDT.
const OUTPUT_OF: u64 = Kind::OutputSmall as u64 - Kind::EdtSmall as u64;

impl Kind {
    /// The kind with this number.
    #[inline]
    pub fn of_number(number: u8) -> Option<Kind> {
        KINDS.get(number as usize).copied().flatten()
    }

    /// Whether this is one of the EDT kinds.
    pub fn is_edt(self) -> bool {
        self.is_among(EDTS)
    }

    /// Whether this is an event, with a slot of its own or in an EDT.
    pub fn is_event(self) -> bool {
        self.is_among(EVENTS)
    }

    /// Whether this is an output event that an EDT has in itself.
    pub fn is_output(self) -> bool {
        self.is_among(OUTPUTS)
    }

    fn is_among(self, kinds: u32) -> bool {
        kinds >> self as u32 & 1 != 0
    }
}

/// The GUID of an object, laid out as `ocrGuid_t`, since EDT functions return it by value.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[repr(C)]
pub struct Guid(u64);

impl Guid {
    /// `NULL_GUID`, which names no object.
    pub const NULL: Guid = Guid(0);
    /// `ERROR_GUID`, by which a call says that it has failed.
    pub const ERROR: Guid = Guid(-1i64 as u64);
    /// `UNINITIALIZED_GUID`, which stands for what is set later, such as a pre-slot in `depv`.
    pub const UNINITIALIZED: Guid = Guid(-2i64 as u64);

    /// The GUID of the object of `kind` in slot `index`, which is in its `generation`.
    pub fn new(kind: Kind, generation: u32, index: u32) -> Guid {
        Guid((kind as u64) << 59 | (generation as u64 & GENERATION_MASK) << 32 | index as u64)
    }

    /// The GUID with these 64 bits; any bit pattern is accepted.
    pub const fn from_bits(bits: u64) -> Guid {
        Guid(bits)
    }

    /// The GUID as the 64 bits that a program has.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// What the GUID claims to name; `None` for the special values and for garbage.
    pub fn kind(self) -> Option<Kind> {
        KINDS[(self.0 >> 59) as usize]
    }

    /// The generation that the slot had when the object was created.
    pub fn generation(self) -> u32 {
        (self.0 >> 32 & GENERATION_MASK) as u32
    }

    /// The index of the slot in the arena of its kind.
    pub fn index(self) -> u32 {
        self.0 as u32
    }

    /// Whether this claims to be a label: what it names may not be there yet, or be there again.
    pub fn is_label(self) -> bool {
        self.kind().is_some() && numbers::is_label(self.0)
    }

    /// Whether it is `NULL_GUID`, and so names no object.
    pub fn is_null(self) -> bool {
        self == Guid::NULL
    }

    /// Whether this claims to name an EDT.
    pub fn is_edt(self) -> bool {
        self.is_among(EDTS)
    }

    /// Whether this claims to name a data block.
    pub fn is_data_block(self) -> bool {
        self.is_among(1 << Kind::DataBlock as u32)
    }

    /// Whether this claims to name an event.
    pub fn is_event(self) -> bool {
        self.is_among(EVENTS)
    }

    /// Whether this claims to name an output event that an EDT has in itself.
    pub fn is_output(self) -> bool {
        self.is_among(OUTPUTS)
    }

    fn is_among(self, kinds: u32) -> bool {
        kinds >> (self.0 >> 59) & 1 != 0
    }

    /// The output event that the EDT of this GUID has in itself; not for `Kind::EdtHuge`.
    pub fn output_of(edt: Guid) -> Guid {
        debug_assert!(edt.is_edt() && edt.kind() != Some(Kind::EdtHuge));
        Guid(edt.0 + (OUTPUT_OF << 59))
    }

    /// The EDT that has this output event in itself, if it is one.
    pub fn edt_of_output(self) -> Option<Guid> {
        self.is_output().then(|| Guid(self.0 - (OUTPUT_OF << 59)))
    }
}

impl fmt::Display for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Guid::NULL => f.write_str("NULL_GUID"),
            Guid::ERROR => f.write_str("ERROR_GUID"),
            Guid::UNINITIALIZED => f.write_str("UNINITIALIZED_GUID"),
            Guid(bits) => write!(f, "0x{bits:x}"),
        }
    }
}

impl fmt::Debug for Guid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back() {
        let guid = Guid::new(Kind::Event, 0x7ff_ffff, 0xdead_beef);
        assert_eq!(guid.kind(), Some(Kind::Event));
        assert_eq!(guid.generation(), 0x7ff_ffff);
        assert_eq!(guid.index(), 0xdead_beef);
        assert!((guid.bits() as i64) > 0);
    }

    #[test]
    fn an_output_event_and_its_edt_name_each_other() {
        for kind in [Kind::EdtSmall, Kind::EdtMedium, Kind::EdtLarge] {
            let edt = Guid::new(kind, 0x7ff_ffff, 77);
            let output = Guid::output_of(edt);
            assert!(output.is_event() && output.is_output() && !output.is_edt());
            assert_eq!(output.edt_of_output(), Some(edt));
            assert_eq!(edt.edt_of_output(), None);
        }
        assert_eq!(Guid::new(Kind::Event, 1, 1).edt_of_output(), None);
    }

    #[test]
    fn special_values_name_nothing() {
        for guid in [Guid::NULL, Guid::ERROR, Guid::UNINITIALIZED] {
            assert_eq!(guid.kind(), None);
        }
    }
}
