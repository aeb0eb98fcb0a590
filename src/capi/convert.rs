//! Values of the C interface as the engine takes them, and answers of the engine as the interface has them. Each error
//! type of the engine becomes a [`Status`] here, and nowhere else.

use super::sys::ocrEdt_t;
use crate::engine::calls::by_value::ByValueError;
use crate::engine::calls::copy::CopyError;
use crate::engine::calls::data_blocks::BlockError;
use crate::engine::calls::files::FileError;
use crate::engine::calls::maps::MapError;
use crate::engine::calls::partition::PartitionError;
use crate::engine::life::create_request::CreateError;
use crate::engine::state::waiters::WaitError;
use crate::graph::GraphError;
use crate::object::arena::{CreateOnLabelError, LabelTakenError};
use crate::object::code::EdtFunction;
use crate::object::partition::PartsError;
use crate::status::Status;
use std::io;

/// A function of the program for an EDT, as the type that the engine calls. None for a null pointer.
pub(super) fn edt_function(function: ocrEdt_t) -> Option<EdtFunction> {
    // SAFETY: both are pointers to functions of one C type, spelt with types of the same layout.
    unsafe { std::mem::transmute::<ocrEdt_t, Option<EdtFunction>>(function) }
}

/// The status of a call that fails only where its object does not exist: `OCR_EINVAL` then, and otherwise 0.
pub(super) fn found(exists: bool) -> Status {
    if exists { Status::OK } else { Status::EINVAL }
}

impl<E: Into<Status>> From<Result<(), E>> for Status {
    #[inline(always)]
    fn from(result: Result<(), E>) -> Status {
        result.map_or_else(E::into, |()| Status::OK)
    }
}

impl From<GraphError> for Status {
    fn from(error: GraphError) -> Status {
        match error {
            GraphError::NoSuchObject | GraphError::NoSuchSlot | GraphError::Opening => Status::EINVAL,
            GraphError::NotPermitted => Status::EPERM,
            GraphError::OutOfMemory => Status::ENOMEM,
        }
    }
}

impl From<BlockError> for Status {
    fn from(error: BlockError) -> Status {
        match error {
            BlockError::NoSuchBlock => Status::EINVAL,
            BlockError::Destroyed => Status::EPERM,
            BlockError::NotAcquired => Status::EACCES,
        }
    }
}

impl From<LabelTakenError> for Status {
    fn from(error: LabelTakenError) -> Status {
        match error {
            LabelTakenError::Exists => Status::EGUIDEXISTS,
            LabelTakenError::NoLabel => Status::EINVAL,
        }
    }
}

impl From<CreateOnLabelError> for Status {
    fn from(error: CreateOnLabelError) -> Status {
        match error {
            CreateOnLabelError::OutOfMemory => Status::ENOMEM,
            CreateOnLabelError::Label(why) => why.into(),
        }
    }
}

impl From<CreateError> for Status {
    fn from(error: CreateError) -> Status {
        match error {
            CreateError::NoTemplate
            | CreateError::Arguments(_)
            | CreateError::Parameters
            | CreateError::Dependence(_) => Status::EINVAL,
            CreateError::Anonymous => Status::EPERM,
            CreateError::Label(why) => why.into(),
            CreateError::OutOfMemory => Status::ENOMEM,
        }
    }
}

impl From<WaitError> for Status {
    fn from(error: WaitError) -> Status {
        match error {
            WaitError::NoSuchEvent => Status::EINVAL,
            WaitError::OutOfMemory => Status::ENOMEM,
            WaitError::Ending => Status::ECANCELED,
            WaitError::Paused => Status::EPERM,
        }
    }
}

impl From<ByValueError> for Status {
    fn from(error: ByValueError) -> Status {
        match error {
            ByValueError::NoSuchBlock => Status::EINVAL,
            ByValueError::NotAcquired => Status::EACCES,
            ByValueError::Graph(why) => why.into(),
            ByValueError::OutOfMemory => Status::ENOMEM,
        }
    }
}

impl From<CopyError> for Status {
    fn from(error: CopyError) -> Status {
        match error {
            CopyError::NoSuchBlock => Status::EINVAL,
            CopyError::OneBlock | CopyError::PartOfOther => Status::EPERM,
            CopyError::TooSmall | CopyError::OutOfMemory => Status::ENOMEM,
            CopyError::WrittenOnce => Status::EACCES,
        }
    }
}

impl From<PartitionError> for Status {
    fn from(error: PartitionError) -> Status {
        match error {
            PartitionError::NoSuchBlock | PartitionError::OutOfBounds => Status::EINVAL,
            PartitionError::Parts(PartsError::Overlap) => Status::EINVAL,
            PartitionError::Parts(PartsError::Fixed | PartsError::Wanted) => Status::EPERM,
            PartitionError::WrittenOnce => Status::EACCES,
            PartitionError::OutOfMemory => Status::ENOMEM,
        }
    }
}

impl From<MapError> for Status {
    fn from(error: MapError) -> Status {
        match error {
            MapError::NoSuchIndex => Status::EINVAL,
            MapError::Circle => Status::EPEND,
            MapError::Ending => Status::ECANCELED,
            MapError::Creator(status) => status.unwrap_or(Status::ENOENT),
            MapError::OutOfMemory => Status::ENOMEM,
        }
    }
}

impl From<FileError> for Status {
    fn from(error: FileError) -> Status {
        match error {
            FileError::NoSuchFile | FileError::Range | FileError::NotRegular => Status::EINVAL,
            FileError::Overlaps => Status::EBUSY,
            FileError::OutOfMemory => Status::ENOMEM,
            FileError::System(error) => of_system(&error),
        }
    }
}

/// The status for an error of the operating system, by its `errno`. An error without a number, or with another one, is
/// `OCR_EIO`.
fn of_system(error: &io::Error) -> Status {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR) => Status::ENOENT,
        Some(libc::ENOMEM) => Status::ENOMEM,
        // `open` fails with ENXIO on a socket.
        Some(libc::EINVAL | libc::ENAMETOOLONG | libc::ELOOP | libc::EFBIG | libc::ENXIO) => Status::EINVAL,
        Some(libc::EACCES | libc::EPERM) => Status::EACCES,
        Some(libc::EROFS) => Status::EROFS,
        Some(libc::ENOSPC | libc::EDQUOT) => Status::ENOSPC,
        Some(libc::EMFILE | libc::ENFILE) => Status::EAGAIN,
        Some(libc::EBUSY | libc::ETXTBSY) => Status::EBUSY,
        _ => Status::EIO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capi::sys;

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
            assert_eq!(u32::from(of_system(&error).number()), code, "{error}");
        }
        let without = io::Error::other("no number");
        assert_eq!(u32::from(of_system(&without).number()), sys::OCR_EIO);
    }
}
