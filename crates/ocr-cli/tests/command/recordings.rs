//! `ocr compare` with two recordings in place of a program.

use super::{ocr, planted};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// Records a run of the planted program with an argument more or less, and returns the name of the recording.
fn record(program: &str, name: &str, args: &[&str]) -> String {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("compared-{name}.ocrtrace"));
    let _ = fs::remove_file(&file);
    let run = Command::new(program)
        .args(args)
        .env("OCR_TRACE", &file)
        .envs([("OCR_WORKERS", "2"), ("OCR_DEVICES", "none"), ("OCR_MODELS", "off")])
        .status();
    assert!(run.expect("it can be started").success());
    file.display().to_string()
}

#[test]
fn two_recordings_are_shown_side_by_side() {
    let program = planted("recordings");
    let before = record(&program, "before", &["sleeps"]);
    let after = record(&program, "after", &["sleeps", "control"]);
    let page = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compared.html");
    let html = format!("--html={}", page.display());
    let answer = ocr(&["compare", &html, &before, &after], &[])
        .is(0, &["From the first EDT's begin", "It is one run of each", "Bound of ", "Different program:"]);
    let row = answer.stdout.lines().find(|line| line.starts_with("sleepEdt"));
    assert!(row.is_some_and(|row| row.contains("workers")), "{}", answer.stdout);
    let text = fs::read_to_string(&page).expect("the page is there");
    assert!(text.contains("compared-before") && text.contains("compared-after"));
    let answer = ocr(&["compare", "--json", &before, &after], &[]).is(0, &[]);
    let json: serde_json::Value = serde_json::from_str(&answer.stdout).expect("JSON");
    super::json::has_members(&json, "`ocr compare --json` of two recordings");
    assert_eq!(json["files"], serde_json::json!([before, after]));
    let templates = json["templates"].as_array().expect("rows");
    let sleeps = templates.iter().find(|row| row["template"] == "sleepEdt");
    let edts = &sleeps.expect("a row")["before"]["edts"];
    assert!(edts.as_u64() > Some(1), "{json:#}");
    // Which causes there are depends on the machine. Each that `ocr explain` finds stands on the side of its run, and
    // words say whether it is gone or new.
    let causes = json["causes"].as_array().expect("causes");
    for (side, file, word) in [("before", &before, "gone: "), ("after", &after, "new: ")] {
        let found = ocr(&["explain", "--json", file], &[]).is(0, &[]).stdout;
        let found: serde_json::Value = serde_json::from_str(&found).expect("JSON");
        let found = found["run"]["findings"].as_array().expect("findings");
        let here = causes.iter().filter(|cause| !cause[side].is_null());
        assert_eq!(here.count(), found.len(), "{json:#}");
        let other = if side == "before" { "after" } else { "before" };
        let alone = causes.iter().filter(|cause| cause[other].is_null()).count();
        assert_eq!(answer_text(&before, &after).matches(word).count(), alone);
        for finding in found {
            assert!(causes.iter().any(|cause| cause[side]["text"] == finding["text"]), "{finding}");
        }
    }
    // The same one twice.
    ocr(&["compare", &before, &before], &[]).is(0, &[]).has(&["The times hardly differ"]);
}

/// The comparison of two recordings as text.
fn answer_text(before: &str, after: &str) -> String {
    ocr(&["compare", before, after], &[]).is(0, &[]).stdout
}

#[test]
fn what_is_no_pair_of_recordings_is_refused() {
    let program = planted("no-pair");
    let one = record(&program, "one", &["alone"]);
    for (args, says) in [
        (&[&*one][..], "is a recording: name another one beside it"),
        (&[&one, "/bin/true"], "is a recording, and /bin/true is none"),
        (&[&one, "/nonexistent"], "is a recording, and /nonexistent is none"),
        (&[&one, &one, &one], "two recordings are compared, and no more"),
    ] {
        ocr(&[&["compare"], args].concat(), &[]).is(2, &[]).says(&[says]);
    }
    // One that is cut in the head of its records, and one of another version.
    let damaged = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("compared-damaged.ocrtrace");
    fs::write(&damaged, &fs::read(&one).expect("it is there")[..40]).expect("target/ can be written");
    let damaged = damaged.display().to_string();
    ocr(&["compare", &one, &damaged], &[]).is(1, &[]).says(&["compared-damaged"]);
    // A program may have a recording as its argument.
    let hello = super::script("takes-recordings", "report 1");
    ocr(&["compare", "--policies=cpu", "--runs=1", &hello, &one, &one], &[]).is(0, &["Only cpu was run"]);
}
