//! Makes a [`RecordedRun`] of the records of a file.

use super::{
    Edge, Grant, Idle, NEVER, ReadError, RecordedEdt, RecordedEstimate, RecordedNode, RecordedRun, RecordedTemplate,
    RecordedUse, Transfer,
};
use ocr_base::text::duration;
use ocr_place::policy::{Certainty, Expected, Why};
use ocr_trace::clock::{Apart, SystemUse};
use ocr_trace::format::{Basis, MODE_EW, MODE_NULL, MODE_RW, Record, RecordKind, ThreadRole, UNDECIDED};
use ocr_trace::nodes::RunFiles;
use ocr_trace::numbers::WorkKind;
use ocr_trace::reader::TraceEvent;
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
    /// When the EDT sent the message that the thread handles, as [`Edge::at`] has it. None where it handles none.
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
    /// By which EDT each message between nodes was sent (1 + its number, or 0 for none), and when, as [`Edge::at`] has
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
        [apart.begin, apart.end - apart.begin, apart.counted].map(|ns| duration(ns as f64 / 1e9));
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
                Some(RecordKind::Kernel | RecordKind::WaitedForOpenCl) => {
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

    /// When an EDT that a thread acts for has done what it does there, as [`Edge::at`] has it.
    fn at(&self, doing: &Doing, now: u64) -> u64 {
        match (doing.sent, doing.cause.checked_sub(1)) {
            (Some(at), _) => at,
            (None, Some(edt)) if doing.runs => now.saturating_sub(self.run.edts[edt as usize].waited),
            _ => NEVER,
        }
    }

    /// Adds a dependence of the EDT `to` on the EDT that runs on a thread, or that has ended there last.
    fn edge_to(&mut self, owner: u32, to: u32, now: u64) {
        let doing = *self.doing.entry(owner).or_default();
        let Some(from) = doing.cause.checked_sub(1) else {
            return;
        };
        let at = self.at(&doing, now);
        if from != to {
            self.run.edges.push(Edge { from, to, at });
        }
    }

    /// Whether a record is about an EDT of the runtime's that stands for something on another node.
    fn is_of_stand_in(&mut self, node: u32, kind: RecordKind, record: &Record) -> bool {
        if kind == RecordKind::Created {
            let template = self.by_work.get(&(node, record.y)).and_then(|work| self.run.templates.get(*work as usize));
            if template.is_some_and(|its| its.name == WorkKind::Elsewhere.call()) {
                self.stand_ins.insert(record.x);
            }
        }
        let number = kind as u8;
        let is_of_edt = (RecordKind::Created as u8..=RecordKind::Fetched as u8).contains(&number);
        is_of_edt && self.stand_ins.contains(&record.x)
    }

    /// Adds a record of a node to the run. `now` is its time, and `took` the length of a kernel or copy, both in
    /// nanoseconds.
    fn see(&mut self, node: u32, event: TraceEvent, now: u64, took: u64) {
        let (mut record, owner) = (event.record, event.owner);
        let Some(kind) = RecordKind::of(record.kind) else {
            self.unknown += 1;
            return;
        };
        if !self.run.nodes.is_empty() {
            if self.is_of_stand_in(node, kind, &record) {
                return;
            }
            use RecordKind::{Copy, Counter, Device, Estimate, Fetch, Kernel, KernelEnd, Launched, Placed, Runnable};
            match kind {
                Copy | Device | Estimate | Fetch | Kernel | KernelEnd | Launched | Placed | Runnable => {
                    record.a = self.place(node, record.a);
                }
                Counter => record.b = self.place(node, record.b as u8).into(),
                _ => {}
            }
        }
        match kind {
            RecordKind::Thread => {
                let thread = self.run.threads.entry(owner).or_default();
                thread.node = node;
                thread.name = match self.run.nodes[..] {
                    [] => event.text,
                    _ => format!("node {node}, {}", event.text),
                };
                thread.is_worker = record.a == ThreadRole::Worker as u8;
            }
            RecordKind::Template => {
                let work = self.work(node, record.x);
                let bits = (0..u64::BITS as u8).filter(|place| record.y >> place & 1 != 0);
                let places = bits.map(|place| 1u64.checked_shl(self.place(node, place).into()).unwrap_or(0));
                let places = places.fold(0, |all, bit| all | bit);
                self.run.templates[work as usize] = RecordedTemplate { name: event.text, places };
            }
            RecordKind::Device => self.run.devices.entry(record.a).or_default().name = event.text,
            RecordKind::Label => drop(self.run.labels.insert(record.x, event.text)),
            RecordKind::Created => {
                let edt = self.edt(record.x);
                if self.run.edts[edt as usize].created != NEVER {
                    self.wrong(|run| format!("{} is created twice", run.name_of(&run.edts[edt as usize])));
                    return;
                }
                let template = self.work(node, record.y);
                let doing = self.doing.entry(owner).or_default();
                let parent = doing.cause.wrapping_sub(1);
                let new = &mut self.run.edts[edt as usize];
                new.template = template;
                new.created = now;
                new.parent = parent;
                new.paramc = u32::from(record.a);
                new.depc = u32::from(record.b);
                new.finish = record.c != 0;
                self.edge_to(owner, edt, now);
            }
            RecordKind::Linked | RecordKind::Called | RecordKind::Changed => {}
            RecordKind::Waits => {
                let doing = self.doing.entry(owner).or_default();
                doing.waits_since = doing.runs.then_some(now);
            }
            RecordKind::GoesOn => {
                let doing = self.doing.entry(owner).or_default();
                if let (Some(since), Some(edt)) = (doing.waits_since.take(), doing.cause.checked_sub(1)) {
                    let waited = &mut self.run.edts[edt as usize].waited;
                    *waited = waited.saturating_add(now.saturating_sub(since));
                }
            }
            RecordKind::WaitedForOpenCl => {
                let doing = self.doing.entry(owner).or_default();
                if let Some(edt) = doing.cause.checked_sub(1).filter(|_| doing.runs) {
                    let waited = &mut self.run.edts[edt as usize].opencl;
                    *waited = waited.saturating_add(took);
                }
            }
            RecordKind::Satisfied => {
                let bytes = self.run.blocks.get(&record.y).copied().unwrap_or(0);
                let edt = self.edt(record.x);
                let its = &mut self.run.edts[edt as usize];
                its.satisfied += 1;
                its.bytes = its.bytes.saturating_add(bytes);
                if let Some(&block) = self.blocks.get(&record.y)
                    && record.a != MODE_NULL
                {
                    let writes = [MODE_RW, MODE_EW].contains(&record.a);
                    self.run.uses.push(RecordedUse { edt, block, writes });
                    self.run.modes.push(record.a);
                }
                self.edge_to(owner, edt, now);
            }
            RecordKind::Follows => {
                let (to, from) = (self.edt(record.x), self.edt(record.y));
                self.run.edges.push(Edge { from, to, at: NEVER });
            }
            RecordKind::Runnable => {
                let edt = self.edt(record.x);
                let its = &mut self.run.edts[edt as usize];
                its.place = record.a;
                // An EDT that was enqueued ahead in vain becomes runnable again, and the later time counts.
                its.runnable = now;
            }
            RecordKind::Placed => {
                let edt = self.edt(record.x);
                let its = &mut self.run.edts[edt as usize];
                (its.place, its.placed) = (record.a, now);
            }
            RecordKind::Granted => {
                let edt = self.edt(record.x);
                self.run.edts[edt as usize].granted = now;
                self.run.grants.push(Grant { edt, block: record.y, at: now });
            }
            RecordKind::Fetch => {
                let edt = self.edt(record.x);
                let first = &mut self.run.edts[edt as usize].fetch[0];
                *first = (*first).min(now);
            }
            RecordKind::Fetched => {
                let edt = self.edt(record.x);
                self.run.edts[edt as usize].fetch[1] = now;
            }
            RecordKind::Begin => self.begins(owner, record.x, now),
            RecordKind::End => self.ends(owner, record.x, now),
            RecordKind::Launched => {
                let edt = self.edt(record.x);
                let its = &mut self.run.edts[edt as usize];
                its.launched = now;
                its.place = record.a;
                self.launched.insert((node, record.y), edt);
            }
            RecordKind::Kernel => self.kernel(node, &record, now, took),
            RecordKind::KernelEnd => {
                let edt = self.edt(record.x);
                let doing = self.doing.entry(owner).or_default();
                (doing.cause, doing.runs, doing.sent) = (edt + 1, false, None);
            }
            RecordKind::Sent => {
                let doing = *self.doing.entry(owner).or_default();
                let at = self.at(&doing, now);
                self.sent.insert((node, u32::from(record.b), record.x), (doing.cause, at));
                self.run.messages += 1;
            }
            RecordKind::Came => {
                let sent = self.sent.remove(&(u32::from(record.b), node, record.x));
                let (cause, at) = sent.unwrap_or((0, NEVER));
                let doing = self.doing.entry(owner).or_default();
                (doing.cause, doing.runs, doing.sent) = (cause, false, Some(at));
            }
            RecordKind::Copy => {
                let device = self.run.devices.entry(record.a).or_default();
                device.copies += 1;
                device.copying = device.copying.saturating_add(took);
                let bytes = match record.b {
                    0 => &mut device.bytes_in,
                    _ => &mut device.bytes_out,
                };
                *bytes = bytes.saturating_add(record.y);
                self.run.copies.push(Transfer {
                    place: record.a,
                    to_device: record.b == 0,
                    block: record.x,
                    bytes: record.y,
                    begin: now.saturating_sub(took),
                    end: now,
                });
            }
            RecordKind::Block => {
                self.run.blocks.insert(record.x, record.y);
                (self.blocks).insert(record.x, self.run.block_bytes.len() as u32);
                self.run.block_bytes.push(record.y);
                self.run.block_guids.push(record.x);
                self.run.blocks_created += 1;
                self.bytes_now = self.bytes_now.saturating_add(record.y);
                self.run.most_block_bytes = self.run.most_block_bytes.max(self.bytes_now);
            }
            RecordKind::BlockGone => {
                let bytes = self.run.blocks.get(&record.x).copied().unwrap_or(0);
                self.bytes_now = self.bytes_now.saturating_sub(bytes);
            }
            RecordKind::Idle => {
                self.doing.entry(owner).or_default().idle_since = Some(now);
                self.run.threads.entry(owner).or_default().done = None;
            }
            RecordKind::Busy => self.is_busy(owner, now),
            RecordKind::Counter => {
                let value = match record.b {
                    0 => {
                        self.ready.insert(node, record.y);
                        self.ready.values().sum()
                    }
                    _ => record.y,
                };
                let values = self.run.counters.entry((record.a, record.b as u8));
                values.or_default().push((now, value));
            }
            RecordKind::Estimate => self.considered(&record, now),
            RecordKind::Usage if record.a == 1 => {
                let [_, last, cores] = self.usage.entry(node).or_insert([record.x, 0, 0]);
                (*last, *cores) = (*last, *cores).max((record.x, record.y));
            }
            RecordKind::System => {
                let system = SystemUse { ns: record.x, faults: record.y, waits: record.c };
                self.doing.entry(owner).or_default().system = system;
            }
            RecordKind::Usage => {
                let doing = self.doing.entry(owner).or_default();
                let (edt, system) = (doing.cause.wrapping_sub(1), doing.system);
                self.run.usage.push(super::Usage {
                    thread: owner,
                    edt,
                    at: now,
                    on_core: record.x,
                    without_core: record.y,
                    system,
                });
            }
        }
    }

    /// Adds an estimate of the policy.
    fn considered(&mut self, record: &Record, now: u64) {
        let edt = self.edt(record.x);
        let basis = Basis::of(record.b);
        let (Some(certainty), Some(why)) = (Certainty::of(basis.certainty), Why::of(basis.why)) else {
            self.unknown += 1;
            return;
        };
        let ns = |units: u64| units * 16;
        let run_ns = (certainty != Certainty::Unknown).then(|| ns(record.y & 0xffff_ffff));
        self.run.estimates.push(RecordedEstimate {
            edt,
            at: now,
            place: record.a,
            expected: Expected { queue_ns: ns(u64::from(record.c)), copy_ns: ns(record.y >> 32), run_ns },
            certainty,
            why,
            is_chosen: basis.is_chosen,
            is_first: basis.is_first,
        });
    }

    /// Notes that a worker is not idle any more from `end` on, if it was.
    fn is_busy(&mut self, owner: u32, end: u64) {
        let since = self.doing.entry(owner).or_default().idle_since.take();
        if let Some(begin) = since.filter(|begin| *begin <= end) {
            let thread = self.run.threads.entry(owner).or_default();
            thread.idle = thread.idle.saturating_add(end - begin);
            thread.done = Some(end);
            self.run.idle.push(Idle { thread: owner, begin, end });
        }
    }

    /// Notes that an EDT begins on a thread.
    fn begins(&mut self, owner: u32, guid: u64, now: u64) {
        let edt = self.edt(guid);
        let doing = self.doing.entry(owner).or_default();
        let other = doing.runs.then_some(doing.cause.wrapping_sub(1));
        (doing.cause, doing.runs, doing.sent) = (edt + 1, true, None);
        if let Some(other) = other {
            self.wrong(|run| {
                let [first, second] = [other, edt].map(|e| run.name_of(&run.edts[e as usize]));
                format!("on thread {owner}, {second} begins before {first} has ended")
            });
        }
        let its = &mut self.run.edts[edt as usize];
        let again = its.begin != NEVER;
        its.begin = now;
        its.place = 0;
        its.lane = owner;
        if again {
            self.wrong(|run| format!("{} begins twice", run.name_of(&run.edts[edt as usize])));
        }
    }

    /// Notes that an EDT ends on a thread.
    fn ends(&mut self, owner: u32, guid: u64, now: u64) {
        let edt = self.edt(guid);
        let doing = self.doing.entry(owner).or_default();
        let ran = doing.runs && doing.cause == edt + 1;
        (doing.cause, doing.runs, doing.sent) = (edt + 1, false, None);
        if !ran {
            self.wrong(|run| {
                let name = run.name_of(&run.edts[edt as usize]);
                format!("on thread {owner}, {name} ends and has not begun there")
            });
        }
        let its = &mut self.run.edts[edt as usize];
        its.end = now;
        let time = its.time().unwrap_or(0);
        let thread = self.run.threads.entry(owner).or_default();
        thread.edts += 1;
        thread.busy = thread.busy.saturating_add(time);
        thread.done = Some(now);
    }

    /// Notes that a kernel has ended at `now`, after `took` nanoseconds.
    fn kernel(&mut self, node: u32, record: &Record, now: u64, took: u64) {
        let device = self.run.devices.entry(record.a).or_default();
        device.kernels += 1;
        device.busy = device.busy.saturating_add(took);
        let lane = (record.a, record.b);
        let begin = now.saturating_sub(took);
        let last = self.lanes.insert(lane, now).unwrap_or(0);
        // The records and the device have different clocks, whose times are rounded, so a small difference is no fault.
        if begin + super::check::TOLERANCE < last {
            self.wrong(|run| {
                let name = run.place_name(record.a);
                format!(
                    "on {name}, in lane {}, a kernel begins {} ns before the one before it has ended",
                    record.b,
                    last - begin
                )
            });
        }
        match self.launched.get(&(node, record.x)) {
            Some(&edt) => {
                let its = &mut self.run.edts[edt as usize];
                its.begin = begin;
                its.end = now;
                its.place = record.a;
                its.lane = u32::from(record.b);
            }
            None => self.wrong(|run| {
                let name = run.place_name(record.a);
                format!("on {name}, a kernel has ended that was launched for no EDT")
            }),
        }
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
