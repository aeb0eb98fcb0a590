//! Data blocks in use: which EDT may have one in which mode, and which waits for it.
//!
//! This room grants, queues and releases; it answers with the EDTs that were granted what they
//! waited for, and never runs one. No EDT waits in a thread: an EDT that cannot have a block joins
//! the block's queue, and the thread that releases the block takes it out.
//!
//! # Why nothing deadlocks or starves
//!
//! An EDT acquires distinct blocks in GUID order, one at a time, and runs when it has all. So an EDT that waits for a
//! block holds only blocks with smaller GUIDs, and a running EDT waits for nothing: there is no cycle. A part of a
//! block stands right behind the whole in this order: while it cannot be used, an EDT that waits for it waits for those
//! that hold the whole. On several nodes, a node does not know what another node's part is a part of. There, parts come
//! before all other blocks, and parts of parts before these: GUIDs tell their levels. So who holds the whole waits for
//! blocks of that level or a lower one alone, and who waits for the part holds none of these. The blocks an EDT creates
//! are granted at creation, without waiting. A queue is served in order; only RO, which conflicts with nothing, passes
//! it. So each EDT in a queue is behind a bounded number of others, each of which will release.
//!
//! An EDT that has acquired all may begin again, before it runs (`fall_back.rs`): it gives all back, then
//! acquires in the same order as any other EDT. What it keeps meanwhile are holds in RO mode, for which
//! no EDT waits.
//!
//! Four things lie outside of this. An EDT that waits in a call (`engine::workers::wait`) keeps its blocks: what it
//! waits for must not need them. The program has to see to that, and a hang is reported. A block that has parts is
//! given to no EDT until these are destroyed (`divided.rs`). So an EDT that waits for it waits for EDTs that must not
//! need the blocks with smaller GUIDs that it holds. The program has to see to that, too. And a worker may keep a hold
//! as a lease, but never for longer than an EDT (`lease.rs`). An attempt may have a block for itself that it holds in
//! RW mode ([`take_alone`]), until it ends or the EDT waits in a call: others wait for the block as for one in EW mode.
//!
//! # The modes
//!
//! | held \ wanted | RO | CONST | RW | EW |
//! |---|---|---|---|---|
//! | RO | yes | yes | yes | yes |
//! | CONST | yes | yes | no | no |
//! | RW | yes | no | in the same place | no |
//! | EW | yes | no | no | no |
//!
//! "In the same place" keeps writes from being lost: there is one copy that all RW holders write
//! to. An EDT that is not placed yet shares RW with no other; placing it (`bind_place`) lets others in.
//!
//! | file | what it has |
//! |---|---|
//! | `access.rs` | blocks are granted, queued for and released |
//! | `holders.rs`, `holds.rs` | holders by mode; holds that no EDT acquires |
//! | `queue.rs` | the queue of a block |
//! | `lease.rs` | how many EDTs use a block without all of them writing to it |
//! | `private.rs`, `divided.rs` | blocks that were passed by value, and those that have parts |
//! | `fall_back.rs` | an EDT whose kernel was not run goes on elsewhere |

mod access;
#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod divided;
mod fall_back;
mod holders;
mod holds;
mod lease;
#[cfg(all(test, loom))]
mod loom_models;
#[cfg_attr(loom, allow(dead_code))]
pub(crate) mod private;
mod queue;
#[cfg(all(test, not(loom)))]
mod thread_tests;

pub(crate) use access::{
    acquire, bind_place, destroy, is_unused_but_for, release, release_locked, release_unused, try_acquire,
};
pub(crate) use fall_back::{fall_back, go_on_alone, reacquired};
#[cfg_attr(loom, allow(unused_imports))]
pub(crate) use holds::hold_to_read;
pub(crate) use holds::{end_watch, hand_back, hand_on, hold_again, hold_at_creation, hold_still, take_alone, watch};
pub(crate) use lease::Leases;
#[cfg_attr(loom, allow(unused_imports))]
pub(crate) use queue::take_queue;
pub(crate) use queue::{Acquired, Left, is_waited_for};
