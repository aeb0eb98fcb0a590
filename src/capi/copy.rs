//! `ocr-db.h`: copies between data blocks, as in OCR 1.0 and OCR-Vx.

use crate::capi::{guid_place, sys, with};
use crate::engine::calls::copy::CopyRequest;
use crate::object::code::EdtDep;
use crate::object::guid::Guid;
use crate::status::Status;
use sys::ocrGuid_t;

const PARTITION: u64 = sys::DB_COPY_PARTITION as u64;
const PARTITION_BACK: u64 = sys::DB_COPY_PARTITION_BACK as u64;

export! {
    /// OCR 1.0; the types of copies are those of OCR-Vx.
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
        let copy = CopyRequest {
            destination: destination.into(),
            destination_offset,
            source: source.into(),
            source_offset,
            size,
            destroys_source: copy_type == PARTITION_BACK,
            divides: copy_type == PARTITION,
        };
        // SAFETY: the header asks for null or a valid place.
        let place = unsafe { guid_place(completion) };
        let completes = place.is_some();
        let result = with(Err(Status::EPERM), |context| {
            context.copy_block(copy, run_copy, completes).map_err(Status::from)
        });
        match (result, place) {
            (Ok(event), Some(place)) => *place = event,
            (Ok(_), None) => {}
            (Err(status), _) => return status,
        }
        Status::OK
    }
}

/// What the EDT of a copy runs: written against the interface, as a function of the program would be,
/// so that strict mode sees what it does.
///
/// # Safety
/// As `Context::copy_block` says: the offsets and the size are within the two blocks.
unsafe extern "C" fn run_copy(_: u32, paramv: *mut u64, depc: u32, depv: *mut EdtDep) -> Guid {
    // SAFETY: such an EDT has five parameters.
    let [to, from, size, destroys, destination] = unsafe { paramv.cast::<[u64; 5]>().read() };
    if depc == 1 {
        // SAFETY: it has one pre-slot, with a block.
        let one = unsafe { depv.read() };
        if destroys != 0 {
            // SAFETY: any GUID may be passed.
            unsafe { super::db::ocrDbDestroy(one.guid.into()) };
        }
        return Guid::from_bits(destination);
    }
    // SAFETY: otherwise it has two pre-slots, both with a block.
    let [source, destination] = unsafe { depv.cast::<[EdtDep; 2]>().read() };
    let from = source.ptr.cast::<u8>().wrapping_add(from as usize);
    let to = destination.ptr.cast::<u8>().wrapping_add(to as usize);
    // SAFETY: the ranges are within the blocks, which are two, so they do not overlap; the EDT holds both.
    unsafe { to.copy_from_nonoverlapping(from, size as usize) };
    if destroys != 0 {
        // SAFETY: any GUID may be passed.
        unsafe { super::db::ocrDbDestroy(source.guid.into()) };
    }
    destination.guid
}
