//! `extensions/ocr-affinity.h`: places. One machine is one policy domain, and so is each node of a program on several;
//! the OpenCL devices in use come under a kind of their own.

use crate::capi::{put, sys, with};
use crate::engine::life::hints::{affinity_of_node, node_of, place_of};
use crate::engine::nodes::outbox;
use crate::engine::state::context::Context;
use crate::object::guid::{Guid, Kind};
use crate::status::Status;
use ocr_place::place::Place;
use sys::{ocrAffinityKind, ocrGuid_t};

/// How many places there are of a kind; none if there is no such kind.
fn count(kind: ocrAffinityKind) -> Option<u64> {
    match kind {
        sys::AFFINITY_OCL => Some(with(0, |context| context.ask_for_devices().len() as u64)),
        sys::AFFINITY_PD => Some(outbox::place().map_or(1, |(_, nodes)| nodes.into())),
        sys::AFFINITY_CURRENT | sys::AFFINITY_PD_MASTER | sys::AFFINITY_SIM | sys::AFFINITY_GUID => Some(1),
        _ => None,
    }
}

/// The GUID of a place by its kind and its number below [`count`].
fn at(kind: ocrAffinityKind, index: u64) -> ocrGuid_t {
    match (kind, outbox::place()) {
        (sys::AFFINITY_OCL, _) => affinity_of(Place::device(index as usize)),
        (_, None) => affinity_of(Place::HOST),
        (sys::AFFINITY_PD, _) => affinity_of_node(index as u32).into(),
        (sys::AFFINITY_PD_MASTER, _) => affinity_of_node(0).into(),
        (_, Some((node, _))) => affinity_of_node(node).into(),
    }
}

/// The GUID of a place: its number is 0 for the host, and one more than the index of a device.
fn affinity_of(place: Place) -> ocrGuid_t {
    let number = place.device_index().map_or(0, |device| device as u32 + 1);
    Guid::new(Kind::Affinity, 0, number).into()
}

/// Where an object is: a block in a place that has its content, everything else on the host. None if there is no such
/// object, and for a device that is not in use.
fn home(context: &Context, guid: Guid) -> Option<Place> {
    let objects = &context.runtime.objects;
    if let Some(place) = place_of(guid) {
        let in_use = context.runtime.devices.in_use().len();
        return Some(place).filter(|place| place.device_index() < Some(in_use));
    }
    match guid.kind()? {
        Kind::DataBlock => {
            let (block, locked) = objects.data_blocks.lock(guid)?;
            Some(block.copies_seen(&locked).valid.iter().next().unwrap_or(Place::HOST))
        }
        Kind::Template => objects.templates.view(guid).map(|_| Place::HOST),
        kind if kind.is_event() => objects.event_kind(guid).map(|_| Place::HOST),
        Kind::Range => objects.ranges.bounds(guid).map(|_| Place::HOST),
        Kind::Registered => {
            let known = objects.maps.get(guid).is_some() || objects.files.get(guid).is_some();
            known.then_some(Place::HOST)
        }
        _ => objects.edts.lock(guid).map(|_| Place::HOST),
    }
}

/// The affinity of the place where an object is: of its node, where there are several, but for a block whose content a
/// device alone has. None as for [`home`].
fn affinity_home(context: &Context, guid: Guid) -> Option<ocrGuid_t> {
    let Some((node, nodes)) = outbox::place() else {
        return home(context, guid).map(affinity_of);
    };
    if let Some(node) = node_of(guid) {
        return (node < nodes).then(|| guid.into());
    }
    if let Some(owner) = context.runtime.objects.owner_elsewhere(guid) {
        return Some(affinity_of_node(owner).into());
    }
    Some(match home(context, guid)? {
        Place::HOST => affinity_of_node(node).into(),
        device => affinity_of(device),
    })
}

export! {
    /// Writes how many places there are of a kind. OCR 1.2.
    fn ocrAffinityCount(kind: ocrAffinityKind, number: *mut u64) -> u8, or Status::EFAULT; {
        if number.is_null() {
            return Status::EINVAL;
        }
        let Some(count) = count(kind) else { return Status::EINVAL };
        // SAFETY: the header asks for a valid place.
        unsafe { put(number, count) };
        Status::OK
    }

    /// Writes the GUIDs of the places of a kind, as many as have room, and how many these are. OCR 1.2.
    fn ocrAffinityGet(
        kind: ocrAffinityKind,
        number: *mut u64,
        affinities: *mut ocrGuid_t,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place with a number in it, which nothing else uses during the call.
        let Some(number) = (unsafe { number.as_mut() }) else { return Status::EINVAL };
        if affinities.is_null() {
            return Status::EINVAL;
        }
        let Some(count) = count(kind) else { return Status::EINVAL };
        *number = count.min(*number);
        for index in 0..*number {
            let place = affinities.wrapping_add(index as usize);
            // SAFETY: the header asks for an array with as many elements as `*number` had in it, and `index` is below
            // that.
            unsafe { put(place, at(kind, index)) };
        }
        Status::OK
    }

    /// Writes the GUID of one place of a kind, by its number from 0. OCR 1.2.
    fn ocrAffinityGetAt(
        kind: ocrAffinityKind,
        index: u64,
        affinity: *mut ocrGuid_t,
    ) -> u8, or Status::EFAULT; {
        if affinity.is_null() || count(kind).is_none_or(|count| index >= count) {
            return Status::EINVAL;
        }
        // SAFETY: the header asks for a valid place.
        unsafe { put(affinity, at(kind, index)) };
        Status::OK
    }

    /// Writes the GUID of the place where the caller runs: the host, since no kernel calls the interface. OCR 1.2.
    fn ocrAffinityGetCurrent(affinity: *mut ocrGuid_t) -> u8, or Status::EFAULT; {
        if affinity.is_null() {
            return Status::EINVAL;
        }
        // SAFETY: the header asks for a valid place.
        unsafe { put(affinity, at(sys::AFFINITY_CURRENT, 0)) };
        Status::OK
    }

    /// Writes the GUID of the place where an object is; for `NULL_GUID`, where the caller runs. OCR 1.2.
    fn ocrAffinityQuery(
        guid: ocrGuid_t,
        number: *mut u64,
        affinities: *mut ocrGuid_t,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for null or a valid place with a number in it.
        let room = unsafe { number.as_ref() }.copied();
        if affinities.is_null() {
            return Status::EINVAL;
        }
        let guid = Guid::from(guid);
        let place = if guid.is_null() {
            Ok(at(sys::AFFINITY_CURRENT, 0))
        } else {
            with(Err(Status::EPERM), |context| affinity_home(context, guid).ok_or(Status::EINVAL))
        };
        let place = match place {
            Ok(place) => place,
            Err(status) => return status,
        };
        if room == Some(0) {
            return Status::OK;
        }
        // SAFETY: the header asks for null or a valid place.
        unsafe { put(number, 1) };
        // SAFETY: the header asks for a valid place.
        unsafe { put(affinities, place) };
        Status::OK
    }

    /// The value of a hint that names a place; 0, which names none, for `NULL_GUID`. OCR 1.2.
    fn ocrAffinityToHintValue(affinity: ocrGuid_t) -> u64, or 0; { affinity.guid as u64 }
}
