use super::*;
use crate::object::arena::CreateOnLabelError;
use crate::object::guid::FIRST_LABEL_GENERATION;
use crate::object::header::Word;
use crate::object::zone::Zone;

fn satisfied(edts: &Edts, caches: &mut EdtCaches, slots: &[(u32, Mode)]) -> &'static Edt {
    let edt = edts.allocate(caches, slots.len() as u32, 0).expect("memory");
    for (slot, &(block, mode)) in edt.slots().iter().zip(slots) {
        let guid = if block == 0 { Guid::NULL } else { Guid::new(Kind::DataBlock, 0, block) };
        slot.satisfy(guid, mode);
    }
    edt.header.publish(Word::new(0, 0, EdtState::Runnable));
    // The arena outlives the test's use of it.
    EdtRef::new(edt).get()
}

#[test]
fn sizes_are_as_planned() {
    assert_eq!(size_of::<Edt>(), 64);
    assert_eq!(size_of::<store::SizedEdt<8>>(), 128);
    assert_eq!(size_of::<PreSlot>(), 16);
}

#[test]
fn blocks_are_ordered_and_duplicates_combined() {
    let edts = Edts::default();
    let mut caches = EdtCaches::default();
    let edt =
        satisfied(&edts, &mut caches, &[(9, Mode::Ro), (3, Mode::Rw), (0, Mode::Rw), (9, Mode::Ew), (3, Mode::Rw)]);
    edt.order_blocks();
    let order: Vec<_> = edt.blocks().map(|(at, slot)| (at, slot.info().mode)).collect();
    assert_eq!(order, [(1, Mode::Rw), (0, Mode::Ew)]);
    assert!(edt.slots()[3].info().duplicate && edt.slots()[4].info().duplicate);
    edts.free(&mut caches, edt);
}

#[test]
fn an_edt_of_any_size_keeps_slots_and_parameters_apart() {
    let edts = Edts::default();
    let mut caches = EdtCaches::default();
    for depc in [0u32, 1, 4, 5, 12, 28, 29, 1000] {
        let edt = edts.allocate(&mut caches, depc, 3).expect("memory");
        edt.paramc.set(3);
        for at in 0..3 {
            // SAFETY: the EDT was allocated with room for three parameters, and only this test
            // knows it.
            unsafe {
                edt.params_ptr().wrapping_add(at).write(u64::MAX - at as u64);
            };
        }
        assert!(edt.slots().iter().all(PreSlot::is_unconnected));
        for (at, slot) in edt.slots().iter().enumerate() {
            slot.satisfy(Guid::new(Kind::DataBlock, 1, 2 * depc - at as u32), Mode::Const);
        }
        assert_eq!(edt.params(), [u64::MAX, u64::MAX - 1, u64::MAX - 2]);
        edt.order_blocks();
        assert_eq!(edt.blocks().count(), depc as usize);
        edt.header.publish(Word::new(edt.guid().generation(), 0, EdtState::Runnable));
        edts.free(&mut caches, edt);
    }
}

#[test]
fn an_edt_is_awaited_if_it_has_an_output_event_or_a_scope() {
    let edts = Edts::default();
    let mut caches = EdtCaches::default();
    let mut check = |depc, has: &dyn Fn(&Edt), awaited: bool| {
        let edt = edts.allocate(&mut caches, depc, 0).expect("memory");
        edt.flags.set(EdtFlags::NONE);
        edt.set_output(Guid::NULL);
        has(edt);
        assert_eq!(edt.is_awaited(), awaited, "{depc} pre-slots");
        edt.header.publish(Word::new(edt.guid().generation(), 0, EdtState::Runnable));
        edts.free(&mut caches, edt);
    };
    let event = Guid::new(Kind::Event, 0, 1);
    for depc in [1, 1000] {
        check(depc, &|_| {}, false);
        check(depc, &|edt| edt.set_output(event), true);
        check(depc, &|edt| edt.flags.set(EdtFlags::FINISH), true);
    }
    let inside = |edt: &Edt| assert!(edt.begin_output().is_some());
    check(1, &inside, true);
}

#[test]
fn an_edt_in_the_last_generation_of_its_slot_ends_as_well() {
    let edts = Edts::default();
    let mut caches = EdtCaches::default();
    let edt = edts.allocate(&mut caches, 1, 0).expect("memory");
    edt.flags.set(EdtFlags::NONE);
    let last = Word::new(FIRST_LABEL_GENERATION - 1, 0, EdtState::Runnable);
    edt.header.publish(last);
    let output = edt.begin_output().expect("a small EDT has it in itself");
    assert!(edts.lock_output(output).is_some());
    let guid = edt.guid();
    edts.free(&mut caches, edt);
    assert!(edts.lock_output(output).is_none());
    let (_, locked) = edts.lock(guid).expect("it is never handed out again");
    assert_eq!(locked.word.state(), EdtState::Zombie);
    drop(locked);
    assert_ne!(edts.allocate(&mut caches, 1, 0).map(Edt::guid), Some(guid));
}

#[test]
fn a_label_names_one_edt_after_the_other() {
    let edts = Edts::default();
    let mut caches = EdtCaches::default();
    let (first, generation) = edts.labels().reserve(1).expect("memory");
    let label = Guid::new(Kind::EdtHuge, generation, first);
    let make = |caches: &mut EdtCaches, alone| {
        let edt = edts.allocate_on(caches, label, alone, 1, 0)?;
        edt.flags.set(EdtFlags::NONE);
        edts.publish_on(edt, edt.header.peek().with_state(EdtState::Waiting));
        Ok::<_, CreateOnLabelError>(edt)
    };
    let named = || edts.lock(label).map(|(edt, _locked)| edt.own_guid());
    let destroyed = make(&mut caches, true).expect("the label is free");
    assert_eq!(destroyed.guid(), label);
    assert_eq!(named(), Some(destroyed.own_guid()));
    assert!(make(&mut caches, true).is_err());
    // An event's list still leads to it.
    edts.end_label(&mut caches, label, destroyed.own_guid());
    assert_eq!(named(), None);
    let begun = make(&mut caches, false).expect("the label is free");
    edts.leave_label(begun);
    assert!(make(&mut caches, false).is_err());
    let next = make(&mut caches, true).expect("the label was left");
    for ended in [destroyed, begun] {
        edts.free(&mut caches, ended);
        assert_eq!(named(), Some(next.own_guid()));
    }
    edts.free(&mut caches, next);
    assert_eq!(named(), None);
}

#[test]
fn modes_combine_to_what_serves_both() {
    assert_eq!(Mode::Const.combined(Mode::Rw), Mode::Ew);
    assert_eq!(Mode::Ro.combined(Mode::Rw), Mode::Rw);
    assert_eq!(Mode::Ro.combined(Mode::Const), Mode::Const);
    assert_eq!(Mode::Null.combined(Mode::Ro), Mode::Ro);
}

#[test]
fn an_edt_that_is_made_for_another_node_has_its_guid_there_and_its_slot_comes_back() {
    let zone = |node| Zone::of(node, 4).expect("there is such a node");
    let (creator, owner) = (Edts::new(zone(1)), Edts::new(zone(3)));
    let (mut at_creator, mut at_owner) = (EdtCaches::default(), EdtCaches::default());
    for depc in [1, 5, 20] {
        let mut before = Guid::NULL;
        for _ in 0..if cfg!(miri) { 40 } else { 200 } {
            let made = creator.lend(&mut at_creator, 3, depc, 2).expect("memory");
            assert!(made != before && zone(3).owns(made) && zone(1).is_lent(made));
            assert!(creator.lock(made).is_none() && owner.lock(made).is_none(), "it is nowhere yet");
            let edt = owner.adopt(made, depc, 2).expect("memory");
            assert!(owner.lock(made).is_none(), "it is not published");
            let output = edt.begin_output().expect("it has room");
            edt.header.publish(edt.header.peek().with_count(depc).with_state(EdtState::Waiting));
            assert_eq!((edt.guid(), output), (made, Guid::output_of(made)));
            assert!(owner.adopt(made, depc, 2).is_err(), "it is here");
            // That looks at all chunks, which takes long in Miri.
            assert!(cfg!(miri) && !before.is_null() || owner.live().any(|(guid, _)| guid == made));
            assert!(owner.lock(made).is_some() && owner.lock_output(output).is_some());
            assert!(owner.remains_of_output(output).is_none());
            owner.free_triggered(&mut at_owner, edt, Guid::NULL);
            assert!(owner.lock(made).is_none(), "it is gone");
            assert_eq!(owner.remains_of_output(output).map(|remains| remains.data), Some(Guid::NULL));
            let gone = owner.take_gone();
            if !gone.is_empty() {
                assert!(gone.len() > 20 && gone.contains(&made) && owner.has_adopted(made));
                // Twice, as it would be where a program used its GUID as a label.
                gone.iter().chain(&gone).for_each(|&made| creator.take_back(&mut at_creator, made));
            }
            before = made;
        }
        // No more slots are used than are told of together, and a block of them.
        assert!(before.index() & !(3 << 30) < 200, "{before}");
    }
    let label = Guid::new(Kind::EdtSmall, zone(1).first_label_generation(), 1 << 30 | 9);
    assert!(owner.adopt(label, 1, 0).is_err(), "a label is no EDT that another node has made");
    assert_eq!(creator.lend(&mut at_creator, 3, 100, 2), None);
}
