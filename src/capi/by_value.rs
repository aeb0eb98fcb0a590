//! `extensions/ocr-db-by-value.h`: contents of data blocks passed by value, as in OCR-Vx.

use crate::capi::edt::mode_for;
use crate::capi::{EACCES, EFAULT, EINVAL, ENOMEM, EPERM, sys, with};
use crate::engine::calls::by_value::ByValueError;
use crate::object::guid::Guid;
use sys::ocrGuid_t;

export! {
    /// A dependence on what a block holds now.
    fn ocrAddDependenceByValue(
        source: ocrGuid_t,
        destination: ocrGuid_t,
        slot: u32,
        mode: sys::ocrDbAccessMode_t,
    ) -> u8, or EFAULT; {
        let (source, destination) = (Guid::from(source), Guid::from(destination));
        let Some(mode) = mode_for(destination, mode) else {
            return EINVAL;
        };
        with(EPERM, |context| {
            match context.pass_by_value(source, destination, slot, mode) {
                Ok(()) => 0,
                Err(ByValueError::NoSuchBlock) => EINVAL,
                Err(ByValueError::NotAcquired) => EACCES,
                Err(ByValueError::GraphError(why)) => super::status(Err(why)),
                Err(ByValueError::OutOfMemoryError) => ENOMEM,
            }
        })
    }

    /// Calls that belong together begin.
    fn ocrGroupBegin() -> u8, or EFAULT; {
        with(EPERM, |context| if context.begin_group() { 0 } else { EPERM })
    }

    /// They end.
    fn ocrGroupEnd() -> u8, or EFAULT; {
        with(EPERM, |context| if context.end_group() { 0 } else { EPERM })
    }
}
