//! The results of a run in virtual time. All times are in nanoseconds from the beginning of that run.

use crate::place::Place;
use crate::policy::Considered;

/// Where and when an EDT ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RanTask {
    /// The place where the EDT ran; undecided for a join, and for an EDT for which a kernel ran.
    pub place: Place,
    /// The unit of the place: the number of the worker, or 0 for a device.
    pub unit: usize,
    /// When all that the EDT waits for was there, in nanoseconds from the beginning.
    pub ready: u64,
    /// When the EDT was given to the place and its blocks were asked for, in nanoseconds from the beginning.
    pub given: u64,
    /// When the EDT began, in nanoseconds from the beginning.
    pub begun: u64,
    /// When the EDT ended, in nanoseconds from the beginning.
    pub ended: u64,
}

/// A copy of a block to a device, or from one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copied {
    /// The index of the block in `Graph::blocks`.
    pub block: u32,
    /// The device on whose link the copy went.
    pub device: Place,
    /// Whether the copy went to the device; otherwise it came from there.
    pub to_device: bool,
    /// When the copy began, in nanoseconds from the beginning.
    pub begun: u64,
    /// When the copy ended, in nanoseconds from the beginning.
    pub ended: u64,
}

/// The results of a simulated run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Nanoseconds from the beginning to the end of the last EDT.
    pub ns: u64,
    /// Where and when each EDT ran, in the order of the graph.
    pub ran: Vec<RanTask>,
    /// How many bytes were copied to devices and back in all.
    pub bytes_moved: u64,
    /// The copies of a recorded run; empty for any other.
    pub copies: Vec<Copied>,
    /// The places that the policy has considered in a recorded run, each with the time in nanoseconds from the
    /// beginning. Empty for any other run.
    pub considered: Vec<(u64, Considered)>,
}
