//! `ocr-edt.h`: events, templates, EDTs and dependences.

use super::{EFAULT, EINVAL, ENOMEM, ENOTSUP, EPERM, guid_place, status, sys, text, with};
use crate::engine::create::{NotCreated, Output, PARAM_DEF, Request};
use crate::object::edt::{ExplicitRange, Mode};
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::template::TemplateView;
use crate::object::work::{EdtFunction, Work};
use std::ffi::c_char;
use std::ptr::NonNull;
use sys::{ocrEdt_t, ocrEventParams_t, ocrEventTypes_t, ocrGuid_t, ocrHint_t};

const FINISH: u16 = 1;
const OEVT_VALID: u16 = 8;
/// `GUID_PROP_IS_LABELED`, alone or with `CHECK` or `BLOCK`.
pub(super) const LABELED: u16 = 0x100;

export! {
    /// OCR 1.1.0, 2.6.1.
    fn ocrEventCreate(
        guid: *mut ocrGuid_t,
        event_type: ocrEventTypes_t,
        properties: u16,
    ) -> u8, or EFAULT; {
        // SAFETY: the header asks for a valid place.
        unsafe { create_event(guid, event_type, properties, 0) }
    }

    /// OCR 1.1.0, appendix B.3.
    fn ocrEventCreateParams(
        guid: *mut ocrGuid_t,
        event_type: ocrEventTypes_t,
        properties: u16,
        params: *mut ocrEventParams_t,
    ) -> u8, or EFAULT; {
        // SAFETY: the header asks for null or valid parameters.
        let params = unsafe { params.as_ref() };
        let counter = match params {
            // SAFETY: the event type says which member of the union is meant.
            Some(params) if event_type == sys::OCR_EVENT_LATCH_T => unsafe {
                params.__bindgen_anon_1.EVENT_LATCH.counter
            },
            _ => 0,
        };
        // SAFETY: the header asks for a valid place.
        unsafe { create_event(guid, event_type, properties, counter as i64) }
    }

    /// OCR 1.1.0, 2.6.2.
    fn ocrEventDestroy(guid: ocrGuid_t) -> u8, or EFAULT; {
        with(EPERM, |context| {
            status(context.with_graph(|graph| graph.destroy_event(guid.into())))
        })
    }

    /// OCR 1.1.0, 2.6.3.
    fn ocrEventSatisfy(event: ocrGuid_t, data: ocrGuid_t) -> u8, or EFAULT; {
        satisfy(event.into(), data.into(), sys::OCR_EVENT_LATCH_DECR_SLOT)
    }

    /// OCR 1.1.0, 2.6.4.
    fn ocrEventSatisfySlot(event: ocrGuid_t, data: ocrGuid_t, slot: u32) -> u8, or EFAULT; {
        satisfy(event.into(), data.into(), slot)
    }

    /// OCR 1.1.0, 2.7.1; the name is for messages and reports.
    fn ocrEdtTemplateCreate_internal(
        guid: *mut ocrGuid_t,
        function: ocrEdt_t,
        paramc: u32,
        depc: u32,
        name: *const c_char,
    ) -> u8, or EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(guid) }) else { return EINVAL };
        let Some(function) = edt_function(function) else { return EINVAL };
        // SAFETY: the header asks for null or a C string.
        let name = match unsafe { text(name) } {
            name if name.is_empty() => format!("{:p}", function as *const ()),
            name => name,
        };
        create_template(place, Work::of_function(function, &name), paramc, depc)
    }

    /// OCR 1.1.0, 2.7.2.
    fn ocrEdtTemplateDestroy(guid: ocrGuid_t) -> u8, or EFAULT; {
        with(EPERM, |context| {
            let templates = &context.runtime.objects.templates;
            match templates.destroy(&mut context.caches.templates, guid.into()) {
                true => 0,
                false => EINVAL,
            }
        })
    }

    /// OCR 1.1.0, 2.7.3.
    fn ocrEdtCreate(
        guid: *mut ocrGuid_t,
        template: ocrGuid_t,
        paramc: u32,
        paramv: *mut u64,
        depc: u32,
        depv: *mut ocrGuid_t,
        properties: u16,
        _hint: *mut ocrHint_t,
        output: *mut ocrGuid_t,
    ) -> u8, or EFAULT; {
        // SAFETY: the header asks for valid arrays and places, or null.
        unsafe { create_edt(guid, template, (paramc, paramv), (depc, depv), properties, None, output) }
    }

    /// OCR 1.1.0, 2.7.4.
    fn ocrEdtDestroy(guid: ocrGuid_t) -> u8, or EFAULT; {
        with(EPERM, |context| status(context.destroy_edt(guid.into())))
    }

    /// OCR 1.1.0, 2.8.1.
    fn ocrAddDependence(
        source: ocrGuid_t,
        destination: ocrGuid_t,
        slot: u32,
        mode: sys::ocrDbAccessMode_t,
    ) -> u8, or EFAULT; {
        add_dependence(source, destination, slot, mode)
    }

    /// OCR 1.2. Of the events there are, each has one post-slot.
    fn ocrAddDependenceSlot(
        source: ocrGuid_t,
        source_slot: u32,
        destination: ocrGuid_t,
        slot: u32,
        mode: sys::ocrDbAccessMode_t,
    ) -> u8, or EFAULT; {
        match source_slot {
            0 => add_dependence(source, destination, slot, mode),
            _ => EINVAL,
        }
    }
}

fn add_dependence(
    source: ocrGuid_t,
    destination: ocrGuid_t,
    slot: u32,
    mode: sys::ocrDbAccessMode_t,
) -> u8 {
    let Some(mode) = Mode::from_bits(mode) else {
        return EINVAL;
    };
    with(EPERM, |context| {
        status(context.with_graph(|graph| {
            graph.add_dependence(source.into(), destination.into(), slot, mode)
        }))
    })
}

/// # Safety
/// `guid` is null or valid for a write.
unsafe fn create_event(
    guid: *mut ocrGuid_t,
    event_type: ocrEventTypes_t,
    properties: u16,
    counter: i64,
) -> u8 {
    if properties & LABELED != 0 {
        return ENOTSUP;
    }
    // SAFETY: by the contract.
    let Some(place) = (unsafe { guid_place(guid) }) else {
        return EINVAL;
    };
    let Some(kind) = EventKind::from_bits(event_type) else {
        return EINVAL;
    };
    with(EPERM, |context| {
        let events = &context.runtime.objects.events;
        match events.create(&mut context.caches.events, kind, counter) {
            Some(event) => {
                *place = event;
                0
            }
            None => ENOMEM,
        }
    })
}

fn satisfy(event: Guid, data: Guid, slot: u32) -> u8 {
    if slot > 1 || !data.is_null() && !data.is_data_block() {
        return EINVAL;
    }
    if event.is_null() && data.is_null() {
        // Programs do this; there is nothing to do.
        return 0;
    }
    let increment = slot == sys::OCR_EVENT_LATCH_INCR_SLOT;
    with(EPERM, |context| {
        status(context.with_graph(|graph| {
            graph.check_source(data)?;
            graph.satisfy_event(event, increment, data)
        }))
    })
}

/// The function that the program gave, as the engine calls it.
pub(super) fn edt_function(function: ocrEdt_t) -> Option<EdtFunction> {
    // SAFETY: both are pointers to functions of one C type, spelt with types of the same layout.
    unsafe { std::mem::transmute::<ocrEdt_t, Option<EdtFunction>>(function) }
}

/// Creates a template and writes its GUID.
pub(super) fn create_template(place: &mut Guid, work: Work, paramc: u32, depc: u32) -> u8 {
    if paramc == PARAM_DEF || depc == PARAM_DEF {
        return EINVAL;
    }
    with(EPERM, |context| {
        let objects = &context.runtime.objects;
        let work = objects.works.intern(work);
        let view = TemplateView { paramc, depc, work };
        match objects
            .templates
            .create(&mut context.caches.templates, view)
        {
            Some(template) => {
                *place = template;
                0
            }
            None => ENOMEM,
        }
    })
}

/// # Safety
/// The pointers are as `ocrEdtCreate` wants them.
pub(super) unsafe fn create_edt(
    guid: *mut ocrGuid_t,
    template: ocrGuid_t,
    (paramc, paramv): (u32, *mut u64),
    (depc, depv): (u32, *mut ocrGuid_t),
    properties: u16,
    range: Option<ExplicitRange>,
    output: *mut ocrGuid_t,
) -> u8 {
    if properties & LABELED != 0 {
        return ENOTSUP;
    }
    let request = Request {
        template: template.into(),
        paramc,
        paramv,
        depc,
        depv: depv.cast(),
        finish: properties & FINISH != 0,
        range,
        guid: NonNull::new(guid.cast()),
        output: match output.is_null() {
            true => Output::None,
            // SAFETY: by the contract; with this property an event stands there.
            false if properties & OEVT_VALID != 0 => Output::Given(unsafe { *output }.into()),
            false => NonNull::new(output.cast()).map_or(Output::None, Output::New),
        },
    };
    let Some(created) = with(None, |context| Some(context.create_edt(request))) else {
        return EPERM;
    };
    match created {
        Ok(()) => 0,
        Err(NotCreated::NoTemplate) => EINVAL,
        Err(NotCreated::Arguments(why)) => {
            eprintln!("ocr: warning: ocrEdtCreate: no EDT was created: {why}");
            EINVAL
        }
        Err(NotCreated::Anonymous) => EPERM,
        Err(NotCreated::Dependence(_)) => EINVAL,
        Err(NotCreated::OutOfMemory) => ENOMEM,
    }
}
