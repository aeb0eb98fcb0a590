//! Private blocks: contents that were passed by value, which go when their last consumer is done.
//!
//! The thread that passes a content on knows which pre-slots got it, and counts them in the header. For nothing but a
//! state that is not "live" may cost those that acquire and release blocks anything. An EDT that acquires the block
//! takes its pre-slots off that count, in the same step in which it becomes a holder or joins the queue, and is seen as
//! that from then on. So a block with the count at 0 that no EDT holds will not be acquired any more.
//!
//! The pre-slots are counted while they are satisfied, and their EDTs may run meanwhile. Until all
//! counted, `PASSING` stands for them. Nor is it known before whether the block is kept: an EDT that has got it and
//! names it in a call waits ([`DataBlock::stays_private`]).

use super::holders::is_held;
use super::queue::{Left, unheld};
use crate::object::data_block::{BlockState, DataBlock, DataBlocks, LockedBlock, Mark, PASSING};
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use ocr_base::sync::preemption_point;

/// Makes a new block, which no other thread knows yet, a private one that is being passed on.
pub(crate) fn begin(block: &DataBlock) {
    let word = block.header.peek();
    block.header.publish(word.with_state(BlockState::Private).with_count(PASSING));
    block.mark(&block.header.lock_pinned(), Mark::Private);
}

/// A block has been passed to `slots` pre-slots. If it is `kept` where others may get it at any time, it
/// is a block like any other from now on: one of these may even have destroyed it, and it be gone.
pub(crate) fn passed(blocks: &DataBlocks, guid: Guid, slots: u32, kept: bool) -> Left {
    preemption_point(8);
    match blocks.lock(guid) {
        Some((block, locked)) => passed_locked(block, locked, slots, kept),
        None => Left::Alive,
    }
}

/// Counts the pre-slots, as [`passed`] does, in a block that the caller has locked.
pub(super) fn passed_locked(block: &DataBlock, mut locked: LockedBlock<'_>, slots: u32, kept: bool) -> Left {
    if kept && locked.word.state() == BlockState::Private {
        locked.word = locked.word.with_state(BlockState::Live).with_count(0);
        return Left::Alive;
    }
    take_off(block, &mut locked, PASSING.saturating_sub(slots))
}

/// Lets one pre-slot of an EDT, which is satisfied next, have a destroyed block that no EDT holds. It is
/// unused again when the EDT is done with it.
pub(crate) fn revive(block: &DataBlock) {
    let mut locked = block.header.lock_pinned();
    locked.word = locked.word.with_state(BlockState::Private).with_count(1);
}

/// Lets so many pre-slots have a private or a destroyed block that no EDT holds. It goes with the last of them.
#[cfg_attr(loom, allow(dead_code))]
pub(crate) fn expect(block: &DataBlock, slots: u32) -> Left {
    let mut locked = block.header.lock_pinned();
    locked.word = locked.word.with_state(BlockState::Private).with_count(slots);
    if slots == 0 { unheld(&mut locked) } else { Left::Alive }
}

/// A locked block was passed to a pre-slot of an EDT that will not run.
pub(crate) fn forgo(block: &DataBlock, mut locked: LockedBlock<'_>) -> Left {
    take_off(block, &mut locked, 1)
}

fn take_off(block: &DataBlock, locked: &mut LockedBlock<'_>, slots: u32) -> Left {
    if locked.word.state() != BlockState::Private {
        return Left::Alive;
    }
    let left = locked.word.count().saturating_sub(slots);
    locked.word = locked.word.with_count(left);
    if is_held(&block.holders.get()) { Left::Alive } else { unheld(locked) }
}

/// An EDT acquires a locked private block, at which its cursor stands: takes its pre-slots off the count.
pub(super) fn expected(locked: &mut LockedBlock<'_>, edt: &Edt) {
    let data = edt.slots()[edt.cursor.get() as usize].data();
    let slots = edt.slots().iter().filter(|slot| slot.data() == data);
    let left = locked.word.count().saturating_sub(slots.count() as u32);
    locked.word = locked.word.with_count(left);
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::memory::{self, Acquired};
    use crate::object::Objects;
    use crate::object::arena::Cache;
    use crate::object::edt::{EdtCaches, EdtState, Mode};
    use crate::object::header::Word;
    use ocr_place::place::Place;

    /// An EDT that got the block of an event that keeps it has destroyed it. The slot is another block's before it is
    /// known that the first was kept.
    #[test]
    fn a_block_may_go_while_it_is_passed() {
        let objects = Objects::default();
        let (blocks, mut cache) = (&objects.data_blocks, Cache::default());
        let block = blocks.allocate(&mut cache, 8, false).expect("memory");
        begin(block);
        let guid = block.guid();
        let mut caches = EdtCaches::default();
        let edt = objects.edts.allocate(&mut caches, 1, 0).expect("memory");
        edt.slots()[0].satisfy(guid, Mode::Ew);
        edt.place.set(Place::HOST);
        edt.header.publish(Word::new(0, 0, EdtState::Runnable));
        edt.order_blocks();
        let acquired = memory::acquire(blocks, guid, edt, Mode::Ew);
        assert_eq!(acquired, Acquired::Granted);
        let (_, locked) = blocks.lock(guid).expect("held");
        assert_eq!(memory::destroy(block, locked), Left::Alive);
        let left = memory::release(block, Mode::Ew, Place::HOST, &mut Vec::new());
        assert_eq!(left, Left::Unused);
        blocks.free(&mut cache, block);
        assert_eq!(passed(blocks, guid, 0, true), Left::Alive);
        let other = blocks.allocate(&mut cache, 8, false).expect("memory");
        assert!(std::ptr::eq(other, block));
        begin(other);
        assert_eq!(passed(blocks, guid, 0, true), Left::Alive);
        assert!(blocks.is_private(other.guid()));
        assert_eq!(passed(blocks, other.guid(), 0, false), Left::Unused);
    }
}
