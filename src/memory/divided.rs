//! Divided blocks: while there are parts of a block, no EDT gets it, in any mode.
//!
//! An EDT that *divides* a block acquires it in EW mode, and its hold stays until the last of the parts is gone. That
//! alone would let in those that want the block in RO mode. So the block is in a state of its own from the moment in
//! which such an EDT is in its queue. An EDT that wants it joins the queue then, whatever the mode. The queue is served
//! in order, as ever, up to the EDT that divides the block. From then on the block is *closed* and no EDT is served. So
//! those that have waited longer get it before. A block may be asked to be closed a second time before the first parts
//! are gone; those that have waited in between get it between the two.
//!
//! A part begins as if it were divided and closed itself: no EDT gets it, in any mode, before the part
//! has its content.
//!
//! | step | state | count (times that it is, or will be, closed) | closed |
//! |---|---|---|---|
//! | [`divide`] | divided | +1 | if it was live, or a copy to read, and the EDT gets it at once |
//! | the EDT that divides it is granted it from the queue | | | yes |
//! | [`unite`], by the last part | live (destroyed), if the count is 0 | -1 | no |
//! | [`close`], of a new part | divided | 1 | yes |
//! | [`publish_closed`], of a new block | divided | 1 | yes |
//! | [`open`], of a part | as by [`unite`] | -1 | no |

use super::holders::{admits, enter, is_held, leave};
use super::queue::{Acquired, Left, enqueue, note, serve};
use crate::object::data_block::{BlockState, DataBlock, DataBlocks, Holders, LockedBlock, Mark};
use crate::object::edt::{Edt, EdtRef, Mode};
use crate::object::guid::Guid;
use ocr_place::place::Place;

/// Acquires a block in EW mode for the host EDT that divides it, whose cursor stands at it and whose
/// pre-slot says so.
pub(crate) fn divide(blocks: &DataBlocks, guid: Guid, edt: &Edt) -> Acquired {
    match blocks.lock(guid) {
        Some((block, locked)) => divide_locked(block, locked, edt),
        None => Acquired::Gone,
    }
}

/// Divides a block, as [`divide`] does, that the caller has locked.
pub(super) fn divide_locked(block: &DataBlock, mut locked: LockedBlock<'_>, edt: &Edt) -> Acquired {
    let state = locked.word.state();
    let times = match state {
        BlockState::Live | BlockState::ReadCopy => 0,
        BlockState::Divided => locked.word.count(),
        _ => return Acquired::Gone,
    };
    locked.word = locked.word.with_state(BlockState::Divided).with_count(times + 1);
    // For threads that look at the block without its lock.
    block.mark(&locked, Mark::Divided);
    let mut holders = block.holders.get();
    let free = block.queue.get().0.is_null() && admits(&holders, Mode::Ew, Place::HOST);
    if state == BlockState::Divided || !free {
        enqueue(block, &locked, edt);
        return Acquired::Queued;
    }
    block.mark(&locked, Mark::Closed);
    enter(&mut holders, Mode::Ew, Place::HOST, 1);
    block.holders.set(holders);
    note(block, &locked, edt, Mode::Ew);
    Acquired::Granted
}

/// Publishes a new block closed, until [`unite`] gives it back: no EDT gets it before.
pub(crate) fn publish_closed(block: &DataBlock) {
    block.begin_closed();
    let mut holders = Holders::default();
    enter(&mut holders, Mode::Ew, Place::HOST, 1);
    block.holders.set(holders);
    block.header.publish(block.header.peek().with_state(BlockState::Divided).with_count(1));
}

/// Closes a new part, until it is opened.
pub(crate) fn close(block: &DataBlock) {
    close_locked(block, &mut block.header.lock_pinned());
}

fn close_locked(block: &DataBlock, locked: &mut LockedBlock<'_>) {
    locked.word = locked.word.with_state(BlockState::Divided).with_count(1);
    block.mark(locked, Mark::Divided);
    block.mark(locked, Mark::Closed);
    let mut holders = Holders::default();
    enter(&mut holders, Mode::Ew, Place::HOST, 1);
    block.holders.set(holders);
}

/// Closes a block that has not been used yet, so that it can become a part of another one. False, and nothing is
/// done, if an EDT has.
#[cfg_attr(loom, allow(dead_code))]
pub(crate) fn close_unused(block: &DataBlock, locked: &mut LockedBlock<'_>) -> bool {
    let unused = block.is_unused_yet(locked) && !is_held(&block.holders.get());
    if unused {
        close_locked(block, locked);
    }
    unused
}

/// Gives a part that has its content to those that wait for it.
pub(crate) fn open(block: &DataBlock, granted: &mut Vec<EdtRef>) -> Left {
    give_back(block, block.header.lock_pinned(), granted)
}

/// The last part is gone: gives the block back, with its latest content on the host. That is no write of a block that
/// is written once.
pub(crate) fn unite(block: &DataBlock, granted: &mut Vec<EdtRef>) -> Left {
    let mut locked = block.header.lock_pinned();
    block.copies_of(&mut locked).wrote(Place::HOST);
    give_back(block, locked, granted)
}

fn give_back(block: &DataBlock, mut locked: LockedBlock<'_>, granted: &mut Vec<EdtRef>) -> Left {
    block.unmark(&locked, Mark::Closed);
    let times = locked.word.count() - 1;
    locked.word = locked.word.with_count(times);
    if times == 0 {
        block.unmark(&locked, Mark::Divided);
        locked.word = locked.word.with_state(match locked.word.state() {
            BlockState::DividedDestroyed => BlockState::Destroyed,
            _ => BlockState::Live,
        });
    }
    let mut holders = block.holders.get();
    leave(&mut holders, Mode::Ew, 1);
    serve(block, &locked, &mut holders, granted);
    block.holders.set(holders);
    if locked.word.state() == BlockState::Destroyed && !is_held(&holders) { Left::Unused } else { Left::Alive }
}
