//! A recorded run, replayed in virtual time on a machine that need not exist, by the policies that the runtime uses.
//!
//! | file | what |
//! |---|---|
//! | `graph.rs` | makes a graph of tasks of the recorded run, with how long each takes on each place |
//! | `machine.rs` | the machine of the recording, or another one |
//! | `costs.rs` | what starting EDTs cost, and until their ends were known |
//! | `as_run.rs` | a simulated run in the form of a recorded one |
//! | `nodes.rs` | the graph on several nodes |
//!
//! **Times.** Where an EDT ran, it takes what it took. Elsewhere it takes the median of the EDTs of its template whose
//! blocks have as many bytes there, or else the median of its template there. Where no EDT of its template ran, it may
//! not run, and is counted as unknown.
//!
//! **Dependences.** If an EDT waits for something in the body of another, the other releases it after the same part of
//! its time as in the recording. An EDT that waits for a finish scope waits for all EDTs of the scope.
//!
//! **Finish EDTs of two grains** have a kernel that does a large piece of work, or a function that creates the EDTs
//! which do it. Where the policy takes the kernel, the EDTs of the scope do not run. Where it takes the function, they
//! run as in the recording. Where the recording has the kernel, the function creates what it has created for another
//! EDT of the template (`crates/ocr-analysis/src/recorded/supposed.rs`); where all ran as kernels, it may not run.
//! Policies know the time of a scope as the runtime learns it, with other workers in proportion.
//!
//! **Blocks** are those of the recording, and begin in the host's memory, so copies to devices are simulated.
//!
//! **Costs**: each EDT takes as long to be started as in the recording, and so does the news of its end. Workers that
//! the runtime has stopped before half of the EDTs had begun are not counted. Under a policy that uses no device none
//! is stopped, and no EDT waits for OpenCL. So it is under one that knows that no kernel on the same cores is better
//! than its function: the runtime puts off opening devices then (`src/engine/devices/later.rs`).
//!
//! **What is left out**: caches, EDTs that slow each other down, priorities (they are not
//! recorded), EDTs that wait for a block that another holds. A device runs one kernel at a time; where its queues
//! ran several at once, each takes its part of the time in which the device ran any.

mod as_run;
mod costs;
mod graph;
mod machine;
mod nodes;

pub use machine::{DeviceWish, Wish, bandwidth, nanoseconds};
pub use nodes::{NodesReplay, NodesRow};

use crate::bounds::{Bounds, BoundsError, Gathering, Precedence, Problem};
use crate::recorded::{NOBODY, RecordedRun, ScopeTime, median};
use ocr_place::model::{KeptTimes, RunTimes, ToldBy};
use ocr_place::place::Place;
use ocr_place::policy::can_kernel_win;
use ocr_place::simulate::{Costs, MachineModel, SimulatedDevice, SimulatedTask, TaskGraph, Uses, simulate};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use std::borrow::Cow;

/// How many rounds are played for the mixed bound.
const ROUNDS: u32 = 24;

/// How many samples of one size a model keeps.
const SAMPLES: usize = 11;

/// A recorded run that can be simulated on a machine.
pub struct Replay {
    graph: TaskGraph,
    /// The index in the graph of the task of each recorded EDT; `NOBODY` for an EDT that has none.
    numbers: Vec<u32>,
    /// The task of each finish EDT whose scope has a join, and that join's.
    joins: Vec<(u32, u32)>,
    /// How many tasks are EDTs of the recording; the others are supposed EDTs and joins.
    edts: usize,
    /// The run with supposed EDTs, where there are any.
    supposed: Option<RecordedRun>,
    /// For each task that is a finish EDT of two grains and ran as a function, what it took with its scope.
    scopes: FxHashMap<u32, ScopeTime>,
    /// How many workers the recorded run had.
    recorded_workers: usize,
    machine: MachineModel,
    /// The names of the places, the host's first.
    places: Vec<String>,
    /// Each group of equal devices, in words.
    groups: Vec<String>,
    /// Groups of equal devices: the index of the first one, and how many there are.
    alike: Vec<(usize, u32)>,
    /// Times in nanoseconds before which no schedule ends.
    bounds: Bounds,
    /// Sentences about what cannot be said, and what was left out.
    notes: Vec<String>,
    /// What was measured in the recorded run.
    recorded: ReplayRow,
    /// Whether the machine is that of the recording.
    is_recorded_machine: bool,
    /// How workers and CPU devices share cores under each policy. None where all policies have the machine as it is.
    shares: Option<machine::CoreShares>,
    /// What is other under policies that use no device. None where such a policy was recorded, or some EDT needs a
    /// device.
    without_devices: Option<WithoutDevices>,
}

/// A replay under a policy that uses no device, where the recorded policy does.
struct WithoutDevices {
    /// How many workers there are: none is stopped for a device's core.
    workers: usize,
    /// The tasks of EDTs that waited for OpenCL, and how many nanoseconds of their times that was.
    starts: Vec<(u32, u64)>,
}

impl WithoutDevices {
    /// Takes the waits for OpenCL out of the EDTs of a graph.
    fn start_nothing(&self, graph: &mut Cow<'_, TaskGraph>) {
        for &(number, start) in &self.starts {
            let all = graph.tasks[number as usize].ns.first().copied().flatten();
            let Some(all) = all.filter(|all| (1..*all).contains(&start)) else {
                continue;
            };
            let task = &mut graph.to_mut().tasks[number as usize];
            task.ns[0] = Some(all - start);
            for during in &mut task.during {
                let at = f64::from(during.part) * all as f64 - start as f64;
                during.part = (at / (all - start) as f64).clamp(0.0, 1.0) as f32;
            }
        }
    }
}

/// The result of a run under a policy, simulated or recorded.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct ReplayRow {
    /// The policy, as in `OCR_SCHED`.
    pub policy: String,
    /// The time from the begin of the first EDT to the end of the last, in seconds.
    pub seconds: f64,
    /// How many EDTs each place ran, the host first.
    pub edts: Vec<u64>,
    /// The part of the time in which each place was busy, from 0 to 1, the host first. For the host it is the mean of
    /// the workers.
    pub busy: Vec<f64>,
    /// How many bytes were copied to devices and back in all.
    pub bytes_moved: u64,
}

impl Replay {
    /// Prepares a recorded run for simulation on a machine.
    ///
    /// # Errors
    /// A text for the user, where no EDT has ended, an EDT would have no place where it can run, or the machine cannot
    /// be.
    pub fn new(run: &RecordedRun, wish: &Wish) -> Result<Replay, String> {
        let machine = machine::of(run, wish)?;
        let made = graph::of(run, &machine)?;
        check_length(&made.graph, &machine.model)?;
        let mut notes = Vec::new();
        if run.status.is_none() {
            notes.push("the run has no end: the EDTs that had ended are simulated".to_string());
        }
        for gap in run.gaps() {
            notes.push(format!("a part of the run alone is simulated: {gap}"));
        }
        let left = run.edts.len() - made.edts;
        if left != 0 {
            notes.push(format!("{left} of {} EDTs have not ended in the recording, and are left out", run.edts.len()));
        }
        if made.unknown != 0 {
            notes.push(format!(
                "of {} of {} EDTs it is not known how long they take in another place where they could run: they may not \
                 go there; a recording under OCR_SCHED=static:1:1 shows more",
                made.unknown, made.edts
            ));
        }
        if let Some(supposed) = &made.supposed {
            notes.push(format!(
                "some finish EDTs ran as kernels, and others of their templates as functions: where a policy takes the function \
                 of the former, it is supposed to create what the latter have created ({} EDTs in all)",
                supposed.edts.len() - run.edts.len()
            ));
        }
        if run.copies.is_empty() && machine.model.devices.iter().all(|device| device.shares_memory) {
            notes.push("nothing is copied: the devices use the host's memory".to_string());
        }
        if machine.model.devices.is_empty() {
            notes.retain(|note| !note.starts_with("nothing is copied"));
        }
        let waited = run.edts.iter().zip(&made.numbers).map(|(edt, &number)| (number, edt.opencl));
        let starts = waited.filter(|&(number, waited)| number != NOBODY && waited != 0).collect();
        let on_host = |task: &SimulatedTask| task.is_join() || matches!(task.ns[..], [Some(_), ..]);
        let without_devices = (uses_devices(&made.recorded.policy) && made.graph.tasks.iter().all(on_host))
            .then_some(WithoutDevices { workers: machine.alone, starts });
        let mut replay = Replay {
            graph: made.graph,
            numbers: made.numbers,
            joins: made.joins,
            edts: made.edts,
            supposed: made.supposed,
            scopes: made.scopes,
            recorded_workers: machine::workers(run),
            places: machine.names,
            groups: machine.groups,
            alike: machine.alike,
            machine: machine.model,
            shares: machine.shares,
            bounds: Bounds { area: 0.0, path: 0.0, mixed: 0.0 },
            notes,
            recorded: made.recorded,
            is_recorded_machine: machine.is_recorded,
            without_devices,
        };
        let bounds = replay.problem().and_then(|problem| problem.bounds(ROUNDS));
        replay.bounds =
            bounds.map_err(|why| format!("the recording {} has no graph that could run: {why}", run.name))?;
        Ok(replay)
    }

    /// The EDTs and the places of the machine, in nanoseconds, as the bounds take them. Finish EDTs of two grains are
    /// one task with their scopes. No EDT waits for OpenCL where some policy opens no device: bounds hold for that
    /// policy, too.
    fn problem(&self) -> Result<Problem, BoundsError> {
        let mut problem = Problem { places: vec![self.machine.workers as u32], ..Problem::default() };
        problem.places.extend(self.alike.iter().map(|(_, many)| *many));
        let mut graph = Cow::Borrowed(&self.graph);
        if let Some(other) = &self.without_devices {
            other.start_nothing(&mut graph);
        }
        let tasks = &graph.tasks;
        problem.times.reserve(tasks.len() * problem.places.len());
        let gathering = Gathering::new(tasks.iter().map(|task| task.within.unwrap_or(NOBODY)).collect());
        let mut outer = Vec::new();
        for (number, task) in tasks.iter().enumerate() {
            let at = |place: usize| match task.ns.get(place) {
                _ if task.is_join() => 0.0,
                Some(Some(ns)) => *ns as f64,
                _ => f64::INFINITY,
            };
            problem.times.push(at(0));
            let devices = self.alike.iter().map(|(first, _)| at(first + 1));
            problem.times.extend(devices);
            let at_end = task.successors.iter().map(|&to| (to, 1.0));
            let during = task.during.iter().map(|during| (during.successor, during.part));
            for (to, part) in at_end.chain(during) {
                problem.edges.push(Precedence { from: number as u32, to, part });
                // A join of the outermost scope waits for the head, too; that of a scope within is over earlier.
                let ends = tasks[to as usize].is_join() && gathering.head(number as u32) == number as u32;
                outer.extend(gathering.edge(number as u32, to, part, ends));
            }
        }
        problem.gather(&gathering, &outer)
    }

    /// How long the EDTs of a graph take, for each template: as an earlier run would have learned it, or nothing if
    /// `cold`.
    fn models(&self, graph: &TaskGraph, cold: bool) -> Vec<RunTimes> {
        let models: Vec<RunTimes> = (0..self.graph.templates).map(|_| RunTimes::default()).collect();
        if cold {
            return models;
        }
        let mut samples = std::collections::BTreeMap::<(u32, usize, u64), Vec<u64>>::new();
        let heads: FxHashSet<u32> = graph.tasks.iter().filter_map(|task| task.within).collect();
        let scaled = |ns: u64| (ns as f64 * self.recorded_workers as f64 / self.machine.workers as f64) as u64;
        for (number, task) in graph.tasks.iter().enumerate().filter(|(_, task)| !task.is_join()) {
            let scope = self.scopes.get(&(number as u32));
            if let Some(scope) = scope {
                models[task.template as usize].note_alone(scope.works_alone);
            }
            let bytes = |block: u32| graph.blocks[block as usize].bytes;
            let bytes = task.blocks.iter().map(|uses| bytes(uses.block)).sum();
            for (place, ns) in task.ns.iter().enumerate() {
                let ns = match scope.filter(|_| place == 0) {
                    Some(scope) if scope.works_alone => Some(scope.ns),
                    Some(scope) => Some(scaled(scope.ns)),
                    // What its function takes without the scope says nothing.
                    None if place == 0 && heads.contains(&(number as u32)) => None,
                    None => *ns,
                };
                if let Some(ns) = ns {
                    samples.entry((task.template, place, bytes)).or_default().push(ns);
                }
            }
        }
        for ((template, place, bytes), mut times) in samples {
            times.sort_unstable();
            // The number of samples is that which a model keeps. They are spread over the whole range, so that their
            // median is that of all.
            let count = times.len().min(SAMPLES);
            let each = |at: usize| times[(2 * at + 1) * times.len() / (2 * count)];
            let kept = KeptTimes { alone: (0..count).map(each).collect(), ..KeptTimes::default() };
            models[template as usize].seed(place, bytes, ToldBy::Bytes, &kept);
        }
        models
    }

    /// Whether a kernel is better than its function where it has all the cores that the workers and its device share,
    /// for EDTs of any template and size.
    fn can_a_kernel_win(&self, shares: &machine::CoreShares) -> bool {
        let mut times = FxHashMap::<(u32, u64, usize), Vec<u64>>::default();
        for task in self.graph.tasks.iter().filter(|task| !task.is_join()) {
            let bytes = task.blocks.iter().map(|uses| self.graph.blocks[uses.block as usize].bytes).sum();
            for (place, ns) in task.ns.iter().enumerate().filter_map(|(place, ns)| Some((place, (*ns)?))) {
                times.entry((task.template, bytes, place)).or_default().push(ns);
            }
        }
        let medians: FxHashMap<_, _> = times.into_iter().map(|(key, mut ns)| (key, median(&mut ns))).collect();
        let slower: FxHashMap<_, _> = shares.under(true).slower.into_iter().collect();
        medians.iter().any(|(&(template, bytes, place), &ns)| {
            let device = place.checked_sub(1);
            let kernel = device.map(|index| ns as f64 * slower.get(&index).copied().unwrap_or(1.0));
            let function = medians.get(&(template, bytes, 0)).copied().unwrap_or(u64::MAX);
            kernel.is_some_and(|ns| can_kernel_win(function, ns as u64, shares.cores()))
        })
    }

    /// Whether the runtime opens no device under a policy: one that knows times from earlier runs, where devices have
    /// cores of the workers' alone and no kernel is better there.
    fn opens_none(&self, policy: &str, cold: bool) -> bool {
        let shares = self.shares.as_ref().filter(|shares| !cold && shares.lends(asks_for_cores(policy)));
        shares.is_some_and(|shares| self.scopes.is_empty() && !self.can_a_kernel_win(shares))
    }

    /// The graph and the machine under a policy. Where no device is opened, no EDT waits for OpenCL, and no worker is
    /// stopped.
    fn under(&self, policy: &str, cold: bool) -> (Cow<'_, TaskGraph>, MachineModel) {
        let mut machine = self.machine.clone();
        let mut graph = Cow::Borrowed(&self.graph);
        let opens_none = self.without_devices.is_some() && self.opens_none(policy, cold);
        let uses_devices = uses_devices(policy) && !opens_none;
        if opens_none {
            for task in &mut graph.to_mut().tasks {
                task.ns.iter_mut().skip(1).for_each(|ns| *ns = None);
            }
        }
        if let Some(shares) = self.shares.as_ref().filter(|_| uses_devices) {
            let shared = shares.under(asks_for_cores(policy));
            (machine.workers, machine.lends) = (shared.workers, shared.lends);
            for (index, slower) in shared.slower.into_iter().filter(|(_, slower)| *slower != 1.0) {
                let kernels = graph.to_mut().tasks.iter_mut().filter_map(|task| task.ns.get_mut(index + 1)?.as_mut());
                for ns in kernels {
                    *ns = (*ns as f64 * slower) as u64;
                }
            }
        }
        let other = self.without_devices.as_ref();
        if let Some(other) = other.filter(|_| !uses_devices) {
            machine.workers = other.workers;
            other.start_nothing(&mut graph);
        }
        (graph, machine)
    }

    /// Simulates the EDTs under a policy. With `cold` the policy knows no times at first.
    ///
    /// # Errors
    /// A text for the user, where there is no such policy.
    pub fn simulate(&self, policy: &str, cold: bool) -> Result<ReplayRow, String> {
        let (graph, machine) = self.under(policy, cold);
        let models = self.models(&graph, cold);
        let outcome = simulate(&graph, &machine, policy, &models)?;
        let mut edts = vec![0; self.places.len()];
        let mut busy = vec![0; self.places.len()];
        let ran = self.graph.tasks.iter().zip(&outcome.ran);
        for (_, ran) in ran.filter(|(task, ran)| !task.is_join() && ran.place != Place::UNDECIDED) {
            edts[ran.place.number()] += 1;
            busy[ran.place.number()] += ran.ended - ran.begun;
        }
        Ok(ReplayRow {
            policy: policy.to_string(),
            seconds: outcome.ns as f64 / 1e9,
            edts,
            busy: shares(&busy, outcome.ns, machine.workers),
            bytes_moved: outcome.bytes_moved,
        })
    }

    /// How many EDTs are simulated.
    pub fn edts(&self) -> usize {
        self.edts
    }

    /// How many workers the simulated machine has.
    pub fn workers(&self) -> usize {
        self.machine.workers
    }

    /// The names of the places, the host's first.
    pub fn places(&self) -> &[String] {
        &self.places
    }

    /// The devices in words, equal ones together.
    pub fn devices(&self) -> &[String] {
        &self.groups
    }

    /// The area bound, the critical path and the mixed bound, in seconds.
    pub fn bounds(&self) -> [f64; 3] {
        [self.bounds.area, self.bounds.path, self.bounds.mixed].map(|ns| ns / 1e9)
    }

    /// Sentences about the figures: what cannot be said, and what was left out.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What was measured in the recorded run, on the machine of the recording.
    pub fn recorded(&self) -> &ReplayRow {
        &self.recorded
    }

    /// Whether the simulated machine is that of the recording.
    pub fn is_recorded_machine(&self) -> bool {
        self.is_recorded_machine
    }
}

/// Whether kernels that have a function beside them may run under a policy. One that is not known is taken to use
/// devices, and so is a file: what a recording names is not loaded.
fn uses_devices(policy: &str) -> bool {
    ocr_place::policy::is_file(policy) || ocr_place::policy::parse(policy).map_or(true, |policy| policy.uses_devices())
}

/// Whether CPU devices are to borrow cores of the workers under a policy. A file is not loaded for that.
fn asks_for_cores(policy: &str) -> bool {
    let parse = ocr_place::policy::parse;
    !ocr_place::policy::is_file(policy) && parse(policy).is_ok_and(|policy| policy.shares_cores())
}

/// The most nanoseconds that all EDTs and copies of a simulation may take together: some three years. Sums of such
/// times have room in 64 bits, with a hundred times as much for what policies expect.
const LONGEST: f64 = 1e17;

/// Refuses a graph that would take longer than [`LONGEST`] if everything were done one after the other, each EDT in the
/// place where it takes longest. The error is a text for the user.
fn check_length(graph: &TaskGraph, machine: &MachineModel) -> Result<(), String> {
    let run = |task: &SimulatedTask| {
        let time = task.ns.iter().flatten().max().map_or(0.0, |ns| *ns as f64);
        let cost = |cost: &Costs| cost.launch_ns as f64 + cost.gap_ns as f64 + cost.told_ns as f64;
        time + task.costs.iter().map(cost).fold(0.0, f64::max)
    };
    let copies = machine.devices.iter().filter(|device| !device.shares_memory);
    let copy = |bytes: u64| {
        let ns = |device: &SimulatedDevice| device.latency_ns + bytes as f64 * 1e9 / device.bandwidth;
        // A block may go from one device to the host, and from there to another device.
        2.0 * copies.clone().map(ns).fold(0.0, f64::max)
    };
    let bytes = |uses: &Uses| graph.blocks[uses.block as usize].bytes;
    let all = |task: &SimulatedTask| run(task) + task.blocks.iter().map(|uses| copy(bytes(uses))).sum::<f64>();
    let sum: f64 = graph.tasks.iter().map(all).sum();
    if sum <= LONGEST {
        return Ok(());
    }
    Err("EDTs and copies would take more than three years on this machine, which is not simulated: check the speed, \
         bandwidth and latency of --device, and the recording with `ocr trace check`"
        .to_string())
}

/// The part of `ns` in which each place was busy, from 0 to 1, the host first. `busy` are nanoseconds.
fn shares(busy: &[u64], ns: u64, workers: usize) -> Vec<f64> {
    let units = |place: usize| if place == 0 { workers.max(1) } else { 1 };
    let share = |(place, busy): (usize, &u64)| *busy as f64 / (ns.max(1) as f64 * units(place) as f64);
    busy.iter().enumerate().map(share).collect()
}

#[cfg(test)]
mod tests;
