//! Which threads run EDTs, how they wait in calls, and how they pause.

pub(crate) mod pause;
pub(crate) mod seats;
pub(crate) mod threads;
pub(crate) mod wait;
pub(crate) mod worker;
