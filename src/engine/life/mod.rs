//! The steps of an EDT, and of a data block that ends. The head of [`super`] has the files by their steps.
//!
//! | file | what it has |
//! |---|---|
//! | `create_request.rs`, `create.rs` | what a program asks for when it creates an EDT, and whether that is right; the EDT is created |
//! | `internal_edt.rs` | EDTs of the runtime's own |
//! | `drive.rs` | the loop in which a call works off what it has led to |
//! | `place.rs` | an EDT is placed, as far as the policy decides at once |
//! | `lock.rs` | its blocks are acquired |
//! | `launch.rs`, `range.rs` | blocks are brought to a device, kernels are launched, and what follows; the index space of a kernel |
//! | `chaining.rs` | kernels that are enqueued ahead of their turn |
//! | `feed.rs` | which EDTs of the pool a device takes |
//! | `answers.rs` | what the managers of devices tell the engine |
//! | `run.rs`, `observed.rs` | the function of an EDT is called; how, where more is done than that |
//! | `finish.rs`, `result.rs` | what the EDT holds is released, its slot is recycled, and its output event is satisfied |
//! | `held.rs`, `dispose.rs` | blocks that code holds by having created them; the end of a block |
//! | `waiter.rs` | threads that wait in a call are woken |
//! | `deferring.rs`, `late.rs` | calls on labels that have no object yet; dependences on events that are gone |
//! | `hints.rs` | what hints lead to |
//! | `timing.rs` | how long variants take is measured |
//! | `recording.rs`, `contents.rs` | what the recording of a run is told of the steps, and of blocks that the EDT changes |
//! | `duplicated.rs` | an idle worker calls the function of an EDT whose kernel runs |
//! | `redundant.rs`, `compared.rs` | an EDT runs as its function and its kernels; what they have left is compared |
//! | `away.rs`, `along.rs`, `stand_in.rs` | blocks that go from node to node; small ones that go with what starts an EDT there; EDTs that stand for something on another node |

pub(crate) mod along;
pub(crate) mod answers;
pub(crate) mod away;
pub(crate) mod chaining;
pub(crate) mod compared;
pub(crate) mod contents;
pub(crate) mod create;
pub(crate) mod create_request;
pub(crate) mod deferring;
pub(crate) mod dispose;
pub(crate) mod drive;
pub(crate) mod duplicated;
pub(crate) mod feed;
pub(crate) mod finish;
pub(crate) mod held;
pub(crate) mod hints;
pub(crate) mod internal_edt;
pub(crate) mod late;
pub(crate) mod launch;
pub(crate) mod lock;
pub(crate) mod observed;
pub(crate) mod place;
pub(crate) mod range;
pub(crate) mod recording;
pub(crate) mod redundant;
pub(crate) mod result;
pub(crate) mod run;
pub(crate) mod stand_in;
pub(crate) mod timing;
pub(crate) mod waiter;
