//! A recorded run: its EDTs with their times and places, and what came before what.
//!
//! | file | what |
//! |---|---|
//! | `build.rs` | from the records of a file |
//! | `check.rs` | what cannot be in a recording, and what is cut off |
//! | `data.rs` | when the blocks of each EDT were brought to where it ran |
//! | `medians.rs` | how long EDTs take in each place |
//! | `score.rs` | how long the run took against what no schedule ends before |
//! | `show.rs` | a summary for people |

mod build;
mod check;
mod data;
mod medians;
mod score;
mod show;

pub use build::read;
pub use check::Findings;
pub(crate) use medians::Medians;
pub use score::Score;
pub(crate) use show::median;

use crate::report::counted;
use crate::sched::policy::{Certainty, Expected, Why};
use std::collections::{BTreeMap, HashMap};

/// No time: it was not recorded.
pub const NEVER: u64 = u64::MAX;

/// Why nothing can be told of a file; for people.
pub type ReadError = String;

/// A run, in nanoseconds since its begin.
#[derive(Default)]
pub struct Run {
    /// The file, for people.
    pub name: String,
    /// What the file says of the program, the machine and the settings.
    pub about: BTreeMap<String, String>,
    /// The process.
    pub process: u32,
    /// Its exit status; none if it was killed, or goes on.
    pub status: Option<i32>,
    /// When the last record was written, or the run ended.
    pub end: u64,
    /// Records in the file.
    pub records: u64,
    /// Records for which there was no room.
    pub lost: u64,
    /// What is cut off or damaged, in sentences.
    pub cut: Vec<String>,
    /// What cannot be, in sentences.
    pub wrong: Vec<String>,
    /// Templates, by what they do.
    pub templates: Vec<Template>,
    /// All EDTs, in the order of their creation.
    pub edts: Vec<Edt>,
    /// What came before what.
    pub edges: Vec<Edge>,
    /// The threads.
    pub threads: BTreeMap<u32, Thread>,
    /// Devices by their places.
    pub devices: BTreeMap<u8, Device>,
    /// Bytes of the blocks that were created, by GUID; the last of each.
    pub blocks: HashMap<u64, u64>,
    /// Blocks that were created.
    pub blocks_created: u64,
    /// The most bytes that blocks had at once.
    pub most_block_bytes: u64,
    /// Names that the program has given objects.
    pub labels: HashMap<u64, String>,
    /// Bytes of each block, in the order of their creation: unlike GUIDs, these numbers are used once.
    pub block_bytes: Vec<u64>,
    /// Which EDT uses which block, in the order in which pre-slots were satisfied.
    pub uses: Vec<Use>,
    /// Copies of blocks, in the order in which they were seen to end.
    pub copies: Vec<Transfer>,
    /// The GUID of each block, by its number.
    pub block_guids: Vec<u64>,
    /// Blocks that EDTs had to wait for, in the order in which they got them.
    pub grants: Vec<Grant>,
    /// What the policy expected of EDTs in the places that it considered, by EDT, and those of one EDT in the order of time.
    pub estimates: Vec<Estimate>,
    /// When counters had which value, by number and place.
    pub counters: BTreeMap<(u8, u8), Vec<(u64, u64)>>,
    /// When workers had no EDT to run, in the order in which that ended.
    pub idle: Vec<Idle>,
}

/// A worker had no EDT to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idle {
    /// Which thread.
    pub thread: u32,
    /// Since when.
    pub begin: u64,
    /// Until when.
    pub end: u64,
}

/// A block was copied to a device or from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// The device.
    pub place: u8,
    /// Whether it was to the device.
    pub to_device: bool,
    /// The block.
    pub block: u64,
    /// How much.
    pub bytes: u64,
    /// When it began.
    pub begin: u64,
    /// When it had ended.
    pub end: u64,
}

/// An EDT uses a block.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Use {
    /// The EDT.
    pub edt: u32,
    /// The number of the block.
    pub block: u32,
    /// Whether it may write.
    pub writes: bool,
}

/// An EDT got a block that it had to wait for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grant {
    /// The EDT.
    pub edt: u32,
    /// The GUID of the block.
    pub block: u64,
    /// When.
    pub at: u64,
}

/// A place was considered for an EDT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The EDT.
    pub edt: u32,
    /// When.
    pub at: u64,
    /// The place.
    pub place: u8,
    /// What was expected there, in nanoseconds from then.
    pub expected: Expected,
    /// How well the time of its run was known.
    pub certainty: Certainty,
    /// What was done with the EDT.
    pub why: Why,
    /// Whether the place was chosen.
    pub is_chosen: bool,
    /// Whether it is the first place of a choice: the others of it follow.
    pub is_first: bool,
}

/// EDTs that do the same.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Template {
    /// For people.
    pub name: String,
    /// A bit for each place where they can run.
    pub places: u64,
}

/// An EDT. Times are [`NEVER`] where there are none.
#[derive(Clone, Debug)]
pub struct Edt {
    /// Its GUID's bits.
    pub guid: u64,
    /// Which template; `u32::MAX`: unknown.
    pub template: u32,
    /// Which EDT has created it; `u32::MAX`: none.
    pub parent: u32,
    /// Whether it is a finish EDT.
    pub finish: bool,
    /// Pre-slots.
    pub depc: u32,
    /// Parameters.
    pub paramc: u32,
    /// Pre-slots that have been satisfied.
    pub satisfied: u32,
    /// Bytes of the blocks in its pre-slots.
    pub bytes: u64,
    /// When it was created.
    pub created: u64,
    /// When it was runnable.
    pub runnable: u64,
    /// When a place took it that the policy had not given to one before.
    pub placed: u64,
    /// When it had all its blocks, as far as it had to wait for one.
    pub granted: u64,
    /// When the first block was asked for that had to be brought, and when all had been.
    pub fetch: [u64; 2],
    /// When it was given to a device.
    pub launched: u64,
    /// When it began, and when it had ended.
    pub begin: u64,
    /// When it had ended.
    pub end: u64,
    /// Where: 0 the host, else a device; 255: it has no place yet.
    pub place: u8,
    /// On which thread it ran, or which lane of its device.
    pub lane: u32,
}

impl Edt {
    /// How long it ran, if it has ended.
    pub fn time(&self) -> Option<u64> {
        (self.begin != NEVER && self.end != NEVER).then(|| self.end.saturating_sub(self.begin))
    }
}

/// One EDT comes before another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The first.
    pub from: u32,
    /// The second.
    pub to: u32,
    /// At what time the first had done what the second waited for: [`NEVER`]: by its end.
    pub at: u64,
}

/// A thread of the run.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    /// What the system called it.
    pub name: String,
    /// Whether it ran EDTs.
    pub is_worker: bool,
    /// EDTs that ran on it.
    pub edts: u64,
    /// Nanoseconds in them.
    pub busy: u64,
    /// Nanoseconds in which it had none.
    pub idle: u64,
    /// When it had done the last of what it did; none while it runs an EDT or waits for one.
    pub done: Option<u64>,
}

/// A device.
#[derive(Clone, Debug, Default)]
pub struct Device {
    /// What it is called.
    pub name: String,
    /// Kernels, and nanoseconds in them.
    pub kernels: u64,
    /// Nanoseconds in them.
    pub busy: u64,
    /// Bytes copied to it.
    pub bytes_in: u64,
    /// Bytes copied from it.
    pub bytes_out: u64,
    /// Copies, and nanoseconds in them.
    pub copies: u64,
    /// Nanoseconds in them.
    pub copying: u64,
}

impl Run {
    /// What the policy expected of the EDT of this number, in the order of time.
    pub fn estimates_of(&self, edt: u32) -> &[Estimate] {
        let first = self.estimates.partition_point(|one| one.edt < edt);
        let rest = &self.estimates[first..];
        &rest[..rest.partition_point(|one| one.edt == edt)]
    }

    /// What the recording lacks, in sentences; none where all is there, as far as the run went.
    fn missing(&self) -> Vec<String> {
        let lost = (self.lost != 0).then(|| {
            let records = counted(self.lost, "record");
            format!("there was no room for {records} or more")
        });
        lost.into_iter().chain(self.cut.iter().cloned()).collect()
    }

    /// What the recording lacks, or says and cannot be, in sentences. Where there are some, figures are those of a part of the
    /// run.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = self.missing();
        gaps.extend(self.wrong.iter().cloned());
        gaps
    }

    /// What an EDT is called in messages.
    pub fn name_of(&self, edt: &Edt) -> String {
        let label = match self.labels.get(&edt.guid) {
            Some(label) => format!(" labelled \"{label}\""),
            None => String::new(),
        };
        format!("EDT 0x{:x} ({}){label}", edt.guid, self.template_name(edt))
    }

    /// What its template is called.
    pub fn template_name(&self, edt: &Edt) -> &str {
        let template = self.templates.get(edt.template as usize);
        template.map_or("of an unknown template", |template| &template.name)
    }

    /// What a place is called.
    pub fn place_name(&self, place: u8) -> String {
        match (place, self.devices.get(&place)) {
            (0, _) => "workers".to_string(),
            (_, Some(device)) if !device.name.is_empty() => device.name.clone(),
            _ => format!("device {}", place - 1),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod damaged_tests;
#[cfg(all(test, not(loom)))]
mod tests;
