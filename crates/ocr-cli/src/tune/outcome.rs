//! The result of a search: the best setting, how sure that is, what each dimension does, and the command line to use.

use super::plan::{Plan, Setting};
use super::search::{Duel, Found, Tried};
use super::{SeenInSearch, Task};
use crate::compare::best::listed;
use crate::ranks::CONFIDENCE;
use crate::run::TimeForm;
use crate::table::{Align, Table, wrap};
use crate::times::Times;
use ocr_base::text::counted;
use serde::Serialize;

/// How many settings the sentence about a flat optimum names at most.
const NAMED: usize = 5;

/// How many rows the table of settings has at most.
const ROWS: usize = 12;

/// Everything that there is to tell of a search which has found a best setting.
pub(crate) struct Outcome<'a> {
    /// The task of the search, with its settings.
    pub(crate) task: &'a Task<'a>,
    /// How many settings and runs there were to be.
    pub(crate) plan: &'a Plan,
    /// How many runs may be made, with the recorded one.
    pub(crate) budget: usize,
    /// The best setting, and the times of all.
    pub(crate) found: &'a Found,
    /// What was seen during the search.
    pub(crate) seen: &'a SeenInSearch,
    /// Sentences on what was left out before the search.
    pub(crate) notes: &'a [String],
}

/// How a setting stands to the best one.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Standing {
    /// The setting is the best.
    Best,
    /// The duel of the setting and the best one did not tell them apart, or their spreads overlap and there was no
    /// duel.
    Alike,
    /// The duel showed the setting to be slower, or all its runs but accidents took longer than those of the best.
    Slower,
    /// The setting was left out before the last stage, so its times are of other rounds.
    LeftOut,
    /// The program failed with the setting.
    Failed,
    /// The setting was not run.
    NotRun,
}

impl Standing {
    /// The words in the table.
    fn words(self) -> &'static str {
        match self {
            Standing::Best => "best",
            Standing::Alike => "alike",
            Standing::Slower => "slower",
            Standing::LeftOut => "left out early",
            Standing::Failed => "failed",
            Standing::NotRun => "not run",
        }
    }
}

/// A value of a dimension, where all other dimensions have the values of the best setting.
pub(crate) struct OnLine<'a> {
    /// The index of the value among those of the dimension.
    pub(crate) value: usize,
    /// The setting with this value and its times. None if it was not run.
    pub(crate) tried: Option<&'a Tried>,
    /// How this setting stands to the best one.
    pub(crate) standing: Standing,
}

impl<'a> Outcome<'a> {
    /// The best setting and its times.
    pub(crate) fn best(&self) -> &'a Tried {
        match self.found.best {
            Some(best) => &self.found.tried[best],
            None => unreachable!("an outcome has a best setting"),
        }
    }

    /// The times of the best setting.
    fn best_times(&self) -> Times {
        match self.best().times() {
            Some(times) => times,
            None => unreachable!("the best setting has run"),
        }
    }

    /// How a setting stands to the best one.
    pub(crate) fn standing(&self, tried: Option<&Tried>) -> Standing {
        let Some(tried) = tried else {
            return Standing::NotRun;
        };
        let duel = self.found.duels.iter();
        let mut duel = duel.filter(|duel| self.found.tried[duel.other].setting == tried.setting);
        if let (Some(duel), false) = (duel.next(), tried.failed) {
            return if duel.is_told { Standing::Slower } else { Standing::Alike };
        }
        match tried.times() {
            None if tried.failed => Standing::Failed,
            None => Standing::NotRun,
            Some(_) if tried.setting == self.best().setting => Standing::Best,
            Some(_) if tried.last.is_empty() => Standing::LeftOut,
            Some(times) if times.is_like(&self.best_times()) => Standing::Alike,
            Some(_) => Standing::Slower,
        }
    }

    /// The settings of the last stage, from the fastest to the slowest. The best one is the first.
    pub(crate) fn in_last(&self) -> Vec<&'a Tried> {
        let all = self.found.tried.iter();
        let mut last: Vec<(bool, f64, &Tried)> = all
            .filter(|tried| !tried.last.is_empty())
            .filter_map(|tried| {
                let is_other = tried.setting != self.best().setting;
                Some((is_other, tried.times()?.median(), tried))
            })
            .collect();
        last.sort_by(|one, other| (one.0.cmp(&other.0)).then(one.1.total_cmp(&other.1)));
        last.into_iter().map(|(_, _, tried)| tried).collect()
    }

    /// The settings that cannot be distinguished from the best one.
    pub(crate) fn alike(&self) -> Vec<&'a Tried> {
        let mut last = self.in_last();
        last.retain(|tried| self.standing(Some(tried)) == Standing::Alike);
        last
    }

    /// The values of a dimension, where all other dimensions have the values of the best setting.
    pub(crate) fn line(&self, dimension: usize) -> Vec<OnLine<'a>> {
        let values = 0..self.task.dimensions[dimension].values.len();
        let on_line = values.map(|value| {
            let mut setting = self.best().setting.clone();
            setting[dimension] = value;
            let tried = self.found.tried.iter().find(|one| one.setting == setting);
            OnLine { value, tried, standing: self.standing(tried) }
        });
        on_line.collect()
    }

    /// How many times as long as the best a setting takes, by medians. None where it has no times, or the best takes 0.
    pub(crate) fn over_best(&self, tried: &Tried) -> Option<f64> {
        let ratio = tried.times()?.median() / self.best_times().median();
        ratio.is_finite().then_some(ratio)
    }

    /// The words for what the numbers are: those that the program prints, or the seconds of the runtime.
    pub(crate) fn whose(&self) -> String {
        match self.task.metric {
            Some(key) => format!("the values of \"{key}\" that the program prints"),
            None if self.seen.form == Some(TimeForm::Number) => "the seconds that the program prints".into(),
            None => "seconds from the start of the runtime to its end".into(),
        }
    }

    /// The result as text: tables and sentences.
    pub(crate) fn text(&self) -> String {
        let mut text = wrap(&self.head());
        text += &format!("\n{}", self.settings().text());
        text += &format!("\n{}\n", self.lines().text());
        text += &wrap(&self.verdict());
        let reasons = &self.seen.reasons;
        for (title, sentences) in
            [("Why the best setting takes its time", &reasons.why), ("What to try next", &reasons.next)]
        {
            if !sentences.is_empty() {
                let lines: String = sentences.iter().map(|line| format!("  {line}\n")).collect();
                text += &format!("\n{title}:\n{}", wrap(&lines));
            }
        }
        text += &left_out(self.task, self.seen);
        text + &format!("\nUse: {}\n", self.task.command(&self.best().setting))
    }

    /// The sentences on what was searched, and with how many runs.
    fn head(&self) -> String {
        let found = self.found;
        let mut text = format!("{} settings", found.total);
        if found.total != found.candidates as u128 {
            text += &format!(
                ", of which {} were drawn by chance (--seed {}), since a budget of {} runs is not enough for all",
                found.candidates, self.plan.seed, self.budget
            );
        }
        text += &format!("; {} with the warm-ups.\n", counted(found.runs as u64, "run"));
        text += &format!("Below are {}: medians and spreads.\n", self.whose());
        for note in self.notes.iter().chain(&self.seen.interrupted) {
            text += &format!("{note}\n");
        }
        text
    }

    /// The table of the settings of the last stage.
    fn settings(&self) -> Table {
        let mut table = self.table("setting of the last stage", None);
        for tried in self.in_last().into_iter().take(ROWS) {
            let name = self.task.name(&tried.setting);
            table.row(self.cells(vec![name], Some(tried), self.standing(Some(tried))));
        }
        table
    }

    /// The table of what each dimension does, where all other dimensions have the values of the best setting.
    fn lines(&self) -> Table {
        let mut table = self.table("varied alone", Some("value"));
        for (at, dimension) in self.task.dimensions.iter().enumerate() {
            for on_line in self.line(at) {
                let name = dimension.name.clone();
                let first = vec![name, dimension.values[on_line.value].clone()];
                table.row(self.cells(first, on_line.tried, on_line.standing));
            }
        }
        table
    }

    /// A table without rows, whose first columns have these titles.
    fn table(&self, first: &str, second: Option<&str>) -> Table {
        let left = |title: &str| (title.to_string(), Align::Left);
        let right = |title: &str| (title.to_string(), Align::Right);
        let mut columns = vec![left(first)];
        columns.extend(second.map(left));
        let unit = self.task.metric.unwrap_or("seconds");
        columns.extend([unit, "spread", "times best", "runs"].map(right));
        columns.push(left("which is"));
        Table::new(columns)
    }

    /// The cells of a row: those that are given, and those about the times of a setting.
    fn cells(&self, mut cells: Vec<String>, tried: Option<&Tried>, standing: Standing) -> Vec<String> {
        let times = tried.and_then(Tried::times);
        let (Some(tried), Some(times)) = (tried, times) else {
            cells.extend(["-"; 4].map(String::from));
            cells.push(standing.words().into());
            return cells;
        };
        let (fast, slow) = times.spread();
        let runs = match tried.last.len() {
            0 => tried.early.len(),
            runs => runs,
        };
        let over = self.over_best(tried);
        cells.extend([
            self.task.number(times.median()),
            format!("{}..{}", self.task.number(fast), self.task.number(slow)),
            over.map_or("-".into(), |ratio| format!("{ratio:.2}")),
            runs.to_string(),
            standing.words().into(),
        ]);
        cells
    }

    /// The sentences on which setting is best, how sure that is, how flat the optimum is, and which dimension matters.
    fn verdict(&self) -> String {
        let best = self.task.name(&self.best().setting);
        let alike = self.alike();
        let duels = &self.found.duels;
        let is_told = !duels.is_empty() && duels.iter().all(|duel| duel.is_told);
        let mut text = match alike.len() {
            _ if self.seen.interrupted.is_some() => format!("Best so far: {best}.\n"),
            0 if self.found.next.is_none() => {
                format!("Only {best} is left, so it was compared with nothing.\n")
            }
            0 if is_told => format!("Best: {best}, told apart from the next at {CONFIDENCE}.\n"),
            0 => format!("Best: {best}.\n"),
            _ => format!("Fastest: {best}, but it is not told apart from others.\n"),
        };
        if self.found.next.is_some() && duels.is_empty() {
            text += "There was no duel of the best and the next, so nothing is said of them.\n";
        }
        for duel in duels {
            let other = self.task.name(&self.found.tried[duel.other].setting);
            text += &format!("Duel: {}\n", told_by(&other, duel));
        }
        text += &format!("How flat: {}\n", self.how_flat(&alike));
        if let Some(text_of_slope) = self.slope() {
            text += &format!("Budget: {text_of_slope}\n");
        }
        for (at, dimension) in self.task.dimensions.iter().enumerate() {
            text += &format!("{}: {}\n", dimension.name, self.effect(at));
        }
        text
    }

    /// The sentences on a search that ended before all settings beside the best had run. None where all have.
    fn slope(&self) -> Option<String> {
        let not_run = &self.found.not_run;
        (!not_run.is_empty()).then(|| {
            format!(
                "it ended the search on the slope: {} beside the best {} not run: {}. A better one may be there. More runs may \
                 find it: --runs-budget {}.",
                counted(not_run.len() as u64, "setting"),
                if not_run.len() == 1 { "was" } else { "were" },
                self.some_names(not_run.iter()),
                2 * self.budget
            )
        })
    }

    /// Whether a dimension has no effect that the runs show: none of its values is distinguished from the best one's.
    pub(crate) fn has_no_effect(&self, dimension: usize) -> bool {
        let line = self.line(dimension);
        let of = |standing: Standing| line.iter().filter(move |on| on.standing == standing).count();
        self.seen.interrupted.is_none() && line.len() > 1 && of(Standing::Alike) + of(Standing::Best) == line.len()
    }

    /// The sentence on a dimension that the runs did not follow. None where they did, or where that is not known.
    fn not_followed(&self, dimension: usize) -> Option<String> {
        let is_workers = self.task.dimensions[dimension].is_workers();
        let mut had: Vec<usize> = self.seen.workers.values().flatten().copied().collect();
        had.sort_unstable();
        had.dedup();
        let [workers] = had[..] else { return None };
        (is_workers && self.seen.workers.len() > 1).then(|| {
            format!(
                "The runs had {} with each of the values, so the runtime has not followed the setting.",
                counted(workers as u64, "worker")
            )
        })
    }

    /// The sentence on how many settings are not distinguished from the best.
    fn how_flat(&self, alike: &[&Tried]) -> String {
        let total = self.in_last().len().saturating_sub(1);
        let mut text = if alike.is_empty() {
            match total {
                0 => "no other setting was in the last stage.".to_string(),
                1 => "the other setting in the last stage took longer.".to_string(),
                _ => format!(
                    "none of the {} in the last stage took as little time as the best.",
                    counted(total as u64, "other setting")
                ),
            }
        } else {
            format!(
                "{} of the {} in the last stage {} not told apart from the best: {}.",
                alike.len(),
                counted(total as u64, "other setting"),
                if alike.len() == 1 { "is" } else { "are" },
                self.some_names(alike.iter().map(|tried| &tried.setting))
            )
        };
        let left_out = self.found.tried.iter().filter(|tried| self.standing(Some(tried)) == Standing::LeftOut);
        let left_out = left_out.count();
        if left_out > 0 {
            text += &format!(
                " {} left out before that, after fewer runs.",
                match left_out {
                    1 => "One was".to_string(),
                    _ => format!("{left_out} were"),
                }
            );
        }
        text
    }

    /// The names of the first few settings, and how many more there are.
    fn some_names<'s>(&self, settings: impl ExactSizeIterator<Item = &'s Setting>) -> String {
        let more = settings.len().saturating_sub(NAMED);
        let names = settings.take(NAMED).map(|setting| self.task.name(setting));
        let mut names: Vec<String> = names.collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        listed(&names.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// The sentence on what a dimension does.
    fn effect(&self, dimension: usize) -> String {
        let line = self.line(dimension);
        let values = &self.task.dimensions[dimension].values;
        let others = line.iter().filter(|on_line| on_line.standing != Standing::Best);
        let with = |standing: Standing| {
            let some = others.clone().filter(move |on_line| on_line.standing == standing);
            some.map(|on_line| values[on_line.value].as_str()).collect::<Vec<_>>()
        };
        let slower = others.clone().filter(|on_line| on_line.standing == Standing::Slower);
        let ratio = |on_line: &OnLine<'_>| self.over_best(on_line.tried?);
        let worst = slower
            .filter_map(|on_line| Some((ratio(on_line)?, on_line.value)))
            .max_by(|one, other| one.0.total_cmp(&other.0));
        let alike = with(Standing::Alike);
        let mut text = match (worst, &alike[..]) {
            (Some((ratio, value)), _) => format!(
                "{} takes {ratio:.2} times as long as {}, which is best",
                values[value],
                values[self.best().setting[dimension]]
            ),
            (None, []) => "nothing can be said, since no other value ran in the last stage".into(),
            (None, _) if self.has_no_effect(dimension) => {
                "the setting has no effect that the runs show, so it need not be varied".into()
            }
            (None, _) => "no difference is seen".into(),
        };
        if worst.is_some() && !alike.is_empty() {
            text += &format!(
                ", and {} {} not told apart from it",
                listed(&alike),
                if alike.len() == 1 { "is" } else { "are" }
            );
        }
        text.push('.');
        for (standing, words) in [(Standing::Failed, "fails"), (Standing::NotRun, "was not run")] {
            let some = with(standing);
            let words = match (some.len(), standing) {
                (0, _) => continue,
                (1, _) => words,
                (_, Standing::Failed) => "fail",
                _ => "were not run",
            };
            text += &format!(" {} {words}.", listed(&some));
        }
        if let Some(sentence) = self.not_followed(dimension) {
            text += &format!(" {sentence}");
        }
        text
    }
}

/// The sentence on a duel of the best setting and another one.
fn told_by(other: &str, duel: &Duel) -> String {
    let order = &duel.order;
    let chance = match order.chance {
        chance if chance > 0.1 => format!("in {:.0} of 100 cases", 100.0 * chance),
        chance => format!("once in {:.0} times", 1.0 / chance),
    };
    let so = if duel.is_told {
        format!("so it is told to be faster at {CONFIDENCE}")
    } else {
        "which does not tell them apart".to_string()
    };
    format!(
        "in {} of {} pairs of a run of it and a run of {other}, it was the faster. Chance alone gives so clear an order {chance}, \
         {so}. (Exact rank test of Mann and Whitney: {} runs of each in turns, after both had been chosen.)",
        order.faster, order.pairs, order.runs,
    )
}

/// How runs failed. Settings with which they failed alike are named together.
pub(crate) fn left_out(task: &Task<'_>, seen: &SeenInSearch) -> String {
    let mut failures: Vec<((&str, &str), Vec<&Setting>)> = Vec::new();
    for left in &seen.left {
        let what = (&*left.how, &*left.tail);
        match failures.iter_mut().find(|(known, _)| *known == what) {
            Some((_, settings)) => settings.push(&left.setting),
            None => failures.push((what, vec![&left.setting])),
        }
    }
    let mut text = String::new();
    for ((how, tail), settings) in failures {
        let names: Vec<String> = settings.iter().map(|one| task.name(one)).collect();
        let more = match names.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let names = names[..names.len().min(NAMED)].join("; ");
        text += &format!("\nLeft out: {names}{more}: {how}:\n");
        for line in tail.lines() {
            text += &format!("  {line}\n");
        }
    }
    text
}
