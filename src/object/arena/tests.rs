use super::*;
use crate::object::arena::LabelTakenError;
use crate::object::guid::{FIRST_LABEL_GENERATION, Guid, Kind};
use crate::object::header::TestState;
use crate::object::zone::is_made_for_other;
use std::collections::HashSet;

#[repr(C, align(64))]
pub(super) struct Thing {
    header: Header<TestState>,
}

// SAFETY: zero is free; 64 bytes; the fields are fixed.
unsafe impl Slot for Thing {
    type State = TestState;

    fn header(&self) -> &Header<TestState> {
        &self.header
    }
}

fn create(arena: &Arena<Thing>, cache: &mut Cache) -> u32 {
    let (index, slot) = arena.allocate(cache).expect("memory");
    let word = slot.header.peek();
    assert_eq!(word.state(), TestState::Free, "slot {index} handed out twice");
    slot.header.publish(word.with_state(TestState::Live));
    index
}

fn destroy(arena: &Arena<Thing>, cache: &mut Cache, index: u32) {
    let mut locked = arena.slot(index).header.lock_pinned();
    let freed = locked.word.freed().expect("generations left");
    locked.word = freed;
    drop(locked);
    arena.free(cache, freed, index);
}

#[test]
fn slots_are_handed_out_once_and_come_back() {
    let arena = Arena::<Thing>::default();
    let (mut a, mut b) = (Cache::default(), Cache::default());
    let count = 10 * BATCH as u32;
    let mut live: Vec<u32> = (0..count).map(|_| create(&arena, &mut a)).collect();
    assert_eq!(live.iter().collect::<HashSet<_>>().len(), count as usize);
    assert_eq!(arena.live().count(), count as usize);
    // Freed by another thread's cache, created again from the first: nothing new is needed.
    for index in live.drain(..) {
        destroy(&arena, &mut b, index);
    }
    arena.drain(&mut b);
    let before = arena.depot.lock().fresh;
    let again: Vec<u32> = (0..count).map(|_| create(&arena, &mut a)).collect();
    assert_eq!(again.iter().collect::<HashSet<_>>().len(), count as usize);
    assert_eq!(arena.depot.lock().fresh, before);
}

#[test]
fn neighbours_come_together_again() {
    let arena = Arena::<Thing>::default();
    let mut caches = [Cache::default(), Cache::default()];
    // All of a block but slot 0, and some more.
    let all = if cfg!(miri) { 5 } else { 41 };
    let count = all * BLOCK - 1;
    let mut live: Vec<u32> = (0..count).map(|_| create(&arena, &mut caches[0])).collect();
    assert!(live.is_sorted());
    // A step that has no divisor in common with the length.
    for i in 0..count as usize {
        let victim = live[i * 1009 % live.len()];
        destroy(&arena, &mut caches[i % 2], victim);
    }
    caches.iter_mut().for_each(|cache| arena.drain(cache));
    live = (0..count).map(|_| create(&arena, &mut caches[0])).collect();
    let blocks = live.chunk_by(|a, b| a + 1 == *b && !b.is_multiple_of(BLOCK));
    assert_eq!(blocks.count() as u32, all);
}

#[test]
fn slots_that_are_no_neighbours_come_many_at_a_time() {
    let arena = Arena::<Thing>::default();
    let (mut a, mut b) = (Cache::default(), Cache::default());
    // All of a block but slot 0, and 40 blocks; one slot of each is freed.
    let live: Vec<u32> = (1..41 * BLOCK).map(|_| create(&arena, &mut a)).collect();
    for &index in live.iter().filter(|&index| index % BLOCK == 1) {
        destroy(&arena, &mut b, index);
    }
    arena.drain(&mut b);
    create(&arena, &mut a);
    let left = a.len() + a.rest.bits.count_ones();
    assert_eq!(1 + left, BLOCK / 2);
}

#[test]
fn any_order_of_taking_and_returning_keeps_slots_apart() {
    let arena = Arena::<Thing>::default();
    let mut caches = [Cache::default(), Cache::default(), Cache::default()];
    let mut live = Vec::new();
    let mut random = 12345u32;
    for _ in 0..if cfg!(miri) { 3_000 } else { 100_000 } {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let cache = &mut caches[(random >> 8) as usize % 3];
        if live.is_empty() || random >> 30 != 0 && live.len() < 3000 {
            live.push(create(&arena, cache));
        } else {
            let victim = live.swap_remove((random >> 12) as usize % live.len());
            destroy(&arena, cache, victim);
        }
    }
    assert_eq!(arena.live().count(), live.len());
    assert_eq!(live.iter().collect::<HashSet<_>>().len(), live.len());
}

#[test]
fn unknown_indices_are_none() {
    let arena = Arena::<Thing>::default();
    assert!(arena.get(0).is_none());
    assert!(arena.get(u32::MAX).is_none());
}

/// As [`Thing`], of which something is read when it is gone.
#[repr(C, align(64))]
struct ThingWithRemains(Header<TestState>);

// SAFETY: zero is free; 64 bytes; the fields are fixed.
unsafe impl Slot for ThingWithRemains {
    const HAS_REMAINS: bool = true;

    type State = TestState;

    fn header(&self) -> &Header<TestState> {
        &self.0
    }
}

#[test]
fn a_slot_is_used_anew_when_as_many_others_as_wanted_were_freed_after_it() {
    for keep in [0, 1, BATCH, 5 * BATCH + 1] {
        let arena = Arena::<ThingWithRemains>::default();
        let mut cache = Cache::keeping(keep);
        let mut freed_at = std::collections::HashMap::new();
        let (mut freed, mut anew) = (0_usize, 0);
        let mut live = std::collections::VecDeque::new();
        for step in 0..if cfg!(miri) { 4 * BATCH + 2 * keep } else { 40 * BATCH + 20 * keep } {
            let (index, slot) = arena.allocate(&mut cache).expect("memory");
            let word = slot.header().peek();
            assert_eq!(word.state(), TestState::Free, "slot {index} handed out twice");
            slot.header().publish(word.with_state(TestState::Live));
            if let Some(at) = freed_at.remove(&index) {
                assert!(freed - at >= keep, "{} others were freed", freed - at);
                anew += 1;
            }
            live.push_back(index);
            // Some rounds end more than one object.
            while live.len() > 1 + step % 3 {
                let index = live.pop_front().expect("there are some");
                let mut locked = arena.slot(index).header().lock_pinned();
                let word = locked.word.freed().expect("generations left");
                locked.word = word;
                drop(locked);
                arena.free(&mut cache, word, index);
                freed += 1;
                freed_at.insert(index, freed);
            }
        }
        assert!(anew > keep, "slots are used anew");
        arena.drain(&mut cache);
        let mut other = Cache::default();
        let before = arena.depot.lock().fresh;
        (0..freed_at.len()).for_each(|_| {
            arena.allocate(&mut other).expect("memory");
        });
        assert_eq!(arena.depot.lock().fresh, before, "all came back");
    }
}

/// The zone of a node of several.
fn zone(node: u32, nodes: u32) -> Zone {
    Zone::of(node, nodes).expect("there can be such a node")
}

#[test]
fn a_node_hands_out_the_indices_of_its_zone_and_knows_no_others() {
    for zone in [zone(0, 1), zone(1, 2), zone(5, 8), zone(7, 8), zone(MOST_NODES - 1, MOST_NODES)] {
        let arena = Arena::<Thing>::new(zone);
        let (mut a, mut b) = (Cache::default(), Cache::default());
        // Three whole blocks, but for slot 0.
        let first = zone.indices().start;
        let count = 3 * BLOCK - first as u32 % BLOCK;
        let live: Vec<u32> = (0..count).map(|_| create(&arena, &mut a)).collect();
        assert!(live.iter().map(|&index| u64::from(index)).eq(first..first + u64::from(count)), "{zone:?}");
        assert!(arena.live().map(|(index, ..)| index).eq(live.iter().copied()), "{zone:?}");
        let looked = arena.look().take(live.len()).map(|(index, _)| index);
        assert!(looked.eq(live.iter().copied()), "{zone:?}");
        // Freed and drained, they come again, and nothing new.
        live.iter().for_each(|&index| destroy(&arena, &mut b, index));
        arena.drain(&mut a);
        arena.drain(&mut b);
        let fresh = arena.depot.lock().fresh;
        let again: HashSet<u32> = (0..count).map(|_| create(&arena, &mut b)).collect();
        assert_eq!(again, live.into_iter().collect(), "{zone:?}");
        assert_eq!(arena.depot.lock().fresh, fresh, "{zone:?}");
        for other in [1 << 28, 1 << 29, 6 << 29, u32::MAX] {
            let is_of_zone = zone.indices().contains(&other.into());
            assert!(is_of_zone || arena.get(other).is_none(), "{zone:?}, index {other}");
        }
    }
}

#[test]
fn nothing_is_created_when_the_indices_of_a_zone_are_used_up() {
    let nodes = [0, 1, MOST_NODES - 1];
    for &node in if cfg!(miri) { &nodes[2..] } else { &nodes[..] } {
        let zone = zone(node, MOST_NODES);
        let arena = Arena::<Thing>::new(zone);
        let Range { start, end } = zone.indices();
        // Most are labels, of which none is used.
        let left = 2 * BLOCK;
        let labels = (end - start) as u32 - left;
        assert_eq!(arena.reserve(labels + left + 1), None);
        let generation = zone.first_label_generation();
        assert_eq!(arena.reserve(labels), Some((start as u32, generation)));
        let mut cache = Cache::default();
        let mut live: Vec<u32> = (0..left).map(|_| create(&arena, &mut cache)).collect();
        assert_eq!(live.last().map(|&index| u64::from(index) + 1), Some(end));
        assert!(arena.allocate(&mut cache).is_none());
        assert_eq!(arena.reserve(1), None);
        let victim = live.swap_remove(7);
        destroy(&arena, &mut cache, victim);
        assert_eq!(create(&arena, &mut cache), victim);
        assert!(arena.allocate(&mut cache).is_none());
        arena.give_back(start as u32);
        assert_eq!(arena.reserve(labels), Some((start as u32, generation + MOST_NODES)));
    }
}

#[test]
fn labels_are_to_the_end_of_a_zone_and_say_their_owner() {
    for zone in [zone(5, MOST_NODES), zone(MOST_NODES - 1, MOST_NODES)] {
        let arena = Arena::<Thing>::new(zone);
        let Range { start, end } = zone.indices();
        // Nothing is left of the zone but a few slots.
        arena.reserve((end - 10 - start) as u32).expect("memory");
        let (first, generation) = arena.reserve(10).expect("memory");
        assert_eq!(u64::from(first), end - 10, "{zone:?}");
        let label = |at, generation| Guid::new(Kind::Event, generation, first + at);
        for at in [0, 9] {
            let label = label(at, generation);
            assert!(zone.owns(label) && label.is_label(), "{zone:?}");
            let slot = arena.claim(label).expect("the label is free");
            slot.header.publish(slot.header.peek().with_state(TestState::Live));
        }
        assert!(arena.allocate(&mut Cache::default()).is_none(), "{zone:?}");
        arena.give_back(first);
        let (again, later) = arena.reserve(8).expect("eight are free");
        assert_eq!(again, first + 1, "{zone:?}");
        assert!(zone.owns(label(1, later)) && later > generation, "{zone:?}");
        for at in [0, 9] {
            destroy(&arena, &mut Cache::default(), first + at);
        }
        arena.give_back(again);
        let whole = (arena.reserve(1), arena.reserve(9));
        // Those that had an object when they were given back are in an earlier generation than their neighbours.
        assert_eq!(whole, (Some((first, later)), None), "{zone:?}");
    }
}

#[test]
fn a_slot_that_has_had_its_last_generation_is_no_label() {
    let arena = Arena::<Thing>::default();
    let mut cache = Cache::default();
    let index = create(&arena, &mut cache);
    // As if it had been used so often.
    let used = Word::new(FIRST_LABEL_GENERATION - 2, 0, TestState::Live);
    arena.slot(index).header.publish(used);
    destroy(&arena, &mut cache, index);
    assert_eq!(create(&arena, &mut cache), index);
    let word = arena.slot(index).header.peek();
    assert_eq!(word.generation(), FIRST_LABEL_GENERATION - 1);
    assert!(!word.is_label() && !Guid::new(Kind::Event, word.generation(), index).is_label());
    assert_eq!(word.freed(), None, "it is retired");
    // Its owner leaves it as it is, or in a state that no call accepts.
    for generation in [FIRST_LABEL_GENERATION, Zone::default().first_label_generation()] {
        let label = Guid::new(Kind::Event, generation, index);
        assert!(label.is_label() || is_made_for_other(generation));
        assert_eq!(arena.claim(label).err(), Some(LabelTakenError::NoLabel));
        assert!(arena.slot(index).header.lock(generation).is_none());
    }
    let (first, _) = arena.reserve(3 * BLOCK).expect("memory");
    assert!(!(first..first + 3 * BLOCK).contains(&index));
    arena.drain(&mut cache);
    assert!((0..3 * BLOCK).all(|_| create(&arena, &mut cache) != index));
}

/// How many pages of an arena's chunk table, and of the bits behind it, are in memory.
#[cfg(not(miri))]
fn pages_of_table<T: Slot>(arena: &Arena<T>) -> usize {
    const PAGE: usize = 4096;
    let mut pages = vec![0u8; Arena::<T>::TABLE.size().div_ceil(PAGE)];
    // SAFETY: the table is a mapping of its own, and the vector has a byte for each of its pages.
    let answer = unsafe { libc::mincore(arena.chunks.as_ptr().cast(), Arena::<T>::TABLE.size(), pages.as_mut_ptr()) };
    assert_eq!(answer, 0);
    pages.iter().filter(|&page| page & 1 != 0).count()
}

#[test]
#[cfg(not(miri))]
fn an_arena_takes_no_memory_for_zones_of_others() {
    for zone in [zone(0, 1), zone(1, 2), zone(5, 8), zone(MOST_NODES - 1, MOST_NODES)] {
        let arena = Arena::<Thing>::new(zone);
        assert_eq!(pages_of_table(&arena), 0, "{zone:?}");
        let mut cache = Cache::default();
        let live: Vec<u32> = (0..10 * BATCH).map(|_| create(&arena, &mut cache)).collect();
        live.into_iter().for_each(|index| destroy(&arena, &mut cache, index));
        arena.drain(&mut cache);
        create(&arena, &mut cache);
        assert_eq!(arena.live().count(), 1, "{zone:?}");
        assert_eq!(pages_of_table(&arena), 2, "{zone:?}");
        assert_eq!(arena.depot.lock().blocks.len(), 1, "{zone:?}");
    }
}

#[test]
fn a_copy_of_another_nodes_object_has_its_guid_and_goes_back() {
    let arena = Arena::<Thing>::new(Zone::of(1, 4).expect("there is such a node"));
    let mut cache = Cache::default();
    let (own, _) = arena.allocate(&mut cache).expect("memory");
    // Of nodes before and behind this one.
    for node in [0, 3] {
        let index = (node << 30) + 77;
        assert!(arena.get(index).is_none());
        for generation in [5, 5, 6] {
            let slot = arena.adopt(index, generation).expect("memory");
            assert!(slot.header().lock(generation).is_none(), "it is not published");
            slot.header().publish(slot.header().peek().with_state(TestState::Live));
            assert!(arena.adopt(index, generation).is_none(), "it is here");
            assert!(slot.header().lock(generation + 1).is_none());
            let locked = slot.header().lock(generation).expect("it is published");
            arena.forsake(locked);
            assert!(slot.header().lock(generation).is_none(), "it has gone back");
        }
    }
    // The arena hands out none of these.
    let mut handed = (0..5000).map(|_| arena.allocate(&mut cache).expect("memory").0);
    assert!(handed.all(|index| index > own && index < 2 << 30));
}
