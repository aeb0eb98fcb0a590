//! The word every object begins with, and the lock in it.
//!
//! ```text
//! 63..37       36..9   8      7..0
//! generation   count   lock   state (its meaning belongs to the kind of object; 0 is "free")
//! ```
//!
//! # Protocol
//!
//! | state of the word | who may touch the object's fields | leaves it by |
//! |---|---|---|
//! | free | the thread that took the slot from the arena | [`Header::publish`] |
//! | unlocked | nobody (the owner of an EDT that is past its pre-slots: see `edt.rs`) | [`Header::lock`] |
//! | locked | the thread whose compare-and-swap set the bit | dropping [`Locked`] |
//!
//! * `lock(generation)` succeeds only on a live slot of that generation, by one compare-and-swap
//!   (acquire). It pairs with the release store in `Locked::drop` and in `publish`: whoever locks
//!   sees every write made under the lock before, and the initialisation.
//! * A slot is freed under its lock: the store that unlocks it also sets state 0 and the next
//!   generation. So a thread that holds a GUID of an older generation fails in `lock`, and a
//!   thread that spins on the lock while the object is freed finds the generation changed.
//! * While a thread holds the bit it runs a bounded number of instructions, takes no other lock
//!   and calls nothing that blocks. If the system stops it there, others spin, yielding the
//!   processor after a few pauses; no cycle of waiting is possible.

use super::guid::GENERATION_BITS;
use crate::sync::{AtomicU64, Ordering, Spin};

const GENERATION_SHIFT: u32 = 64 - GENERATION_BITS;
const COUNT_SHIFT: u32 = 9;
const COUNT_BITS: u32 = GENERATION_SHIFT - COUNT_SHIFT;
const LOCK: u64 = 1 << 8;

/// The largest value of [`Word::count`].
pub const COUNT_MAX: u32 = (1 << COUNT_BITS) - 1;

/// The state of a slot that holds no object.
pub const FREE: u8 = 0;

/// The value of a header, without the lock bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word(u64);

impl Word {
    /// A word of these parts.
    pub fn new(generation: u32, count: u32, state: u8) -> Word {
        debug_assert!(count <= COUNT_MAX);
        Word((generation as u64) << GENERATION_SHIFT | (count as u64) << COUNT_SHIFT | state as u64)
    }

    /// How often the slot has been used before.
    pub fn generation(self) -> u32 {
        (self.0 >> GENERATION_SHIFT) as u32
    }

    /// The count: unsatisfied pre-slots, outstanding fetches (by kind and state of the object).
    pub fn count(self) -> u32 {
        (self.0 >> COUNT_SHIFT) as u32 & COUNT_MAX
    }

    /// The state; 0 is free.
    pub fn state(self) -> u8 {
        self.0 as u8
    }

    fn is_locked(self) -> bool {
        self.0 & LOCK != 0
    }

    /// The same word in another state.
    pub fn with_state(self, state: u8) -> Word {
        Word(self.0 & !0xff | state as u64)
    }

    /// The same word with another count.
    pub fn with_count(self, count: u32) -> Word {
        Word::new(self.generation(), count, self.state())
    }

    /// The word of the free slot after this object: the next generation, or `None` when the
    /// generations of this slot are used up and it must be retired.
    pub fn freed(self) -> Option<Word> {
        let next = self.generation() + 1;
        (next < 1 << GENERATION_BITS).then(|| Word::new(next, 0, FREE))
    }
}

/// The header of an object; see the module.
#[repr(transparent)]
pub struct Header(AtomicU64);

impl Header {
    /// The header of a free slot in its first generation.
    #[cfg(any(test, loom))]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Header {
        Header(AtomicU64::new(0))
    }

    /// The word as it is now; of use where the caller owns the object, or for a report.
    pub fn peek(&self) -> Word {
        Word(self.0.load(Ordering::Acquire) & !LOCK)
    }

    /// Makes a slot taken from the arena an object that can be found. Pairs with `lock`.
    pub fn publish(&self, word: Word) {
        self.0.store(word.0, Ordering::Release);
    }

    /// Locks the object if the slot is live and in `generation`.
    pub fn lock(&self, generation: u32) -> Option<Locked<'_>> {
        self.lock_if(|word| word.generation() == generation && word.state() != FREE)
    }

    /// Locks an object that the caller knows to be alive: it is linked, held or owned.
    pub fn lock_pinned(&self) -> Locked<'_> {
        match self.lock_if(|word| word.state() != FREE) {
            Some(locked) => locked,
            None => unreachable!("a pinned object was freed"),
        }
    }

    /// Changes the word of an object that the caller owns in one step. It is a compare-and-swap
    /// because a thread with a stale or wrong idea of the object may hold the lock for a moment.
    pub fn change(&self, to: Word) {
        let mut locked = self.lock_pinned();
        locked.word = to;
    }

    fn lock_if(&self, admits: impl Fn(Word) -> bool) -> Option<Locked<'_>> {
        let spin = Spin::default();
        let mut word = Word(self.0.load(Ordering::Relaxed));
        loop {
            if !admits(word) {
                return None;
            }
            if word.is_locked() {
                spin.wait();
                word = Word(self.0.load(Ordering::Relaxed));
                continue;
            }
            match self.0.compare_exchange_weak(
                word.0,
                word.0 | LOCK,
                Ordering::Acquire,
                Ordering::Relaxed,
            ) {
                Ok(_) => return Some(Locked { header: self, word }),
                Err(now) => word = Word(now),
            }
        }
    }
}

/// A locked header. `word` is what the header will be when this is dropped.
pub struct Locked<'a> {
    header: &'a Header,
    /// The value to be stored when the lock is given back.
    pub word: Word,
}

impl Locked<'_> {
    /// Takes one from the count and says what is left.
    pub fn count_down(&mut self) -> u32 {
        let left = self.word.count() - 1;
        self.word = self.word.with_count(left);
        left
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // Pairs with the compare-and-swap in `lock`.
        self.header.0.store(self.word.0, Ordering::Release);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn parts_of_the_word_do_not_overlap() {
        let word = Word::new((1 << GENERATION_BITS) - 1, COUNT_MAX, 0xff);
        assert_eq!(word.generation(), (1 << GENERATION_BITS) - 1);
        assert_eq!(word.count(), COUNT_MAX);
        assert_eq!(word.state(), 0xff);
        assert!(!word.is_locked());
        assert!(word.freed().is_none());
    }

    #[test]
    fn a_stale_generation_does_not_lock() {
        let header = Header::new();
        assert!(header.lock(0).is_none(), "the slot is free");
        header.publish(Word::new(3, 0, 1));
        assert!(header.lock(2).is_none());
        let mut locked = header.lock(3).expect("live and of this generation");
        locked.word = locked.word.freed().expect("generations left");
        drop(locked);
        assert!(header.lock(3).is_none());
        assert_eq!(header.peek(), Word::new(4, 0, FREE));
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;

    struct Counter {
        header: Header,
        value: UnsafeCell<u32>,
    }

    // SAFETY: `value` is touched under the header's lock alone; the model checks just that.
    unsafe impl Sync for Counter {}
    // SAFETY: nothing in it belongs to a thread.
    unsafe impl Send for Counter {}

    /// Two threads write under the lock; a third's stale generation never gets in.
    #[test]
    fn lock_excludes_and_stale_fails() {
        loom::model(|| {
            let counter = Arc::new(Counter {
                header: Header::new(),
                value: UnsafeCell::new(0),
            });
            counter.header.publish(Word::new(1, 0, 1));
            let threads: Vec<_> = (0..2)
                .map(|_| {
                    let counter = counter.clone();
                    loom::thread::spawn(move || {
                        if let Some(_locked) = counter.header.lock(1) {
                            // SAFETY: the lock is held.
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
            // SAFETY: the lock is held.
            counter.value.with(|value| assert_eq!(unsafe { *value }, 2));
        });
    }

    /// One thread frees and reuses the slot while another holds its old GUID: the other either
    /// acts on the old object before it is freed, or not at all.
    #[test]
    fn reuse_is_never_seen_by_a_stale_guid() {
        loom::model(|| {
            let counter = Arc::new(Counter {
                header: Header::new(),
                value: UnsafeCell::new(0),
            });
            counter.header.publish(Word::new(1, 0, 1));
            let other = counter.clone();
            let stale = loom::thread::spawn(move || {
                if let Some(_locked) = other.header.lock(1) {
                    // SAFETY: the lock is held.
                    other.value.with_mut(|value| unsafe { *value = 7 });
                }
            });
            let mut locked = counter.header.lock(1).expect("live");
            locked.word = locked.word.freed().expect("generations left");
            drop(locked);
            // SAFETY: the slot is free and this thread is the one that reuses it.
            counter.value.with_mut(|value| unsafe { *value = 0 });
            counter.header.publish(Word::new(2, 0, 1));
            stale.join().expect("no panic");
            let _locked = counter.header.lock(2).expect("live");
            // SAFETY: the lock is held.
            counter.value.with(|value| assert_eq!(unsafe { *value }, 0));
        });
    }
}
