//! Where an EDT runs and where a copy of a data block is.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

/// The host's memory and cores, or one OpenCL device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Place(u8);

impl Place {
    /// The host: the workers, and host memory.
    pub const HOST: Place = Place(0);
    /// How many devices can be distinguished.
    pub const MAX_DEVICES: usize = 31;
    /// The place of an EDT that is not placed yet: it is equal to no other EDT's place.
    pub const UNDECIDED: Place = Place(u8::MAX);

    /// The place of the `index`-th device in use.
    #[inline]
    pub const fn device(index: usize) -> Place {
        assert!(index < Place::MAX_DEVICES);
        Place(index as u8 + 1)
    }

    /// Its number, for tables by place: 0 is the host, and from 1 on the devices in use. That of no place is larger
    /// than any.
    #[inline]
    pub const fn number(self) -> usize {
        self.0 as usize
    }

    /// The place of this number.
    #[inline]
    pub const fn numbered(number: usize) -> Option<Place> {
        if number > Place::MAX_DEVICES {
            return None;
        }
        Some(Place(number as u8))
    }

    /// Which device in use this is; `None` for the host.
    #[inline]
    pub fn device_index(self) -> Option<usize> {
        match self {
            Place::HOST | Place::UNDECIDED => None,
            Place(number) => Some(number as usize - 1),
        }
    }
}

/// A place that one thread at a time may change, and any may look at. It orders nothing.
pub struct PlaceCell(AtomicU8);

impl PlaceCell {
    /// A cell with this place.
    pub const fn new(place: Place) -> PlaceCell {
        PlaceCell(AtomicU8::new(place.0))
    }

    /// The place.
    #[inline]
    pub fn get(&self) -> Place {
        Place(self.0.load(Ordering::Relaxed))
    }

    /// Changes the place.
    #[inline]
    pub fn set(&self, place: Place) {
        self.0.store(place.0, Ordering::Relaxed);
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.device_index() {
            Some(device) => write!(f, "device {device}"),
            None if *self == Place::HOST => f.write_str("cpu"),
            None => f.write_str("undecided"),
        }
    }
}

/// A set of places, one bit for each.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PlaceSet(u32);

impl PlaceSet {
    /// The set without any place.
    pub const EMPTY: PlaceSet = PlaceSet(0);

    /// The set of one place.
    #[inline]
    pub const fn only(place: Place) -> PlaceSet {
        PlaceSet(1 << place.0)
    }

    /// Whether `place` is in it.
    #[inline]
    pub fn contains(self, place: Place) -> bool {
        self.0 & PlaceSet::only(place).0 != 0
    }

    /// Adds a place, if it is not in the set.
    #[inline]
    pub fn insert(&mut self, place: Place) {
        self.0 |= PlaceSet::only(place).0;
    }

    /// Adds the places of another set.
    #[inline]
    pub fn add(&mut self, other: PlaceSet) {
        self.0 |= other.0;
    }

    /// Takes a place out, if it is in the set.
    #[inline]
    pub fn remove(&mut self, place: Place) {
        self.0 &= !PlaceSet::only(place).0;
    }

    /// Whether no place is in the set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The places, the host first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Place> {
        (0..32u8).map(Place).filter(move |&place| self.contains(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_was_put_in() {
        let mut set = PlaceSet::only(Place::device(30));
        set.insert(Place::HOST);
        assert_eq!(set.iter().collect::<Vec<_>>(), [Place::HOST, Place::device(30)]);
        set.remove(Place::device(30));
        assert_eq!(set, PlaceSet::only(Place::HOST));
        assert_eq!(Place::device(3).device_index(), Some(3));
        assert_eq!(Place::HOST.device_index(), None);
    }

    #[test]
    fn places_have_numbers() {
        for (place, number) in [(Place::HOST, 0), (Place::device(0), 1), (Place::device(30), 31)] {
            assert_eq!((place.number(), Place::numbered(number)), (number, Some(place)));
            assert!(number < crate::model::PLACES);
        }
        assert_eq!(Place::numbered(32), None);
        assert!(Place::UNDECIDED.number() >= crate::model::PLACES);
    }
}
