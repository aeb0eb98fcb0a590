//! Calls that name an object by its label before a call has created it (see `ocr-labeling.h`).
//!
//! Such a call has returned 0 and waits under the label in `Runtime::deferred`. The thread that creates the object
//! makes it, within the call that creates ([`Waiting`](crate::object::waiting) says why none is passed over). So what
//! comes after the creation finds it made. It is made by the functions that would have made it at once. It may find
//! that the other label it names has no object either, and waits on, under that.
//!
//! An event may trigger and go while what depends on it waits for its destination. So where that is what
//! lacks, the dependence is split at once, by an event of the runtime's between the two: a counted event
//! for one dependence, which keeps what it gets until it has passed it on, and then goes. Messages look
//! through it.
//!
//! The other objects of a call may be destroyed while it waits, as they may be right after a call that need not wait,
//! and the consequence is the same. A block that is gone is passed on, and that is reported when an EDT acquires it. A
//! dependence whose destination is gone counts for an event that counts its dependences.

use crate::abi::Api;
use crate::check::history::{What, Who};
use crate::engine::state::context::Context;
use crate::engine::state::deferred::{Deferred, DeferredBy, DeferredCall};
use crate::engine::state::fatal::fatal;
use crate::engine::state::runtime::Runtime;
use crate::graph::{Dependence, Graph, GraphCall, GraphError};
use crate::heap;
use crate::object::Objects;
use crate::object::edt::EdtState;
use crate::object::event::{EventKind, NewEvent};
use crate::object::guid::Guid;
use crate::report::snapshot::DeferredCallView;
use ocr_base::sync::preemption_point;

impl Context {
    /// Events that other threads are opening cannot be used yet. Has the calls on them wait until these threads have
    /// opened them.
    #[cold]
    pub(crate) fn pass_to_openers(&mut self) {
        let who = self.who();
        for call in std::mem::take(&mut self.steps.worklist.for_openers) {
            let [event, _] = call.guids();
            if let Some(deferred) = self.join(event, DeferredCall::new(call, who)) {
                self.go_on(Deferred::GraphCall(deferred));
            }
        }
    }

    /// Has a call wait for the thread that opens an event. Returns the call again if no thread does.
    fn join(&self, event: Guid, deferred: DeferredCall) -> Option<DeferredCall> {
        let (events, deferred_calls) = (&self.runtime.objects.events, &self.runtime.deferred);
        let is_opening = || events.is_opening(event);
        Deferred::call(deferred_calls.join(event, Deferred::GraphCall(deferred), is_opening))
    }

    /// Works on the graph for the program. A call that is refused for an object that is not there waits
    /// for it.
    #[inline(always)]
    pub(crate) fn ask_graph(
        &mut self,
        call: impl FnOnce(&mut Graph<'_>) -> Result<(), GraphError>,
    ) -> Result<(), GraphError> {
        // Calls that were refused before are not those of this caller.
        self.steps.worklist.refused = None;
        let answer = self.with_graph(call);
        answer.or_else(|why| self.make_refused(why))
    }

    #[cold]
    #[inline(never)]
    fn make_refused(&mut self, why: GraphError) -> Result<(), GraphError> {
        let call = self.steps.worklist.refused.take().ok_or(why)?;
        self.defer_refused(why, DeferredCall::new(call, self.who()))
    }

    /// Has a call that was refused wait for an object that it names, if that is why. A dependence that came too late is
    /// served, if it can be.
    #[cold]
    #[inline(never)]
    pub(crate) fn defer_refused(&mut self, why: GraphError, deferred: DeferredCall) -> Result<(), GraphError> {
        match self.find_late(why, &deferred) {
            Some(late) => self.serve_late(late, &deferred),
            None => self.wait_or_refuse(why, deferred),
        }
    }

    /// Has a call that was refused wait for an object that it names, if that is why.
    pub(crate) fn wait_or_refuse(&mut self, why: GraphError, deferred: DeferredCall) -> Result<(), GraphError> {
        self.make_or_wait(deferred, why).map_err(|left| {
            let (mut deferred, why) = *left;
            self.give_split_up(&mut deferred);
            why
        })
    }

    /// A data block or EDT was created on a label: makes the calls that wait for it.
    pub(crate) fn created_on(&mut self, label: Guid) {
        let waits = self.runtime.deferred.take(label);
        if !waits.is_empty() && label.is_data_block() {
            self.check_opens(label, What::Block, Api::ocrDbCreate);
        }
        for waits in waits {
            self.go_on(waits);
        }
    }

    /// Strict mode is to know an object before the call that creates it has ended.
    fn check_opens(&self, label: Guid, what: What, call: Api) {
        if let Some(check) = &self.runtime.check {
            check.opens(&self.runtime.objects, label, what, call, self.who());
        }
    }

    /// An event was created on a label: opens it, if calls wait for it.
    pub(crate) fn open(&mut self, label: Guid, call: Api) {
        let events = &self.runtime.objects.events;
        if !events.is_opening(label) {
            return;
        }
        if let Some(kind) = events.kind(label) {
            self.check_opens(label, What::Event(kind as u32), call);
        }
        self.steps.worklist.opens = Some(label);
        loop {
            let waits = self.runtime.deferred.close(label, || events.opened(label));
            if waits.is_empty() {
                break;
            }
            for waits in waits {
                self.go_on(waits);
            }
        }
        self.steps.worklist.opens = None;
    }

    /// Goes on with what has waited for an object.
    fn go_on(&mut self, waits: Deferred) {
        match waits {
            Deferred::Thread(wake) => wake(),
            Deferred::GraphCall(deferred) => {
                let made = self.make(&deferred);
                let made = made.or_else(|why| self.make_or_wait(deferred, why));
                if let Err(left) = made {
                    let (deferred, why) = *left;
                    self.refused_deferred(deferred, why);
                }
            }
        }
    }

    /// Has a call wait that was refused for a label without object, or makes it again, if there is one by
    /// now. What it was refused for, if that is another reason.
    fn make_or_wait(
        &mut self,
        mut deferred: DeferredCall,
        mut why: GraphError,
    ) -> Result<(), Box<(DeferredCall, GraphError)>> {
        let runtime = self.runtime;
        let (objects, waiting) = (&runtime.objects, &runtime.deferred);
        loop {
            let lacks = objects.lacks(why, &deferred);
            deferred.admitted = true;
            if let GraphCall::Dependence(of) = &mut deferred.rest {
                of.destination = objects.own_guid(of.destination);
            }
            let left = match lacks {
                Lacks::Other => return Err(Box::new((deferred, why))),
                Lacks::Nothing if deferred.again == 0 => return Err(Box::new((deferred, why))),
                Lacks::Nothing => {
                    deferred.again -= 1;
                    Some(deferred)
                }
                Lacks::Opener(event) => self.join(event, deferred),
                Lacks::Object(label) => {
                    if let Err(other) = self.split(&mut deferred, label) {
                        self.give_split_up(&mut deferred);
                        why = other;
                        match why {
                            GraphError::Opening => continue,
                            _ => return Err(Box::new((deferred, why))),
                        }
                    }
                    // What waits is kept, in memory that others cannot be refused.
                    let kept = waiting.count();
                    let grows = kept % 64 == 0;
                    if heap::is_low() || grows && !heap::can_have(4 * kept * size_of::<Deferred>()) {
                        self.give_split_up(&mut deferred);
                        return Err(Box::new((deferred, GraphError::OutOfMemory)));
                    }
                    let is_there = || !objects.is_awaited(label);
                    Deferred::call(waiting.wait(label, Deferred::GraphCall(deferred), is_there))
                }
            };
            preemption_point(8);
            deferred = match left {
                None => return Ok(()),
                Some(deferred) => deferred,
            };
            why = match self.make(&deferred) {
                Ok(()) => return Ok(()),
                Err(why) => why,
            };
        }
    }

    pub(crate) fn make(&mut self, deferred: &DeferredCall) -> Result<(), GraphError> {
        if let Some(check) = &self.runtime.check {
            let (call, args) = deferred.given.as_made();
            check.begins_deferred(&self.runtime.objects, call, &args, deferred.who);
        }
        // Data that has been there, and was destroyed since the call, is passed on as if it was destroyed since
        // it was passed on.
        let blocks = &self.runtime.objects.data_blocks;
        let was_there = |data: Guid| blocks.has_been(data);
        self.with_graph(|graph| match deferred.rest {
            GraphCall::Dependence(of) if was_there(of.source) => graph.add_former_block(of),
            GraphCall::Dependence(of) => {
                graph.add_dependence_slot(of.source, of.post_slot, of.destination, of.slot, of.mode)
            }
            GraphCall::Satisfaction { event, increment, data, called } => {
                if !was_there(data) {
                    graph.check_source(data)?;
                }
                if called {
                    graph.satisfy_event(event, increment, data)
                } else {
                    graph.pass_to_event(event, increment, data)
                }
            }
            GraphCall::Destruction { event } => graph.destroy_event(event),
        })
    }

    /// Splits a dependence on an event, if it is its destination that lacks.
    fn split(&mut self, deferred: &mut DeferredCall, label: Guid) -> Result<(), GraphError> {
        let GraphCall::Dependence(whole) = deferred.rest else {
            return Ok(());
        };
        if whole.destination != label || !whole.source.is_event() || deferred.is_split {
            return Ok(());
        }
        let events = &self.runtime.objects.events;
        let between = events.create(&mut self.caches.events, NewEvent::Between);
        let between = between.ok_or(GraphError::OutOfMemory)?;
        deferred.rest = GraphCall::Dependence(Dependence { source: between, post_slot: 0, ..whole });
        deferred.is_split = true;
        let (source, post_slot) = (whole.source, whole.post_slot);
        self.with_graph(|graph| graph.add_dependence_slot(source, post_slot, between, 0, whole.mode))
    }

    /// Destroys the event that a dependence was split by, whose rest is not added.
    fn give_split_up(&mut self, deferred: &mut DeferredCall) {
        if let (GraphCall::Dependence(rest), GraphCall::Dependence(given)) = (deferred.rest, deferred.given)
            && deferred.is_split
        {
            deferred.is_split = false;
            deferred.rest = GraphCall::Dependence(Dependence { destination: rest.destination, ..given });
            let _ = self.with_graph(|graph| graph.destroy_event(rest.source));
        }
    }

    /// An output event cannot have what an EDT returned: it is satisfied without data. What leads there is in
    /// the worklist.
    pub(crate) fn no_result(&mut self, who: Who, call: GraphCall, why: GraphError) {
        let (output, result) = match call {
            GraphCall::Dependence(of) => (of.destination, of.source),
            GraphCall::Satisfaction { event, data, .. } => (event, data),
            GraphCall::Destruction { .. } => return,
        };
        // What is no object, or is gone, is no data; strict mode tells it when the EDT ends. And the output event
        // may have been satisfied by the program, if that has created it.
        let kind = self.runtime.objects.event_kind(result);
        let counts = matches!(kind, Some(EventKind::Counted | EventKind::Channel));
        let told = match why {
            GraphError::OutOfMemory => Some("there is no memory for the dependence on it"),
            GraphError::NotPermitted if counts => Some("it takes no more dependences"),
            _ => None,
        };
        if let Some(told) = told {
            if let Some(check) = &self.runtime.check
                && why == GraphError::NotPermitted
            {
                fatal(&check.refused_result(who, result, told).to_string());
            }
            warning!(
                "{who} has returned the event {result}, but {told}: its output event is \
                 satisfied with NULL_GUID"
            );
        }
        let _ = self.graph().pass_to_event(output, false, Guid::NULL);
    }

    /// A call that had to wait was refused, and its caller has gone on.
    fn refused_deferred(&mut self, mut deferred: DeferredCall, why: GraphError) {
        let split = deferred.is_split;
        self.give_split_up(&mut deferred);
        let objects = &self.runtime.objects;
        match deferred.rest {
            // The destination was destroyed meanwhile, and its dependences with it.
            GraphCall::Dependence(of) if !objects.exists(of.destination) && !objects.is_awaited(of.destination) => {
                // Split, it has been added to the source.
                if !split && of.source.is_event() {
                    let _ = self.with_graph(|graph| graph.add_to_nobody(of.source, of.post_slot));
                }
                return;
            }
            rest if deferred.by == DeferredBy::Result => {
                self.no_result(deferred.who, rest, why);
                self.work_off();
                return;
            }
            // What another event leads to is refused without a word.
            GraphCall::Satisfaction { called: false, .. } => return,
            _ => {}
        }
        if let Some(check) = &self.runtime.check
            && why != GraphError::OutOfMemory
        {
            let (call, args) = deferred.given.as_made();
            if let Some(misuse) = check.refused_deferred(objects, call, &args, deferred.who) {
                fatal(&misuse.to_string());
            }
        }
        let why = match why {
            // The object has gone again, as it may behind a call that is made at once.
            GraphError::NoSuchObject | GraphError::Opening => return,
            GraphError::NoSuchSlot => "there is no such slot",
            GraphError::NotPermitted => "the slot is taken, or the event takes no more",
            GraphError::OutOfMemory => "there is no memory",
        };
        warning!(
            "{}, in {}, which had to wait for a labeled GUID to get its object, was \
             refused then: {why}",
            deferred,
            deferred.who
        );
    }
}

impl Runtime {
    /// The calls that wait for an object, in words: by its label, the caller that has made them, and the pre-slot of an
    /// EDT that they are for.
    pub(crate) fn deferred_calls(&self) -> Vec<DeferredCallView> {
        self.deferred.all(|label, waits| match waits {
            Deferred::Thread(_) => None,
            Deferred::GraphCall(deferred) if self.is_in_vain(&deferred.rest) => None,
            Deferred::GraphCall(deferred) => Some(DeferredCallView {
                label,
                name: self.objects.name_of_label(label),
                text: deferred.to_string(),
                by: deferred.by.name(),
                satisfies: matches!(deferred.given, GraphCall::Satisfaction { .. })
                    && deferred.by != DeferredBy::Result,
                target: match deferred.given {
                    GraphCall::Dependence(of) => of.destination,
                    GraphCall::Satisfaction { event, .. } | GraphCall::Destruction { event } => event,
                },
                who: deferred.who.to_string(),
                slot: match deferred.given {
                    GraphCall::Dependence(of) => Some((of.destination, of.slot)),
                    _ => None,
                },
            }),
        })
    }

    /// Whether a call waits whose EDT is gone: nothing waits for it.
    fn is_in_vain(&self, call: &GraphCall) -> bool {
        let GraphCall::Dependence(of) = call else {
            return false;
        };
        !of.destination.is_label() && !self.objects.exists(of.destination)
    }
}

/// What a call that was refused lacks.
enum Lacks {
    /// The first object of a label.
    Object(Guid),
    /// The opener of this event.
    Opener(Guid),
    /// Nothing, by now: the objects are there.
    Nothing,
    /// Something that it need not wait for.
    Other,
}

impl Objects {
    fn lacks(&self, why: GraphError, deferred: &DeferredCall) -> Lacks {
        let call = &deferred.rest;
        match (why, call) {
            (GraphError::Opening, GraphCall::Dependence(of)) => return Lacks::Opener(of.source),
            (_, GraphCall::Satisfaction { event, .. }) if !event.is_event() => return Lacks::Other,
            (GraphError::NoSuchObject, _) => {}
            // Only collective events have several post-slots.
            (GraphError::NoSuchSlot, GraphCall::Dependence(of)) if of.post_slot != 0 => {}
            _ => return Lacks::Other,
        }
        let guids = call.guids().into_iter().filter(|guid| !guid.is_null());
        let (awaited, others): (Vec<Guid>, Vec<Guid>) = guids.partition(|&guid| self.is_awaited(guid));
        let fits = match *call {
            GraphCall::Dependence(of) => self.has_free_slot(of.destination, of.slot),
            _ => true,
        };
        let was_there = |&guid: &Guid| self.exists(guid) || deferred.admitted && self.data_blocks.has_been(guid);
        match (awaited.first(), others.iter().any(|guid| guid.is_label())) {
            _ if !fits || !others.iter().all(was_there) => Lacks::Other,
            (Some(&label), _) => Lacks::Object(label),
            (None, true) => Lacks::Nothing,
            (None, false) => Lacks::Other,
        }
    }

    /// The GUID of the slot that an EDT on a label is in, which the next EDT on the label does not have; others as
    /// they are.
    fn own_guid(&self, guid: Guid) -> Guid {
        let edt = (guid.is_edt() && guid.is_label()).then(|| self.edts.lock(guid));
        edt.flatten().map_or(guid, |(edt, _locked)| edt.own_guid())
    }

    /// Whether an EDT or event has such a pre-slot, which is not taken, as far as that is known now.
    fn has_free_slot(&self, guid: Guid, slot: u32) -> bool {
        if !guid.is_edt() {
            return slot <= 1;
        }
        self.edts.lock(guid).is_none_or(|(edt, locked)| {
            let slot = edt.slots().get(slot as usize);
            locked.word.state() == EdtState::Waiting && slot.is_some_and(crate::object::edt::PreSlot::is_unconnected)
        })
    }

    /// A label, and where it is in its range.
    pub fn name_of_label(&self, label: Guid) -> String {
        let place = self.ranges.place_of(label);
        let place =
            place.map_or(", whose range was destroyed".into(), |(range, index)| format!(" (index {index} of {range})"));
        format!("the labeled GUID {label}{place}")
    }

    /// Where an object's GUID is in its range or map, for behind its name; nothing if it is no label.
    pub fn index_of_label(&self, guid: Guid) -> String {
        let place = guid.is_label().then(|| self.ranges.place_of(guid)).flatten();
        place.map_or(String::new(), |(range, index)| {
            let noun = match self.ranges.map(range) {
                Some(_) => "map",
                None => "range",
            };
            format!(" at index {index} of the {noun} {range}")
        })
    }

    /// Whether the GUID is a label that has had no object yet.
    pub fn is_awaited(&self, guid: Guid) -> bool {
        let labels = guid.kind().filter(|_| guid.is_label()).and_then(|kind| self.labels(kind));
        labels.is_some_and(|labels| labels.is_awaited(guid))
    }
}
