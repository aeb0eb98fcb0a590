//! Granting, queueing and releasing. The rules are in [`super`]; holds that no EDT acquires are in [`super::holds`].

use super::holders::{admits, enter, is_held, leave};
use super::private;
use super::queue::{Acquired, Left, enqueue, note, note_write, serve, unheld};
use crate::object::data_block::{BlockState, DataBlock, DataBlocks, Holders, LockedBlock, Mark};
use crate::object::edt::{Edt, EdtRef, Mode};
use crate::object::guid::Guid;
use ocr_place::place::Place;

/// Acquires a block for the EDT that the caller owns, in the EDT's place; its cursor stands at the
/// slot of the block. After `Queued` the caller must not touch the EDT.
#[inline]
pub(crate) fn acquire(blocks: &DataBlocks, guid: Guid, edt: &Edt, mode: Mode) -> Acquired {
    match blocks.lock(guid) {
        Some((block, locked)) => acquire_locked(block, locked, edt, mode),
        None => Acquired::Gone,
    }
}

/// Acquires a block, as [`acquire`] does, that the caller has locked.
#[inline]
pub(super) fn acquire_locked(block: &DataBlock, mut locked: LockedBlock<'_>, edt: &Edt, mode: Mode) -> Acquired {
    if locked.word.state() != BlockState::Live
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

/// Acquires a locked block that is not live, as far as that has ways of its own.
#[cold]
fn acquire_unusual(block: &DataBlock, locked: &mut LockedBlock<'_>, edt: &Edt) -> Option<Acquired> {
    let again = edt.slots()[edt.cursor.get() as usize].info().kept;
    match locked.word.state() {
        BlockState::DividedDestroyed if !again => Some(Acquired::Gone),
        BlockState::Divided | BlockState::DividedDestroyed => {
            enqueue(block, locked, edt);
            Some(Acquired::Queued)
        }
        _ if again => None,
        BlockState::Private => {
            private::expected(locked, edt);
            None
        }
        BlockState::ReadCopy => {
            let writes = edt.slots()[edt.cursor.get() as usize].info().mode.writes();
            writes.then_some(Acquired::Gone)
        }
        _ => Some(Acquired::Gone),
    }
}

/// Acquires a block as [`acquire`] does, if that can be done at once and no EDT waits for the block; but
/// not to write one that is written once: a writer before may hold it yet.
pub(crate) fn try_acquire(blocks: &DataBlocks, guid: Guid, edt: &Edt, mode: Mode) -> bool {
    let Some((block, locked)) = blocks.lock(guid) else {
        return false;
    };
    let mut holders = block.holders.get();
    let place = edt.place.get();
    let once = mode.writes() && block.has(Mark::WrittenOnce);
    let free = locked.word.state() == BlockState::Live && !once && admits(&holders, mode, place);
    if free && block.queue.get().0.is_null() {
        enter(&mut holders, mode, place, 1);
        block.holders.set(holders);
        note(block, &locked, edt, mode);
        return true;
    }
    false
}

/// Gives back a block that was held in `mode` in `place`. EDTs that were waiting and have it now
/// are added to `granted`.
#[inline]
pub(crate) fn release(block: &DataBlock, mode: Mode, place: Place, granted: &mut Vec<EdtRef>) -> Left {
    release_locked(block, block.header.lock_pinned(), mode, place, granted)
}

/// Gives back a block that the caller has locked. EDTs that have it now are added to `granted`.
#[inline]
pub(crate) fn release_locked(
    block: &DataBlock,
    mut locked: LockedBlock<'_>,
    mode: Mode,
    place: Place,
    granted: &mut Vec<EdtRef>,
) -> Left {
    note_write(block, &mut locked, mode, place);
    leave_locked(block, locked, mode, 1, granted)
}

/// Gives back a block that was held in `mode` by an EDT that did not run.
pub(crate) fn release_unused(block: &DataBlock, mode: Mode, granted: &mut Vec<EdtRef>) -> Left {
    leave_locked(block, block.header.lock_pinned(), mode, 1, granted)
}

/// Gives back `holds` holds of a locked block.
pub(super) fn leave_locked(
    block: &DataBlock,
    mut locked: LockedBlock<'_>,
    mode: Mode,
    holds: u32,
    granted: &mut Vec<EdtRef>,
) -> Left {
    let mut holders = block.holders.get();
    leave(&mut holders, mode, holds);
    serve(block, &locked, &mut holders, granted);
    block.holders.set(holders);
    if locked.word.state() != BlockState::Live && !is_held(&holders) {
        return unheld(&mut locked);
    }
    Left::Alive
}

/// Tells a block that a holder runs in `place`, which was not placed when it got the block in `mode` or was placed
/// elsewhere. That matters to RW holders, and to a caller that asks whether the host writes. False if it shares the
/// block with others that run elsewhere, so that it must not run yet.
pub(crate) fn bind_place(block: &DataBlock, mode: Mode, place: Place, granted: &mut Vec<EdtRef>) -> bool {
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
pub(crate) fn destroy(block: &DataBlock, mut locked: LockedBlock<'_>) -> Left {
    let state = match locked.word.state() {
        BlockState::Divided => BlockState::DividedDestroyed,
        _ => BlockState::Destroyed,
    };
    locked.word = locked.word.with_state(state);
    block.mark(&locked, Mark::Destroyed);
    if is_held(&block.holders.get()) { Left::Alive } else { Left::Unused }
}

/// Whether a locked block that was destroyed is not used any more but for loans to other nodes, each of which holds it
/// once: it goes as soon as these have ended, and no device knows it.
#[cfg_attr(loom, allow(dead_code))]
pub(crate) fn is_unused_but_for(block: &DataBlock, locked: &LockedBlock<'_>, loans: u32) -> bool {
    let is_destroyed = match locked.word.state() {
        BlockState::Destroyed => true,
        BlockState::DividedDestroyed => loans != 0,
        _ => false,
    };
    let Holders { ro, constant, rw, ew, .. } = block.holders.get();
    is_destroyed && ro + constant + rw + u32::from(ew) == loans
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::object::Objects;
    use crate::object::arena::Cache;
    use crate::object::edt::{EdtCaches, EdtState};
    use crate::object::header::Word;

    struct World {
        objects: Objects,
        block: Guid,
    }

    fn world() -> World {
        let objects = Objects::default();
        let block = objects.data_blocks.allocate(&mut Cache::default(), 8, false).expect("memory");
        block.header.publish(block.header.peek().with_state(BlockState::Live));
        let block = block.guid();
        World { objects, block }
    }

    impl World {
        fn edt(&self, caches: &mut EdtCaches, mode: Mode, place: Place) -> &Edt {
            let edt = self.objects.edts.allocate(caches, 1, 0).expect("memory");
            edt.slots()[0].satisfy(self.block, mode);
            edt.place.set(place);
            edt.header.publish(Word::new(0, 0, EdtState::Runnable));
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
        bind_place(world.objects.data_blocks.pinned(world.block), Mode::Rw, Place::HOST, &mut granted);
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
        bind_place(block, Mode::Ro, Place::HOST, &mut granted);
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
        assert_eq!(world.acquire(ro), Acquired::Granted, "conflicts with no other");
        assert_eq!(world.release(reader), [EdtRef::new(writer)]);
        assert_eq!(world.release(writer), [EdtRef::new(late)]);
    }

    #[test]
    fn a_copy_to_read_is_got_by_readers_alone_and_stays() {
        let world = world();
        let mut caches = EdtCaches::default();
        let block = world.objects.data_blocks.pinned(world.block);
        let mut locked = block.header.lock_pinned();
        locked.word = locked.word.with_state(BlockState::ReadCopy);
        drop(locked);
        for (mode, answer) in [
            (Mode::Ro, Acquired::Granted),
            (Mode::Const, Acquired::Granted),
            (Mode::Rw, Acquired::Gone),
            (Mode::Ew, Acquired::Gone),
        ] {
            let edt = world.edt(&mut caches, mode, Place::HOST);
            assert_eq!(world.acquire(edt), answer, "{mode:?}");
            if answer == Acquired::Granted {
                world.release(edt);
            }
        }
        assert_eq!(block.header.peek().state(), BlockState::ReadCopy);
        // The owner wants it back while it is read: who comes later waits.
        let reader = world.edt(&mut caches, Mode::Const, Place::HOST);
        let (taker, late) =
            (world.edt(&mut caches, Mode::Ew, Place::HOST), world.edt(&mut caches, Mode::Ro, Place::HOST));
        assert_eq!(world.acquire(reader), Acquired::Granted);
        taker.slots()[0].set_divides();
        assert_eq!(super::super::divided::divide(&world.objects.data_blocks, world.block, taker), Acquired::Queued);
        assert_eq!(world.acquire(late), Acquired::Queued);
        assert_eq!(world.release(reader), [EdtRef::new(taker)]);
    }

    #[test]
    fn a_block_is_held_to_read_where_an_edt_could_read_it_at_once() {
        for (mode, is_held) in [(Mode::Ro, true), (Mode::Const, true), (Mode::Rw, false), (Mode::Ew, false)] {
            let world = world();
            let mut caches = EdtCaches::default();
            let edt = world.edt(&mut caches, mode, Place::HOST);
            assert_eq!(world.acquire(edt), Acquired::Granted);
            let (block, locked) = world.objects.data_blocks.lock(world.block).expect("alive");
            assert_eq!(super::super::hold_to_read(block, &locked), is_held, "{mode:?}");
            drop(locked);
            world.release(edt);
            if is_held {
                let writer = world.edt(&mut caches, Mode::Ew, Place::HOST);
                assert_eq!(world.acquire(writer), Acquired::Queued);
                let (_, locked) = world.objects.data_blocks.lock(world.block).expect("alive");
                assert!(!super::super::hold_to_read(block, &locked), "an EDT waits for it");
                drop(locked);
                let mut granted = Vec::new();
                let _ = release_unused(block, Mode::Const, &mut granted);
                assert_eq!(granted, [EdtRef::new(writer)]);
            }
        }
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
        assert_eq!(release(block, Mode::Rw, Place::HOST, &mut Vec::new()), Left::Unused);
    }
}
