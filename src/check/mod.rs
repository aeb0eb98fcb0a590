//! Strict mode (`OCR_CHECK=strict`): what objects have been through, and how a misuse is told.
//!
//! This room owns the history of objects (`history`), the fingerprints of what blocks contain
//! (`contents`), the memory of blocks that are gone (`graves`) and of arguments (`outlived`), what each call may be given (`calls`),
//! and the words for what is wrong (`arguments`; `rules` and the files of what it leads to, `refused_*`;
//! `guards`, `misuse`, `left`). It looks at objects and changes none, and it never ends a program: it answers with
//! a [`Misuse`], and the caller sees to the end.
//!
//! Nothing of it exists where strict mode is off: a run has a [`Check`] or none, and [`is_on`] is
//! what a C call looks at. How a call gets here is in `capi/strict.rs`, what the life of an EDT asks
//! is in `engine/strict.rs`.
//!
//! **Races.** A program's threads go on while a call is judged. What a call is going to end or
//! satisfy is noted before it does (under a ticket, so that it is not told of itself), and what it
//! made, afterwards. So whoever is refused finds the reason in the history, unless the two calls ran
//! at the same time; then a line of the story may lack, and the misuse is told all the same. No
//! misuse is derived from the history alone: a call was refused, or a fingerprint differs.

mod arguments;
pub(crate) mod calls;
pub(crate) mod checksum;
mod closed;
pub(crate) mod held;
pub(crate) mod history;
mod leaks;
mod misuse;
pub(crate) mod names;
mod overlap;
mod quarantine;
mod quarantine_arguments;
mod redzone;
mod refused_block;
mod refused_dependence;
mod refused_edt;
mod refused_file;
mod refused_hint;
mod refused_label;
mod refused_map;
mod refused_runtime;
mod rules;

use crate::object::Objects;
use crate::object::code::Code;
use crate::object::collective::Params;
use crate::object::edt::{Edt, EdtState};
use crate::object::event::EventState;
use crate::object::guid::{Guid, Kind};
use crate::object::range::Bounds;
use calls::{CallSpec, OEVT_VALID, Role};
pub(crate) use closed::At;
use history::{Act, Ending, History, What, Who};
pub(crate) use misuse::{Misuse, count};
use parking_lot::Mutex;
pub(crate) use quarantine::BURIED;
pub(crate) use quarantine_arguments::OUTLIVED;
pub(crate) use redzone::REDZONE_BYTE;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Whether the run of this process is checked: what each C call looks at.
static ON: AtomicBool = AtomicBool::new(false);

/// Whether the run of this process is checked.
#[inline]
pub(crate) fn is_on() -> bool {
    // Relaxed: it changes before a run's threads start and after they have ended.
    !cfg!(ocr_no_strict) && ON.load(Ordering::Relaxed)
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

/// Says whether the run that begins is checked, or that there is none any more. A `Check` does not say so itself: it
/// may live on in a thread of the program that has yet to see that its run has ended, and that another one goes on.
pub(crate) fn set_on(on: bool) {
    ON.store(on, Ordering::Relaxed);
}

/// How many blocks that threads outside of EDTs have released are remembered; then it begins anew.
const RELEASED_KEPT: usize = 1 << 16;

/// How many elements of `depv` are told of, where it is not about one of them.
const DEPV_TOLD: usize = 4;

/// What strict mode knows of a run.
pub(crate) struct Check {
    /// What objects have been through.
    pub history: History,
    /// What blocks contained when somebody was done with them.
    pub contents: checksum::Contents,
    graves: quarantine::Quarantine,
    outlived: quarantine_arguments::Outlived,
    /// The blocks that running EDTs have released, by EDT.
    released: Mutex<HashMap<Guid, Vec<Guid>>>,
    /// The blocks that threads outside of EDTs have released, by the system's number of the thread.
    released_outside: Mutex<HashSet<(i32, Guid)>>,
    /// The labels of ranges and maps that were destroyed.
    former_ranges: Mutex<Vec<(Guid, Bounds)>>,
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
            contents: checksum::Contents::default(),
            graves: quarantine::Quarantine::default(),
            outlived: quarantine_arguments::Outlived::default(),
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

    fn act(&self, call: &'static str, who: Who) -> Act {
        let ticket = self.tickets.fetch_add(1, Ordering::Relaxed);
        Act { call, who, ticket }
    }

    /// A call begins: what can be told before it is made.
    pub(crate) fn before(
        &self,
        objects: &Objects,
        call: &'static CallSpec,
        args: &[u64],
        who: Who,
    ) -> Result<Act, Box<Misuse>> {
        let act = self.act(call.shown(), who);
        let made = CallRecord::plain(call, args, act);
        // A variable of the program with hints is nothing of the runtime's.
        let of_variable = call.name == "ocrHintInit" || call.name.ends_with("HintValue");
        if !of_variable
            && !who.edt.is_null()
            && self.shut_down.load(Ordering::Relaxed) == who.edt.bits()
        {
            return Err(self.after_shutdown(&made));
        }
        for (at, (_, role)) in call.args.iter().enumerate() {
            if let Role::Properties(known, _) = role
                && made.number(at) as u32 & !known != 0
            {
                return Err(self.unknown_property(&made, at, *known));
            }
        }
        if let "ocrElsUserGet" | "ocrElsUserSet" = call.name
            && let Some(misuse) = self.wrong_storage(&made)
        {
            return Err(misuse);
        }
        self.begins(objects, &made, false);
        Ok(act)
    }

    /// Notes what a call is about to do, or does late.
    fn begins(&self, objects: &Objects, made: &CallRecord<'_>, late: bool) {
        let (first, act) = (made.guid(0), made.act);
        let links = |source: usize, destination: usize, slot: usize| {
            let [source, destination] = [source, destination].map(|at| made.guid(at));
            let slot = made.number(slot) as u32;
            (self.history).links(source, destination, slot, act, late);
            // After a dependence the EDT may run.
            if !self.is_event(source) {
                self.history.satisfied(destination, act);
            }
        };
        match made.call.name {
            "ocrEventDestroy" | "ocrEdtDestroy" | "ocrEdtTemplateDestroy" | "ocrDbDestroy" => {
                let event = objects.events.lock(first);
                if event.is_some_and(|(_, locked)| is_untriggered(locked.word.state())) {
                    self.history.ends_untriggered(first);
                }
                self.history.ends(first, Ending::Destroyed(act));
                self.given_output_ends(objects, made);
            }
            "ocrEventSatisfy" | "ocrEventSatisfySlot" if first.is_edt() => links(1, 0, 2),
            "ocrEventSatisfy" | "ocrEventSatisfySlot" => self.history.satisfied(first, act),
            "ocrAddDependence" | "ocrAddDependenceByValue" => links(0, 1, 2),
            "ocrAddDependenceSlot" => links(0, 2, 3),
            _ => {}
        }
    }

    /// An EDT takes its output event along, also one that the program has made.
    fn given_output_ends(&self, objects: &Objects, made: &CallRecord<'_>) {
        let waits = |edt: &Edt| {
            let scope = edt.finish_scope().filter(|_| edt.flags.get().is_finish());
            let output = scope.map_or(edt.output(), |scope| scope.output.get());
            (output, edt.header.peek().state() == EdtState::Waiting)
        };
        let edt = objects.edts.lock(made.guid(0));
        if let Some((output, true)) = edt.map(|(edt, _locked)| waits(edt))
            && matches!(self.history.what(output), Some(What::Event(_)))
        {
            self.history.ends_untriggered(output);
            self.history.ends(output, Ending::Destroyed(made.act));
        }
    }

    /// A call in the function that says how many work-items an EDT has.
    pub(crate) fn in_range_function(&self, call: &CallSpec, who: Who, edt: Guid) -> Box<Misuse> {
        self.by_edt(
            who,
            format!("seen in {}, in the range function for {}", call.shown(), self.history.name(edt)),
            "a range function calls OCR".into(),
            &[edt],
            "a range function answers by its arguments alone, and calls no function of the interface \
             (extensions/ocr-variants.h)",
            "Have it compute the numbers of work-items alone. What else there is to do belongs in an EDT.",
        )
    }

    /// `ocrFileOpen` with a mode that is none.
    pub(crate) fn wrong_file_mode(&self, call: &CallSpec, who: Who, mode: &str) -> Box<Misuse> {
        self.by_edt(
            who,
            format!("seen in {}, called by {who}", call.shown()),
            format!("{}: there is no mode \"{mode}\"", call.shown()),
            &[who.edt],
            "a file is opened with one of the modes of fopen that do not append (extensions/ocr-file.h)",
            "Pass r, r+, w or w+, with or without b.",
        )
    }

    /// A call is about to be made whose caller has gone on, since it had to wait for an object.
    pub(crate) fn made_late(&self, objects: &Objects, name: &str, args: &[u64], who: Who) {
        self.late(name, args, who, |made| self.begins(objects, made, true));
    }

    /// A call whose caller has gone on, since it had to wait for an object, was refused.
    pub(crate) fn refused_late(
        &self,
        objects: &Objects,
        name: &str,
        args: &[u64],
        who: Who,
    ) -> Option<Box<Misuse>> {
        self.late(name, args, who, |made| {
            let places = match name {
                "ocrAddDependence" => Some([0, 1, 2]),
                "ocrAddDependenceSlot" => Some([0, 2, 3]),
                _ => None,
            };
            if let Some([source, destination, slot]) = places {
                let [source, destination] = [source, destination].map(|at| made.guid(at));
                let link = (made.number(slot) as u32, source);
                self.history.not_linked_by(destination, link, who);
            }
            let misuse = self.refused(objects, made, calls::MISUSES[0])?;
            Some(misuse.of_a_call_that_waited())
        })?
    }

    fn late<R>(
        &self,
        name: &str,
        args: &[u64],
        who: Who,
        f: impl FnOnce(&CallRecord<'_>) -> R,
    ) -> Option<R> {
        let call = calls::find(name)?;
        let act = self.act(call.shown(), who);
        Some(f(&CallRecord::plain(call, args, act)))
    }

    /// A call was refused, and the program goes on.
    pub(crate) fn was_refused(&self, call: &'static CallSpec, args: &[u64], act: Act) {
        let destination = match call.name {
            "ocrEventSatisfy" | "ocrEventSatisfySlot" => args[0],
            "ocrAddDependence" | "ocrAddDependenceByValue" => args[1],
            "ocrAddDependenceSlot" => args[2],
            _ => return,
        };
        self.history.not_linked(Guid::from_bits(destination), act);
    }

    /// A call has returned 0 and made `made`, if it makes something.
    pub(crate) fn succeeded(
        &self,
        objects: &Objects,
        call: &'static CallSpec,
        args: &[u64],
        act: Act,
        made: Guid,
    ) {
        if call.name == "ocrDbCreate" && made.is_label() {
            // What was released under this label was another block.
            let mut released = self.released_outside.lock();
            released.retain(|(_, block)| *block != made);
        }
        let work = || objects.templates.view(made).map(|view| view.work);
        let number = |at: usize| args.get(at).map_or(0, |&word| word as u32);
        let guid = |at: usize| Guid::from_bits(args.get(at).copied().unwrap_or(0));
        let (what, work) = match call.name {
            "ocrEventCreate" | "ocrEventCreateParams" => (What::Event(number(1)), None),
            "ocrDbCreate" | "ocrFileGetChunk" => (What::Block, None),
            "ocrFileOpen" if made.is_null() => return,
            "ocrFileOpen" => (What::Block, None),
            "ocrGuidRangeCreate" => return self.history.labels_for(made, number(2)),
            "ocrGuidMapCreate" => return self.history.labels_for(made, number(5)),
            "ocrEdtTemplateCreate"
            | "ocrEdtTemplateCreate_internal"
            | "ocrEdtTemplateCreateLabeled"
            | "ocrOpenclTemplateCreate" => (What::Template, work()),
            "ocrDbRelease" if act.who.edt.is_null() => {
                let mut released = self.released_outside.lock();
                if released.len() >= RELEASED_KEPT {
                    released.clear();
                }
                released.insert((act.who.thread, guid(0)));
                return;
            }
            "ocrDbRelease" => {
                let mut released = self.released.lock();
                released.entry(act.who.edt).or_default().push(guid(0));
                return;
            }
            "ocrShutdown" => {
                self.shut_down.store(act.who.edt.bits(), Ordering::Relaxed);
                return;
            }
            _ => return,
        };
        self.history.created(objects, made, what, work, act);
        match what {
            What::Block if call.name == "ocrDbCreate" => self.history.sized(made, args[2]),
            What::Event(_) if args[2] as u32 & calls::TAKES_ARG == 0 => {
                self.history.takes_nothing(made);
            }
            _ => {}
        }
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
        act: (&'static str, Who),
    ) {
        let act = self.act(act.0, act.1);
        self.history
            .created(objects, edt, What::Edt, Some(work), act);
        self.history.connected(edt, depv, act);
    }

    /// The output event of an EDT is created with it.
    pub(crate) fn output_created(
        &self,
        objects: &Objects,
        output: Guid,
        edt: Guid,
        work: &'static Code,
        act: (&'static str, Who),
    ) {
        let act = self.act(act.0, act.1);
        let what = What::Output(edt);
        self.history.created(objects, output, what, Some(work), act);
    }

    /// A block that the runtime made for the program.
    pub(crate) fn runtime_block(&self, objects: &Objects, block: Guid) {
        let act = self.act(history::AT_START, Who::NOBODY);
        self.history.created(objects, block, What::Block, None, act);
    }

    /// An object that a call made for the program, besides what the call is there for.
    pub(crate) fn made(&self, objects: &Objects, guid: Guid, what: What, act: (&'static str, Who)) {
        let act = self.act(act.0, act.1);
        self.history.created(objects, guid, what, None, act);
    }

    /// A data block that a call made for the program, besides what the call is there for.
    pub(crate) fn made_block(
        &self,
        objects: &Objects,
        block: Guid,
        size: u64,
        act: (&'static str, Who),
    ) {
        self.made(objects, block, What::Block, act);
        self.history.sized(block, size);
    }

    /// An object was created on a label, and what waited for it is about to be done.
    pub(crate) fn opens(
        &self,
        objects: &Objects,
        label: Guid,
        what: What,
        call: &'static str,
        who: Who,
    ) {
        let act = self.act(call, who);
        self.history.opens(objects, label, what, act);
    }

    /// A call has ended an object that nothing else would tell of: a range, a map or a file.
    pub(crate) fn ended(&self, guid: Guid, act: (&'static str, Who)) {
        let act = self.act(act.0, act.1);
        self.history.ends(guid, Ending::Destroyed(act));
    }

    /// A range or map, with these labels, was destroyed.
    pub(crate) fn range_ended(&self, range: Guid, labels: Bounds, act: (&'static str, Who)) {
        self.ended(range, act);
        self.former_ranges.lock().push((range, labels));
    }

    /// An EDT that is no finish EDT is about to satisfy this, if it is an event of the program's.
    pub(crate) fn ends_with(&self, output: Guid, who: Who) {
        if matches!(self.history.what(output), Some(What::Event(_))) {
            self.history
                .satisfied(output, self.act(history::BY_END, who));
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
        let edts = released
            .iter()
            .filter(|(_, blocks)| blocks.contains(&block));
        edts.map(|(&edt, _)| edt)
            .filter(|&edt| edt != but.edt)
            .collect()
    }

    /// What a GUID that a program gave claims to name; nothing if no object can ever have had it.
    fn named(&self, objects: &Objects, guid: Guid) -> Option<What> {
        let what = self.history.what(guid)?;
        self.can_have_been(objects, guid).then_some(what)
    }

    fn can_have_been(&self, objects: &Objects, guid: Guid) -> bool {
        objects.can_have_been(guid) || self.history.get(guid).is_some()
    }

    /// Whether a running EDT, or a thread, has released a block before.
    pub(crate) fn has_released(&self, who: Who, block: Guid) -> bool {
        if who.edt.is_null() {
            let released = self.released_outside.lock();
            return released.contains(&(who.thread, block));
        }
        let released = self.released.lock();
        released
            .get(&who.edt)
            .is_some_and(|blocks| blocks.contains(&block))
    }
}

/// A call as it was made.
pub(crate) struct CallRecord<'a> {
    /// The function that was called.
    pub call: &'static CallSpec,
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
    pub collective: Option<Params>,
}

impl<'a> CallRecord<'a> {
    /// A call, of which only the arguments themselves are of interest.
    fn plain(call: &'static CallSpec, args: &'a [u64], act: Act) -> CallRecord<'a> {
        CallRecord {
            call,
            args,
            act,
            depv: &[],
            output: None,
            label: None,
            hint: None,
            collective: None,
        }
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
        let args = self.call.args.iter().enumerate();
        let args = args.filter(|(_, (_, role))| arguments::is_guid(*role));
        let args = args.map(|(at, _)| self.guid(at));
        let output = self.output.filter(|_| self.properties() & OEVT_VALID != 0);
        args.chain(output)
            .chain(self.depv.iter().copied().take(DEPV_TOLD))
    }

    /// The properties of a create function.
    fn properties(&self) -> u32 {
        let mut args = self.call.args.iter();
        let at = args.position(|(_, role)| matches!(role, Role::Properties(..)));
        self.number(at.unwrap_or(usize::MAX)) as u32
    }

    /// Which argument has this name.
    fn at(&self, name: &str) -> usize {
        let found = self.call.args.iter().position(|(known, _)| *known == name);
        found.unwrap_or(usize::MAX)
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
