//! What policies and the runtime say to each other.

use super::told::{Certainty, Considered};
use crate::model::{RunTimes, Shape};
use crate::place::Place;
use smallvec::SmallVec;

/// What a policy may ask of the machine, and tell it.
pub trait Machine {
    /// Launches that a device in use has accepted and not finished.
    fn device_load(&self, device: Place) -> usize;

    /// How many kernels a device has lately run at once, where its clock was asked; otherwise 1.
    fn at_once(&self, _device: Place) -> usize {
        1
    }

    /// How many devices are in use.
    fn devices(&self) -> usize;

    /// How many workers run C functions.
    fn workers(&self) -> usize;

    /// How many workers run nothing now. A policy does not hear of all that they run: EDTs that have one place to go
    /// are not asked about.
    fn idle_workers(&self) -> usize;

    /// How many EDTs there are that have not ended, ready or not, counted up to `most`.
    fn pending(&self, most: usize) -> usize;

    /// How many cores there are, where a device computes on those of the workers: the runtime has one worker stand
    /// still for each core that the device needs for what it was sent. None for a device that has a processor or cores
    /// of its own.
    fn shares_cores(&self, _device: Place) -> Option<usize> {
        None
    }

    /// Nanoseconds since some moment, of a clock that never goes back.
    fn now_ns(&self) -> u64;

    /// Has the keeper asked again ([`Keeper::tick`]) at this moment of the clock, or earlier.
    fn ask_again(&self, _at_ns: u64) {}

    /// Whether a place may run an EDT that another place runs ([`Keeper::duplicate`]). Where not, no place asks for it.
    fn may_duplicate(&self) -> bool {
        false
    }

    /// Says whether the keeper may have an EDT for a worker that has nothing else to do. A worker is woken if it has. A
    /// keeper says so with its own lock held, so that what it says last is so.
    fn offer_to_workers(&self, offers: bool);

    /// Whether the run is recorded, so that a policy is to tell what it expects.
    fn is_recorded(&self) -> bool {
        false
    }

    /// Is notified that a policy of a user has given an answer that cannot be followed. A run ends then.
    fn policy_failed(&self, fault: &PolicyFault) {
        panic!("{}", fault.text(|edt| format!("EDT {edt}")));
    }

    /// Is notified of each place that was considered for an EDT, where [`Machine::is_recorded`] says so. The caller has
    /// the EDT in its hands: a keeper makes this call with its own lock held.
    fn considered(&self, _place: &Considered) {}
}

/// What is wrong with an answer of a policy.
pub struct PolicyFault {
    /// The EDT, as in [`KeptEdt`]. It is there and has not begun. None where the fault is about no EDT in particular.
    pub edt: Option<usize>,
    /// What is said before the name of the EDT; it begins with the policy.
    pub before: String,
    /// What is said behind the name of the EDT.
    pub behind: String,
}

impl PolicyFault {
    /// The fault as a text for people, where `name` names an EDT.
    pub fn text(&self, name: impl FnOnce(usize) -> String) -> String {
        let edt = self.edt.map(name).unwrap_or_default();
        format!("{}{edt}{}", self.before, self.behind)
    }
}

/// How long the variants of a template take, as far as it is known.
pub trait VariantTimes: Sync {
    /// Nanoseconds that an EDT of this shape keeps a unit of a place busy; none where nothing is known of it.
    fn expected(&self, place: Place, shape: &Shape) -> Option<u64>;

    /// The same, if that was measured, or follows from other sizes.
    fn known(&self, place: Place, shape: &Shape) -> Option<u64> {
        let is_known = self.certainty(place, shape) >= Certainty::Derived;
        is_known.then(|| self.expected(place, shape)).flatten()
    }

    /// The most that it can be, where a launch in which the kernel may have been compiled is all that is known.
    fn at_most(&self, _place: Place, _shape: &Shape) -> Option<u64> {
        None
    }

    /// What the newest of them took in this run.
    fn newest(&self, _place: Place, _shape: &Shape) -> Option<u64> {
        None
    }

    /// How many times as long such an EDT takes in a place while another place works as while none does.
    fn slowdown(&self, _place: Place, _shape: &Shape) -> Option<f64> {
        None
    }

    /// EDTs for which this is the same take the same time, as far as it is known.
    fn alike(&self, shape: &Shape) -> (u64, u64) {
        (shape.bytes, 0)
    }

    /// Nanoseconds that it takes from its begin to its end in a place that runs several at once, beside others there or
    /// alone; none where nothing is known of that. Those beside each other share the place, so
    /// [`VariantTimes::expected`] is less.
    fn latency(&self, _place: Place, _shape: &Shape, _beside: bool) -> Option<u64> {
        None
    }

    /// How well that is known.
    fn certainty(&self, place: Place, shape: &Shape) -> Certainty;

    /// The relative error of what was expected in a place, where it has been wrong too often to be believed; otherwise
    /// 0.
    fn error(&self, place: Place) -> f64;
}

impl VariantTimes for RunTimes {
    fn expected(&self, place: Place, shape: &Shape) -> Option<u64> {
        self.expected(place.number(), *shape).map(|estimate| estimate.ns)
    }

    fn known(&self, place: Place, shape: &Shape) -> Option<u64> {
        let estimate = self.expected(place.number(), *shape)?;
        (!estimate.is_guess()).then_some(estimate.ns)
    }

    fn at_most(&self, place: Place, shape: &Shape) -> Option<u64> {
        self.at_most(place.number(), *shape)
    }

    fn slowdown(&self, place: Place, shape: &Shape) -> Option<f64> {
        self.slowdown(place.number(), *shape)
    }

    fn newest(&self, place: Place, shape: &Shape) -> Option<u64> {
        self.newest(place.number(), *shape)
    }

    fn alike(&self, shape: &Shape) -> (u64, u64) {
        self.alike(shape)
    }

    fn latency(&self, place: Place, shape: &Shape, beside: bool) -> Option<u64> {
        self.latency(place.number(), *shape, beside)
    }

    fn certainty(&self, place: Place, shape: &Shape) -> Certainty {
        match self.expected(place.number(), *shape) {
            None => Certainty::Unknown,
            Some(estimate) if estimate.is_guess() => Certainty::Guessed,
            Some(estimate) if estimate.samples == 0 => Certainty::Derived,
            Some(_) => Certainty::Measured,
        }
    }

    fn error(&self, place: Place) -> f64 {
        let error = self.fails(place.number()).then(|| self.error(place.number()));
        error.flatten().unwrap_or(0.0)
    }
}

/// Where the blocks of an EDT are.
pub trait BlockPlaces {
    /// By what the time of the EDT is predicted: the bytes of its blocks, and its parameters.
    fn shape(&self) -> Shape;

    /// Bytes that a place has a valid copy of.
    fn bytes_at(&self, place: Place) -> u64;

    /// Nanoseconds until all are in a place, if their transfers begin now; none where that is not known.
    fn copy_ns(&self, _place: Place) -> Option<u64> {
        None
    }

    /// Whether hints may say which of them count, or where they are to be.
    fn are_hinted(&self) -> bool {
        false
    }
}

/// What can run an EDT.
pub struct Choices<'a> {
    /// The EDT, as in [`KeptEdt`].
    pub edt: usize,
    /// Whether there is a C function.
    pub function: bool,
    /// The devices that have a kernel for it; never empty, and more than one if there is no
    /// function.
    pub devices: &'a [Place],
    /// The blocks of the EDT.
    pub blocks: &'a dyn BlockPlaces,
    /// How long the variants of its template take.
    pub times: &'a dyn VariantTimes,
    /// Whether its function is spread over the workers, as in [`KeptEdt`].
    pub is_spread: bool,
}

impl Choices<'_> {
    /// The places, the host first.
    pub fn places(&self) -> impl Iterator<Item = Place> + Clone + '_ {
        let host = self.function.then_some(Place::HOST);
        host.into_iter().chain(self.devices.iter().copied())
    }
}

/// The answer of a policy: where an EDT goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Choice {
    /// To this place and no other.
    At(Place),
    /// To the first place that is free, later.
    FirstFree,
    /// To the policy's [`Keeper`], when the EDT has its blocks.
    Kept,
}

/// How EDTs are placed: a policy decides from what a [`Machine`] reports, and never waits.
pub trait Policy: Send + Sync {
    /// Whether it sends EDTs that have a C function to devices.
    fn uses_devices(&self) -> bool {
        true
    }

    /// Whether it asks which devices compute on the cores of the workers ([`Machine::shares_cores`]), and sends them
    /// only what uses cores better there. For other policies, workers and CPU devices get fixed shares of the cores.
    fn shares_cores(&self) -> bool {
        false
    }

    /// Whether it asks how long variants take: then they are timed.
    fn learns(&self) -> bool {
        false
    }

    /// Chooses one of the places that an EDT may go to, or leaves the choice open.
    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice;

    /// Whether its keeper asks for duplicates of EDTs ([`Keeper::duplicate`]). Where none is asked for, nothing is done
    /// that they need.
    fn duplicates(&self) -> bool {
        false
    }

    /// What keeps the EDTs for which it answers [`Choice::Kept`].
    fn keeper(&self) -> Option<&dyn Keeper> {
        None
    }
}

/// A place that can run a kept EDT.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The place, which is one of those that the EDT may go to.
    pub place: Place,
    /// Nanoseconds until the blocks are there, if their transfers begin now.
    pub copy_ns: u64,
    /// The device that copies blocks to the place with the same threads that run its kernels: the copies wait for
    /// these.
    pub behind: Option<Place>,
}

/// An EDT that has its blocks and may run in several places.
#[derive(Clone)]
pub struct KeptEdt {
    /// Names the EDT to the runtime, which hands it to the place that takes it.
    pub edt: usize,
    /// The EDT's priority: those with a higher number go first.
    pub priority: u64,
    /// How long the variants of its template take. Its address says which EDTs are alike.
    pub times: &'static dyn VariantTimes,
    /// By what its time is predicted.
    pub shape: Shape,
    /// Whether the worker that brings it has ended its EDT, and is about to look for another.
    pub frees_worker: bool,
    /// Whether its function is spread over the workers: the EDT is a finish EDT, whose function creates the EDTs that
    /// do the work. On the host its time is that of the whole scope, with all workers.
    pub is_spread: bool,
    /// Where it may run: one of each place at most, and at least one.
    pub candidates: SmallVec<[Candidate; 3]>,
}

/// What a place gets that asks.
pub struct Taken {
    /// An EDT for the place.
    pub edt: Option<usize>,
    /// Whether all devices must be asked, since one of them may have been left an EDT.
    pub moved: bool,
}

/// Keeps EDTs until places take them. All may be called by several threads at once.
///
/// An EDT stays as long as no place takes it. So a keeper that has EDTs has one of these: an EDT for a device that is
/// asked again since something runs there, or an offer to the workers ([`Machine::offer_to_workers`]).
pub trait Keeper: Sync {
    /// Takes an EDT in. All devices are asked afterwards.
    fn keep(&self, edt: KeptEdt, machine: &dyn Machine);

    /// A place asks for an EDT: a worker without work, or a device that may have room. A worker asks for as long as it
    /// is offered something: where one gets nothing, the keeper must withdraw the offer
    /// ([`Machine::offer_to_workers`]).
    fn take(&self, place: Place, machine: &dyn Machine) -> Taken;

    /// Something that may have been taken for this place has ended, or has failed and goes elsewhere. If it was on a
    /// device, all devices are asked afterwards.
    ///
    /// `frees_worker` says whether it is called by a worker that has run the EDT and is about to look for another.
    fn ended(&self, edt: usize, place: Place, frees_worker: bool, machine: &dyn Machine);

    /// The function of a finish EDT has returned, and what it has created goes on. True if the keeper will know it by
    /// `scope` from now on, and waits for its end ([`Keeper::ended`]); otherwise it has ended for the keeper.
    fn goes_on(&self, edt: usize, _scope: usize, frees_worker: bool, machine: &dyn Machine) -> bool {
        self.ended(edt, Place::HOST, frees_worker, machine);
        false
    }

    /// An EDT that runs in another place, and of which this place, which has nothing else to do, should make a second
    /// attempt now: a *duplicate*. Which of both ends first counts. It is asked where [`Machine::may_duplicate`] says
    /// so, by a place that [`Keeper::take`] has just given nothing. The EDT may have ended when the answer comes, or be
    /// one that cannot run twice: then nothing is done. So no EDT is named twice.
    fn duplicate(&self, _place: Place, _machine: &dyn Machine) -> Option<usize> {
        None
    }

    /// The duplicate of an EDT has ended first, and the EDT with it. `place` works on in vain, until
    /// [`Keeper::ended`] is called with the number `vain`, which is no EDT's.
    fn outrun(&self, edt: usize, place: Place, _vain: usize, machine: &dyn Machine) {
        self.ended(edt, place, false, machine);
    }

    /// The time has come that [`Machine::ask_again`] has named, or is near. All devices are asked afterwards.
    fn tick(&self, _machine: &dyn Machine) {}

    /// How many EDTs are kept now.
    fn count(&self) -> usize;

    /// Shows all that are kept.
    fn look(&self, see: &mut dyn FnMut(usize));
}

/// A policy's name, what it does, and how it is made of the words after its name.
pub struct PolicyEntry {
    /// The name by which `OCR_SCHED` chooses it.
    pub name: &'static str,
    /// How it is written, with its arguments.
    pub usage: &'static str,
    /// What the policy does, in words for the user.
    pub what: &'static str,
    pub(super) make: fn(&[u64]) -> Option<Box<dyn Policy>>,
}

/// The device with the fewest launches.
pub fn least_loaded(devices: &[Place], machine: &dyn Machine) -> Place {
    if let [only] = devices {
        return *only;
    }
    let least = devices.iter().min_by_key(|&&device| machine.device_load(device));
    least.copied().unwrap_or(Place::HOST)
}
