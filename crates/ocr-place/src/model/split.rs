//! By which parameter the times of a template's EDTs are distinguished, and the classes of its values.
//!
//! The bytes of an EDT's blocks often say how much there is to do. Where a parameter says it, times of equal bytes
//! differ. This is found out by itself, for all places of a template together:
//!
//! | state | changed by | to |
//! |---|---|---|
//! | no parameters seen | the first sample with parameters | these alone |
//! | these alone (their [`Params::print`]) | [`AGREE`] samples with others that took as long | bytes decide |
//! | these alone | a sample with others that took [`DIFFERS`] times as long, or as short | a parameter decides |
//! | bytes decide | predictions that are off by [`OFF`] or more, which a parameter mends | a parameter decides |
//! | a parameter decides | predictions that are off, which another parameter, or none, mends | that one; bytes decide |
//!
//! As long as EDTs with these parameters alone have run, the times of others are a guess ([`Decides::Other`]).
//!
//! Where a parameter decides, each value has a class of its own, up to 24 of them, and the values that come later share
//! classes ([`Sizes`]). A value without samples lies on the line through two others, in logarithms. A place where one
//! value alone has samples gives a guess for other values.
//!
//! Which parameter it is follows from the last [`ROWS`] samples: the one by which the logarithms of times deviate least
//! from a line through the values, or from the mean of equal values, in each place and for each number of bytes.
//!
//! The state is one word. Nothing is ordered by it: a lookup that comes too early or too late gives the estimate of the
//! state before, so `Relaxed` is enough.

use crate::model::class::{Class, Estimate};
use crate::model::shape::{NAMED, PARAMS, Params, Shape};
use crate::model::sizes::Sizes;
#[cfg(loom)]
use loom::sync::Mutex;
use ocr_base::sync::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::Mutex;
use std::sync::OnceLock;

/// How many samples are looked at to find the parameter.
const ROWS: usize = 32;
/// This number of samples with other parameters that took as long shows that parameters do not matter.
const AGREE: u32 = 3;
/// Times that differ by this factor are not alike.
const DIFFERS: f64 = 1.5;
/// Predictions are off where the median of their errors is this, in thousandths.
const OFF: u32 = 250;
/// Samples are looked at again after this number of new ones.
const EACH: u32 = 8;
/// A parameter decides where it leaves at most this part of the deviation.
const MENDS: f64 = 0.5;
/// For how many numbers of bytes a parameter can decide.
const GROUPS: usize = if cfg!(loom) { 1 } else { 8 };

/// What distinguishes times of equal bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub enum ToldBy {
    /// Nothing does.
    #[default]
    Bytes,
    /// All that have run had these parameters.
    Only(Params),
    /// The value of a parameter does.
    Param {
        /// The index of the parameter, from 0; 63 for the product of those that a hint names.
        index: u8,
        /// Its value.
        value: u64,
    },
}

impl ToldBy {
    /// The index that stands for the product of the parameters that a hint names.
    pub const NAMED: u8 = NAMED;
}

/// By what the time of an EDT is predicted.
pub(crate) enum Decides {
    /// The bytes of its blocks.
    Bytes,
    /// EDTs with other parameters have run alone.
    Other,
    /// The value of the parameter with this index.
    Param(u8),
}

/// A sample, with what may decide.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SampleRow {
    pub(crate) place: usize,
    pub(crate) shape: Shape,
    pub(crate) ns: u64,
}

#[derive(Default)]
struct Rows {
    rows: Vec<SampleRow>,
    next: usize,
    /// How many there were.
    count: u32,
    /// How many took as long with other parameters.
    agree: u32,
    /// The only parameters seen, as long as there are no others.
    only: Params,
}

/// By which parameter times are distinguished.
#[derive(Default)]
pub(crate) struct Split {
    /// 0: no parameters seen; 1: bytes decide; 2 and more: the parameter with this index less 2; otherwise the print of
    /// the only ones seen.
    state: AtomicU64,
    rows: OnceLock<Box<Mutex<Rows>>>,
}

const NONE: u64 = 0;
const BYTES: u64 = 1;
const FIRST_PARAM: u64 = 2;
const LAST_PARAM: u64 = FIRST_PARAM + NAMED as u64;

/// The state while no other parameters than these were seen.
fn only(params: &Params) -> u64 {
    params.print(LAST_PARAM + 1)
}

impl Split {
    /// By what the time of an EDT with these parameters is predicted.
    #[inline]
    pub(crate) fn decides(&self, params: &Params) -> Decides {
        if params.is_named() {
            return Decides::Param(NAMED);
        }
        match self.state.load(Ordering::Relaxed) {
            NONE | BYTES => Decides::Bytes,
            param @ FIRST_PARAM..=LAST_PARAM => Decides::Param((param - FIRST_PARAM) as u8),
            print if print == only(params) => Decides::Bytes,
            _ => Decides::Other,
        }
    }

    /// What distinguishes an entry of this template; a parameter without its value.
    pub(crate) fn told_by(&self) -> ToldBy {
        match self.state.load(Ordering::Relaxed) {
            NONE | BYTES => ToldBy::Bytes,
            param @ FIRST_PARAM..=LAST_PARAM => ToldBy::Param { index: (param - FIRST_PARAM) as u8, value: 0 },
            _ => self.rows.get().map_or(ToldBy::Bytes, |rows| {
                // Nothing panics with the lock held, so it is never poisoned.
                (rows.try_lock()).map_or(ToldBy::Bytes, |rows| ToldBy::Only(rows.only))
            }),
        }
    }

    /// Goes on where an earlier run has ended.
    pub(crate) fn seed(&self, told_by: ToldBy) {
        let now = self.state.load(Ordering::Relaxed);
        let state = match told_by {
            ToldBy::Param { index, .. } => FIRST_PARAM + u64::from(index.min(NAMED)),
            _ if (FIRST_PARAM..=LAST_PARAM).contains(&now) => now,
            // Of several prints none is the only one.
            ToldBy::Only(params) if now == NONE || now == only(&params) => {
                if let Ok(mut rows) = self.rows.get_or_init(Box::default).try_lock() {
                    rows.only = params;
                }
                only(&params)
            }
            ToldBy::Bytes | ToldBy::Only(_) => BYTES,
        };
        self.state.store(state, Ordering::Relaxed);
    }

    /// The class for a sample of this shape, where a parameter decides.
    pub(crate) fn class_for<'a>(&self, groups: &'a Groups, shape: &Shape) -> Option<&'a Class> {
        match self.decides(&shape.params) {
            Decides::Param(index) => groups.class_for(shape.bytes, index, shape.params.value(index)),
            _ => None,
        }
    }

    /// Notes that an EDT of this shape took `ns` nanoseconds in a place, where those with as many bytes take `alike`,
    /// and predictions were off by `error` thousandths. Where that changes what decides, these are the samples to begin
    /// with.
    pub(crate) fn note(
        &self,
        place: usize,
        shape: &Shape,
        ns: u64,
        alike: Option<u64>,
        error: u32,
    ) -> Option<Vec<SampleRow>> {
        if shape.params.is_named() {
            self.state.store(FIRST_PARAM + u64::from(NAMED), Ordering::Relaxed);
            return None;
        }
        let rows = self.rows.get_or_init(Box::default);
        // Nothing panics with the lock held, so it is never poisoned. A sample that comes beside another is not looked
        // at.
        let mut rows = rows.try_lock().ok()?;
        let shape = *shape;
        rows.add(SampleRow { place, shape, ns });
        let print = only(&shape.params);
        let now = self.state.load(Ordering::Relaxed);
        let is_param = (FIRST_PARAM..=LAST_PARAM).contains(&now);
        let new = match now {
            NONE => {
                rows.only = shape.params;
                print
            }
            BYTES | FIRST_PARAM..=LAST_PARAM => {
                let is_time = error >= OFF && rows.count.is_multiple_of(EACH);
                if is_time { rows.best(now, false) } else { now }
            }
            seen if seen == print => now,
            _ => {
                let ratio = |alike: u64| (ns.max(1) as f64 / alike.max(1) as f64).ln().abs();
                match alike {
                    None => now,
                    Some(alike) if ratio(alike) >= DIFFERS.ln() => {
                        // Those of earlier runs are no rows.
                        let (params, bytes) = (rows.only, shape.bytes);
                        let shape = Shape { bytes, params };
                        let ns = alike;
                        rows.add(SampleRow { place, shape, ns });
                        rows.best(now, true)
                    }
                    Some(_) => {
                        rows.agree += 1;
                        if rows.agree >= AGREE { BYTES } else { now }
                    }
                }
            }
        };
        if new == now {
            return None;
        }
        self.state.store(new, Ordering::Relaxed);
        let is_told = (FIRST_PARAM..=LAST_PARAM).contains(&new);
        (is_told || is_param).then(|| if is_told { rows.rows.clone() } else { Vec::new() })
    }
}

impl Rows {
    fn add(&mut self, row: SampleRow) {
        self.count = self.count.wrapping_add(1);
        if self.rows.len() < ROWS {
            return self.rows.push(row);
        }
        self.rows[self.next] = row;
        self.next = (self.next + 1) % ROWS;
    }

    /// The state by which these times deviate least; `now` where no parameter differs. `at_once`: by few samples, and
    /// rather by a parameter than by none.
    fn best(&self, now: u64, at_once: bool) -> u64 {
        let params = self.rows.iter().map(|row| row.shape.params.count()).min();
        let params = params.unwrap_or(0).min(PARAMS) as u8;
        let without = self.deviation(None).map_or(0.0, |(deviation, _)| deviation);
        let with = (0..params).filter_map(|index| Some((self.deviation(Some(index))?, index)));
        // Of those that leave as little, the one whose line is most like a proportion.
        let order = |((deviation, power), _): &((f64, f64), u8)| ((deviation * 20.0).round(), (power - 1.0).abs());
        let best = with.min_by(|one, other| order(one).partial_cmp(&order(other)).unwrap_or(std::cmp::Ordering::Equal));
        match best {
            Some(((deviation, _), index)) if at_once || deviation < without * MENDS => FIRST_PARAM + u64::from(index),
            None => now,
            _ => BYTES,
        }
    }

    /// The mean deviation of the logarithms of the times from what a parameter predicts, or from their mean, and the
    /// power of the line. None where the parameter never differs.
    fn deviation(&self, index: Option<u8>) -> Option<(f64, f64)> {
        let mut seen: Vec<(usize, u64)> = Vec::new();
        let (mut sum, mut count, mut differs) = (0.0, 0, false);
        let (mut powers, mut lines) = (0.0, 0.0);
        for row in &self.rows {
            let key = (row.place, row.shape.bytes);
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let alike = self.rows.iter().filter(|row| (row.place, row.shape.bytes) == key);
            let points: Vec<(u64, f64)> = alike
                .map(|row| {
                    let value = index.map_or(0, |index| row.shape.params.value(index));
                    (value, (row.ns.max(1) as f64).ln())
                })
                .collect();
            differs |= points.iter().any(|point| point.0 != points[0].0);
            let (of_line, power) = from_line(&points);
            let deviation = of_line.min(from_means(&points));
            sum += deviation * points.len() as f64;
            count += points.len();
            if points.len() > 1 {
                powers += power;
                lines += 1.0;
            }
        }
        let power = if lines > 0.0 { powers / lines } else { 1.0 };
        (index.is_none() || differs).then(|| (sum / count.max(1) as f64, power))
    }
}

/// The mean distance of the points from the line through them, in logarithms, and the power of the line.
fn from_line(points: &[(u64, f64)]) -> (f64, f64) {
    let many = points.len().max(1) as f64;
    let x = |value: u64| (value.max(1) as f64).ln();
    let mean_x = points.iter().map(|point| x(point.0)).sum::<f64>() / many;
    let mean_y = points.iter().map(|point| point.1).sum::<f64>() / many;
    let both = points.iter().map(|point| (x(point.0) - mean_x) * (point.1 - mean_y));
    let square = points.iter().map(|point| (x(point.0) - mean_x).powi(2));
    let (both, square): (f64, f64) = (both.sum(), square.sum());
    let power = if square > 0.0 { both / square } else { 0.0 };
    let far = |point: &(u64, f64)| (point.1 - mean_y - power * (x(point.0) - mean_x)).abs();
    (points.iter().map(far).sum::<f64>() / many, power)
}

/// The mean distance of the points from the mean of those with the same value. Infinite where most values come once.
fn from_means(points: &[(u64, f64)]) -> f64 {
    let mut values: Vec<u64> = points.iter().map(|point| point.0).collect();
    values.sort_unstable();
    values.dedup();
    if values.len() * 2 > points.len() {
        return f64::INFINITY;
    }
    let mut sum = 0.0;
    for value in values {
        let alike = || points.iter().filter(|point| point.0 == value).map(|point| point.1);
        let mean = alike().sum::<f64>() / alike().count() as f64;
        sum += alike().map(|y| (y - mean).abs()).sum::<f64>();
    }
    sum / points.len() as f64
}

/// The values of one parameter, for EDTs whose blocks have as many bytes.
struct Group {
    bytes: u64,
    index: u8,
    values: Sizes,
}

/// What is known of one place by the values of a parameter.
#[derive(Default)]
pub(crate) struct Groups {
    groups: [OnceLock<Box<Group>>; GROUPS],
}

impl Groups {
    fn of(&self, bytes: u64, index: u8) -> Option<&Group> {
        let there = self.groups.iter().map_while(|group| group.get());
        there.map(Box::as_ref).find(|group| group.bytes == bytes && group.index == index)
    }

    /// The class for samples of a value. None where there are too many numbers of bytes.
    pub(crate) fn class_for(&self, bytes: u64, index: u8, value: u64) -> Option<&Class> {
        for group in &self.groups {
            let make = || {
                let values = Sizes::default();
                Box::new(Group { bytes, index, values })
            };
            let group = group.get_or_init(make);
            if group.bytes == bytes && group.index == index {
                return group.values.class_for(value);
            }
        }
        None
    }

    /// What an EDT takes with this value: a guess where one other value alone has samples.
    pub(crate) fn expected(&self, bytes: u64, index: u8, value: u64) -> Option<Estimate> {
        self.of(bytes, index)?.values.expected(value)
    }

    /// The class of a value, if there is one.
    pub(crate) fn class_of(&self, bytes: u64, index: u8, value: u64) -> Option<&Class> {
        self.of(bytes, index)?.values.class_of(value)
    }

    /// Calls `see` for each class of a parameter's values, with the bytes and the value.
    pub(crate) fn each(&self, index: u8, mut see: impl FnMut(u64, u64, &Class)) {
        let there = self.groups.iter().map_while(|group| group.get());
        for group in there.filter(|group| group.index == index) {
            for (value, class) in group.values.each() {
                see(group.bytes, value, class);
            }
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::model::RunTimes;

    fn shape(params: &[u64]) -> Shape {
        Shape { bytes: 64, params: Params::first_of(params) }
    }

    fn ns(times: &RunTimes, place: usize, params: &[u64]) -> Option<u64> {
        let found = times.expected(place, shape(params))?;
        (!found.is_guess()).then_some(found.ns)
    }

    #[test]
    fn a_parameter_that_decides_is_found_beside_one_that_does_not() {
        let times = RunTimes::default();
        for number in 0..12u64 {
            let steps = 1000 << (number * 5 % 4);
            times.sample(0, shape(&[number, steps, 7]), steps * 3, false);
        }
        for steps in [1000, 2000, 4000, 8000] {
            assert_eq!(ns(&times, 0, &[99, steps, 7]), Some(steps * 3));
        }
        // By the line through the others.
        let between = ns(&times, 0, &[99, 3000, 7]).expect("a line");
        assert!(between.abs_diff(9000) < 100, "{between}");
        assert_eq!(ns(&times, 1, &[99, 1000, 7]), None, "a place where none has run");
    }

    #[test]
    fn numbers_of_edts_are_no_reason_to_tell_them_apart() {
        let times = RunTimes::default();
        for number in 0..40u64 {
            times.sample(0, shape(&[number, 500]), 1000 + number * 7 % 30, false);
        }
        assert!(ns(&times, 0, &[777, 500]).is_some());
        times.each_new(0, |_, told_by, _| assert_eq!(told_by, ToldBy::Bytes));
    }

    #[test]
    fn times_that_scatter_are_not_told_apart() {
        let times = RunTimes::default();
        for number in 0..100u64 {
            let ns = 1000 << (number * 11 % 7 % 4);
            times.sample(0, shape(&[number, number % 3]), ns, false);
        }
        times.each_new(0, |_, told_by, _| assert_eq!(told_by, ToldBy::Bytes));
    }

    #[test]
    fn edts_with_other_parameters_than_all_before_are_guessed() {
        let (first, second) = (RunTimes::default(), RunTimes::default());
        for place in 0..2 {
            first.sample(place, shape(&[5]), 1000, false);
        }
        assert_eq!(ns(&first, 0, &[5]), Some(1000));
        assert_eq!(ns(&first, 0, &[6]), None);
        // The next run knows it, too.
        for place in 0..2 {
            first.each_new(place, |bytes, told_by, kept| {
                assert_eq!(told_by, ToldBy::Only(Params::first_of(&[5])));
                second.seed(place, bytes, told_by, &kept);
            });
        }
        assert_eq!(ns(&second, 1, &[6]), None);
        // One that takes twenty times as long distinguishes them, in both places.
        second.sample(0, shape(&[100]), 20_000, false);
        assert_eq!(ns(&second, 0, &[100]), Some(20_000));
        assert_eq!(ns(&second, 1, &[100]), None);
        let mut told = Vec::new();
        second.each_new(0, |_, told_by, _| told.push(told_by));
        told.sort_unstable();
        let param = |value| ToldBy::Param { index: 0, value };
        assert_eq!(told, [param(5), param(100)]);
    }

    /// Otherwise each run would try the place anew: the launch is the only one there.
    #[test]
    fn a_first_launch_is_known_by_the_value_of_the_parameter() {
        let (first, second) = (RunTimes::default(), RunTimes::default());
        for steps in [1000, 20_000] {
            first.sample(0, shape(&[steps]), steps, false);
        }
        first.sample(1, shape(&[1000]), 50, false);
        first.first(1, shape(&[20_000]), 90_000);
        let guessed = |times: &RunTimes| times.expected(1, shape(&[20_000])).map(|found| (found.is_guess(), found.ns));
        assert_eq!(guessed(&first), Some((true, 90_000)));
        assert_eq!(first.at_most(1, shape(&[20_000])), Some(90_000));
        assert_eq!(ns(&first, 1, &[1000]), Some(50));
        // The next run knows it, too.
        for place in 0..2 {
            first.each_new(place, |bytes, told_by, kept| second.seed(place, bytes, told_by, &kept));
        }
        assert_eq!(guessed(&second), Some((true, 90_000)));
        assert_eq!(ns(&second, 1, &[1000]), Some(50));
    }

    #[test]
    fn parameters_that_a_hint_names_decide() {
        let times = RunTimes::default();
        let named = |values: &[u64]| Shape { bytes: 64, params: Params::named(values, 0b101) };
        for (values, ns) in [([2, 9, 3], 600), ([1, 8, 4], 400), ([5, 7, 5], 2500)] {
            times.sample(0, named(&values), ns, false);
        }
        let found = |values: &[u64]| times.expected(0, named(values)).map(|found| found.ns);
        assert_eq!(found(&[3, 1, 2]), Some(600));
        assert!(found(&[10, 0, 1]).is_some_and(|ns| ns.abs_diff(1000) < 20));
    }
}
