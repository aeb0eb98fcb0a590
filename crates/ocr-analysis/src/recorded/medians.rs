//! How long the EDTs of a run take in each place, as medians.

use super::{RecordedEdt, RecordedRun};
use rustc_hash::FxHashMap;

/// The median of some times; 0 if there are none. The times are left in another order.
pub(crate) fn median(times: &mut [u64]) -> u64 {
    if times.is_empty() {
        return 0;
    }
    let middle = times.len() / 2;
    *times.select_nth_unstable(middle).1
}

/// Medians of the EDTs that have ended, in nanoseconds.
pub(crate) struct Medians {
    /// Medians by the template's number, the place and the bytes of the EDTs' blocks.
    by_bytes: FxHashMap<(u32, u8, u64), u64>,
    /// Medians by the template's number and the place.
    by_template: FxHashMap<(u32, u8), u64>,
}

impl Medians {
    /// The medians of a run, where `time` says how many nanoseconds an EDT took, by its number.
    pub(crate) fn by(run: &RecordedRun, time: impl Fn(u32, &RecordedEdt) -> Option<u64>) -> Medians {
        let mut by_bytes: FxHashMap<(u32, u8, u64), Vec<u64>> = FxHashMap::default();
        let mut by_template: FxHashMap<(u32, u8), Vec<u64>> = FxHashMap::default();
        for (number, edt) in run.edts.iter().enumerate() {
            if let Some(ns) = time(number as u32, edt) {
                let key = (edt.template, edt.place, edt.bytes);
                by_bytes.entry(key).or_default().push(ns);
                by_template.entry((key.0, key.1)).or_default().push(ns);
            }
        }
        Medians {
            by_bytes: (by_bytes.into_iter()).map(|(key, mut ns)| (key, median(&mut ns))).collect(),
            by_template: (by_template.into_iter()).map(|(key, mut ns)| (key, median(&mut ns))).collect(),
        }
    }

    /// How many nanoseconds an EDT of a template takes in a place, if its blocks have `bytes` in all. This is the
    /// median of the EDTs that have as many bytes there, or else of all EDTs of the template there. None where none of
    /// them ran there.
    pub(crate) fn at(&self, template: u32, place: u8, bytes: u64) -> Option<u64> {
        let alike = self.by_bytes.get(&(template, place, bytes));
        alike.or_else(|| self.by_template.get(&(template, place))).copied()
    }
}
