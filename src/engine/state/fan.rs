//! Events that objects of other nodes wait for: each node is told once when such an event triggers.
//!
//! The first dependence of a node's object on an event of another node has an EDT of the runtime's wait there
//! (`life/stand_in.rs`). Later ones of that node's objects wait with it, in one of two places:
//!
//! | table | is on the node of | who adds to it |
//! |---|---|---|
//! | [`Fans`] | the event | whoever makes a dependence there, as long as the event has not triggered |
//! | [`AwaitedEvents`] | what waits | that node for its own EDTs, when it has asked for many and the other node has promised to tell |
//!
//! When the event triggers, one message has all that are in the first table, and says whether there is the second.
//!
//! *None is lost at the event*: one is added under the lock of the table, if the event has not triggered then. What
//! triggers later takes the list out under the same lock. *None is lost where they wait*: the entry is there before its
//! node asks, and the promise counts if the entry still is, by its number. So a promise that comes behind the message
//! that it is about has no effect. *No event is taken for another one*: a GUID names one event only, and labels, which
//! name several, are told one by one. So are channel, counted and collective events, which count their dependences.

use crate::object::edt::Mode;
use crate::object::guid::Guid;
use std::collections::HashMap;

/// A pre-slot of an object that waits, and the mode of its dependence.
pub(crate) type WaitingSlot = (Guid, u32, Mode);

/// What waits for an event of this node, on another one.
pub(crate) struct Fan {
    node: u32,
    /// The EDT here that waits for all of them.
    pub(crate) stand_in: Guid,
    /// Whether that node has been promised to be told, since it has a list of its own.
    pub(crate) is_promised: bool,
    /// What else waits than the stand-in says.
    pub(crate) more: Vec<WaitingSlot>,
}

impl Fan {
    fn new(node: u32, stand_in: Guid) -> Fan {
        Fan { node, stand_in, is_promised: false, more: Vec::new() }
    }
}

/// What waits on other nodes, by the events of this node, once for each other node.
#[derive(Default)]
pub(crate) struct Fans(HashMap<Guid, Vec<Fan>>);

impl Fans {
    /// A stand-in has been connected to an event, and waits for that for a node. Others of that node may wait with it.
    pub(crate) fn begin(&mut self, event: Guid, node: u32, stand_in: Guid) {
        let fans = self.0.entry(event).or_default();
        if fans.iter().all(|fan| fan.node != node) {
            fans.push(Fan::new(node, stand_in));
        }
    }

    /// What waits for an event on a node. The event may have triggered, or be gone.
    pub(crate) fn find(&mut self, event: Guid, node: u32) -> Option<&mut Fan> {
        self.0.get_mut(&event)?.iter_mut().find(|fan| fan.node == node)
    }

    /// A stand-in has what its event was satisfied with: what has waited with it.
    pub(crate) fn end(&mut self, event: Guid, stand_in: Guid) -> Option<Fan> {
        let fans = self.0.get_mut(&event)?;
        let at = fans.iter().position(|fan| fan.stand_in == stand_in)?;
        let fan = fans.swap_remove(at);
        if fans.is_empty() {
            self.0.remove(&event);
        }
        Some(fan)
    }

    /// An event was destroyed. The nodes that have been promised to be told when it triggers. The promises stay: if it
    /// has triggered before, its stand-ins are on the way, and each tells its node what has come.
    pub(crate) fn promised(&self, event: Guid) -> Vec<u32> {
        let fans = self.0.get(&event).into_iter().flatten();
        fans.filter(|fan| fan.is_promised).map(|fan| fan.node).collect()
    }

    /// What else waits than the stand-ins say, by these.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Guid, &[WaitingSlot])> {
        self.0.values().flatten().map(|fan| (fan.stand_in, &fan.more[..]))
    }
}

/// How many dependences of this node's EDTs on one event of another node are sent there one by one. At the next one,
/// and whenever their number has doubled since, that node is asked to tell when the event triggers.
const FEW: u32 = 8;

/// Of how many events this node knows how many dependences it has sent. Then it forgets them all.
const MOST_COUNTED: usize = 1024;

#[derive(PartialEq, Eq)]
enum EventPromise {
    /// The event's node was asked to tell when the event triggers. Its answer names this number.
    Asked(u64),
    /// It tells when the event triggers.
    Given,
    /// The event is gone without that.
    Broken,
}

struct AwaitedEvent {
    promise: EventPromise,
    edts: Vec<WaitingSlot>,
}

/// Events of other nodes that EDTs of this node wait for, in a list here.
#[derive(Default)]
pub(crate) struct AwaitedEvents {
    events: HashMap<Guid, AwaitedEvent>,
    /// How many dependences on which events were sent.
    sent: HashMap<Guid, u32>,
    /// The number of the last question.
    asked: u64,
}

impl AwaitedEvents {
    /// A dependence on an event is about to be sent to its node. The number of a question that comes before that: then
    /// many were.
    pub(crate) fn sends(&mut self, event: Guid) -> Option<u64> {
        if self.sent.len() >= MOST_COUNTED && !self.sent.contains_key(&event) {
            self.sent.clear();
        }
        let sent = self.sent.entry(event).or_default();
        *sent = sent.saturating_add(1);
        let are_many = *sent > FEW && (*sent - 1).is_power_of_two();
        if !are_many || self.events.contains_key(&event) {
            return None;
        }
        self.asked += 1;
        self.events.insert(event, AwaitedEvent { promise: EventPromise::Asked(self.asked), edts: Vec::new() });
        Some(self.asked)
    }

    /// The answer to a question: whether the event's node tells when that triggers.
    pub(crate) fn answered(&mut self, event: Guid, number: u64, tells: bool) {
        let Some(awaited) = self.events.get_mut(&event) else { return };
        if awaited.promise != EventPromise::Asked(number) {
            return;
        }
        if tells {
            awaited.promise = EventPromise::Given;
        } else {
            self.events.remove(&event);
        }
    }

    /// Whether EDTs can wait for an event here.
    pub(crate) fn can_wait(&self, event: Guid) -> bool {
        self.events.get(&event).is_some_and(|awaited| awaited.promise == EventPromise::Given)
    }

    /// Has an EDT wait for an event here. False if it cannot.
    pub(crate) fn wait(&mut self, event: Guid, waiting: WaitingSlot) -> bool {
        let awaited = self.events.get_mut(&event).filter(|awaited| awaited.promise == EventPromise::Given);
        awaited.map(|awaited| awaited.edts.push(waiting)).is_some()
    }

    /// An event is gone: nothing is added to what waits for it, which does so in vain unless the event has triggered
    /// before. Then that comes behind this, and [`AwaitedEvents::came`] answers as always.
    pub(crate) fn broken(&mut self, event: Guid) {
        if let Some(awaited) = self.events.get_mut(&event) {
            awaited.promise = EventPromise::Broken;
        }
    }

    /// An event has triggered. What has waited for it here.
    pub(crate) fn came(&mut self, event: Guid) -> Vec<WaitingSlot> {
        self.events.remove(&event).map_or(Vec::new(), |awaited| awaited.edts)
    }

    /// What waits here, each with its event.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Guid, WaitingSlot)> {
        self.events.iter().flat_map(|(&event, awaited)| awaited.edts.iter().map(move |&waiting| (event, waiting)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guid(bits: u64) -> Guid {
        Guid::from_bits(bits)
    }

    fn waiting(edt: u64) -> WaitingSlot {
        (guid(edt), 0, Mode::Ro)
    }

    #[test]
    fn a_stand_in_ends_its_own_list_alone() {
        let mut fans = Fans::default();
        let event = guid(1);
        fans.begin(event, 3, guid(10));
        // Two threads have made one each, and the first is that of the list.
        fans.begin(event, 3, guid(11));
        fans.begin(event, 4, guid(12));
        fans.find(event, 3).expect("it has begun").more.push(waiting(20));
        assert!(fans.end(event, guid(11)).is_none());
        assert!(fans.all().any(|all| all == (guid(10), &[waiting(20)][..])));
        assert_eq!(fans.end(event, guid(10)).map(|fan| fan.more), Some(vec![waiting(20)]));
        assert!(fans.find(event, 3).is_none() && fans.find(event, 4).is_some());
        assert!(fans.end(event, guid(12)).is_some() && fans.0.is_empty());
    }

    #[test]
    fn a_promise_stays_when_its_event_is_destroyed() {
        let mut fans = Fans::default();
        let event = guid(1);
        assert!(fans.promised(event).is_empty());
        fans.begin(event, 3, guid(10));
        fans.begin(event, 4, guid(12));
        fans.find(event, 4).expect("it has begun").is_promised = true;
        assert_eq!(fans.promised(event), [4]);
        // It may have triggered before, and what stands in for that node comes later.
        assert!(fans.end(event, guid(12)).expect("it is there").is_promised);
        assert!(fans.promised(event).is_empty());
    }

    /// Sends dependences up to the question, whose number is the result.
    fn asks(events: &mut AwaitedEvents, event: Guid) -> u64 {
        for _ in 0..FEW {
            assert_eq!(events.sends(event), None);
        }
        events.sends(event).expect("now many were sent")
    }

    #[test]
    fn edts_wait_here_between_the_promise_and_the_message() {
        let mut events = AwaitedEvents::default();
        let event = guid(1);
        let number = asks(&mut events, event);
        assert_eq!(events.sends(event), None);
        assert!(!events.can_wait(event) && !events.wait(event, waiting(20)));
        events.answered(event, number, true);
        assert!(events.can_wait(event) && events.wait(event, waiting(20)));
        assert_eq!(events.all().collect::<Vec<_>>(), [(event, waiting(20))]);
        assert_eq!(events.came(event), [waiting(20)]);
        assert!(!events.wait(event, waiting(21)) && events.came(event).is_empty());
    }

    #[test]
    fn a_promise_that_comes_too_late_has_no_effect() {
        let mut events = AwaitedEvents::default();
        let event = guid(1);
        let first = asks(&mut events, event);
        assert!(events.came(event).is_empty());
        events.sent.clear();
        let second = asks(&mut events, event);
        events.answered(event, first, true);
        assert!(!events.can_wait(event));
        events.answered(event, second, false);
        assert!(events.events.is_empty());
        assert_eq!((FEW + 2..=2 * FEW + 1).filter_map(|_| events.sends(event)).count(), 1, "it asks again");
    }

    #[test]
    fn what_comes_behind_the_end_of_its_event_is_passed_on() {
        let mut events = AwaitedEvents::default();
        let event = guid(1);
        let number = asks(&mut events, event);
        events.answered(event, number, true);
        assert!(events.wait(event, waiting(20)));
        events.broken(event);
        assert!(!events.wait(event, waiting(21)));
        assert_eq!(events.came(event), [waiting(20)]);
    }

    #[test]
    fn nothing_waits_for_an_event_that_is_gone() {
        let mut events = AwaitedEvents::default();
        let event = guid(1);
        let number = asks(&mut events, event);
        events.broken(event);
        events.answered(event, number, true);
        assert!(!events.wait(event, waiting(20)));
    }

    #[test]
    fn few_events_are_counted() {
        let mut events = AwaitedEvents::default();
        for bits in 0..5000 {
            assert_eq!(events.sends(guid(bits)), None);
        }
        assert!(events.sent.len() <= MOST_COUNTED);
    }
}
