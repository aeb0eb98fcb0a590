//! How long the EDTs of one template take in each place, and how good the predictions are.

use crate::model::PLACES;
use crate::model::class::{Class, Estimate, KeptTimes};
use crate::model::samples::{KEPT, Samples};
use crate::model::shape::Shape;
use crate::model::sizes::Sizes;
use crate::model::split::{Decides, Groups, Split, ToldBy};
#[cfg(loom)]
use loom::sync::Mutex;
use ocr_base::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::Mutex;
use std::sync::OnceLock;

impl Estimate {
    /// An estimate of `ns` nanoseconds without a sample: from a program's hint, or from a launch in which a kernel may
    /// have been compiled. Its deviation is as large as the time.
    pub(crate) fn guess(ns: u64) -> Estimate {
        Estimate { ns, deviation: ns, samples: 0 }
    }

    /// Whether this estimate is a guess. Guesses are not judged when the EDT has run.
    pub(crate) fn is_guess(&self) -> bool {
        self.samples == 0 && self.deviation == self.ns
    }
}

/// Predictions for a place can fail only from this many on.
const JUDGED_FROM: usize = 8;
/// Predictions for a place fail where the median of their relative errors is above this, in thousandths.
const FAILS_ABOVE: u32 = 500;
/// The largest relative error that is kept, in thousandths; a larger one counts as this.
const WORST: u64 = 1_000_000;

/// How long the EDTs of a template take, by place and by the bytes of their blocks. In each place one variant runs.
///
/// The times belong to a template's code, which is compared with other code and copied before anything has run. So all
/// `RunTimes` are equal, and a copy is empty.
#[derive(Default)]
pub struct RunTimes(OnceLock<Box<TimesTable>>);

#[derive(Default)]
struct TimesTable {
    places: [OnceLock<Box<PlaceTimes>>; PLACES],
    /// Nanoseconds by a hint of the program; 0 without a hint.
    guess: AtomicU64,
    /// The places whose predictions fail: a bit for each.
    failing: AtomicU32,
    /// How many samples of this run were compared with a prediction.
    judged: AtomicU32,
    /// How many samples of this run were compared with a prediction while the predictions for their place failed.
    judged_failing: AtomicU32,
    /// By which parameter times are distinguished beside the bytes of blocks.
    split: Split,
    /// Whether the function of the last finish EDT has done most of the work of its scope itself.
    works_alone: AtomicBool,
    /// Whether a thread has called [`RunTimes::begin_recall`] already.
    recalled: AtomicBool,
    /// How long they take from their begin to their end in places that run several at once: those that ran alone there,
    /// and those that ran beside others. It is not kept between runs, as it depends on how many do.
    latencies: OnceLock<Box<[RunTimes; 2]>>,
}

/// What is known of the EDTs of a template in one place.
#[derive(Default)]
struct PlaceTimes {
    sizes: Sizes,
    /// The samples by the values of a parameter, where a parameter decides.
    groups: Groups,
    /// The relative errors of the last eleven predictions, in thousandths.
    errors: Mutex<Samples>,
    /// The median of `errors`, published for lookups without a lock. `class.rs` says why `Relaxed` is enough.
    error: AtomicU32,
    /// How many `errors` there are, published like `error`.
    predictions: AtomicU32,
}

impl RunTimes {
    /// What an EDT of this shape will take in a place. Where nothing is known of the place, a hint of the program
    /// counts. None without either.
    #[inline]
    pub fn expected(&self, place: usize, shape: impl Into<Shape>) -> Option<Estimate> {
        let table = self.0.get()?;
        let known = table.places.get(place)?.get();
        known.and_then(|times| times.expected(&table.split, &shape.into())).or_else(|| table.guessed())
    }

    /// The most nanoseconds that an EDT of this shape takes in a place, where a launch in which the kernel may have
    /// been compiled is all that is known of it there.
    pub fn at_most(&self, place: usize, shape: impl Into<Shape>) -> Option<u64> {
        self.class_of(place, &shape.into())?.only_first()
    }

    /// Nanoseconds that the newest EDT of this shape took in a place in this run.
    pub fn newest(&self, place: usize, shape: impl Into<Shape>) -> Option<u64> {
        self.class_of(place, &shape.into())?.newest()
    }

    /// How many times as long an EDT of this shape takes in a place while another place works as while none does. None
    /// where that is not known.
    pub fn slowdown(&self, place: usize, shape: impl Into<Shape>) -> Option<f64> {
        self.class_of(place, &shape.into())?.slowdown()
    }

    fn class_of(&self, place: usize, shape: &Shape) -> Option<&Class> {
        let table = self.0.get()?;
        let times = table.places.get(place)?.get()?;
        match table.split.decides(&shape.params) {
            Decides::Param(index) => (times.groups).class_of(shape.bytes, index, shape.params.value(index)),
            _ => times.sizes.class_of(shape.bytes),
        }
    }

    /// What distinguishes EDTs from each other by their times, as far as it is known: those for which it is the same
    /// are alike.
    pub fn alike(&self, shape: &Shape) -> (u64, u64) {
        const DIGITS: u32 = 6;
        let split = self.0.get().map(|table| &table.split);
        let value = match split.map(|split| split.decides(&shape.params)) {
            None | Some(Decides::Bytes) => 0,
            Some(Decides::Other) => u64::MAX,
            Some(Decides::Param(index)) => shape.params.value(index),
        };
        // Values that differ by a part in sixty-four are.
        let low = (u64::BITS - value.leading_zeros()).saturating_sub(DIGITS);
        (shape.bytes, value >> low << low)
    }

    /// Notes that an EDT of this shape took `ns` nanoseconds in a place. `beside` says whether another place worked,
    /// too.
    pub fn sample(&self, place: usize, shape: impl Into<Shape>, ns: u64, beside: bool) {
        let table = self.0.get_or_init(Box::default);
        let Some(times) = table.places.get(place) else {
            return;
        };
        let shape = shape.into();
        let times = times.get_or_init(Box::default);
        if let Some(predicted) = times.expected(&table.split, &shape)
            && !predicted.is_guess()
        {
            times.judge(predicted.ns, ns, |fails| table.note(place, fails));
        }
        if shape.params.count() != 0 {
            let alike = times.sizes.expected(shape.bytes);
            let alike = alike.filter(|alike| !alike.is_guess() && alike.samples != 0);
            let error = times.error.load(Ordering::Relaxed);
            let split = (table.split).note(place, &shape, ns, alike.map(|alike| alike.ns), error);
            for row in split.iter().flatten() {
                if let Some(place) = table.places.get(row.place) {
                    let place = place.get_or_init(Box::default);
                    place.errors_begin_anew();
                    if let Some(class) = table.split.class_for(&place.groups, &row.shape) {
                        class.add(row.ns, false);
                    }
                }
            }
            if split.is_some() {
                table.failing.store(0, Ordering::Relaxed);
            } else if let Some(class) = table.split.class_for(&times.groups, &shape) {
                class.add(ns, beside);
            }
        }
        if let Some(class) = times.sizes.class_for(shape.bytes) {
            class.add(ns, beside);
        }
    }

    /// Whether the function of a finish EDT does most of the work of its scope itself, by the last one: then its time
    /// is that of one worker. Otherwise the workers do it together.
    pub fn works_alone(&self) -> bool {
        self.0.get().is_some_and(|table| table.works_alone.load(Ordering::Relaxed))
    }

    /// Whether a function that took so long does most of the work of its scope itself, which was open for `whole` in
    /// all.
    pub fn is_alone(function_ns: u64, whole_ns: u64) -> bool {
        function_ns.saturating_mul(4) >= whole_ns.saturating_mul(3)
    }

    /// Notes whether it does. It orders nothing.
    pub fn note_alone(&self, alone: bool) {
        self.0.get_or_init(Box::default).works_alone.store(alone, Ordering::Relaxed);
    }

    /// How many nanoseconds an EDT of this shape will take from its begin to its end, in a place that runs several EDTs
    /// at once: beside others there, or alone. Those beside each other share the place, so that each keeps it busy for
    /// less ([`RunTimes::expected`]). None if no such time is known.
    pub fn latency(&self, place: usize, shape: impl Into<Shape>, beside: bool) -> Option<u64> {
        let latencies = &self.0.get()?.latencies.get()?[usize::from(beside)];
        (latencies.expected(place, shape)).map(|estimate| estimate.ns)
    }

    /// Notes that an EDT of this shape took `ns` nanoseconds from its begin to its end, in a place that runs
    /// several EDTs at once: beside others there, or alone.
    pub fn sample_latency(&self, place: usize, shape: impl Into<Shape>, ns: u64, beside: bool) {
        let latencies = &self.0.get_or_init(Box::default).latencies;
        let latencies = latencies.get_or_init(Box::default);
        latencies[usize::from(beside)].sample(place, shape, ns, true);
    }

    /// Notes that an EDT of this shape took `ns` nanoseconds in a place, in which its kernel may have been compiled.
    /// This is a guess for as long as there is no sample of such EDTs.
    pub fn first(&self, place: usize, shape: impl Into<Shape>, ns: u64) {
        let table = self.0.get_or_init(Box::default);
        let Some(times) = table.places.get(place) else {
            return;
        };
        let (times, shape) = (times.get_or_init(Box::default), shape.into());
        let of_value = (shape.params.count() != 0).then(|| table.split.class_for(&times.groups, &shape)).flatten();
        if let Some(class) = of_value.or_else(|| times.sizes.class_for(shape.bytes)) {
            class.add_first(ns);
        }
    }

    /// Notes the nanoseconds that the program's hint says an EDT takes, wherever it runs. They count for places of
    /// which nothing is known.
    pub fn guess(&self, ns: u64) {
        let table = self.0.get_or_init(Box::default);
        // If the program gives several hints, the one that comes last counts.
        table.guess.store(ns, Ordering::Relaxed);
    }

    /// The median of the relative errors of the last eleven predictions for a place: 0.5 where they are off by half of
    /// what the EDTs took. None if there was no prediction.
    pub fn error(&self, place: usize) -> Option<f64> {
        let times = self.0.get()?.places.get(place)?.get()?;
        let predictions = times.predictions.load(Ordering::Relaxed);
        (predictions != 0).then(|| f64::from(times.error.load(Ordering::Relaxed)) / 1000.0)
    }

    /// Whether the predictions for a place are so wrong that they are worse than none.
    #[inline]
    pub fn fails(&self, place: usize) -> bool {
        let table = self.0.get();
        table.is_some_and(|table| table.failing.load(Ordering::Relaxed) >> place & 1 != 0)
    }

    /// Whether the predictions have failed for at least a fifth of this run's samples. Fewer failures do not
    /// count, since the last few EDTs of a graph are often of another kind than the others.
    pub fn has_failed(&self) -> bool {
        let count = |count: &AtomicU32| count.load(Ordering::Relaxed);
        let table = self.0.get();
        table.is_some_and(|table| {
            let failing = count(&table.judged_failing);
            failing > 0 && failing >= count(&table.judged) / 5
        })
    }

    /// True for the first thread that asks, which is to [seed](RunTimes::seed) these times with what earlier runs have
    /// kept.
    pub fn begin_recall(&self) -> bool {
        let table = self.0.get_or_init(Box::default);
        !table.recalled.swap(true, Ordering::Relaxed)
    }

    /// Adds the times that an earlier run has kept for a place, a size in bytes and some parameters.
    pub fn seed(&self, place: usize, bytes: u64, told_by: ToldBy, kept: &KeptTimes) {
        let table = self.0.get_or_init(Box::default);
        let Some(times) = table.places.get(place) else {
            return;
        };
        let times = times.get_or_init(Box::default);
        let class = match told_by {
            ToldBy::Param { index, value } => {
                table.split.seed(told_by);
                times.groups.class_for(bytes, index, value)
            }
            _ => {
                table.split.seed(told_by);
                times.sizes.class_for(bytes)
            }
        };
        if let Some(class) = class {
            class.seed(kept);
        }
    }

    /// Calls `see` for each size in a place to which this run has added, with its bytes, what else distinguishes it
    /// from others, and the times that must be kept.
    pub fn each_new(&self, place: usize, mut see: impl FnMut(u64, ToldBy, KeptTimes)) {
        let Some(table) = self.0.get() else { return };
        let Some(times) = table.places.get(place).and_then(OnceLock::get) else {
            return;
        };
        let told_by = table.split.told_by();
        if let ToldBy::Param { index, .. } = told_by {
            times.groups.each(index, |bytes, value, class| {
                if let Some((kept, true)) = class.kept() {
                    see(bytes, ToldBy::Param { index, value }, kept);
                }
            });
            return;
        }
        for (bytes, class) in times.sizes.each() {
            if let Some((kept, true)) = class.kept() {
                see(bytes, told_by, kept);
            }
        }
    }
}

impl TimesTable {
    fn guessed(&self) -> Option<Estimate> {
        let ns = self.guess.load(Ordering::Relaxed);
        (ns != 0).then(|| Estimate::guess(ns))
    }

    /// Notes that a sample was compared with a prediction, and whether the predictions for the place fail now.
    fn note(&self, place: usize, fails: bool) {
        let bit = 1 << place;
        // If two threads add at once, one addition may be lost.
        let add = |count: &AtomicU32| count.store(count.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
        add(&self.judged);
        if fails {
            add(&self.judged_failing);
        }
        let was = self.failing.load(Ordering::Relaxed) & bit != 0;
        match (was, fails) {
            (false, true) => drop(self.failing.fetch_or(bit, Ordering::Relaxed)),
            (true, false) => drop(self.failing.fetch_and(!bit, Ordering::Relaxed)),
            _ => {}
        }
    }
}

impl PlaceTimes {
    /// What an EDT will take here.
    #[inline]
    fn expected(&self, split: &Split, shape: &Shape) -> Option<Estimate> {
        if shape.params.count() == 0 {
            return self.sizes.expected(shape.bytes);
        }
        let foreign = |found: Estimate| Estimate::guess(found.ns);
        match split.decides(&shape.params) {
            Decides::Bytes => self.sizes.expected(shape.bytes),
            Decides::Other => self.sizes.expected(shape.bytes).map(foreign),
            Decides::Param(index) => {
                let value = shape.params.value(index);
                let found = self.groups.expected(shape.bytes, index, value);
                found.or_else(|| self.sizes.expected(shape.bytes).map(foreign))
            }
        }
    }

    /// What predictions have been worth says nothing of others.
    fn errors_begin_anew(&self) {
        // Nothing panics with the lock held, so it is never poisoned.
        if let Ok(mut errors) = self.errors.try_lock() {
            *errors = Samples::default();
            self.error.store(0, Ordering::Relaxed);
            self.predictions.store(0, Ordering::Relaxed);
        }
    }

    /// Compares a prediction with what the EDT took, both in nanoseconds, and calls `note` with whether the predictions
    /// for the place fail now. Does nothing if another thread compares right now.
    fn judge(&self, predicted: u64, ns: u64, note: impl FnOnce(bool)) {
        let error = (predicted.abs_diff(ns)).saturating_mul(1000) / ns.max(1);
        // Nothing panics with the lock held, so it is never poisoned.
        let Ok(mut errors) = self.errors.try_lock() else {
            return;
        };
        errors.add(error.min(WORST));
        let median = errors.median() as u32;
        self.error.store(median, Ordering::Relaxed);
        self.predictions.store(errors.len() as u32, Ordering::Relaxed);
        debug_assert!(errors.len() <= KEPT);
        note(errors.len() >= JUDGED_FROM && median > FAILS_ABOVE);
    }
}

impl Clone for RunTimes {
    fn clone(&self) -> RunTimes {
        RunTimes::default()
    }
}

impl PartialEq for RunTimes {
    fn eq(&self, _: &RunTimes) -> bool {
        true
    }
}

impl Eq for RunTimes {}

impl std::hash::Hash for RunTimes {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn expected(times: &RunTimes, place: usize, bytes: u64) -> Option<u64> {
        times.expected(place, bytes).map(|estimate| estimate.ns)
    }

    fn kept_of(times: &RunTimes, place: usize) -> Vec<(u64, KeptTimes)> {
        let mut kept = Vec::new();
        times.each_new(place, |bytes, _, times| kept.push((bytes, times)));
        kept.sort_unstable_by_key(|(bytes, _)| *bytes);
        kept
    }

    #[test]
    fn places_and_sizes_are_told_apart() {
        let times = RunTimes::default();
        assert_eq!(expected(&times, 0, 64), None);
        for (place, bytes, ns) in [(0, 64, 100), (0, 128, 300), (1, 64, 20)] {
            times.sample(place, bytes, ns, false);
        }
        assert_eq!(expected(&times, 0, 64), Some(100));
        assert_eq!(expected(&times, 0, 128), Some(300));
        assert_eq!(expected(&times, 1, 64), Some(20));
        assert_eq!(expected(&times, 2, 64), None);
        assert_eq!(expected(&times, PLACES, 64), None);
        times.sample(PLACES, 64, 1, false);
        assert_eq!(expected(&times, 255, 64), None);
    }

    #[test]
    fn how_long_an_edt_keeps_a_place_and_how_long_it_takes_are_two_things() {
        let times = RunTimes::default();
        assert_eq!(times.latency(1, 64, true), None);
        times.sample(1, 64, 20, true);
        times.sample_latency(1, 64, 300, true);
        assert_eq!(expected(&times, 1, 64), Some(20));
        assert_eq!(times.latency(1, 64, true), Some(300));
        assert_eq!(times.latency(1, 64, false), None);
        assert_eq!(times.latency(0, 64, true), None);
        assert_eq!(kept_of(&times, 1).len(), 1);
    }

    #[test]
    fn a_first_launch_is_a_guess_until_there_is_a_sample() {
        let times = RunTimes::default();
        times.first(1, 64, 900);
        times.first(1, 64, 700);
        assert_eq!(expected(&times, 1, 64), Some(700));
        assert_eq!(times.error(1), None);
        let kept = kept_of(&times, 1);
        let first = KeptTimes { first: Some(700), ..KeptTimes::default() };
        assert_eq!(kept, [(64, first)]);
        // The next run guesses by it, too, and believes the first sample.
        let next = RunTimes::default();
        next.seed(1, 64, ToldBy::Bytes, &kept[0].1);
        assert_eq!(kept_of(&next, 1), [], "nothing is new");
        for times in [&times, &next] {
            let guess = times.expected(1, 64).expect("a guess");
            assert!(guess.ns == 700 && guess.samples == 0, "{guess:?}");
            times.sample(1, 64, 100, false);
            assert_eq!(expected(times, 1, 64), Some(100));
            assert_eq!(times.error(1), None, "a guess is not judged");
            let (_, kept) = &kept_of(times, 1)[0];
            assert!(kept.first.is_none() && kept.alone == [100], "{kept:?}");
        }
    }

    #[test]
    fn what_ran_beside_others_counts_while_there_are_others() {
        let times = RunTimes::default();
        for _ in 0..11 {
            times.sample(0, 64, 100, false);
        }
        for round in 1..=3 {
            assert_eq!(expected(&times, 0, 64), Some(100), "{round}");
            times.sample(0, 64, 200, true);
        }
        assert_eq!(expected(&times, 0, 64), Some(200));
        // Alone again, and slower than before: noticed within ten.
        let noticed = (1..=10).find(|_| {
            times.sample(0, 64, 1000, false);
            expected(&times, 0, 64) == Some(1000)
        });
        assert!(noticed.is_some());
    }

    #[test]
    fn a_place_that_becomes_ten_times_slower_is_noticed_within_ten() {
        for old_beside in [false, true] {
            for new_beside in [false, true] {
                let times = RunTimes::default();
                for _ in 0..40 {
                    times.sample(1, 64, 1000, old_beside);
                }
                let noticed = (1..=10).find(|_| {
                    times.sample(1, 64, 10_000, new_beside);
                    expected(&times, 1, 64) == Some(10_000)
                });
                assert!(noticed.is_some(), "{old_beside} {new_beside}");
            }
        }
    }

    #[test]
    fn the_newest_samples_outvote_older_ones_within_five() {
        for (before, after) in [(1000, 1300), (1000, 700), (1000, 20_000)] {
            for kinds in 0..16u32 {
                let times = RunTimes::default();
                for round in 0..40 {
                    times.sample(0, 64, before + round % 3, round % 2 == 0);
                }
                let noticed = (0..5).find(|round| {
                    times.sample(0, 64, after, (kinds >> (round % 4)) & 1 != 0);
                    expected(&times, 0, 64) == Some(after)
                });
                assert!(noticed.is_some(), "{after} {kinds:b}");
            }
        }
        // Two in a row that were interrupted are not enough.
        let times = RunTimes::default();
        for round in 0..40 {
            times.sample(0, 64, if round % 7 > 4 { 90_000 } else { 1000 }, false);
            assert!(expected(&times, 0, 64) == Some(1000), "{round}");
        }
    }

    #[test]
    fn hints_are_used_where_nothing_is_known() {
        let times = RunTimes::default();
        times.guess(5000);
        assert_eq!(expected(&times, 3, 64), Some(5000));
        times.sample(3, 64, 70, false);
        assert_eq!(expected(&times, 3, 64), Some(70));
        assert_eq!(expected(&times, 2, 64), Some(5000));
    }

    #[test]
    fn predictions_that_fail_are_told_and_forgiven() {
        let times = RunTimes::default();
        assert!(!times.fails(0) && times.error(0).is_none());
        // What one takes depends on something else than the size.
        for round in 0..40u64 {
            times.sample(0, 64, 1000 << (round * 7 % 5), false);
        }
        assert!(times.fails(0), "{:?}", times.error(0));
        assert!(times.error(0).expect("predictions") > 0.5);
        for _ in 0..30 {
            times.sample(0, 64, 1000, false);
        }
        assert!(!times.fails(0) && times.has_failed());
        assert_eq!(times.error(0), Some(0.0));
    }

    #[test]
    fn few_predictions_are_not_judged() {
        let times = RunTimes::default();
        for round in 0..8 {
            assert!(!times.fails(0), "{round}");
            times.sample(0, 64, 1000 << round, false);
        }
        times.sample(0, 64, 1000 << 9, false);
        assert!(times.fails(0));
    }

    #[test]
    fn what_is_kept_can_be_taken_in_again() {
        let (first, second) = (RunTimes::default(), RunTimes::default());
        for ns in 1..=20 {
            first.sample(0, 64, ns, ns % 2 == 0);
        }
        first.sample(0, 128, 7, false);
        let kept = kept_of(&first, 0);
        let (bytes, of_128) = &kept[1];
        assert!(*bytes == 128 && of_128.alone == [7] && of_128.beside.is_empty());
        for (bytes, times) in &kept {
            second.seed(0, *bytes, ToldBy::Bytes, times);
        }
        for bytes in [64, 128] {
            assert_eq!(first.expected(0, bytes), second.expected(0, bytes));
        }
        assert_eq!(kept_of(&second, 0), [], "nothing is new");
    }

    #[test]
    fn what_ran_beside_others_long_ago_is_not_what_ran_last() {
        let (first, second) = (RunTimes::default(), RunTimes::default());
        for beside in [true, false] {
            for _ in 0..11 {
                first.sample(0, 64, if beside { 900 } else { 100 }, beside);
            }
        }
        second.seed(0, 64, ToldBy::Bytes, &kept_of(&first, 0)[0].1);
        assert_eq!(expected(&second, 0, 64), Some(100));
        // The runs go on alike.
        for round in 0..4 {
            for times in [&first, &second] {
                times.sample(0, 64, 900, true);
            }
            assert_eq!(expected(&first, 0, 64), expected(&second, 0, 64), "{round}");
        }
        assert_eq!(expected(&second, 0, 64), Some(900));
    }

    #[test]
    fn threads_lose_samples_at_most() {
        let times = RunTimes::default();
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let times = &times;
                scope.spawn(move || {
                    for round in 0..if cfg!(miri) { 20 } else { 20_000u64 } {
                        let bytes = 64 << (round % 3);
                        times.sample(0, bytes, bytes * 10 + thread, round % 2 == 0);
                        let found = times.expected(0, bytes);
                        assert!(found.is_none_or(|e| (bytes * 10..bytes * 10 + 4).contains(&e.ns)));
                    }
                });
            }
        });
        assert!(!times.fails(0));
    }
}
