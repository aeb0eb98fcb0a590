//! The thread that makes checkpoints: when, the moment in which all stand still, and the process that writes the file.

use crate::config::{CheckpointSetting, GivenArguments};
use crate::device::DeviceError;
use crate::engine::checkpoint::requests::{self, CheckpointAnswer};
use crate::engine::checkpoint::{file, names, objects, why_none};
use crate::engine::state::context::Context;
use crate::engine::state::runtime::Runtime;
use crate::object::data_block::will_fork;
use crate::object::saved::{FunctionError, Module, Saved};
use crate::sched::calls::Calls;
use ocr_base::apart::{self, Kept};
use ocr_base::sync::fence;
use std::env;
use std::ffi::OsString;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How long the thread waits at least until it tries again what could not be.
const AGAIN: Duration = Duration::from_millis(100);

/// How long others are held at first until all have come to an end that has to: an EDT or a call may wait for what an
/// EDT does that is held. It doubles each time that it was not enough, up to the most.
const FIRST_PATIENCE: Duration = Duration::from_secs(1);
const MOST_PATIENCE: Duration = Duration::from_secs(64);

/// How much longer than they were held in vain others go on, before it is tried again.
const REST: u32 = 3;

/// How often a checkpoint is tried that was asked for from outside.
const TRIES: u32 = 10;

/// A look at what others do, while the workers are held.
const LOOK: Duration = Duration::from_micros(50);

/// How long it takes at most until the end of the process that writes is seen.
const SEEN: Duration = Duration::from_millis(1);

/// How the forked process says that a function is in no file; other errors are numbers of the system.
const NO_FILE: i32 = 254;
/// How the forked process says that it has met an error without a number.
const OTHER: i32 = 255;

/// Why no checkpoint is made.
enum MakeError {
    /// Something cannot be saved now, but perhaps later.
    Later(&'static str),
    /// The run ends.
    Ending,
    /// A content could not be brought from its device.
    Device(DeviceError),
    /// The file was not written.
    File(String),
}

/// Starts the thread that makes checkpoints, if the settings ask for some. To be joined when the run ends.
pub(crate) fn begin(runtime: &'static Runtime) -> Option<JoinHandle<()>> {
    let setting = runtime.settings.checkpoint.value.as_ref()?;
    let origin = &runtime.settings.checkpoint.origin;
    if let Some(why) = why_none(&runtime.settings, runtime.legacy) {
        warning!("{origin}: no checkpoint is written {why}.");
        return None;
    }
    will_fork();
    // A program may ask before the thread has begun.
    runtime.checkpoints.is_free.store(true, Ordering::SeqCst);
    let (asks, requests) = channel();
    let mut maker = CheckpointMaker::new(runtime, setting, requests);
    let thread = runtime.seats.start_other("ocr-checkpoint", move || maker.work());
    match thread {
        Ok(thread) => {
            // The thread may have set it.
            let _ = runtime.checkpoints.thread.set(thread.thread().clone());
            match requests::listen(asks, thread.thread().clone()) {
                Ok(number) => runtime.checkpoints.listens.store(number, Ordering::Relaxed),
                Err(error) => warning!("{origin}: `ocr checkpoint` cannot ask for one: {error}."),
            }
            Some(thread)
        }
        Err(error) => {
            runtime.checkpoints.is_free.store(false, Ordering::SeqCst);
            warning!("{origin}: no checkpoint is written: the thread for it cannot be started: {error}.");
            None
        }
    }
}

/// Says in the statistics how many checkpoints were written.
pub(crate) fn remark(runtime: &Runtime) {
    let [written, held_ns] =
        [&runtime.checkpoints.written, &runtime.checkpoints.held_ns].map(|n| n.load(Ordering::Relaxed));
    if written != 0 {
        let ms = held_ns as f64 / 1e6;
        runtime
            .registry
            .remark(format!("{written} checkpoints were written; the workers were held for at most {ms:.2} ms"));
    }
}

/// What the thread knows.
struct CheckpointMaker {
    runtime: &'static Runtime,
    setting: &'static CheckpointSetting,
    /// What was last said of a checkpoint that was not made.
    told: String,
    modules: Vec<Module>,
    patience: Duration,
    /// The program and its arguments.
    command: Vec<OsString>,
    /// From outside: where the answers go.
    requests: Receiver<Sender<CheckpointAnswer>>,
    /// Requests for the next checkpoint, and how often it is tried for each of them yet.
    asked: Vec<(Sender<CheckpointAnswer>, u32)>,
}

/// The program's full name, and its arguments without those of the runtime.
fn command_line() -> Vec<OsString> {
    let mut words = env::args_os().collect();
    // There is no error: the settings of this run were read from them.
    let _ = GivenArguments::take_from(&mut words);
    let program = env::current_exe().into_iter().map(PathBuf::into_os_string);
    program.chain(words.into_iter().skip(1)).collect()
}

impl CheckpointMaker {
    fn new(
        runtime: &'static Runtime,
        setting: &'static CheckpointSetting,
        requests: Receiver<Sender<CheckpointAnswer>>,
    ) -> CheckpointMaker {
        CheckpointMaker {
            runtime,
            setting,
            told: String::new(),
            modules: Vec::new(),
            patience: FIRST_PATIENCE,
            command: command_line(),
            requests,
            asked: Vec::new(),
        }
    }

    fn work(&mut self) {
        // No handler of the program runs on this thread.
        apart::block_signals();
        let (runtime, checkpoints) = (self.runtime, &self.runtime.checkpoints);
        let _ = checkpoints.thread.set(thread::current());
        let next = |wait: Option<Duration>| wait.map(|wait| Instant::now() + wait);
        let mut due = next(self.setting.every);
        while !runtime.end.is_ending() {
            checkpoints.is_free.store(true, Ordering::SeqCst);
            let is_due = due.is_some_and(|due| due <= Instant::now());
            // One that comes later wakes this thread, and gets a checkpoint of its own.
            self.asked.extend(self.requests.try_iter().map(|request| (request, TRIES)));
            if !is_due && self.asked.is_empty() && !checkpoints.asked.load(Ordering::SeqCst) {
                self.rest(due);
                continue;
            }
            due = next(self.setting.every);
            let begun = Instant::now();
            match self.make() {
                Ok(made) => {
                    checkpoints.written.fetch_add(1, Ordering::Relaxed);
                    self.answer(&CheckpointAnswer::Made(made));
                    self.told.clear();
                    self.patience = FIRST_PATIENCE;
                }
                Err(MakeError::Ending) => break,
                Err(MakeError::Later(why)) => {
                    self.tell(format!("a checkpoint has to wait: {why}. It is tried again."));
                    self.put_off(why);
                    let until = Instant::now() + AGAIN.max(REST * begun.elapsed());
                    while Instant::now() < until && !runtime.end.is_ending() {
                        self.rest(Some(until));
                    }
                    // Without a time, it is tried as long as somebody asks.
                    due = self.setting.every.map(|_| until);
                }
                Err(MakeError::Device(error)) => {
                    checkpoints.asked.store(false, Ordering::SeqCst);
                    self.tell(format!("no checkpoint is written: {error}."));
                    self.answer(&CheckpointAnswer::Refused(error.to_string()));
                }
                Err(MakeError::File(error)) => {
                    let why = format!("cannot be written to {}: {error}", self.setting.directory.display());
                    self.tell(format!("the checkpoint {why}. The run goes on; those before stay."));
                    self.answer(&CheckpointAnswer::Refused(format!("it {why}")));
                }
            }
        }
        self.runtime.checkpoints.is_free.store(false, Ordering::SeqCst);
        Context::leave();
    }

    /// Waits until a time, or for ever, unless it is woken.
    fn rest(&self, until: Option<Instant>) {
        let waits = &self.runtime.checkpoints.waits;
        // SAFETY: `gettid` has no preconditions.
        let rests = self.runtime.rests_from_checkpoints(unsafe { libc::gettid() });
        if !rests {
            return;
        }
        match until {
            Some(until) => thread::park_timeout(until.saturating_duration_since(Instant::now())),
            None => thread::park(),
        }
        waits.store(0, Ordering::Relaxed);
    }

    /// Says something, unless it was said last.
    fn tell(&mut self, what: String) {
        if self.told != what {
            warning!("{}: {what}", self.runtime.settings.checkpoint.origin);
            self.told = what;
        }
    }

    /// Answers those who have asked from outside.
    fn answer(&mut self, answer: &CheckpointAnswer) {
        for (request, _) in self.asked.drain(..) {
            // Nobody is told who has gone.
            let _ = request.send(answer.clone());
        }
    }

    /// Tells those who have asked from outside why they wait; the last time, that they wait in vain.
    fn put_off(&mut self, why: &str) {
        self.asked.retain_mut(|(request, tries)| {
            *tries -= 1;
            let answer = if *tries == 0 { CheckpointAnswer::Refused } else { CheckpointAnswer::Waits };
            request.send(answer(why.to_string())).is_ok() && *tries != 0
        });
    }

    /// Makes one checkpoint: its name.
    fn make(&mut self) -> Result<PathBuf, MakeError> {
        let directory = &self.setting.directory;
        let last = || names::last_in(directory);
        // Libraries may have been loaded since. That takes a lock, which another thread may have when it is forked.
        let looked = apart::run("look", Kept::Nothing, || (objects::modules(), last()));
        let before = match looked {
            Ok((modules, before)) => {
                self.modules = modules;
                Some(before)
            }
            // Those are known that there were before, if there was a look before.
            Err(error) if self.modules.is_empty() => {
                self.runtime.give_up_asked();
                return Err(MakeError::File(error.to_string()));
            }
            Err(_) => None,
        };
        let forked = self.fork()?;
        let Some(status) = self.wait_for(forked) else { return Err(MakeError::Ending) };
        written(forked, status).map_err(MakeError::File)?;
        // The status says nothing where the program has waited for all of its children.
        match apart::run("look", Kept::Nothing, last) {
            Ok(after) if Some(&after) == before.as_ref() => {
                Err(MakeError::File("the process that wrote it has not".to_string()))
            }
            Ok(Some((_, made))) => Ok(made),
            // It is there, but nobody could look.
            _ => Ok(directory.clone()),
        }
    }

    /// Waits for the process that writes: the status with which it has ended, or 0 where another thread has waited for
    /// it. None if the run ends first; then that process does, too.
    fn wait_for(&self, process: libc::pid_t) -> Option<i32> {
        let mut status = 0;
        loop {
            // SAFETY: `status` is a variable, so its address can be written.
            let ended = unsafe { libc::waitpid(process, &raw mut status, libc::WNOHANG) };
            match ended {
                0 if self.runtime.end.is_ending() => {
                    // SAFETY: the call takes numbers; the process is this one's child, which nobody has waited for.
                    unsafe { libc::kill(process, libc::SIGKILL) };
                    // SAFETY: `status` is a variable, so its address can be written.
                    unsafe { libc::waitpid(process, &raw mut status, 0) };
                    names::remove_of(&self.setting.directory, process.cast_unsigned());
                    return None;
                }
                0 => thread::sleep(SEEN),
                -1 if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                -1 => return Some(0),
                _ => return Some(status),
            }
        }
    }

    /// Forks the process, while all stand still.
    fn fork(&mut self) -> Result<libc::pid_t, MakeError> {
        let (runtime, checkpoints) = (self.runtime, &self.runtime.checkpoints);
        let Some(context) = Context::get() else { return Err(MakeError::Ending) };
        // SAFETY: `Context::get` returns this thread's own context, which is alive; nothing else refers to it here.
        let context = unsafe { &mut *context };
        let is_held = runtime.hold_workers(self.patience);
        // While others are held, the program does not hang.
        runtime.begin_outside();
        let begun = Instant::now();
        let forked = if is_held {
            self.settle().and_then(|()| self.bring_all(context)).and_then(|()| {
                // A call from here on asks for another one.
                checkpoints.asked.store(false, Ordering::SeqCst);
                self.fork_now()
            })
        } else if runtime.end.is_ending() {
            Err(MakeError::Ending)
        } else {
            self.patience = MOST_PATIENCE.min(2 * self.patience);
            Err(MakeError::Later("an EDT takes long"))
        };
        runtime.let_callers_go();
        while let Some(edt) = checkpoints.take_put_off() {
            context.launch(edt.get());
        }
        context.feed_devices();
        context.work_off();
        runtime.let_workers_go();
        if forked.is_ok() {
            checkpoints.held_ns.fetch_max(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        }
        runtime.end_outside();
        forked
    }

    /// Waits until nothing is in flight. The workers are held.
    fn settle(&self) -> Result<(), MakeError> {
        let runtime = self.runtime;
        let begun = Instant::now();
        // Who enters a call, or looks at objects, from here on sees that a checkpoint is made.
        fence(Ordering::SeqCst);
        loop {
            if runtime.end.is_ending() {
                return Err(MakeError::Ending);
            }
            let calls = runtime.registry.any_calls(Calls::any) || runtime.checkpoints.looks.load(Ordering::SeqCst);
            // This thread is one work in flight itself.
            let is_still = !calls && runtime.in_flight.load(Ordering::SeqCst) == 1;
            // Behind that: what a call has made that was in progress is seen.
            let runs = |tally: &crate::report::tally::Tally| tally.now.running.load(Ordering::Relaxed) != 0;
            if runtime.registry.threads().iter().any(|tally| runs(tally)) {
                return Err(MakeError::Later("an EDT waits in a call"));
            }
            if runtime.registry.any_calls(|calls| calls.any() && !calls.acts()) {
                return Err(MakeError::Later("a thread of the program waits in a call"));
            }
            let objects = &runtime.objects;
            if objects.data_blocks.partitions.any_left() {
                return Err(MakeError::Later("a data block has parts, or a copy that shares its memory"));
            }
            if objects.files.any_left() {
                return Err(MakeError::Later("a file is open (ocrFileOpen)"));
            }
            if is_still {
                return Ok(());
            }
            if !runtime.any_launch() && begun.elapsed() > self.patience {
                return Err(MakeError::Later(if calls {
                    "a thread of the program is in a call"
                } else {
                    "devices are being opened, or another work of the runtime goes on"
                }));
            }
            thread::sleep(LOOK);
        }
    }

    /// Brings what only devices have to the host.
    fn bring_all(&self, context: &mut Context) -> Result<(), MakeError> {
        let brought = self.runtime.objects.data_blocks.live().try_for_each(|(_, block)| {
            let (valid, ready) = {
                let copies = block.copies();
                (copies.valid, copies.host_ready())
            };
            if valid.is_empty() || ready {
                return Ok(());
            }
            // Devices write to memory that is there.
            let _ = block.host_memory();
            // SAFETY: blocks live as long as the runtime does.
            context.bring_at_end(unsafe { &*std::ptr::from_ref(block) })
        });
        brought.map_err(MakeError::Device)
    }

    fn fork_now(&self) -> Result<libc::pid_t, MakeError> {
        // SAFETY: the call takes nothing.
        let parent = unsafe { libc::getpid() };
        // SAFETY: the process that is made has this thread alone. All others stand still or wait, without a lock that
        // it takes: those of objects are taken in calls and by EDTs. The C library sees to its own.
        match unsafe { libc::fork() } {
            0 => self.write(parent),
            -1 => Err(MakeError::File(format!("the process cannot be forked: {}", io::Error::last_os_error()))),
            process => Ok(process),
        }
    }

    /// Writes the file, in the process that was forked for that.
    fn write(&self, parent: libc::pid_t) -> ! {
        // SAFETY: the call takes numbers. A process whose parent is gone has nobody to write for.
        unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
        // SAFETY: the call takes nothing.
        if unsafe { libc::getppid() } != parent {
            // SAFETY: the call takes a number, and does not return.
            unsafe { libc::_exit(OTHER) }
        }
        // All but the standard error, for the message of a panic.
        for [first, last] in [[0, 1], [3, libc::c_uint::MAX]] {
            // SAFETY: the call takes numbers, and closes copies that belong to this process alone: what the program has
            // open it may have closed before the file is there.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
        let write = || {
            file::write(&self.setting.directory, |out| {
                objects::pass(self.runtime, &mut Saved::to(out), &self.command, &self.modules)
            })
        };
        let status = match catch_unwind(AssertUnwindSafe(write)) {
            Ok(written) => written.map_or_else(|error| status_of(&error), |()| 0),
            Err(_) => OTHER,
        };
        // SAFETY: the call takes a number, and does not return.
        unsafe { libc::_exit(status) }
    }
}

/// The status by which the process that writes tells an error.
fn status_of(error: &io::Error) -> i32 {
    if error.get_ref().is_some_and(|inner| inner.is::<FunctionError>()) {
        return NO_FILE;
    }
    error.raw_os_error().filter(|number| (1..NO_FILE).contains(number)).unwrap_or(OTHER)
}

/// Whether a process that has ended so has written its file. The error is for people.
fn written(process: libc::pid_t, status: i32) -> Result<(), String> {
    if !libc::WIFEXITED(status) {
        return Err(format!("process {process}, which wrote it, was ended by signal {}", libc::WTERMSIG(status)));
    }
    match libc::WEXITSTATUS(status) {
        0 => Ok(()),
        NO_FILE => Err(FunctionError::NoFile.to_string()),
        OTHER => Err(format!("process {process}, which wrote it, has met an error that has no number")),
        number => Err(io::Error::from_raw_os_error(number).to_string()),
    }
}
