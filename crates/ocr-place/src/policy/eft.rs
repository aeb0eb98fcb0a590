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
//!   `FEW` (20) wait, it takes none until that place has ended, or for as long as an EDT takes.
//! - If its times are known and scatter, a place other than the best takes it only if both lie within their errors, and
//!   the best has something to do.
//!
//! *The worst case.* Let one place be R times as fast as the other, and N EDTs be the best single place's work. At most
//! one EDT is tried in the slow place before its time is known there. If all are ready at once, they take max(1 + 1/N,
//! (R + 1)/N) of the time in the best place; if one waits for the other, 1 + (R - 1)/N. No rule that knows neither
//! place can do better in both directions. Where earlier EDTs have shown the ratio of the places, a try that loses more
//! than it gains is left out. `src/simulate/tests/drawn.rs` holds 10,000 drawn cases to that.
//!
//! # Duplicates
//!
//! A worker that has nothing to do runs an EDT, too, that a device has not ended in twice the time that was expected of
//! it, or whose time is not known there (`Queue::duplicate`). Who ends first counts, and the other was in vain
//! ([`Keeper::outrun`]). So where the host is the better place, and nobody knows, EDTs that are all ready at once take
//! at most two EDTs' times more than on the host alone. How slow the device is does not matter
//! (`src/simulate/tests/duplicates.rs`). On cores that are shared there are no duplicates, nor are there any of
//! functions.
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

mod open;
mod plan;

use super::doubt::Speeds;
use super::interface::{Choice, Choices, Keeper, KeptEdt, Machine, Policy, PolicyEntry, Taken};
use super::places::Places;
use super::queue::WaitingLine;
use super::told::Why;
use super::variant::{OnSameCores, Variants, tell};
use crate::place::Place;
use ocr_base::lock::{Mutex, rank};
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
    /// Whether idle workers may run EDTs, too, that devices run.
    may_duplicate: bool,
}

impl Policy for Eft {
    fn learns(&self) -> bool {
        true
    }

    fn shares_cores(&self) -> bool {
        true
    }

    fn duplicates(&self) -> bool {
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
        plan.places.complete(machine, now);
        plan.may_duplicate = machine.may_duplicate() && !plan.places.any_shares_cores(machine);
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
            let more = taken.edt.is_some() && plan.offers(now);
            // What was left to the workers by a device is new to them, and so is what they could run, too.
            let host = place == Place::HOST;
            let more = if host { more } else { plan.offers(now) };
            let is_new = moved || leaves_to_host || plan.may_duplicate && taken.edt.is_some();
            (taken, (host || is_new).then_some(more))
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
                plan.places.of(Place::HOST).frees_one(now);
            }
            if let Some(ended) = plan.places.ended(edt, place, now) {
                self.given.fetch_sub(1, Ordering::Relaxed);
                // What all workers do together says nothing of one.
                if !ended.is_spread {
                    plan.speeds.note(&ended);
                }
            }
            let _ = plan.fill_host(now, machine);
            ((), plan.offers(now).then_some(true))
        });
    }

    fn goes_on(&self, edt: usize, scope: usize, frees_worker: bool, machine: &dyn Machine) -> bool {
        let is_tried = self.variants.goes_on(edt, scope);
        let is_given = self.given.load(Ordering::Relaxed) != 0
            && self.with(machine, |plan, now| {
                let host = plan.places.of(Place::HOST);
                let is_given = host.goes_on(edt, scope);
                if is_given && frees_worker {
                    host.frees_one(now);
                }
                (is_given, plan.offers(now).then_some(true))
            });
        if !is_tried && !is_given {
            self.ended(edt, Place::HOST, frees_worker, machine);
        }
        is_tried || is_given
    }

    fn tick(&self, machine: &dyn Machine) {
        if self.count() != 0 || machine.may_duplicate() {
            self.with(machine, |plan, now| {
                plan.replan(now, machine);
                ((), plan.offers(now).then_some(true))
            });
        }
    }

    fn duplicate(&self, place: Place, machine: &dyn Machine) -> Option<usize> {
        self.with(machine, |plan, now| {
            let edt = plan.duplicate(place, now);
            (edt, edt.map(|_| plan.offers(now)))
        })
    }

    fn outrun(&self, edt: usize, place: Place, vain: usize, machine: &dyn Machine) {
        self.with(machine, |plan, _| (plan.places.of(place).outrun(edt, vain), None));
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
