//! Hints of objects: what the program advises (OCR 1.1.0, B.1).
//!
//! Few objects have hints, so they stand in a table beside the objects, by GUID. An object that has
//! some says so in a flag, and whoever frees it drops them first. The table's locks are leaves:
//! nothing is locked under them.

use super::guid::Guid;
use parking_lot::Mutex;
use std::collections::HashMap;

/// Properties of the kind of object that has most.
const PROPERTIES: usize = 12;

/// `OCR_HINT_EDT_PRIORITY`, as its place among the properties of EDTs.
pub const EDT_PRIORITY: usize = 0;
/// `OCR_HINT_EDT_AFFINITY`.
pub const EDT_AFFINITY: usize = 2;

/// Some properties with their values.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct HintSet {
    set: u16,
    values: [u64; PROPERTIES],
}

impl HintSet {
    /// Sets a property; one that does not exist is left out.
    pub fn set(&mut self, property: usize, value: u64) {
        if let Some(place) = self.values.get_mut(property) {
            *place = value;
            self.set |= 1 << property;
        }
    }

    /// The value of a property that is set.
    pub fn get(&self, property: usize) -> Option<u64> {
        (property < PROPERTIES && self.set & 1 << property != 0).then(|| self.values[property])
    }

    /// Whether nothing is set.
    pub fn is_empty(&self) -> bool {
        self.set == 0
    }

    /// The properties that are set.
    pub fn iter(&self) -> impl Iterator<Item = (usize, u64)> {
        (0..PROPERTIES).filter_map(|property| Some((property, self.get(property)?)))
    }

    /// Adds those of another, which win.
    pub fn add(&mut self, other: &HintSet) {
        for (property, value) in other.iter() {
            self.set(property, value);
        }
    }
}

const SHARDS: usize = 16;

/// The hints of the objects of a kind.
#[derive(Default)]
pub struct Hints([Mutex<HashMap<Guid, HintSet>>; SHARDS]);

impl Hints {
    fn shard(&self, guid: Guid) -> &Mutex<HashMap<Guid, HintSet>> {
        &self.0[guid.index() as usize % SHARDS]
    }

    /// Those of an object; nothing is set if it has none.
    pub fn get(&self, guid: Guid) -> HintSet {
        let shard = self.shard(guid).lock();
        shard.get(&guid).copied().unwrap_or_default()
    }

    /// Adds some to those of an object, which has the flag or is about to get it. All that it has
    /// then.
    pub fn add(&self, guid: Guid, hints: &HintSet) -> HintSet {
        let mut shard = self.shard(guid).lock();
        let all = shard.entry(guid).or_default();
        all.add(hints);
        *all
    }

    /// Drops those of an object that is about to be freed.
    #[cold]
    pub fn drop_of(&self, guid: Guid) {
        self.shard(guid).lock().remove(&guid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::object::guid::Kind;

    fn objects_in(hints: &Hints) -> usize {
        hints.0.iter().map(|shard| shard.lock().len()).sum()
    }

    #[test]
    fn later_hints_come_on_top_of_earlier_ones() {
        let hints = Hints::default();
        let guid = Guid::new(Kind::Template, 1, 5);
        let mut some = HintSet::default();
        assert!(some.is_empty() && hints.get(guid).is_empty());
        some.set(EDT_PRIORITY, 3);
        some.set(11, u64::MAX);
        some.set(PROPERTIES, 1);
        hints.add(guid, &some);
        let mut more = HintSet::default();
        more.set(EDT_PRIORITY, 4);
        let all = hints.add(guid, &more);
        assert_eq!(
            all.iter().collect::<Vec<_>>(),
            [(EDT_PRIORITY, 4), (11, u64::MAX)]
        );
        assert_eq!(hints.get(guid), all);
        assert_eq!(objects_in(&hints), 1);
        hints.drop_of(guid);
        assert!(hints.get(guid).is_empty());
        assert_eq!(objects_in(&hints), 0);
    }
}
