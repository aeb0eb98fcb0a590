//! What `include/ocr-policy.h` declares, which says what each of it is for. The runtime compares the two when it is
//! compiled (`src/abi/policy.rs`).

use std::ffi::c_void;

/// `OCR_POLICY_VERSION`.
pub const VERSION: u32 = 1;
/// `OCR_POLICY_NO_PLACE`.
pub const NO_PLACE: u32 = u32::MAX;
/// `OCR_POLICY_KEPT`.
pub const KEPT: u32 = u32::MAX;
/// `OCR_POLICY_FIRST_FREE`.
pub const FIRST_FREE: u32 = u32::MAX - 1;
/// `OCR_POLICY_UNKNOWN`.
pub const UNKNOWN: u64 = u64::MAX;
/// `OCR_POLICY_LEARNS`.
pub const LEARNS: u32 = 1;

/// Declares structs as C lays them out, with a table of the fields of each: name, offset and size.
macro_rules! layouts {
    ($($(#[$doc:meta])* $name:ident = $c_name:literal { $($field:ident: $type:ty,)* })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy)]
            #[allow(non_snake_case, missing_docs)]
            pub struct $name {
                $(pub $field: $type,)*
            }

            impl $name {
                /// The name in C, the size, and the offset and the size of each field in the order of the fields.
                pub const LAYOUT: (&'static str, usize, &'static [(&'static str, usize, usize)]) = (
                    $c_name,
                    size_of::<$name>(),
                    &[$((stringify!($field), std::mem::offset_of!($name, $field), size_of::<$type>())),*],
                );
            }
        )*
    };
}

layouts! {
    /// A place.
    PolicyPlace = "ocrPolicyPlace_t" {
        units: u32,
        load: u32,
    }

    /// A place where an EDT may run.
    PolicyOption = "ocrPolicyOption_t" {
        place: u32,
        behind: u32,
        copyNs: u64,
        bytes: u64,
    }

    /// An EDT.
    PolicyEdt = "ocrPolicyEdt_t" {
        kind: u64,
        priority: u64,
        bytes: u64,
        params: *const u64,
        options: *const PolicyOption,
        paramCount: u32,
        optionCount: u32,
    }

    /// What is known of how long an EDT takes in a place.
    PolicyTime = "ocrPolicyTime_t" {
        runNs: u64,
        atMostNs: u64,
        newestNs: u64,
        aloneNs: u64,
        besideNs: u64,
        slowdown: f64,
        error: f64,
        certainty: u32,
        isSpread: u32,
    }

    /// What a policy expects of an EDT in a place that it has looked at.
    PolicyExpected = "ocrPolicyExpected_t" {
        place: u32,
        unused: u32,
        queueNs: u64,
        copyNs: u64,
        runNs: u64,
    }

    /// The machine.
    PolicyMachine = "ocrPolicyMachine_t" {
        nowNs: u64,
        places: *const PolicyPlace,
        placeCount: u32,
        isRecorded: u32,
        time: unsafe extern "C" fn(*const PolicyMachine, *const PolicyEdt, u32) -> PolicyTime,
        pending: unsafe extern "C" fn(*const PolicyMachine, u64) -> u64,
        askAgain: unsafe extern "C" fn(*const PolicyMachine, u64),
        considered: unsafe extern "C" fn(*const PolicyMachine, *const PolicyEdt, u32, *const PolicyExpected, u32),
        runtime: *const c_void,
    }

    /// A policy: what its file defines under the name `ocrPolicy`.
    PolicyCalls = "ocrPolicy_t" {
        version: u32,
        properties: u32,
        begin: Option<unsafe extern "C" fn(u32, *const u64) -> *mut c_void>,
        end: Option<unsafe extern "C" fn(*mut c_void)>,
        choose: Option<unsafe extern "C" fn(*mut c_void, *const PolicyEdt, *const PolicyMachine) -> u32>,
        keep: Option<unsafe extern "C" fn(*mut c_void, *const PolicyEdt, *const PolicyMachine)>,
        take: Option<unsafe extern "C" fn(*mut c_void, u32, *const PolicyMachine) -> *const PolicyEdt>,
        ended: Option<unsafe extern "C" fn(*mut c_void, *const PolicyEdt, u32, *const PolicyMachine)>,
        tick: Option<unsafe extern "C" fn(*mut c_void, *const PolicyMachine)>,
    }
}
