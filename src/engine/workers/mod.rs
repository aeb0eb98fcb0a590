//! Which threads run EDTs, how they wait in calls, and how they pause.
//!
//! | file | what it has |
//! |---|---|
//! | `worker.rs` | the loop of a worker |
//! | `threads.rs` | which context a thread has |
//! | `wait.rs` | threads that wait for an event in a call |
//! | `seats.rs` | how a thread whose EDT waits leaves its seat, and finds one again; helpers that take it are started in `state/seats/handover.rs` |
//! | `pause.rs` | `ocrPause` |

pub(crate) mod pause;
pub(crate) mod seats;
pub(crate) mod threads;
pub(crate) mod wait;
pub(crate) mod worker;
