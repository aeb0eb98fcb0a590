//! The directory in which the process was started.
//!
//! A user who starts a program names files as they are seen from there, such as `OCR_REPORT=report.json`. The program
//! may go to another directory before the runtime uses the name, at the end of a run at the latest. So relative names
//! in settings are made absolute, with the directory that the process had before `main`.

use crate::message::keep_standard_error;
use ocr_base::text::Readable;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The directory; `None` where the system could not say it, as when it has been removed.
static START: OnceLock<Option<PathBuf>> = OnceLock::new();

/// Keeps the directory, and what the standard error is. Called by the C library as the process begins, or when it loads
/// the runtime later (`src/capi/shim.c`): before `main`, and before what the program itself has run so early.
#[unsafe(no_mangle)]
extern "C" fn ocrProcessBegins() {
    START.get_or_init(|| std::env::current_dir().ok());
    keep_standard_error();
}

/// The full name of a file that is named by a setting.
pub(crate) fn from_start(name: &Path) -> io::Result<PathBuf> {
    if name.as_os_str().is_empty() {
        return Err(io::Error::other("the name of the file is empty"));
    }
    let start = START.get_or_init(|| std::env::current_dir().ok());
    full_name(start.as_deref(), name)
}

/// The full name of a file, as it is seen from a directory, if there is one.
fn full_name(start: Option<&Path>, name: &Path) -> io::Result<PathBuf> {
    match start {
        Some(start) => std::path::absolute(start.join(name)),
        None if name.is_absolute() => Ok(name.to_path_buf()),
        None => Err(io::Error::other(format!(
            "the directory in which the program was started, and in which {} would be, is not there any more: give the \
             whole name of the file, from / on, or start the program elsewhere",
            Readable::path(name)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_full() {
        let here = std::env::current_dir().expect("the tests are in one");
        for (name, full) in [
            ("a.json", here.join("a.json")),
            ("./b/a.json", here.join("b/a.json")),
            ("../a.json", here.join("../a.json")),
            ("/a.json", PathBuf::from("/a.json")),
        ] {
            assert_eq!(from_start(Path::new(name)).expect("a name"), full);
        }
        assert!(from_start(Path::new("")).is_err());
    }

    #[test]
    fn without_a_directory_only_full_names_are_taken() {
        let full = full_name(None, Path::new("/a.json"));
        assert_eq!(full.expect("a full name"), PathBuf::from("/a.json"));
        let refused = full_name(None, Path::new("a.json")).expect_err("a relative one");
        assert!(refused.to_string().contains("in which a.json would be"));
    }
}
