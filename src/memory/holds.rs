//! Holds of a block that no EDT acquires: of its creator, of an EDT that is handed a block by the one
//! before it, and of threads that look at a block or still need it.

use super::access::leave_locked;
use super::holders::{admits, enter, is_held, leave};
use super::queue::{Left, serve};
use crate::object::data_block::{BlockState, DataBlock, Holders, LockedBlock, Mark};
use crate::object::edt::{EdtRef, Mode};
use ocr_place::place::Place;

/// Marks a new block as held in RW mode by its creator, a host EDT or thread.
pub(crate) fn hold_at_creation(block: &DataBlock) {
    let mut holders = Holders::default();
    enter(&mut holders, Mode::Rw, Place::HOST, 1);
    block.holders.set(holders);
}

/// Hands a block, which a holder has in `mode`, on to another holder, which has it in EW mode then. It does so if no
/// other holds it but in RO mode, no EDT waits for it, and it is not destroyed, or written once.
pub(crate) fn hand_on(block: &DataBlock, mode: Mode) -> bool {
    let locked = block.header.lock_pinned();
    let mut holders = block.holders.get();
    leave(&mut holders, mode, 1);
    let free = admits(&holders, Mode::Ew, Place::UNDECIDED) && block.queue.get().0.is_null();
    let may = free && locked.word.state() == BlockState::Live && !block.has(Mark::WrittenOnce);
    if may {
        enter(&mut holders, Mode::Ew, Place::UNDECIDED, 1);
        block.holders.set(holders);
    }
    may
}

/// Has a holder in RW mode in `place` have a block alone, in EW mode, until [`hand_back`]. False if others hold it in
/// RW mode, too; it stays as it is then.
pub(crate) fn take_alone(block: &DataBlock, place: Place) -> bool {
    let _locked = block.header.lock_pinned();
    let mut holders = block.holders.get();
    leave(&mut holders, Mode::Rw, 1);
    let is_alone = admits(&holders, Mode::Ew, place);
    if is_alone {
        enter(&mut holders, Mode::Ew, place, 1);
        block.holders.set(holders);
    }
    is_alone
}

/// Undoes [`hand_on`] or [`take_alone`] by a holder in `place`.
pub(crate) fn hand_back(block: &DataBlock, mode: Mode, place: Place, granted: &mut Vec<EdtRef>) {
    let locked = block.header.lock_pinned();
    let mut holders = block.holders.get();
    leave(&mut holders, Mode::Ew, 1);
    enter(&mut holders, mode, place, 1);
    serve(block, &locked, &mut holders, granted);
    block.holders.set(holders);
}

/// Holds a locked, live block in RO mode for a moment, so that it does not go: to look at it. False if another holds
/// it. A thread that destroys the block waits until [`end_watch`], since a program knows nothing of it.
pub(crate) fn watch(block: &DataBlock, locked: &LockedBlock<'_>) -> bool {
    let mut holders = block.holders.get();
    let free = !is_held(&holders);
    if free {
        block.mark(locked, Mark::Watched);
        enter(&mut holders, Mode::Ro, Place::HOST, 1);
        block.holders.set(holders);
    }
    free
}

/// Ends what [`watch`] has begun.
pub(crate) fn end_watch(block: &DataBlock, granted: &mut Vec<EdtRef>) -> Left {
    let locked = block.header.lock_pinned();
    block.unmark(&locked, Mark::Watched);
    leave_locked(block, locked, Mode::Ro, 1, granted)
}

/// Holds a locked block in CONST mode if an EDT of the host could have it so at once: it is live, the host alone has
/// had it, and no EDT writes it or waits for it.
pub(crate) fn hold_to_read(block: &DataBlock, locked: &LockedBlock<'_>) -> bool {
    let mut holders = block.holders.get();
    let free =
        locked.word.state() == BlockState::Live && block.is_plain() && admits(&holders, Mode::Const, Place::HOST);
    if free {
        enter(&mut holders, Mode::Const, Place::HOST, 1);
        block.holders.set(holders);
    }
    free
}

/// Holds a destroyed block that is not used any more in RO mode, for an EDT of the host.
pub(crate) fn hold_again(block: &DataBlock) {
    let _locked = block.header.lock_pinned();
    let mut holders = block.holders.get();
    enter(&mut holders, Mode::Ro, Place::HOST, 1);
    block.holders.set(holders);
}

/// Holds a locked block in RO mode beside those that hold it. False if it was destroyed and no EDT
/// holds it: then another thread frees it.
pub(crate) fn hold_still(block: &DataBlock, locked: &LockedBlock<'_>) -> bool {
    let mut holders = block.holders.get();
    let is_live = matches!(locked.word.state(), BlockState::Live | BlockState::ReadCopy);
    let stays = is_live || is_held(&holders);
    if stays {
        enter(&mut holders, Mode::Ro, Place::HOST, 1);
        block.holders.set(holders);
    }
    stays
}
