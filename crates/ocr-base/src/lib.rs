//! What the other crates of the runtime share, and what therefore stands below all of them. Nothing here knows OCR.
//!
//! Used by the runtime (`ocr`), by `ocr-place`, `ocr-trace`, `ocr-analysis` and by the command (`ocr-cli`).
//!
//! Public items, with units and errors:
//!
//! - [`text::Readable`]: bytes that need not be UTF-8, as text for people; no error: other bytes become `\xHH`.
//! - [`text::Counted`], [`text::counted`]: a number with the name of what it counts, with its plural.
//! - [`text::duration`]: a time with three digits: `1.23 ms`; takes seconds.
//! - [`text::read_file`]: a file's content as text; `io::Error` of the system.
//! - [`text::threads`]: names of threads, by the system's number; a text where there is none.
//! - [`lock`]: mutexes and reader-writer locks with ranks; [`lock::rank`] is the table of all locks.
//! - [`apart`]: threads with a table of descriptors of their own, so that the program's files and the runtime's never
//!   meet.
//! - [`output_file::OutputFile`]: a file that is written under a name of the user's; `io::Error`, in words for people.
//! - [`output_file::without_signals`]: writes that end in an error, and in no signal, at a limit of file size.
//! - [`thread_mark::ThreadMark`]: a mark that threads have from the thread that starts them.
//! - [`sync`]: the atomics of lock-free protocols, which `loom` replaces in a build with `--cfg loom`.
//! - [`sync::Spin`]: the wait in a spin loop.
//! - [`sync::preemption_point`]: where a thread may be interrupted in a build with `--cfg ocr_tiny`; once in `rarity`
//!   calls.

pub mod apart;
pub mod lock;
pub mod output_file;
pub mod sync;
pub mod text;
pub mod thread_mark;
