//! How long the EDTs of a template took in a place: the shortest, the median and the longest, and a histogram.

use crate::recorded::RecordedRun;
use ocr_base::text::{counted, duration};
use std::collections::BTreeMap;

/// Classes of times to a doubling.
const TO_A_DOUBLING: f64 = 4.0;

/// How wide a class is drawn, and how high the largest.
const WIDE: u32 = 4;
const HIGH: f64 = 34.0;

/// The number of the class of a time.
fn class(ns: u64) -> u32 {
    ((ns.max(1) as f64).log2() * TO_A_DOUBLING) as u32
}

/// The least time of a class, in seconds.
fn begin(class: u32) -> f64 {
    (f64::from(class) / TO_A_DOUBLING).exp2() / 1e9
}

/// How long EDTs took.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Spread {
    /// How many EDTs took a time of each class.
    classes: BTreeMap<u32, u64>,
    /// The shortest time, the median and the longest, in nanoseconds.
    pub(super) times: [u64; 3],
}

impl Spread {
    fn of(mut times: Vec<u64>) -> Spread {
        times.sort_unstable();
        let mut classes = BTreeMap::new();
        for ns in &times {
            *classes.entry(class(*ns)).or_default() += 1;
        }
        let at = |part: usize| times.get(part).copied().unwrap_or(0);
        Spread { classes, times: [at(0), at(times.len() / 2), at(times.len().saturating_sub(1))] }
    }

    /// The first class and the last.
    pub(super) fn classes(&self) -> Option<[u32; 2]> {
        let [first, last] = [self.classes.first_key_value(), self.classes.last_key_value()];
        Some([*first?.0, *last?.0])
    }

    /// The histogram as a picture, on a scale from the class `first` to `last`. The pointer finds the figures.
    pub(super) fn picture(&self, [first, last]: [u32; 2]) -> String {
        let most = self.classes.values().copied().max().unwrap_or(1) as f64;
        let mut bars = String::new();
        for (class, count) in &self.classes {
            // One EDT beside a million is seen, too.
            let high = (HIGH * *count as f64 / most).max(1.5);
            bars += &format!(
                "<rect x=\"{}\" y=\"{:.1}\" width=\"{}\" height=\"{high:.1}\"><title>{}, {} to {}</title></rect>",
                (class - first) * WIDE,
                HIGH - high,
                WIDE - 1,
                counted(*count, "EDT"),
                duration(begin(*class)),
                duration(begin(class + 1)),
            );
        }
        let wide = (last - first + 1) * WIDE;
        let [least, median, longest] = self.times.map(|ns| duration(ns as f64 / 1e9));
        format!(
            "<svg class=\"spread\" role=\"img\" aria-label=\"Histogram: {least} to {longest}, median {median}\" viewBox=\"0 0 {wide} {HIGH}\" \
             preserveAspectRatio=\"none\">{bars}</svg>"
        )
    }
}

/// The times from the first to the last of some classes, in words.
pub(super) fn scale([first, last]: [u32; 2]) -> String {
    format!("{} to {}", duration(begin(first)), duration(begin(last + 1)))
}

/// How long the EDTs of each template took in each place, by the numbers of both.
pub(super) fn spreads(run: &RecordedRun) -> BTreeMap<(u32, u8), Spread> {
    let mut times: BTreeMap<(u32, u8), Vec<u64>> = BTreeMap::new();
    for edt in &run.edts {
        if let Some(ns) = edt.time() {
            times.entry((edt.template, edt.place)).or_default().push(ns);
        }
    }
    let times = times.into_iter();
    times.map(|(of, times)| (of, Spread::of(times))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edt_is_in_one_class() {
        let times = vec![1000, 0, 1001, 4000, 1_000_000];
        let spread = Spread::of(times.clone());
        assert_eq!(spread.times, [0, 1001, 1_000_000]);
        assert_eq!(spread.classes.values().sum::<u64>(), 5);
        assert_eq!(spread.classes[&class(1000)], 2);
        for ns in times {
            let seconds = ns.max(1) as f64 / 1e9;
            let class = class(ns);
            assert!(begin(class) <= seconds * 1.000_001 && seconds < begin(class + 1));
        }
        let picture = spread.picture([0, 90]);
        assert_eq!(picture.matches("<rect").count(), 4);
        assert!(picture.contains("<title>2 EDTs, "), "{picture}");
        assert!(picture.contains("0.00 us to 1.00 ms, median 1.00 us"), "{picture}");
        assert_eq!(Spread::of(Vec::new()).classes(), None);
    }
}
