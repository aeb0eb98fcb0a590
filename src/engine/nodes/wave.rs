//! Whether anything can still happen on any node: Mattern's method of four counters.
//!
//! Node 0 asks all nodes in rounds, one after the other. A node answers whether it *rests*: no EDT runs or can run on
//! it before a message comes. It says, too, how many messages about work it has sent and handled. Nothing can happen
//! any more if all nodes rest in two rounds, and as many messages had been handled in the first round as have been sent
//! up to the second.
//!
//! The argument: let t be the moment between the rounds. Each node was asked once before t and once after it, and both
//! numbers only grow. So handled(first) is at most what was handled by t, that is at most what was sent by t, and that
//! is at most sent(second). Where the ends are equal, all messages that were sent by t had been handled by t. All nodes
//! rested when they were asked first; a node that stops resting without a message cannot be, so each rested from its
//! first answer to t unless a message came, and those had all come. At t nothing was on its way and all rested.

use crate::engine::nodes::work::NodeProgress;

/// What a round has found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Total {
    all_rest: bool,
    sent: u64,
    handled: u64,
}

/// The rounds of node 0.
#[derive(Debug)]
pub(super) struct Wave {
    round: u32,
    /// What each node has answered in this round; node 0 stands first. Empty between two rounds.
    seen: Vec<Option<NodeProgress>>,
    before: Option<Total>,
    nodes: usize,
}

impl Wave {
    pub(super) fn new(nodes: u32) -> Wave {
        Wave { round: 0, seen: Vec::new(), before: None, nodes: nodes as usize }
    }

    /// Whether a round goes on.
    pub(super) fn is_under_way(&self) -> bool {
        !self.seen.is_empty()
    }

    /// The first node that has not answered in this round.
    pub(super) fn unanswered(&self) -> Option<u32> {
        self.seen.iter().position(Option::is_none).map(|node| node as u32)
    }

    /// Begins a round with the answer of node 0. Returns its number, with which all others must be asked.
    pub(super) fn begin(&mut self, own: NodeProgress) -> u32 {
        self.round = self.round.wrapping_add(1);
        self.seen = vec![None; self.nodes];
        self.seen[0] = Some(own);
        self.round
    }

    /// A node has answered. True if nothing can happen on any node any more.
    pub(super) fn answer(&mut self, node: u32, round: u32, progress: NodeProgress) -> bool {
        if round != self.round || !self.is_under_way() {
            return false;
        }
        if let Some(place) = self.seen.get_mut(node as usize) {
            *place = Some(progress);
        }
        let Some(all) = self.seen.iter().copied().collect::<Option<Vec<NodeProgress>>>() else {
            return false;
        };
        self.seen.clear();
        let now = Total {
            all_rest: all.iter().all(|progress| progress.rests),
            sent: all.iter().map(|progress| progress.sent).sum(),
            handled: all.iter().map(|progress| progress.handled).sum(),
        };
        let before = self.before.replace(now);
        before.is_some_and(|before| before.all_rest && now.all_rest && before.handled == now.sent)
    }

    /// Something has happened since the last round: the next one is a first one.
    pub(super) fn forget(&mut self) {
        self.before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(rests: bool, sent: u64, handled: u64) -> NodeProgress {
        NodeProgress { rests, sent, handled }
    }

    /// A round of two nodes.
    fn round(wave: &mut Wave, first: NodeProgress, second: NodeProgress) -> bool {
        let number = wave.begin(first);
        wave.answer(1, number, second)
    }

    #[test]
    fn two_rounds_without_a_message_on_its_way_are_needed() {
        let mut wave = Wave::new(2);
        assert!(!round(&mut wave, at(true, 3, 4), at(true, 4, 3)));
        assert!(round(&mut wave, at(true, 3, 4), at(true, 4, 3)));
        wave.forget();
        assert!(!round(&mut wave, at(true, 3, 4), at(true, 4, 3)));
    }

    #[test]
    fn a_message_on_its_way_or_a_node_that_works_is_something() {
        let mut wave = Wave::new(2);
        for _ in 0..3 {
            assert!(!round(&mut wave, at(true, 4, 4), at(true, 4, 3)), "one is on its way");
        }
        assert!(!round(&mut wave, at(true, 4, 4), at(false, 4, 4)), "node 1 works");
        assert!(!round(&mut wave, at(true, 4, 4), at(true, 4, 4)), "it worked in the round before");
        assert!(round(&mut wave, at(true, 4, 4), at(true, 4, 4)));
    }

    /// The message that node 1 has sent after its answer to the first round is handled before node 0 is asked again.
    #[test]
    fn work_that_moves_behind_the_round_is_seen() {
        let mut wave = Wave::new(2);
        assert!(!round(&mut wave, at(true, 0, 0), at(true, 0, 0)));
        assert!(!round(&mut wave, at(true, 1, 0), at(true, 0, 1)));
    }

    #[test]
    fn answers_to_another_round_do_not_count() {
        let mut wave = Wave::new(3);
        let number = wave.begin(at(true, 0, 0));
        assert!(!wave.answer(1, number - 1, at(true, 0, 0)));
        assert!(!wave.answer(1, number, at(true, 0, 0)));
        assert!(wave.is_under_way());
        assert!(!wave.answer(2, number, at(true, 0, 0)));
        assert!(!wave.is_under_way());
        assert!(!wave.answer(2, number, at(true, 0, 0)));
    }
}
