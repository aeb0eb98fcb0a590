//! What a run tells about itself. This room is told: the engine hands it what it prints. Only the
//! [`snapshot`] of what waits for what is read from the objects; nothing here changes one.

pub mod bounds;
pub mod explain;
pub mod export;
pub mod labels;
pub mod recorded;
pub mod replay;
pub mod snapshot;
pub mod tally;
pub mod why;

use crate::text::{Readable, read_file};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// A run, as `OCR_REPORT` writes it and `ocr compare` reads it.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The placement policy.
    pub policy: String,
    /// Worker threads.
    pub workers: usize,
    /// From start to end, in seconds.
    pub seconds: f64,
    /// EDTs that ran as C functions.
    pub function_edts: u64,
    /// EDTs that ran as kernels.
    pub kernel_edts: u64,
    /// Kernels that were enqueued behind the one that their EDT waited for.
    #[serde(default)]
    pub kernels_ahead: u64,
    /// In which workers had no EDT to run, summed over them, in seconds.
    #[serde(default)]
    pub idle_seconds: f64,
    /// What templates with kernels ran as, and how long.
    #[serde(default)]
    pub variants: Vec<VariantReport>,
    /// Each device in use.
    pub devices: Vec<DeviceReport>,
    /// What went otherwise than asked for.
    pub notes: Vec<String>,
    /// What else is worth knowing to judge the figures.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// How good the schedule was, of a run that was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<recorded::Score>,
    /// The exit status.
    pub status: i32,
}

/// EDTs of a template with kernels that ran as its function, or as kernels on one device.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct VariantReport {
    /// What the template is called: its function, or the kernel where it has none.
    pub template: String,
    /// The device; none: the function.
    pub device: Option<String>,
    /// How many.
    pub edts: u64,
    /// In all of them together, in seconds: from the call of the function to its return; or from when the kernel was
    /// enqueued, and the one before it in its queue had ended, to its own end. Kernels of a queue that were seen to have ended
    /// together have equal parts of their time: where short ones of several templates alternate, this is their average.
    pub seconds: f64,
}

/// What a device did.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct DeviceReport {
    /// Its name.
    pub name: String,
    /// Kernels run.
    pub kernels: u64,
    /// In kernels, summed over the device's queues, in seconds.
    #[serde(default)]
    pub kernel_seconds: f64,
    /// Bytes copied to it.
    pub bytes_in: u64,
    /// Bytes copied from it.
    pub bytes_out: u64,
    /// Blocks that were there when a kernel needed them.
    pub hits: u64,
    /// Blocks that had to leave for others.
    pub evictions: u64,
}

impl Report {
    /// Bytes copied to all devices.
    pub fn bytes_in(&self) -> u64 {
        self.devices.iter().map(|device| device.bytes_in).sum()
    }

    /// Bytes copied from all devices.
    pub fn bytes_out(&self) -> u64 {
        self.devices.iter().map(|device| device.bytes_out).sum()
    }

    /// For how long a worker had no EDT to run, on average, in seconds.
    pub fn idle(&self) -> f64 {
        self.idle_seconds / self.workers.max(1) as f64
    }

    fn text(&self) -> String {
        let mut text = format!(
            "ocr: {:.3} s, {}, policy {}: {} EDTs as functions, {} as kernels",
            self.seconds,
            counted(self.workers as u64, "worker"),
            self.policy,
            self.function_edts,
            self.kernel_edts
        );
        if self.kernels_ahead != 0 {
            text += &format!(", {} of them enqueued ahead", self.kernels_ahead);
        }
        text.push('\n');
        text += &format!(
            "ocr: each worker had no EDT to run for {} of it, on average\n",
            duration(self.idle())
        );
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
                "ocr: {}: {} in {}, {} bytes in, {} bytes out, {} hits, {} evictions\n",
                device.name,
                counted(device.kernels, "kernel"),
                duration(device.kernel_seconds),
                device.bytes_in,
                device.bytes_out,
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
    /// What one took on average, in seconds.
    pub fn mean(&self) -> f64 {
        self.seconds / (self.edts.max(1)) as f64
    }
}

/// So many of something.
pub fn counted(count: u64, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// A time, with as many digits as say something, and in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 999.5e-6 => (s * 1e6, "us"),
        s if s < 0.9995 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    match value {
        v if v < 9.995 => format!("{v:.2} {unit}"),
        v if v < 99.95 => format!("{v:.1} {unit}"),
        v => format!("{v:.0} {unit}"),
    }
}

/// Where a report goes.
pub struct Destination<'a> {
    /// Print it to the standard error.
    pub print: bool,
    /// Write it to this file.
    pub file: Option<&'a Path>,
}

impl Report {
    /// Removes the report of an earlier run, which a run that crashes would leave as its own.
    pub fn remove(file: &Path) {
        if file.is_file() {
            // If it cannot be removed, it mostly cannot be written either, which is told then.
            let _ = std::fs::remove_file(file);
        }
    }

    /// Writes the report; notes are printed even where nothing else is asked for.
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

/// A thread of this process, by the system's number.
pub fn thread_name(id: i32) -> String {
    if id == std::process::id() as i32 {
        return "the main thread".into();
    }
    match comm(id) {
        Some(name) => format!("thread {id} ({name})"),
        None => format!("thread {id}"),
    }
}

/// The same of a thread that is not the runtime's: one has the name of the thread that has made it, until it is given
/// another.
pub fn name_of_other(id: i32) -> String {
    match comm(id) {
        Some(name) if name.starts_with("ocr-") => format!("thread {id}"),
        _ => thread_name(id),
    }
}

/// What the thread is called.
pub(crate) fn comm(id: i32) -> Option<String> {
    let name = read_file(format!("/proc/self/task/{id}/comm")).ok()?;
    Some(name.trim_end().into())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits_that_count() {
        let times = [
            0.0, 1.234e-6, 99.94e-6, 99.96e-6, 999.6e-6, 0.012_34, 0.9996, 123.4,
        ];
        let words = [
            "0.00 us", "1.23 us", "99.9 us", "100 us", "1.00 ms", "12.3 ms", "1.00 s", "123 s",
        ];
        assert_eq!(times.map(duration), words);
    }
}
