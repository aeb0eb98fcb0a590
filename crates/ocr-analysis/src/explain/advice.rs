//! What to change, by rules, each with the figures on which it rests. A rule that is not sure says nothing.
//!
//! Most rules are those of [`crate::why`], about idle time, copies and the graph. The rules here are about what
//! the policy decided, what it expected, and the variants between which it had to choose.
//!
//! `T` is the time from the begin of the first EDT to the end of the last. A unit is a worker, or a lane of a device.
//! [`LIMITS`] says what counts as much, long or busy.
//!
//! | rule | it is said if |
//! |---|---|
//! | [`AdviceRule::MissingVariant`] | a template runs in one place only, of which it takes a good part, or of the chain that led to the end, and another place had nothing to do |
//! | [`AdviceRule::WrongModel`] | predictions for a template were off by half, and decisions have cost much for that reason |
//! | [`AdviceRule::UnknownTimes`] | decisions have cost much since times were not known |
//! | [`AdviceRule::BlocksHeld`] | on the chain that led to the end, EDTs waited long for blocks that others had |
//! | [`AdviceRule::OtherPolicy`] | the policy does not estimate, and in simulation the default policy is faster |

use super::chain::Chain;
use super::decisions::{Decision, DecisionCause};
use super::ground::Ground;
use crate::recorded::Score;
use crate::why;
use serde::Serialize;

/// The limits from which on rules say something. Shares are parts of 1.
pub(super) struct Limits {
    /// How often something must have been seen.
    pub(super) seen: usize,
    /// The share of its place's time, or of the chain, from which on a template counts as large.
    pub(super) much_of_place: f64,
    /// The share of its time from which on a place counts as busy.
    pub(super) busy: f64,
    /// The share of its time up to which a place has too little to do.
    pub(super) idle: f64,
    /// The median relative error from which on predictions count as wrong.
    pub(super) error: f64,
    /// The share of `T` that decisions must have cost.
    pub(super) cost: f64,
    /// The share of `T` that EDTs must have waited for blocks.
    pub(super) blocks: f64,
    /// The share of `T` that another policy must save.
    pub(super) policy: f64,
    /// The share of `T` that an advice must be able to save, to be worth its words.
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

/// The rule by which an advice is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AdviceRule {
    /// A template has no variant for a place that had nothing to do.
    MissingVariant,
    /// The model of a template was wrong, and decisions have cost much for it.
    WrongModel,
    /// Times were not known, and decisions have cost much for it.
    UnknownTimes,
    /// EDTs waited long for blocks that others had.
    BlocksHeld,
    /// Another policy is better in simulation.
    OtherPolicy,
    /// A rule of the analysis of causes, `crate::why`.
    #[serde(untagged)]
    Why(why::CauseRule),
}

/// An advice: something to change in the program or in how it is run.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Advice {
    /// The rule by which the advice is given.
    pub rule: AdviceRule,
    /// The advice in a sentence or two, with the figures.
    pub text: String,
    /// How many nanoseconds of the run the change could save at most. None where that cannot be told.
    pub at_most_ns: Option<u64>,
}

/// What the rules look at.
pub(super) struct AdviceFacts<'a> {
    pub(super) ground: &'a Ground<'a>,
    pub(super) score: Option<Score>,
    pub(super) decisions: Vec<Decision>,
    pub(super) chain: Chain,
}

impl<'a> AdviceFacts<'a> {
    pub(super) fn of(ground: &'a Ground<'a>, decisions: Vec<Decision>) -> AdviceFacts<'a> {
        AdviceFacts {
            score: ground.run.score(),
            chain: Chain::of(ground),
            ground,
            decisions,
        }
    }

    /// The time from the begin of the first EDT to the end of the last, in nanoseconds.
    pub(super) fn span(&self) -> f64 {
        self.ground.span() as f64
    }

    /// The share of [`AdviceFacts::span`] in which the units of a place were busy, from 0 to 1.
    pub(super) fn busy(&self, place: u8) -> f64 {
        let units = self.ground.units.iter().filter(|unit| unit.place == place);
        let count = units.clone().count().max(1) as f64;
        units.map(|unit| unit.busy).sum::<u64>() as f64 / (self.span() * count)
    }

    /// What the decisions have cost for which `is_so` is true, in nanoseconds.
    pub(super) fn cost(&self, is_so: impl Fn(&Decision) -> bool) -> u64 {
        let those = self.decisions.iter().filter(|one| is_so(one));
        those.map(|one| one.cost).sum()
    }

    /// How many nanoseconds the run could have saved if the decisions for which `is_so` is true had been the best. This
    /// is their cost divided by the units of all places, as far as placing can save anything ([`AdviceFacts::by_placing`]).
    pub(super) fn cost_of_run(&self, is_so: impl Fn(&Decision) -> bool) -> u64 {
        self.by_placing(self.cost(is_so) / self.ground.units.len().max(1) as u64)
    }

    /// The part of `saved`, in nanoseconds, that placing EDTs otherwise can save. It is no more than what the run took
    /// beyond the time that no schedule beats.
    pub(super) fn by_placing(&self, saved: u64) -> u64 {
        let beyond = |score: &Score| (1e9 * (score.seconds - score.mixed).max(0.0)).round() as u64;
        saved.min(self.score.as_ref().map_or(u64::MAX, beyond))
    }

    /// What the run could have saved if no decision had been wrong for this cause, in nanoseconds.
    pub(super) fn cost_by(&self, cause: DecisionCause) -> u64 {
        self.cost_of_run(|one| one.cause == cause)
    }
}
