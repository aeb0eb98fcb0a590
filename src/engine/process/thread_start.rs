//! The beginning of the threads that `pthread_create` starts. Each gets a stack for signal handlers before it runs anything, so
//! that it is told if its own is full (`crash/`): threads of the program, and of OpenCL, that never call the runtime.
//!
//! `src/capi/thread.c` defines `pthread_create` and calls what is here. Nothing here allocates or takes a lock: a thread may
//! be started from within an allocator, and in a process that was forked.
//!
//! | the stack | who owns it | left by |
//! |---|---|---|
//! | prepared | the thread that creates the other | the other begins; or it is not started, and the stack is unmapped |
//! | in use | the new thread, by the value of a key | the thread ends, however it does: the destructor of the key unmaps it |
//!
//! A thread that has a stack for handlers when it begins keeps it: another definition of `pthread_create`, between this one and
//! the C library's, may have given it one. A worker that gets its stack here finds it, and makes none
//! ([`SignalStack::begin`]).

use crate::engine::state::stack::{SignalStack, has_one, note_beginning};
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

/// The function that a thread runs, as `pthread_create` gets it. A program may give null, which crashes in the thread.
type Routine = Option<unsafe extern "C" fn(*mut c_void) -> *mut c_void>;

/// What a thread is to do. C has the same declaration.
#[repr(C)]
struct ThreadStart {
    routine: Routine,
    argument: *mut c_void,
}

const _: () = assert!(size_of::<ThreadStart>() == size_of::<[usize; 2]>());

/// The key whose value is the stack of each thread, plus 1; 0 if there is none yet. Relaxed, since the number alone is used:
/// nothing else has to be seen by who reads it.
static KEY: AtomicU64 = AtomicU64::new(0);

/// The key; made now if there is none. `None` where the process has as many as it may have.
fn key() -> Option<libc::pthread_key_t> {
    let known = KEY.load(Ordering::Relaxed);
    if known != 0 {
        return Some((known - 1) as libc::pthread_key_t);
    }
    let mut made: libc::pthread_key_t = 0;
    // SAFETY: `made` is a variable, so its address is valid for a write, and `thread_ends` may be called at the end of
    // any thread with a value that `ocrThreadBegins` has set.
    if unsafe { libc::pthread_key_create(&raw mut made, Some(thread_ends)) } != 0 {
        return None;
    }
    match KEY.compare_exchange(0, u64::from(made) + 1, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => Some(made),
        Err(other) => {
            // SAFETY: the key was made just now, and nobody else knows of it.
            unsafe { libc::pthread_key_delete(made) };
            Some((other - 1) as libc::pthread_key_t)
        }
    }
}

/// Makes the key. Called as the process begins: the C library keeps the values of the first keys in the thread itself, and
/// allocates for those of later ones.
#[unsafe(no_mangle)]
extern "C" fn ocrThreadsMayStart() {
    key();
}

/// Prepares a stack for a thread that is to do this. Null if there is no memory for it.
///
/// What it returns is for one call of [`ocrThreadBegins`] or of [`ocrThreadIsNotStarted`].
#[unsafe(no_mangle)]
extern "C" fn ocrThreadIsPrepared(routine: Routine, argument: *mut c_void) -> *mut c_void {
    let stack = match key() {
        Some(_) => SignalStack::map(),
        None => None,
    };
    let Some(stack) = stack else {
        return ptr::null_mut();
    };
    let start = ThreadStart { routine, argument };
    // SAFETY: the place is at the end of a mapping that was just made and can be written. It is aligned for two words,
    // of which a `ThreadStart` is made, and no thread has the stack for its handlers yet.
    unsafe { stack.top().cast::<ThreadStart>().write(start) };
    stack.into_address()
}

/// Gives the calling thread the stack that was prepared for it, and says what the thread is to do.
///
/// # Safety
/// `prepared` is from [`ocrThreadIsPrepared`], is not null, and is used here alone. The thread has just begun.
#[unsafe(no_mangle)]
unsafe extern "C" fn ocrThreadBegins(prepared: *mut c_void) -> ThreadStart {
    // SAFETY: the address is of a stack that nobody owns, and is used once, as the caller promises.
    let stack = unsafe { SignalStack::of_address(prepared) };
    // SAFETY: `ocrThreadIsPrepared` has written it there, and no handler has run on the stack, which no thread has.
    let start = unsafe { stack.top().cast::<ThreadStart>().read() };
    note_beginning();
    let Some(key) = key() else {
        return start;
    };
    // SAFETY: the key was made and is never deleted. The value is for `thread_ends`, which wants it so.
    let is_kept = !has_one() && unsafe { libc::pthread_setspecific(key, prepared) } == 0;
    // The C library may have no memory for the value: then the stack is unmapped here, and the thread has none.
    if is_kept {
        stack.install();
        stack.into_address();
    }
    start
}

/// Unmaps a stack whose thread was not started.
///
/// # Safety
/// `prepared` is from [`ocrThreadIsPrepared`], is not null, and is used here alone.
#[unsafe(no_mangle)]
unsafe extern "C" fn ocrThreadIsNotStarted(prepared: *mut c_void) {
    // SAFETY: the address is of a stack that nobody owns, and is used once, as the caller promises.
    drop(unsafe { SignalStack::of_address(prepared) });
}

/// Called by the C library on a thread that ends, with the address of its stack.
extern "C" fn thread_ends(stack: *mut c_void) {
    // SAFETY: the value of the key is an address of a stack that nobody owns, as `ocrThreadBegins` has set it. The C library
    // sets it to null before it calls this, so it is used once.
    drop(unsafe { SignalStack::of_address(stack) });
}
