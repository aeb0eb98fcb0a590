//! Events: once, idempotent, sticky and latch.
//!
//! | state | meaning | left by |
//! |---|---|---|
//! | free | slot of no event | creation |
//! | armed | has not triggered; `waiting` is the list of pre-slots to satisfy | its trigger rule, or `ocrEventDestroy` |
//! | triggered | idempotent and sticky events only: `data` is what late dependences get | `ocrEventDestroy` |
//!
//! All cells are touched under the lock of the header. Once and latch events are freed by the
//! operation that triggers them.

use super::arena::{Arena, Cache, Slot};
use super::guid::{Guid, Kind};
use super::header::{Header, Locked};
use super::link::{Connector, Link};
use std::cell::Cell;

/// State: has not triggered.
pub const ARMED: u8 = 1;
/// State: has triggered and is kept.
pub const TRIGGERED: u8 = 2;

/// `ocrEventTypes_t`, as far as it is supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum EventKind {
    /// `OCR_EVENT_ONCE_T`.
    Once = 1,
    /// `OCR_EVENT_IDEM_T`.
    Idempotent = 2,
    /// `OCR_EVENT_STICKY_T`.
    Sticky = 3,
    /// `OCR_EVENT_LATCH_T`.
    Latch = 4,
}

impl EventKind {
    /// The kind with the number of `ocrEventTypes_t`.
    pub fn from_bits(bits: u32) -> Option<EventKind> {
        Some(match bits {
            1 => EventKind::Once,
            2 => EventKind::Idempotent,
            3 => EventKind::Sticky,
            4 => EventKind::Latch,
            _ => return None,
        })
    }

    /// What programs call it.
    pub fn name(self) -> &'static str {
        match self {
            EventKind::Once => "once",
            EventKind::Idempotent => "idempotent",
            EventKind::Sticky => "sticky",
            EventKind::Latch => "latch",
        }
    }
}

/// An event.
#[repr(C, align(64))]
pub struct Event {
    /// Generation and state.
    pub header: Header,
    index: Cell<u32>,
    kind: Cell<u8>,
    /// The pre-slots to satisfy.
    pub waiting: Cell<Link>,
    /// What it was satisfied with.
    pub data: Cell<Guid>,
    /// Latch: satisfactions of the increment slot less those of the decrement slot.
    pub counter: Cell<i64>,
}

// SAFETY: see the module: the lock of the header guards the cells.
unsafe impl Sync for Event {}

impl Event {
    /// What kind of event; it does not change while the event lives.
    pub fn kind(&self) -> EventKind {
        match EventKind::from_bits(self.kind.get() as u32) {
            Some(kind) => kind,
            None => unreachable!("a live event has a kind"),
        }
    }
}

// SAFETY: zero is a free event; the size is 64; the fields are fixed.
unsafe impl Slot for Event {
    fn header(&self) -> &Header {
        &self.header
    }
    fn next_free(&self) -> &Cell<u32> {
        &self.index
    }
}

// SAFETY: a connector belongs to the list it is in, and that to the event's lock.
unsafe impl Sync for Connector {}

// SAFETY: zero is a free connector; the size is 32; the fields are fixed.
unsafe impl Slot for Connector {
    fn header(&self) -> &Header {
        &self.header
    }
    fn next_free(&self) -> &Cell<u32> {
        &self.next_free
    }
}

/// The events, and the list nodes of those that have several event targets.
#[derive(Default)]
pub struct Events {
    events: Arena<Event>,
    connectors: Arena<Connector>,
}

/// A thread's free slots.
#[derive(Default)]
pub struct EventCaches {
    events: Cache,
    connectors: Cache,
}

impl Events {
    /// Creates an armed event; `counter` is what a latch event begins with. `None` when memory is
    /// used up.
    #[inline]
    pub fn create(&self, caches: &mut EventCaches, kind: EventKind, counter: i64) -> Option<Guid> {
        let (index, event) = self.events.allocate(&mut caches.events)?;
        event.index.set(index);
        event.kind.set(kind as u8);
        event.waiting.set(Link::END);
        event.data.set(Guid::NULL);
        event.counter.set(counter);
        let word = event.header.peek().with_state(ARMED);
        event.header.publish(word);
        Some(Guid::new(Kind::Event, word.generation(), index))
    }

    /// Locks the event of this GUID, if it exists.
    #[inline]
    pub fn lock(&self, guid: Guid) -> Option<(&Event, Locked<'_>)> {
        if !guid.is_event() {
            return None;
        }
        let event = self.events.get(guid.index())?;
        Some((event, event.header.lock(guid.generation())?))
    }

    /// Frees a locked event and returns what waited.
    #[inline]
    pub fn free(&self, caches: &mut EventCaches, event: &Event, mut locked: Locked<'_>) -> Link {
        let waiting = event.waiting.replace(Link::END);
        let index = event.index.get();
        match locked.word.freed() {
            Some(freed) => {
                locked.word = freed;
                drop(locked);
                self.events.free(&mut caches.events, index);
            }
            // The generations of the slot are used up: retired, as a triggered sticky event.
            None => {
                event.kind.set(EventKind::Sticky as u8);
                locked.word = locked.word.with_state(TRIGGERED);
            }
        }
        waiting
    }

    /// A list node for an event target; `set_rest` puts it before a list.
    pub fn connector(&self, caches: &mut EventCaches, target: Link) -> Option<u32> {
        let (index, connector) = self.connectors.allocate(&mut caches.connectors)?;
        connector.target.set(target);
        connector.next.set(Link::END);
        let word = connector.header.peek();
        connector.header.publish(word.with_state(ARMED));
        Some(index)
    }

    /// Sets what follows a connector that the caller owns.
    pub fn set_rest(&self, index: u32, rest: Link) {
        self.connectors.slot(index).next.set(rest);
    }

    /// What follows a connector.
    pub fn rest(&self, index: u32) -> Link {
        self.connectors.slot(index).next.get()
    }

    /// Takes a connector out of the list whose owner the caller is: its target and the rest.
    pub fn disconnect(&self, caches: &mut EventCaches, index: u32) -> (Link, Link) {
        let connector = self.connectors.slot(index);
        let parts = (connector.target.get(), connector.next.get());
        if let Some(freed) = connector.header.peek().freed() {
            connector.header.publish(freed);
            self.connectors.free(&mut caches.connectors, index);
        }
        parts
    }

    /// The events that exist, with what waits for them.
    pub fn live(&self) -> impl Iterator<Item = (Guid, &Event)> {
        self.events
            .live()
            .map(|(index, word, event)| (Guid::new(Kind::Event, word.generation(), index), event))
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, caches: &mut EventCaches) {
        self.events.drain(&mut caches.events);
        self.connectors.drain(&mut caches.connectors);
    }
}
