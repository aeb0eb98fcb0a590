//! `eft`, earliest finish time: every EDT goes where it is expected to end first.
//!
//! It plans early and commits late. A ready EDT is put before the place where it should end first: behind what the
//! place was given and what waits there, when its blocks have come, after the time that its variant takes there. A
//! place is given little at once (`Queue::has_room`), and what it was not given may still go elsewhere:
//!
//! - An EDT whose turn it is goes to another place if it ends sooner there by now.
//! - A place without work takes an EDT that waits for another place, if that ends sooner so.
//! - A place that would end an EDT later than the place for which it waits leaves it there. So a slow place delays
//!   neither the end of a run nor what waits for an EDT.
//!
//! In a place, EDTs go by priority, and then as they became ready. Last in, first out costs up to half of the time in
//! graphs where what became ready first is what others wait for.
//!
//! # What is not known
//!
//! EDTs whose time is not known in each place where they may run wait in one line, `open`. Which place takes one of
//! them:
//!
//! - If nothing is known of it anywhere, the host takes it, and a device tries one as soon as a second one waits.
//! - A place in which its time is not known tries one EDT at a time, if it has nothing else to do, and if the mean gain
//!   of that is greater than the mean loss (`doubt.rs`).
//! - Of the places in which its time is known, the best takes it, but for two cases. An EDT that is the only one is
//!   left to a place that is to try it. And while another place is tried, it takes no second one; where fewer than
//!   [`FEW`] wait, it takes none until that place has ended, or for as long as an EDT takes.
//! - If its times are known and scatter, a place other than the best takes it only if both lie within their errors, and
//!   the best has something to do.
//!
//! *The worst case.* Let one place be R times as fast as the other, and N EDTs be the best single place's work. At most
//! one EDT is tried in the slow place before its time is known there. If all are ready at once, they take max(1 + 1/N,
//! (R + 1)/N) of the time in the best place; if one waits for the other, 1 + (R - 1)/N. No rule that knows neither
//! place can do better in both directions. Where earlier EDTs have shown the ratio of the places, a try that loses more
//! than it gains is left out. `src/simulate/tests/drawn.rs` holds 10,000 drawn cases to that.
//!
//! # What changes
//!
//! An EDT that has run for twice as long as was expected makes its place doubtful at once: other EDTs are expected to
//! take as many times as long there, and what waits for the place is planned anew ([`Keeper::tick`]). An idle place
//! that is known to be worse is looked at again when what that costs is a part of the time since ([`AGAIN`]).
//!
//! # Cores that are shared
//!
//! A CPU device that computes on the cores of the workers is no place to balance against: `variant.rs` says which
//! variant an EDT runs as, at once. Where other devices may run it, too, the plan has only the better of both.
//!
//! # Why each EDT is taken in the end
//!
//! All is done with one lock held. An EDT in the line of a device waits behind EDTs that were given to the device, at
//! whose end the device is asked again, or it was put there by a call after which all devices are asked
//! ([`Taken::moved`], [`Keeper::keep`], [`Keeper::ended`]): a device that was given nothing takes what waits for it, or
//! leaves it to a place where it ends sooner, which is not this one again. An EDT in the host's line, or in `open`, is
//! offered to the workers whenever something has changed. A place that leaves one of `open` to another has that asked
//! ([`Taken::moved`], [`Machine::offer_to_workers`]). Where EDTs wait though no place has anything, the keeper is asked
//! again soon, and then the first place that asks takes one.

use super::doubt::{Speeds, is_worth_trying};
use super::interface::{Candidate, Choice, Choices, Keeper, KeptEdt, Machine, Policy, PolicyEntry, Taken};
use super::queue::{Places, QueuedEdt, WaitingLine, is_known};
use super::told::{Certainty, Considered, Why};
use super::variant::{OnSameCores, Variants, tell};
use crate::place::Place;
use ocr_base::lock::{Mutex, rank};
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(super) const ENTRY: PolicyEntry = PolicyEntry {
    name: "eft",
    usage: "eft",
    what: "where it ends first, by measured times; what has not begun may go elsewhere",
    make: |args| args.is_empty().then(|| Box::new(Eft::default()) as _),
};

/// EDTs that have not ended are counted up to this number.
const PENDING: usize = 100;
/// A run that has lasted for some time lasts for this number of times as long, as a guess.
const GOES_ON: u64 = 4;
/// Where fewer EDTs wait, a place whose time is known waits until another has been tried, for as long as an EDT takes.
const FEW: usize = 20;
/// An idle place is looked at again if what it costs is this part of the time since.
const AGAIN: u64 = 32;
/// The keeper is not asked again sooner than this.
const LOOK_NS: u64 = 500_000;
/// An EDT that takes less is not worth keeping: to launch its kernel takes a core of the host some microseconds, and to
/// put it before a place and take it from there half a microsecond.
const KEEP_FROM_NS: u64 = 10_000;
/// On cores that workers and a device share, a function that takes less is not kept while its kernel is not known: to
/// keep an EDT takes up to a microsecond.
const SHORT_NS: u64 = 100_000;
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
    /// How many were kept, and run. It orders nothing: a thread asks for an EDT that it has run itself.
    given: AtomicUsize,
    /// The choice between function and kernel on the same cores.
    variants: Arc<Variants>,
}

struct EftPlan {
    variants: Arc<Variants>,
    places: Places,
    open: WaitingLine,
    came: u64,
    /// When the first EDT came.
    begun: u64,
    /// What templates have shown of the places.
    speeds: Speeds,
    /// Whether EDTs wait though no place has anything: then the first place that asks takes one.
    is_stuck: bool,
}

impl Policy for Eft {
    fn learns(&self) -> bool {
        true
    }

    fn shares_cores(&self) -> bool {
        true
    }

    /// An EDT that a worker runs in less time than it takes to keep it goes there at once, if no device is known to be
    /// faster, nor may hints ask for one. What keeps a device from being unknown for ever are the first ones, of which
    /// the host is not known either.
    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        if let Some(edt) = OnSameCores::of_choices(choices, machine) {
            return self.choose_variant(&edt, choices, machine);
        }
        let shape = choices.blocks.shape();
        let time = |place| choices.times.expected(place, &shape);
        let slower = |host: u64| move |device: &Place| time(*device).is_some_and(|ns| ns >= host);
        match time(Place::HOST).filter(|_| choices.function) {
            Some(host)
                if host < KEEP_FROM_NS && choices.devices.iter().all(slower(host)) && !choices.blocks.are_hinted() =>
            {
                if machine.is_recorded() {
                    tell(choices, Why::Short, Place::HOST, machine);
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

impl Eft {
    /// An EDT that workers and a device on their cores may run is kept where its kernel is better, or may be. Others go
    /// to the workers at once: what is short, and what is better as a function.
    fn choose_variant(&self, edt: &OnSameCores<'_>, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        let (function, kernel) = (edt.known_ns(Place::HOST), edt.known_ns(edt.device));
        let is_decided = function.is_some_and(|ns| ns < SHORT_NS || kernel.is_some());
        if !is_decided || edt.best(function, kernel, machine) != Place::HOST {
            return Choice::Kept;
        }
        let is_tried = self.variants.wants(edt, Place::HOST, machine)
            && self.variants.begin(edt, choices.edt, edt.device, machine);
        let (why, place) = if is_tried { (Why::Tried, edt.device) } else { (Why::Cores, Place::HOST) };
        if machine.is_recorded() {
            tell(choices, why, place, machine);
        }
        Choice::At(place)
    }

    /// Does something with the plan, and says what the workers are offered then, if that has changed.
    fn with<R>(&self, machine: &dyn Machine, f: impl FnOnce(&mut EftPlan, u64) -> (R, Option<bool>)) -> R {
        let now = machine.now_ns();
        let mut plan = self.plan.lock();
        let plan = plan.get_or_insert_with(|| EftPlan::new(self.variants.clone(), now));
        plan.places.complete(machine);
        let (result, offers) = f(plan, now);
        if let Some(at) = plan.next_look(now) {
            machine.ask_again(at.max(now + LOOK_NS));
        }
        if let Some(offers) = offers {
            machine.offer_to_workers(offers);
        }
        result
    }
}

impl Keeper for Eft {
    fn keep(&self, mut edt: KeptEdt, machine: &dyn Machine) {
        Variants::narrow(&mut edt, machine);
        self.len.fetch_add(1, Ordering::Relaxed);
        self.with(machine, |plan, now| {
            let offers = plan.keep(edt, now, machine);
            ((), offers.then_some(true))
        });
    }

    fn take(&self, place: Place, machine: &dyn Machine) -> Taken {
        // Devices are asked at the end of each kernel. A worker asks where it was offered something, and goes on asking
        // until there is nothing on offer.
        if place != Place::HOST && self.count() == 0 {
            let (edt, moved) = (None, false);
            return Taken { edt, moved };
        }
        let taken = self.with(machine, |plan, now| {
            let (taken, leaves_to_host) = plan.take(place, now, machine);
            let moved = taken.moved;
            let more = taken.edt.is_some() && plan.offers();
            // What was left to the workers by a device is new to them.
            let host = place == Place::HOST;
            let more = if host { more } else { plan.offers() };
            (taken, (host || moved || leaves_to_host).then_some(more))
        });
        if taken.edt.is_some() {
            self.given.fetch_add(1, Ordering::Relaxed);
            self.len.fetch_sub(1, Ordering::Relaxed);
        }
        taken
    }

    fn ended(&self, edt: usize, place: Place, frees_worker: bool, machine: &dyn Machine) {
        self.variants.ended(edt, machine);
        if self.given.load(Ordering::Relaxed) == 0 && self.count() == 0 {
            return;
        }
        self.with(machine, |plan, now| {
            if frees_worker {
                plan.places.of(Place::HOST).frees_one();
            }
            if let Some(ended) = plan.places.ended(edt, place, now) {
                self.given.fetch_sub(1, Ordering::Relaxed);
                // What all workers do together says nothing of one.
                if !ended.is_spread {
                    plan.speeds.note(&ended);
                }
            }
            let _ = plan.fill_host(now, machine);
            ((), plan.offers().then_some(true))
        });
    }

    fn goes_on(&self, edt: usize, scope: usize, frees_worker: bool, machine: &dyn Machine) -> bool {
        let is_tried = self.variants.goes_on(edt, scope);
        let is_given = self.given.load(Ordering::Relaxed) != 0
            && self.with(machine, |plan, _| {
                let host = plan.places.of(Place::HOST);
                let is_given = host.goes_on(edt, scope);
                if is_given && frees_worker {
                    host.frees_one();
                }
                (is_given, plan.offers().then_some(true))
            });
        if !is_tried && !is_given {
            self.ended(edt, Place::HOST, frees_worker, machine);
        }
        is_tried || is_given
    }

    fn tick(&self, machine: &dyn Machine) {
        if self.count() != 0 {
            self.with(machine, |plan, now| {
                plan.replan(now, machine);
                ((), plan.offers().then_some(true))
            });
        }
    }

    fn count(&self) -> usize {
        self.len.load(Ordering::Relaxed)
    }

    fn look(&self, see: &mut dyn FnMut(usize)) {
        if let Some(plan) = &*self.plan.lock() {
            let lines = plan.places.iter().map(|queue| queue.line());
            for one in lines.chain(std::iter::once(&plan.open)).flat_map(|line| line.iter()) {
                see(one.kept.edt);
            }
        }
    }
}

/// Whether a place takes an EDT of the open ones.
enum MayTake {
    Yes,
    No,
    /// Another place should be tried with it.
    LeavesTo(Place),
}

/// Where an EDT is to go.
enum Plans {
    /// To the place where it ends first.
    To(Place),
    /// To this place, where others of its kind have run too long ago, to see whether it has become faster.
    Again(Place),
    /// The time of the EDT is not known everywhere.
    Open,
}

impl EftPlan {
    fn new(variants: Arc<Variants>, now: u64) -> EftPlan {
        EftPlan {
            variants,
            places: Places::new(),
            open: WaitingLine::default(),
            came: 0,
            begun: now,
            speeds: Speeds::default(),
            is_stuck: false,
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
        if kept.frees_worker {
            self.places.of(Place::HOST).frees_one();
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
            if certainty < Certainty::Derived
                && let Some((known, _)) = self.least_known(kept)
            {
                let (least, most) = self.bounds(kept, place, known);
                expected.run_ns = Some((least * most).sqrt() as u64);
                certainty = Certainty::Guessed;
            }
            machine.considered(&Considered {
                edt: kept.edt,
                place,
                expected,
                certainty,
                why,
                is_chosen: chosen == Some(place),
                is_first: number == 0,
            });
        }
    }

    /// An EDT that workers and a device on their cores may run, and where it runs by now: by times that are not
    /// overdue.
    fn on_same_cores<'a>(
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
    fn may_be_as_good(&self, one: &QueuedEdt, place: Place, best: Place, now: u64) -> bool {
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
    fn take(&mut self, place: Place, now: u64, machine: &dyn Machine) -> (Taken, bool) {
        let mut moved = false;
        let mut leaves_to_host = false;
        let mut edt = None;
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

    /// Whether a place takes an EDT that was not planned.
    fn may_take_open(&self, one: &QueuedEdt, place: Place, now: u64, machine: &dyn Machine) -> MayTake {
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
    fn least_known(&self, kept: &KeptEdt) -> Option<(u64, usize)> {
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
    fn bounds(&self, kept: &KeptEdt, place: Place, known_ns: u64) -> (f64, f64) {
        if let Some(most) = kept.times.at_most(place, &kept.shape) {
            return Speeds::below(most);
        }
        // What others have shown is of one worker.
        let known = (kept.candidates.iter()).filter(|one| is_known(kept, one.place) && !kept.is_spread);
        let least = known.min_by_key(|one| kept.times.expected(one.place, &kept.shape));
        self.speeds.bounds(place, least.map(|least| least.place), known_ns)
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
    fn next_look(&self, now: u64) -> Option<u64> {
        let waits = self.places.iter().any(|queue| !queue.line().is_empty());
        if !waits && self.open.is_empty() {
            return None;
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
        [overdue, held, stuck].into_iter().flatten().min()
    }

    /// Plans anew what waits for a place in which an EDT is overdue.
    fn replan(&mut self, now: u64, machine: &dyn Machine) {
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
