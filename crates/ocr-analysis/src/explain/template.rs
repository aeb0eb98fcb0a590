//! What a recording has about a template: how long its EDTs took in each place, and how good the predictions were.

use crate::diagnosis::{Ground, Predictions, predictions};
use crate::recorded::{RecordedEdt, median};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a recording has about a template.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct ExplainedTemplate {
    /// The name of the template.
    pub name: String,
    /// How many EDTs of the template were created.
    pub created: u64,
    /// How many EDTs of the template have ended.
    pub ended: u64,
    /// What its EDTs did in each place of the run.
    pub places: Vec<PlaceOfTemplate>,
}

/// What a template's EDTs did in a place.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct PlaceOfTemplate {
    /// The name of the place.
    pub place: String,
    /// Whether the template has a variant for the place.
    pub variant: bool,
    /// How many EDTs ran in the place.
    pub edts: u64,
    /// The shortest, the median and the longest of these EDTs' times, in nanoseconds. None where no EDT ran.
    pub measured_ns: Option<[u64; 3]>,
    /// The median of the nanoseconds that these EDTs took for each byte of their blocks. None where none had a byte.
    pub ns_per_byte: Option<f64>,
    /// How good the predictions were for these EDTs. None where nothing was predicted.
    pub predictions: Option<Predictions>,
}

/// What the recording has about the template with this number.
pub(super) fn view(ground: &Ground<'_>, number: u32) -> ExplainedTemplate {
    let run = ground.run;
    let template = run.templates.get(number as usize);
    let is_of = |edt: &RecordedEdt| edt.template == number;
    let mut by_place: BTreeMap<u8, Vec<u32>> = BTreeMap::new();
    for &edt in &ground.ran {
        if is_of(ground.edt(edt)) {
            by_place.entry(ground.edt(edt).place).or_default().push(edt);
        }
    }
    let places = ground.places.keys().map(|&place| {
        let edts = by_place.get(&place).map_or(&[][..], Vec::as_slice);
        let bits = template.map_or(0, |template| template.places);
        of_place_there(ground, place, place < 64 && bits >> place & 1 != 0, edts)
    });
    ExplainedTemplate {
        name: template.map_or_else(String::new, |template| template.name.clone()),
        created: run.edts.iter().filter(|edt| is_of(edt)).count() as u64,
        ended: by_place.values().map(|edts| edts.len() as u64).sum(),
        places: places.collect(),
    }
}

/// What `edts` of a template, those that ran in a place, tell of that place.
fn of_place_there(ground: &Ground<'_>, place: u8, variant: bool, edts: &[u32]) -> PlaceOfTemplate {
    let mut times: Vec<u64> = edts.iter().filter_map(|&edt| ground.edt(edt).time()).collect();
    let ends = times.iter().min().copied().zip(times.iter().max().copied());
    let middle = median(&mut times);
    let mut per_byte: Vec<f64> = edts
        .iter()
        .map(|&edt| ground.edt(edt))
        .filter(|edt| edt.bytes != 0)
        .map(|edt| edt.time().unwrap_or(0) as f64 / edt.bytes as f64)
        .collect();
    PlaceOfTemplate {
        place: ground.run.place_name(place),
        variant,
        edts: edts.len() as u64,
        measured_ns: ends.map(|(least, most)| [least, middle, most]),
        ns_per_byte: (!per_byte.is_empty()).then(|| {
            let at = per_byte.len() / 2;
            *per_byte.select_nth_unstable_by(at, f64::total_cmp).1
        }),
        predictions: predictions(ground, edts),
    }
}
