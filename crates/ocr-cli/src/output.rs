//! What the command writes: a whole answer, an error, and the exit status; and the words of a command line as text.

use ocr_base::text::Readable;
use std::ffi::OsStr;
use std::io::{ErrorKind, Write};

/// Exit status where something that was run failed or was found to be wrong.
pub(crate) const FAILED: u8 = 1;

/// Exit status where the command line or the settings are wrong. Clap and OCR programs have the same one.
pub(crate) const USAGE: u8 = 2;

/// What each exit status means.
pub(crate) const EXIT_STATUS: [(u8, &str); 3] = [
    (0, "All went well, and the answer was written."),
    (
        FAILED,
        "Something that was run or read failed or was found to be wrong; the standard error says what.",
    ),
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
        CommandError {
            message: message.into(),
            status: USAGE,
        }
    }

    /// A failure of something that was run or read.
    pub(crate) fn failed(message: impl Into<String>) -> CommandError {
        CommandError {
            message: message.into(),
            status: FAILED,
        }
    }
}

/// The words of a command line as text, quoted as in a shell.
pub(crate) fn words(words: impl IntoIterator<Item = impl AsRef<OsStr>>) -> String {
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
pub(crate) fn print(text: &str) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CommandError::failed(format!("standard output: {error}")))
        }
        _ => Ok(()),
    }
}
