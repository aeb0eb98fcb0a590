//! Recordings of runs (`docs/trace-format.md`): whole on every way out of a program, to the last record, and what
//! `ocr trace` says of them.

#[path = "../../../tests/support/mod.rs"]
mod support;

use std::ffi::OsStr;
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::OnceLock;

/// EDTs of the chain, besides the first and the last.
const CHAIN: u64 = 20_000;

/// The folder of these tests, with the program.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let folder = root.join("target/trace-tests");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("target/ can be written");
        for name in ["ends", "hands"] {
            let built = support::compiler("CC", "cc")
                .args(["-std=gnu11", "-Wall", "-Werror", "-Iinclude", "-o"])
                .arg(folder.join(name))
                .args([&format!("crates/ocr-cli/tests/trace/{name}.c"), "build/lib/libocr.a"])
                .args(["-lpthread", "-lm", "-ldl"])
                .current_dir(root)
                .status();
            assert!(built.expect("there is a C compiler").success());
        }
        folder
    })
}

/// A command with these settings and no others.
fn command(program: impl AsRef<OsStr>, settings: &[(&str, &OsStr)]) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"OCR_") {
            command.env_remove(name);
        }
    }
    command.env("OCR_WORKERS", "2").env("OCR_DEVICES", "none");
    command.envs(settings.iter().copied());
    // A process group of its own, as a shell gives each command that is typed: it takes its files' names again.
    command.process_group(0);
    command
}

/// A run that ends so: its recording, how it ended, and what it said.
fn run(how: &str, count: u64, settings: &[(&str, &OsStr)]) -> (PathBuf, ExitStatus, String) {
    let file = folder().join(format!("{how}-{count}-{}.trace", settings.len()));
    let (status, said) = run_into(&file, how, count, settings);
    (file, status, said)
}

/// The same, with a recording of this name.
fn run_into(file: &Path, how: &str, count: u64, settings: &[(&str, &OsStr)]) -> (ExitStatus, String) {
    let mut ends = command(folder().join("ends"), settings);
    ends.args([how, &count.to_string()]).env("OCR_TRACE", file);
    let output = ends.output().expect("it can be started");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status, said)
}

/// What `ocr trace` says: its status, its answer, and errors.
fn trace(what: &str, file: &Path) -> (i32, String, String) {
    let output =
        command(env!("CARGO_BIN_EXE_ocr"), &[]).args(["trace", what]).arg(file).output().expect("it can be started");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let status = output.status.code().expect("it exits");
    (status, text(output.stdout), text(output.stderr))
}

/// Checks what `ocr trace check` says of a file.
fn is_checked(file: &Path, status: i32, sentences: &[&str]) -> String {
    let (found, text, errors) = trace("check", file);
    assert_eq!(found, status, "{text}{errors}");
    assert!(!text.contains("wrong:"), "{text}");
    for sentence in sentences {
        assert!(text.contains(sentence), "no `{sentence}` in\n{text}{errors}");
    }
    text
}

#[test]
fn a_run_that_ends_by_itself_is_whole() {
    let (file, status, said) = run("shutdown", CHAIN, &[]);
    assert!(status.success(), "{said}");
    is_checked(&file, 0, &["20002 EDTs", "whole, and nothing is wrong"]);
    let (status, text, _) = trace("show", &file);
    assert_eq!(status, 0);
    for line in [
        "shutdown 20000",
        "ended with status 0",
        "20002 created, 20002 ended",
        "link_edt: 20000 EDTs on workers",
        "settings  2 workers",
        "time      2 workers: ",
        " no work (",
    ] {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
    let ocr = |words: &[&OsStr]| {
        let mut ocr = command(env!("CARGO_BIN_EXE_ocr"), &[]);
        let output = ocr.arg("trace").args(words).output();
        output.expect("it can be started").stdout
    };
    let json = ocr(&["show".as_ref(), "--json".as_ref(), file.as_ref()]);
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["times"][0]["units"], 2, "{json:#}");
    assert!(json["findings"].is_array());
    let page = file.with_extension("html");
    ocr(&["export".as_ref(), file.as_ref(), "-o".as_ref(), page.as_ref()]);
    let page = std::fs::read_to_string(&page).expect("the page is there");
    assert!(page.contains("link_edt") && page.contains("What ran where and when"));
}

#[test]
fn a_run_is_whole_to_the_last_record_on_every_way_out() {
    let last = "begun and not ended: EDT 0x";
    for (how, signal) in [("kill", libc::SIGKILL), ("crash", libc::SIGSEGV), ("abort", libc::SIGABRT)] {
        let (file, status, said) = run(how, CHAIN, &[]);
        assert_eq!(status.signal(), Some(signal), "{said}");
        let killed = "the run has no end: the process was killed, crashed, or ended by _exit";
        let text = is_checked(&file, 1, &["20002 EDTs", killed, last, "(last_edt)"]);
        assert!(!text.contains("never runnable"), "{text}");
    }
    for (how, code) in [("exit", 3), ("ocrAbort", 4)] {
        let (file, status, said) = run(how, CHAIN, &[]);
        assert_eq!(status.code(), Some(code), "{said}");
        is_checked(&file, 0, &["20002 EDTs", last]);
        let (_, text, _) = trace("show", &file);
        assert!(text.contains(&format!("ended with status {code}")), "{text}");
    }
    // What a process does that the program has forked is no part of it.
    let (file, status, said) = run("fork", 1000, &[]);
    assert_eq!(status.signal(), Some(libc::SIGKILL), "{said}");
    let text = is_checked(&file, 1, &["1002 EDTs", "the run has no end", last]);
    let (_, shown, _) = trace("show", &file);
    assert!(shown.contains("; 2 data blocks of"), "{text}{shown}");
    let (file, status, said) = run("hang", CHAIN, &[]);
    assert_eq!(status.code(), Some(1), "{said}");
    is_checked(&file, 0, &["20002 EDTs"]);
}

#[test]
fn a_run_can_be_looked_at_while_it_goes_on() {
    let file = folder().join("goes-on.trace");
    let mut ends = command(folder().join("ends"), &[("OCR_TRACE", file.as_os_str())]);
    let mut child = ends.args(["wait", "1000"]).stderr(Stdio::piped()).spawn().expect("it can be started");
    let mut said = String::new();
    let errors = child.stderr.as_mut().expect("it is a pipe");
    BufReader::new(errors).read_line(&mut said).expect("a line");
    assert_eq!(said, "at the end\n");
    let goes_on = format!("process {} goes on", child.id());
    is_checked(&file, 1, &["1002 EDTs", &goes_on, "(last_edt)"]);
    child.kill().expect("it is there");
    child.wait().expect("it is there");
    is_checked(&file, 1, &["1002 EDTs", "the run has no end"]);
}

#[test]
fn a_recording_without_room_ends_and_the_program_goes_on() {
    let file = folder().join("no-room.trace");
    // Files of this process have no more room than a thousand times 512 bytes: the head and six segments.
    let (status, said) = limited(1000, &file);
    assert!(status.success(), "{said}");
    let told = said.matches("no-room.trace has 458752 bytes and gets no more").count();
    assert_eq!(told, 1, "{said}");
    assert!(said.contains("for which there was no room"), "{said}");
    let unknown = "what was going on at the end cannot be told";
    let text = is_checked(&file, 1, &["there was no room for", unknown]);
    // What was not recorded may have been done.
    for word in ["whole", "left by the run", "not begun"] {
        assert!(!text.contains(word), "`{word}` in\n{text}");
    }
    let written = fs::metadata(&file).expect("it is there").len();
    assert_eq!(written, 458_752);
    let (_, shown, _) = trace("show", &file);
    assert!(shown.contains("partial   there was no room"), "{shown}");
}

/// A run with files of at most `blocks` times 512 bytes: how it ended, and what it said.
fn limited(blocks: u32, file: &Path) -> (ExitStatus, String) {
    let limited = format!("ulimit -f {blocks}; exec \"$@\"");
    let mut ends = command("sh", &[("OCR_TRACE", file.as_os_str())]);
    ends.args(["-c", &limited, "sh"]).arg(folder().join("ends")).args(["shutdown", &CHAIN.to_string()]);
    let output = ends.output().expect("it can be started");
    let said = String::from_utf8(output.stderr).expect("UTF-8");
    (output.status, said)
}

#[test]
fn a_recording_without_any_room_is_refused_and_leaves_nothing() {
    let file = folder().join("none").join("no-room.trace");
    fs::create_dir_all(file.parent().expect("a folder")).expect("target/ can be written");
    let (status, said) = limited(0, &file);
    assert_eq!(status.code(), Some(2), "{said}");
    assert!(said.contains("no-room.trace cannot be written"), "{said}");
    let left = fs::read_dir(folder().join("none")).expect("it is there").count();
    assert_eq!(left, 0);
}

#[test]
fn strict_mode_and_a_report_are_recorded_alike() {
    for settings in [
        &[("OCR_CHECK", OsStr::new("strict"))][..],
        &[("OCR_CHECK", OsStr::new("strict")), ("OCR_STATS", OsStr::new("1"))],
        &[("OCR_STATS", OsStr::new("1")), ("OCR_WORKERS", OsStr::new("1")), ("OCR_SCHED", OsStr::new("cpu"))],
    ] {
        let (file, status, said) = run("shutdown", 1000, settings);
        assert!(status.success(), "{said}");
        is_checked(&file, 0, &["1002 EDTs", "whole"]);
    }
}

#[test]
fn a_file_that_cannot_be_written_is_told_before_the_run() {
    for (name, why) in [("/nowhere/x.trace", "/nowhere/x.trace cannot be written"), ("/", "it is a folder")] {
        let mut ends = command(folder().join("ends"), &[("OCR_TRACE", OsStr::new(name))]);
        let output = ends.args(["shutdown", "1"]).output();
        let output = output.expect("it can be started");
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("ocr: error: ") && said.contains(why), "{said}");
        assert!(!said.contains("at the end"), "{said}");
    }
}

#[test]
fn what_is_no_recording_is_told() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for what in ["check", "show"] {
        let (status, _, errors) = trace(what, &root.join("Cargo.toml"));
        assert_eq!(status, 1);
        assert!(errors.contains("is no recording of a run"), "{errors}");
        let (status, _, errors) = trace(what, &root.join("src"));
        assert_eq!(status, 1);
        assert!(errors.contains("is a folder"), "{errors}");
    }
}

#[test]
fn each_report_as_json_says_the_version_of_its_members() {
    let (file, status, said) = run("shutdown", 50, &[]);
    assert!(status.success(), "{said}");
    let ends = folder().join("ends");
    let (file, ends) = (file.to_string_lossy(), ends.to_string_lossy());
    let own = folder().join("no-models");
    for args in [
        &["info"][..],
        &["models"],
        &["models", "list"],
        &["models", "show"],
        &["trace", "check", &file],
        &["trace", "show", &file],
        &["check", &file],
        &["explain", &file],
        &["simulate", &file],
        &["compare", "--runs=1", "--warm-up=0", "--policies=cpu", "--", &ends, "shutdown", "10"],
        &["tune", "--runs-budget=20", "--vary=workers=1,2", "--", &ends, "shutdown", "10"],
    ] {
        // Options stand before the program.
        let at = args.iter().position(|word| *word == "--").unwrap_or(args.len());
        let mut ocr = command(env!("CARGO_BIN_EXE_ocr"), &[("OCR_MODELS", own.as_os_str())]);
        ocr.args(&args[..at]).arg("--json").args(&args[at..]);
        let output = ocr.output().expect("it can be started");
        let answer: Result<serde_json::Value, _> = serde_json::from_slice(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let answer = answer.unwrap_or_else(|why| panic!("{args:?}: {why}: {errors}"));
        assert_eq!(answer["schema"], 1, "{args:?}");
    }
}

/// The events of a JSON file for viewers.
fn events_of(file: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let whole: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    whole["traceEvents"].as_array().expect("a list").clone()
}

/// Whether the slices of each track follow each other, where a reader adds their begin and length.
fn follow_each_other(events: &[serde_json::Value]) -> bool {
    let mut ends = std::collections::HashMap::new();
    let mut slices = events.iter().filter(|event| event["ph"] == "X");
    slices.all(|slice| {
        let number = |name: &str| slice[name].as_f64().expect("a number");
        let last = ends.insert(slice["tid"].as_u64(), number("ts") + number("dur"));
        last.is_none_or(|last| last <= number("ts"))
    })
}

/// How many slices have this name.
fn slices_of(events: &[serde_json::Value], name: &str) -> usize {
    let is_one = |event: &&serde_json::Value| event["ph"] == "X" && event["name"] == name;
    events.iter().filter(is_one).count()
}

/// What Perfetto's own schema says of a file; none where it is not installed, which is reported.
fn decode(file: &Path) -> Option<serde_json::Value> {
    let python = std::env::var("OCR_TEST_PYTHON").unwrap_or("python3".into());
    let script = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("crates/ocr-cli/tests/trace/decode.py");
    let output = Command::new(&python).arg(script).arg(file).output();
    let why = match output {
        Ok(output) if output.status.code() == Some(77) => {
            String::from_utf8_lossy(&output.stderr).trim_end().to_string()
        }
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{errors}");
            return Some(serde_json::from_slice(&output.stdout).expect("JSON"));
        }
        Err(error) => format!("{python} cannot be started: {error}"),
    };
    eprintln!(
        "Perfetto's own schema was not asked about the file: {why}. OCR_TEST_PYTHON names a Python that has the package \
         perfetto."
    );
    None
}

#[test]
fn a_recording_is_written_for_viewers() {
    let (file, status, said) = run("shutdown", 500, &[]);
    assert!(status.success(), "{said}");
    let export = |arguments: &[&OsStr]| {
        let mut ocr = command(env!("CARGO_BIN_EXE_ocr"), &[]);
        let output = ocr.args(["trace", "export"]).arg(&file).args(arguments);
        let output = output.output().expect("it can be started");
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text, errors)
    };
    let json = file.with_extension("json");
    let (status, text, errors) = export(&[OsStr::new("-o"), json.as_os_str()]);
    assert_eq!(status, Some(0), "{errors}");
    assert!(text.contains("json: 502 slices and "), "{text}");
    let events = events_of(&json);
    assert_eq!(slices_of(&events, "link_edt"), 500);
    assert!(follow_each_other(&events));
    let count = |phase: &str| events.iter().filter(|event| event["ph"] == phase).count();
    assert!(count("s") >= 501 && count("s") == count("f"), "{text}");
    assert!(text.contains(&format!("and {} arrows", count("s"))), "{text}");
    // Of many dependences those that came last to each EDT have arrows.
    let few = ["-o", "few.json", "--arrows", "7"].map(OsStr::new);
    let few_file = folder().join("few.json");
    let (_, text, _) = export(&[few[0], few_file.as_os_str(), few[2], few[3]]);
    assert!(text.contains("and 7 arrows"), "{text}");
    assert!(text.contains("dependences have no arrow"), "{text}");
    let (status, text, errors) = export(&[]);
    assert_eq!(status, Some(0), "{errors}");
    let mut viewed = file.clone().into_os_string();
    viewed.push(".pftrace");
    assert!(text.contains("502 slices and "), "{text}");
    if let Some(found) = decode(Path::new(&viewed)) {
        for (name, count) in [("link_edt", 500), ("mainEdt", 1), ("last_edt", 1)] {
            assert_eq!(found["slices"][name], count, "{found:#}");
        }
        assert_eq!(found["arrows"], count("s"), "{found:#}");
        for counter in ["ready EDTs", "idle workers"] {
            assert!(found["counters"][counter].as_u64() > Some(0), "{found:#}");
        }
        assert!(found["most"]["idle workers"].as_u64() <= Some(2), "{found:#}");
        let tracks = found["tracks"].as_object().expect("tracks");
        let mut workers = tracks.iter().filter(|(name, _)| name.starts_with("ocr-worker-"));
        let (_, program) = workers.next().expect("a track");
        assert!(program.as_str().is_some_and(|name| name.contains("shutdown 500")));
    }
    // Forms by name, whatever the file is called.
    for (form, begin, said) in [
        ("html", "<!doctype html>", ": a page for a browser"),
        ("dot", "// ocr-run:", ": 502 EDTs and "),
        ("graphml", "<?xml ", " edges for dependences and creations"),
        ("json", "{\"displayTimeUnit\"", ": 502 slices and "),
    ] {
        let (status, text, errors) = export(&[OsStr::new("--format"), OsStr::new(form)]);
        assert_eq!(status, Some(0), "{errors}");
        assert!(text.contains(said), "{text}");
        let mut viewed = file.clone().into_os_string();
        viewed.push(format!(".{form}"));
        let content = fs::read_to_string(viewed).expect("it is written");
        assert!(content.starts_with(begin), "{form}");
        assert!(content.contains("link_edt"), "{form}");
    }
    let (status, _, errors) = export(&["--format", "svg"].map(OsStr::new));
    assert!(status == Some(2) && errors.contains("graphml"), "{errors}");
    let nowhere = ["-o", "/nowhere/x.json"].map(OsStr::new);
    let (status, _, errors) = export(&nowhere);
    assert!(status == Some(1) && errors.contains("/nowhere/x.json cannot be written"), "{errors}");
}

#[test]
fn a_run_writes_for_viewers_at_every_end_that_it_sees() {
    for (how, code) in [("shutdown", 0), ("exit", 3), ("ocrAbort", 4), ("hang", 1)] {
        let file = folder().join(format!("viewed-{how}.json"));
        let (status, said) = run_into(&file, how, 100, &[]);
        assert_eq!(status.code(), Some(code), "{said}");
        assert!(!said.contains("warning"), "{said}");
        let events = events_of(&file);
        assert_eq!(slices_of(&events, "link_edt"), 100, "{how}");
        assert_eq!(slices_of(&events, "last_edt"), 1, "{how}");
        assert!(!folder().join(format!("viewed-{how}.json.recording")).exists());
    }
    for (end, word) in [("html", "<title>ocr trace: "), ("dot", " -> "), ("graphml", "<edge ")] {
        let file = folder().join(format!("viewed.{end}"));
        let (status, said) = run_into(&file, "shutdown", 100, &[]);
        assert!(status.success() && !said.contains("warning"), "{said}");
        let text = fs::read_to_string(&file).expect("it is written");
        assert!(text.contains(word) && text.contains("link_edt"), "{end}");
        assert!(!folder().join(format!("viewed.{end}.recording")).exists());
    }
    let file = folder().join("viewed.pftrace");
    let (status, said) = run_into(&file, "shutdown", 100, &[]);
    assert!(status.success() && file.exists(), "{said}");
    if let Some(found) = decode(&file) {
        assert_eq!(found["slices"]["link_edt"], 100, "{found:#}");
    }
    // One that is killed leaves its recording, and nothing of an earlier run.
    let recording = folder().join("viewed.pftrace.recording");
    let (status, said) = run_into(&file, "kill", 100, &[]);
    assert_eq!(status.signal(), Some(libc::SIGKILL), "{said}");
    assert!(!file.exists());
    is_checked(&recording, 1, &["102 EDTs", "the run has no end"]);
    let (status, text, errors) = trace("export", &recording);
    assert!(status == 0 && text.contains("viewed.pftrace: 102 slices"), "{text}{errors}");
    assert!(file.exists());
}

#[test]
fn a_recording_that_cannot_be_converted_is_kept() {
    let file = folder().join("viewed-no-room.json");
    // There is room for the recording, and not for what is larger.
    let (status, said) = limited(12_000, &file);
    assert!(status.success(), "{said}");
    for word in [
        "viewed-no-room.json cannot be written: it would be larger than files may be",
        "The recording is kept as",
        "ocr trace export",
    ] {
        assert!(said.contains(word), "no `{word}` in\n{said}");
    }
    assert!(!file.exists());
    let recording = folder().join("viewed-no-room.json.recording");
    is_checked(&recording, 0, &["20002 EDTs", "whole"]);
    let folder = folder().join("viewed.json");
    fs::create_dir_all(&folder).expect("target/ can be written");
    let (status, said) = run_into(&folder, "shutdown", 1, &[]);
    assert!(status.code() == Some(2) && said.contains("it is a folder"), "{said}");
}

/// A run of a program that does so to descriptors or to its recording, which has this name: how it ended, and what it
/// said.
fn hands(how: &str, count: u64, file: &Path) -> (ExitStatus, String) {
    let own = folder().join(format!("own-{how}"));
    fs::create_dir_all(&own).expect("target/ can be written");
    let mut hands = command(folder().join("hands"), &[]);
    hands.args([how, &count.to_string()]).arg(own);
    let output = hands.env("OCR_TRACE", file).output();
    let output = output.expect("it can be started");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() != Some(0) || printed.contains("has ended"), "{said}");
    (output.status, said)
}

/// The program finds its own files as it has written them, and the recording is whole.
#[test]
fn what_a_program_does_with_descriptors_meets_no_file_of_the_runtime() {
    let file = folder().join("descriptors.trace");
    let (status, said) = hands("descriptors", 60_000, &file);
    assert!(status.success() && said.is_empty(), "{said}");
    is_checked(&file, 0, &["60003 EDTs", "whole, and nothing is wrong"]);
    let file = folder().join("descriptors.json");
    let (status, said) = hands("descriptors", 2_000, &file);
    assert!(status.success() && said.is_empty(), "{said}");
    assert_eq!(slices_of(&events_of(&file), "leaf"), 2_000);
}

/// Whatever somebody does to the file of a recording, the program ends as it would, and the reason is said.
#[test]
fn a_recording_in_the_hands_of_others_ends_alone() {
    for (how, why) in [
        ("cut", "was made shorter by somebody else"),
        ("cut-behind", "was made shorter by somebody else"),
        ("overwrite", "was overwritten by somebody else"),
        ("remove", "was removed while it was written"),
        ("rename", "is not under its name"),
    ] {
        let file = folder().join(format!("hands-{how}.trace"));
        let (status, said) = hands(how, 60_000, &file);
        assert_eq!(status.code(), Some(0), "{how}: {said}");
        assert!(said.lines().count() == 1 && said.starts_with("ocr: warning: the recording"), "{how}: {said}");
        assert!(said.contains(why), "{how}: {said}");
    }
    // Renamed, it is whole under the other name.
    let moved = folder().join("hands-rename.trace.moved");
    is_checked(&moved, 0, &["60003 EDTs", "whole, and nothing is wrong"]);
}

/// Programs of one process group and parent have recordings of their own, and a command that is given again replaces
/// what it has left.
#[test]
fn programs_of_one_script_have_recordings_of_their_own() {
    let file = folder().join("script.ocrtrace");
    let second = folder().join("script.2.ocrtrace");
    let script = "./ends shutdown 10; ./ends shutdown 20 & ./ends shutdown 30; wait";
    for _ in 0..2 {
        let mut shell = command("sh", &[("OCR_TRACE", file.as_os_str())]);
        let output = shell.args(["-c", script]).current_dir(folder()).output();
        let output = output.expect("there is a shell");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.matches("the recording of this run is").count() == 2, "{said}");
        is_checked(&file, 0, &["12 EDTs", "whole"]);
        let rest = [&second, &folder().join("script.3.ocrtrace")].map(|file| is_checked(file, 0, &["whole"]));
        let both = rest.concat();
        assert!(both.contains("22 EDTs") && both.contains("32 EDTs"), "{both}");
    }
    assert!(!folder().join("script.4.ocrtrace").exists());
    // Pages, too, say whose they are.
    let page = folder().join("script.html");
    let mut shell = command("sh", &[("OCR_TRACE", page.as_os_str())]);
    let script = "./ends shutdown 10; ./ends shutdown 20";
    let output = shell.args(["-c", script]).current_dir(folder()).output();
    assert!(output.expect("there is a shell").status.success());
    assert!(page.exists() && folder().join("script.2.html").exists());
    // A command of its own job takes the name again.
    let (status, said) = run_into(&file, "shutdown", 40, &[]);
    assert!(status.success(), "{said}");
    assert_eq!(said, "at the end\n");
    is_checked(&file, 0, &["42 EDTs"]);
}
