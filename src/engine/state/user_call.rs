//! Calling the program's functions in such a way that no code around them catches an exception.
//!
//! A C++ exception that leaves an EDT, or another function that the runtime calls, is to end the program as
//! one that leaves `main`: `std::terminate` is called where it was thrown, says what it was, and the stack is
//! still there for a debugger. But before that the stack is searched for a frame that catches, and a thread
//! of the runtime catches panics where it begins and in each call from C, and with them exceptions of other
//! languages, of which it can say nothing. So between the function and the runtime stands a frame that does
//! not tell how to go on behind it, and there the search ends. It keeps the frame pointer, by which debuggers
//! go on. Panics do not come by: no function that C calls lets one out.

use crate::object::code::{EdtDep, EdtFunction};
use crate::object::guid::Guid;
use std::cell::Cell;
use std::ptr;

/// Defines `ocr_call_edt`, without directives for the unwinder, on purpose.
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
macro_rules! call_edt {
    ($($line:literal),*) => {
        core::arch::global_asm!(
            ".pushsection .text.ocr_call_edt, \"ax\", @progbits",
            ".globl ocr_call_edt",
            ".hidden ocr_call_edt",
            ".type ocr_call_edt, @function",
            "ocr_call_edt:",
            $($line,)*
            ".size ocr_call_edt, . - ocr_call_edt",
            ".popsection",
        );
    };
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
call_edt!("push rbp", "mov rbp, rsp", "call r8", "pop rbp", "ret");

#[cfg(all(target_arch = "aarch64", not(miri)))]
call_edt!("stp x29, x30, [sp, #-16]!", "mov x29, sp", "blr x4", "ldp x29, x30, [sp], #16", "ret");

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
unsafe extern "C" {
    /// Calls `function` with the other arguments.
    ///
    /// # Safety
    /// As for the function.
    pub(crate) fn ocr_call_edt(
        paramc: u32,
        paramv: *mut u64,
        depc: u32,
        depv: *mut EdtDep,
        function: EdtFunction,
    ) -> Guid;
}

/// Calls an EDT's function where the compiler or the interpreter cannot tell of an exception as well.
///
/// # Safety
/// As for the function.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
pub(crate) unsafe fn ocr_call_edt(
    paramc: u32,
    paramv: *mut u64,
    depc: u32,
    depv: *mut EdtDep,
    function: EdtFunction,
) -> Guid {
    // SAFETY: the caller passes what `function` must be called with, as `ocrEdt_t` says.
    unsafe { function(paramc, paramv, depc, depv) }
}

/// Calls a function of the program that is none of an EDT, through `function`, which must not panic.
pub(crate) fn call<R>(function: impl FnOnce() -> R) -> R {
    let mut call = UserCall { function: Some(function), result: None };
    let run = runner(&call);
    // SAFETY: `run` gets the call that it is to make, and looks at nothing else.
    unsafe { ocr_call_edt(0, (&raw mut call).cast(), 0, ptr::null_mut(), run) };
    match call.result {
        Some(result) => result,
        None => unreachable!("the call has been made"),
    }
}

thread_local! {
    /// Whether this thread calls a function of the program that is written in Rust.
    static IN_RUST: Cell<bool> = const { Cell::new(false) };

    /// How many such calls this thread has made.
    static RUST_CALLS: Cell<u64> = const { Cell::new(0) };
}

/// Calls a function of the program that is written in Rust, whose panics are its own.
pub(crate) fn call_rust<R>(f: impl FnOnce() -> R) -> R {
    let outer = IN_RUST.replace(true);
    RUST_CALLS.set(RUST_CALLS.get() + 1);
    let result = f();
    IN_RUST.set(outer);
    result
}

/// How many functions in Rust this thread has called. One may have consumed what its EDT was given: then that is gone.
pub(crate) fn rust_calls() -> u64 {
    RUST_CALLS.get()
}

/// Whether such a function has called.
pub(crate) fn is_called_by_rust() -> bool {
    IN_RUST.get()
}

/// A call on its way, and what has come of it.
struct UserCall<F, R> {
    function: Option<F>,
    result: Option<R>,
}

/// The function that makes a call of this type.
fn runner<F: FnOnce() -> R, R>(_: &UserCall<F, R>) -> EdtFunction {
    run::<F, R>
}

/// Makes a call, as an EDT's function.
///
/// # Safety
/// `call` points to a `UserCall<F, R>` that no other code touches.
unsafe extern "C" fn run<F: FnOnce() -> R, R>(_paramc: u32, call: *mut u64, _depc: u32, _depv: *mut EdtDep) -> Guid {
    // SAFETY: the caller promises that `call` points to a `UserCall<F, R>` that no other code touches.
    let call = unsafe { &mut *call.cast::<UserCall<F, R>>() };
    call.result = call.function.take().map(|function| function());
    Guid::NULL
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_call_gives_what_the_function_gives() {
        let text = String::from("what it has");
        assert_eq!(super::call(|| text.len()), 11);
        assert_eq!(super::call(|| text + " owned"), "what it has owned");
    }
}
