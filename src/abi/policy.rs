//! Compares what `include/ocr-policy.h` declares with what `ocr_place::policy::layout` has of it, when this is
//! compiled.

use super::sys;
use ocr_place::policy::layout;
use std::mem::offset_of;

/// Whether a struct has this size, and fields with these names and offsets.
const fn is_same(size: usize, fields: &[(&str, usize)], other: (&str, usize, &[(&str, usize, usize)])) -> bool {
    let mut same = size == other.1 && fields.len() == other.2.len();
    let mut at = 0;
    while same && at < fields.len() {
        same = fields[at].1 == other.2[at].1 && is_word(fields[at].0, other.2[at].0);
        at += 1;
    }
    same
}

const fn is_word(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut same = one.len() == other.len();
    let mut at = 0;
    while same && at < one.len() {
        same = one[at] == other[at];
        at += 1;
    }
    same
}

macro_rules! same {
    ($($c_name:ident, $name:ident: $($field:ident)*;)*) => {$(
        const _: () = assert!(
            is_same(
                size_of::<sys::$c_name>(),
                &[$((stringify!($field), offset_of!(sys::$c_name, $field))),*],
                layout::$name::LAYOUT,
            ),
            concat!(stringify!($c_name), " of the header is not as in layout.rs")
        );
    )*};
}

same! {
    ocrPolicyPlace_t, PolicyPlace: units load;
    ocrPolicyOption_t, PolicyOption: place behind copyNs bytes;
    ocrPolicyEdt_t, PolicyEdt: kind priority bytes params options paramCount optionCount;
    ocrPolicyTime_t, PolicyTime: runNs atMostNs newestNs aloneNs besideNs slowdown error certainty isSpread;
    ocrPolicyExpected_t, PolicyExpected: place unused queueNs copyNs runNs;
    ocrPolicyMachine, PolicyMachine:
        nowNs places placeCount isRecorded time pending askAgain considered runtime;
    ocrPolicy_t, PolicyCalls: version properties begin end choose keep take ended tick;
}

const _: () = assert!(sys::OCR_POLICY_VERSION == layout::VERSION);

#[cfg(test)]
mod tests {
    use super::sys;
    use ocr_place::policy::{Certainty, Why};

    /// The numbers of the header are those of recordings.
    #[test]
    fn numbers_are_those_of_the_header() {
        let certainties = [
            (sys::OCR_POLICY_TIME_UNKNOWN, Certainty::Unknown),
            (sys::OCR_POLICY_TIME_GUESSED, Certainty::Guessed),
            (sys::OCR_POLICY_TIME_DERIVED, Certainty::Derived),
            (sys::OCR_POLICY_TIME_MEASURED, Certainty::Measured),
        ];
        assert!(certainties.iter().all(|&(number, is)| number == is as u32));
        let reasons = [
            (sys::OCR_POLICY_WHY_SHORT, Why::Short),
            (sys::OCR_POLICY_WHY_PLANNED, Why::Planned),
            (sys::OCR_POLICY_WHY_OPEN, Why::Open),
            (sys::OCR_POLICY_WHY_MOVED, Why::Moved),
            (sys::OCR_POLICY_WHY_TAKEN, Why::Taken),
            (sys::OCR_POLICY_WHY_TRIED, Why::Tried),
            (sys::OCR_POLICY_WHY_CORES, Why::Cores),
        ];
        assert!(reasons.iter().all(|&(number, is)| number == is as u32));
        assert_eq!(Why::of(reasons.len() as u8), None);
        assert_eq!(Certainty::of(certainties.len() as u8), None);
    }
}
