//! What nodes send each other about a block, and when: the protocol without threads, clocks, locks, memory or links.
//!
//! A block belongs to the node that has created it, its *owner*. When an EDT of another node acquires it, that node,
//! the *borrower*, gets a copy. The copy stays where it is until another node needs the block in a way that does not go
//! with it. A copy *to write* is the only one, and nobody uses the block meanwhile. Copies *to read* may be on several
//! nodes, and EDTs of the owner read the block, too.
//!
//! | file | what it has |
//! |---|---|
//! | `borrower.rs` | the table of a block at a node that has a copy of it, or needs one |
//! | `owner.rs` | the table of a block at its owner: which nodes have copies |
//! | `order.rs` | the calls that an EDT has sent to other nodes: what waits until they are confirmed |
//!
//! Each is a value with a method for each input. The answer says what is sent, and what the engine has to do. The
//! engine (`engine/life/away.rs`) locks, has EDTs wait in the queues of blocks, moves bytes, and sends. It decides
//! nothing.
//!
//! # An EDT on node 0 writes a block of node 1
//!
//! ```text
//! node 0, the borrower                                     node 1, the owner
//! the EDT can run, and no copy is here ---- Want --------> a stand-in for node 0 joins the block's queue
//!                                                          EDTs before it end, and other copies are recalled
//! a copy is here: the EDT acquires it, <--- Content ------ the stand-in has the block: it holds it, and lends it
//!   and writes; others follow it
//! a stand-in for node 1 joins the queue <-- Recall ------- an EDT of node 1 joins the block's queue
//! the EDTs before it end, the copy goes --- Content -----> the stand-in for node 0 gives the block back
//!                                                          the EDT of node 1 has the block, as node 0 has left it
//! ```
//!
//! The EDT begins after two latencies and two messages. If node 2 has a copy to read, the owner sends it a Recall, and
//! its Left comes back: two latencies and two messages more. If node 2 has a copy to write, a Content comes in place of
//! the Left. Further EDTs of node 0 write the copy without any message. Nothing goes back before somebody else needs
//! it.
//!
//! # Why it is right
//!
//! - *No deadlock*: a stand-in waits for one block, behind a bounded number of EDTs. These wait for blocks behind it
//!   alone (`memory/mod.rs`).
//! - *No recall is lost*: the owner notes a loan before it looks whether an EDT waits, and an EDT that has joined the
//!   queue looks whether there is a loan. Both look under the lock of the table.
//! - *Nothing is overtaken*: messages of two nodes arrive in order, so a Want that follows a Content comes behind it.
//!   The bytes of a large content come later than its message. A Recall is remembered until then, and a Want waits in
//!   the block's queue.
//!
//! Tests go through all interleavings of two and three nodes and a few EDTs, by the code of both tables
//! (`tests/model.rs`). They reach each cell, and find a fault if any rule is left out.

#![forbid(unsafe_code)]

pub(crate) mod borrower;
pub(crate) mod order;
pub(crate) mod owner;
#[cfg(test)]
mod tests;
