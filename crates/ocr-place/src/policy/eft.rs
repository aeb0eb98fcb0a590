//! `eft`, earliest finish time: every EDT goes where it is expected to end first.
//!
//! It plans early and commits late. A ready EDT is put before the place where it should end first: behind what the place
//! was given and what waits there, when its blocks have come, after the time that its variant takes there. A place is
//! given little at once ([`Queue::has_room`]), and what it was not given may still go elsewhere:
//!
//! - An EDT whose turn it is goes to another place if it ends sooner there by now.
//! - A place without work takes an EDT that waits for another place, if that ends sooner so.
//! - A place that would end an EDT later than the place for which it waits leaves it there. So a slow place delays neither
//!   the end of a run nor what waits for an EDT.
//!
//! In a place, EDTs go by priority, and then as they became ready. Last in, first out costs up to half of the time in
//! graphs where what became ready first is what others wait for.
//!
//! # What is not known
//!
//! EDTs whose time is not known in each place where they may run wait in one line, `open`. A place takes one of them:
//!
//! - if nothing is known of it anywhere, or the predictions for its template fail: then the first free place takes it, as
//!   under `eager`;
//! - if its time is known there;
//! - if it is not known there, to find it out: one EDT at a time, and only where it costs little even if the place is slow,
//!   since many others wait or are to come ([`EXPLORE_BACKLOG`], [`EXPLORE_PENDING`]), or the run has taken long
//!   ([`EXPLORE_AFTER`]). No EDT ever waits until a time is known.
//!
//! Of EDTs of which nothing is known, a device takes those alone for which no worker is free: its first kernel may have to
//! be compiled.
//!
//! # Why each EDT is taken in the end
//!
//! All is done with one lock held. An EDT in the line of a device waits behind EDTs that were given to the device, at whose
//! end the device is asked again, or it was put there by a call after which all devices are asked ([`Taken::moved`],
//! [`Keeper::keep`], [`Keeper::ended`]): a device that was given nothing takes what waits for it, or leaves it to a place
//! where it ends sooner, which is not this one again. An EDT in the host's line, or in `open`, is offered to the workers
//! whenever something has changed; a worker refuses one of `open` only if another place knows its time, and that place
//! takes it.

use super::interface::{Choice, Choices, Keeper, KeptEdt, Machine, Policy, PolicyEntry, Taken};
use super::queue::{Places, Queue, QueuedEdt, WaitingLine};
use super::told::{Considered, Expected, Why};
use crate::place::Place;
use ocr_base::lock::{Mutex, rank};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) const ENTRY: PolicyEntry = PolicyEntry {
    name: "eft",
    usage: "eft",
    what: "where it ends first, by measured times; what has not begun may go elsewhere",
    make: |args| args.is_empty().then(|| Box::new(Eft::default()) as _),
};

/// An unknown time is found out if so many EDTs wait for each one that a place with a known time has at once: even if the
/// place is so many times slower, nobody waits for it in the end.
const EXPLORE_BACKLOG: usize = 8;
/// An unknown time is found out, too, if so many EDTs have not ended, most of which are not ready yet.
const EXPLORE_PENDING: usize = 100;
/// An unknown time is found out, too, if the run has taken so many times as long as the EDT takes elsewhere.
const EXPLORE_AFTER: u64 = 8;
/// An EDT that takes less is not worth keeping: to launch its kernel takes a core of the host some microseconds, and to put it
/// before a place and take it from there half a microsecond.
const KEEP_FROM_NS: u64 = 10_000;
/// A place takes an EDT from another's line only if that ends sooner by this part of the time.
const GAIN: u64 = 32;
/// An EDT is moved so often at most: then its place takes it.
const MOVES: u8 = 4;
/// How many waiting EDTs are looked at for a place that others do not fit.
const LOOKS: usize = 16;

#[derive(Default)]
struct Eft {
    plan: Mutex<rank::EftPlan, Option<EftPlan>>,
    /// How many are kept. It orders nothing.
    len: AtomicUsize,
}

struct EftPlan {
    places: Places,
    open: WaitingLine,
    came: u64,
    /// When the first EDT came.
    begun: u64,
}

impl Policy for Eft {
    fn learns(&self) -> bool {
        true
    }

    /// An EDT that a worker runs in less time than it takes to keep it goes there at once, if no device is known to be
    /// faster. What keeps a device from being unknown for ever are the first ones, of which the host is not known either.
    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        let bytes = choices.blocks.bytes();
        let time = |place| choices.times.expected(place, bytes);
        let slower = |host: u64| move |device: &Place| time(*device).is_some_and(|ns| ns >= host);
        match time(Place::HOST).filter(|_| choices.function) {
            Some(host) if host < KEEP_FROM_NS && choices.devices.iter().all(slower(host)) => {
                if machine.is_recorded() {
                    tell_short(choices, bytes, machine);
                }
                Choice::At(Place::HOST)
            }
            _ => Choice::Kept,
        }
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        Some(self)
    }
}

/// Says what was expected of an EDT that goes to the host at once.
#[cold]
fn tell_short(choices: &Choices<'_>, bytes: u64, machine: &dyn Machine) {
    for (number, place) in choices.places().enumerate() {
        machine.considered(&Considered {
            edt: choices.edt,
            place,
            expected: Expected {
                run_ns: choices.times.expected(place, bytes),
                ..Expected::default()
            },
            certainty: choices.times.certainty(place, bytes),
            why: Why::Short,
            is_chosen: place == Place::HOST,
            is_first: number == 0,
        });
    }
}

impl Eft {
    /// Does something with the plan, and says what the workers are offered then, if that has changed.
    fn with<R>(
        &self,
        machine: &dyn Machine,
        f: impl FnOnce(&mut EftPlan, u64) -> (R, Option<bool>),
    ) -> R {
        let now = machine.now_ns();
        let mut plan = self.plan.lock();
        let plan = plan.get_or_insert_with(|| EftPlan::new(now));
        plan.places.complete(machine);
        let (result, offers) = f(plan, now);
        if let Some(offers) = offers {
            machine.offer_to_workers(offers);
        }
        result
    }
}

impl Keeper for Eft {
    fn keep(&self, edt: KeptEdt, machine: &dyn Machine) {
        self.len.fetch_add(1, Ordering::Relaxed);
        self.with(machine, |plan, now| {
            let offers = plan.keep(edt, now, machine);
            ((), offers.then_some(true))
        });
    }

    fn take(&self, place: Place, machine: &dyn Machine) -> Taken {
        // Devices are asked at the end of each kernel. A worker asks where it was offered something, and goes on asking until
        // it is told that there is nothing.
        if place != Place::HOST && self.count() == 0 {
            let (edt, moved) = (None, false);
            return Taken { edt, moved };
        }
        let taken = self.with(machine, |plan, now| {
            let taken = plan.take(place, now, machine);
            let more = taken.edt.is_some() && plan.offers();
            // What was left to the workers by a device is new to them.
            let host = place == Place::HOST;
            let offers = (host || taken.moved).then_some(if host { more } else { plan.offers() });
            (taken, offers)
        });
        if taken.edt.is_some() {
            self.len.fetch_sub(1, Ordering::Relaxed);
        }
        taken
    }

    fn ended(&self, edt: usize, place: Place, machine: &dyn Machine) {
        self.with(machine, |plan, now| {
            plan.places.ended(edt, place, now);
            let _ = plan.fill_host(now, machine);
            ((), plan.offers().then_some(true))
        });
    }

    fn count(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    fn look(&self, see: &mut dyn FnMut(usize)) {
        if let Some(plan) = &*self.plan.lock() {
            let lines = plan.places.iter().map(|queue| queue.line());
            for one in lines
                .chain(std::iter::once(&plan.open))
                .flat_map(|line| line.iter())
            {
                see(one.kept.edt);
            }
        }
    }
}

/// Where an EDT is to go.
enum Plans {
    /// To the place where it ends first, and in how many nanoseconds it does.
    To(Place, u64),
    /// The time of the EDT is not known everywhere.
    Open,
}

impl EftPlan {
    fn new(now: u64) -> EftPlan {
        EftPlan {
            places: Places::new(),
            open: WaitingLine::default(),
            came: 0,
            begun: now,
        }
    }

    /// Whether there may be an EDT for a worker.
    fn offers(&self) -> bool {
        !self.open.is_empty() || !self.places.get(Place::HOST).line().is_empty()
    }

    /// Takes an EDT in. True if a worker may take it.
    fn keep(&mut self, kept: KeptEdt, now: u64, machine: &dyn Machine) -> bool {
        let key = (Reverse(kept.priority), self.came);
        self.came += 1;
        let (one, moves) = (kept, 0);
        let one = QueuedEdt {
            kept: one,
            key,
            moves,
        };
        // What is open goes before what came later.
        let plans = if self.open.is_empty() {
            self.plans(&one, now)
        } else {
            Plans::Open
        };
        match plans {
            Plans::To(place, _) => {
                self.tell_new(&one, Why::Planned, Some(place), now, machine);
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
    fn tell_new(
        &self,
        one: &QueuedEdt,
        why: Why,
        chosen: Option<Place>,
        now: u64,
        machine: &dyn Machine,
    ) {
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
            machine.considered(&Considered {
                edt: kept.edt,
                place,
                expected: expected.unwrap_or_default(),
                certainty: kept.times.certainty(place, kept.bytes),
                why,
                is_chosen: chosen == Some(place),
                is_first: number == 0,
            });
        }
    }

    fn plans(&self, one: &QueuedEdt, now: u64) -> Plans {
        if one.kept.times.fails() {
            return Plans::Open;
        }
        let mut best = Plans::Open;
        for candidate in &one.kept.candidates {
            let Some(end) = self.places.end_of_new(one, candidate.place, now) else {
                return Plans::Open;
            };
            if !matches!(best, Plans::To(_, other) if other <= end) {
                best = Plans::To(candidate.place, end);
            }
        }
        best
    }

    /// An EDT for a place.
    fn take(&mut self, place: Place, now: u64, machine: &dyn Machine) -> Taken {
        let mut moved = false;
        let mut edt = None;
        if self.places.get(place).has_room(
            self.places.safe_ns(place),
            self.places.get(place).line().len(),
            now,
        ) {
            let one = self.next_for(place, now, machine, &mut moved);
            let one = one.or_else(|| self.take_back(place, now, machine));
            if let Some(one) = one {
                // What waits behind it ends later than it was planned to.
                if self.places.give(&one.kept, place, now) && place != Place::HOST {
                    moved |= self.fill_host(now, machine);
                }
                edt = Some(one.kept.edt);
            }
        }
        Taken { edt, moved }
    }

    /// The first EDT that waits for a place and should not go elsewhere by now, or the first open one that it may take.
    fn next_for(
        &mut self,
        place: Place,
        now: u64,
        machine: &dyn Machine,
        moved: &mut bool,
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
                match self.sooner_elsewhere(&one, place, now) {
                    Some(other) if one.moves < MOVES => {
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
            let one = self.open.remove(skip)?;
            match self.plans(&one, now) {
                Plans::To(best, _) => {
                    self.tell_new(&one, Why::Planned, Some(best), now, machine);
                    if best == place {
                        return Some(one);
                    }
                    self.places.of(best).insert(one);
                    *moved = true;
                }
                Plans::Open if self.may_take_open(&one, place, now, machine) => {
                    self.tell_new(&one, Why::Tried, Some(place), now, machine);
                    return Some(one);
                }
                Plans::Open => {
                    self.open.insert(one);
                    skip += 1;
                }
            }
        }
    }

    /// The first of the next EDTs in the line of a place that has its blocks there, if they are as urgent; else the next.
    fn first_there(&self, place: Place) -> usize {
        let line = self.places.get(place).line();
        let Some(first) = line.get(0) else { return 0 };
        let next = line.iter().take(LOOKS);
        let mut equal = next.take_while(|one| one.key.0 == first.key.0);
        let there = equal.position(|one| Places::is_there(&one.kept, place));
        there.unwrap_or(0)
    }

    /// Where an EDT whose turn it is would end sooner than where it is.
    fn sooner_elsewhere(&self, one: &QueuedEdt, place: Place, now: u64) -> Option<Place> {
        let [_, _, ..] = one.kept.candidates[..] else {
            return None;
        };
        let here = self.places.end_of_next(&one.kept, place, now)?;
        let others = (one.kept.candidates.iter()).filter(|candidate| candidate.place != place);
        let ends = others.filter_map(|candidate| {
            let end = self.places.end_of_new(one, candidate.place, now)?;
            Some((end, candidate.place))
        });
        let (end, other) = ends.min()?;
        (end + end / GAIN < here).then_some(other)
    }

    /// Whether a place takes an EDT that was not planned.
    fn may_take_open(
        &self,
        one: &QueuedEdt,
        place: Place,
        now: u64,
        machine: &dyn Machine,
    ) -> bool {
        let kept = &one.kept;
        if !kept.candidates.iter().any(|other| other.place == place) {
            return false;
        }
        let time = |place| kept.times.expected(place, kept.bytes);
        let known = (kept.candidates.iter()).filter_map(|other| time(other.place));
        let Some(least) = known.min() else {
            let host = self.places.get(Place::HOST);
            let has_host = kept
                .candidates
                .iter()
                .any(|other| other.place == Place::HOST);
            return place == Place::HOST || !has_host || self.open.len() >= host.free_units();
        };
        if kept.times.fails() || time(place).is_some() {
            return true;
        }
        if self.places.get(place).exploring(kept) > 0 {
            return false;
        }
        let is_known = |queue: &&Queue| queue.exploring(kept) == 0;
        let known_places = self.places.iter().filter(is_known).count().max(1);
        let waiting = self.places.iter().map(|queue| queue.line().len());
        let backlog = self.open.len() + waiting.sum::<usize>();
        backlog >= EXPLORE_BACKLOG * known_places
            || now.saturating_sub(self.begun) / EXPLORE_AFTER > least
            || machine.pending(EXPLORE_PENDING) == EXPLORE_PENDING
    }

    /// An EDT that waits for another place and ends sooner in this one, which has nothing.
    fn take_back(&mut self, place: Place, now: u64, machine: &dyn Machine) -> Option<QueuedEdt> {
        let waits = |other: &Place| !self.places.get(*other).line().is_empty();
        let others = self.places.places().filter(|other| *other != place);
        let most = others
            .filter(waits)
            .max_by_key(|&other| self.places.get(other).waiting_ns())?;
        let at = self.worth_taking(place, most, now)?;
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
    fn worth_taking(&self, place: Place, other: Place, now: u64) -> Option<usize> {
        let line = self.places.get(other).line();
        let len = line.len();
        let gains = |at: usize| {
            let one = line.get(at)?;
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
        (low < len)
            .then_some(low)
            .or_else(|| (len.saturating_sub(LOOKS)..len).find_map(gains))
    }

    /// Where the host has nothing to do, and an EDT that waits for a device ends sooner there by now, moves it. True if it has.
    fn fill_host(&mut self, now: u64, machine: &dyn Machine) -> bool {
        let is_idle = self.places.get(Place::HOST).is_idle();
        let one = is_idle.then(|| self.take_back(Place::HOST, now, machine));
        let Some(one) = one.flatten() else {
            return false;
        };
        self.places.of(Place::HOST).insert(one);
        true
    }
}
