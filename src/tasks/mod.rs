//! OCR programs in safe Rust: EDTs as closures, data blocks as borrowed slices.
//!
//! | file | what |
//! |---|---|
//! | `block.rs` | data blocks, and the access modes in which an EDT can ask for one |
//! | `need.rs` | what an EDT can wait for: blocks, the values of other EDTs, events |
//! | `edt.rs` | EDTs whose work is a closure, and their values |
//! | `event.rs` | events and latches that the program satisfies |
//! | `template.rs` | work that is a function and OpenCL kernels |
//!
//! [`run`] begins a run of the runtime and returns when all EDTs have ended. Inside of it, [`spawn`] creates an EDT
//! that runs when all its needs are satisfied, and gets what it asked for as arguments:
//!
//! ```
//! use ocr::tasks::{Block, run, spawn};
//!
//! let sum = run(|| {
//!     let numbers = Block::new(&[1u32, 2, 3]);
//!     let doubled = spawn(numbers.ew(), |numbers| {
//!         for number in numbers {
//!             *number *= 2;
//!         }
//!     });
//!     spawn((numbers.ro(), doubled), |(numbers, ())| numbers.iter().sum::<u32>())
//! });
//! assert_eq!(sum.get(), Some(12));
//! ```
//!
//! `docs/guide/src/rust.md` introduces all this to people who write programs.
//!
//! # Why it is sound
//!
//! An EDT touches the content of a block by a slice, which lives no longer than its closure. Three facts keep slices
//! apart, and each has a place where it is held:
//!
//! 1. *Between EDTs* the runtime does: [`Ro`] asks for mode CONST, beside which no EDT writes, [`Ew`] for EW, beside
//!    which no other EDT holds the block in any of the three modes, and [`Rw`] for RW, whose holders see atomics. The
//!    mode RO of OCR, which admits writers, is not offered. (The table of modes: `memory/mod.rs`.)
//! 2. *Within an EDT* the same block may be asked for twice. No EDT is created where two of its slices would overlap
//!    and one of them could be written by (`need::sources_of`).
//! 3. *Between runs* a GUID means something else. A handle knows its run, and panics in another one. Only EDTs call the
//!    runtime (`IN_EDT`), and a run does not end while one runs: so nothing changes between that look and the call.
//!
//! A block has a value of its type in each element from its creation on. It is destroyed with its last handle, and each
//! EDT that asks for it holds one until it has run. An EDT that never runs, since its run ended before, leaks what its
//! closure has captured; a leak is safe. So is one of objects whose last handle is not dropped in an EDT: they go with
//! the run.
//!
//! What moves to another thread is `Send`: closures, needs, and blocks that are written. What several threads see is
//! `Sync`: blocks that are read, and values. All of it is `'static`, since an EDT may outlive whoever creates it.
//!
//! Kernels are not checked by anybody, so adding one is `unsafe` ([`Template::kernel`]).
//!
//! # Panics
//!
//! A panic in a closure ends the run: EDTs that have not begun do not run, and [`run`] panics with the payload of the
//! first one. None crosses the C boundary (`edt::guarded`). Calls that the runtime refuses panic with the name of the
//! call. So do calls outside of an EDT, also on threads that an EDT has started, and in the function that says how many
//! work-items a kernel has.

mod block;
mod edt;
mod event;
mod need;
mod template;

pub use block::{Block, Ew, Ro, Rw, Shared};
pub use bytemuck::Pod;
pub use edt::{Task, finish, spawn};
pub use event::{Event, Latch};
pub use need::Needs;
pub use template::{Blocks, NdRange, Template};

use crate::capi::{is_called_by_rust, sys};
use ocr_base::lock::{Mutex, rank};
use std::any::{Any, type_name_of_val};
use std::cell::Cell;
use std::panic::resume_unwind;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

/// Has the programs of the guide's chapter compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../docs/guide/src/rust.md")]
struct Guide;

/// Held while a run goes on: there is one at a time in a process.
static RUNNING: Mutex<rank::TasksRun, ()> = Mutex::new(());

/// Which run goes on, an odd number, or an even one between runs; none is used twice. `RUNNING` guards changes.
/// Relaxed: EDTs of a run read it, which begin after it was set for that run, and have ended before it changes.
static RUN: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether this thread calls the closure of an EDT. Only there does the program call the runtime: the run goes on,
    /// and what is created is in a finish scope, so that somebody waits for it.
    static IN_EDT: Cell<bool> = const { Cell::new(false) };
}

/// The payload of the first panic in an EDT of this run.
static PANIC: Mutex<rank::TasksPanic, Option<Box<dyn Any + Send>>> = Mutex::new(None);

/// Begins a run, has an EDT call `f`, and returns its value when all EDTs have ended that it and its descendants have
/// created. Settings come from the environment, as for every OCR program. Runs of several threads take turns.
///
/// # Panics
/// With the payload of the first panic in an EDT; where it is called inside an EDT.
///
/// The process ends with a message where the runtime cannot be started, or an EDT can never run.
pub fn run<R: Send + Sync + 'static>(f: impl FnOnce() -> R + Send + 'static) -> R {
    assert!(!is_called_by_rust(), "ocr::tasks::run is called inside an EDT, whose run goes on: use finish");
    let _running = RUNNING.lock();
    // SAFETY: the context is not wanted, and the settings come from the environment.
    unsafe { sys::ocrLegacyInit(ptr::null_mut(), ptr::null_mut()) };
    RUN.fetch_add(1, Relaxed);
    let (name, value) = (type_name_of_val(&f), Arc::new(OnceLock::new()));
    let answer = value.clone();
    edt::run_first(name, move || drop(answer.set(f())));
    edt::destroy_templates();
    // SAFETY: `ocrLegacyFinalize` gets no pointer. `run_first` has waited for the first EDT, and so for all others, or
    // the run has ended.
    unsafe { sys::ocrLegacyFinalize(NULL, false) };
    RUN.fetch_add(1, Relaxed);
    if let Some(payload) = PANIC.lock().take() {
        resume_unwind(payload);
    }
    let value = Arc::into_inner(value).and_then(|value| value.into_inner());
    value.expect("ocr::tasks::run: the run was ended (ocrShutdown or ocrAbort) before its first EDT had run")
}

/// `NULL_GUID`, which names no object.
const NULL: sys::ocrGuid_t = sys::ocrGuid_t { guid: 0 };

/// A pre-slot that is satisfied later.
const OPEN: sys::ocrGuid_t = sys::ocrGuid_t { guid: -2 };

/// An object of a run, which is destroyed with its last handle; with the run, if that is not dropped in an EDT of it.
struct Owned {
    guid: sys::ocrGuid_t,
    run: u64,
    destroy: Destroy,
}

type Destroy = unsafe extern "C" fn(sys::ocrGuid_t) -> u8;

impl Owned {
    /// Of an object that was just created.
    fn new(guid: sys::ocrGuid_t, destroy: Destroy) -> Arc<Owned> {
        let run = RUN.load(Relaxed);
        Arc::new(Owned { guid, run, destroy })
    }

    /// Whether its run goes on.
    fn is_of_this_run(&self) -> bool {
        self.run == RUN.load(Relaxed)
    }

    /// The object, for a call.
    #[track_caller]
    fn guid(&self) -> sys::ocrGuid_t {
        assert_in_edt();
        assert!(self.is_of_this_run(), "an object of ocr::tasks is used after its run: it has ended with that");
        self.guid
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        if IN_EDT.get() && self.is_of_this_run() {
            // SAFETY: `destroy` is one of OCR's functions that destroy an object. It gets no pointer, and answers any
            // GUID with a status.
            unsafe { (self.destroy)(self.guid) };
        }
    }
}

/// Panics outside of EDTs. Within them the run goes on until they have returned.
#[track_caller]
fn assert_in_edt() {
    assert!(
        IN_EDT.get(),
        "ocr::tasks is called outside of an EDT: in the closure of run, spawn, finish or a template, on the thread that \
         runs it, calls are allowed"
    );
}

/// Panics unless a call has succeeded.
#[track_caller]
fn check(call: &str, status: u8) {
    assert!(status == 0, "{call} was refused with status {status} (the codes are in ocr-errors.h)");
}
