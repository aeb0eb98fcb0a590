//! Kernels that a device manager has enqueued behind the one that they wait for.

use crate::device::{KernelTime, LaunchError};
use crate::object::edt::EdtRef;
use crate::object::link::Link;
use std::collections::HashMap;

/// What a manager says of a launch.
pub(crate) type LaunchResult = Result<KernelTime, Box<LaunchError>>;

/// The followers of a device's EDTs, by tokens.
#[derive(Default)]
pub(crate) struct ChainedLaunches {
    /// The EDT that is enqueued behind another one, by the token of that.
    pub(crate) followers: HashMap<usize, Follower>,
    /// Followers on their way to the device, or there.
    pub(crate) enqueued: HashMap<usize, Enqueued>,
    /// EDTs whose kernels have failed, and that run anew when all that follow them were answered.
    pub(crate) aside: HashMap<usize, (EdtRef, Box<LaunchError>)>,
}

pub(crate) struct Follower {
    pub(crate) edt: EdtRef,
    /// How the output event of the first has named it.
    pub(crate) link: Link,
}

pub(crate) struct Enqueued {
    /// The token of the first.
    pub(crate) first: usize,
    /// The answer, if it has come.
    pub(crate) answer: Option<LaunchResult>,
}
