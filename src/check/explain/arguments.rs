//! What is wrong with an argument: that it is none, or the GUID of nothing, of an object of another kind, or
//! of one that is gone.

use crate::abi::Api;
use crate::check::calls::{CallSpec, Role};
use crate::check::history::{Ending, ObjectRecord, What};
use crate::check::rules::{self, advice};
use crate::check::{ARGUMENT_QUARANTINE_BYTE, CallRecord, Check, Misuse, REDZONE_BYTE, is_alive, is_known, kind_of};
use crate::object::Objects;
use crate::object::data_block::UNWRITTEN;
use crate::object::guid::{Guid, Kind};

impl Check {
    pub(super) fn wrong_argument(
        &self,
        objects: &Objects,
        call: &CallRecord<'_>,
        at: usize,
        role: Role,
    ) -> Option<Box<Misuse>> {
        let (name, _) = call.spec.args[at];
        if role.is_guid() {
            return self.wrong_guid(objects, call, call.guid(at), name, role);
        }
        let is_null = role.must_not_be_null() && call.number(at) == 0;
        is_null.then(|| {
            let advice = for_null(call.spec.api, role);
            self.by_call(call, &[], rules::NullPointer { name, advice })
        })
    }

    /// NULL_GUID was given for `role`.
    pub(super) fn is_null_guid(&self, call: &CallRecord<'_>, name: &str, role: Role) -> Box<Misuse> {
        let wanted = wanted(role);
        self.by_call(call, &[], rules::NullGuid { name, wanted })
    }

    /// What is wrong with a GUID that was given for `role`.
    pub(super) fn wrong_guid(
        &self,
        objects: &Objects,
        call: &CallRecord<'_>,
        guid: Guid,
        name: &str,
        role: Role,
    ) -> Option<Box<Misuse>> {
        if guid.is_null() {
            let allowed = matches!(role, Role::Block | Role::Data | Role::Source | Role::Object);
            return (!allowed).then(|| self.is_null_guid(call, name, role));
        }
        let Some(what) = self.named(objects, guid) else {
            return match kind_of(guid).filter(|_| self.can_have_been(objects, guid)) {
                // Where any object will do, it is the function's own business.
                Some(kind) => (role != Role::Object).then(|| self.out_of_place(call, guid, name, role, kind)),
                None => Some(self.no_guid(objects, call, guid, name, role)),
            };
        };
        let wanted = wanted(role);
        if !admits(role, what) {
            let advice = wrong_kind(call.spec, role, what);
            let what = article(what.name());
            let broken = rules::WrongKind { name, what, guid, wanted, advice };
            return Some(self.by_call(call, &[guid], broken));
        }
        if objects.owner_elsewhere(guid).is_some() {
            // What has become of it, its node knows.
            return None;
        }
        let record = self.history.get(guid);
        let ended = record.as_ref().and_then(|record| record.end);
        let ended = matches!(ended, Some(Ending::Destroyed(act)) if act.ticket != call.act.ticket);
        if !ended && objects.data_blocks.stays_private(guid) {
            return Some(self.private_block(call, guid, name));
        }
        if is_alive(objects, guid) && (is_known(guid) || !ended) {
            return None;
        }
        let Some(record) = record.filter(|record| record.created.is_some()) else {
            if guid.is_label() {
                // Where the call would wait for the object, something else is wrong with it.
                let waits = call.spec.can_wait() && objects.is_awaited(guid);
                return (!waits).then(|| self.without_object(objects, call, guid, name));
            }
            let broken = rules::NoSuchObject { name, guid, wanted };
            return Some(self.by_call(call, &[guid], broken));
        };
        Some(self.gone(call, guid, name, role, what, &record))
    }

    /// An object that nothing is noted of.
    fn out_of_place(&self, call: &CallRecord<'_>, guid: Guid, name: &str, role: Role, kind: Kind) -> Box<Misuse> {
        let (spec, wanted) = (call.spec, wanted(role));
        if kind == Kind::Registered && admits(role, What::Map) {
            let advice = wrong_kind(spec, role, What::File);
            let broken = rules::NoSuchMap { name, guid, wanted, advice };
            return self.by_call(call, &[], broken);
        }
        let (what, advice) = match kind {
            Kind::Range => ("a range or map of labeled GUIDs", wrong_kind(spec, role, What::Range)),
            Kind::Affinity => ("a place (an affinity)", advice::KIND_PLACE),
            Kind::Local => ("what a creator was given", advice::KIND_CREATED_BY_MAP),
            _ => ("a file, or a map with a creator", wrong_kind(spec, role, What::File)),
        };
        let broken = rules::OutOfPlace { name, what, guid, wanted, advice };
        self.by_call(call, &[], broken)
    }

    /// A value that no object can ever have had as its GUID.
    fn no_guid(&self, objects: &Objects, call: &CallRecord<'_>, guid: Guid, name: &str, role: Role) -> Box<Misuse> {
        let wanted = wanted(role);
        let is_filled_with = |byte: u8| guid.bits() == u64::from_ne_bytes([byte; 8]);
        let advice = match guid {
            Guid::UNINITIALIZED => advice::VALUE_UNINITIALIZED,
            Guid::ERROR => advice::VALUE_ERROR,
            _ if is_filled_with(UNWRITTEN) => advice::VALUE_UNWRITTEN,
            _ if is_filled_with(REDZONE_BYTE) => advice::VALUE_BEYOND,
            _ if is_filled_with(ARGUMENT_QUARANTINE_BYTE) => advice::VALUE_OF_ENDED_EDT,
            _ => advice::VALUE_OTHER,
        };
        match block_at(objects, guid) {
            Some(block) => {
                let block = self.history.name(block);
                let broken = rules::AddressOfBlock { name, guid, block, wanted };
                self.by_call(call, &[], broken)
            }
            None => {
                let broken = rules::NoGuid { name, guid, wanted, advice };
                self.by_call(call, &[], broken)
            }
        }
    }

    /// An object was used after its end.
    fn gone(
        &self,
        call: &CallRecord<'_>,
        guid: Guid,
        name: &str,
        role: Role,
        what: What,
        record: &ObjectRecord,
    ) -> Box<Misuse> {
        let destroyed = |record: &ObjectRecord| match record.end {
            Some(Ending::Destroyed(act)) => act.ticket != call.act.ticket,
            _ => false,
        };
        let by_call = destroyed(record);
        if let What::Output(edt) = what
            && !by_call
            && self.history.get(edt).as_ref().is_some_and(destroyed)
        {
            return self.by_call(call, &[guid, edt], rules::OutputOfDestroyed { name });
        }
        let triggered = what.is_passing() && !by_call;
        let destroying = call.spec.destroys();
        let satisfying = role == Role::Event && !destroying || role == Role::Destination;
        let ended = match what {
            What::Edt if !by_call => "had run",
            What::File => "had been released",
            _ if triggered => "had triggered",
            _ => "had been destroyed",
        };
        let used = match role {
            _ if satisfying && triggered => "satisfied after it had triggered".to_string(),
            _ if destroying && by_call => "destroyed twice".to_string(),
            Role::Awaited => format!("waited for after it {ended}"),
            _ => format!("used after it {ended}"),
        };
        let object = article(what.name());
        macro_rules! broken {
            ($rule:ident { $object:ident }) => {
                self.by_call(call, &[guid], rules::$rule { $object: object, used, name })
            };
        }
        match what {
            What::Range | What::LabelMap => broken!(RangeDestroyed { range }),
            What::Map => broken!(MapDestroyed { map }),
            What::File => broken!(FileReleased { file }),
            What::COUNTED if triggered => broken!(CountedGone { event }),
            _ if triggered && role == Role::Awaited => broken!(AwaitedGone { event }),
            What::Output(_) if triggered && role == Role::Source => {
                broken!(OutputTooLate { event })
            }
            _ if triggered && role == Role::Source => broken!(ConnectedTooLate { event }),
            What::Output(_) if triggered && satisfying => broken!(OutputGone { event }),
            What::LATCH if triggered && satisfying => broken!(LatchGone { event }),
            _ if triggered && satisfying => broken!(OnceGone { event }),
            _ if triggered && destroying => broken!(DestroyedTriggered { event }),
            What::Edt if !by_call && role == Role::Labelled => broken!(LabelledEdtRan { edt }),
            What::Edt if !by_call => broken!(EdtRan { edt }),
            What::Edt => broken!(EdtDestroyed { edt }),
            What::Block => broken!(BlockDestroyed { block }),
            What::Template => broken!(TemplateDestroyed { template }),
            What::Event(_) | What::Output(_) => broken!(EventDestroyed { event }),
        }
    }
}

/// What to do about a pointer that is NULL.
fn for_null(api: Api, role: Role) -> &'static str {
    match role {
        Role::Text => advice::NO_TEXT,
        Role::Function => match api {
            Api::ocrMapCreate => advice::NO_CREATOR,
            Api::ocrEdtTemplateAddKernel => advice::NO_RANGE_FUNCTION,
            Api::ocrGuidMapCreate => advice::NO_MAP_FUNCTION,
            _ => advice::NO_FUNCTION,
        },
        _ => advice::NO_PLACE,
    }
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

/// What to do about an object of the wrong kind.
fn wrong_kind(spec: &CallSpec, role: Role, what: What) -> &'static str {
    match (role, what) {
        (Role::Event, _) if spec.creates.is_some() => advice::KIND_OUTPUT_GIVEN,
        (Role::Event, What::Block) if spec.destroys() => advice::KIND_BLOCK_DESTROYED_AS_EVENT,
        (Role::Map, What::LabelMap) => advice::KIND_LABEL_MAP_FOR_MAP,
        (Role::Map, _) => advice::KIND_OTHER_FOR_MAP,
        (_, What::Range | What::LabelMap) => advice::KIND_RANGE,
        (_, What::Map | What::File) => advice::KIND_MAP_OR_FILE,
        (Role::Source, What::Edt) => advice::KIND_EDT_FOR_SOURCE,
        (Role::Source, _) => advice::KIND_OTHER_FOR_SOURCE,
        (Role::Destination, What::Block) => advice::KIND_BLOCK_FOR_DESTINATION,
        (Role::Destination, _) => advice::KIND_OTHER_FOR_DESTINATION,
        (Role::Awaited, What::Edt) => advice::KIND_EDT_AWAITED,
        (Role::Event, What::Edt) => advice::KIND_EDT_FOR_EVENT,
        (Role::Event, What::Block) => advice::KIND_BLOCK_FOR_EVENT,
        (Role::Data, What::Event(_) | What::Output(_)) => advice::KIND_EVENT_FOR_DATA,
        (Role::Data, _) => advice::KIND_OTHER_FOR_DATA,
        (Role::Block, What::Event(_) | What::Output(_)) => advice::KIND_EVENT_FOR_BLOCK,
        (Role::Template, What::Edt) => advice::KIND_EDT_FOR_TEMPLATE,
        _ => advice::KIND_OTHER,
    }
}
