//! The EDTs around the tasks: the first, the finish EDT, and those that look at what has come of it.

use crate::api::{self, Dep, EINVAL, Guid, NULL, NewEdt, OPEN, check_one_of};
use crate::body::{fill, keep, read, words};
use crate::graph::*;
use crate::oracle::{self, op};
use crate::run::*;
use ocr::object::work::EdtDep;
use std::sync::atomic::Ordering::Relaxed;

/// The first EDT: makes the blocks and the events that are there from the start, and the EDTs for
/// the beginning and the end.
pub unsafe extern "C" fn main_edt(
    _: u32,
    _: *mut u64,
    _: u32,
    _: *mut EdtDep,
) -> ocr::object::guid::Guid {
    let running = running();
    let graph = &running.graph;
    let mut filled = Vec::new();
    for (block, spec) in graph.blocks.iter().enumerate() {
        let place = &running.blocks[block].guid;
        match spec.origin {
            Origin::Main => {
                let (guid, address) = api::block(spec.words, true);
                // SAFETY: this EDT has just created it.
                fill(oracle::block_hash(block), unsafe {
                    words(address, spec.words)
                });
                api::release(guid);
                place.set(guid);
            }
            Origin::Bare(variant) => {
                place.set(api::block(spec.words, false).0);
                filled.push((block, variant));
            }
            Origin::Made(_) => {}
        }
    }
    for (task, spec) in graph.tasks.iter().enumerate() {
        let state = &running.tasks[task];
        if let Some(kind) = spec.late {
            let count = graph.late_dependences(task);
            state.late.set(api::event(kind, count, false));
        }
        if let Some(kind) = spec.body {
            let count = match kind {
                Kind::Counted | Kind::Channel => graph.body_dependences(task),
                _ => 1,
            };
            state.body.set(api::event(kind, count, task % 2 == 0));
        }
        if spec.variant.has_kernel() {
            let (guid, address) = api::block(2, true);
            // SAFETY: this EDT has just created it.
            let journal = unsafe { words(address, 2) };
            journal.iter().for_each(|word| word.store(0, Relaxed));
            api::release(guid);
            state.journal.set(guid);
        }
        for (at, latch) in &state.joins {
            if let Source::Join(tasks) = &spec.slots[*at].source {
                let count = tasks.len() as u64 + 1;
                latch.set(api::event(Kind::Latch, count, task % 2 == 0));
            }
        }
    }
    let template = api::template(driver, 0, filled.len() as u32 + 1, c"driver");
    let depc = filled.len() + 1;
    let (start, done) = NewEdt {
        template,
        params: &mut [],
        depc,
        depv: &mut [],
        finish: true,
        named: true,
        output: true,
        kernel: false,
    }
    .create();
    api::destroy_template(template);
    let template = api::template(collect, 0, 1, c"collect");
    NewEdt {
        template,
        params: &mut [],
        depc: 1,
        depv: &mut [done],
        finish: false,
        named: true,
        output: false,
        kernel: false,
    }
    .create();
    api::destroy_template(template);
    for (at, &(block, variant)) in filled.iter().enumerate() {
        let id = graph.tasks.len() + block;
        let (hash, words) = (oracle::block_hash(block), graph.blocks[block].words);
        let kernel = variant.has_kernel();
        let mut params = match kernel {
            true => running.kernel_params(id, hash, &[(op::SET, words)]),
            false => vec![id as u64],
        };
        let mut depv = vec![NULL; if kernel { KERNEL_DEPC } else { 1 }];
        depv[0] = OPEN;
        let (edt, output) = NewEdt {
            template: running.template(variant, api::NO_RESULT, false),
            params: &mut params,
            depc: depv.len(),
            depv: &mut depv,
            finish: false,
            named: true,
            output: true,
            kernel: variant == Variant::Kernel,
        }
        .create();
        api::connect(output, start, at, Mode::Null);
        let mode = if block % 2 == 0 { Mode::Rw } else { Mode::Ew };
        api::connect(running.blocks[block].guid.get(), edt, 0, mode);
    }
    api::connect(NULL, start, depc - 1, Mode::Null);
    ocr::object::guid::Guid::NULL
}

/// The finish EDT around all tasks.
unsafe extern "C" fn driver(_: u32, _: *mut u64, _: u32, _: *mut Dep) -> Guid {
    running().create_children(None);
    NULL
}

/// The blocks and journals that are left at the end.
fn left(running: &Running) -> (Vec<Block>, Vec<Task>) {
    let graph = &running.graph;
    let blocks = (0..graph.blocks.len()).filter(|&b| graph.blocks[b].destroyed_by.is_none());
    let journals = (0..graph.tasks.len()).filter(|&t| graph.tasks[t].variant.has_kernel());
    (blocks.collect(), journals.collect())
}

/// Runs after all tasks: has the blocks that are left looked at.
unsafe extern "C" fn collect(_: u32, _: *mut u64, _: u32, _: *mut Dep) -> Guid {
    let running = running();
    let (blocks, journals) = left(running);
    let sources: Vec<Guid> = blocks
        .iter()
        .map(|&block| running.blocks[block].guid.get())
        .chain(
            journals
                .iter()
                .map(|&task| running.tasks[task].journal.get()),
        )
        .collect();
    let template = api::template(verify, 0, sources.len() as u32 + 1, c"verify");
    let (edt, _) = NewEdt {
        template,
        params: &mut [],
        depc: sources.len() + 1,
        depv: &mut [],
        finish: false,
        named: true,
        output: false,
        kernel: false,
    }
    .create();
    api::destroy_template(template);
    for (at, &source) in sources.iter().enumerate() {
        let mode = if at % 2 == 0 { Mode::Const } else { Mode::Ro };
        api::connect(source, edt, at, mode);
    }
    api::connect(NULL, edt, sources.len(), Mode::Null);
    NULL
}

/// The last EDT: reads all blocks, destroys everything, and shuts down.
unsafe extern "C" fn verify(_: u32, _: *mut u64, depc: u32, depv: *mut Dep) -> Guid {
    let running = running();
    // SAFETY: the runtime gives as many dependences as it says.
    let deps = unsafe { std::slice::from_raw_parts(depv, depc as usize) };
    let (blocks, journals) = left(running);
    for (&block, dep) in blocks.iter().zip(deps) {
        let count = running.graph.blocks[block].words;
        // SAFETY: the EDT holds its blocks.
        keep(
            running,
            block,
            read(unsafe { words(dep.ptr.cast(), count) }),
        );
        api::destroy_block(dep.guid);
    }
    for (&task, dep) in journals.iter().zip(&deps[blocks.len()..]) {
        // SAFETY: the EDT holds its blocks.
        let journal = read(unsafe { words(dep.ptr.cast(), 2) });
        running.tasks[task].runs.store(journal[0], Relaxed);
        running.tasks[task].seen.store(journal[1], Relaxed);
        api::destroy_block(dep.guid);
    }
    let destroyed = |source: &Source| {
        let slots = running.graph.tasks.iter().flat_map(|spec| &spec.slots);
        slots
            .into_iter()
            .any(|slot| slot.destroys_event && slot.source == *source)
    };
    for (task, spec) in running.graph.tasks.iter().enumerate() {
        let state = &running.tasks[task];
        let events = [
            (spec.late, &state.late, Source::Late(task)),
            (spec.body, &state.body, Source::Body(task)),
        ];
        for (kind, event, source) in events {
            match kind {
                Some(kind) if kind.stays() && !destroyed(&source) => {
                    api::destroy_event(event.get());
                }
                // It has triggered and has served all its dependences; or a consumer has destroyed it.
                Some(_) => check_one_of(
                    "ocrEventDestroy of an event that should be gone",
                    api::try_destroy_event(event.get()),
                    &[EINVAL],
                ),
                None => {}
            }
        }
    }
    let templates = match running.templates.lock() {
        Ok(templates) => templates,
        Err(poisoned) => poisoned.into_inner(),
    };
    templates
        .values()
        .for_each(|&template| api::destroy_template(template));
    api::shutdown();
    NULL
}
