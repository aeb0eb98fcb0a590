//! Writes beyond a block, before its start or behind its end: what has changed in the guards that its
//! memory has, 128 bytes on either side (`GUARD` in `object/data_block/memory.rs`).
//!
//! Guards are looked at when an EDT that holds the block is about to run, when a holder gives it back (an
//! EDT on a device, too: a device that works in host memory may have written them), when it is freed,
//! and at the end. A part of a block mostly has no memory of its own: it lies in the whole, whose guards
//! are looked at then. A write beyond it that stays in the whole is not seen here.

use super::checksum::{When, through};
use super::history::Who;
use super::rules::{self, advice};
use super::{Check, Misuse};
use crate::object::Objects;
use crate::object::data_block::{DataBlock, Mark};
use ocr_base::text::Counted;

/// What lies beside the `paramv` and `depv` that an EDT's function gets.
pub(crate) const REDZONE_BYTE: u8 = 0xc3;

impl Check {
    /// Whether the guards of a block are as they should be. The caller holds the block, or frees it.
    pub(crate) fn within(&self, objects: &Objects, block: &DataBlock, who: Who, when: When) -> Result<(), Box<Misuse>> {
        let blocks = &objects.data_blocks;
        let mut owner = block;
        while owner.has(Mark::Part)
            && !owner.owns_memory()
            && let Some((whole, _)) = blocks.partitions.place_of(owner.guid())
        {
            owner = blocks.pinned(whole);
        }
        self.contents.closed.open(owner.guid());
        let Some(at) = owner.written_beyond() else {
            return Ok(());
        };
        let (guid, size) = (owner.guid(), owner.size());
        let mut told = vec![guid];
        let mut seen = when.seen(who);
        let by = match when {
            When::Held(mode, slot) => {
                told.insert(0, who.edt);
                if let Some(link) = slot.and_then(|at| self.history.connection_beyond(who.edt, at)) {
                    seen += &format!("; {link}");
                }
                let it = match block.guid() {
                    held if held == guid => "it".to_string(),
                    part => {
                        told.push(part);
                        format!("its part {part}")
                    }
                };
                let mode = mode.name();
                format!("while {who} held {it} in mode {mode}{}", through(slot))
            }
            _ => match self.contents.last_writer(guid) {
                Some(writer) => format!("after {writer} was done with it"),
                None => "while no EDT of the host held it".to_string(),
            },
        };
        let (side, advice) =
            if at < 0 { ("before its start", advice::BEFORE_START) } else { ("beyond its end", advice::BEYOND_END) };
        let broken = rules::WrittenBeyond { size: Counted(size, "byte"), side, at, by, advice };
        Err(self.by_edt(who, seen, &told, broken))
    }

    /// An EDT has written an element of its `paramv` or `depv`, of `len` elements, that it does not have.
    pub(crate) fn beyond_argument(&self, who: Who, name: &str, at: i64, len: usize) -> Box<Misuse> {
        let (number, things) = match name {
            "paramv" => ("paramc", "parameters"),
            _ => ("depc", "pre-slots"),
        };
        let has = match len {
            1 => format!("1 {}", things.trim_end_matches('s')),
            len => format!("{len} {things}"),
        };
        let seen = format!("seen at the end of {who}");
        let broken = rules::BeyondArgument { has, name, at, number, things };
        self.by_edt(who, seen, &[], broken)
    }
}
