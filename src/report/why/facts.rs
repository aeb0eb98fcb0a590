//! What is known of a run, as text and as JSON.

use super::causes::{Cause, causes};
use super::idle::{Idleness, PlaceTime, Times};
use super::moved::Moved;
use super::variants::{Variant, variants};
use crate::report::recorded::{Run, Score};
use crate::report::{counted, duration};
use serde::ser::{Serialize, Serializer};
use std::collections::BTreeMap;

/// What is known of a run.
#[derive(serde::Serialize, Clone, Debug)]
pub struct Facts {
    /// From the begin of the first EDT to the end of the last, in seconds.
    pub seconds: f64,
    /// How that compares with what no schedule ends before.
    pub score: Option<Score>,
    /// Where the time went.
    #[serde(serialize_with = "places")]
    pub times: Times,
    /// What was copied.
    pub moved: Moved,
    /// What ran where, and how long.
    pub variants: Vec<Variant>,
    /// Why it took so long, that which costs most first.
    pub causes: Vec<Cause>,
}

fn places<S: Serializer>(times: &Times, to: S) -> Result<S::Ok, S::Error> {
    times.places.serialize(to)
}

impl Serialize for PlaceTime {
    /// In seconds, summed over the units of the place.
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
        Seconds {
            place: self.place,
            name: &self.name,
            units: self.units,
            busy: seconds(self.busy),
            idle: idle.into(),
        }
        .serialize(to)
    }
}

impl Facts {
    /// Those of a run; none where no EDT has ended.
    pub fn of(run: &Run) -> Option<Facts> {
        let times = run.times()?;
        let (score, moved, variants) = (run.score(), run.moved(), variants(run));
        let causes = causes(run, &times, &moved, score.as_ref(), &variants);
        Some(Facts {
            seconds: times.ns() as f64 / 1e9,
            score,
            times,
            moved,
            variants,
            causes,
        })
    }

    /// The time of a place, if the run had that.
    pub fn place(&self, place: u8) -> Option<&PlaceTime> {
        self.times.places.iter().find(|its| its.place == place)
    }

    /// What the time of each place went into, what was copied, and the causes: in lines.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for place in &self.times.places {
            text += &place_text(place);
        }
        if self.moved.bytes() != 0 {
            text += &format!(
                "copied    {} bytes to devices, {} from them; EDTs in the same places need {} at least\n",
                self.moved.to_devices, self.moved.from_devices, self.moved.least
            );
        }
        for cause in &self.causes {
            text += &format!("cause     {}\n          {}\n", cause.text, cause.advice);
        }
        text
    }
}

/// Where the time of a place went, as a line.
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
            text += &format!(
                ", {} {} ({})",
                part(ns),
                cause.text(),
                duration(ns as f64 / 1e9)
            );
        }
    }
    text.push('\n');
    text
}
