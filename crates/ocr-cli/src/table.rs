//! Aligned tables and broken lines, which fit the terminal; and numbers as texts.

use crate::output::plain;
use std::borrow::Cow;
use std::sync::OnceLock;

pub(crate) use ocr_analysis::page::Align;
use ocr_analysis::page::PageTable;
pub(crate) use ocr_base::text::bytes;

/// A table with a title over each column. A row has as many cells as there are columns, or fewer; the last cell is a
/// remark then.
pub(crate) struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// Makes a table that has no rows yet.
    pub(crate) fn new(columns: Vec<(String, Align)>) -> Table {
        Table { columns, rows: Vec::new() }
    }

    /// Adds a row below the others.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The table as a part of a page for a browser.
    pub(crate) fn into_page(self) -> PageTable {
        PageTable { columns: self.columns, rows: self.rows }
    }

    /// The text of the table, with a line feed at the end of each line, for the width of the terminal.
    pub(crate) fn text(&self) -> String {
        self.text_in(terminal_width())
    }

    /// The text of the table in lines of at most `width` letters. Columns for which there is no room stand below,
    /// beside the first column once more. A cell for which a line is too short is broken.
    pub(crate) fn text_in(&self, width: Option<usize>) -> String {
        let all: Vec<usize> = (1..self.columns.len()).collect();
        let Some(width) = width else {
            return self.lines(&all, usize::MAX);
        };
        let first = self.width_of(0).min(width / 2);
        let mut blocks: Vec<Vec<usize>> = vec![Vec::new()];
        let mut used = first;
        for column in all {
            let more = GAP + self.width_of(column).min(width - first - GAP);
            let last = blocks.len() - 1;
            if used + more > width && !blocks[last].is_empty() {
                blocks.push(vec![column]);
                used = first + more;
            } else {
                blocks[last].push(column);
                used += more;
            }
        }
        let texts = blocks.iter().map(|columns| self.lines(columns, width));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The widest cell of a column, in letters.
    fn width_of(&self, column: usize) -> usize {
        // The last cell of a short row is a remark, which may run on over the next columns.
        let rows = self.rows.iter();
        let rows = rows.filter(|row| row.len() > column + 1 || row.len() == self.columns.len());
        let cells = rows.map(|row| letters(&row[column]));
        cells.chain([letters(&self.columns[column].0)]).max().unwrap_or(0)
    }

    /// The lines of the first column and some others.
    fn lines(&self, columns: &[usize], width: usize) -> String {
        let columns: Vec<usize> = [0].into_iter().chain(columns.iter().copied()).collect();
        let first = self.width_of(0).min(width / 2);
        let rest = width.saturating_sub(first + GAP);
        let widths: Vec<usize> =
            (columns.iter()).map(|&column| self.width_of(column).min(if column == 0 { first } else { rest })).collect();
        let titles: Vec<String> = self.columns.iter().map(|(title, _)| title.clone()).collect();
        let rule: Vec<String> = (0..titles.len())
            .map(|column| {
                let at = columns.iter().position(|&known| known == column);
                "-".repeat(at.map_or(0, |at| widths[at]))
            })
            .collect();
        let mut text = String::new();
        for row in [&titles, &rule].into_iter().chain(&self.rows) {
            // A remark stands in the block of its own column alone.
            let is_short = row.len() < titles.len();
            if is_short && !columns.contains(&(row.len() - 1)) {
                continue;
            }
            let cells: Vec<Vec<String>> = (columns.iter().zip(&widths))
                .filter_map(|(&column, &width)| {
                    let is_remark = is_short && column + 1 == row.len() && column > 0;
                    let width = if is_remark { rest } else { width };
                    Some(broken(row.get(column)?, width))
                })
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for at in 0..height {
                let mut line = String::new();
                for ((cell, &width), &column) in cells.iter().zip(&widths).zip(&columns) {
                    let cell = cell.get(at).map_or("", String::as_str);
                    // A remark is aligned to the left in any column.
                    let is_remark = is_short && column + 1 == row.len() && column > 0;
                    line += &match self.columns[column].1 {
                        Align::Right if !is_remark => format!("{cell:>width$}  "),
                        _ => format!("{cell:<width$}  "),
                    };
                }
                text += line.trim_end();
                text.push('\n');
            }
        }
        text
    }
}

/// How many blanks stand between two columns.
const GAP: usize = 2;

/// How many letters a cell has as it is shown.
fn letters(cell: &str) -> usize {
    cell_text(cell).chars().count()
}

/// A cell as it is shown: control characters are escaped, and line feeds and tabs are, too.
fn cell_text(cell: &str) -> Cow<'_, str> {
    if cell.contains(['\n', '\t']) {
        let cell = cell.replace('\n', "\\x0a").replace('\t', "\\x09");
        Cow::Owned(plain(&cell).into_owned())
    } else {
        plain(cell)
    }
}

/// A cell in lines of at most `width` letters, broken between words where that can be.
fn broken(cell: &str, width: usize) -> Vec<String> {
    let cell = cell_text(cell);
    let mut lines = vec![String::new()];
    let mut used = 0;
    for (number, word) in cell.split(' ').enumerate() {
        let length = word.chars().count();
        if number > 0 && used + 1 + length > width {
            lines.push(String::new());
            used = 0;
        } else if number > 0 {
            let last = lines.len() - 1;
            lines[last].push(' ');
            used += 1;
        }
        for letter in word.chars() {
            if used >= width.max(1) {
                lines.push(String::new());
                used = 0;
            }
            let last = lines.len() - 1;
            lines[last].push(letter);
            used += 1;
        }
    }
    lines
}

/// How many letters a line of the terminal has, at least 20: what `COLUMNS` says, or else the terminal itself. None
/// where the standard output is no terminal.
pub(crate) fn terminal_width() -> Option<usize> {
    const LEAST: usize = 20;
    static WIDTH: OnceLock<Option<usize>> = OnceLock::new();
    *WIDTH.get_or_init(|| {
        let said = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
        let seen = || console::Term::stdout().size_checked().map(|(_, columns)| columns.into());
        let width: Option<usize> = said.filter(|&columns| columns > 0).or_else(seen);
        width.map(|columns| columns.max(LEAST))
    })
}

/// Breaks lines between words, where they have more letters than the terminal is wide, and 100 at most. The rest of a
/// line is indented by two blanks more than its beginning.
pub(crate) fn wrap(text: &str) -> String {
    const WIDTH: usize = 100;
    wrap_in(text, terminal_width().unwrap_or(WIDTH).min(WIDTH))
}

/// Breaks lines between words, where they have more letters than the terminal is wide. Without a terminal they stay.
pub(crate) fn fit(text: &str) -> String {
    match terminal_width() {
        Some(width) => wrap_in(text, width),
        None => text.to_string(),
    }
}

/// Breaks lines of more than `most` letters between words.
fn wrap_in(text: &str, most: usize) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let mut width = indent;
        out.push_str(&line[..indent]);
        for (number, word) in line[indent..].split(' ').enumerate() {
            let len = word.chars().count();
            if number > 0 && width + 1 + len > most {
                out.push('\n');
                out.push_str(&" ".repeat(indent + 2));
                width = indent + 2;
            } else if number > 0 {
                out.push(' ');
                width += 1;
            }
            out.push_str(word);
            width += len;
        }
        out.push('\n');
    }
    out
}

/// A time in seconds as text, without a unit, with three significant digits or more.
pub(crate) fn seconds(value: f64) -> String {
    match value {
        v if v < 0.01 => format!("{v:.5}"),
        v if v < 0.1 => format!("{v:.4}"),
        v if v < 10.0 => format!("{v:.3}"),
        v => format!("{v:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_remarks_run_on() {
        let mut table =
            Table::new(vec![("name".into(), Align::Left), ("n".into(), Align::Right), ("of".into(), Align::Right)]);
        table.row(vec!["a".into(), "100".into(), "5".into()]);
        table.row(vec!["long name".into(), "1".into(), "20".into()]);
        table.row(vec!["b".into(), "failed (status 3)".into()]);
        let text = table.text();
        let want = "name         n  of\n\
                    ---------  ---  --\n\
                    a          100   5\n\
                    long name    1  20\n\
                    b          failed (status 3)\n";
        assert_eq!(text, want, "\n{text}");
    }

    #[test]
    fn a_table_fits_any_width() {
        let titles = ["policy", "seconds", "spread", "function EDTs", "ran on"];
        let aligns = [Align::Left, Align::Right, Align::Right, Align::Right, Align::Left];
        let columns = titles.iter().zip(aligns);
        let mut table = Table::new(columns.map(|(title, align)| (title.to_string(), align)).collect());
        let device = "a device with a very long name, of more letters than any terminal has in a line: Portable Computing Language";
        table.row(["static:1:1", "1.234", "1.2..1.3", "1234567", device].map(String::from).to_vec());
        table.row(["cpu", "failed (status 3), which is a long remark that runs on"].map(String::from).to_vec());
        for width in [20, 40, 60, 80, 200] {
            let text = table.text_in(Some(width));
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}:\n{text}");
            let squeezed: String = text.split_whitespace().collect();
            for word in ["1234567", "1.2..1.3", "static:1:1"] {
                assert!(squeezed.contains(word), "{word} at {width}:\n{text}");
            }
            let letters = |text: &str| text.chars().filter(|letter| letter.is_alphanumeric()).count();
            assert!(letters(&text) >= letters(device) + titles.iter().map(|title| letters(title)).sum::<usize>());
        }
        let wide = table.text_in(None);
        assert_eq!(wide.lines().count(), 4);
        assert!(table.text_in(Some(60)).contains("\n\npolicy "), "{}", table.text_in(Some(60)));
    }

    #[test]
    fn a_name_with_control_characters_moves_nothing() {
        let mut table = Table::new(vec![("name".into(), Align::Left), ("n".into(), Align::Right)]);
        table.row(vec!["a\u{1b}[2Jb\nc".into(), "1".into()]);
        assert_eq!(table.text_in(None), "name            n\n--------------  -\na\\x1b[2Jb\\x0ac  1\n");
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        assert_eq!(wrap("a  b\n\n  c\n"), "a  b\n\n  c\n");
        let narrow = wrap_in(&format!("  {}\n", ["word"; 40].join(" ")), 60);
        assert!(narrow.lines().all(|line| line.len() <= 60) && narrow.lines().count() == 4);
        let text = wrap(&format!("  {}\n", ["word"; 40].join(" ")));
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.len() <= 100));
        assert!(text.lines().skip(1).all(|line| line.starts_with("    word")));
        assert_eq!(wrap(&"x".repeat(200)), "x".repeat(200) + "\n");
    }

    #[test]
    fn times_have_three_digits_or_more_that_say_something() {
        for (value, text) in [
            (0.00123456, "0.00123"),
            (0.0123456, "0.0123"),
            (0.123456, "0.123"),
            (1.23456, "1.235"),
            (123.456, "123.5"),
        ] {
            assert_eq!(seconds(value), text);
        }
    }
}
