//! Where an EDT runs: places, what runs have learned of how long EDTs and copies take, the policies that choose a
//! place, and a simulation that runs the same policies in virtual time. Nothing here starts a thread or calls OpenCL.
//!
//! Used by the runtime (`ocr`), which asks the policies and reports times, and by `ocr-analysis`, which simulates
//! recorded runs.
//!
//! Public items, with units and errors:
//!
//! - [`place::Place`], [`place::PlaceSet`]: the host or a device; a set of them; numbers: 0 is the host, devices from
//!   1.
//! - [`policy::parse`]: the policy that a text such as `static:1:1` names; the error is a sentence with the names that
//!   exist.
//! - [`policy::Policy`], [`policy::Keeper`]: what a policy answers at once, and what one that decides late keeps;
//!   nanoseconds, bytes.
//! - [`policy::Machine`]: what a policy sees of the machine, its clock included; nanoseconds.
//! - [`model::RunTimes`]: how long the EDTs of a template take, by place and bytes; nanoseconds; none where nothing is
//!   known.
//! - [`model::Transfers`]: how long copies take; nanoseconds, bytes per second.
//! - [`model::Store`]: the directory that keeps both between runs; `io::Error`; damage is in [`model::Content`].
//! - [`cores::divide`], [`cores::lent_for`]: how workers and CPU devices share the cores; numbers of cores.
//! - [`simulate::simulate`]: runs a graph on a machine in virtual time; nanoseconds; the error says what is wrong with
//!   the graph.
//! - [`simulate::nodes::simulate_on_nodes`]: runs a graph on several nodes in virtual time; nanoseconds, bytes; the
//!   error says what is wrong with the graph.
//!
//! ```
//! use ocr_place::model::RunTimes;
//! use ocr_place::simulate::{MachineModel, SimulatedTask, TaskGraph, simulate};
//!
//! // Two EDTs of one template, each of a millisecond, and two workers.
//! let edt = SimulatedTask { ns: vec![Some(1_000_000)], ..SimulatedTask::default() };
//! let graph = TaskGraph { tasks: vec![edt.clone(), edt], blocks: vec![], templates: 1 };
//! let machine = MachineModel { workers: 2, ..MachineModel::default() };
//! let run = simulate(&graph, &machine, "eager", &[RunTimes::default()]).expect("a graph");
//! assert_eq!(run.ns, 1_000_000);
//! ```

pub mod cores;
pub mod model;
pub mod place;
pub mod policy;
pub mod simulate;
