//! What each report says as JSON: that it can be read, and has what `docs/guide/src/json.md` says.

use super::{NO_LIBRARY, example, has_device, ocr, root};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The names of the members of the first table under a heading of `docs/guide/src/json.md`.
fn documented(heading: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join("docs/guide/src/json.md")).expect("it is there");
    let section = text.split("\n## ").find(|part| part.starts_with(heading));
    let section = section.unwrap_or_else(|| panic!("docs/guide/src/json.md has no section {heading}"));
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next()).map(String::from).collect()
}

/// Checks that the members are those that are documented; `schema`, which every answer has, is not in the tables.
pub(super) fn has_members(value: &Value, heading: &str) {
    let members = value.as_object().expect("an object").keys().cloned();
    let mut members: BTreeSet<String> = members.collect();
    assert!(members.remove("schema") && value["schema"] == 1, "{heading}");
    assert_eq!(members, documented(heading), "{heading}");
}

#[test]
fn info_is_json() {
    let answer = parse(&ocr(&["info", "--json"], &[("OCR_WORKERS", "3")]).is(0, &[]).stdout);
    has_members(&answer, "`ocr info --json`");
    assert_eq!(answer["workers"], 3);
    let settings = answer["settings"].as_array().expect("all settings");
    let workers = settings.iter().find(|one| one["name"] == "workers");
    assert_eq!(workers.expect("it is one")["origin"], "$OCR_WORKERS");
    let policies = answer["policies"].as_array().expect("all policies");
    assert!(policies.iter().any(|one| one["default"] == true));
    let none = parse(&ocr(&["info", "--json"], NO_LIBRARY).is(0, &[]).stdout);
    assert_eq!(none["devices"]["found"], serde_json::json!([]));
    assert!(none["devices"]["absence"].is_string());
    if has_device() {
        let all = ocr(&["info", "--json"], &[("OCR_DEVICES", "all")]).is(0, &[]);
        let device = &parse(&all.stdout)["devices"]["found"][0];
        assert_eq!((&device["index"], &device["used_for"]), (&0.into(), &"all kernels".into()));
    }
    ocr(&["info", "--json", "--short"], &[]).is(2, &[]);
}

#[test]
fn models_are_json() {
    let off = parse(&ocr(&["models", "--json"], &[]).is(0, &[]).stdout);
    has_members(&off, "`ocr models --json`");
    assert!(off["directory"].is_null() && off["why"].is_string());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("command-models-json");
    let _ = fs::remove_dir_all(&folder);
    let place = folder.display().to_string();
    let settings = [("OCR_MODELS", &*place)];
    let empty = parse(&ocr(&["models", "list", "--json"], &settings).is(0, &[]).stdout);
    assert_eq!(empty["places"], serde_json::json!([]));
    if !has_device() {
        return;
    }
    let levenshtein = example("levenshtein");
    let run = Command::new(&levenshtein)
        .args(["--random", "3000", "--tile", "256"])
        .env("OCR_MODELS", &folder)
        .env("OCR_DEVICES", "all")
        .env("OCR_SCHED", "static:1:1")
        .output();
    assert!(run.expect("it can be started").status.success());
    let list = parse(&ocr(&["models", "--json"], &settings).is(0, &[]).stdout);
    assert!(list["places"][0]["sizes"].as_u64() > Some(0), "{list:#}");
    let show = ["models", "show", "tileBits", "--json"];
    let show = parse(&ocr(&show, &settings).is(0, &[]).stdout);
    let entry = &show["places"][0]["entries"][0];
    let template = entry["template"].as_str().expect("a name");
    assert!(template.starts_with("tileBits"), "{show:#}");
    assert!(entry["samples"].as_u64() > Some(0), "{show:#}");
    let none = ["models", "show", "nothing", "--json"];
    let none = parse(&ocr(&none, &settings).is(0, &[]).stdout);
    assert_eq!(none["places"], serde_json::json!([]));
}

#[test]
fn recordings_are_json() {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("command-json.trace");
    let run = Command::new(example("hello")).env("OCR_TRACE", &file).env("OCR_MODELS", "off").output();
    assert!(run.expect("it can be started").status.success());
    let name = file.display().to_string();
    let check = parse(&ocr(&["trace", "check", "--json", &name], &[]).is(0, &[]).stdout);
    has_members(&check, "`ocr trace check --json`");
    assert_eq!((&check["whole"], &check["wrong"]), (&true.into(), &serde_json::json!([])));
    let show = parse(&ocr(&["trace", "show", "--json", &name], &[]).is(0, &[]).stdout);
    has_members(&show, "`ocr trace show --json`");
    assert_eq!(show["edts"]["created"], check["edts"]);
    assert_eq!(show["status"], 0);
    assert!(show["templates"][0]["seconds"].as_f64() > Some(0.0), "{show:#}");
    let checked = ocr(&["check", "--json", &name], &[]).is(0, &[]);
    has_members(&parse(&checked.stdout), "`ocr check --json`");
    let simulated = ocr(&["simulate", "--json", "--policy=cpu", &name], &[]).is(0, &[]);
    has_members(&parse(&simulated.stdout), "`ocr simulate --json`");
    let on_nodes = ocr(&["simulate", "--json", "--nodes=2", &name], &[]).is(0, &[]);
    has_members(&parse(&on_nodes.stdout), "`ocr simulate --nodes --json`");
    let explained = parse(&ocr(&["explain", "--json", &name], &[]).is(0, &[]).stdout);
    has_members(&explained, "`ocr explain --json`");
    assert!(explained["run"]["findings"].is_array() && explained["edt"].is_null());
    // A part of one.
    let bytes = fs::read(&file).expect("it was written");
    fs::write(&file, &bytes[..bytes.len() - 1]).expect("target/ can be written");
    let cut = ocr(&["trace", "check", "--json", &name], &[]);
    if cut.status == Some(1) && !cut.stdout.is_empty() {
        assert_eq!(parse(&cut.stdout)["whole"], false);
    }
}

#[test]
fn comparisons_and_searches_are_json() {
    let hello = example("hello");
    let compared = ["compare", "--json", "--policies=cpu", "--runs=1", "--warm-up=0", &hello];
    has_members(&parse(&ocr(&compared, &[]).is(0, &[]).stdout), "`ocr compare --json`");
    let tuned = ["tune", "--json", "--vary=workers=1,2", "--runs-budget=30", "--", &hello];
    has_members(&parse(&ocr(&tuned, &[]).is(0, &[]).stdout), "`ocr tune --json`");
}
