//! Events.
//!
//! ```text
//!   once, latch:         free ---creation--> armed ---trigger rule--> free
//!
//!   idempotent, sticky:  free ---creation--> armed ---first satisfaction--> triggered ---ocrEventDestroy--> free
//!
//!   counted:             free ---creation--> multi-shot ---satisfaction--> spent ---last dependence--> free
//!                                                |                                                      ^
//!                                                +-- satisfaction that serves the last dependence ------+
//!
//!   channel, collective: free ---creation--> multi-shot ---ocrEventDestroy--> free
//! ```
//!
//! `ocrEventDestroy` frees an event in every state.
//!
//! | state | meaning | left by |
//! |---|---|---|
//! | free | slot of no event | creation |
//! | armed | once, idempotent, sticky, latch: has not triggered; `waiting` is the list of pre-slots to satisfy | its trigger rule, or `ocrEventDestroy` |
//! | triggered | idempotent, sticky: `data` is what late dependences get | `ocrEventDestroy` |
//! | multi-shot | counted, channel, collective: what becomes of a dependence depends on the kind. Counted: not satisfied; `waiting` is the list of pre-slots to satisfy | counted: satisfaction, to spent; freed if that serves the last dependence. All: `ocrEventDestroy` |
//! | spent | counted: satisfied; `data` is what the `counter` dependences that are to come get | the last of them: freed; or `ocrEventDestroy` |
//!
//! All cells are touched under the lock of the header. Once, latch and counted events are freed by
//! the operation that triggers them or serves the last dependence.
//!
//! A channel has a queue of satisfactions that wait for a dependence, or one of dependences that
//! wait for a satisfaction, never both. The nodes of the first are connectors with the block in
//! place of a target; those of the second are the pre-slots of EDTs, and connectors for events. So
//! its queues take memory of the arenas alone, which get it back from the thread that serves the
//! entry, or from `ocrEventDestroy`, or at the end of the run. What a collective event knows is in
//! [`super::collective`].

use super::arena::{Arena, Cache, CreateOnLabelError, LabelTakenError, Labels, Slot};
use super::code::Code;
use super::collective::{Collective, CollectiveParams};
use super::guid::{Guid, Kind};
use super::header::{Header, Locked, Word, states};
use super::link::{Connector, ConnectorState, Link};
use super::remains::{self, Remains};
use super::saved::{Saved, malformed};
use super::zone::Zone;
pub(crate) use ocr_trace::numbers::EventKind;
use std::cell::Cell;
use std::io;
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence};

states! {
    /// The states of an event.
    pub enum EventState {
        /// The event has not triggered; dependences wait.
        Armed = 1,
        /// The event has triggered and is kept for late dependences.
        Triggered = 2,
        /// The event is of a kind that has its own way with dependences: counted, channel or collective.
        MultiShot = 3,
        /// A counted event that was satisfied and expects more dependences.
        Spent = 4,
    }
}

/// The lock of an event.
pub(crate) type LockedEvent<'a> = Locked<'a, EventState>;

/// The count of an event on a label that is opening: only its creator satisfies it, with what waited for it
/// ([`super::waiting`]). It is 0 otherwise.
pub(crate) const OPENING: u32 = 1;

/// What an event is created with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NewEvent {
    /// A once, idempotent, sticky or latch event.
    Plain {
        /// Which of these kinds the event is of.
        kind: EventKind,
        /// Where the counter of a latch begins.
        counter: i64,
    },
    /// A counted event, with its parameters.
    Counted {
        /// How many dependences it serves; not 0.
        dependences: u64,
    },
    /// A counted event of the runtime's for one dependence, between an event and what is not there yet.
    Between,
    /// A channel event, with its parameters.
    Channel {
        /// How many satisfactions or dependences may wait; [`super::collective::UNBOUNDED`] is no
        /// limit.
        bound: u32,
    },
    /// A collective event, with its parameters.
    Collective(CollectiveParams),
}

/// An event of any kind that has a slot of its own; its fields mean what its kind and state say.
#[repr(C, align(64))]
pub struct Event {
    pub header: Header<EventState>,
    index: Cell<u32>,
    kind: AtomicU8,
    /// The list of the pre-slots that wait for the event. The lock of the header guards it.
    pub waiting: Cell<Link>,
    /// What it was satisfied with; or the mark that an event leaves which has triggered and is gone
    /// ([`super::remains`]).
    data: AtomicU64,
    /// Latch: satisfactions of the increment slot less those of the decrement slot. Counted: the
    /// dependences that are to come. Channel: satisfactions that wait, or less than 0, dependences.
    pub counter: Cell<i64>,
    /// Channel: the satisfactions that wait.
    pub queued: Cell<Link>,
    /// Channel: the last node of the queue that is not empty.
    pub last: Cell<Link>,
    /// Collective: its inside, from `Arc::into_raw`. Channel: its bound, as an address. Counted: [`BETWEEN`] or null.
    /// Once, latch, when they have triggered: what the EDT ran that has satisfied them, a `Code`, or null.
    kind_data: AtomicPtr<Collective>,
}

/// Marks an event that is no program's ([`NewEvent::Between`]).
const BETWEEN: *mut Collective = ptr::without_provenance_mut(1);

// SAFETY: see the module: the lock of the header guards the cells.
unsafe impl Sync for Event {}

impl Event {
    /// Whether it is no program's, but stands between two objects; the caller has its lock.
    pub fn is_between(&self) -> bool {
        self.kind() == EventKind::Counted && self.kind_data.load(Ordering::Relaxed) == BETWEEN
    }

    /// What it was satisfied with; the caller has its lock.
    #[inline]
    pub fn data(&self) -> Guid {
        // Under the lock, as all its fields.
        Guid::from_bits(self.data.load(Ordering::Relaxed))
    }

    /// Sets what it was satisfied with; the caller has its lock.
    #[inline]
    pub fn set_data(&self, data: Guid) {
        self.data.store(data.bits(), Ordering::Relaxed);
    }

    /// Its GUID; the caller has its lock.
    pub fn guid(&self, locked: &LockedEvent<'_>) -> Guid {
        Guid::new(Kind::Event, locked.word.generation(), self.index.get())
    }

    /// What kind of event; it does not change while the event lives, but for
    /// [`Events::become_once`].
    pub fn kind(&self) -> EventKind {
        match EventKind::from_bits(self.kind.load(Ordering::Relaxed).into()) {
            Some(kind) => kind,
            None => unreachable!("a live event has a kind"),
        }
    }

    /// How many satisfactions, or dependences, may wait in a channel event's queue.
    pub fn bound(&self) -> i64 {
        match self.kind_data.load(Ordering::Relaxed).addr() as u32 {
            super::collective::UNBOUNDED => i64::MAX,
            bound => bound.into(),
        }
    }
}

// SAFETY: zero is a free event; the size is 64; the fields are fixed.
unsafe impl Slot for Event {
    const HAS_REMAINS: bool = true;

    type State = EventState;

    fn header(&self) -> &Header<EventState> {
        &self.header
    }
}

// SAFETY: a connector belongs to the list it is in, and that to the event's lock.
unsafe impl Sync for Connector {}

// SAFETY: zero is a free connector; the size is 32; the fields are fixed.
unsafe impl Slot for Connector {
    type State = ConnectorState;

    fn header(&self) -> &Header<ConnectorState> {
        &self.header
    }
}

/// The events, and the list nodes of those that have several event targets, or queues.
#[derive(Default)]
pub struct Events {
    events: Arena<Event>,
    connectors: Arena<Connector>,
    /// How many collective events there are.
    collectives: AtomicUsize,
}

/// Free slots of events and connectors, for one thread alone.
#[derive(Default)]
pub struct EventCaches {
    events: Cache,
    connectors: Cache,
}

impl EventCaches {
    /// Caches that use late the slots of the `events` events that went last ([`Cache::keeping`]).
    pub fn keeping(events: usize) -> EventCaches {
        EventCaches { events: Cache::keeping(events), connectors: Cache::default() }
    }
}

/// Makes a slot that this thread has taken an event that others can find; `fill` sets what only its
/// kind has.
#[inline]
fn begin(
    (index, event): (u32, &Event),
    (kind, state): (EventKind, EventState),
    counter: i64,
    fill: impl FnOnce(&Event),
) -> Guid {
    event.index.set(index);
    // What was left of the last event there cannot be read from here on.
    event.set_data(Guid::NULL);
    // A thread that reads the kind without the lock, and sees this one, sees that the slot was freed before. One that
    // reads what was left sees that it cannot.
    fence(Ordering::Release);
    event.kind.store(kind as u8, Ordering::Relaxed);
    event.waiting.set(Link::END);
    event.counter.set(counter);
    fill(event);
    let word = event.header.peek().with_state(state);
    event.header.publish(word);
    Guid::new(Kind::Event, word.generation(), index)
}

impl Events {
    /// Makes a store without events, of a node.
    pub fn new(zone: Zone) -> Events {
        // No GUID names a connector.
        Events { events: Arena::new(zone), connectors: Arena::default(), collectives: AtomicUsize::new(0) }
    }

    /// Creates a once, idempotent, sticky or latch event; `counter` is what a latch begins with.
    /// `None` when memory is used up.
    #[inline]
    pub fn create_plain(&self, caches: &mut EventCaches, kind: EventKind, counter: i64) -> Option<Guid> {
        let slot = self.events.allocate(&mut caches.events)?;
        Some(begin(slot, (kind, EventState::Armed), counter, |_| {}))
    }

    /// Creates an event. `None` when memory is used up.
    pub fn create(&self, caches: &mut EventCaches, new: NewEvent) -> Option<Guid> {
        let slot = || {
            let slot = self.events.allocate(&mut caches.events);
            slot.ok_or(CreateOnLabelError::OutOfMemory)
        };
        self.create_in(slot, new).ok()
    }

    /// Creates an event on a label; opening, if something waits for it.
    pub fn create_on(
        &self,
        label: Guid,
        new: NewEvent,
        is_waited_for: impl FnOnce() -> bool,
    ) -> Result<Guid, CreateOnLabelError> {
        let claim = || {
            if label.kind() != Some(Kind::Event) {
                return Err(LabelTakenError::NoLabel.into());
            }
            let event = self.events.claim(label)?;
            if is_waited_for() {
                event.header.count_claimed(OPENING);
            }
            Ok((label.index(), event))
        };
        self.create_in(claim, new)
    }

    /// Whether an event on a label is opening: its creator does what waited for that.
    pub fn is_opening(&self, label: Guid) -> bool {
        let locked = self.lock(label);
        locked.is_some_and(|(_, locked)| locked.word.count() == OPENING)
    }

    /// The event on a label is open from now on: others than its creator may satisfy it.
    pub fn opened(&self, label: Guid) {
        if let Some((_, mut locked)) = self.lock(label) {
            locked.word = locked.word.with_count(0);
        }
    }

    /// The labels that events can be created on.
    pub fn labels(&self) -> &dyn Labels {
        &self.events
    }

    fn create_in<'a>(
        &'a self,
        slot: impl FnOnce() -> Result<(u32, &'a Event), CreateOnLabelError>,
        new: NewEvent,
    ) -> Result<Guid, CreateOnLabelError> {
        Ok(match new {
            NewEvent::Plain { kind, counter } => begin(slot()?, (kind, EventState::Armed), counter, |_| {}),
            NewEvent::Counted { dependences } => {
                let counter = i64::try_from(dependences).unwrap_or(i64::MAX);
                begin(slot()?, (EventKind::Counted, EventState::MultiShot), counter, |event| {
                    event.kind_data.store(ptr::null_mut(), Ordering::Relaxed)
                })
            }
            NewEvent::Between => begin(slot()?, (EventKind::Counted, EventState::MultiShot), 1, |event| {
                event.kind_data.store(BETWEEN, Ordering::Relaxed);
            }),
            NewEvent::Channel { bound } => begin(slot()?, (EventKind::Channel, EventState::MultiShot), 0, |event| {
                event.queued.set(Link::END);
                let bound = ptr::without_provenance_mut(bound as usize);
                event.kind_data.store(bound, Ordering::Relaxed);
            }),
            NewEvent::Collective(params) => {
                let inside = Arc::new(Collective::new(params).ok_or(CreateOnLabelError::OutOfMemory)?);
                begin(slot()?, (EventKind::Collective, EventState::MultiShot), 0, |event| {
                    let inside = Arc::into_raw(inside).cast_mut();
                    event.kind_data.store(inside, Ordering::Relaxed);
                    self.collectives.fetch_add(1, Ordering::Relaxed);
                })
            }
        })
    }

    /// The header's word of the slot with this index, whatever is in it.
    pub fn word(&self, index: u32) -> Option<Word<EventState>> {
        self.events.get(index).map(|event| event.header.peek())
    }

    /// Locks the event of this GUID, if it exists.
    #[inline(always)]
    pub fn lock(&self, guid: Guid) -> Option<(&Event, LockedEvent<'_>)> {
        if guid.kind() != Some(Kind::Event) {
            return None;
        }
        let event = self.events.get(guid.index())?;
        Some((event, event.header.lock(guid.generation())?))
    }

    /// What kind of event this GUID names, if the event exists. Reads without the lock: many dependences
    /// may be added to one event.
    #[inline]
    pub fn kind(&self, guid: Guid) -> Option<EventKind> {
        if guid.kind() != Some(Kind::Event) {
            return None;
        }
        let event = self.events.get(guid.index())?;
        let lives = || {
            let word = event.header.peek();
            word.generation() == guid.generation() && word.state() != EventState::Free
        };
        if !lives() {
            return None;
        }
        let kind = EventKind::from_bits(event.kind.load(Ordering::Relaxed).into());
        // The load above comes before the second look.
        fence(Ordering::Acquire);
        kind.filter(|_| lives())
    }

    /// The inside of the collective event of this GUID, if it exists.
    pub fn collective(&self, guid: Guid) -> Option<Arc<Collective>> {
        let (event, _locked) = self.lock(guid)?;
        self.inside(event)
    }

    /// The inside of an event that the caller has locked, or that no other thread uses any more, if it
    /// is a collective event.
    pub fn inside(&self, event: &Event) -> Option<Arc<Collective>> {
        let inside = event.kind_data.load(Ordering::Relaxed).cast_const();
        if event.kind() != EventKind::Collective || inside.is_null() {
            return None;
        }
        // SAFETY: it came from `Arc::into_raw`, and the event's own count keeps it.
        unsafe { Arc::increment_strong_count(inside) };
        // SAFETY: `inside` came from `Arc::into_raw`, and the count that is added above belongs to this `Arc`.
        Some(unsafe { Arc::from_raw(inside) })
    }

    /// Takes the inside out of a collective event that the caller has locked and is going to free.
    pub fn take_inside(&self, event: &Event) -> Option<Arc<Collective>> {
        let inside = self.inside(event)?;
        let own = event.kind_data.load(Ordering::Relaxed);
        event.kind_data.store(ptr::null_mut(), Ordering::Relaxed);
        self.collectives.fetch_sub(1, Ordering::Relaxed);
        // SAFETY: `own` came from `Arc::into_raw`, and the event's own count goes with it: no thread finds it any more.
        unsafe { Arc::decrement_strong_count(own) };
        Some(inside)
    }

    /// Joins a collective event that exists: whether it was created with the same parameters.
    pub fn join(&self, guid: Guid, params: CollectiveParams) -> bool {
        self.collective(guid).is_some_and(|inside| inside.params == params)
    }

    /// Makes a locked sticky event that has not triggered one that goes when it does. A thread that reads the kind
    /// without the lock gets the one or the other, as if it had looked before or after. What comes of the difference is
    /// decided under the lock, of which this store is a part.
    pub fn become_once(&self, event: &Event, _locked: &LockedEvent<'_>) {
        event.kind.store(EventKind::Once as u8, Ordering::Relaxed);
    }

    /// Frees a locked event and returns what waited.
    #[inline]
    pub fn free(&self, caches: &mut EventCaches, event: &Event, mut locked: LockedEvent<'_>) -> Link {
        // The next event there begins with an empty list.
        let waiting = event.waiting.get();
        let index = event.index.get();
        match locked.word.freed() {
            Some(freed) => {
                locked.word = freed;
                drop(locked);
                self.events.free(&mut caches.events, freed, index);
            }
            // The generations of the slot are used up: free, and never given again.
            None => locked.word = Word::new(locked.word.generation(), 0, EventState::Free),
        }
        waiting
    }

    /// Frees a locked once or latch event which triggers, and returns what waited. What it was satisfied with can be
    /// read until the slot is used anew, and what the EDT runs that has satisfied it, or null.
    #[inline]
    pub fn trigger(
        &self,
        caches: &mut EventCaches,
        (event, locked): (&Event, LockedEvent<'_>),
        data: Guid,
        by: *const Code,
    ) -> Link {
        // In this order; both pair with what reads them in `remains_of`.
        event.kind_data.store(by.cast_mut().cast(), Ordering::Release);
        event.data.store(remains::mark(data), Ordering::Release);
        self.free(caches, event, locked)
    }

    /// What is still known of an event that has triggered and is gone.
    pub fn remains_of(&self, guid: Guid) -> Option<Remains> {
        if guid.kind() != Some(Kind::Event) {
            return None;
        }
        let event = self.events.get(guid.index())?;
        // Pairs with the stores in `trigger` and `begin`.
        let data = || remains::data_in(event.data.load(Ordering::Acquire));
        // Relaxed, since `read_remains` has a fence behind it.
        let by = || event.kind_data.load(Ordering::Relaxed);
        let (data, by) = event.header.read_remains(guid.generation(), data, by)?;
        // SAFETY: an event that has left a mark has left a `Code` or null beside it, and what EDTs run is kept as long
        // as the runtime lives.
        let by = unsafe { by.cast::<Code>().as_ref() };
        Some(Remains { data, by })
    }

    /// A list node for an event target, or for a block that waits in a channel (then `target` is the
    /// bits of its GUID); `set_rest` puts it before a list.
    pub fn connector(&self, caches: &mut EventCaches, target: Link) -> Option<u32> {
        let (index, connector) = self.connectors.allocate(&mut caches.connectors)?;
        connector.target.set(target);
        connector.next.set(Link::END);
        let word = connector.header.peek();
        connector.header.publish(word.with_state(ConnectorState::Linked));
        Some(index)
    }

    /// Sets what follows a connector that the caller owns.
    pub fn set_rest(&self, index: u32, rest: Link) {
        self.connectors.slot(index).next.set(rest);
    }

    /// The rest of a list, behind a connector.
    pub fn rest(&self, index: u32) -> Link {
        self.connectors.slot(index).next.get()
    }

    /// The target of a connector and what follows it; the caller has the lock of its event.
    pub fn look(&self, index: u32) -> (Link, Link) {
        let connector = self.connectors.slot(index);
        (connector.target.get(), connector.next.get())
    }

    /// Takes a connector out of the list whose owner the caller is: its target and the rest.
    pub fn disconnect(&self, caches: &mut EventCaches, index: u32) -> (Link, Link) {
        let connector = self.connectors.slot(index);
        let parts = (connector.target.get(), connector.next.get());
        if let Some(freed) = connector.header.peek().freed() {
            connector.header.publish(freed);
            self.connectors.free(&mut caches.connectors, freed, index);
        }
        parts
    }

    /// The events that exist, with what waits for them.
    pub fn live(&self) -> impl Iterator<Item = (Guid, &Event)> {
        self.events.live().map(|(index, word, event)| (Guid::new(Kind::Event, word.generation(), index), event))
    }

    /// Passes all events through a checkpoint.
    pub(super) fn pass(&self, file: &mut Saved<'_>) -> io::Result<()> {
        self.events.pass(file, |file, index, event| self.pass_event(file, index, event))?;
        self.connectors.pass(file, |file, _, connector| {
            connector.header.pass(file)?;
            file.cell(&connector.target)?;
            file.cell(&connector.next)
        })
    }

    /// Passes an event, or what is left of one.
    fn pass_event(&self, file: &mut Saved<'_>, index: u32, event: &Event) -> io::Result<()> {
        let word = event.header.pass(file)?;
        event.index.set(index);
        event.kind.store(file.word(event.kind.load(Ordering::Relaxed))?, Ordering::Relaxed);
        event.data.store(file.word(event.data.load(Ordering::Relaxed))?, Ordering::Relaxed);
        let kind_data = event.kind_data.load(Ordering::Relaxed);
        let kind_data = match word.state() {
            EventState::Free if remains::data_in(event.data.load(Ordering::Relaxed)).is_some() => {
                file.code(kind_data.cast_const().cast())?.cast_mut().cast()
            }
            EventState::MultiShot if event.kind() == EventKind::Collective => self.pass_inside(file, event)?,
            EventState::MultiShot | EventState::Spent => ptr::without_provenance_mut(file.word(kind_data.addr())?),
            EventState::Free | EventState::Armed | EventState::Triggered => ptr::null_mut(),
        };
        if file.restores() {
            event.kind_data.store(kind_data, Ordering::Relaxed);
        }
        if word.state() != EventState::Free {
            file.cell(&event.waiting)?;
            file.cell(&event.counter)?;
            file.cell(&event.queued)?;
            file.cell(&event.last)?;
        }
        Ok(())
    }

    fn pass_inside(&self, file: &mut Saved<'_>, event: &Event) -> io::Result<*mut Collective> {
        if !file.restores() {
            let inside = self.inside(event).ok_or_else(malformed)?;
            inside.pass(file)?;
            return Ok(ptr::null_mut());
        }
        let inside = Collective::restore(file)?;
        self.collectives.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::into_raw(Arc::new(inside)).cast_mut())
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, caches: &mut EventCaches) {
        self.events.drain(&mut caches.events);
        self.connectors.drain(&mut caches.connectors);
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        // Looking at all slots costs something, so it is done where there is something to be found.
        if *self.collectives.get_mut() != 0 {
            for (_, _, event) in self.events.live() {
                self.take_inside(event);
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::object::reduction::Operator;

    #[test]
    fn an_event_of_any_kind_takes_64_bytes() {
        assert_eq!(size_of::<Event>(), 64);
    }

    #[test]
    fn a_collective_event_is_joined_with_equal_parameters_alone() {
        let events = Events::default();
        let mut caches = EventCaches::default();
        let params = CollectiveParams {
            bound: 1,
            contributors: 3,
            contributors_here: 3,
            elements: 1,
            arity: 2,
            operator: Operator::from_bits(0).expect("bytes are added"),
            reuse: false,
        };
        let created = events.create(&mut caches, NewEvent::Collective(params));
        let guid = created.expect("memory");
        assert!(events.join(guid, params));
        let others = [
            CollectiveParams { bound: 2, ..params },
            CollectiveParams { elements: 2, ..params },
            CollectiveParams { operator: Operator::from_bits(1 << 7).expect("bytes are multiplied"), ..params },
        ];
        for other in others {
            assert!(!events.join(guid, other));
        }
        let once = events.create_plain(&mut caches, EventKind::Once, 0);
        assert!(!events.join(once.expect("memory"), params));
        let (event, locked) = events.lock(guid).expect("it exists");
        let inside = events.take_inside(event).expect("a collective event");
        events.free(&mut caches, event, locked);
        assert_eq!(Arc::strong_count(&inside), 1);
        assert!(!events.join(guid, params));
    }
}
