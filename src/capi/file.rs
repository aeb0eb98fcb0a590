//! `extensions/ocr-file.h`: files as data blocks.

use crate::capi::{
    EBUSY, EFAULT, EINVAL, ENOENT, ENOMEM, EPERM, found, guid_place, put, sys, text, with,
};
use crate::engine::calls::files::{Descriptor, FileError, OpenMode};
use crate::object::guid::Guid;
use crate::text::Readable;
use std::ffi::{CStr, c_char, c_void};
use std::io;
use sys::ocrGuid_t;

const _: () = assert!(sys::OCR_FILE_EXISTS == 1);

export! {
    /// OCR-Vx: opens a file.
    fn ocrFileOpen(
        file: *mut ocrGuid_t,
        path: *const c_char,
        mode: *const c_char,
        descriptor: *mut ocrGuid_t,
        _properties: u32,
    ) -> u8, or EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(file) }) else { return EINVAL };
        if path.is_null() {
            return EINVAL;
        }
        // SAFETY: the header asks for a C string.
        let path = unsafe { CStr::from_ptr(path) };
        // SAFETY: the header asks for null or a C string.
        let mode_text = unsafe { text(mode) };
        let Some(mode) = OpenMode::parse(&mode_text) else {
            warning!(
                "ocrFileOpen: there is no mode \"{mode_text}\": it must be r, r+, w or \
                 w+, with or without b"
            );
            return EINVAL;
        };
        with(EPERM, |context| {
            match context.open_file(path.to_bytes(), mode, !descriptor.is_null()) {
                Ok((guid, about)) => {
                    *place = guid;
                    // SAFETY: the header asks for null or a valid place.
                    unsafe { put(descriptor, about.into()) };
                    0
                }
                Err(error) => {
                    warning!(
                        "ocrFileOpen: \"{}\" cannot be opened with the mode \
                         \"{mode_text}\": {error}",
                        Readable(path.to_bytes())
                    );
                    status(&error)
                }
            }
        })
    }

    /// OCR-Vx: the GUID of a file is not used any more.
    fn ocrFileRelease(file: ocrGuid_t) -> u8, or EFAULT; {
        with(EPERM, |context| found(context.release_file(file.into())))
    }

    /// OCR-Vx: a part of a file as a data block.
    fn ocrFileGetChunk(
        chunk: *mut ocrGuid_t,
        file: ocrGuid_t,
        offset: u64,
        size: u64,
    ) -> u8, or EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(chunk) }) else { return EINVAL };
        with(EPERM, |context| match context.file_chunk(file.into(), offset, size) {
            Ok(guid) => {
                *place = guid;
                0
            }
            Err(error) => status(&error),
        })
    }

    /// OCR-Vx: the file that a descriptor is of.
    fn ocrFileGetGuid(descriptor: *mut c_void) -> ocrGuid_t, or Guid::ERROR.into(); {
        // SAFETY: the header asks for null or the content of a descriptor.
        match unsafe { descriptor.cast::<Descriptor>().as_ref() } {
            Some(descriptor) => descriptor.file.into(),
            None => Guid::ERROR.into(),
        }
    }

    /// OCR-Vx: the size of a file when it was opened.
    fn ocrFileGetSize(descriptor: *mut c_void) -> u64, or 0; {
        // SAFETY: as above.
        unsafe { descriptor.cast::<Descriptor>().as_ref() }.map_or(0, |descriptor| descriptor.size)
    }
}

fn status(error: &FileError) -> u8 {
    match error {
        FileError::NoSuchFile | FileError::Range | FileError::NotRegular => EINVAL,
        FileError::Overlaps => EBUSY,
        FileError::OutOfMemoryError => ENOMEM,
        FileError::System(error) => of_system(error),
    }
}

/// The status of an error of the system.
fn of_system(error: &io::Error) -> u8 {
    let code = match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR) => return ENOENT,
        Some(libc::ENOMEM) => return ENOMEM,
        // ENXIO: a socket.
        Some(libc::EINVAL | libc::ENAMETOOLONG | libc::ELOOP | libc::EFBIG | libc::ENXIO) => {
            return EINVAL;
        }
        Some(libc::EACCES | libc::EPERM) => sys::OCR_EACCES,
        Some(libc::EROFS) => sys::OCR_EROFS,
        Some(libc::ENOSPC | libc::EDQUOT) => sys::OCR_ENOSPC,
        Some(libc::EMFILE | libc::ENFILE) => sys::OCR_EAGAIN,
        Some(libc::EBUSY | libc::ETXTBSY) => sys::OCR_EBUSY,
        _ => sys::OCR_EIO,
    };
    code as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_have_the_codes_of_the_header() {
        for (error, code) in [
            (libc::ENOENT, sys::OCR_ENOENT),
            (libc::ENOTDIR, sys::OCR_ENOENT),
            (libc::ENOMEM, sys::OCR_ENOMEM),
            (libc::ENAMETOOLONG, sys::OCR_EINVAL),
            (libc::EFBIG, sys::OCR_EINVAL),
            (libc::EACCES, sys::OCR_EACCES),
            (libc::EPERM, sys::OCR_EACCES),
            (libc::EROFS, sys::OCR_EROFS),
            (libc::ENOSPC, sys::OCR_ENOSPC),
            (libc::EDQUOT, sys::OCR_ENOSPC),
            (libc::EMFILE, sys::OCR_EAGAIN),
            (libc::ETXTBSY, sys::OCR_EBUSY),
            (libc::EIO, sys::OCR_EIO),
            (libc::ESTALE, sys::OCR_EIO),
        ] {
            let error = io::Error::from_raw_os_error(error);
            assert_eq!(u32::from(of_system(&error)), code, "{error}");
        }
        let without = io::Error::other("no number");
        assert_eq!(u32::from(of_system(&without)), sys::OCR_EIO);
    }
}
