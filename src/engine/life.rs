//! Steps 3 to 9 of an EDT's life.

use super::block::set_stuck;
use super::checks::call_checked;
use super::context::{Context, LOCAL_SLOTS};
use super::end::fatal;
use super::timing::call_timed;
use super::uncaught::ocr_call_edt;
use crate::check::history::Who;
use crate::graph::finish::{Closes, Credit};
use crate::memory::{self, Acquired, Left};
use crate::object::data_block::{DataBlock, Mark};
use crate::object::edt::{DENIED, Edt, EdtRef, FETCH, FINISH, NO_SLOT, PreSlot, URGENT, WAITER};
use crate::object::guid::Guid;
use crate::object::place::Place;
use crate::object::scope::Scope;
use crate::object::work::{EdtDep, EdtFunction};
use crate::sched::policy::{self, Choice, Choices};
use std::mem::MaybeUninit;
use std::sync::atomic::{AtomicBool, Ordering};

impl Closes for Context {
    #[inline(always)]
    fn credit(&mut self) -> &mut Credit {
        &mut self.credit
    }

    fn close_one(&mut self, scope: &Scope) -> *const Scope {
        let (output, result) = (scope.output.get(), scope.result.get());
        let (parent, index, goes) = (
            scope.parent.get(),
            scope.index.get(),
            scope.result_goes.get(),
        );
        if let Some(freed) = scope.header.peek().freed() {
            scope.header.publish(freed);
            self.runtime
                .objects
                .scopes
                .free(&mut self.caches.scopes, freed, index);
        }
        self.pass_result(None, output, result);
        if goes {
            self.graph().let_go(result);
        }
        // As at the end of an EDT.
        self.work_off();
        parent
    }
}

impl Context {
    /// Step 3: a runnable EDT is placed, as far as it can be now, and sent on.
    #[inline]
    pub fn advance(&mut self, edt: &'static Edt) {
        self.place(edt);
        self.order_blocks(edt);
        self.acquire_rest(edt);
    }

    /// Puts the blocks of a runnable EDT in the order in which it acquires them: that of their GUIDs, but for
    /// parts of blocks.
    #[inline(always)]
    pub(super) fn order_blocks(&self, edt: &Edt) {
        let blocks = &self.runtime.objects.data_blocks;
        let mut slots = edt.slots().iter();
        match blocks.partitions.exist() && slots.any(|slot| blocks.is_part(slot.data())) {
            true => edt.order_blocks_by(|block| blocks.partitions.order_of(block)),
            false => edt.order_blocks(),
        }
    }

    /// Places a runnable EDT, as far as the policy decides now.
    #[inline(always)]
    pub(super) fn place(&mut self, edt: &Edt) {
        if !edt.work().kernels.is_empty() || edt.work().direct.is_none() {
            edt.place.set(self.choose_place(edt));
        }
    }

    #[inline(never)]
    fn choose_place(&mut self, edt: &Edt) -> Place {
        if let Some(check) = &self.runtime.check {
            self.check_runnable(check, edt);
        }
        let work = edt.work();
        if work.kernels.is_empty() && work.function.is_some() {
            return Place::HOST;
        }
        let devices = self.runtime.devices.for_edt(edt);
        if let Some(place) = self.asked_place(edt, &devices) {
            return place;
        }
        match (work.function.is_some(), &devices[..]) {
            (true, []) => Place::HOST,
            (false, []) => fatal(&self.runtime.devices.nothing_runs(edt)),
            (false, [only]) => *only,
            (function, devices) => {
                match self
                    .runtime
                    .policy
                    .choose(&Choices { function, devices }, self.runtime)
                {
                    Choice::At(place) => place,
                    Choice::FirstFree if function => Place::UNDECIDED,
                    // A worker could not run it.
                    Choice::FirstFree => policy::least_loaded(devices, self.runtime),
                }
            }
        }
    }

    /// Step 4: acquires the blocks from the cursor on. Where one is taken, the EDT is left in that
    /// block's queue, and whoever releases the block goes on from there.
    #[inline(always)]
    pub(super) fn acquire_rest(&mut self, edt: &'static Edt) {
        if edt.cursor.get() == NO_SLOT || self.acquire_blocks(edt) {
            self.locked(edt);
        }
    }

    /// Whether the EDT has them all.
    fn acquire_blocks(&mut self, edt: &'static Edt) -> bool {
        if edt.flags.get() & WAITER != 0 {
            // Said before: in a block's queue, the EDT is not this thread's any more.
            set_stuck(edt, true);
        }
        loop {
            let at = edt.cursor.get();
            if at == NO_SLOT {
                return true;
            }
            let slot = &edt.slots()[at as usize];
            let info = slot.info();
            if !self.leases.is_empty()
                && edt.place.get() == Place::HOST
                && self.leases.acquire(slot.data(), info.mode)
            {
                self.has_got(edt, slot);
                continue;
            }
            // After "queued" the EDT is not this thread's any more.
            let data = slot.data();
            match memory::acquire(&self.runtime.objects.data_blocks, data, edt, info.mode) {
                Acquired::Granted => self.has_got(edt, slot),
                Acquired::Queued => {
                    if self.runtime.objects.data_blocks.partitions.exist() {
                        self.is_wanted(data);
                    }
                    // Somebody may have the block by now, and give it on: then this says so too late, and the
                    // thread does not wait for a run that ends.
                    return false;
                }
                Acquired::Gone if edt.flags.get() & WAITER != 0 => {
                    edt.first.set(NO_SLOT);
                    self.wake(edt);
                    return false;
                }
                Acquired::Gone => fatal(&format!(
                    "EDT {} ({}) cannot acquire the data block {} on its pre-slot {at}: the block \
                     was destroyed before the EDT could run. Destroy a block when the EDTs that \
                     use it have ended, for instance in the last of them (OCR 1.1.0, 2.5.2).{}",
                    edt.guid(),
                    edt.work().name,
                    slot.data(),
                    self.story(slot.data()),
                )),
            }
        }
    }

    /// Goes on with an EDT that was in a block's queue and has got the block.
    pub fn was_granted(&mut self, edt: &'static Edt) {
        self.has_got(edt, &edt.slots()[edt.cursor.get() as usize]);
        self.acquire_rest(edt);
    }

    /// An EDT has got the block at its cursor.
    #[inline]
    fn has_got(&mut self, edt: &Edt, slot: &PreSlot) {
        let info = slot.info();
        edt.cursor.set(info.next);
        if info.kept {
            self.has_again(slot);
        }
    }

    /// An EDT that has stepped back from a block has it again.
    #[cold]
    fn has_again(&mut self, slot: &PreSlot) {
        let block = self.runtime.objects.data_blocks.pinned(slot.data());
        let left = memory::has_again(block, slot, &mut self.granted);
        self.dispose_if(block, left);
    }

    /// Step 5: an EDT has its blocks; those whose content is elsewhere are brought.
    #[inline]
    pub(super) fn locked(&mut self, edt: &'static Edt) {
        let left = edt.flags.get() & (FETCH | DENIED | WAITER);
        match edt.place.get() == Place::HOST && left == 0 {
            true => self.ready(edt),
            false => self.locked_elsewhere(edt),
        }
    }

    /// The same of an EDT that needs more than to be queued.
    fn locked_elsewhere(&mut self, edt: &'static Edt) {
        if edt.flags.get() & WAITER != 0 {
            set_stuck(edt, false);
        }
        match edt.place.get() {
            _ if edt.flags.get() & DENIED != 0 => {
                self.write_again(edt);
                edt.flags.set(edt.flags.get() & !DENIED);
                self.locked(edt);
            }
            Place::UNDECIDED => self.put_into_pool(edt),
            _ => self.bring_blocks(edt),
        }
    }

    /// An EDT wants to write a block that is written once, and was: strict mode ends the program, which
    /// else goes on after a warning. Programs ask for `DB_MODE_RW`, the default, where they only read.
    #[cold]
    fn write_again(&self, edt: &Edt) {
        static WARNED: AtomicBool = AtomicBool::new(false);
        let blocks = &self.runtime.objects.data_blocks;
        let written = |slot: &PreSlot| {
            slot.info().mode.writes() && blocks.pinned(slot.data()).has(Mark::Written)
        };
        let block = edt.blocks().find(|(_, slot)| written(slot));
        let (slot, block) = block.map_or((0, Guid::NULL), |(at, slot)| (at, slot.data()));
        let message = format!(
            "EDT {} ({}) wants to write the data block {block} on its pre-slot {slot}, but the block \
             was created with DB_PROP_SINGLE_ASSIGNMENT and its first writer has released it. Ask \
             for DB_MODE_RO or DB_MODE_CONST in ocrAddDependence (depv of ocrEdtCreate means \
             DB_MODE_RW), or create the block without this property.{}",
            edt.guid(),
            edt.work().name,
            self.story(block),
        );
        if self.runtime.check.is_some() {
            fatal(&message);
        }
        if !WARNED.swap(true, Ordering::Relaxed) {
            tell!("ocr: warning: {message} It gets the block; more of this kind is not told.");
        }
    }

    /// Puts an EDT where a worker finds it; what runs on a device is launched.
    #[inline]
    pub fn ready(&mut self, edt: &'static Edt) {
        if edt.place.get() != Place::HOST {
            self.launch(edt);
            return;
        }
        if edt.flags.get() & URGENT != 0 {
            self.ready_urgent(edt);
            return;
        }
        let edt = EdtRef::new(edt);
        match &self.local {
            Some(_) if self.keep_next && self.next.is_none() => self.next = Some(edt),
            Some(local) => {
                local.push(edt);
                self.queued = true;
            }
            None => self.runtime.queues.inject(edt),
        }
    }

    /// Step 6, on a worker: runs the C function.
    ///
    /// # Safety
    /// `context` is this thread's, and no reference into it is alive: the function calls the
    /// runtime, which makes its own.
    pub unsafe fn run(context: *mut Context, edt: &'static Edt) {
        let (function, depc) = {
            // SAFETY: by the contract.
            let this = unsafe { &mut *context };
            // What a closed scope lets go on is for others: this EDT comes first, and may be long.
            this.keep_next = false;
            this.turn_to(edt.finish_scope());
            this.end_leases(Some(edt));
            this.work_off();
            if edt.is_huge() {
                this.leave_label(edt);
            }
            this.current = Some(edt);
            let running = EdtRef::new(edt).token();
            this.tally.now.running.store(running, Ordering::Relaxed);
            let function = edt.work().direct;
            (
                function.unwrap_or_else(|| this.indirect(edt)),
                edt.depc.get(),
            )
        };
        // The function gets its own copy, since it may write to it: what is to be released is
        // read from the pre-slots.
        let mut few = [const { MaybeUninit::<EdtDep>::uninit() }; 8];
        let mut many = Vec::new();
        let depv = if depc as usize <= few.len() {
            &mut few[..depc as usize]
        } else {
            many.resize_with(depc as usize, MaybeUninit::uninit);
            &mut many[..]
        };
        let blocks = &edt_blocks(context);
        for (dep, slot) in depv.iter_mut().zip(edt.slots()) {
            let (guid, info) = (slot.data(), slot.info());
            let ptr = match guid.is_null() {
                true => std::ptr::null_mut(),
                false => blocks.pinned(guid).host_ptr().cast(),
            };
            dep.write(EdtDep {
                guid,
                ptr,
                mode: info.mode as u32,
            });
        }
        let (paramc, paramv) = match edt.paramc.get() {
            0 => (0, std::ptr::null_mut()),
            paramc => (paramc, edt.params_ptr()),
        };
        let depv = if depc == 0 {
            std::ptr::null_mut()
        } else {
            depv.as_mut_ptr().cast()
        };
        // SAFETY: the function is what the program gave for this template, and it gets what
        // `ocrEdt_t` promises.
        let result = unsafe { ocr_call_edt(paramc, paramv, depc, depv, function) };
        // SAFETY: by the contract; the function has returned.
        let this = unsafe { &mut *context };
        this.tally.function_edts.add(1);
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
            Some(_) if self.runtime.check.is_some() => call_checked,
            Some(_) => call_timed,
            None => fatal(&self.runtime.devices.nothing_runs(edt)),
        }
    }

    /// Steps 7 to 9: an EDT has run.
    pub fn finish(&mut self, edt: &'static Edt, result: Guid) {
        self.keep_next = true;
        // 7: released.
        self.release_held();
        let place = edt.place.get();
        for (_, slot) in edt.blocks() {
            let info = slot.info();
            if !info.released {
                let guid = slot.data();
                let block = self.runtime.objects.data_blocks.pinned(guid);
                let left = match place {
                    Place::HOST => self
                        .leases
                        .release(guid, block, info.mode, &mut self.granted),
                    _ => memory::release(block, info.held_mode(), place, &mut self.granted),
                };
                self.dispose_if(block, left);
            }
        }
        self.slots_by_block.clear();
        self.current = None;
        self.tally.now.running.store(0, Ordering::Relaxed);
        // 8: recycled, 9: triggered; then out of the scope, whose end comes after the EDT's.
        let scope = edt.finish_scope();
        let belongings = std::mem::take(&mut self.has_belongings);
        if edt.has_output_inside() {
            self.end_with_output(edt, result);
        } else {
            if let Some(scope) = scope.filter(|_| edt.flags.get() & FINISH != 0) {
                scope.result.set(result);
                if belongings && let Some(at) = self.completions.iter().position(|e| *e == result) {
                    // It goes when it has been passed on, as the scope closes.
                    self.completions.swap_remove(at);
                    scope.result_goes.set(true);
                }
                self.runtime.objects.edts.free(&mut self.caches.edts, edt);
            } else {
                let output = edt.output();
                let who = (!output.is_null()).then(|| Who::of(edt));
                // Who learns of the end may create the next EDT on its label.
                self.runtime.objects.edts.free(&mut self.caches.edts, edt);
                self.pass_result(who, output, result);
            }
        }
        if belongings {
            self.end_belongings();
        }
        // Events that depend on the output event have triggered when the scope is left.
        self.work_off();
        self.check_out(scope);
        self.work_off();
    }

    /// Ends what belonged to the EDT that has run, for the next one.
    #[cold]
    fn end_belongings(&mut self) {
        self.edt_local = [Guid::NULL; LOCAL_SLOTS];
        self.in_group = false;
        // Another EDT may get the place of this one.
        self.answered.clear();
        while let Some(event) = self.completions.pop() {
            self.graph().let_go(event);
        }
    }

    /// Ends the leases of blocks that the EDT which runs next does not use; all where there is none.
    #[inline]
    pub fn end_leases(&mut self, next: Option<&Edt>) {
        if self.leases.is_empty() {
            return;
        }
        while let Some((block, left)) = self.leases.end_unused(next, &mut self.granted) {
            self.dispose_if(block, left);
        }
    }

    /// Frees a block that nobody uses any more.
    pub fn dispose_if(&mut self, block: &'static DataBlock, left: Left) {
        if left != Left::Alive {
            match block.has_any([Mark::Chunk, Mark::Part, Mark::Guarded]) {
                true => self.dispose_marked(block),
                false => self.dispose(block),
            }
        }
    }

    /// The same of a block that is more than memory.
    #[cold]
    fn dispose_marked(&mut self, block: &'static DataBlock) {
        if block.has(Mark::Chunk) && !self.end_chunk(block) {
            return;
        }
        match block.has(Mark::Part) {
            true => self.dispose_parts(block),
            false => self.dispose_checked(block),
        }
    }

    fn dispose_checked(&mut self, block: &'static DataBlock) {
        if let Some(check) = &self.runtime.check {
            self.check_gone(check, block);
        }
        self.dispose(block);
    }

    /// Disposes of a part, and of those that go when it is gone, one after the other.
    #[cold]
    fn dispose_parts(&mut self, part: &'static DataBlock) {
        self.unused_parts.push(part);
        if self.disposing {
            return;
        }
        self.disposing = true;
        while let Some(part) = self.unused_parts.pop() {
            if self.bring_back(part) {
                self.dispose_checked(part);
            }
        }
        self.disposing = false;
    }

    /// Frees a block that nobody uses any more, as soon as no device knows it.
    fn dispose(&mut self, block: &'static DataBlock) {
        let resident = block.copies().resident;
        if resident.is_empty() {
            return self.free_block(block);
        }
        // Others may wait for what follows: for the label of the block, or for the whole that it is a part of.
        self.runtime.begin_outside();
        self.runtime.devices.forget(block, resident);
    }

    fn free_block(&mut self, block: &'static DataBlock) {
        let part = block.has(Mark::Part).then(|| block.guid());
        let blocks = &self.runtime.objects.data_blocks;
        blocks.free(&mut self.caches.data_blocks, block);
        if let Some(part) = part {
            self.part_gone(part);
        }
    }

    /// No device knows a block any more that nobody uses.
    pub(super) fn forgotten(&mut self, block: &'static DataBlock) {
        self.free_block(block);
        self.work_off();
    }

    /// Puts an EDT that holds its blocks where the first free place takes it.
    fn put_into_pool(&mut self, edt: &'static Edt) {
        self.runtime.queues.pool.push(EdtRef::new(edt));
        self.queued = true;
        self.feed_devices();
    }

    /// A place has taken an EDT out of the pool.
    pub fn place_at(&mut self, edt: &'static Edt, place: Place) {
        edt.place.set(place);
        for (_, slot) in edt.blocks() {
            let block = self.runtime.objects.data_blocks.pinned(slot.data());
            memory::settle(block, slot.info().mode, place, &mut self.granted);
        }
        self.locked(edt);
    }

    /// Sends an EDT whose kernel was not run to its C function: with its blocks, or back to step 4.
    pub fn fall_back(&mut self, edt: &'static Edt, place: Place) {
        let blocks = &self.runtime.objects.data_blocks;
        let block_of = |slot: &PreSlot| blocks.pinned(slot.data());
        if let Some(check) = &self.runtime.check {
            check.history.runs_as(edt.guid(), None);
        }
        match memory::fall_back(edt, place, block_of, &mut self.granted) {
            true => self.bring_blocks(edt),
            false => self.acquire_rest(edt),
        }
        self.work_off();
    }
}

fn edt_blocks(context: *mut Context) -> &'static crate::object::data_block::DataBlocks {
    // SAFETY: the context is alive; the runtime it names outlives it.
    &unsafe { &*context }.runtime.objects.data_blocks
}

impl crate::sched::policy::Machine for super::Runtime {
    fn device_load(&self, device: Place) -> usize {
        self.devices.load(device)
    }
}
