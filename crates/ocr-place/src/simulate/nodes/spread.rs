//! On which node an EDT is created.

use super::{NONE, NodesGraph};
use crate::simulate::graph::SimulatedTask;
use std::str::FromStr;

/// By what rule EDTs are spread over nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NodePlacing {
    /// An EDT is on the node that a hint names, or else on that of its creator: `OCR_PLACE=home`.
    Home,
    /// Each node creates its EDTs on one node after the other: `OCR_PLACE=round`.
    Round,
    /// The blocks that EDTs write are shared out over the nodes in the order of their creation, so that each node has
    /// as much of the work. An EDT is on the node that has most bytes of its blocks: what a program says by hints.
    Bytes,
}

impl NodePlacing {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            NodePlacing::Home => "home",
            NodePlacing::Round => "round",
            NodePlacing::Bytes => "bytes",
        }
    }
}

impl FromStr for NodePlacing {
    type Err = String;

    /// Reads the word for a rule.
    ///
    /// # Errors
    /// A text for the user.
    fn from_str(text: &str) -> Result<NodePlacing, String> {
        let all = [NodePlacing::Home, NodePlacing::Round, NodePlacing::Bytes];
        let found = all.into_iter().find(|placing| placing.word() == text);
        found.ok_or_else(|| format!("\"{text}\" is neither home, round nor bytes"))
    }
}

/// The rule for a run.
pub(super) struct NodeChoice<'a> {
    input: NodesGraph<'a>,
    nodes: u32,
    placing: NodePlacing,
    /// For each node, how many EDTs it has created by turns.
    turns: Vec<u32>,
    /// For each block, the node that it is shared out to.
    shares: Vec<u32>,
}

impl<'a> NodeChoice<'a> {
    pub(super) fn new(input: NodesGraph<'a>, nodes: u32, placing: NodePlacing) -> NodeChoice<'a> {
        let shares = if placing == NodePlacing::Bytes { shares(&input, nodes) } else { Vec::new() };
        NodeChoice { input, nodes, placing, turns: vec![0; nodes as usize], shares }
    }

    /// A node has created an EDT.
    pub(super) fn has_created(&mut self, from: u32) {
        let turn = &mut self.turns[from as usize];
        *turn = turn.wrapping_add(1);
    }

    /// The node for the next EDT that one on the node `from` creates, or for one that is there from the beginning.
    pub(super) fn node(&self, edt: u32, from: u32) -> u32 {
        let hint = self.input.hints[edt as usize];
        let is_first = self.input.creators[edt as usize] == NONE;
        match self.placing {
            _ if is_first => {
                if hint < self.nodes {
                    hint
                } else {
                    0
                }
            }
            NodePlacing::Home if hint < self.nodes => hint,
            NodePlacing::Home => from,
            NodePlacing::Round => self.turns[from as usize].wrapping_add(from) % self.nodes,
            NodePlacing::Bytes => self.most(edt).unwrap_or(from),
        }
    }

    /// The node that has most bytes of the blocks of an EDT. None for an EDT without blocks.
    fn most(&self, edt: u32) -> Option<u32> {
        let graph = self.input.graph;
        let uses = &graph.tasks[edt as usize].blocks;
        let mut bytes: Vec<(u32, u64)> = Vec::with_capacity(uses.len());
        for uses in uses {
            let node = self.shares[uses.block as usize];
            let more = graph.blocks[uses.block as usize].bytes;
            match bytes.iter_mut().find(|(other, _)| *other == node) {
                Some((_, sum)) => *sum += more,
                None => bytes.push((node, more)),
            }
        }
        bytes.into_iter().max_by_key(|&(node, bytes)| (bytes, u32::MAX - node)).map(|(node, _)| node)
    }
}

/// How many times the mean of all an EDT counts at most. One that takes far longer is a phase of the program that no
/// node shares, such as its beginning.
const MOST_MEANS: u64 = 2;

/// Shares the blocks out. The work of an EDT counts for the largest block that it writes; a block without work is where
/// the one before it is.
fn shares(input: &NodesGraph<'_>, nodes: u32) -> Vec<u32> {
    let graph = input.graph;
    let takes = |task: &SimulatedTask| task.ns.first().copied().flatten();
    let all: u128 = graph.tasks.iter().filter_map(takes).map(u128::from).sum();
    let many = graph.tasks.iter().filter_map(takes).count().max(1) as u128;
    let most = (all / many) as u64 * MOST_MEANS;
    let mut work = vec![0_u64; graph.blocks.len()];
    for task in &graph.tasks {
        let written = task.blocks.iter().filter(|uses| uses.writes).map(|uses| uses.block);
        if let Some(block) = written.max_by_key(|&block| (graph.blocks[block as usize].bytes, u32::MAX - block)) {
            work[block as usize] += takes(task).unwrap_or(0).min(most);
        }
    }
    let all: u64 = work.iter().sum();
    let (mut before, mut node) = (0_u64, 0);
    let share = work.into_iter().map(|work| {
        if work != 0 {
            let middle = u128::from(before) + u128::from(work) / 2;
            node = (middle * u128::from(nodes) / u128::from(all.max(1))).min(u128::from(nodes) - 1) as u32;
            before += work;
        }
        node
    });
    share.collect()
}
