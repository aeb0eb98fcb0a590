//! `extensions/ocr-db-by-value.h`: contents of data blocks passed by value, as in OCR-Vx.

use crate::capi::edt::mode_for;
use crate::capi::{sys, with};
use crate::object::guid::Guid;
use crate::status::Status;
use sys::ocrGuid_t;

export! {
    /// Satisfies a pre-slot with a copy of what a data block holds now. OCR-Vx.
    fn ocrAddDependenceByValue(
        source: ocrGuid_t,
        destination: ocrGuid_t,
        slot: u32,
        mode: sys::ocrDbAccessMode_t,
    ) -> u8, or Status::EFAULT; {
        let (source, destination) = (Guid::from(source), Guid::from(destination));
        let Some(mode) = mode_for(destination, mode) else {
            return Status::EINVAL;
        };
        with(Status::EPERM, |context| {
            Status::from(context.pass_by_value(source, destination, slot, mode))
        })
    }

    /// Begins a group of calls that belong together; a group has no effect on the calls in it. OCR-Vx.
    fn ocrGroupBegin() -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| if context.begin_group() { Status::OK } else { Status::EPERM })
    }

    /// Ends the group of calls that `ocrGroupBegin` has begun. OCR-Vx.
    fn ocrGroupEnd() -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| if context.belongings.end_group() { Status::OK } else { Status::EPERM })
    }
}
