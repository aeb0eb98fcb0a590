//! What a call of the C interface returns: a status code, by its name.
//!
//! The rooms below `capi` answer with errors of their own (`XError`), and each is turned into a [`Status`] in one
//! place, by `From`. Strict mode gets it as it is. Only `export!` of `capi` makes a number of it, which C sees.

use crate::abi::sys;

/// The status of a call: [`Status::OK`], or why it was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Status(u8);

impl Status {
    /// The call has done what it was asked for.
    pub const OK: Status = Status(0);
    /// `OCR_EPERM`: the caller may not do that.
    pub const EPERM: Status = Status(sys::OCR_EPERM as u8);
    /// `OCR_ENOENT`: there is nothing of that name.
    pub const ENOENT: Status = Status(sys::OCR_ENOENT as u8);
    /// `OCR_EIO`: the system could not read or write.
    pub const EIO: Status = Status(sys::OCR_EIO as u8);
    /// `OCR_EAGAIN`: not now, for lack of something that others may give back.
    pub const EAGAIN: Status = Status(sys::OCR_EAGAIN as u8);
    /// `OCR_ENOMEM`: there was no memory, or no room.
    pub const ENOMEM: Status = Status(sys::OCR_ENOMEM as u8);
    /// `OCR_EACCES`: the object may not be used in that way.
    pub const EACCES: Status = Status(sys::OCR_EACCES as u8);
    /// `OCR_EFAULT`: the runtime failed, and it is not the caller's fault.
    pub const EFAULT: Status = Status(sys::OCR_EFAULT as u8);
    /// `OCR_EBUSY`: the object is in use.
    pub const EBUSY: Status = Status(sys::OCR_EBUSY as u8);
    /// `OCR_ENODEV`: no device does that.
    pub const ENODEV: Status = Status(sys::OCR_ENODEV as u8);
    /// `OCR_EINVAL`: an argument is wrong.
    pub const EINVAL: Status = Status(sys::OCR_EINVAL as u8);
    /// `OCR_ENOSPC`: the disk is full.
    pub const ENOSPC: Status = Status(sys::OCR_ENOSPC as u8);
    /// `OCR_EROFS`: what should be written can only be read.
    pub const EROFS: Status = Status(sys::OCR_EROFS as u8);
    /// `OCR_ENOTSUP`: the runtime does not have what is asked for.
    pub const ENOTSUP: Status = Status(sys::OCR_ENOTSUP as u8);
    /// `OCR_EGUIDEXISTS`: the label has an object already.
    pub const EGUIDEXISTS: Status = Status(sys::OCR_EGUIDEXISTS as u8);
    /// `OCR_EPEND`: the answer is not known yet.
    pub const EPEND: Status = Status(sys::OCR_EPEND as u8);
    /// `OCR_ECANCELED`: the run has ended.
    pub const ECANCELED: Status = Status(sys::OCR_ECANCELED as u8);

    /// Whether the call was not refused.
    #[inline(always)]
    pub fn is_ok(self) -> bool {
        self == Status::OK
    }

    /// The status with the number that C sees.
    pub(crate) const fn from_number(number: u8) -> Status {
        Status(number)
    }

    /// The number that C sees.
    #[inline(always)]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The status with this number, which a call has returned.
    #[inline(always)]
    pub const fn of_number(number: u8) -> Status {
        Status(number)
    }
}

/// What `export!` makes of what a body of a C function has come to.
impl From<Status> for u8 {
    #[inline(always)]
    fn from(status: Status) -> u8 {
        status.number()
    }
}
