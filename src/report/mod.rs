//! What a run tells about itself. The engine hands this room what it prints. Only the [`snapshot`] of what waits for
//! what is read from the objects; nothing here changes one.

pub mod labels;
pub mod snapshot;
pub mod tally;

pub use ocr_analysis::{bounds, diagnosis, explain, export, recorded, replay};
pub use ocr_base::text::{counted, duration};

use crate::text::{Counted, Readable};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A run, as `OCR_REPORT` writes it and `ocr compare` reads it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Report {
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
    /// For each template with kernels, how many of its EDTs ran as which variant, and how long.
    #[serde(default)]
    pub variants: Vec<VariantReport>,
    /// What each device in use did.
    pub devices: Vec<DeviceReport>,
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
    /// when it was enqueued, and the kernel before it in its queue had ended, until its own end was seen. Kernels of a queue that
    /// were seen to have ended together have equal parts of their time. So where short kernels of several templates
    /// alternate, this is their average.
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
        text += &format!(
            "ocr: each worker had no EDT to run for {} of it, on average\n",
            duration(self.idle())
        );
        for (name, what, value) in self.counts.rows() {
            if value != 0 && !SAID.contains(&name) {
                text += &format!("ocr: {value} {what}\n");
            }
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

/// Where a report goes: to the standard error, to a file, or both.
pub struct Destination<'a> {
    /// Whether the report is printed to the standard error.
    pub print: bool,
    /// The file to which the report is written as JSON, if it is.
    pub file: Option<&'a Path>,
}

impl Report {
    /// Removes the report of an earlier run. If this run crashes, it would be taken for that of this run.
    pub fn remove(file: &Path) {
        if file.is_file() {
            // A file that cannot be removed mostly cannot be written either, which is told when the run ends.
            let _ = std::fs::remove_file(file);
        }
    }

    /// Writes the report where it is to go. Notes are printed even where no report is asked for.
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
            Some(path) => {
                let written = serde_json::to_string_pretty(self)
                    .map_err(std::io::Error::from)
                    .and_then(|text| std::fs::write(path, text));
                if let Err(error) = written {
                    warning!(
                        "the report {} cannot be written: {error}",
                        Readable::path(path)
                    );
                }
            }
        }
    }
}
