//! Whether this process is a node of a program on several nodes, and how it becomes one.
//!
//! | `OCR_NODES` | the library's own `main` | a `main` of the program's own |
//! |---|---|---|
//! | `auto` | joins where a launcher has started several processes | runs alone |
//! | `mpi` | joins where a launcher has started several processes, or MPI says so | the same |
//! | `1` | runs alone | runs alone |
//!
//! Several copies of one program that do not know of one another are never what is meant. So where the process cannot
//! join, it ends with a message. Most reasons hold for all processes of the launch, and rank 0 prints them. The others
//! follow a little later: by then most launchers have ended them, since rank 0 has ended with an error. What one
//! machine alone lacks, as a plug-in, is so printed, too. Under other launchers one process of a machine prints.

use crate::config::{self, Nodes, Settings};
use crate::engine::nodes::ending::{
    HAS_JOINED, MOST_NODES, NODE, PATIENCE_AT_END, PHASE, REFUSED_STATUS, WORKING, end, is_asked, is_here, place,
};
use crate::engine::nodes::hello::Hello;
pub(crate) use crate::engine::nodes::thread::Told;
use crate::engine::nodes::thread::{Joined, NODE_0, Plan, RUN_HAS_ENDED, TERMINATED, too_many, work};
use crate::engine::nodes::{mates, outbox, share};
use crate::engine::state::end::FATAL_STATUS;
use crate::engine::state::fatal::{self, exit_now, fatal, status_after_output};
use crate::engine::state::handlers::Handler;
use crate::link::bell;
use crate::link::launcher::{self, LaunchedProcess};
use crate::link::plugin::{self, PluginChoiceError};
use crate::link::threads;
use crate::symbols;
use crate::trace;
use ocr_base::text::{Readable, counted};
use ocr_trace::identity::{NodeOfRun, this_machine};
use std::ffi::{c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How long a process that cannot join waits before it prints why: the launcher ends it where rank 0 has done so.
const AFTER_RANK_0: Duration = Duration::from_secs(2);

/// After how long a note says that MPI has not begun.
const NOTE_AFTER: Duration = Duration::from_secs(30);

/// How long a node that ends with an error waits for the end of node 0's process.
const AFTER_NODE_0: Duration = Duration::from_secs(2);

/// How long a process waits for the others before it gives up.
const LONGEST_BEGIN: Duration = Duration::from_secs(300);

/// MPI needs more than Rust gives threads.
const STACK: usize = 8 << 20;

/// What has become of the process.
pub(crate) enum NodeRole {
    /// It begins a run: it is alone, or node 0.
    Run,
    /// It is another node: it begins a run that works for the others, until the program ends.
    Serve(Receiver<Told>),
}

/// What the process has learned when it joined; `Some(None)`: MPI has said that it is alone, and is ended. A process
/// that it has forked finds the same, but is no node.
static JOINED: OnceLock<Option<Joined>> = OnceLock::new();

/// What is to be done where the processes that are waited for never come.
const IF_STARTED_BY_ANOTHER: &str = "A process that another one of the launch has started has the rank of that one, and \
    needs OCR_NODES=1.";

/// Joins the other processes of the launch, if that is asked for, and sets what is shared with them in the settings. On
/// another node than 0, returns when the program has ended. Ends the process with a message if it cannot join.
/// `own_main`: the program has its own `main`.
pub(crate) fn join(settings: &mut Settings, own_main: bool) -> NodeRole {
    if JOINED.get().is_some() {
        if is_here() {
            if outbox::counts().0 != 0 {
                fatal(
                    "ocrLegacyInit: an earlier run of this program has used other nodes, which still have objects of that \
                     run. On several nodes, only the last run of a program may do so: do the work of both in one run, or run \
                     the program on one node.",
                );
            }
            share_out(settings);
        }
        return NodeRole::Run;
    }
    let launch = launcher::find();
    let has_others = launch.as_ref().map(LaunchedProcess::may_have_others);
    let joins = match *settings.nodes {
        Nodes::One => false,
        Nodes::Auto => !own_main && has_others == Some(true),
        Nodes::Mpi => has_others.unwrap_or(!launcher::is_any_used()),
    };
    if !joins {
        // SAFETY: the process begins a run, and has no thread of the runtime. Threads of a program with its own `main`
        // keep off the environment, as the description of `ocrLegacyInit` asks for.
        unsafe { launcher::note_used() };
        return NodeRole::Run;
    }
    let launch = launch.as_ref();
    let plan = match plan(settings, launch) {
        Ok(plan) => plan,
        Err(why) => refuse(launch, &why),
    };
    let (tell, told) = channel();
    let thread = Builder::new().name(threads::NAME.into()).stack_size(STACK).spawn(move || work(plan, tell));
    if let Err(error) = thread {
        refuse(launch, &format!("the thread that calls MPI cannot be started: {error} (ulimit -u, ulimit -v)"));
    }
    let joined = wait_to_join(&told, launch);
    // SAFETY: the process begins a run, and has no thread of the runtime but the link's, which waits for messages or
    // has ended MPI. Threads of a program with its own `main` keep off the environment, as `ocrLegacyInit` asks for.
    unsafe { launcher::note_used() };
    let node = joined.as_ref().map(|joined| joined.place.node);
    let _ = JOINED.set(joined);
    let Some(node) = node else { return NodeRole::Run };
    begin();
    if node == 0 {
        share_out(settings);
        return NodeRole::Run;
    }
    share_out(settings);
    serve_quietly(settings);
    NodeRole::Serve(told)
}

/// Which node of which run this process is. All zeros where it is alone.
pub(crate) fn node_of_run() -> NodeOfRun {
    let joined = JOINED.get().and_then(Option::as_ref).zip(place());
    joined.map_or(NodeOfRun::default(), |(joined, (node, nodes))| NodeOfRun {
        node,
        nodes,
        launch: joined.launch,
        machine: this_machine(),
    })
}

/// What a node other than 0 leaves to node 0: reports and graphs of what waits.
fn serve_quietly(settings: &mut Settings) {
    settings.report.value = None;
    settings.halt_dot.value = None;
    settings.stats.value = false;
}

/// What the thread of the link is to do. The error is for people.
fn plan(settings: &Settings, launch: Option<&LaunchedProcess>) -> Result<Plan, String> {
    let size = launch.and_then(|launch| launch.size);
    let launcher = launch.map(|launch| launch.launcher.name());
    let alone = "or have each process run the whole program by itself with OCR_NODES=1";
    let several = match (launcher, size) {
        (Some(launcher), Some(size)) => format!("{launcher} has started {size} processes of this program"),
        (Some(launcher), None) => format!("{launcher} has started this program"),
        (None, _) => format!("{} asks for MPI", settings.nodes.origin),
    };
    if config::is_privileged() {
        return Err(format!(
            "{several}, which has rights that its user does not have (set-user-ID, set-group-ID or capabilities), and so \
             loads no MPI: run it without a launcher, {alone}"
        ));
    }
    if let Some(size) = size.filter(|&size| size > MOST_NODES) {
        return Err(too_many(size));
    }
    let plugin = plugin::choose(launch, settings.mpi.as_deref(), &home()).map_err(|why| match why {
        PluginChoiceError::Nothing(files) => format!(
            "{several}, and there is no plug-in for it: {} is in none of {}. Install that with the library, or make it by \
             `make mpi-plugin MPICC=mpicc`; name its file by OCR_MPI if it is elsewhere; {alone}",
            files.join(" or "),
            folders()
        ),
        PluginChoiceError::Several(files) => format!(
            "{several}, and which MPI that is cannot be told. Name its plug-in by OCR_MPI, which is one of {}",
            files.iter().map(|file| Readable::path(file).to_string()).collect::<Vec<_>>().join(", ")
        ),
    })?;
    let hello = Hello::of_this(settings);
    Ok(Plan { plugin, launch: launcher.map(|launcher| (size, launcher)), hello })
}

/// The file that has the library in it.
fn home() -> PathBuf {
    symbols::build_of(home as *const () as usize).map_or_else(PathBuf::new, |(_, file)| file)
}

/// The folders in which plug-ins are looked for, for people.
fn folders() -> String {
    let folders = plugin::folders(&home());
    folders.iter().map(|folder| Readable::path(folder).to_string()).collect::<Vec<_>>().join(", ")
}

/// The rank of the process; 0 where there is no launcher.
fn rank_of(launch: Option<&LaunchedProcess>) -> u32 {
    launch.map_or(0, |launch| launch.rank)
}

/// Ends the process, which cannot join, and says why: at once if it has rank 0, or else if it is still there later.
fn refuse(launch: Option<&LaunchedProcess>, why: &str) -> ! {
    if rank_of(launch) != 0 {
        std::thread::sleep(AFTER_RANK_0);
    }
    if launch.is_none_or(LaunchedProcess::prints_errors) {
        error!("{why}.");
    }
    exit_now(REFUSED_STATUS)
}

/// Waits until the thread of the link has met the other nodes. None where there are none. Ends the process if they
/// cannot be one program.
fn wait_to_join(told: &Receiver<Told>, launch: Option<&LaunchedProcess>) -> Option<Joined> {
    let rank = rank_of(launch);
    let begin = Instant::now();
    let mut is_noted = false;
    loop {
        match told.recv_timeout(NOTE_AFTER.saturating_sub(begin.elapsed()).max(Duration::from_secs(1))) {
            Ok(Told::Joined(joined)) => return Some(joined),
            Ok(Told::Alone) => return None,
            Ok(Told::Refused(status)) => {
                // Node 0 says why. MPI is to end before this process does.
                let _ = told.recv_timeout(PATIENCE_AT_END);
                exit_now(status)
            }
            Ok(Told::Failed(why)) => {
                let why = why.trim_end_matches('.');
                if rank == 0 {
                    error!("{why}.");
                    // Node 0 tells the others, if the link has come as far as that.
                    let _ = told.recv_timeout(PATIENCE_AT_END);
                    exit_now(REFUSED_STATUS)
                }
                refuse(launch, why)
            }
            Ok(_) => {}
            Err(RecvTimeoutError::Timeout) => {
                if rank == 0 && !std::mem::replace(&mut is_noted, true) {
                    note!(
                        "the program has not begun after {} seconds, since MPI waits for other processes of the launch. \
                         Each of them has to be this program, with the same OCR_NODES. {IF_STARTED_BY_ANOTHER}",
                        NOTE_AFTER.as_secs()
                    );
                }
                if begin.elapsed() > LONGEST_BEGIN {
                    let why = format!(
                        "the program cannot begin: other processes of the launch have not joined for 5 minutes. They may \
                         have ended before, be another program, or have OCR_NODES=1. {IF_STARTED_BY_ANOTHER}"
                    );
                    refuse(launch, why.trim_end_matches('.'));
                }
            }
            Err(RecvTimeoutError::Disconnected) => refuse(launch, "the thread that calls MPI has ended"),
        }
    }
}

unsafe extern "C" {
    /// Of the C library: has `exit` call a function, the last that was registered first.
    fn on_exit(function: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}

/// Registers what is to be done when the process ends, which is a node from here on.
fn begin() {
    PHASE.store(WORKING, Ordering::SeqCst);
    HAS_JOINED.set();
    fatal::before_end(end);
    // SAFETY: `process_exits` has the form that the call asks for, and stays, since the library is never unloaded.
    unsafe { on_exit(process_exits, std::ptr::null_mut()) };
    // SAFETY: `asked_to_end` has the form of a handler without SA_SIGINFO. It stores to an atomic, or gives the signal
    // back and raises it, all of which POSIX allows in a handler.
    let handler = unsafe { Handler::begin(libc::SIGTERM, asked_to_end as *const () as usize, libc::SA_RESTART) };
    std::mem::forget(handler);
}

/// What a process that calls `exit` in the middle of a run does before others hear of that.
static BEFORE_EXIT: OnceLock<fn(c_int)> = OnceLock::new();

/// Has this done by a process that calls `exit`, before other nodes hear of that.
pub(crate) fn before_exit(act: fn(c_int)) {
    let _ = BEFORE_EXIT.set(act);
}

/// `exit` calls this before the destructors of libraries run, those of MPI among them.
extern "C" fn process_exits(status: c_int, _: *mut c_void) {
    if !is_here() {
        return;
    }
    // Node 0 ends this process when it hears of the end of another one.
    if NODE.load(Ordering::Relaxed) != 0
        && let Some(act) = BEFORE_EXIT.get()
    {
        act(status);
    }
    // What has been printed is written first: where some of it is lost, all nodes are to end with that status, and the
    // launcher may end this process as soon as another one has ended with an error.
    let after = end(status_after_output(status));
    if after != status {
        exit_now(after);
    }
}

/// The handler of SIGTERM.
extern "C" fn asked_to_end(signal: c_int) {
    if is_here() && PHASE.load(Ordering::SeqCst) == WORKING {
        TERMINATED.store(true, Ordering::SeqCst);
        return;
    }
    Handler::give_back(signal);
    // SAFETY: `raise` touches no memory of the caller, and is one of the functions that POSIX allows in a handler.
    unsafe { libc::raise(signal) };
}

/// Sets what this node has of the machine.
fn share_out(settings: &mut Settings) {
    let Some(Some(joined)) = JOINED.get() else { return };
    share::take(settings, joined.share);
    settings.on_machine = (joined.place.local as usize, joined.place.locals as usize);
}

/// What the report says of the nodes; none where the process is alone.
pub(crate) fn remark(settings: &Settings) -> Option<String> {
    place()?;
    let joined = JOINED.get()?.as_ref()?;
    let place = joined.place;
    let workers = counted(*settings.workers as u64, "worker");
    let of_workers = match (settings.are_workers_fixed(), joined.share.1) {
        (true, _) => String::new(),
        (false, nodes @ 2..) => format!(" {nodes} of them share its cores, so it has {workers}."),
        (false, _) => format!(" It has cores of its own, and {workers}."),
    };
    Some(format!(
        "The program ran on {} nodes, {} of them on the machine of node 0, joined by {}.{of_workers}",
        place.nodes, place.locals, joined.about
    ))
}

/// Waits on another node than 0 for the end of the program. `end` then ends the run of this node. Returns the status.
pub(crate) fn wait_for_end(told: &Receiver<Told>, end: impl FnOnce()) -> i32 {
    let mut status = FATAL_STATUS;
    let mut limit = None;
    let mut end = Some(end);
    loop {
        let next = match limit {
            None => told.recv().map_err(|_| ()),
            Some(limit) => told.recv_timeout(limit).map_err(|_| ()),
        };
        match next {
            // A node that is stopped is waited for, as long as nothing is wrong.
            Ok(Told::Ending { status: with, orderly }) => {
                (status, limit) = (with, (with != 0).then_some(PATIENCE_AT_END));
                outbox::close();
                // Where something is wrong, EDTs that run are not waited for.
                if with == 0
                    && orderly
                    && !is_asked()
                    && let Some(end) = end.take()
                {
                    end();
                }
                RUN_HAS_ENDED.store(true, Ordering::SeqCst);
                bell::wake();
            }
            Ok(Told::Lost(words)) => {
                if let Some(words) = words {
                    error!("{words}");
                }
                trace::recording::end(FATAL_STATUS);
                exit_now(FATAL_STATUS)
            }
            // Another thread of this process ends it, with a status of its own.
            Ok(Told::Over) | Err(()) if is_asked() => std::thread::park(),
            Ok(Told::Over) | Err(()) => break,
            Ok(_) => {}
        }
    }
    if status != 0 {
        wait_for_node_0();
    }
    status
}

/// Waits until the process of node 0 has ended, where this node sees it, and otherwise as long as that may take.
fn wait_for_node_0() {
    let begin = Instant::now();
    while begin.elapsed() < AFTER_NODE_0 && !NODE_0.get().is_some_and(mates::has_ended) {
        std::thread::sleep(Duration::from_millis(1));
    }
}
