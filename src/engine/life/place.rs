//! Step 3 of an EDT's life: it is placed, as far as the policy decides now.

use crate::device::DeviceKind;
use crate::engine::life::hints::place_of;
use crate::engine::life::recording::{number, record_considered};
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::runtime::Runtime;
use crate::memory;
use crate::object::data_block::{DataBlock, LockedBlock, Mark};
use crate::object::edt::{Edt, EdtRef, PreSlot};
use crate::object::guid::Guid;
use crate::object::hints::{DB_AFFINITY, EDT_SLOT_MAX_ACCESS};
use crate::object::name::EdtName;
use crate::trace;
use ocr_place::model::{Direction, Shape};
use ocr_place::place::{Place, PlaceSet};
use ocr_place::policy;
use ocr_place::policy::{BlockPlaces, Candidate, Choice, Choices, Considered, KeptEdt, Machine, PolicyFault};

impl Context {
    /// Step 3: a runnable EDT is placed, as far as it can be now, and sent on.
    #[inline]
    pub(crate) fn advance(&mut self, edt: &'static Edt) {
        self.place(edt);
        self.order_blocks(edt);
        self.acquire_rest(edt);
    }

    /// Places a runnable EDT, as far as the policy decides now.
    #[inline(always)]
    pub(crate) fn place(&mut self, edt: &Edt) {
        if !edt.work().kernels.is_empty() || edt.work().fast_entry.is_none() {
            edt.place.set(self.choose_place(edt));
            if trace::is_on() {
                self.record_runnable(edt, edt.place.get());
            }
        }
    }

    #[inline(never)]
    fn choose_place(&mut self, edt: &Edt) -> Place {
        if let Some(check) = &self.runtime.check {
            self.check_runnable(check, edt);
        }
        if let Some(newer) = edt.work().built_later.get() {
            edt.work.set(newer);
        }
        let work = edt.work();
        if work.kernels.is_empty() && work.function.is_some() {
            return Place::HOST;
        }
        let devices = self.runtime.devices.for_edt(edt);
        if let Some(redundant) = &self.runtime.redundant
            && work.function.is_some()
            && !devices.is_empty()
        {
            return self.place_redundant(redundant, edt);
        }
        if let Some(place) = self.asked_place(edt, &devices) {
            return place;
        }
        match (work.function.is_some(), &devices[..]) {
            (true, []) => {
                self.runtime.devices.runs_as_function(self.runtime, edt);
                Place::HOST
            }
            (false, []) => fatal(&self.runtime.devices.nothing_runs(self.runtime, edt)),
            (false, [only]) => *only,
            (function, devices) => {
                if function && !self.runtime.policy.uses_devices() {
                    self.runtime.devices.runs_as_function(self.runtime, edt);
                }
                let blocks = &EdtBlocks(self.runtime, edt);
                let (edt, times, is_spread) = (EdtRef::new(edt).token(), &work.times, is_spread(edt));
                let choices = Choices { edt, function, devices, blocks, times, is_spread };
                match self.runtime.policy.choose(&choices, self.runtime) {
                    Choice::At(place) => place,
                    Choice::Kept => Place::UNDECIDED,
                    Choice::FirstFree if function => Place::UNDECIDED,
                    // A worker could not run it.
                    Choice::FirstFree => policy::least_loaded(devices, self.runtime),
                }
            }
        }
    }

    /// Puts an EDT that holds its blocks where places take it: the policy's keeper, or the pool.
    pub(crate) fn put_into_pool(&mut self, edt: &'static Edt) {
        match self.runtime.policy.keeper() {
            Some(keeper) => keeper.keep(self.kept(edt), self.runtime),
            None => {
                self.runtime.queues.pool.push(EdtRef::new(edt));
                self.steps.queued = true;
            }
        }
        self.feed_devices();
    }

    /// What is reported to the policy's keeper of an EDT.
    fn kept(&self, edt: &'static Edt) -> KeptEdt {
        let blocks = EdtBlocks(self.runtime, edt);
        let host = edt.work().function.map(|_| Place::HOST);
        let devices = self.runtime.devices.for_edt(edt);
        let candidate = |place| Candidate { place, copy_ns: blocks.held_copy_ns(place), behind: blocks.behind(place) };
        KeptEdt {
            edt: EdtRef::new(edt).token(),
            priority: self.priority_of(edt),
            times: &edt.work().times,
            shape: self.runtime.shape_of(edt),
            frees_worker: self.current.is_none() && self.local.is_some() && !self.is_manager,
            is_spread: is_spread(edt),
            candidates: host.into_iter().chain(devices).map(candidate).collect(),
        }
    }

    /// Says to the policy's keeper, if it has one, that an EDT which it may have placed has run where it was placed, or
    /// has failed there and goes elsewhere.
    pub(crate) fn tell_keeper(&self, edt: &Edt) {
        if let Some(keeper) = self.runtime.policy.keeper()
            && edt.work().has_choice()
        {
            let place = edt.place.get();
            let frees = place == Place::HOST && self.is_worker();
            keeper.ended(EdtRef::new(edt).token(), place, frees, self.runtime);
        }
    }

    /// Says to the policy's keeper that the function of a finish EDT has returned. True if the keeper waits for the end
    /// of the scope.
    pub(crate) fn goes_on_as(&self, edt: &Edt, scope: usize) -> bool {
        let keeper = self.runtime.policy.keeper().filter(|_| edt.work().has_choice());
        let token = EdtRef::new(edt).token();
        keeper.is_some_and(|keeper| keeper.goes_on(token, scope, self.is_worker(), self.runtime))
    }

    fn is_worker(&self) -> bool {
        self.local.is_some() && !self.is_manager
    }

    /// A place has taken an EDT out of the pool.
    pub(crate) fn place_at(&mut self, edt: &'static Edt, place: Place) {
        edt.place.set(place);
        if trace::is_on() {
            trace::events::placed(edt.own_guid().bits(), number(place));
        }
        for (_, slot) in edt.blocks() {
            let block = self.runtime.objects.data_blocks.pinned(slot.data());
            memory::bind_place(block, slot.info().mode, place, &mut self.steps.granted);
        }
        self.locked(edt);
    }
}

/// Whether the work of an EDT's function is spread over the workers: it is a finish EDT, whose function creates others.
fn is_spread(edt: &Edt) -> bool {
    edt.flags.get().is_finish() && !edt.work().times.works_alone()
}

/// Where a block's content is.
fn valid_at(block: &DataBlock) -> PlaceSet {
    if block.has(Mark::OnDevice) { block.copies().valid } else { PlaceSet::only(Place::HOST) }
}

/// The blocks of an EDT.
struct EdtBlocks<'a>(&'a Runtime, &'a Edt);

impl EdtBlocks<'_> {
    /// The pre-slots whose blocks count for the place: the one that a hint names, if it has a block, or all.
    fn counted(&self) -> &[PreSlot] {
        let slots = self.1.slots();
        let most_used = self.0.objects.edts.hint(self.1, EDT_SLOT_MAX_ACCESS);
        let most_used = most_used.and_then(|slot| slots.get(usize::try_from(slot).ok()?));
        match most_used.filter(|slot| !slot.data().is_null()) {
            Some(slot) => std::slice::from_ref(slot),
            None => slots,
        }
    }

    /// The place where a hint says that a block is to be, if this run has it.
    fn home(&self, block: &DataBlock, locked: &LockedBlock<'_>) -> Option<Place> {
        let affinity = self.0.objects.data_blocks.hint(block, locked, DB_AFFINITY)?;
        let devices = self.0.devices.in_use().len();
        place_of(Guid::from_bits(affinity)).filter(|home| home.number() <= devices)
    }

    /// Where a block counts as being that the EDT has: where a hint says, or where its content is.
    fn held_at(&self, block: &DataBlock) -> PlaceSet {
        let blocks = &self.0.objects.data_blocks;
        let hinted = || {
            let (block, locked) = blocks.lock(block.guid())?;
            self.home(block, &locked)
        };
        let home = if blocks.any_hinted() { hinted() } else { None };
        home.map_or_else(|| valid_at(block), PlaceSet::only)
    }

    /// The blocks that count for the place, of an EDT that has its blocks.
    fn held(&self) -> impl Iterator<Item = &DataBlock> {
        let counted = self.counted();
        let one = (counted.len() < self.1.slots().len()).then(|| counted.first()).flatten();
        let all = one.is_none().then(|| self.1.blocks().map(|(_, slot)| slot));
        let slots = one.into_iter().chain(all.into_iter().flatten());
        slots.map(|slot| self.0.objects.data_blocks.pinned(slot.data()))
    }

    /// A device that has blocks which this place has not, and that copies them with the threads of its kernels.
    fn behind(&self, place: Place) -> Option<Place> {
        let from = |block: &DataBlock| {
            let valid = self.held_at(block);
            let elsewhere = !valid.contains(place) && !valid.contains(Place::HOST);
            elsewhere.then(|| valid.iter().next()).flatten()
        };
        let is_cpu = |from: &Place| self.0.devices.used(*from).info.kind == DeviceKind::Cpu;
        self.held().filter_map(from).find(is_cpu)
    }

    /// Nanoseconds until all are in a place, if their transfers begin now. The EDT has them.
    fn held_copy_ns(&self, place: Place) -> u64 {
        let copy = |block: &DataBlock| self.0.copy_ns(self.held_at(block), block.size(), place);
        self.held().map(copy).sum()
    }
}

impl Runtime {
    /// Nanoseconds until a block of this size, which has valid copies in these places, is in a place.
    fn copy_ns(&self, valid: PlaceSet, bytes: u64, place: Place) -> u64 {
        let transfer = |device: Place, direction| {
            let index = device.device_index();
            index.map_or(0, |index| self.transfers.expected(index, direction, bytes))
        };
        if valid.contains(place) || valid.is_empty() {
            return 0;
        }
        let mut ns = 0;
        if !valid.contains(Place::HOST)
            && let Some(from) = valid.iter().next()
        {
            ns += transfer(from, Direction::FromDevice);
        }
        if place != Place::HOST {
            ns += transfer(place, Direction::ToDevice);
        }
        ns
    }
}

impl BlockPlaces for EdtBlocks<'_> {
    fn shape(&self) -> Shape {
        self.0.shape_of(self.1)
    }

    /// The bytes of the EDT's blocks that have a valid copy in a place, or a hint that they should be there. The policy
    /// asks before the EDT has its blocks, when nothing keeps them: a block that is gone is nowhere. A block in two
    /// pre-slots counts twice, as in `shape`. Where a hint names a pre-slot that has a block, that block counts alone.
    fn bytes_at(&self, place: Place) -> u64 {
        let there = |slot: &PreSlot| {
            let (block, locked) = self.0.objects.data_blocks.lock(slot.data())?;
            let is_there = match self.home(block, &locked) {
                Some(home) => home == place,
                None => block.copies_seen(&locked).valid.contains(place),
            };
            is_there.then(|| block.size())
        };
        self.counted().iter().filter_map(there).fold(0, u64::saturating_add)
    }

    fn copy_ns(&self, place: Place) -> Option<u64> {
        let times = self.counted().iter().filter_map(|slot| {
            let (block, locked) = self.0.objects.data_blocks.lock(slot.data())?;
            let home = self.home(block, &locked);
            let at = home.map_or_else(|| block.copies_seen(&locked).valid, PlaceSet::only);
            Some(self.0.copy_ns(at, block.size(), place))
        });
        Some(times.sum())
    }

    fn are_hinted(&self) -> bool {
        self.1.flags.get().has_hints() || self.0.objects.data_blocks.any_hinted()
    }
}

impl Machine for Runtime {
    fn device_load(&self, device: Place) -> usize {
        self.devices.load(device)
    }

    fn at_once(&self, device: Place) -> usize {
        self.devices.manager(device).at_once().unwrap_or(1)
    }

    fn devices(&self) -> usize {
        self.devices.in_use().len()
    }

    fn workers(&self) -> usize {
        Runtime::workers(self)
    }

    fn idle_workers(&self) -> usize {
        let state = self.queues.sleep.state();
        // Those that stand still while a device has their cores do not run anything.
        let still = if self.devices.lends() { self.seats.retired() } else { 0 };
        state.searching() + state.sleeping() + still
    }

    fn shares_cores(&self, device: Place) -> Option<usize> {
        self.devices.shared_cores(device)
    }

    fn pending(&self, most: usize) -> usize {
        self.objects.edts.live().take(most).count()
    }

    fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn ask_again(&self, at_ns: u64) {
        self.devices.ask_again(at_ns);
    }

    fn may_duplicate(&self) -> bool {
        self.duplicates.is_some()
    }

    fn offer_to_workers(&self, offers: bool) {
        self.queues.set_offers(offers);
    }

    fn is_recorded(&self) -> bool {
        trace::is_on()
    }

    fn policy_failed(&self, fault: &PolicyFault) {
        // SAFETY: the policy was given the token of an EDT that has not begun, and gives it to no place any more.
        let edt = |token| unsafe { EdtRef::from_token(token) }.get();
        fatal(&fault.text(|token| EdtName::of(edt(token)).to_string()))
    }

    fn considered(&self, place: &Considered) {
        // SAFETY: the policy was given the token of an EDT, and has it in its hands while it tells of it.
        let edt = unsafe { EdtRef::from_token(place.edt) }.get();
        record_considered(edt, place);
    }
}
