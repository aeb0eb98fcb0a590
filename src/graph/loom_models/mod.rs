//! Models of what happens between EDTs and events, run by `loom` through every interleaving of the operations on their
//! headers. The functions are the real ones, on real objects. What a header guards is not known to `loom`: that no
//! thread touches it without the lock is for the interpreter to see, which runs the same functions in
//! `thread_tests.rs`.

mod followers;
mod labels;

use super::NewSlots;
use super::test_support::TestThread;
use crate::object::Objects;
use crate::object::edt::{Edt, EdtFlags, EdtRef, EdtState, Mode};
use crate::object::event::{EventKind, NewEvent};
use crate::object::guid::{Guid, Kind};
use std::sync::Arc;

/// A data block that no EDT asks for.
fn data(number: u32) -> Guid {
    Guid::new(Kind::DataBlock, 0, number)
}

/// What came of a model.
struct Outcome<A, B> {
    theirs: A,
    mine: B,
    runnable: Vec<EdtRef>,
}

/// Has two threads work on the graph. For `loom` it matters which is the new one: of the last reads of an atomic by
/// several threads it remembers one.
fn both<A: 'static, B>(
    objects: &Arc<Objects>,
    theirs: impl FnOnce(&mut TestThread<'_>) -> A + 'static,
    mine: impl FnOnce(&mut TestThread<'_>) -> B,
) -> Outcome<A, B> {
    let other = objects.clone();
    let spawned = loom::thread::spawn(move || {
        let mut thread = TestThread::new(&other);
        (theirs(&mut thread), thread.end())
    });
    let mut thread = TestThread::new(objects);
    let mine = mine(&mut thread);
    let (theirs, mut runnable) = spawned.join().expect("no panic");
    runnable.append(&mut thread.end());
    Outcome { theirs, mine, runnable }
}

impl<A, B> Outcome<A, B> {
    /// What the first pre-slot of each of these was satisfied with. They became runnable once, and nothing else did.
    fn served<const N: usize>(&self, edts: [Guid; N]) -> [Guid; N] {
        assert_eq!(self.runnable.len(), N);
        edts.map(|guid| {
            let edt = self.runnable.iter().find(|edt| edt.get().guid() == guid);
            edt.expect("it became runnable").get().slots()[0].data()
        })
    }

    /// The EDT became runnable, with this data, or was destroyed and is gone.
    fn served_or_gone(&self, objects: &Objects, edt: Guid, in_time: bool, with: &[Guid]) {
        if in_time {
            assert!(self.runnable.is_empty());
            assert!(objects.edts.lock(edt).is_none());
        } else {
            let [served] = self.served([edt]);
            assert!(with.contains(&served), "{served}");
        }
    }
}

/// Explores a model, which begins with no objects.
fn model(run: impl Fn(&Arc<Objects>, TestThread<'_>) + Sync + Send + 'static) {
    check(None, run);
}

/// Runs a model in which no thread is interrupted more than four times: there are millions of interleavings.
fn few_switches(run: impl Fn(&Arc<Objects>, TestThread<'_>) + Sync + Send + 'static) {
    check(Some(4), run);
}

fn check(interruptions: Option<usize>, run: impl Fn(&Arc<Objects>, TestThread<'_>) + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = interruptions;
    builder.check(move || {
        // Made by a thread that has room for them on its stack.
        let maker = loom::thread::Builder::new().stack_size(1 << 16);
        let made = maker.spawn(|| Arc::new(Objects::default()));
        let objects = made.expect("a thread").join().expect("no panic");
        run(&objects, TestThread::new(&objects));
    });
}

/// An EDT whose creator connects it.
struct NewEdt {
    guid: Guid,
    edt: &'static Edt,
    slots: NewSlots,
}

impl TestThread<'_> {
    fn satisfy(&mut self, event: Guid, number: u32) {
        // This satisfies as the end of an EDT does, which asks for no block that is there.
        let _ = self.step(|graph| graph.pass_to_event(event, false, data(number)));
    }

    fn destroy_edt(&mut self, edt: Guid) -> bool {
        self.step(|graph| graph.destroy_edt(edt)).is_ok()
    }

    /// An EDT that others can know, with pre-slots that its creator is still to connect to these events.
    fn edt_behind(&mut self, events: &[Guid]) -> NewEdt {
        let mut slots = None;
        let edt = self.edt_with(events.len() as u32, |edt| {
            slots = Some(NewSlots::begin(edt, events).1);
        });
        let guid = edt.guid();
        let edt = EdtRef::new(edt).get();
        let slots = slots.expect("it has begun");
        NewEdt { guid, edt, slots }
    }

    /// What the creator does then (`Context::connect_all`). False where an event is not there.
    fn link(&mut self, mut new: NewEdt) -> bool {
        if self.step(|graph| graph.link_all(new.edt, &mut new.slots)).is_ok() {
            return true;
        }
        self.step(|graph| graph.unlink_all(new.edt, &mut new.slots));
        false
    }

    /// An EDT that runs, with its output event in it.
    fn runs(&mut self) -> (&'static Edt, Guid) {
        let edt = self.edt_with(0, |edt| {
            let _ = edt.begin_output();
        });
        edt.header.publish(edt.header.peek().with_state(EdtState::Runnable));
        // The objects outlive what a model does with it.
        (EdtRef::new(edt).get(), Guid::output_of(edt.guid()))
    }

    /// Reserves a label for EDTs.
    fn label(&self) -> Guid {
        let (first, generation) = self.objects.edts.labels().reserve(1).expect("memory");
        Guid::new(Kind::EdtHuge, generation, first)
    }

    /// An EDT with one pre-slot on a label, if that is free; its creator may say that it is alone.
    fn edt_on(&mut self, label: Guid, alone: bool) -> Option<&'static Edt> {
        let edts = &self.objects.edts;
        let edt = edts.allocate_on(&mut self.caches.edts, label, alone, 1, 0);
        let edt = edt.ok()?;
        edt.set_output(Guid::NULL);
        edt.flags.set(EdtFlags::NONE);
        let word = edt.header.peek().with_count(1);
        edts.publish_on(edt, word.with_state(EdtState::Waiting));
        Some(EdtRef::new(edt).get())
    }

    fn ends(&mut self, edt: &Edt, number: u32) {
        self.step(|graph| graph.end_with_output(edt, data(number)));
    }
}

/// An EDT is created with a pre-slot connected to a sticky event that another thread satisfies
/// meanwhile: it becomes runnable exactly once, with the data, whichever comes first.
#[test]
fn creation_against_satisfaction() {
    model(|objects, mut thread| {
        let event = thread.event(EventKind::Sticky);
        let new = thread.edt_behind(&[event]);
        let edt = new.guid;
        let outcome = both(objects, move |thread| thread.satisfy(event, 7), |thread| thread.link(new));
        assert!(outcome.mine);
        assert_eq!(outcome.served([edt]), [data(7)]);
    });
}

/// A thread adds a dependence late and satisfies the event, which another satisfies meanwhile: one
/// satisfaction counts, and the dependence is served with its data.
#[test]
fn late_dependence_against_two_satisfactions() {
    model(|objects, mut thread| {
        let event = thread.event(EventKind::Sticky);
        let edt = thread.edt(1);
        let outcome = both(
            objects,
            move |thread| thread.satisfy(event, 1),
            |thread| {
                thread.connect(event, edt, 0);
                thread.satisfy(event, 2);
            },
        );
        let (sticky, _locked) = objects.events.lock(event).expect("a sticky event stays");
        assert_eq!(outcome.served([edt]), [sticky.data()]);
    });
}

/// A waiting EDT is destroyed while its event is satisfied: it becomes runnable or is freed, never
/// both and never neither.
#[test]
fn destruction_against_satisfaction() {
    for kind in [EventKind::Once, EventKind::Sticky] {
        model(move |objects, mut thread| {
            let (event, edt) = (thread.event(kind), thread.edt(1));
            thread.connect(event, edt, 0);
            let outcome = both(objects, move |thread| thread.satisfy(event, 7), |thread| thread.destroy_edt(edt));
            outcome.served_or_gone(objects, edt, outcome.mine, &[data(7)]);
        });
    }
}

/// An EDT whose pre-slot is about to be linked is destroyed: it is freed when that is done and the
/// event has been satisfied, or runs.
#[test]
fn destruction_against_creation() {
    model(|objects, mut thread| {
        let event = thread.event(EventKind::Sticky);
        let new = thread.edt_behind(&[event]);
        let edt = new.guid;
        let outcome = both(
            objects,
            move |thread| thread.destroy_edt(edt),
            |thread| {
                assert!(thread.link(new));
                thread.satisfy(event, 7);
            },
        );
        outcome.served_or_gone(objects, edt, outcome.theirs, &[data(7)]);
    });
}

/// An EDT is connected to two events while these are satisfied.
#[test]
fn creation_against_two_satisfactions() {
    few_switches(|objects, mut thread| {
        let events = [thread.event(EventKind::Sticky), thread.event(EventKind::Once)];
        let new = thread.edt_behind(&events);
        let edt = new.guid;
        let outcome = both(
            objects,
            // The once event goes when it triggers, and is there for a thread that connects to it before.
            move |thread| thread.satisfy(events[0], 1),
            |thread| {
                assert!(thread.link(new));
                thread.satisfy(events[1], 2);
            },
        );
        assert_eq!(outcome.served([edt]), [data(1)]);
        assert_eq!(outcome.runnable[0].get().slots()[1].data(), data(2));
    });
}

/// An EDT is destroyed by another thread while its creator connects it to two events, one of which is not there: so the
/// creator destroys it, too, as it does when a dependence is refused. It is freed once.
#[test]
fn destruction_against_a_creation_that_fails() {
    for missing in [0, 1] {
        few_switches(move |objects, mut thread| {
            let events = [thread.event(EventKind::Sticky), thread.event(EventKind::Sticky)];
            let gone = thread.step(|graph| graph.destroy_event(events[missing]));
            assert!(gone.is_ok());
            let new = thread.edt_behind(&events);
            let edt = new.guid;
            let outcome = both(
                objects,
                move |thread| thread.destroy_edt(edt),
                |thread| {
                    assert!(!thread.link(new));
                    let destroyed = thread.destroy_edt(edt);
                    // A list may still lead to it.
                    thread.satisfy(events[1 - missing], 7);
                    destroyed
                },
            );
            assert!(outcome.theirs != outcome.mine, "one of them has destroyed it");
            assert!(outcome.runnable.is_empty());
            assert!(objects.edts.live().next().is_none(), "it is freed");
        });
    }
}

/// An event is destroyed while a dependence on it is added and then another: what came before is unconnected
/// again, what comes after is refused.
#[test]
fn dependence_against_destruction_of_the_event() {
    model(|objects, mut thread| {
        let (event, edt) = (thread.event(EventKind::Sticky), thread.edt(1));
        let outcome = both(
            objects,
            move |thread| thread.step(|graph| graph.destroy_event(event)).is_ok(),
            |thread| {
                let _ = thread.step(|graph| graph.add_dependence(event, edt, 0, Mode::Rw));
            },
        );
        assert!(outcome.theirs && outcome.runnable.is_empty());
        let (edt, locked) = objects.edts.lock(edt).expect("it waits");
        assert_eq!((locked.word.state(), locked.word.count()), (EdtState::Waiting, 1));
        assert!(edt.slots()[0].is_unconnected());
    });
}

/// An EDT ends, and with it the output event that is in it, while a dependence on the event is
/// added: that is served, or finds that the event is gone; also if the slot is used again.
#[test]
fn output_inside_against_late_dependence() {
    model(|objects, mut thread| {
        let ((first, output), edt) = (thread.runs(), thread.edt(1));
        let outcome = both(
            objects,
            move |thread| {
                thread.ends(first, 7);
                let (again, _) = thread.runs();
                assert!(std::ptr::eq(first, again), "the slot that was freed last");
                again
            },
            |thread| thread.step(|graph| graph.add_dependence(output, edt, 0, Mode::Rw)),
        );
        match outcome.mine {
            Ok(()) => assert_eq!(outcome.served([edt]), [data(7)]),
            Err(_) => assert!(outcome.runnable.is_empty()),
        }
        let again = outcome.theirs;
        let locked = objects.edts.lock_output(Guid::output_of(again.guid()));
        let (.., waiting) = locked.expect("it runs");
        assert_eq!(waiting, crate::object::link::Link::END);
    });
}

/// Two threads add dependences to a counted event for two, and one of them satisfies it between or
/// after: both dependences are served once, and the event is freed once, by the last of the three.
#[test]
fn counted_dependences_against_satisfaction() {
    for satisfied_last in [false, true] {
        model(move |objects, mut thread| {
            let event = thread.event_of(NewEvent::Counted { dependences: 2 });
            let edts = [thread.edt(1), thread.edt(1)];
            let outcome = both(
                objects,
                move |thread| thread.connect(event, edts[0], 0),
                |thread| {
                    if satisfied_last {
                        thread.connect(event, edts[1], 0);
                    }
                    thread.satisfy(event, 7);
                    if !satisfied_last {
                        thread.connect(event, edts[1], 0);
                    }
                },
            );
            assert_eq!(outcome.served(edts), [data(7); 2]);
            assert!(objects.events.lock(event).is_none());
        });
    }
}

/// One thread satisfies a channel twice, another adds two dependences: first meets first.
#[test]
fn a_channel_keeps_the_order_of_both_sides() {
    few_switches(|objects, mut thread| {
        let event = thread.event_of(NewEvent::Channel { bound: 2 });
        let edts = [thread.edt(1), thread.edt(1)];
        let outcome = both(
            objects,
            move |thread| {
                thread.satisfy(event, 1);
                thread.satisfy(event, 2);
            },
            |thread| edts.map(|edt| thread.connect(event, edt, 0)),
        );
        assert_eq!(outcome.served(edts), [data(1), data(2)]);
    });
}

/// Two threads satisfy a channel and add a dependence: each dependence gets one of the blocks.
#[test]
fn a_channel_loses_and_doubles_nothing() {
    few_switches(|objects, mut thread| {
        let event = thread.event_of(NewEvent::Channel { bound: 2 });
        let edts = [thread.edt(1), thread.edt(1)];
        let outcome = both(
            objects,
            move |thread| {
                thread.connect(event, edts[0], 0);
                thread.satisfy(event, 1);
            },
            |thread| {
                thread.satisfy(event, 2);
                thread.connect(event, edts[1], 0);
            },
        );
        let mut served = outcome.served(edts);
        served.sort();
        assert_eq!(served, [data(1), data(2)]);
    });
}
