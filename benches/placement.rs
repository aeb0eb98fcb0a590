//! Placement policies on a worker and a device: equally fast, and up to twenty times as fast one way or the other.
//!
//! `cargo bench --bench placement`. What each figure means and what is expected: `benches/README.md`.

#[path = "placement/starpu.rs"]
mod starpu;
mod support;

use criterion::Criterion;
use starpu::Graph;
use std::path::Path;
use support::{Case, Figures, Runs, Table, any_wanted, measuring, median_ratio, ocr, short, wanted};

/// What is compared with `eager`, and `eager`.
const POLICIES: [&str; 4] = ["cpu", "device", "static:1:1", "eager"];
const HALVES: usize = 2;
const EAGER: usize = 3;

/// EDTs and their steps, of about 1.3 ns each: from some that take a tenth of a second to many of 30 us.
const SIZES: [(u64, u64); 6] =
    [(2, 80_000_000), (4, 80_000_000), (7, 40_000_000), (40, 4_000_000), (400, 400_000), (4000, 25_000)];

/// At most this number of times what equal halves take.
const BAR: f64 = 1.1;

fn case(program: &Path, policy: &str, edts: u64, steps: u64) -> Case {
    let device = std::env::var("OCR_BENCH_DEVICE").unwrap_or_else(|_| "0".into());
    let [edts, steps] = [edts.to_string(), steps.to_string()];
    let arguments = ["independent", &edts, &steps, &steps, "2"];
    Case::new(policy, program, &arguments, 1, "ns_1")
        .with("OCR_DEVICES", &device)
        .with("OCR_SCHED", policy)
        .with("POCL_MAX_PTHREAD_COUNT", "1")
}

/// A row: the medians, and what `eager` takes beside equal halves.
fn row(table: &mut Table, what: String, runs: &[Runs], time: &str, kernels: &str) {
    let mut cells = vec![what];
    cells.extend(runs.iter().map(|runs| short(runs.median(time) / 1e6)));
    cells.push(short(runs[EAGER].median(kernels)));
    let ratio = median_ratio(&runs[EAGER].all(time), &runs[HALVES].all(time));
    cells.push(short(ratio));
    cells.push(format!("<= {BAR}"));
    cells.push(if ratio <= BAR { "reached" } else { "not yet" }.into());
    table.row(&cells);
}

/// How long a function and a kernel take, against each other.
const SPEEDS: [(u64, u64); 5] = [(1, 1), (1, 4), (4, 1), (1, 20), (20, 1)];

/// A shape, how many EDTs in a row or in all, the steps of the faster variant, and the bar against the area bound; a
/// few EDTs are measured against their best division.
const SHAPES: [(&str, u64, u64, f64); 4] = [
    ("independent", 1000, 75_000, 1.05),
    ("wavefront", 32, 75_000, 1.10),
    ("independent", 7, 2_000_000, 1.03),
    ("independent", 4, 2_000_000, 1.03),
];

/// No run takes longer than this many times the best single place.
const SINGLE: f64 = 1.03;

/// The rows of the second table: EDTs whose variants take different times, under `eft` without models of earlier runs,
/// and with them.
fn speeds(criterion: &mut Criterion, program: &Path) {
    let mut table = Table::new(
        "Variants of different speeds, 1 worker and a device",
        &[
            "ms",
            "cpu",
            "device",
            "bound",
            "eager",
            "empty",
            "full",
            "kernels",
            "full / bound",
            "bar",
            "full / best place",
            "bar",
        ],
    );
    for (host, device) in SPEEDS {
        for (shape, size, steps, bar) in SHAPES {
            let steps = if measuring() { steps } else { steps / 1000 };
            let models = std::env::temp_dir().join(format!("ocr-bench-models-{}", std::process::id()));
            let _ = std::fs::remove_dir_all(&models);
            let least = host.min(device);
            let numbers = [size, steps * host / least, steps * device / least, 1].map(|number| number.to_string());
            let [size_text, on_host, on_device, rounds] = &numbers;
            let arguments = [shape, size_text, on_host, on_device, rounds].map(|text| text);
            let case = |name: &str, policy: &str, models: &str| {
                Case::new(name, program, &arguments, 1, "ns_1")
                    .with("OCR_DEVICES", &std::env::var("OCR_BENCH_DEVICE").unwrap_or_else(|_| "0".into()))
                    .with("OCR_SCHED", policy)
                    .with("OCR_MODELS", models)
                    .with("POCL_MAX_PTHREAD_COUNT", "1")
            };
            let folder = models.to_string_lossy().into_owned();
            let cases = [
                case("cpu", "cpu", "off"),
                case("device", "device", "off"),
                case("eager", "eager", "off"),
                case("empty", "eft", "off"),
                case("full", "eft", &folder),
            ];
            let name = format!("placement/{shape}/{size}/{host}-{device}");
            if any_wanted(&name, &cases) {
                cases[4].run();
            }
            let runs = support::group(criterion, &name, None, &cases);
            let _ = std::fs::remove_dir_all(&models);
            let Some(runs) = runs else { continue };
            let ns = |at: usize| runs[at].median("ns_1");
            let many = if shape == "wavefront" { size * size } else { size };
            let bound = bound(many, ns(0), ns(1));
            let (over_bound, over_best) = (ns(4) / bound, ns(4) / ns(0).min(ns(1)));
            let mut cells = vec![format!("{shape} {size}, {host}:{device}")];
            cells.extend([ns(0), ns(1), bound, ns(2), ns(3), ns(4)].map(|ns| short(ns / 1e6)));
            cells.push(short(runs[4].median("kernels_1")));
            let reached =
                |value: f64, bar: f64| format!("<= {bar} {}", if value <= bar { "reached" } else { "not yet" });
            cells.extend([short(over_bound), reached(over_bound, bar), short(over_best), reached(over_best, SINGLE)]);
            table.row(&cells);
        }
    }
    table.print();
}

/// What `many` EDTs take at best, of which all take `host` on one place and `device` on the other: the best division.
fn bound(many: u64, host: f64, device: f64) -> f64 {
    let divided = |on_host: u64| {
        let part = on_host as f64 / many as f64;
        (part * host).max((1.0 - part) * device)
    };
    (0..=many).map(divided).fold(f64::INFINITY, f64::min)
}

/// The third table: the first two shapes and applications, under `eft` and under StarPU's schedulers.
fn against_starpu(criterion: &mut Criterion, program: &Path) {
    let Some(theirs) = starpu::compile("starpu-variants", &[], &[]) else {
        return;
    };
    let Some(home) = starpu::home(&theirs, &["independent", "2", "1000", "1000", "1"]) else {
        return;
    };
    let mut table = starpu::table();
    for (host, device) in SPEEDS {
        for (shape, size, steps, _) in SHAPES.iter().filter(|shape| shape.1 >= 32) {
            let steps = if measuring() { *steps } else { steps / 1000 };
            let least = host.min(device);
            let [on_host, on_device] = [host, device].map(|part| (steps * part / least).to_string());
            let arguments = |shape: &str, size: u64| {
                [shape, &size.to_string(), &on_host, &on_device, "1"].map(str::to_string).to_vec()
            };
            let graph = Graph {
                what: format!("{shape} {size}, {host}:{device}"),
                group: format!("placement/starpu/{shape}/{size}/{host}-{device}"),
                ours: (program, arguments(shape, *size)),
                theirs: (&theirs, arguments(shape, *size)),
                calibration: arguments("independent", 200),
                time: "ns_1",
                kernels: ["kernels_1"; 2],
                same: None,
            };
            starpu::compare(criterion, &mut table, &home, &graph);
        }
    }
    for application in starpu::applications() {
        application.compare(criterion, &mut table, &home);
    }
    table.print();
}

/// What the models know before, by runs under these policies; with the steps of both variants exchanged, if so.
const KNOWLEDGE: [(&str, &[(&str, bool)]); 5] = [
    ("nothing", &[]),
    ("the function", &[("cpu", false)]),
    ("the kernel", &[("device", false)]),
    ("other parameters", &[("cpu", true), ("device", true)]),
    ("all", &[("eft", false), ("eft", false), ("eft", false)]),
];

/// How many EDTs in a fourth table, and the steps of the faster variant; the bars of the first of three runs, and of
/// their median, over the best single place.
const FEW_AND_MANY: [(u64, u64, f64, f64); 3] =
    [(7, 4_000_000, 3.5, 1.10), (20, 4_000_000, 1.25, 1.10), (400, 800_000, 1.25, 1.10)];

/// The fourth table: `eft` in each state of knowledge, in three runs that go on with the same models.
fn knowledge(program: &Path) {
    let mut table = Table::new(
        "What `eft` knows before, 1 worker and a device: time over the best single place",
        &["", "known before", "first run", "bar", "median of three", "bar"],
    );
    let device = std::env::var("OCR_BENCH_DEVICE").unwrap_or_else(|_| "0".into());
    let models = std::env::temp_dir().join(format!("ocr-bench-known-{}", std::process::id()));
    let folder = models.to_string_lossy().into_owned();
    for (host, device_part) in [(1, 20), (1, 4), (20, 1)] {
        for (edts, steps, first_bar, bar) in FEW_AND_MANY {
            let steps = if measuring() { steps } else { steps / 1000 };
            let run = |policy: &str, exchanged: bool, models: &str| {
                let (on_host, on_device) = if exchanged { (device_part, host) } else { (host, device_part) };
                let numbers = [edts, steps * on_host, steps * on_device].map(|n| n.to_string());
                let arguments = ["independent", &numbers[0], &numbers[1], &numbers[2], "1"];
                let case = Case::new(policy, program, &arguments, 1, "ns_1")
                    .with("OCR_DEVICES", &device)
                    .with("OCR_SCHED", policy)
                    .with("OCR_MODELS", models)
                    .with("POCL_MAX_PTHREAD_COUNT", "1");
                case.run().get("ns_1")
            };
            let best = run("cpu", false, "off").min(run("device", false, "off"));
            for (known, before) in KNOWLEDGE {
                let _ = std::fs::remove_dir_all(&models);
                for (policy, exchanged) in before {
                    run(policy, *exchanged, &folder);
                }
                let took = [(); 3].map(|()| run("eft", false, &folder) / best);
                let median = support::median(&took);
                let reached = |value: f64, bar: f64| {
                    let is_reached = if value <= bar { "reached" } else { "not yet" };
                    format!("<= {bar} {is_reached}")
                };
                table.row(&[
                    format!("{edts} EDTs, {host}:{device_part}"),
                    known.into(),
                    short(took[0]),
                    reached(took[0], first_bar),
                    short(median),
                    reached(median, bar),
                ]);
            }
        }
    }
    let _ = std::fs::remove_dir_all(&models);
    table.print();
}

/// A shape of a fifth table, the parts of function and kernel, and what the default takes at most, over the best single
/// place.
const SHARED: [(&str, u64, u64, f64); 3] =
    [("independent", 1, 20, 1.03), ("independent", 20, 1, 1.05), ("opposite", 1, 20, 1.0)];

/// The fifth table: the default on all cores, which workers and the CPU device share, with models of two runs.
fn shared_cores(criterion: &mut Criterion, program: &Path) {
    let mut table = Table::new(
        "All cores, which workers and a CPU device share: the default, and each place alone",
        &["ms", "cpu", "device", "default", "kernels", "default / best place", "bar"],
    );
    for (shape, host, device, bar) in SHARED {
        let (edts, steps) = if measuring() { (1000, 150_000) } else { (100, 1000) };
        let models = std::env::temp_dir().join(format!("ocr-bench-shared-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&models);
        let folder = models.to_string_lossy().into_owned();
        let numbers = [edts, steps * host, steps * device, 1].map(|number| number.to_string());
        let arguments = [shape, &numbers[0], &numbers[1], &numbers[2], &numbers[3]];
        let case = |policy: &str, models: &str| {
            Case::new(policy, program, &arguments, 1, "ns_1")
                .with("OCR_WORKERS", "")
                .with("OCR_DEVICES", &std::env::var("OCR_BENCH_DEVICE").unwrap_or_else(|_| "0".into()))
                .with("OCR_SCHED", policy)
                .with("OCR_MODELS", models)
        };
        let cases = [case("cpu", "off"), case("device", "off"), case("eft", &folder)];
        let name = format!("placement/shared/{shape}/{host}-{device}");
        if any_wanted(&name, &cases) {
            cases[2].run();
            cases[2].run();
        }
        let runs = support::group(criterion, &name, None, &cases);
        let _ = std::fs::remove_dir_all(&models);
        let Some(runs) = runs else { continue };
        let ns = |at: usize| runs[at].median("ns_1");
        let over_best = ns(2) / ns(0).min(ns(1));
        let reached = if over_best <= bar { "reached" } else { "not yet" };
        let mut cells = vec![format!("{shape}, {host}:{device}")];
        cells.extend([ns(0), ns(1), ns(2)].map(|ns| short(ns / 1e6)));
        cells.extend([short(runs[2].median("kernels_1")), short(over_best), format!("<= {bar} {reached}")]);
        table.row(&cells);
    }
    table.print();
}

fn main() {
    let mut criterion = support::criterion();
    let program = ocr("variants");
    let figures: Figures = case(&program, "device", 2, 1000).run();
    if figures.get("kernels_1") == 0.0 {
        println!("left out: placement, since there is no OpenCL device here");
        return;
    }
    let mut headings = vec!["ms"];
    headings.extend(POLICIES);
    headings.extend(["kernels", "eager / static:1:1", "bar", ""]);
    let mut table = Table::new("Placement on 1 worker and a device as fast", &headings);
    for (edts, steps) in SIZES {
        let steps = if measuring() { steps } else { steps / 1000 };
        let cases = POLICIES.map(|policy| case(&program, policy, edts, steps));
        let name = format!("placement/{edts}");
        let Some(runs) = support::group(&mut criterion, &name, None, &cases) else {
            continue;
        };
        let what = format!("{edts} EDTs of {steps} steps");
        row(&mut table, what.clone(), &runs, "ns_1", "kernels_1");
        let what = format!("{what}, again");
        row(&mut table, what, &runs, "ns_2", "kernels_2");
    }
    table.print();
    speeds(&mut criterion, &program);
    if wanted("placement/knowledge") {
        knowledge(&program);
    }
    shared_cores(&mut criterion, &program);
    against_starpu(&mut criterion, &program);
    criterion.final_summary();
}
