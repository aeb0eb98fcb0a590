//! When the blocks of each EDT were brought to where it ran.
//!
//! An EDT that a worker ran has records of that. The copies to a device have records that name blocks, not EDTs. Such a
//! copy belongs to an EDT that uses the block there, was runnable before the copy ended, and began after it.

use super::check::TOLERANCE;
use super::{NEVER, RecordedRun};
use ocr_trace::format::Counter;
use rustc_hash::FxHashMap;

/// The cores that a CPU device had in a run.
pub(crate) struct DeviceCores<'a> {
    /// Those of the whole device.
    pub(crate) whole: u64,
    /// Those of its share, when it was opened.
    pub(crate) share: u64,
    samples: &'a [(u64, u64)],
}

impl DeviceCores<'_> {
    /// Whether the device has borrowed cores of the workers', and given them back.
    pub(crate) fn are_lent(&self) -> bool {
        self.samples.len() > 1
    }

    /// How many cores the device had at a time in nanoseconds since the begin of the run.
    pub(crate) fn at(&self, time: u64) -> u64 {
        let before = self.samples.partition_point(|(at, _)| *at <= time);
        before.checked_sub(1).map_or(self.share, |at| self.samples[at].1.max(1))
    }
}

impl RecordedRun {
    /// How many nanoseconds the run waited for OpenCL: until it had started, and kernels were compiled. Of several
    /// workers whose EDTs waited, that which waited longest counts. 0 where that is not recorded.
    pub fn opencl_start(&self) -> u64 {
        let mut waited: FxHashMap<u32, u64> = FxHashMap::default();
        for edt in self.edts.iter().filter(|edt| edt.opencl != 0) {
            let its = waited.entry(edt.lane).or_default();
            *its = its.saturating_add(edt.opencl);
        }
        waited.into_values().max().unwrap_or(0)
    }

    /// How many cores a CPU device had: that of the whole device, its share when it was opened, and then each number
    /// with the time from which it held. None for other devices, and where that is not recorded.
    pub(crate) fn cores_of_device(&self, place: u8) -> Option<DeviceCores<'_>> {
        let samples = self.counters.get(&(Counter::Cores as u8, place))?;
        let [(_, whole), (_, share), ..] = samples[..] else {
            return None;
        };
        (whole != 0 && share != 0).then_some(DeviceCores { whole, share, samples: &samples[1..] })
    }

    /// For each EDT, when its blocks were copied to where it ran, in nanoseconds since the begin of the run. The first
    /// time is when the first copy was asked for or began, the second when the last had ended. Both are [`NEVER`] where
    /// no copy was needed.
    pub fn brought(&self) -> Vec<[u64; 2]> {
        let mut copies: FxHashMap<(u8, u64), Vec<[u64; 2]>> = FxHashMap::default();
        for copy in self.copies.iter().filter(|copy| copy.to_device) {
            let of = copies.entry((copy.place, copy.block)).or_default();
            of.push([copy.begin, copy.end]);
        }
        for of in copies.values_mut() {
            of.sort_unstable_by_key(|[_, end]| *end);
        }
        let mut brought: Vec<[u64; 2]> = self.edts.iter().map(|edt| edt.fetch).collect();
        for uses in &self.uses {
            let edt = &self.edts[uses.edt as usize];
            let guid = self.block_guids.get(uses.block as usize);
            let of = guid.and_then(|guid| copies.get(&(edt.place, *guid)));
            let Some(of) = of.filter(|_| edt.begin != NEVER && edt.runnable != NEVER) else {
                continue;
            };
            // The kernel needed the last copy that ended before the kernel began.
            let until = edt.begin.saturating_add(TOLERANCE);
            let before = of.partition_point(|[_, end]| *end <= until);
            let Some([begin, end]) = before.checked_sub(1).map(|at| of[at]) else {
                continue;
            };
            if end <= edt.runnable {
                continue;
            }
            let its = &mut brought[uses.edt as usize];
            its[0] = its[0].min(begin);
            its[1] = if its[1] == NEVER { end } else { its[1].max(end) };
        }
        brought
    }
}
