//! What is kept of copies to a device and back, as lines of the file of that device (`file.rs`):
//!
//! ```text
//! day=20782  copies=to  latency=9800,10100  per-kib=120000  check=0a41c233
//! ```
//!
//! `latency` has the nanoseconds of short copies, and `per-kib` the picoseconds for each KiB of long ones.

use crate::model::line::{checked, list, samples, unchecked, value};
use crate::model::transfers::{CopySamples, Direction};

/// What is known of copies to the device of a file, or from it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CopyEntry {
    /// Which way the copies go.
    pub direction: Direction,
    /// The day on which a run has added samples last, counted from the first of January 1970.
    pub day: u64,
    /// How long the copies took.
    pub samples: CopySamples,
}

impl CopyEntry {
    /// The entry as a line of the file, with its check and without a line feed.
    pub(crate) fn line(&self) -> String {
        let direction = match self.direction {
            Direction::ToDevice => "to",
            Direction::FromDevice => "from",
        };
        checked(format!(
            "day={}\tcopies={direction}\tlatency={}\tper-kib={}",
            self.day,
            list(&self.samples.latency_ns),
            list(&self.samples.ps_per_kib)
        ))
    }

    /// Reads a line of the file. None where the line is not as [`CopyEntry::line`] writes it.
    pub(crate) fn parse(line: &str) -> Option<CopyEntry> {
        let mut fields = unchecked(line)?.split('\t');
        let mut field = |name: &str| value(fields.next()?, name);
        let day = field("day")?.parse().ok()?;
        let direction = match field("copies")? {
            "to" => Direction::ToDevice,
            "from" => Direction::FromDevice,
            _ => return None,
        };
        let samples = CopySamples { latency_ns: samples(field("latency")?)?, ps_per_kib: samples(field("per-kib")?)? };
        let is_empty = samples == CopySamples::default();
        (!is_empty && fields.next().is_none()).then_some(CopyEntry { direction, day, samples })
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
