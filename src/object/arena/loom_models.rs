//! Slots that go from one thread to another, run by `loom` through every interleaving.

use super::*;
use crate::object::header::TestState;
use loom::cell::UnsafeCell;
use loom::sync::Arc;

#[repr(C, align(64))]
struct Thing {
    header: Header<TestState>,
}

// SAFETY: as far as a model goes, which begins the headers itself: 64 bytes; the fields are fixed.
unsafe impl Slot for Thing {
    type State = TestState;

    fn header(&self) -> &Header<TestState> {
        &self.header
    }
}

struct Shared {
    arena: Arena<Thing>,
    /// What the objects have inside, by their slots.
    values: Vec<UnsafeCell<u32>>,
}

// SAFETY: a value is touched by a thread that has the slot for itself, or has its header's lock. The model checks just
// that.
unsafe impl Sync for Shared {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Shared {}

/// An object, by its slot and generation.
type CodeName = (u32, u32);

impl Shared {
    fn create(&self, cache: &mut Cache, value: u32) -> CodeName {
        let (index, slot) = self.arena.allocate(cache).expect("memory");
        let word = slot.header.peek();
        assert_eq!(word.state(), TestState::Free, "slot {index} handed out twice");
        // SAFETY: the cache has given the slot to this thread, and no other knows it before it is published.
        self.values[index as usize].with_mut(|place| unsafe { *place = value });
        slot.header.publish(word.with_state(TestState::Live));
        (index, word.generation())
    }

    /// What an object has inside, if it is there.
    fn look(&self, (index, generation): CodeName) -> Option<u32> {
        let _locked = self.arena.slot(index).header.lock(generation)?;
        // SAFETY: this thread holds the lock of the slot's header, so no other touches the value now.
        Some(self.values[index as usize].with(|place| unsafe { *place }))
    }

    fn destroy(&self, cache: &mut Cache, (index, generation): CodeName) {
        let mut locked = self.arena.slot(index).header.lock(generation).expect("there");
        let freed = locked.word.freed().expect("generations left");
        locked.word = freed;
        drop(locked);
        self.arena.free(cache, freed, index);
    }
}

/// A slot is freed by one thread, and comes by way of the depot to another, which knows the old object: that is
/// found as it was, or not at all, and its name is not given again.
#[test]
fn a_slot_that_comes_through_the_depot_is_a_new_object() {
    loom::model(|| {
        let mut arena = Arena::default();
        arena.depot.follow();
        let mut cache = Cache::default();
        let values = (0..8).map(|_| UnsafeCell::new(0)).collect();
        let shared = Arc::new(Shared { arena, values });
        let old = shared.create(&mut cache, 1);
        let other = shared.clone();
        let thread = loom::thread::spawn(move || {
            let new = other.create(&mut Cache::default(), 2);
            assert_ne!(new, old, "a name was given twice");
            let seen = other.look(old);
            assert!(seen.is_none_or(|value| value == 1), "another object has its name");
            assert_eq!(other.look(new), Some(2));
            new
        });
        shared.destroy(&mut cache, old);
        assert_eq!(shared.look(old), None);
        shared.arena.drain(&mut cache);
        let new = thread.join().expect("no panic");
        assert_eq!(shared.look(new), Some(2));
        assert_eq!(shared.look(old), None);
    });
}
