//! What `ocr trace` says of a recording, as JSON. `docs/guide/src/json.md` describes the members.

use crate::output;
use ocr_analysis::diagnosis::Facts;
use ocr_analysis::recorded::{Findings, NEVER, RecordedEdt, RecordedRun};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The answer of `ocr trace check --json`.
pub(crate) fn check(run: &RecordedRun, found: &Findings) -> String {
    let value = json!({
        "file": run.name,
        "records": run.records,
        "edts": run.edts.len(),
        "whole": found.cut.is_empty(),
        "wrong": found.wrong,
        "cut": found.cut,
        "left": found.left,
        "apart": found.apart,
    });
    output::json(&value)
}

/// The answer of `ocr trace show --json`.
pub(crate) fn show(run: &RecordedRun) -> String {
    let facts = Facts::of(run);
    let workers = run.threads.values().filter(|thread| thread.is_worker);
    let workers = workers.map(|thread| {
        json!({
            "name": thread.name,
            "edts": thread.edts,
            "busy_seconds": seconds(thread.busy),
            "idle_seconds": seconds(thread.idle),
        })
    });
    let devices = run.devices.iter().map(|(&place, device)| {
        json!({
            "place": place,
            "name": run.whole_name(place),
            "short_name": run.place_name(place),
            "kernels": device.kernels,
            "kernel_seconds": seconds(device.busy),
            "copies": device.copies,
            "copy_seconds": seconds(device.copying),
            "bytes_in": device.bytes_in,
            "bytes_out": device.bytes_out,
        })
    });
    let value = json!({
        "file": run.name,
        "about": run.about,
        "process": run.process,
        "nodes": run.nodes.iter().map(|node| json!({
            "node": node.number,
            "host": node.host,
            "process": node.process,
            "status": node.status,
        })).collect::<Vec<_>>(),
        "status": run.status,
        "seconds": seconds(run.end),
        "records": run.records,
        "lost": run.lost,
        "cut": run.cut,
        "wrong": run.wrong,
        "edts": {
            "created": run.edts.len(),
            "ended": run.edts.iter().filter(|edt| edt.end != NEVER).count(),
            "edges": run.edges.len(),
        },
        "blocks": {
            "created": run.blocks_created,
            "most_bytes": run.most_block_bytes,
        },
        "score": facts.as_ref().and_then(|facts| facts.score.as_ref()),
        "templates": templates(run),
        "workers": workers.collect::<Vec<_>>(),
        "devices": devices.collect::<Vec<_>>(),
        "times": facts.as_ref().map(|facts| &facts.times.places),
        "moved": facts.as_ref().map(|facts| facts.moved),
        "findings": facts.as_ref().map(|facts| &facts.findings),
    });
    output::json(&value)
}

/// How long the EDTs of each template took in each place. Those that took most in all come first.
fn templates(run: &RecordedRun) -> Vec<Value> {
    let mut times: BTreeMap<(u32, u8), (&RecordedEdt, Vec<u64>)> = BTreeMap::new();
    for edt in &run.edts {
        if let Some(time) = edt.time() {
            let place = times.entry((edt.template, edt.place));
            place.or_insert((edt, Vec::new())).1.push(time);
        }
    }
    let sum = |times: &[u64]| times.iter().fold(0u64, |all, &ns| all.saturating_add(ns));
    let mut rows: Vec<(&RecordedEdt, Vec<u64>)> = times.into_values().collect();
    rows.sort_by_key(|(_, times)| std::cmp::Reverse(sum(times)));
    let row = |(edt, mut times): (&RecordedEdt, Vec<u64>)| {
        times.sort_unstable();
        json!({
            "template": run.template_name(edt),
            "place": run.place_name(edt.place),
            "edts": times.len(),
            "median_seconds": seconds(times[times.len() / 2]),
            "seconds": seconds(sum(&times)),
        })
    };
    rows.into_iter().map(row).collect()
}

fn seconds(ns: u64) -> f64 {
    ns as f64 / 1e9
}
