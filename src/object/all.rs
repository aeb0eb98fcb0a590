//! All objects of a runtime together.

use super::arena::{Arena, Cache, Labels};
use super::event::{EventKind, EventState};
use super::guid::{Guid, Kind};
use super::header::Word;
use super::registry::{Numbers, Registry};
use super::remains::Remains;
use super::saved::Saved;
use super::zone::Zone;
use super::{code, data_block, edt, event, file, map, range, scope, template};
use std::io;

/// All objects of a runtime.
#[derive(Default)]
pub struct Objects {
    /// What this node makes and has of all objects.
    pub zone: Zone,
    pub edts: edt::Edts,
    pub events: event::Events,
    pub data_blocks: data_block::DataBlocks,
    pub templates: template::Templates,
    /// The ranges of labels that the program has reserved, and their maps.
    pub ranges: range::Ranges,
    /// Counts the maps and files below.
    pub numbers: Numbers,
    /// Maps whose objects a function creates.
    pub maps: Registry<map::CreatorMap>,
    /// The objects of these that are being made.
    pub creations: map::Creations,
    /// Files, and which data blocks are parts of them.
    pub files: file::Files,
    /// The finish scopes that are open.
    pub scopes: Arena<scope::Scope>,
    /// What EDTs run, each interned once.
    pub code_table: code::CodeTable,
}

/// Free slots of each kind of object, for one thread alone.
#[derive(Default)]
pub struct Caches {
    pub edts: edt::EdtCaches,
    pub events: event::EventCaches,
    pub data_blocks: Cache,
    pub templates: Cache,
    pub ranges: Cache,
    pub scopes: Cache,
}

impl Caches {
    /// Caches that use late the slots of the `gone` EDTs and events that went last, since something is still known of
    /// them.
    pub fn keeping(gone: usize) -> Caches {
        Caches { edts: edt::EdtCaches::keeping(gone), events: event::EventCaches::keeping(gone), ..Caches::default() }
    }
}

impl Objects {
    /// Makes a store without objects, of a node. `strict` is whether strict mode is on, and `timed` what is timed.
    pub fn new(zone: Zone, strict: bool, timed: code::Timed) -> Objects {
        Objects {
            zone,
            edts: edt::Edts::new(zone),
            events: event::Events::new(zone),
            data_blocks: data_block::DataBlocks::new(zone, strict),
            templates: template::Templates::new(zone),
            ranges: range::Ranges::new(zone),
            numbers: Numbers::new(zone),
            maps: Registry::default(),
            creations: map::Creations::new(zone),
            files: file::Files::default(),
            // No GUID names a scope.
            scopes: Arena::default(),
            code_table: code::CodeTable::new(strict, timed),
        }
    }

    /// What kind of event a GUID names, if the event exists.
    pub fn event_kind(&self, guid: Guid) -> Option<EventKind> {
        if guid.is_output() { self.edts.lock_output(guid).map(|_| EventKind::Once) } else { self.events.kind(guid) }
    }

    /// Whether this is an event that triggers once, and has not.
    pub fn is_armed(&self, guid: Guid) -> bool {
        if guid.is_output() {
            return self.edts.lock_output(guid).is_some();
        }
        self.events.lock(guid).is_some_and(|(_, locked)| locked.word.state() == EventState::Armed)
    }

    /// Whether this is a channel event from which a dependence that is added now would be satisfied at once.
    pub fn is_channel_ready(&self, guid: Guid) -> bool {
        let found = self.events.lock(guid);
        found.is_some_and(|(event, _locked)| event.kind() == EventKind::Channel && event.counter.get() > 0)
    }

    /// The node that has the object with this GUID, where that is another one.
    pub fn owner_elsewhere(&self, guid: Guid) -> Option<u32> {
        let has_owner = !matches!(guid.kind()?, Kind::Affinity | Kind::Local);
        (has_owner && !self.zone.owns(guid)).then(|| self.zone.owner_of(guid))
    }

    /// What is still known of an event that has triggered and is gone.
    pub fn remains_of(&self, event: Guid) -> Option<Remains> {
        if event.is_output() { self.edts.remains_of_output(event) } else { self.events.remains_of(event) }
    }

    /// Whether there is a data block, template, event or EDT with this GUID.
    pub fn exists(&self, guid: Guid) -> bool {
        match guid.kind() {
            Some(Kind::DataBlock) => self.data_blocks.exists(guid),
            Some(Kind::Template) => self.templates.view(guid).is_some(),
            Some(kind) if kind.is_event() => self.event_kind(guid).is_some(),
            Some(kind) if kind.is_edt() => {
                let edt = self.edts.lock(guid);
                edt.is_some_and(|(_, locked)| locked.word.state() != edt::EdtState::Zombie)
            }
            _ => false,
        }
    }

    /// Whether there can ever have been an object with this GUID: what it claims to name has a slot, in that generation
    /// or a later one. Not so most garbage, such as a number or an address.
    pub fn can_have_been(&self, guid: Guid) -> bool {
        let Some(kind) = guid.kind() else {
            return false;
        };
        let index = guid.index();
        let generation = match kind {
            Kind::DataBlock => self.data_blocks.word(index).map(Word::generation),
            Kind::Template => self.templates.word(index).map(Word::generation),
            Kind::Range => self.ranges.word(index).map(Word::generation),
            Kind::Event => self.events.word(index).map(Word::generation),
            kind if kind.is_edt() => self.edts.get(kind, index).map(|edt| edt.header.peek().generation()),
            // The number may be that of a device that is not there, or of a worker.
            Kind::Affinity => return index <= u16::MAX.into(),
            Kind::Registered => return self.numbers.gave(guid),
            Kind::Local => return self.creations.gave(guid),
            _ => {
                let edt = guid.edt_of_output();
                return edt.is_some_and(|edt| self.can_have_been(edt));
            }
        };
        // A slot takes on the generation of a label with its first object.
        generation.is_some_and(|last| guid.is_label() || guid.generation() <= last)
    }

    /// The labels of a kind of object.
    pub fn labels(&self, kind: Kind) -> Option<&dyn Labels> {
        Some(match kind {
            Kind::DataBlock => self.data_blocks.labels(),
            Kind::Template => self.templates.labels(),
            Kind::Event => self.events.labels(),
            Kind::EdtHuge => self.edts.labels(),
            _ => return None,
        })
    }

    /// Passes all objects through a checkpoint, whose codes were passed before. `slow` is whether templates need the
    /// slow path in this run.
    pub(crate) fn pass(&self, file: &mut Saved<'_>, slow: bool) -> io::Result<()> {
        let scopes = &self.scopes;
        scopes.pass(file, |file, index, scope| scope.pass(file, index, scopes))?;
        self.edts.pass(file, scopes)?;
        self.events.pass(file)?;
        self.data_blocks.pass(file)?;
        self.templates.pass(file, slow)?;
        self.ranges.pass(file)?;
        self.numbers.pass(file)?;
        self.creations.pass(file, &self.maps)
    }

    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, caches: &mut Caches) {
        self.edts.drain(&mut caches.edts);
        self.events.drain(&mut caches.events);
        self.data_blocks.drain(&mut caches.data_blocks);
        self.templates.drain(&mut caches.templates);
        self.ranges.drain(&mut caches.ranges);
        self.scopes.drain(&mut caches.scopes);
    }
}
