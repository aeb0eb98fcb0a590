//! What a launch is made of: its index space, and the blocks in its slots.

use crate::object::data_block::DataBlock;
use std::fmt;

/// The index space of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct LaunchRange {
    /// Dimensions in use, 1 to 3.
    pub work_dim: u32,
    /// First global id, per dimension.
    pub offset: [usize; 3],
    /// Number of work-items, per dimension.
    pub global: [usize; 3],
    /// Work-items of a work-group, per dimension; `None`: the manager chooses.
    pub local: Option<[usize; 3]>,
}

impl fmt::Display for LaunchRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims = (self.work_dim as usize).min(3);
        let list = |f: &mut fmt::Formatter<'_>, values: &[usize; 3]| {
            for (i, value) in values[..dims].iter().enumerate() {
                write!(f, "{}{value}", if i == 0 { "" } else { " x " })?;
            }
            Ok(())
        };
        write!(f, "global ")?;
        list(f, &self.global)?;
        match &self.local {
            Some(local) => {
                write!(f, ", local ")?;
                list(f, local)?;
            }
            None => write!(f, ", local size left to the runtime")?,
        }
        if self.offset[..dims].iter().any(|&o| o != 0) {
            write!(f, ", offset ")?;
            list(f, &self.offset)?;
        }
        if !(1..=3).contains(&self.work_dim) {
            write!(f, " ({} dimensions)", self.work_dim)?;
        }
        Ok(())
    }
}

/// A block that stands in one of a launch's slots.
#[derive(Clone, Copy)]
pub struct BlockArg {
    /// The block; granted to the launch until its answer.
    pub block: &'static DataBlock,
    /// Whether the kernel may write it. Where a block stands in several slots, one that writes makes
    /// it written.
    pub writes: bool,
    /// Whether it stays on the device until somebody asks for it.
    pub lazy: bool,
}
