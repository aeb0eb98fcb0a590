//! The parts of a page that are read: sentences and tables. They are there without scripts.

use super::spread::{self, Spread};
use super::{Align, Page, PageRun, escape};
use crate::diagnosis::{Finding, Idleness};
use ocr_base::text::{bytes, duration};
use std::collections::BTreeMap;

/// A list of items, which are HTML. Empty where there is no item.
fn list(items: impl Iterator<Item = String>) -> String {
    let items: String = items.map(|item| format!("<li>{item}</li>\n")).collect();
    if items.is_empty() {
        return items;
    }
    format!("<ul>\n{items}</ul>\n")
}

/// A table whose cells are HTML. A table that is wider than the page can be scrolled by itself.
fn table(name: &str, columns: &[(String, Align)], rows: &[Vec<String>]) -> String {
    let class = |align: Align| {
        if align == Align::Right { " class=\"number\"" } else { "" }
    };
    let mut text = format!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"{name}\" tabindex=\"0\"><table><caption>{name}</caption>\n<thead><tr>"
    );
    for (title, align) in columns {
        text += &format!("<th scope=\"col\"{}>{}</th>", class(*align), escape(title));
    }
    text += "</tr></thead>\n<tbody>\n";
    for row in rows {
        text += "<tr>";
        for (at, cell) in row.iter().enumerate() {
            let left = columns.len() - at;
            let (_, align) = columns[at];
            text += &match at {
                0 => format!("<th scope=\"row\">{cell}</th>"),
                _ if at + 1 == row.len() && left > 1 => {
                    format!("<td colspan=\"{left}\">{cell}</td>")
                }
                _ => format!("<td{}>{cell}</td>", class(align)),
            };
        }
        text += "</tr>\n";
    }
    text + "</tbody></table></div>\n"
}

fn columns(columns: &[(&str, Align)]) -> Vec<(String, Align)> {
    let columns = columns.iter();
    columns.map(|(title, align)| (title.to_string(), *align)).collect()
}

/// A section with a heading. Empty where the content is empty.
fn section(id: &str, heading: &str, content: &str) -> String {
    if content.is_empty() {
        return String::new();
    }
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n<h2 id=\"{id}-title\">{heading}</h2>\n{content}</section>\n"
    )
}

impl Page<'_> {
    /// A paragraph for each line of a text.
    fn paragraphs(&self, text: &str) -> String {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(|line| format!("<p>{}</p>\n", self.sentence(line.trim()))).collect()
    }

    /// What the recording of the first run says under a name.
    fn about_one(&self, name: &str) -> Option<&str> {
        let first = self.runs.first()?;
        first.about.get(name).map(String::as_str)
    }

    /// The head of the page: command, title, machine and date.
    pub(super) fn head(&self, date: &str) -> String {
        let machine = ["host", "processor"].map(|name| self.about_one(name));
        let machine: Vec<&str> = machine.into_iter().flatten().collect();
        format!(
            "<p class=\"kicker\">{}</p>\n<h1>{}</h1>\n<p class=\"meta\">{}{}{}</p>\n",
            escape(self.command),
            escape(&self.title),
            escape(&machine.join(", ")),
            if machine.is_empty() { "" } else { " · " },
            escape(date)
        )
    }

    /// The section with the verdict, why, and what to try next.
    pub(super) fn answer(&self) -> String {
        let mut text = String::new();
        for line in self.verdict.lines().filter(|line| !line.is_empty()) {
            text += &format!("<p class=\"verdict\">{}</p>\n", self.sentence(line));
        }
        let why = list(self.reasons.why.iter().map(|line| self.sentence(line)));
        let next = list(self.reasons.next.iter().map(|line| self.sentence(line)));
        let mut columns = String::new();
        for (heading, list) in [("Why", why), ("What to try next", next)] {
            if !list.is_empty() {
                columns += &format!("<div><h3>{heading}</h3>\n{list}</div>\n");
            }
        }
        if !columns.is_empty() {
            text += &format!("<div class=\"columns\">\n{columns}</div>\n");
        }
        let heading = if self.runs.len() == 1 { "What was found" } else { "Which policy to use" };
        section("answer", heading, &text)
    }

    /// The section with the table of the policies compared. Empty without such a table.
    pub(super) fn comparison(&self) -> String {
        let Some(its) = &self.table else {
            return String::new();
        };
        let escaped = |row: &Vec<String>| row.iter().map(|cell| self.sentence(cell)).collect();
        let rows: Vec<Vec<String>> = its.rows.iter().map(escaped).collect();
        let text = table("The policies compared", &its.columns, &rows);
        section("comparison", "The policies compared", &(text + &self.paragraphs(&self.remarks)))
    }

    /// The notes about the recorded runs. Empty if there is none.
    pub(super) fn notes(&self) -> String {
        let notes = self.runs.iter().flat_map(|run| &run.notes);
        let list = list(notes.map(|note| self.sentence(note)));
        if list.is_empty() {
            return list;
        }
        format!("<div class=\"notes\">{list}</div>")
    }

    /// The section about what the time of each place went into: a bar and the figures.
    pub(super) fn times(&self) -> String {
        let mut titles = columns(&[
            ("policy", Align::Left),
            ("place", Align::Left),
            ("where its time went", Align::Left),
            ("in EDTs", Align::Right),
        ]);
        titles.extend(Idleness::ALL.map(|cause| (cause.text().to_string(), Align::Right)));
        let mut rows = Vec::new();
        for run in &self.runs {
            for place in &run.facts.times.places {
                let all = place.busy + place.idle.iter().sum::<u64>();
                let mut row = vec![escape(&run.policy), place_name(run, place.place)];
                let parts = [&[place.busy][..], &place.idle[..]].concat();
                let part = |ns: u64| 100.0 * ns as f64 / all.max(1) as f64;
                // Busy time first, then each cause of idle time.
                let classes = ["busy"].into_iter().chain(Idleness::ALL.map(Idleness::name));
                let bar: String = (classes.zip(&parts))
                    .filter(|(_, ns)| **ns != 0)
                    .map(|(class, ns)| format!("<i class=\"{class}\" style=\"width:{:.2}%\"></i>", part(*ns)))
                    .collect();
                row.push(format!("<span class=\"bar\" aria-hidden=\"true\">{bar}</span>"));
                row.extend(parts.iter().map(|ns| match part(*ns) {
                    0.0 => "–".to_string(),
                    percent => format!("{percent:.1} %"),
                }));
                rows.push(row);
            }
        }
        if rows.is_empty() {
            return String::new();
        }
        section("times", "Where the time went", &(table("Idle time by cause", &titles, &rows) + &about_times()))
    }

    /// The section about how much was copied.
    pub(super) fn copies(&self) -> String {
        let titles = columns(&[
            ("policy", Align::Left),
            ("to devices", Align::Right),
            ("from devices", Align::Right),
            ("together", Align::Right),
            ("least possible", Align::Right),
            ("of that", Align::Right),
        ]);
        let row = |run: &PageRun| {
            let moved = run.facts.moved;
            vec![
                escape(&run.policy),
                bytes(moved.to_devices),
                bytes(moved.from_devices),
                bytes(moved.bytes()),
                bytes(moved.least),
                match moved.least {
                    0 => "–".to_string(),
                    least => format!("{:.2} times", moved.bytes() as f64 / least as f64),
                },
            ]
        };
        if self.runs.iter().all(|run| run.facts.moved.bytes() == 0) {
            let text = if self.runs.is_empty() {
                ""
            } else {
                "<p>No bytes were copied: the devices that were used work in the host’s memory.</p>\n"
            };
            return section("copies", "What was copied", text);
        }
        let rows: Vec<Vec<String>> = self.runs.iter().map(row).collect();
        section("copies", "What was copied", &(table("Bytes copied", &titles, &rows) + COPIES))
    }

    /// The section about how long the EDTs of each template took where they ran.
    pub(super) fn variants(&self) -> String {
        let titles = columns(&[
            ("template", Align::Left),
            ("policy", Align::Left),
            ("place", Align::Left),
            ("EDTs", Align::Right),
            ("together", Align::Right),
            ("mean", Align::Right),
            ("least", Align::Right),
            ("median", Align::Right),
            ("most", Align::Right),
            ("how many took how long", Align::Left),
        ]);
        let all = self.runs.iter().flat_map(|run| run.spreads.values());
        let classes: Vec<[u32; 2]> = all.filter_map(Spread::classes).collect();
        let scale = [
            classes.iter().map(|[first, _]| *first).min().unwrap_or(0),
            classes.iter().map(|[_, last]| *last).max().unwrap_or(0),
        ];
        let mut rows = Vec::new();
        for run in &self.runs {
            for variant in &run.facts.variants {
                let spread = run.spreads.get(&(variant.template, variant.place));
                let spread = spread.cloned().unwrap_or_default();
                let mut cells = vec![
                    escape(&variant.name),
                    escape(&run.policy),
                    place_name(run, variant.place),
                    variant.edts.to_string(),
                    duration(variant.ns as f64 / 1e9),
                    duration(variant.mean() / 1e9),
                ];
                cells.extend(spread.times.map(|ns| duration(ns as f64 / 1e9)));
                cells.push(spread.picture(scale));
                rows.push((variant.name.clone(), cells));
            }
        }
        // The rows of one template under all policies stand together, the template with the most time first.
        let mut sums: BTreeMap<&str, u64> = BTreeMap::new();
        for variant in self.runs.iter().flat_map(|run| &run.facts.variants) {
            *sums.entry(&variant.name).or_default() += variant.ns;
        }
        rows.sort_by_key(|(name, _)| (std::cmp::Reverse(sums[name.as_str()]), name.clone()));
        let rows: Vec<Vec<String>> = rows.into_iter().map(|(_, cells)| cells).collect();
        if rows.is_empty() {
            return String::new();
        }
        section(
            "variants",
            "How long EDTs took",
            &format!(
                "{}<p>The histograms go from {}, by factors of 2 to the power of 1/4.</p>\n{VARIANTS}",
                table("EDTs by template and place", &titles, &rows),
                spread::scale(scale)
            ),
        )
    }

    /// The section about the causes that each recording shows.
    pub(super) fn causes(&self) -> String {
        let mut text = String::new();
        if !self.runs.is_empty() {
            text += CAUSES;
        }
        for run in &self.runs {
            text += &format!("<h3>{}</h3>\n", escape(&run.policy));
            if let Some(score) = &run.facts.score {
                text += &format!(
                    "<p>From the first EDT’s begin to the last one’s end: {}. No schedule of these EDTs in these places ends \
                     before {} ({:.2} times that). Area bound {}, critical path {}.{}</p>\n",
                    duration(score.seconds),
                    duration(score.mixed),
                    score.ratio(),
                    duration(score.area),
                    duration(score.critical_path),
                    match run.own {
                        Some(own) if run.seen().left_out() > 0.0 => format!(
                            " The seconds that the program printed are {} of it, and leave {} out.",
                            duration(own),
                            duration(run.seen().left_out())
                        ),
                        _ => String::new(),
                    }
                );
            }
            let shown = |finding: &Finding| {
                let saves = finding.saves_ns.map_or_else(String::new, |ns| {
                    format!(" <span class=\"costs\">costs {} at most</span>", duration(ns as f64 / 1e9))
                });
                format!(
                    "{}{saves}<br><span class=\"advice\">{}</span>",
                    self.sentence(&finding.text),
                    self.sentence(&finding.advice)
                )
            };
            let found = list(run.facts.findings.iter().map(shown));
            text +=
                if found.is_empty() { "<p>None of the known causes of a long run was found.</p>\n" } else { &found };
        }
        section("causes", "What each recording shows", &text)
    }

    /// The section about the machine, the settings and the command.
    pub(super) fn about(&self, date: &str) -> String {
        let mut rows = vec![
            ("made".to_string(), date.to_string()),
            ("by".to_string(), format!("{}, version {}", self.command, env!("CARGO_PKG_VERSION"))),
        ];
        rows.extend((self.command_line.iter()).map(|line| ("command line".to_string(), line.clone())));
        let mut devices: Vec<(String, String)> = (self.runs.iter().flat_map(|run| &run.devices))
            .map(|(place, name, _)| (format!("device {}", place.saturating_sub(1)), name.clone()))
            .collect();
        devices.sort();
        devices.dedup();
        rows.extend(devices);
        let names = self.runs.iter().flat_map(|run| run.about.keys());
        let names: std::collections::BTreeSet<&String> = names.collect();
        for name in names {
            let mut values: Vec<(&str, Vec<&str>)> = Vec::new();
            for run in &self.runs {
                let value = run.about.get(name).map_or("", String::as_str);
                match values.iter_mut().find(|(known, _)| *known == value) {
                    Some((_, policies)) => policies.push(&run.policy),
                    None => values.push((value, vec![&run.policy])),
                }
            }
            let value = match &values[..] {
                [(value, _)] => value.to_string(),
                _ => (values.iter())
                    .map(|(value, policies)| format!("{value} ({})", policies.join(", ")))
                    .collect::<Vec<_>>()
                    .join("; "),
            };
            rows.push((name.clone(), value));
        }
        let rows: String = (rows.iter())
            .map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value)))
            .collect();
        section("about", "Machine, settings and command", &format!("<dl>\n{rows}</dl>\n"))
    }
}

/// The name of a place in a table, as HTML.
fn place_name(run: &PageRun, place: u8) -> String {
    let mut devices = run.devices.iter();
    match (devices.find(|(its, ..)| *its == place), run.facts.place(place)) {
        (Some((_, name, short)), _) => {
            format!("<span title=\"{}\">{}</span>", escape(name), escape(short))
        }
        (None, Some(its)) if place == 0 => match its.units {
            1 => "1 worker".to_string(),
            units => format!("{units} workers"),
        },
        (None, Some(its)) => escape(&its.name),
        (None, None) => format!("device {}", place.saturating_sub(1)),
    }
}

/// The text on how to read the table of times.
fn about_times() -> String {
    let causes = Idleness::ALL.map(|its| format!("<dt>{}</dt><dd>{}</dd>\n", its.text(), its.meaning()));
    format!(
        "<details><summary>What the causes mean</summary>\n<dl class=\"causes\">\n{}</dl>\n\
         <p>At each moment an idle worker or device has the first of these causes that applies. An EDT explains one idle \
         worker: of seven idle ones beside one EDT that waits for data, one waits for data. The time is that from the \
         first EDT’s begin to the last one’s end.</p>\n</details>\n",
        causes.concat()
    )
}

/// The text on how to read the causes.
const CAUSES: &str = "<p>What a cause costs is how much shorter the run would be at most without it. Causes overlap, so their costs do not add up. The area bound is the time that the work would take if it could be split at will over all places; the critical path is the longest chain of EDTs that wait for each other.</p>\n";

/// The text on how to read the table of how long EDTs took.
const VARIANTS: &str = "<p>In the recorded runs. The time of a kernel is from its begin to its end by the device’s clock, where it has one; until its end is seen, more time passes.</p>\n";

/// The text on how to read the table of copies.
const COPIES: &str = "<p>Least possible: for the same EDTs in the same places, if each block is in the host’s memory first and stays where it was used last until it is written elsewhere.</p>\n";
