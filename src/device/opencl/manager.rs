//! The device manager's thread, which owns everything OpenCL of one device.
//!
//! The thread's round: take the messages, start launches, flush the queues, see what has finished.
//! When a round did nothing, put a callback on an unfinished command of each queue, and sleep until a
//! message or the callback comes, or, where much is enqueued, until it is time to look ([`Pace::rest`]).

use crate::device::host::ahead::FetchAhead;
use crate::device::host::counters::Cells;
use crate::device::host::inbox::Inbox;
use crate::device::host::load::Load;
use crate::device::host::pace::{HOLD_FROM, LOOK_EACH, Pace, next_look};
use crate::device::opencl::books::LaunchBooks;
use crate::device::opencl::buffers::Buffers;
use crate::device::opencl::fault::Fault;
use crate::device::opencl::job::{Failure, Failures, LOOK};
use crate::device::opencl::job::{Message, stopped_launch};
use crate::device::opencl::job::{Seed, Unsettled, Work};
use crate::device::opencl::lane::{COMPUTE, Lanes, MAX_COMPUTE, Pending, make_queues};
use crate::device::opencl::program::Programs;
use crate::device::opencl::raw::{Answer, CommandQueue, OpenclContext, SubDevice};
use crate::device::opencl::times::{CommandTimes, queue};
use crate::device::{DeviceError, DeviceInfo, DeviceKind, LaunchError, ManagerEvents};
use crate::object::data_block::DataBlock;
use crate::trace;
use ocr_place::place::Place;
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

/// The most bytes of spare buffers that a device keeps while it has nothing to do.
const SPARE_MOST: u64 = 256 << 20;
/// Queues for kernels of a device that is threads of the host: each kernel has all of them, and the second one keeps
/// them busy between two kernels.
const CPU_QUEUES: usize = 2;
/// Queues for kernels of other devices. A kernel of a single work-group keeps one compute unit of a GPU busy, and
/// queues are what lets others run beside it.
const OTHER_QUEUES: usize = 16;

/// How long the thread sleeps at most while commands are pending: where kernels take longer, and in case that a driver
/// loses a callback.
const LOST_CALLBACK: Duration = Duration::from_millis(100);
/// How long the thread sleeps at most where a callback could not be set at all, so that looking is the only way.
const NO_CALLBACK: Duration = Duration::from_micros(200);

/// How long nothing ends in a lane before all queues are flushed once more, and how long it is from one such flush to
/// the next. A lost device may end nothing and be asked for nothing that it could refuse.
const SUSPICIOUS: Duration = Duration::from_secs(1);

/// How long the thread sleeps at most where OpenCL has refused something that will be tried again.
const TRY_AGAIN: Duration = Duration::from_millis(1);

/// What the manager's thread knows of its device; no other thread touches it. A file of this folder that has steps of
/// the thread names the part on which each works.
pub(crate) struct Manager {
    pub(crate) outside: Outside,
    /// The queues of the device, and what is enqueued in them.
    pub(crate) lanes: Lanes<Work>,
    pub(crate) buffers: Buffers,
    pub(crate) programs: Programs,
    pub(crate) pace: Pace,
    /// What the device's clock says.
    pub(crate) times: CommandTimes,
    /// Whether what kernels write is fetched before anybody asks.
    pub(crate) ahead: FetchAhead,
    pub(crate) books: LaunchBooks,
    /// Kernels that have ended and wait for copies of what they have written, by the serial numbers of their commands.
    pub(crate) settling: FxHashMap<u64, Unsettled>,
    pub(crate) round: Round,
    pub(crate) failing: Failing,
    ending: LaunchesEnd,
    /// The last field: its context is released later than what is made in it.
    pub(crate) device: OwnDevice,
}

/// What the device is.
pub(crate) struct OwnDevice {
    pub(crate) info: DeviceInfo,
    pub(crate) place: Place,
    /// Buffers wrap host memory, and nothing is copied.
    pub(crate) unified: bool,
    /// Kernels can be undone: what they write is brought to the host before they are answered (`settle.rs`).
    pub(crate) attempts: bool,
    /// Bytes of buffers kept at most.
    pub(crate) limit: Option<u64>,
    pub(crate) context: OpenclContext,
    /// The part of the device that is used, if it is not the whole one. Released last.
    _part: Option<SubDevice>,
}

/// What other threads see of the manager: its messages, answers and counters.
pub(crate) struct Outside {
    pub(crate) events: Arc<dyn ManagerEvents>,
    inbox: Arc<Inbox<Message>>,
    pub(crate) counters: Arc<Cells>,
    pub(crate) load: Arc<Load>,
}

/// What belongs to one round of the thread.
#[derive(Default)]
pub(crate) struct Round {
    /// The launches of this round are held back, this number at once at most.
    pub(crate) holds: Option<usize>,
    /// Blocks that will be forgotten when they are not held back any more.
    to_forget: Vec<&'static DataBlock>,
    /// How many kernels are to be outrun as soon as that can be. Not of one round alone.
    pub(crate) outruns: usize,
    /// What was seen to have ended in a lane, while it is worked on.
    pub(crate) ended: Vec<(Pending<Work>, Answer<()>)>,
}

/// What has failed, and what goes on meanwhile (`failure.rs`).
#[derive(Default)]
pub(crate) struct Failing {
    /// A command has failed, and the device runs dry.
    pub(crate) failure: Option<Box<Failure>>,
    pub(crate) failures: Failures,
    /// When all queues were flushed last since nothing had ended for long.
    probed: Option<Instant>,
    /// A queue for what the thread waits for: nothing is ever before that.
    pub(crate) aside: Option<CommandQueue>,
}

/// How far the end of the run has come.
#[derive(Default)]
struct LaunchesEnd {
    /// No launch is taken any more. Dropping the sender reports the end of the last one to the thread that waits for
    /// it.
    last_launches: bool,
    waits_for_launches: Option<SyncSender<()>>,
    stopping: bool,
}

/// How many queues for kernels a device of a kind gets.
fn usual_queues(kind: DeviceKind) -> usize {
    match kind {
        DeviceKind::Cpu => CPU_QUEUES,
        DeviceKind::Gpu | DeviceKind::Accelerator | DeviceKind::Other => OTHER_QUEUES,
    }
}

impl Manager {
    pub(crate) fn new(seed: Seed) -> Result<Self, DeviceError> {
        let Seed { mut info, settings, .. } = seed;
        let pace = Pace::of(&info);
        let mut part = None;
        if let Some(share) = &settings.share
            && share.units < info.compute_units as usize
        {
            part = SubDevice::new(info.id, share.units);
        }
        if let (Some(part), Some(share)) = (&part, &settings.share) {
            info.id = part.id();
            info.compute_units = share.units as u32;
        }
        let info = info;
        // What OpenCL starts from here on, for the first launch too, gets the device's cores from this thread.
        if let Some(share) = &settings.share {
            let _ = share.cores.bind(0);
        }
        let fail =
            |what: &str, code: i32| DeviceError { device: info.name.clone(), what: what.to_string(), code: Some(code) };
        let context = OpenclContext::new(info.id).map_err(|code| fail("creating a context", code))?;
        let computing = settings.compute_queues.unwrap_or_else(|| usual_queues(info.kind));
        let computing = computing.clamp(1, MAX_COMPUTE);
        let queues = make_queues(COMPUTE + computing, || queue(&context, &info, settings.timed))
            .map_err(|code| fail("creating a command queue", code))?;
        let computing = queues.len() - COMPUTE;
        let attempts = settings.attempts;
        let unified = info.host_unified && !settings.force_copies && !attempts;
        let limit = settings
            .memory_limit
            // 0: OpenCL does not tell.
            .or_else(|| (!unified && info.global_memory != 0).then_some(info.global_memory / 4 * 3));
        Ok(Manager {
            outside: Outside { events: seed.events, inbox: seed.inbox, counters: seed.counters, load: seed.load },
            lanes: Lanes::new(queues, settings.timed),
            buffers: Buffers::default(),
            programs: Programs::default(),
            pace,
            times: CommandTimes::new(settings.timed, computing),
            ahead: FetchAhead::default(),
            books: LaunchBooks::new(),
            settling: FxHashMap::default(),
            round: Round::default(),
            failing: Failing::default(),
            ending: LaunchesEnd::default(),
            device: OwnDevice { info, place: seed.place, unified, attempts, limit, context, _part: part },
        })
    }

    /// How many queues for kernels there are.
    pub(crate) fn queues(&self) -> usize {
        self.lanes.count() - COMPUTE
    }

    /// The loop of the thread: takes messages and reaps what has ended, until it is to stop.
    pub(crate) fn live(&mut self) {
        if trace::is_on() {
            let OwnDevice { place, info, .. } = &self.device;
            trace::events::manager(place.number() as u8, info.compute_units, &info.name);
        }
        let ended = catch_unwind(AssertUnwindSafe(|| self.run()));
        if ended.is_err() {
            // The panic's message is out. The books may be wrong, so nothing is read of them.
            self.outside.events.broke_down();
            return;
        }
        for message in self.outside.inbox.close() {
            self.turn_away(message);
        }
        self.release_all();
    }

    fn run(&mut self) {
        let mut messages = Vec::new();
        loop {
            self.outside.inbox.take(&mut messages);
            let mut busy = !messages.is_empty();
            let many = messages.len() + self.books.waiting.len() >= HOLD_FROM;
            self.round.holds = self.pace.holds().filter(|_| many);
            for (i, message) in messages.drain(..).enumerate() {
                self.handle(message);
                if many && self.round.holds.is_none() && i % LOOK_EACH == LOOK_EACH - 1 {
                    self.look_if_short();
                }
            }
            self.launch_waiting();
            self.lanes.flush();
            if let Some((what, code)) = self.lanes.gives_up() {
                self.lose(what, code);
                // What waits is refused in the next round.
                busy = true;
            }
            self.forget_all();
            let any = self.reap_all();
            self.outrun_soon();
            busy |= any;
            busy |= self.run_dry(any);
            if self.books.are_empty() && self.failing.failure.is_none() {
                self.ending.waits_for_launches = None;
            }
            if busy {
                continue;
            }
            let is_over = self.ending.stopping && self.books.are_empty() && self.failing.failure.is_none();
            if is_over && self.leave_outrun() {
                return;
            }
            let idle = self.lanes.all_idle();
            self.release_idle_spares(SPARE_MOST);
            let asked = self.outside.events.before_sleep(self.device.place);
            let at_most = self.longest_sleep(idle).into_iter().chain(asked).min();
            self.outside.inbox.sleep(at_most);
        }
    }

    /// Sees whether those that were launched in this round before have ended, and were short. Nothing is held back now.
    pub(crate) fn look_if_short(&mut self) {
        self.reap_all();
        self.round.holds = self.pace.holds();
    }

    /// Whether another launch may be enqueued.
    pub(crate) fn has_room(&self) -> bool {
        self.failing.failure.is_none() && self.books.running < self.pace.max_enqueued()
    }

    /// Sets callbacks, and says how long to sleep if none comes.
    fn longest_sleep(&mut self, idle: bool) -> Option<Duration> {
        // What was refused without anything pending is tried again, too.
        if idle && !self.lanes.tries_again() {
            return None;
        }
        let (now, mut look) = (Instant::now(), LOST_CALLBACK);
        let armed = self.lanes.arm(&self.outside.inbox, |lane, pending, begun| {
            let awaited = lane < COMPUTE || self.books.awaited != 0;
            let rest = self.pace.rest(pending, awaited);
            if let Some(ns) = rest.look_ns {
                let taken = now.saturating_duration_since(begun);
                look = look.min(next_look(ns, taken, awaited));
            }
            rest.callback
        });
        if !armed {
            look = look.min(NO_CALLBACK);
        }
        if let Some(begun) = self.lanes.first_begun() {
            let taken = now.saturating_duration_since(begun);
            look = look.min(self.pace.own_look(taken).unwrap_or(look));
            let probed = self.failing.probed.get_or_insert(begun);
            if taken > SUSPICIOUS && now.saturating_duration_since(*probed) > SUSPICIOUS {
                *probed = now;
                self.lanes.suspect();
            }
        }
        if self.lanes.tries_again() {
            look = look.min(TRY_AGAIN);
        }
        if self.failing.failure.is_some() {
            look = look.min(LOOK);
        }
        Some(look)
    }

    pub(crate) fn handle(&mut self, message: Message) {
        let Some(message) = self.keep(message) else {
            return;
        };
        match message {
            Message::Launch(launch) if self.ending.last_launches => {
                self.refuse(&launch, Fault::new("the run ends"));
            }
            Message::Launch(launch) => self.launch(launch),
            Message::Fetch(block, token) => self.fetch(block, token),
            // To forget a block may release a buffer.
            Message::Forget(block) if self.round.holds.is_some() => self.round.to_forget.push(block),
            Message::Forget(block) => self.forget(block),
            Message::Outrun(token, number) => self.outrun(token, number),
            Message::LastLaunches(ended) => {
                self.ending.last_launches = true;
                self.ending.waits_for_launches = Some(ended);
            }
            Message::Stop => self.ending.stopping = true,
            Message::Release(kernel) => {
                self.programs.release(kernel);
                self.outside.counters.programs.set(self.programs.compiled());
            }
            Message::Build(spec, reply) => {
                // What is enqueued runs on while the compiler works.
                self.lanes.flush();
                let result = self.programs.build(&self.device.context, &self.device.info, &spec);
                self.outside.counters.programs.set(self.programs.compiled());
                // The thread that asked may have gone.
                let _ = reply.send(result);
            }
        }
    }

    fn forget_all(&mut self) {
        if self.failing.failure.is_some() {
            return;
        }
        for block in std::mem::take(&mut self.round.to_forget) {
            self.forget(block);
        }
    }

    /// Answers a message that came too late.
    fn turn_away(&mut self, message: Message) {
        match message {
            Message::Launch(launch) => {
                let error = stopped_launch(&self.device.info.name, &launch);
                self.answer_failed(launch.token, error);
            }
            Message::Fetch(_, token) => {
                let error = self.trouble("the device manager was stopped".to_string(), None);
                self.outside.events.fetched(token, Err(error));
            }
            Message::Forget(block) => self.forget(block),
            // Dropping the reply answers.
            Message::Build(..)
            | Message::Release(_)
            | Message::Outrun(..)
            | Message::LastLaunches(_)
            | Message::Stop => {}
        }
    }

    pub(crate) fn answer_failed(&mut self, token: usize, error: LaunchError) {
        self.books.failed.insert(token);
        self.outside.counters.failures.add(1);
        self.outside.load.ends();
        self.outside.events.launched(token, Err(Box::new(error)));
    }
}
