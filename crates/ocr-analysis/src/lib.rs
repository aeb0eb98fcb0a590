//! Analysis of recorded runs.

#![forbid(unsafe_code)]

pub mod bounds;
pub mod explain;
pub mod export;
pub mod recorded;
pub mod replay;
mod summary;
pub mod why;
