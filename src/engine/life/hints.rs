//! Hints of objects (OCR 1.1.0, B.1): where they are kept, and what they lead to.
//!
//! `abi/hints.rs` lists all properties, with the effect of each. Other files ask for some of them: `place.rs` (the
//! block that counts, and where a block is), `launch.rs` (eager and lazy copies), `timing.rs` (parameters of time),
//! `duplicated.rs` and `state/runtime.rs` (retries), `attempt/mod.rs` (limits of time).

use crate::engine::state::context::Context;
use crate::object::edt::{Edt, EdtRef, EdtState};
use crate::object::guid::{Guid, Kind};
use crate::object::hints::{EDT_AFFINITY, EDT_PRIORITY, EDT_TIME, HintSet};
use ocr_place::place::Place;

impl Context {
    /// Gives a new EDT the hints of its template and, on top, those of its creation.
    pub(crate) fn begin_hints(&self, edt: &Edt, template: Guid, given: Option<&HintSet>) {
        let objects = &self.runtime.objects;
        let mut hints = objects.templates.hints.get(template);
        if let Some(given) = given {
            hints.add(given);
        }
        objects.edts.add_hints(edt, &hints);
        self.guess_time(edt, &hints);
    }

    /// Passes on what a hint says of the time that an EDT takes.
    fn guess_time(&self, edt: &Edt, hints: &HintSet) {
        if self.runtime.learns
            && let Some(ns) = hints.get(EDT_TIME)
        {
            edt.work().times.guess(ns);
        }
    }

    /// Adds hints to an object. False if there is no such object. For an EDT that is runnable they
    /// come too late, and are left out.
    pub(crate) fn set_hints(&self, guid: Guid, hints: &HintSet) -> bool {
        let objects = &self.runtime.objects;
        match guid.kind() {
            Some(Kind::Template) => objects.templates.add_hints(guid, hints),
            Some(Kind::DataBlock) => objects.data_blocks.add_hints(guid, hints),
            // There are no properties of events.
            Some(kind) if kind.is_event() => objects.event_kind(guid).is_some(),
            _ => {
                let Some((edt, locked)) = objects.edts.lock(guid) else {
                    return false;
                };
                if locked.word.state() == EdtState::Waiting {
                    objects.edts.add_hints(edt, hints);
                    self.guess_time(edt, hints);
                }
                locked.word.state() != EdtState::Zombie
            }
        }
    }

    /// The hints of an object, if it exists.
    pub(crate) fn hints(&self, guid: Guid) -> Option<HintSet> {
        let objects = &self.runtime.objects;
        match guid.kind() {
            Some(Kind::Template) => objects.templates.view(guid).map(|_| objects.templates.hints.get(guid)),
            Some(Kind::DataBlock) => {
                objects.data_blocks.can_be_named(guid).then(|| objects.data_blocks.hints.get(guid))
            }
            Some(kind) if kind.is_event() => objects.event_kind(guid).map(|_| HintSet::default()),
            _ => {
                let (edt, locked) = objects.edts.lock(guid)?;
                let there = locked.word.state() != EdtState::Zombie;
                there.then(|| objects.edts.hints_of(edt))
            }
        }
    }

    /// Puts a ready EDT with a priority where workers look first.
    #[cold]
    pub(crate) fn ready_urgent(&mut self, edt: &'static Edt) {
        let priority = self.priority_of(edt);
        let queues = &self.runtime.queues;
        queues.urgent.push(EdtRef::new(edt), priority);
        queues.sleep.notify();
    }

    /// The priority that an EDT has by its hints; 0 if they say nothing.
    pub(crate) fn priority_of(&self, edt: &Edt) -> u64 {
        let priority = self.runtime.objects.edts.hint(edt, EDT_PRIORITY);
        priority.unwrap_or_default()
    }

    /// The place that the hints of an EDT ask for, if one of its variants can run there; `devices`
    /// have a kernel for it.
    pub(crate) fn asked_place(&self, edt: &Edt, devices: &[Place]) -> Option<Place> {
        let affinity = self.runtime.objects.edts.hint(edt, EDT_AFFINITY)?;
        let affinity = Guid::from_bits(affinity);
        // Of a node, it has decided where the EDT was created.
        if affinity.is_null() || node_of(affinity).is_some() {
            return None;
        }
        let place = place_of(affinity).filter(|&place| match place {
            Place::HOST => edt.work().function.is_some(),
            // A kernel may have been built for a device that is used where a hint names it alone.
            device if edt.explicit_range().is_none() => edt.work().fits_without_range(device),
            device => devices.contains(&device),
        });
        if place.is_none() {
            let used = self.runtime.devices.in_use();
            let device = |place: Place| used.get(place.device_index()?);
            let why = match place_of(affinity).map(|place| (place, device(place))) {
                Some((Place::HOST, _)) => "on the workers, but no C function".to_string(),
                Some((_, Some(used))) => format!("on the device {}, which has no kernel for them", used.info.name),
                _ => format!("in the place {affinity}, which this run does not have"),
            };
            self.runtime.registry.remark(format!(
                "EDTs of template \"{}\" have a hint to run {why}; they ran elsewhere",
                edt.work().name
            ));
        }
        place
    }
}

/// The place that an affinity names.
pub(crate) fn place_of(affinity: Guid) -> Option<Place> {
    match (affinity.kind(), affinity.generation(), affinity.index()) {
        (Some(Kind::Affinity), 0, 0) => Some(Place::HOST),
        (Some(Kind::Affinity), 0, number) if number as usize <= Place::MAX_DEVICES => {
            Some(Place::device(number as usize - 1))
        }
        _ => None,
    }
}

/// The affinity that names a node of a program on several.
pub(crate) fn affinity_of_node(node: u32) -> Guid {
    Guid::new(Kind::Affinity, node + 1, 0)
}

/// The node that an affinity names.
pub(crate) fn node_of(affinity: Guid) -> Option<u32> {
    (affinity.kind() == Some(Kind::Affinity)).then(|| affinity.generation().checked_sub(1)).flatten()
}
