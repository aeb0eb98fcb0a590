//! What wakes the thread that watches (`watchdog.rs`): a semaphore, which signal handlers may post, and whether that
//! thread is there.

use std::cell::UnsafeCell;
use std::io::Error;
use std::mem::MaybeUninit;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU32, Ordering};

/// The program hangs unless a thread of its own does something.
pub(super) static SUSPECTED: AtomicBool = AtomicBool::new(false);

pub(super) struct Semaphore(UnsafeCell<MaybeUninit<libc::sem_t>>);

// SAFETY: the semaphore is reached by `get` alone, which initialises it once before it gives its address. The functions
// of a semaphore may be called by several threads at a time.
unsafe impl Sync for Semaphore {}

pub(super) static SEMAPHORE: Semaphore = Semaphore(UnsafeCell::new(MaybeUninit::uninit()));
static READY: Once = Once::new();

impl Semaphore {
    pub(super) fn get(&self) -> *mut libc::sem_t {
        READY.call_once(|| {
            // SAFETY: `Once` has one thread run this, and the others get no address before it has ended, so no thread
            // uses the semaphore yet. The place has its size and alignment.
            unsafe { libc::sem_init(self.0.get().cast(), 0, 0) };
        });
        self.0.get().cast()
    }

    fn post(&self) {
        // SAFETY: `get` has initialised the semaphore, which is never destroyed.
        unsafe { libc::sem_post(self.get()) };
    }

    /// True if it was that time first.
    pub(super) fn wait_until(&self, time: &libc::timespec) -> bool {
        // SAFETY: `get` has initialised the semaphore, which is never destroyed, and `time` is a reference. An
        // interrupted wait counts as a post.
        let result = unsafe { libc::sem_timedwait(self.get(), time) };
        result != 0 && Error::last_os_error().raw_os_error() == Some(libc::ETIMEDOUT)
    }
}

/// Has the watching thread look around.
pub(crate) fn look() {
    SEMAPHORE.post();
}

/// Has it look again whether the program hangs.
pub(crate) fn suspect() {
    if !SUSPECTED.swap(true, Ordering::SeqCst) {
        look();
    }
}

/// The process that has the thread that watches, or is about to; 0: none.
pub(super) static PROCESS: AtomicU32 = AtomicU32::new(0);

/// The thread that watches, by the system's number; 0: none yet. Relaxed: a thread reads what it has written itself.
pub(super) static THREAD: AtomicI32 = AtomicI32::new(0);

/// Whether there is a thread that watches, in this process, and not this one. For the handler of a signal, too.
pub(crate) fn is_here() -> bool {
    // SAFETY: `gettid` has no preconditions.
    let this = unsafe { libc::gettid() };
    PROCESS.load(Ordering::SeqCst) == std::process::id() && THREAD.load(Ordering::Relaxed) != this
}

/// The thread that watches, by the system's number; 0: none yet.
pub(crate) fn thread() -> libc::pid_t {
    THREAD.load(Ordering::Relaxed)
}
