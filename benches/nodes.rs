//! What objects on another node cost, on two nodes of this machine under Open MPI, with one worker each: against plain
//! MPI, against one node, and against an EDT that hops without a block.
//!
//! `cargo bench --bench nodes`; what is expected: `benches/README.md`.

mod support;

use criterion::Criterion;
use std::path::{Path, PathBuf};
use std::process::Command;
use support::{Case, PROCESS, Source, Table, measuring, median, median_ratio, ocr, root, short};

/// What starts processes under Open MPI, as Debian names it.
const LAUNCHER: &str = "mpirun.openmpi";

/// A case on so many processes.
fn launched(name: &str, nodes: &str, program: &Path, arguments: &[&str], key: &str) -> Case {
    let program = program.display().to_string();
    let mut all = vec!["--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n", nodes, &program];
    all.extend(arguments);
    let plugin = root().join("build/lib/ocr/libocr-mpi-openmpi.so");
    let case = Case::new(name, Path::new(LAUNCHER), &all, 1, key);
    // As for a process that has a core of its own: two nodes share the machine.
    let case = case.with("OCR_BIND", "off").with("OCR_MPI", &plugin.display().to_string());
    case.with("OMPI_MCA_btl_vader_single_copy_mechanism", "none")
}

/// A ratio that is measured.
struct Row<'a> {
    what: &'a str,
    /// What is measured, and what it is compared with.
    cases: [Case; 2],
    /// What the ratio should be: at most this.
    bar: f64,
    /// Nanoseconds in one of the units that the table shows.
    unit: (f64, &'a str),
}

fn measure(criterion: &mut Criterion, table: &mut Table, row: &Row<'_>) {
    let Some(runs) = support::group(criterion, &format!("nodes/{}", row.what), None, &row.cases) else { return };
    let [its, other] = [runs[0].times(), runs[1].times()];
    let ratio = median_ratio(&its, &other);
    let (ns, unit) = row.unit;
    table.row(&[
        row.what.to_string(),
        short(median(&its) / ns),
        short(median(&other) / ns),
        unit.to_string(),
        short(ratio),
        short(row.bar),
        if ratio <= row.bar { "" } else { "not yet" }.to_string(),
    ]);
}

/// The program that uses MPI alone. None where that is not there.
fn ping_pong() -> Option<PathBuf> {
    let is_there =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|ran| ran.status.success());
    if !is_there(LAUNCHER) || !is_there("mpicc.openmpi") || !root().join("build/lib/ocr/libocr-mpi-openmpi.so").exists()
    {
        return None;
    }
    let flags = Command::new("mpicc.openmpi").args(["--showme:compile"]).output().ok()?;
    let links = Command::new("mpicc.openmpi").args(["--showme:link"]).output().ok()?;
    let flags = [flags.stdout, links.stdout].map(|text| String::from_utf8_lossy(&text).trim().to_string());
    let [compile, link] = flags.each_ref().map(|flags| flags.split_ascii_whitespace().collect::<Vec<_>>());
    let files: Vec<&str> = ["benches/c/ping-pong.c"].into_iter().chain(link).collect();
    Some(Source { name: "ping-pong", files: &files, flags: &compile, ocr: false }.compile())
}

fn main() {
    let mut criterion = support::criterion();
    let Some(plain) = ping_pong() else {
        println!(
            "left out: nodes need Open MPI and its compiler: install openmpi-bin and libopenmpi-dev, and run `make`"
        );
        return;
    };
    let program = ocr("nodes");
    let seismic = root().join("build/examples/seismic");
    let [hops, moves, edts, side] =
        if measuring() { ["20000", "40", "100000", "2048"] } else { ["20", "2", "100", "64"] };
    let large = "67108864";
    let on_two = |name: &str, arguments: &[&str]| launched(name, "2", &program, arguments, "ns");
    let hop = || on_two("hop", &["hop", hops]);
    let wave: Vec<&str> = "--iterations 200 --bands 8 --width".split(' ').chain([side, "--height", side]).collect();
    let rows = [
        Row {
            what: "a hop of an empty EDT, against one way of MPI",
            cases: [hop(), launched("mpi", "2", &plain, &[hops, "64"], "ns")],
            bar: 10.0,
            unit: (1.0, "ns"),
        },
        Row {
            what: "a hop that reads 64 bytes, against an empty one",
            cases: [on_two("read", &["read", hops, "64"]), hop()],
            bar: 1.3,
            unit: (1.0, "ns"),
        },
        Row {
            what: "a hop that writes 64 bytes, against an empty one",
            cases: [on_two("write", &["write", hops, "64"]), hop()],
            bar: 4.0,
            unit: (1.0, "ns"),
        },
        Row {
            what: "a hop that writes 64 MiB, against one way of MPI",
            cases: [on_two("write", &["write", moves, large]), launched("mpi", "2", &plain, &[moves, large], "ns")],
            bar: 1.0 / 0.85,
            unit: (1e6, "ms"),
        },
        Row {
            what: "an EDT created for node 1, against one for node 0",
            cases: [on_two("there", &["create", edts, "1"]), on_two("here", &["create", edts])],
            bar: 5.0,
            unit: (1.0, "ns"),
        },
        Row {
            what: "an empty program, against one of MPI",
            cases: [
                launched("ocr", "2", &program, &["nothing"], PROCESS),
                launched("mpi", "2", &plain, &["0"], PROCESS),
            ],
            bar: 1.3,
            unit: (1e6, "ms"),
        },
        Row {
            what: "seismic on two nodes, against one",
            cases: [
                launched("two", "2", &seismic, &wave, "seconds"),
                Case::new("one", &seismic, &wave, 1, "seconds").with("OCR_BIND", "off"),
            ],
            bar: 1.0 / 1.8,
            unit: (1e6, "ms"),
        },
    ];
    let headings = ["", "takes", "the other", "", "ratio", "bar", ""];
    let mut table = Table::new("What objects on another node cost: two nodes of one machine", &headings);
    for row in &rows {
        measure(&mut criterion, &mut table, row);
    }
    table.print();
    criterion.final_summary();
}
