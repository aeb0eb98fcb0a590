//! The OpenCL devices of a run: plans them, opens them, gives them cores, and says why others are not used. Calls no
//! OpenCL itself. What it finds is data of [`super::state`].
//!
//! | file | what it has |
//! |---|---|
//! | `plan.rs` | which devices the settings select |
//! | `options.rs` | the build option that says for which devices a kernel is |
//! | `open.rs` | opens the planned devices for the first kernel, and ends them |
//! | `found.rs` | which devices earlier runs have found: read where none is open, and written at the end |
//! | `later.rs` | when the devices need not be opened for the first kernel, and what opens them then |
//! | `sharing.rs` | which cores workers and CPU devices get |
//! | `unused.rs` | why kernels are not used, in words |
//! | `remembered.rs` | what earlier runs have learned of variants and copies: read, and written at the end |

pub(crate) mod found;
pub(crate) mod later;
pub(crate) mod open;
pub(crate) mod options;
pub(crate) mod plan;
pub(crate) mod remembered;
pub(crate) mod sharing;
pub(crate) mod unused;
