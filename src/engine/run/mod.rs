//! How a run begins and ends.
//!
//! | file | what it has |
//! |---|---|
//! | `start.rs` | a run begins and ends, from `main` to the exit status |
//! | `legacy.rs` | the same where the program has its own `main` |
//! | `shutdown.rs` | `ocrShutdown`, `ocrAbort`, and failures of the runtime itself |
//! | `serve.rs` | what a node does for the others |
//! | `recording.rs` | what is made of the recording when the run has ended |

pub(crate) mod legacy;
pub(crate) mod recording;
pub(crate) mod serve;
pub(crate) mod shutdown;
pub(crate) mod start;
