//! Owned OpenCL handles. The only file that creates or releases an OpenCL object.
//!
//! Each type owns one reference of its object and releases it when dropped; OpenCL itself keeps
//! what enqueued commands still use. Errors of a release are ignored: there is no caller that could do
//! anything about them, and the object is gone for us either way.

use crate::device::LaunchRange;
use crate::device::host::completion_wake::Notify;
use crate::device::opencl::discovery::{RawDevice, number, numbers};
use cl3::load_library;
use ocr_base::lock::{Mutex, rank};
use opencl3::context::context;
use opencl3::device::{
    self as devices, CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_EQUALLY,
    CL_DEVICE_PARTITION_PROPERTIES,
};
use opencl3::error_codes::{CL_INVALID_VALUE, CL_SUCCESS, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED};
use opencl3::types::{
    CL_BLOCKING, CL_NON_BLOCKING, cl_command_queue, cl_context, cl_device_id, cl_event, cl_kernel, cl_map_flags,
    cl_mem, cl_program,
};
use opencl3::{command_queue as queue, event as cl_events, kernel as cl_kernels, memory, program as cl_programs};
use rustc_hash::FxHashMap;
use std::ffi::{CStr, c_void};
use std::ptr;
use std::ptr::NonNull;

/// The callbacks that OpenCL was asked for and that have not come, by numbers of which none is used twice.
struct Callbacks {
    next: usize,
    kept: Option<FxHashMap<usize, Box<dyn Notify>>>,
}

static ASKED: Mutex<rank::KnownCallbacks, Callbacks> = Mutex::new(Callbacks { next: 0, kept: None });

impl Callbacks {
    fn keep(&mut self, notify: Box<dyn Notify>) -> usize {
        self.next += 1;
        self.kept.get_or_insert_default().insert(self.next, notify);
        self.next
    }

    fn take(&mut self, key: usize) -> Option<Box<dyn Notify>> {
        self.kept.as_mut()?.remove(&key)
    }
}

/// What OpenCL calls. It finds nothing if it is called once more for the same command.
extern "C" fn call_back(_: cl_event, _: i32, key: *mut c_void) {
    let asked = ASKED.lock().take(key.addr());
    if let Some(notify) = asked {
        notify.notify();
    }
}

/// How far a command is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CommandState {
    /// The command has not begun, as far as OpenCL tells.
    Waits,
    Runs,
    Done,
    /// The command has ended with this negative status.
    Failed(i32),
    /// OpenCL has refused to tell, for this reason: that says nothing of the command.
    Untold(i32),
}

/// What OpenCL answers: a value, or its negative status.
pub(crate) type Answer<T> = Result<T, i32>;

macro_rules! owned {
    ($(#[$doc:meta])* $name:ident, $raw:ty, $release:path) => {
        $(#[$doc])*
        pub(crate) struct $name($raw);

        impl Drop for $name {
            fn drop(&mut self) {
                // SAFETY: the handle came from a successful create call, which gave this value one
                // reference; it is released here and nowhere else.
                let _ = unsafe { $release(self.0) };
            }
        }
    };
}

owned!(
    /// A context of one device.
    OpenclContext, cl_context, context::release_context
);
owned!(
    /// A part of a device.
    SubDevice, cl_device_id, devices::release_device
);
owned!(
    /// An in-order command queue of one device.
    CommandQueue, cl_command_queue, queue::release_command_queue
);
owned!(
    /// A buffer object, on the device or over host memory.
    Mem, cl_mem, memory::release_mem_object
);
owned!(
    /// A program object, built or not.
    Program, cl_program, cl_programs::release_program
);
owned!(
    /// A kernel object, with the arguments that are set on it.
    OpenclKernel, cl_kernel, cl_kernels::release_kernel
);
owned!(
    /// The completion of one command.
    CommandEvent, cl_event, cl_events::release_event
);

/// An event of the host's, for commands to wait for. It completes when this is dropped.
pub(crate) struct Gate {
    event: CommandEvent,
    is_open: bool,
}

impl Gate {
    pub(crate) fn new(context: &OpenclContext) -> Answer<Self> {
        let event = cl_events::create_user_event(context.0)?;
        Ok(Gate { event: CommandEvent(event), is_open: false })
    }

    pub(crate) fn event(&self) -> &CommandEvent {
        &self.event
    }

    /// Completes the event. It may be tried again where OpenCL refuses.
    pub(crate) fn open(&mut self) -> Answer<()> {
        cl_events::set_user_event_status(self.event.0, cl_events::CL_COMPLETE)?;
        self.is_open = true;
        // The event may have taken the status and failed all the same.
        match self.event.state() {
            CommandState::Failed(code) => Err(code),
            _ => Ok(()),
        }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        if !self.is_open {
            // No caller is left to which a failure could be reported.
            let _ = self.open();
        }
    }
}

/// The events a command waits for. The handles are borrowed: the caller that builds the list keeps
/// them alive until the command is enqueued.
pub(crate) struct WaitList<const N: usize> {
    events: [cl_event; N],
    len: u32,
}

impl<const N: usize> WaitList<N> {
    pub(crate) fn none() -> Self {
        WaitList { events: [ptr::null_mut(); N], len: 0 }
    }

    /// Adds an event; there is room for `N`.
    pub(crate) fn push(&mut self, event: &CommandEvent) {
        self.events[self.len as usize] = event.0;
        self.len += 1;
    }

    fn as_ptr(&self) -> *const cl_event {
        // OpenCL wants a null list where the count is 0.
        if self.len == 0 { ptr::null() } else { self.events.as_ptr() }
    }
}

impl SubDevice {
    /// A part of a device with `units` compute units, fewer than it has; none where it cannot be divided so.
    pub(crate) fn new(device: RawDevice, units: usize) -> Option<SubDevice> {
        let kinds = devices::get_device_data(device.0, CL_DEVICE_PARTITION_PROPERTIES).ok()?;
        let kinds = kinds.chunks_exact(size_of::<isize>());
        let kinds: Vec<isize> = kinds.filter_map(|bytes| Some(isize::from_ne_bytes(bytes.try_into().ok()?))).collect();
        let units = isize::try_from(units).ok()?;
        let how = [[CL_DEVICE_PARTITION_BY_COUNTS, units, 0, 0], [CL_DEVICE_PARTITION_EQUALLY, units, 0, 0]];
        let mut how = how.into_iter().filter(|how| kinds.contains(&how[0]));
        how.find_map(|how| {
            let parts = devices::create_sub_devices(device.0, &how).ok()?;
            // The parts behind the first are released here.
            let mut parts = parts.into_iter().map(SubDevice);
            parts.next().filter(|part| part.units() == units as u64)
        })
    }

    fn units(&self) -> u64 {
        number(devices::get_device_data(self.0, CL_DEVICE_MAX_COMPUTE_UNITS))
    }

    /// Its name, valid while this value lives.
    pub(crate) fn id(&self) -> RawDevice {
        RawDevice(self.0)
    }
}

impl OpenclContext {
    pub(crate) fn new(device: RawDevice) -> Answer<Self> {
        context::create_context(&[device.0], ptr::null(), None, ptr::null_mut()).map(OpenclContext)
    }

    /// A buffer in the device's memory, contents undefined. `bytes` is not 0.
    pub(crate) fn buffer(&self, bytes: usize) -> Answer<Mem> {
        // SAFETY: the context is alive, and without a host pointer the flags ask nothing of it.
        unsafe { memory::create_buffer(self.0, memory::CL_MEM_READ_WRITE, bytes, ptr::null_mut()) }.map(Mem)
    }

    /// A buffer over host memory.
    ///
    /// # Safety
    /// `host` is valid for reads and writes of `bytes` (not 0) until the buffer is dropped and all
    /// commands that use it have finished.
    pub(crate) unsafe fn wrap(&self, host: NonNull<u8>, bytes: usize) -> Answer<Mem> {
        // SAFETY: the context is alive; the host memory is as USE_HOST_PTR demands by this
        // function's contract.
        unsafe {
            memory::create_buffer(
                self.0,
                memory::CL_MEM_READ_WRITE | memory::CL_MEM_USE_HOST_PTR,
                bytes,
                host.as_ptr().cast(),
            )
        }
        .map(Mem)
    }

    /// A program of a source, which need not be UTF-8, as `opencl3` would have it.
    pub(crate) fn program(&self, source: &[u8]) -> Answer<Program> {
        let opencl = load_library().as_ref().map_err(|_| DLOPEN_RUNTIME_LOAD_FAILED)?;
        let (text, length) = (source.as_ptr().cast(), source.len());
        let mut status = CL_INVALID_VALUE;
        // The context is alive, the arrays have one element each, the text has this length, and OpenCL copies it.
        let program = opencl.clCreateProgramWithSource(self.0, 1, &raw const text, &raw const length, &raw mut status);
        match (program, status) {
            (Some(program), CL_SUCCESS) => Ok(Program(program)),
            (Some(_), status) => Err(status),
            (None, _) => Err(DLOPEN_FUNCTION_NOT_AVAILABLE),
        }
    }
}

impl Mem {
    /// The handle, for an argument. It does not keep the buffer alive.
    pub(crate) fn raw(&self) -> cl_mem {
        self.0
    }
}

impl Program {
    /// The handle, for questions about the program. It keeps nothing alive.
    pub(crate) fn raw(&self) -> cl_program {
        self.0
    }

    pub(crate) fn build(&self, device: RawDevice, options: &CStr) -> Answer<()> {
        cl_programs::build_program(self.0, &[device.0], options, None, ptr::null_mut())
    }

    pub(crate) fn kernel(&self, name: &CStr) -> Answer<OpenclKernel> {
        cl_kernels::create_kernel(self.0, name).map(OpenclKernel)
    }
}

impl OpenclKernel {
    /// The handle, for questions about the kernel. It keeps nothing alive.
    pub(crate) fn raw(&self) -> cl_kernel {
        self.0
    }

    /// Sets an argument from the bytes at `value`; a null `value` makes a null buffer.
    ///
    /// # Safety
    /// `value` is null or valid for reads of `size` bytes, which hold a value of the argument's kind
    /// (for a buffer argument, a live buffer's handle).
    pub(crate) unsafe fn set(&self, index: u32, size: usize, value: *const c_void) -> Answer<()> {
        // SAFETY: the kernel is alive, and OpenCL copies `size` bytes from `value`, which are there
        // by this function's contract; it checks the index and the size itself.
        unsafe { cl_kernels::set_kernel_arg(self.0, index, size, value) }
    }

    pub(crate) fn work_group_number(&self, device: RawDevice, what: u32) -> u64 {
        number(cl_kernels::get_kernel_work_group_data(self.0, device.0, what))
    }

    /// What OpenCL says of a kernel on a device, as a number in each of three dimensions.
    pub(crate) fn work_group_numbers(&self, device: RawDevice, what: u32) -> [usize; 3] {
        let answer = cl_kernels::get_kernel_work_group_data(self.0, device.0, what);
        numbers(answer, 0)
    }
}

impl CommandQueue {
    /// An in-order queue. (The older call: the newer one is missing before OpenCL 2.0.)
    pub(crate) fn new(context: &OpenclContext, device: RawDevice) -> Answer<Self> {
        CommandQueue::with(context, device, 0)
    }

    /// An in-order queue whose events know the device's clock ([`CommandEvent::times`]).
    pub(crate) fn timed(context: &OpenclContext, device: RawDevice) -> Answer<Self> {
        CommandQueue::with(context, device, queue::CL_QUEUE_PROFILING_ENABLE)
    }

    fn with(context: &OpenclContext, device: RawDevice, properties: u64) -> Answer<Self> {
        #[allow(deprecated)]
        // SAFETY: the context is alive and was made for this device.
        unsafe { queue::create_command_queue(context.0, device.0, properties) }.map(CommandQueue)
    }

    pub(crate) fn flush(&self) -> Answer<()> {
        queue::flush(self.0)
    }

    /// Copies `bytes` from `host` into the buffer, without waiting.
    ///
    /// # Safety
    /// `host` is valid for reads of `bytes` until the event is complete. Only functions of EDTs, and what brings the
    /// block from another device, write there meanwhile, where the device reads the block in mode RO, which excludes no
    /// writer: what is copied then is the program's to expect (OCR 1.1.0, 1.4.4).
    pub(crate) unsafe fn write<const N: usize>(
        &self,
        mem: &Mem,
        host: NonNull<u8>,
        bytes: usize,
        waits: &WaitList<N>,
    ) -> Answer<CommandEvent> {
        let (from, list) = (host.as_ptr() as *const c_void, waits.as_ptr());
        // SAFETY: queue, buffer and events are alive, and `host` stays readable by this function's
        // contract; OpenCL checks that `bytes` lie within the buffer.
        unsafe { queue::enqueue_write_buffer(self.0, mem.0, CL_NON_BLOCKING, 0, bytes, from, waits.len, list) }
            .map(CommandEvent)
    }

    /// Fills the first `bytes` bytes of the buffer with zeros, without waiting. OpenCL 1.1 has no such command.
    pub(crate) fn zero<const N: usize>(&self, mem: &Mem, bytes: usize, waits: &WaitList<N>) -> Answer<CommandEvent> {
        const ZEROS: [u8; 16] = [0; 16];
        // A pattern has a power of two of bytes, of which the whole is a multiple; larger ones are filled faster.
        let pattern = 1 << bytes.trailing_zeros().min(4);
        let (from, list) = (ZEROS.as_ptr().cast(), waits.as_ptr());
        // SAFETY: queue, buffer and events are alive, and OpenCL has copied the pattern when the call returns; it
        // checks that `bytes` lie within the buffer.
        unsafe { queue::enqueue_fill_buffer(self.0, mem.0, from, pattern, 0, bytes, waits.len, list) }.map(CommandEvent)
    }

    /// Copies `bytes` from the buffer to `host`; waits for it if `wait`.
    ///
    /// # Safety
    /// `host` is valid for writes of `bytes` until the event is complete. Nothing touches those bytes meanwhile but
    /// functions of EDTs that hold the block in mode RO, and copies for kernels that do, and only to read:
    /// that mode excludes no writer, here or on a device, so what they find then is the program's to expect (OCR 1.1.0,
    /// 1.4.4).
    pub(crate) unsafe fn read<const N: usize>(
        &self,
        mem: &Mem,
        host: NonNull<u8>,
        bytes: usize,
        wait: bool,
        waits: &WaitList<N>,
    ) -> Answer<CommandEvent> {
        let blocking = if wait { CL_BLOCKING } else { CL_NON_BLOCKING };
        let (to, list) = (host.as_ptr().cast::<c_void>(), waits.as_ptr());
        // SAFETY: queue, buffer and events are alive, and `host` stays writable by this function's
        // contract; OpenCL checks that `bytes` lie within the buffer.
        unsafe { queue::enqueue_read_buffer(self.0, mem.0, blocking, 0, bytes, to, waits.len, list) }.map(CommandEvent)
    }

    /// Maps the whole buffer; the address is good for the host once the event is complete.
    pub(crate) fn map<const N: usize>(
        &self,
        mem: &Mem,
        bytes: usize,
        flags: cl_map_flags,
        wait: bool,
        waits: &WaitList<N>,
    ) -> Answer<(CommandEvent, *mut c_void)> {
        let blocking = if wait { CL_BLOCKING } else { CL_NON_BLOCKING };
        let (mut address, list) = (ptr::null_mut(), waits.as_ptr());
        // SAFETY: queue, buffer and events are alive; OpenCL checks that `bytes` lie within the
        // buffer. Mapping alone touches no memory of ours: that was lent when the buffer was made.
        unsafe { queue::enqueue_map_buffer(self.0, mem.0, blocking, flags, 0, bytes, &mut address, waits.len, list) }
            .map(|event| (CommandEvent(event), address))
    }

    /// Ends a mapping.
    ///
    /// # Safety
    /// `address` came from [`CommandQueue::map`] of the same buffer and was not unmapped since.
    pub(crate) unsafe fn unmap<const N: usize>(
        &self,
        mem: &Mem,
        address: *mut c_void,
        waits: &WaitList<N>,
    ) -> Answer<CommandEvent> {
        let list = waits.as_ptr();
        // SAFETY: queue, buffer and events are alive; the address is a mapping of this buffer by
        // this function's contract.
        unsafe { queue::enqueue_unmap_mem_object(self.0, mem.0, address, waits.len, list) }.map(CommandEvent)
    }

    /// Runs a kernel with the arguments that are set on it now.
    ///
    /// # Safety
    /// Every argument is set, and the buffers among them (and host memory they wrap) live until the
    /// event is complete. What the kernel then does with them is up to its source.
    pub(crate) unsafe fn run<const N: usize>(
        &self,
        kernel: &OpenclKernel,
        range: &LaunchRange,
        waits: &WaitList<N>,
    ) -> Answer<CommandEvent> {
        let local = range.local.as_ref().map_or(ptr::null(), |l| l.as_ptr());
        let (offset, global, list) = (range.offset.as_ptr(), range.global.as_ptr(), waits.as_ptr());
        // SAFETY: queue, kernel and events are alive and the three sizes are arrays of three, of
        // which OpenCL reads `work_dim` after checking that it is at most three; the arguments are
        // as they must be by this function's contract.
        unsafe {
            queue::enqueue_nd_range_kernel(self.0, kernel.0, range.work_dim, offset, global, local, waits.len, list)
        }
        .map(CommandEvent)
    }
}

impl CommandEvent {
    /// How far the command is.
    pub(crate) fn state(&self) -> CommandState {
        let what = cl_events::CL_EVENT_COMMAND_EXECUTION_STATUS;
        match cl_events::get_event_info(self.0, what).map(cl3::info_type::InfoType::to_int) {
            Err(code) => CommandState::Untold(code),
            Ok(status) if status < 0 => CommandState::Failed(status),
            Ok(cl_events::CL_COMPLETE) => CommandState::Done,
            Ok(cl_events::CL_RUNNING) => CommandState::Runs,
            Ok(_) => CommandState::Waits,
        }
    }

    /// When a command that has finished was given to the device, has begun and has ended, in nanoseconds of the
    /// device's clock; none where its queue is not timed, or OpenCL does not tell.
    pub(crate) fn times(&self) -> Option<[u64; 3]> {
        let at = |what| {
            let told = cl_events::get_event_profiling_info(self.0, what).ok()?;
            Some(told.to_ulong())
        };
        Some([
            at(cl_events::CL_PROFILING_COMMAND_SUBMIT)?,
            at(cl_events::CL_PROFILING_COMMAND_START)?,
            at(cl_events::CL_PROFILING_COMMAND_END)?,
        ])
    }

    /// Waits until the command has finished.
    pub(crate) fn wait(&self) -> Answer<()> {
        cl_events::wait_for_events(&[self.0])?;
        match self.state() {
            CommandState::Failed(code) => Err(code),
            _ => Ok(()),
        }
    }

    /// Calls `notify.notify()` once when the command has finished or failed; at once, on this
    /// thread, if it has already.
    pub(crate) fn on_completion<T: Notify>(&self, notify: Box<T>) -> Answer<()> {
        let key = ASKED.lock().keep(notify);
        // Never read through: platforms have called back twice, and after they had refused.
        let data = ptr::without_provenance_mut(key);
        let result = cl_events::set_event_callback(self.0, cl_events::CL_COMPLETE, call_back, data);
        if result.is_err() {
            drop(ASKED.lock().take(key));
        }
        result
    }
}
