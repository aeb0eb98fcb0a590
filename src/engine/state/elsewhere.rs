//! What this node knows of blocks that go from one node to another, and of other nodes' templates, labels, scopes and
//! events.

use crate::engine::state::fan::{AwaitedEvents, Fans};
use crate::object::data_block::DataBlock;
use crate::object::edt::EdtRef;
use crate::object::guid::Guid;
use crate::object::range::{LabelBounds, Map};
use crate::object::scope::Scope;
use ocr_base::lock::{Mutex, rank};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// A block of this node that another one has.
pub(crate) struct LentBlock {
    /// The EDT of the runtime's that holds it meanwhile. None if it was lent at its creation, or went along with what
    /// starts an EDT (`life/along.rs`).
    pub(crate) edt: Option<EdtRef>,
    pub(crate) to: u32,
    /// Whether that node reads it only: others may have it, too.
    pub(crate) reads: bool,
    /// Whether it was asked back, or is not to be yet: its content has not been put where messages wait to be sent.
    pub(crate) is_recalled: bool,
}

/// A copy whose content is arriving.
pub(crate) struct ArrivingBlock {
    pub(crate) block: &'static DataBlock,
    /// Whether it is here to be read.
    pub(crate) reads: bool,
    /// Whether its owner has asked it back meanwhile.
    pub(crate) is_recalled: bool,
}

/// The labels of another node's range or map, and the function of a map.
pub(crate) type RangeCopy = (LabelBounds, Option<Arc<Map>>);

/// A block of another node that EDTs of this one need.
#[derive(Default)]
pub(crate) struct WantedBlock {
    pub(crate) edts: Vec<EdtRef>,
    /// Whether one of them writes it.
    pub(crate) writes: bool,
    /// Whether its owner was asked.
    pub(crate) is_asked: bool,
    /// Whether the owner was asked for it to write it.
    pub(crate) is_asked_to_write: bool,
}

/// A finish scope of another node's, and its address there.
pub(crate) type ScopeElsewhere = (u32, u64);

/// A finish scope here, for what EDTs of another node's scope lead to.
pub(crate) struct GuestScope {
    pub(crate) of: ScopeElsewhere,
    /// How many EDTs that node has counted into its scope for this one.
    pub(crate) edts: u64,
}

/// Kernels by the node that has sent them, or gets them, and what the sender calls them.
pub(crate) type KernelsName = (u32, u64);

/// The text of kernels, of which parts may be missing.
#[derive(Default)]
pub(crate) struct ArrivingText {
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_whole: bool,
}

/// What nodes have told each other of templates with kernels.
#[derive(Default)]
pub(crate) struct KernelsElsewhere {
    /// What this node has sent.
    pub(crate) sent: HashSet<KernelsName>,
    /// What other nodes have built of that, and whether a device of theirs has one of the kernels.
    pub(crate) ready: HashMap<KernelsName, bool>,
    /// What has come from other nodes and is not built.
    pub(crate) arriving: HashMap<KernelsName, ArrivingText>,
    /// Templates here with what other nodes have sent, built.
    pub(crate) kept: HashMap<KernelsName, Guid>,
    /// Templates of this node, and the nodes that may have copies of them.
    pub(crate) described: HashMap<Guid, HashSet<u32>>,
    /// How often other nodes have told that a template has changed.
    pub(crate) changes: u64,
}

#[derive(Default)]
pub(crate) struct BlocksElsewhere {
    /// Blocks of this node that others have: several to read one, or one to write it.
    pub(crate) lent: HashMap<Guid, Vec<LentBlock>>,
    /// Blocks of others that EDTs of this node need. Their owners were asked, but for those that are `leaving`.
    pub(crate) wanted: HashMap<Guid, WantedBlock>,
    /// Copies that go back when no device of this node knows them any more, and no EDT reads them, and how many of a
    /// block: while the owner is told that one has gone, another may have come with an EDT, and be asked back.
    pub(crate) leaving: HashMap<Guid, u32>,
    /// Copies whose content is arriving.
    pub(crate) arriving: HashMap<Guid, ArrivingBlock>,
    /// The templates here that are copies of other nodes' templates, by the GUIDs of those.
    pub(crate) templates: HashMap<Guid, Guid>,
    /// Templates with kernels.
    pub(crate) kernels: KernelsElsewhere,
    /// The ranges of labels, and the maps, of other nodes that this one has used.
    pub(crate) ranges: HashMap<Guid, RangeCopy>,
    /// The scopes here that are for scopes of other nodes, by their slots. Each is taken out before its slot is freed.
    pub(crate) guests: HashMap<u32, GuestScope>,
    /// Which of these the next EDT of another node's scope comes into, unless it is closing.
    pub(crate) guest_for: HashMap<ScopeElsewhere, &'static Scope>,
    /// What waits on other nodes for events of this one.
    pub(crate) fans: Fans,
    /// Events of other nodes that EDTs of this one wait for.
    pub(crate) awaited: AwaitedEvents,
}

// SAFETY: the EDTs of `lent` and `wanted` belong to this table until they are taken out of it, and the copies that are
// arriving to the thread of the link alone.
unsafe impl Send for BlocksElsewhere {}

/// [`BlocksElsewhere`] of a run.
pub(crate) type Elsewhere = Mutex<rank::BlocksElsewhere, BlocksElsewhere>;
