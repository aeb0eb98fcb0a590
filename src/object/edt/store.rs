//! Where EDTs are kept: an arena for each of three sizes, and one for those whose pre-slots and
//! parameters do not fit and stand in an allocation of their own.

use super::{Edt, RUNNABLE};
use crate::object::arena::{Arena, Cache, Slot};
use crate::object::guid::{Guid, Kind};
use crate::object::header::{Header, Locked};
use std::cell::Cell;

/// Words behind the fields, by kind.
const WORDS: [usize; 3] = [8, 24, 56];

/// An EDT and `N` words.
#[repr(C, align(64))]
pub struct Sized<const N: usize> {
    pub(super) edt: Edt,
    words: [Cell<u64>; N],
}

// SAFETY: as for `Edt`; the words belong to the EDT.
unsafe impl<const N: usize> Sync for Sized<N> {}

// SAFETY: zero is a free EDT; 64 + 8 * N is 128, 256 or 512; the fields are fixed.
unsafe impl<const N: usize> Slot for Sized<N> {
    fn header(&self) -> &Header {
        &self.edt.header
    }
    fn next_free(&self) -> &Cell<u32> {
        &self.edt.index
    }
}

/// The words of an EDT that has too many for a slot.
#[repr(C)]
pub(super) struct Allocation {
    pub(super) words: *mut u64,
    pub(super) len: usize,
}

fn free_words(edt: &Edt) {
    let none = Allocation {
        words: std::ptr::null_mut(),
        len: 0,
    };
    // SAFETY: the EDT is of the kind that begins its words with this.
    let Allocation { words, len } = unsafe { edt.allocation().replace(none) };
    if words.is_null() {
        // A slot whose generations are used up.
        return;
    }
    // SAFETY: `allocate` leaked this box, and the EDT is not used any more.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(words, len)) });
}

/// The EDTs of all sizes.
#[derive(Default)]
pub struct Edts {
    small: Arena<Sized<{ WORDS[0] }>>,
    medium: Arena<Sized<{ WORDS[1] }>>,
    large: Arena<Sized<{ WORDS[2] }>>,
    huge: Arena<Sized<{ WORDS[0] }>>,
}

/// A thread's free EDT slots of all sizes.
#[derive(Default)]
pub struct EdtCaches([Cache; 4]);

macro_rules! by_kind {
    ($self:ident, $kind:expr, $arena:ident => $body:expr) => {
        match $kind {
            Kind::EdtSmall => {
                let $arena = &$self.small;
                $body
            }
            Kind::EdtMedium => {
                let $arena = &$self.medium;
                $body
            }
            Kind::EdtLarge => {
                let $arena = &$self.large;
                $body
            }
            _ => {
                let $arena = &$self.huge;
                $body
            }
        }
    };
}

impl Edts {
    /// Takes a slot for an EDT with so many pre-slots and words of parameters. The EDT is free;
    /// pre-slots are unconnected, `index`, `kind`, `depc` are set. `None` when memory is used up.
    #[inline]
    pub fn allocate(&self, caches: &mut EdtCaches, depc: u32, param_words: usize) -> Option<&Edt> {
        let words = 2 * depc as usize + param_words;
        let kind = match words {
            _ if words <= WORDS[0] => Kind::EdtSmall,
            _ if words <= WORDS[1] => Kind::EdtMedium,
            _ if words <= WORDS[2] => Kind::EdtLarge,
            _ => Kind::EdtHuge,
        };
        let cache = &mut caches.0[kind as usize - Kind::EdtSmall as usize];
        let (index, edt) = by_kind!(self, kind, arena => {
            let (index, slot) = arena.allocate(cache)?;
            (index, &slot.edt)
        });
        edt.index.set(index);
        edt.kind.set(kind as u8);
        edt.depc.set(depc);
        if kind == Kind::EdtHuge {
            let mut memory = Vec::<u64>::new();
            if memory.try_reserve_exact(words).is_err() {
                by_kind!(self, kind, arena => arena.free(cache, index));
                return None;
            }
            memory.resize(words, 0);
            let words = Box::leak(memory.into_boxed_slice());
            let allocation = Allocation {
                words: words.as_mut_ptr(),
                len: words.len(),
            };
            // SAFETY: an EDT of this kind begins its words with this, and nobody else knows it.
            unsafe { edt.allocation().write(allocation) };
        }
        for slot in edt.slots() {
            slot.clear();
        }
        Some(edt)
    }

    /// Takes back an EDT that was allocated and never published.
    pub fn give_back(&self, caches: &mut EdtCaches, edt: &Edt) {
        // A moment of life, since what is freed must have lived.
        edt.header.publish(edt.header.peek().with_state(RUNNABLE));
        self.free(caches, edt);
    }

    /// Takes back an EDT that the caller owns.
    #[inline]
    pub fn free(&self, caches: &mut EdtCaches, edt: &Edt) {
        let kind = edt.kind();
        let index = edt.index.get();
        if kind == Kind::EdtHuge {
            free_words(edt);
        }
        let word = edt.header.peek().freed();
        // The generations of the slot are used up: it stays as it is, and is never handed out again.
        let Some(word) = word else { return };
        edt.header.change(word);
        let cache = &mut caches.0[kind as usize - Kind::EdtSmall as usize];
        by_kind!(self, kind, arena => arena.free(cache, index));
    }

    /// The EDT in slot `index` of the arena of `kind`, live or free.
    #[inline]
    pub fn get(&self, kind: Kind, index: u32) -> Option<&Edt> {
        by_kind!(self, kind, arena => Some(&arena.get(index)?.edt))
    }

    /// Locks the EDT of this GUID, if it is alive.
    #[inline]
    pub fn lock(&self, guid: Guid) -> Option<(&Edt, Locked<'_>)> {
        let kind = guid.kind().filter(|kind| kind.is_edt())?;
        let edt = self.get(kind, guid.index())?;
        Some((edt, edt.header.lock(guid.generation())?))
    }

    /// All EDTs that are alive.
    pub fn live(&self) -> impl Iterator<Item = &Edt> {
        let small = self.small.live().map(|(_, _, slot)| &slot.edt);
        let medium = self.medium.live().map(|(_, _, slot)| &slot.edt);
        let large = self.large.live().map(|(_, _, slot)| &slot.edt);
        let huge = self.huge.live().map(|(_, _, slot)| &slot.edt);
        small.chain(medium).chain(large).chain(huge)
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, caches: &mut EdtCaches) {
        self.small.drain(&mut caches.0[0]);
        self.medium.drain(&mut caches.0[1]);
        self.large.drain(&mut caches.0[2]);
        self.huge.drain(&mut caches.0[3]);
    }
}

impl Drop for Edts {
    fn drop(&mut self) {
        for (_, _, slot) in self.huge.live() {
            free_words(&slot.edt);
        }
    }
}
