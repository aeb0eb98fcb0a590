//! What a run in virtual time tells.

use crate::object::place::Place;
use crate::sched::policy::Considered;

/// Where and when an EDT ran.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ran {
    /// The place.
    pub place: Place,
    /// Which of its units: the worker, or 0.
    pub unit: usize,
    /// When it had all that it waits for, in nanoseconds from the beginning.
    pub ready: u64,
    /// When it was given to the place, and its blocks were asked for.
    pub given: u64,
    /// When it began.
    pub begun: u64,
    /// When it ended.
    pub ended: u64,
}

/// A copy of a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Copied {
    /// The block.
    pub block: u32,
    /// The device on whose link it went.
    pub device: Place,
    /// Whether it was to the device, or from it.
    pub to_device: bool,
    /// When it began, in nanoseconds from the beginning.
    pub begun: u64,
    /// When it ended.
    pub ended: u64,
}

/// What came of a simulated run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Nanoseconds from the beginning to the end of the last EDT.
    pub ns: u64,
    /// Where each EDT ran.
    pub ran: Vec<Ran>,
    /// Bytes that were copied to devices and back.
    pub bytes_moved: u64,
    /// The copies, where that was asked for.
    pub copies: Vec<Copied>,
    /// The places that the policy has considered, where that was asked for, and when: in nanoseconds from the beginning.
    pub considered: Vec<(u64, Considered)>,
}
