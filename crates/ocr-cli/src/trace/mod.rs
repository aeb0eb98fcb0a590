//! `ocr trace`: checks, exports and shows the recording of a run.

mod json;

use crate::output::{CommandError, check_input, output_file, print, print_beside, recordings};
use crate::table::fit;
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use ocr_analysis::export::{self, ViewerForm};
use ocr_analysis::recorded;
use ocr_base::text::Readable;
use std::path::PathBuf;

/// The arguments of `ocr trace`.
#[derive(Args)]
pub(crate) struct TraceOptions {
    #[command(subcommand)]
    what: TraceCommand,
}

#[derive(Subcommand)]
enum TraceCommand {
    /// Checks a recording, and says what is cut off: what was going on when a run was killed, or goes on now.
    Check {
        /// The recording.
        file: PathBuf,
        /// Writes JSON.
        #[arg(long)]
        json: bool,
    },
    /// Writes a recording for viewers: Perfetto (https://ui.perfetto.dev), older viewers, any browser, or as a graph.
    Export {
        /// The recording.
        file: PathBuf,
        /// What is written; without it, the recording's name and the end for the form, or without the .recording behind
        /// that.
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// The form: perfetto, json (chrome://tracing, speedscope), html (a page), dot (Graphviz) or graphml; without
        /// it, the one that the name of the output ends with, or perfetto.
        #[arg(long, value_parser = PossibleValuesParser::new(ViewerForm::ALL.map(ViewerForm::name)))]
        format: Option<String>,
        /// Arrows for dependences, at most: those that came last to each EDT first.
        #[arg(long, value_name = "N", default_value_t = export::ARROWS)]
        arrows: usize,
    },
    /// Shows what ran, where and how long, and where the rest of the time went.
    Show {
        /// The recording.
        file: PathBuf,
        /// Writes JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Checks, exports or shows a recording.
pub(crate) fn trace(options: &TraceOptions) -> Result<(), CommandError> {
    match &options.what {
        TraceCommand::Check { file, json } => {
            check_input(file)?;
            let run = recorded::read(file).map_err(CommandError::failed)?;
            let found = run.check();
            let mut text = format!("{}: {} records, {} EDTs\n", run.name, run.records, run.edts.len());
            if found.wrong.is_empty() && found.cut.is_empty() && found.apart.is_empty() {
                text += "whole, and nothing is wrong\n";
            }
            for sentence in &found.wrong {
                text += &format!("wrong: {sentence}\n");
            }
            for sentence in &found.cut {
                text += &format!("cut: {sentence}\n");
            }
            for sentence in &found.apart {
                text += &format!("clocks: {sentence}\n");
            }
            for sentence in &found.left {
                text += &format!("left by the run when it ended: {sentence}\n");
            }
            print(&if *json { json::check(&run, &found) } else { fit(&text) })?;
            match (found.wrong.len(), found.cut.len()) {
                (0, 0) if found.apart.is_empty() => Ok(()),
                (0, 0) => Err(CommandError::failed(format!(
                    "not all times of the recording {} are sure; otherwise nothing is wrong with it",
                    run.name
                ))),
                (0, _) => Err(CommandError::failed(format!(
                    "the recording {} is not whole; as far as it goes, nothing is wrong with it",
                    run.name
                ))),
                _ => Err(CommandError::failed(format!("the recording {} cannot be that of a run", run.name))),
            }
        }
        TraceCommand::Export { file, output, format, arrows } => {
            let named = |form: &ViewerForm| Some(form.name()) == format.as_deref();
            let form = ViewerForm::ALL.into_iter().find(named);
            let output = output.clone().unwrap_or_else(|| export::file_for(file, form));
            let file_written = output_file("the file", &output, recordings(file))?;
            let run = recorded::read(file).map_err(CommandError::failed)?;
            let name = Readable::path(&output);
            let form = form.or_else(|| ViewerForm::of(&output));
            let written = export::write_file(&run, &file_written, form, *arrows)
                .map_err(|error| CommandError::failed(format!("{name} cannot be written: {error}")))?;
            let mut text = match form {
                Some(ViewerForm::Html) => format!("{name}: a page for a browser\n"),
                Some(ViewerForm::Dot | ViewerForm::GraphMl) => format!(
                    "{name}: {} EDTs and {} edges for dependences and creations\n",
                    written.slices, written.arrows
                ),
                _ => format!("{name}: {} slices and {} arrows for dependences\n", written.slices, written.arrows),
            };
            if written.left_out != 0 {
                text += &format!(
                    "{} dependences have no arrow: a viewer becomes slow with too many, and those that came last to each \
                     EDT came first here; --arrows N allows more\n",
                    written.left_out
                );
            }
            for gap in run.gaps() {
                text += &format!("partial: {gap}\n");
            }
            print_beside(Some(&file_written), &text)
        }
        TraceCommand::Show { file, json } => {
            check_input(file)?;
            let run = recorded::read(file).map_err(CommandError::failed)?;
            print(&if *json { json::show(&run) } else { fit(&run.summary()) })
        }
    }
}
