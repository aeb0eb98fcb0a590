//! What tests and models of this room work with.

use super::{Graph, Worklist};
use crate::object::edt::{Edt, EdtFlags, EdtRef, EdtState, Mode};
use crate::object::event::{EventKind, NewEvent};
use crate::object::guid::Guid;
use crate::object::{Caches, Objects};

/// One thread's part of a runtime, as far as this room needs it.
pub(super) struct TestThread<'a> {
    pub objects: &'a Objects,
    pub caches: Caches,
    work: Worklist,
    runnable: Vec<EdtRef>,
}

impl<'a> TestThread<'a> {
    pub(super) fn new(objects: &'a Objects) -> TestThread<'a> {
        TestThread { objects, caches: Caches::default(), work: Worklist::default(), runnable: Vec::new() }
    }

    /// Takes a step and all that follows from it.
    pub(super) fn step<R>(&mut self, step: impl FnOnce(&mut Graph<'_>) -> R) -> R {
        let mut graph = Graph { objects: self.objects, caches: &mut self.caches, work: &mut self.work };
        let result = step(&mut graph);
        while !graph.work.is_empty() {
            graph.pass_on();
            self.runnable.append(&mut graph.work.runnable);
        }
        result
    }

    /// An EDT with `depc` pre-slots that nothing is connected to.
    pub(super) fn edt(&mut self, depc: u32) -> Guid {
        self.edt_with(depc, |_| {}).guid()
    }

    /// A new EDT that `begin` may prepare to be connected, or give an output event in its slot.
    pub(super) fn edt_with(&mut self, depc: u32, begin: impl FnOnce(&Edt)) -> &'a Edt {
        let edt = self.objects.edts.allocate(&mut self.caches.edts, depc, 0);
        let edt = edt.expect("memory");
        edt.set_output(Guid::NULL);
        edt.flags.set(EdtFlags::NONE);
        begin(edt);
        let word = edt.header.peek().with_count(depc);
        edt.header.publish(word.with_state(EdtState::Waiting));
        edt
    }

    /// An event that needs nothing but its kind.
    pub(super) fn event(&mut self, kind: EventKind) -> Guid {
        self.event_of(NewEvent::Plain { kind, counter: 0 })
    }

    pub(super) fn event_of(&mut self, new: NewEvent) -> Guid {
        let event = self.objects.events.create(&mut self.caches.events, new);
        event.expect("memory")
    }

    pub(super) fn connect(&mut self, event: Guid, edt: Guid, slot: u32) {
        self.step(|graph| graph.add_dependence(event, edt, slot, Mode::Rw)).expect("both are there");
    }

    /// What has become runnable in this thread's hands.
    pub(super) fn end(mut self) -> Vec<EdtRef> {
        self.objects.drain(&mut self.caches);
        self.runnable
    }
}
