//! Satisfying events and pre-slots, and taking them out of the graph.

use super::{Graph, GraphCall, GraphError};
use crate::object::code::Code;
use crate::object::edt::{Edt, EdtRef, EdtState, LockedEdt, Mode};
use crate::object::event::{EventKind, EventState, LockedEvent, OPENING};
use crate::object::guid::Guid;
use crate::object::link::{Link, Target};
use crate::object::scope::Scope;
use crate::trace;
use ocr_base::sync::Spin;
use std::ptr;

/// How many EDTs are made runnable before they are sent on, and how many events of a list are kept to be satisfied: all
/// of a long one would want memory.
const BATCH: usize = if cfg!(ocr_tiny) { 2 } else { 64 };

/// A waiting EDT that was taken out of the graph.
pub(crate) struct DestroyedEdt {
    /// The finish scope to check out of.
    pub scope: Option<&'static Scope>,
    /// Whether the EDT was the root of that scope.
    pub finish: bool,
    /// The output event, with a slot of its own, that goes with it, or `NULL_GUID`.
    pub output: Guid,
    /// The private blocks that it would have acquired, by pre-slots.
    pub given_up: Vec<Guid>,
}

fn satisfaction<const CALLED: bool>(event: Guid, increment: bool, data: Guid) -> GraphCall {
    GraphCall::Satisfaction { event, increment, data, called: CALLED }
}

impl Graph<'_> {
    /// Satisfies a pre-slot of an event (OCR 1.1.0, 2.6.4). `increment` means the latch's increment
    /// slot. What follows is in the worklist, for [`Graph::pass_on`].
    pub(crate) fn satisfy_event(&mut self, event: Guid, increment: bool, data: Guid) -> Result<(), GraphError> {
        self.trigger::<true>(event, increment, data, ptr::null())
    }

    /// Satisfies a pre-slot of an event with a data block that may not exist. `by` is what the EDT runs that calls, or
    /// null.
    pub(crate) fn satisfy_event_with(
        &mut self,
        event: Guid,
        increment: bool,
        data: Guid,
        by: *const Code,
    ) -> Result<(), GraphError> {
        match self.check_source(data) {
            Ok(()) => self.trigger::<true>(event, increment, data, by),
            Err(why) => {
                let call = satisfaction::<true>(event, increment, data);
                Err(self.work.refuse(why, call))
            }
        }
    }

    /// Satisfies an event with what comes from another event or from the end of an EDT. There is no caller that could
    /// get the answer that a channel is full, so it takes what comes.
    pub(crate) fn pass_to_event(&mut self, event: Guid, increment: bool, data: Guid) -> Result<(), GraphError> {
        self.trigger::<false>(event, increment, data, ptr::null())
    }

    /// Satisfies the output event of an EDT that has ended, which has run this, as [`Graph::pass_to_event`] does.
    pub(crate) fn pass_to_output(&mut self, output: Guid, data: Guid, by: *const Code) -> Result<(), GraphError> {
        self.trigger::<false>(output, false, data, by)
    }

    /// Has a latch event wait for the end of a finish scope, which is one decrement. A program may
    /// have counted that in when it created the latch; one that still stands at 0 has no way to
    /// trigger by a decrement, so there it is done here. Whether it was.
    pub(crate) fn count_into_latch(&self, event: Guid) -> bool {
        let locked = self.objects.events.lock(event);
        let counts = locked.filter(|(event, _)| event.kind() == EventKind::Latch && event.counter.get() == 0);
        if let Some((event, _)) = &counts {
            event.counter.set(1);
        }
        counts.is_some()
    }

    /// Takes back what [`Graph::count_into_latch`] has done for an EDT that is not created after all. That
    /// is no decrement, and triggers nothing.
    pub(crate) fn count_out_of_latch(&self, event: Guid) {
        if let Some((event, _locked)) = self.objects.events.lock(event)
            && event.kind() == EventKind::Latch
        {
            event.counter.set(event.counter.get().wrapping_sub(1));
        }
    }

    /// Satisfies what the worklist says, until there is nothing more or a batch of EDTs has become
    /// runnable: they are best sent on while they are in the cache.
    pub(crate) fn pass_on(&mut self) {
        while self.work.runnable.len() < BATCH {
            if let Some((event, increment, data)) = self.work.events.pop() {
                // What is refused further down a chain of events has no caller that gets the answer.
                if self.pass_to_event(event, increment, data).is_err() {
                    self.work.not_taken(event);
                }
            } else if let Some((list, data)) = self.work.lists.pop() {
                self.pass_on_list(list, data);
            } else {
                return;
            }
        }
    }

    fn trigger<const CALLED: bool>(
        &mut self,
        guid: Guid,
        increment: bool,
        data: Guid,
        by: *const Code,
    ) -> Result<(), GraphError> {
        if guid.is_output() {
            return self.trigger_output(guid, increment, data);
        }
        let Some((event, mut locked)) = self.objects.events.lock(guid) else {
            let call = satisfaction::<CALLED>(guid, increment, data);
            return Err(self.work.refuse(GraphError::NoSuchObject, call));
        };
        let kind = event.kind();
        if increment && kind != EventKind::Latch {
            return Err(GraphError::NoSuchSlot);
        }
        if self.opens_other(guid, &locked) {
            drop(locked);
            let call = satisfaction::<CALLED>(guid, increment, data);
            self.work.leave_to_opener(call);
            return Ok(());
        }
        let waiting = match kind {
            EventKind::Once => {
                let events = &self.objects.events;
                events.trigger(&mut self.caches.events, (event, locked), data, by)
            }
            EventKind::Idempotent | EventKind::Sticky => {
                if locked.word.state() == EventState::Triggered {
                    return match kind {
                        EventKind::Idempotent => Ok(()),
                        _ => Err(GraphError::NotPermitted),
                    };
                }
                event.set_data(data);
                locked.word = locked.word.with_state(EventState::Triggered);
                event.waiting.replace(Link::END)
            }
            // The block that it is satisfied with last is passed on.
            EventKind::Latch => {
                let counter = event.counter.get().wrapping_add(if increment { 1 } else { -1 });
                event.counter.set(counter);
                if counter != 0 {
                    return Ok(());
                }
                let events = &self.objects.events;
                events.trigger(&mut self.caches.events, (event, locked), data, by)
            }
            EventKind::Counted => self.satisfy_counted(event, locked, data)?,
            EventKind::Channel => self.satisfy_channel(guid, event, locked, data, CALLED)?,
            // A collective event is satisfied by contributions.
            EventKind::Collective => return Err(GraphError::NotPermitted),
        };
        self.pass(waiting, data);
        Ok(())
    }

    /// Triggers an output event that is in its EDT.
    fn trigger_output(&mut self, guid: Guid, increment: bool, data: Guid) -> Result<(), GraphError> {
        if increment {
            let there = self.objects.edts.lock_output(guid);
            return Err(there.map_or(GraphError::NoSuchObject, |_| GraphError::NoSuchSlot));
        }
        let waiting = self.take_output(guid, Some(data))?;
        self.pass(waiting, data);
        Ok(())
    }

    /// Takes an output event that is triggered or destroyed out of its EDT: what waited for it. An EDT that has left
    /// its slot to the event is freed.
    fn take_output(&mut self, guid: Guid, triggered_with: Option<Guid>) -> Result<Link, GraphError> {
        let (edt, locked, waiting) = (self.objects.edts.lock_output(guid)).ok_or(GraphError::NoSuchObject)?;
        edt.take_waiting();
        let ended = locked.word.state() == EdtState::Ended;
        drop(locked);
        if ended {
            let (edts, caches) = (&self.objects.edts, &mut self.caches.edts);
            match triggered_with {
                Some(data) => edts.free_ended(caches, edt, data),
                None => {
                    edts.free(caches, edt);
                }
            }
        }
        Ok(waiting)
    }

    /// Steps 8 and 9 of the life of an EDT with its output event in it: the event is triggered, with
    /// a block or `NULL_GUID`, and the EDT freed.
    #[inline]
    pub(crate) fn end_with_output(&mut self, edt: &Edt, data: Guid) {
        let edts = &self.objects.edts;
        let waiting = edts.free_triggered(&mut self.caches.edts, edt, data);
        self.pass(waiting, data);
    }

    /// Ends an EDT that has returned what has not triggered: its output event takes over the EDT's slot until then. The
    /// answer is the output event, or none if nothing waits for it.
    pub(crate) fn leave_to_output(&mut self, edt: &Edt) -> Option<Guid> {
        let mut locked = edt.header.lock_pinned();
        if edt.waiting().is_none() {
            drop(locked);
            self.objects.edts.free(&mut self.caches.edts, edt);
            return None;
        }
        let output = edt.output();
        locked.word = locked.word.with_state(EdtState::Ended);
        drop(locked);
        Some(output)
    }

    /// Takes the one pre-slot that waits for the output event in an EDT out of the graph, and satisfies it with `data`,
    /// or nothing if that is gone, if it is the last of an EDT that `fits`: the EDT, and what it was linked by.
    pub(crate) fn take_follower(
        &mut self,
        first: &Edt,
        data: Guid,
        fits: impl Fn(&Edt) -> bool,
    ) -> Option<(EdtRef, Link)> {
        let data = match self.check_source(data) {
            Ok(()) => data,
            Err(_) => Guid::NULL,
        };
        let _locked = first.header.lock_pinned();
        let link = first.waiting()?;
        let Target::Edt { kind, index, slot } = link.target() else {
            return None;
        };
        let edt = self.objects.edts.get(kind, index)?;
        let pre_slot = &edt.slots()[slot as usize];
        if pre_slot.rest() != Link::END {
            return None;
        }
        // The output event stays while it is in the list.
        let mut locked = edt.header.try_lock_pinned()?;
        let last = locked.word.state() == EdtState::Waiting && locked.word.count() == 1;
        if !last || !fits(edt) {
            return None;
        }
        let mode = pre_slot.waiting_mode();
        pre_slot.satisfy(data, mode);
        if trace::is_on() {
            let (follower, first) = (edt.own_guid().bits(), first.own_guid().bits());
            trace::events::satisfied(follower, slot, data.bits(), mode as u8);
            trace::events::follows(follower, first);
        }
        locked.word = locked.word.with_count(0).with_state(EdtState::Runnable);
        first.set_waiting(Link::END);
        Some((EdtRef::new(edt), link))
    }

    /// Undoes [`Graph::take_follower`]: the EDT waits for the output event in `first` again, by the same link. The
    /// caller owns both, and the EDT has no blocks. False, and nothing is done, if the output event was destroyed.
    pub(crate) fn put_back_follower(&mut self, first: &Edt, edt: &Edt, link: Link) -> bool {
        let Target::Edt { slot: at, .. } = link.target() else {
            unreachable!("a follower is an EDT");
        };
        let spin = Spin::default();
        loop {
            let locked_first = first.header.lock_pinned();
            // Others lock the one and try the other, too, and none of them waits.
            let Some(mut locked) = edt.header.try_lock_pinned() else {
                drop(locked_first);
                spin.wait();
                continue;
            };
            let Some(rest) = first.waiting() else {
                return false;
            };
            edt.begin_locking();
            for slot in edt.slots() {
                // What it knew of the order of its blocks is made anew.
                slot.satisfy(slot.data(), slot.info().mode);
            }
            let pre_slot = &edt.slots()[at as usize];
            pre_slot.connect(pre_slot.info().mode);
            pre_slot.set_rest(rest);
            locked.word = locked.word.with_count(1).with_state(EdtState::Waiting);
            first.set_waiting(link);
            return true;
        }
    }

    /// Has a list that was taken from its event satisfied.
    #[inline]
    fn pass(&mut self, waiting: Link, data: Guid) {
        match waiting.target() {
            Target::End => {}
            // The usual list of a chain of events; it need not be taken apart again.
            Target::Event { guid, increment } => self.work.events.push((guid, increment, data)),
            _ => self.work.lists.push((waiting, data)),
        }
    }

    /// Satisfies the pre-slots of a list that was taken from its event, up to a batch.
    fn pass_on_list(&mut self, mut list: Link, data: Guid) {
        loop {
            if self.work.runnable.len() >= BATCH || self.work.events.len() >= BATCH {
                self.work.lists.push((list, data));
                return;
            }
            match self.pass_on_one(list, data, |_, _, _| {}) {
                Some(rest) => list = rest,
                None => return,
            }
        }
    }

    /// Passes data on to the first of a list, and answers the rest; none at its end. `sees` looks at an
    /// EDT before its pre-slot, of this mode, is satisfied.
    #[inline(always)]
    pub(super) fn pass_on_one(
        &mut self,
        list: Link,
        data: Guid,
        sees: impl FnOnce(&Edt, &LockedEdt<'_>, Mode),
    ) -> Option<Link> {
        Some(match list.target() {
            Target::End => return None,
            Target::Edt { kind, index, slot } => {
                let edt = self.objects.edts.get(kind, index)?;
                let locked = edt.header.lock_pinned();
                let pre_slot = &edt.slots()[slot as usize];
                let rest = pre_slot.rest();
                let mode = pre_slot.waiting_mode();
                sees(edt, &locked, mode);
                pre_slot.satisfy(data, mode);
                if trace::is_on() {
                    trace::events::satisfied(edt.own_guid().bits(), slot, data.bits(), mode as u8);
                }
                self.count_down(edt, locked);
                rest
            }
            Target::Event { guid, increment } => {
                self.work.events.push((guid, increment, data));
                Link::END
            }
            Target::Connector(index) => {
                let (target, rest) = self.objects.events.disconnect(&mut self.caches.events, index);
                if let Target::Event { guid, increment } = target.target() {
                    self.work.events.push((guid, increment, data));
                }
                rest
            }
        })
    }

    /// Ends what holds an EDT back beside its pre-slots. One that was destroyed since is freed.
    pub(crate) fn end_hold(&mut self, edt: Guid) {
        if let Some((edt, locked)) = self.objects.edts.lock(edt) {
            self.count_down(edt, locked);
        }
    }

    /// Takes one from the unsatisfied pre-slots of an EDT; the last one makes it runnable.
    #[inline(always)]
    pub(super) fn count_down(&mut self, edt: &Edt, mut locked: LockedEdt<'_>) {
        if locked.count_down() != 0 {
            return;
        }
        if locked.word.state() == EdtState::Zombie {
            drop(locked);
            return self.free_zombie(edt);
        }
        locked.word = locked.word.with_state(EdtState::Runnable);
        drop(locked);
        self.work.runnable.push(EdtRef::new(edt));
    }

    /// Frees an EDT that was destroyed and whose last pre-slot was satisfied. Apart, so that the way of the others is
    /// short.
    #[cold]
    #[inline(never)]
    fn free_zombie(&mut self, edt: &Edt) {
        self.objects.edts.free(&mut self.caches.edts, edt);
    }

    /// Whether an event is opening, and another thread opens it.
    #[inline(always)]
    pub(super) fn opens_other(&self, event: Guid, locked: &LockedEvent<'_>) -> bool {
        locked.word.count() == OPENING && self.work.opens != Some(event)
    }

    /// Destroys an event (OCR 1.1.0, 2.6.2). Pre-slots that waited for it are unconnected again.
    pub(crate) fn destroy_event(&mut self, guid: Guid) -> Result<(), GraphError> {
        if guid.is_output() {
            let waiting = self.take_output(guid, None)?;
            self.disconnect_all(waiting);
            return Ok(());
        }
        let (event, locked) = self.objects.events.lock(guid).ok_or(GraphError::NoSuchObject)?;
        if self.opens_other(guid, &locked) {
            drop(locked);
            self.work.leave_to_opener(GraphCall::Destruction { event: guid });
            return Ok(());
        }
        let queued = match event.kind() {
            EventKind::Channel => event.queued.replace(Link::END),
            _ => Link::END,
        };
        let inside = self.objects.events.take_inside(event);
        let waiting = self.objects.events.free(&mut self.caches.events, event, locked);
        self.disconnect_all(waiting);
        self.disconnect_all(queued);
        for waiting in inside.map(|inside| inside.close()).unwrap_or_default() {
            self.disconnect_all(waiting);
        }
        Ok(())
    }

    /// No dependence is added to a sticky event any more that could come too late: from here on it
    /// goes when it triggers, or now, if it has. Nothing if it is gone.
    pub(crate) fn let_go(&mut self, guid: Guid) {
        let events = &self.objects.events;
        let Some((event, locked)) = events.lock(guid) else {
            return;
        };
        if locked.word.state() == EventState::Triggered {
            events.free(&mut self.caches.events, event, locked);
        } else {
            events.become_once(event, &locked);
        }
    }

    /// Takes a list apart: pre-slots of EDTs are unconnected again.
    fn disconnect_all(&mut self, mut list: Link) {
        loop {
            list = match list.target() {
                Target::End | Target::Event { .. } => return,
                Target::Edt { kind, index, slot } => {
                    let Some(edt) = self.objects.edts.get(kind, index) else {
                        return;
                    };
                    let pre_slot = &edt.slots()[slot as usize];
                    let rest = pre_slot.rest();
                    self.unconnect(edt, pre_slot);
                    rest
                }
                Target::Connector(index) => self.objects.events.disconnect(&mut self.caches.events, index).1,
            };
        }
    }

    /// Destroys an EDT that is not runnable (OCR 1.1.0, 2.7.4). Its slot stays taken as long as an
    /// event's list leads to it; its label does not.
    pub(crate) fn destroy_edt(&mut self, guid: Guid) -> Result<DestroyedEdt, GraphError> {
        let (edt, mut locked) = self.objects.edts.lock(guid).ok_or(GraphError::NoSuchObject)?;
        match locked.word.state() {
            EdtState::Waiting => {}
            EdtState::Zombie => return Err(GraphError::NoSuchObject),
            _ => return Err(GraphError::NotPermitted),
        }
        let waiting = edt.take_waiting().unwrap_or(Link::END);
        let destroyed = DestroyedEdt {
            scope: edt.finish_scope(),
            finish: edt.flags.get().is_finish(),
            output: edt.output(),
            given_up: {
                let data = edt.slots().iter().map(crate::object::edt::PreSlot::data);
                data.filter(|&data| self.objects.data_blocks.is_private(data)).collect()
            },
        };
        // What nothing is connected to will not be satisfied any more. What is left of the count is
        // pre-slots that are linked, or that the EDT's creator is about to link.
        let open = edt.slots().iter().filter(|slot| slot.is_unconnected());
        let left = locked.word.count() - open.count() as u32;
        locked.word = locked.word.with_state(EdtState::Zombie).with_count(left);
        let (label, own) = (edt.label(), edt.own_guid());
        drop(locked);
        if left == 0 {
            self.objects.edts.free(&mut self.caches.edts, edt);
        } else if let Some(label) = label {
            self.objects.edts.end_label(&mut self.caches.edts, label, own);
        }
        self.disconnect_all(waiting);
        Ok(destroyed)
    }
}
