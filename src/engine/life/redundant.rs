//! Redundant runs (`OCR_REDUNDANT`): an EDT that has a C function and kernels runs as both, and what they leave is
//! compared. The function is what counts for the program; the kernels run before it, on copies.
//!
//! 1. *Placed*: such an EDT goes to the host whatever the policy is, and gets its blocks of mode RW in mode EW, so that
//!    no other EDT writes them meanwhile. It is then locked and fetched as any other.
//! 2. *Prepared*: when its blocks are there, it is set aside. Each of its runs as a kernel is an EDT of the runtime's
//!    own, outside of all finish scopes. It has a copy of each block, which it may write whatever the mode is, so that
//!    a write to a block that is only read is found. Devices take turns. A block of mode RO, which others may write, is
//!    copied once more, and the function is shown that copy.
//! 3. *Fetched*: another EDT of the runtime's waits for the kernels, and acquires the copies on the host. It makes the
//!    first EDT ready again. A kernel that fails has nothing to compare, and its EDT ends as if it had run.
//! 4. *Compared*: when the function has returned, the EDT still holds its blocks. These are compared with the copies,
//!    and what the function returned with what the kernel would have passed on. Then the copies are destroyed.
//!
//! What cannot be compared is counted with the reason: a finish EDT whose function has created EDTs, which go on;
//! blocks that the function has released. Nothing recurses: the EDTs of the runtime's own are created in the middle of
//! a step. Off, it costs a look at an `Option` for EDTs that have kernels or something to fetch. On, templates have
//! `needs_slow_path`, and such works no `fast_entry`.

use crate::device::{InlineList, LaunchError};
use crate::engine::life::compared::ComparedRuns;
use crate::engine::life::create_request::Output;
use crate::engine::life::internal_edt::InternalEdtInStep;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::redundant::{KernelFailure, KernelRun, Redundant, RedundantBlock, RedundantOutcome};
use crate::memory;
use crate::object::code::{Code, CodeName, EdtDep, WorkKind};
use crate::object::data_block::{BlockState, DataBlock};
use crate::object::edt::{Edt, EdtFlags, EdtRef, Mode, SlotInfo};
use crate::object::guid::Guid;
use crate::object::name::EdtName;
use ocr_place::place::Place;
use std::ptr::NonNull;

impl Context {
    /// Places an EDT that has a C function, and a kernel for a device: it runs as its function when its kernels have
    /// run, and no other EDT writes its blocks from their begin to its end.
    #[cold]
    pub(crate) fn place_redundant(&self, redundant: &Redundant, edt: &Edt) -> Place {
        let slots = edt.slots();
        redundant.begin(edt.own_guid(), slots.iter().map(|slot| slot.info().mode).collect());
        for slot in slots {
            let info = slot.info();
            if info.mode == Mode::Rw {
                slot.set_info(SlotInfo { mode: Mode::Ew, ..info });
            }
        }
        // It is not run as soon as it has its blocks.
        edt.flags.add(EdtFlags::FETCH);
        Place::HOST
    }

    /// An EDT has its blocks where it runs. If kernels are to run before its function, they begin.
    #[cold]
    pub(crate) fn brought_redundant(&mut self, redundant: &Redundant, edt: &'static Edt) {
        if edt.place.get() != Place::HOST || !redundant.awaits(edt.own_guid()) {
            return self.ready(edt);
        }
        if let Err(why) = self.run_kernels(redundant, edt) {
            redundant.came_of(edt.work().name.best(), RedundantOutcome::NotCompared(why));
            self.ready(edt);
        }
    }

    /// Runs the kernels of an EDT on copies of its blocks. When they have run, the EDT is ready: after this call it is
    /// not the caller's any more. Why that cannot be, otherwise.
    fn run_kernels(&mut self, redundant: &Redundant, edt: &'static Edt) -> Result<(), &'static str> {
        let devices = self.runtime.devices.for_edt(edt);
        let turn = redundant.next_turn();
        let places = (0..redundant.kernel_runs()).map(|run| devices[(turn + run) % devices.len()]);
        let places: InlineList<Place> = places.collect();
        let blocks = self.copy_blocks(edt, places.len())?;
        // Which block each pre-slot has.
        let of_slot = |data: Guid| blocks.iter().position(|block| block.guid == data);
        let slots: Vec<Option<usize>> = edt.slots().iter().map(|slot| of_slot(slot.data())).collect();
        let kernels = places.len();
        let resuming = Code::of_runtime(resume, WorkKind::Copy);
        let resuming = self.create_in_step_or_end(
            edt,
            InternalEdtInStep {
                work: self.runtime.objects.code_table.intern(resuming),
                params: &[EdtRef::new(edt).token() as u64],
                depc: (kernels + kernels * blocks.len()) as u32,
                range: None,
                output: Output::None,
            },
        );
        let range = edt.explicit_range();
        let mut runs = Vec::new();
        for (number, &place) in (0..).zip(&places) {
            let mut ended = Guid::NULL;
            let work = redundant.work(edt.work(), place, || self.kernel_alone(edt.work(), place));
            let kernel = self.create_in_step_or_end(
                edt,
                InternalEdtInStep {
                    work,
                    params: edt.params(),
                    depc: edt.depc.get(),
                    range: range.as_ref(),
                    output: Output::New(NonNull::from(&mut ended)),
                },
            );
            self.connect_own(ended, resuming, number, Mode::Null);
            let variant = edt.work().kernel_on(place).map_or(0, |(variant, _)| variant);
            runs.push(KernelRun { edt: kernel, place, variant, error: None });
        }
        let kernels: Vec<Guid> = runs.iter().map(|run| run.edt).collect();
        let copies: Vec<Vec<Guid>> = blocks.iter().map(|block| block.copies.clone()).collect();
        redundant.prepare(edt.own_guid(), blocks, runs);
        for (slot, &copy) in (kernels.len() as u32..).zip(copies.iter().flatten()) {
            self.connect_own(copy, resuming, slot, Mode::Const);
        }
        // With the last pre-slot of the last kernel, another thread may run the EDT.
        for (run, &kernel) in kernels.iter().enumerate() {
            for (slot, block) in (0..).zip(&slots) {
                match block {
                    Some(block) => self.connect_own(copies[*block][run], kernel, slot, Mode::Ew),
                    None => self.connect_own(Guid::NULL, kernel, slot, Mode::Null),
                }
            }
        }
        Ok(())
    }

    /// Connects a new EDT of the runtime's own, which no other thread connects or destroys.
    fn connect_own(&mut self, source: Guid, edt: Guid, slot: u32, mode: Mode) {
        if self.graph().add_dependence(source, edt, slot, mode).is_err() {
            fatal("a kernel that is compared with its function cannot be connected: this is a fault of the runtime");
        }
    }

    fn create_in_step_or_end(&mut self, edt: &Edt, own: InternalEdtInStep<'_>) -> Guid {
        let created = self.create_internal_in_step(own);
        created.unwrap_or_else(|_| {
            fatal(&format!("no memory for an EDT that runs the kernel of {}, as OCR_REDUNDANT asks", EdtName::of(edt)))
        })
    }

    /// The work that runs the kernel of another one for this place, and nothing else.
    fn kernel_alone(&self, work: &Code, place: Place) -> &'static Code {
        self.runtime.objects.code_table.intern(Code {
            name: CodeName::fixed(work.name.best()),
            kernels: work.kernels.clone(),
            devices: vec![place],
            ..Code::of_kernels("")
        })
    }

    /// Copies each block of an EDT for each of its kernels, and those that others may write once more. The EDT has its
    /// blocks on the host. Why that cannot be, otherwise.
    fn copy_blocks(&mut self, edt: &Edt, kernels: usize) -> Result<Vec<RedundantBlock>, &'static str> {
        let mut blocks = Vec::new();
        for (slot, pre_slot) in edt.blocks() {
            let guid = pre_slot.data();
            let block = self.runtime.objects.data_blocks.pinned(guid);
            let is_shared = pre_slot.info().mode == Mode::Ro;
            let shown = if is_shared { self.copy_of(block) } else { None };
            // Of what the function is shown, since others may write the block by now.
            let from = shown.unwrap_or(block);
            let copies: Vec<Guid> = (0..kernels).filter_map(|_| self.copy_of(from)).map(DataBlock::guid).collect();
            let is_whole = copies.len() == kernels && is_shared == shown.is_some();
            blocks.push(RedundantBlock { guid, slot, shown: shown.map(DataBlock::guid), copies });
            if !is_whole {
                self.destroy_copies(&blocks);
                return Err("there was no memory for copies of the blocks");
            }
        }
        if blocks.is_empty() { Err("there is no data block") } else { Ok(blocks) }
    }

    /// A new block with the content of one that the caller holds, and has on the host. None without memory.
    fn copy_of(&mut self, from: &DataBlock) -> Option<&'static DataBlock> {
        let (objects, size) = (&self.runtime.objects, from.size());
        let copy = objects.data_blocks.allocate(&mut self.caches.data_blocks, size, true).ok()?;
        // SAFETY: both have `size` bytes of host memory: the caller holds the one, and no other thread knows the other.
        unsafe { copy.host_ptr().copy_from_nonoverlapping(from.host_ptr(), size as usize) };
        copy.header.publish(copy.header.peek().with_state(BlockState::Live));
        copy.copies().wrote(Place::HOST);
        if let Some(check) = &self.runtime.check {
            check.runtime_block(objects, copy.guid());
        }
        Some(copy)
    }

    fn destroy_copies(&mut self, blocks: &[RedundantBlock]) {
        for guid in blocks.iter().flat_map(|block| block.shown.iter().chain(&block.copies)) {
            if let Some((copy, locked)) = self.runtime.objects.data_blocks.lock(*guid) {
                let left = memory::destroy(copy, locked);
                self.dispose_if(copy, left);
            }
        }
    }

    /// Whether a kernel that has failed ran on copies: then its EDT ends, and what it left is not compared.
    #[cold]
    pub(crate) fn is_failed_copy(&self, kernel: &Edt, error: &LaunchError) -> bool {
        let Some(redundant) = &self.runtime.redundant else {
            return false;
        };
        let why = || KernelFailure { text: error.to_string(), intact: error.inputs_intact };
        redundant.fails(kernel.own_guid(), why)
    }

    /// Shows a function that is about to be called the modes that its EDT has asked for, and copies of blocks that
    /// others may write meanwhile.
    #[cold]
    pub(crate) fn show_copies(&self, redundant: &Redundant, edt: &Edt, deps: &mut [EdtDep]) {
        let Some((modes, copies)) = redundant.shown(edt.own_guid()) else {
            return;
        };
        for (dep, mode) in deps.iter_mut().zip(modes) {
            dep.mode = mode as u32;
            if let Some(&copy) = copies.get(&dep.guid) {
                dep.ptr = self.runtime.objects.data_blocks.pinned(copy).host_ptr().cast();
            }
        }
    }

    /// The function of an EDT has returned: compares what it has left with what the kernels have.
    #[cold]
    pub(crate) fn compare_runs(&mut self, redundant: &Redundant, edt: &'static Edt, result: Guid) {
        let Some(ran) = redundant.take(edt.own_guid()).filter(|ran| !ran.runs.is_empty()) else {
            return;
        };
        ComparedRuns::new(self.runtime, redundant, edt, &ran, result).tell(self.runtime, redundant, edt, &ran);
        self.destroy_copies(&ran.blocks);
    }
}

/// What an EDT of the runtime's own runs when the kernels of an EDT have run, and the copies are on the host.
///
/// # Safety
/// `paramv` has one element, the token of an EDT that belongs to nobody else.
unsafe extern "C" fn resume(_: u32, paramv: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
    // SAFETY: the caller promises one element.
    let token = unsafe { *paramv } as usize;
    // SAFETY: the element is the token of an EDT that was set aside, and is turned back here alone.
    let edt = unsafe { EdtRef::from_token(token) }.get();
    if let Some(context) = Context::get() {
        // SAFETY: this thread's, and nothing refers to it while an EDT's function runs.
        let context = unsafe { &mut *context };
        context.ready(edt);
        context.work_off();
    }
    Guid::NULL
}
