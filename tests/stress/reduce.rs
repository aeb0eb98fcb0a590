//! Smaller graphs, of one that fails. `proptest` shrinks drafts, where to leave out a task is to change
//! what all others refer to; here tasks, pre-slots and properties are taken out of the graph itself.

use crate::collective::{Collective, Reduction, Turn, TurnSpec};
use crate::files::FileMode;
use crate::graph::*;
use crate::parts::PartEnd;
use crate::settle::settle;
use crate::value::{Value, ValueSpec, When};
use std::time::{Duration, Instant};

/// Tries smaller cases as long as there are some that fail, and time is left.
pub(crate) fn reduce(mut case: Case, time: Duration, mut fails: impl FnMut(&Case) -> bool) -> Case {
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
    /// A collective event, its last generation, its last contributor.
    Collective(Collective),
    Generation(Collective),
    Contributor(Collective),
    /// What a collective event combines, its limit, or its label.
    CollectiveFlag(Collective, usize),
    /// That somebody else than the first EDT contributes, or how.
    Turn(Turn),
    TurnFlags(Turn),
    Value(Value),
    /// When or how a content is passed on.
    ValueFlag(Value, usize),
    Template,
    Doomed(Task),
    Scratch(Task),
    Wait(Task),
    Contest(Task),
    Lookup(Task),
    Rival(Task),
    Given(Task),
    Priority(Task),
    Finish(Task),
    Kernel(Task),
    Copies(Task),
    Flag(Task, usize),
    Pause(Task, usize),
    /// Its label, or that it stands in a map.
    Label(Block),
    /// That it is a chunk of a file, which one, and what the file is.
    Chunk(Block),
    ChunkFlag(Block, usize),
    FileFlag(usize, usize),
    /// The last creator, what one does, and what else there is of maps.
    Creator,
    CreatorFlag(usize, usize),
    Maps(usize),
    /// What or how much is copied.
    CopyFlag(Task, usize),
    Division(Task),
    DivisionFlag(Task, usize),
    /// A part, one of its users, how many words it has, and the rest.
    Part(Task, usize),
    PartUser(Task, usize),
    PartWords(Task, usize),
    PartFlags(Task, usize),
    Workers,
    Legacy,
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
    let collectives = || 0..graph.collectives.len();
    let mut steps: Vec<Step> = tasks().map(Step::Family).collect();
    steps.extend(tasks().map(Step::Task));
    steps.extend(collectives().rev().map(Step::Collective));
    steps.extend(collectives().map(Step::Generation));
    steps.extend(collectives().map(Step::Contributor));
    steps.extend(graph.turns().map(Step::Turn));
    let values = || 0..graph.values.len();
    steps.extend(values().rev().map(Step::Value));
    steps.extend((0..graph.blocks.len()).rev().map(Step::Block));
    let parts = |step: fn(Task, usize) -> Step| {
        tasks().flat_map(move |task| {
            let division = graph.tasks[task].division.as_ref();
            let parts = division.map_or(0, |division| division.parts.len());
            (0..parts).rev().map(move |part| step(task, part))
        })
    };
    steps.extend(tasks().map(Step::Division));
    steps.extend(parts(Step::Part));
    steps.extend(parts(Step::PartUser));
    steps.extend(parts(Step::PartFlags));
    steps.extend(parts(Step::PartWords));
    steps.extend(tasks().flat_map(|task| (0..2).map(move |flag| Step::DivisionFlag(task, flag))));
    steps.extend(slots(Step::Slot));
    steps.extend(slots(Step::Source));
    for step in [
        Step::Outcome,
        Step::Doomed,
        Step::Scratch,
        Step::Wait,
        Step::Contest,
        Step::Lookup,
        Step::Rival,
        Step::Given,
        Step::Priority,
        Step::Finish,
        Step::Kernel,
        Step::Copies,
    ] {
        steps.extend(tasks().map(step));
    }
    steps.extend(slots(Step::Chain));
    steps.extend(slots(Step::SlotFlags));
    steps.extend(tasks().flat_map(|task| (0..7).map(move |flag| Step::Flag(task, flag))));
    steps.extend(graph.turns().map(Step::TurnFlags));
    steps.extend(collectives().flat_map(|collective| (0..4).map(move |flag| Step::CollectiveFlag(collective, flag))));
    steps.extend(values().flat_map(|value| (0..5).map(move |flag| Step::ValueFlag(value, flag))));
    steps.extend(tasks().flat_map(|task| (0..3).map(move |at| Step::Pause(task, at))));
    steps.extend(tasks().flat_map(|task| (0..5).map(move |flag| Step::CopyFlag(task, flag))));
    steps.extend((0..graph.blocks.len()).map(Step::Words));
    steps.extend((0..graph.blocks.len()).map(Step::Label));
    let blocks = || 0..graph.blocks.len();
    steps.extend(blocks().map(Step::Chunk));
    steps.extend(blocks().flat_map(|block| (0..2).map(move |flag| Step::ChunkFlag(block, flag))));
    let files = 0..graph.files.len();
    steps.extend(files.flat_map(|file| (0..2).map(move |flag| Step::FileFlag(file, flag))));
    let creators = 0..graph.maps.creators.len();
    steps.extend(creators.flat_map(|creator| (0..4).map(move |flag| Step::CreatorFlag(creator, flag))));
    steps.extend((0..3).map(Step::Maps));
    steps.extend([
        Step::Creator,
        Step::Template,
        Step::Devices,
        Step::HostCopies,
        Step::Memory,
        Step::Legacy,
        Step::Workers,
    ]);
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
                family.iter().rev().for_each(|&task| remove_task(graph, task));
            }
            some
        }
        Step::Block(block) => remove_block(graph, block),
        Step::Words(block) => match graph.blocks[block].origin {
            Origin::Reduced(collective, _) => {
                let results = graph.collectives[collective].results.iter();
                let changes: Vec<bool> = results.map(|&block| take(&mut graph.blocks[block].words, 2)).collect();
                changes.contains(&true)
            }
            // They follow from what is passed on.
            Origin::Value(_) => false,
            _ => take(&mut graph.blocks[block].words, 1),
        },
        Step::Label(block) => {
            let spec = &mut graph.blocks[block];
            let keyed = spec.origin == Origin::Keyed;
            if keyed {
                spec.origin = Origin::Main;
            }
            take(&mut spec.labeled, false) || keyed
        }
        Step::Chunk(block) => graph.blocks[block].chunk.take().is_some(),
        Step::ChunkFlag(block, flag) => {
            let chunk = graph.blocks[block].chunk.as_mut();
            chunk.is_some_and(|spec| match flag {
                0 => take(&mut spec.again, None),
                _ => take(&mut spec.gap, 0),
            })
        }
        Step::FileFlag(file, flag) => {
            let spec = &mut graph.files[file];
            match flag {
                0 => take(&mut spec.mode, FileMode::Update),
                _ => take(&mut spec.length, 0),
            }
        }
        Step::Creator => graph.maps.creators.pop().is_some(),
        Step::CreatorFlag(creator, flag) => {
            let spec = &mut graph.maps.creators[creator];
            match flag {
                0 => take(&mut spec.refusals, 0),
                1 => take(&mut spec.before, None),
                2 => take(&mut spec.after, None),
                _ => take(&mut spec.pauses, [0; 3]),
            }
        }
        Step::Maps(flag) => match flag {
            0 => take(&mut graph.maps.maps, 1),
            1 => take(&mut graph.maps.stride, 1),
            _ => take(&mut graph.maps.edts, 0),
        },
        Step::Collective(collective) => {
            remove_collective(graph, collective);
            true
        }
        Step::Generation(collective) => {
            let more = graph.collectives[collective].turns.len() > 1;
            more && {
                remove_generation(graph, collective);
                true
            }
        }
        Step::Contributor(collective) => {
            let slots = graph.collectives[collective].slots();
            slots > 2 && {
                let gone = |turn: &Turn| (turn.collective, turn.slot) == (collective, slots - 1);
                forget(graph, gone);
                let turns = graph.collectives[collective].turns.iter_mut();
                turns.for_each(|turns| turns.truncate(slots - 1));
                true
            }
        }
        Step::CollectiveFlag(collective, flag) => {
            let spec = &mut graph.collectives[collective];
            match flag {
                0 => take(&mut spec.reduction, Reduction::SIMPLE),
                1 => take(&mut spec.bound, None),
                2 => take(&mut spec.raced, false),
                _ => take(&mut spec.mapped, false),
            }
        }
        Step::Turn(turn) => turn_of(graph, turn).by.take().is_some(),
        Step::TurnFlags(turn) => {
            let spec = turn_of(graph, turn);
            let changes =
                [take(&mut spec.kind, Kind::Sticky), take(&mut spec.early, true), take(&mut spec.direct, false)];
            changes.contains(&true)
        }
        Step::Value(value) => {
            remove_value(graph, value);
            true
        }
        Step::ValueFlag(value, flag) => {
            let spec = &mut graph.values[value];
            match flag {
                0 => take(&mut spec.when, When::After),
                1 => take(&mut spec.grouped, false),
                2 => take(&mut spec.route, Some(Kind::Sticky)),
                3 => spec.part.take().is_some(),
                _ => spec.part.as_mut().is_some_and(|part| {
                    let words = part.words / 2;
                    [take(&mut part.gap, 0), take(&mut part.words, words)].contains(&true)
                }),
            }
        }
        Step::Template => take(&mut graph.labeled_template, false),
        Step::Outcome(task) => {
            if let Outcome::Made(block) = graph.tasks[task].outcome {
                graph.blocks[block].origin = Origin::Main;
            }
            let copies = graph.tasks[task].copy.is_some();
            !copies && take(&mut graph.tasks[task].outcome, Outcome::Nothing)
        }
        Step::Slot(task, slot) => {
            let passed = |spec: &ValueSpec| (spec.by, spec.slot) == (task, slot);
            while let Some(value) = graph.values.iter().position(passed) {
                remove_value(graph, value);
            }
            for value in &mut graph.values {
                value.slot -= (value.by == task && value.slot > slot) as usize;
            }
            let spec = &mut graph.tasks[task];
            spec.division = spec.division.take().filter(|spec| spec.slot != slot);
            if let Some(division) = &mut spec.division {
                division.slot -= (division.slot > slot) as usize;
            }
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
            // The one before in the same place.
            Source::Result(turn) if turn.generation > 0 => {
                turn.generation -= 1;
                true
            }
            _ => false,
        },
        Step::SlotFlags(task, slot) => {
            let slot = &mut graph.tasks[task].slots[slot];
            let changes =
                [take(&mut slot.in_depv, false), take(&mut slot.release, false), take(&mut slot.destroys_event, false)];
            changes.contains(&true)
        }
        Step::Doomed(task) => graph.tasks[task].doomed.pop().is_some(),
        Step::Scratch(task) => graph.tasks[task].scratch.pop().is_some(),
        Step::Wait(task) => graph.tasks[task].waits.pop().is_some(),
        Step::Contest(task) => graph.tasks[task].contests.pop().is_some(),
        Step::Lookup(task) => graph.tasks[task].lookups.pop().is_some(),
        Step::Rival(task) => {
            let rivals = &mut graph.tasks[task].rivals;
            let fewer = rivals.saturating_sub(1);
            take(rivals, fewer)
        }
        Step::Given(task) => match &mut graph.tasks[task].given {
            Some(kind) if *kind != Kind::Once => take(kind, Kind::Once),
            given => given.take().is_some(),
        },
        Step::Priority(task) => take(&mut graph.tasks[task].priority.value, 0),
        Step::Finish(task) => take(&mut graph.tasks[task].finish, false),
        Step::Kernel(task) => {
            graph.tasks[task].copy = None;
            take(&mut graph.tasks[task].variant, Variant::Function)
        }
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
                &mut spec.raced,
                &mut spec.mapped,
            ];
            flags.into_iter().nth(flag).is_some_and(|flag| take(flag, false))
        }
        Step::CopyFlag(task, flag) => {
            let Some(copy) = &mut graph.tasks[task].copy else {
                return false;
            };
            match flag {
                0 => take(&mut copy.reads, false),
                1 => take(&mut copy.writes, false),
                2 => take(&mut copy.from, 0),
                3 => take(&mut copy.to, 0),
                _ => {
                    let fewer = copy.size / 2;
                    take(&mut copy.size, fewer)
                }
            }
        }
        Step::Division(task) => graph.tasks[task].division.take().is_some(),
        Step::DivisionFlag(task, flag) => {
            let division = graph.tasks[task].division.as_mut();
            division.is_some_and(|spec| match flag {
                0 => take(&mut spec.early, false),
                _ => take(&mut spec.fixed, true),
            })
        }
        Step::Part(task, part) => {
            let division = graph.tasks[task].division.as_mut();
            division.is_some_and(|spec| {
                spec.parts.remove(part);
                true
            })
        }
        Step::PartUser(task, part) => {
            let division = graph.tasks[task].division.as_mut();
            division.is_some_and(|spec| spec.parts[part].users.pop().is_some())
        }
        Step::PartWords(task, part) => {
            let division = graph.tasks[task].division.as_mut();
            division.is_some_and(|spec| {
                let spec = &mut spec.parts[part];
                let (gap, words) = (spec.gap / 2, spec.words / 2);
                [take(&mut spec.gap, gap), take(&mut spec.words, words)].contains(&true)
            })
        }
        Step::PartFlags(task, part) => {
            let division = graph.tasks[task].division.as_mut();
            division.is_some_and(|spec| {
                let spec = &mut spec.parts[part];
                let changes =
                    [take(&mut spec.end, PartEnd::Without), take(&mut spec.nested, false), take(&mut spec.pause, 0)];
                changes.contains(&true)
            })
        }
        Step::Pause(task, at) => take(&mut graph.tasks[task].pauses[at], 0),
        Step::Workers => {
            let fewer = (case.settings.workers / 2).max(1);
            take(&mut case.settings.workers, fewer)
        }
        Step::Legacy => take(&mut case.settings.legacy, false),
        Step::Memory => case.settings.memory.take().is_some(),
        Step::HostCopies => take(&mut case.settings.copies, false),
        Step::Devices => {
            let fills =
                graph.blocks.iter().any(|block| matches!(block.origin, Origin::Bare(variant) if variant.has_kernel()));
            let kernels = fills || graph.tasks.iter().any(|spec| spec.variant.has_kernel());
            !kernels && take(&mut case.settings.devices, false)
        }
    }
}

/// Takes out a task without children.
fn remove_task(graph: &mut Graph, gone: Task) {
    while let Some(value) = graph.values.iter().position(|value| value.by == gone) {
        remove_value(graph, value);
    }
    let moved = |task: &mut Task| *task -= (*task > gone) as usize;
    graph.values.iter_mut().for_each(|value| moved(&mut value.by));
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
    }
    change_sources(graph, |source| match source {
        Source::Nothing | Source::Block(_) | Source::Result(_) | Source::Value(_) => {}
        Source::Output(task, _) | Source::Late(task) | Source::Body(task) => {
            if *task == gone {
                *source = Source::Nothing;
            } else {
                moved(task);
            }
        }
        Source::Join(tasks) => {
            tasks.retain(|&task| task != gone);
            tasks.iter_mut().for_each(moved);
            if tasks.is_empty() {
                *source = Source::Nothing;
            }
        }
    });
    let collectives = graph.collectives.iter_mut();
    let turns = collectives.flat_map(|collective| &mut collective.turns);
    for turn in turns.flatten() {
        turn.by = turn.by.filter(|&task| task != gone);
        turn.by.iter_mut().for_each(moved);
    }
}

fn turn_of(graph: &mut Graph, turn: Turn) -> &mut TurnSpec {
    &mut graph.collectives[turn.collective].turns[turn.generation][turn.slot]
}

/// Changes what tasks wait for; in a call, only what there is.
fn change_sources(graph: &mut Graph, mut change: impl FnMut(&mut Source)) {
    for spec in &mut graph.tasks {
        let slots = spec.slots.iter_mut().map(|slot| &mut slot.source);
        slots.chain(&mut spec.waits).for_each(&mut change);
        spec.waits.retain(|wait| *wait != Source::Nothing);
    }
}

/// No task waits for these results.
fn forget(graph: &mut Graph, gone: impl Fn(&Turn) -> bool) {
    change_sources(graph, |source| match source {
        Source::Result(turn) if gone(turn) => *source = Source::Nothing,
        _ => {}
    });
}

/// Takes out the last generation of a collective event, with its result.
fn remove_generation(graph: &mut Graph, collective: Collective) {
    let spec = &mut graph.collectives[collective];
    spec.turns.pop();
    let (last, result) = (spec.turns.len(), spec.results.pop());
    forget(graph, |turn| (turn.collective, turn.generation) == (collective, last));
    if let Some(block) = result {
        take_out(graph, block);
    }
}

fn remove_collective(graph: &mut Graph, gone: Collective) {
    while !graph.collectives[gone].turns.is_empty() {
        remove_generation(graph, gone);
    }
    graph.collectives.remove(gone);
    let moved = |collective: &mut Collective| *collective -= (*collective > gone) as usize;
    change_sources(graph, |source| {
        if let Source::Result(turn) = source {
            moved(&mut turn.collective);
        }
    });
    for block in &mut graph.blocks {
        if let Origin::Reduced(collective, _) = &mut block.origin {
            moved(collective);
        }
    }
}

/// No task passes this content on.
fn remove_value(graph: &mut Graph, gone: Value) {
    let copy = graph.values.remove(gone).copy;
    change_sources(graph, |source| match source {
        Source::Value(value) if *value == gone => *source = Source::Nothing,
        Source::Value(value) => *value -= (*value > gone) as usize,
        _ => {}
    });
    for block in &mut graph.blocks {
        if let Origin::Value(value) = &mut block.origin {
            *value -= (*value > gone) as usize;
        }
    }
    take_out(graph, copy);
}

/// Takes out a block that is there before all tasks.
fn remove_block(graph: &mut Graph, gone: Block) -> bool {
    let given = graph.blocks[gone].origin.is_given();
    if given {
        take_out(graph, gone);
    }
    given
}

fn take_out(graph: &mut Graph, gone: Block) {
    graph.blocks.remove(gone);
    let moved = |block: &mut Block| *block -= (*block > gone) as usize;
    for spec in &mut graph.tasks {
        if let Outcome::Made(block) = &mut spec.outcome {
            moved(block);
        }
    }
    let collectives = graph.collectives.iter_mut();
    let results = collectives.flat_map(|spec| &mut spec.results);
    results.for_each(moved);
    let copies = graph.values.iter_mut().map(|spec| &mut spec.copy);
    copies.for_each(moved);
    change_sources(graph, |source| match source {
        Source::Block(block) if *block == gone => *source = Source::Nothing,
        Source::Block(block) => moved(block),
        _ => {}
    });
}
