//! `random:SEED`: EDTs go to any place, to each as often. Other policies are compared with this one.

use super::interface::{Choice, Choices, Machine, Policy, PolicyEntry};
use crate::place::Place;
use std::sync::atomic::{AtomicU64, Ordering};

pub(super) const ENTRY: PolicyEntry = PolicyEntry {
    name: "random",
    usage: "random:SEED",
    what: "any place, by a sequence of random numbers that the seed begins",
    make: Random::make,
};

struct Random {
    /// The state of splitmix64, which is a counter. Each choice takes the next number of the sequence, on whatever
    /// thread.
    state: AtomicU64,
}

impl Random {
    fn make(args: &[u64]) -> Option<Box<dyn Policy>> {
        let &[seed] = args else { return None };
        let state = AtomicU64::new(seed);
        Some(Box::new(Random { state }))
    }

    /// The next random number of the sequence.
    fn next(&self) -> u64 {
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut mixed = self.state.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Policy for Random {
    fn choose(&self, choices: &Choices<'_>, _: &dyn Machine) -> Choice {
        let places = choices.places();
        let at = self.next() % places.clone().count() as u64;
        Choice::At(places.clone().nth(at as usize).unwrap_or(Place::HOST))
    }
}
