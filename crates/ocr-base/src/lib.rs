//! What the crates of the runtime share.

pub mod sync;
pub mod text;
