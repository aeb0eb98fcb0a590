//! Detects quiescence: all workers sleep, all queues are empty, and no work is in flight. A program that gets there
//! before `ocrShutdown` hangs, and is ended with a message. This file also takes the snapshot of what runs and what
//! waits, of a program that hangs or of one that runs.
//!
//! Three threads run the check: the worker that falls asleep last, the thread that brings the count of work in flight
//! to zero, and a thread that begins to wait in a call. At least one of them sees the final state. A thread that is
//! woken in a call counts as work in flight from before it is woken. A thread of the program's own, or of a library,
//! may call the runtime at any time. So a process is not accused while it has a thread that is neither the runtime's
//! nor OpenCL's nor MPI's, and does not wait in a call. A thread that watches repeats the check, and looks whether all
//! threads of the process sleep for good (`deadlock.rs`). A device that has work may go on; a note about one that keeps
//! all others waiting is `patience.rs`.

use crate::device::OpenclThreads;
use crate::engine::life::stand_in::StandIn;
use crate::engine::nodes::work::Call;
use crate::engine::nodes::{ending, outbox};
use crate::engine::state::fan::WaitingSlot;
use crate::engine::state::idle::IdleCount;
use crate::engine::state::runtime::Runtime;
use crate::engine::state::{fatal, handlers};
use crate::link::threads::{LinkThreads, makes_calls};
use crate::object::code::WorkKind;
use crate::object::edt::{Edt, EdtRef};
use crate::object::guid::Guid;
use crate::report::snapshot::{NodesView, Snapshot, SnapshotInputs, StandsFor, ThreadView};
use crate::report::warn_if_elsewhere;
use crate::sched::sleep::SleepState;
use ocr_base::output_file::OutputFile;
use ocr_base::sync::preemption_point;
use ocr_base::text::{Readable, read_file};
use ocr_base::{apart, output_file};
use ocr_place::policy::Keeper;
use ocr_trace::identity::not_over_others;
use std::fs;
use std::io::Error;
use std::os::unix::fs::MetadataExt;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

impl Runtime {
    /// Whether the process has threads that may call the runtime at any time: of the program or of
    /// a library, and not waiting in the runtime. Such a program is not accused unless they sleep for good
    /// (`deadlock.rs`).
    fn has_free_threads(&self, idle: IdleCount) -> bool {
        // Read before the threads of the process are: one started in between may be the program's.
        let known = idle.count() + self.seats.known();
        let [begun, ended] = apart::threads();
        // Threads of OpenCL and of the link that are still there were among the threads counted; if one is missed, the
        // program seems to have one more.
        let look = || {
            let (opencl, link) = (OpenclThreads::now(), LinkThreads::now());
            (threads_of_process(), opencl.left() + link.left())
        };
        // Where there are devices or other nodes, that opens files, and is done in one more thread.
        let more = usize::from(!self.devices.in_use().is_empty() || ending::is_here());
        let (threads, left) = match more {
            0 => look(),
            _ => output_file::apart(look),
        };
        // One that has come or gone meanwhile may hide one of the program.
        let is_same = apart::threads() == [begun + more, ended + more];
        // One that the thread of the link has started is among the link's.
        let apart = if makes_calls() { 0 } else { more };
        let known = known + left + apart + begun - ended;
        !is_same || threads.map_or(true, |threads| threads > known)
    }

    /// Whether nothing can happen any more except by threads that are away, of which there are
    /// `away`. As in [`Runtime::check_halt`], no thread that rests is freed between the two looks
    /// at those that rest.
    pub(crate) fn is_left_to(&self, away: usize) -> bool {
        let idle = self.idle_threads.now();
        !self.has_free_threads(idle)
            && self.in_flight.load(Ordering::SeqCst) == away as u64
            && self.idle_threads.now() == idle
    }

    /// Ends the program with a message if nothing can happen any more (see `sched/sleep.md`).
    ///
    /// Besides the workers there are threads of the program. One that is free is seen in the number
    /// of threads; one that rests can be freed by a worker, by a device or by a free thread alone,
    /// which counts it as work in flight first. So if the number of idle threads has not changed
    /// between the two looks, and there was no free thread and no work in flight in between, none
    /// of them can do anything.
    pub(crate) fn check_halt(&self) {
        let state = self.queues.sleep.state();
        let halted = || self.has_halted(state);
        // To look at the threads takes time, and workers often sleep while a device works.
        if !halted() {
            return;
        }
        let idle = self.idle_threads.now();
        preemption_point(4);
        let free = self.has_free_threads(idle);
        // No worker has left its sleep between the two looks, so nothing has run meanwhile.
        if !halted() || self.idle_threads.now() != idle || self.queues.sleep.state() != state {
            return;
        }
        if free {
            // Something may happen yet; the thread that watches looks again.
            crate::engine::process::bell::suspect();
        } else {
            self.end_in_hang(Vec::new());
        }
    }

    /// Whether all workers sleep, in this state, and nothing is there for them nor in flight.
    fn has_halted(&self, state: SleepState) -> bool {
        state.sleeping() == self.workers_left()
            && state.searching() == 0
            && !self.devices.asks()
            && self.in_flight.load(Ordering::SeqCst) == 0
            && !self.queues.any_work()
            && !self.end.is_ending()
    }

    /// Whether nothing happens on this node before another one sends something, but for `held` works in flight that it
    /// counts for the others.
    pub(crate) fn rests_but_for(&self, held: u64) -> bool {
        let state = self.queues.sleep.state();
        state.sleeping() == self.workers_left()
            && state.searching() == 0
            && !self.devices.asks()
            && self.in_flight.load(Ordering::SeqCst) == held
            && !self.queues.any_work()
            && self.queues.sleep.state() == state
    }

    /// Says once where a program may hang and the runtime cannot see that, since the system does not tell of its
    /// threads.
    pub(crate) fn note_blind(&self) {
        if let Err(error) = read_file(STATUS)
            && self.has_halted(self.queues.sleep.state())
        {
            note_once!(
                "no EDT runs, and whether the program hangs cannot be told: {STATUS} cannot be read \
                 ({error}). kill -USR1 {} has what waits printed.",
                std::process::id()
            );
        }
    }

    /// [`Runtime::check_halt`] if nothing can happen since all threads sleep, those of the program and those in EDTs,
    /// too.
    pub(crate) fn check_deadlock(&self) {
        if let Some(blocked) = self.all_threads_blocked() {
            self.end_in_hang(blocked);
        }
    }

    /// Ends the program, unless another thread does.
    fn end_in_hang(&self, blocked: Vec<i32>) {
        if self.end.accuse() {
            let snapshot = self.snapshot_of(true, blocked);
            let others = outbox::ask_others(Call::Report).into_iter();
            let others: Vec<_> = others.map(|(node, answer)| (node, answer.map(|answer| answer.text))).collect();
            fatal::fatal_then(&snapshot.of_hang(&others), || self.draw(&snapshot));
        }
    }

    /// What waits on this node, for the message of node 0 that the program hangs.
    pub(crate) fn report_for_node_0(&self) -> String {
        self.snapshot_of(true, Vec::new()).of_node()
    }

    /// What this node has to do with others.
    fn nodes_view(&self) -> Option<NodesView> {
        let (node, _) = outbox::place()?;
        let stands_for = |edt: &Edt| match edt.work().kind {
            WorkKind::Elsewhere => match StandIn::of(edt) {
                StandIn::PreSlot { of, waiting: (destination, slot, _), .. } => {
                    Some(StandsFor::PreSlot { node: of, destination, slot })
                }
                StandIn::Borrower { node, .. } | StandIn::Owner(node) => Some(StandsFor::Node(node)),
            },
            _ => None,
        };
        let elsewhere = self.elsewhere.lock();
        // The EDTs belong to the table, which is locked.
        let of_block = |block: Guid, edt: &EdtRef| {
            let edt = edt.get();
            ((edt.guid(), edt.work(), block), self.objects.zone.owner_of(block))
        };
        let wanted = elsewhere.borrowed.iter();
        let pre_slot = |&(destination, slot, _): &WaitingSlot| (destination, slot);
        Some(NodesView {
            node,
            stands_for,
            wanted: wanted.flat_map(|(&block, of)| of.waiting().iter().map(move |edt| of_block(block, edt))).collect(),
            with: (elsewhere.fans.all())
                .map(|(stand_in, more)| (stand_in, more.iter().map(pre_slot).collect()))
                .collect(),
            awaited: (elsewhere.awaited.all())
                .map(|(event, waiting)| (pre_slot(&waiting), (event, self.objects.zone.owner_of(event))))
                .collect(),
            lent: elsewhere.lent.iter().flat_map(|(&block, of)| of.iter().map(move |lent| (block, lent.to))).collect(),
        })
    }

    /// What runs and what waits, now.
    pub(crate) fn snapshot(&self) -> Snapshot<'_> {
        self.snapshot_of(false, Vec::new())
    }

    /// What runs and what waits. `still` says that nothing changes meanwhile; `blocked` are the threads that sleep for
    /// good.
    fn snapshot_of(&self, still: bool, blocked: Vec<i32>) -> Snapshot<'_> {
        let thread = |tally: &crate::report::tally::Tally| {
            let now = &tally.now;
            ThreadView {
                id: now.thread.load(Ordering::Relaxed),
                worker: now.worker.load(Ordering::Relaxed),
                running: now.running.load(Ordering::Relaxed),
                waits: now.waits.lock().clone(),
                holder: now.holder.load(Ordering::Relaxed),
            }
        };
        let threads = self.registry.threads();
        let totals = self.registry.totals();
        Snapshot::take(
            &self.objects,
            &self.registry.labels,
            SnapshotInputs {
                threads: threads.iter().map(|tally| thread(tally)).collect(),
                workers: self.workers(),
                ready: self.queues.ready() + self.policy.keeper().map_or(0, Keeper::count),
                in_flight: self.in_flight.load(Ordering::Relaxed) as u32 as usize,
                devices: (self.devices.in_use().iter())
                    .map(|used| (used.info.index, used.info.name.as_str()))
                    .collect(),
                deferred: self.deferred_calls(),
                still,
                blocked,
                free_threads: !still && self.has_free_threads(self.idle_threads.now()),
                handled: handlers::handled_by_program().map(handlers::name_of),
                history: self.check.as_ref().map(|check| &check.history),
                refused: self.registry.refusals.told(),
                late: self.registry.late.told(),
                nothing: self.registry.nothing.told(),
                nodes: self.nodes_view(),
                seconds: self.started.elapsed().as_secs_f64(),
                ran: totals.function_edts + totals.kernel_edts,
            },
        )
    }

    /// Writes the snapshot for Graphviz, if the settings ask for that.
    pub(crate) fn draw(&self, snapshot: &Snapshot<'_>) {
        let Some(file) = &self.outputs.halt_dot else {
            return;
        };
        // Other programs of the job leave it its name.
        let dot = snapshot.dot(&self.outputs.run.to_string());
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let write = || {
            let to = not_over_others(&file, None).ok_or(Error::other("something else was written there meanwhile"))?;
            to.write(|out| out.write_all(dot.as_bytes()))?;
            // A descriptor stays what it was.
            if to.plain().is_some() { OutputFile::new(to.name()) } else { Ok(to) }
        };
        match output_file::apart(write) {
            Ok(to) => {
                warn_if_elsewhere("graph of what waits", &file, &to);
                *file = to;
            }
            Err(error) => warning!(
                "the graph of what waits cannot be written to {}: {error}. OCR_HALT_DOT, or the setting halt-dot, names \
                 the file.",
                Readable::path(file.name())
            ),
        }
    }
}

const STATUS: &str = "/proc/self/status";

/// The folder that has one of each thread.
const TASKS: &str = "/proc/self/task";

/// How many threads the process has. The first one is among them when it has ended, by pthread_exit.
///
/// A worker asks as it goes to sleep, and opens nothing for that: the folder of the threads has two names, and one more
/// for each of them. The first thread has no program any more when it has ended.
fn threads_of_process() -> Result<usize, Error> {
    let names = fs::metadata(TASKS)?.nlink() as usize;
    let threads = names.checked_sub(2).filter(|threads| *threads != 0);
    let threads = threads.ok_or_else(|| Error::other("it has no number of threads"))?;
    let has_first = fs::read_link("/proc/self/exe").is_ok();
    Ok(threads - usize::from(!has_first))
}
