//! Events that the program satisfies.

use super::need::{Needs, SlotSource, Slots};
use super::{NULL, Owned, assert_in_edt, check};
use crate::capi::sys;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An event that stays satisfied (`OCR_EVENT_STICKY_T`; OCR 1.1.0, 2.6). Its clones are handles of the same event. EDTs
/// that wait for an event which is never satisfied do not run, and the runtime ends the process with a message that
/// names them.
///
/// ```
/// use ocr::tasks::{Event, run, spawn};
/// use std::sync::{Arc, Mutex};
///
/// let order = Arc::new(Mutex::new(Vec::new()));
/// let (first, second) = (order.clone(), order.clone());
/// run(move || {
///     let event = Event::new();
///     spawn(event.clone(), move |()| second.lock().unwrap().push("second"));
///     spawn((), move |()| {
///         first.lock().unwrap().push("first");
///         event.satisfy();
///     });
/// });
/// assert_eq!(*order.lock().unwrap(), ["first", "second"]);
/// ```
#[derive(Clone)]
pub struct Event(Arc<Owned>);

impl Event {
    /// An event that has not been satisfied.
    ///
    /// # Panics
    /// Outside of an EDT.
    #[allow(clippy::new_without_default, reason = "it creates an object of a run, and panics outside of one")]
    pub fn new() -> Event {
        assert_in_edt();
        let mut guid = NULL;
        // SAFETY: `guid` is a variable, so its address is valid for a write.
        let status = unsafe { sys::ocrEventCreate(&mut guid, sys::OCR_EVENT_STICKY_T, 0) };
        check("ocrEventCreate", status);
        Event(Owned::new(guid, sys::ocrEventDestroy))
    }

    /// Satisfies it: EDTs that wait for it may run, and see what was written before.
    ///
    /// # Panics
    /// Outside of an EDT, and where it has been satisfied before.
    pub fn satisfy(&self) {
        // SAFETY: `ocrEventSatisfy` gets no pointer, and answers any GUID with a status.
        let status = unsafe { sys::ocrEventSatisfy(self.guid(), NULL) };
        check("ocrEventSatisfy (each event is satisfied once)", status);
    }

    pub(super) fn guid(&self) -> sys::ocrGuid_t {
        self.0.guid()
    }
}

// SAFETY: the source is an event, and one slot is taken.
unsafe impl Needs for Event {
    type Given<'a> = ();

    fn sources(&self, sources: &mut Vec<SlotSource>) {
        sources.push((self.guid(), sys::DB_MODE_NULL));
    }

    unsafe fn given(&self, slots: &mut Slots<'_>) {
        slots.next();
    }
}

/// An event that is satisfied by the last of several calls.
///
/// ```
/// use ocr::tasks::{Latch, run, spawn};
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
///
/// let seen = run(|| {
///     let (latch, sum) = (Latch::new(4), Arc::new(AtomicU32::new(0)));
///     for number in 1..=4 {
///         let (latch, sum) = (latch.clone(), sum.clone());
///         spawn((), move |()| {
///             sum.fetch_add(number, Relaxed);
///             latch.count_down();
///         });
///     }
///     spawn(latch, move |()| sum.load(Relaxed))
/// });
/// assert_eq!(seen.get(), Some(10));
/// ```
#[derive(Clone)]
pub struct Latch {
    event: Event,
    left: Arc<AtomicU64>,
}

impl Latch {
    /// A latch for `count` calls of [`Latch::count_down`].
    ///
    /// # Panics
    /// Outside of an EDT.
    pub fn new(count: u64) -> Latch {
        let latch = Latch { event: Event::new(), left: Arc::new(AtomicU64::new(count)) };
        if count == 0 {
            latch.event.satisfy();
        }
        latch
    }

    /// Counts one call. EDTs that wait for the latch see what was written before any of them.
    ///
    /// # Panics
    /// Where there have been as many before as the latch is for; and, in the last call, outside of an EDT.
    pub fn count_down(&self) {
        // AcqRel: the last call acquires what the earlier ones have released, and passes it on by the event.
        let count = |left: u64| left.checked_sub(1);
        let left = self.left.fetch_update(Ordering::AcqRel, Ordering::Relaxed, count);
        match left {
            Ok(1) => self.event.satisfy(),
            Ok(_) => {}
            Err(_) => panic!("Latch::count_down is called more often than the latch was made for"),
        }
    }
}

// SAFETY: they are the needs of its event.
unsafe impl Needs for Latch {
    type Given<'a> = ();

    fn sources(&self, sources: &mut Vec<SlotSource>) {
        self.event.sources(sources);
    }

    unsafe fn given(&self, slots: &mut Slots<'_>) {
        slots.next();
    }
}
