//! Which EDTs have run since a time: those that may have written a block which another EDT had. Also, which EDTs the
//! running ones have passed blocks on to.

use super::history::{Act, Who};
use crate::object::guid::Guid;
use ocr_base::lock::{Mutex, rank};
use std::collections::{HashMap, VecDeque};

/// How many EDTs that have ended are known.
const ENDED_KEPT: usize = if cfg!(miri) { 32 } else { 1024 };
/// How many blocks that an EDT has passed on are known.
const GIVEN_KEPT: usize = 64;

/// How many EDTs had ended then.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct Since(u64);

/// A block that an EDT has passed on.
#[derive(Clone, Copy)]
pub(crate) struct GivenBlock {
    /// The block that was passed on.
    pub block: Guid,
    /// An EDT that gets it, and lacked nothing else.
    pub to: Guid,
    /// The call, and its caller.
    pub act: Act,
}

/// The EDTs that run, and the last that have.
#[derive(Default)]
pub(crate) struct Overlap(Mutex<rank::Overlap, OverlapState>);

#[derive(Default)]
struct OverlapState {
    /// What each has passed on.
    running: HashMap<Guid, Vec<GivenBlock>>,
    ended: VecDeque<Guid>,
    /// How many EDTs have ended so far.
    count: u64,
}

impl Overlap {
    /// An EDT is about to run.
    pub(crate) fn begins(&self, edt: Who) {
        self.0.lock().running.insert(edt.edt, Vec::new());
    }

    /// An EDT can run that gets a block from this act. Known only while the EDT that acted runs.
    pub(crate) fn gives(&self, given: GivenBlock) {
        let mut state = self.0.lock();
        let by_it = state.running.get_mut(&given.act.who.edt);
        if let Some(by_it) = by_it.filter(|by_it| by_it.len() < GIVEN_KEPT) {
            by_it.push(given);
        }
    }

    /// The EDT to which a running EDT has passed on a block, and by which call; none if it is not known.
    pub(crate) fn given(&self, edt: Guid, block: Guid) -> Option<GivenBlock> {
        let state = self.0.lock();
        let mut by_it = state.running.get(&edt)?.iter();
        by_it.find(|given| given.block == block).copied()
    }

    /// An EDT has waited in a call, perhaps for EDTs to which it had passed on blocks.
    pub(crate) fn waited(&self, edt: Guid) {
        if let Some(by_it) = self.0.lock().running.get_mut(&edt) {
            by_it.clear();
        }
    }

    /// Notes that an EDT has run, so that it is one of the last that have.
    pub(crate) fn ends(&self, edt: Who) {
        let mut state = self.0.lock();
        state.running.remove(&edt.edt);
        state.ended.push_back(edt.edt);
        state.count += 1;
        if state.ended.len() > ENDED_KEPT {
            state.ended.pop_front();
        }
    }

    /// The moment of the call, for [`Overlap::ran`].
    pub(crate) fn now(&self) -> Since {
        Since(self.0.lock().count)
    }

    /// EDTs that have run since then, wholly or in part, as far as they are known: first those that run.
    pub(crate) fn ran(&self, since: Since) -> Vec<Guid> {
        let state = self.0.lock();
        let ended = (state.count - since.0).min(state.ended.len() as u64) as usize;
        let mut running: Vec<Guid> = state.running.keys().copied().collect();
        running.sort_unstable_by_key(|edt| edt.bits());
        running.extend(state.ended.iter().rev().take(ended));
        running
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_passed_on_is_known_until_the_end_or_a_wait() {
        let meanwhile = Overlap::default();
        let [edt, block, to] = [1, 2, 3].map(Guid::from_bits);
        let who = Who { edt, ..Who::NOBODY };
        let (call, ticket) = (crate::abi::Api::ocrAddDependence.into(), 1);
        let act = Act { call, who, ticket };
        let given = GivenBlock { block, to, act };
        let is_known = || meanwhile.given(edt, block).is_some_and(|given| given.to == to);
        meanwhile.gives(given);
        assert!(!is_known());
        meanwhile.begins(who);
        meanwhile.gives(given);
        assert!(is_known());
        assert!(meanwhile.given(edt, to).is_none());
        meanwhile.waited(edt);
        assert!(!is_known());
        meanwhile.gives(given);
        meanwhile.ends(who);
        assert!(!is_known());
    }

    #[test]
    fn who_ran_since_is_known() {
        let meanwhile = Overlap::default();
        let who = |bits| Who { edt: Guid::from_bits(bits), ..Who::NOBODY };
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
