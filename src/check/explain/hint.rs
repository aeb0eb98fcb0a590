//! Why hints were not set or read, a place was not found, or a debug label not given.

use super::arguments::article;
use crate::abi::names::{self, one_of};
use crate::abi::{Api, sys};
use crate::check::calls::Role;
use crate::check::rules;
use crate::check::{CallRecord, Check, Misuse};
use crate::object::guid::{Guid, Kind};

/// What the hints of a type (`ocrHintType_t`) are for; nothing if there is no such type.
fn objects_of(hint_type: u32) -> Option<&'static str> {
    match hint_type {
        sys::OCR_HINT_EDT_T => Some("EDTs and templates"),
        sys::OCR_HINT_DB_T => Some("data blocks"),
        sys::OCR_HINT_EVT_T => Some("events"),
        sys::OCR_HINT_GROUP_T => Some("groups"),
        _ => None,
    }
}

impl Check {
    /// `ocrSetHint` or `ocrGetHint`, of an object that can have hints.
    pub(super) fn refused_hint(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let guid = call.guid(0);
        let Some(given) = call.hint else {
            return Some(self.by_call(call, &[guid], rules::HintNull));
        };
        let (wanted, of) = match guid.kind()? {
            Kind::DataBlock => (sys::OCR_HINT_DB_T, "a data block".to_string()),
            kind if kind.is_event() => {
                let name = self.history.what(guid)?.name();
                (sys::OCR_HINT_EVT_T, article(name))
            }
            Kind::Template => (sys::OCR_HINT_EDT_T, "a template".to_string()),
            _ => (sys::OCR_HINT_EDT_T, "an EDT".to_string()),
        };
        let object = format!("guid is {of}");
        (given != wanted).then(|| self.other_hint(call, given, wanted, &object, &[guid]))
    }

    /// A create function was given a hint for objects of another kind. It does without.
    pub(crate) fn wrong_hint(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let (wanted, object) = match call.spec.api {
            Api::ocrDbCreate => (sys::OCR_HINT_DB_T, "the object is a data block"),
            _ => (sys::OCR_HINT_EDT_T, "the object is an EDT"),
        };
        // One without a type has nothing in it.
        let given = call.hint.filter(|&given| given != wanted && given != 0)?;
        Some(self.other_hint(call, given, wanted, object, &[]))
    }

    /// A hint for a place was given a value that stands for none.
    pub(crate) fn wrong_affinity(&self, call: &CallRecord<'_>) -> Box<Misuse> {
        let value = format!("{:#x}", call.number(2));
        self.by_call(call, &[], rules::NotAPlace { value })
    }

    fn other_hint(
        &self,
        call: &CallRecord<'_>,
        given: u32,
        wanted: u32,
        object: &str,
        objects: &[Guid],
    ) -> Box<Misuse> {
        let name = |hint_type: u32| one_of(names::HINT_TYPES, hint_type);
        let given = match objects_of(given) {
            Some(objects) => format!("for {objects} ({})", name(given)),
            None if given == sys::OCR_HINT_UNDEF_T => "for nothing (OCR_HINT_UNDEF_T)".to_string(),
            None => format!("of no type ({given})"),
        };
        let wanted = name(wanted);
        let broken = rules::HintForOthers { given, object, wanted };
        self.by_call(call, objects, broken)
    }

    /// A function for a variable with hints, whose pointers are all right.
    pub(super) fn refused_hint_value(&self, call: &CallRecord<'_>) -> Box<Misuse> {
        let number = call.number(1);
        if call.spec.api == Api::ocrHintInit {
            return self.by_call(call, &[], rules::NoSuchHintType { number });
        }
        let of_type = call.hint.and_then(|given| Some((given, objects_of(given)?)));
        let Some((hint_type, objects)) = of_type else {
            return self.by_call(call, &[], rules::HintWithoutType);
        };
        let hint_type = one_of(names::HINT_TYPES, hint_type);
        let broken = rules::NoSuchHint { number, objects, hint_type };
        self.by_call(call, &[], broken)
    }

    /// A function of `extensions/ocr-affinity.h`, whose pointers are all right.
    pub(super) fn refused_place(&self, call: &CallRecord<'_>) -> Box<Misuse> {
        let (guid, kind) = (call.guid(0), call.number(0) as u32);
        match call.spec.api {
            Api::pdlGetDevicePropertyInt => self.by_call(call, &[], rules::NotADevice { guid }),
            Api::ocrAffinityQuery if guid.kind() == Some(Kind::Affinity) => {
                self.by_call(call, &[], rules::NoSuchPlace { guid })
            }
            Api::ocrAffinityQuery => self.by_call(call, &[], rules::PlaceOfNothing { guid }),
            _ if !names::AFFINITY_KINDS.iter().any(|(known, _)| *known == kind) => {
                let kind = kind as i32;
                self.by_call(call, &[], rules::NoSuchPlaceKind { kind })
            }
            _ => {
                let (index, kind) = (call.number(1), one_of(names::AFFINITY_KINDS, kind));
                self.by_call(call, &[], rules::NoSuchPlaceIndex { index, kind })
            }
        }
    }

    /// `ocrAttachDebugLabel`, of an object that can have a label, or `ocrPreAttachDebugLabel`.
    pub(super) fn refused_debug_label(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let label = call.spec.at(Role::DebugLabel)?;
        if call.number(label) == 0 {
            let object = Guid::from_bits(call.given(Role::Labelled));
            return Some(self.by_call(call, &[object], rules::LabelTextNull));
        }
        let (number, array, count) = self.missing_array(call, label + 1)?;
        let broken = rules::LabelNumbersNull { array, number, count };
        Some(self.by_call(call, &[], broken))
    }
}
