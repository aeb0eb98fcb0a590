//! `extensions/ocr-variants.h`: templates with C functions and kernels.

use crate::capi::template_changes::tell_of_change;
use crate::capi::{bytes, sys, text, with};
use crate::engine::calls::kernels::{Added, NewKernel};
use crate::object::code::{Code, CodeName, EdtFunction, NdRangeFunction};
use crate::object::guid::Guid;
use crate::object::template::TemplateView;
use crate::status::Status;
use std::convert::Infallible;
use std::ffi::c_char;
use sys::{ocrEdt_t, ocrGuid_t, ocrNdRangeFn_t};

export! {
    /// Adds an OpenCL kernel to a template, as a variant that its EDTs can run. An extension of this runtime.
    fn ocrEdtTemplateAddKernel(
        template: ocrGuid_t,
        source: *const c_char,
        options: *const c_char,
        name: *const c_char,
        range: ocrNdRangeFn_t,
        result_slot: u32,
    ) -> u8, or Status::EFAULT; {
        if range.is_none() {
            return Status::EINVAL;
        }
        // SAFETY: the header asks for C strings or null, which no thread changes during the call.
        unsafe { add_kernel(template.into(), source, options, name, range, result_slot) }
    }

    /// Gives a template a C function, in place of the one that it had. An extension of this runtime.
    fn ocrEdtTemplateAddFunction(
        template: ocrGuid_t,
        function: ocrEdt_t,
        name: *const c_char,
    ) -> u8, or Status::EFAULT; {
        let Some(function) = super::convert::edt_function(function) else { return Status::EINVAL };
        // SAFETY: the header asks for null or a C string.
        let name = unsafe { text(name) };
        add_function(template.into(), function, &name)
    }
}

/// Adds a kernel to a template. Without `range` each EDT is created with its index space. Error: `OCR_EINVAL` for a
/// null source or name, no such template or pre-slot, or a program that does not build. Where a device refuses calls
/// that are not about the source, and the template has a C function, that is a warning.
///
/// # Safety
/// The texts are C strings that no thread changes during the call, or null.
pub(super) unsafe fn add_kernel(
    template: Guid,
    source: *const c_char,
    options: *const c_char,
    name: *const c_char,
    range: ocrNdRangeFn_t,
    result_slot: u32,
) -> Status {
    if source.is_null() || name.is_null() {
        return Status::EINVAL;
    }
    // SAFETY: the caller passes a C string, which is not null here and stays as it is during the call.
    let source = unsafe { bytes(source) };
    // SAFETY: the caller passes null or a C string, which stays as it is during the call.
    let options = unsafe { bytes(options) };
    // SAFETY: the caller passes a C string, which is not null here.
    let name = unsafe { text(name) };
    // SAFETY: both are pointers to functions of one C type, spelt with types of the same layout.
    let range = unsafe { std::mem::transmute::<ocrNdRangeFn_t, Option<NdRangeFunction>>(range) };
    add_new(template, &NewKernel { source, options, name: &name, range, result_slot })
}

/// Adds a kernel to a template, as [`add_kernel`].
pub(super) fn add_new(template: Guid, new: &NewKernel<'_>) -> Status {
    let status = with(Status::EPERM, |context| {
        let context = &*context;
        let templates = &context.runtime.objects.templates;
        let mut added = Added::Refused;
        let add = |view| {
            let (work, how) = context.add_kernel(view, new);
            added = how;
            Ok::<&'static Code, Infallible>(work)
        };
        let changed = templates.change(template, add, |view, work| context.release_new(view, work));
        match added {
            Added::Left => context.runtime.is_left(),
            // It may have opened devices for others, too.
            Added::Usable | Added::Refused => context.runtime.build_left(),
        }
        if changed.is_none() || added == Added::Refused { Status::EINVAL } else { Status::OK }
    });
    tell_of_change(template);
    status
}

/// Gives a template a C function, and a name unless that is empty.
pub(super) fn add_function(template: Guid, function: EdtFunction, name: &str) -> Status {
    let status = with(Status::EPERM, |context| {
        let objects = &context.runtime.objects;
        let add = |view: TemplateView| {
            let mut work = view.work.clone();
            work.function = Some(function);
            if !name.is_empty() {
                work.name = CodeName::fixed(name);
            }
            Ok::<&'static Code, Status>(objects.code_table.intern(work))
        };
        match objects.templates.change(template, add, |_, _| {}) {
            Some(Ok(())) => Status::OK,
            Some(Err(status)) => status,
            None => Status::EINVAL,
        }
    });
    tell_of_change(template);
    status
}
