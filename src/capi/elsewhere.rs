//! Calls about objects of other nodes. The node that has the object makes the call. The caller waits for its answer,
//! but not for that of dependences, satisfactions and most new EDTs: an EDT sends these, and they are confirmed later
//! (`protocol/order.rs`).
//!
//! | call | is made by |
//! |---|---|
//! | `ocrEventSatisfy`, `ocrEventSatisfySlot` | the owner of the event or EDT; sent |
//! | `ocrAddDependence`, `ocrAddDependenceSlot` | the owner of the event that is the source; of a block or `NULL_GUID`, that of the destination; sent, with the creation of an EDT if they can (`along.rs`). The caller's, where many EDTs of it wait for the event (`engine/state/fan.rs`) |
//! | `ocrAddDependenceByValue` | the owner of the destination, which gets the content; sent, if that fits a message |
//! | `ocrDbPartition` | the owner of the block, which makes the parts and has them |
//! | `ocrEventDestroy`, `ocrEdtDestroy`, `ocrDbDestroy`, `ocrEdtTemplateDestroy` | the owner of the object |
//! | `ocrEdtCreate` | the node that its hint, or the setting, names; the caller then adds the dependences; sent, and the caller gives the GUID, if the EDT fits a slot and its output event fits it, too |
//! | creation on a label; `ocrMapGet`, `ocrEventCollectiveSatisfySlot`, `ocrGetGuidKind`, `ocrDbGetSize` | the owner of the label, map, event or object (`labels.rs`) |
//! | `ocrGuidFromIndex`, `ocrGuidFromLabel` | the caller's, which asks the owner once for the range or map |
//! | `ocrDbCopy` | the node that has both blocks, if one does, or the caller's |
//! | `ocrGetGuid` | the caller's |
//! | `ocrOpenclTaskCreate` | as `ocrEdtCreate`; `kernels.rs` says where EDTs with kernels run |
//! | `ocrEdtTemplateAddKernel`, `ocrEdtTemplateAddFunction` | the owner of the template |
//! | `ocrLegacyBlockProgress`, `ocrWait` | the caller's, where an EDT of the runtime's depends on the event |
//! | `ocrShutdown`, `ocrAbort` | node 0 |
//! | `ocrSetHint`, `ocrGetHint`, `ocrAttachDebugLabel` | no node: they advise, and what they say is lost |
//! | `ocrAffinityQuery`, `ocrElsUserSet`, `ocrNoteCausality` | the caller's: the GUID is all that they need |
//!
//! In strict mode, the owner says what is wrong with a call (`strict_calls.rs`).
//!
//! Where nodes work together, `export!` takes each call to [`made_elsewhere`] before its body. Any other call about an
//! object of another node ends the program with a message. Where the program ends already, no answer comes, and nothing
//! can fail any more: calls about objects of other nodes do nothing, and EDTs are created here.

mod along;
pub(super) mod kernels;
pub(super) mod labels;
mod strict_calls;

use crate::abi::Api;
use crate::capi::edt::{self, FINISH, More, OEVT_VALID, add_dependence, depv_of, mode_for, satisfy};
use crate::capi::{copier, hints, labeling, put, recorded, sys, template_changes, with};
use crate::check::calls::{CallSpec, Creates, LABELED, Role};
use crate::config::Placing;
use crate::engine::attempt::calls::only_asks;
use crate::engine::calls::copy::CopyRequest;
use crate::engine::life::away::confirm_calls;
use crate::engine::life::create_request::{EdtRequest, Output};
use crate::engine::life::hints::node_of;
use crate::engine::life::stand_in::{StandIn, is_shown};
use crate::engine::nodes::new_edt::{Along, FOR_THE_REST, NewEdt, TemplateText};
use crate::engine::nodes::outbox::LARGEST_IN_MESSAGE;
use crate::engine::nodes::work::{Call, CallAnswer, NewCopy, NodeWork, PassedTo};
use crate::engine::nodes::{ending, functions, outbox, traffic};
use crate::engine::run::{serve, shutdown};
use crate::engine::state::context::Context;
use crate::engine::state::fan::WaitingSlot;
use crate::engine::state::fatal::fatal;
use crate::object::edt::{ExplicitRange, Mode, RANGE_WORDS};
use crate::object::guid::{Guid, Kind};
use crate::object::hints::EDT_AFFINITY;
use crate::object::name::BlockName;
use crate::status::Status;
use std::ptr;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU32, Ordering};

/// More parameters and pre-slots than these do not fit a message with the rest of what is said of an EDT.
const MOST_WORDS: usize = (crate::link::LONGEST_MESSAGE - FOR_THE_REST) / 8;

/// More parts than these do not fit a message.
const MOST_PARTS: usize = (crate::link::LONGEST_MESSAGE - FOR_THE_REST) / 16;

/// The node that has an object, where that is another one.
fn owner(guid: Guid) -> Option<u32> {
    with(None, |context| context.runtime.objects.owner_elsewhere(guid))
}

/// The size of another node's block, in bytes. None for one of this node, or that is gone.
pub(super) fn size_of(block: Guid) -> Option<u64> {
    if !outbox::has_others() || !block.is_data_block() {
        return None;
    }
    let owner = owner(block)?;
    if let Some(size) = with(None, |context| context.block_size(block)) {
        return Some(size);
    }
    settle_but(owner);
    outbox::ask(owner, Call::SizeOf(block)).filter(|answer| answer.status == 0).map(|answer| answer.value)
}

/// The status of a call that another node makes. Where no answer comes the program ends, and the call has succeeded as
/// far as anybody can tell.
fn asked(owner: u32, call: Call) -> Status {
    settle_but(owner);
    status_of(outbox::ask(owner, call).as_ref())
}

/// The status that an answer tells.
fn status_of(answer: Option<&CallAnswer>) -> Status {
    answer.map_or(Status::OK, |answer| Status::from_number(answer.status as u8))
}

/// Has another node make a call that need not answer, when what was sent to others is confirmed.
fn sent(owner: u32, api: Api, call: Call) -> Status {
    settle_but(owner);
    sent_at_once(owner, api, call)
}

/// Has another node make a call that need not answer, and that nobody can see before what was sent is confirmed. An EDT
/// goes on meanwhile; other threads, whose function nobody knows the end of, wait.
fn sent_at_once(owner: u32, api: Api, call: Call) -> Status {
    if !with(false, |context| context.current.is_some()) {
        return asked(owner, call);
    }
    outbox::wait_for_room(outbox::send(owner, api.shown(), call));
    Status::OK
}

/// Waits until what this thread's EDT has sent is confirmed.
pub(super) fn settle() {
    if outbox::has_sent() {
        confirm_calls();
    }
}

/// Waits until what this thread's EDT has sent to other nodes than this one is confirmed.
fn settle_but(node: u32) {
    if outbox::is_unconfirmed(Some(node)) {
        confirm_calls();
    }
}

/// Has nothing follow from a dependence before what this thread's EDT has sent is confirmed: its destination is held
/// back where that is an EDT, or else the caller waits. `maker` is the node that makes the dependence, None for this
/// one. True where the maker has to hold the destination back.
fn hold_back(maker: Option<u32>, destination: Guid) -> bool {
    if !outbox::is_unconfirmed(maker) {
        return false;
    }
    // The EDT of a label may not be there yet, or be the next one.
    let can_be_held = destination.is_edt() && !destination.is_label() && !outbox::are_many_held();
    let of = if can_be_held { Some(owner(destination)) } else { None };
    match of {
        Some(None) if with(false, |context| context.hold_until_confirmed(destination)) => return false,
        Some(Some(of)) if maker == Some(of) => return true,
        Some(Some(of)) if maker.is_none() => {
            // What this node passes on comes behind what was sent there.
            if outbox::is_unconfirmed(Some(of)) {
                sent_at_once(of, Api::ocrAddDependence, Call::Hold(destination));
            }
            return false;
        }
        _ => {}
    }
    confirm_calls();
    false
}

/// Whether others can see what a call does that this node makes. They cannot where it makes an object whose GUID nobody
/// knows yet, or an EDT that waits for a dependence which comes later.
fn is_seen(call: &CallSpec, words: &[u64]) -> bool {
    let properties = call.position(|role| matches!(role, Role::Properties(..)));
    if properties.is_some_and(|at| words[at] as u32 & LABELED != 0) {
        return true;
    }
    match (call.api, call.creates) {
        (api, _) if only_asks(api) => false,
        (Api::ocrEdtCreate, _) => words[5] != 0 || !has_slots(&request_of(Guid::from_bits(words[1]), words)),
        (_, creates) => !matches!(creates, Some(Creates::Block | Creates::Event | Creates::Template)),
    }
}

/// Whether an EDT that is asked for has pre-slots.
fn has_slots(request: &EdtRequest<'_>) -> bool {
    with(false, |context| context.check_request(request).is_ok_and(|checked| checked.depc > 0))
}

/// Makes a call where its object is, if that is on another node. None if the call is this node's.
pub(super) fn made_elsewhere(call: &'static CallSpec, words: &[u64]) -> Option<Status> {
    let (node, _) = ending::place()?;
    strict_calls::begins(call, words);
    along::close_before(call, words);
    let made = made_by_owner(node, call, words);
    if let Some(status) = made.filter(|status| !status.is_ok()) {
        strict_calls::refused(call, words, status);
    }
    if made.is_none() && outbox::has_sent() && is_seen(call, words) {
        match call.api {
            Api::ocrAddDependence => _ = hold_back(None, Guid::from_bits(words[1])),
            Api::ocrAddDependenceSlot => _ = hold_back(None, Guid::from_bits(words[2])),
            _ => confirm_calls(),
        }
    }
    made
}

fn made_by_owner(node: u32, call: &'static CallSpec, words: &[u64]) -> Option<Status> {
    use Api::*;
    let guid = |at: usize| Guid::from_bits(words[at]);
    match call.api {
        ocrShutdown => (node != 0).then(|| asked(0, Call::Shutdown)),
        ocrEventSatisfy => satisfied(guid(0), guid(1), 0),
        ocrEventSatisfySlot => satisfied(guid(0), guid(1), words[2] as u32),
        ocrAddDependence => depends((guid(0), 0), guid(1), words[2] as u32, words[3] as u32),
        ocrAddDependenceSlot => depends((guid(0), words[1] as u32), guid(2), words[3] as u32, words[4] as u32),
        ocrEventDestroy => destroyed(guid(0), guid(0).is_event()),
        ocrEdtDestroy => destroyed(guid(0), guid(0).is_edt()),
        ocrEdtTemplateDestroy => {
            kernels::forget_template(guid(0));
            template_changes::tell_of_end(guid(0));
            destroyed(guid(0), guid(0).kind() == Some(Kind::Template))
        }
        ocrDbDestroy => destroyed(guid(0), guid(0).is_data_block()).inspect(|_| {
            // As on one node: the caller has the block no more.
            let _ = with(Ok(()), |context| context.release_block(guid(0)));
        }),
        ocrEdtCreate => create_edt(node, words, WantedEdt::default()),
        ocrOpenclTaskCreate => kernels::create_task(node, words),
        ocrEdtTemplateAddKernel => kernels::add_kernel(words),
        ocrEdtTemplateAddFunction => kernels::add_function(words),
        ocrEventCreate | ocrEventCreateParams => labels::create_event(call.api, words),
        ocrDbCreate => labels::create_block(words),
        ocrEventCollectiveSatisfySlot => labels::contribute(words),
        ocrGuidFromIndex => labels::from_index(words),
        ocrGuidFromLabel => labels::from_label(words),
        ocrGuidMapDestroy => destroyed(guid(0), guid(0).kind() == Some(Kind::Range))
            .inspect(|_| with((), |context| context.forget_range(guid(0)))),
        ocrMapGet => labels::map_get(node, words),
        ocrMapDestroy => destroyed(guid(0), guid(0).kind() == Some(Kind::Registered)),
        ocrGetGuidKind => labels::kind(words),
        ocrDbGetSize => labels::size(words),
        // An EDT that has a block has it here.
        ocrDbRelease if !guid(0).is_data_block() => None,
        ocrDbRelease => owner(guid(0)).filter(|_| !is_here(guid(0))).map(|_| Status::EACCES),
        ocrAddDependenceByValue => passed_by_value(words),
        // The body asks the owner.
        ocrDbPartition => None,
        ocrDbCopy | ocrGetGuid | ocrGetHint | ocrAffinityQuery | ocrElsUserSet | ocrNoteCausality => None,
        // Those wait here, for what the owner says.
        ocrLegacyBlockProgress | ocrWait | ocrLegacyIsChannelReady => None,
        // They are refused wherever the block is.
        ocrDbMalloc | ocrDbMallocOffset | ocrDbFree | ocrDbFreeOffset => None,
        ocrSetHint | ocrAttachDebugLabel => owner(guid(0)).map(|_| Status::OK),
        _ => refuse_other(call, words),
    }
}

/// Whether a block of another node is here, be it that it leaves when its last EDT has released it.
fn is_here(block: Guid) -> bool {
    with(false, |context| context.runtime.objects.data_blocks.lock(block).is_some())
}

/// Destroys an object, if another node has it. `is_of_call` is whether its GUID is of the kind that the call is for.
fn destroyed(guid: Guid, is_of_call: bool) -> Option<Status> {
    owner(guid).map(|owner| if is_of_call { asked(owner, Call::Destroy(guid)) } else { Status::EINVAL })
}

/// Ends the program where a call that is made here alone is about an object of another node. A block that a running EDT
/// has is here. Where the program ends anyway, such a call does nothing.
fn refuse_other(call: &CallSpec, words: &[u64]) -> Option<Status> {
    for ((_, role), &word) in call.args.iter().zip(words) {
        let guid = Guid::from_bits(word);
        if !role.is_guid() && *role != Role::Guid {
            continue;
        }
        let is_refused = with(false, |context| {
            let Some(owner) = context.runtime.objects.owner_elsewhere(guid) else { return false };
            if context.runtime.objects.data_blocks.exists(guid) {
                return false;
            }
            if outbox::is_open() {
                context.refuse_elsewhere(call.shown(), guid, owner);
            }
            true
        });
        if is_refused && call.creates.is_none() {
            return Some(Status::OK);
        }
    }
    None
}

/// Satisfies a pre-slot of an event or an EDT, if another node has it.
fn satisfied(event: Guid, data: Guid, slot: u32) -> Option<Status> {
    if slot > 1 && !event.is_edt() {
        return None;
    }
    let owner = owner(event)?;
    if !data.is_null() && data != Guid::UNINITIALIZED && !data.is_data_block() {
        return Some(Status::EINVAL);
    }
    let call = if event.is_edt() {
        Call::Depend { source: data, post_slot: 0, destination: event, slot, mode: Mode::Rw, hold: false }
    } else {
        Call::Satisfy { event, increment: slot == 1, data }
    };
    Some(sent(owner, Api::ocrEventSatisfy, call))
}

/// Satisfies a pre-slot of an event or an EDT with a content, if another node has it. One that does not fit a message
/// would be overtaken by later calls, so the caller waits until it is there.
fn passed_by_value(words: &[u64]) -> Option<Status> {
    let (source, destination, slot) = (Guid::from_bits(words[0]), Guid::from_bits(words[1]), words[2] as u32);
    if slot > 1 && !destination.is_edt() {
        return None;
    }
    let owner = owner(destination)?;
    let Some(mode) = mode_for(destination, words[3] as u32) else { return Some(Status::EINVAL) };
    let content =
        with(Err(Status::EPERM), |context| context.content_to_pass(source, destination, mode).map_err(Status::from));
    let api = Api::ocrAddDependenceByValue;
    Some(match content {
        Err(status) => status,
        Ok(None) => {
            let nothing = Call::Depend { source: Guid::NULL, post_slot: 0, destination, slot, mode, hold: false };
            sent(owner, api, nothing)
        }
        Ok(Some(content)) if content.len() <= LARGEST_IN_MESSAGE => {
            let (size, bytes) = (content.len() as u64, Some(content));
            sent(owner, api, Call::PassValue { to: (destination, slot, mode).into(), size, bytes })
        }
        Ok(Some(content)) => {
            settle_but(owner);
            status_of(outbox::ask_value(owner, (destination, slot, mode).into(), content).as_ref())
        }
    })
}

/// Makes parts of a block, on the node that has it. Their GUIDs.
pub(super) fn divide_block(whole: Guid, spans: Vec<(u64, u64)>, fixed: bool) -> Result<Vec<Guid>, Status> {
    let divide = |context: &mut Context| context.divide_block(whole, &spans, fixed).map_err(Status::from);
    let Some(owner) = (if outbox::has_others() { owner(whole) } else { None }) else {
        return with(Err(Status::EPERM), divide);
    };
    if !whole.is_data_block() {
        return Err(Status::EINVAL);
    }
    if spans.len() > MOST_PARTS {
        fatal(&format!(
            "ocrDbPartition is to make {} parts of {} of node {owner}. On several nodes a call makes {MOST_PARTS} at most of \
             another node's block: use several calls, or make them on that node.",
            spans.len(),
            BlockName(whole)
        ));
    }
    // Where the program ends, nobody uses the parts.
    let Some(answer) = outbox::ask(owner, Call::Divide { whole, spans, fixed }) else { return Err(Status::ECANCELED) };
    if answer.status == 0 { Ok(answer.parts) } else { Err(Status::from_number(answer.status as u8)) }
}

/// The other node that has both of these blocks, if one does.
pub(super) fn owner_of_both(one: Guid, other: Guid) -> Option<u32> {
    if !outbox::is_open() || !one.is_data_block() || !other.is_data_block() {
        return None;
    }
    owner(one).filter(|_| owner(one) == owner(other))
}

/// Has another node copy from one of its blocks to another. The event that completes it, which is this node's.
pub(super) fn copy_there(owner: u32, copy: CopyRequest, completes: bool) -> Result<Guid, Status> {
    let begun = with(None, |context| {
        let completion = if completes { context.new_completion()? } else { Guid::NULL };
        Some((completion, context.enter_scope_from_elsewhere()))
    });
    let Some((completion, scope)) = begun else { return Err(Status::ENOMEM) };
    let CopyRequest { destination, destination_offset, source, source_offset, size, destroys_source, .. } = copy;
    let call = Call::Copy(NewCopy {
        destination,
        destination_offset,
        source,
        source_offset,
        size,
        destroys_source,
        completion,
        scope,
    });
    let status = status_of(outbox::ask(owner, call).as_ref());
    if !status.is_ok() {
        // That node has taken the copy out of the scope again.
        with((), |context| context.forget_completion(completion));
        return Err(status);
    }
    Ok(completion)
}

/// Adds a dependence, if another node has one of its ends.
fn depends((source, post_slot): (Guid, u32), destination: Guid, slot: u32, mode: u32) -> Option<Status> {
    if owner(destination).is_none() && (!source.is_event() || owner(source).is_none()) {
        return None;
    }
    let Some(mode) = mode_for(destination, mode) else { return Some(Status::EINVAL) };
    Some(link((source, post_slot), destination, slot, mode))
}

/// Adds a dependence, on whatever nodes its ends are.
fn link((source, post_slot): (Guid, u32), destination: Guid, slot: u32, mode: Mode) -> Status {
    let maker = if source.is_event() { owner(source) } else { owner(destination) };
    if let Some(owner) = maker
        && waits_here(owner, (source, post_slot), (destination, slot, mode))
    {
        return Status::OK;
    }
    let hold = hold_back(maker, destination);
    match maker {
        Some(owner) if post_slot == 0 && along::goes_along(owner, destination, (source, slot, mode), hold) => {
            Status::OK
        }
        Some(owner) => {
            let call = Call::Depend { source, post_slot, destination, slot, mode, hold };
            sent_at_once(owner, Api::ocrAddDependence, call)
        }
        None => depend((source, post_slot), destination, slot, mode),
    }
}

/// Has an EDT of this node wait here for an event of another one, which tells when that triggers: many wait for it.
/// False if it cannot.
fn waits_here(of: u32, (event, post_slot): (Guid, u32), waiting: WaitingSlot) -> bool {
    let destination = waiting.0;
    let can_be = event.is_event() && !event.is_label() && post_slot == 0;
    if !can_be || !destination.is_edt() || destination.is_label() || owner(destination).is_some() {
        return false;
    }
    if let Some(number) = with(None, |context| context.runtime.elsewhere.lock().awaited.sends(event)) {
        let first = move |answer: &CallAnswer| {
            let tells = answer.value != 0;
            serve::on_link(|context| context.runtime.elsewhere.lock().awaited.answered(event, number, tells));
        };
        let _ = outbox::ask_with(of, Call::Promise(event), first);
    }
    if !with(false, |context| context.runtime.elsewhere.lock().awaited.can_wait(event)) {
        return false;
    }
    hold_back(None, destination);
    with(false, |context| context.waits_for_other_node(event, waiting))
}

/// Adds a dependence whose source is a block, or an event of this node.
fn depend((source, post_slot): (Guid, u32), destination: Guid, slot: u32, mode: Mode) -> Status {
    match owner(destination) {
        None => {
            let status = add_dependence(source.into(), post_slot, destination.into(), slot, mode as _);
            let words = [source.bits(), destination.bits(), slot.into(), mode as u64];
            recorded::made(Api::ocrAddDependence, &words, status);
            status
        }
        Some(of) => with(Status::EPERM, |context| {
            let role = StandIn::PreSlot { of, event: source, waiting: (destination, slot, mode) };
            // It gets the GUID of a block. It reads one that was passed by value.
            Status::from(context.stand_in(role, (source, post_slot), Mode::Const))
        }),
    }
}

/// What is asked for with an EDT beside the arguments of `ocrEdtCreate`.
#[derive(Default)]
struct WantedEdt<'a> {
    /// The node that it is for, whatever the hint says.
    on: Option<u32>,
    /// Makes its index space, for a template of this node.
    range: Option<&'a dyn Fn(Guid) -> Result<ExplicitRange, Status>>,
}

/// Creates an EDT on another node, or one of this node that another node's objects belong to. None for one that is all
/// this node's.
fn create_edt(node: u32, words: &[u64], wanted: WantedEdt<'_>) -> Option<Status> {
    let properties = words[6] as u16;
    let template = Guid::from_bits(words[1]);
    // SAFETY: the header asks for null or a valid hint.
    let hint = unsafe { hints::given(words[7] as *const sys::ocrHint_t, sys::OCR_HINT_EDT_T) };
    // The end of a finish EDT counts a given latch event up and down, which is done on one node.
    let output = given_output(properties, words);
    let stays = output.is_some() && properties & FINISH != 0 || u32::from(properties) & LABELED != 0;
    let affinity = hint.and_then(|hint| hint.get(EDT_AFFINITY)).map(Guid::from_bits);
    // A device is one of this node.
    let of_hint = affinity.filter(|affinity| !affinity.is_null()).map(|affinity| node_of(affinity).unwrap_or(node));
    let asked = wanted.on.or(of_hint);
    // SAFETY: where the properties say that there is a label, the place is null or has one in it.
    let label = unsafe { labels::label_elsewhere(words[0] as *const Guid, properties) };
    let home = owner(template);
    let template_here = match home {
        None => template,
        Some(owner) => match kernels::copy_of_template(owner, template) {
            Some(copy) => copy,
            None => return Some(Status::EINVAL),
        },
    };
    let range = match wanted.range.map(|range| range(template_here)) {
        Some(Err(status)) if home.is_some() => return Some(status),
        // Where the call is made, strict mode says what is wrong.
        Some(Err(_)) => return None,
        Some(Ok(range)) => Some(range),
        None => None,
    };
    let target = match label {
        Some((owner, _)) => owner,
        None if stays => node,
        None => asked.unwrap_or_else(|| {
            if has_function(template_here) {
                place(node)
            } else {
                kernels::with_device(node, home, template_here).unwrap_or(node)
            }
        }),
    };
    // The depv of an EDT on a label is not used.
    let sources = if labeling::is_labeled(properties) && !labeling::is_mapped(properties) {
        Vec::new()
    } else {
        // SAFETY: programs that call `ocrEdtCreate` promise that `depv` has as many elements as they say.
        unsafe { depv_of(template_here, words[4] as u32, words[5] as *const Guid) }
    };
    if words[0] == 0 && is_open(&request_of(template_here, words), &sources) {
        // Nobody could add the dependence that is missing.
        return Some(Status::EPERM);
    }
    if target != node
        && let Some(status) =
            create_there((target, label.map(|(_, label)| label)), template_here, &sources, (words, range))
    {
        return Some(status);
    }
    let foreign_output = output.is_some_and(|output| owner(output).is_some());
    let has_foreign = foreign_output || sources.iter().any(|&source| source.is_event() && owner(source).is_some());
    if template_here == template && !has_foreign {
        return None;
    }
    Some(create_here(template_here, &sources, (words, range)))
}

/// The event that is given as the output event of a new EDT, if one is.
fn given_output(properties: u16, words: &[u64]) -> Option<Guid> {
    let place = words[8] as *const Guid;
    // SAFETY: a place that is not null has the GUID of an event in it where the properties say so.
    (properties & OEVT_VALID != 0 && !place.is_null()).then(|| unsafe { place.read() })
}

/// Where an EDT is created of which no hint says that.
fn place(node: u32) -> u32 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let (placing, nodes) =
        (with(Placing::Home, |context| *context.runtime.settings.place), outbox::place().map_or(1, |(_, nodes)| nodes));
    match placing {
        Placing::Home => node,
        // Relaxed: any order of the nodes will do.
        Placing::Round => NEXT.fetch_add(1, Ordering::Relaxed).wrapping_add(node) % nodes,
    }
}

/// Creates an EDT on another node, and adds its dependences. None for one that has to be created here: its template has
/// neither a function nor kernels that the other node can have, its parameters and dependences do not fit a message, or
/// the program ends. Or it has no pre-slot that keeps it from ending before a given output event waits for it.
fn create_there(
    (target, label): (u32, Option<Guid>),
    template: Guid,
    sources: &[Guid],
    (words, range): (&[u64], Option<ExplicitRange>),
) -> Option<Status> {
    let (place, output, properties) = (words[0] as *mut Guid, words[8] as *mut Guid, words[6] as u16);
    let given = given_output(words[6] as u16, words);
    let comes_later = |source: Guid| given.is_some() || !is_for(target, source);
    // Whether anybody needs its GUID.
    let is_named = !place.is_null() || !output.is_null() || sources.iter().any(|&source| comes_later(source));
    let request = request_of(template, words);
    let wrong = label.and_then(|_| {
        with(None, |context| {
            let checked = context.check_request(&request).map(|_| ());
            checked.err().map(|why| edt::edt_status(context, Err(why)))
        })
    });
    if wrong.is_some() {
        return wrong;
    }
    let (text, work) = with(None, |context| context.describe_template(template))?;
    kernels::built_on(target, &text, work)?;
    let make = |context: &mut Context| {
        let checked = context.check_request(&request).ok()?;
        if given.is_some() && checked.depc == 0 {
            return None;
        }
        if checked.paramc as usize + sources.len() > MOST_WORDS {
            return None;
        }
        let params = match checked.paramc as usize {
            0 => Vec::new(),
            // SAFETY: `paramv` is not null, which was checked, and programs that call `ocrEdtCreate` promise that it
            // has as many elements as they say.
            count => unsafe { std::slice::from_raw_parts(request.paramv, count) }.to_vec(),
        };
        let scope = context.enter_scope_from_elsewhere();
        let (depc, finish) = (checked.depc, request.finish);
        // A given output event must wait for it before it can end.
        let along = |&source| if comes_later(source) { Guid::UNINITIALIZED } else { source };
        let sources = sources.iter().map(along).collect();
        // Strict mode gives an output event a slot of its own, and so has a finish EDT one.
        let output_apart = !output.is_null() && (finish || context.runtime.check.is_some());
        let guid = match label {
            Some(label) => label,
            None if is_named && !output_apart => {
                let words = checked.paramc as usize + range.map_or(0, |_| RANGE_WORDS);
                context.guid_elsewhere(target, depc, words)
            }
            None => Guid::NULL,
        };
        let (alone, output) = (labeling::is_trusting(properties), !output.is_null());
        let asked = label.is_some() || is_named && guid.is_null();
        let along = Along::default();
        let template = text.clone();
        Some(NewEdt { guid, alone, template, params, depc, range, sources, finish, output, asked, scope, along })
    };
    let new = with(None, make)?;
    let made = new.guid;
    let has_open_slot = new.has_open_slot();
    let mut next = Some(new);
    let mut call = || next.take().or_else(|| with(None, make)).map(|new| Call::CreateEdt(Box::new(new)));
    let (status, [edt, of_output]) = if let Some(label) = label {
        let ask = || outbox::ask(target, call()?);
        let answer = labels::create_on((target, label), properties, Api::ocrEdtCreate, ask)?;
        (Status::from_number(answer.status as u8), answer.guids)
    } else if is_named && made.is_null() {
        let call = call()?;
        settle_but(target);
        let answer = outbox::ask(target, call)?;
        (Status::from_number(answer.status as u8), answer.guids)
    } else {
        // Nobody can use one with an open pre-slot before its creator has told of it.
        let status = match call()? {
            Call::CreateEdt(new) if has_open_slot => along::sent_open(target, new),
            call if has_open_slot => sent_at_once(target, Api::ocrEdtCreate, call),
            call => sent(target, Api::ocrEdtCreate, call),
        };
        (status, if made.is_null() { [Guid::NULL; 2] } else { [made, Guid::output_of(made)] })
    };
    if !status.is_ok() || !is_named {
        // Where it has failed, that node has taken the EDT out of the scope again.
        return Some(status);
    }
    // SAFETY: the header asks for null or a valid place.
    unsafe { put(place, edt) };
    match given {
        Some(given) => _ = link((of_output, 0), given, 0, Mode::Null),
        // SAFETY: the header asks for null or a valid place.
        None => unsafe { put(output, of_output) },
    }
    Some(connect(edt, sources, comes_later))
}

/// Whether a template of this node has a C function.
fn has_function(template: Guid) -> bool {
    let has = |context: &mut Context| context.runtime.objects.templates.view(template)?.work.function;
    with(None, has).is_some()
}

/// Whether an EDT that is asked for has a pre-slot of which these sources do not say what it is connected to.
fn is_open(request: &EdtRequest<'_>, sources: &[Guid]) -> bool {
    if sources.is_empty() { has_slots(request) } else { sources.contains(&Guid::UNINITIALIZED) }
}

/// An EDT as a call of `ocrEdtCreate` asks for it, whose dependences come later.
fn request_of(template: Guid, words: &[u64]) -> EdtRequest<'static> {
    EdtRequest {
        template,
        paramc: words[2] as u32,
        paramv: words[3] as *const u64,
        depc: words[4] as u32,
        depv: ptr::null(),
        finish: words[6] as u16 & FINISH != 0,
        range: None,
        hints: None,
        guid: Some(NonNull::dangling()),
        label: None,
        output: Output::None,
    }
}

/// Whether a node can connect this source of a dependence to an EDT of its own, without asking another one.
fn is_for(node: u32, source: Guid) -> bool {
    let owner = || owner(source).or_else(|| outbox::place().map(|(here, _)| here));
    !source.is_event() || owner() == Some(node)
}

/// Creates an EDT of this node, of a template that is here, and adds its dependences on events of other nodes.
fn create_here(template: Guid, sources: &[Guid], (words, range): (&[u64], Option<ExplicitRange>)) -> Status {
    let given = given_output(words[6] as u16, words).filter(|&given| owner(given).is_some());
    // Where its end must be waited for elsewhere, nothing lets it begin before that is so.
    let is_foreign = |source: Guid| given.is_some() || source.is_event() && owner(source).is_some();
    let request = request_of(template, words);
    if given.is_some() && !has_slots(&request) {
        fatal(
            "ocrEdtCreate: an EDT without pre-slots is given an output event of another node, which it could miss. Create \
             that event on the node of the EDT, or give the EDT a pre-slot.",
        );
    }
    let mut of_edt = sys::ocrGuid_t::from(Guid::NULL);
    let (properties, output) = match given {
        Some(_) => (words[6] as u16 & !OEVT_VALID, &raw mut of_edt),
        None => (words[6] as u16, words[8] as *mut sys::ocrGuid_t),
    };
    let mut depv: Vec<sys::ocrGuid_t> = (sources.iter())
        .map(|&source| if is_foreign(source) { Guid::UNINITIALIZED } else { source })
        .map(sys::ocrGuid_t::from)
        .collect();
    let mut own = sys::ocrGuid_t::from(Guid::NULL);
    let place = match words[0] as *mut sys::ocrGuid_t {
        given if given.is_null() => &raw mut own,
        given => given,
    };
    let depv = if sources.is_empty() { ptr::null_mut() } else { depv.as_mut_ptr() };
    // SAFETY: the header asks for null or a valid hint.
    let hint = unsafe { hints::given(words[7] as *const sys::ocrHint_t, sys::OCR_HINT_EDT_T) };
    let more = More { range: range.as_ref(), hints: hint.as_ref() };
    let params = (words[2] as u32, words[3] as *mut u64);
    // It cannot begin before it has what comes from other nodes. Those dependences hold it back as far as they must.
    let opens = sources.iter().any(|&source| is_foreign(source));
    if (!depv.is_null() && !opens) || !has_slots(&request) || u32::from(properties) & LABELED != 0 {
        settle();
    }
    // SAFETY: the arguments are those of the caller, who keeps to the header, but for the template and the
    // dependences, of which this function has as many as the EDT has.
    let status =
        unsafe { edt::create_edt(place, template.into(), params, (words[4] as u32, depv), properties, more, output) };
    if !status.is_ok() {
        return status;
    }
    let mut words = [0; 9];
    (words[6], words[8]) = (properties.into(), output.addr() as u64);
    recorded::made(Api::ocrEdtCreate, &words, status);
    if let Some(given) = given {
        let _ = link((of_edt.into(), 0), given, 0, Mode::Null);
    }
    // SAFETY: the call has succeeded, so there is a GUID.
    connect(unsafe { *place }.into(), sources, is_foreign)
}

/// Adds the dependences of a new EDT that are chosen. The first status that is no success.
fn connect(edt: Guid, sources: &[Guid], is_chosen: impl Fn(Guid) -> bool) -> Status {
    let mut worst = Status::OK;
    for (slot, &source) in (0u32..).zip(sources) {
        if source == Guid::UNINITIALIZED || !is_chosen(source) {
            continue;
        }
        let status = link((source, 0), edt, slot, Mode::Rw);
        if worst.is_ok() {
            worst = status;
        }
    }
    worst
}

/// Makes a call for another node, which has the caller. None where the answer to that call has been given, or comes
/// later.
pub(super) fn make_call(from: u32, id: u64, call: Call) -> Option<CallAnswer> {
    let made = strict_calls::as_made(&call);
    strict_calls::judged(made, || make(from, id, call), |answer| status_of(answer.as_ref()))
}

fn make(from: u32, id: u64, call: Call) -> Option<CallAnswer> {
    let status = match call {
        Call::Satisfy { event, increment, data } => {
            let status = satisfy(event, data, u32::from(increment));
            recorded::made(Api::ocrEventSatisfySlot, &[event.bits(), data.bits(), increment.into()], status);
            status
        }
        Call::Depend { source, post_slot, destination, slot, mode, hold } => {
            let held = if hold { held_back(destination) } else { Guid::NULL };
            let status = depend((source, post_slot), destination, slot, mode);
            return Some(CallAnswer { status: status.number().into(), held, ..CallAnswer::default() });
        }
        Call::Hold(edt) => return Some(CallAnswer { held: held_back(edt), ..CallAnswer::default() }),
        Call::Pass { data, to, content } => {
            if let Some(content) = content {
                with((), |context| context.content_comes(data, true, Some(&content)));
            }
            for waiting in all_waiting(to) {
                pass(data, waiting);
            }
            Status::OK
        }
        Call::Promise(event) => {
            let tells = with(false, |context| context.promise(from, event));
            return Some(CallAnswer { value: tells.into(), ..CallAnswer::default() });
        }
        Call::Broken(event) => {
            with((), |context| context.runtime.elsewhere.lock().awaited.broken(event));
            Status::OK
        }
        Call::Return { event, output } => {
            let status = depend((event, 0), output, 0, Mode::Rw);
            if !status.is_ok() {
                if status == Status::EPERM {
                    warning!(
                        "an EDT of node {from} has returned the event {event}, but it takes no more dependences: the EDT's \
                         output event is satisfied with NULL_GUID"
                    );
                }
                // As on one node: what is gone, or is no event, is no data.
                let to = (output, 0, Mode::Null).into();
                let nothing = Call::Pass { data: Guid::NULL, to, content: None };
                outbox::post(from, NodeWork::Call { id: 0, by: None, call: nothing });
            }
            status
        }
        Call::PassValue { to, bytes, .. } => {
            let content = bytes.unwrap_or_default();
            let mut worst = Status::OK;
            for waiting in all_waiting(to) {
                let status = if is_shown(&waiting) { pass_value(&content, waiting) } else { pass(Guid::NULL, waiting) };
                if worst.is_ok() {
                    worst = status;
                }
            }
            worst
        }
        Call::Divide { whole, spans, fixed } => {
            match with(Err(Status::EPERM), |context| context.divide_block(whole, &spans, fixed).map_err(Status::from)) {
                Ok(parts) => return Some(CallAnswer { parts, ..CallAnswer::default() }),
                Err(status) => status,
            }
        }
        Call::Copy(new) => copier::copy_for(from, new),
        Call::Destroy(guid) => destroy(guid),
        Call::DescribeTemplate(_)
        | Call::KernelText { .. }
        | Call::BuildKernels(_)
        | Call::TemplateChanged(_)
        | Call::AddVariants { .. } => return kernels::make(from, id, call),
        Call::CreateEdt(new) => return Some(along::create_for(from, &new)),
        Call::Shutdown => {
            with((), |context| context.runtime.shutdown());
            Status::OK
        }
        Call::Abort(status) => {
            // On a thread of its own: all nodes are to be told, which that of the link does.
            let abort = move || shutdown::abort(status);
            let _ = std::thread::Builder::new().name("ocr-abort".into()).spawn(abort);
            Status::OK
        }
        Call::FindFunction(at) => {
            let home = functions::home_of_address(at as usize);
            let text = home.map(|home| TemplateText {
                function: Some(home),
                name: String::new(),
                paramc: 0,
                depc: 0,
                kernels: 0,
            });
            return Some(CallAnswer { template: text.map(Box::new), ..CallAnswer::default() });
        }
        Call::Report => {
            // A message has room for so much; the first lines say most.
            let mut text = with(String::new(), |context| context.runtime.report_for_node_0());
            let most = (0..=crate::link::LONGEST_MESSAGE / 2).rev().find(|&at| text.is_char_boundary(at));
            text.truncate(most.unwrap_or(0));
            return Some(CallAnswer { text, ..CallAnswer::default() });
        }
        Call::Traffic => {
            let text = serde_json::to_string(&traffic::of_this_node()).unwrap_or_default();
            return Some(CallAnswer { text, ..CallAnswer::default() });
        }
        call => return labels::make(from, id, call),
    };
    Some(answer_of(status))
}

/// All that a message satisfies here, with what this node alone knows of.
fn all_waiting(passed: PassedTo) -> Vec<WaitingSlot> {
    with(Vec::new(), |context| context.all_waiting(passed))
}

/// Satisfies an object of this node with what an event of another one was satisfied with.
fn pass(data: Guid, (destination, slot, mode): WaitingSlot) -> Status {
    let take = |context: &mut Context| Status::from(context.take_passed(data, (destination, slot), mode));
    let status = with(Status::EPERM, take);
    recorded::made(Api::ocrEventSatisfySlot, &[destination.bits(), data.bits(), slot.into()], status);
    status
}

/// Satisfies an object of this node with a content that another one passes on.
fn pass_value(content: &[u8], (destination, slot, mode): WaitingSlot) -> Status {
    with(Status::EPERM, |context| Status::from(context.take_value(content, (destination, slot), mode)))
}

/// An answer that is a status alone.
fn answer_of(status: Status) -> CallAnswer {
    CallAnswer { status: status.number().into(), ..CallAnswer::default() }
}

/// Holds an EDT of this node back for another one: the GUID of its slot, or `NULL_GUID` where it does not wait.
fn held_back(edt: Guid) -> Guid {
    with(None, |context| context.graph().hold_back(edt)).unwrap_or(Guid::NULL)
}

/// Destroys an object of this node for another one.
fn destroy(guid: Guid) -> Status {
    let (api, bits) = if guid.is_data_block() {
        // SAFETY: any bits are accepted as a GUID.
        (Api::ocrDbDestroy, unsafe { sys::ocrDbDestroy(guid.into()) })
    } else if guid.is_edt() {
        // SAFETY: any bits are accepted as a GUID.
        (Api::ocrEdtDestroy, unsafe { sys::ocrEdtDestroy(guid.into()) })
    } else if guid.is_event() {
        // SAFETY: any bits are accepted as a GUID.
        (Api::ocrEventDestroy, unsafe { sys::ocrEventDestroy(guid.into()) })
    } else if guid.kind() == Some(Kind::Range) {
        // SAFETY: any bits are accepted as a GUID.
        (Api::ocrGuidMapDestroy, unsafe { sys::ocrGuidMapDestroy(guid.into()) })
    } else if guid.kind() == Some(Kind::Registered) {
        // SAFETY: any bits are accepted as a GUID.
        (Api::ocrMapDestroy, unsafe { sys::ocrMapDestroy(guid.into()) })
    } else {
        // SAFETY: any bits are accepted as a GUID.
        (Api::ocrEdtTemplateDestroy, unsafe { sys::ocrEdtTemplateDestroy(guid.into()) })
    };
    let status = Status::from_number(bits);
    strict_calls::destroyed(api, guid, status);
    status
}
