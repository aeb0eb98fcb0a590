//! What a run has learned of how long things take, so that a placement policy can ask before an EDT is placed.
//!
//! **Owns:** how long an EDT takes, for each template, place and number of bytes ([`RunTimes`]); how long a copy to a
//! device or back takes ([`Transfers`]).
//!
//! **Never:** looks at a clock, knows an EDT or a device, decides where anything runs. The room gets how long
//! something took, and answers how long the next such thing will take. Places are numbers here: 0 is the host, and from
//! 1 on the devices in use ([`Place::number`](crate::place::Place::number)).
//!
//! | file | what |
//! |---|---|
//! | `samples.rs` | the last eleven samples of one thing: their median, and their deviation from it |
//! | `class.rs` | the samples of one template in one place for one size, and what is published of them |
//! | `sizes.rs` | which sizes have samples; what follows for a size that has none |
//! | `shape.rs` | by what the time of an EDT is predicted before it runs: its bytes and its parameters |
//! | `split.rs` | by which parameter the times of a template are distinguished, and the classes of its values |
//! | `run_times.rs` | the times of a template in all places, and whether its predictions are any good |
//! | `scope_shares.rs` | the time of finish EDTs whose functions have others do the work |
//! | `transfers.rs` | latency and bandwidth of copies |
//! | `file.rs` | the file of a place, in which times are kept between runs: its form, and what is damaged in one |
//! | `line.rs` | the fields of lines in such a file, and their check |
//! | `copy_entry.rs` | the lines of such a file about copies |
//! | `store.rs` | the directory of these files; programs that write one at the same time |
//!
//! # Why medians of eleven
//!
//! An EDT that is interrupted takes a hundred times as long, now and then: one such sample would poison a mean for
//! long, and a median does not see it. A place that has become slower or faster is believed when six of the last eleven
//! samples say so.
//!
//! What an EDT takes alone is kept apart from what it takes while another place works, too. Cores that share memory and
//! caches slow each other down, so a prediction from a quiet time is wrong in a busy one.

mod class;
mod copy_entry;
mod file;
mod line;
mod run_times;
mod samples;
mod scope_shares;
mod shape;
mod sizes;
mod split;
mod store;
mod transfers;

pub use class::{Estimate, KeptTimes};
pub use copy_entry::CopyEntry;
pub use file::{Content, ModelEntry, ModelKey};
pub use line::hash;
pub use run_times::RunTimes;
pub use scope_shares::ScopeShares;
pub use shape::{Params, Shape};
pub use split::ToldBy;
pub use store::{Store, StoredFile, today};
pub use transfers::{CopySamples, Direction, Transfers};

/// How many places can be distinguished: the host, and as many devices as [`Place`](crate::place::Place) has.
pub const PLACES: usize = 32;

#[cfg(all(test, loom))]
mod loom_models;
