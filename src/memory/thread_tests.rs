//! Threads that use one block at a time, on the real objects. Small where an interpreter runs it
//! (`make miri`), which looks for data races and follows every pointer.

use super::{Acquired, acquire, release};
use crate::object::arena::Cache;
use crate::object::data_block::{BlockState, DataBlock};
use crate::object::edt::{Edt, EdtCaches, EdtFlags, EdtRef, EdtState, Mode};
use crate::object::{Caches, Objects};
use ocr_place::place::Place;
use std::sync::Barrier;
use std::thread;

const EDTS: usize = if cfg!(miri) { 12 } else { 10_000 };
/// Modes in which no EDT may write while another reads.
const MODES: [Mode; 3] = [Mode::Ew, Mode::Const, Mode::Ew];

fn edt<'a>(objects: &'a Objects, caches: &mut EdtCaches, block: &DataBlock, mode: Mode) -> &'a Edt {
    let edt = objects.edts.allocate(caches, 1, 0).expect("memory");
    edt.flags.set(EdtFlags::NONE);
    edt.place.set(Place::HOST);
    edt.slots()[0].satisfy(block.guid(), mode);
    edt.header.publish(edt.header.peek().with_state(EdtState::Runnable).with_count(0));
    edt.order_blocks();
    edt
}

/// What an EDT does that has the block: one that writes finds what was written last. Returns how many have written.
fn run(block: &DataBlock, edt: &Edt) -> u64 {
    let words = block.host_ptr().cast::<[u64; 2]>();
    // SAFETY: the EDT holds the block, whose memory is aligned and has two words.
    let [first, second] = unsafe { words.read() };
    assert_eq!(first, second, "half of what another writes");
    if edt.slots()[0].info().mode == Mode::Const {
        return 0;
    }
    // SAFETY: the EDT holds the block, which has two words, in mode EW, so no other thread reads or writes it.
    unsafe { words.write([first + 1, second + 1]) };
    1
}

/// Each thread's EDTs want the block; the thread that gives it back runs those that get it then.
#[test]
fn each_edt_gets_the_block_once_and_writers_are_alone() {
    let objects = Objects::default();
    let blocks = &objects.data_blocks;
    let allocated = blocks.allocate(&mut Cache::default(), 16, true);
    let block = allocated.expect("memory");
    // SAFETY: the block has host memory of two words, and no other thread knows it yet.
    unsafe { block.host_ptr().cast::<[u64; 2]>().write([0; 2]) };
    block.header.publish(block.header.peek().with_state(BlockState::Live));
    let start = Barrier::new(MODES.len());
    let work = |at: usize| {
        let mut caches = Caches::default();
        let mut granted: Vec<EdtRef> = Vec::new();
        let (mut ran, mut wrote) = (0, 0);
        start.wait();
        for i in 0..EDTS {
            let mode = MODES[(at + i) % MODES.len()];
            let edt = edt(&objects, &mut caches.edts, block, mode);
            if acquire(blocks, block.guid(), edt, mode) == Acquired::Granted {
                granted.push(EdtRef::new(edt));
            }
            while let Some(edt) = granted.pop() {
                let mode = edt.get().slots()[0].info().mode;
                wrote += run(block, edt.get());
                let _ = release(block, mode, Place::HOST, &mut granted);
                objects.edts.free(&mut caches.edts, edt.get());
                ran += 1;
            }
        }
        objects.drain(&mut caches);
        (ran, wrote)
    };
    let done: Vec<(usize, u64)> = thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..MODES.len()).map(|at| scope.spawn(move || work(at))).collect();
        let ended = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
        ended.map(|done| done.expect("no panic")).collect()
    });
    assert_eq!(done.iter().map(|it| it.0).sum::<usize>(), MODES.len() * EDTS);
    let wrote = done.iter().map(|it| it.1).sum::<u64>();
    assert_eq!(wrote, 2 * EDTS as u64);
    // SAFETY: all threads have been joined, so no EDT has the block, and its memory, which is not freed, has a `u64`.
    assert_eq!(unsafe { block.host_ptr().cast::<u64>().read() }, wrote);
}
