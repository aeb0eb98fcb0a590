//! Strict mode (`OCR_CHECK=strict`): what objects have been through, and how a misuse is reported.
//!
//! This room owns the history of objects (`history`; in words, `history_text`), the fingerprints of what blocks contain
//! (`checksum`), the memory of blocks that are gone (`quarantine`) and of arguments (`quarantine_arguments`), and what
//! is beside them (`redzone`); a table of what each call may be given (`calls`); tables of the rules, in words
//! (`rules`), and the cases in which one is broken (`explain`). It looks at objects and changes none, and it never ends
//! a program: it answers with a [`Misuse`] (`misuse.rs`), and the caller sees to the end. What may be right it notes on
//! the standard error.
//!
//! Nothing of it exists where strict mode is off: a run has a [`Check`] or none, and one flag says to
//! C calls whether anything looks at them (`capi/observed.rs`). How a call gets here is in `capi/strict.rs`, what
//! the life of an EDT asks is in `engine/strict.rs`.
//!
//! | kind of fault | how it is seen | file |
//! |---|---|---|
//! | a call is refused | the reason is derived anew from arguments, objects and their history | `explain` |
//! | a block is written by an EDT that may not write it | fingerprints, taken when the only writer gives the block back | `checksum.rs` |
//! | a write just beside a block | guards of 128 bytes on either side; behind them pages that no thread may touch | `redzone.rs` |
//! | a use of a block that is gone | its pages stay closed, or are filled with a pattern | `quarantine.rs` |
//! | a use of `paramv` or `depv` after the EDT | functions get copies, which are filled with a pattern later | `quarantine_arguments.rs` |
//! | a read of a block behind `ocrDbRelease` | its pages are closed while no EDT holds it | `closed.rs` |
//! | a write behind the call that passed the block on | fingerprints at that call and at the release | `checksum.rs`, `overlap.rs` |
//! | a kernel reads what another EDT may still write, or no EDT has written | the holders of the block when the kernel begins | `held.rs` |
//! | an event is satisfied when it has triggered, by another event or an EDT's end | the graph keeps the event (`Worklist::rejected`) | `explain` |
//! | objects are left at the end | they are counted, by what has created them | `leaks.rs` |
//!
//! What is suspicious and may be right is a note, once: a dependence that came in time by chance, a block destroyed
//! after another EDT could run with it, one variable for two GUIDs. A quarter of a million objects that are gone are
//! remembered. The memory of up to 1024 blocks that are left stays closed when a run has ended, since a program with
//! its own `main` goes on.
//!
//! **Costs where it is off:** a load and a branch in each call. What an EDT goes through does not ask: its templates
//! have `needs_slow_path`, its code has no `fast_entry`, its blocks have a mark, and its threads keep no leases.
//!
//! **Races.** A program's threads go on while a call is judged. What a call is going to end or
//! satisfy is noted before it does (under a ticket, so that its own report leaves it out), and what it
//! made, afterwards. So a caller that is refused finds the reason in the history, unless the two
//! calls ran at the same time; then a line of the history may lack, and the misuse is reported all the
//! same. No misuse is derived from the history alone: a call was refused, or a fingerprint differs.

pub(crate) mod calls;
pub(crate) mod checksum;
mod closed;
mod explain;
pub(crate) mod held;
pub(crate) mod history;
mod history_text;
mod leaks;
mod misuse;
mod overlap;
mod quarantine;
mod quarantine_arguments;
mod redzone;
mod rules;

use crate::abi::Api;
use crate::object::Objects;
use crate::object::code::Code;
use crate::object::collective::CollectiveParams;
use crate::object::edt::{Edt, EdtState};
use crate::object::event::EventState;
use crate::object::guid::{Guid, Kind};
use crate::object::range::LabelBounds;
use crate::status::Status;
use calls::{CallSpec, Connection, Creates, OEVT_VALID, Role};
pub(crate) use closed::At;
use history::{Act, ActCause, Ending, History, What, Who};
pub(crate) use misuse::{Misuse, count};
use ocr_base::lock::{Mutex, rank};
pub(crate) use quarantine::BLOCK_QUARANTINE_BYTE;
pub(crate) use quarantine_arguments::ARGUMENT_QUARANTINE_BYTE;
pub(crate) use redzone::REDZONE_BYTE;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// What [`is_on`] answers.
static ON: AtomicBool = AtomicBool::new(false);

/// Whether the run of this process is checked.
#[inline]
pub(crate) fn is_on() -> bool {
    // Relaxed: it changes before a run's threads start and after they have ended.
    !cfg!(ocr_no_strict) && ON.load(Ordering::Relaxed)
}

/// Whether other nodes have objects of the run of this process.
static ON_SEVERAL_NODES: AtomicBool = AtomicBool::new(false);

/// The run of this process goes on with other nodes.
pub(crate) fn set_on_several_nodes() {
    ON_SEVERAL_NODES.store(true, Ordering::Relaxed);
}

fn is_on_several_nodes() -> bool {
    // Relaxed: it changes once, before a run's threads make calls.
    ON_SEVERAL_NODES.load(Ordering::Relaxed)
}

/// Whether calls of the run of this process are looked at: it is checked or recorded, or its EDTs run as attempts.
static OBSERVED: AtomicBool = AtomicBool::new(false);

/// Whether calls of the run of this process are looked at.
#[inline]
pub(crate) fn is_observed() -> bool {
    // Relaxed: it changes before a run's threads start and after they have ended.
    !cfg!(ocr_no_strict) && OBSERVED.load(Ordering::Relaxed)
}

/// The check of a run in strict mode.
#[cfg(not(ocr_no_strict))]
pub(crate) type OfRun = Box<Check>;

/// A build with `--cfg ocr_no_strict` has no strict mode: there is no value of this type, so the compiler leaves out
/// each step that asks for one. `benches/strict.rs` measures by it what strict mode costs where it is off.
#[cfg(ocr_no_strict)]
pub(crate) enum OfRun {}

#[cfg(ocr_no_strict)]
impl std::ops::Deref for OfRun {
    type Target = Check;

    fn deref(&self) -> &Check {
        match *self {}
    }
}

/// Says whether the run that begins is checked, and whether its calls are looked at for another reason, or that there
/// is none any more. A `Check` does not say so itself: it may live on in a thread of the program that has yet to see
/// that its run has ended, and that another one goes on.
pub(crate) fn set_on(on: bool, observed: bool) {
    ON.store(on, Ordering::Relaxed);
    OBSERVED.store(on || observed, Ordering::Relaxed);
}

/// How many blocks that threads outside of EDTs have released are remembered; then it begins anew.
const RELEASED_KEPT: usize = 1 << 16;

/// How many elements of `depv` are listed, where it is not about one of them.
const DEPV_TOLD: usize = 4;

/// What strict mode knows of a run.
pub(crate) struct Check {
    /// What objects have been through.
    pub history: History,
    /// What blocks contained when an EDT was done with them.
    pub contents: checksum::BlockContents,
    quarantine: quarantine::Quarantine,
    argument_quarantine: quarantine_arguments::ArgumentQuarantine,
    /// The blocks that running EDTs have released, by EDT.
    released: Mutex<rank::ReleasedBlocks, HashMap<Guid, Vec<Guid>>>,
    /// The blocks that threads outside of EDTs have released, by the system's number of the thread.
    released_outside: Mutex<rank::ReleasedOutside, HashSet<(i32, Guid)>>,
    /// The labels of ranges and maps that were destroyed.
    former_ranges: Mutex<rank::FormerRanges, Vec<(Guid, LabelBounds)>>,
    /// The EDT that has called `ocrShutdown`.
    shut_down: AtomicU64,
    tickets: AtomicU64,
}

impl Check {
    /// Nothing has happened in the run.
    #[cfg(not(ocr_no_strict))]
    pub(crate) fn begin() -> OfRun {
        Box::new(Check {
            history: History::default(),
            contents: checksum::BlockContents::default(),
            quarantine: quarantine::Quarantine::default(),
            argument_quarantine: quarantine_arguments::ArgumentQuarantine::default(),
            released: Mutex::default(),
            released_outside: Mutex::default(),
            former_ranges: Mutex::default(),
            shut_down: AtomicU64::new(0),
            tickets: AtomicU64::new(1),
        })
    }

    /// Ends the program: this build has no strict mode.
    #[cfg(ocr_no_strict)]
    pub(crate) fn begin() -> OfRun {
        panic!("OCR_CHECK=strict: this library was built without it (--cfg ocr_no_strict)")
    }

    fn act(&self, call: impl Into<ActCause>, who: Who) -> Act {
        let ticket = self.tickets.fetch_add(1, Ordering::Relaxed);
        let call = call.into();
        Act { call, who, ticket }
    }

    /// A call begins: finds the misuses that can be seen before it is made.
    pub(crate) fn before(
        &self,
        objects: &Objects,
        call: &'static CallSpec,
        args: &[u64],
        who: Who,
    ) -> Result<Act, Box<Misuse>> {
        use Api::*;
        let act = self.act(call.api, who);
        let record = CallRecord::plain(call, args, act);
        self.arguments(&record)?;
        if let ocrElsUserGet | ocrElsUserSet = call.api
            && let Some(misuse) = self.wrong_storage(&record)
        {
            return Err(misuse);
        }
        self.begins(objects, &record, false);
        Ok(act)
    }

    /// A call begins that is about an object of another node: finds the misuses that can be seen here.
    pub(crate) fn arguments_before(&self, call: &'static CallSpec, args: &[u64], who: Who) -> Result<(), Box<Misuse>> {
        self.arguments(&CallRecord::plain(call, args, self.act(call.api, who)))
    }

    /// Whether an EDT calls that has ended the program, or an argument has unknown properties.
    fn arguments(&self, record: &CallRecord<'_>) -> Result<(), Box<Misuse>> {
        use Api::*;
        let (call, who) = (record.spec, record.act.who);
        // A variable of the program with hints is nothing of the runtime's.
        let of_variable = matches!(call.api, ocrHintInit | ocrSetHintValue | ocrUnsetHintValue | ocrGetHintValue);
        if !of_variable && !who.edt.is_null() && self.shut_down.load(Ordering::Relaxed) == who.edt.bits() {
            return Err(self.after_shutdown(record));
        }
        for (at, (_, role)) in call.args.iter().enumerate() {
            let unknown = record.unknown_bits(at, *role);
            if unknown != 0 {
                return Err(self.unknown_property(record, at, unknown));
            }
        }
        Ok(())
    }

    /// Notes what a call is about to do, or does late.
    fn begins(&self, objects: &Objects, call: &CallRecord<'_>, late: bool) {
        let act = call.act;
        if let Some(link) = call.link() {
            let satisfies = call.spec.at(Role::Data).is_some();
            if !satisfies || link.destination.is_edt() {
                (self.history).links(link.source, link.destination, link.slot as u32, act, late);
            }
            // After a dependence that is satisfied, the event is, or the EDT may run.
            if satisfies || !self.is_event(link.source) {
                self.history.satisfied(link.destination, act);
            }
            return;
        }
        if let Api::ocrEventDestroy | Api::ocrEdtDestroy | Api::ocrEdtTemplateDestroy | Api::ocrDbDestroy =
            call.spec.api
        {
            let object = call.guid(0);
            let event = objects.events.lock(object);
            if event.is_some_and(|(_, locked)| is_untriggered(locked.word.state())) {
                self.history.ends_untriggered(object);
            }
            self.history.ends(object, Ending::Destroyed(act));
            self.given_output_ends(objects, call);
        }
    }

    /// An EDT takes its output event along, also one that the program has made.
    fn given_output_ends(&self, objects: &Objects, call: &CallRecord<'_>) {
        let waits = |edt: &Edt| {
            let scope = edt.finish_scope().filter(|_| edt.flags.get().is_finish());
            let output = scope.map_or(edt.output(), |scope| scope.output.get());
            (output, edt.header.peek().state() == EdtState::Waiting)
        };
        let edt = objects.edts.lock(call.guid(0));
        if let Some((output, true)) = edt.map(|(edt, _locked)| waits(edt))
            && matches!(self.history.what(output), Some(What::Event(_)))
        {
            self.history.ends_untriggered(output);
            self.history.ends(output, Ending::Destroyed(call.act));
        }
    }

    /// A call is about to be made whose caller has gone on, since it had to wait for an object.
    pub(crate) fn begins_deferred(&self, objects: &Objects, call: Api, args: &[u64], who: Who) {
        self.with_deferred(call, args, who, |call| self.begins(objects, call, true));
    }

    /// A call whose caller has gone on, since it had to wait for an object, was refused.
    pub(crate) fn refused_deferred(&self, objects: &Objects, call: Api, args: &[u64], who: Who) -> Option<Box<Misuse>> {
        self.refused_later(objects, (call, args), who, calls::MISUSES[0]).map(Misuse::of_a_call_that_waited)
    }

    /// The misuse in a call of another node that would be made without a word.
    pub(crate) fn silent_later(&self, objects: &Objects, call: Api, args: &[u64], who: Who) -> Option<Box<Misuse>> {
        let silent = |call: &CallRecord<'_>| {
            let by_hand = self.satisfied_by_hand(objects, call);
            // Of an event that another node has created on a label nothing is noted here.
            let is_label = call.link().is_some_and(|link| link.destination.is_label());
            by_hand.or_else(|| if is_label { None } else { self.takes_no_block(call) })
        };
        self.with_deferred(call, args, who, silent)?
    }

    /// A call was refused whose caller has gone on.
    pub(crate) fn refused_later(
        &self,
        objects: &Objects,
        (call, args): (Api, &[u64]),
        who: Who,
        status: Status,
    ) -> Option<Box<Misuse>> {
        self.with_deferred(call, args, who, |call| {
            if let Some(link) = call.link().filter(|_| call.spec.at(Role::Data).is_none()) {
                let from = (link.slot as u32, link.source);
                self.history.not_linked_by(link.destination, from, who);
            }
            self.refused(objects, call, status)
        })?
    }

    fn with_deferred<R>(&self, call: Api, args: &[u64], who: Who, f: impl FnOnce(&CallRecord<'_>) -> R) -> Option<R> {
        let call = call.spec()?;
        let act = self.act(call.api, who);
        Some(f(&CallRecord::plain(call, args, act)))
    }

    /// A call was refused, and the program goes on.
    pub(crate) fn was_refused(&self, call: &'static CallSpec, args: &[u64], act: Act) {
        if let Some(link) = Connection::of(call, args) {
            self.history.not_linked(link.destination, act);
        }
    }

    /// A call has returned 0 and created `created`, if it makes something.
    pub(crate) fn succeeded(&self, objects: &Objects, call: &'static CallSpec, args: &[u64], act: Act, created: Guid) {
        let Some(creates) = call.creates else {
            match call.api {
                Api::ocrDbRelease => self.note_released(act.who, Guid::from_bits(args[0])),
                Api::ocrShutdown => {
                    self.shut_down.store(act.who.edt.bits(), Ordering::Relaxed);
                }
                _ => {}
            }
            return;
        };
        let kind = || {
            let at = call.position(|role| matches!(role, Role::OneOf(_)));
            at.map_or(0, |at| args[at] as u32)
        };
        let work = || objects.templates.view(created).map(|view| view.work);
        let (what, work) = match creates {
            Creates::Event => (What::Event(kind()), None),
            Creates::Block => (What::Block, None),
            // What a file has of its own is its descriptor.
            Creates::File if created.is_null() => return,
            Creates::File => (What::Block, None),
            Creates::Template => (What::Template, work()),
            Creates::Labels => return self.history.labels_for(created, kind()),
            // What creates these tells of them, before others know them.
            Creates::Edt | Creates::Map => return,
        };
        self.history.created(objects, created, what, work, act);
        match call.api {
            Api::ocrDbCreate => {
                self.history.sized(created, args[2]);
                if created.is_label() {
                    // What was released under this label was another block.
                    let mut released = self.released_outside.lock();
                    released.retain(|(_, block)| *block != created);
                }
            }
            Api::ocrEventCreate | Api::ocrEventCreateParams if args[2] as u32 & calls::TAKES_ARG == 0 => {
                self.history.takes_nothing(created);
            }
            _ => {}
        }
    }

    /// A running EDT, or a thread, has released a block.
    fn note_released(&self, who: Who, block: Guid) {
        if !who.edt.is_null() {
            let mut released = self.released.lock();
            released.entry(who.edt).or_default().push(block);
            return;
        }
        let mut released = self.released_outside.lock();
        if released.len() >= RELEASED_KEPT {
            released.clear();
        }
        released.insert((who.thread, block));
    }

    fn is_event(&self, guid: Guid) -> bool {
        self.history.what(guid).is_some_and(What::is_event)
    }

    /// An EDT is about to be created; what its `depv` holds, or nothing without one.
    pub(crate) fn edt_created(
        &self,
        objects: &Objects,
        edt: Guid,
        work: &'static Code,
        depv: &[Guid],
        act: (impl Into<ActCause>, Who),
    ) {
        let act = self.act(act.0, act.1);
        self.history.created(objects, edt, What::Edt, Some(work), act);
        self.history.connected(edt, depv, act);
    }

    /// The output event of an EDT is created with it.
    pub(crate) fn output_created(
        &self,
        objects: &Objects,
        output: Guid,
        edt: Guid,
        work: &'static Code,
        act: (impl Into<ActCause>, Who),
    ) {
        let act = self.act(act.0, act.1);
        let what = What::Output(edt);
        self.history.created(objects, output, what, Some(work), act);
    }

    /// A block that the runtime made for the program.
    pub(crate) fn runtime_block(&self, objects: &Objects, block: Guid) {
        let act = self.act(ActCause::Start, Who::NOBODY);
        self.history.created(objects, block, What::Block, None, act);
    }

    /// An object that a call made for the program, besides what the call is there for.
    pub(crate) fn created(&self, objects: &Objects, guid: Guid, what: What, act: (impl Into<ActCause>, Who)) {
        let act = self.act(act.0, act.1);
        self.history.created(objects, guid, what, None, act);
    }

    /// A data block that a call made for the program, besides what the call is there for.
    pub(crate) fn made_block(&self, objects: &Objects, block: Guid, size: u64, act: (impl Into<ActCause>, Who)) {
        self.created(objects, block, What::Block, act);
        self.history.sized(block, size);
    }

    /// An object was created on a label, and what waited for it is about to be done.
    pub(crate) fn opens(&self, objects: &Objects, label: Guid, what: What, call: Api, who: Who) {
        let act = self.act(call, who);
        self.history.opens(objects, label, what, act);
    }

    /// A call has ended an object that nothing else would tell of: a range, a map or a file.
    pub(crate) fn ended(&self, guid: Guid, act: (impl Into<ActCause>, Who)) {
        let act = self.act(act.0, act.1);
        self.history.ends(guid, Ending::Destroyed(act));
    }

    /// A range or map, with these labels, was destroyed.
    pub(crate) fn range_ended(&self, range: Guid, labels: LabelBounds, act: (impl Into<ActCause>, Who)) {
        self.ended(range, act);
        self.former_ranges.lock().push((range, labels));
    }

    /// An EDT that is no finish EDT is about to satisfy this, if it is an event of the program's.
    pub(crate) fn ends_with(&self, output: Guid, who: Who) {
        if matches!(self.history.what(output), Some(What::Event(_))) {
            self.history.satisfied(output, self.act(ActCause::End, who));
        }
    }

    /// An EDT has run; the blocks that it released before its end.
    pub(crate) fn edt_ran(&self, edt: Guid) -> Vec<Guid> {
        self.history.ends(edt, Ending::Ran);
        self.released.lock().remove(&edt).unwrap_or_default()
    }

    /// The EDTs that run, besides this one, and have released a block.
    fn who_released(&self, block: Guid, but: Who) -> Vec<Guid> {
        let released = self.released.lock();
        let edts = released.iter().filter(|(_, blocks)| blocks.contains(&block));
        edts.map(|(&edt, _)| edt).filter(|&edt| edt != but.edt).collect()
    }

    /// What a GUID that a program gave claims to name; nothing if no object can ever have had it.
    fn named(&self, objects: &Objects, guid: Guid) -> Option<What> {
        let what = self.history.what(guid)?;
        self.can_have_been(objects, guid).then_some(what)
    }

    fn can_have_been(&self, objects: &Objects, guid: Guid) -> bool {
        objects.can_have_been(guid) || self.history.get(guid).is_some() || objects.owner_elsewhere(guid).is_some()
    }

    /// Whether a running EDT, or a thread, has released a block before.
    pub(crate) fn has_released(&self, who: Who, block: Guid) -> bool {
        if who.edt.is_null() {
            let released = self.released_outside.lock();
            return released.contains(&(who.thread, block));
        }
        let released = self.released.lock();
        released.get(&who.edt).is_some_and(|blocks| blocks.contains(&block))
    }
}

/// A call as it was made.
pub(crate) struct CallRecord<'a> {
    /// The function that was called.
    pub spec: &'static CallSpec,
    /// Its arguments, each as a word.
    pub args: &'a [u64],
    /// The caller, and the number of the call.
    pub act: Act,
    /// What its `depv` holds, if it has one.
    pub depv: &'a [Guid],
    /// What its `outputEvent` points to, if it was given.
    pub output: Option<Guid>,
    /// The labeled GUID that its properties say its first argument points to; of `ocrGuidFromLabel`, what
    /// the function of the map has returned last that is none.
    pub label: Option<Guid>,
    /// The type of its `hint` (`ocrHintType_t`), if it was given.
    pub hint: Option<u32>,
    /// The parameters that it gives a collective event.
    pub collective: Option<CollectiveParams>,
}

impl<'a> CallRecord<'a> {
    /// A call, of which only the arguments themselves are of interest.
    fn plain(spec: &'static CallSpec, args: &'a [u64], act: Act) -> CallRecord<'a> {
        CallRecord { spec, args, act, depv: &[], output: None, label: None, hint: None, collective: None }
    }

    /// An argument as a number.
    pub(crate) fn number(&self, at: usize) -> u64 {
        self.args.get(at).copied().unwrap_or(0)
    }

    /// An argument as a GUID.
    pub(crate) fn guid(&self, at: usize) -> Guid {
        Guid::from_bits(self.number(at))
    }

    /// The objects that the call was given.
    fn guids(&self) -> impl Iterator<Item = Guid> {
        let args = self.spec.args.iter().enumerate();
        let args = args.filter(|(_, (_, role))| role.is_guid());
        let args = args.map(|(at, _)| self.guid(at));
        let output = self.output.filter(|_| self.properties() & OEVT_VALID != 0);
        args.chain(output).chain(self.depv.iter().copied().take(DEPV_TOLD))
    }

    /// Its properties, if it has some.
    fn properties(&self) -> u32 {
        let at = (self.spec).position(|role| matches!(role, Role::Properties(..)));
        at.map_or(0, |at| self.number(at) as u32)
    }

    /// The bits of an argument that no property has, if properties are its role.
    fn unknown_bits(&self, at: usize, role: Role) -> u32 {
        match role {
            Role::Properties(names, also) => self.number(at) as u32 & !(calls::bits_of(names) | also),
            _ => 0,
        }
    }

    /// The first argument with this role, as a number; 0 if there is none.
    pub(crate) fn given(&self, role: Role) -> u64 {
        self.spec.at(role).map_or(0, |at| self.number(at))
    }

    /// The name of the first argument with this role.
    fn name_of(&self, role: Role) -> &'static str {
        self.spec.at(role).map_or("", |at| self.spec.args[at].0)
    }

    /// What it asks to connect, if it is a call that connects.
    fn link(&self) -> Option<Connection> {
        Connection::of(self.spec, self.args)
    }
}

/// What a GUID claims to name. In strict mode every event has a slot of its own, so one that claims to
/// be in an EDT is garbage.
fn kind_of(guid: Guid) -> Option<Kind> {
    guid.kind().filter(|kind| !kind.is_output())
}

/// Whether an object can be used by this GUID. What this room does not know counts as alive.
pub(crate) fn is_alive(objects: &Objects, guid: Guid) -> bool {
    match kind_of(guid) {
        None => false,
        Some(_) if is_known(guid) => objects.exists(guid),
        Some(_) => true,
    }
}

/// Whether an event in this state may still bring what waits for it.
fn is_untriggered(state: EventState) -> bool {
    state == EventState::Armed || state == EventState::MultiShot
}

/// Whether [`is_alive`] knows about objects with such a GUID.
fn is_known(guid: Guid) -> bool {
    What::by_bits(guid).is_some()
}
