//! Calls on labels that have no object yet, as they are kept until the object is created.

use crate::abi::Api;
use crate::check::calls::MAX_ARGS;
use crate::check::history::Who;
use crate::graph::GraphCall;
use crate::object::guid::Guid;
use crate::object::waiting::Wake;
use std::fmt;

impl GraphCall {
    /// The objects that it names.
    pub(crate) fn guids(&self) -> [Guid; 2] {
        match *self {
            GraphCall::Dependence(of) => [of.source, of.destination],
            GraphCall::Satisfaction { event, data, .. } => [event, data],
            GraphCall::Destruction { event } => [event, Guid::NULL],
        }
    }

    /// The function of the interface, and its arguments as words.
    pub(crate) fn as_made(&self) -> (Api, [u64; MAX_ARGS]) {
        let mut args = [0; MAX_ARGS];
        let (api, words): (_, &[u64]) = match *self {
            GraphCall::Dependence(of) => {
                let [source, destination] = [of.source, of.destination].map(Guid::bits);
                let [post_slot, slot] = [of.post_slot, of.slot].map(u64::from);
                let mode = of.mode as u64;
                match post_slot {
                    0 => (Api::ocrAddDependence, &[source, destination, slot, mode]),
                    _ => (Api::ocrAddDependenceSlot, &[source, post_slot, destination, slot, mode]),
                }
            }
            GraphCall::Satisfaction { event, increment, data, .. } => {
                let [event, data] = [event.bits(), data.bits()];
                if !increment {
                    (Api::ocrEventSatisfy, &[event, data])
                } else {
                    (Api::ocrEventSatisfySlot, &[event, data, 1])
                }
            }
            GraphCall::Destruction { event } => (Api::ocrEventDestroy, &[event.bits()]),
        };
        args[..words.len()].copy_from_slice(words);
        (api, args)
    }
}

impl fmt::Display for DeferredCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.by.name();
        match self.given {
            GraphCall::Dependence(of) => {
                write!(f, "{name} from {} to pre-slot {} of {}", of.source, of.slot, of.destination)
            }
            GraphCall::Satisfaction { event, data, .. } => {
                write!(f, "{name} of {event} with {data}")
            }
            GraphCall::Destruction { event } => write!(f, "{name} of {event}"),
        }
    }
}

/// What has asked for something that waits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeferredBy {
    /// A function of the interface, which the program has called.
    Call(Api),
    /// What an EDT returned, which is passed on.
    Result,
}

impl DeferredBy {
    /// The words by which messages name the cause.
    pub(crate) fn name(self) -> &'static str {
        match self {
            DeferredBy::Call(api) => api.shown(),
            DeferredBy::Result => "the result of an EDT",
        }
    }
}

/// A call that waits, and the EDT or thread that has made it.
pub(crate) struct DeferredCall {
    /// The call with the arguments that the program gave.
    pub(crate) given: GraphCall,
    pub(crate) by: DeferredBy,
    pub(crate) who: Who,
    /// What of it waits: a dependence on an event may have been split, and one of an EDT on a label is of the
    /// one that was there, not of the next.
    pub(crate) rest: GraphCall,
    pub(crate) is_split: bool,
    /// How often it may be made again where all is there: a label that it names may have got its first
    /// object right after the call was refused for that.
    pub(crate) again: usize,
    /// Whether nothing was wrong with it before: its blocks may be gone since.
    pub(crate) admitted: bool,
}

impl DeferredCall {
    pub(crate) fn new(call: GraphCall, who: Who) -> DeferredCall {
        DeferredCall {
            given: call,
            by: DeferredBy::Call(call.as_made().0),
            who,
            rest: call,
            is_split: false,
            again: call.guids().len(),
            admitted: false,
        }
    }

    /// A call that no function of the interface was called for; otherwise as [`DeferredCall::new`] makes it.
    pub(crate) fn from(by: DeferredBy, call: GraphCall, who: Who) -> DeferredCall {
        DeferredCall { by, ..DeferredCall::new(call, who) }
    }
}

/// What waits until a label has its first object.
pub(crate) enum Deferred {
    GraphCall(DeferredCall),
    /// A thread that waits for an event.
    Thread(Wake),
}

impl Deferred {
    pub(crate) fn call(waits: Option<Deferred>) -> Option<DeferredCall> {
        match waits? {
            Deferred::GraphCall(deferred) => Some(deferred),
            Deferred::Thread(_) => None,
        }
    }
}
