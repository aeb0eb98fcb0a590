//! The machine of a simulated run, as its policy sees it.

use crate::place::Place;
use crate::policy::{Considered, Machine, PolicyFault};
use crate::simulate::graph::LentCores;
use std::cell::{Cell, RefCell};

/// The part of a simulated run that a policy sees, as the machine.
pub(super) struct VisibleMachine {
    /// The virtual time, in nanoseconds from the beginning.
    pub(super) now: Cell<u64>,
    /// Whether the keeper may have an EDT for a worker.
    pub(super) offers: Cell<bool>,
    /// When the keeper must be asked again.
    pub(super) asks_at: Cell<u64>,
    /// How many EDTs and joins have not ended.
    pub(super) left: Cell<usize>,
    /// How many workers have nothing to do.
    pub(super) idle: Cell<usize>,
    /// How many workers there are.
    pub(super) workers: usize,
    /// The cores of the workers that devices compute on.
    pub(super) lends: Option<LentCores>,
    /// Whether idle workers run EDTs, too, that devices run.
    pub(super) duplicates: bool,
    /// For each device, how many EDTs it was given and has not ended.
    pub(super) loads: RefCell<Vec<usize>>,
    /// The places that the policy has considered, with the time of each. None where the run is not recorded.
    pub(super) considered: Option<RefCell<Vec<(u64, Considered)>>>,
    /// What is wrong with an answer of the policy, as a text for people.
    pub(super) fault: RefCell<Option<String>>,
}

impl VisibleMachine {
    pub(super) fn any_device_works(&self) -> bool {
        self.loads.borrow().iter().any(|&load| load != 0)
    }
}

impl Machine for VisibleMachine {
    fn device_load(&self, device: Place) -> usize {
        let index = device.device_index();
        index.map_or(0, |index| self.loads.borrow()[index])
    }

    fn devices(&self) -> usize {
        self.loads.borrow().len()
    }

    fn workers(&self) -> usize {
        self.workers
    }

    fn idle_workers(&self) -> usize {
        self.idle.get()
    }

    fn shares_cores(&self, device: Place) -> Option<usize> {
        let lends = self.lends.as_ref()?;
        let index = device.device_index()?;
        lends.devices.contains(&index).then_some(lends.cores)
    }

    fn pending(&self, most: usize) -> usize {
        self.left.get().min(most)
    }

    fn now_ns(&self) -> u64 {
        self.now.get()
    }

    fn ask_again(&self, at_ns: u64) {
        self.asks_at.set(self.asks_at.get().min(at_ns));
    }

    fn may_duplicate(&self) -> bool {
        self.duplicates
    }

    fn offer_to_workers(&self, offers: bool) {
        self.offers.set(offers);
    }

    fn is_recorded(&self) -> bool {
        self.considered.is_some()
    }

    fn policy_failed(&self, fault: &PolicyFault) {
        let name = |edt| format!("the EDT of number {} of the simulation", edt + 1);
        self.fault.borrow_mut().get_or_insert(fault.text(name));
    }

    fn considered(&self, place: &Considered) {
        if let Some(considered) = &self.considered {
            considered.borrow_mut().push((self.now.get(), *place));
        }
    }
}
