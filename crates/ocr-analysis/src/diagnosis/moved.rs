//! How many bytes were copied, against the least that the same EDTs in the same places need.
//!
//! The least is what is copied if memory is never short. Each block is in the host's memory first, and stays wherever
//! it was brought or written until an EDT writes it elsewhere. A block that was used on a device first and never copied
//! there needed no copy, since no EDT had written it. A device to which nothing is copied uses the host's memory.
//!
//! Parts of a block count as blocks of their own, so the least may be too high; it is never more than what was copied.

use crate::recorded::{NEVER, RecordedRun};
use rustc_hash::FxHashSet;
use serde::Serialize;

/// How many bytes were copied in a run, and how many need be.
#[derive(Serialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moved {
    /// How many bytes were copied to devices.
    pub to_devices: u64,
    /// How many bytes were copied from devices.
    pub from_devices: u64,
    /// The least number of bytes that the same EDTs in the same places need, in both directions.
    pub least: u64,
}

impl Moved {
    /// How many bytes were copied in both directions.
    pub fn bytes(&self) -> u64 {
        self.to_devices.saturating_add(self.from_devices)
    }
}

impl RecordedRun {
    /// How many bytes were copied, and how many need be.
    pub fn moved(&self) -> Moved {
        let mut moved = Moved::default();
        let mut copied: FxHashSet<(u8, u64)> = FxHashSet::default();
        let mut memories: u64 = 0;
        for copy in &self.copies {
            memories |= 1_u64.checked_shl(u32::from(copy.place)).unwrap_or(0);
            if copy.to_device {
                moved.to_devices = moved.to_devices.saturating_add(copy.bytes);
                copied.insert((copy.place, copy.block));
            } else {
                moved.from_devices = moved.from_devices.saturating_add(copy.bytes);
            }
        }
        moved.least = self.least(memories, &copied).min(moved.bytes());
        moved
    }

    /// The least number of bytes that must be copied. `memories` has a bit for each device with a memory of its own.
    /// `copied` has each such device's place with the GUIDs of the blocks that were copied to it.
    fn least(&self, memories: u64, copied: &FxHashSet<(u8, u64)>) -> u64 {
        let mut uses: Vec<u32> = (0..self.uses.len() as u32)
            .filter(|at| self.edts[self.uses[*at as usize].edt as usize].begin != NEVER)
            .collect();
        // The sort is stable, so all uses by one EDT stay together and in their order.
        uses.sort_by_key(|at| {
            let edt = self.uses[*at as usize].edt;
            (self.edts[edt as usize].begin, edt)
        });
        // For each block, a bit for each memory that has its content; the host's is the first.
        let mut valid = vec![1_u64; self.block_bytes.len()];
        let mut is_used = vec![false; self.block_bytes.len()];
        let mut least = 0_u64;
        for at in uses {
            let its = self.uses[at as usize];
            let block = its.block as usize;
            let place = self.edts[its.edt as usize].place;
            let memory = match place {
                1..64 if memories >> place & 1 != 0 => 1_u64 << place,
                _ => 1,
            };
            let guid = self.block_guids.get(block).copied().unwrap_or(0);
            let is_empty = !is_used[block] && memory != 1 && !copied.contains(&(place, guid));
            if valid[block] & memory == 0 && !is_empty {
                least = least.saturating_add(self.block_bytes[block]);
            }
            is_used[block] = true;
            valid[block] = if its.writes { memory } else { valid[block] | memory };
        }
        least
    }
}
