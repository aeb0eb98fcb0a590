//! `ocr-version.h` and `ocr-types.h`: versions, and arithmetic on GUIDs.

use super::sys;
use std::ffi::CStr;
use sys::ocrGuid_t;

export! {
    /// The first number of a version string; 0 if there is none.
    fn ocrVersionExtractMajor(version: *mut u8) -> u32, or 0; {
        // SAFETY: the header asks for null or a C string.
        unsafe { version_part(version, 0) }
    }

    /// The second number of a version string; 0 if there is none.
    fn ocrVersionExtractMinor(version: *mut u8) -> u32, or 0; {
        // SAFETY: the header asks for null or a C string.
        unsafe { version_part(version, 1) }
    }

    /// The third number of a version string; 0 if there is none.
    fn ocrVersionExtractPatch(version: *mut u8) -> u32, or 0; {
        // SAFETY: the header asks for null or a C string.
        unsafe { version_part(version, 2) }
    }

    /// The extensions that this library has, as a sum of the `OCR_VERSION_..._BIT` values of `ocr-version.h`.
    fn ocrVersionExtensionBitmap() -> u64, or 0; {
        let bits = [
            sys::OCR_VERSION_LEGACY_BIT,
            sys::OCR_VERSION_AFFINITY_BIT,
            sys::OCR_VERSION_PARAMS_EVT_BIT,
            sys::OCR_VERSION_COUNTED_EVT_BIT,
            sys::OCR_VERSION_RTITF_BIT,
            sys::OCR_VERSION_PAUSE_BIT,
            sys::OCR_VERSION_LABELING_BIT,
            sys::OCR_VERSION_HINTS_BIT,
            sys::OCR_VERSION_CHANNEL_EVT_BIT,
            sys::OCR_VERSION_COLLECTIVE_EVT_BIT,
            sys::OCR_VERSION_MULTI_OUTPUT_SLOT_BIT,
            sys::OCR_VERSION_DB_INFO_BIT,
            sys::OCR_VERSION_DEBUG_BIT,
            sys::OCR_VERSION_HETEROGENEOUS_BIT,
            sys::OCR_VERSION_BYVALUE_DB_BIT,
            sys::OCR_VERSION_DB_PARTITIONING_BIT,
            sys::OCR_VERSION_FILE_BIT,
            sys::OCR_VERSION_MAP_CREATOR_BIT,
            sys::OCR_VERSION_OPENCL_BIT,
            sys::OCR_VERSION_PDL_BIT,
            sys::OCR_VERSION_VARIANTS_BIT,
            sys::OCR_VERSION_STATS_BIT,
            sys::OCR_VERSION_CHECKPOINT_BIT,
        ];
        bits.into_iter().fold(0, |all, bit| all | bit as u64)
    }

    /// The GUID that lies `value` behind `input`. Functions of GUID maps use this to find a GUID. OCR 1.2.
    fn addValueToGuid(input: ocrGuid_t, value: u64) -> ocrGuid_t, or input; {
        ocrGuid_t { guid: input.guid.wrapping_add(value as i64) }
    }
}

/// The number at position `part`, from 0, of a version string such as "1.1.0"; 0 if there is none.
///
/// # Safety
/// `version` is null or ends with a zero.
unsafe fn version_part(version: *mut u8, part: usize) -> u32 {
    if version.is_null() {
        return 0;
    }
    // SAFETY: the text is not null here, so it ends with a zero, as the caller promises.
    let text = unsafe { CStr::from_ptr(version.cast()) }.to_string_lossy();
    text.split('.').nth(part).and_then(|number| number.parse().ok()).unwrap_or(0)
}
