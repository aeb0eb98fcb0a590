//! What comes from outside of a program: names, arguments and settings that are not UTF-8, and names of files that
//! are used after the program has gone to another directory.

mod support;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Latin-1, and so not UTF-8.
const ODD: &[u8] = b"gr\xf6\xdfe";
/// The same, as it is shown.
const SHOWN: &str = "gr\\xf6\\xdfe";

fn odd() -> OsString {
    OsString::from_vec(ODD.to_vec())
}

/// A folder with a program and two more folders, `start` and `other`; for one test.
struct Place {
    folder: PathBuf,
    program: PathBuf,
}

/// How a program ended, and what it said.
struct Answer {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Place {
    fn new(test: &str, source: &str) -> Place {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let folder = root.join("target/surroundings").join(test);
        let _ = fs::remove_dir_all(&folder);
        for name in ["start", "other"] {
            fs::create_dir_all(folder.join(name)).expect("target/ can be written");
        }
        let program = folder.join("program");
        let built = support::compiler("CC", "cc")
            .args(["-std=gnu11", "-Wall", "-Werror", "-Iinclude", "-o"])
            .arg(&program)
            .arg(Path::new("tests/surroundings").join(source))
            .args(["build/lib/libocr.a", "-lpthread", "-lm", "-ldl"])
            .current_dir(root)
            .status();
        assert!(built.expect("there is a C compiler").success());
        Place { folder, program }
    }

    fn start(&self) -> PathBuf {
        self.folder.join("start")
    }

    /// The program, to be run in `start` with these arguments and settings alone.
    fn command(&self, program: &Path, args: &[&OsStr], settings: &[(&str, &OsStr)]) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars_os() {
            if name.as_bytes().starts_with(b"OCR_") {
                command.env_remove(name);
            }
        }
        // No test writes to the cache of the user.
        command.env("OCR_MODELS", "off");
        command.env("OCR_WORKERS", "2").env("OCR_DEVICES", "none");
        command.args(args).envs(settings.iter().copied());
        command.current_dir(self.start());
        command
    }

    /// Runs the program in `start`, with these settings alone.
    fn run(&self, program: &Path, args: &[&OsStr], settings: &[(&str, &OsStr)]) -> Answer {
        answer_of(self.command(program, args, settings))
    }

    /// Whether only `start` has these files, of which each begins so.
    fn start_has(&self, files: &[(&OsStr, &str)]) {
        for (name, begins) in files {
            let text = fs::read_to_string(self.start().join(name));
            let text = text.unwrap_or_else(|error| panic!("{}: {error}", name.display()));
            assert!(text.starts_with(begins), "{}: {text}", name.display());
        }
        let count = |folder: &str| fs::read_dir(self.folder.join(folder)).expect("it is there").count();
        assert_eq!((count("start"), count("other")), (files.len(), 0));
    }
}

/// Runs a command to its end.
fn answer_of(mut command: Command) -> Answer {
    let output = command.output().expect("it can be started");
    // What the runtime says is UTF-8, whatever it speaks of.
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Answer { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn words<'a>(words: &[&'a str]) -> Vec<&'a OsStr> {
    words.iter().map(|&word| OsStr::new(word)).collect()
}

#[test]
fn relative_names_are_of_the_directory_at_the_start() {
    let place = Place::new("relative", "program.c");
    let report = [("OCR_REPORT", OsStr::new("one.json"))];
    place.run(&place.program, &words(&["go", "../other"]), &report);
    place.run(&place.program, &words(&["go", "/proc", "-ocr:report", "two.json"]), &[]);
    fs::write(place.start().join("set.toml"), "report = \"./three.json\"\n").expect("it is ours");
    let file = [("OCR_CONFIG", OsStr::new("set.toml"))];
    place.run(&place.program, &words(&["go", "../other"]), &file);
    let dot = [("OCR_HALT_DOT", OsStr::new("four.dot"))];
    place.run(&place.program, &words(&["go-and-hang", "../other", "x"]), &dot);
    place.start_has(&[
        (OsStr::new("one.json"), "{"),
        (OsStr::new("two.json"), "{"),
        (OsStr::new("three.json"), "{"),
        (OsStr::new("four.dot"), "digraph"),
        (OsStr::new("set.toml"), "report"),
    ]);
}

#[test]
fn messages_have_the_full_name() {
    let place = Place::new("full", "program.c");
    let setting = [("OCR_REPORT", OsStr::new("no/such/report.json"))];
    let answer = place.run(&place.program, &words(&["go", "../other"]), &setting);
    let full = format!("the report {}/no/such/report.json cannot", place.start().display());
    assert!(answer.stderr.contains(&full), "{}", answer.stderr);
    let setting = [("OCR_CONFIG", OsStr::new("none.toml"))];
    let answer = place.run(&place.program, &words(&["go", "."]), &setting);
    let full = format!("the settings file {}/none.toml cannot", place.start().display());
    assert!(answer.status == Some(2) && answer.stderr.contains(&full), "{}", answer.stderr);
    for args in [["go", ".", "-ocr:report", ""], ["go", ".", "-ocr:halt-dot=", "x"]] {
        let answer = place.run(&place.program, &words(&args), &[]);
        let says = answer.stderr.contains("the name of the file is empty");
        assert!(answer.status == Some(2) && says, "{}", answer.stderr);
    }
}

#[test]
fn a_program_with_its_own_main_may_go_elsewhere_first() {
    let place = Place::new("own-main", "own_main.c");
    let setting = [("OCR_REPORT", OsStr::new("one.json"))];
    let answer = place.run(&place.program, &words(&["../other"]), &setting);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    place.run(&place.program, &words(&["../other", "-ocr:report", "two.json"]), &[]);
    fs::write(place.start().join("set.toml"), "report = \"three.json\"\n").expect("it is ours");
    place.run(&place.program, &words(&["../other", "-ocr:cfg", "set.toml"]), &[]);
    place.start_has(&[
        (OsStr::new("one.json"), "{"),
        (OsStr::new("two.json"), "{"),
        (OsStr::new("three.json"), "{"),
        (OsStr::new("set.toml"), "report"),
    ]);
}

#[test]
fn arguments_come_as_they_are() {
    let place = Place::new("arguments", "program.c");
    let odd = odd();
    let option = OsString::from_vec([b"-ocr:report=", ODD].concat());
    let args = [OsStr::new("arguments"), &odd, &option, OsStr::new("\u{fffd}"), OsStr::from_bytes(b"-\xff")];
    let answer = place.run(&place.program, &args, &[]);
    let hex = ["617267756d656e7473", "6772f6df65", "efbfbd", "2dff"];
    assert_eq!(answer.stdout.lines().collect::<Vec<_>>(), hex, "{}", answer.stderr);
    place.start_has(&[(&odd, "{")]);
}

#[test]
fn settings_name_files_that_are_not_utf8() {
    let place = Place::new("settings", "program.c");
    let with = |end: &str| OsString::from_vec([ODD, end.as_bytes()].concat());
    let (report, dot, file) = (with(".json"), with(".dot"), with(".toml"));
    fs::write(place.start().join(&file), "stats = true\n").expect("it is ours");
    let settings = [("OCR_REPORT", &*report), ("OCR_HALT_DOT", &*dot), ("OCR_CONFIG", &*file)];
    let answer = place.run(&place.program, &words(&["hang", "-", "x"]), &settings);
    assert!(answer.status != Some(0) && answer.stderr.contains("2 workers"), "{}", answer.stderr);
    place.start_has(&[(&report, "{"), (&dot, "digraph"), (&file, "stats")]);
    // In a folder that is not there.
    let missing = with("/report");
    let answer = place.run(&place.program, &words(&["go", "."]), &[("OCR_REPORT", &missing)]);
    let says = format!("{SHOWN}/report cannot be written");
    assert!(answer.stderr.contains(&says), "{}", answer.stderr);
    // What names no file has to be text.
    for (variable, option) in [("OCR_SCHED", "sched"), ("OCR_WORKERS", "workers")] {
        let answer = place.run(&place.program, &words(&["go", "."]), &[(variable, &odd())]);
        let says = format!("ocr: error: ${variable}: \"{SHOWN}\" is not UTF-8");
        assert!(answer.status == Some(2) && answer.stderr.contains(&says), "{}", answer.stderr);
        let option = OsString::from_vec([b"-ocr:", option.as_bytes(), b"=", ODD].concat());
        let answer = place.run(&place.program, &[OsStr::new("go"), OsStr::new("."), &option], &[]);
        let says = format!("\"{SHOWN}\" is not UTF-8");
        assert!(answer.status == Some(2) && answer.stderr.contains(&says), "{}", answer.stderr);
    }
    let option = OsString::from_vec([b"-ocr:", ODD].concat());
    let answer = place.run(&place.program, &[OsStr::new("go"), &option], &[]);
    assert!(answer.status == Some(2) && answer.stderr.contains(SHOWN), "{}", answer.stderr);
    // A settings file that is not UTF-8.
    fs::write(place.start().join("odd.toml"), [b"stats = true\n# ", ODD].concat()).expect("it is ours");
    let answer = place.run(&place.program, &words(&["go", "."]), &[("OCR_CONFIG", OsStr::new("odd.toml"))]);
    assert!(answer.status == Some(2) && answer.stderr.contains("line 2 is not UTF-8"), "{}", answer.stderr);
}

#[test]
fn names_of_objects_and_threads_are_shown() {
    let place = Place::new("objects", "program.c");
    // The system says what a program is called where it says how many threads it has. It cuts that at 15 bytes.
    let named = place.folder.join(odd());
    fs::copy(&place.program, &named).expect("target/ can be written");
    let cut = place.folder.join("fünfzehn Byteü");
    fs::copy(&place.program, &cut).expect("target/ can be written");
    let odd = odd();
    for program in [&place.program, &named, &cut] {
        let args = [OsStr::new("hang"), OsStr::new("-"), &odd];
        let answer = place.run(program, &args, &[("OCR_HALT_DOT", OsStr::new("halt.dot"))]);
        assert!(!matches!(answer.status, Some(0) | None), "{}", answer.stderr);
        assert!(answer.stderr.contains("no EDT is ready or can go on"), "{}", answer.stderr);
        assert!(answer.stderr.contains("(noth\\xefng) waits on"), "{}", answer.stderr);
        let label = format!("labelled \"{SHOWN}\"");
        assert!(answer.stderr.contains(&label), "{}", answer.stderr);
        let dot = fs::read_to_string(place.start().join("halt.dot")).expect("UTF-8");
        assert!(dot.contains("gr\\\\xf6\\\\xdfe"), "{dot}");
    }
}

#[test]
fn files_of_the_program_have_any_names() {
    let place = Place::new("files", "program.c");
    let (odd, missing) = (odd(), OsStr::from_bytes(b"no\xff"));
    let answer =
        place.run(&place.program, &[OsStr::new("files"), &odd, missing], &[("OCR_CHECK", OsStr::new("strict"))]);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    assert!(answer.stderr.contains("\"no\\xff\" cannot be opened"), "{}", answer.stderr);
    place.start_has(&[(&odd, "\0\0")]);
}

#[test]
fn kernels_and_their_options_are_bytes() {
    if support::is_without_opencl() {
        return;
    }
    let place = Place::new("kernels", "program.c");
    let folder = place.folder.join(odd());
    fs::create_dir(&folder).expect("target/ can be written");
    fs::write(folder.join("size.h"), "#define SIZE 7\n").expect("it is ours");
    let settings = [("OCR_DEVICES", "all"), ("OCR_SCHED", "device"), ("OCR_REPORT", "report.json")];
    let settings = settings.map(|(name, value)| (name, OsStr::new(value)));
    let answer = place.run(&place.program, &[OsStr::new("kernel"), folder.as_os_str()], &settings);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    let report = fs::read_to_string(place.start().join("report.json")).expect("UTF-8");
    let report: ocr::report::Report = serde_json::from_str(&report).expect("a report");
    assert_eq!(report.counts.kernel_edts, 1, "{report:?}\n{}", answer.stderr);
    assert_eq!(report.variants[0].template, "noth\\xefng", "{report:?}");
}

/// Runs a program whose standard output is a device that is always full, or is closed.
fn run_without_output(place: &Place, how: &str, args: &[&str]) -> Answer {
    let program = place.program.display().to_string();
    let script = format!("exec \"$0\" \"$@\" {how}");
    let words: Vec<&OsStr> = [&["-c", &script, &*program], args].concat().into_iter().map(OsStr::new).collect();
    answer_of(place.command(Path::new("sh"), &words, &[]))
}

#[test]
fn output_that_cannot_be_written_is_an_error() {
    let place = Place::new("full-output", "prints.c");
    const SAYS: &str = "ocr: error: not all that the program has printed could be written";
    for (what, status) in [
        ("ocrPrintf", 1),
        ("PRINTF", 1),
        ("printf", 1),
        ("flushes", 1),
        ("many", 1),
        ("late", 1),
        ("exit", 1),
        ("abort", 1),
        ("abort7", 7),
    ] {
        let answer = run_without_output(&place, ">/dev/full", &[what]);
        assert_eq!(answer.status, Some(status), "{what}: {}", answer.stderr);
        let told = answer.stderr.matches(SAYS).count();
        assert_eq!(told, 1, "{what}: {}", answer.stderr);
        let answer = place.run(&place.program, &words(&[what]), &[]);
        let status = if status == 1 { 0 } else { status };
        assert_eq!(answer.status, Some(status), "{what}: {}", answer.stderr);
        assert!(!answer.stdout.is_empty(), "{what} prints nothing");
        assert_eq!(answer.stderr, "", "{what}");
    }
    let answer = run_without_output(&place, ">/dev/full", &["ocrPrintf"]);
    assert!(answer.stderr.contains("No space left on device"), "{}", answer.stderr);
    let answer = run_without_output(&place, ">&-", &["ocrPrintf"]);
    assert_eq!(answer.status, Some(1), "{}", answer.stderr);
    assert!(answer.stderr.contains("Bad file descriptor"), "{}", answer.stderr);
    for how in [">/dev/full", ">&-"] {
        let answer = run_without_output(&place, how, &["nothing"]);
        assert_eq!((answer.status, &*answer.stderr), (Some(0), ""));
    }
    // What the program has closed itself is its own matter.
    let answer = place.run(&place.program, &words(&["closes"]), &[]);
    assert_eq!((answer.status, &*answer.stderr), (Some(0), ""));
    for option in ["-ocr:help", "-ocr:version"] {
        let answer = run_without_output(&place, ">/dev/full", &[option]);
        let says = "ocr: error: the standard output cannot be written: ";
        assert!(answer.status == Some(1) && answer.stderr.starts_with(says), "{}", answer.stderr);
    }
    let place = Place::new("full-output-own-main", "own_main_prints.c");
    let answer = run_without_output(&place, ">/dev/full", &[]);
    assert_eq!(answer.status, Some(1), "{}", answer.stderr);
    assert_eq!(answer.stderr.matches(SAYS).count(), 1, "{}", answer.stderr);
    let answer = place.run(&place.program, &[], &[]);
    assert_eq!((answer.status, &*answer.stderr), (Some(0), ""));
    assert_eq!(answer.stdout, "before\nin the run\nbehind\n");
}

/// Names in settings are of the directory at the start: where that is gone, nothing is written elsewhere.
#[test]
fn a_start_directory_that_was_removed_is_told() {
    let place = Place::new("removed", "program.c");
    let program = place.program.display().to_string();
    let gone = place.folder.join("gone").display().to_string();
    let script = "mkdir \"$1\" && cd \"$1\" && rmdir \"$1\" && shift && exec \"$@\"";
    let run = |settings: &[(&str, &OsStr)]| {
        let other = place.folder.join("other").display().to_string();
        let words = words(&["-c", script, "sh", &gone, &program, "go", &other]);
        answer_of(place.command(Path::new("sh"), &words, settings))
    };
    let answer = run(&[("OCR_REPORT", OsStr::new("one.json"))]);
    let says = "in which one.json would be, is not there any more";
    assert!(answer.status == Some(2) && answer.stderr.contains(says), "{}", answer.stderr);
    assert!(answer.stderr.contains("OCR_REPORT"), "{}", answer.stderr);
    let full = place.start().join("two.json");
    let answer = run(&[("OCR_REPORT", full.as_os_str())]);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    place.start_has(&[(OsStr::new("two.json"), "{")]);
}
