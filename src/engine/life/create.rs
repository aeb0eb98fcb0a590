//! Step 1: an EDT is created (OCR 1.1.0, 2.7.3).

use crate::abi::Api;
use crate::engine::life::create_request::{CheckedRequest, CreateError, EdtRequest, Output};
use crate::engine::nodes::outbox;
use crate::engine::state::context::Context;
use crate::engine::state::deferred::{DeferredBy, DeferredCall};
use crate::graph::finish::Closes;
use crate::graph::{Dependence, GraphCall, GraphError, LinkError, NewSlots};
use crate::object::code::Code;
use crate::object::edt::{Edt, EdtFlags, EdtState, ExplicitRange, Mode, RANGE_WORDS};
use crate::object::event::EventKind;
use crate::object::guid::Guid;
use crate::object::scope::{Scope, ScopeState};
use crate::trace;
use ocr_base::sync::Spin;
use ocr_place::place::Place;
use std::mem::MaybeUninit;
use std::ptr;
use std::ptr::NonNull;

/// A new EDT that other threads may know, as far as a call that fails takes it back.
struct PublishedEdt {
    guid: Guid,
    /// The latch event that the EDT was counted into, as its output event.
    counted_in: Option<Guid>,
    /// The program's places for the GUIDs of the EDT and of its output event, the last that was written first.
    replaced: [Option<ReplacedGuid>; 2],
}

/// What stood in a place of the program before a GUID was written there. An EDT may run as soon as its last
/// pre-slot is connected, so that is written before; where that fails, it is as if it had not been.
struct ReplacedGuid {
    place: NonNull<MaybeUninit<Guid>>,
    content: MaybeUninit<Guid>,
}

impl ReplacedGuid {
    /// Writes a GUID.
    ///
    /// # Safety
    /// The place can be written until the end of the call that the program is in.
    unsafe fn write(place: NonNull<Guid>, guid: Guid) -> ReplacedGuid {
        let place = place.cast();
        ReplacedGuid {
            place,
            // SAFETY: the caller promises that the place can be written; as `MaybeUninit`, what stands there need not
            // be a GUID.
            content: unsafe { place.replace(MaybeUninit::new(guid)) },
        }
    }

    /// Writes what stood there, in the same call.
    fn restore(self) {
        // SAFETY: the caller of `write` has promised that the place can be written until the end of the call, in which
        // this is.
        unsafe { self.place.write(self.content) };
    }
}

impl Context {
    /// Creates an EDT. It may run, or another thread may destroy it, before this returns.
    pub(crate) fn create_edt(&mut self, request: &EdtRequest<'_>) -> Result<(), CreateError> {
        let checked = self.check_request(request)?;
        if let Some(why) = self.check_sources(request, checked.sources)? {
            return self.create_before(why, request, checked.sources);
        }
        let latch = match request.output {
            Output::Given(event) if request.finish => Some(event),
            _ => None,
        };
        if let Some(latch) = latch {
            self.wait_until_opened(latch);
        }
        let edt = self.allocate_edt(request, &checked)?;
        let (mut open, to_link) = NewSlots::begin(edt, checked.sources);
        if checked.template.needs_slow_path || request.hints.is_some() {
            open += self.begin_on_slow_path(edt, request, checked.sources);
        }
        // The arrays have been read; from here on the places may be written.
        let published = self.publish_edt(request, edt, open, latch)?;
        let result = match open {
            0 => {
                self.advance(edt);
                Ok(())
            }
            _ => self.connect_all(edt, to_link),
        };
        if result.is_err() {
            self.take_back(published.guid, request.output, published.counted_in);
            // One place may be both: the last that was written first.
            for before in published.replaced.into_iter().flatten() {
                before.restore();
            }
        }
        self.work_off();
        result.map_err(CreateError::Dependence)
    }

    /// Creates an EDT of the runtime's own in the middle of a step: what that leads to is worked off with the step.
    /// All of its pre-slots are open, and it has at least one.
    pub(crate) fn create_in_step(&mut self, request: &EdtRequest<'_>) -> Result<(), CreateError> {
        let checked = self.check_request(request)?;
        let edt = self.allocate_edt(request, &checked)?;
        self.begin_on_slow_path(edt, request, &[]);
        let (open, _) = NewSlots::begin(edt, &[]);
        self.publish_edt(request, edt, open, None).map(|_| ())
    }

    /// Makes an EDT of what was asked for, with its parameters. No other thread knows it yet.
    #[inline(always)]
    fn allocate_edt(
        &mut self,
        request: &EdtRequest<'_>,
        checked: &CheckedRequest<'_>,
    ) -> Result<&'static Edt, CreateError> {
        let edts = &self.runtime.objects.edts;
        let &CheckedRequest { paramc, depc, .. } = checked;
        let range_words = request.range.map_or(0, |_| RANGE_WORDS);
        let words = paramc as usize + range_words;
        let edt = match request.label {
            None => edts.allocate(&mut self.caches.edts, depc, words).ok_or(CreateError::OutOfMemory)?,
            Some(label) if label.is_made => edts.adopt(label.guid, depc, words)?,
            Some(label) => edts.allocate_on(&mut self.caches.edts, label.guid, label.alone, depc, words)?,
        };
        edt.work.set(checked.template.work);
        edt.paramc.set(paramc);
        edt.place.set(Place::HOST);
        edt.flags.set(EdtFlags::NONE);
        if paramc != 0 {
            // SAFETY: programs that call `ocrEdtCreate` promise that `paramv` has `paramc` elements. The EDT has room
            // for as many, and no other thread knows it yet.
            unsafe {
                edt.params_ptr().copy_from_nonoverlapping(request.paramv, paramc as usize);
            };
        }
        if let Some(range) = request.range {
            let at = edt.params_ptr().wrapping_add(paramc as usize).cast::<ExplicitRange>();
            // SAFETY: room for the words of a range was asked for behind the parameters.
            unsafe { at.write(*range) };
            edt.flags.set(EdtFlags::HAS_RANGE);
        }
        Ok(edt)
    }

    /// Gives a new EDT, of which `open` pre-slots are open, its output event and finish scope, writes the GUIDs of
    /// both to the program's places, and lets other threads know the EDT. `latch` is a given output event of a finish
    /// EDT. Where there is no memory the EDT is given back.
    #[inline(always)]
    fn publish_edt(
        &mut self,
        request: &EdtRequest<'_>,
        edt: &'static Edt,
        open: u32,
        latch: Option<Guid>,
    ) -> Result<PublishedEdt, CreateError> {
        let edts = &self.runtime.objects.edts;
        let output = match request.output {
            Output::None => Some(Guid::NULL),
            Output::Given(event) => Some(event),
            Output::New(_) => self.new_output(edt, request.finish),
        };
        let entered = match output {
            Some(output) => self.enter_scope(edt, request.finish, output),
            None => false,
        };
        if !entered {
            if let (Output::New(_), Some(output)) = (request.output, output) {
                let _ = self.graph().destroy_event(output);
            }
            edts.give_back(&mut self.caches.edts, edt);
            return Err(CreateError::OutOfMemory);
        }
        let output_place = match (request.output, output) {
            (Output::New(place), Some(output)) => {
                // SAFETY: the program has passed a pointer to a GUID that `ocrEdtCreate` may write, and it is not null.
                Some(unsafe { ReplacedGuid::write(place, output) })
            }
            _ => None,
        };
        let counted_in = latch.filter(|&latch| self.graph().count_into_latch(latch));
        let guid = request.label.map_or_else(|| edt.own_guid(), |label| label.guid);
        let guid_place = request.guid.map(|place| {
            // SAFETY: the place is not null, and programs that call `ocrEdtCreate` promise that it can be written.
            unsafe { ReplacedGuid::write(place, guid) }
        });
        let word = edt.header.peek().with_count(open);
        let word = word.with_state(if open == 0 { EdtState::Runnable } else { EdtState::Waiting });
        match request.label {
            None => edt.header.publish(word),
            Some(_) => edts.publish_on(edt, word),
        }
        Ok(PublishedEdt { guid, counted_in, replaced: [guid_place, output_place] })
    }

    /// A once event for the end of a new EDT, in the EDT where that is possible. `None` without memory.
    #[inline]
    fn new_output(&mut self, edt: &Edt, finish: bool) -> Option<Guid> {
        // The scope, whose event it would be, outlives a finish EDT; strict mode tells more of events
        // that have a slot.
        let inside = if finish || self.runtime.check.is_some() { None } else { edt.begin_output() };
        inside.or_else(|| self.output_apart(edt))
    }

    /// A once event for the end of a new EDT, by itself.
    fn output_apart(&mut self, edt: &Edt) -> Option<Guid> {
        let events = &self.runtime.objects.events;
        let output = events.create_plain(&mut self.caches.events, EventKind::Once, 0)?;
        if let Some(check) = &self.runtime.check {
            self.check_output(check, edt, output);
        }
        Some(output)
    }

    /// Waits until an event is there that another thread is just opening on its label: it may be a latch that a finish
    /// scope will be counted into. The opener waits for those that have claimed a label, so the caller has claimed
    /// none. An event that is destroyed and made again meanwhile is not waited for once more.
    pub(crate) fn wait_until_opened(&mut self, event: Guid) {
        let spin = Spin::default();
        while event.is_label() && self.runtime.objects.events.is_opening(event) {
            spin.wait();
        }
    }

    /// What must be done for a new EDT that has hints, in strict mode, in a run that is recorded or redundant, or in
    /// which EDTs run as attempts. How many reasons the EDT has to wait beside its pre-slots: the end of the attempt
    /// that creates it.
    #[cold]
    fn begin_on_slow_path(&self, edt: &Edt, request: &EdtRequest<'_>, sources: &[Guid]) -> u32 {
        self.begin_hints(edt, request.template, request.hints);
        if let (Some(redundant), Some(creator)) = (&self.runtime.redundant, self.current) {
            redundant.creates(creator.own_guid());
        }
        if trace::is_on() {
            self.record_created(edt, request.finish, sources);
        }
        if let Some(check) = &self.runtime.check {
            self.check_created(check, edt, sources);
        }
        u32::from(self.attempt.as_ref().is_some_and(|attempt| attempt.holds_new_edt))
    }

    /// Connects the pre-slots of a new EDT to the events that they were given, or has them wait for the objects of
    /// labels.
    #[inline]
    fn connect_all(&mut self, edt: &'static Edt, mut to_link: NewSlots) -> Result<(), GraphError> {
        while let Err(LinkError { why, asked }) = self.graph().link_all(edt, &mut to_link) {
            let deferred = self.defer_dependence(why, asked);
            if deferred.is_err() {
                self.graph().unlink_all(edt, &mut to_link);
                return deferred;
            }
        }
        Ok(())
    }

    /// Creates an EDT that is given data blocks which have not been created yet, but have a label: these
    /// dependences are added behind it.
    #[cold]
    fn create_before(
        &mut self,
        why: GraphError,
        request: &EdtRequest<'_>,
        sources: &[Guid],
    ) -> Result<(), CreateError> {
        let objects = &self.runtime.objects;
        let (mut now, mut later) = (sources.to_vec(), Vec::new());
        for (slot, source) in now.iter_mut().enumerate() {
            if source.is_data_block() && objects.is_awaited(*source) {
                later.push((slot as u32, std::mem::replace(source, Guid::UNINITIALIZED)));
            }
        }
        if later.is_empty() {
            return Err(CreateError::Dependence(why));
        }
        if request.guid.is_none() && sources.contains(&Guid::UNINITIALIZED) {
            return Err(CreateError::Anonymous);
        }
        let mut guid = Guid::NULL;
        self.create_edt(&EdtRequest { depv: now.as_ptr(), guid: Some(NonNull::from(&mut guid)), ..*request })?;
        if let Some(place) = request.guid {
            // SAFETY: the place is not null, and programs that call `ocrEdtCreate` promise that it can be written.
            unsafe { place.write(guid) };
        }
        for (slot, source) in later {
            let asked = Dependence { source, post_slot: 0, destination: guid, slot, mode: Mode::Rw };
            let _ = self.defer_dependence(why, asked);
        }
        Ok(())
    }

    /// Has a dependence of a new EDT wait for the object of a label, if that is why it was refused.
    #[cold]
    fn defer_dependence(&mut self, why: GraphError, asked: Dependence) -> Result<(), GraphError> {
        let call = GraphCall::Dependence(asked);
        let by = DeferredBy::Call(Api::ocrEdtCreate);
        self.defer_refused(why, DeferredCall::from(by, call, self.who()))
    }

    /// Destroys a new EDT that could not be connected, since an event does not exist or takes no further
    /// dependence. An output event that was given stays as it was.
    #[cold]
    fn take_back(&mut self, edt: Guid, output: Output, counted_in: Option<Guid>) {
        if let Output::Given(_) = output {
            // A pre-slot is unconnected again, so the EDT still waits, unless a thread that knows the GUID has
            // destroyed it or connected that pre-slot. Then it may be gone.
            let locked = self.runtime.objects.edts.lock(edt);
            let Some((edt, locked)) = locked.filter(|(_, locked)| locked.word.state() == EdtState::Waiting) else {
                return;
            };
            match edt.finish_scope().filter(|_| edt.flags.get().is_finish()) {
                Some(scope) => scope.output.set(Guid::NULL),
                None => edt.set_output(Guid::NULL),
            }
            drop(locked);
            if let Some(latch) = counted_in {
                self.graph().count_out_of_latch(latch);
            }
        }
        let _ = self.destroy_edt(edt);
    }

    /// Counts a new EDT into the innermost finish scope, or opens one for it. False without memory.
    #[inline(always)]
    fn enter_scope(&mut self, edt: &Edt, finish: bool, output: Guid) -> bool {
        let outer = match self.current {
            Some(current) => current.finish_scope(),
            // SAFETY: the scope is null, or one that the caller keeps open.
            None => unsafe { self.scope_elsewhere.as_ref() },
        };
        let outer_pointer = outer.map_or(ptr::null(), ptr::from_ref);
        if finish {
            if !self.open_scope(edt, outer_pointer, output) {
                return false;
            }
        } else {
            edt.scope.set(outer_pointer);
            if !edt.has_output_inside() {
                edt.set_output(output);
            }
        }
        if let Some(outer) = outer {
            self.credit.check_in(outer);
        }
        true
    }

    /// Opens a finish scope within `outer` for a new EDT. False without memory.
    #[inline(never)]
    fn open_scope(&mut self, edt: &Edt, outer: *const Scope, output: Guid) -> bool {
        let Some(scope) = self.new_scope(outer, output, (edt.guid(), edt.work.get())) else {
            return false;
        };
        edt.scope.set(scope);
        edt.flags.add(EdtFlags::FINISH);
        true
    }

    /// Opens a finish scope within `outer`, which counts its first member, and whose end satisfies `output`. `edt` is
    /// the finish EDT and what it runs. None without memory.
    pub(crate) fn new_scope(
        &mut self,
        outer: *const Scope,
        output: Guid,
        (edt, work): (Guid, *const Code),
    ) -> Option<&'static Scope> {
        let (index, scope) = self.runtime.objects.scopes.allocate(&mut self.caches.scopes)?;
        scope.index.set(index);
        scope.count.store(1, ocr_base::sync::Ordering::Relaxed);
        scope.parent.set(outer);
        scope.output.set(output);
        scope.result.set(Guid::NULL);
        scope.result_goes.set(false);
        scope.is_timed.set(false);
        scope.is_guest.set(false);
        scope.edt.set(edt);
        scope.work.set(work);
        scope.header.publish(scope.header.peek().with_state(ScopeState::Open));
        Some(scope)
    }

    /// Destroys an EDT that is not runnable, with its output event, and counts it out of its finish
    /// scope (OCR 1.1.0, 2.7.4).
    pub(crate) fn destroy_edt(&mut self, guid: Guid) -> Result<(), GraphError> {
        let mut destroyed = self.graph().destroy_edt(guid)?;
        self.give_up(std::mem::take(&mut destroyed.given_up));
        if let Some(scope) = destroyed.scope.filter(|_| destroyed.finish) {
            let output = scope.output.replace(Guid::NULL);
            self.destroy_output(output);
        }
        self.destroy_output(destroyed.output);
        self.check_out(destroyed.scope);
        self.work_off();
        Ok(())
    }

    /// The output event of an EDT goes with that.
    fn destroy_output(&mut self, output: Guid) {
        let _ = self.graph().destroy_event(output);
        if outbox::is_open() && !output.is_null() {
            self.break_promises(output);
        }
    }
}
