//! What a run and a thread are: data, and the transitions that touch nothing else. Imports no other room of the engine.
//! What is known of devices is here as data; the room `devices` opens them and learns of them.
//!
//! | file | what it has |
//! |---|---|
//! | `runtime.rs` | what a run is, and the count of work in flight |
//! | `context.rs` | what a thread that calls the runtime has |
//! | `belongings.rs`, `answered.rs`, `contents.rs` | what the EDT on a thread has for itself; blocks that were an answer; what a recording is told of blocks |
//! | `user_call.rs`, `loader.rs` | how functions of the program are called; the lock of the dynamic loader |
//! | `seats.rs` | which threads are workers; how seats change hands is in `seats/handover.rs` |
//! | `waiters.rs` | threads that wait for an event in a call |
//! | `idle.rs` | threads of the program that can do nothing before the runtime has |
//! | `deferred.rs` | calls on labels that have no object yet |
//! | `end.rs`, `fatal.rs`, `fork.rs` | whether the run ends; the end of the process in the middle of a run, and printed output that is lost; forked processes |
//! | `handlers.rs` | signal handlers, which leave to the program those that it has |
//! | `devices.rs` | which devices are planned and open, how cores are shared, which kernels were not used |
//! | `lending.rs` | cores that CPU devices have at times; how they are lent is in `lending/switch.rs` |
//! | `found_devices.rs`, `learned.rs` | what earlier runs have found of devices, and have learned of times |
//! | `chained.rs`, `fetch_at_end.rs` | kernels that are enqueued ahead; a fetch for which the end waits |
//! | `finish_times.rs` | how long finish EDTs take, until their scopes close |
//! | `outputs.rs` | the files that settings name, tried out before the run begins |
//! | `attempt.rs` | an attempt: one run of an EDT that may be undone |
//! | `duplicates.rs` | EDTs whose kernel runs and of which a worker calls the function, too: which of both is first |
//! | `redundant.rs`, `difference.rs` | EDTs that run as function and kernels, and how the contents differ that they leave |
//! | `checkpoints.rs` | whether a checkpoint is asked for, and what waits for it |
//! | `elsewhere.rs`, `fan.rs` | what is known of blocks, templates and labels of other nodes; events that many of their objects wait for |

pub(crate) mod answered;
pub(crate) mod attempt;
pub(crate) mod belongings;
pub(crate) mod chained;
pub(crate) mod checkpoints;
pub(crate) mod contents;
pub(crate) mod context;
pub(crate) mod deferred;
pub(crate) mod devices;
pub(crate) mod difference;
pub(crate) mod duplicates;
pub(crate) mod elsewhere;
pub(crate) mod end;
pub(crate) mod fan;
pub(crate) mod fatal;
pub(crate) mod fetch_at_end;
pub(crate) mod finish_times;
pub(crate) mod fork;
pub(crate) mod found_devices;
pub(crate) mod handlers;
pub(crate) mod idle;
pub(crate) mod learned;
pub(crate) mod lending;
pub(crate) mod loader;
pub(crate) mod outputs;
pub(crate) mod redundant;
pub(crate) mod runtime;
pub(crate) mod seats;
pub(crate) mod user_call;
pub(crate) mod waiters;
