//! The room of the OpenCL devices.
//!
//! **Owns:** what devices there are ([`discover`]), and for each one that is used a
//! [`DeviceManager`]: one thread that owns the device's context, queues, programs, kernels and
//! buffers, and gets its orders as messages: build this kernel, run this launch, bring this block
//! to the host, forget this block. It answers through [`ManagerEvents`].
//!
//! **Never:** calls OpenCL outside a manager's thread (discovery has one of its own, and only asks), calls
//! OpenCL inside an OpenCL callback, decides which EDT runs where, or knows what an EDT is. Of the
//! room `object` it knows data blocks alone.
//!
//! The files of `host` need no OpenCL, and those of `opencl` call it:
//!
//! | file | what |
//! |---|---|
//! | `discovery.rs`, `loader.rs` | platforms, devices; why there are none; which OpenCL library is loaded |
//! | `selection.rs` | the words of `OCR_DEVICES` |
//! | `handle.rs` | the handle by which others send messages |
//! | `interface.rs`, `launch_parts.rs`, `job.rs` | what the engine gives and gets; of what a launch is made; what the thread keeps of it |
//! | `manager.rs` | the thread: its parts, its loop, its messages; how many launches may be enqueued at once |
//! | `books.rs` | which launches wait, run or have failed |
//! | `reap.rs` | what has ended |
//! | `times.rs`, `occupancy.rs` | how long a command took, how long a kernel has kept the device |
//! | `clock.rs` | whether a device's clock is right |
//! | `shapes.rs` | in which shapes a kernel was launched |
//! | `pace.rs` | when the thread looks for what has ended; which kernels are so short that they are held back, and more of them enqueued |
//! | `launch.rs` | one launch: buffers, copies in, enqueue |
//! | `arguments.rs` | setting a kernel's arguments |
//! | `limits.rs` | what a device and a kernel permit: local sizes, sizes of buffers |
//! | `fault.rs`, `refused.rs` | why a launch cannot start, why OpenCL refuses one |
//! | `failure.rs` | what follows when a command fails after it was enqueued |
//! | `settle.rs` | kernels that can be undone: what they write is on the host before they are answered |
//! | `outrun.rs` | kernels that do not count, since the function of their EDT has ended first |
//! | `fetch.rs` | copies out: fetches, write-backs, evictions, forgetting |
//! | `ahead.rs` | whether what kernels write is fetched before anybody asks |
//! | `buffers.rs` | the table of device buffers, least recently used first |
//! | `lane.rs` | in-order queues and what is pending in each |
//! | `program.rs`, `signature.rs`, `types.rs` | programs, kernels, what arguments a kernel takes, how large their types are |
//! | `inbox.rs` | how messages and completions wake the thread |
//! | `completion_wake.rs` | which completions wake it |
//! | `load.rs` | how much a device has to do, for the thread that places EDTs |
//! | `surroundings.rs` | what OpenCL needs of the machine, and what it lacks |
//! | `threads.rs` | which threads are OpenCL's, so that no hang is found or missed for them, and each has its cores |
//! | `raw.rs` | owned OpenCL handles: the only file that creates or releases one |
//! | `measure.rs` | how fast a device copies and computes, for `ocr info` |
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

pub(crate) mod host;
mod interface;
pub(crate) mod opencl;
#[cfg(test)]
mod tests;

pub use host::counters::DeviceCounters;
pub use host::launch_parts::{BlockArg, LaunchRange};
pub use host::load::{Pool, feed};
pub use host::selection::Selection;
pub use host::signature::{ArgKind, Form, Signature};
pub use interface::{
    DeviceSettings, DeviceShare, InlineList, KernelOnDevice, KernelSpec, KernelTime, Launch, ManagerEvents,
};
pub use opencl::discovery::{ASK_INFO, DeviceInfo, DeviceKind, Inventory, LoaderState, discover, discover_telling};
pub use opencl::error::{BuildError, DeviceError, LaunchError, code_name};
pub use opencl::handle::DeviceManager;
pub use opencl::loader::{surroundings, variables};
pub use opencl::measure::{LinkSpeed, measure_links};
pub(crate) use opencl::outrun::are_kernels_left;
pub use opencl::surroundings::{asked_platforms, is_loaded, is_pocl, lacking, load_failure, why_ended};
pub use opencl::threads::{
    NAME as THREAD_NAME, OpenclThreads, is_marked_here as is_thread_of_opencl, is_one as is_opencl_thread,
    program_has_opencl,
};
pub(crate) use opencl::threads::{
    count_beyond as count_opencl_threads_beyond, is_of_driver as is_thread_of_driver, move_from as move_opencl_threads,
    of_drivers as threads_of_drivers, of_platforms as threads_of_platforms, of_process as threads_of_process,
    spawn as spawn_thread_of_opencl,
};
