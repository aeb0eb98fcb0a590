//! Models of EDTs that want one block in all modes: each gets it once, beside those with which its mode goes.

use super::{Block, explore};
use crate::memory::bind_place;
use crate::object::data_block::Holders;
use crate::object::edt::Mode;
use ocr_place::place::Place;

const MODES: [Mode; 4] = [Mode::Ro, Mode::Const, Mode::Rw, Mode::Ew];

/// All ordered pairs of modes, equal ones included.
fn pairs() -> impl Iterator<Item = (Mode, Mode)> {
    MODES.into_iter().flat_map(|one| MODES.map(|other| (one, other)))
}

#[test]
fn two_want_it_at_once() {
    for (theirs, mine) in pairs() {
        explore(move || {
            let block = Block::new(Holders::default());
            let other = block.clone();
            let thread = loom::thread::spawn(move || other.run(other.acquire(theirs)));
            block.run(block.acquire(mine));
            thread.join().expect("no panic");
            assert_eq!(block.ends(), (2, 0));
            assert!(block.block.is_plain());
        });
    }
}

/// One EDT waits for the EDT that has the block, and another wants the block while that hands it over.
#[test]
fn one_wants_it_while_it_is_handed_over() {
    for (theirs, mine) in pairs() {
        explore(move || {
            let block = Block::new(Holders::default());
            let has_it = block.acquire(Mode::Ew);
            assert!(mine == Mode::Ro || block.acquire(mine).is_empty());
            let other = block.clone();
            let thread = loom::thread::spawn(move || other.run(other.acquire(theirs)));
            block.run(has_it);
            thread.join().expect("no panic");
            let all = if mine == Mode::Ro { 2 } else { 3 };
            assert_eq!(block.ends(), (all, 0));
            assert!(block.block.is_plain());
        });
    }
}

/// An EDT has got the block before it was known where it runs; another wants it on the host meanwhile. They share it if
/// both turn out to be there.
#[test]
fn one_wants_it_while_who_has_it_is_placed() {
    for place in [Place::HOST, Place::device(0)] {
        explore(move || {
            let block = Block::new(Holders::default());
            let first = block.edt(Mode::Rw);
            first.get().place.set(Place::UNDECIDED);
            let locked = block.lock().expect("it is there");
            let acquired = super::acquire_locked(block.block, locked, first.get(), Mode::Rw);
            assert!(acquired == super::Acquired::Granted);
            let other = block.clone();
            let thread = loom::thread::spawn(move || other.run(other.acquire(Mode::Rw)));
            first.get().place.set(place);
            let mut granted = Vec::new();
            assert!(bind_place(block.block, Mode::Rw, place, &mut granted));
            assert!(granted.is_empty() || place == Place::HOST);
            granted.push(first);
            block.run(granted);
            thread.join().expect("no panic");
            assert_eq!(block.ends(), (2, 0));
            assert!(block.block.is_plain());
        });
    }
}
