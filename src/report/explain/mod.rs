//! Why a run took as long as it did, and what to change: by EDT, by template, and as a whole.
//!
//! | file | what |
//! |---|---|
//! | `find.rs` | which EDT or template is meant |
//! | `ground.rs` | what all of it looks up: units, medians, copies, dependences |
//! | `edt.rs` | one EDT: what was considered, chosen, and came true |
//! | `template.rs` | one template: times by place, and how good predictions were |
//! | `decisions.rs` | what decisions have cost, seen from behind |
//! | `chain.rs` | the chain of EDTs that led to the end |
//! | `advice.rs` | what to change: which rules there are, from where on they say something, and what they look at |
//! | `rules.rs` | the rules that are about decisions; the others are in [`super::why`] |
//!
//! It looks at the recorded run alone. Times are nanoseconds.

mod advice;
mod chain;
mod decisions;
mod edt;
mod find;
mod ground;
mod rules;
mod template;

pub use advice::{Advice, Rule};
pub use decisions::Cause;
pub use edt::{Better, Choice, EdtView, Place, PlaceOfEdt, Predecessor, Truth, WaitedFor};
pub use find::{Subject, find};
pub use template::{ERRORS, PlaceOfTemplate, Predictions, TemplateView};

use super::recorded::{Run, Score};
use advice::Facts;
use ground::Ground;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// A run as a whole.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Whole {
    /// EDTs that have ended.
    pub edts: u64,
    /// Of these, EDTs that could run in more than one place.
    pub with_choice: u64,
    /// From the begin of the first EDT to the end of the last, in nanoseconds.
    pub span_ns: u64,
    /// How good the schedule was.
    pub score: Option<Score>,
    /// What is to be known of the figures, in sentences.
    pub notes: Vec<String>,
    /// What to change, what could save most first.
    pub advice: Vec<Advice>,
    /// What decisions have cost by cause, those that cost most first.
    pub causes: Vec<CauseTotal>,
    /// Decisions that have cost something, those that cost most first.
    pub decisions: Vec<Costly>,
    /// Their number, of which the first ones are listed.
    pub costly: u64,
}

/// What decisions have cost for one reason.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct CauseTotal {
    /// The reason.
    pub cause: Cause,
    /// How many decisions.
    pub count: u64,
    /// What they have cost together.
    pub cost_ns: u64,
}

/// A decision that has cost something. Times are nanoseconds since the begin of the run.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Costly {
    /// The EDT, as messages name it.
    pub name: String,
    /// When it was decided where the EDT goes.
    pub decided_ns: u64,
    /// Where it ran.
    pub place: String,
    /// When it ended.
    pub end_ns: u64,
    /// Where it would have ended first.
    pub better: String,
    /// When.
    pub better_end_ns: u64,
    /// How much earlier.
    pub cost_ns: u64,
    /// Why that was not chosen.
    pub cause: Cause,
}

/// A recorded run that is explained.
pub struct Explained<'a>(Ground<'a>);

impl<'a> Explained<'a> {
    /// The run; none if no EDT has ended.
    pub fn new(run: &'a Run) -> Option<Explained<'a>> {
        Ground::of(run).map(Explained)
    }

    /// One EDT.
    pub fn edt(&self, number: u32) -> EdtView {
        edt::view(&self.0, number)
    }

    /// One template.
    pub fn template(&self, number: u32) -> TemplateView {
        template::view(&self.0, number)
    }

    /// All of it, with so many decisions at most.
    pub fn whole(&self, most: usize) -> Whole {
        let ground = &self.0;
        let (decisions, with_choice) = decisions::all(ground);
        let facts = Facts::of(ground, decisions);
        let advice = rules::all(&facts);
        let mut causes: BTreeMap<Cause, (u64, u64)> = BTreeMap::new();
        for one in &facts.decisions {
            let (count, cost) = causes.entry(one.cause).or_default();
            *count += 1;
            *cost += one.cost;
        }
        let mut causes: Vec<CauseTotal> = (causes.into_iter())
            .map(|(cause, (count, cost_ns))| CauseTotal {
                cause,
                count,
                cost_ns,
            })
            .collect();
        causes.sort_by_key(|total| Reverse(total.cost_ns));
        let mut decisions = facts.decisions;
        decisions.sort_by_key(|one| Reverse(one.cost));
        let run = ground.run;
        let listed = decisions.iter().take(most).map(|one| {
            let edt = ground.edt(one.edt);
            Costly {
                name: run.name_of(edt),
                decided_ns: one.at,
                place: run.place_name(edt.place),
                end_ns: edt.end,
                better: run.place_name(one.better),
                better_end_ns: one.end,
                cost_ns: one.cost,
                cause: one.cause,
            }
        });
        Whole {
            edts: ground.ran.len() as u64,
            with_choice,
            span_ns: ground.end - ground.begin,
            score: facts.score,
            notes: notes(run),
            advice,
            causes,
            decisions: listed.collect(),
            costly: decisions.len() as u64,
        }
    }
}

/// What is to be known of the figures.
fn notes(run: &Run) -> Vec<String> {
    let no_end = run.status.is_none();
    let no_end = no_end.then(|| "the run has no end: the EDTs that had ended are explained".into());
    let part = |gap: String| format!("a part of the run alone is explained: {gap}");
    let parts = run.gaps().into_iter().map(part);
    no_end.into_iter().chain(parts).collect()
}

#[cfg(all(test, not(loom)))]
mod tests;
