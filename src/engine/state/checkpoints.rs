//! What a run knows of its checkpoints: whether one is asked for, and the launches that are put off while one is made.

use crate::object::edt::EdtRef;
use crossbeam_deque::{Injector, Steal};
use ocr_base::sync::fence;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::thread::Thread;

/// The checkpoints of a run.
#[derive(Default)]
pub(crate) struct Checkpoints {
    /// The thread that makes them, where there is one.
    pub(crate) thread: OnceLock<Thread>,
    /// The system's number of the thread that makes checkpoints while it waits for the time of the next; 0 otherwise.
    /// Set under the lock of the seats, and cleared after the wait. The look for hangs leaves that thread out.
    pub(crate) waits: AtomicI32,
    /// The system's number of the thread that listens to requests from outside, where there is one. The look for hangs
    /// leaves that out, too: it wakes no thread but the one that makes checkpoints. Relaxed: a look that
    /// misses it sees a thread more, and looks again.
    pub(crate) listens: AtomicI32,
    /// Whether the program has asked for a checkpoint that has not been begun. Set under the lock of the seats. SeqCst,
    /// as all of these flags: none is on a hot path.
    pub(crate) asked: AtomicBool,
    /// Whether the thread begins one as soon as it is asked for, and does not wait for another to be written.
    pub(crate) is_free: AtomicBool,
    /// Whether a thread that is in no call looks at objects, which it locks for that. Its store and the look at
    /// `Interrupt::CHECKPOINT` pair with the call of that interrupt and the look at this flag in
    /// `CheckpointMaker::settle`: with a fence between the two on either side, one of the threads sees the other.
    pub(crate) looks: AtomicBool,
    /// How many were written.
    pub(crate) written: AtomicU64,
    /// For how long the workers were held at most, in nanoseconds.
    pub(crate) held_ns: AtomicU64,
    /// EDTs that would have been sent to devices.
    launches: Injector<EdtRef>,
}

impl Checkpoints {
    /// Wakes the thread that makes them, if there is one.
    pub(crate) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Puts a launch off while `is_held` says that a checkpoint is made. What the caller is to launch instead, where
    /// that has ended meanwhile: then the thread that ends it may not have found the launch here.
    pub(crate) fn put_off(&self, edt: EdtRef, is_held: impl FnOnce() -> bool) -> Option<EdtRef> {
        self.launches.push(edt);
        // Pairs with the fence in `take_put_off`.
        fence(Ordering::SeqCst);
        if is_held() { None } else { self.take() }
    }

    /// A launch that was put off. The caller has said before that no checkpoint is made any more.
    pub(crate) fn take_put_off(&self) -> Option<EdtRef> {
        fence(Ordering::SeqCst);
        self.take()
    }

    fn take(&self) -> Option<EdtRef> {
        loop {
            match self.launches.steal() {
                Steal::Success(edt) => return Some(edt),
                Steal::Empty => return None,
                Steal::Retry => {}
            }
        }
    }
}
