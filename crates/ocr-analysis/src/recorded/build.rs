//! Makes a [`RecordedRun`] of the records of a file.

mod records;

use super::{ReadError, RecordedEdt, RecordedNode, RecordedRun, RecordedTemplate};
use ocr_base::text::duration;
use ocr_trace::clock::{Apart, SystemUse};
use ocr_trace::format::{RecordKind, UNDECIDED};
use ocr_trace::nodes::RunFiles;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::path::Path;

/// How many sentences about what is wrong are kept at most. Further ones are only counted.
const SENTENCES: usize = 20;

/// The latest time of a record, in nanoseconds since the begin of the run: more than two years. A later one is taken
/// for damage.
const LONGEST_RUN: u64 = 1 << 56;

/// What a thread is doing at the record that is looked at.
#[derive(Clone, Copy, Default)]
struct Doing {
    /// The EDT by which the things in the thread's records happen: 1 + its number, or 0 if there is none.
    cause: u32,
    /// Whether that EDT runs now on the thread; otherwise it has ended, or runs on another node.
    runs: bool,
    /// When the EDT sent the message that the thread handles, as `Edge::at` has it. None where it handles none.
    sent: Option<u64>,
    /// Since when the EDT that runs waits in a call, in nanoseconds since the begin of the run. None if it does not.
    waits_since: Option<u64>,
    /// Since when the thread, a worker, has been idle, in nanoseconds since the begin of the run. None if it is not.
    idle_since: Option<u64>,
    /// What the system had done for the thread at the last record about that.
    system: SystemUse,
}

/// A run as far as its records have been looked at.
struct Builder {
    run: RecordedRun,
    /// The number of each EDT, by its GUID.
    by_guid: FxHashMap<u64, u32>,
    /// The number of each template, by its node and work.
    by_work: FxHashMap<(u32, u64), u32>,
    /// For each node and token, the number of the EDT with which it was last given to a device.
    launched: FxHashMap<(u32, u64), u32>,
    /// By which EDT each message between nodes was sent (1 + its number, or 0 for none), and when, as `Edge::at` has
    /// it: by the two nodes and its number.
    sent: FxHashMap<(u32, u32, u64), (u32, u64)>,
    /// EDTs of the runtime's that stand for something on another node. They never run, and are no EDTs of the run.
    stand_ins: FxHashSet<u64>,
    /// The number of each device of each node, where there are several.
    places: FxHashMap<(u32, u8), u8>,
    /// How many EDTs each node has ready.
    ready: BTreeMap<u32, u64>,
    /// How long the threads of each process were on cores at the first record, and at the last; and its cores.
    usage: BTreeMap<u32, [u64; 3]>,
    /// When the last kernel of each lane of a device ended, in nanoseconds since the begin of the run.
    lanes: FxHashMap<(u8, u16), u64>,
    /// What each thread is doing, by its number in the recording.
    doing: FxHashMap<u32, Doing>,
    /// The number of the last block of each GUID.
    blocks: FxHashMap<u64, u32>,
    /// How many bytes the blocks have that exist now.
    bytes_now: u64,
    /// How many records are of no kind that is known.
    unknown: u64,
    /// How many records are later than [`LONGEST_RUN`].
    misdated: u64,
    /// How many sentences about what is wrong were not kept.
    dropped: usize,
}

/// The sentence about a time in which the clocks have gone apart.
fn went_apart(apart: &Apart) -> String {
    let [at, shown, counted] =
        [apart.begin, apart.end.saturating_sub(apart.begin), apart.counted].map(|ns| duration(ns as f64 / 1e9));
    format!(
        "from {at} after the begin on, {shown} have passed by the system's clock and {counted} by the counter that dates \
         records: the machine was suspended, or the virtual machine stopped or moved. Times in there are not sure"
    )
}

/// Reads a recorded run.
///
/// # Errors
/// A text that says why the file cannot be read: there is none, it is no recording, it is of another version, or it is
/// cut off in its head.
pub fn read(path: &Path) -> Result<RecordedRun, ReadError> {
    let files = RunFiles::open(path)?;
    let first = files.first();
    let mut builder = Builder {
        run: RecordedRun {
            name: files.name.clone(),
            about: about(&files),
            process: first.process,
            status: first.status,
            records: files.files().map(|file| file.records()).sum(),
            lost: files.files().map(|file| file.lost).sum(),
            cut: files.faults.clone(),
            identity: first.run.to_string(),
            apart: first.apart.iter().map(went_apart).collect(),
            clocks: files.clocks.clone(),
            nodes: nodes(&files),
            ..RecordedRun::default()
        },
        by_guid: FxHashMap::default(),
        by_work: FxHashMap::default(),
        launched: FxHashMap::default(),
        sent: FxHashMap::default(),
        stand_ins: FxHashSet::default(),
        places: FxHashMap::default(),
        ready: BTreeMap::new(),
        usage: BTreeMap::new(),
        lanes: FxHashMap::default(),
        doing: FxHashMap::default(),
        blocks: FxHashMap::default(),
        bytes_now: 0,
        unknown: 0,
        misdated: 0,
        dropped: 0,
    };
    let scale = files.scale();
    let faults = files.for_each(|node, event| {
        let times = [
            scale.ns(event.record.ticks),
            scale.ns(event.written),
            match RecordKind::of(event.record.kind) {
                Some(RecordKind::Kernel | RecordKind::WaitedForOpenCl | RecordKind::WaitedForNodes) => {
                    scale.took(event.record.ticks, event.record.y)
                }
                Some(RecordKind::Copy) => scale.took(event.record.ticks, u64::from(event.record.c) * 16),
                _ => 0,
            },
        ];
        if times[0].max(times[2]) > LONGEST_RUN {
            builder.misdated += 1;
        }
        let [now, written, took] = times.map(|ns| ns.min(LONGEST_RUN));
        builder.run.end = builder.run.end.max(written);
        builder.see(node, event, now, took);
    })?;
    builder.run.cut.extend(faults);
    if let Some(ticks) = files.ended_ticks() {
        builder.run.end = scale.ns(ticks).min(LONGEST_RUN);
    }
    Ok(builder.finish())
}

/// What the first file says of the run. Workers and cores are those of all nodes.
fn about(files: &RunFiles) -> BTreeMap<String, String> {
    let mut about = files.first().about.clone();
    for name in ["workers", "cores"] {
        let all = files.files().map(|file| file.about.get(name)?.parse::<usize>().ok());
        if let Some(sum) = all.sum::<Option<usize>>() {
            about.insert(name.to_string(), sum.to_string());
        }
    }
    about
}

/// The nodes of a run; none where the process was alone.
fn nodes(files: &RunFiles) -> Vec<RecordedNode> {
    let several = files.files().filter(|file| file.run.node.nodes > 1);
    let node = several.map(|file| RecordedNode {
        number: file.run.node.node,
        host: file.about.get("host").cloned().unwrap_or_default(),
        process: file.process,
        status: file.status,
    });
    node.collect()
}

impl Builder {
    /// Keeps a sentence about what is wrong with the records, as long as there is room.
    fn wrong(&mut self, say: impl FnOnce(&RecordedRun) -> String) {
        if self.run.wrong.len() < SENTENCES {
            let sentence = say(&self.run);
            self.run.wrong.push(sentence);
        } else {
            self.dropped += 1;
        }
    }

    /// The number of an EDT by its GUID. An EDT that was not known is added.
    fn edt(&mut self, guid: u64) -> u32 {
        let next = self.run.edts.len() as u32;
        let number = *self.by_guid.entry(guid).or_insert(next);
        if number == next {
            self.run.edts.push(RecordedEdt { guid, ..RecordedEdt::default() });
        }
        number
    }

    /// The number of the template that has a work. A work that was not known is added, without a name.
    fn work(&mut self, node: u32, address: u64) -> u32 {
        let next = self.run.templates.len() as u32;
        let number = *self.by_work.entry((node, address)).or_insert(next);
        if number == next {
            self.run.templates.push(RecordedTemplate::default());
        }
        number
    }

    /// The number in the run of a place of a node: devices of several nodes are numbered as they come.
    fn place(&mut self, node: u32, place: u8) -> u8 {
        if self.run.nodes.is_empty() || [0, UNDECIDED].contains(&place) {
            return place;
        }
        let next = (self.places.len() + 1).min(usize::from(UNDECIDED) - 1) as u8;
        *self.places.entry((node, place)).or_insert(next)
    }

    /// Has a template that several nodes have be one: those of the same name, in their order on each node.
    fn join_templates(&mut self) {
        if self.run.nodes.is_empty() {
            return;
        }
        let mut works: Vec<(u32, u32)> = self.by_work.iter().map(|(&(node, _), &number)| (node, number)).collect();
        works.sort_unstable();
        let mut seen: FxHashMap<(u32, &str), usize> = FxHashMap::default();
        let mut known: FxHashMap<(&str, usize), u32> = FxHashMap::default();
        let mut joined: Vec<RecordedTemplate> = Vec::new();
        let mut number_of: FxHashMap<u32, u32> = FxHashMap::default();
        for (node, number) in works {
            let its = &self.run.templates[number as usize];
            let nth = seen.entry((node, &its.name)).or_default();
            *nth += 1;
            let next = joined.len() as u32;
            let is_named = !its.name.is_empty();
            let number_joined = if is_named { *known.entry((&its.name, *nth)).or_insert(next) } else { next };
            number_of.insert(number, number_joined);
            match joined.get_mut(number_joined as usize) {
                Some(known) => known.places |= its.places,
                None => joined.push(its.clone()),
            }
        }
        for edt in &mut self.run.edts {
            edt.template = number_of.get(&edt.template).copied().unwrap_or(u32::MAX);
        }
        self.run.templates = joined;
    }

    /// The run, when all records have been looked at.
    fn finish(mut self) -> RecordedRun {
        self.run.name_devices();
        self.join_templates();
        let usage = self.usage.values();
        self.run.process_usage_before = usage.clone().map(|[first, ..]| first).sum();
        self.run.process_usage = usage.map(|&[_, last, cores]| (last, cores)).reduce(|(last, cores), (more, its)| {
            // Nodes of a machine may use the same cores.
            (last + more, cores.max(its))
        });
        // The sort is stable, so the estimates of each EDT stay in the order of time.
        self.run.estimates.sort_by_key(|estimate| estimate.edt);
        // A worker that is idle at the last record is idle to the end of the recording.
        for owner in self.run.threads.keys().copied().collect::<Vec<_>>() {
            self.is_busy(owner, self.run.end);
        }
        if self.unknown != 0 {
            self.run.wrong.push(format!("{} records are of no kind that this version knows", self.unknown));
        }
        if self.misdated != 0 {
            self.run.wrong.push(format!("{} records are of a time more than two years after the begin", self.misdated));
        }
        if self.dropped != 0 {
            self.run.wrong.push(format!("and {} more of the kind", self.dropped));
        }
        self.run
    }
}
