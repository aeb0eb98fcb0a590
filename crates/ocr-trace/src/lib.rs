//! Recordings of runs.

pub mod clock;
pub mod format;
pub mod reader;
