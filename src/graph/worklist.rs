//! What the operations of this room work on.

use crate::object::edt::{EdtRef, Mode};
use crate::object::guid::Guid;
use crate::object::link::Link;
use crate::object::{Caches, Objects};

/// Why an operation on the graph is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum GraphError {
    /// The GUID names no such object (any more).
    NoSuchObject,
    /// The pre-slot number is out of range.
    NoSuchSlot,
    /// The objects cannot be linked, or the event was satisfied before.
    NotPermitted,
    /// No memory for a list node.
    OutOfMemory,
    /// The event is opening: the dependence is for the thread that opens it.
    Opening,
}

/// A dependence that will be added.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Dependence {
    /// A data block, an event or `NULL_GUID`.
    pub source: Guid,
    /// The post-slot of the source, if that is a collective event.
    pub post_slot: u32,
    /// The EDT or event that depends on the source.
    pub destination: Guid,
    /// The pre-slot of the destination.
    pub slot: u32,
    /// In which mode the destination, an EDT, gets the data block.
    pub mode: Mode,
}

/// An operation on the graph, as programs ask for it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum GraphCall {
    /// A dependence is added (`ocrAddDependence`).
    Dependence(Dependence),
    /// An event is destroyed (`ocrEventDestroy`).
    Destruction {
        /// The event that is destroyed.
        event: Guid,
    },
    /// An event is satisfied (`ocrEventSatisfy`), or would be by another event.
    Satisfaction {
        /// The event that is satisfied.
        event: Guid,
        /// Whether it is the increment slot of a latch event.
        increment: bool,
        /// A data block or `NULL_GUID`.
        data: Guid,
        /// Whether it is a call that may be refused, and not what another event leads to.
        called: bool,
    },
}

/// What a satisfaction leads to, kept between calls so that its memory is.
#[derive(Default)]
pub(crate) struct Worklist {
    /// EDTs whose last pre-slot was satisfied; the caller owns them.
    pub runnable: Vec<EdtRef>,
    /// Lists taken from events that have triggered, and what they were satisfied with.
    pub(super) lists: Vec<(Link, Guid)>,
    /// Event pre-slots that will be satisfied.
    pub(super) events: Vec<(Guid, bool, Guid)>,
    /// What must be done with events that others open: the caller hands it on.
    pub for_openers: Vec<GraphCall>,
    /// The call that was refused last because its object is not there. The function that refuses it has it at hand. A
    /// caller would have to keep each call, in case it is refused.
    pub refused: Option<GraphCall>,
    /// The event that this thread opens.
    pub opens: Option<Guid>,
    /// Events that did not take what another event passed on to them, if strict mode reports them.
    pub rejected: Option<Vec<Guid>>,
}

impl Worklist {
    /// Nothing to do. `tells` says whether strict mode reports events that do not take what is passed on to
    /// them.
    pub(crate) fn new(tells: bool) -> Worklist {
        Worklist { rejected: tells.then(Vec::new), ..Worklist::default() }
    }

    /// Keeps a call that is refused.
    #[cold]
    pub(super) fn refuse(&mut self, why: GraphError, call: GraphCall) -> GraphError {
        self.refused = Some(call);
        why
    }

    /// Keeps an event that did not take what was passed on to it.
    #[cold]
    pub(super) fn not_taken(&mut self, event: Guid) {
        if let Some(rejected) = &mut self.rejected {
            rejected.push(event);
        }
    }

    /// Keeps a call for the thread that opens the event.
    #[cold]
    pub(super) fn leave_to_opener(&mut self, call: GraphCall) {
        self.for_openers.push(call);
        self.say_for_openers();
    }

    /// Has the worklist say that there is something to do, if others must be handed something: by an
    /// empty list.
    pub(super) fn say_for_openers(&mut self) {
        if !self.for_openers.is_empty() {
            self.lists.push((Link::END, Guid::NULL));
        }
    }

    /// Whether there is nothing to do.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.runnable.is_empty() && self.lists.is_empty() && self.events.is_empty()
    }
}

/// The graph, as one thread works on it.
pub(crate) struct Graph<'a> {
    pub objects: &'a Objects,
    /// Free slots of each kind of object, for this thread alone.
    pub caches: &'a mut Caches,
    /// What is left to be done.
    pub work: &'a mut Worklist,
}
