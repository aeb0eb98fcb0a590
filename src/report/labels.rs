//! Labels that the program gives its objects, for messages.

use crate::object::Objects;
use crate::object::guid::Guid;
use crate::trace;
use ocr_base::lock::{Mutex, rank};
use std::collections::HashMap;

/// The labels, by object.
///
/// This table is not notified when an object ends. Labels of objects that are gone are dropped when their number may
/// have become half of all. So there are never more than twice as many as living objects have, and a few.
#[derive(Default)]
pub struct ObjectLabels(Mutex<rank::DebugLabels, KeptLabels>);

#[derive(Default)]
struct KeptLabels {
    labels: HashMap<Guid, String>,
    /// How many labels there are when those of objects that are gone are dropped next.
    limit: usize,
}

/// The least number of labels that are looked through for objects that are gone.
const FEW: usize = if cfg!(miri) { 20 } else { 1000 };

impl ObjectLabels {
    /// Gives an object a label, in place of one that it had. False if there is no such object.
    pub fn attach(&self, objects: &Objects, guid: Guid, label: &str) -> bool {
        if !exists(objects, guid) {
            return false;
        }
        let mut kept = self.0.lock();
        if kept.labels.len() >= kept.limit.max(FEW) {
            kept.labels.retain(|&guid, _| exists(objects, guid));
            kept.limit = 2 * kept.labels.len();
        }
        kept.labels.insert(guid, label.to_owned());
        if trace::is_on() {
            trace::events::label(guid.bits(), label);
        }
        true
    }

    /// The text that follows the name of an object in a message: nothing, or its label with a space before it.
    pub fn of(&self, guid: Guid) -> String {
        match self.0.lock().labels.get(&guid) {
            Some(label) => format!(" labelled \"{label}\""),
            None => String::new(),
        }
    }
}

/// Whether a GUID names an object that can have a label.
fn exists(objects: &Objects, guid: Guid) -> bool {
    objects.edts.lock(guid).is_some()
        || objects.event_kind(guid).is_some()
        || objects.data_blocks.can_be_named(guid)
        || objects.templates.view(guid).is_some()
        || objects.maps.get(guid).is_some()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::object::Caches;
    use crate::object::event::EventKind;

    #[test]
    fn labels_of_dead_objects_are_dropped() {
        let (objects, mut caches) = (Objects::default(), Caches::default());
        let labels = ObjectLabels::default();
        let new =
            |caches: &mut Caches| objects.events.create_plain(&mut caches.events, EventKind::Once, 0).expect("memory");
        let first = new(&mut caches);
        assert!(labels.attach(&objects, first, "first"));
        for _ in 0..10 * FEW {
            let guid = new(&mut caches);
            assert!(labels.attach(&objects, guid, "gone"));
            let (event, locked) = objects.events.lock(guid).expect("just made");
            objects.events.free(&mut caches.events, event, locked);
            assert!(!labels.attach(&objects, guid, "no more"));
        }
        assert!(labels.0.lock().labels.len() <= FEW);
        assert_eq!(labels.of(first), " labelled \"first\"");
    }
}
