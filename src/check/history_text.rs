//! What an object has been through, in words: what messages call it, and its history, a line for each step.

use super::history::{Act, ActCause, Ending, History, ObjectRecord, What, Who};
use crate::abi::Api;
use crate::object::code::Code;
use crate::object::guid::Guid;
use crate::object::name::EdtName;
use ocr_base::text::Counted;

/// How many of an EDT's connected pre-slots are listed, and those that the call is about.
const SLOTS_TOLD: usize = 4;

impl History {
    /// An object as messages name it: kind, GUID, function and label.
    pub fn name(&self, guid: Guid) -> String {
        let record = self.get(guid).unwrap_or_default();
        let Some(what) = record.what.or_else(|| What::by_bits(guid)) else {
            return guid.to_string();
        };
        let mut name = format!("{} {guid}", what.name());
        match (what, record.work) {
            (What::Output(edt), Some(work)) => name += &format!(" of {}", EdtName::new(edt, work)),
            (_, Some(work)) => name += &format!(" ({})", work.name),
            _ => {}
        }
        name + &in_quotes(&record)
    }

    /// The words for a caller, with the label of its EDT.
    pub fn caller(&self, who: Who) -> String {
        let record = self.get(who.edt).unwrap_or_default();
        format!("{who}{}", in_quotes(&record))
    }

    /// The words for a call and its caller.
    fn by(&self, act: &Act) -> String {
        match act.call {
            ActCause::Start => "by the runtime when the program started".to_string(),
            ActCause::End => format!("by the end of {}", self.caller(act.who)),
            call => format!("by {call} in {}", self.caller(act.who)),
        }
    }

    /// By which call an object was created, in words.
    pub fn creation(&self, guid: Guid) -> Option<String> {
        let created = self.get(guid)?.created?;
        Some(format!("created {}", self.by(&created)))
    }

    /// What became of the event that was on the label of this one before.
    pub fn before(&self, guid: Guid) -> Option<String> {
        let before = self.get(guid)?.before?;
        let by = self.by(&before);
        Some(format!("the event that had this labeled GUID before was satisfied {by}, and is gone"))
    }

    /// The call that destroyed an object, or, of an output event, its EDT; and whether that was an event
    /// that had not triggered.
    fn destruction(&self, guid: Guid) -> Option<(Act, bool)> {
        let record = self.get(guid)?;
        match (record.end, record.what) {
            (Some(Ending::Destroyed(act)), _) => Some((act, record.untriggered)),
            (_, Some(What::Output(edt))) => match self.get(edt)?.end {
                Some(Ending::Destroyed(act)) => Some((act, true)),
                _ => None,
            },
            _ => None,
        }
    }

    /// By which call an object was destroyed, in words.
    pub fn destroyed(&self, guid: Guid) -> Option<String> {
        let (act, _) = self.destruction(guid)?;
        Some(format!("destroyed {}", self.by(&act)))
    }

    /// The events that were destroyed before they had triggered, of those that this pre-slot of an EDT, or an
    /// event, was made to depend on.
    pub fn lost(&self, guid: Guid, slot: u32) -> Vec<String> {
        let record = self.get(guid).unwrap_or_default();
        let of_event = record.what.is_some_and(What::is_event);
        let sources = record.sources.into_iter();
        let sources = sources.filter(|(at, ..)| of_event || *at == slot);
        let lost = sources.filter_map(|(_, source, act)| {
            let (end, _) = self.destruction(source).filter(|(_, early)| *early)?;
            let created = self.creation(source).map_or(String::new(), |by| by + ", ");
            Some(format!(
                "the {}, destroyed {} before it had triggered ({created}connected {})",
                self.name(source),
                self.by(&end),
                self.by(&act)
            ))
        });
        lost.collect()
    }

    /// What an object has been through, a line for each step; `now` is the call that asks.
    pub fn text(&self, guid: Guid, now: u64) -> String {
        let Some(record) = self.get(guid) else {
            let what = if guid.is_label() {
                ": a labeled GUID, on which no object has been created"
            } else if super::is_on_several_nodes() {
                ": this node has no record of it; another node may have the object"
            } else {
                ": no object that the program created has this GUID"
            };
            return self.name(guid) + what;
        };
        let size = record.size.map_or(String::new(), |size| format!(" ({})", Counted(size, "byte")));
        let mut text = format!("{}{size}:", self.name(guid));
        let whence = [self.before(guid), self.creation(guid)];
        for step in whence.into_iter().flatten() {
            text += &format!("\n    {step}");
        }
        let has_run = |edt| matches!(self.get(edt).and_then(|edt| edt.end), Some(Ending::Ran));
        let output = matches!(record.what, Some(What::Output(edt)) if has_run(edt));
        // Before the call that asks.
        let mut acts = record.satisfied.iter().flatten();
        let first = acts.next().filter(|act| act.ticket != now);
        let last = acts.rfind(|act| act.ticket != now);
        match (first, last) {
            (Some(first), None) if record.satisfied[2].is_none() => {
                text += &format!("\n    satisfied {}", self.by(first));
            }
            (Some(first), _) => text += &format!("\n    first satisfied {}", self.by(first)),
            (None, _) if output && record.satisfied[0].is_none() => {
                text += "\n    satisfied by the end of its EDT";
            }
            _ => {}
        }
        if let Some(last) = last {
            text += &format!("\n    last satisfied {}", self.by(last));
        }
        text += &self.connections(&record, now);
        match &record.end {
            Some(Ending::Destroyed(act)) if act.ticket != now => {
                text += &format!("\n    destroyed {}", self.by(act));
            }
            Some(Ending::Ran) => text += "\n    it has run to its end",
            Some(Ending::Gone) => text += "\n    it is gone, as such events are when they trigger",
            _ => {}
        }
        text
    }

    /// What this pre-slot of an EDT was connected to, if [`History::text`] of the EDT leaves it out.
    pub fn connection_beyond(&self, edt: Guid, slot: u32) -> Option<String> {
        let record = self.get(edt)?;
        let beyond = record.sources.iter().skip(SLOTS_TOLD);
        let (_, source, act) = beyond.into_iter().find(|(at, ..)| *at == slot)?;
        let (source, by) = (self.name(*source), self.by(act));
        Some(format!("pre-slot {slot} was connected to {source} {by}"))
    }

    /// What these pre-slots of an EDT were connected to, if [`History::text`] of the EDT leaves it out, and what
    /// the events that they were connected to have been through; of a few.
    pub fn behind_slots(&self, edt: Guid, slots: impl Iterator<Item = u32>) -> Vec<String> {
        let ObjectRecord { sources, created, .. } = self.get(edt).unwrap_or_default();
        let is_spawned = created.is_some_and(|act| act.call == ActCause::Call(Api::ocrLegacySpawnOCR));
        let of_slot = |slot| {
            let keeps = (slot == 0 && is_spawned).then(|| {
                "pre-slot 0 is the runtime's: ocrLegacySpawnOCR overwrites depv[0], and the program's own pre-slots begin \
                 with 1"
                    .to_string()
            });
            let source = sources.iter().rfind(|(at, ..)| *at == slot);
            let source = source.map(|(_, source, _)| *source);
            let text = source.filter(|source| source.is_event());
            let text = text.map(|source| match self.what(source) {
                Some(What::Output(_)) => {
                    let record = self.get(source).unwrap_or_default();
                    let work = record.work;
                    let may_be_kernel = work.is_some_and(|work| !work.kernels.is_empty());
                    let passes = match may_be_kernel {
                        true if work.is_some_and(Code::passes_nothing) => {
                            "its EDT passes on no block, as none of ocrOpenclTaskCreate with such a template does: the \
                             block that its kernel writes is connected itself, to another pre-slot"
                        }
                        true => {
                            "its EDT has passed on nothing: its function has returned NULL_GUID, or its kernel has \
                             OCR_NO_RESULT or a pre-slot without a block as resultSlot"
                        }
                        false => "its EDT has returned NULL_GUID: it passes on the block whose GUID it returns",
                    };
                    self.text(source, 0) + "\n    if the mode is not DB_MODE_NULL, " + passes
                }
                _ => self.text(source, 0),
            });
            [self.connection_beyond(edt, slot), text, keeps]
        };
        let told = slots.take(SLOTS_TOLD).flat_map(of_slot).flatten();
        told.collect()
    }

    /// What an object was connected to before the call that asks: the pre-slot that the call is about, and
    /// a few others; of an event the last ones.
    fn connections(&self, record: &ObjectRecord, now: u64) -> String {
        let sources = &record.sources;
        let about = sources.iter().find(|(_, _, act)| act.ticket == now);
        let before = sources.iter().filter(|(_, _, act)| act.ticket != now);
        if record.what.is_some_and(What::is_event) {
            let all: Vec<_> = before.collect();
            let last = &all[all.len().saturating_sub(SLOTS_TOLD)..];
            let last = last.iter().map(|(_, event, act)| {
                let (event, by) = (self.name(*event), self.by(act));
                format!("\n    made to depend on {event} {by}")
            });
            return last.collect();
        }
        let (same, others): (Vec<_>, Vec<_>) =
            before.partition(|(slot, ..)| about.is_some_and(|(about, ..)| about == slot));
        let told = same.iter().chain(others.iter().take(SLOTS_TOLD));
        let told = told.map(|(slot, source, act)| {
            let (source, by) = (self.name(*source), self.by(act));
            format!("\n    pre-slot {slot} connected to {source} {by}")
        });
        let mut text: String = told.collect();
        if others.len() > SLOTS_TOLD {
            let more = others.len() - SLOTS_TOLD;
            text += &format!("\n    and {more} more pre-slots");
        }
        text
    }
}

fn in_quotes(record: &ObjectRecord) -> String {
    let label = record.label.as_deref();
    label.map_or(String::new(), |label| format!(" \"{label}\""))
}
