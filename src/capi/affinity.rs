//! `extensions/ocr-affinity.h`: places. One machine is one policy domain; the OpenCL devices in use
//! come under a kind of their own.

use super::{EFAULT, EINVAL, put, sys, with};
use crate::object::guid::{Guid, Kind};
use sys::{ocrAffinityKind, ocrGuid_t};

fn count(kind: ocrAffinityKind) -> u64 {
    match kind {
        sys::AFFINITY_OCL => with(0, |context| context.runtime.devices.in_use().len() as u64),
        _ => 1,
    }
}

fn at(kind: ocrAffinityKind, index: u64) -> ocrGuid_t {
    let number = match kind {
        sys::AFFINITY_OCL => index as u32 + 1,
        _ => 0,
    };
    Guid::new(Kind::Affinity, 0, number).into()
}

export! {
    /// How many places there are of a kind.
    fn ocrAffinityCount(kind: ocrAffinityKind, number: *mut u64) -> u8, or EFAULT; {
        if number.is_null() {
            return EINVAL;
        }
        // SAFETY: the header asks for a valid place.
        unsafe { put(number, count(kind)) };
        0
    }

    /// The places of a kind, as many as fit.
    fn ocrAffinityGet(
        kind: ocrAffinityKind,
        number: *mut u64,
        affinities: *mut ocrGuid_t,
    ) -> u8, or EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(number) = (unsafe { number.as_mut() }) else { return EINVAL };
        if affinities.is_null() {
            return EINVAL;
        }
        *number = count(kind).min(*number);
        for index in 0..*number {
            let place = affinities.wrapping_add(index as usize);
            // SAFETY: the header asks for an array of `*number` elements.
            unsafe { put(place, at(kind, index)) };
        }
        0
    }

    /// One place of a kind.
    fn ocrAffinityGetAt(
        kind: ocrAffinityKind,
        index: u64,
        affinity: *mut ocrGuid_t,
    ) -> u8, or EFAULT; {
        if affinity.is_null() || index >= count(kind) {
            return EINVAL;
        }
        // SAFETY: the header asks for a valid place.
        unsafe { put(affinity, at(kind, index)) };
        0
    }

    /// The place that the caller runs in.
    fn ocrAffinityGetCurrent(affinity: *mut ocrGuid_t) -> u8, or EFAULT; {
        if affinity.is_null() {
            return EINVAL;
        }
        // SAFETY: the header asks for a valid place.
        unsafe { put(affinity, at(sys::AFFINITY_CURRENT, 0)) };
        0
    }

    /// The places of an object: on one machine, the host.
    fn ocrAffinityQuery(
        _guid: ocrGuid_t,
        number: *mut u64,
        affinities: *mut ocrGuid_t,
    ) -> u8, or EFAULT; {
        if affinities.is_null() {
            return EINVAL;
        }
        // SAFETY: the header asks for null or a valid place.
        unsafe { put(number, 1) };
        // SAFETY: the header asks for a valid place.
        unsafe { put(affinities, at(sys::AFFINITY_CURRENT, 0)) };
        0
    }

    /// What to put into a hint; 0 means no affinity.
    fn ocrAffinityToHintValue(affinity: ocrGuid_t) -> u64, or 0; { affinity.guid as u64 }
}
