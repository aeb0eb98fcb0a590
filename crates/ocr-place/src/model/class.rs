//! The samples of one template in one place for one size, and what is published of them.
//!
//! # Which thread reads what, and when
//!
//! The thread that has run an EDT adds the sample under the lock of the class. It does not wait for the lock: where
//! another thread has it, the sample is dropped, since waiting costs more than a sample is worth. What follows
//! from the samples is published in atomics, so that a lookup takes no lock. Median, deviation and count are three
//! words, and a lookup may read one of them from before a sample and another from behind it. Each of them is right for
//! this class within one sample, which is all that a prediction needs. They name no memory and no access pairs with
//! another, so `Relaxed` is enough. A median of 0 says that there is none, and a published one is never less than 1. A
//! lookup beside the first sample may find the median and still a count of 0; the estimate then looks as if it followed
//! from other sizes.

use crate::model::samples::{KEPT, Samples};
#[cfg(loom)]
use loom::sync::Mutex;
use ocr_base::sync::{AtomicBool, AtomicU32, AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::Mutex;
use std::sync::OnceLock;

/// How long an EDT will take in a place, and how sure that is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Estimate {
    /// The median of the samples, in nanoseconds.
    pub ns: u64,
    /// The median of the samples' distances from their median, in nanoseconds.
    pub deviation: u64,
    /// How many samples of this very size the estimate follows from, at most eleven. With 0 it follows from other
    /// sizes, from a hint, or from a launch in which the kernel may have been compiled.
    pub samples: u32,
}

/// The times of EDTs with one size of blocks that are kept from run to run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeptTimes {
    /// What EDTs took while no other place worked, in nanoseconds, the oldest first; at most eleven.
    pub alone: Vec<u64>,
    /// What EDTs took while another place worked, too, in nanoseconds, the oldest first; at most eleven.
    pub beside: Vec<u64>,
    /// Which of the last eleven samples of both kinds ran beside others: a bit for each, the last one lowest.
    pub lately: u32,
    /// Nanoseconds of a launch in which the kernel may have been compiled, if there are no samples.
    pub first: Option<u64>,
}

impl KeptTimes {
    /// The median of all samples; none where there are none.
    pub fn median(&self) -> Option<u64> {
        let mut all = [&self.alone[..], &self.beside].concat();
        all.sort_unstable();
        all.get(all.len() / 2).copied()
    }

    /// These times, and behind them those of a later run.
    pub(crate) fn then(&self, later: &KeptTimes) -> KeptTimes {
        let behind = |older: &[u64], newer: &[u64]| {
            let all = [older, newer].concat();
            all[all.len().saturating_sub(KEPT)..].to_vec()
        };
        let alone = behind(&self.alone, &later.alone);
        let beside = behind(&self.beside, &later.beside);
        let count = (later.alone.len() + later.beside.len()).min(KEPT);
        let first = [self.first, later.first].into_iter().flatten().min();
        KeptTimes {
            first: first.filter(|_| alone.is_empty() && beside.is_empty()),
            alone,
            beside,
            lately: (self.lately << count | later.lately) & LAST,
        }
    }
}

/// The bits of the last eleven samples.
const LAST: u32 = (1 << KEPT) - 1;

/// Samples that ran beside others are believed where at least this many are among the last eleven of both kinds.
const BESIDE_FROM: u32 = 3;

/// The median, deviation and number of some samples, for lookups without a lock.
#[derive(Default)]
struct Published {
    ns: AtomicU64,
    deviation: AtomicU64,
    samples: AtomicU32,
}

impl Published {
    fn get(&self) -> Option<Estimate> {
        let ns = self.ns.load(Ordering::Relaxed);
        (ns != 0).then(|| Estimate {
            ns,
            deviation: self.deviation.load(Ordering::Relaxed),
            samples: self.samples.load(Ordering::Relaxed),
        })
    }

    fn set(&self, samples: &Samples) {
        self.deviation.store(samples.deviation(), Ordering::Relaxed);
        self.samples.store(samples.len() as u32, Ordering::Relaxed);
        // There is none without samples.
        let least = u64::from(samples.len() != 0);
        self.ns.store(samples.median().max(least), Ordering::Relaxed);
    }
}

/// This number of samples in a row that all took longer, or all shorter, than was expected outvotes the older ones.
const OUTVOTE: usize = 4;
/// A sample took as long as was expected if it is off by this part of that at most, or by some deviations.
const OFF: f64 = 0.1;
const DEVIATIONS: f64 = 3.0;

/// The samples of a size, guarded by the lock of the class.
#[derive(Default)]
struct KeptSamples {
    alone: Samples,
    beside: Samples,
    /// Which of the last eleven samples ran beside others: a bit for each, the last one lowest.
    kinds: u32,
    /// The newest samples that all took longer, or all shorter, than was expected, and whether they ran beside others.
    off: [(u64, bool); OUTVOTE],
    /// How many of these there are, and whether they took longer.
    many_off: usize,
    took_longer: bool,
    /// Whether this run has added a sample, beside those of earlier runs.
    is_new: bool,
}

/// What is known of the EDTs of a template in one place whose blocks have one size.
#[derive(Default)]
pub(crate) struct Class {
    alone: Published,
    beside: Published,
    /// Nanoseconds of the shortest launch in which a kernel may have been compiled; 0 if there was none. This time is
    /// believed as long as there are no samples: an unknown time keeps EDTs from a place, and a run that launches a
    /// kernel once would never know more.
    first: AtomicU64,
    /// Whether a launch of this run counts in `first`. `Relaxed`: it is read at the end of the run, when the threads
    /// that write it have been joined.
    is_first_new: AtomicBool,
    /// How many of the last eleven samples ran beside others.
    recently_beside: AtomicU32,
    /// Nanoseconds of the newest sample of this run; 0 if there is none.
    newest: AtomicU64,
    kept: OnceLock<Box<Mutex<KeptSamples>>>,
}

impl Class {
    /// What the next EDT will take. The samples that ran beside others count where at least three of the last eleven
    /// did; otherwise those that ran alone count. None where nothing is known.
    pub(crate) fn expected(&self) -> Option<Estimate> {
        let is_beside = self.recently_beside.load(Ordering::Relaxed) >= BESIDE_FROM;
        let (first, second) = if is_beside { (&self.beside, &self.alone) } else { (&self.alone, &self.beside) };
        first.get().or_else(|| second.get()).or_else(|| self.first())
    }

    /// A guess by the shortest launch in which a kernel may have been compiled. None if there was none.
    fn first(&self) -> Option<Estimate> {
        let ns = self.first.load(Ordering::Relaxed);
        (ns != 0).then(|| Estimate::guess(ns))
    }

    /// Notes the time of a launch in which a kernel may have been compiled, in nanoseconds.
    pub(crate) fn add_first(&self, ns: u64) {
        self.take_first(ns);
        self.is_first_new.store(true, Ordering::Relaxed);
    }

    fn take_first(&self, ns: u64) {
        let least = match self.first.load(Ordering::Relaxed) {
            0 => ns,
            least => least.min(ns),
        };
        // If two threads come here at once, the time of either may stay.
        self.first.store(least.max(1), Ordering::Relaxed);
    }

    /// Adds a sample in nanoseconds, unless another thread adds one right now. `beside` says whether another place
    /// worked, too.
    pub(crate) fn add(&self, ns: u64, beside: bool) {
        self.with_kept(|kept| {
            kept.is_new = true;
            self.newest.store(ns.max(1), Ordering::Relaxed);
            if self.is_outvoted(kept, ns, beside) {
                // The place, or what the EDTs do, has changed: what was before says nothing any more. Where all of them
                // ran alone, or all beside others, nothing is shown of the rest.
                if kept.off.iter().any(|(_, beside)| !beside) {
                    kept.alone = Samples::default();
                    self.alone.set(&kept.alone);
                }
                if kept.off.iter().any(|(_, beside)| *beside) {
                    kept.beside = Samples::default();
                    self.beside.set(&kept.beside);
                }
                self.set_kinds(kept, 0);
                for (ns, beside) in kept.off {
                    self.take_in(kept, ns, beside);
                }
                kept.many_off = 0;
                return;
            }
            self.take_in(kept, ns, beside);
        });
    }

    /// How many times as long an EDT takes beside others as alone. None where either has few samples.
    pub(crate) fn slowdown(&self) -> Option<f64> {
        let of = |published: &Published| published.get().filter(|one| one.samples >= BESIDE_FROM);
        let (alone, beside) = (of(&self.alone)?, of(&self.beside)?);
        Some(beside.ns as f64 / alone.ns.max(1) as f64)
    }

    /// Nanoseconds of the newest sample of this run.
    pub(crate) fn newest(&self) -> Option<u64> {
        let ns = self.newest.load(Ordering::Relaxed);
        (ns != 0).then_some(ns)
    }

    /// Nanoseconds of the shortest launch in which a kernel may have been compiled, where there is no sample.
    pub(crate) fn only_first(&self) -> Option<u64> {
        let is_sampled = self.alone.get().is_some() || self.beside.get().is_some();
        self.first().filter(|_| !is_sampled).map(|first| first.ns)
    }

    /// Whether the newest samples, with this one, outvote all older ones.
    fn is_outvoted(&self, kept: &mut KeptSamples, ns: u64, beside: bool) -> bool {
        let Some(expected) = self.expected().filter(|expected| expected.samples != 0) else {
            return false;
        };
        let right = (expected.ns as f64 * OFF).max(expected.deviation as f64 * DEVIATIONS);
        if (ns.abs_diff(expected.ns) as f64) < right {
            kept.many_off = 0;
            return false;
        }
        let is_longer = ns > expected.ns;
        if kept.took_longer != is_longer {
            (kept.took_longer, kept.many_off) = (is_longer, 0);
        }
        kept.off[kept.many_off % OUTVOTE] = (ns, beside);
        kept.many_off += 1;
        kept.many_off == OUTVOTE
    }

    /// Adds the times that an earlier run has kept. This run goes on where the earlier one ended: a sample that ran
    /// beside others counts here as long as it would have counted there.
    pub(crate) fn seed(&self, times: &KeptTimes) {
        if let Some(ns) = times.first {
            self.take_first(ns);
        }
        if times.alone.is_empty() && times.beside.is_empty() {
            return;
        }
        self.with_kept(|kept| {
            for &ns in &times.alone {
                self.take_in(kept, ns, false);
            }
            for &ns in &times.beside {
                self.take_in(kept, ns, true);
            }
            self.set_kinds(kept, times.lately);
        });
    }

    /// The times that must be kept, and whether this run has added to them. None where nothing is known, and where
    /// another thread has the lock.
    pub(crate) fn kept(&self) -> Option<(KeptTimes, bool)> {
        if self.kept.get().is_none() {
            let first = Some(self.first()?.ns);
            let times = KeptTimes { first, ..KeptTimes::default() };
            return Some((times, self.is_first_new.load(Ordering::Relaxed)));
        }
        let mut told = None;
        self.with_kept(|kept| {
            let times = KeptTimes {
                alone: kept.alone.iter().collect(),
                beside: kept.beside.iter().collect(),
                lately: kept.kinds,
                first: None,
            };
            told = Some((times, kept.is_new));
        });
        told
    }

    fn take_in(&self, kept: &mut KeptSamples, ns: u64, beside: bool) {
        let (samples, published) =
            if beside { (&mut kept.beside, &self.beside) } else { (&mut kept.alone, &self.alone) };
        samples.add(ns);
        published.set(samples);
        self.set_kinds(kept, kept.kinds << 1 | u32::from(beside));
    }

    /// Notes which of the last eleven samples ran beside others: a bit of `kinds` for each, the last one lowest. Higher
    /// bits are of earlier samples, and are dropped.
    fn set_kinds(&self, kept: &mut KeptSamples, kinds: u32) {
        let kinds = kinds & LAST;
        if kinds.count_ones() != kept.kinds.count_ones() {
            self.recently_beside.store(kinds.count_ones(), Ordering::Relaxed);
        }
        kept.kinds = kinds;
    }

    /// Calls `f` with the samples under their lock, unless another thread has that.
    fn with_kept(&self, f: impl FnOnce(&mut KeptSamples)) {
        let kept = self.kept.get_or_init(Box::default);
        // Nothing panics with the lock held, so it is never poisoned.
        if let Ok(mut kept) = kept.try_lock() {
            f(&mut kept);
        }
    }
}
