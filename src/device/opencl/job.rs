//! What the manager's thread keeps: launches, fetches, messages, and what has failed.

use crate::device::host::counters::Cells;
use crate::device::host::inbox::Inbox;
use crate::device::host::load::Load;
use crate::device::opencl::buffers::Id;
use crate::device::opencl::fault::Blame;
use crate::device::{
    BuildError, DeviceInfo, DeviceSettings, InlineList, KernelOnDevice, KernelSpec, KernelTime, Launch, LaunchError,
    ManagerEvents,
};
use crate::object::data_block::DataBlock;
use ocr_place::place::{Place, PlaceSet};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// What a manager's thread is started with.
pub(crate) struct Seed {
    pub(crate) info: DeviceInfo,
    pub(crate) place: Place,
    pub(crate) settings: DeviceSettings,
    pub(crate) events: Arc<dyn ManagerEvents>,
    pub(crate) inbox: Arc<Inbox<Message>>,
    pub(crate) counters: Arc<Cells>,
    pub(crate) load: Arc<Load>,
}

/// A data block that a launch uses.
#[derive(Clone, Copy)]
pub(crate) struct BlockUse {
    pub(crate) id: Id,
    pub(crate) written: bool,
    /// It is not fetched before somebody asks for it.
    pub(crate) lazy: bool,
    /// If it is written: where the content was valid before the kernel was enqueued.
    pub(crate) before: PlaceSet,
    /// How often it had been copied to the host's memory then.
    pub(crate) fetches: u32,
}

/// A launch from when it was taken until it is answered. It stays where it is: to copy one takes as long as much of
/// what else is done for it.
pub(crate) struct Job {
    pub(crate) launch: Launch,
    /// Whether its kernel was launched for the first time in this shape.
    pub(crate) is_first: bool,
    /// OpenCL has refused it for memory: it is tried once more, when nothing is pending.
    pub(crate) waits_for_idle: bool,
    /// Whether its kernel counts.
    pub(crate) outrun: Outrun,
    /// Its distinct blocks, while it is put together and while its kernel runs.
    pub(crate) uses: InlineList<BlockUse>,
}

/// Whether a kernel counts (`outrun.rs`).
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) enum Outrun {
    /// It does.
    #[default]
    Not,
    /// It will not, when a copy or a failure has ended. The number is that of its launch.
    Soon(u64),
    /// It does not.
    Now(u64),
}

/// What a pending command is for.
pub(crate) enum Work {
    /// Makes a buffer's content what the host has; `bytes` are copied.
    CopyIn { id: Id, bytes: u64 },
    /// Runs the kernel of a launch.
    Kernel(Box<Job>),
    /// Brings a block to the host.
    CopyOut(Fetching),
    /// Brings what a kernel has written, before that is answered.
    Bring(Bringing),
    /// Ends a mapping, so that a block can be forgotten.
    Unmap { id: Id },
}

/// What others ask of a manager's thread.
pub(crate) enum Message {
    Build(KernelSpec, SyncSender<Result<KernelOnDevice, BuildError>>),
    /// A template that had this kernel is gone.
    Release(usize),
    Launch(Launch),
    Fetch(&'static DataBlock, usize),
    Forget(&'static DataBlock),
    /// The function of the EDT with this token has ended before the kernel; the number of the launch.
    Outrun(usize, u64),
    /// The sender is dropped when the launches have ended.
    LastLaunches(SyncSender<()>),
    Stop,
}

pub(crate) fn stopped_launch(device: &str, launch: &Launch) -> LaunchError {
    LaunchError {
        device: device.to_string(),
        kernel: String::new(),
        range: launch.range,
        arguments: Vec::new(),
        cause: "the device manager was stopped".to_string(),
        code: None,
        hint: None,
        inputs_intact: true,
        takes_no_more: true,
    }
}

/// A fetch that was enqueued.
pub(crate) struct Fetching {
    pub(crate) id: Id,
    /// The tokens of those that asked for the fetch; none where no thread has asked yet.
    pub(crate) tokens: Vec<usize>,
    /// The block's count of writes when it was enqueued.
    pub(crate) writes: u64,
    /// How many bytes are copied.
    pub(crate) bytes: u64,
}

/// A kernel that has ended, and of which copies have not (`settle.rs`).
pub(crate) struct Unsettled {
    pub(crate) job: Box<Job>,
    pub(crate) time: KernelTime,
    /// What was brought.
    pub(crate) brought: Vec<(Id, Vec<u8>)>,
    /// How many copies have not ended.
    pub(crate) left: usize,
}

/// A copy of what a kernel has written.
pub(crate) struct Bringing {
    pub(crate) id: Id,
    /// The serial number of the kernel's command.
    pub(crate) kernel: u64,
    /// Where it goes: the vector is empty, and has room for it.
    pub(crate) memory: Vec<u8>,
}

/// A failure, until the device has run dry.
pub(crate) struct Failure {
    pub(crate) kernels: Vec<Casualty>,
    pub(crate) fetches: Vec<(Fetching, Rc<Blame>, bool)>,
    /// The buffers of blocks that the failure has marked.
    pub(crate) marked: FxHashSet<Id>,
    /// What must be done when it is over.
    pub(crate) messages: Vec<Message>,
    /// When a command has ended last.
    pub(crate) progress: Instant,
    /// Why the first command has failed.
    pub(crate) first: Option<Rc<Blame>>,
}

/// What is known of the commands that have failed on this device.
#[derive(Default)]
pub(crate) struct Failures {
    /// How many launches have failed in a row.
    pub(crate) count: u32,
    /// OpenCL refuses what the device cannot be used without.
    pub(crate) is_lost: bool,
    /// Some command did not end.
    pub(crate) never_ends: bool,
    /// Why the first command of the last has failed.
    pub(crate) last: Option<Rc<Blame>>,
}

/// A kernel that has failed.
pub(crate) struct Casualty {
    pub(crate) serial: u64,
    pub(crate) job: Box<Job>,
    pub(crate) why: Rc<Blame>,
    /// The kernel may run still.
    pub(crate) given_up: bool,
}

/// How often the thread looks meanwhile.
pub(crate) const LOOK: Duration = Duration::from_millis(5);
