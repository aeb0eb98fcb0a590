//! What decisions have cost, seen from behind.
//!
//! A decision is where an EDT that could run in several places went; the last one before it began counts. It was made at some
//! time `t`: when the policy said so, or when the EDT became runnable. Of each other place, the run itself tells when it would
//! have been free for the EDT: when fewer than its units had work that was decided before `t`. The EDT would have ended there
//!
//! `max(t + copies, free) + run`
//!
//! with the copies that the policy expected, or else those of all of its blocks at the speed of the run's copies, and the median
//! of the EDTs of its template there. What the decision has **cost** is how much later than in the best other place the EDT
//! has ended. It is no cost if it is below a part of the time from the decision to the end ([`PART`]), or below [`LEAST_NS`].
//!
//! Costs are not what the run would gain: an EDT that goes elsewhere takes the place of others, and not every EDT is on the way
//! to the end. They tell which decisions to look at, and why they were wrong:
//!
//! What is taken apart is how wrong the expectations were: too early an end where the EDT ran, plus too late an end where it did
//! not. The difference in the runs is the model's, that in when places are free the queues', that in when blocks were
//! there the copies'; the rest is what held the EDT up. The largest is the [`Cause`].

use super::ground::Ground;
use crate::report::recorded::{Edt, Estimate};
use crate::sched::policy::{Certainty, Expected, Why};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// A decision has cost nothing if it is less than this part of the time from the decision to the end.
const PART: u64 = 32;
/// Or less than this: so exact are the clocks of devices.
const LEAST_NS: u64 = 5_000;

/// Why a decision was not the best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// The EDT took longer where it ran, or less time elsewhere, than the model said.
    Model,
    /// The time was not known in one of the places, or guessed.
    Unknown,
    /// A place became free earlier or later than expected.
    Queue,
    /// Copies took longer than expected.
    Copies,
    /// Something else held the EDT up: others that went first, blocks that others had, the launch.
    Other,
    /// The policy does not estimate.
    NoEstimate,
}

impl Cause {
    /// For people.
    pub fn words(self) -> &'static str {
        match self {
            Cause::Model => "the model was wrong",
            Cause::Unknown => "the time was not known, or guessed",
            Cause::Queue => "the queue was estimated wrong",
            Cause::Copies => "copies took longer than estimated",
            Cause::Other => "it was held up otherwise",
            Cause::NoEstimate => "the policy does not estimate",
        }
    }
}

/// A decision that another one would have been better than. Times are nanoseconds since the begin of the run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decision {
    pub(super) edt: u32,
    /// When it was made.
    pub(super) at: u64,
    /// The best other place.
    pub(super) better: u8,
    /// When the EDT would have ended there.
    pub(super) end: u64,
    /// How much earlier that is.
    pub(super) cost: u64,
    pub(super) cause: Cause,
}

/// When a place would have been free for an EDT, by place.
pub(super) type Free = BTreeMap<u8, u64>;

/// The ends of what was decided so far, the latest ones of each place: as many as it has units.
struct Sweep {
    latest: BTreeMap<u8, (usize, BinaryHeap<Reverse<u64>>)>,
}

impl Sweep {
    fn new(ground: &Ground<'_>) -> Sweep {
        let places = ground.places.iter();
        let latest = places.map(|(&place, &units)| (place, (units, BinaryHeap::new())));
        Sweep {
            latest: latest.collect(),
        }
    }

    /// When a unit of each place is free for an EDT that is decided now.
    fn free(&self, now: u64) -> Free {
        let free = |(&place, (units, latest)): (&u8, &(usize, BinaryHeap<Reverse<u64>>))| {
            let all_busy = latest.peek().filter(|_| latest.len() >= *units);
            (place, all_busy.map_or(now, |Reverse(end)| now.max(*end)))
        };
        self.latest.iter().map(free).collect()
    }

    fn add(&mut self, edt: &Edt) {
        if let Some((units, latest)) = self.latest.get_mut(&edt.place) {
            latest.push(Reverse(edt.end));
            if latest.len() > *units {
                latest.pop();
            }
        }
    }
}

/// Calls `see` with each EDT that has ended, in the order in which they were decided, and when places were free for it.
pub(super) fn for_each(ground: &Ground<'_>, mut see: impl FnMut(u32, u64, &Free)) {
    let mut order: Vec<(u64, u64, u32)> = ground
        .ran
        .iter()
        .map(|&edt| (ground.decided(edt).0, ground.edt(edt).begin, edt))
        .collect();
    order.sort_unstable();
    let mut sweep = Sweep::new(ground);
    for (at, _, number) in order {
        let edt = ground.edt(number);
        see(number, at, &sweep.free(at));
        sweep.add(edt);
    }
}

/// When an EDT would have ended in a place, in which it did not run; none where its time is not known there.
pub(super) fn end_at(
    ground: &Ground<'_>,
    number: u32,
    place: u8,
    at: u64,
    free: &Free,
) -> Option<u64> {
    let edt = ground.edt(number);
    let run = ground.medians.at(edt.template, place, edt.bytes)?;
    let expected = of_place(ground.decided(number).1, place);
    let copies = expected
        .filter(|one| one.why != Why::Short)
        .map_or_else(|| ground.copies_to(edt, place), |one| one.expected.copy_ns);
    let free = free.get(&place).copied().unwrap_or(at);
    Some(free.max(at + copies) + run)
}

/// What was expected in a place.
pub(super) fn of_place(estimates: &[Estimate], place: u8) -> Option<&Estimate> {
    estimates.iter().find(|estimate| estimate.place == place)
}

/// What the decision for an EDT has cost; none if nothing.
pub(super) fn of(ground: &Ground<'_>, number: u32, at: u64, free: &Free) -> Option<Decision> {
    let edt = ground.edt(number);
    let others = ground.places_of(edt).filter(|place| *place != edt.place);
    let ends = others.filter_map(|place| Some((end_at(ground, number, place, at, free)?, place)));
    let (end, better) = ends.min()?;
    let cost = edt.end.saturating_sub(end);
    if cost < LEAST_NS.max((edt.end - at) / PART) {
        return None;
    }
    Some(Decision {
        edt: number,
        at,
        better,
        end,
        cost,
        cause: cause(ground, number, at, better, free),
    })
}

/// All decisions that have cost something, in the order in which they were made; and how many there were.
pub(super) fn all(ground: &Ground<'_>) -> (Vec<Decision>, u64) {
    let (mut found, mut count) = (Vec::new(), 0);
    for_each(ground, |edt, at, free| {
        count += u64::from(ground.has_choice(ground.edt(edt)));
        found.extend(of(ground, edt, at, free));
    });
    (found, count)
}

/// A difference of times, which may be below zero.
fn less(a: u64, b: u64) -> i64 {
    a as i64 - b as i64
}

fn cause(ground: &Ground<'_>, number: u32, at: u64, better: u8, free: &Free) -> Cause {
    let edt = ground.edt(number);
    let estimates = ground.decided(number).1;
    let (Some(here), Some(there)) = (of_place(estimates, edt.place), of_place(estimates, better))
    else {
        return Cause::NoEstimate;
    };
    let is_known = |one: &Estimate| one.certainty >= Certainty::Derived;
    let (Some(run_here), Some(run_there), true) = (
        here.expected.run_ns,
        there.expected.run_ns,
        is_known(here) && is_known(there),
    ) else {
        return Cause::Unknown;
    };
    let free_in = |place: u8| free.get(&place).map_or(0, |free| free - at);
    let copied_in = ground
        .copies_for(number)
        .map_or(0, |copies| copies.end.saturating_sub(at));
    let ready_in = |expected: &Expected| expected.queue_ns.max(expected.copy_ns);
    let (took, would_take) = (
        edt.time().unwrap_or(0),
        ground.time_at(edt, better).unwrap_or(run_there),
    );
    let (free_here, free_there) = (free_in(edt.place), free_in(better));
    let copies = here.expected.copy_ns;
    let parts = [
        (
            less(took, run_here) + less(run_there, would_take),
            Cause::Model,
        ),
        (
            less(free_here.max(copies), ready_in(&here.expected))
                + less(
                    ready_in(&there.expected),
                    free_there.max(there.expected.copy_ns),
                ),
            Cause::Queue,
        ),
        (
            less(free_here.max(copied_in), free_here.max(copies)),
            Cause::Copies,
        ),
        (less(edt.begin - at, free_here.max(copied_in)), Cause::Other),
    ];
    // The first of equal ones.
    let largest = parts.into_iter().rev().max_by_key(|(ns, _)| *ns);
    largest.map_or(Cause::Other, |(_, cause)| cause)
}
