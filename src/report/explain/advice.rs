//! What to change, by rules, each with the figures on which it rests. A rule that is not sure says nothing.
//!
//! Most of them are those of [`crate::report::why`], about idle time, copies and the graph. Those here are about what the policy
//! decided, what it expected, and the variants between which it had to choose.
//!
//! `T` is the time from the begin of the first EDT to the end of the last. A unit is a worker, or a lane of a device. What is
//! taken for what is in [`LIMITS`].
//!
//! | rule | it is said if |
//! |---|---|
//! | [`Rule::MissingVariant`] | a template runs in one place only, of which it takes a good part, or of the chain that led to the end, and another place had nothing to do |
//! | [`Rule::WrongModel`] | predictions for a template were off by half, and decisions have cost much for that reason |
//! | [`Rule::UnknownTimes`] | decisions have cost much since times were not known |
//! | [`Rule::BlocksHeld`] | on the chain that led to the end, EDTs waited long for blocks that others had |
//! | [`Rule::OtherPolicy`] | the policy does not estimate, and in simulation the default policy is faster |

use super::chain::Chain;
use super::decisions::{Cause, Decision};
use super::ground::Ground;
use crate::report::recorded::Score;
use crate::report::why;
use serde::Serialize;

/// From where on something is said. Shares are parts of 1.
pub(super) struct Limits {
    /// So many times something must have been seen.
    pub(super) seen: usize,
    /// What a template takes of its place, or of the chain.
    pub(super) much_of_place: f64,
    /// From where on a place is taken to be busy.
    pub(super) busy: f64,
    /// Up to where a place has too little to do.
    pub(super) idle: f64,
    /// The median error of predictions.
    pub(super) error: f64,
    /// What decisions must have cost, of `T`.
    pub(super) cost: f64,
    /// What EDTs waited for blocks, of `T`.
    pub(super) blocks: f64,
    /// What another policy must save, of `T`.
    pub(super) policy: f64,
    /// What an advice must save at most, of `T`, to be worth its words.
    pub(super) worth: f64,
}

pub(super) const LIMITS: Limits = Limits {
    seen: 8,
    much_of_place: 0.25,
    busy: 0.9,
    idle: 0.6,
    error: 0.5,
    cost: 0.05,
    blocks: 0.1,
    policy: 0.05,
    worth: 0.01,
};

/// Which rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A template has no variant for a place.
    MissingVariant,
    /// The model of a template was wrong.
    WrongModel,
    /// Times were not known.
    UnknownTimes,
    /// EDTs wait for blocks that others have.
    BlocksHeld,
    /// Another policy is better.
    OtherPolicy,
    /// One of `crate::report::why`.
    #[serde(untagged)]
    Why(why::Rule),
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
