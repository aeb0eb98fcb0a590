//! What was counted while a run went on, as values over time.

use super::RecordedRun;

/// The values of a counter over time.
pub struct Series {
    /// The name of what is counted.
    pub name: String,
    /// Pairs of a time, in nanoseconds since the begin of the run, and the value from then on.
    pub samples: Vec<(u64, u64)>,
}

/// The values of a count that begins with 0, of the times at which it changes and by how much. Several changes at one
/// time are one.
pub(crate) fn counted_up(mut changes: Vec<(u64, i64)>) -> Vec<(u64, u64)> {
    changes.sort_unstable();
    let (mut value, mut samples) = (0_i64, Vec::new());
    for (number, &(at, change)) in changes.iter().enumerate() {
        value += change;
        if changes.get(number + 1).is_none_or(|(next, _)| *next != at) {
            samples.push((at, value.max(0) as u64));
        }
    }
    samples
}

impl RecordedRun {
    /// The series of all counters of a run, and one of how many workers had no EDT.
    pub fn series(&self) -> Vec<Series> {
        let mut all: Vec<Series> = self
            .counters
            .iter()
            .map(|(&(counter, place), samples)| Series {
                name: self.counter_name(counter, place),
                samples: samples.clone(),
            })
            .collect();
        let mut changes: Vec<(u64, i64)> = Vec::with_capacity(2 * self.idle.len());
        for idle in &self.idle {
            changes.extend([(idle.begin, 1), (idle.end, -1)]);
        }
        let samples = counted_up(changes);
        if !samples.is_empty() {
            all.push(Series { name: "idle workers".to_string(), samples });
        }
        all
    }

    /// The name of a counter of a place, by its number (`ocr_trace::format::Counter`).
    fn counter_name(&self, counter: u8, place: u8) -> String {
        match counter {
            1 => "ready EDTs".to_string(),
            2 => format!("launches, {}", self.place_name(place)),
            3 => format!("bytes, {}", self.place_name(place)),
            4 => format!("cores, {}", self.place_name(place)),
            other => format!("counter {other}, {}", self.place_name(place)),
        }
    }
}
