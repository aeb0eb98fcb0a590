//! Aligned tables, and numbers as texts.

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
        Table {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row below the others.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    /// The same table on a page for a browser.
    pub(crate) fn into_page(self) -> PageTable {
        PageTable {
            columns: self.columns,
            rows: self.rows,
        }
    }

    /// The text of the table, with a line feed at the end of each line.
    pub(crate) fn text(&self) -> String {
        let titles: Vec<String> = self
            .columns
            .iter()
            .map(|(title, _)| title.clone())
            .collect();
        let widths: Vec<usize> = (0..titles.len())
            .map(|column| {
                let cells = std::iter::once(&titles).chain(&self.rows);
                // The last cell of a short row is a remark, which may run on over the next columns.
                let cells = cells.filter(|row| row.len() > column + 1 || row.len() == titles.len());
                cells
                    .map(|row| row[column].chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
        let mut text = String::new();
        for row in [&titles, &rule].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for ((cell, &width), (_, align)) in row.iter().zip(&widths).zip(&self.columns) {
                // A remark is aligned to the left in any column.
                let remark = row.len() < titles.len() && line.len() > width;
                line += &match align {
                    Align::Right if !remark => format!("{cell:>width$}  "),
                    _ => format!("{cell:<width$}  "),
                };
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}

/// Breaks lines of more than 100 letters between words. The rest of a line is indented by two blanks more than its
/// beginning.
pub(crate) fn wrap(text: &str) -> String {
    const WIDTH: usize = 100;
    let mut out = String::new();
    for line in text.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let mut width = indent;
        out.push_str(&line[..indent]);
        for (number, word) in line[indent..].split(' ').enumerate() {
            let len = word.chars().count();
            if number > 0 && width + 1 + len > WIDTH {
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
        let mut table = Table::new(vec![
            ("name".into(), Align::Left),
            ("n".into(), Align::Right),
            ("of".into(), Align::Right),
        ]);
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
    fn long_lines_are_broken_between_words() {
        assert_eq!(wrap("a  b\n\n  c\n"), "a  b\n\n  c\n");
        let text = wrap(&format!("  {}\n", ["word"; 40].join(" ")));
        assert!(text.lines().count() == 3 && text.lines().all(|line| line.len() <= 100));
        assert!(
            text.lines()
                .skip(1)
                .all(|line| line.starts_with("    word"))
        );
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
