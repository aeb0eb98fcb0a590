//! Adding dependences (OCR 1.1.0, 2.8.1).

use super::{Dependence, Graph, GraphCall, GraphError};
use crate::object::edt::{Edt, EdtState, Mode, PreSlot};
use crate::object::event::{EventKind, EventState};
use crate::object::guid::{Guid, Kind};
use crate::object::header::COUNT_MAX;
use crate::object::link::{Link, Target};
use crate::trace;

impl Graph<'_> {
    /// Links `source` (a data block, an event or `NULL_GUID`) to a pre-slot of an EDT or event.
    pub(crate) fn add_dependence(
        &mut self,
        source: Guid,
        destination: Guid,
        slot: u32,
        mode: Mode,
    ) -> Result<(), GraphError> {
        self.add_dependence_slot(source, 0, destination, slot, mode)
    }

    /// Links post-slot `post_slot` of `source` to a pre-slot. Collective events have several post-slots, all other
    /// sources have one.
    pub(crate) fn add_dependence_slot(
        &mut self,
        source: Guid,
        post_slot: u32,
        destination: Guid,
        slot: u32,
        mode: Mode,
    ) -> Result<(), GraphError> {
        let asked = Dependence { source, post_slot, destination, slot, mode };
        if post_slot != 0 && self.objects.events.collective(source).is_none() {
            return Err(self.refuse(GraphError::NoSuchSlot, asked));
        }
        if destination.is_edt() {
            return self.add_to_edt(asked);
        }
        match destination.kind() {
            None => Err(self.refuse(GraphError::NoSuchObject, asked)),
            Some(kind) if kind.is_event() => {
                let added = self.add_to_event(source, post_slot, destination, slot);
                added.map_err(|why| self.refuse(why, asked))
            }
            Some(_) => Err(GraphError::NotPermitted),
        }
    }

    #[cold]
    fn refuse(&mut self, why: GraphError, asked: Dependence) -> GraphError {
        self.work.refuse(why, GraphCall::Dependence(asked))
    }

    fn add_to_edt(&mut self, asked: Dependence) -> Result<(), GraphError> {
        if !asked.source.is_event()
            && let Err(why) = self.check_source(asked.source)
        {
            return Err(self.refuse(why, asked));
        }
        self.add_checked_to_edt(asked)
    }

    /// Links a source that was checked to a pre-slot of an EDT.
    #[inline(always)]
    pub(super) fn add_checked_to_edt(&mut self, asked: Dependence) -> Result<(), GraphError> {
        let Dependence { source, post_slot, destination, slot, mode } = asked;
        let Some((edt, locked)) = self.objects.edts.lock(destination) else {
            return Err(self.refuse(GraphError::NoSuchObject, asked));
        };
        // Before anything else of it is looked at: past this state an EDT is its owner's.
        if locked.word.state() != EdtState::Waiting {
            return Err(self.refuse(GraphError::NoSuchObject, asked));
        }
        let Some(pre_slot) = edt.slots().get(slot as usize) else {
            return Err(GraphError::NoSuchSlot);
        };
        if !pre_slot.is_unconnected() {
            return Err(GraphError::NotPermitted);
        }
        if !source.is_event() {
            pre_slot.satisfy(source, mode);
            if trace::is_on() {
                trace::events::satisfied(edt.own_guid().bits(), slot, source.bits(), mode as u8);
            }
            self.count_down(edt, locked);
            return Ok(());
        }
        pre_slot.connect(mode);
        if trace::is_on() {
            let source = (source.bits(), post_slot);
            trace::events::linked(edt.own_guid().bits(), slot, source, mode as u8);
        }
        drop(locked);
        let link = if !destination.is_label() { Link::to_slot(destination, slot) } else { edt.link_to(slot) };
        let connected = self.connect((source, post_slot), edt, (pre_slot, link), mode);
        connected.map_err(|why| {
            self.unconnect(edt, pre_slot);
            self.refuse(why, asked)
        })
    }

    /// Adds a dependence on a data block that existed when it was asked for.
    pub(crate) fn add_former_block(&mut self, asked: Dependence) -> Result<(), GraphError> {
        if asked.destination.is_edt() {
            self.add_checked_to_edt(asked)
        } else {
            self.add_block_to_event(asked.source, asked.destination, asked.slot)
        }
    }

    /// Keeps an EDT that waits from running before [`Graph::end_hold`]. The GUID of its slot; none where it does not
    /// wait.
    pub(crate) fn hold_back(&mut self, edt: Guid) -> Option<Guid> {
        let (edt, mut locked) = self.objects.edts.lock(edt)?;
        let count = locked.word.count();
        if locked.word.state() != EdtState::Waiting || count == COUNT_MAX {
            return None;
        }
        locked.word = locked.word.with_count(count + 1);
        Some(edt.own_guid())
    }

    /// Makes a connected pre-slot that is in no list unconnected again.
    pub(crate) fn unconnect(&mut self, edt: &Edt, slot: &PreSlot) {
        let locked = edt.header.lock_pinned();
        slot.clear();
        // An EDT that was destroyed meanwhile does not wait for it any more.
        if locked.word.state() == EdtState::Zombie {
            self.count_down(edt, locked);
        }
    }

    /// Puts a pre-slot that is marked connected into the event's list, or satisfies it if the
    /// event has triggered. `link` leads to it.
    #[inline(always)]
    pub(crate) fn connect(
        &mut self,
        (source, post_slot): (Guid, u32),
        edt: &Edt,
        (pre_slot, link): (&PreSlot, Link),
        mode: Mode,
    ) -> Result<(), GraphError> {
        if source.is_output() {
            let (maker, _locked, waiting) = (self.objects.edts.lock_output(source)).ok_or(GraphError::NoSuchObject)?;
            pre_slot.set_rest(waiting);
            maker.set_waiting(link);
            return Ok(());
        }
        let (event, locked) = self.objects.events.lock(source).ok_or(GraphError::NoSuchObject)?;
        let data = match locked.word.state() {
            EventState::Armed => {
                pre_slot.set_rest(event.waiting.get());
                event.waiting.set(link);
                return Ok(());
            }
            EventState::Triggered => {
                let data = event.data();
                drop(locked);
                data
            }
            _ => match self.connect_to_multi_shot(event, locked, post_slot, link)? {
                Some(data) => data,
                None => return Ok(()),
            },
        };
        let locked = edt.header.lock_pinned();
        pre_slot.satisfy(data, mode);
        if trace::is_on()
            && let Target::Edt { slot, .. } = link.target()
        {
            trace::events::satisfied(edt.own_guid().bits(), slot, data.bits(), mode as u8);
        }
        self.count_down(edt, locked);
        Ok(())
    }

    fn add_to_event(&mut self, source: Guid, post_slot: u32, event: Guid, slot: u32) -> Result<(), GraphError> {
        self.check_source(source)?;
        if !source.is_event() {
            return self.add_block_to_event(source, event, slot);
        }
        if slot > 1 {
            return Err(GraphError::NoSuchSlot);
        }
        let increment = slot == 1;
        match self.objects.event_kind(event).ok_or(GraphError::NoSuchObject)? {
            EventKind::Latch => {}
            // Contributions are not blocks.
            EventKind::Collective => return Err(GraphError::NotPermitted),
            _ if increment => return Err(GraphError::NoSuchSlot),
            _ => {}
        }
        self.link_events(source, post_slot, event, increment)
    }

    /// Satisfies `event` with a block or `NULL_GUID`.
    fn add_block_to_event(&mut self, block: Guid, event: Guid, slot: u32) -> Result<(), GraphError> {
        match slot {
            0 | 1 => self.satisfy_event(event, slot == 1, block),
            _ => Err(GraphError::NoSuchSlot),
        }
    }

    /// Makes the satisfaction of `source` satisfy `event`, which exists.
    fn link_events(&mut self, source: Guid, post_slot: u32, event: Guid, increment: bool) -> Result<(), GraphError> {
        let link = Link::to_event(event, increment);
        if self.link_without_connector(source, link)? {
            return Ok(());
        }
        // A connector is needed. It is taken without the lock, since that can take time.
        let index = self.objects.events.connector(&mut self.caches.events, link);
        let index = index.ok_or(GraphError::OutOfMemory)?;
        let answer = self.link_connector(source, post_slot, index);
        if answer == Ok(None) {
            return Ok(());
        }
        self.objects.events.disconnect(&mut self.caches.events, index);
        match answer? {
            Some(data) => self.pass_to_event(event, increment, data),
            None => Ok(()),
        }
    }

    /// Makes a link the list of an event that has not triggered, if that is empty.
    fn link_without_connector(&mut self, source: Guid, link: Link) -> Result<bool, GraphError> {
        if source.is_output() {
            let (maker, _locked, waiting) = (self.objects.edts.lock_output(source)).ok_or(GraphError::NoSuchObject)?;
            let fits = waiting == Link::END && Edt::can_begin_with(link);
            if fits {
                maker.set_waiting(link);
            }
            return Ok(fits);
        }
        let (from, locked) = self.objects.events.lock(source).ok_or(GraphError::NoSuchObject)?;
        let fits = locked.word.state() == EventState::Armed && from.waiting.get() == Link::END;
        if fits {
            from.waiting.set(link);
        }
        Ok(fits)
    }

    /// Puts a connector into the event's list. If the event has something for it already, that is
    /// the answer, and the connector is in no list.
    fn link_connector(&mut self, source: Guid, post_slot: u32, index: u32) -> Result<Option<Guid>, GraphError> {
        let link = Link::to_connector(index);
        if source.is_output() {
            let (maker, _locked, waiting) = (self.objects.edts.lock_output(source)).ok_or(GraphError::NoSuchObject)?;
            self.objects.events.set_rest(index, waiting);
            maker.set_waiting(link);
            return Ok(None);
        }
        let (from, locked) = self.objects.events.lock(source).ok_or(GraphError::NoSuchObject)?;
        match locked.word.state() {
            EventState::Armed => {
                self.objects.events.set_rest(index, from.waiting.get());
                from.waiting.set(link);
                Ok(None)
            }
            EventState::Triggered => Ok(Some(from.data())),
            _ => self.connect_to_multi_shot(from, locked, post_slot, link),
        }
    }

    /// Uses up one dependence of a counted, channel or collective event for a destination that was
    /// destroyed since the dependence was asked for: destroyed later, it would have used it up as well.
    pub(crate) fn add_to_nobody(&mut self, source: Guid, post_slot: u32) -> Result<(), GraphError> {
        use EventKind::{Channel, Collective, Counted};
        let kind = self.objects.event_kind(source);
        if !matches!(kind, Some(Counted | Channel | Collective)) {
            return Ok(());
        }
        let index = self.objects.events.connector(&mut self.caches.events, Link::END);
        let index = index.ok_or(GraphError::OutOfMemory)?;
        let answer = self.link_connector(source, post_slot, index);
        if answer != Ok(None) {
            self.objects.events.disconnect(&mut self.caches.events, index);
        }
        answer.map(|_| ())
    }

    /// The source of a dependence must be a block or an event that exists, or `NULL_GUID`.
    #[inline]
    pub(crate) fn check_source(&self, source: Guid) -> Result<(), GraphError> {
        if source.is_null() {
            return Ok(());
        }
        match source.kind() {
            None => Err(GraphError::NoSuchObject),
            Some(Kind::DataBlock) if !self.objects.data_blocks.can_be_named(source) => self.check_foreign(source),
            Some(kind) if kind == Kind::DataBlock || kind.is_event() => Ok(()),
            Some(_) => Err(GraphError::NotPermitted),
        }
    }

    /// A block that is not here must be one of another node. It is not looked for there: the EDT that gets the block
    /// asks that node for it.
    #[cold]
    fn check_foreign(&self, source: Guid) -> Result<(), GraphError> {
        self.objects.data_blocks.is_foreign(source).then_some(()).ok_or(GraphError::NoSuchObject)
    }
}
