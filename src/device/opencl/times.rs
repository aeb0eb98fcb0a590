//! What the clocks say of a device's commands.
//!
//! OpenCL tells that a command has ended, and not when, unless its queue is timed
//! ([`crate::device::DeviceSettings::timed`]). So there are two measures of a kernel. One is there always: the time
//! since the one before in its queue was seen to have ended, in equal parts for those that were seen together. The
//! other, for a policy that plans with it, is how long the kernel has kept the device, by the device's clock
//! (`occupancy.rs`), and where there is none, an equal part of what all queues took together.

use crate::device::DeviceInfo;
use crate::device::host::clock::{CommandDates, DeviceClock};
use crate::device::host::occupancy::{Occupancy, Span};
use crate::device::opencl::job::Work;
use crate::device::opencl::lane::{IN, Pending};
use crate::device::opencl::raw::{Answer, CommandEvent, CommandQueue, OpenclContext};
use crate::trace::events;
use ocr_place::model::Direction;
use ocr_place::place::Place;
use std::collections::VecDeque;
use std::time::Instant;

/// The number of copies in that are remembered: about as many as kernels may wait for at a time.
const REMEMBERED: usize = 64;

/// A kernel that has ended.
pub(crate) struct EndedKernel {
    pub(crate) pending: Pending<Work>,
    pub(crate) outcome: Answer<()>,
    /// What the device's clock says.
    pub(crate) dates: Option<CommandDates>,
    /// The time that it took, by the host's clock.
    pub(crate) ns: u64,
    /// The time for which it has kept the device; nanoseconds.
    pub(crate) occupied_ns: u64,
    /// The time from its begin to its end; nanoseconds.
    pub(crate) ran_ns: u64,
    /// The queue that it was in.
    pub(crate) lane: usize,
    /// How many commands of that queue come behind it, of those that were seen to end with it.
    pub(crate) behind: u64,
}

/// A command that has ended, for the recording.
pub(crate) struct EventOf {
    /// What the device's clock says.
    pub(crate) dates: Option<CommandDates>,
    /// When it was enqueued, or a little earlier.
    pub(crate) enqueued: Instant,
    /// The queue that it was in.
    pub(crate) lane: usize,
    /// How long it took by the host's clock.
    pub(crate) ns: u64,
    /// How many commands of that queue come behind it, of those that were seen to end with it.
    pub(crate) behind: u64,
}

impl EventOf {
    fn ended(&self, place: Place) -> events::EndedCommand {
        events::EndedCommand {
            place: place.number(),
            lane: self.lane,
            told: (self.dates).map(|dates| (dates.ago_ns, dates.ended - dates.started)),
            enqueued_ns: self.enqueued.elapsed().as_nanos() as u64,
            share_ns: self.ns,
            behind: self.behind,
        }
    }
}

/// What the clocks say of a device's commands.
pub(crate) struct CommandTimes {
    /// Whether the device's clock is asked.
    is_timed: bool,
    clock: DeviceClock,
    occupancy: Occupancy,
    /// When the last copies in have ended, by their numbers in their lane.
    copies_in: VecDeque<(u64, u64)>,
    /// When the last copy in each direction has ended.
    last_copy: [u64; 2],
    /// When kernels were last seen to have ended, by the host's clock.
    last_seen: Instant,
    ended: Vec<EndedKernel>,
    spans: Vec<Span>,
    charged: Vec<u64>,
    /// Where the run is recorded.
    recorded: events::DeviceTimes,
}

impl CommandTimes {
    /// Makes the books of a device that has `queues` queues for kernels.
    pub(crate) fn new(is_timed: bool, queues: usize) -> CommandTimes {
        CommandTimes {
            is_timed,
            clock: DeviceClock::new(),
            occupancy: Occupancy::new(queues),
            copies_in: VecDeque::new(),
            last_copy: [0; 2],
            last_seen: Instant::now(),
            ended: Vec::new(),
            spans: Vec::new(),
            charged: Vec::new(),
            recorded: events::DeviceTimes::default(),
        }
    }

    /// Records a kernel that has ended, of the launch with this token.
    #[cold]
    pub(crate) fn record_kernel(&mut self, place: Place, kernel: &EventOf, token: usize) {
        self.recorded.kernel(&kernel.ended(place), token);
    }

    /// Records a copy that has ended, of `bytes` bytes of a block.
    #[cold]
    pub(crate) fn record_copy(&mut self, place: Place, copy: &EventOf, block: u64, bytes: u64) {
        let ended = copy.ended(place);
        self.recorded.copy(&ended, block, bytes, copy.lane == IN);
    }

    /// What the device's clock says of a command that was seen to have ended now. A clock that is found out to be wrong
    /// is not asked any more, and a note says so.
    pub(crate) fn dates(
        &mut self,
        device: &str,
        event: &CommandEvent,
        enqueued: Instant,
        now: Instant,
    ) -> Option<CommandDates> {
        if !self.is_timed || self.clock.is_wrong() {
            return None;
        }
        let dates = self.clock.dates(event.times()?, enqueued, now);
        if self.clock.is_wrong() {
            note!(
                "the clock of device '{device}' does not count nanoseconds, as OpenCL says that it does: a command seems to \
                 have begun before it was enqueued. Times of its kernels and copies are the host's from here on."
            );
        }
        dates
    }

    /// When a kernel was ready, has begun and has ended.
    fn span(&self, kernel: &EndedKernel) -> Option<Span> {
        let dates = kernel.dates?;
        let needed = kernel.pending.needs_in(IN);
        let copies = self.copies_in.iter().rev();
        let mut copied = copies.filter(|(number, _)| *number <= needed);
        let copied = copied.next().map_or(0, |(_, ended)| *ended);
        Span::new(dates.submitted.max(copied), dates.started, dates.ended)
    }

    /// Whether the device's clock is asked.
    pub(crate) fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// A list for kernels that have ended.
    pub(crate) fn take_ended(&mut self) -> Vec<EndedKernel> {
        std::mem::take(&mut self.ended)
    }

    /// The list, empty, is used again.
    pub(crate) fn keep(&mut self, ended: Vec<EndedKernel>) {
        self.ended = ended;
    }

    /// How many kernels the device has lately run at once; 1 where its clock is not asked.
    pub(crate) fn at_once(&self) -> usize {
        self.occupancy.at_once()
    }

    /// Says for each kernel that has ended how long it has kept the device. `unended` queues have kernels that have not
    /// ended. The queue that was slowest has taken `longest_ns` by the host's clock since it saw kernels end before,
    /// which counts where the device's is of no use.
    pub(crate) fn charge(&mut self, ended: &mut [EndedKernel], unended: usize, longest_ns: u64, now: Instant) {
        let since = now.saturating_duration_since(self.last_seen);
        self.last_seen = now;
        let fallback = longest_ns.min(since.as_nanos() as u64) / ended.len().max(1) as u64;
        for kernel in ended.iter_mut() {
            kernel.occupied_ns = fallback;
            let told = kernel.dates.map(|dates| dates.ended - dates.started);
            kernel.ran_ns = told.unwrap_or(kernel.ns);
        }
        if !self.is_timed {
            return;
        }
        let mut spans = std::mem::take(&mut self.spans);
        spans.clear();
        spans.extend((ended.iter()).map_while(|kernel| self.span(kernel)));
        // One without a span leaves a hole, beside which the others cannot be put right.
        if spans.len() == ended.len() {
            self.occupancy.charge(&spans, unended, &mut self.charged);
            let charged = spans.iter().zip(&self.charged);
            for (kernel, (_, ns)) in ended.iter_mut().zip(charged) {
                kernel.occupied_ns = *ns;
            }
        }
        self.spans = spans;
    }

    /// How long a copy has taken, from when nothing kept it from beginning.
    pub(crate) fn copied(&mut self, direction: Direction, number: u64, dates: &CommandDates) -> Option<u64> {
        let CommandDates { submitted, started, ended, .. } = *dates;
        let kernels = Some(self.occupancy.last_end()).filter(|end| *end <= started);
        let last = &mut self.last_copy[direction as usize];
        let ready = submitted.max(*last).max(kernels.unwrap_or(0));
        *last = ended;
        if direction == Direction::ToDevice {
            self.copies_in.push_back((number, ended));
            if self.copies_in.len() > REMEMBERED {
                self.copies_in.pop_front();
            }
        }
        Span::new(ready, started, ended).map(|span| span.ended - span.ready)
    }
}

/// A queue for a device, timed if that is wanted and the device can.
pub(crate) fn queue(context: &OpenclContext, info: &DeviceInfo, timed: bool) -> Answer<CommandQueue> {
    if timed && let Ok(queue) = CommandQueue::timed(context, info.id) {
        return Ok(queue);
    }
    CommandQueue::new(context, info.id)
}
