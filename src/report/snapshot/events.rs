//! What an event lacks while it has not triggered, and what it has counted, in words for each kind of event.

use super::SHOWN;
use crate::object::Objects;
use crate::object::collective::Collective;
use crate::object::event::{Event, EventKind, EventState};
use crate::object::guid::Guid;
use crate::object::name::BlockName;

/// The kind of an event, and in words what it lacks if it has not triggered. None if there is no such event.
pub(super) fn kind_and_lack(objects: &Objects, guid: Guid) -> Option<(EventKind, String)> {
    if guid.is_output() {
        objects.event_kind(guid).map(|kind| (kind, UNSATISFIED.into()))
    } else {
        let event = objects.events.lock(guid);
        let (kind, lack) = event.map(|(event, locked)| match locked.word.state() {
            EventState::Triggered => (event.kind(), satisfied(event)),
            _ => (event.kind(), lack(event)),
        })?;
        let inside = objects.events.collective(guid);
        Some((kind, inside.map_or(lack, |inside| lack_inside(&inside))))
    }
}

/// The words for an event that lacks a satisfaction.
const UNSATISFIED: &str = "which was never satisfied (ocrEventSatisfy)";

/// The words for an event that lasts and has triggered. A thread that still waits for it waits for its data block.
fn satisfied(event: &Event) -> String {
    match event.data() {
        data if data.is_null() => "which has been satisfied".into(),
        data => format!("which has been satisfied with {}, which is not to be had yet", BlockName(data)),
    }
}

/// What an event that has not triggered lacks, in words. Empty for a collective event.
fn lack(event: &Event) -> String {
    match event.kind() {
        EventKind::Once | EventKind::Idempotent | EventKind::Sticky | EventKind::Counted => UNSATISFIED.into(),
        EventKind::Channel => {
            let more = event.counter.get().unsigned_abs();
            let noun = if more == 1 { "dependence" } else { "dependences" };
            format!("which lacks a partner: {more} more {noun} than satisfactions (ocrEventSatisfy)")
        }
        // `lack_inside` tells of a collective event, without the event's lock.
        EventKind::Collective => String::new(),
        EventKind::Latch => match event.counter.get() {
            0 => "which was never satisfied: its counter is 0, and it triggers when a \
                  satisfaction brings the counter back to 0 (ocrEventSatisfySlot)"
                .into(),
            more @ 1.. => {
                format!("whose counter is {more}: it lacks {more} on OCR_EVENT_LATCH_DECR_SLOT")
            }
            less => format!("whose counter is {less}: it lacks {} on OCR_EVENT_LATCH_INCR_SLOT", less.unsigned_abs()),
        },
    }
}

/// What a collective event lacks, in words.
fn lack_inside(event: &Collective) -> String {
    let (generation, slots) = event.missing(SHOWN + 1);
    let more = if slots.len() > SHOWN { " and more" } else { "" };
    let slots: Vec<String> = (slots.iter().take(SHOWN)).map(usize::to_string).collect();
    let noun = if slots.len() == 1 { "slot" } else { "slots" };
    format!(
        "which lacks contributions to generation {generation} from {noun} {}{more} \
         (ocrEventCollectiveSatisfySlot)",
        slots.join(", ")
    )
}

/// The channel events that have been satisfied more often than dependences were added, each with the difference.
pub(super) fn channels_with_surplus(objects: &Objects) -> Vec<(Guid, u64)> {
    let surplus = |guid: Guid| {
        let (event, _locked) = objects.events.lock(guid)?;
        let more = event.counter.get();
        (event.kind() == EventKind::Channel && more > 0).then_some((guid, more.unsigned_abs()))
    };
    let live = objects.events.live();
    live.filter_map(|(guid, _)| surplus(guid)).collect()
}

/// What an event has counted, in words. None for a kind that does not count, or if there is no such event.
pub(super) fn counts(objects: &Objects, guid: Guid) -> Option<String> {
    let (event, locked) = objects.events.lock(guid)?;
    let counter = event.counter.get();
    match event.kind() {
        EventKind::Once | EventKind::Idempotent | EventKind::Sticky => None,
        EventKind::Latch => Some(format!("counter {counter}")),
        EventKind::Counted => Some(format!("dependences to come: {counter}")),
        EventKind::Channel => {
            let what = if counter > 0 { "satisfactions" } else { "dependences" };
            let bound = match event.bound() {
                i64::MAX => String::new(),
                bound => format!(" of {bound}"),
            };
            let waiting = counter.unsigned_abs();
            Some(format!("{what} that wait: {waiting}{bound}"))
        }
        EventKind::Collective => {
            let inside = objects.events.inside(event)?;
            drop(locked);
            let all = inside.params.contributors;
            let (generation, missing) = inside.missing(all as usize);
            let missing = missing.len();
            Some(format!("generation {generation}: {missing} of {all} contributions missing"))
        }
    }
}
