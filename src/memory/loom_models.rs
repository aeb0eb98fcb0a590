//! A model of acquiring, releasing and handing over a block, run by `loom` through every
//! interleaving. It takes the steps of `acquire` and `release` in [`super`] in the same order, under
//! the real header lock, for two EDTs that want one block in EW mode.

use crate::object::header::{Header, Word};
use loom::cell::UnsafeCell;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicUsize, Ordering};

struct Block {
    header: Header,
    held: UnsafeCell<bool>,
    /// The EDT that waits, if one does.
    queue: UnsafeCell<Option<usize>>,
    content: UnsafeCell<usize>,
    runs: [AtomicUsize; 2],
}

// SAFETY: `held` and `queue` are touched under the lock, `content` by the holder alone; the model
// checks just that.
unsafe impl Sync for Block {}
// SAFETY: nothing in it belongs to a thread.
unsafe impl Send for Block {}

impl Block {
    /// True if granted; otherwise the EDT is in the queue.
    fn acquire(&self, edt: usize) -> bool {
        let _locked = self.header.lock(0).expect("live");
        self.held.with_mut(|held| {
            // SAFETY: the block is locked.
            let held = unsafe { &mut *held };
            if !*held {
                *held = true;
                return true;
            }
            // SAFETY: the block is locked.
            self.queue.with_mut(|queue| unsafe { *queue = Some(edt) });
            false
        })
    }

    /// The EDT that has the block now, if one waited.
    fn release(&self) -> Option<usize> {
        let _locked = self.header.lock_pinned();
        // SAFETY: the block is locked.
        let next = self.queue.with_mut(|queue| unsafe { (*queue).take() });
        // SAFETY: the block is locked.
        self.held.with_mut(|held| unsafe { *held = next.is_some() });
        next
    }

    /// Runs an EDT that was granted the block, then those that its release lets go on.
    fn run(&self, mut edt: usize) {
        loop {
            // SAFETY: the EDT has the block in EW mode; the checker finds it if it has not.
            self.content.with_mut(|content| unsafe { *content += 1 });
            self.runs[edt].fetch_add(1, Ordering::Relaxed);
            match self.release() {
                Some(next) => edt = next,
                None => return,
            }
        }
    }
}

/// Both EDTs run once, one after the other, whoever releases carries on with the other.
#[test]
fn two_writers_of_one_block() {
    loom::model(|| {
        let block = Arc::new(Block {
            header: Header::new(),
            held: UnsafeCell::new(false),
            queue: UnsafeCell::new(None),
            content: UnsafeCell::new(0),
            runs: [AtomicUsize::new(0), AtomicUsize::new(0)],
        });
        block.header.publish(Word::new(0, 0, 1));
        let other = block.clone();
        let thread = loom::thread::spawn(move || {
            if other.acquire(1) {
                other.run(1);
            }
        });
        if block.acquire(0) {
            block.run(0);
        }
        thread.join().expect("no panic");
        for runs in &block.runs {
            assert_eq!(runs.load(Ordering::Relaxed), 1);
        }
        // SAFETY: no other thread is left.
        block
            .content
            .with(|content| assert_eq!(unsafe { *content }, 2));
    });
}

/// A block with a lease on it: the steps of `lease.rs` and of those in `access.rs` that it calls.
struct Leased {
    header: Header,
    /// Readers that hold it, holds in leases included.
    holds: UnsafeCell<usize>,
    /// The writer waits.
    queue: UnsafeCell<bool>,
    waited_for: AtomicUsize,
    content: UnsafeCell<usize>,
    written: AtomicUsize,
}

// SAFETY: as for `Block`.
unsafe impl Sync for Leased {}
// SAFETY: as for `Block`.
unsafe impl Send for Leased {}

impl Leased {
    fn is_plain(&self) -> bool {
        self.waited_for.load(Ordering::Relaxed) == 0
    }

    /// An EDT ends, and its hold stays with the thread if it may.
    fn may_keep(&self) -> bool {
        let _locked = self.header.lock_pinned();
        self.is_plain()
    }

    /// Gives back so many holds. True if the writer has the block now.
    fn release_many(&self, holds: usize) -> bool {
        let _locked = self.header.lock_pinned();
        let left = self.holds.with_mut(|held| {
            // SAFETY: the block is locked.
            let held = unsafe { &mut *held };
            *held -= holds;
            *held
        });
        // SAFETY: the block is locked.
        let waits = self.queue.with(|queue| unsafe { *queue });
        if left != 0 || !waits {
            return false;
        }
        // SAFETY: the block is locked.
        self.queue.with_mut(|queue| unsafe { *queue = false });
        self.waited_for.store(0, Ordering::Relaxed);
        true
    }

    /// The writer. True if granted; otherwise it is in the queue.
    fn acquire_exclusive(&self) -> bool {
        let _locked = self.header.lock(0).expect("live");
        // SAFETY: the block is locked.
        if self.holds.with(|held| unsafe { *held }) == 0 {
            return true;
        }
        // SAFETY: the block is locked.
        self.queue.with_mut(|queue| unsafe { *queue = true });
        self.waited_for.store(1, Ordering::Relaxed);
        false
    }

    fn read(&self) {
        // SAFETY: the caller holds the block; the checker finds it if the writer has it.
        self.content.with(|content| unsafe { *content });
    }

    fn write(&self) {
        // SAFETY: the writer has the block for itself; the checker finds it if not.
        self.content.with_mut(|content| unsafe { *content += 1 });
        self.written.fetch_add(1, Ordering::Relaxed);
    }
}

/// One thread runs two readers; the second gets the hold that the first has left in the lease, unless
/// the writer of the other thread is seen to wait. The writer writes once, when no reader reads.
#[test]
fn a_lease_keeps_a_writer_out_until_it_ends() {
    loom::model(|| {
        let block = Arc::new(Leased {
            header: Header::new(),
            holds: UnsafeCell::new(1),
            queue: UnsafeCell::new(false),
            waited_for: AtomicUsize::new(0),
            content: UnsafeCell::new(0),
            written: AtomicUsize::new(0),
        });
        block.header.publish(Word::new(0, 0, 1));
        let other = block.clone();
        let thread = loom::thread::spawn(move || {
            if other.acquire_exclusive() {
                other.write();
            }
        });
        // The first reader has the block; it creates the second, which takes a hold from the lease
        // or, without one, from the block.
        block.read();
        let mut lease = 0;
        let keeps = block.may_keep(); // the first ends
        lease += 1;
        if keeps && block.is_plain() {
            lease -= 1; // the second acquires
            block.read();
            lease += 1; // and ends
        }
        if block.release_many(lease) {
            block.write();
        }
        thread.join().expect("no panic");
        assert_eq!(block.written.load(Ordering::Relaxed), 1);
    });
}
