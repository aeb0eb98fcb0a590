//! Why an event was not created, or not satisfied.

use super::arguments::article;
use crate::check::calls::Role;
use crate::check::history::{Ending, What, Who};
use crate::check::rules;
use crate::check::{CallRecord, Check, Misuse};
use crate::object::Objects;
use crate::object::collective::CollectiveParams;
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::status::Status;

/// Which parameters of a collective event are not those that a call has given, for the end of a sentence.
fn differences(there: &CollectiveParams, given: &CollectiveParams) -> String {
    let op = |params: &CollectiveParams| u64::from(params.operator.bits());
    let all = [
        ("maxGen", there.bound.into(), given.bound.into()),
        ("nbContribs", there.contributors.into(), given.contributors.into()),
        ("nbContribsPd", there.contributors_here.into(), given.contributors_here.into()),
        ("nbDatum", there.elements.into(), given.elements.into()),
        ("arity", there.arity.into(), given.arity.into()),
        ("op", op(there), op(given)),
        ("reuseDbPerGen", there.reuse.into(), given.reuse.into()),
    ];
    let others = all.into_iter().filter(|(_, there, given): &(_, u64, u64)| there != given);
    let words = others.map(|(name, there, given)| match name {
        "op" => format!("{name} {there:#x} and not {given:#x}"),
        _ => format!("{name} {there} and not {given}"),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() { String::new() } else { format!(": {}", words.join(", ")) }
}

impl Check {
    pub(super) fn refused_event(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let number = call.number(1) as i32;
        let Some(kind) = EventKind::from_bits(number as u32) else {
            return Some(self.by_call(call, &[], rules::NoSuchEventType { number }));
        };
        if kind == EventKind::Collective
            && let Some(label) = call.label
            && let Some(record) = self.history.get(label)
            && record.what == Some(What::COLLECTIVE)
            && record.end.is_none()
        {
            let there = objects.events.collective(label).map(|there| there.params);
            let differences = match (there, call.collective) {
                (Some(there), Some(given)) => differences(&there, &given),
                _ => String::new(),
            };
            let broken = rules::OtherParameters { label, differences };
            return Some(self.by_call(call, &[label], broken));
        }
        use EventKind::{Channel, Collective, Counted};
        let event = article(kind.name());
        let takes_params = call.spec.args.len() == 4;
        matches!(kind, Counted | Channel | Collective).then(|| match call.number(3) {
            _ if !takes_params => self.by_call(call, &[], rules::ParametersNeeded { event }),
            0 => self.by_call(call, &[], rules::ParametersNull { event }),
            _ => self.by_call(call, &[], rules::ParameterOutOfRange { event }),
        })
    }

    /// An event that exists was not satisfied.
    pub(super) fn refused_satisfaction(
        &self,
        call: &CallRecord<'_>,
        guid: Guid,
        slot: u64,
        depth: u32,
    ) -> Option<Box<Misuse>> {
        let what = self.history.what(guid)?;
        let is_latch = what == What::LATCH;
        let (told, event) = ([guid], article(what.name()));
        if slot != 0 && !(is_latch && slot == 1) && what != What::COLLECTIVE {
            let slots = if is_latch { "2 slots" } else { "1 slot" };
            let broken = rules::NoSuchEventSlot { slot, event, slots };
            return Some(self.by_call(call, &told, broken));
        }
        match what {
            What::COLLECTIVE => Some(self.by_call(call, &told, rules::CollectiveSatisfied)),
            What::CHANNEL => Some(self.by_call(call, &told, rules::ChannelFull)),
            _ if depth != 0 || is_latch || !what.is_event() => None,
            What::COUNTED => Some(self.by_call(call, &told, rules::CountedTwice { event })),
            _ => Some(self.by_call(call, &told, rules::SatisfiedTwice { event })),
        }
    }

    /// An event did not take what was passed on to it, `by` something that is no call: a misuse if the event
    /// has triggered before.
    pub(crate) fn satisfied_twice(&self, guid: Guid, who: Who, by: String) -> Result<(), Box<Misuse>> {
        let Some(record) = self.history.get(guid) else {
            return Ok(());
        };
        let kind = record.what.filter(|what| what.is_event() && record.created.is_some());
        let (Some(what), false) = (kind, matches!(record.end, Some(Ending::Destroyed(_)))) else {
            return Ok(());
        };
        let (told, event) = ([guid], article(what.name()));
        let seen = format!("seen when it was satisfied {by}");
        Err(match what {
            What::LATCH => self.by_edt(who, seen, &told, rules::LatchTriggered { event }),
            What::CHANNEL => self.by_edt(who, seen, &told, rules::ChannelOverrun { event }),
            _ => self.by_edt(who, seen, &told, rules::LinkedTwice { event }),
        })
    }

    /// The output event of an EDT is about to be satisfied by another call than the end of the EDT.
    pub(crate) fn satisfied_by_hand(&self, objects: &Objects, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let link = call.link()?;
        let output = link.destination;
        let Some(What::Output(guid)) = self.history.what(output) else {
            return None;
        };
        if link.slot != 0 || objects.event_kind(output).is_none() {
            return None;
        }
        let name = call.spec.args[link.destination_at].0;
        let edt = self.history.name(guid);
        Some(if call.spec.at(Role::Data).is_some() {
            let broken = rules::OutputSatisfied { name, output, edt };
            self.by_call(call, &[output], broken)
        } else {
            let broken = rules::OutputLinked { name, output, edt, guid };
            self.by_call(call, &[output], broken)
        })
    }

    /// An event is about to be satisfied with a data block that it was not created for. Without strict mode it takes
    /// the block: programs of OCR 1.2 rely on that. A latch event ignores blocks, in OCR 1.1.0.
    pub(crate) fn takes_no_block(&self, call: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let link = call.link()?;
        let (block, guid) = (link.source, link.destination);
        if !block.is_data_block() {
            return None;
        }
        let record = self.history.get(guid)?;
        let ignores = |what: &What| matches!(*what, What::LATCH | What::COLLECTIVE);
        let what = record.what.filter(|what| what.is_event() && !ignores(what))?;
        (record.takes_nothing && record.end.is_none()).then(|| {
            let name = call.spec.args[link.destination_at].0;
            let what = article(what.name());
            self.by_call(call, &[guid, block], rules::TakesNoBlock { name, guid, what })
        })
    }

    /// A source that takes no further dependence.
    pub(super) fn used_up(&self, call: &CallRecord<'_>, source: Guid) -> Option<Box<Misuse>> {
        let told = [source];
        match self.history.what(source)? {
            What::COUNTED => Some(self.by_call(call, &told, rules::CountedUsedUp)),
            What::CHANNEL => Some(self.by_call(call, &told, rules::ChannelUsedUp)),
            What::COLLECTIVE => Some(self.by_call(call, &told, rules::CollectiveUsedUp)),
            _ => None,
        }
    }

    pub(super) fn refused_contribution(&self, call: &CallRecord<'_>, status: Status) -> Box<Misuse> {
        let (event, slot) = (call.guid(0), call.number(2));
        match self.history.what(event) {
            Some(What::COLLECTIVE) if status == Status::EPERM => self.by_call(call, &[event], rules::ContributorAhead),
            Some(What::COLLECTIVE) if call.number(1) == 0 => self.by_call(call, &[event], rules::NoContribution),
            Some(What::COLLECTIVE) => self.by_call(call, &[event], rules::NoSuchContributor { slot }),
            what => {
                let what = article(what.map_or("object", What::name));
                self.by_call(call, &[event], rules::NotCollective { what })
            }
        }
    }
}
