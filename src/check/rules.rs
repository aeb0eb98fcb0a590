//! Why a call was refused, found from its arguments, the objects as they are, and their history.

use super::calls::{ACCESS, INVALID, MISUSES, NO_MEMORY, PERMISSION, Role};
use super::history::{End, Record, What};
use super::{Check, Made, Misuse, is_alive, is_known, kind_of};
use crate::object::Objects;
use crate::object::edt::WAITING;
use crate::object::guid::Guid;

impl Check {
    /// What was wrong with a call that returned `status`; none where the status tells of the machine
    /// or answers a question.
    pub fn refused(&self, objects: &Objects, made: &Made<'_>, status: u8) -> Option<Box<Misuse>> {
        let too_small = made.call.name == "ocrDbCopy" && status == NO_MEMORY;
        if !(MISUSES.contains(&status) || too_small) {
            let file = self.refused_file(objects, made, status);
            return file.or_else(|| self.refused_map(objects, made, status));
        }
        for (at, (_, role)) in made.call.args.iter().enumerate() {
            if let Some(misuse) = self.wrong_argument(objects, made, at, *role) {
                return Some(misuse);
            }
        }
        let specific = match made.call.name {
            "ocrEventCreate" | "ocrEventCreateParams" => self.refused_event(made),
            // A dependence in all but name. There is no argument 3: it reads as a mode that exists.
            "ocrEventSatisfySlot" if made.guid(0).is_edt() => {
                self.refused_dependence(objects, made, status, [1, 0, 2, 3])
            }
            "ocrEventSatisfy" | "ocrEventSatisfySlot" => {
                self.refused_satisfaction(made, made.guid(0), made.number(2), 0)
            }
            "ocrAddDependence" => self.refused_dependence(objects, made, status, [0, 1, 2, 3]),
            "ocrAddDependenceSlot" => self.refused_dependence(objects, made, status, [0, 2, 3, 4]),
            "ocrEdtCreate" | "ocrOpenclTaskCreate" => self.refused_edt(objects, made),
            "ocrEdtDestroy" => Some(self.by_call(
                made,
                "the EDT is runnable or running".into(),
                &[made.guid(0)],
                "an EDT can be destroyed as long as one of its pre-slots is not satisfied",
                "Destroy only EDTs that wait, or let the EDT run; EDTs go by themselves when they \
                 have run.",
            )),
            "ocrDbRelease" => Some(self.refused_release(made)),
            "ocrFileRelease" | "ocrFileGetChunk" => self.refused_file(objects, made, status),
            "ocrMapGet" => self.refused_map(objects, made, status),
            "ocrAddDependenceByValue" if status == ACCESS => Some(self.not_held(made)),
            "ocrAddDependenceByValue" => {
                self.refused_dependence(objects, made, status, [0, 1, 2, 3])
            }
            "ocrGroupBegin" | "ocrGroupEnd" => Some(self.refused_group(made)),
            "ocrDbPartition" => Some(self.refused_partition(objects, made, status)),
            "ocrDbCopy" => return self.refused_copy(objects, made, status),
            "ocrEventCollectiveSatisfySlot" => Some(self.refused_contribution(made, status)),
            "ocrGuidFromIndex" | "ocrGuidFromLabel" | "ocrGuidMapDestroy" => {
                self.refused_range(objects, made)
            }
            "ocrEdtTemplateCreate_internal" => Some(self.by_call(
                made,
                "EDT_PARAM_DEF is no number for a template".into(),
                &[],
                "a template has numbers, or EDT_PARAM_UNK where each EDT says its own",
                "Pass the number of parameters and of pre-slots, or EDT_PARAM_UNK.",
            )),
            _ => None,
        };
        let specific = specific.or_else(|| self.refused_mapped(made));
        let specific = specific.or_else(|| self.refused_label(made));
        specific.or_else(|| made.call.strict.then(|| self.unexplained(made, status)))
    }

    fn unexplained(&self, made: &Made<'_>, status: u8) -> Box<Misuse> {
        let code = match status {
            1 => "OCR_EPERM",
            13 => "OCR_EACCES",
            _ => "OCR_EINVAL",
        };
        let guids: Vec<Guid> = (0..made.args.len())
            .filter(|&at| matches!(made.call.args.get(at), Some((_, role)) if is_guid(*role)))
            .map(|at| made.guid(at))
            .collect();
        self.by_call(
            made,
            format!("the call was refused with {code}"),
            &guids,
            "arguments must be as the header says",
            "Compare the arguments above with the description of the function in its header, under \
             \"Errors\".",
        )
    }

    pub(super) fn after_shutdown(&self, made: &Made<'_>) -> Box<Misuse> {
        self.by_call(
            made,
            "this EDT has called ocrShutdown before".into(),
            &[],
            "what a program does behind ocrShutdown may or may not happen (see 2.3.1)",
            "Make ocrShutdown the last call of the last EDT, and do before it what has to be done.",
        )
    }

    pub(super) fn unknown_property(&self, made: &Made<'_>, at: usize, known: u32) -> Box<Misuse> {
        let name = made.call.args[at].0;
        let unknown = made.number(at) as u32 & !known;
        self.by_call(
            made,
            format!("{name} has bits that no property has: 0x{unknown:x}"),
            &[],
            "properties are a combination of the values in ocr-types.h",
            "Pass the properties of this function's objects (EDT_PROP_, EVT_PROP_ or DB_PROP_, and \
             GUID_PROP_), combined with |. A mode or the properties of another kind of object may \
             have got here, or the arguments are in the wrong order.",
        )
    }

    fn wrong_argument(
        &self,
        objects: &Objects,
        made: &Made<'_>,
        at: usize,
        role: Role,
    ) -> Option<Box<Misuse>> {
        let (name, _) = made.call.args[at];
        match role {
            Role::Out | Role::Function if made.number(at) == 0 => {
                let advice = match role {
                    Role::Out => "Pass the address of a variable, which lives during the call.",
                    _ => "Pass the function that the EDTs are to run.",
                };
                Some(self.by_call(
                    made,
                    format!("{name} is NULL"),
                    &[],
                    &format!("{name} must not be NULL"),
                    advice,
                ))
            }
            _ if is_guid(role) => self.wrong_guid(objects, made, made.guid(at), name, role),
            _ => None,
        }
    }

    /// What is wrong with a GUID that was given for `role`.
    pub(super) fn wrong_guid(
        &self,
        objects: &Objects,
        made: &Made<'_>,
        guid: Guid,
        name: &str,
        role: Role,
    ) -> Option<Box<Misuse>> {
        let wanted = wanted(role);
        if guid.is_null() {
            let allowed = matches!(role, Role::Block | Role::Data | Role::Source | Role::Object);
            return (!allowed).then(|| {
                self.by_call(
                    made,
                    format!("{name} is NULL_GUID"),
                    &[],
                    &format!("{name} is {wanted}"),
                    "Pass the GUID that the create function has stored. NULL_GUID may come from a \
                     variable that was not set yet, or from a pre-slot without a data block.",
                )
            });
        }
        let Some(what) = self.history.what(guid) else {
            if let Some(kind) = kind_of(guid) {
                // Where any object will do, it is the function's own business.
                let out_of_place = role != Role::Object;
                return out_of_place.then(|| self.out_of_place(made, (guid, kind), name, wanted));
            }
            let advice = match guid {
                Guid::UNINITIALIZED => {
                    "The variable was never given a GUID. UNINITIALIZED_GUID is for depv of \
                         ocrEdtCreate alone, where it leaves a pre-slot open."
                }
                Guid::ERROR => {
                    "ERROR_GUID is the answer of a call that failed: check what it returned."
                }
                _ => {
                    "Look at where this variable gets its value: it may be uninitialised, cut \
                         off (a GUID has 64 bits), or not a GUID at all, for instance a parameter \
                         in the wrong place of paramv."
                }
            };
            let what = format!("{name} ({guid}) is not the GUID of an object");
            return Some(self.by_call(made, what, &[], &format!("{name} is {wanted}"), advice));
        };
        if !admits(role, what) {
            return Some(self.by_call(
                made,
                format!("{name} is {} {guid}, not {wanted}", article(what.name())),
                &[guid],
                &format!("{name} is {wanted}"),
                wrong_kind(role, what),
            ));
        }
        let record = self.history.get(guid);
        let ended = record.as_ref().and_then(|record| record.end);
        let ended = matches!(ended, Some(End::Destroyed(act)) if act.ticket != made.act.ticket);
        if !ended && objects.data_blocks.is_private(guid) {
            return Some(self.private_block(made, guid, name));
        }
        if is_alive(objects, guid) && (is_known(guid) || !ended) {
            return None;
        }
        let Some(record) = record.filter(|record| record.created.is_some()) else {
            if guid.is_label() {
                return Some(self.without_object(made, guid, name));
            }
            return Some(self.by_call(
                made,
                format!("{name} ({guid}) is not the GUID of an object that exists"),
                &[guid],
                &format!("{name} is {wanted}"),
                "Look at where this variable gets its value: it may be uninitialised, changed, or \
                 from an object that ended very long ago.",
            ));
        };
        Some(self.gone(made, guid, name, role, what, &record))
    }

    /// An object was used after its end.
    fn gone(
        &self,
        made: &Made<'_>,
        guid: Guid,
        name: &str,
        role: Role,
        what: What,
        record: &Record,
    ) -> Box<Misuse> {
        let destroyed = |record: &Record| match record.end {
            Some(End::Destroyed(act)) => act.ticket != made.act.ticket,
            _ => false,
        };
        let by_call = destroyed(record);
        if let What::Output(edt) = what
            && !by_call
            && self.history.get(edt).as_ref().is_some_and(destroyed)
        {
            return self.by_call(
                made,
                format!(
                    "an output event was used after its EDT had been destroyed (argument {name})"
                ),
                &[guid, edt],
                "ocrEdtDestroy destroys the EDT's output event, too (see 2.7.4)",
                "Do not use the output event of an EDT that may be destroyed, or destroy the EDT \
                 after the last call that uses it.",
            );
        }
        let kind = what.name();
        let triggered = what.is_passing() && !by_call;
        let destroying = made.call.name.ends_with("Destroy");
        let satisfying = role == Role::Event && !destroying || role == Role::Destination;
        let ended = match (what, triggered, by_call) {
            (What::Edt, _, false) => "has run",
            (_, true, _) => "has triggered",
            _ => "has been destroyed",
        };
        let title = match (satisfying && triggered, destroying && by_call) {
            (true, _) => format!("{} was satisfied after it had triggered", article(kind)),
            (_, true) => format!("{} was destroyed twice", article(kind)),
            _ => format!(
                "{} was used after it {}",
                article(kind),
                ended.replace("has", "had")
            ),
        };
        let (rule, advice) = match (what, triggered) {
            (What::Event(5), true) => (
                "a counted event is gone when it has been satisfied and has served as many \
                 dependences as it was created for (see B.4)",
                "Count what depends on the event: nbDeps of its parameters is too small, or it is \
                 satisfied, connected or destroyed once too often.",
            ),
            (What::Output(_), true) if role == Role::Source => (
                "an output event is a once event: it goes when its EDT has ended, and what depends \
                 on it must be linked before",
                "The EDT has run before this call. Create it with a pre-slot left open \
                 (UNINITIALIZED_GUID in depv, or depv NULL), connect its output event, and satisfy \
                 that pre-slot last.",
            ),
            (_, true) if role == Role::Source => (
                "what depends on a once or latch event must be linked before the event triggers: the \
                 event is gone then (see 1.4.3)",
                "Add the dependence before the event can be satisfied, for instance before the EDT \
                 that satisfies it is created. If the order cannot be known, make it a sticky event \
                 (OCR_EVENT_STICKY_T) and destroy that when it is no longer needed.",
            ),
            (What::Output(_), true) if satisfying => (
                "an output event is satisfied by the runtime, once, at the end of its EDT",
                "Do not satisfy it: the value that the EDT returns is what it passes on.",
            ),
            (What::Event(4), true) if satisfying => (
                "a latch event triggers when it has been decremented as often as incremented, and \
                 is gone then (see 1.4.3.1)",
                "Count the decrements: there is one more than increments and the initial counter \
                 provide for, or the counter came to 0 too early. Increment once for each \
                 decrement, all before the first decrement, or begin with the counter at the \
                 number of decrements (ocrEventCreateParams).",
            ),
            (_, true) if satisfying => (
                "a once event is satisfied once, and is gone then (see 1.4.3)",
                "Satisfy it in one place. If several EDTs may be the first, use \
                 OCR_EVENT_IDEM_T; to wait for all of them, OCR_EVENT_LATCH_T.",
            ),
            (_, true) if destroying => (
                "once and latch events are destroyed by the runtime when they trigger",
                "Do not destroy them. Destroy sticky and idempotent events, and others that will \
                 never be satisfied.",
            ),
            (What::Edt, _) if !by_call => (
                "an EDT is gone when it has run",
                "An EDT runs as soon as its last pre-slot is satisfied. Do what needs its GUID \
                 before that, or leave a pre-slot open and satisfy it last.",
            ),
            (What::Block, _) => (
                "a data block must not be used any more when ocrDbDestroy has been called",
                "Destroy the block in the last EDT that uses it: one that depends on all the \
                 others.",
            ),
            (What::Template, _) => (
                "an EDT can be made from a template until the template is destroyed",
                "Destroy the template after the last ocrEdtCreate that uses it. EDTs that exist do \
                 not need it.",
            ),
            (What::Edt, _) => (
                "the GUID of an EDT that was destroyed must not be used",
                "Destroy an EDT when nobody is going to connect or satisfy its pre-slots.",
            ),
            _ => (
                "the GUID of an event must not be used after ocrEventDestroy (see 2.6.2)",
                "Destroy the event after the last call that uses it, for instance in an EDT that \
                 depends on all its users.",
            ),
        };
        self.by_call(
            made,
            format!("{title} (argument {name})"),
            &[guid],
            rule,
            advice,
        )
    }

    fn refused_event(&self, made: &Made<'_>) -> Option<Box<Misuse>> {
        let kind = made.number(1) as u32;
        let params = made.call.args.len() == 4;
        if !(1..=7).contains(&kind) {
            return Some(self.by_call(
                made,
                format!("there is no event type {}", kind as i32),
                &[],
                "eventType is one of the OCR_EVENT_ values of ocr-types.h",
                "Pass OCR_EVENT_ONCE_T, OCR_EVENT_STICKY_T or another of these names. Are the \
                 arguments in the right order (guid, type, properties)?",
            ));
        }
        (kind >= 5).then(|| {
            let name = What::Event(kind).name();
            let what = match (params, made.number(3)) {
                (false, _) => format!("{} needs parameters", article(name)),
                (_, 0) => format!("params is NULL, but {} needs parameters", article(name)),
                _ => format!("a parameter of {} is out of range", article(name)),
            };
            self.by_call(
                made,
                what,
                &[],
                "counted, channel and collective events are made by ocrEventCreateParams, with \
                 parameters in the range that ocr-edt.h says",
                "Counted: nbDeps at least 1. Channel: maxGen at least 1, nbSat 1, nbDeps 1. \
                 Collective: nbContribs and nbContribsPd as many as contribute, and a labeled GUID. \
                 Set them in the member of ocrEventParams_t that belongs to the type.",
            )
        })
    }

    /// An event that exists was not satisfied.
    fn refused_satisfaction(
        &self,
        made: &Made<'_>,
        event: Guid,
        slot: u64,
        depth: u32,
    ) -> Option<Box<Misuse>> {
        let what = self.history.what(event)?;
        let is_latch = what == What::Event(4);
        if slot != 0 && !(is_latch && slot == 1) && what != What::Event(7) {
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
        if matches!(what, What::Event(6 | 7)) {
            return Some(self.by_call(
                made,
                format!("{} takes no further satisfaction now", article(what.name())),
                &[event],
                "a channel event holds maxGen satisfactions that wait for a dependence; each \
                 contributor of a collective event may be maxGen generations ahead of the others",
                "Create it with a larger maxGen (a channel event: EVENT_CHANNEL_UNBOUNDED), or \
                 satisfy it again when the EDT that gets the last one has run.",
            ));
        }
        (depth == 0 && what.is_event() && !is_latch).then(|| {
            self.by_call(
                made,
                format!("{} was satisfied twice", article(what.name())),
                &[event],
                &format!(
                    "{} is satisfied once; a second time is an error (see 1.4.3)",
                    article(what.name())
                ),
                "Satisfy it in one place: compare the two calls. If several EDTs may be the first, \
                 use OCR_EVENT_IDEM_T, which ignores the later ones; to wait for all of them, \
                 OCR_EVENT_LATCH_T.",
            )
        })
    }

    fn refused_dependence(
        &self,
        objects: &Objects,
        made: &Made<'_>,
        status: u8,
        [source, destination, slot, mode]: [usize; 4],
    ) -> Option<Box<Misuse>> {
        let (source, destination) = (made.guid(source), made.guid(destination));
        let slot = made.number(slot);
        if !matches!(made.number(mode) as u32, 0 | 1 | 2 | 4 | 8) {
            return Some(self.by_call(
                made,
                format!("there is no access mode {}", made.number(mode) as i32),
                &[],
                "the mode is one of the DB_MODE_ values",
                "Pass DB_MODE_RO, DB_MODE_CONST, DB_MODE_RW or DB_MODE_EW as the EDT uses the block, \
                 or DB_MODE_NULL for a dependence without data.",
            ));
        }
        if status == ACCESS {
            return Some(self.written_once(made, &[source, destination]));
        }
        if made.call.name == "ocrAddDependenceSlot" && status == INVALID && made.number(1) != 0 {
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
            if status == PERMISSION
                && let Some(misuse) = self.used_up(made, source)
            {
                return Some(misuse);
            }
            let again = source.is_event() as u32;
            return self.refused_satisfaction(made, destination, slot, again);
        }
        let (edt, locked) = objects.edts.lock(destination)?;
        let depc = edt.depc.get() as u64;
        let waits = locked.word.state() == WAITING;
        let taken = slot < depc && waits && !edt.slots()[slot as usize].is_unconnected();
        drop(locked);
        let both = [destination, source];
        if slot >= depc {
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
                "Slots count from 0. If one is missing, pass a larger depc where the template or the \
                 EDT is created.",
            ));
        }
        if taken {
            return Some(self.by_call(
                made,
                format!("pre-slot {slot} is connected already"),
                &both,
                "a pre-slot of an EDT takes one dependence, as the consistency model has it",
                "Use another slot number for this dependence: each has its own. The slot may have \
                 been connected by depv of ocrEdtCreate. To wait for several things on one slot, \
                 put a latch event before it.",
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

    /// A source that takes no further dependence.
    fn used_up(&self, made: &Made<'_>, source: Guid) -> Option<Box<Misuse>> {
        let what = self.history.what(source)?;
        let (title, rule, advice) = match what {
            What::Event(5) => (
                "has all the dependences that it was created for",
                "a counted event serves nbDeps dependences (see B.4)",
                "Create it with a larger nbDeps, or count what depends on it: EDTs and events, those \
                 in depv of ocrEdtCreate among them.",
            ),
            What::Event(6 | 7) => (
                "takes no further dependence now",
                "a channel event holds maxGen dependences that wait for a satisfaction; each \
                 contributor of a collective event may be maxGen generations ahead of the others",
                "Create it with a larger maxGen (a channel event: EVENT_CHANNEL_UNBOUNDED), or add the \
                 dependence when an earlier one has been satisfied.",
            ),
            _ => return None,
        };
        let title = format!("{} {title}", article(what.name()));
        Some(self.by_call(made, title, &[source], rule, advice))
    }

    fn refused_contribution(&self, made: &Made<'_>, status: u8) -> Box<Misuse> {
        let (event, slot) = (made.guid(0), made.number(2));
        let what = self.history.what(event);
        let (title, rule, advice) = match what {
            Some(What::Event(7)) if status == PERMISSION => (
                "the contributor is maxGen generations ahead of the others".into(),
                "each contributor of a collective event may be maxGen generations ahead of the others",
                "Create it with a larger maxGen, or contribute again when the EDT that gets the last \
                 result has run.",
            ),
            Some(What::Event(7)) if made.number(1) == 0 => (
                "data is NULL".into(),
                "a contribution is an array of nbDatum elements",
                "Pass the address of the elements; they are copied during the call.",
            ),
            Some(What::Event(7)) => (
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
    pub(super) fn written_once(&self, made: &Made<'_>, objects: &[Guid]) -> Box<Misuse> {
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

    fn refused_release(&self, made: &Made<'_>) -> Box<Misuse> {
        let block = made.guid(0);
        match self.has_released(made.act.who, block) {
            true => self.by_call(
                made,
                "the EDT has released the data block before".into(),
                &[block],
                "an EDT releases a data block at most once, also one that came through several \
                 pre-slots (see 2.8.1)",
                "Remove one of the two calls. The end of the EDT releases what is left.",
            ),
            false => self.by_call(
                made,
                "the EDT has not acquired the data block".into(),
                &[block],
                "a data block can be released by an EDT that created it (without \
                 DB_PROP_NO_ACQUIRE) or got it through a pre-slot (not with DB_MODE_NULL)",
                "To use the block here, add a dependence from it to a pre-slot of this EDT; knowing \
                 its GUID is not enough. If the EDT does not use the block, remove the call.",
            ),
        }
    }
}

fn is_guid(role: Role) -> bool {
    use Role::*;
    matches!(
        role,
        Event | Edt | Template | Block | Source | Destination | Data | Object
    )
}

/// What an argument wants, with its article.
fn wanted(role: Role) -> &'static str {
    match role {
        Role::Event => "an event",
        Role::Edt => "an EDT",
        Role::Template => "an EDT template",
        Role::Block => "a data block",
        Role::Source => "a data block, an event or NULL_GUID",
        Role::Destination => "an EDT or an event",
        Role::Data => "a data block or NULL_GUID",
        _ => "an object",
    }
}

fn admits(role: Role, what: What) -> bool {
    match role {
        Role::Event => what.is_event(),
        Role::Edt => what == What::Edt,
        Role::Template => what == What::Template,
        Role::Block | Role::Data => what == What::Block,
        Role::Source => what == What::Block || what.is_event(),
        Role::Destination => what == What::Edt || what.is_event(),
        _ => true,
    }
}

pub(super) fn article(name: &str) -> String {
    let an = name.starts_with(['e', 'E', 'i']) || name.starts_with("output");
    format!("{} {name}", if an { "an" } else { "a" })
}

/// What to do about an object of the wrong kind.
fn wrong_kind(role: Role, what: What) -> &'static str {
    match (role, what) {
        (Role::Source, What::Edt) => {
            "An EDT is no source, its output event is: pass the address of a GUID as outputEvent, \
             the last argument of ocrEdtCreate, and use that GUID as the source."
        }
        (Role::Source, _) => {
            "Create an EDT from the template, and use its output event (the last argument of \
             ocrEdtCreate) as the source."
        }
        (Role::Destination, What::Block) => {
            "A data block has no pre-slots. Are source and destination the wrong way round? The \
             order is ocrAddDependence(source, destination, slot, mode), and \
             ocrEventSatisfySlot(event, data, slot)."
        }
        (Role::Destination, _) => {
            "A template has no pre-slots, EDTs have: use the GUID that ocrEdtCreate stores."
        }
        (Role::Event, What::Edt) => {
            "EDTs are not satisfied as events are: ocrAddDependence(data, edt, slot, mode) satisfies \
             a pre-slot of an EDT; ocrEdtDestroy destroys one."
        }
        (Role::Event, What::Block) => {
            "Are the arguments the wrong way round? The order is ocrEventSatisfy(event, data). A \
             data block is destroyed by ocrDbDestroy."
        }
        (Role::Data, What::Event(_) | What::Output(_)) => {
            "To make an event depend on another one, use ocrAddDependence(source, event, 0, \
             DB_MODE_NULL). To pass a block on, give the block's GUID."
        }
        (Role::Data, _) => "Pass the GUID of a data block, or NULL_GUID where there is no data.",
        (Role::Block, What::Event(_) | What::Output(_)) => {
            "Use the GUID of the block, which is in depv[slot].guid, not that of the event that \
             brought it. An event is destroyed by ocrEventDestroy."
        }
        (Role::Template, What::Edt) => {
            "Use the GUID that ocrEdtTemplateCreate stores; an EDT is destroyed by ocrEdtDestroy, and \
             goes by itself when it has run."
        }
        _ => {
            "Two variables may be mixed up: look at where this one gets its value, and use the \
             function for objects of this kind."
        }
    }
}
