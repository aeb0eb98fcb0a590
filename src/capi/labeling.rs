//! The functions of `extensions/ocr-labeling.h`: ranges of labeled GUIDs, and maps.

use super::convert::found;
use crate::abi::Api;
use crate::capi::{guid_place, put, sys, text, with};
use crate::engine::state::context::Context;
use crate::engine::state::user_call;
use crate::object::code::Code;
use crate::object::edt::EdtState;
use crate::object::guid::{Guid, Kind};
use crate::object::range::{LabelBounds, Map, MapFunction};
use crate::object::template::PARAM_DEF;
use crate::status::Status;
use std::cell::Cell;
use std::ffi::c_char;
use std::ptr;
use std::ptr::NonNull;
use sys::{ocrEdt_t, ocrGuid_t, ocrGuidUserKind};

/// `GUID_PROP_IS_LABELED`, a bit that `GUID_PROP_CHECK` and `GUID_PROP_BLOCK` contain.
const LABELED: u16 = sys::GUID_PROP_IS_LABELED;
/// The bits of `GUID_PROP_BLOCK` without [`LABELED`].
const BLOCK: u16 = sys::GUID_PROP_BLOCK & !LABELED;

/// The bits of `GUID_PROP_CHECK` without [`LABELED`].
const CHECK: u16 = sys::GUID_PROP_CHECK & !LABELED;

/// The bits of `EDT_PROP_MAPPED`, `EVT_PROP_MAPPED` and `DB_PROP_MAPPED` without [`LABELED`]. These properties contain
/// [`LABELED`], so that a create function looks at one bit where an object has neither a label nor a creator.
const MAPPED: u16 = sys::EDT_PROP_MAPPED & !LABELED;
const _: () = assert!(sys::EVT_PROP_MAPPED == MAPPED | LABELED);
const _: () = assert!(sys::DB_PROP_MAPPED == MAPPED | LABELED);
const _: () = assert!(MAPPED != 0 && MAPPED & (CHECK | BLOCK) == 0);

/// The distance of two labels of a range.
const SKIP: u64 = 1;

/// The type of the function that `ocrGuidMapCreate` is given, as `bindgen` spells it.
type MapFunc = Option<unsafe extern "C" fn(ocrGuid_t, u64, *mut i64, *mut i64) -> ocrGuid_t>;

thread_local! {
    /// The last GUID that the function of a map has returned on this thread and that is not one of the map's GUIDs.
    /// Strict mode names it.
    pub(super) static WRONG_ANSWER: Cell<Guid> = const { Cell::new(Guid::NULL) };
}

export! {
    /// Reserves `count` GUIDs for tuples, which `function` maps to GUIDs. OCR 1.1.0, B.2.2.1.
    fn ocrGuidMapCreate(
        map: *mut ocrGuid_t,
        paramc: u32,
        function: MapFunc,
        params: *mut i64,
        count: u64,
        kind: ocrGuidUserKind,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: both are pointers to functions of one C type, spelt with types of the same layout.
        let function = unsafe { std::mem::transmute::<MapFunc, Option<MapFunction>>(function) };
        let Some(function) = function else { return Status::EINVAL };
        if paramc != 0 && params.is_null() {
            return Status::EINVAL;
        }
        let params = (0..paramc as usize)
            // SAFETY: `params` is not null where `paramc` is not 0, so the header asks for `paramc` numbers there, and
            // `at` is below that.
            .map(|at| Cell::new(unsafe { params.wrapping_add(at).read() }))
            .collect();
        // SAFETY: the header asks for a valid place.
        unsafe { create_range(map, count, kind, Some(Map { function, params })) }
    }

    /// Reserves `count` GUIDs for the indices from 0. OCR 1.1.0, B.2.2.2.
    fn ocrGuidRangeCreate(range: *mut ocrGuid_t, count: u64, kind: ocrGuidUserKind)
        -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        unsafe { create_range(range, count, kind, None) }
    }

    /// Destroys a map or a range of GUIDs; objects on its GUIDs stay. OCR 1.1.0, B.2.2.3.
    fn ocrGuidMapDestroy(map: ocrGuid_t) -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| found(context.destroy_range(map.into())))
    }

    /// Does nothing and returns `OCR_ENOTSUP`: default maps are not supported. OCR 1.2.
    fn ocrGuidMapSetDefaultMap(
        _paramc: u32,
        _function: MapFunc,
        _params: *mut i64,
        _count: u64,
        _kind: ocrGuidUserKind,
    ) -> u8, or Status::EFAULT; { Status::ENOTSUP }

    /// Writes the GUID of a tuple, which the function of a map finds. OCR 1.1.0, B.2.2.4.
    fn ocrGuidFromLabel(out: *mut ocrGuid_t, map: ocrGuid_t, tuple: *mut i64) -> u8, or Status::EFAULT; {
        if out.is_null() || tuple.is_null() {
            return Status::EINVAL;
        }
        let found = with(Err(Status::EPERM), |context| {
            context.runtime.objects.ranges.map(map.into()).ok_or(Status::EINVAL)
        });
        let (bounds, map) = match found {
            Ok(found) => found,
            Err(status) => return status,
        };
        // SAFETY: the header asks for a valid place and tuple.
        unsafe { put_label_of(out, bounds, &map, tuple) }
    }

    /// Writes the GUID of an index in a range. OCR 1.1.0, B.2.2.5.
    fn ocrGuidFromIndex(out: *mut ocrGuid_t, range: ocrGuid_t, index: u64) -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| {
            let bounds = context.runtime.objects.ranges.bounds(range.into());
            // SAFETY: the header asks for a valid place.
            bounds.map_or(Status::EINVAL, |bounds| unsafe { put_label_at(out, bounds, index) })
        })
    }

    /// Writes the kind of the object that a GUID names now; `OCR_GUID_NONE` where there is none. OCR 1.1.0, B.2.2.6.
    fn ocrGetGuidKind(out: *mut ocrGuidUserKind, guid: ocrGuid_t) -> u8, or Status::EFAULT; {
        if out.is_null() {
            return Status::EINVAL;
        }
        let kind = with(sys::GUID_USER_NONE, |context| kind_of(context, guid.into()));
        // SAFETY: the header asks for a valid place.
        unsafe { put(out, kind) };
        Status::OK
    }

    /// Creates a template on a labeled GUID: `ocrEdtTemplateCreate` has no properties to ask for that. An extension of
    /// this runtime.
    fn ocrEdtTemplateCreateLabeled(
        guid: *mut ocrGuid_t,
        function: ocrEdt_t,
        paramc: u32,
        depc: u32,
        properties: u16,
        name: *const c_char,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(guid) }) else { return Status::EINVAL };
        let Some(function) = super::convert::edt_function(function) else { return Status::EINVAL };
        if paramc == PARAM_DEF || depc == PARAM_DEF || properties & LABELED == 0 {
            return Status::EINVAL;
        }
        // SAFETY: the header asks for null or a C string.
        let name = unsafe { text(name) };
        create(place, properties, Api::ocrEdtTemplateCreateLabeled, |context, label| {
            let templates = &context.runtime.objects.templates;
            if label.is_some_and(|label| label.kind() != Some(Kind::Template)) {
                return Err(Status::EINVAL);
            }
            let work = Code::of_program(function, &name);
            let view = context.runtime.template(work, paramc, depc);
            match label {
                Some(label) => templates.create_on(label, view).map_err(Status::from),
                // The creator of a map has called this: the template has a GUID of its own.
                None => templates.create(&mut context.caches.templates, view).ok_or(Status::ENOMEM),
            }
        })
    }
}

/// Writes the label of an index in a range. Error: `OCR_EINVAL` where there is none, or the labels have a map.
///
/// # Safety
/// `out` is null or valid for a write.
pub(super) unsafe fn put_label_at(out: *mut ocrGuid_t, bounds: LabelBounds, index: u64) -> Status {
    match bounds.at(index).filter(|_| !bounds.mapped && !out.is_null()) {
        Some(guid) => {
            // SAFETY: the caller passes a valid place, or null, which it is not.
            unsafe { put(out, guid.into()) };
            Status::OK
        }
        None => Status::EINVAL,
    }
}

/// Writes the label of a tuple, which the function of a map finds. Error: `OCR_EINVAL` where that is no label of the
/// map.
///
/// # Safety
/// `out` is valid for a write, and `tuple` is what the map's function asks for. No reference to this thread's context
/// is alive.
pub(super) unsafe fn put_label_of(out: *mut ocrGuid_t, bounds: LabelBounds, map: &Map, tuple: *mut i64) -> Status {
    let params = if map.params.is_empty() { ptr::null_mut() } else { map.params.as_ptr().cast_mut().cast() };
    let guid = user_call::call(|| {
        // SAFETY: the function is the program's, and gets what `ocrGuidMapCreate` promises: the first GUID, the
        // distance of two, the map's numbers and the caller's tuple. The function may write to the numbers, which are
        // cells.
        unsafe { (map.function)(bounds.first, SKIP, params, tuple) }
    });
    if !bounds.contains(guid) {
        WRONG_ANSWER.set(guid);
        return Status::EINVAL;
    }
    // SAFETY: the caller passes a valid place.
    unsafe { put(out, guid.into()) };
    Status::OK
}

/// Reserves `count` GUIDs for objects of a kind, and writes the GUID of their range or, with `map`, of their map.
/// Errors: `OCR_EINVAL` for a null `place`, an unknown kind or a `count` of 0, `OCR_ENOMEM`, and `OCR_EPERM` without a
/// runtime.
///
/// # Safety
/// `place` is null or valid for a write.
unsafe fn create_range(place: *mut ocrGuid_t, count: u64, kind: ocrGuidUserKind, map: Option<Map>) -> Status {
    // SAFETY: the caller passes null or a place that is valid for a write during the call.
    let Some(place) = (unsafe { guid_place(place) }) else {
        return Status::EINVAL;
    };
    let kind = match kind {
        sys::GUID_USER_DB => Kind::DataBlock,
        sys::GUID_USER_EDT => Kind::EdtHuge,
        sys::GUID_USER_EDT_TEMPLATE => Kind::Template,
        sys::GUID_USER_EVENT_ONCE
        | sys::GUID_USER_EVENT_COUNTED
        | sys::GUID_USER_EVENT_IDEM
        | sys::GUID_USER_EVENT_STICKY
        | sys::GUID_USER_EVENT_LATCH
        | sys::GUID_USER_EVENT_CHANNEL
        | sys::GUID_USER_EVENT_COLLECTIVE => Kind::Event,
        _ => return Status::EINVAL,
    };
    if count == 0 {
        return Status::EINVAL;
    }
    with(Status::EPERM, |context| match context.create_range(kind, count, map) {
        Some(range) => {
            *place = range;
            Status::OK
        }
        None => Status::ENOMEM,
    })
}

/// The kind of the object that a GUID names now, as a `GUID_USER_` value; `GUID_USER_NONE` where there is none.
pub(super) fn kind_of(context: &Context, guid: Guid) -> ocrGuidUserKind {
    let objects = &context.runtime.objects;
    let kind = match guid.kind() {
        Some(Kind::DataBlock) => objects.data_blocks.can_be_named(guid).then_some(sys::GUID_USER_DB),
        Some(Kind::Template) => objects.templates.view(guid).map(|_| sys::GUID_USER_EDT_TEMPLATE),
        Some(kind) if kind.is_event() => objects.event_kind(guid).map(|kind| {
            // The numbers of `EventKind` are those of `ocrEventTypes_t`.
            match kind as u32 {
                sys::OCR_EVENT_ONCE_T => sys::GUID_USER_EVENT_ONCE,
                sys::OCR_EVENT_IDEM_T => sys::GUID_USER_EVENT_IDEM,
                sys::OCR_EVENT_STICKY_T => sys::GUID_USER_EVENT_STICKY,
                sys::OCR_EVENT_LATCH_T => sys::GUID_USER_EVENT_LATCH,
                sys::OCR_EVENT_COUNTED_T => sys::GUID_USER_EVENT_COUNTED,
                sys::OCR_EVENT_CHANNEL_T => sys::GUID_USER_EVENT_CHANNEL,
                _ => sys::GUID_USER_EVENT_COLLECTIVE,
            }
        }),
        _ => objects
            .edts
            .lock(guid)
            .and_then(|(_, locked)| (locked.word.state() != EdtState::Zombie).then_some(sys::GUID_USER_EDT)),
    };
    kind.unwrap_or(sys::GUID_USER_NONE)
}

/// Whether the properties of a create function say that the caller passes a GUID for the object: a label, or the
/// identifier that a creator was given.
pub(super) fn is_labeled(properties: u16) -> bool {
    properties & LABELED != 0
}

/// Whether the properties have `GUID_PROP_IS_LABELED` with neither `GUID_PROP_CHECK` nor `GUID_PROP_BLOCK`: the program
/// itself sees to it that one call creates the object.
pub(super) fn is_trusting(properties: u16) -> bool {
    properties & (LABELED | CHECK | BLOCK) == LABELED
}

/// Whether the properties say that a call waits until its label is free (`GUID_PROP_BLOCK`).
pub(super) fn is_blocking(properties: u16) -> bool {
    properties & BLOCK != 0
}

/// Whether properties that contain `GUID_PROP_IS_LABELED` say that the creator of a map creates its object.
pub(super) fn is_mapped(properties: u16) -> bool {
    properties & MAPPED != 0
}

/// The label, or the identifier that a creator was given, which `place` has in it if the properties of a create
/// function say so. None if they do not. Error: `OCR_EINVAL` for a null `place`, or an identifier that no running
/// creator was given.
///
/// # Safety
/// `place` is null or valid for a read, with a GUID in it if the properties contain `GUID_PROP_IS_LABELED`.
pub(super) unsafe fn label(place: *mut Guid, properties: u16) -> Result<Option<Guid>, Status> {
    if properties & LABELED == 0 {
        return Ok(None);
    }
    let place = NonNull::new(place).ok_or(Status::EINVAL)?;
    // SAFETY: the place is not null, so it is valid for a read, which the caller promises. With this property there is
    // a GUID in it, and any bits are valid as one.
    let label = unsafe { place.read() };
    with((), |context| context.refuse_label_elsewhere(label));
    if is_mapped(properties) && !with(false, |context| context.is_creating(label)) {
        Err(Status::EINVAL)
    } else {
        Ok(Some(label))
    }
}

/// Runs a creation, again and again where its label is taken and the call is to wait for it.
///
/// With `GUID_PROP_BLOCK` a call waits until the label is free. Without it, a call waits only for a device that has yet
/// to give up a destroyed block, and for a thread that is opening an event on the label.
///
/// A creation that succeeds for a creator's identifier has written its GUID to `made`, which must be valid for a read
/// then.
#[inline]
pub(super) fn create_at(
    context: &mut Context,
    label: Option<Guid>,
    properties: u16,
    call: Api,
    made: *const Guid,
    mut create: impl FnMut(&mut Context) -> Status,
) -> Status {
    loop {
        let status = create(context);
        match label {
            Some(local) if is_mapped(properties) => {
                context.mapped(
                    local,
                    if status.is_ok() {
                        // SAFETY: only `create_edt` comes here, since `create` has `create_mapped` for identifiers of
                        // creators. Its `made` is the place of the label, which is not null and valid as long as the
                        // call. The creation has succeeded, and has written a GUID there.
                        Ok(unsafe { made.read() })
                    } else {
                        Err(status)
                    },
                );
                return status;
            }
            Some(label) if status == Status::EGUIDEXISTS && context.wait_for_opener(label) => {}
            Some(label) if status == Status::EGUIDEXISTS && (is_blocking(properties) || context.is_leaving(label)) => {
                let leaving = !is_blocking(properties);
                if !context.wait_for_label(label, leaving, call) {
                    return Status::ECANCELED;
                }
            }
            // An event was opened when it was created, with the calls that waited for it.
            Some(label) if status.is_ok() && !label.is_event() => {
                context.created_on(label);
                return status;
            }
            _ => return status,
        }
    }
}

/// Runs the creation of an object, and writes its GUID to `place`. If the properties say so, `place` has a label in it
/// before, or the identifier that a creator was given, on which the object is created.
#[inline]
pub(super) fn create(
    place: &mut Guid,
    properties: u16,
    call: Api,
    mut create: impl FnMut(&mut Context, Option<Guid>) -> Result<Guid, Status>,
) -> Status {
    let label = match properties & LABELED {
        0 => None,
        _ if is_mapped(properties) => return create_mapped(place, create),
        _ => Some(*place),
    };
    with(Status::EPERM, |context| {
        if let Some(label) = label {
            context.refuse_label_elsewhere(label);
        }
        create_at(context, label, properties, call, ptr::null(), |context| match create(context, label) {
            Ok(guid) => {
                *place = guid;
                Status::OK
            }
            Err(status) => status,
        })
    })
}

/// Runs the creation of a map's object, for the identifier in `place` that a creator was given, and writes its GUID to
/// `place`. Error: `OCR_EINVAL` for an identifier that no running creator was given.
#[cold]
#[inline(never)]
fn create_mapped(
    place: &mut Guid,
    mut create: impl FnMut(&mut Context, Option<Guid>) -> Result<Guid, Status>,
) -> Status {
    with(Status::EPERM, |context| {
        let local = *place;
        if !context.is_creating(local) {
            return Status::EINVAL;
        }
        let created = create(context, None);
        context.mapped(local, created);
        match created {
            Ok(guid) => {
                *place = guid;
                Status::OK
            }
            Err(status) => status,
        }
    })
}
