//! A summary of a recorded run, in lines of text.

use crate::diagnosis::Facts;
use crate::recorded::{NEVER, RecordedNode, RecordedRun, median};
use ocr_base::text::{counted, duration};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many rows of templates the summary lists at most, those with the most time first.
const TEMPLATES: usize = 40;

/// What the values of counters are, by the counter's number (`ocr_trace::format::Counter`).
const COUNTERS: &[(u8, &str)] = &[(1, "EDTs ready at once"), (2, "launches at once"), (3, "bytes on the device")];

fn seconds(ns: u64) -> String {
    duration(ns as f64 / 1e9)
}

impl RecordedRun {
    /// The summary of the run, in lines of text.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        let about = |name: &str| self.about.get(name).map_or("?", String::as_str);
        let _ = writeln!(text, "program   {}", about("program"));
        let _ = writeln!(text, "machine   {}, {}, Linux {}", about("host"), about("processor"), about("system"));
        if !self.nodes.is_empty() {
            let node = |node: &RecordedNode| format!("{} (process {} on {})", node.number, node.process, node.host);
            let nodes: Vec<String> = self.nodes.iter().map(node).collect();
            let _ = writeln!(text, "nodes     {}; {} between them", nodes.join(", "), counted(self.messages, "call"));
        }
        let _ = writeln!(
            text,
            "settings  {} workers, policy {}, devices {}",
            about("workers"),
            about("sched"),
            about("devices")
        );
        let end = match self.status {
            Some(status) => format!("ended with status {status}"),
            None => "has no end: killed, crashed, or going on".to_string(),
        };
        let _ =
            writeln!(text, "run       {}, {end}; {} in the file", seconds(self.end), counted(self.records, "record"));
        for gap in self.gaps() {
            let _ = writeln!(text, "partial   {gap}");
        }
        for sentence in self.apart.iter().chain(&self.clocks) {
            let _ = writeln!(text, "clocks    {sentence}");
        }
        let ended = self.edts.iter().filter(|edt| edt.end != NEVER).count();
        let _ = writeln!(
            text,
            "EDTs      {} created, {ended} ended; {} times one led to another; {} of at most {} at once",
            self.edts.len(),
            self.edges.len(),
            counted(self.blocks_created, "data block"),
            counted(self.most_block_bytes, "byte")
        );
        let facts = Facts::of(self);
        if let Some(score) = facts.as_ref().and_then(|facts| facts.score.as_ref()) {
            let _ = writeln!(text, "score     {}", score.text().replace('\n', "\n          "));
        }
        self.templates_in(&mut text);
        self.places_in(&mut text);
        if let Some(facts) = facts {
            text += &facts.text();
        }
        text
    }

    fn templates_in(&self, text: &mut String) {
        let mut times: BTreeMap<(u32, u8), Vec<u64>> = BTreeMap::new();
        for edt in &self.edts {
            if let Some(time) = edt.time() {
                times.entry((edt.template, edt.place)).or_default().push(time);
            }
        }
        let mut rows: Vec<((u32, u8), Vec<u64>)> = times.into_iter().collect();
        let sum = |times: &[u64]| times.iter().fold(0, |all: u64, ns| all.saturating_add(*ns));
        rows.sort_by_key(|(_, times)| std::cmp::Reverse(sum(times)));
        let more = rows.len().saturating_sub(TEMPLATES);
        for ((template, place), mut times) in rows.into_iter().take(TEMPLATES) {
            let template = self.templates.get(template as usize);
            let name = template.map_or("of an unknown template", |template| &template.name);
            let _ = writeln!(
                text,
                "  {name}: {} on {}, median {}, together {}",
                counted(times.len() as u64, "EDT"),
                self.place_name(place),
                seconds(median(&mut times)),
                seconds(sum(&times))
            );
        }
        if more != 0 {
            let _ = writeln!(text, "  and {more} more templates or places");
        }
    }

    fn places_in(&self, text: &mut String) {
        for thread in self.threads.values().filter(|thread| thread.is_worker) {
            let _ = writeln!(
                text,
                "{:9} {}, in them {}, without an EDT {}",
                thread.name,
                counted(thread.edts, "EDT"),
                seconds(thread.busy),
                seconds(thread.idle)
            );
        }
        for (place, device) in &self.devices {
            let _ = writeln!(
                text,
                "{}: {} in {}, {} in, {} out, {} in {}",
                self.place_name(*place),
                counted(device.kernels, "kernel"),
                seconds(device.busy),
                counted(device.bytes_in, "byte"),
                counted(device.bytes_out, "byte"),
                counted(device.copies, "copy").replace("copys", "copies"),
                seconds(device.copying)
            );
        }
        for (&(counter, place), values) in &self.counters {
            let most = values.iter().map(|(_, value)| *value).max().unwrap_or(0);
            let name = COUNTERS.iter().find(|(number, _)| *number == counter);
            if let Some((_, name)) = name
                && most != 0
            {
                let at = match place {
                    0 => String::new(),
                    place => format!(", {}", self.place_name(place)),
                };
                let _ = writeln!(text, "{name}{at}: at most {most}");
            }
        }
    }
}
