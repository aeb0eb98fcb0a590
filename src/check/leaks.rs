//! What is left at the end of a program: counted by what it is and by the function that created it.

use super::Check;
use super::history::{ActCause, What};
use crate::object::Objects;
use crate::object::code::WorkKind;
use crate::object::data_block::Mark;
use crate::object::edt::EdtState;
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use ocr_base::text::Counted;
use std::collections::BTreeMap;

/// How many objects of a group are named.
const NAMED: usize = 3;

#[derive(Default)]
struct LeakGroup {
    count: usize,
    named: Vec<String>,
}

impl Check {
    /// The list, or none if nothing is left. No other thread is in a call.
    pub(crate) fn left(&self, objects: &Objects) -> Option<String> {
        let mut groups: BTreeMap<(&str, String, String), LeakGroup> = BTreeMap::new();
        let mut total = 0;
        let mut add = |guid: Guid, more: String| {
            let record = self.history.get(guid).unwrap_or_default();
            let creator = match record.created {
                Some(act) if act.call == ActCause::Start => return,
                Some(act) if act.who.work.is_none() => "outside of EDTs".to_string(),
                Some(act) => format!("in {}", act.who.name()),
                None => "by the runtime".to_string(),
            };
            let what = self.history.what(guid).map_or("object", What::name);
            let of = match record.work {
                Some(work) if guid.is_event() => format!(" of EDTs ({})", work.name),
                Some(work) => format!(" ({})", work.name),
                None => String::new(),
            };
            let group = groups.entry((what, of, creator)).or_default();
            group.count += 1;
            total += 1;
            if group.named.len() < NAMED {
                let label = record.label.map_or(String::new(), |label| format!(" \"{label}\""));
                group.named.push(format!("{guid}{label}{more}"));
            }
        };
        for (_, edt) in objects.edts.live() {
            let state = edt.header.peek().state();
            // Destroyed, but an event's list leads to it; or it stood for a thread that waited.
            if state == EdtState::Zombie || edt.flags.get().is_waiter() {
                continue;
            }
            // One of the runtime's own, that brings or writes what a block holds. For a file that has been
            // done without it; parts that it was to open are reported.
            let guid = edt.guid();
            let created = self.history.get(guid).and_then(|edt| edt.created);
            if created.is_none() || edt.work().kind == WorkKind::Partition {
                continue;
            }
            let open = edt.slots().iter().position(|slot| {
                state == EdtState::Waiting && (slot.is_unconnected() || slot.connected_mode().is_some())
            });
            add(
                guid,
                match open {
                    Some(slot) => format!(" (never ran: waits on pre-slot {slot})"),
                    None => " (did not run before the end)".to_string(),
                },
            );
        }
        for (guid, event) in objects.events.live() {
            if event.is_between() {
                continue;
            }
            let latch = event.kind() == EventKind::Latch;
            add(
                guid,
                match event.counter.get() {
                    counter if latch && counter < 0 => {
                        format!(" (its counter is {counter}: more decrements than increments)")
                    }
                    counter if latch => format!(" (its counter is {counter})"),
                    counter if event.kind() == EventKind::Counted => {
                        format!(" (expects {counter} more dependences)")
                    }
                    _ => String::new(),
                },
            );
        }
        for (guid, block) in objects.data_blocks.live() {
            // An EDT that holds a destroyed one is reported, if it is the program's.
            if !block.has(Mark::Destroyed) {
                let of = match (block.has(Mark::Part), block.has(Mark::Chunk)) {
                    (true, _) => ", a part of another",
                    (_, true) => ", a chunk of a file",
                    _ => "",
                };
                add(guid, format!(" ({}{of})", Counted(block.size(), "byte")));
            }
        }
        for guid in objects.templates.live() {
            // The runtime's own are copies of those of other nodes.
            if self.history.get(guid).is_some_and(|template| template.created.is_some()) {
                add(guid, String::new());
            }
        }
        for guid in self.history.ranges_and_files() {
            add(guid, String::new());
        }
        if groups.is_empty() {
            return None;
        }
        let mut text = format!(
            "strict mode: {total} object{} left at the end of the program:",
            if total == 1 { " was" } else { "s were" }
        );
        for ((what, of, creator), group) in groups {
            let s = if group.count == 1 { "" } else { "s" };
            let more = if group.count > group.named.len() { ", ..." } else { "" };
            text += &format!("\n  {} {what}{s}{of}, created {creator}: {}{more}", group.count, group.named.join(", "));
        }
        text += "\n  what to do: destroy what is no longer needed (ocrDbDestroy, ocrEventDestroy, \
                 ocrEdtTemplateDestroy, ocrGuidMapDestroy, ocrMapDestroy, ocrFileRelease). An EDT \
                 that never ran misses a dependence or a satisfaction, or the program ended too \
                 early: what is to come behind an EDT and all that it creates depends on the output event of an EDT \
                 with EDT_PROP_FINISH.";
        Some(text)
    }
}
