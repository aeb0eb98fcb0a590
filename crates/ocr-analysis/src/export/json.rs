//! A run as `traceEvents` of JSON, which `chrome://tracing` and speedscope read.
//!
//! Speedscope takes slices for those of one function where their names are alike and their `args` too. So slices have
//! no `args`, and what is known of an EDT or a copy stands in `details`, which viewers pass over. Speedscope takes a
//! file only where each event has a time, the names of tracks too.

use super::Picture;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// Nanoseconds as microseconds, the unit of the format.
fn us(ns: u64) -> f64 {
    ns as f64 / 1e3
}

/// The length of a slice in microseconds, less half a nanosecond. Viewers add the length to the begin, which some have
/// moved to the begin of the recording. Without the difference, rounding would let a slice seem to end behind the begin
/// of the next one, which would then be drawn inside it.
pub(super) fn length(begin: u64, end: u64) -> f64 {
    ((end - begin) as f64 - 0.5).max(0.0) / 1e3
}

/// Writes a picture as JSON. The error is that of `out`.
pub(super) fn write(picture: &Picture<'_>, out: &mut impl Write) -> io::Result<()> {
    let run = picture.run;
    let pid = run.process;
    let mut is_first = true;
    let mut event = |out: &mut dyn Write, event: Value| {
        let before = if std::mem::take(&mut is_first) { "\n" } else { ",\n" };
        write!(out, "{before}{event}")
    };
    write!(out, "{{\"displayTimeUnit\": \"ns\", \"traceEvents\": [")?;
    let program = run.about.get("program").map_or("program", String::as_str);
    let named = json!({"ph": "M", "name": "process_name", "pid": pid, "ts": 0, "args": {"name": program}});
    event(out, named)?;
    // By that another run finds out whose file this is.
    let labels = json!({"ph": "M", "name": "process_labels", "pid": pid, "ts": 0, "args": {"labels": run.identity}});
    event(out, labels)?;
    for (tid, (lane, slices)) in picture.tracks.iter().enumerate() {
        let tid = tid + 1;
        let name = match lane.place() {
            None => lane.name(run),
            Some(place) => format!("{}: {}", run.place_name(place), lane.name(run)),
        };
        let named = json!({"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "ts": 0, "args": {"name": name}});
        event(out, named)?;
        for slice in slices {
            let details = slice.what.details(run).into_iter();
            let mut about: Map<String, Value> = details
                .map(|(name, value)| match name {
                    "guid" | "block" => (name.to_string(), format!("0x{value:x}").into()),
                    name => (name.to_string(), value.into()),
                })
                .collect();
            if let Some(label) = slice.what.label(run) {
                about.insert("label".to_string(), label.into());
            }
            let (ts, dur) = (us(slice.begin), length(slice.begin, slice.end));
            let name = slice.what.name(run);
            event(
                out,
                json!({"ph": "X", "name": name, "pid": pid, "tid": tid, "ts": ts, "dur": dur, "details": about}),
            )?;
            // The format has no reference from an arrow to its slice: the arrow's time must lie within the slice.
            for &id in picture.arrows.from(slice) {
                event(
                    out,
                    json!({"ph": "s", "name": "dependence", "cat": "dependence", "id": id, "pid": pid, "tid": tid, "ts": ts}),
                )?;
            }
            for &id in picture.arrows.to(slice) {
                event(
                    out,
                    json!({"ph": "f", "bp": "e", "name": "dependence", "cat": "dependence", "id": id, "pid": pid, "tid": tid, "ts": ts}),
                )?;
            }
        }
    }
    for counter in &picture.counters {
        let name = &counter.name;
        for &(at, value) in &counter.samples {
            event(out, json!({"ph": "C", "name": name, "pid": pid, "ts": us(at), "args": {"value": value}}))?;
        }
    }
    write!(out, "\n]}}\n")
}
