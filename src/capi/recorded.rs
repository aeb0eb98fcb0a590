//! What a recording tells of the calls of a program: about which events and blocks, and which EDT makes them. The order
//! of EDTs that the program has asked for is found by that (`ocr_analysis::races`).

use crate::abi::Api;
use crate::capi::edt::OEVT_VALID;
use crate::capi::sys;
use crate::check::calls::{LABELED, MAX_ARGS};
use crate::engine::state::context::Context;
use crate::object::event::{EventKind, NewEvent};
use crate::object::guid::Guid;
use crate::status::Status;
use crate::trace;
use crate::trace::events;
use crate::trace::format::{A_COPY, Asked};

/// Records what is done here for a call of another node, or for one that another node has a part in: as the call about
/// objects of this node that does the same.
pub(super) fn made(api: Api, words: &[u64], status: Status) {
    if trace::is_on() {
        let mut args = [0; MAX_ARGS];
        args[..words.len()].copy_from_slice(words);
        after(api, &args, status.is_ok());
    }
}

/// Records that an event is the output event of the EDT that this thread has created last.
pub(super) fn output(event: Guid) {
    if trace::is_on() && !event.is_null() {
        events::called(Asked::Output, event.bits(), (0, 0), false);
    }
}

/// Records that an event was created on a label, for another node.
pub(super) fn event_created(label: Guid, new: &NewEvent) {
    if !trace::is_on() {
        return;
    }
    let (kind, counter) = match new {
        NewEvent::Plain { kind, counter } => (*kind, *counter),
        NewEvent::Counted { .. } | NewEvent::Between => (EventKind::Counted, 0),
        NewEvent::Channel { .. } => (EventKind::Channel, 0),
        NewEvent::Collective(_) => (EventKind::Collective, 0),
    };
    events::called(Asked::EventCreated, label.bits(), (counter as u32, kind as u64), false);
}

/// A call is about to be made: blocks may go to others by it.
pub(super) fn before(api: Api, words: &[u64]) {
    use Api::*;
    let gives = match api {
        ocrEventSatisfy | ocrEventSatisfySlot => Some(words[1]),
        ocrAddDependence | ocrAddDependenceSlot => Some(words[0]),
        ocrDbRelease => Some(words[0]),
        ocrEdtCreate | ocrOpenclTaskCreate | ocrEventCollectiveSatisfySlot | ocrDbDestroy => None,
        _ => return,
    };
    let Some(context) = Context::get() else {
        return;
    };
    // SAFETY: `get` has answered with the context of this thread, which is valid. No other reference to it is in use,
    // since calls from C do not nest, and the body of this one has not begun.
    let context = unsafe { &mut *context };
    context.contents_go_on();
    match gives.map(Guid::from_bits) {
        Some(block) if api == ocrDbRelease => context.contents_released(block),
        Some(block) => context.contents_given(block),
        None if matches!(api, ocrEdtCreate) => {
            for block in depv(words) {
                context.contents_given(block);
            }
        }
        None => {}
    }
}

/// The first dependences that a new EDT is given.
fn depv(words: &[u64]) -> Vec<Guid> {
    // More are not looked at: a large number may be a wrong one, or stand for that of the template.
    const MANY: u64 = 16;
    let (count, start) = (words[4] & u64::from(u32::MAX), words[5] as *const Guid);
    // That of an EDT on a label is not used.
    if start.is_null() || count > MANY || words[6] as u32 & LABELED != 0 {
        return Vec::new();
    }
    // SAFETY: `depv` is not null, so programs that call `ocrEdtCreate` promise as many GUIDs there as they say.
    unsafe { std::slice::from_raw_parts(start, count as usize) }.to_vec()
}

/// The GUID in a place that a call has written to. None for null.
fn at(place: u64) -> Option<u64> {
    let place = place as *const Guid;
    // SAFETY: a place that is not null can be read: the call, which has succeeded, has written a GUID there.
    (!place.is_null()).then(|| unsafe { place.read() }.bits())
}

/// A call has been made.
pub(super) fn after(api: Api, args: &[u64; MAX_ARGS], is_done: bool) {
    use Api::*;
    let tell = |asked, object: u64, slot: u64, other: u64| {
        events::called(asked, object, (slot as u32, other), !is_done);
    };
    let event = |guid: u64| Guid::from_bits(guid).is_event();
    let output = |place: u64, properties: u64| {
        let given = properties as u16 & OEVT_VALID != 0;
        if let Some(output) = at(place).filter(|_| is_done) {
            tell(Asked::Output, output, u64::from(given), 0);
        }
    };
    match api {
        ocrEventCreate | ocrEventCreateParams if is_done => {
            let counter = match (api, args[1] as u32) {
                (ocrEventCreateParams, sys::OCR_EVENT_LATCH_T) if args[3] != 0 => {
                    let params = args[3] as *const sys::ocrEventParams_t;
                    // SAFETY: the header asks for null or valid parameters, and these are not null.
                    let params = unsafe { &*params };
                    // SAFETY: the kind says which member of the union is meant.
                    unsafe { params.__bindgen_anon_1.EVENT_LATCH.counter }
                }
                _ => 0,
            };
            if let Some(guid) = at(args[0]) {
                tell(Asked::EventCreated, guid, counter, args[1]);
            }
        }
        ocrEventDestroy => tell(Asked::EventDestroyed, args[0], 0, 0),
        ocrEventSatisfy if event(args[0]) => tell(Asked::EventSatisfied, args[0], 0, args[1]),
        ocrEventSatisfySlot if event(args[0]) => {
            tell(Asked::EventSatisfied, args[0], args[2], args[1]);
        }
        ocrEventCollectiveSatisfySlot => tell(Asked::EventSatisfied, args[0], args[2], 0),
        ocrAddDependence if event(args[1]) && event(args[0]) => {
            tell(Asked::EventLinked, args[1], args[2], args[0]);
        }
        ocrAddDependence if event(args[1]) => {
            tell(Asked::EventSatisfied, args[1], args[2], args[0]);
        }
        ocrAddDependenceSlot if event(args[2]) && event(args[0]) => {
            tell(Asked::EventLinked, args[2], args[3], args[0]);
        }
        ocrAddDependenceSlot if event(args[2]) => {
            tell(Asked::EventSatisfied, args[2], args[3], args[0]);
        }
        ocrAddDependenceByValue if event(args[1]) => {
            let copy = if args[0] == 0 { 0 } else { A_COPY };
            tell(Asked::EventSatisfied, args[1], args[2], copy);
        }
        ocrEdtCreate => output(args[8], args[6]),
        ocrOpenclTaskCreate => output(args[12], args[10]),
        ocrLegacySpawnOCR | ocrDbCopy if is_done => {
            let place = if api == ocrDbCopy { args[6] } else { args[0] };
            if let Some(output) = at(place) {
                tell(Asked::Output, output, 2, 0);
            }
        }
        ocrCurrentEdtOutputGet if is_done => {
            if let Some(output) = at(args[0]) {
                tell(Asked::OwnOutput, output, 0, 0);
            }
        }
        ocrWait | ocrLegacyBlockProgress if is_done => tell(Asked::Waited, args[0], 0, 0),
        ocrEdtDestroy if is_done => tell(Asked::EdtDestroyed, args[0], 0, 0),
        ocrDbCreate if is_done => {
            let acquired = args[3] as u16 & sys::DB_PROP_NO_ACQUIRE == 0;
            if let Some(guid) = at(args[0]) {
                tell(Asked::BlockCreated, guid, u64::from(!acquired), 0);
            }
        }
        ocrDbRelease if is_done => tell(Asked::BlockReleased, args[0], 0, 0),
        ocrDbDestroy if is_done && args[0] != 0 => tell(Asked::BlockDestroyed, args[0], 0, 0),
        ocrDbPartition if is_done && args[2] != 0 => {
            let start = args[2] as *const sys::ocrDbPart_t;
            // SAFETY: the call has succeeded, so `partitions` is not null and has as many parts as `partCount` says.
            let parts = unsafe { std::slice::from_raw_parts(start, args[1] as u32 as usize) };
            for part in parts {
                tell(Asked::BlockPart, Guid::from(part.guid).bits(), 0, args[0]);
            }
        }
        _ => {}
    }
}
