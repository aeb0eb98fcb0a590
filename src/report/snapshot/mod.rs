//! What waits for what: of a program that hangs, of one that runs (`SIGUSR1`), and as a graph.
//!
//! The snapshot is taken by one thread while others may change everything. So it reads an object's
//! fields under the lock of its header alone, one object at a time, and of an EDT that is past its
//! pre-slots only what does not change any more (its work, its finish scope, its output event, and
//! the blocks of its pre-slots), and its place. What two objects say may be of different moments, which makes a
//! snapshot of a running program a little untrue, never unsafe. Of a program that hangs it is exact.
//! The lock of an event is held while its list is walked, longer than anywhere else; who wants it
//! meanwhile gives its processor away, as in `header.rs`.
//!
//! | what is read | guarded by |
//! |---|---|
//! | state, pre-slots, scope and output of an EDT | its lock: it cannot be freed meanwhile, so its scope is open |
//! | the list of an event | the event's lock, which owns the links; EDTs in it are pinned |
//! | holders and queue of a block | the block's lock, to which the EDTs in the queue belong |
//! | what a thread does | numbers that the thread stores |

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
use crate::object::edt::{EdtState, Mode};
use crate::object::guid::Guid;
use crate::object::link::Link;
use crate::report::labels::Labels;
use crate::report::tally::Wait;
use std::collections::{HashMap, HashSet};
use std::fmt;

/// EDTs, blocks and scopes that are described one by one; the others are counted.
const SHOWN: usize = 20;

/// EDTs that are looked into, and links that are followed from one event.
const EXAMINED: usize = 100_000;

/// A thread, as the engine tells.
pub struct ThreadView {
    /// The system's number.
    pub id: i32,
    /// Whether it runs EDTs.
    pub worker: bool,
    /// The address of the EDT that it runs, or 0.
    pub running: usize,
    /// What it waits for in a call.
    pub waits: Option<Wait>,
    /// What blocks call it as their creator.
    pub holder: usize,
}

/// What the engine tells.
pub struct SnapshotInputs<'a> {
    /// All threads that have a context.
    pub threads: Vec<ThreadView>,
    /// Number of workers.
    pub workers: usize,
    /// EDTs in the ready queues.
    pub ready: usize,
    /// Work in flight outside of the workers.
    pub in_flight: usize,
    /// The devices in use: their numbers, as `ocr info` says them, and names.
    pub devices: Vec<(usize, &'a str)>,
    /// Calls that wait for the object of a label.
    pub early: Vec<DeferredCallView>,
    /// Since the start.
    pub seconds: f64,
    /// EDTs that have run.
    pub ran: u64,
    /// Whether nothing changes meanwhile.
    pub still: bool,
    /// All threads, by the system's numbers, of a program that hangs since each of them waits for
    /// another one, inside the runtime or outside; none if it is the runtime alone that waits.
    pub asleep: Vec<i32>,
    /// Whether there are threads that may call the runtime at any time.
    pub free_threads: bool,
    /// A signal for which the program has a handler, which may come at any time.
    pub handled: Option<String>,
    /// What objects have been through, in strict mode.
    pub history: Option<&'a History>,
    /// How many calls were refused, and which was the first.
    pub refused: Option<(u64, String)>,
    /// The same of calls with nothing but `NULL_GUID`, which did nothing.
    pub nothing: Option<(u64, String)>,
}

/// What one note about a running program says, for the next.
pub struct Marks {
    seconds: f64,
    ran: u64,
    /// By the system's numbers of the threads.
    running: Vec<(i32, Guid)>,
}

/// A call on a label that nobody has created an object on.
pub struct DeferredCallView {
    /// The label.
    pub label: Guid,
    /// The label as messages write it.
    pub name: String,
    /// The call.
    pub text: String,
    /// Its function, or what else has asked for it.
    pub by: &'static str,
    /// Whether it satisfies an event.
    pub satisfies: bool,
    /// What it is for: an EDT or event.
    pub target: Guid,
    /// Who has made it.
    pub who: String,
    /// The pre-slot that it is for, if it is a dependence.
    pub slot: Option<(Guid, u32)>,
}

impl fmt::Display for DeferredCallView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} by {} waits until an object is created on {}",
            self.text, self.who, self.name
        )
    }
}

/// An EDT, by name.
#[derive(Clone, Copy)]
struct Name {
    guid: Guid,
    work: &'static Code,
}

/// A pre-slot that is not satisfied.
struct OpenSlot {
    at: u32,
    /// The link by which an event leads to it; none if it is not connected.
    link: Option<Link>,
}

/// An EDT that waits for dependences.
struct WaitingEdt {
    name: Name,
    /// How many pre-slots it has.
    depc: u32,
    /// What tells it from others of its template.
    params: Option<String>,
    /// Those that are not satisfied.
    slots: Vec<OpenSlot>,
}

impl WaitingEdt {
    /// Whether one of the pre-slots has no source.
    fn misses_one(&self) -> bool {
        self.slots.iter().any(|slot| slot.link.is_none())
    }
}

/// An EDT that waits for a block.
struct BlockWait {
    edt: Name,
    slot: u32,
    mode: Mode,
    block: Guid,
}

/// A block that somebody waits for.
struct HeldBlock {
    size: u64,
    /// How it is held.
    modes: Vec<&'static str>,
    holders: Vec<Holder>,
    creator: usize,
    /// Whether its parts hold it.
    closed: bool,
}

/// Who has a block.
enum Holder {
    /// The thread with this place among the threads, outside of an EDT.
    Thread(usize),
    /// An EDT that runs or waits in a call, and whether it has created the block.
    Running(Name, bool),
    /// An EDT that is ready to run.
    Ready(Name),
    /// An EDT on the device with this place among those in use.
    OnDevice(Name, usize),
    /// An EDT that waits for another block.
    Waiting(Name, Guid),
    /// A part of it, of this size, that has not been destroyed.
    Part(Guid, u64),
    /// It is a part, of a block that is to be had first.
    Whole(Guid),
}

/// A finish scope that is open.
struct OpenScope {
    edt: Name,
    output: Guid,
    /// Its EDTs that have not ended, as far as they are examined.
    edts: Vec<Name>,
    /// The finish EDTs of the scopes in it.
    scopes: Vec<Name>,
}

/// Whose end satisfies an event.
#[derive(Clone, Copy)]
enum Maker {
    /// An EDT's, and whether that waits for dependences.
    Edt(Name, bool),
    /// A finish scope's.
    Scope(usize),
}

/// What runs and what waits.
pub struct Snapshot<'a> {
    objects: &'a Objects,
    labels: &'a Labels,
    told: SnapshotInputs<'a>,
    waiting: Vec<WaitingEdt>,
    /// EDTs that wait for dependences, the ones that are not examined too.
    waiting_count: usize,
    /// EDTs that are past their pre-slots and have not ended.
    runnable_count: usize,
    /// Those of them that have a device as their place, and its number among those in use.
    on_devices: Vec<(Name, usize)>,
    /// Those that have the host as their place and do not run: they are ready, or wait for blocks.
    past: Vec<Name>,
    /// EDTs that run, by address.
    running: HashMap<usize, Name>,
    /// Which event each linked pre-slot waits for, and of which EDT it is: another may have it since.
    event_of: HashMap<u64, (Guid, Guid)>,
    /// The events that satisfy an event.
    sources: HashMap<Guid, Vec<Guid>>,
    makers: HashMap<Guid, Maker>,
    scopes: HashMap<usize, OpenScope>,
    block_waits: Vec<BlockWait>,
    blocks: HashMap<Guid, HeldBlock>,
}

impl<'a> Snapshot<'a> {
    /// Takes the snapshot.
    pub fn take(
        objects: &'a Objects,
        labels: &'a Labels,
        told: SnapshotInputs<'a>,
    ) -> Snapshot<'a> {
        let mut snapshot = Snapshot {
            objects,
            labels,
            told,
            waiting: Vec::new(),
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
        // What waits for nobody else comes first: it is what has to be mended. Before all, what misses
        // a dependence: that others wait for an event nobody satisfies may come of it.
        let mut waiting = std::mem::take(&mut snapshot.waiting);
        // Of those that do the same one comes first, then one of the next kind: of many that are alike few
        // are shown.
        let mut alike: HashMap<&str, usize> = HashMap::new();
        waiting.sort_by_cached_key(|edt| {
            let number = alike.entry(edt.name.work.name.best()).or_default();
            *number += 1;
            (!edt.misses_one(), !snapshot.is_root(edt), *number)
        });
        drop(alike);
        snapshot.waiting = waiting;
        // Those that a thread waits for come first.
        let events = snapshot
            .told
            .threads
            .iter()
            .filter_map(|thread| Some(thread.waits.as_ref()?.event));
        let awaited: HashSet<Guid> = events
            .flat_map(|event| snapshot.makers_of_event(event))
            .collect();
        let mut block_waits = std::mem::take(&mut snapshot.block_waits);
        block_waits.sort_by_key(|wait| !awaited.contains(&wait.edt.guid));
        snapshot.block_waits = block_waits;
        snapshot
    }

    /// The event that a pre-slot waits for, if it was found.
    fn event_at(&self, slot: &OpenSlot) -> Option<Guid> {
        let (_, event) = *self.event_of.get(&slot.link?.bits())?;
        (!event.is_null()).then(|| self.through(event))
    }

    /// The event that one of the runtime's depends on, for a program's; the same for others.
    fn through(&self, event: Guid) -> Guid {
        let sources = self.sources.get(&event);
        let source = sources.and_then(|sources| sources.first().copied());
        match source {
            Some(source) if is_between(self.objects, event) => source,
            _ => event,
        }
    }

    /// Whether it is an EDT that waits for dependences, and is looked into.
    fn is_waiting(&self, edt: Guid) -> bool {
        self.waiting.iter().any(|of| of.name.guid == edt)
    }

    /// The call that a pre-slot without a dependence waits for, since that waits itself.
    fn early_call(&self, edt: Guid, slot: u32) -> Option<&DeferredCallView> {
        let mut calls = self.told.early.iter();
        calls.find(|call| call.slot == Some((edt, slot)))
    }

    /// Why nothing is connected to a pre-slot, if that is known: its source has no object yet, or in
    /// strict mode, was an event that was destroyed; if there were several, the last.
    fn lacks(&self, edt: &WaitingEdt, slot: &OpenSlot) -> Option<String> {
        let (edt, at) = (edt.name.guid, slot.at);
        if let Some(call) = self.early_call(edt, at) {
            return Some(format!(
                "an object of {}, which nobody has created with a GUID_PROP_ property ({} by {})",
                call.name, call.by, call.who
            ));
        }
        self.told.history?.lost(edt, at).pop()
    }

    /// Whether an EDT waits for something that nothing which waits itself would bring.
    fn is_root(&self, edt: &WaitingEdt) -> bool {
        edt.slots.iter().any(|slot| match self.event_at(slot) {
            Some(event) => !self.sources.contains_key(&event) && !self.makers.contains_key(&event),
            None => slot.link.is_none(),
        })
    }

    /// The GUIDs of all EDTs that have not ended.
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

/// Whether an event is the runtime's own, between two objects.
fn is_between(objects: &Objects, guid: Guid) -> bool {
    let event = objects.events.lock(guid);
    event.is_some_and(|(event, _locked)| event.is_between())
}
