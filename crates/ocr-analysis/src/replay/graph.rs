//! Makes a graph of tasks of a recorded run.

use super::costs::RunCosts;
use super::machine::ReplayMachine;
use super::{ReplayRow, shares};
use crate::recorded::{DeviceCores, Medians, NEVER, NOBODY, RecordedEdt, RecordedRun, ScopeTime, Scopes, scope_times};
use ocr_place::simulate::{During, SimulatedBlock, SimulatedTask, TaskGraph, Uses};
use rustc_hash::FxHashMap;

/// A recorded run as a graph.
pub(super) struct ReplayGraph {
    pub(super) graph: TaskGraph,
    /// The number of each EDT's task; [`NOBODY`] for an EDT that has none, since it has not ended.
    pub(super) numbers: Vec<u32>,
    /// The task of each finish EDT whose scope has a join, and that join's.
    pub(super) joins: Vec<(u32, u32)>,
    /// How many tasks are EDTs of the recording; the others are supposed EDTs and joins.
    pub(super) edts: usize,
    /// The run with supposed EDTs, where there are any.
    pub(super) supposed: Option<RecordedRun>,
    /// For each task that is a finish EDT of two grains, what its function takes with its scope as a policy counts it.
    pub(super) scopes: FxHashMap<u32, ScopeTime>,
    /// How many EDTs could run in a place where it is not known how long they take.
    pub(super) unknown: usize,
    /// What was measured in the recorded run.
    pub(super) recorded: ReplayRow,
}

/// How many cores CPU devices had, by place.
struct DeviceUnits<'a>(FxHashMap<u8, DeviceCores<'a>>);

impl DeviceUnits<'_> {
    fn of(run: &RecordedRun) -> DeviceUnits<'_> {
        let places = run.devices.keys();
        DeviceUnits(places.filter_map(|&place| Some((place, run.cores_of_device(place)?))).collect())
    }

    /// How many nanoseconds an EDT took, or a kernel would have taken with all cores of its device's share. It had
    /// fewer if the workers had some of them at the time.
    fn time(&self, edt: &RecordedEdt) -> Option<u64> {
        let ns = edt.time()?;
        let Some(cores) = self.0.get(&edt.place) else {
            return Some(ns);
        };
        let had = cores.at(edt.begin + (edt.end - edt.begin) / 2).min(cores.share);
        Some((u128::from(ns) * u128::from(had) / u128::from(cores.share)) as u64)
    }
}

/// For each device, the time in which it ran at least one kernel, divided by the sum of its kernels' times. This is
/// less than 1 where its queues ran kernels at once. A simulated device runs them one after the other, so their times
/// are multiplied by it.
fn parts(run: &RecordedRun) -> FxHashMap<u8, f64> {
    let mut spans: FxHashMap<u8, Vec<(u64, u64)>> = FxHashMap::default();
    for edt in &run.edts {
        if edt.place != 0 && edt.time().is_some() {
            spans.entry(edt.place).or_default().push((edt.begin, edt.end));
        }
    }
    let part = |(place, mut spans): (u8, Vec<(u64, u64)>)| {
        spans.sort_unstable();
        let (mut sum, mut any, mut last) = (0.0, 0.0, 0);
        for (begin, end) in spans {
            sum += end.saturating_sub(begin) as f64;
            any += end.saturating_sub(begin.max(last)) as f64;
            last = last.max(end);
        }
        (place, if sum == 0.0 { 1.0 } else { any / sum })
    };
    spans.into_iter().map(part).collect()
}

/// The dependences among EDTs that ran, and joins. EDTs have the numbers that they have in the run, and joins those
/// after.
struct ReplayEdges {
    /// The task that is waited for, the task that waits, and the part of the first one's time that counts.
    all: Vec<(u32, u32, f32)>,
    /// The number of each scope's join, by the number of its finish EDT.
    joins: FxHashMap<u32, u32>,
}

/// The dependences of a run. A task that waits for a finish scope waits for a join, and that for all EDTs of the scope.
fn edges(run: &RecordedRun, scopes: &Scopes) -> ReplayEdges {
    let ran = |edt: u32| run.edts[edt as usize].time().is_some();
    let mut found = ReplayEdges { all: Vec::with_capacity(run.edges.len()), joins: FxHashMap::default() };
    let mut next = run.edts.len() as u32;
    let mut open = Vec::new();
    for edge in run.edges.iter().filter(|edge| ran(edge.from) && ran(edge.to)) {
        let first = &run.edts[edge.from as usize];
        let time = first.time().unwrap_or(0);
        if edge.at != NEVER && edge.at < first.end {
            let part = edge.at.saturating_sub(first.begin) as f64 / time.max(1) as f64;
            found.all.push((edge.from, edge.to, part.clamp(0.0, 1.0) as f32));
            continue;
        }
        let from = match scopes.awaited(run, edge.from, edge.to) {
            Some(scope) => *found.joins.entry(scope).or_insert_with(|| {
                open.push(scope);
                next += 1;
                next - 1
            }),
            None => edge.from,
        };
        found.all.push((from, edge.to, 1.0));
    }
    if found.joins.is_empty() {
        return found;
    }
    // The EDTs in each scope that a task waits for. Scopes inside such a scope have joins of their own.
    for number in 0..run.edts.len() as u32 {
        let scope = scopes.of[number as usize];
        if run.edts[number as usize].finish && found.joins.contains_key(&scope) {
            found.joins.entry(number).or_insert_with(|| {
                next += 1;
                next - 1
            });
        }
    }
    for number in 0..run.edts.len() as u32 {
        let own = found.joins.get(&number).copied();
        let its = found.joins.get(&scopes.of[number as usize]).copied();
        if let Some(join) = own.filter(|_| ran(number)) {
            found.all.push((number, join, 1.0));
        }
        match (own, its) {
            (Some(own), Some(its)) => found.all.push((own, its, 1.0)),
            (None, Some(its)) if ran(number) => found.all.push((number, its, 1.0)),
            _ => {}
        }
    }
    found
}

/// For each EDT and join, its number in an order in which each comes behind all that it waits for; [`NOBODY`] for an
/// EDT that has not ended. The error is a text for the user, where EDTs wait for each other.
fn order(run: &RecordedRun, edges: &ReplayEdges) -> Result<Vec<u32>, String> {
    let count = run.edts.len() + edges.joins.len();
    let is_task = |number: u32| match run.edts.get(number as usize) {
        Some(edt) => edt.time().is_some(),
        None => true,
    };
    let mut first = vec![0_u32; count + 1];
    let mut before = vec![0_u32; count];
    for &(from, to, _) in &edges.all {
        first[from as usize + 1] += 1;
        before[to as usize] += 1;
    }
    for task in 0..count {
        first[task + 1] += first[task];
    }
    let mut at = first.clone();
    let mut to = vec![0_u32; edges.all.len()];
    for edge in &edges.all {
        to[at[edge.0 as usize] as usize] = edge.1;
        at[edge.0 as usize] += 1;
    }
    let is_source = |task: &u32| before[*task as usize] == 0 && is_task(*task);
    let mut tasks: Vec<u32> = (0..count as u32).filter(is_source).collect();
    let mut next = 0;
    while let Some(&task) = tasks.get(next) {
        next += 1;
        for &to in &to[first[task as usize] as usize..first[task as usize + 1] as usize] {
            before[to as usize] -= 1;
            if before[to as usize] == 0 {
                tasks.push(to);
            }
        }
    }
    let all = (0..count as u32).filter(|&task| is_task(task)).count();
    if tasks.len() < all {
        return Err(format!(
            "the recording {} says that {} EDTs wait for each other, which cannot be",
            run.name,
            all - tasks.len()
        ));
    }
    let mut numbers = vec![NOBODY; count];
    for (number, &task) in tasks.iter().enumerate() {
        numbers[task as usize] = number as u32;
    }
    Ok(numbers)
}

/// A recorded run as a graph for a machine. The error is a text for the user.
pub(super) fn of(run: &RecordedRun, machine: &ReplayMachine) -> Result<ReplayGraph, String> {
    if run.edts.iter().all(|edt| edt.time().is_none()) {
        return Err(format!("in the recording {} no EDT has ended, so there is nothing to simulate", run.name));
    }
    let cores = DeviceUnits::of(run);
    let (medians, parts) = (Medians::by(run, |_, edt| cores.time(edt)), parts(run));
    let costs = RunCosts::of(run);
    let recorded = run;
    let (supposed, like) = recorded.supposed().map(|made| (made.run, made.like)).unzip();
    let run = supposed.as_ref().unwrap_or(recorded);
    let of_scopes = Scopes::of(run, recorded.edts.len());
    let edges = edges(run, &of_scopes);
    let numbers = order(run, &edges)?;
    // The recorded EDT that each EDT is, or is like.
    let model = |edt: usize| match edt.checked_sub(recorded.edts.len()) {
        Some(at) => like.as_ref().map_or(edt, |like| like[at] as usize),
        None => edt,
    };
    let count = numbers.iter().filter(|number| **number != NOBODY).count();
    let mut graph = TaskGraph {
        tasks: vec![SimulatedTask::default(); count],
        blocks: (run.block_bytes.iter().map(|&bytes| SimulatedBlock { bytes })).collect(),
        // One template more, for EDTs whose template is not known.
        templates: run.templates.len() as u32 + 1,
    };
    let (mut edts, mut unknown, mut nowhere) = (0, 0, 0);
    for (of_run, (edt, &number)) in run.edts.iter().zip(&numbers).enumerate() {
        if number == NOBODY {
            continue;
        }
        edts += usize::from(of_run < recorded.edts.len());
        let template = run.templates.get(edt.template as usize);
        let could = template.map_or(0, |template| template.places);
        let may = |place: u8| place == edt.place || place < 64 && could >> place & 1 != 0;
        let mut is_unknown = false;
        let mut time = |place: u8, speed: f64| {
            let ns = if edt.place == place {
                cores.time(edt)
            } else {
                let ns = medians.at(edt.template, place, edt.bytes);
                ns.filter(|_| may(place))
            };
            let part = parts.get(&place).copied().unwrap_or(1.0);
            is_unknown |= may(place) && ns.is_none();
            ns.map(|ns| (ns as f64 * part / speed).round() as u64)
        };
        let host = time(0, 1.0);
        let devices = machine.like.iter().map(|&(place, speed)| time(place, speed));
        let task = &mut graph.tasks[number as usize];
        task.ns = std::iter::once(host).chain(devices).collect();
        let like = machine.like.iter().map(|&(place, _)| place);
        task.costs = std::iter::once(0).chain(like).map(|place| costs.at(model(of_run), edt, place)).collect();
        task.template = edt.template.min(run.templates.len() as u32);
        unknown += usize::from(is_unknown && of_run < recorded.edts.len());
        nowhere += usize::from(task.ns.iter().all(Option::is_none));
    }
    if nowhere != 0 {
        return Err(format!(
            "{nowhere} EDTs ran on a device that this machine does not have, and how long they take elsewhere is not known; \
             record a run in which they run on the workers or on device 0"
        ));
    }
    for uses in &run.uses {
        if let Some(task) = graph.tasks.get_mut(numbers[uses.edt as usize] as usize) {
            task.blocks.push(Uses { block: uses.block, writes: uses.writes });
        }
    }
    for &(from, to, part) in &edges.all {
        let [from, successor] = [from, to].map(|task| numbers[task as usize]);
        let task = &mut graph.tasks[from as usize];
        if part < 1.0 && !task.is_join() {
            task.during.push(During { successor, part });
        } else {
            task.successors.push(successor);
        }
    }
    let joins = edges.joins.iter().map(|(&head, &join)| (numbers[head as usize], numbers[join as usize])).collect();
    let mut numbers = numbers;
    numbers.truncate(run.edts.len());
    enter_scopes(run, &of_scopes, &numbers, &mut graph);
    let scopes = scope_times(recorded, &of_scopes);
    let scopes = scopes.into_iter().map(|(head, time)| (numbers[head as usize], time)).collect();
    Ok(ReplayGraph { graph, numbers, joins, edts, scopes, unknown, recorded: measured(recorded), supposed })
}

/// Enters in which scope each task is, of the finish EDTs that can run on the host and on a device.
fn enter_scopes(run: &RecordedRun, scopes: &Scopes, numbers: &[u32], graph: &mut TaskGraph) {
    let mut around: Vec<Option<u32>> = vec![None; run.edts.len()];
    for edt in 0..run.edts.len() {
        let scope = scopes.of[edt];
        let Some(finish) = run.edts.get(scope as usize) else {
            continue;
        };
        let its = numbers[scope as usize];
        let ns = graph.tasks.get(its as usize).map_or(&[][..], |task| &task.ns);
        let has_both = run.is_of_two_grains(finish) && ns.iter().flatten().count() > 1 && ns[0].is_some();
        around[edt] = if has_both { Some(its) } else { around[scope as usize] };
        if let Some(task) = graph.tasks.get_mut(numbers[edt] as usize) {
            // Where records are missing, an EDT may not wait for the one that has created it.
            task.within = around[edt].filter(|&head| head < numbers[edt]);
        }
    }
}

/// What was measured in the recorded run, as a row beside those of policies.
fn measured(run: &RecordedRun) -> ReplayRow {
    let places = usize::from(run.devices.keys().copied().max().unwrap_or(0)) + 1;
    let (mut edts, mut busy) = (vec![0; places], vec![0_u64; places]);
    let (mut first, mut last) = (u64::MAX, 0);
    for edt in &run.edts {
        if let (Some(ns), place) = (edt.time(), usize::from(edt.place))
            && place < places
        {
            edts[place] += 1;
            busy[place] = busy[place].saturating_add(ns);
            (first, last) = (first.min(edt.begin), last.max(edt.end));
        }
    }
    let ns = last.saturating_sub(first);
    let about = |name: &str| run.about.get(name).map_or("", String::as_str);
    ReplayRow {
        policy: about("sched").to_string(),
        seconds: ns as f64 / 1e9,
        edts,
        busy: shares(&busy, ns, super::machine::workers(run)),
        bytes_moved: (run.copies.iter()).fold(0, |all, copy| all.saturating_add(copy.bytes)),
    }
}
