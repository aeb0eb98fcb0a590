//! What is gathered of a recording: actors, the blocks that they use, events, and what was done to each.

use ocr_trace::numbers::{EventKind, Mode};
use std::ops::Range;

/// What does things: an EDT, or a thread outside of EDTs.
pub(super) struct Actor {
    /// The bits of the EDT's GUID; 0 for a thread.
    pub(super) guid: u64,
    /// The work of the EDT.
    pub(super) work: u64,
    /// How many parameters the EDT has.
    pub(super) paramc: u8,
    /// The actor that created this one.
    pub(super) parent: u32,
    /// In which segment of its creator it was created.
    pub(super) created: u32,
    /// The EDT in whose finish scope this one is.
    pub(super) scope: u32,
    pub(super) is_finish: bool,
    /// The first segment.
    pub(super) begin: u32,
    /// The current segment, and in the end the last one.
    pub(super) now: u32,
    /// Whether others may have begun by what was done in the current segment.
    pub(super) has_led_on: bool,
    /// The end of the finish scope of a finish EDT.
    pub(super) scope_end: u32,
    /// When the EDT began and ended, in ticks. 0 for never.
    pub(super) began: u64,
    pub(super) ended: u64,
    /// From when and until when its blocks were looked at for what it changes, in ticks. Others' changes in that time
    /// seem to be its own. Kept words are read before the begin, and compared behind the end.
    pub(super) looked_at: Range<u64>,
    /// The number of the thread that ran it.
    pub(super) thread: u32,
    /// Whether a worker ran it, so that its blocks were looked at.
    pub(super) on_host: bool,
    /// The last of its uses of blocks, which lead to the others.
    pub(super) last_use: u32,
    /// The output event of the EDT, if that goes with it.
    pub(super) output: u32,
    /// The actor that waits by this EDT, which does not run.
    pub(super) stands_for: u32,
}

/// What is known of the writes of a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// Nothing is known yet.
    Unseen,
    /// Nothing was written.
    No,
    /// It may have written some of the block, or all.
    Perhaps,
    /// These 64ths, and words with these numbers modulo 32.
    Parts(u64, u32),
    /// It made the block, and fills it.
    All,
}

/// A use of a block by an actor.
pub(super) struct Use {
    pub(super) actor: u32,
    pub(super) block: u32,
    /// From and to which point the block is used.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Where the actor has released the block before its own end.
    pub(super) released: u32,
    /// The former use of the actor.
    pub(super) next: u32,
    pub(super) mode: Mode,
    pub(super) written: Written,
    /// Whether it is a new block that counts as filled before others can begin by what its creator does next.
    pub(super) is_filled: bool,
    /// Whether the block has changed behind `end` while the actor ran.
    pub(super) is_late: bool,
    /// Up to where the actor has changed the block since it was given to others, if no other actor did. NONE if it has
    /// not.
    pub(super) midst: u32,
}

/// A block.
pub(super) struct SeenBlock {
    pub(super) guid: u64,
    pub(super) size: u64,
    pub(super) creator: u32,
    pub(super) created: u32,
    /// Whether the program has created it, and not the runtime for a copy or a result.
    pub(super) is_programs: bool,
    /// Whether it has been divided, so that others use its memory by other names.
    pub(super) is_divided: bool,
}

/// An event.
pub(super) struct SeenEvent {
    pub(super) guid: u64,
    pub(super) kind: Option<EventKind>,
    pub(super) creator: u32,
    pub(super) created: u32,
    /// Its trigger.
    pub(super) point: u32,
    /// The first value of a latch's counter.
    pub(super) counter: i64,
    /// Whether it has been satisfied.
    pub(super) is_satisfied: bool,
    /// The points of its generations, if it is a collective event.
    pub(super) generations: u32,
    /// Whether it was destroyed, or the EDT that would have satisfied it.
    pub(super) is_gone: bool,
}

/// What was done to an event, or an EDT that had been created.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(super) enum Did {
    /// It was satisfied; a latch was decremented.
    Satisfy,
    /// A latch was incremented.
    Increment,
    /// Something was connected to it.
    Connect,
    /// It was destroyed.
    Destroy,
    /// It was to be satisfied in vain.
    SatisfyInVain,
}

/// Something that was done to an object.
#[derive(Clone, Copy)]
pub(super) struct Deed {
    /// The number of the event, or of the EDT or block.
    pub(super) object: u32,
    pub(super) actor: u32,
    pub(super) point: u32,
    pub(super) did: Did,
}
