//! How long the EDTs of a run take in each place, as medians.

use super::{Run, median};
use rustc_hash::FxHashMap;

/// Medians of the EDTs that have ended, in nanoseconds.
pub(crate) struct Medians {
    by_bytes: FxHashMap<(u32, u8, u64), u64>,
    by_template: FxHashMap<(u32, u8), u64>,
}

impl Medians {
    pub(crate) fn of(run: &Run) -> Medians {
        let mut by_bytes: FxHashMap<(u32, u8, u64), Vec<u64>> = FxHashMap::default();
        let mut by_template: FxHashMap<(u32, u8), Vec<u64>> = FxHashMap::default();
        for edt in &run.edts {
            if let Some(ns) = edt.time() {
                let key = (edt.template, edt.place, edt.bytes);
                by_bytes.entry(key).or_default().push(ns);
                by_template.entry((key.0, key.1)).or_default().push(ns);
            }
        }
        Medians {
            by_bytes: (by_bytes.into_iter())
                .map(|(key, mut ns)| (key, median(&mut ns)))
                .collect(),
            by_template: (by_template.into_iter())
                .map(|(key, mut ns)| (key, median(&mut ns)))
                .collect(),
        }
    }

    /// What an EDT of a template whose blocks have so many bytes takes in a place: the median of those that have as many bytes
    /// there, or else that of the template; none where none of the template ran there.
    pub(crate) fn at(&self, template: u32, place: u8, bytes: u64) -> Option<u64> {
        let alike = self.by_bytes.get(&(template, place, bytes));
        alike
            .or_else(|| self.by_template.get(&(template, place)))
            .copied()
    }
}
