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
mod tests;
