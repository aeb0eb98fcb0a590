//! A graph of EDTs in virtual time on several nodes, by the protocol of the runtime. It says which node has an EDT,
//! which messages go, who waits for them, and how blocks go from node to node.
//!
//! Each node has workers, and a thread of the link. That sends and handles one message at a time, each of which costs
//! it [`NodesMachine::overhead_ns`]. What waits for one node when the thread looks goes in one batch. A batch is on its
//! way for the latency, behind the bytes of all batches that its node has sent before.
//!
//! | what happens | messages |
//! |---|---|
//! | an EDT creates one for another node | one, confirmed; dependences that follow at once go along: those that are satisfied, and those on output events of that node |
//! | its dependence on an output event of a third node, and any on another node's event after that | one to the node of that event, confirmed |
//! | an EDT satisfies something in its body | one to the node of the EDT that waits, confirmed |
//! | an EDT or a finish scope ends | one to each node on which EDTs wait for that |
//! | no EDT of a finish scope is left on a node | one to the node of the finish EDT |
//! | all calls are confirmed of an EDT that holds others back | one to each other node that has some of those |
//! | an EDT needs a block | those of `blocks.rs`; none for a small one that went along |
//!
//! What can have others go on waits until the EDT's calls for other nodes are confirmed, and so does the end of its
//! function: its worker runs nothing else meanwhile. A creation with an open pre-slot does not wait for that. If
//! dependences go along, the new EDT is held back until then. Where too many EDTs are held back, or too many calls are
//! unconfirmed, a creation waits all the same. These are the rules of `src/protocol/order.rs`.
//!
//! These are left out:
//!
//! - Kernels, priorities, and the exclusion of EDTs of one node over a block.
//! - Where an event is that an EDT satisfies in its body: recordings do not say it. It is taken to be on the node of
//!   the EDT that waits for it.
//! - The way of the news that a scope's last EDT on a node has ended, where a third node has created that. The runtime
//!   tells that node first; here the message goes to the finish EDT's.
//! - Messages that say which EDTs are gone, so that their creators use their GUIDs again.
//!
//! | file | what it has |
//! |---|---|
//! | `agenda.rs` | what happens when |
//! | `messages.rs` | the threads of the link, and the messages between them |
//! | `blocks.rs` | which nodes have a block |
//! | `spread.rs` | on which node an EDT is created |
//! | `run.rs` | the EDTs of a run; `run/calls.rs` what they ask of each other |
//! | `end.rs` | how long the end of a program takes |

mod agenda;
mod blocks;
mod end;
mod messages;
mod run;
mod spread;

pub use end::end_ns;
pub use run::simulate_on_nodes;
pub use spread::NodePlacing;

use super::graph::TaskGraph;

/// The number that stands for no task and for no node.
pub const NONE: u32 = u32::MAX;

/// The least bandwidth of a link, in bytes per second.
pub const LEAST_BANDWIDTH: f64 = 1e3;

/// The longest latency, and the most that a message may cost, in nanoseconds: a second.
pub const LONGEST_DELAY_NS: u64 = 1_000_000_000;

/// The nodes on which a graph runs in virtual time.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct NodesMachine {
    /// How many nodes there are; at least one.
    pub nodes: u32,
    /// How many workers each has; at least one.
    pub workers: u32,
    /// Nanoseconds from when a batch leaves a node until it is at another; [`LONGEST_DELAY_NS`] at most.
    pub latency_ns: u64,
    /// Bytes per second of a node's link; [`LEAST_BANDWIDTH`] at least.
    pub bandwidth: f64,
    /// Nanoseconds that a message costs the thread of the link on either side; [`LONGEST_DELAY_NS`] at most.
    pub overhead_ns: u64,
}

/// A graph, and what is known of where its EDTs and blocks come from. Times are those on the host. Everything has an
/// element for each task or block, which is [`NONE`] where it is not known.
#[derive(Clone, Copy, Debug)]
pub struct NodesGraph<'a> {
    /// The EDTs, with their blocks and dependences.
    pub graph: &'a TaskGraph,
    /// The task that creates each task; of a join, the finish EDT. A task that no other creates is there from the
    /// beginning.
    pub creators: &'a [u32],
    /// The task that creates each block.
    pub makers: &'a [u32],
    /// The node that a hint names for each task; of one without a creator, its node.
    pub hints: &'a [u32],
}

/// What came of a run on several nodes. Times are nanoseconds.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct NodesOutcome {
    /// From the beginning to the end of the last EDT.
    pub ns: u64,
    /// Messages that are no confirmations.
    pub messages: u64,
    /// Messages that are.
    pub confirmations: u64,
    /// How often a thread of the link has sent messages together.
    pub batches: u64,
    /// Bytes of blocks that were sent.
    pub bytes: u64,
    /// For how long workers waited in EDTs until calls were confirmed, all workers together.
    pub confirming_ns: u64,
    /// For how long workers had nothing to run and could get something from other nodes, all workers together.
    /// Something was on its way to their node, or an EDT waited there for a block.
    pub starved_ns: u64,
    /// What starting EDTs cost, and telling of their ends, all EDTs together.
    pub starting_ns: u64,
    /// For how long each node's workers ran EDTs.
    pub busy_ns: Vec<u64>,
    /// For how long each node's thread of the link sent and handled messages.
    pub link_ns: Vec<u64>,
    /// How many EDTs ran on each node.
    pub edts: Vec<u64>,
    /// The most bytes that messages and the tables of blocks took on a node at once.
    pub protocol_bytes: u64,
}

#[cfg(test)]
mod tests;
