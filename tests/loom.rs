//! The models of the lock-free protocols (`make loom`): the rooms of the library that they call, with loom's atomics in
//! place of the processor's, and with what stands in for the rest.

#![cfg(loom)]
// Models call parts of the rooms only.
#![allow(dead_code, unused_imports, unreachable_pub)]

#[path = "../src/abi/mod.rs"]
mod abi;
#[path = "."]
mod device {
    #[path = "../src/device/host/mod.rs"]
    pub(crate) mod host;
}
#[path = "../src/graph/mod.rs"]
mod graph;
#[path = "../src/heap/models.rs"]
mod heap;
#[path = "../src/memory/mod.rs"]
mod memory;
#[path = "../src/object/mod.rs"]
mod object;
#[path = "../src/sched/mod.rs"]
mod sched;
#[path = "../src/status.rs"]
mod status;
#[path = "../src/symbols.rs"]
mod symbols;
#[path = "../src/trace/models.rs"]
mod trace;
