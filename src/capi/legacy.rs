//! `extensions/ocr-legacy.h`: OCR inside a program that has its own `main`.

use crate::abi::Api;
use crate::capi::edt::{FINISH, More, OEVT_VALID, add_dependence, create_edt};
use crate::capi::elsewhere::labels::{event_state, is_channel_ready};
use crate::capi::{bytes, elsewhere, put, sys, with};
use crate::check::history::What;
use crate::engine::run::{legacy, serve};
use crate::engine::state::waiters::WaitResult;
use crate::object::event::EventKind;
use crate::object::guid::{Guid, Kind};
use crate::object::template::PARAM_DEF;
use crate::status::Status;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;
use sys::{ocrConfig_t, ocrGuid_t};

/// The generation of a run's GUID, which tells it from the GUID of a place or a worker.
const RUN_GENERATION: u32 = 2;

export! {
    /// Takes the runtime's options out of `argv`, and fills `*config` for `ocrLegacyInit`. OCR 1.2, legacy.
    fn ocrParseArgs(
        argc: c_int,
        argv: *mut *const c_char,
        config: *mut ocrConfig_t,
    ) -> (), or (); {
        // SAFETY: the header asks for the arguments of `main`, which are C strings, and allows a null pointer before
        // `argc`.
        let left = unsafe { take_arguments(argc, argv) };
        let file = legacy::settings_file().map(|file| file.into_os_string().into_vec());
        let file = file.and_then(|file| std::ffi::CString::new(file).ok());
        // SAFETY: the header asks for a valid place, which nothing else uses during the call.
        let Some(config) = (unsafe { config.as_mut() }) else { return };
        config.userArgc = left;
        config.userArgv = argv.cast();
        // The name is never freed: programs keep the structure for as long as they run, and few call this twice.
        config.iniFile = file.map_or(std::ptr::null(), |file| file.into_raw().cast_const());
    }

    /// Starts a run in a program that has its own `main`. OCR 1.2, legacy.
    fn ocrLegacyInit(context: *mut ocrGuid_t, config: *mut ocrConfig_t) -> (), or (); {
        // SAFETY: the header asks for null or a valid structure.
        let file = unsafe { config.as_ref() }.map(|config| {
            // SAFETY: the header asks for null or a C string in `iniFile`, which no thread changes during the call.
            unsafe { bytes(config.iniFile) }
        });
        // A relative name that the program gives is looked up in its current directory, not where the process began.
        let file = file.filter(|file| !file.is_empty()).map(|file| {
            let file = PathBuf::from(OsStr::from_bytes(file));
            std::path::absolute(&file).unwrap_or(file)
        });
        serve::make_calls_by(elsewhere::make_call);
        legacy::begin(file);
        // SAFETY: the header asks for a valid place.
        unsafe { put(context, Guid::new(Kind::Affinity, RUN_GENERATION, 1).into()) };
    }

    /// Ends the run: at once, or when an EDT or a thread has called `ocrShutdown` or `ocrAbort`. OCR 1.2, legacy.
    fn ocrLegacyFinalize(_context: ocrGuid_t, run_until_shutdown: bool) -> u8, or Status::EFAULT; {
        legacy::end(run_until_shutdown).map_or(Status::EPERM, |code| Status::of_number(code as u8))
    }

    /// Creates a finish EDT, and a sticky event that is satisfied when its finish scope closes. OCR 1.2, legacy.
    fn ocrLegacySpawnOCR(
        handle: *mut ocrGuid_t,
        template: ocrGuid_t,
        paramc: u64,
        paramv: *mut u64,
        depc: u64,
        depv: *mut ocrGuid_t,
        _context: ocrGuid_t,
    ) -> u8, or Status::EFAULT; {
        let (Ok(paramc), Ok(depc)) = (u32::try_from(paramc), u32::try_from(depc)) else {
            return Status::EINVAL;
        };
        if handle.is_null() || depv.is_null() || depc == 0 {
            return Status::EINVAL;
        }
        let event = with(Err(Status::EPERM), |context| {
            let view = context.runtime.objects.templates.view(template.into());
            if depc == PARAM_DEF && view.is_some_and(|view| view.depc == 0) {
                return Err(Status::EINVAL);
            }
            let events = &context.runtime.objects.events;
            let event = events.create_plain(&mut context.caches.events, EventKind::Sticky, 0);
            let event = event.ok_or(Status::ENOMEM)?;
            if let Some(check) = &context.runtime.check {
                let (objects, act) = (&context.runtime.objects, (Api::ocrLegacySpawnOCR, context.who()));
                check.created(objects, event, What::STICKY, act);
            }
            Ok(event)
        });
        let mut output = match event {
            Ok(event) => ocrGuid_t::from(event),
            Err(code) => return code,
        };
        // SAFETY: `depv` is not null and `depc` not 0, so the header asks for at least one element that may be written.
        unsafe { depv.write(Guid::UNINITIALIZED.into()) };
        let mut edt = Guid::NULL.into();
        let paramv = if paramc == 0 { std::ptr::null_mut() } else { paramv };
        // SAFETY: the header asks for arrays with `paramc` and `depc` elements. The places of the two GUIDs are
        // variables of this function, and the output's has the event in it, as `OEVT_VALID` says.
        let created = unsafe {
            create_edt(
                &mut edt,
                template,
                (paramc, paramv),
                (depc, depv),
                FINISH | OEVT_VALID,
                More {
                    range: None,
                    hints: None,
                },
                &mut output,
            )
        };
        if !created.is_ok() {
            with((), |context| {
                let _ = context.with_graph(|graph| graph.destroy_event(output.into()));
            });
            return created;
        }
        // The first pre-slot of the EDT is not satisfied yet, so the EDT has not begun.
        with((), |context| {
            if let Some(check) = &context.runtime.check {
                check.history.created_through(edt.into(), Api::ocrLegacySpawnOCR);
            }
        });
        // SAFETY: the header asks for a valid place.
        unsafe { put(handle, output) };
        add_dependence(Guid::NULL.into(), 0, edt, 0, sys::DB_MODE_NULL)
    }

    /// Waits until a sticky or idempotent event is satisfied, and writes the block that it carries, where that begins
    /// and its size in bytes. OCR 1.2, legacy.
    fn ocrLegacyBlockProgress(
        handle: ocrGuid_t,
        guid: *mut ocrGuid_t,
        result: *mut *mut c_void,
        size: *mut u64,
        properties: u16,
    ) -> u8, or Status::EFAULT; {
        let (code, answer) = match block(handle.into(), properties) {
            Ok(answer) => (Status::OK, answer),
            Err(code) => (code, NOTHING),
        };
        // SAFETY: the header asks for null or a valid place.
        unsafe { put(guid, answer.data.into()) };
        // SAFETY: the header asks for null or a valid place for the address.
        unsafe { put(result, answer.address.cast()) };
        // SAFETY: the header asks for null or a valid place for the size.
        unsafe { put(size, answer.size) };
        code
    }

    /// Waits until an event of any kind is satisfied, and returns the GUID of its block. OCR 1.2, legacy.
    fn ocrWait(event: ocrGuid_t) -> ocrGuid_t, or Guid::ERROR; {
        let answer = with(None, |context| context.wait_for(event.into(), Api::ocrWait).ok());
        answer.map_or(Guid::ERROR, |answer| answer.data)
    }
}

export! {
    /// Whether a dependence that is added to a channel event now would be satisfied at once. OCR 1.2, legacy.
    fn ocrLegacyIsChannelReady(channel: ocrGuid_t) -> bool, or false; {
        let here = || with(false, |context| context.runtime.objects.is_channel_ready(channel.into()));
        is_channel_ready(channel.into()).unwrap_or_else(here)
    }
}

/// The result of a wait that has failed.
const NOTHING: WaitResult = WaitResult { data: Guid::NULL, address: std::ptr::null_mut(), size: 0 };

/// Waits for a sticky or idempotent event as the `LEGACY_PROP_` values in `properties` say. The error is the status of
/// `ocrLegacyBlockProgress`.
fn block(handle: Guid, properties: u16) -> Result<WaitResult, Status> {
    let (waits, polls) = (properties & sys::LEGACY_PROP_WAIT_FOR_CREATE != 0, properties & sys::LEGACY_PROP_CHECK != 0);
    if let Some(state) = event_state(handle, waits) {
        return match state? {
            1 if polls => Err(Status::EINVAL),
            1 | 2 => with(Err(Status::EPERM), |context| {
                context.wait_for(handle, Api::ocrLegacyBlockProgress).map_err(Status::from)
            }),
            _ => Err(Status::EINVAL),
        };
    }
    with(Err(Status::EPERM), |context| {
        let runtime = context.runtime;
        let kind_of = |guid| runtime.objects.event_kind(guid);
        let mut kind = kind_of(handle);
        if kind.is_none() && waits {
            if !context.wait_for_labeled_event(handle, Api::ocrLegacyBlockProgress) {
                return Err(if runtime.end.is_ending() {
                    Status::ECANCELED
                } else if context.has_paused() {
                    Status::EPERM
                } else {
                    Status::EINVAL
                });
            }
            kind = kind_of(handle);
        }
        let lasts = matches!(kind, Some(EventKind::Sticky | EventKind::Idempotent));
        if !lasts || polls && !runtime.is_satisfied(handle) {
            return Err(Status::EINVAL);
        }
        context.wait_for(handle, Api::ocrLegacyBlockProgress).map_err(Status::from)
    })
}

/// Takes the runtime's options out of `argv`, and says how many arguments are left.
///
/// # Safety
/// `argv` is null, or an array of `argc` C strings, or of fewer and a null pointer. Nothing else uses it during the
/// call.
unsafe fn take_arguments(argc: c_int, argv: *mut *const c_char) -> c_int {
    if argv.is_null() {
        return 0;
    }
    let at = |index: usize| argv.wrapping_add(index);
    // SAFETY: `take_while` stops at the first null pointer and the range at `argc`: whichever comes first, the
    // elements before are in the array, and so is the null pointer.
    let read = |index: usize| unsafe { at(index).read() };
    let all: Vec<*const c_char> = (0..argc.max(0) as usize).map(read).take_while(|arg| !arg.is_null()).collect();
    let text = |arg: *const c_char| {
        // SAFETY: `arg` is an element of `argv` before its end and is not null, so it is a C string.
        let arg = unsafe { CStr::from_ptr(arg) };
        OsStr::from_bytes(arg.to_bytes()).to_os_string()
    };
    let mut args: Vec<_> = all.iter().map(|&arg| text(arg)).collect();
    legacy::take_arguments(&mut args);
    // The arguments that are kept stand in `args` in their former order.
    let mut left = 0;
    for &arg in &all {
        if args.get(left).is_some_and(|kept| *kept == text(arg)) {
            // SAFETY: `left` counts the arguments kept so far, of which there are no more than elements before this
            // one, so it is the index of an element of `argv`.
            unsafe { at(left).write(arg) };
            left += 1;
        }
    }
    if left < all.len() {
        // SAFETY: `left` is below the number of elements, so it is the index of one. The argument that stood there has
        // been moved, or was taken out.
        unsafe { at(left).write(std::ptr::null()) };
    }
    left as c_int
}
