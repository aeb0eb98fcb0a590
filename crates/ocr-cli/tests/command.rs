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
#[path = "command/json.rs"]
mod json;
#[path = "command/recordings.rs"]
mod recordings;
#[path = "command/runs.rs"]
mod runs;
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
        .args(["crates/ocr-cli/tests/diagnosis/planted.c", "build/lib/libocr.a"])
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
fn info_shows_settings_with_their_origin() {
    let settings = [("OCR_WORKERS", "3"), ("OCR_SCHED", "static:1:2")];
    ocr(&["info"], &settings).is(
        0,
        &[
            "Workers: 3 ($OCR_WORKERS)",
            "static:1:2  $OCR_SCHED",
            "Devices (OCR_DEVICES=auto, default)",
            "the first free place",
        ],
    );
    let short = ocr(&["info", "--short"], &[]).is(0, &["Workers: "]);
    assert!(!short.stdout.contains("Settings"), "{}", short.stdout);
}

#[test]
fn info_refuses_wrong_settings() {
    for (variable, value, says) in [
        ("OCR_WORKERS", "0", "$OCR_WORKERS: \"0\" is not a number"),
        ("OCR_BIND", "1", "$OCR_BIND: \"1\" is none of auto, fixed, cores, off"),
        ("OCR_SCHED", "fast", "there is no policy \"fast\""),
        ("OCR_DEVICES", "big", "'big' names no devices"),
        ("OCR_CONFIG", "/nonexistent.toml", "/nonexistent.toml"),
    ] {
        ocr(&["info"], &[(variable, value)]).is(2, &[]).says(&[says]);
        ocr(&["compare", "/bin/true"], &[(variable, value)]).is(2, &[]).says(&[says]);
    }
}

#[test]
fn info_shows_names_that_are_not_utf8() {
    for (variable, value, status, says) in [
        ("OCR_REPORT", &b"\xff.json"[..], 0, "\\xff.json"),
        ("OCR_CONFIG", b"no\xff.toml", 2, "no\\xff.toml cannot be read"),
        ("OCR_SCHED", b"\xff", 2, "$OCR_SCHED: \"\\xff\" is not UTF-8"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ocr"));
        command.arg("info").env(variable, OsStr::from_bytes(value));
        let output = command.output().expect("the command can be started");
        let all = String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8");
        assert_eq!(output.status.code(), Some(status), "{all}");
        assert!(all.contains(says), "no {says} in {all}");
    }
}

#[test]
fn info_says_which_devices_are_used() {
    if !has_device() {
        return;
    }
    ocr(&["info"], &[("OCR_DEVICES", "all")]).is(0, &["  0: ", "     used\n", "OpenCL library"]);
    ocr(&["info"], &[("OCR_DEVICES", "none")]).is(0, &["not used: OCR_DEVICES=none"]);
    ocr(&["info"], &[("OCR_DEVICES", "999")]).is(0, &["there is no device 999. The "]);
}

#[test]
fn info_says_why_there_is_no_device() {
    ocr(&["info"], NO_LIBRARY).is(0, &["none. ", "Everything runs on the workers"]);
    ocr(&["info", "--require-device"], NO_LIBRARY).is(1, &[]).says(&["there is no OpenCL device"]);
    // An empty library cannot be loaded, and the loader takes the system's instead, if there is one.
    ocr(&["info"], &[("OPENCL_DYLIB_PATH", "/nonexistent.so")]).is(0, &["Devices"]);
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
fn info_says_who_would_have_which_cores() {
    let cores = available_parallelism().map_or(1, usize::from);
    if cores < 2 || !is_pocl_alone() {
        return;
    }
    let info = |settings: &[(&str, &str)]| {
        let text = ocr(&["info", "--short"], settings).is(0, &[]).stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let holds = |settings: &[(&str, &str)], part: &str| {
        let text = info(settings);
        assert!(text.contains(part), "no `{part}` in {text}");
    };
    let lent = format!("Cores (OCR_BIND=auto, default): all {cores} are the workers'; CPU devices have some");
    holds(&[], &lent);
    holds(&[("OCR_BIND", "fixed")], "have cores of their own where");
    holds(&[("OCR_SCHED", "device")], "have cores of their own where");
    holds(&[("OCR_WORKERS", "1")], "beside them: 1 worker on ");
    let all = format!("share all {cores}");
    holds(&[("OCR_BIND", "off")], &all);
    let leaves_none = format!("{all}, since $OCR_WORKERS leaves none for a device");
    let workers = cores.to_string();
    holds(&[("OCR_WORKERS", &workers)], &lent);
    holds(&[("OCR_WORKERS", &workers), ("OCR_BIND", "fixed")], &leaves_none);
    assert!(!info(&[("OCR_DEVICES", "none")]).contains("Cores ("));
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

/// A file that is not there.
fn new_file(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&path);
    path.display().to_string()
}

#[test]
fn info_writes_a_platform_description_and_reads_it() {
    let file = new_file("machine.toml");
    let answer = ocr(&["info", "--write-platform", &file], &[]);
    answer.is(0, &[&format!("{file} describes "), "OCR_PLATFORM="]);
    let text = fs::read_to_string(&file).expect("it was written");
    assert!(text.contains("version = 1\n\n[host]\n"), "{text}");
    let shown = ocr(&["info"], &[("OCR_PLATFORM", &file)]);
    let shown = shown.is(0, &["Links (OCR_PLATFORM):", &file]);
    if has_device() {
        for what in ["host to device 0: ", "device 0 to host: ", "/s (measured 20"] {
            assert!(shown.stdout.contains(what), "{}", shown.stdout);
        }
        let missing = text.replace("index = 0\n", "index = 99\n").replace("device 0", "device 99");
        let other = new_file("other-machine.toml");
        fs::write(&other, missing).expect("target/ can be written");
        let refused = ocr(&["info"], &[("OCR_PLATFORM", &other)]);
        refused.is(2, &[]).says(&["$OCR_PLATFORM: it is not of this machine: there is no device 99"]);
    }
    // What is there may have been changed by somebody.
    let again = ocr(&["info", "--write-platform", &file], &[]);
    again.is(1, &[]).says(&[&file, "is there already", "remove it"]);
    assert_eq!(fs::read_to_string(&file).ok(), Some(text.clone()));
    let nowhere = ocr(&["info", "--write-platform", "/nonexistent/machine.toml"], &[]);
    nowhere.is(1, &[]).says(&["the folder /nonexistent is not there"]);
    let without = new_file("no-devices.toml");
    ocr(&["info", "--write-platform", &without], NO_LIBRARY).is(0, &["with 0 devices"]);
    // A program reads it, by the variable or the argument, and does not run with one that is damaged.
    for (name, content, says) in [
        ("damaged.toml", text[..text.len() / 2].to_string(), "is not usable: "),
        (
            "version.toml",
            text.replace("version = 1", "version = 9"),
            "it has version 9, and this runtime reads version 1",
        ),
        ("unknown.toml", text.replace("[host]", "[hosts]"), "unknown field `hosts`"),
        ("cores.toml", text.replacen("compute-units = ", "compute-units = 7", 1), "its host has 7"),
    ] {
        let file = new_file(name);
        fs::write(&file, content).expect("target/ can be written");
        for (args, settings) in [(&[][..], &[("OCR_PLATFORM", &*file)][..]), (&["-ocr:platform", &*file][..], &[][..])]
        {
            let run = Command::new(example("hello"))
                .args(args)
                .env_remove("OCR_PLATFORM")
                .envs(settings.iter().copied())
                .output()
                .expect("it can be started");
            let said = String::from_utf8_lossy(&run.stderr);
            assert_eq!(run.status.code(), Some(2), "{said}");
            assert!(said.contains(says) && said.contains(name), "{said}");
        }
        ocr(&["info"], &[("OCR_PLATFORM", &file)]).is(2, &[]).says(&[says]);
    }
    let run = Command::new(example("hello")).args(["-ocr:platform", &file]).output().expect("it can be started");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

/// Runs an example that has a kernel and no C function, on a CPU device if there is one, with variables of the
/// environment.
fn vector_scale(before: &[&str], variables: &[(&str, &str)]) -> Answer {
    let example = example("vector-scale");
    let words: Vec<&str> = (before.iter().copied()).chain([example.as_str()]).collect();
    let mut command = Command::new(words[0]);
    for (variable, _) in std::env::vars() {
        let of_pocl = variable.starts_with("POCL_");
        if of_pocl || variable.starts_with("OCR_") || variable.starts_with("XDG_") {
            command.env_remove(variable);
        }
    }
    command.env("OCR_MODELS", "off");
    command.args(&words[1..]).envs(variables.iter().copied());
    let output = command.stdin(Stdio::null()).output();
    let output = output.expect("it can be started");
    Answer {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// An empty folder of this name.
fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("command-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("target/ can be written");
    path
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

#[test]
fn info_lists_the_limits_of_devices() {
    if has_device() {
        ocr(&["info", "--short"], &[])
            .is(0, &["compute unit", "Limits: largest buffer ", "local memory ", "work-items in a work-group"]);
    }
}

/// As for a user without a home, but for the superuser, too: below a file there is no folder.
#[test]
fn pocl_without_a_folder_is_explained() {
    if !is_pocl_alone() {
        return;
    }
    let cache = root().join("Cargo.toml/cache").display().to_string();
    let set = [("POCL_CACHE_DIR", &*cache)];
    let says = ["Cargo.toml/cache (by POCL_CACHE_DIR), which cannot be made: "];
    let answer = vector_scale(&[], &set);
    assert_ne!(answer.status, Some(0));
    answer.says(&says).says(&["Set POCL_CACHE_DIR to a folder"]);
    let text = ocr(&["info"], &set).is(0, &["none. "]).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(says[0]), "{text}");
}

#[test]
fn variables_that_leave_pocl_without_a_device_are_named() {
    if !is_pocl_alone() {
        return;
    }
    for (name, value, says) in [
        ("POCL_CACHE_DIR", "", "is not used: POCL_CACHE_DIR is set and empty, for which PoCL would end the process"),
        ("POCL_DEVICES", "", "chosen by POCL_DEVICES=\"\""),
        ("POCL_DEVICES", "bogus", "chosen by POCL_DEVICES=\"bogus\""),
    ] {
        let set = [(name, value)];
        let text = ocr(&["info", "--short"], &set).is(0, &[]).stdout;
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        // Later versions may have devices even so.
        if text.contains(", driver ") {
            continue;
        }
        assert!(text.contains(says), "no `{says}` in\n{text}");
        let answer = vector_scale(&[], &set);
        assert_eq!(answer.status, Some(1), "{}", answer.stderr);
        assert!(!answer.stderr.contains("corrupted"), "{}", answer.stderr);
        answer.says(&[if name == "POCL_DEVICES" { "`ocr info` checks" } else { says }]);
    }
}

/// A list of which a part is right is used, and `ocr info` names the rest of it.
#[test]
fn drivers_of_pocl_that_give_no_device_are_named() {
    if !is_pocl_alone() {
        return;
    }
    let set = [("POCL_DEVICES", "pthread bogus")];
    let says = "POCL_DEVICES is \"pthread bogus\", but the driver \"bogus\" has given no device";
    let text = ocr(&["info", "--short"], &set).is(0, &[]).stdout;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains(says), "no `{says}` in\n{text}");
    let answer = vector_scale(&[], &set);
    assert_eq!(answer.status, Some(0), "{}", answer.stderr);
    let right = ocr(&["info", "--short"], &[("POCL_DEVICES", "pthread")]).is(0, &[]);
    assert!(!right.stdout.contains("given no device"), "{}", right.stdout);
}

/// LLVM ends the process in the middle of a launch, from a thread of its own.
#[test]
fn a_folder_of_pocl_that_is_full_at_a_launch_is_explained() {
    if !is_pocl_alone() {
        return;
    }
    let cache = folder("small");
    let cache = cache.display().to_string();
    let set = [("POCL_CACHE_DIR", &*cache)];
    let mut ended = false;
    // Some sizes are enough for the build, and not for the launch.
    for size in ["16k", "48k", "96k"] {
        let mount = format!("mount -t tmpfs -o size={size} tmpfs '{cache}'");
        let runs = format!("{mount} || exit 77; exec \"$0\"");
        let answer = vector_scale(&["unshare", "-m", "sh", "-c", &runs], &set);
        if matches!(answer.status, Some(77)) || answer.stderr.contains("unshare") {
            eprintln!("skipped: nothing can be mounted here");
            return;
        }
        if answer.status == Some(0) {
            continue;
        }
        ended = true;
        assert!(answer.stderr.contains("ocr: error: "), "{}", answer.stderr);
        assert!(!answer.stderr.contains("corrupted"), "{}", answer.stderr);
        answer.says(&[&cache, "POCL_CACHE_DIR"]);
    }
    assert!(ended, "PoCL has room for all it compiles in 16 KiB");
}

#[test]
fn pocl_without_a_linker_is_explained() {
    if !is_pocl_alone() {
        return;
    }
    let cache = folder("no-linker").display().to_string();
    let set = [("POCL_CACHE_DIR", &*cache), ("PATH", "/nonexistent")];
    let answer = vector_scale(&[], &set);
    if answer.status == Some(0) {
        eprintln!("skipped: this PoCL needs no ld");
        return;
    }
    assert!(!answer.stderr.contains("corrupted"), "{}", answer.stderr);
    answer.says(&[
        "OpenCL itself has ended the program (abort), and the lines above may say why",
        "there is no ld in PATH (/nonexistent)",
    ]);
}

/// Mounts need the superuser, and not each sandbox lets that one.
#[test]
fn folders_that_pocl_cannot_use_are_explained() {
    if !is_pocl_alone() {
        return;
    }
    let cache = folder("mounted");
    let cache = cache.display().to_string();
    let set = [("POCL_CACHE_DIR", &*cache)];
    for (options, says) in [
        ("noexec", "from which no code can be loaded (is it mounted noexec?): "),
        ("ro", "(by POCL_CACHE_DIR), in which nothing can be written: Read-only file system"),
    ] {
        let mount = format!("mount -t tmpfs -o {options} tmpfs '{cache}'");
        let unshare = ["unshare", "-m", "sh", "-c"];
        let tried = Command::new(unshare[0]).args(&unshare[1..]).arg(&mount).output();
        if !tried.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: nothing can be mounted here");
            return;
        }
        let runs = format!("{mount} && exec \"$0\"");
        let words = [&unshare[..], &[&runs]].concat();
        let answer = vector_scale(&words, &set);
        assert_eq!(answer.status, Some(1), "{}", answer.stderr);
        let wrong = ["does not compile", "corrupted"];
        assert!(!wrong.iter().any(|word| answer.stderr.contains(word)), "{}", answer.stderr);
        answer.says(&[says, "Set POCL_CACHE_DIR to a folder"]);
    }
}

#[test]
fn icd_files_that_name_no_driver_are_explained() {
    if !is_pocl_alone() {
        return;
    }
    let driver = fs::read_dir("/etc/OpenCL/vendors").ok().and_then(|mut found| found.next()?.ok());
    let Some(driver) = driver.and_then(|file| fs::read_to_string(file.path()).ok()) else {
        eprintln!("skipped: there is no .icd file in /etc/OpenCL/vendors");
        return;
    };
    let driver = driver.trim();
    let vendors = folder("vendors");
    let file = vendors.join("one.icd");
    let place = vendors.display().to_string();
    let set = [("OCL_ICD_VENDORS", &*place)];
    let info = |content: &str| {
        fs::write(&file, content).expect("it is ours");
        let text = ocr(&["info", "--short"], &set).is(0, &[]).stdout;
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (content, says) in [
        ("/nonexistent/driver.so\n".to_string(), "could not load it (/nonexistent/driver.so: "),
        (String::new(), "names no library"),
        (format!("{driver}\r\n"), "a carriage return at the end of the line"),
        (format!("{driver} \n"), "a blank beside the name"),
        (format!("\n{driver}\n"), "an empty line before the name"),
    ] {
        let text = info(&content);
        // A loader that takes it is right, too.
        let taken = text.contains(", driver ") && !content.starts_with('/') && !content.is_empty();
        assert!(taken || text.contains(says), "no `{says}` in\n{text}");
    }
    // One without a newline is as good.
    let text = info(driver);
    assert!(text.contains(", driver ") && !text.contains("one.icd names"), "{text}");
    fs::write(vendors.join("two.icd"), "/nonexistent/driver.so\n").expect("it is ours");
    let text = info(driver);
    assert!(text.contains(", driver ") && text.contains("two.icd names /nonexistent/driver.so: "), "{text}");
    vector_scale(&[], &set).is(0, &["ok"]);
}

#[test]
fn a_library_that_is_passed_over_is_told() {
    if !is_pocl_alone() {
        return;
    }
    let set = [("OPENCL_DYLIB_PATH", "/nonexistent/libOpenCL.so")];
    let warning = "OPENCL_DYLIB_PATH names /nonexistent/libOpenCL.so, which the system could not load (";
    let answer = vector_scale(&[], &set).is(0, &["ok"]);
    answer.says(&[&format!("ocr: warning: {warning}"), "cannot open shared object file", "is used instead"]);
    ocr(&["info", "--short"], &set).is(0, &["Note: OPENCL_DYLIB_PATH names"]);
    for empty in ["", ";libOpenCL.so.1"] {
        let answer = vector_scale(&[], &[("OPENCL_DYLIB_PATH", empty)]);
        assert_eq!(answer.status, Some(1));
        answer.says(&["OPENCL_DYLIB_PATH holds an empty name", "or unset OPENCL_DYLIB_PATH"]);
    }
    let answer = vector_scale(&[], &[("OPENCL_DYLIB_PATH", "libc.so.6")]);
    assert_eq!(answer.status, Some(1));
    answer.says(&["libc.so.6, which is loaded but is not OpenCL"]);
    let good = vector_scale(&[], &[("OPENCL_DYLIB_PATH", "libOpenCL.so.1")]);
    assert!(!good.stderr.contains("OPENCL_DYLIB_PATH"), "{}", good.stderr);
}
