//! What the EDT of a task does: the function, and the work-items of the kernel.

use crate::api::{self, Dep, EACCES, EINVAL, EPERM, Guid, NULL, check_one_of};
use crate::collective::Turn;
use crate::faults::{clear_stack, crash, is_duplicated, is_wrong};
use crate::graph::*;
use crate::maps::Key;
use crate::oracle::{self, first_hash, mix, op};
use crate::run::*;
use crate::settle::own_result;
use crate::value::When;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Relaxed, SeqCst};
use std::time::Duration;

/// Gives others time: none, a few turns, the rest of the time slice, or a nap.
pub(crate) fn pause(length: u8) {
    match length {
        0 => {}
        1..200 => (0..u32::from(length) * 16).for_each(|_| std::hint::spin_loop()),
        200..240 => (199..length).for_each(|_| std::thread::yield_now()),
        240.. => std::thread::sleep(Duration::from_micros(u64::from(length - 239) * 10)),
    }
}

/// The words of a block that the caller has.
///
/// # Safety
/// `address` is where a block of `count` words is, that the caller holds as long as `'a`.
pub(crate) unsafe fn words<'a>(address: *mut u32, count: u32) -> &'a [AtomicU32] {
    // SAFETY: by the contract; words are read and written as atomics only, here and by others.
    unsafe { std::slice::from_raw_parts(address.cast::<AtomicU32>(), count as usize) }
}

pub(crate) fn fold(hash: u32, words: &[AtomicU32]) -> u32 {
    words.iter().fold(hash, |hash, word| mix(hash, word.load(Relaxed)))
}

pub(crate) fn fill(hash: u32, words: &[AtomicU32]) {
    for (at, word) in words.iter().enumerate() {
        word.store(oracle::word_set(hash, at), Relaxed);
    }
}

pub(crate) fn read(words: &[AtomicU32]) -> Vec<u32> {
    words.iter().map(|word| word.load(Relaxed)).collect()
}

/// One work-item.
pub(crate) unsafe extern "C" fn range(
    paramc: u32,
    paramv: *const u64,
    _: u32,
    _: *const u64,
    range: *mut api::NdRange,
) {
    let running = running();
    // SAFETY: the runtime gives as many parameters as it says.
    let params = unsafe { std::slice::from_raw_parts(paramv, paramc as usize) };
    if let Some(state) = running.tasks.get(params[0] as usize) {
        state.started(running.tick());
    }
    // SAFETY: the runtime gives a place for the range.
    let range = unsafe { &mut *range };
    range.workDim = 1;
    range.globalSize[0] = 1;
}

/// A block as a body has it.
struct Held {
    slot: usize,
    block: Block,
    op: u32,
    mode: Mode,
    guid: Guid,
    words: &'static [AtomicU32],
    margin: &'static [AtomicU32],
    /// Of the words and of the margin at the start.
    sums: [u32; 2],
    released: bool,
}

impl Held {
    fn enter(&self, task: Task) {
        if is_duplicated(running().graph.tasks[task].variant) {
            return;
        }
        let state = &running().blocks[self.block];
        running().use_within_wholes(self.block, true);
        let others = match self.mode {
            Mode::Ew => state.exclusive.fetch_add(1, AcqRel) + state.shared.load(SeqCst),
            Mode::Rw => {
                state.shared.fetch_add(1, AcqRel);
                state.exclusive.load(SeqCst)
            }
            _ => 0,
        };
        let parts = match self.mode {
            // Who has had it in RO may have it yet.
            Mode::Ro => 0,
            _ => state.parts.load(SeqCst),
        };
        if others + parts != 0 {
            fail(format!("b{} is in use by others, too, in {:?}", self.block, self.mode));
        }
    }

    fn leave(&mut self, task: Task) {
        if is_duplicated(running().graph.tasks[task].variant) {
            return;
        }
        let state = &running().blocks[self.block];
        running().use_within_wholes(self.block, false);
        match self.mode {
            Mode::Ew => state.exclusive.fetch_sub(1, AcqRel),
            Mode::Rw => state.shared.fetch_sub(1, AcqRel),
            _ => 0,
        };
        // No task copies to it meanwhile either.
        let sums = [fold(0, self.words), fold(0, self.margin)];
        let same = match self.mode {
            Mode::Const => sums == self.sums,
            Mode::Rw | Mode::Ew => sums[1] == self.sums[1],
            _ => true,
        };
        if !same {
            fail(format!("b{} changed while t{task} had it in {:?}", self.block, self.mode));
        }
    }

    fn change(&self, hash: u32, length: u8) {
        let count = self.words.len();
        if self.op & op::ATOMIC != 0 {
            for (at, word) in self.words.iter().enumerate() {
                word.fetch_add(oracle::word_set(hash, at), Relaxed);
                if at == count / 2 {
                    pause(length);
                }
            }
            return;
        }
        if self.op & (op::ADD | op::CHANGE) == 0 {
            return;
        }
        // All is read, then all is written: who else writes meanwhile is lost.
        let (before, margin) = (read(self.words), read(self.margin));
        if self.mode == Mode::Ew {
            let spoil = |word: &AtomicU32| word.fetch_xor(u32::MAX, Relaxed);
            self.margin.iter().map(spoil).for_each(drop);
        }
        pause(length);
        if self.mode == Mode::Ew {
            let pairs = self.margin.iter().zip(margin);
            pairs.for_each(|(word, before)| word.store(before, Relaxed));
        }
        for (at, (word, &before)) in self.words.iter().zip(&before).enumerate() {
            let after = match self.op & op::CHANGE {
                0 => before.wrapping_add(oracle::word_set(hash, at)),
                _ => oracle::word_changed(before, hash, at),
            };
            word.store(after, Relaxed);
        }
    }
}

/// The function of all tasks, and of the EDTs that fill blocks.
pub(crate) unsafe extern "C" fn body(paramc: u32, paramv: *mut u64, depc: u32, depv: *mut Dep) -> Guid {
    if running().faults.is_some() {
        clear_stack();
    }
    // SAFETY: the arguments are those of the runtime.
    unsafe { run_task(paramc, paramv, depc, depv) }
}

/// See [`body`], whose frame is small.
#[inline(never)]
unsafe fn run_task(paramc: u32, paramv: *mut u64, depc: u32, depv: *mut Dep) -> Guid {
    let running = running();
    // SAFETY: the runtime gives as many parameters as it says.
    let id = unsafe { std::slice::from_raw_parts(paramv, paramc as usize) }[0] as usize;
    let deps = match depc {
        0 => &[],
        // SAFETY: the runtime gives as many dependences as it says.
        _ => unsafe { std::slice::from_raw_parts(depv, depc as usize) },
    };
    let Some(spec) = running.graph.tasks.get(id) else {
        let block = id - running.graph.tasks.len();
        let count = running.graph.size(block);
        // SAFETY: the EDT holds its block until it ends.
        let words = unsafe { words(deps[0].ptr.cast(), count) };
        fill(oracle::block_hash(block), words);
        return NULL;
    };
    let state = &running.tasks[id];
    crash(id, || spoil(running, id, deps));
    if !is_duplicated(spec.variant) {
        state.started(running.tick());
    }
    state.runs.fetch_add(1, Relaxed);
    let mut held = acquire(running, id, deps);
    pause(spec.pauses[0]);

    let mut hash = first_hash(id);
    for held in held.iter().filter(|held| held.op & op::SEE != 0) {
        hash = fold(hash, held.words);
    }
    state.seen.store(hash, Relaxed);
    let expected = running.expected.hashes[id];
    if hash != expected {
        fail(format!("t{id} saw {hash:#x}, not {expected:#x}"));
    }
    pass_values(running, id, When::Before, &held);
    let divides = |early: bool| {
        if spec.division.as_ref().is_some_and(|spec| spec.early == early) {
            running.divide(id);
        }
    };
    divides(true);
    for held in &held {
        held.change(hash, spec.pauses[1]);
    }
    pass_values(running, id, When::After, &held);
    for held in &mut held {
        if spec.slots[held.slot].release {
            held.leave(id);
            api::release(held.guid);
            let right: &[u8] = if running.graph.is_private(held.block) {
                // It may be gone.
                &[EACCES, EINVAL]
            } else {
                &[EACCES]
            };
            let status = api::try_release(held.guid);
            check_one_of("a second ocrDbRelease", status, right);
            held.released = true;
        }
    }
    use_scratch(&spec.scratch, hash);
    for &contest in &spec.contests {
        running.contest(contest, spec.pauses[1]);
    }
    spec.lookups.iter().for_each(|&key| running.look_up(key));
    running.create_children(Some(id));
    divides(false);
    for wait in &spec.waits {
        running.wait(id, wait);
    }
    for slot in spec.slots.iter().filter(|slot| slot.destroys_event) {
        if let Some(event) = slot.source.event() {
            let guid = running.shared.events[&event].object.guid.get();
            running.destroy_mapped(Key::Event(event), guid, api::destroy_event);
        }
    }
    pause(spec.pauses[2]);
    write_journal(spec, deps, hash);
    if is_wrong(id, &running.wrong) {
        // SAFETY: the EDT holds its journal until it ends.
        let journal = unsafe { words(deps[JOURNAL].ptr.cast(), 2) };
        let mut written = held.iter().filter(|held| !held.released && held.op & (op::ADD | op::CHANGE) != 0);
        let words = written.find(|held| !held.words.is_empty()).map_or(journal, |held| held.words);
        words[id % words.len()].fetch_xor(1 << (id % 32), Relaxed);
    }
    pass_values(running, id, When::Last, &held);
    for held in held.iter_mut().filter(|held| !held.released) {
        held.leave(id);
        if running.graph.blocks[held.block].destroyed_by == Some(id) {
            keep(running, held.block, [read(held.words), read(held.margin)].concat());
            running.destroy_mapped(Key::Block(held.block), held.guid, api::destroy_block);
            held.released = true;
        }
    }
    end(running, id, hash, held)
}

/// Makes the blocks wrong that an EDT has for itself; the second time, right again.
fn spoil(running: &Running, task: Task, deps: &[Dep]) {
    let slots = running.graph.tasks[task].slots.iter().enumerate();
    let mut done = Vec::new();
    for (at, slot) in slots.filter(|(_, slot)| slot.mode == Mode::Ew) {
        let Some(block) = slot.used().filter(|block| !deps[at].ptr.is_null() && !done.contains(block)) else {
            continue;
        };
        done.push(block);
        // SAFETY: the EDT has the block for itself until it ends.
        let words = unsafe { words(deps[at].ptr.cast(), running.graph.blocks[block].words) };
        for word in words {
            word.fetch_xor(u32::MAX, Relaxed);
        }
    }
}

/// Passes contents on by value for which this is the time.
fn pass_values(running: &Running, task: Task, when: When, held: &[Held]) {
    let graph = &running.graph;
    for value in graph.values_of(task) {
        let spec = &graph.values[value];
        if graph.when(value) != when {
            continue;
        }
        let (destination, slot, mode) = match (spec.route, graph.first_consumer(value)) {
            (None, Some((consumer, at))) => {
                let mode = graph.tasks[consumer].slots[at].mode;
                (running.tasks[consumer].edt.guid.get(), at, mode)
            }
            _ => (running.event(Event::Value(value)), 0, Mode::Null),
        };
        let passed = graph.passed(value);
        let held = held.iter().find(|held| Some(held.block) == passed);
        let guid = held.map_or(NULL, |held| held.guid);
        if spec.grouped {
            api::begin_group();
        }
        match (graph.far(spec.copy), spec.route) {
            (None, _) => api::pass(guid, destination, slot, mode),
            (Some(far), None) => {
                api::connect(running.make_part(&far, guid), destination, slot, mode);
            }
            (Some(far), Some(_)) => api::satisfy(destination, running.make_part(&far, guid)),
        }
        if spec.grouped {
            api::end_group();
        }
    }
}

/// What a body has of its pre-slots, each block once.
fn acquire(running: &Running, task: Task, deps: &[Dep]) -> Vec<Held> {
    let spec = &running.graph.tasks[task];
    let mut held: Vec<Held> = Vec::new();
    for (at, slot) in spec.slots.iter().enumerate() {
        let dep = &deps[at];
        let Some(block) = slot.used() else {
            if dep.guid.guid != 0 || !dep.ptr.is_null() {
                fail(format!("t{task}, slot {at}: got a block, expected none"));
            }
            continue;
        };
        let guid = running.block_guid(block, dep.guid);
        if dep.guid.guid != guid.guid || dep.ptr.is_null() {
            fail(format!(
                "t{task}, slot {at}: got block {:#x} at {:?}, expected b{block}, which is {:#x}",
                dep.guid.guid, dep.ptr, guid.guid
            ));
            continue;
        }
        if dep.mode != api::mode_bits(slot.mode) {
            fail(format!("t{task}, slot {at}: mode {}, not {:?}", dep.mode, slot.mode));
        }
        if held.iter().any(|held| held.block == block) {
            continue;
        }
        // SAFETY: the EDT has the block, and uses the words no longer than that.
        let words = unsafe { words(dep.ptr.cast(), running.graph.size(block)) };
        let arrived = match slot.mode {
            // Who writes the block may have spoilt its margin.
            Mode::Ro => Vec::new(),
            _ => running.graph.arrived(&running.expected.order, block, task),
        };
        for place in arrived {
            if read(&words[place.clone()]) != running.expected.blocks[block][place.clone()] {
                fail(format!("t{task} finds something else in words {place:?} of b{block} than was copied"));
            }
        }
        let (words, margin) = words.split_at(running.graph.blocks[block].words as usize);
        let new = Held {
            slot: at,
            block,
            op: running.expected.ops[task][at],
            mode: slot.mode,
            guid,
            words,
            margin,
            sums: [fold(0, words), fold(0, margin)],
            released: false,
        };
        new.enter(task);
        held.push(new);
    }
    held
}

/// The end of a body: the block that it makes, the event that it satisfies, and what it returns.
fn end(running: &Running, task: Task, hash: u32, held: Vec<Held>) -> Guid {
    let (spec, state) = (&running.graph.tasks[task], &running.tasks[task]);
    let turns: Vec<Turn> = running.graph.turns_of(task).collect();
    // Whether others come to know of the end before the EDT has returned.
    let tells = spec.body.is_some() || !turns.is_empty();
    if let Outcome::Made(block) = spec.outcome {
        let count = running.graph.size(block);
        if running.graph.is_chunk(block) {
            running.new_chunk(block);
        } else {
            let (guid, address) = running.new_block(block);
            // SAFETY: this EDT has just created it.
            fill(hash, unsafe { words(address, count) });
            if tells {
                api::release(guid);
            }
        }
    }
    if !is_duplicated(spec.variant) {
        state.ended(running.tick());
    }
    if tells {
        for held in held.iter().filter(|held| !held.released) {
            api::release(held.guid);
        }
    }
    turns.into_iter().for_each(|turn| running.take_turn(turn));
    if let Some(kind) = spec.body {
        let event = running.event(Event::Body(task));
        let data = own_result(&running.graph, task);
        let data = data.map_or(NULL, |block| running.blocks[block].guid.get());
        let times = match kind {
            Kind::Channel => running.graph.dependences(&Source::Body(task)),
            _ => 1,
        };
        for _ in 0..times {
            api::satisfy(event, data);
        }
        // Whoever comes after may have destroyed it.
        let right: &[u8] = match kind {
            Kind::Idempotent => &[0, EINVAL],
            Kind::Sticky | Kind::Counted => &[EPERM, EINVAL],
            // One more is as good as the others, if there is room for it.
            Kind::Channel => &[0, EPERM, EINVAL],
            Kind::Once | Kind::Latch => &[EINVAL],
        };
        // Where others' dependences have waited for the event, a call waits until they are made.
        let waits = running.graph.is_raced(Event::Body(task)).then_some(0);
        let right: Vec<u8> = right.iter().copied().chain(waits).collect();
        let status = api::try_satisfy(event, NULL);
        check_one_of("a second ocrEventSatisfy", status, &right);
    }
    match spec.outcome {
        Outcome::Event(late) if running.graph.wants_output(task) => running.event(Event::Late(late)),
        // It may have served all others, and be gone.
        Outcome::Event(late) => running.shared.events[&Event::Late(late)].object.guid.get(),
        // What cannot be passed on is returned for nothing.
        Outcome::Slot(slot) if private(running, &spec.slots[slot]) => {
            let block = spec.slots[slot].used();
            let held = held.iter().find(|held| Some(held.block) == block);
            held.map_or(NULL, |held| held.guid)
        }
        _ => own_result(&running.graph, task).map_or(NULL, |block| running.blocks[block].guid.get()),
    }
}

fn private(running: &Running, slot: &Slot) -> bool {
    let block = slot.used();
    block.is_some_and(|block| running.graph.is_private(block))
}

/// Of a task that may be a kernel: how often it ran and what it saw.
fn write_journal(spec: &TaskSpec, deps: &[Dep], hash: u32) {
    if spec.variant.has_kernel() {
        // SAFETY: the EDT holds its journal until it ends.
        let journal = unsafe { words(deps[JOURNAL].ptr.cast(), 2) };
        journal[0].fetch_add(1, Relaxed);
        journal[1].store(hash, Relaxed);
    }
}

fn use_scratch(sizes: &[u32], hash: u32) {
    for (at, &count) in sizes.iter().enumerate() {
        let (guid, address) = api::block(count, true);
        // SAFETY: this EDT has just created it.
        let words = unsafe { words(address, count) };
        fill(hash, words);
        pause(hash as u8 / 2);
        let wrong = (0..words.len()).any(|at| words[at].load(Relaxed) != oracle::word_set(hash, at));
        if wrong {
            fail("a new block was changed by somebody else".into());
        }
        if at % 2 == 0 {
            api::release(guid);
        }
        api::destroy_block(guid);
    }
}

/// Keeps the content of a block that is going to be destroyed.
pub(crate) fn keep(running: &Running, block: Block, content: Vec<u32>) {
    match running.blocks[block].content.lock() {
        Ok(mut place) => *place = Some(content),
        Err(poisoned) => *poisoned.into_inner() = Some(content),
    }
}
