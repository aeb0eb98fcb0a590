//! Ready EDTs: queues, who looks where for work, who sleeps, and the policies that place EDTs.
//!
//! This room knows EDTs only as things to hand to a worker; it never looks into one. The protocol
//! by which workers sleep and are woken is in [`sleep`], argued in `sleep.md`.

pub mod calls;
#[cfg(not(loom))]
pub mod policy;
#[cfg(not(loom))]
pub mod queues;
pub mod sleep;
#[cfg(not(loom))]
mod urgent;
