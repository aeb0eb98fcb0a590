//! Models of divided blocks: no EDT gets one while there are parts of it, and all that want it do
//! afterwards. An EDT that divides the block runs as long as there are parts.

use super::{Block, either_order, explore};
use crate::object::data_block::{BlockState, Holders};
use crate::object::edt::Mode;

/// A block, which an EDT may have in EW mode, is divided, and another EDT wants it in RO mode, which
/// nothing else would keep out.
#[test]
fn nobody_gets_it_while_it_is_divided() {
    for held in [false, true] {
        explore(move || {
            let block = Block::new(Holders { ew: held, ..Holders::default() });
            let holder = held.then(|| block.edt(Mode::Ew));
            let other = block.clone();
            let thread = loom::thread::spawn(move || match holder {
                Some(holder) => other.run(vec![holder]),
                None => other.run(other.acquire(Mode::Ro)),
            });
            block.run(block.divide());
            block.run(block.acquire(Mode::Ro));
            thread.join().expect("no panic");
            assert_eq!(block.ends(), (3, 0));
            assert!(block.block.is_plain());
            assert_eq!(block.block.header.peek().state(), BlockState::Live);
        });
    }
}

/// An EDT that has had a divided block in RO mode from before releases it, which lets no EDT in that waits.
#[test]
fn who_releases_a_divided_block_lets_nobody_in() {
    for held in [false, true] {
        explore(move || {
            let block = Block::new(Holders { ro: 1, ew: held, ..Holders::default() });
            let (reader, writer) = (block.edt(Mode::Ro), block.edt(Mode::Ew));
            let other = block.clone();
            let thread = loom::thread::spawn(move || {
                let waiting = other.acquire(Mode::Ro);
                other.run(vec![reader]);
                other.run(waiting);
            });
            let mut granted = block.divide();
            if held {
                assert!(granted.is_empty());
                granted.push(writer);
            }
            block.run(granted);
            thread.join().expect("no panic");
            assert_eq!(block.ends(), (3 + held as usize, 0));
            assert!(block.block.is_plain());
        });
    }
}

/// A block is divided or destroyed first. It goes, with its parts if there are some.
#[test]
fn one_that_is_destroyed_is_not_divided() {
    explore(|| {
        let block = Block::new(Holders::default());
        let other = block.clone();
        let thread = loom::thread::spawn(move || other.destroy());
        let divided = block.run_unless_gone(block.try_divide());
        thread.join().expect("no panic");
        assert_eq!(block.ends(), (divided as usize, 1));
    });
}

/// A divided block is destroyed while its last part goes: it is freed after that, and after the EDTs that
/// have waited for it in time.
#[test]
fn one_that_is_destroyed_goes_after_its_parts() {
    for mode in [Mode::Ro, Mode::Const] {
        explore(move || {
            let block = Block::new(Holders::default());
            let divider = block.divide();
            let other = block.clone();
            let thread = loom::thread::spawn(move || other.run(divider));
            let granted = block.acquire(mode);
            block.destroy();
            block.run(granted);
            assert!(!block.run_unless_gone(block.try_acquire(mode)));
            thread.join().expect("no panic");
            assert_eq!(block.ends(), (2, 1));
        });
    }
}

/// A block that is divided a second time before the first parts are gone goes after the second parts.
#[test]
fn one_that_is_divided_twice_goes_after_the_second_parts() {
    explore(|| {
        let block = Block::new(Holders::default());
        let divider = block.divide();
        let other = block.clone();
        let thread = loom::thread::spawn(move || other.run(divider));
        let granted = block.divide();
        block.destroy();
        block.run(granted);
        thread.join().expect("no panic");
        assert_eq!(block.ends(), (2, 1));
    });
}

/// An EDT that waits between two divisions of a block has it in between. Another one comes at some time after the first
/// parts are gone, or before the second ones are there.
#[test]
fn who_waits_between_two_divisions_runs_between_them() {
    for late in [false, true] {
        explore(move || {
            let block = Block::new(Holders::default());
            let first = block.divide();
            let other = block.clone();
            let thread = loom::thread::spawn(move || {
                either_order(late, || other.run(first), || other.run(other.acquire(Mode::Ro)));
            });
            let mut granted = block.acquire(Mode::Const);
            granted.extend(block.divide());
            block.run(granted);
            thread.join().expect("no panic");
            let mut ran = std::mem::take(&mut *block.ran.lock().expect("no panic"));
            assert_eq!(ran.len(), 4);
            ran.retain(|&mode| mode != Mode::Ro);
            assert_eq!(ran, [Mode::Ew, Mode::Const, Mode::Ew]);
            assert!(block.block.is_plain());
            assert_eq!(block.block.header.peek().state(), BlockState::Live);
        });
    }
}
