//! `extensions/ocr-map-creator.h`: maps whose objects are created when they are first asked for.

use super::convert::found;
use crate::capi::{guid_place, put, sys, with};
use crate::engine::calls::maps::{Asked, MapError};
use crate::engine::state::user_call;
use crate::object::guid::{Guid, Kind};
use crate::object::map::{Creator, CreatorMap};
use crate::status::Status;
use std::cell::Cell;
use sys::{ocrCreator_t, ocrGuid_t};

export! {
    /// OCR-Vx: what an identifier is.
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

    /// OCR-Vx: the GUID of what an identifier names.
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

    /// OCR-Vx: makes a map, whose objects its creator creates.
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
            // SAFETY: the header asks for `paramc` numbers.
            .map(|at| Cell::new(unsafe { paramv.wrapping_add(at).read() }));
        let guids = (0..guidc as usize)
            // SAFETY: the header asks for `guidc` GUIDs.
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

    /// OCR-Vx: a map goes, its objects stay.
    fn ocrMapDestroy(map: ocrGuid_t) -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| found(context.destroy_map(map.into())))
    }

    /// OCR-Vx: the object of an index, created now if it was not yet.
    fn ocrMapGet(lid: *mut ocrGuid_t, map: ocrGuid_t, index: u64) -> u8, or Status::EFAULT; {
        if lid.is_null() {
            return Status::EINVAL;
        }
        let asked = with(None, |context| Some(context.ask_map(map.into(), index)));
        let Some(asked) = asked else { return Status::EPERM };
        let answer = asked.and_then(|asked| match asked {
            Asked::Object(object) => Ok(object),
            Asked::Create(map, local) => {
                user_call::call(|| {
                    // SAFETY: the context is not borrowed: this is called from C.
                    unsafe { map.create(local, index) }
                });
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
