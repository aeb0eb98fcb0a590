//! How a run begins and ends.

pub(crate) mod legacy;
pub(crate) mod recording;
pub(crate) mod serve;
pub(crate) mod shutdown;
pub(crate) mod start;
