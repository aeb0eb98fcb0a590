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
use std::collections::BTreeMap;
use std::io::{self, Write};

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
#[derive(Clone, Debug, PartialEq)]
struct Slice {
    begin: u64,
    end: u64,
    what: What,
    /// Numbers of the arrows that begin here, and of those that end here.
    from: Vec<u64>,
    to: Vec<u64>,
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
            let slice = Slice {
                begin,
                end,
                what,
                from: Vec::new(),
                to: Vec::new(),
            };
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
        let mut exported = Exported::default();
        let mut drawn = vec![None; run.edts.len()];
        for (lane, slices) in &mut tracks {
            slices.sort_by_key(|slice| (slice.begin, slice.end));
            let mut last = 0;
            for (at, slice) in slices.iter_mut().enumerate() {
                // Times of a device are brought to another clock, and rounded.
                slice.begin = slice.begin.max(last);
                slice.end = slice.end.max(slice.begin);
                last = slice.end;
                exported.slices += 1;
                if let What::Edt(edt) = slice.what {
                    drawn[edt as usize] = Some((*lane, at));
                }
            }
        }
        let mut picture = Picture { run, tracks };
        picture.draw_arrows(&drawn, arrows, &mut exported);
        (picture, exported)
    }

    fn draw_arrows(
        &mut self,
        drawn: &[Option<(Lane, usize)>],
        arrows: usize,
        exported: &mut Exported,
    ) {
        let run = self.run;
        // For each EDT the last of the edges to it, which are recorded in the order of time.
        let mut latest = vec![u32::MAX; run.edts.len()];
        for (number, edge) in run.edges.iter().enumerate() {
            latest[edge.to as usize] = number as u32;
        }
        for is_first in [true, false] {
            for (number, edge) in run.edges.iter().enumerate() {
                if (latest[edge.to as usize] == number as u32) != is_first {
                    continue;
                }
                let ends = drawn[edge.from as usize].zip(drawn[edge.to as usize]);
                let Some((from, to)) = ends else { continue };
                if exported.arrows == arrows as u64 {
                    exported.left_out += 1;
                    continue;
                }
                exported.arrows += 1;
                let id = number as u64 + 1;
                for ((lane, at), begins) in [(from, true), (to, false)] {
                    let slice = self
                        .tracks
                        .get_mut(&lane)
                        .and_then(|slices| slices.get_mut(at));
                    if let Some(slice) = slice {
                        let list = if begins {
                            &mut slice.from
                        } else {
                            &mut slice.to
                        };
                        list.push(id);
                    }
                }
            }
        }
    }
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
