//! A runtime for the Open Community Runtime (OCR) programming model on one machine with CPU cores
//! and OpenCL devices, which several processes of a launcher can run as one program.
//!
//! Programs are written in C or C++ against the headers in `include/` and link `libocr`, which is made of this crate.
//! What can do without the runtime is in crates beside it: placement and learned times in `ocr-place`, the file of a
//! recording in `ocr-trace`, its analysis in `ocr-analysis`, the command in `ocr-cli`. Its rooms, from the outside in;
//! each knows those that `tests/rooms.rs` lists, which mostly come after it. `graph`, `memory`, `sched` and `device` do
//! not know each other:
//!
//! * [`tasks`]: the same interface for safe Rust, above the C boundary.
//! * [`capi`]: the C boundary, about one file per public header. Panics and null pointers stop here.
//! * `engine`: the life of an EDT, step by step. The one room that knows the rooms below.
//! * `graph`: dependences: connect, satisfy, trigger; finish scopes.
//! * `memory`: data blocks: access modes, acquire and release, queues of EDTs that wait.
//! * `sched`: ready queues, sleep and wake.
//! * [`device`]: OpenCL: discovery, the manager thread of a device, buffers, programs, launches.
//! * `check`: strict mode: the history of objects, and the words for a misuse.
//! * `diag`: what is said to people: errors, warnings and notes.
//! * `abi`: what the headers declare, for Rust: types, constants, and the functions as an enum.
//! * `object`: what OCR objects are and how their state changes; no OpenCL.
//! * [`report`]: what a run reports about itself. Others pass it what it reports; for the snapshot it looks at objects.
//! * `link`: how bytes go from one node to another, by a plug-in for MPI.
//! * [`config`]: every setting, from environment, file and `-ocr:` arguments.
//! * [`cores`]: the cores that the process may use, and how workers and CPU devices share them.
//! * `directory`: the directory in which the process was started, which relative names in settings are of.
//! * `heap`: the runtime's own memory, and what happens where there is none.
//! * `message`: messages that are made without memory.
//! * `protocol`: when nodes send each other what about a block, as tables without threads; the order of an EDT's calls.
//! * [`platform`]: the description of the machine in a file, with measured speeds of links.
//! * `status`: the status codes as a type.
//! * `stack`: the stacks of threads, and alternative ones for signal handlers.
//! * `symbols`: the names of the program's functions, for messages.
//! * `trace`: the recording of a run, as records in a file that each thread maps.

// The models of the protocols have the rooms that they call in tests/loom.rs.
#![cfg(not(loom))]

// Before the rooms that speak with its macros.
#[macro_use]
mod diag;

pub(crate) mod abi;
pub mod capi;
pub(crate) mod check;
pub mod config;
pub mod cores;
pub mod device;
mod directory;
pub(crate) mod engine;
pub(crate) mod graph;
mod heap;
pub(crate) mod link;
pub(crate) mod memory;
mod message;
pub(crate) mod object;
pub mod platform;
pub(crate) mod protocol;
pub mod report;
pub(crate) mod sched;
mod stack;
pub(crate) mod status;
mod symbols;
pub mod tasks;
mod trace;

pub use abi::hints;
pub use engine::checkpoint::{ask_for_checkpoint, checkpoints_of, command_of};
pub use engine::run::start::run_program;
pub use link::plugin::mpi_plugins;
pub use object::code::EdtDep;
pub use object::guid::Guid;
