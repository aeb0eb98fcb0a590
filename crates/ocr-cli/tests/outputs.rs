//! Files that a user has named for an output: what their names stand for stays what it was, what cannot be written is
//! said before the run, and nothing is lost without a word.

#[path = "../../../tests/support/mod.rs"]
mod support;

use std::ffi::CString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// The program `crates/ocr-cli/tests/outputs/program.c`.
fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let folder = root.join("target/outputs-tests");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("target/ can be written");
        let program = folder.join("program");
        let built = support::compiler("CC", "cc")
            .args(["-std=gnu11", "-Wall", "-Werror", "-Iinclude", "-o"])
            .arg(&program)
            .args(["crates/ocr-cli/tests/outputs/program.c", "build/lib/libocr.a"])
            .args(["-lpthread", "-lm", "-ldl"])
            .current_dir(root)
            .status();
        assert!(built.expect("there is a C compiler").success());
        program
    })
}

/// A new folder for one test.
fn folder(test: &str) -> PathBuf {
    let folder = program().with_file_name(test);
    fs::create_dir_all(&folder).expect("target/ can be written");
    folder
}

/// A command in a folder, without settings but those of all tests.
fn command(file: impl AsRef<Path>, folder: &Path) -> Command {
    let mut command = Command::new(file.as_ref());
    for (name, _) in std::env::vars_os() {
        if name.as_bytes().starts_with(b"OCR_") {
            command.env_remove(name);
        }
    }
    command.env("OCR_MODELS", "off").env("OCR_DEVICES", "none");
    command.env("OCR_WORKERS", "2").current_dir(folder);
    // A process group of its own, as a shell gives each command that is typed: it takes its files' names again.
    command.process_group(0).stdin(Stdio::null());
    command
}

/// A run of the program with a report of this name.
fn reported(folder: &Path, name: &str) -> Output {
    let mut command = command(program(), folder);
    command.env("OCR_REPORT", name);
    command.output().expect("the program can be started")
}

/// A run of the command `ocr`.
fn ocr(folder: &Path, args: &[&str]) -> Output {
    let mut command = command(env!("CARGO_BIN_EXE_ocr"), folder);
    command.args(args);
    command.output().expect("the command can be started")
}

/// What was said, if the status is that.
fn said(output: &Output, status: i32) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{:?}: {said}", output.status);
    said
}

/// Whether a file has a report, and nothing else.
fn is_report(file: &Path) -> bool {
    let text = fs::read_to_string(file).unwrap_or_default();
    serde_json::from_str::<serde_json::Value>(&text).is_ok_and(|report| report["function_edts"] == 1)
}

/// The names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let listed = fs::read_dir(folder).expect("it is there").flatten();
    let mut names: Vec<String> = listed.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn make_pipe(file: &Path) {
    let name = CString::new(file.as_os_str().as_bytes()).expect("no zero byte");
    // SAFETY: the name is a C string.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
}

fn is_root() -> bool {
    // SAFETY: the call has no preconditions.
    unsafe { libc::geteuid() == 0 }
}

/// The recording of a run, in a folder.
fn record(folder: &Path) -> PathBuf {
    let file = folder.join("t.trace");
    let mut command = command(program(), folder);
    let run = command.env("OCR_TRACE", &file).output().expect("the program can be started");
    said(&run, 0);
    file
}

#[test]
fn links_stay_and_their_targets_are_written() {
    let folder = folder("links");
    let far = folder.join("far");
    fs::create_dir(&far).expect("it is new");
    for (link, target) in [("old", "far/old.json"), ("again", "old"), ("dangling", "far/new.json")] {
        symlink(target, folder.join(link)).expect("it is new");
    }
    for name in ["again", "dangling", "old"] {
        fs::write(far.join("old.json"), "old").expect("it can be written");
        assert_eq!(said(&reported(&folder, name), 0), "");
        assert!(is_report(&folder.join(name)), "{name}");
        let about = fs::symlink_metadata(folder.join(name)).expect("it is there");
        assert!(about.is_symlink(), "{name}");
    }
    assert_eq!(names(&far), ["new.json", "old.json"]);
    assert_eq!(names(&folder), ["again", "dangling", "far", "old"]);
}

#[test]
fn what_a_file_has_besides_its_content_stays() {
    let folder = folder("plain");
    let file = folder.join("file");
    fs::write(&file, "old, and longer than a report is".repeat(100)).expect("it can be written");
    fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).expect("it is ours");
    assert_eq!(said(&reported(&folder, "file"), 0), "");
    assert!(is_report(&file));
    assert_eq!(file.metadata().expect("it is there").mode() & 0o777, 0o640);
    // A further name is one of the same file.
    fs::hard_link(&file, folder.join("other")).expect("the file system has further names");
    fs::write(&file, "old").expect("it can be written");
    assert_eq!(said(&reported(&folder, "other"), 0), "");
    assert!(is_report(&file) && is_report(&folder.join("other")));
    assert_eq!(file.metadata().expect("it is there").nlink(), 2);
    assert_eq!(names(&folder), ["file", "other"]);
}

#[test]
fn a_descriptor_is_written_from_where_it_stands() {
    let folder = folder("descriptors");
    let file = folder.join("out");
    for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link"] {
        let _ = symlink("/dev/stdout", folder.join("link"));
        fs::write(&file, "before\n").expect("it can be written");
        let out = OpenOptions::new().append(true).open(&file).expect("it is there");
        let mut command = command(program(), &folder);
        let run = command.env("OCR_REPORT", name).stdout(out).output();
        assert_eq!(said(&run.expect("the program can be started"), 0), "", "{name}");
        let text = fs::read_to_string(&file).expect("it is there");
        assert!(text.starts_with("before\nbegun\n{"), "{name}: {text}");
    }
    // A pipe, and a file that has no name any more.
    let run = reported(&folder, "/dev/stdout");
    assert!(run.stdout.starts_with(b"begun\n{"));
    let script = "exec 7> gone; rm gone; \"$0\"; cat /proc/self/fd/7";
    let mut shell = command("/bin/sh", &folder);
    let run = shell.args(["-c", script]).arg(program()).env("OCR_REPORT", "/dev/fd/7").output();
    let run = run.expect("there is a shell");
    assert!(run.stdout.starts_with(b"begun\n{"), "{}", said(&run, 0));
    assert_eq!(names(&folder), ["link", "out"]);
}

#[test]
fn a_file_of_the_program_is_never_written() {
    let folder = folder("replaced");
    let mut command = command(program(), &folder);
    command.args(["replace", "data"]).env("OCR_REPORT", "/dev/stdout");
    let said = said(&command.output().expect("the program can be started"), 0);
    assert!(said.contains("descriptor 1 has become another file"), "{said}");
    let data = fs::read_to_string(folder.join("data")).expect("the program has made it");
    assert_eq!(data, "data of the program\n");
}

#[test]
fn what_cannot_be_written_is_said_before_the_run() {
    let folder = folder("refused");
    fs::write(folder.join("file"), "old").expect("it can be written");
    symlink("two", folder.join("one")).expect("it is new");
    symlink("one", folder.join("two")).expect("it is new");
    let before = names(&folder);
    for (name, why) in [
        (".", "it is a folder"),
        ("new/", "its name ends in /"),
        ("none/report.json", "the folder "),
        ("file/report.json", "is no folder"),
        ("one", "lead in a circle"),
        ("/dev/fd/77", "its descriptor is not open"),
        ("/dev/stdin", "is open for reading alone"),
        ("../program", "it is a program that is running"),
    ] {
        let run = reported(&folder, name);
        let said = said(&run, 2);
        assert!(said.starts_with("ocr: error: the report ") && said.contains(why), "{name}: {said}");
        assert!(run.stdout.is_empty(), "{name}: the program has run");
    }
    assert_eq!(names(&folder), before);
    // One file for two outputs, and the standard input.
    for (settings, stdin, why) in [
        ([("OCR_REPORT", "file"), ("OCR_HALT_DOT", "./file")], None, "it is the report, too"),
        ([("OCR_REPORT", "new"), ("OCR_HALT_DOT", "./new")], None, "it is the report, too"),
        ([("OCR_REPORT", "file"), ("OCR_STATS", "0")], Some("file"), "it is the standard input"),
    ] {
        let mut command = command(program(), &folder);
        command.envs(settings);
        if let Some(stdin) = stdin {
            command.stdin(File::open(folder.join(stdin)).expect("it is there"));
        }
        let said = said(&command.output().expect("the program can be started"), 2);
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(fs::read(folder.join("file")).expect("it is there"), b"old");
    // What the program prints would be lost.
    let out = File::create(folder.join("out")).expect("it is new");
    let mut prints = command(program(), &folder);
    let run = prints.env("OCR_REPORT", "out").stdout(out).output();
    let text = said(&run.expect("the program can be started"), 2);
    assert!(text.contains("which /dev/stdout names"), "{text}");
    // A device that is full is found out at the end, and is no failure of the program.
    let said = said(&reported(&folder, "/dev/full"), 0);
    assert!(said.contains("no space is left on its file system or device"), "{said}");
}

#[test]
fn the_explanation_of_a_hang_comes_before_its_file() {
    let folder = folder("hang");
    let pipe = folder.join("pipe");
    make_pipe(&pipe);
    // No process reads it.
    let mut hangs = command(program(), &folder);
    hangs.arg("hang").env("OCR_HALT_DOT", &pipe);
    let run = hangs.output().expect("the program can be started");
    let text = said(&run, 1);
    let explained = text.find("the program hangs").expect("it is said");
    let missed = text.find("it is a pipe that nobody reads").expect("it is said");
    assert!(explained < missed, "{text}");
    assert!(fs::symlink_metadata(&pipe).expect("it stays").file_type().is_fifo());
    // Somebody reads it, when the message is out.
    let mut hangs = hangs.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("as before");
    let mut begin = [0; 10];
    let errors = hangs.stderr.as_mut().expect("it is a pipe");
    errors.read_exact(&mut begin).expect("a message comes");
    let dot = fs::read_to_string(&pipe).expect("it can be read");
    assert!(dot.starts_with("digraph"), "{dot}");
    assert_eq!(hangs.wait().expect("it ends").code(), Some(1));
}

/// Has files of a command have at most `bytes` bytes.
fn limited(command: &mut Command, bytes: u64) -> &mut Command {
    let limit = libc::rlimit { rlim_cur: bytes, rlim_max: bytes };
    let set = move || {
        // SAFETY: the structure is a variable of this closure.
        unsafe { libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit) };
        Ok(())
    };
    // SAFETY: the closure makes one system call, which is allowed between fork and exec.
    unsafe { command.pre_exec(set) }
}

#[test]
fn a_limit_on_file_sizes_ends_no_process() {
    let folder = folder("limit");
    let run = |how: &str, bytes, settings: &[(&str, &str)], stdout: Stdio, stderr: Stdio| {
        let mut command = command(program(), &folder);
        command.arg(how).envs(settings.iter().copied()).stdout(stdout).stderr(stderr);
        limited(&mut command, bytes).output().expect("the program can be started")
    };
    let new = |name: &str| Stdio::from(File::create(folder.join(name)).expect("it is new"));
    let (dot, report) = ([("OCR_HALT_DOT", "x.dot")], [("OCR_REPORT", "x.json")]);
    let text = said(&run("hang", 100, &dot, Stdio::piped(), Stdio::piped()), 1);
    let explained = text.find("the program hangs").expect("it is said");
    let missed = text.find("larger than files may be").expect("it is said");
    assert!(explained < missed, "{text}");
    let text = said(&run("", 100, &report, Stdio::piped(), Stdio::piped()), 0);
    assert!(text.contains("larger than files may be"), "{text}");
    // One that is small enough is written.
    assert_eq!(said(&run("", 1000, &report, Stdio::piped(), Stdio::piped()), 0), "");
    assert!(is_report(&folder.join("x.json")));
    let text = said(&run("", 0, &report, Stdio::piped(), Stdio::piped()), 2);
    assert!(text.contains("larger than files may be"), "{text}");
    // What is said goes to a file, too, or what the program prints.
    let run_of = |stdout, stderr| run("fill", 200, &[], stdout, stderr);
    let ended = run_of(Stdio::null(), new("err.txt"));
    assert_eq!((ended.status.code(), ended.status.signal()), (Some(1), None));
    let ended = run_of(new("out.txt"), Stdio::piped());
    let text = said(&ended, 1);
    assert!(text.contains("the program hangs") && text.contains("not all that the program has"), "{text}");
    // The command.
    record(&folder);
    for args in [
        &["trace", "export", "-o", "x.pftrace", "t.trace"][..],
        &["simulate", "t.trace", "--html", "x.html"],
        &["trace", "export", "-o", "x.html", "t.trace"],
    ] {
        let mut command = command(env!("CARGO_BIN_EXE_ocr"), &folder);
        let ended = limited(command.args(args), 100).output();
        let text = said(&ended.expect("the command can be started"), 1);
        assert!(text.contains("larger than files may be"), "{args:?}: {text}");
    }
    // The answer itself.
    let mut shows = command(env!("CARGO_BIN_EXE_ocr"), &folder);
    shows.args(["trace", "show", "t.trace"]).stdout(new("out.txt"));
    said(&limited(&mut shows, 100).output().expect("the command can be started"), 1);
    assert_eq!(names(&folder), ["err.txt", "out.txt", "t.trace", "x.json"]);
}

#[test]
fn the_command_writes_where_the_standard_output_leads() {
    let folder = folder("command");
    record(&folder);
    for (args, begins) in [
        (&["trace", "export", "-o", "/dev/stdout", "t.trace"][..], &b"\x0a"[..]),
        (&["simulate", "t.trace", "--html", "/dev/fd/1"], b"<!doctype html>"),
        (&["info", "--write-platform", "/dev/stdout"], b"# What"),
        (
            &["compare", "--runs=1", "--warm-up=0", "--policies=cpu", "--html=/dev/stdout", "../program"],
            b"<!doctype html>",
        ),
    ] {
        let file = folder.join("out");
        fs::write(&file, "before\n").expect("it can be written");
        let mut command = command(env!("CARGO_BIN_EXE_ocr"), &folder);
        let out = OpenOptions::new().append(true).open(&file).expect("it is there");
        let run = command.args(args).stdout(out).output().expect("the command can be started");
        // The answer does not come into the file.
        assert!(!said(&run, 0).is_empty(), "{args:?}");
        let content = fs::read(&file).expect("it is there");
        let written = content.strip_prefix(b"before\n").expect("it is appended");
        assert!(written.starts_with(begins), "{args:?}: {}", String::from_utf8_lossy(written));
    }
    assert_eq!(names(&folder), ["out", "t.trace"]);
}

#[test]
fn an_output_that_is_an_input_is_refused() {
    let folder = folder("inputs");
    let recording = fs::read(record(&folder)).expect("it is there");
    symlink("t.trace", folder.join("link.html")).expect("it is new");
    fs::hard_link(folder.join("t.trace"), folder.join("hard.html")).expect("the same file");
    fs::copy(program(), folder.join("own")).expect("it can be copied");
    fs::write(folder.join("data"), "data").expect("it can be written");
    fs::copy(program(), folder.join("other.html")).expect("it can be copied");
    let compare = ["compare", "--runs=1", "--warm-up=0", "--policies=cpu", "--html"];
    let compare = |rest: &[&'static str]| [&compare[..], rest].concat();
    for args in [
        vec!["trace", "export", "t.trace", "-o", "t.trace"],
        vec!["trace", "export", "t.trace", "-o", "link.html"],
        vec!["simulate", "t.trace", "--html", "hard.html"],
        vec!["simulate", "link.html", "--html", "t.trace"],
        compare(&["own", "--", "./own"]),
        compare(&["data", "--", "./own", "data"]),
        compare(&["data", "--", "./own", "--in=./data"]),
        // A program, a library of it, or a policy: some process may execute it.
        compare(&["other.html", "--", "./own"]),
        vec!["trace", "export", "t.trace", "-o", "other.html"],
    ] {
        let text = said(&ocr(&folder, &args), 2);
        assert!(text.contains("cannot be written: it is "), "{args:?}: {text}");
    }
    // The standard input, and the answer into what is read.
    let mut compares = command(env!("CARGO_BIN_EXE_ocr"), &folder);
    compares.args(compare(&["data", "--", "./own"]));
    compares.stdin(File::open(folder.join("data")).expect("it is there"));
    said(&compares.output().expect("the command can be started"), 2);
    // A descriptor is the file that it leads to.
    for line in [
        "trace export --format html t.trace -o /dev/stdout >> t.trace",
        "trace export --format html t.trace -o /dev/fd/7 7<> t.trace",
        "simulate t.trace --html /dev/fd/7 7<> t.trace",
        "compare --runs=1 --warm-up=0 --policies=cpu --html /dev/fd/7 ./own data 7<> data",
    ] {
        let mut shell = command("/bin/sh", &folder);
        shell.arg("-c").arg(format!("\"$0\" {line}")).arg(env!("CARGO_BIN_EXE_ocr"));
        let text = said(&shell.output().expect("there is a shell"), 2);
        assert!(text.contains("cannot be written: it is "), "{line}: {text}");
    }
    // What settings name for each of the runs.
    said(&ocr(&folder, &["info", "--write-platform", "machine"]), 0);
    fs::write(folder.join("set.toml"), "workers = 2\n").expect("it can be written");
    fs::create_dir(folder.join("saved")).expect("it is new");
    fs::write(folder.join("saved/checkpoint-000001.ocr"), "saved").expect("it can be written");
    for (name, value, file) in [
        ("OCR_PLATFORM", "machine", "machine"),
        ("OCR_CONFIG", "set.toml", "set.toml"),
        ("OCR_RESTORE", "saved", "saved/checkpoint-000001.ocr"),
    ] {
        let link = format!("{name}.html");
        fs::hard_link(folder.join(file), folder.join(&link)).expect("the file system has further names");
        let before = fs::read(folder.join(file)).expect("it is there");
        let mut compares = command(env!("CARGO_BIN_EXE_ocr"), &folder);
        compares.args(compare(&[])).arg(&link).arg("./own").env(name, value);
        let text = said(&compares.output().expect("the command can be started"), 2);
        assert!(text.contains("cannot be written: it is "), "{name}: {text}");
        assert!(fs::read(folder.join(file)).expect("it is there") == before, "{name}");
    }
    for args in [&["explain"][..], &["trace", "show"], &["trace", "check"], &["simulate"]] {
        let mut answers = command(env!("CARGO_BIN_EXE_ocr"), &folder);
        let out = OpenOptions::new().append(true).open(folder.join("t.trace"));
        answers.args(args).arg("t.trace").stdout(out.expect("it is there"));
        said(&answers.output().expect("the command can be started"), 2);
    }
    assert!(fs::read(folder.join("t.trace")).expect("it is there") == recording);
    let own = fs::read(folder.join("own")).expect("it is there");
    assert!(own == fs::read(program()).expect("it is there"));
    assert_eq!(fs::read(folder.join("data")).expect("it is there"), b"data");
}

/// Writes a recording as that of a node of a run on two nodes.
fn as_of_node(file: &Path, recording: &[u8], node: u64) {
    let mut bytes = recording.to_vec();
    for (at, word) in [(176, node | 2 << 32), (184, 77)] {
        bytes[at..at + 8].copy_from_slice(&u64::to_le_bytes(word));
    }
    fs::write(file, bytes).expect("it can be written");
}

#[test]
fn a_recording_of_another_node_is_an_input() {
    let folder = folder("nodes");
    let recording = fs::read(record(&folder)).expect("it is there");
    let [first, second] = ["n.ocrtrace", "n.node1.ocrtrace"].map(|name| folder.join(name));
    as_of_node(&first, &recording, 0);
    as_of_node(&second, &recording, 1);
    symlink("n.node1.ocrtrace", folder.join("link.html")).expect("it is new");
    let before = fs::read(&second).expect("it is there");
    for args in [
        &["trace", "export", "n.ocrtrace", "-o", "n.node1.ocrtrace"][..],
        &["trace", "export", "n.ocrtrace", "-o", "link.html"],
        &["simulate", "n.ocrtrace", "--html", "n.node1.ocrtrace"],
        &["compare", "--html", "link.html", "t.trace", "n.ocrtrace"],
    ] {
        let text = said(&ocr(&folder, args), 2);
        assert!(text.contains("it is the recording of another node, "), "{args:?}: {text}");
    }
    assert!(fs::read(&second).expect("it is there") == before);
    // One of another run is no input.
    as_of_node(&second, &recording, 0);
    fs::write(&first, &recording).expect("it can be written");
    said(&ocr(&folder, &["trace", "export", "n.ocrtrace", "--format", "html", "-o", "n.node1.ocrtrace"]), 0);
    assert!(fs::read(&second).expect("it is there") != before);
}

#[test]
fn what_a_run_reads_gets_no_report() {
    let folder = folder("read");
    let library = folder.join("library.so");
    let built =
        support::compiler("CC", "cc").args(["-shared", "-fPIC", "-xc", "/dev/null", "-o"]).arg(&library).status();
    assert!(built.expect("there is a C compiler").success());
    fs::write(folder.join("in.txt"), "data").expect("it can be written");
    fs::create_dir(folder.join("saved")).expect("it is new");
    fs::write(folder.join("saved/checkpoint-000001.ocr"), "saved").expect("it can be written");
    for (file, link) in [("library.so", "l.html"), ("in.txt", "i.html"), ("saved/checkpoint-000001.ocr", "s.html")] {
        fs::hard_link(folder.join(file), folder.join(link)).expect("the file system has further names");
    }
    let inputs = ["library.so", "in.txt", "saved/checkpoint-000001.ocr"].map(|file| folder.join(file));
    let before = inputs.each_ref().map(|file| fs::read(file).expect("it is there"));
    for (line, why) in [
        ("LD_PRELOAD=./library.so OCR_REPORT=library.so \"$0\"", "a program or a shared library"),
        ("LD_PRELOAD=./library.so OCR_TRACE=l.html \"$0\"", "a program or a shared library"),
        ("LD_PRELOAD=./library.so OCR_REPORT=/dev/fd/7 \"$0\" 7<> library.so", "a program or a shared library"),
        ("OCR_REPORT=in.txt \"$0\" in.txt", "an argument of the program"),
        ("OCR_REPORT=/dev/fd/7 \"$0\" in.txt 7<> in.txt", "an argument of the program"),
        ("OCR_HALT_DOT=i.html \"$0\" --in=./in.txt", "an argument of the program"),
        ("\"$0\" -ocr:trace i.html in.txt", "an argument of the program"),
        ("OCR_CHECKPOINT=saved OCR_REPORT=saved/checkpoint-000001.ocr \"$0\"", "a checkpoint"),
        ("OCR_CHECKPOINT=saved OCR_HALT_DOT=s.html \"$0\"", "a checkpoint"),
    ] {
        let mut shell = command("/bin/sh", &folder);
        let run = shell.arg("-c").arg(line).arg(program()).output().expect("there is a shell");
        let text = said(&run, 2);
        assert!(text.contains(&format!("cannot be written: it is {why}")), "{line}: {text}");
    }
    let after = inputs.each_ref().map(|file| fs::read(file).expect("it is there"));
    assert!(before == after);
    // The argument that names the output itself is none of the program.
    for _ in 0..2 {
        let mut command = command(program(), &folder);
        let run = command.args(["-ocr:report", "r.json", "-ocr:halt-dot=r.dot"]).output();
        assert_eq!(said(&run.expect("the program can be started"), 0), "");
    }
}

/// Runs a script, in which `$0` is the program, as a command that somebody types.
fn script(folder: &Path, script: &str) -> Output {
    let mut shell = command("/bin/sh", folder);
    shell.arg("-c").arg(script).arg(program()).env("OCR_REPORT", "r.json").env("OCR_TRACE", "t.html");
    shell.output().expect("there is a shell")
}

#[test]
fn a_numbered_name_that_somebody_has_is_taken() {
    let folder = folder("numbered");
    for name in ["r.2.json", "t.2.html", "x.html.recording"] {
        fs::write(folder.join(name), "of the user").expect("it can be written");
    }
    let text = said(&script(&folder, "\"$0\"; \"$0\"; true"), 0);
    assert!(text.contains("r.3.json: ") && text.contains("t.3.html: "), "{text}");
    assert!(is_report(&folder.join("r.json")) && is_report(&folder.join("r.3.json")));
    let text = said(&script(&folder, "OCR_TRACE=x.html \"$0\"; true"), 0);
    assert!(text.contains("x.2.html: ") && text.contains("x.html.recording is a file of somebody else"), "{text}");
    for name in ["r.2.json", "t.2.html", "x.html.recording"] {
        assert_eq!(fs::read(folder.join(name)).expect("it is there"), b"of the user", "{name}");
    }
    let wanted = ["r.2.json", "r.3.json", "r.json", "t.2.html", "t.3.html", "t.html", "x.2.html", "x.html.recording"];
    assert_eq!(names(&folder), wanted);
}

#[test]
fn programs_of_a_script_keep_their_files_in_whatever_shell_they_run() {
    let folder = folder("scripts");
    fs::write(folder.join("Makefile"), "all: a b\na:; cd . && $(P); true\nb:; cd . && $(P); true\n")
        .expect("it can be written");
    for text in [
        "(\"$0\"; true); (\"$0\"; true)",
        "timeout 60 \"$0\"; (timeout 60 \"$0\"; true); true",
        "make -s P=\"$0\"; true",
        "sh -c '\"$0\"; true' \"$0\"; sh -c '\"$0\"; true' \"$0\"; true",
        "x=$(\"$0\"; echo)$(\"$0\"; echo)",
    ] {
        // A command that is given again replaces what it has left.
        for _ in 0..2 {
            let notes = said(&script(&folder, text), 0);
            assert_eq!(names(&folder), ["Makefile", "r.2.json", "r.json", "t.2.html", "t.html"], "{text}: {notes}");
            assert_eq!(notes.matches("is of the same job").count(), 2, "{text}: {notes}");
        }
    }
    // Under `ocr compare`, each program counts, also in a session of its own.
    let mut compares = command(env!("CARGO_BIN_EXE_ocr"), &folder);
    compares.args(["compare", "--runs=1", "--warm-up=0", "--policies=cpu", "--", "sh", "-c"]);
    compares.arg("setsid -w \"$0\"; (setsid -w \"$0\"; true); \"$0\"; true").arg(program());
    let run = compares.output().expect("the command can be started");
    said(&run, 0);
    let answer = String::from_utf8_lossy(&run.stdout);
    assert!(answer.contains("3 programs"), "{answer}");
}

#[test]
fn programs_of_a_script_that_hang_keep_their_graphs() {
    let folder = folder("hangs");
    for _ in 0..2 {
        let text = said(&script(&folder, "export OCR_HALT_DOT=h.dot; \"$0\" hang; \"$0\" hang; exit 1"), 1);
        assert!(text.contains("the graph of what waits of this run is ") && text.contains("/h.2.dot: "), "{text}");
        assert!(names(&folder).starts_with(&["h.2.dot".to_string(), "h.dot".to_string()]), "{:?}", names(&folder));
    }
}

#[test]
fn what_the_program_writes_under_the_name_of_an_output_stays() {
    let folder = folder("own");
    for (variable, name, next, args) in [
        ("OCR_REPORT", "r.json", "r.2.json", &["write", "r.json"][..]),
        ("OCR_REPORT", "a.json", "a.2.json", &["write", "a.json", "behind"]),
        ("OCR_TRACE", "t.html", "t.2.html", &["write", "t.html"]),
        ("OCR_HALT_DOT", "h.dot", "h.2.dot", &["write-hang", "h.dot"]),
    ] {
        let mut command = command(program(), &folder);
        let run = command.args(args).env(variable, name).output().expect("the program can be started");
        let status = if variable == "OCR_HALT_DOT" { 1 } else { 0 };
        let text = said(&run, status);
        assert!(text.contains("was written by the program or somebody else"), "{name}: {text}");
        let data = fs::read_to_string(folder.join(name)).expect("the program has made it");
        assert!(data.ends_with("data of the program\n"), "{name}: {data}");
        let told = fs::read(folder.join(next)).expect("it has the next name");
        assert!(!told.is_empty(), "{name}");
    }
    assert!(is_report(&folder.join("r.2.json")) && is_report(&folder.join("a.2.json")));
    assert_eq!(names(&folder).len(), 8);
}

#[test]
fn a_page_is_refused_before_the_runs() {
    let folder = folder("pages");
    let script = folder.join("script");
    fs::write(&script, "#!/bin/sh\ntouch was-run\n").expect("it can be written");
    fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).expect("it is ours");
    let args = ["compare", "--policies=cpu", "--html", "none/page.html", "./script"];
    let text = said(&ocr(&folder, &args), 1);
    assert!(text.contains("the folder ") && text.contains("is not there"), "{text}");
    assert_eq!(names(&folder), ["script"]);
}

#[test]
fn a_closed_standard_output_is_a_failure() {
    let folder = folder("closed");
    record(&folder);
    let closed = |file: &Path, args: &str| {
        let mut shell = command("/bin/sh", &folder);
        shell.arg("-c").arg(format!("\"$0\" {args} >&-")).arg(file);
        shell.output().expect("there is a shell")
    };
    let ocr = Path::new(env!("CARGO_BIN_EXE_ocr"));
    for args in ["info", "--help", "--version", "trace show t.trace", "trace export -o new t.trace"] {
        let text = said(&closed(ocr, args), 1);
        assert!(text.contains("the standard output is closed"), "{args}: {text}");
    }
    said(&closed(program(), "-ocr:help"), 1);
    // A file does not become the standard output of the program.
    let mut shell = command("/bin/sh", &folder);
    shell.args(["-c", "\"$0\" >&-"]).arg(program()).env("OCR_REPORT", "report.json");
    let _ = shell.output().expect("there is a shell");
    let report = fs::read_to_string(folder.join("report.json")).expect("it is written");
    assert!(report.starts_with('{') && report.ends_with('}'), "{report}");
    assert_eq!(names(&folder), ["report.json", "t.trace"]);
}

/// Runs a script as root, with a file system of its own and `$0` as the program. None where this user cannot.
fn as_root(folder: &Path, script: &str) -> Option<Output> {
    if !is_root() {
        eprintln!("not run: only root can do that");
        return None;
    }
    let mut shell = command("unshare", folder);
    shell.args(["--mount", "--propagation", "private", "sh", "-c", script]).arg(program());
    let run = shell.output().expect("there is unshare");
    if String::from_utf8_lossy(&run.stderr).starts_with("unshare:") {
        eprintln!("not run: this root may not mount");
        return None;
    }
    Some(run)
}

#[test]
fn a_mounted_file_gets_its_content_in_place() {
    let folder = folder("mounted");
    fs::write(folder.join("outer"), "old").expect("it can be written");
    fs::write(folder.join("inner"), "old").expect("it can be written");
    let script = "mount --bind outer inner && OCR_REPORT=inner \"$0\" && umount inner";
    let Some(run) = as_root(&folder, script) else {
        return;
    };
    assert_eq!(said(&run, 0), "");
    assert!(is_report(&folder.join("outer")));
    assert_eq!(fs::read(folder.join("inner")).expect("it is there"), b"old");
    assert_eq!(names(&folder), ["inner", "outer"]);
}

#[test]
fn files_of_others_stay_theirs() {
    let folder = folder("others");
    let script = "
        mount -t tmpfs none /mnt && cd /mnt && mkdir sticky closed && cp \"$0\" p && chmod 755 . p
        chmod 1777 sticky && echo old > sticky/r && chmod 666 sticky/r
        echo old > closed/r && chmod 666 closed/r && echo old > closed/no && chmod 600 closed/no
        echo mine > mine && chown 4000:4000 mine
        u() { setpriv --reuid 4000 --regid 4000 --clear-groups \"$@\"; }
        OCR_REPORT=sticky/r u ./p && OCR_REPORT=closed/r u ./p
        OCR_REPORT=closed/no u ./p && echo wrong
        OCR_REPORT=closed/new u ./p && echo wrong
        OCR_REPORT=mine ./p
        stat -c '%n %u %a' sticky/r closed/r mine; wc -c < closed/no
        head -c 1 sticky/r; head -c 1 closed/r; head -c 1 mine; ls -A sticky closed";
    let Some(run) = as_root(&folder, script) else {
        return;
    };
    let out = String::from_utf8_lossy(&run.stdout).replace("begun\n", "");
    let wanted = "sticky/r 0 666\nclosed/r 0 666\nmine 4000 644\n4\n{{{closed:\nno\nr\n\nsticky:\nr\n";
    let text = said(&run, 0);
    assert_eq!(out, wanted, "{text}");
    assert!(text.contains("permission denied to write it"), "{text}");
    assert!(text.contains("permission denied to make a file in the folder "), "{text}");
}

#[test]
fn a_set_user_id_program_takes_no_names_of_files() {
    let folder = folder("set-user-id");
    let script = "
        mount -t tmpfs none /mnt && cd /mnt && cp \"$0\" p && chmod 4755 p && chmod 755 .
        echo old > victim && echo 'report = \"victim\"' > s.toml
        u() { setpriv --reuid 4000 --regid 4000 --clear-groups \"$@\"; }
        for v in REPORT TRACE HALT_DOT PLATFORM MODELS SCHED; do env OCR_$v=$PWD/victim setpriv --reuid 4000 \\
            --regid 4000 --clear-groups ./p; done
        OCR_CONFIG=$PWD/s.toml u ./p; u ./p -ocr:cfg s.toml; u ./p -ocr:report victim
        OCR_HALT_DOT=$PWD/victim u ./p hang
        cat victim; ls -A";
    let Some(run) = as_root(&folder, script) else {
        return;
    };
    let text = said(&run, 0);
    let out = String::from_utf8_lossy(&run.stdout).replace("begun\n", "");
    assert_eq!(out, "old\np\ns.toml\nvictim\n", "{text}");
    let notes: Vec<&str> = text.lines().filter(|line| line.starts_with("ocr: note: this program has rights")).collect();
    assert_eq!(notes.len(), 10, "{text}");
    for name in ["$OCR_REPORT", "$OCR_TRACE", "$OCR_MODELS", "$OCR_SCHED", "$OCR_CONFIG", "-ocr:cfg", "-ocr:report"] {
        assert!(notes.iter().any(|note| note.ends_with(name)), "{name}: {text}");
    }
}

#[test]
fn a_description_of_the_machine_replaces_nothing() {
    let folder = folder("platform");
    symlink("far", folder.join("link")).expect("it is new");
    said(&ocr(&folder, &["info", "--write-platform", "link"]), 0);
    let written = fs::read(folder.join("far")).expect("the target was made");
    let text = said(&ocr(&folder, &["info", "--write-platform", "link"]), 1);
    assert!(text.contains("is there already"), "{text}");
    assert!(fs::read(folder.join("far")).expect("it is there") == written);
    let mut out = File::create(folder.join("far")).expect("it is ours");
    out.write_all(b"x").expect("it can be written");
    assert_eq!(names(&folder), ["far", "link"]);
}
