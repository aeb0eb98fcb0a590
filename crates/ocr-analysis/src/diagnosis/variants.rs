//! How many EDTs of each template ran in each place, and how long.

use crate::recorded::RecordedRun;
use serde::ser::{Serialize, Serializer};
use std::collections::BTreeMap;

/// EDTs of a template in one place.
#[derive(serde::Serialize, Clone, Debug, PartialEq)]
pub struct Variant {
    /// The number of the template in the recording.
    #[serde(skip)]
    pub template: u32,
    /// The name of the template.
    #[serde(rename = "template")]
    pub name: String,
    /// The number of the place.
    pub place: u8,
    /// How many EDTs of the template ran in the place.
    pub edts: u64,
    /// How many nanoseconds these EDTs took in all. JSON has it in seconds.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    pub ns: u64,
}

impl Variant {
    /// What one of these EDTs took on average, in nanoseconds.
    pub fn mean(&self) -> f64 {
        self.ns as f64 / self.edts.max(1) as f64
    }
}

/// Writes a number of nanoseconds as seconds, with a fraction.
fn as_seconds<S: Serializer>(ns: &u64, to: S) -> Result<S::Ok, S::Error> {
    (*ns as f64 / 1e9).serialize(to)
}

/// The EDTs of a run that have ended, by template and place.
pub(super) fn variants(run: &RecordedRun) -> Vec<Variant> {
    let mut sums: BTreeMap<(u32, u8), Variant> = BTreeMap::new();
    for edt in &run.edts {
        let Some(ns) = edt.time() else { continue };
        let variant = sums.entry((edt.template, edt.place)).or_insert_with(|| Variant {
            template: edt.template,
            name: run.template_name(edt).to_string(),
            place: edt.place,
            edts: 0,
            ns: 0,
        });
        variant.edts += 1;
        variant.ns = variant.ns.saturating_add(ns);
    }
    sums.into_values().collect()
}
