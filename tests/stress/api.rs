//! The C interface, as the stress program calls it. A status that was not to be expected fails the
//! case.

use crate::graph::{Kind, Mode};
use crate::run::fail;
use ocr::capi::sys;
use std::ffi::{CStr, CString, c_void};
use std::ptr;

pub use sys::{ocrEdtDep_t as Dep, ocrGuid_t as Guid, ocrNdRange_t as Range};

pub type Function = unsafe extern "C" fn(u32, *mut u64, u32, *mut Dep) -> Guid;

pub const NULL: Guid = Guid { guid: 0 };
pub const OPEN: Guid = Guid { guid: -2 };
pub const NO_RESULT: u32 = u32::MAX;
pub const UNKNOWN: u32 = u32::MAX;
pub const EPERM: u8 = sys::OCR_EPERM as u8;
pub const EINVAL: u8 = sys::OCR_EINVAL as u8;
pub const EACCES: u8 = sys::OCR_EACCES as u8;

fn check(call: &str, status: u8) {
    check_one_of(call, status, &[0]);
}

/// Fails the case unless the status is one of those.
pub fn check_one_of(call: &str, status: u8, right: &[u8]) {
    if !right.contains(&status) {
        fail(format!("{call} returned {status}, not one of {right:?}"));
    }
}

pub fn mode_bits(mode: Mode) -> sys::ocrDbAccessMode_t {
    match mode {
        Mode::Null => sys::DB_MODE_NULL,
        Mode::Ro => sys::DB_MODE_RO,
        Mode::Const => sys::DB_MODE_CONST,
        Mode::Rw => sys::DB_MODE_RW,
        Mode::Ew => sys::DB_MODE_EW,
    }
}

/// A new event. A latch counts down from `counter`, which parameters or increments give it; a counted
/// event has so many dependences, and a channel event as much room.
pub fn event(kind: Kind, counter: u64, by_parameter: bool) -> Guid {
    let mut guid = NULL;
    let number = match kind {
        Kind::Once => sys::OCR_EVENT_ONCE_T,
        Kind::Idempotent => sys::OCR_EVENT_IDEM_T,
        Kind::Sticky => sys::OCR_EVENT_STICKY_T,
        Kind::Latch => sys::OCR_EVENT_LATCH_T,
        Kind::Counted => sys::OCR_EVENT_COUNTED_T,
        Kind::Channel => sys::OCR_EVENT_CHANNEL_T,
    };
    if matches!(kind, Kind::Counted | Kind::Channel) || kind == Kind::Latch && by_parameter {
        let mut params = sys::ocrEventParams_t::default();
        let of_kind = &mut params.__bindgen_anon_1;
        match kind {
            Kind::Counted => {
                of_kind.EVENT_COUNTED = sys::ocrEventCounterParams_t { nbDeps: counter };
            }
            Kind::Channel => {
                of_kind.EVENT_CHANNEL = sys::ocrEventChannelParams_t {
                    maxGen: counter as u32,
                    nbSat: 1,
                    nbDeps: 1,
                };
            }
            _ => of_kind.EVENT_LATCH = sys::ocrEventLatchParams_t { counter },
        }
        // SAFETY: both pointers are valid.
        let status = unsafe { sys::ocrEventCreateParams(&mut guid, number, 1, &mut params) };
        check("ocrEventCreateParams", status);
        return guid;
    }
    // SAFETY: the pointer is valid.
    let status = unsafe { sys::ocrEventCreate(&mut guid, number, 1) };
    check("ocrEventCreate", status);
    if kind == Kind::Latch {
        for _ in 0..counter {
            // SAFETY: takes no pointers.
            let status = unsafe { sys::ocrEventSatisfySlot(guid, NULL, 1) };
            check("ocrEventSatisfySlot", status);
        }
    }
    guid
}

pub fn satisfy(event: Guid, data: Guid) {
    check("ocrEventSatisfy", try_satisfy(event, data));
}

pub fn try_satisfy(event: Guid, data: Guid) -> u8 {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrEventSatisfy(event, data) }
}

pub fn destroy_event(event: Guid) {
    check("ocrEventDestroy", try_destroy_event(event));
}

pub fn try_destroy_event(event: Guid) -> u8 {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrEventDestroy(event) }
}

pub fn connect(source: Guid, destination: Guid, slot: usize, mode: Mode) {
    // SAFETY: takes no pointers.
    let status =
        unsafe { sys::ocrAddDependence(source, destination, slot as u32, mode_bits(mode)) };
    check("ocrAddDependence", status);
}

/// A new block of 32-bit words, and where it is; null if it is not acquired.
pub fn block(words: u32, acquire: bool) -> (Guid, *mut u32) {
    let (mut guid, mut address) = (NULL, ptr::null_mut::<c_void>());
    let flags = if acquire { 0 } else { 0x10 };
    // SAFETY: the pointers are valid, or null where that is allowed.
    let status = unsafe {
        sys::ocrDbCreate(
            &mut guid,
            &mut address,
            4 * u64::from(words),
            flags,
            ptr::null_mut(),
            sys::NO_ALLOC,
        )
    };
    check("ocrDbCreate", status);
    if acquire == address.is_null() {
        fail(format!(
            "ocrDbCreate, acquire {acquire}: address {address:?}"
        ));
    }
    (guid, address.cast())
}

pub fn release(block: Guid) {
    check("ocrDbRelease", try_release(block));
}

pub fn try_release(block: Guid) -> u8 {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrDbRelease(block) }
}

pub fn destroy_block(block: Guid) {
    // SAFETY: takes no pointers.
    let status = unsafe { sys::ocrDbDestroy(block) };
    check("ocrDbDestroy", status);
}

pub fn template(function: Function, paramc: u32, depc: u32, name: &CStr) -> Guid {
    let mut guid = NULL;
    // SAFETY: the pointers are valid.
    let status = unsafe {
        sys::ocrEdtTemplateCreate_internal(&mut guid, Some(function), paramc, depc, name.as_ptr())
    };
    check("ocrEdtTemplateCreate", status);
    guid
}

pub fn destroy_template(template: Guid) {
    // SAFETY: takes no pointers.
    let status = unsafe { sys::ocrEdtTemplateDestroy(template) };
    check("ocrEdtTemplateDestroy", status);
}

type RangeFunction = unsafe extern "C" fn(u32, *const u64, u32, *const u64, *mut Range);

pub fn add_kernel(
    template: Guid,
    source: &str,
    kernel: &CStr,
    range: RangeFunction,
    result_slot: u32,
) {
    let source = CString::new(source).unwrap_or_default();
    // SAFETY: the texts are C strings, or null where that is allowed.
    let status = unsafe {
        sys::ocrEdtTemplateAddKernel(
            template,
            source.as_ptr(),
            ptr::null(),
            kernel.as_ptr(),
            Some(range),
            result_slot,
        )
    };
    check("ocrEdtTemplateAddKernel", status);
}

pub fn kernel_template(source: &str, kernel: &CStr, paramc: u32, depc: u32) -> Guid {
    let mut guid = NULL;
    let source = CString::new(source).unwrap_or_default();
    // SAFETY: the texts are C strings, or null where that is allowed.
    let status = unsafe {
        sys::ocrOpenclTemplateCreate(
            &mut guid,
            source.as_ptr(),
            ptr::null(),
            kernel.as_ptr(),
            paramc,
            depc,
            ptr::null(),
        )
    };
    check("ocrOpenclTemplateCreate", status);
    guid
}

/// What an EDT is created with.
pub struct NewEdt<'a> {
    pub template: Guid,
    pub params: &'a mut [u64],
    pub depc: usize,
    /// As long as `depc`, or empty.
    pub depv: &'a mut [Guid],
    pub finish: bool,
    /// Whether its GUID is asked for.
    pub named: bool,
    /// Whether its output event is asked for.
    pub output: bool,
    /// Whether its template is of `ocrOpenclTemplateCreate`.
    pub kernel: bool,
}

impl NewEdt<'_> {
    /// The EDT and its output event, as far as they are asked for.
    pub fn create(self) -> (Guid, Guid) {
        let (mut guid, mut output) = (NULL, NULL);
        let paramc = self.params.len() as u32;
        let params = match self.params {
            [] => ptr::null_mut(),
            params => params.as_mut_ptr(),
        };
        let depv = match self.depv {
            [] => ptr::null_mut(),
            depv => depv.as_mut_ptr(),
        };
        let guid_place: *mut Guid = if self.named {
            &mut guid
        } else {
            ptr::null_mut()
        };
        let output_place: *mut Guid = if self.output {
            &mut output
        } else {
            ptr::null_mut()
        };
        let (depc, finish) = (self.depc as u32, self.finish as u16);
        let status = if self.kernel {
            // SAFETY: the arrays are as long as said, and the others are valid or null.
            unsafe {
                sys::ocrOpenclTaskCreate(
                    guid_place,
                    self.template,
                    1,
                    ptr::null(),
                    &1,
                    ptr::null(),
                    paramc,
                    params,
                    depc,
                    depv,
                    finish,
                    NULL,
                    output_place,
                )
            }
        } else {
            // SAFETY: the arrays are as long as said, and the others are valid or null.
            unsafe {
                sys::ocrEdtCreate(
                    guid_place,
                    self.template,
                    paramc,
                    params,
                    depc,
                    depv,
                    finish,
                    ptr::null_mut(),
                    output_place,
                )
            }
        };
        check("ocrEdtCreate", status);
        (guid, output)
    }
}

pub fn destroy_edt(edt: Guid) {
    // SAFETY: takes no pointers.
    let status = unsafe { sys::ocrEdtDestroy(edt) };
    check("ocrEdtDestroy", status);
}

pub fn shutdown() {
    // SAFETY: takes no pointers.
    unsafe { sys::ocrShutdown() };
}
