//! What runs have learned, as JSON. `docs/guide/src/json.md` describes the members.

use crate::models::entries::{direction, matches, shows_copies};
use crate::output;
use ocr_base::text::Readable;
use ocr_place::model::{Content, CopyEntry, ModelEntry, Store, ToldBy, today};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The answer where no models are kept, for the reason `why`.
pub(crate) fn none(why: &str) -> String {
    let value = json!({ "directory": null, "why": why, "places": [] });
    output::json(&value)
}

/// The answer of `ocr models list --json`.
pub(crate) fn list<'a>(store: &Store, contents: impl Iterator<Item = &'a Content>) -> String {
    let places = contents.map(|content| {
        let keys: BTreeSet<_> = content.entries.iter().map(|entry| &entry.key).collect();
        let programs: BTreeSet<_> = keys.iter().map(|key| &key.program).collect();
        let days = content.entries.iter().map(|entry| entry.day);
        let last = days.chain(content.copies.iter().map(|copy| copy.day)).max();
        json!({
            "place": content.place,
            "programs": programs.len(),
            "variants": keys.len(),
            "sizes": content.entries.len(),
            "days_ago": last.map(days_ago),
        })
    });
    answer(store, places.collect())
}

/// The answer of `ocr models show --json`, with the entries that the filter matches.
pub(crate) fn show<'a>(store: &Store, contents: impl Iterator<Item = &'a Content>, filter: Option<&str>) -> String {
    let places = contents.filter_map(|content| {
        let entries = content.entries.iter();
        let mut entries: Vec<&ModelEntry> = entries.filter(|e| matches(content, e, filter)).collect();
        entries.sort_by_key(|entry| (&entry.key, entry.bytes, entry.told_by));
        let entries: Vec<Value> = entries.into_iter().map(entry).collect();
        let copies = content.copies.iter().filter(|_| shows_copies(content, filter));
        let copies: Vec<Value> = copies.map(copy).collect();
        let is_some = !entries.is_empty() || !copies.is_empty();
        is_some.then(|| json!({ "place": content.place, "entries": entries, "copies": copies }))
    });
    answer(store, places.collect())
}

fn answer(store: &Store, places: Vec<Value>) -> String {
    let directory = Readable::path(store.directory()).to_string();
    let value = json!({ "directory": directory, "why": null, "places": places });
    output::json(&value)
}

fn entry(entry: &ModelEntry) -> Value {
    json!({
        "program": entry.key.program,
        "template": entry.key.template,
        "variant": entry.key.variant,
        "bytes": entry.bytes,
        "only_parameters": match entry.told_by {
            ToldBy::Only(params) => json!(params.values()),
            _ => Value::Null,
        },
        "parameter": match entry.told_by {
            ToldBy::Param { index, value } => json!({ "index": index, "value": value }),
            _ => Value::Null,
        },
        "alone_ns": entry.times.alone,
        "beside_others_ns": entry.times.beside,
        "first_ns": entry.times.first,
        "samples": entry.samples(),
        "days_ago": days_ago(entry.day),
    })
}

fn copy(copy: &CopyEntry) -> Value {
    json!({
        "direction": direction(copy),
        "latency_ns": copy.samples.latency_ns,
        "ps_per_kib": copy.samples.ps_per_kib,
        "days_ago": days_ago(copy.day),
    })
}

fn days_ago(day: u64) -> u64 {
    today().saturating_sub(day)
}
