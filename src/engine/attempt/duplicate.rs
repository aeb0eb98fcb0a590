//! The function of a duplicate: it is called while the kernel of the same EDT runs, and sees copies of all blocks.
//!
//! Nobody sees anything of it before it counts. What it asks for is held, as in other attempts, but for less: an EDT
//! that may have ended has no finish scope any more, and is no creator. So a duplicate is *left* at the first call that
//! creates something, that asks for the EDT itself, or that cannot be held, and by a crash. Its kernel goes on alone
//! then, and no duplicate is made of EDTs of its template any more. A function that is left as in `longjmp` has no
//! destructors run, which C++ has; one in Rust is left before it begins.
//!
//! | what | while it runs | when it counts |
//! |---|---|---|
//! | blocks that the EDT may write, and those that it reads | copies of all | the first are copied back |
//! | a block in RW mode | is the EDT's alone; an EDT that shares one has no duplicate | others may have it again |
//! | `paramv`, `depv` | copies | |
//! | calls that others would see | held | carried out |
//! | global variables, files | not undone, as in any attempt | |
//!
//! Blocks that are only read are copied, too: when the kernel is first, the EDT's hold on them ends.

use crate::abi::Api;
use crate::engine::attempt::calls::{CallManner, manner_of};
use crate::engine::attempt::carry_out;
use crate::engine::attempt::point::{Arguments, Point};
use crate::engine::state::attempt::{Attempt, AttemptProgress};
use crate::engine::state::context::Context;
use crate::engine::state::duplicates::{CopiedBlock, Line, ReturnedFunction};
use crate::memory;
use crate::object::code::{EdtDep, EdtFunction};
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, Mode, PreSlot, SlotInfo};
use crate::object::guid::Guid;
use ocr_place::place::Place;
use std::ptr;

/// What the function of a duplicate gets, which is its own.
pub(crate) struct DuplicateArguments {
    params: Vec<u64>,
    deps: Vec<EdtDep>,
    blocks: Vec<CopiedBlock>,
}

/// What has come of the function of a duplicate.
pub(crate) enum DuplicateEnd {
    /// It has returned: what it has returned, asked for, and left.
    Returned(Guid, Box<Attempt>, Vec<CopiedBlock>),
    /// It has made a call that a duplicate cannot make.
    Called(Api),
    /// It is written in Rust.
    InRust,
    /// It has crashed.
    Crashed,
}

/// A copy of what a block contains that its EDT has. None without memory for it, or if the host has not the content.
fn copy_of(block: &DataBlock, writes: bool) -> Option<CopiedBlock> {
    let bytes = block.size() as usize;
    let lines = bytes.div_ceil(size_of::<Line>());
    let mut content: Vec<Line> = Vec::new();
    content.try_reserve_exact(lines).ok()?;
    content.resize(lines, Line([0; 128]));
    let (is_ready, is_unwritten) = {
        let copies = block.copies();
        (copies.host_ready(), copies.valid.is_empty())
    };
    match () {
        () if bytes == 0 => {}
        () if is_ready => {
            let from = block.host_ptr().cast_const();
            // SAFETY: the EDT holds the block until the copies are made, and the host has its content, so the memory is
            // there, with `bytes` bytes, for which the vector has room. The manager may write there meanwhile, when it
            // has what the kernel has left: it has said so before (`Duplicates::settles`), and the copy is not used.
            unsafe { from.copy_to_nonoverlapping(content.as_mut_ptr().cast(), bytes) };
        }
        () if is_unwritten => {}
        () => return None,
    }
    Some(CopiedBlock { guid: block.guid(), writes, content, bytes })
}

impl Context {
    /// Copies what the function of a duplicate gets of an EDT whose kernel runs, and which stays meanwhile. None where
    /// it cannot have a duplicate.
    pub(crate) fn copy_for_duplicate(&mut self, edt: &Edt) -> Option<DuplicateArguments> {
        let data_blocks = &self.runtime.objects.data_blocks;
        let place = edt.place.get();
        let mut blocks = Vec::new();
        for (at, (_, slot)) in edt.blocks().enumerate() {
            let (block, info) = (data_blocks.pinned(slot.data()), slot.info());
            if info.held_mode() == Mode::Rw {
                if !memory::take_alone(block, place) {
                    self.share_first(edt, at);
                    return None;
                }
                slot.set_info(SlotInfo { handed: true, ..info });
            }
            match copy_of(block, info.mode.writes()) {
                Some(copy) => blocks.push(copy),
                None => {
                    self.share_first(edt, at + 1);
                    return None;
                }
            }
        }
        let address = |guid: Guid| {
            let of_block = blocks.iter().find(|block| block.guid == guid);
            of_block.map_or(ptr::null_mut(), |block| block.content.as_ptr().cast_mut().cast())
        };
        let dep =
            |slot: &PreSlot| EdtDep { guid: slot.data(), ptr: address(slot.data()), mode: slot.info().mode as u32 };
        let deps = edt.slots().iter().map(dep).collect();
        Some(DuplicateArguments { params: edt.params().to_vec(), deps, blocks })
    }

    /// Lets others have those of the first `count` blocks of an EDT that it had for itself.
    fn share_first(&mut self, edt: &Edt, count: usize) {
        for (_, slot) in edt.blocks().take(count) {
            let info = slot.info();
            if info.handed {
                slot.set_info(SlotInfo { handed: false, ..info });
                let block = self.runtime.objects.data_blocks.pinned(slot.data());
                memory::hand_back(block, info.mode, edt.place.get(), &mut self.steps.granted);
            }
        }
    }
}

/// Calls the function of a duplicate.
///
/// # Safety
/// `context` is this thread's, it runs no EDT, and no reference into it is alive. The function is that of the EDT for
/// which the arguments were copied.
pub(crate) unsafe fn call(
    context: *mut Context,
    function: EdtFunction,
    mut arguments: DuplicateArguments,
) -> DuplicateEnd {
    let attempt =
        Attempt { releasable: arguments.blocks.iter().map(|block| block.guid).collect(), ..Attempt::default() };
    {
        // SAFETY: the caller promises that the context is this thread's, and that no reference into it is alive. This
        // one ends before the function is called.
        let this = unsafe { &mut *context };
        this.attempt = Some(Box::new(attempt));
    }
    let point = Point::of_duplicate(AttemptProgress::of_duplicate(), function);
    let with = Arguments {
        paramc: arguments.params.len() as u32,
        paramv: if arguments.params.is_empty() { ptr::null_mut() } else { arguments.params.as_mut_ptr() },
        depc: arguments.deps.len() as u32,
        depv: if arguments.deps.is_empty() { ptr::null_mut() } else { arguments.deps.as_mut_ptr() },
    };
    // SAFETY: the arrays have as many elements as is said, and each block that the pre-slots name is there: a copy that
    // nothing else uses.
    let result = unsafe { point.call(function, with) };
    // SAFETY: the caller promises that the context is this thread's. The function has returned or is left, so no
    // reference that it made is used any more.
    let this = unsafe { &mut *context };
    let attempt = this.attempt.take().unwrap_or_default();
    match (point.crash.take(), point.left.take()) {
        (Some(_), _) => DuplicateEnd::Crashed,
        (None, Some(Some(api))) => DuplicateEnd::Called(api),
        (None, Some(None)) => DuplicateEnd::InRust,
        (None, None) => DuplicateEnd::Returned(result, attempt, arguments.blocks),
    }
}

/// What becomes of a call that the function of a duplicate makes. None: the duplicate is left.
pub(crate) fn manner_in_duplicate(context: &mut Context, api: Api, words: &[u64]) -> Option<CallManner> {
    use Api::*;
    let first = Guid::from_bits(words.first().copied().unwrap_or_default());
    match api {
        ocrElsUserGet
        | ocrElsUserSet
        | ocrEdtLocalStorageGet
        | ocrCurrentEdtGet
        | ocrCurrentEdtOutputGet
        | currentEdtUserGet
        | ocrCheckpoint
        | ocrInjectFault => None,
        ocrDbRelease if !first.is_null() => {
            let held = &mut context.attempt.as_deref_mut()?.releasable;
            let at = held.iter().position(|&guid| guid == first)?;
            held.swap_remove(at);
            Some(CallManner::Held)
        }
        _ => match manner_of(context, api, words) {
            manner @ (CallManner::Asks | CallManner::Held) => Some(manner),
            CallManner::Makes | CallManner::MakesEdt | CallManner::Opens => None,
        },
    }
}

/// An EDT runs on the host whose duplicate counts: what that has left becomes what its blocks contain, and what it has
/// asked for is carried out. Returns what it has returned.
///
/// # Safety
/// `context` is this thread's, its current EDT is `edt`, and no reference into it is alive.
pub(crate) unsafe fn take_effect(context: *mut Context, edt: &'static Edt, returned: ReturnedFunction) -> Guid {
    let ReturnedFunction { result, mut attempt, blocks, .. } = returned;
    {
        // SAFETY: the caller promises that the context is this thread's, and that no reference into it is alive. This
        // one ends before calls are made.
        let this = unsafe { &mut *context };
        for copy in blocks.iter().filter(|copy| copy.writes && copy.bytes != 0) {
            let block = this.runtime.objects.data_blocks.pinned(copy.guid);
            let to = block.host_ptr();
            // SAFETY: the EDT holds the block on the host, and no other writes it: so its memory is there, with as many
            // bytes as the copy has.
            unsafe { to.copy_from_nonoverlapping(copy.content.as_ptr().cast(), copy.bytes) };
        }
        for (_, slot) in edt.blocks() {
            let info = slot.info();
            if info.handed {
                slot.set_info(SlotInfo { handed: false, ..info });
                attempt.alone.push(this.runtime.objects.data_blocks.pinned(slot.data()));
            }
        }
        debug_assert!(edt.place.get() == Place::HOST);
        this.attempt = Some(attempt);
    }
    // SAFETY: the caller promises that the context is this thread's, and the reference above has ended.
    unsafe { carry_out(context) };
    // SAFETY: the caller promises that the context is this thread's, and the calls that were carried out have returned.
    let this = unsafe { &mut *context };
    this.attempt = None;
    result
}
