//! Granting, queueing and releasing; the rules are in [`super`], who has a block without acquiring it in
//! [`super::holds`].

use super::holders::{admits, enter, is_held, leave};
use super::{divided, private};
use crate::object::data_block::{
    DESTROYED, DIVIDED, DIVIDED_DESTROYED, DataBlock, DataBlocks, Holders, LIVE, Mark, PRIVATE,
};
use crate::object::edt::{DENIED, Edt, EdtRef, FETCH, Mode};
use crate::object::guid::Guid;
use crate::object::header::Locked;
use crate::object::place::Place;
use std::ptr;

/// The answer to [`acquire`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Acquired {
    /// The EDT has the block.
    Granted,
    /// The EDT is in the block's queue, and belongs to the queue.
    Queued,
    /// The block has been destroyed.
    Gone,
}

/// The answer to [`release`] and [`destroy`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum Left {
    /// The block is still in use, or still exists.
    Alive,
    /// The block was destroyed and nobody uses it any more: the caller frees it.
    Unused,
}

/// Acquires a block for the EDT that the caller owns, in the EDT's place; its cursor stands at the
/// slot of the block. After `Queued` the caller must not touch the EDT.
#[inline]
pub fn acquire(blocks: &DataBlocks, guid: Guid, edt: &Edt, mode: Mode) -> Acquired {
    match blocks.lock(guid) {
        Some((block, locked)) => acquire_locked(block, locked, edt, mode),
        None => Acquired::Gone,
    }
}

/// As [`acquire`], of a block that the caller has locked.
#[inline]
pub(super) fn acquire_locked(
    block: &DataBlock,
    mut locked: Locked<'_>,
    edt: &Edt,
    mode: Mode,
) -> Acquired {
    if locked.word.state() != LIVE
        && let Some(answer) = acquire_unusual(block, &mut locked, edt)
    {
        return answer;
    }
    let mut holders = block.holders.get();
    let place = edt.place.get();
    let (first, _) = block.queue.get();
    if admits(&holders, mode, place) && (first.is_null() || mode == Mode::Ro) {
        enter(&mut holders, mode, place, 1);
        block.holders.set(holders);
        note(block, &locked, edt, mode);
        return Acquired::Granted;
    }
    enqueue(block, &locked, edt);
    Acquired::Queued
}

/// Puts an EDT at the end of the queue of a locked block.
pub(super) fn enqueue(block: &DataBlock, locked: &Locked<'_>, edt: &Edt) {
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

/// Acquires a locked block that is not live, as far as that has ways of its own.
#[cold]
fn acquire_unusual(block: &DataBlock, locked: &mut Locked<'_>, edt: &Edt) -> Option<Acquired> {
    let again = edt.slots()[edt.cursor.get() as usize].info().kept;
    match locked.word.state() {
        DIVIDED_DESTROYED if !again => Some(Acquired::Gone),
        DIVIDED | DIVIDED_DESTROYED => {
            enqueue(block, locked, edt);
            Some(Acquired::Queued)
        }
        _ if again => None,
        PRIVATE => {
            private::expected(locked, edt);
            None
        }
        _ => Some(Acquired::Gone),
    }
}

/// Acquires a block as [`acquire`] does, if that can be done at once and nobody waits for the block; but
/// not to write one that is written once: a writer before may hold it yet.
pub fn try_acquire(blocks: &DataBlocks, guid: Guid, edt: &Edt, mode: Mode) -> bool {
    let Some((block, locked)) = blocks.lock(guid) else {
        return false;
    };
    let mut holders = block.holders.get();
    let place = edt.place.get();
    let once = mode.writes() && block.has(Mark::WrittenOnce);
    let free = locked.word.state() == LIVE && !once && admits(&holders, mode, place);
    if free && block.queue.get().0.is_null() {
        enter(&mut holders, mode, place, 1);
        block.holders.set(holders);
        note(block, &locked, edt, mode);
        return true;
    }
    false
}

/// Notes in an EDT that was just granted a block if the host's copy of it is not ready, or if the EDT
/// may not write it any more, so that the usual case costs nothing more. One that has stepped back had
/// the block before, and may.
pub(super) fn note(block: &DataBlock, locked: &Locked<'_>, edt: &Edt, mode: Mode) {
    let again = || edt.slots()[edt.cursor.get() as usize].info().kept;
    if mode.writes() && block.has(Mark::Written) && !again() {
        edt.flags.set(edt.flags.get() | DENIED);
    }
    if !block.copies_seen(locked).host_ready() {
        edt.flags.set(edt.flags.get() | FETCH);
    }
}

/// Gives back a block that was held in `mode` in `place`. EDTs that were waiting and have it now
/// are added to `granted`.
#[inline]
pub fn release(block: &DataBlock, mode: Mode, place: Place, granted: &mut Vec<EdtRef>) -> Left {
    release_locked(block, block.header.lock_pinned(), mode, place, granted)
}

/// The same of a block that the caller has locked.
#[inline]
pub fn release_locked(
    block: &DataBlock,
    mut locked: Locked<'_>,
    mode: Mode,
    place: Place,
    granted: &mut Vec<EdtRef>,
) -> Left {
    note_write(block, &mut locked, mode, place);
    leave_locked(block, locked, mode, 1, granted)
}

/// Notes that who holds a block in `mode` in `place` has written it, if the mode allows that. What a kernel
/// has written its device's manager has noted, when the buffer was there; it may not be any more.
pub(super) fn note_write(block: &DataBlock, locked: &mut Locked<'_>, mode: Mode, place: Place) {
    if mode.writes() {
        if place == Place::HOST {
            block.copies_of(locked).wrote(place);
        }
        if block.has(Mark::WrittenOnce) {
            block.mark(locked, Mark::Written);
        }
    }
}

/// Gives back a block that was held in `mode` by an EDT that did not run.
pub fn release_unused(block: &DataBlock, mode: Mode, granted: &mut Vec<EdtRef>) -> Left {
    leave_locked(block, block.header.lock_pinned(), mode, 1, granted)
}

/// Gives back so many holds of a locked block.
pub(super) fn leave_locked(
    block: &DataBlock,
    mut locked: Locked<'_>,
    mode: Mode,
    holds: u32,
    granted: &mut Vec<EdtRef>,
) -> Left {
    let mut holders = block.holders.get();
    leave(&mut holders, mode, holds);
    serve(block, &locked, &mut holders, granted);
    block.holders.set(holders);
    if locked.word.state() != LIVE && !is_held(&holders) {
        return unheld(&mut locked);
    }
    Left::Alive
}

/// What is left of a locked block that is not live and that nobody holds.
#[cold]
pub(super) fn unheld(locked: &mut Locked<'_>) -> Left {
    if private::is_expected(locked) || divided::is_divided(locked) {
        return Left::Alive;
    }
    locked.word = locked.word.with_state(DESTROYED);
    Left::Unused
}

/// Grants the block to those at the head of the queue who can have it now.
pub(super) fn serve(
    block: &DataBlock,
    locked: &Locked<'_>,
    holders: &mut Holders,
    granted: &mut Vec<EdtRef>,
) {
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

/// Tells a block that a holder, which was not placed when it got the block in `mode` or was placed
/// elsewhere, runs in `place`: that matters to RW holders, and to who asks whether the host writes. False if it
/// shares the block with others that run elsewhere, so that it must not run yet.
pub fn settle(block: &DataBlock, mode: Mode, place: Place, granted: &mut Vec<EdtRef>) -> bool {
    if !mode.writes() {
        return true;
    }
    let locked = block.header.lock_pinned();
    let mut holders = block.holders.get();
    if mode == Mode::Ew {
        holders.rw_place = Some(place);
        block.holders.set(holders);
        return true;
    }
    if holders.rw == 1 {
        holders.rw_place = Some(place);
        serve(block, &locked, &mut holders, granted);
        block.holders.set(holders);
    }
    holders.rw_place == Some(place)
}

/// Marks a locked block destroyed (OCR 1.1.0, 2.5.2). Those that hold it or wait for it keep it
/// until they are done.
pub fn destroy(block: &DataBlock, mut locked: Locked<'_>) -> Left {
    let state = match locked.word.state() {
        DIVIDED => DIVIDED_DESTROYED,
        _ => DESTROYED,
    };
    locked.word = locked.word.with_state(state);
    block.mark(&locked, Mark::Destroyed);
    match is_held(&block.holders.get()) {
        true => Left::Alive,
        false => Left::Unused,
    }
}

/// Whether nobody uses a locked block any more that was destroyed: it goes as soon as no device knows it.
#[cfg_attr(loom, allow(dead_code))]
pub fn is_unused(block: &DataBlock, locked: &Locked<'_>) -> bool {
    locked.word.state() == DESTROYED && !is_held(&block.holders.get())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::object::Objects;
    use crate::object::arena::Cache;
    use crate::object::edt::{EdtCaches, RUNNABLE};
    use crate::object::header::Word;

    struct World {
        objects: Objects,
        block: Guid,
    }

    fn world() -> World {
        let objects = Objects::default();
        let block = objects
            .data_blocks
            .allocate(&mut Cache::default(), 8, false)
            .expect("memory");
        block.header.publish(block.header.peek().with_state(LIVE));
        let block = block.guid();
        World { objects, block }
    }

    impl World {
        fn edt(&self, caches: &mut EdtCaches, mode: Mode, place: Place) -> &Edt {
            let edt = self.objects.edts.allocate(caches, 1, 0).expect("memory");
            edt.slots()[0].satisfy(self.block, mode);
            edt.place.set(place);
            edt.header.publish(Word::new(0, 0, RUNNABLE));
            edt.order_blocks();
            edt
        }

        fn acquire(&self, edt: &Edt) -> Acquired {
            let mode = edt.slots()[0].info().mode;
            acquire(&self.objects.data_blocks, self.block, edt, mode)
        }

        fn release(&self, edt: &Edt) -> Vec<EdtRef> {
            let mut granted = Vec::new();
            let block = self.objects.data_blocks.pinned(self.block);
            let mode = edt.slots()[0].info().mode;
            let left = release(block, mode, edt.place.get(), &mut granted);
            assert_eq!(left, Left::Alive);
            granted
        }
    }

    #[test]
    fn the_table_of_modes() {
        use Acquired::{Granted, Queued};
        let modes = [Mode::Ro, Mode::Const, Mode::Rw, Mode::Ew];
        let table = [
            [Granted, Granted, Granted, Granted],
            [Granted, Granted, Queued, Queued],
            [Granted, Queued, Granted, Queued],
            [Granted, Queued, Queued, Queued],
        ];
        for (held, row) in modes.iter().zip(table) {
            for (wanted, answer) in modes.iter().zip(row) {
                let world = world();
                let mut caches = EdtCaches::default();
                let holder = world.edt(&mut caches, *held, Place::HOST);
                assert_eq!(world.acquire(holder), Granted);
                let other = world.edt(&mut caches, *wanted, Place::HOST);
                assert_eq!(world.acquire(other), answer, "{held:?} {wanted:?}");
                let granted = world.release(holder);
                assert_eq!(granted.len(), (answer == Queued) as usize);
            }
        }
    }

    #[test]
    fn rw_is_shared_in_one_place_only() {
        let world = world();
        let mut caches = EdtCaches::default();
        let host = world.edt(&mut caches, Mode::Rw, Place::HOST);
        let device = world.edt(&mut caches, Mode::Rw, Place::device(0));
        assert_eq!(world.acquire(host), Acquired::Granted);
        assert_eq!(world.acquire(device), Acquired::Queued);
        assert_eq!(world.release(host), [EdtRef::new(device)]);
    }

    #[test]
    fn an_unplaced_rw_holder_lets_others_in_once_it_is_placed() {
        let world = world();
        let mut caches = EdtCaches::default();
        let unplaced = world.edt(&mut caches, Mode::Rw, Place::UNDECIDED);
        let host = world.edt(&mut caches, Mode::Rw, Place::HOST);
        assert_eq!(world.acquire(unplaced), Acquired::Granted);
        assert_eq!(world.acquire(host), Acquired::Queued);
        let mut granted = Vec::new();
        settle(
            world.objects.data_blocks.pinned(world.block),
            Mode::Rw,
            Place::HOST,
            &mut granted,
        );
        assert_eq!(granted, [EdtRef::new(host)]);
    }

    #[test]
    fn who_holds_a_block_for_reading_does_not_place_its_writers() {
        let world = world();
        let mut caches = EdtCaches::default();
        let writer = world.edt(&mut caches, Mode::Rw, Place::device(0));
        let reader = world.edt(&mut caches, Mode::Ro, Place::device(0));
        let host = world.edt(&mut caches, Mode::Rw, Place::HOST);
        assert_eq!(world.acquire(writer), Acquired::Granted);
        assert_eq!(world.acquire(reader), Acquired::Granted);
        assert_eq!(world.acquire(host), Acquired::Queued);
        let block = world.objects.data_blocks.pinned(world.block);
        let mut granted = Vec::new();
        settle(block, Mode::Ro, Place::HOST, &mut granted);
        assert!(granted.is_empty());
    }

    #[test]
    fn the_queue_is_served_in_order_and_writers_do_not_starve() {
        let world = world();
        let mut caches = EdtCaches::default();
        let reader = world.edt(&mut caches, Mode::Const, Place::HOST);
        let writer = world.edt(&mut caches, Mode::Ew, Place::HOST);
        let late = world.edt(&mut caches, Mode::Const, Place::HOST);
        let ro = world.edt(&mut caches, Mode::Ro, Place::HOST);
        assert_eq!(world.acquire(reader), Acquired::Granted);
        assert_eq!(world.acquire(writer), Acquired::Queued);
        assert_eq!(world.acquire(late), Acquired::Queued, "behind the writer");
        assert_eq!(
            world.acquire(ro),
            Acquired::Granted,
            "conflicts with nobody"
        );
        assert_eq!(world.release(reader), [EdtRef::new(writer)]);
        assert_eq!(world.release(writer), [EdtRef::new(late)]);
    }

    #[test]
    fn destroying_waits_for_holders() {
        let world = world();
        let mut caches = EdtCaches::default();
        let holder = world.edt(&mut caches, Mode::Rw, Place::HOST);
        assert_eq!(world.acquire(holder), Acquired::Granted);
        let (block, locked) = world.objects.data_blocks.lock(world.block).expect("alive");
        assert_eq!(destroy(block, locked), Left::Alive);
        let other = world.edt(&mut caches, Mode::Ro, Place::HOST);
        assert_eq!(world.acquire(other), Acquired::Gone);
        assert_eq!(
            release(block, Mode::Rw, Place::HOST, &mut Vec::new()),
            Left::Unused
        );
    }
}
