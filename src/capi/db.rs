//! `ocr-db.h` and `extensions/ocr-db-info.h`: data blocks.

use crate::abi::Api;
use crate::capi::{guid_place, hints, labeling, put, sys, with};
use crate::object::arena::CreateOnLabelError;
use crate::object::data_block::OutOfMemoryError;
use crate::object::guid::Guid;
use crate::status::Status;
use std::ffi::c_void;
use sys::{ocrGuid_t, ocrHint_t};

/// `DB_PROP_NO_ACQUIRE`. Programs also pass a plain 0 or 1 as the flags.
pub(super) const NO_ACQUIRE: u16 = sys::DB_PROP_NO_ACQUIRE;
pub(super) const SINGLE_ASSIGNMENT: u16 = sys::DB_PROP_SINGLE_ASSIGNMENT;

export! {
    /// Creates a data block. OCR 1.1.0, 2.5.1.
    fn ocrDbCreate(
        db: *mut ocrGuid_t,
        addr: *mut *mut c_void,
        len: u64,
        flags: u16,
        hint: *mut ocrHint_t,
        allocator: sys::ocrInDbAllocator_t,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(db) }) else { return Status::EINVAL };
        if allocator != sys::NO_ALLOC {
            return Status::EINVAL;
        }
        let acquire = flags & NO_ACQUIRE == 0;
        // SAFETY: the header asks for null or a valid hint.
        let hints = unsafe { hints::given(hint, sys::OCR_HINT_DB_T) };
        labeling::create(place, flags, Api::ocrDbCreate, |context, label| {
            let created = match label {
                None => context.create_block(len, acquire).map_err(|_| CreateOnLabelError::OutOfMemory),
                Some(label) => context.create_block_on(label, len, acquire),
            };
            if created == Err(CreateOnLabelError::OutOfMemory) {
                warn_of_no_memory(OutOfMemoryError { bytes: len });
            }
            let (guid, address) = created?;
            if flags & SINGLE_ASSIGNMENT != 0 {
                context.write_once(guid);
            }
            // SAFETY: the header asks for null or a valid place.
            unsafe { put(addr, address.cast()) };
            if let Some(hints) = &hints {
                context.set_hints(guid, hints);
            }
            Ok(guid)
        })
    }

    /// Destroys a data block, which goes when the last EDT that holds it has released it. OCR 1.1.0, 2.5.2.
    fn ocrDbDestroy(db: ocrGuid_t) -> u8, or Status::EFAULT; {
        let db = Guid::from(db);
        if db.is_null() {
            return Status::OK;
        }
        destroy_block(db)
    }

    /// Releases a data block that the calling EDT holds. OCR 1.1.0, 2.5.3.
    fn ocrDbRelease(db: ocrGuid_t) -> u8, or Status::EFAULT; {
        let db = Guid::from(db);
        if db.is_null() {
            return Status::OK;
        }
        with(Status::EPERM, |context| Status::from(context.release_block(db)))
    }

    /// Does nothing and returns `OCR_EINVAL`: allocation inside a block is not part of OCR 1.1.0 any more.
    fn ocrDbMalloc(_guid: ocrGuid_t, _size: u64, _addr: *mut *mut c_void) -> u8, or Status::EFAULT; {
        Status::EINVAL
    }

    /// Does nothing and returns `OCR_EINVAL`: allocation inside a block is not part of OCR 1.1.0 any more.
    fn ocrDbMallocOffset(_guid: ocrGuid_t, _size: u64, _offset: *mut u64) -> u8, or Status::EFAULT; {
        Status::EINVAL
    }

    /// Does nothing and returns `OCR_EINVAL`: allocation inside a block is not part of OCR 1.1.0 any more.
    fn ocrDbFree(_guid: ocrGuid_t, _addr: *mut c_void) -> u8, or Status::EFAULT; { Status::EINVAL }

    /// Does nothing and returns `OCR_EINVAL`: allocation inside a block is not part of OCR 1.1.0 any more.
    fn ocrDbFreeOffset(_guid: ocrGuid_t, _offset: u64) -> u8, or Status::EFAULT; { Status::EINVAL }

    /// Writes the size of a data block, in bytes. OCR 1.2.
    fn ocrDbGetSize(db: ocrGuid_t, size: *mut u64) -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| match context.block_size(db.into()) {
            Some(bytes) if !size.is_null() => {
                // SAFETY: the header asks for a valid place.
                unsafe { put(size, bytes) };
                Status::OK
            }
            _ => Status::EINVAL,
        })
    }
}

/// Destroys a block. Error: `OCR_EINVAL` where the GUID names none.
pub(super) fn destroy_block(db: Guid) -> Status {
    with(Status::EPERM, |context| {
        let destroyed = context.destroy_block(db);
        Status::from(destroyed.inspect(|()| context.unmap(db)))
    })
}

/// Warns once that there was no memory for a block, with its size in bytes. A program that does not look at the status
/// uses a null pointer next.
#[cold]
pub(super) fn warn_of_no_memory(failed: OutOfMemoryError) {
    let signed = failed.bytes as i64;
    let negative = match signed {
        ..0 => format!(" ({signed} as a signed number)"),
        _ => String::new(),
    };
    warning_once!("ocrDbCreate returned OCR_ENOMEM: {failed}{negative}.");
}
