//! `ocr checkpoint` and `ocr restore`: a checkpoint of a running program, and a run that goes on from one.

use crate::output::{CommandError, print, print_error};
use crate::started::explain_start;
use clap::{Args, value_parser};
use ocr_base::text::Readable;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// What stands behind the help of `ocr checkpoint`.
pub(crate) const AFTER_CHECKPOINT: &str = "\
The program may have been started with OCR_CHECKPOINT=DIR:SECONDS, too. The command waits until the checkpoint is \
there. Where it cannot be made now, as while a file is open (ocrFileOpen), it is tried ten times.

The status is 1 if no checkpoint was made: there is no such process, it is of somebody else, is no OCR program or \
makes no checkpoints, it has ended meanwhile, or what it has cannot be saved.";

/// What stands behind the help of `ocr restore`.
pub(crate) const AFTER_RESTORE: &str = "\
The program is started in place of this command, with OCR_RESTORE=DIR. So the status and the output are those of the \
program, and signals go to it. Settings are those of this environment: with OCR_CHECKPOINT=DIR, it makes checkpoints \
in its turn.

The status is 1 if no checkpoint of DIR is whole, or the program cannot be started. A program that was built anew \
since refuses the checkpoint, with status 1, too.";

/// The arguments of `ocr checkpoint`.
#[derive(Args)]
pub(crate) struct CheckpointOptions {
    /// The number of the program's process.
    #[arg(value_parser = value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    pid: u32,
}

/// The arguments of `ocr restore`.
#[derive(Args)]
pub(crate) struct RestoreOptions {
    /// The directory that OCR_CHECKPOINT has named.
    #[arg(value_name = "DIR")]
    directory: PathBuf,
    /// Arguments of the program in place of those that it had, such as -ocr:workers=4.
    #[arg(last = true, value_name = "ARGS")]
    arguments: Vec<OsString>,
}

/// Asks for a checkpoint, and prints its name.
pub(crate) fn checkpoint(options: &CheckpointOptions) -> Result<(), CommandError> {
    let note = |why| print_error(&format!("ocr: note: {why}\n"));
    let made = ocr::ask_for_checkpoint(options.pid, note).map_err(CommandError::failed)?;
    print(&format!("{}\n", Readable::path(&made)))
}

/// Starts the program of a checkpoint in place of this one. It comes back with an error alone.
pub(crate) fn restore(options: &RestoreOptions) -> Result<(), CommandError> {
    let directory = &options.directory;
    let name = Readable::path(directory);
    let words = ocr::command_of(directory).map_err(CommandError::failed)?;
    let Some((program, before)) = words.split_first() else {
        return Err(CommandError::failed(format!(
            "the last checkpoint of {name} does not say which program has written it: start that with \
             OCR_RESTORE={name}"
        )));
    };
    let arguments = if options.arguments.is_empty() { before } else { &options.arguments };
    let error = Command::new(program).args(arguments).env("OCR_RESTORE", directory).exec();
    let why = explain_start(program, &error);
    Err(CommandError::failed(format!("the last checkpoint of {name} is of a program that is not there: {why}")))
}
