//! Placement policies on a worker and a device that are equally fast.
//!
//! `cargo bench --bench placement`. What each figure means and what is expected: `benches/README.md`.

mod support;

use std::path::Path;
use support::{Case, Figures, Runs, Table, measuring, median_ratio, ocr, short};

/// What is compared with `eager`, and `eager`.
const POLICIES: [&str; 4] = ["cpu", "device", "static:1:1", "eager"];
const HALVES: usize = 2;
const EAGER: usize = 3;

/// EDTs and their steps, of about 1.3 ns each: from some that take a tenth of a second to many of 30 us.
const SIZES: [(u64, u64); 6] = [
    (2, 80_000_000),
    (4, 80_000_000),
    (7, 40_000_000),
    (40, 4_000_000),
    (400, 400_000),
    (4000, 25_000),
];

/// At most so many times what equal halves take.
const BAR: f64 = 1.1;

fn case(program: &Path, policy: &str, edts: u64, steps: u64) -> Case {
    let device = std::env::var("OCR_BENCH_DEVICE").unwrap_or_else(|_| "0".into());
    let arguments = [edts.to_string(), steps.to_string()];
    let arguments = [arguments[0].as_str(), arguments[1].as_str()];
    Case::new(policy, program, &arguments, 1, "ns_first")
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

fn main() {
    let mut criterion = support::criterion();
    let program = ocr("placement");
    let figures: Figures = case(&program, "device", 2, 1000).run();
    if figures.get("kernels_first") == 0.0 {
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
        row(&mut table, what.clone(), &runs, "ns_first", "kernels_first");
        let what = format!("{what}, again");
        row(&mut table, what, &runs, "ns_again", "kernels_again");
    }
    table.print();
    criterion.final_summary();
}
