//! What a graph must come to: which task sees what, and what every block contains at the end, by
//! running the tasks one after the other.
//!
//! The graph is written down as an order on three moments of each task: its start, its end (the
//! body has returned and the blocks are released), and its completion (the output event has been
//! satisfied). A task sees the content of a block if everybody else who writes that block has ended
//! before it starts, or starts after it has ended. Where that is so for a writer, it may change the
//! block in a way that depends on the order; otherwise it adds to the words.

use crate::collective::Turn;
use crate::copy::copy_words;
use crate::graph::{Block, Graph, Mode, Origin, Outcome, Source, Task};
use crate::value::When;

/// Bits of what a task does with the block of a pre-slot. The kernel uses the same.
pub(crate) mod op {
    /// The content goes into what the task has seen.
    pub(crate) const SEE: u32 = 1;
    /// Words are added to.
    pub(crate) const ADD: u32 = 2;
    /// Words are changed so that the order of changes matters.
    pub(crate) const CHANGE: u32 = 4;
    /// Words are set.
    pub(crate) const SET: u32 = 8;
    /// The block is the task's journal.
    pub(crate) const JOURNAL: u32 = 16;
    /// Others may add at the same time.
    pub(crate) const ATOMIC: u32 = 32;
}

pub(crate) fn mix(hash: u32, value: u32) -> u32 {
    let product = (hash ^ value).wrapping_mul(0x9E37_79B1);
    product ^ (product >> 15)
}

/// What a task has seen before it looks at blocks.
pub(crate) fn first_hash(task: Task) -> u32 {
    mix(0x5EED, task as u32)
}

/// What the first content of a block is made of.
pub(crate) fn block_hash(block: Block) -> u32 {
    mix(0xB10C, block as u32)
}

pub(crate) fn word_set(hash: u32, at: usize) -> u32 {
    mix(hash, at as u32)
}

pub(crate) fn word_changed(word: u32, hash: u32, at: usize) -> u32 {
    word.wrapping_mul(5).wrapping_add(mix(hash, at as u32))
}

/// The order on the moments of all tasks.
pub(crate) struct Order {
    /// Bit `b` of row `a`: moment `b` comes after moment `a`.
    after: Vec<Vec<u64>>,
}

/// A moment of a task.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Start(Task),
    End(Task),
    Complete(Task),
}

impl Moment {
    fn index(self) -> usize {
        match self {
            Moment::Start(task) => 3 * task,
            Moment::End(task) => 3 * task + 1,
            Moment::Complete(task) => 3 * task + 2,
        }
    }
}

impl Order {
    /// What follows from who creates whom.
    pub(crate) fn of_creation(graph: &Graph) -> Order {
        let moments = 3 * graph.tasks.len();
        let mut order = Order { after: vec![vec![0; moments.div_ceil(64)]; moments] };
        for (task, spec) in graph.tasks.iter().enumerate() {
            order.require(Moment::Start(task), Moment::End(task));
            order.require(Moment::End(task), Moment::Complete(task));
            if let Some(parent) = spec.parent {
                order.require(Moment::Start(parent), Moment::Start(task));
            }
            for ancestor in graph.ancestors(task) {
                if graph.tasks[ancestor].finish {
                    order.require(Moment::End(task), Moment::Complete(ancestor));
                }
            }
        }
        order
    }

    /// What follows from the whole graph.
    pub(crate) fn of(graph: &Graph) -> Order {
        let mut order = Order::of_creation(graph);
        for (task, spec) in graph.tasks.iter().enumerate() {
            if let Outcome::Event(event) = spec.outcome {
                order.require(Moment::Complete(event), Moment::Complete(task));
            }
            for slot in &spec.slots {
                order.require_all(&Order::awaited(graph, &slot.source), Moment::Start(task));
            }
            for wait in &spec.waits {
                order.require_all(&Order::awaited(graph, wait), Moment::End(task));
            }
        }
        order
    }

    /// What a source waits for.
    pub(crate) fn awaited(graph: &Graph, source: &Source) -> Vec<Moment> {
        match source {
            Source::Nothing | Source::Block(_) => Vec::new(),
            Source::Output(task, _) | Source::Late(task) => vec![Moment::Complete(*task)],
            Source::Body(task) => vec![Moment::End(*task)],
            // The body goes on after it.
            Source::Value(value) => vec![Moment::Start(graph.values[*value].by)],
            Source::Join(tasks) => tasks.iter().copied().map(Moment::Complete).collect(),
            Source::Result(turn) => {
                let spec = &graph.collectives[turn.collective];
                let all = (0..spec.slots()).map(|slot| Turn { slot, ..*turn });
                all.filter_map(|turn| {
                    let task = graph.turn(turn).by?;
                    // After its last turn a body does nothing that others could see.
                    Some(if graph.turns_of(task).last() == Some(turn) {
                        Moment::End(task)
                    } else {
                        Moment::Start(task)
                    })
                })
                .collect()
            }
        }
    }

    pub(crate) fn is_before(&self, first: Moment, second: Moment) -> bool {
        let second = second.index();
        self.after[first.index()][second / 64] >> (second % 64) & 1 != 0
    }

    /// Puts `first` before `second`; false, and nothing changes, if they are the other way round.
    pub(crate) fn require(&mut self, first: Moment, second: Moment) -> bool {
        if first.index() == second.index() || self.is_before(second, first) {
            return false;
        }
        if self.is_before(first, second) {
            return true;
        }
        let mut followers = self.after[second.index()].clone();
        followers[second.index() / 64] |= 1 << (second.index() % 64);
        for moment in 0..self.after.len() {
            let precedes = self.after[moment][first.index() / 64] >> (first.index() % 64) & 1 != 0;
            if precedes || moment == first.index() {
                for (word, more) in self.after[moment].iter_mut().zip(&followers) {
                    *word |= more;
                }
            }
        }
        true
    }

    /// Puts all of them before `second`; false, and nothing changes, if that cannot be.
    pub(crate) fn require_all(&mut self, first: &[Moment], second: Moment) -> bool {
        let contradicts = |&first: &Moment| first.index() == second.index() || self.is_before(second, first);
        !first.iter().any(contradicts) && first.iter().all(|&first| self.require(first, second))
    }

    /// Whether one task has ended before the other starts.
    pub(crate) fn ends_before(&self, first: Task, second: Task) -> bool {
        self.is_before(Moment::End(first), Moment::Start(second))
    }

    /// The tasks so that each comes after those that its start waits for.
    pub(crate) fn sequence(&self) -> Vec<Task> {
        let tasks = self.after.len() / 3;
        let earlier =
            |task: Task| (0..tasks).filter(|&other| self.is_before(Moment::Start(other), Moment::Start(task))).count();
        let mut sequence: Vec<Task> = (0..tasks).collect();
        // Who is after another has more before it than the other.
        sequence.sort_by_key(|&task| earlier(task));
        sequence
    }
}

/// What must come of a graph.
pub(crate) struct Expected {
    pub(crate) order: Order,
    /// For each task and pre-slot, the bits of [`op`].
    pub(crate) ops: Vec<Vec<u32>>,
    /// What each task has seen.
    pub(crate) hashes: Vec<u32>,
    /// The content of each block when it is destroyed.
    pub(crate) blocks: Vec<Vec<u32>>,
    /// Which of them are certain: not those passed by value while others might write.
    pub(crate) known: Vec<bool>,
}

/// The tasks that write a block, their mode, and the task that makes it.
pub(crate) fn writers(graph: &Graph, block: Block) -> Vec<Task> {
    let mut writers: Vec<Task> = graph
        .tasks
        .iter()
        .enumerate()
        .filter(|&(task, spec)| {
            let divides = graph.divided(task) == Some(block) || graph.passes_part(task, block);
            spec.writes(block) || divides
        })
        .map(|(task, _)| task)
        .collect();
    if let Origin::Made(task) = graph.blocks[block].origin {
        writers.push(task);
    }
    writers
}

fn ops(graph: &Graph, order: &Order) -> Vec<Vec<u32>> {
    let writers: Vec<_> = (0..graph.blocks.len()).map(|block| writers(graph, block)).collect();
    let of_slot = |task: Task, at: usize| {
        let slots = &graph.tasks[task].slots;
        let (slot, earlier) = (&slots[at], &slots[..at]);
        let Some(block) = slot.used() else { return 0 };
        if earlier.iter().any(|earlier| earlier.used() == Some(block)) {
            return 0;
        }
        let ordered = writers[block].iter().all(|&other| {
            let before = |first, second| order.is_before(graph.done(first, block), Moment::Start(second));
            other == task || before(other, task) || before(task, other)
        });
        let alone = graph.tasks[task].copies == 1 || !slot.mode.writes();
        match (ordered && alone, slot.mode) {
            (true, Mode::Rw | Mode::Ew) => op::SEE | op::CHANGE,
            (true, _) => op::SEE,
            (false, Mode::Ew) => op::ADD,
            (false, Mode::Rw) => op::ADD | op::ATOMIC,
            (false, _) => 0,
        }
    };
    (0..graph.tasks.len())
        .map(|task| (0..graph.tasks[task].slots.len()).map(|at| of_slot(task, at)).collect())
        .collect()
}

/// Which blocks have a content that is certain. The others are not compared.
fn known(graph: &Graph, order: &Order, ops: &mut [Vec<u32>]) -> Vec<bool> {
    let mut known = vec![true; graph.blocks.len()];
    for task in order.sequence() {
        let slots = &graph.tasks[task].slots;
        for (op, slot) in ops[task].iter_mut().zip(slots) {
            if slot.used().is_some_and(|block| !known[block]) {
                *op &= !op::SEE;
            }
        }
        for value in graph.values_of(task) {
            let passed = graph.passed(value);
            let first = slots.iter().position(|slot| slot.used() == passed);
            known[graph.values[value].copy] = first.is_some_and(|first| ops[task][first] & op::SEE != 0);
        }
    }
    known
}

/// For each task and pre-slot, the bits of [`op`]; and which blocks have a content that is certain.
pub(crate) fn certain(graph: &Graph, order: &Order) -> (Vec<Vec<u32>>, Vec<bool>) {
    let mut ops = ops(graph, order);
    let known = known(graph, order, &mut ops);
    (ops, known)
}

impl Expected {
    pub(crate) fn of(graph: &Graph) -> Expected {
        let order = Order::of(graph);
        let (ops, known) = certain(graph, &order);
        let set = |hash, block: Block| {
            let words = 0..graph.size(block) as usize;
            words.map(|at| word_set(hash, at)).collect()
        };
        let mut blocks: Vec<Vec<u32>> = (0..graph.blocks.len()).map(|block| set(block_hash(block), block)).collect();
        for block in 0..graph.blocks.len() {
            if let Some(content) = graph.first_content(block, &blocks) {
                blocks[block] = content;
            }
        }
        let words = |block: Block| graph.blocks[block].words as usize;
        let mut hashes = vec![0; graph.tasks.len()];
        let mut done = vec![false; graph.tasks.len()];
        let reduce = |turn: Turn, done: &[bool], hashes: &[u32], blocks: &mut [Vec<u32>]| {
            let spec = &graph.collectives[turn.collective];
            let turns = &spec.turns[turn.generation];
            if turns.iter().all(|turn| turn.by.is_none_or(|task| done[task])) {
                blocks[spec.results[turn.generation]] = graph.result(turn.collective, turn.generation, hashes);
            }
        };
        graph.turns().for_each(|turn| reduce(turn, &done, &hashes, &mut blocks));
        let pass = |task: Task, before: bool, blocks: &mut [Vec<u32>]| {
            for value in graph.values_of(task) {
                let Some(block) = graph.passed(value) else {
                    continue;
                };
                let copy = graph.values[value].copy;
                match graph.far(copy) {
                    // Whenever it is made, it is used when the task has released the whole.
                    Some(far) if !before => blocks[copy] = blocks[block][far.words()].to_vec(),
                    None if (graph.when(value) == When::Before) == before => {
                        blocks[copy] = blocks[block].clone();
                    }
                    _ => {}
                }
            }
        };
        for task in order.sequence() {
            let spec = &graph.tasks[task];
            if let Some(copied) = graph.copied(task) {
                copy_words(&copied, &mut blocks);
                graph.fold_parts(task, &mut blocks);
                continue;
            }
            let used = || ops[task].iter().zip(&spec.slots).filter_map(|(&op, slot)| Some((op, slot.used()?)));
            let mut hash = first_hash(task);
            for (op, block) in used() {
                if op & op::SEE != 0 {
                    hash = blocks[block][..words(block)].iter().fold(hash, |hash, &word| mix(hash, word));
                }
            }
            pass(task, true, &mut blocks);
            for (op, block) in used() {
                let words = &mut blocks[block][..words(block)];
                for (at, word) in words.iter_mut().enumerate() {
                    if op & op::CHANGE != 0 {
                        *word = word_changed(*word, hash, at);
                    } else if op & op::ADD != 0 {
                        *word = word.wrapping_add(word_set(hash, at).wrapping_mul(spec.copies));
                    }
                }
            }
            pass(task, false, &mut blocks);
            if let Some(block) = graph.divided(task)
                && graph.blocks[block].destroyed_by != Some(task)
            {
                graph.add_parts(task, &mut blocks[block]);
            }
            graph.fold_parts(task, &mut blocks);
            if let Outcome::Made(block) = spec.outcome {
                let content = graph.first_content(block, &blocks);
                blocks[block] = content.unwrap_or_else(|| set(hash, block));
            }
            hashes[task] = hash;
            done[task] = true;
            graph.turns_of(task).for_each(|turn| reduce(turn, &done, &hashes, &mut blocks));
        }
        Expected { order, ops, hashes, blocks, known }
    }
}
