//! A recorded run: its EDTs with their times and places, and what came before what.
//!
//! | file | what |
//! |---|---|
//! | `build.rs` | makes a run of the records of a file |
//! | `check.rs` | what cannot be in a recording, and what is cut off |
//! | `data.rs` | when the blocks of each EDT were brought to where it ran |
//! | `medians.rs` | how long EDTs take in each place |
//! | `scope_times.rs` | what finish EDTs took whose functions have others do the work |
//! | `scopes.rs` | which EDTs are in which finish scope, and what waits for them |
//! | `series.rs` | what was counted while the run went on, as values over time |
//! | `short.rs` | short names of devices |
//! | `score.rs` | how long the run took, against the time before which no schedule ends |
//! | `supposed.rs` | what functions of finish EDTs would have created where kernels ran |

mod build;
mod check;
mod data;
mod medians;
mod scope_times;
mod scopes;
mod score;
mod series;
mod short;
mod supposed;

pub use build::read;
pub use check::Findings;
pub(crate) use check::TOLERANCE;
pub(crate) use data::DeviceCores;
pub(crate) use medians::{Medians, median};
pub(crate) use scope_times::{ScopeTime, scope_times};
pub(crate) use scopes::{NOBODY, Scopes};
pub use score::Score;
pub use series::Series;
pub(crate) use series::counted_up;
pub(crate) use short::short_names;

use ocr_base::text::counted;
use ocr_place::policy::{Certainty, Expected, Why};
use ocr_trace::clock::SystemUse;
use ocr_trace::format::{DuplicateStep, UNDECIDED, WorkGroupBasis};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, HashMap};

/// A time that was not recorded.
pub const NEVER: u64 = u64::MAX;

/// A text that says why nothing can be reported of a file.
pub type ReadError = String;

/// A recorded run. Moments are in nanoseconds since its begin. EDTs, templates and blocks have numbers, which are their
/// indices in [`RecordedRun::edts`], [`RecordedRun::templates`] and [`RecordedRun::block_guids`]. Places are numbers,
/// too: 0 is the host, and the devices follow.
#[derive(Default)]
pub struct RecordedRun {
    /// The name of the file, as messages show it.
    pub name: String,
    /// What the file says of the program, the machine and the settings: values by name.
    pub about: BTreeMap<String, String>,
    /// The system's number of the process.
    pub process: u32,
    /// The exit status of the run. None if the process was killed, or goes on.
    pub status: Option<i32>,
    /// When the run ended. Where that is not recorded, when the last record was written.
    pub end: u64,
    /// How many records the file has.
    pub records: u64,
    /// How many records there was no room for.
    pub lost: u64,
    /// Sentences about what is cut off or damaged.
    pub cut: Vec<String>,
    /// Sentences about records that contradict each other.
    pub wrong: Vec<String>,
    /// The templates, one for each work.
    pub templates: Vec<RecordedTemplate>,
    /// Which run it is, in one word.
    pub identity: String,
    /// Sentences about times in which the machine's clocks have gone apart, so that the times there are not sure.
    pub apart: Vec<String>,
    /// Sentences about how well the clocks of several machines are known.
    pub clocks: Vec<String>,
    /// The nodes of the run whose recordings are there. Empty where the process was alone.
    pub nodes: Vec<RecordedNode>,
    /// How many messages between nodes have led to something.
    pub messages: u64,
    /// All EDTs, in the order of their creation.
    pub edts: Vec<RecordedEdt>,
    /// The dependences between EDTs, as far as they are recorded.
    pub edges: Vec<Edge>,
    /// The threads that wrote records, by their numbers in the recording.
    pub threads: BTreeMap<u32, RecordedThread>,
    /// The devices, by their places.
    pub devices: BTreeMap<u8, RecordedDevice>,
    /// How many bytes the last block of each GUID had.
    pub blocks: HashMap<u64, u64>,
    /// How many blocks were created.
    pub blocks_created: u64,
    /// The most bytes that blocks had at once.
    pub most_block_bytes: u64,
    /// The labels that the program has given objects, by GUID.
    pub labels: HashMap<u64, String>,
    /// How many bytes each block had, in the order of their creation. GUIDs may be used again, these numbers are not.
    pub block_bytes: Vec<u64>,
    /// Which EDT uses which block, in the order in which pre-slots were satisfied.
    pub uses: Vec<RecordedUse>,
    /// The copies of blocks, in the order in which they were seen to end.
    pub copies: Vec<Transfer>,
    /// The GUID of each block, in the order of their creation.
    pub block_guids: Vec<u64>,
    /// The EDT that has created each block, in the order of [`RecordedRun::block_bytes`]; `u32::MAX` where no EDT did.
    pub block_makers: Vec<u32>,
    /// The blocks for which EDTs had to wait, in the order in which EDTs got them.
    pub grants: Vec<Grant>,
    /// The functions that ran while kernels of their EDTs did, in the order of their begins.
    pub duplicates: Vec<RecordedDuplicate>,
    /// What the policy expected of EDTs in the places that it considered: in the order of the EDTs' numbers, and for
    /// one EDT in the order of time.
    pub estimates: Vec<RecordedEstimate>,
    /// Pairs of a time and the value that a counter had then, by the counter's number and the place.
    pub counters: BTreeMap<(u8, u8), Vec<(u64, u64)>>,
    /// The spans in which workers had no EDT to run, in the order in which they ended.
    pub idle: Vec<Idle>,
    /// The mode of each use of a block, in the order of [`RecordedRun::uses`]: numbers of `ocr_trace::format`.
    pub modes: Vec<u8>,
    /// The work-groups of kernels, by the number of the EDT, where they are recorded.
    pub work_groups: FxHashMap<u32, WorkGroups>,
    /// How long threads have been on cores, in the order of time for each thread.
    pub usage: Vec<Usage>,
    /// How long all threads of the processes have been on cores, in nanoseconds, when that was recorded last; and how
    /// many cores the processes may use. None where that is not recorded.
    pub process_usage: Option<(u64, u64)>,
    /// How long all threads of the process had been on cores when that was recorded first, in nanoseconds. 0 where it
    /// was not.
    pub process_usage_before: u64,
}

/// A node of the run: one process of several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordedNode {
    /// Its number.
    pub number: u32,
    /// The name of its machine.
    pub host: String,
    /// The system's number of the process.
    pub process: u32,
    /// The exit status. None if the process was killed, or goes on.
    pub status: Option<i32>,
}

/// How long a thread has been on a core since it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The thread's number in the recording.
    pub thread: u32,
    /// The EDT that ran on the thread then, or that had ended there last; `u32::MAX` if there was none.
    pub edt: u32,
    /// When that was so, in nanoseconds since the begin of the run.
    pub at: u64,
    /// How many nanoseconds the thread has been on a core.
    pub on_core: u64,
    /// How many nanoseconds the thread was ready, and had no core.
    pub without_core: u64,
    /// What the system has done for the thread. All zeros where that is not recorded.
    pub system: SystemUse,
}

/// A span in which a worker had no EDT to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Idle {
    /// The worker's number in the recording.
    pub thread: u32,
    /// When the span began, in nanoseconds since the begin of the run.
    pub begin: u64,
    /// When the span ended, in nanoseconds since the begin of the run.
    pub end: u64,
}

/// A copy of a block to a device or from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transfer {
    /// The place of the device.
    pub place: u8,
    /// Whether the copy went to the device; otherwise it came from there.
    pub to_device: bool,
    /// The GUID of the block.
    pub block: u64,
    /// How many bytes were copied.
    pub bytes: u64,
    /// When the copy began, in nanoseconds since the begin of the run.
    pub begin: u64,
    /// When the copy had ended, in nanoseconds since the begin of the run.
    pub end: u64,
}

/// A use of a block by an EDT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedUse {
    /// The number of the EDT.
    pub edt: u32,
    /// The number of the block.
    pub block: u32,
    /// Whether the EDT may write the block: in mode RW or EW.
    pub writes: bool,
}

/// The moment at which an EDT got a block for which it had to wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grant {
    /// The number of the EDT.
    pub edt: u32,
    /// The GUID of the block.
    pub block: u64,
    /// When the EDT got the block, in nanoseconds since the begin of the run.
    pub at: u64,
}

/// The function of an EDT that ran while the EDT's kernel did. Times are in nanoseconds since the begin of the run,
/// and [`NEVER`] where they are not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedDuplicate {
    /// The number of the EDT.
    pub edt: u32,
    /// The place of the kernel.
    pub place: u8,
    /// The thread that called the function.
    pub thread: u32,
    /// When the function began.
    pub begin: u64,
    /// When the function had returned, or was left.
    pub end: u64,
    /// How the function has ended. None if that is not recorded.
    pub how: Option<DuplicateStep>,
    /// When the kernel came not to count. [`NEVER`] if it did count.
    pub outrun: u64,
    /// When a kernel that did not count had ended.
    pub kernel_end: u64,
}

/// The work-groups of a kernel's launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkGroups {
    /// How many there are.
    pub groups: u64,
    /// How many work-items each has.
    pub items: u32,
    /// How that number came about.
    pub basis: WorkGroupBasis,
}

/// A place that the policy considered for an EDT.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RecordedEstimate {
    /// The number of the EDT.
    pub edt: u32,
    /// When the place was considered, in nanoseconds since the begin of the run.
    pub at: u64,
    /// The number of the place that was considered.
    pub place: u8,
    /// What the policy expected there, in nanoseconds from that moment on.
    pub expected: Expected,
    /// How well the time of the EDT's run was known.
    pub certainty: Certainty,
    /// By how many times the time may be less or more, as the policy takes it; 1 where it does not ask that.
    pub factor: f64,
    /// What the policy did with the EDT.
    pub why: Why,
    /// Whether the place was chosen.
    pub is_chosen: bool,
    /// Whether this is the first place of a choice. The other places of the choice follow.
    pub is_first: bool,
}

/// A template: EDTs that run one work.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedTemplate {
    /// The name of the template. Empty if it is not recorded.
    pub name: String,
    /// A bit for each place where its EDTs can run.
    pub places: u64,
}

/// An EDT. Moments are in nanoseconds since the begin of the run, and [`NEVER`] where they are not recorded.
#[derive(Clone, Debug)]
pub struct RecordedEdt {
    /// The bits of the EDT's GUID.
    pub guid: u64,
    /// The number of the EDT's template; `u32::MAX` if it is not known.
    pub template: u32,
    /// The number of the EDT that created this one; `u32::MAX` if no EDT did.
    pub parent: u32,
    /// Whether this is a finish EDT.
    pub finish: bool,
    /// How many pre-slots the EDT has; 65535 stands for that many or more.
    pub depc: u32,
    /// How many parameters the EDT has; 255 stands for that many or more.
    pub paramc: u32,
    /// How many pre-slots have been satisfied.
    pub satisfied: u32,
    /// How many bytes the blocks in the EDT's pre-slots have in all.
    pub bytes: u64,
    /// When the EDT was created.
    pub created: u64,
    /// When the EDT became runnable.
    pub runnable: u64,
    /// When a place took the EDT, if the policy had not given the EDT to a place before.
    pub placed: u64,
    /// When the EDT had all its blocks, if it had to wait for one.
    pub granted: u64,
    /// When the first block was asked for that had to be brought to the EDT's place, and when all had been brought.
    pub fetch: [u64; 2],
    /// When the EDT was given to a device.
    pub launched: u64,
    /// When the EDT began to run.
    pub begin: u64,
    /// When the EDT had ended.
    pub end: u64,
    /// For how many nanoseconds the EDT waited in calls. Its worker ran others meanwhile.
    pub waited: u64,
    /// For how many nanoseconds the EDT waited for OpenCL: until it had started, or kernels were compiled.
    pub opencl: u64,
    /// For how many nanoseconds the EDT waited for answers of other nodes. Its worker ran nothing else meanwhile.
    pub answers: u64,
    /// The place of the EDT: 0 for the host, otherwise a device; 255 if it has no place yet.
    pub place: u8,
    /// The number of the thread that ran the EDT, or of the lane of its device; `u32::MAX` if the EDT has not begun.
    pub lane: u32,
}

/// An EDT of which nothing is known.
impl Default for RecordedEdt {
    fn default() -> RecordedEdt {
        RecordedEdt {
            guid: 0,
            template: u32::MAX,
            parent: u32::MAX,
            finish: false,
            depc: 0,
            paramc: 0,
            satisfied: 0,
            bytes: 0,
            created: NEVER,
            runnable: NEVER,
            placed: NEVER,
            granted: NEVER,
            fetch: [NEVER; 2],
            launched: NEVER,
            begin: NEVER,
            end: NEVER,
            waited: 0,
            opencl: 0,
            answers: 0,
            place: UNDECIDED,
            lane: u32::MAX,
        }
    }
}

impl RecordedEdt {
    /// How many nanoseconds the EDT ran, without those in which it waited in calls. None if it has not ended.
    pub fn time(&self) -> Option<u64> {
        let all = (self.end.saturating_sub(self.begin)).saturating_sub(self.waited);
        (self.begin != NEVER && self.end != NEVER).then_some(all)
    }

    /// How many nanoseconds of that it computed: it waited neither for OpenCL nor for other nodes. 0 if it has not
    /// ended.
    pub fn computed(&self) -> u64 {
        self.time().unwrap_or(0).saturating_sub(self.opencl).saturating_sub(self.answers)
    }
}

/// A dependence: one EDT waits for another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// The number of the EDT that is waited for.
    pub from: u32,
    /// The number of the EDT that waits.
    pub to: u32,
    /// When the first EDT had done in its body what the second waited for, in nanoseconds since the begin of the run.
    /// [`NEVER`] where its end is waited for. What it had waited in calls by then is taken off.
    pub at: u64,
}

/// A thread of the run.
#[derive(Clone, Debug, Default)]
pub struct RecordedThread {
    /// The system's name of the thread, and its node where there are several.
    pub name: String,
    /// The number of its node.
    pub node: u32,
    /// Whether the thread is a worker, which runs EDTs.
    pub is_worker: bool,
    /// How many EDTs the thread ran.
    pub edts: u64,
    /// How many nanoseconds the thread ran EDTs.
    pub busy: u64,
    /// How many nanoseconds the thread had no EDT to run.
    pub idle: u64,
    /// When the thread ended its last EDT, or its last span without one, in nanoseconds since the begin of the run.
    /// None where neither has ended, or a span without an EDT is going on.
    pub done: Option<u64>,
}

/// A device of the run.
#[derive(Clone, Debug, Default)]
pub struct RecordedDevice {
    /// The name of the device, as OpenCL has it.
    pub name: String,
    /// The name by which people know the device. Empty where it is not known yet.
    pub short: String,
    /// How many compute units the device has. 0 where that is not recorded.
    pub units: u64,
    /// How many kernels the device ran.
    pub kernels: u64,
    /// How many nanoseconds these kernels took in all.
    pub busy: u64,
    /// How many bytes were copied to the device.
    pub bytes_in: u64,
    /// How many bytes were copied from the device.
    pub bytes_out: u64,
    /// How many copies were made to the device and from it.
    pub copies: u64,
    /// How many nanoseconds these copies took in all.
    pub copying: u64,
}

impl RecordedRun {
    /// What the policy expected of the EDT with this number, in the order of time.
    pub fn estimates_of(&self, edt: u32) -> &[RecordedEstimate] {
        let first = self.estimates.partition_point(|one| one.edt < edt);
        let rest = &self.estimates[first..];
        &rest[..rest.partition_point(|one| one.edt == edt)]
    }

    /// Sentences about what the recording lacks. None where everything is there up to where the run went.
    fn missing(&self) -> Vec<String> {
        let lost = (self.lost != 0).then(|| {
            let records = counted(self.lost, "record");
            format!("there was no room for {records} or more")
        });
        lost.into_iter().chain(self.cut.iter().cloned()).collect()
    }

    /// Sentences about what the recording lacks, and about records that contradict each other. Where there are some,
    /// figures are of a part of the run alone.
    pub fn gaps(&self) -> Vec<String> {
        let mut gaps = self.missing();
        gaps.extend(self.wrong.iter().cloned());
        gaps
    }

    /// The name of an EDT in messages: its GUID, its template, and its label if it has one.
    pub fn name_of(&self, edt: &RecordedEdt) -> String {
        let label = match self.labels.get(&edt.guid) {
            Some(label) => format!(" labelled \"{label}\""),
            None => String::new(),
        };
        format!("EDT 0x{:x} ({}){label}", edt.guid, self.template_name(edt))
    }

    /// The name of an EDT's template.
    pub fn template_name(&self, edt: &RecordedEdt) -> &str {
        let template = self.templates.get(edt.template as usize);
        template.map_or("of an unknown template", |template| &template.name)
    }

    /// The name of a place: "workers" for the host, otherwise the short name of the device.
    pub fn place_name(&self, place: u8) -> String {
        match (place, self.devices.get(&place)) {
            (0, _) => "workers".to_string(),
            (_, Some(device)) if !device.short.is_empty() => device.short.clone(),
            _ => self.whole_name(place),
        }
    }

    /// The name of a device, as OpenCL has it.
    pub fn whole_name(&self, place: u8) -> String {
        match self.devices.get(&place) {
            Some(device) if !device.name.is_empty() => device.name.clone(),
            _ => format!("device {}", place.saturating_sub(1)),
        }
    }

    /// Gives all devices their short names, when all have their whole ones.
    pub(crate) fn name_devices(&mut self) {
        let names: Vec<String> = self.devices.keys().map(|&place| self.whole_name(place)).collect();
        let short = short_names(names.iter().map(String::as_str));
        for (device, short) in self.devices.values_mut().zip(short) {
            device.short = short;
        }
    }
}

#[cfg(test)]
mod damaged_tests;
#[cfg(test)]
mod tests;
