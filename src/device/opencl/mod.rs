//! The part of a device that calls OpenCL. The table of [`super`] has its files.

pub(crate) mod arguments;
pub(crate) mod books;
pub(crate) mod buffers;
pub(crate) mod discovery;
pub(crate) mod error;
pub(crate) mod failure;
pub(crate) mod fault;
pub(crate) mod fetch;
pub(crate) mod handle;
pub(crate) mod job;
pub(crate) mod lane;
pub(crate) mod launch;
pub(crate) mod limits;
pub(crate) mod loader;
pub(crate) mod manager;
pub(crate) mod measure;
pub(crate) mod outrun;
pub(crate) mod program;
pub(crate) mod raw;
pub(crate) mod reap;
pub(crate) mod refused;
pub(crate) mod settle;
pub(crate) mod surroundings;
pub(crate) mod threads;
pub(crate) mod times;
pub(crate) mod types;
