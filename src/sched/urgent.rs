//! Ready EDTs with a priority: the highest first, and of equals the one that came first.
//!
//! One heap behind a lock: it holds only what the program has given a priority. Where there is
//! none, a worker reads a number that nobody writes.

use crate::object::edt::EdtRef;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The queue of EDTs with a priority. On cache lines of its own: every worker reads `count` all the
/// time.
#[derive(Default)]
#[repr(align(128))]
pub struct Urgent {
    count: AtomicUsize,
    heap: Mutex<Heap>,
}

#[derive(Default)]
struct Heap {
    entries: BinaryHeap<Entry>,
    pushed: u64,
}

struct Entry {
    /// The priority, then how early it came.
    rank: (u64, Reverse<u64>),
    edt: EdtRef,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.rank == other.rank
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Entry) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Entry) -> std::cmp::Ordering {
        self.rank.cmp(&other.rank)
    }
}

impl Urgent {
    /// Adds a ready EDT; the caller tells the sleeping workers.
    pub fn push(&self, edt: EdtRef, priority: u64) {
        let mut heap = self.heap.lock();
        heap.pushed += 1;
        let rank = (priority, Reverse(heap.pushed));
        heap.entries.push(Entry { rank, edt });
        self.count.store(heap.entries.len(), Ordering::Relaxed);
    }

    /// Whether it holds nothing. Relaxed: who has to be sure looks behind a fence (`sleep.md`).
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// How many it holds.
    pub fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// What `look` says of each of them.
    pub fn look_through<T>(&self, look: impl Fn(EdtRef) -> T) -> Vec<T> {
        let heap = self.heap.lock();
        heap.entries.iter().map(|entry| look(entry.edt)).collect()
    }

    /// Takes the EDT of the highest priority.
    #[inline]
    pub fn pop(&self) -> Option<EdtRef> {
        match self.is_empty() {
            true => None,
            false => self.pop_some(),
        }
    }

    /// Takes the EDT that came first, whatever its priority. Looks at all of them.
    pub fn pop_oldest(&self) -> Option<EdtRef> {
        if self.is_empty() {
            return None;
        }
        let mut heap = self.heap.lock();
        let oldest = heap.entries.iter().max_by_key(|entry| entry.rank.1)?;
        let (edt, rank) = (oldest.edt, oldest.rank);
        heap.entries.retain(|entry| entry.rank != rank);
        self.count.store(heap.entries.len(), Ordering::Relaxed);
        Some(edt)
    }

    #[cold]
    fn pop_some(&self) -> Option<EdtRef> {
        let mut heap = self.heap.lock();
        let entry = heap.entries.pop();
        self.count.store(heap.entries.len(), Ordering::Relaxed);
        entry.map(|entry| entry.edt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::edt::{EdtCaches, Edts};

    #[test]
    fn the_highest_comes_first_and_equals_in_order() {
        let edts = Edts::default();
        let mut caches = EdtCaches::default();
        let urgent = Urgent::default();
        assert!(urgent.is_empty() && urgent.pop().is_none());
        let all: Vec<EdtRef> = [1, u64::MAX, 1, 7, 0, 7]
            .into_iter()
            .map(|priority| {
                let edt = EdtRef::new(edts.allocate(&mut caches, 0, 0).expect("memory"));
                urgent.push(edt, priority);
                edt
            })
            .collect();
        assert!(!urgent.is_empty());
        let popped: Vec<EdtRef> = std::iter::from_fn(|| urgent.pop()).collect();
        assert_eq!(popped, [1, 3, 5, 0, 2, 4].map(|at| all[at]));
        assert!(urgent.is_empty());
        for (edt, priority) in [(0, 7), (1, 9), (2, 1)] {
            urgent.push(all[edt], priority);
        }
        assert_eq!(urgent.pop_oldest(), Some(all[0]));
        assert_eq!(urgent.pop(), Some(all[1]));
        assert_eq!(urgent.pop_oldest(), Some(all[2]));
        assert_eq!(urgent.pop_oldest(), None);
    }
}
