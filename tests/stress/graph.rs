//! What a random OCR program does: plain data, made by `generate.rs`, run by `run.rs` and computed by
//! `oracle.rs`.

use crate::collective::{Collective, CollectiveSpec, Turn, TurnSpec};
use crate::copy::CopySpec;
use crate::faults::Faults;
use crate::files::{ChunkSpec, FileSpec};
use crate::maps::MapsSpec;
use crate::parts::DivisionSpec;
use crate::value::{Value, ValueSpec};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Position in [`Graph::tasks`].
pub(crate) type Task = usize;
/// Position in [`Graph::blocks`].
pub(crate) type Block = usize;

/// A graph and how the runtime is set up for it.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Case {
    pub(crate) settings: Settings,
    pub(crate) graph: Graph,
}

/// Settings of the runtime.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Settings {
    pub(crate) workers: usize,
    /// `OCR_SCHED`.
    pub(crate) sched: String,
    /// Whether devices are used (`OCR_DEVICES=all`, otherwise `none`).
    pub(crate) devices: bool,
    /// `OCR_DEVICE_FORCE_COPIES`.
    pub(crate) copies: bool,
    /// Whether kernels without a function go to the devices in turn, by affinities.
    #[serde(default)]
    pub(crate) spread: bool,
    /// `OCR_DEVICE_MEMORY`, in bytes.
    pub(crate) memory: Option<u64>,
    /// Whether the program has its own `main`: this thread does what the first EDT does otherwise, and
    /// waits for the tasks in a call.
    pub(crate) legacy: bool,
    /// What goes wrong.
    #[serde(default)]
    pub(crate) faults: Option<Faults>,
}

/// A program: its first EDT makes the blocks, then a finish EDT makes the tasks without parent. When
/// that has ended, blocks are compared with what the oracle says.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Graph {
    pub(crate) blocks: Vec<BlockSpec>,
    pub(crate) tasks: Vec<TaskSpec>,
    pub(crate) collectives: Vec<CollectiveSpec>,
    /// What is passed by value.
    #[serde(default)]
    pub(crate) values: Vec<ValueSpec>,
    #[serde(default)]
    pub(crate) maps: MapsSpec,
    #[serde(default)]
    pub(crate) files: Vec<FileSpec>,
    /// Whether the template of functions has a label, and all who need it create it.
    pub(crate) labeled_template: bool,
}

/// A data block of 32-bit words.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct BlockSpec {
    pub(crate) words: u32,
    /// How many more there are behind these, for copies.
    #[serde(default)]
    pub(crate) margin: u32,
    pub(crate) origin: Origin,
    /// What it is a part of, if that is a file.
    #[serde(default)]
    pub(crate) chunk: Option<ChunkSpec>,
    /// Whether it is created on a label.
    pub(crate) labeled: bool,
    /// The task that destroys it; otherwise the end of the program does.
    pub(crate) destroyed_by: Option<Task>,
}

/// Who gives a block its first content.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Origin {
    /// The first EDT, which acquires it at creation.
    Main,
    /// The creator of a map, for the first who asks for it.
    Keyed,
    /// It is created with `DB_PROP_NO_ACQUIRE` and filled by an EDT of this variant.
    Bare(Variant),
    /// This task creates it and passes it to its output event.
    Made(Task),
    /// It is the result of this generation of a collective event.
    Reduced(Collective, usize),
    /// It is a content that was passed by value.
    Value(Value),
}

impl Origin {
    /// Whether the block is there before all tasks.
    pub(crate) fn is_given(self) -> bool {
        matches!(self, Origin::Main | Origin::Keyed | Origin::Bare(_))
    }
}

/// What can run an EDT.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Variant {
    Function,
    Kernel,
    Both,
    /// None of the program's: it is an EDT that the runtime makes for a copy.
    Copy,
}

impl Variant {
    pub(crate) fn has_kernel(self) -> bool {
        matches!(self, Variant::Kernel | Variant::Both)
    }
}

/// An EDT.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct TaskSpec {
    /// The task that creates it, an earlier one.
    pub(crate) parent: Option<Task>,
    pub(crate) finish: bool,
    pub(crate) variant: Variant,
    /// What it copies, from its first block to its second.
    #[serde(default)]
    pub(crate) copy: Option<CopySpec>,
    /// What it divides.
    #[serde(default)]
    pub(crate) division: Option<DivisionSpec>,
    /// How many EDTs do the same side by side. More than one only of a function without children that
    /// nothing waits for but a finish scope.
    pub(crate) copies: u32,
    pub(crate) slots: Vec<Slot>,
    pub(crate) outcome: Outcome,
    /// The kind of the event that exists from the start and gets what the output event gets.
    pub(crate) late: Option<Kind>,
    /// The kind of the event that exists from the start and that the body satisfies at its end.
    pub(crate) body: Option<Kind>,
    /// Whether it is kept from running until its creator has created all its other children.
    pub(crate) gated: bool,
    /// Whether it is created without asking for its GUID.
    pub(crate) anonymous: bool,
    /// Whether its template is made for it and destroyed after its creation.
    pub(crate) own_template: bool,
    /// Whether the dependences that are not given at creation are added from the last to the first.
    pub(crate) reversed: bool,
    /// Whether it opens the gates of its children from the last to the first.
    pub(crate) gates_reversed: bool,
    /// How long its body pauses: at its begin, with its blocks at hand, and at its end.
    pub(crate) pauses: [u8; 3],
    /// EDTs that it creates and destroys, and that never run.
    pub(crate) doomed: Vec<Doomed>,
    /// Blocks that it creates and destroys, in words.
    pub(crate) scratch: Vec<u32>,
    /// Whether its late event, the one that its body satisfies, and the latches of its pre-slots have
    /// labels and are created by whoever comes first.
    pub(crate) raced: bool,
    /// Whether they and the EDT that rivals create stand in maps, and have no labels.
    #[serde(default)]
    pub(crate) mapped: bool,
    /// How many other EDTs try to create it, too.
    pub(crate) rivals: u32,
    /// The kind of the event that its creator gives it as output event.
    pub(crate) given: Option<Kind>,
    pub(crate) priority: Priority,
    /// Events that its body waits for in a call.
    pub(crate) waits: Vec<Source>,
    /// What it creates on labels that others want as well.
    pub(crate) contests: Vec<Contest>,
    /// Keys of maps that its body asks for.
    #[serde(default)]
    pub(crate) lookups: Vec<usize>,
}

/// How urgent an EDT is; 0 is like nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Priority {
    pub(crate) value: u64,
    pub(crate) by: HintBy,
}

/// Where an EDT has its hint from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum HintBy {
    Creation,
    Template,
    /// It is set once the EDT is there.
    Set,
}

/// Something that is created on a label, used by no other task, and gone again at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Contest {
    pub(crate) what: Contested,
    /// Whether the creator waits until the label is free; otherwise it may go without.
    pub(crate) wait: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub(crate) enum Contested {
    Block,
    /// It is destroyed.
    Sticky,
    /// It is satisfied.
    Once,
    /// An EDT that runs.
    Edt,
    /// An EDT that is destroyed.
    Doomed,
    Template,
}

impl Contested {
    pub(crate) const ALL: [Contested; 6] =
        [Contested::Block, Contested::Sticky, Contested::Once, Contested::Edt, Contested::Doomed, Contested::Template];
}

/// A pre-slot.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Slot {
    pub(crate) source: Source,
    /// The block that arrives; follows from the source.
    pub(crate) block: Option<Block>,
    pub(crate) mode: Mode,
    /// Whether the source is given when the EDT is created.
    pub(crate) in_depv: bool,
    /// Whether the body releases the block before it ends.
    pub(crate) release: bool,
    /// Whether the body destroys the event that it got this from.
    pub(crate) destroys_event: bool,
}

impl Slot {
    /// The block that the EDT can use.
    pub(crate) fn used(&self) -> Option<Block> {
        self.block.filter(|_| self.mode != Mode::Null)
    }
}

impl TaskSpec {
    /// Whether it changes words of a block, and not only its margin.
    pub(crate) fn writes(&self, block: Block) -> bool {
        let writes = |slot: &Slot| slot.used() == Some(block) && slot.mode.writes();
        self.copy.as_ref().is_none_or(|copy| copy.writes) && self.slots.iter().any(writes)
    }
}

/// Where a pre-slot gets its satisfaction from.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Source {
    /// `NULL_GUID`.
    Nothing,
    Block(Block),
    /// The output event of an earlier child of the same creator, through events of these kinds.
    Output(Task, Vec<Kind>),
    /// The late event of a task.
    Late(Task),
    /// The event that a task's body satisfies.
    Body(Task),
    /// A latch that counts the output events of tasks down.
    Join(Vec<Task>),
    /// The result of a generation of a collective event, by the dependence of a contributor.
    Result(Turn),
    /// A content that is passed by value.
    Value(Value),
}

impl Source {
    /// The event that others know as well.
    pub(crate) fn event(&self) -> Option<Event> {
        match *self {
            Source::Late(task) => Some(Event::Late(task)),
            Source::Body(task) => Some(Event::Body(task)),
            Source::Result(turn) => Some(Event::Tap(turn)),
            Source::Value(value) => Some(Event::Value(value)),
            _ => None,
        }
    }
}

/// An event that more than one EDT knows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Event {
    /// Gets what the output event of a task gets.
    Late(Task),
    /// Satisfied by the body of a task.
    Body(Task),
    /// The latch of a pre-slot.
    Join(Task, usize),
    /// Given to a task as its output event.
    Given(Task),
    /// Depends on a collective event.
    Tap(Turn),
    /// Satisfied with a content.
    Value(Value),
}

/// What an EDT returns.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Outcome {
    Nothing,
    /// The block of one of its pre-slots.
    Slot(usize),
    /// A block that it has made.
    Made(Block),
    /// The late event of another task.
    Event(Task),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Kind {
    Once,
    Idempotent,
    Sticky,
    Latch,
    Counted,
    Channel,
}

impl Kind {
    /// Whether an event of this kind goes by itself once it has triggered, or so soon that its
    /// dependences must come before that.
    pub(crate) fn goes_at_once(self) -> bool {
        matches!(self, Kind::Once | Kind::Latch)
    }

    /// Whether somebody has to destroy an event of this kind that has triggered.
    pub(crate) fn stays(self) -> bool {
        matches!(self, Kind::Sticky | Kind::Idempotent | Kind::Channel)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum Mode {
    Null,
    Ro,
    Const,
    Rw,
    Ew,
}

impl Mode {
    pub(crate) fn writes(self) -> bool {
        matches!(self, Mode::Rw | Mode::Ew)
    }
}

/// An EDT with three pre-slots: one that is never satisfied, one for an event of its own, and one for
/// the late event of a task or for nothing.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Doomed {
    pub(crate) kind: Kind,
    pub(crate) late: Option<Task>,
    pub(crate) finish: bool,
    /// What happens to its event, before or after the EDT is destroyed.
    pub(crate) event: EventEnd,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum EventEnd {
    DestroyedBefore,
    DestroyedAfter,
    SatisfiedBefore,
    SatisfiedAfter,
}

impl Graph {
    pub(crate) fn children(&self, parent: Option<Task>) -> impl DoubleEndedIterator<Item = Task> + '_ {
        (0..self.tasks.len()).filter(move |&task| self.tasks[task].parent == parent)
    }

    /// Whether a task, or the EDT around all tasks, knows a block: it was there before, or it has it.
    pub(crate) fn knows(&self, task: Option<Task>, block: Block) -> bool {
        let has = |task: Task| {
            let mut slots = self.tasks[task].slots.iter();
            slots.any(|slot| slot.used() == Some(block)) && !self.is_private(block)
        };
        self.blocks[block].origin.is_given() || task.is_some_and(has)
    }

    pub(crate) fn ancestors(&self, task: Task) -> impl Iterator<Item = Task> + '_ {
        std::iter::successors(self.tasks[task].parent, |&task| self.tasks[task].parent)
    }

    pub(crate) fn turn(&self, turn: Turn) -> &TurnSpec {
        &self.collectives[turn.collective].turns[turn.generation][turn.slot]
    }

    pub(crate) fn turns(&self) -> impl Iterator<Item = Turn> + '_ {
        let collectives = self.collectives.iter().enumerate();
        collectives.flat_map(|(collective, spec)| spec.all_turns(collective))
    }

    /// What a task contributes, in the order in which it does so.
    pub(crate) fn turns_of(&self, task: Task) -> impl Iterator<Item = Turn> + '_ {
        self.turns().filter(move |&turn| self.turn(turn).by == Some(task))
    }

    /// Whether the contributor adds a dependence for this turn: somebody needs it or a later one.
    pub(crate) fn is_connected(&self, turn: Turn) -> bool {
        self.sources().any(|(_, source)| match source {
            Source::Result(other) => {
                (other.collective, other.slot) == (turn.collective, turn.slot) && other.generation >= turn.generation
            }
            _ => false,
        })
    }

    /// What tasks wait for before they start, or in a call.
    pub(crate) fn sources(&self) -> impl Iterator<Item = (Task, &Source)> + '_ {
        self.tasks.iter().enumerate().flat_map(|(task, spec)| {
            let slots = spec.slots.iter().map(|slot| &slot.source);
            slots.chain(&spec.waits).map(move |source| (task, source))
        })
    }

    /// Whether a task waits for this.
    pub(crate) fn is_source(&self, source: &Source) -> bool {
        self.sources().any(|(_, other)| other == source)
    }

    /// The events that there are.
    pub(crate) fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        for (task, spec) in self.tasks.iter().enumerate() {
            events.extend(spec.late.map(|_| Event::Late(task)));
            events.extend(spec.body.map(|_| Event::Body(task)));
            events.extend(spec.given.map(|_| Event::Given(task)));
            for (at, slot) in spec.slots.iter().enumerate() {
                if let Source::Join(_) = slot.source {
                    events.push(Event::Join(task, at));
                }
            }
        }
        let tapped = |&turn: &Turn| self.is_connected(turn) && !self.turn(turn).direct;
        events.extend(self.turns().filter(tapped).map(Event::Tap));
        let values = 0..self.values.len();
        let values = values.filter(|&value| self.values[value].route.is_some());
        let values = values.filter(|&value| self.is_source(&Source::Value(value)));
        events.extend(values.map(Event::Value));
        events
    }

    /// The kind of an event, and its number: where a latch starts, how many dependences a counted
    /// event has, and for how many a channel event has room.
    pub(crate) fn kind(&self, event: Event) -> (Kind, u64) {
        match event {
            Event::Late(task) => {
                let kind = self.tasks[task].late.unwrap_or(Kind::Sticky);
                (kind, self.late_dependences(task))
            }
            Event::Body(task) => match self.tasks[task].body.unwrap_or(Kind::Sticky) {
                Kind::Latch => (Kind::Latch, 1),
                kind => (kind, self.dependences(&Source::Body(task))),
            },
            Event::Given(task) => match self.tasks[task].given.unwrap_or(Kind::Sticky) {
                // One of a finish EDT that stands at 0 is set to 1.
                Kind::Latch => (Kind::Latch, !(self.tasks[task].finish && task % 2 == 0) as u64),
                kind => (kind, self.output_dependences(task)),
            },
            Event::Join(task, at) => match &self.tasks[task].slots[at].source {
                Source::Join(tasks) => (Kind::Latch, tasks.len() as u64 + 1),
                _ => (Kind::Latch, 1),
            },
            Event::Tap(turn) => {
                let count = self.dependences(&Source::Result(turn));
                (self.turn(turn).kind, count)
            }
            Event::Value(value) => match self.values[value].route.unwrap_or(Kind::Sticky) {
                Kind::Latch => (Kind::Latch, 1),
                kind => (kind, self.dependences(&Source::Value(value))),
            },
        }
    }

    /// Whether an event has a label and is created by whoever comes first.
    pub(crate) fn is_raced(&self, event: Event) -> bool {
        match event {
            Event::Late(task) | Event::Body(task) | Event::Join(task, _) => self.tasks[task].raced,
            Event::Given(_) | Event::Value(_) => false,
            Event::Tap(turn) => self.collectives[turn.collective].raced,
        }
    }

    /// The latches that the output event of a task counts down, as consumer and pre-slot.
    pub(crate) fn joins_of(&self, task: Task) -> Vec<(Task, usize)> {
        let mut joins = Vec::new();
        for (consumer, spec) in self.tasks.iter().enumerate() {
            for (at, slot) in spec.slots.iter().enumerate() {
                if let Source::Join(tasks) = &slot.source {
                    joins.extend(tasks.iter().filter(|&&t| t == task).map(|_| (consumer, at)));
                }
            }
        }
        joins
    }

    /// How many dependences there will be on an event that tasks have as this source.
    pub(crate) fn dependences(&self, source: &Source) -> u64 {
        self.sources().filter(|&(_, other)| other == source).map(|(task, _)| u64::from(self.tasks[task].copies)).sum()
    }

    /// How often the output event of a task is connected to its late event.
    pub(crate) fn late_times(&self, task: Task) -> u64 {
        match self.tasks[task].late {
            None => 0,
            Some(Kind::Channel) => self.late_dependences(task),
            Some(_) => 1,
        }
    }

    /// How many dependences there will be on the output event of a task.
    pub(crate) fn output_dependences(&self, task: Task) -> u64 {
        let chained = |&(_, source): &(Task, &Source)| matches!(source, Source::Output(from, _) if *from == task);
        let chains = self.sources().filter(chained);
        let chains: u64 = chains.map(|(to, _)| u64::from(self.tasks[to].copies)).sum();
        chains + self.joins_of(task).len() as u64 + self.late_times(task)
    }

    /// How many dependences there will be on the late event of a task: those of pre-slots, of EDTs
    /// that are destroyed, and of the output events of tasks that return it.
    pub(crate) fn late_dependences(&self, task: Task) -> u64 {
        let doomed = |spec: &TaskSpec| {
            let doomed = spec.doomed.iter().filter(|doomed| doomed.late == Some(task));
            doomed.count() as u64
        };
        let returns = (0..self.tasks.len())
            .filter(|&other| self.tasks[other].outcome == Outcome::Event(task))
            .filter(|&other| self.wants_output(other));
        self.dependences(&Source::Late(task)) + self.tasks.iter().map(doomed).sum::<u64>() + returns.count() as u64
    }

    /// Whether somebody waits for the output event of a task.
    pub(crate) fn wants_output(&self, task: Task) -> bool {
        let by_slot = |slot: &Slot| match &slot.source {
            Source::Output(source, _) => *source == task,
            Source::Join(tasks) => tasks.contains(&task),
            _ => false,
        };
        self.tasks[task].late.is_some() || self.tasks.iter().any(|spec| spec.slots.iter().any(by_slot))
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}\n{:?}", self.settings, self.graph)
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} workers, policy {}", self.workers, self.sched)?;
        if self.devices {
            write!(f, ", devices all")?
        } else {
            write!(f, ", devices none")?
        }
        for (name, set) in [(", forced copies", self.copies), (", spread", self.spread), (", legacy", self.legacy)] {
            if set {
                write!(f, "{name}")?;
            }
        }
        if let Some(bytes) = self.memory {
            write!(f, ", {bytes} bytes of device memory")?;
        }
        match &self.faults {
            Some(faults) => write!(f, ", {faults:?}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (block, spec) in self.blocks.iter().enumerate() {
            write!(f, "  b{block}: {} words, ", spec.words)?;
            match spec.origin {
                Origin::Main => write!(f, "filled at creation")?,
                Origin::Keyed => write!(f, "in a map")?,
                Origin::Bare(variant) => write!(f, "filled by an EDT ({variant:?})")?,
                Origin::Made(task) => write!(f, "made by t{task}")?,
                Origin::Reduced(collective, generation) => {
                    write!(f, "result of generation {generation} of c{collective}")?;
                }
                Origin::Value(value) => write!(f, "the copy v{value}")?,
            }
            if let Some(chunk) = &spec.chunk {
                write!(f, ", {chunk:?}")?;
            }
            if spec.labeled {
                write!(f, ", labeled")?;
            }
            if spec.margin > 0 {
                write!(f, ", margin of {} words", spec.margin)?;
            }
            match spec.destroyed_by {
                Some(task) => writeln!(f, ", destroyed by t{task}")?,
                None => writeln!(f)?,
            }
        }
        for (collective, spec) in self.collectives.iter().enumerate() {
            writeln!(f, "  c{collective}: {spec:?}")?;
        }
        for (value, spec) in self.values.iter().enumerate() {
            writeln!(f, "  v{value}: {spec:?}")?;
        }
        for (file, spec) in self.files.iter().enumerate() {
            writeln!(f, "  file {file}: {spec:?}")?;
        }
        if self.maps != MapsSpec::default() {
            writeln!(f, "  {:?}", self.maps)?;
        }
        if self.labeled_template {
            writeln!(f, "  the template of functions is labeled")?;
        }
        for (task, spec) in self.tasks.iter().enumerate() {
            write!(f, "  t{task}: {:?}", spec.variant)?;
            if let Some(copied) = self.copied(task) {
                let (from, to) = (copied.from, copied.to);
                write!(f, ", {} bytes from {from} to {to}", copied.size)?;
            }
            if spec.finish {
                write!(f, " finish")?;
            }
            if let Some(parent) = spec.parent {
                write!(f, " child of t{parent}")?;
            }
            if spec.copies > 1 {
                write!(f, ", {} times", spec.copies)?;
            }
            for (name, set) in [
                ("gated", spec.gated),
                ("anonymous", spec.anonymous),
                ("own template", spec.own_template),
                ("dependences reversed", spec.reversed),
                ("gates reversed", spec.gates_reversed),
                ("events labeled", spec.raced),
                ("in maps", spec.mapped),
            ] {
                if set {
                    write!(f, ", {name}")?;
                }
            }
            if spec.rivals > 0 {
                write!(f, ", {} rivals create it, too", spec.rivals)?;
            }
            if spec.priority.value != 0 {
                write!(f, ", {:?}", spec.priority)?;
            }
            if spec.pauses != [0; 3] {
                write!(f, ", pauses {:?}", spec.pauses)?;
            }
            writeln!(f)?;
            for slot in &spec.slots {
                writeln!(f, "      {slot:?}")?;
            }
            for doomed in &spec.doomed {
                write!(f, "      doomed EDT on {:?} event", doomed.kind)?;
                if let Some(late) = doomed.late {
                    write!(f, " and the late event of t{late}")?;
                }
                writeln!(f, ", finish {}, {:?}", doomed.finish, doomed.event)?;
            }
            if !spec.scratch.is_empty() {
                writeln!(f, "      scratch blocks {:?}", spec.scratch)?;
            }
            if let Some(division) = &spec.division {
                writeln!(f, "      {division:?}")?;
            }
            for wait in &spec.waits {
                writeln!(f, "      waits in a call for {wait:?}")?;
            }
            for contest in &spec.contests {
                writeln!(f, "      {contest:?}")?;
            }
            if !spec.lookups.is_empty() {
                writeln!(f, "      asks maps for {:?}", spec.lookups)?;
            }
            for turn in self.turns_of(task) {
                writeln!(f, "      contributes to {turn:?}")?;
            }
            if let Some(kind) = spec.given {
                writeln!(f, "      output event {kind:?}, given")?;
            }
            if let Some(kind) = spec.late {
                writeln!(f, "      late event {kind:?}")?;
            }
            if let Some(kind) = spec.body {
                writeln!(f, "      body satisfies event {kind:?}")?;
            }
            match spec.outcome {
                Outcome::Nothing => {}
                Outcome::Slot(slot) => writeln!(f, "      returns the block of slot {slot}")?,
                Outcome::Made(block) => writeln!(f, "      returns b{block}, which it makes")?,
                Outcome::Event(task) => writeln!(f, "      returns the late event of t{task}")?,
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Nothing => write!(f, "nothing"),
            Source::Block(block) => write!(f, "b{block}"),
            Source::Output(task, chain) if chain.is_empty() => write!(f, "output of t{task}"),
            Source::Output(task, chain) => write!(f, "output of t{task} through {chain:?}"),
            Source::Late(task) => write!(f, "late event of t{task}"),
            Source::Body(task) => write!(f, "event of the body of t{task}"),
            Source::Join(tasks) => write!(f, "latch of {tasks:?}"),
            Source::Result(turn) => write!(f, "result of {turn:?}"),
            Source::Value(value) => write!(f, "content v{value}"),
        }
    }
}

impl fmt::Debug for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.source)?;
        if let Some(block) = self.block {
            write!(f, " brings b{block}")?;
        }
        write!(f, " in {:?}", self.mode)?;
        for (name, set) in [
            ("given at creation", self.in_depv),
            ("released early", self.release),
            ("destroys the event", self.destroys_event),
        ] {
            if set {
                write!(f, ", {name}")?;
            }
        }
        Ok(())
    }
}
