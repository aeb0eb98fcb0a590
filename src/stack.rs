//! The stacks of threads, and the alternative stacks that signal handlers run on, which can so tell that the first is
//! full.
//!
//! | thread | its alternative stack |
//! |---|---|
//! | of the runtime, one that calls OpenCL included | [`SignalStack::of_runtime`], from its beginning to its end |
//! | of the program | [`before_call`] lends it one for a call of the runtime that begins where little of its stack is left |
//! | that OpenCL starts | none |
//!
//! A handler of the program's with `SA_ONSTACK` runs there, too. So a thread of the runtime has as much as `main`
//! mostly has. A thread of the program has none but in such a call, where the one that it is lent is larger than what
//! it has left. A thread that has an alternative stack of the program's keeps that.

use std::cell::Cell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;

/// EDTs run on the workers' stacks; programs put arrays there as they do in `main`. Only what is
/// touched takes memory.
pub(crate) const BYTES: usize = 16 << 20;

/// What handlers have on a thread of the runtime: as much as the stack of `main` has by default. Only what is touched
/// takes memory.
pub(crate) const FOR_HANDLERS: usize = 8 << 20;

/// A call that begins with less of the thread's stack than this is lent as much for handlers. The runtime's own
/// functions need a small part of it.
const SHORT: usize = 256 << 10;

/// The guard below an alternative stack: larger than a page, so that a function with an array comes into it, not over
/// it.
const GUARD: usize = 64 << 10;

/// How many bytes below its stack pointer code may use the stack: by pushing, in the red zone, by probing.
const BELOW: usize = 64 << 10;

thread_local! {
    /// The address where this thread's guard ends and its stack begins. 0 if that is not known.
    static IN_STACK: Cell<usize> = const { Cell::new(0) };
    /// How many calls there are, one inside the other, since this thread was lent a stack. 0: it has none of that kind.
    static CALLS: Cell<usize> = const { Cell::new(0) };
    /// What it was lent, or will be again. Without a destructor: those of the program may still call the runtime. It
    /// goes with the thread's context ([`give_back`]).
    static LENT: Cell<Option<ManuallyDrop<SignalStack>>> = const { Cell::new(None) };
}

/// Notes where the stack of this thread is. Asks the C library, which for the thread of `main` reads a file.
pub(crate) fn find() {
    IN_STACK.set(guard_end().unwrap_or(0));
}

/// A call of the runtime begins on a thread of the program, for which [`find`] was called.
#[inline]
pub(crate) fn before_call() {
    let here = 0u8;
    // The stack may go on below that address, by a guard: some versions of the C library count it twice. On a stack
    // that the program has made by itself the difference is large, or goes round and is large then.
    let left = ptr::from_ref(&here).addr().wrapping_sub(IN_STACK.get().wrapping_sub(GUARD));
    if left < GUARD + SHORT || CALLS.get() != 0 {
        lend();
    }
}

/// The call is over.
#[inline]
pub(crate) fn after_call() {
    if CALLS.get() != 0 {
        take_back();
    }
}

#[cold]
fn lend() {
    if CALLS.get() == 0 {
        if has_one() {
            return;
        }
        let kept = LENT.take();
        let Some(lent) = kept.or_else(|| SignalStack::map(SHORT).map(ManuallyDrop::new)) else {
            return;
        };
        let is_lent = lent.install();
        LENT.set(Some(lent));
        if !is_lent {
            return;
        }
    }
    CALLS.set(CALLS.get() + 1);
}

/// The memory stays for the next such call, until [`give_back`].
#[cold]
fn take_back() {
    CALLS.set(CALLS.get() - 1);
    if CALLS.get() == 0
        && let Some(lent) = LENT.take()
    {
        lent.take_off();
        LENT.set(Some(lent));
    }
}

/// This thread calls the runtime no more, or its call has panicked: it keeps nothing of what it was lent.
pub(crate) fn give_back() {
    CALLS.set(0);
    drop(LENT.take().map(ManuallyDrop::into_inner));
}

/// Whether the stack of this thread is full: its code uses what lies below. For a signal handler, with the
/// address and the context of the signal.
pub(crate) fn is_full(address: usize, context: *const libc::c_void) -> bool {
    let pointer = stack_pointer(context);
    match IN_STACK.get() {
        // A thread that has not called the runtime and has an alternative stack of its own: what its code uses close to
        // the stack pointer is the stack.
        0 => pointer.is_some_and(|used| used.abs_diff(address) < BELOW),
        // A block may lie below the guard, and what is meant for it far from the stack pointer.
        known => {
            let used = pointer.unwrap_or(known);
            (used.saturating_sub(BELOW)..known).contains(&address)
        }
    }
}

/// Whether it is the alternative stack that is full: a handler has run on it, and its code uses what lies below. Says
/// then how many bytes that has. For a signal handler, with the address and the context of the signal.
pub(crate) fn is_full_of_handlers(address: usize, context: *const libc::c_void) -> Option<usize> {
    let now = current()?;
    let start = now.ss_sp.addr();
    let below = start.saturating_sub(GUARD);
    let has_one = now.ss_flags & libc::SS_DISABLE == 0;
    let was_there = stack_pointer(context).is_none_or(|used| (below..start + now.ss_size).contains(&used));
    (has_one && was_there && (below..start).contains(&address)).then_some(now.ss_size)
}

/// The address of the instruction at which a signal has interrupted, for a signal handler.
#[allow(unused_variables)]
pub(crate) fn instruction(context: *const libc::c_void) -> Option<usize> {
    let context = context.cast::<libc::ucontext_t>();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there until
    // the handler returns. The handlers of crashes have that flag and pass the pointer on.
    return Some(unsafe { (*context).uc_mcontext.gregs[libc::REG_RIP as usize] } as usize);
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there until
    // the handler returns. The handlers of crashes have that flag and pass the pointer on.
    return Some(unsafe { (*context).uc_mcontext.pc } as usize);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    None
}

/// Where a signal handler returns to, from this handler: the words of the stack have it where another handler runs.
/// None on processors where that is not in the frame.
#[allow(unused_variables)]
pub(crate) fn return_of_handlers(context: *const libc::c_void) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which on this processor
    // stands in the frame of the handler, behind the word to which the handler returns.
    return Some(unsafe { context.cast::<usize>().wrapping_sub(1).read() });
    #[cfg(not(target_arch = "x86_64"))]
    None
}

/// The stack pointer of the code that a signal has interrupted.
#[allow(unused_variables)]
pub(crate) fn stack_pointer(context: *const libc::c_void) -> Option<usize> {
    let context = context.cast::<libc::ucontext_t>();
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there until
    // the handler returns. The handlers of crashes have that flag and pass the pointer on.
    return Some(unsafe { (*context).uc_mcontext.gregs[libc::REG_RSP as usize] } as usize);
    #[cfg(target_arch = "aarch64")]
    // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there until
    // the handler returns. The handlers of crashes have that flag and pass the pointer on.
    return Some(unsafe { (*context).uc_mcontext.sp } as usize);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    None
}

/// Where the function returns to that a signal has interrupted at its beginning, for a signal handler: before it has
/// pushed anything. None where the stack pointer is not in this thread's stack, as far as that is known.
#[allow(unused_variables)]
pub(crate) fn return_address(context: *const libc::c_void) -> Option<usize> {
    #[cfg(target_arch = "x86_64")]
    {
        let pointer = stack_pointer(context)?;
        let is_in_stack = IN_STACK.get() != 0 && pointer.wrapping_sub(IN_STACK.get()) < BYTES;
        let word = (is_in_stack && pointer % size_of::<usize>() == 0).then_some(pointer as *const usize)?;
        // SAFETY: the word is aligned, and in the stack of this thread, above the guard, where the interrupted function
        // has its own: it was touched when that was called.
        Some(unsafe { word.read_volatile() })
    }
    #[cfg(target_arch = "aarch64")]
    {
        let context = context.cast::<libc::ucontext_t>();
        // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there
        // until the handler returns. The handlers of crashes have that flag and pass the pointer on.
        Some(unsafe { (*context).uc_mcontext.regs[30] } as usize)
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    None
}

/// Whether the thread was interrupted in the call of the system by which it has sent itself a signal, for a signal
/// handler: `raise`, and so `abort`, end there.
#[allow(unused_variables)]
pub(crate) fn sends_itself(context: *const libc::c_void, signal: libc::c_int) -> bool {
    // SAFETY: `gettid` has no preconditions.
    let own = unsafe { libc::gettid() } as u64;
    let context = context.cast::<libc::ucontext_t>();
    #[cfg(target_arch = "x86_64")]
    let [thread, sent] = {
        // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there
        // until the handler returns. The handlers of crashes have that flag and pass the pointer on.
        let registers = unsafe { &(*context).uc_mcontext.gregs };
        [libc::REG_RSI, libc::REG_RDX].map(|register| registers[register as usize] as u64)
    };
    #[cfg(target_arch = "aarch64")]
    let [thread, sent] = {
        // SAFETY: the system passes to a handler with SA_SIGINFO a pointer to the thread's context, which is there
        // until the handler returns. The handlers of crashes have that flag and pass the pointer on.
        let registers = unsafe { &(*context).uc_mcontext.regs };
        [registers[1], registers[2]]
    };
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let [thread, sent] = [0; 2];
    // `tgkill` has the process, the thread and the signal.
    thread == own && sent == signal as u64
}

/// The words of this thread's stack from the stack pointer of the code that a signal has interrupted to an address.
/// None where these are not in the stack, as far as that is known. For a signal handler.
pub(crate) fn words_to(context: *const libc::c_void, end: usize) -> Option<impl Iterator<Item = usize>> {
    let lowest = IN_STACK.get();
    // A full stack: below its end, nothing is there.
    let start = stack_pointer(context)?.max(lowest).next_multiple_of(size_of::<usize>());
    if lowest == 0 || end.wrapping_sub(lowest) >= BYTES || start > end {
        return None;
    }
    // SAFETY: the word is aligned, in the stack of this thread, and above its guard. The thread does not run on while
    // its handler does.
    Some((start..end).step_by(size_of::<usize>()).map(|at| unsafe { (at as *const usize).read_volatile() }))
}

/// An alternative stack for the signal handlers of this thread, until it is dropped there.
pub(crate) struct SignalStack {
    /// The mapping of the stack, with a guard at its lower end.
    mapping: *mut libc::c_void,
    /// The size of the stack, without the guard.
    bytes: usize,
}

impl SignalStack {
    /// Gives this thread, which the runtime has started, one; none if it has one, or the system has no memory for it.
    pub(crate) fn of_runtime() -> Option<SignalStack> {
        find();
        if has_one() {
            return None;
        }
        let this = SignalStack::map(FOR_HANDLERS)?;
        this.install().then_some(this)
    }

    /// Makes one that no thread has; none if the system has no memory for it.
    fn map(bytes: usize) -> Option<SignalStack> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: without MAP_FIXED the system places the new mapping where nothing is mapped, so it changes no memory
        // that anybody has.
        let mapping = unsafe { libc::mmap(ptr::null_mut(), GUARD + bytes, libc::PROT_NONE, flags, -1, 0) };
        if mapping == libc::MAP_FAILED {
            return None;
        }
        let this = SignalStack { mapping, bytes };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the range begins behind the guard and has the rest of the mapping that was just made, which no other
        // thread knows of.
        let opened = unsafe { libc::mprotect(this.start(), bytes, access) };
        (opened == 0).then_some(this)
    }

    /// Has the signal handlers of this thread use it, and says whether they do. It must be dropped on this thread.
    fn install(&self) -> bool {
        let stack = libc::stack_t { ss_sp: self.start(), ss_flags: 0, ss_size: self.bytes };
        // SAFETY: `stack` names memory that `map` has made readable and writable, and that stays mapped until `self` is
        // dropped, which takes it off this thread before it unmaps it.
        unsafe { libc::sigaltstack(&stack, ptr::null_mut()) == 0 }
    }

    /// Has the signal handlers of this thread use it no more.
    fn take_off(&self) {
        // The program may have set another since.
        if current().is_some_and(|now| now.ss_sp == self.start()) {
            let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
            // SAFETY: the stack that is taken off is this thread's. If a handler runs on it, the system refuses.
            unsafe { libc::sigaltstack(&none, ptr::null_mut()) };
        }
    }

    fn start(&self) -> *mut libc::c_void {
        self.mapping.wrapping_byte_add(GUARD)
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        self.take_off();
        if current().is_some_and(|now| now.ss_sp == self.start() && now.ss_flags & libc::SS_ONSTACK != 0) {
            // A handler of the program's runs on it, and leaves the run or the thread: the memory has to stay.
            return;
        }
        // SAFETY: `map` has made the mapping with this length, and the thread's handlers do not run on it any more.
        unsafe { libc::munmap(self.mapping, GUARD + self.bytes) };
    }
}

/// Whether this thread's signal handlers have a stack of their own. `true` where the system does not say it.
fn has_one() -> bool {
    current().is_none_or(|now| now.ss_flags & libc::SS_DISABLE == 0)
}

/// The stack that this thread's signal handlers have.
fn current() -> Option<libc::stack_t> {
    let mut now = MaybeUninit::uninit();
    // SAFETY: without a new stack the call changes nothing, and `now` has room for the present one.
    let result = unsafe { libc::sigaltstack(ptr::null(), now.as_mut_ptr()) };
    // SAFETY: a result of 0 says that `sigaltstack` has written the whole structure.
    (result == 0).then(|| unsafe { now.assume_init() })
}

fn guard_end() -> Option<usize> {
    let mut attributes = MaybeUninit::uninit();
    // SAFETY: `pthread_self` has no preconditions.
    let this = unsafe { libc::pthread_self() };
    // SAFETY: `this` is the calling thread, which lives, and `attributes` has room for its attributes.
    let result = unsafe { libc::pthread_getattr_np(this, attributes.as_mut_ptr()) };
    if result != 0 {
        return None;
    }
    // SAFETY: a result of 0, which was checked, says that the call has initialised them.
    let mut attributes: libc::pthread_attr_t = unsafe { attributes.assume_init() };
    let (mut start, mut bytes, mut guard) = (ptr::null_mut(), 0, 0);
    // SAFETY: the attributes are initialised, and `start` and `bytes` are places for the answers on this stack.
    let stack = unsafe { libc::pthread_attr_getstack(&attributes, &mut start, &mut bytes) };
    // SAFETY: the attributes are initialised, and `guard` is a place for the answer on this stack.
    let guarded = unsafe { libc::pthread_attr_getguardsize(&attributes, &mut guard) };
    // SAFETY: the attributes are initialised, destroyed here alone, and not used after that.
    unsafe { libc::pthread_attr_destroy(&mut attributes) };
    // Some versions of the C library have the guard within the stack, others below it.
    (stack == 0 && guarded == 0).then_some(start as usize + guard)
}
