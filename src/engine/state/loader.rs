//! The lock of the dynamic loader, which a thread holds while it runs the constructor or destructor of a library that
//! the program opens or closes. A run, and waiting, work there: the runtime's threads need that lock for nothing
//! (`.packaging/static-library` says how). Drivers of OpenCL need it for each kernel, so devices are left alone
//! meanwhile.
//!
//! | while a thread that holds the lock | then |
//! |---|---|
//! | adds a kernel, or asks for devices | none is opened, and the kernel is not for devices |
//! | waits in a call, and another does that | the same |
//! | waits in a call for what a device does already, whose driver comes to need the lock | nothing can go on: the thread that watches ends the program (`process/patience.rs`) |
//!
//! When the process ends, libraries of OpenCL may have ended before: a run that begins in a destructor then uses no
//! device.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

unsafe extern "C" {
    /// Whether the thread with this number holds the lock, and if so, whether another wants it (`src/capi/loader.c`).
    safe fn ocrLoaderIsHeldBy(thread: libc::c_int, is_wanted: &mut bool) -> bool;
}

/// The thread that holds the lock and waits in a call; 0: none does. The lock has one holder at a time. Relaxed: who
/// sees a store late opens a device, and the thread that watches finds the number at its next look.
static WAITS: AtomicI32 = AtomicI32::new(0);

/// Whether the process ends. Relaxed: it is read on the thread that ends the process, or on one that it has started
/// since.
static ENDS: AtomicBool = AtomicBool::new(false);

/// Why a kernel that was added under the lock is not for devices.
pub(crate) const HELD: &str = "a thread waits for the runtime in the constructor or destructor of a library, or \
     calls it there, and until that is over OpenCL's drivers can load nothing: add kernels, or begin the run, when \
     dlopen() or dlclose() has returned";

const ENDING: &str = "the process ends, and libraries of OpenCL may have ended before: use devices before main returns";

fn own_number() -> libc::c_int {
    // SAFETY: `gettid` has no preconditions.
    unsafe { libc::gettid() }
}

/// This thread waits in a call, until what is returned is dropped. Nothing where it does not hold the lock.
pub(crate) fn waits() -> Option<WaitsUnderLock> {
    let this = own_number();
    if !ocrLoaderIsHeldBy(this, &mut false) {
        return None;
    }
    let before = WAITS.swap(this, Ordering::Relaxed);
    Some(WaitsUnderLock(before))
}

/// A thread that holds the lock waits. What stood there before comes back, since an EDT may wait within another's wait.
pub(crate) struct WaitsUnderLock(libc::c_int);

impl Drop for WaitsUnderLock {
    fn drop(&mut self) {
        WAITS.store(self.0, Ordering::Relaxed);
    }
}

/// The number of a thread that holds the lock and waits in a call, if another thread waits for the lock.
pub(crate) fn wanted_from() -> Option<libc::c_int> {
    let holder = WAITS.load(Ordering::Relaxed);
    let mut is_wanted = false;
    let holds = holder != 0 && ocrLoaderIsHeldBy(holder, &mut is_wanted);
    (holds && is_wanted).then_some(holder)
}

/// The process ends.
pub(crate) fn process_ends() {
    ENDS.store(true, Ordering::Relaxed);
}

/// Why no device can be opened, and no kernel built, now.
pub(crate) fn why_no_devices() -> Option<&'static str> {
    if ENDS.load(Ordering::Relaxed) {
        return Some(ENDING);
    }
    let is_held = WAITS.load(Ordering::Relaxed) != 0 || ocrLoaderIsHeldBy(own_number(), &mut false);
    is_held.then_some(HELD)
}
