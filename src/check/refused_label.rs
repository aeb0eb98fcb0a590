//! Why a labeled GUID could not be had or created on, and what is wrong with one that has no object.

use super::{Check, Made, Misuse};
use crate::object::Objects;
use crate::object::guid::Guid;

/// `GUID_PROP_IS_LABELED`, which is in the other properties of labels.
const LABELED: u32 = 0x100;

impl Check {
    /// `ocrGuidFromIndex`, `ocrGuidFromLabel` or `ocrGuidMapDestroy`.
    pub(super) fn refused_range(&self, objects: &Objects, made: &Made<'_>) -> Option<Box<Misuse>> {
        let destroys = made.call.name == "ocrGuidMapDestroy";
        let wants_map = made.call.name == "ocrGuidFromLabel";
        let (name, guid) = match destroys {
            true => ("mapGuid", made.guid(0)),
            false => (made.call.args[1].0, made.guid(1)),
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
            let (what, other) = match bounds.mapped {
                true => ("a map, not a range", "ocrGuidFromLabel"),
                false => ("a range, not a map", "ocrGuidFromIndex"),
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
            self.by_call(
                made,
                "the function of the map has returned a GUID that is not one of the map's".into(),
                &[],
                "the function of a map returns one of its GUIDs for each tuple",
                &format!(
                    "Have it return addValueToGuid(startGuid, i * skipGuid), with i from 0 to {last}."
                ),
            )
        })
    }

    /// A create function that was given the property of a label.
    pub(super) fn refused_label(&self, made: &Made<'_>) -> Option<Box<Misuse>> {
        let properties = made.number(match made.at("flags") {
            usize::MAX => made.at("properties"),
            at => at,
        });
        (properties as u32 & LABELED != 0).then(|| {
            self.by_call(
                made,
                "the GUID given is no label on which such an object can be created".into(),
                &[],
                "with GUID_PROP_IS_LABELED, GUID_PROP_CHECK or GUID_PROP_BLOCK the first argument \
                 points to a GUID of a range or map, for this kind of object, that exists (see B.2.3)",
                "Store a GUID of ocrGuidFromIndex or ocrGuidFromLabel there before the call; compare \
                 the kind that the range or map was created for; and destroy that when nothing is \
                 created on its GUIDs any more.",
            )
        })
    }

    /// A label that has no object.
    pub(super) fn without_object(&self, made: &Made<'_>, guid: Guid, name: &str) -> Box<Misuse> {
        self.by_call(
            made,
            format!("{name} ({guid}) is a labeled GUID without an object"),
            &[],
            "a labeled GUID names an object from its creation until its end (see B.2)",
            "Create the object before it is used: each of its users can do so, with GUID_PROP_CHECK, \
             and go on where that returns OCR_EGUIDEXISTS. One that goes by itself, such as a once \
             event or an EDT, must not go before its last use.",
        )
    }
}
