//! The queue of a block: EDTs join it, are granted the block from it, and what is left of a block that no EDT holds.

use crate::memory::holders::{admits, enter};
use crate::object::data_block::{BlockState, DataBlock, Holders, LockedBlock, Mark};
use crate::object::edt::{Edt, EdtFlags, EdtRef, Mode};
use ocr_place::place::Place;
use std::ptr;

/// Whether an EDT has got a block, as [`super::access::acquire`] answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Acquired {
    /// The EDT has the block.
    Granted,
    /// The EDT is in the block's queue, and belongs to the queue.
    Queued,
    /// The block has been destroyed, or is not here, or is here to be read and the EDT writes.
    Gone,
}

/// The answer to [`super::access::release`] and [`super::access::destroy`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub(crate) enum Left {
    /// The block is still in use, or still exists.
    Alive,
    /// The block was destroyed and is not used any more: the caller frees it.
    Unused,
}

/// Puts an EDT at the end of the queue of a locked block.
pub(super) fn enqueue(block: &DataBlock, locked: &LockedBlock<'_>, edt: &Edt) {
    let (first, last) = block.queue.get();
    edt.link.set(ptr::null());
    if first.is_null() {
        block.queue.set((edt, edt));
        block.mark(locked, Mark::WaitedFor);
    } else {
        // SAFETY: the last EDT of the queue belongs to the queue, which the lock guards.
        unsafe { &*last }.link.set(edt);
        block.queue.set((first, edt));
    }
}

/// Notes in an EDT that was just granted a block if the host's copy of it is not ready, or if the EDT
/// may not write it any more, so that the usual case costs nothing more. One that has stepped back had
/// the block before, and may. One that divides it, or lends it to another node, writes nothing itself.
pub(super) fn note(block: &DataBlock, locked: &LockedBlock<'_>, edt: &Edt, mode: Mode) {
    let slot = || &edt.slots()[edt.cursor.get() as usize];
    let again = || slot().info().kept || slot().divides();
    if mode.writes() && block.has(Mark::Written) && !again() {
        edt.flags.add(EdtFlags::DENIED);
    }
    if !block.copies_seen(locked).host_ready() {
        edt.flags.add(EdtFlags::FETCH);
    }
}

/// Notes that the holder of a block in `mode` in `place` has written it, if the mode allows that. What a kernel has
/// written its device's manager has noted, when the buffer was there; it may not be any more.
pub(super) fn note_write(block: &DataBlock, locked: &mut LockedBlock<'_>, mode: Mode, place: Place) {
    if mode.writes() {
        if place == Place::HOST {
            block.copies_of(locked).wrote(place);
        }
        if block.has(Mark::WrittenOnce) {
            block.mark(locked, Mark::Written);
        }
    }
}

/// What is left of a locked block that is not live and that no EDT holds.
#[cold]
pub(super) fn unheld(locked: &mut LockedBlock<'_>) -> Left {
    if is_expected(locked) || is_divided(locked) || locked.word.state() == BlockState::ReadCopy {
        return Left::Alive;
    }
    locked.word = locked.word.with_state(BlockState::Destroyed);
    Left::Unused
}

/// Grants the block to those EDTs at the head of the queue that can have it now.
pub(super) fn serve(block: &DataBlock, locked: &LockedBlock<'_>, holders: &mut Holders, granted: &mut Vec<EdtRef>) {
    let (mut first, last) = block.queue.get();
    if first.is_null() {
        return;
    }
    let mut closed = block.has(Mark::Closed);
    // SAFETY: an EDT in the queue belongs to the queue, which the caller's lock guards.
    while let Some(edt) = unsafe { first.as_ref() } {
        if closed {
            break;
        }
        let slot = &edt.slots()[edt.cursor.get() as usize];
        let mode = slot.info().mode;
        let place = edt.place.get();
        if !admits(holders, mode, place) {
            break;
        }
        enter(holders, mode, place, 1);
        note(block, locked, edt, mode);
        if slot.divides() {
            block.mark(locked, Mark::Closed);
            closed = true;
        }
        first = edt.link.get();
        granted.push(EdtRef::new(edt));
    }
    if first.is_null() {
        block.queue.set((first, first));
        block.unmark(locked, Mark::WaitedFor);
    } else {
        block.queue.set((first, last));
    }
}

/// Takes all EDTs out of the queue of a locked block that is not to be acquired any more.
#[cfg_attr(loom, allow(dead_code))]
pub(crate) fn take_queue(block: &DataBlock, locked: &LockedBlock<'_>) -> Vec<EdtRef> {
    let (mut next, _) = block.queue.replace((ptr::null(), ptr::null()));
    block.unmark(locked, Mark::WaitedFor);
    let mut taken = Vec::new();
    // SAFETY: an EDT in the queue belongs to the queue, which the lock guards; from here on it is the caller's.
    while let Some(edt) = unsafe { next.as_ref() } {
        next = edt.link.get();
        taken.push(EdtRef::new(edt));
    }
    taken
}

/// Whether an EDT waits for a locked block that is to use it, and not to divide it.
pub(crate) fn is_waited_for(block: &DataBlock, _: &LockedBlock<'_>) -> bool {
    let mut next = block.queue.get().0;
    // SAFETY: an EDT in the queue belongs to the queue, which the caller's lock guards.
    while let Some(edt) = unsafe { next.as_ref() } {
        if !edt.slots()[edt.cursor.get() as usize].divides() {
            return true;
        }
        next = edt.link.get();
    }
    false
}

/// Whether EDTs that have not acquired a locked block will.
pub(super) fn is_expected(locked: &LockedBlock<'_>) -> bool {
    locked.word.state() == BlockState::Private && locked.word.count() != 0
}

/// Whether a locked block is divided.
pub(super) fn is_divided(locked: &LockedBlock<'_>) -> bool {
    matches!(locked.word.state(), BlockState::Divided | BlockState::DividedDestroyed)
}
