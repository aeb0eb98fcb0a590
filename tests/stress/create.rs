//! How an EDT creates others, with their events, and opens their gates.

use crate::api::{self, Dep, EINVAL, Guid, NULL, NewEdt, OPEN, check_one_of};
use crate::body::{body, pause, range};
use crate::graph::*;
use crate::oracle::{first_hash, op};
use crate::run::*;
use std::ffi::CStr;

const SOURCE: &str = include_str!("kernel.cl");
const KERNEL: &CStr = c"body";

impl Running {
    /// The template for a variant and a result slot, which is made once.
    pub fn template(&self, variant: Variant, result: u32, own: bool) -> Guid {
        let make = || match variant {
            Variant::Function => api::template(body, api::UNKNOWN, api::UNKNOWN, c"body"),
            Variant::Kernel => {
                api::kernel_template(SOURCE, KERNEL, KERNEL_PARAMC as u32, KERNEL_DEPC as u32)
            }
            Variant::Both => {
                let (paramc, depc) = (KERNEL_PARAMC as u32, KERNEL_DEPC as u32);
                let template = api::template(body, paramc, depc, c"body_or_kernel");
                api::add_kernel(template, SOURCE, KERNEL, range, result);
                template
            }
        };
        if own {
            return make();
        }
        let mut templates = match self.templates.lock() {
            Ok(templates) => templates,
            Err(poisoned) => poisoned.into_inner(),
        };
        *templates.entry((variant, result)).or_insert_with(make)
    }

    /// Parameters of an EDT that may be a kernel.
    pub fn kernel_params(&self, id: usize, first: u32, uses: &[(u32, u32)]) -> Vec<u64> {
        let mut params = vec![id as u64, u64::from(first)];
        params.extend((0..KERNEL_DEPC).map(|at| {
            let &(op, words) = uses.get(at).unwrap_or(&(0, 0));
            u64::from(op) << 32 | u64::from(words)
        }));
        params
    }

    /// The event that a pre-slot is connected to, or the block.
    fn source(&self, task: Task, at: usize) -> Guid {
        match &self.graph.tasks[task].slots[at].source {
            Source::Nothing => NULL,
            Source::Block(block) => self.blocks[*block].guid.get(),
            Source::Late(from) => self.tasks[*from].late.get(),
            Source::Body(from) => self.tasks[*from].body.get(),
            Source::Join(_) => self.tasks[task].joins[&at].get(),
            Source::Output(from, chain) => {
                let mut last = self.tasks[*from].output.get();
                for (nth, &kind) in chain.iter().enumerate() {
                    let next = api::event(kind, 1, nth % 2 == 0);
                    api::connect(last, next, 0, Mode::Null);
                    last = next;
                }
                last
            }
        }
    }

    /// Creates the EDTs of a task.
    fn create_task(&self, task: Task) {
        let (spec, state) = (&self.graph.tasks[task], &self.tasks[task]);
        let result = match spec.outcome {
            Outcome::Slot(slot) if spec.variant.has_kernel() => slot as u32,
            _ => api::NO_RESULT,
        };
        if spec.copies > 1 && spec.gated {
            state.gate.set(api::event(Kind::Once, 0, false));
        }
        let template = self.template(spec.variant, result, spec.own_template);
        for _ in 0..spec.copies {
            self.create_edt(task, template);
        }
        if spec.own_template {
            api::destroy_template(template);
        }
        // The creator's own part of each latch.
        for latch in state.joins.values() {
            api::satisfy(latch.get(), NULL);
        }
    }

    fn create_edt(&self, task: Task, template: Guid) {
        let (spec, state) = (&self.graph.tasks[task], &self.tasks[task]);
        let kernel = spec.variant.has_kernel();
        let (gate, depc) = match kernel {
            true => (GATE, KERNEL_DEPC),
            false => (spec.slots.len(), spec.slots.len() + spec.gated as usize),
        };
        let sources: Vec<Guid> = (0..spec.slots.len())
            .map(|at| self.source(task, at))
            .collect();
        let mut depv = vec![NULL; depc];
        for (at, slot) in spec.slots.iter().enumerate() {
            depv[at] = if slot.in_depv { sources[at] } else { OPEN };
        }
        if spec.gated {
            depv[gate] = OPEN;
        }
        if kernel {
            depv[JOURNAL] = OPEN;
        }
        if depv.iter().all(|guid| guid.guid == OPEN.guid) {
            depv.clear();
        }
        let (edt, output) = NewEdt {
            template,
            params: &mut self.params(task),
            depc,
            depv: &mut depv,
            finish: spec.finish,
            named: !spec.anonymous,
            output: self.graph.wants_output(task),
            kernel: spec.variant == Variant::Kernel,
        }
        .create();
        state.edt.set(edt);
        state.output.set(output);
        let times = match spec.late {
            None => 0,
            Some(Kind::Channel) => self.graph.late_dependences(task),
            Some(_) => 1,
        };
        for _ in 0..times {
            api::connect(output, state.late.get(), 0, Mode::Null);
        }
        for (consumer, at) in self.graph.joins_of(task) {
            api::connect(output, self.tasks[consumer].joins[&at].get(), 0, Mode::Null);
        }
        let mut later: Vec<usize> = (0..spec.slots.len())
            .filter(|&at| !spec.slots[at].in_depv)
            .collect();
        if spec.reversed {
            later.reverse();
        }
        if kernel {
            api::connect(state.journal.get(), edt, JOURNAL, Mode::Rw);
        }
        if spec.copies > 1 && spec.gated {
            api::connect(state.gate.get(), edt, gate, Mode::Null);
        }
        for at in later {
            api::connect(sources[at], edt, at, spec.slots[at].mode);
        }
    }

    fn params(&self, task: Task) -> Vec<u64> {
        let spec = &self.graph.tasks[task];
        if !spec.variant.has_kernel() {
            return vec![task as u64];
        }
        let mut uses = vec![(0, 0); KERNEL_DEPC];
        for (at, slot) in spec.slots.iter().enumerate() {
            let words = slot
                .used()
                .map_or(0, |block| self.graph.blocks[block].words);
            uses[at] = (self.expected.ops[task][at], words);
        }
        uses[JOURNAL] = (op::JOURNAL, 2);
        self.kernel_params(task, first_hash(task), &uses)
    }

    /// Creates the children of a task, or those of the first EDT.
    pub fn create_children(&self, parent: Option<Task>) {
        let spec = parent.map(|parent| &self.graph.tasks[parent]);
        let doomed: Vec<_> = spec
            .iter()
            .flat_map(|spec| &spec.doomed)
            .map(|doomed| (doomed, self.create_doomed(doomed)))
            .collect();
        for child in self.graph.children(parent) {
            self.create_task(child);
            pause(spec.map_or(0, |spec| spec.pauses[1] / 4));
        }
        let open = |child: Task| {
            let spec = &self.graph.tasks[child];
            let gate = match spec.variant.has_kernel() {
                true => GATE,
                false => spec.slots.len(),
            };
            let state = &self.tasks[child];
            if spec.gated && spec.copies > 1 {
                api::satisfy(state.gate.get(), NULL);
            } else if spec.gated {
                api::connect(NULL, state.edt.get(), gate, Mode::Null);
            }
        };
        match spec.is_some_and(|spec| spec.gates_reversed) {
            true => self.graph.children(parent).rev().for_each(open),
            false => self.graph.children(parent).for_each(open),
        }
        for (doomed, (edt, output, event)) in doomed {
            let end_event = |satisfied: bool| {
                if satisfied {
                    api::satisfy(event, NULL);
                }
                if !satisfied || doomed.kind.stays() {
                    api::destroy_event(event);
                }
            };
            match doomed.event {
                EventEnd::DestroyedBefore => end_event(false),
                EventEnd::SatisfiedBefore => end_event(true),
                _ => {}
            }
            api::destroy_edt(edt);
            check_one_of(
                "ocrEventDestroy of the output event of a destroyed EDT",
                api::try_destroy_event(output),
                &[EINVAL],
            );
            match doomed.event {
                EventEnd::DestroyedAfter => end_event(false),
                EventEnd::SatisfiedAfter => end_event(true),
                _ => {}
            }
        }
    }

    fn create_doomed(&self, doomed: &Doomed) -> (Guid, Guid, Guid) {
        let event = api::event(doomed.kind, 1, true);
        let template = api::template(never, 0, 3, c"never");
        let late = doomed.late.map_or(NULL, |late| self.tasks[late].late.get());
        let (edt, output) = NewEdt {
            template,
            params: &mut [],
            depc: 3,
            depv: &mut [OPEN, event, late],
            finish: doomed.finish,
            named: true,
            output: true,
            kernel: false,
        }
        .create();
        api::destroy_template(template);
        (edt, output, event)
    }
}

/// Never runs.
unsafe extern "C" fn never(_: u32, _: *mut u64, _: u32, _: *mut Dep) -> Guid {
    fail("an EDT ran that was destroyed".into());
    NULL
}
