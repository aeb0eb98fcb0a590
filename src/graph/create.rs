//! The pre-slots of a new EDT (OCR 1.1.0, 2.7.3).
//!
//! Pre-slots get what they are created with before others can know the EDT, and are connected to events after that,
//! since an event may trigger at once. In between others may destroy it, or connect what is not meant for an event.

use super::{Dependence, Graph, GraphError};
use crate::object::edt::{Edt, Mode};
use crate::object::guid::Guid;

/// The pre-slots of a new EDT that its creator still has to connect. The last of them keeps the EDT from running, and
/// from being freed: the creator does not touch it once there are none, but by its GUID.
pub(crate) struct NewSlots {
    next: usize,
    left: usize,
}

/// A dependence of a new EDT that was refused.
pub(crate) struct LinkError {
    /// Why the dependence was refused.
    pub why: GraphError,
    /// The dependence that was refused.
    pub asked: Dependence,
}

impl NewSlots {
    /// Gives the pre-slots of an EDT, which no other thread knows yet, what it is created with. How many of its
    /// pre-slots are not satisfied by that, and those to be connected.
    #[inline]
    pub(crate) fn begin(edt: &Edt, sources: &[Guid]) -> (u32, NewSlots) {
        let mut open = edt.slots().len() as u32;
        let mut left = 0;
        for (slot, &source) in edt.slots().iter().zip(sources) {
            if source.is_event() {
                slot.connect_later(Mode::Rw, source);
                left += 1;
            } else if source != Guid::UNINITIALIZED {
                slot.satisfy(source, Mode::Rw);
                open -= 1;
            }
        }
        (open, NewSlots { next: 0, left })
    }

    /// The next one, its mode and event.
    #[inline]
    fn next(&mut self, edt: &Edt) -> Option<(u32, Mode, Guid)> {
        while self.left != 0 {
            let at = self.next;
            self.next += 1;
            // No other thread touches such a pre-slot before it is in a list. Others may have been connected already,
            // by a thread that knows the GUID.
            if let Some((mode, source)) = edt.slots()[at].to_be_linked() {
                self.left -= 1;
                return Some((at as u32, mode, source));
            }
        }
        None
    }
}

impl Graph<'_> {
    /// Connects the pre-slots of a new EDT to their events. Where a dependence is refused the pre-slot is unconnected
    /// again; the others remain to be connected, or unconnected.
    #[inline]
    pub(crate) fn link_all(&mut self, edt: &Edt, slots: &mut NewSlots) -> Result<(), LinkError> {
        while let Some((slot, mode, source)) = slots.next(edt) {
            let pre_slot = &edt.slots()[slot as usize];
            let ends = (pre_slot, edt.link_to(slot));
            if let Err(why) = self.connect((source, 0), edt, ends, mode) {
                let asked = Dependence { source, post_slot: 0, destination: edt.guid(), slot, mode };
                self.unconnect(edt, pre_slot);
                return Err(LinkError { why, asked });
            }
        }
        Ok(())
    }

    /// Leaves unconnected what was still to be connected.
    #[cold]
    pub(crate) fn unlink_all(&mut self, edt: &Edt, slots: &mut NewSlots) {
        while let Some((slot, ..)) = slots.next(edt) {
            self.unconnect(edt, &edt.slots()[slot as usize]);
        }
    }
}
