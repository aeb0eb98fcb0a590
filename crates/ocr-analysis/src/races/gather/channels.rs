//! Which satisfaction of a channel event each dependence on it gets.
//!
//! A channel passes on in order, but threads write their records a little before or after what these tell. So what
//! satisfies and what gets is told apart by the block: the `n`th satisfaction with a block is what the `n`th dependence
//! gets that has got this block. Where the block is not known, since an event stands between, the order of the records
//! counts.

use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A satisfaction of a channel event, or a dependence on one.
struct ChannelPass {
    event: u32,
    point: u32,
    /// The GUID of the block, 0 for none. `None` where it is not known.
    block: Option<u64>,
}

/// What came to channel events, and what went from them, in the order of the records.
#[derive(Default)]
pub(super) struct Channels {
    sent: Vec<ChannelPass>,
    got: Vec<ChannelPass>,
}

impl Channels {
    /// A channel event is satisfied at a point.
    pub(super) fn sent(&mut self, event: u32, point: u32, block: Option<u64>) {
        self.sent.push(ChannelPass { event, point, block });
    }

    /// A dependence on a channel event is satisfied at a point.
    pub(super) fn got(&mut self, event: u32, point: u32, block: Option<u64>) {
        self.got.push(ChannelPass { event, point, block });
    }

    /// The points of each satisfaction and of the dependence that gets it.
    pub(super) fn pairs(self) -> Vec<(u32, u32)> {
        let mut by_block: FxHashMap<(u32, u64), VecDeque<usize>> = FxHashMap::default();
        for (at, sent) in self.sent.iter().enumerate() {
            if let Some(block) = sent.block {
                by_block.entry((sent.event, block)).or_default().push_back(at);
            }
        }
        let mut pairs = Vec::new();
        let mut is_taken = vec![false; self.sent.len()];
        let mut others = Vec::new();
        for got in &self.got {
            let same = got.block.and_then(|block| by_block.get_mut(&(got.event, block))?.pop_front());
            match same {
                Some(at) => {
                    is_taken[at] = true;
                    pairs.push((self.sent[at].point, got.point));
                }
                None => others.push(got),
            }
        }
        // By event, first those whose block is known, then the others.
        let mut left: FxHashMap<u32, [VecDeque<usize>; 2]> = FxHashMap::default();
        for (at, sent) in self.sent.iter().enumerate().filter(|(at, _)| !is_taken[*at]) {
            left.entry(sent.event).or_default()[usize::from(sent.block.is_none())].push_back(at);
        }
        for got in others {
            let Some([known, unknown]) = left.get_mut(&got.event) else {
                continue;
            };
            // What has got another block than was sent has not got that.
            let is_known = match (got.block, known.front(), unknown.front()) {
                (None, Some(known), Some(unknown)) => known < unknown,
                (block, _, unknown) => block.is_none() && unknown.is_none(),
            };
            let from = if is_known { known } else { unknown };
            if let Some(at) = from.pop_front() {
                pairs.push((self.sent[at].point, got.point));
            }
        }
        pairs
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// The pairs of what was sent to event 1 at 0, 1, 2 ... and got from it at 10, 11, 12 ...
    fn pairs(sent: &[Option<u64>], got: &[Option<u64>]) -> Vec<(u32, u32)> {
        let mut channels = Channels::default();
        (0..).zip(sent).for_each(|(at, &block)| channels.sent(1, at, block));
        (10..).zip(got).for_each(|(at, &block)| channels.got(1, at, block));
        let mut pairs = channels.pairs();
        pairs.sort_unstable();
        pairs
    }

    #[test]
    fn a_block_says_which_satisfaction_was_got() {
        assert_eq!(pairs(&[Some(7), Some(8)], &[Some(8), Some(7)]), [(0, 11), (1, 10)]);
        assert_eq!(pairs(&[Some(7), Some(0), Some(7)], &[Some(7), Some(7), Some(0)]), [(0, 10), (1, 12), (2, 11)]);
        assert_eq!(pairs(&[Some(7)], &[Some(8)]), []);
    }

    #[test]
    fn the_order_says_it_where_no_block_is_known() {
        assert_eq!(pairs(&[None, None], &[Some(8), Some(7)]), [(0, 10), (1, 11)]);
        assert_eq!(pairs(&[Some(7), None, Some(9)], &[None, None, None]), [(0, 10), (1, 11), (2, 12)]);
        assert_eq!(pairs(&[Some(7), None, Some(9)], &[Some(9), None, None, None]), [(0, 11), (1, 12), (2, 10)]);
        assert_eq!(pairs(&[], &[None]), []);
    }

    #[test]
    fn events_are_told_apart() {
        let mut channels = Channels::default();
        channels.sent(1, 0, Some(7));
        channels.sent(2, 1, Some(7));
        channels.got(2, 10, Some(7));
        channels.got(1, 11, None);
        assert_eq!(channels.pairs(), [(1, 10), (0, 11)]);
    }
}
