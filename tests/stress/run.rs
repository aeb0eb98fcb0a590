//! Runs a graph as an OCR program in this process, and compares what has come of it.

use crate::api::{self, Guid};
use crate::ends::main_edt;
use crate::graph::*;
use crate::oracle::Expected;
use crate::settle::KERNEL_SLOTS;
use ocr::engine::start::run_program;
use std::collections::HashMap;
use std::ffi::OsString;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64};

/// Pre-slots of an EDT that may be a kernel: the task's, the gate, and the journal.
pub const GATE: usize = KERNEL_SLOTS;
pub const JOURNAL: usize = KERNEL_SLOTS + 1;
pub const KERNEL_DEPC: usize = KERNEL_SLOTS + 2;
pub const KERNEL_PARAMC: usize = 2 + KERNEL_DEPC;

/// A GUID that EDTs find.
#[derive(Default)]
pub struct Place(AtomicI64);

impl Place {
    pub fn set(&self, guid: Guid) {
        self.0.store(guid.guid, Release);
    }

    pub fn get(&self) -> Guid {
        Guid {
            guid: self.0.load(Acquire),
        }
    }
}

/// What is known of a task that runs or has run.
#[derive(Default)]
pub struct TaskState {
    pub runs: AtomicU32,
    /// Satisfied to open the gates of all copies of a task.
    pub gate: Place,
    /// Tick of the clock when the first copy started; 0 if that is not known.
    start: AtomicU64,
    /// Tick when the last copy ended; 0 if that is not known.
    end: AtomicU64,
    pub seen: AtomicU32,
    pub edt: Place,
    pub output: Place,
    pub late: Place,
    pub body: Place,
    pub journal: Place,
    /// Latches, for the pre-slots that wait for one.
    pub joins: HashMap<usize, Place>,
}

#[derive(Default)]
pub struct BlockState {
    pub guid: Place,
    /// EDTs in their bodies that have it in EW, and in RW.
    pub exclusive: AtomicU32,
    pub shared: AtomicU32,
    pub content: Mutex<Option<Vec<u32>>>,
}

pub struct Running {
    pub graph: Graph,
    pub expected: Expected,
    pub tasks: Vec<TaskState>,
    pub blocks: Vec<BlockState>,
    /// By variant and the slot of the result.
    pub templates: Mutex<HashMap<(Variant, u32), Guid>>,
    pub clock: AtomicU64,
    pub failures: Mutex<Vec<String>>,
}

static RUNNING: AtomicPtr<Running> = AtomicPtr::new(ptr::null_mut());

pub fn running() -> &'static Running {
    let running = RUNNING.load(Acquire);
    // SAFETY: set before the runtime is started, and freed after it has ended.
    match unsafe { running.as_ref() } {
        Some(running) => running,
        None => std::process::abort(),
    }
}

/// Notes a failure of the case, and ends it.
pub fn fail(text: String) {
    let mut failures = match running().failures.lock() {
        Ok(failures) => failures,
        Err(poisoned) => poisoned.into_inner(),
    };
    failures.push(text);
    drop(failures);
    api::shutdown();
}

/// Runs a case; the answer is what is wrong.
pub fn run(case: &Case) -> Vec<String> {
    let graph = case.graph.clone();
    let expected = Expected::of(&graph);
    let mut tasks: Vec<TaskState> = Vec::new();
    for spec in &graph.tasks {
        let mut state = TaskState::default();
        for (at, slot) in spec.slots.iter().enumerate() {
            if let Source::Join(_) = slot.source {
                state.joins.insert(at, Place::default());
            }
        }
        tasks.push(state);
    }
    let running = Box::into_raw(Box::new(Running {
        tasks,
        blocks: graph.blocks.iter().map(|_| BlockState::default()).collect(),
        templates: Mutex::default(),
        clock: AtomicU64::new(1),
        failures: Mutex::default(),
        expected,
        graph,
    }));
    RUNNING.store(running, Release);
    let settings = &case.settings;
    let mut args = vec![
        "stress".to_string(),
        format!("-ocr:workers={}", settings.workers),
        format!("-ocr:sched={}", settings.sched),
        format!(
            "-ocr:devices={}",
            if settings.devices { "all" } else { "none" }
        ),
        format!("-ocr:device-copies={}", settings.copies as u8),
    ];
    args.extend(
        settings
            .memory
            .map(|bytes| format!("-ocr:device-memory={bytes}")),
    );
    let args = args.into_iter().map(OsString::from).collect();
    let status = run_program(args, main_edt);
    RUNNING.store(ptr::null_mut(), Release);
    // SAFETY: made above; the runtime has ended, so nobody else has it.
    let running = unsafe { Box::from_raw(running) };
    let mut failures = running.judge();
    if status != 0 {
        failures.push(format!("the program ended with status {status}"));
    }
    failures
}

impl TaskState {
    pub fn started(&self, tick: u64) {
        let first = |start| (start == 0 || tick < start).then_some(tick);
        // An error means that it is the first already.
        let _ = self.start.fetch_update(Relaxed, Relaxed, first);
    }

    pub fn ended(&self, tick: u64) {
        self.end.fetch_max(tick, Relaxed);
    }
}

impl Running {
    pub fn tick(&self) -> u64 {
        self.clock.fetch_add(1, Relaxed)
    }

    /// What is wrong after the end.
    fn judge(&self) -> Vec<String> {
        let mut failures = match self.failures.lock() {
            Ok(failures) => failures.clone(),
            Err(poisoned) => poisoned.into_inner().clone(),
        };
        if !failures.is_empty() {
            return failures;
        }
        for (task, state) in self.tasks.iter().enumerate() {
            let (runs, seen) = (state.runs.load(Relaxed), state.seen.load(Relaxed));
            let hash = self.expected.hashes[task];
            let copies = self.graph.tasks[task].copies;
            if runs != copies {
                failures.push(format!("t{task} ran {runs} times, not {copies}"));
            } else if seen != hash {
                failures.push(format!("t{task} saw {seen:#x}, not {hash:#x}"));
            }
        }
        for (block, state) in self.blocks.iter().enumerate() {
            let expected = &self.expected.blocks[block];
            let content = match state.content.lock() {
                Ok(content) => content.clone(),
                Err(poisoned) => poisoned.into_inner().clone(),
            };
            let Some(content) = content else {
                failures.push(format!("nobody has seen the end of b{block}"));
                continue;
            };
            let wrong = (0..expected.len()).find(|&at| content[at] != expected[at]);
            if let Some(at) = wrong {
                failures.push(format!(
                    "b{block}[{at}] is {:#x}, not {:#x}",
                    content[at], expected[at]
                ));
            }
        }
        for first in 0..self.tasks.len() {
            for second in 0..self.tasks.len() {
                let end = self.tasks[first].end.load(Relaxed);
                let start = self.tasks[second].start.load(Relaxed);
                // 0: a kernel does not tell.
                if self.expected.order.ends_before(first, second)
                    && end != 0
                    && start != 0
                    && end > start
                {
                    failures.push(format!("t{second} started before t{first} had ended"));
                }
            }
        }
        failures
    }
}
