//! Steps 5 and 6 on devices: blocks are brought, kernels are launched, and what follows when the
//! device managers answer.

use super::ahead::{Answer, result_of};
use super::block::set_stuck;
use super::checks::begins;
use super::context::Context;
use super::end::{FATAL_STATUS, end_process, fatal};
use super::files::FETCH_AT_END;
use super::uncaught;
use super::{Flight, Runtime};
use crate::device::{
    self, BlockArg, DeviceError, Events, Launch, LaunchError, List, is_opencl_thread,
};
use crate::object::data_block::{DataBlock, Mark};
use crate::object::edt::{Edt, EdtRef, WAITER};
use crate::object::place::{Place, PlaceSet};
use crate::object::work::NdRange;
use std::cell::Cell;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

/// A gap is nothing beside kernels that take so long, while an EDT that waits behind one may keep all others waiting:
/// then a device takes the next when it has ended the last. So it is with the first ones, of which nothing is known.
const LONG_NS: u64 = 2_000_000;
/// Unless so many EDTs for each worker wait for a place: then the other queues of the device are to have work, too.
const PLENTY: usize = 4;

impl device::Pool for Context {
    type Edt = EdtRef;

    fn is_empty(&self) -> bool {
        self.runtime.queues.pool.is_empty()
    }

    fn take(&mut self) -> Option<EdtRef> {
        self.runtime.queues.take_from_pool()
    }

    fn put_back(&mut self, edt: EdtRef) {
        self.runtime.queues.pool.push(edt);
        self.queued = true;
    }

    fn fitting(&self, edt: &EdtRef) -> PlaceSet {
        let mut fitting = PlaceSet::EMPTY;
        for place in self.runtime.devices.for_edt(edt.get()) {
            fitting.insert(place);
        }
        fitting
    }

    fn devices(&self) -> usize {
        self.runtime.devices.in_use().len()
    }

    fn load(&self, device: Place) -> usize {
        self.runtime.devices.load(device)
    }

    fn ended(&self, device: Place) -> u64 {
        self.runtime.devices.manager(device).ended()
    }

    fn takes_ahead(&self, device: Place) -> bool {
        let pace_ns = self.runtime.devices.manager(device).pace_ns();
        let queues = &self.runtime.queues;
        pace_ns.is_some_and(|ns| ns < LONG_NS) || queues.pool.len() > PLENTY * queues.workers()
    }

    fn give(&mut self, edt: EdtRef, device: Place) {
        self.place_at(edt.get(), device);
    }
}

impl Context {
    /// Brings the blocks of an EDT to where it runs, as far as they are not there. The last answer
    /// makes the EDT ready.
    pub fn bring_blocks(&mut self, edt: &'static Edt) {
        let place = edt.place.get();
        let mut needed = Vec::new();
        for (_, slot) in edt.blocks() {
            let block = self.runtime.objects.data_blocks.pinned(slot.data());
            let (from, host_ready) = {
                let copies = block.copies();
                (copies.to_bring(place), copies.host_ready())
            };
            if place == Place::HOST
                && !host_ready
                && let Err(error) = block.host_memory()
            {
                fatal(&format!(
                    "EDT {} ({}) needs the data block {}, but there is {error}.",
                    edt.guid(),
                    edt.work().name,
                    block.guid(),
                ));
            }
            if let Some(from) = from {
                needed.push((block, from));
            }
        }
        if needed.is_empty() {
            self.brought(edt);
            return;
        }
        {
            let mut locked = edt.header.lock_pinned();
            locked.word = locked.word.with_count(needed.len() as u32);
        }
        let token = EdtRef::new(edt).token();
        for (block, from) in needed {
            self.runtime.begin_outside();
            self.runtime.devices.manager(from).fetch(block, token);
        }
    }

    /// An EDT has its blocks where it runs. One that stands for a thread that waits is done.
    fn brought(&mut self, edt: &'static Edt) {
        match edt.flags.get() & WAITER {
            0 => self.ready(edt),
            _ => self.wake(edt),
        }
    }

    /// Step 6, on a device: hands the EDT's kernel to the device's manager.
    pub fn launch(&mut self, edt: &'static Edt) {
        if self.runtime.end.is_ending() {
            return;
        }
        let place = edt.place.get();
        let Some((variant, kernel)) = edt.work().kernel_on(place) else {
            fatal(&self.runtime.devices.nothing_runs(edt));
        };
        edt.variant.set(variant as u8);
        if let Some(check) = &self.runtime.check {
            let (kernel, device) = (
                &edt.work().kernels[variant].name,
                self.runtime.devices.used(place),
            );
            let text = format!("the kernel \"{kernel}\" on {}", device.info.name);
            check.history.runs_as(edt.guid(), Some(text));
            begins(check, edt);
            self.check_reads(check, edt);
        }
        let blocks: List<Option<BlockArg>> = edt
            .slots()
            .iter()
            .map(|slot| {
                let data = slot.data();
                (!data.is_null()).then(|| BlockArg {
                    block: self.runtime.objects.data_blocks.pinned(data),
                    writes: slot.info().mode.writes(),
                })
            })
            .collect();
        let range = range_of(edt, variant, &blocks, self.runtime.check.is_some());
        self.runtime.takes_off(Flight::LAUNCH);
        self.runtime.devices.manager(place).launch(Launch {
            token: EdtRef::new(edt).token(),
            kernel,
            range,
            params: edt.params().iter().copied().collect(),
            blocks,
            awaited: edt.is_awaited(),
            follows: self.follows(edt),
        });
    }

    /// Gives devices that have room EDTs of the pool.
    pub fn feed_devices(&mut self) {
        device::feed(self);
    }

    fn launched(&mut self, edt: &'static Edt, answer: Answer) {
        if self.runtime.end.is_ending() {
            return self.launched_at_end(edt, answer);
        }
        let mut next = match self.keeps(edt, answer) {
            Ok(()) => self.set_aside(edt),
            Err(answer) => Some((edt, answer)),
        };
        while let Some((edt, answer)) = next {
            let token = EdtRef::new(edt).token();
            let Some(answer) = self.without_followers(edt, answer) else {
                break;
            };
            self.answered(edt, answer);
            next = self.follow(token);
        }
        self.feed_devices();
        self.work_off();
    }

    fn answered(&mut self, edt: &'static Edt, answer: Answer) {
        match answer {
            Ok(ns) => {
                self.runtime.devices.has_run(edt.guid());
                self.tally.kernel_edts.add(1);
                self.count_time(edt.work(), edt.place.get(), ns);
                let result = result_of(edt);
                if let Some(check) = &self.runtime.check {
                    self.check_end(check, edt, result);
                }
                self.finish(edt, result);
            }
            Err(error) if error.inputs_intact && edt.work().function.is_some() => {
                self.runtime.registry.note(format!(
                    "EDT {} of template \"{}\" ran its C function, since {error}",
                    edt.guid(),
                    edt.work().name
                ));
                self.fall_back(edt, Place::HOST);
            }
            Err(error) if error.inputs_intact => self.run_elsewhere(edt, &error),
            Err(error) => failed(edt, &error),
        }
    }

    /// Has an EDT without a C function, whose kernel has failed, go on on a device on which it has not.
    #[cold]
    fn run_elsewhere(&mut self, edt: &'static Edt, error: &LaunchError) {
        let devices = &self.runtime.devices;
        let Some(place) = devices.not_failed_on(edt) else {
            failed(edt, error);
        };
        self.runtime.registry.note(format!(
            "EDT {} of template \"{}\" went to device '{}', since {error}",
            edt.guid(),
            edt.work().name,
            devices.used(place).info.name
        ));
        self.fall_back(edt, place);
    }

    /// A run that ends does not go on with anything. But what a kernel has left half written is not to be
    /// written to a file as if nothing had happened; after `ocrAbort` nothing is.
    #[cold]
    fn launched_at_end(&mut self, edt: &'static Edt, answer: Answer) {
        let mut next = Some((edt, answer));
        while let Some((edt, answer)) = next {
            if let Err(error) = answer
                && !error.inputs_intact
                && !self.runtime.end.was_aborted()
            {
                failed(edt, &error);
            }
            next = self.kept_behind(edt);
        }
    }

    fn fetched(&mut self, edt: &'static Edt) {
        let left = edt.header.lock_pinned().count_down();
        if left != 0 {
            return;
        }
        if self.runtime.end.is_ending() {
            // A run that ends goes on with nothing, but who waits gets what was there before.
            if edt.flags.get() & WAITER != 0 {
                self.wake(edt);
            }
            return;
        }
        // Only for one in mode RO can a writer elsewhere have made the host's copy old meanwhile: it gets that copy, since
        // with one writer after the other it would never get a newer one (`object::data_block`, "copies").
        self.brought(edt);
        self.work_off();
    }
}

/// Ends the program since an EDT's kernel has failed, and its C function cannot run instead.
fn failed(edt: &Edt, error: &LaunchError) -> ! {
    let intact = match (error.inputs_intact, edt.work().function.is_some()) {
        (true, _) => "the template has no C function to run instead, and no other device can",
        (false, true) => "its data may be half written, so its C function cannot run",
        (false, false) => "its data may be half written",
    };
    fatal(&format!(
        "EDT {} of template \"{}\": {error}; {intact}.",
        edt.guid(),
        edt.work().name
    ))
}

thread_local! {
    /// The EDT for which this thread runs a range function, or null.
    static RANGE_OF: Cell<*const Edt> = const { Cell::new(ptr::null()) };
}

/// The EDT for which this thread runs a range function. For the handler of a signal, too.
pub fn asks_range_of() -> Option<&'static Edt> {
    // SAFETY: the EDT is about to be launched, and slots live as long as the runtime.
    unsafe { RANGE_OF.get().as_ref() }
}

/// Says once that a kernel does nothing since it has work-items in some dimensions and none in another.
#[cold]
fn tell_of_none(edt: &Edt, dimensions: u32, none: usize) {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if !TOLD.swap(true, Ordering::Relaxed) {
        tell!(
            "ocr: note: strict mode: the kernel of EDT {} ({}) does nothing: its index space has {dimensions} dimensions, \
             but 0 work-items in dimension {none}. Set globalSize[{none}], or fewer dimensions. More of this kind is not \
             told.",
            edt.guid(),
            edt.work().name
        );
    }
}

/// With more a device would be busy for days or years. PoCL ends the process then, and with fewer, too, where they are
/// 2^32 work-groups or more.
const MOST_WORK_ITEMS: usize = 1 << 56;

/// The index space of an EDT: given at creation, or made by the template's function.
fn range_of(
    edt: &Edt,
    variant: usize,
    blocks: &[Option<BlockArg>],
    strict: bool,
) -> device::NdRange {
    let mut range = NdRange::default();
    if let Some(given) = edt.explicit_range() {
        range.work_dim = given.work_dim as u32;
        range.global_offset = given.offset.map(|n| n as usize);
        range.global_size = given.global.map(|n| n as usize);
        range.local_size = given.local.map(|n| n as usize);
    } else if let Some(function) = edt.work().kernels[variant].range {
        let sizes: List<u64> = blocks
            .iter()
            .map(|arg| arg.as_ref().map_or(0, |arg| arg.block.size()))
            .collect();
        let (paramc, depc) = (edt.paramc.get(), edt.depc.get());
        // As an EDT's function gets them.
        let params = match paramc {
            0 => ptr::null(),
            _ => edt.params().as_ptr(),
        };
        let sizes = match depc {
            0 => ptr::null(),
            _ => sizes.as_ptr(),
        };
        RANGE_OF.set(edt);
        uncaught::call(|| {
            // SAFETY: the program's function gets what `ocrNdRangeFn_t` promises.
            unsafe { function(paramc, params, depc, sizes, &mut range) }
        });
        RANGE_OF.set(ptr::null());
    } else {
        fatal(&format!(
            "EDT {} of template \"{}\": nobody says how many work-items it has. Its kernel is that of \
             ocrOpenclTemplateCreate: create the EDT by ocrOpenclTaskCreate, or add the kernel by \
             ocrEdtTemplateAddKernel, with a function that says it.",
            edt.guid(),
            edt.work().name
        ));
    }
    if !(1..=3).contains(&range.work_dim) {
        fatal(&format!(
            "EDT {} of template \"{}\": its index space has {} dimensions; it must have 1 to 3. \
             Set workDim in the template's range function, or pass work_dim to \
             ocrOpenclTaskCreate.",
            edt.guid(),
            edt.work().name,
            range.work_dim
        ));
    }
    let sizes = &range.global_size[..range.work_dim as usize];
    let all = (sizes.iter()).try_fold(1usize, |all, size| all.checked_mul(*size));
    if all.is_none_or(|all| all > MOST_WORK_ITEMS) && !sizes.contains(&0) {
        fatal(&format!(
            "EDT {} of template \"{}\": its index space has {sizes:?} work-items in its dimensions, with which no device \
             comes to an end. A size may be negative, or was never set: globalSize in the template's range function, \
             or global_work_size of ocrOpenclTaskCreate.",
            edt.guid(),
            edt.work().name
        ));
    }
    if strict
        && let Some(none) = sizes.iter().position(|size| *size == 0)
        && sizes.iter().any(|size| *size != 0)
    {
        tell_of_none(edt, range.work_dim, none);
    }
    device::NdRange {
        work_dim: range.work_dim,
        offset: range.global_offset,
        global: range.global_size,
        local: (range.local_size[0] != 0).then_some(range.local_size),
    }
}

thread_local! {
    /// Whether this manager's thread is telling the engine something.
    static ANSWERS: Cell<bool> = const { Cell::new(false) };
}

/// What a device manager tells the engine, on the manager's thread.
pub(super) struct Answers(pub(super) &'static Runtime);

impl Answers {
    /// Works on this thread's context, and counts the work that was answered out afterwards.
    ///
    /// What is asked of a manager that was stopped, at the end of the run, is answered on the thread that asked,
    /// which is in the middle of a call, or of an answer of another manager: nothing is done there.
    fn with_context(&self, counted: Option<Flight>, f: impl FnOnce(&mut Context)) {
        let is_manager = is_opencl_thread();
        if !is_manager && !self.0.end.is_ending() {
            fatal("the thread that works for an OpenCL device has ended: see the message before.");
        }
        if is_manager && !ANSWERS.replace(true) {
            if let Some(context) = Context::enter_call() {
                // SAFETY: the context is that of a manager's thread, which works on it here alone, and not within another
                // answer.
                let context = unsafe { &mut *context };
                context.is_manager = true;
                f(context);
                Context::leave_call();
            }
            ANSWERS.set(false);
        }
        if let Some(flight) = counted {
            self.0.lands(flight);
        }
    }
}

fn edt_of(token: usize) -> &'static Edt {
    // SAFETY: the manager answers each token once, and it was made by `token`.
    unsafe { EdtRef::from_token(token) }.get()
}

impl Events for Answers {
    fn enqueued(&self, token: usize) {
        // SAFETY: the launch has not been answered, and the EDT is its.
        let edt = unsafe { EdtRef::from_token(token) }.get();
        self.with_context(None, |context| context.enqueued(edt));
    }

    fn launched(&self, token: usize, result: Answer) {
        self.with_context(Some(Flight::LAUNCH), |context| {
            context.launched(edt_of(token), result);
        });
    }

    fn fetched(&self, token: usize, result: Result<(), DeviceError>) {
        if token == FETCH_AT_END {
            return self.0.fetch_at_end.answered(result);
        }
        let edt = edt_of(token);
        match result {
            Ok(_) => self.with_context(Some(Flight::OTHER), |context| context.fetched(edt)),
            Err(_) if self.0.end.is_ending() => {
                // The EDT stays as it is. If it stands for a thread, that is not to wait for it.
                if edt.flags.get() & WAITER != 0 {
                    set_stuck(edt, true);
                }
                self.0.end_outside();
            }
            Err(error) => fatal(&format!(
                "EDT {} of template \"{}\" cannot get its data: {error}",
                edt.guid(),
                edt.work().name
            )),
        }
    }

    fn forgotten(&self, block: &'static DataBlock) {
        if block.has(Mark::Leaving) {
            // One device after the other is asked.
            self.with_context(Some(Flight::OTHER), |context| context.leave_whole(block));
            return;
        }
        let left = block.header.lock_pinned().count_down();
        if left == 0 {
            self.with_context(Some(Flight::OTHER), |context| context.forgotten(block));
        }
    }

    fn gave_up(&self, error: DeviceError) {
        fatal(&format!(
            "{error}. The program cannot go on without the device."
        ));
    }

    /// The panic hook has said what happened. Without the device the program could wait for ever.
    fn broke_down(&self) {
        end_process(FATAL_STATUS)
    }
}
