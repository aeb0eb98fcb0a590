//! The recording of a run as a file: its form, the clock that dates its records, and a reader. A tool that reads
//! recordings needs nothing else. `docs/trace-format.md` describes the file for people.
//!
//! Used by the runtime (`ocr`), whose threads write records in this form, and by `ocr-analysis`, which reads them.
//!
//! Public items, with units and errors:
//!
//! - [`mod@format`]: the head of the file, its segments, and records of 32 bytes with their kinds; bytes, ticks.
//! - [`numbers`]: what numbers of the runtime's in records mean: modes, kinds of events, works, labels.
//! - [`clock::ticks`], [`clock::kind`]: the counter that dates records; ticks.
//! - [`clock::Scale`]: brings ticks to time since the begin of the run; nanoseconds.
//! - [`identity::RunIdentity`]: of which run a file is; texts.
//! - [`reader::RecordingFile::open`]: reads the head; the run may go on, or have been killed; the error is a sentence:
//!   no recording, or the system's.
//! - [`nodes::RunFiles::open`]: the same for the files of all nodes of a run, with one clock; the error is that of the
//!   file that was named.
//! - [`reader::RecordingFile::faults`]: what is cut off or damaged; sentences.
//! - [`reader::RecordingFile::for_each`]: the records of all threads, in the order of time; ticks; the error is a
//!   sentence of the system's.
//!
//! A file that is damaged is no error as long as its head can be read: the records that are whole are there, and the
//! faults say what is missing.
//!
//! ```
//! let folder = ocr_trace::reader::RecordingFile::open("/".as_ref());
//! assert!(folder.err().expect("it is no recording").contains("is a folder"));
//! ```

pub mod clock;
pub mod format;
pub mod identity;
pub mod nodes;
pub mod numbers;
pub mod reader;
