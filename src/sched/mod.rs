//! Ready EDTs: queues, where a worker looks for work, which workers sleep, and the policies that
//! place EDTs.
//!
//! This room knows EDTs only as things to hand to a worker; it never looks into one. The protocol
//! by which workers sleep and are woken is in [`sleep`], argued in `sleep.md`.

pub(crate) mod calls;
#[cfg(all(test, loom))]
mod loom_models;
#[cfg(loom)]
mod models;
pub(crate) mod queues;
#[cfg(not(loom))]
pub(crate) mod reclaim;
pub(crate) mod sleep;
mod urgent;
