//! `extensions/ocr-hints.h`: hints, in variables of the program and of objects.

use super::convert::found;
use super::{put, sys, with};
use crate::abi::hints::range;
use crate::object::guid::{Guid, Kind};
use crate::object::hints::HintSet;
use crate::status::Status;
use sys::{ocrGuid_t, ocrHint_t, ocrHintProp_t, ocrHintType_t};

/// The position of a property among those of the hint's type, from 0. None if the type does not have the property.
fn position(hint: &ocrHint_t, property: ocrHintProp_t) -> Option<usize> {
    let (start, end) = range(hint.type_)?;
    (start < property && property < end).then(|| (property - start - 1) as usize)
}

/// The properties that are set in a hint, by position.
fn properties(hint: &ocrHint_t) -> HintSet {
    let mut set = HintSet::default();
    let count = range(hint.type_).map_or(0, |(start, end)| end - start - 1);
    for at in (0..count as usize).filter(|at| hint.propMask & 1 << at != 0) {
        let args = std::ptr::from_ref(&hint.args).cast::<u64>();
        // SAFETY: `at` is below the number of properties of this type, which is the length of its member of the union,
        // so the word is in `args`. Its bit in `propMask` says that the program has set it.
        set.set(at, unsafe { args.wrapping_add(at).read() });
    }
    set
}

/// The properties of a hint that a create function is given. None for null, for a hint of another type than `wanted`,
/// and for one without properties.
///
/// # Safety
/// `hint` is null or valid for reads.
pub(super) unsafe fn given(hint: *const ocrHint_t, wanted: ocrHintType_t) -> Option<HintSet> {
    // SAFETY: the caller passes null or a hint that is valid for reads; nothing writes to it during the call.
    let hint = unsafe { hint.as_ref() }?;
    let set = (hint.type_ == wanted).then(|| properties(hint));
    set.filter(|set| !set.is_empty())
}

/// The type of the hints that an object can have. None for kinds without hints.
fn type_of(guid: Guid) -> Option<ocrHintType_t> {
    match guid.kind()? {
        Kind::DataBlock => Some(sys::OCR_HINT_DB_T),
        kind if kind.is_event() => Some(sys::OCR_HINT_EVT_T),
        Kind::Template => Some(sys::OCR_HINT_EDT_T),
        kind => kind.is_edt().then_some(sys::OCR_HINT_EDT_T),
    }
}

/// The address of the property at `position`. All members of the union begin at one address.
fn value(hint: &mut ocrHint_t, position: usize) -> *mut u64 {
    std::ptr::from_mut(&mut hint.args).cast::<u64>().wrapping_add(position)
}

export! {
    /// Makes `*hint` a hint of a type, without properties. OCR 1.1.0, B.1.2.
    fn ocrHintInit(hint: *mut ocrHint_t, hint_type: ocrHintType_t) -> u8, or Status::EFAULT; {
        if hint.is_null() || range(hint_type).is_none() {
            return Status::EINVAL;
        }
        // No values: in a program that was compiled when there were fewer properties, there is no room for all.
        // SAFETY: the header asks for a valid place, and both members lie in it whatever room there is for values.
        let to_type = unsafe { &raw mut (*hint).type_ };
        // SAFETY: as before.
        let to_mask = unsafe { &raw mut (*hint).propMask };
        // SAFETY: the header asks for a place that can be written to.
        unsafe { to_type.write(hint_type) };
        // SAFETY: as before.
        unsafe { to_mask.write(0) };
        Status::OK
    }

    /// Sets a property of `*hint`. OCR 1.1.0, B.1.3.
    fn ocrSetHintValue(hint: *mut ocrHint_t, property: ocrHintProp_t, to: u64) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return Status::OK };
        let Some(at) = position(hint, property) else { return Status::EINVAL };
        hint.propMask |= 1 << at;
        // SAFETY: `at` is below the number of properties of this type, which is the length of its member of the union.
        // So the word is in `*hint`, which is borrowed for writing.
        unsafe { value(hint, at).write(to) };
        Status::OK
    }

    /// Takes a property out of `*hint`. OCR 1.1.0, B.1.4.
    fn ocrUnsetHintValue(hint: *mut ocrHint_t, property: ocrHintProp_t) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return Status::EINVAL };
        let Some(at) = position(hint, property) else { return Status::EINVAL };
        hint.propMask &= !(1 << at);
        Status::OK
    }

    /// Reads a property of `*hint`. OCR 1.1.0, B.1.5.
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
        // SAFETY: `at` is below the number of properties of this type, which is the length of its member of the union,
        // so the word is in `*hint`. Its bit in `propMask` says that it is set.
        let now = unsafe { value(hint, at).read() };
        // SAFETY: the header asks for a valid place.
        unsafe { put(to, now) };
        Status::OK
    }

    /// Gives an object the properties that are set in `*hint`; its others stay. OCR 1.1.0, B.1.6.
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

    /// Adds the properties of an object to `*hint`. OCR 1.1.0, B.1.7.
    fn ocrGetHint(guid: ocrGuid_t, hint: *mut ocrHint_t) -> u8, or Status::EFAULT; {
        let guid = Guid::from(guid);
        // SAFETY: the header asks for null or a valid hint.
        let Some(hint) = (unsafe { hint.as_mut() }) else { return Status::EINVAL };
        if type_of(guid) != Some(hint.type_) {
            return Status::EINVAL;
        }
        with(Status::EPERM, |context| {
            let Some(set) = context.hints(guid) else {
                // Those of another node's object are not known here.
                let is_elsewhere = context.runtime.objects.owner_elsewhere(guid).is_some();
                return if is_elsewhere { Status::OK } else { Status::EINVAL };
            };
            for (at, now) in set.iter() {
                hint.propMask |= 1 << at;
                // SAFETY: an object of this type has the properties of this type alone, so `at` is below the length of
                // the member of the union. So the word is in `*hint`, which is borrowed for writing.
                unsafe { value(hint, at).write(now) };
            }
            Status::OK
        })
    }

    /// The share of the workers that neither look for an EDT nor sleep, from 0 to 1. OCR-Vx.
    fn ocrSystemLoadGet() -> f64, or 0.0; {
        with(0.0, |context| {
            let runtime = context.runtime;
            let (state, workers) = (runtime.queues.sleep.state(), runtime.workers());
            let idle = state.searching() + state.sleeping();
            // Those that stand still while a device has their cores run nothing.
            let busy = runtime.workers_left().saturating_sub(idle);
            busy.min(workers) as f64 / workers as f64
        })
    }
}
