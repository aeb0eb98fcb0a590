//! Bytes that come from outside, and numbers of things, as text for people.
//!
//! Names of files, arguments, settings and labels are bytes on Linux, and need not be UTF-8. What the runtime hands
//! on, such as a name to open or a source to compile, stays bytes. What it shows, in messages, reports and graphs, is
//! text: there each byte that is not UTF-8 is written as `\xHH`, with its two hexadecimal digits. So nothing is lost,
//! the output is always valid UTF-8, and two names that differ look different. Control characters are written so, too:
//! a name moves no cursor, and clears no screen.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{fmt, io};

pub mod threads;

/// Shows bytes as text, with `\xHH` for each byte that is not UTF-8 or of a control character. Line feeds and tabs stay
/// as they are. It allocates nothing: a signal handler may use it.
#[derive(Clone, Copy, Debug)]
pub struct Readable<'a>(pub &'a [u8]);

impl<'a> Readable<'a> {
    /// The name of a file.
    pub fn path(path: &'a Path) -> Readable<'a> {
        Readable::os(path.as_os_str())
    }

    /// An argument, or a value of the environment.
    pub fn os(text: &'a OsStr) -> Readable<'a> {
        Readable(text.as_bytes())
    }
}

impl fmt::Display for Readable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for chunk in self.0.utf8_chunks() {
            let mut rest = chunk.valid();
            while let Some(at) = rest.find(is_control) {
                let (before, from) = rest.split_at(at);
                f.write_str(before)?;
                let letter = from.chars().next().map_or(0, char::len_utf8);
                let (control, after) = from.split_at(letter);
                control.bytes().try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
                rest = after;
            }
            f.write_str(rest)?;
            for byte in chunk.invalid() {
                write!(f, "\\x{byte:02x}")?;
            }
        }
        Ok(())
    }
}

/// Whether a letter is a control character, which a terminal may obey. Line feeds and tabs are none of these.
pub fn is_control(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\t')
}

/// A number with the name of what it counts, as "1 byte" and "2 bytes". Its text is written without an allocation, so
/// that the handler of a signal may use it.
#[derive(Clone, Copy, Debug)]
pub struct Counted<'a>(pub u64, pub &'a str);

impl fmt::Display for Counted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counted(count, what) = self;
        write!(f, "{count} {what}{}", if *count == 1 { "" } else { "s" })
    }
}

/// A file's content as text. The names of threads and programs stand in files of `/proc`, and the system cuts them at
/// 15 bytes, which may be inside of a letter: such a file is read all the same.
pub fn read_file(path: impl AsRef<Path>) -> io::Result<String> {
    let bytes = std::fs::read(path)?;
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| Readable(error.as_bytes()).to_string()))
}

/// The files that a word of a command line may name: the word itself, and what it has behind an option, as in
/// `--input=FILE`.
pub fn files_in(word: &OsStr) -> impl Iterator<Item = &Path> {
    let bytes = word.as_bytes();
    let value = bytes.iter().position(|&byte| byte == b'=').map(|at| &bytes[at + 1..]);
    [Some(bytes), value].into_iter().flatten().map(|name| Path::new(OsStr::from_bytes(name)))
}

/// A number and a word, which gets an "s" unless the number is 1: `counted(2, "EDT")` is "2 EDTs".
pub fn counted(count: u64, what: &str) -> String {
    Counted(count, what).to_string()
}

/// A number of bytes as text, with a unit from B to TiB.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1024 {
        return format!("{count} B");
    }
    let mut value = count as f64 / 1024.0;
    let mut unit = 0;
    // From 1023.95 on a value would be written as 1024.0, so it gets the next unit.
    while value >= 1023.95 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    format!("{value:.1} {}", UNITS[unit])
}

/// The text of a time with three digits, in microseconds, milliseconds or seconds: "1.23 ms".
pub fn duration(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 999.5e-6 => (s * 1e6, "us"),
        s if s < 0.9995 => (s * 1e3, "ms"),
        s => (s, "s"),
    };
    match value {
        v if v < 9.995 => format!("{v:.2} {unit}"),
        v if v < 99.95 => format!("{v:.1} {unit}"),
        v => format!("{v:.0} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_no_plural() {
        for (count, text) in [(0, "0 bytes"), (1, "1 byte"), (2, "2 bytes")] {
            assert_eq!(Counted(count, "byte").to_string(), text);
        }
    }

    #[test]
    fn what_is_not_utf8_is_marked() {
        for (bytes, text) in [
            (&b"plain \\ text"[..], "plain \\ text"),
            ("Größe".as_bytes(), "Größe"),
            (b"a\xffb\xfe", "a\\xffb\\xfe"),
            // The first two of the three bytes of one letter.
            (b"\xe2\x82", "\\xe2\\x82"),
            (b"\xed\xa0\x80", "\\xed\\xa0\\x80"),
            (b"", ""),
            // Control characters of one byte and of two.
            (b"a\x1b[31mb\x07\x7f\r", "a\\x1b[31mb\\x07\\x7f\\x0d"),
            ("a\u{9b}Ab".as_bytes(), "a\\xc2\\x9bAb"),
            (b"a\n\tb", "a\n\tb"),
        ] {
            assert_eq!(Readable(bytes).to_string(), text);
        }
    }

    #[test]
    fn times_have_three_digits_that_count() {
        let times = [0.0, 1.234e-6, 99.94e-6, 99.96e-6, 999.6e-6, 0.012_34, 0.9996, 123.4];
        let words = ["0.00 us", "1.23 us", "99.9 us", "100 us", "1.00 ms", "12.3 ms", "1.00 s", "123 s"];
        assert_eq!(times.map(duration), words);
    }

    #[test]
    fn sizes_are_read_easily() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(1536), "1.5 KiB");
        assert_eq!(bytes((1 << 20) - 1), "1.0 MiB");
        assert_eq!(bytes(5 << 40), "5.0 TiB");
        assert_eq!(bytes(u64::MAX), "16777216.0 TiB");
    }
}
