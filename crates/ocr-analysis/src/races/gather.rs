//! Makes of the records of a run what each EDT did to which object, and what orders that.
//!
//! What an EDT does falls into *segments*, one after the other. A segment is one point of the order. In it first come
//! things that have happened when others may begin (a release, an increment of a latch), then the calls by which others
//! may begin. A thing behind such a call begins the next segment, and so does the end of a wait.
//!
//! These come before each other, as in the consistency model for OCR: a call that creates an EDT, or connects or satisfies
//! one of its pre-slots, before its begin; the release of a block by an EDT that holds it, or its end, before the begin of an
//! EDT that has got the block meanwhile in a mode that has to wait for that; each satisfaction of an event before its trigger, and that before what it
//! satisfies; the end of an EDT before its output event; all EDTs of a finish scope before the output event of its EDT.

use super::order::{Edges, NONE};
use crate::recorded::TOLERANCE;
use ocr_trace::format::{
    Asked, CHANGED, CHANGED_SINCE_GIVEN, LOOKED_AT, NOT_LOOKED_AT, Record, RecordKind,
};
use ocr_trace::numbers::{EventKind, Mode};
use ocr_trace::reader::{RecordingFile, TraceEvent};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// What does things: an EDT, or a thread outside of EDTs.
pub(super) struct Actor {
    /// The bits of the EDT's GUID; 0 for a thread.
    pub(super) guid: u64,
    /// The work of the EDT.
    pub(super) work: u64,
    /// How many parameters the EDT has.
    pub(super) paramc: u8,
    /// The actor that created this one.
    pub(super) parent: u32,
    /// In which segment of its creator it was created.
    pub(super) created: u32,
    /// The EDT in whose finish scope this one is.
    scope: u32,
    is_finish: bool,
    /// The first segment.
    pub(super) begin: u32,
    /// The current segment, and in the end the last one.
    pub(super) now: u32,
    /// Whether others may have begun by what was done in the current segment.
    has_led_on: bool,
    /// The end of the finish scope of a finish EDT.
    scope_end: u32,
    /// When the EDT began and ended, in ticks. 0 for never.
    pub(super) began: u64,
    pub(super) ended: u64,
    /// From when and until when its blocks were looked at for what it changes, in ticks. Others' changes in that time seem
    /// to be its own. Kept words are read before the begin, and compared behind the end.
    pub(super) looked_at: Range<u64>,
    /// The number of the thread that ran it.
    pub(super) thread: u32,
    /// Whether a worker ran it, so that its blocks were looked at.
    pub(super) on_host: bool,
    /// The last of its uses of blocks, which lead to the others.
    last_use: u32,
    /// The EDT that it has created last.
    last_created: u32,
    /// The actor that waits by this EDT, which does not run.
    stands_for: u32,
}

/// What is known of the writes of a use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Written {
    /// Nothing is known yet.
    Unseen,
    /// Nothing was written.
    No,
    /// It may have written some of the block, or all.
    Perhaps,
    /// These 64ths, and words with these numbers modulo 32.
    Parts(u64, u32),
    /// It made the block, and fills it.
    All,
}

/// A use of a block by an actor.
pub(super) struct Use {
    pub(super) actor: u32,
    pub(super) block: u32,
    /// From and to which point the block is used.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Where the actor has released the block before its own end.
    released: u32,
    /// The former use of the actor.
    next: u32,
    pub(super) mode: Mode,
    pub(super) written: Written,
    /// Whether it is a new block that counts as filled before others can begin by what its creator does next.
    is_filled: bool,
    /// Whether the block has changed behind `end` while the actor ran.
    pub(super) is_late: bool,
    /// Up to where the actor has changed the block since it was given to others, if nobody else did. NONE if it has not.
    pub(super) midst: u32,
}

/// A block.
pub(super) struct Block {
    pub(super) guid: u64,
    pub(super) size: u64,
    pub(super) creator: u32,
    pub(super) created: u32,
    /// Whether the program has created it, and not the runtime for a copy or a result.
    pub(super) is_programs: bool,
    /// Whether it has been divided, so that others use its memory by other names.
    pub(super) is_divided: bool,
}

/// An event.
pub(super) struct Event {
    pub(super) guid: u64,
    pub(super) kind: Option<EventKind>,
    pub(super) creator: u32,
    pub(super) created: u32,
    /// Its trigger.
    pub(super) point: u32,
    /// The first value of a latch's counter.
    pub(super) counter: i64,
    /// Whether it has been satisfied.
    is_satisfied: bool,
    /// The points of its generations, if it has more than one.
    generations: u32,
}

/// What was done to an event, or an EDT that had been created.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub(super) enum Did {
    /// It was satisfied; a latch was decremented.
    Satisfy,
    /// A latch was incremented.
    Increment,
    /// Something was connected to it.
    Connect,
    /// It was destroyed.
    Destroy,
    /// It was to be satisfied in vain.
    SatisfyInVain,
}

/// Something that was done to an object.
#[derive(Clone, Copy)]
pub(super) struct Deed {
    /// The number of the event, or of the EDT or block.
    pub(super) object: u32,
    pub(super) actor: u32,
    pub(super) point: u32,
    pub(super) did: Did,
}

/// What a thread is doing at the record that is looked at.
#[derive(Default)]
struct Doing {
    /// What acts on the thread: 1 + its number, or 0 for none yet.
    actor: u32,
    /// The uses of blocks of the EDT that runs, or has run last.
    open: FxHashMap<u32, u32>,
    /// When the thread has written its former record, in ticks.
    written: u64,
}

/// All that was gathered.
#[derive(Default)]
pub(super) struct Gathered {
    pub(super) edges: Edges,
    pub(super) actors: Vec<Actor>,
    pub(super) uses: Vec<Use>,
    pub(super) blocks: Vec<Block>,
    pub(super) events: Vec<Event>,
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
    doing: FxHashMap<u32, Doing>,
    /// Which event each pre-slot of an EDT is connected to that is not satisfied yet.
    linked: FxHashMap<(u32, u32), u32>,
    /// The points of the generations of events with several of them.
    generations: Vec<Vec<u32>>,
    /// How often each side of such an event was used, by event and slot.
    turns: FxHashMap<(u32, u32, bool), u32>,
    /// Events that are satisfied by the ends of EDTs.
    outputs: Vec<(u32, u32)>,
    kernels: FxHashMap<u64, u32>,
    /// Uses of blocks during which an EDT has got the block in a mode that has to wait for their end, and the begin of
    /// that EDT.
    held_back: Vec<(u32, u32)>,
}

/// Gathers what the records of a file say.
pub(super) fn gather(recording: &RecordingFile) -> Result<Gathered, String> {
    let mut all = Gathered {
        gaps: recording.faults.clone(),
        tolerance: recording.scale.ticks(TOLERANCE),
        ..Gathered::default()
    };
    if recording.lost != 0 {
        all.gaps
            .push("there was no room for some records".to_string());
    }
    let faults = recording.for_each(|event| all.see(event))?;
    all.gaps.extend(faults);
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
            last_created: NONE,
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
        let known = self.doing.entry(owner).or_default().actor;
        if let Some(known) = known.checked_sub(1) {
            return known;
        }
        let new = self.new_actor(0);
        self.doing.entry(owner).or_default().actor = new + 1;
        new
    }

    /// The point of something that others may begin by.
    fn leads_on(&mut self, actor: u32) -> u32 {
        let actor = &mut self.actors[actor as usize];
        actor.has_led_on = true;
        actor.now
    }

    /// The point of something that has happened before what an actor does next.
    fn happens(&mut self, actor: u32) -> u32 {
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
            creator => self.actors[creator as usize].now,
        };
        let several = matches!(kind, Some(EventKind::Channel | EventKind::Collective));
        let point = self.edges.point();
        self.events.push(Event {
            guid,
            kind,
            creator,
            created,
            point,
            counter,
            is_satisfied: false,
            generations: if several {
                self.generations.len() as u32
            } else {
                NONE
            },
        });
        if several {
            self.generations.push(Vec::new());
        }
        let new = self.events.len() as u32 - 1;
        self.event_of.insert(guid, new);
        new
    }

    /// The point at which an event passes on what it was satisfied with this time; `takes` where something is connected
    /// to it, and otherwise it is satisfied.
    fn turn(&mut self, event: u32, slot: u32, takes: bool) -> u32 {
        let Event {
            point, generations, ..
        } = self.events[event as usize];
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

    /// Notes that an event is satisfied at a point.
    fn satisfied(&mut self, event: u32, slot: u32, point: u32) {
        let its = &mut self.events[event as usize];
        // What comes later to an idempotent event has no effect.
        let again = std::mem::replace(&mut its.is_satisfied, true);
        if again && its.kind == Some(EventKind::Idempotent) {
            return;
        }
        let turn = self.turn(event, slot, false);
        self.edges.before(point, turn);
    }

    /// An actor gives a block to others, and is taken to be done with it.
    fn gives(&mut self, owner: u32, actor: u32, guid: u64) {
        let Some(&block) = self.block_of.get(&guid) else {
            return;
        };
        let Some(&at) = self
            .doing
            .get(&owner)
            .and_then(|doing| doing.open.get(&block))
        else {
            return;
        };
        if self.uses[at as usize].end == NONE {
            let end = self.happens(actor);
            self.uses[at as usize].end = end;
        }
    }

    /// An actor holds a block no more.
    fn released(&mut self, owner: u32, actor: u32, guid: u64) {
        let block = self.block_of.get(&guid);
        let doing = self.doing.get(&owner);
        let held = block.and_then(|block| doing?.open.get(block).copied());
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

    fn see(&mut self, event: TraceEvent) {
        let (record, owner, written) = (event.record, event.owner, event.written);
        self.look_at(record, owner, event.text);
        self.doing.entry(owner).or_default().written = written;
    }

    fn look_at(&mut self, record: Record, owner: u32, text: String) {
        match RecordKind::of(record.kind) {
            Some(RecordKind::Template) => drop(self.names.insert(record.x, text)),
            Some(RecordKind::Label) => drop(self.labels.insert(record.x, text)),
            Some(RecordKind::Created) => {
                let (edt, parent) = (self.edt(record.x), self.actor(owner));
                let created = self.leads_on(parent);
                let maker = &mut self.actors[parent as usize];
                maker.last_created = edt;
                let scope = if maker.is_finish { parent } else { maker.scope };
                let new = &mut self.actors[edt as usize];
                (new.work, new.parent, new.created) = (record.y, parent, created);
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
            Some(RecordKind::End) => {
                let edt = self.edt(record.x);
                self.happens(edt);
                let its = &mut self.actors[edt as usize];
                its.ended = record.ticks;
                its.looked_at.end = record.ticks;
            }
            Some(RecordKind::Launched) => {
                let edt = self.edt(record.x);
                self.kernels.insert(record.y, edt);
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
                self.blocks.push(Block {
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
        if doing.actor != edt + 1 {
            (doing.actor, doing.open) = (edt + 1, open);
        }
    }

    fn linked(&mut self, owner: u32, record: Record) {
        let (edt, actor) = (self.edt(record.x), self.actor(owner));
        let source = self.event(record.y);
        let kind = self.events[source as usize].kind;
        // What is connected to an event that goes when it triggers has to be connected before.
        let point = match kind {
            Some(EventKind::Once) => self.happens(actor),
            _ => self.actors[actor as usize].now,
        };
        self.on_events.push(Deed {
            object: source,
            actor,
            point,
            did: Did::Connect,
        });
        self.leads_on(actor);
        let begin = self.actors[edt as usize].begin;
        self.edges.before(point, begin);
        let turn = self.turn(source, u32::from(record.b), true);
        self.edges.before(turn, begin);
        self.linked.insert((edt, record.c), source);
        self.on_edt(edt, actor, point, Did::Connect);
    }

    /// Notes what another than the creator has done to an EDT.
    fn on_edt(&mut self, edt: u32, actor: u32, point: u32, did: Did) {
        if self.actors[edt as usize].parent != actor {
            self.on_edts.push(Deed {
                object: edt,
                actor,
                point,
                did,
            });
        }
    }

    fn slot_satisfied(&mut self, owner: u32, record: Record) {
        let (edt, actor) = (self.edt(record.x), self.actor(owner));
        let through = self.linked.remove(&(edt, record.c));
        let begin = self.actors[edt as usize].begin;
        let known = through.is_some_and(|event| {
            let event = &self.events[event as usize];
            event.creator != NONE && event.generations == NONE
        });
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
        if mode != Mode::Null
            && let Some(&block) = self.block_of.get(&record.y)
        {
            let held = self.doing.get(&owner);
            if let Some(&at) = held.and_then(|doing| doing.open.get(&block)) {
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
        let Some(&at) = self
            .doing
            .get(&owner)
            .and_then(|doing| doing.open.get(&block))
        else {
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

    fn called(&mut self, owner: u32, asked: Asked, record: Record) {
        let actor = self.actor(owner);
        if record.b != 0 {
            if asked == Asked::EventSatisfied && self.event_of.contains_key(&record.x) {
                let (event, point) = (self.event(record.x), self.happens(actor));
                self.on_event(event, actor, point, Did::SatisfyInVain);
            }
            return;
        }
        match asked {
            Asked::EventCreated => {
                let kind = EventKind::from_bits(record.y as u32);
                let joins =
                    kind == Some(EventKind::Collective) && self.event_of.contains_key(&record.x);
                if !joins {
                    let counter = i64::from(record.c as i32);
                    self.new_event(record.x, kind, actor, counter);
                }
            }
            Asked::EventDestroyed => {
                let (event, point) = (self.event(record.x), self.happens(actor));
                self.on_event(event, actor, point, Did::Destroy);
            }
            Asked::EventSatisfied => {
                self.gives(owner, actor, record.y);
                let event = self.event(record.x);
                let is_latch = self.events[event as usize].kind == Some(EventKind::Latch);
                let (did, point) = if is_latch && record.c == 1 {
                    (Did::Increment, self.happens(actor))
                } else {
                    (Did::Satisfy, self.actors[actor as usize].now)
                };
                self.leads_on(actor);
                self.on_event(event, actor, point, did);
                let slot = if is_latch { 0 } else { record.c };
                self.satisfied(event, slot, point);
            }
            Asked::EventLinked => {
                let (event, source) = (self.event(record.x), self.event(record.y));
                let point = match self.events[source as usize].kind {
                    Some(EventKind::Once) => self.happens(actor),
                    _ => self.actors[actor as usize].now,
                };
                self.on_event(source, actor, point, Did::Connect);
                self.leads_on(actor);
                let from = self.turn(source, 0, true);
                let is_latch = self.events[event as usize].kind == Some(EventKind::Latch);
                let did = if is_latch && record.c == 1 {
                    Did::Increment
                } else {
                    Did::Satisfy
                };
                // The call comes before what it leads to, but satisfies nothing by itself.
                let turn = self.turn(event, 0, false);
                self.edges.before(point, turn);
                self.edges.before(from, turn);
                self.events[event as usize].is_satisfied = true;
                if is_latch {
                    self.on_event(event, actor, from, did);
                }
            }
            Asked::Output => {
                let edt = self.actors[actor as usize].last_created;
                if edt == NONE {
                    return;
                }
                let event = match record.c {
                    1 => self.event(record.x),
                    2 => self.new_event(record.x, Some(EventKind::Sticky), actor, 0),
                    _ => self.new_event(record.x, Some(EventKind::Once), actor, 0),
                };
                self.outputs.push((edt, event));
            }
            Asked::OwnOutput => {
                if !self.event_of.contains_key(&record.x) {
                    let event = self.new_event(record.x, Some(EventKind::Once), actor, 0);
                    self.outputs.push((actor, event));
                }
            }
            Asked::Returned => {
                let (event, source) = (self.event(record.x), self.event(record.y));
                let (from, turn) = (self.turn(source, 0, true), self.turn(event, 0, false));
                self.edges.before(from, turn);
            }
            Asked::Waited => {
                let waiter = self.actors[actor as usize].last_created;
                let point = self.next_segment(actor);
                if waiter != NONE {
                    let begin = self.actors[waiter as usize].begin;
                    self.edges.before(begin, point);
                    self.actors[waiter as usize].stands_for = actor;
                }
            }
            Asked::EdtDestroyed => {
                let point = self.happens(actor);
                if let Some(&edt) = self.by_guid.get(&record.x) {
                    self.on_edt(edt, actor, point, Did::Destroy);
                }
            }
            Asked::BlockCreated => {
                if let Some(&block) = self.block_of.get(&record.x) {
                    self.blocks[block as usize].is_programs = true;
                    if record.c != 0 {
                        return;
                    }
                    let start = self.blocks[block as usize].created;
                    let new = self.new_use(actor, block, start, Mode::Rw, Written::All);
                    // A new block whose GUID others get by a way that the recording does not show, as a parameter, is taken to
                    // be filled before the first of them can begin. Others may have begun by the creation itself, if they
                    // waited for a block on this label.
                    let its = &self.actors[actor as usize];
                    self.uses[new as usize].is_filled = !(its.has_led_on && its.now == start);
                    let doing = self.doing.entry(owner).or_default();
                    doing.open.insert(block, new);
                }
            }
            Asked::BlockReleased => {
                self.gives(owner, actor, record.x);
                self.released(owner, actor, record.x);
            }
            Asked::BlockDestroyed => {
                if let Some(&block) = self.block_of.get(&record.x) {
                    let point = self.happens(actor);
                    self.released(owner, actor, record.x);
                    self.on_blocks.push(Deed {
                        object: block,
                        actor,
                        point,
                        did: Did::Destroy,
                    });
                }
            }
            Asked::BlockPart => {
                if let Some(&block) = self.block_of.get(&record.y) {
                    self.blocks[block as usize].is_divided = true;
                }
            }
        }
    }

    fn on_event(&mut self, event: u32, actor: u32, point: u32, did: Did) {
        self.on_events.push(Deed {
            object: event,
            actor,
            point,
            did,
        });
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
            let Actor {
                is_finish,
                now,
                scope_end,
                ..
            } = self.actors[edt as usize];
            // What never ran, as an EDT that was destroyed, has satisfied nothing.
            if self.actors[edt as usize].began == 0 {
                continue;
            }
            let point = if is_finish { scope_end } else { now };
            self.on_event(event, edt, point, Did::Satisfy);
            self.satisfied(event, 0, point);
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
                Written::Unseen
                    if actor.on_host && actor.ended != 0 && size <= LOOKED_AT as u64 =>
                {
                    Written::No
                }
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
