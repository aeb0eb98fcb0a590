//! The directory in which what runs have learned is kept, a file for each place.
//!
//! Programs that run at the same time use the same files. Who writes one reads it again first, and takes in what the
//! others have written meanwhile; what it has learned itself replaces what was there of the same. It writes a file of its
//! own, and renames that, so nobody ever reads half a file. A lock on a file beside them keeps a second writer from reading
//! before the first has renamed. It is tried for a moment only: a program must not hang at its end because another one was
//! stopped with the lock. Without it, what one of the two has learned in this run may be lost, and no more.

use crate::model::copy_entry::CopyEntry;
use crate::model::file::{Content, Entry, file_name, place_name};
use std::ffi::OsString;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How a file of models ends.
const EXTENSION: &str = "models";
/// How one ends that is being written.
const UNFINISHED: &str = "unfinished";
/// One that has been so for so long will not be finished.
const UNFINISHED_FOR: Duration = Duration::from_secs(3600);
const LOCK: &str = "lock";
/// No file is so large: one that is, is not read.
const LARGEST: u64 = 8 << 20;
/// How often the lock is tried, and how long after each time.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(5);

/// A directory in which models are kept, a file for each place.
#[derive(Clone, Debug)]
pub struct Store {
    directory: PathBuf,
    /// How often the lock is tried.
    tries: u32,
}

/// A file, and what is in it, or why it cannot be read.
pub type StoredFile = (PathBuf, Result<Content, String>);

/// Today, in days since the first of January 1970.
pub fn today() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs() / 86_400)
}

impl Store {
    /// The models in this directory, which need not be there.
    pub fn new(directory: PathBuf) -> Store {
        Store {
            directory,
            tries: TRIES,
        }
    }

    /// Those in the user's cache directory, if there is one. `variable` gives what the environment says.
    pub fn of_user(variable: impl Fn(&str) -> Option<OsString>) -> Option<Store> {
        // A relative one is to be ignored (XDG Base Directory Specification).
        let folder = |name| {
            variable(name)
                .map(PathBuf::from)
                .filter(|p| p.is_absolute())
        };
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

    /// What is known of a place: nothing where there is no file. The error, for people, says why it cannot be read.
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

    /// Adds what a run has learned of a place. The error, for people, says why it cannot be kept.
    pub fn add(
        &self,
        place: &str,
        entries: Vec<Entry>,
        copies: Vec<CopyEntry>,
        today: u64,
    ) -> Result<(), String> {
        let path = self.path(place);
        // Of all places alike.
        let fail = |error: io::Error| format!("{}: {error}", self.directory.display());
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&self.directory).map_err(fail)?;
        let lock = self.lock();
        if lock.is_some() {
            self.clear_up();
        }
        // What cannot be read is replaced.
        let mut content = self.read(place).unwrap_or_default();
        content.place = place_name(place);
        content.merge(entries, copies, today);
        replace(&path, content.text().as_bytes()).map_err(fail)
    }

    /// Removes what programs that were killed have left half written. Others may write one right now without the lock.
    fn clear_up(&self) {
        let listed = std::fs::read_dir(&self.directory);
        for entry in listed.into_iter().flatten().flatten() {
            let path = entry.path();
            let written = entry.metadata().and_then(|about| about.modified());
            let age = written.ok().and_then(|written| written.elapsed().ok());
            if path.extension().is_some_and(|end| end == UNFINISHED)
                && age.is_some_and(|age| age > UNFINISHED_FOR)
            {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// All files, by name, with what is in them.
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

    /// Removes the entries of a file for which `goes`, what is known of copies if `copies_go`, and the file where nothing is left,
    /// or if it is damaged and `whole`. Returns how many went.
    pub fn remove(
        &self,
        path: &Path,
        goes: impl Fn(&Content, &Entry) -> bool,
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
        let stays = |entry: &Entry| !goes(&content, entry);
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

    /// The lock of the directory, until it is dropped; none where that is not to be had soon.
    fn lock(&self) -> Option<File> {
        let mut options = OpenOptions::new();
        let options = options.create(true).truncate(false).write(true).mode(0o600);
        let file = options.open(self.directory.join(LOCK)).ok()?;
        for _ in 0..self.tries {
            // SAFETY: the descriptor is that of `file`, which is open; the call touches no memory of ours.
            if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0 {
                return Some(file);
            }
            std::thread::sleep(PAUSE);
        }
        None
    }
}

/// What is in a file; none if there is no such file.
fn read(path: &Path) -> Result<Option<Content>, String> {
    let fail = |error: io::Error| format!("{}: {error}", path.display());
    // A named pipe would keep who opens it waiting.
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK)
        .open(path);
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
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!(
            "{}: it is too large for a file of models",
            path.display()
        ));
    }
    Ok(Some(Content::parse(&bytes)))
}

/// Puts a file with this content in the place of another, as a whole.
fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let process = std::process::id();
    let unfinished = path.with_extension(format!("{process}.{count}.{UNFINISHED}"));
    // One that a process of this number has left when it was killed.
    let _ = std::fs::remove_file(&unfinished);
    let mut options = OpenOptions::new();
    let options = options.create_new(true).write(true).mode(0o600);
    let written = options
        .open(&unfinished)
        .and_then(|mut file| file.write_all(content))
        .and_then(|()| std::fs::rename(&unfinished, path));
    if written.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    written
}

#[cfg(all(test, not(loom)))]
mod tests;
