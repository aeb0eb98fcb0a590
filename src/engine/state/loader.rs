//! The lock of the dynamic loader, which a thread holds while it runs the constructor or destructor of a library that
//! the program opens or closes. A run, and waiting, work there: the runtime's threads need that lock for nothing
//! (`.packaging/static-library` says how). Drivers of OpenCL need it for each kernel, so devices are left alone
//! meanwhile.
//!
//! | while a thread that holds the lock | then |
//! |---|---|
//! | waits for another that begins the first run of the process | that one waits for the lock, and the program ends after some patience |
//! | adds a kernel, or asks for devices | none is opened, and the kernel is not for devices |
//! | waits in a call, and another does that | the same |
//! | waits in a call for what a device does already, whose driver comes to need the lock | nothing can go on: the thread that watches ends the program (`process/patience.rs`) |
//!
//! When the process ends, libraries of OpenCL may have ended before: a run that begins in a destructor then uses no
//! device.

use crate::engine::state::end::FATAL_STATUS;
use crate::engine::state::fatal::exit_now;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::time::{Duration, Instant};

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

/// Whether a run of this process has begun. Relaxed: who sees the store late looks once more.
static HAS_BEGUN: AtomicBool = AtomicBool::new(false);

/// The thread that begins the first run. It is stored before the thread that reads it is started.
static BEGINS: AtomicI32 = AtomicI32::new(0);

/// The first run of the process begins, until this is dropped.
pub(crate) struct FirstRun(());

impl Drop for FirstRun {
    fn drop(&mut self) {
        HAS_BEGUN.store(true, Ordering::Relaxed);
    }
}

/// Has the beginning of the first run watched: to start its first thread, the standard library of Rust looks a name up,
/// which waits while another thread has the lock. That ends the program with a message after so much patience.
pub(crate) fn watch_first_run(patience: Option<Duration>) -> Option<FirstRun> {
    let patience = patience.filter(|_| !HAS_BEGUN.load(Ordering::Relaxed))?;
    BEGINS.store(own_number(), Ordering::Relaxed);
    let seconds = ptr::without_provenance_mut(patience.as_secs().max(1) as usize);
    let mut thread = 0;
    // SAFETY: `thread` is a variable, and `watch` takes any number in the place of a pointer. Without one more thread,
    // nothing is watched.
    let error = unsafe { libc::pthread_create(&raw mut thread, ptr::null(), watch, seconds) };
    if error == 0 {
        // SAFETY: the thread was made just now, and nobody waits for it.
        unsafe { libc::pthread_detach(thread) };
    }
    Some(FirstRun(()))
}

/// A thread of its own, made without the standard library of Rust.
extern "C" fn watch(seconds: *mut c_void) -> *mut c_void {
    let patience = Duration::from_secs(seconds.addr() as u64);
    let begin = Instant::now();
    while !HAS_BEGUN.load(Ordering::Relaxed) {
        if begin.elapsed() < patience {
            std::thread::sleep(Duration::from_millis(1));
            continue;
        }
        if let Some(name) = other_holder(BEGINS.load(Ordering::Relaxed)) {
            error!(
                "the run cannot begin: thread \"{name}\" opens or closes a library, or is in the constructor or destructor \
                 of one, and so it keeps the dynamic loader's lock. For {} s the run has waited for that lock, which it needs \
                 to start its first worker. Begin it on that thread, or when dlopen() or dlclose() has returned.",
                patience.as_secs()
            );
            exit_now(FATAL_STATUS);
        }
        break;
    }
    ptr::null_mut()
}

/// The name of another thread that holds the lock, if one does.
fn other_holder(this: libc::c_int) -> Option<String> {
    let tasks = std::fs::read_dir("/proc/self/task").ok()?;
    let mut numbers = tasks.flatten().filter_map(|task| task.file_name().to_str()?.parse::<libc::c_int>().ok());
    let holder = numbers.find(|&number| number != this && ocrLoaderIsHeldBy(number, &mut false))?;
    let name = std::fs::read_to_string(format!("/proc/self/task/{holder}/comm")).unwrap_or_default();
    Some(name.trim_end().to_string())
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
