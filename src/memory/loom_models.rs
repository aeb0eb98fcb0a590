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
