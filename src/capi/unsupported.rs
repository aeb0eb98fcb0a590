//! Headers of OCR-Vx whose functions this runtime does not have: `extensions/ocr-db-by-value.h`,
//! `ocr-db-partitioning.h`. Programs that mention them can be built, and are told.

use super::{EFAULT, ENOTSUP, sys};
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
}
