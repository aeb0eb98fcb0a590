//! `extensions/ocr-hints.h`: hints. They are kept where the program put them; objects accept any.

use super::{EFAULT, EINVAL, put, sys};
use sys::{ocrGuid_t, ocrHint_t, ocrHintProp_t, ocrHintType_t};

/// The position of a property among those of the hint's type.
fn position(hint: &ocrHint_t, property: ocrHintProp_t) -> Option<usize> {
    let (start, end) = match hint.type_ {
        sys::OCR_HINT_EDT_T => (sys::OCR_HINT_EDT_PROP_START, sys::OCR_HINT_EDT_PROP_END),
        sys::OCR_HINT_DB_T => (sys::OCR_HINT_DB_PROP_START, sys::OCR_HINT_DB_PROP_END),
        sys::OCR_HINT_EVT_T => (sys::OCR_HINT_EVT_PROP_START, sys::OCR_HINT_EVT_PROP_END),
        sys::OCR_HINT_GROUP_T => (sys::OCR_HINT_GROUP_PROP_START, sys::OCR_HINT_GROUP_PROP_END),
        _ => return None,
    };
    (start < property && property < end).then(|| (property - start - 1) as usize)
}

/// The value of a property. All members of the union begin at the same place.
fn value(hint: &mut ocrHint_t, position: usize) -> *mut u64 {
    std::ptr::from_mut(&mut hint.args)
        .cast::<u64>()
        .wrapping_add(position)
}

export! {
    /// Makes a hint of this type without properties.
    fn ocrHintInit(hint: *mut ocrHint_t, hint_type: ocrHintType_t) -> u8, or EFAULT; {
        if hint.is_null() || hint_type > sys::OCR_HINT_GROUP_T {
            return EINVAL;
        }
        // SAFETY: the header asks for a valid place.
        unsafe { put(hint, ocrHint_t { type_: hint_type, ..ocrHint_t::default() }) };
        0
    }

    /// Sets a property.
    fn ocrSetHintValue(hint: *mut ocrHint_t, property: ocrHintProp_t, to: u64) -> u8, or EFAULT; {
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return 0 };
        let Some(at) = position(hint, property) else { return EINVAL };
        hint.propMask |= 1 << at;
        // SAFETY: `position` is below the length of the member for this type.
        unsafe { value(hint, at).write(to) };
        0
    }

    /// Unsets a property.
    fn ocrUnsetHintValue(hint: *mut ocrHint_t, property: ocrHintProp_t) -> u8, or EFAULT; {
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return 0 };
        let Some(at) = position(hint, property) else { return EINVAL };
        hint.propMask &= !(1 << at);
        0
    }

    /// Reads a property.
    fn ocrGetHintValue(
        hint: *mut ocrHint_t,
        property: ocrHintProp_t,
        to: *mut u64,
    ) -> u8, or EFAULT; {
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return EINVAL };
        let Some(at) = position(hint, property) else { return EINVAL };
        if hint.propMask & 1 << at == 0 {
            return sys::OCR_ENOENT as u8;
        }
        // SAFETY: `position` is below the length of the member for this type.
        let now = unsafe { value(hint, at).read() };
        // SAFETY: the header asks for a valid place.
        unsafe { put(to, now) };
        0
    }

    /// Hints of objects are accepted, and not used yet.
    fn ocrSetHint(_guid: ocrGuid_t, hint: *mut ocrHint_t) -> u8, or EFAULT; {
        if hint.is_null() { EINVAL } else { 0 }
    }

    /// Objects keep no hints yet.
    fn ocrGetHint(_guid: ocrGuid_t, _hint: *mut ocrHint_t) -> u8, or EFAULT; {
        sys::OCR_ENOTSUP as u8
    }
}
