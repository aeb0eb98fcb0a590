//! Whether a place is worth trying in which it is not known how long an EDT takes.
//!
//! The unknown time lies between two bounds, each of its orders of magnitude as likely as another:
//!
//! | what is known of the place | the bounds |
//! |---|---|
//! | nothing | the time in the known place, divided and multiplied by [`UNLIKE`] |
//! | other templates | that time, by the ratio of the speeds that these have shown, divided and multiplied by [`LIKE`] |
//! | one launch, in which the kernel may have been compiled | a part of that time ([`COMPILED`]), and that time |
//!
//! The *loss* of trying is what the tried EDT takes longer than all the others take that wait for the known place. The
//! *gain* is what those that wait and are to come end sooner. A place is tried where the mean gain is greater than the
//! mean loss.

use super::interface::KeptEdt;
use super::queue::is_known;
use crate::place::Place;
use std::collections::HashMap;

/// One place is at most this number of times as fast as another, as far as nothing is known.
pub(super) const UNLIKE: f64 = 20.0;
/// A template differs by so much from what others have shown.
const LIKE: f64 = 4.0;
/// A launch in which the kernel may have been compiled takes this number of times as long as others, as a guess: by the
/// clocks of most devices, it is compiled before it begins.
const COMPILED: f64 = 1.25;
/// At this number of points between the bounds gain and loss are looked at.
const POINTS: u32 = 16;
/// This number of templates is remembered.
const TEMPLATES: usize = 64;

/// Whether a place is worth trying, in which an EDT takes a time between two bounds in nanoseconds. For
/// each unit of the known place `waiting` EDTs wait, this one too, and `to_come` will come in all. Each takes `known`
/// nanoseconds there.
pub(super) fn is_worth_trying(known: f64, waiting: f64, to_come: f64, bounds: (f64, f64)) -> bool {
    mean_gain(known, waiting, to_come, bounds) > 0.0
}

/// The mean gain of that less its mean loss, in nanoseconds.
pub(super) fn mean_gain(known: f64, waiting: f64, to_come: f64, (least, most): (f64, f64)) -> f64 {
    let rest = known * waiting.max(1.0);
    let step = (most / least).powf(1.0 / f64::from(POINTS));
    let (mut gain, mut loss) = (0.0, 0.0);
    let mut time = least * step.sqrt();
    for _ in 0..POINTS {
        loss += (time - rest).max(0.0);
        // Those that wait are divided between both places, and those that are to come may all be for the faster one.
        let divided = (rest - known) * known / (known + time);
        gain += divided.max(to_come * (known - time));
        time *= step;
    }
    (gain - loss) / f64::from(POINTS)
}

/// How fast the places are, by what templates have shown: for each place but the host the logarithm of the ratio of its
/// time to that of the host.
#[derive(Default)]
pub(super) struct Speeds {
    ratios: HashMap<(Place, usize), f64>,
}

impl Speeds {
    /// Looks what is known of an EDT that has ended.
    pub(super) fn note(&mut self, ended: &KeptEdt) {
        let time = |place| {
            let ns = is_known(ended, place).then(|| ended.times.expected(place, &ended.shape));
            ns.flatten().map(|ns| (ns.max(1) as f64).ln())
        };
        let Some(host) = time(Place::HOST) else {
            return;
        };
        for candidate in &ended.candidates {
            let key = (candidate.place, std::ptr::from_ref(ended.times).addr());
            if candidate.place != Place::HOST
                && let Some(device) = time(candidate.place)
                && (self.ratios.len() < TEMPLATES || self.ratios.contains_key(&key))
            {
                self.ratios.insert(key, device - host);
            }
        }
    }

    /// The median of what templates have shown of a place, as a logarithm, and how far they are apart.
    fn ratio(&self, place: Place) -> Option<(f64, f64)> {
        if place == Place::HOST {
            return Some((0.0, 0.0));
        }
        let of_place = self.ratios.iter().filter(|((of, _), _)| *of == place);
        let mut all: Vec<f64> = of_place.map(|(_, ratio)| *ratio).collect();
        all.sort_unstable_by(f64::total_cmp);
        Some((*all.get(all.len() / 2)?, all.last()? - all.first()?))
    }

    /// The bounds where one launch is all that is known, which took `most` nanoseconds.
    pub(super) fn below(most: u64) -> (f64, f64) {
        (most as f64 / COMPILED, most.max(1) as f64)
    }

    /// The bounds for an EDT that takes `known_ns` nanoseconds in the known place.
    pub(super) fn bounds(&self, place: Place, known: Option<Place>, known_ns: u64) -> (f64, f64) {
        let known_ns = known_ns.max(1) as f64;
        let ratios = known.and_then(|known| Some((self.ratio(place)?, self.ratio(known)?)));
        match ratios {
            Some(((of, of_apart), (by, by_apart))) => {
                let middle = known_ns * (of - by).exp();
                let apart = (LIKE.ln() + (of_apart + by_apart) / 2.0).exp();
                (middle / apart, middle * apart)
            }
            None => (known_ns / UNLIKE, known_ns * UNLIKE),
        }
    }
}
