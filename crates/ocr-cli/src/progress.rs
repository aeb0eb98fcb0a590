//! Shows on a terminal how far the runs of a comparison or of a search have come. Nothing is written where the standard
//! error is no terminal.

use crate::output::plain;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// A bar on the terminal, which goes away when this value is dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar for a number of runs.
    pub(crate) fn new(runs: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("[{bar:24}] {pos}/{len} {elapsed} {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        if !bar.is_hidden() {
            // A thread draws the bar each second, so that its time goes on during a long run. It disturbs no run.
            bar.enable_steady_tick(Duration::from_secs(1));
        }
        Progress(bar)
    }

    /// Shows that a run begins, with words for which one.
    pub(crate) fn begins(&self, what: String) {
        self.0.set_message(plain(&what).into_owned());
    }

    /// Adds runs that will be made, too.
    pub(crate) fn more(&self, runs: u64) {
        self.0.inc_length(runs);
    }

    /// Shows that a run has ended, or was left out.
    pub(crate) fn ended(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
