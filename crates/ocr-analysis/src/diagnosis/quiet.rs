//! A run as it would have been with a core for each worker. Where other programs had the cores, when workers were idle
//! says nothing about the program. What EDTs take and what they wait for does, and this is what is left of the run.
//!
//! An EDT takes what it took without the time in which its worker was ready and had no core. A worker that is free
//! takes of the EDTs that are ready the one that began first in the run.

use super::look::Look;
use super::waits;
use crate::recorded::{NEVER, RecordedEdt, RecordedRun, RecordedThread};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// How many nanoseconds each EDT would have run with a core, for those that lost time.
fn shorter(look: &Look<'_>) -> FxHashMap<u32, u64> {
    let mut shorter = FxHashMap::default();
    for (before, after) in look.usage_pairs() {
        let Some(edt) = look.run.edts.get(after.edt as usize) else {
            continue;
        };
        let Some(took) = edt.time().filter(|_| edt.end <= after.at && before.at < edt.end) else {
            continue;
        };
        let lost = after.without_core.saturating_sub(before.without_core);
        let on_core = after.on_core.saturating_sub(before.on_core);
        // A thread that has not waited was on a core or wanted one, whatever the system's figures lack.
        if after.system.waits != 0 && after.system.waits == before.system.waits {
            shorter.insert(after.edt, took.min(on_core));
            continue;
        }
        // Some of it may have been lost before the EDT began.
        shorter.insert(after.edt, took.saturating_sub(lost).max(took.min(on_core)));
    }
    shorter
}

/// An EDT's part in the run that is made.
#[derive(Clone, Default)]
struct QuietEdt {
    /// What it takes, in nanoseconds.
    takes: u64,
    /// How many EDTs it waits for that have not begun.
    missing: u32,
    /// When all of those will have done what it waits for.
    ready: u64,
    /// The dependences that lead from it, each with the part of its time that has to pass.
    to: Vec<(u32, f64)>,
}

/// The run with a core for each worker. None where kernels ran, or EDTs wait for each other, also in calls: what they
/// wait for there is not known.
pub(super) fn run(look: &Look<'_>) -> Option<RecordedRun> {
    if look.has_kernels() || look.counts(waits::waited(look) as f64) {
        return None;
    }
    let ground = look.ground;
    let count = look.run.edts.len();
    let shorter = shorter(look);
    let mut steps = vec![QuietEdt::default(); count];
    for &number in &ground.ran {
        let took = ground.edt(number).time().unwrap_or(0);
        steps[number as usize].takes = shorter.get(&number).copied().unwrap_or(took);
        for edge in ground.edges_to(number) {
            let from = ground.edt(edge.from);
            let Some(took) = from.time() else { continue };
            let part = if edge.at == NEVER {
                1.0
            } else {
                (edge.at.saturating_sub(from.begin) as f64 / took.max(1) as f64).min(1.0)
            };
            steps[edge.from as usize].to.push((number, part));
            steps[number as usize].missing += 1;
        }
    }
    let workers = ground.places.get(&0).copied().unwrap_or(1).max(1) as u32;
    let mut edts: Vec<RecordedEdt> = look.run.edts.clone();
    for edt in &mut edts {
        (edt.created, edt.runnable, edt.placed, edt.granted) = (NEVER, NEVER, NEVER, NEVER);
        (edt.fetch, edt.begin, edt.end, edt.waited) = ([NEVER; 2], NEVER, NEVER, 0);
    }
    let mut free: BinaryHeap<Reverse<(u64, u32)>> = (0..workers).map(|worker| Reverse((0, worker))).collect();
    // EDTs that will be ready, by when; and those that are, by when they began in the run.
    let mut later: BTreeSet<(u64, u32)> = BTreeSet::new();
    let mut ready: BTreeSet<(u64, u32)> = BTreeSet::new();
    later.extend(ground.ran.iter().filter(|&&edt| steps[edt as usize].missing == 0).map(|&edt| (0, edt)));
    let mut done = 0;
    while done < ground.ran.len() {
        let Reverse((mut now, worker)) = free.pop()?;
        if ready.is_empty() {
            now = now.max(later.first()?.0);
        }
        while let Some(&(at, number)) = later.first().filter(|(at, _)| *at <= now) {
            later.remove(&(at, number));
            ready.insert((ground.edt(number).begin, number));
        }
        let (_, number) = ready.pop_first()?;
        let step = std::mem::take(&mut steps[number as usize]);
        // Another worker, which is free later, may have looked ahead.
        now = now.max(step.ready);
        for &(to, part) in &step.to {
            let at = now + (step.takes as f64 * part) as u64;
            let next = &mut steps[to as usize];
            next.ready = next.ready.max(at);
            next.missing -= 1;
            if next.missing == 0 {
                later.insert((next.ready, to));
            }
            if look.run.edts[to as usize].parent == number {
                edts[to as usize].created = at.min(edts[to as usize].created);
            }
        }
        let edt = &mut edts[number as usize];
        (edt.begin, edt.end, edt.lane) = (now, now + step.takes, worker);
        edt.runnable = step.ready;
        edt.created = edt.created.min(step.ready);
        free.push(Reverse((now + step.takes, worker)));
        done += 1;
    }
    let mut edges = look.run.edges.clone();
    for edge in edges.iter_mut().filter(|edge| edge.at != NEVER) {
        let (was, is) = (&look.run.edts[edge.from as usize], &edts[edge.from as usize]);
        if let (Some(took), Some(takes)) = (was.time(), is.time()) {
            let part = edge.at.saturating_sub(was.begin) as f64 / took.max(1) as f64;
            edge.at = is.begin + (takes as f64 * part.min(1.0)) as u64;
        }
    }
    let thread = |worker| {
        let its = RecordedThread { name: format!("worker-{worker}"), is_worker: true, ..RecordedThread::default() };
        (worker, its)
    };
    Some(RecordedRun {
        name: look.run.name.clone(),
        about: look.run.about.clone(),
        status: look.run.status,
        templates: look.run.templates.clone(),
        threads: (0..workers).map(thread).collect(),
        end: edts.iter().map(|edt| edt.end).filter(|&end| end != NEVER).max().unwrap_or(0),
        edts,
        edges,
        ..RecordedRun::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::ground::Ground;
    use super::*;
    use crate::recorded::{Edge, Usage};
    use ocr_trace::clock::SystemUse;

    const MS: u64 = 1_000_000;

    /// The first EDT lost 6 of its 10 ms. The second waits for what the first does in its middle, and the third for the
    /// end of the second. When they began on the busy machine says nothing.
    #[test]
    fn edts_run_as_long_as_they_had_cores_and_begin_when_they_can() {
        let edt = |lane, begin, end| RecordedEdt { place: 0, lane, template: 0, begin, end, ..RecordedEdt::default() };
        let usage = |at, on_core, without_core, edt| Usage {
            thread: 1,
            edt,
            at,
            on_core,
            without_core,
            system: SystemUse::default(),
        };
        let thread = |number| (number, RecordedThread { is_worker: true, ..RecordedThread::default() });
        let recorded = RecordedRun {
            threads: [thread(1), thread(2)].into(),
            edts: vec![edt(1, MS, 11 * MS), edt(1, 20 * MS, 22 * MS), edt(2, 40 * MS, 43 * MS)],
            edges: vec![Edge { from: 0, to: 1, at: 6 * MS }, Edge { from: 1, to: 2, at: NEVER }],
            usage: vec![usage(0, 0, 0, u32::MAX), usage(11 * MS, 4 * MS, 6 * MS, 0)],
            ..RecordedRun::default()
        };
        let ground = Ground::of(&recorded).expect("EDTs have ended");
        let made = run(&Look::at(&ground)).expect("no kernel ran");
        let times: Vec<[u64; 2]> = made.edts.iter().map(|edt| [edt.begin, edt.end]).collect();
        assert_eq!(times, [[0, 4 * MS], [2 * MS, 4 * MS], [4 * MS, 7 * MS]]);
        assert_eq!((made.end, made.edges[0].at, made.threads.len()), (7 * MS, 2 * MS, 2));
        assert_ne!(made.edts[0].lane, made.edts[1].lane);
    }

    #[test]
    fn edts_that_wait_for_each_other_make_no_run() {
        let edt = |begin| RecordedEdt { place: 0, lane: 1, begin, end: begin + MS, ..RecordedEdt::default() };
        let edge = |from, to| Edge { from, to, at: NEVER };
        let recorded =
            RecordedRun { edts: vec![edt(0), edt(MS)], edges: vec![edge(0, 1), edge(1, 0)], ..RecordedRun::default() };
        let ground = Ground::of(&recorded).expect("EDTs have ended");
        assert!(run(&Look::at(&ground)).is_none());
    }
}
