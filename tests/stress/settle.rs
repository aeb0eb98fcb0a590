//! What makes a graph a correct program, once tasks and dependences are known: what arrives where, who
//! is kept from running too early, and who destroys what.

use crate::collective::Turn;
use crate::copy::{settle_copies, settle_margins};
use crate::far::{settle_far, settle_part_waits};
use crate::files::{settle_bases, settle_chunks};
use crate::graph::*;
use crate::oracle::{Moment, Order};
use crate::parts::{settle_divided, settle_divisions};
use crate::value::When;

/// Pre-slots of an EDT that may be a kernel, without its gate and its journal.
pub(crate) const KERNEL_SLOTS: usize = 6;

/// Makes a graph right again that something was taken out of.
pub(crate) fn settle(graph: &mut Graph) {
    for task in 0..graph.tasks.len() {
        let returned = graph.tasks.iter().any(|spec| spec.outcome == Outcome::Event(task));
        let late = returned || graph.is_source(&Source::Late(task));
        let body = graph.is_source(&Source::Body(task));
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
    let wanted: Vec<bool> = graph.blocks.iter().map(|block| block.destroyed_by.is_some()).collect();
    complete(graph, &wanted);
}

/// Works out what follows from the sources of pre-slots and from what tasks return. `wanted` says
/// which blocks a task destroys if there is one that can.
pub(crate) fn complete(graph: &mut Graph, wanted: &[bool]) {
    settle_chunks(graph);
    settle_part_waits(graph);
    while !try_complete(graph, wanted) {}
}

/// False where that has changed what it began with.
fn try_complete(graph: &mut Graph, wanted: &[bool]) -> bool {
    loop {
        settle_divisions(graph);
        settle_waiters(graph);
        settle_turns(graph);
        settle_events(graph);
        settle_blocks(graph);
        if settle_known(graph) && settle_copies(graph) {
            break;
        }
    }
    let order = Order::of(graph);
    settle_divided(graph, &order);
    settle_sizes(graph);
    settle_margins(graph, &order);
    settle_sizes(graph);
    settle_bounds(graph, &order);
    settle_waits(graph, &order);
    destroy(graph, &order, wanted);
    settle_far(graph, &order) && settle_bases(graph, &order)
}

/// Who gets a block without an event is created by somebody who knows it; false if some were not.
fn settle_known(graph: &mut Graph) -> bool {
    let mut right = true;
    for task in 0..graph.tasks.len() {
        for at in 0..graph.tasks[task].slots.len() {
            if let Source::Block(block) = graph.tasks[task].slots[at].source
                && !graph.knows(graph.tasks[task].parent, block)
            {
                graph.tasks[task].slots[at].source = Source::Nothing;
                right = false;
            }
        }
    }
    right
}

/// Who waits in a call: functions, and none whose first contribution might be what it waits for.
fn settle_waiters(graph: &mut Graph) {
    for task in 0..graph.tasks.len() {
        let function = graph.tasks[task].variant == Variant::Function;
        if !function || graph.turns_of(task).count() > 1 {
            graph.tasks[task].waits.clear();
        }
    }
}

/// Who contributes: tasks that follow each other on a slot have an order; before them, the first EDT.
fn settle_turns(graph: &mut Graph) {
    loop {
        let order = Order::of(graph);
        let mut changed = false;
        for collective in 0..graph.collectives.len() {
            for slot in 0..graph.collectives[collective].slots() {
                let turns = &mut graph.collectives[collective].turns;
                // Who contributes to the generation after.
                let mut next: Option<Task> = None;
                let mut right = true;
                for turn in turns.iter_mut().rev().map(|turns| &mut turns[slot]) {
                    right &= match (turn.by, next) {
                        (Some(task), Some(next)) => task == next || order.ends_before(task, next),
                        (Some(_), None) => true,
                        (None, _) => false,
                    };
                    if !right {
                        changed |= turn.by.take().is_some();
                    }
                    next = turn.by;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// How the dependences on collective events are added.
fn settle_connections(graph: &mut Graph) {
    for turn in graph.turns().collect::<Vec<_>>() {
        let source = Source::Result(turn);
        let dependences = graph.dependences(&source);
        let mut spec = graph.turn(turn).clone();
        if dependences == 0 || spec.kind == Kind::Channel && dependences > 1 {
            spec.kind = Kind::Sticky;
        }
        if let Some(task) = spec.by {
            let same = |other: &Turn| (other.collective, other.slot) == (turn.collective, turn.slot);
            let first = graph.turns_of(task).find(same) == Some(turn);
            let last = graph.turns_of(task).last() == Some(turn);
            spec.early |= last;
            spec.direct &= first && dependences == 1;
        }
        let child = graph.children(spec.by).find_map(|child| {
            let slots = &graph.tasks[child].slots;
            let slot = slots.iter().position(|slot| slot.source == source)?;
            Some((child, slot))
        });
        spec.direct &= spec.by.is_some() && child.is_some();
        if let (true, Some((child, slot))) = (spec.direct, child) {
            graph.tasks[child].slots[slot].in_depv = false;
        }
        graph.collectives[turn.collective].turns[turn.generation][turn.slot] = spec;
    }
}

/// How far contributors may be ahead: no further than they can be.
fn settle_bounds(graph: &mut Graph, order: &Order) {
    for collective in &mut graph.collectives {
        let generations = collective.turns.len();
        let complete = |first: usize, second: usize| {
            let turns = &collective.turns;
            turns[second].iter().all(|second| {
                turns[first].iter().all(|first| match (first.by, second.by) {
                    (Some(first), Some(second)) => order.ends_before(first, second),
                    (first, _) => first.is_none(),
                })
            })
        };
        let enough = |bound: &usize| (*bound..generations).all(|generation| complete(generation - bound, generation));
        let bound = (1..generations).find(enough).unwrap_or(generations);
        collective.bound = collective.bound.map(|_| bound as u32);
    }
}

/// Who waits in a call has released what others may need meanwhile.
fn settle_waits(graph: &mut Graph, order: &Order) {
    for task in 0..graph.tasks.len() {
        if graph.tasks[task].waits.is_empty() {
            continue;
        }
        for at in 0..graph.tasks[task].slots.len() {
            let Some(block) = graph.tasks[task].slots[at].used() else {
                continue;
            };
            let uses = |spec: &TaskSpec| spec.slots.iter().any(|slot| slot.used() == Some(block));
            let alone = graph.tasks[task].copies == 1
                && graph.tasks.iter().enumerate().all(|(other, spec)| {
                    other == task
                        || !uses(spec)
                        || order.is_before(graph.done(other, block), Moment::Start(task))
                        || order.ends_before(task, other)
                });
            // To wait is also to look at the block, behind its parts.
            let divides = graph.divided(task) == Some(block) || graph.passes_part(task, block);
            graph.tasks[task].slots[at].release |= !alone || divides;
        }
    }
}

/// Contents that go to EDTs, or to events that go when they trigger, are passed on when the EDTs are
/// there: by siblings that are kept from running, or to children. Others are kept by their event.
fn settle_givers(graph: &mut Graph) {
    for value in 0..graph.values.len() {
        let spec = graph.values[value].clone();
        if !graph.goes_at_once(value) {
            continue;
        }
        let (source, giver) = (Source::Value(value), &graph.tasks[spec.by]);
        let all = |allowed: &dyn Fn(&TaskSpec) -> bool| {
            graph.tasks.iter().all(|task| {
                let depends = task.slots.iter().any(|slot| slot.source == source);
                !task.waits.contains(&source) && (!depends || allowed(task))
            })
        };
        let has_it_last =
            spec.when == When::Last && giver.waits.is_empty() && giver.slots.iter().all(|slot| !slot.release);
        if all(&|task| task.parent == giver.parent) {
            graph.tasks[spec.by].gated = true;
        } else if !has_it_last || !all(&|task| task.parent == Some(spec.by)) {
            graph.values[value].route = Some(Kind::Sticky);
        }
    }
}

/// How contents are passed on.
fn settle_values(graph: &mut Graph) {
    for value in 0..graph.values.len() {
        let source = Source::Value(value);
        let dependences = graph.dependences(&source);
        let route = &mut graph.values[value].route;
        match route {
            None if dependences != 1 => *route = Some(Kind::Once),
            Some(Kind::Counted) if dependences == 0 => *route = Some(Kind::Sticky),
            Some(Kind::Channel) if dependences != 1 => *route = Some(Kind::Sticky),
            _ => {}
        }
        if graph.values[value].route.is_none()
            && let Some((task, at)) = graph.first_consumer(value)
        {
            graph.tasks[task].slots[at].in_depv = false;
        }
    }
}

/// Events that go when they trigger need their dependences before; so do output events.
fn settle_events(graph: &mut Graph) {
    settle_givers(graph);
    for task in 0..graph.tasks.len() {
        let source = Source::Body(task);
        let is_source = |slot: &Slot| slot.source == source;
        let kind = graph.tasks[task].body;
        let goes = kind.is_some_and(Kind::goes_at_once);
        let all_after = graph.tasks.iter().enumerate().all(|(other, spec)| {
            let sibling = other > task && spec.parent == graph.tasks[task].parent;
            !spec.waits.contains(&source) && (sibling || !spec.slots.iter().any(is_source))
        });
        if goes && !all_after {
            graph.tasks[task].body = Some(Kind::Sticky);
        }
        if goes && all_after || graph.wants_output(task) {
            graph.tasks[task].gated = true;
        }
        // The event of a copy stays until its creator has ended.
        graph.tasks[task].gated &= graph.tasks[task].variant != Variant::Copy;
        if graph.tasks[task].late.is_some() && graph.late_dependences(task) == 0 {
            graph.tasks[task].late = Some(Kind::Sticky);
        }
        let leaf = graph.children(Some(task)).next().is_none();
        let awaited = graph.wants_output(task);
        let contributes = graph.turns_of(task).next().is_some();
        let gives = graph.values_of(task).next().is_some();
        let spec = &mut graph.tasks[task];
        let one = spec.variant != Variant::Function
            || awaited
            || !leaf
            || spec.body.is_some()
            || spec.outcome != Outcome::Nothing
            || !spec.doomed.is_empty()
            || contributes
            || gives
            || spec.division.is_some();
        if one {
            spec.copies = 1;
        } else if !spec.contests.is_empty() || !spec.waits.is_empty() {
            // Each that waits takes a thread.
            spec.copies = spec.copies.min(8);
        }
        if spec.variant != Variant::Function {
            spec.contests.clear();
            spec.lookups.clear();
        }
        if spec.copies > 1 {
            spec.rivals = 0;
        }
        if spec.rivals > 0 {
            spec.gated = true;
            spec.own_template = false;
            spec.given = spec.given.or(Some(Kind::Once));
        }
        spec.given = spec.given.filter(|_| awaited);
        match spec.priority.by {
            HintBy::Template if !spec.own_template => spec.priority.by = HintBy::Creation,
            HintBy::Set if !spec.gated => spec.priority.by = HintBy::Creation,
            _ => {}
        }
        // ocrOpenclTaskCreate takes no hint.
        if spec.priority.by == HintBy::Creation && spec.variant == Variant::Kernel {
            spec.priority.value = 0;
        }
    }
    // Now it is certain how many dependences there are.
    settle_connections(graph);
    settle_values(graph);
    for task in 0..graph.tasks.len() {
        let one = graph.output_dependences(task) == 1;
        let spec = &mut graph.tasks[task];
        if spec.given == Some(Kind::Channel) && !one {
            spec.given = Some(Kind::Sticky);
        }
        spec.anonymous &=
            !spec.gated && spec.variant == Variant::Function && spec.slots.iter().all(|slot| slot.in_depv);
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
pub(crate) fn own_result(graph: &Graph, task: Task) -> Option<Block> {
    let spec = &graph.tasks[task];
    match spec.outcome {
        Outcome::Nothing | Outcome::Event(_) => None,
        Outcome::Made(block) => Some(block),
        Outcome::Slot(slot) => {
            let slot = spec.slots.get(slot)?;
            let block = brings(graph, &slot.source).filter(|_| slot.mode != Mode::Null);
            block.filter(|&block| !graph.is_private(block))
        }
    }
}

/// The block that arrives from a source, if it is certain.
pub(crate) fn brings(graph: &Graph, source: &Source) -> Option<Block> {
    match source {
        Source::Nothing | Source::Join(_) => None,
        Source::Block(block) => Some(*block),
        Source::Output(task, _) | Source::Late(task) => result(graph, *task),
        Source::Body(task) => own_result(graph, *task),
        Source::Result(turn) => Some(graph.collectives[turn.collective].results[turn.generation]),
        Source::Value(value) => {
            let spec = &graph.values[*value];
            let slot = &graph.tasks[spec.by].slots[spec.slot];
            let block = brings(graph, &slot.source).filter(|_| slot.mode != Mode::Null);
            block.map(|_| spec.copy)
        }
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

/// How long contents are that are passed by value. Each may be that of another one.
fn settle_sizes(graph: &mut Graph) {
    for _ in 0..graph.values.len() {
        for value in 0..graph.values.len() {
            if let Some(block) = graph.passed(value) {
                let (copy, passed) = (graph.values[value].copy, &graph.blocks[block]);
                let (words, margin) = (passed.words, passed.margin);
                let place = graph.far(copy).map(|far| far.place);
                let (words, margin) = match place {
                    Some(place) => (place.end - place.start, 0),
                    None => (words, margin),
                };
                graph.blocks[copy].words = words;
                graph.blocks[copy].margin = margin;
            }
        }
    }
}

/// Tasks that destroy blocks and events that no task will need any more.
fn destroy(graph: &mut Graph, order: &Order, wanted: &[bool]) {
    let count = graph.tasks.len();
    for (block, &wanted) in wanted.iter().enumerate() {
        graph.blocks[block].destroyed_by = None;
        if !wanted {
            continue;
        }
        let passes = |task: Task| result(graph, task) == Some(block) || own_result(graph, task) == Some(block);
        let meets = |task: Task| {
            let by_slot = graph.tasks[task].slots.iter().any(|slot| slot.block == Some(block));
            let mut waits = graph.tasks[task].waits.iter();
            by_slot || passes(task) || waits.any(|wait| brings(graph, wait) == Some(block))
        };
        let last = (0..count).find(|&task| {
            let spec = &graph.tasks[task];
            let mut slots = spec.slots.iter();
            let has = match spec.variant {
                Variant::Function => slots.any(|slot| slot.used() == Some(block)),
                // Its source can go with a copy.
                Variant::Copy => slots.next().is_some_and(|slot| slot.used() == Some(block)),
                _ => false,
            };
            // The parts of a chunk belong to what the file contains, and those of a part to the whole.
            let needs_parts = !spec.waits.is_empty() || graph.is_chunk(block) || graph.far(block).is_some();
            let divides = graph.divided(task) == Some(block) || graph.passes_part(task, block);
            has && spec.copies == 1
                && !(needs_parts && divides)
                && !passes(task)
                && (0..count).all(|other| {
                    other == task || !meets(other) || order.is_before(Moment::Complete(other), Moment::Start(task))
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
            let alone = graph.dependences(&source) == 1;
            let free = match source {
                Source::Late(from) => {
                    graph.tasks[from].late.is_some_and(Kind::stays)
                        && graph.tasks.iter().all(|spec| {
                            let doomed = spec.doomed.iter().any(|doomed| doomed.late == Some(from));
                            !doomed && spec.outcome != Outcome::Event(from)
                        })
                }
                Source::Body(from) => graph.tasks[from].body.is_some_and(Kind::stays),
                Source::Result(turn) => {
                    let spec = graph.turn(turn);
                    spec.kind.stays() && !spec.direct
                }
                Source::Value(value) => graph.values[value].route.is_some_and(Kind::stays),
                _ => false,
            };
            let slot = &mut graph.tasks[task].slots[at];
            slot.destroys_event &= single && alone && free;
            slot.release &= function;
        }
    }
}
