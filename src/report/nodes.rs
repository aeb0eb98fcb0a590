//! What a report says of the nodes of a program: what each has sent the others, and how often it has waited for them.

use ocr_base::text::{Counted, counted, duration};
use serde::{Deserialize, Serialize};

/// What a node has sent other nodes, and how often its threads have waited for them.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct NodeReport {
    /// The number of the node.
    pub node: u32,
    /// How often a thread has waited for an answer.
    pub waits: u64,
    /// How long threads have waited for answers, summed over the threads, in seconds.
    pub wait_seconds: f64,
    /// What it has sent each other node, by the number of that.
    pub sent: Vec<SentReport>,
}

/// What one node has sent another.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq, Eq)]
pub struct SentReport {
    /// The number of the receiver.
    pub to: u32,
    /// Messages about objects: calls, answers with a content, contents of blocks, and so on.
    pub messages: u64,
    /// Messages that confirm that calls have been made, and say no more.
    pub confirmations: u64,
    /// How often messages were sent together.
    pub batches: u64,
    /// The batches that had nothing but confirmations.
    pub lone_confirmations: u64,
    /// Bytes of blocks.
    pub bytes: u64,
}

/// The most pairs of nodes that are printed.
const MOST_PAIRS: usize = 16;

/// Lines about the nodes: the pairs with most batches, and the nodes that have waited.
pub(super) fn lines(nodes: &[NodeReport]) -> Vec<String> {
    let mut pairs: Vec<_> = nodes.iter().flat_map(|node| node.sent.iter().map(|sent| (node.node, sent))).collect();
    pairs.sort_by_key(|&(from, sent)| (std::cmp::Reverse(sent.batches), from, sent.to));
    let of_pair = |&(from, sent): &(u32, &SentReport)| {
        format!(
            "node {from} to node {}: {} and {} in {} ({} with confirmations alone), {} of blocks",
            sent.to,
            counted(sent.messages, "message"),
            counted(sent.confirmations, "confirmation"),
            match sent.batches {
                1 => "1 batch".to_string(),
                batches => format!("{batches} batches"),
            },
            sent.lone_confirmations,
            Counted(sent.bytes, "byte")
        )
    };
    let mut lines: Vec<String> = pairs.iter().take(MOST_PAIRS).map(of_pair).collect();
    if let Some(left @ 1..) = pairs.len().checked_sub(MOST_PAIRS) {
        lines.push(format!("{left} more pairs of nodes had fewer batches"));
    }
    let waited = nodes.iter().filter(|node| node.waits > 0).map(|node| {
        let times = counted(node.waits, "time");
        format!("threads of node {} waited {times} for other nodes, {} in all", node.node, duration(node.wait_seconds))
    });
    lines.extend(waited.take(MOST_PAIRS));
    lines
}

impl NodeReport {
    /// Adds the same node of another program.
    fn add(&mut self, other: NodeReport) {
        self.waits += other.waits;
        self.wait_seconds += other.wait_seconds;
        for sent in other.sent {
            match self.sent.iter_mut().find(|known| known.to == sent.to) {
                Some(known) => {
                    known.messages += sent.messages;
                    known.confirmations += sent.confirmations;
                    known.batches += sent.batches;
                    known.lone_confirmations += sent.lone_confirmations;
                    known.bytes += sent.bytes;
                }
                None => self.sent.push(sent),
            }
        }
    }
}

/// Adds the nodes of another program.
pub(super) fn add(nodes: &mut Vec<NodeReport>, others: Vec<NodeReport>) {
    for other in others {
        match nodes.iter_mut().find(|known| known.node == other.node) {
            Some(known) => known.add(other),
            None => nodes.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(node: u32, receivers: impl IntoIterator<Item = u32>) -> NodeReport {
        let sent = receivers.into_iter().map(|to| SentReport { to, batches: 1, bytes: 8, ..SentReport::default() });
        NodeReport { node, waits: 1, wait_seconds: 0.25, sent: sent.collect() }
    }

    #[test]
    fn the_busiest_pairs_are_named_and_the_others_counted() {
        let mut nodes = vec![node(0, 1..16), node(1, 0..3)];
        nodes[1].sent[2].batches = 5;
        let lines = lines(&nodes);
        let first = "node 1 to node 2: 0 messages and 0 confirmations in 5 batches (0 with confirmations alone), 8 bytes of \
                     blocks";
        assert_eq!(lines[0], first);
        assert_eq!(lines[MOST_PAIRS], "2 more pairs of nodes had fewer batches");
        assert_eq!(lines[MOST_PAIRS + 1], "threads of node 0 waited 1 time for other nodes, 250 ms in all");
        assert_eq!(lines.len(), MOST_PAIRS + 3);
    }

    #[test]
    fn programs_of_one_run_are_added_by_pair() {
        let mut nodes = vec![node(0, [1])];
        add(&mut nodes, vec![node(0, [1, 2]), node(1, [0])]);
        assert_eq!(nodes[0].waits, 2);
        assert_eq!(nodes[0].sent.iter().map(|sent| (sent.to, sent.bytes)).collect::<Vec<_>>(), [(1, 16), (2, 8)]);
        assert_eq!(nodes[1], node(1, [0]));
    }
}
