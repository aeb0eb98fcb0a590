//! A page for a browser: runs of several policies, or of one, in one file that needs nothing else.
//!
//! | file | what |
//! |---|---|
//! | `sections.rs` | the parts that are read: sentences, tables, machine and settings |
//! | `lanes.rs` | the data of the chart: lanes, EDTs and copies |
//! | `curves.rs` | how many EDTs were ready, workers idle and bytes on a device, over time |
//! | `spread.rs` | how long the EDTs of a template took, as a histogram |
//! | `pack.rs` | columns of numbers, compressed |
//! | `page.html`, `page.css` | the frame of the page, and how the page looks; causes of idle time have their colours in `diagnosis/idle.rs` |
//! | `data.js` | unpacks the columns |
//! | `levels.js` | levels of detail, so that a million EDTs are drawn as fast as a thousand |
//! | `time.js` | numbers and times as texts |
//! | `chart.js` | draws lanes, and finds what is under the pointer |
//! | `detail.js` | shows what is known of an EDT |
//! | `find.js` | finds EDTs by name and GUID, and says what ran in a range of time |
//! | `page.js` | puts the scripts together: keys, pointer, wheel, legend, theme |
//!
//! The scripts are one module in the page, so that none of their names is seen outside. Names that a program has given
//! reach the page as JSON in which `<` is escaped, or as HTML by `escape`.

mod curves;
mod lanes;
mod pack;
mod sections;
mod spread;

#[cfg(test)]
mod tests;

use crate::diagnosis::{Facts, Idleness};
use crate::reasons::{Reasons, SeenRun, reasons};
use crate::recorded::RecordedRun;
use ocr_base::output_file::OutputFile;
use ocr_base::text::{Readable, duration};
use serde_json::{Value, json};
use spread::Spread;
use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

/// How many bars for EDTs a page has at most, in all runs together. Such a page has some tens of megabytes.
const MOST_BARS: usize = 1_000_000;

const FRAME: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(
    include_str!("time.js"),
    include_str!("data.js"),
    include_str!("levels.js"),
    include_str!("chart.js"),
    include_str!("detail.js"),
    include_str!("find.js"),
    include_str!("page.js"),
);

/// How a column's cells are aligned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Cells are aligned to the left, as words are.
    Left,
    /// Cells are aligned to the right, as numbers are.
    Right,
}

/// A table with a title over each column.
pub struct PageTable {
    /// The title of each column, and how its cells are aligned.
    pub columns: Vec<(String, Align)>,
    /// The cells of each row: as many as there are columns, or fewer, where the last is a remark.
    pub rows: Vec<Vec<String>>,
}

/// A run as the page shows it.
pub struct PageRun {
    /// The policy of the run.
    pub policy: String,
    /// The facts about the run.
    pub facts: Facts,
    /// The seconds that the program itself has printed. None where it prints none, or no program ran.
    pub own: Option<f64>,
    /// What the recording says of the program, the machine and the settings.
    about: BTreeMap<String, String>,
    /// Sentences about what is missing in the recording, or not drawn.
    notes: Vec<String>,
    /// The data of the chart.
    drawn: Value,
    /// The word by which another run finds out whose file this is.
    identity: String,
    /// The places of devices, with the whole name and the short one of each.
    devices: Vec<(u8, String, String)>,
    /// How long the EDTs of each template took in each place.
    spreads: BTreeMap<(u32, u8), Spread>,
}

impl PageRun {
    /// A recorded run for a page that has `runs` runs. None where no EDT has ended.
    pub fn new(policy: &str, run: &RecordedRun, runs: usize) -> Option<PageRun> {
        PageRun::with(policy, run, MOST_BARS / runs.max(1))
    }

    /// The run, for the reasons.
    pub fn seen(&self) -> SeenRun<'_> {
        SeenRun { policy: &self.policy, facts: &self.facts, own: self.own }
    }

    /// A recorded run for a page, with at most `most` bars for EDTs. None where no EDT has ended.
    fn with(policy: &str, run: &RecordedRun, most: usize) -> Option<PageRun> {
        let facts = Facts::of(run)?;
        let devices = devices(run);
        let names = |place: u8| {
            let mut all = devices.iter();
            let its = all.find(|(its, ..)| *its == place);
            its.map(|(_, _, short)| short.as_str())
        };
        let mut drawn = lanes::lanes(run, most, &facts.times, names);
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
            own: None,
            about: run.about.clone(),
            notes,
            drawn,
            identity: run.identity.clone(),
            devices,
            spreads: spread::spreads(run),
        })
    }
}

/// Everything that a page shows.
pub struct Page<'a> {
    /// The command that has made the page, such as `ocr compare`.
    pub command: &'a str,
    /// The command line that has made the page. None at the end of a recorded run.
    pub command_line: Option<String>,
    /// What the page is about, such as the program with its arguments.
    pub title: String,
    /// Which policy is best, in sentences, each on a line.
    pub verdict: String,
    /// Why this policy is best, and what to try next.
    pub reasons: Reasons,
    /// The table of the policies compared. None where none was run.
    pub table: Option<PageTable>,
    /// How to read the table, one sentence or more on each line.
    pub remarks: String,
    /// The runs of which the page has a recording.
    pub runs: Vec<PageRun>,
}

/// A text as HTML or XML, with the letters escaped that have a meaning there.
pub(crate) fn escape(text: &str) -> String {
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
    // JSON has `<` only inside texts, where the escape means the same letter.
    value.to_string().replace('<', "\\u003c")
}

/// The text of a moment, in seconds since the first of January 1970, as date and time in UTC.
fn utc(seconds: u64) -> String {
    let (days, of_day) = (seconds / 86_400, seconds % 86_400);
    // Years are counted from March, so that the day that some years lack is their last. 400 years have 146097 days.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march + 2) / 5 + 1;
    let month = if march < 10 { march + 3 } else { march - 9 };
    let year = 400 * era + year + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", of_day / 3600, of_day / 60 % 60)
}

/// The part of the style sheet about causes of idle time: a colour and a class for each.
fn style_of_causes() -> String {
    let colors = |theme: usize| -> String {
        let each = Idleness::ALL.iter();
        each.map(|its| format!("--cause-{}: {}; ", its.name(), its.colors()[theme])).collect()
    };
    let [light, dark] = [0, 1].map(colors);
    let classes = Idleness::ALL.map(|its| {
        let name = its.name();
        format!(".{name} {{ background: var(--cause-{name}); }}\n")
    });
    format!(
        ":root {{ {light}}}\n@media (prefers-color-scheme: dark) {{ :root:not([data-theme=\"light\"]) {{ {dark}}} }}\n\
         :root[data-theme=\"dark\"] {{ {dark}}}\n{}",
        classes.concat()
    )
}

impl Page<'_> {
    /// The whole page as HTML.
    pub fn text(&self) -> String {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let date = utc(now.map_or(0, |since| since.as_secs()));
        let causes = Idleness::ALL.map(|its| json!({ "name": its.name(), "text": its.text() }));
        let data = json!({
            "idle": causes,
            "templates": self.templates(),
            "runs": self.runs.iter().map(|run| &run.drawn).collect::<Vec<_>>(),
        });
        let parts = [
            ("title", escape(&format!("{}: {}", self.command, self.title))),
            ("version", env!("CARGO_PKG_VERSION").to_string()),
            ("identity", self.identity()),
            ("style", STYLE.to_string() + &style_of_causes()),
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

    /// The names of the templates, those whose EDTs took the most time first.
    fn templates(&self) -> Vec<&str> {
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for variant in self.runs.iter().flat_map(|run| &run.facts.variants) {
            *sums.entry(&variant.name).or_default() += variant.ns;
        }
        let mut names: Vec<(u64, &str)> = sums.into_iter().map(|(name, ns)| (ns, name)).collect();
        names.sort_by(|one, other| other.cmp(one));
        names.into_iter().map(|(_, name)| name).collect()
    }

    /// The word by which another run finds out whose file a page of one run is.
    fn identity(&self) -> String {
        match &self.runs[..] {
            [run] => escape(&run.identity),
            _ => String::new(),
        }
    }

    /// A sentence as HTML, in which devices have their short names.
    fn sentence(&self, text: &str) -> String {
        let mut devices: Vec<_> = self.runs.iter().flat_map(|run| &run.devices).collect();
        // A name may be the beginning of another one.
        devices.sort_by_key(|(_, name, _)| std::cmp::Reverse(name.len()));
        let text = devices.iter().fold(text.to_string(), |text, (_, name, short)| text.replace(name, short));
        escape(&text)
    }

    /// Writes the page to a file, which gets its name when it is whole.
    ///
    /// # Errors
    /// A sentence, where the file cannot be written.
    pub fn write(&self, file: &OutputFile) -> Result<(), String> {
        let text = self.text();
        let written = file.write(|out| out.write_all(text.as_bytes()));
        written.map_err(|error| {
            let name = Readable::path(file.name());
            format!("the page {name} cannot be written: {error}")
        })
    }
}

/// The places of the devices of a run, with the whole name and the short one of each.
fn devices(run: &RecordedRun) -> Vec<(u8, String, String)> {
    run.devices.keys().map(|&place| (place, run.whole_name(place), run.place_name(place))).collect()
}

/// The page of one recorded run.
///
/// # Errors
/// A sentence, where no EDT has ended.
pub fn of_run(run: &RecordedRun) -> Result<Page<'static>, String> {
    let about = |name: &str| run.about.get(name).map_or("?", String::as_str);
    let page = PageRun::new(about("sched"), run, 1)
        .ok_or_else(|| format!("in the recording {} no EDT has ended, so there is nothing to show", run.name))?;
    let score = page.facts.score.as_ref();
    let verdict = score.map_or(String::new(), |score| {
        format!(
            "The run took {} under {}, {:.2} times as long as the least that any schedule of its EDTs on its places needs.",
            duration(score.seconds),
            page.policy,
            score.ratio()
        )
    });
    Ok(Page {
        command: "ocr trace",
        command_line: None,
        title: about("program").to_string(),
        reasons: reasons(None, &[], &[page.seen()]),
        verdict,
        table: None,
        remarks: String::new(),
        runs: vec![page],
    })
}
