//! Values of the C interface as the engine takes them.

use super::sys::ocrEdt_t;
use crate::object::code::EdtFunction;

/// The function that the program gave, as the engine calls it.
pub(super) fn edt_function(function: ocrEdt_t) -> Option<EdtFunction> {
    // SAFETY: both are pointers to functions of one C type, spelt with types of the same layout.
    unsafe { std::mem::transmute::<ocrEdt_t, Option<EdtFunction>>(function) }
}
