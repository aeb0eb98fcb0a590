//! `ocr check`: pairs of EDTs that nothing orders, in a recorded run.

use crate::output::{self, CommandError, check_input, print};
use crate::table::fit;
use clap::Args;
use ocr_analysis::races::{self, RaceFindings, RaceKind};
use std::path::PathBuf;

/// What stands behind the help of `ocr check`.
pub(crate) const AFTER_HELP: &str = "\
A run is recorded with OCR_TRACE=FILE. It shows most with OCR_WORKERS=1 OCR_SCHED=cpu: the order of EDTs is found by what \
the program has asked for, not by when they ran, and what each EDT wrote is seen best where no other runs at the \
same time. Of an EDT that makes thousands of calls it is not seen whether it goes on to write a block that it has given \
away.

The status is 1 if there are races. Pairs whose order alone is not determined, as of two EDTs that hold a block in mode EW, \
are shown and change no status: a program whose result does not depend on that order is right.";

/// The arguments of `ocr check`.
#[derive(Args)]
pub(crate) struct CheckOptions {
    /// The recording.
    file: PathBuf,
    /// Shows races alone, not what is right if the result does not depend on the order.
    #[arg(long)]
    races: bool,
    /// Writes JSON.
    #[arg(long)]
    json: bool,
}

/// Looks for pairs of EDTs that nothing orders.
pub(crate) fn check(options: &CheckOptions) -> Result<(), CommandError> {
    check_input(&options.file)?;
    let mut found = races::check(&options.file).map_err(CommandError::failed)?;
    if options.races {
        found.findings.retain(|finding| finding.kind == RaceKind::Race);
    }
    print(&if options.json { output::json(&found) } else { fit(&text(&found)) })?;
    match found.races() {
        0 => Ok(()),
        1 => Err(CommandError::failed("there is 1 race")),
        races => Err(CommandError::failed(format!("there are {races} races"))),
    }
}

/// The answer for people.
fn text(found: &RaceFindings) -> String {
    let mut text =
        format!("{}: {} EDTs, {} data blocks, {} events\n", found.name, found.edts, found.blocks, found.events);
    for finding in &found.findings {
        let kind = match finding.kind {
            RaceKind::Race => "race",
            RaceKind::Order => "order not determined",
        };
        text += &format!("\n{kind}: {}\n  {}\n", finding.sentence, finding.advice);
        match finding.more {
            0 => {}
            1 => text += "  One more pair of these templates does the same.\n",
            more => text += &format!("  {more} more pairs of these templates do the same.\n"),
        }
    }
    if found.findings.is_empty() {
        text += "all that matters is ordered by the program\n";
    }
    for note in &found.notes {
        text += &format!("note: {note}\n");
    }
    for gap in &found.gaps {
        text += &format!("partial: {gap}\n");
    }
    text
}
