//! Models of private blocks: contents on their way, counted while those that got them use them.

use super::{Block, either_order, explore};
use crate::memory::private;
use crate::object::data_block::{BlockState, Holders};
use crate::object::edt::Mode;
use loom::sync::Arc;

/// A block that is being passed on.
fn block() -> Arc<Block> {
    let block = Block::new(Holders::default());
    private::begin(block.block);
    block
}

/// The sender of a content has counted the pre-slots that got it.
fn passed(block: &Block, slots: u32, kept: bool) {
    if let Some(locked) = block.lock() {
        block.free_if(private::passed_locked(block.block, locked, slots, kept));
    }
}

/// Two EDTs get a content and are done with it, or not yet, when its sender has counted them: the last of
/// the three frees it, and each EDT has had it.
#[test]
fn the_last_of_sender_and_consumers_frees_it() {
    for modes in [[Mode::Ro, Mode::Ro], [Mode::Const, Mode::Ew], [Mode::Ew, Mode::Ew]] {
        for counted_first in [false, true] {
            explore(move || {
                let block = block();
                let other = block.clone();
                let consumer = loom::thread::spawn(move || other.run(other.acquire(modes[0])));
                either_order(counted_first, || passed(&block, 2, false), || block.run(block.acquire(modes[1])));
                consumer.join().expect("no panic");
                assert_eq!(block.ends(), (2, 1));
            });
        }
    }
}

/// Two EDTs got a content, and one of them is destroyed before it runs.
#[test]
fn who_gives_it_up_may_free_it() {
    for counted_first in [false, true] {
        explore(move || {
            let block = block();
            let other = block.clone();
            let consumer = loom::thread::spawn(move || other.run(other.acquire(Mode::Ew)));
            either_order(
                counted_first,
                || passed(&block, 2, false),
                || {
                    let locked = block.lock().expect("it is counted");
                    block.free_if(private::forgo(block.block, locked));
                },
            );
            consumer.join().expect("no panic");
            assert_eq!(block.ends(), (1, 1));
        });
    }
}

/// An event keeps a content, and an EDT that got it destroys it, before or after the sender knows that it
/// was kept. Another EDT gets it before, or finds it gone.
#[test]
fn one_that_is_kept_may_be_destroyed() {
    for counted_first in [false, true] {
        explore(move || {
            let block = block();
            let other = block.clone();
            let destroyer = loom::thread::spawn(move || {
                let granted = other.acquire(Mode::Ro);
                assert_eq!(granted.len(), 1);
                other.destroy();
                other.run(granted);
            });
            let mut late = false;
            either_order(
                counted_first,
                || passed(&block, 1, true),
                || late = block.run_unless_gone(block.try_acquire(Mode::Ro)),
            );
            destroyer.join().expect("no panic");
            assert_eq!(block.ends(), (1 + late as usize, 1));
        });
    }
}

/// A content that is kept and not destroyed stays, and is a block like any other.
#[test]
fn one_that_is_kept_stays() {
    explore(|| {
        let block = block();
        let other = block.clone();
        let consumer = loom::thread::spawn(move || other.run(other.acquire(Mode::Ew)));
        passed(&block, 1, true);
        consumer.join().expect("no panic");
        assert_eq!(block.ends(), (1, 0));
        let word = block.block.header.peek();
        assert_eq!((word.state(), word.count()), (BlockState::Live, 0));
        block.destroy();
        assert_eq!(block.ends(), (1, 1));
    });
}

/// An EDT that got a content names it in a call, before or after the sender knows whether it was kept.
#[test]
fn one_that_is_kept_can_be_named() {
    for kept in [false, true] {
        explore(move || {
            let block = block();
            let other = block.clone();
            let consumer = loom::thread::spawn(move || {
                let granted = other.acquire(Mode::Ro);
                let private = other.block.stays_private(other.guid.generation());
                assert_eq!(private, !kept);
                assert_eq!(other.block.header.peek().state() == BlockState::Live, kept);
                other.run(granted);
            });
            passed(&block, 1, kept);
            consumer.join().expect("no panic");
            assert_eq!(block.ends(), (1, !kept as usize));
        });
    }
}

/// A content goes when its consumer is done with it, and another thread destroys it meanwhile.
#[test]
fn one_that_is_destroyed_while_it_goes_is_freed_once() {
    explore(|| {
        let block = block();
        passed(&block, 1, false);
        let other = block.clone();
        let consumer = loom::thread::spawn(move || {
            let acquired = other.try_acquire(Mode::Ew);
            other.run_unless_gone(acquired)
        });
        block.destroy();
        let ran = consumer.join().expect("no panic");
        assert_eq!(block.ends(), (ran as usize, 1));
    });
}
