//! Policies of users: a shared object that defines what `include/ocr-policy.h` declares. The header says what each
//! function does; here they are called, one at a time, and what they answer is checked.
//!
//! An EDT that is kept has a description in [`UserPlan::kept`], whose address names it to the policy:
//!
//! | state | counted in | changes by |
//! |---|---|---|
//! | waiting | `waiting`, `waiting_for_host` | `take` answers with it: taken |
//! | taken | `taken` | `ended`: the description is gone |
//!
//! After an answer that cannot be followed, the policy is asked no more, so that the EDT of which the message speaks
//! stays.

pub mod layout;
mod open;

use super::interface::{Candidate, Choice, Choices, Keeper, KeptEdt, Machine, Policy, Taken};
use super::interface::{PolicyFault, VariantTimes};
use super::told::{Considered, Expected, Why};
use crate::model::Shape;
use crate::place::{Place, PlaceSet};
use layout::{
    FIRST_FREE, KEPT, LEARNS, NO_PLACE, PolicyCalls, PolicyEdt, PolicyExpected, PolicyMachine, PolicyOption,
    PolicyPlace, PolicyTime, UNKNOWN,
};
use ocr_base::lock::{Mutex, rank};
use ocr_base::text::Readable;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The soonest that a policy is asked again. Without it, virtual time might stand still.
const SOONEST_NS: u64 = 1_000;

/// A policy that was loaded from a file.
struct UserPolicy {
    /// The name of the file, for messages.
    name: String,
    calls: &'static PolicyCalls,
    plan: Mutex<rank::UserPlan, UserPlan>,
    /// How many EDTs wait. `Relaxed`: the number stands alone and orders nothing.
    waiting: AtomicUsize,
}

/// What the policy has, as far as it is known here. Its functions are called with this locked.
struct UserPlan {
    /// What `begin` has returned.
    own: *mut c_void,
    /// The EDTs that wait or were taken, by the addresses of their descriptions.
    kept: HashMap<usize, Box<DescribedEdt<'static>>>,
    /// The addresses by what the runtime calls the EDTs.
    addresses: HashMap<usize, usize>,
    waiting: usize,
    /// How many of those that wait may run on the host.
    waiting_for_host: usize,
    taken: usize,
    /// The EDTs that `choose` has sent to a place and that have not ended, by what the runtime calls them.
    placed: HashSet<usize>,
    /// The places that were answered NULL since something has changed.
    refused: PlaceSet,
    /// Whether the policy has asked for a time, which has not come.
    asks: bool,
    /// Whether it is asked no more.
    is_broken: bool,
}

// SAFETY: the descriptions point to what they own, and `own` is the policy's, which takes calls from any thread if they
// come one at a time, as they do under the lock of the plan.
unsafe impl Send for UserPlan {}

/// An EDT as the policy sees it.
struct DescribedEdt<'a> {
    edt: PolicyEdt,
    /// What `edt` points to. Neither is changed, so they stay where they are.
    options: Vec<PolicyOption>,
    _params: Vec<u64>,
    token: usize,
    times: &'a dyn VariantTimes,
    shape: Shape,
    is_spread: bool,
    is_taken: bool,
}

/// An answer of a policy that cannot be followed: the EDT, and what is said before and behind its name.
struct AnswerError {
    edt: Option<usize>,
    before: String,
    behind: String,
}

impl AnswerError {
    fn new(edt: usize, before: impl Into<String>, behind: impl Into<String>) -> AnswerError {
        AnswerError { edt: Some(edt), before: before.into(), behind: behind.into() }
    }

    /// One that is about no EDT in particular.
    fn of_none(what: impl Into<String>) -> AnswerError {
        AnswerError { edt: None, before: what.into(), behind: String::new() }
    }
}

/// Whether a name of a policy, with its numbers, is that of a file.
pub fn is_file(text: &str) -> bool {
    text.contains('/')
}

/// The name of a file, and the numbers that follow it. The error is for people.
fn split(text: &str) -> Result<(&str, Vec<u64>), String> {
    let folder = text.rfind('/').map_or(0, |slash| slash + 1);
    let Some((name, words)) = text[folder..].split_once(':') else {
        return Ok((text, Vec::new()));
    };
    let file = &text[..folder + name.len()];
    let numbers: Option<Vec<u64>> = words.split(':').map(|word| word.parse().ok()).collect();
    let numbers =
        numbers.ok_or_else(|| format!("\"{text}\" is no policy: numbers alone may follow the file, as {file}:1:2"))?;
    Ok((file, numbers))
}

/// Loads the policy of a file, whose numbers follow its name. `full_name` says where a file of that name is. The error
/// is for people.
pub(super) fn load(
    text: &str,
    full_name: impl FnOnce(&Path) -> Result<std::path::PathBuf, String>,
) -> Result<Box<dyn Policy>, String> {
    let (file, numbers) = split(text)?;
    let file = full_name(Path::new(file))?;
    let calls = open::open(&file)?;
    let name = Readable::path(&file).to_string();
    Ok(Box::new(UserPolicy::begin(name, calls, &numbers)?))
}

impl<'a> DescribedEdt<'a> {
    fn new(
        token: usize,
        priority: u64,
        times: &'a dyn VariantTimes,
        shape: Shape,
        is_spread: bool,
        mut options: Vec<PolicyOption>,
    ) -> Box<DescribedEdt<'a>> {
        options.sort_by_key(|option| option.place);
        let params = shape.params.values().to_vec();
        Box::new(DescribedEdt {
            edt: PolicyEdt {
                kind: ptr::from_ref(times).addr() as u64,
                priority,
                bytes: shape.bytes,
                params: params.as_ptr(),
                options: options.as_ptr(),
                paramCount: params.len() as u32,
                optionCount: options.len() as u32,
            },
            options,
            _params: params,
            token,
            times,
            shape,
            is_spread,
            is_taken: false,
        })
    }

    /// An EDT that a place is chosen for.
    fn to_choose(choices: &Choices<'a>) -> Box<DescribedEdt<'a>> {
        let blocks = choices.blocks;
        let option = |place: Place| PolicyOption {
            place: number(place),
            behind: NO_PLACE,
            copyNs: blocks.copy_ns(place).unwrap_or(UNKNOWN),
            bytes: blocks.bytes_at(place),
        };
        let options = choices.places().map(option).collect();
        DescribedEdt::new(choices.edt, 0, choices.times, blocks.shape(), choices.is_spread, options)
    }

    fn may_run_in(&self, place: Place) -> bool {
        let mut options = self.options.iter();
        options.any(|option| option.place == number(place))
    }

    fn time(&self, place: Place) -> PolicyTime {
        let (times, shape) = (self.times, &self.shape);
        let known = |ns: Option<u64>| ns.unwrap_or(UNKNOWN);
        PolicyTime {
            runNs: known(times.expected(place, shape)),
            atMostNs: known(times.at_most(place, shape)),
            newestNs: known(times.newest(place, shape)),
            aloneNs: known(times.latency(place, shape, false)),
            besideNs: known(times.latency(place, shape, true)),
            slowdown: times.slowdown(place, shape).unwrap_or(0.0),
            error: times.error(place),
            certainty: times.certainty(place, shape) as u32,
            isSpread: u32::from(self.is_spread && place == Place::HOST),
        }
    }
}

impl DescribedEdt<'static> {
    fn to_keep(kept: &KeptEdt) -> Box<DescribedEdt<'static>> {
        let option = |candidate: &Candidate| PolicyOption {
            place: number(candidate.place),
            behind: candidate.behind.map_or(NO_PLACE, number),
            copyNs: candidate.copy_ns,
            bytes: UNKNOWN,
        };
        let options = kept.candidates.iter().map(option).collect();
        DescribedEdt::new(kept.edt, kept.priority, kept.times, kept.shape, kept.is_spread, options)
    }
}

/// The number of a place in the interface.
fn number(place: Place) -> u32 {
    place.number() as u32
}

/// A place as messages name it.
fn named(place: u32) -> String {
    match Place::numbered(place as usize) {
        Some(Place::HOST) => "place 0 (the host)".into(),
        Some(device) => format!("place {place} ({device})"),
        None => format!("place {place}"),
    }
}

/// A call of a function of the policy, as the functions of the machine see it.
struct OngoingCall<'a> {
    plan: &'a UserPlan,
    machine: &'a dyn Machine,
    /// The EDT that a place is chosen for.
    current: Option<&'a DescribedEdt<'a>>,
    asks: Cell<bool>,
    wrong: RefCell<Option<AnswerError>>,
}

/// The call that a machine was handed to.
///
/// # Safety
/// The machine is that of a call which has not returned.
unsafe fn call_of<'a>(machine: *const PolicyMachine) -> &'a OngoingCall<'a> {
    // SAFETY: by the contract, the machine of the call is there.
    let runtime = unsafe { (*machine).runtime };
    // SAFETY: the machine of a call points to the call, which is there as long as the machine is.
    unsafe { &*runtime.cast::<OngoingCall<'a>>() }
}

unsafe extern "C" fn time(machine: *const PolicyMachine, edt: *const PolicyEdt, place: u32) -> PolicyTime {
    // SAFETY: the header says that the machine is that of the call in which this is called.
    let call = unsafe { call_of(machine) };
    let known = PolicyTime {
        runNs: UNKNOWN,
        atMostNs: UNKNOWN,
        newestNs: UNKNOWN,
        aloneNs: UNKNOWN,
        besideNs: UNKNOWN,
        slowdown: 0.0,
        error: 0.0,
        certainty: 0,
        isSpread: 0,
    };
    match (call.edt(edt, "asked for the time of"), Place::numbered(place as usize)) {
        (Some(described), Some(place)) if described.may_run_in(place) => described.time(place),
        _ => known,
    }
}

unsafe extern "C" fn pending(machine: *const PolicyMachine, most: u64) -> u64 {
    // SAFETY: the header says that the machine is that of the call in which this is called.
    let call = unsafe { call_of(machine) };
    call.machine.pending(most as usize) as u64
}

unsafe extern "C" fn ask_again(machine: *const PolicyMachine, at_ns: u64) {
    // SAFETY: the header says that the machine is that of the call in which this is called.
    let call = unsafe { call_of(machine) };
    let soonest = call.machine.now_ns().saturating_add(SOONEST_NS);
    call.machine.ask_again(at_ns.max(soonest));
    call.asks.set(true);
}

unsafe extern "C" fn considered(
    machine: *const PolicyMachine,
    edt: *const PolicyEdt,
    why: u32,
    expected: *const PolicyExpected,
    count: u32,
) {
    // SAFETY: the header says that the machine is that of the call in which this is called.
    let call = unsafe { call_of(machine) };
    let Some(described) = call.edt(edt, "said what it expects of") else {
        return;
    };
    if !call.machine.is_recorded() || described.is_taken || expected.is_null() {
        return;
    }
    let Some(why) = u8::try_from(why).ok().and_then(Why::of) else {
        let wrong = AnswerError::new(described.token, format!("gave the reason {why}, which there is not, for "), "");
        return call.is_wrong(wrong);
    };
    // SAFETY: the header says that there are `count` of them, and the pointer is not null.
    let all = unsafe { std::slice::from_raw_parts(expected, count as usize) };
    for (at, one) in all.iter().enumerate() {
        let place = Place::numbered(one.place as usize);
        let Some(place) = place.filter(|place| described.may_run_in(*place)) else {
            let before = format!("said what it expects in {} of ", named(one.place));
            return call.is_wrong(cannot_run(described, before));
        };
        call.machine.considered(&Considered {
            edt: described.token,
            place,
            expected: Expected {
                queue_ns: one.queueNs,
                copy_ns: one.copyNs,
                run_ns: (one.runNs != UNKNOWN).then_some(one.runNs),
            },
            certainty: described.times.certainty(place, &described.shape),
            why,
            is_chosen: at == 0 && why != Why::Open,
            is_first: at == 0,
        });
    }
}

/// The answer is about a place in which the EDT cannot run.
fn cannot_run(described: &DescribedEdt<'_>, before: String) -> AnswerError {
    let places: Vec<String> = described.options.iter().map(|one| named(one.place)).collect();
    let behind = format!(", which cannot run there: it may run in {}", places.join(" and "));
    AnswerError::new(described.token, before, behind)
}

impl OngoingCall<'_> {
    /// The EDT that the policy names.
    fn edt(&self, edt: *const PolicyEdt, what: &str) -> Option<&DescribedEdt<'_>> {
        if let Some(current) = self.current
            && ptr::eq(edt, &current.edt)
        {
            return Some(current);
        }
        let kept = self.plan.kept.get(&edt.addr()).map(|kept| &**kept);
        if kept.is_none() {
            self.is_wrong(AnswerError::of_none(format!(
                "{what} an EDT that it does not have: the pointer is not that of a call of `choose`, or of an EDT that was \
                 kept and has not ended"
            )));
        }
        kept
    }

    /// Remembers the first answer that cannot be followed.
    fn is_wrong(&self, wrong: AnswerError) {
        self.wrong.borrow_mut().get_or_insert(wrong);
    }
}

impl UserPlan {
    fn new(own: *mut c_void) -> UserPlan {
        UserPlan {
            own,
            kept: HashMap::new(),
            addresses: HashMap::new(),
            waiting: 0,
            waiting_for_host: 0,
            taken: 0,
            placed: HashSet::new(),
            refused: PlaceSet::EMPTY,
            asks: false,
            is_broken: false,
        }
    }

    /// Calls a function of the policy with the machine. `idle` is how many workers are about to look for an EDT, though
    /// they count as busy.
    fn call<R>(
        &mut self,
        machine: &dyn Machine,
        idle: usize,
        current: Option<&DescribedEdt<'_>>,
        function: impl FnOnce(*mut c_void, *const PolicyMachine) -> R,
    ) -> Result<R, AnswerError> {
        let mut places: Vec<PolicyPlace> = Vec::with_capacity(1 + machine.devices());
        let workers = machine.workers();
        places.push(PolicyPlace {
            units: workers as u32,
            load: workers.saturating_sub(machine.idle_workers() + idle) as u32,
        });
        places.extend((0..machine.devices()).map(|index| PolicyPlace {
            units: machine.at_once(Place::device(index)).max(1) as u32,
            load: machine.device_load(Place::device(index)) as u32,
        }));
        let call = OngoingCall { plan: self, machine, current, asks: Cell::new(false), wrong: RefCell::default() };
        let seen = PolicyMachine {
            nowNs: machine.now_ns(),
            places: places.as_ptr(),
            placeCount: places.len() as u32,
            isRecorded: u32::from(machine.is_recorded()),
            time,
            pending,
            askAgain: ask_again,
            considered,
            runtime: ptr::from_ref(&call).cast(),
        };
        let result = function(self.own, &seen);
        let (asks, wrong) = (call.asks.get(), call.wrong.into_inner());
        self.asks |= asks;
        wrong.map_or(Ok(result), Err)
    }

    /// Something may have changed: all places must be asked. The runtime asks the devices.
    fn changed(&mut self, machine: &dyn Machine) {
        self.refused = PlaceSet::EMPTY;
        machine.offer_to_workers(self.waiting_for_host != 0);
    }

    /// Whether nothing will ever have a place ask again for what waits.
    fn is_forgotten(&self, machine: &dyn Machine) -> bool {
        let mut devices = (0..machine.devices()).map(Place::device);
        let mut waiting = self.kept.values().filter(|kept| !kept.is_taken);
        let was_asked = |option: &PolicyOption| {
            let place = Place::numbered(option.place as usize);
            place.is_none_or(|place| self.refused.contains(place))
        };
        self.taken == 0
            && self.placed.is_empty()
            && !self.asks
            && devices.all(|device| machine.device_load(device) == 0)
            && waiting.all(|kept| kept.options.iter().all(was_asked))
    }
}

impl UserPolicy {
    /// Begins a run of a policy. The error is for people.
    fn begin(name: String, calls: &'static PolicyCalls, numbers: &[u64]) -> Result<UserPolicy, String> {
        let written: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let written = written.join(":");
        let own = match calls.begin {
            Some(begin) => {
                // SAFETY: the header says that the function takes an array of numbers and its length.
                let own = unsafe { begin(numbers.len() as u32, numbers.as_ptr()) };
                if own.is_null() {
                    let refused = match numbers {
                        [] => "to begin without numbers".to_string(),
                        _ => format!("the numbers {written}"),
                    };
                    return Err(format!("the policy {name} refuses {refused}: its function `begin` has returned NULL"));
                }
                own
            }
            None if numbers.is_empty() => ptr::null_mut(),
            None => {
                return Err(format!(
                    "the policy {name} takes no numbers, and got {written}: it has no function `begin`"
                ));
            }
        };
        Ok(UserPolicy { name, calls, plan: Mutex::new(UserPlan::new(own)), waiting: AtomicUsize::new(0) })
    }

    /// Does something with the plan. After an answer that cannot be followed, the result is `otherwise`.
    fn with<R>(
        &self,
        machine: &dyn Machine,
        otherwise: R,
        act: impl FnOnce(&mut UserPlan) -> Result<R, AnswerError>,
    ) -> R {
        let mut plan = self.plan.lock();
        if plan.is_broken {
            return otherwise;
        }
        let result = act(&mut plan);
        self.waiting.store(plan.waiting, Ordering::Relaxed);
        match result {
            Ok(result) => result,
            Err(wrong) => {
                plan.is_broken = true;
                drop(plan);
                machine.policy_failed(&PolicyFault {
                    edt: wrong.edt,
                    before: format!("the policy {} {}", self.name, wrong.before),
                    behind: wrong.behind,
                });
                otherwise
            }
        }
    }

    /// What an answer of `choose` means.
    fn choice(&self, answer: u32, described: &DescribedEdt<'_>) -> Result<Choice, AnswerError> {
        let token = described.token;
        match (answer, self.calls.keep.is_some()) {
            (KEPT, true) => Ok(Choice::Kept),
            (KEPT, false) => Err(AnswerError::new(
                token,
                "answered OCR_POLICY_KEPT for ",
                ", and has no functions `keep` and `take`",
            )),
            (FIRST_FREE, false) => Ok(Choice::FirstFree),
            (FIRST_FREE, true) => Err(AnswerError::new(
                token,
                "answered OCR_POLICY_FIRST_FREE for ",
                ", which a policy with the functions `keep` and `take` does not do",
            )),
            (place, _) => {
                let found = Place::numbered(place as usize);
                let found = found.filter(|found| described.may_run_in(*found));
                let before = || format!("chose {} for ", named(place));
                found.map(Choice::At).ok_or_else(|| cannot_run(described, before()))
            }
        }
    }
}

impl Drop for UserPolicy {
    fn drop(&mut self) {
        if let Some(end) = self.calls.end {
            let own = self.plan.get_mut().own;
            // SAFETY: `own` is what `begin` has returned, and nothing is called any more.
            unsafe { end(own) };
        }
    }
}

impl Policy for UserPolicy {
    fn learns(&self) -> bool {
        self.calls.properties & LEARNS != 0
    }

    fn choose(&self, choices: &Choices<'_>, machine: &dyn Machine) -> Choice {
        let described = DescribedEdt::to_choose(choices);
        let first = Choice::At(choices.places().next().unwrap_or(Place::HOST));
        let Some(choose) = self.calls.choose else {
            return first;
        };
        self.with(machine, first, |plan| {
            let answer = plan.call(machine, 0, Some(&described), |own, machine| {
                // SAFETY: `own`, the EDT and the machine are as the header says.
                unsafe { choose(own, &described.edt, machine) }
            })?;
            let choice = self.choice(answer, &described)?;
            if matches!(choice, Choice::At(_)) {
                plan.placed.insert(choices.edt);
            }
            Ok(choice)
        })
    }

    fn keeper(&self) -> Option<&dyn Keeper> {
        self.calls.keep.is_some().then_some(self as _)
    }
}

impl Keeper for UserPolicy {
    fn keep(&self, edt: KeptEdt, machine: &dyn Machine) {
        let Some(keep) = self.calls.keep else { return };
        let described = DescribedEdt::to_keep(&edt);
        self.with(machine, (), |plan| {
            let seen = ptr::from_ref(&described.edt);
            plan.waiting += 1;
            plan.waiting_for_host += usize::from(described.may_run_in(Place::HOST));
            plan.addresses.insert(edt.edt, seen.addr());
            plan.kept.insert(seen.addr(), described);
            let idle = usize::from(edt.frees_worker);
            plan.call(machine, idle, None, |own, machine| {
                // SAFETY: `own`, the EDT and the machine are as the header says.
                unsafe { keep(own, seen, machine) }
            })?;
            plan.changed(machine);
            Ok(())
        });
    }

    fn take(&self, place: Place, machine: &dyn Machine) -> Taken {
        let nothing = || Taken { edt: None, moved: false };
        let Some(take) = self.calls.take else {
            return nothing();
        };
        self.with(machine, nothing(), |plan| {
            let refuse = |plan: &UserPlan| {
                if place != Place::HOST {
                    return nothing();
                }
                machine.offer_to_workers(false);
                // The devices are not asked when a function has ended.
                let mut devices = (0..machine.devices()).map(Place::device);
                Taken {
                    edt: None,
                    moved: plan.waiting != 0
                        && devices.any(|device| !plan.refused.contains(device)),
                }
            };
            if plan.waiting == 0 {
                return Ok(refuse(plan));
            }
            let answer = plan.call(machine, 0, None, |own, machine| {
                // SAFETY: `own` and the machine are as the header says.
                unsafe { take(own, number(place), machine) }
            })?;
            if answer.is_null() {
                plan.refused.insert(place);
                if plan.is_forgotten(machine) {
                    return Err(AnswerError::of_none(format!(
                        "keeps {} EDTs and gives them to no place, though none of its EDTs runs, the devices have nothing to do, \
                         and it has not called askAgain: the program would hang",
                        plan.waiting
                    )));
                }
                return Ok(refuse(plan));
            }
            let Some(described) = plan.kept.get_mut(&answer.addr()) else {
                return Err(AnswerError::of_none(format!(
                    "gave {} an EDT that it does not keep: `take` answers with a pointer that `keep` got, of an EDT that has not \
                     ended",
                    named(number(place))
                )));
            };
            if described.is_taken {
                // It has no name: it may have ended by the time that the fault is told.
                return Err(AnswerError::of_none(format!(
                    "gave {} an EDT that it has given to a place before",
                    named(number(place))
                )));
            }
            if !described.may_run_in(place) {
                let before = format!("gave {} ", named(number(place)));
                return Err(cannot_run(described, before));
            }
            described.is_taken = true;
            let (token, is_for_host) = (described.token, described.may_run_in(Place::HOST));
            plan.waiting -= 1;
            plan.waiting_for_host -= usize::from(is_for_host);
            plan.taken += 1;
            plan.changed(machine);
            Ok(Taken {
                edt: Some(token),
                moved: plan.waiting != 0,
            })
        })
    }

    fn ended(&self, edt: usize, place: Place, frees_worker: bool, machine: &dyn Machine) {
        self.with(machine, (), |plan| {
            let address = plan.addresses.remove(&edt);
            let described = address.and_then(|address| plan.kept.get(&address));
            let seen = described.map_or(ptr::null(), |described| ptr::from_ref(&described.edt));
            let result = match self.calls.ended {
                None => Ok(()),
                Some(ended) => {
                    plan.call(machine, usize::from(frees_worker), None, |own, machine| {
                        // SAFETY: `own`, the EDT and the machine are as the header says.
                        unsafe { ended(own, seen, number(place), machine) }
                    })
                }
            };
            match address.and_then(|address| plan.kept.remove(&address)) {
                Some(_) => plan.taken -= 1,
                // One that a hint has placed was not asked about.
                None => drop(plan.placed.remove(&edt)),
            }
            plan.changed(machine);
            // The worker may have something else to do, and then a device that has nothing would not be asked.
            let mut devices = (0..machine.devices()).map(Place::device);
            if place == Place::HOST && plan.waiting != 0 && devices.any(|device| machine.device_load(device) == 0) {
                machine.ask_again(machine.now_ns());
            }
            result
        });
    }

    fn tick(&self, machine: &dyn Machine) {
        self.with(machine, (), |plan| {
            let asks = std::mem::take(&mut plan.asks);
            if let Some(tick) = self.calls.tick.filter(|_| asks) {
                plan.call(machine, 0, None, |own, machine| {
                    // SAFETY: `own` and the machine are as the header says.
                    unsafe { tick(own, machine) }
                })?;
            }
            plan.changed(machine);
            Ok(())
        });
    }

    fn count(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    fn look(&self, see: &mut dyn FnMut(usize)) {
        let plan = self.plan.lock();
        let waiting = plan.kept.values().filter(|kept| !kept.is_taken);
        waiting.for_each(|kept| see(kept.token));
    }
}

#[cfg(test)]
mod tests;
