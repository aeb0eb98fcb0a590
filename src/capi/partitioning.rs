//! `extensions/ocr-db-partitioning.h`: data blocks divided into parts, as in OCR-Vx.

use crate::capi::{elsewhere, sys};
use crate::status::Status;
use sys::ocrGuid_t;

const STATIC: u32 = sys::OCR_DB_PARTITION_STATIC as u32;

export! {
    /// Divides a data block into parts, and writes their GUIDs. OCR-Vx.
    fn ocrDbPartition(
        db: ocrGuid_t,
        count: u32,
        parts: *mut sys::ocrDbPart_t,
        properties: u32,
    ) -> u8, or Status::EFAULT; {
        if count == 0 || parts.is_null() || properties & !STATIC != 0 {
            return Status::EINVAL;
        }
        // SAFETY: `parts` is not null, and the header asks for `count` parts there, which nothing else uses during the
        // call.
        let parts = unsafe { std::slice::from_raw_parts_mut(parts, count as usize) };
        let spans: Vec<(u64, u64)> = parts.iter().map(|part| (part.offset, part.size)).collect();
        let fixed = properties & STATIC != 0;
        match elsewhere::divide_block(db.into(), spans, fixed) {
            Ok(guids) => {
                for (part, guid) in parts.iter_mut().zip(guids) {
                    part.guid = guid.into();
                }
                Status::OK
            }
            Err(status) => status,
        }
    }
}
