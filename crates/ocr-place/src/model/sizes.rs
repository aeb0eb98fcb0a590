//! One template in one place: which sizes have samples, and what follows for a size that has none.
//!
//! The sizes stand in a table of a fixed length, found by hashing. The first ones that come have a class each. A
//! program whose EDTs all have different sizes would fill the table with classes of one sample. So later sizes share a
//! class with all sizes in the same quarter of an octave. A time in proportion to the size differs there from that of
//! the middle by a tenth at most.
//!
//! # How a class is claimed
//!
//! | state of an entry | changed by | to |
//! |---|---|---|
//! | free (`FREE`) | a thread that brings the first sample of a size, by a compare-and-swap | its key |
//! | a key | no thread | |
//!
//! *No size has two classes of its own.* A key is looked for from its own place in the table on, up to the first free
//! entry. A thread that claims an entry looks in that order, too. Of two threads that bring the first sample of one
//! size, one claims the entry. The other one finds the key there, since keys do not leave.
//!
//! *A sample may go to the quarter.* If the sizes with a class of their own are complete meanwhile, the second thread
//! takes the class of the quarter. Its sample is of no less use there, and a lookup finds the class of the size first.
//!
//! *A lookup that comes too early* finds a free entry, or a class without a median, and goes on as for a size without
//! samples. The key orders nothing: its class stands in the entry itself, which is there from the beginning, so
//! `Relaxed` is enough.

use crate::model::class::{Class, Estimate};
use ocr_base::sync::{AtomicU64, Ordering};

/// How many entries the table has: a power of 2, and at most 64, since `Sizes::used` has a bit for each.
pub(crate) const CLASSES: usize = if cfg!(loom) { 2 } else { 64 };
/// How many sizes have a class of their own; a few more do where several threads bring new sizes at once.
pub(crate) const EXACT: u32 = if cfg!(loom) { 2 } else { 24 };
/// In how many entries a key is looked for, from its own place on. A key that is in none of them is not in the table.
const PROBES: usize = if cfg!(loom) { 2 } else { 8 };

/// The key of an entry that no thread has claimed.
const FREE: u64 = u64::MAX;
/// The bit that distinguishes the key of a quarter of an octave from that of a size, which is never so large.
const QUARTER: u64 = 1 << 63;

struct SizeEntry {
    key: AtomicU64,
    class: Class,
}

/// The sizes of one place.
pub(crate) struct Sizes {
    entries: [SizeEntry; CLASSES],
    /// The set of entries that have a key, a bit for each. It is set after the claim, so a lookup may miss the newest
    /// entry.
    used: AtomicU64,
}

impl Default for Sizes {
    fn default() -> Sizes {
        Sizes {
            entries: std::array::from_fn(|_| SizeEntry { key: AtomicU64::new(FREE), class: Class::default() }),
            used: AtomicU64::new(0),
        }
    }
}

/// The number of the quarter of an octave that a size in bytes is in: four times the exponent of 2, plus 0 to 3.
fn quarter_of(bytes: u64) -> u64 {
    let bytes = bytes.max(1);
    let octave = bytes.ilog2();
    // The first eleven binary digits, from 1024 to 2047; the bounds are 1024 * 2^(1/4), 2^(2/4), 2^(3/4).
    let digits = (bytes << (63 - octave)) >> 53;
    let quarter = [1218, 1448, 1722].iter().filter(|&&at| digits >= at);
    u64::from(octave) * 4 + quarter.count() as u64
}

/// The size in bytes in the middle of a quarter of an octave, by the quarter's number.
fn middle_of(quarter: u64) -> u64 {
    // 1024 * 2^(1/8), 2^(3/8), 2^(5/8), 2^(7/8).
    let digits = [1117u128, 1328, 1579, 1878][quarter as usize % 4];
    (digits << (quarter / 4) >> 10) as u64
}

/// The size in bytes that a key stands for; the middle one of a quarter of an octave.
fn bytes_of(key: u64) -> u64 {
    match key & QUARTER {
        0 => key,
        _ => middle_of(key & !QUARTER),
    }
}

impl Sizes {
    /// The index of the entry from which on a key is looked for.
    fn place_of(key: u64) -> usize {
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 58) as usize % CLASSES
    }

    /// The class of a key. None if the key is not in the table.
    fn find(&self, key: u64) -> Option<&Class> {
        let first = Sizes::place_of(key);
        for step in 0..PROBES {
            let entry = &self.entries[(first + step) % CLASSES];
            match entry.key.load(Ordering::Relaxed) {
                FREE => return None,
                other if other == key => return Some(&entry.class),
                _ => {}
            }
        }
        None
    }

    /// The class of a key, which gets an entry if it has none. None where all entries in reach have other keys.
    fn find_or_claim(&self, key: u64) -> Option<&Class> {
        let first = Sizes::place_of(key);
        for step in 0..PROBES {
            let at = (first + step) % CLASSES;
            let entry = &self.entries[at];
            let mut there = entry.key.load(Ordering::Relaxed);
            if there == FREE {
                let claimed = entry.key.compare_exchange(FREE, key, Ordering::Relaxed, Ordering::Relaxed);
                match claimed {
                    Ok(_) => {
                        self.used.fetch_or(1 << at, Ordering::Relaxed);
                        return Some(&entry.class);
                    }
                    Err(other) => there = other,
                }
            }
            if there == key {
                return Some(&entry.class);
            }
        }
        None
    }

    /// The class for samples of a size in bytes: its own or that of its quarter of an octave, which is made if there is
    /// none. None where all entries in reach have other keys.
    pub(crate) fn class_for(&self, bytes: u64) -> Option<&Class> {
        let exact = bytes & !QUARTER;
        if let Some(class) = self.find(exact) {
            return Some(class);
        }
        if self.used.load(Ordering::Relaxed).count_ones() < EXACT {
            self.find_or_claim(exact)
        } else {
            self.find_or_claim(QUARTER | quarter_of(bytes))
        }
    }

    /// What an EDT whose blocks have `bytes` in all will take. None where no size has samples.
    #[inline]
    pub(crate) fn expected(&self, bytes: u64) -> Option<Estimate> {
        let exact = self.find(bytes & !QUARTER).and_then(Class::expected);
        exact.or_else(|| self.expected_unseen(bytes))
    }

    /// What an EDT will take whose size has no samples of its own.
    #[cold]
    fn expected_unseen(&self, bytes: u64) -> Option<Estimate> {
        let shared = self.find(QUARTER | quarter_of(bytes));
        shared.and_then(Class::expected).or_else(|| self.on_the_line(bytes))
    }

    /// The class of a size, if it has one of its own or shares one.
    pub(crate) fn class_of(&self, bytes: u64) -> Option<&Class> {
        let shared = || self.find(QUARTER | quarter_of(bytes));
        self.find(bytes & !QUARTER).or_else(shared)
    }

    /// What follows for a size from the two nearest sizes that have samples: one on either side, or two on one side.
    fn on_the_line(&self, bytes: u64) -> Option<Estimate> {
        let mut below: [Option<(u64, Estimate)>; 2] = [None; 2];
        let mut above = below;
        for (known, estimate) in self.known() {
            let (side, nearer): (_, fn(u64, u64) -> bool) =
                if known <= bytes { (&mut below, |a, b| a > b) } else { (&mut above, |a, b| a < b) };
            let is_nearer = |than: &Option<(u64, Estimate)>| than.is_none_or(|(than, _)| nearer(known, than));
            if is_nearer(&side[0]) {
                *side = [Some((known, estimate)), side[0]];
            } else if is_nearer(&side[1]) {
                side[1] = Some((known, estimate));
            }
        }
        let (nearest, other) = match (below, above) {
            ([Some(below), _], [Some(above), _]) => (below, Some(above)),
            ([Some(nearest), other], [None, _]) | ([None, _], [Some(nearest), other]) => (nearest, other),
            ([None, _], [None, _]) => return None,
        };
        let found = line(bytes, nearest, other);
        // One other size does not show how times grow with the size.
        Some(if other.is_none() { Estimate::guess(found.ns) } else { found })
    }

    /// The sizes in bytes that have samples, in no order, and what an EDT of each takes.
    fn known(&self) -> impl Iterator<Item = (u64, Estimate)> {
        self.used().filter_map(|entry| {
            let key = entry.key.load(Ordering::Relaxed);
            Some((bytes_of(key), entry.class.expected()?))
        })
    }

    fn used(&self) -> impl Iterator<Item = &SizeEntry> {
        let mut used = self.used.load(Ordering::Relaxed);
        std::iter::from_fn(move || {
            let at = used.trailing_zeros() as usize;
            used &= used.wrapping_sub(1);
            self.entries.get(at)
        })
    }

    /// Each size in bytes that has a class, in no order, with that class.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u64, &Class)> {
        self.used().map(|entry| (bytes_of(entry.key.load(Ordering::Relaxed)), &entry.class))
    }
}

/// What an EDT with `bytes` takes, by the line through two other sizes in logarithms, where a time that grows as a
/// power of the size is a straight line. With one other size alone, the time is taken to grow in proportion. Beyond
/// both sizes, a line that falls, or is steeper than any usual work, is an accident of few samples: it is made level,
/// or less steep.
fn line(bytes: u64, nearest: (u64, Estimate), other: Option<(u64, Estimate)>) -> Estimate {
    const STEEPEST: f64 = 3.0;
    let log = |bytes: u64| (bytes.max(1) as f64).ln();
    let (at, estimate) = nearest;
    let distance = log(bytes) - log(at);
    let mut relative = estimate.deviation as f64 / estimate.ns.max(1) as f64;
    let mut power = 1.0;
    if let Some((other, second)) = other.filter(|(other, _)| log(*other) != log(at)) {
        power = ((second.ns.max(1) as f64) / estimate.ns.max(1) as f64).ln() / (log(other) - log(at));
        let is_between = (at <= bytes) != (other <= bytes);
        if !is_between {
            power = power.clamp(0.0, STEEPEST);
        }
        relative = relative.max(second.deviation as f64 / second.ns.max(1) as f64);
    }
    let ns = estimate.ns as f64 * (power * distance).exp();
    // A number that is too large for the type becomes the largest one by the conversion.
    Estimate { ns: (ns as u64).max(1), deviation: (ns * relative) as u64, samples: 0 }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn quarters_are_four_to_an_octave_and_hold_their_middle() {
        for quarter in 8..252 {
            let middle = middle_of(quarter);
            assert!(quarter_of(middle).abs_diff(quarter) <= u64::from(quarter < 40), "{quarter}: {middle}");
        }
        assert_eq!((quarter_of(0), quarter_of(1), quarter_of(2)), (0, 0, 4));
        assert_eq!((quarter_of(1024), quarter_of(2047)), (40, 43));
        assert_eq!(quarter_of(u64::MAX), 255);
    }

    fn with(times: &[(u64, u64)]) -> Sizes {
        let sizes = Sizes::default();
        for &(bytes, ns) in times {
            sizes.class_for(bytes).expect("room").add(ns, false);
        }
        sizes
    }

    fn ns(sizes: &Sizes, bytes: u64) -> Option<u64> {
        sizes.expected(bytes).map(|estimate| estimate.ns)
    }

    #[test]
    fn unseen_sizes_lie_on_the_line_of_the_two_nearest() {
        // Cubic work on square blocks: a power of 1.5.
        let time = |bytes: u64| (bytes as f64).powf(1.5) as u64;
        let sizes = with(&[1 << 10, 1 << 14, 1 << 18].map(|bytes| (bytes, time(bytes))));
        for bytes in [1 << 8, 1 << 12, 1 << 16, 3 << 15, 1 << 20] {
            let (found, want) = (ns(&sizes, bytes).expect("a line"), time(bytes));
            let error = found.abs_diff(want) as f64 / want as f64;
            assert!(error < 0.02, "{bytes} bytes: {found} for {want}");
            assert_eq!(sizes.expected(bytes).expect("a line").samples, 0);
        }
        assert_eq!(ns(&sizes, 1 << 14), Some(time(1 << 14)));
    }

    #[test]
    fn one_size_is_taken_as_proportional_and_none_as_unknown() {
        assert_eq!(ns(&with(&[]), 100), None);
        let one = with(&[(1000, 5000)]);
        assert!(ns(&one, 2000).expect("a line").abs_diff(10_000) <= 1);
        // No blocks at all.
        let empty = with(&[(0, 5000)]);
        assert_eq!(ns(&empty, 0), Some(5000));
        assert!(ns(&empty, 8).is_some());
    }

    #[test]
    fn lines_that_fall_or_rise_too_steeply_do_not_go_on() {
        let falls = with(&[(1 << 10, 9000), (1 << 11, 3000)]);
        assert_eq!(ns(&falls, 1 << 14), Some(3000));
        assert_eq!(ns(&falls, 1 << 8), Some(9000));
        let steep = with(&[(1 << 10, 10), (1 << 11, 10_000)]);
        assert!(ns(&steep, 1 << 12).expect("a line") <= 81_000);
    }

    #[test]
    fn many_sizes_share_classes_and_are_told_well_enough() {
        let sizes = Sizes::default();
        let time = |bytes: u64| 1000 + bytes * 3;
        for round in 0..4000u64 {
            let bytes = 1000 + round * 7919 % 300_000;
            if let Some(class) = sizes.class_for(bytes) {
                class.add(time(bytes), false);
            }
        }
        assert!(sizes.each().count() > EXACT as usize);
        for bytes in (2000..290_000).step_by(1234) {
            let error = ns(&sizes, bytes).expect("known").abs_diff(time(bytes)) as f64;
            assert!(error / (time(bytes) as f64) < 0.15, "{bytes}");
        }
    }

    #[test]
    fn a_full_table_takes_no_more_and_still_answers() {
        let sizes = Sizes::default();
        for bit in 0..63 {
            for part in 0..4 {
                if let Some(class) = sizes.class_for((1 << bit) + (part << bit >> 2)) {
                    class.add(100, true);
                }
            }
        }
        assert!(sizes.each().count() <= CLASSES);
        assert!(ns(&sizes, u64::MAX).is_some() && ns(&sizes, 12_345).is_some());
    }
}
