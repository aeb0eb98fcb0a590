//! What a run tells about itself. This room is told: the engine hands it what it prints. Only the
//! [`picture`] of what waits for what is read from the objects; nothing here changes one.

pub mod labels;
pub mod picture;
pub mod tally;

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
    /// Each device in use.
    pub devices: Vec<DeviceReport>,
    /// What went otherwise than asked for.
    pub notes: Vec<String>,
    /// What else is worth knowing to judge the figures.
    #[serde(default)]
    pub remarks: Vec<String>,
    /// The exit status.
    pub status: i32,
}

/// What a device did.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct DeviceReport {
    /// Its name.
    pub name: String,
    /// Kernels run.
    pub kernels: u64,
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

    fn text(&self) -> String {
        let mut text = format!(
            "ocr: {:.3} s, {} workers, policy {}: {} EDTs as functions, {} as kernels",
            self.seconds, self.workers, self.policy, self.function_edts, self.kernel_edts
        );
        if self.kernels_ahead != 0 {
            text += &format!(", {} of them enqueued ahead", self.kernels_ahead);
        }
        text.push('\n');
        for device in &self.devices {
            text += &format!(
                "ocr: {}: {} kernels, {} bytes in, {} bytes out, {} hits, {} evictions\n",
                device.name,
                device.kernels,
                device.bytes_in,
                device.bytes_out,
                device.hits,
                device.evictions
            );
        }
        for note in self.notes.iter().chain(&self.remarks) {
            text += &format!("ocr: note: {note}\n");
        }
        text
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
            tell_text!(self.text());
        }
        match to.file {
            None if !to.print => {
                for note in &self.notes {
                    tell!("ocr: note: {note}");
                }
            }
            None => {}
            Some(path) => {
                let written = serde_json::to_string_pretty(self)
                    .map_err(std::io::Error::from)
                    .and_then(|text| std::fs::write(path, text));
                if let Err(error) = written {
                    tell!(
                        "ocr: warning: the report {} cannot be written: {error}",
                        path.display()
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
    let name = std::fs::read_to_string(format!("/proc/self/task/{id}/comm")).ok()?;
    Some(name.trim_end().into())
}
