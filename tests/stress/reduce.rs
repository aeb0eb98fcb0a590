//! Smaller graphs, of one that fails. `proptest` shrinks drafts, where to leave out a task is to change
//! what all others refer to; here tasks, pre-slots and properties are taken out of the graph itself.

use crate::graph::*;
use crate::settle::settle;
use std::time::{Duration, Instant};

/// Tries smaller cases as long as there are some that fail, and time is left.
pub fn reduce(mut case: Case, time: Duration, mut fails: impl FnMut(&Case) -> bool) -> Case {
    let started = Instant::now();
    'smaller: loop {
        for step in steps(&case) {
            if started.elapsed() > time {
                return case;
            }
            let mut candidate = case.clone();
            if !apply(&mut candidate, step) {
                continue;
            }
            settle(&mut candidate.graph);
            if fails(&candidate) {
                case = candidate;
                continue 'smaller;
            }
        }
        return case;
    }
}

/// One thing less.
#[derive(Clone, Copy)]
enum Step {
    Task(Task),
    /// With all its descendants.
    Family(Task),
    Block(Block),
    Words(Block),
    Outcome(Task),
    Slot(Task, usize),
    Source(Task, usize),
    Chain(Task, usize),
    SlotFlags(Task, usize),
    Doomed(Task),
    Scratch(Task),
    Finish(Task),
    Kernel(Task),
    Copies(Task),
    Flag(Task, usize),
    Pause(Task, usize),
    Workers,
    Memory,
    HostCopies,
    Devices,
}

fn steps(case: &Case) -> Vec<Step> {
    let graph = &case.graph;
    let tasks = || (0..graph.tasks.len()).rev();
    let slots = |step: fn(Task, usize) -> Step| {
        tasks().flat_map(move |task| {
            let slots = (0..graph.tasks[task].slots.len()).rev();
            slots.map(move |slot| step(task, slot))
        })
    };
    let mut steps: Vec<Step> = tasks().map(Step::Family).collect();
    steps.extend(tasks().map(Step::Task));
    steps.extend((0..graph.blocks.len()).rev().map(Step::Block));
    steps.extend(slots(Step::Slot));
    steps.extend(slots(Step::Source));
    for step in [
        Step::Outcome,
        Step::Doomed,
        Step::Scratch,
        Step::Finish,
        Step::Kernel,
        Step::Copies,
    ] {
        steps.extend(tasks().map(step));
    }
    steps.extend(slots(Step::Chain));
    steps.extend(slots(Step::SlotFlags));
    steps.extend(tasks().flat_map(|task| (0..5).map(move |flag| Step::Flag(task, flag))));
    steps.extend(tasks().flat_map(|task| (0..3).map(move |at| Step::Pause(task, at))));
    steps.extend((0..graph.blocks.len()).map(Step::Words));
    steps.extend([Step::Devices, Step::HostCopies, Step::Memory, Step::Workers]);
    steps
}

/// False where that changes nothing, or cannot be.
fn apply(case: &mut Case, step: Step) -> bool {
    fn take<T: PartialEq>(place: &mut T, value: T) -> bool {
        let changes = *place != value;
        *place = value;
        changes
    }
    let graph = &mut case.graph;
    match step {
        Step::Task(task) => {
            graph.children(Some(task)).next().is_none() && graph.tasks.len() > 1 && {
                remove_task(graph, task);
                true
            }
        }
        Step::Family(task) => {
            let family: Vec<Task> = (0..graph.tasks.len())
                .filter(|&other| other == task || graph.ancestors(other).any(|a| a == task))
                .collect();
            let some = family.len() > 1 && family.len() < graph.tasks.len();
            if some {
                family
                    .iter()
                    .rev()
                    .for_each(|&task| remove_task(graph, task));
            }
            some
        }
        Step::Block(block) => remove_block(graph, block),
        Step::Words(block) => take(&mut graph.blocks[block].words, 1),
        Step::Outcome(task) => {
            if let Outcome::Made(block) = graph.tasks[task].outcome {
                graph.blocks[block].origin = Origin::Main;
            }
            take(&mut graph.tasks[task].outcome, Outcome::Nothing)
        }
        Step::Slot(task, slot) => {
            let spec = &mut graph.tasks[task];
            spec.slots.remove(slot);
            if let Outcome::Slot(result) = &mut spec.outcome {
                match (*result).cmp(&slot) {
                    std::cmp::Ordering::Less => {}
                    std::cmp::Ordering::Equal => spec.outcome = Outcome::Nothing,
                    std::cmp::Ordering::Greater => *result -= 1,
                }
            }
            true
        }
        Step::Source(task, slot) => {
            let source = &mut graph.tasks[task].slots[slot].source;
            take(source, Source::Nothing)
        }
        Step::Chain(task, slot) => match &mut graph.tasks[task].slots[slot].source {
            Source::Output(_, chain) => chain.pop().is_some(),
            Source::Join(tasks) if tasks.len() > 1 => tasks.pop().is_some(),
            _ => false,
        },
        Step::SlotFlags(task, slot) => {
            let slot = &mut graph.tasks[task].slots[slot];
            let changes = [
                take(&mut slot.in_depv, false),
                take(&mut slot.release, false),
                take(&mut slot.destroys_event, false),
            ];
            changes.contains(&true)
        }
        Step::Doomed(task) => graph.tasks[task].doomed.pop().is_some(),
        Step::Scratch(task) => graph.tasks[task].scratch.pop().is_some(),
        Step::Finish(task) => take(&mut graph.tasks[task].finish, false),
        Step::Kernel(task) => take(&mut graph.tasks[task].variant, Variant::Function),
        Step::Copies(task) => {
            let copies = &mut graph.tasks[task].copies;
            let fewer = (*copies / 2).max(1);
            take(copies, fewer)
        }
        Step::Flag(task, flag) => {
            let spec = &mut graph.tasks[task];
            let flags = [
                &mut spec.anonymous,
                &mut spec.own_template,
                &mut spec.reversed,
                &mut spec.gates_reversed,
                &mut spec.gated,
            ];
            flags
                .into_iter()
                .nth(flag)
                .is_some_and(|flag| take(flag, false))
        }
        Step::Pause(task, at) => take(&mut graph.tasks[task].pauses[at], 0),
        Step::Workers => {
            let fewer = (case.settings.workers / 2).max(1);
            take(&mut case.settings.workers, fewer)
        }
        Step::Memory => case.settings.memory.take().is_some(),
        Step::HostCopies => take(&mut case.settings.copies, false),
        Step::Devices => {
            let fills = graph
                .blocks
                .iter()
                .any(|block| matches!(block.origin, Origin::Bare(variant) if variant.has_kernel()));
            let kernels = fills || graph.tasks.iter().any(|spec| spec.variant.has_kernel());
            !kernels && take(&mut case.settings.devices, false)
        }
    }
}

/// Takes out a task without children.
fn remove_task(graph: &mut Graph, gone: Task) {
    let moved = |task: &mut Task| *task -= (*task > gone) as usize;
    if let Outcome::Made(block) = graph.tasks[gone].outcome {
        graph.blocks[block].origin = Origin::Main;
    }
    graph.tasks.remove(gone);
    for block in &mut graph.blocks {
        if let Origin::Made(task) = &mut block.origin {
            moved(task);
        }
        block.destroyed_by = block.destroyed_by.filter(|&task| task != gone);
        block.destroyed_by.iter_mut().for_each(moved);
    }
    for spec in &mut graph.tasks {
        spec.parent.iter_mut().for_each(moved);
        match &mut spec.outcome {
            Outcome::Event(task) if *task == gone => spec.outcome = Outcome::Nothing,
            Outcome::Event(task) => moved(task),
            _ => {}
        }
        for doomed in &mut spec.doomed {
            doomed.late = doomed.late.filter(|&task| task != gone);
            doomed.late.iter_mut().for_each(moved);
        }
        for slot in &mut spec.slots {
            match &mut slot.source {
                Source::Nothing | Source::Block(_) => {}
                Source::Output(task, _) | Source::Late(task) | Source::Body(task) => {
                    if *task == gone {
                        slot.source = Source::Nothing;
                    } else {
                        moved(task);
                    }
                }
                Source::Join(tasks) => {
                    tasks.retain(|&task| task != gone);
                    tasks.iter_mut().for_each(moved);
                    if tasks.is_empty() {
                        slot.source = Source::Nothing;
                    }
                }
            }
        }
    }
}

/// Takes out a block that no task makes.
fn remove_block(graph: &mut Graph, gone: Block) -> bool {
    if matches!(graph.blocks[gone].origin, Origin::Made(_)) {
        return false;
    }
    graph.blocks.remove(gone);
    let moved = |block: &mut Block| *block -= (*block > gone) as usize;
    for spec in &mut graph.tasks {
        if let Outcome::Made(block) = &mut spec.outcome {
            moved(block);
        }
        for slot in &mut spec.slots {
            match &mut slot.source {
                Source::Block(block) if *block == gone => slot.source = Source::Nothing,
                Source::Block(block) => moved(block),
                _ => {}
            }
        }
    }
    true
}
