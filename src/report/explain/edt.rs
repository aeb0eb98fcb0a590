//! What became of one EDT: what it waited for, which places were considered, what was expected there, and what came true.

use super::decisions::{self, Free, end_at};
use super::ground::{Ground, choices};
use crate::report::recorded::{Edt, Estimate, NEVER};
use crate::sched::policy::{Certainty, Why};
use serde::Serialize;

/// One EDT. Times are nanoseconds since the begin of the run, or lengths; none where they are not known.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct EdtView {
    /// As messages name it.
    pub name: String,
    /// Its GUID.
    pub guid: String,
    /// Its template.
    pub template: String,
    /// Bytes of its blocks.
    pub bytes: u64,
    /// When it was created.
    pub created_ns: Option<u64>,
    /// By which EDT.
    pub creator: Option<String>,
    /// When it became runnable.
    pub runnable_ns: Option<u64>,
    /// What it waited for last.
    pub after: Option<Predecessor>,
    /// Blocks that it had to wait for, since others had them.
    pub waited_for: Vec<WaitedFor>,
    /// The places where it could run.
    pub places: Vec<PlaceOfEdt>,
    /// What the policy has decided, in the order of time.
    pub choices: Vec<Choice>,
    /// What came true; none if it has not ended.
    pub truth: Option<Truth>,
    /// What another decision would have been better for, if one would.
    pub better: Option<Better>,
}

/// What an EDT waited for last.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Predecessor {
    /// The EDT.
    pub name: String,
    /// Whether its end was waited for, or what it did in its body.
    pub by_its_end: bool,
    /// When it had done that.
    pub at_ns: u64,
}

/// A block that an EDT had to wait for.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct WaitedFor {
    /// The block's GUID.
    pub block: String,
    /// When the EDT got it.
    pub at_ns: u64,
    /// For how long it had been runnable.
    pub waited_ns: u64,
}

/// A place where an EDT could run.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct PlaceOfEdt {
    /// The place, as people call it.
    pub place: String,
    /// What EDTs of its template take there, by the run's median; where it ran, what it took.
    pub run_ns: Option<u64>,
    /// When a unit of the place was free for it, after it was decided where it goes.
    pub free_ns: Option<u64>,
    /// When it would have ended there, or has.
    pub end_ns: Option<u64>,
}

/// A decision of the policy.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Choice {
    /// When.
    pub at_ns: u64,
    /// What was done, in words.
    pub why: &'static str,
    /// The place that was chosen.
    pub chosen: Option<String>,
    /// All that were considered.
    pub considered: Vec<Place>,
}

/// A place that was considered. Times are from the decision on.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Place {
    /// The place, as people call it.
    pub place: String,
    /// Until a unit is free.
    pub queue_ns: u64,
    /// Until the blocks are there.
    pub copies_ns: u64,
    /// The run.
    pub run_ns: Option<u64>,
    /// Until the end, with what counts against moving.
    pub end_ns: Option<u64>,
    /// How well the run was known, in words.
    pub known: &'static str,
    /// Whether it was chosen.
    pub chosen: bool,
}

/// What came true.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Truth {
    /// Where it ran.
    pub place: String,
    /// On which thread or lane.
    pub unit: String,
    /// When it was decided last, or became runnable where the policy does not say.
    pub decided_ns: u64,
    /// From then until a unit was free for it.
    pub queue_ns: Option<u64>,
    /// From then until its copies had ended; none if there were none.
    pub copies_ns: Option<u64>,
    /// Bytes that were copied for it.
    pub copied_bytes: u64,
    /// From then until it began.
    pub wait_ns: u64,
    /// When it began.
    pub begin_ns: u64,
    /// When it had ended.
    pub end_ns: u64,
    /// What it took.
    pub run_ns: u64,
}

/// What would have been better.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Better {
    /// Where.
    pub place: String,
    /// When it would have ended there.
    pub end_ns: u64,
    /// How much earlier.
    pub cost_ns: u64,
    /// Why that was not chosen.
    pub cause: decisions::Cause,
}

fn known(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Unknown => "not known",
        Certainty::Guessed => "guessed",
        Certainty::Derived => "by other sizes",
        Certainty::Measured => "measured",
    }
}

fn words(why: Why) -> &'static str {
    match why {
        Why::Short => "it is short, and ran at once",
        Why::Planned => "it was to wait for the place where it should end first",
        Why::Open => {
            "it was to wait for the first place that may take it, as its time was not known everywhere"
        }
        Why::Moved => "its turn came, and it went where it should end sooner by then",
        Why::Taken => "a place without work took it from another's line",
        Why::Tried => "a place took it, although its time was not known everywhere",
    }
}

fn time(ns: u64) -> Option<u64> {
    (ns != NEVER).then_some(ns)
}

/// What became of an EDT.
pub(super) fn view(ground: &Ground<'_>, number: u32) -> EdtView {
    let run = ground.run;
    let edt = ground.edt(number);
    let after = ground.last_before(number).map(|edge| Predecessor {
        name: run.name_of(ground.edt(edge.from)),
        by_its_end: edge.at == NEVER,
        at_ns: ground.done(&edge),
    });
    let grants = run.grants.iter().filter(|grant| grant.edt == number);
    let estimates = run.estimates_of(number);
    let choices = choices(estimates).filter(|places| !places.is_empty());
    let mut seen = Seen::default();
    seen.look(ground, number);
    EdtView {
        name: run.name_of(edt),
        guid: format!("0x{:x}", edt.guid),
        template: run.template_name(edt).to_string(),
        bytes: edt.bytes,
        created_ns: time(edt.created),
        creator: (run.edts.get(edt.parent as usize)).map(|parent| run.name_of(parent)),
        runnable_ns: time(edt.runnable),
        after,
        waited_for: grants
            .map(|grant| WaitedFor {
                block: format!("0x{:x}", grant.block),
                at_ns: grant.at,
                waited_ns: grant.at.saturating_sub(edt.runnable),
            })
            .collect(),
        places: ground
            .places_of(edt)
            .map(|place| PlaceOfEdt {
                place: run.place_name(place),
                run_ns: ground.time_at(edt, place),
                free_ns: seen.free.get(&place).copied(),
                end_ns: if edt.place == place {
                    time(edt.end)
                } else if seen.free.is_empty() {
                    None
                } else {
                    end_at(ground, number, place, seen.at, &seen.free)
                },
            })
            .collect(),
        choices: choices.map(|places| choice(ground, places)).collect(),
        truth: truth(ground, number, &seen),
        better: seen.decision.map(|decision| Better {
            place: run.place_name(decision.better),
            end_ns: decision.end,
            cost_ns: decision.cost,
            cause: decision.cause,
        }),
    }
}

/// What the run tells of the decision.
#[derive(Default)]
struct Seen {
    at: u64,
    free: Free,
    decision: Option<decisions::Decision>,
}

impl Seen {
    fn look(&mut self, ground: &Ground<'_>, number: u32) {
        self.at = ground.decided(number).0;
        decisions::for_each(ground, |other, at, free| {
            if other == number {
                self.free = free.clone();
                self.decision = decisions::of(ground, number, at, free);
            }
        });
    }
}

fn choice(ground: &Ground<'_>, places: &[Estimate]) -> Choice {
    let chosen = places.iter().find(|place| place.is_chosen);
    let name = |place: &Estimate| ground.run.place_name(place.place);
    Choice {
        at_ns: places[0].at,
        why: words(places[0].why),
        chosen: chosen.map(name),
        considered: places
            .iter()
            .map(|place| Place {
                place: name(place),
                queue_ns: place.expected.queue_ns,
                copies_ns: place.expected.copy_ns,
                run_ns: place.expected.run_ns,
                end_ns: place.expected.end_ns(),
                known: known(place.certainty),
                chosen: place.is_chosen,
            })
            .collect(),
    }
}

fn truth(ground: &Ground<'_>, number: u32, seen: &Seen) -> Option<Truth> {
    let edt: &Edt = ground.edt(number);
    let run_ns = edt.time()?;
    let copies = ground.copies_for(number);
    let unit = ground
        .units
        .iter()
        .find(|unit| unit.place == edt.place && unit.edts.contains(&number));
    Some(Truth {
        place: ground.run.place_name(edt.place),
        unit: unit.map_or_else(String::new, |unit| unit.name.clone()),
        decided_ns: seen.at,
        queue_ns: seen.free.get(&edt.place).map(|free| free - seen.at),
        copies_ns: copies.map(|copies| copies.end.saturating_sub(seen.at)),
        copied_bytes: copies.map_or(0, |copies| copies.bytes),
        wait_ns: edt.begin - seen.at,
        begin_ns: edt.begin,
        end_ns: edt.end,
        run_ns,
    })
}
