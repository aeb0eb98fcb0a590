//! Maps with creators of a random graph (`ocrMapCreate`). Events, EDTs and blocks that several EDTs need
//! may stand in maps: each of those asks for them, and the creator makes them for the first.
//!
//! All keys of a graph are numbered; the maps have them in turn. A creator may make nothing for the
//! first few calls, and ask for other keys before and after it has made its object, in circles, too.
//! Tasks also ask for keys that they do not need. Each key is made once, by a creator that nobody
//! else runs for it at the time, and all who ask see the same object.

use crate::api::{self, Dep, EINVAL, ENOENT, EPEND, Guid, MAPPED, NULL, NewEdt, check_one_of};
use crate::body::{fill, pause, words};
use crate::collective::Collective;
use crate::graph::*;
use crate::oracle::block_hash;
use crate::run::{Place, Running, fail, running};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32};

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct MapsSpec {
    /// How many maps there are, at least 1.
    pub maps: usize,
    /// How far apart the keys of a map are, at least 1.
    pub stride: u64,
    /// Keys of EDTs that nobody needs.
    pub edts: usize,
    /// What the creators do, for one key after the other and again from the first.
    pub creators: Vec<CreatorSpec>,
}

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct CreatorSpec {
    /// How many calls make nothing.
    pub refusals: u32,
    /// The keys that it asks for before and after it makes its object.
    pub before: Option<usize>,
    pub after: Option<usize>,
    /// Before it asks, before it makes its object, and after that.
    pub pauses: [u8; 3],
}

/// What stands in a map.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Key {
    Event(Event),
    Collective(Collective),
    Block(Block),
    /// An EDT that runs, and that nobody needs.
    Edt(usize),
    /// The EDT of a task that rivals create, too.
    Task(Task),
}

/// Whether a creator may ask for a key.
fn is_free(key: &Key) -> bool {
    // An EDT belongs to the finish scope of the first who asks.
    !matches!(key, Key::Edt(_) | Key::Task(_))
}

impl Graph {
    /// Whether an event that all who need it create is created by a map.
    pub fn is_mapped(&self, event: Event) -> bool {
        let mapped = match event {
            Event::Late(task) | Event::Body(task) | Event::Join(task, _) => self.tasks[task].mapped,
            Event::Given(_) | Event::Value(_) => false,
            Event::Tap(turn) => self.collectives[turn.collective].mapped,
        };
        mapped && self.is_raced(event)
    }

    /// What stands in maps: first what anybody may ask for, then what tasks may, and the rest.
    fn keys(&self) -> Vec<Key> {
        let events = self.events().into_iter();
        let mut keys: Vec<Key> = events
            .filter(|&event| self.is_mapped(event))
            .map(Key::Event)
            .collect();
        let in_map = |&at: &Collective| self.collectives[at].raced && self.collectives[at].mapped;
        let collectives = (0..self.collectives.len()).filter(in_map);
        keys.extend(collectives.map(Key::Collective));
        let keyed = |&block: &Block| self.blocks[block].origin == Origin::Keyed;
        let blocks = (0..self.blocks.len()).filter(keyed);
        keys.extend(blocks.map(Key::Block));
        keys.extend((0..self.maps.edts).map(Key::Edt));
        let rivals = |&task: &Task| self.tasks[task].rivals > 0 && self.tasks[task].mapped;
        let tasks = (0..self.tasks.len()).filter(rivals);
        keys.extend(tasks.map(Key::Task));
        keys
    }
}

#[derive(Default)]
struct KeyState {
    guid: Place,
    calls: AtomicU32,
    /// Calls of the creator that go on and have not made the object.
    creating: AtomicU32,
    made: AtomicU32,
    /// Calls of `ocrMapGet` that were told that nothing was made.
    refused: AtomicU32,
    /// Whether a block has its first content.
    filled: AtomicBool,
    /// How often an EDT has run.
    runs: AtomicU32,
}

/// The maps of a graph.
pub struct Maps {
    guids: Vec<Place>,
    keys: Vec<(Key, KeyState)>,
    by_key: BTreeMap<Key, usize>,
    spec: MapsSpec,
}

impl Maps {
    pub fn of(graph: &Graph) -> Maps {
        let keys = graph.keys();
        let maps = if keys.is_empty() { 0 } else { graph.maps.maps };
        let positions = keys.iter().enumerate().map(|(nth, &key)| (key, nth));
        Maps {
            guids: (0..maps).map(|_| Place::default()).collect(),
            by_key: positions.collect(),
            keys: keys
                .into_iter()
                .map(|key| (key, KeyState::default()))
                .collect(),
            spec: graph.maps.clone(),
        }
    }

    pub fn has(&self, key: Key) -> bool {
        self.by_key.contains_key(&key)
    }

    fn creator(&self, nth: usize) -> CreatorSpec {
        let creators = &self.spec.creators;
        let at = nth.checked_rem(creators.len());
        at.map_or_else(CreatorSpec::default, |at| creators[at].clone())
    }

    /// The keys that a creator asks for.
    fn asks(&self, nth: usize) -> [Option<usize>; 2] {
        let free = self.keys.iter().filter(|(key, _)| is_free(key)).count();
        let spec = self.creator(nth);
        [spec.before, spec.after].map(|ask| ask?.checked_rem(free))
    }

    /// Whether the creator of a key asks for another before it makes its object, or has one made
    /// that does so then or later. Who asks for the first meanwhile may be refused.
    fn waits_for(&self, nth: usize, other: usize) -> bool {
        let mut reached: Vec<usize> = self.asks(nth)[0].into_iter().collect();
        let mut at = 0;
        while let Some(&next) = reached.get(at) {
            let more = self.asks(next).into_iter().flatten();
            let more: Vec<usize> = more.filter(|more| !reached.contains(more)).collect();
            reached.extend(more);
            at += 1;
        }
        reached.contains(&other)
    }

    /// What was made twice or never.
    pub fn judge(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for (nth, (key, state)) in self.keys.iter().enumerate() {
            let count = |number: &AtomicU32| number.load(Relaxed);
            let (calls, refusals) = (count(&state.calls), self.creator(nth).refusals);
            if calls != 0 && (calls != refusals + 1 || count(&state.refused) != refusals) {
                failures.push(format!(
                    "{calls} calls of the creator of {key:?}, of which {refusals} make nothing, and \
                     {} calls of ocrMapGet that were told so",
                    count(&state.refused)
                ));
            }
            let runs = count(&state.runs);
            if matches!(key, Key::Edt(_)) && runs != count(&state.made) {
                failures.push(format!("{key:?} ran {runs} times"));
            }
        }
        failures
    }
}

impl Running {
    pub fn create_maps(&self) {
        let (count, stride) = (self.maps.guids.len(), self.maps.spec.stride);
        for (map, place) in self.maps.guids.iter().enumerate() {
            let size = stride * self.maps.keys.len().div_ceil(count) as u64;
            let (mut params, mut guids) = ([map as u64], [api::OPEN]);
            place.set(api::map(size, create, &mut params, &mut guids));
            // They were copied.
            (params, guids) = ([u64::MAX], [NULL]);
            let _ = (params, guids);
        }
    }

    pub fn destroy_maps(&self) {
        for place in &self.maps.guids {
            api::destroy_map(place.get());
            let (status, _) = api::map_get(place.get(), 0);
            check_one_of("ocrMapGet of a map that is gone", status, &[EINVAL]);
        }
    }

    /// Asks for something that stands in a map.
    pub fn ask(&self, key: Key) -> Guid {
        self.ask_nth(self.maps.by_key[&key], false)
    }

    /// Asks for a key that a task does not need.
    pub fn look_up(&self, which: usize) {
        let keys = self.maps.keys.iter();
        let open = keys.filter(|(key, _)| is_free(key) || matches!(key, Key::Edt(_)));
        if let Some(nth) = which.checked_rem(open.count()) {
            self.ask_nth(nth, false);
        }
    }

    /// A block that is there from the start, for somebody who wants it in a mode.
    pub fn given_block(&self, block: Block, mode: Mode) -> Guid {
        if self.graph.blocks[block].origin != Origin::Keyed {
            return self.blocks[block].guid.get();
        }
        let guid = self.ask(Key::Block(block));
        let (_, state) = &self.maps.keys[self.maps.by_key[&Key::Block(block)]];
        // In other modes an EDT waits until the creator has released it.
        if matches!(mode, Mode::Ro | Mode::Rw) && guid.guid != 0 {
            while !state.filled.load(Acquire) {
                std::thread::yield_now();
            }
        }
        guid
    }

    fn ask_nth(&self, nth: usize, circle: bool) -> Guid {
        let (key, state) = &self.maps.keys[nth];
        let count = self.maps.guids.len();
        let (map, index) = (nth % count, (nth / count) as u64 * self.maps.spec.stride);
        loop {
            let (status, guid) = api::map_get(self.maps.guids[map].get(), index);
            match status {
                0 => {
                    self.same(nth, guid);
                    return guid;
                }
                ENOENT | EINVAL
                    if state.refused.fetch_add(1, Relaxed) < self.maps.creator(nth).refusals => {}
                EPEND if circle => return NULL,
                _ => {
                    fail(format!("ocrMapGet for {key:?} returned {status}"));
                    return NULL;
                }
            }
        }
    }

    /// Looks that a key has this object.
    fn same(&self, nth: usize, guid: Guid) {
        let (key, state) = &self.maps.keys[nth];
        state.guid.set_first(guid);
        let other = state.guid.get();
        if other.guid != guid.guid {
            fail(format!(
                "{key:?} is {:#x} for one and {:#x} for another",
                guid.guid, other.guid
            ));
        }
        match *key {
            Key::Event(event) => self.shared.events[&event].object.guid.set(guid),
            Key::Collective(collective) => self.shared.collectives[collective].guid.set(guid),
            Key::Block(block) => self.blocks[block].guid.set(guid),
            Key::Edt(_) => {}
            Key::Task(task) => self.tasks[task].edt.guid.set(guid),
        }
    }

    /// Makes the object of a key.
    fn create_key(&self, nth: usize, local: Guid) {
        let (key, state) = &self.maps.keys[nth];
        let spec = self.maps.creator(nth);
        let [before, after] = self.maps.asks(nth);
        let calls = state.calls.fetch_add(1, Relaxed);
        if state.creating.fetch_add(1, SeqCst) != 0 {
            fail(format!("two creators make {key:?} at the same time"));
        }
        let named = api::guid_of(local).0;
        check_one_of("ocrGetGuid before there is an object", named, &[EPEND]);
        let ask = |other| self.ask_nth(other, self.maps.waits_for(other, nth));
        pause(spec.pauses[0]);
        before.map(ask);
        pause(spec.pauses[1]);
        if calls < spec.refusals {
            if calls % 2 == 1 {
                check_one_of("ocrEventCreate of no kind", api::no_event(local), &[EINVAL]);
            }
            state.creating.fetch_sub(1, SeqCst);
            return;
        }
        let guid = self.create_object(*key, state, Some((local, MAPPED)));
        if state.made.fetch_add(1, SeqCst) != 0 {
            fail(format!("{key:?} was made twice"));
        }
        state.creating.fetch_sub(1, SeqCst);
        self.same(nth, guid);
        let (status, named) = api::guid_of(local);
        if status != 0 || named.guid != guid.guid {
            fail(format!(
                "ocrGetGuid returned {status} and {:#x} for {key:?}, which is {:#x}",
                named.guid, guid.guid
            ));
        }
        let (again, _) = api::try_event(Kind::Sticky, 0, false, Some((local, MAPPED)));
        check_one_of("ocrEventCreate for a key that was made", again, &[EINVAL]);
        pause(spec.pauses[2]);
        after.map(ask);
    }

    fn create_object(&self, key: Key, state: &KeyState, label: api::Label) -> Guid {
        let (status, guid) = match key {
            Key::Event(event) => {
                let event = &self.shared.events[&event];
                event.object.made.fetch_add(1, Relaxed);
                api::try_event(event.kind, event.number, true, label)
            }
            Key::Collective(collective) => {
                let spec = &self.graph.collectives[collective];
                api::try_collective(spec, self.result_words(collective), label)
            }
            Key::Block(block) => {
                let count = self.graph.size(block);
                let (status, guid, address) = api::try_block(count, true, label);
                if status == 0 {
                    pause(self.maps.spec.stride as u8);
                    // SAFETY: this creator has just created it, and holds it.
                    fill(block_hash(block), unsafe { words(address, count) });
                    api::release(guid);
                    state.filled.store(true, Release);
                }
                (status, guid)
            }
            Key::Edt(nth) => {
                let template = api::template(run_once, 1, 0, c"run_once");
                let (status, guid, _) = NewEdt {
                    template,
                    params: &mut [nth as u64],
                    named: true,
                    label,
                    ..NewEdt::default()
                }
                .try_create();
                api::destroy_template(template);
                (status, guid)
            }
            Key::Task(task) => {
                let template = self.template_of(task);
                self.tasks[task].edt.made.fetch_add(1, Relaxed);
                let (status, guid, _) = self.try_edt(task, template, &mut [], label);
                (status, guid)
            }
        };
        check_one_of("the creation of what stands in a map", status, &[0]);
        guid
    }
}

/// The creator of all maps.
unsafe extern "C" fn create(
    local: Guid,
    index: u64,
    paramc: u32,
    paramv: *mut u64,
    guidc: u32,
    guidv: *mut Guid,
) {
    let running = running();
    let (count, stride) = (running.maps.guids.len(), running.maps.spec.stride);
    if (paramc, guidc, index % stride) != (1, 1, 0) {
        fail(format!(
            "a creator got {paramc} numbers and {guidc} GUIDs for {index}"
        ));
        return;
    }
    // SAFETY: there is one.
    let map = unsafe { paramv.read() } as usize;
    // SAFETY: as above.
    let guid = unsafe { guidv.read() };
    let nth = (index / stride) as usize * count + map;
    if map >= count || nth >= running.maps.keys.len() || guid.guid != api::OPEN.guid {
        fail(format!("a creator got {map} and {:#x}", guid.guid));
        return;
    }
    running.create_key(nth, local);
}

/// An EDT that nobody needs.
unsafe extern "C" fn run_once(_: u32, paramv: *mut u64, _: u32, _: *mut Dep) -> Guid {
    let maps = &running().maps;
    // SAFETY: it has one parameter.
    let key = Key::Edt(unsafe { paramv.read() } as usize);
    let (_, state) = &maps.keys[maps.by_key[&key]];
    state.runs.fetch_add(1, Relaxed);
    NULL
}
