//! Ready EDTs: queues, where and for how long a worker looks for work (`queues.rs`), EDTs with a priority
//! (`urgent.rs`), which workers sleep (`sleep.rs`), calls of other threads (`calls.rs`), and functions that run too
//! long (`run_limit.rs`). What the queues leave for later is freed in `reclaim.rs`. The policies that place EDTs are in
//! `crates/ocr-place`.
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
pub(crate) mod run_limit;
pub(crate) mod sleep;
mod urgent;
