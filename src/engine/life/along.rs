//! Small blocks that go to another node with what starts an EDT there which reads them: neither a question nor an
//! answer is needed then.
//!
//! | what starts the EDT | its block goes along if |
//! |---|---|
//! | its creation, with all its dependences (`nodes/outbox.rs`) | the EDT waits for no event |
//! | what an event of this node was satisfied with | all that is known to wait for that there reads it |
//!
//! Such a copy is one that the owner has lent like any other ([`crate::protocol`]): it is in the table of loans, the
//! block is held in CONST mode for it, it serves all EDTs there, and it is asked back. So each step of that protocol is
//! right for it, and what the EDT sees is what a question at this moment would have brought. What is different is when
//! it comes:
//!
//! - *It is the last content.* The block is held before the content is read, as an EDT that reads it would be let in at
//!   once. Who writes it comes before, or waits until the copy is back.
//! - *The node has no other copy.* Under the lock of the table, a node gets a loan if it has none. Its last one has
//!   ended when its Left was handled, and so its copy was gone before.
//! - *A Want may cross it.* The loan that answers the Want finds that the node has one, and ends. The copy has been put
//!   before anything else that follows from that loan, and those that wait there acquire it.
//! - *It is of use.* An EDT that waits for more than blocks may run much later, and its blocks be written before: then
//!   the copy would be in the way of who writes. So such an EDT asks when it becomes runnable.
//!
//! A block does not go along that is divided, a part, a chunk, written once, private, kept after that, or on a device,
//! nor in strict mode, where blocks have marks: its node asks for it.

use crate::engine::life::away::send_small;
use crate::engine::life::stand_in::content_of;
use crate::engine::state::context::Context;
use crate::memory;
use crate::object::guid::Guid;
use crate::protocol::owner::Lent;

/// The most bytes of a block that goes along: so much is copied sooner than a question is answered.
pub(crate) const LARGEST_ALONG: u64 = 16 << 10;

impl Context {
    /// Lends a block of this node to another one that reads it, if it has `room` bytes at most, can be had at once, and
    /// is not there. `put` puts the content where it goes along. If that has been sent and it answers false, the
    /// content goes by itself: a Want may have found that it goes.
    pub(crate) fn lend_along(&mut self, to: u32, guid: Guid, room: usize, put: impl FnOnce(&[u8]) -> bool) {
        let blocks = &self.runtime.objects.data_blocks;
        if !guid.is_data_block() || blocks.is_foreign(guid) {
            return;
        }
        let Some((block, locked)) = blocks.lock(guid) else { return };
        if block.size() > LARGEST_ALONG.min(room as u64) || !memory::hold_to_read(block, &locked) {
            return;
        }
        drop(locked);
        if self.begin_loan(guid, None, to, true) == Lent::HasOne {
            return self.end_hold_to_read(block);
        }
        let content = content_of(block);
        if !put(content) {
            send_small(to, (guid, true), content);
        }
        self.is_lent(block, to);
    }
}
