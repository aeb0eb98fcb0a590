//! Events that the program satisfies.

use super::need::{Need, SatisfiedSlot};
use super::{NULL, Owned, check};
use crate::capi::sys;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An event that stays satisfied (`OCR_EVENT_STICKY_T`; OCR 1.1.0, 2.6). Its clones are handles of the same event. EDTs
/// that wait for an event which nobody satisfies never run, and the runtime ends the process with a message that names
/// them.
#[derive(Clone)]
pub struct Event(Arc<Owned>);

impl Event {
    /// An event that nobody has satisfied.
    #[allow(
        clippy::new_without_default,
        reason = "it creates an object of a run, and panics outside of one"
    )]
    pub fn new() -> Event {
        let mut guid = NULL;
        // SAFETY: the place is valid.
        let status = unsafe { sys::ocrEventCreate(&mut guid, sys::OCR_EVENT_STICKY_T, 0) };
        check("ocrEventCreate", status);
        Event(Owned::new(guid, sys::ocrEventDestroy))
    }

    /// Satisfies it: EDTs that wait for it may run, and see what was written before.
    ///
    /// # Panics
    /// Where it has been satisfied before.
    pub fn satisfy(&self) {
        // SAFETY: takes no pointers.
        let status = unsafe { sys::ocrEventSatisfy(self.guid(), NULL) };
        check("ocrEventSatisfy (each event is satisfied once)", status);
    }

    pub(super) fn guid(&self) -> sys::ocrGuid_t {
        self.0.guid()
    }
}

// SAFETY: the source is an event.
unsafe impl Need for Event {
    type Given<'a> = ();

    fn source(&self) -> (sys::ocrGuid_t, sys::ocrDbAccessMode_t) {
        (self.guid(), sys::DB_MODE_NULL)
    }

    unsafe fn given<'a>(&'a self, _: SatisfiedSlot<'a>) {}
}

/// An event that is satisfied by the last of several calls.
#[derive(Clone)]
pub struct Latch {
    event: Event,
    left: Arc<AtomicU64>,
}

impl Latch {
    /// A latch for so many calls of [`Latch::count_down`].
    pub fn new(count: u64) -> Latch {
        let latch = Latch {
            event: Event::new(),
            left: Arc::new(AtomicU64::new(count)),
        };
        if count == 0 {
            latch.event.satisfy();
        }
        latch
    }

    /// Counts one call. EDTs that wait for the latch see what was written before any of them.
    ///
    /// # Panics
    /// Where there have been as many before as the latch is for.
    pub fn count_down(&self) {
        // AcqRel: the last call acquires what the earlier ones have released, and passes it on by the event.
        let left = self
            .left
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, |left| {
                left.checked_sub(1)
            });
        match left {
            Ok(1) => self.event.satisfy(),
            Ok(_) => {}
            Err(_) => panic!("Latch::count_down is called more often than the latch was made for"),
        }
    }
}

// SAFETY: the source is an event.
unsafe impl Need for Latch {
    type Given<'a> = ();

    fn source(&self) -> (sys::ocrGuid_t, sys::ocrDbAccessMode_t) {
        self.event.source()
    }

    unsafe fn given<'a>(&'a self, _: SatisfiedSlot<'a>) {}
}
