//! What a run is: its objects, queues, devices and settings, and the counter of work in flight.

use crate::check;
use crate::config::{Retry, Settings};
use crate::device::ManagerEvents;
use crate::engine::state::devices::Devices;
use crate::engine::state::duplicates::Duplicates;
use crate::engine::state::elsewhere::Elsewhere;
use crate::engine::state::end::End;
use crate::engine::state::handlers::Handlers;
use crate::engine::state::idle::IdleProgramThreads;
use crate::engine::state::learned::Remembered;
use crate::engine::state::outputs::Outputs;
use crate::engine::state::redundant::Redundant;
use crate::engine::state::seats::Seats;
use crate::engine::state::waiters::Waiters;
use crate::object::Objects;
use crate::object::code::Code;
use crate::object::edt::Edt;
use crate::object::guid::Guid;
use crate::object::hints::EDT_RETRY;
use crate::object::template::TemplateView;
use crate::object::waiting::Waiting;
use crate::platform::Platform;
use crate::report::tally::TallyRegistry;
use crate::sched::queues::{Local, Queues};
use crate::sched::reclaim::Reclaim;
use crate::trace;
use crossbeam_utils::CachePadded;
use ocr_base::lock::{Mutex, rank};
use ocr_base::sync::preemption_point;
use ocr_place::model::Transfers;
use ocr_place::policy::Policy;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::time::Instant;

/// A running runtime. What is written while EDTs run has cache lines of its own, since all threads read the rest.
pub(crate) struct Runtime {
    /// The objects of the program: EDTs, events, data blocks, and what belongs to them.
    pub objects: Objects,
    /// Ready EDTs and sleeping workers.
    pub queues: Queues,
    /// Which threads are workers, and which of them are away or spare.
    pub seats: CachePadded<Seats>,
    /// What a worker does: what a thread runs that has got a seat.
    pub(crate) work: fn(&'static Runtime, Local),
    /// What waits for labels to have an object.
    pub deferred: CachePadded<Waiting<Guid, crate::engine::state::deferred::Deferred>>,
    /// The threads that wait for an event in a call.
    pub waits: CachePadded<Waiters>,
    /// The placement policy of this run.
    pub policy: Box<dyn Policy>,
    /// The name of the policy, as `OCR_SCHED` has it.
    pub policy_name: String,
    /// What the settings say of the machine.
    pub platform: Option<Platform>,
    /// Whether it is measured how long EDTs and copies take, for the policy or since a directory for it is named.
    pub learns: bool,
    /// What earlier runs have learned, and where this one keeps what it learns.
    pub(crate) remembered: Remembered,
    /// What is known of how long copies to devices and back take.
    pub transfers: Transfers,
    /// The scopes of finish EDTs that are timed.
    pub(crate) finish_times: crate::engine::state::finish_times::FinishTimes,
    /// The EDTs that run as kernels and as their function, where the setting asks for it.
    pub(crate) redundant: Option<Redundant>,
    /// The EDTs whose kernels run, where idle workers may run them, too.
    pub(crate) duplicates: Option<Duplicates>,
    /// Blocks that go from one node to another.
    pub(crate) elsewhere: Elsewhere,
    /// The OpenCL devices, opened when the first kernel is added, or the program asks for them.
    pub devices: Devices,
    /// Makes what the device managers tell the engine through.
    pub(crate) manager_events: fn(&'static Runtime) -> Arc<dyn ManagerEvents>,
    /// How and when it ends.
    pub end: CachePadded<End>,
    /// Work in flight outside of the workers: launches, fetches, destroyed blocks that devices give up, starting,
    /// threads that have been woken. While it is not 0, the program has not come to a halt. Its higher half counts
    /// launches once more (`Flight::LAUNCH`).
    pub in_flight: CachePadded<AtomicU64>,
    /// Threads of the program that cannot do anything before the runtime has.
    pub idle_threads: CachePadded<IdleProgramThreads>,
    /// What the end of the run waits for.
    pub fetch_at_end: crate::engine::state::fetch_at_end::FetchAtEnd,
    /// What is known of checkpoints.
    pub(crate) checkpoints: crate::engine::state::checkpoints::Checkpoints,
    /// What was done, for the report.
    pub registry: CachePadded<TallyRegistry>,
    /// The handlers of signals that are installed for this run.
    pub(crate) signals: Handlers,
    /// Strict mode, where it is on.
    pub check: Option<check::OfRun>,
    pub settings: Settings,
    /// The files that get what the run tells of itself.
    pub(crate) outputs: Outputs,
    /// When the run began. Seconds in messages count from then.
    pub started: Instant,
    /// Whether the program has its own `main`, to which the runtime returns.
    pub legacy: bool,
    /// The last field: dropped when the queues are.
    pub(crate) _reclaim: Reclaim,
}

/// The runtime of this process. Each thread of the program that has a context holds it, too, so
/// that it is freed when the last of them has let go of it.
static CURRENT: Mutex<rank::CurrentRun, Option<Arc<Runtime>>> = Mutex::new(None);

/// Whether a runtime was ever installed.
static BEGUN: AtomicBool = AtomicBool::new(false);

/// What `CURRENT` holds, to be compared with.
static CURRENT_ADDRESS: AtomicPtr<Runtime> = AtomicPtr::new(std::ptr::null_mut());

impl Runtime {
    /// What a template says whose EDTs do this.
    pub(crate) fn template(&self, work: Code, paramc: u32, depc: u32) -> TemplateView {
        TemplateView {
            paramc,
            depc,
            needs_slow_path: self.check.is_some()
                || self.settings.trace.value.is_some()
                || self.redundant.is_some()
                || self.duplicates.is_some()
                || self.settings.retry.is_on(),
            work: self.objects.code_table.intern(work),
        }
    }

    /// Whether functions run whose calls are held.
    pub(crate) fn has_attempts(&self) -> bool {
        self.settings.retry.is_on() || self.duplicates.is_some()
    }

    /// Whether kernels can be undone.
    pub(crate) fn undoes_kernels(&self) -> bool {
        self.settings.retry.runs_again() || self.duplicates.is_some()
    }

    /// How often an EDT runs again, by the setting and its hint.
    pub(crate) fn retry_of(&self, edt: &Edt) -> Retry {
        match *self.settings.retry {
            Retry::Off => Retry::Off,
            retry => retry.with_hint(self.objects.edts.hint(edt, EDT_RETRY)),
        }
    }

    /// The runtime of this process, if one runs.
    pub(crate) fn current() -> Option<Arc<Runtime>> {
        CURRENT.lock().clone()
    }

    /// Whether a run has begun in this process.
    pub(crate) fn was_begun() -> bool {
        BEGUN.load(Ordering::Relaxed)
    }

    pub(crate) fn install(runtime: Option<Arc<Runtime>>) {
        let mut current = CURRENT.lock();
        if runtime.is_some() {
            // Relaxed: a thread that ends the process before it sees this has begun no run.
            BEGUN.store(true, Ordering::Relaxed);
        }
        let address = runtime.as_ref().map_or(std::ptr::null(), Arc::as_ptr);
        check::set_on(
            runtime.as_ref().is_some_and(|runtime| runtime.check.is_some()),
            runtime.as_ref().is_some_and(|runtime| trace::is_on() || runtime.has_attempts()),
        );
        CURRENT_ADDRESS.store(address.cast_mut(), Ordering::Release);
        *current = runtime;
    }

    /// The runtime of this process, for a signal handler, of which there is none any more when it is freed.
    pub(crate) fn installed() -> Option<&'static Runtime> {
        // SAFETY: the address is null, or that of the runtime that `CURRENT` held then, stored whole. Only handlers
        // call this, and the runtime is freed when none of them is left.
        unsafe { CURRENT_ADDRESS.load(Ordering::Acquire).as_ref() }
    }

    /// Whether a runtime runs; for a signal handler, too.
    pub(crate) fn runs() -> bool {
        !CURRENT_ADDRESS.load(Ordering::Acquire).is_null()
    }

    /// Whether this is the runtime that runs. Its address is no other's while somebody holds it.
    pub(crate) fn is_current(&self) -> bool {
        // Acquire: a thread that has seen the new runtime does not find the old one.
        std::ptr::eq(CURRENT_ADDRESS.load(Ordering::Acquire), self)
    }

    /// Counts work that happens outside of the workers in.
    pub(crate) fn begin_outside(&self) {
        self.takes_off(Flight::OTHER);
    }

    /// Counts it out, when what it leads to has been queued.
    pub(crate) fn end_outside(&self) {
        self.lands(Flight::OTHER);
    }

    pub(crate) fn takes_off(&self, flight: Flight) {
        preemption_point(32);
        self.in_flight.fetch_add(flight.0, Ordering::SeqCst);
    }

    pub(crate) fn lands(&self, flight: Flight) {
        preemption_point(32);
        if self.in_flight.fetch_sub(flight.0, Ordering::SeqCst) == flight.0 {
            self.check_halt();
        }
    }

    /// How many workers run EDTs, when those that are too many have ended theirs.
    pub(crate) fn workers(&self) -> usize {
        // Workers that stand still for a time while a device has their cores are workers all the same.
        let limit = if self.devices.lends() { usize::MAX } else { self.seats.limit() };
        self.queues.workers().min(limit)
    }

    /// How many workers have not given up their seats for good.
    pub(crate) fn workers_left(&self) -> usize {
        self.queues.workers() - self.seats.retired()
    }

    /// Whether a launch has been sent whose end, and what that leads to, has not been seen to.
    pub(crate) fn any_launch(&self) -> bool {
        self.in_flight.load(Ordering::SeqCst) >> 32 != 0
    }
}

/// What is added to [`Runtime::in_flight`].
#[derive(Clone, Copy)]
pub(crate) struct Flight(u64);

impl Flight {
    /// The launch of a kernel, which is counted apart, too.
    pub(crate) const LAUNCH: Flight = Flight((1 << 32) + 1);
    /// Work outside of the workers that is no launch, such as a fetch.
    pub(crate) const OTHER: Flight = Flight(1);
}
