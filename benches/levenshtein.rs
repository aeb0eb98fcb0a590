//! The edit distance example against rapidfuzz, against a plain loop over the same tile function,
//! two workers against one, and its kernels on the CPU against its C function.
//!
//! `cargo bench --bench levenshtein`. What each figure means and what is expected:
//! `benches/README.md`.

mod support;

use criterion::{Criterion, Throughput};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use support::{Case, Runs, Source, Table, fail, least, measuring, random_letters, root, short};

/// Two sequences.
struct Pair {
    name: &'static str,
    files: [PathBuf; 2],
    cells: u64,
}

/// The letters of a FASTA file, or of one that has only letters.
fn letters(path: &Path) -> u64 {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => fail(&format!("{}: {error}", path.display())),
    };
    let lines = text.lines().filter(|line| !line.starts_with('>'));
    lines.map(|line| line.len() as u64).sum()
}

impl Pair {
    fn new(name: &'static str, files: [PathBuf; 2]) -> Pair {
        let cells = letters(&files[0]) * letters(&files[1]);
        Pair { name, files, cells }
    }

    fn random(name: &'static str, length: usize) -> Pair {
        Pair::new(name, random_letters(name, length))
    }

    fn arguments(&self) -> [&str; 2] {
        [0, 1].map(|at: usize| match self.files[at].to_str() {
            Some(path) => path,
            None => fail("the path of the repository is not UTF-8"),
        })
    }
}

/// A Python that has rapidfuzz: one in a virtual environment under `build/`.
fn rapidfuzz() -> Option<PathBuf> {
    let environment = root().join("build/venv");
    let python = environment.join("bin/python3");
    let quiet = |command: &mut Command| {
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let there = || quiet(Command::new(&python).args(["-c", "import rapidfuzz"]));
    if !there() {
        quiet(Command::new(root().join("benches/setup")).arg("rapidfuzz"));
    }
    if there() {
        return Some(python);
    }
    println!("left out: rapidfuzz, which `benches/setup rapidfuzz` cannot install here");
    None
}

/// The example with its tiles as kernels on the CPU, in one thread if the driver is PoCL.
fn kernels(program: &Path, arguments: &[&str]) -> Case {
    Case::new("opencl/1", program, arguments, 1, "seconds")
        .with("OCR_DEVICES", "cpu")
        .with("OCR_SCHED", "device")
        .with("POCL_MAX_PTHREAD_COUNT", "1")
}

/// Whether there is an OpenCL device that is a CPU: without one the tiles would run as C functions.
fn kernels_run(program: &Path, pair: &Pair) -> bool {
    let files = pair.arguments();
    let figures = kernels(program, &["--quiet", files[0], files[1]]).run();
    let run = figures.get("kernel_edts") > 0.0;
    if !run {
        println!("left out: kernels, since there is no OpenCL device here that is a CPU");
    }
    run
}

/// Cells per nanosecond are billions of cells per second.
fn gcups(pair: &Pair, runs: &Runs) -> f64 {
    pair.cells as f64 / runs.time()
}

/// Whether all runs of all programs gave one distance.
fn check_distances(runs: &[Runs]) {
    let all: Vec<f64> = runs.iter().flat_map(|runs| runs.all("distance")).collect();
    if all.iter().any(|distance| *distance != all[0]) {
        fail(&format!("the programs do not agree on the distance: {all:?}"));
    }
}

fn compare(criterion: &mut Criterion, table: &mut Table, pair: &Pair, programs: &Programs) {
    let files = pair.arguments();
    let quiet = ["--quiet", files[0], files[1]];
    let ocr = |name: &str, workers| Case::new(name, &programs.ocr, &quiet, workers, "seconds");
    let mut cases =
        vec![ocr("ocr/1", 1), ocr("ocr/2", 2), Case::new("plain-loop", &programs.plain, &files, 1, "seconds")];
    if let Some(python) = &programs.rapidfuzz {
        let script = root().join("benches/rapidfuzz-distance.py");
        let script = script.to_string_lossy();
        let arguments = [&script, files[0], files[1]];
        cases.push(Case::new("rapidfuzz", python, &arguments, 1, "seconds"));
    }
    if programs.kernels {
        cases.push(kernels(&programs.ocr, &quiet));
    }
    let cells = Some(Throughput::Elements(pair.cells));
    let name = format!("levenshtein/{}", pair.name);
    let Some(runs) = support::group(criterion, &name, cells, &cases) else {
        return;
    };
    check_distances(&runs);
    let mut row = |what: &str, value: String, bar: &str, reached: Option<bool>| {
        let verdict = match reached {
            Some(true) => "reached",
            Some(false) => "not yet",
            None => "",
        };
        let what = format!("{}: {what}", pair.name);
        table.row(&[what, value, bar.to_string(), verdict.to_string()]);
    };
    for runs in &runs {
        let best = pair.cells as f64 / least(&runs.times());
        let value = format!("{} (at best {})", short(gcups(pair, runs)), short(best));
        row(&format!("{}, billion cells/s", runs.name), value, "", None);
    }
    if let Some(rapidfuzz) = runs.iter().find(|runs| runs.name == "rapidfuzz") {
        let ratio = runs[0].faster_than(rapidfuzz);
        row("1 worker / rapidfuzz", short(ratio), ">= 1", Some(ratio >= 1.0));
        let ratio = runs[1].faster_than(rapidfuzz);
        row("2 workers / rapidfuzz", short(ratio), ">= 1.9", Some(ratio >= 1.9));
    }
    let ratio = runs[1].faster_than(&runs[0]);
    row("2 workers / 1 worker", short(ratio), ">= 1.9", Some(ratio >= 1.9));
    let overhead = 100.0 * (runs[2].faster_than(&runs[0]) - 1.0);
    let value = format!("{overhead:.1} %");
    row("1 worker over the plain loop", value, "<= 3 %", Some(overhead <= 3.0));
    if let Some(kernels) = runs.iter().find(|runs| runs.name == "opencl/1") {
        let ratio = runs[0].faster_than(kernels);
        row("kernels over the C function: time", short(ratio), "<= 1.3", Some(ratio <= 1.3));
    }
}

/// What is compared.
struct Programs {
    ocr: PathBuf,
    plain: PathBuf,
    rapidfuzz: Option<PathBuf>,
    /// Whether the tiles can run as kernels on the CPU.
    kernels: bool,
}

fn main() {
    let mut criterion = support::criterion();
    let ocr = Source {
        name: "levenshtein",
        files: &["examples/levenshtein.c", "examples/common/edit-distance.c"],
        flags: &["-O3"],
        ocr: true,
    };
    let plain = Source {
        name: "plain-loop",
        files: &["benches/c/plain-loop.c", "examples/common/edit-distance.c"],
        flags: &["-O3"],
        ocr: false,
    };
    let mut programs = Programs { ocr: ocr.compile(), plain: plain.compile(), rapidfuzz: rapidfuzz(), kernels: false };
    let data = |name: &str| root().join("examples/data").join(name);
    let length = if measuring() { 100_000 } else { 1000 };
    let pairs =
        [Pair::random("random", length), Pair::new("mitochondria", [data("human-mt.fa"), data("orangutan-mt.fa")])];
    programs.kernels = kernels_run(&programs.ocr, &pairs[1]);
    let headings = ["", "median", "bar", ""];
    let mut table = Table::new("The edit distance of two sequences", &headings);
    for pair in &pairs {
        compare(&mut criterion, &mut table, pair, &programs);
    }
    table.print();
    criterion.final_summary();
}
