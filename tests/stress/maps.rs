//! Maps with creators of a random graph (`ocrMapCreate`). Events, EDTs and blocks that several EDTs need
//! may stand in maps: each of those asks for them, and the creator makes them for the first.
//!
//! All keys of a graph are numbered; the maps have them in turn. A creator may make nothing for the
//! first few calls, and ask for other keys before and after it has made its object, in circles, too.
//! Tasks also ask for keys that they do not need. Each key is made once, by a creator that no other
//! thread runs for it at the time, and all who ask see the same object.
//!
//! Only a key whose object a call destroys is made anew, once for each destruction. Tasks that need the
//! object have done with it by then, so what a graph comes to does not depend on the new one. Others may
//! ask at any time. A call that returns before the destruction begins gives the old object. One that
//! begins after the destruction has returned gives the new one, and one in between may give either. When
//! all tasks have ended, each key with a destroyed object is asked for once more.

use crate::api::{self, Dep, EINVAL, ENOENT, EPEND, Guid, MAPPED, NULL, NewEdt, check_one_of};
use crate::body::{fill, pause, words};
use crate::collective::Collective;
use crate::graph::*;
use crate::oracle::block_hash;
use crate::run::{Place, Running, fail, running};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};
use std::sync::{Mutex, MutexGuard};

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct MapsSpec {
    /// How many maps there are, at least 1.
    pub(crate) maps: usize,
    /// How far apart the keys of a map are, at least 1.
    pub(crate) stride: u64,
    /// Keys of EDTs that no task needs.
    pub(crate) edts: usize,
    /// What the creators do, for one key after the other and again from the first.
    pub(crate) creators: Vec<CreatorSpec>,
}

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct CreatorSpec {
    /// How many calls make nothing.
    pub(crate) refusals: u32,
    /// The keys that it asks for before and after it makes its object.
    pub(crate) before: Option<usize>,
    pub(crate) after: Option<usize>,
    /// Before it asks, before it makes its object, and after that.
    pub(crate) pauses: [u8; 3],
}

/// What stands in a map.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Key {
    Event(Event),
    Collective(Collective),
    Block(Block),
    /// An EDT that runs, and that no task needs.
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
    pub(crate) fn is_mapped(&self, event: Event) -> bool {
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
        let mut keys: Vec<Key> = events.filter(|&event| self.is_mapped(event)).map(Key::Event).collect();
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

/// One of the objects of a key.
#[derive(Default)]
struct Life {
    /// Calls of the creator for it, of which only the last makes it.
    calls: u32,
    /// Whether one of them goes on and has not made the object.
    creating: bool,
    /// Known once somebody has got it.
    guid: Option<Guid>,
    /// Whether its destruction has begun.
    destroyed: bool,
}

#[derive(Default)]
struct KeyState {
    /// The objects that it had, from the first.
    lives: Mutex<Vec<Life>>,
    /// How many of them are gone: their destructions have returned.
    gone: AtomicUsize,
    /// Calls of `ocrMapGet` that returned that nothing was made.
    refused: AtomicU32,
    /// Whether a block has its first content.
    filled: AtomicBool,
    /// How often an EDT has run.
    runs: AtomicU32,
}

impl KeyState {
    fn lives(&self) -> MutexGuard<'_, Vec<Life>> {
        match self.lives.lock() {
            Ok(lives) => lives,
            Err(poisoned) => poisoned.into_inner(),
        }
    }

    /// The creator is called, which makes nothing in its first `refusals` calls for an object. The answer is
    /// the object that this call is for, and how many calls for it came before.
    fn called(&self, refusals: u32) -> Result<(usize, u32), &'static str> {
        let mut lives = self.lives();
        let full = lives.last().is_none_or(|life| life.calls > refusals);
        match lives.last() {
            // The creator that has made it may not have returned from its call yet.
            Some(life) if full && life.destroyed => {}
            Some(life) if life.creating => return Err("two creators make it at the same time"),
            Some(_) if full => return Err("it is made again, and no task has destroyed it"),
            _ => {}
        }
        if full {
            lives.push(Life::default());
        }
        let at = lives.len() - 1;
        let life = &mut lives[at];
        life.creating = true;
        life.calls += 1;
        Ok((at, life.calls - 1))
    }

    /// The creator that was called for this object has made it, or makes nothing in this call.
    fn made(&self, at: usize) {
        self.lives()[at].creating = false;
    }

    /// Which of the objects has this GUID. One that no task has got yet may be what a creator makes.
    fn find(&self, guid: Guid) -> Option<usize> {
        let mut lives = self.lives();
        let known = |life: &Life| life.guid.is_some_and(|known| known.guid == guid.guid);
        let at = lives.iter().position(known).or_else(|| lives.iter().position(|life| life.guid.is_none()))?;
        lives[at].guid = Some(guid);
        Some(at)
    }

    /// A call returned that nothing was made; false if fewer calls of the creator have made nothing.
    fn refuse(&self, refusals: u32) -> bool {
        let lives = self.lives();
        let refusing = lives.iter().map(|life| life.calls.min(refusals)).sum();
        self.refused.fetch_add(1, Relaxed) < refusing
    }
}

/// The maps of a graph.
pub(crate) struct Maps {
    guids: Vec<Place>,
    keys: Vec<(Key, KeyState)>,
    by_key: BTreeMap<Key, usize>,
    spec: MapsSpec,
}

impl Maps {
    pub(crate) fn of(graph: &Graph) -> Maps {
        let keys = graph.keys();
        let maps = if keys.is_empty() { 0 } else { graph.maps.maps };
        let positions = keys.iter().enumerate().map(|(nth, &key)| (key, nth));
        Maps {
            guids: (0..maps).map(|_| Place::default()).collect(),
            by_key: positions.collect(),
            keys: keys.into_iter().map(|key| (key, KeyState::default())).collect(),
            spec: graph.maps.clone(),
        }
    }

    pub(crate) fn has(&self, key: Key) -> bool {
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

    /// The objects that were made in the place of destroyed ones.
    pub(crate) fn made_anew(&self) -> Vec<(Key, Guid)> {
        let last = |(key, state): &(Key, KeyState)| {
            let lives = state.lives();
            let [_, .., last] = &lives[..] else {
                return None;
            };
            Some((*key, last.guid.filter(|_| !last.destroyed)?))
        };
        self.keys.iter().filter_map(last).collect()
    }

    /// What was made too often or never.
    pub(crate) fn judge(&self) -> Vec<String> {
        let mut failures = Vec::new();
        for (nth, (key, state)) in self.keys.iter().enumerate() {
            let (lives, refusals) = (state.lives(), self.creator(nth).refusals);
            for (at, life) in lives.iter().enumerate() {
                if life.calls != refusals + 1 {
                    failures.push(format!(
                        "{} calls of the creator of {key:?} for its object {at}, of which {refusals} \
                         make nothing",
                        life.calls
                    ));
                }
            }
            let refused = state.refused.load(Relaxed);
            if refused != refusals * lives.len() as u32 {
                failures.push(format!(
                    "{refused} calls of ocrMapGet returned that there is no {key:?}, and \
                     {refusals} calls of the creator make nothing for each of {} objects",
                    lives.len()
                ));
            }
            let runs = state.runs.load(Relaxed);
            if matches!(key, Key::Edt(_)) && runs as usize != lives.len() {
                failures.push(format!("{key:?} ran {runs} times"));
            }
        }
        failures
    }
}

impl Running {
    pub(crate) fn create_maps(&self) {
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

    pub(crate) fn destroy_maps(&self) {
        for (key, guid) in self.maps.made_anew() {
            let destroy = match key {
                Key::Block(_) => api::destroy_block,
                _ => api::destroy_event,
            };
            self.destroy_mapped(key, guid, destroy);
        }
        for place in &self.maps.guids {
            api::destroy_map(place.get());
            let (status, _) = api::map_get(place.get(), 0);
            check_one_of("ocrMapGet of a map that is gone", status, &[EINVAL]);
        }
    }

    /// Asks for something that stands in a map.
    pub(crate) fn ask(&self, key: Key) -> Guid {
        self.ask_nth(self.maps.by_key[&key], false)
    }

    /// Asks for a key that a task does not need.
    pub(crate) fn look_up(&self, which: usize) {
        let keys = self.maps.keys.iter();
        let open = keys.filter(|(key, _)| is_free(key) || matches!(key, Key::Edt(_)));
        if let Some(nth) = which.checked_rem(open.count()) {
            self.ask_nth(nth, false);
        }
    }

    /// A block that is there from the start, for somebody who wants it in a mode.
    pub(crate) fn given_block(&self, block: Block, mode: Mode) -> Guid {
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

    /// Destroys an object, which may stand in a map.
    pub(crate) fn destroy_mapped(&self, key: Key, guid: Guid, destroy: impl FnOnce(Guid)) {
        self.begin_destruction(key, guid);
        destroy(guid);
        if let Some(&nth) = self.maps.by_key.get(&key) {
            self.maps.keys[nth].1.gone.fetch_add(1, Release);
        }
    }

    /// An object is going to be destroyed, which may stand in a map.
    pub(crate) fn begin_destruction(&self, key: Key, guid: Guid) {
        let Some(&nth) = self.maps.by_key.get(&key) else {
            return;
        };
        let mut lives = self.maps.keys[nth].1.lives();
        let is_it = |life: &&mut Life| life.guid.is_some_and(|known| known.guid == guid.guid);
        match lives.last_mut().filter(is_it) {
            Some(life) if !life.destroyed => life.destroyed = true,
            _ => {
                // The failure must not wait for the lock.
                drop(lives);
                fail(format!("{:#x} is destroyed as {key:?}", guid.guid));
            }
        }
    }

    /// After all tasks: asks for the keys whose objects tasks have destroyed.
    pub(crate) fn ask_anew(&self) {
        for (nth, (_, state)) in self.maps.keys.iter().enumerate() {
            let destroyed = state.lives().iter().filter(|life| life.destroyed).count();
            // A copy that destroys its source does not tell when it has.
            state.gone.store(destroyed, Release);
            if destroyed != 0 {
                self.ask_nth(nth, false);
            }
        }
    }

    fn ask_nth(&self, nth: usize, circle: bool) -> Guid {
        let (key, state) = &self.maps.keys[nth];
        let count = self.maps.guids.len();
        let (map, index) = (nth % count, (nth / count) as u64 * self.maps.spec.stride);
        loop {
            let gone = state.gone.load(Acquire);
            let (status, guid) = api::map_get(self.maps.guids[map].get(), index);
            match status {
                0 => {
                    self.got(nth, guid, gone);
                    return guid;
                }
                ENOENT | EINVAL if state.refuse(self.maps.creator(nth).refusals) => {}
                EPEND if circle => return NULL,
                _ => {
                    fail(format!("ocrMapGet for {key:?} returned {status}"));
                    return NULL;
                }
            }
        }
    }

    /// Looks that a key has this object, while `gone` that it had are gone. The answer is which of its
    /// objects this is.
    fn got(&self, nth: usize, guid: Guid, gone: usize) -> Option<usize> {
        let (key, state) = &self.maps.keys[nth];
        let at = state.find(guid);
        match at {
            None => fail(format!("{key:?} is {:#x} for one, and something else for others", guid.guid)),
            Some(at) if at < gone => {
                fail(format!("{key:?} is {:#x} for one who asks after its destruction", guid.guid))
            }
            // The tasks that need it know the first.
            Some(0) => self.enter(*key, guid),
            Some(_) => {}
        }
        at
    }

    /// Shows others what a key is.
    fn enter(&self, key: Key, guid: Guid) {
        match key {
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
        let (at, calls) = match state.called(spec.refusals) {
            Ok(called) => called,
            Err(wrong) => return fail(format!("a creator is called for {key:?}: {wrong}")),
        };
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
            state.made(at);
            return;
        }
        let guid = self.create_object(*key, at, state, Some((local, MAPPED)));
        state.made(at);
        if self.got(nth, guid, at) != Some(at) {
            fail(format!(
                "{key:?} is {:#x} for the creator of its object {at}, and others have it for another",
                guid.guid
            ));
        }
        let (status, named) = api::guid_of(local);
        if status != 0 || named.guid != guid.guid {
            fail(format!("ocrGetGuid returned {status} and {:#x} for {key:?}, which is {:#x}", named.guid, guid.guid));
        }
        let (again, _) = api::try_event(Kind::Sticky, 0, false, Some((local, MAPPED)));
        check_one_of("ocrEventCreate for a key that was made", again, &[EINVAL]);
        pause(spec.pauses[2]);
        after.map(ask);
    }

    /// Makes the object of a key that had `at` before.
    fn create_object(&self, key: Key, at: usize, state: &KeyState, label: api::Label) -> Guid {
        let (status, guid) = match key {
            Key::Event(event) => {
                let event = &self.shared.events[&event];
                if at == 0 {
                    event.object.made.fetch_add(1, Relaxed);
                }
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
                let (status, guid, _) =
                    NewEdt { template, params: &mut [nth as u64], named: true, label, ..NewEdt::default() }
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
unsafe extern "C" fn create(local: Guid, index: u64, paramc: u32, paramv: *mut u64, guidc: u32, guidv: *mut Guid) {
    let running = running();
    let (count, stride) = (running.maps.guids.len(), running.maps.spec.stride);
    if (paramc, guidc, index % stride) != (1, 1, 0) {
        fail(format!("a creator got {paramc} numbers and {guidc} GUIDs for {index}"));
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

/// An EDT that no task needs.
unsafe extern "C" fn run_once(_: u32, paramv: *mut u64, _: u32, _: *mut Dep) -> Guid {
    let maps = &running().maps;
    // SAFETY: it has one parameter.
    let key = Key::Edt(unsafe { paramv.read() } as usize);
    let (_, state) = &maps.keys[maps.by_key[&key]];
    state.runs.fetch_add(1, Relaxed);
    NULL
}
