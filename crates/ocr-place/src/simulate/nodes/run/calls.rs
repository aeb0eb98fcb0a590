//! What EDTs ask of each other: creations, dependences and satisfactions, and who waits for what was sent.

use super::super::NONE;
use super::super::agenda::Moment;
use super::super::messages::SimulatedMessage;
use super::{NodesRun, UsedBlock};
use std::collections::{BTreeMap, VecDeque};

/// The most EDTs that one EDT holds back at a time, as in the runtime.
const MOST_HELD: usize = 256;

/// The most calls of an EDT that are unconfirmed, and how many are left when it goes on then, as in the runtime.
const MOST_UNCONFIRMED: u32 = 1024;
const ROOM_AT: u32 = MOST_UNCONFIRMED / 2;

/// Up to so long after the one before it, a dependence is taken for one that follows at once, in nanoseconds.
const AT_ONCE_NS: f64 = 20_000.0;

/// How many dependences on one task are messages; a node keeps the others at home.
const MOST_ASKED: u32 = 8;

/// An EDT whose function runs.
#[derive(Default)]
pub(super) struct RunningEdt {
    /// When it began, later by what it has waited.
    begun: u64,
    /// What it does in its body, in the order of time, and how much of that is done.
    order: Vec<u32>,
    next: usize,
    /// Dependences that it has to add first: on which task, of which EDT.
    links: VecDeque<(u32, u32)>,
    /// How many of its calls for each node are unconfirmed; none that is 0.
    open: Vec<(u32, u32)>,
    /// How many that is in all.
    unconfirmed: u32,
    /// EDTs that are held back until all are confirmed.
    held: Vec<u32>,
    /// Since when it waits, and until how many of its calls are unconfirmed.
    waits: Option<(u64, u32)>,
}

impl RunningEdt {
    /// An EDT that begins at a time, and does so much in its body, in this order.
    pub(super) fn new(begun: u64, order: Vec<u32>) -> RunningEdt {
        RunningEdt { begun, order, ..RunningEdt::default() }
    }

    fn is_unconfirmed(&self, but_for: u32) -> bool {
        self.open.iter().any(|&(node, _)| node != but_for)
    }
}

impl NodesRun<'_> {
    /// Whether a task that is not there yet is created by another one.
    pub(super) fn is_created_by(&self, task: u32, creator: u32) -> bool {
        let is_join = self.graph.tasks[task as usize].is_join();
        !is_join && self.input.creators[task as usize] == creator && self.node(task) == NONE
    }

    /// Creates the EDTs that are there from the beginning. Joins of no EDT that is known are on node 0.
    pub(super) fn create_first(&mut self) {
        for (number, task) in self.graph.tasks.iter().enumerate() {
            if task.is_join() && self.input.creators[number] == NONE {
                self.tasks[number].node = 0;
            }
        }
        let mut is_made = vec![false; self.graph.tasks.len()];
        for (number, task) in self.graph.tasks.iter().enumerate() {
            let during = task.during.iter().map(|during| during.successor);
            for to in task.successors.iter().copied().chain(during) {
                is_made[to as usize] |= self.input.creators[to as usize] == number as u32;
            }
        }
        let first: Vec<u32> = (0..self.graph.tasks.len() as u32)
            .filter(|&task| !is_made[task as usize] && !self.graph.tasks[task as usize].is_join())
            .collect();
        for &edt in &first {
            let node = self.spread.node(edt, 0);
            self.exists(edt, node);
        }
        for edt in first {
            self.is_here(edt, 0);
            for on in std::mem::take(&mut self.awaited[edt as usize]) {
                match self.node(on) {
                    NONE => self.unlinked.entry(on).or_default().push(edt),
                    _ => self.linked[on as usize].push(edt),
                }
            }
            if self.tasks[edt as usize].waits == 0 {
                self.free.push_back(edt);
            }
        }
    }

    /// An EDT is on a node from now on, and so is the join of its scope.
    fn exists(&mut self, edt: u32, node: u32) {
        self.tasks[edt as usize].node = node;
        if let Some(&join) = self.joins.get(&edt) {
            self.tasks[join as usize].node = node;
        }
    }

    /// An EDT comes to its next call, or to its end.
    pub(super) fn step(&mut self, edt: u32) {
        let (graph, now, node) = (self.graph, self.agenda.now, self.node(edt));
        let (task, takes) = (&graph.tasks[edt as usize], self.takes(edt));
        loop {
            let Some(running) = self.running.get_mut(&edt) else { return };
            if running.unconfirmed >= MOST_UNCONFIRMED {
                running.waits = Some((now, ROOM_AT));
                return;
            }
            if let Some(&(on, of)) = running.links.front() {
                let [owner, to] = [on, of].map(|task| self.tasks[task as usize].node);
                // The EDT cannot be held back before a third node's message comes to it.
                if owner != NONE && owner != node && owner != to && running.is_unconfirmed(owner) {
                    running.waits = Some((now, 0));
                    return;
                }
                running.links.pop_front();
                self.link(edt, on, of);
                continue;
            }
            let during = |at: usize| running.order.get(at).map(|&at| task.during[at as usize]);
            let Some(next) = during(running.next) else {
                let end = running.begun + takes;
                if now < end {
                    return self.agenda.enter(end, Moment::Step(edt));
                }
                if !running.open.is_empty() {
                    running.waits = Some((now, 0));
                    return;
                }
                return self.ends(edt);
            };
            let to = next.successor;
            let creates = self.input.creators[to as usize] == edt && self.tasks[to as usize].node == NONE;
            // Dependences that follow a creation at once go with it.
            let part_of = |at: usize| during(at).map_or(0.0, |during| f64::from(during.part));
            let most = AT_ONCE_NS + takes as f64 * f64::from(f32::EPSILON);
            let follows = |&at: &usize| {
                let apart = takes as f64 * (part_of(at) - part_of(at - 1));
                during(at).is_some_and(|next| next.successor == to) && apart <= most
            };
            let many = if creates { 1 + (running.next + 1..).take_while(follows).count() } else { 1 };
            let at = running.begun + (takes as f64 * part_of(running.next + many - 1)) as u64;
            if now < at {
                return self.agenda.enter(at, Moment::Step(edt));
            }
            if creates {
                // An EDT without pre-slots can begin at once; another one is held back.
                let home = self.spread.node(to, node);
                let has_slots = many > 1 || self.tasks[to as usize].waits > 1;
                let has_to_wait = if has_slots {
                    running.held.len() >= MOST_HELD && !running.open.is_empty()
                } else {
                    running.is_unconfirmed(if home == node { NONE } else { home })
                };
                if has_to_wait {
                    running.waits = Some((now, 0));
                    return;
                }
                running.next += many;
                let links = self.create(edt, to, many as u32);
                if let Some(running) = self.running.get_mut(&edt) {
                    running.links.extend(links);
                }
                continue;
            }
            match self.tasks[to as usize].node {
                NONE => self.early.entry(to).or_default().push(node),
                there if running.is_unconfirmed(if there == node { NONE } else { there }) => {
                    running.waits = Some((now, 0));
                    return;
                }
                there if there == node => self.released(to),
                there => {
                    // What one event passes on to EDTs of a node at the same time is one message.
                    let before = running.next.checked_sub(1).and_then(during);
                    let is_joined = before.is_some_and(|before| {
                        before.part == next.part && self.tasks[before.successor as usize].node == there
                    });
                    self.call(edt, there, SimulatedMessage::Satisfy { edt: to }, 0, is_joined);
                }
            }
            if let Some(running) = self.running.get_mut(&edt) {
                running.next += 1;
            }
        }
    }

    /// An EDT, if it runs, has another node make a call, which is confirmed.
    fn call(&mut self, edt: u32, to: u32, message: SimulatedMessage, bytes: u64, is_joined: bool) {
        let way = (self.node(edt), to);
        let caller = match self.running.get_mut(&edt) {
            Some(running) => {
                match running.open.iter_mut().find(|(node, _)| *node == to) {
                    Some((_, open)) => *open += 1,
                    None => running.open.push((to, 1)),
                }
                running.unconfirmed += 1;
                edt
            }
            None => NONE,
        };
        self.put(way, message, caller, bytes, is_joined);
    }

    /// Creates an EDT with so many dependences. Those that are to be added: on which task, of which EDT.
    pub(super) fn create(&mut self, creator: u32, edt: u32, edges: u32) -> Vec<(u32, u32)> {
        let from = self.node(creator);
        let to = self.spread.node(edt, from);
        self.spread.has_created(from);
        self.exists(edt, to);
        let mut others = std::mem::take(&mut self.awaited[edt as usize]);
        // Those on events of its node go along, up to the first one that does not.
        let goes = |&&other: &&u32| to != from && self.node(other) == to;
        let later = others.split_off(others.iter().take_while(goes).count());
        let waits_for_none = self.tasks[edt as usize].waits == edges;
        let is_held = (edges > 1 || !others.is_empty())
            && self.running.get_mut(&creator).is_some_and(|running| {
                let holds = running.is_unconfirmed(if to == from { NONE } else { to });
                running.held.extend(holds.then_some(edt));
                holds
            });
        self.tasks[edt as usize].waits += u32::from(is_held);
        if to == from {
            self.is_here(edt, edges);
        } else {
            let (mut along, mut bytes) = (Vec::new(), 0);
            for at in self.uses_of(edt).filter(|_| waits_for_none) {
                let UsedBlock { block, writes } = self.uses[at];
                if !writes {
                    self.settle_block(block, from);
                    self.lend_along((from, to), block, &mut along, &mut bytes);
                }
            }
            self.call(creator, to, SimulatedMessage::Create { edt, edges, on: others, along }, bytes, false);
        }
        let mut links: Vec<(u32, u32)> = later.into_iter().map(|on| (on, edt)).collect();
        for task in [edt].into_iter().chain(self.joins.get(&edt).copied()) {
            links.extend(self.unlinked.remove(&task).into_iter().flatten().map(|waiting| (task, waiting)));
        }
        // What has satisfied it before is known on that node.
        for owner in self.early.remove(&edt).unwrap_or_default() {
            if owner == from {
                self.pass_on(from, NONE, vec![edt]);
            } else {
                self.call(creator, owner, SimulatedMessage::Depend { on: NONE, edt }, 0, false);
            }
        }
        links
    }

    /// Has an EDT wait for the end of a task, as an EDT asks.
    pub(super) fn link(&mut self, by: u32, on: u32, edt: u32) {
        let (from, owner, to) = (self.node(by), self.node(on), self.node(edt));
        if owner == NONE {
            self.unlinked.entry(on).or_default().push(edt);
        } else if owner == from {
            self.waits_for(from, on, edt);
        } else {
            if to == from && !self.tasks[on as usize].is_over {
                let asked = self.asked.entry((on, from)).or_default();
                *asked += 1;
                if *asked > MOST_ASKED {
                    return self.linked[on as usize].push(edt);
                }
            }
            self.call(by, owner, SimulatedMessage::Depend { on, edt }, 0, false);
        }
    }

    /// A node has made a call of an EDT. When it was the last one, the EDT goes on, and those that it holds back do.
    pub(super) fn is_confirmed(&mut self, caller: u32, by: u32) {
        let Some(running) = self.running.get_mut(&caller) else { return };
        let Some(at) = running.open.iter().position(|&(node, _)| node == by) else { return };
        running.unconfirmed -= 1;
        running.open[at].1 -= 1;
        if running.open[at].1 == 0 {
            running.open.swap_remove(at);
        }
        let held = if running.unconfirmed == 0 { std::mem::take(&mut running.held) } else { Vec::new() };
        let waits = running.waits.take_if(|(_, until)| running.unconfirmed <= *until);
        if let Some((since, _)) = waits {
            let waited = self.agenda.now - since;
            running.begun += waited;
            self.outcome.confirming_ns += waited;
        }
        let node = self.node(caller);
        let mut elsewhere = BTreeMap::<u32, Vec<u32>>::new();
        for edt in held {
            match self.node(edt) {
                to if to == node => self.released(edt),
                to => elsewhere.entry(to).or_default().push(edt),
            }
        }
        for (to, edts) in elsewhere {
            self.put((node, to), SimulatedMessage::LetGo { edts }, NONE, 0, false);
        }
        if waits.is_some() {
            self.step(caller);
        }
    }
}
