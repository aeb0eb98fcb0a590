//! The atomics of the protocols, so that `loom` can stand in for them.
//!
//! Build with `RUSTFLAGS="--cfg loom"` to run the models (`make loom`).

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence};
#[cfg(not(loom))]
pub use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, fence};

pub use std::sync::atomic::Ordering;

/// Called in a spin loop: first a few pauses, then the processor is given to someone else, since
/// the holder of the lock may be a thread that is not running.
#[derive(Default)]
pub struct Spin {
    #[cfg(not(loom))]
    backoff: crossbeam_utils::Backoff,
}

impl Spin {
    /// Passes time before the lock is tried again.
    #[inline]
    pub fn wait(&self) {
        #[cfg(not(loom))]
        self.backoff.snooze();
        #[cfg(loom)]
        loom::thread::yield_now();
    }
}

/// Where a thread may be interrupted, with something half done that others get to see: in a build with
/// `RUSTFLAGS="--cfg ocr_tiny"` it is, now and then; otherwise this is nothing. Once in `rarity` calls, on
/// average, others get time to come in between, and about four times as often the processor is given away.
#[inline(always)]
pub fn preemption_point(rarity: u64) {
    #[cfg(ocr_tiny)]
    tiny::preemption_point(rarity);
    #[cfg(not(ocr_tiny))]
    let _ = rarity;
}

#[cfg(ocr_tiny)]
mod tiny {
    use std::cell::Cell;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::thread;
    use std::time::Duration;

    /// The number of the next thread, by which threads are distinguished.
    static THREADS: AtomicU64 = AtomicU64::new(0);

    thread_local! {
        /// The state of a generator of random numbers (Knuth's, modulo 2^64).
        static STATE: Cell<u64> = Cell::new(THREADS.fetch_add(0x9E37_79B9_7F4A_7C15, Ordering::Relaxed));
    }

    pub(super) fn preemption_point(rarity: u64) {
        // The thread may be past the life of this.
        let number = STATE.try_with(|state| {
            let next = state.get().wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.set(next);
            next >> 32
        });
        let number = number.unwrap_or(1);
        match number % rarity {
            0 => thread::sleep(Duration::from_micros(number / rarity % 200)),
            1..=4 => thread::yield_now(),
            _ => {}
        }
    }
}
