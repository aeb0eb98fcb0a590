//! Where EDTs run.

pub mod model;
pub mod place;
pub mod policy;
pub mod simulate;
