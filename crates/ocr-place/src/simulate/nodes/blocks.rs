//! Which nodes have a block, and who waits for it: one copy to write, or copies to read on several nodes. This follows
//! the tables of `src/protocol/borrower.rs` and `src/protocol/owner.rs`.
//!
//! | of a block, at the borrower | here |
//! |---|---|
//! | away, wanted | [`SimulatedCopy::wanted`], with the EDTs in `waiting` |
//! | arriving | is passed over: the bytes come with the message |
//! | here, to write or to read | [`SimulatedCopy::here`], and how many EDTs have it |
//! | leaving | `is_recalled`: EDTs that come now wait, and want the block anew |
//!
//! At the owner, EDTs and other nodes wait in one queue. Copies that are in the way of the first of them are recalled.
//! EDTs of one node do not wait for each other. Small blocks that go along (`src/engine/life/along.rs`) are lent as
//! others are.

use super::NONE;
use super::messages::SimulatedMessage;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The most bytes of a block that goes along, and of all that go with one message.
const LARGEST_ALONG: u64 = 16 << 10;
pub(super) const MOST_ALONG: u64 = 56 << 10;

/// The bytes of an entry in the tables of a node.
const ENTRY_BYTES: u64 = 64;

/// What a table asks of the run.
#[derive(Debug)]
pub(super) enum BlockStep {
    /// Send a message, with so many bytes.
    Send { from: u32, to: u32, message: SimulatedMessage, bytes: u64 },
    /// An EDT has a block for which it has waited.
    Granted(u32),
}

/// A copy on another node.
struct SimulatedLoan {
    to: u32,
    reads: bool,
    is_recalled: bool,
}

/// Who waits in the queue of a block at its owner.
struct WaitingForBlock {
    node: u32,
    writes: bool,
    /// The EDT of the owner, or [`NONE`].
    edt: u32,
}

/// A block at its owner.
struct OwnedBlock {
    bytes: u64,
    owner: u32,
    /// How many EDTs of the owner have the block to read, and to write.
    users: [u32; 2],
    loans: Vec<SimulatedLoan>,
    queue: VecDeque<WaitingForBlock>,
}

/// A block at a borrower.
#[derive(Default)]
struct SimulatedCopy {
    /// The copy that is here: whether it is one to write.
    here: Option<bool>,
    users: u32,
    is_recalled: bool,
    /// What was asked for and has not come: whether it is to be written.
    wanted: Option<bool>,
    /// EDTs that wait, and whether they write.
    waiting: Vec<(u32, bool)>,
}

impl SimulatedCopy {
    fn serves(&self, writes: bool) -> bool {
        !self.is_recalled && self.here.is_some_and(|to_write| to_write || !writes)
    }
}

/// The blocks of all nodes.
pub(super) struct BlockTables {
    blocks: Vec<OwnedBlock>,
    borrowed: FxHashMap<(u32, u32), SimulatedCopy>,
    /// What the run has to do next.
    pub(super) steps: Vec<BlockStep>,
    /// The bytes of the tables of each node.
    pub(super) bytes: Vec<u64>,
}

impl BlockTables {
    pub(super) fn new(bytes: impl Iterator<Item = u64>, nodes: u32) -> BlockTables {
        let new = |bytes| OwnedBlock { bytes, owner: NONE, users: [0; 2], loans: Vec::new(), queue: VecDeque::new() };
        let blocks = bytes.map(new).collect();
        BlockTables { blocks, borrowed: FxHashMap::default(), steps: Vec::new(), bytes: vec![0; nodes as usize] }
    }

    /// Says which node owns a block, if that is not said yet.
    pub(super) fn settle(&mut self, block: u32, owner: u32) {
        let its = &mut self.blocks[block as usize];
        if its.owner == NONE {
            its.owner = owner;
        }
    }

    fn send(&mut self, from: u32, to: u32, message: SimulatedMessage, bytes: u64) {
        self.steps.push(BlockStep::Send { from, to, message, bytes });
    }

    /// A node asks for a block that is not there, since an EDT has become runnable.
    pub(super) fn ask(&mut self, node: u32, block: u32, writes: bool) {
        let owner = self.blocks[block as usize].owner;
        if owner == node {
            return;
        }
        let its = self.borrowed.entry((block, node)).or_default();
        let has_asked = its.wanted.is_some_and(|to_write| to_write || !writes);
        if its.is_recalled || its.serves(writes) || has_asked {
            return;
        }
        its.wanted = Some(writes);
        self.send(node, owner, SimulatedMessage::Want { block, writes }, 0);
    }

    /// An EDT acquires a block. False if it waits: then [`BlockStep::Granted`] comes.
    pub(super) fn acquire(&mut self, edt: u32, node: u32, block: u32, writes: bool) -> bool {
        let its = &mut self.blocks[block as usize];
        if its.owner == node {
            if its.queue.is_empty() && its.loans.iter().all(|loan| loan.reads && !writes) {
                its.users[usize::from(writes)] += 1;
                return true;
            }
            its.queue.push_back(WaitingForBlock { node, writes, edt });
            self.serve(block);
            return false;
        }
        let its = self.borrowed.entry((block, node)).or_default();
        if its.serves(writes) {
            its.users += 1;
            return true;
        }
        its.waiting.push((edt, writes));
        self.ask(node, block, writes);
        false
    }

    /// An EDT gives a block back.
    pub(super) fn release(&mut self, node: u32, block: u32, writes: bool) {
        let its = &mut self.blocks[block as usize];
        if its.owner == node {
            its.users[usize::from(writes)] -= 1;
            if !its.queue.is_empty() {
                self.serve(block);
            }
        } else if let Some(its) = self.borrowed.get_mut(&(block, node)) {
            its.users -= 1;
            self.leave(node, block);
        }
    }

    /// Lends a block of `node` to another one that reads it, with what starts an EDT there. How many bytes go along;
    /// None if the block does not.
    pub(super) fn lend_along(&mut self, node: u32, to: u32, block: u32) -> Option<u64> {
        let its = &mut self.blocks[block as usize];
        let has_it = its.loans.iter().any(|loan| loan.to == to || !loan.reads);
        if its.owner != node || its.bytes > LARGEST_ALONG || its.users[1] != 0 || !its.queue.is_empty() || has_it {
            return None;
        }
        its.loans.push(SimulatedLoan { to, reads: true, is_recalled: false });
        let bytes = its.bytes;
        self.bytes[node as usize] += ENTRY_BYTES;
        Some(bytes)
    }

    /// At the owner: another node wants a block.
    pub(super) fn is_wanted(&mut self, by: u32, block: u32, writes: bool) {
        self.blocks[block as usize].queue.push_back(WaitingForBlock { node: by, writes, edt: NONE });
        self.serve(block);
    }

    /// At the owner: serves those that wait, up to the first one that cannot be served, for which copies are recalled.
    fn serve(&mut self, block: u32) {
        loop {
            let its = &mut self.blocks[block as usize];
            let owner = its.owner;
            let Some(&WaitingForBlock { node, writes, edt }) = its.queue.front() else { return };
            let is_local = node == owner;
            let is_in_the_way = |loan: &SimulatedLoan| writes || !loan.reads;
            if its.loans.iter().any(is_in_the_way) {
                let mut from = Vec::new();
                for loan in its.loans.iter_mut().filter(|loan| is_in_the_way(loan) && !loan.is_recalled) {
                    loan.is_recalled = true;
                    from.push(loan.to);
                }
                for to in from {
                    self.send(owner, to, SimulatedMessage::Recall { block }, 0);
                }
                return;
            }
            let [readers, writers] = its.users;
            if !is_local && (writers != 0 || writes && readers != 0) {
                return;
            }
            its.queue.pop_front();
            if is_local {
                its.users[usize::from(writes)] += 1;
                self.steps.push(BlockStep::Granted(edt));
            } else if its.loans.iter().all(|loan| loan.to != node) {
                // Otherwise a copy to read has gone along, and serves those that wait.
                its.loans.push(SimulatedLoan { to: node, reads: !writes, is_recalled: false });
                debug_assert!(its.loans.len() == 1 || its.loans.iter().all(|loan| loan.reads));
                let bytes = its.bytes;
                self.bytes[owner as usize] += ENTRY_BYTES;
                self.send(owner, node, SimulatedMessage::Content { block, reads: !writes }, bytes);
            }
        }
    }

    /// The content of a block has come, from its owner or back.
    pub(super) fn comes(&mut self, from: u32, node: u32, block: u32, reads: bool) {
        if self.blocks[block as usize].owner == node {
            return self.is_back(from, block);
        }
        self.bytes[node as usize] += ENTRY_BYTES;
        let its = self.borrowed.entry((block, node)).or_default();
        its.here = Some(!reads);
        if !reads || its.wanted == Some(false) {
            its.wanted = None;
        }
        let waiting = std::mem::take(&mut its.waiting);
        for (edt, writes) in waiting {
            if writes && reads {
                its.waiting.push((edt, writes));
            } else {
                its.users += 1;
                self.steps.push(BlockStep::Granted(edt));
            }
        }
    }

    /// At the borrower: the owner wants a block back.
    pub(super) fn is_recalled(&mut self, node: u32, block: u32) {
        if let Some(its) = self.borrowed.get_mut(&(block, node)) {
            its.is_recalled = true;
            self.leave(node, block);
        }
    }

    /// At the borrower: gives a copy back that was recalled, if no EDT has it. Those that have come since want it anew.
    fn leave(&mut self, node: u32, block: u32) {
        let Some(its) = self.borrowed.get_mut(&(block, node)) else { return };
        if !its.is_recalled || its.users != 0 {
            return;
        }
        let to_write = its.here.take() == Some(true);
        its.is_recalled = false;
        let again = its.waiting.iter().map(|&(_, writes)| writes).reduce(|any, writes| any || writes);
        if its.wanted.is_none() && again.is_none() {
            self.borrowed.remove(&(block, node));
        }
        let (owner, bytes) = (self.blocks[block as usize].owner, self.blocks[block as usize].bytes);
        self.bytes[node as usize] -= ENTRY_BYTES;
        let (message, bytes) = if to_write {
            (SimulatedMessage::Content { block, reads: false }, bytes)
        } else {
            (SimulatedMessage::Left { block }, 0)
        };
        self.send(node, owner, message, bytes);
        if let Some(writes) = again {
            self.ask(node, block, writes);
        }
    }

    /// At the owner: a copy is there no more.
    pub(super) fn is_back(&mut self, from: u32, block: u32) {
        let its = &mut self.blocks[block as usize];
        its.loans.retain(|loan| loan.to != from);
        let owner = its.owner as usize;
        self.bytes[owner] -= ENTRY_BYTES;
        self.serve(block);
    }
}
