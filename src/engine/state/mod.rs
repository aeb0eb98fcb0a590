//! What a run and a thread are: data, and the transitions that touch nothing else. Imports no other room of the engine.
//! What is known of devices is here as data; the room `devices` opens them and learns of them.

pub(crate) mod answered;
pub(crate) mod attempt;
pub(crate) mod belongings;
pub(crate) mod chained;
pub(crate) mod checkpoints;
pub(crate) mod contents;
pub(crate) mod context;
pub(crate) mod deferred;
pub(crate) mod devices;
pub(crate) mod difference;
pub(crate) mod elsewhere;
pub(crate) mod end;
pub(crate) mod fatal;
pub(crate) mod fetch_at_end;
pub(crate) mod finish_times;
pub(crate) mod fork;
pub(crate) mod found_devices;
pub(crate) mod handlers;
pub(crate) mod idle;
pub(crate) mod learned;
pub(crate) mod lending;
pub(crate) mod loader;
pub(crate) mod outputs;
pub(crate) mod redundant;
pub(crate) mod runtime;
pub(crate) mod seats;
pub(crate) mod user_call;
pub(crate) mod waiters;
