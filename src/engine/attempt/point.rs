//! Where a thread goes on when it leaves an EDT's function that has crashed.
//!
//! [`ocr_call_attempt`] calls the function from a frame that has all registers which a function must leave as they
//! were, and notes where that frame is. The handler of the signal has the thread return to that frame, as if the
//! function had returned: the frames of the function are gone then, and nothing of the runtime's was left, since no
//! frame of the runtime lies between. The frame begins, at its lower end, with the address of the point. A write beyond
//! an array of the function overwrites that first, and then the thread does not go there.
//!
//! | register | x86-64 | AArch64 |
//! |---|---|---|
//! | kept in the frame | rbx, rbp, r12 to r15 | x19 to x30, d8 to d15 |
//! | kept in the point | the stack pointer, MXCSR, the x87 control word | the stack pointer, FPCR |
//!
//! The point of a thread belongs to the thread: the handler, which reads it, runs there, too. So cells are enough, and
//! a fence of the compiler has what a call notes be there before the call does anything.

use crate::abi::Api;
use crate::engine::state::attempt::AttemptProgress;
use crate::engine::state::fatal::fatal;
use crate::object::code::{EdtDep, EdtFunction};
use crate::object::guid::Guid;
use crate::stack;
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{Ordering, compiler_fence};

/// The signal by which a thread is told that the function which it runs is beyond its time limit. What it does by
/// itself is nothing, so one that comes when the run has ended is harmless.
pub(crate) const LATE: libc::c_int = libc::SIGURG;

/// A crash that was left, or a function that was beyond its time limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LeftCrash {
    /// The number of the signal; [`LATE`] if the function was beyond its time limit.
    pub(crate) signal: libc::c_int,
    /// Where the instruction is; 0 where that says nothing.
    pub(crate) instruction: usize,
}

/// Where a thread goes on, and what the handler of signals has to know of its attempt.
#[repr(C)]
pub(crate) struct Point {
    /// The stack pointer in the frame. Written by `ocr_call_attempt`, at this place.
    frame: Cell<usize>,
    /// How the processor computes. Written and read there, at this place.
    control: Cell<u64>,
    /// How far the attempt has come.
    pub(crate) progress: Cell<AttemptProgress>,
    /// Whether the thread is in a call of the runtime.
    in_runtime: Cell<bool>,
    /// The crash that the thread has left, until that is taken.
    pub(crate) crash: Cell<Option<LeftCrash>>,
    /// Whether the function is that of a duplicate.
    is_duplicate: bool,
    /// The call in which the thread has left a duplicate, or none in it, since the function is in Rust.
    pub(crate) left: Cell<Option<Option<Api>>>,
    /// The EDT's function.
    pub(crate) function: usize,
}

thread_local! {
    /// The point of the attempt that this thread runs; null where it runs none.
    static HERE: Cell<*const Point> = const { Cell::new(ptr::null()) };
}

/// Defines `ocr_call_attempt`, without directives for the unwinder, as `ocr_call_edt` (`state/user_call.rs`).
#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
macro_rules! call_attempt {
    ($($line:literal),*) => {
        core::arch::global_asm!(
            ".pushsection .text.ocr_call_attempt, \"ax\", @progbits",
            ".globl ocr_call_attempt",
            ".hidden ocr_call_attempt",
            ".globl ocr_leave_attempt",
            ".hidden ocr_leave_attempt",
            ".globl ocr_end_attempt",
            ".hidden ocr_end_attempt",
            ".type ocr_call_attempt, @function",
            "ocr_call_attempt:",
            $($line,)*
            "ocr_end_attempt:",
            ".size ocr_call_attempt, . - ocr_call_attempt",
            ".popsection",
        );
    };
}

#[cfg(all(target_arch = "x86_64", not(miri)))]
call_attempt!(
    "push rbp",
    "mov rbp, rsp",
    "push rbx",
    "push r12",
    "push r13",
    "push r14",
    "push r15",
    // The address of the point is the sixth word, so the stack is aligned.
    "push r9",
    "mov [r9], rsp",
    "stmxcsr [r9 + 8]",
    "fnstcw [r9 + 12]",
    "call r8",
    "2:",
    "add rsp, 8",
    "pop r15",
    "pop r14",
    "pop r13",
    "pop r12",
    "pop rbx",
    "pop rbp",
    "ret",
    "ocr_leave_attempt:",
    "mov r9, [rsp]",
    "cld",
    "fninit",
    "fldcw [r9 + 12]",
    "ldmxcsr [r9 + 8]",
    "xor eax, eax",
    "jmp 2b"
);

#[cfg(all(target_arch = "aarch64", not(miri)))]
call_attempt!(
    "stp x29, x30, [sp, #-16]!",
    "mov x29, sp",
    "stp x19, x20, [sp, #-16]!",
    "stp x21, x22, [sp, #-16]!",
    "stp x23, x24, [sp, #-16]!",
    "stp x25, x26, [sp, #-16]!",
    "stp x27, x28, [sp, #-16]!",
    "stp d8, d9, [sp, #-16]!",
    "stp d10, d11, [sp, #-16]!",
    "stp d12, d13, [sp, #-16]!",
    "stp d14, d15, [sp, #-16]!",
    "stp x5, xzr, [sp, #-16]!",
    "mov x9, sp",
    "mrs x10, fpcr",
    "stp x9, x10, [x5]",
    "blr x4",
    "2:",
    "add sp, sp, #16",
    "ldp d14, d15, [sp], #16",
    "ldp d12, d13, [sp], #16",
    "ldp d10, d11, [sp], #16",
    "ldp d8, d9, [sp], #16",
    "ldp x27, x28, [sp], #16",
    "ldp x25, x26, [sp], #16",
    "ldp x23, x24, [sp], #16",
    "ldp x21, x22, [sp], #16",
    "ldp x19, x20, [sp], #16",
    "ldp x29, x30, [sp], #16",
    "ret",
    "ocr_leave_attempt:",
    "ldr x9, [sp]",
    "ldr x10, [x9, #8]",
    "msr fpcr, x10",
    "mov x0, #0",
    "b 2b"
);

#[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
unsafe extern "C" {
    /// Calls `function` with the other arguments. Returns, too, when the thread has left the function after a crash.
    ///
    /// # Safety
    /// As for the function, and `point` is this thread's.
    fn ocr_call_attempt(
        paramc: u32,
        paramv: *mut u64,
        depc: u32,
        depv: *mut EdtDep,
        function: EdtFunction,
        point: *const c_void,
    ) -> Guid;

    /// Where a thread goes on. No function: it is come to with the stack pointer of the frame.
    fn ocr_leave_attempt();

    /// The end of both. No function, either.
    fn ocr_end_attempt();
}

/// Calls an EDT's function where no crash can be left.
///
/// # Safety
/// As for the function.
#[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
unsafe fn ocr_call_attempt(
    paramc: u32,
    paramv: *mut u64,
    depc: u32,
    depv: *mut EdtDep,
    function: EdtFunction,
    _point: *const c_void,
) -> Guid {
    // SAFETY: the caller passes what `function` must be called with, as `ocrEdt_t` says.
    unsafe { function(paramc, paramv, depc, depv) }
}

/// Whether a thread can leave a crash on this processor.
pub(crate) const CAN_LEAVE: bool = cfg!(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)));

/// What an EDT's function is called with.
#[derive(Clone, Copy)]
pub(crate) struct Arguments {
    pub(crate) paramc: u32,
    pub(crate) paramv: *mut u64,
    pub(crate) depc: u32,
    pub(crate) depv: *mut EdtDep,
}

impl Point {
    pub(crate) fn new(progress: AttemptProgress, function: EdtFunction) -> Point {
        Point {
            frame: Cell::new(0),
            control: Cell::new(0),
            progress: Cell::new(progress),
            in_runtime: Cell::new(false),
            crash: Cell::new(None),
            is_duplicate: false,
            left: Cell::new(None),
            function: function as *const () as usize,
        }
    }

    /// The point of a duplicate.
    pub(crate) fn of_duplicate(progress: AttemptProgress, function: EdtFunction) -> Point {
        Point { is_duplicate: true, ..Point::new(progress, function) }
    }

    /// Whether the function is that of a duplicate.
    pub(crate) fn is_of_duplicate(&self) -> bool {
        self.is_duplicate
    }

    /// Calls an EDT's function. What it returns, or `NULL_GUID` if the thread has left it after a crash, which is in
    /// `crash` then.
    ///
    /// # Safety
    /// As for the function.
    pub(crate) unsafe fn call(&self, function: EdtFunction, with: Arguments) -> Guid {
        let Arguments { paramc, paramv, depc, depv } = with;
        let outer = HERE.replace(self);
        // SAFETY: the caller passes what `function` must be called with. The point is this thread's, and stays until
        // the call returns.
        let result = unsafe { ocr_call_attempt(paramc, paramv, depc, depv, function, ptr::from_ref(self).cast()) };
        // First: from here on the thread is not in the function any more (`is_in_function`).
        self.frame.set(0);
        compiler_fence(Ordering::SeqCst);
        HERE.set(outer);
        self.in_runtime.set(false);
        result
    }

    /// Does something with the progress.
    pub(crate) fn with_progress<R>(&self, change: impl FnOnce(&mut AttemptProgress) -> R) -> R {
        let mut progress = self.progress.get();
        let result = change(&mut progress);
        self.progress.set(progress);
        result
    }

    /// Does something in the runtime: a crash meanwhile is not left.
    pub(crate) fn inside<R>(&self, work: impl FnOnce() -> R) -> R {
        let outer = self.in_runtime.replace(true);
        compiler_fence(Ordering::SeqCst);
        let result = work();
        compiler_fence(Ordering::SeqCst);
        self.in_runtime.set(outer);
        result
    }

    pub(crate) fn is_in_runtime(&self) -> bool {
        self.in_runtime.get()
    }

    /// The address of the frame from which the function was called.
    pub(crate) fn frame(&self) -> usize {
        self.frame.get()
    }

    /// Whether the frame is as it was: the function has written nothing beyond its own frames.
    pub(crate) fn is_intact(&self) -> bool {
        let frame = self.frame.get() as *const usize;
        if frame.is_null() {
            return false;
        }
        // SAFETY: the thread is in the function, which `call` has called, so the frame is there, and begins with this
        // word, which was pushed and so is aligned.
        let first = unsafe { frame.read_volatile() };
        first == ptr::from_ref(self).addr()
    }

    /// Whether the thread is in the function, and has not returned from it, for a handler that has interrupted it at
    /// this instruction with this stack pointer. The frame is noted before the function is called, and forgotten behind
    /// it. In between, the thread is in `ocr_call_attempt`, which is seen by the instruction, or in [`Point::call`],
    /// whose frame is above.
    pub(crate) fn is_in_function(&self, instruction: usize, stack_pointer: usize) -> bool {
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
        let own = ocr_call_attempt as *const () as usize..ocr_end_attempt as *const () as usize;
        #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
        let own = 0..usize::MAX;
        let frame = self.frame.get();
        let is_above = stack_pointer > frame && stack_pointer - frame < stack::BYTES;
        frame != 0 && !is_above && !own.contains(&instruction)
    }

    /// Has the thread leave the function of a duplicate at once, in this call, or before it begins where there is none.
    ///
    /// # Safety
    /// The thread is in the function, and no frame that it leaves has a destructor that must run.
    pub(crate) unsafe fn leave_now(&self, call: Option<Api>) -> ! {
        self.left.set(Some(call));
        if !self.is_intact() {
            fatal("the function of an EDT has written beyond an array of its own, over the frame below.");
        }
        compiler_fence(Ordering::SeqCst);
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        // SAFETY: the frame is there and as it was, since the thread is in the function. What `ocr_leave_attempt` needs
        // is the stack pointer of that frame, and it returns from there as if the function had returned.
        unsafe {
            core::arch::asm!(
                "mov rsp, {frame}",
                "jmp {leave}",
                frame = in(reg) self.frame.get(),
                leave = sym ocr_leave_attempt,
                options(noreturn),
            )
        }
        #[cfg(all(target_arch = "aarch64", not(miri)))]
        // SAFETY: the frame is there and as it was, since the thread is in the function. What `ocr_leave_attempt` needs
        // is the stack pointer of that frame, and it returns from there as if the function had returned.
        unsafe {
            core::arch::asm!(
                "mov sp, {frame}",
                "b {leave}",
                frame = in(reg) self.frame.get(),
                leave = sym ocr_leave_attempt,
                options(noreturn),
            )
        }
        #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri))))]
        fatal("a function cannot be left on this processor: this is a fault of the runtime")
    }

    /// Has the thread, in a handler of a signal, leave the function when the handler returns.
    #[allow(unused_variables)]
    pub(crate) fn leave(&self, crash: LeftCrash, context: *mut libc::c_void) {
        self.crash.set(Some(crash));
        let context = context.cast::<libc::ucontext_t>();
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        {
            // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there
            // until the handler returns, and from which it goes on then.
            let registers = unsafe { &mut (*context).uc_mcontext.gregs };
            registers[libc::REG_RSP as usize] = self.frame.get() as i64;
            registers[libc::REG_RIP as usize] = ocr_leave_attempt as *const () as i64;
        }
        #[cfg(all(target_arch = "aarch64", not(miri)))]
        {
            // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there
            // until the handler returns, and from which it goes on then.
            let registers = unsafe { &mut (*context).uc_mcontext };
            registers.sp = self.frame.get() as u64;
            registers.pc = ocr_leave_attempt as *const () as u64;
        }
    }
}

/// The point of the attempt that this thread runs. The reference is used in a call, or in a handler, which end before
/// the function does.
pub(crate) fn here() -> Option<&'static Point> {
    // SAFETY: the pointer is null, or that of a point on this thread's stack, in a frame that stays as long as the
    // EDT's function runs. `call` takes the pointer away before the frame goes.
    unsafe { HERE.get().as_ref() }
}

/// The point of the attempt that this thread runs, where that can still be undone.
pub(crate) fn protected_here() -> Option<&'static Point> {
    here().filter(|point| point.progress.get().is_protected())
}

#[cfg(all(test, not(loom), not(miri), any(target_arch = "x86_64", target_arch = "aarch64")))]
mod tests {
    use super::*;
    use crate::config::Retry;

    const NONE: Arguments = Arguments { paramc: 3, paramv: ptr::null_mut(), depc: 4, depv: ptr::null_mut() };

    unsafe extern "C" fn returns(paramc: u32, _: *mut u64, depc: u32, _: *mut EdtDep) -> Guid {
        let point = here().expect("it runs as an attempt");
        assert!(point.is_intact() && !point.is_in_runtime());
        assert!(point.inside(|| point.is_in_runtime()));
        assert!(!point.is_in_runtime());
        let (own, call) = (returns as *const () as usize, ocr_call_attempt as *const () as usize);
        assert!(point.is_in_function(own, (&raw const depc).addr()));
        assert!(!point.is_in_function(call, point.frame()), "it is about to call, or has returned");
        assert!(!point.is_in_function(own, point.frame() + 128), "the frame of the caller is there");
        Guid::from_bits(u64::from(paramc * 10 + depc))
    }

    fn point() -> Point {
        Point::new(AttemptProgress::begin(Retry::Times(1)), returns)
    }

    #[test]
    fn a_function_gets_its_arguments_and_returns() {
        let point = point();
        assert!(here().is_none() && !point.is_intact());
        // SAFETY: the function takes any arguments.
        let result = unsafe { point.call(returns, NONE) };
        assert_eq!(result.bits(), 34);
        assert!(here().is_none() && point.crash.get().is_none());
        assert!(!point.is_in_function(returns as *const () as usize, 0), "it has returned");
    }

    #[test]
    fn attempts_of_a_thread_may_nest() {
        unsafe extern "C" fn outer(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
            let mine = ptr::from_ref(here().expect("it runs as an attempt"));
            // SAFETY: the function takes any arguments.
            let inner = unsafe { point().call(returns, NONE) };
            assert!(ptr::eq(mine, here().expect("it runs on")));
            inner
        }
        // SAFETY: the function takes any arguments.
        let result = unsafe { point().call(outer, NONE) };
        assert_eq!(result.bits(), 34);
    }
}
