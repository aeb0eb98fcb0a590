//! Adding dependences (OCR 1.1.0, 2.8.1).

use super::{Call, Dependence, Graph, Refused};
use crate::object::edt::{Edt, Mode, PreSlot, WAITING, ZOMBIE};
use crate::object::event::{ARMED, EventKind, TRIGGERED};
use crate::object::guid::{Guid, Kind};
use crate::object::link::Link;

impl Graph<'_> {
    /// Links `source` (a data block, an event or `NULL_GUID`) to a pre-slot of an EDT or event.
    pub fn add_dependence(
        &mut self,
        source: Guid,
        destination: Guid,
        slot: u32,
        mode: Mode,
    ) -> Result<(), Refused> {
        self.add_dependence_slot(source, 0, destination, slot, mode)
    }

    /// The same for post-slot `post_slot` of `source`. Collective events have several, all others
    /// have one.
    pub fn add_dependence_slot(
        &mut self,
        source: Guid,
        post_slot: u32,
        destination: Guid,
        slot: u32,
        mode: Mode,
    ) -> Result<(), Refused> {
        let asked = Dependence {
            source,
            post_slot,
            destination,
            slot,
            mode,
        };
        if post_slot != 0 && self.objects.events.collective(source).is_none() {
            return Err(self.refuse(Refused::NoSuchSlot, asked));
        }
        if destination.is_edt() {
            return self.add_to_edt(asked);
        }
        match destination.kind() {
            None => Err(self.refuse(Refused::NoSuchObject, asked)),
            Some(kind) if kind.is_event() => {
                let added = self.add_to_event(source, post_slot, destination, slot);
                added.map_err(|why| self.refuse(why, asked))
            }
            Some(_) => Err(Refused::NotPermitted),
        }
    }

    #[cold]
    fn refuse(&mut self, why: Refused, asked: Dependence) -> Refused {
        self.work.refuse(why, Call::Dependence(asked))
    }

    fn add_to_edt(&mut self, asked: Dependence) -> Result<(), Refused> {
        if !asked.source.is_event()
            && let Err(why) = self.check_source(asked.source)
        {
            return Err(self.refuse(why, asked));
        }
        self.add_checked_to_edt(asked)
    }

    /// The same of a source that was checked.
    #[inline(always)]
    pub(super) fn add_checked_to_edt(&mut self, asked: Dependence) -> Result<(), Refused> {
        let Dependence {
            source,
            post_slot,
            destination,
            slot,
            mode,
        } = asked;
        let Some((edt, locked)) = self.objects.edts.lock(destination) else {
            return Err(self.refuse(Refused::NoSuchObject, asked));
        };
        // Before anything else of it is looked at: past this state an EDT is its owner's.
        if locked.word.state() != WAITING {
            return Err(self.refuse(Refused::NoSuchObject, asked));
        }
        let Some(pre_slot) = edt.slots().get(slot as usize) else {
            return Err(Refused::NoSuchSlot);
        };
        if !pre_slot.is_unconnected() {
            return Err(Refused::NotPermitted);
        }
        if !source.is_event() {
            pre_slot.satisfy(source, mode);
            self.count_down(edt, locked);
            return Ok(());
        }
        pre_slot.connect(mode);
        drop(locked);
        let link = match destination.is_label() {
            false => Link::to_slot(destination, slot),
            true => edt.link_to(slot),
        };
        let connected = self.connect((source, post_slot), edt, (pre_slot, link), mode);
        connected.map_err(|why| {
            self.unconnect(edt, pre_slot);
            self.refuse(why, asked)
        })
    }

    /// Adds a dependence on a data block that existed when it was asked for.
    pub fn add_former_block(&mut self, asked: Dependence) -> Result<(), Refused> {
        match asked.destination.is_edt() {
            true => self.add_checked_to_edt(asked),
            false => self.add_block_to_event(asked.source, asked.destination, asked.slot),
        }
    }

    /// Makes a connected pre-slot that is in no list unconnected again.
    pub fn unconnect(&mut self, edt: &Edt, slot: &PreSlot) {
        let locked = edt.header.lock_pinned();
        slot.clear();
        // An EDT that was destroyed meanwhile does not wait for it any more.
        if locked.word.state() == ZOMBIE {
            self.count_down(edt, locked);
        }
    }

    /// Puts a pre-slot that is marked connected into the event's list, or satisfies it if the
    /// event has triggered. `link` leads to it.
    #[inline(always)]
    pub fn connect(
        &mut self,
        (source, post_slot): (Guid, u32),
        edt: &Edt,
        (pre_slot, link): (&PreSlot, Link),
        mode: Mode,
    ) -> Result<(), Refused> {
        if source.is_output() {
            let (maker, _locked, waiting) =
                (self.objects.edts.lock_output(source)).ok_or(Refused::NoSuchObject)?;
            pre_slot.set_rest(waiting);
            maker.set_waiting(link);
            return Ok(());
        }
        let (event, locked) = self
            .objects
            .events
            .lock(source)
            .ok_or(Refused::NoSuchObject)?;
        let data = match locked.word.state() {
            ARMED => {
                pre_slot.set_rest(event.waiting.get());
                event.waiting.set(link);
                return Ok(());
            }
            TRIGGERED => {
                let data = event.data.get();
                drop(locked);
                data
            }
            _ => match self.connect_choosy(event, locked, post_slot, link)? {
                Some(data) => data,
                None => return Ok(()),
            },
        };
        let locked = edt.header.lock_pinned();
        pre_slot.satisfy(data, mode);
        self.count_down(edt, locked);
        Ok(())
    }

    fn add_to_event(
        &mut self,
        source: Guid,
        post_slot: u32,
        event: Guid,
        slot: u32,
    ) -> Result<(), Refused> {
        self.check_source(source)?;
        if !source.is_event() {
            return self.add_block_to_event(source, event, slot);
        }
        if slot > 1 {
            return Err(Refused::NoSuchSlot);
        }
        let increment = slot == 1;
        match self
            .objects
            .event_kind(event)
            .ok_or(Refused::NoSuchObject)?
        {
            EventKind::Latch => {}
            // Contributions are not blocks.
            EventKind::Collective => return Err(Refused::NotPermitted),
            _ if increment => return Err(Refused::NoSuchSlot),
            _ => {}
        }
        self.link_events(source, post_slot, event, increment)
    }

    /// Satisfies `event` with a block or `NULL_GUID`.
    fn add_block_to_event(&mut self, block: Guid, event: Guid, slot: u32) -> Result<(), Refused> {
        match slot {
            0 | 1 => self.satisfy_event(event, slot == 1, block),
            _ => Err(Refused::NoSuchSlot),
        }
    }

    /// Makes the satisfaction of `source` satisfy `event`, which exists.
    fn link_events(
        &mut self,
        source: Guid,
        post_slot: u32,
        event: Guid,
        increment: bool,
    ) -> Result<(), Refused> {
        let link = Link::to_event(event, increment);
        if self.link_without_connector(source, link)? {
            return Ok(());
        }
        // A connector is needed. It is taken without the lock, since that can take time.
        let index = self.objects.events.connector(&mut self.caches.events, link);
        let index = index.ok_or(Refused::OutOfMemory)?;
        let answer = self.link_connector(source, post_slot, index);
        if answer == Ok(None) {
            return Ok(());
        }
        self.objects
            .events
            .disconnect(&mut self.caches.events, index);
        match answer? {
            Some(data) => self.pass_to_event(event, increment, data),
            None => Ok(()),
        }
    }

    /// Makes a link the list of an event that has not triggered, if that is empty.
    fn link_without_connector(&mut self, source: Guid, link: Link) -> Result<bool, Refused> {
        if source.is_output() {
            let (maker, _locked, waiting) =
                (self.objects.edts.lock_output(source)).ok_or(Refused::NoSuchObject)?;
            let fits = waiting == Link::END && Edt::can_begin_with(link);
            if fits {
                maker.set_waiting(link);
            }
            return Ok(fits);
        }
        let (from, locked) = self
            .objects
            .events
            .lock(source)
            .ok_or(Refused::NoSuchObject)?;
        let fits = locked.word.state() == ARMED && from.waiting.get() == Link::END;
        if fits {
            from.waiting.set(link);
        }
        Ok(fits)
    }

    /// Puts a connector into the event's list. If the event has something for it already, that is
    /// the answer, and the connector is in no list.
    fn link_connector(
        &mut self,
        source: Guid,
        post_slot: u32,
        index: u32,
    ) -> Result<Option<Guid>, Refused> {
        let link = Link::to_connector(index);
        if source.is_output() {
            let (maker, _locked, waiting) =
                (self.objects.edts.lock_output(source)).ok_or(Refused::NoSuchObject)?;
            self.objects.events.set_rest(index, waiting);
            maker.set_waiting(link);
            return Ok(None);
        }
        let (from, locked) = self
            .objects
            .events
            .lock(source)
            .ok_or(Refused::NoSuchObject)?;
        match locked.word.state() {
            ARMED => {
                self.objects.events.set_rest(index, from.waiting.get());
                from.waiting.set(link);
                Ok(None)
            }
            TRIGGERED => Ok(Some(from.data.get())),
            _ => self.connect_choosy(from, locked, post_slot, link),
        }
    }

    /// Uses up one dependence of a counted, channel or collective event for a destination that was
    /// destroyed since the dependence was asked for: destroyed later, it would have used it up as well.
    pub fn add_to_nobody(&mut self, source: Guid, post_slot: u32) -> Result<(), Refused> {
        use EventKind::{Channel, Collective, Counted};
        let kind = self.objects.event_kind(source);
        if !matches!(kind, Some(Counted | Channel | Collective)) {
            return Ok(());
        }
        let index = self
            .objects
            .events
            .connector(&mut self.caches.events, Link::END);
        let index = index.ok_or(Refused::OutOfMemory)?;
        let answer = self.link_connector(source, post_slot, index);
        if answer != Ok(None) {
            self.objects
                .events
                .disconnect(&mut self.caches.events, index);
        }
        answer.map(|_| ())
    }

    /// The source of a dependence must be a block or an event that exists, or `NULL_GUID`.
    pub fn check_source(&self, source: Guid) -> Result<(), Refused> {
        if source.is_null() {
            return Ok(());
        }
        match source.kind() {
            None => Err(Refused::NoSuchObject),
            Some(Kind::DataBlock) if !self.objects.data_blocks.can_be_named(source) => {
                Err(Refused::NoSuchObject)
            }
            Some(kind) if kind == Kind::DataBlock || kind.is_event() => Ok(()),
            Some(_) => Err(Refused::NotPermitted),
        }
    }
}
