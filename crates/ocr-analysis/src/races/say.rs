//! What was found, in words. Pairs of the same templates that do the same are reported once.

use super::gather::Gathered;
use super::order::NONE;
use super::{RaceFinding, RaceKind};
use ocr_base::text::counted;
use ocr_trace::numbers::{Mode, WorkKind};
use rustc_hash::FxHashMap;

/// What two actors do to one object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum RaceRule {
    WriteWrite,
    ReadWrite,
    Exclusive,
    DestroyedBlock,
    UsedUncreated,
    UsedUncreatedEvent,
    ConnectedLate,
    DestroyedConnected,
    DestroyedSatisfied,
    SatisfiedTwice,
    Latch,
    Channel,
    Idempotent,
    DestroyedEdt,
}

/// Two actors, and the object that both use.
pub(super) struct Pair {
    pub(super) rule: RaceRule,
    /// The number of the object among those of its kind.
    pub(super) object: u32,
    /// The numbers of the actors, with the mode in which they use a block.
    pub(super) first: (u32, Option<Mode>),
    pub(super) second: (u32, Option<Mode>),
    /// Whether the first gives the block away and writes it after that.
    pub(super) is_late: bool,
}

/// What makes pairs alike.
type Alike = (RaceRule, [(u64, Option<u8>); 2], bool);

/// Keeps what was found.
pub(super) struct Sayer<'a> {
    all: &'a Gathered,
    findings: Vec<RaceFinding>,
    known: FxHashMap<Alike, usize>,
}

impl RaceRule {
    fn kind(self) -> RaceKind {
        match self {
            RaceRule::Exclusive | RaceRule::Channel | RaceRule::Idempotent => RaceKind::Order,
            _ => RaceKind::Race,
        }
    }

    /// A few words for programs that read the answer.
    fn name(self) -> &'static str {
        match self {
            RaceRule::WriteWrite => "write-write",
            RaceRule::ReadWrite => "read-write",
            RaceRule::Exclusive => "exclusive-order",
            RaceRule::DestroyedBlock => "block-use-destroy",
            RaceRule::UsedUncreated => "block-create-use",
            RaceRule::UsedUncreatedEvent => "event-create-use",
            RaceRule::ConnectedLate => "event-connect-trigger",
            RaceRule::DestroyedConnected => "event-connect-destroy",
            RaceRule::DestroyedSatisfied => "event-satisfy-destroy",
            RaceRule::SatisfiedTwice => "event-satisfy-satisfy",
            RaceRule::Latch => "latch-increment-decrement",
            RaceRule::Channel => "channel-order",
            RaceRule::Idempotent => "idempotent-order",
            RaceRule::DestroyedEdt => "edt-connect-destroy",
        }
    }
}

impl<'a> Sayer<'a> {
    pub(super) fn new(all: &'a Gathered) -> Sayer<'a> {
        Sayer { all, findings: Vec::new(), known: FxHashMap::default() }
    }

    /// The findings, races first.
    pub(super) fn findings(mut self) -> Vec<RaceFinding> {
        self.findings.sort_by_key(|finding| finding.kind);
        self.findings
    }

    /// Whether what these actors do is reported. Threads of the program order what they do by means that a recording
    /// does not show, and EDTs of the runtime by its own: those that divide blocks, write files, wait for a thread,
    /// stand for another node, or have a copy leave the memory that it shares.
    pub(super) fn is_looked_at(&self, actors: [u32; 2]) -> bool {
        actors.into_iter().all(|actor| {
            let actor = &self.all.actors[actor as usize];
            let name = self.all.names.get(&actor.work).map_or("", String::as_str);
            let is_runtimes = name.starts_with(WorkKind::Partition.call())
                || name.starts_with(WorkKind::Writer.call())
                || name == WorkKind::Waiter.call()
                || name == WorkKind::Elsewhere.call()
                || name == WorkKind::Copy.call() && actor.paramc == 0;
            actor.guid != 0 && !is_runtimes
        })
    }

    /// Adds a pair.
    pub(super) fn say(&mut self, pair: Pair) {
        // What one actor does is ordered by its function.
        let is_one = pair.first.0 == pair.second.0;
        if is_one || !self.is_looked_at([pair.first.0, pair.second.0]) {
            return;
        }
        let work =
            |(actor, mode): (u32, Option<Mode>)| (self.all.actors[actor as usize].work, mode.map(|mode| mode as u8));
        let alike = (pair.rule, [work(pair.first), work(pair.second)], pair.is_late);
        if let Some(&known) = self.known.get(&alike) {
            self.findings[known].more += 1;
            return;
        }
        self.known.insert(alike, self.findings.len());
        let finding = self.finding(&pair);
        self.findings.push(finding);
    }

    /// The name of an actor in a sentence.
    fn actor(&self, number: u32) -> String {
        let actor = &self.all.actors[number as usize];
        if actor.guid == 0 {
            return "a thread outside of EDTs".to_string();
        }
        let name = self.all.names.get(&actor.work);
        let name = name.map_or("of an unknown template", String::as_str);
        match self.all.labels.get(&actor.guid) {
            Some(label) => format!("EDT 0x{:x} ({name}) labelled \"{label}\"", actor.guid),
            None => format!("EDT 0x{:x} ({name})", actor.guid),
        }
    }

    /// The name of the object that a pair uses.
    fn object(&self, pair: &Pair) -> String {
        let at = pair.object as usize;
        let (what, guid) = match pair.rule {
            RaceRule::WriteWrite
            | RaceRule::ReadWrite
            | RaceRule::Exclusive
            | RaceRule::DestroyedBlock
            | RaceRule::UsedUncreated => {
                let block = &self.all.blocks[at];
                let bytes = counted(block.size, "byte");
                (format!("data block 0x{:x} of {bytes}", block.guid), block.guid)
            }
            RaceRule::DestroyedEdt => (self.actor(pair.object), 0),
            _ => {
                let event = &self.all.events[at];
                let kind = event.kind.map_or("event", |kind| kind.name());
                (format!("{kind} 0x{:x}", event.guid), event.guid)
            }
        };
        match self.all.labels.get(&guid) {
            Some(label) => format!("{what} labelled \"{label}\""),
            None => what,
        }
    }

    /// Whether an actor was created by another, or by what that has created.
    fn descends(&self, child: u32, from: u32) -> bool {
        let mut at = self.all.actors[child as usize].parent;
        // A recording that contradicts itself may have a circle.
        for _ in 0..10_000 {
            if at == from || at == NONE {
                return at == from;
            }
            at = self.all.actors[at as usize].parent;
        }
        false
    }

    fn finding(&self, pair: &Pair) -> RaceFinding {
        let began = |(actor, _): (u32, _)| self.all.actors[actor as usize].began;
        // A deed that has to come behind the other stands second, whenever it came.
        let symmetric = matches!(
            pair.rule,
            RaceRule::WriteWrite | RaceRule::ReadWrite | RaceRule::Exclusive | RaceRule::Channel | RaceRule::Idempotent
        );
        let flip = symmetric && !pair.is_late && began(pair.second) < began(pair.first);
        let (one, other) = if flip { (pair.second, pair.first) } else { (pair.first, pair.second) };
        let [first, second] = [one, other].map(|(actor, _)| self.actor(actor));
        let object = self.object(pair);
        let mode = |(_, mode): (u32, Option<Mode>)| mode.map_or("", |mode| &mode.name()["DB_MODE_".len()..]);
        let (did, missing) = match pair.rule {
            RaceRule::WriteWrite => (
                format!("{first} writes {object} in mode {}, and {second} in mode {}", mode(one), mode(other)),
                self.use_before(pair, one.0, other.0, &first, &second),
            ),
            RaceRule::ReadWrite => (
                format!(
                    "{first} and {second} use {object}, in modes {} and {}, and one of them writes what the other reads",
                    mode(one),
                    mode(other)
                ),
                self.use_before(pair, one.0, other.0, &first, &second),
            ),
            RaceRule::Exclusive => (
                format!("{first} and {second} write {object} in mode EW, one after the other, but which comes first is luck"),
                format!(
                    "This is right if the result is the same in either order, as with sums. Otherwise connect the output \
                     event of {first} to a pre-slot of {second}."
                ),
            ),
            RaceRule::DestroyedBlock => (
                format!("{first} uses {object}, and {second} destroys it"),
                format!(
                    "Missing is an edge from the begin of {first} to the call of ocrDbDestroy: connect the output event of \
                     {first} to a pre-slot of the EDT that destroys the block."
                ),
            ),
            RaceRule::UsedUncreated | RaceRule::UsedUncreatedEvent => (
                format!("{first} creates {object}, and {second} uses it"),
                format!(
                    "Missing is an edge from the creation to {second}: the GUID came to it by a way that orders nothing, such \
                     as a block in mode RW or a global variable. Pass it as a parameter, or in a block that {second} waits for."
                ),
            ),
            RaceRule::ConnectedLate => (
                format!("{first} connects something to {object}, and {second} satisfies it, after which it is gone"),
                format!(
                    "Missing is an edge from the call of ocrAddDependence to the satisfaction by {second}: connect first, and \
                     have {second} begin after that, or use a sticky event."
                ),
            ),
            RaceRule::DestroyedConnected => (
                format!("{first} connects something to {object}, and {second} destroys it"),
                format!(
                    "Missing is an edge from the call of ocrAddDependence to that of ocrEventDestroy: have {second} wait for \
                     the end of {first}, or for an EDT that waits for the event."
                ),
            ),
            RaceRule::DestroyedSatisfied => (
                format!("{first} satisfies {object}, and {second} destroys it"),
                format!(
                    "Missing is an edge from the satisfaction to the call of ocrEventDestroy: have {second} wait for the event \
                     itself, or for the end of {first}."
                ),
            ),
            RaceRule::SatisfiedTwice => (
                format!("{first} and {second} satisfy {object}, and the second call is refused"),
                "An event of this kind is satisfied once: use one event for each, or an idempotent, latch or channel event."
                    .to_string(),
            ),
            RaceRule::Latch => (
                format!("{first} increments {object}, and {second} decrements it, perhaps to zero before that"),
                format!(
                    "Missing is an edge from the increment to a decrement: increment before {second} is created or can begin, or \
                     create the latch with a counter that has one more, and take that back last."
                ),
            ),
            RaceRule::Channel => (
                format!("{first} and {second} use {object} one after the other, but which comes first is luck"),
                format!(
                    "Which dependence gets what is not determined. This is right if each does the same with it. Otherwise \
                     connect the output event of {first} to a pre-slot of {second}, or use a channel for each."
                ),
            ),
            RaceRule::Idempotent => (
                format!("{first} and {second} satisfy {object}, of which the first counts, and which comes first is luck"),
                "This is right if both satisfy it with the same.".to_string(),
            ),
            RaceRule::DestroyedEdt => (
                format!("{first} connects or satisfies a pre-slot of {object}, and {second} destroys it"),
                format!("Missing is an edge from that call to that of ocrEdtDestroy: have {second} wait for {first}."),
            ),
        };
        let nothing = match pair.rule.kind() {
            RaceKind::Race => "; nothing orders them",
            RaceKind::Order => "",
        };
        RaceFinding {
            kind: pair.rule.kind(),
            rule: pair.rule.name(),
            sentence: format!("{did}{nothing}."),
            advice: missing,
            object,
            first,
            second,
            more: 0,
        }
    }

    /// The edge that is missing between two uses of a block.
    fn use_before(&self, pair: &Pair, one: u32, other: u32, first: &str, second: &str) -> String {
        if pair.is_late {
            return format!(
                "{first} gives the block to others (ocrEventSatisfy, ocrAddDependence, ocrDbRelease) and writes it after that: \
                 write first, then release the block, then pass it on."
            );
        }
        if self.descends(other, one) {
            return format!(
                "Missing is an edge from the last use of the block by {first} to the begin of {second}, which it has created. A \
                 creation orders only what came before the call: release the block (ocrDbRelease) before, or connect the \
                 output event of {first} to a pre-slot of {second}."
            );
        }
        format!(
            "Missing is an edge from the end of {first} to the begin of {second}: connect the output event of the first, or an \
             event that it satisfies when it has released the block, to a pre-slot of the second."
        )
    }
}
