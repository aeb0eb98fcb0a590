//! Hints of objects: what the program advises (OCR 1.1.0, B.1).
//!
//! Few objects have hints, so they stand in a table beside the objects, by GUID. An object that has
//! some says so in a flag, and the thread that frees it drops them first. The table's locks are
//! leaves: nothing is locked under them.

use super::guid::Guid;
use super::saved::Saved;
use crate::abi::{hints, sys};
use crossbeam_utils::CachePadded;
use ocr_base::lock::{Mutex, rank};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};
use std::io;

/// Properties of the kind of object that has most.
const PROPERTIES: usize = hints::MOST;

/// `OCR_HINT_EDT_PRIORITY`, as its place among the properties of EDTs.
pub(crate) const EDT_PRIORITY: usize = hints::position(sys::OCR_HINT_EDT_T, sys::OCR_HINT_EDT_PRIORITY);
/// `OCR_HINT_EDT_AFFINITY`, as its place among the properties of EDTs.
pub(crate) const EDT_AFFINITY: usize = hints::position(sys::OCR_HINT_EDT_T, sys::OCR_HINT_EDT_AFFINITY);
/// `OCR_HINT_EDT_SLOT_MAX_ACCESS`, as its place among the properties of EDTs.
pub(crate) const EDT_SLOT_MAX_ACCESS: usize = hints::position(sys::OCR_HINT_EDT_T, sys::OCR_HINT_EDT_SLOT_MAX_ACCESS);
/// `OCR_HINT_DB_AFFINITY`, as its place among the properties of data blocks.
pub(crate) const DB_AFFINITY: usize = hints::position(sys::OCR_HINT_DB_T, sys::OCR_HINT_DB_AFFINITY);
/// `OCR_HINT_DB_EAGER`, as its place among the properties of data blocks.
pub(crate) const DB_EAGER: usize = hints::position(sys::OCR_HINT_DB_T, sys::OCR_HINT_DB_EAGER);
/// `OCR_HINT_DB_LAZY`, as its place among the properties of data blocks.
pub(crate) const DB_LAZY: usize = hints::position(sys::OCR_HINT_DB_T, sys::OCR_HINT_DB_LAZY);
/// `OCR_HINT_EDT_TIME`, as its place among the properties of EDTs.
pub(crate) const EDT_TIME: usize = hints::position(sys::OCR_HINT_EDT_T, sys::OCR_HINT_EDT_TIME);
/// `OCR_HINT_EDT_TIME_PARAMS`, as its place among the properties of EDTs.
pub(crate) const EDT_TIME_PARAMS: usize = hints::position(sys::OCR_HINT_EDT_T, sys::OCR_HINT_EDT_TIME_PARAMS);
/// `OCR_HINT_EDT_RETRY`, as its place among the properties of EDTs.
pub(crate) const EDT_RETRY: usize = hints::position(sys::OCR_HINT_EDT_T, sys::OCR_HINT_EDT_RETRY);

/// Some properties with their values.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

    /// Whether no property is set.
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

/// A set as it is kept: most have one or two properties, and a program may give each of its EDTs some.
enum KeptHints {
    Few { set: u16, values: [u64; FEW] },
    Many(Box<HintSet>),
}

const FEW: usize = 2;

impl KeptHints {
    fn new(hints: &HintSet) -> KeptHints {
        if hints.set.count_ones() as usize > FEW {
            return KeptHints::Many(Box::new(*hints));
        }
        let mut values = [0; FEW];
        for (place, (_, value)) in values.iter_mut().zip(hints.iter()) {
            *place = value;
        }
        let set = hints.set;
        KeptHints::Few { set, values }
    }

    fn hints(&self) -> HintSet {
        match self {
            KeptHints::Many(hints) => **hints,
            KeptHints::Few { set, values } => {
                let mut hints = HintSet::default();
                let properties = (0..PROPERTIES).filter(|property| set & 1 << property != 0);
                for (property, value) in properties.zip(values) {
                    hints.set(property, *value);
                }
                hints
            }
        }
    }
}

const SHARDS: usize = 16;

/// Objects that were created one after the other have their hints beside each other.
#[derive(Default)]
struct ByIndex(u64);

impl Hasher for ByIndex {
    fn finish(&self) -> u64 {
        // The table finds the place by the lower bits, and tells objects apart by the upper seven.
        const TAG: u64 = 0x7f << 57;
        let place = u64::from(Guid::from_bits(self.0).index()) / SHARDS as u64;
        place & !TAG | self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) & TAG
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("a GUID is a number");
    }

    fn write_u64(&mut self, guid: u64) {
        self.0 = guid;
    }
}

type HintShard = HashMap<Guid, KeptHints, BuildHasherDefault<ByIndex>>;

/// The hints of the objects of a kind.
#[derive(Default)]
pub struct Hints([CachePadded<Mutex<rank::Hints, HintShard>>; SHARDS]);

impl Hints {
    fn shard(&self, guid: Guid) -> &Mutex<rank::Hints, HintShard> {
        &self.0[guid.index() as usize % SHARDS]
    }

    /// The hints of an object; nothing is set if it has none.
    pub fn get(&self, guid: Guid) -> HintSet {
        let shard = self.shard(guid).lock();
        shard.get(&guid).map(KeptHints::hints).unwrap_or_default()
    }

    /// Adds some to those of an object, which has the flag or is about to get it. All that it has
    /// then.
    pub fn add(&self, guid: Guid, hints: &HintSet) -> HintSet {
        let mut shard = self.shard(guid).lock();
        match shard.entry(guid) {
            Entry::Vacant(vacant) => {
                vacant.insert(KeptHints::new(hints));
                *hints
            }
            Entry::Occupied(mut known) => {
                let mut all = known.get().hints();
                all.add(hints);
                known.insert(KeptHints::new(&all));
                all
            }
        }
    }

    /// Passes them through a checkpoint.
    pub(super) fn pass(&self, file: &mut Saved<'_>) -> io::Result<()> {
        let mut all: Vec<(Guid, HintSet)> = Vec::new();
        for shard in &self.0 {
            all.extend(shard.lock().iter().map(|(&guid, kept)| (guid, kept.hints())));
        }
        file.table(&mut all)?;
        if file.restores() {
            for (guid, hints) in &all {
                self.add(*guid, hints);
            }
        }
        Ok(())
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
        assert_eq!(hints.get(guid), some);
        let mut more = HintSet::default();
        more.set(EDT_PRIORITY, 4);
        let all = hints.add(guid, &more);
        assert_eq!(all.iter().collect::<Vec<_>>(), [(EDT_PRIORITY, 4), (11, u64::MAX)]);
        assert_eq!(hints.get(guid), all);
        let mut many = HintSet::default();
        (0..PROPERTIES).for_each(|property| many.set(property, property as u64));
        hints.add(guid, &many);
        assert_eq!(hints.get(guid), many);
        assert_eq!(objects_in(&hints), 1);
        // Another object that has had the place.
        let other = Guid::new(Kind::Template, 2, 5);
        assert!(hints.get(other).is_empty());
        hints.drop_of(guid);
        assert!(hints.get(guid).is_empty());
        assert_eq!(objects_in(&hints), 0);
    }
}
