use super::*;
use crate::object::header::TestState;
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
    let arena = Arena::<Thing>::new();
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
    let arena = Arena::<Thing>::new();
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
    let arena = Arena::<Thing>::new();
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
    let arena = Arena::<Thing>::new();
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
    let arena = Arena::<Thing>::new();
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
        let arena = Arena::<ThingWithRemains>::new();
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
