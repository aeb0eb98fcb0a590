//! In-order queues, and what is pending in each.
//!
//! Lane 0 copies in, lane 1 copies out, the others compute. A command is named by its lane and its
//! number in the lane ([`Ticket`]); since a lane works in order, "all up to number n" is all that
//! anybody ever needs to wait for, and one number per lane ([`LaneNeeds`]) says everything that a
//! command must wait for. A number below the lane's first pending one is done, which makes stale
//! numbers harmless: nothing needs to be cleared when a command finishes.
//!
//! # Commands that are held back
//!
//! A device that is some threads of the host executes short kernels faster than they are enqueued. Its threads then
//! fall asleep after each, and the thread that enqueues wakes them for each and meets them at every mutex of the
//! platform, which costs more than the kernels. So such kernels can be held back ([`Lanes::hold`]): the first one in
//! each lane waits for a gate, those behind it for the first, since a lane works in order, and the gate is opened when
//! there are enough of them ([`Lanes::let_go_enough`]), or no more to come ([`Lanes::flush`]). Enough are as many as
//! the device has to do meanwhile, and [`HELD`] at least. Those behind one gate are in one lane where they need no
//! other: the thread that executes them is then seldom at the mutex of the queue that is being filled.
//!
//! No thread may wait for a command while a gate is shut, and OpenCL forbids to release anything but events
//! then (clSetUserEventStatus). The manager's thread alone has gates, and opens them before it does anything
//! that may wait or releases anything: it flushes before it sleeps, compiles, or evicts a buffer, and forgets
//! no block while launches are held back. A gate that is dropped is open.
//!
//! # Commands that fail
//!
//! OpenCL does not say what becomes of a command behind one that has failed. It may run all the same, in a queue
//! that keeps order or where it waits for a later command of that queue; it may end with a status of its own, be called
//! complete without having run, or never end. So a lane believes no command behind one that has failed
//! ([`BEHIND`]), and a command is not seen to have ended before all that it needs has ([`Lanes::pop_done`]). A caller
//! that looks at it knows by then whether one of those has failed. `failure.rs` says what follows.

use crate::device::DeviceSettings;
use crate::device::host::completion_wake::{CompletionWake, Notify};
use crate::device::opencl::raw::{Answer, CommandEvent, CommandQueue, CommandState, Gate, OpenclContext, WaitList};
use crate::trace::{self, events::LANES};
use opencl3::error_codes::CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) const IN: usize = 0;
pub(crate) const OUT: usize = 1;
pub(crate) const COMPUTE: usize = 2;
/// The lanes without which a device cannot be used: one of each kind.
pub(crate) const LEAST: usize = COMPUTE + 1;
pub(crate) const MAX_COMPUTE: usize = DeviceSettings::MAX_QUEUES;
pub(crate) const MAX_LANES: usize = COMPUTE + MAX_COMPUTE;
const _: () = assert!(MAX_LANES <= LANES, "a recording tells all lanes apart");

/// Commands that are held back at least, if there are more to come. Half as many gain half as much.
pub(crate) const HELD: usize = 64;

/// The status of a command behind one that has failed, whatever OpenCL says of it.
pub(crate) const BEHIND: i32 = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

/// How often OpenCL may refuse to flush a queue, to open a gate, or to tell how far a command is, one time after the
/// other, before the device is given up.
const MAX_REFUSALS: u32 = 100;
/// The gate is tried so often at once: kernels behind it cannot wait for the next time.
const GATE_TRIES: u32 = 3;

/// A command that was enqueued.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ticket {
    pub(crate) lane: usize,
    /// The number of the command in its lane, counted from 1.
    pub(crate) number: u64,
}

/// For each lane, the last command that must have finished; 0: none.
#[derive(Clone, Copy)]
pub(crate) struct LaneNeeds([u64; MAX_LANES]);

impl Default for LaneNeeds {
    fn default() -> Self {
        LaneNeeds([0; MAX_LANES])
    }
}

impl LaneNeeds {
    pub(crate) fn add(&mut self, ticket: Ticket) {
        let number = &mut self.0[ticket.lane];
        *number = (*number).max(ticket.number);
    }

    pub(crate) fn add_all(&mut self, other: &LaneNeeds) {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }
}

/// A command that has not been seen to finish.
pub(crate) struct Pending<W> {
    pub(crate) event: CommandEvent,
    /// No later than when it was enqueued; exact where the device's clock is asked or the run is recorded.
    pub(crate) enqueued: Instant,
    /// Counts the commands of all lanes, in the order in which they were enqueued.
    pub(crate) serial: u64,
    /// The commands of other lanes that this one waits for.
    needs: LaneNeeds,
    /// What must be done when it has finished.
    pub(crate) work: W,
}

impl<W> Pending<W> {
    /// The number of the last command in a lane that it waits for; 0: none.
    pub(crate) fn needs_in(&self, lane: usize) -> u64 {
        self.needs.0[lane]
    }
}

struct Lane<W> {
    queue: CommandQueue,
    pending: VecDeque<Pending<W>>,
    /// The number of the first pending command, or of the next one if there is none.
    first: u64,
    /// When the first pending command may have begun: just before it was enqueued, since some platforms execute a
    /// command in that call; or when the one before was seen to have ended, if there was one, or its gate was opened.
    begun: Instant,
    /// Just before the next command is enqueued, if the device's clock is asked. Else the clock is read for the first
    /// pending command alone.
    about: Instant,
    /// Something was enqueued since the last flush that OpenCL has taken.
    dirty: bool,
    /// A command has failed, and those that were behind it then are pending.
    failed: bool,
    /// OpenCL did not tell last how far the oldest pending command is.
    untold: bool,
    completion_wake: CompletionWake,
}

impl<W> Lane<W> {
    fn new(queue: CommandQueue, first: u64) -> Lane<W> {
        let now = Instant::now();
        Lane {
            queue,
            pending: VecDeque::new(),
            first,
            begun: now,
            about: now,
            dirty: false,
            failed: false,
            untold: false,
            completion_wake: CompletionWake::new(),
        }
    }
}

/// Makes `count` queues, or fewer where OpenCL refuses one, but [`LEAST`] at least.
pub(crate) fn make_queues(count: usize, mut make: impl FnMut() -> Answer<CommandQueue>) -> Answer<Vec<CommandQueue>> {
    let mut queues = Vec::with_capacity(count);
    while queues.len() < count {
        match make() {
            Ok(queue) => queues.push(queue),
            Err(_) if queues.len() >= LEAST => break,
            Err(code) => return Err(code),
        }
    }
    Ok(queues)
}

/// A shut gate, and the commands that wait behind it.
struct Hold {
    gate: Gate,
    /// For each lane, the command that waits for the gate; 0: none.
    behind: [u64; MAX_LANES],
    commands: usize,
    /// The number of commands held back with which the gate is opened.
    enough: usize,
    /// The lane of those that may be in any.
    lane: Option<usize>,
}

pub(crate) struct Lanes<W> {
    /// Dropped before the queues are released.
    hold: Option<Hold>,
    lanes: Vec<Lane<W>>,
    /// Where the search for a free compute lane starts.
    turn: usize,
    /// How many commands were enqueued.
    serial: u64,
    /// Since when OpenCL has refused each time what it cannot be worked without: how often.
    refused: u32,
    /// What it has refused: what that was for, and its status. Taken by [`Lanes::gives_up`].
    refusal: Option<(&'static str, i32)>,
    /// The refusal is final: the refused operation cannot be tried again.
    is_final: bool,
    /// Whether the device's clock is asked.
    timed: bool,
}

impl<W> Lanes<W> {
    /// A lane for each queue: in, out, then computing.
    pub(crate) fn new(queues: Vec<CommandQueue>, timed: bool) -> Self {
        debug_assert!((LEAST..=MAX_LANES).contains(&queues.len()));
        Lanes {
            hold: None,
            lanes: (queues.into_iter().map(|queue| Lane::new(queue, 1))).collect(),
            turn: 0,
            serial: 0,
            refused: 0,
            refusal: None,
            is_final: false,
            timed,
        }
    }

    /// Has the lanes go on with other queues, which `make` makes. What is pending is given up: it is returned. Where
    /// there are fewer queues than before, there are fewer lanes. Where there are fewer than [`LEAST`], there is none
    /// any more, and the status is that of the refusal.
    pub(crate) fn renew(&mut self, make: impl FnMut() -> Answer<CommandQueue>) -> (Vec<Pending<W>>, Answer<()>) {
        self.open();
        let count = self.lanes.len();
        let (mut given_up, mut old, mut firsts) = (Vec::new(), Vec::new(), Vec::new());
        for lane in self.lanes.drain(..) {
            firsts.push(lane.first + lane.pending.len() as u64);
            given_up.extend(lane.pending);
            old.push(lane.queue);
        }
        given_up.sort_unstable_by_key(|pending| pending.serial);
        if given_up.is_empty() {
            // First, since a platform may have a bound for queues.
            drop(old);
        } else {
            // To release a queue may wait for what it has not ended.
            old.into_iter().for_each(std::mem::forget);
        }
        let made = make_queues(count, make);
        let made = made.map(|queues| {
            let lanes = queues.into_iter().zip(firsts);
            self.lanes = lanes.map(|(queue, first)| Lane::new(queue, first)).collect();
        });
        (given_up, made)
    }

    /// Gives up all that is pending, and the queues: there is no lane any more.
    pub(crate) fn abandon(&mut self) -> Vec<Pending<W>> {
        self.open();
        let mut given_up = Vec::new();
        for lane in self.lanes.drain(..) {
            given_up.extend(lane.pending);
            // To release a queue may wait for what it has not ended.
            std::mem::forget(lane.queue);
        }
        given_up.sort_unstable_by_key(|pending| pending.serial);
        (self.refused, self.is_final) = (0, false);
        given_up
    }

    /// The device is lost: there is no lane.
    pub(crate) fn are_lost(&self) -> bool {
        self.lanes.is_empty()
    }

    /// Whether OpenCL refuses for good what it cannot be worked without: what that is for, and its status.
    pub(crate) fn gives_up(&mut self) -> Option<(&'static str, i32)> {
        if self.is_final || self.refused > MAX_REFUSALS { self.refusal } else { None }
    }

    /// Whether OpenCL has refused something that will be tried again soon.
    pub(crate) fn tries_again(&self) -> bool {
        self.refused != 0
    }

    fn refuses(&mut self, what: &'static str, code: i32) {
        self.refused += 1;
        self.refusal = Some((what, code));
    }

    pub(crate) fn count(&self) -> usize {
        self.lanes.len()
    }

    pub(crate) fn queue(&self, lane: usize) -> &CommandQueue {
        &self.lanes[lane].queue
    }

    /// The number of a lane's first pending command, or of the next one.
    pub(crate) fn first(&self, lane: usize) -> u64 {
        self.lanes.get(lane).map_or(1, |lane| lane.first)
    }

    pub(crate) fn is_pending(&self, ticket: Ticket) -> bool {
        ticket.number >= self.lanes[ticket.lane].first
    }

    /// What is at the front of a lane, how far it is, and whether the lane believes it.
    pub(crate) fn front(&self, lane: usize) -> Option<(&W, CommandState, bool)> {
        let lane = &self.lanes[lane];
        let pending = lane.pending.front()?;
        Some((&pending.work, pending.event.state(), !lane.failed))
    }

    /// A command of the lane has failed, whatever OpenCL says of it: those behind it are not believed either.
    pub(crate) fn fail(&mut self, lane: usize) {
        if let Some(lane) = self.lanes.get_mut(lane) {
            lane.failed = true;
        }
    }

    /// Whether nothing is pending in a lane, and nothing has failed there.
    pub(crate) fn is_sound(&self, lane: usize) -> bool {
        let lane = self.lanes.get(lane);
        lane.is_some_and(|lane| lane.pending.is_empty() && !lane.failed)
    }

    pub(crate) fn all_idle(&self) -> bool {
        self.lanes.iter().all(|lane| lane.pending.is_empty())
    }

    /// How many queues have kernels that were not seen to end.
    pub(crate) fn computing(&self) -> usize {
        let lanes = self.lanes.iter().skip(COMPUTE);
        lanes.filter(|lane| !lane.pending.is_empty()).count()
    }

    /// When the first of the commands at the fronts of the lanes may have begun. None where nothing is pending.
    pub(crate) fn first_begun(&self) -> Option<Instant> {
        let pending = self.lanes.iter().filter(|lane| !lane.pending.is_empty());
        pending.map(|lane| lane.begun).min()
    }

    /// What the pending commands of a lane are for, the oldest first.
    pub(crate) fn works(&self, lane: usize) -> impl Iterator<Item = &W> {
        self.lanes.get(lane).into_iter().flat_map(|lane| &lane.pending).map(|pending| &pending.work)
    }

    /// The first pending command, in this lane and those behind it, that is for such a thing.
    pub(crate) fn find(&mut self, lane: usize, is: impl Fn(&W) -> bool) -> Option<&mut W> {
        let works =
            self.lanes.iter_mut().skip(lane).flat_map(|lane| &mut lane.pending).map(|pending| &mut pending.work);
        works.into_iter().find(|work| is(work))
    }

    pub(crate) fn pending(&mut self, ticket: Ticket) -> Option<&mut Pending<W>> {
        let lane = self.lanes.get_mut(ticket.lane)?;
        let at = ticket.number.checked_sub(lane.first)?;
        lane.pending.get_mut(at as usize)
    }

    /// The compute lane for a command with these needs: the one it would wait for anyway, else that of the
    /// commands held back with it, else the one with the fewest commands, in turn.
    pub(crate) fn choose(&mut self, needs: &LaneNeeds) -> usize {
        let computing = COMPUTE..self.lanes.len();
        let waits_on = computing.clone().find(|&lane| self.is_pending(Ticket { lane, number: needs.0[lane] }));
        if let Some(lane) = waits_on {
            return lane;
        }
        if let Some(lane) = self.hold.as_ref().and_then(|hold| hold.lane) {
            return lane;
        }
        let n = computing.len();
        let turn = self.turn;
        let lane = (0..n)
            .map(|i| COMPUTE + (turn + i) % n)
            .min_by_key(|&lane| self.lanes[lane].pending.len())
            .unwrap_or(COMPUTE);
        self.turn = (lane - COMPUTE + 1) % n;
        if let Some(hold) = &mut self.hold {
            hold.lane = Some(lane);
        }
        lane
    }

    /// Lets go what is held back if it is enough, and says whether it was.
    pub(crate) fn let_go_enough(&mut self) -> bool {
        let is_enough = |hold: &Hold| hold.commands >= hold.enough;
        let enough = self.hold.as_ref().is_some_and(is_enough);
        if enough {
            self.open();
        }
        enough
    }

    /// Holds the next command of a compute lane back, until [`Lanes::let_go_enough`] or [`Lanes::flush`]; `most` are
    /// enough, or [`HELD`] where that is more.
    pub(crate) fn hold(&mut self, context: &OpenclContext, most: usize) {
        if self.hold.is_none() {
            let pending: usize = self.lanes.iter().map(|lane| lane.pending.len()).sum();
            // Without a gate nothing is held back, and all is well.
            self.hold = Gate::new(context).ok().map(|gate| Hold {
                gate,
                behind: [0; MAX_LANES],
                commands: 0,
                enough: pending.min(most).max(HELD),
                lane: None,
            });
        }
    }

    /// The events that a command on `own` with these needs waits for, which is enqueued next. The lanes they are in are
    /// flushed, since OpenCL only promises progress of what was flushed.
    pub(crate) fn waits(&mut self, own: usize, needs: &LaneNeeds) -> Answer<WaitList<MAX_LANES>> {
        let mut waits = WaitList::none();
        for (i, lane) in self.lanes.iter_mut().enumerate() {
            // The own queue works in order.
            if i == own {
                continue;
            }
            let Some(at) = needs.0[i].checked_sub(lane.first) else {
                continue;
            };
            let Some(pending) = lane.pending.get(at as usize) else {
                debug_assert!(false, "a need that was never enqueued");
                continue;
            };
            if lane.dirty {
                lane.queue.flush().or_else(|_| lane.queue.flush())?;
                lane.dirty = false;
            }
            waits.push(&pending.event);
        }
        let next = self.next(own).number;
        if own >= COMPUTE
            && let Some(hold) = &mut self.hold
            && hold.behind[own] == 0
        {
            hold.behind[own] = next;
            waits.push(hold.gate.event());
        }
        self.note_begin(own);
        Ok(waits)
    }

    /// A command is enqueued next in this lane.
    pub(crate) fn note_begin(&mut self, lane: usize) {
        let lane = &mut self.lanes[lane];
        let is_first = lane.pending.is_empty();
        // A recording has no command begin before its EDT was runnable.
        if is_first || self.timed || trace::is_on() {
            lane.about = Instant::now();
        }
        if is_first {
            lane.begun = lane.about;
        }
    }

    /// Notes a command that was just enqueued on the lane's queue, with these needs.
    pub(crate) fn push(&mut self, lane: usize, event: CommandEvent, needs: LaneNeeds, work: W) -> Ticket {
        self.serial += 1;
        let serial = self.serial;
        let lane_index = lane;
        let lane = &mut self.lanes[lane];
        let number = lane.first + lane.pending.len() as u64;
        lane.pending.push_back(Pending { event, enqueued: lane.about, serial, needs, work });
        lane.dirty = true;
        if let Some(hold) = &mut self.hold {
            hold.commands += 1;
        }
        Ticket { lane: lane_index, number }
    }

    /// The ticket that the next command on the lane will get.
    pub(crate) fn next(&self, lane: usize) -> Ticket {
        let number = self.lanes[lane].first + self.lanes[lane].pending.len() as u64;
        Ticket { lane, number }
    }

    /// Opens the gate, if there is one. What was held back begins no earlier.
    fn open(&mut self) {
        let Some(mut hold) = self.hold.take() else {
            return;
        };
        // Before that, since some platforms execute the commands in the call.
        let now = Instant::now();
        let mut tries = 1;
        while let Err(code) = hold.gate.open() {
            if tries == GATE_TRIES {
                let what = "letting commands go that were held back (clSetUserEventStatus)";
                self.refuses(what, code);
                self.is_final = true;
                break;
            }
            tries += 1;
        }
        for (lane, behind) in self.lanes.iter_mut().zip(hold.behind) {
            if lane.first == behind {
                lane.begun = now;
            }
        }
    }

    /// Hands everything enqueued to the device. A lane for which OpenCL refuses that stays dirty, and is tried again
    /// next time: some platforms begin nothing before.
    pub(crate) fn flush(&mut self) {
        self.open();
        let mut refused = None;
        let is_told = !self.is_untold();
        for lane in self.lanes.iter_mut().filter(|lane| lane.dirty) {
            match lane.queue.flush() {
                Ok(()) => {
                    lane.dirty = false;
                    if is_told {
                        self.refused = 0;
                    }
                }
                Err(code) => refused = Some(code),
            }
        }
        if let Some(code) = refused {
            self.refuses("handing commands to the device (clFlush)", code);
        }
    }

    /// Whether OpenCL does not tell of some lane how far it is.
    fn is_untold(&self) -> bool {
        self.lanes.iter().any(|lane| lane.untold)
    }

    /// What was refused can be had again, if nothing else is refused still.
    fn is_answered(&mut self) {
        if self.refused != 0 && !self.is_untold() && !self.lanes.iter().any(|lane| lane.dirty) {
            self.refused = 0;
        }
    }

    /// The device may be lost: OpenCL has refused something for good, or nothing ends. Has each queue be flushed once
    /// more, by which that is found out ([`Lanes::gives_up`]).
    pub(crate) fn suspect(&mut self) {
        self.lanes.iter_mut().for_each(|lane| lane.dirty = true);
    }

    /// The oldest pending command of the lane, if it has finished and all that it needs was seen to, and whether it
    /// failed.
    pub(crate) fn pop_done(&mut self, lane: usize) -> Option<(Pending<W>, Answer<()>)> {
        let state = self.lanes.get(lane)?.pending.front()?.event.state();
        let untold = matches!(state, CommandState::Untold(_));
        if std::mem::replace(&mut self.lanes[lane].untold, untold) && !untold {
            self.is_answered();
        }
        let outcome = match state {
            CommandState::Waits | CommandState::Runs => return None,
            CommandState::Done => Ok(()),
            CommandState::Failed(code) => Err(code),
            CommandState::Untold(code) => {
                // The command may run: to take it for failed would give its blocks to others.
                self.refuses("asking how far a command is (clGetEventInfo)", code);
                return None;
            }
        };
        let pending = self.lanes[lane].pending.front()?;
        let needs = &pending.needs.0;
        let mut others = (0..self.lanes.len()).filter(|&other| other != lane);
        let seen = |other: usize| needs[other] < self.lanes[other].first;
        if !others.all(seen) {
            return None;
        }
        // Not before: a command that is seen in each round, and needs one that cannot be asked any more, is no answer.
        self.is_answered();
        let lane = &mut self.lanes[lane];
        let outcome = match outcome {
            Ok(()) if lane.failed => Err(BEHIND),
            outcome => outcome,
        };
        lane.failed |= outcome.is_err();
        let pending = lane.pending.pop_front()?;
        lane.first += 1;
        Some((pending, outcome))
    }

    /// The command that was taken from the lane last has ended by now: how long it has taken at most.
    pub(crate) fn ended(&mut self, lane: usize, now: Instant) -> Duration {
        let begun = std::mem::replace(&mut self.lanes[lane].begun, now);
        now.saturating_duration_since(begun)
    }

    /// Asks for a call of `notify` when something finishes in any lane: the last of the first `command(lane, pending,
    /// begun)` commands, for each lane that has `pending` commands pending, the first of which may have begun then. A
    /// lane keeps the request that it has until that command has finished, if that comes no later, and not much
    /// earlier; else it is not heard any more. Returns false where OpenCL did not take one.
    pub(crate) fn arm<T: Notify>(
        &mut self,
        notify: &Arc<T>,
        mut command: impl FnMut(usize, usize, Instant) -> usize,
    ) -> bool {
        let mut good = true;
        for (index, lane) in self.lanes.iter_mut().enumerate() {
            let pending = lane.pending.len();
            if pending == 0 {
                continue;
            }
            let at = command(index, pending, lane.begun).saturating_sub(1);
            let number = lane.first + at as u64;
            let earliest = lane.first.max(number.saturating_sub(pending as u64 / 4));
            if lane.completion_wake.is_set_to(earliest..=number) {
                continue;
            }
            if let Some(pending) = lane.pending.get(at) {
                let ring = lane.completion_wake.set(number, notify);
                if pending.event.on_completion(Box::new(ring)).is_err() {
                    lane.completion_wake.unset();
                    good = false;
                }
            }
        }
        good
    }
}
