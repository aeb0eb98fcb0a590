//! `locality`: EDTs go where the most bytes of their blocks are, whatever waits there.

use super::interface::{Choice, Choices, Machine, Policy, PolicyEntry};
use crate::place::Place;
use std::cmp::Reverse;

pub(super) const ENTRY: PolicyEntry = PolicyEntry {
    name: "locality",
    usage: "locality",
    what: "where the most bytes of its blocks are; of those places, the first free one",
    make: |args| args.is_empty().then(|| Box::new(Locality) as _),
};

struct Locality;

impl Policy for Locality {
    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        let bytes = |place: Place| choices.blocks.bytes_at(place);
        let most = choices.places().map(bytes).max().unwrap_or(0);
        if choices.function && choices.places().all(|place| bytes(place) == most) {
            return Choice::FirstFree;
        }
        let load = |place: Place| match place.device_index() {
            Some(_) => machine.device_load(place),
            None => 0,
        };
        let best = choices.places().min_by_key(|&place| (Reverse(bytes(place)), load(place)));
        Choice::At(best.unwrap_or(Place::HOST))
    }
}
