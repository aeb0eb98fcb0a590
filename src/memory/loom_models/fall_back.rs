//! Models of EDTs that fall back to their C function while a kernel shares a block with them: each EDT
//! runs once, and a block is freed after all that hold it, once.

use super::{Block, either_order, explore, explore_within};
use crate::memory::access::acquire_locked;
use crate::memory::fall_back::{fall_back, reacquired};
use crate::memory::queue::Acquired;
use crate::memory::{hand_on, private};
use crate::object::data_block::{BlockState, Holders};
use crate::object::edt::{Edt, EdtRef, Mode, PreSlot, SlotInfo};
use loom::sync::Arc;
use ocr_place::place::Place;
use std::sync::atomic::{AtomicUsize, Ordering};

const DEVICE: Place = Place::device(0);

/// The blocks that EDTs use, in lock order. EDTs go on as in `engine/life/lock.rs`.
struct Blocks {
    blocks: Vec<Arc<Block>>,
    /// How many EDTs have run.
    ran: AtomicUsize,
}

impl Blocks {
    fn new(number: u32) -> Arc<Blocks> {
        let block = |index| Block::with_index(index, Holders::default());
        Arc::new(Blocks { blocks: (1..=number).map(block).collect(), ran: AtomicUsize::new(0) })
    }

    fn of(&self, slot: &PreSlot) -> &Block {
        let mut blocks = self.blocks.iter();
        let block = blocks.find(|block| block.guid == slot.data());
        block.expect("it is one of them")
    }

    /// A new EDT that uses the first block, or the first blocks, in these modes.
    fn edt(&self, modes: &[Mode], place: Place) -> EdtRef {
        let guids = self.blocks.iter().map(|block| block.guid);
        let used: Vec<_> = guids.zip(modes.iter().copied()).collect();
        let edt = Edt::for_model(&used);
        edt.place.set(place);
        EdtRef::new(edt)
    }

    /// A new EDT of the device that has its blocks.
    fn launched(&self, modes: &[Mode]) -> EdtRef {
        let edt = self.edt(modes, DEVICE);
        assert!(self.acquire_blocks(edt.get(), &mut Vec::new()));
        edt
    }

    /// The step of `Context::acquire_blocks`.
    fn acquire_blocks(&self, edt: &Edt, granted: &mut Vec<EdtRef>) -> bool {
        while let Some(slot) = edt.slots().get(edt.cursor.get() as usize) {
            let block = self.of(slot);
            let locked = block.lock().expect("it was not freed");
            match acquire_locked(block.block, locked, edt, slot.info().mode) {
                Acquired::Granted => self.has_got(edt, slot, granted),
                Acquired::Queued => return false,
                Acquired::Gone => unreachable!("it holds the block"),
            }
        }
        true
    }

    /// The step of `Context::has_got`.
    fn has_got(&self, edt: &Edt, slot: &PreSlot, granted: &mut Vec<EdtRef>) {
        let info = slot.info();
        edt.cursor.set(info.next);
        if info.kept {
            let block = self.of(slot);
            block.free_if(reacquired(block.block, slot, granted));
        }
    }

    /// An EDT wants its blocks, and runs if it has them.
    fn acquire(&self, edt: EdtRef) {
        let mut granted = Vec::new();
        if self.acquire_blocks(edt.get(), &mut granted) {
            self.use_blocks(edt.get(), &mut granted);
        }
        self.go_on(granted);
    }

    /// An EDT that has its blocks runs.
    fn run(&self, edt: EdtRef) {
        let mut granted = Vec::new();
        self.use_blocks(edt.get(), &mut granted);
        self.go_on(granted);
    }

    fn use_blocks(&self, edt: &Edt, granted: &mut Vec<EdtRef>) {
        self.ran.fetch_add(1, Ordering::Relaxed);
        for (_, slot) in edt.blocks() {
            self.of(slot).use_for(slot, edt.place.get(), granted);
        }
    }

    /// EDTs that have waited go on, and those that then do.
    fn go_on(&self, mut granted: Vec<EdtRef>) {
        while let Some(edt) = granted.pop() {
            let edt = edt.get();
            self.has_got(edt, &edt.slots()[edt.cursor.get() as usize], &mut granted);
            if self.acquire_blocks(edt, &mut granted) {
                self.use_blocks(edt, &mut granted);
            }
        }
    }

    /// The step of `Context::fall_back`.
    fn fall_back(&self, edt: EdtRef) {
        let (edt, mut granted) = (edt.get(), Vec::new());
        let block_of = |slot: &PreSlot| self.of(slot).block;
        if fall_back(edt, Place::HOST, block_of, &mut granted) || self.acquire_blocks(edt, &mut granted) {
            self.use_blocks(edt, &mut granted);
        }
        self.go_on(granted);
    }

    /// Asserts that `ran` EDTs have run, and what is left of each block.
    fn check(&self, ran: usize, freed: usize) {
        assert_eq!(self.ran.load(Ordering::Relaxed), ran);
        for block in &self.blocks {
            assert_eq!(block.freed.load(Ordering::Relaxed), freed);
            let holders = block.block.holders.get();
            let left = (holders.ro, holders.constant, holders.rw, holders.ew);
            assert_eq!(left, (0, 0, 0, false));
            if freed == 0 {
                assert!(block.block.is_plain());
                assert_eq!(block.block.header.peek().state(), BlockState::Live);
            }
        }
    }
}

/// The kernel ends, or its EDT falls back, too.
#[test]
fn it_waits_for_the_kernel_beside_it() {
    for both in [false, true] {
        explore(move || {
            let blocks = Blocks::new(1);
            let (falls, kernel) = (blocks.launched(&[Mode::Rw]), blocks.launched(&[Mode::Rw]));
            let other = blocks.clone();
            let thread = loom::thread::spawn(move || if both { other.fall_back(kernel) } else { other.run(kernel) });
            blocks.fall_back(falls);
            thread.join().expect("no panic");
            blocks.check(2, 0);
        });
    }
}

/// The block of an EDT that falls back is destroyed meanwhile.
#[test]
fn it_has_a_block_that_is_destroyed() {
    for late in [false, true] {
        explore(move || {
            let blocks = Blocks::new(1);
            let (falls, kernel) = (blocks.launched(&[Mode::Rw]), blocks.launched(&[Mode::Rw]));
            let other = blocks.clone();
            let thread = loom::thread::spawn(move || {
                either_order(late, || other.run(kernel), || other.blocks[0].destroy());
            });
            blocks.fall_back(falls);
            thread.join().expect("no panic");
            blocks.check(2, 1);
        });
    }
}

/// Beside an EDT that falls back, another EDT of the host waits for the block, or comes later.
#[test]
fn it_is_in_the_queue_with_others() {
    for mode in [Mode::Ro, Mode::Const, Mode::Rw, Mode::Ew] {
        for late in [false, true] {
            explore(move || {
                let blocks = Blocks::new(1);
                let (falls, kernel) = (blocks.launched(&[Mode::Rw]), blocks.launched(&[Mode::Rw]));
                let waits = blocks.edt(&[mode], Place::HOST);
                let other = blocks.clone();
                let thread = loom::thread::spawn(move || {
                    either_order(late, || other.run(kernel), || other.acquire(waits));
                });
                blocks.fall_back(falls);
                thread.join().expect("no panic");
                blocks.check(3, 0);
            });
        }
    }
}

/// Another EDT shares the first block with the one that falls back, and waits for the second one, which that holds. A
/// third one wants both.
#[test]
fn who_shares_a_block_with_it_may_wait_for_another_one() {
    for mode in [Mode::Const, Mode::Rw, Mode::Ew] {
        explore_within(2, move || {
            let blocks = Blocks::new(2);
            let falls = blocks.launched(&[Mode::Rw, mode]);
            let behind = blocks.edt(&[Mode::Rw, Mode::Ew], DEVICE);
            assert!(!blocks.acquire_blocks(behind.get(), &mut Vec::new()));
            let third = blocks.edt(&[Mode::Ew, Mode::Ew], Place::HOST);
            let other = blocks.clone();
            let thread = loom::thread::spawn(move || other.acquire(third));
            blocks.fall_back(falls);
            thread.join().expect("no panic");
            blocks.check(3, 0);
        });
    }
}

/// The block is divided meanwhile, and then destroyed: it goes after its parts and the EDT.
#[test]
fn it_waits_for_the_parts_of_a_block_that_is_divided() {
    for destroyed in [false, true] {
        for late in [false, true] {
            explore(move || {
                let blocks = Blocks::new(1);
                let (falls, kernel) = (blocks.launched(&[Mode::Rw]), blocks.launched(&[Mode::Rw]));
                let other = blocks.clone();
                let thread = loom::thread::spawn(move || {
                    let block = other.blocks[0].clone();
                    let divide = || {
                        let granted = block.divide();
                        if destroyed {
                            block.destroy();
                        }
                        granted.into_iter().for_each(|edt| other.run(edt));
                    };
                    either_order(late, || other.run(kernel), divide);
                });
                blocks.fall_back(falls);
                thread.join().expect("no panic");
                blocks.check(3, destroyed as usize);
            });
        }
    }
}

/// The block is a content that was passed to both and to a third EDT: the last of them frees it.
#[test]
fn a_content_that_it_has_twice_counts_once() {
    for late in [false, true] {
        explore(move || {
            let blocks = Blocks::new(1);
            let block = blocks.blocks[0].block;
            private::begin(block);
            let (falls, kernel) = (blocks.launched(&[Mode::Rw]), blocks.launched(&[Mode::Rw]));
            {
                let locked = blocks.blocks[0].lock().expect("three are to have it");
                let left = private::passed_locked(block, locked, 3, false);
                blocks.blocks[0].free_if(left);
            }
            let third = blocks.edt(&[Mode::Ew], Place::HOST);
            let other = blocks.clone();
            let thread = loom::thread::spawn(move || {
                either_order(late, || other.run(kernel), || other.acquire(third));
            });
            blocks.fall_back(falls);
            thread.join().expect("no panic");
            blocks.check(3, 1);
        });
    }
}

/// The EDT was handed the block, and has it for itself until the content is on the host. Another EDT wants it.
#[test]
fn it_has_a_block_that_it_was_handed_as_others_have_theirs() {
    for mode in [Mode::Ro, Mode::Const, Mode::Rw, Mode::Ew] {
        explore(move || {
            let blocks = Blocks::new(1);
            let falls = blocks.launched(&[mode]);
            assert!(hand_on(blocks.blocks[0].block, mode));
            let slot = &falls.get().slots()[0];
            let (info, handed) = (slot.info(), true);
            slot.set_info(SlotInfo { handed, ..info });
            let wants = blocks.edt(&[mode], Place::HOST);
            let other = blocks.clone();
            let thread = loom::thread::spawn(move || other.acquire(wants));
            blocks.fall_back(falls);
            thread.join().expect("no panic");
            blocks.check(2, 0);
        });
    }
}
