//! The EDTs of a run on several nodes: when they are runnable, get their blocks, run and end.

mod calls;

use self::calls::RunningEdt;
use super::super::graph::{Costs, TaskGraph};
use super::super::run::AWAKE_NS;
use super::agenda::{Agenda, LONGEST_NS, Moment};
use super::blocks::{BlockStep, BlockTables, MOST_ALONG};
use super::messages::{Links, Sent, SimulatedMessage};
use super::spread::{NodeChoice, NodePlacing};
use super::{LEAST_BANDWIDTH, LONGEST_DELAY_NS, NONE, NodesGraph, NodesMachine, NodesOutcome};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::ops::Range;

/// Runs a graph on several nodes in virtual time.
///
/// # Errors
/// A text that says what is wrong with the arguments, or that the run would take more than three years.
pub fn simulate_on_nodes(
    input: &NodesGraph<'_>,
    machine: &NodesMachine,
    placing: NodePlacing,
) -> Result<NodesOutcome, String> {
    let mut run = NodesRun::new(input, machine, placing)?;
    run.all()
}

/// A block of an EDT.
#[derive(Clone, Copy)]
struct UsedBlock {
    block: u32,
    writes: bool,
}

/// The workers of a node.
#[derive(Default)]
struct NodeWorkers {
    /// How many have run nothing yet.
    unused: u32,
    /// For each other one that has nothing to run, when its last EDT ended.
    idle: Vec<u64>,
    /// EDTs that wait for a worker.
    ready: VecDeque<u32>,
    /// How many messages are on their way here that something waits for, and EDTs wait for blocks.
    awaits: u32,
    /// Up to when [`NodesOutcome::starved_ns`] is counted.
    counted_to: u64,
}

impl NodeWorkers {
    fn idle(&self) -> u64 {
        u64::from(self.unused) + self.idle.len() as u64
    }

    /// Takes the idle worker that has run something last: when that ended, or 0 for one that has run nothing.
    fn take_idle(&mut self) -> Option<u64> {
        self.idle.pop().or_else(|| {
            self.unused = self.unused.checked_sub(1)?;
            Some(0)
        })
    }
}

/// What a task is, as far as the run has come.
#[derive(Clone, Copy)]
struct TaskState {
    /// [`NONE`] before it is created.
    node: u32,
    /// How many dependences it waits for.
    waits: u32,
    /// How many of its blocks it has.
    has: u32,
    /// When it was runnable and had its blocks.
    ready: u64,
    is_over: bool,
}

/// The blocks of all EDTs, each once for an EDT and in the order of their numbers, and where those of each EDT begin.
fn uses_of_all(graph: &TaskGraph) -> (Vec<UsedBlock>, Vec<usize>) {
    let (mut all, mut first): (Vec<UsedBlock>, _) = (Vec::new(), vec![0]);
    for task in &graph.tasks {
        let mut its: Vec<_> = task.blocks.iter().map(|uses| (uses.block, !uses.writes)).collect();
        // Of several uses of a block, one that writes comes first.
        its.sort_unstable();
        its.dedup_by_key(|(block, _)| *block);
        all.extend(its.into_iter().map(|(block, reads)| UsedBlock { block, writes: !reads }));
        first.push(all.len());
    }
    (all, first)
}

struct NodesRun<'a> {
    input: NodesGraph<'a>,
    graph: &'a TaskGraph,
    agenda: Agenda,
    links: Links,
    blocks: BlockTables,
    spread: NodeChoice<'a>,
    outcome: NodesOutcome,
    tasks: Vec<TaskState>,
    /// The blocks of all EDTs, and where those of each begin.
    uses: Vec<UsedBlock>,
    first_use: Vec<usize>,
    workers: Vec<NodeWorkers>,
    running: FxHashMap<u32, RunningEdt>,
    /// For each EDT, the tasks whose ends it waits for.
    awaited: Vec<Vec<u32>>,
    /// The join of each finish EDT that has one.
    joins: FxHashMap<u32, u32>,
    /// For each task, those that its node knows to wait for its end.
    linked: Vec<Vec<u32>>,
    /// For each task that is not created yet, the tasks that wait for its end.
    unlinked: FxHashMap<u32, Vec<u32>>,
    /// The nodes on which an EDT was satisfied that is not created yet.
    early: FxHashMap<u32, Vec<u32>>,
    /// How many dependences of EDTs of a node on a task of another one were sent.
    asked: FxHashMap<(u32, u32), u32>,
    /// For joins and nodes, how many EDTs of the scope are there, and how many have ended since the join's node was
    /// told.
    scopes: FxHashMap<(u32, u32), (u32, u32)>,
    /// Tasks that wait for nothing more, in the order in which that was so.
    free: VecDeque<u32>,
    /// Nodes that may have something for their workers.
    to_serve: Vec<u32>,
    left: usize,
}

impl<'a> NodesRun<'a> {
    fn new(input: &NodesGraph<'a>, machine: &NodesMachine, placing: NodePlacing) -> Result<NodesRun<'a>, String> {
        let graph = input.graph;
        let waits = graph.waits()?;
        if machine.nodes == 0 || machine.workers == 0 {
            return Err("there is a node and a worker at least".into());
        }
        if machine.bandwidth.is_nan() || machine.bandwidth < LEAST_BANDWIDTH {
            return Err("a link has a kilobyte a second at least".into());
        }
        if machine.latency_ns.max(machine.overhead_ns) > LONGEST_DELAY_NS {
            return Err("a latency, and what a message costs, is a second at most".into());
        }
        let count = graph.tasks.len();
        if [input.creators.len(), input.hints.len()] != [count; 2] || input.makers.len() != graph.blocks.len() {
            return Err("each task has a creator and a hint, and each block a maker".into());
        }
        if let Some(number) = graph.tasks.iter().position(|task| !task.is_join() && task.ns[0].is_none()) {
            return Err(format!("EDT {number} does not run on workers"));
        }
        let nodes = machine.nodes as usize;
        let mut awaited = vec![Vec::new(); count];
        for (number, task) in graph.tasks.iter().enumerate() {
            for &to in task.successors.iter().filter(|&&to| !graph.tasks[to as usize].is_join()) {
                awaited[to as usize].push(number as u32);
            }
        }
        let is_join = |number: &u32| graph.tasks[*number as usize].is_join();
        let joins = (0..count as u32).filter(is_join);
        let state = |waits| TaskState { node: NONE, waits, has: 0, ready: 0, is_over: false };
        let (uses, first_use) = uses_of_all(graph);
        Ok(NodesRun {
            input: *input,
            graph,
            agenda: Agenda::default(),
            links: Links::new(machine),
            blocks: BlockTables::new(graph.blocks.iter().map(|block| block.bytes), machine.nodes),
            spread: NodeChoice::new(*input, machine.nodes, placing),
            outcome: NodesOutcome {
                busy_ns: vec![0; nodes],
                link_ns: vec![0; nodes],
                edts: vec![0; nodes],
                ..NodesOutcome::default()
            },
            tasks: waits.into_iter().map(state).collect(),
            uses,
            first_use,
            workers: (0..nodes).map(|_| NodeWorkers { unused: machine.workers, ..NodeWorkers::default() }).collect(),
            running: FxHashMap::default(),
            awaited,
            joins: joins.map(|join| (input.creators[join as usize], join)).collect(),
            linked: vec![Vec::new(); count],
            unlinked: FxHashMap::default(),
            early: FxHashMap::default(),
            asked: FxHashMap::default(),
            scopes: FxHashMap::default(),
            free: VecDeque::new(),
            to_serve: Vec::new(),
            left: count,
        })
    }

    /// Runs the graph to its end.
    fn all(&mut self) -> Result<NodesOutcome, String> {
        self.create_first();
        self.settle();
        while let Some(moment) = self.agenda.next() {
            if self.agenda.now >= LONGEST_NS {
                return Err("it would take more than three years, which is not simulated".into());
            }
            match moment {
                Moment::Sends(node) => self.links.send(&mut self.agenda, node, &mut self.outcome),
                Moment::Arrives(batch) => {
                    let node = self.links.arrive(&mut self.agenda, batch, &mut self.outcome);
                    self.note_memory(node);
                }
                Moment::Handled(node) => {
                    if let Some(sent) = self.links.handled(&mut self.agenda, node, &mut self.outcome) {
                        self.handle(node, sent);
                    }
                }
                Moment::Step(edt) => self.step(edt),
                Moment::Told(edt) => self.is_over(edt),
            }
            self.settle();
        }
        match self.left {
            0 => Ok(std::mem::take(&mut self.outcome)),
            left => Err(format!("{left} EDTs and finish scopes wait for something that never comes")),
        }
    }

    fn node(&self, task: u32) -> u32 {
        self.tasks[task as usize].node
    }

    /// Where in [`NodesRun::uses`] the blocks of an EDT are, in the order in which it acquires them, each once.
    fn uses_of(&self, edt: u32) -> Range<usize> {
        self.first_use[edt as usize]..self.first_use[edt as usize + 1]
    }

    /// Whether an EDT uses a block, and only reads it.
    fn only_reads(&self, edt: u32, block: u32) -> bool {
        let its = &self.uses[self.uses_of(edt)];
        its.binary_search_by_key(&block, |uses| uses.block).is_ok_and(|at| !its[at].writes)
    }

    /// Puts a message for another node.
    fn put(&mut self, way: (u32, u32), message: SimulatedMessage, caller: u32, bytes: u64, is_joined: bool) {
        if message.is_awaited() {
            self.awaits(way.1, 1);
        }
        self.links.put(&mut self.agenda, way, message, (caller, bytes, is_joined));
        self.note_memory(way.0);
    }

    /// Looks what messages and the tables of blocks take on a node now.
    fn note_memory(&mut self, node: u32) {
        let bytes = self.blocks.bytes[node as usize] + self.links.bytes(node);
        self.outcome.protocol_bytes = self.outcome.protocol_bytes.max(bytes);
    }

    /// More or less is on its way that a node waits for.
    fn awaits(&mut self, node: u32, more: i32) {
        self.count_idle(node);
        let its = &mut self.workers[node as usize].awaits;
        *its = its.saturating_add_signed(more);
    }

    /// Counts for how long workers of a node had nothing to run, up to now, while something was on its way.
    fn count_idle(&mut self, node: u32) {
        let its = &mut self.workers[node as usize];
        if its.awaits != 0 {
            let ns = its.idle().saturating_mul(self.agenda.now - its.counted_to);
            self.outcome.starved_ns = self.outcome.starved_ns.saturating_add(ns);
        }
        its.counted_to = self.agenda.now;
    }

    /// A dependence of a task is satisfied.
    fn released(&mut self, task: u32) {
        let waits = &mut self.tasks[task as usize].waits;
        *waits -= 1;
        if *waits == 0 {
            self.free.push_back(task);
        }
    }

    /// Works off what an event has led to, in loops.
    fn settle(&mut self) {
        loop {
            if let Some(task) = self.free.pop_front() {
                if self.graph.tasks[task as usize].is_join() {
                    self.is_over(task)
                } else {
                    self.is_runnable(task)
                }
                continue;
            }
            let steps = std::mem::take(&mut self.blocks.steps);
            if steps.is_empty() {
                break;
            }
            for step in steps {
                match step {
                    BlockStep::Send { from, to, message, bytes } => self.put((from, to), message, NONE, bytes, false),
                    BlockStep::Granted(edt) => {
                        self.awaits(self.node(edt), -1);
                        self.tasks[edt as usize].has += 1;
                        self.acquire(edt);
                    }
                }
            }
        }
        while let Some(node) = self.to_serve.pop() {
            self.serve(node);
        }
    }

    /// The home of a block is the node of the EDT that has made it. Where that is not known, it is the node of the
    /// first EDT that uses it.
    fn settle_block(&mut self, block: u32, node: u32) {
        let maker = self.input.makers[block as usize];
        let owner = if maker == NONE { NONE } else { self.node(maker) };
        self.blocks.settle(block, if owner == NONE { node } else { owner });
    }

    /// An EDT waits for nothing but its blocks.
    fn is_runnable(&mut self, edt: u32) {
        let node = self.node(edt);
        for at in self.uses_of(edt) {
            let UsedBlock { block, writes } = self.uses[at];
            self.settle_block(block, node);
            self.blocks.ask(node, block, writes);
        }
        self.acquire(edt);
    }

    /// An EDT acquires the blocks that it does not have, one at a time.
    fn acquire(&mut self, edt: u32) {
        let node = self.node(edt);
        let uses = self.uses_of(edt);
        for at in uses.skip(self.tasks[edt as usize].has as usize) {
            let UsedBlock { block, writes } = self.uses[at];
            if !self.blocks.acquire(edt, node, block, writes) {
                return self.awaits(node, 1);
            }
            self.tasks[edt as usize].has += 1;
        }
        self.tasks[edt as usize].ready = self.agenda.now;
        self.workers[node as usize].ready.push_back(edt);
        self.to_serve.push(node);
    }

    /// Gives the idle workers of a node what there is for them.
    fn serve(&mut self, node: u32) {
        while !self.workers[node as usize].ready.is_empty() && self.workers[node as usize].idle() != 0 {
            self.count_idle(node);
            let its = &mut self.workers[node as usize];
            let (Some(edt), Some(free_at)) = (its.ready.pop_front(), its.take_idle()) else { return };
            let costs = self.costs(edt);
            let ready = self.tasks[edt as usize].ready;
            let is_awake = free_at != 0 && ready < free_at + AWAKE_NS;
            let (since, costs_ns) =
                if is_awake { (ready.max(free_at), costs.gap_ns) } else { (ready, costs.launch_ns) };
            let begun = (since + costs_ns).max(self.agenda.now);
            self.outcome.starting_ns = self.outcome.starting_ns.saturating_add(costs_ns + costs.told_ns);
            let during = &self.graph.tasks[edt as usize].during;
            let mut order: Vec<u32> = (0..during.len() as u32).collect();
            order.sort_by(|one, other| during[*one as usize].part.total_cmp(&during[*other as usize].part));
            self.running.insert(edt, RunningEdt::new(begun, order));
            self.agenda.enter(begun, Moment::Step(edt));
        }
    }

    fn costs(&self, edt: u32) -> Costs {
        self.graph.tasks[edt as usize].costs.first().copied().unwrap_or_default()
    }

    /// How long the function of an EDT takes.
    fn takes(&self, edt: u32) -> u64 {
        self.graph.tasks[edt as usize].ns.first().copied().flatten().unwrap_or(0)
    }

    /// The function of an EDT has returned, and all its calls are confirmed.
    fn ends(&mut self, edt: u32) {
        self.running.remove(&edt);
        let (node, now) = (self.node(edt), self.agenda.now);
        self.count_idle(node);
        self.workers[node as usize].idle.push(now);
        self.to_serve.push(node);
        self.outcome.busy_ns[node as usize] += self.takes(edt);
        self.outcome.edts[node as usize] += 1;
        self.outcome.ns = self.outcome.ns.max(now);
        for at in self.uses_of(edt) {
            let UsedBlock { block, writes } = self.uses[at];
            self.blocks.release(node, block, writes);
        }
        match self.costs(edt).told_ns {
            0 => self.is_over(edt),
            told => self.agenda.enter(now + told, Moment::Told(edt)),
        }
    }

    /// What waits for the end of an EDT, or for a join, goes on.
    fn is_over(&mut self, task: u32) {
        let graph = self.graph;
        self.tasks[task as usize].is_over = true;
        self.left -= 1;
        let node = self.node(task);
        for &to in &graph.tasks[task as usize].successors {
            if self.is_created_by(to, task) {
                let links = self.create(task, to, 0);
                links.into_iter().for_each(|(on, edt)| self.link(task, on, edt));
            } else if graph.tasks[to as usize].is_join() {
                self.leaves_scope(node, to, !graph.tasks[task as usize].is_join());
            }
        }
        let waiting = std::mem::take(&mut self.linked[task as usize]);
        self.pass_on(node, task, waiting);
    }

    /// Tells EDTs that a task of a node has ended for which they have waited: each node once.
    fn pass_on(&mut self, node: u32, task: u32, waiting: Vec<u32>) {
        let mut elsewhere: Vec<(u32, Vec<u32>)> = Vec::new();
        let mut by_node: FxHashMap<u32, usize> = FxHashMap::default();
        for edt in waiting {
            let to = self.node(edt);
            if to == node {
                self.released(edt);
                continue;
            }
            let at = *by_node.entry(to).or_insert_with(|| {
                elsewhere.push((to, Vec::new()));
                elsewhere.len() - 1
            });
            elsewhere[at].1.push(edt);
        }
        let written = if task == NONE { 0..0 } else { self.uses_of(task) };
        for (to, edts) in elsewhere {
            let (mut along, mut bytes) = (Vec::new(), 0);
            // What the event was satisfied with: all that wait for it there read it.
            for at in written.clone() {
                let UsedBlock { block, writes } = self.uses[at];
                if writes && edts.iter().all(|&edt| self.only_reads(edt, block)) {
                    self.lend_along((node, to), block, &mut along, &mut bytes);
                }
            }
            self.put((node, to), SimulatedMessage::Release { edts, along }, NONE, bytes, false);
        }
    }

    /// Has a block go along with a message, if it may.
    fn lend_along(&mut self, (from, to): (u32, u32), block: u32, along: &mut Vec<u32>, bytes: &mut u64) {
        let size = self.graph.blocks[block as usize].bytes;
        if *bytes + size <= MOST_ALONG
            && let Some(more) = self.blocks.lend_along(from, to, block)
        {
            along.push(block);
            *bytes += more;
        }
    }

    /// A task that a join waits for is over on a node. The join's node is told when no EDT of the scope is left there.
    fn leaves_scope(&mut self, node: u32, join: u32, is_edt: bool) {
        let home = self.node(join);
        if home == node {
            return self.released(join);
        }
        let (open, ended) = self.scopes.entry((join, node)).or_default();
        *open = open.saturating_sub(u32::from(is_edt));
        if home == NONE {
            // A recording that lacks records may have the EDT come before the finish EDT.
            return self.released(join);
        }
        *ended += 1;
        if *open == 0 {
            let many = std::mem::take(ended);
            self.put((node, home), SimulatedMessage::ScopeDone { join, many }, NONE, 0, false);
        }
    }

    /// A message has come to a node.
    fn handle(&mut self, node: u32, sent: Sent) {
        if sent.message.is_awaited() {
            self.awaits(node, -1);
        }
        match sent.message {
            SimulatedMessage::Create { edt, edges, on, along } => {
                self.come_along(sent.from, node, along);
                self.is_here(edt, edges);
                on.into_iter().for_each(|on| self.waits_for(node, on, edt));
            }
            SimulatedMessage::Depend { on: NONE, edt } => self.pass_on(node, NONE, vec![edt]),
            SimulatedMessage::Depend { on, edt } => self.waits_for(node, on, edt),
            SimulatedMessage::Satisfy { edt } => self.released(edt),
            SimulatedMessage::LetGo { edts } => edts.into_iter().for_each(|edt| self.released(edt)),
            SimulatedMessage::Release { edts, along } => {
                self.come_along(sent.from, node, along);
                edts.into_iter().for_each(|edt| self.released(edt));
            }
            SimulatedMessage::Confirm { callers } => {
                callers.into_iter().for_each(|caller| self.is_confirmed(caller, sent.from));
            }
            SimulatedMessage::ScopeDone { join, many } => (0..many).for_each(|_| self.released(join)),
            SimulatedMessage::Want { block, writes } => self.blocks.is_wanted(sent.from, block, writes),
            SimulatedMessage::Content { block, reads } => self.blocks.comes(sent.from, node, block, reads),
            SimulatedMessage::Recall { block } => self.blocks.is_recalled(node, block),
            SimulatedMessage::Left { block } => self.blocks.is_back(sent.from, block),
        }
        if sent.caller != NONE {
            self.links.confirm(&mut self.agenda, (node, sent.from), sent.caller);
        }
    }

    /// An EDT waits for the end of a task of a node, which may be over.
    fn waits_for(&mut self, node: u32, on: u32, edt: u32) {
        if self.tasks[on as usize].is_over {
            self.pass_on(node, NONE, vec![edt]);
        } else {
            self.linked[on as usize].push(edt);
        }
    }

    /// Blocks have come with a message, to be read.
    fn come_along(&mut self, from: u32, node: u32, along: Vec<u32>) {
        along.into_iter().for_each(|block| self.blocks.comes(from, node, block, true));
    }

    /// An EDT is on its node, with so many of its dependences satisfied.
    fn is_here(&mut self, edt: u32, edges: u32) {
        let node = self.node(edt);
        for &join in self.graph.tasks[edt as usize].successors.iter() {
            if self.graph.tasks[join as usize].is_join() && self.node(join) != node {
                self.scopes.entry((join, node)).or_default().0 += 1;
            }
        }
        (0..edges).for_each(|_| self.released(edt));
    }
}
