//! Models of counted and channel events, run by `loom` through every interleaving.
//!
//! What runs here is not `choosy.rs`: the models copy its steps by hand, in the same order, with dependences
//! and blocks as numbers. Only the lock of the header is the real one. A change of the order there is to be
//! made here, too. `threads.rs` runs the real functions, under Miri too, as do the random graphs (`tests/stress`) and
//! the C programs of the tests.

use crate::object::header::{Header, Locked, Word};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};
use std::collections::VecDeque;

const CHOOSY: u8 = 3;
const SPENT: u8 = 4;

/// What the lock of the header guards.
#[derive(Default)]
struct Fields {
    counter: i64,
    waiting: VecDeque<usize>,
    queued: VecDeque<u32>,
    data: u32,
}

struct World {
    event: Header,
    fields: UnsafeCell<Fields>,
    freed: AtomicUsize,
    /// What each dependence was satisfied with; 0: nothing yet.
    served: [AtomicUsize; 2],
}

// SAFETY: the cell is touched under the lock alone; the models check just that.
unsafe impl Sync for World {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for World {}

impl World {
    fn new(counter: i64) -> Arc<World> {
        let world = World {
            event: Header::new(),
            fields: UnsafeCell::new(Fields {
                counter,
                ..Fields::default()
            }),
            freed: AtomicUsize::new(0),
            served: [AtomicUsize::new(0), AtomicUsize::new(0)],
        };
        world.event.publish(Word::new(0, 0, CHOOSY));
        Arc::new(world)
    }

    fn fields<R>(&self, _locked: &Locked<'_>, f: impl FnOnce(&mut Fields) -> R) -> R {
        // SAFETY: the event is locked.
        self.fields.with_mut(|fields| f(unsafe { &mut *fields }))
    }

    fn serve(&self, dependence: usize, data: u32) {
        let before = self.served[dependence].swap(data as usize, Ordering::Relaxed);
        assert_eq!(before, 0, "served twice");
    }

    fn free(&self, mut locked: Locked<'_>) {
        locked.word = locked.word.freed().expect("generations left");
        self.freed.fetch_add(1, Ordering::Relaxed);
    }

    /// `Graph::connect_counted`.
    fn connect_counted(&self, dependence: usize) {
        let locked = self.event.lock(0).expect("it has not served all");
        let spent = locked.word.state() == SPENT;
        let (left, data) = self.fields(&locked, |fields| {
            fields.counter -= 1;
            if !spent {
                fields.waiting.push_back(dependence);
            }
            (fields.counter, fields.data)
        });
        if spent {
            match left {
                0 => self.free(locked),
                _ => drop(locked),
            }
            self.serve(dependence, data);
        }
    }

    /// `Graph::satisfy_counted`, and what follows.
    fn satisfy_counted(&self, data: u32) {
        let mut locked = self.event.lock(0).expect("it is not satisfied");
        let (left, waiting) = self.fields(&locked, |fields| {
            fields.data = data;
            (fields.counter, std::mem::take(&mut fields.waiting))
        });
        match left {
            0 => self.free(locked),
            _ => {
                locked.word = locked.word.with_state(SPENT);
                drop(locked);
            }
        }
        for dependence in waiting {
            self.serve(dependence, data);
        }
    }

    /// `Graph::connect_channel`.
    fn connect_channel(&self, dependence: usize) {
        let locked = self.event.lock(0).expect("a channel stays");
        let data = self.fields(&locked, |fields| {
            fields.counter -= 1;
            if fields.counter < 0 {
                fields.waiting.push_back(dependence);
            }
            fields.queued.pop_front()
        });
        drop(locked);
        if let Some(data) = data {
            self.serve(dependence, data);
        }
    }

    /// `Graph::satisfy_channel`, and what follows.
    fn satisfy_channel(&self, data: u32) {
        let take_first = |fields: &mut Fields| {
            (fields.counter < 0).then(|| {
                fields.counter += 1;
                fields.waiting.pop_front().expect("as the counter says")
            })
        };
        let locked = self.event.lock(0).expect("a channel stays");
        let first = self.fields(&locked, take_first);
        drop(locked);
        // Here the node is taken, and the channel may change.
        let first = first.or_else(|| {
            let locked = self.event.lock(0).expect("a channel stays");
            self.fields(&locked, |fields| {
                take_first(fields).or_else(|| {
                    fields.queued.push_back(data);
                    fields.counter += 1;
                    None
                })
            })
        });
        if let Some(dependence) = first {
            self.serve(dependence, data);
        }
    }

    fn served(&self) -> [usize; 2] {
        [0, 1].map(|at| self.served[at].load(Ordering::Relaxed))
    }
}

/// Two threads add dependences to a counted event for two, and one of them satisfies it between or
/// after: both dependences are served once, and the event is freed once, by the last of the three.
#[test]
fn counted_dependences_against_satisfaction() {
    for satisfied_last in [false, true] {
        loom::model(move || {
            let world = World::new(2);
            let other = world.clone();
            let thread = loom::thread::spawn(move || other.connect_counted(0));
            if satisfied_last {
                world.connect_counted(1);
                world.satisfy_counted(7);
            } else {
                world.satisfy_counted(7);
                world.connect_counted(1);
            }
            thread.join().expect("no panic");
            assert_eq!(world.served(), [7, 7]);
            assert_eq!(world.freed.load(Ordering::Relaxed), 1);
            assert!(world.event.lock(0).is_none());
        });
    }
}

/// One thread satisfies a channel twice, another adds two dependences: first meets first.
#[test]
fn a_channel_keeps_the_order_of_both_sides() {
    loom::model(|| {
        let world = World::new(0);
        let other = world.clone();
        let satisfier = loom::thread::spawn(move || {
            other.satisfy_channel(1);
            other.satisfy_channel(2);
        });
        world.connect_channel(0);
        world.connect_channel(1);
        satisfier.join().expect("no panic");
        assert_eq!(world.served(), [1, 2]);
    });
}

/// Two threads satisfy a channel and add a dependence: each dependence gets one of the blocks.
#[test]
fn a_channel_loses_and_doubles_nothing() {
    loom::model(|| {
        let world = World::new(0);
        let other = world.clone();
        let thread = loom::thread::spawn(move || {
            other.connect_channel(0);
            other.satisfy_channel(1);
        });
        world.satisfy_channel(2);
        world.connect_channel(1);
        thread.join().expect("no panic");
        let served = world.served();
        assert!(served == [1, 2] || served == [2, 1], "{served:?}");
    });
}
