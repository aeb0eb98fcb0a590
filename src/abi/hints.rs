//! The properties of hints (OCR 1.1.0, B.1), and what each leads to.
//!
//! To add one, give it a number in `include/ocr-types.h` and an entry in `hints!`. Names, positions and the guide's
//! table follow from the entry; the compiler refuses a property of the header without one.

use super::sys;

/// A property of hints.
pub struct HintProperty {
    /// Its number (`ocrHintProp_t`).
    pub number: u32,
    /// Its name in the headers.
    pub name: &'static str,
    /// What the runtime does with it, or why it does nothing but keep it, so that it is read back.
    pub effect: Result<&'static str, &'static str>,
}

/// Makes the table of all properties, each with its effect, or with the reason why it has none.
macro_rules! hints {
    ($($name:ident $(= $effect:literal)? $(without effect: $reason:literal)?;)*) => {
        /// All properties, in the order of their numbers.
        pub const HINTS: &[HintProperty] = &[$(HintProperty {
            number: sys::$name as u32,
            name: stringify!($name),
            effect: $(Ok($effect))? $(Err($reason))?,
        }),*];
    };
}

hints! {
    OCR_HINT_EDT_PRIORITY = "of the ready EDTs, workers run those with a higher priority first";
    OCR_HINT_EDT_SLOT_MAX_ACCESS = "the block in that pre-slot alone counts for a policy that asks where the EDT's blocks are, or how long copies take (`eft`, `locality`, [policies of your own](../own-policies.md))";
    OCR_HINT_EDT_AFFINITY = "an EDT with several variants runs in that place";
    OCR_HINT_EDT_SPAD_USAGE without effect: "neither workers nor devices have scratchpad memory that a program can reserve";
    OCR_HINT_EDT_DISPERSE without effect: "a worker without work takes EDTs of all others, so they are dispersed as far as there are workers for them";
    OCR_HINT_EDT_SPACE without effect: "memory is not reserved for EDTs: blocks are created when a call asks for them";
    OCR_HINT_EDT_TIME = "how long an EDT takes, in nanoseconds: a first guess for the [policy](../placement.md)";
    OCR_HINT_EDT_STATS_HW_CYCLES without effect: "times are measured, and no policy counts cycles";
    OCR_HINT_EDT_STATS_L1_HITS without effect: "no policy counts hits of caches";
    OCR_HINT_EDT_STATS_L1_MISSES without effect: "no policy counts misses of caches";
    OCR_HINT_EDT_STATS_FLOAT_OPS without effect: "times are measured, and no policy counts operations";
    OCR_HINT_EDT_SPAWNING without effect: "EDTs that an EDT creates may run elsewhere before it ends, whatever it is";
    OCR_HINT_EDT_TIME_PARAMS = "a bit for each parameter, the lowest for `paramv[0]`: the product of those parameters says how long an EDT takes ([models](../placement.md#what-runs-have-learned))";
    OCR_HINT_EDT_RETRY = "with `OCR_RETRY=N`, how often the EDT may run again, in the place of N; 0: it is no [attempt](../diagnosing/attempts.md#edts-that-must-not-run-twice)";
    OCR_HINT_DB_AFFINITY = "for a policy that asks where blocks are, or how long copies take (`eft`, `locality`, [policies of your own](../own-policies.md)), the block is in that place, wherever its content is";
    OCR_HINT_DB_NEAR without effect: "the host has one kind of memory, and a device its own: which of both has a block follows from where its EDTs run";
    OCR_HINT_DB_INTER without effect: "as `OCR_HINT_DB_NEAR`";
    OCR_HINT_DB_FAR without effect: "as `OCR_HINT_DB_NEAR`";
    OCR_HINT_DB_HIGHBW without effect: "as `OCR_HINT_DB_NEAR`";
    OCR_HINT_DB_EAGER = "if not 0: what a kernel has written is copied to the host when the kernel has ended, before an EDT asks for it";
    OCR_HINT_DB_LAZY = "if not 0: a block stays on a CPU device until an EDT asks for it. Others are brought to the host behind the kernel that writes them, while the host uses such blocks. `OCR_HINT_DB_EAGER` goes before it";
}

/// The numbers between which the properties of each type of hint lie, both exclusive, by the number of the type.
const RANGES: [(u32, u32, u32); 4] = [
    (sys::OCR_HINT_EDT_T, sys::OCR_HINT_EDT_PROP_START, sys::OCR_HINT_EDT_PROP_END),
    (sys::OCR_HINT_DB_T, sys::OCR_HINT_DB_PROP_START, sys::OCR_HINT_DB_PROP_END),
    (sys::OCR_HINT_EVT_T, sys::OCR_HINT_EVT_PROP_START, sys::OCR_HINT_EVT_PROP_END),
    (sys::OCR_HINT_GROUP_T, sys::OCR_HINT_GROUP_PROP_START, sys::OCR_HINT_GROUP_PROP_END),
];

/// The numbers between which the properties of a type of hint (`ocrHintType_t`) lie, both exclusive. None for an
/// unknown type.
pub(crate) fn range(hint_type: u32) -> Option<(u32, u32)> {
    let (_, start, end) = RANGES.iter().find(|(number, ..)| *number == hint_type)?;
    Some((*start, *end))
}

/// The most properties that a type of hint has.
pub(crate) const MOST: usize = {
    let (mut most, mut at) = (0, 0);
    while at < RANGES.len() {
        let count = RANGES[at].2 - RANGES[at].1 - 1;
        if count > most {
            most = count;
        }
        at += 1;
    }
    most as usize
};

/// The position of a property among those of its type of hint (`ocrHintType_t`), from 0. Types may share numbers.
pub(crate) const fn position(hint_type: u32, property: u32) -> usize {
    let mut at = 0;
    while at < RANGES.len() {
        let (number, start, end) = RANGES[at];
        if number == hint_type && start < property && property < end {
            return (property - start - 1) as usize;
        }
        at += 1;
    }
    panic!("this type of hint has no such property")
}

/// What is wrong with a table: it must have an entry for each property of these ranges, in the order of the numbers.
const fn fault(entries: &[HintProperty], ranges: &[(u32, u32, u32)]) -> Option<&'static str> {
    let (mut entry, mut at) = (0, 0);
    while at < ranges.len() {
        let (_, start, end) = ranges[at];
        let mut number = start + 1;
        while number < end {
            if entry == entries.len() || entries[entry].number != number {
                return Some("a property of the headers has no entry here");
            }
            (entry, number) = (entry + 1, number + 1);
        }
        at += 1;
    }
    if entry == entries.len() { None } else { Some("an entry is no property of the headers") }
}

const _: () = {
    if let Some(fault) = fault(HINTS, &RANGES) {
        panic!("{}", fault);
    }
};

#[cfg(test)]
mod tests {
    /// A table of properties of headers that have one more.
    #[allow(unreachable_pub)]
    mod with_another {
        use super::super::HintProperty;

        mod sys {
            pub(super) const OCR_HINT_EDT_WOOL: u32 = 41;
            pub(super) const OCR_HINT_EDT_SHEEP: u32 = 42;
        }

        hints! {
            OCR_HINT_EDT_WOOL without effect: "no EDT spins";
            OCR_HINT_EDT_SHEEP = "how many sheep an EDT counts";
        }
    }

    #[test]
    fn one_entry_adds_a_hint() {
        let [wool, sheep] = with_another::HINTS else {
            panic!("the table has two entries");
        };
        assert_eq!((wool.name, wool.effect), ("OCR_HINT_EDT_WOOL", Err("no EDT spins")));
        assert_eq!((sheep.name, sheep.number), ("OCR_HINT_EDT_SHEEP", 42));
        assert_eq!(sheep.effect, Ok("how many sheep an EDT counts"));
        let fault = |ranges| super::fault(with_another::HINTS, ranges);
        assert_eq!(fault(&[(1, 40, 43)]), None);
        // The header has a property more than the table, and the reverse: neither compiles.
        assert!(fault(&[(1, 40, 44)]).is_some_and(|why| why.contains("has no entry")));
        assert!(fault(&[(1, 40, 42)]).is_some_and(|why| why.contains("is no property")));
    }
}
