//! Makes of the records of a run what each EDT did to which object, and what orders that.
//!
//! What an EDT does falls into *segments*, one after the other. A segment is one point of the order. In it first come
//! things that have happened when others may begin (a release, an increment of a latch), then the calls by which others
//! may begin. A thing behind such a call begins the next segment, and so does the end of a wait.
//!
//! These come before each other, as in the consistency model for OCR: a call that creates an EDT, or connects or
//! satisfies one of its pre-slots, before its begin; the release of a block by an EDT that holds it, or its end, before
//! the begin of an EDT that has got the block meanwhile in a mode that has to wait for that; each satisfaction of an
//! event before its trigger, and that before what it satisfies; the end of an EDT before its output event; all EDTs of
//! a finish scope before the output event of its EDT.
//!
//! A call about an object of another node is made by that node's thread of the link. It is the doing of the EDT that
//! has sent it, at the point at which that was sent, which is a segment of its own. An EDT of the runtime's that waits
//! for an event on behalf of another node, a *stand-in*, is a point in between: what is sent when the event has
//! triggered comes behind the stand-in's begin.

mod called;
mod channels;

use self::channels::Channels;
use super::order::{Edges, NONE};
use super::things::{Actor, Deed, Did, SeenBlock, SeenEvent, Use, Written};
use crate::recorded::TOLERANCE;
use ocr_base::text::counted;
use ocr_trace::format::{Asked, CHANGED, CHANGED_SINCE_GIVEN, LOOKED_AT, NOT_LOOKED_AT, Record, RecordKind};
use ocr_trace::nodes::RunFiles;
use ocr_trace::numbers::{EventKind, Mode, WorkKind};
use ocr_trace::reader::TraceEvent;
use rustc_hash::FxHashMap;

/// A message that one node has sent to another: whose doing it is, and at which point.
#[derive(Clone, Copy)]
struct SentMessage {
    actor: u32,
    point: u32,
    /// Whether it passes on what an event was satisfied with: then nobody has called.
    passes: bool,
}

/// What a thread is doing at the record that is looked at.
#[derive(Default)]
struct ThreadWork {
    /// What acts on the thread: 1 + its number, or 0 for none yet.
    actor: u32,
    /// The actor that is the thread itself: 1 + its number, or 0 for none yet.
    own: u32,
    /// The message that the thread handles. None where it handles none.
    message: Option<SentMessage>,
    /// The EDT that was created last on the thread.
    last_created: Option<u32>,
    /// The uses of blocks of the EDT that runs, or has run last.
    open: FxHashMap<u32, u32>,
    /// The latest time of its former records, in ticks: what they tell of came before the next thing that it does.
    written: u64,
}

/// All that was gathered.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) edges: Edges,
    pub(super) actors: Vec<Actor>,
    pub(super) uses: Vec<Use>,
    pub(super) blocks: Vec<SeenBlock>,
    pub(super) events: Vec<SeenEvent>,
    pub(super) on_events: Vec<Deed>,
    pub(super) on_edts: Vec<Deed>,
    pub(super) on_blocks: Vec<Deed>,
    /// The name of each work.
    pub(super) names: FxHashMap<u64, String>,
    /// The labels of objects.
    pub(super) labels: FxHashMap<u64, String>,
    /// The number of EDTs.
    pub(super) edts: u64,
    /// Sentences about what is missing.
    pub(super) gaps: Vec<String>,
    /// By how many ticks the times of two threads may differ wrongly.
    pub(super) tolerance: u64,
    by_guid: FxHashMap<u64, u32>,
    block_of: FxHashMap<u64, u32>,
    event_of: FxHashMap<u64, u32>,
    doing: FxHashMap<u32, ThreadWork>,
    /// Whether the run had several nodes.
    has_nodes: bool,
    /// The message that the thread of the record handles that is looked at.
    message: Option<SentMessage>,
    /// Messages on their way: by the two nodes and the number.
    sent: FxHashMap<(u32, u32, u64), SentMessage>,
    /// How many messages came that were never seen to be sent.
    unsent: u64,
    /// The number of each work, by its node and address.
    works: FxHashMap<(u32, u64), u64>,
    /// Which event each pre-slot of an EDT is connected to that is not satisfied yet.
    linked: FxHashMap<(u32, u32), u32>,
    /// The points of the generations of collective events.
    generations: Vec<Vec<u32>>,
    /// What came to channel events, and went from them.
    channels: Channels,
    /// How often each side of a collective event was used, by event and slot.
    turns: FxHashMap<(u32, u32, bool), u32>,
    /// Events that are satisfied by the ends of EDTs.
    outputs: Vec<(u32, u32)>,
    /// Uses of blocks during which an EDT has got the block in a mode that has to wait for their end, and the begin of
    /// that EDT.
    held_back: Vec<(u32, u32)>,
}

/// Gathers what the records of the nodes of a run say.
pub(super) fn gather(files: &RunFiles) -> Result<Gathered, String> {
    let mut all = Gathered {
        gaps: files.faults.clone(),
        tolerance: files.scale().ticks(TOLERANCE),
        has_nodes: files.files().count() > 1,
        ..Gathered::default()
    };
    if files.files().any(|file| file.lost != 0) {
        all.gaps.push("there was no room for some records".to_string());
    }
    let faults = files.for_each(|node, event| all.see(node, event))?;
    all.gaps.extend(faults);
    if all.unsent != 0 {
        let many = counted(all.unsent, "message");
        all.gaps.push(format!("{many} came to a node before the records tell that it was sent"));
    }
    if all.has_nodes {
        all.join_works();
    }
    all.finish();
    Ok(all)
}

impl Gathered {
    fn new_actor(&mut self, guid: u64) -> u32 {
        let begin = self.edges.point();
        self.actors.push(Actor {
            guid,
            work: 0,
            paramc: 0,
            parent: NONE,
            created: NONE,
            scope: NONE,
            is_finish: false,
            begin,
            now: begin,
            has_led_on: false,
            scope_end: NONE,
            began: 0,
            ended: 0,
            looked_at: 0..0,
            thread: 0,
            on_host: false,
            last_use: NONE,
            output: NONE,
            stands_for: NONE,
        });
        self.actors.len() as u32 - 1
    }

    /// The number of an EDT by its GUID.
    fn edt(&mut self, guid: u64) -> u32 {
        if let Some(&known) = self.by_guid.get(&guid) {
            return known;
        }
        let new = self.new_actor(guid);
        self.by_guid.insert(guid, new);
        self.edts += 1;
        new
    }

    /// What acts on a thread.
    fn actor(&mut self, owner: u32) -> u32 {
        let doing = self.doing.entry(owner).or_default();
        let known = if doing.actor == 0 { doing.own } else { doing.actor };
        if let Some(known) = known.checked_sub(1) {
            return known;
        }
        let new = self.new_actor(0);
        let doing = self.doing.entry(owner).or_default();
        (doing.actor, doing.own) = (new + 1, new + 1);
        new
    }

    /// The number of a work, by its address on a node.
    fn work(&mut self, node: u32, address: u64) -> u64 {
        let next = self.works.len() as u64;
        *self.works.entry((node, address)).or_insert(next)
    }

    /// Has works of several nodes be one where they have one name.
    fn join_works(&mut self) {
        let mut first: FxHashMap<&str, u64> = FxHashMap::default();
        let mut works: Vec<(&u64, &String)> = self.names.iter().collect();
        works.sort_unstable();
        let joined: FxHashMap<u64, u64> =
            works.into_iter().map(|(&work, name)| (work, *first.entry(name).or_insert(work))).collect();
        for actor in &mut self.actors {
            actor.work = joined.get(&actor.work).copied().unwrap_or(actor.work);
        }
    }

    /// Whether an EDT is one of the runtime's that stands for something on another node.
    fn is_stand_in(&self, edt: u32) -> bool {
        let work = self.actors[edt as usize].work;
        self.has_nodes && self.names.get(&work).is_some_and(|name| name == WorkKind::Elsewhere.call())
    }

    /// The point of what an actor does now.
    fn now(&self, actor: u32) -> u32 {
        self.message.map_or(self.actors[actor as usize].now, |message| message.point)
    }

    /// The point of something that others may begin by.
    fn leads_on(&mut self, actor: u32) -> u32 {
        if let Some(SentMessage { point, .. }) = self.message {
            return point;
        }
        let actor = &mut self.actors[actor as usize];
        actor.has_led_on = true;
        actor.now
    }

    /// The point of something that has happened before what an actor does next.
    fn happens(&mut self, actor: u32) -> u32 {
        if let Some(SentMessage { point, .. }) = self.message {
            return point;
        }
        let at = &self.actors[actor as usize];
        if !at.has_led_on {
            return at.now;
        }
        self.next_segment(actor)
    }

    fn next_segment(&mut self, actor: u32) -> u32 {
        let point = self.edges.point();
        let at = &mut self.actors[actor as usize];
        let former = std::mem::replace(&mut at.now, point);
        at.has_led_on = false;
        self.edges.before(former, point);
        point
    }

    /// The number of the event that has a GUID now.
    fn event(&mut self, guid: u64) -> u32 {
        if let Some(&known) = self.event_of.get(&guid) {
            return known;
        }
        self.new_event(guid, None, NONE, 0)
    }

    fn new_event(&mut self, guid: u64, kind: Option<EventKind>, creator: u32, counter: i64) -> u32 {
        let created = match creator {
            NONE => NONE,
            creator => self.now(creator),
        };
        let is_collective = kind == Some(EventKind::Collective);
        let point = self.edges.point();
        self.events.push(SeenEvent {
            guid,
            kind,
            creator,
            created,
            point,
            counter,
            is_satisfied: false,
            generations: if is_collective { self.generations.len() as u32 } else { NONE },
            is_gone: false,
        });
        if is_collective {
            self.generations.push(Vec::new());
        }
        let new = self.events.len() as u32 - 1;
        self.event_of.insert(guid, new);
        new
    }

    /// The point at which an event passes on what it was satisfied with this time, by which block if that is known;
    /// `takes` where something is connected to it, and otherwise it is satisfied.
    fn turn(&mut self, event: u32, slot: u32, block: Option<u64>, takes: bool) -> u32 {
        let SeenEvent { kind, point, generations, .. } = self.events[event as usize];
        if kind == Some(EventKind::Channel) {
            let point = self.edges.point();
            if takes {
                self.channels.got(event, point, block);
            } else {
                self.channels.sent(event, point, block);
            }
            return point;
        }
        if generations == NONE {
            return point;
        }
        let turns = self.turns.entry((event, slot, takes)).or_default();
        let turn = *turns as usize;
        *turns += 1;
        let points = &mut self.generations[generations as usize];
        while points.len() <= turn {
            points.push(self.edges.point());
        }
        points[turn]
    }

    /// Notes that an event is satisfied at a point, by which block if that is known.
    fn satisfied(&mut self, event: u32, slot: u32, block: Option<u64>, point: u32) {
        let its = &mut self.events[event as usize];
        // What comes later to an idempotent event has no effect.
        let again = std::mem::replace(&mut its.is_satisfied, true);
        if again && its.kind == Some(EventKind::Idempotent) {
            return;
        }
        let turn = self.turn(event, slot, block, false);
        self.edges.before(point, turn);
    }

    /// The use of a block by what acts on a thread.
    fn open_use(&self, owner: u32, actor: u32, block: u32) -> Option<u32> {
        if self.message.is_none() {
            return self.doing.get(&owner)?.open.get(&block).copied();
        }
        // It runs on another thread.
        let mut at = self.actors[actor as usize].last_use;
        while at != NONE && self.uses[at as usize].block != block {
            at = self.uses[at as usize].next;
        }
        (at != NONE).then_some(at)
    }

    /// An actor gives a block to others, and is taken to be done with it.
    fn gives(&mut self, owner: u32, actor: u32, guid: u64) {
        let Some(&block) = self.block_of.get(&guid) else {
            return;
        };
        let Some(at) = self.open_use(owner, actor, block) else {
            return;
        };
        if self.uses[at as usize].end == NONE {
            let end = self.happens(actor);
            self.uses[at as usize].end = end;
        }
    }

    /// An actor holds a block no more.
    fn released(&mut self, owner: u32, actor: u32, guid: u64) {
        let block = self.block_of.get(&guid).copied();
        let held = block.and_then(|block| self.open_use(owner, actor, block));
        if let Some(at) = held
            && self.uses[at as usize].released == NONE
        {
            self.uses[at as usize].released = self.happens(actor);
        }
    }

    fn new_use(&mut self, actor: u32, block: u32, start: u32, mode: Mode, written: Written) -> u32 {
        let new = self.uses.len() as u32;
        let next = std::mem::replace(&mut self.actors[actor as usize].last_use, new);
        self.uses.push(Use {
            actor,
            block,
            start,
            end: NONE,
            released: NONE,
            next,
            mode,
            written,
            is_filled: false,
            midst: NONE,
            is_late: false,
        });
        new
    }

    fn see(&mut self, node: u32, event: TraceEvent) {
        let (record, owner) = (event.record, event.owner);
        self.message = self.doing.get(&owner).and_then(|doing| doing.message);
        self.look_at(record, (node, owner), event.text);
        // That which names the thread is written with its first one, when blocks may have been looked at for long.
        if RecordKind::of(record.kind) != Some(RecordKind::Thread) {
            let former = &mut self.doing.entry(owner).or_default().written;
            *former = record.ticks.max(*former);
        }
    }

    fn look_at(&mut self, record: Record, (node, owner): (u32, u32), text: String) {
        match RecordKind::of(record.kind) {
            Some(RecordKind::Template) => {
                let work = self.work(node, record.x);
                self.names.insert(work, text);
            }
            Some(RecordKind::Label) => drop(self.labels.insert(record.x, text)),
            Some(RecordKind::Created) => {
                let (edt, parent) = (self.edt(record.x), self.actor(owner));
                let created = self.leads_on(parent);
                self.doing.entry(owner).or_default().last_created = Some(edt);
                let work = self.work(node, record.y);
                self.actors[edt as usize].work = work;
                let is_stand_in = self.is_stand_in(edt);
                self.edts -= u64::from(is_stand_in);
                let maker = &self.actors[parent as usize];
                let scope = match maker.is_finish {
                    _ if is_stand_in => NONE,
                    true => parent,
                    false => maker.scope,
                };
                let new = &mut self.actors[edt as usize];
                (new.parent, new.created) = (parent, created);
                (new.scope, new.is_finish) = (scope, record.c != 0);
                new.paramc = record.a;
                let begin = new.begin;
                self.edges.before(created, begin);
            }
            Some(RecordKind::Linked) => self.linked(owner, record),
            Some(RecordKind::Satisfied) => self.slot_satisfied(owner, record),
            Some(RecordKind::Begin) => {
                let edt = self.edt(record.x);
                self.begins(edt, record.ticks);
                let from = self.doing.entry(owner).or_default().written;
                let its = &mut self.actors[edt as usize];
                its.on_host = true;
                its.looked_at.start = from;
                its.thread = owner;
                self.takes_over(owner, edt);
            }
            Some(RecordKind::Sent) => {
                let actor = self.actor(owner);
                let (point, passes) = match record.y {
                    0 => (self.happens(actor), false),
                    stand_in => {
                        let edt = self.edt(stand_in);
                        (self.actors[edt as usize].begin, true)
                    }
                };
                if !passes {
                    self.leads_on(actor);
                }
                self.sent.insert((node, u32::from(record.b), record.x), SentMessage { actor, point, passes });
            }
            Some(RecordKind::Came) => {
                let message = self.sent.remove(&(u32::from(record.b), node, record.x));
                self.unsent += u64::from(message.is_none() && record.x != 0);
                let doing = self.doing.entry(owner).or_default();
                // What leads to nothing is the doing of the thread itself.
                doing.actor = message.map_or(0, |message| message.actor + 1);
                doing.message = message;
                doing.open.clear();
            }
            Some(RecordKind::End) => {
                let edt = self.edt(record.x);
                self.happens(edt);
                let its = &mut self.actors[edt as usize];
                its.ended = record.ticks;
                its.looked_at.end = record.ticks;
            }
            Some(RecordKind::Launched) => {
                let edt = self.edt(record.x);
                self.begins(edt, record.ticks);
                self.actors[edt as usize].on_host = false;
            }
            Some(RecordKind::KernelEnd) => {
                let edt = self.edt(record.x);
                let its = &mut self.actors[edt as usize];
                its.ended = record.ticks;
                its.looked_at.end = record.ticks;
                its.thread = owner;
                self.takes_over(owner, edt);
            }
            Some(RecordKind::Block) => {
                let creator = self.actor(owner);
                let created = self.happens(creator);
                self.block_of.insert(record.x, self.blocks.len() as u32);
                self.blocks.push(SeenBlock {
                    guid: record.x,
                    size: record.y,
                    creator,
                    created,
                    is_programs: false,
                    is_divided: false,
                });
            }
            Some(RecordKind::Called) => {
                if let Some(asked) = Asked::of(record.a) {
                    self.called(owner, asked, record);
                }
            }
            Some(RecordKind::Changed) => self.changed(owner, record),
            _ => {}
        }
    }

    fn begins(&mut self, edt: u32, ticks: u64) {
        let its = &mut self.actors[edt as usize];
        (its.began, its.looked_at) = (ticks, ticks..u64::MAX);
    }

    /// What happens on a thread from here on is the doing of an EDT.
    fn takes_over(&mut self, owner: u32, edt: u32) {
        let mut open = FxHashMap::default();
        let mut at = self.actors[edt as usize].last_use;
        while at != NONE {
            let (block, mode) = (self.uses[at as usize].block, self.uses[at as usize].mode);
            // Where an EDT has a block in several pre-slots, it holds it once.
            if let Some(other) = open.insert(block, at) {
                let other = std::mem::replace(&mut self.uses[other as usize].mode, Mode::Null);
                self.uses[at as usize].mode = mode.combined(other);
            }
            at = self.uses[at as usize].next;
        }
        let doing = self.doing.entry(owner).or_default();
        (doing.message, self.message) = (None, None);
        if doing.actor != edt + 1 {
            (doing.actor, doing.open) = (edt + 1, open);
        }
    }

    /// Notes what another than the creator has done to an EDT.
    fn on_edt(&mut self, edt: u32, actor: u32, point: u32, did: Did) {
        let passes = self.message.is_some_and(|message| message.passes);
        if self.actors[edt as usize].parent != actor && !passes {
            self.on_edts.push(Deed { object: edt, actor, point, did });
        }
    }

    fn slot_satisfied(&mut self, owner: u32, record: Record) {
        let (edt, actor) = (self.edt(record.x), self.actor(owner));
        // A pre-slot whose event is gone, which had not satisfied it, takes another source.
        let through = self.linked.remove(&(edt, record.c)).filter(|&event| !self.events[event as usize].is_gone);
        let begin = self.actors[edt as usize].begin;
        let known = through.is_some_and(|event| {
            let event = &self.events[event as usize];
            event.creator != NONE && event.generations == NONE && event.kind != Some(EventKind::Channel)
        });
        if let Some(event) = through
            && self.events[event as usize].kind == Some(EventKind::Channel)
        {
            let turn = self.turn(event, 0, Some(record.y), true);
            self.edges.before(turn, begin);
        }
        if through.is_none() {
            self.gives(owner, actor, record.y);
            let point = self.leads_on(actor);
            self.edges.before(point, begin);
            self.on_edt(edt, actor, point, Did::Connect);
        } else if !known || self.actors[actor as usize].ended != 0 {
            // Where the record of the event says nothing of what satisfies it, this does. So it does where an EDT has
            // returned an event, and its output event waits for that.
            let point = self.leads_on(actor);
            self.edges.before(point, begin);
        }
        let mode = Mode::from_bits(u32::from(record.a)).unwrap_or(Mode::Null);
        // One that stands for another node has a block while that node's EDTs use it, or passes its GUID on.
        if mode != Mode::Null
            && !self.is_stand_in(edt)
            && let Some(&block) = self.block_of.get(&record.y)
        {
            if let Some(at) = self.open_use(owner, actor, block) {
                let its = &self.uses[at as usize];
                let by = &self.actors[its.actor as usize];
                let is_held = its.released == NONE && by.guid != 0 && by.ended == 0;
                if is_held && its.mode.excludes(mode) {
                    self.held_back.push((at, begin));
                }
            }
            self.new_use(edt, block, begin, mode, Written::Unseen);
        }
    }

    fn changed(&mut self, owner: u32, record: Record) {
        let actor = self.actor(owner);
        let its = &mut self.actors[actor as usize];
        its.looked_at.end = its.looked_at.end.max(record.ticks);
        let Some(&block) = self.block_of.get(&record.x) else {
            return;
        };
        let Some(at) = self.open_use(owner, actor, block) else {
            return;
        };
        if record.a & CHANGED != 0 {
            self.uses[at as usize].written = Written::Parts(record.y, record.c);
        }
        if record.a & NOT_LOOKED_AT != 0 {
            self.uses[at as usize].written = Written::Perhaps;
        }
        if record.a & CHANGED_SINCE_GIVEN != 0 {
            if self.actors[actor as usize].ended != 0 {
                self.uses[at as usize].is_late = true;
            } else {
                let end = self.happens(actor);
                self.uses[at as usize].midst = end;
            }
        }
    }

    fn on_event(&mut self, event: u32, actor: u32, point: u32, did: Did) {
        self.on_events.push(Deed { object: event, actor, point, did });
    }

    /// When all records have been looked at: what could not be known before.
    fn finish(&mut self) {
        for edt in 0..self.actors.len() {
            if self.actors[edt].is_finish {
                self.actors[edt].scope_end = self.edges.point();
            }
        }
        for actor in &self.actors {
            let outer = |scope: u32| match scope {
                NONE => NONE,
                scope => self.actors[scope as usize].scope_end,
            };
            if actor.guid == 0 || actor.stands_for != NONE {
                continue;
            }
            if actor.is_finish {
                self.edges.before(actor.now, actor.scope_end);
                self.edges.before(actor.scope_end, outer(actor.scope));
            } else {
                self.edges.before(actor.now, outer(actor.scope));
            }
        }
        for (edt, event) in std::mem::take(&mut self.outputs) {
            let Actor { is_finish, now, scope_end, .. } = self.actors[edt as usize];
            // What never ran, as an EDT that was destroyed, has satisfied nothing.
            if self.actors[edt as usize].began == 0 {
                continue;
            }
            let point = if is_finish { scope_end } else { now };
            self.on_event(event, edt, point, Did::Satisfy);
            self.satisfied(event, 0, None, point);
        }
        for (sent, got) in std::mem::take(&mut self.channels).pairs() {
            self.edges.before(sent, got);
        }
        for (at, begin) in std::mem::take(&mut self.held_back) {
            let its = &self.uses[at as usize];
            let point = match its.released {
                NONE => self.actors[its.actor as usize].now,
                point => point,
            };
            self.edges.before(point, begin);
        }
        for at in 0..self.uses.len() {
            let actor = &self.actors[self.uses[at].actor as usize];
            let actor = match actor.stands_for {
                NONE => actor,
                by => {
                    self.uses[at].actor = by;
                    self.uses[at].end = NONE;
                    &self.actors[by as usize]
                }
            };
            let its = &mut self.uses[at];
            if its.end == NONE {
                its.end = if its.is_filled { its.start } else { actor.now };
            }
            let size = self.blocks[its.block as usize].size;
            its.written = match its.written {
                _ if !its.mode.writes() => Written::No,
                Written::Unseen if actor.on_host && actor.ended != 0 && size <= LOOKED_AT as u64 => Written::No,
                Written::Unseen => Written::Perhaps,
                written => written,
            };
        }
        self.by_guid = FxHashMap::default();
        self.block_of = FxHashMap::default();
        self.event_of = FxHashMap::default();
        self.doing = FxHashMap::default();
        self.linked = FxHashMap::default();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_looked_at_before_the_first_record_of_a_thread_is_written() {
        let mut all = Gathered::default();
        let (mut written, edt) = (0, 7);
        let records =
            [(RecordKind::Thread, 90), (RecordKind::Busy, 40), (RecordKind::Begin, 95), (RecordKind::End, 97)];
        for (kind, ticks) in records {
            written = ticks.max(written);
            let record = Record { ticks, kind: kind as u8, x: edt, ..Record::default() };
            all.see(0, TraceEvent { owner: 1, written, record, text: String::new() });
        }
        let actor = all.by_guid[&edt];
        assert_eq!(all.actors[actor as usize].looked_at, 40..97);
    }
}
