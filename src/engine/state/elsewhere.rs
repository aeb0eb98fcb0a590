//! What this node knows of blocks that go from one node to another, and of other nodes' templates, labels, scopes and
//! events.

use crate::engine::state::fan::{AwaitedEvents, Fans};
use crate::object::data_block::DataBlock;
use crate::object::edt::EdtRef;
use crate::object::guid::Guid;
use crate::object::range::{LabelBounds, Map};
use crate::object::scope::Scope;
use crate::protocol::borrower::Borrowed;
use crate::protocol::owner::{Loan, Loans};
use ocr_base::lock::{Mutex, rank};
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The copies of a block of this node on others, and the EDTs of the runtime's that hold the block for them. None holds
/// it for one that was lent at its creation, or went along with what starts an EDT (`life/along.rs`).
pub(crate) type LentBlock = Loans<EdtRef>;

/// A block of another node: the EDTs of this one that wait for it, and a copy whose content is arriving.
pub(crate) type BorrowedBlock = Borrowed<EdtRef, &'static DataBlock>;

/// The labels of another node's range or map, and the function of a map.
pub(crate) type RangeCopy = (LabelBounds, Option<Arc<Map>>);

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
    /// Blocks of this node that others have.
    pub(crate) lent: HashMap<Guid, LentBlock>,
    /// Blocks of others that are here, are wanted here, or are on their way from one to the other.
    pub(crate) borrowed: HashMap<Guid, BorrowedBlock>,
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

impl BlocksElsewhere {
    /// Changes what is known of a block of another node. Nothing is kept of one that is away and not wanted.
    pub(crate) fn change_borrowed<R>(&mut self, block: Guid, change: impl FnOnce(&mut BorrowedBlock) -> R) -> R {
        match self.borrowed.entry(block) {
            Entry::Occupied(mut known) => {
                let changed = change(known.get_mut());
                if known.get().is_at_rest() {
                    known.remove();
                }
                changed
            }
            Entry::Vacant(unknown) => {
                let mut borrowed = BorrowedBlock::default();
                let changed = change(&mut borrowed);
                if !borrowed.is_at_rest() {
                    unknown.insert(borrowed);
                }
                changed
            }
        }
    }

    /// Ends a loan of a block of this node.
    pub(crate) fn end_loan(
        &mut self,
        block: Guid,
        end: impl FnOnce(&mut LentBlock) -> Option<Loan<EdtRef>>,
    ) -> Option<Loan<EdtRef>> {
        let Entry::Occupied(mut lent) = self.lent.entry(block) else { return None };
        let ended = end(lent.get_mut());
        if lent.get().is_here() {
            lent.remove();
        }
        ended
    }
}

// SAFETY: the EDTs of `lent` and `borrowed` belong to this table until they are taken out of it, and the copies that
// are arriving to the thread of the link alone.
unsafe impl Send for BlocksElsewhere {}

/// [`BlocksElsewhere`] of a run.
pub(crate) type Elsewhere = Mutex<rank::BlocksElsewhere, BlocksElsewhere>;
