//! Why a dependence was not added.

use crate::abi::Api;
use crate::check::calls::{Connection, Role};
use crate::check::history::Act;
use crate::check::rules;
use crate::check::{CallRecord, Check, Misuse};
use crate::object::Objects;
use crate::object::edt::{EdtState, Mode};
use crate::object::guid::Guid;
use crate::status::Status;

impl Check {
    pub(super) fn refused_dependence(
        &self,
        objects: &Objects,
        call: &CallRecord<'_>,
        status: Status,
    ) -> Option<Box<Misuse>> {
        let link = call.link()?;
        let (source, destination) = (link.source, link.destination);
        if Mode::from_bits(link.mode).is_none() {
            let number = link.mode as i32;
            return Some(self.by_call(call, &[], rules::NoSuchMode { number }));
        }
        if status == Status::EACCES {
            return Some(self.written_once(call, &[source, destination]));
        }
        let collective = objects.events.collective(source);
        let post_slots = collective.map_or(1, |event| event.params.contributors.into());
        let slot = call.number(1);
        if call.spec.api == Api::ocrAddDependenceSlot && status == Status::EINVAL && slot >= post_slots {
            return Some(self.by_call(call, &[source], rules::NoSuchSourceSlot { slot }));
        }
        if self.history.what(destination)?.is_event() {
            let record = self.history.get(destination).unwrap_or_default();
            let was_satisfied = record.satisfied[0].is_some() && record.end.is_none();
            if status == Status::EPERM
                && !was_satisfied
                && let Some(misuse) = self.used_up(call, source)
            {
                return Some(misuse);
            }
            let again = u32::from(source.is_event() && !was_satisfied);
            return self.refused_satisfaction(call, destination, link.slot, again);
        }
        self.refused_slot(objects, call, link)
    }

    /// A dependence of an EDT was not added, for its pre-slots or for its source.
    fn refused_slot(&self, objects: &Objects, call: &CallRecord<'_>, link: Connection) -> Option<Box<Misuse>> {
        let Connection { source, destination, slot, mode, .. } = link;
        let (edt, locked) = objects.edts.lock(destination)?;
        let depc = edt.depc.get() as u64;
        let waits = locked.word.state() == EdtState::Waiting;
        let taken = slot < depc && waits && !edt.slots()[slot as usize].is_unconnected();
        drop(locked);
        let both = [destination, source];
        if slot >= depc {
            let is_mode = slot != 0 && Mode::from_bits(slot as u32).is_some();
            let exchanged = is_mode && u64::from(mode) < depc;
            let slots = match depc {
                0 => "no pre-slots".to_string(),
                1 => "only pre-slot 0".to_string(),
                _ => format!("pre-slots 0 to {}", depc - 1),
            };
            return Some(if exchanged {
                self.by_call(call, &both, rules::ModeForSlot { slot, slots })
            } else {
                self.by_call(call, &both, rules::NoSuchSlot { slot, slots })
            });
        }
        if taken {
            return Some(if call.spec.at(Role::Data).is_some() {
                self.by_call(call, &both, rules::SlotTakenBySatisfaction { slot })
            } else {
                self.by_call(call, &both, rules::SlotTaken { slot })
            });
        }
        if waits {
            return self.used_up(call, source);
        }
        Some(self.by_call(call, &both, rules::SlotsSatisfied))
    }

    /// An output event was connected while its EDT may end: what strict mode says of it.
    pub(crate) fn may_be_late(&self, act: Act, output: Guid, edt: Guid) -> String {
        format!(
            "{} in {} has connected {} while {} could run: had that ended before, the call would have been \
             refused, since the output event goes with its EDT. Leave a pre-slot of the EDT open \
             (UNINITIALIZED_GUID in depv of ocrEdtCreate), connect its output event, and satisfy that pre-slot \
             last (OCR 1.1.0, 2.7.3).",
            act.call,
            act.who,
            self.history.name(output),
            self.history.name(edt)
        )
    }
}
