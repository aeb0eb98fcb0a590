//! What is wrong with an argument: that it is none, or the GUID of nothing, of an object of another kind, or
//! of one that is gone.

use super::calls::{CallSpec, Role};
use super::history::{Ending, Record, What};
use super::{CallRecord, Check, Misuse, OUTLIVED, REDZONE_BYTE, is_alive, is_known, kind_of};
use crate::object::Objects;
use crate::object::data_block::UNWRITTEN;
use crate::object::guid::{Guid, Kind};

impl Check {
    pub(super) fn wrong_argument(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
        at: usize,
        role: Role,
    ) -> Option<Box<Misuse>> {
        let (name, _) = made.call.args[at];
        match role {
            Role::Out | Role::Function | Role::Text if made.number(at) == 0 => {
                let advice = match role {
                    Role::Text => "Pass a text that ends with a zero.",
                    Role::Out => "Pass the address of a variable, which lives during the call.",
                    _ if name == "creatorFunc" => {
                        "Pass the function that is to create the objects of the map."
                    }
                    _ if name == "range" => {
                        "Pass the function that says how many work-items an EDT has."
                    }
                    _ if name == "mapFunc" => {
                        "Pass the function that makes a GUID of the range of what ocrGuidFromLabel is given."
                    }
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

    /// NULL_GUID was given for `role`.
    pub(super) fn is_null_guid(
        &self,
        made: &CallRecord<'_>,
        name: &str,
        role: Role,
    ) -> Box<Misuse> {
        self.by_call(
            made,
            format!("{name} is NULL_GUID"),
            &[],
            &format!("{name} is {}", wanted(role)),
            "Pass the GUID that the create function has stored. NULL_GUID may come from a \
             variable that was not set yet, or from a pre-slot without a data block.",
        )
    }

    /// What is wrong with a GUID that was given for `role`.
    pub(super) fn wrong_guid(
        &self,
        objects: &Objects,
        made: &CallRecord<'_>,
        guid: Guid,
        name: &str,
        role: Role,
    ) -> Option<Box<Misuse>> {
        let wanted = wanted(role);
        if guid.is_null() {
            let allowed = matches!(role, Role::Block | Role::Data | Role::Source | Role::Object);
            return (!allowed).then(|| self.is_null_guid(made, name, role));
        }
        let Some(what) = self.named(objects, guid) else {
            if let Some(kind) = kind_of(guid).filter(|_| self.can_have_been(objects, guid)) {
                if kind == Kind::Registered && admits(role, What::Map) {
                    return (role != Role::Object).then(|| {
                        self.by_call(
                            made,
                            format!("{name} ({guid}) is not the GUID of {wanted} that exists"),
                            &[],
                            &format!("{name} is {wanted}"),
                            wrong_kind(made.call, role, What::File),
                        )
                    });
                }
                // Where any object will do, it is the function's own business.
                return (role != Role::Object).then(|| {
                    let (what, advice) = out_of_place(made.call, role, kind);
                    let title = format!("{name} is {what} ({guid}), not {wanted}");
                    self.by_call(made, title, &[], &format!("{name} is {wanted}"), advice)
                });
            }
            let advice = match guid {
                Guid::UNINITIALIZED => {
                    "The variable was never given a GUID. UNINITIALIZED_GUID is for depv of \
                         ocrEdtCreate alone, where it leaves a pre-slot open."
                }
                Guid::ERROR => {
                    "ERROR_GUID is the answer of a call that failed: check what it returned."
                }
                guid if guid.bits() == u64::from_ne_bytes([UNWRITTEN; 8]) => {
                    "These are the bytes that strict mode fills new data blocks with: it was read from \
                         a block that nobody had written there."
                }
                guid if guid.bits() == u64::from_ne_bytes([REDZONE_BYTE; 8]) => {
                    "These are the bytes that strict mode puts beyond paramv and depv: it was read from an \
                         element that they do not have."
                }
                guid if guid.bits() == u64::from_ne_bytes([OUTLIVED; 8]) => {
                    "These are the bytes that strict mode fills paramv and depv with when the function of their EDT \
                         has returned: it was read by a pointer that was kept. Pass values on, not pointers to them."
                }
                guid if block_at(objects, guid).is_some() => {
                    "Pass the GUID of the block, not its address: depv[i].guid, or what ocrDbCreate has \
                         stored in its first argument."
                }
                _ => {
                    "Look at where this variable gets its value: it may be uninitialised, cut \
                         off (a GUID has 64 bits), or not a GUID at all, for instance an address, or a \
                         parameter in the wrong place of paramv; or it is from an earlier run: what a run has \
                         created is gone after ocrLegacyFinalize."
                }
            };
            let what = match block_at(objects, guid) {
                Some(block) => format!(
                    "{name} ({guid}) is not a GUID, but the address of {}",
                    self.history.name(block)
                ),
                None => format!("{name} ({guid}) is not the GUID of an object"),
            };
            return Some(self.by_call(made, what, &[], &format!("{name} is {wanted}"), advice));
        };
        if !admits(role, what) {
            return Some(self.by_call(
                made,
                format!("{name} is {} {guid}, not {wanted}", article(what.name())),
                &[guid],
                &format!("{name} is {wanted}"),
                wrong_kind(made.call, role, what),
            ));
        }
        let record = self.history.get(guid);
        let ended = record.as_ref().and_then(|record| record.end);
        let ended = matches!(ended, Some(Ending::Destroyed(act)) if act.ticket != made.act.ticket);
        if !ended && objects.data_blocks.stays_private(guid) {
            return Some(self.private_block(made, guid, name));
        }
        if is_alive(objects, guid) && (is_known(guid) || !ended) {
            return None;
        }
        let Some(record) = record.filter(|record| record.created.is_some()) else {
            if guid.is_label() {
                // Where the call would wait for the object, something else is wrong with it.
                let waits = made.call.can_wait() && objects.is_awaited(guid);
                return (!waits).then(|| self.without_object(objects, made, guid, name));
            }
            return Some(self.by_call(
                made,
                format!("{name} ({guid}) is not the GUID of an object that exists"),
                &[guid],
                &format!("{name} is {wanted}"),
                "Look at where this variable gets its value: it may be uninitialised, changed, or \
                 from an object that ended very long ago, or with an earlier run (ocrLegacyFinalize).",
            ));
        };
        Some(self.gone(made, guid, name, role, what, &record))
    }

    /// An object was used after its end.
    fn gone(
        &self,
        made: &CallRecord<'_>,
        guid: Guid,
        name: &str,
        role: Role,
        what: What,
        record: &Record,
    ) -> Box<Misuse> {
        let destroyed = |record: &Record| match record.end {
            Some(Ending::Destroyed(act)) => act.ticket != made.act.ticket,
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
            (What::File, ..) => "has been released",
            (_, true, _) => "has triggered",
            _ => "has been destroyed",
        };
        let title = match (satisfying && triggered, destroying && by_call) {
            (true, _) => format!("{} was satisfied after it had triggered", article(kind)),
            (_, true) => format!("{} was destroyed twice", article(kind)),
            _ => format!(
                "{} was {} after it {}",
                article(kind),
                if role == Role::Awaited {
                    "waited for"
                } else {
                    "used"
                },
                ended.replace("has", "had")
            ),
        };
        let (rule, advice) = match (what, triggered) {
            (What::Range | What::LabelMap, _) => (
                "a range or map of labeled GUIDs can be used until ocrGuidMapDestroy",
                "Destroy it in the last EDT that uses it: one that depends on all the others.",
            ),
            (What::Map, _) => (
                "a map can be used until ocrMapDestroy",
                "Destroy it in the last EDT that uses it: one that depends on all the others. Its \
                 objects stay.",
            ),
            (What::File, _) => (
                "a file can be used between ocrFileOpen and ocrFileRelease",
                "Release the file once, after the last ocrFileGetChunk. The chunks live on.",
            ),
            (What::COUNTED, true) => (
                "a counted event is gone when it has been satisfied and has served as many \
                 dependences as it was created for (see B.4)",
                "Count what depends on the event: nbDeps of its parameters is too small, or it is \
                 satisfied, connected or destroyed once too often.",
            ),
            (_, true) if role == Role::Awaited => (
                "who waits for a once or latch event may be too late: the event is gone when it has \
                 triggered",
                "Wait for a sticky event (OCR_EVENT_STICKY_T) that this one satisfies (ocrAddDependence \
                 before it can trigger), and destroy that afterwards. For the end of an EDT, create it \
                 with a sticky event as its output event (EDT_PROP_OEVT_VALID).",
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
            (What::LATCH, true) if satisfying => (
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
            (What::Edt, _) if !by_call && role == Role::Labelled => (
                "an EDT is gone when it has run",
                "Use ocrPreAttachDebugLabel before its creation: it has its label from the start then.",
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
}

pub(super) fn is_guid(role: Role) -> bool {
    use Role::*;
    matches!(
        role,
        Event
            | Awaited
            | Edt
            | Template
            | Block
            | Source
            | Destination
            | Data
            | Hinted
            | Labelled
            | Map
            | Object
    )
}

/// The data block that has its memory where a word points.
fn block_at(objects: &Objects, word: Guid) -> Option<Guid> {
    let mut blocks = objects.data_blocks.live();
    let at = word.bits() as usize;
    let found = blocks.find(|(_, block)| {
        let start = block.host_ptr() as usize;
        start != 0 && (start..start + block.size() as usize).contains(&at)
    });
    found.map(|(guid, _)| guid)
}

/// What an argument wants, with its article.
fn wanted(role: Role) -> &'static str {
    match role {
        Role::Event | Role::Awaited => "an event",
        Role::Edt => "an EDT",
        Role::Template => "an EDT template",
        Role::Block => "a data block",
        Role::Source => "a data block, an event or NULL_GUID",
        Role::Destination => "an EDT or an event",
        Role::Data => "a data block or NULL_GUID",
        Role::Hinted => "an EDT, a template, an event or a data block",
        Role::Labelled => "an EDT, a template, an event, a data block or a map",
        Role::Map => "a map of ocrMapCreate",
        _ => "an object",
    }
}

fn admits(role: Role, what: What) -> bool {
    match role {
        Role::Event | Role::Awaited => what.is_event(),
        Role::Edt => what == What::Edt,
        Role::Template => what == What::Template,
        Role::Block | Role::Data => what == What::Block,
        Role::Source => what == What::Block || what.is_event(),
        Role::Destination => what == What::Edt || what.is_event(),
        Role::Hinted => !matches!(what, What::Range | What::LabelMap | What::Map | What::File),
        Role::Labelled => !matches!(what, What::Range | What::LabelMap | What::File),
        Role::Map => what == What::Map,
        _ => true,
    }
}

pub(super) fn article(name: &str) -> String {
    let an = name.starts_with(['e', 'E', 'i']) || name.starts_with("output");
    format!("{} {name}", if an { "an" } else { "a" })
}

/// An object that nothing is noted of, and what to do about it.
fn out_of_place(call: &CallSpec, role: Role, kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Range => (
            "a range or map of labeled GUIDs",
            wrong_kind(call, role, What::Range),
        ),
        Kind::Affinity => (
            "a place (an affinity)",
            "Places stand in hints alone, as values of ocrAffinityToHintValue.",
        ),
        Kind::Local => (
            "what a creator was given",
            "Pass the GUID of the object: the create function, which is given &objectLid, stores it \
             there.",
        ),
        _ => (
            "a file, or a map with a creator",
            wrong_kind(call, role, What::File),
        ),
    }
}

/// What to do about an object of the wrong kind.
fn wrong_kind(call: &CallSpec, role: Role, what: What) -> &'static str {
    match (role, what) {
        (Role::Event, _) if call.name.ends_with("Create") => {
            "With EDT_PROP_OEVT_VALID the variable holds an event that exists, when the EDT is created, and \
             the EDT satisfies that. Without it a new event is stored there: leave the property out."
        }
        (Role::Event, What::Block) if call.name == "ocrEventDestroy" => {
            "A data block is destroyed by ocrDbDestroy."
        }
        (Role::Map, What::LabelMap) => {
            "Maps of labeled GUIDs (ocrGuidMapCreate) are asked with ocrGuidFromLabel, and destroyed \
             by ocrGuidMapDestroy."
        }
        (Role::Map, _) => {
            "Pass the GUID that ocrMapCreate has stored. Are the arguments in the right order?"
        }
        (_, What::Range | What::LabelMap) => {
            "Pass one of its GUIDs, which ocrGuidFromIndex or ocrGuidFromLabel stores; the range or \
             map itself is destroyed by ocrGuidMapDestroy."
        }
        (_, What::Map | What::File) => {
            "Pass the GUID of one of its objects, from ocrFileGetChunk or ocrMapGet; a file is given \
             back by ocrFileRelease, a map destroyed by ocrMapDestroy."
        }
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
             ocrEventSatisfy(event, data)."
        }
        (Role::Destination, _) => {
            "A template has no pre-slots, EDTs have: use the GUID that ocrEdtCreate stores."
        }
        (Role::Awaited, What::Edt) => {
            "An EDT is waited for by its output event: pass the address of a GUID as outputEvent, the last \
             argument of ocrEdtCreate. With EDT_PROP_OEVT_VALID it may be a sticky event, which is still \
             there if the EDT has ended before."
        }
        (Role::Event, What::Edt) => {
            "ocrAddDependence(data, edt, slot, mode) satisfies a pre-slot of an EDT; ocrEdtDestroy \
             destroys one."
        }
        (Role::Event, What::Block) => {
            "Are the arguments the wrong way round? The order is ocrEventSatisfy(event, data)."
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
