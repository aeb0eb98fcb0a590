//! Why a labeled GUID could not be had or created on, and what is wrong with one that has no object.

use super::arguments::article;
use crate::abi::{Api, names, sys};
use crate::check::calls::{LABEL_PROPERTIES, LABELED, MAPPED, Role};
use crate::check::history::{Ending, What};
use crate::check::rules::{self, advice};
use crate::check::{CallRecord, Check, Misuse, kind_of};
use crate::object::Objects;
use crate::object::guid::{Guid, Kind};

/// The kinds of events (`ocrGuidUserKind`), and their types (`ocrEventTypes_t`).
const EVENT_KINDS: [(u32, u32); 7] = [
    (sys::GUID_USER_EVENT_ONCE, sys::OCR_EVENT_ONCE_T),
    (sys::GUID_USER_EVENT_COUNTED, sys::OCR_EVENT_COUNTED_T),
    (sys::GUID_USER_EVENT_IDEM, sys::OCR_EVENT_IDEM_T),
    (sys::GUID_USER_EVENT_STICKY, sys::OCR_EVENT_STICKY_T),
    (sys::GUID_USER_EVENT_LATCH, sys::OCR_EVENT_LATCH_T),
    (sys::GUID_USER_EVENT_CHANNEL, sys::OCR_EVENT_CHANNEL_T),
    (sys::GUID_USER_EVENT_COLLECTIVE, sys::OCR_EVENT_COLLECTIVE_T),
];

impl CallRecord<'_> {
    /// Whether it is a create function that was given a labeled GUID.
    pub(crate) fn has_label(&self) -> bool {
        self.properties() & (LABELED | MAPPED) == LABELED
    }
}

/// What may be created on labels of a kind, or has such a GUID.
fn objects_of(kind: Kind) -> &'static str {
    match kind {
        Kind::DataBlock => "data blocks",
        Kind::Template => "templates",
        kind if kind.is_event() => "events",
        _ => "EDTs",
    }
}

impl Check {
    /// Explains why `ocrGuidFromIndex`, `ocrGuidFromLabel` or `ocrGuidMapDestroy` was refused.
    pub(super) fn refused_range(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let at = call.spec.at(Role::Object)?;
        let (name, guid) = (call.spec.args[at].0, call.guid(at));
        let wants_map = call.spec.api == Api::ocrGuidFromLabel;
        let Some(bounds) = objects.ranges.bounds(guid) else {
            return Some(self.by_call(call, &[guid], rules::NoSuchRange { name, guid }));
        };
        if bounds.mapped != wants_map {
            let (what, other) = if bounds.mapped {
                ("a map, not a range", Api::ocrGuidFromLabel.name())
            } else {
                ("a range, not a map", Api::ocrGuidFromIndex.name())
            };
            let broken = rules::RangeForMap { name, guid, what, other };
            return Some(self.by_call(call, &[], broken));
        }
        let (count, last) = (bounds.len, bounds.len - 1);
        if !wants_map {
            let index = call.number(2);
            return Some(self.by_call(call, &[], rules::IndexOutOfRange { index, last }));
        }
        (call.number(2) != 0).then(|| {
            let answer = call.label.unwrap_or(Guid::NULL);
            let answer = match (answer.is_label(), bounds.place(answer)) {
                _ if answer.is_null() => "NULL_GUID".into(),
                (true, place) if answer.kind() == bounds.first.kind() => {
                    // Before the first, it wraps.
                    format!("{answer}, which is startGuid + {}", place as i64)
                }
                _ => answer.to_string(),
            };
            let broken = rules::MapFunctionWrong { answer, count, last };
            self.by_call(call, &[guid], broken)
        })
    }

    /// The range or map that a labeled GUID is of, or was, and its index.
    fn range_of(&self, objects: &Objects, label: Guid) -> Option<(Guid, u64)> {
        objects.ranges.place_of(label).or_else(|| {
            let former = self.former_ranges.lock();
            let mut former = former.iter();
            let &(range, labels) = former.find(|(_, labels)| labels.contains(label))?;
            Some((range, labels.place(label)))
        })
    }

    /// A create function that was given a GUID to create its object on, which is no label for it.
    pub(super) fn wrong_label(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let guid = call.label?;
        let wanted = match call.spec.api {
            Api::ocrDbCreate => Kind::DataBlock,
            Api::ocrEventCreate | Api::ocrEventCreateParams => Kind::Event,
            _ => Kind::EdtHuge,
        };
        let labels = guid.kind().and_then(|kind| objects.labels(kind));
        let is_label = labels.is_some_and(|labels| labels.is_label(guid));
        let mut told = Vec::new();
        let (wanted, name) = (objects_of(wanted), call.spec.args[0].0);
        let mut label = format!("*{name} ({guid})");
        if let Some((range, index)) = self.range_of(objects, guid) {
            told.push(range);
            label = format!("*{name} ({guid}, index {index} of {range})");
        }
        Some(match (kind_of(guid), self.named(objects, guid)) {
            (Some(kind), _) if is_label => {
                let labels = objects_of(kind);
                if labels == wanted {
                    return None;
                }
                let broken = rules::LabelForOthers { label, labels, wanted };
                self.by_call(call, &told, broken)
            }
            (Some(_), Some(_)) if guid.is_label() => self.by_call(call, &told, rules::LabelOfDestroyed { label }),
            (Some(_), Some(what)) => {
                told.push(guid);
                let what = article(what.name());
                let broken = rules::ObjectForLabel { name, what, guid, wanted };
                self.by_call(call, &told, broken)
            }
            _ => {
                let broken = rules::NoLabel { name, guid, wanted };
                self.by_call(call, &told, broken)
            }
        })
    }

    /// Explains why `ocrGuidRangeCreate` or `ocrGuidMapCreate` was refused.
    pub(super) fn refused_range_creation(&self, call: &CallRecord<'_>) -> Box<Misuse> {
        let is_map = call.spec.api == Api::ocrGuidMapCreate;
        let [count, kind] = if is_map { [4, 5] } else { [1, 2] };
        if call.number(count) == 0 {
            return self.by_call(call, &[], rules::RangeEmpty);
        }
        if is_map && call.number(1) != 0 && call.number(3) == 0 {
            let number = call.number(1) as u32;
            return self.by_call(call, &[], rules::MapParamsNull { number });
        }
        let number = call.number(kind) as i32;
        self.by_call(call, &[], rules::NoSuchLabelKind { number })
    }

    /// A create function that found an object on its label.
    pub(super) fn created_twice(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        // GUID_PROP_CHECK asks, and GUID_PROP_BLOCK waits.
        let promised = call.has_label() && call.properties() & LABEL_PROPERTIES == LABELED;
        let label = call.label.filter(|_| promised)?;
        let (mut told, mut place, mut more) = (vec![label], String::new(), String::new());
        let is_edt = label.kind().is_some_and(Kind::is_edt);
        let end = self.history.get(label).and_then(|record| record.end);
        let is_held = label.is_data_block() && matches!(end, Some(Ending::Destroyed(_)));
        let advice = if is_held { advice::STILL_HELD } else { advice::CREATE_ONCE };
        if is_edt {
            more = format!(" {}", advice::KEEPS_GUID);
        }
        if let Some((range, index)) = self.range_of(objects, label) {
            told.push(range);
            place = format!(" (index {index} of {range})");
            let bounds = objects.ranges.bounds(range);
            if bounds.is_some_and(|bounds| bounds.mapped) {
                more = format!("{more} {}", advice::SAME_TUPLE);
            }
        }
        let broken = rules::LabelTaken { label, place, advice, more };
        Some(self.by_call(call, &told, broken))
    }

    /// An event is about to be created on a label of a range for events of another type. Without strict mode it is
    /// made: a label is one for events of any type here, and programs rely on it.
    pub(crate) fn other_type(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let label = call.label?;
        let (range, index) = self.range_of(objects, label)?;
        let kind = self.history.get(range)?.labels_for?;
        let (_, wanted) = EVENT_KINDS.iter().find(|(of_range, _)| *of_range == kind)?;
        let given = call.number(1) as u32;
        // What is no type at all is refused.
        let is_type = names::EVENT_TYPES.iter().any(|(known, _)| *known == given);
        (given != *wanted && is_type).then(|| {
            let [given, wanted] = [given, *wanted].map(|of| article(What::Event(of).name()));
            let kind = names::one_of(names::OBJECT_KINDS, kind);
            let broken = rules::LabelOfOtherType { given, label, index, range, wanted, kind };
            self.by_call(call, &[range], broken)
        })
    }

    /// A label that has no object.
    pub(super) fn without_object(
        &self,
        objects: &Objects,
        call: &CallRecord<'_>,
        guid: Guid,
        name: &str,
    ) -> Box<Misuse> {
        let range = self.range_of(objects, guid);
        let place = range.map_or(String::new(), |(range, index)| format!(", index {index} of {range}"));
        let told: Vec<Guid> = range.iter().map(|&(range, _)| range).collect();
        self.by_call(call, &told, rules::LabelWithoutObject { name, guid, place })
    }
}
