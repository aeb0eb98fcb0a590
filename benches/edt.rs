//! What a task costs: the C microbenchmarks of `benches/c`, against OpenMP tasks in the same run.
//!
//! `cargo bench --bench edt`; one group alone: `cargo bench --bench edt -- chain`. What each figure
//! means and what is expected: `benches/README.md`.

mod support;

use criterion::Criterion;
use std::path::PathBuf;
use support::{Case, PROCESS, Runs, Source, Table, least, measuring, median, median_ratio, ocr, short, workers};

/// The programs, compiled.
struct Programs {
    openmp: Option<PathBuf>,
}

/// The table at the end.
struct Report {
    table: Table,
}

impl Report {
    /// A row: a figure of every run, the bar that its median should not exceed, and what it is
    /// compared with, run by run.
    fn compare(&mut self, what: &str, values: &[f64], unit: &str, bar: Option<f64>, peer: Option<(&str, &[f64])>) {
        let value = median(values);
        let verdict = match bar {
            Some(bar) if value <= bar => "reached",
            Some(_) => "not yet",
            None => "",
        };
        let (peer, ratio) = match peer {
            Some((name, others)) => (format!("{name} {}", short(median(others))), short(median_ratio(values, others))),
            None => Default::default(),
        };
        self.table.row(&[
            what.into(),
            short(value),
            short(least(values)),
            unit.into(),
            bar.map(short).unwrap_or_default(),
            verdict.into(),
            peer,
            ratio,
        ]);
    }

    /// A row without bar and comparison.
    fn row(&mut self, what: &str, values: &[f64], unit: &str) {
        self.compare(what, values, unit, None, None);
    }
}

/// A graph that OpenMP has, too: all workers, one worker, and OpenMP's threads.
fn graph(criterion: &mut Criterion, programs: &Programs, report: &mut Report, name: &str, size: &str, bar: f64) {
    let program = ocr(name);
    let many = workers();
    let mut cases = vec![
        Case::new(&format!("ocr/{many}"), &program, &[size], many, "ns_per_edt"),
        Case::new("ocr/1", &program, &[size], 1, "ns_per_edt"),
    ];
    if let Some(openmp) = &programs.openmp {
        let arguments = [name, size];
        cases.push(Case::new(&format!("openmp/{many}"), openmp, &arguments, many, "ns_per_edt"));
    }
    let Some(runs) = support::group(criterion, name, None, &cases) else {
        return;
    };
    let title = |workers: usize| format!("{name} {size}, {workers} worker{}", plural(workers));
    let openmp = runs.get(2).map(Runs::times);
    let peer = openmp.as_deref().map(|times| ("OpenMP", times));
    report.compare(&title(many), &runs[0].times(), "ns/EDT", Some(bar), peer);
    for (key, what, unit) in [
        ("ns_per_dependence", "per dependence", "ns"),
        ("ns_build", "of that building", "ns/EDT"),
        ("ns_run", "of that running", "ns/EDT"),
        ("ns_again", "again, in the same memory", "ns/EDT"),
    ] {
        if !runs[0].figures[0].all(key).is_empty() {
            report.row(&format!("  {what}"), &runs[0].all(key), unit);
        }
    }
    report.row(&title(1), &runs[1].times(), "ns/EDT");
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// A program that has no peer.
fn alone(criterion: &mut Criterion, name: &str, size: &str, key: &str) -> Option<Runs> {
    alone_with(criterion, name, (name, &[size]), key)
}

fn alone_with(criterion: &mut Criterion, name: &str, (program, arguments): (&str, &[&str]), key: &str) -> Option<Runs> {
    let cases = [case((program, arguments), key)];
    support::group(criterion, name, None, &cases)?.pop()
}

/// One of our programs, on all workers.
fn case((program, arguments): (&str, &[&str]), key: &str) -> Case {
    Case::new(&format!("ocr/{}", workers()), &ocr(program), arguments, workers(), key)
}

fn dependences(criterion: &mut Criterion, report: &mut Report, name: &str, size: &str) {
    if let Some(runs) = alone(criterion, name, size, "ns_per_dependence") {
        let title = format!("{name} {size}");
        report.compare(&title, &runs.times(), "ns/dependence", Some(40.0), None);
        for (key, what) in [
            ("ns_connect", "of that connecting"),
            ("ns_satisfy", "of that satisfying"),
            ("ns_per_edt", "with creating and running the EDTs"),
            ("ns_aged", "the tenth time, in the same memory"),
        ] {
            if !runs.figures[0].all(key).is_empty() {
                report.row(&format!("  {what}"), &runs.all(key), "ns");
            }
        }
    }
}

fn blocks(criterion: &mut Criterion, report: &mut Report) {
    let program = ocr("blocks");
    let many = workers();
    let cases = [
        Case::new("ocr/1", &program, &["1000000", "1"], many, "ns_per_block"),
        Case::new(&format!("ocr/{many}"), &program, &["1000000", &many.to_string()], many, "ns_per_block"),
    ];
    let Some(runs) = support::group(criterion, "blocks", None, &cases) else {
        return;
    };
    let (one, all) = (runs[0].times(), runs[1].times());
    let malloc = runs[0].all("ns_per_malloc");
    let peer = Some(("malloc+free", malloc.as_slice()));
    report.compare("data block of 64 bytes, 1 EDT", &one, "ns/block", Some(60.0), peer);
    let title = format!("  {many} EDTs at once, each");
    report.compare(&title, &all, "ns/block", None, Some(("1 EDT", &one)));
}

/// EDTs that all use one block, created by one EDT (`readers`) or by each other (`shared`): with more
/// than one worker, whether they get into each other's way. `key` is their time, `without` that of EDTs
/// without a block.
fn one_block(criterion: &mut Criterion, report: &mut Report, (name, size): (&str, &str), (key, without): (&str, &str)) {
    let program = ocr(name);
    let cases = [1, workers()].map(|workers| {
        let name = format!("ocr/{workers}");
        Case::new(&name, &program, &[size], workers, key)
    });
    for (runs, workers) in support::group(criterion, name, None, &cases).into_iter().flatten().zip([1, workers()]) {
        let without = runs.all(without);
        let title = format!("{name} {size}, {workers} worker{}", plural(workers));
        let peer = Some(("without", without.as_slice()));
        report.compare(&title, &runs.times(), "ns/EDT", None, peer);
    }
}

fn pending(criterion: &mut Criterion, report: &mut Report, size: &str) {
    for graph in ["independent", "chain", "wavefront"] {
        let program = ("pending", &[size, graph][..]);
        let name = format!("pending/{graph}");
        let Some(runs) = alone_with(criterion, &name, program, "ns_create") else {
            continue;
        };
        let title = format!("pending {size}, {graph}, 2 slots, 2 parameters");
        let bytes = runs.all("bytes_per_edt");
        report.compare(&title, &bytes, "bytes/EDT", Some(256.0), None);
        report.row("  creating", &runs.times(), "ns/EDT");
        report.row("  satisfying and running", &runs.all("ns_per_edt"), "ns/EDT");
    }
}

/// A thousand EDTs alive, of many: the memory that they take does not grow. The number
/// that `OCR_BENCH_FLAT` asks for runs once, without criterion: a billion take minutes.
fn flat(criterion: &mut Criterion, report: &mut Report, count: &str) {
    let asked = std::env::var("OCR_BENCH_FLAT").ok();
    let size = asked.as_deref().unwrap_or(count);
    let (what, key) = (("flat", &[size][..]), "ns_per_edt");
    let runs = match asked {
        Some(_) => support::wanted("flat").then(|| support::once(&case(what, key))),
        None => alone_with(criterion, "flat", what, key),
    };
    let Some(runs) = runs else { return };
    let first = runs.all("mb_first");
    let peer = Some(("at first", first.as_slice()));
    report.row(&format!("flat {size}, an EDT, a block and an event"), &runs.times(), "ns/EDT");
    report.compare("  memory at the end of a chain, the most", &runs.all("mb_most"), "MiB", None, peer);
}

/// A microsecond of work per EDT, on one worker and on all.
fn scaling(criterion: &mut Criterion, programs: &Programs, report: &mut Report) {
    let program = ocr("scaling");
    let many = workers();
    // The same work for all: as many steps as take a microsecond now.
    let steps = Case::new("", &program, &["1"], 1, "").run().get("steps_per_us").to_string();
    let mut cases = Vec::new();
    for workers in [1, many] {
        let size = ["200000", steps.as_str()];
        cases.push(Case::new(&format!("ocr/{workers}"), &program, &size, workers, "ns_per_edt"));
        if let Some(openmp) = &programs.openmp {
            let size = ["scaling", "200000", steps.as_str()];
            let name = format!("openmp/{workers}");
            cases.push(Case::new(&name, openmp, &size, workers, "ns_per_edt"));
        }
    }
    let Some(runs) = support::group(criterion, "scaling", None, &cases) else {
        return;
    };
    // One worker and many: of OCR, or of OCR and OpenMP in turns.
    let (one, rest) = (&runs[0], runs.len() / 2);
    let all = &runs[rest];
    let openmp = (rest == 2).then(|| (runs[1].times(), runs[3].times()));
    report.row("1 us of work, 1 worker", &one.times(), "ns/EDT");
    let title = format!("1 us of work, {many} workers");
    let peer = openmp.as_ref().map(|(_, all)| ("OpenMP", all.as_slice()));
    report.compare(&title, &all.times(), "ns/EDT", None, peer);
    // Taken the other way round, so that less is better, as in every other row.
    let share = |one: &[f64], all: &[f64]| -> Vec<f64> { all.iter().zip(one).map(|(all, one)| all / one).collect() };
    let ours = share(&one.times(), &all.times());
    let theirs = openmp.map(|(one, all)| share(&one, &all));
    let peer = theirs.as_deref().map(|share| ("OpenMP", share));
    let bar = 1.0 / (0.9 * many as f64);
    report.compare("  of the time of 1 worker", &ours, "times", Some(bar), peer);
}

/// The life of a process that does next to nothing.
fn hello(criterion: &mut Criterion, report: &mut Report) {
    let plain = Source { name: "plain-hello", files: &["benches/c/plain-hello.c"], flags: &[], ocr: false };
    let cases = [
        Case::new("ocr", &ocr("hello"), &[], workers(), PROCESS).with("OCR_DEVICES", "all"),
        Case::new("plain", &plain.compile(), &[], workers(), PROCESS),
    ];
    if let Some(runs) = support::group(criterion, "hello", None, &cases) {
        let ms = |runs: &Runs| -> Vec<f64> { runs.times().iter().map(|ns| 1e-6 * ns).collect() };
        let (ours, plain) = (ms(&runs[0]), ms(&runs[1]));
        let peer = Some(("plain C", plain.as_slice()));
        report.compare("hello, start to end", &ours, "ms", Some(5.0), peer);
    }
}

fn main() {
    let mut criterion = support::criterion();
    let headings = ["", "median", "least", "", "bar", "", "against", "ratio"];
    let mut report = Report { table: Table::new("What a task costs", &headings) };
    // `cargo test` only sees whether everything works.
    let (count, side, fib) = if measuring() { ("1000000", "1000", "27") } else { ("1000", "30", "12") };
    let programs = Programs { openmp: support::openmp() };
    for (name, size, bar) in
        [("independent", count, 100.0), ("chain", count, 120.0), ("wavefront", side, 150.0), ("fib", fib, 60.0)]
    {
        graph(&mut criterion, &programs, &mut report, name, size, bar);
    }
    dependences(&mut criterion, &mut report, "fanout", count);
    dependences(&mut criterion, &mut report, "latch", count);
    blocks(&mut criterion, &mut report);
    let of_readers = ("ns_per_edt", "ns_without");
    one_block(&mut criterion, &mut report, ("readers", count), of_readers);
    let depth = if measuring() { "19" } else { "8" };
    one_block(&mut criterion, &mut report, ("shared", depth), ("rw", "none"));
    // OCR_BENCH_PENDING=10000000 shows that this number can wait, too.
    let pending_edts = std::env::var("OCR_BENCH_PENDING").unwrap_or_else(|_| count.into());
    pending(&mut criterion, &mut report, &pending_edts);
    flat(&mut criterion, &mut report, count);
    scaling(&mut criterion, &programs, &mut report);
    hello(&mut criterion, &mut report);
    report.table.print();
    criterion.final_summary();
}
