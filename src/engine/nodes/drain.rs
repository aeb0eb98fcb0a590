//! The end of a run on all nodes. When node 0 ends its run, EDTs may be running on other nodes that wait for blocks or
//! answers of any node. They are served until they have ended, as on one node. So no node closes before all have told
//! that.
//!
//! ```text
//! node 0:  shutdown - Ending to all - its EDTs end ---- all Ended - Stop to all ...
//! others:  .................. Ending - their EDTs end - Ended ............. Stop
//! ```
//!
//! An EDT that waits in a call for what never comes would keep all waiting. Node 0 goes on to ask whether anything can
//! still happen ([`super::wave`]). A node whose run ends rests when none of its EDTs runs but such that wait. If
//! all do, and no message is on its way, `NothingComes` has these waits end without an answer.

use crate::engine::nodes::work::NodeWork;
use crate::engine::nodes::{ending, outbox};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// On node 0: how many other nodes were asked to end their runs, and how many of these have not. The additions of
/// [`end_elsewhere`] come before the messages, and pair with the loads.
static ASKED_TO_END: AtomicU32 = AtomicU32::new(0);
static NOT_ENDED: AtomicU32 = AtomicU32::new(0);

/// On node 0: the run ends. Has the other nodes end theirs, too: there, EDTs that run may wait for this node. Where no
/// message was sent, nothing runs there.
pub(crate) fn end_elsewhere() {
    if let Some((0, nodes)) = outbox::place()
        && outbox::counts().0 != 0
    {
        NOT_ENDED.fetch_add(nodes - 1, Ordering::SeqCst);
        ASKED_TO_END.fetch_add(nodes - 1, Ordering::SeqCst);
        others().for_each(|node| outbox::post(node, NodeWork::Ending));
    }
}

/// On node 0: the other nodes, if they were asked to end their runs. None on these.
pub(crate) fn others() -> Range<u32> {
    1..ASKED_TO_END.load(Ordering::SeqCst) + 1
}

/// On node 0: all EDTs that another node ran have ended.
pub(super) fn note_ended() {
    NOT_ENDED.fetch_sub(1, Ordering::SeqCst);
}

/// On node 0: whether other nodes are waited for that were asked to end their runs.
pub(super) fn waits_for_others() -> bool {
    NOT_ENDED.load(Ordering::SeqCst) != 0
}

/// On node 0: waits until all EDTs that ran on other nodes have ended, or the process ends otherwise.
pub(crate) fn wait_for_others() {
    while waits_for_others() && !ending::is_over() && !ending::is_asked() {
        std::thread::sleep(Duration::from_micros(200));
    }
}
