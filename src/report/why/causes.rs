//! Known causes of a long run, found by rules (`places.rs`, `graph.rs`). Each says with figures what it has found, and what to change.
//!
//! | rule | it is told where |
//! |---|---|
//! | share | a place had more EDTs of a template than its speed allows, and the others were idle meanwhile |
//! | small | a place needed a quarter or more of its time in use to start EDTs |
//! | copies | a place waited for data for a tenth of the run |
//! | needless copies | half as much again as needed was copied, and copying took a tenth of the run |
//! | starved | a few workers ran EDTs for much less time than the others |
//! | dependences | units were idle by dependences for a tenth of the run |
//! | tail | the last EDTs ran beside idle units for a tenth of the run |
//! | placement | a place idled for a tenth of the run while EDTs that could run there waited elsewhere |
//! | unused | a place ran nothing, though EDTs could run there |
//! | no work | units had no EDT at all for a tenth of the run |
//! | near the bound | no schedule of the same EDTs saves more than a tenth |
//!
//! What a cause costs is how much shorter the run would be at most without it. These are not summed: causes overlap.

use super::idle::{PlaceTime, Times};
use super::moved::Moved;
use super::variants::Variant;
use crate::report::duration;
use crate::report::recorded::{Run, Score};
use serde::Serialize;

/// A part of the run from which on a cause is worth telling.
pub(super) const WORTH: f64 = 0.1;

/// Which rule has found a cause.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A place is too slow for what it was given.
    Share,
    /// EDTs are too small for what it takes to start one.
    Small,
    /// A place waits for data.
    Copies,
    /// More is copied than needed.
    NeedlessCopies,
    /// Some workers have less to do than the others.
    Starved,
    /// EDTs wait for each other.
    Dependences,
    /// Few EDTs are left at the end.
    Tail,
    /// What could run somewhere waits elsewhere.
    Placement,
    /// A place runs nothing.
    Unused,
    /// There are too few EDTs.
    NoWork,
    /// There is little to gain.
    NearTheBound,
}

/// A cause of a long run.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Cause {
    /// The rule.
    pub rule: Rule,
    /// The place that it is about, if it is about one.
    pub place: Option<u8>,
    /// How much shorter the run would be at most, in seconds.
    pub costs: f64,
    /// What was found, with figures.
    pub text: String,
    /// What to change.
    pub advice: String,
}

/// What the rules look at.
pub(super) struct Look<'a> {
    pub(super) run: &'a Run,
    pub(super) times: &'a Times,
    pub(super) moved: &'a Moved,
    pub(super) score: Option<&'a Score>,
    pub(super) variants: &'a [Variant],
    /// The time of the run, in nanoseconds.
    pub(super) ns: f64,
}

/// What was found, that which costs most first.
pub(super) fn causes(
    run: &Run,
    times: &Times,
    moved: &Moved,
    score: Option<&Score>,
    variants: &[Variant],
) -> Vec<Cause> {
    let look = Look {
        run,
        times,
        moved,
        score,
        variants,
        ns: times.ns() as f64,
    };
    if look.ns <= 0.0 {
        return Vec::new();
    }
    let mut causes = look.share();
    for place in &times.places {
        causes.extend(look.small(place));
        causes.extend(look.copies(place));
        causes.extend(look.placement(place));
        causes.extend(look.unused(place));
    }
    causes.extend(look.needless_copies());
    causes.extend(look.starved());
    causes.extend(look.dependences());
    causes.extend(look.tail());
    causes.extend(look.no_work());
    causes.extend(look.near_the_bound());
    causes
        .sort_by(|one, other| (other.costs.total_cmp(&one.costs)).then(one.rule.cmp(&other.rule)));
    causes
}

/// A part, in percent.
pub(super) fn percent(part: f64) -> String {
    format!("{:.0} %", 100.0 * part)
}

pub(super) fn time(ns: f64) -> String {
    duration(ns / 1e9)
}

/// A number of bytes, as people read it.
pub(super) fn bytes(count: u64) -> String {
    match count as f64 {
        b if b < 1024.0 => format!("{count} bytes"),
        b if b < 1024.0 * 1024.0 => format!("{:.1} KiB", b / 1024.0),
        b if b < 1024.0 * 1024.0 * 1024.0 => format!("{:.1} MiB", b / (1024.0 * 1024.0)),
        b => format!("{:.1} GiB", b / (1024.0 * 1024.0 * 1024.0)),
    }
}

impl Look<'_> {
    /// What a place is called in a sentence, at its begin or not.
    pub(super) fn name(&self, place: &PlaceTime, at_begin: bool) -> String {
        match (place.place, place.units, at_begin) {
            (0, 1, true) => "The worker".into(),
            (0, 1, false) => "the worker".into(),
            (0, _, true) => "The workers".into(),
            (0, _, false) => "the workers".into(),
            _ => place.name.clone(),
        }
    }

    /// Whether anything ran there.
    pub(super) fn is_used(place: &PlaceTime) -> bool {
        place.busy != 0
    }
}
