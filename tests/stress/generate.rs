//! Random graphs. `proptest` makes, and shrinks, drafts: plain numbers without any relation. Every draft
//! is then turned into a graph that is a correct program: what a draft asks for and cannot be is left
//! out, such as a dependence that would close a cycle.

use crate::collective::{CollectiveSpec, Operator, Reduction, Turn, TurnSpec};
use crate::copy::CopySpec;
use crate::far::FarSpec;
use crate::faults::{Compared, Faults, Undone};
use crate::files::{ChunkSpec, FileMode, FileSpec};
use crate::graph::*;
use crate::maps::{CreatorSpec, MapsSpec};
use crate::oracle::{Moment, Order};
use crate::parts::{DivisionSpec, PartEnd, PartSpec};
use crate::settle::{KERNEL_SLOTS, brings, complete};
use crate::value::{ValueSpec, When};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// What kind of cases are made.
#[derive(Clone)]
pub(crate) struct Aim {
    pub(crate) workers: Vec<usize>,
    pub(crate) policies: Vec<String>,
    pub(crate) kernels: bool,
    /// Whether they go to several devices in turn.
    pub(crate) several: bool,
    /// Whether something goes wrong in each of them.
    pub(crate) faults: bool,
    /// The most tasks of a graph.
    pub(crate) tasks: usize,
}

#[derive(Clone, Debug)]
struct Draft {
    blocks: Vec<BlockDraft>,
    tasks: Vec<TaskDraft>,
    collectives: Vec<CollectiveDraft>,
    values: Vec<ValueDraft>,
    maps: MapsSpec,
    files: Vec<FileSpec>,
    labeled_template: bool,
}

#[derive(Clone, Debug)]
struct ValueDraft {
    by: usize,
    slot: usize,
    when: When,
    route: Option<Kind>,
    part: Option<FarSpec>,
    grouped: bool,
    destroyed: bool,
}

#[derive(Clone, Debug)]
struct CollectiveDraft {
    reduction: Reduction,
    words: u32,
    bounded: bool,
    raced: bool,
    mapped: bool,
    /// By generation and slot.
    turns: Vec<Vec<TurnDraft>>,
}

#[derive(Clone, Debug)]
struct TurnDraft {
    by: Option<usize>,
    kind: Kind,
    early: bool,
    direct: bool,
    mode: Mode,
}

#[derive(Clone, Debug)]
struct BlockDraft {
    words: u32,
    origin: Origin,
    chunk: Option<ChunkSpec>,
    labeled: bool,
    destroyed: bool,
}

#[derive(Clone, Debug)]
struct TaskDraft {
    /// How deep in the tree of creation, at most one deeper than the task before.
    depth: usize,
    finish: bool,
    variant: Variant,
    copies: u32,
    slots: Vec<SlotDraft>,
    outcome: OutcomeDraft,
    late: Kind,
    body: Kind,
    flags: [bool; 5],
    pauses: [u8; 3],
    doomed: Vec<DoomedDraft>,
    scratch: Vec<u32>,
    raced: bool,
    mapped: bool,
    rivals: u32,
    given: Option<Kind>,
    priority: Priority,
    waits: Vec<SourceDraft>,
    contests: Vec<Contest>,
    lookups: Vec<usize>,
    chunk: Option<ChunkSpec>,
    copy: Option<CopyDraft>,
    division: Option<DivisionSpec>,
}

/// Which blocks are copied, and what of them.
#[derive(Clone, Debug)]
struct CopyDraft {
    blocks: [usize; 2],
    spec: CopySpec,
}

#[derive(Clone, Debug)]
struct SlotDraft {
    source: SourceDraft,
    mode: Mode,
    flags: [bool; 3],
}

#[derive(Clone, Debug)]
enum SourceDraft {
    Nothing,
    Block(usize),
    Output(usize, Vec<Kind>),
    Late(usize),
    Body(usize),
    Join(Vec<usize>),
    Result(usize, usize, usize),
    Value(usize),
}

#[derive(Clone, Debug)]
enum OutcomeDraft {
    Nothing,
    Slot(usize),
    Made(u32),
    Event(usize),
}

#[derive(Clone, Debug)]
struct DoomedDraft {
    kind: Kind,
    late: Option<usize>,
    finish: bool,
    event: EventEnd,
}

/// Cases of an aim.
pub(crate) fn cases(aim: &Aim) -> impl Strategy<Value = Case> + use<> {
    let (kernels, several) = (aim.kernels, aim.several);
    let tasks = aim.tasks;
    let settings = (
        select(aim.workers.clone()),
        select(aim.policies.clone()),
        any::<bool>(),
        prop_oneof![2 => Just(None), 1 => (0u64..3).prop_map(Some)],
        rarely(),
    );
    let some = aim.faults;
    (settings, drafts(kernels, tasks), faults(several)).prop_map(move |(settings, mut draft, faults)| {
        let (workers, mut sched, copies, spare, legacy) = settings;
        let faults = faults.filter(|_| some);
        if let Some(faults) = &faults {
            fit(&mut draft, faults);
            if faults.undone().is_some_and(|undone| undone.duplicates) {
                sched = "eft".to_string();
            }
        }
        let graph = build(draft);
        let memory = spare.map(|spare| least_memory(&graph) * (2 + spare) / 2);
        Case {
            settings: Settings {
                workers,
                sched,
                devices: kernels,
                copies: kernels && copies,
                // An EDT that is to run on a lost device cannot run elsewhere.
                spread: several && !faults.as_ref().is_some_and(Faults::loses),
                // What a legacy program is given holds for all its runs.
                memory: memory.filter(|_| kernels && !legacy),
                legacy,
                faults,
            },
            graph,
        }
    })
}

fn faults(several: bool) -> impl Strategy<Value = Option<Faults>> {
    let crashes = prop::option::of(1u32..8);
    let (calls, ends) = (
        vec!["clEnqueueNDRangeKernel", "clEnqueueReadBuffer", "clEnqueueWriteBuffer"],
        vec!["now", "later:run", "later:complete", "skipped:failed", "skipped:ended"],
    );
    let inject =
        (select(calls), 1u32..6, prop::bool::weighted(0.3), select(ends)).prop_map(|(call, number, often, how)| {
            // With a failure in each of fewer, some kernels never end well.
            let number = if often { format!("{}/", number + 16) } else { number.to_string() };
            format!("{call}:{number}:{how}")
        });
    let lost = prop::option::weighted(0.4, select(vec!["failed", "never"]).prop_map(str::to_string));
    let slow = prop_oneof![2 => Just(0u32), 1 => 100u32..3000];
    let undone = (crashes, prop::option::weighted(0.8, inject), lost, 0i32..2, slow, any::<bool>()).prop_map(
        move |(crashes, inject, lost, device, slow, duplicates)| {
            // The other device goes on.
            let lost = lost.filter(|_| several && inject.is_some());
            let slow = if duplicates { slow.max(500) } else { slow };
            Faults::Undone(Undone { crashes, inject, lost, device: if several { device } else { 0 }, slow, duplicates })
        },
    );
    let compared = (2u32..4, 1u32..6, any::<bool>())
        .prop_map(|(runs, every, by_function)| Faults::Compared(Compared { runs, every, by_function }));
    prop_oneof![3 => undone, 2 => compared].prop_map(Some)
}

/// Leaves out what a program with these faults must not do.
fn fit(draft: &mut Draft, faults: &Faults) {
    let duplicates = faults.undone().is_some_and(|undone| undone.duplicates);
    let compared = matches!(faults, Faults::Compared(_));
    for block in &mut draft.blocks {
        block.destroyed &= !duplicates;
        if compared && block.origin == Origin::Bare(Variant::Kernel) {
            block.origin = Origin::Bare(Variant::Both);
        }
    }
    draft.values.iter_mut().for_each(|value| value.destroyed &= !duplicates);
    for task in &mut draft.tasks {
        if compared {
            // All that may be wrong is compared, and an EDT that waits would have its blocks for itself.
            task.waits.clear();
            task.variant = if task.variant == Variant::Kernel { Variant::Both } else { task.variant };
            let parts = task.division.iter_mut().flat_map(|division| &mut division.parts);
            let users = parts.flat_map(|part| &mut part.users);
            users.for_each(|user| user.1 = Variant::Function);
        }
        if duplicates && task.variant == Variant::Both {
            // What the test notes of these is not undone.
            task.contests.clear();
            task.lookups.clear();
            task.slots.iter_mut().for_each(|slot| slot.flags = [slot.flags[0], false, false]);
        }
    }
}

fn drafts(kernels: bool, tasks: usize) -> impl Strategy<Value = Draft> {
    let of_one = vec(task(kernels), 1..=tasks);
    let collectives = prop_oneof![
        2 => Just(Vec::new()),
        1 => vec(collective(), 1..4),
    ];
    let values = prop_oneof![
        1 => Just(Vec::new()),
        1 => vec(value(), 1..9),
    ];
    let parts = (vec(block(kernels), 0..6), of_one, collectives, values, maps(), vec(file(), 1..3), any::<bool>());
    parts.prop_map(|(blocks, tasks, collectives, values, maps, files, labeled_template)| Draft {
        blocks,
        tasks,
        collectives,
        values,
        maps,
        files,
        labeled_template,
    })
}

fn maps() -> impl Strategy<Value = MapsSpec> {
    let stride = prop_oneof![2 => Just(1u64), 1 => 2u64..1000];
    (1usize..4, stride, 0usize..3, vec(creator(), 0..4)).prop_map(|(maps, stride, edts, creators)| MapsSpec {
        maps,
        stride,
        edts,
        creators,
    })
}

fn creator() -> impl Strategy<Value = CreatorSpec> {
    let asked = || prop::option::weighted(0.5, 0usize..64);
    let refusals = prop_oneof![4 => Just(0u32), 1 => 1u32..4];
    let pause = || prop_oneof![1 => Just(0u8), 1 => any::<u8>()];
    let pauses = [pause(), pause(), pause()];
    (refusals, asked(), asked(), pauses).prop_map(|(refusals, before, after, pauses)| CreatorSpec {
        refusals,
        before,
        after,
        pauses,
    })
}

fn file() -> impl Strategy<Value = FileSpec> {
    let mode = prop_oneof![
        1 => Just(FileMode::Read),
        3 => Just(FileMode::Update),
        1 => Just(FileMode::New),
    ];
    let length = prop_oneof![1 => 0u32..100, 1 => 0u32..10_000];
    (mode, length).prop_map(|(mode, length)| FileSpec { mode, length })
}

fn chunk() -> impl Strategy<Value = ChunkSpec> {
    let gap = prop_oneof![2 => Just(0u32), 1 => 0u32..10, 1 => 0u32..10_000];
    let again = prop::option::weighted(0.7, 0usize..64);
    (0usize..64, gap, again).prop_map(|(file, gap, again)| ChunkSpec { file, gap, again, base: None })
}

fn value() -> impl Strategy<Value = ValueDraft> {
    let from = (0usize..64, 0usize..64);
    let when = select(vec![When::Before, When::After, When::Last]);
    let route = prop_oneof![1 => Just(None), 2 => kind().prop_map(Some)];
    let part = prop::option::weighted(0.6, far());
    (from, when, route, part, rarely(), any::<bool>()).prop_map(
        |((by, slot), when, route, part, grouped, destroyed)| ValueDraft {
            by,
            slot,
            when,
            route,
            part,
            grouped,
            destroyed,
        },
    )
}

fn far() -> impl Strategy<Value = FarSpec> {
    let gap = prop_oneof![2 => Just(0u32), 1 => 1u32..40];
    let words = prop_oneof![2 => 1u32..8, 1 => words(), 1 => Just(u32::MAX)];
    let flags = (any::<bool>(), prop::bool::weighted(0.7));
    (gap, words, flags).prop_map(|(gap, words, (fixed, alone))| FarSpec { gap, words, fixed, alone })
}

fn collective() -> impl Strategy<Value = CollectiveDraft> {
    let turns = (1usize..5, 2usize..6).prop_flat_map(|(generations, slots)| vec(vec(turn(), slots), generations));
    let flags = any::<[bool; 3]>();
    let parts = (reduction(), words(), flags, turns);
    parts.prop_map(|(reduction, words, [bounded, raced, mapped], turns)| CollectiveDraft {
        reduction,
        words: words.next_multiple_of(2),
        bounded,
        raced,
        mapped,
        turns,
    })
}

fn reduction() -> impl Strategy<Value = Reduction> {
    let integers = (select(vec![1, 2, 4, 8]), any::<bool>(), select(&Operator::ALL[..]));
    let reals = (select(vec![4, 8]), select(&Operator::ALL[..4]));
    prop_oneof![
        integers.prop_map(|(bytes, signed, operator)| Reduction { bytes, signed, real: false, operator }),
        reals.prop_map(|(bytes, operator)| Reduction { bytes, signed: true, real: true, operator }),
    ]
}

fn turn() -> impl Strategy<Value = TurnDraft> {
    let by = prop::option::weighted(0.9, 0usize..64);
    let flags = (any::<bool>(), any::<bool>());
    (by, serves_late(), flags, mode()).prop_map(|(by, kind, (early, direct), mode)| TurnDraft {
        by,
        kind,
        early,
        direct,
        mode,
    })
}

fn mode() -> impl Strategy<Value = Mode> {
    select(vec![Mode::Null, Mode::Const, Mode::Ew, Mode::Rw, Mode::Ro])
}

fn words() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 1u32..20, 2 => 20u32..300, 1 => 300u32..4096]
}

fn block(kernels: bool) -> impl Strategy<Value = BlockDraft> {
    let origin = prop_oneof![
        3 => Just(Origin::Main),
        2 => Just(Origin::Keyed),
        2 => variant(kernels).prop_map(Origin::Bare),
        1 => Just(Origin::Bare(Variant::Copy)),
    ];
    let chunk = prop::option::weighted(0.3, chunk());
    let parts = (words(), origin, chunk, rarely(), any::<bool>());
    parts.prop_map(|(words, origin, chunk, labeled, destroyed)| BlockDraft { words, origin, chunk, labeled, destroyed })
}

fn variant(kernels: bool) -> impl Strategy<Value = Variant> {
    select(if kernels { vec![Variant::Function, Variant::Both, Variant::Kernel] } else { vec![Variant::Function] })
}

fn rarely() -> impl Strategy<Value = bool> {
    prop::bool::weighted(0.2)
}

fn serves_late() -> impl Strategy<Value = Kind> {
    select(vec![Kind::Sticky, Kind::Idempotent, Kind::Counted, Kind::Channel])
}

fn kind() -> impl Strategy<Value = Kind> {
    select(vec![Kind::Once, Kind::Sticky, Kind::Idempotent, Kind::Latch, Kind::Counted, Kind::Channel])
}

fn task(kernels: bool) -> impl Strategy<Value = TaskDraft> {
    let slots = prop_oneof![
        12 => vec(slot(), 0..5),
        1 => vec(slot(), 5..24),
    ];
    let depth = prop_oneof![3 => 0usize..2, 2 => 0usize..5];
    // More than any batch of the runtime.
    let copies = prop_oneof![12 => Just(1u32), 1 => 2u32..300];
    let finish = prop::bool::weighted(0.3);
    let place = (depth, finish, variant(kernels), copies, slots);
    let ends = (outcome(), serves_late(), kind());
    let flags = (rarely(), any::<bool>(), rarely(), any::<bool>(), any::<bool>());
    let extras =
        ([pause(), pause(), pause()], vec(doomed(), 0..2), prop_oneof![4 => Just(Vec::new()), 1 => vec(words(), 1..4)]);
    let shared = (
        any::<[bool; 2]>(),
        prop_oneof![5 => Just(0u32), 1 => 1u32..4],
        prop_oneof![4 => Just(None), 1 => kind().prop_map(Some)],
        priority(),
        prop_oneof![9 => Just(Vec::new()), 1 => vec(event_source(), 1..3)],
        prop_oneof![9 => Just(Vec::new()), 1 => vec(contest(), 1..4)],
        prop::option::weighted(0.15, copy()),
        prop::option::weighted(0.1, division(kernels)),
        prop_oneof![3 => Just(Vec::new()), 1 => vec(0usize..64, 1..4)],
        prop::option::weighted(0.5, chunk()),
    );
    (place, ends, flags, extras, shared).prop_map(|(place, ends, flags, extras, shared)| TaskDraft {
        depth: place.0,
        finish: place.1,
        variant: place.2,
        copies: place.3,
        slots: place.4,
        outcome: ends.0,
        late: ends.1,
        body: ends.2,
        flags: flags.into(),
        pauses: extras.0,
        doomed: extras.1,
        scratch: extras.2,
        raced: shared.0[0],
        mapped: shared.0[1],
        rivals: shared.1,
        given: shared.2,
        priority: shared.3,
        waits: shared.4,
        contests: shared.5,
        copy: shared.6,
        division: shared.7,
        lookups: shared.8,
        chunk: shared.9,
    })
}

fn copy() -> impl Strategy<Value = CopyDraft> {
    let size = prop_oneof![1 => 0u32..4, 2 => 4u32..80, 1 => Just(u32::MAX)];
    let places = (0u32..20_000, 0u32..20_000);
    let flags = prop::array::uniform2(prop::bool::weighted(0.8));
    let blocks = prop::array::uniform2(0usize..64);
    (blocks, flags, size, places).prop_map(|(blocks, [reads, writes], size, (from, to))| CopyDraft {
        blocks,
        spec: CopySpec { reads, writes, size, from, to },
    })
}

fn division(kernels: bool) -> impl Strategy<Value = DivisionSpec> {
    let flags = (any::<bool>(), any::<bool>());
    (0usize..64, flags, vec(part(kernels), 1..6)).prop_map(|(slot, (early, fixed), parts)| DivisionSpec {
        slot,
        early,
        fixed,
        parts,
    })
}

fn part(kernels: bool) -> impl Strategy<Value = PartSpec> {
    let mode = || select(vec![Mode::Const, Mode::Ew, Mode::Rw, Mode::Ro]);
    let variant = select(if kernels { vec![Variant::Function, Variant::Kernel] } else { vec![Variant::Function] });
    let end = prop_oneof![
        1 => Just(PartEnd::Without),
        1 => mode().prop_map(PartEnd::With),
        1 => Just(PartEnd::User),
    ];
    let gap = prop_oneof![2 => Just(0u32), 1 => 1u32..40];
    let users = vec((mode(), variant), 0..4);
    let place = (gap, prop_oneof![3 => 1u32..8, 1 => words()]);
    (place, users, end, any::<bool>(), pause()).prop_map(|((gap, words), users, end, nested, pause)| PartSpec {
        gap,
        words,
        users,
        end,
        nested,
        pause,
    })
}

fn priority() -> impl Strategy<Value = Priority> {
    let value = prop_oneof![4 => Just(0), 4 => 1u64..4, 1 => any::<u64>()];
    let by = select(vec![HintBy::Creation, HintBy::Template, HintBy::Set]);
    (value, by).prop_map(|(value, by)| Priority { value, by })
}

fn contest() -> impl Strategy<Value = Contest> {
    let what = select(&Contested::ALL[..]);
    (what, any::<bool>()).prop_map(|(what, wait)| Contest { what, wait })
}

fn pause() -> impl Strategy<Value = u8> {
    prop_oneof![6 => Just(0u8), 1 => any::<u8>()]
}

fn slot() -> impl Strategy<Value = SlotDraft> {
    let index = || 0usize..64;
    let source = prop_oneof![
        1 => Just(SourceDraft::Nothing),
        6 => index().prop_map(SourceDraft::Block),
        4 => (index(), vec(kind(), 0..4)).prop_map(|(task, chain)| SourceDraft::Output(task, chain)),
        7 => event_source(),
        4 => index().prop_map(SourceDraft::Value),
        1 => vec(index(), 1..6).prop_map(SourceDraft::Join),
    ];
    (source, mode(), [rarely(), rarely(), rarely()]).prop_map(|(source, mode, flags)| SlotDraft { source, mode, flags })
}

/// One that can also be waited for in a call.
fn event_source() -> impl Strategy<Value = SourceDraft> {
    let index = || 0usize..64;
    prop_oneof![
        3 => index().prop_map(SourceDraft::Late),
        2 => index().prop_map(SourceDraft::Body),
        2 => (index(), index(), index()).prop_map(|(collective, generation, slot)| {
            SourceDraft::Result(collective, generation, slot)
        }),
        1 => index().prop_map(SourceDraft::Value),
    ]
}

fn outcome() -> impl Strategy<Value = OutcomeDraft> {
    let index = || 0usize..64;
    prop_oneof![
        2 => Just(OutcomeDraft::Nothing),
        3 => index().prop_map(OutcomeDraft::Slot),
        2 => words().prop_map(OutcomeDraft::Made),
        1 => index().prop_map(OutcomeDraft::Event),
    ]
}

fn doomed() -> impl Strategy<Value = DoomedDraft> {
    let event = select(vec![
        EventEnd::DestroyedBefore,
        EventEnd::DestroyedAfter,
        EventEnd::SatisfiedBefore,
        EventEnd::SatisfiedAfter,
    ]);
    let late = prop::option::of(0usize..64);
    (kind(), late, any::<bool>(), event).prop_map(|(kind, late, finish, event)| DoomedDraft {
        kind,
        late,
        finish,
        event,
    })
}

/// Device memory that is enough for each single launch.
fn least_memory(graph: &Graph) -> u64 {
    let bytes = |block: Block| 4 * u64::from(graph.size(block));
    let of_task = |spec: &TaskSpec| -> u64 { spec.slots.iter().filter_map(Slot::used).map(bytes).sum() };
    let tasks = graph.tasks.iter().map(of_task).max().unwrap_or(0);
    let fills = (0..graph.blocks.len()).map(bytes).max().unwrap_or(0);
    // The journal, and what the device rounds up.
    tasks.max(fills) + 64
}

/// Makes a graph of a draft.
fn build(draft: Draft) -> Graph {
    let mut graph = skeleton(&draft);
    add_dependences(&mut graph, &draft);
    let wanted = |block: Block| match graph.blocks[block].origin {
        Origin::Value(value) => draft.values[value].destroyed,
        _ => draft.blocks.get(block).is_none_or(|draft| draft.destroyed),
    };
    let wanted: Vec<bool> = (0..graph.blocks.len()).map(wanted).collect();
    complete(&mut graph, &wanted);
    graph
}

/// Blocks, and tasks with what depends on nothing else.
fn skeleton(draft: &Draft) -> Graph {
    let files = draft.files.clone();
    let chunk = |chunk: &Option<ChunkSpec>| {
        let mut chunk = chunk.clone()?;
        chunk.file %= files.len();
        Some(chunk)
    };
    let mut blocks: Vec<BlockSpec> = draft
        .blocks
        .iter()
        .map(|block| BlockSpec {
            words: block.words,
            margin: 0,
            origin: block.origin,
            chunk: chunk(&block.chunk),
            labeled: block.labeled && block.origin == Origin::Main,
            destroyed_by: None,
        })
        .collect();
    let mut tasks: Vec<TaskSpec> = Vec::new();
    // The last task and its ancestors, from the outermost.
    let mut path: Vec<Task> = Vec::new();
    for (task, draft) in draft.tasks.iter().enumerate() {
        path.truncate(draft.depth);
        if let Some(&last) = path.last()
            && tasks[last].variant != Variant::Function
        {
            path.pop();
        }
        if let Some(copy) = &draft.copy {
            tasks.push(TaskSpec {
                copy: Some(copy.spec.clone()),
                outcome: Outcome::Slot(1),
                ..new_task(path.last().copied(), Variant::Copy)
            });
            path.push(task);
            continue;
        }
        let function = draft.variant == Variant::Function;
        let [anonymous, own_template, gated, reversed, gates_reversed] = draft.flags;
        let outcome = match draft.outcome {
            OutcomeDraft::Made(words) if function => {
                blocks.push(BlockSpec {
                    words,
                    margin: 0,
                    origin: Origin::Made(task),
                    chunk: chunk(&draft.chunk),
                    labeled: draft.raced,
                    destroyed_by: None,
                });
                Outcome::Made(blocks.len() - 1)
            }
            OutcomeDraft::Slot(slot) if !draft.slots.is_empty() && draft.variant != Variant::Kernel => {
                let most = if function { usize::MAX } else { KERNEL_SLOTS };
                Outcome::Slot(slot % draft.slots.len().min(most))
            }
            _ => Outcome::Nothing,
        };
        tasks.push(TaskSpec {
            // That of a part of the block counts, too.
            finish: draft.finish || draft.division.is_some(),
            copies: draft.copies,
            outcome,
            gated,
            anonymous,
            own_template,
            reversed,
            gates_reversed,
            pauses: draft.pauses,
            scratch: if function { draft.scratch.clone() } else { Vec::new() },
            raced: draft.raced,
            mapped: draft.mapped,
            rivals: draft.rivals,
            given: draft.given,
            priority: draft.priority,
            contests: draft.contests.clone(),
            lookups: draft.lookups.clone(),
            division: draft.division.clone().filter(|_| !draft.slots.is_empty()),
            ..new_task(path.last().copied(), draft.variant)
        });
        path.push(task);
    }
    Graph {
        blocks,
        tasks,
        collectives: Vec::new(),
        values: Vec::new(),
        maps: draft.maps.clone(),
        files,
        labeled_template: draft.labeled_template,
    }
}

/// A task that does nothing.
fn new_task(parent: Option<Task>, variant: Variant) -> TaskSpec {
    TaskSpec {
        parent,
        finish: false,
        variant,
        copy: None,
        division: None,
        copies: 1,
        slots: Vec::new(),
        outcome: Outcome::Nothing,
        late: None,
        body: None,
        gated: false,
        anonymous: false,
        own_template: false,
        reversed: false,
        gates_reversed: false,
        pauses: [0; 3],
        doomed: Vec::new(),
        scratch: Vec::new(),
        raced: false,
        mapped: false,
        rivals: 0,
        given: None,
        priority: Priority { value: 0, by: HintBy::Creation },
        waits: Vec::new(),
        contests: Vec::new(),
        lookups: Vec::new(),
    }
}

/// Copies, of blocks that are there before all tasks, or that the creator has.
fn add_copies(graph: &mut Graph, draft: &Draft) {
    for (task, draft) in draft.tasks.iter().enumerate() {
        let Some(copy) = &draft.copy else { continue };
        let given = |&block: &Block| graph.blocks[block].origin.is_given();
        let mut known: Vec<Block> = (0..graph.blocks.len()).filter(given).collect();
        if let Some(creator) = graph.tasks[task].parent {
            let held = |slot: &Slot| brings(graph, &slot.source).filter(|b| !known.contains(b));
            let slots = graph.tasks[creator].slots.iter();
            known.extend(slots.filter_map(held).collect::<Vec<_>>());
        }
        for (at, mode) in copy.blocks.into_iter().zip([Mode::Const, Mode::Ew]) {
            if !known.is_empty() {
                let block = known.remove(at % known.len());
                let slot = new_slot(Source::Block(block), mode, [false; 3]);
                graph.tasks[task].slots.push(slot);
            }
        }
    }
}

/// Collective events. A task that goes on where another has contributed comes after it, or gets a
/// pre-slot for what the other has contributed to; those pre-slots are the answer.
fn add_collectives(graph: &mut Graph, order: &mut Order, draft: &Draft) -> Vec<(Task, Slot)> {
    let count = graph.tasks.len();
    let mut slots = Vec::new();
    for (collective, draft) in draft.collectives.iter().enumerate() {
        let mut spec = CollectiveSpec {
            reduction: draft.reduction,
            bound: draft.bounded.then_some(1),
            raced: draft.raced,
            mapped: draft.mapped,
            turns: Vec::new(),
            results: Vec::new(),
        };
        for (generation, drafts) in draft.turns.iter().enumerate() {
            let before: Vec<Option<Task>> = match spec.turns.last() {
                Some(turns) => turns.iter().map(|turn| turn.by).collect(),
                None => vec![None; drafts.len()],
            };
            let moments: Vec<Moment> = before.iter().flatten().copied().map(Moment::End).collect();
            let mut turns = Vec::new();
            for (slot, draft) in drafts.iter().enumerate() {
                let wanted = draft.by.map(|task| task % count);
                let wanted = wanted.filter(|&task| graph.tasks[task].variant == Variant::Function);
                let by = match (before[slot], wanted) {
                    (None, wanted) => wanted,
                    (Some(last), Some(task)) if order.ends_before(last, task) => Some(task),
                    (Some(last), Some(task)) if task != last && order.require_all(&moments, Moment::Start(task)) => {
                        let turn = Turn { collective, generation: generation - 1, slot };
                        slots.push((task, new_slot(Source::Result(turn), draft.mode, [false; 3])));
                        Some(task)
                    }
                    (last, _) => last,
                };
                turns.push(TurnSpec { by, kind: draft.kind, early: draft.early, direct: draft.direct });
            }
            spec.turns.push(turns);
            spec.results.push(graph.blocks.len());
            graph.blocks.push(BlockSpec {
                words: draft.words,
                margin: 0,
                origin: Origin::Reduced(collective, generation),
                chunk: None,
                labeled: false,
                destroyed_by: None,
            });
        }
        graph.collectives.push(spec);
    }
    slots
}

/// What is passed by value, by functions that have pre-slots.
fn add_values(graph: &mut Graph, draft: &Draft) {
    let givers: Vec<Task> = (0..graph.tasks.len())
        .filter(|&task| graph.tasks[task].variant == Variant::Function)
        .filter(|&task| !draft.tasks[task].slots.is_empty())
        .collect();
    if givers.is_empty() {
        return;
    }
    for (value, draft_value) in draft.values.iter().enumerate() {
        let by = givers[draft_value.by % givers.len()];
        graph.values.push(ValueSpec {
            by,
            slot: draft_value.slot % draft.tasks[by].slots.len(),
            when: draft_value.when,
            route: draft_value.route,
            part: draft_value.part.clone(),
            grouped: draft_value.grouped,
            copy: graph.blocks.len(),
        });
        graph.blocks.push(BlockSpec {
            // As many as the block has that is passed on.
            words: 1,
            margin: 0,
            origin: Origin::Value(value),
            chunk: None,
            labeled: false,
            destroyed_by: None,
        });
    }
}

fn new_slot(source: Source, mode: Mode, flags: [bool; 3]) -> Slot {
    let [in_depv, release, destroys_event] = flags;
    Slot { source, block: None, mode: if in_depv { Mode::Rw } else { mode }, in_depv, release, destroys_event }
}

/// Returned events and pre-slots, as long as nothing has to wait for itself.
fn add_dependences(graph: &mut Graph, draft: &Draft) {
    let count = graph.tasks.len();
    let mut order = Order::of_creation(graph);
    for (task, draft) in draft.tasks.iter().enumerate() {
        if let OutcomeDraft::Event(event) = draft.outcome
            && graph.tasks[task].variant == Variant::Function
            && event % count != task
            && order.require(Moment::Complete(event % count), Moment::Complete(task))
        {
            graph.tasks[task].outcome = Outcome::Event(event % count);
        }
    }
    let more = add_collectives(graph, &mut order, draft);
    add_values(graph, draft);
    for (task, draft) in draft.tasks.iter().enumerate() {
        let most = match graph.tasks[task].variant {
            Variant::Function => usize::MAX,
            Variant::Copy => 0,
            _ => KERNEL_SLOTS,
        };
        for draft in draft.slots.iter().take(most) {
            let start = Moment::Start(task);
            let source = source(graph, &mut order, task, start, &draft.source);
            let slot = new_slot(source, draft.mode, draft.flags);
            graph.tasks[task].slots.push(slot);
        }
    }
    for (task, slot) in more {
        graph.tasks[task].slots.push(slot);
    }
    // What has been passed on is passed on once more.
    for value in 0..graph.values.len() {
        let (by, part) = (graph.values[value].by, &graph.values[value].part);
        let mut slots = graph.tasks[by].slots.iter();
        let passed = slots.position(|slot| matches!(slot.source, Source::Value(_)));
        if let Some(slot) = passed.filter(|_| part.is_some() && value % 2 == 0) {
            graph.values[value].slot = slot;
        }
    }
    add_copies(graph, draft);
    for spec in &mut graph.tasks {
        let slots = spec.slots.len();
        if let Some(division) = &mut spec.division {
            division.slot %= slots;
        }
    }
    for (task, draft) in draft.tasks.iter().enumerate() {
        if graph.tasks[task].variant != Variant::Function || graph.turns_of(task).count() > 1 {
            continue;
        }
        for draft in &draft.waits {
            let source = source(graph, &mut order, task, Moment::End(task), draft);
            if source != Source::Nothing {
                graph.tasks[task].waits.push(source);
            }
        }
    }
    for (task, draft) in draft.tasks.iter().enumerate() {
        let returned = |spec: &TaskSpec| spec.outcome == Outcome::Event(task);
        let late = graph.is_source(&Source::Late(task)) || graph.tasks.iter().any(returned);
        let body = graph.is_source(&Source::Body(task));
        graph.tasks[task].late = late.then_some(draft.late);
        graph.tasks[task].body = body.then_some(draft.body);
    }
    for (task, draft) in draft.tasks.iter().enumerate() {
        if graph.tasks[task].variant != Variant::Function {
            continue;
        }
        for draft in &draft.doomed {
            let late = draft.late.map(|late| late % count);
            let late = late.filter(|&late| graph.tasks[late].late.is_some());
            graph.tasks[task].doomed.push(Doomed { kind: draft.kind, late, finish: draft.finish, event: draft.event });
        }
    }
}

/// A source for something that a task does at a moment, as long as that has not to wait for itself.
fn source(graph: &Graph, order: &mut Order, task: Task, start: Moment, draft: &SourceDraft) -> Source {
    let count = graph.tasks.len();
    let given = graph.blocks.iter().filter(|spec| spec.origin.is_given());
    let given = given.count();
    match draft {
        SourceDraft::Nothing => Source::Nothing,
        SourceDraft::Block(_) if given == 0 => Source::Nothing,
        SourceDraft::Block(block) => Source::Block(block % given),
        SourceDraft::Output(which, chain) => {
            let parent = graph.tasks[task].parent;
            let siblings: Vec<Task> = graph.children(parent).filter(|&t| t < task).rev().collect();
            match siblings.get(which % siblings.len().max(1)) {
                Some(&from) if order.require(Moment::Complete(from), start) => Source::Output(from, chain.clone()),
                _ => Source::Nothing,
            }
        }
        SourceDraft::Late(from) => {
            // Any task, or else an earlier one.
            let from = [from % count, from % task.max(1)];
            let from = from.into_iter().find(|&from| from != task && order.require(Moment::Complete(from), start));
            from.map_or(Source::Nothing, Source::Late)
        }
        SourceDraft::Body(from) => {
            let from = [from % count, from % task.max(1)];
            let from = from.into_iter().find(|&from| {
                from != task
                    && graph.tasks[from].variant == Variant::Function
                    && order.require(Moment::End(from), start)
            });
            from.map_or(Source::Nothing, Source::Body)
        }
        SourceDraft::Join(tasks) => {
            let tasks: Vec<Task> = tasks
                .iter()
                .map(|from| from % count)
                .filter(|&from| from != task && order.require(Moment::Complete(from), start))
                .collect();
            if tasks.is_empty() { Source::Nothing } else { Source::Join(tasks) }
        }
        SourceDraft::Value(which) => {
            let Some(value) = which.checked_rem(graph.values.len()) else {
                return Source::Nothing;
            };
            let by = graph.values[value].by;
            if by != task && order.require(Moment::Start(by), start) { Source::Value(value) } else { Source::Nothing }
        }
        SourceDraft::Result(collective, generation, slot) => {
            let Some(at) = collective.checked_rem(graph.collectives.len()) else {
                return Source::Nothing;
            };
            let spec = &graph.collectives[at];
            let any = Turn { collective: at, generation: generation % spec.turns.len(), slot: slot % spec.slots() };
            // What the creator contributes to, or anything.
            let creator = graph.tasks[task].parent;
            let its: Vec<Turn> = creator.map_or(Vec::new(), |task| graph.turns_of(task).collect());
            let its = slot.checked_rem(its.len()).map(|at| its[at]);
            let turn = its.filter(|_| generation % 3 != 0).unwrap_or(any);
            let source = Source::Result(turn);
            if order.require_all(&Order::awaited(graph, &source), start) { source } else { Source::Nothing }
        }
    }
}
