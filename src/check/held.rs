//! What a kernel only reads while an EDT on the host writes it, and what no EDT has written.

use super::history::{Act, What, Who};
use super::{Check, Misuse, rules};
use crate::object::edt::Mode;
use crate::object::guid::Guid;

/// An EDT is about to read a block, through this pre-slot.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    /// The EDT that is about to read.
    pub who: Who,
    /// The block that it is about to read.
    pub block: Guid,
    /// Its mode: RO or CONST.
    pub mode: Mode,
    /// The first pre-slot with the block.
    pub slot: u32,
}

impl Check {
    /// The call by which a pre-slot of an EDT got the block that it has, with its caller.
    pub(crate) fn giver(&self, to: Guid, slot: u32, block: Guid) -> Option<Act> {
        let (source, link) = self.history.source(to, slot)?;
        if source == block { Some(link) } else { self.history.satisfaction(source) }
    }

    /// The EDT or thread that has created a block.
    pub(crate) fn creator(&self, block: Guid) -> Option<Who> {
        let record = self.history.get(block)?;
        (record.what == Some(What::Block)).then_some(record.created?.who)
    }

    /// A kernel is about to read a block that `act` has passed on to it, while the EDT that did so holds it for
    /// writing.
    pub(crate) fn reads_unreleased(&self, reading: Reading, act: Act) -> Box<Misuse> {
        let Reading { who, block, mode, slot } = reading;
        let seen = format!("seen as the kernel of {who} was to be launched");
        let broken = rules::ReadUnreleased { holder: act.who, call: act.call, who, mode: mode.name(), slot };
        self.by_edt(who, seen, &[block, who.edt], broken)
    }

    /// A kernel is about to read a block while others write it on the host. That is a note: in mode RO it may.
    pub(crate) fn note_read_beside_writer(&self, reading: Reading, creator: Option<Who>) {
        let Reading { who, block, slot, .. } = reading;
        let holder = creator.map_or("an EDT on the host".to_string(), |who| who.to_string());
        strict_note_once!(
            "a kernel of {who} reads {block} in mode {}, through pre-slot {slot}, while {holder} holds it \
             for writing: it gets a copy of what is in it at that moment. If it is to find what {holder} writes, let that one \
             call ocrDbRelease before the kernel's EDT can run; or ask for DB_MODE_CONST, which waits until all who write the \
             block have released it (OCR 1.1.0, 1.4.4).",
            reading.mode.name(),
            block = self.history.name(block)
        );
    }

    /// An EDT is about to read a block that has not been written.
    pub(crate) fn note_read_unwritten(&self, reading: Reading) {
        let Reading { who, block, slot, .. } = reading;
        strict_note_once!(
            "{who} reads {block} in mode {}, through pre-slot {slot}, and nobody has written it: it finds \
             bytes 0xa5, and without strict mode zeros. Let {who} depend on the EDT that writes the block, by its output event; \
             or ask for DB_MODE_RW or DB_MODE_EW if {who} writes it.",
            reading.mode.name(),
            block = self.history.name(block)
        );
    }
}
