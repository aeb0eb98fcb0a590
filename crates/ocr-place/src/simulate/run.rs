//! The simulation itself: a queue of what happens at which time, and the steps of an EDT from ready to ended.

mod blocks;
mod duplicates;
mod scopes;
mod visible;

use self::blocks::{SimulatedBlocks, shape_of};
use self::duplicates::SimulatedDuplicates;
use self::scopes::ReturnedTask;
use self::visible::VisibleMachine;
use super::graph::{Costs, LentCores, MachineModel, TaskGraph};
use super::outcome::{Copied, Outcome, RanTask};
use crate::cores::{lent_for, workers_beside};
use crate::model::{Direction, RunTimes, ScopeShares, Transfers};
use crate::place::{Place, PlaceSet};
use crate::policy::{self, BlockPlaces, Candidate, Choice, Choices, KeptEdt, Machine, Policy};
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A device takes an EDT from the pool of the first free place while it has fewer than this many. In a run it is as
/// many as it has queues, and two; here a device has its kernels one after the other, in the shares of time that they
/// had.
const LINE_LENGTH: usize = 2;

/// For how many nanoseconds it stays as it is how many cores are lent, unless workers need them. It is as long in a
/// run.
const LOOK_NS: u64 = 2_000_000;

/// For how many nanoseconds a worker looks for an EDT before it sleeps. One that is ready within that time begins as
/// behind another; later, the worker has to be woken first.
pub const AWAKE_NS: u64 = 5_000;

/// A policy that was asked so often while nothing runs, and has given no EDT to a place, never will.
const IDLE_TICKS: u32 = 100_000;

/// Runs a graph on a machine in virtual time. `policy` is written as in `OCR_SCHED`. `known` has the times that earlier
/// runs have learned, one for each template; this run adds its own. The error is a text that says what is wrong with
/// the arguments.
pub fn simulate(
    graph: &TaskGraph,
    machine: &MachineModel,
    policy: &str,
    known: &[RunTimes],
) -> Result<Outcome, String> {
    simulate_under(graph, machine, policy::parse(policy)?, known, false)
}

/// Runs a graph as [`simulate`] does, and records the copies and the places that the policy has considered.
pub fn simulate_recorded(
    graph: &TaskGraph,
    machine: &MachineModel,
    policy: &str,
    known: &[RunTimes],
) -> Result<Outcome, String> {
    simulate_under(graph, machine, policy::parse(policy)?, known, true)
}

/// Runs a graph as [`simulate`] does, under a policy that was made for this run.
pub(crate) fn simulate_under(
    graph: &TaskGraph,
    machine: &MachineModel,
    policy: Box<dyn Policy>,
    known: &[RunTimes],
    is_recorded: bool,
) -> Result<Outcome, String> {
    let waits = graph.waits()?;
    if known.len() < graph.templates as usize {
        return Err("a template has no model".into());
    }
    if machine.workers == 0 || machine.devices.len() > Place::MAX_DEVICES {
        return Err(format!("a machine needs a worker at least, and has {} devices at most", Place::MAX_DEVICES));
    }
    let transfers = Transfers::default();
    for (index, device) in machine.devices.iter().enumerate() {
        if device.shares_memory {
            transfers.shares_memory(index);
        } else {
            for direction in Direction::ALL {
                transfers.begin(index, direction, device.latency_ns, device.bandwidth);
            }
        }
    }
    // SAFETY: each pointer is from a reference, so it is not null, aligned and valid for reads while the argument
    // `known` is borrowed, which is until this function returns. The references, `'static` by their type, are kept in
    // `run` alone: by itself, and by its policy, which hands them to no other code. `run` is dropped before the
    // function returns.
    let known: &[&'static RunTimes] =
        &known.iter().map(|times| unsafe { &*std::ptr::from_ref(times) }).collect::<Vec<_>>();
    let mut run = SimulatedRun {
        graph,
        known,
        transfers,
        policy,
        brings_behind_kernels: machine.devices.iter().map(|device| device.brings_behind_kernels).collect(),
        lends: machine.lends.clone(),
        lent: 0,
        lent_at: 0,
        shared: VisibleMachine {
            lends: machine.lends.clone(),
            duplicates: machine.duplicates,
            now: Cell::new(0),
            offers: Cell::new(false),
            asks_at: Cell::new(u64::MAX),
            left: Cell::new(graph.tasks.len()),
            idle: Cell::new(machine.workers),
            workers: machine.workers,
            loads: RefCell::new(vec![0; machine.devices.len()]),
            considered: is_recorded.then(RefCell::default),
            fault: RefCell::default(),
        },
        waits,
        valid: vec![PlaceSet::only(Place::HOST); graph.blocks.len()],
        idle: (0..machine.workers).rev().collect(),
        free_at: vec![0; machine.workers],
        host: VecDeque::new(),
        pool: VecDeque::new(),
        devices: (machine.devices.iter().map(|_| DeviceLine::default())).collect(),
        ran: vec![
            RanTask { place: Place::UNDECIDED, unit: 0, ready: 0, given: 0, begun: 0, ended: 0 };
            graph.tasks.len()
        ],
        has_scope: graph.in_scopes().iter().map(|&count| count != 0).collect(),
        open: graph.in_scopes(),
        returned: vec![None; graph.tasks.len()],
        shares: ScopeShares::default(),
        duplicates: SimulatedDuplicates::default(),
        ends: BinaryHeap::new(),
        running: 0,
        over: Vec::new(),
        bytes_moved: 0,
        copies: Vec::new(),
    };
    run.all()
}

/// How long a device and its link are busy.
#[derive(Default)]
struct DeviceLine {
    /// When the device will have run all EDTs that it was given, in nanoseconds from the beginning.
    free_at: u64,
    /// When the device's link will have ended all copies that were asked for, in nanoseconds from the beginning.
    link_free_at: u64,
}

/// Something that happens to an EDT at a time. Of equal times, an end comes before a release.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Happening {
    /// The function or the kernel of the EDT has run.
    Ends,
    /// The function of the EDT's duplicate has run.
    DuplicateEnds,
    /// Another EDT has done in its body what this EDT waits for.
    Released,
    /// The EDT's blocks are there that a device had, so that a worker may run it.
    Brought,
}

struct SimulatedRun<'a> {
    graph: &'a TaskGraph,
    known: &'a [&'static RunTimes],
    transfers: Transfers,
    policy: Box<dyn Policy>,
    shared: VisibleMachine,
    /// The cores of the workers that devices compute on.
    lends: Option<LentCores>,
    /// For each device, whether its blocks come behind its kernels.
    brings_behind_kernels: Vec<bool>,
    /// How many of them the devices have now.
    lent: usize,
    /// When that was changed last, in nanoseconds from the beginning.
    lent_at: u64,
    /// For each EDT, how many dependences it still waits for.
    waits: Vec<u32>,
    /// Which places have a valid copy of each block.
    valid: Vec<PlaceSet>,
    /// The workers that have nothing to do.
    idle: Vec<usize>,
    /// For each worker, when its last EDT ended.
    free_at: Vec<u64>,
    /// EDTs that are placed on the host and wait for a worker.
    host: VecDeque<u32>,
    /// EDTs that wait for the first free place.
    pool: VecDeque<u32>,
    devices: Vec<DeviceLine>,
    ran: Vec<RanTask>,
    /// For each EDT, whether others are in its scope.
    has_scope: Vec<bool>,
    /// For each EDT, how many in its scope are not over, those in scopes of their own left out.
    open: Vec<u32>,
    /// For each EDT, its function that has returned and whose scope is open.
    returned: Vec<Option<ReturnedTask>>,
    /// The shares of the open scopes.
    shares: ScopeShares,
    duplicates: SimulatedDuplicates,
    /// What will happen, the earliest first: the time in nanoseconds from the beginning, the EDT, and what happens to
    /// it.
    ends: BinaryHeap<Reverse<(u64, u32, Happening)>>,
    /// How many EDTs run, or wait in a device's line.
    running: usize,
    /// Joins that are over and whose successors have not been released yet.
    over: Vec<u32>,
    bytes_moved: u64,
    copies: Vec<Copied>,
}

/// When a worker or a device can begin an EDT that has these costs there, if it is free from a time on. It has run
/// nothing before if that is 0.
fn behind(free_at: u64, costs: &Costs) -> u64 {
    match free_at {
        0 => 0,
        free_at => free_at + costs.gap_ns,
    }
}

impl SimulatedRun<'_> {
    /// Runs the graph to its end. The error is a text for EDTs that the policy keeps and that no place takes.
    fn all(&mut self) -> Result<Outcome, String> {
        for number in 0..self.waits.len() {
            if self.waits[number] == 0 {
                self.is_ready(number as u32);
            }
        }
        self.join();
        self.serve();
        let mut idle_ticks = 0;
        while self.shared.fault.borrow().is_none() && (self.shared.left.get() != 0 || !self.shared.duplicates) {
            let next = self.ends.peek().map(|Reverse((at, ..))| *at);
            let asks_at = self.shared.asks_at.get();
            if asks_at != u64::MAX && next.is_none_or(|next| asks_at < next) {
                self.shared.asks_at.set(u64::MAX);
                if self.shared.left.get() != 0
                    && let Some(keeper) = self.policy.keeper()
                {
                    self.shared.now.update(|now| now.max(asks_at));
                    keeper.tick(&self.shared);
                    self.serve();
                }
                idle_ticks = if next.is_none() { idle_ticks + 1 } else { 0 };
                if idle_ticks == IDLE_TICKS {
                    break;
                }
                continue;
            }
            let Some(Reverse((at, number, what))) = self.ends.pop() else {
                break;
            };
            self.shared.now.set(at);
            self.happens(number, what);
            // Everything that happens at this time does so before any place looks for work.
            while self.ends.peek().is_some_and(|Reverse((next, ..))| *next == at) {
                if let Some(Reverse((_, number, what))) = self.ends.pop() {
                    self.happens(number, what);
                }
            }
            self.serve();
        }
        if let Some(fault) = self.shared.fault.take() {
            return Err(fault);
        }
        let left = self.shared.left.get();
        if left != 0 {
            return Err(format!("the policy has left {left} EDTs that nobody takes: this is a fault of the policy"));
        }
        Ok(Outcome {
            ns: self.shared.now.get(),
            ran: std::mem::take(&mut self.ran),
            bytes_moved: self.bytes_moved,
            copies: std::mem::take(&mut self.copies),
            considered: (self.shared.considered.take()).map_or_else(Vec::new, RefCell::into_inner),
        })
    }

    fn happens(&mut self, number: u32, what: Happening) {
        match what {
            Happening::Ends if self.ends_in_vain(number) => {}
            Happening::Ends => self.ends(number),
            Happening::DuplicateEnds => self.duplicate_ends(number),
            Happening::Released => self.released(number),
            Happening::Brought => self.host.push_front(number),
        }
        self.join();
    }

    /// Satisfies one dependence of an EDT, which is ready if that was the last one.
    fn released(&mut self, number: u32) {
        let waits = &mut self.waits[number as usize];
        *waits -= 1;
        if *waits == 0 {
            self.is_ready(number);
        }
    }

    /// Releases the EDTs that wait for joins which are over, or for EDTs that a kernel stands for.
    fn join(&mut self) {
        while let Some(join) = self.over.pop() {
            self.shared.left.update(|left| left - 1);
            let graph = self.graph;
            let task = &graph.tasks[join as usize];
            let during = task.during.iter().map(|during| during.successor);
            for successor in task.successors.iter().copied().chain(during) {
                self.released(successor);
            }
        }
    }

    /// Places an EDT that waits for nothing any more; a join is over, and so is an EDT for which a kernel has run.
    fn is_ready(&mut self, number: u32) {
        let task = &self.graph.tasks[number as usize];
        let now = self.shared.now.get();
        self.ran[number as usize].ready = now;
        if task.is_join() || self.is_stood_for(number) {
            let ran = &mut self.ran[number as usize];
            (ran.begun, ran.ended) = (now, now);
            self.over.push(number);
            return;
        }
        let devices: Vec<Place> = (0..self.devices.len())
            .filter(|index| matches!(task.ns.get(index + 1), Some(Some(_))))
            .map(Place::device)
            .collect();
        let function = matches!(task.ns.first(), Some(Some(_)));
        let blocks = SimulatedBlocks { run: self, task };
        let choice = match (function, &devices[..]) {
            (true, []) => Choice::At(Place::HOST),
            (false, [only]) => Choice::At(*only),
            (function, devices) => {
                let choices = Choices {
                    edt: number as usize,
                    function,
                    devices,
                    blocks: &blocks,
                    times: self.known[task.template as usize],
                    is_spread: self.is_spread(number),
                };
                match self.policy.choose(&choices, &self.shared) {
                    Choice::FirstFree if !function => Choice::At(policy::least_loaded(devices, &self.shared)),
                    choice => choice,
                }
            }
        };
        match (choice, self.policy.keeper()) {
            (Choice::At(Place::HOST), _) => self.host.push_back(number),
            (Choice::At(device), _) => self.launch(number, device),
            (Choice::Kept, Some(keeper)) => {
                let host = function.then_some(Place::HOST);
                let candidate =
                    |place| Candidate { place, copy_ns: self.copy_ns(task, place), behind: self.behind(task, place) };
                let kept = KeptEdt {
                    edt: number as usize,
                    priority: task.priority,
                    times: self.known[task.template as usize],
                    shape: blocks.shape(),
                    frees_worker: false,
                    is_spread: self.is_spread(number),
                    candidates: host.into_iter().chain(devices).map(candidate).collect(),
                };
                keeper.keep(kept, &self.shared);
            }
            _ => self.pool.push_back(number),
        }
    }

    /// Gives an EDT to a device, which runs it when its blocks are there and the device has run what it was given
    /// before.
    fn launch(&mut self, number: u32, device: Place) {
        let Some(index) = device.device_index() else {
            return;
        };
        self.look(1);
        let there = self.bring(number, device);
        self.shared.loads.borrow_mut()[index] += 1;
        let costs = self.costs(number, device);
        let begun = there.max(self.shared.now.get() + costs.launch_ns).max(behind(self.devices[index].free_at, &costs));
        self.begins(number, device, 0, begun);
        self.devices[index].free_at = self.ran[number as usize].ended;
    }

    /// Gives an EDT to a worker, which runs it when its blocks are there.
    fn call(&mut self, number: u32, worker: usize) {
        if self.waits(number) {
            self.idle.push(worker);
            self.shared.idle.set(self.idle.len());
            return;
        }
        let there = self.bring(number, Place::HOST);
        let costs = self.costs(number, Place::HOST);
        let ready = self.ran[number as usize].ready;
        let free_at = self.free_at[worker];
        let is_awake = free_at != 0 && ready < free_at + AWAKE_NS;
        let begun = there.max(if is_awake { ready.max(free_at) + costs.gap_ns } else { ready + costs.launch_ns });
        self.begins(number, Place::HOST, worker, begun);
    }

    /// What an EDT costs in a place besides its time there.
    fn costs(&self, number: u32, place: Place) -> Costs {
        let costs = &self.graph.tasks[number as usize].costs;
        costs.get(place.number()).copied().unwrap_or_default()
    }

    /// Decides how many cores of the workers' devices have now, as the runtime does. `sent` is how many launches are
    /// about to be sent besides those that devices have.
    fn look(&mut self, sent: usize) {
        let Some(lends) = &self.lends else {
            return;
        };
        let of_devices = lends.devices.iter().map(|&index| self.shared.loads.borrow()[index]);
        let launches = of_devices.sum::<usize>() + sent;
        let has_work = !self.host.is_empty() || !self.pool.is_empty() || self.shared.offers.get();
        let is_host_busy = has_work || self.idle.len() < self.shared.workers;
        let now = self.shared.now.get();
        let at_once = launches == 0 && (self.lent == lends.cores || has_work);
        if self.lent != 0 && (sent != 0 || now - self.lent_at < LOOK_NS && !at_once) {
            return;
        }
        let wanted = lent_for(lends.cores, launches, is_host_busy);
        if wanted != self.lent {
            (self.lent, self.lent_at) = (wanted, now);
        }
    }

    /// How many workers may run EDTs while devices have as many cores as now.
    fn workers_now(&self) -> usize {
        let workers = self.shared.workers;
        self.lends.as_ref().map_or(workers, |lends| workers_beside(workers, self.lent, lends.cores))
    }

    /// Nanoseconds that an EDT takes in a place now.
    fn takes(&self, number: u32, place: Place) -> u64 {
        let task = &self.graph.tasks[number as usize];
        let ns = task.ns.get(place.number()).copied().flatten().unwrap_or(0);
        match (&self.lends, place.device_index()) {
            (Some(lends), Some(index)) if lends.devices.contains(&index) && self.lent != 0 => {
                (u128::from(ns) * lends.cores as u128 / self.lent as u128) as u64
            }
            _ => ns,
        }
    }

    /// Notes that an EDT begins at a time, and when it ends and releases others.
    fn begins(&mut self, number: u32, place: Place, unit: usize, begun: u64) {
        let task = &self.graph.tasks[number as usize];
        let ns = self.takes(number, place);
        let ran = &mut self.ran[number as usize];
        (ran.place, ran.unit) = (place, unit);
        ran.given = self.shared.now.get();
        (ran.begun, ran.ended) = (begun, begun + ns);
        self.running += 1;
        self.ends.push(Reverse((begun + ns, number, Happening::Ends)));
        for during in &task.during {
            let at = begun + (ns as f64 * f64::from(during.part)) as u64;
            // What a kernel stands for is over when that has ended.
            let at = if self.is_stood_for(during.successor) { begun + ns } else { at.min(begun + ns) };
            (self.ends).push(Reverse((at, during.successor, Happening::Released)));
        }
    }

    /// Ends an EDT: its place is free, the models learn its time, and its successors are released.
    fn ends(&mut self, number: u32) {
        self.shared.left.update(|left| left - 1);
        self.running -= 1;
        let graph = self.graph;
        let task = &graph.tasks[number as usize];
        let ran = self.ran[number as usize];
        match ran.place.device_index() {
            Some(index) => self.shared.loads.borrow_mut()[index] -= 1,
            None => {
                self.free_at[ran.unit] = ran.ended;
                self.idle.push(ran.unit);
                self.shared.idle.set(self.idle.len());
            }
        }
        if task.ns.iter().flatten().count() > 1 {
            let times = self.known[task.template as usize];
            let beside = self.running > 1;
            // Models have the time with all cores.
            let ns = task.ns[ran.place.number()].unwrap_or(ran.ended - ran.begun);
            if ran.place == Place::HOST && self.has_scope[number as usize] {
                self.returns(number, ns);
            } else {
                times.sample(ran.place.number(), shape_of(self.graph, task), ns, beside);
                if let Some(keeper) = self.policy.keeper() {
                    keeper.ended(number as usize, ran.place, false, &self.shared);
                }
            }
        }
        self.is_over(number);
    }

    /// An EDT has ended: its successors are released.
    fn is_over(&mut self, number: u32) {
        let graph = self.graph;
        let (task, ran) = (&graph.tasks[number as usize], self.ran[number as usize]);
        self.closes_scopes(number);
        let known_at = self.shared.now.get() + self.costs(number, ran.place).told_ns;
        for &successor in &task.successors {
            if known_at == self.shared.now.get() {
                self.released(successor);
            } else {
                (self.ends).push(Reverse((known_at, successor, Happening::Released)));
            }
        }
    }

    /// Gives EDTs to the places that are free, until there is nothing for any of them.
    fn serve(&mut self) {
        let mut again = true;
        while std::mem::take(&mut again) {
            self.look(0);
            for index in 0..self.devices.len() {
                again |= self.serve_device(Place::device(index));
            }
            again |= self.serve_host();
        }
    }

    /// Gives a device all EDTs that it takes now. True if the other places must be asked again.
    fn serve_device(&mut self, device: Place) -> bool {
        let mut again = false;
        loop {
            if let Some(keeper) = self.policy.keeper() {
                let taken = keeper.take(device, &self.shared);
                again |= taken.moved;
                let Some(number) = taken.edt else {
                    return again;
                };
                self.launch(number as u32, device);
                continue;
            }
            if self.shared.device_load(device) >= LINE_LENGTH {
                return again;
            }
            let runs = |number: &u32| {
                let ns = &self.graph.tasks[*number as usize].ns;
                matches!(ns.get(device.number()), Some(Some(_)))
            };
            let Some(at) = self.pool.iter().take(64).position(runs) else {
                return again;
            };
            if let Some(number) = self.pool.remove(at) {
                self.launch(number, device);
            }
        }
    }

    /// Gives the idle workers all EDTs that they take now. True if the devices must be asked again.
    fn serve_host(&mut self) -> bool {
        let mut again = false;
        while self.shared.workers - self.idle.len() < self.workers_now()
            && let Some(worker) = self.idle.pop()
        {
            self.shared.idle.set(self.idle.len() + 1);
            if let Some(number) = self.host.pop_front().or_else(|| self.pool.pop_front()) {
                self.shared.idle.set(self.idle.len());
                self.call(number, worker);
                continue;
            }
            let is_offered = self.shared.offers.get();
            let taken = self.policy.keeper().filter(|_| is_offered);
            let taken = taken.map(|keeper| keeper.take(Place::HOST, &self.shared));
            again |= taken.as_ref().is_some_and(|taken| taken.moved);
            match taken.and_then(|taken| taken.edt) {
                Some(number) => {
                    self.shared.idle.set(self.idle.len());
                    self.call(number as u32, worker);
                }
                None if is_offered && self.duplicate(worker) => self.shared.idle.set(self.idle.len()),
                None => {
                    self.idle.push(worker);
                    break;
                }
            }
        }
        again
    }
}
