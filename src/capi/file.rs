//! `extensions/ocr-file.h`: files as data blocks.

use super::convert::found;
use crate::capi::{guid_place, put, sys, text, with};
use crate::engine::calls::files::{Descriptor, OpenMode};
use crate::object::guid::Guid;
use crate::status::Status;
use ocr_base::text::Readable;
use std::ffi::{CStr, c_char, c_void};
use sys::ocrGuid_t;

const _: () = assert!(sys::OCR_FILE_EXISTS == 1);

export! {
    /// Opens a file, and creates a block that describes it if the caller wants one. OCR-Vx.
    fn ocrFileOpen(
        file: *mut ocrGuid_t,
        path: *const c_char,
        mode: *const c_char,
        descriptor: *mut ocrGuid_t,
        _properties: u32,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(file) }) else { return Status::EINVAL };
        if path.is_null() {
            return Status::EINVAL;
        }
        // SAFETY: the header asks for a C string, and the path is not null here.
        let path = unsafe { CStr::from_ptr(path) };
        // SAFETY: the header asks for null or a C string.
        let mode_text = unsafe { text(mode) };
        let Some(mode) = OpenMode::parse(&mode_text) else {
            warning!(
                "ocrFileOpen: there is no mode \"{mode_text}\": it must be r, r+, w or \
                 w+, with or without b"
            );
            return Status::EINVAL;
        };
        with(Status::EPERM, |context| {
            match context.open_file(path.to_bytes(), mode, !descriptor.is_null()) {
                Ok((guid, about)) => {
                    *place = guid;
                    // SAFETY: the header asks for null or a valid place.
                    unsafe { put(descriptor, about.into()) };
                    Status::OK
                }
                Err(error) => {
                    warning!(
                        "ocrFileOpen: \"{}\" cannot be opened with the mode \
                         \"{mode_text}\": {error}",
                        Readable(path.to_bytes())
                    );
                    error.into()
                }
            }
        })
    }

    /// Ends the use of a file's GUID; chunks of the file stay. OCR-Vx.
    fn ocrFileRelease(file: ocrGuid_t) -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| found(context.release_file(file.into())))
    }

    /// Creates a data block, a chunk, from `size` bytes of a file at `offset`. OCR-Vx.
    fn ocrFileGetChunk(
        chunk: *mut ocrGuid_t,
        file: ocrGuid_t,
        offset: u64,
        size: u64,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(chunk) }) else { return Status::EINVAL };
        with(Status::EPERM, |context| match context.file_chunk(file.into(), offset, size) {
            Ok(guid) => {
                *place = guid;
                Status::OK
            }
            Err(error) => error.into(),
        })
    }

    /// The GUID of the file that a descriptor describes; `ERROR_GUID` for null. OCR-Vx.
    fn ocrFileGetGuid(descriptor: *mut c_void) -> ocrGuid_t, or Guid::ERROR; {
        // SAFETY: the header asks for null or the content of a descriptor, which is a `Descriptor`.
        match unsafe { descriptor.cast::<Descriptor>().as_ref() } {
            Some(descriptor) => descriptor.file,
            None => Guid::ERROR,
        }
    }

    /// The size of a file when it was opened, in bytes; 0 for null. OCR-Vx.
    fn ocrFileGetSize(descriptor: *mut c_void) -> u64, or 0; {
        // SAFETY: the header asks for null or the content of a descriptor, which is a `Descriptor`.
        unsafe { descriptor.cast::<Descriptor>().as_ref() }.map_or(0, |descriptor| descriptor.size)
    }
}
