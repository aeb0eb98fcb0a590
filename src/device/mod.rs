//! The room of the OpenCL devices.
//!
//! **Owns:** what devices there are ([`discover`]), and for each one that is used a
//! [`DeviceManager`]: one thread that owns the device's context, queues, programs, kernels and
//! buffers, and is told what to do by messages: build this kernel, run this launch, bring this block
//! to the host, forget this block. It answers through [`Events`].
//!
//! **Never:** calls OpenCL outside a manager's thread (discovery has one of its own, and only asks), calls
//! OpenCL inside an OpenCL callback, decides which EDT runs where, or knows what an EDT is. It knows
//! the room `object`, and of that only data blocks and places.
//!
//! | file | what |
//! |---|---|
//! | `discovery.rs` | loader, platforms, devices; why there are none |
//! | `selection.rs` | the words of `OCR_DEVICES` |
//! | `handle.rs` | the handle by which others send messages |
//! | `manager.rs` | the thread: its loop, its messages, what completes |
//! | `pace.rs` | when the thread looks for what has ended, and which kernels are so short that they are held back |
//! | `launch.rs` | one launch: buffers, copies in, enqueue |
//! | `arguments.rs` | setting a kernel's arguments |
//! | `limits.rs` | what a device and a kernel permit: local sizes, sizes of buffers |
//! | `fault.rs` | why a launch cannot start |
//! | `failure.rs` | what follows when a command fails after it was enqueued |
//! | `fetch.rs` | copies out: fetches, write-backs, evictions, forgetting |
//! | `buffers.rs` | the table of device buffers, least recently used first |
//! | `lane.rs` | in-order queues and what is pending in each |
//! | `program.rs`, `signature.rs`, `types.rs` | programs, kernels, what arguments a kernel takes, how large their types are |
//! | `inbox.rs` | how messages and completions wake the thread |
//! | `alarm.rs` | which completions wake it |
//! | `load.rs` | how much a device has to do, for who places EDTs |
//! | `surroundings.rs` | what OpenCL needs of the machine, and what it lacks |
//! | `threads.rs` | which threads are OpenCL's, so that no hang is found or missed for them |
//! | `raw.rs` | owned OpenCL handles: the only file that creates or releases one |
//! | `counters.rs`, `error.rs` | counts, messages for people |
//!
//! # How a launch goes
//!
//! The engine promises that a launch's blocks are granted and that each one's valid copy is on this
//! device, on the host, or nowhere yet. The manager makes each block a buffer (evicting others where
//! memory is bounded), enqueues the copies that are missing on the queue for copies in, then the
//! kernel on one of the compute queues, waiting for those copies by events, and only then goes on to
//! the next launch: so the blocks of the next launch move while the kernels before it compute.
//! A callback on an unfinished command of each queue, or while much is enqueued its own clock, wakes
//! the thread, which then reports all that has finished, in order.

mod alarm;
mod arguments;
mod buffers;
mod counters;
mod discovery;
mod error;
mod failure;
mod fault;
mod fetch;
mod handle;
mod inbox;
mod lane;
mod launch;
mod limits;
mod load;
mod manager;
mod measure;
mod pace;
mod program;
mod raw;
mod selection;
mod signature;
mod surroundings;
#[cfg(test)]
mod tests;
mod threads;
mod types;

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::object::data_block::DataBlock;

pub use counters::Counters;
pub use discovery::{DeviceInfo, DeviceKind, Inventory, LoaderState, discover};
pub use error::{BuildError, DeviceError, LaunchError, code_name};
pub use handle::DeviceManager;
pub use load::{Pool, feed};
pub use measure::{LinkSpeed, measure_links};
pub use selection::Selection;
pub use signature::{ArgKind, Form, Signature};
pub use surroundings::lacking;
pub use threads::{
    NAME as THREAD_NAME, Seen as OpenclThreads, is_marked_here as is_thread_of_opencl,
    is_one as is_opencl_thread, program_has_opencl,
};

/// How one device is to be used.
#[derive(Clone, Debug)]
pub struct DeviceSettings {
    /// Bytes of device buffers kept at most. `None`: three quarters of the device's memory where it
    /// has its own, no bound where it shares the host's.
    pub memory_limit: Option<u64>,
    /// In-order queues for kernels, 1 to 4; kernels in different ones may run at the same time.
    pub compute_queues: usize,
    /// Launches enqueued at once, at least 1, and eight times as many where they are short and the device is threads of
    /// the host. More hide longer waits; each holds its blocks on the device.
    pub in_flight: usize,
    /// Treats a device that shares memory with the host as one that does not, so that the copying
    /// paths can be tested where there is no other device.
    pub force_copies: bool,
}

impl Default for DeviceSettings {
    fn default() -> Self {
        DeviceSettings {
            memory_limit: None,
            compute_queues: 2,
            in_flight: 128,
            force_copies: false,
        }
    }
}

/// Where a manager's answers go. Called on the manager's thread (or, for a manager that was stopped,
/// on the thread that asked): must return soon, and may send further messages to any manager, but
/// must not call [`DeviceManager::build`] or [`DeviceManager::stop`], which wait for that thread.
pub trait Events: Send + Sync + 'static {
    /// The kernel of the launch with this token has been handed to OpenCL. A launch that uses one of its
    /// blocks, if one of the two writes it, runs after it. At most once for each launch, before it
    /// is answered, and only for one that somebody may wait for ([`Launch::awaited`]): nothing follows others.
    fn enqueued(&self, token: usize);
    /// The kernel of the launch with this token has finished, in so many nanoseconds (see [`Counters::kernel_ns`]), or
    /// failed. Exactly one for each launch. If a launch fails after it was enqueued, all that were enqueued since and use
    /// a block of its that one of the two writes fail with it, and are answered before it.
    fn launched(&self, token: usize, result: Result<u64, Box<LaunchError>>);
    /// The fetch with this token is done: the host's memory holds the block's content. Exactly one
    /// for each fetch. (Where a kernel was given the block for writing meanwhile, what was fetched
    /// is the content before it, and the block's copies do not name the host.)
    fn fetched(&self, token: usize, result: Result<(), DeviceError>);
    /// The device has nothing of this block any more and will not touch it again.
    fn forgotten(&self, block: &'static DataBlock);
    /// OpenCL refuses what the manager cannot work without: it answers nothing any more.
    fn gave_up(&self, error: DeviceError);
    /// The manager's thread has panicked, and answers nothing any more.
    fn broke_down(&self);
}

/// A kernel to be built.
#[derive(Clone, Debug)]
pub struct KernelSpec {
    /// OpenCL C.
    pub source: Arc<[u8]>,
    /// Options of `clBuildProgram`. Added to them: `-cl-kernel-arg-info`, and `-DOCR_DEVICE_CPU=1`
    /// or `-DOCR_DEVICE_GPU=1` (the latter also for accelerators).
    pub options: Vec<u8>,
    /// The kernel function's name.
    pub kernel: String,
}

/// A kernel that was built.
#[derive(Clone, Debug)]
pub struct KernelOnDevice {
    /// Names it in [`Launch::kernel`], on this device only.
    pub id: usize,
    /// What arguments it takes.
    pub signature: Signature,
}

/// The index space of a launch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NdRange {
    /// Dimensions in use, 1 to 3.
    pub work_dim: u32,
    /// First global id, per dimension.
    pub offset: [usize; 3],
    /// Work-items, per dimension.
    pub global: [usize; 3],
    /// Work-items of a work-group, per dimension; `None`: the manager chooses.
    pub local: Option<[usize; 3]>,
}

impl fmt::Display for NdRange {
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

/// A list that needs no memory of its own while it is short. A launch is made by one thread and ends on
/// another: memory that one thread gets and another gives back makes them wait for each other in
/// `malloc`, which costs more than copying the few words that a launch mostly has.
pub type List<T> = SmallVec<[T; 4]>;

/// A block that stands in one of a launch's slots.
#[derive(Clone, Copy)]
pub struct BlockArg {
    /// The block; granted to the launch until its answer.
    pub block: &'static DataBlock,
    /// Whether the kernel may write it. Where a block stands in several slots, one that writes makes
    /// it written.
    pub writes: bool,
}

/// One kernel to run. Kernel arguments are the parameters in order, then the blocks in slot order.
pub struct Launch {
    /// Comes back in [`Events::launched`].
    pub token: usize,
    /// From [`KernelOnDevice::id`].
    pub kernel: usize,
    /// The index space.
    pub range: NdRange,
    /// Values for scalar arguments. A value goes to an argument of N bytes if it fits them unsigned,
    /// or if sign extension of the N bytes gives it back (so -1 in 64 bits fits an `int`). A `float`
    /// takes its bits from the low 32, and the high 32 must be zero. Anything else is a
    /// [`LaunchError`].
    pub params: List<u64>,
    /// Blocks for buffer arguments; `None` and blocks of no bytes are null buffers.
    pub blocks: List<Option<BlockArg>>,
    /// Whether somebody may wait for this kernel alone. The answers of others may come later while more is enqueued
    /// behind them (`pace.rs`).
    pub awaited: bool,
    /// The token of a launch that was enqueued and not answered when this one was sent: if that fails, this one does.
    pub follows: Option<usize>,
}
