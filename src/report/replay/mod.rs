//! A recorded run, replayed in virtual time on a machine that need not exist, by the policies that the runtime uses.
//!
//! | file | what |
//! |---|---|
//! | `graph.rs` | from the recorded run to a graph of tasks |
//! | `machine.rs` | the machine of the recording, or another one |
//! | `as_run.rs` | a simulated run in the form of a recorded one |
//!
//! **Times.** Where an EDT ran, it takes what it took. Elsewhere it takes the median of the EDTs of its template whose blocks
//! have as many bytes there, or else that of its template. Where none of its template ran, it is not allowed, and counted.
//!
//! **What comes before what.** An EDT that waits for what another does in its body is released when the other has run the
//! same part of its time, wherever that runs. What waits for a finish scope waits for all EDTs of it.
//!
//! **Blocks** have the identities that they had, and begin in the host's memory, so copies to devices are simulated.
//!
//! **What is left out**: what the runtime itself costs, caches, EDTs that slow each other down, priorities (they are not
//! recorded), EDTs that wait for a block that another holds. A device runs one kernel at a time; where its queues
//! ran several at once, each takes its part of the time in which the device ran any.

mod as_run;
mod graph;
mod machine;

pub use machine::{DeviceWish, Wish};

use crate::model::{KeptTimes, RunTimes};
use crate::report::bounds::{Bounds, Precedence, Problem};
use crate::report::recorded::Run;
use crate::simulate::{Device, Graph, MachineModel, Task, Uses, simulate};
use serde::Serialize;

/// Rounds for the mixed bound.
const ROUNDS: u32 = 24;

/// A model keeps so many samples of a size.
const SAMPLES: usize = 11;

/// A recorded run on a machine.
pub struct Replay {
    graph: Graph,
    /// The task of each EDT of the recording; that of one that has none is no task's number.
    numbers: Vec<u32>,
    /// How many EDTs there are; what follows in the graph are joins.
    edts: usize,
    machine: MachineModel,
    /// What places are called, the host first.
    places: Vec<String>,
    /// Devices that are alike: the first one, and how many.
    alike: Vec<(usize, u32)>,
    /// No schedule ends before.
    bounds: Bounds,
    /// What cannot be said, and what was left out, in sentences.
    notes: Vec<String>,
    /// What was measured.
    recorded: Row,
    /// Whether the machine is that of the recording.
    is_recorded_machine: bool,
}

/// What came of a policy.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Row {
    /// The policy, as in `OCR_SCHED`.
    pub policy: String,
    /// From the begin of the first EDT to the end of the last, in seconds.
    pub seconds: f64,
    /// How many EDTs each place ran, the host first.
    pub edts: Vec<u64>,
    /// Which part of the time each place was busy, from 0 to 1; that of the workers is their mean.
    pub busy: Vec<f64>,
    /// Bytes that were copied to devices and back.
    pub bytes_moved: u64,
}

impl Replay {
    /// A recorded run on a machine. The error is for people.
    ///
    /// # Errors
    /// Where no EDT has ended, or an EDT would have no place where it can run.
    pub fn new(run: &Run, wish: &Wish) -> Result<Replay, String> {
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
            notes.push(format!(
                "{left} of {} EDTs have not ended in the recording, and are left out",
                run.edts.len()
            ));
        }
        if made.unknown != 0 {
            notes.push(format!(
                "of {} of {} EDTs it is not known how long they take in another place where they could run: they may not \
                 go there; a recording under OCR_SCHED=static:1:1 tells more",
                made.unknown, made.edts
            ));
        }
        if run.copies.is_empty()
            && machine
                .model
                .devices
                .iter()
                .all(|device| device.shares_memory)
        {
            notes.push("nothing is copied: the devices use the host's memory".to_string());
        }
        if machine.model.devices.is_empty() {
            notes.retain(|note| !note.starts_with("nothing is copied"));
        }
        let mut replay = Replay {
            graph: made.graph,
            numbers: made.numbers,
            edts: made.edts,
            places: machine.names,
            alike: machine.alike,
            machine: machine.model,
            bounds: Bounds {
                area: 0.0,
                path: 0.0,
                mixed: 0.0,
            },
            notes,
            recorded: made.recorded,
            is_recorded_machine: machine.is_recorded,
        };
        let bounds = replay.problem().bounds(ROUNDS);
        replay.bounds = bounds.map_err(|why| {
            format!(
                "the recording {} tells of no graph that could run: {why}",
                run.name
            )
        })?;
        Ok(replay)
    }

    /// The EDTs on the places of the machine, as the bounds see them.
    fn problem(&self) -> Problem {
        let mut problem = Problem {
            places: vec![self.machine.workers as u32],
            ..Problem::default()
        };
        problem
            .places
            .extend(self.alike.iter().map(|(_, many)| *many));
        let tasks = &self.graph.tasks;
        problem.times.reserve(tasks.len() * problem.places.len());
        for (number, task) in tasks.iter().enumerate() {
            let at = |place: usize| match task.ns.get(place) {
                _ if task.is_join() => 0.0,
                Some(Some(ns)) => *ns as f64,
                _ => f64::INFINITY,
            };
            problem.times.push(at(0));
            let devices = self.alike.iter().map(|(first, _)| at(first + 1));
            problem.times.extend(devices);
            let edge = |to, part| Precedence {
                from: number as u32,
                to,
                part,
            };
            (problem.edges).extend(task.successors.iter().map(|&to| edge(to, 1.0)));
            let during = task
                .during
                .iter()
                .map(|during| edge(during.successor, during.part));
            problem.edges.extend(during);
        }
        problem
    }

    /// Models of how long EDTs take: as of an earlier run, or of which nothing is known.
    fn models(&self, cold: bool) -> Vec<RunTimes> {
        let models: Vec<RunTimes> = (0..self.graph.templates)
            .map(|_| RunTimes::default())
            .collect();
        if cold {
            return models;
        }
        let mut samples = std::collections::BTreeMap::<(u32, usize, u64), Vec<u64>>::new();
        for task in self.graph.tasks.iter().filter(|task| !task.is_join()) {
            let bytes = |block: u32| self.graph.blocks[block as usize].bytes;
            let bytes = task.blocks.iter().map(|uses| bytes(uses.block)).sum();
            for (place, ns) in task.ns.iter().enumerate() {
                if let Some(ns) = ns {
                    samples
                        .entry((task.template, place, bytes))
                        .or_default()
                        .push(*ns);
                }
            }
        }
        for ((template, place, bytes), mut times) in samples {
            times.sort_unstable();
            // As many as are kept, over the whole range, so that their median is that of all.
            let count = times.len().min(SAMPLES);
            let each = |at: usize| times[(2 * at + 1) * times.len() / (2 * count)];
            let kept = KeptTimes {
                alone: (0..count).map(each).collect(),
                ..KeptTimes::default()
            };
            models[template as usize].seed(place, bytes, &kept);
        }
        models
    }

    /// What the EDTs take by a policy. The error is for people.
    ///
    /// # Errors
    /// Where there is no such policy.
    pub fn simulate(&self, policy: &str, cold: bool) -> Result<Row, String> {
        let models = self.models(cold);
        let outcome = simulate(&self.graph, &self.machine, policy, &models)?;
        let mut edts = vec![0; self.places.len()];
        let mut busy = vec![0; self.places.len()];
        let ran = self.graph.tasks.iter().zip(&outcome.ran);
        for (_, ran) in ran.filter(|(task, _)| !task.is_join()) {
            edts[ran.place.number()] += 1;
            busy[ran.place.number()] += ran.ended - ran.begun;
        }
        Ok(Row {
            policy: policy.to_string(),
            seconds: outcome.ns as f64 / 1e9,
            edts,
            busy: shares(&busy, outcome.ns, self.machine.workers),
            bytes_moved: outcome.bytes_moved,
        })
    }

    /// How many EDTs are simulated.
    pub fn edts(&self) -> usize {
        self.edts
    }

    /// How many workers there are.
    pub fn workers(&self) -> usize {
        self.machine.workers
    }

    /// What places are called, the host first.
    pub fn places(&self) -> &[String] {
        &self.places
    }

    /// The area bound, the critical path and the mixed bound, in seconds.
    pub fn bounds(&self) -> [f64; 3] {
        [self.bounds.area, self.bounds.path, self.bounds.mixed].map(|ns| ns / 1e9)
    }

    /// What is to be known of the figures, in sentences.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// What was measured, on the machine of the recording.
    pub fn recorded(&self) -> &Row {
        &self.recorded
    }

    /// Whether the machine is that of the recording.
    pub fn is_recorded_machine(&self) -> bool {
        self.is_recorded_machine
    }
}

/// The most nanoseconds of all EDTs and copies together that are simulated, some three years: sums of them have room in 64
/// bits, with a hundred times as much for what policies expect.
const LONGEST: f64 = 1e17;

/// Refuses what would take longer than [`LONGEST`] if everything were done one after the other, and where it takes longest.
fn check_length(graph: &Graph, machine: &MachineModel) -> Result<(), String> {
    let run = |task: &Task| task.ns.iter().flatten().max().map_or(0.0, |ns| *ns as f64);
    let copies = machine
        .devices
        .iter()
        .filter(|device| !device.shares_memory);
    let copy = |bytes: u64| {
        let ns = |device: &Device| device.latency_ns + bytes as f64 * 1e9 / device.bandwidth;
        // From one device, and to another.
        2.0 * copies.clone().map(ns).fold(0.0, f64::max)
    };
    let bytes = |uses: &Uses| graph.blocks[uses.block as usize].bytes;
    let all = |task: &Task| {
        run(task)
            + task
                .blocks
                .iter()
                .map(|uses| copy(bytes(uses)))
                .sum::<f64>()
    };
    let sum: f64 = graph.tasks.iter().map(all).sum();
    if sum <= LONGEST {
        return Ok(());
    }
    Err(
        "EDTs and copies would take more than three years on this machine, which is not simulated: check the speed, \
         bandwidth and latency of --device, and the recording with `ocr trace check`"
            .to_string(),
    )
}

/// Which part of a time places were busy.
fn shares(busy: &[u64], ns: u64, workers: usize) -> Vec<f64> {
    let units = |place: usize| if place == 0 { workers.max(1) } else { 1 };
    let share =
        |(place, busy): (usize, &u64)| *busy as f64 / (ns.max(1) as f64 * units(place) as f64);
    busy.iter().enumerate().map(share).collect()
}

#[cfg(all(test, not(loom)))]
mod tests;
