//! What a device has to do, for who places EDTs.
//!
//! An EDT that devices and workers may run lies in a pool until somebody is free: a worker looks there when it
//! searches, and a device is given EDTs by whoever may have changed that it is idle and that there are any. That is
//! done without a lock:
//!
//! | who | writes | then, behind [`has_changed`], reads |
//! |---|---|---|
//! | a thread that puts an EDT into the pool | the pool | the pool and the load, and if that leaves room it takes the EDT and gives it to the device |
//! | the manager, when a launch has ended | the load ([`Load::ends`]) | the same |
//!
//! # Why no device stays idle beside the pool
//!
//! Suppose that the first finds the load as it was before the second has written it. Between what each writes and
//! what it reads there is a sequentially consistent fence, `has_changed`. If the second's came first, the first would read
//! what the second had written; so the first's came first, and the second, which finds that the load leaves room, reads
//! the pool after that: the EDT is there, or somebody has taken it. An EDT is not lost otherwise, since a worker takes it
//! in the end. The model below has both threads.
//!
//! Who asks takes off the load what was enqueued ahead (`Devices::load`). Whatever he finds of that: who finds no room has
//! found a launch that has not ended, after whose end the manager looks.

use crate::sync::{AtomicU64, Ordering, fence};

/// Comes between what a thread has written, in the pool or in a load, and what it then reads of both.
pub fn has_changed() {
    fence(Ordering::SeqCst);
}

/// What a device has to do.
pub(super) struct Load {
    /// Launches that were sent and not answered yet.
    launches: AtomicU64,
    /// `Manager::pace_ns`; 0 before the first.
    pace_ns: AtomicU64,
}

impl Load {
    pub(super) fn new() -> Load {
        Load {
            launches: AtomicU64::new(0),
            pace_ns: AtomicU64::new(0),
        }
    }

    /// A launch is about to be sent: so it is counted before the manager can end it, and there are never less than none.
    pub(super) fn begins(&self) {
        // Who sends does so on its own account, and orders nothing by the count.
        self.launches.fetch_add(1, Ordering::Relaxed);
    }

    /// It has ended, or was not sent.
    pub(super) fn ends(&self) {
        self.launches.fetch_sub(1, Ordering::Relaxed);
    }

    /// How many there are. Who has changed something comes behind [`has_changed`].
    pub(super) fn launches(&self) -> usize {
        self.launches.load(Ordering::Relaxed) as usize
    }

    /// In what time a queue has done a kernel lately.
    pub(super) fn set_pace_ns(&self, ns: u64) {
        self.pace_ns.store(ns.max(1), Ordering::Relaxed);
    }

    /// The same; none before the first.
    pub(super) fn pace_ns(&self) -> Option<u64> {
        Some(self.pace_ns.load(Ordering::Relaxed)).filter(|&ns| ns != 0)
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use loom::sync::Arc;

    /// One EDT comes into the pool while the only launch of the device ends: whoever finds room takes the EDT, and one
    /// of the two does.
    #[test]
    fn no_device_stays_idle_beside_the_pool() {
        loom::model(|| {
            let shared = Arc::new((Load::new(), AtomicU64::new(0)));
            // As `feed_devices`. The pool is a queue whose operations order nothing here; who finds it empty has only read.
            let feeds = |load: &Load, pool: &AtomicU64| {
                has_changed();
                let has_any = pool.load(Ordering::Relaxed) == 1;
                has_any && load.launches() == 0 && pool.swap(0, Ordering::Relaxed) == 1
            };
            shared.0.begins();
            let other = shared.clone();
            let manager = loom::thread::spawn(move || {
                let (load, pool) = &*other;
                load.ends();
                feeds(load, pool)
            });
            let (load, pool) = &*shared;
            pool.swap(1, Ordering::Relaxed);
            let fed = feeds(load, pool);
            let also = manager.join().expect("no panic");
            assert!(fed != also, "the device is idle, or has it twice");
        });
    }
}
