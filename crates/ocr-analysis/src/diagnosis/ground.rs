//! What all explanations of a run look up: its units and what ran on them, medians, the copies for each EDT, and the
//! dependences that lead to each EDT.

use crate::recorded::{
    Edge, Medians, NEVER, RecordedEdt, RecordedEstimate, RecordedRun, ScopeTime, Scopes, scope_times,
};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// By how many nanoseconds the times of two threads, or of a device and the host, may differ wrongly.
const TOLERANCE: u64 = 5_000;

/// A worker, or a lane of a device.
pub(crate) struct Unit {
    /// The number of the place that the unit belongs to.
    pub(crate) place: u8,
    /// The number of the worker's thread in the recording, or of the device's lane.
    pub(crate) lane: u32,
    /// The name of the thread or the device.
    pub(crate) name: String,
    /// The numbers of the EDTs that ran on the unit, in the order of time.
    pub(crate) edts: Vec<u32>,
    /// How many nanoseconds the unit ran EDTs.
    pub(crate) busy: u64,
}

/// Copies that were made for an EDT.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct EdtCopies {
    /// When the first of the copies began, in nanoseconds since the begin of the run.
    pub(crate) begin: u64,
    /// When the last of the copies had ended, in nanoseconds since the begin of the run.
    pub(crate) end: u64,
    /// How many bytes were copied.
    pub(crate) bytes: u64,
}

/// A recorded run with what explanations look up. Times are in nanoseconds since the begin of the run.
pub(crate) struct Ground<'a> {
    pub(crate) run: &'a RecordedRun,
    pub(crate) medians: Medians,
    /// What finish EDTs of two grains took as functions.
    scopes: FxHashMap<u32, ScopeTime>,
    /// The numbers of the EDTs that have ended.
    pub(crate) ran: Vec<u32>,
    /// When the first of these EDTs began.
    pub(crate) begin: u64,
    /// When the last of these EDTs had ended.
    pub(crate) end: u64,
    pub(crate) units: Vec<Unit>,
    /// How many units each place has, by the place's number.
    pub(crate) places: BTreeMap<u8, usize>,
    /// The copies that were made for each EDT.
    copies: FxHashMap<u32, EdtCopies>,
    /// Nanoseconds for each byte that is copied to a device or from it, by the device's place. A device that copies
    /// nothing is not there.
    links: BTreeMap<u8, f64>,
    /// For each EDT, the index in `edges` of the first dependence that leads to it; at the end, the number of
    /// dependences.
    first: Vec<u32>,
    /// The dependences, in the order of the EDTs that they lead to.
    edges: Vec<Edge>,
}

impl<'a> Ground<'a> {
    /// Looks up everything for a run. None where no EDT has ended.
    pub(crate) fn of(run: &'a RecordedRun) -> Option<Ground<'a>> {
        let numbers = 0..run.edts.len() as u32;
        let ran: Vec<u32> = numbers.filter(|&edt| run.edts[edt as usize].time().is_some()).collect();
        let edts = ran.iter().map(|&edt| &run.edts[edt as usize]);
        let begin = edts.clone().map(|edt| edt.begin).min()?;
        let end = edts.map(|edt| edt.end).max()?;
        let units = units(run, &ran);
        let mut places = BTreeMap::new();
        for unit in &units {
            *places.entry(unit.place).or_default() += 1;
        }
        let (first, edges) = incoming(run);
        let scopes = scope_times(run, &Scopes::of(run, run.edts.len()));
        Some(Ground {
            medians: Medians::by(run, |number, edt| {
                scopes.get(&number).map_or_else(|| edt.time(), |scope| Some(scope.ns))
            }),
            scopes,
            copies: copies(run),
            links: links(run),
            run,
            ran,
            begin,
            end,
            units,
            places,
            first,
            edges,
        })
    }

    pub(crate) fn edt(&self, number: u32) -> &'a RecordedEdt {
        &self.run.edts[number as usize]
    }

    /// The time from the begin of the first EDT to the end of the last, in nanoseconds; at least 1.
    pub(crate) fn span(&self) -> u64 {
        self.end.saturating_sub(self.begin).max(1)
    }

    /// The time of the longest EDT that a worker ran, in nanoseconds.
    pub(crate) fn longest_on_host(&self) -> u64 {
        let ran = self.ran.iter().map(|&edt| self.edt(edt));
        let times = ran.filter(|edt| edt.place == 0).filter_map(RecordedEdt::time);
        times.max().unwrap_or(0)
    }

    /// The places of the run where an EDT may run.
    pub(crate) fn places_of(&self, edt: &RecordedEdt) -> impl Iterator<Item = u8> {
        let template = self.run.templates.get(edt.template as usize);
        let bits = template.map_or(0, |template| template.places);
        let may = move |place: &u8| *place < 64 && bits >> *place & 1 != 0;
        self.places.keys().copied().filter(may)
    }

    /// Whether an EDT may run in more than one place of the run.
    pub(crate) fn has_choice(&self, edt: &RecordedEdt) -> bool {
        self.places_of(edt).nth(1).is_some()
    }

    /// How many nanoseconds an EDT took: a finish EDT of two grains that ran as a function, until its scope closed, or
    /// its share where others were open. None where it has not ended.
    pub(crate) fn took(&self, number: u32) -> Option<u64> {
        self.scopes.get(&number).map_or_else(|| self.edt(number).time(), |scope| Some(scope.ns))
    }

    /// When an EDT has ended, or its scope has closed.
    pub(crate) fn ended(&self, number: u32) -> u64 {
        self.scopes.get(&number).map_or_else(|| self.edt(number).end, |scope| scope.end)
    }

    /// Whether the workers do the work of a template's functions together, by any EDT of it that has ended.
    pub(crate) fn spreads(&self, template: u32) -> bool {
        self.ran.iter().any(|&number| {
            let works_alone = self.scopes.get(&number).is_some_and(|scope| scope.works_alone);
            let edt = self.edt(number);
            edt.template == template && !works_alone && self.run.is_of_two_grains(edt)
        })
    }

    /// How many nanoseconds an EDT takes in a place: what it took where it ran, and the median elsewhere. None where
    /// that is not known.
    pub(crate) fn time_at(&self, number: u32, place: u8) -> Option<u64> {
        let edt = self.edt(number);
        if edt.place == place && edt.time().is_some() {
            return self.took(number);
        }
        self.medians.at(edt.template, place, edt.bytes)
    }

    /// The copies that were made for an EDT. None if nothing was copied.
    pub(crate) fn copies_for(&self, edt: u32) -> Option<EdtCopies> {
        self.copies.get(&edt).copied()
    }

    /// How many nanoseconds the blocks of an EDT take at most to get from where it ran to a place, as if all had to
    /// move.
    pub(crate) fn copies_to(&self, edt: &RecordedEdt, place: u8) -> u64 {
        let ns = |device: u8| {
            let link = self.links.get(&device).copied().unwrap_or(0.0);
            (edt.bytes as f64 * link) as u64
        };
        [edt.place, place].into_iter().filter(|place| *place != 0).map(ns).sum()
    }

    /// When an EDT had all that it needed to begin, in nanoseconds since the begin of the run.
    pub(crate) fn ready(&self, number: u32) -> u64 {
        let edt = self.edt(number);
        let brought = self.copies_for(number).map_or(NEVER, |copies| copies.end);
        let times = [edt.runnable, edt.granted, edt.fetch[1], brought];
        let known = times.into_iter().filter(|&time| time != NEVER);
        known.max().unwrap_or(edt.begin).min(edt.begin)
    }

    /// When the first EDT of a dependence had done what the second one waited for; [`NEVER`] if that is not recorded.
    pub(crate) fn done(&self, edge: &Edge) -> u64 {
        match edge.at {
            NEVER => self.edt(edge.from).end,
            at => at,
        }
    }

    /// The dependences that lead to an EDT.
    pub(crate) fn edges_to(&self, edt: u32) -> &[Edge] {
        let [from, to] = [edt, edt + 1].map(|at| self.first[at as usize] as usize);
        &self.edges[from..to]
    }

    /// The dependence of an EDT that was satisfied last. None if the EDT waited for no other.
    pub(crate) fn last_before(&self, edt: u32) -> Option<Edge> {
        let done = self.edges_to(edt).iter().filter(|edge| self.done(edge) != NEVER);
        done.max_by_key(|edge| self.done(edge)).copied()
    }

    /// When the policy decided last where an EDT goes, and what it expected of the places then. Where the policy does
    /// not estimate, when the EDT became runnable, and no places.
    pub(crate) fn decided(&self, number: u32) -> (u64, &'a [RecordedEstimate]) {
        let edt = self.edt(number);
        let all = self.run.estimates_of(number);
        let last = choices(all).last().unwrap_or_default();
        let at = last.first().map_or(edt.runnable, |first| first.at);
        (at.min(edt.begin), last)
    }
}

/// The choices for one EDT, each with the places that were considered.
pub(crate) fn choices(estimates: &[RecordedEstimate]) -> impl Iterator<Item = &[RecordedEstimate]> {
    estimates.chunk_by(|_, next| !next.is_first)
}

/// The units of a run, those that have run nothing included.
fn units(run: &RecordedRun, ran: &[u32]) -> Vec<Unit> {
    let mut units: BTreeMap<(u8, u32), Unit> = BTreeMap::new();
    let new = |place: u8, lane: u32, name: String| Unit { place, lane, name, edts: Vec::new(), busy: 0 };
    for (&owner, thread) in run.threads.iter().filter(|(_, thread)| thread.is_worker) {
        units.insert((0, owner), new(0, owner, thread.name.clone()));
    }
    for &number in ran {
        let edt = &run.edts[number as usize];
        let unit = units.entry((edt.place, edt.lane)).or_insert_with(|| {
            let thread = run.threads.get(&edt.lane).filter(|_| edt.place == 0);
            let name = match (edt.place, thread) {
                (_, Some(thread)) => thread.name.clone(),
                (0, None) => format!("worker {}", edt.lane),
                (place, None) => run.place_name(place),
            };
            new(edt.place, edt.lane, name)
        });
        unit.edts.push(number);
        unit.busy += edt.time().unwrap_or(0);
    }
    for &place in run.devices.keys() {
        if !units.keys().any(|(other, _)| *other == place) {
            units.insert((place, 0), new(place, 0, run.place_name(place)));
        }
    }
    let there = units.keys().filter(|(place, _)| *place == 0).count();
    // A worker that has run nothing has written no record, so it is not among the units yet.
    for more in there..run.worker_count().unwrap_or(there) {
        let name = format!("worker {more}");
        units.insert((0, u32::MAX - more as u32), new(0, u32::MAX - more as u32, name));
    }
    let mut units: Vec<Unit> = units.into_values().collect();
    for unit in &mut units {
        unit.edts.sort_by_key(|&edt| run.edts[edt as usize].begin);
    }
    units
}

/// The dependences in the order of the EDTs that they lead to, and the index of the first one of each EDT.
fn incoming(run: &RecordedRun) -> (Vec<u32>, Vec<Edge>) {
    let count = run.edts.len();
    let mut first = vec![0; count + 1];
    for edge in &run.edges {
        first[edge.to as usize + 1] += 1;
    }
    for edt in 0..count {
        first[edt + 1] += first[edt];
    }
    let mut edges = run.edges.clone();
    edges.sort_by_key(|edge| edge.to);
    (first, edges)
}

/// Nanoseconds for each byte that was copied to a device or from it, by the device's place.
fn links(run: &RecordedRun) -> BTreeMap<u8, f64> {
    let mut sums: BTreeMap<u8, (u64, u64)> = BTreeMap::new();
    for copy in &run.copies {
        let (bytes, ns) = sums.entry(copy.place).or_default();
        *bytes += copy.bytes;
        *ns += copy.end.saturating_sub(copy.begin);
    }
    let links = sums.into_iter().filter(|(_, (bytes, _))| *bytes != 0);
    links.map(|(place, (bytes, ns))| (place, ns as f64 / bytes as f64)).collect()
}

/// The copies that were made for each EDT. A copy is taken to be for the EDT that uses the block next in the place to
/// which it was brought.
fn copies(run: &RecordedRun) -> FxHashMap<u32, EdtCopies> {
    let mut users: FxHashMap<u64, Vec<(u64, u32)>> = FxHashMap::default();
    if !run.copies.is_empty() {
        for uses in &run.uses {
            let edt = &run.edts[uses.edt as usize];
            if let (Some(&guid), true) = (run.block_guids.get(uses.block as usize), edt.begin != NEVER) {
                users.entry(guid).or_default().push((edt.begin, uses.edt));
            }
        }
    }
    for users in users.values_mut() {
        users.sort_unstable();
        users.dedup();
    }
    let mut found: FxHashMap<u32, EdtCopies> = FxHashMap::default();
    for copy in &run.copies {
        let Some(users) = users.get(&copy.block) else {
            continue;
        };
        let next = users.partition_point(|(begin, _)| begin + TOLERANCE < copy.end);
        let at = |edt: u32| run.edts[edt as usize].place;
        let wants = |&&(_, edt): &&(u64, u32)| (at(edt) == copy.place) == copy.to_device;
        let Some(&(_, edt)) = users[next..].iter().find(wants) else {
            continue;
        };
        let its = found.entry(edt).or_insert(EdtCopies { begin: copy.begin, end: copy.end, bytes: 0 });
        its.begin = its.begin.min(copy.begin);
        its.end = its.end.max(copy.end);
        its.bytes += copy.bytes;
    }
    found
}
