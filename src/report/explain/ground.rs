//! What all explanations of a run look up: its units and what ran on them, medians, copies by EDT, dependences by where they
//! lead.

use crate::report::recorded::{Edge, Edt, Estimate, Medians, NEVER, Run};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// Times of two threads, or of a device and the host, may be wrong by so many nanoseconds.
const TOLERANCE: u64 = 5_000;

/// A worker, or a lane of a device.
pub(super) struct Unit {
    pub(super) place: u8,
    pub(super) name: String,
    /// The EDTs that ran there, in the order of time.
    pub(super) edts: Vec<u32>,
    /// Nanoseconds in them.
    pub(super) busy: u64,
}

/// Copies that were made for an EDT.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Copies {
    /// When the first began, and when the last had ended.
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) bytes: u64,
}

pub(super) struct Ground<'a> {
    pub(super) run: &'a Run,
    pub(super) medians: Medians,
    /// The EDTs that have ended, by number.
    pub(super) ran: Vec<u32>,
    /// When the first of them began, and when the last had ended.
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) units: Vec<Unit>,
    /// How many units each place has.
    pub(super) places: BTreeMap<u8, usize>,
    copies: FxHashMap<u32, Copies>,
    /// Nanoseconds for each byte that is copied to a device or from it; of devices that copy nothing there is none.
    links: BTreeMap<u8, f64>,
    /// The dependences that lead to each EDT: `edges[first[edt]..first[edt + 1]]`.
    first: Vec<u32>,
    edges: Vec<Edge>,
}

impl<'a> Ground<'a> {
    /// None where no EDT has ended.
    pub(super) fn of(run: &'a Run) -> Option<Ground<'a>> {
        let numbers = 0..run.edts.len() as u32;
        let ran: Vec<u32> = numbers
            .filter(|&edt| run.edts[edt as usize].time().is_some())
            .collect();
        let edts = ran.iter().map(|&edt| &run.edts[edt as usize]);
        let begin = edts.clone().map(|edt| edt.begin).min()?;
        let end = edts.map(|edt| edt.end).max()?;
        let units = units(run, &ran);
        let mut places = BTreeMap::new();
        for unit in &units {
            *places.entry(unit.place).or_default() += 1;
        }
        let (first, edges) = incoming(run);
        Some(Ground {
            medians: Medians::of(run),
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

    pub(super) fn edt(&self, number: u32) -> &'a Edt {
        &self.run.edts[number as usize]
    }

    /// From the begin of the first EDT to the end of the last.
    pub(super) fn span(&self) -> u64 {
        (self.end - self.begin).max(1)
    }

    /// The places of the run where an EDT may run.
    pub(super) fn places_of(&self, edt: &Edt) -> impl Iterator<Item = u8> {
        let template = self.run.templates.get(edt.template as usize);
        let bits = template.map_or(0, |template| template.places);
        let may = move |place: &u8| *place < 64 && bits >> *place & 1 != 0;
        self.places.keys().copied().filter(may)
    }

    /// Whether an EDT may run in more than one place of the run.
    pub(super) fn has_choice(&self, edt: &Edt) -> bool {
        self.places_of(edt).nth(1).is_some()
    }

    /// What an EDT takes in a place: what it took where it ran, and elsewhere the median.
    pub(super) fn time_at(&self, edt: &Edt, place: u8) -> Option<u64> {
        if edt.place == place && edt.time().is_some() {
            return edt.time();
        }
        self.medians.at(edt.template, place, edt.bytes)
    }

    /// The copies that were made for an EDT.
    pub(super) fn copies_for(&self, edt: u32) -> Option<Copies> {
        self.copies.get(&edt).copied()
    }

    /// What the blocks of an EDT take at most to get to a place, if it ran elsewhere: as if all of them had to move.
    pub(super) fn copies_to(&self, edt: &Edt, place: u8) -> u64 {
        let ns = |device: u8| {
            let link = self.links.get(&device).copied().unwrap_or(0.0);
            (edt.bytes as f64 * link) as u64
        };
        [edt.place, place]
            .into_iter()
            .filter(|place| *place != 0)
            .map(ns)
            .sum()
    }

    /// When an EDT had all that it needed to begin.
    pub(super) fn ready(&self, number: u32) -> u64 {
        let edt = self.edt(number);
        let brought = self.copies_for(number).map_or(NEVER, |copies| copies.end);
        let times = [edt.runnable, edt.granted, edt.fetch[1], brought];
        let known = times.into_iter().filter(|&time| time != NEVER);
        known.max().unwrap_or(edt.begin).min(edt.begin)
    }

    /// When the first EDT of a dependence had done what the second waited for.
    pub(super) fn done(&self, edge: &Edge) -> u64 {
        match edge.at {
            NEVER => self.edt(edge.from).end,
            at => at,
        }
    }

    /// What an EDT waited for last.
    pub(super) fn last_before(&self, edt: u32) -> Option<Edge> {
        let [from, to] = [edt, edt + 1].map(|at| self.first[at as usize] as usize);
        let edges = self.edges[from..to].iter();
        let done = edges.filter(|edge| self.done(edge) != NEVER);
        done.max_by_key(|edge| self.done(edge)).copied()
    }

    /// When it was decided last where an EDT goes, and what was expected then; nothing, and when it became runnable, where the policy
    /// does not estimate.
    pub(super) fn decided(&self, number: u32) -> (u64, &'a [Estimate]) {
        let edt = self.edt(number);
        let all = self.run.estimates_of(number);
        let last = choices(all).last().unwrap_or_default();
        let at = last.first().map_or(edt.runnable, |first| first.at);
        (at.min(edt.begin), last)
    }
}

/// The choices of one EDT: each has the places that were considered.
pub(super) fn choices(estimates: &[Estimate]) -> impl Iterator<Item = &[Estimate]> {
    estimates.chunk_by(|_, next| !next.is_first)
}

fn units(run: &Run, ran: &[u32]) -> Vec<Unit> {
    let mut units: BTreeMap<(u8, u32), Unit> = BTreeMap::new();
    let new = |place: u8, name: String| Unit {
        place,
        name,
        edts: Vec::new(),
        busy: 0,
    };
    for (&owner, thread) in run.threads.iter().filter(|(_, thread)| thread.is_worker) {
        units.insert((0, owner), new(0, thread.name.clone()));
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
            new(edt.place, name)
        });
        unit.edts.push(number);
        unit.busy += edt.time().unwrap_or(0);
    }
    for &place in run.devices.keys() {
        if !units.keys().any(|(other, _)| *other == place) {
            units.insert((place, 0), new(place, run.place_name(place)));
        }
    }
    let workers = run
        .about
        .get("workers")
        .and_then(|count| count.parse().ok());
    let there = units.keys().filter(|(place, _)| *place == 0).count();
    // A worker that has run nothing has written nothing.
    for more in there..workers.unwrap_or(there) {
        let name = format!("worker {more}");
        units.insert((0, u32::MAX - more as u32), new(0, name));
    }
    let mut units: Vec<Unit> = units.into_values().collect();
    for unit in &mut units {
        unit.edts.sort_by_key(|&edt| run.edts[edt as usize].begin);
    }
    units
}

fn incoming(run: &Run) -> (Vec<u32>, Vec<Edge>) {
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

fn links(run: &Run) -> BTreeMap<u8, f64> {
    let mut sums: BTreeMap<u8, (u64, u64)> = BTreeMap::new();
    for copy in &run.copies {
        let (bytes, ns) = sums.entry(copy.place).or_default();
        *bytes += copy.bytes;
        *ns += copy.end.saturating_sub(copy.begin);
    }
    let links = sums.into_iter().filter(|(_, (bytes, _))| *bytes != 0);
    links
        .map(|(place, (bytes, ns))| (place, ns as f64 / bytes as f64))
        .collect()
}

/// Each copy is for the EDT that uses the block next, where it was brought.
fn copies(run: &Run) -> FxHashMap<u32, Copies> {
    let mut users: FxHashMap<u64, Vec<(u64, u32)>> = FxHashMap::default();
    if !run.copies.is_empty() {
        for uses in &run.uses {
            let edt = &run.edts[uses.edt as usize];
            if let (Some(&guid), true) =
                (run.block_guids.get(uses.block as usize), edt.begin != NEVER)
            {
                users.entry(guid).or_default().push((edt.begin, uses.edt));
            }
        }
    }
    for users in users.values_mut() {
        users.sort_unstable();
        users.dedup();
    }
    let mut found: FxHashMap<u32, Copies> = FxHashMap::default();
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
        let its = found.entry(edt).or_insert(Copies {
            begin: copy.begin,
            end: copy.end,
            bytes: 0,
        });
        its.begin = its.begin.min(copy.begin);
        its.end = its.end.max(copy.end);
        its.bytes += copy.bytes;
    }
    found
}
