//! `extensions/ocr-heterogeneous.h`: codes of functions. A run is one process, so the code of a function is its
//! address.

use super::sys;
use crate::status::Status;
use sys::{ocrEdt_t, ocrFuncPtr_t};

export! {
    /// Checks that a function of an EDT is not null; functions need not be registered here. OCR-Vx.
    fn ocrRegisterEdtFuntion(function: ocrEdt_t) -> u8, or Status::EFAULT; {
        if function.is_some() { Status::OK } else { Status::EINVAL }
    }

    /// Checks that a function of the program is not null; functions need not be registered here. OCR-Vx.
    fn ocrRegisterFunctionPointer(function: ocrFuncPtr_t) -> u8, or Status::EFAULT; {
        if function.is_some() { Status::OK } else { Status::EINVAL }
    }

    /// The code of a function: its address, and 0 for null. OCR-Vx.
    fn ocrEncodeFunctionPointer(function: ocrFuncPtr_t) -> u64, or 0; {
        function.map_or(0, |function| function as usize as u64)
    }

    /// The function that has a code; null for 0. OCR-Vx.
    fn ocrDecodeFunctionPointer(code: u64) -> ocrFuncPtr_t, or None; {
        let address = code as usize as *const ();
        // SAFETY: the header asks for a code of `ocrEncodeFunctionPointer`, which is 0 or the address of a function of
        // this type. Null stands for `None` in the type.
        unsafe { std::mem::transmute::<*const (), ocrFuncPtr_t>(address) }
    }
}
