//! The memory that the runtime takes for itself: the C library's, and what happens where there is none.
//!
//! | what asks | gets, where the C library has none |
//! |---|---|
//! | a step that can be refused, in [`may_fail`] | none: its call answers `OCR_ENOMEM` |
//! | any other | memory that is kept for that (`reserve.rs`) |
//! | any other, when that is used up, too | no answer: a message, and the process ends |
//!
//! New objects are refused while the reserve is in use, so what is left of it is for what must not fail.

mod reserve;

use crate::message::say;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Whether new objects must be refused, since what is kept for the old ones is in use, and there is no memory.
#[cold]
pub(crate) fn is_low() -> bool {
    // What has grown into the reserve grows to twice its size next.
    reserve::is_low().is_some_and(|given| !can_have((4 * given).max(64 << 10)))
}

/// Whether the C library has `bytes` bytes now.
pub(crate) fn can_have(bytes: usize) -> bool {
    let Ok(layout) = Layout::from_size_align(bytes.max(1), 16) else {
        return false;
    };
    // SAFETY: the size of the layout is at least 1.
    let memory = unsafe { System.alloc(layout) };
    if memory.is_null() {
        return false;
    }
    // SAFETY: `System.alloc` has returned this memory for the same layout, and it is not used.
    unsafe { System.dealloc(memory, layout) };
    true
}

/// How many bytes are kept for each object that a new arena has room for, of whatever kind. Relaxed: the thread that
/// makes the arenas sets it before.
static KEPT_FOR_EACH: AtomicUsize = AtomicUsize::new(0);

/// What strict mode remembers of an object, in tables that double.
const STRICT_KEEPS: usize = 256;

/// A run begins, in strict mode or not, with `workers` workers, and has no arenas yet.
pub(crate) fn begin(strict: bool, workers: usize) {
    KEPT_FOR_EACH.store(if strict { STRICT_KEEPS } else { 0 }, Ordering::Relaxed);
    // The C library takes `FOR_THREAD` bytes of addresses for each thread that asks it for memory, and twice as many
    // for a moment.
    const FOR_THREAD: usize = 128 << 20;
    const OTHERS: usize = 8;
    if limit().is_some_and(|limit| limit / FOR_THREAD < 4 * (workers + OTHERS)) {
        // SAFETY: `mallopt` has no preconditions. Threads that come later share what the first one has.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// The limit of the process on addresses in MiB, for a message; none if there is none.
pub(crate) fn limit_in_mib() -> Option<usize> {
    Some(limit()? >> 20)
}

/// How many bytes new arenas keep for each object.
pub(crate) fn kept_for_each() -> usize {
    KEPT_FOR_EACH.load(Ordering::Relaxed)
}

/// Has `bytes` bytes kept for queues and tables that grow with new objects; false where there are none.
pub(crate) fn hold(bytes: usize) -> bool {
    bytes == 0 || cfg!(miri) || reserve::hold(bytes)
}

/// Lets bytes go that [`hold`] has kept, since they need not be kept any more.
pub(crate) fn let_go(bytes: usize) {
    if bytes != 0 && !cfg!(miri) {
        reserve::let_go(bytes);
    }
}

/// Has room for what this thread registers later: the standard library keeps a list of the thread-local values that
/// are dropped at a thread's end. It takes the list's memory from the system itself, and ends the process where that
/// has none. The list has room for four values, for eight, then for sixteen: nine are registered, which leaves seven.
pub(crate) fn begin_thread() {
    struct Registered;
    impl Drop for Registered {
        fn drop(&mut self) {}
    }
    macro_rules! register {
        ($($name:ident)*) => {
            thread_local! { $(static $name: Registered = const { Registered };)* }
            $($name.with(|_| {});)*
        };
    }
    register!(A B C D E F G H I);
}

thread_local! {
    /// Whether what this thread asks for may be refused.
    static MAY_FAIL: Cell<bool> = const { Cell::new(false) };
}

/// Asks for memory in such a way that it may be refused, as by `try_reserve`: the reserve is not for that.
pub(crate) fn may_fail<T>(ask: impl FnOnce() -> T) -> T {
    let before = MAY_FAIL.replace(true);
    let answer = ask();
    MAY_FAIL.set(before);
    answer
}

/// Ends the process, which cannot go on without these bytes. That needs no memory.
#[cold]
pub(crate) fn run_out(bytes: usize) -> ! {
    /// Whether a thread has begun to say that there is no memory.
    static TOLD: AtomicBool = AtomicBool::new(false);
    if TOLD.swap(true, Ordering::Relaxed) {
        loop {
            // SAFETY: `pause` has no preconditions.
            unsafe { libc::pause() };
        }
    }
    // SAFETY: the function of `shim.c` takes no argument and has no preconditions.
    unsafe { ocrFlushStreams() };
    let (mapped, resident) = used();
    say(|text| {
        write!(
            text,
            "ocr: error: memory has run out in a step that no call could be refused for: the runtime needed {bytes} bytes of \
             memory for its own objects and there were none. The process has {} MiB of addresses, {} MiB of them in memory",
            mapped >> 20,
            resident >> 20
        )?;
        if let Some(limit) = limit() {
            write!(text, ", and a limit of {} MiB (ulimit -v)", limit >> 20)?;
        }
        text.write_str(
            ". Let fewer EDTs, events and data blocks be alive at a time, look at what calls return (OCR_ENOMEM), or raise \
             what limits the process (ulimit -v, the memory of its control group).\n",
        )
    });
    // SAFETY: `_exit` has no preconditions; the process ends here.
    unsafe { libc::_exit(1) };
}

unsafe extern "C" {
    /// Writes what the program has printed through C's streams (`src/capi/shim.c`).
    fn ocrFlushStreams() -> libc::c_int;
}

/// How many bytes of addresses the process has, and how many of them are in memory; 0 if the system does not say.
fn used() -> (usize, usize) {
    let mut bytes = [0u8; 128];
    // SAFETY: the path is a C string. `O_RDONLY` asks for no third argument.
    let file = unsafe { libc::open(c"/proc/self/statm".as_ptr(), libc::O_RDONLY) };
    // SAFETY: the array has room for as many bytes as are asked for. A descriptor that could not be opened is -1,
    // which the system refuses.
    let len = unsafe { libc::read(file, bytes.as_mut_ptr().cast(), bytes.len()) };
    // SAFETY: the descriptor was opened here and no other thread has it, or it is -1, which the system refuses.
    unsafe { libc::close(file) };
    // SAFETY: `sysconf` has no preconditions, and touches no memory of the caller.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
    let len = usize::try_from(len).unwrap_or(0);
    let text = std::str::from_utf8(&bytes[..len]).unwrap_or_default();
    let mut numbers = text.split(' ').map(|word| word.parse().unwrap_or(0) * page);
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// The limit of the process's addresses, if there is one.
fn limit() -> Option<usize> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` is a valid place for one `rlimit`.
    unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) };
    (limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur as usize)
}

struct Heap;

#[global_allocator]
static HEAP: Heap = Heap;

/// The C library has no memory for this.
#[cold]
fn lacking(layout: Layout) -> *mut u8 {
    if MAY_FAIL.get() {
        return ptr::null_mut();
    }
    match reserve::take(layout) {
        Some(memory) => memory.as_ptr(),
        None => run_out(layout.size()),
    }
}

// SAFETY: all is the system's, or the reserve's, which gives each piece away once until it comes back.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout's size is not 0, which the caller of `alloc` promises.
        let memory = unsafe { System.alloc(layout) };
        if memory.is_null() { lacking(layout) } else { memory }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the layout's size is not 0, which the caller of `alloc_zeroed` promises.
        let memory = unsafe { System.alloc_zeroed(layout) };
        if memory.is_null() {
            match NonNull::new(lacking(layout)) {
                Some(memory) => {
                    // SAFETY: the memory was allocated with this layout, so it has as many bytes, and no other thread
                    // knows it.
                    unsafe { memory.write_bytes(0, layout.size()) };
                    memory.as_ptr()
                }
                None => ptr::null_mut(),
            }
        } else {
            memory
        }
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        if reserve::has(memory) {
            reserve::give_back(memory, layout);
        } else {
            // SAFETY: the caller promises that this allocator gave the memory out with this layout. It is not the
            // reserve's, so it is the system's.
            unsafe { System.dealloc(memory, layout) }
        }
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        if !reserve::has(memory) {
            // SAFETY: the caller promises that this allocator gave the memory out with this layout, and that `bytes`
            // is a size for it. It is not the reserve's, so it is the system's.
            let larger = unsafe { System.realloc(memory, layout, bytes) };
            if !larger.is_null() {
                return larger;
            }
        }
        // SAFETY: what `moved` asks for is what the caller of `realloc` promises. The system has not moved the
        // memory, since it gave none.
        unsafe { moved(self, memory, layout, bytes) }
    }
}

/// Moves memory to where there is some, by hand.
///
/// # Safety
/// As for `realloc`.
#[cold]
unsafe fn moved(heap: &Heap, memory: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
    // SAFETY: the caller promises that `bytes` does not overflow when it is rounded up to this alignment, which is
    // that of a layout.
    let wanted = unsafe { Layout::from_size_align_unchecked(bytes, layout.align()) };
    // SAFETY: the caller promises that `bytes`, the size of the layout, is not 0.
    let new = unsafe { heap.alloc(wanted) };
    if !new.is_null() {
        // SAFETY: both are at least this large, and the new one is not in use yet.
        unsafe { new.copy_from_nonoverlapping(memory, layout.size().min(bytes)) };
        // SAFETY: the caller promises that the heap gave the memory out with this layout, and does not use it any
        // more.
        unsafe { heap.dealloc(memory, layout) };
    }
    new
}
