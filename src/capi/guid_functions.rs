//! `ocr-guid-functions.h`: programs have these as inline functions of the header. The symbols are for those that do not
//! read it: what calls C from another language, or declares the functions as the clauses do.

use super::sys;
use crate::object::guid::Guid;
use sys::ocrGuid_t;

/// Defines functions of GUIDs alone, which touch no object. The header has them as `static`, so there is no declaration
/// to compare the types with; `tests/c` compares what they answer.
macro_rules! symbols {
    ($($(#[$about:meta])* fn $name:ident($($guid:ident),+) $body:block)*) => {$(
        $(#[$about])*
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub extern "C" fn $name($($guid: ocrGuid_t),+) -> bool {
            $(let $guid = Guid::from($guid);)+
            $body
        }
    )*};
}

symbols! {
    /// Whether it is `NULL_GUID`. OCR 1.1.0, 2.4.1.
    fn ocrGuidIsNull(guid) { guid == Guid::NULL }

    /// Whether it is `UNINITIALIZED_GUID`. OCR 1.1.0, 2.4.2.
    fn ocrGuidIsUninitialized(guid) { guid == Guid::UNINITIALIZED }

    /// Whether it is `ERROR_GUID`. OCR 1.1.0, 2.4.3.
    fn ocrGuidIsError(guid) { guid == Guid::ERROR }

    /// Whether both are the same. OCR 1.1.0, 2.4.4.
    fn ocrGuidIsEq(first, second) { first == second }

    /// Whether the first comes before the second, in an order of all GUIDs. OCR 1.1.0, 2.4.5.
    fn ocrGuidIsLt(first, second) { (first.bits() as i64) < second.bits() as i64 }
}
