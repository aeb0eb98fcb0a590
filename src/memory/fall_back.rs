//! An EDT whose kernel was not run goes on as an EDT of the host, with its C function, or on another device.
//!
//! Such an EDT keeps its blocks, if no other writes there what it writes: alone in RW mode, it may say so; in the
//! other modes no other EDT is concerned. But others that share a block with it in RW mode write the copy of
//! their device, perhaps later than now, so it has to wait for them. They in turn may wait for other
//! blocks that it holds. So it *steps back*: it gives all its blocks back, and begins again as an EDT of
//! the host that has none. No EDT waits for it then, and it waits as any other.
//!
//! Until it has a block again it holds it in RO mode ([`SlotInfo::kept`]), for which no EDT waits. So the
//! block is there whatever happens to it. One that was destroyed meanwhile, which its holders need not
//! notice, it gets again; one that was divided it gets when the parts have gone, as if it had come a
//! little later, which the program could not have noticed. One that is written once it may write, though
//! others may have released it meanwhile.

use super::access::{bind_place, release_unused};
use super::holders::{enter, leave};
use super::holds::hand_back;
use super::queue::{Left, serve};
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, EdtRef, Mode, PreSlot, SlotInfo};
use ocr_place::place::Place;

/// Has an EDT that holds all its blocks, and has not run, go on in another place. False if it is to acquire
/// them again, from its cursor on.
pub(crate) fn fall_back<'a>(
    edt: &Edt,
    place: Place,
    block_of: impl Fn(&PreSlot) -> &'a DataBlock,
    granted: &mut Vec<EdtRef>,
) -> bool {
    edt.place.set(place);
    for (_, slot) in edt.blocks() {
        let info = slot.info();
        if info.handed {
            let handed = false;
            slot.set_info(SlotInfo { handed, ..info });
            hand_back(block_of(slot), info.mode, place, granted);
        }
    }
    let settled = edt.blocks().all(|(_, slot)| bind_place(block_of(slot), slot.info().mode, place, granted));
    if !settled {
        for (_, slot) in edt.blocks() {
            yield_blocks(block_of(slot), slot, granted);
        }
        edt.begin_locking();
    }
    settled
}

/// Has an EDT that holds all its blocks, and those that it may write for itself ([`take_alone`]), go on in another
/// place: it keeps them so.
///
/// [`take_alone`]: super::take_alone
pub(crate) fn go_on_alone<'a>(edt: &Edt, place: Place, block_of: impl Fn(&PreSlot) -> &'a DataBlock) {
    edt.place.set(place);
    for (_, slot) in edt.blocks() {
        let is_settled = bind_place(block_of(slot), slot.info().held_mode(), place, &mut Vec::new());
        debug_assert!(is_settled);
    }
}

/// Gives a block back that will be acquired again, but for a hold in RO mode.
fn yield_blocks(block: &DataBlock, slot: &PreSlot, granted: &mut Vec<EdtRef>) {
    let (info, kept) = (slot.info(), true);
    slot.set_info(SlotInfo { kept, ..info });
    let locked = block.header.lock_pinned();
    let mut holders = block.holders.get();
    leave(&mut holders, info.mode, 1);
    enter(&mut holders, Mode::Ro, Place::HOST, 1);
    serve(block, &locked, &mut holders, granted);
    block.holders.set(holders);
}

/// An EDT that has stepped back from a block has acquired it again.
pub(crate) fn reacquired(block: &DataBlock, slot: &PreSlot, granted: &mut Vec<EdtRef>) -> Left {
    let (info, kept) = (slot.info(), false);
    slot.set_info(SlotInfo { kept, ..info });
    release_unused(block, Mode::Ro, granted)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::memory::{Acquired, acquire, destroy, release};
    use crate::object::Objects;
    use crate::object::arena::Cache;
    use crate::object::data_block::{BlockState, Mark};
    use crate::object::edt::{EdtCaches, EdtState};
    use crate::object::header::Word;

    /// A kernel EDT that shares a block in RW mode with another kernel, and both have it.
    fn sharing(objects: &Objects) -> (&DataBlock, &Edt) {
        let blocks = &objects.data_blocks;
        let allocated = blocks.allocate(&mut Cache::default(), 8, false);
        let block = allocated.expect("memory");
        block.header.publish(block.header.peek().with_state(BlockState::Live));
        let guid = block.guid();
        let mut caches = EdtCaches::default();
        let edt = objects.edts.allocate(&mut caches, 1, 0).expect("memory");
        edt.slots()[0].satisfy(guid, Mode::Rw);
        edt.place.set(Place::device(0));
        edt.header.publish(Word::new(0, 0, EdtState::Runnable));
        edt.order_blocks();
        for _ in 0..2 {
            assert_eq!(acquire(blocks, guid, edt, Mode::Rw), Acquired::Granted);
        }
        (block, edt)
    }

    #[test]
    fn who_steps_back_gets_a_block_again_that_was_destroyed() {
        let objects = Objects::default();
        let (block, edt) = sharing(&objects);
        let (blocks, guid) = (&objects.data_blocks, block.guid());
        let mut granted = Vec::new();
        assert!(!fall_back(edt, Place::HOST, |_| block, &mut granted), "it is shared");
        let (_, locked) = blocks.lock(guid).expect("held");
        assert_eq!(destroy(block, locked), Left::Alive);
        assert_eq!(acquire(blocks, guid, edt, Mode::Rw), Acquired::Queued, "behind the kernel");
        let left = release(block, Mode::Rw, Place::device(0), &mut granted);
        assert_eq!(left, Left::Alive);
        assert_eq!(granted, [EdtRef::new(edt)]);
        assert_eq!(reacquired(block, &edt.slots()[0], &mut granted), Left::Alive);
        let left = release(block, Mode::Rw, Place::HOST, &mut granted);
        assert_eq!(left, Left::Unused);
    }

    #[test]
    fn who_steps_back_may_write_what_is_written_once() {
        for steps_back in [false, true] {
            let objects = Objects::default();
            let (block, edt) = sharing(&objects);
            block.mark(&block.header.lock_pinned(), Mark::WrittenOnce);
            let mut granted = Vec::new();
            assert!(!fall_back(edt, Place::HOST, |_| block, &mut granted), "it is shared");
            let slot = &edt.slots()[0];
            slot.set_info(SlotInfo { kept: steps_back, ..slot.info() });
            let again = acquire(&objects.data_blocks, block.guid(), edt, Mode::Rw);
            assert_eq!(again, Acquired::Queued);
            let _ = release(block, Mode::Rw, Place::device(0), &mut granted);
            assert_eq!(granted, [EdtRef::new(edt)]);
            assert_eq!(!edt.flags.get().is_denied(), steps_back);
        }
    }
}
