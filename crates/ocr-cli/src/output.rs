//! What the command writes: its answer to the standard output, an error, files that the command line names, and the
//! exit status; and the words of a command line as text.
//!
//! A file is tried out before the work whose result it gets, and is refused if it is one that the command reads. Where
//! the file is the standard output, as with `-o /dev/stdout`, the answer goes to the standard error, so that the two do
//! not mix.

use crate::signals;
use ocr_base::output_file::{OutputFile, is_open, without_signals};
use ocr_base::text::{Readable, is_control};
use ocr_trace::nodes::files_of_run;
use serde::Serialize;
use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Exit status where something that was run failed or was found to be wrong.
pub(crate) const FAILED: u8 = 1;

/// Exit status where the command line or the settings are wrong. Clap and OCR programs have the same one.
pub(crate) const USAGE: u8 = 2;

/// What each exit status means.
pub(crate) const EXIT_STATUS: [(u8, &str); 3] = [
    (0, "All went well, and the answer was written."),
    (FAILED, "Something that was run or read failed or was found to be wrong; the standard error says what."),
    (USAGE, "The command line or the settings are wrong."),
];

/// The message about what went wrong, and the exit status.
pub(crate) struct CommandError {
    pub(crate) message: String,
    pub(crate) status: u8,
}

impl CommandError {
    /// A failure for which the command line or the settings are wrong.
    pub(crate) fn usage(message: impl Into<String>) -> CommandError {
        CommandError { message: message.into(), status: USAGE }
    }

    /// The end of a command that a signal has interrupted, with the status that shells give to a program which a signal
    /// ended.
    pub(crate) fn interrupted(signal: i32) -> CommandError {
        CommandError {
            message: format!("interrupted by {}", signals::name(signal)),
            status: u8::try_from(128 + signal).unwrap_or(FAILED),
        }
    }

    /// A failure of something that was run or read.
    pub(crate) fn failed(message: impl Into<String>) -> CommandError {
        CommandError { message: message.into(), status: FAILED }
    }
}

/// The version of what is in answers as JSON. It grows when a member goes or changes its meaning, and not when one
/// comes.
const SCHEMA: u32 = 1;

/// An answer as JSON, with the version of its members first and a line feed at its end.
pub(crate) fn json(answer: &impl Serialize) -> String {
    #[derive(Serialize)]
    struct VersionedAnswer<'a, T> {
        schema: u32,
        #[serde(flatten)]
        answer: &'a T,
    }
    let versioned = VersionedAnswer { schema: SCHEMA, answer };
    match serde_json::to_string_pretty(&versioned) {
        Ok(text) => text + "\n",
        // No answer has a map whose keys are not strings, or a type that can fail.
        Err(error) => unreachable!("an answer is JSON: {error}"),
    }
}

/// The command line of this process as text, quoted as in a shell.
pub(crate) fn own_words() -> String {
    words(std::env::args_os())
}

/// The words of a command line as text, quoted as in a shell.
pub(crate) fn words(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "%+,-./:=@_".contains(letter);
    let word = |word: String| {
        if word.chars().all(is_plain) && !word.is_empty() { word } else { format!("'{}'", word.replace('\'', "'\\''")) }
    };
    let words = words.into_iter();
    let words: Vec<String> = words.map(|each| word(Readable::os(each.as_ref()).to_string())).collect();
    words.join(" ")
}

/// Whether the command was started without a standard output.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Rust opens `/dev/null` in place of a standard output that is closed, before `main`. So this is called before that,
/// by
/// the C library.
extern "C" fn look_at_output() {
    // Relaxed: the process has one thread.
    IS_CLOSED.store(!is_open(libc::STDOUT_FILENO), Ordering::Relaxed);
}

// SAFETY: the section holds addresses of functions that take no arguments they need and return nothing, and this is
// one. It
// makes a system call and stores a flag, for which nothing has to be ready.
#[unsafe(link_section = ".init_array")]
#[used]
static LOOK_AT_OUTPUT: extern "C" fn() = look_at_output;

/// An error where nothing that the command answers can be seen by anybody.
pub(crate) fn check_output() -> Result<(), CommandError> {
    // Relaxed: it was stored before `main`.
    if IS_CLOSED.load(Ordering::Relaxed) {
        return Err(CommandError::failed("the standard output is closed"));
    }
    Ok(())
}

/// A text with control characters written as `\xHH`. Names come from outside, and a terminal would obey them.
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    if text.contains(is_control) { Cow::Owned(Readable(text.as_bytes()).to_string()) } else { Cow::Borrowed(text) }
}

/// Prints a whole answer, with control characters escaped. It is no error if the reader ends before the answer does
/// (`ocr info | head`).
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    let text = plain(text);
    let mut out = io::stdout().lock();
    let written = without_signals(|| out.write_all(text.as_bytes()).and_then(|()| out.flush()));
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandError::failed(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints an answer beside a file that is written, if there is one.
pub(crate) fn print_beside(file: Option<&OutputFile>, text: &str) -> Result<(), CommandError> {
    if file.is_some_and(|file| file.is_descriptor(libc::STDOUT_FILENO)) {
        print_error(text);
        return Ok(());
    }
    print(text)
}

/// Prints to the standard error. Unlike `eprintln!` this does not panic where the reader has ended.
pub(crate) fn print_error(text: &str) {
    let _ = without_signals(|| io::stderr().write_all(plain(text).as_bytes()));
}

/// A file that the command line names for an output, which can be written and is none of the `inputs`, whatever its
/// name: also where it is a descriptor. `what` says what is written, as "the page"; each input comes with what it is.
pub(crate) fn output_file(
    what: &str,
    file: &Path,
    inputs: impl IntoIterator<Item = (&'static str, impl AsRef<Path>)>,
) -> Result<OutputFile, CommandError> {
    let name = Readable::path(file);
    let output = OutputFile::new(file)
        .map_err(|error| CommandError::failed(format!("{what} {name} cannot be written: {error}")))?;
    // A terminal may be read and written.
    let is_file = |input: &Path| input.metadata().is_ok_and(|about| about.is_file());
    let refused = |it_is: String| {
        Err(CommandError::usage(format!("{what} {name} cannot be written: it is {it_is}. Name another file")))
    };
    for (input_is, input) in inputs {
        let input = input.as_ref();
        if output.is(input) && is_file(input) {
            return refused(format!("{input_is} {}", Readable::path(input)));
        }
    }
    if output.is_code() {
        return refused("a program or a shared library".to_string());
    }
    Ok(output)
}

/// The files of the run that a recording is of, as inputs of [`output_file`].
pub(crate) fn recordings(file: &Path) -> Vec<(&'static str, PathBuf)> {
    let files = files_of_run(file).into_iter();
    files
        .enumerate()
        .map(|(at, file)| (if at == 0 { "the recording" } else { "the recording of another node," }, file))
        .collect()
}

/// Refuses an input that is the file behind the standard output: the answer would go into it (`ocr explain t >> t`).
pub(crate) fn check_input(file: &Path) -> Result<(), CommandError> {
    let is_file = file.metadata().is_ok_and(|about| about.is_file());
    let output = is_file.then(|| OutputFile::new(Path::new("/dev/stdout")));
    if let Some(Ok(output)) = output
        && output.is(file)
    {
        return Err(CommandError::usage(format!(
            "{} is what the standard output goes to, and the answer would be written into it. Send the answer elsewhere",
            Readable::path(file)
        )));
    }
    Ok(())
}
