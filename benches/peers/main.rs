//! Other task runtimes beside ours: what a task costs, and Task Bench's METG(50 %).
//!
//! `cargo bench --bench peers`, or `make bench-peers`, which installs the peers before. One part:
//! `cargo bench --bench peers -- metg/stencil`. What each figure means: `benches/README.md`.

mod grid;
mod metg;
mod rayon;
#[path = "../support/mod.rs"]
mod support;

use criterion::Criterion;
use std::path::PathBuf;
use support::{Case, Runs, Source, Table, fail, has, measure, measuring, median, median_ratio, short, wanted, workers};

/// Rounds for METG: a sweep has many points, and there are many sweeps.
const SWEEPS: usize = 5;

/// A runtime: its programs with the arguments that precede those of the graph.
struct Peer {
    name: &'static str,
    program: PathBuf,
    /// How a graph and its size, or `pending` and a number, become arguments.
    arguments: fn(&str, &str) -> Vec<String>,
    /// StarPU takes so much longer and so much more memory that it gets fewer tasks.
    fewer: bool,
    /// Where a task that waits does not hold up the thread that creates it.
    pending: bool,
    /// The ways in which it does the graphs of `grid.h`: a name, and the first arguments.
    grids: Vec<(&'static str, Vec<String>)>,
}

fn texts(words: &[&str]) -> Vec<String> {
    words.iter().map(ToString::to_string).collect()
}

fn openmp() -> Option<Peer> {
    Some(Peer {
        name: "OpenMP tasks",
        program: support::openmp()?,
        arguments: |graph, size| texts(&[graph, size]),
        fewer: false,
        pending: false,
        grids: vec![("OpenMP tasks, depend", texts(&["grid"]))],
    })
}

fn tbb() -> Option<Peer> {
    let header = ["-x", "c++", "-include", "tbb/flow_graph.h"];
    if !has(&header, "CXX", "c++") {
        println!("left out: oneTBB, since there is no tbb/flow_graph.h (Debian: libtbb-dev)");
        return None;
    }
    let source =
        Source { name: "tbb", files: &["benches/c/tbb.cpp", support::grid(), "-ltbb"], flags: &[], ocr: false };
    let grid = |way| texts(&["grid", &workers().to_string(), way]);
    Some(Peer {
        name: "oneTBB",
        program: source.compile(),
        arguments: |graph, size| texts(&[graph, size, &workers().to_string()]),
        fewer: false,
        pending: true,
        grids: vec![("oneTBB flow graph", grid("flow")), ("oneTBB task_group, counters", grid("counters"))],
    })
}

fn starpu() -> Option<Peer> {
    let files = ["benches/c/starpu.c", support::grid()];
    Some(Peer {
        name: "StarPU",
        program: support::starpu("starpu", &files, &[], "")?,
        arguments: |graph, size| texts(&[graph, size]),
        fewer: true,
        pending: true,
        grids: vec![("StarPU", texts(&["grid"]))],
    })
}

/// rayon is a part of this program, which calls itself.
fn rayon() -> Peer {
    let library = Source { name: "libgrid.so", files: &[support::grid()], flags: &["-shared"], ocr: false };
    let library = library.compile().display().to_string();
    let this = std::env::current_exe();
    Peer {
        name: "rayon, counters",
        program: this.unwrap_or_else(|error| fail(&format!("where am I? {error}"))),
        arguments: |graph, size| texts(&["rayon", graph, size, &workers().to_string()]),
        fewer: false,
        pending: true,
        grids: vec![("rayon, counters", texts(&["rayon", "grid", &workers().to_string(), &library]))],
    }
}

fn case(name: &str, program: &std::path::Path, arguments: &[String], key: &str) -> Case {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Case::new(name, program, &arguments, workers(), key)
}

/// What one graph costs with each runtime, ours first; `None` for a runtime that is not asked.
fn graph(criterion: &mut Criterion, peers: &[Peer], name: &str, key: &str) -> Vec<Option<Runs>> {
    let size = |few: bool| match (name, measuring(), few) {
        ("wavefront", true, false) => "1000",
        ("wavefront", true, true) => "300",
        ("wavefront", false, _) => "20",
        (_, true, false) => "1000000",
        (_, true, true) => "100000",
        (_, false, _) => "1000",
    };
    let mut cases = vec![case("ocr", &support::ocr(name), &texts(&[size(false)]), key)];
    let mut asked = vec![true];
    for peer in peers {
        let asks = name != "pending" || peer.pending;
        if asks {
            let arguments = (peer.arguments)(name, size(peer.fewer));
            cases.push(case(peer.name, &peer.program, &arguments, key));
        }
        asked.push(asks);
    }
    let runs = support::group(criterion, &format!("cost/{name}"), None, &cases);
    let mut runs = runs.unwrap_or_default().into_iter();
    asked.into_iter().map(|asks| asks.then(|| runs.next()).flatten()).collect()
}

/// The table of costs. A cell: the median, that of running what was built before, and how many times
/// ours it is.
fn costs(criterion: &mut Criterion, peers: &[Peer]) {
    let graphs = [
        ("independent", "ns_per_edt"),
        ("chain", "ns_per_edt"),
        ("wavefront", "ns_per_edt"),
        ("pending", "bytes_per_edt"),
    ];
    let columns = graphs.map(|(name, key)| graph(criterion, peers, name, key));
    if columns.iter().flatten().flatten().next().is_none() {
        return;
    }
    let title = format!(
        "ns per task with {} workers, and bytes per task that waits; [running what was built before]; \
         times ours",
        workers()
    );
    let headings = ["", "independent", "", "chain", "", "wavefront", "", "bytes", ""];
    let mut table = Table::new(&title, &headings);
    let names = std::iter::once("ocr").chain(peers.iter().map(|peer| peer.name));
    for (at, name) in names.enumerate() {
        let mut row = vec![name.to_string()];
        for column in &columns {
            let (Some(runs), Some(ours)) = (&column[at], &column[0]) else {
                row.extend(["-".to_string(), String::new()]);
                continue;
            };
            let values = runs.all(&runs.key);
            let built = runs.figures.iter().all(|one| one.all("ns_build") != [0.0]);
            let running: Vec<f64> = runs.figures.iter().flat_map(|one| one.all("ns_run").to_vec()).collect();
            row.push(if built && !running.is_empty() {
                format!("{} [{}]", short(median(&values)), short(median(&running)))
            } else {
                short(median(&values))
            });
            let times = median_ratio(&values, &ours.all(&ours.key));
            row.push(format!("x {}", short(times)));
        }
        table.row(&row);
    }
    table.print();
}

/// A way to do the graphs of `grid.h`.
struct Way<'a> {
    name: &'a str,
    program: &'a std::path::Path,
    arguments: Vec<String>,
}

/// METG in nanoseconds: of the sweep whose points are the fastest of all rounds, and of each round. One
/// point that something disturbs moves that of its round far.
struct Found {
    fastest: f64,
    rounds: Vec<f64>,
}

/// Task Bench: a table of METG for each pattern, in microseconds.
fn metg(criterion: &mut Criterion, peers: &[Peer]) {
    let ours = Source { name: "taskbench", files: &["benches/c/taskbench.c", support::grid()], flags: &[], ocr: true };
    let ours = ours.compile();
    let forms = [("ocr", "events"), ("ocr, data in blocks", "blocks"), ("ocr, counters", "counters")];
    let mut ways: Vec<Way> = forms.map(|(name, way)| Way { name, program: &ours, arguments: texts(&[way]) }).into();
    for peer in peers {
        ways.extend(peer.grids.iter().map(|(name, arguments)| Way {
            name,
            program: &peer.program,
            arguments: arguments.clone(),
        }));
    }
    let sweep: &[&str] = if measuring() { &["32", "16384", "16"] } else { &["8", "1024", "512"] };
    let rounds = if measuring() { SWEEPS } else { 1 };
    let mut headings = vec![""];
    let mut columns = Vec::new();
    for pattern in ["stencil", "dom", "tree", "fft", "nearest", "random"] {
        let id = format!("metg/{pattern}");
        if !wanted(&id) {
            continue;
        }
        let cases: Vec<Case> = ways
            .iter()
            .map(|way| {
                let mut arguments = way.arguments.clone();
                arguments.extend(texts(&[pattern]));
                arguments.extend(texts(sweep));
                case(way.name, way.program, &arguments, "ns")
            })
            .collect();
        let runs = measure(&cases, rounds);
        let sweeps: Vec<Vec<Vec<metg::Point>>> = runs
            .iter()
            .map(|runs| {
                let points = runs.figures.iter().map(|one| metg::points(one, workers()));
                points.collect()
            })
            .collect();
        let fastest: Vec<Vec<metg::Point>> = sweeps.iter().map(|sweeps| metg::fastest(sweeps)).collect();
        // The same peak for all: the best speed that anybody reached.
        let peak = fastest.iter().map(|points| metg::best(points));
        let peak = peak.fold(0.0, f64::max);
        let found: Vec<Found> = sweeps
            .iter()
            .zip(&fastest)
            .map(|(sweeps, fastest)| Found {
                fastest: metg::metg(fastest, peak),
                rounds: sweeps.iter().map(|one| metg::metg(one, peak)).collect(),
            })
            .collect();
        if measuring() {
            println!("{id}: the best is {} GFLOP/s", short(128.0 * peak));
            let series: Vec<(&str, &[f64])> = ways
                .iter()
                .zip(&found)
                .filter(|(_, found)| found.rounds.iter().all(|value| value.is_finite()))
                .map(|(way, found)| (way.name, found.rounds.as_slice()))
                .collect();
            support::replay(criterion, &id, &series);
        }
        headings.extend([pattern, ""]);
        columns.push(found);
    }
    let title = format!("METG(50 %) with {} workers, microseconds (median of single sweeps); times ours", workers());
    let mut table = Table::new(&title, &headings);
    for (at, way) in ways.iter().enumerate() {
        let mut row = vec![way.name.to_string()];
        for column in &columns {
            let found = &column[at];
            let rounds = 1e-3 * median(&found.rounds);
            row.push(format!("{} ({})", short(1e-3 * found.fastest), short(rounds)));
            row.push(format!("x {}", short(found.fastest / column[0].fastest)));
        }
        table.row(&row);
    }
    if !columns.is_empty() {
        table.print();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "rayon") {
        return rayon::main(&arguments[1..]);
    }
    metg::check();
    let mut criterion = support::criterion();
    println!("left out: Taskflow, which neither Debian 12 nor crates.io has");
    let peers: Vec<Peer> = [openmp(), tbb(), Some(rayon()), starpu()].into_iter().flatten().collect();
    costs(&mut criterion, &peers);
    metg(&mut criterion, &peers);
    criterion.final_summary();
}
