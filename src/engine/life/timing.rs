//! How long variants take: for people who ask why one schedule is faster, where a report is asked for, and for policies
//! that ask before they place the next EDT.

use crate::device::KernelTime;
use crate::engine::state::context::Context;
use crate::engine::state::finish_times::{self, ClosedScope, FinishCall};
use crate::engine::state::runtime::Runtime;
use crate::object::code::Code;
use crate::object::edt::Edt;
use crate::object::hints::EDT_TIME_PARAMS;
use crate::object::scope::Scope;
use crate::report::VariantReport;
use crate::report::tally::RanEdts;
use ocr_place::model::{Params, RunTimes, Shape};
use ocr_place::place::Place;
use std::collections::BTreeMap;
use std::time::Instant;

impl Runtime {
    /// Whether it is counted how long EDTs with this work take.
    pub(crate) fn is_timed(&self, work: &Code) -> bool {
        self.settings.is_reported() && !work.kernels.is_empty()
    }

    /// The variants of templates with kernels that were run: by template, the function first. Templates of one name
    /// count as one.
    pub(crate) fn variants(&self) -> Vec<VariantReport> {
        let times = self.registry.times();
        let mut variants: BTreeMap<(String, Place), RanEdts> = BTreeMap::new();
        self.objects.code_table.for_each(|work| {
            let address = std::ptr::from_ref(work).addr();
            for (&(_, place), &ran) in times.iter().filter(|((of, _), _)| *of == address) {
                let name = work.name.to_string();
                variants.entry((name, place)).or_default().add(ran);
            }
        });
        let report = |((template, place), ran): ((String, Place), RanEdts)| VariantReport {
            template,
            device: (place != Place::HOST).then(|| self.devices.used(place).info.name.clone()),
            edts: ran.edts,
            seconds: ran.ns as f64 / 1e9,
        };
        variants.into_iter().map(report).collect()
    }

    /// The bytes of an EDT's blocks, by which its run time is known. A pre-slot whose block is gone counts as what is
    /// in the block's slot now: it is asked before the EDT has its blocks, too, when nothing keeps them, and a guess is
    /// enough.
    pub(crate) fn bytes_of(&self, edt: &Edt) -> u64 {
        let blocks = &self.objects.data_blocks;
        let sizes = edt.slots().iter().map(|slot| match slot.data() {
            data if data.is_null() => 0,
            data => blocks.slot_of(data).map_or(0, |block| block.size()),
        });
        sizes.fold(0, u64::saturating_add)
    }

    /// By what the time of an EDT is predicted.
    pub(crate) fn shape_of(&self, edt: &Edt) -> Shape {
        let named = self.objects.edts.hint(edt, EDT_TIME_PARAMS).filter(|&named| named != 0);
        let params = match named {
            Some(named) => Params::named(edt.params(), named),
            None => Params::first_of(edt.params()),
        };
        Shape { bytes: self.bytes_of(edt), params }
    }

    /// Whether a worker runs an EDT now, as far as one can tell without asking each.
    fn any_worker_runs(&self) -> bool {
        let state = self.queues.sleep.state();
        state.searching() + state.sleeping() < self.workers_left()
    }

    /// Whether a device besides this place has a launch.
    pub(crate) fn any_device_runs(&self, but: Place) -> bool {
        let used = self.devices.in_use().iter().enumerate();
        let mut others = used.filter(|&(number, _)| Place::device(number) != but);
        others.any(|(_, used)| used.manager.load() != 0)
    }

    /// A kernel is about to be sent to a device: whether another place works now is of interest at its end.
    pub(crate) fn note_launch(&self, device: Place) {
        if self.any_worker_runs() {
            self.devices.used(device).note_beside();
        }
    }
}

impl Context {
    /// An EDT with this work has run at this place.
    pub(crate) fn count_time(&self, work: &'static Code, place: Place, ns: u64) {
        if self.runtime.is_timed(work) {
            self.tally.times.add(work, place, ns);
        }
    }

    /// The kernel of an EDT has run. The blocks are the EDT's still.
    pub(crate) fn count_kernel(&self, edt: &Edt, time: KernelTime) {
        let (runtime, work, place) = (self.runtime, edt.work(), edt.place.get());
        self.count_time(work, place, time.ran_ns);
        if !runtime.learns || !work.has_variants() {
            return;
        }
        self.learn_of_kernel(work, runtime.shape_of(edt), place, time);
        self.tell_keeper(edt);
    }

    /// A kernel of an EDT with this work and shape has run.
    pub(crate) fn learn_of_kernel(&self, work: &Code, shape: Shape, place: Place, time: KernelTime) {
        let runtime = self.runtime;
        let runs = runtime.any_worker_runs() || runtime.any_device_runs(place);
        let beside = runtime.devices.used(place).was_beside(runs);
        let Some(part) = runtime.devices.part_of_cores(place, time.ran_ns) else {
            return;
        };
        let with_all = |ns: u64| if part == 1.0 { ns } else { (ns as f64 * part) as u64 };
        let ns = with_all(time.occupied_ns);
        if time.is_first {
            // The gap before it may be the compiler's.
            let ran_ns = with_all(time.ran_ns);
            work.times.first(place.number(), shape, ns.min(ran_ns));
        } else {
            work.times.sample(place.number(), shape, ns, beside);
            if runtime.devices.manager(place).at_once().is_some() {
                // Others have had a third of the time or more.
                let shared = time.ran_ns / 3 * 2 > ns;
                (work.times).sample_latency(place.number(), shape, time.ran_ns, shared);
            }
        }
    }
}

/// The time of a function that a worker is about to call: from its call to its return, and so with all that it waits
/// for in calls.
pub(crate) struct TimedCall {
    work: &'static Code,
    shape: Shape,
    beside: bool,
    /// How often the thread had waited in a call.
    waits: u64,
    learns: bool,
    begun: Instant,
}

impl Context {
    /// The function of this EDT, which the worker runs, is called now.
    pub(crate) fn begin_call(&self, edt: &'static Edt) -> TimedCall {
        let (runtime, work) = (self.runtime, edt.work());
        let learns = runtime.learns && work.has_variants();
        TimedCall {
            work,
            // The function may write to its parameters.
            shape: if learns { runtime.shape_of(edt) } else { Shape::default() },
            beside: learns && runtime.any_device_runs(Place::HOST),
            waits: self.seat.waits,
            learns,
            begun: Instant::now(),
        }
    }
}

impl TimedCall {
    /// Counts the time of a function that has returned. If it has waited in a call, that time is due to others, and
    /// teaches nothing. That of a finish EDT lasts until its scope closes.
    pub(crate) fn end(self, context: &Context) {
        let function = self.begun.elapsed();
        let ns = function.as_nanos() as u64;
        context.count_time(self.work, Place::HOST, ns);
        let learns = self.learns && context.seat.waits == self.waits;
        let beside = self.beside || learns && context.runtime.any_device_runs(Place::HOST);
        let Some(edt) = context.current else {
            return;
        };
        let scope = edt.finish_scope().filter(|_| edt.flags.get().is_finish() && self.work.has_variants());
        if let Some(scope) = scope {
            let is_kept = context.goes_on_as(edt, finish_times::token_of(scope));
            let call = FinishCall { work: self.work, shape: self.shape, function, beside, learns, is_kept };
            context.runtime.finish_times.begin(scope, call);
            return;
        }
        if learns {
            self.work.times.sample(Place::HOST.number(), self.shape, ns, beside);
            context.runtime.look_at_function(ns);
        }
        context.tell_keeper(edt);
    }
}

impl Context {
    /// A timed scope closes: what the finish EDT took as a function is known.
    #[cold]
    pub(crate) fn end_timed_scope(&self, scope: &Scope) {
        let Some(ClosedScope { call, whole, share }) = self.runtime.finish_times.end(scope) else {
            return;
        };
        let times = &call.work.times;
        if call.learns {
            let [function, whole, share] = [call.function, whole, share].map(|time| time.as_nanos() as u64);
            let works_alone = RunTimes::is_alone(function, whole);
            let ns = if works_alone { whole } else { share };
            times.note_alone(works_alone);
            let beside = call.beside || self.runtime.any_device_runs(Place::HOST);
            times.sample(Place::HOST.number(), call.shape, ns, beside);
            self.runtime.look_at_function(ns);
        }
        if call.is_kept
            && let Some(keeper) = self.runtime.policy.keeper()
        {
            keeper.ended(finish_times::token_of(scope), Place::HOST, false, self.runtime);
        }
    }
}
