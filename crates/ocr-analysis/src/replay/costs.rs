//! What it cost in a recorded run to start EDTs, and until others knew of their ends. How long an EDT takes on a place
//! where it did not run is in `graph.rs`.
//!
//! These times belong to no EDT, and without them a run of many short EDTs would be simulated as too short. Each EDT
//! has the costs that it had where it ran. Elsewhere it has the median of its template there, or else the median of the
//! place.
//!
//! | cost | from | to |
//! |---|---|---|
//! | launch | the EDT is ready and its unit is idle, a worker asleep | it begins |
//! | gap | the EDT before it on its unit ends, and it is ready; a worker is awake for a while | it begins |
//! | told | it ends | the EDT that waited for it last is ready |
//!
//! A run begins with its first EDT: what it took to start that one is no cost of the run. An EDT that a policy kept for
//! a while is ready when its place takes it. What an EDT waits for a block that another one holds is no cost of
//! starting it. Nor is the time in which blocks are brought, which is simulated.

use crate::recorded::{NEVER, RecordedEdt, RecordedRun, median};
use ocr_place::simulate::{AWAKE_NS, Costs};
use rustc_hash::FxHashMap;

/// The number of costs of one EDT.
const KINDS: usize = 3;
/// The numbers of the costs.
const LAUNCH: usize = 0;
const GAP: usize = 1;
const TOLD: usize = 2;

/// The costs of a recorded run, in nanoseconds.
pub(super) struct RunCosts {
    /// For each EDT, what was measured; [`NEVER`] for a cost that it did not have.
    own: Vec<[u64; KINDS]>,
    /// Medians by kind, template and place.
    by_template: FxHashMap<(usize, u32, u8), u64>,
    /// Medians by kind and place.
    by_place: FxHashMap<(usize, u8), u64>,
}

/// When an EDT was ready for its place, apart from what its unit did, and when a place had taken it besides. `chooses`
/// says that a policy could choose the place.
fn ready(edt: &RecordedEdt, chooses: bool) -> Option<[u64; 2]> {
    let known = |time: u64| if time == NEVER { 0 } else { time };
    let mut at = edt.runnable.min(edt.begin);
    if at == NEVER {
        return None;
    }
    at = at.max(known(edt.granted));
    if edt.place != 0 {
        at = at.max(known(edt.launched));
    }
    at = at.max(known(edt.fetch[1]));
    let taken = if chooses { known(edt.placed) } else { 0 };
    Some([at, at.max(taken)].map(|time| time.min(edt.begin)))
}

impl RunCosts {
    /// The costs of a run.
    pub(super) fn of(run: &RecordedRun) -> RunCosts {
        let mut own = vec![[NEVER; KINDS]; run.edts.len()];
        starts(run, &mut own);
        ends(run, &mut own);
        let mut by_template = FxHashMap::<(usize, u32, u8), Vec<u64>>::default();
        let mut by_place = FxHashMap::<(usize, u8), Vec<u64>>::default();
        for (edt, costs) in run.edts.iter().zip(&own) {
            for (kind, &ns) in costs.iter().enumerate().filter(|(_, ns)| **ns != NEVER) {
                let alike = by_template.entry((kind, edt.template, edt.place));
                alike.or_default().push(ns);
                by_place.entry((kind, edt.place)).or_default().push(ns);
            }
        }
        RunCosts {
            own,
            by_template: (by_template.into_iter()).map(|(key, mut ns)| (key, median(&mut ns))).collect(),
            by_place: (by_place.into_iter()).map(|(key, mut ns)| (key, median(&mut ns))).collect(),
        }
    }

    /// The costs of an EDT of the run in a place of the run.
    pub(super) fn at(&self, number: usize, edt: &RecordedEdt, place: u8) -> Costs {
        let of = |kind: usize| {
            let own = self.own[number][kind];
            if place == edt.place && own != NEVER {
                return own;
            }
            let alike = self.by_template.get(&(kind, edt.template, place));
            let any = || self.by_place.get(&(kind, place));
            alike.or_else(any).copied().unwrap_or(0)
        };
        Costs { launch_ns: of(LAUNCH), gap_ns: of(GAP), told_ns: of(TOLD) }
    }
}

/// Measures what it took to start each EDT. The unit of a device is the whole device, which has its queues for each
/// other's gaps.
fn starts(run: &RecordedRun, own: &mut [[u64; KINDS]]) {
    let mut order: Vec<u32> =
        (0..run.edts.len() as u32).filter(|&number| run.edts[number as usize].time().is_some()).collect();
    order.sort_unstable_by_key(|&number| (run.edts[number as usize].begin, number));
    let first = order.first().map_or(0, |&number| run.edts[number as usize].begin);
    let mut last: FxHashMap<(u8, u32), u64> = FxHashMap::default();
    for number in order {
        let edt = &run.edts[number as usize];
        let chooses =
            (run.templates.get(edt.template as usize)).is_some_and(|template| template.places.count_ones() > 1);
        let lane = if edt.place == 0 { edt.lane } else { 0 };
        let free = last.entry((edt.place, lane)).or_insert(0);
        if let Some([ready, taken]) = ready(edt, chooses) {
            let awake = if edt.place == 0 && *free != 0 { AWAKE_NS } else { 0 };
            let (kind, since) =
                if ready >= *free + awake { (LAUNCH, taken.max(first)) } else { (GAP, taken.max(*free)) };
            own[number as usize][kind] = edt.begin.saturating_sub(since);
        }
        *free = edt.end.max(*free);
    }
}

/// Measures how long it took from the end of each EDT until the first of those that waited for it last was ready.
fn ends(run: &RecordedRun, own: &mut [[u64; KINDS]]) {
    let end = |from: u32| run.edts.get(from as usize).map_or(NEVER, |edt| edt.end);
    let moment = |edge: &crate::recorded::Edge| match edge.at {
        NEVER => end(edge.from),
        at => at,
    };
    let mut latest = vec![0; run.edts.len()];
    for edge in run.edges.iter().filter(|edge| moment(edge) != NEVER) {
        if let Some(latest) = latest.get_mut(edge.to as usize) {
            *latest = moment(edge).max(*latest);
        }
    }
    for edge in run.edges.iter().filter(|edge| edge.at == NEVER) {
        let Some(to) = run.edts.get(edge.to as usize) else {
            continue;
        };
        let ended = end(edge.from);
        let ready = to.runnable.min(to.begin);
        if ended == NEVER || ready == NEVER || ended != latest[edge.to as usize] {
            continue;
        }
        let told = &mut own[edge.from as usize][TOLD];
        *told = (*told).min(ready.saturating_sub(ended));
    }
}
