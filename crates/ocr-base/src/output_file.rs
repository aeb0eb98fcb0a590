//! Files that somebody has named for an output: a report, a recording, a page, a graph.
//!
//! Every file that the runtime or the command writes under a name of the user goes through [`OutputFile`]. It keeps
//! what the name stands for:
//!
//! | the name is that of | what is done |
//! |---|---|
//! | nothing | a new file is written beside the place, and gets the name when it is whole |
//! | a plain file | the same, and the new file gets the mode of the old one |
//! | a plain file that would lose a further name, its owner or an attribute | the content is replaced in place |
//! | a mount, a file of another owner's in a sticky folder, or one in a closed folder | the same |
//! | a symbolic link | what holds for its target; a target that is missing is made |
//! | a descriptor (`/dev/stdout`, `/dev/fd/3`, `/proc/self/fd/3`) | it is written from where it stands; one that appends appends |
//! | a pipe, a terminal or another device | it is opened and written |
//! | a folder, a socket, a name that ends in `/` | it is refused |
//!
//! A program or a shared library is no output, and callers refuse it ([`OutputFile::is_code`]): some process may
//! execute it.
//!
//! [`OutputFile::new`] follows the links and finds out whether the file can be written. It is called before the work
//! whose output this is, and leaves everything as it was. [`OutputFile::write`] comes when the content is there. In
//! between, a program may have written under the name ([`OutputFile::is_changed`]).
//!
//! A descriptor is that of the moment at which the name was looked at. If the program puts another file in its place
//! meanwhile, nothing is written there.
//!
//! A recording is mapped into memory while it grows, so it needs a plain file. [`OutputFile::begin`] gives one for each
//! kind of name: [`NewFile::is_named_early`] says whether it can have its name at once. Otherwise [`NewFile::finish`]
//! copies it at the end, to where the name leads.
//!
//! A file beyond the limit of file sizes, or a pipe that no process reads, is an error here and no signal
//! ([`without_signals`]).
//!
//! | file | what it has |
//! |---|---|
//! | this one | what a name stands for, and how it is written |
//! | `new_file.rs` | a file until it has its name |
//! | `system.rs` | what the system is asked about a file |
//! | `signals.rs` | signals that the system would send for a write |

mod new_file;
mod signals;
mod system;

use crate::apart::Kept;
use crate::text::Readable;
pub use new_file::NewFile;
pub use signals::{without_limit_signal, without_signals};
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
pub use system::above_standard;
use system::{FIRST_DESCRIPTOR, InPlace, is_lack, is_writable, may_write, open_in_place};

/// The extension of a file that has not got its name yet.
pub const UNFINISHED: &str = "unfinished";

/// How many links are followed. The system follows as many.
const MOST_LINKS: u32 = 40;

/// What is written to see whether there is room for a file. A limit on the size of files may be small.
const LEAST: &[u8] = b" ";

/// A file that somebody has named for an output.
#[derive(Clone, Debug)]
pub struct OutputFile {
    /// The full name, as it was given.
    name: PathBuf,
    place: OutputPlace,
    /// Which file that is; none where there is none yet.
    identity: Option<Identity>,
    /// What it had; none where there is none yet.
    content: Option<ContentMark>,
    /// The mode of a new file, before what the process takes from all of them (`umask`).
    mode: u32,
    /// Whether a file that has got the name meanwhile stays.
    is_only_new: bool,
}

/// Where an output goes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum OutputPlace {
    /// A descriptor of the process.
    Descriptor(RawFd),
    /// A pipe, a device, or a descriptor of another process, which is opened by its name.
    InPlace(PathBuf),
    /// A plain file, or one that will be made. Its name is no link.
    Plain(PathBuf),
}

/// A file, whatever its names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    fn of(about: &Metadata) -> Identity {
        Identity { device: about.dev(), inode: about.ino() }
    }
}

/// By which another content of a file is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ContentMark {
    bytes: u64,
    /// When it was written last, in seconds and nanoseconds.
    written: (i64, i64),
}

impl ContentMark {
    fn of(about: &Metadata) -> ContentMark {
        ContentMark { bytes: about.len(), written: (about.mtime(), about.mtime_nsec()) }
    }
}

impl OutputFile {
    /// The file with this name, if it can be written. The error says why not, in the middle of a sentence.
    ///
    /// # Errors
    /// What the system says, or what will keep the file from being written.
    pub fn new(name: &Path) -> io::Result<OutputFile> {
        let output = OutputFile::found(name)?;
        output.try_out().map_err(|error| output.said(error))?;
        Ok(output)
    }

    /// The file with this name, whose links have been followed.
    fn found(name: &Path) -> io::Result<OutputFile> {
        if name.as_os_str().is_empty() {
            return Err(io::Error::other("the name of the file is empty"));
        }
        let name = std::path::absolute(name)?;
        let mut output = OutputFile {
            place: OutputPlace::Plain(name.clone()),
            name,
            identity: None,
            content: None,
            mode: 0o666,
            is_only_new: false,
        };
        output.follow().map_err(|error| output.said(error))?;
        Ok(output)
    }

    /// Has a new file get this mode, less what the process takes from all files.
    pub fn with_mode(self, mode: u32) -> OutputFile {
        OutputFile { mode, ..self }
    }

    /// Has a file stay that gets the name before this one does.
    #[must_use]
    pub fn only_new(self) -> OutputFile {
        OutputFile { is_only_new: true, ..self }
    }

    /// The full name, as it was given.
    pub fn name(&self) -> &Path {
        &self.name
    }

    /// Whether there is no file with this name yet.
    pub fn is_new(&self) -> bool {
        self.identity.is_none()
    }

    /// The name of the plain file that is written, without links. None where it is no plain file.
    pub fn plain(&self) -> Option<&Path> {
        match &self.place {
            OutputPlace::Plain(path) => Some(path),
            _ => None,
        }
    }

    /// Whether this is the file with another name, by links or otherwise.
    pub fn is(&self, other: &Path) -> bool {
        let other = fs::metadata(other).map(|about| Identity::of(&about));
        self.identity.is_some() && other.ok() == self.identity
    }

    /// Whether something else was written under the name of a plain file since it was looked at.
    pub fn is_changed(&self) -> bool {
        let OutputPlace::Plain(path) = &self.place else {
            return false;
        };
        fs::metadata(path).is_ok_and(|about| {
            (self.identity, self.content) != (Some(Identity::of(&about)), Some(ContentMark::of(&about)))
        })
    }

    /// Whether this is a program or a shared library.
    pub fn is_code(&self) -> bool {
        let mut head = [0; 4];
        // To read a pipe or a device would do something.
        let is_file = fs::metadata(&self.name).is_ok_and(|about| about.is_file());
        let mut read = || File::open(&self.name)?.read_exact(&mut head);
        is_file && read().is_ok() && head == *b"\x7fELF"
    }

    /// Whether this is the same file as another output, also where neither is there yet.
    pub fn is_same(&self, other: &OutputFile) -> bool {
        match (self.identity, other.identity) {
            (None, None) => self.place == other.place,
            (one, other) => one == other,
        }
    }

    /// Whether what is written here appears where a descriptor of the process leads, such as the standard output.
    pub fn is_descriptor(&self, number: RawFd) -> bool {
        self.place == OutputPlace::Descriptor(number)
            || self.identity.is_some() && identity_of(number).ok() == self.identity
    }

    /// Follows links, and says where they end.
    fn follow(&mut self) -> io::Result<()> {
        let mut at = self.name.clone();
        for _ in 0..MOST_LINKS {
            if let Some(number) = descriptor_of(&at) {
                self.identity = Some(identity_of(number)?);
                self.place = OutputPlace::Descriptor(number);
                return Ok(());
            }
            // The system itself follows the link first, since it forbids that for some links of other users.
            let about = match fs::metadata(&at) {
                Ok(about) => Some(about),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            };
            self.identity = about.as_ref().map(Identity::of);
            self.content = about.as_ref().map(ContentMark::of);
            let is_link = match fs::symlink_metadata(&at) {
                Ok(link) => link.is_symlink(),
                Err(error) if error.kind() == ErrorKind::NotFound => false,
                Err(error) => return Err(error),
            };
            // A name that ends in a slash is that of a folder, which the system finds without what the slash follows.
            let ends_in_slash = at.as_os_str().as_bytes().ends_with(b"/");
            if !is_link || ends_in_slash {
                self.place = place_of(at, about.as_ref(), ends_in_slash)?;
                return Ok(());
            }
            let next = folder_of(&at).join(fs::read_link(&at)?);
            // What a link of /proc says is not always the name of what it leads to.
            if about.is_some() && descriptor_of(&next).is_none() && !self.is(&next) {
                self.place = OutputPlace::InPlace(at);
                return Ok(());
            }
            at = next;
        }
        Err(io::Error::from_raw_os_error(libc::ELOOP))
    }

    /// Finds out whether the file can be written, and leaves all as it was.
    fn try_out(&self) -> io::Result<()> {
        match &self.place {
            OutputPlace::Descriptor(number) => is_writable(*number),
            // To open a device or a pipe may do something already.
            OutputPlace::InPlace(path) => may_write(path),
            OutputPlace::Plain(path) => {
                if self.identity.is_some() {
                    open_in_place(path)?;
                }
                let room = self.temporary(folder_of(path)).and_then(|(mut file, path)| {
                    let written = without_signals(|| file.write_all(LEAST));
                    let removed = fs::remove_file(path);
                    written.and(removed)
                });
                match room {
                    // It is written in place.
                    Err(error) if self.identity.is_some() && !is_lack(&error) => Ok(()),
                    other => other,
                }
            }
        }
    }

    /// Writes the content, and returns what `content` returns. A plain file has its old content until the new one is
    /// whole. The error says what is wrong, in the middle of a sentence.
    ///
    /// # Errors
    /// The error that `content` returns, or the one that the system reports for the file.
    pub fn write<T>(&self, content: impl FnOnce(&mut dyn Write) -> io::Result<T>) -> io::Result<T> {
        let written = without_signals(|| match &self.place {
            OutputPlace::Plain(_) => {
                let new = self.begin_here()?;
                let mut out = BufWriter::new(&new.file);
                let value = content(&mut out)?;
                out.flush()?;
                drop(out);
                new.finish_here()?;
                Ok(value)
            }
            _ => {
                let mut out = BufWriter::new(InPlace(self.open()?));
                let value = content(&mut out)?;
                out.flush()?;
                Ok(value)
            }
        });
        written.map_err(|error| self.said(error))
    }

    /// Removes a plain file whose content is not to be taken for what is written later, should that fail. Where
    /// something besides the content would be lost, the file is emptied. What is no plain file stays as it is.
    ///
    /// # Errors
    /// What the system says.
    pub fn clear(&self) -> io::Result<()> {
        match &self.place {
            OutputPlace::Plain(path) if self.identity.is_some() => {
                let is_alike = path == &self.name && self.begin_here().is_ok_and(|new| new.is_alike);
                let removed = is_alike && fs::remove_file(path).is_ok();
                let empty = || open_in_place(path).and_then(|file| file.set_len(0));
                let cleared = if removed { Ok(()) } else { empty() };
                cleared.map_err(|error| self.said(error))
            }
            _ => Ok(()),
        }
    }

    /// Begins a new file, which can be read, written and mapped while it grows.
    ///
    /// # Errors
    /// What the system says.
    pub fn begin(&self) -> io::Result<NewFile> {
        self.begin_here().map_err(|error| self.said(error))
    }

    fn begin_here(&self) -> io::Result<NewFile> {
        let elsewhere = || self.temporary(&std::env::temp_dir());
        let (file, path) = match &self.place {
            OutputPlace::Plain(path) => match self.temporary(folder_of(path)) {
                Err(error) if self.identity.is_some() && !is_lack(&error) => elsewhere()?,
                other => other?,
            },
            _ => elsewhere()?,
        };
        let mut new = NewFile { output: self.clone(), file, path: Some(path), is_replacement: false, is_alike: false };
        (new.is_replacement, new.is_alike) = new.look_like_old()?;
        Ok(new)
    }

    /// A new file in a folder, with a name that no other file has.
    fn temporary(&self, folder: &Path) -> io::Result<(File, PathBuf)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            // Relaxed: the addition alone makes names differ.
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!(".ocr-{}-{count}.{UNFINISHED}", std::process::id());
            let path = folder.join(name);
            let mut options = OpenOptions::new();
            let options = options.read(true).write(true).create_new(true);
            match options.mode(self.mode).open(&path) {
                Ok(file) => return Ok((above_standard(file)?, path)),
                // A process with the same number, which was killed, may have left it.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Gives a new file its name.
    fn give_name(&self, path: &Path, name: &Path) -> io::Result<()> {
        if self.is_only_new {
            match fs::hard_link(path, name) {
                Ok(()) => return fs::remove_file(path),
                // The file system has no further names.
                Err(error) if error.raw_os_error() == Some(libc::EPERM) => {}
                Err(error) => return Err(error),
            }
        }
        fs::rename(path, name)
    }

    /// Opens what is written in place.
    fn open(&self) -> io::Result<File> {
        match &self.place {
            OutputPlace::Descriptor(number) => {
                is_writable(*number)?;
                // SAFETY: with `F_DUPFD_CLOEXEC`, `fcntl` gets a number and no pointer.
                let own = unsafe { libc::fcntl(*number, libc::F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR) };
                if own == -1 {
                    return Err(io::Error::last_os_error());
                }
                // SAFETY: the descriptor was just made, and nothing else owns it.
                let file = unsafe { File::from_raw_fd(own) };
                if Some(Identity::of(&file.metadata()?)) != self.identity {
                    return Err(io::Error::other(format!(
                        "descriptor {number} has become another file since then, which is left alone"
                    )));
                }
                Ok(file)
            }
            OutputPlace::InPlace(path) | OutputPlace::Plain(path) => open_in_place(path),
        }
    }

    /// An error in words for the user, in the middle of a sentence.
    fn said(&self, error: io::Error) -> io::Error {
        let Some(code) = error.raw_os_error() else {
            return error;
        };
        let path = match &self.place {
            OutputPlace::Descriptor(_) => &self.name,
            OutputPlace::InPlace(path) | OutputPlace::Plain(path) => path,
        };
        let folder = Readable::path(folder_of(path));
        let words = match code {
            libc::ENOENT => format!("the folder {folder} is not there"),
            libc::ENOTDIR => format!("{folder} is no folder"),
            libc::EISDIR => "it is a folder".to_string(),
            libc::ENXIO => "it is a pipe that nobody reads, or a device that is not there".to_string(),
            libc::EACCES | libc::EPERM if self.identity.is_some() => "permission denied to write it".to_string(),
            libc::EACCES | libc::EPERM => {
                format!("permission denied to make a file in the folder {folder}")
            }
            libc::EROFS => "its file system can only be read".to_string(),
            libc::ELOOP => "its symbolic links lead in a circle".to_string(),
            libc::ENAMETOOLONG => "its name is too long".to_string(),
            libc::EBADF => "its descriptor is not open".to_string(),
            libc::ETXTBSY => "it is a program that is running".to_string(),
            libc::ENOSPC => "no space is left on its file system or device".to_string(),
            libc::EDQUOT => "what the user may have on its file system is used up".to_string(),
            libc::EFBIG => "it would be larger than files may be (ulimit -f)".to_string(),
            libc::EPIPE => "nobody reads the pipe any more".to_string(),
            _ => return error,
        };
        let text = format!("{words} (os error {code})");
        io::Error::new(error.kind(), text)
    }
}

/// The folder in which a file is.
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// What a name stands for that is no link.
fn place_of(at: PathBuf, about: Option<&Metadata>, ends_in_slash: bool) -> io::Result<OutputPlace> {
    let Some(about) = about else {
        return if ends_in_slash || at.file_name().is_none() {
            Err(io::Error::other("its name ends in /, as that of a folder does"))
        } else {
            Ok(OutputPlace::Plain(at))
        };
    };
    let kind = about.file_type();
    if kind.is_dir() {
        Err(io::Error::from_raw_os_error(libc::EISDIR))
    } else if kind.is_socket() {
        Err(io::Error::other("it is a socket"))
    } else if kind.is_file() {
        Ok(OutputPlace::Plain(at))
    } else {
        Ok(OutputPlace::InPlace(at))
    }
}

/// The number of the descriptor of this process that a name stands for. The name has no link at its end that was not
/// followed yet.
fn descriptor_of(path: &Path) -> Option<RawFd> {
    let number = path.file_name().and_then(OsStr::to_str)?;
    if !number.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let folder = folder_of(path);
    let is_own = |folder: &Path| {
        let Ok(folder) = fs::canonicalize(folder) else {
            return false;
        };
        let is = |own: &str| fs::canonicalize(own).is_ok_and(|own| own == folder);
        let tasks = fs::canonicalize("/proc/self/task");
        is("/proc/self/fd") || folder.ends_with("fd") && tasks.is_ok_and(|tasks| folder.starts_with(tasks))
    };
    // Without /proc, there is nothing to follow, and the names say enough.
    let is_by_name = ["/proc/self/fd", "/dev/fd"].map(Path::new).contains(&folder);
    (is_by_name || is_own(folder)).then(|| number.parse().ok())?
}

/// Which file a descriptor is.
fn identity_of(number: RawFd) -> io::Result<Identity> {
    let mut about = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the place is large enough for the answer.
    if unsafe { libc::fstat(number, about.as_mut_ptr()) } == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call has succeeded, so it has filled the structure.
    let about = unsafe { about.assume_init() };
    Ok(Identity { device: about.st_dev, inode: about.st_ino })
}

/// Does some work in a thread whose descriptors are its own, so that nothing that the program does with its descriptors
/// meanwhile changes what the work writes, and the other way round. Where the system gives no thread, this one does it.
pub fn apart<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let done = crate::apart::run("work", Kept::Everything, || work.take().map(|work| work()));
    match (done, work) {
        (Ok(Some(done)), _) => done,
        (_, Some(work)) => work(),
        (_, None) => unreachable!("the work was begun and has ended without a panic"),
    }
}

/// Whether a descriptor is open.
pub fn is_open(number: RawFd) -> bool {
    identity_of(number).is_ok()
}

#[cfg(all(test, not(loom)))]
mod tests;
