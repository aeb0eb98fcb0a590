//! Step 3 of an EDT's life: it is placed, as far as the policy decides now.

use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::memory;
use crate::object::edt::{Edt, EdtRef};
use crate::object::place::Place;
use crate::sched::policy;
use crate::sched::policy::{Choice, Choices};

impl Context {
    /// Step 3: a runnable EDT is placed, as far as it can be now, and sent on.
    #[inline]
    pub(crate) fn advance(&mut self, edt: &'static Edt) {
        self.place(edt);
        self.order_blocks(edt);
        self.acquire_rest(edt);
    }

    /// Places a runnable EDT, as far as the policy decides now.
    #[inline(always)]
    pub(crate) fn place(&mut self, edt: &Edt) {
        if !edt.work().kernels.is_empty() || edt.work().fast_entry.is_none() {
            edt.place.set(self.choose_place(edt));
        }
    }

    #[inline(never)]
    fn choose_place(&mut self, edt: &Edt) -> Place {
        if let Some(check) = &self.runtime.check {
            self.check_runnable(check, edt);
        }
        let work = edt.work();
        if work.kernels.is_empty() && work.function.is_some() {
            return Place::HOST;
        }
        let devices = self.runtime.devices.for_edt(edt);
        if let Some(place) = self.asked_place(edt, &devices) {
            return place;
        }
        match (work.function.is_some(), &devices[..]) {
            (true, []) => Place::HOST,
            (false, []) => fatal(&self.runtime.devices.nothing_runs(edt)),
            (false, [only]) => *only,
            (function, devices) => {
                match self
                    .runtime
                    .policy
                    .choose(&Choices { function, devices }, self.runtime)
                {
                    Choice::At(place) => place,
                    Choice::FirstFree if function => Place::UNDECIDED,
                    // A worker could not run it.
                    Choice::FirstFree => policy::least_loaded(devices, self.runtime),
                }
            }
        }
    }

    /// Puts an EDT that holds its blocks where the first free place takes it.
    pub(crate) fn put_into_pool(&mut self, edt: &'static Edt) {
        self.runtime.queues.pool.push(EdtRef::new(edt));
        self.queued = true;
        self.feed_devices();
    }

    /// A place has taken an EDT out of the pool.
    pub(crate) fn place_at(&mut self, edt: &'static Edt, place: Place) {
        edt.place.set(place);
        for (_, slot) in edt.blocks() {
            let block = self.runtime.objects.data_blocks.pinned(slot.data());
            memory::bind_place(block, slot.info().mode, place, &mut self.granted);
        }
        self.locked(edt);
    }
}

impl crate::sched::policy::Machine for crate::engine::state::runtime::Runtime {
    fn device_load(&self, device: Place) -> usize {
        self.devices.load(device)
    }
}
