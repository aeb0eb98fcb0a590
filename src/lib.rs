//! A runtime for the Open Community Runtime (OCR) programming model on one machine with CPU cores
//! and OpenCL devices.
//!
//! Programs are written in C or C++ against the headers in `include/` and link `libocr`. This crate
//! is what stands behind them, and the command `ocr`. Its rooms, from the outside in; each knows
//! only those after it (but `report` looks at objects and at the history of `check`, and `config` has
//! `device` and `sched` read their settings), and `graph`, `memory`, `sched` and `device` do not know each
//! other:
//!
//! * [`tasks`]: the same interface for safe Rust, above the C boundary.
//! * [`capi`]: the C boundary, about one file per public header. Panics and null pointers stop here.
//! * `engine`: the life of an EDT, step by step. The one room that knows the rooms below.
//! * `graph`: dependences: connect, satisfy, trigger; finish scopes.
//! * `memory`: data blocks: access modes, acquire and release, queues of EDTs that wait.
//! * `sched`: ready queues, sleep and wake, placement policies.
//! * [`simulate`]: runs in virtual time, by the same policies.
//! * [`device`]: OpenCL: discovery, the manager thread of a device, buffers, programs, launches.
//! * `check`: strict mode: the history of objects, and the words for a misuse.
//! * `diag`: what is said to people: errors, warnings and notes, and how an EDT is named in them.
//! * `abi`: what the headers declare, for Rust: types, constants, and the functions as an enum.
//! * `object`: what OCR objects are and how their state changes; no OpenCL.
//! * [`report`]: what a run tells about itself. It is told; for the snapshot it looks at objects.
//! * [`config`]: every setting, from environment, file and `-ocr:` arguments.
//! * [`cores`]: the cores that the process may use, and how workers and CPU devices share them.
//! * `directory`: the directory in which the process was started, which relative names in settings are of.
//! * `apart`: threads with a table of descriptors of their own, for files beside those of the program.
//! * `heap`: the runtime's own memory, and what happens where there is none.
//! * `message`: messages that are made without memory.
//! * [`model`]: what a run has learned of how long EDTs and copies take.
//! * [`output_file`]: files that are written under a name of the user's: links, devices, descriptors; what cannot be.
//! * [`platform`]: the description of the machine in a file, with measured speeds of links.
//! * `symbols`: the names of the program's functions, for messages.
//! * `sync`: the atomics of the protocols, which the models replace.
//! * `trace`: the recording of a run, as records in a file that each thread maps.
//! * [`text`]: bytes that are not UTF-8, as text for people.

// Models call parts of the rooms only.
#![cfg_attr(loom, allow(dead_code, unused_imports, unreachable_pub))]

// Before the rooms that speak with its macros.
#[cfg(not(loom))]
#[macro_use]
mod diag;

pub(crate) mod abi;
#[cfg(not(loom))]
mod apart;
#[cfg(not(loom))]
pub mod capi;
#[cfg(not(loom))]
pub(crate) mod check;
#[cfg(not(loom))]
pub mod config;
#[cfg(not(loom))]
pub mod cores;
#[cfg(not(loom))]
pub mod device;
#[cfg(not(loom))]
mod directory;
#[cfg(not(loom))]
pub(crate) mod engine;
pub(crate) mod graph;
#[cfg(not(loom))]
mod heap;
#[cfg(loom)]
#[path = "heap/models.rs"]
#[allow(dead_code)]
mod heap;
pub(crate) mod memory;
#[cfg(not(loom))]
mod message;
pub mod model;
pub(crate) mod object;
#[cfg(not(loom))]
pub mod output_file;
#[cfg(not(loom))]
pub mod platform;
#[cfg(not(loom))]
pub mod report;
pub(crate) mod sched;
#[cfg(not(loom))]
pub mod simulate;
pub(crate) mod status;
mod symbols;
mod sync;
#[cfg(not(loom))]
pub mod tasks;
pub mod text;
#[cfg(not(loom))]
mod trace;
#[cfg(loom)]
#[path = "trace/models.rs"]
mod trace;

#[cfg(not(loom))]
pub use engine::run::start::run_program;
#[cfg(not(loom))]
pub use object::code::EdtDep;
pub use object::guid::Guid;
#[cfg(not(loom))]
pub use sched::policy;
