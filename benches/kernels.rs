//! Kernel EDTs against hand-written loops of OpenCL calls.
//!
//! `cargo bench --bench kernels`. What each figure means and what is expected: `benches/README.md`.

mod support;

use support::{Case, Figures, Source, Table, fail, measuring, median, median_ratio, short};

const SIZES: [&str; 3] = ["empty", "20us", "200us"];

/// One kind of graph: what it is compared with, in the figures and for people.
struct Kind {
    name: &'static str,
    others: [(&'static str, &'static str); 2],
}

const KINDS: [Kind; 2] = [
    Kind {
        name: "independent",
        others: [("queues", "loop, 2 queues"), ("queue", "loop, 1 queue")],
    },
    Kind {
        name: "chain",
        others: [("wait", "loop, waiting"), ("queue", "loop, not waiting")],
    },
];

/// The most that an independent kernel EDT may take, in times of the loop with the same queues.
const MOST: f64 = 1.2;

fn rows(table: &mut Table, figures: &Figures, kind: &Kind, size: &str) {
    let all = |how: &str| figures.all(&format!("{}_{size}_{how}", kind.name));
    let edts = all("edt");
    for (at, (how, name)) in kind.others.iter().enumerate() {
        let ratio = median_ratio(edts, all(how));
        let more = (median(edts) - median(all(how))) / 1000.0;
        let barred = kind.name == "independent" && at == 0;
        table.row(&[
            format!("{} {size}, against {name}", kind.name),
            short(median(edts) / 1000.0),
            short(median(all(how)) / 1000.0),
            short(ratio),
            if barred {
                format!("<= {MOST}")
            } else {
                String::new()
            },
            match barred {
                true if ratio <= MOST => "reached".into(),
                true => "not yet".into(),
                false => String::new(),
            },
            short(more),
        ]);
    }
}

fn main() {
    let mut criterion = support::criterion();
    let source = Source {
        name: "kernels",
        files: &["benches/c/kernels.c"],
        flags: &[],
        ocr: true,
    };
    let sizes: &[&str] = match measuring() {
        true => &["1000", "200", "10"],
        false => &["20", "10", "1"],
    };
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
    let headings = [
        "us per kernel",
        "EDT",
        "loop",
        "ratio",
        "bar",
        "",
        "difference",
    ];
    let mut table = Table::new("What a kernel EDT costs", &headings);
    for kind in &KINDS {
        for size in SIZES {
            let keys = ["edt", kind.others[0].0, kind.others[1].0];
            let series: Vec<(&str, &[f64])> = keys
                .iter()
                .map(|how| (*how, figures.all(&format!("{}_{size}_{how}", kind.name))))
                .collect();
            if series.iter().any(|(_, values)| values.is_empty()) {
                fail(&format!("no figures for {} {size}", kind.name));
            }
            support::replay(
                &mut criterion,
                &format!("kernels/{}/{size}", kind.name),
                &series,
            );
            rows(&mut table, &figures, kind, size);
        }
    }
    table.print();
    criterion.final_summary();
}
