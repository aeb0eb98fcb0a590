//! Runs the OCR programs below `tests/c`: each is compiled against `build/lib/libocr.so`, and is a test
//! for every number of workers it names. What the programs say about themselves is described in
//! `tests/c/check.h`. The first program of each group is linked with `build/lib/libocr.a` instead: a group is the
//! programs whose names begin with the same word.
//!
//! Settings, from the environment:
//!
//! * `CC`, `CXX`: the compilers (`cc`, `c++`)
//! * `OCR_TEST_REPEAT=N`: each test runs N times
//! * `OCR_TEST_KEEP=1`: compiled programs stay in `target/c-tests`, and serve the next run if nothing has
//!   changed. Without it only those stay that failed
//! * `OCR_TEST_VALGRIND=1`: under memcheck, with smaller sizes and 2 workers, no kernels
//! * `OCR_TEST_SANITIZER=thread` or `address`: compiled with that sanitizer against the library that
//!   `make tsan` or `make asan` builds so; with smaller sizes, no kernels
//! * `OCR_TEST_NO_OPENCL=1`: programs that launch kernels are ignored
//! * `OCR_TEST_FOLDER=NAME`: compiled programs go to `target/c-tests/NAME`, apart from those of other settings
//! * `OCR_TEST_WORKERS=N`: programs that run with so many workers and others run with so many alone
//! * `OCR_BLESS=1`: what a program prints replaces its `.expected-output`, where it has one and differs
//! * `OCR_TEST_ALL=1`: a program that says that what it needs is not there fails

mod support;

use std::collections::HashSet;
use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// After this long a program counts as hung. Generous: it is no statement about speed.
const WATCHDOG: Duration = Duration::from_secs(120);

/// The exit status of a program that finds that what it needs is not there: `NOT_RUN` of `tests/c/check.h`.
const NOT_RUN: i32 = 77;

/// Which exit status passes.
#[derive(Clone, Copy)]
enum Expected {
    Code(i32),
    NonZero,
}

impl Expected {
    fn is_met_by(self, status: ExitStatus) -> bool {
        match self {
            Self::Code(code) => status.code() == Some(code),
            Self::NonZero => !status.success(),
        }
    }
}

/// A program and what its directives ask for.
struct Program {
    source: PathBuf,
    name: String,
    args: Vec<String>,
    status: Expected,
    stdout: Vec<String>,
    stdout_lines: Vec<(usize, String)>,
    expected_output: Option<String>,
    stderr: Vec<String>,
    stderr_without: Vec<String>,
    env: Vec<(String, String)>,
    workers: Vec<u32>,
    needs_opencl: bool,
    needs_halt: bool,
    needs_signals: bool,
    /// Whether the static library is linked.
    is_static: bool,
    /// Compiled by the first test that gets here.
    binary: OnceLock<Result<PathBuf, String>>,
    /// Whether a run of it has failed.
    failed: AtomicBool,
}

impl Drop for Program {
    /// Its last test has ended.
    fn drop(&mut self) {
        let Some(Ok(binary)) = self.binary.get() else {
            return;
        };
        let kept = binary.with_file_name(&self.name);
        // What cannot be moved or removed is in nobody's way.
        if *self.failed.get_mut() || support::is_set("OCR_TEST_KEEP") {
            let _ = fs::rename(binary, kept);
        } else {
            let _ = fs::remove_file(binary);
            let _ = fs::remove_file(kept);
        }
    }
}

impl Program {
    fn read(source: PathBuf) -> Result<Self, String> {
        let text = fs::read_to_string(&source).map_err(|e| format!("{}: {e}", source.display()))?;
        let name = source.file_stem().map(|s| s.to_string_lossy().into_owned());
        let mut program = Self {
            name: name.unwrap_or_default(),
            args: Vec::new(),
            status: Expected::Code(0),
            stdout: Vec::new(),
            stdout_lines: Vec::new(),
            expected_output: fs::read_to_string(source.with_extension("expected-output")).ok(),
            stderr: Vec::new(),
            stderr_without: Vec::new(),
            env: Vec::new(),
            workers: Vec::new(),
            needs_opencl: false,
            needs_halt: false,
            needs_signals: false,
            is_static: false,
            binary: OnceLock::new(),
            failed: AtomicBool::new(false),
            source,
        };
        for line in text.lines() {
            let Some((key, value)) = line.strip_prefix("// ").and_then(|l| l.split_once(':'))
            else {
                continue;
            };
            // Prose has a colon, too, but its first words are more than one, or begin with a capital.
            if key.contains(|c: char| c != '-' && !c.is_ascii_lowercase()) {
                continue;
            }
            program
                .directive(key, value.trim())
                .ok_or_else(|| format!("{}: bad directive `{line}`", program.source.display()))?;
        }
        if program.workers.is_empty() {
            // With mainEdt alone, a program that is ended on purpose does the same with any number of workers.
            let edts = text.matches("ocrEdtDep_t depv[]").count();
            program.workers = match (program.status, edts) {
                (Expected::Code(0), _) | (_, 0 | 2..) => vec![1, 2, 8],
                (_, 1) => vec![2],
            };
        }
        Ok(program)
    }

    /// Takes one directive in; none if it cannot be understood.
    fn directive(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "args" => self.args = value.split_whitespace().map(str::to_owned).collect(),
            "status" if value == "nonzero" => self.status = Expected::NonZero,
            "status" => self.status = Expected::Code(value.parse().ok()?),
            "stdout" => self.stdout.push(value.to_owned()),
            "stdout-lines" => {
                let (count, line) = value.split_once(' ')?;
                self.stdout_lines
                    .push((count.parse().ok()?, line.to_owned()));
            }
            "stderr" => self.stderr.push(value.to_owned()),
            // Each misuse is told by the ID of its rule. `tests/rules.rs` reads these two as well.
            "misuse" => {
                let ids = value.split_whitespace();
                self.stderr
                    .extend(ids.map(|id| format!("the rule: [{id}] ")));
            }
            "clause" if !value.is_empty() => {}
            "stderr-without" => self.stderr_without.push(value.to_owned()),
            "env" => {
                let (name, value) = value.split_once('=')?;
                self.env.push((name.to_owned(), value.to_owned()));
            }
            "workers" => {
                self.workers = value
                    .split_whitespace()
                    .map(str::parse)
                    .collect::<Result<_, _>>()
                    .ok()?;
            }
            "needs" if value == "opencl" => self.needs_opencl = true,
            "needs" if value == "halt" => self.needs_halt = true,
            "needs" if value == "signals" => self.needs_signals = true,
            _ => return None,
        }
        Some(())
    }

    /// The first word of its name.
    fn group(&self) -> &str {
        self.name.split('_').next().unwrap_or_default()
    }

    /// The compiled program; compiles it unless that has been done since anything changed.
    fn binary(&self, place: &Place) -> Result<&Path, String> {
        self.binary
            .get_or_init(|| self.compile(place))
            .as_deref()
            .map_err(Clone::clone)
    }

    fn compile(&self, place: &Place) -> Result<PathBuf, String> {
        let objects = if self.is_static {
            &place.objects
        } else {
            &place.shared
        };
        if let Some(missing) = objects.iter().find(|object| !object.exists()) {
            let target = match place.sanitizer {
                None => "make",
                Some(Sanitizer::Thread) => "make tsan",
                Some(Sanitizer::Address) => "make asan",
            };
            return Err(format!("no {}: run `{target}` first", missing.display()));
        }
        let binary = place.output.join(&self.name);
        let newest = modified(&self.source).max(place.newest_input);
        if binary.exists() && modified(&binary) > newest {
            return Ok(binary);
        }
        let cplusplus = self.source.extension() == Some(OsStr::new("cpp"));
        let (variable, default, standard) = if cplusplus {
            ("CXX", "c++", "-std=gnu++17")
        } else {
            ("CC", "cc", "-std=gnu11")
        };
        // Another run of this harness may have one of the same name.
        let fresh = place
            .output
            .join(format!("{}.{}", self.name, std::process::id()));
        let mut command = support::compiler(variable, default);
        command
            .args([standard, "-Wall", "-g", "-Werror", "-DOCR_ASSERT"])
            .arg("-I")
            .arg(place.root.join("include"))
            .arg("-iquote")
            .arg(place.root.join("tests/c"))
            .args(place.sanitizer.map(Sanitizer::flag))
            .arg(&self.source)
            .args(objects)
            .arg("-Wl,-rpath,".to_owned() + &place.root.join("build/lib").to_string_lossy())
            .args(["-lpthread", "-ldl", "-lm", "-o"])
            .arg(&fresh);
        let output = (command.output()).map_err(|e| format!("{:?}: {e}", command.get_program()))?;
        if !output.status.success() {
            return Err(format!(
                "{command:?}\n{}",
                String::from_utf8_lossy(&output.stderr)
            ));
        }
        Ok(fresh)
    }

    /// Runs the program once and judges it. What comes back is why it was not run, where it said so.
    fn run(&self, place: &Place, workers: u32) -> Result<Option<String>, String> {
        let binary = self.binary(place)?;
        let mut command = if let Some(sanitizer) = place.sanitizer {
            let mut command = Command::new(binary);
            command.env("OCR_TEST_SMALL", "1");
            let (variable, options) = sanitizer.options(&place.root);
            command.env(variable, options);
            command
        } else if place.valgrind {
            let mut valgrind = Command::new("valgrind");
            valgrind.args([
                "-q",
                "--error-exitcode=99",
                "--errors-for-leak-kinds=definite",
            ]);
            // A program that is cut short leaves its memory behind.
            let ends_normally = matches!(self.status, Expected::Code(0));
            valgrind.arg(if ends_normally {
                "--leak-check=full"
            } else {
                "--leak-check=no"
            });
            valgrind.arg(binary).env("OCR_TEST_SMALL", "1");
            valgrind
        } else {
            Command::new(binary)
        };
        command
            .args(&self.args)
            // No test writes to the cache of the user.
            .env("OCR_MODELS", "off")
            .env("OCR_WORKERS", workers.to_string());
        if self.needs_opencl {
            command.env("OCR_DEVICES", "all");
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.current_dir(&place.output).stdin(Stdio::null());
        let limit = if place.is_slow() {
            WATCHDOG * 20
        } else {
            WATCHDOG
        };
        let run = run_with_limit(command, limit)?;
        if run.status.code() == Some(NOT_RUN) {
            let reason = run.stderr.lines().find_map(|l| l.strip_prefix("not run: "));
            if let (Some(reason), false) = (reason, support::is_set("OCR_TEST_ALL")) {
                return Ok(Some(reason.to_owned()));
            }
        }
        self.judge(&run).map(|()| None)
    }

    fn judge(&self, run: &Run) -> Result<(), String> {
        let mut complaints = Vec::new();
        if !self.status.is_met_by(run.status) {
            let want = match self.status {
                Expected::Code(code) => format!("exit status: {code}"),
                Expected::NonZero => "a status that is not zero".to_owned(),
            };
            complaints.push(format!("{}, want {want}", run.status));
        } else if run
            .status
            .signal()
            .is_some_and(|signal| signal != libc::SIGABRT)
        {
            // A program that is to fail does so on purpose, not by a crash.
            complaints.push(format!("crashed: {}", run.status));
        }
        for text in self
            .stdout
            .iter()
            .filter(|text| !run.stdout.contains(text.as_str()))
        {
            complaints.push(format!("the standard output lacks `{text}`"));
        }
        for text in self
            .stderr
            .iter()
            .filter(|text| !run.stderr.contains(text.as_str()))
        {
            complaints.push(format!("the standard error lacks `{text}`"));
        }
        for text in self
            .stderr_without
            .iter()
            .filter(|text| run.stderr.contains(text.as_str()))
        {
            complaints.push(format!("the standard error has `{text}`"));
        }
        for (want, line) in &self.stdout_lines {
            let got = run.stdout.lines().filter(|l| l == line).count();
            if got != *want {
                complaints.push(format!("{got} lines `{line}`, want {want}"));
            }
        }
        if self
            .expected_output
            .as_ref()
            .is_some_and(|want| *want != run.stdout)
        {
            let path = self.source.with_extension("expected-output");
            if support::is_set("OCR_BLESS") && complaints.is_empty() {
                fs::write(&path, &run.stdout).map_err(|e| format!("{}: {e}", path.display()))?;
            } else {
                complaints.push(format!(
                    "the standard output is not that of {} (OCR_BLESS=1 replaces it)",
                    path.display()
                ));
            }
        }
        if complaints.is_empty() {
            Ok(())
        } else {
            Err(run.describe(&complaints.join("\n")))
        }
    }
}

/// A sanitizer of the compilers.
#[derive(Clone, Copy)]
enum Sanitizer {
    Thread,
    Address,
}

impl Sanitizer {
    fn of_environment() -> Result<Option<Self>, String> {
        match env::var("OCR_TEST_SANITIZER").as_deref() {
            Err(_) | Ok("") => Ok(None),
            Ok("thread") => Ok(Some(Self::Thread)),
            Ok("address") => Ok(Some(Self::Address)),
            Ok(other) => Err(format!("OCR_TEST_SANITIZER={other}: thread or address")),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Thread => "thread",
            Self::Address => "address",
        }
    }

    fn flag(self) -> String {
        format!("-fsanitize={}", self.name())
    }

    /// The environment of a program that runs with it.
    fn options(self, root: &Path) -> (&'static str, String) {
        let suppressions = root.join("tests/sanitizers/thread.supp");
        match self {
            Self::Thread => (
                "TSAN_OPTIONS",
                format!("suppressions={} exitcode=99", suppressions.display()),
            ),
            // What memcheck says of leaks is more exact: programs end in many ways.
            Self::Address => ("ASAN_OPTIONS", "detect_leaks=0 exitcode=99".to_owned()),
        }
    }

    /// Where `make tsan` and `make asan` put the library, and what is linked with it.
    fn objects(self, root: &Path) -> Vec<PathBuf> {
        let folder = root.join("build/sanitizers").join(self.name());
        match self {
            Self::Thread => vec![folder.join("memory.o"), folder.join("libocr.a")],
            Self::Address => vec![folder.join("libocr.a")],
        }
    }
}

/// Where things are, the same for all programs.
struct Place {
    root: PathBuf,
    /// The static library, last, and what is linked with it.
    objects: Vec<PathBuf>,
    /// The library for the other programs: the shared one, or with a sanitizer the static one, too.
    shared: Vec<PathBuf>,
    output: PathBuf,
    /// When the library or a header last changed.
    newest_input: SystemTime,
    valgrind: bool,
    sanitizer: Option<Sanitizer>,
}

impl Place {
    /// Whether each step of a program costs many times as much as usual.
    fn is_slow(&self) -> bool {
        self.valgrind || self.sanitizer.is_some()
    }
}

/// How a program ended, and what it printed.
struct Run {
    status: ExitStatus,
    stdout: String,
    stderr: String,
}

impl Run {
    fn describe(&self, complaint: &str) -> String {
        let mut text = complaint.to_owned();
        for (name, stream) in [
            ("standard output", &self.stdout),
            ("standard error", &self.stderr),
        ] {
            let lines: Vec<&str> = stream.lines().collect();
            let shown = &lines[lines.len().saturating_sub(40)..];
            if !shown.is_empty() {
                let _ = write!(text, "\n--- {name}\n{}", shown.join("\n"));
            }
        }
        text
    }
}

/// Runs a command to its end; past the limit it is killed, which is an error that says `hung`.
fn run_with_limit(mut command: Command, limit: Duration) -> Result<Run, String> {
    // In a process group of its own: a program that hangs is killed with the copies that it forked, which hold its pipes.
    let mut child = command
        .process_group(0)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("{command:?}: {e}"))?;
    let stdout = read_all(child.stdout.take());
    let stderr = read_all(child.stderr.take());
    let start = Instant::now();
    let mut hung = false;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) => {}
            Err(e) => return Err(format!("{command:?}: {e}")),
        }
        if !hung && start.elapsed() > limit {
            hung = true;
            kill_group(&child).map_err(|e| format!("{command:?}: {e}"))?;
        }
        // Short at first, so that many short programs do not wait for the harness.
        let nap = (start.elapsed() / 20).clamp(Duration::from_millis(1), Duration::from_millis(50));
        thread::sleep(nap);
    };
    let run = Run {
        status,
        stdout: join(stdout),
        stderr: join(stderr),
    };
    if hung {
        Err(run.describe(&format!("hung: no end after {limit:?}")))
    } else {
        Ok(run)
    }
}

/// Ends the process group that the child leads. The child is still to be waited for, so its number is nobody else's.
fn kill_group(child: &Child) -> io::Result<()> {
    let group = i32::try_from(child.id()).map_err(io::Error::other)?;
    // SAFETY: kill takes numbers and touches no memory of this process. The number is not 0, so it is not our own group.
    match unsafe { libc::kill(-group, libc::SIGKILL) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

type Reader = thread::JoinHandle<String>;

/// Reads a pipe on a thread of its own, so that the program never waits for its reader.
fn read_all(pipe: Option<impl Read + Send + 'static>) -> Reader {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // What could be read before an error is still worth showing.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn join(reader: Reader) -> String {
    reader
        .join()
        .unwrap_or_else(|_| "(the reader failed)".to_owned())
}

fn modified(path: &Path) -> SystemTime {
    fs::metadata(path)
        .and_then(|m| m.modified())
        .unwrap_or(SystemTime::UNIX_EPOCH)
}

fn main() -> Result<(), String> {
    let arguments = Arguments::from_args();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let sources = root.join("tests/c");
    let sanitizer = Sanitizer::of_environment()?;
    let objects = match sanitizer {
        Some(sanitizer) => sanitizer.objects(&root),
        None => vec![root.join("build/lib/libocr.a")],
    };
    let shared = match sanitizer {
        Some(_) => objects.clone(),
        None => vec![root.join("build/lib/libocr.so")],
    };
    let mut output = match sanitizer {
        Some(sanitizer) => root.join("target/c-tests").join(sanitizer.name()),
        None => root.join("target/c-tests"),
    };
    if let Some(folder) = env::var_os("OCR_TEST_FOLDER") {
        output.push(folder);
    }
    let headers = ["tests/c", "include"];
    let newest_header = headers
        .iter()
        .flat_map(|folder| support::files_below(&root.join(folder), &["h"]));
    let place = Arc::new(Place {
        newest_input: newest_header
            .chain(objects.iter().chain(&shared).cloned())
            .map(|file| modified(&file))
            .max()
            .unwrap_or(SystemTime::UNIX_EPOCH),
        objects,
        shared,
        output,
        valgrind: support::is_set("OCR_TEST_VALGRIND"),
        sanitizer,
        root,
    });
    fs::create_dir_all(&place.output).map_err(|e| format!("{}: {e}", place.output.display()))?;
    let repeat: u32 = match env::var("OCR_TEST_REPEAT") {
        Ok(number) => number
            .parse()
            .map_err(|e| format!("OCR_TEST_REPEAT={number}: {e}"))?,
        Err(_) => 1,
    };
    let only_workers: Option<u32> = match env::var("OCR_TEST_WORKERS") {
        Ok(number) => {
            Some((number.parse()).map_err(|e| format!("OCR_TEST_WORKERS={number}: {e}"))?)
        }
        Err(_) if place.is_slow() => Some(2),
        Err(_) => None,
    };
    let no_opencl = if support::is_without_opencl() {
        Some("OCR_TEST_NO_OPENCL is set")
    } else if place.is_slow() {
        Some("memcheck and the sanitizers find fault with OpenCL drivers")
    } else {
        None
    };

    let mut trials = Vec::new();
    let mut left_out = 0;
    let mut groups = HashSet::new();
    for source in support::files_below(&sources, &["c", "cpp"]) {
        let mut program = Program::read(source)?;
        program.is_static = groups.insert(program.group().to_owned());
        let program = Arc::new(program);
        let ignored = program.needs_opencl && no_opencl.is_some();
        left_out += usize::from(ignored);
        // A process with a thread of ThreadSanitizer's own is never said to hang.
        let ignored = ignored || program.needs_halt && matches!(sanitizer, Some(Sanitizer::Thread));
        // Memcheck and the sanitizers tell of crashes themselves.
        let ignored = ignored || program.needs_signals && place.is_slow();
        let counts = match only_workers {
            Some(count) if program.workers.contains(&count) => vec![count],
            Some(_) => program.workers[..1].to_vec(),
            None => program.workers.clone(),
        };
        for workers in counts {
            let (program, place) = (Arc::clone(&program), Arc::clone(&place));
            let name = format!("{}::workers_{workers}", program.name);
            let test = move || -> Result<Completion, Failed> {
                for n in 1..=repeat {
                    let run = program.run(&place, workers).map_err(|e| {
                        program.failed.store(true, Ordering::Relaxed);
                        if repeat > 1 {
                            format!("run {n} of {repeat}: {e}")
                        } else {
                            e
                        }
                    })?;
                    if let Some(reason) = run {
                        return Ok(Completion::ignored_with(reason));
                    }
                }
                Ok(Completion::Completed)
            };
            trials.push(Trial::ignorable_test(name, test).with_ignored_flag(ignored));
        }
    }
    if let (Some(reason), 1..) = (no_opencl, left_out) {
        eprintln!("{left_out} programs that launch kernels are ignored: {reason}");
    }
    libtest_mimic::run(&arguments, trials).exit()
}
