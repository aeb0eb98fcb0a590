//! The table of device buffers: which block has one, and which was used least recently.
//!
//! Only bookkeeping: what is copied and when is decided in `launch.rs` and `fetch.rs`. An entry is
//! named by its place in the table ([`Id`]), stable until the entry is removed. Entries are linked
//! in the order of their last use, so that finding a victim is a walk from the front past those in
//! use, which are few.
//!
//! # Spare buffers
//!
//! A buffer of the device's own memory that its block does not need any more is kept, and given to the next block of
//! its size. NVIDIA's driver waits in `clReleaseMemObject` until all commands of the device have ended, which takes 250
//! us beside kernels. Meanwhile it holds a lock without which its threads cannot begin commands that wait for those of
//! other queues. So the driver and the commands may wait for each other indefinitely. Therefore a buffer is released
//! only while nothing is enqueued on its device ([`Buffers::release_spares`]).

use crate::device::opencl::fault::FailureMark;
use crate::device::opencl::lane::{LaneNeeds, Ticket};
use crate::device::opencl::raw::Mem;
use crate::object::data_block::DataBlock;
use rustc_hash::FxHashMap;
use std::ffi::c_void;
use std::{mem, ptr};

pub(crate) type Id = u32;
const NIL: Id = Id::MAX;

/// One block's buffer on this device.
pub(crate) struct BufferEntry {
    pub(crate) block: &'static DataBlock,
    pub(crate) bytes: u64,
    /// `None` only while a launch is being put together.
    pub(crate) mem: Option<Mem>,
    /// Unfinished commands that use the buffer, and launches being put together with it. While this
    /// is not 0 the buffer stays. When it is 0, no command that uses it is pending.
    pub(crate) pins: u32,
    /// The last command that changes the buffer: a kernel that may write it, or a copy in.
    pub(crate) last_write: Option<Ticket>,
    /// The last commands that use it in any way.
    pub(crate) uses: LaneNeeds,
    /// Kernels enqueued that may write it: what a fetch brings is current if this did not change.
    pub(crate) writes: u64,
    /// The last fetch of it that was enqueued, and `writes` at that time.
    pub(crate) fetch: Option<(Ticket, u64)>,
    /// The last fetch of it was enqueued before anybody had asked, and neither the host nor a kernel was seen to use it
    /// since.
    pub(crate) ahead: bool,
    /// Where the host has it mapped; null if it has not.
    pub(crate) mapped: *mut c_void,
    /// The buffer was made for the launch being put together, from the host memory as it is.
    pub(crate) fresh: bool,
    /// Zeros were enqueued for the buffer, and no kernel since that writes it.
    pub(crate) zeroed: bool,
    /// The launch being put together writes it.
    pub(crate) written: bool,
    /// The last launch that met this entry, to tell the slots of one block together.
    pub(crate) met: u64,
    /// Copies of it to the host's memory that were enqueued.
    pub(crate) fetches: u32,
    /// How many of them have failed, one after the other.
    pub(crate) failed_fetches: u32,
    /// A kernel that may write it is not settled (`settle.rs`).
    pub(crate) is_unsettled: bool,
    /// Its block has another content: a kernel that may run still writes here what does not count (`outrun.rs`). The
    /// block may be gone.
    pub(crate) is_lost: bool,
    /// A command that uses it has failed, and the device has not run dry since.
    pub(crate) failed: Option<FailureMark>,
    /// The buffer will be forgotten as soon as nothing uses it.
    pub(crate) forgotten: bool,
    older: Id,
    newer: Id,
}

#[derive(Default)]
pub(crate) struct Buffers {
    entries: Vec<Option<BufferEntry>>,
    free: Vec<Id>,
    by_block: FxHashMap<usize, Id>,
    oldest: Option<Id>,
    newest: Option<Id>,
    /// Bytes of the buffers that blocks have.
    pub(crate) bytes: u64,
    /// Buffers that no block has, by their bytes.
    spares: FxHashMap<u64, Vec<Mem>>,
    /// The bytes of all spare buffers together.
    pub(crate) spare_bytes: u64,
}

fn address(block: &'static DataBlock) -> usize {
    ptr::from_ref(block) as usize
}

fn link(id: Option<Id>) -> Id {
    id.unwrap_or(NIL)
}

fn unlink(id: Id) -> Option<Id> {
    (id != NIL).then_some(id)
}

impl Buffers {
    pub(crate) fn find(&self, block: &'static DataBlock) -> Option<Id> {
        self.by_block.get(&address(block)).copied()
    }

    /// The block's entry, a new one without a buffer if there is none.
    pub(crate) fn find_or_add(&mut self, block: &'static DataBlock) -> Id {
        if let Some(id) = self.find(block) {
            return id;
        }
        let entry = BufferEntry {
            block,
            bytes: block.size(),
            mem: None,
            pins: 0,
            last_write: None,
            uses: LaneNeeds::default(),
            writes: 0,
            fetch: None,
            ahead: false,
            mapped: ptr::null_mut(),
            fresh: false,
            zeroed: false,
            written: false,
            met: 0,
            fetches: 0,
            failed_fetches: 0,
            is_unsettled: false,
            is_lost: false,
            failed: None,
            forgotten: false,
            older: NIL,
            newer: NIL,
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.entries[id as usize] = Some(entry);
                id
            }
            None => {
                self.entries.push(Some(entry));
                (self.entries.len() - 1) as Id
            }
        };
        self.by_block.insert(address(block), id);
        self.push_newest(id);
        id
    }

    /// The entry with this name.
    pub(crate) fn get(&mut self, id: Id) -> &mut BufferEntry {
        match &mut self.entries[id as usize] {
            Some(entry) => entry,
            None => unreachable!("a buffer is named only while it is pinned or being handled"),
        }
    }

    /// The entry, if it is there still.
    pub(crate) fn try_get(&mut self, id: Id) -> Option<&mut BufferEntry> {
        self.entries[id as usize].as_mut()
    }

    /// Gives the entry its buffer.
    pub(crate) fn provide(&mut self, id: Id, mem: Mem) {
        let entry = self.get(id);
        entry.mem = Some(mem);
        entry.fresh = true;
        entry.zeroed = false;
        let bytes = entry.bytes;
        self.bytes += bytes;
    }

    /// Makes the entry the most recently used one.
    pub(crate) fn touch(&mut self, id: Id) {
        if self.newest != Some(id) {
            self.detach(id);
            self.push_newest(id);
        }
    }

    /// Takes the entry out of the table; dropping it releases the buffer.
    pub(crate) fn remove(&mut self, id: Id) -> Option<BufferEntry> {
        self.detach(id);
        let entry = self.entries[id as usize].take()?;
        if !entry.is_lost {
            self.by_block.remove(&address(entry.block));
        }
        self.free.push(id);
        if entry.mem.is_some() {
            self.bytes -= entry.bytes;
        }
        Some(entry)
    }

    /// Has the block of an entry lose it: which block.
    pub(crate) fn lose(&mut self, id: Id) -> &'static DataBlock {
        let entry = self.get(id);
        entry.is_lost = true;
        let block = entry.block;
        self.by_block.remove(&address(block));
        block
    }

    /// Keeps a buffer of `bytes` bytes, which no command uses, for another block.
    pub(crate) fn spare(&mut self, bytes: u64, mem: Mem) {
        self.spare_bytes += bytes;
        self.spares.entry(bytes).or_default().push(mem);
    }

    /// A buffer of `bytes` bytes that no block has, with any content.
    pub(crate) fn take_spare(&mut self, bytes: u64) -> Option<Mem> {
        let mem = self.spares.get_mut(&bytes)?.pop()?;
        self.spare_bytes -= bytes;
        Some(mem)
    }

    /// Releases the buffers that no block has. Nothing is enqueued now.
    pub(crate) fn release_spares(&mut self) {
        self.spares.clear();
        self.spare_bytes = 0;
    }

    /// Leaves the buffers that no block has to OpenCL: commands that were given up may run still, and what is released
    /// may wait for them.
    pub(crate) fn forget_spares(&mut self) {
        self.spares.drain().for_each(mem::forget);
        self.spare_bytes = 0;
    }

    /// The least recently used buffer that nothing uses.
    pub(crate) fn victim(&mut self) -> Option<Id> {
        let mut at = self.oldest;
        while let Some(id) = at {
            let entry = self.get(id);
            if entry.pins == 0 && entry.mem.is_some() {
                return Some(id);
            }
            at = unlink(entry.newer);
        }
        None
    }

    /// The entry that was used longest ago, while there is any.
    pub(crate) fn any(&self) -> Option<Id> {
        self.oldest
    }

    fn push_newest(&mut self, id: Id) {
        let before = self.newest.replace(id);
        let entry = self.get(id);
        entry.older = link(before);
        entry.newer = NIL;
        match before {
            Some(before) => self.get(before).newer = id,
            None => self.oldest = Some(id),
        }
    }

    fn detach(&mut self, id: Id) {
        let entry = self.get(id);
        let (older, newer) = (unlink(entry.older), unlink(entry.newer));
        match older {
            Some(older) => self.get(older).newer = link(newer),
            None => self.oldest = newer,
        }
        match newer {
            Some(newer) => self.get(newer).older = link(older),
            None => self.newest = older,
        }
    }
}
