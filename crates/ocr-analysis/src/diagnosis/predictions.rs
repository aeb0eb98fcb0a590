//! How good the predictions of a policy were.

use super::decisions::of_place;
use super::ground::Ground;
use crate::recorded::median;
use ocr_place::policy::Certainty;
use serde::Serialize;

/// The limits by which errors of predictions are counted, as parts of the measured time.
pub const ERRORS: [f64; 3] = [0.1, 0.25, 0.5];

/// How good the predictions were for some EDTs.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct Predictions {
    /// How many EDTs had a prediction.
    pub count: u64,
    /// How many of these predictions were guesses, by a hint or by a first launch.
    pub guesses: u64,
    /// The median of the predicted times, in nanoseconds.
    pub predicted_ns: u64,
    /// The median of the errors, as parts of the measured times.
    pub median_error: f64,
    /// How many predictions were off by no more than a tenth, a quarter and half, and how many by more ([`ERRORS`]).
    /// Each prediction is counted once.
    pub errors: [u64; 4],
}

/// How good the predictions were for these EDTs in the places where they ran. None where nothing was predicted.
pub(crate) fn predictions(ground: &Ground<'_>, edts: &[u32]) -> Option<Predictions> {
    let (mut predicted, mut errors) = (Vec::new(), Vec::new());
    let mut guesses = 0;
    for &number in edts {
        let edt = ground.edt(number);
        let Some(estimate) = of_place(ground.decided(number).1, edt.place) else {
            continue;
        };
        let (Some(ns), Some(took)) = (estimate.expected.run_ns, ground.took(number)) else {
            continue;
        };
        guesses += u64::from(estimate.certainty == Certainty::Guessed);
        predicted.push(ns);
        errors.push(ns.abs_diff(took) as f64 / took.max(1) as f64);
    }
    if errors.is_empty() {
        return None;
    }
    let mut counts = [0; 4];
    for error in &errors {
        let class = ERRORS.iter().position(|most| error <= most);
        counts[class.unwrap_or(ERRORS.len())] += 1;
    }
    let middle = errors.len() / 2;
    Some(Predictions {
        count: errors.len() as u64,
        guesses,
        predicted_ns: median(&mut predicted),
        median_error: *errors.select_nth_unstable_by(middle, f64::total_cmp).1,
        errors: counts,
    })
}
