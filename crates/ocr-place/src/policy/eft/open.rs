//! Which place takes an EDT whose time is not known in each place where it may run.

use super::{AGAIN, EftPlan, PENDING};
use crate::place::Place;
use crate::policy::doubt::{Speeds, is_worth_trying};
use crate::policy::interface::{Candidate, KeptEdt, Machine};
use crate::policy::queue::{QueuedEdt, is_known};

/// A run that has lasted for some time lasts for this number of times as long, as a guess.
const GOES_ON: u64 = 4;
/// Where fewer EDTs wait, a place whose time is known waits until another has been tried, for as long as an EDT takes.
const FEW: usize = 20;

/// Whether a place takes an EDT of the open ones.
pub(super) enum MayTake {
    Yes,
    No,
    /// Another place should be tried with it.
    LeavesTo(Place),
}

impl EftPlan {
    /// Whether a place takes an EDT that was not planned.
    pub(super) fn may_take_open(&self, one: &QueuedEdt, place: Place, now: u64, machine: &dyn Machine) -> MayTake {
        let kept = &one.kept;
        if !kept.candidates.iter().any(|other| other.place == place) {
            return MayTake::No;
        }
        if self.is_stuck {
            return MayTake::Yes;
        }
        if let Some((edt, usual)) = self.on_same_cores(kept, now, machine) {
            let is_tried = self.variants.wants(&edt, usual, machine);
            return if place != usual {
                let begins = self.variants.begin(&edt, kept.edt, place, machine);
                if begins { MayTake::Yes } else { MayTake::No }
            } else if is_tried {
                MayTake::LeavesTo(edt.other(usual))
            } else {
                MayTake::Yes
            };
        }
        let yes = |may| if may { MayTake::Yes } else { MayTake::No };
        let others = || kept.candidates.iter().map(|other| other.place).filter(|&other| other != place);
        let mut known = (kept.candidates.iter()).filter(|other| is_known(kept, other.place));
        if known.clone().count() == kept.candidates.len() {
            // Times scatter: any place that may be the best.
            let end = |place| self.places.end_of_new(one, place, now);
            let best = kept.candidates.iter().min_by_key(|other| end(other.place));
            let best = best.map_or(place, |best| best.place);
            return if best == place {
                MayTake::Yes
            } else if self.places.get(best).is_free() {
                MayTake::LeavesTo(best)
            } else {
                yes(self.may_be_as_good(one, place, best, now))
            };
        }
        if !is_known(kept, place) {
            if known.next().is_none() && place == Place::HOST {
                return MayTake::Yes;
            }
            return yes(self.may_try(one, place, now, machine));
        }
        let end = |place| self.places.end_of_new(one, place, now);
        let sooner = |other: &Candidate| other.place != place && end(other.place) < end(place);
        if known.any(sooner) {
            return MayTake::No;
        }
        let (known_ns, _) = self.least_known(kept).unwrap_or_default();
        for other in others().filter(|&other| !is_known(kept, other)) {
            let queue = self.places.get(other);
            let (tries, since) = queue.tries(kept);
            let few = self.open.len() + tries < FEW;
            let (waits, is_left) = if tries > 0 {
                (now < since + known_ns, false)
            } else if self.may_try(one, other, now, machine) {
                (true, self.open.is_empty())
            } else {
                // A worker may be in an EDT of which the policy does not know, and end it soon.
                let soon = other == Place::HOST && queue.given() == 0 && queue.is_busy_otherwise();
                if few && soon && now < one.since + known_ns / 4 {
                    return MayTake::No;
                }
                continue;
            };
            // What is the only one is left to the place that should be tried; of more, the known place has one at a
            // time.
            if is_left || few && waits {
                return if tries > 0 { MayTake::No } else { MayTake::LeavesTo(other) };
            }
            if place != Place::HOST && self.places.get(place).given() != 0 {
                return MayTake::No;
            }
        }
        MayTake::Yes
    }

    /// Whether a place in which it is not known how long an EDT takes is to find it out with this one: it has nothing
    /// else to do and tries no other, and the expected loss of that is less than the gain.
    fn may_try(&self, one: &QueuedEdt, place: Place, now: u64, machine: &dyn Machine) -> bool {
        let kept = &one.kept;
        let queue = self.places.get(place);
        let at_most = if place == Place::HOST { queue.units() / queue.units_for(kept) } else { 1 };
        if !queue.is_free() || queue.tries(kept).0 >= at_most {
            return false;
        }
        let known = self.least_known(kept);
        let hint = || kept.candidates.iter().find_map(|other| kept.times.expected(other.place, &kept.shape));
        let (known_ns, units) = known.unwrap_or_else(|| (hint().unwrap_or(1_000_000), 1));
        let is_host = kept.candidates.iter().any(|other| other.place == Place::HOST);
        // The EDT itself, those that wait with it, and those that are tried elsewhere.
        let elsewhere = self.places.iter().map(|queue| queue.tries(kept).0).sum::<usize>();
        let waiting = 1 + self.open.len() + if known.is_none() { elsewhere } else { 0 };
        if known.is_none() && !is_host {
            return true;
        }
        if known.is_none() && waiting < 2 {
            // The host comes first.
            return false;
        }
        let lasted = if known.is_some() { now.saturating_sub(self.begun) } else { 0 };
        let to_come = machine.pending(PENDING) as u64;
        let to_come = to_come.max(GOES_ON * lasted / known_ns.max(1)).max(waiting as u64);
        let bounds = self.bounds(kept, place, known_ns);
        // What costs little beside the run so far is tried in any case.
        let most_loss = bounds.1 - (known_ns * waiting as u64) as f64 / units as f64;
        if known.is_some() && most_loss <= (lasted / AGAIN) as f64 {
            return true;
        }
        is_worth_trying(known_ns as f64, waiting as f64 / units as f64, to_come as f64, bounds)
    }

    /// The least known time of an EDT, in nanoseconds, and how many units have that.
    pub(super) fn least_known(&self, kept: &KeptEdt) -> Option<(u64, usize)> {
        let known = kept.candidates.iter().filter(|one| is_known(kept, one.place));
        let times = known.filter_map(|one| {
            let ns = kept.times.expected(one.place, &kept.shape)?;
            let queue = self.places.get(one.place);
            Some((ns, (queue.units() / queue.units_for(kept)).max(1)))
        });
        times.min()
    }

    /// Between which times an EDT lies in a place where its time is not known, in nanoseconds; the known place takes
    /// `known_ns`.
    pub(super) fn bounds(&self, kept: &KeptEdt, place: Place, known_ns: u64) -> (f64, f64) {
        if let Some(most) = kept.times.at_most(place, &kept.shape) {
            return Speeds::below(most);
        }
        // What others have shown is of one worker.
        let known = (kept.candidates.iter()).filter(|one| is_known(kept, one.place) && !kept.is_spread);
        let least = known.min_by_key(|one| kept.times.expected(one.place, &kept.shape));
        self.speeds.bounds(place, least.map(|least| least.place), known_ns)
    }
}
