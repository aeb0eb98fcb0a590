//! The files of all nodes of a run, read as one: each node has recorded into a file of its own.
//!
//! The nodes are found by what stands in the heads of files in the folder of the one that is named
//! ([`super::identity::NodeOfRun`]). A file of an earlier run has another number there, so it is passed over.
//!
//! Nodes on one machine have the same clock: their ticks are compared as they are. That of another machine is brought
//! to it by the messages between the two. None of them came before it was sent, which says how far the clocks are apart
//! at least, and at most.

use super::clock::Scale;
use super::format::{Record, RecordKind};
use super::identity::{NodeOfRun, RunIdentity, of_node};
use super::reader::{RecordingFile, TraceEvent, merge};
use ocr_base::text::{Counted, Readable, duration};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// How many names of nodes a sentence lists at most.
const NAMES: usize = 8;

/// The recordings of the nodes of a run, as far as they are there.
pub struct RunFiles {
    /// By the numbers of the nodes; at least one.
    parts: Vec<Part>,
    /// The name of the file that was asked for, as messages show it.
    pub name: String,
    /// Sentences about nodes whose recordings are missing, and about what is cut off or damaged in files.
    pub faults: Vec<String>,
    /// Sentences about clocks of other machines that are known badly.
    pub clocks: Vec<String>,
}

/// The recording of one node.
struct Part {
    file: RecordingFile,
    /// The number in the run of the first thread of the file.
    thread: u32,
    /// How many nanoseconds the file's begin is after that of the first file. None where both have one clock.
    shift: Option<i64>,
}

/// How far the clock of a machine is from another: at least and at most, in nanoseconds.
#[derive(Clone, Copy)]
struct Between(Option<i64>, Option<i64>);

impl RunFiles {
    /// Opens a recording, and those of the other nodes of its run. The error is a text that says why the file cannot be
    /// read, as for [`RecordingFile::open`].
    pub fn open(path: &Path) -> Result<RunFiles, String> {
        let file = RecordingFile::open(path)?;
        let (name, of) = (file.name.clone(), file.run.node);
        let mut faults = Vec::new();
        let mut files = vec![file];
        if of.nodes > 1 {
            for other in beside(path) {
                let its = RunIdentity::of_file(&other).unwrap_or_default().node;
                let is_known = files.iter().any(|file| file.run.node.node == its.node);
                if (its.launch, its.nodes) != (of.launch, of.nodes) || its.node >= its.nodes || is_known {
                    continue;
                }
                match RecordingFile::open(&other) {
                    Ok(file) => files.push(file),
                    Err(why) => faults.push(why),
                }
            }
            files.sort_by_key(|file| file.run.node.node);
            faults.extend(missing(path, &of, &files));
        }
        for file in &mut files {
            let name = if of.nodes > 1 { format!("{}: ", file.name) } else { String::new() };
            faults.extend(file.faults.drain(..).map(|fault| format!("{name}{fault}")));
        }
        let mut thread = 0;
        let parts = files.into_iter().map(|file| {
            let first = thread;
            thread += file.threads();
            Part { file, thread: first, shift: None }
        });
        let mut run = RunFiles { parts: parts.collect(), name, faults, clocks: Vec::new() };
        run.align()?;
        Ok(run)
    }

    /// The files that are there, by the numbers of their nodes. There is at least one.
    pub fn files(&self) -> impl Iterator<Item = &RecordingFile> {
        self.parts.iter().map(|part| &part.file)
    }

    /// The file of node 0, or of the first node of which there is one. Its clock is that of all records.
    pub fn first(&self) -> &RecordingFile {
        &self.parts[0].file
    }

    /// How the ticks of records become nanoseconds since the begin of the run.
    pub fn scale(&self) -> &Scale {
        &self.first().scale
    }

    /// The ticks at which the run has ended on all nodes. None where no node has seen an end.
    pub fn ended_ticks(&self) -> Option<u64> {
        let ends = (0..self.parts.len()).filter_map(|of| Some(self.common(of, self.parts[of].file.ended_ticks?)));
        ends.max()
    }

    /// The ticks of a file, by the clock of the first one.
    fn common(&self, of: usize, ticks: u64) -> u64 {
        let Part { file, shift, .. } = &self.parts[of];
        shift.map_or(ticks, |shift| {
            let first = self.first();
            first.first[0].saturating_add(first.scale.ticks(file.scale.ns(ticks).saturating_add_signed(shift)))
        })
    }

    /// How many ticks of the first clock are as long as these.
    fn length(&self, of: usize, ticks: u64, end: u64) -> u64 {
        let Part { file, shift, .. } = &self.parts[of];
        shift.map_or(ticks, |_| self.first().scale.ticks(file.scale.took(end, ticks)))
    }

    /// Calls `see` with each record of all nodes and the number of its node, in the order in which they were written,
    /// as far as one can tell. Threads are numbered through all files, and times are those of the first one. Returns a
    /// sentence for each thing that is wrong with the records. The error is a text that says why a file cannot be read.
    pub fn for_each(&self, mut see: impl FnMut(u32, TraceEvent)) -> Result<Vec<String>, String> {
        let files: Vec<&RecordingFile> = self.files().collect();
        let common = |of: usize, ticks: u64| self.common(of, ticks);
        merge(&files, common, |of, event| {
            let Part { file, thread, .. } = &self.parts[of];
            let mut record = event.record;
            match RecordKind::of(record.kind) {
                Some(RecordKind::Kernel | RecordKind::WaitedForOpenCl | RecordKind::WaitedForNodes) => {
                    record.y = self.length(of, record.y, record.ticks);
                }
                Some(RecordKind::Copy) => {
                    let took = self.length(of, u64::from(record.c) * 16, record.ticks) / 16;
                    record.c = took.min(u64::from(u32::MAX)) as u32;
                }
                _ => {}
            }
            record.ticks = common(of, record.ticks);
            let (owner, written) = (thread + event.owner, common(of, event.written));
            see(file.run.node.node, TraceEvent { owner, written, record, ..event });
        })
    }

    /// Finds how far the clocks of other machines are from that of the first file.
    fn align(&mut self) -> Result<(), String> {
        let machines: Vec<[u64; 2]> = self.files().map(|file| file.run.node.machine).collect();
        if machines.iter().all(|machine| *machine == machines[0]) {
            return Ok(());
        }
        // When each message was sent, and has come, by the clocks of both: by its nodes, and its number.
        let mut sent: HashMap<(u32, u32, u64), i64> = HashMap::new();
        let mut came: Vec<((u32, u32, u64), i64)> = Vec::new();
        let files: Vec<&RecordingFile> = self.files().collect();
        merge(
            &files,
            |_, ticks| ticks,
            |of, TraceEvent { record: Record { kind, ticks, b, x, .. }, .. }| {
                let (file, other) = (files[of], u32::from(b));
                let (node, at) = (file.run.node.node, (file.first[1] + file.scale.ns(ticks)) as i64);
                match RecordKind::of(kind) {
                    Some(RecordKind::Sent) => drop(sent.insert((node, other, x), at)),
                    Some(RecordKind::Came) if x != 0 => came.push(((other, node, x), at)),
                    _ => {}
                }
            },
        )?;
        let machine_of: HashMap<u32, [u64; 2]> =
            files.iter().map(|file| (file.run.node.node, file.run.node.machine)).collect();
        let mut between: HashMap<[u64; 2], Between> = HashMap::new();
        for ((from, to, number), at) in came {
            let Some(sent) = sent.get(&(from, to, number)) else { continue };
            match [from, to].map(|node| machine_of.get(&node).copied()) {
                [Some(from), Some(to)] if from == machines[0] && to != from => {
                    let least = &mut between.entry(to).or_insert(Between(None, None)).0;
                    *least = (*least).max(Some(sent - at));
                }
                [Some(from), Some(to)] if to == machines[0] && to != from => {
                    let most = &mut between.entry(from).or_insert(Between(None, None)).1;
                    *most = Some(most.unwrap_or(i64::MAX).min(at - sent));
                }
                _ => {}
            }
        }
        let first = self.first();
        let (first_ns, first_wall) = (first.first[1] as i64, first.wall_seconds as i64);
        let first_node = first.run.node.node;
        for (part, machine) in self.parts.iter_mut().zip(&machines).filter(|(_, machine)| **machine != machines[0]) {
            let file = &part.file;
            let (offset, error) = match between.get(machine) {
                Some(&Between(Some(least), Some(most))) => (least.midpoint(most), Some(least.abs_diff(most) / 2)),
                // Messages that went in one direction alone are taken to have needed no time.
                Some(&Between(Some(one), None) | &Between(None, Some(one))) => (one, None),
                _ => {
                    let since = (file.wall_seconds as i64 - first_wall) * 1_000_000_000;
                    (first_ns + since - file.first[1] as i64, None)
                }
            };
            part.shift = Some(file.first[1] as i64 + offset - first_ns);
            let by = error.map_or("an unknown time".to_string(), |ns| duration(ns as f64 / 1e9));
            self.clocks.push(format!(
                "node {} ran on another machine, {}: its clock may be wrong by up to {by} against that of node \
                 {first_node}",
                file.run.node.node,
                file.about.get("host").map_or("?", String::as_str)
            ));
        }
        Ok(())
    }
}

/// A recording, and those of the other nodes of its run.
pub fn files_of_run(path: &Path) -> Vec<PathBuf> {
    let node_of = |file: &Path| RunIdentity::of_file(file).unwrap_or_default().node;
    let of = node_of(path);
    let mut files = vec![path.to_owned()];
    if of.nodes > 1 {
        let others = beside(path).into_iter();
        files.extend(others.filter(|file| node_of(file).launch == of.launch));
    }
    files
}

/// The files that may be those of other nodes of a recording: in its folder, with names that begin alike.
fn beside(path: &Path) -> Vec<PathBuf> {
    let bytes = |name: &Path| name.file_name().unwrap_or_default().as_encoded_bytes().to_vec();
    let own = bytes(path);
    let dot = own.iter().skip(1).position(|&byte| byte == b'.').map_or(own.len(), |at| at + 1);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let all = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut like: Vec<PathBuf> = all.filter(|file| bytes(file).starts_with(&own[..dot])).collect();
    like.sort();
    like
}

/// The sentence about the nodes of a run whose recordings are not among these; none if all are there. The file at
/// `path` is that of node `of`.
fn missing(path: &Path, of: &NodeOfRun, files: &[RecordingFile]) -> Option<String> {
    let is_there = |node: &u32| files.iter().any(|file| file.run.node.node == *node);
    let all: Vec<u32> = (0..of.nodes).filter(|node| !is_there(node)).collect();
    let first = *all.first()?;
    let names: Vec<String> = all.iter().take(NAMES).map(u32::to_string).collect();
    let more = all.len().saturating_sub(NAMES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more") };
    let name = of_node(path, first);
    let stale = if of.node == 0 && name.exists() {
        format!(" {} is of another run, or no recording.", Readable::path(&name))
    } else {
        String::new()
    };
    Some(format!(
        "the run had {}, and the recordings of these are not in the folder: {}{more}.{stale} A node records on its own \
         machine: copy the file from there beside this one",
        Counted(of.nodes.into(), "node"),
        names.join(", ")
    ))
}
