//! The steps of an EDT, and of a data block that ends. Imports `state` alone.

pub(crate) mod answers;
pub(crate) mod chaining;
pub(crate) mod compared;
pub(crate) mod contents;
pub(crate) mod create;
pub(crate) mod create_request;
pub(crate) mod deferring;
pub(crate) mod dispose;
pub(crate) mod drive;
pub(crate) mod feed;
pub(crate) mod finish;
pub(crate) mod held;
pub(crate) mod hints;
pub(crate) mod internal_edt;
pub(crate) mod late;
pub(crate) mod launch;
pub(crate) mod lock;
pub(crate) mod observed;
pub(crate) mod place;
pub(crate) mod range;
pub(crate) mod recording;
pub(crate) mod redundant;
pub(crate) mod result;
pub(crate) mod run;
pub(crate) mod timing;
pub(crate) mod waiter;
