//! The word every object begins with, and the lock in it.
//!
//! ```text
//! 63..37       36..9   8      7..0
//! generation   count   lock   state (one of those of the kind of object, see [`State`]; 0 is "free")
//! ```
//!
//! # Protocol
//!
//! | state of the word | touches the object's fields | leaves it by |
//! |---|---|---|
//! | free | the thread that took the slot from the arena | [`Header::publish`] |
//! | unlocked | no thread (but the owner of an EDT that is past its pre-slots: see `edt/mod.rs`) | [`Header::lock`] |
//! | locked | the thread whose compare-and-swap set the bit | dropping [`Locked`] |
//!
//! * `lock(generation)` succeeds only on a live slot of that generation, by one compare-and-swap
//!   (acquire). It pairs with the release store in `Locked::drop` and in `publish`: a thread that
//!   locks sees every write made under the lock before, and the initialisation.
//! * A slot is freed under its lock: the store that unlocks it also sets state 0 and the next
//!   generation. So a thread that holds a GUID of an older generation fails in `lock`, and a
//!   thread that spins on the lock while the object is freed finds the generation changed.
//! * While a thread holds the bit it runs a bounded number of instructions, waits for no other lock
//!   (but that of the table of hints, under which nothing is locked) and calls nothing that blocks.
//!   Another header may be tried ([`Header::try_lock_pinned`]), which gives up where it is locked. If
//!   the system stops the thread there, others spin, yielding the processor after a few pauses; no
//!   cycle of waiting is possible.
//!
//! # Labels
//!
//! A slot that is set apart for a label keeps its generation when it is freed, so that the GUID
//! that the program knows names whatever object is there. No thread owns such a slot while it is free:
//! a thread that wants to make an object in it [claims](Header::claim) it first, by setting the
//! lock bit of the free word. That is one compare-and-swap, so of the threads that try at a time
//! one succeeds. The others wait until it has published the object (or has given up), and then find
//! it. `lock` does not wait: a label whose object is not published names none.
//!
//! # Remains
//!
//! What an object has left in a free slot can be read as long as no thread makes another object there
//! ([`Header::read_remains`]). The thread that takes the slot from the arena does not look at the
//! header, so one field of the object, its *mark*, tells the reader of it. All fields that are read are atomic:
//!
//! | step | who | does |
//! |---|---|---|
//! | 1 | creation | clears the mark, then a release fence, then writes the other fields, then publishes |
//! | 2 | end | under the lock: writes the other fields, then sets the mark, with release stores; then the header is free, in the next generation |
//! | 3 | reader | finds the header free in the next generation (acquire), and the mark set (acquire); reads the other fields |
//! | 4 | reader | after an acquire fence: finds the same mark (acquire), and then the same header |
//!
//! A field that the reader has got from a later creation comes after step 1 of that, so it finds the mark cleared in
//! step 4, or one that is set later. A field or a mark that it has got from a later end comes after the publication of
//! that object, so it finds another header. A label keeps its generation, so it has no remains. So does an object that
//! a node has made for another one; but no later object is of that generation, so the header is free in it.

use super::guid::{FIRST_LABEL_GENERATION, GENERATION_BITS};
use super::saved::{Saved, malformed};
use super::zone::is_made_for_other;
use ocr_base::sync::{AtomicU64, Ordering, Spin, fence, preemption_point};
use std::fmt::Debug;
use std::io;
use std::marker::PhantomData;
use std::mem;

const GENERATION_SHIFT: u32 = 64 - GENERATION_BITS;
const COUNT_SHIFT: u32 = 9;
const COUNT_BITS: u32 = GENERATION_SHIFT - COUNT_SHIFT;
const LOCK: u64 = 1 << 8;

/// The largest value of [`Word::count`].
pub(crate) const COUNT_MAX: u32 = (1 << COUNT_BITS) - 1;

/// The states of a kind of object.
///
/// # Safety
/// The type is an enum with `repr(u8)`, and has a variant whose number is 0: [`State::FREE`].
pub unsafe trait State: Copy + Eq + Debug {
    /// The state of a slot that holds no object.
    const FREE: Self;

    /// The number of the state.
    fn bits(self) -> u8;

    /// Whether a state has this number.
    fn has(bits: u8) -> bool;
}

/// Makes an enum the states of a kind of object: it has [`State::FREE`] besides those that are named.
macro_rules! states {
    ($(#[$about:meta])* $vis:vis enum $name:ident { $($(#[$doc:meta])* $state:ident = $bits:literal,)+ }) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        $vis enum $name {
            /// The slot holds no object.
            Free = 0,
            $($(#[$doc])* $state = $bits,)+
        }

        // SAFETY: the enum has `repr(u8)`, and `Free` is 0.
        unsafe impl $crate::object::header::State for $name {
            const FREE: Self = $name::Free;

            #[inline(always)]
            fn bits(self) -> u8 {
                self as u8
            }

            fn has(bits: u8) -> bool {
                [0 $(, $bits)+].contains(&bits)
            }
        }
    };
}
pub(crate) use states;

/// The value of a header, without the lock bit. Its lowest byte is the number of a state of `S`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<S: State>(u64, PhantomData<S>);

impl<S: State> Word<S> {
    /// `bits` came from a header or a word of this kind of object, or have the number of a state in the lowest byte.
    const fn of(bits: u64) -> Word<S> {
        Word(bits, PhantomData)
    }

    /// A word of these parts.
    pub fn new(generation: u32, count: u32, state: S) -> Word<S> {
        debug_assert!(count <= COUNT_MAX);
        Word::of((generation as u64) << GENERATION_SHIFT | (count as u64) << COUNT_SHIFT | state.bits() as u64)
    }

    /// How often the slot has been used before.
    pub fn generation(self) -> u32 {
        (self.0 >> GENERATION_SHIFT) as u32
    }

    /// The count: unsatisfied pre-slots, outstanding fetches (by kind and state of the object).
    pub fn count(self) -> u32 {
        (self.0 >> COUNT_SHIFT) as u32 & COUNT_MAX
    }

    /// The state of the object.
    #[inline(always)]
    pub fn state(self) -> S {
        const { assert!(size_of::<S>() == 1) };
        let bits = self.0 as u8;
        // SAFETY: `S` is an enum of one byte. The lowest byte of a word is the number of one of its states: it was put
        // there by `new` or `with_state`, or is 0 in a slot that was never used.
        unsafe { mem::transmute_copy::<u8, S>(&bits) }
    }

    fn is_locked(self) -> bool {
        self.0 & LOCK != 0
    }

    /// Returns the word with another state and the same generation and count.
    pub fn with_state(self, state: S) -> Word<S> {
        Word::of(self.0 & !0xff | state.bits() as u64)
    }

    /// Returns the word with another generation and the same count and state.
    pub fn with_generation(self, generation: u32) -> Word<S> {
        Word::new(generation, self.count(), self.state())
    }

    /// Returns the word with another count and the same generation and state.
    pub fn with_count(self, count: u32) -> Word<S> {
        Word::new(self.generation(), count, self.state())
    }

    /// Whether the slot is set apart for a label: the generation has its highest bit.
    pub fn is_label(self) -> bool {
        self.generation() >= FIRST_LABEL_GENERATION
    }

    /// The word of the free slot after this object: the next generation, or the same one for a
    /// label; `None` when the generations of this slot are used up and it must be retired.
    pub fn freed(self) -> Option<Word<S>> {
        self.freed_beyond(0)
    }

    /// As [`Word::freed`], where the lowest bits of a generation, which are set in `low`, do not count: they are 0
    /// again in the next one.
    pub fn freed_beyond(self, low: u32) -> Option<Word<S>> {
        if self.is_label() {
            return Some(Word::new(self.generation(), 0, S::FREE));
        }
        let next = (self.generation() | low) + 1;
        (next < FIRST_LABEL_GENERATION).then(|| Word::new(next, 0, S::FREE))
    }
}

/// The header of an object; see the module.
#[repr(transparent)]
pub struct Header<S: State>(AtomicU64, PhantomData<S>);

impl<S: State> Header<S> {
    /// The header of a free slot in its first generation.
    #[cfg(any(test, loom))]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Header<S> {
        Header(AtomicU64::new(0), PhantomData)
    }

    /// The word as it is now; of use where the caller owns the object, or for a report.
    pub fn peek(&self) -> Word<S> {
        Word::of(self.0.load(Ordering::Acquire) & !LOCK)
    }

    /// Whether nothing was ever in the slot.
    pub(super) fn is_new(&self) -> bool {
        self.peek().0 == 0
    }

    /// Passes the word through a checkpoint.
    pub(super) fn pass(&self, file: &mut Saved<'_>) -> io::Result<Word<S>> {
        let bits = file.word(self.peek().0)?;
        if bits & LOCK != 0 || !S::has(bits as u8) {
            return Err(malformed());
        }
        let word = Word::of(bits);
        if file.restores() {
            self.publish(word);
        }
        Ok(word)
    }

    /// Makes a slot taken from the arena an object that can be found. Pairs with `lock`.
    pub fn publish(&self, word: Word<S>) {
        preemption_point(300);
        self.0.store(word.0, Ordering::Release);
    }

    /// Locks the object if the slot is live and in `generation`.
    #[inline(always)]
    pub fn lock(&self, generation: u32) -> Option<Locked<'_, S>> {
        self.lock_if(move |word| word.generation() == generation && word.state() != S::FREE)
    }

    /// Locks an object that the caller knows to be alive: it is linked, held or owned.
    #[inline(always)]
    pub fn lock_pinned(&self) -> Locked<'_, S> {
        match self.lock_if(|word| word.state() != S::FREE) {
            Some(locked) => locked,
            None => unreachable!("a pinned object was freed"),
        }
    }

    /// Locks a pinned object, as [`Header::lock_pinned`] does, but gives `None` where it is locked.
    /// A thread that has locked another header may call this, since it never waits.
    pub fn try_lock_pinned(&self) -> Option<Locked<'_, S>> {
        let word = Word::of(self.0.load(Ordering::Relaxed) & !LOCK);
        match self.0.compare_exchange(word.0, word.0 | LOCK, Ordering::Acquire, Ordering::Relaxed) {
            Ok(_) => Some(Locked { header: self, word }),
            // No `Locked` is made: dropping it would unlock.
            Err(_) => None,
        }
    }

    /// What is in the slot of a label: the word of the free slot, or `None` if there is an object.
    /// Waits while one is being made.
    pub fn vacant(&self) -> Option<Word<S>> {
        let spin = Spin::default();
        loop {
            let word = Word::of(self.0.load(Ordering::Acquire));
            if word.state() != S::FREE {
                return None;
            }
            if !word.is_locked() {
                return Some(word);
            }
            spin.wait();
        }
    }

    /// Whether nothing is in the slot of a label, and nothing is being made in it.
    pub fn is_vacant(&self) -> bool {
        let word = Word::<S>::of(self.0.load(Ordering::Acquire));
        word.state() == S::FREE && !word.is_locked()
    }

    /// Whether the slot of a label has had no object in this generation, which is the label's. Waits while
    /// one is being made.
    pub fn is_awaited(&self, generation: u32) -> bool {
        self.vacant().is_some_and(|word| word.generation() != generation)
    }

    /// Claims the slot of a label that was found `vacant`, in the generation of the label, which a
    /// slot takes on when it is first used. The caller makes an object and publishes it, or
    /// publishes the free word. False if another thread was first. Pairs with the release stores in
    /// `publish` and `Locked::drop`: what the last object of the label wrote comes before.
    #[must_use]
    pub fn claim(&self, vacant: Word<S>, generation: u32) -> bool {
        let claimed = Word::new(generation, vacant.count(), S::FREE);
        self.0.compare_exchange(vacant.0, claimed.0 | LOCK, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Sets the count of the object that the caller is making in a slot that it has claimed.
    pub fn count_claimed(&self, count: u32) {
        // No other thread writes to it before it is published, and a thread that reads it learns only that it is
        // claimed.
        let word = self.peek().with_count(count);
        self.0.store(word.0 | LOCK, Ordering::Relaxed);
    }

    /// Claims the slot of a label from an object that leaves it to another, which is in `state`: as
    /// [`Header::claim`]. False if no such object is there.
    #[must_use]
    pub fn claim_from(&self, state: S, generation: u32) -> bool {
        let locked = self.lock_if(|word| word.generation() == generation && word.state() == state);
        let Some(mut locked) = locked else {
            return false;
        };
        // Dropping it stores the word of a claimed slot.
        locked.word = Word::of(Word::new(generation, 0, S::FREE).0 | LOCK);
        true
    }

    /// Reads what the object of this generation has left in its slot, if no other object has been begun there since.
    /// `mark` reads the field that tells that, with acquire, and answers what it says, if it is set.
    pub fn read_remains<M: Copy + Eq, T>(
        &self,
        generation: u32,
        mark: impl Fn() -> Option<M>,
        others: impl FnOnce() -> T,
    ) -> Option<(M, T)> {
        let freed = match generation {
            ..FIRST_LABEL_GENERATION => generation + 1,
            made if is_made_for_other(made) => made,
            _ => return None,
        };
        let free = Word::<S>::new(freed, 0, S::FREE).0;
        // Pairs with the release store in `Locked::drop` that has freed the object.
        let is_free = || self.0.load(Ordering::Acquire) == free;
        let before = is_free().then(&mark)??;
        preemption_point(30);
        let others = others();
        // Pairs with the release fence, or store, before what a later object has written.
        fence(Ordering::Acquire);
        preemption_point(30);
        (mark() == Some(before) && is_free()).then_some((before, others))
    }

    #[inline(always)]
    fn lock_if(&self, admits: impl Fn(Word<S>) -> bool) -> Option<Locked<'_, S>> {
        preemption_point(300);
        let word = Word::of(self.0.load(Ordering::Relaxed));
        if !admits(word) {
            return None;
        }
        if !word.is_locked()
            && self.0.compare_exchange(word.0, word.0 | LOCK, Ordering::Acquire, Ordering::Relaxed).is_ok()
        {
            return Some(Locked { header: self, word });
        }
        self.wait_and_lock_if(admits)
    }

    /// Apart from `lock_if`, which is then small enough to be part of its callers.
    #[cold]
    #[inline(never)]
    fn wait_and_lock_if(&self, admits: impl Fn(Word<S>) -> bool) -> Option<Locked<'_, S>> {
        let spin = Spin::default();
        let mut word = Word::of(self.0.load(Ordering::Relaxed));
        loop {
            if !admits(word) {
                return None;
            }
            if word.is_locked() {
                spin.wait();
                word = Word::of(self.0.load(Ordering::Relaxed));
                continue;
            }
            match self.0.compare_exchange_weak(word.0, word.0 | LOCK, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some(Locked { header: self, word }),
                Err(now) => word = Word::of(now),
            }
        }
    }
}

/// A locked header. `word` is what the header will be when this is dropped.
pub struct Locked<'a, S: State> {
    header: &'a Header<S>,
    /// The value to be stored when the lock is given back.
    pub word: Word<S>,
}

impl<S: State> Locked<'_, S> {
    /// Whether this header is the one that is locked.
    pub fn is_of(&self, header: &Header<S>) -> bool {
        std::ptr::eq(self.header, header)
    }

    /// Takes one from the count and says what is left.
    pub fn count_down(&mut self) -> u32 {
        debug_assert!(self.word.count() > 0);
        self.word = Word::of(self.word.0 - (1 << COUNT_SHIFT));
        self.word.count()
    }
}

impl<S: State> Drop for Locked<'_, S> {
    fn drop(&mut self) {
        // Pairs with the compare-and-swap in `lock`.
        self.header.0.store(self.word.0, Ordering::Release);
        preemption_point(300);
    }
}

#[cfg(test)]
states! {
    /// The states of an object in tests.
    pub(crate) enum TestState {
        /// The object can be locked.
        Live = 1,
        /// The object leaves its label to another.
        #[cfg_attr(not(loom), allow(dead_code))]
        Left = 2,
        /// The number takes all bits.
        #[cfg_attr(loom, allow(dead_code))]
        Last = 0xff,
    }
}

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod loom_models;
