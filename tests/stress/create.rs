//! How an EDT creates others, with their events, and opens their gates.

use crate::api::{self, CHECK, Dep, EINVAL, Guid, NULL, NewEdt, OPEN, check_one_of};
use crate::body::{body, pause, range};
use crate::graph::*;
use crate::maps::Key;
use crate::oracle::{first_hash, op};
use crate::run::*;
use std::ffi::CStr;
use std::sync::atomic::Ordering::Relaxed;

const SOURCE: &str = include_str!("kernel.cl");
const KERNEL: &CStr = c"body";

impl Running {
    /// The template for a variant and a result slot, which is made once.
    pub(crate) fn template(&self, variant: Variant, result: u32, own: bool) -> Guid {
        let make = || match variant {
            Variant::Function | Variant::Copy => api::template(body, api::UNKNOWN, api::UNKNOWN, c"body"),
            Variant::Kernel => api::kernel_template(SOURCE, KERNEL, KERNEL_PARAMC as u32, KERNEL_DEPC as u32),
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
        if variant == Variant::Function && self.graph.labeled_template {
            return self.labeled_template(api::UNKNOWN, api::UNKNOWN);
        }
        let mut templates = match self.templates.lock() {
            Ok(templates) => templates,
            Err(poisoned) => poisoned.into_inner(),
        };
        *templates.entry((variant, result)).or_insert_with(make)
    }

    /// The template of a task.
    pub(crate) fn template_of(&self, task: Task) -> Guid {
        let spec = &self.graph.tasks[task];
        let result = match spec.outcome {
            Outcome::Slot(slot) if spec.variant.has_kernel() => slot as u32,
            _ => api::NO_RESULT,
        };
        self.template(spec.variant, result, spec.own_template)
    }

    /// Parameters of an EDT that may be a kernel.
    pub(crate) fn kernel_params(&self, id: usize, first: u32, uses: &[(u32, u32)]) -> Vec<u64> {
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
            Source::Block(block) => {
                let mode = self.graph.tasks[task].slots[at].mode;
                self.given_block(*block, mode)
            }
            Source::Late(from) => self.awaited_event(Event::Late(*from), task, at),
            Source::Body(from) => self.awaited_event(Event::Body(*from), task, at),
            Source::Join(_) => self.awaited_event(Event::Join(task, at), task, at),
            Source::Result(turn) if self.graph.turn(*turn).direct => self.collective(turn.collective),
            Source::Result(turn) => self.awaited_event(Event::Tap(*turn), task, at),
            Source::Value(value) if self.graph.values[*value].route.is_none() => OPEN,
            Source::Value(value) => self.event(Event::Value(*value)),
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
        if spec.variant == Variant::Copy {
            state.output.set(self.start_copy(task));
            self.connect_output(task);
            return;
        }
        if spec.rivals > 0 {
            let count = u64::from(spec.rivals) + 1;
            state.gate.set(api::event(Kind::Latch, count, true));
        } else if spec.copies > 1 && spec.gated {
            state.gate.set(api::event(Kind::Once, 0, false));
        }
        let given = self.give_output(task);
        state.output.set(given.unwrap_or(NULL));
        let template = self.template_of(task);
        if spec.priority.by == HintBy::Template && spec.priority.value != 0 {
            api::set_priority(template, spec.priority.value);
        }
        for _ in 0..spec.rivals {
            create_rival(task, template);
        }
        for _ in 0..spec.copies {
            self.create_edt(task, template);
        }
        if spec.own_template {
            api::destroy_template(template);
        }
        // The creator's own part of each latch.
        for (at, slot) in spec.slots.iter().enumerate() {
            if let Source::Join(_) = slot.source {
                api::satisfy(self.event(Event::Join(task, at)), NULL);
            }
        }
    }

    /// Where the gate of a task's EDT is, and how many pre-slots that has.
    fn shape(&self, task: Task) -> (usize, usize) {
        let spec = &self.graph.tasks[task];
        if spec.variant.has_kernel() {
            (GATE, KERNEL_DEPC)
        } else {
            (spec.slots.len(), spec.slots.len() + spec.gated as usize)
        }
    }

    /// Creates an EDT of a task, unless a rival has. The answer is the EDT and its output event.
    fn edt(&self, task: Task, template: Guid, depv: &mut [Guid]) -> (Guid, Guid) {
        let state = &self.tasks[task];
        if self.graph.tasks[task].rivals == 0 {
            let (status, edt, output) = self.try_edt(task, template, depv, None);
            check_one_of("ocrEdtCreate", status, &[0]);
            return (edt, output);
        }
        if self.maps.has(Key::Task(task)) {
            return (self.ask(Key::Task(task)), state.output.get());
        }
        let label = Some((state.edt.guid.get(), CHECK));
        let (status, edt, output) = self.try_edt(task, template, depv, label);
        state.edt.created("ocrEdtCreate on a label", status);
        (edt, output)
    }

    /// The status of the creation, the EDT, and its output event.
    pub(crate) fn try_edt(&self, task: Task, template: Guid, depv: &mut [Guid], label: api::Label) -> (u8, Guid, Guid) {
        let (spec, state) = (&self.graph.tasks[task], &self.tasks[task]);
        let at_creation = spec.priority.by == HintBy::Creation && spec.priority.value != 0;
        NewEdt {
            template,
            params: &mut self.params(task),
            depc: self.shape(task).1,
            depv,
            finish: spec.finish,
            named: !spec.anonymous,
            output: self.graph.wants_output(task),
            kernel: spec.variant == Variant::Kernel,
            label,
            given: spec.given.map(|_| state.output.get()),
            priority: at_creation.then_some(spec.priority.value),
            device: self.device_of(task),
        }
        .try_create()
    }

    fn create_edt(&self, task: Task, template: Guid) {
        let (spec, state) = (&self.graph.tasks[task], &self.tasks[task]);
        let kernel = spec.variant.has_kernel();
        let (gate, depc) = self.shape(task);
        let sources: Vec<Guid> = (0..spec.slots.len()).map(|at| self.source(task, at)).collect();
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
        // Half of the EDTs that have labels get their dependences before they are there.
        // What is passed to them by value then would be theirs no more.
        let by_value = |slot: &Slot| matches!(slot.source, Source::Value(_));
        let early = spec.rivals > 0
            && spec.gated
            && task.is_multiple_of(2)
            && !self.maps.has(Key::Task(task))
            && !spec.slots.iter().any(by_value);
        if early {
            self.connect_edt(task, state.edt.guid.get(), &depv, &sources);
        }
        let (edt, output) = self.edt(task, template, &mut depv);
        state.edt.guid.set(edt);
        state.output.set(output);
        if spec.priority.by == HintBy::Set && spec.priority.value != 0 {
            api::set_priority(edt, spec.priority.value);
        }
        self.connect_output(task);
        if !early {
            self.connect_edt(task, edt, &depv, &sources);
        }
    }

    /// Adds the dependences of an EDT that it was not given at creation.
    fn connect_edt(&self, task: Task, edt: Guid, depv: &[Guid], sources: &[Guid]) {
        let (spec, state) = (&self.graph.tasks[task], &self.tasks[task]);
        let (gate, _) = self.shape(task);
        if spec.rivals > 0 {
            // What is given at creation does not count on a label.
            for (at, &guid) in depv.iter().enumerate() {
                if guid.guid != OPEN.guid {
                    api::connect(guid, edt, at, Mode::Rw);
                }
            }
        }
        let mut later: Vec<usize> = (0..spec.slots.len()).filter(|&at| !spec.slots[at].in_depv).collect();
        if spec.reversed {
            later.reverse();
        }
        if spec.variant.has_kernel() {
            api::connect(state.journal.get(), edt, JOURNAL, Mode::Rw);
        }
        if spec.gated && (spec.copies > 1 || spec.rivals > 0) {
            api::connect(state.gate.get(), edt, gate, Mode::Null);
        }
        for at in later {
            let mode = spec.slots[at].mode;
            match spec.slots[at].source {
                Source::Result(turn) if self.graph.turn(turn).direct => {
                    api::connect_slot(sources[at], turn.slot, edt, at, mode);
                }
                // Who passes the content on satisfies it.
                Source::Value(_) if sources[at].guid == OPEN.guid => {}
                _ => api::connect(sources[at], edt, at, mode),
            }
        }
    }

    /// Has the late event of a task, and the latches of others, depend on its output event.
    fn connect_output(&self, task: Task) {
        let output = self.tasks[task].output.get();
        for _ in 0..self.graph.late_times(task) {
            api::connect(output, self.event(Event::Late(task)), 0, Mode::Null);
        }
        for (consumer, at) in self.graph.joins_of(task) {
            let latch = self.event(Event::Join(consumer, at));
            api::connect(output, latch, 0, Mode::Null);
        }
    }

    fn params(&self, task: Task) -> Vec<u64> {
        let spec = &self.graph.tasks[task];
        if !spec.variant.has_kernel() {
            return vec![task as u64];
        }
        let mut uses = vec![(0, 0); KERNEL_DEPC];
        for (at, slot) in spec.slots.iter().enumerate() {
            let words = slot.used().map_or(0, |block| self.graph.blocks[block].words);
            uses[at] = (self.expected.ops[task][at], words);
        }
        uses[JOURNAL] = (op::JOURNAL, 2);
        self.kernel_params(task, first_hash(task), &uses)
    }

    /// Creates the children of a task, or those of the first EDT.
    pub(crate) fn create_children(&self, parent: Option<Task>) {
        let spec = parent.map(|parent| &self.graph.tasks[parent]);
        let doomed: Vec<_> =
            spec.iter().flat_map(|spec| &spec.doomed).map(|doomed| (doomed, self.create_doomed(doomed))).collect();
        for child in self.graph.children(parent) {
            self.create_task(child);
            if !self.graph.tasks[child].gated {
                self.tasks[child].ready.store(self.tick(), Relaxed);
            }
            pause(spec.map_or(0, |spec| spec.pauses[1] / 4));
        }
        let open = |child: Task| {
            let (spec, state) = (&self.graph.tasks[child], &self.tasks[child]);
            if !spec.gated {
                return;
            }
            if spec.copies > 1 || spec.rivals > 0 {
                api::satisfy(state.gate.get(), NULL);
            } else {
                api::connect(NULL, state.edt.guid.get(), self.shape(child).0, Mode::Null);
            }
            state.ready.store(self.tick(), Relaxed);
        };
        if spec.is_some_and(|spec| spec.gates_reversed) {
            self.graph.children(parent).rev().for_each(open)
        } else {
            self.graph.children(parent).for_each(open)
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
        let late = doomed.late.map(|late| self.event(Event::Late(late)));
        let (edt, output) = NewEdt {
            template,
            depc: 3,
            depv: &mut [OPEN, event, late.unwrap_or(NULL)],
            finish: doomed.finish,
            named: true,
            output: true,
            ..NewEdt::default()
        }
        .create();
        api::destroy_template(template);
        (edt, output, event)
    }
}

/// An EDT that tries to create the one of a task.
fn create_rival(task: Task, created: Guid) {
    let template = api::template(rival, 2, 0, c"rival");
    NewEdt { template, params: &mut [task as u64, created.guid as u64], ..NewEdt::default() }.create();
    api::destroy_template(template);
}

unsafe extern "C" fn rival(paramc: u32, paramv: *mut u64, _: u32, _: *mut Dep) -> Guid {
    let running = running();
    // SAFETY: the runtime gives as many parameters as it says.
    let params = unsafe { std::slice::from_raw_parts(paramv, paramc as usize) };
    let template = Guid { guid: params[1] as i64 };
    running.edt(params[0] as usize, template, &mut []);
    api::satisfy(running.tasks[params[0] as usize].gate.get(), NULL);
    NULL
}

/// Never runs.
unsafe extern "C" fn never(_: u32, _: *mut u64, _: u32, _: *mut Dep) -> Guid {
    fail("an EDT ran that was destroyed".into());
    NULL
}
