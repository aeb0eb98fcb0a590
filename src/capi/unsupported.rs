//! Headers of OCR-Vx whose functions this runtime does not have: `extensions/ocr-db-by-value.h`,
//! `ocr-db-partitioning.h`, `ocr-file.h`. Programs that mention them can be built, and are told.

use super::{EFAULT, ENOTSUP, sys};
use crate::object::guid::Guid;
use std::ffi::{c_char, c_void};
use sys::ocrGuid_t;

export! {
    /// Not supported.
    fn ocrAddDependenceByValue(
        _source: ocrGuid_t,
        _destination: ocrGuid_t,
        _slot: u32,
        _mode: sys::ocrDbAccessMode_t,
    ) -> u8, or EFAULT; { ENOTSUP }

    /// Not supported.
    fn ocrGroupBegin() -> u8, or EFAULT; { ENOTSUP }

    /// Not supported.
    fn ocrGroupEnd() -> u8, or EFAULT; { ENOTSUP }

    /// Not supported.
    fn ocrDbPartition(
        _db: ocrGuid_t,
        _count: u32,
        _parts: *mut sys::ocrDbPart_t,
        _properties: u32,
    ) -> u8, or EFAULT; { ENOTSUP }

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
}
