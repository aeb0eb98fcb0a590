//! How long variants take, where a report is asked for: what people need who ask why one schedule is faster.

use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::runtime::Runtime;
use crate::engine::state::user_call::ocr_call_edt;
use crate::object::code::{Code, EdtDep};
use crate::object::guid::Guid;
use crate::object::place::Place;
use crate::report::VariantReport;
use crate::report::tally::Ran;
use std::collections::BTreeMap;
use std::time::Instant;

impl Runtime {
    /// The variants of templates with kernels that were run: by template, the function first. Templates of one name
    /// count as one.
    pub(crate) fn variants(&self) -> Vec<VariantReport> {
        let times = self.registry.times();
        let mut variants: BTreeMap<(String, Place), Ran> = BTreeMap::new();
        self.objects.code_table.for_each(|work| {
            let address = std::ptr::from_ref(work).addr();
            for (&(_, place), &ran) in times.iter().filter(|((of, _), _)| *of == address) {
                let name = work.name.to_string();
                variants.entry((name, place)).or_default().add(ran);
            }
        });
        let report = |((template, place), ran): ((String, Place), Ran)| VariantReport {
            template,
            device: (place != Place::HOST).then(|| self.devices.used(place).info.name.clone()),
            edts: ran.edts,
            seconds: ran.ns as f64 / 1e9,
        };
        variants.into_iter().map(report).collect()
    }
}

impl Context {
    /// An EDT with this work has run at this place.
    pub(crate) fn count_time(&self, work: &'static Code, place: Place, ns: u64) {
        if self.runtime.settings.is_reported() && !work.kernels.is_empty() {
            self.tally.times.add(work, place, ns);
        }
    }
}

/// What a worker calls in place of the function of an EDT that has kernels, too, where that is timed: from its call to
/// its return, and so with all that it waits for in calls.
///
/// # Safety
/// As for the function, by a worker whose current EDT this is.
pub(crate) unsafe extern "C" fn call_timed(
    paramc: u32,
    paramv: *mut u64,
    depc: u32,
    depv: *mut EdtDep,
) -> Guid {
    let at_work = || {
        let context = Context::get()?;
        // SAFETY: this thread's, and no reference into it is alive while it runs an EDT's function.
        let context = unsafe { &mut *context };
        Some((context.current?.work(), context))
    };
    let Some(function) = at_work().and_then(|(work, _)| work.function) else {
        fatal("a function was to be timed where there is none: this is a fault of the runtime");
    };
    let begun = Instant::now();
    // SAFETY: the arguments are those that this function was called with, by a worker that has them from the EDT; they
    // are what `ocrEdt_t` promises to `function`.
    let result = unsafe { ocr_call_edt(paramc, paramv, depc, depv, function) };
    let ns = begun.elapsed().as_nanos() as u64;
    if let Some((work, context)) = at_work() {
        context.count_time(work, Place::HOST, ns);
    }
    result
}
