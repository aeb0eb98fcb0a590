//! `ocr explain`: what it says of recorded runs. What is compared does not depend on the clock.

#[path = "../../../tests/support/mod.rs"]
mod support;

use serde_json::Value;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command in the folder of the sources, with no settings of the runtime but those that are added.
fn command(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"OCR_") {
            command.env_remove(name);
        }
    }
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    command
}

/// The recording of a run of `benches/c/variants.c`, which has EDTs of a function and a kernel.
fn record(name: &str, settings: &[(&str, &str)]) -> PathBuf {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("target/explain-tests").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target/ can be written");
    let (program, file) = (folder.join("variants"), folder.join("run.trace"));
    let built = support::compiler("CC", "cc")
        .args(["-std=gnu11", "-O2", "-Iinclude", "-o"])
        .arg(&program)
        .args(["benches/c/variants.c", "build/lib/libocr.a"])
        .args(["-lpthread", "-lm", "-ldl"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
        .status();
    assert!(built.expect("there is a C compiler").success());
    let mut run = command(program);
    run.args(["independent", "64", "200000", "200000", "2"]).env("OCR_TRACE", &file).env("OCR_MODELS", "off");
    let output = run.envs(settings.iter().copied()).output();
    let output = output.expect("it can be started");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    file
}

/// What `ocr explain` says: its status, its answer, and errors.
fn explain(file: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut ocr = command(env!("CARGO_BIN_EXE_ocr"));
    let output = ocr.arg("explain").arg(file).args(arguments).output();
    let output = output.expect("it can be started");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("it exits");
    (status, text(output.stdout), text(output.stderr))
}

fn says(file: &Path, arguments: &[&str], sentences: &[&str]) {
    let (status, text, errors) = explain(file, arguments);
    assert_eq!(status, 0, "{errors}");
    // Lines are broken where they are full.
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for sentence in sentences {
        assert!(text.contains(sentence), "no `{sentence}` in\n{text}");
    }
}

/// The JSON that it writes.
fn json(file: &Path, arguments: &[&str]) -> Value {
    let (status, text, errors) = explain(file, &[arguments, &["--json"]].concat());
    assert_eq!(status, 0, "{errors}");
    serde_json::from_str(&text).expect("JSON")
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The sum of a number over a list.
fn sum(of: &Value, name: &str) -> u64 {
    list(of).iter().map(|one| number(&one[name])).sum()
}

#[test]
fn a_run_on_workers_alone_is_explained() {
    let settings = [("OCR_DEVICES", "none"), ("OCR_WORKERS", "1")];
    let file = record("host", &settings);
    says(&file, &[], &["What to change", "No EDT could run in more than one place", "policy eft"]);
    let run = &json(&file, &[])["run"];
    assert!(number(&run["edts"]) > 128 && number(&run["with_choice"]) == 0, "{run:#}");
    says(&file, &["compute"], &["Template compute: 128 EDTs, 128 of them ended", "workers"]);
    says(
        &file,
        &["compute#128"],
        &["(compute)", "It was created at", "It could run in one place only", "It ran on workers"],
    );
    for (word, why) in [
        ("compute#129", "compute has 128 EDTs"),
        ("compte", "there is \"compute\""),
        ("0x1", "the recording has no EDT 0x1"),
    ] {
        let (status, text, errors) = explain(&file, &[word]);
        assert!(status == 1 && text.is_empty() && errors.contains(why), "{errors}");
    }
}

#[test]
fn a_run_with_kernels_is_explained() {
    if support::is_without_opencl() {
        return;
    }
    let settings =
        [("OCR_DEVICES", "all"), ("OCR_WORKERS", "1"), ("POCL_MAX_PTHREAD_COUNT", "1"), ("OCR_SCHED", "eft")];
    let file = record("kernels", &settings);
    let run = &json(&file, &[])["run"];
    assert_eq!(number(&run["with_choice"]), 128, "{run:#}");
    assert_eq!(sum(&run["causes"], "count"), number(&run["costly"]));
    let listed = list(&json(&file, &["--decisions", "1000"])["run"]["decisions"]).len() as u64;
    assert_eq!(listed, number(&run["costly"]));
    assert!(list(&run["decisions"]).len() <= 10);
    for one in list(&run["decisions"]) {
        let cost = number(&one["end_ns"]) - number(&one["better_end_ns"]);
        assert_eq!(cost, number(&one["cost_ns"]), "{one:#}");
        assert_ne!(one["cause"], "no_estimate", "{one:#}");
    }
    says(&file, &[], &["What to change", "128 could run in more than one place"]);
    is_template_whole(&file);
    // What was considered for each EDT, and what came true.
    for at in [1, 2, 64, 128] {
        let subject = format!("compute#{at}");
        let edt = &json(&file, &[&subject])["edt"];
        let choices = list(&edt["choices"]);
        let last = choices.last().unwrap_or_else(|| panic!("no choice of {edt:#}"));
        assert_eq!(list(&last["considered"]).len(), 2, "{edt:#}");
        let truth = &edt["truth"];
        assert_eq!(last["chosen"], truth["place"], "{edt:#}");
        let [decided, begin, end] = ["decided_ns", "begin_ns", "end_ns"].map(|name| number(&truth[name]));
        assert_eq!(number(&truth["wait_ns"]), begin - decided);
        assert_eq!(number(&truth["run_ns"]), end - begin);
        assert!(number(&last["at_ns"]) >= decided);
        let after = number(&edt["after"]["at_ns"]);
        assert!(after <= number(&edt["runnable_ns"]), "{edt:#}");
        let guid = edt["guid"].as_str().expect("a GUID");
        assert_eq!(&json(&file, &[guid])["edt"], edt);
        says(&file, &[&subject], &["queue", "copies", "It ran on", "Seen from behind"]);
    }
}

/// The EDTs of the template are in one place or the other, and each prediction has an error.
fn is_template_whole(file: &Path) {
    let answer = json(file, &["compute"]);
    let template = &answer["templates"][0];
    assert_eq!(number(&template["created"]), 128);
    assert_eq!(sum(&template["places"], "edts"), number(&template["ended"]));
    for place in list(&template["places"]) {
        assert_eq!(place["variant"], true, "{place:#}");
        let predictions = &place["predictions"];
        if !predictions.is_null() {
            let errors: u64 = list(&predictions["errors"]).iter().map(number).sum();
            assert_eq!(errors, number(&predictions["count"]));
            assert!(errors <= number(&place["edts"]));
        }
    }
    says(file, &["compute"], &["Template compute: 128 EDTs", "were off"]);
}

#[test]
fn what_is_no_whole_recording_is_told() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for (name, why) in [("Cargo.toml", "is no recording of a run"), ("nowhere", "nowhere"), ("src", "is a folder")] {
        let (status, text, errors) = explain(&root.join(name), &[]);
        assert!(status == 1 && text.is_empty() && errors.contains(why), "{errors}");
    }
    let (status, _, errors) = explain(&root.join("Cargo.toml"), &["--decisions", "many"]);
    assert!(status == 2 && errors.contains("many"), "{errors}");
    let settings = [("OCR_DEVICES", "none"), ("OCR_WORKERS", "1")];
    let file = record("damaged", &settings);
    let whole = fs::read(&file).expect("it is there");
    let damaged = |name: &str, bytes: &[u8]| {
        let path = file.with_file_name(name);
        fs::write(&path, bytes).expect("target/ can be written");
        explain(&path, &[])
    };
    let (status, _, errors) = damaged("head.trace", &whole[..1000]);
    assert!(status == 1 && errors.contains("is cut off within its head"), "{errors}");
    let head = u32::from_le_bytes(whole[12..16].try_into().expect("four bytes"));
    let mut other = whole.clone();
    other[8] = 99;
    let (status, _, errors) = damaged("version.trace", &other);
    assert!(status == 1 && errors.contains("recording of version 99"), "{errors}");
    let (status, _, errors) = damaged("empty.trace", &whole[..head as usize]);
    assert!(status == 1 && errors.contains("no EDT has ended"), "{errors}");
    // What is there of a run that was killed is explained, and that is said.
    let mut killed = whole.clone();
    killed[88..96].fill(0);
    let (status, text, errors) = damaged("killed.trace", &killed);
    assert!(status == 0 && text.contains("Note: the run has no end"), "{text}{errors}");
}
