//! What a run tells about itself. The engine hands this room what it prints. Only the [`snapshot`] of what waits for
//! what is read from the objects; nothing here changes one.
//!
//! The members of `OCR_REPORT` and the lines of `OCR_STATS` are made here.
//!
//! | file | what it has |
//! |---|---|
//! | `tally.rs` | what each thread counts: the table of counters |
//! | `snapshot/` | what waits for what: hangs, `SIGUSR1`, the graph |
//! | `redundant.rs` | what came of EDTs that ran as function and kernels |
//! | `nodes.rs` | what the nodes of a program have sent each other |
//! | `labels.rs` | labels that the program gives its objects |

pub mod labels;
pub mod nodes;
mod redundant;
pub mod snapshot;
pub mod tally;

use ocr_analysis::recorded;
use ocr_base::output_file::OutputFile;
use ocr_base::text::{Counted, Readable, counted, duration};
use ocr_trace::identity::not_over_others;
pub use ocr_trace::identity::numbered;
pub use redundant::{NotCompared, RedundantReport};
use serde::{Deserialize, Serialize};

/// A run, as `OCR_REPORT` writes it and `ocr compare` reads it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// Which run it is, in one word. Other runs of the same parent do not take the name of a report with it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub run: String,
    /// The name of the placement policy.
    pub policy: String,
    /// How many worker threads there were.
    pub workers: usize,
    /// How long the run took from start to end, in seconds.
    pub seconds: f64,
    /// What the threads have counted, summed: each counter is a member of its name.
    #[serde(flatten)]
    pub counts: tally::Totals,
    /// How long workers had no EDT to run, summed over the workers, in seconds.
    #[serde(default)]
    pub idle_seconds: f64,
    /// How long it took to find and open OpenCL's platforms and devices, in seconds. The EDT that adds the first kernel
    /// waits for it, unless it was done beside the run.
    #[serde(default)]
    pub opening_seconds: f64,
    /// How long it took to build kernels, in seconds.
    #[serde(default)]
    pub building_seconds: f64,
    /// For each template with kernels, how many of its EDTs ran as which variant, and how long.
    #[serde(default)]
    pub variants: Vec<VariantReport>,
    /// For each template, what came of running its EDTs as kernels and as their function (`OCR_REDUNDANT`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redundant: Vec<RedundantReport>,
    /// What each device in use did.
    pub devices: Vec<DeviceReport>,
    /// What each node of a program on several nodes has sent the others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<nodes::NodeReport>,
    /// Sentences about what was done otherwise than the program or the user had asked.
    pub notes: Vec<String>,
    /// Sentences about what else is worth knowing to judge the figures.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// How good the schedule was. None for a run that was not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<recorded::Score>,
    /// The exit status of the run.
    pub status: i32,
}

/// EDTs of a template with kernels that ran as its function, or as kernels on one device.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct VariantReport {
    /// The name of the template: that of its function, or of the kernel where it has none.
    pub template: String,
    /// The name of the device that ran the kernels. None for EDTs that ran as functions.
    pub device: Option<String>,
    /// How many EDTs these are.
    pub edts: u64,
    /// How long these EDTs took in all, in seconds. A function takes from its call to its return. A kernel takes from
    /// when it was enqueued, and the kernel before it in its queue had ended, until its own end was seen. Kernels of a
    /// queue that were seen to have ended together have equal parts of their time. So where short kernels of several
    /// templates alternate, this is their average.
    pub seconds: f64,
}

/// Counters that other lines of the report say.
const SAID: [&str; 3] = ["function_edts", "kernel_edts", "idle_ns"];

/// What a device did in a run.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct DeviceReport {
    /// The name of the device.
    pub name: String,
    /// How many kernels it ran.
    pub kernels: u64,
    /// How long it ran kernels, summed over its queues, in seconds.
    #[serde(default)]
    pub kernel_seconds: f64,
    /// How many bytes were copied to the device.
    pub bytes_in: u64,
    /// How many bytes were copied from the device.
    pub bytes_out: u64,
    /// How often a block was on the device already when a kernel needed it.
    pub hits: u64,
    /// How often a block had to leave the device to make room for another.
    pub evictions: u64,
}

impl Report {
    /// How many bytes were copied to all devices.
    pub fn bytes_in(&self) -> u64 {
        self.devices.iter().map(|device| device.bytes_in).sum()
    }

    /// How many bytes were copied from all devices.
    pub fn bytes_out(&self) -> u64 {
        self.devices.iter().map(|device| device.bytes_out).sum()
    }

    /// How long a worker had no EDT to run, in seconds, on average over the workers.
    pub fn idle(&self) -> f64 {
        self.idle_seconds / self.workers.max(1) as f64
    }

    /// The report as lines for the standard error, each with `ocr: ` before it.
    fn text(&self) -> String {
        let mut text = format!(
            "ocr: {:.3} s, {}, policy {}: {} EDTs as functions, {} as kernels",
            self.seconds,
            counted(self.workers as u64, "worker"),
            self.policy,
            self.counts.function_edts,
            self.counts.kernel_edts
        );
        text.push('\n');
        text += &format!("ocr: each worker had no EDT to run for {} of it, on average\n", duration(self.idle()));
        for (name, what, value) in self.counts.rows() {
            if value != 0 && !SAID.contains(&name) {
                text += &format!("ocr: {value} {what}\n");
            }
        }
        if self.opening_seconds > 0.0 {
            text += &format!("ocr: opening OpenCL took {}\n", duration(self.opening_seconds));
        }
        if self.building_seconds > 0.0 {
            text += &format!("ocr: building kernels took {}\n", duration(self.building_seconds));
        }
        for variant in &self.variants {
            let (what, place) = match &variant.device {
                None => ("function", String::new()),
                Some(device) => ("kernel", format!(" on {device}")),
            };
            text += &format!(
                "ocr: {}: {} as {what}{place}, {} each\n",
                variant.template,
                counted(variant.edts, "EDT"),
                duration(variant.mean())
            );
        }
        for device in &self.devices {
            text += &format!(
                "ocr: {}: {} in {}, {} in, {} out, {} hits, {} evictions\n",
                device.name,
                counted(device.kernels, "kernel"),
                duration(device.kernel_seconds),
                Counted(device.bytes_in, "byte"),
                Counted(device.bytes_out, "byte"),
                device.hits,
                device.evictions
            );
        }
        for line in nodes::lines(&self.nodes) {
            text += &format!("ocr: {line}\n");
        }
        if let Some(score) = &self.score {
            for line in score.text().lines() {
                text += &format!("ocr: {line}\n");
            }
        }
        for note in self.notes.iter().chain(&self.remarks) {
            text += &format!("ocr: note: {note}\n");
        }
        text
    }
}

impl VariantReport {
    /// What one of these EDTs took on average, in seconds.
    pub fn mean(&self) -> f64 {
        self.seconds / (self.edts.max(1)) as f64
    }
}

/// Says that an output has another name than it was to have, if it has.
pub(crate) fn warn_if_elsewhere(what: &str, asked: &OutputFile, got: &OutputFile) {
    if got.name() != asked.name() {
        let [asked, got] = [asked, got].map(|file| Readable::path(file.name()));
        warning!(
            "{asked} was written by the program or somebody else while the run went on, and stays: the {what} is {got}"
        );
    }
}

/// Where a report goes: to the standard error, to a file, or both.
pub struct Destination<'a> {
    /// Whether the report is printed to the standard error.
    pub print: bool,
    /// The file to which the report is written as JSON, if it is.
    pub file: Option<&'a OutputFile>,
}

impl Report {
    /// What stands in the place of the report of a run that goes on.
    pub(crate) fn of_going(run: String) -> String {
        let report = serde_json::json!({"run": run, "goes_on": true});
        format!("{report}\n")
    }

    /// The report in a text. None for that of a run that goes on or was killed.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn parse(text: &str) -> serde_json::Result<Option<Report>> {
        let value: serde_json::Value = serde_json::from_str(text)?;
        match value.get("goes_on") {
            Some(_) => Ok(None),
            None => serde_json::from_value(value).map(Some),
        }
    }

    /// Adds another program of the same run.
    pub fn add(&mut self, other: Report) {
        self.workers = self.workers.max(other.workers);
        self.seconds += other.seconds;
        self.counts.add_totals(&other.counts);
        self.idle_seconds += other.idle_seconds;
        self.opening_seconds += other.opening_seconds;
        self.building_seconds += other.building_seconds;
        self.status = self.status.max(other.status);
        // That of one program says nothing of all.
        self.score = None;
        for variant in other.variants {
            let is_it =
                |known: &&mut VariantReport| (&known.template, &known.device) == (&variant.template, &variant.device);
            match self.variants.iter_mut().find(is_it) {
                Some(known) => {
                    known.edts += variant.edts;
                    known.seconds += variant.seconds;
                }
                None => self.variants.push(variant),
            }
        }
        for report in other.redundant {
            match self.redundant.iter_mut().find(|known| known.template == report.template) {
                Some(known) => known.add(report),
                None => self.redundant.push(report),
            }
        }
        for device in other.devices {
            match self.devices.iter_mut().find(|known| known.name == device.name) {
                Some(known) => {
                    known.kernels += device.kernels;
                    known.kernel_seconds += device.kernel_seconds;
                    known.bytes_in += device.bytes_in;
                    known.bytes_out += device.bytes_out;
                    known.hits += device.hits;
                    known.evictions += device.evictions;
                }
                None => self.devices.push(device),
            }
        }
        nodes::add(&mut self.nodes, other.nodes);
        for (all, more) in [(&mut self.notes, other.notes), (&mut self.remarks, other.remarks)] {
            for text in more {
                if !all.contains(&text) {
                    all.push(text);
                }
            }
        }
    }

    /// Writes the report where it is to go. Notes are printed even where no report is asked for. What is printed comes
    /// first, since a file may have to be waited for.
    pub fn write(&self, to: Destination<'_>) {
        if to.print {
            say_text!(self.text());
        }
        match to.file {
            None if !to.print => {
                for note in &self.notes {
                    note!("{note}");
                }
            }
            None => {}
            Some(file) => {
                let name = Readable::path(file.name());
                let Some(to) = not_over_others(file, Some(&Report::of_going(self.run.clone()))) else {
                    warning!("the report {name} is not written: something else was written there meanwhile");
                    return;
                };
                warn_if_elsewhere("report", file, &to);
                let written = serde_json::to_string_pretty(self)
                    .map_err(std::io::Error::from)
                    .and_then(|text| to.write(|out| out.write_all(text.as_bytes())));
                if let Err(error) = written {
                    warning!("the report {} cannot be written: {error}", Readable::path(to.name()));
                }
            }
        }
    }
}
