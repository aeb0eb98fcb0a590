//! Calls of an EDT that runs as an attempt: those are held that `engine/attempt/calls.rs` says, and made by the
//! functions here when the attempt has ended.

use super::convert::found;
use crate::abi::Api;
use crate::capi::{CallOutcome, edt, guard, hints, observed, sys, with};
use crate::check::calls::CallSpec;
use crate::engine::attempt::calls::{CallManner, manner_of, open_here};
use crate::engine::attempt::duplicate::manner_in_duplicate;
use crate::engine::attempt::point::{Point, here, protected_here};
use crate::engine::process::crash::again::would_undo_abort;
use crate::engine::state::attempt::{HeldWords, WhyOpen};
use crate::engine::state::context::Context;
use crate::object::guid::Guid;
use crate::object::link::MAX_SLOTS;
use crate::object::template::{PARAM_DEF, PARAM_UNK};
use crate::status::Status;
use std::mem::MaybeUninit;

/// Runs the body of a call that is looked at: at once, or as the attempt of this thread wants it.
pub(super) fn within<R: CallOutcome>(call: &'static CallSpec, words: &[u64], body: impl FnOnce() -> R) -> R {
    match here() {
        None => observed::observed(call, words, body),
        Some(point) if point.is_of_duplicate() => in_duplicate(point, call, words, body),
        Some(point) => point.inside(|| match protected_here() {
            None => observed::observed(call, words, body),
            Some(_) => in_attempt(point, call, words, body),
        }),
    }
}

/// Runs the body of a call in the function of a duplicate, holds the call, or leaves the function.
fn in_duplicate<R: CallOutcome>(
    point: &'static Point,
    call: &'static CallSpec,
    words: &[u64],
    body: impl FnOnce() -> R,
) -> R {
    let api = call.api;
    let outcome = point.inside(|| match with_context(|context| manner_in_duplicate(context, api, words)).flatten() {
        Some(CallManner::Asks) => Some(body()),
        Some(CallManner::Held) => {
            let success = R::of_status(Status::OK)?;
            (with_context(|context| context.hold(carry_out, api, words)) == Some(true)).then_some(success)
        }
        _ => None,
    });
    match outcome {
        Some(outcome) => outcome,
        // SAFETY: the thread is in the function. The frames in between are those of a call that has done nothing, and
        // hold references and numbers.
        None => unsafe { point.leave_now(Some(api)) },
    }
}

/// Has the thread leave the function of a duplicate that is written in Rust, before anything of it has run.
///
/// # Safety
/// No frame between the function and this has a destructor that must run.
pub(crate) unsafe fn leave_in_rust() {
    if let Some(point) = here().filter(|point| point.is_of_duplicate()) {
        // SAFETY: the caller promises it, and the thread is in the function, which `here` says.
        unsafe { point.leave_now(None) };
    }
}

/// Runs the body of a call that strict mode does not check, in an attempt or not.
#[cold]
pub(super) fn unchecked<R>(api: Api, body: impl FnOnce() -> R) -> R {
    let Some(point) = here() else { return body() };
    if point.is_of_duplicate() {
        if with_context(|context| manner_in_duplicate(context, api, &[])).flatten() == Some(CallManner::Asks) {
            return point.inside(body);
        }
        // SAFETY: the thread is in the function. The frames in between are those of a call that has done nothing, and
        // hold references and numbers.
        unsafe { point.leave_now(Some(api)) };
    }
    if api == Api::ocrInjectFault && point.progress.get().is_first_of_several() && would_undo_abort() {
        // Not in the runtime: the handler of the signal has the thread leave the EDT's function from here.
        // SAFETY: `raise` touches no memory of the caller. Of the frames that the thread leaves, none has a destructor.
        unsafe { libc::raise(libc::SIGABRT) };
    }
    point.inside(|| {
        let manner = with_context(|context| manner_of(context, api, &[]));
        if manner == Some(CallManner::Opens) {
            open_here(point, WhyOpen::Called(api));
        }
        body()
    })
}

/// Does something with this thread's context. None if it has none.
fn with_context<R>(work: impl FnOnce(&mut Context) -> R) -> Option<R> {
    let context = Context::get()?;
    // SAFETY: the context is this thread's. No reference to it is in use, since calls from C do not nest, and the body
    // of this one has not begun, or has returned.
    Some(work(unsafe { &mut *context }))
}

fn in_attempt<R: CallOutcome>(
    point: &'static Point,
    call: &'static CallSpec,
    words: &[u64],
    body: impl FnOnce() -> R,
) -> R {
    let api = call.api;
    let manner = with_context(|context| manner_of(context, api, words)).unwrap_or(CallManner::Opens);
    let creates = matches!(manner, CallManner::Makes | CallManner::MakesEdt);
    let has_room = with_context(|context| context.attempt.as_ref().is_some_and(|attempt| attempt.has_room()));
    if creates && has_room != Some(true) {
        open_here(point, WhyOpen::ManyCalls);
        return observed::observed(call, words, body);
    }
    match manner {
        CallManner::Asks => return observed::observed(call, words, body),
        CallManner::Makes => {
            let outcome = observed::observed(call, words, body);
            if outcome.status() == Some(Status::OK) {
                let place = words[0] as *const Guid;
                // SAFETY: the call has succeeded, so its first argument is a place to which it has written a GUID.
                let made = unsafe { place.read() };
                with_context(|context| context.attempt.as_deref_mut().map(|attempt| attempt.make(made)));
            }
            return outcome;
        }
        CallManner::MakesEdt => {
            if let Some(outcome) = make_edt(call, words).and_then(R::of_status) {
                return outcome;
            }
            open_here(point, WhyOpen::Called(api));
        }
        CallManner::Held => {
            if let Some(success) = R::of_status(Status::OK)
                && with_context(|context| context.hold(carry_out, api, words)) == Some(true)
            {
                return success;
            }
            open_here(point, WhyOpen::ManyCalls);
        }
        CallManner::Opens => open_here(point, WhyOpen::Called(api)),
    }
    observed::observed(call, words, body)
}

/// Creates the EDT that a call of `ocrEdtCreate` in an attempt asks for, so that it does not run before the end of the
/// attempt. None if what it is to be connected to is not there, or more is wrong: then nothing has been done.
fn make_edt(call: &'static CallSpec, words: &[u64]) -> Option<Status> {
    let &[guid, template, paramc, paramv, depc, depv, properties, hint, output] = words else { return None };
    let template = Guid::from_bits(template);
    let counts = (paramc as u32, depc as u32);
    let sources = with_context(|context| {
        let of_template = context.runtime.objects.templates.view(template)?;
        let [paramc, depc] = [(counts.0, of_template.paramc), (counts.1, of_template.depc)].map(count_of);
        let (paramc, depc) = (paramc?, depc?);
        if (paramc == 0) != (paramv == 0) {
            return None;
        }
        let is_known = depc < MAX_SLOTS;
        let depv = depv as *const Guid;
        let sources = match depc {
            _ if !is_known => return None,
            _ if depv.is_null() => Vec::new(),
            // SAFETY: `depv` is not null, and programs that call `ocrEdtCreate` promise that it has `depc` elements.
            depc => unsafe { std::slice::from_raw_parts(depv, depc as usize) }.to_vec(),
        };
        let is_anonymous = guid == 0 && (depc != 0 && sources.is_empty() || sources.contains(&Guid::UNINITIALIZED));
        (!is_anonymous && context.would_connect_to(&sources)).then_some(sources)
    })??;
    let mut own = MaybeUninit::<sys::ocrGuid_t>::uninit();
    let place = if guid == 0 { own.as_mut_ptr() } else { guid as *mut sys::ocrGuid_t };
    let hold_new = |holds: bool| {
        with_context(|context| context.attempt.as_deref_mut().map(|attempt| attempt.holds_new_edt = holds));
    };
    // SAFETY: the header asks for null or a valid hint.
    let hints = unsafe { hints::given(hint as *mut sys::ocrHint_t, sys::OCR_HINT_EDT_T) };
    let create = || {
        let more = edt::More { range: None, hints: hints.as_ref() };
        let params = (counts.0, paramv as *mut u64);
        let (template, output) = (template.into(), output as *mut sys::ocrGuid_t);
        let unconnected = (counts.1, std::ptr::null_mut());
        // SAFETY: the header asks for valid arrays and places, or null. The place of the GUID is the program's, or one
        // of this function.
        unsafe { edt::create_edt(place, template, params, unconnected, properties as u16, more, output) }
    };
    hold_new(true);
    let status = observed::observed(call, words, || guard(Status::EFAULT, create));
    hold_new(false);
    if status.is_ok() {
        // SAFETY: the call has succeeded, so it has written a GUID there.
        let made = Guid::from(unsafe { place.read() });
        with_context(|context| context.hold_new_edt(made, &sources));
    }
    Some(status)
}

/// How many parameters or pre-slots a new EDT has, by the call and by its template. None where they contradict each
/// other.
fn count_of((given, of_template): (u32, u32)) -> Option<u32> {
    match given {
        PARAM_UNK => None,
        PARAM_DEF => (of_template != PARAM_UNK).then_some(of_template),
        given => [given, PARAM_UNK].contains(&of_template).then_some(given),
    }
}

/// Makes a call that was held.
fn carry_out(api: Api, words: &HeldWords) {
    let Some(call) = api.spec() else { return };
    let [first, second, third, fourth] = *words;
    let guid = |word: u64| sys::ocrGuid_t::from(Guid::from_bits(word));
    let make = || match api {
        Api::ocrEventSatisfy => edt::satisfy_slot(guid(first), guid(second), sys::OCR_EVENT_LATCH_DECR_SLOT),
        Api::ocrEventSatisfySlot => edt::satisfy_slot(guid(first), guid(second), third as u32),
        Api::ocrAddDependence => edt::add_dependence(guid(first), 0, guid(second), third as u32, fourth as u32),
        Api::ocrDbRelease => with(Status::EPERM, |context| Status::from(context.release_block(Guid::from_bits(first)))),
        Api::ocrDbDestroy => super::db::destroy_block(Guid::from_bits(first)),
        Api::ocrEventDestroy => edt::destroy_event(Guid::from_bits(first)),
        Api::ocrEdtDestroy => edt::destroy_edt(Guid::from_bits(first)),
        Api::ocrEdtTemplateDestroy => edt::destroy_template(Guid::from_bits(first)),
        _ => found(false),
    };
    match api {
        Api::ocrShutdown => observed::observed(call, &[], || with((), |context| context.runtime.shutdown())),
        _ => {
            let words = &words[..call.args.len().min(words.len())];
            observed::observed(call, words, || guard(Status::EFAULT, make));
        }
    }
}
