//! Steps 5 and 6 on devices: blocks are brought, kernels are launched, and what follows when the
//! device managers answer.

use crate::device::{BlockArg, InlineList, Launch, LaunchError};
use crate::engine::life::chaining::result_of;
use crate::engine::life::create_request::Output;
use crate::engine::life::internal_edt::InternalEdt;
use crate::engine::life::range::range_of;
use crate::engine::life::recording::number;
use crate::engine::state::attempt::AfterFailure;
use crate::engine::state::chained::LaunchResult;
use crate::engine::state::context::Context;
use crate::engine::state::end::Interrupt;
use crate::engine::state::fatal::fatal;
use crate::engine::state::runtime::Flight;
use crate::engine::strict::begins;
use crate::object::code::{EdtDep, WorkKind};
use crate::object::data_block::{DataBlock, LockedBlock};
use crate::object::edt::{Edt, EdtRef, Mode};
use crate::object::guid::Guid;
use crate::object::hints::{DB_EAGER, DB_LAZY};
use crate::object::name::{BlockName, EdtName};
use crate::trace;
use ocr_place::place::Place;

impl Context {
    /// Brings the blocks of an EDT to where it runs, as far as they are not there. The last answer
    /// makes the EDT ready.
    pub(crate) fn bring_blocks(&mut self, edt: &'static Edt) {
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
                fatal(&format!("{} needs {}, but there is {error}.", EdtName::of(edt), BlockName(block.guid()),));
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
            if trace::is_on() {
                trace::events::fetch(edt.own_guid().bits(), number(place), block.guid().bits());
            }
            self.runtime.begin_outside();
            self.runtime.devices.manager(from).fetch(block, token);
        }
    }

    /// An EDT has its blocks where it runs. One that stands for a thread that waits is done.
    fn brought(&mut self, edt: &'static Edt) {
        if edt.flags.get().is_waiter() {
            self.wake(edt);
        } else if let Some(redundant) = &self.runtime.redundant {
            self.brought_redundant(redundant, edt);
        } else {
            self.ready(edt);
        }
    }

    /// Step 6, on a device: hands the EDT's kernel to the device's manager.
    pub(crate) fn launch(&mut self, edt: &'static Edt) {
        if self.runtime.end.is_ending() {
            return;
        }
        let Some(edt) = self.launches_now(edt) else { return };
        let place = edt.place.get();
        let Some((variant, kernel)) = edt.work().kernel_on(place) else {
            fatal(&self.runtime.devices.nothing_runs(self.runtime, edt));
        };
        edt.variant.set(variant as u8);
        if let Some(check) = &self.runtime.check {
            let (kernel, device) = (&edt.work().kernels[variant].name, self.runtime.devices.used(place));
            let text = format!("the kernel \"{kernel}\" on {}", device.info.name);
            check.history.runs_as(edt.guid(), Some(text));
            begins(check, edt);
            self.check_reads(check, edt);
        }
        let blocks: InlineList<Option<BlockArg>> = edt
            .slots()
            .iter()
            .map(|slot| {
                let data = slot.data();
                (!data.is_null()).then(|| BlockArg {
                    block: self.runtime.objects.data_blocks.pinned(data),
                    writes: slot.info().mode.writes(),
                    lazy: slot.info().mode.writes() && self.has_hint(data, DB_LAZY),
                })
            })
            .collect();
        let range = range_of(edt, variant, &blocks, self.runtime.check.is_some());
        if self.runtime.learns {
            self.runtime.note_launch(place);
        }
        let is_worker = self.local.is_some() && !self.is_manager;
        self.runtime.devices.lend(self.runtime, place, is_worker);
        self.runtime.takes_off(Flight::LAUNCH);
        if trace::is_on() {
            let token = EdtRef::new(edt).token();
            trace::events::launched(edt.own_guid().bits(), number(place), token);
        }
        self.note_launched(edt);
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

    /// The EDT that is launched instead of this one, while no checkpoint is made: mostly this one. None while one is.
    fn launches_now(&self, edt: &'static Edt) -> Option<&'static Edt> {
        let end = &self.runtime.end;
        if !end.is_called_to(Interrupt::CHECKPOINT) {
            return Some(edt);
        }
        let put_off = &self.runtime.checkpoints;
        put_off.put_off(EdtRef::new(edt), || end.is_called_to(Interrupt::CHECKPOINT)).map(EdtRef::get)
    }

    pub(crate) fn launched(&mut self, edt: &'static Edt, answer: LaunchResult) {
        if self.runtime.end.is_ending() {
            return self.launched_at_end(edt, answer);
        }
        let Some(answer) = self.unless_duplicated(edt, answer) else {
            self.feed_devices();
            return self.work_off();
        };
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

    pub(crate) fn answered(&mut self, edt: &'static Edt, answer: LaunchResult) {
        match answer {
            Ok(time) => {
                self.kernel_has_run(edt);
                self.tally.counts.kernel_edts.add(1);
                self.count_kernel(edt, time);
                if trace::is_on() {
                    self.record_kernel_end(edt);
                }
                let result = result_of(edt);
                if let Some(check) = &self.runtime.check {
                    self.check_end(check, edt, result);
                }
                let eager = self.eager_blocks(edt);
                self.finish(edt, result);
                for &block in &*eager {
                    self.bring_to_host(block);
                }
            }
            Err(error) if self.is_failed_copy(edt, &error) => self.finish(edt, Guid::NULL),
            Err(error) => self.kernel_failed(edt, &error),
        }
    }

    /// Counts an EDT that has run, as a kernel or as a duplicate, after a kernel of it had failed.
    pub(super) fn kernel_has_run(&self, edt: &Edt) {
        let failed = self.runtime.devices.take_failed(edt.guid());
        if failed.is_some() && self.runtime.retry_of(edt).runs_again() {
            self.tally.counts.edts_recovered.add(1);
        }
    }

    /// The blocks that the kernel of an EDT may have written and whose hints say that they are moved before an EDT asks
    /// for them.
    fn eager_blocks(&self, edt: &Edt) -> InlineList<Guid> {
        let written = edt.slots().iter().filter(|slot| slot.info().mode.writes());
        written.map(|slot| slot.data()).filter(|&guid| self.has_hint(guid, DB_EAGER)).collect()
    }

    /// Whether a block has this hint, with another value than 0.
    fn has_hint(&self, guid: Guid, property: usize) -> bool {
        let blocks = &self.runtime.objects.data_blocks;
        let value = || {
            let (block, locked) = blocks.lock(guid)?;
            blocks.hint(block, &locked, property)
        };
        blocks.any_hinted() && value().is_some_and(|value| value != 0)
    }

    /// Has the content of a block copied to the host, where it is not: by an EDT that acquires the block and does
    /// nothing. It is advice, so what cannot be done is left.
    #[cold]
    fn bring_to_host(&mut self, guid: Guid) {
        let blocks = &self.runtime.objects.data_blocks;
        let is_away =
            |(block, locked): (&DataBlock, LockedBlock<'_>)| !block.copies_seen(&locked).valid.contains(Place::HOST);
        if !blocks.exists(guid) || !blocks.lock(guid).is_some_and(is_away) {
            return;
        }
        let created = self.create_internal_edt(InternalEdt {
            function: nothing,
            kind: WorkKind::Copy,
            params: &[],
            depc: 1,
            output: Output::None,
            in_scope: false,
        });
        let Ok(edt) = created else { return };
        let added = self.with_graph(|graph| graph.add_dependence(guid, edt, 0, Mode::Ro));
        if added.is_err() {
            // The block was destroyed meanwhile.
            let _ = self.destroy_edt(edt);
        }
    }

    /// Notes that a kernel of an EDT has failed: what is done then.
    pub(super) fn note_failed(&self, edt: &Edt, error: &LaunchError) -> AfterFailure {
        let retry = self.runtime.retry_of(edt);
        if retry.runs_again() {
            self.tally.counts.kernels_undone.add(1);
        }
        self.runtime.devices.after_failure(edt, error, retry)
    }

    /// Has an EDT whose kernel has failed go on as its function, or as a kernel, as `state/attempt.rs` decides it.
    #[cold]
    fn kernel_failed(&mut self, edt: &'static Edt, error: &LaunchError) {
        let devices = &self.runtime.devices;
        let name = |place: Place| &devices.used(place).info.name;
        let (place, went) = match self.note_failed(edt, error) {
            AfterFailure::Function => (Place::HOST, "ran its C function".to_string()),
            AfterFailure::Elsewhere(place) => (place, format!("went to device '{}'", name(place))),
            AfterFailure::Again => (edt.place.get(), format!("ran again on device '{}'", name(edt.place.get()))),
            AfterFailure::Report => failed(edt, error, &devices.failures_before(edt.guid())),
        };
        // The EDT is none of the device's any more: what waits behind it there is to have its place.
        self.tell_keeper(edt);
        self.runtime.registry.note(format!("{} {went}, since {error}", EdtName::of(edt)));
        self.fall_back(edt, place);
    }

    /// A run that ends does not go on with anything. But what a kernel has left half written is not to be
    /// written to a file as if nothing had happened; after `ocrAbort` nothing is.
    #[cold]
    fn launched_at_end(&mut self, edt: &'static Edt, answer: LaunchResult) {
        let mut next = Some((edt, answer));
        while let Some((edt, answer)) = next {
            if let Err(error) = answer
                && !error.inputs_intact
                && !self.runtime.end.was_aborted()
                && !self.is_failed_copy(edt, &error)
            {
                failed(edt, &error, &[]);
            }
            next = self.kept_behind(edt);
        }
    }

    pub(crate) fn fetched(&mut self, edt: &'static Edt) {
        let left = edt.header.lock_pinned().count_down();
        if left != 0 {
            return;
        }
        if self.runtime.end.is_ending() {
            // A run that ends goes on with nothing, but a thread that waits gets what was there before.
            if edt.flags.get().is_waiter() {
                self.wake(edt);
            }
            return;
        }
        if trace::is_on() {
            trace::events::fetched(edt.own_guid().bits());
        }
        // Only for one in mode RO can a writer elsewhere have made the host's copy old meanwhile: it gets that copy,
        // since with one writer after the other it would never get a newer one (`object::data_block`, "copies").
        self.brought(edt);
        self.work_off();
    }
}

/// What an EDT runs that acquires a block alone.
unsafe extern "C" fn nothing(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
    Guid::NULL
}

/// Ends the program since an EDT's kernel has failed, as others of it before, and its C function cannot run instead.
fn failed(edt: &Edt, error: &LaunchError, before: &[String]) -> ! {
    let intact = match (error.inputs_intact, edt.work().function.is_some()) {
        (true, _) => "the template has no C function to run instead, and no other device can",
        (false, true) => "its data may be half written, so its C function cannot run",
        (false, false) => "its data may be half written",
    };
    let mut text = format!("{}: {error}; {intact}.", EdtName::of(edt));
    for (number, what) in (1..).zip(before) {
        text += &format!("\n  attempt {number} before: {what}");
    }
    fatal(&text)
}
