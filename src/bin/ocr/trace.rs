//! `ocr trace`: what is in the recording of a run.

use crate::{Failure, print};
use clap::{Args, Subcommand};
use ocr::report::recorded;
use std::path::PathBuf;

/// What `ocr trace` is asked for.
#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Checks a recording, and says what is cut off: what was going on when a run was killed, or goes on now.
    Check {
        /// The recording.
        file: PathBuf,
    },
    /// Shows what ran, where and how long.
    Show {
        /// The recording.
        file: PathBuf,
    },
}

pub(crate) fn trace(options: &Options) -> Result<(), Failure> {
    match &options.what {
        What::Check { file } => {
            let run = recorded::read(file).map_err(Failure::failed)?;
            let found = run.check();
            let mut text = format!(
                "{}: {} records, {} EDTs\n",
                run.name,
                run.records,
                run.edts.len()
            );
            for sentence in &found.wrong {
                text += &format!("wrong: {sentence}\n");
            }
            for sentence in &found.cut {
                text += &format!("cut: {sentence}\n");
            }
            for sentence in &found.left {
                text += &format!("left when the run ended: {sentence}\n");
            }
            if found.wrong.is_empty() && found.cut.is_empty() {
                text += "whole, and nothing is wrong\n";
            }
            print(&text)?;
            match (found.wrong.len(), found.cut.len()) {
                (0, 0) => Ok(()),
                (0, _) => Err(Failure::failed(format!(
                    "the recording {} is not whole, as far as it goes nothing is wrong with it",
                    run.name
                ))),
                _ => Err(Failure::failed(format!(
                    "the recording {} cannot be that of a run",
                    run.name
                ))),
            }
        }
        What::Show { file } => {
            let run = recorded::read(file).map_err(Failure::failed)?;
            print(&run.summary())
        }
    }
}
