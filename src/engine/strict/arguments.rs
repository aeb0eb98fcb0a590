//! The arguments of an EDT's function in strict mode: copies, between words that the function must not write.

use super::abort_on_misuse;
use crate::check::history::Who;
use crate::check::{Check, REDZONE_BYTE};
use crate::object::code::EdtDep;
use std::ptr;

/// The arguments that the function of an EDT gets in place of its own.
pub(crate) struct GuardedArguments {
    params: Guarded,
    deps: Guarded,
}

impl GuardedArguments {
    /// # Safety
    /// `paramv` has `paramc` elements, and `depv` has `depc`. Each may be null if there are none.
    pub(crate) unsafe fn copy(
        (paramc, paramv): (u32, *const u64),
        (depc, depv): (u32, *const EdtDep),
    ) -> GuardedArguments {
        GuardedArguments {
            // SAFETY: the caller promises that `paramv` has `paramc` elements, or is null if there are none.
            params: unsafe { Guarded::copy(paramv, paramc) },
            // SAFETY: the caller promises that `depv` has `depc` elements, or is null if there are none.
            deps: unsafe { Guarded::copy(depv, depc) },
        }
    }

    /// `paramv` and `depv` for the function; null where there are no elements.
    pub(crate) fn start(&mut self) -> (*mut u64, *mut EdtDep) {
        (self.params.start(), self.deps.start())
    }

    /// The function has returned: whether it has written beside them, and what is kept of them, since it may have left
    /// pointers to them behind.
    pub(crate) fn quarantine(self, check: &Check, who: Who) {
        for (name, copy) in [("paramv", self.params), ("depv", self.deps)] {
            if let Some(at) = copy.overrun() {
                abort_on_misuse(Err(check.beyond_argument(who, name, at, copy.len)));
            }
            if copy.len != 0 {
                abort_on_misuse(check.quarantine_argument(who, name, copy.words));
            }
        }
    }
}

/// A copy of an array that an EDT's function gets, with words on both sides that are not its own.
struct Guarded {
    words: Vec<u64>,
    len: usize,
    /// How many words an element has.
    each: usize,
}

/// How many words are looked at on each side: a multiple of those of `u64` and of `EdtDep`.
const AROUND: usize = 36;

impl Guarded {
    /// # Safety
    /// `start` has `len` elements; it may be null if there are none.
    #[inline(never)]
    unsafe fn copy<T>(start: *const T, len: u32) -> Guarded {
        const { assert!(size_of::<T>().is_multiple_of(size_of::<u64>())) };
        let (len, each) = (len as usize, size_of::<T>() / size_of::<u64>());
        let words = vec![MARK; AROUND + len * each + AROUND];
        let mut copy = Guarded { words, len, each };
        if len != 0 {
            // SAFETY: the caller promises that `start` has `len` elements; the copy is new and has room for them behind
            // its first words.
            unsafe { ptr::copy_nonoverlapping(start, copy.start(), len) };
        }
        copy
    }

    /// What the function gets: null if there are no elements.
    fn start<T>(&mut self) -> *mut T {
        match self.len {
            0 => ptr::null_mut(),
            _ => self.words.as_mut_ptr().wrapping_add(AROUND).cast(),
        }
    }

    /// The index of an element that is none of the array and was written. Not inlined: the EDT's function is not to
    /// run with the mark in a register, since a crash is explained by what registers have.
    #[inline(never)]
    fn overrun(&self) -> Option<i64> {
        let (before, rest) = self.words.split_at(AROUND);
        let behind = &rest[self.len * self.each..];
        let is_written = |word: &u64| *word != MARK;
        match behind.iter().position(is_written) {
            Some(at) => Some((self.len + at / self.each) as i64),
            None => (before.iter().rposition(is_written)).map(|at| -(((AROUND - 1 - at) / self.each) as i64) - 1),
        }
    }
}

const MARK: u64 = u64::from_ne_bytes([REDZONE_BYTE; 8]);
