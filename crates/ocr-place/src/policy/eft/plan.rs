//! The plan of `eft`: before which place each EDT waits, which it takes, and when that is planned anew.

use super::open::MayTake;
use super::{AGAIN, EftPlan, LOOK_NS, PENDING};
use crate::place::Place;
use crate::policy::doubt::Speeds;
use crate::policy::interface::{KeptEdt, Machine, Taken};
use crate::policy::places::Places;
use crate::policy::queue::{QueuedEdt, WaitingLine, is_known};
use crate::policy::told::{Certainty, Considered, Why};
use crate::policy::variant::{OnSameCores, Variants};
use std::cmp::Reverse;
use std::sync::Arc;

/// A place takes an EDT from another's line only if that ends sooner by this part of the time.
const GAIN: u64 = 32;
/// An EDT is moved so often at most: then its place takes it.
const MOVES: u8 = 4;
/// How many waiting EDTs are looked at for a place that others do not fit.
const LOOKS: usize = 16;

/// Where an EDT is to go.
enum Plans {
    /// To the place where it ends first.
    To(Place),
    /// To this place, where others of its kind have run too long ago, to see whether it has become faster.
    Again(Place),
    /// To the first place that may take it: its time is not known everywhere, or scatters.
    Open,
}

impl EftPlan {
    pub(super) fn new(variants: Arc<Variants>, now: u64) -> EftPlan {
        EftPlan {
            variants,
            places: Places::new(),
            open: WaitingLine::default(),
            came: 0,
            begun: now,
            speeds: Speeds::default(),
            is_stuck: false,
            may_duplicate: false,
        }
    }

    /// Whether there may be an EDT for a worker, or one that it could run, too.
    pub(super) fn offers(&self, now: u64) -> bool {
        !self.open.is_empty()
            || !self.places.get(Place::HOST).line().is_empty()
            || self.next_duplicate().is_some_and(|at| at <= now)
    }

    /// From when on there is an EDT that a worker could run, too.
    fn next_duplicate(&self) -> Option<u64> {
        if !self.may_duplicate {
            return None;
        }
        self.places.next_duplicate(Place::HOST)
    }

    /// An EDT that another place works on and that this one, which has nothing to do, should run, too.
    pub(super) fn duplicate(&mut self, place: Place, now: u64) -> Option<usize> {
        let is_idle = self.may_duplicate && self.places.get(place).line().is_empty();
        is_idle.then(|| self.places.duplicate(place, now)).flatten()
    }

    /// Takes an EDT in. True if a worker may take it.
    pub(super) fn keep(&mut self, kept: KeptEdt, now: u64, machine: &dyn Machine) -> bool {
        let key = (Reverse(kept.priority), self.came);
        self.came += 1;
        if kept.frees_worker {
            self.places.of(Place::HOST).frees_one(now);
        }
        let (moves, since) = (0, now);
        let mut one = QueuedEdt { kept, key, moves, since, stays: false };
        // What is open goes before what came later.
        let plans = if self.open.is_empty() { self.plans(&one, now, machine) } else { Plans::Open };
        match plans {
            Plans::To(place) => {
                self.tell_new(&one, Why::Planned, Some(place), now, machine);
                self.places.of(place).insert(one);
                place == Place::HOST
            }
            Plans::Again(place) => {
                self.tell_new(&one, Why::Tried, Some(place), now, machine);
                one.stays = true;
                self.places.of(place).insert(one);
                place == Place::HOST
            }
            Plans::Open => {
                self.tell_new(&one, Why::Open, None, now, machine);
                self.open.insert(one);
                true
            }
        }
    }

    /// Says what is expected of an EDT behind all that wait before it, where the run is recorded.
    fn tell_new(&self, one: &QueuedEdt, why: Why, chosen: Option<Place>, now: u64, machine: &dyn Machine) {
        if machine.is_recorded() {
            let before = |place| self.places.get(place).line().before(one.key);
            self.tell(&one.kept, why, chosen, before, now, machine);
        }
    }

    /// Says what is expected of an EDT; `before` is how many of those that wait for a place go before it there.
    #[cold]
    fn tell(
        &self,
        kept: &KeptEdt,
        why: Why,
        chosen: Option<Place>,
        before: impl Fn(Place) -> usize,
        now: u64,
        machine: &dyn Machine,
    ) {
        for (number, candidate) in kept.candidates.iter().enumerate() {
            let place = candidate.place;
            let expected = self.places.expected(kept, place, before(place), now);
            let mut expected = expected.unwrap_or_default();
            let mut certainty = kept.times.certainty(place, &kept.shape);
            let mut factor = 1.0;
            if certainty < Certainty::Derived
                && let Some((known, _)) = self.least_known(kept)
            {
                let (least, most) = self.bounds(kept, place, known);
                expected.run_ns = Some((least * most).sqrt() as u64);
                factor = (most / least).sqrt();
                certainty = Certainty::Guessed;
            }
            machine.considered(&Considered {
                edt: kept.edt,
                place,
                expected,
                certainty,
                factor,
                why,
                is_chosen: chosen == Some(place),
                is_first: number == 0,
            });
        }
    }

    /// An EDT that workers and a device on their cores may run, and where it runs by now: by times that are not
    /// overdue.
    pub(super) fn on_same_cores<'a>(
        &self,
        kept: &'a KeptEdt,
        now: u64,
        machine: &dyn Machine,
    ) -> Option<(OnSameCores<'a>, Place)> {
        let edt = OnSameCores::of_kept(kept, machine)?;
        let known = |place| {
            edt.known_ns(place)?;
            self.places.expected(kept, place, 0, now)?.run_ns
        };
        let best = edt.best(known(Place::HOST), known(edt.device), machine);
        Some((edt, best))
    }

    fn plans(&self, one: &QueuedEdt, now: u64, machine: &dyn Machine) -> Plans {
        let kept = &one.kept;
        if let Some((edt, best)) = self.on_same_cores(kept, now, machine) {
            let other = edt.other(best);
            return if edt.known_ns(other).is_none() || edt.known_ns(best).is_none() {
                Plans::Open
            } else if self.variants.wants(&edt, best, machine) && self.variants.begin(&edt, kept.edt, other, machine) {
                Plans::Again(other)
            } else {
                Plans::To(best)
            };
        }
        if !kept.candidates.iter().all(|one| is_known(kept, one.place)) {
            return Plans::Open;
        }
        let end = |place| Some((self.places.end_of_new(one, place, now)?, place));
        let helps = kept.candidates.iter().filter(|one| !self.slows_host(kept, one.place));
        let ends = helps.filter_map(|candidate| end(candidate.place));
        let Some((_, place)) = ends.min_by_key(|(end, _)| *end) else {
            return Plans::Open;
        };
        let mut others = (kept.candidates.iter()).filter(|other| other.place != place);
        if let Some(other) = others.clone().find(|other| self.is_due(one, other.place, place, now)) {
            return Plans::Again(other.place);
        }
        if others.any(|other| self.may_be_as_good(one, other.place, place, now)) {
            return Plans::Open;
        }
        Plans::To(place)
    }

    /// Whether the host loses more by an EDT on a device that is idle so far than the EDT would take there: both share
    /// cores or memory, and what the host has to do takes longer meanwhile.
    fn slows_host(&self, kept: &KeptEdt, device: Place) -> bool {
        let (host, queue) = (self.places.get(Place::HOST), self.places.get(device));
        let is_busy = !host.line().is_empty() || host.unfinished() > 0;
        let has_host = kept.candidates.iter().any(|other| other.place == Place::HOST);
        if device == Place::HOST || !is_busy || !has_host || queue.given() > 0 {
            return false;
        }
        let ns = |place| kept.times.expected(place, &kept.shape);
        let slowdown = kept.times.slowdown(Place::HOST, &kept.shape);
        let (Some(on_host), Some(on_device), Some(slowdown)) = (ns(Place::HOST), ns(device), slowdown) else {
            return false;
        };
        let units = host.units().min(host.unfinished() + host.line().len());
        let on_host = on_host as f64 * host.units_for(kept) as f64;
        on_device as f64 * units as f64 * (1.0 - 1.0 / slowdown.max(1.0)) > on_host
    }

    /// Whether a place that is idle is to run an EDT though another one is better: what is known of it has become old,
    /// and what the EDT takes longer is little beside that time; or the newest EDT there was shorter than those of the
    /// best place.
    fn is_due(&self, one: &QueuedEdt, place: Place, best: Place, now: u64) -> bool {
        let (kept, queue) = (&one.kept, self.places.get(place));
        let ns = |place| kept.times.expected(place, &kept.shape);
        let (Some(here), Some(there)) = (ns(place), ns(best)) else {
            return false;
        };
        if !queue.is_free() || queue.given() != 0 || there < LOOK_NS / 2 {
            return false;
        }
        let newest = queue.last_end(kept).and_then(|_| kept.times.newest(place, &kept.shape));
        if newest.is_some_and(|newest| newest < there - there / 10) && here > there {
            return true;
        }
        let ends = [place, best].map(|place| self.places.end_of_new(one, place, now));
        let [Some(end), Some(best_end)] = ends else {
            return false;
        };
        let old = now.saturating_sub(queue.last_end(kept).unwrap_or(self.begun));
        old / AGAIN > end.saturating_sub(best_end).max(there / 2)
    }

    /// Whether an EDT may end as soon in a place as in the best one, since predictions have failed and both lie within
    /// their errors.
    pub(super) fn may_be_as_good(&self, one: &QueuedEdt, place: Place, best: Place, now: u64) -> bool {
        let times = one.kept.times;
        // That of the median of some samples is a part of that of each.
        let errors = [place, best].map(|place| times.error(place) / 3.0);
        if errors == [0.0; 2] {
            return false;
        }
        let ends = [place, best].map(|place| self.places.end_of_new(one, place, now));
        let runs = [place, best].map(|place| times.expected(place, &one.kept.shape));
        let ([Some(end), Some(best_end)], [Some(run), Some(best_run)]) = (ends, runs) else {
            return false;
        };
        // What is off by the whole of what an EDT took was half of it, or twice.
        let early = end as f64 - run as f64 * errors[0] / (1.0 + errors[0]);
        let late = best_end as f64 + best_run as f64 * errors[1];
        early <= late
    }

    /// An EDT for a place. True if one was left to the workers.
    pub(super) fn take(&mut self, place: Place, now: u64, machine: &dyn Machine) -> (Taken, bool) {
        let mut moved = false;
        let mut leaves_to_host = false;
        let mut edt = None;
        self.places.of(place).looks();
        if self.places.get(place).has_room(self.places.safe_ns(place), self.places.get(place).line().len(), now) {
            let one = self.next_for(place, now, machine, (&mut moved, &mut leaves_to_host));
            let one = one.or_else(|| self.take_back(place, now, machine));
            if let Some(one) = one {
                // What waits behind it ends later than it was planned to.
                if self.places.give(&one.kept, place, now) && place != Place::HOST {
                    moved |= self.fill_host(now, machine);
                }
                edt = Some(one.kept.edt);
                self.is_stuck = false;
            }
        }
        (Taken { edt, moved }, leaves_to_host)
    }

    /// The first EDT that waits for a place and should not go elsewhere by now, or the first open one that it may take.
    fn next_for(
        &mut self,
        place: Place,
        now: u64,
        machine: &dyn Machine,
        (moved, leaves_to_host): (&mut bool, &mut bool),
    ) -> Option<QueuedEdt> {
        let mut skip = 0;
        loop {
            let own = self.places.get(place).line().get(0).map(|one| one.key);
            let open = self.open.get(skip).map(|one| one.key);
            let is_own = match (own, open) {
                (None, None) => return None,
                (own, None) => own.is_some(),
                (None, Some(_)) => false,
                (Some(own), Some(open)) => own < open,
            };
            if is_own {
                let at = self.first_there(place);
                let mut one = self.places.of(place).remove(at)?;
                match self.sooner_elsewhere(&one, place, now, machine) {
                    Some(other) if one.moves < MOVES && !one.stays => {
                        if machine.is_recorded() {
                            let before = |at| match at {
                                at if at == place => 0,
                                at => self.places.get(at).line().before(one.key),
                            };
                            self.tell(&one.kept, Why::Moved, Some(other), before, now, machine);
                        }
                        one.moves += 1;
                        self.places.of(other).insert(one);
                        *moved = true;
                    }
                    _ => return Some(one),
                }
                continue;
            }
            if skip >= LOOKS {
                // What waits for the place comes after all that it was refused.
                return self.places.of(place).remove(0);
            }
            let mut one = self.open.remove(skip)?;
            match self.plans(&one, now, machine) {
                Plans::To(best) => {
                    self.tell_new(&one, Why::Planned, Some(best), now, machine);
                    if best == place {
                        return Some(one);
                    }
                    self.places.of(best).insert(one);
                    *moved = true;
                }
                Plans::Again(other) => {
                    self.tell_new(&one, Why::Tried, Some(other), now, machine);
                    if other == place {
                        return Some(one);
                    }
                    one.stays = true;
                    self.places.of(other).insert(one);
                    *moved = true;
                }
                Plans::Open => match self.may_take_open(&one, place, now, machine) {
                    MayTake::Yes => {
                        self.tell_new(&one, Why::Tried, Some(place), now, machine);
                        return Some(one);
                    }
                    left => {
                        match left {
                            MayTake::LeavesTo(Place::HOST) => *leaves_to_host = true,
                            // A device is asked after a worker.
                            MayTake::LeavesTo(_) if place == Place::HOST => *moved = true,
                            _ => {}
                        }
                        self.open.insert(one);
                        skip += 1;
                    }
                },
            }
        }
    }

    /// The first of the next EDTs in the line of a place that has its blocks there, if they are as urgent; else the
    /// next.
    fn first_there(&self, place: Place) -> usize {
        let line = self.places.get(place).line();
        let Some(first) = line.get(0) else { return 0 };
        let next = line.iter().take(LOOKS);
        let mut equal = next.take_while(|one| one.key.0 == first.key.0);
        let there = equal.position(|one| Places::is_there(&one.kept, place));
        there.unwrap_or(0)
    }

    /// Where an EDT whose turn it is would end sooner than where it is.
    fn sooner_elsewhere(&self, one: &QueuedEdt, place: Place, now: u64, machine: &dyn Machine) -> Option<Place> {
        if let Some((_, best)) = self.on_same_cores(&one.kept, now, machine) {
            return (best != place).then_some(best);
        }
        let [_, _, ..] = one.kept.candidates[..] else {
            return None;
        };
        let here = self.places.end_of_next(&one.kept, place, now)?;
        let others = (one.kept.candidates.iter()).filter(|candidate| candidate.place != place);
        let others = others.filter(|candidate| !self.slows_host(&one.kept, candidate.place));
        let ends = others.filter_map(|candidate| {
            let end = self.places.end_of_new(one, candidate.place, now)?;
            Some((end, candidate.place))
        });
        let (end, other) = ends.min()?;
        (end + end / GAIN < here).then_some(other)
    }

    /// An EDT that waits for another place and ends sooner in this one, which has nothing.
    fn take_back(&mut self, place: Place, now: u64, machine: &dyn Machine) -> Option<QueuedEdt> {
        let waits = |other: &Place| !self.places.get(*other).line().is_empty();
        let others = self.places.places().filter(|other| *other != place);
        let most = others.filter(waits).max_by_key(|&other| self.places.get(other).waiting_ns())?;
        let at = self.worth_taking(place, most, now, machine)?;
        if machine.is_recorded()
            && let Some(one) = self.places.get(most).line().get(at)
        {
            let before = |other| match other {
                other if other == place => 0,
                other if other == most => at,
                other => self.places.get(other).line().before(one.key),
            };
            self.tell(&one.kept, Why::Taken, Some(place), before, now, machine);
        }
        let mut one = self.places.of(most).remove(at)?;
        one.moves = 0;
        Some(one)
    }

    /// The first EDT in the line of `other` that ends sooner in `place`.
    fn worth_taking(&self, place: Place, other: Place, now: u64, machine: &dyn Machine) -> Option<usize> {
        let line = self.places.get(other).line();
        let len = line.len();
        let gains = |at: usize| {
            let one = line.get(at).filter(|one| !one.stays)?;
            if let Some((_, best)) = self.on_same_cores(&one.kept, now, machine) {
                return (best == place).then_some(at);
            }
            if self.slows_host(&one.kept, place) {
                return None;
            }
            let end = self.places.end_of_next(&one.kept, place, now)?;
            let then = self.places.end_of(other, at, now)?;
            (end + end / GAIN < then).then_some(at)
        };
        // Where they are alike, those behind the first that gains do, too.
        let (mut low, mut high) = (0, len);
        while low < high {
            let middle = low.midpoint(high);
            match gains(middle) {
                Some(_) => high = middle,
                None => low = middle + 1,
            }
        }
        // Others may be between those that do not.
        (low < len).then_some(low).or_else(|| (len.saturating_sub(LOOKS)..len).find_map(gains))
    }

    /// When places must be asked again though nothing has ended: an EDT is overdue then, or a place has waited long
    /// enough for another that was tried. None where nothing waits.
    pub(super) fn next_look(&self, now: u64) -> Option<u64> {
        let duplicate = self.next_duplicate().filter(|at| *at > now);
        let waits = self.places.iter().any(|queue| !queue.line().is_empty());
        if !waits && self.open.is_empty() {
            return duplicate;
        }
        let overdue = self.places.iter().filter_map(|queue| queue.next_look(now)).min();
        let held = self.open.get(0).and_then(|one| {
            let (known_ns, _) = self.least_known(&one.kept)?;
            let tries = self.places.iter().map(|queue| queue.tries(&one.kept));
            let begun = tries.filter(|(count, _)| *count > 0).map(|(_, since)| since + known_ns);
            begun.chain([one.since + known_ns / 4]).filter(|at| *at > now).min()
        });
        let idle = self.places.iter().all(|queue| queue.given() == 0);
        let stuck = idle.then_some(now + LOOK_NS);
        [overdue, held, stuck, duplicate].into_iter().flatten().min()
    }

    /// Plans anew what waits for a place in which an EDT is overdue.
    pub(super) fn replan(&mut self, now: u64, machine: &dyn Machine) {
        self.is_stuck = self.places.iter().all(|queue| queue.given() == 0 && queue.free_units() > 0);
        for place in self.places.places() {
            let len = self.places.get(place).line().len();
            for at in (len.saturating_sub(PENDING)..len).rev() {
                let line = self.places.get(place).line();
                let Some(one) = line.get(at).filter(|one| !one.stays) else {
                    continue;
                };
                let Some(end) = self.places.end_of(place, at, now) else {
                    continue;
                };
                let others = one.kept.candidates.iter().filter(|other| other.place != place);
                let ends =
                    others.filter_map(|other| Some((self.places.end_of_new(one, other.place, now)?, other.place)));
                let other = match self.on_same_cores(&one.kept, now, machine) {
                    Some((_, best)) => (best != place).then_some(best),
                    None => (ends.min()).filter(|(sooner, _)| sooner + sooner / GAIN < end).map(|(_, other)| other),
                };
                let Some(other) = other else {
                    continue;
                };
                if machine.is_recorded() {
                    let before = |to| match to {
                        to if to == place => at,
                        to => self.places.get(to).line().before(one.key),
                    };
                    self.tell(&one.kept, Why::Moved, Some(other), before, now, machine);
                }
                if let Some(one) = self.places.of(place).remove(at) {
                    self.places.of(other).insert(one);
                }
            }
        }
        let _ = self.fill_host(now, machine);
    }

    /// Where the host has nothing to do, and an EDT that waits for a device ends sooner there by now, moves it. True if
    /// it has.
    pub(super) fn fill_host(&mut self, now: u64, machine: &dyn Machine) -> bool {
        let is_idle = self.places.get(Place::HOST).is_idle();
        let one = is_idle.then(|| self.take_back(Place::HOST, now, machine));
        let Some(one) = one.flatten() else {
            return false;
        };
        self.places.of(Place::HOST).insert(one);
        true
    }
}
