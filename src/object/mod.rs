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
pub mod file;
pub mod guid;
pub mod header;
pub mod hints;
pub mod link;
pub mod map;
pub mod partition;
pub mod place;
pub mod range;
pub mod reduction;
pub mod registry;
pub mod scope;
pub mod template;
pub mod waiting;
pub mod work;

mod all;
pub use all::{Caches, Objects};
