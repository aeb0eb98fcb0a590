//! What leaves without the runtime's doing: a thread that has called the runtime, or that the runtime needs, and a
//! process that ends by `exit`.

use crate::abi::Api;
use crate::device::{is_thread_of_opencl, why_ended};
use crate::engine::attempt::calls::open_here;
use crate::engine::attempt::point::protected_here;
use crate::engine::life::range::asks_range_of;
use crate::engine::nodes::outbox;
use crate::engine::state::attempt::WhyOpen;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::{exit_now, flush_output, status_after_output};
use crate::engine::state::fork;
use crate::engine::state::loader;
use crate::engine::state::runtime::Runtime;
use crate::object::name::EdtName;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, Ordering};

/// Called by the C library when the process ends by `exit`, after what the program has registered for that
/// (`src/capi/shim.c`), where a run may be going on: then its report is written all the same. And here what
/// the program has printed is written at last.
#[unsafe(no_mangle)]
extern "C" fn ocrProcessEnds(status: c_int, _: *mut c_void) {
    loader::process_ends();
    if !fork::is_first() {
        return;
    }
    // What an attempt holds has happened by now for the program.
    if let Some(point) = protected_here() {
        point.inside(|| open_here(point, WhyOpen::Called(Api::ocrAbort)));
    }
    end_in_run(status);
    // The C library writes what is left of the output behind this, and says nothing of what it cannot write.
    if Runtime::was_begun() {
        let after = status_after_output(status);
        if after != status {
            exit_now(after);
        }
    }
}

/// The process ends, perhaps in the middle of a run. Does nothing a second time.
pub(crate) fn end_in_run(status: c_int) {
    /// Swaps pair with each other.
    static HAS_ENDED: AtomicBool = AtomicBool::new(false);
    if HAS_ENDED.swap(true, Ordering::SeqCst) {
        return;
    }
    let Some(runtime) = Runtime::current() else {
        return;
    };
    if runtime.end.is_ending() {
        runtime.end.leave_it_to_who_exits();
        // A program with its own main that has called ocrShutdown, and leaves without ocrLegacyFinalize.
        if runtime.legacy {
            runtime.end_recording(status);
        }
        return;
    }
    let by_opencl = is_thread_of_opencl() && asks_range_of().is_none();
    runtime.last_words(status, || {
        if by_opencl {
            // What PoCL is made of ends the process so where it has no room for a file, for instance.
            flush_output();
            error!(
                "OpenCL itself has ended the program, by exit({status}) on a thread of its own; the lines above may say \
                 why.{}",
                why_ended()
            );
        // A node that ends since node 0 does has not called `exit` of itself.
        } else if runtime.check.is_some() && !outbox::is_over() {
            flush_output();
            strict_note!("{}", told(status, runtime.legacy));
        }
    });
}

/// What strict mode says of a call of `exit`, here.
fn told(status: c_int, legacy: bool) -> String {
    let (who, how) = match (Context::running_here(), legacy) {
        (Some(edt), _) => (EdtName::of(edt).to_string(), ""),
        (None, false) => ("a thread of the program".to_string(), ""),
        (None, true) => ("the program".to_string(), ", or returned from its main,"),
    };
    let instead = if !legacy { "ocrShutdown, or ocrAbort with a status" } else { "ocrShutdown and ocrLegacyFinalize" };
    format!(
        "{who} called exit({status}){how} while the runtime runs. EDTs that are not done are not \
         waited for, and objects that are left are not listed. An OCR program ends with {instead} \
         (OCR 1.1.0, 2.3)."
    )
}
