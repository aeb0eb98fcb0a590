//! Memory that is kept for when there is none: what the runtime cannot be refused, such as room in a queue for an EDT
//! that was created, or the text of a warning, comes from here then. What can be refused is, so that it lasts.
//!
//! | part | for | has |
//! |---|---|---|
//! | the pool | whatever is small | a megabyte of the program's zeros, of which nothing is touched before |
//! | the hold | what has no room there: queues and tables that grow with the objects | as many bytes as the arenas have asked for with their chunks ([`hold`]); addresses, of which nothing is touched |
//!
//! Nothing here allocates or waits for anything but a spin lock, which is held for a few instructions.

use std::alloc::Layout;
use std::cell::UnsafeCell;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The pool is given away in pieces of this size.
const UNIT: usize = 64;
const POOL_BYTES: usize = 1 << 20;
const WORDS: usize = POOL_BYTES / UNIT / 64;
/// More than this comes from the hold. It leaves room for others.
const POOL_MOST: usize = POOL_BYTES / 8;
/// Where more than these bytes of the pool are in use, or any of the hold, a step that can be refused is.
const LOW: usize = POOL_BYTES / 8;
/// The largest alignment there is here.
const ALIGN: usize = 4096;

#[repr(C, align(4096))]
struct ReservePool(UnsafeCell<[u8; POOL_BYTES]>);

// SAFETY: a reference to the pool gives only the address of its bytes. A piece is written by the caller of `take` that
// got it alone, until the caller gives it back, since pieces that are in use do not overlap (`ReserveState::used`).
unsafe impl Sync for ReservePool {}

static POOL: ReservePool = ReservePool(UnsafeCell::new([0; POOL_BYTES]));

/// How many units of the pool are in use. Written under the lock; others take it as a guess.
static USED: AtomicUsize = AtomicUsize::new(0);

struct LockedReserve {
    is_locked: AtomicBool,
    state: UnsafeCell<ReserveState>,
}

// SAFETY: `state` is reached in `locked` alone, by the thread that has set `is_locked`. The release store there and the
// acquire swap order one such thread before the next.
unsafe impl Sync for LockedReserve {}

static STATE: LockedReserve =
    LockedReserve { is_locked: AtomicBool::new(false), state: UnsafeCell::new(ReserveState::NEW) };

struct ReserveState {
    /// A bit for each unit of the pool.
    used: [u64; WORDS],
    /// How many units of the pool are in use: bits in `used`.
    units: usize,
    hold: HeldLock,
}

/// Addresses that are mapped, from which pieces are given one behind the other, until all have come back.
struct HeldLock {
    /// Where the mapping begins; 0: there is none.
    start: usize,
    bytes: usize,
    wanted: usize,
    /// The bytes from the start on that have been given away.
    given: usize,
    /// The number of pieces that have not come back.
    alive: usize,
}

fn locked<R>(f: impl FnOnce(&mut ReserveState) -> R) -> R {
    // Pairs with the store below.
    while STATE.is_locked.swap(true, Ordering::Acquire) {
        std::thread::yield_now();
    }
    // SAFETY: this thread has set `is_locked` and no other reaches the state before it clears that. The closures that
    // are passed here call no function of this file that locks, so this is the only reference.
    let state = unsafe { &mut *STATE.state.get() };
    let result = f(state);
    USED.store(state.units, Ordering::Relaxed);
    IS_HOLD_USED.store(state.hold.alive != 0, Ordering::Relaxed);
    STATE.is_locked.store(false, Ordering::Release);
    result
}

impl ReserveState {
    const NEW: ReserveState = ReserveState {
        used: [0; WORDS],
        units: 0,
        hold: HeldLock { start: 0, bytes: 0, wanted: 0, given: 0, alive: 0 },
    };

    fn is_used(&self, unit: usize) -> bool {
        self.used[unit / 64] >> (unit % 64) & 1 != 0
    }

    fn set_used(&mut self, units: std::ops::Range<usize>, used: bool) {
        let count = units.len();
        self.units = if used { self.units + count } else { self.units - count };
        for unit in units {
            let bit = 1 << (unit % 64);
            if used {
                self.used[unit / 64] |= bit;
            } else {
                self.used[unit / 64] &= !bit;
            }
        }
    }

    /// Memory for this layout, of the pool or of the hold; none if neither has room.
    fn take(&mut self, layout: Layout) -> Option<NonNull<u8>> {
        if layout.align() > ALIGN {
            return None;
        }
        let unit = if layout.size() <= POOL_MOST { self.take_units(units_of(layout), layout.align()) } else { None };
        match unit {
            Some(unit) => NonNull::new(pool_start().wrapping_add(unit * UNIT)),
            None => NonNull::new(std::ptr::with_exposed_provenance_mut(self.hold.take(layout)?)),
        }
    }

    /// Takes memory back that was given out.
    fn give_back(&mut self, memory: *mut u8, layout: Layout) {
        if let Some(at) = place_in_pool(memory) {
            self.set_used(at / UNIT..at / UNIT + units_of(layout), false);
            return;
        }
        self.hold.alive -= 1;
        if self.hold.alive == 0 {
            // Where there is still no memory for what is wanted, the next chunk asks again.
            self.hold.fit();
        }
    }

    /// A piece of the pool, by its first unit: the first that is free.
    fn take_units(&mut self, count: usize, align: usize) -> Option<usize> {
        let step = align.div_ceil(UNIT);
        let mut first = 0;
        while first + count <= WORDS * 64 {
            match (first..first + count).rev().find(|&unit| self.is_used(unit)) {
                Some(used) => first = (used + 1).next_multiple_of(step),
                None => {
                    self.set_used(first..first + count, true);
                    return Some(first);
                }
            }
        }
        None
    }
}

impl HeldLock {
    fn take(&mut self, layout: Layout) -> Option<usize> {
        let at = (self.start + self.given).next_multiple_of(layout.align());
        let end = at.checked_add(layout.size())?;
        if self.start == 0 || end > self.start + self.bytes {
            return None;
        }
        self.given = end - self.start;
        self.alive += 1;
        Some(at)
    }

    fn has(&self, memory: *mut u8) -> bool {
        self.alive != 0 && memory.addr().wrapping_sub(self.start) < self.bytes
    }

    fn more(&mut self, bytes: usize) -> bool {
        self.wanted += bytes;
        let fits = self.fit();
        if !fits {
            self.wanted -= bytes;
        }
        fits
    }

    fn less(&mut self, bytes: usize) {
        self.wanted -= bytes;
        self.fit();
    }

    /// Has as many addresses as are wanted, if none is in use.
    fn fit(&mut self) -> bool {
        if self.alive != 0 {
            return self.bytes >= self.wanted;
        }
        self.given = 0;
        match map(self.start, self.bytes, self.wanted) {
            Some(start) => {
                (self.start, self.bytes) = (start, self.wanted);
                true
            }
            None => false,
        }
    }
}

/// Makes a mapping of another size of this one, of which nothing was touched or is needed; 0 is none.
fn map(start: usize, bytes: usize, wanted: usize) -> Option<usize> {
    let mapped = |at: *mut libc::c_void| (at != libc::MAP_FAILED).then_some(at.addr());
    let old = std::ptr::with_exposed_provenance_mut::<libc::c_void>(start);
    if wanted == 0 {
        if start != 0 {
            // SAFETY: `start` and `bytes` are those of a mapping that `map` made or resized before, and `HeldLock::fit`
            // calls this while no piece of it is in use.
            unsafe { libc::munmap(old, bytes) };
        }
        return Some(0);
    }
    if start != 0 {
        // SAFETY: `start` and `bytes` are those of a mapping that `map` made or resized before. `HeldLock::fit` calls
        // this while no piece of it is in use, so no thread has an address in it that the move would make wrong.
        let new = unsafe { libc::mremap(old, bytes, wanted, libc::MREMAP_MAYMOVE) };
        new.expose_provenance();
        return mapped(new);
    }
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: without MAP_FIXED the system places the new mapping where nothing is mapped, so it changes no memory that
    // anybody has.
    let new = unsafe { libc::mmap(std::ptr::null_mut(), wanted, protection, flags, -1, 0) };
    new.expose_provenance();
    mapped(new)
}

fn pool_start() -> *mut u8 {
    POOL.0.get().cast()
}

/// Where a piece of memory lies in the pool.
fn place_in_pool(memory: *mut u8) -> Option<usize> {
    let at = memory.addr().wrapping_sub(pool_start().addr());
    (at < POOL_BYTES).then_some(at)
}

fn units_of(layout: Layout) -> usize {
    layout.size().div_ceil(UNIT).max(1)
}

/// Memory for this layout, whose content is anything.
pub(super) fn take(layout: Layout) -> Option<NonNull<u8>> {
    locked(|state| state.take(layout))
}

/// Takes memory back that is from here.
#[cold]
pub(super) fn give_back(memory: *mut u8, layout: Layout) {
    locked(|state| state.give_back(memory, layout));
}

/// Whether a piece of the hold is in use. Written under the lock. Relaxed: a thread that asks about such a piece was
/// handed it by the thread that has taken it, and sees what was written then.
static IS_HOLD_USED: AtomicBool = AtomicBool::new(false);

/// Whether memory is from here.
#[inline]
pub(super) fn has(memory: *mut u8) -> bool {
    place_in_pool(memory).is_some() || IS_HOLD_USED.load(Ordering::Relaxed) && in_hold(memory)
}

#[cold]
fn in_hold(memory: *mut u8) -> bool {
    locked(|state| state.hold.has(memory))
}

/// Has `bytes` bytes more kept, for queues and tables that grow with new objects. False, and nothing is done, where
/// they cannot be had, or what was kept is in use: then there shall be no new objects.
pub(super) fn hold(bytes: usize) -> bool {
    locked(|state| state.hold.more(bytes))
}

/// Lets bytes go that [`hold`] has kept, since they need not be kept any more.
pub(super) fn let_go(bytes: usize) {
    locked(|state| state.hold.less(bytes));
}

/// How many bytes of the hold are in use. None unless so much is in use that steps which can be refused should be.
pub(super) fn is_low() -> Option<usize> {
    let given = || locked(|state| state.hold.given);
    if IS_HOLD_USED.load(Ordering::Relaxed) {
        Some(given())
    } else {
        (USED.load(Ordering::Relaxed) * UNIT > LOW).then_some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(bytes: usize, align: usize) -> Layout {
        Layout::from_size_align(bytes, align).expect("a layout")
    }

    #[test]
    fn what_is_taken_of_the_pool_is_apart_and_comes_back() {
        let mut state = Box::new(ReserveState::NEW);
        let sizes = [1, 64, 65, 1000, 5000, 100_000];
        let mut taken: Vec<(usize, Layout)> = Vec::new();
        for _ in 0..3 {
            for (at, &size) in sizes.iter().enumerate() {
                let wanted = layout(size, 1 << (2 * at));
                let memory = state.take(wanted).expect("there is room");
                let start = place_in_pool(memory.as_ptr()).expect("it is of the pool");
                assert!(memory.addr().get().is_multiple_of(wanted.align()));
                let end = start + size;
                assert!(taken.iter().all(|(other, of)| end <= *other || other + of.size() <= start));
                taken.push((start, wanted));
            }
        }
        assert!(state.units * UNIT >= 3 * sizes.iter().sum::<usize>());
        for (start, wanted) in taken.drain(..) {
            state.give_back(pool_start().wrapping_add(start), wanted);
        }
        assert_eq!(state.units, 0);
        assert!(state.used.iter().all(|&word| word == 0));
        let all: Vec<_> = std::iter::from_fn(|| state.take(layout(POOL_MOST, 64))).collect();
        assert_eq!(all.len(), POOL_BYTES / POOL_MOST);
        assert_eq!(state.take(layout(1, 1)), None);
    }

    #[test]
    #[cfg_attr(miri, ignore = "changes the size of a mapping")]
    fn large_pieces_come_from_what_is_held() {
        const LARGE: usize = 3 * POOL_BYTES;
        let mut state = Box::new(ReserveState::NEW);
        assert_eq!(state.take(layout(LARGE, 64)), None);
        assert!(state.hold.more(LARGE) && state.hold.more(LARGE));
        let first = state.take(layout(LARGE, 64)).expect("it is held");
        let second = state.take(layout(LARGE / 2, 4096)).expect("there is room behind");
        for (memory, bytes) in [(first, LARGE), (second, LARGE / 2)] {
            assert!(state.hold.has(memory.as_ptr()));
            // SAFETY: `take` has given a piece of `bytes` bytes there, which only this test knows.
            unsafe { memory.write_bytes(1, bytes) };
        }
        assert!(second.addr().get() >= first.addr().get() + LARGE);
        assert_eq!(state.take(layout(LARGE, 64)), None);
        assert!(!state.hold.more(1), "no new objects while it is in use");
        state.give_back(first.as_ptr(), layout(LARGE, 64));
        assert!(!state.hold.more(1));
        state.give_back(second.as_ptr(), layout(LARGE / 2, 4096));
        assert!(!state.hold.has(first.as_ptr()));
        assert!(state.hold.more(LARGE));
        state.hold.less(3 * LARGE);
        assert_eq!((state.hold.start, state.hold.bytes), (0, 0));
    }
}
