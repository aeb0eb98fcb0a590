//! The part of a device that knows no OpenCL: what its manager is asked, how it is paced and woken. Models check it.
//! The table of [`super`] has its files.

#[cfg(not(loom))]
pub(crate) mod ahead;
#[cfg(not(loom))]
pub(crate) mod clock;
pub(crate) mod completion_wake;
#[cfg(not(loom))]
pub(crate) mod counters;
pub(crate) mod inbox;
#[cfg(not(loom))]
pub(crate) mod launch_parts;
pub(crate) mod load;
#[cfg(not(loom))]
pub(crate) mod occupancy;
#[cfg(not(loom))]
pub(crate) mod pace;
#[cfg(not(loom))]
pub(crate) mod selection;
#[cfg(not(loom))]
pub(crate) mod shapes;
#[cfg(not(loom))]
pub(crate) mod signature;
