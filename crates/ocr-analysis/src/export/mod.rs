//! A recorded run for viewers: as Perfetto's TrackEvent protobuf, as JSON for older viewers, as a page, or as a graph.
//!
//! | file | what |
//! |---|---|
//! | `protobuf.rs` | numbers, texts and messages as Perfetto's schema has them |
//! | `perfetto.rs` | a run as packets |
//! | `json.rs` | a run as `traceEvents` |
//! | `graph.rs` | its EDTs and their dependences as a graph, in DOT or GraphML |
//!
//! A page for a browser is made by [`crate::page`]. On the timeline of the others, each thread and each lane of a
//! device is a track, on which slices follow each other and never overlap, since viewers drop slices that do. Each
//! dependence is an arrow with a number of its own, from the slice of the EDT that comes first to the slice of the
//! other one.

mod graph;
mod json;
mod perfetto;
mod protobuf;

#[cfg(test)]
mod tests;

use crate::page;
use crate::recorded::{NEVER, RecordedRun, Series};
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

/// How much was written for a viewer. All of it is 0 for a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// How many slices, or nodes of a graph, were written.
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
    /// A page for a browser.
    Html,
    /// The EDTs and their dependences in Graphviz's language.
    Dot,
    /// The EDTs and their dependences in GraphML, which editors of graphs and libraries for them read.
    GraphMl,
}

impl ViewerForm {
    /// All forms.
    pub const ALL: [ViewerForm; 5] =
        [ViewerForm::Perfetto, ViewerForm::Json, ViewerForm::Html, ViewerForm::Dot, ViewerForm::GraphMl];

    /// The end of the names of files in this form, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            ViewerForm::Perfetto => "pftrace",
            ViewerForm::Json => "json",
            ViewerForm::Html => "html",
            ViewerForm::Dot => "dot",
            ViewerForm::GraphMl => "graphml",
        }
    }

    /// The name of the form on a command line.
    pub fn name(self) -> &'static str {
        match self {
            ViewerForm::Perfetto => "perfetto",
            form => form.extension(),
        }
    }

    /// The form of a file for viewers, by the end of its name. None for other names.
    pub fn of(path: &Path) -> Option<ViewerForm> {
        let extension = path.extension()?.to_str()?;
        let mut all = ViewerForm::ALL.into_iter();
        all.find(|form| form.extension() == extension)
    }
}

/// What is appended to the name of a file for viewers to name the recording of which it is made.
const BESIDE: &str = ".recording";

/// The name of the recording of which a file for viewers is made at the end of a run.
pub fn recording_of(viewed: &Path) -> PathBuf {
    with(viewed, BESIDE)
}

/// The name of the file for viewers that is made of a recording, where the user names none. The user may ask for a
/// `form`.
pub fn file_for(recording: &Path, form: Option<ViewerForm>) -> PathBuf {
    let stem = recording.with_extension("");
    let of_stem = ViewerForm::of(&stem).filter(|_| recording_of(&stem) == recording);
    match (of_stem, form) {
        (Some(of_stem), form) if form.is_none_or(|form| form == of_stem) => stem,
        (_, form) => {
            let form = form.unwrap_or(ViewerForm::Perfetto);
            with(recording, &format!(".{}", form.extension()))
        }
    }
}

/// A path with a text behind it.
fn with(path: &Path, more: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(more);
    name.into()
}

/// Writes a run into a file for viewers, with at most `arrows` arrows. The file gets its name when it is whole. Without
/// a `form`, its name says the form, and other names are for Perfetto.
///
/// # Errors
/// An error of the system, where the file cannot be written; or a sentence, where the run has nothing to show.
pub fn write_file(
    run: &RecordedRun,
    output: &OutputFile,
    form: Option<ViewerForm>,
    arrows: usize,
) -> io::Result<Exported> {
    let form = form.or_else(|| ViewerForm::of(output.name()));
    let form = form.unwrap_or(ViewerForm::Perfetto);
    output.write(|mut out| export(run, form, arrows, &mut out))
}

impl ViewerTrack {
    /// The name of the track.
    fn name(self, run: &RecordedRun) -> String {
        match self {
            ViewerTrack::Thread(owner) => run.threads.get(&owner).map_or(String::new(), |thread| thread.name.clone()),
            ViewerTrack::Kernels(_, lane) => format!("kernels, queue {lane}"),
            ViewerTrack::In(_) => "copies in".to_string(),
            ViewerTrack::Out(_) => "copies out".to_string(),
        }
    }

    /// The place of the device that the track belongs to. None for a thread.
    fn place(self) -> Option<u8> {
        match self {
            ViewerTrack::Thread(_) => None,
            ViewerTrack::Kernels(place, _) | ViewerTrack::In(place) | ViewerTrack::Out(place) => Some(place),
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
                    ("ns from creation until runnable", waited(edt.created, edt.runnable)),
                    ("ns from runnable until begun", waited(edt.runnable, edt.begin)),
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
            let lane = if copy.to_device { ViewerTrack::In(copy.place) } else { ViewerTrack::Out(copy.place) };
            add(lane, copy.begin, copy.end, SliceContent::Copy(number as u32));
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
        let picture = Picture { run, tracks, arrows: draw_arrows(run, arrows, &mut exported), counters: run.series() };
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

/// Writes a run for viewers in a form, with at most `arrows` arrows. A graph has all of them.
///
/// # Errors
/// An error of `out`; or a sentence, where the run has nothing to show.
pub fn export(run: &RecordedRun, form: ViewerForm, arrows: usize, out: &mut impl Write) -> io::Result<Exported> {
    let (picture, exported) = match form {
        ViewerForm::Perfetto | ViewerForm::Json => Picture::new(run, arrows),
        ViewerForm::Html => {
            let page = page::of_run(run).map_err(io::Error::other)?;
            out.write_all(page.text().as_bytes())?;
            return Ok(Exported::default());
        }
        ViewerForm::Dot | ViewerForm::GraphMl => {
            return graph::write(run, form == ViewerForm::Dot, out);
        }
    };
    match form {
        ViewerForm::Json => json::write(&picture, out)?,
        _ => perfetto::write(&picture, out)?,
    }
    out.flush()?;
    Ok(exported)
}
