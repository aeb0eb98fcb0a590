//! The OpenCL devices of a run: which are used and opened, why others are not, and what runs remember of them.

pub(crate) mod open;
pub(crate) mod remembered;
pub(crate) mod sharing;
pub(crate) mod unused;
