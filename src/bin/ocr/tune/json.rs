//! A search as JSON, with each run. `docs/json.md` says what is in it.

use super::outcome::{OnLine, Outcome, Standing};
use super::ranks::Order;
use super::search::Tried;
use ocr::text::Readable;
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
struct Answer<'a> {
    /// The words of the command line.
    program: Vec<String>,
    /// What the numbers are.
    metric: String,
    /// All settings that there are.
    settings: u128,
    /// How many of them began.
    candidates: usize,
    /// Begins the random numbers, where these are not all.
    seed: u64,
    /// Runs at most, and runs made.
    budget: usize,
    runs: usize,
    best: One<'a>,
    /// The next, and how sure it is that the best is better.
    next: Option<Next<'a>>,
    /// Settings that cannot be told from the best.
    alike: Vec<Names<'a>>,
    dimensions: Vec<Line<'a>>,
    /// Each setting that was run.
    tried: Vec<One<'a>>,
    /// Values of `--same`; null where none is printed.
    same: BTreeMap<&'a str, Option<&'a str>>,
    failures: Vec<Failed<'a>>,
    notes: &'a [String],
    /// The environment and the arguments of the best setting, and both as a command line.
    environment: BTreeMap<&'a str, &'a str>,
    arguments: Vec<String>,
    command: String,
}

/// The value of each dimension.
type Names<'a> = BTreeMap<&'a str, &'a str>;

#[derive(Serialize)]
struct One<'a> {
    values: Names<'a>,
    standing: Standing,
    median: Option<f64>,
    spread: Option<[f64; 2]>,
    over_best: Option<f64>,
    /// The times of each stage, as they came.
    early: &'a [f64],
    last: &'a [f64],
    duel: &'a [f64],
}

#[derive(Serialize)]
struct Next<'a> {
    values: Names<'a>,
    order: Option<&'a Order>,
    is_sure: bool,
}

#[derive(Serialize)]
struct Line<'a> {
    name: &'a str,
    values: Vec<Value<'a>>,
}

/// One value, where all others are as in the best setting.
#[derive(Serialize)]
struct Value<'a> {
    value: &'a str,
    standing: Standing,
    median: Option<f64>,
    over_best: Option<f64>,
}

#[derive(Serialize)]
struct Failed<'a> {
    values: Names<'a>,
    how: &'a str,
    said: &'a str,
}

impl Outcome<'_> {
    /// All of it as JSON, and a line end.
    pub(crate) fn json(&self) -> String {
        let (task, found, best) = (self.task, self.found, self.best());
        let readable = |words: &[std::ffi::OsString]| -> Vec<String> {
            let words = words.iter().map(|word| Readable::os(word).to_string());
            words.collect()
        };
        let next = found.next.as_ref().map(|(next, order)| Next {
            values: self.names(&found.tried[*next].setting),
            order: order.as_ref(),
            is_sure: order.as_ref().is_some_and(Order::is_sure),
        });
        let dimensions = task.dimensions.iter().enumerate();
        let same = task.same.iter().zip(&self.seen.values);
        let answer = Answer {
            program: readable(task.words),
            metric: self.whose(),
            settings: found.total,
            candidates: found.candidates,
            seed: self.plan.seed,
            budget: self.plan.budget,
            runs: found.runs,
            best: self.one(best),
            next,
            alike: (self.alike().iter())
                .map(|tried| self.names(&tried.setting))
                .collect(),
            dimensions: dimensions
                .map(|(at, dimension)| Line {
                    name: &dimension.name,
                    values: (self.line(at).iter())
                        .map(|on_line| self.value(&dimension.values, on_line))
                        .collect(),
                })
                .collect(),
            tried: found.tried.iter().map(|tried| self.one(tried)).collect(),
            same: same
                .map(|(key, seen)| (key.as_str(), seen.first().map(|(value, _)| value.as_str())))
                .collect(),
            failures: (self.seen.left.iter())
                .map(|left| Failed {
                    values: self.names(&left.setting),
                    how: &left.how,
                    said: &left.tail,
                })
                .collect(),
            notes: self.notes,
            environment: task.variables(&best.setting).into_iter().collect(),
            arguments: readable(&task.words(&best.setting)),
            command: task.command(&best.setting),
        };
        match serde_json::to_string_pretty(&answer) {
            Ok(text) => text + "\n",
            // It has neither maps with keys that are no strings nor types that can fail.
            Err(error) => unreachable!("a search is JSON: {error}"),
        }
    }

    fn names(&self, setting: &[usize]) -> Names<'_> {
        let values = self.task.dimensions.iter().zip(setting);
        values
            .map(|(one, &value)| (one.name.as_str(), one.values[value].as_str()))
            .collect()
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
