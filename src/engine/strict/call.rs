//! How the function of an EDT is called in strict mode: with copies of its arguments, between words that it must not write.

use super::insist;
use crate::check::REDZONE_BYTE;
use crate::check::history::Who;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::user_call::ocr_call_edt;
use crate::object::code::EdtDep;
use crate::object::guid::Guid;
use std::ptr;

/// What a worker calls in place of an EDT's function.
///
/// # Safety
/// As for the function, by a worker whose current EDT this is.
pub(crate) unsafe extern "C" fn call_checked(
    paramc: u32,
    paramv: *mut u64,
    depc: u32,
    depv: *mut EdtDep,
) -> Guid {
    let at_work = || {
        let context = Context::get()?;
        // SAFETY: this thread's, and no reference into it is alive while it runs an EDT's function.
        let context = unsafe { &mut *context };
        let (edt, check) = (context.current?, context.runtime.check.as_deref()?);
        Some((context, edt, check))
    };
    let begun = at_work().and_then(|(context, edt, check)| {
        context.check_begin(check, edt);
        edt.work().function
    });
    let Some(function) = begun else {
        fatal(
            "strict mode was to call an EDT's function where there is none: this is a fault of the runtime",
        );
    };
    // SAFETY: the worker that calls this passes an EDT's `paramv`, which has `paramc` elements or is null if there are
    // none.
    let mut params = unsafe { Guarded::copy(paramv, paramc) };
    // SAFETY: the worker that calls this passes an EDT's `depv`, which has `depc` elements or is null if there are
    // none.
    let mut deps = unsafe { Guarded::copy(depv, depc) };
    let (paramv, depv) = (params.start(), deps.start());
    let call = at_work().and_then(|(context, _, _)| context.begin_call());
    // SAFETY: `function` is that of the EDT whose arguments these are; both copies have as many elements as the
    // originals.
    let result = unsafe { ocr_call_edt(paramc, paramv, depc, depv, function) };
    if let Some((context, edt, check)) = at_work() {
        if let Some(call) = call {
            call.end(context);
        }
        for (name, copy) in [("paramv", params), ("depv", deps)] {
            let who = Who::of(edt);
            if let Some(at) = copy.overrun() {
                insist(Err(check.beyond_argument(who, name, at, copy.len)));
            }
            if copy.len != 0 {
                insist(check.outlived(who, name, copy.words));
            }
        }
        context.check_end(check, edt, result);
    }
    result
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
    /// run with the mark in a register, since a crash is told by what registers have.
    #[inline(never)]
    fn overrun(&self) -> Option<i64> {
        let (before, rest) = self.words.split_at(AROUND);
        let behind = &rest[self.len * self.each..];
        let is_written = |word: &u64| *word != MARK;
        match behind.iter().position(is_written) {
            Some(at) => Some((self.len + at / self.each) as i64),
            None => (before.iter().rposition(is_written))
                .map(|at| -(((AROUND - 1 - at) / self.each) as i64) - 1),
        }
    }
}

const MARK: u64 = u64::from_ne_bytes([REDZONE_BYTE; 8]);
