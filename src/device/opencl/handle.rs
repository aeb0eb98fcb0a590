//! The handle by which others send a device manager messages.

use crate::device::host::completion_wake::Notify;
use crate::device::host::counters::Cells;
use crate::device::host::inbox::Inbox;
use crate::device::host::load::Load;
use crate::device::opencl::job::Seed;
use crate::device::opencl::job::{Message, stopped_launch};
use crate::device::opencl::manager::Manager;
use crate::device::opencl::threads;
use crate::device::{
    BuildError, DeviceCounters, DeviceError, DeviceInfo, DeviceSettings, KernelOnDevice, KernelSpec, Launch,
    ManagerEvents,
};
use crate::object::data_block::DataBlock;
use ocr_base::lock::{Mutex, rank};
use ocr_place::place::Place;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::thread::JoinHandle;

impl Notify for Inbox<Message> {
    fn notify(&self) {
        self.completed();
    }
}

/// The handle of one device's manager. Dropping it stops the manager.
pub struct DeviceManager {
    inbox: Arc<Inbox<Message>>,
    events: Arc<dyn ManagerEvents>,
    counters: Arc<Cells>,
    load: Arc<Load>,
    device: String,
    /// How many compute units are used.
    units: u32,
    /// How many queues for kernels there are.
    queues: usize,
    thread_number: libc::pid_t,
    thread: Mutex<rank::ManagerThread, Option<JoinHandle<()>>>,
}

impl DeviceManager {
    /// Starts the manager of a device. Its answers go to `events`; `place` is how blocks' copies
    /// name the device.
    ///
    /// # Errors
    /// The device gave no context or queue, or there is no thread to be had.
    pub fn start(
        info: &DeviceInfo,
        place: Place,
        settings: DeviceSettings,
        events: Arc<dyn ManagerEvents>,
    ) -> Result<DeviceManager, DeviceError> {
        let inbox = Arc::new(Inbox::new());
        let counters = Arc::new(Cells::default());
        let load = Arc::new(Load::new());
        let (ready, started) = sync_channel(1);
        let seed = Seed {
            info: info.clone(),
            place,
            settings,
            events: Arc::clone(&events),
            inbox: Arc::clone(&inbox),
            counters: Arc::clone(&counters),
            load: Arc::clone(&load),
        };
        let fail = |what: &str| DeviceError { device: info.name.clone(), what: what.to_string(), code: None };
        let live = move || match Manager::new(seed) {
            Ok(mut manager) => {
                // SAFETY: `gettid` has no preconditions.
                let number = unsafe { libc::gettid() };
                let _ = ready.send(Ok((manager.device.info.compute_units, manager.queues(), number)));
                drop(ready);
                manager.live();
            }
            Err(error) => {
                let _ = ready.send(Err(error));
            }
        };
        let thread =
            threads::spawn(info.index, live).map_err(|error| fail(&format!("starting its thread failed: {error}")))?;
        let result = started.recv().unwrap_or_else(|_| Err(fail("its thread ended at once")));
        let (units, queues, thread_number) = match result {
            Ok(started) => started,
            Err(error) => {
                // The thread has given its last answer, so this does not wait long.
                let _ = thread.join();
                return Err(error);
            }
        };
        Ok(DeviceManager {
            inbox,
            events,
            counters,
            load,
            device: info.name.clone(),
            units,
            queues,
            thread_number,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// How many compute units of the device are used.
    pub fn units(&self) -> u32 {
        self.units
    }

    /// How many queues for kernels there are.
    pub fn queues(&self) -> usize {
        self.queues
    }

    /// How many kernels the device has lately run at once. None before the first has ended, where the device's clock is
    /// not asked, and for a device that is threads of the host: each kernel has all of them there.
    pub fn at_once(&self) -> Option<usize> {
        self.load.at_once()
    }

    /// The number by which the system knows the manager's thread.
    pub fn thread_number(&self) -> i32 {
        self.thread_number
    }

    /// Builds a kernel, or finds it built, and waits for the answer. Not to be called from
    /// [`ManagerEvents`].
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn build(&self, spec: &KernelSpec) -> Result<KernelOnDevice, BuildError> {
        let (reply, answer) = sync_channel(1);
        // Where the manager is stopped the reply is dropped unused, and this ends at once.
        let _ = self.inbox.push(Message::Build(spec.clone(), reply));
        answer.recv().unwrap_or_else(|_| Err(BuildError::Other(self.stopped())))
    }

    /// A template that has had this kernel built is gone: the device may forget the kernel when EDTs that have it need
    /// it no more.
    pub fn release(&self, kernel: usize) {
        // A manager that was stopped has forgotten it.
        let _ = self.inbox.push(Message::Release(kernel));
    }

    /// Runs a kernel; [`ManagerEvents::launched`] answers.
    pub fn launch(&self, launch: Launch) {
        self.load.begins();
        if let Err(Message::Launch(launch)) = self.inbox.push(Message::Launch(launch)) {
            self.load.ends();
            let error = stopped_launch(&self.device, &launch);
            self.events.launched(launch.token, Err(Box::new(error)));
        }
    }

    /// Brings a block to the host, if it is not there; [`ManagerEvents::fetched`] answers.
    pub fn fetch(&self, block: &'static DataBlock, token: usize) {
        if self.inbox.push(Message::Fetch(block, token)).is_err() {
            self.events.fetched(token, Err(self.stopped()));
        }
    }

    /// Releases what the device has of a block that no launch will use any more;
    /// [`ManagerEvents::forgotten`] answers. Until then the block and its host memory must stay.
    pub fn forget(&self, block: &'static DataBlock) {
        if self.inbox.push(Message::Forget(block)).is_err() {
            self.events.forgotten(block);
        }
    }

    /// The function of the EDT with this token has ended, and its kernel is not to count. Where that has not ended yet,
    /// [`ManagerEvents::outrun`] answers, and its blocks are as they were. Its launch has this number, which
    /// [`ManagerEvents::ended_in_vain`] names. Only where kernels can be undone ([`DeviceSettings::attempts`]).
    pub fn outrun(&self, token: usize, number: u64) {
        // A manager that was stopped has answered.
        let _ = self.inbox.push(Message::Outrun(token, number));
    }

    /// Has the manager's thread look around, and call [`ManagerEvents::before_sleep`] before it sleeps.
    pub fn wake(&self) {
        self.inbox.completed();
    }

    /// Launches that were sent and not answered yet.
    pub fn load(&self) -> usize {
        self.load.launches()
    }

    /// How many launches have been answered since the start.
    pub fn ended(&self) -> u64 {
        self.load.ended()
    }

    /// In what time a queue has done a kernel lately, on average, in nanoseconds; none before the first has ended.
    pub fn pace_ns(&self) -> Option<u64> {
        self.load.pace_ns()
    }

    /// What it did so far.
    pub fn counters(&self) -> DeviceCounters {
        self.counters.read()
    }

    /// Waits until the launches have been answered that were sent before. Those that are sent later
    /// fail; fetches do not. Not to be called from [`ManagerEvents`].
    pub fn end_launches(&self) {
        let (ended, wait) = sync_channel(1);
        let _ = self.inbox.push(Message::LastLaunches(ended));
        // Nothing is ever sent.
        let _ = wait.recv();
    }

    /// Finishes what was sent, releases everything of OpenCL and ends the thread. Later messages are
    /// answered with errors. Calling it again does nothing. Content that was valid only on the
    /// device is lost. Not to be called from [`ManagerEvents`].
    pub fn stop(&self) {
        let _ = self.inbox.push(Message::Stop);
        let mut thread = self.thread.lock();
        if let Some(thread) = thread.take()
            // The last handle may be dropped by an answer: a thread cannot wait for itself.
            && thread.thread().id() != thread::current().id()
        {
            // A panic there was reported there.
            let _ = thread.join();
        }
    }

    fn stopped(&self) -> DeviceError {
        DeviceError { device: self.device.clone(), what: "the device manager was stopped".to_string(), code: None }
    }
}

impl Drop for DeviceManager {
    fn drop(&mut self) {
        self.stop();
    }
}
