//! The command `ocr`: what OCR programs find on this machine, and how placement policies compare.
//!
//! | file | what |
//! |---|---|
//! | `info/` | `ocr info`, and its answer as JSON; which devices a selection means, and how the cores are shared |
//! | `compare/` | `ocr compare`: its runs, their results as tables and as JSON, and which policy is best, and why |
//! | `tune/` | `ocr tune`: the best of many settings |
//! | `check.rs` | `ocr check`: pairs of EDTs in a recorded run that nothing orders |
//! | `explain/` | `ocr explain`: why a recorded run took so long, and what to change |
//! | `simulate/` | `ocr simulate`: a recorded run on another machine, or on several nodes |
//! | `trace/` | `ocr trace`: what is in the recording of a run, and that as JSON |
//! | `models/` | `ocr models`: what runs have learned, and that as JSON |
//! | `checkpoint.rs` | `ocr checkpoint` and `ocr restore`: checkpoints of a run from outside, and going on from one |
//! | `generate.rs` | man pages and completions, which `make` has written |
//! | `run.rs`, `input.rs` | one run of a program, with its report and its output; the standard input for each run |
//! | `child.rs`, `signals.rs` | waiting for a program and ending it; signals that ask the command to end |
//! | `ranks.rs` | how sure it is that one group of times is shorter than another |
//! | `times.rs` | how long runs took: their median and spread |
//! | `started.rs` | why a program could not be started, or did not run to its end |
//! | `progress.rs` | how far the runs have come |
//! | `table.rs` | aligned tables and broken lines, which fit the terminal; numbers as texts |
//! | `devices.rs` | names of devices, each written once |
//! | `output.rs` | answers, errors and exit statuses; at the bottom, so that no file imports this one |

mod check;
mod checkpoint;
mod child;
mod compare;
mod devices;
mod explain;
mod generate;
mod info;
mod input;
mod models;
mod output;
mod progress;
mod ranks;
mod run;
mod signals;
mod simulate;
mod started;
mod table;
mod times;
mod trace;
mod tune;

use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use ocr_base::output_file::without_signals;
use ocr_base::text::is_control;
use output::{CommandError, EXIT_STATUS, USAGE, check_output, print, print_error};
use std::io::ErrorKind;
use std::process::ExitCode;
use table::fit;

/// For users of the Open Community Runtime: what programs find here, and how policies compare.
#[derive(Parser)]
#[command(name = "ocr", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    /// Shows the workers, devices, settings and policies that a program started here would get.
    Info(info::InfoOptions),
    /// Runs a program under several placement policies, shows the results in one table, and says which to use.
    #[command(after_help = compare::options::AFTER_HELP)]
    Compare(compare::options::CompareOptions),
    /// Lists, shows and removes what runs have learned of how long EDTs take.
    #[command(after_help = models::AFTER_HELP)]
    Models(models::ModelsOptions),
    /// Looks into the recording of a run that was started with OCR_TRACE=FILE.
    Trace(trace::TraceOptions),
    /// Finds pairs of EDTs in a recorded run that use one object, with nothing in the graph that orders them.
    #[command(after_help = check::AFTER_HELP)]
    Check(check::CheckOptions),
    /// Says why a recorded run took as long as it did, what the placement policy expected of an EDT, and what to
    /// change.
    #[command(after_help = explain::AFTER_HELP)]
    Explain(explain::ExplainOptions),
    /// Replays a recorded run on a machine that need not exist, by the policies of the runtime.
    #[command(after_help = simulate::AFTER_HELP)]
    Simulate(simulate::SimulateOptions),
    /// Finds the best of many settings of a program with few runs, and says how sure that is.
    #[command(after_help = tune::AFTER_HELP)]
    Tune(tune::TuneOptions),
    /// Has a running program that was started with OCR_CHECKPOINT=DIR make a checkpoint now, and prints its name.
    #[command(after_help = checkpoint::AFTER_CHECKPOINT)]
    Checkpoint(checkpoint::CheckpointOptions),
    /// Starts the program of the last whole checkpoint in a directory, which goes on from there.
    #[command(after_help = checkpoint::AFTER_RESTORE)]
    Restore(checkpoint::RestoreOptions),
    /// Writes man pages and completions, for `make install`.
    #[command(hide = true)]
    Generate(generate::GenerateOptions),
}

/// The command line of `ocr`.
fn command() -> Command {
    Arguments::command()
}

/// The command line of `ocr`, with a help that ends with the table of exit statuses.
fn command_with_status() -> Command {
    let mut text = String::from("Exit status:");
    for (status, what) in EXIT_STATUS {
        text += &format!("\n  {status}  {what}");
    }
    end_with(command(), &text)
}

/// Adds a text at the end of the help of a command and of all its subcommands.
fn end_with(command: Command, text: &str) -> Command {
    let before = command.get_after_help().map(|help| format!("{help}\n\n"));
    let below: Vec<String> = (command.get_subcommands()).map(|below| below.get_name().to_string()).collect();
    let ended = command.after_help(before.unwrap_or_default() + text);
    below.iter().fold(ended, |command, name| command.mut_subcommand(name, |below| end_with(below, text)))
}

fn main() -> ExitCode {
    // Before anything asks OpenCL.
    child::environment();
    match check_output().and_then(|()| answer()) {
        Ok(status) => status,
        Err(failure) => {
            print_error(&format!("ocr: error: {}\n", failure.message));
            ExitCode::from(failure.status)
        }
    }
}

/// Whether a word of the command line has a control character.
fn has_control_characters() -> bool {
    let mut words = std::env::args_os();
    words.any(|word| word.to_string_lossy().contains(is_control))
}

/// Does what the command line asks for.
fn answer() -> Result<ExitCode, CommandError> {
    let parsed = command_with_status().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let result = match parsed.map(|arguments| arguments.command) {
        Ok(Subcommands::Info(options)) => info::info(&options),
        Ok(Subcommands::Compare(options)) => compare::compare(&options),
        Ok(Subcommands::Models(options)) => models::models(&options),
        Ok(Subcommands::Trace(options)) => trace::trace(&options),
        Ok(Subcommands::Check(options)) => check::check(&options),
        Ok(Subcommands::Explain(options)) => explain::explain(&options),
        Ok(Subcommands::Simulate(options)) => simulate::simulate(&options),
        Ok(Subcommands::Tune(options)) => tune::tune(&options),
        Ok(Subcommands::Checkpoint(options)) => checkpoint::checkpoint(&options),
        Ok(Subcommands::Restore(options)) => checkpoint::restore(&options),
        Ok(Subcommands::Generate(options)) => generate::generate(&options, &command()),
        // Clap shows words of the command line as they are, or without sequences that it knows.
        Err(answer) if answer.use_stderr() && has_control_characters() => {
            return Err(CommandError {
                message: answer.to_string().trim_start_matches("error: ").trim_end().to_string(),
                status: u8::try_from(answer.exit_code()).unwrap_or(USAGE),
            });
        }
        // The help, where it does not fit the terminal. It has no colors then.
        Err(answer) if !answer.use_stderr() && fit(&answer.to_string()) != answer.to_string() => {
            print(&fit(&answer.to_string()))
        }
        // The answer may also be the help or the version.
        Err(answer) => match without_signals(|| answer.print()) {
            Err(error) if !answer.use_stderr() && error.kind() != ErrorKind::BrokenPipe => {
                Err(CommandError::failed(format!("standard output: {error}")))
            }
            _ => {
                let status = u8::try_from(answer.exit_code()).unwrap_or(USAGE);
                return Ok(ExitCode::from(status));
            }
        },
    };
    result.map(|()| ExitCode::SUCCESS)
}
