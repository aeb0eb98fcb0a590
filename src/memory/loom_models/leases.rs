//! Models of leases: a block in use by many EDTs, whose holds a thread keeps.

use super::Block;
use crate::memory::access::{destroy, release};
use crate::memory::lease::Leases;
use crate::memory::queue::Left;
use crate::object::data_block::{BlockState, Holders, Mark, Source};
use crate::object::edt::{EdtRef, Mode};
use loom::sync::Arc;
use loom::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use ocr_place::place::Place;

/// A number of holders that is enough for a lease.
const MANY: u32 = 16;

/// A lease with one hold, of many, of a block in this mode. The others have ended.
fn lease(block: &Block, mode: Mode) -> Leases {
    let mut leases = Leases::default();
    let left = leases.release(block.guid, block.block, mode, &mut Vec::new());
    assert!(left == Left::Alive && !leases.is_empty());
    let mut holders = block.block.holders.get();
    match mode {
        Mode::Ro => holders.ro -= MANY - 1,
        Mode::Rw => holders.rw -= MANY - 1,
        _ => holders.constant -= MANY - 1,
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
        let block = Block::new(Holders { constant: MANY, ..Holders::default() });
        let (mut leases, mut granted) = (lease(&block, Mode::Const), Vec::new());
        let other = block.clone();
        let thread = loom::thread::spawn(move || other.run(other.acquire(Mode::Ew)));
        if leases.acquire(block.guid, Mode::Const) {
            block.use_in(Mode::Const, Place::HOST);
            let _ = leases.release(block.guid, block.block, Mode::Const, &mut granted);
        }
        // Without lease, if the writer was seen at the release.
        assert_ne!(end_all(&mut leases, &mut granted), Some(Left::Unused));
        block.run(granted);
        thread.join().expect("no panic");
        assert_eq!(block.ends(), (1, 0));
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
        let block = Block::new(Holders { rw: MANY, rw_place: Some(Place::HOST), ..Holders::default() });
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
                    locked.word = free.with_state(BlockState::Live);
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
/// written, or does not count. The steps of the device are those of `make_valid` in `device/opencl/launch.rs`.
#[test]
fn a_copy_has_what_was_written_under_a_lease_or_does_not_count() {
    const DEVICE: Place = Place::device(0);
    loom::model(|| {
        let block = Block::new(Holders { rw: MANY, rw_place: Some(Place::HOST), ..Holders::default() });
        let mut leases = lease(&block, Mode::Rw);
        assert!(leases.acquire(block.guid, Mode::Rw), "it has one");
        // Atomic: a kernel may read in RO mode what an EDT writes.
        let content = Arc::new(AtomicUsize::new(0));
        let (copied, on_device) = (content.clone(), block.block);
        let device = loom::thread::spawn(move || {
            on_device.got_buffer(DEVICE);
            let source = on_device.copies().source(DEVICE);
            let copy = copied.load(Ordering::Relaxed);
            if let Source::Host(what) = source {
                on_device.copies().copied(DEVICE, what);
            }
            copy
        });
        content.store(1, Ordering::Relaxed);
        let left = leases.release(block.guid, block.block, Mode::Rw, &mut Vec::new());
        assert_eq!(left, Left::Alive);
        let copy = device.join().expect("no panic");
        // The lease may last: an EDT that comes after both finds the copy as it is now.
        assert!(copy == 1 || !block.block.copies().valid.contains(DEVICE));
    });
}

/// A block is divided while a thread has an RO lease of it, which does not keep that out. An EDT that comes after it
/// gets the block by no lease, not even by one with a hold. An empty lease has got its new holds before it was closed,
/// or gets none.
#[test]
fn a_lease_does_not_pass_a_divided_block() {
    for empty in [false, true] {
        loom::model(move || {
            let block = Block::new(Holders { ro: MANY, ..Holders::default() });
            let mut leases = lease(&block, Mode::Ro);
            if empty {
                // The EDT with the hold has ended elsewhere.
                assert!(leases.acquire(block.guid, Mode::Ro));
                let left = release(block.block, Mode::Ro, Place::HOST, &mut Vec::new());
                assert_eq!(left, Left::Alive);
            }
            let divided = Arc::new(AtomicBool::new(false));
            let (other, event) = (block.clone(), divided.clone());
            let thread = loom::thread::spawn(move || {
                let after = event.load(Ordering::Acquire);
                let acquired = leases.acquire(other.guid, Mode::Ro);
                assert!(!(after && acquired));
                (leases, acquired)
            });
            let divider = block.divide();
            assert_eq!(divider.len(), 1, "a holder in RO mode keeps no EDT out");
            let before = {
                let _locked = block.block.header.lock_pinned();
                block.block.holders.get().ro
            };
            divided.store(true, Ordering::Release);
            let (mut leases, acquired) = thread.join().expect("no panic");
            if empty {
                assert_eq!(acquired, before != 0);
            }
            let mut granted = Vec::new();
            if acquired {
                let left = leases.release(block.guid, block.block, Mode::Ro, &mut granted);
                assert_eq!(left, Left::Alive);
            }
            let _ = end_all(&mut leases, &mut granted);
            assert!(granted.is_empty());
            block.run(divider);
            assert_eq!(block.ends(), (1, 0));
            assert!(block.block.is_plain());
        });
    }
}

/// A CONST lease keeps out the EDT that divides the block, until it ends.
#[test]
fn a_lease_keeps_who_divides_out_until_it_ends() {
    loom::model(|| {
        let block = Block::new(Holders { constant: MANY, ..Holders::default() });
        let (mut leases, mut granted) = (lease(&block, Mode::Const), Vec::new());
        let other = block.clone();
        let thread = loom::thread::spawn(move || other.run(other.divide()));
        if leases.acquire(block.guid, Mode::Const) {
            block.use_in(Mode::Const, Place::HOST);
            let _ = leases.release(block.guid, block.block, Mode::Const, &mut granted);
        }
        let _ = end_all(&mut leases, &mut granted);
        block.run(granted);
        thread.join().expect("no panic");
        assert_eq!(block.ends(), (1, 0));
        assert!(block.block.is_plain());
    });
}
