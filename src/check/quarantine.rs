//! The memory of destroyed blocks, kept for a while to find uses of a pointer that outlived its block.
//!
//! Memory that has pages of its own is closed: a thread that reads or writes it crashes there, and the report names the
//! block; a system call that is given it fails (EFAULT), which is not reported. Other memory is filled with a
//! pattern, and a write is found later: a block that goes while the EDT that destroyed it still runs is looked at when
//! that EDT ends; each is looked at when it leaves here for another, and at the end of the program.

use super::history::{Ending, Who};
use super::{Check, Misuse, rules};
use crate::object::data_block::{Memory, PAGE};
use crate::object::guid::Guid;
use ocr_base::lock::{Mutex, rank};
use std::collections::{HashMap, VecDeque};

/// How much memory is kept, with all that goes with a block; a block larger than a quarter of it is not.
const BYTES_KEPT: usize = if cfg!(miri) { 16 << 10 } else { 64 << 20 };
/// What closed memory counts as at least: the system's books, and the share that it may have of the mappings.
const CLOSED_BYTES: usize = 3 * PAGE;
/// One in this many of its bytes counts, too, since a process may have a limit of addresses.
const CLOSED_PER_BYTE: usize = 16;
/// What it is filled with.
pub(crate) const BLOCK_QUARANTINE_BYTE: u8 = 0xdb;

struct Quarantined {
    block: Guid,
    memory: Memory,
    /// No thread can touch the memory.
    closed: bool,
}

#[derive(Default)]
struct QuarantineState {
    /// Blocks whose destroyer still runs, by destroyer.
    fresh: HashMap<Guid, Vec<Quarantined>>,
    old: VecDeque<Quarantined>,
    bytes: usize,
}

/// The memory of destroyed blocks.
#[derive(Default)]
pub(super) struct Quarantine(Mutex<rank::QuarantinedBlocks, QuarantineState>);

impl Quarantined {
    fn bytes(&self) -> usize {
        let memory =
            if self.closed { CLOSED_BYTES + self.memory.taken() / CLOSED_PER_BYTE } else { self.memory.taken() };
        memory + size_of::<Quarantined>()
    }

    fn disturbed(&self) -> bool {
        if self.closed {
            return false;
        }
        let Memory { start, len, .. } = self.memory;
        // SAFETY: the memory is this room's now. Volatile, since a program that misuses the block
        // may write to it now.
        (0..len).any(|at| unsafe { start.wrapping_add(at).read_volatile() } != BLOCK_QUARANTINE_BYTE)
    }
}

impl QuarantineState {
    /// Takes in a block; its destroyer, if that still runs.
    fn add(&mut self, quarantined: Quarantined, destroyer: Option<Guid>) {
        self.bytes += quarantined.bytes();
        match destroyer {
            Some(edt) => self.fresh.entry(edt).or_default().push(quarantined),
            None => self.old.push_back(quarantined),
        }
    }

    /// The oldest, if there is too much.
    fn surplus(&mut self) -> Option<Quarantined> {
        if self.bytes <= BYTES_KEPT {
            return None;
        }
        let oldest = self.old.pop_front()?;
        self.bytes -= oldest.bytes();
        Some(oldest)
    }
}

impl Check {
    /// Takes in the memory of a block that is not used any more; `who` is the EDT or thread that runs now.
    pub(crate) fn quarantine(&self, block: Guid, memory: Memory, who: Who) -> Result<(), Box<Misuse>> {
        let closed = memory.close();
        let quarantined = Quarantined { block, memory, closed };
        if quarantined.bytes() > BYTES_KEPT / 4 {
            return Ok(());
        }
        let Memory { start, len, .. } = quarantined.memory;
        let open = if closed { 0 } else { len };
        for at in 0..open {
            // SAFETY: the block is gone, so the memory of `len` bytes belongs to the quarantine, and `at` is less than
            // `len`. It is not closed.
            unsafe { start.wrapping_add(at).write_volatile(BLOCK_QUARANTINE_BYTE) };
        }
        let destroyer = match self.history.get(block).and_then(|record| record.end) {
            Some(Ending::Destroyed(act)) => act.who.edt,
            _ => Guid::NULL,
        };
        let mut state = self.quarantine.0.lock();
        let fresh = !closed && destroyer == who.edt && !destroyer.is_null();
        state.add(quarantined, fresh.then_some(destroyer));
        while let Some(oldest) = state.surplus() {
            if oldest.disturbed() {
                return Err(self.wrote_after_end(&oldest, who));
            }
        }
        Ok(())
    }

    /// An EDT ends: what it destroyed must be as it left it.
    pub(crate) fn verify_quarantine(&self, who: Who) -> Result<(), Box<Misuse>> {
        let mut state = self.quarantine.0.lock();
        let fresh = state.fresh.remove(&who.edt).unwrap_or_default();
        if let Some(quarantined) = fresh.iter().find(|quarantined| quarantined.disturbed()) {
            return Err(self.wrote_after_end(quarantined, who));
        }
        state.old.extend(fresh);
        Ok(())
    }

    /// The destroyed block that has had its memory at this address, how far behind its start that is, and its size.
    /// For the handler of a crash: it waits for no lock.
    pub(crate) fn quarantined_at(&self, address: usize) -> Option<(Guid, usize, usize)> {
        let state = self.quarantine.0.try_lock()?;
        let mut all = state.old.iter().chain(state.fresh.values().flatten());
        all.find_map(|quarantined| {
            let Memory { start, len, .. } = quarantined.memory;
            let at = address.checked_sub(start.addr()).filter(|at| *at < len)?;
            Some((quarantined.block, at, len))
        })
    }

    /// Looks at all that is kept, at the end of the program.
    pub(crate) fn verify_quarantine_at_end(&self) -> Result<(), Box<Misuse>> {
        let state = self.quarantine.0.lock();
        match state.old.iter().find(|quarantined| quarantined.disturbed()) {
            Some(quarantined) => Err(self.wrote_after_end(quarantined, Who::NOBODY)),
            None => Ok(()),
        }
    }

    fn wrote_after_end(&self, quarantined: &Quarantined, who: Who) -> Box<Misuse> {
        let seen = match who.work {
            Some(_) => format!("seen in or after {who}"),
            None => "seen at the end of the program".to_string(),
        };
        self.by_edt(who, seen, &[quarantined.block], rules::WrittenDestroyed)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::object::arena::Cache;
    use crate::object::data_block::{BlockState, DataBlocks};
    use crate::object::zone::Zone;

    #[test]
    fn blocks_of_no_bytes_do_not_gather() {
        let mut state = QuarantineState::default();
        let blocks = DataBlocks::new(Zone::default(), true);
        let mut cache = Cache::default();
        for _ in 0..BYTES_KEPT / 256 {
            let block = blocks.allocate(&mut cache, 0, true).expect("memory");
            block.header.publish(block.header.peek().with_state(BlockState::Live));
            let memory = block.take_memory().expect("it has some");
            let block = block.guid();
            let closed = memory.close();
            let quarantined = Quarantined { block, memory, closed };
            state.add(quarantined, None);
            state.surplus();
        }
        assert!(state.old.len() < BYTES_KEPT / 256);
    }
}
