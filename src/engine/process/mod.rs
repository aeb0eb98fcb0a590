//! The process around a run: hangs, crashes, signals, `exit`.

pub(crate) mod bell;
pub(crate) mod crash;
pub(crate) mod deadlock;
pub(crate) mod exit;
pub(crate) mod patience;
pub(crate) mod quiescence;
pub(crate) mod sigfpe;
pub(crate) mod watchdog;
