//! Threads that work on one graph at a time, on the real objects. Small where an interpreter runs it
//! (`make miri`), which looks for data races and follows every pointer.

use super::test_support::TestThread;
use crate::object::Objects;
use crate::object::edt::{EdtRef, Mode};
use crate::object::event::{EventKind, NewEvent};
use crate::object::guid::Guid;
use std::sync::Barrier;
use std::thread;

const GRAPHS: usize = if cfg!(miri) { 3 } else { 200 };
const EDTS: usize = if cfg!(miri) { 5 } else { 200 };
const KINDS: [EventKind; 3] = [EventKind::Once, EventKind::Sticky, EventKind::Idempotent];

/// Each EDT waits for an event, for one behind another, and for nothing; these are connected,
/// linked, and satisfied by three threads at once. Each becomes runnable once.
#[test]
fn an_edt_becomes_runnable_once_whoever_comes_first() {
    let objects = Objects::default();
    for kind in (0..GRAPHS).map(|graph| KINDS[graph % KINDS.len()]) {
        let mut maker = TestThread::new(&objects);
        let edts: Vec<Guid> = (0..EDTS).map(|_| maker.edt(3)).collect();
        // A once event goes when it triggers, and its GUID with it: it is connected before.
        let first: Vec<Guid> = (0..EDTS).map(|_| maker.event(kind)).collect();
        let second: Vec<Guid> = (0..EDTS).map(|_| maker.event(EventKind::Sticky)).collect();
        if kind == EventKind::Once {
            for (&edt, &event) in edts.iter().zip(&first) {
                maker.connect(event, edt, 0);
            }
        }
        let start = Barrier::new(3);
        let go = |work: &(dyn Fn(&mut TestThread<'_>) + Sync)| {
            let mut thread = TestThread::new(&objects);
            start.wait();
            work(&mut thread);
            thread.end()
        };
        let connects = |thread: &mut TestThread<'_>| {
            for (at, &edt) in edts.iter().enumerate() {
                if kind != EventKind::Once {
                    thread.connect(first[at], edt, 0);
                }
                let connected = thread.step(|graph| graph.add_dependence(second[at], edt, 1, Mode::Null));
                connected.expect("both are there");
            }
        };
        let links = |thread: &mut TestThread<'_>| {
            for (&edt, &event) in edts.iter().zip(&second) {
                let source = thread.event(EventKind::Sticky);
                let linked = thread.step(|graph| {
                    graph.add_dependence(source, event, 0, Mode::Rw)?;
                    graph.satisfy_event(source, false, Guid::NULL)
                });
                linked.expect("both are there");
                thread.step(|graph| graph.destroy_event(source)).expect("it is there");
                thread.step(|graph| graph.add_dependence(Guid::NULL, edt, 2, Mode::Null)).expect("it is there");
            }
        };
        let satisfies = |thread: &mut TestThread<'_>| {
            for &event in &first {
                thread.step(|graph| graph.satisfy_event(event, false, Guid::NULL)).expect("it is there");
            }
        };
        let mut runnable: Vec<EdtRef> = thread::scope(|scope| {
            let threads = [scope.spawn(|| go(&connects)), scope.spawn(|| go(&links)), scope.spawn(|| go(&satisfies))];
            let ended = threads.map(|thread| thread.join().expect("no panic"));
            ended.into_iter().flatten().collect()
        });
        let mut seen: Vec<Guid> = runnable.iter().map(|edt| edt.get().guid()).collect();
        let mut all = edts.clone();
        seen.sort();
        all.sort();
        assert_eq!(seen, all);
        for edt in runnable.drain(..) {
            objects.edts.free(&mut maker.caches.edts, edt.get());
        }
        for event in first.into_iter().chain(second) {
            let _ = maker.step(|graph| graph.destroy_event(event));
        }
        assert_eq!(objects.edts.live().count(), 0);
        assert_eq!(objects.events.live().count(), 0);
        maker.end();
    }
}

/// Each EDT waits twice for one event, which serves two: a counted one, or a channel, which is satisfied as often.
/// Two threads connect, and a third satisfies. Each EDT becomes runnable once, a counted event is gone then, and a
/// channel holds nothing.
#[test]
fn counted_and_channel_events_serve_whoever_comes_first() {
    let objects = Objects::default();
    for graph in 0..GRAPHS {
        let counted = graph % 2 == 0;
        let new = || {
            if counted { NewEvent::Counted { dependences: 2 } } else { NewEvent::Channel { bound: 2 } }
        };
        let mut maker = TestThread::new(&objects);
        let edts: Vec<Guid> = (0..EDTS).map(|_| maker.edt(3)).collect();
        let events: Vec<Guid> = (0..EDTS).map(|_| maker.event_of(new())).collect();
        let start = Barrier::new(3);
        let go = |work: &(dyn Fn(&mut TestThread<'_>, Guid, Guid) + Sync)| {
            let mut thread = TestThread::new(&objects);
            start.wait();
            for (&edt, &event) in edts.iter().zip(&events) {
                work(&mut thread, edt, event);
            }
            thread.end()
        };
        let connects = |thread: &mut TestThread<'_>, edt, event, slot| {
            thread.connect(event, edt, slot);
        };
        let satisfies = |thread: &mut TestThread<'_>, edt, event| {
            for _ in 0..if counted { 1 } else { 2 } {
                thread.step(|graph| graph.satisfy_event(event, false, Guid::NULL)).expect("it is there");
            }
            thread.step(|graph| graph.add_dependence(Guid::NULL, edt, 2, Mode::Null)).expect("it is there");
        };
        let runnable: Vec<EdtRef> = thread::scope(|scope| {
            let threads = [
                scope.spawn(|| go(&|thread, edt, event| connects(thread, edt, event, 0))),
                scope.spawn(|| go(&|thread, edt, event| connects(thread, edt, event, 1))),
                scope.spawn(|| go(&satisfies)),
            ];
            let ended = threads.map(|thread| thread.join().expect("no panic"));
            ended.into_iter().flatten().collect()
        });
        let mut seen: Vec<Guid> = runnable.iter().map(|edt| edt.get().guid()).collect();
        let mut all = edts.clone();
        seen.sort();
        all.sort();
        assert_eq!(seen, all);
        for edt in runnable {
            objects.edts.free(&mut maker.caches.edts, edt.get());
        }
        for &event in events.iter().filter(|_| !counted) {
            let (channel, locked) = objects.events.lock(event).expect("channels stay");
            assert_eq!(channel.counter.get(), 0);
            drop(locked);
            maker.step(|graph| graph.destroy_event(event)).expect("it is there");
        }
        assert_eq!(objects.edts.live().count(), 0);
        assert_eq!(objects.events.live().count(), 0);
        maker.end();
    }
}
