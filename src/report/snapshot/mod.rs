//! What waits for what: of a program that hangs, of one that runs (`SIGUSR1`), and as a graph.
//!
//! One thread takes the snapshot while others may change everything. So it reads an object's fields under the lock of
//! its header alone, one object at a time. Of an EDT whose pre-slots are all satisfied it reads its place, and what
//! does not change any more: work, finish scope, output event, and the blocks of the pre-slots.
//!
//! What two objects say may be of different moments, which makes a snapshot of a running program a little untrue, never
//! unsafe. The snapshot of a program that hangs is exact. The lock of an event is held while its list is walked, longer
//! than anywhere else. A thread that wants the lock meanwhile gives its processor away (`object/header.rs`).
//!
//! | what is read | guarded by |
//! |---|---|
//! | state, pre-slots, scope and output of an EDT | its lock: it cannot be freed meanwhile, so its scope is open |
//! | the list of an event | the event's lock, which owns the links; EDTs in it are pinned |
//! | holders and queue of a block | the block's lock, to which the EDTs in the queue belong |
//! | what a thread does | numbers that the thread stores |
//!
//! | file | what it has |
//! |---|---|
//! | `look.rs` | looks at the objects, one by one |
//! | `text.rs` | the snapshot in words, as the message about a hang has it |
//! | `events.rs`, `blocks.rs` | what an event lacks; which EDT waits for a block |
//! | `circle.rs` | circles of EDTs that wait for each other |
//! | `run.rs` | notes about a program that runs |
//! | `dot.rs` | the snapshot as a graph for Graphviz |

mod blocks;
mod circle;
mod dot;
mod events;
mod look;
mod run;
mod text;

use crate::check::history::History;
use crate::object::Objects;
use crate::object::code::Code;
use crate::object::edt::{Edt, EdtState, Mode};
use crate::object::guid::Guid;
use crate::object::link::Link;
use crate::report::labels::ObjectLabels;
use crate::report::tally::Wait;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// How many EDTs, blocks and scopes are described one by one at most; the others are counted.
const SHOWN: usize = 20;

/// How many EDTs are looked into at most, and how many links are followed from one event.
const EXAMINED: usize = 100_000;

/// What the engine tells of a thread.
pub struct ThreadView {
    /// The system's number of the thread.
    pub id: i32,
    /// Whether the thread is a worker, which runs EDTs.
    pub worker: bool,
    /// The address of the EDT that the thread runs; 0 for none.
    pub running: usize,
    /// What the thread waits for in a call. None if it does not wait.
    pub waits: Option<Wait>,
    /// The number by which blocks name the thread as their creator.
    pub holder: usize,
}

/// What the engine tells for a snapshot.
pub struct SnapshotInputs<'a> {
    /// All threads that have a context.
    pub threads: Vec<ThreadView>,
    /// How many workers there are.
    pub workers: usize,
    /// How many EDTs are in the ready queues.
    pub ready: usize,
    /// How many things are in flight outside of the workers, such as launches and copies.
    pub in_flight: usize,
    /// The devices in use: their numbers, as `ocr info` shows them, and names.
    pub devices: Vec<(usize, &'a str)>,
    /// The calls that wait until an object is created on a label.
    pub deferred: Vec<DeferredCallView>,
    /// How long the run has taken so far, in seconds.
    pub seconds: f64,
    /// How many EDTs have run.
    pub ran: u64,
    /// Whether nothing changes while the snapshot is taken.
    pub still: bool,
    /// The system's numbers of all threads, if the program hangs since each of them waits for another one, inside the
    /// runtime or outside. Empty if it hangs since the runtime alone waits.
    pub blocked: Vec<i32>,
    /// Whether there are threads that may call the runtime at any time.
    pub free_threads: bool,
    /// The name of a signal for which the program has a handler. Such a signal may come at any time.
    pub handled: Option<String>,
    /// What objects have been through. None without strict mode.
    pub history: Option<&'a History>,
    /// How many calls were refused, and a description of the first. None if there was none.
    pub refused: Option<(u64, String)>,
    /// How many dependences were refused since their event was gone, and a description of the first. None if there was
    /// none, and in strict mode.
    pub late: Option<(u64, String)>,
    /// How many calls were given `NULL_GUID` alone and did nothing, and a description of the first. None if there was
    /// none.
    pub nothing: Option<(u64, String)>,
    /// What this node has to do with others. None where it works alone.
    pub nodes: Option<NodesView>,
}

/// What the engine tells of other nodes.
pub struct NodesView {
    /// The number of this node.
    pub node: u32,
    /// What an EDT of the runtime's stands for.
    pub stands_for: fn(&Edt) -> Option<StandsFor>,
    /// EDTs that need a block of another node, each with the block and that node.
    pub wanted: Vec<(EdtOfBlock, u32)>,
    /// What other pre-slots of other nodes' objects wait with one that such an EDT stands for, by the GUID of its slot.
    pub with: HashMap<Guid, Vec<(Guid, u32)>>,
    /// Pre-slots of EDTs that wait for an event of another node, each with that event and node.
    pub awaited: HashMap<(Guid, u32), (Guid, u32)>,
    /// Blocks of this node that others have, each with the number of such a node.
    pub lent: Vec<(Guid, u32)>,
}

/// An EDT that needs a block: its GUID and work, and the block.
pub type EdtOfBlock = (Guid, &'static Code, Guid);

/// What an EDT of the runtime's stands for on another node.
pub enum StandsFor {
    /// A pre-slot of an object there.
    PreSlot {
        /// The number of that node.
        node: u32,
        /// The EDT or event.
        destination: Guid,
        /// The number of the pre-slot.
        slot: u32,
    },
    /// A node that needs a block.
    Node(u32),
}

/// What a note about a running program has said, for the next note to compare with.
pub struct Marks {
    /// How long the run had taken, in seconds.
    seconds: f64,
    /// How many EDTs had run.
    ran: u64,
    /// The EDTs that ran, each with the system's number of its thread.
    running: Vec<(i32, Guid)>,
}

/// A call that waits until an object is created on a label.
pub struct DeferredCallView {
    /// The label that has no object yet.
    pub label: Guid,
    /// The label as messages write it.
    pub name: String,
    /// The call with its arguments, in words.
    pub text: String,
    /// The name of the called function, or what else has asked for the call.
    pub by: &'static str,
    /// Whether the call satisfies an event.
    pub satisfies: bool,
    /// The EDT or event that the call is for.
    pub target: Guid,
    /// The caller, as messages name it.
    pub who: String,
    /// The EDT and its pre-slot that the call is for. None if it is no dependence of an EDT.
    pub slot: Option<(Guid, u32)>,
}

impl fmt::Display for DeferredCallView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} by {} waits until an object is created on {}", self.text, self.who, self.name)
    }
}

/// What is needed to name an EDT.
#[derive(Clone, Copy)]
struct Name {
    guid: Guid,
    work: &'static Code,
}

/// A pre-slot that is not satisfied.
struct OpenSlot {
    /// The number of the pre-slot.
    at: u32,
    /// The link by which an event leads to the pre-slot. None if nothing is connected to it.
    link: Option<Link>,
}

/// A pre-slot of another node's object that waits for an event of this node.
struct WaitingElsewhere {
    node: u32,
    destination: Guid,
    slot: OpenSlot,
}

/// An EDT that waits for dependences.
struct WaitingEdt {
    name: Name,
    /// How many pre-slots the EDT has.
    depc: u32,
    /// The EDT's parameters in words, which tell it from other EDTs of its template.
    params: Option<String>,
    /// The pre-slots that are not satisfied.
    slots: Vec<OpenSlot>,
}

impl WaitingEdt {
    /// Whether nothing is connected to one of the pre-slots.
    fn misses_one(&self) -> bool {
        self.slots.iter().any(|slot| slot.link.is_none())
    }
}

/// An EDT that waits for a block.
struct BlockWait {
    edt: Name,
    /// The node for which the EDT, one of the runtime's, needs the block.
    node: Option<u32>,
    slot: u32,
    mode: Mode,
    block: Guid,
}

/// A block that an EDT waits for.
struct HeldBlock {
    /// The size of the block in bytes.
    size: u64,
    /// The modes in which the block is held.
    modes: Vec<&'static str>,
    holders: Vec<Holder>,
    /// The number of the thread, or the address of the EDT, that holds the block since it created it; 0 for none.
    creator: usize,
    /// Whether the block is divided, so that its parts hold it.
    closed: bool,
}

/// A holder of a block: an EDT, a thread, or another block.
enum Holder {
    /// A thread outside of EDTs, by its index in [`SnapshotInputs::threads`].
    Thread(usize),
    /// An EDT that runs or waits in a call, and whether it has created the block.
    Running(Name, bool),
    /// An EDT that is ready to run.
    Ready(Name),
    /// An EDT on a device, by the device's index in [`SnapshotInputs::devices`].
    OnDevice(Name, usize),
    /// An EDT that waits for another block, with the GUID of that.
    Waiting(Name, Guid),
    /// A part of the block that has not been destroyed, with its size in bytes.
    Part(Guid, u64),
    /// The block of which this one is a part, and which must be had first.
    Whole(Guid),
    /// Another node, by its number.
    Node(u32),
}

/// A finish scope that is open.
struct OpenScope {
    /// The finish EDT, which may have ended.
    edt: Name,
    /// The output event of the finish EDT.
    output: Guid,
    /// The EDTs of the scope that have not ended, as far as they are examined.
    edts: Vec<Name>,
    /// The finish EDTs of the scopes inside this one.
    scopes: Vec<Name>,
}

/// The EDT or scope whose end satisfies an event.
#[derive(Clone, Copy)]
enum Maker {
    /// An EDT, and whether it waits for dependences.
    Edt(Name, bool),
    /// A finish scope, by its address.
    Scope(usize),
}

/// What runs and what waits at a moment.
pub struct Snapshot<'a> {
    objects: &'a Objects,
    labels: &'a ObjectLabels,
    inputs: SnapshotInputs<'a>,
    waiting: Vec<WaitingEdt>,
    waiting_elsewhere: Vec<WaitingElsewhere>,
    /// How many EDTs wait for dependences, those included that are not examined.
    waiting_count: usize,
    /// How many EDTs have all their pre-slots satisfied and have not ended.
    runnable_count: usize,
    /// The runnable EDTs that have a device as their place, each with the device's index among those in use.
    on_devices: Vec<(Name, usize)>,
    /// The runnable EDTs that have the host as their place and do not run: they are ready, or wait for blocks.
    past: Vec<Name>,
    /// The EDTs that run, by their addresses.
    running: HashMap<usize, Name>,
    /// For each pre-slot that an event leads to, by the bits of the link, its EDT and the event. The EDT tells whether
    /// the slot has been given to another EDT since.
    event_of: HashMap<u64, (Guid, Guid)>,
    /// The events that satisfy each event.
    sources: HashMap<Guid, Vec<Guid>>,
    /// The EDT or scope whose end satisfies each event.
    makers: HashMap<Guid, Maker>,
    /// The open finish scopes, by their addresses.
    scopes: HashMap<usize, OpenScope>,
    block_waits: Vec<BlockWait>,
    blocks: HashMap<Guid, HeldBlock>,
}

impl<'a> Snapshot<'a> {
    /// Takes a snapshot of the objects. `inputs` is what the engine passes.
    pub fn take(objects: &'a Objects, labels: &'a ObjectLabels, inputs: SnapshotInputs<'a>) -> Snapshot<'a> {
        let mut snapshot = Snapshot {
            objects,
            labels,
            inputs,
            waiting: Vec::new(),
            waiting_elsewhere: Vec::new(),
            waiting_count: 0,
            runnable_count: 0,
            on_devices: Vec::new(),
            past: Vec::new(),
            running: HashMap::new(),
            event_of: HashMap::new(),
            sources: HashMap::new(),
            makers: HashMap::new(),
            scopes: HashMap::new(),
            block_waits: Vec::new(),
            blocks: HashMap::new(),
        };
        snapshot.look_at_edts();
        snapshot.look_at_events();
        snapshot.look_at_blocks();
        snapshot.find_holders();
        // An EDT that waits for no other EDT comes first, since its dependence has to be mended. Before all comes an
        // EDT that misses a dependence: other EDTs may wait for an event that it was to satisfy.
        let mut waiting = std::mem::take(&mut snapshot.waiting);
        // EDTs of different templates come in turns, so that a few are shown of each where many are alike.
        let mut alike: HashMap<&str, usize> = HashMap::new();
        waiting.sort_by_cached_key(|edt| {
            let number = alike.entry(edt.name.work.name.best()).or_default();
            *number += 1;
            (!edt.misses_one(), !snapshot.is_root(edt), *number)
        });
        drop(alike);
        snapshot.waiting = waiting;
        // EDTs that a thread waits for come first.
        let events = snapshot.inputs.threads.iter().filter_map(|thread| Some(thread.waits.as_ref()?.event));
        let awaited: HashSet<Guid> = events.flat_map(|event| snapshot.makers_of_event(event)).collect();
        let mut block_waits = std::mem::take(&mut snapshot.block_waits);
        block_waits.sort_by_key(|wait| !awaited.contains(&wait.edt.guid));
        snapshot.block_waits = block_waits;
        snapshot
    }

    /// The event that a pre-slot waits for. None if nothing is connected to it, or the event was not found.
    fn event_at(&self, slot: &OpenSlot) -> Option<Guid> {
        let (_, event) = *self.event_of.get(&slot.link?.bits())?;
        (!event.is_null()).then(|| self.through(event))
    }

    /// The program's event behind an event. For an event of the runtime's own, this is the event that it depends on;
    /// for one of the program's, the event itself.
    fn through(&self, event: Guid) -> Guid {
        let sources = self.sources.get(&event);
        let source = sources.and_then(|sources| sources.first().copied());
        match source {
            Some(source) if is_between(self.objects, event) => source,
            _ => event,
        }
    }

    /// Whether a GUID is of an EDT that waits for dependences, and is looked into.
    fn is_waiting(&self, edt: Guid) -> bool {
        self.waiting.iter().any(|of| of.name.guid == edt)
    }

    /// The call that is to connect a pre-slot and waits itself for the object of a label.
    fn early_call(&self, edt: Guid, slot: u32) -> Option<&DeferredCallView> {
        let mut calls = self.inputs.deferred.iter();
        calls.find(|call| call.slot == Some((edt, slot)))
    }

    /// Why nothing is connected to a pre-slot, in words. None if that is not known. Either its source has no object
    /// yet, or, in strict mode, its source was an event that was destroyed. If there were several such events, the last
    /// is named.
    fn lacks(&self, edt: &WaitingEdt, slot: &OpenSlot) -> Option<String> {
        let (edt, at) = (edt.name.guid, slot.at);
        if let Some(call) = self.early_call(edt, at) {
            return Some(format!(
                "an object of {}, which was never created with a GUID_PROP_ property ({} by {})",
                call.name, call.by, call.who
            ));
        }
        self.inputs.history?.lost(edt, at).pop()
    }

    /// Whether an EDT waits for something that no other waiting EDT or event would bring.
    fn is_root(&self, edt: &WaitingEdt) -> bool {
        edt.slots.iter().any(|slot| match self.event_at(slot) {
            Some(event) => !self.sources.contains_key(&event) && !self.makers.contains_key(&event),
            None => slot.link.is_none(),
        })
    }

    /// The GUIDs of all EDTs that have not ended, those of the runtime's own that stand for threads left out.
    pub fn all_edts(objects: &Objects) -> Vec<Guid> {
        let edts = objects.edts.live().filter_map(|(guid, _)| {
            let (edt, locked) = objects.edts.lock(guid)?;
            let counts = match locked.word.state() {
                EdtState::Waiting => !edt.flags.get().is_waiter(),
                state => state == EdtState::Runnable,
            };
            counts.then(|| edt.guid())
        });
        edts.collect()
    }

    /// The events that the pre-slots of an EDT wait for.
    pub fn events_of(&self, edt: Guid) -> Vec<Guid> {
        let edt = self.waiting.iter().find(|other| other.name.guid == edt);
        let slots = edt.into_iter().flat_map(|edt| &edt.slots);
        slots.filter_map(|slot| self.event_at(slot)).collect()
    }
}

/// Whether an event is one of the runtime's own, which it puts between two objects.
fn is_between(objects: &Objects, guid: Guid) -> bool {
    let event = objects.events.lock(guid);
    event.is_some_and(|(event, _locked)| event.is_between())
}
