//! Divided blocks of a random graph (`ocrDbPartition`). A task divides a block that it has; EDTs of its
//! finish scope, each with a part alone, add to the words of the parts, at the same time as far as
//! their modes allow, and others destroy the parts. So all others who want the block get it in the
//! end, whatever else they have, and find sums that do not depend on when they did.

use crate::api::{self, Dep, Guid, NULL, NewEdt, OPEN};
use crate::body::{pause, read, words};
use crate::graph::*;
use crate::oracle::{Moment, Order, first_hash, mix, op, word_set};
use crate::run::{KERNEL_DEPC, Running, fail, running};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::atomic::Ordering::{Relaxed, SeqCst};

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct DivisionSpec {
    /// The pre-slot with the block. If none arrives there, nothing is divided.
    pub(crate) slot: usize,
    /// Whether the body does it before it changes the block, and not at its end.
    pub(crate) early: bool,
    /// Whether with `OCR_DB_PARTITION_STATIC`, and so in one call; otherwise in one for each part.
    pub(crate) fixed: bool,
    pub(crate) parts: Vec<PartSpec>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct PartSpec {
    /// Words between it and the one before.
    pub(crate) gap: u32,
    pub(crate) words: u32,
    /// The EDTs that use it.
    pub(crate) users: Vec<(Mode, Variant)>,
    pub(crate) end: PartEnd,
    /// Whether the first user, if a function, divides it once more.
    pub(crate) nested: bool,
    pub(crate) pause: u8,
}

/// Who destroys a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) enum PartEnd {
    /// An EDT that comes after its users and does not have it.
    Without,
    /// The same with the part in this mode.
    With(Mode),
    /// Its only user, if that is a function, and otherwise as `Without`.
    User,
}

impl PartSpec {
    fn ended_by_user(&self) -> bool {
        let one = matches!(&self.users[..], [(_, Variant::Function)]);
        self.end == PartEnd::User && one
    }

    fn divides(&self) -> bool {
        let first = self.users.first();
        self.nested && first.is_some_and(|user| *user == (Mode::Ew, Variant::Function))
    }
}

/// What is added to the words of a part of a task, by each of its users that writes.
fn part_hash(task: Task, part: usize) -> u32 {
    mix(first_hash(task), 0xD1 + part as u32)
}

impl Graph {
    /// The block that a task divides.
    pub(crate) fn divided(&self, task: Task) -> Option<Block> {
        let spec = &self.tasks[task];
        let slot = spec.slots.get(spec.division.as_ref()?.slot)?;
        slot.used()
    }

    /// When a task, and the EDTs with parts of the block, are done with a block.
    pub(crate) fn done(&self, task: Task, block: Block) -> Moment {
        if self.divided(task) == Some(block) { Moment::Complete(task) } else { Moment::End(task) }
    }

    /// The parts with words, by their position, and where in the block they are.
    fn parts(&self, task: Task) -> Vec<(usize, Range<u32>)> {
        let (Some(block), Some(spec)) = (self.divided(task), &self.tasks[task].division) else {
            return Vec::new();
        };
        let mut end = 0;
        let most = self.blocks[block].words;
        let place = |(nth, part): (usize, &PartSpec)| {
            let start = part.gap.saturating_add(end).min(most);
            end = part.words.saturating_add(start).min(most);
            (nth, start..end)
        };
        let parts = spec.parts.iter().enumerate().map(place);
        parts.filter(|(_, place)| !place.is_empty()).collect()
    }

    /// What the EDTs with parts do.
    pub(crate) fn add_parts(&self, task: Task, words: &mut [u32]) {
        let Some(division) = &self.tasks[task].division else {
            return;
        };
        for (nth, place) in self.parts(task) {
            let part = &division.parts[nth];
            let writers = part.users.iter().filter(|(mode, _)| mode.writes()).count();
            // Each half once more.
            let times = writers as u32 + part.divides() as u32;
            let words = &mut words[place.start as usize..place.end as usize];
            for (at, word) in words.iter_mut().enumerate() {
                let sum = word_set(part_hash(task, nth), at).wrapping_mul(times);
                *word = word.wrapping_add(sum);
            }
        }
    }
}

/// Functions divide, each block one after the other.
pub(crate) fn settle_divisions(graph: &mut Graph) {
    for spec in &mut graph.tasks {
        let function = spec.variant == Variant::Function;
        spec.division = spec.division.take().filter(|_| function);
        if spec.division.is_some() {
            spec.finish = true;
            spec.copies = 1;
        }
    }
}

/// The same, once it is known who has which block.
pub(crate) fn settle_divided(graph: &mut Graph, order: &Order) {
    for task in 0..graph.tasks.len() {
        let Some(block) = graph.divided(task) else {
            graph.tasks[task].division = None;
            continue;
        };
        let before = |first, second| order.is_before(Moment::Complete(first), Moment::Start(second));
        let alone =
            (0..task).all(|other| graph.divided(other) != Some(block) || before(other, task) || before(task, other));
        // With the block in RO the task would see what its parts become.
        let mut slots = graph.tasks[task].slots.iter();
        let read = slots.any(|slot| slot.used() == Some(block) && slot.mode == Mode::Ro);
        if !alone || read || graph.is_private(block) {
            graph.tasks[task].division = None;
        }
    }
}

impl Running {
    /// Divides the block of a task, and has its parts used.
    pub(crate) fn divide(&self, task: Task) {
        let (Some(block), Some(spec)) = (self.graph.divided(task), &self.graph.tasks[task].division) else {
            return;
        };
        let whole = self.blocks[block].guid.get();
        let parts = self.graph.parts(task);
        let places: Vec<Range<u32>> = parts.iter().map(|(_, place)| place.clone()).collect();
        let guids: Vec<Guid> = if spec.fixed {
            api::divide(whole, &places, true)
        } else {
            let one = |place: &Range<u32>| api::divide(whole, std::slice::from_ref(place), false);
            places.iter().flat_map(one).collect()
        };
        for ((nth, place), guid) in parts.into_iter().zip(guids) {
            self.use_part(task, nth, place.end - place.start, guid);
        }
    }

    /// Creates the EDTs of a part.
    fn use_part(&self, task: Task, nth: usize, count: u32, part: Guid) {
        let Some(division) = &self.graph.tasks[task].division else {
            return;
        };
        let spec = &division.parts[nth];
        let users = spec.users.len();
        if users == 0 && spec.end == PartEnd::User {
            api::destroy_block(part);
            return;
        }
        let params = [task as u64, nth as u64, count.into(), part.guid as u64];
        let closer = (!spec.ended_by_user()).then(|| {
            let template = api::template(close, 4, users as u32 + 1, c"close");
            let (closer, _) =
                NewEdt { template, params: &mut params.clone(), depc: users + 1, named: true, ..NewEdt::default() }
                    .create();
            api::destroy_template(template);
            closer
        });
        for (at, &(mode, variant)) in spec.users.iter().enumerate() {
            let kernel = variant.has_kernel();
            let op = if mode.writes() { op::ADD | op::ATOMIC } else { 0 };
            let mut params = if kernel {
                self.kernel_params(usize::MAX, part_hash(task, nth), &[(op, count)])
            } else {
                [&params[..], &[at as u64]].concat()
            };
            let mut depv = vec![NULL; if kernel { KERNEL_DEPC } else { 2 }];
            depv[0] = OPEN;
            depv[1] = OPEN;
            let template = if kernel {
                self.template(variant, api::NO_RESULT, false)
            } else {
                api::template(use_it, 5, 2, c"use_part")
            };
            let (edt, output) = NewEdt {
                template,
                params: &mut params,
                depc: depv.len(),
                depv: &mut depv,
                finish: true,
                named: true,
                output: closer.is_some(),
                kernel: variant == Variant::Kernel,
                ..NewEdt::default()
            }
            .create();
            if !kernel {
                api::destroy_template(template);
            }
            if let Some(closer) = closer {
                api::connect(output, closer, at, Mode::Null);
            }
            api::connect(part, edt, 0, mode);
            api::connect(NULL, edt, 1, Mode::Null);
        }
        if let Some(closer) = closer {
            match spec.end {
                PartEnd::With(mode) => api::connect(part, closer, users, mode),
                _ => api::connect(NULL, closer, users, Mode::Null),
            }
        }
    }

    /// Looks that no task has a block and a part of it at the same time.
    fn with_part(&self, task: Task, work: impl FnOnce()) {
        let Some(block) = self.graph.divided(task) else {
            return;
        };
        let state = &self.blocks[block];
        state.parts.fetch_add(1, SeqCst);
        let others = state.exclusive.load(SeqCst) + state.shared.load(SeqCst);
        if others != 0 {
            fail(format!("b{block} is in use, and a part of it that t{task} has made"));
        }
        work();
        state.parts.fetch_sub(1, SeqCst);
    }
}

/// What an EDT with a part has: its task, the part's position, its words, and itself.
///
/// # Safety
/// The parameters are those of such an EDT.
unsafe fn part_of(paramv: *mut u64) -> (Task, usize, u32, Guid) {
    // SAFETY: by the contract.
    let [task, nth, count, part] = unsafe { paramv.cast::<[u64; 4]>().read() };
    (task as Task, nth as usize, count as u32, Guid { guid: part as i64 })
}

/// A user of a part.
unsafe extern "C" fn use_it(_: u32, paramv: *mut u64, _: u32, depv: *mut Dep) -> Guid {
    let running = running();
    // SAFETY: `use_part` has made this EDT.
    let (task, nth, count, part) = unsafe { part_of(paramv) };
    // SAFETY: it has five parameters.
    let [.., at] = unsafe { paramv.cast::<[u64; 5]>().read() };
    // SAFETY: it has two pre-slots.
    let dep = unsafe { &*depv };
    let Some(division) = &running.graph.tasks[task].division else {
        return NULL;
    };
    let spec = &division.parts[nth];
    let (mode, _) = spec.users[at as usize];
    if dep.guid.guid != part.guid || dep.ptr.is_null() {
        fail(format!("t{task}, part {nth}: got {:#x} at {:?}", dep.guid.guid, dep.ptr));
        return NULL;
    }
    // SAFETY: the EDT holds the part, which is as long as that.
    let words = unsafe { words(dep.ptr.cast(), count) };
    let hash = part_hash(task, nth);
    running.with_part(task, || {
        let before = read(words);
        if mode == Mode::Rw {
            for (at, word) in words.iter().enumerate() {
                word.fetch_add(word_set(hash, at), Relaxed);
            }
        }
        pause(spec.pause);
        if mode == Mode::Ew {
            // All was read, then all is written: who else writes meanwhile is lost.
            for (at, (word, &before)) in words.iter().zip(&before).enumerate() {
                word.store(before.wrapping_add(word_set(hash, at)), Relaxed);
            }
        }
        if mode == Mode::Const && read(words) != before {
            fail(format!("part {nth} of t{task} changed while it was held in CONST"));
        }
    });
    if at == 0 && spec.divides() {
        let half = count / 2;
        let places = [0..half, half..count].into_iter().filter(|place| !place.is_empty());
        let places: Vec<Range<u32>> = places.collect();
        let halves = api::divide(part, &places, nth.is_multiple_of(2));
        for (place, half) in places.into_iter().zip(halves) {
            let template = api::template(use_half, 4, 1, c"use_half");
            let (first, count) = (place.start.into(), (place.end - place.start).into());
            let params = &mut [task as u64, nth as u64, count, first];
            let (edt, _) = NewEdt { template, params, depc: 1, named: true, ..NewEdt::default() }.create();
            api::destroy_template(template);
            api::connect(half, edt, 0, if nth.is_multiple_of(3) { Mode::Rw } else { Mode::Ew });
        }
    }
    if spec.ended_by_user() {
        api::destroy_block(part);
    }
    NULL
}

/// The user of a part of a part, which destroys it.
unsafe extern "C" fn use_half(_: u32, paramv: *mut u64, _: u32, depv: *mut Dep) -> Guid {
    // SAFETY: it has four parameters; the last says where it begins, not what it is.
    let (task, nth, count, Guid { guid: first }) = unsafe { part_of(paramv) };
    // SAFETY: it has a pre-slot.
    let dep = unsafe { &*depv };
    // SAFETY: the EDT holds the part, which is as long as that.
    let words = unsafe { words(dep.ptr.cast(), count) };
    running().with_part(task, || {
        for (at, word) in words.iter().enumerate() {
            let sum = word_set(part_hash(task, nth), first as usize + at);
            word.store(word.load(Relaxed).wrapping_add(sum), Relaxed);
        }
    });
    api::destroy_block(dep.guid);
    NULL
}

/// Destroys a part after its users.
unsafe extern "C" fn close(_: u32, paramv: *mut u64, _: u32, _: *mut Dep) -> Guid {
    // SAFETY: `use_part` has made this EDT.
    let (_, _, _, part) = unsafe { part_of(paramv) };
    api::destroy_block(part);
    NULL
}
