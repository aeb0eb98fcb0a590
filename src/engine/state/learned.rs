//! What earlier runs have learned, as this run has read it.

use ocr_base::lock::{Mutex, rank};
use ocr_place::model::{ModelEntry, ModelKey, Store};
use ocr_place::place::Place;
use std::collections::HashMap;

/// What is known of one place, by variant.
pub(crate) type KnownEntries = HashMap<ModelKey, Vec<ModelEntry>>;

/// What earlier runs have learned.
#[derive(Default)]
pub(crate) struct Remembered {
    /// None where nothing is kept.
    pub(in crate::engine) store: Option<Store>,
    /// Whether the policy asks how long variants take. Other runs add to what is kept, and do not read it.
    pub(in crate::engine) reads: bool,
    /// The name of this program, and what tells it from others; made when the first variant is asked for.
    pub(in crate::engine) program: Mutex<rank::RememberedProgram, Option<String>>,
    /// The places of which something was asked.
    pub(in crate::engine) places: Mutex<rank::RememberedPlaces, HashMap<Place, KnownEntries>>,
}
