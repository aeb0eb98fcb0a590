//! What else a call of the C interface starts, by the object that it is about.
//!
//! | file | what it has |
//! |---|---|
//! | `data_blocks.rs` | data blocks: created, released, destroyed |
//! | `partition.rs`, `copy.rs`, `share.rs` | parts of blocks; copies from block to block; copies that share memory |
//! | `by_value.rs` | contents that are passed by value |
//! | `files.rs` | files, and their chunks as blocks |
//! | `labels.rs`, `maps.rs` | ranges and maps of labels; maps whose objects are created when they are asked for |
//! | `collective.rs` | contributions to collective events |
//! | `kernels.rs` | kernels that are added to templates, and built |
//! | `elsewhere.rs`, `labels_elsewhere.rs` | EDTs, scopes, labels, ranges and maps of other nodes |
//! | `kernels_elsewhere.rs` | templates of other nodes, and their kernels |

pub(crate) mod by_value;
pub(crate) mod collective;
pub(crate) mod copy;
pub(crate) mod data_blocks;
pub(crate) mod elsewhere;
pub(crate) mod files;
pub(crate) mod kernels;
pub(crate) mod kernels_elsewhere;
pub(crate) mod labels;
pub(crate) mod labels_elsewhere;
pub(crate) mod maps;
pub(crate) mod partition;
pub(crate) mod share;
