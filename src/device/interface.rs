//! What the engine asks of a device manager, and what is reported to it.

use crate::cores::CoreSet;
use crate::device::host::launch_parts::{BlockArg, LaunchRange};
use crate::device::host::signature::Signature;
use crate::device::opencl::error::{DeviceError, LaunchError};
use crate::object::data_block::DataBlock;
use ocr_place::model::Direction;
use ocr_place::place::Place;
use smallvec::SmallVec;
use std::sync::Arc;
use std::time::Duration;

/// How one device will be used.
#[derive(Clone, Debug, Default)]
pub struct DeviceSettings {
    /// Bytes of device buffers kept at most. `None`: three quarters of the device's memory where it
    /// has its own and OpenCL tells how much, no bound where it shares the host's.
    pub memory_limit: Option<u64>,
    /// In-order queues for kernels, 1 to [`DeviceSettings::MAX_QUEUES`]; kernels in different ones may run at the same
    /// time. `None`: as many as suit the kind of device. Where OpenCL refuses some of them, there are fewer.
    pub compute_queues: Option<usize>,
    /// Treats a device that shares memory with the host as one that does not, so that the copying
    /// paths can be tested where there is no other device.
    pub force_copies: bool,
    /// Whether a kernel that has failed can run again, wherever: what kernels write is on the host before they are
    /// answered, and such a device copies even where it shares memory with the host.
    pub attempts: bool,
    /// Asks the device's clock when each command has begun and ended.
    pub timed: bool,
    /// The share of a CPU device that has cores of its own. It uses that many compute units, where it can be divided;
    /// the threads that it starts from now on run on these cores.
    pub share: Option<DeviceShare>,
}

/// What a CPU device has of the machine.
#[derive(Clone, Debug)]
pub struct DeviceShare {
    /// How many of its compute units.
    pub units: usize,
    /// The cores on which its threads may run.
    pub cores: CoreSet,
}

impl DeviceSettings {
    /// The most queues for kernels that a device can have.
    pub const MAX_QUEUES: usize = 32;
}

/// Where a manager's answers go. Called on the manager's thread (or, for a manager that was stopped, on the thread that
/// asked): must return soon, and may send further messages to any manager, but must not call
/// [`crate::device::DeviceManager::build`] or [`crate::device::DeviceManager::stop`], which wait for that thread.
pub trait ManagerEvents: Send + Sync + 'static {
    /// The kernel of the launch with this token has been handed to OpenCL. A launch that uses one of its
    /// blocks, if one of the two writes it, runs after it. At most once for each launch, before it
    /// is answered, and only for one that somebody may wait for ([`Launch::awaited`]): nothing follows others.
    fn enqueued(&self, token: usize);
    /// The kernel of the launch with this token has finished, or failed. Exactly one for each launch, or
    /// [`ManagerEvents::outrun`]. If a launch fails
    /// after it was enqueued, all that were enqueued since and use a block of its that one of the two writes fail with
    /// it, and are answered before it.
    fn launched(&self, token: usize, result: Result<KernelTime, Box<LaunchError>>);
    /// What the kernel of the launch with this token has written is about to become the content of its blocks on the
    /// host.
    fn settles(&self, _token: usize) {}
    /// The kernel of the launch with this token does not count ([`crate::device::DeviceManager::outrun`]). This is the
    /// answer to the launch, and its blocks are as they were before it.
    fn outrun(&self, _token: usize) {}
    /// Such a kernel has ended, or was never begun. It took this time, if it has ended well. `number` is that of the
    /// launch.
    fn ended_in_vain(&self, _number: u64, _time: Option<KernelTime>) {}
    /// The fetch with this token is done: the host's memory holds the block's content. Exactly one
    /// for each fetch. (Where a kernel was given the block for writing meanwhile, what was fetched
    /// is the content before it, and the block's copies do not name the host.)
    fn fetched(&self, token: usize, result: Result<(), DeviceError>);
    /// A copy of the given number of bytes to this device, or back, took the given time, from when nothing kept it from
    /// beginning. Reported where the device's clock is asked ([`DeviceSettings::timed`]).
    fn copied(&self, _device: Place, _direction: Direction, _bytes: u64, _ns: u64) {}
    /// The device has nothing of this block any more and will not touch it again.
    fn forgotten(&self, block: &'static DataBlock);
    /// The manager's thread has nothing to do, and is about to sleep: for how long at most, if nothing wakes it.
    fn before_sleep(&self, _device: Place) -> Option<Duration> {
        None
    }
    /// OpenCL refuses what the manager cannot work without: the device is lost. What was asked of it has been answered,
    /// or will be, with errors, but for blocks that are elsewhere, too.
    fn lost(&self, device: Place, error: DeviceError);
    /// The manager's thread has panicked, and answers nothing any more.
    fn broke_down(&self);
}

/// How long a kernel took.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KernelTime {
    /// By the host's clock, in nanoseconds (see [`crate::device::DeviceCounters::kernel_ns`]).
    pub ns: u64,
    /// For how long it has kept the device: with the gap before it, and without the time of others, in whatever queue.
    pub occupied_ns: u64,
    /// From its begin to its end, with the time of others that ran beside it: by the device's clock, as the recording
    /// has it, or by the host's where that is not asked.
    pub ran_ns: u64,
    /// Whether this was the first launch of the kernel in this shape, as far as the manager remembers: some platforms
    /// compile it then, so its time says nothing of the next.
    pub is_first: bool,
}

/// A kernel to be built.
#[derive(Clone, Debug)]
pub struct KernelSpec {
    /// The source, in OpenCL C.
    pub source: Arc<[u8]>,
    /// Options of `clBuildProgram`. Added to them: `-cl-kernel-arg-info`, and `-DOCR_DEVICE_CPU=1`
    /// or `-DOCR_DEVICE_GPU=1` (the latter also for accelerators).
    pub options: Vec<u8>,
    /// The name of the kernel function in the source.
    pub kernel: String,
}

/// A kernel that was built.
#[derive(Clone, Debug)]
pub struct KernelOnDevice {
    /// Names it in [`Launch::kernel`], on this device only.
    pub id: usize,
    /// What arguments the kernel takes, as OpenCL tells.
    pub signature: Signature,
}

/// A list that needs no memory of its own while it is short. A launch is made by one thread and ends on
/// another: memory that one thread gets and another gives back makes them wait for each other in
/// `malloc`, which costs more than copying the few words that a launch mostly has.
pub type InlineList<T> = SmallVec<[T; 4]>;

/// One kernel to run. Kernel arguments are the parameters in order, then the blocks in slot order.
pub struct Launch {
    /// The number by which [`ManagerEvents::launched`] names the launch.
    pub token: usize,
    /// Which kernel is launched: its [`KernelOnDevice::id`].
    pub kernel: usize,
    /// The work-items of the launch.
    pub range: LaunchRange,
    /// Values for scalar arguments. A value goes to an argument of N bytes if it fits them unsigned,
    /// or if sign extension of the N bytes gives it back (so -1 in 64 bits fits an `int`). A `float`
    /// takes its bits from the low 32, and the high 32 must be zero. Anything else is a
    /// [`LaunchError`].
    pub params: InlineList<u64>,
    /// Blocks for buffer arguments; `None` and blocks of no bytes are null buffers.
    pub blocks: InlineList<Option<BlockArg>>,
    /// Whether somebody may wait for this kernel alone. The answers of others may come later while more is enqueued
    /// behind them (`pace.rs`).
    pub awaited: bool,
    /// The token of a launch that was enqueued and not answered when this one was sent: if that fails, this one does.
    pub follows: Option<usize>,
}
