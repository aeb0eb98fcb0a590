//! Runs the OCR programs below `tests/c`: each is compiled against `build/lib/libocr.so`, and is a test for every
//! number of workers it names, in each of its revisions. What the programs say about themselves is described in
//! `tests/c/check.h`, and read by `tests/support/directives.rs`. The first program of each group is linked with
//! `build/lib/libocr.a` instead: a group is the programs whose names begin with the same word.
//!
//! Settings, from the environment:
//!
//! * `CC`, `CXX`: the compilers (`cc`, `c++`)
//! * `OCR_TEST_REPEAT=N`: each test runs N times; 0 only compiles the programs
//! * `OCR_TEST_ROOT=FOLDER`: the sources and the compiled programs are below that folder, not where this was compiled
//! * `OCR_TEST_KEEP=1`: compiled programs stay in `target/c-tests`, and serve the next run if nothing has
//!   changed. Without it only those stay that failed
//! * `OCR_TEST_VALGRIND=1`: under memcheck, with smaller sizes and 2 workers, no kernels
//! * `OCR_TEST_SANITIZER=thread` or `address`: compiled with that sanitizer against the library that
//!   `make tsan` or `make asan` builds so; with smaller sizes, no kernels
//! * `OCR_TEST_NO_OPENCL=1`: programs that launch kernels are ignored
//! * `OCR_TEST_FOLDER=NAME`: compiled programs go to `target/c-tests/NAME`, apart from those of other settings
//! * `OCR_TEST_WORKERS=N`: programs that run with `N` workers and with other numbers run with `N` alone
//! * `OCR_TEST_TRACE=1`: runs are recorded, and the recordings checked by `ocr trace check`, and on one node by
//!   `ocr check`
//! * `OCR_TEST_RETRY=1`: programs run in verification mode (`OCR_RETRY=verify`), all with `build/lib/libocr.so`; those
//!   that say `// once:` are ignored
//! * `OCR_TEST_ZONE=NODE/NODES`: programs make their GUIDs as that node of several does, such as node 5 of 8 for `5/8`:
//!   the library reads this
//! * `OCR_TEST_NODES=N`: programs that end with status 0, without kernels, strict mode and attempts, run on N nodes
//!   under MPICH, which take EDTs in turn; those that say `// one-node:` are ignored
//! * `OCR_BLESS=1`: what a program prints replaces its `.expected-output` and its `.stderr`, where it has one and
//!   differs
//! * `OCR_TEST_TIMES=N`: the N runs that took the longest are listed at the end
//! * `OCR_TEST_ALL=1`: a program that says that what it needs is not there fails

#[path = "support/directives.rs"]
mod directives;
#[path = "support/snapshot.rs"]
mod snapshot;
mod support;

use std::collections::{BTreeMap, HashSet};
use std::env;
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use directives::{Directives, Expected};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// After this long a program counts as hung. Generous: it is no statement about speed.
const WATCHDOG: Duration = Duration::from_secs(120);

/// The extension of the file beside a program that is its standard output, and of that which is its standard error.
const OUTPUT: &str = "expected-output";
const SNAPSHOT: &str = "stderr";

/// The exit status of a program that finds that what it needs is not there: `NOT_RUN` of `tests/c/check.h`.
const NOT_RUN: i32 = 77;

/// A program.
struct Program {
    source: PathBuf,
    name: String,
    /// Whether the static library is linked.
    is_static: bool,
    /// Compiled by the first test that gets here.
    binary: OnceLock<Result<PathBuf, String>>,
    /// Whether a run of it has failed.
    failed: AtomicBool,
}

/// What a program is to do in one of its revisions.
struct Revision {
    asks: Directives,
    /// The file of the whole standard output, and what it has.
    expected_output: Option<(PathBuf, String)>,
    /// The file of the whole standard error without what differs from run to run, and what it has.
    snapshot: Option<(PathBuf, String)>,
}

impl Revision {
    fn new(source: &Path, asks: Directives) -> Result<Self, String> {
        let beside = |extension: &str| {
            let own = asks.revision.map(|revision| source.with_extension(format!("{}.{extension}", revision.name())));
            let common = Some(source.with_extension(extension));
            let file = own.into_iter().chain(common).find(|file| file.exists());
            let read = |file: PathBuf| match fs::read_to_string(&file) {
                Ok(text) => Ok((file, text)),
                Err(e) => Err(format!("{}: {e}", file.display())),
            };
            file.map(read).transpose()
        };
        Ok(Self { expected_output: beside(OUTPUT)?, snapshot: beside(SNAPSHOT)?, asks })
    }

    /// The files beside the program with which it is compared.
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let files = [&self.expected_output, &self.snapshot].into_iter();
        files.flatten().map(|(file, _)| file)
    }
}

impl Drop for Program {
    /// Its last test has ended.
    fn drop(&mut self) {
        let Some(Ok(binary)) = self.binary.get() else {
            return;
        };
        let kept = binary.with_file_name(&self.name);
        // What cannot be moved or removed does no harm.
        if *self.failed.get_mut() || support::is_set("OCR_TEST_KEEP") {
            let _ = fs::rename(binary, kept);
        } else {
            let _ = fs::remove_file(binary);
            let _ = fs::remove_file(kept);
        }
    }
}

impl Program {
    /// A program, and what it is to do in each of its revisions.
    fn read(source: PathBuf) -> Result<(Self, Vec<Revision>), String> {
        let in_source = |e: String| format!("{}: {e}", source.display());
        let text = fs::read_to_string(&source).map_err(|e| in_source(e.to_string()))?;
        let all = Directives::of_all(&text).map_err(in_source)?.into_iter();
        let revisions = all.map(|asks| Revision::new(&source, asks));
        let revisions = revisions.collect::<Result<_, _>>()?;
        let name = source.file_stem().map(|s| s.to_string_lossy().into_owned());
        let program = Self {
            name: name.unwrap_or_default(),
            is_static: false,
            binary: OnceLock::new(),
            failed: AtomicBool::new(false),
            source,
        };
        Ok((program, revisions))
    }

    /// The first word of its name.
    fn group(&self) -> &str {
        self.name.split('_').next().unwrap_or_default()
    }

    /// The compiled program; compiles it unless that has been done since anything changed.
    fn binary(&self, place: &Place) -> Result<&Path, String> {
        self.binary.get_or_init(|| self.compile(place)).as_deref().map_err(Clone::clone)
    }

    fn compile(&self, place: &Place) -> Result<PathBuf, String> {
        let objects = if self.is_static { &place.objects } else { &place.shared };
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
        let (variable, default, standard) =
            if cplusplus { ("CXX", "c++", "-std=gnu++17") } else { ("CC", "cc", "-std=gnu11") };
        // Another run of this harness may have one of the same name.
        let fresh = place.output.join(format!("{}.{}", self.name, std::process::id()));
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
            return Err(format!("{command:?}\n{}", String::from_utf8_lossy(&output.stderr)));
        }
        Ok(fresh)
    }

    /// Runs the program once and judges it. What comes back is why it was not run, where it said so.
    fn run(&self, revision: &Revision, place: &Place, workers: u32) -> Result<Option<String>, String> {
        let asks = &revision.asks;
        let binary = self.binary(place)?;
        let mut command = if let Some(sanitizer) = place.sanitizer {
            let mut command = Command::new(binary);
            command.env("OCR_TEST_SMALL", "1");
            let (variable, options) = sanitizer.options(&place.root);
            command.env(variable, options);
            command
        } else if place.valgrind {
            let mut valgrind = Command::new("valgrind");
            valgrind.args(["-q", "--error-exitcode=99", "--errors-for-leak-kinds=definite"]);
            // Strict mode has pages closed, and the write that finds one is made again: with the registers that it had.
            valgrind.arg("--vex-iropt-register-updates=allregs-at-mem-access");
            let known = place.root.join("tests/sanitizers/memcheck.supp");
            valgrind.arg(format!("--suppressions={}", known.display()));
            // A program that is cut short leaves its memory behind.
            let ends_normally = matches!(asks.status, Expected::Code(0));
            valgrind.arg(if ends_normally { "--leak-check=full" } else { "--leak-check=no" });
            valgrind.arg(binary).env("OCR_TEST_SMALL", "1");
            valgrind
        } else if let Some(nodes) = &place.nodes {
            let mut launcher = Command::new("mpirun.mpich");
            launcher.args(["-n", nodes]).arg(binary).env("OCR_PLACE", "round");
            // A program with the library in it has no plug-in beside it.
            launcher.env("OCR_MPI", place.root.join("build/lib/ocr/libocr-mpi-mpich.so"));
            launcher
        } else {
            Command::new(binary)
        };
        command
            .args(&asks.args)
            // What would change what is said.
            .env_remove("OCR_CHECK")
            .env_remove("OCR_STATS")
            .env_remove("OCR_RETRY")
            // No test writes to the cache of the user.
            .env("OCR_MODELS", "off")
            .env("OCR_WORKERS", workers.to_string());
        if asks.needs_opencl {
            command.env("OCR_DEVICES", "all");
        }
        if place.verifies {
            // Functions that the loader binds late change the program's variables.
            command.env("OCR_RETRY", "verify").env("LD_BIND_NOW", "1");
        }
        command.envs(asks.env.iter().map(|(name, value)| (name, value)));
        command.current_dir(&place.output).stdin(Stdio::null());
        let recording = place.recording(&self.name, revision, workers);
        let recording = recording.filter(|_| !asks.env.iter().any(|(name, _)| name == "OCR_TRACE"));
        if let Some(file) = &recording {
            for left in recordings_of(file) {
                let _ = fs::remove_file(left);
            }
            command.env("OCR_TRACE", file);
        }
        let limit = if place.is_slow() { WATCHDOG * 20 } else { WATCHDOG };
        let mut run = run_with_limit(command, limit)?;
        if recording.is_some() {
            // A program that has others run reports the names that their recordings get.
            let is_told = |line: &&str| !line.starts_with("ocr: note: the recording of this run is ");
            run.stderr = run.stderr.split_inclusive('\n').filter(is_told).collect();
        }
        if place.verifies {
            let is_told = |line: &&str| !line.starts_with("ocr: note: OCR_RETRY=verify: ");
            run.stderr = run.stderr.split_inclusive('\n').filter(is_told).collect();
        }
        if run.status.code() == Some(NOT_RUN) {
            let reason = run.stderr.lines().find_map(|l| l.strip_prefix("not run: "));
            if let (Some(reason), false) = (reason, support::is_set("OCR_TEST_ALL")) {
                return Ok(Some(reason.to_owned()));
            }
        }
        revision.judge(&run, place)?;
        if let Some(file) = recording {
            let is_misuse = (self.source.components()).any(|part| part.as_os_str() == "misuse");
            let order = if is_misuse || asks.is_unordered_at_times || !matches!(asks.status, Expected::Code(0)) {
                OrderAsked::Any
            } else if !asks.is_unordered {
                OrderAsked::All
            } else if Some(&workers) == asks.workers.iter().min() {
                OrderAsked::Lacks
            } else {
                OrderAsked::Any
            };
            let ocr = place.root.join("build/bin/ocr");
            for (number, file) in recordings_of(&file).into_iter().enumerate() {
                // Further runs of a program, as its copies or what it starts, may end as they are to.
                let order = if number == 0 { order } else { OrderAsked::Any };
                check_recording(&ocr, &file, place.nodes.is_none().then_some(order))?;
            }
        }
        Ok(None)
    }
}

impl Revision {
    fn judge(&self, run: &Run, place: &Place) -> Result<(), String> {
        let asks = &self.asks;
        let mut complaints = Vec::new();
        if !asks.status.is_met_by(run.status) {
            let want = match asks.status {
                Expected::Code(code) => format!("exit status: {code}"),
                Expected::NonZero => "a status that is not zero".to_owned(),
            };
            complaints.push(format!("{}, want {want}", run.status));
        } else if run.status.signal().is_some_and(|signal| signal != libc::SIGABRT) {
            // A program that is to fail does so on purpose, not by a crash.
            complaints.push(format!("crashed: {}", run.status));
        }
        for text in asks.stdout.iter().filter(|text| !run.stdout.contains(text.as_str())) {
            complaints.push(format!("the standard output lacks `{text}`"));
        }
        for text in asks.stderr.iter().filter(|text| !run.stderr.contains(text.as_str())) {
            complaints.push(format!("the standard error lacks `{text}`"));
        }
        for text in asks.stderr_without.iter().filter(|text| run.stderr.contains(text.as_str())) {
            complaints.push(format!("the standard error has `{text}`"));
        }
        for (want, line) in &asks.stdout_lines {
            let got = run.stdout.lines().filter(|l| l == line).count();
            if got != *want {
                complaints.push(format!("{got} lines `{line}`, want {want}"));
            }
        }
        let mut wholes = vec![(&self.expected_output, "output", run.stdout.clone())];
        // Instruments say something of their own, and move what a message describes.
        if !place.is_slow() {
            let text = snapshot::normalised(&run.stderr);
            wholes.push((&self.snapshot, "error", text));
        }
        // What is wrong otherwise is not made the standard.
        let may_bless = support::is_set("OCR_BLESS") && complaints.is_empty();
        for (file, stream, got) in wholes {
            let Some((path, want)) = file.as_ref().filter(|(_, want)| *want != got) else {
                continue;
            };
            if may_bless {
                complaints.extend(bless(path, &got)?);
            } else {
                complaints.push(format!(
                    "the standard {stream} is not that of {} (- lacks, + is new; OCR_BLESS=1 writes the file anew):\n{}",
                    path.display(),
                    snapshot::difference(want, &got)
                ));
            }
        }
        if complaints.is_empty() { Ok(()) } else { Err(run.describe(&complaints.join("\n"))) }
    }
}

/// Makes a text the standard. A complaint if another run of this process has made another one the standard: then the
/// text depends on the run, and is none.
fn bless(path: &Path, text: &str) -> Result<Option<String>, String> {
    static BLESSED: Mutex<BTreeMap<PathBuf, String>> = Mutex::new(BTreeMap::new());
    let mut blessed = BLESSED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(before) = blessed.get(path).filter(|before| *before != text) {
        return Ok(Some(format!(
            "{} differs from run to run (- lacks, + is new):\n{}",
            path.display(),
            snapshot::difference(before, text)
        )));
    }
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    blessed.insert(path.to_owned(), text.to_owned());
    Ok(None)
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
            Self::Thread => ("TSAN_OPTIONS", format!("suppressions={} exitcode=99", suppressions.display())),
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
    /// The number of nodes, where programs run on several.
    nodes: Option<String>,
    sanitizer: Option<Sanitizer>,
    /// Whether programs run in verification mode.
    verifies: bool,
    /// The folder of recordings, where runs are recorded.
    recordings: Option<PathBuf>,
}

impl Place {
    /// The recording of a run, where runs are recorded.
    fn recording(&self, program: &str, revision: &Revision, workers: u32) -> Option<PathBuf> {
        let folder = self.recordings.as_ref()?;
        let revision = revision.asks.revision.map_or("", |revision| revision.name());
        let name = program.replace(['/', ':'], "-");
        Some(folder.join(format!("{name}-{revision}-{workers}.trace")))
    }

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
        for (name, stream) in [("standard output", &self.stdout), ("standard error", &self.stderr)] {
            let lines: Vec<&str> = stream.lines().collect();
            let shown = &lines[lines.len().saturating_sub(40)..];
            if !shown.is_empty() {
                let _ = write!(text, "\n--- {name}\n{}", shown.join("\n"));
            }
        }
        text
    }
}

/// The recordings that one run of a program has left: where the name is taken, the runtime puts a number in it. None if
/// it never began a run.
fn recordings_of(file: &Path) -> Vec<PathBuf> {
    let numbered = (2..).map(|number| file.with_extension(format!("{number}.trace")));
    let all = [file.to_owned()].into_iter().chain(numbered);
    all.take_while(|file| file.exists()).collect()
}

/// What `ocr check` is to say of a recording.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OrderAsked {
    /// The program is right, and all that matters is ordered.
    All,
    /// The program is right and marked as unordered, and this is the run in which that shows whatever happens: the one
    /// with the fewest workers.
    Lacks,
    /// Nothing is asked: the program is wrong, or what is not ordered shows in some runs.
    Any,
}

/// Looks at the recording of a run that did as it should: by `ocr trace check`, and by `ocr check` unless `order` is
/// None, as on several nodes. One that ends otherwise may be cut off, but nothing in it may contradict itself.
fn check_recording(ocr: &Path, file: &Path, order: Option<OrderAsked>) -> Result<(), String> {
    let ask = |words: &[&str]| {
        let output = Command::new(ocr).args(words).arg(file).output();
        let output = output.map_err(|e| format!("ocr: {e}"))?;
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
        Ok::<_, String>((output.status.success(), text.concat()))
    };
    // A program that has others run and crash leaves the recording of one of those.
    let (_, found) = ask(&["trace", "check"])?;
    if found.contains("wrong: ") || !found.contains(" records, ") {
        return Err(format!("ocr trace check {}:\n{found}", file.display()));
    }
    let Some(order) = order else {
        let of_nodes = (1..).map(|node| file.with_extension(format!("node{node}.trace")));
        of_nodes.take_while(|file| fs::remove_file(file).is_ok()).for_each(drop);
        return fs::remove_file(file).map_err(|e| format!("{}: {e}", file.display()));
    };
    let (is_silent, found) = ask(&["check", "--races"])?;
    if !found.contains(" EDTs, ") || order == OrderAsked::All && !is_silent {
        return Err(format!("ocr check {}:\n{found}", file.display()));
    }
    if order == OrderAsked::Lacks && is_silent {
        return Err(format!(
            "ocr check finds nothing in {}, and the program says `// unordered:`: take that out",
            file.display()
        ));
    }
    fs::remove_file(file).map_err(|e| format!("{}: {e}", file.display()))
}

/// Runs a command to its end; past the limit it is killed, which is an error that says `hung`.
fn run_with_limit(mut command: Command, limit: Duration) -> Result<Run, String> {
    // In a process group of its own: a program that hangs is killed with the copies that it forked, which hold its
    // pipes.
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
    // A copy that the program forked may live on, and holds what is read here.
    let ended = Instant::now();
    while !(stdout.is_finished() && stderr.is_finished()) {
        if ended.elapsed() > limit {
            return Err(format!(
                "hung: it ended ({status}), and {limit:?} later another process still holds its output"
            ));
        }
        thread::sleep(Duration::from_millis(1));
    }
    let run = Run { status, stdout: join(stdout), stderr: join(stderr) };
    if hung { Err(run.describe(&format!("hung: no end after {limit:?}"))) } else { Ok(run) }
}

/// Ends the process group that the child leads. It was not waited for yet, so no other process has
/// its number.
fn kill_group(child: &Child) -> io::Result<()> {
    let group = i32::try_from(child.id()).map_err(io::Error::other)?;
    // SAFETY: kill takes numbers and touches no memory of this process. The number is not 0, so it is not our own
    // group.
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
    reader.join().unwrap_or_else(|_| "(the reader failed)".to_owned())
}

/// How long the runs took.
#[derive(Default)]
struct Times(Mutex<Vec<(Duration, String)>>);

impl Times {
    fn add(&self, time: Duration, name: &str) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.push((time, name.to_owned()));
    }

    /// Lists the longest, and what all took together.
    fn list(&self, count: usize) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.sort_unstable_by(|a, b| b.cmp(a));
        let all: Duration = times.iter().map(|(time, _)| time).sum();
        eprintln!("{:.1} s in {} runs:", all.as_secs_f64(), times.len());
        for (time, name) in times.iter().take(count) {
            eprintln!("{:8.3} s  {name}", time.as_secs_f64());
        }
    }
}

fn modified(path: &Path) -> SystemTime {
    fs::metadata(path).and_then(|m| m.modified()).unwrap_or(SystemTime::UNIX_EPOCH)
}

fn main() -> Result<(), String> {
    let arguments = Arguments::from_args();
    let root = support::root();
    let sources = root.join("tests/c");
    let sanitizer = Sanitizer::of_environment()?;
    let verifies = support::is_set("OCR_TEST_RETRY");
    let objects = match sanitizer {
        Some(sanitizer) => sanitizer.objects(&root),
        // Verification mode tells the program's variables from the runtime's by the file.
        None if verifies => vec![root.join("build/lib/libocr.so")],
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
    let newest_header = headers.iter().flat_map(|folder| support::files_below(&root.join(folder), &["h"]));
    let place = Arc::new(Place {
        newest_input: newest_header
            .chain(objects.iter().chain(&shared).cloned())
            .map(|file| modified(&file))
            .max()
            .unwrap_or(SystemTime::UNIX_EPOCH),
        objects,
        shared,
        valgrind: support::is_set("OCR_TEST_VALGRIND"),
        nodes: env::var("OCR_TEST_NODES").ok(),
        sanitizer,
        verifies,
        recordings: support::is_set("OCR_TEST_TRACE").then(|| output.join("recordings")),
        output,
        root,
    });
    let recordings = place.recordings.as_deref().unwrap_or(&place.output);
    fs::create_dir_all(recordings).map_err(|e| format!("{}: {e}", recordings.display()))?;
    fs::create_dir_all(&place.output).map_err(|e| format!("{}: {e}", place.output.display()))?;
    let repeat: u32 = match env::var("OCR_TEST_REPEAT") {
        Ok(number) => number.parse().map_err(|e| format!("OCR_TEST_REPEAT={number}: {e}"))?,
        Err(_) => 1,
    };
    let only_workers: Option<u32> = match env::var("OCR_TEST_WORKERS") {
        Ok(number) => Some((number.parse()).map_err(|e| format!("OCR_TEST_WORKERS={number}: {e}"))?),
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
    let mut wholes: HashSet<PathBuf> = support::files_below(&sources, &[OUTPUT, SNAPSHOT]).into_iter().collect();
    let times = Arc::new(Times::default());
    let mut all = Vec::new();
    for source in support::files_below(&sources, &["c", "cpp"]) {
        let (mut program, revisions) = Program::read(source)?;
        program.is_static = groups.insert(program.group().to_owned());
        let program = Arc::new(program);
        for revision in revisions {
            for file in revision.files() {
                wholes.remove(file);
            }
            all.push((Arc::clone(&program), Arc::new(revision)));
        }
    }
    if let Some(file) = wholes.iter().min() {
        return Err(format!("{}: no program beside it is compared with this file", file.display()));
    }
    for (program, revision) in all {
        let asks = &revision.asks;
        let ignored = asks.needs_opencl && no_opencl.is_some();
        left_out += usize::from(ignored);
        // A process with a thread of ThreadSanitizer's own is never said to hang.
        let ignored = ignored || asks.needs_halt && matches!(sanitizer, Some(Sanitizer::Thread));
        // Memcheck and the sanitizers have something of their own to say about it.
        let ignored = ignored || asks.needs_signals && place.is_slow();
        // What has its own way, and strict mode, in which no EDT runs twice.
        let has_other_way = asks.env.iter().any(|(name, value)| match &**name {
            "OCR_CHECK" => value != "off",
            name => ["OCR_REDUNDANT", "OCR_RETRY", "OCR_DUPLICATES"].contains(&name),
        });
        let ignored = ignored || place.verifies && (asks.runs_once || has_other_way);
        let on_one_node = asks.on_one_node || asks.needs_opencl || asks.status != Expected::Code(0) || has_other_way;
        let ignored = ignored || on_one_node && place.nodes.is_some();
        let counts = match only_workers {
            Some(count) if asks.workers.contains(&count) => vec![count],
            Some(_) => asks.workers[..1].to_vec(),
            None => asks.workers.clone(),
        };
        for workers in counts {
            let name = match asks.revision {
                None => format!("{}::workers_{workers}", program.name),
                Some(of) => format!("{}::{}::workers_{workers}", program.name, of.name()),
            };
            let (program, revision) = (Arc::clone(&program), Arc::clone(&revision));
            let (place, times, this) = (Arc::clone(&place), Arc::clone(&times), name.clone());
            let test = move || -> Result<Completion, Failed> {
                // What the compiler takes is not the program's.
                program.binary(&place)?;
                for n in 1..=repeat {
                    let start = Instant::now();
                    let run = program.run(&revision, &place, workers);
                    times.add(start.elapsed(), &this);
                    let run = run.map_err(|e| {
                        program.failed.store(true, Ordering::Relaxed);
                        if repeat > 1 { format!("run {n} of {repeat}: {e}") } else { e }
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
    let conclusion = libtest_mimic::run(&arguments, trials);
    if let Ok(count) = env::var("OCR_TEST_TIMES") {
        let count = count.parse().map_err(|e| format!("OCR_TEST_TIMES={count}: {e}"))?;
        times.list(count);
    }
    conclusion.exit()
}
