//! The life of an EDT, step by step. The one room that knows the rooms below.
//!
//! | step | where it is written |
//! |---|---|
//! | 1 created | [`create`] |
//! | 2 resolved, runnable | `graph`; the answer comes to `context.rs`, `work_off` |
//! | 3 placed, as far as the policy decides now | `life.rs`, `advance` |
//! | 4 locked | `life.rs`, `acquire_rest` |
//! | 5 fetched | `life.rs`, `locked`; `launch.rs`, `bring_blocks` |
//! | 6 run | `life.rs`, `run`; `launch.rs`, `launch`; `ahead.rs` |
//! | 7 released, 8 recycled, 9 triggered | `life.rs`, `finish` |
//!
//! Placement comes before locking where the policy decides at once, because EDTs that share a block
//! in RW mode must run in the same place: the place is part of what is asked of the block. An EDT
//! that goes to the first free place locks its blocks unplaced, sharing RW with nobody, and is
//! placed when a place takes it.
//!
//! Every thread that calls the runtime has a [`context::Context`]: workers, the device managers'
//! threads, and threads of the program. The context collects what a step leads to and works it off
//! before the call returns, in loops and not by recursion.

mod ahead;
mod asleep;
pub mod block;
pub mod blocks;
pub mod by_value;
mod checks;
pub mod collective;
pub mod context;
pub mod copy;
mod crash;
pub mod create;
mod departure;
pub mod devices;
mod division;
pub mod early;
pub mod end;
pub mod files;
pub mod halt;
pub mod hints;
pub mod labels;
pub mod launch;
pub mod legacy;
pub mod life;
pub mod maps;
mod own;
pub mod partition;
pub mod pause;
pub mod seats;
mod share;
mod signals;
mod stack;
pub mod start;
mod timing;
pub mod uncaught;
pub mod watch;
pub mod worker;

use crate::check;
use crate::config::Settings;
use crate::object::Objects;
use crate::object::guid::Guid;
use crate::object::template::TemplateView;
use crate::object::waiting::Waiting;
use crate::object::work::Work;
use crate::platform::Platform;
use crate::report::tally::Registry;
use crate::sched::policy::Policy;
use crate::sched::queues::Queues;
use crate::sched::reclaim::Reclaim;
use crate::sync::dawdle;
use block::Waits;
use crossbeam_utils::CachePadded;
use devices::Devices;
use end::End;
use halt::Resting;
use parking_lot::Mutex;
use seats::Seats;
use signals::Handlers;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicU64, Ordering};
use std::time::Instant;

/// A running runtime. What is written while EDTs run has cache lines of its own, since all threads read the rest.
pub struct Runtime {
    /// All objects.
    pub objects: Objects,
    /// Ready EDTs and sleeping workers.
    pub queues: Queues,
    /// Which threads are workers.
    pub seats: CachePadded<Seats>,
    /// What waits for labels to have an object.
    pub early: CachePadded<Waiting<Guid, early::Waits>>,
    /// The threads that wait for an event in a call.
    pub waits: CachePadded<Waits>,
    /// How EDTs are placed.
    pub policy: Box<dyn Policy>,
    /// The policy's name.
    pub policy_name: String,
    /// What the settings say of the machine.
    pub platform: Option<Platform>,
    /// The OpenCL devices, opened when the first kernel is added, or the program asks for them.
    pub devices: Devices,
    /// How and when it ends.
    pub end: CachePadded<End>,
    /// Work in flight outside of the workers: launches, fetches, destroyed blocks that devices give up, starting,
    /// threads that have been woken. While it is not 0, the program has not come to a halt. Its higher half counts
    /// launches once more (`Flight::LAUNCH`).
    pub in_flight: CachePadded<AtomicU64>,
    /// Threads of the program that cannot do anything before the runtime has.
    pub resting: CachePadded<Resting>,
    /// What the end of the run waits for.
    pub fetch_at_end: files::FetchAtEnd,
    /// What was done, for the report.
    pub registry: CachePadded<Registry>,
    /// The signal handlers.
    signals: Handlers,
    /// Strict mode, where it is on.
    pub check: Option<check::OfRun>,
    /// The settings.
    pub settings: Settings,
    /// When it was started.
    pub started: Instant,
    /// Whether the program has its own `main`, to which the runtime returns.
    pub legacy: bool,
    /// The last field: dropped when the queues are.
    pub reclaim: Reclaim,
}

/// The runtime of this process. Each thread of the program that has a context holds it, too, so
/// that it is freed when the last of them has let go of it.
static CURRENT: Mutex<Option<Arc<Runtime>>> = Mutex::new(None);

/// What `CURRENT` holds, to be compared with.
static CURRENT_ADDRESS: AtomicPtr<Runtime> = AtomicPtr::new(std::ptr::null_mut());

impl Runtime {
    /// What a template says whose EDTs do this.
    pub fn template(&self, work: Work, paramc: u32, depc: u32) -> TemplateView {
        TemplateView {
            paramc,
            depc,
            special: self.check.is_some(),
            work: self.objects.works.intern(work),
        }
    }

    /// The runtime of this process, if one runs.
    pub fn current() -> Option<Arc<Runtime>> {
        CURRENT.lock().clone()
    }

    fn install(runtime: Option<Arc<Runtime>>) {
        let mut current = CURRENT.lock();
        let address = runtime.as_ref().map_or(std::ptr::null(), Arc::as_ptr);
        check::set_on(
            runtime
                .as_ref()
                .is_some_and(|runtime| runtime.check.is_some()),
        );
        CURRENT_ADDRESS.store(address.cast_mut(), Ordering::Release);
        *current = runtime;
    }

    /// The runtime of this process, for a signal handler, of which there is none any more when it is freed.
    fn installed() -> Option<&'static Runtime> {
        // SAFETY: null, or the address of the runtime that `CURRENT` held then, stored whole. It is freed when
        // no handler is left, by the contract of this function.
        unsafe { CURRENT_ADDRESS.load(Ordering::Acquire).as_ref() }
    }

    /// Whether a runtime runs; for a signal handler, too.
    fn runs() -> bool {
        !CURRENT_ADDRESS.load(Ordering::Acquire).is_null()
    }

    /// Whether this is the runtime that runs. Its address is no other's while somebody holds it.
    pub fn is_current(&self) -> bool {
        // Acquire: a thread that has seen the new runtime does not find the old one.
        std::ptr::eq(CURRENT_ADDRESS.load(Ordering::Acquire), self)
    }

    /// Counts work that happens outside of the workers in.
    pub fn begin_outside(&self) {
        self.takes_off(Flight::OTHER);
    }

    /// Counts it out, when what it leads to has been queued.
    pub fn end_outside(&self) {
        self.lands(Flight::OTHER);
    }

    fn takes_off(&self, flight: Flight) {
        dawdle(32);
        self.in_flight.fetch_add(flight.0, Ordering::SeqCst);
    }

    fn lands(&self, flight: Flight) {
        dawdle(32);
        if self.in_flight.fetch_sub(flight.0, Ordering::SeqCst) == flight.0 {
            self.check_halt();
        }
    }

    /// Whether a launch has been sent whose end, and what that leads to, has not been seen to.
    fn any_launch(&self) -> bool {
        self.in_flight.load(Ordering::SeqCst) >> 32 != 0
    }
}

/// What is added to [`Runtime::in_flight`].
#[derive(Clone, Copy)]
struct Flight(u64);

impl Flight {
    /// A kernel's launch.
    const LAUNCH: Flight = Flight((1 << 32) + 1);
    /// Other work.
    const OTHER: Flight = Flight(1);
}
