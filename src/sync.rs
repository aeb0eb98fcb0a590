//! The atomics of the protocols, so that `loom` can stand in for them.
//!
//! Build with `RUSTFLAGS="--cfg loom"` to run the models (`cargo test --lib loom`).

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{
    AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, fence,
};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU32, AtomicU64, fence};

pub(crate) use std::sync::atomic::Ordering;

/// Called in a spin loop: first a few pauses, then the processor is given to someone else, since
/// the holder of the lock may be a thread that is not running.
#[derive(Default)]
pub(crate) struct Spin {
    #[cfg(not(loom))]
    backoff: crossbeam_utils::Backoff,
}

impl Spin {
    pub(crate) fn wait(&self) {
        #[cfg(not(loom))]
        self.backoff.snooze();
        #[cfg(loom)]
        loom::thread::yield_now();
    }
}
