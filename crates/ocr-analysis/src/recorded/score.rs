//! The score of a recorded run: how long it took, against the time before which no schedule of its EDTs on its places
//! ends.

use super::{NEVER, NOBODY, RecordedRun, Scopes, median};
use crate::bounds::{BoundsError, Gathering, Precedence, Problem};
use ocr_base::text::{counted, duration};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// How many rounds are played for the mixed bound.
const ROUNDS: u32 = 24;

/// How good a schedule was.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// The time from the begin of the first EDT to the end of the last, in seconds.
    pub seconds: f64,
    /// The area bound in seconds: what the EDTs would take if their work could be split over all places.
    pub area: f64,
    /// The critical path in seconds: the longest chain of EDTs, each in the place where it is fastest.
    pub critical_path: f64,
    /// The mixed bound in seconds, which is the largest of the three; no schedule takes less.
    pub mixed: f64,
    /// How many EDTs count: those that have ended.
    pub edts: u64,
    /// How many of these EDTs could also run in a place where it is not known how long they take.
    pub unknown: u64,
    /// Whether a part of the run is missing in the recording, or damaged. The score is that of the other part then.
    #[serde(default)]
    pub partial: bool,
}

impl Score {
    /// How many times as long as the mixed bound the run took.
    pub fn ratio(&self) -> f64 {
        self.seconds / self.mixed.max(1e-12)
    }

    /// The score in lines of text, without a line feed at the end.
    pub fn text(&self) -> String {
        let part = if self.partial { "of the part of the run that was recorded: " } else { "" };
        let mut text = format!(
            "{part}from the first EDT's begin to the last one's end {}; no schedule of these EDTs on these places ends before \
             {} ({:.2} times that): area bound {}, critical path {}",
            duration(self.seconds),
            duration(self.mixed),
            self.ratio(),
            duration(self.area),
            duration(self.critical_path)
        );
        if self.unknown != 0 {
            text += &format!(
                "\nof {} it is not known how long they take in another place where they could run: they count as if they \
                 could not",
                counted(self.unknown, "EDT")
            );
        }
        text
    }
}

impl RecordedRun {
    /// The score of the run. None where no EDT has ended, or the recording says that EDTs wait for each other.
    pub fn score(&self) -> Option<Score> {
        let ran = self.edts.iter().filter(|edt| edt.time().is_some());
        let first = ran.clone().map(|edt| edt.begin).min()?;
        let last = ran.clone().map(|edt| edt.end).max()?;
        let edts = ran.count() as u64;
        let bounds = self.problem().and_then(|(problem, unknown)| Ok((problem.bounds(ROUNDS)?, unknown)));
        let (bounds, unknown) = match bounds {
            Ok(known) => known,
            Err(BoundsError::Circle | BoundsError::Nowhere | BoundsError::Malformed) => {
                return None;
            }
        };
        Some(Score {
            seconds: last.saturating_sub(first) as f64 / 1e9,
            area: bounds.area / 1e9,
            critical_path: bounds.path / 1e9,
            mixed: bounds.mixed / 1e9,
            edts,
            unknown,
            partial: !self.gaps().is_empty(),
        })
    }

    /// The EDTs that have ended and the places of the run, in nanoseconds, as the bounds take them. Also returns of how
    /// many EDTs it is not known how long they take in some place where they could run. Where an EDT did not run, it is
    /// taken to need the median of the EDTs of its template there. A finish EDT that has a kernel is one task with its
    /// scope (`bounds/gather.rs`); where it ran as a kernel, the scope is supposed (`supposed.rs`).
    fn problem(&self) -> Result<(Problem, u64), BoundsError> {
        let (classes, places) = self.classes();
        let medians = self.medians_by_class(&classes);
        let supposed = self.supposed();
        let run = supposed.as_ref().map_or(self, |supposed| &supposed.run);
        let scopes = Scopes::of(run, self.edts.len());
        let mut problem = Problem { places, ..Problem::default() };
        let mut unknown = 0;
        let mut numbers = vec![NOBODY; run.edts.len()];
        // The nearest finish EDT around each EDT that may run as a kernel in its place, and the same of tasks.
        let mut around = vec![NOBODY; run.edts.len()];
        let mut within = Vec::new();
        for (at, edt) in run.edts.iter().enumerate() {
            let scope = scopes.of[at] as usize;
            if let Some(finish) = run.edts.get(scope) {
                let its = numbers[scope] as usize;
                let has_both = classes.contains_key(&0) && its < within.len() && run.is_of_two_grains(finish) && {
                    let times = &problem.times[its * problem.places.len()..][..problem.places.len()];
                    times[0].is_finite() && times[1..].iter().any(|time| time.is_finite())
                };
                around[at] = if has_both { scope as u32 } else { around[scope] };
            }
            let Some(ns) = edt.time() else {
                continue;
            };
            numbers[at] = within.len() as u32;
            within.push(numbers.get(around[at] as usize).copied().unwrap_or(NOBODY));
            let template = run.templates.get(edt.template as usize);
            let could = template.map_or(0, |template| template.places);
            let mut is_unknown = false;
            let first = problem.times.len();
            problem.times.resize(first + problem.places.len(), f64::INFINITY);
            for (&place, &class) in &classes {
                let known = medians.get(&(edt.template, class));
                let allowed = place < 64 && could >> place & 1 != 0;
                problem.times[first + class] = match known {
                    _ if place == edt.place => ns as f64,
                    Some(&ns) if allowed => ns as f64,
                    _ => {
                        is_unknown |= allowed;
                        continue;
                    }
                };
            }
            unknown += u64::from(is_unknown && at < self.edts.len());
        }
        let gathering = Gathering::new(within);
        let mut outer = Vec::new();
        for edge in &run.edges {
            let [from, to] = [edge.from, edge.to].map(|edt| numbers[edt as usize]);
            if from == NOBODY || to == NOBODY {
                continue;
            }
            let first = &run.edts[edge.from as usize];
            let part = match (edge.at, first.time()) {
                (NEVER, _) => 1.0,
                (_, None | Some(0)) => 0.0,
                (at, Some(time)) => at.saturating_sub(first.begin) as f32 / time as f32,
            };
            let part = part.clamp(0.0, 1.0);
            problem.edges.push(Precedence { from, to, part });
            // Numbers go up from a scope to those in it.
            let head = gathering.head(from);
            let ends = edge.at == NEVER && head != NOBODY && {
                let scope = scopes.awaited(run, edge.from, edge.to);
                scope.is_some_and(|scope| numbers[scope as usize] <= head)
            };
            outer.extend(gathering.edge(from, to, part, ends));
        }
        Ok((problem.gather(&gathering, &outer)?, unknown))
    }

    /// How many nanoseconds the EDTs of a template take in a class of places, as medians.
    fn medians_by_class(&self, classes: &FxHashMap<u8, usize>) -> FxHashMap<(u32, usize), u64> {
        let mut times: FxHashMap<(u32, usize), Vec<u64>> = FxHashMap::default();
        for edt in &self.edts {
            if let Some(time) = edt.time() {
                times.entry((edt.template, classes[&edt.place])).or_default().push(time);
            }
        }
        times.into_iter().map(|(key, mut times)| (key, median(&mut times))).collect()
    }

    /// The class of each place that ran EDTs, and how many EDTs each class can run at once. This is the number of
    /// workers, or how many kernels the device was seen to run at once.
    fn classes(&self) -> (FxHashMap<u8, usize>, Vec<u32>) {
        let mut spans: FxHashMap<u8, Vec<(u64, u64)>> = FxHashMap::default();
        for edt in self.edts.iter().filter(|edt| edt.time().is_some()) {
            let spans = spans.entry(edt.place).or_default();
            if edt.begin < edt.end {
                spans.push((edt.begin, edt.end));
            }
        }
        let mut used: Vec<u8> = spans.keys().copied().collect();
        used.sort_unstable();
        let places = used.iter().map(|place| match place {
            0 => self.worker_count().unwrap_or(1).max(1) as u32,
            place => at_once(&spans[place]),
        });
        let places = places.collect();
        let classes = used.iter().enumerate().map(|(class, &place)| (place, class));
        (classes.collect(), places)
    }
}

/// How many of these spans there are at the same time, for a twentieth of the time in which there are any, or more.
/// Clocks of devices have kernels that follow each other overlap a little.
fn at_once(spans: &[(u64, u64)]) -> u32 {
    let begins = spans.iter().map(|&(begin, _)| (begin, true));
    let ends = spans.iter().map(|&(_, end)| (end, false));
    let mut bounds: Vec<(u64, bool)> = begins.chain(ends).collect();
    bounds.sort_unstable();
    // For each number of spans, the time in which there are at least that number. The first is for one.
    let mut times: Vec<u64> = Vec::new();
    let (mut now, mut since) = (0, 0);
    for (at, begins) in bounds {
        for time in &mut times[..now] {
            *time += at - since;
        }
        since = at;
        now = if begins { now + 1 } else { now - 1 };
        times.resize(times.len().max(now), 0);
    }
    let any = times.first().copied().unwrap_or(0);
    let often = times.iter().take_while(|&&time| time >= any / 20);
    (often.count() as u32).max(1)
}
