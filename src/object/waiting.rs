//! What waits for something to come true: that the slot of a label is free, that a label has an object.
//!
//! Said for a free slot; an object is the same, with a live word in place of the free one. The thread that frees the
//! slot stores the free word (release), then [takes](Waiting::take) what waits for it. That is a sequentially
//! consistent fence, and a look at the number of those that wait. A waiter joins the list, which raises the number,
//! then a fence, then looks at the slot. If the waiter's fence comes first in their order, the other thread sees the
//! number and takes the list's lock. If the other's comes first, the waiter sees the free slot and takes itself out of
//! the list again. So nothing that waits is passed over, and freeing a label costs no lock where nothing waits. What is
//! taken out of the list is taken once, and is its taker's.
//!
//! # In order
//!
//! Calls on an event take effect in the order in which a thread makes them, though some wait until it is
//! created on its label and others do not. (Dependences of EDTs may come in any order, and those on blocks,
//! which have none.) The creator of the object claims the slot, then passes a sequentially consistent fence and asks
//! whether anything [waits](Waiting::has). If so, it publishes the object as *opening*: then others do not touch it,
//! but [join](Waiting::join) the list. The creator, which may touch it, does what waits, until the list is
//! [empty](Waiting::close). Both look at the list and at the object under the list's lock, so nothing joins behind the
//! end of the opening. What began to wait too late for the creator to see looks at the slot after its claim. It finds
//! it claimed, waits for the object, and is its thread's own again, before the thread's next call. For that, the look
//! waits while the slot is claimed: neither "there" nor "not there" would do.

#[cfg(loom)]
use loom::sync::{Mutex as ListMutex, MutexGuard as ListGuard};
use ocr_base::sync::{AtomicU64, Ordering, fence, preemption_point};
use std::collections::HashMap;
use std::hash::Hash;

#[cfg(not(loom))]
type ListMutex<T> = ocr_base::lock::Mutex<ocr_base::lock::rank::LabelWaiters, T>;
#[cfg(not(loom))]
type ListGuard<'a, T> = ocr_base::lock::MutexGuard<'a, ocr_base::lock::rank::LabelWaiters, T>;

/// What is called when it is as wanted. It must not block.
pub(crate) type Wake = Box<dyn FnOnce() + Send>;

/// What waits, by what it waits for.
pub(crate) struct Waiting<K, T> {
    count: AtomicU64,
    list: ListMutex<List<K, T>>,
}

struct List<K, T> {
    /// What waits for each key, with numbers that tell the entries apart.
    waiting: HashMap<K, Vec<(u64, T)>>,
    next: u64,
}

impl<K, T> Default for Waiting<K, T> {
    fn default() -> Self {
        Waiting { count: AtomicU64::new(0), list: ListMutex::new(List { waiting: HashMap::new(), next: 0 }) }
    }
}

impl<K: Eq + Hash, T> List<K, T> {
    fn add(&mut self, key: K, what: T) -> u64 {
        self.next += 1;
        let what = (self.next, what);
        self.waiting.entry(key).or_default().push(what);
        self.next
    }

    fn take(&mut self, key: &K) -> Vec<T> {
        let taken = self.waiting.remove(key).unwrap_or_default();
        taken.into_iter().map(|(_, what)| what).collect()
    }

    fn take_one(&mut self, key: &K, number: u64) -> Option<T> {
        let waiting = self.waiting.get_mut(key)?;
        let at = waiting.iter().position(|&(other, _)| other == number)?;
        let (_, what) = waiting.remove(at);
        if waiting.is_empty() {
            self.waiting.remove(key);
        }
        Some(what)
    }
}

impl<K: Eq + Hash + Copy, T> Waiting<K, T> {
    fn list(&self) -> ListGuard<'_, List<K, T>> {
        #[cfg(not(loom))]
        return self.list.lock();
        #[cfg(loom)]
        self.list.lock().expect("nothing panics with the lock held")
    }

    // The number is changed under the lock, so relaxed; the fences order it with the looks of others.

    /// Has `what` wait for `key`. If `is_so` says that this is true now, it is the caller's again, unless
    /// somebody has taken it.
    #[must_use]
    pub(crate) fn wait(&self, key: K, what: T, is_so: impl FnOnce() -> bool) -> Option<T> {
        let number = {
            let mut list = self.list();
            self.count.fetch_add(1, Ordering::Relaxed);
            list.add(key, what)
        };
        preemption_point(8);
        fence(Ordering::SeqCst);
        if !is_so() {
            return None;
        }
        let mut list = self.list();
        let own = list.take_one(&key, number);
        self.count.fetch_sub(own.is_some() as u64, Ordering::Relaxed);
        own
    }

    /// How much waits, at about this moment.
    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed) as usize
    }

    /// Whether anything waits for `key`.
    pub(crate) fn has(&self, key: K) -> bool {
        fence(Ordering::SeqCst);
        self.count.load(Ordering::Relaxed) != 0 && self.list().waiting.contains_key(&key)
    }

    /// What waits for `key`, which is true now, in the order in which it began to. It is the caller's.
    #[must_use]
    pub(crate) fn take(&self, key: K) -> Vec<T> {
        fence(Ordering::SeqCst);
        match self.count.load(Ordering::Relaxed) {
            0 => Vec::new(),
            _ => self.close(key, || {}),
        }
    }

    /// What waits for `key`, in the order in which it began to. If nothing does, `shut` is called, while nothing can
    /// join.
    #[must_use]
    pub(crate) fn close(&self, key: K, shut: impl FnOnce()) -> Vec<T> {
        preemption_point(8);
        let mut list = self.list();
        let taken = list.take(&key);
        self.count.fetch_sub(taken.len() as u64, Ordering::Relaxed);
        if taken.is_empty() {
            shut();
        }
        taken
    }

    /// Has `what` wait for the thread that opens `key`, if that goes on; it is the caller's again if not.
    #[must_use]
    pub(crate) fn join(&self, key: K, what: T, is_opening: impl FnOnce() -> bool) -> Option<T> {
        preemption_point(8);
        let mut list = self.list();
        if !is_opening() {
            return Some(what);
        }
        self.count.fetch_add(1, Ordering::Relaxed);
        list.add(key, what);
        None
    }

    /// What `look` finds in all that waits.
    pub(crate) fn all<R>(&self, mut look: impl FnMut(K, &T) -> Option<R>) -> Vec<R> {
        let list = self.list();
        let all = list.waiting.iter();
        let each = all.flat_map(|(&key, waiting)| waiting.iter().map(move |(_, what)| (key, what)));
        each.filter_map(|(key, what)| look(key, what)).collect()
    }
}

#[cfg(all(test, loom))]
mod loom_models {
    use super::*;
    use crate::object::guid::FIRST_LABEL_GENERATION;
    use crate::object::header::{Header, TestState, Word};
    use loom::sync::Arc;
    use loom::sync::atomic::AtomicUsize;

    /// The slot is freed while a waiter begins to wait: the waiter is called, and once.
    #[test]
    fn who_waits_for_a_label_is_called() {
        loom::model(|| {
            let label = Header::new();
            label.publish(Word::new(FIRST_LABEL_GENERATION, 0, TestState::Live));
            let shared = Arc::new((label, Waiting::default(), AtomicUsize::new(0)));
            let other = shared.clone();
            let freeing = loom::thread::spawn(move || {
                let (label, waiting, calls) = &*other;
                let mut locked = label.lock_pinned();
                locked.word = locked.word.freed().expect("labels are not used up");
                drop(locked);
                calls.fetch_add(waiting.take(7).len(), Ordering::Relaxed);
            });
            let (label, waiting, calls) = &*shared;
            if waiting.wait(7, (), || label.is_vacant()).is_some() {
                calls.fetch_add(1, Ordering::Relaxed);
            }
            freeing.join().expect("no panic");
            assert_eq!(calls.load(Ordering::Relaxed), 1);
            assert!(!waiting.has(7));
        });
    }

    /// A label, and the calls that have been made on its object.
    struct Opened {
        label: Header<TestState>,
        waiting: Waiting<u32, usize>,
        done: ListMutex<Vec<usize>>,
    }

    const LABEL: u32 = FIRST_LABEL_GENERATION;

    impl Opened {
        fn new() -> Arc<Opened> {
            Arc::new(Opened { label: Header::new(), waiting: Waiting::default(), done: ListMutex::new(Vec::new()) })
        }

        fn is_opening(&self) -> bool {
            let word = self.label.peek();
            word.state() != TestState::Free && word.count() != 0
        }

        /// The steps of `Context::defer_refused` and what comes before it.
        fn call(&self, number: usize) {
            loop {
                if let Some(locked) = self.label.lock(LABEL) {
                    if locked.word.count() == 0 {
                        self.done.lock().expect("no panic").push(number);
                        return;
                    }
                    drop(locked);
                    if self.waiting.join(7, number, || self.is_opening()).is_none() {
                        return;
                    }
                } else if self.waiting.wait(7, number, || !self.label.is_awaited(LABEL)).is_none() {
                    return;
                }
            }
        }

        /// The steps of the creation of an event on a label.
        fn create(&self) {
            let vacant = self.label.vacant().expect("no other thread makes it");
            assert!(self.label.claim(vacant, LABEL));
            let opens = self.waiting.has(7);
            if opens {
                self.label.count_claimed(1);
            }
            self.label.publish(self.label.peek().with_state(TestState::Live));
            while opens {
                let shut = || {
                    let mut locked = self.label.lock_pinned();
                    locked.word = locked.word.with_count(0);
                };
                let calls = self.waiting.close(7, shut);
                if calls.is_empty() {
                    return;
                }
                self.done.lock().expect("no panic").extend(calls);
            }
        }
    }

    /// A thread begins to wait for an object while that is made: it is woken, or finds it.
    #[test]
    fn who_waits_for_an_object_with_a_label_is_woken() {
        loom::model(|| {
            let opened = Opened::new();
            let other = opened.clone();
            let creating = loom::thread::spawn(move || other.create());
            let is_made = || !opened.label.is_awaited(LABEL) && opened.label.lock(LABEL).is_some();
            let found = opened.waiting.wait(7, 1, is_made).is_some();
            creating.join().expect("no panic");
            let woken = *opened.done.lock().expect("no panic") == [1];
            assert!(found != woken, "once");
        });
    }

    /// Two calls of one thread take effect in their order, and once, whenever the object is created.
    #[test]
    fn calls_of_one_thread_keep_their_order() {
        loom::model(|| {
            let opened = Opened::new();
            let other = opened.clone();
            let creating = loom::thread::spawn(move || other.create());
            opened.call(1);
            opened.call(2);
            creating.join().expect("no panic");
            assert_eq!(*opened.done.lock().expect("no panic"), [1, 2]);
            assert!(!opened.waiting.has(7));
            assert!(!opened.is_opening());
        });
    }

    /// Calls of two threads keep their order: the first has called before the second begins, and creates.
    #[test]
    fn calls_of_two_threads_keep_their_order() {
        loom::model(|| {
            let opened = Opened::new();
            opened.call(1);
            let other = opened.clone();
            let calling = loom::thread::spawn(move || {
                other.call(2);
                other.call(3);
            });
            opened.create();
            calling.join().expect("no panic");
            assert_eq!(*opened.done.lock().expect("no panic"), [1, 2, 3]);
            assert!(!opened.is_opening());
        });
    }
}
