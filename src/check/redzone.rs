//! Writes beyond a block, before its start or behind its end: what has changed in the guards that its
//! memory has (`object::data_block`).
//!
//! Guards are looked at when an EDT that holds the block is about to run, when a holder gives it back (an
//! EDT on a device, too: a device that works in host memory may have written them), when it is freed,
//! and at the end. A part of a block mostly has no memory of its own: it lies in the whole, whose guards
//! are looked at then. A write beyond it that stays in the whole is not seen here.

use super::checksum::{When, through};
use super::history::Who;
use super::{Check, Misuse};
use crate::object::Objects;
use crate::object::data_block::{DataBlock, Mark};

/// What lies beside the `paramv` and `depv` that an EDT's function gets.
pub(crate) const REDZONE_BYTE: u8 = 0xc3;

impl Check {
    /// Whether the guards of a block are as they should be; who asks holds the block, or frees it.
    pub(crate) fn within(
        &self,
        objects: &Objects,
        block: &DataBlock,
        who: Who,
        when: When,
    ) -> Result<(), Box<Misuse>> {
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
                if let Some(link) = slot.and_then(|at| self.history.connection_beyond(who.edt, at))
                {
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
        let (side, advice) = if at < 0 {
            (
                "before its start",
                "Look for an index, or a pointer, that goes below the start of the block.",
            )
        } else {
            (
                "beyond its end",
                "Compare what is written with the size, which counts bytes, not elements; the last \
             index is one less than the number of elements.",
            )
        };
        Err(self.by_edt(
            who,
            seen,
            format!("a data block of {size} bytes was written {side}, at byte {at}, {by}"),
            &told,
            "an EDT uses a data block within its size, which is what len of ocrDbCreate says, in bytes \
             (OCR 1.1.0, 2.5.1)",
            &format!(
                "{advice} If it is not this EDT, it is one that ran at the same time, or that has kept \
                 a pointer to the block."
            ),
        ))
    }

    /// An EDT has written an element of its `paramv` or `depv`, of `len` elements, that it does not have.
    pub(crate) fn beyond_argument(&self, who: Who, name: &str, at: i64, len: usize) -> Box<Misuse> {
        let (number, what) = match name {
            "paramv" => ("paramc", "parameters"),
            _ => ("depc", "pre-slots"),
        };
        let has = match len {
            1 => format!("1 {}", what.trim_end_matches('s')),
            len => format!("{len} {what}"),
        };
        self.by_edt(
            who,
            format!("seen at the end of {who}"),
            format!("an EDT with {has} has written {name}[{at}]"),
            &[],
            &format!("{name} has {number} elements (OCR 1.1.0, 1.4.2 and 2.7)"),
            &format!(
                "Use {name}[0] to {name}[{number} - 1] alone; an EDT that needs more {what} is created with more."
            ),
        )
    }
}
