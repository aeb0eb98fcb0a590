//! Models of data blocks in use, run by `loom` through every interleaving, or all with few interruptions
//! ([`explore`]). They call what the runtime calls; a content is a number.

mod copies;
mod divided;
mod fall_back;
mod leases;
mod modes;
mod parts;
mod private;
mod sharing;

use super::access::{acquire_locked, destroy, release_locked};
use super::divided::{divide_locked, unite};
use super::queue::{Acquired, Left};
use crate::object::data_block::{DataBlock, Holders, LockedBlock};
use crate::object::edt::{Edt, EdtRef, Mode, PreSlot};
use crate::object::guid::Guid;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use ocr_place::place::Place;
use std::sync::Mutex;
// What only the models look at costs `loom` nothing.
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A block and what stands for its memory.
struct Block {
    block: &'static DataBlock,
    guid: Guid,
    /// Accessed by an EDT that has the block for itself, by readers in CONST mode, and by a kernel in RW mode, of which
    /// a model has one.
    content: UnsafeCell<usize>,
    /// Accessed by all that have the block. The thread that frees it has it alone.
    memory: UnsafeCell<()>,
    /// Whether there are parts of the block, or it is a part that has no content yet.
    closed: AtomicBool,
    /// The users of the block now: for each its mode and place.
    users: Mutex<Vec<(Mode, Place)>>,
    /// In which modes EDTs have had the block, one after the other.
    ran: Mutex<Vec<Mode>>,
    freed: AtomicUsize,
}

// SAFETY: what is in it belongs to those that hold the block; the models check just that.
unsafe impl Sync for Block {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Block {}

impl Block {
    fn new(holders: Holders) -> Arc<Block> {
        Block::with_index(1, holders)
    }

    /// Makes a block of several, which have the order of their indices.
    fn with_index(index: u32, holders: Holders) -> Arc<Block> {
        let (block, guid) = DataBlock::for_model(index, holders);
        Arc::new(Block {
            block,
            guid,
            content: UnsafeCell::new(0),
            memory: UnsafeCell::new(()),
            closed: AtomicBool::new(false),
            users: Mutex::default(),
            ran: Mutex::default(),
            freed: AtomicUsize::new(0),
        })
    }

    /// Locks the block, as `DataBlocks::lock` does.
    fn lock(&self) -> Option<LockedBlock<'static>> {
        self.block.header.lock(self.guid.generation())
    }

    /// A new EDT that uses the block.
    fn edt(&self, mode: Mode) -> EdtRef {
        EdtRef::new(Edt::for_model(&[(self.guid, mode)]))
    }

    /// A new EDT wants the block, which another thread may destroy.
    fn try_acquire(&self, mode: Mode) -> (EdtRef, Acquired) {
        let edt = self.edt(mode);
        let Some(locked) = self.lock() else {
            return (edt, Acquired::Gone);
        };
        // True until this lock is given back: a thread that ends that locks the block after it is false.
        let closed = self.closed.load(Ordering::Relaxed);
        let acquired = acquire_locked(self.block, locked, edt.get(), mode);
        assert!(!closed || acquired != Acquired::Granted, "it is closed");
        (edt, acquired)
    }

    /// A new EDT that wants the block, if it is not in the queue.
    fn acquire(&self, mode: Mode) -> Vec<EdtRef> {
        at_once(self.try_acquire(mode))
    }

    /// A new EDT wants to divide the block, which another thread may destroy.
    fn try_divide(&self) -> (EdtRef, Acquired) {
        let edt = self.edt(Mode::Ew);
        edt.get().slots()[0].set_divides();
        let acquired = self.lock().map_or(Acquired::Gone, |locked| divide_locked(self.block, locked, edt.get()));
        (edt, acquired)
    }

    /// A new EDT that wants to divide the block, if it is not in the queue.
    fn divide(&self) -> Vec<EdtRef> {
        at_once(self.try_divide())
    }

    fn use_in(&self, mode: Mode, place: Place) {
        self.memory.with(|_| {});
        match mode {
            Mode::Null | Mode::Ro => {}
            // Others of the host may have it, too.
            Mode::Rw if place == Place::HOST => self.content.with(|_| {}),
            // SAFETY: the caller holds the block; the checker finds it if a writer has it.
            Mode::Const => self.content.with(|content| unsafe {
                let _ = *content;
            }),
            // SAFETY: the caller has the block for itself; the checker finds it if not.
            Mode::Rw | Mode::Ew => self.content.with_mut(|content| unsafe { *content += 1 }),
        }
    }

    /// Runs an EDT if it has got the block. False if the block was destroyed before.
    fn run_unless_gone(&self, (edt, acquired): (EdtRef, Acquired)) -> bool {
        if acquired == Acquired::Granted {
            self.run(vec![edt]);
        }
        acquired != Acquired::Gone
    }

    /// Runs EDTs that have the block, and those that then go on.
    fn run(&self, mut granted: Vec<EdtRef>) {
        while let Some(edt) = granted.pop() {
            let edt = edt.get();
            self.use_for(&edt.slots()[0], edt.place.get(), &mut granted);
        }
    }

    /// An EDT in this place uses the block, which it has, and is done with it.
    fn use_for(&self, slot: &PreSlot, place: Place, granted: &mut Vec<EdtRef>) {
        let mode = slot.info().mode;
        self.ran.lock().expect("no panic").push(mode);
        self.begin(mode, place);
        let left = if slot.divides() {
            self.closed.store(true, Ordering::Relaxed);
            self.use_in(mode, place);
            self.block.copies().wrote(Place::HOST);
            self.closed.store(false, Ordering::Relaxed);
            self.end(mode, place);
            unite(self.block, granted)
        } else {
            self.use_in(mode, place);
            self.release(mode, place, granted)
        };
        check_order(granted);
        self.free_if(left);
    }

    /// An EDT begins to use the block.
    fn begin(&self, mode: Mode, place: Place) {
        let mut users = self.users.lock().expect("no panic");
        let together = |&(other, there): &(Mode, Place)| match (mode, other) {
            (Mode::Ro, _) | (_, Mode::Ro) | (Mode::Const, Mode::Const) => true,
            (Mode::Rw, Mode::Rw) => place == there,
            _ => false,
        };
        assert!(users.iter().all(together), "{mode:?} beside {users:?}");
        users.push((mode, place));
    }

    /// A use of the block has ended.
    fn end(&self, mode: Mode, place: Place) {
        let mut users = self.users.lock().expect("no panic");
        let at = users.iter().position(|&user| user == (mode, place));
        users.swap_remove(at.expect("it has begun"));
    }

    /// An EDT releases the block.
    fn release(&self, mode: Mode, place: Place, granted: &mut Vec<EdtRef>) -> Left {
        let before = granted.len();
        let locked = self.block.header.lock_pinned();
        self.end(mode, place);
        // True until this lock is given back, as in `try_acquire`.
        let closed = self.closed.load(Ordering::Relaxed);
        let left = release_locked(self.block, locked, mode, place, granted);
        assert!(!closed || granted.len() == before, "it is closed");
        left
    }

    /// Destroys the block, as `Context::destroy_block` does for `ocrDbDestroy`.
    fn destroy(&self) {
        if let Some(locked) = self.lock()
            && !self.block.is_destroyed(&locked)
        {
            self.free_if(destroy(self.block, locked));
        }
    }

    fn free_if(&self, left: Left) {
        if left == Left::Unused {
            self.memory.with_mut(|_| {});
            self.freed.fetch_add(1, Ordering::Relaxed);
            let mut locked = self.block.header.lock_pinned();
            locked.word = locked.word.freed().expect("generations left");
        }
    }

    /// How many EDTs have had the block, and how often it was freed.
    fn ends(&self) -> (usize, usize) {
        let ran = self.ran.lock().expect("no panic").len();
        (ran, self.freed.load(Ordering::Relaxed))
    }
}

/// No EDT was granted a block behind an EDT that divides it.
fn check_order(granted: &[EdtRef]) {
    let divides = |edt: &EdtRef| edt.get().slots()[0].divides();
    let at = granted.iter().position(divides);
    assert!(at.is_none_or(|at| at + 1 == granted.len()));
}

/// The EDT, if it has the block and need not wait.
fn at_once((edt, acquired): (EdtRef, Acquired)) -> Vec<EdtRef> {
    match acquired {
        Acquired::Granted => vec![edt],
        Acquired::Queued => Vec::new(),
        Acquired::Gone => unreachable!("it has not been destroyed"),
    }
}

/// Explores all interleavings in which threads are interrupted three times at most: of those that stop for
/// a lock there are too many.
fn explore(model: impl Fn() + Sync + Send + 'static) {
    explore_within(3, model);
}

/// Explores all interleavings in which threads are interrupted at most `interruptions` times.
fn explore_within(interruptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(interruptions);
    builder.check(model);
}

/// Does two things, of which either may come first: a third thread for one of them takes `loom` too long.
fn either_order(first_first: bool, first: impl FnOnce(), second: impl FnOnce()) {
    if first_first {
        first();
        second();
    } else {
        second();
        first();
    }
}

/// Both EDTs run once, one after the other: the thread that releases carries on with the other EDT.
#[test]
fn two_writers_of_one_block() {
    loom::model(|| {
        let block = Block::new(Holders::default());
        let other = block.clone();
        let thread = loom::thread::spawn(move || other.run(other.acquire(Mode::Ew)));
        block.run(block.acquire(Mode::Ew));
        thread.join().expect("no panic");
        assert_eq!(block.ends(), (2, 0));
        assert!(block.block.is_plain());
    });
}
