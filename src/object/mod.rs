//! What OCR objects are and how their states change. Starts no thread, runs no EDT, knows no OpenCL.
//!
//! Every object lives in a slot of an [`arena::Arena`] and begins with a [`header::Header`]: one
//! word with the generation of the slot, a lock bit, the state and a count. A [`guid::Guid`] names
//! kind, generation and slot. An operation on a GUID locks the header *if the generation is still
//! the one of the GUID*, which is one compare-and-swap; a stale or invented GUID therefore never
//! reaches the object that lives in the slot now. The lock is held for a few instructions, in which no other
//! lock is waited for but that of the table of hints, and nothing else that can block is called.

pub mod arena;
pub mod collective;
pub mod data_block;
pub mod edt;
pub mod event;
#[cfg(not(loom))]
pub mod file;
pub mod guid;
pub mod header;
pub mod hints;
pub mod link;
#[cfg(not(loom))]
pub mod map;
pub mod partition;
pub mod place;
#[cfg(not(loom))]
pub mod range;
pub mod reduction;
#[cfg(not(loom))]
pub mod registry;
pub mod scope;
pub mod template;
pub mod waiting;
pub mod work;

// The models are of single protocols; the checker's atomics do not fit the arenas' slots.
#[cfg(not(loom))]
mod all;
#[cfg(not(loom))]
pub use all::{Caches, Objects};
