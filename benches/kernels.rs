//! Kernel EDTs against hand-written loops of OpenCL calls.
//!
//! `cargo bench --bench kernels`. What each figure means and what is expected: `benches/README.md`.

mod support;

use support::{Case, Figures, Source, Table, fail, measuring, median, median_ratio, short};

const SIZES: [&str; 4] = ["empty", "20us", "200us", "1ms"];

/// One kind of graph: what it is compared with, in the figures and for people.
struct Kind {
    name: &'static str,
    others: [(&'static str, &'static str); 2],
}

const KINDS: [Kind; 2] = [
    Kind { name: "independent", others: [("queues", "loop, 2 queues"), ("queue", "loop, 1 queue")] },
    Kind { name: "chain", others: [("wait", "loop, waiting"), ("queue", "loop, not waiting")] },
];

/// What a row is to reach, for each kind of graph against the best loop: with as many queues as the
/// runtime has, or without waiting.
enum Bar {
    /// At most this number of times the loop.
    Ratio(f64),
    /// At most this number of microseconds more than the loop.
    More(f64),
    None,
}

impl Bar {
    fn of(kind: &Kind, size: &str, other: usize) -> Bar {
        match (kind.name, size, other) {
            ("independent", _, 0) => Bar::Ratio(1.05),
            ("chain", _, 1) => Bar::More(10.0),
            _ => Bar::None,
        }
    }

    /// The bar, and whether it is reached.
    fn cells(&self, ratio: f64, more: f64) -> [String; 2] {
        let (bar, reached) = match self {
            Bar::Ratio(most) => (format!("<= {most} times"), ratio <= *most),
            Bar::More(most) => (format!("<= {most} us more"), more <= *most),
            Bar::None => return [String::new(), String::new()],
        };
        [bar, if reached { "reached" } else { "not yet" }.into()]
    }
}

/// The most of a core that the manager's thread may use while kernels of a millisecond run, percent.
const MANAGER_MOST: f64 = 20.0;

fn rows(table: &mut Table, figures: &Figures, kind: &Kind, size: &str) {
    let all = |how: &str| figures.all(&format!("{}_{size}_{how}", kind.name));
    let edts = all("edt");
    for (at, (how, name)) in kind.others.iter().enumerate() {
        let ratio = median_ratio(edts, all(how));
        let more = (median(edts) - median(all(how))) / 1000.0;
        let [bar, reached] = Bar::of(kind, size, at).cells(ratio, more);
        table.row(&[
            format!("{} {size}, against {name}", kind.name),
            short(median(edts) / 1000.0),
            short(median(all(how)) / 1000.0),
            short(ratio),
            short(more),
            bar,
            reached,
        ]);
    }
}

/// The EDTs of a size that come after those of another, against a loop that does not: in the caches is what others use,
/// and the runtime finds out how long the kernels are.
fn first_row(table: &mut Table, figures: &Figures, kind: &Kind, size: &str) {
    let all = |how: &str| figures.all(&format!("{}_{size}_{how}", kind.name));
    let (how, name) = kind.others[0];
    let (first, others) = (all("first"), all(how));
    if !first.is_empty() {
        table.row(&[
            format!("{} {size}, the first time, against {name}", kind.name),
            short(median(first) / 1000.0),
            short(median(others) / 1000.0),
            short(median_ratio(first, others)),
            short((median(first) - median(others)) / 1000.0),
            String::new(),
            String::new(),
        ]);
    }
}

fn main() {
    let mut criterion = support::criterion();
    let source = Source { name: "kernels", files: &["benches/c/kernels.c"], flags: &[], ocr: true };
    let sizes: &[&str] = if measuring() { &["1000", "200", "10"] } else { &["20", "10", "1"] };
    let device = std::env::var("OCR_BENCH_DEVICE").unwrap_or_else(|_| "0".into());
    let mut arguments = sizes.to_vec();
    arguments.push(&device);
    let workers = support::workers();
    let case = Case::new("kernels", &source.compile(), &arguments, workers, "")
        .with("OCR_DEVICES", &device)
        .with("OCR_SCHED", "device");
    let figures = case.run();
    if figures.all("independent_empty_edt").is_empty() {
        return;
    }
    let headings = ["us per kernel", "EDT", "loop", "ratio", "us more", "bar", ""];
    let mut table = Table::new("What a kernel EDT costs", &headings);
    for kind in &KINDS {
        for size in SIZES {
            let keys = ["edt", kind.others[0].0, kind.others[1].0];
            let series: Vec<(&str, &[f64])> =
                keys.iter().map(|how| (*how, figures.all(&format!("{}_{size}_{how}", kind.name)))).collect();
            if series.iter().any(|(_, values)| values.is_empty()) {
                fail(&format!("no figures for {} {size}", kind.name));
            }
            support::replay(&mut criterion, &format!("kernels/{}/{size}", kind.name), &series);
            rows(&mut table, &figures, kind, size);
            first_row(&mut table, &figures, kind, size);
        }
    }
    table.print();
    let headings = ["percent of a core", "1 ms kernels", "bar", ""];
    let mut table = Table::new("What the device manager's thread uses", &headings);
    for kind in &KINDS {
        let shares = figures.all(&format!("manager_{}_1ms", kind.name));
        // The system may not tell.
        if !shares.is_empty() {
            let share = median(shares);
            let reached = share <= MANAGER_MOST;
            table.row(&[
                kind.name.into(),
                short(share),
                format!("<= {MANAGER_MOST}"),
                if reached { "reached" } else { "not yet" }.into(),
            ]);
        }
    }
    table.print();
    criterion.final_summary();
}
