//! Models of new parts of divided blocks: no EDT gets one before it has its content, in whatever mode,
//! and all that want it do afterwards.
//!
//! A part is closed before anybody knows its GUID; all else comes in any order.

use super::{Block, check_order, either_order, explore};
use crate::memory::{divided, hold_still, release_unused};
use crate::object::data_block::{BlockState, Holders};
use crate::object::edt::Mode;
use loom::sync::Arc;
use ocr_place::place::Place;
use std::sync::atomic::Ordering;

const MODES: [Mode; 4] = [Mode::Ro, Mode::Const, Mode::Rw, Mode::Ew];

/// A new part, closed until `open`.
fn part() -> Arc<Block> {
    let part = Block::new(Holders::default());
    part.closed.store(true, Ordering::Relaxed);
    divided::close(part.block);
    part
}

/// The whole is there, and the part gets its content, as by `Context::open_parts`.
fn open(part: &Block) {
    part.memory.with_mut(|_| {});
    // SAFETY: no other thread has the part; the checker finds it if not.
    part.content.with_mut(|content| unsafe { *content = 1 });
    part.block.copies().wrote(Place::HOST);
    part.closed.store(false, Ordering::Relaxed);
    let mut granted = Vec::new();
    let left = divided::open(part.block, &mut granted);
    check_order(&granted);
    part.free_if(left);
    part.run(granted);
}

/// Two EDTs want a part, each before or after it has its content.
#[test]
fn nobody_gets_it_before_its_content() {
    for mode in MODES {
        for other_mode in MODES {
            explore(move || {
                let part = part();
                let other = part.clone();
                let thread = loom::thread::spawn(move || other.run(other.acquire(other_mode)));
                let granted = part.acquire(mode);
                assert!(granted.is_empty());
                open(&part);
                thread.join().expect("no panic");
                assert_eq!(part.ends(), (2, 0));
                assert!(part.block.is_plain());
                assert_eq!(part.block.header.peek().state(), BlockState::Live);
            });
        }
    }
}

/// A part is destroyed before it has its content, or later: it is freed once, and not before it was
/// opened. An EDT that wants it has it before, or finds it gone.
#[test]
fn one_that_is_destroyed_goes_when_it_was_opened() {
    for mode in MODES {
        for late in [false, true] {
            explore(move || {
                let part = part();
                let other = part.clone();
                let opener = loom::thread::spawn(move || open(&other));
                let mut ran = false;
                either_order(late, || part.destroy(), || ran = part.run_unless_gone(part.try_acquire(mode)));
                opener.join().expect("no panic");
                assert_eq!(ran, !late);
                assert_eq!(part.ends(), (ran as usize, 1));
            });
        }
    }
}

/// A part is divided itself, before it has its content or later. An EDT that wanted it before has it before there are
/// parts of it. Another one, which comes at any time, has it then or when these are gone.
#[test]
fn one_that_is_divided_has_its_content_before() {
    for late in [false, true] {
        explore(move || {
            let part = part();
            assert!(part.acquire(Mode::Const).is_empty());
            let other = part.clone();
            let opener = loom::thread::spawn(move || open(&other));
            either_order(late, || part.run(part.divide()), || part.run(part.acquire(Mode::Ro)));
            opener.join().expect("no panic");
            let mut ran = std::mem::take(&mut *part.ran.lock().expect("no panic"));
            assert_eq!(ran.len(), 3);
            ran.retain(|&mode| mode != Mode::Ro);
            assert_eq!(ran, [Mode::Const, Mode::Ew]);
            assert!(part.block.is_plain());
            assert_eq!(part.block.header.peek().state(), BlockState::Live);
        });
    }
}

/// A part that is divided and then destroyed, before it has its content or later, goes after its own parts.
#[test]
fn one_that_is_divided_and_destroyed_goes_after_its_parts() {
    explore(|| {
        let part = part();
        let other = part.clone();
        let opener = loom::thread::spawn(move || open(&other));
        let granted = part.divide();
        part.destroy();
        part.run(granted);
        opener.join().expect("no panic");
        assert_eq!(part.ends(), (1, 1));
    });
}

/// A thread looks at a part meanwhile, as at the end of a program. It lets no EDT in that waits, and may be the last.
#[test]
fn who_looks_at_it_lets_nobody_in() {
    for destroyed in [false, true] {
        explore(move || {
            let part = part();
            assert!(part.acquire(Mode::Ro).is_empty());
            if destroyed {
                part.destroy();
            }
            let other = part.clone();
            let opener = loom::thread::spawn(move || open(&other));
            if let Some(locked) = part.lock()
                && hold_still(part.block, &locked)
            {
                drop(locked);
                let mut granted = Vec::new();
                part.free_if(release_unused(part.block, Mode::Ro, &mut granted));
                assert!(granted.is_empty(), "who opens it lets them in");
            }
            opener.join().expect("no panic");
            assert_eq!(part.ends(), (1, destroyed as usize));
        });
    }
}
