//! Ready EDTs with a priority: the highest first, and of equals the one that came first.
//!
//! One list for each priority, behind a lock: they hold only what the program has given a priority.
//! Where there is none, a worker reads a number that no thread writes.

#[cfg(loom)]
use super::models::UrgentMutex;
use crate::object::edt::EdtRef;
use ocr_base::sync::{AtomicUsize, Ordering};
#[cfg(not(loom))]
type UrgentMutex<T> = ocr_base::lock::Mutex<ocr_base::lock::rank::Urgent, T>;
use std::collections::{BTreeMap, VecDeque};

/// The queue of EDTs with a priority. On cache lines of its own: every worker reads `count` all the
/// time.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Urgent {
    count: AtomicUsize,
    waiting: UrgentMutex<UrgentLists>,
}

#[derive(Default)]
struct UrgentLists {
    /// The EDTs by priority, in the order in which they came. None of the lists is empty.
    lists: BTreeMap<u64, VecDeque<UrgentEntry>>,
    /// The list that was emptied last, for the next priority.
    spare: VecDeque<UrgentEntry>,
    count: usize,
    pushed: u64,
}

struct UrgentEntry {
    edt: EdtRef,
    /// How many came before, of all priorities.
    came: u64,
}

impl UrgentLists {
    /// Takes the first of a list.
    fn take(&mut self, priority: u64) -> Option<EdtRef> {
        let list = self.lists.get_mut(&priority)?;
        let first = list.pop_front()?;
        if list.is_empty() {
            self.spare = self.lists.remove(&priority).unwrap_or_default();
        }
        self.count -= 1;
        Some(first.edt)
    }
}

impl Urgent {
    /// Adds a ready EDT; the caller tells the sleeping workers.
    pub(crate) fn push(&self, edt: EdtRef, priority: u64) {
        let mut waiting = self.waiting.lock();
        let waiting = &mut *waiting;
        let came = waiting.pushed;
        waiting.pushed += 1;
        waiting.count += 1;
        let list = waiting.lists.entry(priority);
        let list = list.or_insert_with(|| std::mem::take(&mut waiting.spare));
        list.push_back(UrgentEntry { edt, came });
        self.count.store(waiting.count, Ordering::Relaxed);
    }

    /// Whether it holds nothing. Relaxed: a thread that has to be sure looks behind a fence
    /// (`sleep.md`).
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// How many EDTs it holds. Relaxed, so it may be out of date for others than the last writer.
    pub(crate) fn len(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    /// What `look` says of each of them.
    pub(crate) fn look_through<T>(&self, look: impl Fn(EdtRef) -> T) -> Vec<T> {
        let waiting = self.waiting.lock();
        let all = waiting.lists.values().flatten();
        all.map(|entry| look(entry.edt)).collect()
    }

    /// Takes the EDT of the highest priority.
    #[inline]
    pub(crate) fn pop(&self) -> Option<EdtRef> {
        if self.is_empty() { None } else { self.pop_by(|lists| Some(*lists.last_key_value()?.0)) }
    }

    /// Takes the EDT that came first, whatever its priority. Looks at the first of each.
    pub(crate) fn pop_oldest(&self) -> Option<EdtRef> {
        self.pop_by(|lists| {
            let came = |list: &VecDeque<UrgentEntry>| list.front().map(|first| first.came);
            let oldest = lists.iter().min_by_key(|(_, list)| came(list));
            oldest.map(|(priority, _)| *priority)
        })
    }

    /// Takes the first EDT of the priority that `choose` names.
    #[cold]
    fn pop_by(&self, choose: impl FnOnce(&BTreeMap<u64, VecDeque<UrgentEntry>>) -> Option<u64>) -> Option<EdtRef> {
        let mut waiting = self.waiting.lock();
        let priority = choose(&waiting.lists)?;
        let taken = waiting.take(priority);
        self.count.store(waiting.count, Ordering::Relaxed);
        taken
    }
}

#[cfg(all(test, not(loom)))]
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
