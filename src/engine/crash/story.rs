//! What the EDT that has crashed is, and in strict mode, what it has been through: who created it, what its
//! pre-slots were connected to, and who satisfied the events of those where it got a null pointer.
//!
//! | who | does |
//! |---|---|
//! | the handler, on the thread that crashed | leaves the EDT in `NULLS` and `EDT`, wakes the thread that watches, and waits until `EDT` is 0 again, at most for three seconds |
//! | the thread that watches | finds `EDT`, tells, makes it 0 |
//!
//! The EDT does not end meanwhile. If the thread that watches cannot tell, since the one that crashed has a lock
//! that it needs, or since it is not there, as in a copy of the process, nothing is said.

use super::address;
use crate::engine::{Runtime, watch};
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use std::sync::atomic::{AtomicU64, Ordering};

/// The GUID of the EDT; 0 if there is nothing to tell.
static EDT: AtomicU64 = AtomicU64::new(0);
/// Which of its first 64 pre-slots give it a null pointer, a bit each. Written before `EDT`.
static NULLS: AtomicU64 = AtomicU64::new(0);

/// Has the story told. For the handler of a signal.
pub(super) fn ask(edt: &Edt) {
    /// So often it looks, every hundredth of a second.
    const LOOKS: usize = 300;
    if !watch::is_here() {
        return;
    }
    let slots = edt.slots().iter().take(64).enumerate();
    let is_null = slots.map(|(at, slot)| u64::from(address::is_null(slot)) << at);
    NULLS.store(is_null.sum(), Ordering::Relaxed);
    EDT.store(edt.guid().bits(), Ordering::Release);
    watch::look();
    for _ in 0..LOOKS {
        if EDT.load(Ordering::Acquire) == 0 {
            return;
        }
        // SAFETY: it waits for nothing but the time, and may be called in a handler.
        unsafe { libc::poll(std::ptr::null_mut(), 0, 10) };
    }
}

/// Tells the story if somebody waits for it. On the thread that watches.
pub(in crate::engine) fn tell_if_asked(runtime: &Runtime) {
    let edt = Guid::from_bits(EDT.load(Ordering::Acquire));
    if edt.is_null() {
        return;
    }
    match &runtime.check {
        Some(check) => {
            let nulls = NULLS.load(Ordering::Relaxed);
            eprintln!("  {}", check.history.story(edt, 0));
            let nulls = (0..64).filter(|at| nulls >> at & 1 != 0);
            for line in check.history.behind_slots(edt, nulls) {
                eprintln!("  {line}");
            }
        }
        None => {
            let edt = runtime.objects.edts.lock(edt);
            let name = edt.map(|(edt, _locked)| &edt.work().name);
            if let Some(name) = name.filter(|name| name.best() != name.given()) {
                eprintln!("  its function is {name}");
            }
        }
    }
    EDT.store(0, Ordering::Release);
}
