//! `extensions/ocr-stats.h`: what a run has done so far. Also `ocrProgressReport` of `ocr-edt.h`, by which the program
//! itself reports progress.

use super::pdl::lasting;
use super::{sys, with};
use crate::status::Status;
use std::ffi::c_char;
use std::sync::atomic::Ordering;

export! {
    /// Writes what this run has counted so far. An extension of this runtime.
    fn ocrStatsGet(stats: *mut sys::ocrStats_t) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place, which nothing else uses during the call.
        let Some(place) = (unsafe { stats.as_mut() }) else { return Status::EINVAL };
        with(Status::EPERM, |context| {
            let summary = context.runtime.summary();
            *place = sys::ocrStats_t {
                functionEdts: summary.counts.function_edts,
                kernelEdts: summary.counts.kernel_edts,
                kernelsAhead: summary.counts.kernels_ahead,
                bytesToDevices: summary.bytes_in(),
                bytesFromDevices: summary.bytes_out(),
                workers: summary.workers as u64,
                devices: summary.devices.len() as u64,
            };
            Status::OK
        })
    }

    /// The name of the placement policy of this run, valid to the end of the process. Empty where no runtime runs.
    fn ocrPolicyName() -> *const c_char, or c"".as_ptr(); {
        with(c"".as_ptr(), |context| lasting(context.runtime.policy_name.clone()).as_ptr())
    }

    /// Adds to the number by which the program reports its progress.
    fn ocrProgressReport(progress: u64) -> u8, or Status::EFAULT; {
        with(Status::EPERM, |context| {
            // Relaxed: the sum is for reports alone, and orders nothing.
            context.runtime.registry.progress.fetch_add(progress, Ordering::Relaxed);
            Status::OK
        })
    }

    /// Does nothing and returns `OCR_ENOTSUP`: application groups are not supported.
    fn ocrApplicationGroup(_group: u64) -> u8, or Status::EFAULT; { Status::ENOTSUP }
}
