//! What OCR objects are and how their states change. No threads, no queues, no OpenCL.
//!
//! Every object lives in a slot of an [`arena::Arena`] and begins with a [`header::Header`]: one
//! word with the generation of the slot, a lock bit, the state and a count. A [`guid::Guid`] names
//! kind, generation and slot. An operation on a GUID locks the header *if the generation is still
//! the one of the GUID*, which is one compare-and-swap; a stale or invented GUID therefore never
//! reaches the object that lives in the slot now. The lock is held for a few instructions, never
//! while another one is taken, and never while anything can block.

pub mod arena;
pub mod data_block;
pub mod edt;
pub mod event;
pub mod guid;
pub mod header;
pub mod link;
pub mod place;
pub mod scope;
pub mod template;
pub mod work;

use arena::{Arena, Cache};

/// All objects of a runtime.
#[derive(Default)]
pub struct Objects {
    /// EDTs.
    pub edts: edt::Edts,
    /// Events.
    pub events: event::Events,
    /// Data blocks.
    pub data_blocks: data_block::DataBlocks,
    /// EDT templates.
    pub templates: template::Templates,
    /// Finish scopes.
    pub scopes: Arena<scope::Scope>,
    /// What EDTs do.
    pub works: work::Works,
}

/// A thread's free slots.
#[derive(Default)]
pub struct Caches {
    /// For EDTs.
    pub edts: edt::EdtCaches,
    /// For events.
    pub events: event::EventCaches,
    /// For data blocks.
    pub data_blocks: Cache,
    /// For templates.
    pub templates: Cache,
    /// For finish scopes.
    pub scopes: Cache,
}

impl Objects {
    /// Gives an ending thread's free slots to the others.
    pub fn drain(&self, caches: &mut Caches) {
        self.edts.drain(&mut caches.edts);
        self.events.drain(&mut caches.events);
        self.data_blocks.drain(&mut caches.data_blocks);
        self.templates.drain(&mut caches.templates);
        self.scopes.drain(&mut caches.scopes);
    }
}
