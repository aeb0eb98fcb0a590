use super::*;

#[test]
fn parts_of_the_word_do_not_overlap() {
    let word = Word::new((1 << GENERATION_BITS) - 1, COUNT_MAX, TestState::Last);
    assert_eq!(word.generation(), (1 << GENERATION_BITS) - 1);
    assert_eq!(word.count(), COUNT_MAX);
    assert_eq!(word.state(), TestState::Last);
    assert!(!word.is_locked());
}

#[test]
fn generations_end_before_those_of_labels_which_stay() {
    let last = Word::new(FIRST_LABEL_GENERATION - 1, 0, TestState::Live);
    assert!(last.freed().is_none());
    let label = Word::new(FIRST_LABEL_GENERATION, 0, TestState::Live);
    let freed = label.freed().expect("labels are not used up");
    assert_eq!(freed, Word::new(FIRST_LABEL_GENERATION, 0, TestState::Free));
}

#[test]
fn a_label_is_claimed_once() {
    let generation = FIRST_LABEL_GENERATION + 5;
    let header = Header::<TestState>::new();
    let vacant = header.vacant().expect("nothing there");
    assert!(header.is_awaited(generation));
    assert!(header.claim(vacant, generation));
    assert!(!header.claim(vacant, generation));
    assert!(!header.is_vacant());
    assert!(header.lock(generation).is_none(), "not published yet");
    header.publish(header.peek().with_state(TestState::Live));
    assert!(header.vacant().is_none());
    assert!(!header.is_awaited(generation), "there");
    let mut locked = header.lock(generation).expect("there");
    locked.word = locked.word.freed().expect("labels are not used up");
    drop(locked);
    assert!(!header.is_awaited(generation), "had one");
    assert!(header.claim(header.vacant().expect("free again"), generation));
    header.publish(header.peek());
    assert!(header.is_vacant(), "given up");
}

#[test]
fn who_does_not_get_the_lock_leaves_it_to_who_has_it() {
    let header = Header::<TestState>::new();
    header.publish(Word::new(0, 2, TestState::Live));
    let mut locked = header.lock_pinned();
    assert!(header.try_lock_pinned().is_none());
    assert!(header.try_lock_pinned().is_none(), "still locked");
    assert_eq!(locked.count_down(), 1);
    drop(locked);
    assert_eq!(header.try_lock_pinned().map(|it| it.word.count()), Some(1));
}

#[test]
fn a_stale_generation_does_not_lock() {
    let header = Header::<TestState>::new();
    assert!(header.lock(0).is_none(), "the slot is free");
    header.publish(Word::new(3, 0, TestState::Live));
    assert!(header.lock(2).is_none());
    let mut locked = header.lock(3).expect("live and of this generation");
    locked.word = locked.word.freed().expect("generations left");
    drop(locked);
    assert!(header.lock(3).is_none());
    assert_eq!(header.peek(), Word::new(4, 0, TestState::Free));
}
