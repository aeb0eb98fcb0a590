//! A run as a graph: a node for each EDT, and an edge for each dependence and each creation of one EDT by another.
//!
//! As DOT for Graphviz, and as GraphML for editors of graphs, and for libraries such as NetworkX and igraph. A program
//! has given the templates and labels their names, which may have any letters.

use super::Exported;
use crate::page::escape;
use crate::recorded::{NEVER, RecordedEdt, RecordedRun};
use ocr_base::text::Readable;
use std::io::{self, Write};

/// What GraphML says of each node or edge: the key, of which of both, its type, and its name.
const KEYS: [(&str, &str, &str, &str); 9] = [
    ("t", "node", "string", "template"),
    ("g", "node", "string", "guid"),
    ("l", "node", "string", "label"),
    ("p", "node", "string", "place"),
    ("c", "node", "long", "created_ns"),
    ("r", "node", "long", "runnable_ns"),
    ("b", "node", "long", "begin_ns"),
    ("e", "node", "long", "end_ns"),
    ("k", "edge", "string", "kind"),
];

/// Where an EDT ran, in words. None for one that has not begun.
fn place(run: &RecordedRun, edt: &RecordedEdt) -> Option<String> {
    if edt.begin == NEVER {
        return None;
    }
    match run.threads.get(&edt.lane) {
        Some(thread) if edt.place == 0 && !thread.name.is_empty() => Some(thread.name.clone()),
        _ => Some(run.place_name(edt.place)),
    }
}

/// A text between quotes of DOT. A line feed there is the two letters `\n`.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '"' => out += "\\\"",
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            letter if letter.is_control() => out += &format!("\\\\x{:02x}", letter as u32),
            letter => out.push(letter),
        }
    }
    out
}

/// A text between tags of XML, which has neither control characters nor the two letters that are none.
fn escaped(text: &str) -> String {
    escape(&Readable(text.as_bytes()).to_string()).replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}

/// The edges of a run: the number of the EDT that comes first and of the other, and whether it is a creation. A pair
/// has one edge of each kind.
fn edges(run: &RecordedRun) -> Vec<(u32, u32, bool)> {
    let mut edges: Vec<(u32, u32, bool)> = (run.edges.iter()).map(|edge| (edge.from, edge.to, false)).collect();
    for (number, edt) in (0..).zip(&run.edts) {
        if (edt.parent as usize) < run.edts.len() {
            edges.push((edt.parent, number, true));
        }
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Writes the graph of a run, as DOT or as GraphML. The error is that of `out`.
pub(super) fn write(run: &RecordedRun, is_dot: bool, out: &mut impl Write) -> io::Result<Exported> {
    let edges = edges(run);
    if is_dot {
        write_dot(run, &edges, out)?;
    } else {
        write_graphml(run, &edges, out)?;
    }
    out.flush()?;
    Ok(Exported { slices: run.edts.len() as u64, arrows: edges.len() as u64, left_out: 0 })
}

fn write_dot(run: &RecordedRun, edges: &[(u32, u32, bool)], out: &mut impl Write) -> io::Result<()> {
    // By the first line another run finds out whose file this is.
    writeln!(out, "// {}", run.identity)?;
    writeln!(out, "// Solid arrows: dependences. Dashed arrows: creations.\ndigraph run {{\n  node [shape=box];")?;
    for (number, edt) in run.edts.iter().enumerate() {
        let mut label = format!("{}\n0x{:x}", run.template_name(edt), edt.guid);
        if let Some(name) = run.labels.get(&edt.guid) {
            label += &format!("\n{name}");
        }
        match (place(run, edt), edt.time()) {
            (Some(place), Some(ns)) => {
                label += &format!("\n{place}: {}", ocr_base::text::duration(ns as f64 / 1e9));
            }
            (Some(place), None) => label += &format!("\n{place}: has not ended"),
            (None, _) => label += "\nhas not begun",
        }
        writeln!(out, "  e{number} [label=\"{}\"];", quoted(&label))?;
    }
    for &(from, to, is_creation) in edges {
        let style = if is_creation { " [style=dashed]" } else { "" };
        writeln!(out, "  e{from} -> e{to}{style};")?;
    }
    writeln!(out, "}}")
}

fn write_graphml(run: &RecordedRun, edges: &[(u32, u32, bool)], out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- {} -->\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">",
        run.identity
    )?;
    for (key, of, kind, name) in KEYS {
        writeln!(out, "  <key id=\"{key}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>")?;
    }
    writeln!(out, "  <graph id=\"run\" edgedefault=\"directed\">")?;
    for (number, edt) in run.edts.iter().enumerate() {
        let time = |ns: u64| (ns != NEVER).then(|| ns.to_string());
        let values = [
            Some(escaped(run.template_name(edt))),
            Some(format!("0x{:x}", edt.guid)),
            run.labels.get(&edt.guid).map(|label| escaped(label)),
            place(run, edt).map(|place| escaped(&place)),
            time(edt.created),
            time(edt.runnable),
            time(edt.begin),
            time(edt.end),
        ];
        write!(out, "    <node id=\"e{number}\">")?;
        for ((key, ..), value) in KEYS.iter().zip(values) {
            // What is not known has no element.
            if let Some(value) = value {
                write!(out, "<data key=\"{key}\">{value}</data>")?;
            }
        }
        writeln!(out, "</node>")?;
    }
    for (from, to, is_creation) in edges {
        let kind = if *is_creation { "creation" } else { "dependence" };
        writeln!(out, "    <edge source=\"e{from}\" target=\"e{to}\"><data key=\"k\">{kind}</data></edge>")?;
    }
    writeln!(out, "  </graph>\n</graphml>")
}
