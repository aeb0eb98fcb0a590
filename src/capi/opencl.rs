//! `extensions/ocr-opencl.h`: templates and EDTs of kernels alone, as in OCR-Vx.

use crate::capi::edt::More;
use crate::capi::{guid_place, sys, text, with};
use crate::engine::life::hints::{node_of, place_of};
use crate::engine::state::context::Context;
use crate::object::code::{Code, NO_RESULT};
use crate::object::edt::ExplicitRange;
use crate::object::guid::Guid;
use crate::status::Status;
use ocr_place::place::Place;
use std::ffi::c_char;
use sys::ocrGuid_t;

export! {
    /// Creates a template whose EDTs run an OpenCL kernel. OCR-Vx.
    fn ocrOpenclTemplateCreate(
        guid: *mut ocrGuid_t,
        source: *const c_char,
        options: *const c_char,
        kernel: *const c_char,
        paramc: u32,
        depc: u32,
        name: *const c_char,
    ) -> u8, or Status::EFAULT; {
        // SAFETY: the header asks for a valid place.
        let Some(place) = (unsafe { guid_place(guid) }) else { return Status::EINVAL };
        if source.is_null() || kernel.is_null() {
            return Status::EINVAL;
        }
        // SAFETY: the header asks for C strings, or null for the name, in whose place the kernel's is taken.
        let name = unsafe { text(if name.is_null() { kernel } else { name }) };
        let work = Code::of_kernels(&name);
        let mut template = Guid::NULL;
        let status = super::edt::create_template(&mut template, work, paramc, depc);
        if !status.is_ok() {
            return status;
        }
        // SAFETY: the header asks for C strings, or null for the options.
        let status = unsafe {
            super::variants::add_kernel(template, source, options, kernel, None, NO_RESULT)
        };
        if status.is_ok() {
            *place = template;
        } else {
            super::edt::destroy_template(template);
        }
        status
    }

    /// Creates an EDT of a template with kernels, with the numbers of its work-items and, if given, its device. OCR-Vx.
    fn ocrOpenclTaskCreate(
        guid: *mut ocrGuid_t,
        template: ocrGuid_t,
        work_dim: u32,
        global_work_offset: *const usize,
        global_work_size: *const usize,
        local_work_size: *const usize,
        paramc: u32,
        paramv: *mut u64,
        depc: u32,
        depv: *mut ocrGuid_t,
        properties: u16,
        affinity: ocrGuid_t,
        output: *mut ocrGuid_t,
    ) -> u8, or Status::EFAULT; {
        if !(1..=3).contains(&work_dim) || global_work_size.is_null() {
            return Status::EINVAL;
        }
        let sizes = [global_work_offset, global_work_size, local_work_size];
        // SAFETY: the header asks for `work_dim` numbers at each place, or null.
        let range = match unsafe { range(template.into(), work_dim, sizes, affinity.into()) } {
            Ok(range) => range,
            Err(status) => return status,
        };
        let more = More { range: Some(&range), hints: None };
        // SAFETY: the header asks for valid arrays and places, or null.
        unsafe {
            super::edt::create_edt(
                guid, template, (paramc, paramv), (depc, depv), properties, more, output,
            )
        }
    }
}

/// The index space of an EDT of a template of this node: its offset, global and local sizes in `work_dim` dimensions,
/// at most 3, and its device.
///
/// # Safety
/// Each place of `all` is null or has `work_dim` elements.
pub(super) unsafe fn range(
    template: Guid,
    work_dim: u32,
    all: [*const usize; 3],
    affinity: Guid,
) -> Result<ExplicitRange, Status> {
    let device = with(Err(Status::EPERM), |context| {
        let view = context.runtime.objects.templates.view(template);
        if view.is_some_and(|view| !view.work.kernels.is_empty()) {
            // A manager's thread is the one that builds.
            if !context.is_manager && context.runtime.devices.later.is_any_left() {
                context.runtime.open_what_was_put_off();
            }
            device_of(context, affinity)
        } else {
            Err(Status::EINVAL)
        }
    })?;
    // SAFETY: the caller passes null or `work_dim` numbers at each place.
    let [offset, global, local] = all.map(|place| unsafe { sizes(place, work_dim) });
    Ok(ExplicitRange { work_dim: work_dim.into(), offset, global, local, device })
}

/// The sizes of an index space in up to three dimensions: `count` numbers, and 0 for the rest. All are 0 for null.
///
/// # Safety
/// `from` is null or has `count` elements, at most 3.
unsafe fn sizes(from: *const usize, count: u32) -> [u64; 3] {
    let mut sizes = [0; 3];
    if !from.is_null() {
        for (at, size) in sizes.iter_mut().enumerate().take(count as usize) {
            // SAFETY: `from` is not null, so it has `count` elements, and `at` is below `count`.
            *size = unsafe { from.wrapping_add(at).read() } as u64;
        }
    }
    sizes
}

/// The index of the device that an affinity names, among those in use; `u64::MAX` for `NULL_GUID` and a node, whose
/// runtime chooses. Error: `OCR_ENODEV` for anything else.
fn device_of(context: &Context, affinity: Guid) -> Result<u64, Status> {
    if affinity.is_null() || node_of(affinity).is_some() {
        return Ok(u64::MAX);
    }
    let in_use = context.runtime.devices.in_use().len();
    match place_of(affinity).map(Place::device_index) {
        // The one node, with all its devices.
        Some(None) => Ok(u64::MAX),
        Some(Some(device)) if device < in_use => Ok(device as u64),
        _ => Err(Status::ENODEV),
    }
}
