//! Labels, ranges and maps of other nodes (OCR 1.1.0, B.2).
//!
//! The node that reserves labels has the objects on them. A call that creates one on another node's label is made
//! there. A block that its creator acquires is the creator's from its first moment on, as on one node: it begins as one
//! that is lent. A node that uses another one's range or map asks for it once, and keeps what it is answered.

use crate::engine::life::create_request::LabelRequest;
use crate::engine::nodes::functions;
use crate::engine::nodes::new_edt::NewEdt;
use crate::engine::nodes::work::RangeText;
use crate::engine::state::context::Context;
use crate::engine::state::elsewhere::RangeCopy;
use crate::engine::state::fatal::fatal;
use crate::link::LONGEST_MESSAGE;
use crate::memory::divided;
use crate::object::arena::CreateOnLabelError;
use crate::object::guid::Guid;
use crate::object::range::{LabelBounds, Map, MapFunction};
use std::cell::Cell;
use std::sync::Arc;

/// The most numbers of a map that other nodes use.
const MOST_PARAMS: usize = LONGEST_MESSAGE / 16;

impl NewEdt {
    /// The GUID that the EDT is to have, where it gets none from the node that creates it.
    pub(super) fn label(&self) -> Option<LabelRequest> {
        let is_made = !self.guid.is_label();
        let request = LabelRequest { guid: self.guid, alone: is_made || self.alone, is_made };
        (!self.guid.is_null()).then_some(request)
    }
}

impl Context {
    /// At the owner: the text of a range or map. None if there is no such range. A map that other nodes cannot use ends
    /// the program.
    pub(crate) fn describe_range(&self, range: Guid) -> Option<RangeText> {
        let ranges = &self.runtime.objects.ranges;
        let LabelBounds { first, len, mapped } = ranges.bounds(range)?;
        if mapped {
            let (_, map) = ranges.map(range)?;
            let why = if map.params.len() > MOST_PARAMS {
                format!("it has {} numbers, and {MOST_PARAMS} go with a message", map.params.len())
            } else if let Some(function) = functions::home_of_address(map.function as *const () as usize) {
                let params = map.params.iter().map(Cell::get).collect();
                return Some(RangeText { first, len, map: Some((function, params)) });
            } else {
                "its function is in no file that the other node has".to_string()
            };
            fatal(&format!(
                "another node uses the map {range} (ocrGuidFromLabel), and cannot: {why}. Call ocrGuidFromLabel on the node \
                 that has created the map, or run the program on one node."
            ));
        }
        Some(RangeText { first, len, map: None })
    }

    /// What this node knows of a range or map of another one.
    pub(crate) fn known_range(&self, range: Guid) -> Option<RangeCopy> {
        self.runtime.elsewhere.lock().ranges.get(&range).cloned()
    }

    /// Keeps what another node has answered of a range or map. None if the function of a map is not in this process.
    pub(crate) fn keep_range(&self, range: Guid, text: RangeText) -> Option<RangeCopy> {
        let bounds = LabelBounds { first: text.first, len: text.len, mapped: text.map.is_some() };
        let map = match text.map {
            None => None,
            Some((home, params)) => {
                let at = functions::find_address(&home)?;
                // SAFETY: the other node has found a map's function at this distance in a file with the same build ID,
                // which is loaded here. So the address is that of a function of this type.
                let function = unsafe { std::mem::transmute::<usize, MapFunction>(at) };
                Some(Arc::new(Map { function, params: params.into_iter().map(Cell::new).collect() }))
            }
        };
        self.runtime.elsewhere.lock().ranges.insert(range, (bounds, map.clone()));
        Some((bounds, map))
    }

    /// A range or map of another node is destroyed.
    pub(crate) fn forget_range(&self, range: Guid) {
        self.runtime.elsewhere.lock().ranges.remove(&range);
    }

    /// At the owner: creates a block on a label for another node. One that the node is to have, since it is `lent`, is
    /// closed until that ([`Context::lend_created`]).
    pub(crate) fn create_block_for(&mut self, label: Guid, size: u64, lent: bool) -> Result<(), CreateOnLabelError> {
        if !lent {
            return self.create_block_on(label, size, false).map(|_| ());
        }
        let block = self.runtime.objects.data_blocks.allocate_on(label, size, true)?;
        divided::publish_closed(block);
        Ok(())
    }

    /// At the owner: another node has been told that it has the block that was created for it.
    pub(crate) fn lend_created(&mut self, label: Guid, to: u32) {
        let block = self.runtime.objects.data_blocks.pinned(label);
        // No other node has a block that is new.
        let _ = self.begin_loan(label, None, to, false);
        self.is_lent(block, to);
    }

    /// At the owner: the size of a block, or of a contribution to a collective event, in bytes.
    pub(crate) fn size_of(&self, guid: Guid) -> Option<u64> {
        if guid.is_data_block() {
            return self.block_size(guid);
        }
        self.runtime.objects.events.collective(guid).map(|inside| inside.params.bytes() as u64)
    }
}
