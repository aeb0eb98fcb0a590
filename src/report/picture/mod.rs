//! What waits for what: of a program that hangs, of one that runs (`SIGUSR1`), and as a graph.
//!
//! The picture is taken by one thread while others may change everything. So it reads an object's
//! fields under the lock of its header alone, one object at a time, and of an EDT that is past its
//! pre-slots only what does not change any more (its work, its finish scope, its output event, and
//! the blocks of its pre-slots), and its place. What two objects say may be of different moments, which makes a
//! picture of a running program a little untrue, never unsafe. Of a program that hangs it is exact.
//! The lock of an event is held while its list is walked, longer than anywhere else; who wants it
//! meanwhile gives its processor away, as in `header.rs`.
//!
//! | what is read | guarded by |
//! |---|---|
//! | state, pre-slots, scope and output of an EDT | its lock: it cannot be freed meanwhile, so its scope is open |
//! | the list of an event | the event's lock, which owns the links; EDTs in it are pinned |
//! | holders and queue of a block | the block's lock, to which the EDTs in the queue belong |
//! | what a thread does | numbers that the thread stores |

mod dot;
mod text;

use crate::check::history::History;
use crate::object::Objects;
use crate::object::collective::Collective;
use crate::object::data_block::Mark;
use crate::object::edt::{Edt, Mode, RUNNABLE, WAITER, WAITING};
use crate::object::event::{Event, EventKind};
use crate::object::guid::{Guid, Kind};
use crate::object::link::{Link, Target};
use crate::object::scope::Scope;
use crate::object::work::Work;
use crate::report::labels::Labels;
use crate::report::tally::Wait;
use std::collections::HashMap;
use std::fmt;

/// EDTs, blocks and scopes that are described one by one; the others are counted.
const SHOWN: usize = 20;

/// EDTs that are looked into, and links that are followed from one event.
const EXAMINED: usize = 100_000;

/// A thread, as the engine tells.
pub struct Thread {
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
pub struct Told<'a> {
    /// All threads that have a context.
    pub threads: Vec<Thread>,
    /// Number of workers.
    pub workers: usize,
    /// EDTs in the ready queues.
    pub ready: usize,
    /// Work in flight outside of the workers.
    pub in_flight: usize,
    /// The devices in use: their numbers, as `ocr info` says them, and names.
    pub devices: Vec<(usize, &'a str)>,
    /// Calls that wait for the object of a label.
    pub early: Vec<EarlyCall>,
    /// Since the start.
    pub seconds: f64,
    /// Whether nothing changes meanwhile.
    pub still: bool,
    /// Whether there are threads that may call the runtime at any time.
    pub free_threads: bool,
    /// What objects have been through, in strict mode.
    pub history: Option<&'a History>,
}

/// A call on a label that nobody has created an object on.
pub struct EarlyCall {
    /// The label.
    pub label: Guid,
    /// The same in words.
    pub name: String,
    /// The call.
    pub text: String,
    /// Its function, or what else has asked for it.
    pub by: &'static str,
    /// What it is for: an EDT or event.
    pub target: Guid,
    /// Who has made it.
    pub who: String,
    /// The pre-slot that it is for, if it is a dependence.
    pub slot: Option<(Guid, u32)>,
}

impl fmt::Display for EarlyCall {
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
    work: &'static Work,
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
pub struct Picture<'a> {
    objects: &'a Objects,
    labels: &'a Labels,
    told: Told<'a>,
    waiting: Vec<WaitingEdt>,
    /// EDTs that wait for dependences, the ones that are not examined too.
    waiting_count: usize,
    /// EDTs that are past their pre-slots and have not ended.
    runnable_count: usize,
    /// Those of them that have a device as their place, and its number among those in use.
    on_devices: Vec<(Name, usize)>,
    /// EDTs that run, by address.
    running: HashMap<usize, Name>,
    /// Which event each linked pre-slot waits for.
    event_of: HashMap<u64, Guid>,
    /// The events that satisfy an event.
    sources: HashMap<Guid, Vec<Guid>>,
    makers: HashMap<Guid, Maker>,
    scopes: HashMap<usize, OpenScope>,
    block_waits: Vec<BlockWait>,
    blocks: HashMap<Guid, HeldBlock>,
}

impl<'a> Picture<'a> {
    /// Takes the picture.
    pub fn take(objects: &'a Objects, labels: &'a Labels, told: Told<'a>) -> Picture<'a> {
        let mut picture = Picture {
            objects,
            labels,
            told,
            waiting: Vec::new(),
            waiting_count: 0,
            runnable_count: 0,
            on_devices: Vec::new(),
            running: HashMap::new(),
            event_of: HashMap::new(),
            sources: HashMap::new(),
            makers: HashMap::new(),
            scopes: HashMap::new(),
            block_waits: Vec::new(),
            blocks: HashMap::new(),
        };
        picture.look_at_edts();
        picture.look_at_events();
        picture.look_at_blocks();
        picture.find_holders();
        // What waits for nobody else comes first: it is what has to be mended. Before all, what misses
        // a dependence: that others wait for an event nobody satisfies may come of it.
        let mut waiting = std::mem::take(&mut picture.waiting);
        waiting.sort_by_cached_key(|edt| (!edt.misses_one(), !picture.is_root(edt)));
        picture.waiting = waiting;
        picture
    }

    fn look_at_edts(&mut self) {
        for (guid, _) in self.objects.edts.live() {
            let Some((edt, locked)) = self.objects.edts.lock(guid) else {
                continue;
            };
            let state = locked.word.state();
            match state {
                WAITING if edt.flags.get() & WAITER != 0 => continue,
                WAITING => self.waiting_count += 1,
                RUNNABLE => self.runnable_count += 1,
                _ => continue,
            }
            let name = Name {
                guid: edt.guid(),
                work: edt.work(),
            };
            let address = std::ptr::from_ref(edt) as usize;
            if state == RUNNABLE && self.told.threads.iter().any(|of| of.running == address) {
                self.running.insert(address, name);
            }
            if self.waiting_count + self.runnable_count > EXAMINED {
                continue;
            }
            if state == RUNNABLE
                && let Some(device) = edt.place.get().device_index()
            {
                self.on_devices.push((name, device));
            }
            if let Some(scope) = edt.finish_scope() {
                self.add_scope(scope, name);
            }
            let output = edt.output();
            if !output.is_null() {
                let maker = Maker::Edt(name, state == WAITING);
                self.makers.insert(output, maker);
            }
            if state == WAITING {
                let slots = open_slots(edt);
                for link in slots.iter().filter_map(|slot| slot.link) {
                    self.event_of.insert(link.bits(), Guid::NULL);
                }
                let depc = edt.depc.get();
                self.waiting.push(WaitingEdt { name, depc, slots });
            }
        }
    }

    /// Enters a scope that an EDT keeps open, and those around it.
    fn add_scope(&mut self, innermost: &Scope, member: Name) {
        let (mut scope, mut inner) = (innermost, None);
        loop {
            let address = std::ptr::from_ref(scope) as usize;
            let known = self.scopes.contains_key(&address);
            let entry = self.scopes.entry(address).or_insert_with(|| OpenScope {
                edt: Name {
                    guid: scope.edt.get(),
                    // SAFETY: works live as long as the runtime, and a scope has one.
                    work: unsafe { &*scope.work.get() },
                },
                output: scope.output.get(),
                edts: Vec::new(),
                scopes: Vec::new(),
            });
            match inner {
                None => entry.edts.push(member),
                Some(inner) => entry.scopes.push(inner),
            }
            if known {
                return;
            }
            inner = Some(entry.edt);
            if !entry.output.is_null() {
                self.makers.insert(entry.output, Maker::Scope(address));
            }
            // SAFETY: an open scope keeps the one that it is nested in open.
            let Some(outer) = (unsafe { scope.parent.get().as_ref() }) else {
                return;
            };
            scope = outer;
        }
    }

    fn look_at_events(&mut self) {
        for (guid, _) in self.objects.events.live() {
            let Some((event, _locked)) = self.objects.events.lock(guid) else {
                continue;
            };
            // The lists of a collective event are not guarded by its lock.
            let lists = match self.objects.events.inside(event) {
                Some(inside) if self.told.still => inside.waiting(),
                Some(_) => continue,
                None => vec![event.waiting.get()],
            };
            for list in lists {
                self.look_at_list(guid, list);
            }
        }
        for (edt, _) in self.objects.edts.live() {
            let output = (edt.kind() != Some(Kind::EdtHuge)).then(|| Guid::output_of(edt));
            let locked = output.and_then(|guid| self.objects.edts.lock_output(guid));
            if let (Some(guid), Some((_, _locked, list))) = (output, locked) {
                self.look_at_list(guid, list);
            }
        }
    }

    fn look_at_list(&mut self, event: Guid, mut link: Link) {
        for _ in 0..EXAMINED {
            link = match link.target() {
                Target::Edt { kind, index, slot } => {
                    if let Some(source) = self.event_of.get_mut(&link.bits()) {
                        *source = event;
                    }
                    match self.objects.edts.get(kind, index) {
                        Some(edt) => edt.slots()[slot as usize].rest(),
                        None => Link::END,
                    }
                }
                Target::Connector(index) => {
                    let (target, rest) = self.objects.events.look(index);
                    self.add_source(target, event);
                    rest
                }
                Target::Event { .. } => {
                    self.add_source(link, event);
                    Link::END
                }
                Target::End => break,
            };
        }
    }

    fn add_source(&mut self, target: Link, source: Guid) {
        if let Target::Event { guid, .. } = target.target() {
            self.sources.entry(guid).or_default().push(source);
        }
    }

    fn look_at_blocks(&mut self) {
        for (guid, _) in self.objects.data_blocks.live() {
            let Some((block, _locked)) = self.objects.data_blocks.lock(guid) else {
                continue;
            };
            let (mut first, _) = block.queue.get();
            if first.is_null() {
                continue;
            }
            for _ in 0..EXAMINED {
                // SAFETY: an EDT in the queue belongs to the queue, which the lock guards.
                let Some(edt) = (unsafe { first.as_ref() }) else {
                    break;
                };
                let slot = edt.cursor.get();
                self.block_waits.push(BlockWait {
                    edt: Name {
                        guid: edt.guid(),
                        work: edt.work(),
                    },
                    slot,
                    mode: edt.slots()[slot as usize].info().mode,
                    block: guid,
                });
                first = edt.link.get();
            }
            let holders = block.holders.get();
            let modes = [
                (holders.ew, "EW"),
                (holders.rw != 0, "RW"),
                (holders.constant != 0, "CONST"),
            ];
            let held = HeldBlock {
                size: block.size(),
                modes: modes
                    .iter()
                    .filter(|(held, _)| *held)
                    .map(|(_, name)| *name)
                    .collect(),
                holders: Vec::new(),
                creator: block.creator.load(std::sync::atomic::Ordering::Relaxed),
                closed: block.has(Mark::Closed),
            };
            self.blocks.insert(guid, held);
        }
    }

    /// Finds out who has the blocks that somebody waits for.
    fn find_holders(&mut self) {
        let mut blocks = std::mem::take(&mut self.blocks);
        let order_of = |block| self.objects.data_blocks.partitions.order_of(block);
        let orders = self.block_waits.iter().map(|wait| order_of(wait.block));
        let orders: Vec<_> = orders.collect();
        for (&guid, block) in &mut blocks {
            let creator = block.creator;
            if let Some(&name) = self.running.get(&creator) {
                block.holders.push(Holder::Running(name, true));
            }
            let threads = self.told.threads.iter().enumerate();
            let mut threads =
                threads.filter(|(_, thread)| creator != 0 && thread.holder == creator);
            if let Some((at, _)) = threads.next() {
                block.holders.push(Holder::Thread(at));
            }
            // The modes that conflict with others; RO holders keep nobody waiting.
            let of_running = self.running.values().filter(|name| self.names(name, guid));
            let of_running = of_running.map(|&name| Holder::Running(name, false));
            block.holders.extend(of_running);
            // An EDT acquires its blocks in their order.
            let order = order_of(guid);
            let of_waiting = self.block_waits.iter().zip(&orders);
            let of_waiting = of_waiting.filter(|(_, other)| **other > order);
            let of_waiting = of_waiting.map(|(other, _)| other);
            let of_waiting = of_waiting.filter(|other| self.names(&other.edt, guid));
            let of_waiting = of_waiting.map(|other| Holder::Waiting(other.edt, other.block));
            block.holders.extend(of_waiting.take(SHOWN));
            let blocks = &self.objects.data_blocks;
            let whole = blocks.partitions.awaited(guid).map(Holder::Whole);
            let is_open = whole.is_none();
            block.holders.extend(whole);
            if block.closed && is_open {
                block.holders.clear();
                let parts = blocks.partitions.parts_of(guid).into_iter();
                let sized = parts.filter_map(|part| {
                    let (block, _locked) = blocks.lock(part)?;
                    Some(Holder::Part(part, block.size()))
                });
                block.holders.extend(sized);
            }
        }
        self.blocks = blocks;
    }

    /// Whether one of the pre-slots of an EDT that is past them has this block.
    fn names(&self, edt: &Name, block: Guid) -> bool {
        let locked = self.objects.edts.lock(edt.guid);
        locked.is_some_and(|(edt, locked)| {
            locked.word.state() == RUNNABLE && edt.slots().iter().any(|slot| slot.data() == block)
        })
    }

    /// The event that a pre-slot waits for, if it was found.
    fn event_at(&self, slot: &OpenSlot) -> Option<Guid> {
        let event = *self.event_of.get(&slot.link?.bits())?;
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
    fn early_call(&self, edt: Guid, slot: u32) -> Option<&EarlyCall> {
        let mut calls = self.told.early.iter();
        calls.find(|call| call.slot == Some((edt, slot)))
    }

    /// Why nothing is connected to a pre-slot, if that is known: its source has no object yet, or in
    /// strict mode, was an event that was destroyed; if there were several, the last.
    fn lacks(&self, edt: &WaitingEdt, slot: &OpenSlot) -> Option<String> {
        let (edt, at) = (edt.name.guid, slot.at);
        if let Some(call) = self.early_call(edt, at) {
            return Some(format!(
                "an object of {}, which nobody has created ({} by {})",
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
                WAITING => edt.flags.get() & WAITER == 0,
                state => state == RUNNABLE,
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

fn open_slots(edt: &Edt) -> Vec<OpenSlot> {
    let slots = edt.slots().iter().enumerate();
    slots
        .filter_map(|(at, slot)| {
            let at = at as u32;
            let link = slot.connected_mode().map(|_| edt.link_to(at));
            (link.is_some() || slot.is_unconnected()).then_some(OpenSlot { at, link })
        })
        .collect()
}

/// Whether an event is the runtime's own, between two objects.
fn is_between(objects: &Objects, guid: Guid) -> bool {
    let event = objects.events.lock(guid);
    event.is_some_and(|(event, _locked)| event.is_between())
}

/// The kind of an event, if it exists, and what it lacks if it has not triggered.
fn kind_and_lack(objects: &Objects, guid: Guid) -> Option<(EventKind, String)> {
    match guid.is_output() {
        true => objects
            .event_kind(guid)
            .map(|kind| (kind, UNSATISFIED.into())),
        false => {
            let event = objects.events.lock(guid);
            let (kind, lack) = event.map(|(event, _locked)| (event.kind(), lack(event)))?;
            let inside = objects.events.collective(guid);
            Some((kind, inside.map_or(lack, |inside| lack_inside(&inside))))
        }
    }
}

const UNSATISFIED: &str = "which nobody has satisfied (ocrEventSatisfy)";

/// What an event that has not triggered lacks: a line for each kind.
fn lack(event: &Event) -> String {
    match event.kind() {
        EventKind::Once | EventKind::Idempotent | EventKind::Sticky | EventKind::Counted => {
            UNSATISFIED.into()
        }
        EventKind::Channel => {
            let more = event.counter.get().unsigned_abs();
            let noun = if more == 1 {
                "dependence"
            } else {
                "dependences"
            };
            format!(
                "which lacks a partner: {more} more {noun} than satisfactions (ocrEventSatisfy)"
            )
        }
        // What it lacks is inside: `lack_inside`, without the event's lock.
        EventKind::Collective => String::new(),
        EventKind::Latch => match event.counter.get() {
            0 => "which nobody has satisfied: its counter is 0, and it triggers when a \
                  satisfaction brings the counter back to 0 (ocrEventSatisfySlot)"
                .into(),
            more @ 1.. => {
                format!("whose counter is {more}: it lacks {more} on OCR_EVENT_LATCH_DECR_SLOT")
            }
            less => format!(
                "whose counter is {less}: it lacks {} on OCR_EVENT_LATCH_INCR_SLOT",
                less.unsigned_abs()
            ),
        },
    }
}

/// What a collective event lacks.
fn lack_inside(event: &Collective) -> String {
    let (generation, slots) = event.missing(SHOWN + 1);
    let more = if slots.len() > SHOWN { " and more" } else { "" };
    let slots: Vec<String> = (slots.iter().take(SHOWN)).map(usize::to_string).collect();
    let noun = if slots.len() == 1 { "slot" } else { "slots" };
    format!(
        "which lacks contributions to generation {generation} from {noun} {}{more} \
         (ocrEventCollectiveSatisfySlot)",
        slots.join(", ")
    )
}

/// The numbers of an event that counts: a line for each kind, or nothing.
fn counts(objects: &Objects, guid: Guid) -> Option<String> {
    let (event, locked) = objects.events.lock(guid)?;
    let counter = event.counter.get();
    match event.kind() {
        EventKind::Once | EventKind::Idempotent | EventKind::Sticky => None,
        EventKind::Latch => Some(format!("counter {counter}")),
        EventKind::Counted => Some(format!("dependences to come: {counter}")),
        EventKind::Channel => {
            let what = match counter > 0 {
                true => "satisfactions",
                false => "dependences",
            };
            let bound = match event.bound() {
                i64::MAX => String::new(),
                bound => format!(" of {bound}"),
            };
            let waiting = counter.unsigned_abs();
            Some(format!("{what} that wait: {waiting}{bound}"))
        }
        EventKind::Collective => {
            let inside = objects.events.inside(event)?;
            drop(locked);
            let all = inside.params.contributors;
            let (generation, missing) = inside.missing(all as usize);
            let missing = missing.len();
            Some(format!(
                "generation {generation}: {missing} of {all} contributions missing"
            ))
        }
    }
}
