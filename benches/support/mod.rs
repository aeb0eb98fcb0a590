//! What the benches share: compiling the C programs, running them, and the table at the end.
//!
//! The programs time themselves and print lines `key: value`. What is compared is measured in turns,
//! one run of each program after the other, so that a change of the machine's speed or load meets
//! all of them alike. Criterion then gets the recorded times for its statistics, and does not run
//! anything itself.

// Each bench uses its part of this module.
#![allow(dead_code)]

use criterion::{Criterion, SamplingMode, Throughput};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio, exit};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

/// How often each program runs for the statistics, after one run that does not count.
pub(crate) const ROUNDS: usize = 10;

/// The key of the wall-clock time from a process's start to its end, which [`Case::run`] adds.
pub(crate) const PROCESS: &str = "process_ns";

/// What a program printed: the values of each key, in order.
#[derive(Default)]
pub(crate) struct Figures(pub HashMap<String, Vec<f64>>);

impl Figures {
    /// The numbers among the lines `key: value`.
    fn parse(output: &str) -> Figures {
        let mut figures = Figures::default();
        for line in output.lines() {
            if let Some((key, value)) = line.split_once(": ")
                && let Ok(value) = value.trim().parse()
            {
                figures.0.entry(key.to_string()).or_default().push(value);
            }
        }
        figures
    }

    /// The value of a key that the program prints once.
    pub(crate) fn get(&self, key: &str) -> f64 {
        match self.0.get(key).map(Vec::as_slice) {
            Some([value]) => *value,
            Some(values) => fail(&format!("{key} was printed {} times", values.len())),
            None => fail(&format!("{key} was not printed")),
        }
    }

    /// The nanoseconds of a key: figures are in nanoseconds, but for `seconds`.
    fn time(&self, key: &str) -> f64 {
        self.get(key) * if key == "seconds" { 1e9 } else { 1.0 }
    }

    /// All values of a key.
    pub(crate) fn all(&self, key: &str) -> &[f64] {
        self.0.get(key).map_or(&[], Vec::as_slice)
    }
}

/// Ends the bench with a message.
pub(crate) fn fail(message: &str) -> ! {
    eprintln!("bench: {message}");
    exit(1);
}

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The number of workers and threads in comparisons with other runtimes.
pub(crate) fn workers() -> usize {
    let text = std::env::var("OCR_BENCH_WORKERS").unwrap_or_else(|_| "2".into());
    match text.parse() {
        Ok(workers) if workers > 0 => workers,
        _ => fail(&format!("OCR_BENCH_WORKERS={text}: give a number of workers")),
    }
}

/// Whether `cargo bench` runs this, and not `cargo test`, which only wants to see it work.
pub(crate) fn measuring() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// Criterion, set up so that the recorded times are all it takes.
pub(crate) fn criterion() -> Criterion {
    Criterion::default().sample_size(ROUNDS).warm_up_time(Duration::from_nanos(1)).configure_from_args()
}

/// What a C program is made of.
pub(crate) struct Source<'a> {
    /// Its name under `build/benches`.
    pub(crate) name: &'a str,
    /// Its files, from the root of the repository, and what else has to stand behind them, such as
    /// libraries.
    pub(crate) files: &'a [&'a str],
    /// Flags for the compiler besides `-O2`.
    pub(crate) flags: &'a [&'a str],
    /// Whether it is an OCR program, to be linked with the library.
    pub(crate) ocr: bool,
}

impl Source<'_> {
    /// Compiles the program, against the library that `make` has built. It is C++ if its first file
    /// is.
    pub(crate) fn compile(&self) -> PathBuf {
        let built = root().join("build/benches");
        if let Err(error) = std::fs::create_dir_all(&built) {
            fail(&format!("{} cannot be made: {error}", built.display()));
        }
        let program = built.join(self.name);
        let (variable, otherwise, standard) =
            if self.files[0].ends_with(".cpp") { ("CXX", "c++", "-std=c++17") } else { ("CC", "cc", "-std=c11") };
        let mut command = Command::new(std::env::var(variable).unwrap_or(otherwise.into()));
        command
            .current_dir(root())
            .args(["-O2", "-g", standard, "-Wall", "-Wextra"])
            .args(["-Iinclude", "-Iexamples", "-Ibenches/c"])
            .args(self.flags)
            .args(self.files)
            .arg("-o")
            .arg(&program);
        if self.ocr {
            command.arg(library()).args(["-lpthread", "-lm"]);
        }
        command.arg("-ldl");
        match command.status() {
            Ok(status) if status.success() => program,
            Ok(status) => fail(&format!("compiling {}: {status}", self.name)),
            Err(error) => fail(&format!(
                "{:?} cannot be run: {error}; install a compiler (on Debian: gcc, g++), or name one in {variable}",
                command.get_program()
            )),
        }
    }
}

/// An OCR program of one file of `benches/c`.
pub(crate) fn ocr(name: &str) -> PathBuf {
    let file = format!("benches/c/{name}.c");
    let source = Source { name, files: &[&file], flags: &[], ocr: true };
    source.compile()
}

/// The graphs of `benches/c/grid.h`, compiled once for all that run them, as an object. Its inner
/// loop is to use what the processor has.
pub(crate) fn grid() -> &'static str {
    static COMPILED: Once = Once::new();
    COMPILED.call_once(|| {
        let source = Source {
            name: "grid.o",
            files: &["benches/c/grid.c"],
            flags: &["-c", "-fPIC", "-march=native", "-ffp-contract=fast"],
            ocr: false,
        };
        source.compile();
    });
    "build/benches/grid.o"
}

/// The graphs as OpenMP tasks, where the compiler has OpenMP.
pub(crate) fn openmp() -> Option<PathBuf> {
    if !has(&["-fopenmp", "-include", "omp.h", "-x", "c"], "CC", "cc") {
        println!("left out: OpenMP tasks, since the C compiler has no -fopenmp");
        return None;
    }
    let source = Source { name: "openmp", files: &["benches/c/openmp.c", grid()], flags: &["-fopenmp"], ocr: false };
    Some(source.compile())
}

/// A program for StarPU, or none after a word of why. What its files need besides, such as libraries, stands behind
/// them.
pub(crate) fn starpu(name: &str, files: &[&str], flags: &[&str], needs: &str) -> Option<PathBuf> {
    let ask = |what| {
        let output = Command::new("pkg-config").args([what, "starpu-1.3"]).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
    };
    let (Some(told), Some(libraries)) = (ask("--cflags"), ask("--libs")) else {
        println!("left out: StarPU, since pkg-config knows no starpu-1.3 (Debian: libstarpu-dev)");
        return None;
    };
    let told: Vec<&str> = told.split_whitespace().collect();
    if !needs.is_empty() && !defines(&told, "starpu.h", needs) {
        println!("left out: StarPU, since the one that is installed was built without {needs}");
        return None;
    }
    let source = Source {
        name,
        files: &[files, &libraries.split_whitespace().collect::<Vec<_>>()].concat(),
        flags: &[&told, flags].concat(),
        ocr: false,
    };
    Some(source.compile())
}

/// Whether a header that the C compiler finds with these flags defines a macro.
fn defines(flags: &[&str], header: &str, name: &str) -> bool {
    let output = Command::new(std::env::var("CC").unwrap_or("cc".into()))
        .args(["-E", "-dM", "-x", "c"])
        .args(flags)
        .args(["-include", header, "/dev/null"])
        .output();
    output.is_ok_and(|output| {
        let definition = format!("#define {name} ");
        String::from_utf8_lossy(&output.stdout).lines().any(|line| line.starts_with(&definition))
    })
}

/// Whether a compiler accepts these arguments for an empty file.
pub(crate) fn has(arguments: &[&str], variable: &str, otherwise: &str) -> bool {
    let compiler = std::env::var(variable).unwrap_or(otherwise.into());
    let status = Command::new(compiler)
        .arg("-E")
        .args(arguments)
        .arg("/dev/null")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

static WARNED: AtomicBool = AtomicBool::new(false);

/// The library under test. It is not built here: what is measured is what users link.
fn library() -> PathBuf {
    built("build/lib/libocr.a", "make").unwrap_or_else(|| fail("build/lib/libocr.a is missing: run `make` first"))
}

/// A library that this command builds, if it is there. Warns if it is old.
pub(crate) fn built(library: &str, command: &str) -> Option<PathBuf> {
    let path = root().join(library);
    let built = changed(&path)?;
    let newer = ["src", "include", "Cargo.lock"].iter().filter_map(|name| newest(&root().join(name)));
    if newer.max() > Some(built) && !WARNED.swap(true, Ordering::Relaxed) {
        eprintln!("bench: warning: {library} is older than the sources: run `{command}`");
    }
    Some(path)
}

fn changed(path: &Path) -> Option<SystemTime> {
    path.metadata().ok()?.modified().ok()
}

fn newest(path: &Path) -> Option<SystemTime> {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().filter_map(|entry| newest(&entry.path())).max(),
        Err(_) => changed(path),
    }
}

/// Two files of random letters A, C, G and T, the same in every run.
pub(crate) fn random_letters(name: &str, length: usize) -> [PathBuf; 2] {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    ["a", "b"].map(|which| {
        let mut text = format!(">random {length}\n");
        for _ in 0..length {
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            text.push(['A', 'C', 'G', 'T'][(state >> 62) as usize]);
        }
        text.push('\n');
        let path = root().join(format!("build/benches/{name}-{which}.fa"));
        if let Err(error) = std::fs::write(&path, text) {
            fail(&format!("{}: {error}", path.display()));
        }
        path
    })
}

/// One thing that is measured: a command and which of its figures counts.
pub(crate) struct Case {
    /// What the table and criterion call it.
    pub(crate) name: String,
    /// The program.
    pub(crate) program: PathBuf,
    /// Its arguments.
    pub(crate) arguments: Vec<String>,
    /// Environment variables.
    pub(crate) variables: Vec<(String, String)>,
    /// The figure that is measured.
    pub(crate) key: String,
}

impl Case {
    /// A case of a program that runs with this number of workers or threads.
    pub(crate) fn new(name: &str, program: &Path, arguments: &[&str], workers: usize, key: &str) -> Case {
        Case {
            name: name.to_string(),
            program: program.to_path_buf(),
            arguments: arguments.iter().map(ToString::to_string).collect(),
            variables: vec![
                ("OCR_WORKERS".into(), workers.to_string()),
                ("OMP_NUM_THREADS".into(), workers.to_string()),
                ("STARPU_NCPU".into(), workers.to_string()),
                ("STARPU_SILENT".into(), "1".into()),
                // Where it keeps what it has measured of the machine.
                ("STARPU_HOME".into(), root().join("build").display().to_string()),
                ("OCR_DEVICES".into(), "none".into()),
                // A figure does not depend on what ran before.
                ("OCR_MODELS".into(), "off".into()),
                ("OCR_SCHED".into(), "cpu".into()),
            ],
            key: key.to_string(),
        }
    }

    /// Sets an environment variable.
    pub(crate) fn with(mut self, variable: &str, value: &str) -> Case {
        self.variables.retain(|(name, _)| name != variable);
        self.variables.push((variable.into(), value.into()));
        self
    }

    /// Runs the program once.
    pub(crate) fn run(&self) -> Figures {
        let mut command = Command::new(&self.program);
        // What the user has set for other runs is not for this one.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("OCR_")) {
                command.env_remove(name);
            }
        }
        command
            .args(&self.arguments)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        let start = Instant::now();
        let output = match command.output() {
            Ok(output) => output,
            Err(error) => fail(&format!("{}: {error}", self.program.display())),
        };
        let elapsed = start.elapsed();
        if !output.status.success() {
            fail(&format!("{command:?}: {}", output.status));
        }
        let mut figures = Figures::parse(&String::from_utf8_lossy(&output.stdout));
        figures.0.insert(PROCESS.into(), vec![elapsed.as_nanos() as f64]);
        figures
    }
}

/// The runs of one case.
pub(crate) struct Runs {
    /// The case's name.
    pub(crate) name: String,
    /// The case's key.
    pub(crate) key: String,
    /// One for each round.
    pub(crate) figures: Vec<Figures>,
}

impl Runs {
    /// One figure of every run.
    pub(crate) fn all(&self, key: &str) -> Vec<f64> {
        self.figures.iter().map(|figures| figures.get(key)).collect()
    }

    /// The median of a figure.
    pub(crate) fn median(&self, key: &str) -> f64 {
        median(&self.all(key))
    }

    /// What is measured, of every run, in nanoseconds.
    pub(crate) fn times(&self) -> Vec<f64> {
        self.figures.iter().map(|figures| figures.time(&self.key)).collect()
    }

    /// The median of that.
    pub(crate) fn time(&self) -> f64 {
        median(&self.times())
    }

    /// How many times longer another case takes: the median over the rounds.
    pub(crate) fn faster_than(&self, other: &Runs) -> f64 {
        median_ratio(&other.times(), &self.times())
    }
}

/// The least of some values: what the machine can do when nothing disturbs it.
pub(crate) fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NAN, f64::min)
}

/// The middle of some values.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => values[length / 2],
        length => (values[length / 2 - 1] + values[length / 2]) / 2.0,
    }
}

/// The median of the ratios of values that were measured one right after the other.
pub(crate) fn median_ratio(above: &[f64], below: &[f64]) -> f64 {
    let ratios: Vec<f64> = above.iter().zip(below).map(|(a, b)| a / b).collect();
    median(&ratios)
}

/// Runs one case once: of one that takes minutes.
pub(crate) fn once(case: &Case) -> Runs {
    Runs { name: case.name.clone(), key: case.key.clone(), figures: vec![case.run()] }
}

/// Runs the cases in turns.
pub(crate) fn measure(cases: &[Case], rounds: usize) -> Vec<Runs> {
    let runs = |case: &Case| Runs { name: case.name.clone(), key: case.key.clone(), figures: Vec::new() };
    let mut all: Vec<Runs> = cases.iter().map(runs).collect();
    if measuring() {
        // Brings programs and inputs into the page cache.
        for case in cases {
            case.run();
        }
    }
    for round in 0..rounds {
        for turn in 0..cases.len() {
            // Not always the same one first.
            let at = (turn + round) % cases.len();
            all[at].figures.push(cases[at].run());
        }
    }
    all
}

/// Whether the command line asks for this benchmark, as far as can be seen here: criterion takes a
/// regular expression.
pub(crate) fn wanted(id: &str) -> bool {
    let mut filters = std::env::args().skip(1).filter(|text| !text.starts_with('-'));
    filters.next().is_none_or(|filter| id.contains(&filter))
}

/// Whether the command line asks for a case of this group.
pub(crate) fn any_wanted(name: &str, cases: &[Case]) -> bool {
    let mut cases = cases.iter();
    cases.any(|case| wanted(&format!("{name}/{}", case.name)))
}

/// Measures the cases of a group, and hands criterion their times. `None` if the command line's
/// filter left the whole group out.
pub(crate) fn group(
    criterion: &mut Criterion,
    name: &str,
    throughput: Option<Throughput>,
    cases: &[Case],
) -> Option<Vec<Runs>> {
    let rounds = if measuring() { ROUNDS } else { 1 };
    // Before criterion asks, if possible: it judges by the time that its first question takes how
    // often it can ask.
    let mut runs: Option<Vec<Runs>> = any_wanted(name, cases).then(|| measure(cases, rounds));
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    if let Some(throughput) = throughput {
        group.throughput(throughput);
    }
    for (at, case) in cases.iter().enumerate() {
        let mut next = 0;
        group.bench_function(&case.name, |bencher| {
            bencher.iter_custom(|iterations| {
                let figures = &runs.get_or_insert_with(|| measure(cases, rounds))[at].figures;
                let value = figures[next % figures.len()].time(&case.key);
                next += 1;
                Duration::from_secs_f64(1e-9 * value * iterations as f64)
            });
        });
    }
    group.finish();
    runs
}

/// The same for values that one run of one program printed: `(name, values)`.
pub(crate) fn replay(criterion: &mut Criterion, name: &str, series: &[(&str, &[f64])]) {
    let mut group = criterion.benchmark_group(name);
    group.sampling_mode(SamplingMode::Flat);
    for (name, values) in series {
        let mut next = 0;
        group.bench_function(*name, |bencher| {
            bencher.iter_custom(|iterations| {
                let value = values[next % values.len()];
                next += 1;
                Duration::from_secs_f64(1e-9 * value * iterations as f64)
            });
        });
    }
    group.finish();
}

/// A table for people.
pub(crate) struct Table {
    title: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column headings.
    pub(crate) fn new(title: &str, headings: &[&str]) -> Table {
        let headings = headings.iter().map(ToString::to_string).collect();
        Table { title: title.to_string(), rows: vec![headings] }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: &[String]) {
        self.rows.push(cells.to_vec());
    }

    /// Prints it, if it has rows, and if they say anything. Where `OCR_BENCH_RESULTS` names a folder, it is kept there,
    /// too.
    pub(crate) fn print(&self) {
        if self.rows.len() < 2 || !measuring() {
            return;
        }
        if let Some(folder) = std::env::var_os("OCR_BENCH_RESULTS") {
            self.keep(&root().join(folder));
        }
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        println!("\n{}\n", self.title);
        for row in &self.rows {
            let mut line = String::new();
            for (at, cell) in row.iter().enumerate() {
                let gap = " ".repeat(widths[at] - cell.chars().count());
                // Words to the left, numbers to the right.
                line += &match at {
                    0 => format!("  {cell}{gap}"),
                    _ => format!("  {gap}{cell}"),
                };
            }
            println!("{}", line.trim_end());
        }
        println!();
    }
}

impl Table {
    /// Writes the table into a file of this folder that its title names: three lines about it, then the rows, with
    /// tabulators between the cells. `docs/guide/src/speed.md` is made of these files.
    fn keep(&self, folder: &Path) {
        let bench = std::env::args().next().unwrap_or_default();
        let bench = Path::new(&bench).file_stem().unwrap_or_default();
        // As cargo names it: a hash stands behind the last dash.
        let bench = bench.to_string_lossy();
        let bench = bench.rsplit_once('-').map_or(&*bench, |(name, _)| name);
        let words = self.title.split(|c: char| !c.is_ascii_alphanumeric());
        let words: Vec<String> = words.filter(|word| !word.is_empty()).take(5).map(str::to_lowercase).collect();
        let about = [
            self.title.clone(),
            format!("cargo bench --bench {bench}"),
            format!("{}, {}, {}", told_by("date", &["-u", "+%F"]), commit(), machine()),
        ];
        let rows = self.rows.iter().map(|row| row.join("\t"));
        let text: Vec<String> = about.into_iter().chain(rows).collect();
        let path = folder.join(format!("{}.tsv", words.join("-")));
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text.join("\n") + "\n"));
        if let Err(error) = written {
            fail(&format!("{} cannot be written: {error}", path.display()));
        }
    }
}

/// What a program prints, or nothing.
fn told_by(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(root()).output();
    let output = output.map(|output| output.stdout).unwrap_or_default();
    String::from_utf8_lossy(&output).trim().to_string()
}

/// The commit that is measured, where there is git.
fn commit() -> String {
    let told = told_by("git", &["describe", "--always", "--dirty", "--exclude", "*"]);
    format!("commit {}", if told.is_empty() { "?" } else { &told })
}

/// The machine, and how busy it was in the last minute.
fn machine() -> String {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let about = read("/proc/cpuinfo");
    let mut models = about.lines().filter(|line| line.starts_with("model name"));
    let model = models.next().and_then(|line| line.split_once(':'));
    let cores = about.lines().filter(|line| line.starts_with("processor"));
    let load = read("/proc/loadavg");
    format!(
        "{} cores of {}, load {}",
        cores.count(),
        model.map_or(std::env::consts::ARCH, |(_, name)| name.trim()),
        load.split(' ').next().unwrap_or("?"),
    )
}

/// A number with three digits that count.
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
