//! A page for a browser: runs of several policies, or of one, in one file that needs nothing else.
//!
//! | file | what |
//! |---|---|
//! | `sections.rs` | what is read: sentences, tables, machine and settings |
//! | `lanes.rs` | what is drawn: lanes, EDTs and copies |
//! | `pack.rs` | columns of numbers, compressed |
//! | `page.html`, `page.css` | the frame, and how it looks |
//! | `data.js` | unpacks the columns |
//! | `levels.js` | levels of detail, so that a million EDTs are drawn as fast as a thousand |
//! | `time.js` | numbers and times for people |
//! | `chart.js` | draws lanes, and finds what is under the pointer |
//! | `detail.js` | what is known of an EDT |
//! | `page.js` | puts them together: keys, pointer, wheel, legend, theme |
//!
//! The scripts are one module in the page, so that none of their names is seen outside. Names that a program has given
//! reach the page as JSON in which `<` is escaped, or as HTML by [`escape`].

mod lanes;
mod pack;
mod sections;

#[cfg(test)]
mod tests;

use crate::Failure;
use crate::reasons::Reasons;
use crate::table::Table;
use ocr::report::recorded::Run;
use ocr::report::why::Facts;
use ocr::text::Readable;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// A page has at most so many bars for EDTs, in all runs together: it is some tens of megabytes then.
const MOST_BARS: usize = 1_000_000;

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(
    include_str!("time.js"),
    include_str!("data.js"),
    include_str!("levels.js"),
    include_str!("chart.js"),
    include_str!("detail.js"),
    include_str!("page.js"),
);

/// A run as the page shows it.
pub(crate) struct PageRun {
    /// Its policy.
    pub(crate) policy: String,
    /// What is known of it.
    pub(crate) facts: Facts,
    /// The program, the machine and the settings, as the recording says.
    about: BTreeMap<String, String>,
    /// What is to be known of the recording, in sentences.
    notes: Vec<String>,
    /// What is drawn.
    drawn: Value,
}

impl PageRun {
    /// One of `runs` runs of a page; none where no EDT has ended.
    pub(crate) fn new(policy: &str, run: &Run, runs: usize) -> Option<PageRun> {
        PageRun::with(policy, run, MOST_BARS / runs.max(1))
    }

    fn with(policy: &str, run: &Run, most: usize) -> Option<PageRun> {
        let facts = Facts::of(run)?;
        let mut drawn = lanes::lanes(run, most, &facts.times.places);
        drawn["policy"] = policy.into();
        drawn["span"] = json!(facts.times.span);
        drawn["bound"] = json!(facts.score.as_ref().map(|score| score.mixed * 1e9));
        let mut notes = Vec::new();
        let each = drawn["each"].as_u64().unwrap_or(1);
        if each > 1 {
            notes.push(format!(
                "{policy}: {} EDTs are more than a page takes, so up to {each} neighbours are drawn as one bar, and nothing is \
                 shown of single EDTs.",
                drawn["edts"]
            ));
        }
        let cut = run.cut.iter().chain(&run.wrong);
        notes.extend(cut.map(|sentence| format!("{policy}: the recording: {sentence}")));
        Some(PageRun {
            policy: policy.to_string(),
            facts,
            about: run.about.clone(),
            notes,
            drawn,
        })
    }
}

/// What a page says.
pub(crate) struct Page<'a> {
    /// The command that has made it, as `ocr compare`.
    pub(crate) command: &'a str,
    /// What it is about, as the program with its arguments.
    pub(crate) title: String,
    /// Which policy is best, in sentences.
    pub(crate) verdict: String,
    /// Why, and what to try next.
    pub(crate) reasons: Reasons,
    /// The runs compared.
    pub(crate) table: Option<Table>,
    /// How to read the table, a sentence or more on each line.
    pub(crate) remarks: String,
    /// What was recorded.
    pub(crate) runs: Vec<PageRun>,
}

/// Text in HTML.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            letter => out.push(letter),
        }
    }
    out
}

/// JSON that can stand in a script of a page.
fn json_in_page(value: &Value) -> String {
    // Outside of texts JSON has no such letter.
    value.to_string().replace('<', "\\u003c")
}

/// A moment, in seconds since 1970, as date and time.
fn utc(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Years begin with March, so that the day that some of them lack is the last; 400 of them have 146097 days.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02} {:02}:{:02} UTC",
        of_day / 3600,
        of_day / 60 % 60
    )
}

impl Page<'_> {
    /// The whole page.
    fn text(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let date = utc(now.map_or(0, |since| since.as_secs()));
        let data = json!({
            "templates": self.templates(),
            "runs": self.runs.iter().map(|run| &run.drawn).collect::<Vec<_>>(),
        });
        let parts = [
            (
                "title",
                escape(&format!("{}: {}", self.command, self.title)),
            ),
            ("version", env!("CARGO_PKG_VERSION").to_string()),
            ("style", STYLE.to_string()),
            ("head", self.head(&date)),
            ("answer", self.answer()),
            ("comparison", self.comparison()),
            ("notes", self.notes()),
            ("times", self.times()),
            ("copies", self.copies()),
            ("variants", self.variants()),
            ("causes", self.causes()),
            ("about", self.about(&date)),
            ("data", json_in_page(&data)),
            ("script", SCRIPT.to_string()),
        ];
        let mut text = String::new();
        let mut rest = FRAME;
        while let Some((before, after)) = rest.split_once("{{") {
            let Some((name, after)) = after.split_once("}}") else {
                break;
            };
            text += before;
            if let Some((_, part)) = parts.iter().find(|(known, _)| *known == name) {
                text += part;
            }
            rest = after;
        }
        text + rest
    }

    /// The names of templates, those with the most time first.
    fn templates(&self) -> Vec<&str> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for variant in self.runs.iter().flat_map(|run| &run.facts.variants) {
            *sums.entry(&variant.name).or_default() += variant.ns;
        }
        let mut names: Vec<(u64, &str)> = sums.into_iter().map(|(name, ns)| (ns, name)).collect();
        names.sort_by(|one, other| other.cmp(one));
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// Writes it to a file, which is there only when it is whole.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Failure> {
        let failed = |error: std::io::Error| {
            Failure::failed(format!(
                "the page {} cannot be written: {error}",
                Readable::path(path)
            ))
        };
        let text = self.text();
        // What is no file, as a pipe, is written as it is.
        if path.metadata().is_ok_and(|about| !about.is_file()) {
            return fs::write(path, text).map_err(failed);
        }
        let mut new = path.as_os_str().to_owned();
        new.push(format!(".{}.new", std::process::id()));
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
        if written.is_err() {
            let _ = fs::remove_file(&new);
        }
        written.map_err(failed)
    }
}
