//! The life of an EDT, step by step. The one room that knows the rooms below.
//!
//! The engine has rooms of its own. Each imports only those that stand before it in this table; `tests/rooms.rs` holds
//! that.
//!
//! | room | what it has |
//! |---|---|
//! | [`state`] | what a run and a thread are: data, and the transitions that touch nothing else |
//! | [`nodes`] | the other processes of a program on several nodes: how it begins there, what they ask of each other, and how all end together |
//! | [`devices`] | which OpenCL devices are used and opened, which cores they get, what runs remember of them |
//! | [`strict`] | where the life of an EDT meets strict mode |
//! | [`attempt`] | EDTs that are undone and run again after a crash, or after a kernel that fails |
//! | [`life`] | the steps of an EDT, and of a data block that ends |
//! | [`calls`] | what else a call of the C interface starts, by the object that it is about |
//! | [`workers`] | which threads run EDTs, how they wait in calls, and how they pause |
//! | [`checkpoint`] | checkpoints of a run, and runs that go on from one |
//! | [`process`] | the process around a run: hangs, crashes, signals, `exit` |
//! | [`run`] | how a run begins and ends |
//!
//! # The steps of an EDT
//!
//! ```text
//!  created --> runnable --> placed --> locked --> fetched --> run --> released --> recycled --> triggered
//!  create.rs   graph        place.rs   lock.rs    launch.rs   run.rs  `----------- finish.rs -----------'
//!              drive.rs                                       launch.rs, chaining.rs          result.rs
//! ```
//!
//! | step | where it is written, in `life` |
//! |---|---|
//! | 1 created | `create_request.rs`, `create.rs`; by the runtime itself: `internal_edt.rs` |
//! | 2 runnable | the room `graph`; the answer comes to the step loop in `drive.rs` |
//! | 3 placed | `place.rs`: `advance`, `choose_place` |
//! | 4 locked | `lock.rs`: `acquire_rest` |
//! | 5 fetched | `lock.rs`: `locked`; `launch.rs`: `bring_blocks` |
//! | 6 run | `run.rs` on a worker, and `observed.rs` where more is done than to call the function; the room `attempt` where it may run again; `launch.rs`, `range.rs`, `answers.rs`, `chaining.rs` on a device; `waiter.rs` where the EDT stands for a thread |
//! | 7 released | `finish.rs`: `finish`; `held.rs`; the end of a block: `dispose.rs` |
//! | 8 recycled | `finish.rs`: `finish` |
//! | 9 triggered | `result.rs`: `pass_result`, `end_with_output` |
//!
//! Which EDT of the pool a device takes is decided in `feed.rs`. A call on a label that has no object yet is kept by
//! `deferring.rs` (data: `state/deferred.rs`).
//!
//! Placement comes before locking where the policy decides at once, because EDTs that share a block
//! in RW mode must run in the same place: the place is part of what is asked of the block. An EDT
//! that goes to the first free place locks its blocks unplaced, sharing RW with no other, and is
//! placed when a place takes it.
//!
//! Every thread that calls the runtime has a [`state::context::Context`]: workers, the device managers'
//! threads, and threads of the program. The context collects what a step leads to, and `life/drive.rs` works it off
//! before the call returns, in loops and not by recursion.

pub(crate) mod attempt;
pub(crate) mod calls;
pub(crate) mod checkpoint;
pub(crate) mod devices;
pub(crate) mod life;
pub(crate) mod nodes;
pub(crate) mod process;
pub(crate) mod run;
pub(crate) mod state;
pub(crate) mod strict;
pub(crate) mod workers;
