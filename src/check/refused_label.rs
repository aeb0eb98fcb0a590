//! Why a labeled GUID could not be had or created on, and what is wrong with one that has no object.

use super::arguments::article;
use super::calls::{LABEL_PROPERTIES, LABELED, MAPPED};
use super::history::{Ending, What};
use super::{CallRecord, Check, Misuse, kind_of, names};
use crate::object::Objects;
use crate::object::event::EventKind;
use crate::object::guid::{Guid, Kind};

const ADVICE: &str = "Create it in one place; or, if several EDTs may be the first, with GUID_PROP_CHECK, and \
                      go on where that returns OCR_EGUIDEXISTS.";
/// Where the object is a block that was destroyed.
const STILL_HELD: &str = "It was destroyed, but somebody still has it, or it was divided and its parts are not yet put \
                          together: create the next one behind the output events of all EDTs that have it.";

/// The kinds of events (`ocrGuidUserKind`), and their types (`ocrEventTypes_t`).
const EVENT_KINDS: [(u32, u32); 7] = [
    (17, EventKind::Once as u32),
    (18, EventKind::Counted as u32),
    (19, EventKind::Idempotent as u32),
    (21, EventKind::Sticky as u32),
    (22, EventKind::Latch as u32),
    (23, EventKind::Channel as u32),
    (24, EventKind::Collective as u32),
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
    /// `ocrGuidFromIndex`, `ocrGuidFromLabel` or `ocrGuidMapDestroy`.
    pub(super) fn refused_range(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let destroys = made.call.name == "ocrGuidMapDestroy";
        let wants_map = made.call.name == "ocrGuidFromLabel";
        let (name, guid) = if destroys {
            ("mapGuid", made.guid(0))
        } else {
            (made.call.args[1].0, made.guid(1))
        };
        let Some(bounds) = objects.ranges.bounds(guid) else {
            return Some(self.by_call(
                made,
                format!("{name} ({guid}) is not the GUID of a range or map of labeled GUIDs that exists"),
                &[guid],
                "a range or map can be used from ocrGuidRangeCreate or ocrGuidMapCreate until \
                 ocrGuidMapDestroy",
                "Pass the GUID that one of these has stored, and destroy it in the last EDT that uses \
                 it. Maps with a creator (ocrMapCreate) are asked with ocrMapGet.",
            ));
        };
        if bounds.mapped != wants_map {
            let (what, other) = if bounds.mapped {
                ("a map, not a range", "ocrGuidFromLabel")
            } else {
                ("a range, not a map", "ocrGuidFromIndex")
            };
            return Some(self.by_call(
                made,
                format!("{name} ({guid}) is {what}"),
                &[],
                "ranges, of ocrGuidRangeCreate, are asked with an index, and maps, of \
                 ocrGuidMapCreate, with a tuple",
                &format!("Use {other}."),
            ));
        }
        let last = bounds.len - 1;
        if !wants_map {
            return Some(self.by_call(
                made,
                format!(
                    "index {} is out of range: the last is {last}",
                    made.number(2)
                ),
                &[],
                "an index is less than the number of GUIDs that the range was created with",
                "Indices count from 0. Compare it with numberGuid of ocrGuidRangeCreate.",
            ));
        }
        (made.number(2) != 0).then(|| {
            let answer = made.label.unwrap_or(Guid::NULL);
            let what = match (answer.is_label(), bounds.place(answer)) {
                _ if answer.is_null() => "NULL_GUID".into(),
                (true, place) if answer.kind() == bounds.first.kind() => {
                    // Before the first, it wraps.
                    format!("{answer}, which is startGuid + {}", place as i64)
                }
                _ => answer.to_string(),
            };
            self.by_call(
                made,
                format!("the function of the map has returned {what}: not one of its {} GUIDs", bounds.len),
                &[guid],
                "the function of a map returns one of its GUIDs for each tuple",
                &format!(
                    "Have it return addValueToGuid(startGuid, i * skipGuid), with i from 0 to {last}: \
                     check the tuple, and that numberGuid of ocrGuidMapCreate counts all tuples."
                ),
            )
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
    pub(super) fn wrong_label(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let given = made.label?;
        let wanted = match made.call.name {
            "ocrDbCreate" => Kind::DataBlock,
            "ocrEventCreate" | "ocrEventCreateParams" => Kind::Event,
            _ => Kind::EdtHuge,
        };
        let labels = given.kind().and_then(|kind| objects.labels(kind));
        let is_label = labels.is_some_and(|labels| labels.is_label(given));
        let mut told = Vec::new();
        let (wanted, name) = (objects_of(wanted), made.call.args[0].0);
        let mut label = format!("*{name} ({given})");
        if let Some((range, index)) = self.range_of(objects, given) {
            told.push(range);
            label = format!("*{name} ({given}, index {index} of {range})");
        }
        let what = match (kind_of(given), self.named(objects, given)) {
            (Some(kind), _) if is_label && objects_of(kind) == wanted => return None,
            (Some(kind), _) if is_label => format!(
                "{label} is a labeled GUID for {}, not for {wanted}",
                objects_of(kind)
            ),
            (Some(_), Some(_)) if given.is_label() => {
                format!("{label} is a labeled GUID of a range or map that was destroyed")
            }
            (Some(_), Some(what)) => {
                told.push(given);
                format!(
                    "*{name} is the GUID of {} {given}, not a labeled GUID for {wanted}",
                    article(what.name())
                )
            }
            _ => format!("*{name} ({given}) is not a labeled GUID for {wanted}"),
        };
        Some(self.by_call(
            made,
            what,
            &told,
            "with GUID_PROP_IS_LABELED, GUID_PROP_CHECK or GUID_PROP_BLOCK the first argument points to \
             a GUID of a range or map, for this kind of object, that exists (see B.2.3)",
            "Store a GUID of ocrGuidFromIndex or ocrGuidFromLabel there before the call; compare the \
             kind that the range or map was created for; and destroy that when nothing is created on \
             its GUIDs any more.",
        ))
    }

    /// `ocrGuidRangeCreate` or `ocrGuidMapCreate`.
    pub(super) fn refused_range_creation(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let number = |name: &str| made.number(made.at(name));
        if number("numberGuid") == 0 {
            return Some(self.by_call(
                made,
                "numberGuid is 0".into(),
                &[],
                "a range or map has one GUID at least",
                "Pass how many objects are to have labeled GUIDs.",
            ));
        }
        if made.call.name == "ocrGuidMapCreate" && number("numParams") != 0 && number("params") == 0
        {
            return Some(self.by_call(
                made,
                format!(
                    "params is NULL, but numParams is {}",
                    number("numParams") as u32
                ),
                &[],
                "the numbers that the map's function gets are copied from params",
                "Pass an array of that many numbers, or 0 as numParams.",
            ));
        }
        Some(self.by_call(
            made,
            format!("there is no kind {} of objects", number("kind") as i32),
            &[],
            "kind is one of ocrGuidUserKind, and not GUID_USER_NONE: the kind of the objects that are \
             created on the GUIDs",
            "Pass GUID_USER_DB, GUID_USER_EDT, GUID_USER_EDT_TEMPLATE or one of GUID_USER_EVENT_. Are \
             the arguments in the right order?",
        ))
    }

    /// A create function that found an object on its label.
    pub(super) fn created_twice(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        // GUID_PROP_CHECK asks, and GUID_PROP_BLOCK waits.
        let promised = made.has_label() && made.properties() & LABEL_PROPERTIES == LABELED;
        let label = made.label.filter(|_| promised)?;
        let (mut advice, mut told, mut place) = (ADVICE.to_string(), vec![label], String::new());
        let is_edt = label.kind().is_some_and(Kind::is_edt);
        let end = self.history.get(label).and_then(|record| record.end);
        if let (true, Some(Ending::Destroyed(_))) = (label.is_data_block(), end) {
            advice = STILL_HELD.to_string();
        } else if is_edt {
            advice += " An EDT keeps its GUID until it has ended.";
        }
        if let Some((range, index)) = self.range_of(objects, label) {
            told.push(range);
            place = format!(" (index {index} of {range})");
            if objects
                .ranges
                .bounds(range)
                .is_some_and(|bounds| bounds.mapped)
            {
                advice += " Two tuples may have the same GUID: check that the function of the map gives each tuple \
                           one of its own.";
            }
        }
        Some(self.by_call(
            made,
            format!("there is an object with the labeled GUID {label}{place} already"),
            &told,
            "with GUID_PROP_IS_LABELED alone the program sees to it that one caller creates the object \
             (see B.2.3)",
            &advice,
        ))
    }

    /// An event is about to be created on a label of a range for events of another type. Without strict mode it is made:
    /// a label is one for events of any type here, and programs rely on it.
    pub(crate) fn other_type(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let label = made.label?;
        let (range, index) = self.range_of(objects, label)?;
        let kind = self.history.get(range)?.labels_for?;
        let (_, wanted) = EVENT_KINDS.iter().find(|(of_range, _)| *of_range == kind)?;
        let given = made.number(1) as u32;
        // What is no type at all is refused.
        (given != *wanted && names::EVENT_TYPES.iter().any(|(known, _)| *known == given)).then(|| {
            let (given, wanted) = (What::Event(given).name(), What::Event(*wanted).name());
            let kind = names::one_of(names::OBJECT_KINDS, kind);
            self.by_call(
                made,
                format!(
                    "{} is created on the labeled GUID {label} (index {index} of {range}), which is for {} ({kind})",
                    article(given),
                    article(wanted)
                ),
                &[range],
                "a range or map is for objects of the kind that it was created with (see B.2.2)",
                "Pass to ocrGuidRangeCreate, or ocrGuidMapCreate, the GUID_USER_EVENT_ kind of the events that are \
                 created on its GUIDs; events of several types need a range for each.",
            )
        })
    }

    /// A label that has no object.
    pub(super) fn without_object(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
        guid: Guid,
        name: &str,
    ) -> Box<Misuse> {
        let range = self.range_of(objects, guid);
        let place = range.map_or(String::new(), |(range, index)| {
            format!(", index {index} of {range}")
        });
        let told: Vec<Guid> = range.iter().map(|&(range, _)| range).collect();
        self.by_call(
            made,
            format!("{name} ({guid}{place}) is a labeled GUID without an object"),
            &told,
            "a labeled GUID names an object from its creation until its end (see B.2)",
            "Create the object before it is used: each of its users can do so, with GUID_PROP_CHECK, \
             and go on where that returns OCR_EGUIDEXISTS. One that goes by itself, such as a once \
             event or an EDT, must not go before its last use.",
        )
    }
}
