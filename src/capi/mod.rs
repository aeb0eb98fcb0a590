//! The C boundary: one file per public header, named like it, with bodies of a few lines. Some files differ: `db.rs`
//! has `ocr-db-info.h`, too, and leaves `ocrDbCopy` to `copy.rs`, and a copy that
//! another node makes to `copier.rs`; `by_value.rs` has `ocr-db-by-value.h`, and
//! `partitioning.rs` has `ocr-db-partitioning.h`; `ocr.rs` has `ocr.h`, and `stats.rs` has `ocrProgressReport` of
//! `ocr-edt.h`. `shim.c` has what must be C (`ocr-std.h`, `main`). `loader.c` has no function of a header: it
//! says what is loaded, and which thread holds the dynamic loader's lock.
//!
//! The headers say what the arguments and the errors of each function are. A comment here says what the function does,
//! and which clause or extension defines it.
//!
//! [`sys`] has what the headers declare, and `export!` has the compiler check that each
//! function defined here has the type that its header declares. A panic does not leave a function:
//! it is reported, and the function returns a status that says so. Any bit pattern is accepted as a
//! GUID, and out pointers may be null where that means "not wanted".
//!
//! Beside them, `convert.rs` makes Rust of C's arguments. In `strict.rs` a call meets strict mode, in `attempts.rs` it
//! is held for an attempt, in `recorded.rs` it is recorded, and in `elsewhere.rs` it is about an object of another
//! node. `observed.rs` has the order of these. By `template_changes.rs` other nodes hear of changes of templates.

// What C programs call is public by its symbol, wherever it stands.
#![allow(unreachable_pub)]

pub use crate::abi::sys;

use crate::abi::Api;
use crate::check::calls;
use crate::check::calls::CallSpec;
use crate::engine::state::context::Context;
pub(crate) use crate::engine::state::user_call::{call_rust, is_called_by_rust};
use crate::object::guid::Guid;
pub(crate) use crate::object::template::PARAM_UNK;
use crate::status::Status;
use ocr_base::text::Readable;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Defines functions that C calls. The value behind `or` is what the function returns after a panic in its body.
macro_rules! export {
    ($(
        $(#[$meta:meta])*
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) -> $ret:ty, or $default:expr; $body:block
    )*) => {$(
        $(#[$meta])*
        ///
        /// # Safety
        /// Pointers must be as the header says: valid for what is read and written, or null where
        /// it allows that.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $ret {
            const CALL: Option<&$crate::check::calls::CallSpec> = $crate::abi::Api::$name.spec();
            #[cold]
            #[inline(never)]
            #[allow(clippy::too_many_arguments)]
            fn observed(call: &'static $crate::check::calls::CallSpec, $($arg: $ty),*) -> $ret {
                let words = [$($crate::capi::strict::word(&$arg)),*];
                $crate::capi::attempts::within(call, &words, || $crate::capi::guard($default, || $body)).into()
            }
            // The first arm is all that strict mode, recordings and attempts cost a call where they are off. The body
            // stands here more than once, since one function that all arms call would be inlined in none of them.
            match CALL {
                Some(call) if $crate::check::is_observed() => observed(call, $($arg),*),
                Some(call) => {
                    let outcome = $crate::capi::guard($default, || $body);
                    $crate::capi::look(call, &outcome);
                    outcome.into()
                }
                None if $crate::check::is_observed() => {
                    let guarded = || $crate::capi::guard($default, || $body);
                    $crate::capi::attempts::unchecked($crate::abi::Api::$name, guarded).into()
                }
                None => $crate::capi::guard($default, || $body).into(),
            }
        }

        const _: [unsafe extern "C" fn($($ty),*) -> $ret; 2] = [$crate::capi::sys::$name, $name];
    )*};
}

mod affinity;
mod attempts;
mod by_value;
mod checkpoint;
mod convert;
mod copier;
mod copy;
mod db;
mod debug;
mod edt;
mod elsewhere;
mod file;
mod guid_functions;
mod heterogeneous;
mod hints;
mod labeling;
mod legacy;
mod map_creator;
mod observed;
mod ocr;
mod opencl;
mod partitioning;
mod pause;
mod pdl;
mod recorded;
mod reduction_event;
mod runtime_itf;
mod stats;
mod strict;
mod template_changes;
mod variants;
mod version;

pub(crate) use attempts::leave_in_rust;

/// Runs the body of a C function, and returns `default` if it panics. The panic hook prints the message; the returned
/// value tells the program, which may end in order.
#[inline(always)]
fn guard<R>(default: R, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        Context::leave_calls();
        default
    })
}

/// Runs `f` with the context of this thread. Where no runtime runs, returns `none` and warns once.
#[inline]
fn with<R>(none: R, f: impl FnOnce(&mut Context) -> R) -> R {
    let Some(context) = Context::enter_call() else {
        warn_no_runtime();
        return none;
    };
    // SAFETY: `enter_call` has answered with the context of this thread, which is valid as long as the thread is in a
    // call. No other reference to it is in use, since calls from C do not nest.
    let result = f(unsafe { &mut *context });
    Context::leave_call();
    result
}

/// What the body of a C function returns: a [`Status`], or a value of another type.
trait CallOutcome {
    /// The returned status. None where the function returns a value of another type.
    #[inline(always)]
    fn status(&self) -> Option<Status> {
        None
    }

    /// What the function returns for a status, if that is what it returns, or nothing.
    fn of_status(_: Status) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

impl CallOutcome for Status {
    #[inline(always)]
    fn status(&self) -> Option<Status> {
        Some(*self)
    }

    fn of_status(status: Status) -> Option<Status> {
        Some(status)
    }
}

impl CallOutcome for () {
    fn of_status(_: Status) -> Option<()> {
        Some(())
    }
}

macro_rules! no_statuses {
    ($($type:ty)*) => {$(impl CallOutcome for $type {})*};
}

no_statuses!(bool u32 u64 f64 Guid sys::ocrGuid_t *const c_char *mut c_char Option<unsafe extern "C" fn()>);

/// Notes the status that a call returns, if it is an error.
#[inline(always)]
fn look(call: &'static CallSpec, outcome: &impl CallOutcome) {
    if let Some(status) = outcome.status()
        && !status.is_ok()
    {
        note_refusal(call, status);
    }
}

/// Records that a call was refused, for the message about a hang: a program that does not look at the status may hang
/// for it.
#[cold]
fn note_refusal(call: &CallSpec, status: Status) {
    // Only codes of misuse are recorded. Other codes are answers, or tell of the machine; and calls that are not strict
    // ask something.
    if call.is_strict()
        && let Some(code) = calls::code_of_misuse(status)
        && let Some(context) = Context::get()
    {
        // SAFETY: `get` has answered with the context of this thread, which is valid. Nothing writes to it here, since
        // calls from C do not nest and the body of this one has returned.
        let context = unsafe { &*context };
        let describe = || format!("{} returned {code}, in {}", call.shown(), context.who());
        context.runtime.registry.refusals.add(describe);
    }
    note_no_memory(call, status);
}

/// Warns once that a call found no memory, and records this for the message about a hang. Most programs do not look at
/// the status, and go on without the object. `ocrDbCreate` warns by itself, with the number of bytes.
#[cold]
fn note_no_memory(call: &CallSpec, status: Status) {
    if status != Status::ENOMEM {
        return;
    }
    if call.api != Api::ocrDbCreate
        && let Some(context) = Context::get()
    {
        // SAFETY: `get` has answered with the context of this thread, which is valid. Nothing writes to it here, since
        // calls from C do not nest and the body of this one has returned.
        let context = unsafe { &*context };
        let describe = || format!("{} returned OCR_ENOMEM, in {}", call.shown(), context.who());
        match call.api {
            Api::ocrDbCopy => warning_once!(
                "{}: the bytes are not all in these blocks, or there was no memory for an EDT that copies them.",
                describe()
            ),
            Api::ocrGuidRangeCreate | Api::ocrGuidMapCreate => warning_once!(
                "{}: fewer GUIDs of this kind are left than were asked for, or there was no memory to keep them apart.",
                describe()
            ),
            _ => warning_once!("{}: there was no host memory, or a limit of it is reached (ulimit -v).", describe()),
        }
        context.runtime.registry.refusals.add(describe);
    }
}

/// Warns once that a call does nothing, since no runtime runs. A program with its own `main` that forgets
/// `ocrLegacyInit` mostly does not look at what calls return.
#[cold]
fn warn_no_runtime() {
    warning_once!(
        "{} was called while no runtime runs, and does nothing: before ocrLegacyInit, \
         after ocrLegacyFinalize, or on a thread that goes on after the end of the run.",
        called_now().map_or("a function of OCR", Api::shown)
    );
}

/// The function of the interface that the program has called. None where the names on the stack do not tell.
fn called_now() -> Option<Api> {
    let stack = std::backtrace::Backtrace::force_capture().to_string();
    let mut frames = stack.lines().filter_map(|line| line.split_once(": "));
    frames.find_map(|(_, name)| Api::of_name(name.trim()))
}

impl From<sys::ocrGuid_t> for Guid {
    fn from(guid: sys::ocrGuid_t) -> Guid {
        Guid::from_bits(guid.guid as u64)
    }
}

impl From<Guid> for sys::ocrGuid_t {
    fn from(guid: Guid) -> sys::ocrGuid_t {
        sys::ocrGuid_t { guid: guid.bits() as i64 }
    }
}

/// Writes `value` to the out pointer `place`, unless that is null.
///
/// # Safety
/// `place` is null or valid for a write.
unsafe fn put<T>(place: *mut T, value: T) {
    if !place.is_null() {
        // SAFETY: the place is not null, so it is valid for a write, which the caller promises.
        unsafe { place.write(value) };
    }
}

/// An out pointer to a GUID as the reference that the engine takes. None for null.
///
/// # Safety
/// `place` is null, or valid for reads and writes as long as `'a`, and nothing else uses it meanwhile.
unsafe fn guid_place<'a>(place: *mut sys::ocrGuid_t) -> Option<&'a mut Guid> {
    // SAFETY: the caller passes null, or a place that is valid as long as `'a` and that nothing else uses meanwhile.
    // `Guid` is laid out as `ocrGuid_t`, and any bits are valid.
    unsafe { place.cast::<Guid>().as_mut() }
}

/// The text of a C string, for messages; empty for null. Bytes that are not UTF-8 are marked ([`Readable`]).
///
/// # Safety
/// `text` is null or ends with a zero.
unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        String::new()
    } else {
        // SAFETY: the caller passes a C string, which is not null here.
        Readable(unsafe { CStr::from_ptr(text) }.to_bytes()).to_string()
    }
}

/// The bytes of a C string without its final zero, unchanged; an empty slice for null.
///
/// # Safety
/// `text` is null or a C string that stays as it is for as long as `'a`.
unsafe fn bytes<'a>(text: *const c_char) -> &'a [u8] {
    if text.is_null() {
        &[]
    } else {
        // SAFETY: the caller passes a C string that stays, and it is not null here.
        unsafe { CStr::from_ptr(text) }.to_bytes()
    }
}
