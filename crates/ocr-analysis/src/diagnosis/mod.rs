//! The diagnosis of a recorded run: where its time went, why it took as long, and what to change.
//!
//! One pass looks everything up (`ground.rs`, `look.rs`), and one table has all that is said (`rules.rs`). What a rule
//! has found is a [`Finding`]. All commands show the same findings, in the same order.
//!
//! | file | what |
//! |---|---|
//! | `rules.rs` | the table of rules: when each is said, its text and its advice |
//! | `look.rs` | what rules look at, and the limits that several of them share; those of one rule are in its function |
//! | `creation.rs`, `ends.rs`, `graph.rs`, `shape.rs` | rules about the EDTs: who creates them, which run alone and keep others waiting, what they wait for, what they take |
//! | `decided.rs`, `places.rs`, `blocks.rs`, `cores.rs`, `system.rs` | rules about decisions, places, data blocks, cores, and the system |
//! | `kernels.rs` | the rule about work-groups of kernels |
//! | `nodes.rs` | rules about programs on several nodes |
//! | `waits.rs` | the rule about EDTs that wait in calls |
//! | `quiet.rs` | the run as it would have been with a core for each worker |
//! | `ground.rs` | units, medians, copies and dependences of a run |
//! | `idle.rs` | how long workers and devices ran EDTs, and the causes of idle time |
//! | `decisions.rs`, `predictions.rs` | what decisions have cost, and how good predictions were |
//! | `chain.rs` | the chain of EDTs that led to the end |
//! | `moved.rs` | how much was copied, against the least that is needed |
//! | `variants.rs` | how many EDTs of each template ran in each place |
//! | `facts.rs` | the diagnosis as text and as JSON |

mod blocks;
mod chain;
mod cores;
mod creation;
mod decided;
pub(crate) mod decisions;
mod ends;
mod facts;
mod graph;
mod ground;
mod idle;
mod kernels;
mod look;
mod moved;
mod nodes;
mod places;
mod predictions;
mod quiet;
mod rules;
mod shape;
mod system;
mod variants;
mod waits;

pub use decisions::DecisionCause;
pub use facts::Facts;
pub use idle::{CAUSES, IdleTimes, Idleness, PARTS, PlaceTime};
pub use look::{LIMITS, Limits};
pub use moved::Moved;
pub use predictions::{ERRORS, Predictions};
pub use rules::{Finding, RULES, Rule, RuleId};
pub use variants::Variant;

pub(crate) use ground::{Ground, choices};
pub(crate) use look::Look;
pub(crate) use predictions::predictions;
pub(crate) use rules::findings;

#[cfg(test)]
mod tests;
