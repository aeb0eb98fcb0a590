//! What several EDTs know and some of them create: events, labels, and collective events.

use crate::api::{self, CHECK, Dep, EGUIDEXISTS, EINVAL, Guid, IS_LABELED, NULL, NewEdt, OPEN, check_one_of};
use crate::body::{body, pause, read, words};
use crate::collective::{Collective, Turn};
use crate::graph::*;
use crate::maps::Key;
use crate::oracle::{Moment, Order, writers};
use crate::run::*;
use crate::settle::brings;
use std::collections::BTreeMap;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

/// Something that others may create as well.
#[derive(Default)]
pub(crate) struct Object {
    pub(crate) guid: Place,
    /// By how many calls it was created; of something contested, how many have it.
    pub(crate) made: AtomicU32,
}

impl Object {
    /// Counts a call with `GUID_PROP_CHECK`, by its status.
    pub(crate) fn created(&self, call: &str, status: u8) {
        check_one_of(call, status, &[0, EGUIDEXISTS]);
        if status == 0 {
            self.made.fetch_add(1, Relaxed);
        }
    }
}

pub(crate) struct EventState {
    pub(crate) object: Object,
    pub(crate) kind: Kind,
    pub(crate) number: u64,
    /// Whether it has a label.
    pub(crate) raced: bool,
}

/// All that a graph has of this.
pub(crate) struct Shared {
    pub(crate) events: BTreeMap<Event, EventState>,
    pub(crate) collectives: Vec<Object>,
    pub(crate) template: Object,
    contested: BTreeMap<Contested, Object>,
}

impl Shared {
    pub(crate) fn of(graph: &Graph) -> Shared {
        let event = |event: Event| {
            let (kind, number) = graph.kind(event);
            let state = EventState {
                object: Object::default(),
                kind,
                number,
                raced: graph.is_raced(event) && !graph.is_mapped(event),
            };
            (event, state)
        };
        let contested = |what: Contested| (what, Object::default());
        Shared {
            events: graph.events().into_iter().map(event).collect(),
            collectives: graph.collectives.iter().map(|_| Object::default()).collect(),
            template: Object::default(),
            contested: Contested::ALL.into_iter().map(contested).collect(),
        }
    }
}

impl Running {
    /// Gives places their labels, and makes the events that are there from the start.
    pub(crate) fn create_shared(&self) {
        let shared = &self.shared;
        let mut events = Vec::new();
        for (nth, (event, state)) in shared.events.iter().enumerate() {
            match event {
                Event::Given(_) => {}
                _ if state.raced => events.push(&state.object.guid),
                _ if self.graph.is_mapped(*event) => {}
                _ => {
                    let guid = api::event(state.kind, state.number, nth % 2 == 0);
                    state.object.guid.set(guid);
                }
            }
        }
        let mut collectives = Vec::new();
        for (collective, spec) in self.graph.collectives.iter().enumerate() {
            let place = &shared.collectives[collective].guid;
            if self.maps.has(Key::Collective(collective)) {
                continue;
            }
            if spec.raced {
                collectives.push(place);
            } else {
                let (status, guid) = api::try_collective(spec, self.result_words(collective), None);
                check_one_of("ocrEventCreateParams", status, &[0]);
                place.set(guid);
            }
        }
        let rivals = self.graph.tasks.iter().zip(&self.tasks);
        let rivals = rivals.filter(|(spec, _)| spec.rivals > 0 && !spec.mapped);
        let mut edts: Vec<&Place> = rivals.map(|(_, state)| &state.edt.guid).collect();
        let blocks = self.graph.blocks.iter().zip(&self.blocks);
        let blocks = blocks.filter(|(spec, _)| spec.labeled);
        let mut blocks: Vec<&Place> = blocks.map(|(_, state)| &state.guid).collect();
        let mut templates = vec![&shared.template.guid];
        for (what, object) in &shared.contested {
            let places = match what {
                Contested::Block => &mut blocks,
                Contested::Sticky | Contested::Once => &mut events,
                Contested::Edt | Contested::Doomed => &mut edts,
                Contested::Template => &mut templates,
            };
            places.push(&object.guid);
        }
        self.give_labels(api::Labeled::Event, &events);
        self.give_labels(api::Labeled::Collective, &collectives);
        self.give_labels(api::Labeled::Edt, &edts);
        self.give_labels(api::Labeled::Block, &blocks);
        self.give_labels(api::Labeled::Template, &templates);
    }

    fn give_labels(&self, kind: api::Labeled, places: &[&Place]) {
        if places.is_empty() {
            return;
        }
        let (range, labels) = api::labels(kind, places.len());
        for (place, &label) in places.iter().zip(&labels) {
            // Events and EDTs would be waited for, and others are never satisfied.
            let status = match kind {
                api::Labeled::Event | api::Labeled::Collective | api::Labeled::Edt => api::try_destroy_event(label),
                _ => api::try_satisfy(label, NULL),
            };
            check_one_of("using a label without object", status, &[EINVAL]);
            place.set(label);
        }
        match self.ranges.lock() {
            Ok(mut ranges) => ranges.push(range),
            Err(poisoned) => poisoned.into_inner().push(range),
        }
    }

    /// An event, for somebody who uses it: if it has a label, all who do so create it.
    pub(crate) fn event(&self, event: Event) -> Guid {
        if self.graph.is_mapped(event) {
            return self.ask(Key::Event(event));
        }
        let state = &self.shared.events[&event];
        let guid = state.object.guid.get();
        if state.raced {
            let label = Some((guid, CHECK));
            let (status, _) = api::try_event(state.kind, state.number, true, label);
            state.object.created("ocrEventCreate on a label", status);
        }
        guid
    }

    /// An event to connect a pre-slot to. Half of those that have labels are left to others to
    /// create, and their dependences wait.
    pub(crate) fn awaited_event(&self, event: Event, task: Task, at: usize) -> Guid {
        match self.shared.events.get(&event) {
            Some(state) if state.raced && (task + at).is_multiple_of(2) => state.object.guid.get(),
            _ => self.event(event),
        }
    }

    /// The output event that a task's creator gives it.
    pub(crate) fn give_output(&self, task: Task) -> Option<Guid> {
        let state = self.shared.events.get(&Event::Given(task))?;
        let guid = api::event(state.kind, state.number, task.is_multiple_of(3));
        state.object.guid.set(guid);
        Some(guid)
    }

    pub(crate) fn result_words(&self, collective: Collective) -> u32 {
        self.graph.blocks[self.graph.collectives[collective].results[0]].words
    }

    /// A collective event, for somebody who uses it.
    pub(crate) fn collective(&self, collective: Collective) -> Guid {
        if self.maps.has(Key::Collective(collective)) {
            return self.ask(Key::Collective(collective));
        }
        let (spec, object) = (&self.graph.collectives[collective], &self.shared.collectives[collective]);
        let guid = object.guid.get();
        if spec.raced {
            let words = self.result_words(collective);
            // Who says that it is labeled joins what is there.
            let (property, right): (u16, &[u8]) = match object.made.fetch_add(1, Relaxed) % 2 {
                0 => (IS_LABELED, &[0]),
                _ => (CHECK, &[0, EGUIDEXISTS]),
            };
            let (status, _) = api::try_collective(spec, words, Some((guid, property)));
            check_one_of("ocrEventCreateParams on a label", status, right);
        }
        guid
    }

    /// Contributes, and adds the dependence on the contributor's slot if there is one through an event.
    pub(crate) fn take_turn(&self, turn: Turn) {
        let (spec, event) = (self.graph.turn(turn), self.collective(turn.collective));
        let connect = || {
            if self.graph.is_connected(turn) && !spec.direct {
                let tap = self.event(Event::Tap(turn));
                api::connect_slot(event, turn.slot, tap, 0, Mode::Null);
            }
        };
        if spec.early {
            connect();
        }
        let mut data = self.graph.contribution(turn, &self.expected.hashes);
        api::contribute(event, &mut data, turn.slot);
        // It was copied.
        data.fill(0xAA);
        if !spec.early {
            connect();
        }
    }

    /// A block that the caller has acquired, and where it is.
    pub(crate) fn new_block(&self, block: Block) -> (Guid, *mut u32) {
        let (spec, place) = (&self.graph.blocks[block], &self.blocks[block].guid);
        let words = self.graph.size(block);
        if !spec.labeled {
            let (guid, address) = api::block(words, true);
            place.set(guid);
            return (guid, address);
        }
        let label = place.get();
        let (status, guid, address) = api::try_block(words, true, Some((label, IS_LABELED)));
        check_one_of("ocrDbCreate on a label", status, &[0]);
        let (status, ..) = api::try_block(1, true, Some((label, CHECK)));
        check_one_of("ocrDbCreate on a label in use", status, &[EGUIDEXISTS]);
        (guid, address)
    }

    /// The template of functions, which all who need it create.
    pub(crate) fn labeled_template(&self, paramc: u32, depc: u32) -> Guid {
        let template = &self.shared.template;
        let label = template.guid.get();
        let (status, _) = api::try_template(body, paramc, depc, Some((label, CHECK)));
        template.created("ocrEdtTemplateCreateLabeled", status);
        label
    }

    /// Creates something where others do, too, and has it for itself.
    pub(crate) fn contest(&self, contest: Contest, length: u8) {
        let object = &self.shared.contested[&contest.what];
        let label = object.guid.get();
        let (property, right): (u16, &[u8]) =
            if contest.wait { (api::BLOCK, &[0]) } else { (CHECK, &[0, EGUIDEXISTS]) };
        let place = Some((label, property));
        let status = match contest.what {
            Contested::Block => api::try_block(8, true, place).0,
            Contested::Sticky => api::try_event(Kind::Sticky, 0, false, place).0,
            Contested::Once => api::try_event(Kind::Once, 0, false, place).0,
            Contested::Edt | Contested::Doomed => contested_edt(place),
            Contested::Template => api::try_template(nothing, 0, 0, place).0,
        };
        check_one_of("creating on a contested label", status, right);
        if status != 0 {
            return;
        }
        if object.made.fetch_add(1, AcqRel) != 0 {
            fail(format!("two have created what is there once: {:?}", contest.what));
        }
        pause(length);
        object.made.fetch_sub(1, AcqRel);
        match contest.what {
            Contested::Block => api::destroy_block(label),
            Contested::Sticky => api::destroy_event(label),
            Contested::Once => api::satisfy(label, NULL),
            Contested::Edt => api::connect(NULL, label, 0, Mode::Null),
            Contested::Doomed => api::destroy_edt(label),
            Contested::Template => api::destroy_template(label),
        }
    }

    /// Waits in a call for what a task would also get in a pre-slot.
    pub(crate) fn wait(&self, task: Task, wait: &Source) {
        let Some(event) = wait.event() else { return };
        let state = &self.shared.events[&event];
        let block = brings(&self.graph, wait);
        let lasts = matches!(state.kind, Kind::Sticky | Kind::Idempotent);
        let (guid, memory) = if lasts {
            let guid = if state.raced { state.object.guid.get() } else { self.event(event) };
            let (status, guid, address, size) = api::wait_for(guid, state.raced);
            check_one_of("ocrLegacyBlockProgress", status, &[0]);
            (guid, Some((address, size)))
        } else {
            (api::wait_for_any(self.event(event)), None)
        };
        let right = block.map_or(NULL, |block| self.block_guid(block, guid));
        if guid.guid != right.guid || block.is_some() != (guid.guid != 0) {
            fail(format!(
                "t{task} has waited for {wait:?} and got block {:#x}, expected {block:?}, which is {:#x}",
                guid.guid, right.guid
            ));
            return;
        }
        let (Some(block), Some((address, size))) = (block, memory) else {
            return;
        };
        let count = self.graph.size(block);
        if size != 4 * u64::from(count) || address.is_null() {
            fail(format!("t{task} has waited for b{block} and got {size} bytes at {address:?}"));
            return;
        }
        let awaited = Order::awaited(&self.graph, wait);
        let order = &self.expected.order;
        let written = writers(&self.graph, block).into_iter().all(|writer| {
            let end = self.graph.done(writer, block);
            let after = |&moment: &Moment| moment == end || order.is_before(end, moment);
            awaited.iter().any(after)
        });
        if written {
            // SAFETY: no task destroys the block before this task has ended.
            let content = read(unsafe { words(address, count) });
            let words = self.graph.blocks[block].words as usize;
            if content[..words] != self.expected.blocks[block][..words] && self.expected.known[block] {
                fail(format!("t{task} has waited for b{block}, which is wrong"));
            }
        }
    }

    /// The GUID of a block. That of a result or of a copy is known once somebody has got it: `got`.
    pub(crate) fn block_guid(&self, block: Block, got: Guid) -> Guid {
        let place = &self.blocks[block].guid;
        if let Origin::Reduced(..) | Origin::Value(_) = self.graph.blocks[block].origin {
            place.set_first(got);
        }
        place.get()
    }

    /// Destroys what is left, and looks whether the rest is gone.
    pub(crate) fn destroy_shared(&self) {
        let destroyed = |event: Event| {
            let slots = self.graph.tasks.iter().flat_map(|spec| &spec.slots);
            slots.into_iter().any(|slot| slot.destroys_event && slot.source.event() == Some(event))
        };
        for (&event, state) in &self.shared.events {
            let guid = state.object.guid.get();
            if state.kind.stays() && !destroyed(event) {
                api::destroy_event(guid);
            }
            // It has triggered and has served all its dependences; or a consumer has destroyed it.
            gone(guid);
        }
        let collectives = self.shared.collectives.iter();
        for object in collectives {
            api::destroy_event(object.guid.get());
            gone(object.guid.get());
        }
        if self.shared.template.made.load(Relaxed) > 0 {
            api::destroy_template(self.shared.template.guid.get());
        }
        let ranges = match self.ranges.lock() {
            Ok(ranges) => ranges,
            Err(poisoned) => poisoned.into_inner(),
        };
        ranges.iter().copied().for_each(api::destroy_labels);
    }

    /// What was created twice or never.
    pub(crate) fn judge_shared(&self) -> Vec<String> {
        let mut failures = Vec::new();
        let mut once = |what: String, object: &Object| {
            let made = object.made.load(Relaxed);
            if made != 1 {
                failures.push(format!("{made} calls have created {what}, not one"));
            }
        };
        for (event, state) in &self.shared.events {
            if self.graph.is_raced(*event) {
                once(format!("{event:?}"), &state.object);
            }
        }
        for (task, spec) in self.graph.tasks.iter().enumerate() {
            if spec.rivals > 0 {
                once(format!("the EDT of t{task}"), &self.tasks[task].edt);
            }
        }
        if self.shared.template.made.load(Relaxed) > 0 {
            once("the template".into(), &self.shared.template);
        }
        failures
    }
}

fn gone(event: Guid) {
    check_one_of("ocrEventDestroy of an event that should be gone", api::try_destroy_event(event), &[EINVAL]);
}

/// An EDT with an open pre-slot, on a label.
fn contested_edt(label: api::Label) -> u8 {
    let template = api::template(nothing, 0, 1, c"nothing");
    let (status, ..) =
        NewEdt { template, depc: 1, depv: &mut [OPEN], named: true, label, ..NewEdt::default() }.try_create();
    api::destroy_template(template);
    status
}

unsafe extern "C" fn nothing(_: u32, _: *mut u64, _: u32, _: *mut Dep) -> Guid {
    NULL
}
