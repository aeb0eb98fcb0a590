//! What the device managers tell the engine, on their threads.

use crate::device::{DeviceError, KernelTime, ManagerEvents, is_opencl_thread};
use crate::engine::state::chained::LaunchResult;
use crate::engine::state::context::Context;
use crate::engine::state::end::FATAL_STATUS;
use crate::engine::state::fatal::{end_process, fatal};
use crate::engine::state::fetch_at_end::FETCH_AT_END;
use crate::engine::state::runtime::{Flight, Runtime};
use crate::engine::state::waiters::set_stuck;
use crate::object::data_block::{DataBlock, Mark};
use crate::object::edt::{Edt, EdtRef};
use crate::object::name::EdtName;
use ocr_place::model::Direction;
use ocr_place::place::Place;
use ocr_place::policy::Machine;
use std::cell::Cell;
use std::time::Duration;

thread_local! {
    /// Whether this manager's thread is telling the engine something.
    static ANSWERS: Cell<bool> = const { Cell::new(false) };
}

/// What a device manager tells the engine, on the manager's thread.
pub(crate) struct DeviceEvents(pub(crate) &'static Runtime);

impl DeviceEvents {
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
                // SAFETY: the context is that of a manager's thread, which works on it here alone, and not within
                // another answer.
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

impl ManagerEvents for DeviceEvents {
    fn enqueued(&self, token: usize) {
        // SAFETY: the launch has not been answered, and the EDT is its.
        let edt = unsafe { EdtRef::from_token(token) }.get();
        self.with_context(None, |context| context.enqueued(edt));
    }

    fn launched(&self, token: usize, result: LaunchResult) {
        self.with_context(Some(Flight::LAUNCH), |context| {
            context.launched(edt_of(token), result);
        });
    }

    fn settles(&self, token: usize) {
        if let Some(duplicates) = &self.0.duplicates {
            duplicates.settles(token);
        }
    }

    fn outrun(&self, token: usize) {
        self.with_context(Some(Flight::LAUNCH), |context| context.outrun(edt_of(token)));
    }

    fn ended_in_vain(&self, number: u64, time: Option<KernelTime>) {
        self.with_context(None, |context| context.ended_in_vain(number, time));
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
                if edt.flags.get().is_waiter() {
                    set_stuck(edt, true);
                }
                self.0.end_outside();
            }
            Err(error) => fatal(&format!("{} cannot get its data: {error}", EdtName::of(edt))),
        }
    }

    fn copied(&self, device: Place, direction: Direction, bytes: u64, ns: u64) {
        if let Some(device) = device.device_index() {
            self.0.transfers.sample(device, direction, bytes, ns);
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

    /// The first device's manager asks the policy's keeper when that has asked for it.
    fn before_sleep(&self, device: Place) -> Option<Duration> {
        let (runtime, devices) = (self.0, &self.0.devices);
        if runtime.end.is_ending() {
            return None;
        }
        let lent = devices.look_at_lent(runtime, device);
        let asked = (device == Place::device(0)).then(|| self.ask_keeper());
        lent.into_iter().chain(asked.flatten()).min()
    }

    fn lost(&self, device: Place, error: DeviceError) {
        self.0.devices.lose(device);
        let content = if self.0.settings.retry.runs_again() {
            "What kernels have left there is on the host, too (OCR_RETRY)."
        } else if self.0.undoes_kernels() {
            "What kernels have left there is on the host, too (OCR_DUPLICATES)."
        } else {
            "Content that was on it alone is lost."
        };
        warning!("{error}. The device is not used any more: EDTs run on what is left, where they can. {content}");
    }

    /// The panic hook has said what happened. Without the device the program could wait indefinitely.
    fn broke_down(&self) {
        end_process(FATAL_STATUS)
    }
}

impl DeviceEvents {
    /// Asks the policy's keeper, if it has asked for that by now; in what time it has, otherwise.
    fn ask_keeper(&self) -> Option<Duration> {
        let (runtime, devices) = (self.0, &self.0.devices);
        let now_ns = runtime.now_ns();
        let left = devices.asks_in(now_ns)?;
        if left.is_zero() {
            // The program does not count as one that hangs before the keeper has been asked.
            runtime.takes_off(Flight::OTHER);
            devices.are_asked(now_ns);
            self.with_context(Some(Flight::OTHER), |context| {
                if let Some(keeper) = runtime.policy.keeper() {
                    keeper.tick(runtime);
                }
                context.feed_devices();
                context.work_off();
            });
        }
        Some(left)
    }
}
