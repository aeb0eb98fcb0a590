//! The device manager's thread, which owns everything OpenCL of one device.
//!
//! The thread's round: take the messages, start launches, flush the queues, see what has finished.
//! When a round did nothing, put a callback on an unfinished command of each queue, and sleep until a
//! message or the callback comes, or, where much is enqueued, until it is time to look ([`rest`]).

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use opencl3::error_codes::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

use crate::object::data_block::DataBlock;
use crate::object::place::Place;

use super::buffers::{Buffers, Id};
use super::counters::Cells;
use super::error::code_name;
use super::fault::Fault;
use super::fetch::Fetching;
use super::handle::{Message, stopped_launch};
use super::inbox::Inbox;
use super::lane::{COMPUTE, IN, Lanes, MAX_COMPUTE, OUT};
use super::load::Load;
use super::program::Programs;
use super::raw::{Answer, Context, Queue};
use super::{DeviceError, DeviceInfo, DeviceKind, DeviceSettings, Events, Launch, LaunchError};

/// How late the end of a kernel may be reported while more are enqueued behind it: by at most so much, and at most the
/// part of what is enqueued that [`batch`] says. Each wake-up costs the device some microseconds on PoCL: its threads
/// make it, with a futex wake of a core that sleeps, in a virtual machine up to 10 us; and where they have all cores, one
/// of them goes on later, with less in its cache.
const REPORT_WITHIN_NS: u64 = 100_000;
const REPORT_LONG_WITHIN_NS: u64 = 1_000_000;
/// The same where nobody waits for any of the kernels alone ([`Launch::awaited`]).
const REPORT_UNAWAITED_WITHIN_NS: u64 = 4_000_000;
/// A look that found nothing is followed by one so much later, at least.
const LOOK_AGAIN_NS: u64 = 50_000;
/// Kernels longer than this are worth a wake-up each.
const LOOK_UP_TO_NS: u64 = 4_000_000;
/// What a platform takes about to go from one command to the next.
const COMMAND_NS: u64 = 2_000;

/// On a device that is threads of the host, kernels of which a lane does one in less are held back (see
/// `lane.rs`), where so many are to be launched. In a graph that has fewer ready, one that waits makes others wait.
const HOLD_UP_TO_NS: u64 = 15_000;
const HOLD_FROM: usize = 128;
/// Whether they are short is said of so many together: one that has begun before the last look is counted from that look,
/// and a thread that wakes up takes as long as some of them.
const JUDGED: u64 = 8;
/// So many are held back at once as a lane does in so long, and so many at most. With more the last ones would be in one
/// lane, and the other idle.
const HOLD_FOR_NS: u64 = 500_000;
const HOLD_MOST: usize = 256;
/// Of such kernels so many times as many may be enqueued, since more are to be while those that were held back run.
const MORE_IN_FLIGHT: usize = 8;
/// After so many launches that are not held back the thread looks whether those before have ended, and were short;
/// after others when they are let go and twice as many run as may where they are not short.
const LOOK_EACH: usize = 16;

/// So many are kept: as many as a burst has, about a megabyte.
const SPARE_JOBS: usize = 4096;

/// How long the thread sleeps at most while commands are pending. Only a driver that loses a
/// callback ever makes it sleep so long.
const LOST_CALLBACK: Duration = Duration::from_millis(100);
/// The same where a callback could not be set at all, so that looking is the only way.
const NO_CALLBACK: Duration = Duration::from_micros(200);

/// What a manager's thread is started with.
pub(super) struct Seed {
    pub(super) info: DeviceInfo,
    pub(super) place: Place,
    pub(super) settings: DeviceSettings,
    pub(super) events: Arc<dyn Events>,
    pub(super) inbox: Arc<Inbox<Message>>,
    pub(super) counters: Arc<Cells>,
    pub(super) load: Arc<Load>,
}

/// A launch's block.
#[derive(Clone, Copy)]
pub(super) struct Use {
    pub(super) id: Id,
    pub(super) written: bool,
}

/// A launch from when it was taken until it is answered. It stays where it is: to copy one takes as long as much of what
/// else is done for it.
pub(super) struct Job {
    pub(super) launch: Launch,
    /// Its distinct blocks, while it is put together and while its kernel runs.
    pub(super) uses: Vec<Use>,
}

/// What a pending command is for.
pub(super) enum Work {
    /// Makes a buffer's content what the host has; `bytes` are copied.
    CopyIn { id: Id, bytes: u64 },
    /// Runs a kernel.
    Kernel(Box<Job>),
    /// Brings a block to the host.
    CopyOut(Fetching),
    /// Ends a mapping, so that a block can be forgotten.
    Unmap { id: Id },
}

/// The thread's state.
pub(super) struct Manager {
    pub(super) info: DeviceInfo,
    pub(super) place: Place,
    /// Buffers wrap host memory, and nothing is copied.
    pub(super) unified: bool,
    /// Bytes of buffers kept at most.
    pub(super) limit: Option<u64>,
    /// Launches enqueued at most, but for short ones ([`Manager::has_room`]).
    pub(super) in_flight: usize,
    pub(super) events: Arc<dyn Events>,
    inbox: Arc<Inbox<Message>>,
    pub(super) counters: Arc<Cells>,
    load: Arc<Load>,
    pub(super) lanes: Lanes<Work>,
    pub(super) buffers: Buffers,
    pub(super) programs: Programs,
    /// In what time, on average, a lane has done the kernels that were seen to have ended last; nanoseconds.
    pace_ns: Option<u64>,
    /// The same of kernels that end about as fast as they are enqueued, on a device that falls asleep then.
    short_ns: Option<u64>,
    /// Kernels of which it was not said yet whether they are short, and their nanoseconds.
    judged: (u64, u64),
    /// The launches of this round are held back, so many at once at most.
    pub(super) holds: Option<usize>,
    /// Blocks that are to be forgotten when they are not held back any more.
    to_forget: Vec<&'static DataBlock>,
    /// Launches that were not enqueued yet, in order.
    pub(super) waiting: VecDeque<Box<Job>>,
    /// Launches that are enqueued.
    pub(super) running: usize,
    /// Those of them for which somebody may wait.
    pub(super) awaited: usize,
    /// Counts the launches put together.
    pub(super) serial: u64,
    /// Those that have been answered: the memory is used again.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Job>>,
    /// The last copy to the device that failed, to be named by the kernel that fails for it.
    copy_failure: Option<String>,
    /// No launch is taken any more. Who waits for the last ones is told by dropping the sender.
    last_launches: bool,
    waits_for_launches: Option<SyncSender<()>>,
    stopping: bool,
    /// Declared last, so that it is released last.
    pub(super) context: Context,
}

/// How many commands of a lane, of so many that are pending, may finish before the thread looks: as
/// many as run in the time that nobody misses while the device has enough to do. Never past the
/// middle: the lane is to be filled again before it runs dry.
fn batch(pace_ns: u64, pending: usize, awaited: bool) -> usize {
    let within = |ns: u64, part: usize| {
        let commands = usize::try_from(ns / pace_ns).unwrap_or(usize::MAX);
        commands.min(pending / part)
    };
    let short = within(REPORT_WITHIN_NS, 2);
    let long = match awaited {
        true => within(REPORT_LONG_WITHIN_NS, 16),
        false => {
            let half = within(REPORT_LONG_WITHIN_NS, 2);
            half.max(within(REPORT_UNAWAITED_WITHIN_NS, 8))
        }
    };
    short.max(long).max(1)
}

/// The pace of so many kernels that have taken so long together, if they are short; none where that is not to be said yet.
fn judge(kernels: u64, ns: u64) -> Option<Option<u64>> {
    let together = kernels.max(JUDGED);
    if ns >= HOLD_UP_TO_NS * together {
        return Some(None);
    }
    (kernels >= JUDGED).then_some(Some(ns / together))
}

/// How many kernels of this pace are held back at once, at most.
fn held_at_once(pace_ns: u64) -> usize {
    let most = usize::try_from(HOLD_FOR_NS / pace_ns.max(1)).unwrap_or(usize::MAX);
    most.min(HOLD_MOST)
}

/// What the thread waits for when a lane has so many commands pending: the end of the `callback`-th, or
/// the time at which it looks by itself, if more is enqueued than may be reported late. Then the callback is on a later
/// command, before which the lane must be filled, in case that the kernels are shorter than the last ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rest {
    callback: usize,
    look_ns: Option<u64>,
}

fn rest(pace_ns: u64, pending: usize, awaited: bool) -> Rest {
    let batch = batch(pace_ns, pending, awaited);
    let callback = match pace_ns {
        ..LOOK_UP_TO_NS => batch.max(pending / 4 * 3),
        _ => 1,
    };
    let ns = (pace_ns * batch as u64).max(REPORT_WITHIN_NS);
    Rest {
        callback,
        look_ns: (callback > 1).then_some(ns),
    }
}

/// In what time to look, where the kernels that are waited for should take `ns` and have taken `taken`:
/// somewhat before they should have ended, so that the thread does not come later each time, and then after
/// as long as they have been late, for they may be much longer than the last ones. At most `most` nanoseconds.
fn next_look(ns: u64, taken: Duration, most: u64) -> Duration {
    let part = ns / 16;
    let taken = u64::try_from(taken.as_nanos()).unwrap_or(u64::MAX);
    let next = match (ns - part).checked_sub(taken) {
        Some(left @ 1..) => left,
        _ => (taken - (ns - part)).max(part).max(LOOK_AGAIN_NS),
    };
    Duration::from_nanos(next.min(most))
}

impl Manager {
    pub(super) fn new(seed: Seed) -> Result<Self, DeviceError> {
        let Seed { info, settings, .. } = seed;
        let fail = |what: &str, code: i32| DeviceError {
            device: info.name.clone(),
            what: what.to_string(),
            code: Some(code),
        };
        let context = Context::new(info.id).map_err(|code| fail("creating a context", code))?;
        let computing = settings.compute_queues.clamp(1, MAX_COMPUTE);
        let queues: Answer<Vec<Queue>> = (0..COMPUTE + computing)
            .map(|_| Queue::new(&context, info.id))
            .collect();
        let queues = queues.map_err(|code| fail("creating a command queue", code))?;
        let unified = info.host_unified && !settings.force_copies;
        let limit = settings
            .memory_limit
            .or_else(|| (!unified).then_some(info.global_memory / 4 * 3));
        Ok(Manager {
            place: seed.place,
            unified,
            limit,
            in_flight: settings.in_flight.max(1),
            events: seed.events,
            inbox: seed.inbox,
            counters: seed.counters,
            load: seed.load,
            lanes: Lanes::new(queues),
            buffers: Buffers::default(),
            programs: Programs::default(),
            pace_ns: None,
            short_ns: None,
            judged: (0, 0),
            holds: None,
            to_forget: Vec::new(),
            waiting: VecDeque::new(),
            running: 0,
            awaited: 0,
            serial: 0,
            spare: Vec::new(),
            copy_failure: None,
            last_launches: false,
            waits_for_launches: None,
            stopping: false,
            context,
            info,
        })
    }

    /// The thread's life.
    pub(super) fn live(&mut self) {
        let ended = catch_unwind(AssertUnwindSafe(|| self.run()));
        if ended.is_err() {
            // The panic's message is out. What was in flight must still be answered.
            self.fail_everything();
        }
        for message in self.inbox.close() {
            self.turn_away(message);
        }
        self.release_all();
    }

    fn run(&mut self) {
        let mut messages = Vec::new();
        loop {
            self.inbox.take(&mut messages);
            let mut busy = !messages.is_empty();
            let many = messages.len() + self.waiting.len() >= HOLD_FROM;
            self.holds = self.short_ns.filter(|_| many).map(held_at_once);
            for (i, message) in messages.drain(..).enumerate() {
                self.handle(message);
                if many && self.holds.is_none() && i % LOOK_EACH == LOOK_EACH - 1 {
                    self.look_if_short();
                }
            }
            self.launch_waiting();
            self.lanes.flush();
            self.forget_all();
            busy |= self.reap_all();
            if self.running == 0 && self.waiting.is_empty() {
                self.waits_for_launches = None;
            }
            if busy {
                continue;
            }
            let idle = self.lanes.all_idle();
            if idle && self.waiting.is_empty() && self.stopping {
                return;
            }
            let at_most = self.longest_sleep(idle);
            self.inbox.sleep(at_most);
        }
    }

    /// Whether the device is threads of the host, which fall asleep between kernels that end as fast as they
    /// are enqueued. One of a single unit may have no threads: PoCL's "basic" executes commands where a gate
    /// is opened, with locks held that they take again.
    fn falls_asleep(&self) -> bool {
        self.info.kind == DeviceKind::Cpu && self.info.compute_units > 1
    }

    /// Sees whether those that were launched in this round before have ended, and were short. Nothing is held back now.
    pub(super) fn look_if_short(&mut self) {
        self.reap_all();
        self.holds = self.short_ns.map(held_at_once);
    }

    /// Notes that so many kernels of a lane were seen to have ended, in so many nanoseconds together.
    fn note_pace(&mut self, kernels: u64, ns: u64) {
        let pace_ns = ns / kernels;
        self.pace_ns = Some(pace_ns);
        self.load.set_pace_ns(pace_ns);
        if !self.falls_asleep() {
            return;
        }
        self.judged = (self.judged.0 + kernels, self.judged.1 + ns);
        if let Some(short) = judge(self.judged.0, self.judged.1) {
            self.short_ns = short;
            self.judged = (0, 0);
        }
    }

    /// Whether another launch may be enqueued.
    pub(super) fn has_room(&self) -> bool {
        let times = self.short_ns.map_or(1, |_| MORE_IN_FLIGHT);
        self.running < self.in_flight.saturating_mul(times)
    }

    /// Sets callbacks, and says how long to sleep if none comes.
    fn longest_sleep(&mut self, idle: bool) -> Option<Duration> {
        if idle {
            return None;
        }
        // The first kernels may be long.
        let pace_ns = self.pace_ns.unwrap_or(LOOK_UP_TO_NS) + COMMAND_NS;
        let (now, mut look) = (Instant::now(), LOST_CALLBACK);
        let armed = self.lanes.arm(&self.inbox, |lane, pending, begun| {
            let awaited = lane < COMPUTE || self.awaited != 0;
            let rest = rest(pace_ns, pending, awaited);
            if let Some(ns) = rest.look_ns {
                let most = match awaited {
                    true => REPORT_LONG_WITHIN_NS,
                    false => REPORT_UNAWAITED_WITHIN_NS,
                };
                look = look.min(next_look(ns, now.saturating_duration_since(begun), most));
            }
            rest.callback
        });
        Some(if armed { look } else { NO_CALLBACK })
    }

    fn handle(&mut self, message: Message) {
        match message {
            Message::Launch(launch) if self.last_launches => {
                self.refuse(&launch, Fault::new("the run ends"));
            }
            Message::Launch(launch) => self.launch(launch),
            Message::Fetch(block, token) => self.fetch(block, token),
            // That releases a buffer.
            Message::Forget(block) if self.holds.is_some() => self.to_forget.push(block),
            Message::Forget(block) => self.forget(block),
            Message::LastLaunches(ended) => {
                self.last_launches = true;
                self.waits_for_launches = Some(ended);
            }
            Message::Stop => self.stopping = true,
            Message::Build(spec, reply) => {
                // What is enqueued runs on while the compiler works.
                self.lanes.flush();
                let result = self.programs.build(&self.context, &self.info, &spec);
                // Whoever asked may have gone.
                let _ = reply.send(result);
            }
        }
    }

    fn forget_all(&mut self) {
        for block in std::mem::take(&mut self.to_forget) {
            self.forget(block);
        }
    }

    /// Answers a message that came too late.
    fn turn_away(&mut self, message: Message) {
        match message {
            Message::Launch(launch) => {
                let error = stopped_launch(&self.info.name, &launch);
                self.answer_failed(launch.token, error);
            }
            Message::Fetch(_, token) => {
                let error = self.trouble("the device manager was stopped".to_string(), None);
                self.events.fetched(token, Err(error));
            }
            Message::Forget(block) => self.forget(block),
            // Dropping the reply answers.
            Message::Build(..) | Message::LastLaunches(_) | Message::Stop => {}
        }
    }

    /// Sees what has finished. True if anything has.
    fn reap_all(&mut self) -> bool {
        let mut any = false;
        // Copies in before kernels and kernels before copies out, as they depend on each other.
        for lane in (IN..=IN)
            .chain(COMPUTE..self.lanes.count())
            .chain(OUT..=OUT)
        {
            any |= self.reap(lane);
        }
        any
    }

    /// The same for one lane.
    pub(super) fn reap(&mut self, lane: usize) -> bool {
        // All that is seen has ended now, as far as can be told.
        let mut seen = None;
        let (mut kernels, mut kernels_ns) = (0, 0);
        while let Some((pending, outcome)) = self.lanes.pop_done(lane) {
            let now = *seen.get_or_insert_with(Instant::now);
            let taken = self.lanes.ended(lane, now);
            match pending.work {
                Work::CopyIn { id, bytes } => self.finish_copy_in(id, bytes, outcome),
                Work::Kernel(job) => {
                    kernels += 1;
                    let ns = taken.as_nanos() as u64;
                    kernels_ns += ns;
                    self.finish_kernel(job, outcome, ns);
                }
                Work::CopyOut(fetching) => self.finish_fetch(fetching, outcome),
                Work::Unmap { id } => self.release_pin(id),
            }
        }
        if kernels != 0 {
            self.note_pace(kernels, kernels_ns);
        }
        seen.is_some()
    }

    fn finish_copy_in(&mut self, id: Id, bytes: u64, outcome: Answer<()>) {
        let place = self.place;
        let block = self.buffers.get(id).block;
        match outcome {
            Ok(()) => self.counters.bytes_to_device.add(bytes),
            Err(code) => {
                block.copies().valid.remove(place);
                self.copy_failure = Some(format!(
                    "copying block {} ({bytes} bytes) to the device failed: {}",
                    block.guid(),
                    code_name(code)
                ));
            }
        }
        self.release_pin(id);
    }

    fn finish_kernel(&mut self, mut job: Box<Job>, outcome: Answer<()>, ns: u64) {
        self.running -= 1;
        self.awaited -= usize::from(job.launch.awaited);
        for used in &job.uses {
            if used.written {
                self.buffers.get(used.id).block.copies().wrote(self.place);
            }
        }
        let token = job.launch.token;
        match outcome {
            Ok(()) => {
                self.counters.kernels.add(1);
                self.counters.kernel_ns.add(ns);
                self.load.ends();
                self.events.launched(token, Ok(ns));
            }
            Err(code) => {
                let mut fault = Fault::opencl("it failed while it ran", code);
                if code == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST {
                    fault.hint = self.copy_failure.clone();
                }
                let error = self.error(&job.launch, fault, false);
                self.answer_failed(token, error);
            }
        }
        self.unpin(&mut job.uses);
        self.end_job(job);
    }

    /// Takes a launch.
    pub(super) fn begin_job(&mut self, launch: Launch) -> Box<Job> {
        match self.spare.pop() {
            Some(mut job) => {
                job.launch = launch;
                job
            }
            None => Box::new(Job {
                launch,
                uses: Vec::new(),
            }),
        }
    }

    /// It has been answered, and uses no block any more.
    pub(super) fn end_job(&mut self, job: Box<Job>) {
        if self.spare.len() < SPARE_JOBS {
            self.spare.push(job);
        }
    }

    pub(super) fn answer_failed(&self, token: usize, error: LaunchError) {
        self.counters.failures.add(1);
        self.load.ends();
        self.events.launched(token, Err(Box::new(error)));
    }

    /// Answers everything with an error, after a panic. The books may be wrong, so that nothing is
    /// read of them but who is to be answered.
    fn fail_everything(&mut self) {
        let cause = "the device manager broke down";
        for work in self.lanes.abandon() {
            match work {
                Work::Kernel(job) => {
                    let error = self.error(&job.launch, Fault::new(cause), false);
                    self.answer_failed(job.launch.token, error);
                }
                Work::CopyOut(fetching) => {
                    for token in fetching.tokens {
                        let error = self.trouble(cause.to_string(), None);
                        self.events.fetched(token, Err(error));
                    }
                }
                Work::CopyIn { .. } | Work::Unmap { .. } => {}
            }
        }
        for job in std::mem::take(&mut self.waiting) {
            self.refuse(&job.launch, Fault::new(cause));
        }
        self.forget_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_commands_are_waited_for() {
        for (pace_ns, pending) in [(2_000, 1), (60_000, 3), (60_000, 1), (2_000_000, 2)] {
            let rest = rest(pace_ns, pending, true);
            assert_eq!(rest.look_ns, None, "{pace_ns} ns, {pending} pending");
            assert_eq!(rest.callback, 1, "{pace_ns} ns, {pending} pending");
        }
    }

    #[test]
    fn long_kernels_are_waited_for_and_the_first_ones() {
        for (pace_ns, pending) in [(LOOK_UP_TO_NS, 20), (20_000_000, 1000)] {
            let rest = rest(pace_ns, pending, true);
            assert_eq!(rest.look_ns, None, "{pace_ns} ns, {pending} pending");
            assert_eq!(rest.callback, 1, "{pace_ns} ns, {pending} pending");
        }
    }

    #[test]
    fn a_look_comes_in_time_for_what_takes_longer() {
        let nanoseconds = Duration::from_nanos;
        for ns in [REPORT_WITHIN_NS, 1_000_000, LOOK_UP_TO_NS] {
            let (early, mut at) = (nanoseconds(ns - ns / 16), Duration::ZERO);
            for _ in 0..30 {
                let next = next_look(ns, at, REPORT_LONG_WITHIN_NS);
                assert!(next <= nanoseconds(REPORT_LONG_WITHIN_NS));
                assert!(
                    at >= early || at + next <= early,
                    "not before it should end"
                );
                // What ends right after a look is seen late by as much as it took longer than was
                // thought, or by little.
                let little = nanoseconds(LOOK_AGAIN_NS.max(ns / 16));
                assert!(
                    at < early || next <= little.max(at - early),
                    "{ns} ns at {at:?}"
                );
                at += next;
            }
        }
    }

    #[test]
    fn kernels_are_short_if_enough_of_them_are() {
        assert_eq!(judge(1, 2_000), None);
        assert_eq!(judge(JUDGED - 1, 60_000), None, "one was interrupted");
        assert_eq!(judge(JUDGED, 60_000), Some(Some(60_000 / JUDGED)));
        assert_eq!(judge(64, 64 * 2_000), Some(Some(2_000)));
        assert_eq!(judge(1, 1_000_000), Some(None), "long, without doubt");
        assert_eq!(judge(20, 20 * HOLD_UP_TO_NS), Some(None));
    }

    #[test]
    fn kernels_for_which_nobody_waits_are_reported_later_but_in_time() {
        for pace_ns in [2_000, 20_000, 200_000, 1_000_000, 3_000_000] {
            for pending in [1, 2, 3, 16, 64, 500] {
                let late = |awaited| batch(pace_ns, pending, awaited);
                let case = format!("{pace_ns} ns, {pending} pending");
                assert!(late(false) >= late(true), "{case}");
                assert!(late(false) <= pending.div_ceil(2), "{case}");
                let most = REPORT_UNAWAITED_WITHIN_NS.max(pace_ns);
                assert!(late(false) as u64 * pace_ns <= most, "{case}");
                let rest = rest(pace_ns, pending, false);
                assert!(rest.callback <= pending, "{case}: {rest:?}");
            }
        }
        // Where both are the same there would be no gain.
        assert_eq!((batch(20_000, 64, true), batch(20_000, 64, false)), (5, 32));
    }

    #[test]
    fn a_full_lane_is_looked_at_in_time_and_wakes_the_thread_before_it_runs_dry() {
        let lanes = [
            (2_000, 1024),
            (2_000, 20),
            (60_000, 12),
            (130_000, 6),
            (400_000, 20),
            (2_000_000, 20),
        ];
        for (pace_ns, pending) in lanes {
            let rest = rest(pace_ns, pending, true);
            let lane = format!("{pace_ns} ns, {pending} pending");
            assert_eq!(rest.callback, pending / 4 * 3, "{lane}");
            let look = rest.look_ns.expect("it looks by itself");
            let most = REPORT_LONG_WITHIN_NS.max(pace_ns);
            assert!((REPORT_WITHIN_NS..=most).contains(&look), "{look} ns");
        }
    }
}
