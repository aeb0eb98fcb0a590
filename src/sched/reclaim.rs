//! What the deques leave for later, and when it is freed.

use crossbeam_epoch::LocalHandle;
use ocr_base::lock::{Mutex, rank};

/// What a run leaves for later is freed when this is dropped: after the queues, by the thread that was the last to use
/// them.
pub(crate) struct Reclaim;

impl Drop for Reclaim {
    fn drop(&mut self) {
        reclaim();
    }
}

/// A worker begins: what the deques want of a thread is there from now on, since the C library ends the process where
/// it is wanted later and there is no memory.
pub(crate) fn begin_worker() {
    drop(crossbeam_epoch::pin());
}

/// Frees what the deques left for later: buffers that they have outgrown, and the records of worker
/// threads that have ended. Called when no worker is left.
fn reclaim() {
    /// How often garbage has to be looked at until it is surely old enough.
    const ROUNDS: u32 = 16;
    // The one record that is left belongs to this handle, which is never dropped: that of a thread
    // that has ended would look like a leak to tools that search memory for pointers.
    static KEEPER: Mutex<rank::ReclaimKeeper, Option<ReclaimHandle>> = Mutex::new(None);
    let mut keeper = KEEPER.lock();
    let keeper = keeper.get_or_insert_with(|| ReclaimHandle(crossbeam_epoch::default_collector().register()));
    for _ in 0..ROUNDS {
        keeper.0.pin().flush();
    }
}

struct ReclaimHandle(LocalHandle);

// SAFETY: the handle refers to nothing of the thread that made it, and one thread at a time uses it.
unsafe impl Send for ReclaimHandle {}
