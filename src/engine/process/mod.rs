//! The process around a run: hangs, crashes, signals, `exit`.
//!
//! | file | what it has |
//! |---|---|
//! | `watchdog.rs`, `bell.rs` | the thread that watches, and what wakes it |
//! | `quiescence.rs` | whether nothing can happen any more: a hang; what a running program answers to `SIGUSR1` |
//! | `deadlock.rs` | whether all threads sleep for good: a hang, too |
//! | `patience.rs` | whether a device keeps all others waiting |
//! | `time_limit.rs` | which functions run beyond their time limit |
//! | `crash/` | what is said of a crash, and whether the process can go on |
//! | `sigfpe.rs` | divisions by zero, where OpenCL has a handler for them |
//! | `exit.rs` | threads that end, and a process that ends by `exit` |

pub(crate) mod bell;
pub(crate) mod crash;
pub(crate) mod deadlock;
pub(crate) mod exit;
pub(crate) mod patience;
pub(crate) mod quiescence;
pub(crate) mod sigfpe;
mod time_limit;
pub(crate) mod watchdog;
