//! How the function of an EDT is called where more is done than that: the run is recorded, strict mode looks at what
//! the EDT does, it runs as an attempt or has a time limit, it is of interest how long the function takes, what it
//! leaves is compared with what kernels leave, or it makes calls about objects of other nodes.

use crate::check::history::Who;
use crate::engine::attempt;
use crate::engine::attempt::point::Arguments;
use crate::engine::life::away::confirm_calls;
use crate::engine::nodes::outbox;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::user_call::ocr_call_edt;
use crate::engine::strict::arguments::GuardedArguments;
use crate::object::code::EdtDep;
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use crate::trace;
use crate::trace::events;
use std::ptr;

/// What a worker calls in place of an EDT's function.
///
/// # Safety
/// As for the function, by a worker whose current EDT this is.
pub(crate) unsafe extern "C" fn call_observed(paramc: u32, paramv: *mut u64, depc: u32, depv: *mut EdtDep) -> Guid {
    let begun = at_work(|context, edt| {
        let check = context.runtime.check.as_deref();
        // First, since it opens blocks that no EDT held before.
        if let Some(check) = check {
            context.check_begin(check, edt);
        }
        if trace::is_on() {
            // Nothing is recorded between this and the begin: `ocr check` takes the record before the begin for when
            // blocks were looked at.
            events::before_begin();
            context.contents_begin(edt);
            if events::begin(edt.own_guid().bits()) {
                context.runtime.record_counters();
            }
        }
        Some((edt.work().function?, check.is_some()))
    });
    let Some((function, is_checked)) = begun.flatten() else {
        fatal(
            "a function was to be called where no EDT runs, or one without a function: this is a fault of the runtime",
        );
    };
    at_work(|context, edt| {
        let redundant = context.runtime.redundant.as_ref()?;
        // SAFETY: the worker that calls this passes an EDT's `depv`, which has `depc` elements, or is null if there are
        // none; it is the function's own copy, which no other thread knows.
        let deps = unsafe { deps_of(depc, depv) };
        context.show_copies(redundant, edt, deps);
        Some(())
    });
    // SAFETY: the worker that calls this passes an EDT's `paramv` and `depv`, which have `paramc` and `depc` elements,
    // or are null if there are none.
    let guard = || unsafe { GuardedArguments::copy((paramc, paramv), (depc, depv)) };
    let mut guarded = is_checked.then(guard);
    let own = (paramv, depv);
    let (paramv, depv) = guarded.as_mut().map_or(own, GuardedArguments::start);
    let returned = at_work(|context, edt| context.take_returned(edt)).flatten();
    let timed = at_work(|context, edt| {
        let is_timed = !edt.work().kernels.is_empty() && returned.is_none();
        is_timed.then(|| context.begin_call(edt))
    });
    let attempts = at_work(|context, edt| {
        let is_attempt = returned.is_some() || attempt::is_for(context, edt);
        is_attempt.then_some((ptr::from_mut(context), edt))
    });
    let result = match attempts.flatten() {
        Some((context, edt)) if let Some(returned) = returned => {
            // SAFETY: the context is this thread's, and the reference from which the pointer was made has ended. The
            // EDT is the one that it runs.
            unsafe { attempt::duplicate::take_effect(context, edt, returned) }
        }
        None => {
            let limited = at_work(|context, edt| context.limited(edt)).flatten();
            if let Some((tally, limit)) = &limited {
                tally.now.limit.begin_with(*limit);
            }
            // SAFETY: `function` is that of the EDT whose arguments these are, or copies with as many elements; so they
            // are what `ocrEdt_t` promises.
            let result = unsafe { ocr_call_edt(paramc, paramv, depc, depv, function) };
            if let Some((tally, _)) = &limited {
                tally.now.limit.end();
            }
            result
        }
        Some((context, edt)) => {
            let with = Arguments { paramc, paramv, depc, depv };
            // SAFETY: the context is this thread's, and the reference from which the pointer was made has ended. The
            // arguments are the function's.
            unsafe { attempt::run(context, edt, function, with) }
        }
    };
    if outbox::has_sent() {
        // Before the EDT's end has anything follow, as its blocks going to others.
        confirm_calls();
    }
    at_work(|context, edt| {
        if let Some(timed) = timed.flatten() {
            timed.end(context);
        }
        if let Some(redundant) = &context.runtime.redundant {
            context.compare_runs(redundant, edt, result);
        }
        if let (Some(check), Some(guarded)) = (context.runtime.check.as_deref(), guarded) {
            guarded.quarantine(check, Who::of(edt));
            context.check_end(check, edt, result);
        }
        if trace::is_on() {
            events::end(edt.own_guid().bits());
            context.contents_end();
        }
    });
    result
}

/// The dependences that a function gets.
///
/// # Safety
/// `depv` has `depc` elements that nothing else uses meanwhile, or `depc` is 0.
unsafe fn deps_of<'a>(depc: u32, depv: *mut EdtDep) -> &'a mut [EdtDep] {
    if depc == 0 {
        return &mut [];
    }
    // SAFETY: the caller promises so many elements, and that nothing else uses them.
    unsafe { std::slice::from_raw_parts_mut(depv, depc as usize) }
}

/// Does something with this thread's context and the EDT that it runs. None if it runs none.
fn at_work<R>(work: impl FnOnce(&mut Context, &'static Edt) -> R) -> Option<R> {
    let context = Context::get()?;
    // SAFETY: this thread's, and no reference into it is alive while it runs an EDT's function.
    let context = unsafe { &mut *context };
    let edt = context.current?;
    Some(work(context, edt))
}
