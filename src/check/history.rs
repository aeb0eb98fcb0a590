//! What the objects of a run have been through: which calls made one, satisfied it, connected it,
//! ended it.
//!
//! A GUID is never given twice, so it is the key (a labeled GUID may get another object when the
//! first is gone; then the latest counts). Of objects that are gone, the last [`ENDED_KEPT`] are
//! remembered. Some go without a call, such as a once event that triggers: these are found when a
//! shard has doubled.

use super::{is_alive, kind_of};
use crate::abi::Api;
use crate::object::Objects;
use crate::object::code::Code;
use crate::object::edt::Edt;
use crate::object::event::EventKind;
use crate::object::guid::{Guid, Kind};
use crate::object::name::EdtName;
use ocr_base::lock::{Mutex, rank};
use ocr_base::text::threads::other_thread_name;
use std::collections::{HashMap, VecDeque};
use std::fmt;

/// How many objects that are gone are remembered.
pub(crate) const ENDED_KEPT: usize = 1 << 18;
const SHARDS: usize = 64;

/// How many of an event's sources are remembered.
const SOURCES_KEPT: usize = 16;

/// The EDT that calls, or the thread outside of EDTs.
#[derive(Clone, Copy)]
pub struct Who {
    /// The EDT that runs, or `NULL_GUID` outside of EDTs.
    pub edt: Guid,
    /// What the calling EDT runs.
    pub work: Option<&'static Code>,
    /// The system's number of a thread that runs no EDT; 0: not known.
    pub thread: i32,
    /// Where another node has the caller.
    pub elsewhere: Option<OtherCaller>,
}

/// A caller that another node has.
#[derive(Clone, Copy)]
pub struct OtherCaller {
    pub node: u32,
    /// The name of the EDT's function, or "" outside of EDTs.
    pub name: &'static str,
}

impl Who {
    /// A thread that runs no EDT.
    pub const NOBODY: Who = Who { edt: Guid::NULL, work: None, thread: 0, elsewhere: None };

    /// The thread of this number, which runs no EDT.
    pub fn outside(thread: i32) -> Who {
        Who { thread, ..Who::NOBODY }
    }

    /// The caller where this EDT runs.
    pub fn of(edt: &Edt) -> Who {
        Who { edt: edt.guid(), work: Some(edt.work()), ..Who::NOBODY }
    }

    /// The function's name; for grouping.
    pub fn name(&self) -> &'static str {
        let elsewhere = self.elsewhere.map_or("", |caller| caller.name);
        self.work.map_or(elsewhere, |work| work.name.best())
    }
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(OtherCaller { node, name }) = self.elsewhere {
            return if self.edt.is_null() {
                write!(f, "a thread outside of EDTs on node {node}")
            } else {
                write!(f, "EDT {} ({name}) of node {node}", self.edt)
            };
        }
        match self.work {
            Some(work) => EdtName::new(self.edt, work).fmt(f),
            None if self.thread == 0 => f.write_str("a thread outside of EDTs"),
            None => write!(f, "a thread outside of EDTs ({})", other_thread_name(self.thread)),
        }
    }
}

/// What did something to an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActCause {
    /// The runtime, when the program started.
    Start,
    /// The end of an EDT, which satisfies its output event.
    End,
    /// The last contribution to a collective event.
    Contribution,
    /// A function of the interface, which the program has called.
    Call(Api),
}

impl From<Api> for ActCause {
    fn from(api: Api) -> ActCause {
        ActCause::Call(api)
    }
}

impl fmt::Display for ActCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ActCause::Start => "the start of the program",
            ActCause::End => "its end",
            ActCause::Contribution => "ocrEventCollectiveSatisfySlot, as the result of a collective event,",
            ActCause::Call(api) => api.shown(),
        })
    }
}

/// A call, or what else has an effect, and the EDT or thread that it was made by.
#[derive(Clone, Copy)]
pub struct Act {
    /// The function that was called, or another cause.
    pub call: ActCause,
    /// The EDT, or the thread outside of EDTs, that made the call.
    pub who: Who,
    /// A number that no other call has.
    pub ticket: u64,
}

/// The kind of an object, as far as strict mode tells them apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum What {
    /// A data block, or a part of one.
    Block,
    /// A template, from which EDTs are created.
    Template,
    /// An event of this type (`ocrEventTypes_t`); 0: of one that is not known.
    Event(u32),
    /// The output event of this EDT: a once event.
    Output(Guid),
    Edt,
    /// A range of labeled GUIDs (`ocrGuidRangeCreate`).
    Range,
    LabelMap,
    /// A map whose objects a creator makes.
    Map,
    File,
}

impl What {
    /// A once event (`OCR_EVENT_ONCE_T`).
    pub const ONCE: What = What::Event(EventKind::Once as u32);
    /// A sticky event (`OCR_EVENT_STICKY_T`).
    pub const STICKY: What = What::Event(EventKind::Sticky as u32);
    /// A latch event (`OCR_EVENT_LATCH_T`).
    pub const LATCH: What = What::Event(EventKind::Latch as u32);
    /// A counted event (`OCR_EVENT_COUNTED_T`).
    pub const COUNTED: What = What::Event(EventKind::Counted as u32);
    /// A channel event (`OCR_EVENT_CHANNEL_T`).
    pub const CHANNEL: What = What::Event(EventKind::Channel as u32);
    /// A collective event (`OCR_EVENT_COLLECTIVE_T`).
    pub const COLLECTIVE: What = What::Event(EventKind::Collective as u32);

    /// What it is by its GUID alone.
    pub fn by_bits(guid: Guid) -> Option<What> {
        Some(match kind_of(guid)? {
            Kind::DataBlock => What::Block,
            Kind::Template => What::Template,
            Kind::Event => What::Event(0),
            kind if kind.is_edt() => What::Edt,
            _ => return None,
        })
    }

    /// Whether it is an event.
    pub fn is_event(self) -> bool {
        matches!(self, What::Event(_) | What::Output(_))
    }

    /// Whether it is an event that goes without a call.
    pub fn is_passing(self) -> bool {
        matches!(self, What::ONCE | What::LATCH | What::COUNTED | What::Output(_))
    }

    /// The words by which messages name an object of this kind.
    pub fn name(self) -> &'static str {
        match self {
            What::Block => "data block",
            What::Template => "template",
            What::Event(kind) => EventKind::from_bits(kind).map_or("event", EventKind::name),
            What::Output(_) => "output event",
            What::Edt => "EDT",
            What::Range => "label range",
            What::LabelMap => "label map",
            What::Map => "map",
            What::File => "file",
        }
    }
}

/// How an object came to its end, and by which call.
#[derive(Clone, Copy)]
pub enum Ending {
    /// A call of the program destroyed it.
    Destroyed(Act),
    /// An EDT, by having run.
    Ran,
    /// The object was found to be gone: an event that has triggered.
    Gone,
}

/// What is known of an object.
#[derive(Clone, Default)]
pub struct ObjectRecord {
    /// What it is; none if only its end was seen.
    pub what: Option<What>,
    /// What it does: an EDT, a template; the EDT of an output event.
    pub work: Option<&'static Code>,
    /// The program's name for it.
    pub label: Option<Box<str>>,
    /// How many bytes a data block has, if that was said where it was created.
    pub size: Option<u64>,
    /// Whether an event was created without `EVT_PROP_TAKES_ARG`.
    pub takes_nothing: bool,
    /// For which objects a range or map of labels is (`ocrGuidUserKind`).
    pub labels_for: Option<u32>,
    /// The call that created the object.
    pub created: Option<Act>,
    /// How the object ended, if it has.
    pub end: Option<Ending>,
    /// Whether an event was destroyed before it had triggered.
    pub untriggered: bool,
    /// The first call that satisfied it, and the last two.
    pub satisfied: [Option<Act>; 3],
    /// What satisfied the event that was on the same label before.
    pub before: Option<Act>,
    /// The kernel that an EDT runs as, and on which device.
    pub kernel: Option<Box<str>>,
    /// Whether it was entered before the end of the call that creates it.
    pub entered: bool,
    /// What an EDT's pre-slots were connected to; the last events that an event was made to depend on.
    pub sources: Vec<(u32, Guid, Act)>,
}

#[derive(Default)]
struct HistoryShard {
    records: HashMap<Guid, ObjectRecord>,
    ended: VecDeque<Guid>,
    /// How many records there may be before those that are gone are looked for.
    look_at: usize,
}

impl HistoryShard {
    fn ended(&mut self, guid: Guid) {
        self.ended.push_back(guid);
        if self.ended.len() > ENDED_KEPT / SHARDS
            && let Some(oldest) = self.ended.pop_front()
        {
            self.records.remove(&oldest);
        }
    }

    fn look(&mut self, objects: &Objects) {
        if self.records.len() < self.look_at.max(1024) {
            return;
        }
        let gone = self
            .records
            .iter_mut()
            .filter(|(guid, record)| record.end.is_none() && record.created.is_some() && !is_alive(objects, **guid));
        let gone: Vec<Guid> = gone
            .map(|(guid, record)| {
                record.end = Some(Ending::Gone);
                *guid
            })
            .collect();
        gone.into_iter().for_each(|guid| self.ended(guid));
        self.look_at = 2 * self.records.len();
    }
}

/// The history of a run.
pub struct History {
    shards: [Mutex<rank::History, HistoryShard>; SHARDS],
}

impl Default for History {
    fn default() -> History {
        History { shards: std::array::from_fn(|_| Mutex::default()) }
    }
}

impl History {
    fn shard(&self, guid: Guid) -> &Mutex<rank::History, HistoryShard> {
        // Any spreading does: the index and the generation, both of which count up.
        let bits = guid.bits().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        &self.shards[(bits >> 58) as usize % SHARDS]
    }

    /// An object was created. What is known of it already stays: it may have ended meanwhile.
    pub fn created(&self, objects: &Objects, guid: Guid, what: What, work: Option<&'static Code>, act: Act) {
        let mut shard = self.shard(guid).lock();
        shard.look(objects);
        let record = shard.records.entry(guid).or_default();
        if std::mem::take(&mut record.entered) {
            return;
        }
        if record.created.is_some() {
            // A labeled GUID has got another object.
            *record = ObjectRecord { before: record.satisfied[0], ..ObjectRecord::default() };
        }
        record.what = Some(what);
        record.work = work;
        record.created = Some(act);
    }

    /// A call, `call`, has created an EDT, and connected it, by way of `ocrEdtCreate`.
    pub fn created_through(&self, edt: Guid, call: Api) {
        if let Some(record) = self.shard(edt).lock().records.get_mut(&edt) {
            let sources = record.sources.iter_mut().map(|(_, _, act)| act);
            for act in record.created.iter_mut().chain(sources) {
                act.call = call.into();
            }
        }
    }

    /// A data block was created with this size.
    pub fn sized(&self, block: Guid, size: u64) {
        if let Some(record) = self.shard(block).lock().records.get_mut(&block) {
            record.size = Some(size);
        }
    }

    /// An event was created without `EVT_PROP_TAKES_ARG`.
    pub fn takes_nothing(&self, event: Guid) {
        if let Some(record) = self.shard(event).lock().records.get_mut(&event) {
            record.takes_nothing = true;
        }
    }

    /// A range or map of labels was created for objects of this kind (`ocrGuidUserKind`).
    pub fn labels_for(&self, range: Guid, kind: u32) {
        if let Some(record) = self.shard(range).lock().records.get_mut(&range) {
            record.labels_for = Some(kind);
        }
    }

    /// An EDT runs as this kernel; or as its function.
    pub fn runs_as(&self, edt: Guid, kernel: Option<String>) {
        if let Some(record) = self.shard(edt).lock().records.get_mut(&edt) {
            record.kernel = kernel.map(String::into);
        }
    }

    /// An object was created, whose creation does what waits for it before it returns.
    pub fn opens(&self, objects: &Objects, label: Guid, what: What, act: Act) {
        self.created(objects, label, what, None, act);
        if let Some(record) = self.shard(label).lock().records.get_mut(&label) {
            record.entered = true;
        }
    }

    /// An object is about to end. The first end counts.
    pub fn ends(&self, guid: Guid, end: Ending) {
        let mut shard = self.shard(guid).lock();
        let Some(record) = shard.records.get_mut(&guid) else {
            return;
        };
        if record.end.is_none() {
            record.end = Some(end);
            record.sources = Vec::new();
            shard.ended(guid);
        }
    }

    /// An event that has not triggered is about to be destroyed.
    pub fn ends_untriggered(&self, guid: Guid) {
        if let Some(record) = self.shard(guid).lock().records.get_mut(&guid) {
            record.untriggered = true;
        }
    }

    /// The ranges, maps and files that have not ended, in order.
    pub fn ranges_and_files(&self) -> Vec<Guid> {
        use What::{File, LabelMap, Map, Range};
        let mut left = Vec::new();
        for shard in &self.shards {
            let shard = shard.lock();
            let of_these = |record: &ObjectRecord| {
                record.end.is_none() && matches!(record.what, Some(Range | LabelMap | Map | File))
            };
            let found = shard.records.iter().filter(|(_, record)| of_these(record));
            left.extend(found.map(|(&guid, _)| guid));
        }
        left.sort_unstable_by_key(|guid| guid.bits());
        left
    }

    /// An event is about to be satisfied.
    pub fn satisfied(&self, guid: Guid, act: Act) {
        if let Some(record) = self.shard(guid).lock().records.get_mut(&guid)
            && record.what.is_some_and(What::is_event)
        {
            match &mut record.satisfied {
                [first @ None, ..] => *first = Some(act),
                [_, before, last] => *before = last.replace(act),
            }
        }
    }

    /// What a new EDT is connected to by its `depv`.
    pub fn connected(&self, edt: Guid, depv: &[Guid], act: Act) {
        let slots = depv.iter().enumerate();
        let slots = slots.filter(|(_, source)| **source != Guid::UNINITIALIZED);
        let sources: Vec<_> = slots.map(|(slot, &source)| (slot as u32, source, act)).collect();
        if !sources.is_empty()
            && let Some(record) = self.shard(edt).lock().records.get_mut(&edt)
        {
            record.sources = sources;
        }
    }

    /// A dependence is about to be added; `late` if its call has been seen before, when the destination
    /// may not have been there.
    pub fn links(&self, source: Guid, destination: Guid, slot: u32, act: Act, late: bool) {
        let mut shard = self.shard(destination).lock();
        let Some(record) = shard.records.get_mut(&destination) else {
            return;
        };
        let mut seen = record.sources.iter().map(|&(at, from, _)| (at, from));
        if record.end.is_some() || late && seen.any(|known| known == (slot, source)) {
            return;
        }
        if record.what.is_some_and(What::is_event) {
            // Blocks satisfy an event, and a latch event may have any number of sources.
            if !source.is_event() {
                return;
            }
            if record.sources.len() == SOURCES_KEPT {
                record.sources.remove(0);
            }
        }
        record.sources.push((slot, source, act));
    }

    /// A dependence of the destination was refused.
    pub fn not_linked(&self, destination: Guid, act: Act) {
        if let Some(record) = self.shard(destination).lock().records.get_mut(&destination) {
            record.sources.retain(|(_, _, other)| other.ticket != act.ticket);
        }
    }

    /// The dependence on a source, at a slot, that a call by `who` had made late was refused.
    pub fn not_linked_by(&self, destination: Guid, link: (u32, Guid), who: Who) {
        if let Some(record) = self.shard(destination).lock().records.get_mut(&destination) {
            let mut sources = record.sources.iter();
            let last = sources.rposition(|&(slot, source, act)| (slot, source) == link && act.who.edt == who.edt);
            last.map(|at| record.sources.remove(at));
        }
    }

    /// The program has named an object.
    pub fn label(&self, guid: Guid, label: String) {
        if let Some(record) = self.shard(guid).lock().records.get_mut(&guid) {
            record.label = Some(label.into());
        }
    }

    /// What is known of an object.
    pub fn get(&self, guid: Guid) -> Option<ObjectRecord> {
        self.shard(guid).lock().records.get(&guid).cloned()
    }

    /// Whether the program created an object with this GUID.
    pub fn knows(&self, guid: Guid) -> bool {
        let shard = self.shard(guid).lock();
        let known = shard.records.get(&guid);
        known.is_some_and(|record| record.created.is_some())
    }

    /// The kind of an object, if the history has it.
    pub fn what(&self, guid: Guid) -> Option<What> {
        let shard = self.shard(guid).lock();
        let known = shard.records.get(&guid).and_then(|record| record.what);
        known.or_else(|| What::by_bits(guid))
    }

    /// What this pre-slot of an EDT was connected to, and how.
    pub fn source(&self, edt: Guid, slot: u32) -> Option<(Guid, Act)> {
        let shard = self.shard(edt).lock();
        let mut sources = shard.records.get(&edt)?.sources.iter();
        let source = sources.rfind(|(at, ..)| *at == slot);
        source.map(|&(_, source, act)| (source, act))
    }

    /// The last call that satisfied an event.
    pub fn satisfaction(&self, event: Guid) -> Option<Act> {
        let shard = self.shard(event).lock();
        let [first, _, last] = shard.records.get(&event)?.satisfied;
        last.or(first)
    }
}
