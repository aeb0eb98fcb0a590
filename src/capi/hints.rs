//! `extensions/ocr-hints.h`: hints, in the variables of programs and of objects.

use super::convert::found;
use super::{put, sys, with};
use crate::object::guid::{Guid, Kind};
use crate::object::hints::HintSet;
use crate::status::Status;
use sys::{ocrGuid_t, ocrHint_t, ocrHintProp_t, ocrHintType_t};

/// The numbers between which those of a type's properties lie.
fn bounds(hint_type: ocrHintType_t) -> Option<(ocrHintProp_t, ocrHintProp_t)> {
    Some(match hint_type {
        sys::OCR_HINT_EDT_T => (sys::OCR_HINT_EDT_PROP_START, sys::OCR_HINT_EDT_PROP_END),
        sys::OCR_HINT_DB_T => (sys::OCR_HINT_DB_PROP_START, sys::OCR_HINT_DB_PROP_END),
        sys::OCR_HINT_EVT_T => (sys::OCR_HINT_EVT_PROP_START, sys::OCR_HINT_EVT_PROP_END),
        sys::OCR_HINT_GROUP_T => (sys::OCR_HINT_GROUP_PROP_START, sys::OCR_HINT_GROUP_PROP_END),
        _ => return None,
    })
}

/// The position of a property among those of the hint's type.
fn position(hint: &ocrHint_t, property: ocrHintProp_t) -> Option<usize> {
    let (start, end) = bounds(hint.type_)?;
    (start < property && property < end).then(|| (property - start - 1) as usize)
}

/// What is set in a hint.
fn properties(hint: &ocrHint_t) -> HintSet {
    let mut set = HintSet::default();
    let count = bounds(hint.type_).map_or(0, |(start, end)| end - start - 1);
    for at in (0..count as usize).filter(|at| hint.propMask & 1 << at != 0) {
        let args = std::ptr::from_ref(&hint.args).cast::<u64>();
        // SAFETY: `at` is below the length of the member for this type.
        set.set(at, unsafe { args.wrapping_add(at).read() });
    }
    set
}

/// What is set in a hint that a create function is given; nothing if it is one of another type.
///
/// # Safety
/// `hint` is null or valid for reads.
pub(super) unsafe fn given(hint: *const ocrHint_t, wanted: ocrHintType_t) -> Option<HintSet> {
    // SAFETY: the caller passes null or a hint that is valid for reads; nothing writes to it during the call.
    let hint = unsafe { hint.as_ref() }?;
    let set = (hint.type_ == wanted).then(|| properties(hint));
    set.filter(|set| !set.is_empty())
}

/// The type of the hints that an object can have.
fn type_of(guid: Guid) -> Option<ocrHintType_t> {
    match guid.kind()? {
        Kind::DataBlock => Some(sys::OCR_HINT_DB_T),
        kind if kind.is_event() => Some(sys::OCR_HINT_EVT_T),
        Kind::Template => Some(sys::OCR_HINT_EDT_T),
        kind => kind.is_edt().then_some(sys::OCR_HINT_EDT_T),
    }
}

/// The value of a property. All members of the union begin at the same place.
fn value(hint: &mut ocrHint_t, position: usize) -> *mut u64 {
    std::ptr::from_mut(&mut hint.args)
        .cast::<u64>()
        .wrapping_add(position)
}

export! {
    /// Makes a hint of this type without properties.
    fn ocrHintInit(hint: *mut ocrHint_t, hint_type: ocrHintType_t) -> u8, or Status::EFAULT; {
        if hint.is_null() || hint_type > sys::OCR_HINT_GROUP_T {
            return Status::EINVAL;
        }
        // SAFETY: the header asks for a valid place.
        unsafe { put(hint, ocrHint_t { type_: hint_type, ..ocrHint_t::default() }) };
        Status::OK
    }

    /// Sets a property.
    fn ocrSetHintValue(hint: *mut ocrHint_t, property: ocrHintProp_t, to: u64) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return Status::OK };
        let Some(at) = position(hint, property) else { return Status::EINVAL };
        hint.propMask |= 1 << at;
        // SAFETY: `position` is below the length of the member for this type.
        unsafe { value(hint, at).write(to) };
        Status::OK
    }

    /// Unsets a property.
    fn ocrUnsetHintValue(hint: *mut ocrHint_t, property: ocrHintProp_t) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return Status::EINVAL };
        let Some(at) = position(hint, property) else { return Status::EINVAL };
        hint.propMask &= !(1 << at);
        Status::OK
    }

    /// Reads a property.
    fn ocrGetHintValue(
        hint: *mut ocrHint_t,
        property: ocrHintProp_t,
        to: *mut u64,
    ) -> u8, or Status::EFAULT; {
        if to.is_null() {
            return Status::EINVAL;
        }
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return Status::EINVAL };
        let Some(at) = position(hint, property) else { return Status::EINVAL };
        if hint.propMask & 1 << at == 0 {
            return Status::ENOENT;
        }
        // SAFETY: `position` is below the length of the member for this type.
        let now = unsafe { value(hint, at).read() };
        // SAFETY: the header asks for a valid place.
        unsafe { put(to, now) };
        Status::OK
    }

    /// Adds what is set in a hint to an object's.
    fn ocrSetHint(guid: ocrGuid_t, hint: *mut ocrHint_t) -> u8, or Status::EFAULT; {
        let guid = Guid::from(guid);
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_ref() }) else { return Status::EINVAL };
        if type_of(guid) != Some(hint.type_) {
            return Status::EINVAL;
        }
        let set = properties(hint);
        with(Status::EPERM, |context| found(context.set_hints(guid, &set)))
    }

    /// Adds an object's hints to a variable.
    fn ocrGetHint(guid: ocrGuid_t, hint: *mut ocrHint_t) -> u8, or Status::EFAULT; {
        let guid = Guid::from(guid);
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return Status::EINVAL };
        if type_of(guid) != Some(hint.type_) {
            return Status::EINVAL;
        }
        with(Status::EPERM, |context| {
            let Some(set) = context.hints(guid) else { return Status::EINVAL };
            for (at, now) in set.iter() {
                hint.propMask |= 1 << at;
                // SAFETY: objects of this type have no other properties than the hint.
                unsafe { value(hint, at).write(now) };
            }
            Status::OK
        })
    }

    /// OCR-Vx: the share of the workers that have something to do.
    fn ocrSystemLoadGet() -> f64, or 0.0; {
        with(0.0, |context| {
            let queues = &context.runtime.queues;
            let (state, workers) = (queues.sleep.state(), context.runtime.workers_left());
            let idle = state.searching() + state.sleeping();
            workers.saturating_sub(idle) as f64 / workers as f64
        })
    }
}
