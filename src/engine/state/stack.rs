//! The stacks of the threads that run EDTs. Each has another for signal handlers, which can so tell that the
//! first is full. So have other threads: those that `pthread_create` starts from their beginning
//! (`engine/process/thread_start.rs`), and the rest from their first call of the runtime.

use std::cell::Cell;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ptr;

/// EDTs run on the workers' stacks; programs put arrays there as they do in `main`. Only what is
/// touched takes memory.
pub(crate) const BYTES: usize = 16 << 20;

/// More than LLVM wants, which gives a thread another one if this is smaller. Only what is touched takes
/// memory.
const FOR_SIGNALS: usize = 128 << 10;

/// How many bytes below its stack pointer code may use the stack: by pushing, in the red zone, by probing.
const BELOW: usize = 64 << 10;

thread_local! {
    /// An address of this thread's stack: where the guard ends and the stack begins, or where the thread has begun, at the
    /// other end. Between the two nothing faults. 0 if neither is known.
    static IN_STACK: Cell<usize> = const { Cell::new(0) };
}

/// Notes for a thread that has just begun where its stack is. To ask the C library for its bounds would allocate.
pub(crate) fn note_beginning() {
    let here = 0u8;
    IN_STACK.set(ptr::from_ref(&here).addr());
}

/// Whether the stack of this thread is full: its code uses what lies below. For a signal handler, with the
/// address and the context of the signal.
pub(crate) fn is_full(address: usize, context: *const libc::c_void) -> bool {
    let pointer = stack_pointer(context);
    match IN_STACK.get() {
        // A thread that has begun without `pthread_create` and has not called the runtime: what its code uses close to the
        // stack pointer is the stack.
        0 => pointer.is_some_and(|used| used.abs_diff(address) < BELOW),
        // A block may lie below the guard, and what is meant for it far from the stack pointer.
        known => {
            let used = pointer.unwrap_or(known);
            (used.saturating_sub(BELOW)..known).contains(&address)
        }
    }
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

/// The stack pointer of the code that a signal has interrupted.
#[allow(unused_variables)]
fn stack_pointer(context: *const libc::c_void) -> Option<usize> {
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

/// A stack for the signal handlers of this thread, until it is dropped there.
pub(crate) struct SignalStack {
    /// The mapping of the stack, with a guard at its lower end.
    mapping: *mut libc::c_void,
    guard: usize,
}

impl SignalStack {
    /// Gives this thread one; none if it has one, or the system has no memory for it.
    pub(crate) fn begin() -> Option<SignalStack> {
        IN_STACK.set(guard_end().unwrap_or(IN_STACK.get()));
        if has_one() {
            return None;
        }
        let this = SignalStack::map()?;
        this.install().then_some(this)
    }

    /// Makes one that no thread has; none if the system has no memory for it. Allocates nothing.
    pub(crate) fn map() -> Option<SignalStack> {
        // SAFETY: `sysconf` has no preconditions.
        let guard = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let (bytes, flags) = (guard + FOR_SIGNALS, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: without MAP_FIXED the system places the new mapping where nothing is mapped, so it changes no memory
        // that anybody has.
        let mapping = unsafe { libc::mmap(ptr::null_mut(), bytes, libc::PROT_NONE, flags, -1, 0) };
        if mapping == libc::MAP_FAILED {
            return None;
        }
        let this = SignalStack { mapping, guard };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the range begins behind the guard and has the rest of the mapping that was just made, which nobody
        // else knows of.
        let opened = unsafe { libc::mprotect(this.start(), FOR_SIGNALS, access) };
        (opened == 0).then_some(this)
    }

    /// Has the signal handlers of this thread use it, and says whether they do. It is to be dropped on this thread.
    pub(crate) fn install(&self) -> bool {
        let stack = libc::stack_t {
            ss_sp: self.start(),
            ss_flags: 0,
            ss_size: FOR_SIGNALS,
        };
        // SAFETY: `stack` names memory that `map` has made readable and writable, and that stays mapped until `self` is
        // dropped, which takes it off this thread before it unmaps it.
        unsafe { libc::sigaltstack(&stack, ptr::null_mut()) == 0 }
    }

    /// The highest bytes of the stack, for two words. They may be used only while no handler runs on the stack.
    pub(crate) fn top(&self) -> *mut [usize; 2] {
        let end = self.start().wrapping_byte_add(FOR_SIGNALS);
        end.cast::<[usize; 2]>().wrapping_sub(1)
    }

    /// Gives up the ownership: the stack is there until it is owned again by [`SignalStack::of_address`].
    pub(crate) fn into_address(self) -> *mut libc::c_void {
        ManuallyDrop::new(self).mapping
    }

    /// Owns a stack again.
    ///
    /// # Safety
    /// The address is from [`SignalStack::into_address`], and nobody owns the stack.
    pub(crate) unsafe fn of_address(mapping: *mut libc::c_void) -> SignalStack {
        // SAFETY: `sysconf` has no preconditions.
        let guard = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        SignalStack { mapping, guard }
    }

    fn start(&self) -> *mut libc::c_void {
        self.mapping.wrapping_byte_add(self.guard)
    }
}

impl Drop for SignalStack {
    fn drop(&mut self) {
        // The program may have set another since.
        if current().is_some_and(|now| now.ss_sp == self.start()) {
            let none = libc::stack_t {
                ss_sp: ptr::null_mut(),
                ss_flags: libc::SS_DISABLE,
                ss_size: 0,
            };
            // SAFETY: the stack that is taken off is this thread's, and no handler runs on it, since this code of the
            // thread runs on its usual stack.
            unsafe { libc::sigaltstack(&none, ptr::null_mut()) };
        }
        // SAFETY: `begin` has made the mapping with this length, and the thread's handlers do not run on it any more.
        unsafe { libc::munmap(self.mapping, self.guard + FOR_SIGNALS) };
    }
}

/// Whether this thread's signal handlers have a stack of their own. `true` where the system does not say it.
pub(crate) fn has_one() -> bool {
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
