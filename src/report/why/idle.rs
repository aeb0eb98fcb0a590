//! Where the time of a run went: how long workers and devices ran EDTs, and why they were idle otherwise.
//!
//! The time is that from the begin of the first EDT to the end of the last. A *unit* runs one EDT at a time: a worker, or a
//! device with all its queues together, which is busy while it runs any kernel. At each moment each idle unit has one cause,
//! the first of these that applies:
//!
//! 1. *starting*: the unit's next EDT has all that it needs and has been given to this unit, and has not begun. That is
//!    what the runtime, the system and the driver need.
//! 2. *data*: an EDT that could run there is runnable and waits for a block that another holds; or one that was given to
//!    this place waits until its blocks have been brought.
//! 3. *placement*: an EDT that could run there is runnable, and the policy keeps it, or it waits at another place, or in the
//!    queue of another unit that is busy.
//! 4. *dependences*: an EDT that could run there has been created and is not runnable.
//! 5. *no work*: the program has created nothing that could run there and has not begun.
//!
//! A worker that has ended, as one that has given its core to a device, is not there from then on.
//!
//! For 2 to 4 an EDT explains one idle unit of each place: of seven idle workers beside one EDT that waits for data,
//! one waits for data, and the next cause is looked for for the other six. So the sum of all causes and of the busy time is
//! the time of the run times the number of units, where these were there all the time.
//!
//! An EDT *could run* in a place if its template can, by the recording, or if it ran there.

use crate::report::recorded::{Edt, NEVER, Run, Thread};
use serde::Serialize;
use std::collections::BTreeMap;

/// Into how many equal parts a run is divided, to see what changes during it.
pub const PARTS: usize = 256;

/// Why a unit was idle.
#[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "snake_case")]
pub enum Idleness {
    /// The runtime, the system or the driver was about to begin the next EDT.
    Starting,
    /// Blocks were held by others, or were being brought.
    Data,
    /// What could run waited elsewhere.
    Placement,
    /// What was there waited for other EDTs.
    Dependences,
    /// Nothing was there.
    NoWork,
}

impl Idleness {
    /// All, in the order in which they are looked for.
    pub const ALL: [Idleness; 5] = [
        Idleness::Starting,
        Idleness::Data,
        Idleness::Placement,
        Idleness::Dependences,
        Idleness::NoWork,
    ];

    /// In a few words.
    pub fn text(self) -> &'static str {
        match self {
            Idleness::Starting => "starting EDTs",
            Idleness::Data => "waiting for data",
            Idleness::Placement => "EDTs waited elsewhere",
            Idleness::Dependences => "dependences",
            Idleness::NoWork => "no work",
        }
    }
}

/// Where the time of a place went, in nanoseconds summed over its units.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceTime {
    /// The place: 0 the workers, else a device.
    pub place: u8,
    /// What it is called.
    pub name: String,
    /// How many EDTs it can run at once, on average over the run: a device counts as one.
    pub units: u32,
    /// In EDTs.
    pub busy: u64,
    /// Idle, for each of [`Idleness::ALL`].
    pub idle: [u64; 5],
    /// The same for each of [`PARTS`] equal parts of the run, one after the other.
    pub parts: Vec<[u64; 5]>,
}

impl PlaceTime {
    /// Idle for this cause.
    pub fn of(&self, cause: Idleness) -> u64 {
        self.idle[cause as usize]
    }

    /// All of its time.
    pub fn all(&self) -> u64 {
        self.busy.saturating_add(total(self.idle))
    }

    /// A part of the place's time as a part of the run's: that of one unit, on average.
    pub fn each(&self, ns: u64) -> u64 {
        ns / u64::from(self.units.max(1))
    }
}

/// A sum that ends at the largest number: times of a damaged recording may be anything.
pub(super) fn total(times: impl IntoIterator<Item = u64>) -> u64 {
    times.into_iter().fold(0, u64::saturating_add)
}

/// Where the time of a run went.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    /// When the first EDT began, and when the last ended.
    pub span: [u64; 2],
    /// The places, the workers first.
    pub places: Vec<PlaceTime>,
}

impl Times {
    /// From the begin of the first EDT to the end of the last.
    pub fn ns(&self) -> u64 {
        self.span[1] - self.span[0]
    }
}

/// What ran one after the other in one unit.
struct Unit {
    /// When the unit was busy: the pieces do not overlap.
    busy: Vec<[u64; 2]>,
    /// Until when it was there.
    until: u64,
}

/// What is counted while time goes on.
#[derive(Clone, Copy)]
enum Count {
    Idle,
    Starting,
    Data,
    Elsewhere,
    Waiting,
}

/// A count changes.
struct Change {
    at: u64,
    count: Count,
    by: i32,
}

/// The changes at one place.
struct Changes {
    span: [u64; 2],
    all: Vec<Change>,
}

impl Changes {
    /// One more from here to there.
    fn add(&mut self, count: Count, from: u64, to: u64, by: i32) {
        let [first, last] = self.span;
        let (from, to) = (from.clamp(first, last), to.clamp(first, last));
        if from < to {
            self.all.push(Change {
                at: from,
                count,
                by,
            });
            let by = -by;
            self.all.push(Change { at: to, count, by });
        }
    }
}

/// The moments of an EDT that count here, each not before the one before it.
struct Moments {
    created: u64,
    runnable: u64,
    granted: u64,
    /// It has been given to where it runs; from then on its blocks are brought.
    given: u64,
    brought: u64,
    begin: u64,
}

impl Moments {
    fn of(edt: &Edt, brought: [u64; 2]) -> Moments {
        let begin = edt.begin;
        let or = |time: u64, other: u64| if time == NEVER { other } else { time };
        let runnable = edt.runnable.min(begin);
        let created = or(edt.created, runnable).min(runnable);
        let granted = or(edt.granted, runnable).clamp(runnable, begin.max(runnable));
        let limit = begin.max(granted);
        // A worker asks for blocks; to a device they are copied when it has been given the EDT.
        let given = match edt.place {
            0 => or(brought[0], or(edt.placed, granted)),
            _ => or(edt.launched, or(brought[0], granted)),
        };
        let given = given.clamp(granted, limit);
        Moments {
            created,
            runnable,
            granted,
            given,
            brought: match brought {
                [NEVER, _] => given,
                [_, end] => end.clamp(given, limit),
            },
            begin,
        }
    }
}

/// The units of each place, and for each EDT until when its unit was busy before.
struct Units {
    places: BTreeMap<u8, Vec<Unit>>,
    before: Vec<u64>,
}

impl Units {
    fn of(run: &Run, span: [u64; 2]) -> Units {
        let mut ran: BTreeMap<(u8, u32), Vec<u32>> = BTreeMap::new();
        for (owner, _) in run.workers() {
            ran.insert((0, owner), Vec::new());
        }
        for place in run.devices.keys() {
            ran.insert((*place, 0), Vec::new());
        }
        for (number, edt) in run.edts.iter().enumerate() {
            if edt.begin != NEVER {
                let lane = if edt.place == 0 { edt.lane } else { 0 };
                ran.entry((edt.place, lane))
                    .or_default()
                    .push(number as u32);
            }
        }
        let mut units = Units {
            places: BTreeMap::from([(0, Vec::new())]),
            before: vec![NEVER; run.edts.len()],
        };
        for ((place, lane), mut edts) in ran {
            edts.sort_by_key(|&edt| run.edts[edt as usize].begin);
            let mut busy: Vec<[u64; 2]> = Vec::new();
            let mut last = 0;
            for edt in edts {
                let its = &run.edts[edt as usize];
                units.before[edt as usize] = last;
                let end = if its.end == NEVER { span[1] } else { its.end };
                match busy.last_mut() {
                    Some(piece) if its.begin <= piece[1] => piece[1] = piece[1].max(end),
                    _ => busy.push([its.begin, end]),
                }
                last = last.max(end);
            }
            let done = run.threads.get(&lane).filter(|_| place == 0);
            let done = done.and_then(|thread| thread.done).unwrap_or(NEVER);
            let until = done.clamp(last.max(span[0]), span[1].max(last));
            units
                .places
                .entry(place)
                .or_default()
                .push(Unit { busy, until });
        }
        units
    }
}

impl Run {
    /// The threads that were workers for half of the run or more, or ran EDTs.
    pub fn workers(&self) -> impl Iterator<Item = (u32, &Thread)> {
        let middle = span(self).map_or(0, |[first, last]| first + (last - first) / 2);
        let counts = move |thread: &Thread| {
            thread.is_worker && (thread.edts != 0 || thread.done.is_none_or(|at| at >= middle))
        };
        let threads = self.threads.iter();
        threads
            .filter(move |(_, thread)| counts(thread))
            .map(|(owner, thread)| (*owner, thread))
    }
}

/// The time from the begin of the first EDT to the end of the last; none where none has ended.
fn span(run: &Run) -> Option<[u64; 2]> {
    let ended = || run.edts.iter().filter(|edt| edt.time().is_some());
    let first = ended().map(|edt| edt.begin).min()?;
    let last = ended().map(|edt| edt.end).max()?;
    Some([first, last.max(first)])
}

/// What changes at a place.
fn changes(
    run: &Run,
    place: u8,
    units: &Units,
    moments: &[Moments],
    span: [u64; 2],
) -> Vec<Change> {
    let mut changes = Changes {
        span,
        all: Vec::new(),
    };
    for unit in &units.places[&place] {
        changes.add(Count::Idle, span[0], unit.until, 1);
        for [begin, end] in &unit.busy {
            changes.add(Count::Idle, *begin, *end, -1);
        }
    }
    for ((edt, its), &before) in run.edts.iter().zip(moments).zip(&units.before) {
        let is_here = edt.place == place;
        let template = run.templates.get(edt.template as usize);
        let places = template.map_or(0, |template| template.places);
        if !is_here && (place >= 64 || places >> place & 1 == 0) {
            continue;
        }
        changes.add(Count::Waiting, its.created, its.runnable, 1);
        changes.add(Count::Data, its.runnable, its.granted, 1);
        changes.add(Count::Elsewhere, its.granted, its.given, 1);
        if !is_here || its.begin == NEVER {
            changes.add(Count::Elsewhere, its.given, its.begin, 1);
            continue;
        }
        changes.add(Count::Data, its.given, its.brought, 1);
        let free = before.clamp(its.brought, its.begin);
        changes.add(Count::Elsewhere, its.brought, free, 1);
        changes.add(Count::Starting, free, its.begin, 1);
    }
    changes.all.sort_unstable_by_key(|change| change.at);
    changes.all
}

/// How many of so many idle units have which cause.
fn causes(counts: [i64; 5]) -> [u64; 5] {
    let [mut idle, limits @ ..] = counts;
    let mut causes = [0; 5];
    for (cause, limit) in causes.iter_mut().zip(limits) {
        let many = idle.min(limit).max(0);
        *cause = many as u64;
        idle -= many;
    }
    causes[Idleness::NoWork as usize] = idle.max(0) as u64;
    causes
}

/// The causes of idle time at a place, for each of [`PARTS`] equal parts of the run.
fn sweep(changes: &[Change], span: [u64; 2]) -> Vec<[u64; 5]> {
    let mut parts = vec![[0_u64; 5]; PARTS];
    let length = u128::from(span[1] - span[0]);
    let border = |part: usize| span[0] + (length * part as u128 / PARTS as u128) as u64;
    let (mut counts, mut now, mut part) = ([0_i64; 5], span[0], 0);
    for change in changes {
        let causes = causes(counts);
        while now < change.at {
            while border(part + 1) <= now {
                part += 1;
            }
            let until = change.at.min(border(part + 1));
            for (sum, many) in parts[part].iter_mut().zip(causes) {
                *sum = sum.saturating_add(many.saturating_mul(until - now));
            }
            now = until;
        }
        counts[change.count as usize] += i64::from(change.by);
    }
    parts
}

impl Run {
    /// Where the time went; none where no EDT has ended.
    pub fn times(&self) -> Option<Times> {
        let span = span(self)?;
        let units = Units::of(self, span);
        let brought = self.brought();
        let edts = self.edts.iter().zip(brought);
        let moments: Vec<Moments> = edts
            .map(|(edt, brought)| Moments::of(edt, brought))
            .collect();
        let place = |(&place, its): (&u8, &Vec<Unit>)| {
            let parts = sweep(&changes(self, place, &units, &moments, span), span);
            let idle: [u64; 5] =
                std::array::from_fn(|cause| total(parts.iter().map(|part| part[cause])));
            let there = its.iter().map(|unit| unit.until.min(span[1]) - span[0]);
            let there = total(there);
            let whole = (span[1] - span[0]).max(1);
            PlaceTime {
                place,
                name: self.place_name(place),
                units: (there.saturating_add(whole / 2) / whole).max(1) as u32,
                busy: there.saturating_sub(total(idle)),
                idle,
                parts,
            }
        };
        Some(Times {
            span,
            places: units.places.iter().map(place).collect(),
        })
    }
}
