//! Known causes of a long run, found by rules (`places.rs`, `graph.rs`). Each rule says with figures what it has found,
//! and what to change.
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
//! | seen late | a place idled for a tenth of the run because the ends of kernels were seen late |
//! | unused | a place ran nothing, though EDTs could run there |
//! | no work | units had no EDT at all for a tenth of the run |
//! | near the bound | no schedule of the same EDTs saves more than a tenth |
//!
//! The cost of a cause is by how much the run would be shorter at most without it. Costs are not summed, since causes
//! overlap.

use super::idle::{IdleTimes, PlaceTime};
use super::moved::Moved;
use super::variants::Variant;
use crate::recorded::{RecordedRun, Score};
use ocr_base::text::Counted;
use ocr_base::text::duration;
use serde::Serialize;

/// The part of the run from which on a cause is worth telling.
pub(super) const WORTH: f64 = 0.1;

/// The rule that has found a cause.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum CauseRule {
    /// A place is too slow for the EDTs that it was given.
    Share,
    /// EDTs are too small for what it takes to start one.
    Small,
    /// A place waits for data.
    Copies,
    /// More bytes are copied than needed.
    NeedlessCopies,
    /// Some workers have less to do than the others.
    Starved,
    /// Units are idle since EDTs depend on others that run.
    Dependences,
    /// The last EDTs run while other units are idle.
    Tail,
    /// A place is idle while EDTs that could run there wait elsewhere.
    Placement,
    /// A place is idle because the ends of kernels are seen late.
    SeenLate,
    /// A place runs nothing, though EDTs could run there.
    Unused,
    /// There are too few EDTs for the units.
    NoWork,
    /// The run is near the time before which no schedule ends.
    NearTheBound,
}

/// A cause of a long run.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Cause {
    /// The rule that has found the cause.
    pub rule: CauseRule,
    /// The place that the cause is about. None if it is about no single place.
    pub place: Option<u8>,
    /// By how many seconds the run would be shorter at most without the cause.
    pub costs: f64,
    /// What was found, in sentences with figures.
    pub text: String,
    /// What to change, in sentences.
    pub advice: String,
}

/// What the rules look at.
pub(super) struct Look<'a> {
    pub(super) run: &'a RecordedRun,
    pub(super) times: &'a IdleTimes,
    pub(super) moved: &'a Moved,
    pub(super) score: Option<&'a Score>,
    pub(super) variants: &'a [Variant],
    /// The time of the run, in nanoseconds.
    pub(super) ns: f64,
}

/// The causes that the rules find; the one that costs most comes first.
pub(super) fn causes(
    run: &RecordedRun,
    times: &IdleTimes,
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
        causes.extend(look.seen_late(place));
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

impl Look<'_> {
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
}
