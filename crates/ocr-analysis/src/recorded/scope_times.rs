//! What finish EDTs of two grains took as functions in a recorded run, as the runtime learns it.

use super::{RecordedRun, Scopes};
use ocr_place::model::{RunTimes, ScopeShares};
use rustc_hash::FxHashMap;

/// What a finish EDT took that ran as a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ScopeTime {
    /// From the call of the function to the end of the scope, in nanoseconds; where others were open, its share.
    pub(crate) ns: u64,
    /// Whether the function did most of the work itself.
    pub(crate) works_alone: bool,
    /// When the scope has closed, in nanoseconds since the begin of the run.
    pub(crate) end: u64,
}

/// The times of the finish EDTs of a run that ran as functions and could run as kernels, by the number of the EDT.
/// Those whose scope has not closed are left out.
pub(crate) fn scope_times(run: &RecordedRun, scopes: &Scopes) -> FxHashMap<u32, ScopeTime> {
    let mut happens = Vec::new();
    for (number, edt) in run.edts.iter().enumerate().filter(|(_, edt)| edt.place == 0 && run.is_of_two_grains(edt)) {
        let last = run.edts.get(scopes.last[number] as usize).filter(|last| last.time().is_some());
        if let Some(last) = last {
            happens.push((edt.end, false, number as u32));
            happens.push((last.end.max(edt.end), true, number as u32));
        }
    }
    // A scope opens before it closes at the same time.
    happens.sort_unstable();
    let mut shares = ScopeShares::default();
    let mut open = FxHashMap::default();
    let mut times = FxHashMap::default();
    for (at, closes, number) in happens {
        if !closes {
            open.insert(number, shares.begin(at));
        } else if let Some(begun) = open.remove(&number) {
            let edt = &run.edts[number as usize];
            let function = edt.time().unwrap_or(0);
            let (whole, share) = (function + (at - edt.end), function + shares.end(begun, at));
            let works_alone = RunTimes::is_alone(function, whole);
            times.insert(number, ScopeTime { ns: if works_alone { whole } else { share }, works_alone, end: at });
        }
    }
    times
}
