//! A recorded run for viewers: as Perfetto's TrackEvent protobuf, or as JSON for older viewers.
//!
//! | file | what |
//! |---|---|
//! | `protobuf.rs` | numbers, texts and messages as Perfetto's schema has them |
//! | `perfetto.rs` | a run as packets |
//! | `json.rs` | a run as `traceEvents` |
//!
//! Each thread and each lane of a device is a track, on which slices follow each other and never overlap, since viewers
//! drop slices that do. Each dependence is an arrow with a number of its own, from the slice of the EDT that comes
//! first to the slice of the other one.

mod json;
mod perfetto;
mod protobuf;

#[cfg(test)]
mod tests;

use crate::recorded::{NEVER, RecordedRun};
use ocr_base::output_file::OutputFile;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How many arrows are drawn at most, where nothing else is asked for: a viewer becomes slow with more.
pub const ARROWS: usize = 100_000;

/// A track of the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ViewerTrack {
    /// A thread of the run, by its number in the recording.
    Thread(u32),
    /// The kernels in one queue of a device, by the device's place and the number of the queue.
    Kernels(u8, u32),
    /// The copies to a device, by its place.
    In(u8),
    /// The copies from a device, by its place.
    Out(u8),
}

/// A part of a track: an EDT or a copy.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Slice {
    /// When it began, in nanoseconds since the begin of the run.
    begin: u64,
    /// When it ended, in nanoseconds since the begin of the run.
    end: u64,
    what: SliceContent,
}

/// What a slice of the timeline shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SliceContent {
    /// An EDT, by its number in the run.
    Edt(u32),
    /// A copy, by its number in the run.
    Copy(u32),
}

/// Everything that is drawn of a run.
struct Picture<'a> {
    run: &'a RecordedRun,
    tracks: BTreeMap<ViewerTrack, Vec<Slice>>,
    arrows: Arrows,
    counters: Vec<Series>,
}

/// The numbers of the arrows that begin at each EDT, and of those that end there, by the number of the EDT.
#[derive(Default)]
struct Arrows {
    from: FxHashMap<u32, Vec<u64>>,
    to: FxHashMap<u32, Vec<u64>>,
}

impl Arrows {
    fn of(ends: &FxHashMap<u32, Vec<u64>>, what: SliceContent) -> &[u64] {
        match what {
            SliceContent::Edt(edt) => ends.get(&edt).map_or(&[], Vec::as_slice),
            SliceContent::Copy(_) => &[],
        }
    }

    /// The numbers of the arrows that begin at a slice.
    fn from(&self, slice: &Slice) -> &[u64] {
        Arrows::of(&self.from, slice.what)
    }

    /// The numbers of the arrows that end at a slice.
    fn to(&self, slice: &Slice) -> &[u64] {
        Arrows::of(&self.to, slice.what)
    }
}

/// The values of a counter over time.
struct Series {
    name: String,
    /// Pairs of a time, in nanoseconds since the begin of the run, and the value from then on.
    samples: Vec<(u64, u64)>,
}

/// How much was written for a viewer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// How many slices were written.
    pub slices: u64,
    /// How many arrows were written.
    pub arrows: u64,
    /// How many dependences between EDTs that are drawn got no arrow.
    pub left_out: u64,
}

/// The form of a file for viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewerForm {
    /// TrackEvent packets in Perfetto's protobuf.
    Perfetto,
    /// `traceEvents` of JSON, for older viewers.
    Json,
}

impl ViewerForm {
    /// The form of a file for viewers, by the end of its name: `.pftrace` or `.json`. None for other names.
    pub fn of(path: &Path) -> Option<ViewerForm> {
        match path.extension()?.to_str()? {
            "pftrace" => Some(ViewerForm::Perfetto),
            "json" => Some(ViewerForm::Json),
            _ => None,
        }
    }
}

/// What is appended to the name of a file for viewers to name the recording of which it is made.
const BESIDE: &str = ".recording";

/// The name of the recording of which a file for viewers is made at the end of a run.
pub fn recording_of(viewed: &Path) -> PathBuf {
    with(viewed, BESIDE)
}

/// The name of the file for viewers that is made of a recording, where the user names none.
pub fn file_for(recording: &Path) -> PathBuf {
    let stem = recording.with_extension("");
    if ViewerForm::of(&stem).is_some() && recording_of(&stem) == recording {
        stem
    } else {
        with(recording, ".pftrace")
    }
}

/// A path with a text behind it.
fn with(path: &Path, more: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(more);
    name.into()
}

/// Writes a run into a file for viewers, with at most `arrows` arrows. The file gets its name when it is whole.
///
/// # Errors
/// An error of the system, where the file cannot be written.
pub fn write_file(run: &RecordedRun, output: &OutputFile, arrows: usize) -> io::Result<Exported> {
    let form = ViewerForm::of(output.name()).unwrap_or(ViewerForm::Perfetto);
    output.write(|mut out| export(run, form, arrows, &mut out))
}

impl ViewerTrack {
    /// The name of the track.
    fn name(self, run: &RecordedRun) -> String {
        match self {
            ViewerTrack::Thread(owner) => run
                .threads
                .get(&owner)
                .map_or(String::new(), |thread| thread.name.clone()),
            ViewerTrack::Kernels(_, lane) => format!("kernels, queue {lane}"),
            ViewerTrack::In(_) => "copies in".to_string(),
            ViewerTrack::Out(_) => "copies out".to_string(),
        }
    }

    /// The place of the device that the track belongs to. None for a thread.
    fn place(self) -> Option<u8> {
        match self {
            ViewerTrack::Thread(_) => None,
            ViewerTrack::Kernels(place, _) | ViewerTrack::In(place) | ViewerTrack::Out(place) => {
                Some(place)
            }
        }
    }
}

impl SliceContent {
    /// The name of the slice.
    fn name(self, run: &RecordedRun) -> &str {
        match self {
            SliceContent::Edt(edt) => run.template_name(&run.edts[edt as usize]),
            SliceContent::Copy(copy) if run.copies[copy as usize].to_device => "copy in",
            SliceContent::Copy(_) => "copy out",
        }
    }

    /// The label that the program has given the EDT, or the block of the copy. None without a label.
    fn label(self, run: &RecordedRun) -> Option<&str> {
        let object = match self {
            SliceContent::Edt(edt) => run.edts[edt as usize].guid,
            SliceContent::Copy(copy) => run.copies[copy as usize].block,
        };
        run.labels.get(&object).map(String::as_str)
    }

    /// The details that a viewer shows of the slice: names and numbers.
    fn details(self, run: &RecordedRun) -> Vec<(&'static str, u64)> {
        match self {
            SliceContent::Edt(edt) => {
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
            SliceContent::Copy(copy) => {
                let copy = &run.copies[copy as usize];
                vec![("block", copy.block), ("bytes", copy.bytes)]
            }
        }
    }
}

impl<'a> Picture<'a> {
    /// The picture of a run with at most `arrows` arrows, and how much is in it. Of the arrows to an EDT, the one for
    /// the dependence that was satisfied last comes first, since it says why the EDT was not ready before. Then come
    /// the others, in the order in which they were recorded.
    fn new(run: &'a RecordedRun, arrows: usize) -> (Picture<'a>, Exported) {
        let mut tracks: BTreeMap<ViewerTrack, Vec<Slice>> = BTreeMap::new();
        let mut add = |lane, begin, end, what| {
            let slice = Slice { begin, end, what };
            tracks.entry(lane).or_default().push(slice);
        };
        for (number, edt) in run.edts.iter().enumerate() {
            if edt.begin == NEVER {
                continue;
            }
            // An EDT that has not ended lasts to the end of the recording.
            let end = if edt.end == NEVER { run.end } else { edt.end };
            let lane = match edt.place {
                0 => ViewerTrack::Thread(edt.lane),
                place => ViewerTrack::Kernels(place, edt.lane),
            };
            add(lane, edt.begin, end, SliceContent::Edt(number as u32));
        }
        for (number, copy) in run.copies.iter().enumerate() {
            let lane = if copy.to_device {
                ViewerTrack::In(copy.place)
            } else {
                ViewerTrack::Out(copy.place)
            };
            add(
                lane,
                copy.begin,
                copy.end,
                SliceContent::Copy(number as u32),
            );
        }
        // A worker that has run nothing has a track, too, so that it is seen to be idle.
        for (&owner, _) in run.threads.iter().filter(|(_, thread)| thread.is_worker) {
            tracks.entry(ViewerTrack::Thread(owner)).or_default();
        }
        let mut exported = Exported::default();
        for slices in tracks.values_mut() {
            slices.sort_by_key(|slice| (slice.begin, slice.end));
            let mut last = 0;
            for slice in slices.iter_mut() {
                // Slices may overlap a little, since the times of a device are brought to another clock, and rounded.
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

/// The arrows of a run, at most `most`; counts them in `exported`, and those that are left out.
fn draw_arrows(run: &RecordedRun, most: usize, exported: &mut Exported) -> Arrows {
    let mut arrows = Arrows::default();
    // For each EDT, the last of the edges that lead to it. Edges are recorded in the order of time.
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

/// The series of all counters of a run, and one of how many workers had no EDT.
fn counters(run: &RecordedRun) -> Vec<Series> {
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
        // If there are several changes at one time, only the last one gives a sample.
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

/// The name of a counter of a place, by its number (`trace::format::Counter`).
fn counter_name(run: &RecordedRun, counter: u8, place: u8) -> String {
    match counter {
        1 => "ready EDTs".to_string(),
        2 => format!("launches, {}", run.place_name(place)),
        3 => format!("bytes, {}", run.place_name(place)),
        other => format!("counter {other}, {}", run.place_name(place)),
    }
}

/// Writes a run for viewers in a form, with at most `arrows` arrows.
///
/// # Errors
/// An error of `out`.
pub fn export(
    run: &RecordedRun,
    form: ViewerForm,
    arrows: usize,
    out: &mut impl Write,
) -> io::Result<Exported> {
    let (picture, exported) = Picture::new(run, arrows);
    match form {
        ViewerForm::Perfetto => perfetto::write(&picture, out)?,
        ViewerForm::Json => json::write(&picture, out)?,
    }
    out.flush()?;
    Ok(exported)
}
