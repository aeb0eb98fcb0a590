//! Looks for what cannot be in a recording of a run, and for what is cut off.

use super::{NEVER, RecordedEdt, RecordedRun};
use ocr_base::text::duration;
use ocr_trace::numbers::WorkKind;

/// By how many nanoseconds the times of two threads, or of a device and the host, may differ wrongly.
pub(crate) const TOLERANCE: u64 = 5_000;

/// How many names of EDTs a sentence lists at most.
const NAMES: usize = 5;

/// What a check has found.
#[derive(Debug, Default, PartialEq)]
pub struct Findings {
    /// Sentences about what cannot be.
    pub wrong: Vec<String>,
    /// Sentences about what is cut off, and for a run without an end, about what was going on.
    pub cut: Vec<String>,
    /// Sentences about what a run that has ended has left undone.
    pub left: Vec<String>,
    /// Sentences about times that are not sure, since the machine's clocks have gone apart.
    pub apart: Vec<String>,
}

/// The names of the first few of some EDTs, and how many more there are.
fn list(run: &RecordedRun, edts: &[&RecordedEdt]) -> String {
    let names: Vec<String> = edts.iter().take(NAMES).map(|edt| run.name_of(edt)).collect();
    match edts.len().saturating_sub(NAMES) {
        0 => names.join(", "),
        more => format!("{}, and {more} more", names.join(", ")),
    }
}

impl RecordedRun {
    /// Looks for what cannot be in a recording of a run, and for what is cut off.
    pub fn check(&self) -> Findings {
        let mut found =
            Findings { wrong: self.wrong.clone(), cut: self.missing(), left: Vec::new(), apart: self.apart.clone() };
        // Where records are missing or damaged, nothing can be said about what is not there.
        let whole = found.cut.is_empty() && found.wrong.is_empty();
        let mut wrong = |is_wrong: &dyn Fn(&RecordedEdt) -> bool, what: &str| {
            let edts: Vec<&RecordedEdt> = self.edts.iter().filter(|edt| is_wrong(edt)).collect();
            if !edts.is_empty() {
                found.wrong.push(format!("{what}: {}", list(self, &edts)));
            }
        };
        let before =
            |first: u64, second: u64| first != NEVER && second != NEVER && first > second.saturating_add(TOLERANCE);
        wrong(&|edt| before(edt.created, edt.runnable), "runnable before it is created");
        wrong(&|edt| before(edt.runnable, edt.begin), "begins before it is runnable");
        wrong(&|edt| before(edt.begin, edt.end), "ends before it begins");
        wrong(
            &|edt| edt.end != NEVER && before(edt.opencl, edt.end.saturating_sub(edt.begin)),
            "waited for OpenCL longer than it ran",
        );
        wrong(
            &|edt| edt.end != NEVER && before(edt.answers, edt.end.saturating_sub(edt.begin)),
            "waited for other nodes longer than it ran",
        );
        wrong(
            &|edt| edt.satisfied > edt.depc && edt.created != NEVER && edt.depc < 65535,
            "more pre-slots satisfied than there are",
        );
        if whole {
            wrong(&|edt| edt.created == NEVER && edt.runnable != NEVER, "runnable and never created");
            wrong(&|edt| edt.begin != NEVER && edt.runnable == NEVER, "begins and was never runnable");
            wrong(
                &|edt| edt.runnable != NEVER && edt.satisfied < edt.depc,
                "runnable with pre-slots that are not satisfied",
            );
        }
        if self.status.is_none() {
            found.cut.push(self.no_end());
        }
        for node in self.nodes.iter().skip(1).filter(|node| node.status.is_none()) {
            found.cut.push(format!(
                "the recording of node {} (process {} on {}) has no end: the process was killed, crashed, or goes on",
                node.number, node.process, node.host
            ));
        }
        let list = match self.status {
            None => &mut found.cut,
            Some(_) => &mut found.left,
        };
        if whole {
            self.going_on(list);
        } else {
            found
                .cut
                .push("what was going on at the end cannot be told, since records are missing or damaged".to_string());
        }
        found
    }

    /// The sentence about a run without an end.
    fn no_end(&self) -> String {
        let at = duration(self.end as f64 / 1e9);
        let process = format!("/proc/{}", self.process);
        let why = if std::path::Path::new(&process).exists() {
            format!("process {} goes on, or was killed and another has its number", self.process)
        } else {
            "the process was killed, crashed, or ended by _exit".to_string()
        };
        format!("the run has no end: {why}; the last record was written {at} after its begin")
    }

    /// Adds sentences about what was going on when the recording ended.
    fn going_on(&self, cut: &mut Vec<String>) {
        let mut going = |is_so: &dyn Fn(&RecordedEdt) -> bool, what: &str| {
            let edts: Vec<&RecordedEdt> = self.edts.iter().filter(|edt| is_so(edt)).collect();
            if !edts.is_empty() {
                cut.push(format!("{what}: {}", list(self, &edts)));
            }
        };
        going(&|edt| edt.begin != NEVER && edt.end == NEVER, "begun and not ended");
        going(&|edt| edt.launched != NEVER && edt.begin == NEVER, "given to a device and not seen to end");
        // An EDT that stands for a thread which waits in a call never runs.
        let waits = |edt: &RecordedEdt| self.template_name(edt) == WorkKind::Waiter.call();
        going(
            &|edt| {
                let is_runnable = edt.runnable != NEVER && !waits(edt);
                is_runnable && edt.begin == NEVER && edt.launched == NEVER
            },
            "runnable and not begun",
        );
        going(&|edt| edt.created != NEVER && edt.runnable == NEVER, "created and never runnable");
    }
}
