//! The command `ocr`: what OCR programs find on this machine, and how placement policies compare.
//!
//! | file | what |
//! |---|---|
//! | `info.rs`, `info_json.rs` | `ocr info`, and its answer as JSON |
//! | `shares.rs` | which devices a selection means, and how the cores are shared |
//! | `models.rs`, `models_json.rs` | `ocr models`, and its answer as JSON |
//! | `compare.rs` | `ocr compare`: which runs there are, and on which devices |
//! | `compare_options.rs` | its options, and the purposes of its runs |
//! | `row.rs`, `comparison.rs` | the results of these runs, and these as tables and notes |
//! | `json.rs` | the results of `ocr compare` as JSON |
//! | `best.rs`, `because.rs` | which policy is best, in words, and why |
//! | `reasons.rs` | why others are slower, by recorded runs, and what to try next |
//! | `html/` | a comparison or a recorded run as a page for a browser |
//! | `progress.rs` | how far the runs have come |
//! | `tune/` | `ocr tune`: the best of many settings |
//! | `same.rs` | values that must be alike in all runs |
//! | `run.rs` | one run of a program, with its report and its output |
//! | `input.rs` | the standard input, for each run |
//! | `started.rs` | why a program could not be started, or did not run to its end |
//! | `check.rs` | `ocr check`: pairs of EDTs in a recorded run that nothing orders |
//! | `explain.rs` | `ocr explain`: why a recorded run took so long, and what to change |
//! | `simulate.rs` | `ocr simulate`: a recorded run on another machine |
//! | `trace.rs` | `ocr trace`: what is in the recording of a run |
//! | `trace_json.rs` | the answers of `ocr trace` as JSON |
//! | `generate.rs` | man pages and completions, which `make` has written |
//! | `table.rs` | aligned tables, and numbers as texts |

mod because;
mod best;
mod check;
mod compare;
mod compare_options;
mod comparison;
mod explain;
mod generate;
mod html;
mod info;
mod info_json;
mod input;
mod json;
mod models;
mod models_json;
mod progress;
mod reasons;
mod row;
mod run;
mod same;
mod shares;
mod simulate;
mod started;
mod table;
mod trace;
mod trace_json;
mod tune;

use clap::{Command, CommandFactory, FromArgMatches, Parser, Subcommand};
use ocr::text::Readable;
use std::ffi::OsStr;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// Exit status where something that was run failed or was found to be wrong.
const FAILED: u8 = 1;

/// Exit status where the command line or the settings are wrong. Clap and OCR programs have the same one.
const USAGE: u8 = 2;

/// What each exit status means.
const EXIT_STATUS: [(u8, &str); 3] = [
    (0, "All went well, and the answer was written."),
    (
        FAILED,
        "Something that was run or read failed or was found to be wrong; the standard error says what.",
    ),
    (USAGE, "The command line or the settings are wrong."),
];

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
    #[command(after_help = compare_options::AFTER_HELP)]
    Compare(compare_options::CompareOptions),
    /// Lists, shows and removes what runs have learned of how long EDTs take.
    #[command(after_help = models::AFTER_HELP)]
    Models(models::ModelsOptions),
    /// Looks into the recording of a run that was started with OCR_TRACE=FILE.
    Trace(trace::TraceOptions),
    /// Finds pairs of EDTs in a recorded run that use one object, with nothing in the graph that orders them.
    #[command(after_help = check::AFTER_HELP)]
    Check(check::CheckOptions),
    /// Says why a recorded run took as long as it did, what the placement policy expected of an EDT, and what to change.
    #[command(after_help = explain::AFTER_HELP)]
    Explain(explain::ExplainOptions),
    /// Replays a recorded run on a machine that need not exist, by the policies of the runtime.
    #[command(after_help = simulate::AFTER_HELP)]
    Simulate(simulate::SimulateOptions),
    /// Finds the best of many settings of a program with few runs, and says how sure that is.
    #[command(after_help = tune::AFTER_HELP)]
    Tune(tune::TuneOptions),
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
    let below: Vec<String> = (command.get_subcommands())
        .map(|below| below.get_name().to_string())
        .collect();
    let ended = command.after_help(before.unwrap_or_default() + text);
    below.iter().fold(ended, |command, name| {
        command.mut_subcommand(name, |below| end_with(below, text))
    })
}

/// The message about what went wrong, and the exit status.
struct CommandError {
    message: String,
    status: u8,
}

impl CommandError {
    /// A failure for which the command line or the settings are wrong.
    fn usage(message: impl Into<String>) -> CommandError {
        CommandError {
            message: message.into(),
            status: USAGE,
        }
    }

    /// A failure of something that was run or read.
    fn failed(message: impl Into<String>) -> CommandError {
        CommandError {
            message: message.into(),
            status: FAILED,
        }
    }
}

/// The words of a command line as text, quoted as in a shell.
fn words(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "%+,-./:=@_".contains(letter);
    let word = |word: String| {
        if word.chars().all(is_plain) && !word.is_empty() {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let words = words.into_iter();
    let words: Vec<String> = words
        .map(|each| word(Readable::os(each.as_ref()).to_string()))
        .collect();
    words.join(" ")
}

/// Prints a whole answer. It is no error if the reader ends before the answer does (`ocr info | head`).
fn print(text: &str) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandError::failed(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

fn main() -> ExitCode {
    let parsed = command_with_status()
        .try_get_matches()
        .and_then(|matches| Arguments::from_arg_matches(&matches));
    let result = match parsed.map(|arguments| arguments.command) {
        Ok(Subcommands::Info(options)) => info::info(&options),
        Ok(Subcommands::Compare(options)) => compare::compare(&options),
        Ok(Subcommands::Models(options)) => models::models(&options),
        Ok(Subcommands::Trace(options)) => trace::trace(&options),
        Ok(Subcommands::Check(options)) => check::check(&options),
        Ok(Subcommands::Explain(options)) => explain::explain(&options),
        Ok(Subcommands::Simulate(options)) => simulate::simulate(&options),
        Ok(Subcommands::Tune(options)) => tune::tune(&options),
        Ok(Subcommands::Generate(options)) => generate::generate(&options),
        // The answer may also be the help or the version.
        Err(answer) => match answer.print() {
            Err(error) if !answer.use_stderr() && error.kind() != ErrorKind::BrokenPipe => {
                Err(CommandError::failed(format!("standard output: {error}")))
            }
            _ => return ExitCode::from(u8::try_from(answer.exit_code()).unwrap_or(USAGE)),
        },
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            // Unlike `eprintln!` this does not panic where the reader has ended (`ocr compare ... 2>&1 | head`).
            let _ = writeln!(std::io::stderr(), "ocr: error: {}", failure.message);
            ExitCode::from(failure.status)
        }
    }
}
