//! Models of the lock in the header, and of labels that are claimed.

use super::*;
use loom::cell::UnsafeCell;
use loom::sync::Arc;

struct Counter {
    header: Header<TestState>,
    value: UnsafeCell<u32>,
}

impl Counter {
    fn new() -> Counter {
        Counter { header: Header::new(), value: UnsafeCell::new(0) }
    }
}

// SAFETY: `value` is touched under the header's lock alone; the model checks just that.
unsafe impl Sync for Counter {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Counter {}

/// Two threads write under the lock; a third's stale generation never gets in.
#[test]
fn lock_excludes_and_stale_fails() {
    loom::model(|| {
        let counter = Arc::new(Counter::new());
        counter.header.publish(Word::new(1, 0, TestState::Live));
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let counter = counter.clone();
                loom::thread::spawn(move || {
                    if let Some(_locked) = counter.header.lock(1) {
                        // SAFETY: this thread holds the header's lock, so no other touches the
                        // value now.
                        counter.value.with_mut(|value| unsafe { *value += 1 });
                    }
                    assert!(counter.header.lock(0).is_none());
                })
            })
            .collect();
        for thread in threads {
            thread.join().expect("no panic");
        }
        let _locked = counter.header.lock(1).expect("live");
        // SAFETY: this thread holds the header's lock, so no other touches the value now.
        counter.value.with(|value| assert_eq!(unsafe { *value }, 2));
    });
}

/// A thread that tries has the lock alone, and sees what was written under it before; or it has
/// nothing.
#[test]
fn who_tries_has_the_lock_or_nothing() {
    loom::model(|| {
        let counter = Arc::new(Counter::new());
        counter.header.publish(Word::new(1, 0, TestState::Live));
        let other = counter.clone();
        let locks = loom::thread::spawn(move || {
            let _locked = other.header.lock(1).expect("live");
            // SAFETY: this thread holds the header's lock, so no other touches the value now.
            other.value.with_mut(|value| unsafe { *value += 1 });
        });
        let tried = counter.header.try_lock_pinned().map(|_locked| {
            // SAFETY: this thread holds the header's lock, so no other touches the value now.
            counter.value.with_mut(|value| unsafe { *value += 1 });
        });
        locks.join().expect("no panic");
        let _locked = counter.header.lock(1).expect("live");
        let want = 1 + u32::from(tried.is_some());
        // SAFETY: this thread holds the header's lock, so no other touches the value now.
        counter.value.with(|value| assert_eq!(unsafe { *value }, want));
    });
}

/// One thread frees and reuses the slot while another holds its old GUID: the other either
/// acts on the old object before it is freed, or not at all.
#[test]
fn reuse_is_never_seen_by_a_stale_guid() {
    loom::model(|| {
        let counter = Arc::new(Counter::new());
        counter.header.publish(Word::new(1, 0, TestState::Live));
        let other = counter.clone();
        let stale = loom::thread::spawn(move || {
            if let Some(_locked) = other.header.lock(1) {
                // SAFETY: this thread holds the header's lock, so no other touches the value now.
                other.value.with_mut(|value| unsafe { *value = 7 });
            }
        });
        let mut locked = counter.header.lock(1).expect("live");
        locked.word = locked.word.freed().expect("generations left");
        drop(locked);
        // SAFETY: the slot is free and this thread is the one that reuses it.
        counter.value.with_mut(|value| unsafe { *value = 0 });
        counter.header.publish(Word::new(2, 0, TestState::Live));
        stale.join().expect("no panic");
        let _locked = counter.header.lock(2).expect("live");
        // SAFETY: this thread holds the header's lock, so no other touches the value now.
        counter.value.with(|value| assert_eq!(unsafe { *value }, 0));
    });
}

const LABEL: u32 = FIRST_LABEL_GENERATION;

/// Creates on a label as the create functions with `GUID_PROP_CHECK` do. Returns whether this
/// caller made the object.
fn create_checked(label: &Counter, made: u32) -> bool {
    loop {
        let Some(vacant) = label.header.vacant() else {
            return false;
        };
        if label.header.claim(vacant, LABEL) {
            // SAFETY: this thread has claimed the free slot, so no other touches the value before
            // it is published.
            label.value.with_mut(|value| unsafe { *value = made });
            label.header.publish(label.header.peek().with_state(TestState::Live));
            return true;
        }
    }
}

/// Two threads create on one label: one of them makes the object, and the other finds it whole.
#[test]
fn of_several_creators_one_makes_it_and_all_can_use_it() {
    loom::model(|| {
        let label = Arc::new(Counter::new());
        let threads: Vec<_> = (1..3)
            .map(|made| {
                let label = label.clone();
                loom::thread::spawn(move || {
                    let first = create_checked(&label, made);
                    let _locked = label.header.lock(LABEL).expect("there when it returns");
                    // SAFETY: this thread holds the header's lock, so no other touches the value
                    // now.
                    let value = label.value.with(|value| unsafe { *value });
                    assert!(value != 0 && (!first || value == made));
                    first
                })
            })
            .collect();
        let firsts = threads.into_iter().map(|thread| thread.join().expect("no panic")).filter(|&first| first);
        assert_eq!(firsts.count(), 1);
    });
}

/// An object that leaves its label to another ends while the other is made: the other has the label.
#[test]
fn a_label_that_is_left_has_the_next_object() {
    loom::model(|| {
        let label = Arc::new(Counter::new());
        assert!(create_checked(&label, 1));
        label.header.publish(label.header.peek().with_state(TestState::Left));
        let other = label.clone();
        let creator = loom::thread::spawn(move || {
            if !other.header.claim_from(TestState::Left, LABEL) {
                assert!(create_checked(&other, 2), "the label was given back");
                return;
            }
            // SAFETY: this thread has claimed the slot, so no other touches the value before it is
            // published.
            other.value.with_mut(|value| unsafe { *value = 2 });
            other.header.publish(other.header.peek().with_state(TestState::Live));
        });
        if let Some(mut locked) = label.header.lock(LABEL)
            && locked.word.state() == TestState::Left
        {
            // SAFETY: this thread holds the header's lock, so no other touches the value now.
            label.value.with_mut(|value| unsafe { *value = 0 });
            locked.word = locked.word.freed().expect("labels are not used up");
        }
        creator.join().expect("no panic");
        let locked = label.header.lock(LABEL).expect("there");
        assert_eq!(locked.word.state(), TestState::Live);
        // SAFETY: this thread holds the header's lock, so no other touches the value now.
        label.value.with(|value| assert_eq!(unsafe { *value }, 2));
    });
}

/// While the object of a label goes, another is made: it begins after the old one has ended.
#[test]
fn a_label_is_created_again_after_its_object_has_gone() {
    loom::model(|| {
        let label = Arc::new(Counter::new());
        assert!(create_checked(&label, 1));
        let other = label.clone();
        let creator = loom::thread::spawn(move || create_checked(&other, 2));
        {
            let mut locked = label.header.lock(LABEL).expect("there");
            // SAFETY: this thread holds the header's lock, so no other touches the value now.
            label.value.with_mut(|value| unsafe { assert_eq!(std::mem::take(&mut *value), 1) });
            locked.word = locked.word.freed().expect("labels are not used up");
        }
        let again = creator.join().expect("no panic");
        let there = label.header.lock(LABEL);
        assert_eq!(there.is_some(), again);
        if there.is_some() {
            // SAFETY: this thread holds the header's lock, so no other touches the value now.
            label.value.with(|value| assert_eq!(unsafe { *value }, 2));
        }
    });
}

/// An object as far as its remains go.
struct Remembered {
    header: Header<TestState>,
    /// 0 where there are none.
    mark: AtomicU64,
    other: AtomicU64,
}

impl Remembered {
    /// Makes an object in the free slot, whose other field begins with this.
    fn begin(&self, other: u64) {
        self.mark.store(0, Ordering::Relaxed);
        fence(Ordering::Release);
        self.other.store(other, Ordering::Relaxed);
        self.header.publish(self.header.peek().with_state(TestState::Live));
    }

    /// Ends the object of this generation. All leave the same mark.
    fn end(&self, generation: u32, other: Option<u64>) {
        let mut locked = self.header.lock(generation).expect("live");
        if let Some(other) = other {
            self.other.store(other, Ordering::Release);
        }
        self.mark.store(1, Ordering::Release);
        locked.word = locked.word.freed().expect("generations left");
    }

    fn read(&self, generation: u32) -> Option<u64> {
        let mark = || Some(self.mark.load(Ordering::Acquire)).filter(|&mark| mark != 0);
        let other = || self.other.load(Ordering::Relaxed);
        let (_, other) = self.header.read_remains(generation, mark, other)?;
        Some(other)
    }
}

/// What an object has left is read as it was, or not at all, while the slot is used anew by an object that has the
/// other field from its creation (as an EDT) or from its end (as an event), and leaves the same mark.
#[test]
fn remains_are_of_one_object() {
    for at_end in [false, true] {
        loom::model(move || {
            let slot =
                Arc::new(Remembered { header: Header::new(), mark: AtomicU64::new(0), other: AtomicU64::new(0) });
            let others = |number: u64| {
                if at_end { (9, Some(number)) } else { (number, None) }
            };
            let (begin, end) = others(1);
            slot.begin(begin);
            let reader = slot.clone();
            let reads = loom::thread::spawn(move || {
                for generation in [0, 1] {
                    let read = reader.read(generation);
                    let own = u64::from(generation) + 1;
                    assert!(read.is_none_or(|other| other == own), "{read:?}");
                }
            });
            slot.end(0, end);
            let (begin, end) = others(2);
            slot.begin(begin);
            slot.end(1, end);
            reads.join().expect("no panic");
            assert_eq!((slot.read(0), slot.read(1)), (None, Some(2)));
        });
    }
}
