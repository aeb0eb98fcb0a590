//! A program on several nodes: processes that a launcher such as `mpirun` has started, which are one program.
//!
//! | file | what it has |
//! |---|---|
//! | `join.rs` | whether this process joins others, and what is said where it cannot |
//! | `hello.rs` | what a node tells node 0 of itself, and what has to be the same on all nodes |
//! | `message.rs`, `wire.rs` | the messages between nodes, and how their fields are bytes |
//! | `ending.rs` | how far the link is, and how the end of this process becomes that of all nodes |
//! | `drain.rs` | EDTs that run on other nodes when the program ends |
//! | `thread.rs` | the thread that makes all calls of the link, from the first to the last |
//! | `mates.rs` | whether other nodes of this machine are still there |
//! | `share.rs` | which cores of a machine each of its nodes has |
//! | `work.rs`, `new_edt.rs` | what nodes ask of each other about the program's objects; EDTs that one creates for another |
//! | `outbox.rs` | messages on their way to the thread of the link, and the answers that callers wait for |
//! | `traffic.rs` | what nodes have sent each other, for reports |
//! | `wave.rs` | whether anything can still happen on any node |
//! | `functions.rs` | how functions of the program are named to other nodes |
//! | `kernels.rs` | the kernels of a template as other nodes build them |
//!
//! Each node has a run of its own, with workers, objects, a recording and, if there are, devices. Node 0 has `mainEdt`,
//! the arguments, the standard input and the other files of the run. An object belongs to the node that its GUID names,
//! and a call about it is made there. [`crate::protocol`] says how blocks go to other nodes, and `capi/elsewhere.rs`
//! which calls do.
//!
//! # How a program on several nodes begins and ends
//!
//! ```text
//! node 0:  join - all Hellos - Welcome to all - run . end(status) - Stop to all - all Stopped - End - MPI ends - exit
//! others:  join - Hello ----------- Welcome - run ........................... Stop - Stopped - End - MPI ends - exit
//! ```
//!
//! | what happens | what follows |
//! |---|---|
//! | a Hello does not fit that of node 0 | node 0 says why, once, and stops all with status 2 before anything runs |
//! | node 0 ends its run, as by `ocrShutdown` | the others end theirs, and nobody closes before all EDTs that ran have ended ([`drain`]) |
//! | the process of node 0 ends, by whatever call | [`ending::end`] is called last, with the status: by `exit_now`, or as the first of what `exit` calls |
//! | the process of another node ends by itself, as by `exit` or an error | [`ending::end`] has node 0 told, which ends all with that status, and MPI on all: launchers kill the others where one leaves without that |
//! | a process crashes | the handler has the others told, a second at most, and the system ends the process ([`ending::crashed`]); where it is that of another node, node 0 ends with that status |
//! | a node is killed, or ends by `_exit` | another node of its machine sees that and says so, once; all end with status 1 |
//! | the launcher sends SIGTERM | a node looks first whether another one is gone, which may be why, and says so |
//! | a node is stopped (SIGSTOP) | nothing: the others wait for it; where the status is not 0, the launcher is asked to end it |
//!
//! Node 0 runs nothing before all others have come through `MPI_Init`, so it cannot end while one of them is in there.
//! A process that was forked has no thread of the link, and none of this concerns it. One that an EDT starts by
//! `system` finds that its rank is used (`link/launcher.rs`), and runs as a program of its own. A second run of one
//! process uses the same nodes: MPI can begin once in a process, and ends with it.
//!
//! A node whose status is not 0 leaves last if it can see the process of node 0: launchers kill all other processes
//! when one ends so, and node 0 may still be writing its report.

pub(crate) mod drain;
pub(crate) mod ending;
pub(crate) mod functions;
mod hello;
pub(crate) mod join;
pub(crate) mod kernels;
mod mates;
mod message;
pub(crate) mod new_edt;
pub(crate) mod outbox;
mod share;
mod thread;
pub(crate) mod traffic;
mod wave;
mod wire;
pub(crate) mod work;
