//! Models of acquiring, releasing and handing over a block, with and without leases, run by `loom`
//! through every interleaving. They call what the runtime calls; a content is a number.

use super::access::{Acquired, Left, acquire_locked, destroy, release};
use super::lease::Leases;
use crate::object::data_block::{DataBlock, Holders, LIVE, Mark};
use crate::object::edt::{Edt, EdtRef, Mode};
use crate::object::guid::Guid;
use crate::object::place::Place;
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};

/// So many holders are enough for a lease.
const CROWD: u32 = 16;

/// A block and what stands for its memory.
struct Block {
    block: &'static DataBlock,
    guid: Guid,
    content: UnsafeCell<usize>,
    written: AtomicUsize,
}

// SAFETY: the content belongs to those that hold the block; the models check just that.
unsafe impl Sync for Block {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Block {}

impl Block {
    fn new(holders: Holders) -> Arc<Block> {
        let (block, guid) = DataBlock::for_model(holders);
        Arc::new(Block {
            block,
            guid,
            content: UnsafeCell::new(0),
            written: AtomicUsize::new(0),
        })
    }

    /// A new EDT that wants the block; `None` if it is in the queue.
    fn acquire(&self, mode: Mode) -> Option<EdtRef> {
        let edt = Edt::for_model(self.guid, mode);
        let locked = self.block.header.lock(self.guid.generation());
        match acquire_locked(self.block, locked.expect("live"), edt, mode) {
            Acquired::Granted => Some(EdtRef::new(edt)),
            Acquired::Queued => None,
            Acquired::Gone => unreachable!("nobody destroys it"),
        }
    }

    fn read(&self) {
        // SAFETY: the caller holds the block; the checker finds it if a writer has it.
        self.content.with(|content| unsafe { *content });
    }

    fn write(&self) {
        // SAFETY: the caller has the block for itself; the checker finds it if not.
        self.content.with_mut(|content| unsafe { *content += 1 });
        self.written.fetch_add(1, Ordering::Relaxed);
    }

    /// Runs EDTs that have the block in EW mode, and those that their releases let go on.
    fn run(&self, mut granted: Vec<EdtRef>) {
        while granted.pop().is_some() {
            self.write();
            let left = release(self.block, Mode::Ew, Place::HOST, &mut granted);
            assert_eq!(left, Left::Alive);
        }
    }
}

/// Both EDTs run once, one after the other, whoever releases carries on with the other.
#[test]
fn two_writers_of_one_block() {
    loom::model(|| {
        let block = Block::new(Holders::default());
        let other = block.clone();
        let thread =
            loom::thread::spawn(move || other.run(Vec::from_iter(other.acquire(Mode::Ew))));
        block.run(Vec::from_iter(block.acquire(Mode::Ew)));
        thread.join().expect("no panic");
        assert_eq!(block.written.load(Ordering::Relaxed), 2);
        assert!(block.block.is_plain());
    });
}

/// A lease with one hold, of many, of a block in this mode. The others have ended.
fn lease(block: &Block, mode: Mode) -> Leases {
    let mut leases = Leases::default();
    let left = leases.release(block.guid, block.block, mode, &mut Vec::new());
    assert!(left == Left::Alive && !leases.is_empty());
    let mut holders = block.block.holders.get();
    match mode {
        Mode::Rw => holders.rw -= CROWD - 1,
        _ => holders.constant -= CROWD - 1,
    }
    block.block.holders.set(holders);
    leases
}

fn end_all(leases: &mut Leases, granted: &mut Vec<EdtRef>) -> Option<Left> {
    leases.end_unused(None, granted).map(|(_, left)| left)
}

/// One thread has a lease from a reader that has ended, and runs another with it, unless the writer of
/// the other thread is seen to wait. The writer writes once, when no reader reads.
#[test]
fn a_lease_keeps_a_writer_out_until_it_ends() {
    loom::model(|| {
        let block = Block::new(Holders {
            constant: CROWD,
            ..Holders::default()
        });
        let (mut leases, mut granted) = (lease(&block, Mode::Const), Vec::new());
        let other = block.clone();
        let thread =
            loom::thread::spawn(move || other.run(Vec::from_iter(other.acquire(Mode::Ew))));
        if leases.acquire(block.guid, Mode::Const) {
            block.read();
            let _ = leases.release(block.guid, block.block, Mode::Const, &mut granted);
        }
        // Without lease, if the writer was seen at the release.
        assert_ne!(end_all(&mut leases, &mut granted), Some(Left::Unused));
        block.run(granted);
        thread.join().expect("no panic");
        assert_eq!(block.written.load(Ordering::Relaxed), 1);
        assert!(block.block.is_plain());
    });
}

/// The EDT that has the last hold of a lease ends on another thread, which then destroys the block. The
/// thread with the empty lease either has more holds before, and the block stays until it gives them
/// back, or gets none, even if there is another block in the slot. The block is freed once.
///
/// The thread with the lease is the spawned one: the other way round, `loom` 0.7 misses orders, since of
/// the last reads of an atomic by several threads it remembers one.
#[test]
fn an_empty_lease_gets_nothing_of_a_block_that_is_gone() {
    loom::model(|| {
        let block = Block::new(Holders {
            rw: CROWD,
            rw_place: Some(Place::HOST),
            ..Holders::default()
        });
        let mut leases = lease(&block, Mode::Rw);
        assert!(leases.acquire(block.guid, Mode::Rw), "it has one");
        let freed = Arc::new(AtomicUsize::new(0));
        let freed_by_now = freed.clone();
        let free = {
            let (freed, block) = (freed.clone(), block.clone());
            move |left| {
                if left == Left::Unused {
                    freed.fetch_add(1, Ordering::Relaxed);
                    let mut locked = block.block.header.lock_pinned();
                    let free = locked.word.freed().expect("generations left");
                    block.block.unmark(&locked, Mark::Destroyed);
                    locked.word = free.with_state(LIVE);
                }
            }
        };
        let (other, also_free) = (block.clone(), free.clone());
        let thread = loom::thread::spawn(move || {
            if leases.acquire(other.guid, Mode::Rw) {
                assert_eq!(freed_by_now.load(Ordering::Relaxed), 0);
                let (guid, block) = (other.guid, other.block);
                also_free(leases.release(guid, block, Mode::Rw, &mut Vec::new()));
            }
            if let Some(left) = end_all(&mut leases, &mut Vec::new()) {
                also_free(left);
            }
        });
        let left = release(block.block, Mode::Rw, Place::HOST, &mut Vec::new());
        assert_eq!(left, Left::Alive);
        let locked = block.block.header.lock(block.guid.generation());
        free(destroy(block.block, locked.expect("destroyed once")));
        thread.join().expect("no panic");
        assert_eq!(freed.load(Ordering::Relaxed), 1);
    });
}

/// An EDT writes and leaves its hold in the lease, while a device makes a copy: the copy has what was
/// written, or does not count. The steps of the device are those of `make_valid` in `device/launch.rs`.
#[test]
fn a_copy_has_what_was_written_under_a_lease_or_does_not_count() {
    const DEVICE: Place = Place::device(0);
    loom::model(|| {
        let block = Block::new(Holders {
            rw: CROWD,
            rw_place: Some(Place::HOST),
            ..Holders::default()
        });
        let mut leases = lease(&block, Mode::Rw);
        assert!(leases.acquire(block.guid, Mode::Rw), "it has one");
        // Atomic: a kernel may read in RO mode what an EDT writes.
        let content = Arc::new(AtomicUsize::new(0));
        let (copied, on_device) = (content.clone(), block.block);
        let device = loom::thread::spawn(move || {
            on_device.got_buffer(DEVICE);
            let version = on_device.copies().version;
            let copy = copied.load(Ordering::Relaxed);
            let mut copies = on_device.copies();
            if copies.version == version {
                copies.joined(DEVICE);
            }
            copy
        });
        content.store(1, Ordering::Relaxed);
        let left = leases.release(block.guid, block.block, Mode::Rw, &mut Vec::new());
        assert_eq!(left, Left::Alive);
        let copy = device.join().expect("no panic");
        // The lease may last: who comes after both finds the copy as it is now.
        assert!(copy == 1 || !block.block.copies().valid.contains(DEVICE));
    });
}
