//! Two recordings side by side, as before and after a change: what EDTs took by template, what the time went into,
//! known causes, and bounds.

use crate::compare::options::CompareOptions;
use crate::output::{self, CommandError, check_input, output_file, own_words, print_beside, recordings};
use crate::table::{Align, Table, bytes, wrap};
use ocr::config::SETTINGS;
use ocr_analysis::diagnosis::{Facts, Finding, Idleness, PlaceTime};
use ocr_analysis::page::{Page, PageRun};
use ocr_analysis::reasons::{Reasons, SeenRun, reasons};
use ocr_analysis::recorded::{self, RecordedRun, Score};
use ocr_base::text::Readable;
use ocr_base::text::{counted, duration};
use ocr_trace::format::MAGIC;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// How many rows the table of templates has at most, those whose time differs most first.
const ROWS: usize = 40;

/// The least part by which two times differ that is worth a word.
const SAME: f64 = 0.01;

/// The two recordings that a command line names in place of a program. None where it names a program. The error is a
/// command line with one recording, or with more than two.
pub(crate) fn named(words: &[OsString]) -> Result<Option<[&Path; 2]>, CommandError> {
    let is_recording = |word: &OsString| {
        let mut head = [0; MAGIC.len()];
        let path = Path::new(word);
        // A file that is no plain one may block, or have an effect.
        let file = path.is_file().then(|| File::open(path));
        file.is_some_and(|file| file.is_ok_and(|mut file| file.read_exact(&mut head).is_ok())) && head == MAGIC
    };
    if !is_recording(&words[0]) {
        return Ok(None);
    }
    match words {
        [before, after] if is_recording(after) => Ok(Some([before.as_ref(), after.as_ref()])),
        [before, others @ ..] => Err(CommandError::usage(match others {
            [] => format!("{} is a recording: name another one beside it, or see ocr explain", Readable::os(before)),
            [after] => format!("{} is a recording, and {} is none", Readable::os(before), Readable::os(after)),
            _ => "two recordings are compared, and no more".to_string(),
        })),
        [] => Ok(None),
    }
}

/// Compares two recordings, and prints what differs.
pub(crate) fn compare(options: &CompareOptions, files: [&Path; 2]) -> Result<(), CommandError> {
    for file in files {
        check_input(file)?;
    }
    let html =
        options.html.as_deref().map(|page| output_file("the page", page, files.into_iter().flat_map(recordings)));
    let html = html.transpose()?;
    let read = |file| recorded::read(file).map_err(CommandError::failed);
    let runs = [read(files[0])?, read(files[1])?];
    let facts = |run| {
        Facts::of(run).ok_or_else(|| CommandError::failed(format!("in the recording {} no EDT has ended", run.name)))
    };
    let facts = [facts(&runs[0])?, facts(&runs[1])?];
    let both = Both { runs: &runs, facts: &facts };
    let text = if options.json { both.json() } else { both.text() };
    print_beside(html.as_ref(), &text)?;
    if let Some(file) = &html {
        let pages = [0, 1].map(|at| PageRun::new(both.name(at), &runs[at], 2));
        Page {
            command: "ocr compare",
            command_line: Some(own_words()),
            title: format!("{} and {}", both.name(0), both.name(1)),
            verdict: both.verdict(),
            reasons: both.reasons(),
            table: Some(both.templates().into_page()),
            remarks: both.remarks(),
            runs: pages.into_iter().flatten().collect(),
        }
        .write(file)
        .map_err(CommandError::failed)?;
    }
    Ok(())
}

/// Two recorded runs.
struct Both<'a> {
    /// The runs: before and after.
    runs: &'a [RecordedRun; 2],
    /// The facts about each.
    facts: &'a [Facts; 2],
}

/// The EDTs of a template in a place.
#[derive(Serialize, Clone, Copy, Default, PartialEq, Debug)]
struct Share {
    /// How many EDTs there were.
    edts: u64,
    /// What one of them took in the middle, in seconds.
    median: f64,
    /// What they took in all, in seconds.
    seconds: f64,
}

/// The EDTs of a template in a place, in both runs.
#[derive(Serialize, Debug)]
struct TemplateRow {
    template: String,
    place: String,
    before: Share,
    after: Share,
}

/// A known cause of a long run, in one of the runs or in both.
#[derive(Serialize)]
struct CauseInBoth<'a> {
    before: Option<&'a Finding>,
    after: Option<&'a Finding>,
}

/// The answer of `ocr compare --json` for two recordings, which `docs/guide/src/json.md` describes.
#[derive(Serialize)]
struct RecordingsAnswer<'a> {
    files: [&'a str; 2],
    seconds: [f64; 2],
    bounds: [Option<&'a Score>; 2],
    differing: BTreeMap<&'a str, [&'a str; 2]>,
    templates: Vec<TemplateRow>,
    moved: [u64; 2],
    recorded: [&'a Facts; 2],
    causes: Vec<CauseInBoth<'a>>,
    reasons: Reasons,
    text: String,
}

impl TemplateRow {
    /// How many seconds more the EDTs took in all after the change; negative where they took less.
    fn more(&self) -> f64 {
        self.after.seconds - self.before.seconds
    }
}

impl<'a> Both<'a> {
    /// The name of a recording.
    fn name(&self, at: usize) -> &'a str {
        &self.runs[at].name
    }

    /// What the EDTs of each template took in each place, those whose time differs most first.
    fn rows(&self) -> Vec<TemplateRow> {
        let mut times: BTreeMap<(String, String), [Vec<u64>; 2]> = BTreeMap::new();
        for (at, run) in self.runs.iter().enumerate() {
            for edt in &run.edts {
                if let Some(ns) = edt.time() {
                    let place = match edt.place {
                        0 => "workers".to_string(),
                        place => run.place_name(place),
                    };
                    let key = (run.template_name(edt).to_string(), place);
                    times.entry(key).or_default()[at].push(ns);
                }
            }
        }
        let share = |mut times: Vec<u64>| {
            times.sort_unstable();
            let seconds = |ns: u64| ns as f64 / 1e9;
            Share {
                edts: times.len() as u64,
                median: times.get(times.len() / 2).map_or(0.0, |&ns| seconds(ns)),
                seconds: seconds(times.iter().sum()),
            }
        };
        let mut rows: Vec<TemplateRow> = (times.into_iter())
            .map(|((template, place), [before, after])| TemplateRow {
                template,
                place,
                before: share(before),
                after: share(after),
            })
            .collect();
        rows.sort_by(|one, other| other.more().abs().total_cmp(&one.more().abs()));
        rows
    }

    /// The table of what EDTs took, before and after.
    fn templates(&self) -> Table {
        let left = |title: &str| (title.to_string(), Align::Left);
        let right = |title: &str| (title.to_string(), Align::Right);
        let mut columns = vec![left("template"), left("on")];
        for title in ["EDTs", "after", "median", "after", "in all", "after", "change"] {
            columns.push(right(title));
        }
        let mut table = Table::new(columns);
        for row in self.rows().into_iter().take(ROWS) {
            let two = |of: fn(&Share) -> String| {
                [&row.before, &row.after].map(|share| match share.edts {
                    0 => "-".to_string(),
                    _ => of(share),
                })
            };
            let mut cells = vec![row.template.clone(), row.place.clone()];
            cells.extend(two(|share| share.edts.to_string()));
            cells.extend(two(|share| duration(share.median)));
            cells.extend(two(|share| duration(share.seconds)));
            let sign = if row.more() < 0.0 { "-" } else { "+" };
            cells.push(format!("{sign}{}", duration(row.more().abs())));
            table.row(cells);
        }
        table
    }

    /// The table of what the time of each place went into.
    fn places(&self) -> Table {
        let mut columns = vec![("time of".to_string(), Align::Left), ("went into".to_string(), Align::Left)];
        columns.extend(["before", "after"].map(|title| (title.to_string(), Align::Right)));
        let mut table = Table::new(columns);
        let mut numbers: Vec<u8> = Vec::new();
        for place in self.facts.iter().flat_map(|facts| &facts.times.places) {
            if !numbers.contains(&place.place) {
                numbers.push(place.place);
            }
        }
        for number in numbers {
            let both = [0, 1].map(|at| self.facts[at].place(number));
            let name = both.iter().flatten().next().map_or("", |place| place.name.as_str());
            let mut add = |what: &str, of: &dyn Fn(&PlaceTime) -> u64| {
                let cells = both.map(|place| match place {
                    Some(place) => duration(of(place) as f64 / 1e9),
                    None => "-".to_string(),
                });
                if both.iter().flatten().any(|place| of(place) != 0) {
                    table.row([vec![name.to_string(), what.to_string()], cells.to_vec()].concat());
                }
            };
            add("EDTs", &|place| place.busy);
            for cause in Idleness::ALL {
                add(cause.text(), &|place| place.of(cause));
            }
        }
        table
    }

    /// The settings, programs and machines that differ between the runs.
    fn differing(&self) -> BTreeMap<&'a str, [&'a str; 2]> {
        let of = |at: usize, key: &str| self.runs[at].about.get(key).map_or("", String::as_str);
        let settings = SETTINGS.iter().map(|setting| setting.name);
        let settings = settings.filter(|name| !["report", "trace"].contains(name));
        let keys = ["program", "host", "processor", "system"].into_iter().chain(settings);
        let both = keys.map(|key| (key, [of(0, key), of(1, key)]));
        both.filter(|(_, [before, after])| before != after).collect()
    }

    /// The causes of both runs. Those of one rule, about one place and template, stand together.
    fn causes(&self) -> Vec<CauseInBoth<'a>> {
        let [before, after] = self.facts;
        let is_same = |one: &Finding, other: &Finding| {
            (one.rule, one.place, &one.template) == (other.rule, other.place, &other.template)
        };
        let mut causes: Vec<CauseInBoth<'a>> = (before.findings.iter())
            .map(|finding| CauseInBoth {
                before: Some(finding),
                after: after.findings.iter().find(|other| is_same(finding, other)),
            })
            .collect();
        let new = after.findings.iter();
        let new = new.filter(|finding| !before.findings.iter().any(|other| is_same(finding, other)));
        causes.extend(new.map(|finding| CauseInBoth { before: None, after: Some(finding) }));
        causes
    }

    /// The sentences on which run took less time, and how near each is to its bound.
    fn verdict(&self) -> String {
        let [before, after] = [0, 1].map(|at| self.facts[at].seconds);
        let ratio = after / before;
        let change = match ratio {
            ratio if (ratio - 1.0).abs() < SAME => "hardly differ".to_string(),
            ratio if ratio < 1.0 => {
                format!("differ: the second is {:.2} times as fast", 1.0 / ratio)
            }
            ratio => format!("differ: the second takes {ratio:.2} times as long"),
        };
        let mut text = format!(
            "From the first EDT's begin to the last one's end, {} took {} and {} took {}. The times {change}. It is one run of each, \
             so how much of that is chance is not known: ocr compare with the program itself says that.\n",
            self.name(0),
            duration(before),
            self.name(1),
            duration(after),
        );
        for (at, facts) in self.facts.iter().enumerate() {
            if let Some(score) = &facts.score {
                text += &format!(
                    "Bound of {}: no schedule of its EDTs on its places takes less than {}; the run took {:.2} times that.\n",
                    self.name(at),
                    duration(score.mixed),
                    score.ratio()
                );
            }
        }
        text
    }

    /// Why the slower run is slower, and what to try next with the other one. Empty where the times hardly differ.
    fn reasons(&self) -> Reasons {
        let [before, after] = [0, 1].map(|at| self.facts[at].seconds);
        if (after / before - 1.0).abs() < SAME {
            return Reasons::default();
        }
        let seen = [0, 1].map(|at| SeenRun { policy: self.name(at), facts: &self.facts[at], own: None });
        let best = if after < before { 1 } else { 0 };
        reasons(Some(self.name(best)), &[], &seen)
    }

    /// The sentences below the tables.
    fn remarks(&self) -> String {
        let mut text = String::new();
        for (key, [before, after]) in self.differing() {
            let word = |word: &str| {
                if word.is_empty() { "nothing".to_string() } else { word.to_string() }
            };
            text += &format!("Different {key}: {} before, {} after.\n", word(before), word(after));
        }
        let left_out = self.rows().len().saturating_sub(ROWS);
        if left_out > 0 {
            text += &format!(
                "{} whose time differs less {} not shown.\n",
                counted(left_out as u64, "row"),
                if left_out == 1 { "is" } else { "are" }
            );
        }
        let moved = [0, 1].map(|at| self.facts[at].moved.bytes());
        if moved != [0, 0] {
            let [before, after] = moved.map(bytes);
            text += &format!("Copied to and from devices: {before} before, {after} after.\n");
        }
        for run in self.runs {
            for gap in run.gaps() {
                text += &format!("{}: partial: {gap}\n", run.name);
            }
        }
        text
    }

    /// What differs, as text.
    fn text(&self) -> String {
        let mut text = wrap(&self.verdict());
        text += &format!("\n{}\n{}", self.templates().text(), self.places().text());
        let remarks = self.remarks();
        if !remarks.is_empty() {
            text += &format!("\n{}", wrap(&remarks));
        }
        let mut lines = String::new();
        for cause in self.causes() {
            lines += &match (cause.before, cause.after) {
                (Some(before), None) => format!("  gone: {}\n", before.text),
                (None, Some(after)) => format!("  new: {} {}\n", after.text, after.advice),
                (Some(before), Some(after)) if before.text == after.text => {
                    format!("  still: {} {}\n", after.text, after.advice)
                }
                (Some(before), Some(after)) => {
                    format!("  still: {} Before, it was: {} {}\n", after.text, before.text, after.advice)
                }
                (None, None) => String::new(),
            };
        }
        let why = self.reasons().why;
        let why: String = why.iter().map(|line| format!("  {line}\n")).collect();
        for (title, lines) in [("Causes", lines), ("Why", why)] {
            if !lines.is_empty() {
                text += &format!("\n{title}:\n{}", wrap(&lines));
            }
        }
        text
    }

    /// What differs, as JSON.
    fn json(&self) -> String {
        let answer = RecordingsAnswer {
            files: [0, 1].map(|at| self.name(at)),
            seconds: [0, 1].map(|at| self.facts[at].seconds),
            bounds: [0, 1].map(|at| self.facts[at].score.as_ref()),
            differing: self.differing(),
            templates: self.rows(),
            moved: [0, 1].map(|at| self.facts[at].moved.bytes()),
            recorded: [&self.facts[0], &self.facts[1]],
            causes: self.causes(),
            reasons: self.reasons(),
            text: self.verdict(),
        };
        output::json(&answer)
    }
}
