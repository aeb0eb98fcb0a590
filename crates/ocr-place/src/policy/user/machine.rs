//! The machine that a policy of a user is given in each call, and the functions of it.

use super::UserPlan;
use super::described::{AnswerError, DescribedEdt, cannot_run, named};
use super::layout::{PolicyEdt, PolicyExpected, PolicyMachine, PolicyPlace, PolicyTime, UNKNOWN};
use crate::place::Place;
use crate::policy::interface::Machine;
use crate::policy::told::{Considered, Expected, Why};
use std::cell::{Cell, RefCell};
use std::ffi::c_void;
use std::ptr;

/// The soonest that a policy is asked again. Without it, virtual time might stand still.
const SOONEST_NS: u64 = 1_000;

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
    // SAFETY: the caller promises that the call has not returned, and its machine is there as long as it.
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
            factor: 1.0,
            why,
            is_chosen: at == 0 && why != Why::Open,
            is_first: at == 0,
        });
    }
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
    /// Calls a function of the policy with the machine. `idle` is how many workers are about to look for an EDT, though
    /// they count as busy.
    pub(super) fn call<R>(
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
}
