//! What a worker does all day.

use crate::engine::life::duplicated::run_duplicate;
use crate::engine::state::context::Context;
use crate::engine::state::end::Interrupt;
use crate::engine::state::runtime::Runtime;
use crate::engine::workers::threads;
use crate::object::edt::{Edt, EdtRef};
use crate::sched::queues::{Found, Local};
use crate::trace;
use ocr_place::place::Place;
use std::cell::Cell;
use std::time::Instant;

/// Runs EDTs until the program ends.
pub(crate) fn work(runtime: &'static Runtime, local: Local) {
    let context = Context::enter(runtime, local);
    if trace::is_on() {
        trace::events::worker();
    }
    threads::watch_thread();
    runtime.seats.begins();
    loop {
        // SAFETY: the context is this thread's, and this reference ends before the EDT runs.
        while let Some(edt) = next(unsafe { &mut *context }) {
            // SAFETY: the context is this thread's, and the reference that `next` got has ended: none into it is alive.
            unsafe { Context::run(context, edt) };
        }
        // SAFETY: the context is this thread's, and the last EDT has returned: no other reference into it is alive.
        let this = unsafe { &mut *context };
        if let Some(token) = this.duplicate.take() {
            // SAFETY: the context is this thread's, which runs no EDT, and the reference above is not used any more.
            unsafe { run_duplicate(context, token) };
            continue;
        }
        // Without a seat, the thread waits for one.
        if runtime.end.is_ending() && this.local.is_some() || !this.find_seat() {
            break;
        }
    }
    // SAFETY: the context is this thread's, and the loop has ended: no other reference into it is alive.
    unsafe { &mut *context }.close_seat();
    threads::stop_watching();
    Context::leave();
}

/// The next EDT; `None` at the end, if the thread has no seat, or if it is to make a duplicate.
fn next(context: &mut Context) -> Option<&'static Edt> {
    let runtime = context.runtime;
    loop {
        if runtime.end.is_called() && !attend(context) {
            return None;
        }
        let kept = context.steps.next.take();
        let local = context.local.as_mut()?;
        if let Some(edt) = local.next(&runtime.queues, kept) {
            return Some(edt.get());
        }
        if let Some(edt) = search(context) {
            return Some(edt);
        }
        if context.duplicate.is_some() {
            return None;
        }
    }
}

/// An EDT from elsewhere, if one comes before the worker has to look around.
#[cold]
fn search(context: &mut Context) -> Option<&'static Edt> {
    let runtime = context.runtime;
    // No EDT waits for a scope or a block because this worker has a part of it and nothing to do.
    context.settle_up();
    let kept = context.steps.next.take();
    let local = context.local.as_mut()?;
    if let Some(edt) = local.next(&runtime.queues, kept) {
        return Some(edt.get());
    }
    let index = local.index();
    let retires = || index >= runtime.seats.limit();
    // Whether the keeper has left a device an EDT that it had for workers: then the device is asked before this worker
    // sleeps, since it may have nothing else, and no thread would ask it.
    let moved = Cell::new(false);
    // An EDT that a device runs and the policy names to this worker, since there is nothing else for it.
    let duplicate = Cell::new(None);
    let stop = || runtime.end.is_worker_called(retires) || moved.get() || duplicate.get().is_some();
    let begun = runtime.settings.is_reported().then(Instant::now);
    let keeper = runtime.policy.keeper();
    let ask = || {
        let taken = keeper?.take(Place::HOST, runtime);
        moved.set(moved.get() | taken.moved);
        if taken.edt.is_none() && runtime.duplicates.is_some() {
            duplicate.set(keeper?.duplicate(Place::HOST, runtime));
        }
        // SAFETY: the keeper was given tokens of EDTs alone, and gives each to one place.
        taken.edt.map(|edt| unsafe { EdtRef::from_token(edt) })
    };
    let asleep = || runtime.check_halt();
    if trace::is_on() && trace::events::idle() {
        runtime.record_counters();
    }
    let found = local.search(&runtime.queues, stop, ask, asleep);
    if trace::is_on() {
        trace::events::busy();
    }
    if let Some(begun) = begun {
        let idle_ns = begun.elapsed().as_nanos() as u64;
        context.tally.counts.idle_ns.add(idle_ns);
    }
    match found {
        Some(Found::Ready(edt)) => return Some(edt.get()),
        Some(Found::Unplaced(edt)) => {
            context.steps.keep_next = true;
            context.place_at(edt.get(), Place::HOST);
            context.work_off();
        }
        None => {}
    }
    if moved.get() {
        context.feed_devices();
        context.work_off();
    }
    // An EDT that is kept for this worker comes first, as no other finds it.
    context.duplicate = duplicate.get().filter(|_| context.steps.next.is_none());
    None
}

/// Does what workers are called to between two EDTs. False if this one is to run no other.
#[cold]
fn attend(context: &mut Context) -> bool {
    let end = &context.runtime.end;
    while end.is_called_to(Interrupt::PAUSE) && !end.is_ending() {
        context.stand_still();
    }
    // A seat that is given up is not left for others before.
    let leaves = end.is_ending()
        || end.is_called_to(Interrupt::RETIRE) && context.retire()
        || end.is_called_to(Interrupt::OVERSUBSCRIBED) && context.make_room();
    !leaves
}
