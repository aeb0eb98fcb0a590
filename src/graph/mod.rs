//! Dependences: who waits for what, and what follows when something is satisfied.
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

pub mod connect;
pub mod finish;
pub mod satisfy;

use crate::object::edt::EdtRef;
use crate::object::guid::Guid;
use crate::object::{Caches, Objects};

/// Why an operation on the graph is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refused {
    /// The GUID names no such object (any more).
    NoSuchObject,
    /// The pre-slot number is out of range.
    NoSuchSlot,
    /// The objects cannot be linked, or the event was satisfied before.
    NotPermitted,
    /// No memory for a list node.
    OutOfMemory,
}

/// What a satisfaction leads to, kept between calls so that its memory is.
#[derive(Default)]
pub struct Worklist {
    /// EDTs whose last pre-slot was satisfied; the caller owns them.
    pub runnable: Vec<EdtRef>,
    /// Event pre-slots that are to be satisfied.
    events: Vec<(Guid, bool, Guid)>,
}

/// The graph, as one thread works on it.
pub struct Graph<'a> {
    /// The objects.
    pub objects: &'a Objects,
    /// The thread's free slots.
    pub caches: &'a mut Caches,
    /// What follows.
    pub work: &'a mut Worklist,
}
