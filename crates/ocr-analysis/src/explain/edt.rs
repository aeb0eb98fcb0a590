//! What became of one EDT: what it waited for, which places were considered, what was expected there, and what came
//! true.

use crate::diagnosis::decisions::{self, Free, end_at};
use crate::diagnosis::{Ground, choices};
use crate::recorded::{NEVER, RecordedDuplicate, RecordedEdt, RecordedEstimate};
use ocr_place::policy::{Certainty, Why};
use ocr_trace::format::DuplicateStep;
use serde::Serialize;

/// What a recording has about one EDT. Moments are in nanoseconds since the begin of the run, and none where they are
/// not known.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct EdtView {
    /// The EDT's name as messages show it.
    pub name: String,
    /// The EDT's GUID, with `0x` before its digits.
    pub guid: String,
    /// The name of the EDT's template.
    pub template: String,
    /// How many bytes the EDT's blocks have in all.
    pub bytes: u64,
    /// When the EDT was created.
    pub created_ns: Option<u64>,
    /// The name of the EDT that created this one. None if it is not known, or if no EDT did.
    pub creator: Option<String>,
    /// When the EDT became runnable.
    pub runnable_ns: Option<u64>,
    /// What the EDT waited for last. None if it waited for no EDT.
    pub after: Option<Predecessor>,
    /// The blocks for which the EDT had to wait, since others had them.
    pub waited_for: Vec<WaitedFor>,
    /// The places where the EDT could run.
    pub places: Vec<PlaceOfEdt>,
    /// What the policy has decided for the EDT, in the order of time.
    pub choices: Vec<ExplainedChoice>,
    /// The functions that workers have called while the EDT's kernel ran, in the order of time.
    pub duplicates: Vec<DuplicateView>,
    /// Where and when the EDT ran. None if it has not ended.
    pub truth: Option<Truth>,
    /// The place that would have been better for the EDT, if one would.
    pub better: Option<Better>,
}

/// What an EDT waited for last.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Predecessor {
    /// The name of the EDT that was waited for.
    pub name: String,
    /// Whether the end of that EDT was waited for; otherwise it was something in its body.
    pub by_its_end: bool,
    /// When that EDT had done what was waited for, in nanoseconds since the begin of the run.
    pub at_ns: u64,
}

/// A block that an EDT had to wait for.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct WaitedFor {
    /// The block's GUID, with `0x` before its digits.
    pub block: String,
    /// When the EDT got the block, in nanoseconds since the begin of the run.
    pub at_ns: u64,
    /// How many nanoseconds the EDT had been runnable by then.
    pub waited_ns: u64,
}

/// A function that a worker has called while the EDT's kernel ran. Moments are in nanoseconds since the begin of the
/// run, and none where they are not known.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct DuplicateView {
    /// The name of the place of the kernel.
    pub place: String,
    /// When the function began.
    pub begin_ns: u64,
    /// When the function had returned, or was left.
    pub end_ns: Option<u64>,
    /// What came of it, in words.
    pub what: &'static str,
    /// When the kernel had ended, if that was in vain.
    pub kernel_end_ns: Option<u64>,
}

/// A place where an EDT could run.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct PlaceOfEdt {
    /// The name of the place.
    pub place: String,
    /// How many nanoseconds EDTs of the template take there, by the run's median; where the EDT ran, what it took. None
    /// where that is not known.
    pub run_ns: Option<u64>,
    /// When, after the decision, a unit of the place was free for the EDT, in nanoseconds since the begin of the run.
    pub free_ns: Option<u64>,
    /// When the EDT has ended there, or would have, in nanoseconds since the begin of the run. None where that is not
    /// known.
    pub end_ns: Option<u64>,
}

/// A decision of the policy for an EDT.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct ExplainedChoice {
    /// When the policy decided, in nanoseconds since the begin of the run.
    pub at_ns: u64,
    /// What the policy did with the EDT, in words.
    pub why: &'static str,
    /// The name of the place that was chosen. None where the policy left that open.
    pub chosen: Option<String>,
    /// All places that were considered.
    pub considered: Vec<ExplainedPlace>,
}

/// A place that the policy considered for an EDT, with what it expected there, in nanoseconds from the decision on.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct ExplainedPlace {
    /// The name of the place.
    pub place: String,
    /// Nanoseconds until a unit of the place is free.
    pub queue_ns: u64,
    /// Nanoseconds until the EDT's blocks are there.
    pub copies_ns: u64,
    /// Nanoseconds that the EDT runs then. None where that is not known.
    pub run_ns: Option<u64>,
    /// The least and the most nanoseconds that it may run, by which the policy weighs a trial. None where the policy
    /// does not ask that.
    pub bounds_ns: Option<[u64; 2]>,
    /// Nanoseconds until the EDT's end, and what counts against copying. None where its time is not known.
    pub end_ns: Option<u64>,
    /// How well the EDT's time there was known, in words.
    pub known: &'static str,
    /// Whether the place was chosen.
    pub chosen: bool,
}

/// Where and when an EDT ran.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Truth {
    /// The name of the place where the EDT ran.
    pub place: String,
    /// The name of the thread or lane on which the EDT ran.
    pub unit: String,
    /// When the last decision for the EDT was made, in nanoseconds since the begin of the run. Where the policy does
    /// not say, when the EDT became runnable.
    pub decided_ns: u64,
    /// Nanoseconds from the decision until a unit was free for the EDT; not longer than until it began.
    pub queue_ns: Option<u64>,
    /// Nanoseconds from the decision until the EDT's copies had ended. None if nothing was copied.
    pub copies_ns: Option<u64>,
    /// How many bytes were copied for the EDT.
    pub copied_bytes: u64,
    /// Nanoseconds from the decision until the EDT began.
    pub wait_ns: u64,
    /// When the EDT began, in nanoseconds since the begin of the run.
    pub begin_ns: u64,
    /// When the EDT had ended, in nanoseconds since the begin of the run.
    pub end_ns: u64,
    /// How many nanoseconds the EDT ran.
    pub run_ns: u64,
}

/// The place that would have been better for an EDT than the one where it ran.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Better {
    /// The name of the better place.
    pub place: String,
    /// When the EDT would have ended there, in nanoseconds since the begin of the run.
    pub end_ns: u64,
    /// How many nanoseconds earlier that is than the EDT's end.
    pub cost_ns: u64,
    /// Why the better place was not chosen.
    pub cause: decisions::DecisionCause,
}

/// How well a time was known, in words.
fn known(certainty: Certainty) -> &'static str {
    match certainty {
        Certainty::Unknown => "not known",
        Certainty::Guessed => "guessed",
        Certainty::Derived => "by other sizes",
        Certainty::Measured => "measured",
    }
}

/// What the policy did with an EDT, in words. `is_known`: its time was known in each place that was considered.
fn words(why: Why, is_known: bool) -> &'static str {
    match why {
        Why::Short => "it is short, and ran at once",
        Why::Planned => "it was to wait for the place where it should end first",
        Why::Open if !is_known => {
            "it was to wait for the first place that may take it, as its time was not known everywhere"
        }
        Why::Open => {
            "it was to wait for the first place that may take it, as its places differ by less than its times scatter, or \
             behind EDTs that wait so"
        }
        Why::Moved => "its turn came, and it went where it should end sooner by then",
        Why::Taken => "a place without work took it from another's line",
        Why::Cores => "workers and the device share cores, which this variant uses better",
        Why::Tried if is_known => {
            "a place took it that may be as good as the best one, or to see whether its time there is still so"
        }
        Why::Tried => {
            "a place took it to find out its time there, as waiting was expected to cost more; or nothing was known"
        }
    }
}

/// What came of a duplicate, in words.
fn outcome(duplicate: &RecordedDuplicate) -> &'static str {
    match duplicate.how {
        None => "it did not end",
        Some(_) if duplicate.outrun != NEVER => "it ended first, and counts: the kernel went on in vain",
        Some(DuplicateStep::IsLeft) => "it could not go on so, and only the kernel did",
        Some(DuplicateStep::EndsInVain) => "it was in vain, since the kernel had ended",
        Some(_) => "it ended before the kernel was seen to end",
    }
}

/// A moment of a recording. None where it is not recorded.
fn time(ns: u64) -> Option<u64> {
    (ns != NEVER).then_some(ns)
}

/// What the recording has about the EDT with this number.
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
    let mut seen = SeenDecision::default();
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
                run_ns: ground.time_at(number, place),
                free_ns: seen.free.get(&place).copied(),
                end_ns: if edt.place == place {
                    time(ground.ended(number))
                } else if seen.free.is_empty() {
                    None
                } else {
                    end_at(ground, number, place, seen.at, &seen.free)
                },
            })
            .collect(),
        choices: choices.map(|places| choice(ground, places)).collect(),
        duplicates: (run.duplicates.iter().filter(|its| its.edt == number))
            .map(|its| DuplicateView {
                place: run.place_name(its.place),
                begin_ns: its.begin,
                end_ns: time(its.end),
                what: outcome(its),
                kernel_end_ns: time(its.kernel_end),
            })
            .collect(),
        truth: truth(ground, number, &seen),
        better: seen.decision.map(|decision| Better {
            place: run.place_name(decision.better),
            end_ns: decision.end,
            cost_ns: decision.cost,
            cause: decision.cause,
        }),
    }
}

/// What the run shows about the last decision for one EDT.
#[derive(Default)]
struct SeenDecision {
    /// When the decision was made, in nanoseconds since the begin of the run.
    at: u64,
    /// When places were free for the EDT. Empty if the EDT has not ended.
    free: Free,
    /// The decision, if it was not the best.
    decision: Option<decisions::Decision>,
}

impl SeenDecision {
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

fn bounds(place: &RecordedEstimate) -> Option<[u64; 2]> {
    let middle = place.expected.run_ns.filter(|_| place.factor > 1.0)? as f64;
    Some([middle / place.factor, middle * place.factor].map(|ns| ns as u64))
}

fn choice(ground: &Ground<'_>, places: &[RecordedEstimate]) -> ExplainedChoice {
    let chosen = places.iter().find(|place| place.is_chosen);
    let name = |place: &RecordedEstimate| ground.run.place_name(place.place);
    let is_known = places.iter().all(|place| place.certainty >= Certainty::Derived);
    ExplainedChoice {
        at_ns: places[0].at,
        why: words(places[0].why, is_known),
        chosen: chosen.map(name),
        considered: places
            .iter()
            .map(|place| ExplainedPlace {
                place: name(place),
                queue_ns: place.expected.queue_ns,
                copies_ns: place.expected.copy_ns,
                run_ns: place.expected.run_ns,
                bounds_ns: bounds(place),
                end_ns: place.expected.end_ns(),
                known: known(place.certainty),
                chosen: place.is_chosen,
            })
            .collect(),
    }
}

fn truth(ground: &Ground<'_>, number: u32, seen: &SeenDecision) -> Option<Truth> {
    let edt: &RecordedEdt = ground.edt(number);
    let run_ns = ground.took(number)?;
    let copies = ground.copies_for(number);
    let unit = ground.units.iter().find(|unit| unit.place == edt.place && unit.edts.contains(&number));
    Some(Truth {
        place: ground.run.place_name(edt.place),
        unit: unit.map_or_else(String::new, |unit| unit.name.clone()),
        decided_ns: seen.at,
        queue_ns: seen.free.get(&edt.place).map(|free| free - seen.at),
        copies_ns: copies.map(|copies| copies.end.saturating_sub(seen.at)),
        copied_bytes: copies.map_or(0, |copies| copies.bytes),
        wait_ns: edt.begin - seen.at,
        begin_ns: edt.begin,
        end_ns: ground.ended(number),
        run_ns,
    })
}
