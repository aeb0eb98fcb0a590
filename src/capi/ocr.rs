//! `ocr.h`: starting and ending, and the program's arguments.

use crate::capi::{elsewhere, guard, sys, with};
use crate::engine::run::{serve, shutdown, start};
use crate::engine::state::end;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;

export! {
    /// Ends the program, or the run of a program with its own `main`. OCR 1.1.0, 2.3.1.
    fn ocrShutdown() -> (), or (); {
        with((), |context| context.runtime.shutdown());
    }

    /// Ends the program with `error_code` as its exit status, or the run of a program with its own `main`.
    /// OCR 1.1.0, 2.3.2.
    fn ocrAbort(error_code: u8) -> (), or (); { shutdown::abort(error_code as i32); }

    /// How many arguments the program has, by the content of the block that `mainEdt` got. OCR 1.1.0, 2.3.3.
    fn getArgc(db_ptr: *mut c_void) -> u64, or 0; {
        // SAFETY: the caller passes the block that `mainEdt` got.
        unsafe { argument_count(db_ptr) }
    }

    /// How many arguments the program has: the name of `getArgc` in OCR 1.2.
    fn ocrGetArgc(db_ptr: *mut c_void) -> u64, or 0; {
        // SAFETY: the caller passes the block that `mainEdt` got.
        unsafe { argument_count(db_ptr) }
    }

    /// The text of an argument, a C string inside the block that `mainEdt` got. Null where there is no such argument.
    /// OCR 1.1.0, 2.3.4.
    fn getArgv(db_ptr: *mut c_void, count: u64) -> *mut c_char, or std::ptr::null_mut(); {
        // SAFETY: the caller passes the block that `mainEdt` got.
        unsafe { argument(db_ptr, count) }
    }

    /// The text of an argument: the name of `getArgv` in OCR 1.2.
    fn ocrGetArgv(db_ptr: *mut c_void, count: u64) -> *mut c_char, or std::ptr::null_mut(); {
        // SAFETY: the caller passes the block that `mainEdt` got.
        unsafe { argument(db_ptr, count) }
    }
}

/// How many arguments a block has that `mainEdt` got; 0 for null.
///
/// # Safety
/// `block` is null or the content of the block that `mainEdt` got.
unsafe fn argument_count(block: *mut c_void) -> u64 {
    // SAFETY: the caller passes null or the content of that block, which begins with the count, a word.
    unsafe { block.cast::<u64>().as_ref() }.copied().unwrap_or(0)
}

/// The C string of argument `index`, inside the block. Null where there is no such argument, and for a null block.
///
/// # Safety
/// `block` is null or the content of the block that `mainEdt` got.
unsafe fn argument(block: *mut c_void, index: u64) -> *mut c_char {
    // SAFETY: the caller passes null or the content of the block that `mainEdt` got, as `argument_count` asks.
    if index >= unsafe { argument_count(block) } {
        return std::ptr::null_mut();
    }
    // SAFETY: the index is below the count, so the block is not null. It begins with the count, and one offset, a word,
    // for each argument follows; so word `index + 1` is in the block and initialized.
    let offset = unsafe { block.cast::<u64>().wrapping_add(index as usize + 1).read() };
    block.cast::<c_char>().wrapping_add(offset as usize)
}

/// The message for a program that has no `mainEdt`, or that does not show it to the shared library.
const NO_MAIN_EDT: &str = "\
ocr: error: the program defines neither mainEdt nor main
  what to do: Define ocrGuid_t mainEdt(u32 paramc, u64 *paramv, u32 depc, ocrEdtDep_t depv[]), \
not static and in no namespace. If it is there, libocr.so does not see it, which -fvisibility=hidden does: \
put __attribute__((visibility(\"default\"))) before it, or link libocr.a.";

/// Runs a program from its beginning to its end, and returns the exit status. The library's `main` in `shim.c` calls
/// this.
///
/// # Safety
/// `argc` and `argv` are those of `main`; `main_edt` is null or the program's `mainEdt`.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
pub(super) unsafe extern "C" fn ocrRunProgram(argc: c_int, argv: *mut *mut c_char, main_edt: sys::ocrEdt_t) -> c_int {
    let Some(main_edt) = super::convert::edt_function(main_edt) else {
        say_line!("{NO_MAIN_EDT}");
        return start::USAGE_STATUS;
    };
    let args = (0..argc.max(0) as usize)
        .map(|index| {
            // SAFETY: the caller passes the arguments of `main`, so `argv` has `argc` elements, and `index` is below
            // that.
            let arg = unsafe { argv.wrapping_add(index).read() };
            // SAFETY: each element of `argv` before `argc` is a C string that no thread changes during the call.
            let arg = unsafe { CStr::from_ptr(arg) };
            OsStr::from_bytes(arg.to_bytes()).to_os_string()
        })
        .collect();
    serve::make_calls_by(elsewhere::make_call);
    guard(end::FATAL_STATUS, || start::run_program(args, main_edt))
}
