//! A runtime for the Open Community Runtime (OCR) programming model on one machine with CPU cores
//! and OpenCL devices.
//!
//! Programs are written in C or C++ against the headers in `include/` and link `libocr`. This crate
//! is what stands behind them, and the command `ocr`. Its rooms, from the outside in; each knows
//! only those after it (but `report` looks at objects and at the history of `check`, and `config` has
//! `device` and `sched` read their settings), and `graph`, `memory`, `sched` and `device` do not know each
//! other:
//!
//! * [`capi`]: the C boundary, about one file per public header. Panics and null pointers stop here.
//! * [`engine`]: the life of an EDT, step by step. The one room that knows the rooms below.
//! * [`graph`]: dependences: connect, satisfy, trigger; finish scopes.
//! * [`memory`]: data blocks: access modes, acquire and release, who waits.
//! * [`sched`]: ready queues, sleep and wake, placement policies.
//! * [`device`]: OpenCL: discovery, the manager thread of a device, buffers, programs, launches.
//! * [`check`]: strict mode: the history of objects, and the words for a misuse.
//! * [`object`]: what OCR objects are and how their state changes; no OpenCL.
//! * [`report`]: what a run tells about itself. It is told; for the picture it looks at objects.
//! * [`config`]: every setting, from environment, file and `-ocr:` arguments.
//! * `directory`: the directory in which the process was started, which relative names in settings are of.
//! * `heap`: the runtime's own memory, and what happens where there is none.
//! * `message`: messages that are made without memory.
//! * [`platform`]: the description of the machine in a file, with measured speeds of links.
//! * `symbols`: the names of the program's functions, for messages.
//! * `sync`: the atomics of the protocols, which the models replace.
//! * [`text`]: bytes that are not UTF-8, as text for people.

/// Writes a text to the standard error, in one piece, since other processes may write there, too. Where it cannot be
/// written, as on a full disk, the program goes on without: `eprint!` would end it.
#[cfg(not(loom))]
macro_rules! tell_text {
    ($text:expr) => {{
        use std::io::Write;
        let _ = std::io::stderr().write_all(AsRef::<str>::as_ref(&$text).as_bytes());
    }};
}

/// The same of a line, as `eprintln!` takes it.
#[cfg(not(loom))]
macro_rules! tell {
    ($($line:tt)*) => {
        tell_text!(format!("{}\n", format_args!($($line)*)))
    };
}

#[cfg(not(loom))]
pub mod capi;
#[cfg(not(loom))]
pub mod check;
#[cfg(not(loom))]
pub mod config;
#[cfg(not(loom))]
pub mod device;
// The rest of its room is OpenCL, and no model.
#[cfg(all(test, loom))]
#[path = "device/alarm.rs"]
#[allow(dead_code)]
mod device_alarm;
#[cfg(all(test, loom))]
#[path = "device/inbox.rs"]
mod device_inbox;
#[cfg(all(test, loom))]
#[path = "device/load.rs"]
#[allow(dead_code)]
mod device_load;
#[cfg(not(loom))]
mod directory;
#[cfg(not(loom))]
pub mod engine;
pub mod graph;
#[cfg(not(loom))]
mod heap;
#[cfg(loom)]
#[path = "heap/models.rs"]
#[allow(dead_code)]
mod heap;
pub mod memory;
#[cfg(not(loom))]
mod message;
pub mod object;
#[cfg(not(loom))]
pub mod platform;
#[cfg(not(loom))]
pub mod report;
pub mod sched;
mod symbols;
mod sync;
pub mod text;
