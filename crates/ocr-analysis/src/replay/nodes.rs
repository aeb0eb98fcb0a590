//! A recorded run, replayed in virtual time on several nodes.
//!
//! Each EDT takes what its function took; what it waited there for other nodes is taken off. A recording of several
//! nodes says where EDTs ran: on as many nodes or more they run there, and on fewer, neighbouring nodes are one. Of a
//! recording of one node it is not known what hints of affinity would have said.

use super::Replay;
use crate::recorded::{NOBODY, RecordedRun};
use ocr_base::text::{counted, duration};
use ocr_place::simulate::nodes::{
    NONE, NodePlacing, NodesGraph, NodesMachine, NodesOutcome, end_ns, simulate_on_nodes,
};
use ocr_place::simulate::{SimulatedTask, TaskGraph};
use serde::Serialize;

/// From which part of the time on a cause takes enough of it to be what limits the run.
const LIMITS: f64 = 0.7;

/// From which part of the time on, that a run would save if messages and blocks took no time, they are what limits it.
const SAVES: f64 = 0.15;

/// A recorded run that can be simulated on several nodes.
pub struct NodesReplay {
    graph: TaskGraph,
    creators: Vec<u32>,
    makers: Vec<u32>,
    /// The node on which each task ran. Empty where one node was recorded.
    ran_on: Vec<u32>,
    /// How many nodes were recorded.
    recorded_nodes: u32,
    /// Whether no EDT ran on a device, and no device was opened.
    is_of_functions: bool,
    /// The nanoseconds of all functions, and of the longest path through the graph.
    work: f64,
    path: f64,
}

/// A recorded run on so many nodes.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct NodesRow {
    /// How many nodes.
    pub nodes: u32,
    /// From the begin of the first EDT to the end of the last.
    pub seconds: f64,
    /// How many times as fast as on one node.
    pub speed_up: f64,
    /// The speed-up as a part of the number of nodes.
    pub efficiency: f64,
    /// The part of the workers' time in which they ran functions.
    pub busy: f64,
    /// The part of the workers' time in which they waited for other nodes.
    pub waits: f64,
    /// How many messages are no confirmations.
    pub messages: u64,
    /// How many say that calls are made.
    pub confirmations: u64,
    /// How often messages were sent together.
    pub batches: u64,
    /// Bytes of blocks that were sent.
    pub bytes: u64,
    /// The time before which no schedule ends on so many workers, in seconds.
    pub bound: f64,
    /// What the end of the program takes besides, in seconds.
    pub end: f64,
    /// The most bytes that messages and the tables of blocks took on a node at once.
    pub protocol_bytes: u64,
    /// What limits the run, in a sentence.
    pub limit: String,
}

impl Replay {
    /// The recorded run for simulation on several nodes. `run` is that of which this was made.
    ///
    /// # Errors
    /// A text for the user, where it is not known how long the functions of some EDTs take.
    pub fn for_nodes(&self, run: &RecordedRun) -> Result<NodesReplay, String> {
        let (graph, _) = self.under("cpu", false);
        let mut graph = graph.into_owned();
        let unknown = |task: &&SimulatedTask| !task.is_join() && task.ns[0].is_none();
        let unknown = graph.tasks.iter().filter(unknown).count();
        if unknown != 0 {
            return Err(format!(
                "{} ran as kernels, and how long their functions take is not known; nodes are simulated with workers alone: \
                 record a run with OCR_DEVICES=none",
                counted(unknown as u64, "EDT")
            ));
        }
        let is_of_functions = run.devices.is_empty() && run.edts.iter().all(|edt| edt.place == 0);
        let recorded_nodes = run.nodes.iter().map(|node| node.number + 1).max().unwrap_or(1);
        let run = self.supposed.as_ref().unwrap_or(run);
        let task_of = |edt: u32| self.numbers.get(edt as usize).copied().unwrap_or(NOBODY);
        let mut creators = vec![NONE; graph.tasks.len()];
        let mut ran_on = vec![NONE; if recorded_nodes > 1 { graph.tasks.len() } else { 0 }];
        for (edt, &number) in run.edts.iter().zip(&self.numbers).filter(|(_, number)| **number != NOBODY) {
            creators[number as usize] = task_of(edt.parent);
            if recorded_nodes > 1 {
                ran_on[number as usize] = run.threads.get(&edt.lane).map_or(NONE, |thread| thread.node);
                let task = &mut graph.tasks[number as usize];
                take_off_answers(task, edt.answers);
                // The news of an end came from another node.
                task.costs.iter_mut().for_each(|costs| costs.told_ns = 0);
            }
        }
        for &(head, join) in &self.joins {
            creators[join as usize] = head;
        }
        let maker = |block: usize| run.block_makers.get(block).map_or(NONE, |&maker| task_of(maker));
        let makers = (0..graph.blocks.len()).map(maker).collect();
        let work = graph.tasks.iter().flat_map(|task| task.ns.first().copied().flatten()).map(|ns| ns as f64).sum();
        let path = longest_path(&graph);
        Ok(NodesReplay { graph, creators, makers, ran_on, recorded_nodes, is_of_functions, work, path })
    }
}

/// Takes what an EDT waited for answers of other nodes, in nanoseconds, off its time. What it does in its body comes as
/// long after its begin as before, and before its end.
fn take_off_answers(task: &mut SimulatedTask, answers: u64) {
    let Some(ns) = task.ns.first_mut().and_then(Option::as_mut).filter(|_| answers != 0) else { return };
    let gross = *ns as f64;
    *ns = ns.saturating_sub(answers);
    let longer = gross / (*ns).max(1) as f64;
    for during in &mut task.during {
        during.part = (f64::from(during.part) * longer).min(1.0) as f32;
    }
}

/// The nanoseconds of the longest path through a graph.
fn longest_path(graph: &TaskGraph) -> f64 {
    let mut begins = vec![0.0_f64; graph.tasks.len()];
    let mut longest = 0.0_f64;
    for (number, task) in graph.tasks.iter().enumerate() {
        let takes = task.ns.first().copied().flatten().unwrap_or(0) as f64;
        let (begin, end) = (begins[number], begins[number] + takes);
        longest = longest.max(end);
        for &to in &task.successors {
            begins[to as usize] = begins[to as usize].max(end);
        }
        for during in &task.during {
            let at = begin + takes * f64::from(during.part);
            begins[during.successor as usize] = begins[during.successor as usize].max(at);
        }
    }
    longest
}

impl NodesReplay {
    /// How many nodes the recorded run had.
    pub fn recorded_nodes(&self) -> u32 {
        self.recorded_nodes
    }

    /// Whether no EDT of the recorded run ran on a device, and it opened none: then it did what is simulated.
    pub fn is_of_functions(&self) -> bool {
        self.is_of_functions
    }

    /// Sentences about simulated rows, without full stops: what they do not say.
    pub fn notes(&self, rows: &[NodesRow], placing: NodePlacing) -> Vec<String> {
        let mut notes = Vec::new();
        if !self.is_of_functions {
            notes.push(
                "the recorded run used devices, and here functions run alone, so nothing says how exact the simulation \
                 is: record a run with OCR_DEVICES=none"
                    .to_string(),
            );
        }
        let recorded = self.recorded_nodes;
        if placing == NodePlacing::Home && recorded > 1 && rows.iter().any(|row| row.nodes > recorded) {
            notes.push(format!("nodes beyond the {recorded} recorded ones have no EDTs: try --place bytes"));
        }
        notes
    }

    /// Simulates the run on several machines that differ in how many nodes they have.
    ///
    /// # Errors
    /// A text for the user, where the graph cannot run, or would take too long.
    pub fn rows(&self, many: &[u32], machine: &NodesMachine, placing: NodePlacing) -> Result<Vec<NodesRow>, String> {
        let of = |nodes: u32| NodesMachine { nodes, ..*machine };
        let alone = self.on(&of(1), placing)?;
        let mut rows: Vec<NodesRow> = Vec::with_capacity(many.len());
        for &nodes in many {
            let row = match rows.iter().find(|row| row.nodes == nodes) {
                Some(row) => row.clone(),
                None if nodes == 1 => self.row(&of(1), &alone, alone.ns, alone.ns),
                None => {
                    let outcome = self.on(&of(nodes), placing)?;
                    let free = NodesMachine { latency_ns: 0, overhead_ns: 0, bandwidth: f64::MAX, ..of(nodes) };
                    let bare = if outcome.messages == 0 { outcome.ns } else { self.on(&free, placing)?.ns };
                    self.row(&of(nodes), &outcome, alone.ns, bare)
                }
            };
            rows.push(row);
        }
        Ok(rows)
    }

    fn on(&self, machine: &NodesMachine, placing: NodePlacing) -> Result<NodesOutcome, String> {
        let fold = |&node: &u32| match node {
            NONE => NONE,
            node if machine.nodes < self.recorded_nodes => {
                (u64::from(node) * u64::from(machine.nodes) / u64::from(self.recorded_nodes)) as u32
            }
            node => node,
        };
        let hints: Vec<u32> = match self.ran_on[..] {
            [] => vec![NONE; self.graph.tasks.len()],
            _ => self.ran_on.iter().map(fold).collect(),
        };
        let input = NodesGraph { graph: &self.graph, creators: &self.creators, makers: &self.makers, hints: &hints };
        simulate_on_nodes(&input, machine, placing)
    }

    /// The row of a run, which takes `alone` nanoseconds on one node, and `bare` where messages take no time.
    fn row(&self, machine: &NodesMachine, outcome: &NodesOutcome, alone: u64, bare: u64) -> NodesRow {
        let workers = f64::from(machine.nodes) * f64::from(machine.workers);
        let ns = outcome.ns.max(1) as f64;
        let speed_up = alone as f64 / ns;
        let waits = (outcome.confirming_ns + outcome.starved_ns) as f64 / (workers * ns);
        NodesRow {
            nodes: machine.nodes,
            seconds: outcome.ns as f64 / 1e9,
            speed_up,
            efficiency: speed_up / f64::from(machine.nodes),
            busy: self.work / (workers * ns),
            waits,
            messages: outcome.messages,
            confirmations: outcome.confirmations,
            batches: outcome.batches,
            bytes: outcome.bytes,
            bound: self.path.max(self.work / workers) / 1e9,
            end: end_ns(machine) as f64 / 1e9,
            protocol_bytes: outcome.protocol_bytes,
            limit: self.limit(machine, outcome, waits, bare),
        }
    }

    /// What limits a run, in a sentence: of the times before which it could not have ended, the longest, if it is most
    /// of the run.
    fn limit(&self, machine: &NodesMachine, outcome: &NodesOutcome, waits: f64, bare: u64) -> String {
        let ns = outcome.ns.max(1) as f64;
        let percent = |part: f64| format!("{:.0} %", 100.0 * part);
        let most = |all: &[u64]| {
            let found = all.iter().enumerate().max_by_key(|&(node, ns)| (ns, all.len() - node));
            found.map_or((0, 0.0), |(node, &ns)| (node, ns as f64))
        };
        let (busiest, its) = most(&outcome.busy_ns);
        let (sender, link) = most(&outcome.link_ns);
        let workers = f64::from(machine.workers);
        let area = self.work / (workers * f64::from(machine.nodes));
        // A node that has little more than its share is none that has too much.
        let unequal = if its / workers > 1.2 * area { its / workers } else { 0.0 };
        let longest = [area, self.path, unequal, link].into_iter().fold(0.0, f64::max);
        if longest < LIMITS * ns {
            let saves = 1.0 - bare as f64 / ns;
            if saves >= SAVES {
                return format!(
                    "communication: if messages and blocks took no time, it would take {}, {} less",
                    duration(bare as f64 / 1e9),
                    percent(saves)
                );
            }
            let idle = (1.0 - area / ns - waits).max(0.0);
            let starting = outcome.starting_ns as f64;
            if starting >= 0.5 * idle * ns * workers * f64::from(machine.nodes) {
                let each = |ns: f64| duration(ns / 1e9 / outcome.edts.iter().sum::<u64>().max(1) as f64);
                return format!(
                    "starting EDTs: that, and telling of their ends, takes {} for each, which runs for {}, so longer EDTs \
                     would help",
                    each(starting),
                    each(self.work)
                );
            }
            return format!("too few EDTs: workers have none to run {} of the time", percent(idle));
        }
        if longest == area {
            return format!(
                "the work: workers run EDTs {} of the time, so more of them would help",
                percent(area / ns)
            );
        }
        if longest == self.path {
            return format!(
                "too few EDTs at a time: the critical path alone takes {}, {} of the time",
                duration(self.path / 1e9),
                percent(self.path / ns)
            );
        }
        if longest == link {
            return format!(
                "messages: the link of node {sender} sends and handles them {} of the time, one after the other",
                percent(link / ns)
            );
        }
        format!("one node: node {busiest} has {} of the work", percent(its / self.work.max(1.0)))
    }
}
