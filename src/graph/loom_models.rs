//! Models of the protocols between EDTs and events, run by `loom` through every interleaving.
//!
//! What runs here is not `connect.rs` and `satisfy.rs`: the models copy their steps by hand, in the same
//! order, on an EDT with one pre-slot and an event with one waiting place. Only the lock of the header is
//! the real one; the arenas' slots cannot be built from the checker's atomics. A change of the order there
//! is to be made here, too. The real functions are run by several threads in `threads.rs`, which `make miri`
//! interprets.

use crate::object::header::{Header, Locked, Word};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};

const WAITING: u8 = 1;
const ZOMBIE: u8 = 2;
const RUNNABLE: u8 = 3;
const ARMED: u8 = 1;
const TRIGGERED: u8 = 2;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Slot {
    Unconnected,
    Connected,
    Satisfied(u32),
}

struct World {
    edt: Header,
    slot: UnsafeCell<Slot>,
    event: Header,
    /// Whether the EDT's pre-slot is in the event's list.
    waiting: UnsafeCell<bool>,
    data: UnsafeCell<u32>,
    runnable: AtomicUsize,
    freed: AtomicUsize,
}

// SAFETY: the cells are touched under the locks alone; the models check just that.
unsafe impl Sync for World {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for World {}

impl World {
    fn new(count: u32, waiting: bool) -> Arc<World> {
        let world = World {
            edt: Header::new(),
            slot: UnsafeCell::new(Slot::Connected),
            event: Header::new(),
            waiting: UnsafeCell::new(waiting),
            data: UnsafeCell::new(0),
            runnable: AtomicUsize::new(0),
            freed: AtomicUsize::new(0),
        };
        world.edt.publish(Word::new(0, count, WAITING));
        world.event.publish(Word::new(0, 0, ARMED));
        Arc::new(world)
    }

    /// `Graph::count_down`.
    fn count_down(&self, mut locked: Locked<'_>) {
        assert_ne!(locked.word.count(), 0, "satisfied too often");
        if locked.count_down() != 0 {
            return;
        }
        if locked.word.state() == ZOMBIE {
            self.free(locked);
            return;
        }
        locked.word = locked.word.with_state(RUNNABLE);
        drop(locked);
        self.runnable.fetch_add(1, Ordering::Relaxed);
    }

    fn free(&self, mut locked: Locked<'_>) {
        locked.word = locked.word.freed().expect("generations left");
        self.freed.fetch_add(1, Ordering::Relaxed);
    }

    fn satisfy_slot(&self, data: u32) {
        let locked = self.edt.lock_pinned();
        self.slot.with_mut(|slot| {
            // SAFETY: the EDT is locked.
            let slot = unsafe { &mut *slot };
            assert_eq!(*slot, Slot::Connected);
            *slot = Slot::Satisfied(data);
        });
        self.count_down(locked);
    }

    /// `Graph::connect`, of a pre-slot that is marked connected.
    fn connect(&self) {
        let locked = self.event.lock(0).expect("a sticky event stays");
        if locked.word.state() != TRIGGERED {
            // SAFETY: the event is locked.
            self.waiting.with_mut(|waiting| unsafe { *waiting = true });
            return;
        }
        // SAFETY: the event is locked.
        let data = self.data.with(|data| unsafe { *data });
        drop(locked);
        self.satisfy_slot(data);
    }

    /// `Graph::trigger` of a sticky event, and `pass_on_list`.
    fn trigger(&self, data: u32) {
        let mut locked = self.event.lock(0).expect("a sticky event stays");
        if locked.word.state() == TRIGGERED {
            return;
        }
        // SAFETY: the event is locked.
        self.data.with_mut(|place| unsafe { *place = data });
        locked.word = locked.word.with_state(TRIGGERED);
        let waiting = self.take_waiting(&locked);
        drop(locked);
        if waiting {
            self.satisfy_slot(data);
        }
    }

    /// `Graph::destroy_edt`. Whether it was not too late.
    fn destroy(&self) -> bool {
        let mut locked = self.edt.lock(0).expect("this model reuses no slot");
        if locked.word.state() != WAITING {
            return false;
        }
        // SAFETY: the EDT is locked.
        let linked = self.slot.with(|slot| unsafe { *slot } == Slot::Connected);
        locked.word = locked.word.with_state(ZOMBIE).with_count(linked as u32);
        if !linked {
            self.free(locked);
        }
        true
    }

    /// `Graph::destroy_event`, of the output event in an EDT, which stays.
    fn destroy_output(&self) {
        let locked = self.event.lock_pinned();
        let waiting = self.take_waiting(&locked);
        drop(locked);
        if waiting {
            // `Graph::unconnect`.
            let locked = self.edt.lock_pinned();
            self.slot.with_mut(|slot| {
                // SAFETY: the EDT is locked.
                let slot = unsafe { &mut *slot };
                assert_eq!(*slot, Slot::Connected);
                *slot = Slot::Unconnected;
            });
            if locked.word.state() == ZOMBIE {
                self.count_down(locked);
            }
        }
    }

    fn take_waiting(&self, _event: &Locked<'_>) -> bool {
        // SAFETY: the event is locked.
        self.waiting
            .with_mut(|waiting| unsafe { std::mem::take(&mut *waiting) })
    }

    /// `Graph::take_follower`; the event is the output event in the first EDT. Whether the EDT is taken.
    fn take_follower(&self, data: u32) -> bool {
        let first = self.event.lock_pinned();
        // SAFETY: the event is locked.
        if !self.waiting.with(|waiting| unsafe { *waiting }) {
            return false;
        }
        let Some(mut locked) = self.edt.try_lock_pinned() else {
            return false;
        };
        if locked.word.state() != WAITING || locked.word.count() != 1 {
            return false;
        }
        self.slot.with_mut(|slot| {
            // SAFETY: the EDT is locked.
            let slot = unsafe { &mut *slot };
            assert_eq!(*slot, Slot::Connected);
            *slot = Slot::Satisfied(data);
        });
        locked.word = locked.word.with_count(0).with_state(RUNNABLE);
        self.take_waiting(&first);
        self.runnable.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn state(&self) -> (usize, usize) {
        (
            self.runnable.load(Ordering::Relaxed),
            self.freed.load(Ordering::Relaxed),
        )
    }
}

/// An EDT is created with a pre-slot connected to a sticky event that another thread satisfies
/// meanwhile: it becomes runnable exactly once, with the data, whichever comes first.
#[test]
fn creation_against_satisfaction() {
    loom::model(|| {
        let world = World::new(1, false);
        let other = world.clone();
        let satisfier = loom::thread::spawn(move || other.trigger(7));
        world.connect();
        satisfier.join().expect("no panic");
        assert_eq!(world.state(), (1, 0));
        // SAFETY: no other thread is left.
        world
            .slot
            .with(|slot| assert_eq!(unsafe { *slot }, Slot::Satisfied(7)));
    });
}

/// A thread adds a dependence late and satisfies the event, which another satisfies meanwhile: one
/// satisfaction counts, and the dependence is served with its data.
#[test]
fn late_dependence_against_two_satisfactions() {
    loom::model(|| {
        let world = World::new(1, false);
        let other = world.clone();
        let satisfier = loom::thread::spawn(move || other.trigger(1));
        world.connect();
        world.trigger(2);
        satisfier.join().expect("no panic");
        assert_eq!(world.state(), (1, 0));
        // SAFETY: no other thread is left.
        let first = world.data.with(|data| unsafe { *data });
        // SAFETY: no other thread is left.
        world
            .slot
            .with(|slot| assert_eq!(unsafe { *slot }, Slot::Satisfied(first)));
    });
}

/// A waiting EDT is destroyed while its event is satisfied: it becomes runnable or is freed, never
/// both and never neither.
#[test]
fn destruction_against_satisfaction() {
    loom::model(|| {
        let world = World::new(1, true);
        let other = world.clone();
        let satisfier = loom::thread::spawn(move || other.trigger(7));
        let in_time = world.destroy();
        satisfier.join().expect("no panic");
        assert_eq!(world.state(), if in_time { (0, 1) } else { (1, 0) });
    });
}

/// An EDT whose pre-slot is about to be linked is destroyed: it is freed when that is done and the
/// event has been satisfied, or runs.
#[test]
fn destruction_against_creation() {
    loom::model(|| {
        let world = World::new(1, false);
        let other = world.clone();
        let destroyer = loom::thread::spawn(move || other.destroy());
        world.connect();
        world.trigger(7);
        let in_time = destroyer.join().expect("no panic");
        assert_eq!(world.state(), if in_time { (0, 1) } else { (1, 0) });
    });
}

/// An EDT ends, and with it the output event that is in it, while a dependence on the event is
/// added: that is served, or finds that the event is gone; also if the slot is used again.
#[test]
fn output_inside_against_late_dependence() {
    const DEPENDENCE: usize = 1;
    loom::model(|| {
        let edt = Arc::new((Header::new(), UnsafeCell::new(0), AtomicUsize::new(0)));
        edt.0.publish(Word::new(0, 0, RUNNABLE));
        let other = edt.clone();
        let ender = loom::thread::spawn(move || {
            // `Edts::free`, and the event's list passed on.
            let mut locked = other.0.lock_pinned();
            // SAFETY: the EDT is locked.
            let waiting = other
                .1
                .with_mut(|list| unsafe { std::mem::take(&mut *list) });
            locked.word = locked.word.freed().expect("generations left");
            drop(locked);
            other.2.fetch_add(waiting, Ordering::Relaxed);
            // The slot is an EDT again, whose output event nobody waits for.
            other.0.publish(other.0.peek().with_state(RUNNABLE));
        });
        let linked = edt.0.lock(0).is_some_and(|_locked| {
            // SAFETY: the EDT is locked.
            edt.1.with_mut(|list| unsafe { *list = DEPENDENCE });
            true
        });
        ender.join().expect("no panic");
        assert_eq!(edt.2.load(Ordering::Relaxed), linked as usize);
        // SAFETY: no other thread is left.
        edt.1.with(|list| assert_eq!(unsafe { *list }, 0));
    });
}

/// A kernel EDT has been enqueued, and the one that waits for it is taken as its follower, or not; then it
/// ends. For `loom` the manager is the spawned thread: the other way round it misses orders, since of
/// the last reads of an atomic by several threads it remembers one.
fn enqueue_and_end(world: &Arc<World>) -> loom::thread::JoinHandle<bool> {
    let world = world.clone();
    loom::thread::spawn(move || {
        let taken = world.take_follower(7);
        world.trigger(7);
        taken
    })
}

/// Meanwhile the one that waits is destroyed: it is freed, or has run.
#[test]
fn follower_against_its_destruction() {
    loom::model(|| {
        let world = World::new(1, true);
        let manager = enqueue_and_end(&world);
        let in_time = world.destroy();
        let taken = manager.join().expect("no panic");
        assert!(!(taken && in_time));
        assert_eq!(world.state(), if in_time { (0, 1) } else { (1, 0) });
    });
}

/// Meanwhile another pre-slot of it is satisfied, or its dependence on the first is added: it becomes
/// runnable once, with the data.
#[test]
fn follower_against_what_else_it_waits_for() {
    for connected in [false, true] {
        loom::model(move || {
            let world = World::new(1 + connected as u32, connected);
            let manager = enqueue_and_end(&world);
            match connected {
                true => world.count_down(world.edt.lock_pinned()),
                false => world.connect(),
            }
            manager.join().expect("no panic");
            assert_eq!(world.state(), (1, 0));
            // SAFETY: no other thread is left.
            world
                .slot
                .with(|slot| assert_eq!(unsafe { *slot }, Slot::Satisfied(7)));
        });
    }
}

/// Meanwhile the output event is destroyed, and then what waited for it: that was taken before or is not
/// connected any more.
#[test]
fn follower_against_destruction_of_the_event() {
    loom::model(|| {
        let world = World::new(1, true);
        let manager = enqueue_and_end(&world);
        world.destroy_output();
        let in_time = world.destroy();
        manager.join().expect("no panic");
        assert_eq!(world.state(), if in_time { (0, 1) } else { (1, 0) });
    });
}
