//! Starting and ending a run; and, where the library has the `main`, from there to `mainEdt` and back.

use crate::check::Check;
use crate::config::{Retry, Settings};
use crate::directory::from_start;
use crate::engine::attempt::point::CAN_LEAVE;
use crate::engine::attempt::{tell_repeated, tell_undone};
use crate::engine::checkpoint;
use crate::engine::life::answers::DeviceEvents;
use crate::engine::life::create_request::{EdtRequest, Output};
use crate::engine::nodes::join::{self, NodeRole, Told, join, wait_for_end};
use crate::engine::nodes::{drain, ending, outbox, traffic};
use crate::engine::process::crash::late;
use crate::engine::process::{crash, sigfpe, watchdog};
use crate::engine::run::recording::Recorded;
use crate::engine::run::serve;
use crate::engine::run::shutdown::{enter_as_main_thread, explain_panics};
use crate::engine::state::checkpoints::Checkpoints;
use crate::engine::state::context::Context;
use crate::engine::state::devices::Devices;
use crate::engine::state::duplicates::Duplicates;
use crate::engine::state::elsewhere::Elsewhere;
use crate::engine::state::end::FATAL_STATUS;
use crate::engine::state::fatal::{exit_now, fatal, status_after_output};
use crate::engine::state::fetch_at_end::FetchAtEnd;
use crate::engine::state::finish_times::FinishTimes;
use crate::engine::state::fork;
use crate::engine::state::handlers::Handlers;
use crate::engine::state::learned::Remembered;
use crate::engine::state::loader;
use crate::engine::state::outputs::{Outputs, own_names};
use crate::engine::state::redundant::Redundant;
use crate::engine::state::runtime::Runtime;
use crate::engine::workers::worker;
use crate::object::Objects;
use crate::object::code::{Code, EdtFunction, Timed};
use crate::object::template::PARAM_DEF;
use crate::object::zone::Zone;
use crate::platform::Platform;
use crate::report::nodes::NodeReport;
use crate::report::{Destination, DeviceReport, Report};
use crate::sched::queues::Queues;
use crate::sched::reclaim::Reclaim;
use crate::stack;
use crate::trace::recording::Ended;
use crate::{config, heap, trace};
use crossbeam_utils::CachePadded;
use ocr_analysis::recorded::Score;
use ocr_base::text::Readable;
use ocr_base::{output_file, text};
use ocr_place::model::Transfers;
use ocr_place::policy;
use ocr_trace::identity::RunIdentity;
use std::ffi::OsString;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::Receiver;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Exit status where the settings or the command line are wrong.
pub(crate) const USAGE_STATUS: i32 = 2;

/// Runs an OCR program: its arguments, and its `mainEdt`. Returns the exit status.
pub fn run_program(mut args: Vec<OsString>, main_edt: EdtFunction) -> i32 {
    let loaded = Settings::load(&mut args);
    let mut settings = match loaded {
        Ok((settings, request)) => match answered(request) {
            None => settings,
            Some(status) => return status,
        },
        Err(message) => {
            error!("{message}");
            return USAGE_STATUS;
        }
    };
    enter_as_main_thread();
    if let NodeRole::Serve(told) = join(&mut settings, false) {
        return run_for_others(settings, &told);
    }
    let restored = match checkpoint::open(&settings, false) {
        Ok(restored) => restored,
        Err(message) => {
            error!("{message}");
            return USAGE_STATUS;
        }
    };
    let run = Run::begin(settings, false);
    serve::open(run.runtime());
    match restored {
        None => create_main(run.runtime(), &args, main_edt),
        Some(from) => checkpoint::restore(run.runtime(), &from),
    }
    run.runtime().idle_threads.begin();
    run.runtime().end_outside();
    watchdog::watch(run.runtime());
    run.end()
}

/// Runs on another node than 0 until the program ends. Returns the status.
pub(super) fn run_for_others(settings: Settings, told: &Receiver<Told>) -> i32 {
    let run = Run::begin(settings, false);
    let runtime = run.runtime();
    serve::open(runtime);
    let watching = runtime.seats.start_other("ocr-watch", || watchdog::watch(runtime));
    let Ok(watching) = watching else {
        error!("the thread that looks for crashes cannot be started: a limit (ulimit -u, ulimit -v) leaves no thread");
        exit_now(USAGE_STATUS);
    };
    runtime.idle_threads.begin();
    runtime.end_outside();
    let status = wait_for_end(told, || {
        runtime.shutdown();
        // A panic there has been printed; there is nothing to be done about it.
        let _ = watching.join();
        run.end();
    });
    // Where something is wrong, the run was not ended.
    trace::recording::end(status);
    status
}

/// Prints what the command line asks for instead of a run, if it does: the exit status then.
pub(crate) fn answered(request: config::Request) -> Option<i32> {
    let text = match request {
        config::Request::Run => return None,
        config::Request::Help => config::help(),
        config::Request::Version => {
            format!("ocr {}, OCR API 1.1.0\n", env!("CARGO_PKG_VERSION"))
        }
    };
    // To a standard output that is closed, Rust writes without an error.
    let is_open = output_file::is_open(libc::STDOUT_FILENO);
    let mut out = io::stdout().lock();
    let written = output_file::without_signals(|| {
        let open = is_open.then_some(()).ok_or(io::Error::from_raw_os_error(libc::EBADF));
        open.and_then(|()| out.write_all(text.as_bytes())).and_then(|()| out.flush())
    });
    match written {
        Ok(()) => Some(0),
        Err(error) => {
            error!("the standard output cannot be written: {error}");
            Some(FATAL_STATUS)
        }
    }
}

/// A run of the runtime: its workers, until it is ended.
pub(crate) struct Run {
    runtime: Arc<Runtime>,
    /// The thread that makes checkpoints, if there is one.
    checkpoints: Option<JoinHandle<()>>,
}

/// Finds the files that get what the run tells of itself, gives them names that no other run has, and begins to record.
/// The error is for people.
fn begin_outputs(settings: &mut Settings) -> Result<Outputs, String> {
    let named = [&settings.report, &settings.trace, &settings.halt_dot];
    if named.iter().all(|file| file.value.is_none()) {
        return Ok(Outputs::default());
    }
    let mut run = RunIdentity::of_this();
    run.node = join::node_of_run();
    let begin = || -> Result<(Outputs, Vec<String>), String> {
        let mut own = own_names(settings, &run);
        let mut outputs = Outputs::of(settings, &checkpoint::checkpoints_of(settings))?;
        if let Some(recorded) = Recorded::of(settings) {
            match (recorded.begin(run, &about(settings)), run.node.node) {
                (begun, 0) => outputs.page = begun?,
                // Its machine may have no such folder.
                (begun, node) => own.notes.extend(begun.err().map(|why| format!("node {node} is not recorded: {why}"))),
            }
        }
        outputs.claim(&run)?;
        Ok((outputs, own.notes))
    };
    let (outputs, notes) = output_file::apart(begin)?;
    for note in notes {
        note!("{note}");
    }
    Ok(outputs)
}

/// For tests: a process that is alone makes its objects as node 5 of 8 does where this is `5/8`.
const TEST_ZONE: &str = "OCR_TEST_ZONE";

/// What the process gives to the objects that it makes. The error is for people.
fn zone() -> Result<Zone, String> {
    if let Some((node, nodes)) = ending::place() {
        return Zone::of(node, nodes).ok_or_else(|| format!("there is no node {node} of {nodes}"));
    }
    let Some(text) = std::env::var_os(TEST_ZONE).filter(|text| !text.is_empty()) else {
        return Ok(Zone::default());
    };
    let parts = text.to_str().and_then(|text| text.split_once('/'));
    let zone = parts.and_then(|(node, nodes)| Zone::of(node.parse().ok()?, nodes.parse().ok()?));
    zone.ok_or_else(|| {
        let text = Readable::os(&text);
        format!(
            "${TEST_ZONE}: {text} is no node and number of nodes, such as 5/8: nodes are numbered from 0, and at most 4096"
        )
    })
}

impl Run {
    /// Starts the runtime, which counts one work in flight for its caller, whose work has not begun
    /// yet. Ends the process with a message where the system does not give what is needed.
    pub(crate) fn begin(mut settings: Settings, legacy: bool) -> Run {
        let started = Instant::now();
        let (queues, locals) = Queues::new(*settings.workers);
        let full_name = |file: &Path| from_start(file).map_err(|error| error.to_string());
        let policy = match policy::parse_from(&settings.sched, full_name) {
            Ok(policy) => policy,
            Err(message) => {
                error!("{}: {message}", settings.sched.origin);
                exit_now(USAGE_STATUS);
            }
        };
        let platform = match Platform::of(&settings.platform) {
            Ok(platform) => platform,
            Err(message) => {
                error!("{message}");
                exit_now(USAGE_STATUS);
            }
        };
        let zone = zone().unwrap_or_else(|message| {
            error!("{message}");
            exit_now(USAGE_STATUS);
        });
        let _first_run = if legacy { loader::watch_first_run(*settings.patience) } else { None };
        let outputs = begin_outputs(&mut settings).unwrap_or_else(|message| {
            error!("{message}");
            exit_now(USAGE_STATUS);
        });
        let remembered = Remembered::new(policy.learns(), &settings.models);
        // A policy that keeps EDTs is notified when they end.
        let learns = policy.learns() || policy.keeper().is_some() || remembered.is_kept();
        let timed = if settings.is_reported() {
            Timed::Kernels
        } else if learns || settings.redundant.is_some() {
            Timed::Choices
        } else {
            Timed::Nothing
        };
        heap::begin(settings.check.is_on(), *settings.workers);
        limit_retry(&mut settings);
        let duplicates = duplicates_of(&mut settings, policy.duplicates());
        let mut objects = Objects::new(zone, settings.check.is_on(), timed);
        // On several nodes, what an EDT has asked of others is confirmed when its function has returned.
        let has_attempts = settings.retry.is_on() || duplicates.is_some();
        if has_attempts || settings.time_limit.is_some() || ending::place().is_some() {
            objects.code_table.call_indirectly();
        }
        let runtime = Arc::new(Runtime {
            objects,
            queues,
            seats: CachePadded::default(),
            work: worker::work,
            deferred: CachePadded::default(),
            waits: CachePadded::default(),
            policy,
            platform,
            policy_name: settings.sched.to_string(),
            learns,
            remembered,
            transfers: Transfers::default(),
            finish_times: FinishTimes::default(),
            redundant: settings.redundant.value.map(Redundant::new),
            duplicates,
            elsewhere: Elsewhere::default(),
            devices: Devices::new(),
            manager_events: |runtime| Arc::new(DeviceEvents(runtime)),
            end: CachePadded::default(),
            in_flight: CachePadded::new(AtomicU64::new(1)),
            idle_threads: CachePadded::default(),
            fetch_at_end: FetchAtEnd::default(),
            registry: CachePadded::default(),
            checkpoints: Checkpoints::default(),
            signals: Handlers::new(sigfpe::come_before),
            check: settings.check.is_on().then(Check::begin),
            settings,
            outputs,
            started,
            legacy,
            _reclaim: Reclaim,
        });
        Runtime::install(Some(runtime.clone()));
        explain_panics();
        fork::watch_process();
        runtime.signals.add(watchdog::listen());
        runtime.signals.add(crash::listen(has_attempts));
        runtime.signals.add(runtime.settings.time_limit.and_then(|_| late::listen()));
        runtime.signals.add(sigfpe::begin());
        let mut run = Run { runtime, checkpoints: None };
        let this = run.runtime();
        if let Err((workers, error)) = this.seats.open(this, locals) {
            let advice = match (workers, heap::limit_in_mib()) {
                (0, None) => "the system, or a limit (ulimit -u), leaves no thread or memory for one".to_string(),
                (_, Some(limit)) => format!(
                    "the process has a limit of {limit} MiB of addresses (ulimit -v), and each worker takes {} MiB of them \
                     for its stacks: raise that limit, or ask for fewer with -ocr:workers or OCR_WORKERS",
                    (stack::BYTES + stack::FOR_HANDLERS) >> 20
                ),
                (_, None) => "ask for fewer with -ocr:workers or OCR_WORKERS".to_string(),
            };
            error!("worker {workers} of {} cannot be started: {error}; {advice}", this.queues.workers());
            exit_now(USAGE_STATUS);
        }
        run.checkpoints = checkpoint::begin(this);
        run
    }

    /// The runtime. Threads that the run has started, and contexts of this thread, may use the
    /// reference until [`Run::end`].
    pub(crate) fn runtime(&self) -> &'static Runtime {
        // SAFETY: the `Arc` in `self` keeps the runtime until `end`, which waits for the threads
        // that know it. Every other thread with a context has an `Arc` in its `keeper`.
        unsafe { &*Arc::as_ptr(&self.runtime) }
    }

    /// Ends a run in which `ocrShutdown` was called, or `ocrAbort`. Returns the exit status of the
    /// program.
    pub(crate) fn end(self) -> i32 {
        self.runtime.seats.join();
        self.runtime.checkpoints.wake();
        // A panic there was reported there.
        let _ = self.checkpoints.map(JoinHandle::join);
        checkpoint::remark(&self.runtime);
        drain::wait_for_others();
        let tells = self.runtime.settings.is_reported() && self.runtime.end.code() == 0;
        let nodes = if tells { traffic::of_all() } else { Vec::new() };
        outbox::close();
        outbox::wait_for_blocks();
        self.runtime.end.leave_it_to_who_exits();
        self.runtime.end_opening();
        // Kernels that were sent to a device run to their end, as the EDTs that ran on workers have. Later
        // ones, if any, never begin: what is written to files does not change meanwhile.
        self.runtime.devices.end_launches(&self.runtime);
        let code = self.runtime.end.code();
        // After ocrAbort it is not known that the content of a chunk is what a file should have.
        let written = if !self.runtime.end.was_aborted() {
            self.runtime.write_files()
        } else {
            self.runtime.warn_unwritten();
            true
        };
        self.runtime.devices.remark(&self.runtime);
        self.runtime.devices.stop();
        self.runtime.signals.end();
        watchdog::stay_harmless();
        let printed = if !self.runtime.legacy { status_after_output(0) } else { 0 };
        crash::listen_to_the_end(self.runtime.check.is_some(), self.runtime.legacy);
        // From here on threads of the program are refused.
        Runtime::install(None);
        let status = match code {
            0 => {
                let missing = self.runtime.end.check_missing();
                let left = self.runtime.check_left();
                let unwritten = if written { 0 } else { FATAL_STATUS };
                let different = self.runtime.check_redundant();
                unwritten.max(missing).max(left).max(printed).max(different)
            }
            code => code,
        };
        output_file::apart(|| self.runtime.keep_models());
        self.runtime.remark_wrong_models();
        let seconds = self.runtime.started.elapsed().as_secs_f64();
        self.runtime.record_names();
        let ended = trace::recording::end(status);
        let score = match ended {
            Ended::Whole => output_file::apart(|| self.runtime.score()),
            _ => None,
        };
        self.runtime.report_with(status, seconds, score, nodes);
        self.runtime.tell_attempts();
        let recorded = Recorded::of(&self.runtime.settings).filter(|_| ended == Ended::Whole);
        let page = self.runtime.outputs.page.clone();
        // A thread of the program may be in a call, or about to end its context: then it has the
        // runtime, and frees it later.
        drop(self.runtime);
        // Now that the memory of the run is free.
        if let Some(recorded) = recorded {
            output_file::apart(|| recorded.convert(page.as_ref()));
        }
        status
    }
}

impl Runtime {
    /// What has been done so far, by the workers and by each device.
    pub(crate) fn summary(&self) -> Report {
        let totals = self.registry.totals();
        // A worker that stands still while a device has its core has no EDT to run.
        let stood = if self.devices.lends() { self.seats.stood() } else { Duration::ZERO };
        let devices = self.devices.in_use().iter().map(|used| {
            let counters = used.counters();
            DeviceReport {
                name: used.info.name.clone(),
                kernels: counters.kernels,
                kernel_seconds: counters.kernel_ns as f64 / 1e9,
                bytes_in: counters.bytes_to_device,
                bytes_out: counters.bytes_from_device,
                hits: counters.cache_hits,
                evictions: counters.evictions,
            }
        });
        let redundant = self.redundant.as_ref().map_or(Vec::new(), Redundant::notes);
        Report {
            run: String::new(),
            policy: self.settings.sched.value.clone(),
            workers: self.workers(),
            seconds: 0.0,
            counts: totals,
            idle_seconds: totals.idle_ns as f64 / 1e9 + stood.as_secs_f64(),
            opening_seconds: self.devices.start.opening_ns() as f64 / 1e9,
            building_seconds: self.devices.start.building_ns() as f64 / 1e9,
            variants: Vec::new(),
            redundant: self.redundant.as_ref().map_or(Vec::new(), Redundant::reports),
            devices: devices.collect(),
            notes: self.registry.notes().into_iter().chain(redundant).collect(),
            remarks: self.registry.remarks().into_iter().chain(join::remark(&self.settings)).collect(),
            nodes: Vec::new(),
            score: None,
            status: 0,
        }
    }

    /// The status of a run that was shut down, as far as EDTs have left something else as kernels than as functions.
    fn check_redundant(&self) -> i32 {
        let complaint = self.redundant.as_ref().and_then(Redundant::complaint);
        complaint.map_or(0, |complaint| {
            error!("{complaint}");
            FATAL_STATUS
        })
    }

    /// Says how many attempts were undone.
    fn tell_attempts(&self) {
        let counts = self.registry.totals();
        let (repeated, opened) = (counts.attempts_repeated, counts.attempts_opened);
        match *self.settings.retry {
            Retry::Off => {}
            Retry::Times(_) => {
                tell_undone(counts.attempts_undone, counts.attempts_late, counts.kernels_undone, counts.edts_recovered)
            }
            Retry::Verify => tell_repeated(repeated, opened),
        }
    }

    /// Notes in the recording that the run ends with this status, and makes the file for viewers.
    pub(crate) fn end_recording(&self, status: i32) {
        self.convert_recording(trace::recording::end(status));
    }

    /// Makes the file for viewers of a recording that has ended so.
    fn convert_recording(&self, ended: Ended) {
        if ended == Ended::Whole
            && let Some(recorded) = Recorded::of(&self.settings)
        {
            output_file::apart(|| recorded.convert(self.outputs.page.as_ref()));
        }
    }

    /// Writes the report of a run that ends with this status, in the middle of what it does.
    pub(crate) fn report(&self, status: i32) {
        let ended = trace::recording::end(status);
        self.devices.remark(self);
        self.report_with(status, self.started.elapsed().as_secs_f64(), None, Vec::new());
        self.convert_recording(ended);
    }

    /// Writes the report of a run that has taken so long and ended with this status.
    fn report_with(&self, status: i32, seconds: f64, score: Option<Score>, nodes: Vec<NodeReport>) {
        let file = self.outputs.report.as_ref();
        let report = Report {
            run: file.map_or(String::new(), |_| self.outputs.run.to_string()),
            seconds,
            status,
            score,
            nodes,
            variants: self.variants(),
            ..self.summary()
        };
        let print = *self.settings.stats;
        let write = || report.write(Destination { print, file });
        if file.is_some() {
            output_file::apart(write);
        } else {
            write();
        }
    }
}

/// Why no call of a function can be held in a run with these settings.
fn why_no_attempts(settings: &Settings) -> Option<&'static str> {
    Some(match () {
        () if settings.check.is_on() => "in strict mode, which ends the program at the first misuse",
        () if settings.redundant.is_some() => "with OCR_REDUNDANT, which runs each EDT more than once anyway",
        () if ending::place().is_some() => "in a program on several nodes",
        () if cfg!(ocr_no_strict) => "in a library that was built without strict mode",
        () if !CAN_LEAVE => "on this processor: a function that has crashed can be left on x86-64 and AArch64 alone",
        () => return None,
    })
}

/// Says that the setting for attempts has no effect, where it has none. Where it has, no kernel is enqueued behind one
/// that may be undone.
fn limit_retry(settings: &mut Settings) {
    if !settings.retry.is_on() {
        return;
    }
    let Some(why) = why_no_attempts(settings) else {
        if settings.retry.runs_again() {
            settings.device_ahead.value = 0;
        }
        return;
    };
    note!("{}: no EDT runs again {why}.", settings.retry.origin);
    settings.retry.value = Retry::Off;
}

/// What is known of EDTs whose kernels run, where a policy that asks for duplicates gets them. Says that the setting
/// has no effect, where it has none. No kernel is enqueued behind one that may be outrun.
fn duplicates_of(settings: &mut Settings, are_asked_for: bool) -> Option<Duplicates> {
    let is_wanted = *settings.duplicates;
    let why = match () {
        () if !is_wanted => None,
        () if !are_asked_for => Some("under this policy, which asks for none"),
        () if *settings.retry == Retry::Verify => Some("with OCR_RETRY=verify, which runs each EDT twice anyway"),
        () if settings.checkpoint.is_some() || settings.restore.is_some() => Some("in a run with checkpoints"),
        () => why_no_attempts(settings),
    };
    if let Some(why) = why {
        note!("{}: no EDT has a duplicate {why}.", settings.duplicates.origin);
    }
    let has = is_wanted && why.is_none();
    settings.duplicates.value = has;
    has.then(|| {
        settings.device_ahead.value = 0;
        Duplicates::default()
    })
}

/// What a recording says of a run: lines `name=value`, in which a line's end is a blank.
fn about(settings: &Settings) -> String {
    let file = |name: &str| text::read_file(name).unwrap_or_default();
    let cpuinfo = file("/proc/cpuinfo");
    let processor =
        cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ")).map_or("", |(_, name)| name);
    let words: Vec<String> = std::env::args_os().map(|word| text::Readable::os(&word).to_string()).collect();
    let mut lines = vec![
        ("runtime", env!("CARGO_PKG_VERSION").to_string()),
        ("program", words.join(" ")),
        ("host", file("/proc/sys/kernel/hostname")),
        ("system", file("/proc/sys/kernel/osrelease")),
        ("processor", processor.to_string()),
    ];
    lines.push(("cores", settings.cores.to_string()));
    lines.push(("workers-fixed", settings.are_workers_fixed().to_string()));
    lines.extend(settings.rows().into_iter().map(|(name, value, _)| (name, value)));
    let line = |(name, value): (&str, String)| format!("{name}={}\n", value.trim().replace('\n', " "));
    lines.into_iter().map(line).collect()
}

/// Creates the main EDT, whose only block holds the arguments (OCR 1.1.0, 2.2).
fn create_main(runtime: &'static Runtime, args: &[OsString], main_edt: EdtFunction) {
    let Some(context) = Context::get() else {
        unreachable!("the runtime has been started");
    };
    // SAFETY: `Context::get` returns this thread's own context, which is alive; nothing else refers to it here.
    let context = unsafe { &mut *context };
    let block = encode_arguments(args);
    let created = context.create_block(block.len() as u64, true);
    let (guid, address) = match created {
        Ok(created) => created,
        Err(error) => {
            fatal(&format!("the run cannot begin: for the arguments of the program there is {error} (ulimit -v)"))
        }
    };
    // SAFETY: the block is this large, and no other thread knows it.
    unsafe { address.copy_from_nonoverlapping(block.as_ptr(), block.len()) };
    if let Some(check) = &runtime.check {
        check.runtime_block(&runtime.objects, guid);
    }
    let view = runtime.template(Code::of_main(main_edt), 0, 1);
    let template = runtime.objects.templates.create(&mut context.caches.templates, view);
    let result = context.release_block(guid).ok().zip(template).map(|((), template)| {
        let created = context.create_edt(&EdtRequest {
            template,
            paramc: PARAM_DEF,
            paramv: std::ptr::null(),
            depc: PARAM_DEF,
            depv: &guid,
            finish: false,
            range: None,
            hints: None,
            guid: None,
            label: None,
            output: Output::None,
        });
        runtime.objects.templates.destroy(&mut context.caches.templates, template);
        created
    });
    if !matches!(result, Some(Ok(()))) {
        fatal("the run cannot begin: there is no memory for the main EDT (ulimit -v)");
    }
    Context::leave();
}

/// argc, argc offsets from the start, then the strings with their ends.
fn encode_arguments(args: &[OsString]) -> Vec<u8> {
    let mut offset = 8 * (args.len() + 1);
    let mut block = (args.len() as u64).to_ne_bytes().to_vec();
    for arg in args {
        block.extend((offset as u64).to_ne_bytes());
        offset += arg.len() + 1;
    }
    for arg in args {
        block.extend(arg.as_bytes());
        block.push(0);
    }
    block
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_laid_out_as_the_specification_says() {
        let block = encode_arguments(&["prog".into(), "".into(), "x".into()]);
        let word = |at: usize| u64::from_ne_bytes(block[8 * at..8 * at + 8].try_into().expect("8"));
        assert_eq!(word(0), 3);
        let arg = |at: usize| {
            let start = word(at + 1) as usize;
            let len = block[start..].iter().position(|&byte| byte == 0).expect("an end");
            String::from_utf8(block[start..start + len].to_vec()).expect("text")
        };
        assert_eq!([arg(0), arg(1), arg(2)], ["prog", "", "x"]);
    }
}
