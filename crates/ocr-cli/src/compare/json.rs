//! A comparison as JSON, with each run.

use crate::compare::best::Verdict;
use crate::compare::comparison::Comparison;
use crate::compare::options::Devices;
use crate::compare::row::{Measured, Row};
use crate::output;
use ocr::report::Report;
use ocr_analysis::diagnosis::Facts;
use ocr_analysis::reasons::Reasons;
use ocr_base::text::Readable;
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer of `ocr compare --json`, which `docs/guide/src/json.md` describes. A value that the table lacks is `null`
/// here.
#[derive(Serialize)]
struct CompareAnswer<'a> {
    /// The program and its arguments.
    program: Vec<String>,
    /// What the seconds are, in words.
    seconds: &'static str,
    /// The devices, each as `name (kind)`.
    devices: Option<&'a str>,
    /// The policies that were not run, and why.
    left_out: Option<LeftOut<'a>>,
    /// The policies in the order in which they were given.
    policies: Vec<Policy<'a>>,
    /// The faster one of the policies `cpu` and `device`.
    best_place: Option<&'a str>,
    /// The keys of `--same`, with each value that was seen.
    same: BTreeMap<&'a str, Vec<SeenValue<'a>>>,
    /// Sentences that one must know to judge the times.
    notes: Vec<Note<'a>>,
    /// Which policy is best, if that can be said.
    verdict: Option<Verdict>,
    /// Why this policy is best, and what to try next. Empty where no run was recorded.
    reasons: Reasons,
    /// How the command was interrupted.
    interrupted: Option<&'a str>,
}

#[derive(Serialize)]
struct LeftOut<'a> {
    policies: &'a [&'a str],
    why: &'a str,
}

#[derive(Serialize)]
struct Policy<'a> {
    policy: &'a str,
    median: Option<f64>,
    /// The fastest and the slowest time in seconds. Of ten runs and more, a tenth on either side is left out.
    spread: Option<[f64; 2]>,
    speed_up: Option<f64>,
    over_best_place: Option<f64>,
    /// The part of the time that no schedule can save, from 0 to 1.
    bound: Option<f64>,
    /// The facts about the recorded run: what its time went into, what was copied, and why it took as long.
    recorded: Option<&'a Facts>,
    failure: Option<FailedPolicy<'a>>,
    runs: Vec<OneRun<'a>>,
}

#[derive(Serialize)]
struct FailedPolicy<'a> {
    how: &'a str,
    said: &'a str,
}

#[derive(Serialize)]
struct OneRun<'a> {
    seconds: f64,
    /// The values of the keys of `--show`.
    shown: BTreeMap<&'a str, Option<&'a str>>,
    /// How many programs of the runtime have run.
    programs: usize,
    report: &'a Report,
}

#[derive(Serialize)]
struct SeenValue<'a> {
    value: Option<&'a str>,
    first_under: &'a str,
}

#[derive(Serialize)]
struct Note<'a> {
    policies: &'a [String],
    note: &'a str,
}

impl Comparison<'_> {
    /// The whole comparison as JSON, with a line feed at its end.
    pub(crate) fn json(&self, devices: &Devices, left_out: &[&str]) -> String {
        let words = self.options.program.iter();
        let same = self.options.same.iter().zip(&self.values);
        let answer = CompareAnswer {
            program: words.map(|word| Readable::os(word).to_string()).collect(),
            seconds: self.whose(),
            devices: match devices {
                Devices::Some { names, .. } => Some(names),
                Devices::None(_) => None,
            },
            left_out: match devices {
                Devices::None(why) if !left_out.is_empty() => Some(LeftOut { policies: left_out, why }),
                _ => None,
            },
            policies: self.rows.iter().map(|row| self.policy(row)).collect(),
            best_place: self.place().map(|(policy, _)| policy),
            same: same
                .map(|(key, seen)| {
                    let seen = seen.iter().map(|(value, policy)| SeenValue {
                        value: (value != "(missing)").then_some(value.as_str()),
                        first_under: policy,
                    });
                    (key.as_str(), seen.collect())
                })
                .collect(),
            notes: (self.notes.iter()).map(|(note, policies)| Note { policies, note }).collect(),
            verdict: self.verdict(),
            reasons: self.reasons(),
            interrupted: self.interrupted.as_deref(),
        };
        output::json(&answer)
    }

    fn policy<'r>(&'r self, row: &'r Row) -> Policy<'r> {
        let times = row.times();
        let median = times.as_ref().map(|times| times.median());
        let over = |base: Option<f64>| {
            let ratio = base? / median?;
            ratio.is_finite().then_some(ratio)
        };
        let spread = times.as_ref().map(|times| times.spread());
        Policy {
            policy: &row.policy,
            median,
            spread: spread.map(|(fast, slow)| [fast, slow]),
            speed_up: over(self.base()),
            over_best_place: over(self.place().map(|(_, seconds)| seconds)),
            bound: row.bound,
            recorded: row.facts.as_ref(),
            failure: (row.failure.as_ref()).map(|(how, said)| FailedPolicy { how, said }),
            runs: row.runs.iter().map(|run| self.one_run(run)).collect(),
        }
    }

    fn one_run<'r>(&'r self, run: &'r Measured) -> OneRun<'r> {
        let shown = self.options.show.iter().zip(&run.shown);
        OneRun {
            seconds: run.seconds,
            shown: shown.map(|(key, value)| (key.as_str(), value.as_deref())).collect(),
            programs: run.programs,
            report: &run.report,
        }
    }
}
