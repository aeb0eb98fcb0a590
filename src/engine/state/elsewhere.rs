//! What this node knows of blocks that go from one node to another.

use crate::object::data_block::DataBlock;
use crate::object::edt::EdtRef;
use crate::object::guid::Guid;
use ocr_base::lock::{Mutex, rank};
use std::collections::HashMap;

/// A block of this node that another one has.
pub(crate) struct LentBlock {
    /// The EDT of the runtime's that holds it meanwhile.
    pub(crate) edt: EdtRef,
    pub(crate) to: u32,
    /// Whether it was asked back.
    pub(crate) is_recalled: bool,
}

/// A copy whose content is arriving.
pub(crate) struct ArrivingBlock {
    pub(crate) block: &'static DataBlock,
    /// Whether its owner has asked it back meanwhile.
    pub(crate) is_recalled: bool,
}

#[derive(Default)]
pub(crate) struct BlocksElsewhere {
    /// Blocks of this node that others have.
    pub(crate) lent: HashMap<Guid, LentBlock>,
    /// EDTs of this node that need blocks of others, which were asked for.
    pub(crate) wanted: HashMap<Guid, Vec<EdtRef>>,
    /// Copies whose content is arriving.
    pub(crate) arriving: HashMap<Guid, ArrivingBlock>,
    /// The templates here that are copies of other nodes' templates, by the GUIDs of those.
    pub(crate) templates: HashMap<Guid, Guid>,
    /// The content of copies that go back when no device of this node knows them any more.
    pub(crate) returning: HashMap<Guid, Vec<u8>>,
}

// SAFETY: the EDTs of `lent` and `wanted` belong to this table until they are taken out of it, and the copies that are
// arriving to the thread of the link alone.
unsafe impl Send for BlocksElsewhere {}

/// [`BlocksElsewhere`] of a run.
pub(crate) type Elsewhere = Mutex<rank::BlocksElsewhere, BlocksElsewhere>;
