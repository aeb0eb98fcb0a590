//! `extensions/ocr-heterogeneous.h`: one process, in which a function's address is a code for it.

use super::sys;
use crate::status::Status;
use sys::{ocrEdt_t, ocrFuncPtr_t};

export! {
    /// Accepts the function of an EDT.
    fn ocrRegisterEdtFuntion(function: ocrEdt_t) -> u8, or Status::EFAULT; {
        if function.is_some() { Status::OK } else { Status::EINVAL }
    }

    /// Accepts a function of the program; nothing has to be done with it here.
    fn ocrRegisterFunctionPointer(function: ocrFuncPtr_t) -> u8, or Status::EFAULT; {
        if function.is_some() { Status::OK } else { Status::EINVAL }
    }

    /// The code of a function.
    fn ocrEncodeFunctionPointer(function: ocrFuncPtr_t) -> u64, or 0; {
        function.map_or(0, |function| function as usize as u64)
    }

    /// The function with a code.
    fn ocrDecodeFunctionPointer(code: u64) -> ocrFuncPtr_t, or None; {
        let address = code as usize as *const ();
        // SAFETY: null or an address from the function above; both are values of the type.
        unsafe { std::mem::transmute::<*const (), ocrFuncPtr_t>(address) }
    }
}
