//! Models of where the content of a block is: the host and two devices, whose managers launch kernels, bring the
//! content to the host, and give up buffers. They take the steps of `engine/life/launch.rs`, `device/opencl/launch.rs`
//! and `device/opencl/fetch.rs` by the functions that these call; a content is a number, which each writer makes one
//! larger.

use super::{Block, explore_within};
use crate::memory::access::{acquire_locked, release};
use crate::memory::queue::{Acquired, Left};
use crate::object::data_block::{Holders, Source};
use crate::object::edt::{EdtRef, Mode};
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Arc, Mutex};
use ocr_place::place::Place;
use std::sync::atomic::AtomicUsize as Plain;

const HERE: Place = Place::device(0);
const THERE: Place = Place::device(1);
/// What is in a buffer that has been given no content.
const GARBAGE: usize = usize::MAX;

/// A block with its copies.
struct World {
    block: Arc<Block>,
    /// Host memory, and the devices' buffers. Atomic: readers in mode RO are beside writers.
    host: AtomicUsize,
    buffers: [AtomicUsize; 2],
    /// A manager is one thread.
    managers: [Mutex<()>; 2],
    /// Whether devices copy when a copy is enqueued, not later.
    at_once: bool,
    /// How many writers have ended.
    ended: AtomicUsize,
    /// How many writers have begun.
    begun: Plain,
}

impl World {
    /// A block with this content on the host, which the devices have no buffers for; 0: it has not been written.
    fn new(content: usize, holders: Holders, at_once: bool) -> Arc<World> {
        let block = Block::new(holders);
        if content != 0 {
            block.block.copies().wrote(Place::HOST);
        }
        Arc::new(World {
            block,
            host: AtomicUsize::new(content),
            buffers: [AtomicUsize::new(GARBAGE), AtomicUsize::new(GARBAGE)],
            at_once,
            managers: [Mutex::new(()), Mutex::new(())],
            ended: AtomicUsize::new(content),
            begun: Plain::new(content),
        })
    }

    fn buffer(&self, device: Place) -> &AtomicUsize {
        &self.buffers[device.device_index().expect("a device")]
    }

    fn manager(&self, device: Place) -> loom::sync::MutexGuard<'_, ()> {
        let index = device.device_index().expect("a device");
        self.managers[index].lock().expect("no panic")
    }

    /// A new EDT in this place, if it has got the block.
    fn acquire(&self, mode: Mode, place: Place) -> Vec<EdtRef> {
        let edt = self.block.edt(mode);
        edt.get().place.set(place);
        let locked = self.block.lock().expect("it is not destroyed");
        match acquire_locked(self.block.block, locked, edt.get(), mode) {
            Acquired::Granted => vec![edt],
            Acquired::Queued => Vec::new(),
            Acquired::Gone => unreachable!("it is not destroyed"),
        }
    }

    /// Runs EDTs that have the block, and those that then go on.
    fn run(&self, mut granted: Vec<EdtRef>) {
        while let Some(edt) = granted.pop() {
            let (mode, place) = (edt.get().slots()[0].info().mode, edt.get().place.get());
            let least = self.ended.load(Ordering::SeqCst);
            self.bring(place);
            match (place, mode.writes()) {
                (Place::HOST, true) => {
                    self.write(&self.host, least);
                    self.ended.fetch_add(1, Ordering::SeqCst);
                }
                (Place::HOST, false) => self.check(self.host.load(Ordering::Relaxed), least, mode),
                (device, writes) => self.launch(device, mode, writes, least),
            }
            let left = release(self.block.block, mode, place, &mut granted);
            assert_eq!(left, Left::Alive);
        }
    }

    /// A writer makes the content one larger: it has found that of all writers before.
    fn write(&self, copy: &AtomicUsize, least: usize) {
        let found = copy.load(Ordering::Relaxed);
        assert_eq!(found, least, "a write was lost");
        self.begun.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        copy.store(found + 1, Ordering::Relaxed);
    }

    /// A reader has found what the block had since it began, and no garbage; in mode CONST no writer goes on.
    fn check(&self, found: usize, least: usize, mode: Mode) {
        let most = self.begun.load(std::sync::atomic::Ordering::Relaxed);
        assert!((least..=most).contains(&found), "{found}, not {least} to {most}");
        assert!(mode == Mode::Ro || found == least);
    }

    /// The step of `Context::bring_blocks`, and of `Manager::fetch` where there is something to bring.
    fn bring(&self, place: Place) {
        let from = self.block.block.copies().to_bring(place);
        let Some(from) = from else { return };
        let _manager = self.manager(from);
        let valid = self.block.block.copies().valid;
        if valid.contains(Place::HOST) || !valid.contains(from) {
            return;
        }
        self.host.store(self.buffer(from).load(Ordering::Relaxed), Ordering::Relaxed);
        self.block.block.copies().fetched(from, true);
    }

    /// The steps of `Manager::put_together` and `Manager::commit`, and the kernel.
    fn launch(&self, device: Place, mode: Mode, writes: bool, least: usize) {
        let _manager = self.manager(device);
        let (block, buffer) = (self.block.block, self.buffer(device));
        let source = block.copies().source(device);
        match source {
            Source::Here => {}
            Source::Older(_) => assert_eq!(mode, Mode::Ro),
            Source::Written => assert_eq!(mode, Mode::Ro),
            Source::Host(_) | Source::Nothing => {}
        }
        // The driver may copy at once, when the copy is enqueued.
        if self.at_once && source != Source::Here {
            buffer.store(self.host.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        if let Source::Host(what) = source {
            block.copies().copied(device, what);
        }
        // If not at once, the driver copies later. A block that has not been written is copied for
        // readers, and in strict mode.
        if !self.at_once && source != Source::Here {
            buffer.store(self.host.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        if !writes {
            return self.check(buffer.load(Ordering::Relaxed), least, mode);
        }
        block.copies().wrote(device);
        self.write(buffer, least);
        block.copies().wrote(device);
        self.ended.fetch_add(1, Ordering::SeqCst);
    }

    /// The step of `Manager::evict`.
    fn evict(&self, device: Place) {
        let _manager = self.manager(device);
        let (block, buffer) = (self.block.block, self.buffer(device));
        let only_here = block.copies().only_at(device);
        if only_here {
            self.host.store(buffer.load(Ordering::Relaxed), Ordering::Relaxed);
        }
        buffer.store(GARBAGE, Ordering::Relaxed);
        block.copies().left(device, only_here);
    }

    /// When all have ended, each valid copy is the latest content, and there is one.
    fn ends_with(&self, content: usize) {
        let valid = self.block.block.copies().valid;
        assert!(valid.contains(Place::HOST) || valid.iter().count() <= 1);
        assert_eq!(valid.is_empty(), content == 0);
        for place in valid.iter() {
            let copy = match place {
                Place::HOST => &self.host,
                device => self.buffer(device),
            };
            assert_eq!(copy.load(Ordering::Relaxed), content);
        }
        // The EDT that comes next finds it everywhere.
        for place in [HERE, THERE, Place::HOST] {
            self.run(self.acquire(Mode::Const, place));
        }
    }
}

/// Runs EDTs with these modes and places at once, each on a thread. Their block has been on the first device.
fn at_once(interruptions: usize, wanted: &'static [(Mode, Place)]) {
    explore_within(interruptions, move || {
        // EDTs that read on the other device have a copy made for them.
        let (_, reader) = wanted[0];
        let world = World::new(1, Holders::default(), reader == THERE);
        world.run(world.acquire(Mode::Ew, HERE));
        let threads: Vec<_> = (wanted[1..].iter())
            .map(|&(mode, place)| {
                let world = world.clone();
                loom::thread::spawn(move || world.run(world.acquire(mode, place)))
            })
            .collect();
        let (mode, place) = wanted[0];
        world.run(world.acquire(mode, place));
        for thread in threads {
            thread.join().expect("no panic");
        }
        let writes = wanted.iter().filter(|(mode, _)| mode.writes()).count();
        world.ends_with(2 + writes);
    });
}

#[test]
fn one_reads_while_another_device_writes() {
    at_once(2, &[(Mode::Ro, THERE), (Mode::Ew, HERE)]);
    at_once(2, &[(Mode::Ro, HERE), (Mode::Ew, THERE)]);
    at_once(2, &[(Mode::Ro, Place::HOST), (Mode::Ew, THERE)]);
}

#[test]
fn one_reads_while_the_host_writes() {
    at_once(2, &[(Mode::Ro, HERE), (Mode::Ew, Place::HOST)]);
    at_once(2, &[(Mode::Ro, THERE), (Mode::Rw, Place::HOST)]);
}

#[test]
fn one_reads_while_a_buffer_leaves() {
    for mode in [Mode::Ro, Mode::Const] {
        for (reader, loser) in [(HERE, HERE), (THERE, HERE), (Place::HOST, HERE)] {
            explore_within(2, move || {
                let world = World::new(1, Holders::default(), false);
                world.run(world.acquire(Mode::Ew, HERE));
                let other = world.clone();
                let thread = loom::thread::spawn(move || other.evict(loser));
                world.run(world.acquire(mode, reader));
                thread.join().expect("no panic");
                world.ends_with(2);
            });
        }
    }
}

/// The creator of a block writes it while kernels read it, and releases it. What they have copied before does not
/// count.
#[test]
fn one_reads_what_the_creator_holds() {
    let holders = Holders { rw: 1, rw_place: Some(Place::HOST), ..Holders::default() };
    for reads in [1, 2] {
        explore_within(2, move || {
            let world = World::new(0, holders, false);
            let other = world.clone();
            let thread = loom::thread::spawn(move || {
                for _ in 0..reads {
                    other.run(other.acquire(Mode::Ro, HERE));
                }
            });
            world.write(&world.host, 0);
            world.ended.fetch_add(1, Ordering::SeqCst);
            let left = release(world.block.block, Mode::Rw, Place::HOST, &mut Vec::new());
            assert_eq!(left, Left::Alive);
            thread.join().expect("no panic");
            world.ends_with(1);
        });
    }
}

/// The block has not been written when one EDT reads it, and another begins to write.
#[test]
fn one_reads_what_nobody_has_written() {
    for writer in [HERE, THERE, Place::HOST] {
        explore_within(2, move || {
            let world = World::new(0, Holders::default(), false);
            let other = world.clone();
            let thread = loom::thread::spawn(move || other.run(other.acquire(Mode::Ro, HERE)));
            world.run(world.acquire(Mode::Ew, writer));
            thread.join().expect("no panic");
            world.ends_with(1);
        });
    }
}
