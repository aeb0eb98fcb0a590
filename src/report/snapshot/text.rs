//! The snapshot in words: the message about a hang, and its parts.

use super::events::{channels_with_surplus, kind_and_lack};
use super::{
    DeferredCallView, Maker, Name, OpenScope, SHOWN, Snapshot, ThreadView, WaitingEdt, WaitingElsewhere, is_between,
};
use crate::check::history::What;
use crate::object::edt::Mode;
use crate::object::event::EventKind;
use crate::object::guid::{Guid, Kind};
use crate::object::name::EdtName;
use crate::report::tally::Label;
use ocr_base::text::threads::{other_thread_name, system_name, thread_name};
use std::collections::BTreeMap;
use std::fmt;

/// How many items of a list are described at most: pre-slots of an EDT, EDTs of a scope, sources of an event.
const FEW: usize = 4;

/// How many events of a chain are described at most.
const DEPTH: usize = 3;

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        EdtName::new(self.guid, self.work).fmt(f)
    }
}

/// A list in words: the first [`FEW`] items, and how many more there are.
pub(super) fn list<T>(all: &[T], each: impl Fn(&T) -> String) -> String {
    let mut text: Vec<String> = all.iter().take(FEW).map(each).collect();
    if all.len() > FEW {
        text.push(format!("{} more", all.len() - FEW));
    }
    text.join(", ")
}

impl Snapshot<'_> {
    /// The message for a program that hangs. `others` is what other nodes say of themselves ([`Snapshot::of_node`]).
    pub fn of_hang(&self, others: &[(u32, Option<String>)]) -> String {
        let mut text = String::from(if self.inputs.blocked.is_empty() {
            "the program hangs: no EDT is ready or can go on, no device works, and ocrShutdown was \
             not called."
        } else {
            "the program hangs: every thread of the process waits for another one to wake it, with no \
             limit of time, no device works, and ocrShutdown was not called."
        });
        let here = self.what_is_stuck();
        let strict = self.inputs.history.is_some();
        let waits_here = !self.outside().is_empty() || !self.what_waits().is_empty();
        if !waits_here && others.iter().all(|(_, text)| text.as_ref().is_some_and(String::is_empty)) {
            text += " No EDT waits for anything: the program has ended without ocrShutdown.";
        }
        text += &self.on_this_node(&here);
        for (node, there) in others {
            match there {
                Some(there) => text += there,
                None => text += &format!("\n  node {node} does not say what waits there"),
            }
        }
        if !strict {
            text += &self.what_strict_mode_says();
        }
        if strict && self.objects.data_blocks.live().next().is_some() {
            text += "\n  If the program hangs in strict mode alone, it may use bytes of a data block that were never written: \
                     new ones are filled with bytes 0xa5 there, not with zeros.";
        }
        text
    }

    /// What this node has to say to the message of node 0 that the program hangs. Empty if nothing waits here.
    pub fn of_node(&self) -> String {
        self.on_this_node(&self.what_is_stuck())
    }

    /// Lines about this node, with its number where it works together with others.
    fn on_this_node(&self, lines: &str) -> String {
        match &self.inputs.nodes {
            Some(nodes) if !lines.is_empty() => format!("\n  on node {}:{}", nodes.node, lines.replace('\n', "\n  ")),
            _ => lines.into(),
        }
    }

    /// The lines about what waits for good, and what may be why.
    fn what_is_stuck(&self) -> String {
        let parts = [self.outside(), self.what_waits(), self.circle(), self.surplus_satisfactions(), self.nothing()];
        parts.concat()
    }

    /// The line about calls that were given `NULL_GUID` alone. Empty if there was none.
    fn nothing(&self) -> String {
        let calls = |(count, first): &(u64, String)| {
            let calls = match count {
                1 => "A call with NULL_GUID alone did".into(),
                count => format!("{count} calls with NULL_GUID alone did"),
            };
            let on_nodes = self.inputs.nodes.as_ref().map_or("", |_| {
                " Or it is in a variable of the program, of which each node has its own: a variable that one sets is not \
                 set on the others."
            });
            format!(
                "\n  {calls} nothing before, the first: {first}. Where that was to be another GUID, it was not set yet, or a \
                 copy of it was made before it was.{on_nodes}"
            )
        };
        self.inputs.nothing.as_ref().map_or(String::new(), calls)
    }

    /// The lines about calls that were refused, and about what strict mode would say.
    fn what_strict_mode_says(&self) -> String {
        let refused = self.inputs.refused.as_ref();
        let mut text = refused.map_or(String::new(), |(count, first)| match count {
            1 => format!("\n  A call was refused before: {first}. OCR_CHECK=strict says why."),
            count => format!("\n  {count} calls were refused before, the first: {first}. OCR_CHECK=strict says why."),
        });
        if let Some((count, first)) = &self.inputs.late {
            let which = match count {
                1 => format!("A dependence on an event that was gone was refused: {first}"),
                count => format!("{count} dependences on events that were gone were refused, the first: {first}"),
            };
            text += &format!(
                "\n  {which}. If the event has triggered just before, OCR_GONE_EVENTS=N, with a larger N, has the \
                 runtime know it for longer, and serve the dependence (default: 64 events for each thread)."
            );
        }
        let unexplained = |edt: &WaitingEdt| {
            let mut slots = edt.slots.iter();
            slots.any(|slot| slot.link.is_none() && self.lacks(edt, slot).is_none())
        };
        if self.waiting.iter().any(unexplained) {
            text += "\n  Once, latch, counted and output events are destroyed when they have triggered, and their \
                     GUIDs, labeled or not, are invalid from then on. Run with OCR_CHECK=strict to see which event \
                     was used too late, and what destroyed it.";
        } else if !self.waiting.is_empty() || self.any_thread_waits() {
            text += "\n  OCR_CHECK=strict shows who created what waits, and which event was destroyed.";
        }
        text
    }

    /// The lines about threads that wait outside of the runtime. Empty unless the program hangs since each thread waits
    /// for another.
    fn outside(&self) -> String {
        let inputs = &self.inputs;
        let mut text = String::new();
        let mut others = Vec::new();
        for &id in &inputs.blocked {
            let thread = inputs.threads.iter().find(|thread| thread.id == id);
            let edt = thread.and_then(|thread| self.running.get(&thread.running));
            match (thread, edt) {
                (Some(thread), _) if thread.waits.is_some() => {}
                (_, Some(edt)) => {
                    text += &format!(
                        "\n  {} runs {}, which waits outside of the runtime, in a function of the program or of a \
                         library: for a mutex, a condition variable, a semaphore or the end of a thread",
                        thread_name(id),
                        self.edt(edt)
                    );
                }
                (Some(thread), _) if thread.worker => {}
                (Some(_), _) => others.push(other_thread_name(id)),
                (None, _) => others.extend(name_of_unknown(id)),
            }
        }
        if !text.is_empty() && inputs.ready != 0 {
            let noun = if inputs.ready == 1 { "EDT is" } else { "EDTs are" };
            text += &format!(
                "\n  {} {noun} ready, and the workers that would run what is ready wait so. What an EDT needs of \
                 another one should be a dependence of it; where it has to wait in a call, ocrLegacyBlockProgress \
                 gives its worker to others meanwhile",
                inputs.ready
            );
        }
        if !others.is_empty() {
            text += &format!(
                "\n  threads of the program or of a library wait outside of the runtime: {}",
                list(&others, String::clone)
            );
        }
        text
    }

    /// The line about channel events whose satisfactions no dependence takes, while another channel event lacks some:
    /// the program may have mixed them up.
    fn surplus_satisfactions(&self) -> String {
        let slots = self.waiting.iter().flat_map(|edt| &edt.slots);
        let awaited = slots.filter_map(|slot| self.event_at(slot));
        let waits = self.inputs.threads.iter().filter_map(|thread| thread.waits.as_ref());
        let mut awaited = awaited.chain(waits.map(|wait| wait.event));
        if !awaited.any(|event| self.objects.event_kind(event) == Some(EventKind::Channel)) {
            return String::new();
        }
        let full = channels_with_surplus(self.objects);
        if full.is_empty() {
            return String::new();
        }
        let all = list(&full, |&(event, count)| {
            let noun = if count == 1 { "satisfaction" } else { "satisfactions" };
            let created = self.creation(event).map_or(String::new(), |by| format!(", {by}"));
            format!("{count} {noun} of the channel event {}{created}", self.object(event))
        });
        format!("\n  Nobody takes {all}: was the wrong channel satisfied, or a dependence added to the wrong one?")
    }

    fn any_thread_waits(&self) -> bool {
        self.inputs.threads.iter().any(|thread| thread.waits.is_some())
    }

    /// The lines about threads that wait in calls, EDTs that wait, calls that wait for labels, and finish scopes that
    /// are open.
    pub(super) fn what_waits(&self) -> String {
        let mut text = String::new();
        let waiting = self.inputs.threads.iter().filter(|of| of.waits.is_some());
        let more = waiting.clone().count().saturating_sub(SHOWN);
        for thread in waiting.take(SHOWN) {
            let Some(wait) = &thread.waits else { continue };
            text += &format!("\n  {}", thread.name());
            if let Some(edt) = self.running.get(&thread.running) {
                text += &format!(", in {},", self.edt(edt));
            }
            text += &format!(" waits in {}", wait.call);
            if !wait.event.is_null() {
                text += &format!(" for {}", self.event(wait.event, 0));
            }
            text += &match wait.label {
                None => String::new(),
                Some(Label::Gone(label)) => format!(
                    " on a label, until the {} with {}{} is gone",
                    self.kind_of(label),
                    self.objects.name_of_label(label),
                    (self.creation(label)).map_or(String::new(), |by| format!(", {by},")),
                ),
                Some(Label::Made(label)) => format!(
                    " with LEGACY_PROP_WAIT_FOR_CREATE until there is an event with {}",
                    self.objects.name_of_label(label)
                ),
                Some(Label::Mapped(map, index)) => format!(
                    " until the object of index {index} of the map {map}{}, whose creator another \
                     thread runs, has been created",
                    self.labels.of(map)
                ),
            };
        }
        if more != 0 {
            text += &format!("\n  and {more} more threads wait in calls");
        }
        for edt in self.waiting.iter().take(SHOWN) {
            text += &self.waiting_edt(edt);
        }
        if self.waiting_count > SHOWN.min(self.waiting.len()) {
            let more = self.waiting_count - SHOWN.min(self.waiting.len());
            text += &format!("\n  and {more} more EDTs wait for dependences{}", self.not_shown());
        }
        for edt in self.waiting_elsewhere.iter().take(SHOWN) {
            let WaitingElsewhere { node, destination, slot } = edt;
            let kind = if destination.is_edt() { "EDT" } else { "event" };
            let event = self.event_at(slot).map_or("an event".into(), |event| self.event(event, 0));
            text += &format!("\n  pre-slot {} of the {kind} {destination} of node {node} waits on {event}", slot.at);
        }
        let more = self.waiting_elsewhere.len().saturating_sub(SHOWN);
        if more != 0 {
            text += &format!("\n  and {more} more pre-slots of other nodes' objects wait on events");
        }
        // Calls that an EDT waits for have been named with that EDT.
        let deferred = self.inputs.deferred.iter();
        let deferred = deferred.filter(|call| !call.slot.is_some_and(|(edt, _)| self.is_waiting(edt)));
        for call in deferred.clone().take(SHOWN) {
            text += &format!("\n  {call}");
        }
        let more = deferred.count().saturating_sub(SHOWN);
        if more != 0 {
            text += &format!("\n  and {more} more calls wait until an object is created");
        }
        for wait in self.block_waits.iter().take(SHOWN) {
            text += &self.block_wait(wait);
        }
        if self.block_waits.len() > SHOWN {
            let more = self.block_waits.len() - SHOWN;
            text += &format!("\n  and {more} more EDTs wait for data blocks");
        }
        let wanted = self.inputs.nodes.as_ref().map_or(&[][..], |nodes| &nodes.wanted);
        for &((guid, work, block), owner) in wanted.iter().take(SHOWN) {
            let edt = self.waiter(&Name { guid, work });
            text += &format!("\n  {edt} waits for the data block {} of node {owner}", self.object(block));
        }
        let more = wanted.len().saturating_sub(SHOWN);
        if more != 0 {
            text += &format!("\n  and {more} more EDTs wait for data blocks of other nodes");
        }
        let mut scopes: Vec<&OpenScope> = self.scopes.values().collect();
        // Scopes that EDTs of their own keep open come before those that only inner scopes keep open.
        scopes.sort_by_key(|scope| (scope.edts.is_empty(), scope.edt.guid));
        for scope in scopes.iter().take(SHOWN) {
            text += &self.open_scope(scope);
        }
        if scopes.len() > SHOWN {
            text += &format!("\n  and {} more finish scopes are open", scopes.len() - SHOWN);
        }
        text
    }

    /// How many of the EDTs that wait and are not shown are of which template, the rarest first. Empty if all are
    /// shown.
    fn not_shown(&self) -> String {
        let mut alike: BTreeMap<&str, usize> = BTreeMap::new();
        for edt in self.waiting.iter().skip(SHOWN) {
            *alike.entry(edt.name.work.name.best()).or_default() += 1;
        }
        if alike.is_empty() {
            return String::new();
        }
        let mut alike: Vec<(&str, usize)> = alike.into_iter().collect();
        alike.sort_by_key(|&(_, count)| count);
        let mut text = format!(": {}", list(&alike, |(name, count)| format!("{count} of {name}")));
        if self.inputs.still {
            text += " (OCR_HALT_DOT=FILE writes all into a graph)";
        }
        text
    }

    /// An EDT in words: its name, the index of its GUID in a range, and its label.
    pub(super) fn edt(&self, edt: &Name) -> String {
        let index = self.objects.index_of_label(edt.guid);
        format!("{edt}{index}{}", self.labels.of(edt.guid))
    }

    /// An object in words: its GUID, the index of the GUID in a range, and its label.
    pub(super) fn object(&self, guid: Guid) -> String {
        let index = self.objects.index_of_label(guid);
        format!("{guid}{index}{}", self.labels.of(guid))
    }

    /// The lines about an EDT that waits for dependences.
    fn waiting_edt(&self, edt: &WaitingEdt) -> String {
        let mut text = format!("\n  {} waits on", self.waiter(&edt.name));
        let never = match (self.inputs.still, self.inputs.history) {
            (false, _) => "a dependence that has not been added yet (ocrAddDependence)".to_string(),
            (true, history) => {
                let depv = if edt.name.guid.is_label() {
                    "; depv of ocrEdtCreate is not used for an EDT on a labeled GUID"
                } else {
                    ""
                };
                let refused = match history {
                    Some(_) => "",
                    None => {
                        ", or was refused, for instance because its event or data block did not exist, or whose \
                         event was destroyed"
                    }
                };
                let lack = format!("a dependence that was never added (ocrAddDependence{depv}){refused}");
                match self.inputs.nodes {
                    None => lack,
                    Some(_) => format!("no event of this node: one of a node that names this pre-slot, or {lack}"),
                }
            }
        };
        // A single further pre-slot is shown, since a line that says that there is one more would be as long.
        let shown = match edt.slots.len() {
            few if few <= FEW + 1 => few,
            _ => FEW,
        };
        for slot in edt.slots.iter().take(shown) {
            let why = match (self.event_at(slot), slot.link) {
                (Some(event), _) if is_between(self.objects, event) => {
                    self.lacks(edt, slot).unwrap_or_else(|| self.event(event, 0))
                }
                (Some(event), _) => self.event(event, 0),
                (None, Some(_)) => "an event, which is just being connected or satisfied".into(),
                (None, None) => {
                    match self.inputs.nodes.as_ref().and_then(|of| of.awaited.get(&(edt.name.guid, slot.at))) {
                        Some((event, node)) => format!("the event {} of node {node}", self.object(*event)),
                        None => self.lacks(edt, slot).unwrap_or_else(|| never.clone()),
                    }
                }
            };
            text += &format!("\n    pre-slot {}: {why}", slot.at);
        }
        if edt.slots.len() > shown {
            text += &format!("\n    and {} more pre-slots (OCR_HALT_DOT=FILE writes all)", edt.slots.len() - shown);
        }
        if let Some(params) = &edt.params {
            text += &format!("\n    paramv: {params}");
        }
        text
    }

    /// The kind of the object on a label, in words.
    fn kind_of(&self, label: Guid) -> String {
        match label.kind() {
            Some(Kind::DataBlock) => "data block".into(),
            Some(Kind::Template) => "template".into(),
            Some(kind) if kind.is_event() => match self.objects.event_kind(label) {
                Some(kind) => kind.name().into(),
                None => "event".into(),
            },
            _ => "EDT".into(),
        }
    }

    /// The words that say which call created an object, and in which EDT. None without strict mode, or if it is not
    /// known.
    pub(super) fn creation(&self, guid: Guid) -> Option<String> {
        self.inputs.history?.creation(guid)
    }

    /// An EDT that waits, in words, with the call that created it in strict mode.
    pub(super) fn waiter(&self, edt: &Name) -> String {
        let created = self.creation(edt.guid);
        let created = created.map_or(String::new(), |by| format!(", {by},"));
        self.edt(edt) + &created
    }

    /// An event in words, with what it lacks or depends on. `depth` is how many events of a chain lead to it.
    pub(super) fn event(&self, guid: Guid, depth: usize) -> String {
        self.event_behind(guid, depth, &[])
    }

    /// An event in words, with what it lacks or depends on. `behind` are the events that depend on it, the last of them
    /// directly; by them a circle is noticed.
    fn event_behind(&self, guid: Guid, depth: usize, behind: &[Guid]) -> String {
        if let Some(at) = behind.iter().position(|&other| other == guid) {
            let circle = match behind.len() - at {
                1 => {
                    "itself, so that nothing can satisfy it: an EDT has returned its own output event, or an \
                      event was made to depend on itself"
                }
                _ => "again: they depend on each other, so that nothing can satisfy them",
            };
            return format!("the event {} {circle}", self.object(guid));
        }
        if is_between(self.objects, guid) {
            return "an event that was destroyed".into();
        }
        let history = self.inputs.history;
        let Some((kind, lack)) = kind_and_lack(self.objects, guid) else {
            let destroyed = history.and_then(|history| history.destroyed(guid));
            let destroyed = destroyed.map_or(String::new(), |by| format!(": {by}"));
            return format!("the event {guid}, which does not exist any more{destroyed}");
        };
        let sources = self.sources.get(&guid).map_or(&[][..], |sources| sources);
        let latch = kind == EventKind::Latch;
        let maker = self.makers.get(&guid);
        // Whether the program satisfies this event by a call.
        let by_call = latch || sources.is_empty() && maker.is_none();
        let created = self.creation(guid).filter(|_| by_call);
        let created = created.map_or(String::new(), |by| by + ", ");
        let mut text = format!("the {} {}, {created}", kind.name(), self.object(guid));
        match maker {
            _ if latch => text += &lack,
            Some(Maker::Edt(edt, true)) => {
                let edt = self.edt(edt);
                return text + &format!("the output event of {edt}, which waits as well");
            }
            Some(Maker::Edt(edt, false)) => {
                let edt = self.edt(edt);
                return text + &format!("the output event of {edt}, which has not ended");
            }
            Some(Maker::Scope(at)) => {
                let edt = self.scopes.get(at).map(|scope| self.edt(&scope.edt));
                return text
                    + &format!("the output event of the finish {}, whose scope is open", edt.unwrap_or_default());
            }
            None if sources.is_empty() => {
                let mut deferred = self.inputs.deferred.iter();
                let is_waited_for =
                    |call: &DeferredCallView| call.target == guid && call.slot.is_none() && call.satisfies;
                text += if deferred.any(is_waited_for) {
                    "whose satisfaction waits for a labeled GUID, as said below"
                } else {
                    &lack
                };
                if let Some(before) = history.and_then(|history| history.before(guid)) {
                    text += &format!("; {before}");
                }
            }
            None => {
                if let Some(edt) = self.returned_event(guid) {
                    text += &format!("the output event of {edt}, which has ended and returned another event, ");
                }
            }
        }
        let lost = history.map_or(Vec::new(), |history| history.lost(guid, 0));
        if by_call && !lost.is_empty() {
            text += &format!("; it depends on {}", list(&lost, String::clone));
        }
        if !sources.is_empty() {
            text += if latch { "; it depends on " } else { "which depends on " };
            text += &if depth < DEPTH {
                list(sources, |&source| {
                    let behind = [behind, &[guid]].concat();
                    self.event_behind(self.through(source), depth + 1, &behind)
                })
            } else {
                "others".into()
            };
        }
        text
    }

    /// The EDT that has ended and whose output event this is, in words. None if the event is no output event.
    fn returned_event(&self, event: Guid) -> Option<String> {
        let record = self.inputs.history.and_then(|history| history.get(event));
        let (guid, work) = match record {
            Some(record) => match (record.what?, record.work?) {
                (What::Output(edt), work) => (edt, work),
                _ => return None,
            },
            None => {
                let (edt, ..) = self.objects.edts.lock_output(event)?;
                (event.edt_of_output()?, edt.work())
            }
        };
        Some(self.edt(&Name { guid, work }))
    }

    /// The line about a finish scope that is open.
    fn open_scope(&self, scope: &OpenScope) -> String {
        let mut text = format!("\n  the finish scope of {}", self.edt(&scope.edt));
        if !scope.output.is_null() {
            text += &format!(", and with it its output event {},", scope.output);
        }
        let own = |edt: &&Name| edt.guid != scope.edt.guid;
        let others: Vec<&Name> = scope.edts.iter().filter(own).collect();
        let mut keep = Vec::new();
        if others.len() != scope.edts.len() {
            keep.push("itself".to_string());
        }
        if !others.is_empty() {
            keep.push(list(&others, |edt| self.edt(edt)));
        }
        if !scope.scopes.is_empty() {
            keep.push(list(&scope.scopes, |edt| format!("the finish scope of {}", self.edt(edt))));
        }
        text + &format!(" is kept open by {}", keep.join(", "))
    }
}

impl ThreadView {
    /// The thread as messages name it.
    pub(super) fn name(&self) -> String {
        if self.worker { thread_name(self.id) } else { other_thread_name(self.id) }
    }
}

/// A thread that has never called the runtime, as messages name it. None for the runtime's own threads that wait to
/// become a worker or call OpenCL. A thread has the name of its creator until it is given another name.
fn name_of_unknown(id: i32) -> Option<String> {
    match system_name(id) {
        Some(name) if name.starts_with("ocr-helper-") || name.starts_with("ocr-device-") => None,
        Some(name) if name.starts_with("ocr-worker-") => Some(format!("thread {id} (started by {name})")),
        _ => Some(thread_name(id)),
    }
}

/// The name of a mode in programs, without `DB_MODE_`.
pub(super) fn mode_name(mode: Mode) -> &'static str {
    mode.name().trim_start_matches("DB_MODE_")
}
