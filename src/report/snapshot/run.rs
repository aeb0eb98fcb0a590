//! Notes about a program that runs: what it does now, or that a device keeps it waiting.

use super::text::list;
use super::{Marks, Name, Snapshot, ThreadView};
use crate::object::guid::Guid;
use ocr_base::text::counted;
use ocr_place::place::Place;
use std::collections::HashSet;
use std::time::Duration;

impl Snapshot<'_> {
    /// The note about a program that runs. `since` are the marks of an earlier note, with which it compares.
    pub fn of_run(&self, since: Option<&Marks>) -> String {
        let inputs = &self.inputs;
        let (running, blocked) = (self.running.len(), self.block_waits.len());
        // Without devices, a runnable EDT that is in no queue is on its way into one.
        let past = self.runnable_count.saturating_sub(running + blocked);
        let ready = if inputs.devices.is_empty() { past } else { inputs.ready };
        let mut text = format!(
            "ocr: note: after {:.3} s: {}; EDTs: {running} running, {ready} ready, {} waiting for \
             dependences, {blocked} waiting for data blocks",
            inputs.seconds,
            counted(inputs.workers as u64, "worker"),
            self.waiting_count
        );
        if !inputs.devices.is_empty() {
            let others = past.saturating_sub(ready);
            text += &format!(", {others} on devices or on their way");
        }
        text += &format!("; {} have run", inputs.ran);
        if let Some(before) = since {
            let ran = inputs.ran.saturating_sub(before.ran);
            text += &format!(", {ran} since the note after {:.3} s", before.seconds);
        }
        let workers = inputs.threads.iter().filter(|thread| thread.worker);
        for thread in workers.filter(|thread| thread.waits.is_none()) {
            text += &format!("\n  {}", thread.name());
            text += &match self.running.get(&thread.running) {
                Some(edt) => format!(" runs {}", self.edt(edt)),
                None => " runs no EDT".into(),
            };
            if let Some(before) = since
                && self.mark(thread).is_some_and(|mark| before.running.contains(&mark))
            {
                text += &format!(", as after {:.3} s", before.seconds);
            }
        }
        let ready: Vec<Name> = self.ready().copied().collect();
        if !ready.is_empty() {
            let edts = list(&ready, |edt| self.edt(edt));
            text += &format!("\n  {edts}: {}", self.ready_as());
        }
        for (place, (number, name)) in inputs.devices.iter().enumerate() {
            let edts = self.had_by(place);
            text += &format!("\n  device {number} ({name}) has ");
            text += &if edts.is_empty() { "no EDT".into() } else { list(&edts, |edt| self.edt(edt)) };
        }
        text += &self.what_waits();
        if inputs.free_threads {
            text += "\n  threads of the program or of a library are outside of the runtime, which they may \
                     call at any time: ";
            text += &match &inputs.handled {
                None => "unless all of them wait for each other indefinitely, a hang is not reported".into(),
                Some(signal) => format!(
                    "a hang is not reported, since the program has a handler of {signal}, which may wake one of them"
                ),
            };
        }
        text + "\n"
    }

    /// The note that no device has ended a command for the time `long`, while nothing else can happen.
    pub fn of_patience(&self, long: Duration) -> String {
        let inputs = &self.inputs;
        let mut text = format!(
            "ocr: note: after {:.3} s: no EDT runs on a worker, and for {} s now no command of a device has ended:",
            inputs.seconds,
            long.as_secs()
        );
        for (at, (number, name)) in inputs.devices.iter().enumerate() {
            let edts = self.had_by(at);
            if !edts.is_empty() {
                let edts = list(&edts, |edt| self.with_kernel(edt, at));
                text += &format!("\n  device {number} ({name}) has {edts}");
            }
        }
        let brought: Vec<Name> = self.ready().copied().collect();
        if !brought.is_empty() {
            let edts = list(&brought, |edt| self.edt(edt));
            text += &format!("\n  a device brings data blocks for {edts}");
        }
        let process = std::process::id();
        text + &format!(
            "\n  The program goes on. If a kernel takes that long, wait, or let OCR_PATIENCE be more seconds (off: this is not \
             said). If it should have ended, look for a loop in it that has no end: with OCR_SCHED=cpu, if there is a C \
             function, or on another device (OCR_DEVICES). If it has no such loop, the driver may have lost a command. \
             kill -USR1 {process} has all that waits printed; kill {process} ends the program.\n"
        )
    }

    /// The EDTs that a device has, by its index among those in use. EDTs that wait for a block are left out, since they
    /// are named with the block.
    fn had_by(&self, device: usize) -> Vec<Name> {
        let blocked: HashSet<Guid> = self.block_waits.iter().map(|wait| wait.edt.guid).collect();
        let edts = self.on_devices.iter();
        let edts = edts.filter(|(edt, on)| *on == device && !blocked.contains(&edt.guid));
        edts.map(|&(edt, _)| edt).collect()
    }

    /// An EDT that a device has and the name of its kernel there, in words.
    fn with_kernel(&self, edt: &Name, device: usize) -> String {
        match edt.work.kernel_on(Place::device(device)) {
            Some((variant, _)) => {
                let kernel = &edt.work.kernels[variant].name;
                format!("{} (kernel \"{kernel}\")", self.edt(edt))
            }
            None => self.edt(edt),
        }
    }

    /// The marks of this snapshot, for a later note to compare with.
    pub fn marks(&self) -> Marks {
        Marks {
            seconds: self.inputs.seconds,
            ran: self.inputs.ran,
            running: (self.inputs.threads.iter()).filter_map(|thread| self.mark(thread)).collect(),
        }
    }

    /// A thread and the EDT that it runs. None if it runs none, or one on a label, whose GUID another EDT may have
    /// later.
    fn mark(&self, thread: &ThreadView) -> Option<(i32, Guid)> {
        let edt = self.running.get(&thread.running)?;
        (!edt.guid.is_label()).then_some((thread.id, edt.guid))
    }

    /// The words for an EDT that does not run, waits for no other EDT, and is on no device.
    pub(super) fn ready_as(&self) -> &'static str {
        if self.inputs.devices.is_empty() { "ready to run" } else { "ready to run, or a device brings its data" }
    }
}
