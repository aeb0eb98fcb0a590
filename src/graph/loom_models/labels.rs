//! Models of labels that one EDT leaves to the next.

use super::*;

/// Whether a label names this EDT, which waits.
fn names(objects: &Objects, label: Guid, edt: &Edt) -> bool {
    let named = objects.edts.lock(label);
    named.is_some_and(|(named, locked)| {
        std::ptr::eq(named, edt) && locked.word.state() == EdtState::Waiting
    })
}

/// An EDT that runs ends while the next one is created on its label, which names that one then.
#[test]
fn end_against_the_next_edt_on_the_label() {
    model(|objects, mut test_support| {
        let label = test_support.label();
        let first = test_support
            .edt_on(label, false)
            .expect("the label is free");
        first
            .header
            .publish(first.header.peek().with_state(EdtState::Runnable));
        objects.edts.leave_label(first);
        let outcome = both(
            objects,
            move |test_support| {
                test_support
                    .objects
                    .edts
                    .free(&mut test_support.caches.edts, first);
            },
            |test_support| {
                test_support
                    .edt_on(label, true)
                    .expect("the label was left")
            },
        );
        assert!(names(objects, label, outcome.mine));
    });
}

/// An EDT on a label is destroyed, and the event that it waited for satisfied, while another is created there: it has
/// nothing of that, whether it was too early or not.
#[test]
fn destruction_against_the_next_edt_on_the_label() {
    model(|objects, mut test_support| {
        let (label, event) = (test_support.label(), test_support.event(EventKind::Once));
        test_support
            .edt_on(label, false)
            .expect("the label is free");
        test_support.connect(event, label, 0);
        let outcome = both(
            objects,
            move |test_support| {
                assert!(test_support.destroy_edt(label));
                test_support.satisfy(event, 7);
            },
            |test_support| test_support.edt_on(label, false),
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
    model(|objects, mut test_support| {
        let (label, event) = (test_support.label(), test_support.event(EventKind::Once));
        test_support
            .edt_on(label, false)
            .expect("the label is free");
        let outcome = both(
            objects,
            move |test_support| {
                assert!(test_support.destroy_edt(label));
                test_support
                    .edt_on(label, false)
                    .expect("the label is free again")
            },
            |test_support| {
                test_support.step(|graph| graph.add_dependence(event, label, 0, Mode::Rw))
            },
        );
        let next = outcome.theirs;
        assert!(names(objects, label, next));
        let has_it = !next.slots()[0].is_unconnected();
        assert!(!has_it || outcome.mine.is_ok());
        test_support.satisfy(event, 7);
        assert_eq!(test_support.end().len(), has_it as usize);
    });
}
