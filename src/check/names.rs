//! The names of numbers, as programs write them. This room does not know the headers: a test of `capi/strict.rs` compares
//! what is here with them.

/// Numbers and what they are called.
pub(crate) type Names = [(u32, &'static str)];

/// `ocrEventTypes_t`.
pub(crate) const EVENT_TYPES: &Names = &[
    (1, "OCR_EVENT_ONCE_T"),
    (2, "OCR_EVENT_IDEM_T"),
    (3, "OCR_EVENT_STICKY_T"),
    (4, "OCR_EVENT_LATCH_T"),
    (5, "OCR_EVENT_COUNTED_T"),
    (6, "OCR_EVENT_CHANNEL_T"),
    (7, "OCR_EVENT_COLLECTIVE_T"),
];

/// `ocrHintType_t`.
pub(crate) const HINT_TYPES: &Names = &[
    (1, "OCR_HINT_EDT_T"),
    (2, "OCR_HINT_DB_T"),
    (3, "OCR_HINT_EVT_T"),
    (4, "OCR_HINT_GROUP_T"),
];

/// `ocrHintProp_t`.
pub(crate) const HINT_PROPERTIES: &Names = &[
    (1, "OCR_HINT_EDT_PRIORITY"),
    (2, "OCR_HINT_EDT_SLOT_MAX_ACCESS"),
    (3, "OCR_HINT_EDT_AFFINITY"),
    (4, "OCR_HINT_EDT_SPAD_USAGE"),
    (5, "OCR_HINT_EDT_DISPERSE"),
    (6, "OCR_HINT_EDT_SPACE"),
    (7, "OCR_HINT_EDT_TIME"),
    (8, "OCR_HINT_EDT_STATS_HW_CYCLES"),
    (9, "OCR_HINT_EDT_STATS_L1_HITS"),
    (10, "OCR_HINT_EDT_STATS_L1_MISSES"),
    (11, "OCR_HINT_EDT_STATS_FLOAT_OPS"),
    (12, "OCR_HINT_EDT_SPAWNING"),
    (15, "OCR_HINT_DB_AFFINITY"),
    (16, "OCR_HINT_DB_NEAR"),
    (17, "OCR_HINT_DB_INTER"),
    (18, "OCR_HINT_DB_FAR"),
    (19, "OCR_HINT_DB_HIGHBW"),
    (20, "OCR_HINT_DB_EAGER"),
    (21, "OCR_HINT_DB_LAZY"),
];

/// `ocrGuidUserKind`.
pub(crate) const OBJECT_KINDS: &Names = &[
    (2, "GUID_USER_DB"),
    (3, "GUID_USER_EDT"),
    (4, "GUID_USER_EDT_TEMPLATE"),
    (17, "GUID_USER_EVENT_ONCE"),
    (18, "GUID_USER_EVENT_COUNTED"),
    (19, "GUID_USER_EVENT_IDEM"),
    (21, "GUID_USER_EVENT_STICKY"),
    (22, "GUID_USER_EVENT_LATCH"),
    (23, "GUID_USER_EVENT_CHANNEL"),
    (24, "GUID_USER_EVENT_COLLECTIVE"),
];

/// `ocrAffinityKind`.
pub(crate) const AFFINITY_KINDS: &Names = &[
    (0, "AFFINITY_CURRENT"),
    (1, "AFFINITY_PD"),
    (2, "AFFINITY_PD_MASTER"),
    (3, "AFFINITY_SIM"),
    (4, "AFFINITY_GUID"),
    (5, "AFFINITY_OCL"),
];

/// `ocrQueryType_t`.
pub(crate) const QUERIES: &Names = &[
    (0, "OCR_QUERY_READY_EDTS"),
    (1, "OCR_QUERY_EVENTS"),
    (2, "OCR_QUERY_LAST_SATISFIED_DB"),
    (3, "OCR_QUERY_ALL_EDTS"),
];

/// `ocrLegacyBlockProgress`'s `properties`.
pub(crate) const LEGACY_PROPERTIES: &Names = &[
    (1, "LEGACY_PROP_WAIT_FOR_CREATE"),
    (2, "LEGACY_PROP_WAIT_IF_CREATED"),
    (4, "LEGACY_PROP_CHECK"),
];

/// The properties of who creates on a label alone. A name that has the bits of another stands before that.
pub(crate) const LABEL_PROPERTIES: &Names = &[
    (0x300, "GUID_PROP_CHECK"),
    (0x500, "GUID_PROP_BLOCK"),
    (0x100, "GUID_PROP_IS_LABELED"),
];

/// The properties of an EDT. A name that has the bits of another stands before that.
pub(crate) const EDT_PROPERTIES: &Names = &[
    (0x900, "EDT_PROP_MAPPED"),
    (0x80, "EDT_PROP_LID"),
    (0x300, "GUID_PROP_CHECK"),
    (0x500, "GUID_PROP_BLOCK"),
    (0x100, "GUID_PROP_IS_LABELED"),
    (0x1, "EDT_PROP_FINISH"),
    (0x2, "EDT_PROP_NO_HINT"),
    (0x4, "EDT_PROP_LONG"),
    (0x8, "EDT_PROP_OEVT_VALID"),
];

/// The properties of an event.
pub(crate) const EVENT_PROPERTIES: &Names = &[
    (0x900, "EVT_PROP_MAPPED"),
    (0x80, "EVT_PROP_LID"),
    (0x300, "GUID_PROP_CHECK"),
    (0x500, "GUID_PROP_BLOCK"),
    (0x100, "GUID_PROP_IS_LABELED"),
    (0x1, "EVT_PROP_TAKES_ARG"),
];

/// The flags of a block.
pub(crate) const BLOCK_PROPERTIES: &Names = &[
    (0x900, "DB_PROP_MAPPED"),
    (0x80, "DB_PROP_LID"),
    (0x300, "GUID_PROP_CHECK"),
    (0x500, "GUID_PROP_BLOCK"),
    (0x100, "GUID_PROP_IS_LABELED"),
    (0x10, "DB_PROP_NO_ACQUIRE"),
    (0x20, "DB_PROP_SINGLE_ASSIGNMENT"),
    (0x40, "DB_PROP_NO_HINT"),
];

/// One of several, or the number where it is none of them.
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
        assert_eq!(
            all_of(EDT_PROPERTIES, 0x301),
            "GUID_PROP_CHECK | EDT_PROP_FINISH"
        );
        assert_eq!(
            all_of(BLOCK_PROPERTIES, 0x101),
            "GUID_PROP_IS_LABELED | 0x1"
        );
    }
}
