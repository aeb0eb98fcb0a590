//! Calls about labels, ranges and maps of other nodes, and the objects on labels.
//!
//! | call | what the owner does |
//! |---|---|
//! | creation on a label | creates the object, and answers; one that says that no other creates there is sent if it makes an event |
//! | the same with `GUID_PROP_BLOCK` | answers that the label is taken; the caller then asks to be told when it is free, and tries again |
//! | `ocrMapGet` | runs an EDT for the caller, in the caller's finish scope, which makes the same call and tells the caller |
//! | `ocrEventCollectiveSatisfySlot` | says how many bytes a contribution has; then the caller sends them |
//!
//! The thread of the link never waits for a label and runs no function of the program: a caller that has to wait leaves
//! its seat, as for a label of its own node.

use super::{answer_of, owner, sent, settle_but};
use crate::abi::Api;
use crate::capi::db::{self, NO_ACQUIRE, SINGLE_ASSIGNMENT};
use crate::capi::{edt, labeling, put, recorded, sys, with};
use crate::engine::calls::labels::{when_free, when_made};
use crate::engine::calls::maps::MapError;
use crate::engine::nodes::new_edt::{Along, NewEdt, TemplateText};
use crate::engine::nodes::work::{Call, CallAnswer};
use crate::engine::nodes::{functions, outbox};
use crate::engine::run::serve;
use crate::engine::state::elsewhere::RangeCopy;
use crate::engine::state::fatal::fatal;
use crate::link::LONGEST_MESSAGE;
use crate::object::code::EdtDep;
use crate::object::data_block::OutOfMemoryError;
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::waiting::Wake;
use crate::report::tally::Label;
use crate::status::Status;
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::{Arc, OnceLock};

/// The label of another node on which a create function is to create an object, and that node.
///
/// # Safety
/// `place` is null or valid for a read, with a GUID in it if the properties contain `GUID_PROP_IS_LABELED`.
pub(super) unsafe fn label_elsewhere(place: *const Guid, properties: u16) -> Option<(u32, Guid)> {
    if !labeling::is_labeled(properties) || labeling::is_mapped(properties) || place.is_null() {
        return None;
    }
    // SAFETY: the place is not null, so it has a GUID in it, which the caller promises.
    let label = unsafe { place.read() };
    owner(label).map(|owner| (owner, label))
}

/// Has the owner of a label create an object on it, again and again where the label is taken and the call is to wait.
/// None where the program ends before the answer comes.
pub(super) fn create_on(
    (owner, label): (u32, Guid),
    properties: u16,
    api: Api,
    mut ask: impl FnMut() -> Option<CallAnswer>,
) -> Option<CallAnswer> {
    loop {
        settle_but(owner);
        let answer = ask()?;
        let is_taken = Status::from_number(answer.status as u8) == Status::EGUIDEXISTS;
        let is_blocking = labeling::is_blocking(properties);
        if !is_taken || !is_blocking && answer.value == 0 {
            return Some(answer);
        }
        let free = Call::AwaitFree { label, leaving: !is_blocking };
        let goes_on = with(false, |context| {
            context.wait_until(Label::Gone(label), api, |wake| outbox::ask_then(owner, free, |_| wake()))
        });
        if !goes_on {
            return Some(answer_of(Status::ECANCELED));
        }
    }
}

/// `ocrEventCreate` and `ocrEventCreateParams`, on another node's label.
pub(super) fn create_event(api: Api, words: &[u64]) -> Option<Status> {
    let properties = words[2] as u16;
    // SAFETY: the header asks for a valid place, with a label in it where the properties say so.
    let (owner, label) = unsafe { label_elsewhere(words[0] as *const Guid, properties) }?;
    let Some(kind) = EventKind::from_bits(words[1] as u32) else { return Some(Status::EINVAL) };
    let params =
        if api == Api::ocrEventCreateParams { words[3] as *const sys::ocrEventParams_t } else { std::ptr::null() };
    // SAFETY: the header asks for null or valid parameters.
    let new = match edt::new_event(kind, unsafe { params.as_ref() }) {
        Ok(new) => new,
        Err(status) => return Some(status),
    };
    let alone = labeling::is_trusting(properties);
    let call = || Call::CreateEvent { label, new, alone };
    if alone {
        return Some(sent(owner, api, call()));
    }
    let answer = create_on((owner, label), properties, api, || outbox::ask(owner, call()));
    Some(answer.map_or(Status::OK, |answer| Status::from_number(answer.status as u8)))
}

/// `ocrDbCreate` on another node's label. Where the program ends, the caller gets a block that nobody else knows.
pub(super) fn create_block(words: &[u64]) -> Option<Status> {
    let (size, properties) = (words[2], words[3] as u16);
    // SAFETY: the header asks for a valid place, with a label in it where the properties say so.
    let (owner, label) = unsafe { label_elsewhere(words[0] as *const Guid, properties) }?;
    if words[5] as sys::ocrInDbAllocator_t != sys::NO_ALLOC {
        return Some(Status::EINVAL);
    }
    let lent = properties & NO_ACQUIRE == 0;
    let written_once = properties & SINGLE_ASSIGNMENT != 0;
    let ask = || {
        // Before the owner can ask for the block.
        let begin = move |answer: &CallAnswer| {
            if answer.status == 0 && lent {
                serve::on_link(|context| context.begin_created(label, size));
            }
        };
        outbox::ask_with(owner, Call::CreateBlock { label, size, written_once, lent }, begin)
    };
    let answer = create_on((owner, label), properties, Api::ocrDbCreate, ask);
    let status = answer.as_ref().map_or(Status::OK, |answer| Status::from_number(answer.status as u8));
    if status == Status::ENOMEM {
        db::warn_of_no_memory(OutOfMemoryError { bytes: size });
    }
    let address = match answer {
        _ if !status.is_ok() || !lent => std::ptr::null_mut(),
        Some(_) => with(std::ptr::null_mut(), |context| context.hold_created(label)),
        None => with(std::ptr::null_mut(), |context| {
            context.create_block(size, true).map_or(std::ptr::null_mut(), |(_, address)| address)
        }),
    };
    if status.is_ok() {
        // SAFETY: the header asks for null or a valid place.
        unsafe { put(words[1] as *mut *mut c_void, address.cast()) };
    }
    Some(status)
}

/// What this node knows of a range or map of another one, which it asks for that if need be.
fn range_of(owner: u32, range: Guid) -> Option<RangeCopy> {
    if let Some(known) = with(None, |context| context.known_range(range)) {
        return Some(known);
    }
    settle_but(owner);
    let text = outbox::ask(owner, Call::DescribeRange(range))?.range?;
    with(None, |context| context.keep_range(range, *text))
}

/// `ocrGuidFromIndex` of another node's range.
pub(super) fn from_index(words: &[u64]) -> Option<Status> {
    let range = Guid::from_bits(words[1]);
    let Some((bounds, _)) = range_of(owner(range)?, range) else { return Some(Status::EINVAL) };
    // SAFETY: the header asks for a valid place.
    Some(unsafe { labeling::put_label_at(words[0] as *mut sys::ocrGuid_t, bounds, words[2]) })
}

/// `ocrGuidFromLabel` of another node's map.
pub(super) fn from_label(words: &[u64]) -> Option<Status> {
    let (out, range, tuple) = (words[0] as *mut sys::ocrGuid_t, Guid::from_bits(words[1]), words[2] as *mut i64);
    let owner = owner(range)?;
    if out.is_null() || tuple.is_null() {
        return Some(Status::EINVAL);
    }
    Some(match range_of(owner, range) {
        // SAFETY: the header asks for a valid place, and a tuple as the map's function needs it. This function has no
        // reference to the context.
        Some((bounds, Some(map))) => unsafe { labeling::put_label_of(out, bounds, &map, tuple) },
        _ => Status::EINVAL,
    })
}

/// `ocrGetGuidKind` of another node's object.
pub(super) fn kind(words: &[u64]) -> Option<Status> {
    let (out, guid) = (words[0] as *mut sys::ocrGuidUserKind, Guid::from_bits(words[1]));
    let owner = owner(guid)?;
    if out.is_null() {
        return Some(Status::EINVAL);
    }
    settle_but(owner);
    let kind = outbox::ask(owner, Call::KindOf(guid)).map_or(sys::GUID_USER_NONE, |answer| answer.value as _);
    // SAFETY: the header asks for a valid place, and it is not null.
    unsafe { put(out, kind) };
    Some(Status::OK)
}

/// How far another node's event is, as [`Call::EventState`] says, for `ocrLegacyBlockProgress`. With `waits`, a label
/// without event is waited for. None for an event of this node; the error is the status where the program ends.
pub(in crate::capi) fn event_state(event: Guid, waits: bool) -> Option<Result<u64, Status>> {
    if !outbox::has_others() || !event.is_event() {
        return None;
    }
    let owner = owner(event)?;
    let goes_on = !waits
        || with(false, |context| {
            let ask = |wake: Wake| outbox::ask_then(owner, Call::AwaitMade(event), |_| wake());
            context.wait_until(Label::Made(event), Api::ocrLegacyBlockProgress, ask)
        });
    if !goes_on && with(false, |context| context.has_paused() && !context.runtime.end.is_ending()) {
        return Some(Err(Status::EPERM));
    }
    let answer = if goes_on { outbox::ask(owner, Call::EventState(event)) } else { None };
    Some(answer.map(|answer| answer.value).ok_or(Status::ECANCELED))
}

/// What [`Call::EventState`] answers of a channel event in which nothing is left.
const CHANNEL: u64 = 3;

/// `ocrLegacyIsChannelReady` of another node's event. None for an event of this node.
pub(in crate::capi) fn is_channel_ready(event: Guid) -> Option<bool> {
    Some(event_state(event, false)?.is_ok_and(|state| state > CHANNEL))
}

/// `ocrDbGetSize` of another node's block.
pub(super) fn size(words: &[u64]) -> Option<Status> {
    let (block, out) = (Guid::from_bits(words[0]), words[1] as *mut u64);
    owner(block)?;
    let Some(size) = super::size_of(block).filter(|_| !out.is_null()) else { return Some(Status::EINVAL) };
    // SAFETY: the header asks for a valid place, and it is not null.
    unsafe { put(out, size) };
    Some(Status::OK)
}

/// `ocrEventCollectiveSatisfySlot` of another node's event.
pub(super) fn contribute(words: &[u64]) -> Option<Status> {
    let (event, data, slot) = (Guid::from_bits(words[0]), words[1] as *const u8, words[2] as u32);
    let owner = owner(event)?;
    if data.is_null() {
        return Some(Status::EINVAL);
    }
    settle_but(owner);
    let Some(answer) = outbox::ask(owner, Call::SizeOf(event)) else { return Some(Status::OK) };
    if answer.status != 0 {
        return Some(Status::from_number(answer.status as u8));
    }
    let size = answer.value as usize;
    if size > LONGEST_MESSAGE / 2 {
        fatal(&format!(
            "a contribution to the collective event {event} of node {owner} has {size} bytes. On several nodes it has \
             {} at most: use several events, or run the program on one node.",
            LONGEST_MESSAGE / 2
        ));
    }
    // SAFETY: `data` is not null, and the header asks for as many elements there as the event combines.
    let bytes = unsafe { std::slice::from_raw_parts(data, size) }.to_vec();
    Some(sent(owner, Api::ocrEventCollectiveSatisfySlot, Call::Contribute { event, slot, bytes }))
}

/// `ocrMapGet` of another node's map.
pub(super) fn map_get(node: u32, words: &[u64]) -> Option<Status> {
    let (place, map, index) = (words[0] as *mut sys::ocrGuid_t, Guid::from_bits(words[1]), words[2]);
    let owner = owner(map)?;
    if place.is_null() {
        return Some(Status::EINVAL);
    }
    settle_but(owner);
    let Some(function) = functions::home_of(answer_map_get) else {
        fatal("ocrMapGet is about a map of another node, and the runtime does not find the file that it is in.");
    };
    let told = Arc::new(OnceLock::new());
    let goes_on = with(false, |context| {
        let scope = context.enter_scope_from_elsewhere();
        let has_asked = Cell::new(false);
        let goes_on = context.wait_until(Label::Mapped(map, index), Api::ocrMapGet, |wake| {
            has_asked.set(true);
            let tell = told.clone();
            let id = outbox::expect(move |answer| {
                let _ = tell.set(answer);
                wake();
            });
            let Some(id) = id else { return };
            let name = Api::ocrMapGet.shown().into();
            let new = NewEdt {
                guid: Guid::NULL,
                alone: false,
                template: TemplateText { function: Some(function), name, paramc: 4, depc: 0, kernels: 0 },
                params: vec![map.bits(), index, node.into(), id],
                depc: 0,
                range: None,
                sources: Vec::new(),
                finish: false,
                output: false,
                asked: false,
                scope,
                along: Along::default(),
            };
            outbox::ask_then(owner, Call::CreateEdt(Box::new(new)), move |created| {
                if created.status != 0 {
                    outbox::answered(id, created);
                }
            });
        });
        if !has_asked.get() {
            context.leave_scope_from_elsewhere(scope, 1);
        }
        goes_on
    });
    let Some(answer) = told.get().filter(|_| goes_on) else { return Some(MapError::Ending.into()) };
    let status = Status::from_number(answer.status as u8);
    if status.is_ok() {
        // SAFETY: the header asks for a valid place, and it is not null.
        unsafe { put(place, answer.guids[0].into()) };
    }
    Some(status)
}

/// What an EDT runs that asks a map of its own node for an object, for another node.
///
/// # Safety
/// `paramv` has four parameters: the map, the index, and the node and the number of the answer.
unsafe extern "C" fn answer_map_get(_: u32, paramv: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
    // SAFETY: the caller passes four parameters, each a word.
    let [map, index, to, id] = unsafe { paramv.cast::<[u64; 4]>().read() };
    let mut object = sys::ocrGuid_t::from(Guid::NULL);
    // SAFETY: the place is a variable, and any bits are accepted as a GUID.
    let status = unsafe { sys::ocrMapGet(&raw mut object, Guid::from_bits(map).into(), index) };
    let guids = [object.into(), Guid::NULL];
    outbox::answer(to as u32, id, CallAnswer { guids, ..answer_of(Status::from_number(status)) });
    Guid::NULL
}

/// What the caller gets to know of a creation on a label.
fn of_creation(label: Guid, created: Result<(), Status>) -> CallAnswer {
    let status = created.err().unwrap_or(Status::OK);
    let leaves = status == Status::EGUIDEXISTS && with(false, |context| context.is_leaving(label));
    CallAnswer { value: leaves.into(), ..answer_of(status) }
}

/// Makes a call for another node. None where the answer to that call has been given, or comes later.
pub(super) fn make(from: u32, id: u64, call: Call) -> Option<CallAnswer> {
    let of_number = |number: Option<u64>| match number {
        Some(value) => CallAnswer { value, ..CallAnswer::default() },
        None => answer_of(Status::EINVAL),
    };
    Some(match call {
        Call::DescribeRange(range) => {
            let range = with(None, |context| context.describe_range(range)).map(Box::new);
            CallAnswer { range, ..CallAnswer::default() }
        }
        Call::CreateEvent { label, new, alone } => {
            let created = with(Err(Status::EPERM), |context| {
                edt::labeled_event(context, (label, alone), new, Api::ocrEventCreate).map(|_| ())
            });
            if created.is_ok() {
                recorded::event_created(label, &new);
            }
            of_creation(label, created)
        }
        Call::CreateBlock { label, size, written_once, lent } => {
            let created = with(Err(Status::EPERM), |context| {
                context.create_block_for(label, size, lent).map_err(Status::from)?;
                if written_once {
                    context.write_once(label);
                }
                Ok(())
            });
            let address = &raw const label as u64;
            let properties = if lent { 0 } else { u64::from(NO_ACQUIRE) };
            let words = [address, 0, size, properties];
            recorded::made(Api::ocrDbCreate, &words, created.err().unwrap_or(Status::OK));
            // Before the caller, which has the block, is asked for it.
            outbox::answer(from, id, of_creation(label, created));
            if created.is_ok() {
                with((), |context| {
                    if lent {
                        context.lend_created(label, from);
                    }
                    context.created_on(label);
                });
            }
            return None;
        }
        Call::AwaitFree { label, leaving } => {
            let free = move || outbox::answer(from, id, CallAnswer::default());
            with((), |context| when_free(context.runtime, label, leaving, Box::new(free)));
            return None;
        }
        Call::Contribute { event, slot, bytes } => {
            let status = with(Status::EPERM, |context| {
                if context.size_of(event) != Some(bytes.len() as u64) {
                    return Status::EINVAL;
                }
                // SAFETY: there are as many bytes as a contribution has.
                Status::from(unsafe { context.contribute(event, bytes.as_ptr(), slot) })
            });
            let words = [event.bits(), 0, slot.into()];
            recorded::made(Api::ocrEventCollectiveSatisfySlot, &words, status);
            answer_of(status)
        }
        Call::AwaitMade(label) => {
            let made = move || outbox::answer(from, id, CallAnswer::default());
            with((), |context| when_made(context.runtime, label, Box::new(made)));
            return None;
        }
        Call::EventState(event) => of_number(with(None, |context| {
            let runtime = context.runtime;
            Some(match runtime.objects.event_kind(event) {
                Some(EventKind::Sticky | EventKind::Idempotent) => 1 + u64::from(runtime.is_satisfied(event)),
                Some(EventKind::Channel) => CHANNEL + u64::from(runtime.objects.is_channel_ready(event)),
                _ => 0,
            })
        })),
        Call::SizeOf(guid) => of_number(with(None, |context| context.size_of(guid))),
        Call::KindOf(guid) => {
            of_number(Some(with(sys::GUID_USER_NONE, |context| labeling::kind_of(context, guid)).into()))
        }
        other => unreachable!("a call that is made elsewhere: {other:?}"),
    })
}
