//! `ocr simulate --nodes`: a recorded run on several nodes.

use crate::output::{self, CommandError, print};
use crate::table::{Align, Table, bytes, fit, wrap};
use clap::Args;
use ocr_analysis::recorded::RecordedRun;
use ocr_analysis::replay::{NodesReplay, NodesRow, Replay, Wish, bandwidth, nanoseconds};
use ocr_base::text::{counted, duration};
use ocr_place::simulate::nodes::{LEAST_BANDWIDTH, LONGEST_DELAY_NS, NodePlacing, NodesMachine};

/// The options of `ocr simulate --nodes`.
#[derive(Args)]
#[group(skip)]
pub(crate) struct NodesOptions {
    /// Simulates the run on N nodes of as many workers each, by the protocol between nodes. Several numbers, with
    /// commas between them, have a row each. The functions of EDTs run, and no kernels.
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=1024),
        conflicts_with_all = ["device", "policy", "cold", "duplicates", "explain", "html"])]
    pub(super) nodes: Vec<u32>,

    /// With --nodes: how long a batch of messages is on its way, beside its bytes.
    #[arg(long, value_name = "TIME", default_value = "2us", value_parser = nanoseconds, requires = "nodes")]
    latency: f64,

    /// With --nodes: bytes per second of the link of a node.
    #[arg(long, value_name = "RATE", default_value = "10GB/s", value_parser = bandwidth, requires = "nodes")]
    bandwidth: f64,

    /// With --nodes: what each message costs the sender's thread of the link, and the receiver's.
    #[arg(long, value_name = "TIME", default_value = "1400ns", value_parser = nanoseconds, requires = "nodes")]
    overhead: f64,

    /// With --nodes: on which node EDTs are created. home: on that of their creator, or where the recording had them.
    /// round: on one after the other. bytes: on that with most bytes of their blocks, which are shared out. By default
    /// home for a recording of several nodes, and else bytes.
    #[arg(long, value_name = "RULE", requires = "nodes")]
    place: Option<NodePlacing>,
}

/// Simulates the run, and shows the results.
pub(super) fn on_nodes(
    options: &NodesOptions,
    workers: Option<u32>,
    run: &RecordedRun,
    as_json: bool,
) -> Result<(), CommandError> {
    for (name, ns) in [("--latency", options.latency), ("--overhead", options.overhead)] {
        if ns > LONGEST_DELAY_NS as f64 {
            return Err(CommandError::usage(format!("{name}: {} is more than a second", duration(ns / 1e9))));
        }
    }
    if options.bandwidth < LEAST_BANDWIDTH {
        return Err(CommandError::usage("--bandwidth: less than a kilobyte a second"));
    }
    let replay = Replay::new(run, &Wish::default()).map_err(CommandError::failed)?;
    let graph = replay.for_nodes(run).map_err(CommandError::failed)?;
    let each = (replay.workers() as u32 / graph.recorded_nodes()).max(1);
    let machine = NodesMachine {
        nodes: 1,
        workers: workers.unwrap_or(each),
        latency_ns: options.latency.round() as u64,
        bandwidth: options.bandwidth,
        overhead_ns: options.overhead.round() as u64,
    };
    let usual = if graph.recorded_nodes() > 1 { NodePlacing::Home } else { NodePlacing::Bytes };
    let placing = options.place.unwrap_or(usual);
    let failed = |why: String| {
        CommandError::failed(format!(
            "{}: the recorded run cannot be simulated: {why}; check --latency, --bandwidth and --overhead, and the \
             recording with `ocr trace check`",
            run.name
        ))
    };
    let rows = graph.rows(&options.nodes, &machine, placing).map_err(failed)?;
    let answer = NodesAnswer { replay: &replay, graph: &graph, machine, placing, each, rows };
    print(&if as_json { answer.json() } else { answer.text(&run.name) })
}

/// What was simulated, and what came of it.
struct NodesAnswer<'a> {
    replay: &'a Replay,
    graph: &'a NodesReplay,
    /// The machine, with any number of nodes.
    machine: NodesMachine,
    placing: NodePlacing,
    /// How many workers each recorded node had.
    each: u32,
    rows: Vec<NodesRow>,
}

impl NodesAnswer<'_> {
    /// By which part of its time the recorded run differs from the simulation of its nodes: positive where the
    /// simulation takes longer. None where they were not simulated, or the run had kernels, which are not.
    fn off(&self) -> Option<f64> {
        let recorded = self.replay.recorded().seconds;
        let is_same = |row: &&NodesRow| row.nodes == self.graph.recorded_nodes() && self.machine.workers == self.each;
        let placed = self.graph.recorded_nodes() == 1 || self.placing == NodePlacing::Home;
        let can_be = placed && self.graph.is_of_functions() && recorded > 0.0;
        let same = self.rows.iter().find(is_same).filter(|_| can_be)?;
        Some(same.seconds / recorded - 1.0)
    }

    fn notes(&self) -> Vec<String> {
        [self.replay.notes(), &self.graph.notes(&self.rows, self.placing)].concat()
    }

    /// The answer of `ocr simulate --nodes --json`, which `docs/guide/src/json.md` describes.
    fn json(&self) -> String {
        output::json(&serde_json::json!({
            "edts": self.replay.edts(),
            "workers": self.machine.workers,
            "latency": self.machine.latency_ns as f64 / 1e9,
            "bandwidth": self.machine.bandwidth,
            "overhead": self.machine.overhead_ns as f64 / 1e9,
            "place": self.placing.word(),
            "recorded_nodes": self.graph.recorded_nodes(),
            "recorded_seconds": self.replay.recorded().seconds,
            "simulated": self.rows,
            "off": self.off(),
            "notes": self.notes(),
        }))
    }

    fn text(&self, name: &str) -> String {
        let mut text = fit(&format!(
            "{name}: {} on nodes of {}, placed by {}\nLink: {} and {} GB/s; {} for each message on either side\n\n",
            counted(self.replay.edts() as u64, "EDT"),
            counted(u64::from(self.machine.workers), "worker"),
            self.placing.word(),
            duration(self.machine.latency_ns as f64 / 1e9),
            self.machine.bandwidth / 1e9,
            duration(self.machine.overhead_ns as f64 / 1e9),
        ));
        text += &self.table().text();
        text.push('\n');
        let mut remarks = String::new();
        for row in &self.rows {
            remarks += &format!("What limits {}: {}.\n", counted(u64::from(row.nodes), "node"), row.limit);
        }
        remarks += &self.remarks();
        text + &wrap(&remarks)
    }

    fn table(&self) -> Table {
        let titles =
            ["nodes", "time", "speed-up", "efficiency", "busy %", "waits %", "bound", "messages", "batches", "bytes"];
        let mut table = Table::new(titles.map(|title| (title.to_string(), Align::Right)).to_vec());
        let percent = |part: f64| format!("{:.0}", 100.0 * part);
        for row in &self.rows {
            table.row(vec![
                row.nodes.to_string(),
                duration(row.seconds),
                format!("{:.2}", row.speed_up),
                format!("{:.2}", row.efficiency),
                percent(row.busy),
                percent(row.waits),
                duration(row.bound),
                row.messages.to_string(),
                row.batches.to_string(),
                bytes(row.bytes),
            ]);
        }
        table
    }

    /// The sentences on how to read the table.
    fn remarks(&self) -> String {
        let mut remarks = match self.placing {
            NodePlacing::Home if self.graph.recorded_nodes() == 1 => {
                "The recording is of one node, so it knows no hints of affinity, and all EDTs stay on the node of mainEdt. \
                 Record a run on several nodes, or try --place bytes.\n"
            }
            NodePlacing::Home => "EDTs are on the nodes on which they ran.\n",
            NodePlacing::Round => "EDTs are on one node after the other, as with OCR_PLACE=round.\n",
            NodePlacing::Bytes => {
                "Blocks are shared out over the nodes, and EDTs run where most bytes of their blocks are, as if hints of \
                 affinity said so.\n"
            }
        }
        .to_string();
        if let Some(off) = self.off() {
            remarks += &format!(
                "The simulation of the recorded nodes takes {:.1} % {} than the recorded run.\n",
                100.0 * off.abs(),
                if off < 0.0 { "less" } else { "more" }
            );
        }
        for note in self.notes() {
            remarks += &format!("Note: {note}.\n");
        }
        remarks
    }
}
