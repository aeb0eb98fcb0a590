//! What the steps of an EDT tell the recording of a run, where there is one.

use crate::engine::state::context::Context;
use crate::engine::state::runtime::Runtime;
use crate::object::code::Code;
use crate::object::edt::{Edt, Mode};
use crate::object::guid::Guid;
use crate::trace;
use crate::trace::events;
use crate::trace::format::{Basis, Counter};
use ocr_place::place::Place;
use ocr_place::policy::Considered;

/// The number of a place in a recording.
pub(crate) fn number(place: Place) -> u8 {
    // The number fits a byte, that of "no place" too.
    place.number() as u8
}

impl Runtime {
    /// Records what can be counted: the time on cores, what is ready, and what devices have to do and hold.
    #[cold]
    pub(crate) fn record_counters(&self) {
        events::usage();
        events::process_usage();
        events::counter(Counter::Ready, 0, self.queues.ready() as u64);
        for (index, used) in self.devices.in_use().iter().enumerate() {
            let place = Place::device(index);
            let launches = self.devices.load(place) as u64;
            events::counter(Counter::Launches, number(place), launches);
            let bytes = used.counters().resident_bytes;
            events::counter(Counter::DeviceBytes, number(place), bytes);
        }
    }
}

/// Records what the policy expects of an EDT in a place that it has considered.
#[cold]
pub(crate) fn record_considered(edt: &Edt, place: &Considered) {
    let basis = Basis {
        certainty: place.certainty as u8,
        why: place.why as u8,
        is_chosen: place.is_chosen,
        is_first: place.is_first,
        eighths: Basis::eighths_of(place.factor),
    };
    let expected = &place.expected;
    let parts = [expected.queue_ns, expected.copy_ns, expected.run_ns.unwrap_or(0)];
    let guid = edt.own_guid().bits();
    events::estimate(guid, number(place.place), basis, parts);
}

/// A bit for each place where a work can run.
fn places(work: &Code) -> u64 {
    let bit = |place: &Place| 1 << place.number();
    let devices = work.devices.iter().map(bit).fold(0, |all, bit| all | bit);
    devices | u64::from(work.function.is_some())
}

impl Runtime {
    /// Records the best names of works, at the end of a run: they are looked for in files, which takes too long while
    /// it goes on.
    pub(crate) fn record_names(&self) {
        if trace::is_on() {
            self.objects.code_table.for_each(|work| {
                let address = std::ptr::from_ref(work).addr() as u64;
                events::name(address, places(work), work.name.best());
            });
        }
    }
}

impl Context {
    /// A new EDT, which no other thread knows yet.
    pub(crate) fn record_created(&self, edt: &Edt, finish: bool, sources: &[Guid]) {
        let (guid, work) = (edt.own_guid().bits(), edt.work());
        let address = std::ptr::from_ref(work).addr() as u64;
        if events::is_new(address) {
            events::name(address, places(work), work.name.given());
        }
        events::created(guid, address, edt.paramc.get(), edt.depc.get(), finish);
        for (slot, &source) in sources.iter().enumerate() {
            let (slot, bits, mode) = (slot as u32, source.bits(), Mode::Rw as u8);
            if source.is_event() {
                events::linked(guid, slot, (bits, 0), mode);
            } else if source != Guid::UNINITIALIZED {
                events::satisfied(guid, slot, bits, mode);
            }
        }
    }

    /// An EDT is runnable, and the policy has chosen.
    #[cold]
    pub(crate) fn record_runnable(&self, edt: &Edt, place: Place) {
        events::runnable(edt.own_guid().bits(), number(place));
    }

    /// The kernel of an EDT has ended.
    #[cold]
    pub(crate) fn record_kernel_end(&self, edt: &Edt) {
        if events::kernel_end(edt.own_guid().bits(), number(edt.place.get())) {
            self.runtime.record_counters();
        }
    }
}
