//! Rules about the EDTs of a run: how many there were, and what they waited for.

use super::causes::{Cause, CauseRule, Look, WORTH, percent, time};
use super::idle::{Idleness, total};
use crate::recorded::RecordedEdt;
use ocr_base::text::duration;
use std::collections::BTreeMap;

impl Look<'_> {
    /// The rule *starved*: a few workers ran EDTs for much less time than the others.
    pub(super) fn starved(&self) -> Option<Cause> {
        let workers = self.run.workers();
        let mut busy: BTreeMap<u32, u64> = workers.map(|(owner, _)| (owner, 0)).collect();
        for edt in self.run.edts.iter().filter(|edt| edt.place == 0) {
            if let Some(ns) = edt.time() {
                let sum = busy.entry(edt.lane).or_default();
                *sum = sum.saturating_add(ns);
            }
        }
        let most = *busy.values().max()? as f64;
        let is_starved = |ns: u64| (ns as f64) < most - 0.4 * self.ns;
        let starved: Vec<u32> = (busy.iter())
            .filter(|(_, ns)| is_starved(**ns))
            .map(|(owner, _)| *owner)
            .collect();
        if starved.is_empty() || 2 * starved.len() > busy.len() {
            return None;
        }
        let mean = |of: &dyn Fn(u64) -> bool| {
            let some: Vec<u64> = busy.values().copied().filter(|ns| of(*ns)).collect();
            total(some.iter().copied()) as f64 / some.len().max(1) as f64
        };
        let (less, others) = (mean(&is_starved), mean(&|ns| !is_starved(ns)));
        // The starved workers must have had something that they could have run.
        let host = self.times.places.iter().find(|place| place.place == 0)?;
        let could = [Idleness::Starting, Idleness::Data, Idleness::Placement];
        let could = total(could.map(|cause| host.of(cause)));
        if (could as f64) < (others - less) * starved.len() as f64 / 2.0 {
            return None;
        }
        let all = mean(&|_| true);
        let names: Vec<&str> = starved
            .iter()
            .take(3)
            .map(|owner| (self.run.threads.get(owner)).map_or("a worker", |its| &its.name))
            .collect();
        let more = match starved.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(Cause {
            rule: CauseRule::Starved,
            place: Some(0),
            costs: (others - all) / 1e9,
            text: format!(
                "{}{more} ran EDTs for {} of the run, and the other workers for {}.",
                names.join(", "),
                percent(less / self.ns),
                percent(others / self.ns)
            ),
            advice: "Look for EDTs that others cannot take: a chain of EDTs, or hints for a place; and for workers that share a core (ocr info)."
                .into(),
        })
    }

    /// How many nanoseconds a unit was idle by this cause, on average over the units of the places that were used.
    fn idle(&self, cause: Idleness) -> f64 {
        let used = self.times.places.iter().filter(|its| Look::is_used(its));
        let (ns, units) = used.fold((0, 0), |(ns, units), its| {
            (total([ns, its.of(cause)]), units + u64::from(its.units))
        });
        ns as f64 / units.max(1) as f64
    }

    /// The rule *dependences*: units were idle for long by dependences.
    pub(super) fn dependences(&self) -> Option<Cause> {
        let costs = self.idle(Idleness::Dependences);
        if costs < WORTH * self.ns {
            return None;
        }
        let busy = total(self.times.places.iter().map(|its| its.busy));
        let mut text = format!(
            "For {} of the run, workers or devices were idle because all EDTs that could run there waited for others; {:.1} EDTs ran \
             at once on average.",
            percent(costs / self.ns),
            busy as f64 / self.ns
        );
        if let Some(score) = self.score {
            text += &format!(
                " The longest chain of EDTs takes {} of {}.",
                duration(score.critical_path),
                duration(self.ns / 1e9)
            );
        }
        Some(Cause {
            rule: CauseRule::Dependences,
            place: None,
            costs: costs / 1e9,
            text,
            advice: "Divide the work into more EDTs that do not wait for each other, as smaller tiles, and give the longest chain a higher priority (OCR_HINT_EDT_PRIORITY)."
                .into(),
        })
    }

    /// The rule *tail*: the last EDTs ran for long beside idle units.
    pub(super) fn tail(&self) -> Option<Cause> {
        // For each unit that was there to the end, when its last EDT ended, and the number of that EDT.
        let mut ends: BTreeMap<(u8, u32), (u64, usize)> = BTreeMap::new();
        let last = self.times.span[1];
        for (number, edt) in self.run.edts.iter().enumerate() {
            let lane = if edt.place == 0 { edt.lane } else { 0 };
            let thread = self.run.threads.get(&lane).filter(|_| edt.place == 0);
            let done = thread.and_then(|thread| thread.done);
            let is_gone =
                done.is_some_and(|done| (last.saturating_sub(done)) as f64 > WORTH * self.ns);
            if edt.time().is_some() && !is_gone {
                let latest = ends.entry((edt.place, lane)).or_insert((0, number));
                *latest = (*latest).max((edt.end, number));
            }
        }
        let number = ends.values().max()?.1;
        let edt = &self.run.edts[number];
        let idle = total(ends.values().map(|(end, _)| last - end));
        let costs = idle as f64 / ends.len() as f64;
        let first = ends.values().map(|(end, _)| *end).min()?;
        // If the unit that ended last was idle itself for most of the tail, something else is the cause.
        let overlap = |other: &RecordedEdt| other.end.saturating_sub(other.begin.max(first));
        let is_there = |other: &&RecordedEdt| {
            other.time().is_some()
                && other.place == edt.place
                && (other.place != 0 || other.lane == edt.lane)
        };
        let busy = total(self.run.edts.iter().filter(is_there).map(overlap));
        if ends.len() < 2 || costs < WORTH * self.ns || busy < (last - first) / 2 {
            return None;
        }
        // The last EDT may be a short one behind the one that took the time.
        let longest = self
            .run
            .edts
            .iter()
            .filter(is_there)
            .max_by_key(|edt| overlap(edt));
        let (which, edt) = match longest {
            Some(longest) if overlap(longest) > overlap(edt) => ("The longest of them", longest),
            _ => ("The last EDT", edt),
        };
        Some(Cause {
            rule: CauseRule::Tail,
            place: Some(edt.place),
            costs: costs / 1e9,
            text: format!(
                "Too few EDTs were left at the end: units were done one after the other in the last {} ({} of the run). \
                 {which}, {}, took {} on {}.",
                time((last - first) as f64),
                percent((last - first) as f64 / self.ns),
                self.run.template_name(edt),
                time(edt.time().unwrap_or(0) as f64),
                self.run.place_name(edt.place),
            ),
            advice: "Begin long EDTs first (OCR_HINT_EDT_PRIORITY), or make the last ones smaller."
                .into(),
        })
    }

    /// The rule *no work*: units had no EDT at all for long.
    pub(super) fn no_work(&self) -> Option<Cause> {
        let costs = self.idle(Idleness::NoWork);
        if costs < WORTH * self.ns {
            return None;
        }
        let creator = self.creator(costs).unwrap_or_default();
        Some(Cause {
            rule: CauseRule::NoWork,
            place: None,
            costs: costs / 1e9,
            text: format!(
                "For {} of the run, workers or devices had nothing to do: the program had created no other EDT that could run \
                 there.{creator}",
                percent(costs / self.ns)
            ),
            advice: "Create EDTs earlier, let several EDTs create them, or divide the work into more of them."
                .into(),
        })
    }

    /// A sentence on the EDT that has created most of the others. None if it has created fewer than half of them, or ran for
    /// less than half of `costs` nanoseconds.
    fn creator(&self, costs: f64) -> Option<String> {
        let edts = &self.run.edts;
        let mut created: BTreeMap<u32, usize> = BTreeMap::new();
        for edt in edts {
            *created.entry(edt.parent).or_default() += 1;
        }
        let (&parent, &most) = created.iter().max_by_key(|(_, many)| **many)?;
        let creator = edts.get(parent as usize)?;
        let took = creator.time()? as f64;
        (most >= 2 && 2 * most >= edts.len() && 2.0 * took >= costs).then(|| {
            format!(
                " The EDT {} created {most} of {} EDTs, and ran for {}.",
                self.run.template_name(creator),
                edts.len(),
                time(took)
            )
        })
    }

    /// The rule *near the bound*: no schedule of the same EDTs saves much.
    pub(super) fn near_the_bound(&self) -> Option<Cause> {
        let score = self.score?;
        let saves = 1.0 - score.mixed / score.seconds;
        if saves > WORTH || score.edts < 2 {
            return None;
        }
        let is_chain = score.critical_path > 0.9 * score.mixed;
        let (what, advice) = if is_chain {
            (
                "the longest chain of EDTs",
                "Shorten the longest chain of EDTs: with faster variants of them, or smaller ones.",
            )
        } else {
            (
                "the work on these places",
                "Let EDTs do less, or do it faster: better variants, more workers or devices (ocr simulate tells what they bring).",
            )
        };
        Some(Cause {
            rule: CauseRule::NearTheBound,
            place: None,
            costs: 0.0,
            text: format!(
                "No schedule of the same EDTs in the same places saves more than {}: {what} takes {}.",
                percent(saves.max(0.0)),
                duration(score.mixed)
            ),
            advice: advice.into(),
        })
    }
}
