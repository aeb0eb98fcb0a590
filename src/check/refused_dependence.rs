//! Why an event was not created or satisfied, or a dependence not added.

use super::arguments::article;
use crate::status::Status;

use super::history::{Act, Ending, What, Who};
use super::{CallRecord, Check, Misuse};
use crate::object::Objects;
use crate::object::collective::Params;
use crate::object::edt::{EdtState, Mode};
use crate::object::event::EventKind;
use crate::object::guid::Guid;

/// Which parameters of a collective event are not those that a call has given, for the end of a sentence.
fn differences(there: &Params, given: &Params) -> String {
    let op = |params: &Params| u64::from(params.operator.bits());
    let all = [
        ("maxGen", there.bound.into(), given.bound.into()),
        (
            "nbContribs",
            there.contributors.into(),
            given.contributors.into(),
        ),
        (
            "nbContribsPd",
            there.contributors_here.into(),
            given.contributors_here.into(),
        ),
        ("nbDatum", there.elements.into(), given.elements.into()),
        ("arity", there.arity.into(), given.arity.into()),
        ("op", op(there), op(given)),
        ("reuseDbPerGen", there.reuse.into(), given.reuse.into()),
    ];
    let others = all
        .into_iter()
        .filter(|(_, there, given): &(_, u64, u64)| there != given);
    let words = others.map(|(name, there, given)| match name {
        "op" => format!("{name} {there:#x} and not {given:#x}"),
        _ => format!("{name} {there} and not {given}"),
    });
    let words: Vec<String> = words.collect();
    if words.is_empty() {
        String::new()
    } else {
        format!(": {}", words.join(", "))
    }
}

impl Check {
    pub(super) fn refused_event(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let params = made.call.args.len() == 4;
        let Some(kind) = EventKind::from_bits(made.number(1) as u32) else {
            return Some(self.by_call(
                made,
                format!("there is no event type {}", made.number(1) as i32),
                &[],
                "eventType is one of the OCR_EVENT_ values of ocr-types.h",
                "Pass OCR_EVENT_ONCE_T, OCR_EVENT_STICKY_T or another of these names. Are the \
                 arguments in the right order (guid, type, properties)?",
            ));
        };
        if kind == EventKind::Collective
            && let Some(label) = made.label
            && let Some(record) = self.history.get(label)
            && record.what == Some(What::COLLECTIVE)
            && record.end.is_none()
        {
            let there = objects.events.collective(label).map(|there| there.params);
            let differs = match (there, made.collective) {
                (Some(there), Some(given)) => differences(&there, &given),
                _ => String::new(),
            };
            return Some(self.by_call(
                made,
                format!("the collective event {label} is there, with other parameters{differs}"),
                &[label],
                "each contributor may create a collective event, on the same labeled GUID and with the \
                 same parameters",
                "Compare the parameters with those of its creation: maxGen, nbContribs, nbContribsPd, \
                 nbDatum, arity, op, type and reuseDbPerGen are all the same.",
            ));
        }
        use EventKind::{Channel, Collective, Counted};
        matches!(kind, Counted | Channel | Collective).then(|| {
            let name = kind.name();
            let what = match (params, made.number(3)) {
                (false, _) => format!("{} needs parameters", article(name)),
                (_, 0) => format!("params is NULL, but {} needs parameters", article(name)),
                _ => format!("a parameter of {} is out of range", article(name)),
            };
            self.by_call(
                made,
                what,
                &[],
                "counted and collective events are made by ocrEventCreateParams, and parameters \
                 are in the range that ocr-edt.h says",
                "Counted: nbDeps at least 1. Channel: maxGen at least 1, nbSat 1, nbDeps 1. \
                 Collective: maxGen and nbDatum at least 1, nbContribs and nbContribsPd as many as \
                 contribute, op a sum of REDOP_ values (REAL has 4 or 8 bytes, and no BITAND, BITOR \
                 or BITXOR), type COL_ALLREDUCE. Set them in the member of ocrEventParams_t that \
                 belongs to the type.",
            )
        })
    }

    /// An event that exists was not satisfied.
    pub(super) fn refused_satisfaction(
        &self,
        made: &CallRecord<'_>,
        event: Guid,
        slot: u64,
        depth: u32,
    ) -> Option<Box<Misuse>> {
        let what = self.history.what(event)?;
        let is_latch = what == What::LATCH;
        if slot != 0 && !(is_latch && slot == 1) && what != What::COLLECTIVE {
            let slots = if is_latch { "2 slots" } else { "1 slot" };
            return Some(self.by_call(
                made,
                format!(
                    "slot {slot} is out of range: {} has {slots}",
                    article(what.name())
                ),
                &[event],
                "a latch event has the slots OCR_EVENT_LATCH_DECR_SLOT and \
                 OCR_EVENT_LATCH_INCR_SLOT, other events have slot 0 alone",
                "Pass one of these. If it is to count, create it as OCR_EVENT_LATCH_T.",
            ));
        }
        if what == What::COLLECTIVE {
            return Some(self.by_call(
                made,
                "a collective event is not satisfied with a data block".into(),
                &[event],
                "each contributor of a collective event gives it numbers, with \
                 ocrEventCollectiveSatisfySlot (extensions/ocr-reduction-event.h)",
                "Call ocrEventCollectiveSatisfySlot with the address of nbDatum elements and the \
                 number of the contributor. No other event can satisfy it either.",
            ));
        }
        if what == What::CHANNEL {
            return Some(self.by_call(
                made,
                "a channel event takes no further satisfaction now".into(),
                &[event],
                "a channel event holds maxGen satisfactions that wait for a dependence (see B.5)",
                "Create it with a larger maxGen, or EVENT_CHANNEL_UNBOUNDED; or satisfy it again when \
                 the EDT that gets the last one has run.",
            ));
        }
        (depth == 0 && what.is_event() && !is_latch).then(|| {
            self.by_call(
                made,
                format!("{} was satisfied twice", article(what.name())),
                &[event],
                &format!(
                    "{} is satisfied once; a second time is an error (see {})",
                    article(what.name()),
                    if what == What::COUNTED {
                        "B.4"
                    } else {
                        "1.4.3"
                    }
                ),
                "Satisfy it in one place: compare the two calls. If several EDTs may be the first, \
                 use OCR_EVENT_IDEM_T, which ignores the later ones; to wait for all of them, \
                 OCR_EVENT_LATCH_T.",
            )
        })
    }

    /// An event did not take what was passed on to it, `by` something that is no call: a misuse if the event
    /// has triggered before.
    pub(crate) fn satisfied_twice(
        &self,
        event: Guid,
        who: Who,
        by: String,
    ) -> Result<(), Box<Misuse>> {
        let Some(record) = self.history.get(event) else {
            return Ok(());
        };
        let kind = record
            .what
            .filter(|what| what.is_event() && record.created.is_some());
        let (Some(what), false) = (kind, matches!(record.end, Some(Ending::Destroyed(_)))) else {
            return Ok(());
        };
        let name = article(what.name());
        let (rule, advice) = match what {
            What::LATCH => (
                "a latch event triggers when it has been decremented as often as incremented, and is \
                 gone then (OCR 1.1.0, 1.4.3.1)"
                    .to_string(),
                "Count what decrements it, calls, dependences and the EDTs whose output event it is: there \
                 is one more than increments and the initial counter provide for.",
            ),
            What::CHANNEL => (
                "a channel event holds maxGen satisfactions that wait for a dependence (see B.5)".to_string(),
                "Create it with a larger maxGen, or EVENT_CHANNEL_UNBOUNDED; or have what satisfies it again wait until \
                 the EDT that gets the last one has run.",
            ),
            _ => (
                format!("{name} is satisfied once; a second time is an error (OCR 1.1.0, 1.4.3)"),
                "Have one thing satisfy it: a call, one dependence, or the end of one EDT. If several may be \
                 the first, use OCR_EVENT_IDEM_T, which ignores the later ones; to wait for all of them, \
                 OCR_EVENT_LATCH_T.",
            ),
        };
        let often = match what {
            What::LATCH => "was satisfied after it had triggered",
            What::CHANNEL => "was satisfied more often than it holds",
            _ => "was satisfied twice",
        };
        Err(self.by_edt(
            who,
            format!("seen when it was satisfied {by}"),
            format!("{name} {often}"),
            &[event],
            &rule,
            advice,
        ))
    }

    /// The output event of an EDT is about to be satisfied by somebody else.
    pub(crate) fn satisfied_by_hand(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
    ) -> Option<Box<Misuse>> {
        let [event, slot] = match made.call.name {
            "ocrEventSatisfy" | "ocrEventSatisfySlot" => [0, 2],
            "ocrAddDependence" | "ocrAddDependenceByValue" => [1, 2],
            "ocrAddDependenceSlot" => [2, 3],
            _ => return None,
        };
        let output = made.guid(event);
        let Some(What::Output(edt)) = self.history.what(output) else {
            return None;
        };
        if made.number(slot) != 0 || objects.event_kind(output).is_none() {
            return None;
        }
        let links = made.call.name.starts_with("ocrAddDependence");
        let advice = if links {
            format!(
                "What the EDT is to wait for leads to the EDT itself: pass {edt} as destination, and one of \
             its pre-slots. What it passes on is the value that it returns."
            )
        } else {
            "Leave it to the EDT: what it passes on is the value that it returns. For an event \
                  that the program satisfies itself, use one of ocrEventCreate."
                .to_string()
        };
        Some(self.by_call(
            made,
            format!(
                "{} ({output}) is the output event of {}, which the runtime satisfies",
                made.call.args[event].0,
                self.history.name(edt)
            ),
            &[output],
            "an output event is satisfied once, when its EDT has ended (see 2.7.3)",
            &advice,
        ))
    }

    /// An event is about to be satisfied with a data block that it was not created for. Without strict mode it takes
    /// the block: programs of OCR 1.2 rely on that. A latch event ignores blocks, in OCR 1.1.0.
    pub(crate) fn takes_no_block(&self, made: &CallRecord<'_>) -> Option<Box<Misuse>> {
        let [source, event] = match made.call.name {
            "ocrEventSatisfy" | "ocrEventSatisfySlot" => [1, 0],
            "ocrAddDependence" | "ocrAddDependenceByValue" => [0, 1],
            "ocrAddDependenceSlot" => [0, 2],
            _ => return None,
        };
        let (block, guid) = (made.guid(source), made.guid(event));
        if !block.is_data_block() {
            return None;
        }
        let record = self.history.get(guid)?;
        let ignores = |what: &What| matches!(*what, What::LATCH | What::COLLECTIVE);
        let what = record
            .what
            .filter(|what| what.is_event() && !ignores(what))?;
        (record.takes_nothing && record.end.is_none()).then(|| {
            let name = what.name();
            self.by_call(
                made,
                format!(
                    "{} ({guid}) is {} that was created without EVT_PROP_TAKES_ARG, and is given a data block",
                    made.call.args[event].0,
                    article(name)
                ),
                &[guid, block],
                "an event that is satisfied with a data block is created with EVT_PROP_TAKES_ARG; otherwise OCR 1.1.0 has \
                 OCR_EPERM here (see 2.6.1)",
                "Pass EVT_PROP_TAKES_ARG to the function that creates the event; or satisfy it with NULL_GUID, if who waits for it \
                 needs no data.",
            )
        })
    }

    pub(super) fn refused_dependence(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
        status: Status,
        [source, destination, slot, mode]: [usize; 4],
    ) -> Option<Box<Misuse>> {
        let (source, destination) = (made.guid(source), made.guid(destination));
        let slot = made.number(slot);
        if Mode::from_bits(made.number(mode) as u32).is_none() {
            return Some(self.by_call(
                made,
                format!("there is no access mode {}", made.number(mode) as i32),
                &[],
                "the mode is one of the DB_MODE_ values",
                "Pass DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW or DB_MODE_EW as the EDT uses the block, \
                 or DB_MODE_NULL for a dependence without data.",
            ));
        }
        if status == Status::EACCES {
            return Some(self.written_once(made, &[source, destination]));
        }
        let collective = objects.events.collective(source);
        let post_slots = collective.map_or(1, |event| event.params.contributors.into());
        if made.call.name == "ocrAddDependenceSlot"
            && status == Status::EINVAL
            && made.number(1) >= post_slots
        {
            return Some(self.by_call(
                made,
                format!("source has no post-slot {}", made.number(1)),
                &[source],
                "a collective event has a post-slot for each contributor, from 0; every other source \
                 has post-slot 0 alone",
                "Pass the number of a contributor as sslot, less than nbContribs; for another source, \
                 use ocrAddDependence.",
            ));
        }
        if self.history.what(destination)?.is_event() {
            let record = self.history.get(destination).unwrap_or_default();
            let was_satisfied = record.satisfied[0].is_some() && record.end.is_none();
            if status == Status::EPERM
                && !was_satisfied
                && let Some(misuse) = self.used_up(made, source)
            {
                return Some(misuse);
            }
            let again = u32::from(source.is_event() && !was_satisfied);
            return self.refused_satisfaction(made, destination, slot, again);
        }
        let (edt, locked) = objects.edts.lock(destination)?;
        let depc = edt.depc.get() as u64;
        let waits = locked.word.state() == EdtState::Waiting;
        let taken = slot < depc && waits && !edt.slots()[slot as usize].is_unconnected();
        drop(locked);
        let both = [destination, source];
        if slot >= depc {
            let is_mode = slot != 0 && Mode::from_bits(slot as u32).is_some();
            let exchanged = is_mode && made.number(mode) < depc;
            let has = match depc {
                0 => "no pre-slots".to_string(),
                1 => "only pre-slot 0".to_string(),
                _ => format!("pre-slots 0 to {}", depc - 1),
            };
            return Some(self.by_call(
                made,
                format!("slot {slot} is out of range: the EDT has {has}"),
                &both,
                "slot is less than the number of pre-slots that the EDT was created with",
                if exchanged {
                    "That is the number of a mode, too, and the mode that was passed that of a pre-slot: is one in \
                     the place of the other? The order is source, destination, slot, mode. Slots count from \
                     0; if one is missing, pass a larger depc where the template or the EDT is created."
                } else {
                    "Slots count from 0. If one is missing, pass a larger depc where the template or the \
                     EDT is created."
                },
            ));
        }
        if taken {
            return Some(self.by_call(
                made,
                format!("pre-slot {slot} is connected already"),
                &both,
                "a pre-slot of an EDT takes one dependence, as the consistency model has it",
                if made.call.name.starts_with("ocrEventSatisfy") {
                    "Satisfy the event that the pre-slot is connected to: see above. Only a pre-slot that nothing \
                     is connected to is satisfied itself."
                } else {
                    "Use another slot number for this dependence: each has its own, and it stands before the mode. The slot \
                     may have been connected by depv of ocrEdtCreate. To wait for several things on one slot, put a latch event before it."
                },
            ));
        }
        if waits {
            return self.used_up(made, source);
        }
        Some(self.by_call(
            made,
            "all pre-slots of the EDT are satisfied: it may run any time".into(),
            &both,
            "a dependence is added before the EDT is runnable",
            "Two dependences may have been meant for two slots and gone to one that was \
                 satisfied at creation (NULL_GUID in depv satisfies; UNINITIALIZED_GUID leaves \
                 open).",
        ))
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

    /// A source that takes no further dependence.
    pub(super) fn used_up(&self, made: &CallRecord<'_>, source: Guid) -> Option<Box<Misuse>> {
        let what = self.history.what(source)?;
        let (title, rule, advice) = match what {
            What::COUNTED => (
                "has all the dependences that it was created for",
                "a counted event serves nbDeps dependences (see B.4)",
                "Create it with a larger nbDeps, or count what depends on it: EDTs and events, those \
                 in depv of ocrEdtCreate among them.",
            ),
            What::CHANNEL => (
                "takes no further dependence now",
                "a channel event holds maxGen dependences that wait for a satisfaction (see B.5)",
                "Create it with a larger maxGen, or EVENT_CHANNEL_UNBOUNDED, or add the dependence when an \
                 earlier one has been satisfied.",
            ),
            What::COLLECTIVE => (
                "takes no further dependence of this contributor now",
                "each contributor of a collective event has one dependence in a generation, on the post-slot of its \
                 number, and may be maxGen generations ahead of the others (extensions/ocr-reduction-event.h)",
                "Connect each contributor's with ocrAddDependenceSlot and its number: ocrAddDependence is for number 0. \
                 If this one is ahead, create the event with a larger maxGen, or add the dependence when an earlier one \
                 has been satisfied.",
            ),
            _ => return None,
        };
        let title = format!("{} {title}", article(what.name()));
        Some(self.by_call(made, title, &[source], rule, advice))
    }

    pub(super) fn refused_contribution(
        &self,
        made: &CallRecord<'_>,
        status: Status,
    ) -> Box<Misuse> {
        let (event, slot) = (made.guid(0), made.number(2));
        let what = self.history.what(event);
        let (title, rule, advice) = match what {
            Some(What::COLLECTIVE) if status == Status::EPERM => (
                "the contributor is maxGen generations ahead of the others".into(),
                "each contributor of a collective event may be maxGen generations ahead of the others",
                "Create it with a larger maxGen, or contribute again when the EDT that gets the last \
                 result has run.",
            ),
            Some(What::COLLECTIVE) if made.number(1) == 0 => (
                "data is NULL".into(),
                "a contribution is an array of nbDatum elements",
                "Pass the address of the elements; they are copied during the call.",
            ),
            Some(What::COLLECTIVE) => (
                format!("there is no contributor {slot}"),
                "contributors have the slots 0 to nbContribs - 1",
                "Compare the number with nbContribs, with which the event was created.",
            ),
            _ => (
                format!(
                    "eventGuid is {}, not a collective event",
                    article(what.map_or("object", What::name))
                ),
                "eventGuid is a collective event",
                "Other events are satisfied by ocrEventSatisfy or ocrEventSatisfySlot.",
            ),
        };
        self.by_call(made, title, &[event], rule, advice)
    }

    /// A block that is written once was to be written again.
    pub(super) fn written_once(&self, made: &CallRecord<'_>, objects: &[Guid]) -> Box<Misuse> {
        self.by_call(
            made,
            "the data block was to be written once, and was".into(),
            objects,
            "a block with DB_PROP_SINGLE_ASSIGNMENT (an extension of OCR 1.2) is not written any more \
             when its first writer has released it",
            "Ask for DB_MODE_RO or DB_MODE_CONST, or create the block without \
             DB_PROP_SINGLE_ASSIGNMENT. Its creator is its first writer, unless it is created with \
             DB_PROP_NO_ACQUIRE, too.",
        )
    }
}
