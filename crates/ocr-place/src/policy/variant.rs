//! Whether an EDT runs as its function or as its kernel, where a CPU device computes on the cores of the workers.
//!
//! Such a device is no second place: what it gets, the workers lose. So there is nothing to balance, and the variant
//! counts that uses the cores better. Let a kernel take `t` nanoseconds on a device that has all cores, and a function
//! `f` on one core. While `n` cores have something to do, the kernel is better if `n * t` and the launch take less than
//! `f`. For `n` = 1 that is the end of the EDT itself, and for all cores it is the time of a core that each variant
//! takes. A mix is never planned: EDTs of one kind run as one variant, and how many cores the device has for that is
//! the runtime's to say ([`Machine::shares_cores`]).
//!
//! # What is not known
//!
//! One EDT at a time is tried as the other variant; all others run as the one whose time is known, or as functions. It
//! is tried if
//!
//! - the mean gain of that is greater than the mean loss (`doubt.rs`) and what the first launch of a kernel costs
//!   ([`START_NS`]), for the EDTs that there are by now; or
//! - all that was tried so far, and this, is less than a part in [`PART`] of the core time that has passed.
//!
//! So a run whose kernels lose spends at most that part, or what was worth it by what was known. A run of some
//! milliseconds tries nothing. The variant that has lost is looked at again when a second has passed, or many times its
//! cost.

use super::doubt::{UNLIKE, mean_gain};
use super::interface::{Choices, KeptEdt, Machine, VariantTimes};
use super::told::{Considered, Expected, Why};
use crate::model::Shape;
use crate::place::Place;
use ocr_base::lock::{Mutex, rank};
use std::collections::HashMap;
use std::ptr;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// The core time of a launch that the time of the kernel has not in it.
const LAUNCH_NS: u64 = 10_000;
/// What the first launch of a kernel costs, in core time: the driver loads or compiles it, and threads go to other
/// cores.
const START_NS: u64 = 4_000_000;
/// What is tried is this part of the core time that has passed.
const PART: u64 = 64;
/// A variant that has lost is not looked at again sooner than this, or than this number of times its core time.
const AGAIN_NS: u64 = 1_000_000_000;
const AGAIN: u64 = 1_000;
/// No thread looks again whether something is worth trying before this time has passed.
const LOOK_NS: u64 = 500_000;
/// EDTs that have not ended are counted up to this number.
const PENDING: usize = 100;
/// A try for which no EDT has come in so much time is not wanted any more.
const WANTED_NS: u64 = 10_000_000;
/// This number of kinds is remembered.
const KINDS: usize = 256;
/// A time of which only the order of magnitude is known is expected to be this number of times the known one.
const LIKELY: u64 = 4;

/// What the choice remembers. The atomics order nothing: each says what one thread may do at a time, and what the
/// thread reads then is behind the lock.
#[derive(Default)]
pub(super) struct Variants {
    /// When the first EDT was looked at; 0: none was.
    begun: AtomicU64,
    /// Before this time no thread looks whether something is worth trying.
    look_at: AtomicU64,
    /// The EDT that is tried; 0: none is.
    tried: AtomicUsize,
    tries: Mutex<rank::EftTries, Tries>,
}

/// What is tried: the variant of a template that runs in a place, by the address of its times.
type VariantKind = (usize, Place);

#[derive(Default)]
struct Tries {
    /// The core time of all tries that have ended.
    spent_ns: u64,
    /// What should be tried with the next EDT of its kind, since when, and what that costs beside the time of the EDT.
    wanted: Option<(VariantKind, u64, u64)>,
    /// What is tried now, since when, and what it costs beside the time of its EDT.
    runs: Option<(VariantKind, u64, u64)>,
    /// When a variant was tried last.
    last: HashMap<VariantKind, u64>,
}

/// An EDT that the workers and a device on their cores may run.
#[derive(Clone, Copy)]
pub(super) struct OnSameCores<'a> {
    pub(super) times: &'a dyn VariantTimes,
    pub(super) shape: Shape,
    pub(super) device: Place,
    pub(super) cores: usize,
    /// Whether the function has all cores, too.
    pub(super) is_spread: bool,
}

/// Whether a kernel that takes `kernel_ns` with all cores uses them better than a function, where `busy` of the cores
/// have something to do.
fn is_kernel_better(function_ns: u64, kernel_ns: u64, busy: usize, cores: usize) -> bool {
    let busy = busy.clamp(1, cores.max(1));
    let kernel_ns = kernel_ns.saturating_mul(busy as u64).saturating_add(LAUNCH_NS);
    // Cores that have nothing to do now may have in a moment.
    let margin = if busy < cores { function_ns / 10 } else { 0 };
    kernel_ns < function_ns - margin
}

/// Whether a kernel that takes `kernel_ns` with all of so many cores is better than a function at any time: it is where
/// nothing else is to be done, or never.
pub fn can_kernel_win(function_ns: u64, kernel_ns: u64, cores: usize) -> bool {
    is_kernel_better(function_ns, kernel_ns, 1, cores)
}

/// The device that shares the cores of the workers, and how many these are.
pub(super) fn shared(devices: impl Iterator<Item = Place>, machine: &dyn Machine) -> Option<(Place, usize)> {
    let mut shared = devices.filter_map(|device| Some((device, machine.shares_cores(device)?)));
    shared.next()
}

impl<'a> OnSameCores<'a> {
    /// None where no device shares the cores of the workers, or not all of them do.
    pub(super) fn of_choices(choices: &Choices<'a>, machine: &dyn Machine) -> Option<Self> {
        let [device] = *choices.devices else {
            return None;
        };
        choices.function.then_some(OnSameCores {
            times: choices.times,
            shape: choices.blocks.shape(),
            device,
            cores: machine.shares_cores(device)?,
            is_spread: choices.is_spread,
        })
    }

    /// As [`OnSameCores::of_choices`].
    pub(super) fn of_kept(kept: &KeptEdt, machine: &dyn Machine) -> Option<Self> {
        let device = match &kept.candidates[..] {
            [one, other] if one.place == Place::HOST => other.place,
            [one, other] if other.place == Place::HOST => one.place,
            _ => return None,
        };
        let cores = machine.shares_cores(device)?;
        Some(OnSameCores { times: kept.times, shape: kept.shape, device, cores, is_spread: kept.is_spread })
    }

    /// What it takes in a place, if that was measured, or follows from other sizes.
    pub(super) fn known_ns(&self, place: Place) -> Option<u64> {
        self.times.known(place, &self.shape)
    }

    /// Where it runs, by times in nanoseconds. While only one of them is known, there; while none is, as a function.
    pub(super) fn best(&self, function: Option<u64>, kernel: Option<u64>, machine: &dyn Machine) -> Place {
        let workers = machine.workers().saturating_sub(machine.idle_workers());
        let is_kernel = match (function, kernel) {
            // Either has all cores.
            (Some(function), Some(kernel)) if self.is_spread => kernel.saturating_add(LAUNCH_NS) < function,
            (Some(function), Some(kernel)) => {
                let busy = workers + machine.device_load(self.device);
                is_kernel_better(function, kernel, busy, self.cores)
            }
            (function, kernel) => function.is_none() && kernel.is_some(),
        };
        if is_kernel { self.device } else { Place::HOST }
    }

    /// The other one of both places.
    pub(super) fn other(&self, place: Place) -> Place {
        if place == Place::HOST { self.device } else { Place::HOST }
    }

    fn kind(&self, place: Place) -> VariantKind {
        (ptr::from_ref(self.times).cast::<()>().addr(), place)
    }

    /// The core time that it takes in a place, if anything is known of that.
    fn core_ns(&self, place: Place, ns: Option<u64>) -> Option<u64> {
        let cores = if place == Place::HOST && !self.is_spread { 1 } else { self.cores };
        Some(ns?.saturating_mul(cores as u64).max(1))
    }
}

impl Variants {
    /// Whether the next EDT of this kind should be tried in the other place than the usual one. If so, that is
    /// [begun](Variants::begin) with one, and the answer is no meanwhile.
    pub(super) fn wants(&self, edt: &OnSameCores<'_>, usual: Place, machine: &dyn Machine) -> bool {
        let now = machine.now_ns();
        let look_at = self.look_at.load(Ordering::Relaxed);
        if now < look_at || self.tried.load(Ordering::Relaxed) != 0 {
            return false;
        }
        let Some(usual_ns) = edt.core_ns(usual, edt.times.expected(usual, &edt.shape)) else {
            return false;
        };
        let next = now + LOOK_NS;
        let is_first = (self.look_at).compare_exchange(look_at, next, Ordering::Relaxed, Ordering::Relaxed);
        if is_first.is_err() || machine.device_load(edt.device) != 0 {
            return false;
        }
        let begun = match self.begun.load(Ordering::Relaxed) {
            0 => {
                self.begun.store(now.max(1), Ordering::Relaxed);
                now
            }
            begun => begun,
        };
        let mut tries = self.tries.lock();
        let other = edt.other(usual);
        let kind = edt.kind(other);
        let is_stale = |(_, since, _): &(VariantKind, u64, u64)| now.saturating_sub(*since) >= WANTED_NS;
        if tries.runs.is_some() || tries.wanted.as_ref().is_some_and(|one| !is_stale(one)) {
            return false;
        }
        let known = edt.core_ns(other, edt.known_ns(other));
        let most = edt.core_ns(other, edt.times.at_most(other, &edt.shape));
        let is_start = known.is_none() && most.is_none() && other != Place::HOST;
        let start_ns = if is_start { START_NS } else { 0 };
        let is_worth = match known {
            Some(ns) => {
                let last = tries.last.get(&kind).copied().unwrap_or(begun);
                now.saturating_sub(last) >= AGAIN_NS.max(ns.saturating_mul(AGAIN))
            }
            None => {
                let bounds = match most.map(|most| most as f64) {
                    // Most of the first launch may have been the compiler's.
                    Some(most) => ((usual_ns as f64 / UNLIKE).min(most / 2.0), most),
                    None => (usual_ns as f64 / UNLIKE, usual_ns as f64 * UNLIKE),
                };
                let pending = machine.pending(PENDING) as f64;
                let of_core = pending / edt.cores as f64;
                let gain = mean_gain(usual_ns as f64, of_core, pending, bounds);
                let cost = most.unwrap_or(usual_ns.saturating_mul(LIKELY)) + start_ns;
                let passed = now.saturating_sub(begun).saturating_mul(edt.cores as u64);
                gain > start_ns as f64 || passed / PART >= tries.spent_ns.saturating_add(cost)
            }
        };
        if is_worth {
            tries.wanted = Some((kind, now, start_ns));
        }
        is_worth
    }

    /// Whether this EDT is the one that should be tried in a place. Then it is.
    pub(super) fn begin(&self, edt: &OnSameCores<'_>, token: usize, place: Place, machine: &dyn Machine) -> bool {
        let mut tries = self.tries.lock();
        match tries.wanted {
            Some((kind, _, start_ns)) if kind == edt.kind(place) => {
                tries.wanted = None;
                tries.runs = Some((kind, machine.now_ns(), start_ns));
                self.tried.store(token, Ordering::Relaxed);
                true
            }
            _ => false,
        }
    }

    /// The function of a finish EDT has returned, and what it has created goes on. True if it is the one that is tried,
    /// which is known by its scope then.
    pub(super) fn goes_on(&self, edt: usize, scope: usize) -> bool {
        self.tried.compare_exchange(edt, scope, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    /// An EDT has ended, or has failed where it was sent.
    pub(super) fn ended(&self, edt: usize, machine: &dyn Machine) {
        if self.tried.load(Ordering::Relaxed) != edt {
            return;
        }
        let now = machine.now_ns();
        let mut tries = self.tries.lock();
        let Some((kind, since, start_ns)) = tries.runs.take() else {
            return;
        };
        let taken = now.saturating_sub(since);
        tries.spent_ns = tries.spent_ns.saturating_add(taken + start_ns);
        if tries.last.len() < KINDS || tries.last.contains_key(&kind) {
            tries.last.insert(kind, now);
        }
        self.tried.store(0, Ordering::Relaxed);
    }

    /// Leaves of the workers and a device on their cores the one that an EDT goes to, where other devices may run it,
    /// too.
    pub(super) fn narrow(kept: &mut KeptEdt, machine: &dyn Machine) {
        let places = kept.candidates.iter().map(|one| one.place);
        let has_host = places.clone().any(|place| place == Place::HOST);
        if kept.candidates.len() < 3 || !has_host {
            return;
        }
        let devices = places.filter(|place| *place != Place::HOST);
        let Some((device, cores)) = shared(devices, machine) else {
            return;
        };
        let (times, shape) = (kept.times, kept.shape);
        let edt = OnSameCores { times, shape, device, cores, is_spread: kept.is_spread };
        let best = edt.best(edt.known_ns(Place::HOST), edt.known_ns(device), machine);
        let not = edt.other(best);
        kept.candidates.retain(|one| one.place != not);
    }
}

/// Says what was expected of both variants of an EDT that goes to a place at once.
#[cold]
pub(super) fn tell(choices: &Choices<'_>, why: Why, chosen: Place, machine: &dyn Machine) {
    let shape = choices.blocks.shape();
    for (number, place) in choices.places().enumerate() {
        machine.considered(&Considered {
            edt: choices.edt,
            place,
            expected: Expected { run_ns: choices.times.expected(place, &shape), ..Expected::default() },
            certainty: choices.times.certainty(place, &shape),
            factor: 1.0,
            why,
            is_chosen: place == chosen,
            is_first: number == 0,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::RunTimes;
    use crate::policy::{BlockPlaces, Candidate, Choice, Keeper, Policy, parse};
    use std::cell::Cell;

    const DEVICE: Place = Place::device(0);
    const CORES: usize = 2;

    /// Two workers, and a device on their cores. The clock is what a test sets it to.
    struct TwoCores {
        now: Cell<u64>,
        idle: usize,
        pending: usize,
        load: Cell<usize>,
    }

    impl Machine for TwoCores {
        fn device_load(&self, _: Place) -> usize {
            self.load.get()
        }
        fn devices(&self) -> usize {
            1
        }
        fn workers(&self) -> usize {
            CORES
        }
        fn idle_workers(&self) -> usize {
            self.idle
        }
        fn shares_cores(&self, _: Place) -> Option<usize> {
            Some(CORES)
        }
        fn pending(&self, most: usize) -> usize {
            self.pending.min(most)
        }
        fn now_ns(&self) -> u64 {
            self.now.get()
        }
        fn offer_to_workers(&self, _: bool) {}
    }

    struct OneBlock;

    impl BlockPlaces for OneBlock {
        fn shape(&self) -> Shape {
            64.into()
        }
        fn bytes_at(&self, _: Place) -> u64 {
            64
        }
    }

    fn machine(idle: usize, pending: usize) -> TwoCores {
        TwoCores { now: Cell::new(1), idle, pending, load: Cell::new(0) }
    }

    /// Times of a function, and of a kernel that has all cores, in microseconds.
    fn times(function: Option<u64>, kernel: Option<u64>) -> &'static RunTimes {
        let times = Box::leak(Box::<RunTimes>::default());
        for (place, us) in [(Place::HOST, function), (DEVICE, kernel)] {
            if let Some(us) = us {
                times.sample(place.number(), 64, us * 1_000, false);
            }
        }
        times
    }

    fn choose(policy: &dyn Policy, edt: usize, times: &RunTimes, machine: &TwoCores) -> Choice {
        let choices = Choices { edt, function: true, devices: &[DEVICE], blocks: &OneBlock, times, is_spread: false };
        policy.choose(&choices, machine)
    }

    fn keep(keeper: &dyn Keeper, edt: usize, times: &'static RunTimes, machine: &TwoCores) {
        let candidate = |place| Candidate { place, copy_ns: 0, behind: None };
        let kept = KeptEdt {
            edt,
            priority: 0,
            times,
            shape: 64.into(),
            frees_worker: false,
            is_spread: false,
            candidates: [Place::HOST, DEVICE].map(candidate).into_iter().collect(),
        };
        keeper.keep(kept, machine);
    }

    #[test]
    fn the_variant_counts_that_uses_the_cores_better() {
        // Both cores have something to do: a kernel that takes 60 us with both takes 120 us of a core.
        assert!(!is_kernel_better(100_000, 60_000, 2, 2));
        assert!(is_kernel_better(150_000, 60_000, 2, 2));
        // There is no other work: it ends sooner.
        assert!(is_kernel_better(100_000, 60_000, 1, 2));
        assert!(!is_kernel_better(100_000, 60_000, 7, 2));
        // The launch counts, too.
        assert!(!is_kernel_better(9_000, 1, 1, 1));
        // Where it does not win alone, it never does.
        assert!(can_kernel_win(100_000, 60_000, 2));
        assert!(!can_kernel_win(100_000, 95_000, 2));
    }

    #[test]
    fn kernels_that_lose_get_no_core_and_cost_no_plan() {
        let policy = parse("eft").expect("a policy");
        let machine = machine(0, 1000);
        let times = times(Some(25), Some(20));
        for edt in 1..1000 {
            machine.now.set(machine.now.get() + 12_000);
            let at = choose(&*policy, edt, times, &machine);
            assert_eq!(at, Choice::At(Place::HOST), "{edt}");
        }
    }

    #[test]
    fn kernels_that_win_get_all_edts_and_workers_none() {
        let policy = parse("eft").expect("a policy");
        let keeper = policy.keeper().expect("it keeps EDTs");
        let machine = machine(2, 1000);
        let times = times(Some(1_000), Some(50));
        for edt in 1..=8 {
            assert_eq!(choose(&*policy, edt, times, &machine), Choice::Kept);
            keep(keeper, edt, times, &machine);
        }
        assert_eq!(keeper.take(Place::HOST, &machine).edt, None);
        for edt in 1..=8 {
            let taken = keeper.take(DEVICE, &machine).edt;
            assert_eq!(taken, Some(edt));
            machine.now.set(machine.now.get() + 50_000);
            keeper.ended(edt, DEVICE, false, &machine);
        }
    }

    #[test]
    fn each_template_has_the_variant_that_suits_it() {
        let policy = parse("eft").expect("a policy");
        let keeper = policy.keeper().expect("it keeps EDTs");
        let machine = machine(2, 1000);
        let (kernel, function) = (times(Some(1_000), Some(50)), times(Some(300), Some(1_000)));
        for edt in (1..20).step_by(2) {
            keep(keeper, edt, kernel, &machine);
            keep(keeper, edt + 1, function, &machine);
        }
        let of_host = keeper.take(Place::HOST, &machine).edt;
        let of_device = keeper.take(DEVICE, &machine).edt;
        assert_eq!((of_host, of_device), (Some(2), Some(1)));
    }

    #[test]
    fn a_run_of_some_milliseconds_tries_nothing() {
        let policy = parse("eft").expect("a policy");
        let machine = machine(0, 81);
        let times = times(Some(25), None);
        while machine.now.get() < 20_000_000 {
            let at = choose(&*policy, 1, times, &machine);
            assert_eq!(at, Choice::At(Place::HOST), "at {} ns", machine.now.get());
            machine.now.set(machine.now.get() + 12_500);
        }
    }

    /// Short functions whose kernels take twenty times as long, of many templates, in a long run.
    #[test]
    fn what_is_tried_is_a_small_part_of_the_run() {
        let policy = parse("eft").expect("a policy");
        let keeper = policy.keeper().expect("it keeps EDTs");
        let machine = machine(0, 81);
        let all: Vec<_> = (0..8).map(|_| times(Some(25), None)).collect();
        let (mut lost, mut tries) = (0, 0);
        for edt in 1..200_000 {
            machine.now.set(machine.now.get() + 12_500);
            let times = all[edt % all.len()];
            match choose(&*policy, edt, times, &machine) {
                Choice::At(Place::HOST) => {}
                Choice::At(place) => {
                    assert_eq!(place, DEVICE);
                    machine.now.set(machine.now.get() + 500_000);
                    times.sample(DEVICE.number(), 64, 500_000, true);
                    keeper.ended(edt, DEVICE, false, &machine);
                    lost += 500_000;
                    tries += 1;
                    if tries <= all.len() as u64 {
                        lost += START_NS;
                    }
                }
                other => panic!("{other:?}"),
            }
            let passed = machine.now.get() * CORES as u64;
            assert!(lost <= passed / PART + 2_000_000, "{lost} of {passed}");
        }
        assert!(tries >= all.len() as u64, "each is tried: {tries}");
    }

    /// Long functions: the kernel is tried as soon as a function's time is known, and with one EDT alone.
    #[test]
    fn what_may_gain_much_is_tried_at_once_and_alone() {
        let policy = parse("eft").expect("a policy");
        let keeper = policy.keeper().expect("it keeps EDTs");
        let machine = machine(0, 100);
        let times = times(None, None);
        for edt in 1..=20 {
            assert_eq!(choose(&*policy, edt, times, &machine), Choice::Kept);
            keep(keeper, edt, times, &machine);
        }
        // Nothing is known: the workers have one each, and the device none.
        assert_eq!(keeper.take(DEVICE, &machine).edt, None);
        assert_eq!(keeper.take(Place::HOST, &machine).edt, Some(1));
        assert_eq!(keeper.take(Place::HOST, &machine).edt, Some(2));
        machine.now.set(10_000_000);
        times.sample(Place::HOST.number(), 64, 10_000_000, false);
        keeper.ended(1, Place::HOST, true, &machine);
        let taken = keeper.take(Place::HOST, &machine);
        assert!(taken.moved && taken.edt.is_some());
        let tried = keeper.take(DEVICE, &machine).edt.expect("one is tried");
        machine.now.set(10_600_000);
        assert_eq!(keeper.take(DEVICE, &machine).edt, None, "one at a time");
        times.sample(DEVICE.number(), 64, 1_000_000, true);
        keeper.ended(tried, DEVICE, false, &machine);
        // The kernel is better: all others are its.
        assert!(keeper.take(DEVICE, &machine).edt.is_some());
        keeper.ended(2, Place::HOST, true, &machine);
        assert_eq!(keeper.take(Place::HOST, &machine).edt, None);
    }

    #[test]
    fn a_variant_that_has_lost_is_looked_at_again_after_a_long_time() {
        let policy = parse("eft").expect("a policy");
        let machine = machine(0, 1000);
        let times = times(Some(50), Some(100));
        let mut tried = 0;
        for edt in 1..100_000 {
            machine.now.set(machine.now.get() + 25_000);
            if choose(&*policy, edt, times, &machine) == Choice::At(DEVICE) {
                tried += 1;
                let keeper = policy.keeper().expect("it keeps EDTs");
                keeper.ended(edt, DEVICE, false, &machine);
            }
        }
        assert_eq!(tried, 2, "in two and a half seconds");
    }
}
