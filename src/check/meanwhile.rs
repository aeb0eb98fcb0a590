//! Which EDTs have run since a time: those that may have written a block which somebody else had.

use super::history::Who;
use crate::object::guid::Guid;
use parking_lot::Mutex;
use std::collections::{HashSet, VecDeque};

/// So many of those that have ended are known.
const ENDED_KEPT: usize = 1024;

/// How many EDTs had ended then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Since(u64);

/// The EDTs that run, and the last that have.
#[derive(Default)]
pub struct Meanwhile(Mutex<State>);

#[derive(Default)]
struct State {
    running: HashSet<Guid>,
    ended: VecDeque<Guid>,
    /// Of all times.
    count: u64,
}

impl Meanwhile {
    /// An EDT is about to run.
    pub fn begins(&self, edt: Who) {
        self.0.lock().running.insert(edt.edt);
    }

    /// It has run.
    pub fn ends(&self, edt: Who) {
        let mut state = self.0.lock();
        state.running.remove(&edt.edt);
        state.ended.push_back(edt.edt);
        state.count += 1;
        if state.ended.len() > ENDED_KEPT {
            state.ended.pop_front();
        }
    }

    /// From now on.
    pub fn now(&self) -> Since {
        Since(self.0.lock().count)
    }

    /// Those that have run since then, wholly or in part, as far as they are known: first those that run.
    pub fn ran(&self, since: Since) -> Vec<Guid> {
        let state = self.0.lock();
        let ended = (state.count - since.0).min(state.ended.len() as u64) as usize;
        let mut running: Vec<Guid> = state.running.iter().copied().collect();
        running.sort_unstable_by_key(|edt| edt.bits());
        running.extend(state.ended.iter().rev().take(ended));
        running
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_ran_since_is_known() {
        let meanwhile = Meanwhile::default();
        let who = |bits| Who {
            edt: Guid::from_bits(bits),
            ..Who::NOBODY
        };
        meanwhile.begins(who(1));
        meanwhile.begins(who(2));
        meanwhile.ends(who(1));
        let since = meanwhile.now();
        assert_eq!(meanwhile.ran(since), [Guid::from_bits(2)]);
        meanwhile.begins(who(3));
        meanwhile.ends(who(3));
        let ran = [2, 3].map(Guid::from_bits);
        assert_eq!(meanwhile.ran(since), ran);
        assert_eq!(meanwhile.ran(Since::default()).len(), 3);
        for bits in 10..10 + 2 * ENDED_KEPT as u64 {
            meanwhile.ends(who(bits));
        }
        assert_eq!(meanwhile.ran(since).len(), 1 + ENDED_KEPT);
    }
}
