//! Where the time of a recorded run went and why it took as long, as text and as JSON.

use super::ground::Ground;
use super::idle::{IdleTimes, Idleness, PlaceTime};
use super::look::Look;
use super::moved::Moved;
use super::rules::{Finding, findings};
use super::variants::Variant;
use crate::recorded::{RecordedRun, Score};
use ocr_base::text::Counted;
use ocr_base::text::{counted, duration};
use serde::ser::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The facts about a recorded run.
#[derive(serde::Serialize, Clone, Debug)]
pub struct Facts {
    /// The time from the begin of the first EDT to the end of the last, in seconds.
    pub seconds: f64,
    /// How this time compares with the time before which no schedule ends. None where that is not known.
    pub score: Option<Score>,
    /// What the time of each place went into.
    #[serde(serialize_with = "places")]
    pub times: IdleTimes,
    /// How many bytes were copied, and how many need be.
    pub moved: Moved,
    /// How many EDTs of each template ran in each place, and how long.
    pub variants: Vec<Variant>,
    /// Why the run took as long as it did; what saves most comes first.
    pub findings: Vec<Finding>,
}

/// Writes the times of the places alone.
fn places<S: Serializer>(times: &IdleTimes, to: S) -> Result<S::Ok, S::Error> {
    times.places.serialize(to)
}

impl Serialize for PlaceTime {
    /// Writes the times in seconds, summed over the units of the place.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Seconds<'a> {
            place: u8,
            name: &'a str,
            units: u32,
            busy: f64,
            idle: BTreeMap<Idleness, f64>,
        }
        let seconds = |ns: u64| ns as f64 / 1e9;
        let idle = Idleness::ALL.map(|cause| (cause, seconds(self.of(cause))));
        Seconds { place: self.place, name: &self.name, units: self.units, busy: seconds(self.busy), idle: idle.into() }
            .serialize(to)
    }
}

impl From<Look<'_>> for Facts {
    fn from(look: Look<'_>) -> Facts {
        Facts {
            findings: findings(&look),
            seconds: look.times.ns() as f64 / 1e9,
            score: look.score,
            times: look.times,
            moved: look.moved,
            variants: look.variants,
        }
    }
}

impl Facts {
    /// The facts about a run. None where no EDT has ended.
    pub fn of(run: &RecordedRun) -> Option<Facts> {
        let ground = Ground::of(run)?;
        Some(Facts::from(Look::at(&ground)))
    }

    /// What the time of a place went into. None if the run did not have the place.
    pub fn place(&self, place: u8) -> Option<&PlaceTime> {
        self.times.places.iter().find(|its| its.place == place)
    }

    /// The facts in lines of text: what the time of each place went into, what was copied, and the causes.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for place in &self.times.places {
            text += &place_text(place);
        }
        if self.moved.bytes() != 0 {
            text += &format!(
                "copied    {} to devices, {} from them; EDTs in the same places need {} at least\n",
                Counted(self.moved.to_devices, "byte"),
                self.moved.from_devices,
                self.moved.least
            );
        }
        for finding in &self.findings {
            text += &format!("cause     {}\n          {}\n", finding.text, finding.advice);
        }
        text
    }
}

/// The line about what the time of a place went into.
fn place_text(place: &PlaceTime) -> String {
    let all = place.all();
    let part = |ns: u64| format!("{:.1} %", 100.0 * ns as f64 / all.max(1) as f64);
    let mut text = format!("time      {}", place.name);
    if place.place == 0 {
        text = format!("time      {}", counted(u64::from(place.units), "worker"));
    }
    text += &format!(": {} in EDTs", part(place.busy));
    for cause in Idleness::ALL {
        let ns = place.of(cause);
        if ns != 0 {
            text += &format!(", {} {} ({})", part(ns), cause.text(), duration(ns as f64 / 1e9));
        }
    }
    text.push('\n');
    text
}
