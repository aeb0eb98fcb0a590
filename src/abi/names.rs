//! The names of numbers, as programs write them. The numbers are those of the headers.

use super::hints::HINTS;
use super::sys;

/// Numbers and what they are called.
pub(crate) type Names = [(u32, &'static str)];

/// Constants of the headers, by name.
macro_rules! names {
    ($($name:ident)*) => { &[$((sys::$name as u32, stringify!($name))),*] };
}

/// The types of events: `ocrEventTypes_t`.
pub(crate) const EVENT_TYPES: &Names = names! {
    OCR_EVENT_ONCE_T OCR_EVENT_IDEM_T OCR_EVENT_STICKY_T OCR_EVENT_LATCH_T OCR_EVENT_COUNTED_T
    OCR_EVENT_CHANNEL_T OCR_EVENT_COLLECTIVE_T
};

/// The types of objects that hints are for: `ocrHintType_t`.
pub(crate) const HINT_TYPES: &Names = names! {
    OCR_HINT_EDT_T OCR_HINT_DB_T OCR_HINT_EVT_T OCR_HINT_GROUP_T
};

/// The properties of hints: `ocrHintProp_t`.
pub(crate) const HINT_PROPERTIES: &Names = &{
    let mut names = [(0, ""); HINTS.len()];
    let mut at = 0;
    while at < HINTS.len() {
        names[at] = (HINTS[at].number, HINTS[at].name);
        at += 1;
    }
    names
};

/// The kinds of objects that labels are for: `ocrGuidUserKind`.
pub(crate) const OBJECT_KINDS: &Names = names! {
    GUID_USER_DB GUID_USER_EDT GUID_USER_EDT_TEMPLATE GUID_USER_EVENT_ONCE GUID_USER_EVENT_COUNTED
    GUID_USER_EVENT_IDEM GUID_USER_EVENT_STICKY GUID_USER_EVENT_LATCH GUID_USER_EVENT_CHANNEL
    GUID_USER_EVENT_COLLECTIVE
};

/// The kinds of affinities that a program asks for: `ocrAffinityKind`.
pub(crate) const AFFINITY_KINDS: &Names = names! {
    AFFINITY_CURRENT AFFINITY_PD AFFINITY_PD_MASTER AFFINITY_SIM AFFINITY_GUID AFFINITY_OCL
};

/// What `ocrQuery` can be asked: `ocrQueryType_t`.
pub(crate) const QUERIES: &Names = names! {
    OCR_QUERY_READY_EDTS OCR_QUERY_EVENTS OCR_QUERY_LAST_SATISFIED_DB OCR_QUERY_ALL_EDTS
};

/// The bits of the argument `properties` of `ocrLegacyBlockProgress`.
pub(crate) const LEGACY_PROPERTIES: &Names = names! {
    LEGACY_PROP_WAIT_FOR_CREATE LEGACY_PROP_WAIT_IF_CREATED LEGACY_PROP_CHECK
};

/// The properties of a call that creates on a label alone. A name that has the bits of another stands before that.
pub(crate) const LABEL_PROPERTIES: &Names = names! {
    GUID_PROP_CHECK GUID_PROP_BLOCK GUID_PROP_IS_LABELED
};

/// The properties of a template that is created on a label, or by the creator of a map. A name that has the bits of
/// another stands before that.
pub(crate) const TEMPLATE_PROPERTIES: &Names = names! {
    EDT_PROP_MAPPED GUID_PROP_CHECK GUID_PROP_BLOCK GUID_PROP_IS_LABELED
};

/// The properties of an EDT. A name that has the bits of another stands before that.
pub(crate) const EDT_PROPERTIES: &Names = names! {
    EDT_PROP_MAPPED EDT_PROP_LID GUID_PROP_CHECK GUID_PROP_BLOCK GUID_PROP_IS_LABELED EDT_PROP_FINISH
    EDT_PROP_NO_HINT EDT_PROP_LONG EDT_PROP_OEVT_VALID
};

/// The properties of an event.
pub(crate) const EVENT_PROPERTIES: &Names = names! {
    EVT_PROP_MAPPED EVT_PROP_LID GUID_PROP_CHECK GUID_PROP_BLOCK GUID_PROP_IS_LABELED EVT_PROP_TAKES_ARG
};

/// The flags of a block.
pub(crate) const BLOCK_PROPERTIES: &Names = names! {
    DB_PROP_MAPPED DB_PROP_LID GUID_PROP_CHECK GUID_PROP_BLOCK GUID_PROP_IS_LABELED DB_PROP_NO_ACQUIRE
    DB_PROP_SINGLE_ASSIGNMENT DB_PROP_NO_HINT
};

/// The properties of a division of a block.
pub(crate) const PARTITION_PROPERTIES: &Names = names! {
    OCR_DB_PARTITION_STATIC
};

/// The name of a number that is one of several, or the number where it has no name.
pub(crate) fn one_of(names: &Names, number: u32) -> String {
    let named = names.iter().find(|(known, _)| *known == number);
    named.map_or_else(|| number.to_string(), |(_, name)| name.to_string())
}

/// Properties that were combined with `|`; what has no name is written as a number.
pub(crate) fn all_of(names: &Names, mut bits: u32) -> String {
    let mut parts = Vec::new();
    for (known, name) in names {
        if bits & known == *known {
            parts.push(name.to_string());
            bits &= !known;
        }
    }
    if bits != 0 || parts.is_empty() {
        parts.push(format!("0x{bits:x}"));
    }
    parts.join(" | ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_programs_do() {
        assert_eq!(one_of(EVENT_TYPES, 3), "OCR_EVENT_STICKY_T");
        assert_eq!(one_of(EVENT_TYPES, 9), "9");
        assert_eq!(all_of(EDT_PROPERTIES, 0), "0x0");
        assert_eq!(all_of(EDT_PROPERTIES, 0x301), "GUID_PROP_CHECK | EDT_PROP_FINISH");
        assert_eq!(all_of(BLOCK_PROPERTIES, 0x101), "GUID_PROP_IS_LABELED | 0x1");
    }
}
