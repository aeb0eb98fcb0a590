//! Labeled GUIDs: ranges and maps, and waiting until a label is free (OCR 1.1.0, B.2).

use crate::abi::Api;
use crate::check::history::What;
use crate::engine::state::context::Context;
use crate::engine::state::deferred::Deferred;
use crate::engine::state::runtime::Runtime;
use crate::memory;
use crate::object::guid::{Guid, Kind};
use crate::object::range::{LabelBounds, Map};
use crate::object::waiting::Wake;
use crate::report::tally::Label;

impl Context {
    /// Reserves labels for objects of a kind. `None` when memory or slots are used up.
    pub(crate) fn create_range(&mut self, kind: Kind, len: u64, map: Option<Map>) -> Option<Guid> {
        let objects = &self.runtime.objects;
        let labels = objects.labels(kind)?;
        let len = u32::try_from(len).ok()?;
        let (first, generation) = labels.reserve(len)?;
        let bounds = LabelBounds { first: Guid::new(kind, generation, first), len, mapped: map.is_some() };
        let range = objects.ranges.create(&mut self.caches.ranges, bounds, map);
        match (range, &self.runtime.check) {
            (None, _) => labels.give_back(first),
            (Some(range), Some(check)) => {
                let (what, call) = if bounds.mapped {
                    (What::LabelMap, Api::ocrGuidMapCreate)
                } else {
                    (What::Range, Api::ocrGuidRangeCreate)
                };
                check.created(objects, range, what, (call, self.who()));
            }
            _ => {}
        }
        range
    }

    /// Destroys a range or map. False if there is none.
    pub(crate) fn destroy_range(&mut self, range: Guid) -> bool {
        let objects = &self.runtime.objects;
        let Some(bounds) = objects.ranges.destroy(&mut self.caches.ranges, range) else {
            return false;
        };
        if let Some(check) = &self.runtime.check {
            check.range_ended(range, bounds, (Api::ocrGuidMapDestroy, self.who()));
        }
        if let Some(labels) = bounds.first.kind().and_then(|kind| objects.labels(kind)) {
            labels.give_back(bounds.first.index());
        }
        true
    }

    /// Waits until a label is free, for `call`; while what is `leaving` there goes, if that is all that is waited for.
    /// False if the program ends meanwhile.
    pub(crate) fn wait_for_label(&mut self, label: Guid, leaving: bool, call: Api) -> bool {
        let runtime = self.runtime;
        self.wait_until(Label::Gone(label), call, |wake| when_free(runtime, label, leaving, wake))
    }

    /// Whether the object that was on a label has gone since, or is about to: a block that is not used any more, and
    /// that a device gives up.
    pub(crate) fn is_leaving(&self, label: Guid) -> bool {
        label.is_data_block() && is_leaving(self.runtime, label) != Some(false)
    }

    /// Waits for the thread that opens the event on a label: a call that destroys it may be among those that have
    /// waited. False if no thread does.
    pub(crate) fn wait_for_opener(&mut self, label: Guid) -> bool {
        let opens = label.is_event() && self.runtime.objects.events.is_opening(label);
        if opens {
            self.wait_until_opened(label);
        }
        opens
    }

    /// Waits until there is an event with a label, for `call`. False if the GUID is no label of an
    /// event, or the program ends meanwhile.
    pub(crate) fn wait_for_labeled_event(&mut self, label: Guid, call: Api) -> bool {
        let runtime = self.runtime;
        if label.kind() != Some(Kind::Event) || !runtime.objects.events.labels().is_label(label) {
            return false;
        }
        self.wait_until(Label::Made(label), call, |wake| when_made(runtime, label, wake))
    }
}

/// Has `wake` called when there is an event with a label; at once if the GUID is no label of an event.
pub(crate) fn when_made(runtime: &Runtime, label: Guid, wake: Wake) {
    let objects = &runtime.objects;
    if label.kind() != Some(Kind::Event) || !objects.events.labels().is_label(label) {
        return wake();
    }
    // The first look waits while the event is being made.
    let is_made = || !objects.is_awaited(label) && objects.exists(label);
    if let Some(Deferred::Thread(wake)) = runtime.deferred.wait(label, Deferred::Thread(wake), is_made) {
        wake();
    }
}

/// Has `wake` called when a label is free; with `leaving`, also when what is there is not about to go.
pub(crate) fn when_free(runtime: &Runtime, label: Guid, leaving: bool, wake: Wake) {
    let goes = || !leaving || is_leaving(runtime, label) == Some(true);
    match label.kind().and_then(|kind| runtime.objects.labels(kind)) {
        Some(labels) => labels.watch(label.index(), &goes, wake),
        None => wake(),
    }
}

/// Whether the block on a label goes as soon as no device knows it, and no other node has it; none if there is none.
fn is_leaving(runtime: &Runtime, label: Guid) -> Option<bool> {
    let loans = runtime.elsewhere.lock().lent.get(&label).map_or(0, |lent| lent.iter().len());
    let (block, locked) = runtime.objects.data_blocks.lock(label)?;
    Some(memory::is_unused_but_for(block, &locked, loans as u32))
}
