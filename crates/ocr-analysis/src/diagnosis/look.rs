//! What the rules look at, the limits from which on they say something, and what they answer.

use super::chain::Chain;
use super::decisions::{self, Decision, DecisionCause};
use super::ground::Ground;
use super::idle::{IdleTimes, Idleness, PlaceTime, total};
use super::moved::Moved;
use super::variants::{Variant, variants};
use crate::recorded::{RecordedRun, Score, Usage, median};
use ocr_base::text::{Counted, duration};
use ocr_place::policy::Certainty;
use rustc_hash::FxHashMap;

/// The limits from which on rules say something. Shares are parts of 1, and times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How often something must have been seen.
    pub seen: u64,
    /// The share of the run from which on a symptom counts: idle time, copies, EDTs that run alone.
    pub symptom: f64,
    /// The share of the run that decisions must have cost, or by which two runs must differ.
    pub cost: f64,
    /// The share of the run that a change must be able to save, to be worth its words.
    pub worth: f64,
    /// The share of its place's time, or of the chain, from which on a template counts as large.
    pub much_of_place: f64,
    /// The share of its time from which on a place counts as busy.
    pub busy: f64,
    /// The share of its time up to which a place has too little to do.
    pub idle: f64,
    /// The median relative error from which on predictions count as wrong.
    pub error: f64,
    /// The median time up to which EDTs can be too small.
    pub small_ns: u64,
    /// How many times as long as the others an EDT must run to count as long.
    pub long: f64,
}

/// The limits that several rules share.
pub const LIMITS: Limits = Limits {
    seen: 8,
    symptom: 0.1,
    cost: 0.05,
    worth: 0.01,
    much_of_place: 0.25,
    busy: 0.9,
    idle: 0.6,
    error: 0.5,
    small_ns: 100_000,
    long: 3.0,
};

/// What a rule has seen: the figures of one finding.
#[derive(Default)]
pub(super) struct Seen {
    /// The place that the finding is about. None if it is about no single place.
    pub(super) place: Option<u8>,
    /// The number of the template that the finding is about. None if it is about no single template.
    pub(super) template: Option<u32>,
    /// How many nanoseconds shorter the run would be at most. None where that is not known.
    pub(super) saves_ns: Option<u64>,
    /// Findings that save more come before this one, in nanoseconds. None if that is what it saves itself.
    pub(super) behind_ns: Option<u64>,
    /// Whether it is about the cores that workers lacked, which hides what idle time says of the program.
    pub(super) is_of_machine: bool,
    /// What stands in the rule's texts for each name in braces.
    pub(super) words: Vec<(&'static str, String)>,
}

impl Seen {
    /// Something without which the run would be shorter by this many nanoseconds at most.
    pub(super) fn saves(ns: f64) -> Seen {
        Seen { saves_ns: Some(ns as u64), ..Seen::default() }
    }

    /// What saves more nanoseconds than these comes first.
    pub(super) fn behind(mut self, ns: f64) -> Seen {
        self.behind_ns = Some(ns as u64);
        self
    }

    /// What was seen is about the cores that workers lacked.
    pub(super) fn of_machine(mut self) -> Seen {
        self.is_of_machine = true;
        self
    }

    /// What was seen was seen in this place.
    pub(super) fn at(mut self, place: u8) -> Seen {
        self.place = Some(place);
        self
    }

    /// What was seen is about the EDTs of this template.
    pub(super) fn of(mut self, template: u32) -> Seen {
        self.template = Some(template);
        self
    }

    /// The words that stand for `{name}` in the text and the advice of the rule.
    pub(super) fn word(mut self, name: &'static str, words: impl Into<String>) -> Seen {
        self.words.push((name, words.into()));
        self
    }
}

/// What the rules look at: all of it is found in one pass over the run.
pub(crate) struct Look<'a> {
    pub(crate) run: &'a RecordedRun,
    pub(crate) ground: &'a Ground<'a>,
    pub(crate) times: IdleTimes,
    pub(crate) moved: Moved,
    pub(crate) score: Option<Score>,
    pub(crate) variants: Vec<Variant>,
    /// The decisions that have cost something, in the order in which they were made.
    pub(crate) decisions: Vec<Decision>,
    /// How many EDTs could run in more than one place.
    pub(crate) with_choice: u64,
    pub(crate) chain: Chain,
    /// The time of the run, in nanoseconds; at least 1.
    pub(crate) ns: f64,
    /// How much of that the run waited for OpenCL's start, in nanoseconds.
    pub(crate) start: u64,
}

impl<'a> Look<'a> {
    /// Looks at a run.
    pub(crate) fn at(ground: &'a Ground<'a>) -> Look<'a> {
        let run = ground.run;
        let (decisions, with_choice) = decisions::all(ground);
        Look {
            run,
            times: run.times().unwrap_or_default(),
            moved: run.moved(),
            score: run.score(),
            variants: variants(run),
            decisions,
            with_choice,
            chain: Chain::of(ground),
            ns: ground.span() as f64,
            start: run.opencl_start(),
            ground,
        }
    }

    /// The policy of the run. Empty where the recording does not say it.
    pub(super) fn policy(&self) -> &str {
        self.run.about.get("sched").map_or("", String::as_str)
    }

    /// Whether `ns` nanoseconds are so much of the run, without OpenCL's start, that a symptom counts.
    pub(super) fn counts(&self, ns: f64) -> bool {
        ns >= LIMITS.symptom * (self.ns - self.start as f64).max(1.0)
    }

    /// Whether any kernel ran.
    pub(super) fn has_kernels(&self) -> bool {
        self.variants.iter().any(|its| its.place != 0)
    }

    /// What the system said of threads, each time with what it had said of the same thread before.
    pub(super) fn usage_pairs(&self) -> Vec<(Usage, Usage)> {
        let mut last: FxHashMap<u32, Usage> = FxHashMap::default();
        let mut pairs = Vec::new();
        for &usage in &self.run.usage {
            if let Some(before) = last.insert(usage.thread, usage) {
                pairs.push((before, usage));
            }
        }
        pairs
    }

    /// The name of a template.
    pub(crate) fn template(&self, number: u32) -> &str {
        let template = self.run.templates.get(number as usize);
        template.map_or("an unknown template", |template| &template.name)
    }

    /// Whether the EDTs of a template can run in a place.
    pub(super) fn can_run(&self, template: u32, place: u8) -> bool {
        let bits = self.run.templates.get(template as usize);
        place < 64 && bits.map_or(0, |template| template.places) >> place & 1 != 0
    }

    /// How many nanoseconds the policy expected an EDT of a template to run in a place, by what was learned before.
    /// None where it did not know.
    pub(super) fn expected(&self, template: u32, place: u8) -> Option<u64> {
        let known = self.run.estimates.iter().filter(|one| {
            one.place == place
                && one.certainty >= Certainty::Derived
                && self.run.edts[one.edt as usize].template == template
        });
        let mut times: Vec<u64> = known.filter_map(|one| one.expected.run_ns).collect();
        (!times.is_empty()).then(|| median(&mut times))
    }

    /// How many nanoseconds a unit was idle by this cause, on average over the units of the places that were used.
    pub(super) fn idle(&self, cause: Idleness) -> f64 {
        let used = self.times.places.iter().filter(|its| Look::is_used(its));
        total(used.map(|its| its.of(cause))) as f64 / self.used_units()
    }

    /// How many units the places have that were used; at least 1.
    pub(super) fn used_units(&self) -> f64 {
        let used = self.times.places.iter().filter(|its| Look::is_used(its));
        used.map(|its| f64::from(its.units)).sum::<f64>().max(1.0)
    }

    /// The name of a place in a sentence, at the begin of the sentence or elsewhere in it.
    pub(super) fn name(&self, place: &PlaceTime, at_begin: bool) -> String {
        match (place.place, place.units, at_begin) {
            (0, 1, true) => "The worker".into(),
            (0, 1, false) => "the worker".into(),
            (0, _, true) => "The workers".into(),
            (0, _, false) => "the workers".into(),
            _ => place.name.clone(),
        }
    }

    /// Whether any EDT ran in a place.
    pub(super) fn is_used(place: &PlaceTime) -> bool {
        place.busy != 0
    }

    /// The share of the run in which the units of a place were busy, from 0 to 1.
    pub(super) fn busy(&self, place: u8) -> f64 {
        let units = self.ground.units.iter().filter(|unit| unit.place == place);
        let count = units.clone().count().max(1) as f64;
        total(units.map(|unit| unit.busy)) as f64 / (self.ns * count)
    }

    /// What is left of the idle time of a unit, on average over `units`, without the time in which OpenCL started. One
    /// of them waited for that, and the others were idle for no longer.
    pub(super) fn without_start(&self, idle: f64, units: f64) -> f64 {
        (idle - self.start as f64 * (units - 1.0) / units.max(1.0)).max(0.0)
    }

    /// What the run took beyond the time that no schedule of its EDTs beats, in nanoseconds. No EDT that waits for what
    /// others have costs more.
    pub(super) fn beyond_the_bound(&self) -> f64 {
        self.score.as_ref().map_or(self.ns, |score| 1e9 * (score.seconds - score.mixed).max(0.0))
    }

    /// What the decisions have cost for which `is_so` is true, in nanoseconds.
    pub(super) fn cost(&self, is_so: impl Fn(&Decision) -> bool) -> u64 {
        let those = self.decisions.iter().filter(|one| is_so(one));
        total(those.map(|one| one.cost))
    }

    /// How many nanoseconds the run could have saved if the decisions for which `is_so` is true had been the best. This
    /// is their cost divided by the units of all places. Placing saves no more than what the run took beyond the time
    /// that no schedule beats.
    pub(super) fn cost_of_run(&self, is_so: impl Fn(&Decision) -> bool) -> u64 {
        let saved = self.cost(is_so) / self.ground.units.len().max(1) as u64;
        saved.min(self.beyond_the_bound().round() as u64)
    }

    /// What the run could have saved if no decision had been wrong for this cause, in nanoseconds.
    pub(super) fn cost_by(&self, cause: DecisionCause) -> u64 {
        self.cost_of_run(|one| one.cause == cause)
    }
}

/// A part of 1 as a text in percent.
pub(super) fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

/// Writes nanoseconds in a unit that fits them.
pub(super) fn time(ns: f64) -> String {
    duration(ns / 1e9)
}

/// A number of bytes as a text, in KiB, MiB or GiB where it is large.
pub(super) fn bytes(count: u64) -> String {
    match count as f64 {
        b if b < 1024.0 => Counted(count, "byte").to_string(),
        b if b < 1024.0 * 1024.0 => format!("{:.1} KiB", b / 1024.0),
        b if b < 1024.0 * 1024.0 * 1024.0 => format!("{:.1} MiB", b / (1024.0 * 1024.0)),
        b => format!("{:.1} GiB", b / (1024.0 * 1024.0 * 1024.0)),
    }
}
