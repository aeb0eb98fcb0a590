//! What this room uses of other crates, made of what the model checker knows: queues, parkers, a mutex.
//!
//! A look at how many entries a queue has orders nothing: a thread that must see a push has to see to it. A batch is of
//! one.

use crossbeam_deque::Steal;
use loom::sync::atomic::{AtomicUsize, Ordering};
use loom::sync::{Arc, Condvar, MutexGuard};
use std::collections::VecDeque;

/// The mutex of `parking_lot`, made of loom's.
#[derive(Default)]
pub struct UrgentMutex<T>(loom::sync::Mutex<T>);

impl<T> UrgentMutex<T> {
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().expect("no panic")
    }
}

pub struct Injector<T> {
    entries: UrgentMutex<VecDeque<T>>,
    len: AtomicUsize,
}

impl<T> Injector<T> {
    pub fn new() -> Self {
        Injector { entries: UrgentMutex(loom::sync::Mutex::new(VecDeque::new())), len: AtomicUsize::new(0) }
    }
    pub fn push(&self, entry: T) {
        let mut entries = self.entries.lock();
        entries.push_back(entry);
        self.len.store(entries.len(), Ordering::Relaxed);
    }
    pub fn len(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    fn take(&self, end: fn(&mut VecDeque<T>) -> Option<T>) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        let mut entries = self.entries.lock();
        let taken = end(&mut entries);
        self.len.store(entries.len(), Ordering::Relaxed);
        taken
    }
    pub fn steal(&self) -> Steal<T> {
        match self.take(VecDeque::pop_front) {
            Some(entry) => Steal::Success(entry),
            None => Steal::Empty,
        }
    }
    pub fn steal_batch_and_pop(&self, _: &Worker<T>) -> Steal<T> {
        self.steal()
    }
}

pub struct Stealer<T>(Arc<Injector<T>>);

impl<T> Stealer<T> {
    pub fn len(&self) -> usize {
        self.0.len()
    }
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    pub fn steal(&self) -> Steal<T> {
        self.0.steal()
    }
    pub fn steal_batch_and_pop(&self, _: &Worker<T>) -> Steal<T> {
        self.0.steal()
    }
}

pub struct Worker<T>(Arc<Injector<T>>);

impl<T> Worker<T> {
    pub fn new_lifo() -> Self {
        Worker(Arc::new(Injector::new()))
    }
    pub fn stealer(&self) -> Stealer<T> {
        Stealer(self.0.clone())
    }
    pub fn push(&self, entry: T) {
        self.0.push(entry);
    }
    pub fn pop(&self) -> Option<T> {
        self.0.take(VecDeque::pop_back)
    }
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[derive(Clone)]
pub struct Unparker(Arc<(loom::sync::Mutex<bool>, Condvar)>);
pub struct Parker(Unparker);

impl Parker {
    pub fn new() -> Parker {
        Parker(Unparker(Arc::new((loom::sync::Mutex::new(false), Condvar::new()))))
    }
    pub fn unparker(&self) -> &Unparker {
        &self.0
    }
    pub fn park(&self) {
        let (token, woken) = &*self.0.0;
        let mut token = token.lock().expect("no panic");
        while !*token {
            token = woken.wait(token).expect("no panic");
        }
        *token = false;
    }
}

impl Unparker {
    pub fn unpark(&self) {
        let (token, woken) = &*self.0;
        *token.lock().expect("no panic") = true;
        woken.notify_one();
    }
}
