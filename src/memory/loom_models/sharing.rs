//! Models of a part that shares the memory of its whole, and leaves it when somebody wants that
//! (`engine/calls/share.rs`, whose steps are done here in the same order). No EDT gets the whole before the part has
//! memory of its own, with what it contained, or is gone; and what is written to the part stays in it.

use super::{Block, either_order, explore};
use crate::memory::access::{acquire_locked, destroy};
use crate::memory::queue::{Acquired, Left, is_waited_for};
use crate::memory::{divided, release_unused};
use crate::object::data_block::{BlockState, Holders, Mark};
use crate::object::edt::{EdtRef, Mode};
use crate::object::partition::{Entered, NewPart, Partitions, PartsError};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use ocr_place::place::Place;
use std::sync::Mutex;
// What only the models look at costs `loom` nothing.
use std::sync::atomic::{AtomicUsize, Ordering};

/// A divided block, and its only part.
struct Sharing {
    /// The block that the part shares. Its content is where that of the part is, until the part has left.
    whole: Arc<Block>,
    part: Arc<Block>,
    table: Partitions,
    /// What the part has in memory of its own, when it has left.
    own: UnsafeCell<Option<usize>>,
    /// The EDTs that make the part leave.
    leavers: Mutex<Vec<usize>>,
    /// How often the part has left, and how often the whole was given back.
    left: AtomicUsize,
    united: AtomicUsize,
}

// SAFETY: `own` belongs to those that hold the part; the models check just that.
unsafe impl Sync for Sharing {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Sharing {}

impl Sharing {
    fn new() -> Arc<Sharing> {
        let whole = Block::with_index(1, Holders::default());
        let part = Block::with_index(2, Holders::default());
        let table = Partitions::default();
        let number = table.number();
        assert_eq!(whole.divide().len(), 1, "the hold of this EDT stays");
        whole.closed.store(true, Ordering::Relaxed);
        divided::close(part.block);
        let parts = [NewPart { guid: part.guid, offset: 0, size: 8, shares: true }];
        let entered = table.enter(whole.guid, &parts, false, number, || Ok::<(), PartsError>(()));
        assert_eq!(entered, Ok(Entered::First));
        assert_eq!(table.open(number), [part.guid]);
        part.block.mark(&part.block.header.lock_pinned(), Mark::Part);
        part.block.copies().wrote(Place::HOST);
        assert!(divided::open(part.block, &mut Vec::new()) == Left::Alive);
        Arc::new(Sharing {
            whole,
            part,
            table,
            own: UnsafeCell::new(None),
            leavers: Mutex::default(),
            left: AtomicUsize::new(0),
            united: AtomicUsize::new(0),
        })
    }

    /// An EDT wants the whole, as by `Context::acquire_blocks`.
    fn want_whole(&self, mode: Mode) {
        let granted = self.whole.acquire(mode);
        if granted.is_empty() && self.whole.block.has(Mark::Divided) {
            let whole = self.whole.block;
            // Before, since the table's lock is none of the model's. No other partition of the whole begins here.
            let is_waited_for = is_waited_for(whole, &whole.header.lock_pinned());
            for part in self.table.wanted(self.whole.guid, || is_waited_for) {
                assert_eq!(part, self.part.guid);
                self.ask_to_leave();
            }
        }
        self.whole.run(granted);
    }

    /// The step of `Context::ask_to_leave`.
    fn ask_to_leave(&self) {
        let edt = self.part.edt(Mode::Ew);
        self.leavers.lock().expect("no panic").push(edt.token());
        let acquired = self
            .part
            .lock()
            .map_or(Acquired::Gone, |locked| acquire_locked(self.part.block, locked, edt.get(), Mode::Ew));
        if acquired == Acquired::Granted {
            self.run(vec![edt]);
        }
    }

    /// An EDT wants the part, which is not destroyed before.
    fn use_part(&self, mode: Mode) {
        self.run(self.part.acquire(mode));
    }

    /// Runs EDTs that have the part, and those that then go on.
    fn run(&self, mut granted: Vec<EdtRef>) {
        while let Some(edt) = granted.pop() {
            let leaves = self.leavers.lock().expect("no panic").contains(&edt.token());
            if leaves {
                self.leave(&mut granted);
                continue;
            }
            let mode = edt.get().slots()[0].info().mode;
            self.part.ran.lock().expect("no panic").push(mode);
            self.part.begin(mode, Place::HOST);
            self.touch(mode);
            let left = self.part.release(mode, Place::HOST, &mut granted);
            self.dispose_if(left);
        }
    }

    /// Reads or writes the content of the part. An EDT that has it in mode RO reads what may be old, without order, so
    /// it is left out.
    fn touch(&self, mode: Mode) {
        if mode == Mode::Ro {
            return;
        }
        // SAFETY: an EDT that has the part in another mode than RO excludes the EDT that makes the part leave, which
        // sets `own`. The checker finds it if not.
        let is_own = self.own.with(|own| unsafe { (*own).is_some() });
        match (is_own, mode.writes()) {
            (false, false) => self.whole.content.with(|_| {}),
            // SAFETY: the only writer of the part, whose memory is the whole's; the checker finds it if not.
            (false, true) => (self.whole.content).with_mut(|content| unsafe { *content += 1 }),
            (true, false) => self.own.with(|_| {}),
            (true, true) => self.own.with_mut(|own| {
                // SAFETY: the only writer of the part; the checker finds it if not.
                let own = unsafe { &mut *own };
                *own = own.map(|content| content + 1);
            }),
        }
    }

    /// The steps of `Context::give_own_memory` and `Context::leave_whole`.
    fn leave(&self, granted: &mut Vec<EdtRef>) {
        let block = self.part.block;
        self.part.begin(Mode::Ew, Place::HOST);
        {
            let locked = block.header.lock_pinned();
            if block.is_destroyed(&locked) || !block.has(Mark::Part) {
                drop(locked);
                let left = self.part.release(Mode::Ew, Place::HOST, granted);
                return self.dispose_if(left);
            }
            block.mark(&locked, Mark::Leaving);
        }
        // SAFETY: no thread writes the part now, and none has the whole; the checker finds it if not.
        let content = self.whole.content.with(|content| unsafe { *content });
        // SAFETY: no other thread has the part; the checker finds it if not.
        self.own.with_mut(|own| unsafe { *own = Some(content) });
        {
            let locked = block.header.lock_pinned();
            block.unmark(&locked, Mark::Leaving);
            block.unmark(&locked, Mark::Part);
        }
        self.left.fetch_add(1, Ordering::Relaxed);
        self.part_gone();
        self.part.end(Mode::Ew, Place::HOST);
        let left = release_unused(block, Mode::Ew, granted);
        self.dispose_if(left);
    }

    /// The step of `Context::part_gone`.
    fn part_gone(&self) {
        let Some(gone) = self.table.gone(self.part.guid) else {
            return;
        };
        assert!(gone.opens.is_empty() && gone.last);
        self.whole.closed.store(false, Ordering::Relaxed);
        self.united.fetch_add(1, Ordering::Relaxed);
        let mut granted = Vec::new();
        self.whole.free_if(divided::unite(self.whole.block, &mut granted));
        self.whole.run(granted);
    }

    /// The step of `Context::destroy_block`, of the part.
    fn destroy_part(&self) {
        let block = self.part.block;
        if let Some(locked) = self.part.lock()
            && !block.is_destroyed(&locked)
        {
            let is_part = block.has(Mark::Part);
            let left = destroy(block, locked);
            if is_part {
                self.table.destroyed(self.part.guid);
            }
            self.dispose_if(left);
        }
    }

    /// The step of `Context::dispose_if`.
    fn dispose_if(&self, left: Left) {
        if left == Left::Unused {
            let is_part = self.part.block.has(Mark::Part);
            self.part.free_if(left);
            if is_part {
                self.part_gone();
            }
        }
    }

    /// Asserts that the whole is a block for itself again, and that `times` EDTs have had it.
    fn is_whole_again(&self, times: usize) {
        assert_eq!(self.whole.ends(), (times, 0));
        assert_eq!(self.united.load(Ordering::Relaxed), 1);
        assert_eq!(self.whole.block.header.peek().state(), BlockState::Live);
        assert!(self.whole.block.is_plain());
        assert!(self.table.parts_of(self.whole.guid).is_empty());
    }

    /// The part is a block for itself, and contains this.
    fn is_own_block(&self, content: usize) {
        assert_eq!(self.left.load(Ordering::Relaxed), 1);
        // SAFETY: all threads of the model have ended, so no thread writes `own` now.
        let own = self.own.with(|own| unsafe { *own });
        assert_eq!(own, Some(content));
        assert_eq!(self.part.block.header.peek().state(), BlockState::Live);
        assert!(self.part.block.is_plain() && !self.part.block.has(Mark::Part));
    }
}

const MODES: [Mode; 4] = [Mode::Ro, Mode::Const, Mode::Rw, Mode::Ew];

/// An EDT uses the part, before it leaves or afterwards: what it writes is in the part, whichever comes first.
#[test]
fn who_uses_the_part_keeps_what_it_writes() {
    for mode in MODES {
        for whole_mode in [Mode::Ro, Mode::Ew] {
            explore(move || {
                let sharing = Sharing::new();
                let other = sharing.clone();
                let thread = loom::thread::spawn(move || other.use_part(mode));
                sharing.want_whole(whole_mode);
                thread.join().expect("no panic");
                sharing.is_whole_again(1);
                assert_eq!(sharing.part.ends(), (1, 0));
                sharing.is_own_block(usize::from(mode.writes()));
            });
        }
    }
}

/// Two EDTs want the whole: the part is asked once, and both get the whole.
#[test]
fn a_part_leaves_once() {
    for modes in [[Mode::Ro, Mode::Ew], [Mode::Ew, Mode::Ew], [Mode::Const, Mode::Ro]] {
        explore(move || {
            let sharing = Sharing::new();
            let other = sharing.clone();
            let thread = loom::thread::spawn(move || other.want_whole(modes[0]));
            sharing.want_whole(modes[1]);
            thread.join().expect("no panic");
            sharing.is_whole_again(2);
            assert_eq!(sharing.part.ends(), (0, 0));
            sharing.is_own_block(0);
        });
    }
}

/// The part is destroyed before it is asked to leave, while it leaves, or afterwards. It is freed once, and the EDT
/// that wants the whole gets it.
#[test]
fn one_that_is_destroyed_goes_once() {
    explore(|| {
        let sharing = Sharing::new();
        let other = sharing.clone();
        let thread = loom::thread::spawn(move || other.destroy_part());
        sharing.want_whole(Mode::Ew);
        thread.join().expect("no panic");
        sharing.is_whole_again(1);
        assert_eq!(sharing.part.ends(), (0, 1));
    });
}

/// The part is destroyed, and an EDT uses it before, or has it when another EDT wants the whole.
#[test]
fn one_that_is_used_and_destroyed_goes_once() {
    for wanted_first in [false, true] {
        explore(move || {
            let sharing = Sharing::new();
            let other = sharing.clone();
            let granted = sharing.part.acquire(Mode::Rw);
            let thread = loom::thread::spawn(move || other.run(granted));
            either_order(wanted_first, || sharing.want_whole(Mode::Const), || sharing.destroy_part());
            thread.join().expect("no panic");
            sharing.is_whole_again(1);
            assert_eq!(sharing.part.ends(), (1, 1));
        });
    }
}
