//! The directory in which what runs have learned is kept, a file for each place.
//!
//! Programs that run at the same time use the same files. A program that writes a file reads it again first, and keeps
//! what others have written meanwhile, except where it has learned something about the same size itself. It writes a
//! file of its own, and renames that, so no program ever reads half a file.
//!
//! A lock on a file beside them keeps a second writer from reading before the first has renamed. A program tries the
//! lock for 0.1 s only: it must not hang at its end because another program was stopped with the lock. Without the
//! lock, what one of the two has learned in this run may be lost, and no more.

use crate::model::copy_entry::CopyEntry;
use crate::model::file::{Content, ModelEntry, file_name, place_name};
use ocr_base::output_file::{OutputFile, UNFINISHED};
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The extension of a file of models.
const EXTENSION: &str = "models";
/// A file that is older than this and still unfinished is of a program that was killed.
const UNFINISHED_FOR: Duration = Duration::from_secs(3600);
/// The name of the file that is locked.
const LOCK: &str = "lock";
/// The most bytes of a file that is read; no file of models has as many.
const LARGEST: u64 = 8 << 20;
/// How often the lock is tried.
const TRIES: u32 = 20;
/// How long a program waits after each try of the lock.
const PAUSE: Duration = Duration::from_millis(5);

/// A directory in which models are kept, a file for each place.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    /// How often the lock is tried.
    tries: u32,
}

/// The path of a file, and its content or a text that says why it cannot be read.
pub type StoredFile = (PathBuf, Result<Content, String>);

/// Today, in days since the first of January 1970.
pub fn today() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() / 86_400)
}

impl Store {
    /// The store in this directory, which need not exist.
    pub fn new(directory: PathBuf) -> Store {
        Store { directory, tries: TRIES }
    }

    /// The store in the user's cache directory. None if the environment names no such directory. `variable` gives the
    /// value of a variable of the environment.
    pub fn of_user(variable: impl Fn(&str) -> Option<OsString>) -> Option<Store> {
        // A relative path must be ignored (XDG Base Directory Specification).
        let folder = |name| variable(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let cache = folder("XDG_CACHE_HOME").or_else(|| Some(folder("HOME")?.join(".cache")))?;
        Some(Store::new(cache.join("ocr/models")))
    }

    /// The path of the directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn path(&self, place: &str) -> PathBuf {
        self.directory.join(file_name(place))
    }

    /// What is known of a place: nothing where there is no file. The error is a text that says why the file cannot be
    /// read.
    pub fn read(&self, place: &str) -> Result<Content, String> {
        let path = self.path(place);
        let mut content = read(&path)?.unwrap_or_default();
        if content.place != place_name(place) {
            content.entries.clear();
            content.copies.clear();
            content.place = place_name(place);
        }
        content.damage = (content.damage).map(|damage| format!("{}: {damage}", path.display()));
        Ok(content)
    }

    /// The content of a file of this name that is about no place. None where there is none, or it cannot be read.
    pub fn read_other(&self, name: &str) -> Option<Vec<u8>> {
        read_bytes(&self.directory.join(name)).ok().flatten()
    }

    /// Replaces the content of such a file by what `change` makes of it; it stays where that is none. The error is a
    /// text that says why it cannot be written.
    pub fn change_other(
        &self,
        name: &str,
        change: impl FnOnce(Option<Vec<u8>>) -> Option<Vec<u8>>,
    ) -> Result<(), String> {
        let fail = |error: io::Error| format!("{}: {error}", self.directory.display());
        self.create().map_err(fail)?;
        let _lock = self.lock();
        match change(self.read_other(name)) {
            None => Ok(()),
            Some(content) => replace(&self.directory.join(name), &content).map_err(fail),
        }
    }

    /// Creates the directory where it is not there.
    fn create(&self) -> io::Result<()> {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&self.directory)
    }

    /// Adds what a run has learned of a place to its file. `today` is in days since the first of January 1970. Where
    /// the run has read the file at its begin, its times have those of earlier runs in them; otherwise they come behind
    /// those. The error is a text that says why the file cannot be written.
    pub fn add(
        &self,
        place: &str,
        entries: Vec<ModelEntry>,
        copies: Vec<CopyEntry>,
        today: u64,
        has_read: bool,
    ) -> Result<(), String> {
        let path = self.path(place);
        // The message names the directory, so that it is the same for all places.
        let fail = |error: io::Error| format!("{}: {error}", self.directory.display());
        self.create().map_err(fail)?;
        let lock = self.lock();
        if lock.is_some() {
            self.clear_up();
        }
        // A file that cannot be read is replaced.
        let mut content = self.read(place).unwrap_or_default();
        content.place = place_name(place);
        content.merge(entries, copies, today, has_read);
        replace(&path, content.text().as_bytes()).map_err(fail)
    }

    /// Removes files that programs left unfinished when they were killed. Young ones stay, since another program may be
    /// writing one without the lock.
    fn clear_up(&self) {
        let listed = std::fs::read_dir(&self.directory);
        for entry in listed.into_iter().flatten().flatten() {
            let path = entry.path();
            let written = entry.metadata().and_then(|about| about.modified());
            let age = written.ok().and_then(|written| written.elapsed().ok());
            if path.extension().is_some_and(|end| end == UNFINISHED) && age.is_some_and(|age| age > UNFINISHED_FOR) {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// All files in the order of their names, with their contents. The error is a text that says why the directory
    /// cannot be read.
    pub fn files(&self) -> Result<Vec<StoredFile>, String> {
        let listed = match std::fs::read_dir(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(format!("{}: {error}", self.directory.display())),
            Ok(listed) => listed,
        };
        let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|end| end == EXTENSION));
        paths.sort_unstable();
        let files = paths.into_iter().map(|path| {
            let content = read(&path).map(Option::unwrap_or_default);
            (path, content)
        });
        Ok(files.collect())
    }

    /// Removes the entries of a file for which `goes` is true, and what is known of copies if `copies_go` is true.
    /// Removes the file where nothing is left of it; with `whole` also a file that cannot be read. Returns how many
    /// entries went. The error is a text that says why the file cannot be read, written or removed.
    pub fn remove(
        &self,
        path: &Path,
        goes: impl Fn(&Content, &ModelEntry) -> bool,
        copies_go: impl Fn(&Content) -> bool,
        whole: bool,
    ) -> Result<usize, String> {
        let _lock = self.lock();
        let fail = |error: io::Error| format!("{}: {error}", path.display());
        let mut content = match read(path) {
            Ok(content) => content.unwrap_or_default(),
            Err(_) if whole => Content::default(),
            Err(error) => return Err(error),
        };
        let before = content.entries.len() + content.copies.len();
        if copies_go(&content) {
            content.copies.clear();
        }
        let all = std::mem::take(&mut content.entries);
        let stays = |entry: &ModelEntry| !goes(&content, entry);
        let left = all.into_iter().filter(stays).collect();
        content.entries = left;
        let gone = before - content.entries.len() - content.copies.len();
        match content.entries.is_empty() && content.copies.is_empty() {
            true if before != 0 || whole => std::fs::remove_file(path).map_err(fail)?,
            false if gone != 0 => {
                replace(path, content.text().as_bytes()).map_err(fail)?;
            }
            _ => {}
        }
        Ok(gone)
    }

    /// Locks the directory until the returned file is dropped. None where another program has the lock for too long, or
    /// the lock is a named pipe, for whose reader opening it would wait without O_NONBLOCK.
    fn lock(&self) -> Option<File> {
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true).mode(0o600).custom_flags(libc::O_NONBLOCK);
        let file = options.open(self.directory.join(LOCK)).ok()?;
        for _ in 0..self.tries {
            // SAFETY: the descriptor is that of `file`, which is open during the call. `flock` touches no memory of the
            // program.
            if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
                return Some(file);
            }
            std::thread::sleep(PAUSE);
        }
        None
    }
}

/// The content of a file of models, as [`read_bytes`] reads it.
fn read(path: &Path) -> Result<Option<Content>, String> {
    Ok(read_bytes(path)?.map(|bytes| Content::parse(&bytes)))
}

/// The content of a file. None if there is no such file. The error is a text that says why it cannot be read.
fn read_bytes(path: &Path) -> Result<Option<Vec<u8>>, String> {
    let fail = |error: io::Error| format!("{}: {error}", path.display());
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    let opened = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path);
    let file = match opened {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(fail(error)),
        Ok(file) => file,
    };
    let about = file.metadata().map_err(fail)?;
    if !about.is_file() {
        return Err(format!("{}: it is no file", path.display()));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(fail)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{}: it is too large for a file of models", path.display()));
    }
    Ok(Some(bytes))
}

/// Replaces a file by one with this content, in one step, so that a reader finds the old content or the new one.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let output = OutputFile::new(path)?.with_mode(0o600);
    output.write(|out| out.write_all(content))
}

#[cfg(all(test, not(loom)))]
mod tests;
