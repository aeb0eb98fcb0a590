//! What OCR objects are and how their states change. Starts no thread, runs no EDT, knows no OpenCL.
//!
//! Every object lives in a slot of an [`arena::Arena`] and begins with a [`header::Header`]: one
//! word with the generation of the slot, a lock bit, the state and a count. A [`guid::Guid`] names
//! kind, generation and slot. An operation on a GUID locks the header *if the generation is still
//! the one of the GUID*, which is one compare-and-swap; a stale or invented GUID therefore never
//! reaches the object that lives in the slot now. The lock is held for a few instructions, in which no other
//! lock is waited for but that of the table of hints, and nothing else that can block is called.

pub(crate) mod arena;
pub(crate) mod code;
pub(crate) mod collective;
pub(crate) mod data_block;
pub(crate) mod edt;
pub(crate) mod event;
pub(crate) mod file;
pub(crate) mod guid;
pub(crate) mod header;
pub(crate) mod hints;
pub(crate) mod link;
pub(crate) mod map;
pub(crate) mod name;
pub(crate) mod partition;
pub(crate) mod range;
pub(crate) mod reduction;
pub(crate) mod registry;
pub(crate) mod remains;
pub(crate) mod saved;
pub(crate) mod scope;
pub(crate) mod template;
pub(crate) mod waiting;
pub(crate) mod zone;

mod all;
pub(crate) use all::{Caches, Objects};
