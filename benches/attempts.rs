//! What attempts (OCR_RETRY) and checkpoints (OCR_CHECKPOINT) cost where nothing fails: the same program with and
//! without, in turns.
//!
//! What is expected: `benches/README.md`.

mod support;

use support::{Case, Source, Table, least, measuring, median, median_ratio, ocr, root, short, wanted};

/// The chains of EDTs: a name, their arguments for measuring, and those for seeing whether they work.
const CHAINS: [(&str, &[&str], &[&str]); 2] = [
    ("EDTs of 10 us", &["100000", "10"], &["100", "10"]),
    ("that write 64 KiB each", &["100000", "10", "65536"], &["100", "10", "65536"]),
];

fn main() {
    let mut criterion = support::criterion();
    let headings = ["", "without", "with", "", "ratio", "of the least", "bar"];
    let mut table = Table::new("What attempts and checkpoints cost, 1 worker", &headings);
    let program = ocr("attempts");
    for (name, large, small) in CHAINS.into_iter().filter(|(name, ..)| wanted(name)) {
        let case = |name| Case::new(name, &program, if measuring() { large } else { small }, 1, "ns_per_edt");
        let cases = [case("without"), case("with").with("OCR_RETRY", "1")];
        let Some(runs) = support::group(&mut criterion, &format!("attempts/{name}"), None, &cases) else { continue };
        let (without, with) = (runs[0].times(), runs[1].times());
        let copy = runs[0].median("ns_per_copy");
        let bar = if copy == 0.0 {
            "1.1".to_string()
        } else {
            format!("{}: 1.1 and one copy", short(1.1 + copy / median(&without)))
        };
        table.row(&[
            name.to_string(),
            short(median(&without)),
            short(median(&with)),
            "ns per EDT, OCR_RETRY=1".to_string(),
            short(median_ratio(&with, &without)),
            short(least(&with) / least(&without)),
            bar,
        ]);
    }
    let checkpoints = root().join("build/benches/checkpoints");
    let folder = checkpoints.display().to_string();
    let name = "a checkpoint each second";
    if wanted(name) {
        let files: &[&str] = &["examples/seismic.c"];
        let seismic = Source { name: "seismic-checkpoints", files, flags: &["-Iexamples/common"], ocr: true }.compile();
        let side = if measuring() { "1024" } else { "64" };
        let iterations = if measuring() { "5000" } else { "20" };
        let arguments = ["--width", side, "--height", side, "--iterations", iterations];
        let case = |name| Case::new(name, &seismic, &arguments, 1, "seconds");
        let cases = [case("without"), case("with").with("OCR_CHECKPOINT", &format!("{folder}:1"))];
        if let Some(runs) = support::group(&mut criterion, &format!("attempts/{name}"), None, &cases) {
            let (without, with) = (runs[0].times(), runs[1].times());
            table.row(&[
                name.to_string(),
                short(median(&without) / 1e9),
                short(median(&with) / 1e9),
                "s, seismic 1024 x 1024".to_string(),
                short(median_ratio(&with, &without)),
                short(least(&with) / least(&without)),
                "1.05".to_string(),
            ]);
        }
    }
    let name = "held for a checkpoint";
    if measuring() && wanted(name) {
        let case = Case::new(name, &program, &["held", "1"], 1, "ms_held").with("OCR_CHECKPOINT", &folder);
        let run = || {
            // Otherwise the content would be there.
            let _ = std::fs::remove_dir_all(&checkpoints);
            let figures = case.run();
            (figures.get("ms_before"), figures.get("ms_held"))
        };
        let (before, held): (Vec<f64>, Vec<f64>) = (0..support::ROUNDS).map(|_| run()).unzip();
        table.row(&[
            name.to_string(),
            short(median(&before)),
            short(median(&held)),
            "ms between two EDTs at most, 1 GiB of data blocks".to_string(),
            String::new(),
            format!("least {}", short(least(&held))),
            "20".to_string(),
        ]);
    }
    let _ = std::fs::remove_dir_all(checkpoints);
    table.print();
    criterion.final_summary();
}
