//! Calling an EDT's function in such a way that nobody around it catches an exception.
//!
//! A C++ exception that leaves an EDT is to end the program as one that leaves `main`: `std::terminate` is
//! called where it was thrown, says what it was, and the stack is still there for a debugger. But before
//! that the stack is searched for somebody who catches, and a thread of the runtime catches panics where it
//! begins, and with them exceptions of other languages, of which it can say nothing. So between the EDT and
//! the runtime stands a frame that does not tell how to go on behind it, and there the search ends. It keeps
//! the frame pointer, by which debuggers go on. Panics do not come by: no function that C calls lets one
//! out.

use crate::object::guid::Guid;
use crate::object::work::{EdtDep, EdtFunction};

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
call_edt!(
    "stp x29, x30, [sp, #-16]!",
    "mov x29, sp",
    "blr x4",
    "ldp x29, x30, [sp], #16",
    "ret"
);

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
unsafe extern "C" {
    /// Calls `function` with the other arguments.
    ///
    /// # Safety
    /// As for the function.
    pub(super) fn ocr_call_edt(
        paramc: u32,
        paramv: *mut u64,
        depc: u32,
        depv: *mut EdtDep,
        function: EdtFunction,
    ) -> Guid;
}

/// The same, where an exception is not told as well.
///
/// # Safety
/// As for the function.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
pub(super) unsafe fn ocr_call_edt(
    paramc: u32,
    paramv: *mut u64,
    depc: u32,
    depv: *mut EdtDep,
    function: EdtFunction,
) -> Guid {
    // SAFETY: by the contract.
    unsafe { function(paramc, paramv, depc, depv) }
}
