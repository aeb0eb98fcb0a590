//! The applications among the examples, `seismic` and `cholesky`, against the same computation in OpenMP and against
//! one thread, and their kernels on the CPU against their C functions.
//!
//! `cargo bench --bench applications`. What each figure means and what is expected: `benches/README.md`.

mod support;

use criterion::{Criterion, Throughput};
use std::path::{Path, PathBuf};
use support::{Case, Runs, Source, Table, fail, has, measuring, median_ratio, short, workers};

/// An application with a size, and what it is compared with.
struct Job {
    name: &'static str,
    /// Options of the example.
    options: Vec<&'static str>,
    /// Arguments of the OpenMP program.
    arguments: Vec<&'static str>,
    /// Of the OpenMP program, to have it compute without threads, too; if one thread of it is not just that.
    alone: Option<&'static str>,
    /// What both print, and must agree on.
    same: &'static str,
    /// Cells in all iterations, or floating-point operations.
    work: u64,
}

/// An application as OCR program and as OpenMP program, the latter where the compiler has OpenMP.
struct Programs {
    ocr: PathBuf,
    openmp: Option<PathBuf>,
}

impl Programs {
    fn new(name: &str, has_openmp: bool) -> Programs {
        let source = format!("examples/{name}.c");
        let ocr = Source { name, files: &[&source], flags: &["-O3"], ocr: true };
        let (peer, peer_source) = (format!("{name}-openmp"), format!("benches/c/{name}-openmp.c"));
        let openmp = Source { name: &peer, files: &[&peer_source, "-lm"], flags: &["-O3", "-fopenmp"], ocr: false };
        Programs { ocr: ocr.compile(), openmp: has_openmp.then(|| openmp.compile()) }
    }
}

/// The example with kernels on the CPU, in one thread if the driver is PoCL.
fn kernels(program: &Path, options: &[&str]) -> Case {
    Case::new("opencl/1", program, options, 1, "seconds")
        .with("OCR_DEVICES", "cpu")
        .with("OCR_SCHED", "device")
        .with("POCL_MAX_PTHREAD_COUNT", "1")
}

fn find<'a>(runs: &'a [Runs], name: &str) -> Option<&'a Runs> {
    runs.iter().find(|runs| runs.name == name)
}

fn compare(criterion: &mut Criterion, table: &mut Table, job: &Job, programs: &Programs) {
    let most = workers();
    let many = format!("ocr/{most}");
    let threads = format!("openmp/{most}");
    let ocr = |name: &str, workers| Case::new(name, &programs.ocr, &job.options, workers, "seconds");
    let mut cases = vec![ocr("ocr/1", 1), ocr(&many, most)];
    if let Some(openmp) = &programs.openmp {
        let openmp = |name: &str, arguments: &[&str], threads| {
            Case::new(name, openmp, arguments, threads, "seconds").with("OMP_MAX_TASK_PRIORITY", "1000000")
        };
        let with: Vec<&str> = job.arguments.iter().copied().chain(job.alone).collect();
        cases.push(openmp("loop/1", &with, 1));
        cases.push(openmp(&threads, &job.arguments, most));
    }
    if kernels(&programs.ocr, &job.options).run().get("kernel_edts") > 0.0 {
        cases.push(kernels(&programs.ocr, &job.options));
    } else {
        println!("left out: kernels, since there is no OpenCL device here that is a CPU");
    }
    let Some(runs) = support::group(criterion, job.name, Some(Throughput::Elements(job.work)), &cases) else {
        return;
    };
    let all: Vec<f64> = runs.iter().flat_map(|runs| runs.all(job.same)).collect();
    if all.iter().any(|value| *value != all[0]) {
        fail(&format!("{}: the programs do not agree on {}: {all:?}", job.name, job.same));
    }
    for runs in &runs {
        let speed = job.work as f64 / runs.time();
        table.row(&[format!("{}, {}", job.name, runs.name), short(speed), String::new(), String::new()]);
    }
    let mut ratio = |what: String, above: Option<&Runs>, below: Option<&Runs>, bar: Option<f64>| {
        if let (Some(above), Some(below)) = (above, below) {
            let ratio = median_ratio(&above.times(), &below.times());
            let cells = match bar {
                Some(bar) if ratio <= bar => [format!("<= {bar}"), "reached".into()],
                Some(bar) => [format!("<= {bar}"), "not yet".into()],
                None => [String::new(), String::new()],
            };
            let [bar, reached] = cells;
            table.row(&[format!("{}: {what}", job.name), short(ratio), bar, reached]);
        }
    };
    let (one, many_runs) = (find(&runs, "ocr/1"), find(&runs, &many));
    let alone = find(&runs, "loop/1");
    ratio("time of 1 worker over the loop".into(), one, alone, Some(1.05));
    let fair = 1.05 / most as f64;
    ratio(format!("time of {most} workers over 1"), many_runs, one, Some(fair));
    let openmp = find(&runs, &threads);
    ratio(format!("time of {most} workers over OpenMP"), many_runs, openmp, Some(1.0));
    ratio("time of kernels over C functions, 1 core".into(), find(&runs, "opencl/1"), one, None);
}

fn main() {
    let mut criterion = support::criterion();
    let has_openmp = has(&["-fopenmp", "-include", "omp.h", "-x", "c"], "CC", "cc");
    if !has_openmp {
        println!("left out: OpenMP, and the loop, since the C compiler has no -fopenmp");
    }
    let seismic = |name, side: &'static str, iterations: &'static str, work| Job {
        name,
        options: vec!["--width", side, "--height", side, "--iterations", iterations],
        arguments: vec![side, side, iterations],
        alone: None,
        same: "checksum",
        work,
    };
    let cholesky = |name, size: &'static str, tile: &'static str, work| Job {
        name,
        options: vec!["--size", size, "--tile", tile],
        arguments: vec![size, tile],
        alone: Some("loop"),
        same: "log_determinant",
        work,
    };
    let cube = |size: u64| size * size * size / 3;
    let jobs = if measuring() {
        [
            seismic("seismic/1024", "1024", "500", 1024 * 1024 * 500),
            seismic("seismic/4096", "4096", "40", 4096 * 4096 * 40),
            cholesky("cholesky/2048", "2048", "128", cube(2048)),
            cholesky("cholesky/1024", "1024", "64", cube(1024)),
        ]
    } else {
        [
            seismic("seismic/1024", "100", "20", 100 * 100 * 20),
            seismic("seismic/4096", "200", "4", 200 * 200 * 4),
            cholesky("cholesky/2048", "200", "64", cube(200)),
            cholesky("cholesky/1024", "100", "32", cube(100)),
        ]
    };
    let programs = ["seismic", "cholesky"].map(|name| Programs::new(name, has_openmp));
    let headings = ["billion cells, or operations, per second", "median", "bar", ""];
    let mut table = Table::new("Applications", &headings);
    for job in &jobs {
        let which = usize::from(job.name.starts_with("cholesky"));
        compare(&mut criterion, &mut table, job, &programs[which]);
    }
    table.print();
    criterion.final_summary();
}
