//! Models of labels that one EDT leaves to the next.

use super::*;

/// Whether a label names this EDT, which waits.
fn names(objects: &Objects, label: Guid, edt: &Edt) -> bool {
    let named = objects.edts.lock(label);
    named.is_some_and(|(named, locked)| std::ptr::eq(named, edt) && locked.word.state() == EdtState::Waiting)
}

/// An EDT that runs ends while the next one is created on its label, which names that one then.
#[test]
fn end_against_the_next_edt_on_the_label() {
    model(|objects, mut thread| {
        let label = thread.label();
        let first = thread.edt_on(label, false).expect("the label is free");
        first.header.publish(first.header.peek().with_state(EdtState::Runnable));
        objects.edts.leave_label(first);
        let outcome = both(
            objects,
            move |thread| {
                thread.objects.edts.free(&mut thread.caches.edts, first);
            },
            |thread| thread.edt_on(label, true).expect("the label was left"),
        );
        assert!(names(objects, label, outcome.mine));
    });
}

/// An EDT on a label is destroyed, and the event that it waited for satisfied, while another is created there: it has
/// nothing of that, whether it was too early or not.
#[test]
fn destruction_against_the_next_edt_on_the_label() {
    model(|objects, mut thread| {
        let (label, event) = (thread.label(), thread.event(EventKind::Once));
        thread.edt_on(label, false).expect("the label is free");
        thread.connect(event, label, 0);
        let outcome = both(
            objects,
            move |thread| {
                assert!(thread.destroy_edt(label));
                thread.satisfy(event, 7);
            },
            |thread| thread.edt_on(label, false),
        );
        assert!(outcome.runnable.is_empty());
        match outcome.mine {
            Some(next) => assert!(names(objects, label, next) && next.slots()[0].is_unconnected()),
            None => assert!(objects.edts.lock(label).is_none()),
        }
    });
}

/// A dependence of the EDT on a label is added while that is destroyed and the next one created: one of them has it,
/// or none.
#[test]
fn dependence_against_the_next_edt_on_the_label() {
    model(|objects, mut thread| {
        let (label, event) = (thread.label(), thread.event(EventKind::Once));
        thread.edt_on(label, false).expect("the label is free");
        let outcome = both(
            objects,
            move |thread| {
                assert!(thread.destroy_edt(label));
                thread.edt_on(label, false).expect("the label is free again")
            },
            |thread| thread.step(|graph| graph.add_dependence(event, label, 0, Mode::Rw)),
        );
        let next = outcome.theirs;
        assert!(names(objects, label, next));
        let has_it = !next.slots()[0].is_unconnected();
        assert!(!has_it || outcome.mine.is_ok());
        thread.satisfy(event, 7);
        assert_eq!(thread.end().len(), has_it as usize);
    });
}
