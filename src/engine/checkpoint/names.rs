//! The names of the files of checkpoints in their directory, and how a file is given one and is removed.

use crate::config::Settings;
use memmap2::Mmap;
use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

const BEFORE: &str = "checkpoint-";
const BEHIND: &str = ".ocr";
const TEMPORARY: &str = ".new";

/// The first bytes of each file.
pub(super) const MAGIC: &[u8; 8] = b"OCRCHECK";

/// The version of what `objects.rs` passes.
pub(super) const VERSION: u64 = 3;

/// The first bytes of a file of this version.
pub(super) const BEGIN: [u8; 16] = {
    let (mut begin, version, mut at) = ([0; 16], VERSION.to_le_bytes(), 0);
    while at < 8 {
        (begin[at], begin[at + 8]) = (MAGIC[at], version[at]);
        at += 1;
    }
    begin
};

/// The file of the checkpoint with this number.
pub(super) fn path_of(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{BEFORE}{number:06}{BEHIND}"))
}

/// The bytes of a checkpoint's file.
pub(super) fn map(path: &Path) -> io::Result<Mmap> {
    let file = File::open(path)?;
    // SAFETY: the bytes must not change while they are looked at. A file is written before it has this name, and what
    // replaces it is another file.
    unsafe { Mmap::map(&file) }
}

/// The checkpoints in a directory, by number, the last first.
pub(super) fn all_in(directory: &Path) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        let number = name.to_str().and_then(|name| name.strip_prefix(BEFORE)?.strip_suffix(BEHIND)?.parse().ok());
        all.extend(number.map(|number| (number, entry.path())));
    }
    all.sort_unstable_by_key(|&(number, _)| std::cmp::Reverse(number));
    Ok(all)
}

/// The last checkpoint in a directory, with its number.
pub(super) fn last_in(directory: &Path) -> Option<(u64, PathBuf)> {
    all_in(directory).ok()?.into_iter().next()
}

/// The checkpoints that a run with these settings reads or may read later.
pub fn checkpoints_of(settings: &Settings) -> Vec<PathBuf> {
    let written = settings.checkpoint.value.as_ref().map(|to| &to.directory);
    let directories = [settings.restore.value.as_ref(), written].into_iter().flatten();
    let all = directories.filter_map(|directory| all_in(directory).ok()).flatten();
    all.map(|(_, file)| file).collect()
}

/// The name of a file as long as this process writes it.
pub(super) fn temporary(directory: &Path, process: u32) -> PathBuf {
    directory.join(format!("{BEFORE}{process}{TEMPORARY}"))
}

/// Removes what this process has left, which was ended while it wrote.
pub(super) fn remove_of(directory: &Path, process: u32) {
    // One that stays takes room alone, until the next checkpoint.
    let _ = fs::remove_file(temporary(directory, process));
}

/// Removes what processes have left that were ended while they wrote.
pub(super) fn remove_temporary(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(BEFORE)?.strip_suffix(TEMPORARY));
        let is_gone = |process: &str| !Path::new("/proc").join(process).exists();
        if process.is_some_and(is_gone) {
            // One that stays takes room alone.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Gives a file its name. An error where another run has such a file: one of its next checkpoints may need that.
pub(super) fn name(temporary: &Path, path: &Path) -> io::Result<()> {
    let [from, to] = [temporary, path].map(|path| CString::new(path.as_os_str().as_bytes()));
    let (from, to) = (from?, to?);
    let here = libc::AT_FDCWD;
    // SAFETY: both are texts that end with a zero, and live as long as the call.
    let named =
        unsafe { libc::syscall(libc::SYS_renameat2, here, from.as_ptr(), here, to.as_ptr(), libc::RENAME_NOREPLACE) };
    match (named, io::Error::last_os_error()) {
        (0, _) => Ok(()),
        // A file system that cannot do that.
        (_, error) if matches!(error.raw_os_error(), Some(libc::EINVAL | libc::ENOSYS)) => fs::rename(temporary, path),
        (_, error) => Err(error),
    }
}
