//! The score of a recorded run: how long it took against what no schedule of the same EDTs on the same places ends before.

use super::show::median;
use super::{NEVER, Run};
use crate::report::bounds::{NoBounds, Precedence, Problem};
use crate::report::{counted, duration};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// Rounds for the mixed bound.
const ROUNDS: u32 = 24;

/// How good a schedule was.
#[derive(Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
pub struct Score {
    /// From the begin of the first EDT to the end of the last, in seconds.
    pub seconds: f64,
    /// What work that could be split over all places would take.
    pub area: f64,
    /// The longest chain of EDTs, each where it is fastest.
    pub critical_path: f64,
    /// Both at once; no schedule takes less.
    pub mixed: f64,
    /// EDTs that count: those that have ended.
    pub edts: u64,
    /// Of these, EDTs that could run in a place of which it is not known how long they take there.
    pub unknown: u64,
    /// Whether the recording lacks some of the run, or is damaged: then all of this is of the part that is there.
    #[serde(default)]
    pub partial: bool,
}

impl Score {
    /// How many times the bound the run took.
    pub fn ratio(&self) -> f64 {
        self.seconds / self.mixed.max(1e-12)
    }

    /// The score in lines, without an end.
    pub fn text(&self) -> String {
        let part = if self.partial {
            "of the part of the run that was recorded: "
        } else {
            ""
        };
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

impl Run {
    /// The score; none where no EDT has ended, or the recording says that EDTs wait for each other.
    pub fn score(&self) -> Option<Score> {
        let ran = self.edts.iter().filter(|edt| edt.time().is_some());
        let first = ran.clone().map(|edt| edt.begin).min()?;
        let last = ran.clone().map(|edt| edt.end).max()?;
        let edts = ran.count() as u64;
        let (problem, unknown) = self.problem();
        let bounds = match problem.bounds(ROUNDS) {
            Ok(bounds) => bounds,
            Err(NoBounds::Circle | NoBounds::Nowhere | NoBounds::Malformed) => return None,
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

    /// The EDTs that have ended, on the places of the run, in nanoseconds; and for how many a time is not known that would be of use.
    /// Where an EDT did not run it is taken to need what the others of its template have needed there, as a median.
    fn problem(&self) -> (Problem, u64) {
        let (classes, places) = self.classes();
        let ran = || {
            self.edts
                .iter()
                .enumerate()
                .filter(|(_, edt)| edt.time().is_some())
        };
        let mut times: FxHashMap<(u32, usize), Vec<u64>> = FxHashMap::default();
        for (_, edt) in ran() {
            let class = classes[&edt.place];
            let time = edt.time().unwrap_or(0);
            times.entry((edt.template, class)).or_default().push(time);
        }
        let medians: FxHashMap<(u32, usize), u64> = times
            .into_iter()
            .map(|(key, mut times)| (key, median(&mut times)))
            .collect();
        let mut problem = Problem {
            places,
            ..Problem::default()
        };
        let mut unknown = 0;
        let mut numbers = vec![u32::MAX; self.edts.len()];
        for (number, (at, edt)) in ran().enumerate() {
            numbers[at] = number as u32;
            let template = self.templates.get(edt.template as usize);
            let could = template.map_or(0, |template| template.places);
            let mut is_unknown = false;
            let at = problem.times.len();
            problem
                .times
                .resize(at + problem.places.len(), f64::INFINITY);
            for (&place, &class) in &classes {
                let known = medians.get(&(edt.template, class));
                let allowed = place < 64 && could >> place & 1 != 0;
                problem.times[at + class] = match known {
                    _ if place == edt.place => edt.time().unwrap_or(0) as f64,
                    Some(&ns) if allowed => ns as f64,
                    _ => {
                        is_unknown |= allowed;
                        continue;
                    }
                };
            }
            unknown += u64::from(is_unknown);
        }
        let edges = self.edges.iter().filter_map(|edge| {
            let [from, to] = [edge.from, edge.to].map(|edt| numbers[edt as usize]);
            if from == u32::MAX || to == u32::MAX {
                return None;
            }
            let first = &self.edts[edge.from as usize];
            let part = match (edge.at, first.time()) {
                (NEVER, _) => 1.0,
                (_, None | Some(0)) => 0.0,
                (at, Some(time)) => at.saturating_sub(first.begin) as f32 / time as f32,
            };
            Some(Precedence {
                from,
                to,
                part: part.clamp(0.0, 1.0),
            })
        });
        problem.edges = edges.collect();
        (problem, unknown)
    }

    /// The class of each place that ran EDTs, and how many can run there at once: workers, or the lanes of a device.
    fn classes(&self) -> (FxHashMap<u8, usize>, Vec<u32>) {
        let mut lanes: FxHashMap<u8, u64> = FxHashMap::default();
        for edt in self.edts.iter().filter(|edt| edt.time().is_some()) {
            let lanes = lanes.entry(edt.place).or_default();
            if edt.place != 0 {
                *lanes |= 1 << edt.lane.min(63);
            }
        }
        let workers = self
            .about
            .get("workers")
            .and_then(|count| count.parse().ok());
        let mut used: Vec<u8> = lanes.keys().copied().collect();
        used.sort_unstable();
        let places = used.iter().map(|place| match place {
            0 => workers.unwrap_or(1).max(1),
            place => lanes[place].count_ones().max(1),
        });
        let places = places.collect();
        let classes = used
            .iter()
            .enumerate()
            .map(|(class, &place)| (place, class));
        (classes.collect(), places)
    }
}
