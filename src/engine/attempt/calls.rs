//! What an attempt does with a call of the interface: the table in [`super`], decided.
//!
//! A call is held where it would succeed now. What it names exists then, and what the attempt has asked for before does
//! not stand against it. Between this and the end of the attempt another EDT might destroy what it names, or satisfy
//! it. A program in which that happens has no order of the two without attempts, either.

use crate::abi::{Api, sys};
use crate::check;
use crate::engine::attempt::carry_out;
use crate::engine::attempt::point::{Point, protected_here};
use crate::engine::state::attempt::{HeldStep, HeldWords, WhyOpen};
use crate::engine::state::context::Context;
use crate::object::edt::{EdtState, Mode};
use crate::object::event::{EventKind, EventState};
use crate::object::guid::{Guid, Kind};
use std::sync::atomic::Ordering;

/// `GUID_PROP_IS_LABELED`, and `EDT_PROP_OEVT_VALID`: with these a call names what others may know.
const LABELED: u64 = sys::GUID_PROP_IS_LABELED as u64;
const OUTPUT_GIVEN: u64 = sys::EDT_PROP_OEVT_VALID as u64;

/// What is done with a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CallManner {
    /// It is made: others do not see it.
    Asks,
    /// It is made, and what it creates destroyed if the attempt is undone. The GUID is in the place that the first
    /// argument names.
    Makes,
    /// It creates an EDT that does not run before the end of the attempt.
    MakesEdt,
    /// It is carried out at the end of the attempt.
    Held,
    /// It is made, and the attempt cannot be undone after it.
    Opens,
}

use CallManner::{Asks, Held, Makes, MakesEdt, Opens};

/// What becomes of calls that say no more by their arguments.
fn by_name(api: Api) -> Option<CallManner> {
    use Api::*;
    Some(match api {
        ocrHintInit
        | ocrSetHintValue
        | ocrUnsetHintValue
        | ocrGetHintValue
        | ocrGetHint
        | ocrGetGuidKind
        | ocrAffinityCount
        | ocrAffinityGet
        | ocrAffinityGetAt
        | ocrAffinityGetCurrent
        | ocrAffinityQuery
        | ocrAffinityToHintValue
        | ocrElsUserGet
        | ocrElsUserSet
        | ocrEdtLocalStorageGet
        | ocrCurrentEdtGet
        | ocrCurrentEdtOutputGet
        | currentEdtUserGet
        | ocrNbWorkers
        | ocrCurrentWorkerGuid
        | ocrGuidFromIndex
        | ocrGuidFromLabel
        | getArgc
        | getArgv
        | ocrGetArgc
        | ocrGetArgv
        | ocrVersionExtractMajor
        | ocrVersionExtractMinor
        | ocrVersionExtractPatch
        | ocrVersionExtensionBitmap
        | ocrFileGetGuid
        | ocrFileGetSize
        | ocrPolicyName
        | ocrDbMalloc
        | ocrDbMallocOffset
        | ocrDbFree
        | ocrDbFreeOffset
        | ocrInjectFault
        | ocrCheckpoint => Asks,
        ocrShutdown => Held,
        ocrEventCreate
        | ocrEventCreateParams
        | ocrDbCreate
        | ocrEdtTemplateCreate
        | ocrEdtTemplateCreate_internal
        | ocrEdtCreate
        | ocrEventSatisfy
        | ocrEventSatisfySlot
        | ocrAddDependence
        | ocrDbRelease
        | ocrDbDestroy
        | ocrEventDestroy
        | ocrEdtDestroy
        | ocrEdtTemplateDestroy
        | ocrSetHint
        | ocrAttachDebugLabel => return None,
        _ => Opens,
    })
}

/// Whether others see nothing of a call, whatever its arguments are.
pub(crate) fn only_asks(api: Api) -> bool {
    by_name(api) == Some(Asks)
}

/// What is done with a call that the attempt of this thread makes.
pub(crate) fn manner_of(context: &mut Context, api: Api, words: &[u64]) -> CallManner {
    if let Some(manner) = by_name(api) {
        return manner;
    }
    let word = |at: usize| words.get(at).copied().unwrap_or_default();
    let guid = |at: usize| Guid::from_bits(word(at));
    let is_labeled = |properties: u64| properties & LABELED != 0;
    let held = |is_sure: bool| if is_sure { Held } else { Opens };
    let asks = |is_sure: bool| if is_sure { Asks } else { Opens };
    match api {
        Api::ocrEventCreate | Api::ocrEventCreateParams if !is_labeled(word(2)) => Makes,
        Api::ocrDbCreate if !is_labeled(word(3)) => Makes,
        Api::ocrEdtTemplateCreate | Api::ocrEdtTemplateCreate_internal => Makes,
        Api::ocrEdtCreate if !is_labeled(word(6)) && word(6) & OUTPUT_GIVEN == 0 => MakesEdt,
        Api::ocrEventSatisfy => held(context.would_satisfy(guid(0), guid(1), 0)),
        Api::ocrEventSatisfySlot => held(context.would_satisfy(guid(0), guid(1), word(2) as u32)),
        Api::ocrAddDependence => {
            held(context.would_connect(guid(0), guid(1), word(2) as u32, Mode::from_bits(word(3) as u32)))
        }
        Api::ocrDbRelease if guid(0).is_null() => Asks,
        Api::ocrDbRelease => held(context.would_release(guid(0))),
        Api::ocrDbDestroy if guid(0).is_null() => Asks,
        Api::ocrDbDestroy | Api::ocrEventDestroy | Api::ocrEdtTemplateDestroy | Api::ocrEdtDestroy => {
            let touched = context.attempt.as_ref().map(|attempt| attempt.touched(guid(0))).unwrap_or_default();
            if touched.made && !touched.named && api != Api::ocrEdtDestroy {
                return Asks;
            }
            held(context.would_destroy(api, guid(0)))
        }
        Api::ocrDbGetSize => asks(context.will_be_there(guid(0))),
        Api::ocrSetHint | Api::ocrAttachDebugLabel => {
            asks(context.attempt.as_ref().is_some_and(|attempt| attempt.touched(guid(0)).made))
        }
        _ => Opens,
    }
}

impl Context {
    /// Whether a call can name this object now, and will be able to when what is held has been carried out: a block, an
    /// event, or an EDT that waits, which is no label and no output event of an EDT.
    fn will_be_there(&self, guid: Guid) -> bool {
        let objects = &self.runtime.objects;
        let is_there = match guid.kind() {
            _ if guid.is_label() || guid.is_output() => false,
            Some(Kind::DataBlock) => objects.data_blocks.exists(guid) && objects.data_blocks.can_be_named(guid),
            Some(kind) if kind.is_edt() => {
                objects.edts.lock(guid).is_some_and(|(_, locked)| locked.word.state() == EdtState::Waiting)
            }
            Some(kind) if kind.is_event() => objects.event_kind(guid).is_some(),
            _ => false,
        };
        is_there && !self.attempt.as_ref().is_some_and(|attempt| attempt.touched(guid).destroyed)
    }

    /// Whether this can be what a dependence or a satisfaction passes on: a block, or nothing.
    fn is_passable(&self, data: Guid) -> bool {
        data.is_null() || data.is_data_block() && self.will_be_there(data)
    }

    /// Whether a satisfaction would succeed.
    fn would_satisfy(&self, event: Guid, data: Guid, slot: u32) -> bool {
        if event.is_edt() {
            return self.is_passable(data) && self.would_connect(data, event, slot, Some(Mode::Rw));
        }
        self.is_passable(data) && self.would_take(event, slot)
    }

    /// Whether a pre-slot of an event would be satisfied by a satisfaction, or by a block.
    fn would_take(&self, event: Guid, slot: u32) -> bool {
        let increment = sys::OCR_EVENT_LATCH_INCR_SLOT;
        if slot > 1 || !event.is_event() || !self.will_be_there(event) {
            return false;
        }
        let Some((object, locked)) = self.runtime.objects.events.lock(event) else {
            return false;
        };
        let (kind, state, counter) = (object.kind(), locked.word.state(), object.counter.get());
        drop(locked);
        let touched = self.attempt.as_ref().map(|attempt| attempt.touched(event)).unwrap_or_default();
        let again = touched.satisfied;
        match kind {
            // A step that is held may be the one with which the counter comes to 0, and the latch is gone behind it.
            EventKind::Latch => state == EventState::Armed && !(again && counter.wrapping_add(touched.counted) == 0),
            _ if slot == increment => false,
            EventKind::Once | EventKind::Sticky => state == EventState::Armed && !again,
            EventKind::Idempotent => true,
            EventKind::Counted => state == EventState::MultiShot && !again,
            EventKind::Channel | EventKind::Collective => false,
        }
    }

    /// Whether a dependence can come from this: a block, nothing, or an event that will be there.
    fn is_source(&self, source: Guid) -> bool {
        if !source.is_event() {
            return self.is_passable(source);
        }
        match self.runtime.objects.event_kind(source) {
            None | Some(EventKind::Channel | EventKind::Collective) => false,
            Some(_) if source.is_output() => true,
            Some(_) => self.will_be_there(source) && !self.has_triggered(source),
        }
    }

    /// Whether an event may be gone when what is held has been carried out, since a step of that satisfies it.
    fn has_triggered(&self, event: Guid) -> bool {
        let is_satisfied = self.attempt.as_ref().is_some_and(|attempt| attempt.touched(event).satisfied);
        let stays = matches!(self.runtime.objects.event_kind(event), Some(EventKind::Sticky | EventKind::Idempotent));
        is_satisfied && !stays
    }

    /// Whether a dependence would be added.
    fn would_connect(&self, source: Guid, destination: Guid, slot: u32, mode: Option<Mode>) -> bool {
        if !self.is_source(source) {
            return false;
        }
        if destination.is_edt() {
            return mode.is_some() && self.has_open_slot(destination, slot);
        }
        if !source.is_event() {
            return self.would_take(destination, slot);
        }
        let kind = self.runtime.objects.event_kind(destination);
        let is_plain =
            matches!(kind, Some(EventKind::Once | EventKind::Sticky | EventKind::Idempotent | EventKind::Latch));
        is_plain && self.will_be_there(destination) && (slot == 0 || slot == 1 && kind == Some(EventKind::Latch))
    }

    /// Whether a pre-slot of an EDT can be connected: neither others nor this attempt have done it.
    fn has_open_slot(&self, edt: Guid, slot: u32) -> bool {
        if !self.will_be_there(edt) {
            return false;
        }
        let Some((object, locked)) = self.runtime.objects.edts.lock(edt) else {
            return false;
        };
        let is_open = locked.word.state() == EdtState::Waiting
            && object.slots().get(slot as usize).is_some_and(|slot| slot.is_unconnected());
        drop(locked);
        is_open && !self.attempt.as_ref().is_some_and(|attempt| attempt.connected.contains(&(edt, slot)))
    }

    /// Whether the EDT that runs has acquired a block and would release it now.
    fn would_release(&mut self, block: Guid) -> bool {
        if !self.will_be_there(block) || self.attempt.as_ref().is_some_and(|attempt| attempt.touched(block).released) {
            return false;
        }
        let holder = self.holder();
        let locked = self.runtime.objects.data_blocks.lock(block);
        let is_creator = locked.is_some_and(|(block, _locked)| block.creator.load(Ordering::Relaxed) == holder);
        is_creator || self.slot_of(block).is_some_and(|slot| !slot.info().released)
    }

    /// Whether an object would be destroyed.
    fn would_destroy(&self, api: Api, guid: Guid) -> bool {
        let is_made = self.attempt.as_ref().is_some_and(|attempt| attempt.touched(guid).made);
        match api {
            Api::ocrDbDestroy => guid.is_data_block() && self.will_be_there(guid),
            Api::ocrEventDestroy => guid.is_event() && self.will_be_there(guid) && !self.has_triggered(guid),
            // One that the attempt has made might run before: what it waits for is held, and comes first.
            Api::ocrEdtDestroy => guid.is_edt() && self.will_be_there(guid) && !is_made,
            _ => {
                let is_gone = self.attempt.as_ref().is_some_and(|attempt| attempt.touched(guid).destroyed);
                !guid.is_label() && !is_gone && self.runtime.objects.templates.view(guid).is_some()
            }
        }
    }

    /// Notes a call that is carried out at the end of the attempt. False if the attempt has no room for it.
    pub(crate) fn hold(&mut self, carry_out: fn(Api, &HeldWords), api: Api, words: &[u64]) -> bool {
        let Some(attempt) = self.attempt.as_deref_mut().filter(|attempt| attempt.has_room()) else {
            return false;
        };
        let mut held = HeldWords::default();
        let count = words.len().min(held.len());
        held[..count].copy_from_slice(&words[..count]);
        let [first, second, third, _] = held;
        let [first, second] = [first, second].map(Guid::from_bits);
        let named: &[Guid] = match api {
            Api::ocrShutdown => &[],
            Api::ocrEventSatisfy | Api::ocrEventSatisfySlot | Api::ocrAddDependence => &[first, second],
            _ => &[first],
        };
        for &guid in named.iter().filter(|guid| !guid.is_null()) {
            attempt.touch(guid, |touched| {
                touched.named = true;
            });
        }
        match api {
            Api::ocrEventSatisfy => attempt.satisfy(first, 0),
            Api::ocrEventSatisfySlot => attempt.satisfy(first, third as u32),
            Api::ocrAddDependence if second.is_edt() => drop(attempt.connected.insert((second, third as u32))),
            Api::ocrAddDependence if !first.is_event() => attempt.satisfy(second, third as u32),
            Api::ocrDbRelease => attempt.touch(first, |touched| touched.released = true),
            Api::ocrDbDestroy | Api::ocrEventDestroy | Api::ocrEdtDestroy | Api::ocrEdtTemplateDestroy => {
                attempt.touch(first, |touched| touched.destroyed = true);
            }
            _ => {}
        }
        attempt.held.push(HeldStep::Call { carry_out, api, words: held });
        true
    }

    /// Whether a new EDT can be connected to all of these when the attempt ends.
    pub(crate) fn would_connect_to(&self, sources: &[Guid]) -> bool {
        sources.iter().all(|&source| source == Guid::UNINITIALIZED || self.is_source(source))
    }

    /// Notes that the attempt has created an EDT, which is connected to these and may run when the attempt has ended.
    pub(crate) fn hold_new_edt(&mut self, edt: Guid, sources: &[Guid]) {
        let Some(attempt) = self.attempt.as_deref_mut() else { return };
        attempt.make(edt);
        attempt.touch(edt, |touched| touched.named = true);
        for (slot, &source) in (0..).zip(sources) {
            if source != Guid::UNINITIALIZED {
                attempt.connected.insert((edt, slot));
                if !source.is_null() {
                    attempt.touch(source, |touched| touched.named = true);
                }
                attempt.held.push(HeldStep::Dependence { source, edt, slot, mode: Mode::Rw });
            }
        }
        attempt.held.push(HeldStep::Start(edt));
    }
}

/// Has the attempt of this thread be open from here on, unless it is: what it holds is carried out.
pub(crate) fn open_here(point: &Point, why: WhyOpen) {
    if point.is_of_duplicate() {
        // SAFETY: only what prints comes here in a duplicate, where it has no room for another text. The thread is in
        // the function, and none of the frames in between has a destructor.
        unsafe { point.leave_now(Some(Api::ocrPrintf)) };
    }
    if !point.with_progress(|progress| progress.open(why)) {
        return;
    }
    if let Some(context) = Context::get() {
        // SAFETY: the context is this thread's, and no reference into it is alive: calls from C do not nest, and this
        // one has not begun its work.
        unsafe { carry_out(context) };
        // SAFETY: the context is this thread's, and the calls that were carried out have returned.
        let context = unsafe { &mut *context };
        context.tally.counts.attempts_opened.add(1);
    }
}

/// Whether what this thread prints is held, since it runs an attempt. Called by `src/capi/shim.c`.
#[unsafe(no_mangle)]
extern "C" fn ocrHoldsText() -> bool {
    let Some(point) = protected_here().filter(|_| check::is_observed()) else {
        return false;
    };
    point.inside(|| {
        let Some(context) = Context::get() else { return false };
        // SAFETY: the context is this thread's, and no reference into it is alive: calls from C do not nest.
        let has_room = unsafe { &*context }.attempt.as_ref().is_some_and(|attempt| attempt.has_room());
        if !has_room {
            open_here(point, WhyOpen::ManyCalls);
        }
        has_room
    })
}

/// Holds a text until the attempt of this thread has ended. Called by `src/capi/shim.c`, where [`ocrHoldsText`] has
/// said so.
///
/// # Safety
/// `text` has `len` bytes.
#[unsafe(no_mangle)]
unsafe extern "C" fn ocrHoldText(text: *const u8, len: usize) {
    let Some((point, context)) = protected_here().zip(Context::get()) else { return };
    point.inside(|| {
        // SAFETY: the caller passes `len` bytes, and nothing writes them during the call.
        let text = unsafe { std::slice::from_raw_parts(text, len) };
        // SAFETY: the context is this thread's, and no reference into it is alive: calls from C do not nest.
        let this = unsafe { &mut *context };
        if let Some(attempt) = this.attempt.as_deref_mut() {
            attempt.held.push(HeldStep::Text(text.into()));
        }
    });
}
