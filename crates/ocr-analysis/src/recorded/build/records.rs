//! What each record adds to the run.

use super::{Builder, Doing};
use crate::recorded::check::TOLERANCE;
use crate::recorded::{
    Edge, Grant, Idle, NEVER, RecordedDuplicate, RecordedEstimate, RecordedTemplate, RecordedUse, Transfer, Usage,
    WorkGroups,
};
use ocr_place::policy::{Certainty, Expected, Why};
use ocr_trace::clock::SystemUse;
use ocr_trace::format::{
    Basis, DuplicateStep, MODE_EW, MODE_NULL, MODE_RW, Record, RecordKind, ThreadRole, WorkGroupBasis,
};
use ocr_trace::numbers::WorkKind;
use ocr_trace::reader::TraceEvent;

impl Builder {
    /// Adds a record of a node to the run. `now` is its time, and `took` the length of a kernel or copy, both in
    /// nanoseconds.
    pub(super) fn see(&mut self, node: u32, event: TraceEvent, now: u64, took: u64) {
        let (mut record, owner) = (event.record, event.owner);
        let Some(kind) = RecordKind::of(record.kind) else {
            self.unknown += 1;
            return;
        };
        if !self.run.nodes.is_empty() {
            if self.is_of_stand_in(node, kind, &record) {
                return;
            }
            use RecordKind::{
                Copy, Counter, Device, Duplicate, Estimate, Fetch, Kernel, KernelEnd, Launched, Placed, Runnable,
                WorkGroups,
            };
            match kind {
                Copy | Device | Duplicate | Estimate | Fetch | Kernel | KernelEnd | Launched | Placed | Runnable
                | WorkGroups => {
                    record.a = self.place(node, record.a);
                }
                Counter => record.b = self.place(node, record.b as u8).into(),
                _ => {}
            }
        }
        match kind {
            RecordKind::Thread => self.names_thread(node, owner, record.a, event.text),
            RecordKind::Template => self.names_template(node, &record, event.text),
            RecordKind::Device => {
                let device = self.run.devices.entry(record.a).or_default();
                (device.name, device.units) = (event.text, record.x);
            }
            RecordKind::Label => drop(self.run.labels.insert(record.x, event.text)),
            RecordKind::Created => self.creates(node, owner, &record, now),
            RecordKind::Linked | RecordKind::Called | RecordKind::Changed => {}
            RecordKind::Waits => {
                let doing = self.doing.entry(owner).or_default();
                doing.waits_since = doing.runs.then_some(now);
            }
            RecordKind::GoesOn => self.goes_on(owner, now),
            RecordKind::WaitedForOpenCl | RecordKind::WaitedForNodes => self.waited(owner, kind, took),
            RecordKind::Duplicate => self.duplicates(owner, &record, now),
            RecordKind::WorkGroups => {
                if let Some(&edt) = self.launched.get(&(node, record.x)) {
                    let basis = WorkGroupBasis::of(record.b);
                    self.run.work_groups.insert(edt, WorkGroups { groups: record.y, items: record.c, basis });
                }
            }
            RecordKind::Satisfied => self.satisfies(owner, &record, now),
            RecordKind::Follows => {
                let (to, from) = (self.edt(record.x), self.edt(record.y));
                self.run.edges.push(Edge { from, to, at: NEVER });
            }
            RecordKind::Runnable => {
                let edt = self.edt(record.x);
                let its = &mut self.run.edts[edt as usize];
                its.place = record.a;
                // An EDT that was enqueued ahead in vain becomes runnable again, and the later time counts.
                its.runnable = now;
            }
            RecordKind::Placed => {
                let edt = self.edt(record.x);
                let its = &mut self.run.edts[edt as usize];
                (its.place, its.placed) = (record.a, now);
            }
            RecordKind::Granted => {
                let edt = self.edt(record.x);
                self.run.edts[edt as usize].granted = now;
                self.run.grants.push(Grant { edt, block: record.y, at: now });
            }
            RecordKind::Fetch => {
                let edt = self.edt(record.x);
                let first = &mut self.run.edts[edt as usize].fetch[0];
                *first = (*first).min(now);
            }
            RecordKind::Fetched => {
                let edt = self.edt(record.x);
                self.run.edts[edt as usize].fetch[1] = now;
            }
            RecordKind::Begin => self.begins(owner, record.x, now),
            RecordKind::End => self.ends(owner, record.x, now),
            RecordKind::Launched => {
                let edt = self.edt(record.x);
                let its = &mut self.run.edts[edt as usize];
                its.launched = now;
                its.place = record.a;
                self.launched.insert((node, record.y), edt);
            }
            RecordKind::Kernel => self.kernel(node, &record, now, took),
            RecordKind::KernelEnd => {
                let edt = self.edt(record.x);
                let doing = self.doing.entry(owner).or_default();
                (doing.cause, doing.runs, doing.sent) = (edt + 1, false, None);
            }
            RecordKind::Sent => self.sends(node, owner, &record, now),
            RecordKind::Came => self.gets(node, owner, &record),
            RecordKind::Copy => self.copies(&record, now, took),
            RecordKind::Block => self.has_block(owner, &record),
            RecordKind::BlockGone => {
                let bytes = self.run.blocks.get(&record.x).copied().unwrap_or(0);
                self.bytes_now = self.bytes_now.saturating_sub(bytes);
            }
            RecordKind::Idle => {
                self.doing.entry(owner).or_default().idle_since = Some(now);
                self.run.threads.entry(owner).or_default().done = None;
            }
            RecordKind::Busy => self.is_busy(owner, now),
            RecordKind::Counter => self.counts(node, &record, now),
            RecordKind::Estimate => self.considered(&record, now),
            RecordKind::Usage if record.a == 1 => {
                let [_, last, cores] = self.usage.entry(node).or_insert([record.x, 0, 0]);
                (*last, *cores) = (*last, *cores).max((record.x, record.y));
            }
            RecordKind::System => {
                let system = SystemUse { ns: record.x, faults: record.y, waits: record.c };
                self.doing.entry(owner).or_default().system = system;
            }
            RecordKind::Usage => self.uses_core(owner, &record, now),
        }
    }

    /// Whether a record is about an EDT of the runtime's that stands for something on another node.
    fn is_of_stand_in(&mut self, node: u32, kind: RecordKind, record: &Record) -> bool {
        if kind == RecordKind::Created {
            let template = self.by_work.get(&(node, record.y)).and_then(|work| self.run.templates.get(*work as usize));
            if template.is_some_and(|its| its.name == WorkKind::Elsewhere.call()) {
                self.stand_ins.insert(record.x);
            }
        }
        let number = kind as u8;
        let is_of_edt = (RecordKind::Created as u8..=RecordKind::Fetched as u8).contains(&number);
        is_of_edt && self.stand_ins.contains(&record.x)
    }

    /// A thread begins to record.
    fn names_thread(&mut self, node: u32, owner: u32, role: u8, name: String) {
        let thread = self.run.threads.entry(owner).or_default();
        thread.node = node;
        thread.name = match self.run.nodes[..] {
            [] => name,
            _ => format!("node {node}, {name}"),
        };
        thread.is_worker = role == ThreadRole::Worker as u8;
    }

    /// A template has a name, and the places in which it has variants.
    fn names_template(&mut self, node: u32, record: &Record, name: String) {
        let work = self.work(node, record.x);
        let bits = (0..u64::BITS as u8).filter(|place| record.y >> place & 1 != 0);
        let places = bits.map(|place| 1u64.checked_shl(self.place(node, place).into()).unwrap_or(0));
        let places = places.fold(0, |all, bit| all | bit);
        self.run.templates[work as usize] = RecordedTemplate { name, places };
    }

    /// An EDT is created.
    fn creates(&mut self, node: u32, owner: u32, record: &Record, now: u64) {
        let edt = self.edt(record.x);
        if self.run.edts[edt as usize].created != NEVER {
            self.wrong(|run| format!("{} is created twice", run.name_of(&run.edts[edt as usize])));
            return;
        }
        let template = self.work(node, record.y);
        let doing = self.doing.entry(owner).or_default();
        let parent = doing.cause.wrapping_sub(1);
        let new = &mut self.run.edts[edt as usize];
        new.template = template;
        new.created = now;
        new.parent = parent;
        new.paramc = u32::from(record.a);
        new.depc = u32::from(record.b);
        new.finish = record.c != 0;
        self.edge_to(owner, edt, now);
    }

    /// Adds a dependence of the EDT `to` on the EDT that runs on a thread, or that has ended there last.
    fn edge_to(&mut self, owner: u32, to: u32, now: u64) {
        let doing = *self.doing.entry(owner).or_default();
        let Some(from) = doing.cause.checked_sub(1) else {
            return;
        };
        let at = self.at(&doing, now);
        if from != to {
            self.run.edges.push(Edge { from, to, at });
        }
    }

    /// When an EDT that a thread acts for has done what it does there, as `Edge::at` has it.
    fn at(&self, doing: &Doing, now: u64) -> u64 {
        match (doing.sent, doing.cause.checked_sub(1)) {
            (Some(at), _) => at,
            (None, Some(edt)) if doing.runs => now.saturating_sub(self.run.edts[edt as usize].waited),
            _ => NEVER,
        }
    }

    /// A pre-slot of an EDT is satisfied.
    fn satisfies(&mut self, owner: u32, record: &Record, now: u64) {
        let bytes = self.run.blocks.get(&record.y).copied().unwrap_or(0);
        let edt = self.edt(record.x);
        let its = &mut self.run.edts[edt as usize];
        its.satisfied += 1;
        its.bytes = its.bytes.saturating_add(bytes);
        if let Some(&block) = self.blocks.get(&record.y)
            && record.a != MODE_NULL
        {
            let writes = [MODE_RW, MODE_EW].contains(&record.a);
            self.run.uses.push(RecordedUse { edt, block, writes });
            self.run.modes.push(record.a);
        }
        self.edge_to(owner, edt, now);
    }

    /// Notes that an EDT begins on a thread.
    fn begins(&mut self, owner: u32, guid: u64, now: u64) {
        let edt = self.edt(guid);
        let doing = self.doing.entry(owner).or_default();
        let other = doing.runs.then_some(doing.cause.wrapping_sub(1));
        (doing.cause, doing.runs, doing.sent) = (edt + 1, true, None);
        if let Some(other) = other {
            self.wrong(|run| {
                let [first, second] = [other, edt].map(|e| run.name_of(&run.edts[e as usize]));
                format!("on thread {owner}, {second} begins before {first} has ended")
            });
        }
        let its = &mut self.run.edts[edt as usize];
        let again = its.begin != NEVER;
        its.begin = now;
        its.place = 0;
        its.lane = owner;
        if again {
            self.wrong(|run| format!("{} begins twice", run.name_of(&run.edts[edt as usize])));
        }
    }

    /// Notes that an EDT ends on a thread.
    fn ends(&mut self, owner: u32, guid: u64, now: u64) {
        let edt = self.edt(guid);
        let doing = self.doing.entry(owner).or_default();
        let ran = doing.runs && doing.cause == edt + 1;
        (doing.cause, doing.runs, doing.sent) = (edt + 1, false, None);
        if !ran {
            self.wrong(|run| {
                let name = run.name_of(&run.edts[edt as usize]);
                format!("on thread {owner}, {name} ends and has not begun there")
            });
        }
        let its = &mut self.run.edts[edt as usize];
        its.end = now;
        let time = its.time().unwrap_or(0);
        let thread = self.run.threads.entry(owner).or_default();
        thread.edts += 1;
        thread.busy = thread.busy.saturating_add(time);
        thread.done = Some(now);
    }

    /// The EDT that a thread runs has waited in a call.
    fn goes_on(&mut self, owner: u32, now: u64) {
        let doing = self.doing.entry(owner).or_default();
        if let (Some(since), Some(edt)) = (doing.waits_since.take(), doing.cause.checked_sub(1)) {
            let waited = &mut self.run.edts[edt as usize].waited;
            *waited = waited.saturating_add(now.saturating_sub(since));
        }
    }

    /// The EDT that a thread runs has waited for OpenCL to be opened, or for other nodes, for so long.
    fn waited(&mut self, owner: u32, kind: RecordKind, took: u64) {
        let doing = self.doing.entry(owner).or_default();
        if let Some(edt) = doing.cause.checked_sub(1).filter(|_| doing.runs) {
            let its = &mut self.run.edts[edt as usize];
            let waited = if kind == RecordKind::WaitedForNodes { &mut its.answers } else { &mut its.opencl };
            *waited = waited.saturating_add(took);
        }
    }

    /// Notes that a kernel has ended at `now`, after `took` nanoseconds.
    fn kernel(&mut self, node: u32, record: &Record, now: u64, took: u64) {
        let device = self.run.devices.entry(record.a).or_default();
        device.kernels += 1;
        device.busy = device.busy.saturating_add(took);
        let lane = (record.a, record.b);
        let begin = now.saturating_sub(took);
        let last = self.lanes.insert(lane, now).unwrap_or(0);
        // The records and the device have different clocks, whose times are rounded, so a small difference is no fault.
        if begin + TOLERANCE < last {
            self.wrong(|run| {
                let name = run.place_name(record.a);
                format!(
                    "on {name}, in lane {}, a kernel begins {} ns before the one before it has ended",
                    record.b,
                    last - begin
                )
            });
        }
        match self.launched.get(&(node, record.x)) {
            Some(&edt) => {
                let its = &mut self.run.edts[edt as usize];
                its.begin = begin;
                its.end = now;
                its.place = record.a;
                its.lane = u32::from(record.b);
            }
            None => self.wrong(|run| {
                let name = run.place_name(record.a);
                format!("on {name}, a kernel has ended that was launched for no EDT")
            }),
        }
    }

    /// The duplicate of an EDT has come further.
    fn duplicates(&mut self, owner: u32, record: &Record, now: u64) {
        let edt = self.edt(record.x);
        let Some(step) = DuplicateStep::of(record.b) else {
            self.unknown += 1;
            return;
        };
        if step == DuplicateStep::Begins {
            self.run.duplicates.push(RecordedDuplicate {
                edt,
                place: record.a,
                thread: owner,
                begin: now,
                end: NEVER,
                how: None,
                outrun: NEVER,
                kernel_end: NEVER,
            });
            return;
        }
        let Some(its) = self.run.duplicates.iter_mut().rev().find(|its| its.edt == edt) else {
            return self.wrong(|run| {
                format!("the duplicate of {} ends and has not begun", run.name_of(&run.edts[edt as usize]))
            });
        };
        match step {
            DuplicateStep::Begins => {}
            DuplicateStep::Ends | DuplicateStep::EndsInVain | DuplicateStep::IsLeft => {
                (its.end, its.how) = (now, Some(step));
            }
            DuplicateStep::KernelIsOutrun => its.outrun = now,
            DuplicateStep::KernelEndsInVain => its.kernel_end = now,
        }
    }

    /// Adds an estimate of the policy.
    fn considered(&mut self, record: &Record, now: u64) {
        let edt = self.edt(record.x);
        let basis = Basis::of(record.b);
        let (Some(certainty), Some(why)) = (Certainty::of(basis.certainty), Why::of(basis.why)) else {
            self.unknown += 1;
            return;
        };
        let ns = |units: u64| units * 16;
        let run_ns = (certainty != Certainty::Unknown).then(|| ns(record.y & 0xffff_ffff));
        self.run.estimates.push(RecordedEstimate {
            edt,
            at: now,
            place: record.a,
            expected: Expected { queue_ns: ns(u64::from(record.c)), copy_ns: ns(record.y >> 32), run_ns },
            certainty,
            factor: basis.factor(),
            why,
            is_chosen: basis.is_chosen,
            is_first: basis.is_first,
        });
    }

    /// Notes that a worker is not idle any more from `end` on, if it was.
    pub(super) fn is_busy(&mut self, owner: u32, end: u64) {
        let since = self.doing.entry(owner).or_default().idle_since.take();
        if let Some(begin) = since.filter(|begin| *begin <= end) {
            let thread = self.run.threads.entry(owner).or_default();
            thread.idle = thread.idle.saturating_add(end - begin);
            thread.done = Some(end);
            self.run.idle.push(Idle { thread: owner, begin, end });
        }
    }

    /// A thread sends a message to another node.
    fn sends(&mut self, node: u32, owner: u32, record: &Record, now: u64) {
        let doing = *self.doing.entry(owner).or_default();
        let at = self.at(&doing, now);
        self.sent.insert((node, u32::from(record.b), record.x), (doing.cause, at));
        self.run.messages += 1;
    }

    /// A thread handles a message of another node.
    fn gets(&mut self, node: u32, owner: u32, record: &Record) {
        let sent = self.sent.remove(&(u32::from(record.b), node, record.x));
        let (cause, at) = sent.unwrap_or((0, NEVER));
        let doing = self.doing.entry(owner).or_default();
        (doing.cause, doing.runs, doing.sent) = (cause, false, Some(at));
    }

    /// A block was copied to a device, or from it.
    fn copies(&mut self, record: &Record, now: u64, took: u64) {
        let device = self.run.devices.entry(record.a).or_default();
        device.copies += 1;
        device.copying = device.copying.saturating_add(took);
        let bytes = match record.b {
            0 => &mut device.bytes_in,
            _ => &mut device.bytes_out,
        };
        *bytes = bytes.saturating_add(record.y);
        self.run.copies.push(Transfer {
            place: record.a,
            to_device: record.b == 0,
            block: record.x,
            bytes: record.y,
            begin: now.saturating_sub(took),
            end: now,
        });
    }

    /// A block is created.
    fn has_block(&mut self, owner: u32, record: &Record) {
        let maker = self.doing.entry(owner).or_default().cause.wrapping_sub(1);
        self.run.block_makers.push(maker);
        self.run.blocks.insert(record.x, record.y);
        (self.blocks).insert(record.x, self.run.block_bytes.len() as u32);
        self.run.block_bytes.push(record.y);
        self.run.block_guids.push(record.x);
        self.run.blocks_created += 1;
        self.bytes_now = self.bytes_now.saturating_add(record.y);
        self.run.most_block_bytes = self.run.most_block_bytes.max(self.bytes_now);
    }

    /// A counter has a new value.
    fn counts(&mut self, node: u32, record: &Record, now: u64) {
        let value = match record.b {
            0 => {
                self.ready.insert(node, record.y);
                self.ready.values().sum()
            }
            _ => record.y,
        };
        let values = self.run.counters.entry((record.a, record.b as u8));
        values.or_default().push((now, value));
    }

    /// How long a thread has been on a core so far.
    fn uses_core(&mut self, owner: u32, record: &Record, now: u64) {
        let doing = self.doing.entry(owner).or_default();
        let (edt, system) = (doing.cause.wrapping_sub(1), doing.system);
        self.run.usage.push(Usage { thread: owner, edt, at: now, on_core: record.x, without_core: record.y, system });
    }
}
