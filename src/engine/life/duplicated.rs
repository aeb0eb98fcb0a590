//! Duplicates (`OCR_DUPLICATES`): a worker that has nothing to do calls the function of an EDT whose kernel runs on a
//! device. What ends first counts. Phases, and who is first, are in `state/duplicates.rs`.
//!
//! 1. *Launched*: an EDT that may have a duplicate is noted ([`Context::note_launched`]).
//! 2. *Asked for*: the policy names it to a worker that finds nothing else ([`ocr_place::policy::Keeper::duplicate`]).
//! 3. *Begun*: the worker copies its blocks, and calls the function ([`run_duplicate`], `attempt/duplicate.rs`).
//! 4. *Ended*: the device's manager is told, unless the EDT has ended. If the kernel has not, it is outrun
//!    ([`Context::outrun`]), and runs on in vain.
//! 5. *Taken*: the EDT goes to the host with all its blocks. The worker that runs it finds that its function has
//!    returned, and what that has left becomes the content of its blocks ([`Context::take_returned`]).
//!
//! # Which EDTs may have one
//!
//! Those of the program that have a function and a kernel, and whose `OCR_HINT_EDT_RETRY` is not 0. A finish EDT has
//! none, since others do part of its work, nor has one that shares a block in mode RW with an EDT that runs. That a
//! function runs though a kernel may have done its work is what the setting consents to: global variables and files are
//! not undone.
//!
//! A function that runs while the device is idle has no duplicate there: it writes into its blocks as it goes.
//!
//! With the setting, kernels are settled as with `OCR_RETRY`: what one writes is copied to the host before it counts.
//! The content from before the kernel is there for the function, and a kernel that comes second writes nothing that is
//! read. Each kernel costs these copies, also where a device shares the host's memory. Without the setting, each launch
//! and each answer costs a look at an `Option`.

use crate::device::{KernelTime, LaunchError};
use crate::engine::attempt::duplicate::{self, DuplicateArguments, DuplicateEnd};
use crate::engine::life::recording::number;
use crate::engine::state::chained::LaunchResult;
use crate::engine::state::context::Context;
use crate::engine::state::duplicates::{AfterAnswer, AfterCopy, AfterFunction, ReturnedFunction, VainKernel};
use crate::memory;
use crate::object::code::{Code, EdtFunction, WorkKind};
use crate::object::edt::{Edt, EdtRef, PreSlot};
use crate::object::guid::Guid;
use crate::object::hints::EDT_RETRY;
use crate::object::name::EdtName;
use crate::trace;
use crate::trace::events;
use crate::trace::format::DuplicateStep;
use ocr_place::model::Shape;
use ocr_place::place::Place;
use std::time::Instant;

/// A duplicate that was begun. The EDT may be gone.
struct BegunDuplicate {
    token: usize,
    /// The number of the launch.
    launch: u64,
    edt: Guid,
    function: EdtFunction,
    arguments: DuplicateArguments,
    work: &'static Code,
    shape: Shape,
    /// The device that runs the kernel.
    place: Place,
    begun: Instant,
}

/// Makes a duplicate of the EDT with this token, which the policy has named, if it can have one by now.
///
/// # Safety
/// `context` is that of this worker, which runs no EDT, and no reference into it is alive.
pub(crate) unsafe fn run_duplicate(context: *mut Context, token: usize) {
    let begun = {
        // SAFETY: the caller promises that the context is this thread's, and that no reference into it is alive. This
        // one ends before the function is called.
        let this = unsafe { &mut *context };
        this.begin_duplicate(token)
    };
    let Some(BegunDuplicate { token, launch, edt, function, arguments, work, shape, place, begun }) = begun else {
        return;
    };
    // SAFETY: the context is this worker's, it runs no EDT, and the reference above has ended. The arguments were
    // copied for the function.
    let end = unsafe { duplicate::call(context, function, arguments) };
    let ns = begun.elapsed().as_nanos() as u64;
    // SAFETY: the caller promises that the context is this thread's. The function has returned or is left.
    let this = unsafe { &mut *context };
    this.end_duplicate((token, launch), (edt, work, place), shape, (end, ns));
}

impl Context {
    /// The kernel of an EDT is about to be launched: notes it, if the EDT may have a duplicate.
    pub(crate) fn note_launched(&self, edt: &Edt) {
        let Some(duplicates) = &self.runtime.duplicates else { return };
        let work = edt.work();
        let is_of_program = work.kind == WorkKind::Program && work.function.is_some();
        let is_refused = || self.runtime.objects.edts.hint(edt, EDT_RETRY) == Some(0);
        if is_of_program && !edt.flags.get().is_finish() && !is_refused() {
            duplicates.launches(EdtRef::new(edt).token(), work);
        }
    }

    /// Copies what the function gets. None if there is no duplicate.
    fn begin_duplicate(&mut self, token: usize) -> Option<BegunDuplicate> {
        let runtime = self.runtime;
        let duplicates = runtime.duplicates.as_ref().filter(|_| !runtime.end.is_ending())?;
        let launch = duplicates.begins(token)?;
        // SAFETY: the token names an EDT whose kernel was launched, and that stays until the copies are made.
        let edt = unsafe { EdtRef::from_token(token) }.get();
        let (guid, work, shape, place) = (edt.own_guid(), edt.work(), self.runtime.shape_of(edt), edt.place.get());
        let arguments = self.copy_for_duplicate(edt);
        match duplicates.copied(token, arguments.is_some()) {
            AfterCopy::Runs => {}
            AfterCopy::Alone => {
                self.work_off();
                return None;
            }
            AfterCopy::Answered(answer) => {
                self.answered(edt, answer);
                self.feed_devices();
                self.work_off();
                return None;
            }
        }
        let (arguments, function) = arguments.zip(work.function)?;
        self.tally.counts.duplicates.add(1);
        if trace::is_on() {
            events::duplicate(guid.bits(), DuplicateStep::Begins, number(place));
        }
        Some(BegunDuplicate {
            token,
            launch,
            edt: guid,
            function,
            arguments,
            work,
            shape,
            place,
            begun: Instant::now(),
        })
    }

    /// The function of a duplicate has returned, or was left.
    fn end_duplicate(
        &mut self,
        launch: (usize, u64),
        (guid, work, place): (Guid, &'static Code, Place),
        shape: Shape,
        (end, ns): (DuplicateEnd, u64),
    ) {
        let Some(duplicates) = &self.runtime.duplicates else { return };
        if self.runtime.end.is_ending() {
            return;
        }
        let why_left = match &end {
            DuplicateEnd::Returned(..) => None,
            DuplicateEnd::Called(api) => Some(format!("calls {}", api.name())),
            DuplicateEnd::InRust => Some("is written in Rust".to_string()),
            DuplicateEnd::Crashed => Some("has crashed".to_string()),
        };
        let returned = match end {
            DuplicateEnd::Returned(result, attempt, blocks) => {
                let beside = self.runtime.any_device_runs(Place::HOST);
                if self.runtime.learns && work.has_variants() {
                    work.times.sample(Place::HOST.number(), shape, ns, beside);
                }
                Some(Box::new(ReturnedFunction { result, attempt, blocks, ns }))
            }
            _ => None,
        };
        let has_returned = returned.is_some();
        let manager = self.runtime.devices.manager(place);
        let after = duplicates.ended(launch, returned, || manager.outrun(launch.0, launch.1));
        // Behind the end of its EDT, a function may find objects gone that it uses: that is no fault of its own.
        let is_in_vain = matches!(after, AfterFunction::InVain);
        if let Some(why) = why_left.filter(|_| !is_in_vain && duplicates.refuse(work)) {
            let name = work.name.best();
            note!("no further duplicates are made of EDTs of {name} (OCR_DUPLICATES), since the function {why}.");
        }
        if trace::is_on() {
            let step = match after {
                AfterFunction::InVain => DuplicateStep::EndsInVain,
                _ if !has_returned => DuplicateStep::IsLeft,
                _ => DuplicateStep::Ends,
            };
            events::duplicate(guid.bits(), step, number(place));
        }
        // SAFETY: in both cases the answer to the launch was kept for this thread, so the EDT is there.
        let edt = || unsafe { EdtRef::from_token(launch.0) }.get();
        match after {
            AfterFunction::InVain | AfterFunction::Told | AfterFunction::Alone => return,
            AfterFunction::Replaced(error) => self.kernel_is_replaced(edt(), &error),
            AfterFunction::Failed(error) => self.answered(edt(), Err(error)),
        }
        self.feed_devices();
        self.work_off();
    }

    /// The launch of an EDT is answered. None if the answer is not what counts, or not yet.
    pub(crate) fn unless_duplicated(&mut self, edt: &'static Edt, answer: LaunchResult) -> Option<LaunchResult> {
        let Some(duplicates) = &self.runtime.duplicates else { return Some(answer) };
        let token = EdtRef::new(edt).token();
        match duplicates.answered(token, answer) {
            AfterAnswer::Goes(answer, is_in_vain) => {
                self.tally.counts.duplicates_in_vain.add(u64::from(is_in_vain));
                Some(answer)
            }
            AfterAnswer::Kept => None,
            AfterAnswer::Replaced(error) => {
                self.kernel_is_replaced(edt, &error);
                None
            }
        }
    }

    /// The kernel of an EDT does not count, since its function has ended before. It may run on.
    pub(crate) fn outrun(&mut self, edt: &'static Edt) {
        let (runtime, token) = (self.runtime, EdtRef::new(edt).token());
        let Some(duplicates) = runtime.duplicates.as_ref().filter(|_| !runtime.end.is_ending()) else { return };
        let (guid, work, shape, place) = (edt.own_guid(), edt.work(), runtime.shape_of(edt), edt.place.get());
        let Some(launch) = duplicates.outrun(token, VainKernel { work, shape, place, edt: guid }) else { return };
        if let Some(keeper) = runtime.policy.keeper() {
            keeper.outrun(token, place, launch as usize, runtime);
        }
        if trace::is_on() {
            events::duplicate(guid.bits(), DuplicateStep::KernelIsOutrun, number(place));
        }
        self.go_on_as_returned(edt);
        self.feed_devices();
        self.work_off();
    }

    /// The kernel of an EDT has failed, and what its function has left counts.
    fn kernel_is_replaced(&mut self, edt: &'static Edt, error: &LaunchError) {
        self.note_failed(edt, error);
        self.runtime
            .registry
            .note(format!("{} had been run by its C function, too (OCR_DUPLICATES), when {error}", EdtName::of(edt)));
        self.tell_keeper(edt);
        self.go_on_as_returned(edt);
    }

    /// An EDT goes to the host whose function has returned.
    fn go_on_as_returned(&mut self, edt: &'static Edt) {
        let blocks = &self.runtime.objects.data_blocks;
        memory::go_on_alone(edt, Place::HOST, |slot: &PreSlot| blocks.pinned(slot.data()));
        self.bring_blocks(edt);
    }

    /// What the function of an EDT has left that runs on this worker, if that has been called before.
    pub(crate) fn take_returned(&self, edt: &Edt) -> Option<ReturnedFunction> {
        let duplicates = self.runtime.duplicates.as_ref()?;
        let returned = duplicates.take(EdtRef::new(edt).token())?;
        self.tally.counts.duplicates_first.add(1);
        // Kernels of it may have failed before.
        self.kernel_has_run(edt);
        self.count_time(edt.work(), Place::HOST, returned.ns);
        Some(*returned)
    }

    /// A kernel that does not count has ended.
    pub(crate) fn ended_in_vain(&mut self, launch: u64, time: Option<KernelTime>) {
        let kernel = self.runtime.duplicates.as_ref().and_then(|duplicates| duplicates.take_vain(launch));
        let Some(VainKernel { work, shape, place, edt }) = kernel.filter(|_| !self.runtime.end.is_ending()) else {
            return;
        };
        if let Some(time) = time {
            self.learn_of_kernel(work, shape, place, time);
        }
        if trace::is_on() {
            events::duplicate(edt.bits(), DuplicateStep::KernelEndsInVain, number(place));
        }
        if let Some(keeper) = self.runtime.policy.keeper() {
            keeper.ended(launch as usize, place, false, self.runtime);
        }
        self.feed_devices();
        self.work_off();
    }
}
