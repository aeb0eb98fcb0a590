//! What makes a graph a correct program, once tasks and dependences are known: what arrives where, who
//! is kept from running too early, and who destroys what.

use crate::graph::*;
use crate::oracle::{Moment, Order};

/// Pre-slots of an EDT that may be a kernel, without its gate and its journal.
pub const KERNEL_SLOTS: usize = 6;

/// Makes a graph right again that something was taken out of.
pub fn settle(graph: &mut Graph) {
    for task in 0..graph.tasks.len() {
        let is_source = |source: Source| {
            let slots = graph.tasks.iter().flat_map(|spec| &spec.slots);
            slots.into_iter().any(|slot| slot.source == source)
        };
        let returned = graph
            .tasks
            .iter()
            .any(|spec| spec.outcome == Outcome::Event(task));
        let late = returned || is_source(Source::Late(task));
        let body = is_source(Source::Body(task));
        let spec = &mut graph.tasks[task];
        spec.late = spec.late.filter(|_| late);
        spec.body = spec.body.filter(|_| body);
    }
    for task in 0..graph.tasks.len() {
        let mut doomed = std::mem::take(&mut graph.tasks[task].doomed);
        for doomed in &mut doomed {
            doomed.late = doomed.late.filter(|&late| graph.tasks[late].late.is_some());
        }
        graph.tasks[task].doomed = doomed;
    }
    let wanted: Vec<bool> = graph
        .blocks
        .iter()
        .map(|block| block.destroyed_by.is_some())
        .collect();
    complete(graph, &wanted);
}

/// Works out what follows from the sources of pre-slots and from what tasks return. `wanted` says
/// which blocks a task destroys if there is one that can.
pub fn complete(graph: &mut Graph, wanted: &[bool]) {
    settle_events(graph);
    settle_blocks(graph);
    destroy(graph, wanted);
}

/// Events that go when they trigger need their dependences before; so do output events.
fn settle_events(graph: &mut Graph) {
    for task in 0..graph.tasks.len() {
        let is_source = |slot: &Slot| slot.source == Source::Body(task);
        let kind = graph.tasks[task].body;
        let goes = kind.is_some_and(Kind::goes_at_once);
        let all_after = graph.tasks.iter().enumerate().all(|(other, spec)| {
            !spec.slots.iter().any(is_source)
                || other > task && spec.parent == graph.tasks[task].parent
        });
        if goes && !all_after {
            graph.tasks[task].body = Some(Kind::Sticky);
        }
        if goes && all_after || graph.wants_output(task) {
            graph.tasks[task].gated = true;
        }
        if graph.tasks[task].late.is_some() && graph.late_dependences(task) == 0 {
            graph.tasks[task].late = Some(Kind::Sticky);
        }
        let leaf = graph.children(Some(task)).next().is_none();
        let awaited = graph.wants_output(task);
        let spec = &mut graph.tasks[task];
        let one = spec.variant != Variant::Function
            || awaited
            || !leaf
            || spec.body.is_some()
            || spec.outcome != Outcome::Nothing
            || !spec.doomed.is_empty();
        if one {
            spec.copies = 1;
        }
        spec.anonymous &= !spec.gated
            && spec.variant == Variant::Function
            && spec.slots.iter().all(|slot| slot.in_depv);
    }
}

/// The block that a task passes to its output event.
fn result(graph: &Graph, task: Task) -> Option<Block> {
    match graph.tasks[task].outcome {
        Outcome::Event(event) => result(graph, event),
        _ => own_result(graph, task),
    }
}

/// The block that a task returns.
pub fn own_result(graph: &Graph, task: Task) -> Option<Block> {
    let spec = &graph.tasks[task];
    match spec.outcome {
        Outcome::Nothing | Outcome::Event(_) => None,
        Outcome::Made(block) => Some(block),
        Outcome::Slot(slot) => {
            let slot = &spec.slots[slot];
            brings(graph, &slot.source).filter(|_| slot.mode != Mode::Null)
        }
    }
}

fn brings(graph: &Graph, source: &Source) -> Option<Block> {
    match source {
        Source::Nothing | Source::Join(_) => None,
        Source::Block(block) => Some(*block),
        Source::Output(task, _) | Source::Late(task) => result(graph, *task),
        Source::Body(task) => own_result(graph, *task),
    }
}

/// Which block arrives where. A task has a block in one mode only.
fn settle_blocks(graph: &mut Graph) {
    for task in 0..graph.tasks.len() {
        for at in 0..graph.tasks[task].slots.len() {
            let block = brings(graph, &graph.tasks[task].slots[at].source);
            let earlier = &graph.tasks[task].slots[..at];
            let same = |slot: &&Slot| slot.used() == block && block.is_some();
            let mode = earlier.iter().find(same).map(|slot| slot.mode);
            let slot = &mut graph.tasks[task].slots[at];
            if let Source::Join(_) = slot.source {
                // Which of the tasks is the last, and so which block arrives, is not known.
                slot.mode = Mode::Null;
                slot.in_depv = false;
            }
            slot.block = block;
            if let Some(mode) = mode.filter(|_| slot.mode != Mode::Null) {
                slot.mode = mode;
                slot.in_depv &= mode == Mode::Rw;
            }
        }
        let spec = &mut graph.tasks[task];
        spec.anonymous &= spec.slots.iter().all(|slot| slot.in_depv);
    }
}

/// Tasks that destroy blocks and events that nobody will need any more.
fn destroy(graph: &mut Graph, wanted: &[bool]) {
    let order = Order::of(graph);
    let count = graph.tasks.len();
    for (block, &wanted) in wanted.iter().enumerate() {
        graph.blocks[block].destroyed_by = None;
        if !wanted {
            continue;
        }
        let passes = |task: Task| {
            result(graph, task) == Some(block) || own_result(graph, task) == Some(block)
        };
        let meets = |task: Task| {
            let by_slot = graph.tasks[task]
                .slots
                .iter()
                .any(|slot| slot.block == Some(block));
            by_slot || passes(task)
        };
        let last = (0..count).find(|&task| {
            let spec = &graph.tasks[task];
            spec.variant == Variant::Function
                && spec.copies == 1
                && spec.slots.iter().any(|slot| slot.used() == Some(block))
                && !passes(task)
                && (0..count).all(|other| {
                    other == task
                        || !meets(other)
                        || order.is_before(Moment::Complete(other), Moment::Start(task))
                })
        });
        graph.blocks[block].destroyed_by = last;
        if let Some(last) = last {
            for slot in &mut graph.tasks[last].slots {
                slot.release &= slot.block != Some(block);
            }
        }
    }
    for task in 0..count {
        let function = graph.tasks[task].variant == Variant::Function;
        let single = function && graph.tasks[task].copies == 1;
        for at in 0..graph.tasks[task].slots.len() {
            let source = graph.tasks[task].slots[at].source.clone();
            let of_slots = graph.tasks.iter().flat_map(|spec| &spec.slots);
            let alone = of_slots.filter(|slot| slot.source == source).count() == 1;
            let free = match source {
                Source::Late(from) => {
                    graph.tasks[from].late.is_some_and(Kind::stays)
                        && graph.tasks.iter().all(|spec| {
                            let doomed = spec.doomed.iter().any(|doomed| doomed.late == Some(from));
                            !doomed && spec.outcome != Outcome::Event(from)
                        })
                }
                Source::Body(from) => graph.tasks[from].body.is_some_and(Kind::stays),
                _ => false,
            };
            let slot = &mut graph.tasks[task].slots[at];
            slot.destroys_event &= single && alone && free;
            slot.release &= function;
        }
    }
}
