//! Models of EDTs that are enqueued on a device behind the one that they wait for (`Graph::take_follower`).

use super::*;

/// A kernel EDT has been enqueued, and the one that waits for it is taken as its follower, or not; then it
/// ends.
fn enqueue_and_end(thread: &mut TestThread<'_>, first: &Edt) -> bool {
    let taken = thread.step(|graph| {
        let taken = graph.take_follower(first, Guid::NULL, |_| true);
        graph.work.runnable.extend(taken.map(|(edt, _)| edt));
        !graph.work.runnable.is_empty()
    });
    thread.ends(first, 7);
    taken
}

/// The kernel fails: the follower, if it was taken, is put back, or goes on where no thread can notify it of the end
/// any more.
fn enqueue_fail_and_end(thread: &mut TestThread<'_>, first: &Edt) {
    thread.step(|graph| {
        let taken = graph.take_follower(first, Guid::NULL, |_| true);
        if let Some((edt, link)) = taken
            && !graph.put_back_follower(first, edt.get(), link)
        {
            graph.work.runnable.push(edt);
        }
    });
    thread.ends(first, 7);
}

/// Meanwhile the follower is destroyed, or the event and then the follower.
#[test]
fn follower_that_is_put_back_against_destruction() {
    for event_too in [false, true] {
        model(move |objects, mut thread| {
            let ((first, output), edt) = (thread.runs(), thread.edt(1));
            thread.connect(output, edt, 0);
            let outcome = both(
                objects,
                move |thread| enqueue_fail_and_end(thread, first),
                |thread| {
                    if event_too {
                        let _ = thread.step(|graph| graph.destroy_event(output));
                    }
                    thread.destroy_edt(edt)
                },
            );
            outcome.served_or_gone(objects, edt, outcome.mine, &followed());
        });
    }
}

/// Meanwhile another dependence on the first is added: both are satisfied with what it returns.
#[test]
fn follower_that_is_put_back_against_another() {
    model(|objects, mut thread| {
        let ((first, output), edt, other) = (thread.runs(), thread.edt(1), thread.edt(1));
        thread.connect(output, edt, 0);
        let outcome = both(
            objects,
            move |thread| enqueue_fail_and_end(thread, first),
            |thread| thread.step(|graph| graph.add_dependence(output, other, 0, Mode::Rw)),
        );
        match outcome.mine {
            Ok(()) => assert_eq!(outcome.served([edt, other]), [data(7); 2]),
            // The first has ended.
            Err(_) => assert_eq!(outcome.served([edt]), [data(7)]),
        }
    });
}

/// What a follower gets: the block that its kernel EDT has returned, which is not there in these models, or what
/// the satisfaction says.
fn followed() -> [Guid; 2] {
    [Guid::NULL, data(7)]
}

/// Meanwhile the one that waits is destroyed: it is freed, or has run.
#[test]
fn follower_against_its_destruction() {
    model(|objects, mut thread| {
        let ((first, output), edt) = (thread.runs(), thread.edt(1));
        thread.connect(output, edt, 0);
        let outcome = both(objects, move |thread| enqueue_and_end(thread, first), |thread| thread.destroy_edt(edt));
        assert!(!(outcome.theirs && outcome.mine));
        outcome.served_or_gone(objects, edt, outcome.mine, &followed());
    });
}

/// Meanwhile another pre-slot of it is satisfied, or its dependence on the first is added: it becomes
/// runnable once, with the data.
#[test]
fn follower_against_what_else_it_waits_for() {
    for connected in [false, true] {
        model(move |objects, mut thread| {
            let ((first, output), edt) = (thread.runs(), thread.edt(1 + connected as u32));
            if connected {
                thread.connect(output, edt, 0);
            }
            let outcome = both(
                objects,
                move |thread| enqueue_and_end(thread, first),
                |thread| match connected {
                    true => thread.step(|graph| graph.add_dependence(Guid::NULL, edt, 1, Mode::Null)),
                    false => thread.step(|graph| graph.add_dependence(output, edt, 0, Mode::Rw)),
                },
            );
            match outcome.mine {
                Ok(()) => assert!(followed().contains(&outcome.served([edt])[0])),
                // The first has ended.
                Err(_) => assert!(!connected && outcome.runnable.is_empty()),
            }
        });
    }
}

/// Meanwhile the output event is destroyed, and then what waited for it: that was taken before or is not
/// connected any more.
#[test]
fn follower_against_destruction_of_the_event() {
    model(|objects, mut thread| {
        let ((first, output), edt) = (thread.runs(), thread.edt(1));
        thread.connect(output, edt, 0);
        let outcome = both(
            objects,
            move |thread| enqueue_and_end(thread, first),
            |thread| {
                let _ = thread.step(|graph| graph.destroy_event(output));
                thread.destroy_edt(edt)
            },
        );
        outcome.served_or_gone(objects, edt, outcome.mine, &followed());
    });
}
