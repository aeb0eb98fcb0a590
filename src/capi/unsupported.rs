//! Headers of OCR-Vx whose functions this runtime does not have: `extensions/ocr-file.h`,
//! `ocr-map-creator.h`. Programs that mention them can be built, and are told.

use super::{EFAULT, EINVAL, ENOTSUP, put, sys};
use crate::object::guid::Guid;
use std::ffi::{c_char, c_void};
use sys::ocrGuid_t;

export! {
    /// Not supported.
    fn ocrFileOpen(
        _file: *mut ocrGuid_t,
        _path: *const c_char,
        _mode: *const c_char,
        _descriptor: *mut ocrGuid_t,
        _properties: u32,
    ) -> u8, or EFAULT; { ENOTSUP }

    /// Not supported.
    fn ocrFileRelease(_file: ocrGuid_t) -> u8, or EFAULT; { ENOTSUP }

    /// Not supported.
    fn ocrFileGetChunk(
        _chunk: *mut ocrGuid_t,
        _file: ocrGuid_t,
        _offset: u64,
        _size: u64,
    ) -> u8, or EFAULT; { ENOTSUP }

    /// There are no descriptors.
    fn ocrFileGetGuid(_descriptor: *mut c_void) -> ocrGuid_t, or Guid::ERROR.into(); {
        Guid::ERROR.into()
    }

    /// There are no descriptors.
    fn ocrFileGetSize(_descriptor: *mut c_void) -> u64, or 0; { 0 }

    /// Every identifier is a GUID.
    fn ocrGetIdType(_id: ocrGuid_t) -> sys::ocrIdType, or sys::OCR_ID_GUID; { sys::OCR_ID_GUID }

    /// Every identifier is a GUID.
    fn ocrGetGuid(guid: *mut ocrGuid_t, source: ocrGuid_t) -> u8, or EFAULT; {
        if guid.is_null() {
            return EINVAL;
        }
        // SAFETY: the header asks for a valid place.
        unsafe { put(guid, source) };
        0
    }

    /// Not supported.
    fn ocrMapCreate(
        _map: *mut ocrGuid_t,
        _size: u64,
        _creator: sys::ocrCreator_t,
        _paramc: u32,
        _paramv: *mut u64,
        _guidc: u32,
        _guidv: *mut ocrGuid_t,
    ) -> u8, or EFAULT; { ENOTSUP }

    /// Not supported.
    fn ocrMapDestroy(_map: ocrGuid_t) -> u8, or EFAULT; { ENOTSUP }

    /// Not supported.
    fn ocrMapGet(_lid: *mut ocrGuid_t, _map: ocrGuid_t, _index: u64) -> u8, or EFAULT; { ENOTSUP }
}
