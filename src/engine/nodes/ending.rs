//! How far the link is, and how the end of this process becomes that of all nodes. The head of `mod.rs` has the steps.

use crate::engine::state::fork::OwnFlag;
use crate::link::bell;
pub(crate) use crate::object::zone::MOST_NODES;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Whether this process has joined. One that it has forked has not. [`NODE`], [`NODES`], [`THREAD`] and [`PHASE`] are
/// written before it, and it is set before any thread of the run is started.
pub(super) static HAS_JOINED: OwnFlag = OwnFlag::new();

/// The number of this node. Relaxed, and so is [`NODES`]: both are written before [`HAS_JOINED`].
pub(super) static NODE: AtomicU32 = AtomicU32::new(0);

/// How many nodes there are.
pub(super) static NODES: AtomicU32 = AtomicU32::new(1);

/// The thread of the link, by the system's number.
pub(super) static THREAD: AtomicI32 = AtomicI32::new(0);

/// How far the link is. The stores of the thread of the link pair with the loads in `wait_until_over`.
pub(super) static PHASE: AtomicU8 = AtomicU8::new(WORKING);
pub(super) const WORKING: u8 = 0;
/// All nodes are asked to end.
pub(super) const STOPPING: u8 = 1;
/// Nothing is expected of the link any more.
pub(super) const OVER: u8 = 2;

/// The status with which all nodes are to end; [`NO_STATUS`]: nobody has asked for the end. The first who asks is
/// heard. On other nodes than 0, with which this one ends by itself. The exchange in [`ask`] pairs with the load in
/// `serve` of `thread.rs`.
pub(super) static ASKED: AtomicI32 = AtomicI32::new(NO_STATUS);
pub(super) const NO_STATUS: i32 = i32::MIN;

/// Whether the process crashes, so that the link cannot be ended in an orderly way. Written before [`ASKED`].
pub(super) static CRASHES: AtomicBool = AtomicBool::new(false);

/// The status with which a node was lost while all others ended; 0: none was. The thread of the link writes it before
/// [`PHASE`] says that all is over, and [`end`] reads it after that.
pub(super) static LOST_AT_END: AtomicI32 = AtomicI32::new(0);

/// Whether MPI is being ended, which may take as long as the other nodes take for it.
pub(super) static IS_ENDING_MPI: AtomicBool = AtomicBool::new(false);

/// The status where the nodes cannot be one program: as for wrong settings.
pub(super) const REFUSED_STATUS: i32 = 2;

/// How long the end of MPI may take before the process ends without it.
pub(super) const PATIENCE_AT_END: Duration = Duration::from_secs(30);

/// How long a process that crashes waits until the others have been told.
pub(super) const FOR_CRASH: Duration = Duration::from_secs(1);

/// How long a process that exits waits until MPI is ended on all nodes.
const FOR_EXIT: Duration = Duration::from_secs(3);

/// Whether this process is a node of several. For handlers of signals, too.
pub(crate) fn is_here() -> bool {
    HAS_JOINED.is_of_this_process()
}

/// Whether somebody has asked for the end of all nodes.
pub(super) fn is_asked() -> bool {
    ASKED.load(Ordering::SeqCst) != NO_STATUS
}

/// Whether nothing is expected of the link any more.
pub(super) fn is_over() -> bool {
    PHASE.load(Ordering::SeqCst) == OVER
}

/// The number of this node, and how many there are; none where the process is alone.
pub(crate) fn place() -> Option<(u32, u32)> {
    HAS_JOINED.is_set().then(|| (NODE.load(Ordering::Relaxed), NODES.load(Ordering::Relaxed)))
}

/// Whether this is the process of a node, and another thread than that of the link.
fn is_elsewhere_than_link() -> bool {
    // SAFETY: `gettid` has no preconditions.
    let this = unsafe { libc::gettid() };
    is_here() && THREAD.load(Ordering::SeqCst) != this
}

/// Asks for the end of all nodes with this status, unless somebody has done so.
pub(super) fn ask(status: i32) {
    let _ = ASKED.compare_exchange(NO_STATUS, status, Ordering::SeqCst, Ordering::SeqCst);
    bell::wake();
}

/// Waits until nothing is expected of the link any more. For handlers of signals, too.
fn wait_until_over(is_enough: impl Fn(Duration) -> bool) -> bool {
    let begin = Instant::now();
    while PHASE.load(Ordering::SeqCst) != OVER {
        if is_enough(begin.elapsed()) {
            return false;
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    true
}

/// Ends all nodes with this status, and the link, if this is the process of node 0. Another one tells node 0, which
/// ends all. Returns the status with which this process is to end, as it must now.
pub(crate) fn end(status: i32) -> i32 {
    if !is_elsewhere_than_link() {
        return status;
    }
    ask(status);
    if NODE.load(Ordering::Relaxed) != 0 {
        wait_until_over(|time| time > FOR_EXIT);
        return status;
    }
    // A node that is stopped is waited for as long as nobody has failed.
    let is_enough = |time| time > PATIENCE_AT_END && (status != 0 || IS_ENDING_MPI.load(Ordering::SeqCst));
    if !wait_until_over(is_enough) {
        warning!("MPI has not ended within {} seconds: this process ends without it.", PATIENCE_AT_END.as_secs());
    }
    if status == 0 { LOST_AT_END.load(Ordering::SeqCst) } else { status }
}

/// Has the other nodes told that this process crashes by a signal. For the handler of that signal.
pub(crate) fn crashed(signal: libc::c_int) {
    /// What shells add to the number of a signal that has ended a program.
    const BY_SIGNAL: i32 = 128;
    if is_elsewhere_than_link() {
        CRASHES.store(true, Ordering::SeqCst);
        ask(BY_SIGNAL + signal);
        wait_until_over(|time| time > FOR_CRASH);
    }
}
