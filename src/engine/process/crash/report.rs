//! What is reported of a crash by the thread that watches: where the instruction is, and what the EDT's function is
//! called. In strict mode it also tells what the EDT has been through. That is its creator, what its pre-slots were
//! connected to, and, where it got a null pointer, the EDT that satisfied the event. Of a block that it missed, or that
//! is gone, the creator and the destroyer are named. Before that, what the program has printed is written. An EDT that
//! has read a block which no EDT holds has broken a rule of strict mode: the program ends there as for every other one.
//!
//! | thread | does |
//! |---|---|
//! | the handler, on the thread that crashed | leaves what it knows, then `ASKED`, wakes the thread that watches, and waits until `ASKED` is taken back, at most for some seconds |
//! | the thread that watches | finds `ASKED`, tells, takes it back; so, too, when it has said that it is there no more |
//!
//! The EDT does not end meanwhile. If the thread that watches cannot tell, since the one that crashed has a lock
//! that it needs, or since it is not there, as in a copy of the process, nothing is said.

use crate::check::history::Who;
use crate::check::{At, Misuse};
use crate::engine::process::bell;
use crate::engine::process::crash::address;
use crate::engine::state::end::FATAL_STATUS;
use crate::engine::state::fatal::{exit_now, flush_output};
use crate::engine::state::runtime::Runtime;
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use crate::symbols;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Whether a thread of the runtime waits for the report. The other statics here are written before it.
static ASKED: AtomicBool = AtomicBool::new(false);
/// The GUID of the EDT, or 0.
static EDT: AtomicU64 = AtomicU64::new(0);
/// The GUID of a data block that it is about, or 0.
static BLOCK: AtomicU64 = AtomicU64::new(0);
/// Which of its first 64 pre-slots give it a null pointer, a bit each.
static NULLS: AtomicU64 = AtomicU64::new(0);
/// Where that block was read though no EDT holds it: the byte, and its size, which is not 0 then.
static READ: [AtomicUsize; 2] = [AtomicUsize::new(0), AtomicUsize::new(0)];
/// Where the instruction is; 0 if that says nothing.
static INSTRUCTION: AtomicUsize = AtomicUsize::new(0);

/// Whether the program is to end with a status that is not 0, as its report is written.
static ENDS: AtomicBool = AtomicBool::new(false);

/// A run begins, in which no thread has asked for a report.
pub(crate) fn begin() {
    ENDS.store(false, Ordering::SeqCst);
    EDT.store(0, Ordering::Relaxed);
    BLOCK.store(0, Ordering::Relaxed);
    READ[1].store(0, Ordering::Relaxed);
    ASKED.store(false, Ordering::SeqCst);
}

/// Has the report written. For the handler of a signal.
pub(crate) fn ask(edt: Option<&Edt>, block: Option<Guid>, instruction: Option<usize>) {
    if let Some(edt) = edt {
        let slots = edt.slots().iter().take(64).enumerate();
        let is_null = slots.map(|(at, slot)| u64::from(address::is_null(slot)) << at);
        NULLS.store(is_null.sum(), Ordering::Relaxed);
        // Not that of a label, on which there may be another one.
        EDT.store(edt.own_guid().bits(), Ordering::Relaxed);
    }
    BLOCK.store(block.map_or(0, Guid::bits), Ordering::Relaxed);
    INSTRUCTION.store(instruction.unwrap_or_default(), Ordering::Relaxed);
    // Seq-cst, as the end of the thread that watches: either it finds this, or it is seen to be gone.
    ASKED.store(true, Ordering::SeqCst);
    if !bell::is_here() {
        return;
    }
    bell::look();
    wait_until(|| !ASKED.load(Ordering::SeqCst));
}

/// Has the program ended, in strict mode, since an EDT has read a data block that no EDT holds. Returns where the
/// thread that watches does not do that. For the handler of a signal.
pub(crate) fn end_for_read(edt: &Edt, at: &At, instruction: Option<usize>) {
    READ[0].store(at.byte.unsigned_abs(), Ordering::Relaxed);
    READ[1].store(at.len, Ordering::Relaxed);
    ask(Some(edt), Some(at.block), instruction);
    READ[1].store(0, Ordering::Relaxed);
}

/// The misuse of an EDT that has read a block which no EDT holds, if that is what the thread waits for.
fn read_released(runtime: &Runtime, (edt, block): (Guid, Guid)) -> Option<Box<Misuse>> {
    let [byte, len] = [&READ[0], &READ[1]].map(|number| number.load(Ordering::Relaxed));
    let check = runtime.check.as_ref().filter(|_| len != 0)?;
    let who = (runtime.objects.edts.lock(edt)).map(|(edt, _locked)| Who::of(edt))?;
    let place = symbols::place_of(INSTRUCTION.load(Ordering::Relaxed));
    Some(check.read_released(who, (block, byte, len), place))
}

/// Has the program end by the thread that watches, and waits for that. Returns where that thread is not there, or does
/// not end it: it may have to write a long report, so this waits for a minute. For the handler of a signal.
pub(crate) fn ask_for_end() {
    ENDS.store(true, Ordering::SeqCst);
    // If it has not told what it was asked before, it waits for a lock that this thread has.
    if bell::is_here() && !ASKED.load(Ordering::SeqCst) {
        bell::look();
        wait_for(60, || false);
    }
}

/// Waits until it is so, at most for some seconds. For the handler of a signal.
pub(crate) fn wait_until(is_so: impl Fn() -> bool) {
    wait_for(3, is_so);
}

/// Waits until the condition holds, at most for this number of seconds. For the handler of a signal.
fn wait_for(seconds: usize, is_so: impl Fn() -> bool) {
    // The condition is looked at once in a hundredth of a second.
    for _ in 0..100 * seconds {
        if is_so() {
            return;
        }
        // SAFETY: of no descriptors `poll` reads and writes nothing, and it is one of the functions that POSIX allows
        // in a handler.
        unsafe { libc::poll(std::ptr::null_mut(), 0, 10) };
    }
}

/// Prints the report if the thread that has crashed waits for it, and ends the program if it has asked for that. Called
/// on the thread that watches.
pub(crate) fn say_if_asked(runtime: &Runtime) {
    if ENDS.load(Ordering::SeqCst) {
        runtime.last_words(FATAL_STATUS, || ());
        exit_now(FATAL_STATUS);
    }
    if !ASKED.load(Ordering::SeqCst) {
        return;
    }
    let [edt, block] = [&EDT, &BLOCK].map(|guid| Guid::from_bits(guid.load(Ordering::Relaxed)));
    if let Some(misuse) = read_released(runtime, (edt, block)) {
        // With status 1: the thread that has come to the signal waits.
        runtime.fatal(&misuse.to_string());
    }
    flush_output();
    if let Some(place) = symbols::place_of(INSTRUCTION.load(Ordering::Relaxed)) {
        say_line!("  the instruction is {place}");
    }
    match &runtime.check {
        _ if edt.is_null() => {}
        Some(check) => {
            let nulls = NULLS.load(Ordering::Relaxed);
            say_line!("  {}", check.history.text(edt, 0));
            let nulls = (0..64).filter(|at| nulls >> at & 1 != 0);
            for line in check.history.behind_slots(edt, nulls) {
                say_line!("  {line}");
            }
        }
        None => {
            let edt = runtime.objects.edts.lock(edt);
            let name = edt.map(|(edt, _locked)| &edt.work().name);
            if let Some(name) = name.filter(|name| name.best() != name.given()) {
                say_line!("  its function is {name}");
            }
        }
    }
    if let Some(check) = &runtime.check
        && !block.is_null()
    {
        say_line!("  {}", check.history.text(block, 0));
    }
    match runtime.registry.refusals.told() {
        None => {}
        Some((1, call)) => say_line!("  A call was refused before: {call}."),
        Some((count, first)) => {
            say_line!("  {count} calls were refused before, the first: {first}.");
        }
    }
    ASKED.store(false, Ordering::SeqCst);
}
