//! A simulated run in the form of a recorded one, so that it can be explained like a recorded run.

use super::Replay;
use crate::recorded::{
    Edge, NEVER, NOBODY, RecordedDevice, RecordedEdt, RecordedEstimate, RecordedRun, RecordedTemplate, RecordedThread,
    RecordedUse, Scopes, Transfer,
};
use ocr_place::place::Place;
use ocr_place::simulate::{Copied, Outcome, simulate_recorded};
use std::collections::BTreeMap;

impl Replay {
    /// Simulates a policy, and returns the result as if it had been recorded on the simulated machine. `run` is the
    /// recording that is replayed. With `cold` the policy knows no times at first. Moments are in nanoseconds since the
    /// begin of the simulation.
    ///
    /// # Errors
    /// A text for the user, where there is no such policy.
    pub fn simulated(&self, run: &RecordedRun, policy: &str, cold: bool) -> Result<RecordedRun, String> {
        let (graph, machine) = self.under(policy, cold);
        let models = self.models(&graph, cold);
        let outcome = simulate_recorded(&graph, &machine, policy, &models)?;
        let recorded_edts = run.edts.len();
        let run = self.supposed.as_ref().unwrap_or(run);
        let mut about = run.about.clone();
        about.insert("workers".into(), machine.workers.to_string());
        about.insert("sched".into(), policy.to_string());
        let begun = |edt: u32| {
            let task = *self.numbers.get(edt as usize)?;
            Some(outcome.ran.get(task as usize)?.begun)
        };
        // EDTs for which a kernel ran are not there, so the numbers of others are lower.
        let is_there = |task: u32| outcome.ran.get(task as usize).is_none_or(|ran| ran.place != Place::UNDECIDED);
        let mut count = 0..;
        let numbers: Vec<u32> = (self.numbers.iter())
            .map(|&task| if is_there(task) { count.next() } else { None }.unwrap_or(NOBODY))
            .collect();
        let number_of = |edt: u32| numbers.get(edt as usize).copied().filter(|&number| number != NOBODY);
        let all = run.edts.iter().zip(&self.numbers).filter(|(_, task)| is_there(**task));
        let edts = all.map(|(edt, &task)| {
            let parent = number_of(edt.parent).unwrap_or(NOBODY);
            RecordedEdt { parent, ..ran(edt, task, begun(edt.parent), &outcome) }
        });
        let uses = run.uses.iter().filter_map(|uses| Some(RecordedUse { edt: number_of(uses.edt)?, ..*uses }));
        let devices = self.places.iter().enumerate().skip(1);
        let mut simulated = RecordedRun {
            name: run.name.clone(),
            about,
            status: run.status,
            end: outcome.ns,
            cut: run.cut.clone(),
            templates: self.templates(run),
            threads: (0..machine.workers as u32).map(worker).collect(),
            devices: devices.map(device).collect::<BTreeMap<_, _>>(),
            blocks: run.blocks.clone(),
            labels: run.labels.clone(),
            block_bytes: run.block_bytes.clone(),
            block_guids: run.block_guids.clone(),
            uses: uses.collect(),
            copies: (outcome.copies.iter()).map(|copy| transfer(run, copy)).collect(),
            estimates: self.estimates(&outcome, &numbers),
            edts: edts.collect(),
            ..RecordedRun::default()
        };
        // What waits for a scope waits for the EDT of it that ended last, which may be another one here.
        let of_run = Scopes::of(run, recorded_edts);
        let of_simulated = Scopes::of(&simulated, simulated.edts.len());
        let edges = run.edges.iter().filter_map(|edge| {
            let to = number_of(edge.to)?;
            let scope = (edge.at == NEVER).then(|| of_run.awaited(run, edge.from, edge.to)).flatten();
            let from = match scope {
                Some(scope) => of_simulated.last[number_of(scope)? as usize],
                None => number_of(edge.from)?,
            };
            let now = simulated.edts.get(from as usize)?;
            Some(Edge { from, to, ..moved(edge, &run.edts[edge.from as usize], now) })
        });
        simulated.edges = edges.collect();
        Ok(simulated)
    }

    /// The templates, with the places of the simulated machine where EDTs of them can run.
    fn templates(&self, run: &RecordedRun) -> Vec<RecordedTemplate> {
        let mut templates = run.templates.clone();
        for template in &mut templates {
            template.places = 0;
        }
        for task in &self.graph.tasks {
            if let Some(template) = templates.get_mut(task.template as usize) {
                let can = (task.ns.iter().enumerate()).filter(|(_, ns)| ns.is_some());
                template.places |= can.fold(0, |bits, (place, _)| bits | 1 << place);
            }
        }
        templates
    }

    /// What the policy expected in the simulation, in the order of the EDTs. `numbers` are those of the EDTs there.
    fn estimates(&self, outcome: &Outcome, numbers: &[u32]) -> Vec<RecordedEstimate> {
        let mut edts = vec![NOBODY; self.graph.tasks.len()];
        for (edt, &task) in self.numbers.iter().enumerate() {
            if let Some(its) = edts.get_mut(task as usize) {
                *its = numbers[edt];
            }
        }
        let estimate = |&(at, place): &(u64, ocr_place::policy::Considered)| RecordedEstimate {
            edt: edts[place.edt],
            at,
            place: number(place.place),
            expected: place.expected,
            certainty: place.certainty,
            factor: place.factor,
            why: place.why,
            is_chosen: place.is_chosen,
            is_first: place.is_first,
        };
        let mut estimates: Vec<RecordedEstimate> = outcome.considered.iter().map(estimate).collect();
        estimates.sort_by_key(|estimate| estimate.edt);
        estimates
    }
}

fn number(place: Place) -> u8 {
    place.number() as u8
}

fn worker(number: u32) -> (u32, RecordedThread) {
    let thread = RecordedThread { name: format!("worker {number}"), is_worker: true, ..RecordedThread::default() };
    (number, thread)
}

fn device((place, name): (usize, &String)) -> (u8, RecordedDevice) {
    let device = RecordedDevice { name: name.clone(), short: name.clone(), ..RecordedDevice::default() };
    (place as u8, device)
}

/// An EDT as it ran in the simulation, where it is the task with this number. An EDT that was not simulated has not
/// begun. An EDT is taken to be created when its parent begins, at the time `parent`; without a parent, at the
/// beginning.
fn ran(edt: &RecordedEdt, task: u32, parent: Option<u64>, outcome: &Outcome) -> RecordedEdt {
    let unknown = RecordedEdt {
        runnable: NEVER,
        placed: NEVER,
        granted: NEVER,
        fetch: [NEVER; 2],
        launched: NEVER,
        begin: NEVER,
        end: NEVER,
        waited: 0,
        created: NEVER,
        ..edt.clone()
    };
    match outcome.ran.get(task as usize) {
        None => unknown,
        Some(ran) => RecordedEdt {
            created: parent.unwrap_or(0).min(ran.ready),
            runnable: ran.ready,
            placed: ran.given,
            launched: match ran.place {
                Place::HOST => NEVER,
                _ => ran.given,
            },
            begin: ran.begun,
            end: ran.ended,
            place: number(ran.place),
            lane: ran.unit as u32,
            ..unknown
        },
    }
}

/// A dependence as it is in the simulation. What the first EDT did in its body, it does there after the same part of
/// its time. `before` is that EDT as it was recorded, and `now` as it was simulated.
fn moved(edge: &Edge, before: &RecordedEdt, now: &RecordedEdt) -> Edge {
    let (Some(took), Some(takes), true) = (before.time(), now.time(), edge.at != NEVER) else {
        return *edge;
    };
    let part = edge.at.saturating_sub(before.begin) as f64 / took.max(1) as f64;
    Edge { at: now.begin + (takes as f64 * part.min(1.0)) as u64, ..*edge }
}

/// A simulated copy in the form of a recorded one.
fn transfer(run: &RecordedRun, copy: &Copied) -> Transfer {
    let at = copy.block as usize;
    Transfer {
        place: number(copy.device),
        to_device: copy.to_device,
        block: run.block_guids.get(at).copied().unwrap_or(0),
        bytes: run.block_bytes.get(at).copied().unwrap_or(0),
        begin: copy.begun,
        end: copy.ended,
    }
}
