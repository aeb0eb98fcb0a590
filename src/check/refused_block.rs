//! Why a call about data blocks was refused: `ocrDbRelease`, and those of the extensions.

use super::history::Who;
use super::{CallRecord, Check, Misuse};
use crate::object::Objects;
use crate::object::guid::Guid;
use crate::status::Status;

impl Check {
    /// `ocrDbCreate` was refused, and not for the GUID that it was to create the block on.
    pub(super) fn refused_block(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let allocator = made.number(made.at("allocator")) as u32;
        (allocator != 0).then(|| {
            self.by_call(
                made,
                format!("there is no allocator {}", allocator as i32),
                &[],
                "allocator is NO_ALLOC",
                "Pass NO_ALLOC. Are the arguments in the right order (db, addr, len, flags, hint, \
                 allocator)?",
            )
        })
    }

    /// One of the functions of OCR 1.0 that are not supported.
    pub(super) fn no_allocator(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        self.by_call(
            made,
            "there is no memory management inside data blocks".into(),
            &[made.guid(0)],
            "OCR 1.1.0 has no such functions any more: they do nothing",
            "Create a data block for each object (ocrDbCreate), or count in the program which bytes of a \
             block are in use.",
        )
    }

    /// A block is destroyed for which an EDT waits that could not acquire it yet.
    pub(crate) fn destroyed_awaited(&self, made: &CallRecord<'_>, edt: Guid) -> Box<Misuse> {
        self.by_call(
            made,
            format!("{} waits for the data block", self.history.name(edt)),
            &[made.guid(0), edt],
            "the destruction of a data block is delayed until EDTs that have acquired it have released it: one that \
             waits until others have done so has not (see 2.5.2)",
            "Destroy the data block in the last EDT that uses it: have that one depend on the others, for instance by \
             their output events; or in one behind a finish EDT.",
        )
    }

    pub(super) fn refused_release(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        let block = made.guid(0);
        let outside = made.act.who.edt.is_null();
        let who = if outside { "the thread" } else { "the EDT" };
        if self.has_released(made.act.who, block) {
            self.by_call(
                made,
                format!("{who} has released the data block before"),
                &[block],
                "an EDT releases a data block at most once, also one that came through several \
             pre-slots (see 2.8.1)",
                if !outside {
                    "Remove one of the two calls. The end of the EDT releases what is left."
                } else {
                    "Remove one of the two calls."
                },
            )
        } else {
            self.by_call(
            made,
            format!("{who} has not acquired the data block"),
            &[block],
            "a data block can be released by an EDT that created it (without \
             DB_PROP_NO_ACQUIRE) or got it through a pre-slot (not with DB_MODE_NULL)",
            if !outside {
                "To use the block here, add a dependence from it to a pre-slot of this EDT; knowing \
                 its GUID is not enough. If the EDT does not use the block, remove the call."
            } else {
                "A thread outside of EDTs has the blocks that it has created, and those that it got by \
                 waiting for an event (ocrLegacyBlockProgress); knowing a GUID is not enough. If it \
                 does not use the block, remove the call."
            },
        )
        }
    }

    /// One of the GUIDs that must be that of a block is `NULL_GUID`.
    fn null_block(&self, made: &CallRecord<'_>, args: &[usize]) -> Option<Box<Misuse>> {
        let at = *args.iter().find(|&&at| made.guid(at).is_null())?;
        let name = made.call.args[at].0;
        Some(self.by_call(
            made,
            format!("{name} is NULL_GUID"),
            &[],
            &format!("{name} is a data block"),
            "Pass the GUID that ocrDbCreate has stored. A pre-slot that was satisfied without data, or \
             in DB_MODE_NULL, has NULL_GUID.",
        ))
    }

    /// A block that was passed by value was to be used as others are.
    pub(super) fn private_block(
        &self,
        made: &CallRecord<'_>,
        block: Guid,
        name: &str,
    ) -> Box<Misuse> {
        self.by_call(
            made,
            format!("{name} ({block}) was passed by value, and cannot be passed on as a block"),
            &[block],
            "what was passed by value is of those that got it, and goes when they are done with it (see \
             extensions/ocr-db-by-value.h)",
            "Pass its content on by ocrAddDependenceByValue, or in a block of your own.",
        )
    }

    /// The content of a block was to be passed by who does not hold it.
    pub(super) fn not_held(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        let block = made.guid(0);
        let outside = made.act.who.edt.is_null();
        let who = if outside { "the thread" } else { "the EDT" };
        let what = if self.has_released(made.act.who, block) {
            "released the data block before"
        } else {
            "not acquired the data block"
        };
        self.by_call(
            made,
            format!("{who} has {what}"),
            &[block],
            "the caller has created sourceDb, or got it through a pre-slot, and has not released it",
            "Pass the content on before ocrDbRelease. An EDT that only knows the block's GUID needs a \
             dependence from it to one of its pre-slots.",
        )
    }

    /// `ocrGroupBegin` or `ocrGroupEnd` was refused.
    pub(super) fn refused_group(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        let what = match (made.act.who.work, made.call.name) {
            (None, _) => "a group is of an EDT, and none runs here",
            (_, "ocrGroupBegin") => "the EDT has a group open",
            _ => "the EDT has no group open",
        };
        self.by_call(
            made,
            what.into(),
            &[],
            "an EDT begins a group and ends it, and may then begin another; groups do not nest",
            "Pair each ocrGroupBegin with one ocrGroupEnd in the same EDT.",
        )
    }

    /// An EDT has ended with a group open.
    pub(crate) fn open_group(&self, who: Who) -> Box<Misuse> {
        self.by_edt(
            who,
            format!("seen at the end of {who}"),
            "an EDT has ended with a group open".into(),
            &[],
            "a group ends before its EDT does (extensions/ocr-db-by-value.h)",
            "Call ocrGroupEnd on each way out of the function that has called ocrGroupBegin.",
        )
    }

    /// `ocrDbPartition` was refused.
    pub(super) fn refused_partition(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
        status: Status,
    ) -> Box<Misuse> {
        let whole = made.guid(0);
        if let Some(misuse) = self.null_block(made, &[0]) {
            return misuse;
        }
        let size = size_of(objects, whole).unwrap_or(0);
        let parts = objects.data_blocks.partitions.parts_of(whole).len();
        let (what, rule, advice) = match status {
            Status::EACCES => (
                "the data block has DB_PROP_SINGLE_ASSIGNMENT".into(),
                "a block that is written once is not divided: its parts would be written",
                "Create the block without DB_PROP_SINGLE_ASSIGNMENT.",
            ),
            Status::EPERM => (
                format!(
                    "the data block was divided with OCR_DB_PARTITION_STATIC, and {parts} of its parts \
                     are left"
                ),
                "with this property there are no other parts until all have been destroyed",
                "Destroy the parts first, or divide it without the property.",
            ),
            _ if made.number(1) == 0 => (
                "partCount is 0".into(),
                "a block is divided into one part at least",
                "Pass the number of elements of partitions.",
            ),
            _ => (
                format!(
                    "a part is not within the {size} bytes of the data block, or overlaps another one \
                     ({parts} parts are left of earlier calls)"
                ),
                "parts are within the block, and do not overlap each other, nor those of earlier calls \
                 that have not been destroyed",
                "Count in bytes, not in elements, and look at offset and size of each part. A part is \
                 gone when ocrDbDestroy was called for it and the EDTs that hold it have ended.",
            ),
        };
        self.by_call(made, what, &[whole], rule, advice)
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
                return Err(self.by_edt(
                    who,
                    format!("seen before the start of {who}"),
                    "an EDT gets a data block together with a part of it".into(),
                    &[who.edt, whole, part],
                    "nobody gets a data block while it has parts, so such an EDT would never run \
                     (extensions/ocr-db-partitioning.h)",
                    "Destroy the part before the EDT that uses the whole, for instance in an EDT that \
                     this one depends on.",
                ));
            }
            inner = whole;
        }
        Ok(())
    }

    /// `ocrDbCopy` was refused. None if memory is used up.
    pub(super) fn refused_copy(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
        status: Status,
    ) -> Option<Box<Misuse>> {
        let (destination, source) = (made.guid(0), made.guid(2));
        let both = [destination, source];
        if status == Status::EACCES {
            return Some(self.written_once(made, &both));
        }
        if status != Status::ENOMEM {
            return Some(self.null_block(made, &[0, 2]).unwrap_or_else(|| {
                match destination == source {
                    true => self.by_call(
                        made,
                        "source and destination are one data block".into(),
                        &[source],
                        "a copy is from one data block to another",
                        "Within one block, an EDT that holds it can use memmove.",
                    ),
                    false if objects.data_blocks.partitions.are_one(source, destination) => self.by_call(
                        made,
                        "of source and destination, one is a part of the other (ocrDbPartition), and the bytes are others than the part's own"
                            .into(),
                        &both,
                        "no EDT gets a data block together with a part of it (extensions/ocr-db-partitioning.h)",
                        "Destroy the part first, or make it the whole source, and its place in the other block the \
                         destination: that moves nothing.",
                    ),
                    false => self.by_call(
                        made,
                        format!("there is no copyType {}", made.number(5) as i64),
                        &[],
                        "copyType is 0, DB_COPY_PARTITION or DB_COPY_PARTITION_BACK",
                        "Pass 0 for a plain copy. Are the arguments in the right order (destination, \
                         its offset, source, its offset, size)?",
                    ),
                }
            }));
        }
        let sides = [("destination", 1, destination), ("source", 3, source)];
        let short = sides.into_iter().find_map(|(name, at, guid)| {
            let has = size_of(objects, guid)?;
            let end = made.number(at).checked_add(made.number(4));
            end.is_none_or(|end| end > has).then_some((name, guid, has))
        });
        let (name, guid, has) = short?;
        Some(self.by_call(
            made,
            format!("the {name} is too small: it has {has} bytes"),
            &[guid],
            "offset and size are within the block, in bytes",
            "Count in bytes, not in elements. Are the arguments in the right order (destination, its \
             offset, source, its offset, size)?",
        ))
    }
}

/// The size of a block that exists.
fn size_of(objects: &Objects, block: Guid) -> Option<u64> {
    let (block, _locked) = objects.data_blocks.lock(block)?;
    Some(block.size())
}
