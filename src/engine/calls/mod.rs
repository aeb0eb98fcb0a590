//! What else a call of the C interface starts, by the object that it is about.

pub(crate) mod by_value;
pub(crate) mod collective;
pub(crate) mod copy;
pub(crate) mod data_blocks;
pub(crate) mod elsewhere;
pub(crate) mod files;
pub(crate) mod kernels;
pub(crate) mod labels;
pub(crate) mod labels_elsewhere;
pub(crate) mod maps;
pub(crate) mod partition;
pub(crate) mod share;
