//! Who waits until the slot of a label is free, or until there is an object in it.
//!
//! Said for the first; the second is the same, with a live word in place of the free one. Who frees a
//! slot stores the free word (release), then [`Waiting::wake`]: a sequentially consistent
//! fence, and a look at the number of those that wait. Who wants to wait joins the list, which
//! raises the number, then a fence, then looks at the slot. Whichever fence comes first in their
//! order: if the waiter's, the other sees the number and takes the list's lock; if the other's, the
//! waiter sees the free slot and leaves the list. So no wake-up is lost, and freeing a label costs no
//! lock where nobody waits. Who is taken out of the list is called once, after the lock is given back.

use crate::sync::{AtomicU64, Ordering, fence};
#[cfg(loom)]
use loom::sync::{Mutex, MutexGuard};
#[cfg(not(loom))]
use parking_lot::{Mutex, MutexGuard};

/// What is called when a slot has become free, or an object. It must not block.
pub type Wake = Box<dyn FnOnce() + Send>;

/// Those that wait for slots of one arena.
pub struct Waiting {
    count: AtomicU64,
    list: Mutex<Vec<(u32, Wake)>>,
}

impl Default for Waiting {
    fn default() -> Self {
        Waiting {
            count: AtomicU64::new(0),
            list: Mutex::new(Vec::new()),
        }
    }
}

impl Waiting {
    fn list(&self) -> MutexGuard<'_, Vec<(u32, Wake)>> {
        #[cfg(not(loom))]
        return self.list.lock();
        #[cfg(loom)]
        self.list.lock().expect("nothing panics with the lock held")
    }

    /// Has `wake` called when the slot is as wanted; on this thread and at once if `is_so` says that it
    /// is so now.
    pub fn watch(&self, index: u32, wake: Wake, is_so: impl FnOnce() -> bool) {
        {
            let mut list = self.list();
            list.push((index, wake));
            self.count.store(list.len() as u64, Ordering::Relaxed);
        }
        fence(Ordering::SeqCst);
        if is_so() {
            self.call(index);
        }
    }

    /// Calls those that wait for a slot, which is as they want it now.
    pub fn wake(&self, index: u32) {
        fence(Ordering::SeqCst);
        if self.count.load(Ordering::Relaxed) != 0 {
            self.call(index);
        }
    }

    #[cold]
    fn call(&self, which: u32) {
        let called: Vec<(u32, Wake)> = {
            let mut list = self.list();
            let all = std::mem::take(&mut *list).into_iter();
            let (called, left) = all.partition(|&(index, _)| index == which);
            *list = left;
            self.count.store(list.len() as u64, Ordering::Relaxed);
            called
        };
        for (_, wake) in called {
            wake();
        }
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use crate::object::guid::FIRST_LABEL_GENERATION;
    use crate::object::header::{Header, Word};
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// The slot is freed while somebody begins to wait: the waiter is called, and once.
    #[test]
    fn who_waits_for_a_label_is_called() {
        loom::model(|| {
            let label = Header::new();
            label.publish(Word::new(FIRST_LABEL_GENERATION, 0, 1));
            let shared = Arc::new((label, Waiting::default(), AtomicUsize::new(0)));
            let other = shared.clone();
            let freeing = loom::thread::spawn(move || {
                let (label, waiting, _) = &*other;
                let mut locked = label.lock_pinned();
                locked.word = locked.word.freed().expect("labels are not used up");
                drop(locked);
                waiting.wake(7);
            });
            let (label, waiting, _) = &*shared;
            let called = shared.clone();
            let wake = move || {
                called.2.fetch_add(1, Ordering::Relaxed);
            };
            waiting.watch(7, Box::new(wake), || label.is_vacant());
            freeing.join().expect("no panic");
            assert_eq!(shared.2.load(Ordering::Relaxed), 1);
            assert!(shared.1.list().is_empty());
        });
    }

    /// An object is made while somebody begins to wait for it: the waiter is called once, and then finds
    /// it.
    #[test]
    fn who_waits_for_an_object_with_a_label_is_called() {
        loom::model(|| {
            let shared = Arc::new((Header::new(), Waiting::default(), AtomicUsize::new(0)));
            let other = shared.clone();
            let making = loom::thread::spawn(move || {
                let (label, waiting, _) = &*other;
                let vacant = label.vacant().expect("nobody else makes it");
                assert!(label.claim(vacant, FIRST_LABEL_GENERATION));
                label.publish(label.peek().with_state(1));
                waiting.wake(7);
            });
            let (label, waiting, _) = &*shared;
            let called = shared.clone();
            let wake = move || {
                assert!(called.0.lock(FIRST_LABEL_GENERATION).is_some());
                called.2.fetch_add(1, Ordering::Relaxed);
            };
            let is_made = || label.lock(FIRST_LABEL_GENERATION).is_some();
            waiting.watch(7, Box::new(wake), is_made);
            making.join().expect("no panic");
            assert_eq!(shared.2.load(Ordering::Relaxed), 1);
            assert!(shared.1.list().is_empty());
        });
    }
}
