//! Step 6 of an EDT's life, on a worker: its C function runs.

use crate::engine::life::observed::call_observed;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::user_call::ocr_call_edt;
use crate::graph::finish::Closes;
use crate::memory;
use crate::object::code::{EdtDep, EdtFunction};
use crate::object::edt::{Edt, EdtRef, PreSlot};
use ocr_place::place::Place;
use std::mem::MaybeUninit;
use std::sync::atomic::Ordering;

impl Context {
    /// Puts an EDT where a worker finds it; what runs on a device is launched.
    #[inline]
    pub(crate) fn ready(&mut self, edt: &'static Edt) {
        if edt.place.get() != Place::HOST {
            self.launch(edt);
            return;
        }
        if edt.flags.get().is_urgent() {
            self.ready_urgent(edt);
            return;
        }
        let edt = EdtRef::new(edt);
        match &self.local {
            Some(_) if self.steps.keep_next && self.steps.next.is_none() => self.steps.next = Some(edt),
            Some(local) => {
                local.push(edt);
                self.steps.queued = true;
            }
            None => self.runtime.queues.inject(edt),
        }
    }

    /// Step 6, on a worker: runs the C function.
    ///
    /// # Safety
    /// `context` is this thread's, and no reference into it is alive: the function calls the
    /// runtime, which makes its own.
    pub(crate) unsafe fn run(context: *mut Context, edt: &'static Edt) {
        let (function, depc) = {
            // SAFETY: the caller promises that the context is this thread's, and that no reference into it is alive.
            // This one ends before the function is called.
            let this = unsafe { &mut *context };
            // What a closed scope lets go on is for others: this EDT comes first, and may be long.
            this.steps.keep_next = false;
            this.turn_to(edt.finish_scope());
            this.end_leases(Some(edt));
            this.work_off();
            if edt.is_huge() {
                this.leave_label(edt);
            }
            this.current = Some(edt);
            let running = EdtRef::new(edt).token();
            this.tally.now.running.store(running, Ordering::Relaxed);
            let function = edt.work().fast_entry;
            (function.unwrap_or_else(|| this.indirect(edt)), edt.depc.get())
        };
        // The function gets its own copy, since it may write to it: what must be released is
        // read from the pre-slots.
        let mut few = [const { MaybeUninit::<EdtDep>::uninit() }; 8];
        let mut many = Vec::new();
        let depv = if depc as usize <= few.len() {
            &mut few[..depc as usize]
        } else {
            many.resize_with(depc as usize, MaybeUninit::uninit);
            &mut many[..]
        };
        // SAFETY: the caller of this step promises that the context is alive, and this reference ends with the look: no
        // other reference to the context is used meanwhile.
        let blocks = &unsafe { edt_blocks(context) };
        for (dep, slot) in depv.iter_mut().zip(edt.slots()) {
            let (guid, info) = (slot.data(), slot.info());
            let ptr = if guid.is_null() { std::ptr::null_mut() } else { blocks.pinned(guid).host_ptr().cast() };
            dep.write(EdtDep { guid, ptr, mode: info.mode as u32 });
        }
        let (paramc, paramv) = match edt.paramc.get() {
            0 => (0, std::ptr::null_mut()),
            paramc => (paramc, edt.params_ptr()),
        };
        let depv = if depc == 0 { std::ptr::null_mut() } else { depv.as_mut_ptr().cast() };
        // SAFETY: the function is what the program gave for this template, and it gets what
        // `ocrEdt_t` promises.
        let result = unsafe { ocr_call_edt(paramc, paramv, depc, depv, function) };
        // SAFETY: the caller promises that the context is this thread's. The function has returned, so no reference
        // that it made is alive.
        let this = unsafe { &mut *context };
        this.tally.counts.function_edts.add(1);
        this.finish(edt, result);
    }

    /// Leaves the label of an EDT that begins to run to the next one, if it has one. Not in strict mode, which
    /// tells objects apart by their GUIDs: there, creating the next one is a misuse until this one has ended.
    #[cold]
    fn leave_label(&self, edt: &Edt) {
        if self.runtime.check.is_none() {
            self.runtime.objects.edts.leave_label(edt);
        }
    }

    /// What a worker is to call for an EDT whose function it does not call directly.
    #[cold]
    fn indirect(&self, edt: &Edt) -> EdtFunction {
        match edt.work().function {
            Some(_) => call_observed,
            None => fatal(&self.runtime.devices.nothing_runs(self.runtime, edt)),
        }
    }

    /// Sends an EDT whose kernel was not run to its C function: with its blocks, or back to step 4.
    pub(crate) fn fall_back(&mut self, edt: &'static Edt, place: Place) {
        let blocks = &self.runtime.objects.data_blocks;
        let block_of = |slot: &PreSlot| blocks.pinned(slot.data());
        if let Some(check) = &self.runtime.check {
            check.history.runs_as(edt.guid(), None);
        }
        if memory::fall_back(edt, place, block_of, &mut self.steps.granted) {
            self.bring_blocks(edt);
        } else {
            self.acquire_rest(edt);
        }
        self.work_off();
    }
}

/// The blocks of the runtime.
///
/// # Safety
///
/// The context is alive, and no reference that may write to it is used during the call.
unsafe fn edt_blocks(context: *mut Context) -> &'static crate::object::data_block::DataBlocks {
    // SAFETY: the caller promises a context that lives, and that no thread writes to it meanwhile. The runtime that it
    // names outlives it.
    &unsafe { &*context }.runtime.objects.data_blocks
}
