use super::*;
use crate::object::edt::EdtState;
use crate::object::event::EventKind;
use crate::object::guid::Kind;
use crate::object::link::Link;
use crate::object::{Caches, Objects};

#[test]
fn a_mark_is_no_other_word() {
    let block = Guid::new(Kind::DataBlock, 7, 9);
    for data in [block, Guid::NULL] {
        assert_eq!(data_in(mark(data)), Some(data));
        assert_eq!(data_in(data.bits()), None);
    }
    let kinds = (1..15).filter_map(Kind::of_number);
    for word in kinds.filter(|kind| kind.is_event() || kind.is_edt()) {
        assert_eq!(data_in(Guid::new(word, 7, 9).bits()), None);
    }
    for word in [Guid::ERROR, Guid::UNINITIALIZED] {
        assert_eq!(data_in(word.bits()), None);
    }
    assert_eq!(data_in(1 << 63 | Link::END.bits()), None);
}

#[test]
fn an_event_that_has_triggered_is_known_until_its_slot_is_used_anew() {
    let (objects, mut caches) = (Objects::default(), Caches::default());
    let block = Guid::new(Kind::DataBlock, 7, 9);
    let events = &objects.events;
    for kind in [EventKind::Once, EventKind::Latch] {
        let event = events.create_plain(&mut caches.events, kind, 0).expect("memory");
        assert!(objects.remains_of(event).is_none(), "it has not triggered");
        let (slot, locked) = events.lock(event).expect("it exists");
        events.trigger(&mut caches.events, (slot, locked), block, std::ptr::null());
        let remains = objects.remains_of(event).expect("known");
        assert!(remains.data == block && remains.by.is_none());
        let next = events.create_plain(&mut caches.events, kind, 0).expect("memory");
        assert_eq!(next.index(), event.index());
        assert!(objects.remains_of(event).is_none(), "another event is there");
        let (slot, locked) = events.lock(next).expect("it exists");
        events.free(&mut caches.events, slot, locked);
        assert!(objects.remains_of(next).is_none(), "it was destroyed");
        assert!(objects.remains_of(event).is_none(), "another event was there");
    }
}

#[test]
fn an_output_event_that_has_triggered_is_known_until_its_slot_is_used_anew() {
    let (objects, mut caches) = (Objects::default(), Caches::default());
    let block = Guid::new(Kind::DataBlock, 7, 9);
    let edts = &objects.edts;
    let mut before = None;
    for data in [block, Guid::NULL] {
        let edt = edts.allocate(&mut caches.edts, 1, 0).expect("memory");
        let output = edt.begin_output().expect("it fits");
        edt.header.publish(edt.header.peek().with_state(EdtState::Runnable));
        assert!(before.is_none_or(|before| objects.remains_of(before).is_none()));
        assert!(objects.remains_of(output).is_none(), "it has not triggered");
        edts.free_triggered(&mut caches.edts, edt, data);
        let remains = objects.remains_of(output).expect("known");
        assert!(remains.data == data && remains.by.is_none());
        before = Some(output);
    }
    // The program destroys the output event before the EDT ends.
    let edt = edts.allocate(&mut caches.edts, 1, 0).expect("memory");
    let output = edt.begin_output().expect("it fits");
    edt.header.publish(edt.header.peek().with_state(EdtState::Runnable));
    edt.take_waiting();
    edts.free_triggered(&mut caches.edts, edt, block);
    assert!(objects.remains_of(output).is_none(), "it was destroyed");
}
