//! The EDTs around the tasks: the first, the finish EDT, and those that look at what has come of it.

use crate::api::{self, Dep, ECANCELED, Guid, NULL, NewEdt, OPEN, check_one_of};
use crate::body::{fill, keep, read, words};
use crate::collective::Turn;
use crate::graph::*;
use crate::maps::Key;
use crate::oracle::{self, op};
use crate::run::*;
use ocr::EdtDep;
use std::sync::atomic::Ordering::Relaxed;

/// The first EDT.
pub(crate) unsafe extern "C" fn main_edt(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> ocr::Guid {
    let start = begin(None);
    let template = api::template(collect, 0, 1, c"collect");
    NewEdt { template, depc: 1, depv: &mut [start.done], named: true, ..NewEdt::default() }.create();
    api::destroy_template(template);
    start.open();
    ocr::Guid::NULL
}

/// What the thread of a legacy program does.
pub(crate) fn legacy_main() {
    let start = begin(Some(api::event(Kind::Sticky, 0, false)));
    start.open();
    let (status, ..) = api::wait_for(start.done, false);
    check_one_of("ocrLegacyBlockProgress", status, &[0, ECANCELED]);
    // Otherwise the case has failed.
    if status == 0 {
        api::destroy_event(start.done);
        look();
    }
}

/// The finish EDT around all tasks, which does not run yet.
struct Start {
    edt: Guid,
    /// Its pre-slot that nothing is connected to.
    slot: usize,
    /// Its output event.
    done: Guid,
}

impl Start {
    fn open(&self) {
        api::connect(NULL, self.edt, self.slot, Mode::Null);
    }
}

/// Makes the blocks and the events that are there from the start, and the finish EDT, whose output event
/// is a new one or `given`.
fn begin(given: Option<Guid>) -> Start {
    let running = running();
    let graph = &running.graph;
    running.create_shared();
    running.create_maps();
    let mut filled = Vec::new();
    for (block, spec) in graph.blocks.iter().enumerate() {
        match spec.origin {
            Origin::Main if spec.chunk.is_some() => {}
            Origin::Main => {
                let (guid, address) = running.new_block(block);
                // SAFETY: this EDT has just created it.
                fill(oracle::block_hash(block), unsafe { words(address, graph.size(block)) });
                api::release(guid);
            }
            Origin::Bare(variant) => {
                let (guid, _) = api::block(graph.size(block), false);
                running.blocks[block].guid.set(guid);
                filled.push((block, variant));
            }
            Origin::Keyed | Origin::Made(_) | Origin::Reduced(..) | Origin::Value(_) => {}
        }
    }
    let own = |turn: &Turn| graph.turn(*turn).by.is_none();
    let turns = graph.turns().filter(own);
    turns.for_each(|turn| running.take_turn(turn));
    for (task, spec) in graph.tasks.iter().enumerate() {
        if spec.variant.has_kernel() {
            let (guid, address) = api::block(2, true);
            // SAFETY: this EDT has just created it.
            let journal = unsafe { words(address, 2) };
            journal.iter().for_each(|word| word.store(0, Relaxed));
            api::release(guid);
            running.tasks[task].journal.set(guid);
        }
    }
    let files = running.open_files();
    let depc = filled.len() + files.len() + 1;
    let template = api::template(driver, 0, depc as u32, c"driver");
    let (start, done) =
        NewEdt { template, depc, finish: true, named: true, output: true, given, ..NewEdt::default() }.create();
    api::destroy_template(template);
    for (at, &(block, variant)) in filled.iter().enumerate() {
        if variant == Variant::Copy {
            let event = running.fill_by_copy(block);
            api::connect(event, start, at, Mode::Null);
            if given.is_some() {
                // Outside of EDTs it stays.
                running.keep_event(event);
            }
            continue;
        }
        let id = graph.tasks.len() + block;
        let (hash, words) = (oracle::block_hash(block), graph.size(block));
        let kernel = variant.has_kernel();
        let mut params = if kernel { running.kernel_params(id, hash, &[(op::SET, words)]) } else { vec![id as u64] };
        let mut depv = vec![NULL; if kernel { KERNEL_DEPC } else { 1 }];
        depv[0] = OPEN;
        let (edt, output) = NewEdt {
            template: running.template(variant, api::NO_RESULT, false),
            params: &mut params,
            depc: depv.len(),
            depv: &mut depv,
            named: true,
            output: true,
            kernel: variant == Variant::Kernel,
            ..NewEdt::default()
        }
        .create();
        api::connect(output, start, at, Mode::Null);
        let mode = if block % 2 == 0 { Mode::Rw } else { Mode::Ew };
        api::connect(running.blocks[block].guid.get(), edt, 0, mode);
    }
    for (at, (edt, output, descriptor)) in files.into_iter().enumerate() {
        api::connect(output, start, filled.len() + at, Mode::Null);
        api::connect(descriptor, edt, 0, if at % 2 == 0 { Mode::Const } else { Mode::Ro });
    }
    Start { edt: start, slot: depc - 1, done }
}

/// The finish EDT around all tasks.
unsafe extern "C" fn driver(_: u32, _: *mut u64, _: u32, _: *mut Dep) -> Guid {
    running().create_children(None);
    NULL
}

/// The blocks and journals that are left at the end.
fn left(running: &Running) -> (Vec<Block>, Vec<Task>) {
    let graph = &running.graph;
    // Results that no task has asked for are known to none, and private copies go by themselves.
    let known = |&block: &Block| running.blocks[block].guid.get().guid != 0 && !graph.is_private(block);
    let blocks = (0..graph.blocks.len()).filter(known);
    let unseen = |block: Block| graph.is_left_in_whole(block) || graph.is_unseen(block);
    let blocks = blocks.filter(|&block| !unseen(block));
    let blocks = blocks.filter(|&block| graph.blocks[block].destroyed_by.is_none());
    let journals = (0..graph.tasks.len()).filter(|&t| graph.tasks[t].variant.has_kernel());
    (blocks.collect(), journals.collect())
}

/// The blocks that maps have made in the place of destroyed ones.
fn blocks_made_anew(running: &Running) -> Vec<(Block, Guid)> {
    let block = |(key, guid)| match key {
        Key::Block(block) => Some((block, guid)),
        _ => None,
    };
    let made = running.maps.made_anew().into_iter();
    made.filter_map(block).collect()
}

/// Runs after all tasks: has the blocks that are left looked at.
unsafe extern "C" fn collect(_: u32, _: *mut u64, _: u32, _: *mut Dep) -> Guid {
    look();
    NULL
}

fn look() {
    let running = running();
    running.ask_anew();
    running.end_chunks();
    running.end_parts();
    let (blocks, journals) = left(running);
    let sources: Vec<Guid> = blocks
        .iter()
        .map(|&block| running.blocks[block].guid.get())
        .chain(journals.iter().map(|&task| running.tasks[task].journal.get()))
        .chain(blocks_made_anew(running).iter().map(|&(_, guid)| guid))
        .collect();
    let template = api::template(verify, 0, sources.len() as u32 + 1, c"verify");
    let (edt, _) = NewEdt { template, depc: sources.len() + 1, named: true, ..NewEdt::default() }.create();
    api::destroy_template(template);
    for (at, &source) in sources.iter().enumerate() {
        let mode = if at % 2 == 0 { Mode::Const } else { Mode::Ro };
        api::connect(source, edt, at, mode);
    }
    api::connect(NULL, edt, sources.len(), Mode::Null);
}

/// The last EDT: reads all blocks, destroys everything, and shuts down.
unsafe extern "C" fn verify(_: u32, _: *mut u64, depc: u32, depv: *mut Dep) -> Guid {
    let running = running();
    // SAFETY: the runtime gives as many dependences as it says.
    let deps = unsafe { std::slice::from_raw_parts(depv, depc as usize) };
    let (blocks, journals) = left(running);
    for (&block, dep) in blocks.iter().zip(deps) {
        let count = running.graph.size(block);
        // SAFETY: the EDT holds its blocks.
        keep(running, block, read(unsafe { words(dep.ptr.cast(), count) }));
        // Chunks may be left to the end of the program.
        if block % 3 != 0 || !running.graph.is_chunk(block) {
            api::destroy_block(dep.guid);
        }
    }
    for (&task, dep) in journals.iter().zip(&deps[blocks.len()..]) {
        // SAFETY: the EDT holds its blocks.
        let journal = read(unsafe { words(dep.ptr.cast(), 2) });
        running.tasks[task].runs.store(journal[0], Relaxed);
        running.tasks[task].seen.store(journal[1], Relaxed);
        api::destroy_block(dep.guid);
    }
    let anew = blocks_made_anew(running);
    for (&(block, guid), dep) in anew.iter().zip(&deps[blocks.len() + journals.len()..]) {
        if dep.guid.guid != guid.guid || dep.ptr.is_null() {
            fail(format!(
                "got {:#x} at {:?} for b{block}, which was made anew as {:#x}",
                dep.guid.guid, dep.ptr, guid.guid
            ));
            continue;
        }
        // SAFETY: the EDT holds its blocks, of which this is one.
        let content = read(unsafe { words(dep.ptr.cast(), running.graph.size(block)) });
        let hash = oracle::block_hash(block);
        if (0..content.len()).any(|at| content[at] != oracle::word_set(hash, at)) {
            fail(format!("b{block}, which was made anew, has not what its creator wrote"));
        }
    }
    running.end_copies();
    running.end_files();
    running.destroy_shared();
    running.destroy_maps();
    let templates = match running.templates.lock() {
        Ok(templates) => templates,
        Err(poisoned) => poisoned.into_inner(),
    };
    templates.values().for_each(|&template| api::destroy_template(template));
    api::shutdown();
    NULL
}
