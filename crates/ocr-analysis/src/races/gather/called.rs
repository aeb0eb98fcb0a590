//! What a recorded call does to the order and to its object.

use super::Gathered;
use crate::races::things::{Deed, Did, Written};
use ocr_trace::format::{A_COPY, Asked, Record};
use ocr_trace::numbers::{EventKind, Mode};

impl Gathered {
    pub(super) fn linked(&mut self, owner: u32, record: Record) {
        let (edt, actor) = (self.edt(record.x), self.actor(owner));
        let source = self.event(record.y);
        let kind = self.events[source as usize].kind;
        // What is connected to an event that goes when it triggers has to be connected before.
        let point = match kind {
            Some(EventKind::Once) => self.happens(actor),
            _ => self.now(actor),
        };
        self.on_events.push(Deed { object: source, actor, point, did: Did::Connect });
        self.leads_on(actor);
        let begin = self.actors[edt as usize].begin;
        self.edges.before(point, begin);
        // What a channel passes on is known when the pre-slot is satisfied.
        if kind != Some(EventKind::Channel) {
            let turn = self.turn(source, u32::from(record.b), None, true);
            self.edges.before(turn, begin);
        }
        self.linked.insert((edt, record.c), source);
        self.on_edt(edt, actor, point, Did::Connect);
    }

    pub(super) fn called(&mut self, owner: u32, asked: Asked, record: Record) {
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
                let joins = kind == Some(EventKind::Collective) && self.event_of.contains_key(&record.x);
                if !joins {
                    let counter = i64::from(record.c as i32);
                    self.new_event(record.x, kind, actor, counter);
                }
            }
            Asked::EventDestroyed => {
                let (event, point) = (self.event(record.x), self.happens(actor));
                self.on_event(event, actor, point, Did::Destroy);
                self.events[event as usize].is_gone = true;
            }
            Asked::EventSatisfied => {
                self.gives(owner, actor, record.y);
                let event = self.event(record.x);
                let is_latch = self.events[event as usize].kind == Some(EventKind::Latch);
                let (did, point) = if is_latch && record.c == 1 {
                    (Did::Increment, self.happens(actor))
                } else {
                    (Did::Satisfy, self.now(actor))
                };
                self.leads_on(actor);
                // Where an event of another node has passed on what it was satisfied with, nobody has called.
                if is_latch || !self.message.is_some_and(|message| message.passes) {
                    self.on_event(event, actor, point, did);
                }
                let slot = if is_latch { 0 } else { record.c };
                self.satisfied(event, slot, (record.y != A_COPY).then_some(record.y), point);
            }
            Asked::EventLinked => {
                let (event, source) = (self.event(record.x), self.event(record.y));
                let point = match self.events[source as usize].kind {
                    Some(EventKind::Once) => self.happens(actor),
                    _ => self.now(actor),
                };
                self.on_event(source, actor, point, Did::Connect);
                self.leads_on(actor);
                let from = self.turn(source, 0, None, true);
                let is_latch = self.events[event as usize].kind == Some(EventKind::Latch);
                let did = if is_latch && record.c == 1 { Did::Increment } else { Did::Satisfy };
                // The call comes before what it leads to, but satisfies nothing by itself.
                let turn = self.turn(event, 0, None, false);
                self.edges.before(point, turn);
                self.edges.before(from, turn);
                self.events[event as usize].is_satisfied = true;
                if is_latch {
                    self.on_event(event, actor, from, did);
                }
            }
            Asked::Output => {
                let Some(edt) = self.doing.get(&owner).and_then(|doing| doing.last_created) else {
                    return;
                };
                let event = match record.c {
                    1 => self.event(record.x),
                    2 => self.new_event(record.x, Some(EventKind::Sticky), actor, 0),
                    _ => self.new_event(record.x, Some(EventKind::Once), actor, 0),
                };
                self.outputs.push((edt, event));
                if record.c != 1 {
                    self.actors[edt as usize].output = event;
                }
            }
            Asked::OwnOutput => {
                if !self.event_of.contains_key(&record.x) {
                    let event = self.new_event(record.x, Some(EventKind::Once), actor, 0);
                    self.outputs.push((actor, event));
                }
            }
            Asked::Returned => {
                let (event, source) = (self.event(record.x), self.event(record.y));
                let (from, turn) = (self.turn(source, 0, None, true), self.turn(event, 0, None, false));
                self.edges.before(from, turn);
            }
            Asked::Waited => {
                let waiter = self.doing.get(&owner).and_then(|doing| doing.last_created);
                let point = self.next_segment(actor);
                if let Some(waiter) = waiter {
                    let begin = self.actors[waiter as usize].begin;
                    self.edges.before(begin, point);
                    self.actors[waiter as usize].stands_for = actor;
                }
            }
            Asked::EdtDestroyed => {
                let point = self.happens(actor);
                if let Some(&edt) = self.by_guid.get(&record.x) {
                    self.on_edt(edt, actor, point, Did::Destroy);
                    if let Some(output) = self.events.get_mut(self.actors[edt as usize].output as usize) {
                        output.is_gone = true;
                    }
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
                    // A new block whose GUID others get by a way that the recording does not show, as a parameter, is
                    // taken to be filled before the first of them can begin. Others may have begun by the creation
                    // itself, if they waited for a block on this label.
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
                    self.on_blocks.push(Deed { object: block, actor, point, did: Did::Destroy });
                }
            }
            Asked::BlockPart => {
                if let Some(&block) = self.block_of.get(&record.y) {
                    self.blocks[block as usize].is_divided = true;
                }
            }
        }
    }
}
