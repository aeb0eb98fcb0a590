//! A search as JSON, with each run. `docs/guide/src/json.md` describes the members.

use super::outcome::{OnLine, Outcome, Standing};
use super::search::Tried;
use crate::output;
use crate::ranks::RankOrder;
use ocr_analysis::reasons::Reasons;
use ocr_base::text::Readable;
use serde::Serialize;
use std::collections::BTreeMap;

/// The answer of `ocr tune --json`.
#[derive(Serialize)]
struct TuneAnswer<'a> {
    /// The program and its arguments.
    program: Vec<String>,
    /// What the numbers are, in words.
    metric: String,
    /// How many settings there are.
    settings: u128,
    /// How many of the settings began.
    candidates: usize,
    /// The seed of the random numbers by which the candidates were drawn, where these are not all settings.
    seed: u64,
    /// How many runs the search could make at most.
    budget: usize,
    /// How many runs the search has made.
    runs: usize,
    best: One<'a>,
    /// The setting that comes behind the best, and whether the best is shown to be faster.
    next: Option<NextInJson<'a>>,
    /// The duels of the best setting, that against the next first.
    duels: Vec<NextInJson<'a>>,
    /// The settings beside the best that the budget was not enough for.
    not_run: Vec<Names<'a>>,
    /// The settings that cannot be distinguished from the best.
    alike: Vec<Names<'a>>,
    dimensions: Vec<Line<'a>>,
    /// Each setting that was run.
    tried: Vec<One<'a>>,
    /// The value of each key of `--same`; null where none is printed.
    same: BTreeMap<&'a str, Option<&'a str>>,
    failures: Vec<FailedSettings<'a>>,
    notes: &'a [String],
    /// Why the best setting takes its time, and what to try next, by a recorded run.
    reasons: &'a Reasons,
    /// How the search was interrupted.
    interrupted: Option<&'a str>,
    /// The variables of the environment for the best setting.
    environment: BTreeMap<&'a str, &'a str>,
    /// The program and its arguments for the best setting.
    arguments: Vec<String>,
    /// The command line for the best setting, with its variables, for a shell.
    command: String,
}

/// The value of each dimension in a setting, by the dimension's name.
type Names<'a> = BTreeMap<&'a str, &'a str>;

#[derive(Serialize)]
struct One<'a> {
    values: Names<'a>,
    standing: Standing,
    median: Option<f64>,
    spread: Option<[f64; 2]>,
    over_best: Option<f64>,
    /// The times of the halving and of the climb, in the order of the runs.
    early: &'a [f64],
    /// The times of the last stage, in the order of the runs.
    last: &'a [f64],
    /// The times of the duel, in the order of the runs.
    duel: &'a [f64],
}

#[derive(Serialize)]
struct NextInJson<'a> {
    values: Names<'a>,
    order: Option<&'a RankOrder>,
    is_sure: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    /// Whether the dimension has no effect that the runs show.
    no_effect: bool,
    values: Vec<Value<'a>>,
}

/// One value of a dimension, where all other dimensions have the values of the best setting.
#[derive(Serialize)]
struct Value<'a> {
    value: &'a str,
    standing: Standing,
    median: Option<f64>,
    over_best: Option<f64>,
}

#[derive(Serialize)]
struct FailedSettings<'a> {
    values: Names<'a>,
    how: &'a str,
    said: &'a str,
}

impl Outcome<'_> {
    /// The search as JSON, with a line feed at its end.
    pub(crate) fn json(&self) -> String {
        let (task, found, best) = (self.task, self.found, self.best());
        let readable = |words: &[std::ffi::OsString]| -> Vec<String> {
            let words = words.iter().map(|word| Readable::os(word).to_string());
            words.collect()
        };
        let duel = |other: usize| found.duels.iter().find(move |duel| duel.other == other);
        let against = |other: usize| NextInJson {
            values: self.names(&found.tried[other].setting),
            order: duel(other).map(|duel| &duel.order),
            is_sure: duel(other).is_some_and(|duel| duel.is_told),
        };
        let dimensions = task.dimensions.iter().enumerate();
        let same = task.same.iter().zip(&self.seen.values);
        let answer = TuneAnswer {
            program: readable(task.words),
            metric: self.whose(),
            settings: found.total,
            candidates: found.candidates,
            seed: self.plan.seed,
            budget: self.budget,
            runs: found.runs,
            best: self.one(best),
            next: found.next.map(against),
            duels: found.duels.iter().map(|duel| against(duel.other)).collect(),
            not_run: found.not_run.iter().map(|setting| self.names(setting)).collect(),
            alike: (self.alike().iter()).map(|tried| self.names(&tried.setting)).collect(),
            dimensions: dimensions
                .map(|(at, dimension)| Line {
                    name: &dimension.name,
                    no_effect: self.has_no_effect(at),
                    values: (self.line(at).iter()).map(|on_line| self.value(&dimension.values, on_line)).collect(),
                })
                .collect(),
            tried: found.tried.iter().map(|tried| self.one(tried)).collect(),
            same: same.map(|(key, seen)| (key.as_str(), seen.first().map(|(value, _)| value.as_str()))).collect(),
            failures: (self.seen.left.iter())
                .map(|left| FailedSettings { values: self.names(&left.setting), how: &left.how, said: &left.tail })
                .collect(),
            notes: self.notes,
            reasons: &self.seen.reasons,
            interrupted: self.seen.interrupted.as_deref(),
            environment: task.variables(&best.setting).into_iter().collect(),
            arguments: readable(&task.words(&best.setting)),
            command: task.command(&best.setting),
        };
        output::json(&answer)
    }

    fn names(&self, setting: &[usize]) -> Names<'_> {
        let values = self.task.dimensions.iter().zip(setting);
        values.map(|(one, &value)| (one.name.as_str(), one.values[value].as_str())).collect()
    }

    fn one<'t>(&'t self, tried: &'t Tried) -> One<'t> {
        let times = tried.times();
        One {
            values: self.names(&tried.setting),
            standing: self.standing(Some(tried)),
            median: times.as_ref().map(|times| times.median()),
            spread: times.map(|times| times.spread().into()),
            over_best: self.over_best(tried),
            early: &tried.early,
            last: &tried.last,
            duel: &tried.duel,
        }
    }

    fn value<'t>(&'t self, values: &'t [String], on_line: &OnLine<'t>) -> Value<'t> {
        let times = on_line.tried.and_then(Tried::times);
        Value {
            value: &values[on_line.value],
            standing: on_line.standing,
            median: times.map(|times| times.median()),
            over_best: on_line.tried.and_then(|tried| self.over_best(tried)),
        }
    }
}
