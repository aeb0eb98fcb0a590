//! `ocr check`: pairs of EDTs that nothing orders are found in runs of one worker, and in right programs there are
//! none.

#[path = "../../../tests/support/mod.rs"]
mod support;

use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// The programs of `crates/ocr-cli/tests/check/pairs.c` with a race, and what that is.
const RACES: [(&str, &str); 21] = [
    ("writers", "write-write"),
    ("reader", "read-write"),
    ("default-mode", "read-write"),
    ("exclusive-reader", "read-write"),
    ("parts", "write-write"),
    ("destroyed", "block-use-destroy"),
    ("destroyed-event", "event-satisfy-destroy"),
    ("late", "read-write"),
    ("midst", "read-write"),
    ("wavefront", "read-write"),
    ("channel", "read-write"),
    ("latch", "latch-increment-decrement"),
    ("finish", "read-write"),
    ("label", "read-write"),
    ("once", "event-connect-trigger"),
    ("held", "read-write"),
    ("returned", "read-write"),
    ("event-again", "read-write"),
    ("output-again", "read-write"),
    ("channel-refused", "read-write"),
    ("by-value", "read-write"),
];

/// The folder of these tests, with the programs.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let folder = root.join("target/check-tests");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("target/ can be written");
        let built = support::compiler("CC", "cc")
            .args(["-std=gnu11", "-Wall", "-Werror", "-Iinclude", "-o"])
            .arg(folder.join("pairs"))
            .args(["crates/ocr-cli/tests/check/pairs.c", "build/lib/libocr.a"])
            .args(["-lpthread", "-lm", "-ldl"])
            .current_dir(root)
            .status();
        assert!(built.expect("there is a C compiler").success());
        folder
    })
}

/// A command without settings of the user.
fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"OCR_") {
            command.env_remove(name);
        }
    }
    command
}

/// The recording of a run of a program.
fn recorded(name: &str, how: &str, workers: u32) -> PathBuf {
    let file = folder().join(format!("{name}-{how}-{workers}.trace"));
    let output = command(folder().join("pairs"))
        .args([name, how])
        .env("OCR_TRACE", &file)
        .env("OCR_WORKERS", workers.to_string())
        .env("OCR_DEVICES", "none")
        .env("OCR_MODELS", "off")
        .output()
        .expect("it can be started");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name} {how}: {said}");
    file
}

/// The status of `ocr check`, and its answer.
fn check(file: &Path, options: &[&str]) -> (i32, String) {
    let mut ocr = command(env!("CARGO_BIN_EXE_ocr"));
    let output = ocr.arg("check").args(options).arg(file).output();
    let output = output.expect("it can be started");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    (output.status.code().expect("it exits"), text)
}

#[test]
fn each_planted_race_is_found_on_one_worker() {
    for (name, rule) in RACES {
        let file = recorded(name, "wrong", 1);
        let (status, json) = check(&file, &["--json"]);
        assert_eq!(status, 1, "{name}: {json}");
        let found: Value = serde_json::from_str(&json).expect("JSON");
        let findings = found["findings"].as_array().expect("a list");
        let is_it = |one: &Value| one["kind"] == "race" && one["rule"] == rule;
        assert!(findings.iter().any(is_it), "{name}: {json}");
        assert!(findings.iter().all(is_it), "{name} has others: {json}");
        let (_, text) = check(&file, &[]);
        for part in ["race: ", "nothing orders them", "EDT 0x"] {
            assert!(text.contains(part), "{name}: no `{part}` in {text}");
        }
    }
}

#[test]
fn programs_that_differ_in_one_edge_have_none() {
    for workers in [1, 2] {
        for (name, _) in RACES {
            let (status, text) = check(&recorded(name, "right", workers), &[]);
            assert_eq!(status, 0, "{name} with {workers} workers: {text}");
            let silent = text.contains("all that matters is ordered by the program");
            assert!(silent, "{name} with {workers} workers: {text}");
        }
    }
}

#[test]
fn the_order_of_two_in_mode_ew_is_no_race() {
    let file = recorded("sum", "wrong", 1);
    let (status, text) = check(&file, &[]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("order not determined: EDT 0x"), "{text}");
    let (status, text) = check(&file, &["--races"]);
    assert_eq!(status, 0, "{text}");
    assert!(!text.contains("order not determined"), "{text}");
}

/// To look at what it has given away at each of its calls would have such an EDT take several times as long in a
/// recording.
#[test]
fn what_an_edt_has_given_away_is_looked_at_for_a_bounded_number_of_calls() {
    let (status, text) = check(&recorded("late-by-much", "wrong", 1), &[]);
    assert_eq!(status, 0, "{text}");
    assert!(text.contains("all that matters is ordered by the program"), "{text}");
}

#[test]
fn a_block_that_is_written_when_it_was_passed_on_has_advice_of_its_own() {
    let (_, text) = check(&recorded("late", "wrong", 1), &[]);
    let advice = "writes it after that: write first, then release the block, then pass it on.";
    assert!(text.contains(advice), "{text}");
}
