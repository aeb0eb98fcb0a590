//! What to change, by rules, each with the figures on which it rests. A rule that is not sure says nothing.
//!
//! `T` is the time from the begin of the first EDT to the end of the last. A unit is a worker, or a lane of a device. What is
//! taken for what is in [`LIMITS`].
//!
//! | rule | it is said if |
//! |---|---|
//! | [`Rule::ShortEdts`] | on the units of a place, what passes between two EDTs, of which the second could have begun when the first ended, is a good part of their time, in the median, and the place had work for a good part of `T` |
//! | [`Rule::LargeEdts`] | at the end, units had nothing to do for a good part of `T`, while EDTs ran that make up most of that time, and that they could have run |
//! | [`Rule::MissingVariant`] | a template runs in one place only, of which it takes a good part, or of the chain that led to the end, and another place had nothing to do |
//! | [`Rule::WrongModel`] | predictions for a template were off by half, and decisions have cost much for that reason |
//! | [`Rule::UnknownTimes`] | decisions have cost much since times were not known |
//! | [`Rule::MoreUnits`] | all units were busy nearly all the time, and the dependences allow much less |
//! | [`Rule::Copies`] | a device waited for copies for a good part of `T` |
//! | [`Rule::StarvedWorker`] | a worker had much less to do than the others |
//! | [`Rule::Dependences`] | the critical path is nearly `T`, and units had nothing to do |
//! | [`Rule::SlowDevice`] | a device adds little to the speed of the other places, and decisions for it have cost much |
//! | [`Rule::BlocksHeld`] | on the chain that led to the end, EDTs waited long for blocks that others had |
//! | [`Rule::OtherPolicy`] | the policy does not estimate, and in simulation the default policy is faster |

use super::chain::Chain;
use super::decisions::{Cause, Decision};
use super::ground::Ground;
use super::rules;
use crate::report::recorded::Score;
use serde::Serialize;
use std::cmp::Reverse;

/// From where on something is said. Shares are parts of 1.
pub(super) struct Limits {
    /// What passes between EDTs, of their time with it.
    pub(super) turnaround: f64,
    /// What larger EDTs should come to.
    pub(super) turnaround_aim: f64,
    /// So many times something must have been seen.
    pub(super) seen: usize,
    /// The time in which a place has work, of `T`: half of it.
    pub(super) has_work: f64,
    /// What units have nothing to do at the end, on average, of `T`.
    pub(super) tail: f64,
    /// The longest EDT of the end, of that time.
    pub(super) tail_edt: f64,
    /// What a template takes of its place, or of the chain.
    pub(super) much_of_place: f64,
    /// From where on a place, or all of them, are taken to be busy.
    pub(super) busy: f64,
    /// Up to where a place has too little to do.
    pub(super) idle: f64,
    /// The median error of predictions.
    pub(super) error: f64,
    /// What decisions must have cost, of `T`.
    pub(super) cost: f64,
    /// The critical path, of `T`, from where on it is what counts; and up to where much less time is possible.
    pub(super) path: f64,
    pub(super) short_path: f64,
    /// What a device waited for copies, of `T`.
    pub(super) copies: f64,
    /// What a worker has to do, of what the others have in the median.
    pub(super) starved: f64,
    /// The speed that a device adds to the others.
    pub(super) slow: f64,
    /// What EDTs waited for blocks, of `T`.
    pub(super) blocks: f64,
    /// What another policy must save, of `T`.
    pub(super) policy: f64,
    /// What an advice must save at most, of `T`, to be worth its words.
    pub(super) worth: f64,
}

pub(super) const LIMITS: Limits = Limits {
    turnaround: 0.2,
    turnaround_aim: 0.05,
    seen: 8,
    has_work: 0.5,
    tail: 0.1,
    tail_edt: 0.5,
    much_of_place: 0.25,
    busy: 0.9,
    idle: 0.6,
    error: 0.5,
    cost: 0.05,
    path: 0.8,
    short_path: 0.5,
    copies: 0.1,
    starved: 0.5,
    slow: 0.1,
    blocks: 0.1,
    policy: 0.05,
    worth: 0.01,
};

/// Which rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// EDTs are too short.
    ShortEdts,
    /// EDTs are too large, or too few.
    LargeEdts,
    /// A template has no variant for a place.
    MissingVariant,
    /// The model of a template was wrong.
    WrongModel,
    /// Times were not known.
    UnknownTimes,
    /// There are too few workers or devices.
    MoreUnits,
    /// A device waits for copies.
    Copies,
    /// A worker has too little to do.
    StarvedWorker,
    /// EDTs wait for each other.
    Dependences,
    /// A device is too slow.
    SlowDevice,
    /// EDTs wait for blocks that others have.
    BlocksHeld,
    /// Another policy is better.
    OtherPolicy,
}

/// Something to change.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Advice {
    /// By which rule.
    pub rule: Rule,
    /// In a sentence or two, with the figures.
    pub text: String,
    /// What it could save at most, in nanoseconds, where that can be told.
    pub at_most_ns: Option<u64>,
}

/// What rules look at.
pub(super) struct Facts<'a> {
    pub(super) ground: &'a Ground<'a>,
    pub(super) score: Option<Score>,
    pub(super) decisions: Vec<Decision>,
    pub(super) chain: Chain,
}

impl<'a> Facts<'a> {
    pub(super) fn of(ground: &'a Ground<'a>, decisions: Vec<Decision>) -> Facts<'a> {
        Facts {
            score: ground.run.score(),
            chain: Chain::of(ground),
            ground,
            decisions,
        }
    }

    pub(super) fn span(&self) -> f64 {
        self.ground.span() as f64
    }

    /// Which part of the time the units of a place were busy.
    pub(super) fn busy(&self, place: u8) -> f64 {
        let units = self.ground.units.iter().filter(|unit| unit.place == place);
        let count = units.clone().count().max(1) as f64;
        units.map(|unit| unit.busy).sum::<u64>() as f64 / (self.span() * count)
    }

    /// Which part of the time all units were busy.
    pub(super) fn all_busy(&self) -> f64 {
        let units = &self.ground.units;
        let busy: u64 = units.iter().map(|unit| unit.busy).sum();
        busy as f64 / (self.span() * units.len().max(1) as f64)
    }

    /// What decisions have cost of which this is so.
    pub(super) fn cost(&self, is_so: impl Fn(&Decision) -> bool) -> u64 {
        let those = self.decisions.iter().filter(|one| is_so(one));
        those.map(|one| one.cost).sum()
    }

    /// That, divided by the units: so much could have been saved if nothing else stood in the way.
    pub(super) fn cost_of_run(&self, is_so: impl Fn(&Decision) -> bool) -> u64 {
        self.by_placing(self.cost(is_so) / self.ground.units.len().max(1) as u64)
    }

    /// What is saved by placing EDTs otherwise: no more than what the run took beyond what no schedule beats.
    pub(super) fn by_placing(&self, saved: u64) -> u64 {
        let beyond = |score: &Score| (1e9 * (score.seconds - score.mixed).max(0.0)).round() as u64;
        saved.min(self.score.as_ref().map_or(u64::MAX, beyond))
    }

    /// What decisions have cost for this reason.
    pub(super) fn cost_by(&self, cause: Cause) -> u64 {
        self.cost_of_run(|one| one.cause == cause)
    }
}

/// What to change, what could save most first.
pub(super) fn all(facts: &Facts<'_>) -> Vec<Advice> {
    let mut found = Vec::new();
    for rule in rules::ALL {
        rule(facts, &mut found);
    }
    let is_worth = |ns: u64| ns as f64 >= LIMITS.worth * facts.span();
    found.retain(|advice| advice.at_most_ns.is_none_or(is_worth));
    found.sort_by_key(|advice: &Advice| Reverse(advice.at_most_ns));
    found
}
