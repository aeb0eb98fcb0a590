//! Why hints were not set or read, a place was not found, or a debug label not given.

use super::arguments::article;
use super::{CallRecord, Check, Misuse};
use crate::object::guid::{Guid, Kind};

/// The names of `ocrHintType_t`, and what they are for.
const TYPES: [(&str, &str); 5] = [
    ("OCR_HINT_UNDEF_T", "nothing"),
    ("OCR_HINT_EDT_T", "EDTs and templates"),
    ("OCR_HINT_DB_T", "data blocks"),
    ("OCR_HINT_EVT_T", "events"),
    ("OCR_HINT_GROUP_T", "groups"),
];

impl Check {
    /// `ocrSetHint` or `ocrGetHint`, of an object that can have hints.
    pub(super) fn refused_hint(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let guid = made.guid(0);
        let Some(given) = made.hint else {
            return Some(self.by_call(
                made,
                "hint is NULL".into(),
                &[guid],
                "hint is a variable that ocrHintInit was called for",
                "Pass the address of an ocrHint_t.",
            ));
        };
        let (wanted, of) = match guid.kind()? {
            Kind::DataBlock => (2, "a data block".to_string()),
            kind if kind.is_event() => (3, article(self.history.what(guid)?.name())),
            Kind::Template => (1, "a template".to_string()),
            _ => (1, "an EDT".to_string()),
        };
        (given != wanted).then(|| {
            let of = format!("guid is {of}");
            self.other_hint(made, given, wanted, &of, &[guid])
        })
    }

    /// A create function was given a hint for objects of another kind. It does without.
    pub(crate) fn wrong_hint(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let (wanted, of) = match made.call.name {
            "ocrDbCreate" => (2, "the object is a data block"),
            _ => (1, "the object is an EDT"),
        };
        // One without a type has nothing in it.
        let given = made.hint.filter(|&given| given != wanted && given != 0)?;
        Some(self.other_hint(made, given, wanted, of, &[]))
    }

    /// A hint for a place was given a value that stands for none.
    pub(crate) fn wrong_affinity(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        self.by_call(
            made,
            format!("value is {:#x}, which stands for no place", made.number(2)),
            &[],
            "an affinity is a value that ocrAffinityToHintValue has made of the GUID of a place (extensions/ocr-affinity.h)",
            "Pass ocrAffinityToHintValue of what ocrAffinityGet or ocrAffinityGetAt has stored in this run. \
             ocrAffinityGet stores how many there are: one AFFINITY_PD.",
        )
    }

    fn other_hint(
        &self,
        made: &CallRecord<'_>,
        given: u32,
        wanted: u32,
        of: &str,
        objects: &[Guid],
    ) -> Box<Misuse> {
        let name = |number: u32| TYPES.get(number as usize).copied();
        let given = match name(given) {
            Some((name, objects)) => format!("for {objects} ({name})"),
            None => format!("of no type ({given})"),
        };
        let (wanted, _) = name(wanted).unwrap_or_default();
        self.by_call(
            made,
            format!("the hint is {given}, but {of}"),
            objects,
            "a hint is for objects of the type that ocrHintInit was given for it (see B.1.2)",
            &format!(
                "Call ocrHintInit(&hint, {wanted}) for this object. EDTs and templates have the same type \
                 of hints."
            ),
        )
    }

    /// A function for a variable with hints, whose pointers are all right.
    pub(super) fn refused_hint_value(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        let number = made.number(1);
        let given = made.hint.and_then(|given| TYPES.get(given as usize));
        let (what, rule, advice) = match (made.call.name, given) {
            ("ocrHintInit", _) => (
                format!("there is no type {number} of hints"),
                "hintType is one of ocrHintType_t",
                "Pass OCR_HINT_EDT_T, OCR_HINT_DB_T or OCR_HINT_EVT_T, for the objects that the hints \
                 are for.",
            ),
            (_, None | Some(("OCR_HINT_UNDEF_T", _))) => (
                "the hint has no type".to_string(),
                "hint is a variable that ocrHintInit was called for",
                "Call ocrHintInit(&hint, ...) before, with OCR_HINT_EDT_T, OCR_HINT_DB_T or \
                 OCR_HINT_EVT_T.",
            ),
            (_, Some((name, objects))) => (
                format!("there is no property {number} of hints for {objects} ({name})"),
                "a property is one of those of the type that ocrHintInit was given for the hint",
                "Pass one whose name begins as the type does: OCR_HINT_EDT_ for EDTs and templates, \
                 OCR_HINT_DB_ for data blocks; or call ocrHintInit with the other type.",
            ),
        };
        self.by_call(made, what, &[], rule, advice)
    }

    /// A function of `extensions/ocr-affinity.h`, whose pointers are all right.
    pub(super) fn refused_place(&self, made: &CallRecord<'_>) -> Box<Misuse> {
        let guid = made.guid(0);
        let (kind, name) = match made.number(0) as u32 {
            0 => (0, "AFFINITY_CURRENT"),
            1 => (1, "AFFINITY_PD"),
            2 => (2, "AFFINITY_PD_MASTER"),
            3 => (3, "AFFINITY_SIM"),
            4 => (4, "AFFINITY_GUID"),
            5 => (5, "AFFINITY_OCL"),
            other => (other, ""),
        };
        let (what, rule, advice) = match made.call.name {
            "pdlGetDevicePropertyInt" => (
                format!("device ({guid}) is no place"),
                "a device is NULL_GUID, for the machine, or an affinity, of the machine or an OpenCL device in use",
                "Pass what ocrAffinityGet or ocrAffinityGetAt has stored in this run.",
            ),
            "ocrAffinityQuery" if guid.kind() == Some(Kind::Affinity) => (
                format!("guid ({guid}) is a place that there is not"),
                "a place is the machine, or an OpenCL device in use",
                "Pass what ocrAffinityGet or ocrAffinityGetAt has stored in this run.",
            ),
            "ocrAffinityQuery" => (
                format!("guid ({guid}) is not the GUID of an object that exists"),
                "guid is an object that exists, or NULL_GUID for where the caller runs",
                "Pass the GUID that the create function has stored, before the object ends. An EDT goes \
                 when it has run.",
            ),
            _ if name.is_empty() => (
                format!("there is no kind {} of places", kind as i32),
                "kind is one of ocrAffinityKind",
                "Pass AFFINITY_PD for the machine, AFFINITY_OCL for the OpenCL devices. Are the \
                 arguments in the right order?",
            ),
            _ => (
                format!("there is no place {} of the kind {name}", made.number(1)),
                "idx is less than what ocrAffinityCount stores for the kind",
                "Count from 0, and ask ocrAffinityCount before. OCR_DEVICES says which OpenCL devices may \
                 be used, and ocr info lists them.",
            ),
        };
        self.by_call(made, what, &[], rule, advice)
    }

    /// `ocrAttachDebugLabel`, of an object that can have a label, or `ocrPreAttachDebugLabel`.
    pub(super) fn refused_debug_label(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        if made.number(made.at("label")) == 0 {
            return Some(self.by_call(
                made,
                "label is NULL".into(),
                &[made.guid(made.at("object"))],
                "label is a text, which is copied",
                "Pass a C string. An object keeps its label until another one is given.",
            ));
        }
        self.missing_array(
            made,
            "paramc",
            "paramv",
            "the numbers that are shown behind the label are copied from paramv",
        )
    }
}
