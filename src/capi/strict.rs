//! Strict mode at the C boundary. `export!` hands each call that has an entry in `check::calls` to
//! [`begin`] before its body and to [`ActiveCall::end`] after it; a misuse ends the program here.

use crate::capi::edt::collective_params;
use crate::capi::{Outcome, debug, labeling, sys};
use crate::check::calls::{CallSpec, MAX_ARGS, Role};
use crate::check::checksum::ContentBefore;
use crate::check::history::Act;
use crate::check::{CallRecord, Check, Misuse, calls};
use crate::engine::calls::files::OpenMode;
use crate::engine::life::hints::place_of;
use crate::engine::life::range::asks_range_of;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::runtime::Runtime;
use crate::object::Objects;
use crate::object::collective::Params;
use crate::object::edt::Mode;
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::template::{PARAM_DEF, PARAM_UNK};
use crate::status::Status;
use std::ffi::c_char;
use std::ptr;
use std::sync::Arc;

const _: () = {
    assert!(sys::ELS_USER_SIZE as u64 == calls::LOCAL_SLOTS);
    assert!(sys::EDT_PROP_OEVT_VALID as u32 == calls::OEVT_VALID);
    assert!(sys::GUID_PROP_IS_LABELED as u32 == calls::LABELED);
    assert!((sys::GUID_PROP_CHECK | sys::GUID_PROP_BLOCK) as u32 == calls::LABEL_PROPERTIES);
    assert!(sys::EDT_PROP_MAPPED as u32 == calls::MAPPED | calls::LABELED);
    assert!(sys::EVT_PROP_TAKES_ARG as u32 == calls::TAKES_ARG);
    assert!(sys::EDT_PROP_LID as u32 == calls::LOCAL);
    assert!(sys::EVT_PROP_LID as u32 == calls::LOCAL);
    assert!(sys::DB_PROP_LID as u32 == calls::LOCAL);
};

/// A call that is being made.
pub(super) struct ActiveCall {
    call: &'static CallSpec,
    args: [u64; MAX_ARGS],
    act: Act,
    check: &'static Check,
    objects: &'static Objects,
    /// Has both, which another thread may be about to end.
    runtime: Arc<Runtime>,
    /// Blocks that the caller may write and an EDT is to get without waiting for that; in which mode.
    passed: Vec<(Guid, Mode, ContentBefore)>,
}

/// The first eight bytes of an argument or a result: GUIDs, numbers and pointers are no larger.
pub(super) fn word<T>(value: &T) -> u64 {
    let mut word = 0u64;
    let bytes = size_of::<T>().min(size_of::<u64>());
    // SAFETY: both are valid for that many bytes. The types of the interface that are no larger than
    // a word have no padding.
    unsafe {
        ptr::copy_nonoverlapping(
            ptr::from_ref(value).cast::<u8>(),
            (&raw mut word).cast::<u8>(),
            bytes,
        );
    };
    word
}

fn insist<T>(result: Result<T, Box<Misuse>>) -> T {
    result.unwrap_or_else(|misuse| fatal(&misuse.to_string()))
}

/// Runs the body of a call in strict mode.
#[cold]
#[inline(never)]
pub(super) fn checked<R: Outcome>(
    call: &'static CallSpec,
    words: &[u64],
    body: impl FnOnce() -> R,
) -> R {
    // One call with what is noted of it: strict mode looks at what is left when it is over. But the functions of maps are
    // the program's, and take what time they will, and who ends the run does not wait for himself.
    let apart = matches!(
        call.name,
        "ocrMapGet" | "ocrGuidFromLabel" | "ocrLegacyFinalize"
    );
    let entered = !apart && Context::enter_call().is_some();
    let begun = begin(call, words);
    let result = body();
    if let Some(begun) = begun {
        let status = (result.status()).unwrap_or_else(|| begun.status_of(word(&result)));
        begun.end(status);
        super::note_no_memory(call, status);
    }
    if entered {
        Context::leave_call();
    }
    result
}

/// Before a call. Nothing where no runtime runs.
fn begin(call: &'static CallSpec, words: &[u64]) -> Option<Box<ActiveCall>> {
    let context = Context::get()?;
    // SAFETY: this thread's, and calls from C do not nest.
    let context = unsafe { &mut *context };
    let check = context.runtime.check.as_deref()?;
    let runtime =
        Runtime::current().filter(|runtime| ptr::eq(&raw const **runtime, context.runtime))?;
    if let Some(edt) = asks_range_of() {
        insist::<()>(Err(check.in_range_function(
            call,
            context.who(),
            edt.guid(),
        )));
    }
    if call.name == "ocrLegacyFinalize" && context.current.is_none() {
        // Nothing is left to look at when it returns.
        return None;
    }
    let mut args = [0; MAX_ARGS];
    args[..words.len()].copy_from_slice(words);
    let act = insist(check.before(&context.runtime.objects, call, &args, context.who()));
    if call.name == "ocrFileOpen" && args[2] != 0 {
        // SAFETY: the header asks for a C string.
        let mode = unsafe { super::text(args[2] as *const c_char) };
        if OpenMode::parse(&mode).is_none() {
            insist::<()>(Err(check.wrong_file_mode(call, context.who(), &mode)));
        }
    }
    if matches!(call.name, "ocrDbRelease" | "ocrDbDestroy") {
        context.check_release(check, Guid::from_bits(args[0]));
    }
    if call.name == "ocrDbDestroy"
        && context.current.is_some()
        && check.has_released(context.who(), Guid::from_bits(args[0]))
    {
        context.check_released(check, Guid::from_bits(args[0]), context.who());
    }
    match call.name {
        // Devices are asked to read and write blocks from now on.
        "ocrEdtTemplateAddKernel" | "ocrOpenclTemplateCreate" => check.contents.closed.end(),
        // The memory of a block becomes that of others.
        "ocrDbPartition" => check.contents.closed.keep_open(Guid::from_bits(args[0])),
        _ => {}
    }
    let (source, destination, mode) = match call.name {
        "ocrEventSatisfy" => (args[1], args[0], sys::DB_MODE_RW),
        "ocrEventSatisfySlot" => (args[1], args[0], sys::DB_MODE_RW),
        "ocrAddDependence" => (args[0], args[1], args[3] as u32),
        "ocrAddDependenceSlot" => (args[0], args[2], args[4] as u32),
        _ => (0, 0, sys::DB_MODE_NULL),
    };
    let [source, destination] = [source, destination].map(Guid::from_bits);
    if destination.is_event() {
        context.check_satisfy(check, destination, source, act);
    }
    // Boxed, so that a call has no room for it on its stack where strict mode is off.
    let mut begun = Box::new(ActiveCall {
        call,
        args,
        act,
        check,
        objects: &context.runtime.objects,
        runtime,
        passed: Vec::new(),
    });
    // In depv, blocks are in mode RW. A large number may be a wrong one.
    const MANY: u32 = 64;
    let dependences = match (call.name, Mode::from_bits(mode)) {
        ("ocrEdtCreate", _) if args[4] as u32 <= MANY || args[4] as u32 == PARAM_DEF => {
            let depv = begun.depv().unwrap_or_default();
            depv.into_iter().map(|block| (block, Mode::Rw)).collect()
        }
        (_, Some(mode @ (Mode::Ro | Mode::Rw))) if destination.is_edt() => vec![(source, mode)],
        _ => Vec::new(),
    };
    let passed = dependences
        .into_iter()
        .filter_map(|(block, mode)| Some((block, mode, context.check_passing(check, block)?)));
    begun.passed = passed.collect();
    if destination.is_edt()
        && context.is_written_once(source)
        && Mode::from_bits(mode).is_some_and(Mode::writes)
    {
        // Without strict mode the EDT gets the block.
        begun.refused(Status::EACCES);
    }
    let made = begun.made_with(&[]);
    let silent = match call.name {
        // The end of the run ends a pause.
        "ocrQuery" | "ocrResume" if !context.has_paused() && !context.runtime.end.is_ending() => {
            check.not_paused(&made)
        }
        "ocrEdtCreate" | "ocrDbCreate" => check.wrong_hint(&made),
        "ocrEventCreate" | "ocrEventCreateParams" => {
            check.other_type(&context.runtime.objects, &made)
        }
        "ocrDbDestroy" => {
            let awaiting = context.first_waiting(Guid::from_bits(args[0]));
            awaiting.map(|edt| check.destroyed_awaited(&made, edt))
        }
        "ocrSetHintValue"
            if matches!(
                args[1] as u32,
                sys::OCR_HINT_EDT_AFFINITY | sys::OCR_HINT_DB_AFFINITY
            ) && args[2] != 0
                && place_of(Guid::from_bits(args[2])).is_none() =>
        {
            Some(check.wrong_affinity(&made))
        }
        _ => {
            let by_hand = check.satisfied_by_hand(&context.runtime.objects, &made);
            by_hand.or_else(|| check.takes_no_block(&made))
        }
    };
    insist(silent.map_or(Ok(()), Err));
    Some(begun)
}

impl ActiveCall {
    /// The status that a call would have returned that has returned something else.
    fn status_of(&self, returned: u64) -> Status {
        match self.call.name {
            "ocrElsUserGet" | "ocrQuery" => Status::OK,
            "ocrLegacyIsChannelReady" => {
                let event = Guid::from_bits(self.args[0]);
                match self.objects.event_kind(event) {
                    Some(EventKind::Channel) => Status::OK,
                    None if self.objects.is_awaited(event) => Status::OK,
                    _ => Status::EINVAL,
                }
            }
            "ocrWait" if returned != Guid::ERROR.bits() => Status::OK,
            "ocrWait" if !self.runtime.is_current() => Status::ECANCELED,
            "ocrWait" => super::with(Status::EPERM, |context| match context.has_paused() {
                true => Status::EPERM,
                false if context.runtime.end.is_ending() => Status::ECANCELED,
                false => Status::EINVAL,
            }),
            _ => Status::OK,
        }
    }

    /// After the call, which has returned `status`.
    fn end(&self, status: Status) {
        if status == Status::ENOTSUP {
            strict_note!(
                "{}, in {}, was refused with OCR_ENOTSUP: this runtime does not have what it asks \
                 for, and did nothing; see {}",
                self.call.shown(),
                self.act.who,
                self.call.clause
            );
        }
        // If the run has ended meanwhile, whatever was refused was refused for that.
        let goes_on = self.runtime.is_current();
        if !status.is_ok() && !goes_on {
            return;
        }
        if status.is_ok() {
            for &(block, mode, before) in self.passed.iter().filter(|_| goes_on) {
                let to = match self.call.name {
                    "ocrAddDependence" => Guid::from_bits(self.args[1]),
                    "ocrAddDependenceSlot" => Guid::from_bits(self.args[2]),
                    _ => self.made().unwrap_or(Guid::NULL),
                };
                let waits = |context: &mut Context| context.keeps_waiting(to, Some(block));
                if to.is_edt() && !super::with(true, waits) {
                    self.check.passes_on(to, block, mode, self.act, before);
                }
            }
            if goes_on {
                self.note_late_ones();
                self.note_one_variable();
            }
            match self.call.name {
                "ocrDbDestroy" => {
                    let block = Guid::from_bits(self.args[0]);
                    self.check.note_destroyed_early(self.act.who, block);
                }
                "ocrDbRelease" if goes_on => {
                    let block = Guid::from_bits(self.args[0]);
                    super::with((), |context| context.check_may_close(self.check, block));
                }
                "ocrWait" | "ocrLegacyBlockProgress" => {
                    self.check.contents.meanwhile.waited(self.act.who.edt);
                }
                _ => {}
            }
            let made = self.made().unwrap_or(Guid::NULL);
            self.check
                .succeeded(self.objects, self.call, &self.args, self.act, made);
            // Ranges have no debug labels.
            let is_range = matches!(self.call.name, "ocrGuidRangeCreate" | "ocrGuidMapCreate");
            if !made.is_null()
                && goes_on
                && !is_range
                && let Some(label) = debug::pending(self.act.who.edt)
            {
                super::with((), |context| {
                    let runtime = context.runtime;
                    runtime.registry.labels.attach(self.objects, made, &label);
                });
                self.check.history.label(made, label);
            }
            return;
        }
        self.refused(status);
        self.check.was_refused(self.call, &self.args, self.act);
    }

    /// Notes that an output event was connected in time by chance; once.
    fn note_late_ones(&self) {
        let sources = match self.call.name {
            "ocrAddDependence" | "ocrAddDependenceSlot" => vec![Guid::from_bits(self.args[0])],
            "ocrEdtCreate" => self.depv().unwrap_or_default(),
            _ => return,
        };
        super::with((), |context| {
            let late = |source: &Guid| Some((*source, context.may_be_late(self.check, *source)?));
            if let Some((output, edt)) = sources.iter().find_map(late) {
                strict_note_once!("{}", self.check.may_be_late(self.act, output, edt));
            }
        });
    }

    /// Notes that the GUIDs of an EDT and of its output event were stored in one variable; once.
    fn note_one_variable(&self) {
        let (edt, output) = (self.pointer("guid"), self.pointer("outputEvent"));
        if !matches!(self.call.name, "ocrEdtCreate" | "ocrOpenclTaskCreate")
            || edt != output
            || edt.is_none_or(<*const Guid>::is_null)
        {
            return;
        }
        let (call, who) = (self.call.shown(), self.act.who);
        let what = || self.made().map(|guid| self.check.history.name(guid));
        strict_note_once!(
            "{call}, in {who}, was given one variable for the GUID of the EDT and for that of its \
             output event: it has one of them now, {}, and the other is lost. Give each a variable of its own; NULL for \
             the one that is not needed.",
            what().unwrap_or_default()
        );
    }

    /// Ends the program if the call is, or will be, refused for a misuse.
    fn refused(&self, status: Status) {
        let depv = self.depv().unwrap_or_default();
        if let Some(misuse) = self
            .check
            .refused(self.objects, &self.made_with(&depv), status)
        {
            fatal(&misuse.to_string());
        }
    }

    /// The call, for messages; a label that it was given has not been overwritten.
    fn made_with<'a>(&'a self, depv: &'a [Guid]) -> CallRecord<'a> {
        let mut made = CallRecord {
            call: self.call,
            args: &self.args,
            act: self.act,
            depv,
            output: self.output(),
            label: None,
            hint: self.hint(),
            collective: self.collective(),
        };
        if made.has_label() {
            made.label = guid_at(self.args[0] as *const Guid);
        } else if self.call.name == "ocrGuidFromLabel" {
            made.label = Some(labeling::WRONG_ANSWER.get());
        }
        made
    }

    /// What the `outputEvent` of a create function points to.
    fn output(&self) -> Option<Guid> {
        let creates = self.call.name.ends_with("Create");
        let place = self.pointer("outputEvent").filter(|_| creates)?;
        guid_at(place)
    }

    fn pointer(&self, name: &str) -> Option<*const Guid> {
        let at = self.call.args.iter().position(|(known, _)| *known == name);
        at.map(|at| self.args[at] as *const Guid)
    }

    /// What a create function has made.
    fn made(&self) -> Option<Guid> {
        let place = match self.call.name {
            "ocrFileOpen" => self.args[3],
            "ocrFileGetChunk" => self.args[0],
            name if name.contains("Create") => self.args[0],
            _ => return None,
        };
        guid_at(place as *const Guid)
    }

    /// The parameters that the call gives a collective event, if they are some.
    fn collective(&self) -> Option<Params> {
        let kind = EventKind::from_bits(self.args[1] as u32);
        if self.call.name != "ocrEventCreateParams" || kind != Some(EventKind::Collective) {
            return None;
        }
        let params = self.args[3] as *const sys::ocrEventParams_t;
        // SAFETY: the header asks for null or valid parameters.
        let params = unsafe { params.as_ref() }?;
        // SAFETY: the type says which member of the union is meant.
        collective_params(unsafe { &params.__bindgen_anon_1.EVENT_COLLECTIVE }).ok()
    }

    /// The type of the hint that the call was given.
    fn hint(&self) -> Option<u32> {
        let hint = self.pointer("hint")?.cast::<sys::ocrHint_t>();
        // What is to be made one is none yet.
        if self.call.name == "ocrHintInit" {
            return None;
        }
        // SAFETY: the header asks for null or a valid hint.
        unsafe { hint.as_ref() }.map(|hint| hint.type_)
    }

    /// What the `depv` of a refused call holds. It has not been overwritten: a call that is refused
    /// writes nothing.
    fn depv(&self) -> Option<Vec<Guid>> {
        let depv = self.pointer("depv").filter(|depv| !depv.is_null())?;
        let number = |name: &str| self.pointer(name).map_or(0, |word| word as u64);
        let mut args = self.call.args.iter();
        let template = args.position(|(_, role)| *role == Role::Template)?;
        let template = Guid::from_bits(self.args[template]);
        let of_template = self.objects.templates.view(template)?.depc;
        let depc = match number("depc") as u32 {
            PARAM_DEF => of_template,
            given if of_template == PARAM_UNK || of_template == given => given,
            // The number is what was refused.
            _ => return None,
        };
        let slots = 0..(depc as i32).max(0) as usize;
        slots.map(|slot| guid_at(depv.wrapping_add(slot))).collect()
    }
}

/// The GUID that the caller has, or has got, in a place.
fn guid_at(place: *const Guid) -> Option<Guid> {
    // SAFETY: the headers ask for null or a valid place.
    unsafe { place.as_ref() }.copied()
}

#[cfg(test)]
mod tests {
    use super::sys;
    use crate::check::names;

    #[test]
    fn names_are_those_of_the_headers() {
        macro_rules! same {
            ($names:ident: $($name:ident)*) => {
                assert_eq!(names::$names, &[$((sys::$name as u32, stringify!($name))),*]);
            };
        }
        same!(EVENT_TYPES: OCR_EVENT_ONCE_T OCR_EVENT_IDEM_T OCR_EVENT_STICKY_T OCR_EVENT_LATCH_T
            OCR_EVENT_COUNTED_T OCR_EVENT_CHANNEL_T OCR_EVENT_COLLECTIVE_T);
        same!(HINT_TYPES: OCR_HINT_EDT_T OCR_HINT_DB_T OCR_HINT_EVT_T OCR_HINT_GROUP_T);
        same!(HINT_PROPERTIES: OCR_HINT_EDT_PRIORITY OCR_HINT_EDT_SLOT_MAX_ACCESS
            OCR_HINT_EDT_AFFINITY OCR_HINT_EDT_SPAD_USAGE OCR_HINT_EDT_DISPERSE OCR_HINT_EDT_SPACE
            OCR_HINT_EDT_TIME OCR_HINT_EDT_STATS_HW_CYCLES OCR_HINT_EDT_STATS_L1_HITS
            OCR_HINT_EDT_STATS_L1_MISSES OCR_HINT_EDT_STATS_FLOAT_OPS OCR_HINT_EDT_SPAWNING
            OCR_HINT_DB_AFFINITY OCR_HINT_DB_NEAR OCR_HINT_DB_INTER OCR_HINT_DB_FAR
            OCR_HINT_DB_HIGHBW OCR_HINT_DB_EAGER OCR_HINT_DB_LAZY);
        same!(OBJECT_KINDS: GUID_USER_DB GUID_USER_EDT GUID_USER_EDT_TEMPLATE GUID_USER_EVENT_ONCE
            GUID_USER_EVENT_COUNTED GUID_USER_EVENT_IDEM GUID_USER_EVENT_STICKY
            GUID_USER_EVENT_LATCH GUID_USER_EVENT_CHANNEL GUID_USER_EVENT_COLLECTIVE);
        same!(AFFINITY_KINDS: AFFINITY_CURRENT AFFINITY_PD AFFINITY_PD_MASTER AFFINITY_SIM
            AFFINITY_GUID AFFINITY_OCL);
        same!(QUERIES: OCR_QUERY_READY_EDTS OCR_QUERY_EVENTS OCR_QUERY_LAST_SATISFIED_DB
            OCR_QUERY_ALL_EDTS);
        same!(LEGACY_PROPERTIES: LEGACY_PROP_WAIT_FOR_CREATE LEGACY_PROP_WAIT_IF_CREATED
            LEGACY_PROP_CHECK);
        same!(EDT_PROPERTIES: EDT_PROP_MAPPED EDT_PROP_LID GUID_PROP_CHECK GUID_PROP_BLOCK GUID_PROP_IS_LABELED
            EDT_PROP_FINISH EDT_PROP_NO_HINT EDT_PROP_LONG EDT_PROP_OEVT_VALID);
        same!(EVENT_PROPERTIES: EVT_PROP_MAPPED EVT_PROP_LID GUID_PROP_CHECK GUID_PROP_BLOCK GUID_PROP_IS_LABELED
            EVT_PROP_TAKES_ARG);
        same!(BLOCK_PROPERTIES: DB_PROP_MAPPED DB_PROP_LID GUID_PROP_CHECK GUID_PROP_BLOCK GUID_PROP_IS_LABELED
            DB_PROP_NO_ACQUIRE DB_PROP_SINGLE_ASSIGNMENT DB_PROP_NO_HINT);
    }
}
