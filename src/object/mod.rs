//! What OCR objects are and how their states change. Starts no thread, runs no EDT, knows no OpenCL.
//!
//! Every object lives in a slot of an [`arena::Arena`] and begins with a [`header::Header`]: one
//! word with the generation of the slot, a lock bit, the state and a count. A [`guid::Guid`] names
//! kind, generation and slot. An operation on a GUID locks the header *if the generation is still
//! the one of the GUID*, which is one compare-and-swap; a stale or invented GUID therefore never
//! reaches the object that lives in the slot now. The lock is held for a few instructions, in which no other
//! lock is waited for but that of the table of hints, and nothing else that can block is called.
//!
//! | file | what it has |
//! |---|---|
//! | `guid.rs`, `zone.rs` | the bits of a GUID; which indices and generations a node gives out |
//! | `header.rs` | the first word of each object, and its lock |
//! | `arena.rs` | slots, chunks, free lists, labels |
//! | `all.rs` | all objects of a runtime |
//! | `edt/`, `code.rs`, `template.rs` | EDTs; what they do: function and kernels; templates |
//! | `event.rs`, `link.rs` | events and their states; the list of what waits for one |
//! | `collective.rs`, `reduction.rs` | collective events; how contributions are combined |
//! | `remains.rs` | what is known of events that are gone |
//! | `scope.rs` | finish scopes |
//! | `data_block/`, `partition.rs` | data blocks and where their contents are; parts |
//! | `file.rs` | files and their chunks |
//! | `range.rs`, `map.rs`, `waiting.rs` | ranges and maps of labels; maps that create; what waits for a label |
//! | `registry.rs` | objects of which a program has few |
//! | `hints.rs` | hints of objects |
//! | `name.rs` | how messages name an object |
//! | `saved.rs` | what a checkpoint has of objects |

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
