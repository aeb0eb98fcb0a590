//! How far the runs of a comparison or of a search have come, for somebody who looks: nothing is written where the standard error is no terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// A bar on the terminal, which goes away with this value.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// A bar for so many runs.
    pub(crate) fn new(runs: u64) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("[{bar:24}] {pos}/{len} {elapsed} {wide_msg}");
        if let Ok(style) = style {
            bar.set_style(style.progress_chars("=> "));
        }
        if !bar.is_hidden() {
            // So that the time goes on during a long run; a thread that wakes once a second disturbs none.
            bar.enable_steady_tick(Duration::from_secs(1));
        }
        Progress(bar)
    }

    /// A run begins, which is this.
    pub(crate) fn begins(&self, what: String) {
        self.0.set_message(what);
    }

    /// It has ended, or is left out.
    pub(crate) fn ended(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
