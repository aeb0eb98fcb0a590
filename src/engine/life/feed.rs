//! Which EDTs of the pool a device with room takes.

use crate::device;
use crate::engine::state::context::Context;
use crate::engine::state::end::Interrupt;
use crate::object::edt::EdtRef;
use ocr_place::place::{Place, PlaceSet};
use ocr_place::policy::Keeper;

/// A gap is nothing beside kernels that take so long, while an EDT that waits behind one may keep all others waiting:
/// then a device takes the next when it has ended the last. So it is with the first ones, of which nothing is known.
const LONG_NS: u64 = 2_000_000;

/// Unless this number of EDTs for each worker waits for a place: then the other queues of the device should have work,
/// too.
const MANY_WAIT: usize = 4;

impl device::Pool for Context {
    type Edt = EdtRef;

    fn is_empty(&self) -> bool {
        self.runtime.queues.pool.is_empty()
    }

    fn take(&mut self) -> Option<EdtRef> {
        self.runtime.queues.take_from_pool()
    }

    fn put_back(&mut self, edt: EdtRef) {
        self.runtime.queues.pool.push(edt);
        self.steps.queued = true;
    }

    fn fitting(&self, edt: &EdtRef) -> PlaceSet {
        let mut fitting = PlaceSet::EMPTY;
        for place in self.runtime.devices.for_edt(edt.get()) {
            fitting.insert(place);
        }
        fitting
    }

    fn devices(&self) -> usize {
        self.runtime.devices.in_use().len()
    }

    fn queues(&self, device: Place) -> usize {
        self.runtime.devices.manager(device).queues()
    }

    fn load(&self, device: Place) -> usize {
        self.runtime.devices.load(device)
    }

    fn ended(&self, device: Place) -> u64 {
        self.runtime.devices.manager(device).ended()
    }

    fn takes_ahead(&self, device: Place) -> bool {
        let pace_ns = self.runtime.devices.manager(device).pace_ns();
        let runtime = self.runtime;
        pace_ns.is_some_and(|ns| ns < LONG_NS) || runtime.queues.pool.len() > MANY_WAIT * runtime.workers()
    }

    fn give(&mut self, edt: EdtRef, device: Place) {
        self.place_at(edt.get(), device);
    }
}

impl Context {
    /// Gives devices that have room EDTs of the pool.
    pub(crate) fn feed_devices(&mut self) {
        if self.runtime.end.is_called_to(Interrupt::CHECKPOINT) {
            return;
        }
        match self.runtime.policy.keeper() {
            Some(keeper) if keeper.count() != 0 => self.feed_from(keeper),
            Some(_) => {}
            None => device::feed(self),
        }
    }

    /// Asks the policy's keeper for what devices are to have, until none has room or gets one.
    fn feed_from(&mut self, keeper: &dyn Keeper) {
        let mut again = true;
        while std::mem::take(&mut again) {
            for index in 0..self.runtime.devices.in_use().len() {
                let device = Place::device(index);
                loop {
                    let taken = keeper.take(device, self.runtime);
                    again |= taken.moved;
                    let Some(edt) = taken.edt else { break };
                    // SAFETY: the keeper was given tokens of EDTs alone, and gives each to one place.
                    let edt = unsafe { EdtRef::from_token(edt) };
                    self.place_at(edt.get(), device);
                }
            }
        }
    }
}
