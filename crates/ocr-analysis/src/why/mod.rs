//! Why a recorded run took as long as it did: what the time went into, what was copied, and what to change.
//!
//! | file | what |
//! |---|---|
//! | `idle.rs` | how long workers and devices ran EDTs, and why they were idle otherwise |
//! | `moved.rs` | how much was copied, against the least that is needed |
//! | `causes.rs` | known causes of a long run, and what rules look at |
//! | `places.rs`, `graph.rs` | the rules |
//! | `variants.rs` | how many EDTs of each template ran in each place |
//! | `facts.rs` | all of these together, as text and as JSON |

mod causes;
mod facts;
mod graph;
mod idle;
mod moved;
mod places;
mod variants;

pub use causes::{Cause, CauseRule};
pub use facts::Facts;
pub use idle::{CAUSES, IdleTimes, Idleness, PARTS, PlaceTime};
pub use moved::Moved;
pub use variants::Variant;

#[cfg(test)]
mod tests;
