//! Counted, channel and collective events: kinds that have their own way with dependences (OCR 1.1.0,
//! B.4 and B.5; OCR 1.2).
//!
//! A *node* is what stands for a dependence in a list: a pre-slot of an EDT, or a connector that
//! carries a pre-slot of an event.

use super::{Graph, GraphError};
use crate::heap;
use crate::object::collective::{Collective, Complete, Connected, ContributionError};
use crate::object::event::{Event, EventKind, EventState, LockedEvent};
use crate::object::guid::Guid;
use crate::object::link::{Connector, Link, Target};

impl From<ContributionError> for GraphError {
    fn from(why: ContributionError) -> GraphError {
        match why {
            ContributionError::Closed => GraphError::NoSuchObject,
            ContributionError::NoSuchSlot => GraphError::NoSuchSlot,
            ContributionError::Ahead => GraphError::NotPermitted,
            ContributionError::OutOfMemory => GraphError::OutOfMemory,
        }
    }
}

impl Graph<'_> {
    /// Adds a dependence. If there is something for it already, that is the answer, and the node is
    /// in no list.
    #[cold]
    pub(super) fn connect_to_multi_shot(
        &mut self,
        event: &Event,
        locked: LockedEvent<'_>,
        post_slot: u32,
        node: Link,
    ) -> Result<Option<Guid>, GraphError> {
        if self.opens_other(event.guid(&locked), &locked) {
            return Err(GraphError::Opening);
        }
        match event.kind() {
            EventKind::Channel => self.connect_channel(event, locked, node),
            EventKind::Collective => {
                let inside = self.objects.events.inside(event);
                // The lock inside of the event is taken next, under which another thread may be copying.
                drop(locked);
                let inside = inside.ok_or(GraphError::NoSuchObject)?;
                let answer = inside.connect(post_slot, node, |rest| self.set_rest(node, rest));
                Ok(match answer? {
                    Connected::Waits => None,
                    Connected::Served(data) => Some(data),
                })
            }
            _ => self.connect_counted(event, locked, node),
        }
    }

    fn connect_counted(
        &mut self,
        event: &Event,
        locked: LockedEvent<'_>,
        node: Link,
    ) -> Result<Option<Guid>, GraphError> {
        let left = event.counter.get() - 1;
        if left < 0 {
            // The event serves as many dependences as it was created for, and that many wait already.
            return Err(GraphError::NotPermitted);
        }
        event.counter.set(left);
        if locked.word.state() == EventState::MultiShot {
            self.set_rest(node, event.waiting.get());
            event.waiting.set(node);
            return Ok(None);
        }
        let data = event.data();
        if left == 0 {
            self.objects.events.free(&mut self.caches.events, event, locked);
        }
        Ok(Some(data))
    }

    /// Satisfies a counted event; the list of those that wait.
    #[cold]
    pub(super) fn satisfy_counted(
        &mut self,
        event: &Event,
        mut locked: LockedEvent<'_>,
        data: Guid,
    ) -> Result<Link, GraphError> {
        if locked.word.state() == EventState::Spent {
            return Err(GraphError::NotPermitted);
        }
        if event.counter.get() == 0 {
            let events = &self.objects.events;
            return Ok(events.free(&mut self.caches.events, event, locked));
        }
        event.set_data(data);
        locked.word = locked.word.with_state(EventState::Spent);
        Ok(event.waiting.replace(Link::END))
    }

    fn connect_channel(
        &mut self,
        event: &Event,
        locked: LockedEvent<'_>,
        node: Link,
    ) -> Result<Option<Guid>, GraphError> {
        let count = event.counter.get();
        if count > 0
            && let Target::Connector(first) = event.queued.get().target()
        {
            event.queued.set(self.objects.events.rest(first));
            event.counter.set(count - 1);
            drop(locked);
            let (data, _) = self.objects.events.disconnect(&mut self.caches.events, first);
            return Ok(Some(Guid::from_bits(data.bits())));
        }
        if -count >= event.bound() {
            return Err(GraphError::NotPermitted);
        }
        self.append(event, &event.waiting, node);
        event.counter.set(count - 1);
        Ok(None)
    }

    /// Satisfies a channel event; the list of the one dependence that it serves, if one waits.
    #[cold]
    pub(super) fn satisfy_channel(
        &mut self,
        guid: Guid,
        event: &Event,
        locked: LockedEvent<'_>,
        data: Guid,
        called: bool,
    ) -> Result<Link, GraphError> {
        // Where a refusal is reported, nothing goes beyond the bound.
        let bounded = called || self.work.rejected.is_some();
        let refuses = |event: &Event| bounded && event.counter.get() >= event.bound();
        if event.counter.get() < 0 {
            return Ok(self.take_first(event));
        }
        if refuses(event) {
            return Err(GraphError::NotPermitted);
        }
        drop(locked);
        // The node is taken without the lock, since that can take time.
        let data = Link::from_bits(data.bits());
        let node = self.objects.events.connector(&mut self.caches.events, data);
        let Some(node) = node else {
            // What another event passes on would be lost, and there is no caller that gets the answer.
            if !called {
                heap::run_out(size_of::<Connector>());
            }
            return Err(GraphError::OutOfMemory);
        };
        // Others may have come first meanwhile. On a label there may be another event now.
        let channel = self
            .objects
            .events
            .lock(guid)
            .filter(|(event, locked)| event.kind() == EventKind::Channel && !self.opens_other(guid, locked));
        let answer = match channel {
            None => Err(GraphError::NoSuchObject),
            Some((event, _locked)) if event.counter.get() < 0 => Ok(self.take_first(event)),
            Some((event, _locked)) if refuses(event) => Err(GraphError::NotPermitted),
            Some((event, _locked)) => {
                self.append(event, &event.queued, Link::to_connector(node));
                event.counter.set(event.counter.get() + 1);
                return Ok(Link::END);
            }
        };
        self.objects.events.disconnect(&mut self.caches.events, node);
        answer
    }

    /// Puts a node at the end of a queue of a locked channel.
    fn append(&self, event: &Event, first: &std::cell::Cell<Link>, node: Link) {
        self.set_rest(node, Link::END);
        match first.get() {
            Link::END => first.set(node),
            _ => self.set_rest(event.last.get(), node),
        }
        event.last.set(node);
    }

    /// Takes the first dependence that waits at a locked channel, as a list of its own.
    fn take_first(&self, event: &Event) -> Link {
        let first = event.waiting.get();
        event.waiting.set(self.rest(first));
        self.set_rest(first, Link::END);
        event.counter.set(event.counter.get() + 1);
        first
    }

    /// Gives a collective event the result of a generation.
    pub(crate) fn deliver(&mut self, inside: &Collective, complete: Complete, result: Guid) {
        let waiting = inside.deliver(complete, result);
        if waiting != Link::END {
            self.work.lists.push((waiting, result));
        }
    }

    /// What follows a node of a list that the caller owns.
    fn rest(&self, node: Link) -> Link {
        match node.target() {
            Target::Edt { kind, index, slot } => match self.objects.edts.get(kind, index) {
                Some(edt) => edt.slots()[slot as usize].rest(),
                None => Link::END,
            },
            Target::Connector(index) => self.objects.events.rest(index),
            Target::Event { .. } | Target::End => Link::END,
        }
    }

    /// Sets what follows a node that the caller owns.
    fn set_rest(&self, node: Link, rest: Link) {
        match node.target() {
            Target::Edt { kind, index, slot } => {
                if let Some(edt) = self.objects.edts.get(kind, index) {
                    edt.slots()[slot as usize].set_rest(rest);
                }
            }
            Target::Connector(index) => self.objects.events.set_rest(index, rest),
            Target::Event { .. } | Target::End => {}
        }
    }
}
