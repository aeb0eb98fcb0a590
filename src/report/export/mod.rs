//! A recorded run for viewers: as Perfetto's TrackEvent protobuf, or as JSON for older viewers.
//!
//! | file | what |
//! |---|---|
//! | `protobuf.rs` | numbers, texts and messages as Perfetto's schema has them |
//! | `perfetto.rs` | a run as packets |
//! | `json.rs` | a run as `traceEvents` |
//!
//! Each thread and each lane of a device is a track, on which slices follow each other and never overlap: viewers drop
//! what does. Each dependence is an arrow with a number of its own, from the slice of the EDT that comes first to that of
//! the other one.

mod json;
mod perfetto;
mod protobuf;

#[cfg(all(test, not(loom)))]
mod tests;

use crate::report::recorded::{NEVER, Run};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Arrows, at most: a viewer becomes slow with more.
pub const ARROWS: usize = 100_000;

/// What a track is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    /// A thread of the run.
    Thread(u32),
    /// Kernels in one queue of a device.
    Kernels(u8, u32),
    /// Copies to a device.
    In(u8),
    /// Copies from a device.
    Out(u8),
}

/// What happened on a track.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slice {
    begin: u64,
    end: u64,
    what: What,
}

/// What a slice is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// An EDT, by its number in the run.
    Edt(u32),
    /// A copy, by its number in the run.
    Copy(u32),
}

/// What is drawn.
struct Picture<'a> {
    run: &'a Run,
    tracks: BTreeMap<Lane, Vec<Slice>>,
    arrows: Arrows,
    counters: Vec<Series>,
}

/// The numbers of the arrows that begin and end at each EDT that has some.
#[derive(Default)]
struct Arrows {
    from: FxHashMap<u32, Vec<u64>>,
    to: FxHashMap<u32, Vec<u64>>,
}

impl Arrows {
    fn of(ends: &FxHashMap<u32, Vec<u64>>, what: What) -> &[u64] {
        match what {
            What::Edt(edt) => ends.get(&edt).map_or(&[], Vec::as_slice),
            What::Copy(_) => &[],
        }
    }

    /// Those that begin at a slice.
    fn from(&self, slice: &Slice) -> &[u64] {
        Arrows::of(&self.from, slice.what)
    }

    /// Those that end there.
    fn to(&self, slice: &Slice) -> &[u64] {
        Arrows::of(&self.to, slice.what)
    }
}

/// What a number was when.
struct Series {
    name: String,
    samples: Vec<(u64, u64)>,
}

/// What was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Slices.
    pub slices: u64,
    /// Arrows.
    pub arrows: u64,
    /// Dependences without an arrow.
    pub left_out: u64,
}

/// How a file begins that viewers know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Perfetto's protobuf.
    Perfetto,
    /// JSON.
    Json,
}

impl Form {
    /// The form of a file for viewers, by its name.
    pub fn of(path: &Path) -> Option<Form> {
        match path.extension()?.to_str()? {
            "pftrace" => Some(Form::Perfetto),
            "json" => Some(Form::Json),
            _ => None,
        }
    }
}

/// What the name of a recording has behind that of the file for viewers which is made of it.
const BESIDE: &str = ".recording";

/// The recording of which a file for viewers is made at the end of a run.
pub fn recording_of(viewed: &Path) -> PathBuf {
    with(viewed, BESIDE)
}

/// The file for viewers that is made of a recording where no other is named.
pub fn file_for(recording: &Path) -> PathBuf {
    let stem = recording.with_extension("");
    if Form::of(&stem).is_some() && recording_of(&stem) == recording {
        stem
    } else {
        with(recording, ".pftrace")
    }
}

fn with(path: &Path, more: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(more);
    name.into()
}

/// Writes a run into a file for viewers, which gets the name when it is whole, with so many arrows at most.
///
/// # Errors
/// Those of the file.
pub fn write_file(run: &Run, output: &Path, arrows: usize) -> io::Result<Exported> {
    let form = Form::of(output).unwrap_or(Form::Perfetto);
    let write = |path: &Path| {
        let file = File::create(path)?;
        export(run, form, arrows, &mut BufWriter::new(file))
    };
    // What is no file, as a pipe, is written as it is.
    if output.metadata().is_ok_and(|about| !about.is_file()) {
        return write(output);
    }
    let new = with(output, &format!(".{}.new", std::process::id()));
    let written = write(&new);
    let written = written.and_then(|written| fs::rename(&new, output).map(|()| written));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written
}

impl Lane {
    fn name(self, run: &Run) -> String {
        match self {
            Lane::Thread(owner) => run
                .threads
                .get(&owner)
                .map_or(String::new(), |thread| thread.name.clone()),
            Lane::Kernels(_, lane) => format!("kernels, queue {lane}"),
            Lane::In(_) => "copies in".to_string(),
            Lane::Out(_) => "copies out".to_string(),
        }
    }

    /// The device that it is of.
    fn place(self) -> Option<u8> {
        match self {
            Lane::Thread(_) => None,
            Lane::Kernels(place, _) | Lane::In(place) | Lane::Out(place) => Some(place),
        }
    }
}

impl What {
    fn name(self, run: &Run) -> &str {
        match self {
            What::Edt(edt) => run.template_name(&run.edts[edt as usize]),
            What::Copy(copy) if run.copies[copy as usize].to_device => "copy in",
            What::Copy(_) => "copy out",
        }
    }

    /// What the program has called it.
    fn label(self, run: &Run) -> Option<&str> {
        let object = match self {
            What::Edt(edt) => run.edts[edt as usize].guid,
            What::Copy(copy) => run.copies[copy as usize].block,
        };
        run.labels.get(&object).map(String::as_str)
    }

    /// What a viewer shows of it: names and numbers.
    fn details(self, run: &Run) -> Vec<(&'static str, u64)> {
        match self {
            What::Edt(edt) => {
                let edt = &run.edts[edt as usize];
                let waited = |since: u64, until: u64| match since {
                    NEVER => 0,
                    since => until.saturating_sub(since),
                };
                vec![
                    ("guid", edt.guid),
                    ("bytes of blocks", edt.bytes),
                    (
                        "ns from creation until runnable",
                        waited(edt.created, edt.runnable),
                    ),
                    (
                        "ns from runnable until begun",
                        waited(edt.runnable, edt.begin),
                    ),
                ]
            }
            What::Copy(copy) => {
                let copy = &run.copies[copy as usize];
                vec![("block", copy.block), ("bytes", copy.bytes)]
            }
        }
    }
}

impl<'a> Picture<'a> {
    /// What is to be drawn, with so many arrows at most. First come those to an EDT from what was done for it last, since
    /// these say why it was not ready before; then the others; both in the order in which they were recorded.
    fn new(run: &'a Run, arrows: usize) -> (Picture<'a>, Exported) {
        let mut tracks: BTreeMap<Lane, Vec<Slice>> = BTreeMap::new();
        let mut add = |lane, begin, end, what| {
            let slice = Slice { begin, end, what };
            tracks.entry(lane).or_default().push(slice);
        };
        for (number, edt) in run.edts.iter().enumerate() {
            if edt.begin == NEVER {
                continue;
            }
            // One that goes on lasts to the end of the recording.
            let end = if edt.end == NEVER { run.end } else { edt.end };
            let lane = match edt.place {
                0 => Lane::Thread(edt.lane),
                place => Lane::Kernels(place, edt.lane),
            };
            add(lane, edt.begin, end, What::Edt(number as u32));
        }
        for (number, copy) in run.copies.iter().enumerate() {
            let lane = if copy.to_device {
                Lane::In(copy.place)
            } else {
                Lane::Out(copy.place)
            };
            add(lane, copy.begin, copy.end, What::Copy(number as u32));
        }
        // A worker that has run nothing is there to be seen idle.
        for (&owner, _) in run.threads.iter().filter(|(_, thread)| thread.is_worker) {
            tracks.entry(Lane::Thread(owner)).or_default();
        }
        let mut exported = Exported::default();
        for slices in tracks.values_mut() {
            slices.sort_by_key(|slice| (slice.begin, slice.end));
            let mut last = 0;
            for slice in slices.iter_mut() {
                // Times of a device are brought to another clock, and rounded.
                slice.begin = slice.begin.max(last);
                slice.end = slice.end.max(slice.begin);
                last = slice.end;
            }
            exported.slices += slices.len() as u64;
        }
        let picture = Picture {
            run,
            tracks,
            arrows: draw_arrows(run, arrows, &mut exported),
            counters: counters(run),
        };
        (picture, exported)
    }
}

fn draw_arrows(run: &Run, most: usize, exported: &mut Exported) -> Arrows {
    let mut arrows = Arrows::default();
    // For each EDT the last of the edges to it, which are recorded in the order of time.
    let mut latest = vec![u32::MAX; run.edts.len()];
    for (number, edge) in run.edges.iter().enumerate() {
        latest[edge.to as usize] = number as u32;
    }
    let is_drawn = |edt: u32| run.edts[edt as usize].begin != NEVER;
    for is_first in [true, false] {
        for (number, edge) in run.edges.iter().enumerate() {
            let is_latest = latest[edge.to as usize] == number as u32;
            if is_latest != is_first || !is_drawn(edge.from) || !is_drawn(edge.to) {
                continue;
            }
            if exported.arrows == most as u64 {
                exported.left_out += 1;
                continue;
            }
            exported.arrows += 1;
            let id = number as u64 + 1;
            arrows.from.entry(edge.from).or_default().push(id);
            arrows.to.entry(edge.to).or_default().push(id);
        }
    }
    arrows
}

/// What was counted, and how many workers had no EDT.
fn counters(run: &Run) -> Vec<Series> {
    let mut all: Vec<Series> = run
        .counters
        .iter()
        .map(|(&(counter, place), samples)| Series {
            name: counter_name(run, counter, place),
            samples: samples.clone(),
        })
        .collect();
    let mut changes: Vec<(u64, i64)> = Vec::with_capacity(2 * run.idle.len());
    for idle in &run.idle {
        changes.extend([(idle.begin, 1), (idle.end, -1)]);
    }
    changes.sort_unstable();
    let (mut idle, mut samples) = (0, Vec::new());
    for (number, &(at, change)) in changes.iter().enumerate() {
        idle += change;
        // Of what changes at one time the last counts.
        if changes.get(number + 1).is_none_or(|(next, _)| *next != at) {
            samples.push((at, idle as u64));
        }
    }
    if !samples.is_empty() {
        all.push(Series {
            name: "idle workers".to_string(),
            samples,
        });
    }
    all
}

/// What a counter is called.
fn counter_name(run: &Run, counter: u8, place: u8) -> String {
    match counter {
        1 => "ready EDTs".to_string(),
        2 => format!("launches, {}", run.place_name(place)),
        3 => format!("bytes, {}", run.place_name(place)),
        other => format!("counter {other}, {}", run.place_name(place)),
    }
}

/// Writes a run for viewers, with so many arrows at most.
///
/// # Errors
/// Those of `out`.
pub fn export(run: &Run, form: Form, arrows: usize, out: &mut impl Write) -> io::Result<Exported> {
    let (picture, exported) = Picture::new(run, arrows);
    match form {
        Form::Perfetto => perfetto::write(&picture, out)?,
        Form::Json => json::write(&picture, out)?,
    }
    out.flush()?;
    Ok(exported)
}
