//! Strict mode at the C boundary. `export!` hands each call that has an entry in `check::calls` to
//! [`begin`] before its body and to [`ActiveCall::end`] after it; a misuse ends the program here.

use crate::abi::Api;
use crate::capi::edt::collective_params;
use crate::capi::{CallOutcome, debug, labeling, sys};
use crate::check::calls::{CallSpec, Connection, Creates, MAX_ARGS, Role};
use crate::check::checksum::ContentBefore;
use crate::check::history::Act;
use crate::check::{CallRecord, Check, Misuse};
use crate::engine::calls::files::OpenMode;
use crate::engine::life::hints::{node_of, place_of};
use crate::engine::life::range::asks_range_of;
use crate::engine::nodes::outbox;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::runtime::Runtime;
use crate::object::Objects;
use crate::object::collective::CollectiveParams;
use crate::object::edt::Mode;
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::template::{PARAM_DEF, PARAM_UNK};
use crate::status::Status;
use std::ffi::c_char;
use std::ptr;
use std::sync::Arc;

/// A call in strict mode, from before its body to its end.
pub(super) struct ActiveCall {
    call: &'static CallSpec,
    args: [u64; MAX_ARGS],
    act: Act,
    check: &'static Check,
    objects: &'static Objects,
    /// The run, which another thread may be about to end. It has `check` and `objects`, and keeps both alive.
    runtime: Arc<Runtime>,
    /// Blocks that the caller holds for writing and that an EDT is to get without waiting for the caller. Each has the
    /// mode in which the EDT gets it, and its content before the call.
    passed: Vec<(Guid, Mode, ContentBefore)>,
}

/// The first eight bytes of an argument or a result, as a number. GUIDs, numbers and pointers have no more.
pub(super) fn word<T>(value: &T) -> u64 {
    let mut word = 0u64;
    let bytes = size_of::<T>().min(size_of::<u64>());
    // SAFETY: `value` is a reference and `word` a variable, so both are valid for the smaller of their sizes, and do
    // not overlap. The types of the interface that are no larger than a word have no padding, so the bytes are
    // initialized.
    unsafe {
        ptr::copy_nonoverlapping(ptr::from_ref(value).cast::<u8>(), (&raw mut word).cast::<u8>(), bytes);
    };
    word
}

/// The value of a check. A misuse ends the program with its message.
fn insist<T>(result: Result<T, Box<Misuse>>) -> T {
    result.unwrap_or_else(|misuse| fatal(&misuse.to_string()))
}

/// Runs the body of a call in strict mode, with the checks before and after it, and returns what the body returns.
/// `words` are the arguments.
#[cold]
#[inline(never)]
pub(super) fn checked<R: CallOutcome>(call: &'static CallSpec, words: &[u64], body: impl FnOnce() -> R) -> R {
    // The body and what is noted of it count as one call, since the report of leaks waits until each thread is outside
    // of calls. Three functions are left out. Two run functions of the program, which may take any time; and a thread
    // that ends the run would wait for itself.
    let apart = matches!(call.api, Api::ocrMapGet | Api::ocrGuidFromLabel | Api::ocrLegacyFinalize);
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

/// Checks a call before its body, and ends the program if the call is a misuse. None where there is nothing to check
/// after the body: no runtime runs, or the call ends the run.
fn begin(call: &'static CallSpec, words: &[u64]) -> Option<Box<ActiveCall>> {
    let context = Context::get()?;
    // SAFETY: `get` has answered with the context of this thread, which is valid. No other reference to it is in use,
    // since calls from C do not nest, and the body of this one has not begun.
    let context = unsafe { &mut *context };
    let check = context.runtime.check.as_deref()?;
    let runtime = Runtime::current().filter(|runtime| ptr::eq(&raw const **runtime, context.runtime))?;
    if let Some(edt) = asks_range_of() {
        fatal(&check.in_range_function(call, context.who(), edt.guid()).to_string());
    }
    if call.api == Api::ocrLegacyFinalize && context.current.is_none() {
        // Nothing is left to look at when this call returns.
        return None;
    }
    let mut args = [0; MAX_ARGS];
    args[..words.len()].copy_from_slice(words);
    let objects = &context.runtime.objects;
    let act = insist(check.before(objects, call, &args, context.who()));
    look_at_blocks(context, check, call.api, &args);
    let link = Connection::of(call, &args).filter(|_| call.api != Api::ocrAddDependenceByValue);
    if let Some(link) = link.filter(|link| link.destination.is_event()) {
        context.check_satisfy(check, link.destination, link.source, act);
    }
    // Boxed, so that a call needs no room for the record on its stack where strict mode is off.
    let mut begun = Box::new(ActiveCall { call, args, act, check, objects, runtime, passed: Vec::new() });
    begun.passed = begun.passed_blocks(context, link);
    if let Some(link) = link.filter(|link| link.destination.is_edt())
        && context.is_written_once(link.source)
        && Mode::from_bits(link.mode).is_some_and(Mode::writes)
    {
        // Without strict mode the EDT gets the block.
        begun.refused(Status::EACCES);
    }
    // What another node asks for is judged by `elsewhere/strict_calls.rs`.
    if context.on_behalf_of_node.is_none()
        && let Some(misuse) = begun.silent_misuse(context)
    {
        fatal(&misuse.to_string());
    }
    Some(begun)
}

/// The checks before a call about a data block, and before a call that has devices touch blocks.
fn look_at_blocks(context: &mut Context, check: &'static Check, api: Api, args: &[u64]) {
    let block = Guid::from_bits(args[0]);
    match api {
        Api::ocrDbRelease | Api::ocrDbDestroy => {
            context.check_release(check, block);
            let who = context.who();
            if api == Api::ocrDbDestroy && context.current.is_some() && check.has_released(who, block) {
                context.check_released(check, block, who);
            }
        }
        // From this call on devices may be asked to read and write blocks, which they cannot where pages are closed.
        Api::ocrEdtTemplateAddKernel | Api::ocrOpenclTemplateCreate => check.contents.closed.end(),
        // The memory of this block becomes that of its parts.
        Api::ocrDbPartition => check.contents.closed.keep_open(block),
        _ => {}
    }
}

impl ActiveCall {
    /// The blocks that the caller holds for writing and that the call may pass to an EDT which does not wait for the
    /// caller. Each has the mode in which the EDT gets it, and its content now.
    fn passed_blocks(&self, context: &Context, link: Option<Connection>) -> Vec<(Guid, Mode, ContentBefore)> {
        // More than this many elements are not read: a large number may be a wrong one.
        const MANY: u32 = 64;
        let depc = self.args[4] as u32;
        let mode = link.and_then(|link| Mode::from_bits(link.mode));
        let dependences = match (self.call.api, link, mode) {
            // The EDT gets the blocks in depv in mode RW.
            (Api::ocrEdtCreate, ..) if depc <= MANY || depc == PARAM_DEF => {
                let depv = self.depv().unwrap_or_default();
                depv.into_iter().map(|block| (block, Mode::Rw)).collect()
            }
            (_, Some(link), Some(mode @ (Mode::Ro | Mode::Rw))) if link.destination.is_edt() => {
                vec![(link.source, mode)]
            }
            _ => Vec::new(),
        };
        let passed = dependences
            .into_iter()
            .filter_map(|(block, mode)| Some((block, mode, context.check_passing(self.check, block)?)));
        passed.collect()
    }

    /// The misuse in a call that would return 0 without strict mode. None if there is none.
    fn silent_misuse(&self, context: &mut Context) -> Option<Box<Misuse>> {
        let (check, record) = (self.check, self.record(&[]));
        match self.call.api {
            // The end of the run ends a pause.
            Api::ocrQuery | Api::ocrResume if !context.has_paused() && !context.runtime.end.is_ending() => {
                check.not_paused(&record)
            }
            Api::ocrEdtCreate | Api::ocrDbCreate => check.wrong_hint(&record),
            Api::ocrEventCreate | Api::ocrEventCreateParams => check.other_type(self.objects, &record),
            Api::ocrDbDestroy => {
                let awaiting = context.first_waiting(record.guid(0));
                awaiting.map(|edt| check.destroyed_awaited(&record, edt))
            }
            Api::ocrSetHintValue => {
                // SAFETY: the call has returned 0, and so has set a value in the hint that its argument points to.
                let hint_type = unsafe { (*(self.args[0] as *const sys::ocrHint_t)).type_ };
                let is_affinity = matches!(
                    (hint_type, self.args[1] as u32),
                    (sys::OCR_HINT_EDT_T, sys::OCR_HINT_EDT_AFFINITY) | (sys::OCR_HINT_DB_T, sys::OCR_HINT_DB_AFFINITY)
                );
                let nodes = outbox::place().map_or(0, |(_, nodes)| nodes);
                let is_node = node_of(record.guid(2)).is_some_and(|node| node < nodes);
                let is_wrong = self.args[2] != 0 && place_of(record.guid(2)).is_none() && !is_node;
                (is_affinity && is_wrong).then(|| check.wrong_affinity(&record))
            }
            Api::ocrFileOpen if self.args[2] != 0 => {
                // SAFETY: the header asks for a C string.
                let mode = unsafe { super::text(self.args[2] as *const c_char) };
                let is_wrong = OpenMode::parse(&mode).is_none();
                is_wrong.then(|| check.wrong_file_mode(&record, &mode))
            }
            _ => {
                let by_hand = check.satisfied_by_hand(self.objects, &record);
                by_hand.or_else(|| check.takes_no_block(&record))
            }
        }
    }

    /// The status that stands for the result of a call that returns another type than a status.
    fn status_of(&self, returned: u64) -> Status {
        match self.call.api {
            Api::ocrLegacyIsChannelReady => {
                let event = Guid::from_bits(self.args[0]);
                match self.objects.event_kind(event) {
                    Some(EventKind::Channel) => Status::OK,
                    None if self.objects.is_awaited(event) => Status::OK,
                    None if self.objects.owner_elsewhere(event).is_some() => Status::OK,
                    _ => Status::EINVAL,
                }
            }
            Api::ocrWait if returned != Guid::ERROR.bits() => Status::OK,
            Api::ocrWait if !self.runtime.is_current() => Status::ECANCELED,
            Api::ocrWait => super::with(Status::EPERM, |context| match context.has_paused() {
                true => Status::EPERM,
                false if context.runtime.end.is_ending() => Status::ECANCELED,
                false => Status::EINVAL,
            }),
            _ => Status::OK,
        }
    }

    /// Checks and records a call after its body, which has returned `status`. Ends the program if the call was refused
    /// for a misuse.
    fn end(&self, status: Status) {
        if status == Status::ENOTSUP {
            strict_note!(
                "{}, in {}, was refused with OCR_ENOTSUP: this runtime does not have what it asks \
                 for, and did nothing; see {}",
                self.call.shown(),
                self.act.who,
                self.call.clause()
            );
        }
        // If the run has ended meanwhile, the call was refused for that, and not for a misuse.
        let goes_on = self.runtime.is_current();
        if !status.is_ok() && !goes_on {
            return;
        }
        if status.is_ok() {
            for &(block, mode, before) in self.passed.iter().filter(|_| goes_on) {
                let to = match Connection::of(self.call, &self.args) {
                    Some(link) => link.destination,
                    None => self.created().unwrap_or(Guid::NULL),
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
            match self.call.api {
                Api::ocrDbDestroy => {
                    let block = Guid::from_bits(self.args[0]);
                    self.check.note_destroyed_early(self.act.who, block);
                }
                Api::ocrDbRelease if goes_on => {
                    let block = Guid::from_bits(self.args[0]);
                    super::with((), |context| context.check_may_close(self.check, block));
                }
                Api::ocrWait | Api::ocrLegacyBlockProgress => {
                    self.check.contents.meanwhile.waited(self.act.who.edt);
                }
                _ => {}
            }
            let created = self.created().unwrap_or(Guid::NULL);
            self.check.succeeded(self.objects, self.call, &self.args, self.act, created);
            // Ranges have no debug labels.
            let is_range = self.call.creates == Some(Creates::Labels);
            if !created.is_null()
                && goes_on
                && !is_range
                && let Some(label) = debug::pending(self.act.who.edt)
            {
                super::with((), |context| {
                    let runtime = context.runtime;
                    runtime.registry.labels.attach(self.objects, created, &label);
                });
                self.check.history.label(created, label);
            }
            return;
        }
        if self.act.who.elsewhere.is_none() {
            self.refused(status);
        }
        self.check.was_refused(self.call, &self.args, self.act);
    }

    /// Notes, once in the process, that a dependence on an output event was added in time only by chance: the EDT might
    /// have ended before.
    fn note_late_ones(&self) {
        let sources = match self.call.api {
            Api::ocrAddDependence | Api::ocrAddDependenceSlot => {
                vec![Guid::from_bits(self.args[0])]
            }
            Api::ocrEdtCreate => self.depv().unwrap_or_default(),
            _ => return,
        };
        super::with((), |context| {
            let late = |source: &Guid| Some((*source, context.may_be_late(self.check, *source)?));
            if let Some((output, edt)) = sources.iter().find_map(late) {
                strict_note_once!("{}", self.check.may_be_late(self.act, output, edt));
            }
        });
    }

    /// Notes, once in the process, that the GUIDs of an EDT and of its output event were stored in one variable.
    fn note_one_variable(&self) {
        let edt = self.args[0] as *const Guid;
        if self.call.creates != Some(Creates::Edt) || edt.is_null() || self.pointer(Role::OutputEvent) != Some(edt) {
            return;
        }
        let (call, who) = (self.call.shown(), self.act.who);
        let what = || self.created().map(|guid| self.check.history.name(guid));
        strict_note_once!(
            "{call}, in {who}, was given one variable for the GUID of the EDT and for that of its \
             output event: it has one of them now, {}, and the other is lost. Give each a variable of its own; NULL for \
             the one that is not needed.",
            what().unwrap_or_default()
        );
    }

    /// Ends the program if the call is, or will be, refused with `status` for a misuse.
    fn refused(&self, status: Status) {
        let depv = self.depv().unwrap_or_default();
        if let Some(misuse) = self.check.refused(self.objects, &self.record(&depv), status) {
            fatal(&misuse.to_string());
        }
    }

    /// The record of the call for messages. It may be asked for only before the body, or after a call that was refused,
    /// since the label must not have been overwritten.
    fn record<'a>(&'a self, depv: &'a [Guid]) -> CallRecord<'a> {
        let mut record = CallRecord {
            spec: self.call,
            args: &self.args,
            act: self.act,
            depv,
            output: self.output(),
            label: None,
            hint: self.hint(),
            collective: self.collective(),
        };
        if record.has_label() {
            record.label = guid_at(self.args[0] as *const Guid);
        } else if self.call.api == Api::ocrGuidFromLabel {
            record.label = Some(labeling::WRONG_ANSWER.get());
        }
        record
    }

    /// The GUID that the `outputEvent` of a create function points to. None for null, or without such an argument.
    fn output(&self) -> Option<Guid> {
        guid_at(self.pointer(Role::OutputEvent)?)
    }

    /// The first argument with this role, as the address of a GUID. None where the function has no such argument.
    fn pointer(&self, role: Role) -> Option<*const Guid> {
        let at = self.call.at(role)?;
        Some(self.args[at] as *const Guid)
    }

    /// The GUID of the object that a create function has made; where it has opened a file, of the block that describes
    /// it.
    fn created(&self) -> Option<Guid> {
        let at = match self.call.creates? {
            Creates::File => 3,
            _ => 0,
        };
        guid_at(self.args[at] as *const Guid)
    }

    /// The parameters that the call gives a collective event. None for another call, or where they are missing or out
    /// of range.
    fn collective(&self) -> Option<CollectiveParams> {
        let kind = EventKind::from_bits(self.args[1] as u32);
        if self.call.api != Api::ocrEventCreateParams || kind != Some(EventKind::Collective) {
            return None;
        }
        let params = self.args[3] as *const sys::ocrEventParams_t;
        // SAFETY: the header asks for null or valid parameters.
        let params = unsafe { params.as_ref() }?;
        // SAFETY: the call is for a collective event, so the program has set this member of the union.
        collective_params(unsafe { &params.__bindgen_anon_1.EVENT_COLLECTIVE }).ok()
    }

    /// The type of the hint that the call was given. None for null and for `ocrHintInit`, whose argument is no hint
    /// yet.
    fn hint(&self) -> Option<u32> {
        let is_hint = |role| matches!(role, Role::Hint | Role::HintOut);
        let at = self.call.position(is_hint)?;
        let hint = self.args[at] as *const sys::ocrHint_t;
        // SAFETY: the header asks for null or a valid hint.
        unsafe { hint.as_ref() }.map(|hint| hint.type_)
    }

    /// The GUIDs in the `depv` of a call. None where there are none, or where their number contradicts the template.
    fn depv(&self) -> Option<Vec<Guid>> {
        let is_depv = |role| matches!(role, Role::Depv | Role::DepvOut);
        let depv = self.args[self.call.position(is_depv)?] as *const Guid;
        if depv.is_null() {
            return None;
        }
        let word = |role: Role| self.call.at(role).map_or(0, |at| self.args[at]);
        let template = Guid::from_bits(word(Role::Template));
        let of_template = self.objects.templates.view(template)?.depc;
        let depc = match word(Role::DepCount) as u32 {
            PARAM_DEF => of_template,
            given if of_template == PARAM_UNK || of_template == given => given,
            // The number contradicts the template, for which the call is refused.
            _ => return None,
        };
        let slots = 0..(depc as i32).max(0) as usize;
        slots.map(|slot| guid_at(depv.wrapping_add(slot))).collect()
    }
}

/// The GUID in a place of the program. None for null.
fn guid_at(place: *const Guid) -> Option<Guid> {
    // SAFETY: the headers ask for null or a valid place. Any bits are valid as a GUID.
    unsafe { place.as_ref() }.copied()
}
