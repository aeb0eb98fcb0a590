//! Whether the program's global variables have changed, in verification mode: an EDT that changes them cannot be
//! undone, and so is not run twice on purpose.
//!
//! The segments of the program's own file that can be written are looked at, before the function is called and after
//! it. What other threads change meanwhile counts, too: then an EDT runs once that might have run twice. What a
//! variable points to, as memory of `malloc`, is not looked at. In a program that is linked with `libocr.a` those
//! segments are the runtime's as well, and always change.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::sync::OnceLock;

/// A checksum of the program's global variables, which may be many.
#[derive(PartialEq, Eq)]
pub(super) struct Globals(u64);

/// A checksum of some words and one more.
fn mix(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

/// Where they are, read once: the program's own file is never unloaded.
static WHERE: OnceLock<Vec<Range<usize>>> = OnceLock::new();

impl Globals {
    pub(super) fn look() -> Globals {
        let words = WHERE.get_or_init(find).iter().flat_map(|range| range.clone().step_by(size_of::<u64>()));
        // SAFETY: the word is in a segment of the program that can be read and is never unloaded, and is aligned, since
        // `find` rounds the ends. The read is volatile, since other threads may write there now.
        Globals(words.map(|at| unsafe { (at as *const u64).read_volatile() }).fold(1, mix))
    }

    /// Whether they are as they were.
    pub(super) fn is_as_now(&self) -> bool {
        Globals::look() == *self
    }
}

/// The segments of the program's own file that can be written, without what the loader has closed.
fn find() -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // SAFETY: `look_at_first` has the form that the call asks for, and gets the vector, which stays until it returns.
    unsafe { libc::dl_iterate_phdr(Some(look_at_first), (&raw mut found).cast()) };
    found
}

/// Looks at the first file that is loaded, which is the program's.
///
/// # Safety
/// `info` is what `dl_iterate_phdr` passes, and `found` the vector of `find`.
unsafe extern "C" fn look_at_first(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    const WORD: usize = size_of::<u64>();
    // SAFETY: the loader passes a description that stays as it is during the call.
    let info = unsafe { &*info };
    // SAFETY: the caller passes the vector of `find`, which nothing else uses during the call.
    let found = unsafe { &mut *found.cast::<Vec<Range<usize>>>() };
    // SAFETY: the loader says how many headers there are, and they stay as long as the file is loaded.
    let parts = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) };
    let range = |part: &libc::Elf64_Phdr| {
        let start = info.dlpi_addr as usize + part.p_vaddr as usize;
        start..start + part.p_memsz as usize
    };
    let closed = parts.iter().find(|part| part.p_type == libc::PT_GNU_RELRO).map(range).unwrap_or_default();
    for part in parts.iter().filter(|part| part.p_type == libc::PT_LOAD && part.p_flags & libc::PF_W != 0) {
        let whole = range(part);
        // What is closed stands first.
        let start = if whole.contains(&closed.start) { closed.end } else { whole.start };
        let (start, end) = (start.next_multiple_of(WORD), whole.end & !(WORD - 1));
        if start < end {
            found.push(start..end);
        }
    }
    1
}

#[cfg(all(test, not(loom), not(miri)))]
mod tests {
    use super::*;

    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn a_variable_that_changes_is_seen() {
        static VARIABLE: AtomicU64 = AtomicU64::new(1);

        let within = (&raw const VARIABLE).addr();
        let before = Globals::look();
        assert!(WHERE.get().is_some_and(|all| all.iter().any(|range| range.contains(&within))));
        VARIABLE.store(2, Ordering::Relaxed);
        assert!(!before.is_as_now());
    }
}
