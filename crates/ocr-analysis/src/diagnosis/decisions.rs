//! What decisions have cost, seen in hindsight.
//!
//! A decision says to which of several places an EDT goes; the last one before the EDT began counts. It was made at a
//! time `t`: when the policy said so, or when the EDT became runnable. The run itself shows when each other place would
//! have been free for the EDT: when fewer of its units than all had work that was decided before `t`. The place where
//! the EDT ran was free when it began, at the latest: some of that work may have let it go first. The EDT would have
//! ended elsewhere at
//!
//! `max(t + copies, free) + run`
//!
//! - `copies` is what the policy expected, or else the time of all blocks at the speed of the run's copies.
//! - `run` is the median of the EDTs of its template there. A finish EDT that has a kernel, and ran as a function, ends
//!   when its scope closes, and took what the workers needed for that.
//!
//! What the decision has **cost** is how much later the EDT has ended than it would have in the best other place. A
//! difference counts as no cost if it is below a part of the time from the decision to the end ([`PART`]), or below
//! [`LEAST_NS`].
//!
//! Costs are not what the run would gain: an EDT that goes elsewhere takes the place of others, and not every EDT is on
//! the way to the end. Costs tell which decisions to look at.
//!
//! **Why a decision was wrong.** The expectations were wrong by too early an end where the EDT ran, plus too late an
//! end in the better place. This sum has four parts. The difference in the times of the runs is the model's. The
//! difference in when places were free is the queues', and the difference in when blocks were there is the copies'. The
//! rest is what held the EDT up, of which the recording has some kinds. The largest part is the [`DecisionCause`].

use super::ground::Ground;
use crate::recorded::{NEVER, RecordedEdt, RecordedEstimate};
use ocr_place::policy::{Certainty, Expected, Why};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A cost is taken for nothing if it is below this part of the time from the decision to the EDT's end, one in `PART`.
const PART: u64 = 32;
/// A cost is taken for nothing if it is below this many nanoseconds, by which the clocks of devices may be wrong.
const LEAST_NS: u64 = 5_000;

/// Why a decision was not the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DecisionCause {
    /// The EDT took longer where it ran than the model said, or would have taken less time in the better place.
    Model,
    /// The EDT's time was not known in one of the two places, or guessed.
    Unknown,
    /// A place became free earlier or later than expected.
    Queue,
    /// Copies took longer than expected.
    Copies,
    /// Another EDT had a block that the EDT needed.
    Blocks,
    /// EDTs that were decided later began before it in its place.
    Passed,
    /// A device had it, and began it much later.
    Launch,
    /// Something else held the EDT up.
    Other,
    /// The policy does not estimate.
    NoEstimate,
}

impl DecisionCause {
    /// The words by which the text names the cause.
    pub fn words(self) -> &'static str {
        match self {
            DecisionCause::Model => "the model was wrong",
            DecisionCause::Unknown => "the time was not known, or guessed",
            DecisionCause::Queue => "the queue was estimated wrong",
            DecisionCause::Copies => "copies took longer than estimated",
            DecisionCause::Blocks => "another EDT had a block that it needed",
            DecisionCause::Passed => "EDTs that were decided later went first",
            DecisionCause::Launch => "its launch took long",
            DecisionCause::Other => "its place was free and did not begin it, for a reason that is not recorded",
            DecisionCause::NoEstimate => "the policy does not estimate",
        }
    }
}

/// A decision that was not the best. Times are in nanoseconds since the begin of the run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decision {
    /// The number of the EDT in the recording.
    pub(crate) edt: u32,
    /// When the decision was made.
    pub(crate) at: u64,
    /// The number of the best other place.
    pub(crate) better: u8,
    /// When the EDT would have ended in the better place.
    pub(crate) end: u64,
    /// How many nanoseconds earlier that is than the EDT's end.
    pub(crate) cost: u64,
    pub(crate) cause: DecisionCause,
}

/// When each place would have been free for an EDT, in nanoseconds since the begin of the run, by the place's number.
pub(crate) type Free = BTreeMap<u8, u64>;

/// A pass over the EDTs in the order in which they were decided.
struct Sweep {
    /// For each place, how many units it has, and the latest ends of the EDTs so far, as many as units.
    latest: BTreeMap<u8, (usize, BinaryHeap<Reverse<u64>>)>,
}

impl Sweep {
    fn new(ground: &Ground<'_>) -> Sweep {
        let places = ground.places.iter();
        let latest = places.map(|(&place, &units)| (place, (units, BinaryHeap::new())));
        Sweep { latest: latest.collect() }
    }

    /// When a unit of each place is free for an EDT that is decided at `now`.
    fn free(&self, now: u64) -> Free {
        let free = |(&place, (units, latest)): (&u8, &(usize, BinaryHeap<Reverse<u64>>))| {
            let all_busy = latest.peek().filter(|_| latest.len() >= *units);
            (place, all_busy.map_or(now, |Reverse(end)| now.max(*end)))
        };
        self.latest.iter().map(free).collect()
    }

    fn add(&mut self, edt: &RecordedEdt) {
        if let Some((units, latest)) = self.latest.get_mut(&edt.place) {
            latest.push(Reverse(edt.end));
            if latest.len() > *units {
                latest.pop();
            }
        }
    }
}

/// Calls `see` with each EDT that has ended, in the order in which they were decided: its number, when it was decided,
/// and when places were free for it.
pub(crate) fn for_each(ground: &Ground<'_>, mut see: impl FnMut(u32, u64, &Free)) {
    let mut order: Vec<(u64, u64, u32)> =
        ground.ran.iter().map(|&edt| (ground.decided(edt).0, ground.edt(edt).begin, edt)).collect();
    order.sort_unstable();
    let mut sweep = Sweep::new(ground);
    for (at, _, number) in order {
        let edt = ground.edt(number);
        let mut free = sweep.free(at);
        if let Some(own) = free.get_mut(&edt.place) {
            *own = edt.begin.min(*own);
        }
        see(number, at, &free);
        sweep.add(edt);
    }
}

/// When an EDT would have ended in a place where it did not run, if that was decided at the time `at`. None where the
/// EDT's time there is not known.
pub(crate) fn end_at(ground: &Ground<'_>, number: u32, place: u8, at: u64, free: &Free) -> Option<u64> {
    let edt = ground.edt(number);
    let run = ground.medians.at(edt.template, place, edt.bytes)?;
    let expected = of_place(ground.decided(number).1, place);
    let copies = expected
        .filter(|one| !matches!(one.why, Why::Short | Why::Cores))
        .map_or_else(|| ground.copies_to(edt, place), |one| one.expected.copy_ns);
    let free = free.get(&place).copied().unwrap_or(at);
    Some(free.max(at + copies) + run)
}

/// The estimate for a place, of those of one choice. None where the place was not considered.
pub(crate) fn of_place(estimates: &[RecordedEstimate], place: u8) -> Option<&RecordedEstimate> {
    estimates.iter().find(|estimate| estimate.place == place)
}

/// The decision for an EDT, if it has cost something. `at` is when it was made, and `free` when places were free.
pub(crate) fn of(ground: &Ground<'_>, number: u32, at: u64, free: &Free) -> Option<Decision> {
    let edt = ground.edt(number);
    let others = ground.places_of(edt).filter(|place| *place != edt.place);
    let ends = others.filter_map(|place| Some((end_at(ground, number, place, at, free)?, place)));
    let (end, better) = ends.min()?;
    let cost = ground.ended(number).saturating_sub(end);
    if cost < LEAST_NS.max(ground.ended(number).saturating_sub(at) / PART) {
        return None;
    }
    Some(Decision { edt: number, at, better, end, cost, cause: cause(ground, number, at, better, free) })
}

/// All decisions that have cost something, in the order in which they were made; and how many decisions there were in
/// all.
pub(crate) fn all(ground: &Ground<'_>) -> (Vec<Decision>, u64) {
    let (mut found, mut count) = (Vec::new(), 0);
    for_each(ground, |edt, at, free| {
        count += u64::from(ground.has_choice(ground.edt(edt)));
        found.extend(of(ground, edt, at, free));
    });
    (found, count)
}

/// The difference of two times, which may be negative.
fn less(a: u64, b: u64) -> i64 {
    a as i64 - b as i64
}

/// Why the decision for an EDT was wrong, as the head of this file says.
fn cause(ground: &Ground<'_>, number: u32, at: u64, better: u8, free: &Free) -> DecisionCause {
    let edt = ground.edt(number);
    let estimates = ground.decided(number).1;
    let (Some(here), Some(there)) = (of_place(estimates, edt.place), of_place(estimates, better)) else {
        return DecisionCause::NoEstimate;
    };
    let is_known = |one: &RecordedEstimate| one.certainty >= Certainty::Derived;
    let (Some(run_here), Some(run_there), true) =
        (here.expected.run_ns, there.expected.run_ns, is_known(here) && is_known(there))
    else {
        return DecisionCause::Unknown;
    };
    let free_in = |place: u8| free.get(&place).map_or(0, |free| free - at);
    let copied_in = ground.copies_for(number).map_or(0, |copies| copies.end.saturating_sub(at));
    let ready_in = |expected: &Expected| expected.queue_ns.max(expected.copy_ns);
    let (took, would_take) = (ground.took(number).unwrap_or(0), ground.time_at(number, better).unwrap_or(run_there));
    let (free_here, free_there) = (free_in(edt.place), free_in(better));
    let copies = here.expected.copy_ns;
    let parts = [
        (less(took, run_here) + less(run_there, would_take), DecisionCause::Model),
        (
            less(free_here.max(copies), ready_in(&here.expected))
                + less(ready_in(&there.expected), free_there.max(there.expected.copy_ns)),
            DecisionCause::Queue,
        ),
        (less(free_here.max(copied_in), free_here.max(copies)), DecisionCause::Copies),
        (less(edt.begin - at, free_here.max(copied_in)), DecisionCause::Other),
    ];
    // If parts are equal, the first one in this list is the cause.
    let largest = parts.into_iter().rev().max_by_key(|(ns, _)| *ns);
    match largest {
        Some((_, cause)) if cause != DecisionCause::Other => cause,
        _ => held_up(ground, number, at, at + free_here.max(copied_in)),
    }
}

/// What held an EDT up that was decided at `at`, whose place was free and had its blocks from `since` on.
fn held_up(ground: &Ground<'_>, number: u32, at: u64, since: u64) -> DecisionCause {
    /// How many EDTs of a unit are looked at. An EDT that has gone first is mostly the next one of the unit.
    const NEAR: usize = 64;
    let edt = ground.edt(number);
    let most = |time: u64| 2 * time >= edt.begin.saturating_sub(since);
    if edt.granted != NEVER && most(edt.granted.min(edt.begin).saturating_sub(since)) {
        return DecisionCause::Blocks;
    }
    let later = |other: &u32| *other != number && ground.decided(*other).0 > at;
    let went_first = ground.units.iter().any(|unit| {
        let begin = |other: &u32| ground.edt(*other).begin;
        let first = (unit.edts).partition_point(|other| begin(other) < since);
        let others = unit.edts[first..].iter().take(NEAR);
        unit.place == edt.place && others.take_while(|other| begin(other) < edt.begin).any(later)
    });
    if went_first {
        DecisionCause::Passed
    } else if edt.launched != NEVER && most(edt.begin.saturating_sub(edt.launched.max(since))) {
        DecisionCause::Launch
    } else {
        DecisionCause::Other
    }
}
