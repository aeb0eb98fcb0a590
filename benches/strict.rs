//! What strict mode costs where it is off: programs of `benches/c`, linked with the library and with one that has no
//! strict mode at all (`--cfg ocr_no_strict`), in turns.
//!
//! `make bench-strict`, which builds both; what is expected: `benches/README.md`.

mod support;

use support::{Case, Source, Table, least, measuring, median, median_ratio, ocr, short, wanted};

/// Programs, their sizes for measuring and for seeing whether they work, and what they print.
const PROGRAMS: [(&str, &str, &str, &str); 6] = [
    ("fib", "27", "12", "ns_per_edt"),
    ("independent", "1000000", "1000", "ns_per_edt"),
    ("chain", "1000000", "1000", "ns_per_edt"),
    ("blocks", "1000000", "1000", "ns_per_block"),
    ("latch", "1000000", "1000", "ns_per_dependence"),
    ("fanout", "1000000", "1000", "ns_per_dependence"),
];

/// The library without strict mode.
const WITHOUT: &str = "build/no-strict/libocr.a";

fn main() {
    let mut criterion = support::criterion();
    if support::built(WITHOUT, "make bench-strict").is_none() {
        println!("left out: {WITHOUT} is missing: run `make bench-strict`");
        return;
    }
    let headings = ["", "with", "without", "", "ratio", "of the least"];
    let mut table = Table::new("What strict mode costs where it is off, 1 worker", &headings);
    for (name, large, small, key) in PROGRAMS {
        if !wanted(name) {
            continue;
        }
        let file = format!("benches/c/{name}.c");
        let without = Source {
            name: &format!("{name}-without"),
            files: &[&file, WITHOUT, "-lpthread", "-lm"],
            flags: &[],
            ocr: false,
        };
        let size = if measuring() { large } else { small };
        let cases =
            [Case::new("with", &ocr(name), &[size], 1, key), Case::new("without", &without.compile(), &[size], 1, key)];
        let Some(runs) = support::group(&mut criterion, &format!("strict/{name}"), None, &cases) else {
            continue;
        };
        let (with, without) = (runs[0].times(), runs[1].times());
        table.row(&[
            format!("{name} {size}"),
            short(median(&with)),
            short(median(&without)),
            key.replace('_', " "),
            short(median_ratio(&with, &without)),
            short(least(&with) / least(&without)),
        ]);
    }
    table.print();
    criterion.final_summary();
}
