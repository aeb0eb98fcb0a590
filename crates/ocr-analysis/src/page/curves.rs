//! The curves of a run: ready EDTs, workers without an EDT, and bytes on each device, over time.
//!
//! A curve is a list of steps. If it has more than a page takes, the run is cut into equal parts. A part has the mean
//! of the values in it, by how long each held, and the greatest.

use super::pack::Column;
use crate::recorded::{NEVER, RecordedRun, counted_up};
use ocr_trace::format::Counter;
use serde_json::{Value, json};

/// How many steps a curve has at most.
const MOST_STEPS: usize = 2000;

/// Means of counts are in this number of parts of 1.
const PARTS_OF_ONE: u64 = 16;

/// A step of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CurveStep {
    /// When it begins, in nanoseconds since the first EDT's begin.
    at: u64,
    /// The value from then on, or its mean, in parts of 1.
    mean: u64,
    /// The greatest value of the step.
    most: u64,
}

/// The steps of a count within a span. `samples` are pairs of a time and the value from then on, in the order of time.
fn steps(samples: &[(u64, u64)], span: [u64; 2], most: usize) -> Vec<CurveStep> {
    let [begin, end] = span;
    let value_at_begin = (samples.iter().rev()).find(|(at, _)| *at <= begin).map_or(0, |(_, value)| *value);
    let inside = samples.iter().filter(|(at, _)| *at > begin && *at < end);
    let mut exact: Vec<(u64, u64)> = vec![(0, value_at_begin)];
    exact.extend(inside.map(|(at, value)| (at - begin, *value)));
    exact.dedup_by(|next, before| next.1 == before.1);
    if exact.len() <= most {
        let step = |&(at, value): &(u64, u64)| CurveStep { at, mean: value.saturating_mul(PARTS_OF_ONE), most: value };
        return exact.iter().map(step).collect();
    }
    let length = end - begin;
    let border = |part: usize| (u128::from(length) * part as u128 / most as u128) as u64;
    let mut out: Vec<CurveStep> = Vec::with_capacity(most);
    let mut next = 0;
    let mut value = 0;
    for part in 0..most {
        let [from, to] = [border(part), border(part + 1)];
        let (mut at, mut sum, mut greatest) = (from, 0_u128, 0);
        while at < to {
            while exact.get(next).is_some_and(|(time, _)| *time <= at) {
                value = exact[next].1;
                next += 1;
            }
            let until = exact.get(next).map_or(to, |(time, _)| (*time).min(to));
            sum += u128::from(value) * u128::from(until - at);
            greatest = greatest.max(value);
            at = until;
        }
        if to > from {
            let mean = sum * u128::from(PARTS_OF_ONE) / u128::from(to - from);
            out.push(CurveStep { at: from, mean: u64::try_from(mean).unwrap_or(u64::MAX), most: greatest });
        }
    }
    out
}

/// A curve as the page has it. `place` is that of the lanes at which it stands.
fn curve(name: &str, place: u8, is_bytes: bool, samples: &[(u64, u64)], span: [u64; 2]) -> Value {
    let steps = steps(samples, span, MOST_STEPS);
    let [mut at, mut mean, mut most] = std::array::from_fn(|_| Column::default());
    let mut last = 0;
    for step in &steps {
        // A damaged recording may have times in another order.
        at.add(step.at.saturating_sub(last));
        mean.add_difference(step.mean as i64);
        most.add_difference(step.most as i64);
        last = last.max(step.at);
    }
    json!({
        "name": name,
        "place": place,
        "bytes": is_bytes,
        "parts": PARTS_OF_ONE,
        "peak": steps.iter().map(|step| step.most).max(),
        "count": steps.len(),
        "at": at.packed(),
        "mean": mean.packed(),
        "most": most.packed(),
    })
}

/// How many EDTs were runnable and had not begun, over time.
fn ready(run: &RecordedRun) -> Vec<(u64, u64)> {
    let mut changes = Vec::new();
    for edt in &run.edts {
        // By the clock of a device an EDT may seem to have begun before it was runnable.
        if edt.runnable < edt.begin {
            changes.push((edt.runnable, 1));
            if edt.begin != NEVER {
                changes.push((edt.begin, -1));
            }
        }
    }
    counted_up(changes)
}

/// A worker: its EDTs, by the times at which they began, and until when it was one.
pub(super) type WorkerLane<'a> = (&'a [u32], u64);

/// How many workers had no EDT, over time. One that the runtime has stopped is no idle worker.
pub(super) fn idle(run: &RecordedRun, workers: &[WorkerLane<'_>]) -> Vec<(u64, u64)> {
    let mut changes = Vec::new();
    for (edts, until) in workers {
        // An EDT that waits in a call has others run on its worker meanwhile.
        let mut last = 0;
        for edt in edts.iter().map(|number| &run.edts[*number as usize]) {
            let end = if edt.end == NEVER { run.end } else { edt.end };
            let begin = edt.begin.max(last);
            if end > begin {
                changes.extend([(begin, -1), (end, 1)]);
                last = end;
            }
        }
        changes.extend([(0, 1), (last.max(*until), -1)]);
    }
    counted_up(changes)
}

/// The curves of a run.
pub(super) fn curves(run: &RecordedRun, workers: &[WorkerLane<'_>], span: [u64; 2]) -> Vec<Value> {
    let mut all = vec![curve("ready EDTs", 0, false, &ready(run), span)];
    all.push(curve("idle workers", 0, false, &idle(run, workers), span));
    for (&(counter, place), samples) in &run.counters {
        let is_any = samples.iter().any(|(_, bytes)| *bytes != 0);
        if counter == Counter::DeviceBytes as u8 && is_any {
            all.push(curve("bytes on the device", place, true, samples, span));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(at: u64, value: u64) -> CurveStep {
        CurveStep { at, mean: value * PARTS_OF_ONE, most: value }
    }

    #[test]
    fn few_steps_stay_as_they_are() {
        let samples = [(5, 1), (10, 2), (12, 2), (20, 0), (40, 9)];
        // The value at the begin is that of the last change before it, and what is behind the end is left out.
        let wanted = [plain(0, 1), plain(2, 2), plain(12, 0)];
        assert_eq!(steps(&samples, [8, 30], 10), wanted);
        assert_eq!(steps(&[], [0, 30], 10), [plain(0, 0)]);
        assert_eq!(steps(&samples, [30, 30], 10), [plain(0, 0)]);
    }

    #[test]
    fn many_steps_become_means_that_keep_the_whole_and_the_peak() {
        let samples: Vec<(u64, u64)> = (0..1000).map(|at| (at, at % 2)).collect();
        let mut peaked = samples.clone();
        peaked[500].1 = 1000;
        let few = steps(&peaked, [0, 1000], 10);
        assert_eq!(few.len(), 10);
        assert!(few.windows(2).all(|pair| pair[0].at + 100 == pair[1].at));
        assert_eq!(few[0], CurveStep { at: 0, mean: PARTS_OF_ONE / 2, most: 1 });
        assert_eq!((few[5].most, few[4].most), (1000, 1));
        let sum: u64 = few.iter().map(|step| step.mean * 100).sum();
        assert_eq!(sum / PARTS_OF_ONE, 1500);
        // A run of fewer nanoseconds than parts.
        let short = steps(&samples, [0, 7], 5);
        assert!(short.len() == 5 && short.iter().all(|step| step.most <= 1));
    }
}
