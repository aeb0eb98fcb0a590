//! Functions of the program that have the names of the system's.
//!
//! A program may call a function of its own `shutdown` or `send`. The linker lets all libraries have it then, in place
//! of the system's function. Libraries for the network call those: `MPI_Finalize` would call the EDT `shutdown`. So
//! these names are hidden from libraries that are loaded from here on, before MPI is. The loader passes over a name
//! whose visibility in the symbol table is hidden, as the ELF specification has it. The program calls its own functions
//! without the loader, and goes on to do so. Libraries of the program that call one of these names for the first time
//! after that get the system's, too.

use std::ffi::{CStr, c_char};
use std::fs::File;
use std::os::unix::fs::FileExt;

/// What the libraries of MPI call of the system by its name, and a program may well call one of its own functions. Not
/// functions for memory: what a program has in their place is for all libraries.
const NAMES: [&CStr; 33] = [
    c"accept",
    c"access",
    c"bind",
    c"close",
    c"connect",
    c"dup",
    c"fork",
    c"index",
    c"kill",
    c"link",
    c"listen",
    c"nice",
    c"open",
    c"pause",
    c"pipe",
    c"poll",
    c"raise",
    c"random",
    c"read",
    c"recv",
    c"remove",
    c"rename",
    c"select",
    c"send",
    c"shutdown",
    c"signal",
    c"sleep",
    c"socket",
    c"sync",
    c"system",
    c"time",
    c"wait",
    c"write",
];

/// `STV_HIDDEN` of the ELF specification, and the bits of a symbol's `st_other` that are its visibility.
const HIDDEN: u8 = 2;
const VISIBILITY: u8 = 3;

unsafe extern "C" {
    /// Defined in `src/capi/loader.c`.
    fn ocrVisibilityOf(name: *const c_char) -> *mut u8;
}

/// Hides the program's functions of such names. The error is for people.
pub(super) fn hide() -> Result<(), String> {
    for name in NAMES {
        // SAFETY: the name is a C string.
        let place = unsafe { ocrVisibilityOf(name.as_ptr()) };
        if place.is_null() {
            continue;
        }
        // SAFETY: the place is in the program's table of symbols, which stays mapped, and nobody else writes there.
        let other = unsafe { place.read() };
        // The table cannot be written to by its address.
        let memory = File::options().write(true).open("/proc/self/mem");
        let hidden = memory.and_then(|memory| memory.write_all_at(&[other & !VISIBILITY | HIDDEN], place as u64));
        if let Err(error) = hidden {
            return Err(format!(
                "the program has a function {0} of its own, which MPI would call in place of the system's {0}, and it \
                 cannot be hidden: {error}. Give it another name, or declare it static",
                name.to_string_lossy()
            ));
        }
    }
    Ok(())
}
