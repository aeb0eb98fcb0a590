//! What the time of a run went into: how long workers and devices ran EDTs, and why they were idle otherwise.
//!
//! The time of a run is that from the begin of the first EDT to the end of the last. A *unit* runs one EDT at a time: a
//! worker, or a device with all its queues together, which is busy while it runs any kernel. At each moment each idle
//! unit has one cause, the first of these that applies:
//!
//! 1. *starting*: the unit's next EDT has all that it needs and has been given to the unit, and has not begun. This is
//!    time that the runtime, the system and the driver need.
//! 2. *data*: an EDT that could run in the place is runnable and waits for a block that another EDT holds. Or an EDT
//!    that was given to the place waits until its blocks have been brought.
//! 3. *placement*: an EDT that could run in the place is runnable and waits elsewhere: the policy keeps it, or it is in
//!    another place, or in the queue of another unit that is busy.
//! 4. *ends seen late*: an EDT that could run in the place waited for a kernel last. The kernel has ended, and the EDT
//!    is not runnable, since the driver has not notified the runtime yet, or the runtime has not looked.
//! 5. *dependences*: an EDT that could run in the place has been created and is not runnable.
//! 6. *no work*: the program has created no EDT that could run in the place and has not begun.
//!
//! A worker that has ended, such as one that has given its core to a device, is not there from then on.
//!
//! For the causes 2 to 5, one EDT explains one idle unit of each place. If seven workers are idle and one EDT waits for
//! data, one of the workers waits for data, and the next causes are looked for for the other six. So the sum of all
//! causes and of the busy time is the time of the run times the number of units, where these were there all the time.
//!
//! An EDT *could run* in a place if its template can, by the recording, or if it ran there.

use crate::recorded::{NEVER, RecordedEdt, RecordedRun, RecordedThread};
use serde::Serialize;
use std::collections::BTreeMap;

/// How many causes of idle time there are.
pub const CAUSES: usize = Idleness::ALL.len();

/// Into how many equal parts a run is divided, to see what changes during it.
pub const PARTS: usize = 256;

/// Makes [`Idleness`] and what is said of each cause.
macro_rules! idle_causes {
    ($($cause:ident: $name:literal, $text:literal, $colors:tt, $meaning:literal;)*) => {
        /// Why a unit was idle.
        #[derive(Serialize, Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Idleness {
            $(#[doc = $meaning] #[serde(rename = $name)] $cause,)*
        }

        impl Idleness {
            /// All causes, in the order in which they are looked for.
            pub const ALL: [Idleness; [$($name),*].len()] = [$(Idleness::$cause),*];

            /// The name of the cause in JSON, and of its class in a page's style sheet.
            pub fn name(self) -> &'static str {
                match self {
                    $(Idleness::$cause => $name,)*
                }
            }

            /// The cause in a few words.
            pub fn text(self) -> &'static str {
                match self {
                    $(Idleness::$cause => $text,)*
                }
            }

            /// The colours of the cause in a page: on a light ground, and on a dark one.
            pub fn colors(self) -> [&'static str; 2] {
                match self {
                    $(Idleness::$cause => $colors,)*
                }
            }

            /// What the cause means, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Idleness::$cause => $meaning,)*
                }
            }
        }
    };
}

// In the order in which they are looked for. Names, JSON, style and legend of pages follow from this table.
idle_causes! {
    Starting: "starting", "starting EDTs", ["#e0a100", "#f0c04a"],
        "The next EDT had all that it needs and was given to this worker or device, and had not begun: the time that the \
         runtime, the system and the driver need.";
    Data: "data", "waiting for data", ["#3b78c9", "#6fa8f0"],
        "A runnable EDT waited for a block that another held, or for copies to where it was to run.";
    Placement: "placement", "EDTs waited elsewhere", ["#8a5bd0", "#b495f0"],
        "An EDT that could run there was runnable, and the policy kept it, or it waited at another place or behind another \
         worker’s EDT.";
    SeenLate: "seen_late", "ends seen late", ["#c2307a", "#f07ab0"],
        "A kernel had ended, and an EDT that waited for it and could run there was not runnable yet: the driver had not \
         reported it, or the runtime had not looked.";
    Dependences: "dependences", "dependences", ["#d9622b", "#f08a58"],
        "EDTs that could run there were created, and none was runnable: what they waited for had not ended.";
    NoWork: "no_work", "no work", ["#a7b0bc", "#66717f"],
        "The program had created no other EDT that could run there.";
}

/// What the time of a place went into. Times are in nanoseconds, summed over the units of the place.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceTime {
    /// The number of the place: 0 for the workers, otherwise a device.
    pub place: u8,
    /// The name of the place.
    pub name: String,
    /// How many units the place had, on average over the run. A device counts as one.
    pub units: u32,
    /// How long the units ran EDTs.
    pub busy: u64,
    /// How long the units were idle, for each cause in the order of [`Idleness::ALL`].
    pub idle: [u64; CAUSES],
    /// How long the units were idle in each of [`PARTS`] equal parts of the run, for each cause in that order.
    pub parts: Vec<[u64; CAUSES]>,
}

impl PlaceTime {
    /// How long the units were idle for a cause.
    pub fn of(&self, cause: Idleness) -> u64 {
        self.idle[cause as usize]
    }

    /// The time of all units, busy or idle.
    pub fn all(&self) -> u64 {
        self.busy.saturating_add(total(self.idle))
    }

    /// A time that is summed over the units, as the average of one unit.
    pub fn each(&self, ns: u64) -> u64 {
        ns / u64::from(self.units.max(1))
    }
}

/// A sum that stays at the largest number where it would be above it: times of a damaged recording may be anything.
pub(super) fn total(times: impl IntoIterator<Item = u64>) -> u64 {
    times.into_iter().fold(0, u64::saturating_add)
}

/// What the time of a run went into.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IdleTimes {
    /// When the first EDT began, and when the last ended, in nanoseconds since the begin of the run.
    pub span: [u64; 2],
    /// What the time of each place went into, the workers first.
    pub places: Vec<PlaceTime>,
}

impl IdleTimes {
    /// The time from the begin of the first EDT to the end of the last, in nanoseconds.
    pub fn ns(&self) -> u64 {
        self.span[1] - self.span[0]
    }
}

/// When one unit was busy.
struct BusyUnit {
    /// The spans in which the unit was busy: a begin and an end each. They do not overlap.
    busy: Vec<[u64; 2]>,
    /// Until when the unit was there.
    until: u64,
}

/// A number that is counted for a place while time goes on.
#[derive(Clone, Copy)]
enum PlaceCount {
    /// Units that run no EDT.
    Idle,
    /// EDTs that a unit is about to begin.
    Starting,
    /// EDTs that wait for data.
    Data,
    /// EDTs that are runnable and wait elsewhere.
    Elsewhere,
    /// EDTs that are not runnable, though the kernel for which they waited last has ended.
    SeenLate,
    /// EDTs that have been created, and wait for others that have not ended.
    Waiting,
}

/// A change of a count.
struct Change {
    /// When the count changes, in nanoseconds since the begin of the run.
    at: u64,
    count: PlaceCount,
    /// By how much the count changes.
    by: i32,
}

/// The changes of the counts for one place.
struct Changes {
    /// The time of the run: its begin and its end.
    span: [u64; 2],
    all: Vec<Change>,
}

impl Changes {
    /// Changes a count by `by` from one time on, and back at another time.
    fn add(&mut self, count: PlaceCount, from: u64, to: u64, by: i32) {
        let [first, last] = self.span;
        let (from, to) = (from.clamp(first, last), to.clamp(first, last));
        if from < to {
            self.all.push(Change { at: from, count, by });
            let by = -by;
            self.all.push(Change { at: to, count, by });
        }
    }
}

/// The moments of an EDT that count here, in nanoseconds since the begin of the run. None is earlier than the one
/// before it.
struct Moments {
    created: u64,
    /// When the kernel had ended for which the EDT waited last. The same as `runnable` if that was no kernel.
    satisfied: u64,
    runnable: u64,
    /// When no other EDT held one of its blocks any more.
    granted: u64,
    /// When the EDT was given to the place where it runs. From then on its blocks are brought.
    given: u64,
    /// When its blocks had been brought.
    brought: u64,
    begin: u64,
}

impl Moments {
    /// The moments of an EDT. `brought` are the times of [`RecordedRun::brought`], and `kernel` is one of
    /// [`RecordedRun::kernels_before`].
    fn of(edt: &RecordedEdt, brought: [u64; 2], kernel: u64) -> Moments {
        let begin = edt.begin;
        let or = |time: u64, other: u64| if time == NEVER { other } else { time };
        let runnable = edt.runnable.min(begin);
        let created = or(edt.created, runnable).min(runnable);
        let granted = or(edt.granted, runnable).clamp(runnable, begin.max(runnable));
        let limit = begin.max(granted);
        // A worker asks for the blocks of an EDT that it has been given. A device has been given an EDT when it is
        // launched, and the blocks are copied then.
        let given = match edt.place {
            0 => or(brought[0], or(edt.placed, granted)),
            _ => or(edt.launched, or(brought[0], granted)),
        };
        let given = given.clamp(granted, limit);
        Moments {
            created,
            satisfied: kernel.clamp(created, runnable),
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

/// The units of a run.
struct Units {
    /// The units of each place.
    places: BTreeMap<u8, Vec<BusyUnit>>,
    /// For each EDT, until when its unit had been busy before; [`NEVER`] if the EDT has not begun.
    before: Vec<u64>,
}

impl Units {
    /// The units of a run, whose time is `span`.
    fn of(run: &RecordedRun, span: [u64; 2]) -> Units {
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
                ran.entry((edt.place, lane)).or_default().push(number as u32);
            }
        }
        // A worker that has run nothing may have written no record. No thread has such a number.
        let on_host = ran.keys().filter(|(place, _)| *place == 0).count();
        for silent in 0..run.worker_count().unwrap_or(0).saturating_sub(on_host) {
            ran.insert((0, u32::MAX - 1 - silent as u32), Vec::new());
        }
        let mut units = Units { places: BTreeMap::from([(0, Vec::new())]), before: vec![NEVER; run.edts.len()] };
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
            units.places.entry(place).or_default().push(BusyUnit { busy, until });
        }
        units
    }
}

impl RecordedRun {
    /// How many workers the run had for half of its time or more. None where the recording does not say with how many
    /// it has begun: a worker that has run nothing may have written no record.
    pub fn worker_count(&self) -> Option<usize> {
        let begun_with: usize = self.about.get("workers")?.parse().ok()?;
        let middle = span(self).map_or(0, |[first, last]| first + (last - first) / 2);
        let went_early = |thread: &&RecordedThread| thread.is_worker && thread.done.is_some_and(|at| at < middle);
        let went = self.threads.values().filter(went_early).count();
        // A thread that runs EDTs while another one waits in a call goes when that goes on. Its seat was the other
        // one's.
        let workers = self.threads.values().filter(|thread| thread.is_worker);
        let helpers = workers.count().saturating_sub(begun_with);
        Some(begun_with.saturating_sub(went.saturating_sub(helpers)))
    }

    /// The threads that were workers for half of the run or more, or ran EDTs.
    pub fn workers(&self) -> impl Iterator<Item = (u32, &RecordedThread)> {
        let middle = span(self).map_or(0, |[first, last]| first + (last - first) / 2);
        let counts = move |thread: &RecordedThread| {
            thread.is_worker && (thread.edts != 0 || thread.done.is_none_or(|at| at >= middle))
        };
        let threads = self.threads.iter();
        threads.filter(move |(_, thread)| counts(thread)).map(|(owner, thread)| (*owner, thread))
    }
}

/// When the first EDT began, and when the last ended, in nanoseconds since the begin of the run. None where none has
/// ended.
fn span(run: &RecordedRun) -> Option<[u64; 2]> {
    let ended = || run.edts.iter().filter(|edt| edt.time().is_some());
    let first = ended().map(|edt| edt.begin).min()?;
    let last = ended().map(|edt| edt.end).max()?;
    Some([first, last.max(first)])
}

/// The changes of the counts for a place, in the order of time.
fn changes(run: &RecordedRun, place: u8, units: &Units, moments: &[Moments], span: [u64; 2]) -> Vec<Change> {
    let mut changes = Changes { span, all: Vec::new() };
    for unit in &units.places[&place] {
        changes.add(PlaceCount::Idle, span[0], unit.until, 1);
        for [begin, end] in &unit.busy {
            changes.add(PlaceCount::Idle, *begin, *end, -1);
        }
    }
    for ((edt, its), &before) in run.edts.iter().zip(moments).zip(&units.before) {
        let is_here = edt.place == place;
        let template = run.templates.get(edt.template as usize);
        let places = template.map_or(0, |template| template.places);
        if !is_here && (place >= 64 || places >> place & 1 == 0) {
            continue;
        }
        changes.add(PlaceCount::Waiting, its.created, its.satisfied, 1);
        changes.add(PlaceCount::SeenLate, its.satisfied, its.runnable, 1);
        changes.add(PlaceCount::Data, its.runnable, its.granted, 1);
        changes.add(PlaceCount::Elsewhere, its.granted, its.given, 1);
        if !is_here || its.begin == NEVER {
            changes.add(PlaceCount::Elsewhere, its.given, its.begin, 1);
            continue;
        }
        changes.add(PlaceCount::Data, its.given, its.brought, 1);
        let free = before.clamp(its.brought, its.begin);
        changes.add(PlaceCount::Elsewhere, its.brought, free, 1);
        changes.add(PlaceCount::Starting, free, its.begin, 1);
    }
    changes.all.sort_unstable_by_key(|change| change.at);
    changes.all
}

/// How many of the idle units have each cause, by the values of all counts.
fn causes(counts: [i64; CAUSES]) -> [u64; CAUSES] {
    let [mut idle, limits @ ..] = counts;
    let mut causes = [0; CAUSES];
    for (cause, limit) in causes.iter_mut().zip(limits) {
        let many = idle.min(limit).max(0);
        *cause = many as u64;
        idle -= many;
    }
    causes[Idleness::NoWork as usize] = idle.max(0) as u64;
    causes
}

/// How many nanoseconds the units of a place were idle for each cause, in each of [`PARTS`] equal parts of the run.
fn sweep(changes: &[Change], span: [u64; 2]) -> Vec<[u64; CAUSES]> {
    let mut parts = vec![[0_u64; CAUSES]; PARTS];
    let length = u128::from(span[1] - span[0]);
    let border = |part: usize| span[0] + (length * part as u128 / PARTS as u128) as u64;
    let (mut counts, mut now, mut part) = ([0_i64; CAUSES], span[0], 0);
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

impl RecordedRun {
    /// For each EDT, when the kernel ended for which it waited last. [`NEVER`] if it did not wait for a kernel last, or
    /// has not become runnable.
    pub(super) fn kernels_before(&self) -> Vec<u64> {
        let mut last = vec![(0, NEVER); self.edts.len()];
        for edge in &self.edges {
            let from = &self.edts[edge.from as usize];
            let is_kernel = edge.at == NEVER && from.place != 0 && from.time().is_some();
            let at = if edge.at == NEVER { from.end } else { edge.at };
            let known = &mut last[edge.to as usize];
            // If several things were done at one time, what was recorded last counts.
            if at >= known.0 {
                *known = (at, if is_kernel { at } else { NEVER });
            }
        }
        let ends = self.edts.iter().zip(last);
        ends.map(|(edt, (_, end))| if edt.runnable == NEVER { NEVER } else { end }).collect()
    }

    /// What the time of the run went into. None where no EDT has ended.
    pub fn times(&self) -> Option<IdleTimes> {
        let span = span(self)?;
        let units = Units::of(self, span);
        let brought = self.brought();
        let kernels = self.kernels_before();
        let edts = self.edts.iter().zip(brought).zip(kernels);
        let moments: Vec<Moments> = edts.map(|((edt, brought), kernel)| Moments::of(edt, brought, kernel)).collect();
        let place = |(&place, its): (&u8, &Vec<BusyUnit>)| {
            let parts = sweep(&changes(self, place, &units, &moments, span), span);
            let idle: [u64; CAUSES] = std::array::from_fn(|cause| total(parts.iter().map(|part| part[cause])));
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
        Some(IdleTimes { span, places: units.places.iter().map(place).collect() })
    }
}

#[cfg(test)]
mod tests {
    /// A table with another cause.
    #[allow(unreachable_pub)]
    mod with_another {
        use serde::Serialize;

        idle_causes! {
            Asleep: "asleep", "asleep", ["#000000", "#ffffff"], "The unit slept.";
            Sheep: "counting_sheep", "counting sheep", ["#123456", "#654321"], "The unit counted sheep.";
        }
    }

    #[test]
    fn one_entry_adds_a_cause_of_idle_time() {
        use with_another::Idleness;
        let [_, added] = Idleness::ALL;
        assert_eq!((added.name(), added.text()), ("counting_sheep", "counting sheep"));
        assert_eq!(added.colors(), ["#123456", "#654321"]);
        assert_eq!(added.meaning(), "The unit counted sheep.");
        let json = serde_json::to_value(added).expect("it can be written");
        assert_eq!(json, added.name());
    }
}
