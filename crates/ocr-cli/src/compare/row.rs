//! What is kept of the runs of one policy.

use crate::times::Times;
use ocr::report::Report;
use ocr_analysis::diagnosis::Facts;
use ocr_analysis::page::PageRun;

/// The results of one policy's runs.
pub(crate) struct Row {
    /// The name of the policy.
    pub(crate) policy: String,
    /// The measured runs, in their order.
    pub(crate) runs: Vec<Measured>,
    /// If a run failed, how, in a few words, and the end of what it wrote to the standard error.
    pub(crate) failure: Option<(String, String)>,
    /// The part of the time that no schedule can save, from 0 to 1. None where no whole run was recorded.
    pub(crate) bound: Option<f64>,
    /// The facts about the recorded run. None where no run was recorded.
    pub(crate) facts: Option<Facts>,
    /// The seconds that the program has printed in the recorded run. None where it prints none.
    pub(crate) own: Option<f64>,
    /// The recorded run as a page shows it. None where no page is wanted.
    pub(crate) page: Option<PageRun>,
}

/// A measured run.
pub(crate) struct Measured {
    /// How long the run took, in seconds.
    pub(crate) seconds: f64,
    /// Whether the program has printed the seconds itself; otherwise they are the runtime's.
    pub(crate) is_own: bool,
    /// The value of each key of `--show`. None where the program did not print it.
    pub(crate) shown: Vec<Option<String>>,
    /// How many programs of the runtime have run in it.
    pub(crate) programs: usize,
    /// The report of the runtime.
    pub(crate) report: Report,
}

impl Row {
    /// The times of the runs. None if one has failed, or there is none.
    pub(crate) fn times(&self) -> Option<Times> {
        if self.failure.is_some() {
            return None;
        }
        Times::new(self.runs.iter().map(|run| run.seconds).collect())
    }

    /// The run with the time in the middle, which stands for all. None if a run has failed, or there is none.
    pub(crate) fn middle(&self) -> Option<&Measured> {
        let middle = self.times()?.middle();
        self.runs.iter().find(|run| run.seconds == middle)
    }
}
