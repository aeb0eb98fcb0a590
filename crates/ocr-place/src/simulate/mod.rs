//! A run in virtual time: a graph of EDTs on a machine that need not exist, placed by the policies that the runtime
//! uses.
//!
//! The policy is the object that [`crate::policy::parse`] makes for a run, and it learns from [`RunTimes`] as in
//! a run; only its [`Machine`] is another one. The simulated machine is simple. A worker runs one EDT at a time, and a
//! device runs its kernels one after the other. Each device has one link, on which copies in both directions go one
//! after the other. Where a device computes on cores of the workers, as many workers stand still as the runtime has
//! stand still for that ([`LentCores`]). Nothing is random: the same graph, machine and policy give the same run.
//!
//! A finish EDT of two grains is a function that creates EDTs, or a kernel that does what they would do. Which of them
//! runs, the policy decides: where it is the kernel, the EDTs of the scope are over with it and run nowhere. Where it
//! is the function, they run as any others, so that workers do the work together. The time that is learned then is that
//! of the whole scope, and its share where several are open ([`ScopeShares`]), as in a run.
//!
//! What the runtime itself costs is in [`Costs`] for each EDT, if the graph says it. What the simulation leaves out:
//! caches, and that EDTs of different places slow each other down.
//!
//! | file | what it has |
//! |---|---|
//! | `graph.rs` | the graph and the machine that are simulated |
//! | `run.rs` | the simulation; `run/blocks.rs` copies, `run/scopes.rs` finish scopes, `run/duplicates.rs` duplicates, `run/visible.rs` what a policy sees |
//! | `outcome.rs` | what came of it |
//! | `nodes/` | a graph on several nodes, by the protocol between them |

mod graph;
pub mod nodes;
mod outcome;
mod run;

pub use graph::{
    Costs, During, LentCores, MachineModel, SimulatedBlock, SimulatedDevice, SimulatedTask, TaskGraph, Uses,
};
pub use outcome::{Copied, Outcome, RanTask};
#[cfg(test)]
pub(crate) use run::simulate_under;
pub use run::{AWAKE_NS, simulate, simulate_recorded};

#[cfg(doc)]
use crate::model::{RunTimes, ScopeShares};
#[cfg(doc)]
use crate::policy::Machine;

#[cfg(test)]
mod tests;
