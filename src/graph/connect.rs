//! Adding dependences (OCR 1.1.0, 2.8.1).

use super::{Graph, Refused};
use crate::object::edt::{Edt, Mode, PreSlot, WAITING, ZOMBIE};
use crate::object::event::{EventKind, TRIGGERED};
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
        match destination.kind() {
            // Programs do this; there is nothing to do.
            None if destination.is_null() && source.is_null() => Ok(()),
            None => Err(Refused::NoSuchObject),
            Some(Kind::Event) => self.add_to_event(source, destination, slot),
            Some(kind) if kind.is_edt() => self.add_to_edt(source, destination, slot, mode),
            Some(_) => Err(Refused::NotPermitted),
        }
    }

    fn add_to_edt(
        &mut self,
        source: Guid,
        destination: Guid,
        slot: u32,
        mode: Mode,
    ) -> Result<(), Refused> {
        self.check_source(source)?;
        let (edt, locked) = self
            .objects
            .edts
            .lock(destination)
            .ok_or(Refused::NoSuchObject)?;
        if slot >= edt.depc.get() {
            return Err(Refused::NoSuchSlot);
        }
        if locked.word.state() != WAITING {
            return Err(Refused::NoSuchObject);
        }
        let pre_slot = &edt.slots()[slot as usize];
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
        let connected = self.connect(source, edt, slot, mode);
        if connected.is_err() {
            self.unconnect(edt, &edt.slots()[slot as usize]);
        }
        connected
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
    /// event has triggered.
    pub fn connect(
        &mut self,
        source: Guid,
        edt: &Edt,
        slot: u32,
        mode: Mode,
    ) -> Result<(), Refused> {
        let (event, locked) = self
            .objects
            .events
            .lock(source)
            .ok_or(Refused::NoSuchObject)?;
        let pre_slot = &edt.slots()[slot as usize];
        if locked.word.state() != TRIGGERED {
            pre_slot.set_rest(event.waiting.get());
            event.waiting.set(edt.link_to(slot));
            return Ok(());
        }
        let data = event.data.get();
        drop(locked);
        let locked = edt.header.lock_pinned();
        pre_slot.satisfy(data, mode);
        self.count_down(edt, locked);
        Ok(())
    }

    fn add_to_event(&mut self, source: Guid, event: Guid, slot: u32) -> Result<(), Refused> {
        self.check_source(source)?;
        if slot > 1 {
            return Err(Refused::NoSuchSlot);
        }
        let increment = slot == 1;
        if !source.is_event() {
            return self.satisfy_event(event, increment, source);
        }
        let (target, locked) = self
            .objects
            .events
            .lock(event)
            .ok_or(Refused::NoSuchObject)?;
        if increment && target.kind() != EventKind::Latch {
            return Err(Refused::NoSuchSlot);
        }
        drop(locked);
        self.link_events(source, event, increment)
    }

    /// Makes the satisfaction of `source` satisfy `event`, which exists.
    fn link_events(&mut self, source: Guid, event: Guid, increment: bool) -> Result<(), Refused> {
        let link = Link::to_event(event, increment);
        let mut connector = None;
        loop {
            let from = self.objects.events.lock(source);
            let triggered = match &from {
                None => Some(Err(Refused::NoSuchObject)),
                Some((from, locked)) => {
                    (locked.word.state() == TRIGGERED).then(|| Ok(from.data.get()))
                }
            };
            if let (Some(_), Some(index)) = (&triggered, connector) {
                self.objects
                    .events
                    .disconnect(&mut self.caches.events, index);
            }
            let Some((from, locked)) = from.filter(|_| triggered.is_none()) else {
                let data = triggered.unwrap_or(Err(Refused::NoSuchObject))?;
                return self.satisfy_event(event, increment, data);
            };
            let waiting = from.waiting.get();
            match connector {
                None if waiting == Link::END => {
                    from.waiting.set(link);
                    return Ok(());
                }
                Some(index) => {
                    self.objects.events.set_rest(index, waiting);
                    from.waiting.set(Link::to_connector(index));
                    return Ok(());
                }
                // A connector is needed. It is taken without the lock, since that can take time.
                None => drop(locked),
            }
            let index = self.objects.events.connector(&mut self.caches.events, link);
            connector = Some(index.ok_or(Refused::OutOfMemory)?);
        }
    }

    /// The source of a dependence must be a block or an event that exists, or `NULL_GUID`.
    pub fn check_source(&self, source: Guid) -> Result<(), Refused> {
        match source.kind() {
            None if source.is_null() => Ok(()),
            None => Err(Refused::NoSuchObject),
            Some(Kind::DataBlock) if !self.objects.data_blocks.exists(source) => {
                Err(Refused::NoSuchObject)
            }
            Some(Kind::DataBlock | Kind::Event) => Ok(()),
            Some(_) => Err(Refused::NotPermitted),
        }
    }
}
