//! Dependences: which pre-slot waits for what, and what follows when something is satisfied.
//!
//! This room owns the pre-slots of EDTs until the EDT is runnable, the lists of events, and finish
//! scopes. It answers with the EDTs that became runnable and never runs, locks or places one. It
//! uses no recursion: what a satisfaction leads to is kept in a worklist, so a chain of ten million
//! events takes no stack.
//!
//! The order of steps when a pre-slot is connected to an event decides that no satisfaction is
//! lost. The pre-slot is marked connected first (under the EDT's lock), then it is put into the
//! event's list (under the event's lock) unless the event has already triggered, in which case the
//! data is taken from it and the pre-slot satisfied at once. The event's lock decides which of
//! "connect" and "trigger" comes first; in both orders the pre-slot is satisfied exactly once.
//!
//! For counted and channel events, too, one step under the event's lock decides: a counted event
//! counts its dependences there, and a channel takes the other side of the pair out of its queue, or
//! puts this side into it. In a collective event the lock inside of it does that.
//!
//! | file | what it has |
//! |---|---|
//! | `connect.rs`, `create.rs` | dependences are added; the pre-slots of a new EDT |
//! | `satisfy.rs` | events and pre-slots are satisfied: when an event triggers, and what goes then |
//! | `multi_shot.rs` | counted, channel and collective events |
//! | `by_value.rs` | blocks that go with their last consumer are passed on |
//! | `finish.rs` | finish scopes |
//! | `worklist.rs` | what is still to be done |

mod by_value;
mod connect;
mod create;
pub(crate) mod finish;
#[cfg(all(test, loom))]
mod loom_models;
mod multi_shot;
mod satisfy;
#[cfg(test)]
mod test_support;
#[cfg(all(test, not(loom)))]
mod thread_tests;
mod worklist;

pub(crate) use create::{LinkError, NewSlots};
pub(crate) use worklist::{Dependence, Graph, GraphCall, GraphError, Worklist};
