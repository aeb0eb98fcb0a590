//! The command `ocr`, as people use it: on the examples, and on programs that go wrong. Without an
//! OpenCL device only what needs one is left out.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::available_parallelism;

#[path = "command/compare.rs"]
mod compare;
#[path = "command/info.rs"]
mod info;
#[path = "command/json.rs"]
mod json;
#[path = "command/recordings.rs"]
mod recordings;
#[path = "command/runs.rs"]
mod runs;
#[path = "command/surroundings.rs"]
mod surroundings;
#[path = "command/terminal.rs"]
mod terminal;
#[path = "command/tune.rs"]
mod tune;
#[path = "command/verify.rs"]
mod verify;

/// How a command ended, and what it said.
struct Answer {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Answer {
    /// Checks the exit status and what the standard output holds.
    fn is(self, status: i32, stdout: &[&str]) -> Answer {
        let all = format!("{}\n--- standard error\n{}", self.stdout, self.stderr);
        assert_eq!(self.status, Some(status), "{all}");
        for text in stdout {
            assert!(self.stdout.contains(text), "no `{text}` in\n{all}");
        }
        self
    }

    /// Checks what the standard output holds, wherever its lines are broken.
    fn has(self, stdout: &[&str]) -> Answer {
        let all: Vec<&str> = self.stdout.split_whitespace().collect();
        let all = all.join(" ");
        for text in stdout {
            assert!(all.contains(text), "no `{text}` in\n{}", self.stdout);
        }
        self
    }

    /// Checks what the standard error holds.
    fn says(self, stderr: &[&str]) -> Answer {
        for text in stderr {
            assert!(self.stderr.contains(text), "no `{text}` in\n{}", self.stderr);
        }
        self
    }

    /// The line of the table for a policy, in words.
    fn row(&self, policy: &str) -> Vec<&str> {
        let line = self.stdout.lines().find(|line| line.split(' ').next() == Some(policy));
        let line = line.unwrap_or_else(|| panic!("no row {policy} in\n{}", self.stdout));
        line.split_whitespace().collect()
    }
}

/// Runs `ocr` with settings of the environment, and none besides.
fn ocr(args: &[&str], settings: &[(&str, &str)]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
    for (variable, _) in std::env::vars().filter(|(name, _)| name.starts_with("OCR_")) {
        command.env_remove(variable);
    }
    let output = command
        .args(args)
        // No test writes to the cache of the user.
        .env("OCR_MODELS", "off")
        .envs(settings.iter().copied())
        .stdin(Stdio::null())
        .output()
        .expect("the command can be started");
    Answer {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn example(name: &str) -> String {
    let path = root().join("build/examples").join(name);
    assert!(path.exists(), "no {}: run `make` first", path.display());
    path.display().to_string()
}

fn data(name: &str) -> String {
    root().join("examples/data").join(name).display().to_string()
}

/// A program that does what a shell script says, with a function `report SECONDS` that writes what
/// the runtime would.
fn script(name: &str, text: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}.sh"));
    let report = r#"{"policy":"'$OCR_SCHED'","workers":3,"seconds":'$1',"function_edts":7,
        "variants":[{"template":"sum","device":null,"edts":7,"seconds":0.0014},
        {"template":"sum","device":"d","edts":5,"seconds":2}],"kernel_edts":5,"devices":[{"name":"d","kernels":5,"bytes_in":2048,"bytes_out":1,"hits":0,
        "evictions":0}],"notes":["a note"],"status":0}"#;
    let text = format!("#!/bin/sh\nreport() {{ echo '{report}' >\"$OCR_REPORT\"; }}\n{text}\n");
    fs::write(&path, text).expect("target/ can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    path.display().to_string()
}

/// The program with a known cause of a long run for each first argument.
fn planted(name: &str) -> String {
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}"));
    let compiler = std::env::var("CC").unwrap_or("cc".into());
    let built = Command::new(compiler)
        .args(["-std=gnu11", "-O2", "-Iinclude", "-o"])
        .arg(&program)
        .args(["planted", "kinds"].map(|file| format!("crates/ocr-cli/tests/diagnosis/{file}.c")))
        .arg("build/lib/libocr.a")
        .args(["-lpthread", "-lm", "-ldl"])
        .current_dir(root())
        .status();
    assert!(built.expect("there is a C compiler").success());
    program.display().to_string()
}

fn has_device() -> bool {
    let found = ocr(&["info", "--require-device"], &[]).status == Some(0);
    if !found {
        eprintln!("skipped: there is no OpenCL device");
    }
    found
}

const NO_LIBRARY: &[(&str, &str)] = &[("OCL_ICD_VENDORS", "/nonexistent")];

#[test]
fn version_and_help() {
    ocr(&["--version"], &[]).is(0, &["ocr 0.", "\n"]);
    let help = ocr(&["--help"], &[]).is(0, &["info", "compare", "tune", "\nExit status:\n  0  "]);
    assert!(!help.stdout.contains("generate"), "{}", help.stdout);
    ocr(&["trace", "show", "--help"], &[]).is(0, &["\nExit status:\n  0  "]);
    ocr(&["compare", "--help"], &[]).is(0, &["--warm-up", "compile a kernel", "--same"]);
    ocr(&[], &[]).is(2, &[]).says(&["Usage"]);
    ocr(&["inform"], &[]).is(2, &[]).says(&["inform"]);
}

#[test]
fn compare_runs_each_policy() {
    let (human, orangutan) = (data("human-mt.fa"), data("orangutan-mt.fa"));
    let levenshtein = example("levenshtein");
    let answer = ocr(
        &[
            "compare",
            "--runs=1",
            "--show=distance,gcups",
            "--same=distance",
            "--",
            &levenshtein,
            "--quiet",
            &human,
            &orangutan,
        ],
        &[],
    )
    .is(0, &["In all runs, distance is 3315.", "speed-up", "gcups"]);
    // Behind the speed-up, that over the best single place, where there is a device; then EDTs as functions and
    // kernels.
    let kernels = if has_device() { 5 } else { 4 };
    assert_eq!(answer.row("cpu")[kernels], "0", "{}", answer.stdout);
    assert_eq!(answer.row("cpu")[2], "1.00", "{}", answer.stdout);
    // The levels of a wavefront have 81 tiles.
    assert!(answer.row("tileBits")[..4] == ["tileBits", "cpu", "function", "81"], "{}", answer.stdout);
    if has_device() {
        for policy in ["device", "static:1:1"] {
            assert_ne!(answer.row(policy)[kernels], "0", "{}", answer.stdout);
        }
        answer.row("eager");
    }
    // Beside a CPU device most policies have fewer workers than functions alone.
    let cores = available_parallelism().map_or(1, usize::from);
    if cores > 1 && is_pocl_alone() {
        let text = answer.stdout.split_whitespace().collect::<Vec<_>>();
        let text = text.join(" ");
        let workers = format!("Workers: {cores} (cpu, eft), ");
        for part in [&workers, "have cores of their own; OCR_BIND=off"] {
            assert!(text.contains(part), "no `{part}` in\n{}", answer.stdout);
        }
    }
}

#[test]
fn compare_without_devices_runs_what_it_can() {
    let hello = example("hello");
    let answer =
        ocr(&["compare", &hello], NO_LIBRARY).is(0, &["Left out: device, static:1:1, eager, eft.", "/nonexistent"]);
    assert_eq!(answer.row("cpu")[5], "0");
    ocr(&["compare", &hello], &[("OCR_DEVICES", "none")]).is(0, &["Left out", "$OCR_DEVICES"]);
    ocr(&["compare", "--devices=all", &hello], NO_LIBRARY).is(2, &[]).says(&["--devices"]);
    ocr(&["compare", "--policies=device", &hello], NO_LIBRARY)
        .is(1, &["Left out: device"])
        .says(&["no policy could be run"]);
}

#[test]
fn compare_takes_the_median_and_the_programs_own_seconds() {
    let count = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("command-count");
    let text = format!("report 9\necho x >>'{0}'\necho seconds: $((5 - $(wc -l <'{0}')))", count.display());
    let program = script("seconds", &text);
    let _ = fs::remove_file(&count);
    let answer = ocr(&["compare", "--policies=cpu", "--runs=3", &program], &[]).is(
        0,
        &[
            "The median of 3 runs each",
            "the program prints",
            "Only cpu was run: there is nothing to compare with.",
            "cpu: a note",
        ],
    );
    // They are 3, 2 and 1; the 4 before them was to warm up.
    let row = answer.row("cpu").join(" ");
    assert_eq!(row, "cpu 2.000 1.000..3.000 1.00 7 5 2.0 KiB 1 B");
    let variants: Vec<String> = (answer.stdout.lines())
        .filter(|line| line.starts_with("sum"))
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(variants, ["sum cpu function 7 200 us", "sum cpu kernel on device 5 400 ms"]);
    let answer = ocr(&["compare", "--policies=cpu", &script("plain", "report 9")], &[]);
    assert_eq!(answer.is(0, &["of the runtime"]).row("cpu")[1], "9.000");
}

#[test]
fn compare_notices_different_results() {
    let program = script("differs", "report 1\necho \"sum: $$\"\necho 'same: 4'");
    let args = ["compare", "--policies=cpu", "--runs=2", "--same=sum,same", &program];
    ocr(&args, &[]).is(1, &["In all runs, same is 4."]).says(&["sum differs between runs", "first under cpu"]);
    let args = ["compare", "--policies=cpu", "--show=total", "--same=total", &program];
    ocr(&args, &[]).is(1, &["prints no line \"total: ...\""]).says(&["cannot be compared"]);
}

#[test]
fn compare_goes_on_after_a_failure() {
    let program = script("fails", "if [ $OCR_SCHED = cpu ]; then echo broken >&2; exit 3; fi\nreport 1");
    let mut settings = Vec::new();
    if has_device() {
        settings.push(("OCR_DEVICES", "all"));
    }
    let args = ["compare", "--policies=cpu,eager", "--runs=1", &program];
    let answer =
        ocr(&args, &settings).is(1, &["failed (status 3)", "  broken\n"]).says(&["the program failed under cpu"]);
    if !settings.is_empty() {
        assert_eq!(answer.row("eager")[1..3], ["1.000", "-"]);
    }
    let killed = script("killed", "kill -9 $$");
    ocr(&["compare", "--policies=cpu", &killed], &[]).is(1, &["failed (signal 9)", "SIGKILL: somebody killed it"]);
    let crashed = script("crashed", "kill -SEGV $$");
    ocr(&["compare", "--policies=cpu", &crashed], &[]).is(1, &["failed (signal 11)", "signal 11 is SIGSEGV"]);
    let levenshtein = example("levenshtein");
    ocr(&["compare", "--policies=cpu", &levenshtein, "/nonexistent", "x"], &[])
        .is(1, &["failed (status", "/nonexistent"]);
}

/// Runs `ocr compare` under one policy with an input, and with standard input and output of the test's choice.
fn compare_reading(options: &[&str], program: &str, stdin: Stdio) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
    let output = command
        .args(["compare", "--policies=cpu", "--runs=3"])
        .args(options)
        .arg(program)
        .stdin(stdin)
        .output()
        .expect("the command can be started");
    Answer {
        status: output.status.code(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

#[test]
fn compare_gives_each_run_the_standard_input() {
    let counts = script("counts", "echo \"bytes: $(wc -c)\"\nreport 1");
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("command-input");
    fs::write(&file, vec![b'x'; 300_000]).expect("target/ can be written");
    let same = ["--same=bytes"];
    let open = || File::open(&file).expect("it was written");
    compare_reading(&same, &counts, open().into()).is(0, &["In all runs, bytes is 300000."]);
    // From where the file stands.
    let mut begun = open();
    begun.seek(SeekFrom::Start(100_000)).expect("a file");
    compare_reading(&same, &counts, begun.into()).is(0, &["In all runs, bytes is 200000."]);
    // A pipe is read once, and is larger than what fits into one.
    let mut source = Command::new("cat");
    let mut source = (source.arg(&file).stdout(Stdio::piped()).spawn()).expect("there is a cat");
    let pipe = source.stdout.take().expect("a pipe");
    compare_reading(&same, &counts, pipe.into()).is(0, &["In all runs, bytes is 300000."]);
    assert!(source.wait().expect("it ends").success(), "all was read");
    compare_reading(&same, &counts, Stdio::null()).is(0, &["In all runs, bytes is 0."]);
    // No process writes, and none reads: there is nothing to wait for.
    let (reader, _writer) = std::io::pipe().expect("a pipe");
    compare_reading(&[], &script("reads-not", "report 1"), reader.into()).is(0, &["seconds"]);
    ocr(&["compare", "--help"], &[]).is(0, &["Each run gets the standard input"]);
}

#[test]
fn compare_marks_output_that_is_not_utf8() {
    let program = script("latin", "printf 'gr\\366\\337e: 1\\376\\n'; printf '\\377\\n' >&2\nreport 1");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
    let key = OsStr::from_bytes(b"--same=gr\xf6\xdfe");
    let output = command.args(["compare", "--policies=cpu"]).arg(key).arg(&program);
    let output = output.output().expect("the command can be started");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("In all runs, gr\\xf6\\xdfe is 1\\xfe."), "{text}");
    let count = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("command-count-odd");
    let _ = fs::remove_file(&count);
    let text = format!("echo x >>'{0}'; printf \"x: \\\\$((370 + $(wc -l <'{0}')))\\n\"\nreport 1", count.display());
    let differs = script("differs-odd", &text);
    compare_reading(&["--same=x", "--warm-up=0"], &differs, Stdio::null()).is(1, &[]).says(&[
        "x differs",
        "\\xf9 (first",
        "\\xfa (first",
    ]);
    let fails = script("fails-odd", "printf 'no \\377\\n' >&2; exit 3");
    compare_reading(&[], &fails, Stdio::null()).is(1, &["failed (status 3)", "  no \\xff\n"]);
    // A program, and an argument, with such a name.
    let named = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(OsStr::from_bytes(b"command-\xff"));
    let text = script("with-argument", "report 1; printf 'arg: %s\\n' \"$1\"");
    let text = fs::read(text).expect("it was written");
    fs::write(&named, text).expect("target/ can be written");
    fs::set_permissions(&named, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
    let command = command.args(["compare", "--policies=cpu", "--same=arg"]);
    let command = command.arg(&named).arg(OsStr::from_bytes(b"a\xfe"));
    let output = command.output().expect("the command can be started");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("In all runs, arg is a\\xfe."), "{text}");
    fs::remove_file(&named).expect("it was there");
    let output = command.output().expect("the command can be started");
    let text = String::from_utf8(output.stderr).expect("UTF-8");
    assert!(text.contains("command-\\xff cannot be started"), "{text}");
}

/// A file with this content, and with these permissions.
fn file(name: &str, content: &[u8], mode: u32) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}"));
    let _ = fs::remove_file(&path);
    fs::write(&path, content).expect("target/ can be written");
    fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("it is ours");
    path.display().to_string()
}

#[test]
fn compare_says_why_a_program_does_not_run() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    for (program, says) in [
        (file("text", b"hello\n", 0o644), "it is not executable; for a program, chmod +x"),
        (folder.to_string(), "it is a folder"),
        ("no-such-program".to_string(), "no folder of PATH has it"),
        (String::new(), "its name is empty"),
        (
            file("interpreter", b"#!/no/such/shell -e\n", 0o755),
            "its first line names an interpreter that is not there: /no/such/shell",
        ),
    ] {
        let answer = ocr(&["compare", "--policies=cpu", "--", &program], &[]);
        answer.is(2, &[]).says(&[&format!("{program} cannot be started: "), says]);
    }
    // An ELF file for no machine, where this one has its number.
    let mut other = vec![0; 64];
    other[..6].copy_from_slice(b"\x7fELF\x02\x01");
    other[18] = 0xee;
    for (program, says) in [
        (file("other", &other, 0o755), "is a program for another kind of machine"),
        (file("data", b"\0\x01\x02\n", 0o755), "is neither a program nor a script"),
        (file("no-shebang", b"exit 5\n", 0o755), "does not begin with #!, so /bin/sh has executed it"),
    ] {
        ocr(&["compare", "--policies=cpu", &program], &[]).is(1, &["failed (", says]);
    }
    // As from a shell, such a script runs.
    let text = fs::read_to_string(script("with", "report 1")).expect("it was written");
    let runs = file("without", text.replace("#!/bin/sh\n", "").as_bytes(), 0o755);
    ocr(&["compare", "--policies=cpu", &runs], &[]).is(0, &["1.000"]);
}

#[test]
fn compare_refuses_what_cannot_be_run() {
    ocr(&["compare", "/nonexistent"], &[]).is(2, &[]).says(&["/nonexistent cannot be started"]);
    ocr(&["compare", "--policies=cpu", "/bin/true"], &[]).is(1, &["no report", "libocr"]);
    ocr(&["compare", "--policies=cpu,fast", "/bin/true"], &[])
        .is(2, &[])
        .says(&["--policies: there is no policy \"fast\"", "static:C:D"]);
    ocr(&["compare", "--runs=0", "/bin/true"], &[]).is(2, &[]);
    ocr(&["compare", "--run", "5", "/bin/true"], &[])
        .is(2, &[])
        .says(&["there is no option --run (do you mean --runs?); ocr compare --help"]);
    ocr(&["compare", "--", "--polices=cpu", "/bin/true"], &[])
        .is(2, &[])
        .says(&["there is no option --polices=cpu (do you mean --policies?)"]);
    ocr(&["tune", "--vary=policy=cpu", "--metrik", "x", "/bin/true"], &[])
        .is(2, &[])
        .says(&["there is no option --metrik (do you mean --metric?)"]);
    ocr(&["compare", "--xyzzy", "/bin/true"], &[]).is(2, &[]).says(&["there is no option --xyzzy; ocr"]);
    ocr(&["compare"], &[]).is(2, &[]);
}

#[test]
fn answers_that_cannot_be_written() {
    let run = |args: &[&str], stdout: Stdio, stderr: Stdio| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
        let status = command.args(args).stdout(stdout).stderr(stderr).status();
        status.expect("the command can be started").code()
    };
    let full = File::create("/dev/full").expect("there is a /dev/full");
    let unread = || {
        let (_, writer) = std::io::pipe().expect("a pipe");
        Stdio::from(writer)
    };
    assert_eq!(run(&["info"], full.into(), Stdio::null()), Some(1));
    // That no process reads is no error, and changes no status.
    assert_eq!(run(&["info"], unread(), unread()), Some(0));
    let fails = ["compare", "--policies=cpu", "/bin/false"];
    assert_eq!(run(&fails, unread(), unread()), Some(1));
}

/// Whether PoCL is the only platform, so that what is said of it is all that is said.
fn is_pocl_alone() -> bool {
    let info = ocr(&["info", "--require-device", "--short"], &[]);
    let alone = info.status == Some(0) && info.stdout.matches("driver").count() == 1;
    let alone = alone && info.stdout.contains("Portable Computing Language");
    if !alone {
        eprintln!("skipped: PoCL is not the only platform");
    }
    alone
}
