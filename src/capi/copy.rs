//! `ocr-db.h`: copies between data blocks, as in OCR 1.0 and OCR-Vx.

use crate::capi::copier::run_copy;
use crate::capi::{elsewhere, guid_place, sys, with};
use crate::engine::calls::copy::CopyRequest;
use crate::status::Status;
use sys::ocrGuid_t;

const PARTITION: u64 = sys::DB_COPY_PARTITION as u64;
const PARTITION_BACK: u64 = sys::DB_COPY_PARTITION_BACK as u64;

export! {
    /// Copies bytes from one data block to another, by an EDT of the runtime. OCR 1.0; the types of copies are of
    /// OCR-Vx.
    fn ocrDbCopy(
        destination: ocrGuid_t,
        destination_offset: u64,
        source: ocrGuid_t,
        source_offset: u64,
        size: u64,
        copy_type: u64,
        completion: *mut ocrGuid_t,
    ) -> u8, or Status::EFAULT; {
        if !matches!(copy_type, 0 | PARTITION | PARTITION_BACK) {
            return Status::EINVAL;
        }
        let copier = elsewhere::owner_of_both(source.into(), destination.into());
        let copy = CopyRequest {
            destination: destination.into(),
            destination_offset,
            source: source.into(),
            source_offset,
            size,
            destroys_source: copy_type == PARTITION_BACK,
            divides: copy_type == PARTITION,
            sizes_elsewhere: match copier {
                Some(_) => [None; 2],
                None => [source, destination].map(|block| elsewhere::size_of(block.into())),
            },
        };
        // SAFETY: the header asks for null or a valid place.
        let place = unsafe { guid_place(completion) };
        let completes = place.is_some();
        let result = match copier {
            Some(owner) => elsewhere::copy_there(owner, copy, completes),
            None => with(Err(Status::EPERM), |context| {
                context.copy_block(copy, run_copy, completes).map_err(Status::from)
            }),
        };
        match (result, place) {
            (Ok(event), Some(place)) => *place = event,
            (Ok(_), None) => {}
            (Err(status), _) => return status,
        }
        Status::OK
    }
}
