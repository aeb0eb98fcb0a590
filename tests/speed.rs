//! The chapter about speed shows what the benches have kept in `benches/results`, whole and unchanged: a table for each
//! file, and a plot of those that compare with other runtimes. `OCR_BLESS=1 cargo test --test speed` writes both.

mod support;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const CHAPTER: &str = "docs/guide/src/speed.md";
const PLOT: &str = "docs/guide/src/speed.svg";
/// Between a line that begins so, which names a file of results, and [`END`] the chapter has its table.
const BEGIN: &str = "[//]: # (results: ";
const END: &str = "[//]: # (end of results)";

/// A file of results, as `benches/support` writes it.
struct Results {
    title: String,
    /// The command, and the date, the commit and the machine.
    about: [String; 2],
    rows: Vec<Vec<String>>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn results_of(path: &Path) -> Results {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines().map(str::to_string);
    let mut next = || lines.next().unwrap_or_else(|| panic!("{}: too short", path.display()));
    let (title, about) = (next(), [next(), next()]);
    let rows = text.lines().skip(3).map(|row| row.split('\t').map(str::to_string).collect());
    Results { title, about, rows: rows.collect() }
}

fn all_results() -> Vec<PathBuf> {
    let folder = root().join("benches/results");
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    paths
}

/// The table of the chapter.
fn table(results: &Results) -> String {
    let columns = results.rows.iter().map(Vec::len).max().unwrap_or(0);
    let line = |row: &[String]| {
        let cells = (0..columns).map(|at| row.get(at).map_or("", |cell| cell.trim()));
        format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
    };
    let mut rows = results.rows.iter();
    let mut out = format!("`{}`, {}:\n\n", results.about[0], results.about[1]);
    out += &line(rows.next().map_or(&[][..], Vec::as_slice));
    out += &format!("|---{}|\n", "|---:".repeat(columns.saturating_sub(1)));
    rows.for_each(|row| out += &line(row));
    out
}

/// The chapter with the tables of the files as they are now.
fn chapter(old: &str) -> String {
    let mut out = String::new();
    let mut lines = old.lines();
    while let Some(line) = lines.next() {
        let _ = writeln!(out, "{line}");
        let Some(name) = line.strip_prefix(BEGIN) else {
            continue;
        };
        let name = name.trim_end_matches(')');
        let results = results_of(&root().join("benches/results").join(name));
        let _ = write!(out, "\n{}\n{END}\n", table(&results));
        assert!(lines.any(|line| line == END), "{CHAPTER}: {name} has no end");
    }
    out
}

/// How many times ours a cell says that another runtime takes: `x 2.2`.
fn times_ours(cell: &str) -> Option<f64> {
    cell.strip_prefix("x ")?.parse().ok()
}

/// A bar for each cell that says how many times ours another runtime takes, on a logarithmic scale.
fn plot(all: &[Results]) -> String {
    const LABEL: f64 = 260.0;
    const WIDTH: f64 = 760.0;
    const STEP: f64 = 16.0;
    let (least, most) = (0.25_f64, 64.0_f64);
    let x = |times: f64| {
        let part = (times.clamp(least, most) / least).log2() / (most / least).log2();
        LABEL + part * (WIDTH - LABEL - 60.0)
    };
    let mut bars = String::new();
    let mut y = 40.0;
    for results in all {
        let Some(headings) = results.rows.first() else {
            continue;
        };
        for (at, heading) in headings.iter().enumerate() {
            let cells = results.rows[1..].iter().filter_map(|row| {
                let times = times_ours(row.get(at + 1)?)?;
                (!row[0].starts_with("ocr")).then(|| (row[0].as_str(), times))
            });
            let cells: Vec<(&str, f64)> = cells.collect();
            if heading.is_empty() || cells.is_empty() {
                continue;
            }
            let unit = if results.title.starts_with("METG") { "METG, " } else { "" };
            let _ = writeln!(bars, "<text x=\"8\" y=\"{:.0}\" font-weight=\"bold\">{unit}{heading}</text>", y + 12.0);
            for (name, times) in cells {
                let (from, to) = (x(times.min(1.0)), x(times.max(1.0)));
                let color = if times >= 1.0 { "#4878a8" } else { "#c06040" };
                let _ = writeln!(
                    bars,
                    "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"end\">{name}</text>\
                     <rect x=\"{from:.1}\" y=\"{:.0}\" width=\"{:.1}\" height=\"11\" fill=\"{color}\"/>\
                     <text x=\"{:.1}\" y=\"{:.0}\">{times}</text>",
                    LABEL - 8.0,
                    y + 12.0,
                    y + 3.0,
                    (to - from).max(1.0),
                    to + 4.0,
                    y + 12.0
                );
                y += STEP;
            }
            y += 6.0;
        }
    }
    let height = y + 10.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" font-family=\"sans-serif\" \
         font-size=\"11\">\n<rect width=\"{WIDTH}\" height=\"{height:.0}\" fill=\"white\"/>\n\
         <text x=\"8\" y=\"16\">Time that another runtime takes, in times ours: more than 1 is slower than ocr</text>\n"
    );
    for mark in [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0] {
        let color = if mark == 1.0 { "#000000" } else { "#d0d0d0" };
        let at = x(mark);
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" y1=\"36\" x2=\"{at:.1}\" y2=\"{:.0}\" stroke=\"{color}\"/>\
             <text x=\"{at:.1}\" y=\"32\" text-anchor=\"middle\">{mark}</text>",
            height - 8.0
        );
    }
    out + &bars + "</svg>\n"
}

#[test]
fn the_chapter_shows_what_was_measured() {
    let path = root().join(CHAPTER);
    let old = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{CHAPTER}: {error}"));
    let paths = all_results();
    for path in &paths {
        let name = path.file_name().expect("a name").to_string_lossy();
        assert!(
            old.contains(&format!("{BEGIN}{name})")),
            "{CHAPTER} does not show benches/results/{name}: give it a line `{BEGIN}{name})` and `{END}` behind it"
        );
    }
    let all: Vec<Results> = paths.iter().map(|path| results_of(path)).collect();
    support::compare_or_bless("speed", CHAPTER, &chapter(&old));
    support::compare_or_bless("speed", PLOT, &plot(&all));
}
