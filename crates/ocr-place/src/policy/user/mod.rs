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
//!
//! | file | what it has |
//! |---|---|
//! | `open.rs` | the file is opened, and the policy found in it |
//! | `layout.rs` | the types of the header |
//! | `described.rs` | an EDT as the policy sees it |
//! | `machine.rs` | the machine that the policy is given, and its functions |

mod described;
pub mod layout;
mod machine;
mod open;

use super::interface::{Choice, Choices, Keeper, KeptEdt, Machine, Policy, PolicyFault, Taken};
use crate::place::{Place, PlaceSet};
use described::{AnswerError, DescribedEdt, cannot_run, named, number};
use layout::{FIRST_FREE, KEPT, LEARNS, PolicyCalls, PolicyOption};
use ocr_base::lock::{Mutex, rank};
use ocr_base::text::Readable;
use std::collections::{HashMap, HashSet};
use std::ffi::c_void;
use std::path::Path;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

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
