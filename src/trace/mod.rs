//! The recording of a run: what each thread did, in records of 32 bytes in mapped segments of one file
//! (`docs/trace-format.md`).
//!
//! | file | what |
//! |---|---|
//! | `recording.rs` | the file of a run: when it begins and ends, how it grows, and what a full disk does; the sizes of segments are in `ocr_trace::format` |
//! | `keeper.rs` | the thread that has the file open |
//! | `crates/ocr-trace/src/identity.rs` | which run a file is of, and which name a run may have |
//! | `writer.rs` | the segment that each thread fills |
//! | `events.rs` | one function for each thing that happens |
//!
//! What stands in the file, its clock and its reader are the crate `ocr-trace`.
//!
//! A segment is part of the file, mapped and shared. So a record is in the file as soon as it is written, whatever ends
//! the process; only the machine's own failure loses it. A thread's segment belongs to that thread alone. It writes a
//! record, and then, with release order, the segment's new count. A reader in another process, which sees the count,
//! sees the records too.
//!
//! Where nothing is recorded, each place of the runtime that would tell something costs a load and a branch
//! ([`is_on`]). What every EDT goes through asks not even that: a work has no `fast_entry` then
//! (`object::code::CodeTable`), as in strict mode.

pub(crate) mod events;
mod keeper;
pub(crate) mod recording;
pub(crate) mod writer;

pub(crate) use ocr_trace::{clock, format};
pub(crate) use recording::is_on;
