//! What a worker does all day.

use super::Runtime;
use super::context::Context;
use crate::object::place::Place;
use crate::sched::queues::{Found, Local};

/// Runs EDTs until the program ends.
pub fn work(runtime: &'static Runtime, local: Local) {
    let context = Context::enter(runtime, Some(local));
    // SAFETY: the context is this thread's, and this reference ends before the EDT runs.
    while let Some(edt) = next(unsafe { &mut *context }) {
        // SAFETY: no reference into the context is alive.
        unsafe { Context::run(context, edt) };
    }
    Context::leave();
}

/// The next EDT; `None` at the end.
fn next(context: &mut Context) -> Option<&'static crate::object::edt::Edt> {
    let runtime = context.runtime;
    loop {
        if runtime.end.is_ending() {
            return None;
        }
        let kept = context.next.take();
        let local = context.local.as_mut()?;
        if let Some(edt) = local.next(&runtime.queues, kept) {
            return Some(edt.get());
        }
        // Nobody waits for a scope because this worker has credit for it and nothing to do.
        context.give_credit_back();
        context.work_off();
        let kept = context.next.take();
        let local = context.local.as_mut()?;
        if let Some(edt) = local.next(&runtime.queues, kept) {
            return Some(edt.get());
        }
        let stop = || runtime.end.is_ending();
        match local.search(&runtime.queues, stop, || runtime.check_halt())? {
            Found::Ready(edt) => return Some(edt.get()),
            Found::Unplaced(edt) => {
                context.keep_next = true;
                context.place_at(edt.get(), Place::HOST);
                context.work_off();
            }
        }
    }
}
