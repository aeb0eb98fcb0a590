//! `extensions/ocr-map-creator.h`: maps whose objects are created when they are first asked for.

use super::convert::found;
use crate::capi::{elsewhere, guid_place, put, sys, with};
use crate::engine::calls::maps::{MapAnswer, MapError};
use crate::engine::state::user_call;
use crate::object::guid::{Guid, Kind};
use crate::object::map::{Creator, CreatorMap};
use crate::status::Status;
use std::cell::Cell;
use sys::{ocrCreator_t, ocrGuid_t};

export! {
    /// What an identifier is: a GUID, the identifier that a creator was given, or neither. OCR-Vx.
    fn ocrGetIdType(id: ocrGuid_t) -> sys::ocrIdType, or sys::OCR_ID_UNK; {
        match Guid::from(id) {
            Guid::NULL => sys::OCR_ID_GUID,
            id => match id.kind() {
                Some(Kind::Local) => sys::OCR_ID_LID,
                Some(_) => sys::OCR_ID_GUID,
                None => sys::OCR_ID_UNK,
            },
        }
    }

    /// Writes the GUID of the object that an identifier names. OCR-Vx.
    fn ocrGetGuid(guid: *mut ocrGuid_t, source: ocrGuid_t) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(guid) }) else { return Status::EINVAL };
        let source = Guid::from(source);
        *place = match source.kind() {
            Some(Kind::Local) => {
                match with(None, |context| context.runtime.objects.creations.object(source)) {
                    Some(Some(object)) => object,
                    Some(None) => return Status::EPEND,
                    None => return Status::EINVAL,
                }
            }
            None if !source.is_null() => return Status::EINVAL,
            _ => source,
        };
        Status::OK
    }

    /// Creates a map of `size` objects, which `creator` creates when they are first asked for. OCR-Vx.
    fn ocrMapCreate(
        map: *mut ocrGuid_t,
        size: u64,
        creator: ocrCreator_t,
        paramc: u32,
        paramv: *mut u64,
        guidc: u32,
        guidv: *mut ocrGuid_t,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(map) }) else { return Status::EINVAL };
        // SAFETY: both are pointers to functions of one C type, spelt with types of the same layout.
        let creator = unsafe { std::mem::transmute::<ocrCreator_t, Option<Creator>>(creator) };
        let Some(creator) = creator else { return Status::EINVAL };
        let missing = paramc != 0 && paramv.is_null() || guidc != 0 && guidv.is_null();
        if size == 0 || missing {
            return Status::EINVAL;
        }
        let params = (0..paramc as usize)
            // SAFETY: `paramv` is not null where `paramc` is not 0, so the header asks for `paramc` numbers there, and
            // `at` is below that.
            .map(|at| Cell::new(unsafe { paramv.wrapping_add(at).read() }));
        let guids = (0..guidc as usize)
            // SAFETY: `guidv` is not null where `guidc` is not 0, so the header asks for `guidc` GUIDs there, and `at`
            // is below that.
            .map(|at| Cell::new(Guid::from(unsafe { guidv.wrapping_add(at).read() })));
        let Some(map) = CreatorMap::new(creator, size, params.collect(), guids.collect()) else {
            return Status::ENOMEM;
        };
        with(Status::EPERM, |context| match context.create_map(map) {
            Some(guid) => {
                *place = guid;
                Status::OK
            }
            None => Status::ENOMEM,
        })
    }

    /// Destroys a map; its objects stay. OCR-Vx.
    fn ocrMapDestroy(map: ocrGuid_t) -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| found(context.destroy_map(map.into())))
    }

    /// Writes the GUID of a map's object by its index from 0. The first call for an index runs the creator. OCR-Vx.
    fn ocrMapGet(lid: *mut ocrGuid_t, map: ocrGuid_t, index: u64) -> u8, or Status::EFAULT; {
        if lid.is_null() {
            return Status::EINVAL;
        }
        let asked = with(None, |context| Some(context.ask_map(map.into(), index)));
        let Some(asked) = asked else { return Status::EPERM };
        let answer = asked.and_then(|asked| match asked {
            MapAnswer::Object(object) => Ok(object),
            MapAnswer::Create(map, local) => {
                user_call::call(|| {
                    // SAFETY: the creator calls functions of the interface, which borrow the context of this thread. It
                    // is not borrowed here, since `with` has returned.
                    unsafe { map.create(local, index) }
                });
                elsewhere::settle();
                with(Err(MapError::Ending), |context| context.end_creation(local))
            }
        });
        match answer {
            Ok(object) => {
                // SAFETY: the header asks for a valid place.
                unsafe { put(lid, object.into()) };
                Status::OK
            }
            Err(why) => why.into(),
        }
    }
}
