//! `ocr-edt.h`: events, templates, EDTs and dependences.

use super::convert::{edt_function, found};
use crate::abi::Api;
use crate::capi::{guid_place, hints, labeling, sys, text, with};
use crate::engine::life::create_request::{CreateError, EdtRequest, LabelRequest, Output, warn_no_edt};
use crate::engine::nodes::{functions, outbox};
use crate::engine::state::context::Context;
use crate::object::code::Code;
use crate::object::collective::{CollectiveParams, UNBOUNDED};
use crate::object::edt::{ExplicitRange, Mode};
use crate::object::event::{EventKind, NewEvent};
use crate::object::guid::Guid;
use crate::object::hints::HintSet;
use crate::object::link::MAX_SLOTS;
use crate::object::reduction::Operator;
use crate::object::template::{PARAM_DEF, PARAM_UNK};
use crate::status::Status;
use std::ffi::c_char;
use std::ptr::NonNull;
use sys::{ocrEdt_t, ocrEventParams_t, ocrEventTypes_t, ocrGuid_t, ocrHint_t};

pub(super) const FINISH: u16 = sys::EDT_PROP_FINISH;
pub(super) const OEVT_VALID: u16 = sys::EDT_PROP_OEVT_VALID;

export! {
    /// Creates an event. OCR 1.1.0, 2.6.1.
    fn ocrEventCreate(
        guid: *mut ocrGuid_t,
        event_type: ocrEventTypes_t,
        properties: u16,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        unsafe { create_event(guid, event_type, properties, None) }
    }

    /// Creates an event with parameters, such as the counter of a latch event. OCR 1.1.0, appendix B.3.
    fn ocrEventCreateParams(
        guid: *mut ocrGuid_t,
        event_type: ocrEventTypes_t,
        properties: u16,
        params: *mut ocrEventParams_t,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for null or valid parameters.
        let params = unsafe { params.as_ref() };
        // SAFETY: the header asks for a valid place.
        unsafe { create_event(guid, event_type, properties, params) }
    }

    /// Destroys an event. OCR 1.1.0, 2.6.2.
    fn ocrEventDestroy(guid: ocrGuid_t) -> u8, or Status::EFAULT; { destroy_event(guid.into()) }

    /// Satisfies an event; of a latch event, its decrement slot. OCR 1.1.0, 2.6.3.
    fn ocrEventSatisfy(event: ocrGuid_t, data: ocrGuid_t) -> u8, or Status::EFAULT; {
        satisfy_slot(event, data, sys::OCR_EVENT_LATCH_DECR_SLOT)
    }

    /// Satisfies a pre-slot of an event. OCR 1.1.0, 2.6.4.
    fn ocrEventSatisfySlot(event: ocrGuid_t, data: ocrGuid_t, slot: u32) -> u8, or Status::EFAULT; {
        satisfy_slot(event, data, slot)
    }

    /// Creates a template without a name. OCR 1.1.0, 2.7.1. C programs call a macro of this name, which passes the name
    /// of the function to `ocrEdtTemplateCreate_internal`.
    fn ocrEdtTemplateCreate(
        guid: *mut ocrGuid_t,
        function: ocrEdt_t,
        paramc: u32,
        depc: u32,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(guid) }) else { return Status::EINVAL };
        let Some(function) = edt_function(function) else { return Status::EINVAL };
        create_template(place, Code::of_program(functions::meant(function), ""), paramc, depc)
    }

    /// Creates a template whose EDTs messages and reports call by `name`. OCR 1.1.0, 2.7.1.
    fn ocrEdtTemplateCreate_internal(
        guid: *mut ocrGuid_t,
        function: ocrEdt_t,
        paramc: u32,
        depc: u32,
        name: *const c_char,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(guid) }) else { return Status::EINVAL };
        let Some(function) = edt_function(function) else { return Status::EINVAL };
        // SAFETY: the header asks for null or a C string.
        let name = unsafe { text(name) };
        create_template(place, Code::of_program(functions::meant(function), &name), paramc, depc)
    }

    /// Destroys a template. OCR 1.1.0, 2.7.2.
    fn ocrEdtTemplateDestroy(guid: ocrGuid_t) -> u8, or Status::EFAULT; { destroy_template(guid.into()) }

    /// Creates an EDT. OCR 1.1.0, 2.7.3.
    fn ocrEdtCreate(
        guid: *mut ocrGuid_t,
        template: ocrGuid_t,
        paramc: u32,
        paramv: *mut u64,
        depc: u32,
        depv: *mut ocrGuid_t,
        properties: u16,
        hint: *mut ocrHint_t,
        output: *mut ocrGuid_t,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for null or a valid hint.
        let hints = unsafe { hints::given(hint, sys::OCR_HINT_EDT_T) };
        let more = More { range: None, hints: hints.as_ref() };
        // SAFETY: the header asks for valid arrays and places, or null.
        unsafe { create_edt(guid, template, (paramc, paramv), (depc, depv), properties, more, output) }
    }

    /// Destroys an EDT that is not runnable, and its output event. OCR 1.1.0, 2.7.4.
    fn ocrEdtDestroy(guid: ocrGuid_t) -> u8, or Status::EFAULT; { destroy_edt(guid.into()) }

    /// Connects an event, or a data block, with a pre-slot of an EDT or an event. OCR 1.1.0, 2.8.1.
    fn ocrAddDependence(
        source: ocrGuid_t,
        destination: ocrGuid_t,
        slot: u32,
        mode: sys::ocrDbAccessMode_t,
    ) -> u8, or Status::EFAULT; {
        add_dependence(source, 0, destination, slot, mode)
    }

    /// Connects one post-slot of a collective event with a pre-slot. OCR 1.2, several output slots.
    fn ocrAddDependenceSlot(
        source: ocrGuid_t,
        source_slot: u32,
        destination: ocrGuid_t,
        slot: u32,
        mode: sys::ocrDbAccessMode_t,
    ) -> u8, or Status::EFAULT; {
        add_dependence(source, source_slot, destination, slot, mode)
    }
}

#[inline]
pub(super) fn add_dependence(
    source: ocrGuid_t,
    source_slot: u32,
    destination: ocrGuid_t,
    slot: u32,
    mode: sys::ocrDbAccessMode_t,
) -> Status {
    let (source, destination) = (Guid::from(source), Guid::from(destination));
    let Some(mode) = mode_for(destination, mode) else {
        return Status::EINVAL;
    };
    with(Status::EPERM, |context| {
        if source.is_null() && destination.is_null() {
            return note_nothing(context, Api::ocrAddDependence);
        }
        Status::from(context.ask_graph(|graph| graph.add_dependence_slot(source, source_slot, destination, slot, mode)))
    })
}

/// The mode of a dependence, from its bits. None for bits that are no mode, where the destination is an EDT. An event
/// uses no mode, so any bits are accepted for it (OCR 1.1.0, 2.8.1).
pub(super) fn mode_for(destination: Guid, mode: sys::ocrDbAccessMode_t) -> Option<Mode> {
    let unused = (!destination.is_edt()).then_some(Mode::Null);
    Mode::from_bits(mode).or(unused)
}

/// Records that a call was given `NULL_GUID` alone and does nothing. Programs do this, but if one hangs, it may be the
/// reason.
#[cold]
fn note_nothing(context: &Context, call: Api) -> Status {
    let describe = || format!("{}, in {}", call.shown(), context.who());
    context.runtime.registry.nothing.add(describe);
    Status::OK
}

/// The description of an event of this kind, from its parameters. The error is the status of the call where parameters
/// are missing or out of range.
#[inline]
pub(super) fn new_event(kind: EventKind, params: Option<&ocrEventParams_t>) -> Result<NewEvent, Status> {
    let params = params.map(|params| &params.__bindgen_anon_1);
    match kind {
        EventKind::Counted => {
            // SAFETY: the kind says which member of the union is meant.
            let dependences = params.map_or(0, |params| unsafe { params.EVENT_COUNTED.nbDeps });
            match dependences {
                0 => Err(Status::EINVAL),
                dependences => Ok(NewEvent::Counted { dependences }),
            }
        }
        EventKind::Channel => {
            let Some(params) = params else {
                return Ok(NewEvent::Channel { bound: UNBOUNDED });
            };
            // SAFETY: the kind says which member of the union is meant.
            let params = unsafe { &params.EVENT_CHANNEL };
            match (params.nbSat, params.nbDeps, params.maxGen) {
                (1, 1, bound) if bound != 0 => Ok(NewEvent::Channel { bound }),
                _ => Err(Status::EINVAL),
            }
        }
        EventKind::Collective => {
            // SAFETY: the kind says which member of the union is meant.
            let params = unsafe { &params.ok_or(Status::EINVAL)?.EVENT_COLLECTIVE };
            collective_params(params).map(NewEvent::Collective)
        }
        kind => {
            let params = params.filter(|_| kind == EventKind::Latch);
            // SAFETY: the kind says which member of the union is meant.
            let counter = params.map_or(0, |params| unsafe { params.EVENT_LATCH.counter }) as i64;
            Ok(NewEvent::Plain { kind, counter })
        }
    }
}

pub(super) fn collective_params(params: &sys::ocrEventCollectiveParams_t) -> Result<CollectiveParams, Status> {
    let reuse = (&raw const params.reuseDbPerGen).cast::<u8>();
    let all = CollectiveParams {
        bound: params.maxGen,
        contributors: params.nbContribs,
        contributors_here: params.nbContribsPd,
        elements: params.nbDatum,
        arity: params.arity,
        operator: Operator::from_bits(params.op).ok_or(Status::EINVAL)?,
        // SAFETY: `reuse` is the address of a member of `params`, a valid reference, and so valid for a read. A `u8`
        // has any bits, where the program may have stored something that is no `bool`.
        reuse: unsafe { reuse.read() } != 0,
    };
    let in_range = 1..=all.contributors;
    if all.bound == 0 || all.elements == 0 || !in_range.contains(&all.contributors_here) {
        return Err(Status::EINVAL);
    }
    match params.type_ {
        sys::COL_ALLREDUCE => Ok(all),
        sys::COL_REDUCE | sys::COL_BROADCAST => Err(Status::ENOTSUP),
        _ => Err(Status::EINVAL),
    }
}

/// # Safety
/// `guid` is null or valid for a write.
unsafe fn create_event(
    guid: *mut ocrGuid_t,
    event_type: ocrEventTypes_t,
    properties: u16,
    params: Option<&ocrEventParams_t>,
) -> Status {
    // SAFETY: the caller passes null or a place that is valid for a write during the call.
    let Some(place) = (unsafe { guid_place(guid) }) else {
        return Status::EINVAL;
    };
    let Some(kind) = EventKind::from_bits(event_type) else {
        return Status::EINVAL;
    };
    let call = match params {
        None => Api::ocrEventCreate,
        Some(_) => Api::ocrEventCreateParams,
    };
    let (kind, counter) = match new_event(kind, params) {
        Ok(NewEvent::Plain { kind, counter }) if !labeling::is_labeled(properties) => (kind, counter),
        Ok(new) => return create_other_event(place, properties, new, call),
        Err(status) => return status,
    };
    with(Status::EPERM, |context| {
        let events = &context.runtime.objects.events;
        match events.create_plain(&mut context.caches.events, kind, counter) {
            Some(event) => {
                *place = event;
                Status::OK
            }
            None => Status::ENOMEM,
        }
    })
}

/// Creates an event on a label, on which no other creates if it is the creator's `alone`.
pub(super) fn labeled_event(
    context: &mut Context,
    (label, alone): (Guid, bool),
    new: NewEvent,
    call: Api,
) -> Result<Guid, Status> {
    let (runtime, events) = (context.runtime, &context.runtime.objects.events);
    match (events.create_on(label, new, || runtime.deferred.has(label)).map_err(Status::from), new) {
        // Each contributor to a collective event may create it, without asking whether another one has.
        (Err(Status::EGUIDEXISTS), NewEvent::Collective(params)) if alone => {
            if events.join(label, params) {
                Ok(label)
            } else {
                Err(Status::EINVAL)
            }
        }
        (created, _) => created.inspect(|_| context.open(label, call)),
    }
}

/// Creates an event that has a label, or that is counted, a channel or collective.
#[cold]
fn create_other_event(place: &mut Guid, properties: u16, new: NewEvent, call: Api) -> Status {
    labeling::create(place, properties, call, |context, label| {
        let events = &context.runtime.objects.events;
        match label {
            None => events.create(&mut context.caches.events, new).ok_or(Status::ENOMEM),
            Some(label) => labeled_event(context, (label, labeling::is_trusting(properties)), new, call),
        }
    })
}

pub(super) fn satisfy(event: Guid, data: Guid, slot: u32) -> Status {
    if slot > 1 || !data.is_null() && !data.is_data_block() {
        return Status::EINVAL;
    }
    if event.is_null() && data.is_null() {
        return with(Status::EPERM, |context| note_nothing(context, Api::ocrEventSatisfy));
    }
    let increment = slot == sys::OCR_EVENT_LATCH_INCR_SLOT;
    with(Status::EPERM, |context| {
        let by = context.current_work();
        Status::from(context.ask_graph(|graph| graph.satisfy_event_with(event, increment, data, by)))
    })
}

/// Destroys an event. Error: `OCR_EINVAL` where the GUID names none.
pub(super) fn destroy_event(event: Guid) -> Status {
    with(Status::EPERM, |context| {
        let destroyed = context.with_graph(|graph| graph.destroy_event(event));
        Status::from(destroyed.inspect(|()| {
            context.unmap(event);
            if outbox::is_open() {
                context.break_promises(event);
            }
        }))
    })
}

/// Destroys an EDT that is not runnable. Errors: `OCR_EINVAL` where the GUID names none, `OCR_EPERM` where it is.
pub(super) fn destroy_edt(edt: Guid) -> Status {
    with(Status::EPERM, |context| {
        let destroyed = context.destroy_edt(edt);
        Status::from(destroyed.inspect(|()| context.unmap(edt)))
    })
}

pub(super) fn satisfy_slot(event: ocrGuid_t, data: ocrGuid_t, slot: u32) -> Status {
    if Guid::from(event).is_edt() { satisfy_edt(data, event, slot) } else { satisfy(event.into(), data.into(), slot) }
}

/// Satisfies a pre-slot of an EDT, to which nothing is connected, with a data block or with `NULL_GUID`.
#[cold]
fn satisfy_edt(data: ocrGuid_t, edt: ocrGuid_t, slot: u32) -> Status {
    let guid = Guid::from(data);
    if guid.is_null() || guid.is_data_block() {
        add_dependence(data, 0, edt, slot, sys::DB_MODE_RW)
    } else {
        Status::EINVAL
    }
}

/// Creates a template and writes its GUID to `place`. Errors: `OCR_EINVAL` where a number is `EDT_PARAM_DEF`,
/// `OCR_ENOMEM`.
pub(super) fn create_template(place: &mut Guid, work: Code, paramc: u32, depc: u32) -> Status {
    if paramc == PARAM_DEF || depc == PARAM_DEF {
        return Status::EINVAL;
    }
    with(Status::EPERM, |context| {
        let view = context.runtime.template(work, paramc, depc);
        match context.runtime.objects.templates.create(&mut context.caches.templates, view) {
            Some(template) => {
                *place = template;
                Status::OK
            }
            None => Status::ENOMEM,
        }
    })
}

/// Destroys a template. Error: `OCR_EINVAL` where the GUID names none.
pub(super) fn destroy_template(template: Guid) -> Status {
    with(Status::EPERM, |context| {
        let templates = &context.runtime.objects.templates;
        let destroyed = templates.destroy(&mut context.caches.templates, template);
        if let Some(work) = destroyed {
            context.unmap(template);
            context.release_kernels(work);
        }
        found(destroyed.is_some())
    })
}

/// Arguments of a call that creates an EDT which not every such function has.
pub(super) struct More<'a> {
    /// The index space that the call was given, for a template with kernels.
    pub range: Option<&'a ExplicitRange>,
    /// The hints that the call was given.
    pub hints: Option<&'a HintSet>,
}

/// The dependences that a new EDT of a template is given; none for null.
///
/// # Safety
/// `depv` is null, or has as many elements as `depc` and the template say.
pub(super) unsafe fn depv_of(template: Guid, depc: u32, depv: *const Guid) -> Vec<Guid> {
    let of_template = || with(None, |context| context.runtime.objects.templates.view(template).map(|view| view.depc));
    let count = match depc {
        PARAM_DEF => of_template().filter(|&count| count != PARAM_UNK).unwrap_or(0),
        count => count,
    };
    if depv.is_null() || count == 0 || count >= MAX_SLOTS {
        return Vec::new();
    }
    // SAFETY: `depv` is not null, so the caller promises that it has so many elements.
    unsafe { std::slice::from_raw_parts(depv, count as usize) }.to_vec()
}

/// Creates an EDT for each of the functions that do so.
///
/// # Safety
/// The pointers are as the header asks for those of `ocrEdtCreate`.
pub(super) unsafe fn create_edt(
    guid: *mut ocrGuid_t,
    template: ocrGuid_t,
    (paramc, paramv): (u32, *mut u64),
    (depc, depv): (u32, *mut ocrGuid_t),
    properties: u16,
    more: More<'_>,
    output: *mut ocrGuid_t,
) -> Status {
    // SAFETY: the caller passes null or a place for a GUID, which has one in it where the properties say that there
    // is a label.
    let label = match unsafe { labeling::label(guid.cast(), properties) } {
        Ok(label) => label,
        Err(status) => return status,
    };
    let (on_label, depv) = match label {
        None => (None, depv),
        Some(_) if labeling::is_mapped(properties) => (None, depv),
        // The depv of a labeled EDT is not used, since several callers may try to create the EDT.
        Some(guid) => {
            let alone = labeling::is_trusting(properties);
            (Some(LabelRequest { guid, alone, is_made: false }), std::ptr::null_mut())
        }
    };
    let request = EdtRequest {
        template: template.into(),
        paramc,
        paramv,
        depc,
        depv: depv.cast(),
        finish: properties & FINISH != 0,
        range: more.range,
        hints: more.hints,
        guid: NonNull::new(guid.cast()),
        label: on_label,
        output: match output.is_null() {
            true => Output::None,
            // SAFETY: `output` is not null, so the caller passes a valid place. With this property the caller has put
            // the GUID of an event there, so it is initialized.
            false if properties & OEVT_VALID != 0 => Output::Given(unsafe { *output }.into()),
            false => NonNull::new(output.cast()).map_or(Output::None, Output::New),
        },
    };
    with(Status::EPERM, |context| {
        let made = guid.cast();
        labeling::create_at(context, label, properties, Api::ocrEdtCreate, made, |context| {
            let created = context.create_edt(&request);
            edt_status(context, created)
        })
    })
}

/// The status of a call that was to create an EDT. Where it has not, and programs mostly do not look at the status,
/// this says so, or sees to it that the exit status does.
#[inline]
pub(super) fn edt_status(context: &Context, created: Result<(), CreateError>) -> Status {
    match &created {
        Err(CreateError::Arguments(why)) => warn_no_edt(context, why),
        Err(CreateError::Parameters) => context.runtime.end.edt_missing(),
        _ => {}
    }
    created.into()
}
