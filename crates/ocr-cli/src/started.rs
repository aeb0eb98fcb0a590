//! Why a program could not be started, or did not run to its end, as far as its file or the signal shows.

use ocr_base::text::Readable;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;

/// A kind of file that may be executed, by how the file begins.
enum FileKind {
    /// A script that begins with `#!` and this interpreter.
    Script(Vec<u8>),
    /// A program for this kind of machine.
    Program,
    /// A program for another kind of machine.
    OtherMachine,
    /// A text without `#!`, which `/bin/sh` executes.
    Text,
    /// Any other file, which `/bin/sh` does not understand.
    Data,
}

/// The message for a program that could not be started.
pub(crate) fn explain_start(word: &OsStr, error: &io::Error) -> String {
    let name = Readable::os(word);
    let file = Path::new(word);
    let has_folder = word.as_bytes().contains(&b'/');
    let why = match error.kind() {
        _ if word.is_empty() => "its name is empty".to_string(),
        ErrorKind::NotFound if !has_folder => {
            format!("{error}; no folder of PATH has it; give the path of a program, such as ./{name}")
        }
        ErrorKind::NotFound if file.exists() => match FileKind::of(file) {
            Some(FileKind::Script(interpreter)) => {
                format!("its first line names an interpreter that is not there: {}", Readable(&interpreter))
            }
            _ => format!("{error}: the file is there, but not the dynamic loader that it asks for"),
        },
        ErrorKind::PermissionDenied if file.is_dir() => "it is a folder".to_string(),
        ErrorKind::PermissionDenied if file.is_file() && !is_executable(file) => {
            format!("{error}: it is not executable; for a program, chmod +x {name} makes it so")
        }
        _ => error.to_string(),
    };
    format!("{name} cannot be started: {why}")
}

/// Lines to add to the standard error of a program that failed: about the signal, and about its file if that is odd.
pub(crate) fn explain_end(word: &OsStr, status: ExitStatus) -> String {
    let mut lines = String::new();
    match status.signal() {
        None => {}
        Some(libc::SIGKILL) => {
            lines += "\n(SIGKILL: somebody killed it, or the system, which does so where memory runs out)";
        }
        Some(signal) => {
            // The text is such as "signal: 11 (SIGSEGV) (core dumped)".
            let text = status.to_string();
            let name = text.split(['(', ')']).nth(1).unwrap_or("no name");
            lines += &format!("\n(signal {signal} is {name})");
        }
    }
    let name = Readable::os(word);
    let kind = find(word).and_then(|file| FileKind::of(&file));
    let odd = match kind {
        None | Some(FileKind::Script(_) | FileKind::Program) => return lines,
        Some(FileKind::OtherMachine) => "is a program for another kind of machine than this one",
        Some(FileKind::Text) => "is no program, and does not begin with #!, so /bin/sh has executed it",
        Some(FileKind::Data) => "is neither a program nor a script, so /bin/sh has tried to execute it",
    };
    lines + &format!("\n({name} {odd})")
}

impl FileKind {
    /// The kind of a file. None if it cannot be read.
    fn of(file: &Path) -> Option<FileKind> {
        let head = head(file)?;
        if let Some(line) = head.strip_prefix(b"#!") {
            let line = line.split(|&byte| byte == b'\n').next()?.trim_ascii();
            let interpreter = line.split(|&byte| byte == b' ' || byte == b'\t').next()?;
            return Some(FileKind::Script(interpreter.to_vec()));
        }
        if head.starts_with(b"\x7fELF") {
            return Some(if machine(&head) == head_of_this().as_deref().and_then(machine) {
                FileKind::Program
            } else {
                FileKind::OtherMachine
            });
        }
        Some(if head.contains(&0) { FileKind::Data } else { FileKind::Text })
    }
}

/// The class and byte order of an ELF file, and its machine. None if the head is too short.
fn machine(head: &[u8]) -> Option<(&[u8], &[u8])> {
    Some((head.get(4..6)?, head.get(18..20)?))
}

/// How the file of this program begins.
fn head_of_this() -> Option<Vec<u8>> {
    head(Path::new("/proc/self/exe"))
}

/// The first bytes of a file, 1024 at most. None if it cannot be read.
fn head(file: &Path) -> Option<Vec<u8>> {
    if !file.is_file() {
        return None;
    }
    let mut head = Vec::new();
    let read = File::open(file).and_then(|file| file.take(1024).read_to_end(&mut head));
    read.ok().map(|_| head)
}

fn is_executable(file: &Path) -> bool {
    let about = file.metadata();
    about.is_ok_and(|about| about.permissions().mode() & 0o111 != 0)
}

/// The file of a program by its name on a command line, looked up in `PATH` where it has no folder.
pub(crate) fn find(word: &OsStr) -> Option<PathBuf> {
    if word.as_bytes().contains(&b'/') {
        return Some(word.into());
    }
    let path = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(word));
    files.find(|file| file.is_file() && is_executable(file))
}
