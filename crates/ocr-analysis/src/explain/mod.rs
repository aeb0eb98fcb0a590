//! Why a run took as long as it did, and what to change: by EDT, by template, and as a whole.
//!
//! | file | what |
//! |---|---|
//! | `find.rs` | the EDT or the template that a word names |
//! | `edt.rs` | one EDT: what was considered and chosen, and what came true |
//! | `template.rs` | one template: times by place, and how good predictions were |
//!
//! What is said of the run as a whole is found by [`crate::diagnosis`].
//!
//! All of this follows from the recorded run alone. Times are in nanoseconds.

mod edt;
mod find;
mod template;

pub use edt::{Better, EdtView, ExplainedChoice, ExplainedPlace, PlaceOfEdt, Predecessor, Truth, WaitedFor};
pub use find::{Subject, find};
pub use template::{ExplainedTemplate, PlaceOfTemplate};

use crate::diagnosis::{DecisionCause, Finding, Ground, Look, findings};
use crate::recorded::{RecordedRun, Score};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The explanation of a run as a whole.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Whole {
    /// How many EDTs have ended.
    pub edts: u64,
    /// How many of these EDTs could run in more than one place.
    pub with_choice: u64,
    /// The time from the begin of the first EDT to the end of the last, in nanoseconds.
    pub span_ns: u64,
    /// How good the schedule was. None where that is not known.
    pub score: Option<Score>,
    /// Sentences about the figures: what is missing, and what they are of.
    pub notes: Vec<String>,
    /// Why the run took as long, and what to change; what saves most comes first.
    pub findings: Vec<Finding>,
    /// What decisions have cost, by template, places and cause; those that cost most come first.
    pub causes: Vec<CauseTotal>,
    /// The first of the decisions that have cost something; the one that cost most comes first.
    pub decisions: Vec<Costly>,
    /// How many decisions have cost something, whether or not they are listed.
    pub costly: u64,
}

/// What decisions about EDTs of one template have cost for one cause.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct CauseTotal {
    /// The name of the template.
    pub template: String,
    /// The name of the place where the EDTs ran.
    pub place: String,
    /// The name of the place where they would have ended first.
    pub better: String,
    /// Why the decisions were wrong.
    pub cause: DecisionCause,
    /// How many decisions were wrong for this cause.
    pub count: u64,
    /// What these decisions have cost in all, in nanoseconds.
    pub cost_ns: u64,
}

/// A decision that has cost something. Moments are in nanoseconds since the begin of the run.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Costly {
    /// The EDT's name as messages show it.
    pub name: String,
    /// When the decision was made.
    pub decided_ns: u64,
    /// The name of the place where the EDT ran.
    pub place: String,
    /// When the EDT ended, in the place where it ran.
    pub end_ns: u64,
    /// The name of the place where the EDT would have ended first.
    pub better: String,
    /// When the EDT would have ended in the better place.
    pub better_end_ns: u64,
    /// How many nanoseconds earlier that is.
    pub cost_ns: u64,
    /// Why the better place was not chosen.
    pub cause: DecisionCause,
}

/// A recorded run that is explained.
pub struct Explained<'a>(Ground<'a>);

impl<'a> Explained<'a> {
    /// Prepares the explanations of a run. None if no EDT has ended.
    pub fn new(run: &'a RecordedRun) -> Option<Explained<'a>> {
        Ground::of(run).map(Explained)
    }

    /// The explanation of the EDT with this number in the recording.
    pub fn edt(&self, number: u32) -> EdtView {
        edt::view(&self.0, number)
    }

    /// The explanation of the template with this number in the recording.
    pub fn template(&self, number: u32) -> ExplainedTemplate {
        template::view(&self.0, number)
    }

    /// The explanation of the run as a whole, which lists at most `most` decisions.
    pub fn whole(&self, most: usize) -> Whole {
        let ground = &self.0;
        let look = Look::at(ground);
        let findings = findings(&look);
        let run = ground.run;
        let mut causes: BTreeMap<(u32, u8, u8, DecisionCause), (u64, u64)> = BTreeMap::new();
        for one in &look.decisions {
            let edt = ground.edt(one.edt);
            let key = (edt.template, edt.place, one.better, one.cause);
            let (count, cost) = causes.entry(key).or_default();
            *count += 1;
            *cost += one.cost;
        }
        let total = |((template, place, better, cause), (count, cost_ns))| CauseTotal {
            template: look.template(template).to_string(),
            place: run.place_name(place),
            better: run.place_name(better),
            cause,
            count,
            cost_ns,
        };
        let mut causes: Vec<CauseTotal> = causes.into_iter().map(total).collect();
        causes.sort_by_key(|total| Reverse(total.cost_ns));
        let mut decisions = look.decisions;
        decisions.sort_by_key(|one| Reverse(one.cost));
        let listed = decisions.iter().take(most).map(|one| {
            let edt = ground.edt(one.edt);
            Costly {
                name: run.name_of(edt),
                decided_ns: one.at,
                place: run.place_name(edt.place),
                end_ns: ground.ended(one.edt),
                better: run.place_name(one.better),
                better_end_ns: one.end,
                cost_ns: one.cost,
                cause: one.cause,
            }
        });
        Whole {
            edts: ground.ran.len() as u64,
            with_choice: look.with_choice,
            span_ns: ground.end - ground.begin,
            score: look.score,
            notes: notes(run),
            findings,
            causes,
            decisions: listed.collect(),
            costly: decisions.len() as u64,
        }
    }
}

/// Sentences about the figures: that the run has no end, and what is missing.
fn notes(run: &RecordedRun) -> Vec<String> {
    let no_end = run.status.is_none();
    let no_end = no_end.then(|| "the run has no end: the EDTs that had ended are explained".into());
    let part = |gap: String| format!("a part of the run alone is explained: {gap}");
    let parts = run.gaps().into_iter().map(part);
    no_end.into_iter().chain(parts).collect()
}

#[cfg(test)]
mod tests;
