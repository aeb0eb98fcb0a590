//! Why a call about data blocks was refused: `ocrDbRelease`, and those of the extensions.

use crate::abi::Api;
use crate::check::history::Who;
use crate::check::rules::{self, advice};
use crate::check::{CallRecord, Check, Misuse};
use crate::object::Objects;
use crate::object::guid::Guid;
use crate::status::Status;
use ocr_base::text::Counted;

impl Check {
    /// `ocrDbCreate` was refused, and not for the GUID that it was to create the block on.
    pub(super) fn refused_block(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let number = call.number(5) as i32;
        (number != 0).then(|| self.by_call(call, &[], rules::NoSuchAllocator { number }))
    }

    /// A block is destroyed for which an EDT waits that could not acquire it yet.
    pub(crate) fn destroyed_awaited(&self, call: &CallRecord<'_>, edt: Guid) -> Box<Misuse> {
        let objects = [call.guid(0), edt];
        let edt = self.history.name(edt);
        self.by_call(call, &objects, rules::DestroyedAwaited { edt })
    }

    pub(super) fn refused_release(&self, call: &CallRecord<'_>) -> Box<Misuse> {
        let block = call.guid(0);
        let outside = call.act.who.edt.is_null();
        let who = caller(outside);
        if self.has_released(call.act.who, block) {
            let more = if outside { "" } else { " The end of the EDT releases what is left." };
            return self.by_call(call, &[block], rules::ReleasedTwice { who, more });
        }
        let advice = if outside { advice::UNACQUIRED_OUTSIDE } else { advice::UNACQUIRED_IN_EDT };
        self.by_call(call, &[block], rules::ReleasedUnacquired { who, advice })
    }

    /// One of the GUIDs that must be that of a block is `NULL_GUID`.
    fn null_block(&self, call: &CallRecord<'_>, args: &[usize]) -> Option<Box<Misuse>> {
        let at = *args.iter().find(|&&at| call.guid(at).is_null())?;
        let name = call.spec.args[at].0;
        Some(self.by_call(call, &[], rules::NullBlock { name }))
    }

    /// A block that was passed by value was to be used as others are.
    pub(super) fn private_block(&self, call: &CallRecord<'_>, block: Guid, name: &str) -> Box<Misuse> {
        self.by_call(call, &[block], rules::PrivateBlock { name, block })
    }

    /// The content of a block was to be passed on by an EDT that does not hold it.
    pub(super) fn not_held(&self, call: &CallRecord<'_>) -> Box<Misuse> {
        let block = call.guid(0);
        let who = caller(call.act.who.edt.is_null());
        let what = if self.has_released(call.act.who, block) {
            "released the data block before"
        } else {
            "not acquired the data block"
        };
        self.by_call(call, &[block], rules::NotHeld { who, what })
    }

    /// `ocrGroupBegin` or `ocrGroupEnd` was refused.
    pub(super) fn refused_group(&self, call: &CallRecord<'_>) -> Box<Misuse> {
        match (call.act.who.work, call.spec.api) {
            (None, _) => self.by_call(call, &[], rules::GroupOutside),
            (_, Api::ocrGroupBegin) => self.by_call(call, &[], rules::GroupOpen),
            _ => self.by_call(call, &[], rules::GroupNotOpen),
        }
    }

    /// An EDT has ended with a group open.
    pub(crate) fn open_group(&self, who: Who) -> Box<Misuse> {
        self.by_edt(who, format!("seen at the end of {who}"), &[], rules::GroupLeftOpen)
    }

    /// Explains why `ocrDbPartition` was refused.
    pub(super) fn refused_partition(&self, objects: &Objects, call: &CallRecord<'_>, status: Status) -> Box<Misuse> {
        let whole = call.guid(0);
        if let Some(misuse) = self.null_block(call, &[0]) {
            return misuse;
        }
        let told = [whole];
        let size = size_of(objects, whole).unwrap_or(0);
        let parts = objects.data_blocks.partitions.parts_of(whole).len();
        let parts = Counted(parts as u64, "part");
        match status {
            Status::EACCES => self.by_call(call, &told, rules::PartitionOfWrittenOnce),
            Status::EPERM => self.by_call(call, &told, rules::PartitionStatic { parts }),
            _ if call.number(1) == 0 => self.by_call(call, &told, rules::PartitionEmpty),
            _ => self.by_call(call, &told, rules::PartitionOverlaps { size: Counted(size, "byte"), parts }),
        }
    }

    /// An EDT that wants a block and one of its parts: `blocks` are those of its pre-slots.
    pub(crate) fn part_and_whole(
        &self,
        objects: &Objects,
        who: Who,
        blocks: impl Fn(Guid) -> bool,
        part: Guid,
    ) -> Result<(), Box<Misuse>> {
        let mut inner = part;
        while let Some((whole, _)) = objects.data_blocks.partitions.place_of(inner) {
            // One that shares memory leaves the whole where both are wanted.
            if blocks(whole) && !objects.data_blocks.partitions.shares(inner) {
                let seen = format!("seen before the start of {who}");
                return Err(self.by_edt(who, seen, &[who.edt, whole, part], rules::PartAndWhole));
            }
            inner = whole;
        }
        Ok(())
    }

    /// `ocrDbCopy` was refused. None if memory is used up.
    pub(super) fn refused_copy(&self, objects: &Objects, call: &CallRecord<'_>, status: Status) -> Option<Box<Misuse>> {
        let (destination, source) = (call.guid(0), call.guid(2));
        let both = [destination, source];
        let partitions = &objects.data_blocks.partitions;
        match status {
            Status::EACCES => return Some(self.written_once(call, &both)),
            Status::ENOMEM => {}
            _ => {
                let null = self.null_block(call, &[0, 2]);
                return Some(null.unwrap_or_else(|| {
                    if destination == source {
                        self.by_call(call, &[source], rules::CopyToItself)
                    } else if partitions.are_one(source, destination) {
                        self.by_call(call, &both, rules::CopyOfPart)
                    } else {
                        let number = call.number(5) as i64;
                        self.by_call(call, &[], rules::NoSuchCopyType { number })
                    }
                }));
            }
        }
        let sides = [("destination", 1, destination), ("source", 3, source)];
        let short = sides.into_iter().find_map(|(side, at, guid)| {
            let size = size_of(objects, guid)?;
            let end = call.number(at).checked_add(call.number(4));
            end.is_none_or(|end| end > size).then_some((side, guid, size))
        });
        let (side, guid, size) = short?;
        Some(self.by_call(call, &[guid], rules::CopyTooSmall { side, size: Counted(size, "byte") }))
    }

    /// A block that is written once was to be written again.
    pub(super) fn written_once(&self, call: &CallRecord<'_>, objects: &[Guid]) -> Box<Misuse> {
        self.by_call(call, objects, rules::WrittenOnce)
    }
}

fn caller(outside: bool) -> &'static str {
    if outside { "the thread" } else { "the EDT" }
}

/// The size of a block that exists.
fn size_of(objects: &Objects, block: Guid) -> Option<u64> {
    let (block, _locked) = objects.data_blocks.lock(block)?;
    Some(block.size())
}
