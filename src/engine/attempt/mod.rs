//! Attempts: an EDT whose function crashes, or takes too long, is undone and runs again (`OCR_RETRY`). The phases of an
//! attempt are in `state/attempt.rs`.
//!
//! With the setting, functions of the program run as attempts on workers, and kernels on devices. What the runtime runs
//! for itself does not. A kernel makes no calls, and what it writes does not count before it has ended well
//! (`device/opencl/settle.rs`); `life/launch.rs` does what is decided when one has failed. The rest is about functions:
//! `life/observed.rs`, by which a function is called whose call is looked at, hands the function to
//! [`run`]. Without the setting no function comes there for this.
//!
//! # What an attempt does with calls
//!
//! The specification lets a runtime "defer all event satisfactions to the end of the EDT", and knows nothing of how long
//! a call takes. So what others could see is held, and carried out in the order of the program when the function has
//! returned. `calls.rs` decides it for each call:
//!
//! | call | what is done |
//! |---|---|
//! | asks something, or is about a variable of the program's | it is made |
//! | `ocrEventCreate`, `ocrEventCreateParams`, `ocrDbCreate`, `ocrEdtTemplateCreate`, without a label | it is made, and the object destroyed if the attempt is undone: nothing else can know its GUID |
//! | `ocrEdtCreate` without a label or a given output event | the EDT is made, with one more reason to wait; what it is connected to, and the end of that reason, are held |
//! | `ocrEventSatisfy`, `ocrEventSatisfySlot`, `ocrAddDependence`, `ocrDbRelease`, `ocrDbDestroy`, `ocrEventDestroy`, `ocrEdtDestroy`, `ocrEdtTemplateDestroy`, where it would succeed now | it is held, and returns 0 |
//! | `ocrDbDestroy`, `ocrEventDestroy`, `ocrEdtTemplateDestroy` of what the attempt has made and no held call names | it is made |
//! | `ocrShutdown`; the text of `ocrPrintf` | it is held |
//! | `ocrSetHint`, `ocrAttachDebugLabel` of what the attempt has made | it is made |
//! | all others, and those above where they would not succeed or it is not known | what was held is carried out, then the call is made: the attempt is open |
//!
//! Each call that returns an error returns the one that it would return without attempts, and what waits for others
//! does so when these can go on.
//!
//! # What is undone
//!
//! Blocks that the EDT holds in RW or EW mode have their content before the attempt, `paramv` and `depv` have, objects
//! that the attempt has made are destroyed, and held calls forgotten (`undo.rs`). A block in RW mode, which several
//! EDTs may hold, is the attempt's alone meanwhile. Where others hold it already, the attempt is open from the
//! beginning. Global variables are not undone: in verification mode, `globals.rs` finds EDTs that change them.
//!
//! # Duplicates
//!
//! A duplicate is an attempt of another kind: its function runs while the kernel of its EDT does, on copies
//! (`duplicate.rs`). It is left where another attempt would be open.
//!
//! # How a crash is left
//!
//! A function that runs beyond its time limit counts as one that crashes (`process/crash/late.rs`).
//!
//! The handler of the signal has the thread go on in the frame that has called the function (`point.rs`). Whether the
//! process can go on then is decided in `process/crash/again.rs`.

pub(crate) mod calls;
pub(crate) mod duplicate;
mod globals;
pub(crate) mod point;
mod undo;

use crate::engine::attempt::globals::Globals;
use crate::engine::attempt::point::{Arguments, LATE, LeftCrash, Point};
use crate::engine::state::attempt::{AfterReturn, AttemptProgress, HeldStep};
use crate::engine::state::context::Context;
use crate::engine::state::fatal::print_text;
use crate::engine::state::user_call::rust_calls;
use crate::object::code::{EdtFunction, WorkKind};
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use crate::object::hints::EDT_TIME;
use crate::object::name::EdtName;
use crate::report::tally::Tally;
use crate::symbols;
use ocr_base::text::Counted;
use std::sync::Arc;
use std::time::Duration;

/// Whether the function of an EDT runs as an attempt.
pub(crate) fn is_for(context: &Context, edt: &Edt) -> bool {
    is_of_program(edt) && context.runtime.retry_of(edt).is_on()
}

/// Whether an EDT runs for the program, not for a call of the runtime.
fn is_of_program(edt: &Edt) -> bool {
    matches!(edt.work().kind, WorkKind::Program | WorkKind::Main)
}

/// Runs the function of an EDT as attempts, until one is carried out. Returns what the last one returned.
///
/// # Safety
/// `context` is this thread's, its current EDT is `edt`, and no reference into it is alive: the function calls the
/// runtime, which makes its own. The arguments are what `ocrEdt_t` promises.
pub(crate) unsafe fn run(context: *mut Context, edt: &'static Edt, function: EdtFunction, with: Arguments) -> Guid {
    let (progress, limited) = {
        // SAFETY: the caller promises that the context is this thread's, and that no reference into it is alive. This
        // one ends before the function is called.
        let this = unsafe { &mut *context };
        let failed = if edt.work().kernels.is_empty() { None } else { this.runtime.devices.take_failed(edt.guid()) };
        let mut progress = failed.unwrap_or_else(|| AttemptProgress::begin(this.runtime.retry_of(edt)));
        this.attempt = Some(Box::default());
        this.save(edt, &mut progress);
        (progress, this.limited(edt))
    };
    let point = Point::new(progress, function);
    // SAFETY: the caller promises arrays of these lengths, which nothing else uses before the function is called.
    let before = unsafe { undo::ArgumentsBefore::of(with) };
    let result = loop {
        let globals = point.progress.get().is_trial().then(|| (Globals::look(), rust_calls()));
        if let Some((tally, limit)) = &limited {
            tally.now.limit.begin_with(*limit);
        }
        // SAFETY: the caller promises what `ocrEdt_t` does.
        let result = unsafe { point.call(function, with) };
        if let Some((tally, _)) = &limited {
            tally.now.limit.end();
        }
        let next = match point.crash.take() {
            Some(crash) => {
                point.with_progress(AttemptProgress::crashes);
                // SAFETY: the caller promises that the context is this thread's. The function is left, and so no
                // reference that it made is used any more.
                let this = unsafe { &mut *context };
                this.tell_undone(edt, crash, point.progress.get());
                AfterReturn::Repeat
            }
            None => {
                let is_repeatable = globals.is_none_or(|(before, calls)| calls == rust_calls() && before.is_as_now());
                point.with_progress(|progress| progress.returns(is_repeatable))
            }
        };
        match next {
            AfterReturn::Nothing => break result,
            // SAFETY: the caller promises that the context is this thread's, and no reference into it is alive.
            AfterReturn::CarryOut => unsafe { carry_out(context) },
            AfterReturn::Repeat => {
                // SAFETY: the caller promises that the context is this thread's. The function has returned or is left,
                // so no reference that it made is used any more.
                let this = unsafe { &mut *context };
                this.undo();
                // SAFETY: these are the arrays that were looked at before, and the function does not run.
                unsafe { before.restore(with) };
                if point.progress.get().failed() == 0 {
                    this.tally.counts.attempts_repeated.add(1);
                }
                point.with_progress(AttemptProgress::again);
                continue;
            }
        }
        break result;
    };
    // SAFETY: the caller promises that the context is this thread's. The function has returned, so no reference that it
    // made is alive.
    let this = unsafe { &mut *context };
    this.attempt = None;
    if point.progress.get().failed() != 0 {
        this.tally.counts.edts_recovered.add(1);
    }
    result
}

/// Has the attempt of this thread be open from here on: carries out what it holds. In a call of the runtime.
///
/// # Safety
/// `context` is this thread's, and no reference into it is alive.
pub(crate) unsafe fn carry_out(context: *mut Context) {
    let held = {
        // SAFETY: the caller promises that the context is this thread's, and that no reference into it is alive. This
        // one ends before calls are made.
        let this = unsafe { &mut *context };
        let Some(attempt) = this.attempt.as_deref_mut() else { return };
        let held = std::mem::take(&mut attempt.held);
        attempt.forget_calls();
        attempt.saved.clear();
        // Before the calls, which may release a block in the mode in which the EDT has acquired it.
        this.share_again();
        held
    };
    for step in held {
        if let HeldStep::Call { carry_out, api, words } = step {
            carry_out(api, &words);
            continue;
        }
        // SAFETY: the caller promises that the context is this thread's, and no reference into it is alive: the calls
        // before have returned.
        let this = unsafe { &mut *context };
        match step {
            HeldStep::Dependence { source, edt, slot, mode } => {
                if this.ask_graph(|graph| graph.add_dependence(source, edt, slot, mode)).is_err() {
                    let say = || format!("ocrEdtCreate cannot connect pre-slot {slot} of {edt} to {source} any more");
                    this.runtime.registry.refusals.add(say);
                }
            }
            HeldStep::Start(edt) => this.with_graph(|graph| graph.end_hold(edt)),
            HeldStep::Text(text) => print_text(&text),
            HeldStep::Call { .. } => {}
        }
    }
}

impl Context {
    /// The tally of this thread, and the time limit of the function of this EDT, where it has one.
    pub(crate) fn limited(&self, edt: &Edt) -> Option<(Arc<Tally>, Duration)> {
        let limit = self.runtime.settings.time_limit.filter(|_| is_of_program(edt))?;
        let limit = limit.of(self.runtime.objects.edts.hint(edt, EDT_TIME))?;
        Some((self.tally.clone(), limit))
    }

    /// Says that an EDT has crashed and runs again, once for each template.
    #[cold]
    fn tell_undone(&mut self, edt: &Edt, crash: LeftCrash, progress: AttemptProgress) {
        let counts = &self.tally.counts;
        let count = if crash.signal == LATE { &counts.attempts_late } else { &counts.attempts_undone };
        count.add(1);
        if !edt.work().told_undone.is_first() {
            return;
        }
        let place =
            symbols::place_of(crash.instruction).map_or(String::new(), |place| format!("; the instruction is {place}"));
        let (what, further) = match crash.signal {
            LATE => {
                let seconds = self.tally.now.limit.limit().as_secs_f64();
                (format!("was beyond its time limit of {seconds} s"), "attempts")
            }
            signal => (format!("crashed with {}", signal_name(signal)), "crashes"),
        };
        note!(
            "{} {what} and is undone; attempt {} of {} follows (OCR_RETRY){place}. Further {further} of this template are \
             counted.",
            EdtName::of(edt),
            progress.number() + 1,
            progress.most(),
        );
    }
}

/// The name of a signal that a crash causes.
fn signal_name(signal: libc::c_int) -> &'static str {
    match signal {
        libc::SIGILL => "SIGILL",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGABRT => "SIGABRT",
        _ => "SIGSEGV",
    }
}

/// Says how many attempts crashed, were beyond the time limit, or were kernels that failed, and were undone, at the end
/// of a run.
pub(crate) fn tell_undone(attempts: u64, late: u64, kernels: u64, recovered: u64) {
    let part = |number: u64, what: &'static str, failed: &str| {
        let were = if number == 1 { "was" } else { "were" };
        (number != 0).then(|| format!("{} {failed} and {were} undone", Counted(number, what)))
    };
    let late = part(late, "attempt", "took too long");
    let parts = [part(attempts, "attempt", "crashed"), late, part(kernels, "kernel", "failed")];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        note!("OCR_RETRY: {}; {} ended well after that.", parts.join(", "), Counted(recovered, "EDT"));
    }
}

/// Says how many EDTs were undone on purpose, at the end of a run in verification mode.
pub(crate) fn tell_repeated(repeated: u64, opened: u64) {
    let (repeated, opened) = (Counted(repeated, "EDT"), Counted(opened, "attempt"));
    note!("OCR_RETRY=verify: {repeated} ran twice, the first time undone; {opened} could not be undone.");
}
