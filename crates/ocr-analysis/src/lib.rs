//! What recorded runs say: how good a schedule was, why it took as long as it did, what it would take on another
//! machine, and the same run for viewers. Pure computation on a file that [`recorded::read`] has read.
//!
//! Used by the command (`ocr-cli`), and by the runtime (`ocr`) at the end of a run, for the score in its report and for
//! the file of `OCR_TRACE=x.pftrace` or `OCR_TRACE=x.html`.
//!
//! Public items, with units and errors:
//!
//! - [`recorded::read`]: a run of the records of a file; nanoseconds since its begin; the error is a sentence about
//!   the file.
//! - [`recorded::RecordedRun::check`]: what cannot be in a recording, and what is cut off; sentences.
//! - [`recorded::RecordedRun::summary`]: the run in lines of text.
//! - [`recorded::Score`]: how long the run took, against the bound; seconds; none where no EDT has ended.
//! - [`bounds`]: times before which no schedule ends; nanoseconds; [`bounds::BoundsError`].
//! - [`diagnosis::Facts`]: where the time went, why the run took as long, and what to change; nanoseconds.
//! - [`explain::Explained`]: an EDT, a template or the whole run, and what to change; nanoseconds.
//! - [`replay::Replay`]: the recorded graph on another machine, by each policy; seconds; the error is a sentence.
//! - [`replay::NodesReplay`]: the same on several nodes; seconds, bytes; the error is a sentence.
//! - [`races::check`]: pairs of EDTs that use one object with nothing that orders them; the error is a sentence.
//! - [`reasons::reasons`]: why one of several policies is better than the others; sentences.
//! - [`page::Page`]: one or several runs as a page for a browser; the error is a sentence.
//! - [`export::write_file`]: Perfetto's TrackEvent, JSON of older viewers, a page or a graph; `io::Error` of the
//!   system.

#![forbid(unsafe_code)]

pub mod bounds;
pub mod diagnosis;
pub mod explain;
pub mod export;
pub mod page;
pub mod races;
pub mod reasons;
pub mod recorded;
pub mod replay;
mod summary;
