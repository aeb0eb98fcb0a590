//! Which context a thread has: made when it first calls the runtime, ended when it ends.

use crate::device::is_opencl_thread;
use crate::engine::state::context::Context;
use crate::engine::state::end::Interrupt;
use crate::engine::state::fatal::fatal;
use crate::engine::state::runtime::Runtime;
use crate::heap;
use crate::object::edt::Edt;
use crate::object::name::EdtName;
use crate::sched::queues::Local;
use crate::sched::reclaim::begin_worker;
use crate::sched::run_limit::RunLimit;
use crate::stack;
use ocr_base::lock::{Mutex, rank};
use std::cell::Cell;
use std::ffi::c_void;
use std::ptr;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::Ordering;

thread_local! {
    /// The context of a worker.
    static CONTEXT: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
    /// The context of another thread. It may be of a runtime that has ended since. When the thread ends, the destructor
    /// of a key of `pthread` ends it, as late as can be: destructors of the program's may still call the runtime.
    static OUTSIDER: Cell<*mut Context> = const { Cell::new(ptr::null_mut()) };
}

impl Context {
    /// Makes a context for this worker and enters it.
    pub(crate) fn enter(runtime: &'static Runtime, local: Local) -> *mut Context {
        heap::begin_thread();
        begin_worker();
        let context = Context::new(runtime, Some(local));
        CONTEXT.set(context);
        context
    }

    /// Ends this thread's context, if it has one.
    pub(crate) fn leave() {
        Context::end(CONTEXT.replace(ptr::null_mut()), true);
        let outsider = OUTSIDER.get();
        // SAFETY: the pointer is null, or that of this thread's own context, which `Context::end` frees below and not
        // before. Nothing else refers to it here.
        if let Some(this) = unsafe { outsider.as_ref() } {
            // A call of its own, which is over when the context has ended.
            let goes_on = this.enter_when_free();
            OUTSIDER.set(ptr::null_mut());
            Context::end(outsider, goes_on);
            stack::give_back();
        }
    }

    /// Ends a context that this thread had and has forgotten; nothing if it is null. Where its run does not go on,
    /// objects are left as they are.
    fn end(context: *mut Context, goes_on: bool) {
        if context.is_null() {
            return;
        }
        // SAFETY: `new` made this box, and the cell that named it is cleared.
        let mut context = unsafe { Box::from_raw(context) };
        let runtime = context.runtime;
        if context.has_paused() {
            if !runtime.end.is_ending() {
                warning!(
                    "a thread that had paused the runtime (ocrPause) has ended without ocrResume, and so the pause ends. \
                     Call ocrResume in the thread that has called ocrPause, before it ends."
                );
            }
            context.resume();
        }
        if goes_on {
            context.release_held();
            context.let_all_answered_go();
            context.work_off();
        }
        runtime.objects.drain(&mut context.caches);
        let now = &context.tally.now;
        now.holder.store(0, Ordering::Relaxed);
        now.calls.leave_all();
        runtime.registry.leave(&context.tally);
        // The runtime may go with the keeper: after everything that refers to it.
        let keeper = context.keeper.take();
        drop(context);
        drop(keeper);
    }

    /// The context of this thread; made now if it has none. `None` where no runtime runs.
    #[inline]
    pub(crate) fn get() -> Option<*mut Context> {
        let context = CONTEXT.get();
        if !context.is_null() { Some(context) } else { Context::of_outsider() }
    }

    /// The context of this thread for a call, until [`Context::leave_call`]. `None` where no runtime runs.
    ///
    /// Other threads than workers say that they are in one (`sched/calls.rs`).
    #[inline(always)]
    pub(crate) fn enter_call() -> Option<*mut Context> {
        let context = CONTEXT.get();
        if !context.is_null() { Some(context) } else { Context::enter_call_outside() }
    }

    /// Notes that the call is over, for a thread that is no worker.
    #[inline(always)]
    pub(crate) fn leave_call() {
        if CONTEXT.get().is_null() {
            Context::leave_call_outside();
        }
    }

    fn enter_call_outside() -> Option<*mut Context> {
        let context = Context::of_outsider()?;
        stack::before_call();
        // SAFETY: `of_outsider` returns this thread's own context, which lives until `Context::leave`; nothing else
        // refers to it here.
        let this = unsafe { &*context };
        let enters = this.enter_when_free();
        if !enters {
            stack::after_call();
        }
        enters.then_some(context)
    }

    /// Counts this thread in, if the run goes on, when no checkpoint is made. A device's manager is waited for, as is a
    /// call that this one is in, so these do not wait.
    fn enter_when_free(&self) -> bool {
        let calls = &self.tally.now.calls;
        loop {
            let is_inner = calls.any();
            let enters = calls.enter(|| self.runtime.is_current());
            let waits = enters && self.runtime.end.is_called_to(Interrupt::CHECKPOINT);
            if !waits || is_inner || is_opencl_thread() {
                return enters;
            }
            calls.leave();
            self.runtime.wait_for_checkpoint();
        }
    }

    fn leave_call_outside() {
        // SAFETY: the pointer is null, if `Context::leave` has ended the context within the call, or that of this
        // thread's own context, which is alive.
        if let Some(this) = unsafe { OUTSIDER.get().as_ref() } {
            this.tally.now.calls.leave();
            stack::after_call();
        }
    }

    /// A call has panicked, and with it, perhaps, those around it.
    #[cold]
    pub(crate) fn leave_calls() {
        // SAFETY: the pointer is null, or that of this thread's own context, which lives until `Context::leave`.
        if let Some(this) = unsafe { OUTSIDER.get().as_ref() } {
            this.tally.now.calls.leave_all();
            stack::give_back();
        }
    }

    /// Whether this thread is a worker.
    pub(crate) fn is_worker_here() -> bool {
        !CONTEXT.get().is_null()
    }

    /// The EDT that this thread runs, for a signal handler.
    pub(crate) fn running_here() -> Option<&'static Edt> {
        let context = NonNull::new(CONTEXT.get())?;
        // SAFETY: the context is this thread's and alive; nothing is read.
        let current = unsafe { &raw const (*context.as_ptr()).current };
        // SAFETY: the pointer is that of a field of this thread's context, which is alive and which no other thread
        // writes.
        unsafe { current.read_volatile() }
    }

    /// The word about the time limit of a thread that runs EDTs, and whether its function is an attempt, for a signal
    /// handler.
    pub(crate) fn limited_here() -> Option<(&'static RunLimit, bool)> {
        let context = NonNull::new(CONTEXT.get())?;
        // SAFETY: the context is this thread's and alive; only the address of a field is taken, and nothing is read.
        let tally = unsafe { &raw const (*context.as_ptr()).tally };
        // SAFETY: the pointer is that of a field of this thread's context, which is written when the context is made
        // alone. The tally stays as long as that, and so while the handler runs.
        let tally = unsafe { &*tally };
        // SAFETY: as for the address before.
        let attempt = unsafe { &raw const (*context.as_ptr()).attempt };
        // SAFETY: the pointer is that of a field of this thread's context. While a function runs, which the caller asks
        // about, no code changes whether there is an attempt.
        let is_attempt = unsafe { &*attempt }.is_some();
        Some((&tally.now.limit, is_attempt))
    }

    /// The runtime, on a thread that runs EDTs, for a signal handler.
    pub(crate) fn runtime_here() -> Option<&'static Runtime> {
        let context = NonNull::new(CONTEXT.get())?;
        // SAFETY: the context is this thread's and alive; only the address of a field is taken, and nothing is read.
        let runtime = unsafe { &raw const (*context.as_ptr()).runtime };
        // SAFETY: the pointer is that of a field of this thread's context, which is alive and which no other thread
        // writes.
        Some(unsafe { runtime.read_volatile() })
    }

    /// The context of a thread that is not a worker.
    fn of_outsider() -> Option<*mut Context> {
        let context = OUTSIDER.get();
        // SAFETY: the context is this thread's, and nothing refers to it here.
        if let Some(this) = unsafe { context.as_ref() } {
            if this.runtime.is_current() {
                return Some(context);
            }
            // A program with its own `main` has ended that runtime.
            Context::leave();
        }
        Context::enter_outsider()
    }

    #[cold]
    fn enter_outsider() -> Option<*mut Context> {
        let _uncancelled = Uncancelled::begin();
        let runtime = Runtime::current()?;
        // SAFETY: the context, which alone gets this reference, keeps the runtime.
        let this: &'static Runtime = unsafe { &*Arc::as_ptr(&runtime) };
        let context = Context::new(this, None);
        // SAFETY: `Context::new` has made the context just now, and no other pointer to it is in use.
        let new = unsafe { &mut *context };
        new.keeper = Some(runtime);
        // Where the library has the `main`, its thread does none of the program's; to ask for its stack takes long.
        // SAFETY: `gettid` has no preconditions.
        let is_main = unsafe { libc::gettid() } as u32 == std::process::id();
        if this.legacy || !is_main {
            stack::find();
        }
        OUTSIDER.set(context);
        watch_thread();
        Some(context)
    }
}

/// While this lives, `pthread_cancel` does not end this thread, but waits. What is called here reaches cancellation
/// points of the C library, and a thread that is ended in the midst of Rust code ends the process.
struct Uncancelled {
    before: libc::c_int,
}

unsafe extern "C" {
    fn pthread_setcancelstate(state: libc::c_int, before: *mut libc::c_int) -> libc::c_int;
}

impl Uncancelled {
    fn begin() -> Uncancelled {
        const DISABLE: libc::c_int = 1;
        let mut before = 0;
        // SAFETY: `before` is a variable, so its address is valid for a write.
        unsafe { pthread_setcancelstate(DISABLE, &raw mut before) };
        Uncancelled { before }
    }
}

impl Drop for Uncancelled {
    fn drop(&mut self) {
        let mut now = 0;
        // SAFETY: the state is one that the call has given, and `now` is a variable.
        unsafe { pthread_setcancelstate(self.before, &raw mut now) };
    }
}

/// Has [`thread_ends`] called where a thread ends by itself. A destructor of Rust's would be called by `exit` as
/// well, and before those of C++ and of other keys, which may call the runtime.
static KEY: Mutex<rank::ThreadKey, Option<libc::pthread_key_t>> = Mutex::new(None);

/// Has the end of this thread seen to. A worker is to call [`stop_watching`] before.
pub(crate) fn watch_thread() {
    set(1);
}

/// Lets the calling thread end from here on without a message.
pub(crate) fn stop_watching() {
    set(0);
}

fn set(watched: usize) {
    let key = *KEY.lock().get_or_insert_with(|| {
        let mut key = 0;
        // SAFETY: `key` is a variable, so its address is valid for a write, and `thread_ends` may be called at the end
        // of any thread.
        let error = unsafe { libc::pthread_key_create(&raw mut key, Some(thread_ends)) };
        assert_eq!(error, 0, "the system gives each process some keys");
        key
    });
    // SAFETY: the key was created, and is never deleted.
    unsafe { libc::pthread_setspecific(key, ptr::without_provenance(watched)) };
}

/// Called by the C library on a thread that ends and is watched.
extern "C" fn thread_ends(_: *mut c_void) {
    if !Context::is_worker_here() {
        // If another destructor calls the runtime, the thread is watched again, and this called again.
        Context::leave();
        return;
    }
    // It would not be seen later that nothing comes of what it did: it counts as at work.
    let (who, whose) = match Context::running_here() {
        Some(edt) => (EdtName::of(edt).to_string(), "its EDT"),
        None => ("a function of the program".to_string(), "that function"),
    };
    fatal(&format!(
        "{who} has ended the worker that it ran on: it called pthread_exit (or the thread was cancelled). The \
         runtime needs its workers, and waits for {whose} to return: end an EDT with return NULL_GUID."
    ));
}
