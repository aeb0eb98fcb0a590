//! What an attempt saves before it begins, and how it is undone.
//!
//! | what | before | when it is undone |
//! |---|---|---|
//! | a block in EW mode | its content is copied | the content is copied back |
//! | a block in RW mode | it becomes the attempt's alone, as in EW mode; its content is copied | the content is copied back |
//! | `paramv`, `depv` | copied | copied back |
//! | objects that it has made | noted | destroyed, the last first |
//! | held calls | noted | forgotten |
//! | local storage of the EDT (`ocrElsUserSet`) | empty | emptied |

use crate::engine::attempt::point::Arguments;
use crate::engine::state::attempt::{AttemptProgress, SavedBlock, WhyOpen};
use crate::engine::state::context::Context;
use crate::memory;
use crate::object::code::EdtDep;
use crate::object::data_block::DataBlock;
use crate::object::edt::{Edt, Mode};
use crate::object::guid::{Guid, Kind};
use crate::trace;
use crate::trace::events;
use crate::trace::format::Asked;
use ocr_place::place::Place;

/// What `paramv` and `depv` had before an attempt: a function may write both.
pub(super) struct ArgumentsBefore {
    params: Vec<u64>,
    deps: Vec<EdtDep>,
}

impl ArgumentsBefore {
    /// # Safety
    /// The arrays have as many elements as the arguments say, and nothing writes them during the call.
    pub(super) unsafe fn of(arguments: Arguments) -> ArgumentsBefore {
        let Arguments { paramc, paramv, depc, depv } = arguments;
        let params = match paramc {
            0 => &[],
            // SAFETY: there are parameters, so the array is there, as the caller promises.
            _ => unsafe { std::slice::from_raw_parts(paramv, paramc as usize) },
        };
        let deps = match depc {
            0 => &[],
            // SAFETY: there are pre-slots, so the array is there, as the caller promises.
            _ => unsafe { std::slice::from_raw_parts(depv, depc as usize) },
        };
        ArgumentsBefore { params: params.to_vec(), deps: deps.to_vec() }
    }

    /// # Safety
    /// These are the arrays that [`ArgumentsBefore::of`] has looked at, and nothing else uses them during the call.
    pub(super) unsafe fn restore(&self, arguments: Arguments) {
        if !self.params.is_empty() {
            // SAFETY: the caller promises that the array is the one that was copied, so it has room for as much.
            unsafe { arguments.paramv.copy_from_nonoverlapping(self.params.as_ptr(), self.params.len()) };
        }
        if !self.deps.is_empty() {
            // SAFETY: the caller promises that the array is the one that was copied, so it has room for as much.
            unsafe { arguments.depv.copy_from_nonoverlapping(self.deps.as_ptr(), self.deps.len()) };
        }
    }
}

/// A copy of what a block contains. None without memory for it.
fn content_of(block: &DataBlock) -> Option<Vec<u8>> {
    let (start, size) = (block.host_ptr().cast_const(), block.size() as usize);
    let mut content = Vec::new();
    content.try_reserve_exact(size).ok()?;
    if size != 0 {
        // SAFETY: the EDT that is about to run holds the block in the host, and no other may write it. So its memory is
        // there and stays, with `size` bytes, for which the vector has room.
        unsafe { start.copy_to_nonoverlapping(content.as_mut_ptr(), size) };
        // SAFETY: as many bytes were just written.
        unsafe { content.set_len(size) };
    }
    Some(content)
}

impl Context {
    /// Saves what an EDT that is about to run may write. Where that cannot be saved, the attempt is open.
    pub(super) fn save(&mut self, edt: &Edt, progress: &mut AttemptProgress) {
        let Some(mut attempt) = self.attempt.take() else { return };
        let blocks = &self.runtime.objects.data_blocks;
        let why = edt.blocks().find_map(|(_, slot)| {
            let (guid, mode) = (slot.data(), slot.info().mode);
            if !mode.writes() || guid.is_null() {
                return None;
            }
            let block = blocks.pinned(guid);
            if mode == Mode::Rw {
                // What this thread's lease holds is no hold of another EDT's.
                self.leases.end_of(guid, &mut self.steps.granted);
                if !memory::take_alone(block, Place::HOST) {
                    return Some(WhyOpen::Shares(guid));
                }
                attempt.alone.push(block);
            }
            match content_of(block) {
                Some(content) => attempt.saved.push(SavedBlock { block, content }),
                None => return Some(WhyOpen::NoMemory),
            }
            None
        });
        if let Some(why) = why {
            attempt.saved.clear();
            progress.open(why);
            self.tally.counts.attempts_opened.add(1);
        }
        self.attempt = Some(attempt);
        if why.is_some() {
            self.share_again();
        }
    }

    /// Lets other EDTs have the blocks in RW mode that the attempt had for itself.
    pub(super) fn share_again(&mut self) {
        let Some(attempt) = self.attempt.as_deref_mut() else { return };
        for block in std::mem::take(&mut attempt.alone) {
            memory::hand_back(block, Mode::Rw, Place::HOST, &mut self.steps.granted);
        }
        self.work_off();
    }

    /// Undoes the attempt of the EDT that this thread runs, whose function has returned or is left.
    pub(super) fn undo(&mut self) {
        let Some(attempt) = self.attempt.as_deref_mut() else { return };
        for SavedBlock { block, content } in &attempt.saved {
            if !content.is_empty() {
                // SAFETY: the EDT holds the block in the host, and no other may write it. So its memory is there, with
                // as many bytes as were copied before.
                unsafe { block.host_ptr().copy_from_nonoverlapping(content.as_ptr(), content.len()) };
            }
        }
        let made = std::mem::take(&mut attempt.made);
        attempt.forget_calls();
        for guid in made.into_iter().rev() {
            self.unmake(guid);
        }
        self.belongings.clear();
        // Attempts are made on one node, where these are not held.
        let _ = self.belongings.answered.take_all();
        // What was given away is not, and is as it was.
        self.contents.given.clear();
        self.work_off();
    }

    /// Destroys an object that an attempt has made, unless it has destroyed that, too.
    fn unmake(&mut self, guid: Guid) {
        let told = match guid.kind() {
            Some(kind) if kind.is_edt() => {
                let destroyed = self.destroy_edt(guid).is_ok();
                self.with_graph(|graph| graph.end_hold(guid));
                destroyed.then_some(Asked::EdtDestroyed)
            }
            Some(kind) if kind.is_event() => {
                let destroyed = self.with_graph(|graph| graph.destroy_event(guid));
                destroyed.ok().map(|()| Asked::EventDestroyed)
            }
            Some(Kind::DataBlock) => self.destroy_block(guid).ok().map(|()| Asked::BlockDestroyed),
            Some(_) => {
                let templates = &self.runtime.objects.templates;
                if let Some(work) = templates.destroy(&mut self.caches.templates, guid) {
                    self.release_kernels(work);
                }
                None
            }
            None => None,
        };
        if let Some(asked) = told.filter(|_| trace::is_on()) {
            events::called(asked, guid.bits(), (0, 0), false);
        }
    }
}
