//! Files that somebody has named for an output: a report, a recording, a page, a graph.
//!
//! Every file that the runtime or the command writes under a name of the user goes through [`OutputFile`]. It keeps
//! what
//! the name stands for:
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
//! [`OutputFile::new`] follows the links and finds out whether the file can be written. It is called before the work
//! whose
//! output this is, and leaves everything as it was. [`OutputFile::write`] comes when the content is there.
//!
//! A descriptor is that of the moment at which the name was looked at. If the program puts another file in its place
//! meanwhile, nothing is written there.
//!
//! A recording is mapped into memory while it grows, so it needs a plain file. [`OutputFile::begin`] gives one for each
//! kind
//! of name: [`NewFile::is_named_early`] says whether it can have its name at once. Otherwise [`NewFile::finish`] copies
//! it at
//! the end, to where the name leads.
//!
//! A file beyond the limit of file sizes, or a pipe that nobody reads, is an error here and no signal
//! ([`without_signals`]).

use crate::apart::Kept;
use crate::text::Readable;
use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions, Permissions};
use std::io::{self, BufWriter, ErrorKind, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{ptr, thread};

/// The extension of a file that has not got its name yet.
pub const UNFINISHED: &str = "unfinished";

/// How many links are followed. The system follows as many.
const MOST_LINKS: u32 = 40;

/// The first descriptor that is none of the standard input, output and error.
const FIRST_DESCRIPTOR: RawFd = 3;

/// How long a named pipe is given to get a reader.
const WAIT_FOR_READER: Duration = Duration::from_secs(5);
/// How long it is before a named pipe is tried again.
const PAUSE: Duration = Duration::from_millis(5);

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
    /// A plain file, or one that is to be made. Its name is no link.
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
        Identity {
            device: about.dev(),
            inode: about.ino(),
        }
    }
}

/// A file that does not have its name yet. It is removed if it never gets it.
#[derive(Debug)]
pub struct NewFile {
    output: OutputFile,
    file: File,
    /// Where it is meanwhile; none once it has its name or is gone.
    path: Option<PathBuf>,
    /// Whether it may take the place of what has its name.
    is_replacement: bool,
    /// Whether it would have been the same without that, but for the content.
    is_alike: bool,
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
        OutputFile {
            is_only_new: true,
            ..self
        }
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
                let room = self
                    .temporary(folder_of(path))
                    .and_then(|(mut file, path)| {
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
    /// That of `content`, or what the system says.
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
    /// something
    /// besides the content would be lost, the file is emptied. What is no plain file stays as it is.
    ///
    /// # Errors
    /// What the system says.
    pub fn clear(&self) -> io::Result<()> {
        match &self.place {
            OutputPlace::Plain(path) if self.identity.is_some() => {
                let is_alike =
                    path == &self.name && self.begin_here().is_ok_and(|new| new.is_alike);
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
        let mut new = NewFile {
            output: self.clone(),
            file,
            path: Some(path),
            is_replacement: false,
            is_alike: false,
        };
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
            libc::ENXIO => {
                "it is a pipe that nobody reads, or a device that is not there".to_string()
            }
            libc::EACCES | libc::EPERM if self.identity.is_some() => {
                "permission denied to write it".to_string()
            }
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

impl NewFile {
    /// The file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether [`finish`](NewFile::finish) gives this file its name, and does not copy it. The file can then be written
    /// when it has its name, too.
    pub fn is_named_early(&self) -> bool {
        self.is_replacement
    }

    /// Gives the file its name, or copies its content to where the name leads. Returns the file.
    ///
    /// # Errors
    /// What the system says.
    pub fn finish(self) -> io::Result<File> {
        let output = self.output.clone();
        without_signals(|| self.finish_here()).map_err(|error| output.said(error))
    }

    fn finish_here(mut self) -> io::Result<File> {
        if let (true, OutputPlace::Plain(name), Some(path)) =
            (self.is_replacement, &self.output.place, &self.path)
        {
            match self.output.give_name(path, name) {
                Ok(()) => {
                    self.path = None;
                    return self.file.try_clone();
                }
                // It is a mount, or another user's file in a sticky folder.
                Err(_) if self.output.identity.is_some() => {}
                Err(error) => return Err(error),
            }
        }
        let bytes = self.file.metadata()?.len();
        self.file.rewind()?;
        let mut to = InPlace(self.output.open()?);
        let is_plain = self.output.plain().is_some();
        if is_plain {
            reserve(&to.0, bytes)?;
        }
        io::copy(&mut self.file, &mut to)?;
        if is_plain {
            to.0.set_len(bytes)?;
        }
        self.file.try_clone()
    }

    /// Gives the file the mode of the one that has the name. Returns whether it may take its place, since nothing would
    /// be lost, and whether it had that mode already.
    fn look_like_old(&self) -> io::Result<(bool, bool)> {
        let OutputPlace::Plain(name) = &self.output.place else {
            return Ok((false, false));
        };
        let old = match fs::symlink_metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok((true, true)),
            other => other?,
        };
        let new = self.file.metadata()?;
        let is_alike = old.is_file()
            && old.nlink() == 1
            && (old.uid(), old.gid(), old.dev()) == (new.uid(), new.gid(), new.dev());
        if !is_alike {
            return Ok((false, false));
        }
        let has_mode = old.mode() == new.mode();
        let mode = Permissions::from_mode(old.mode() & 0o7777);
        self.file.set_permissions(mode)?;
        let before = open_in_place(name)?;
        Ok(match (attributes(&before), attributes(&self.file)) {
            (Ok(before), Ok(now)) => (before == now, before == now && has_mode),
            _ => (false, false),
        })
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            let _ = fs::remove_file(path);
        }
    }
}

/// A file that is written as it is opened: also one that does not wait where a pipe is full.
struct InPlace(File);

impl Write for InPlace {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => wait_for_room(&self.0),
                other => return other,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Waits until a file can take more.
fn wait_for_room(file: &File) {
    let mut polled = libc::pollfd {
        fd: file.as_raw_fd(),
        events: libc::POLLOUT,
        revents: 0,
    };
    // SAFETY: the address is that of a variable, which is one structure as the call is told.
    unsafe { libc::poll(&raw mut polled, 1, -1) };
}

/// The folder in which a file is.
fn folder_of(path: &Path) -> &Path {
    path.parent().unwrap_or(Path::new("/"))
}

/// What a name stands for that is no link.
fn place_of(at: PathBuf, about: Option<&Metadata>, ends_in_slash: bool) -> io::Result<OutputPlace> {
    let Some(about) = about else {
        return if ends_in_slash || at.file_name().is_none() {
            Err(io::Error::other(
                "its name ends in /, as that of a folder does",
            ))
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
        is("/proc/self/fd")
            || folder.ends_with("fd") && tasks.is_ok_and(|tasks| folder.starts_with(tasks))
    };
    // Without /proc, there is nothing to follow, and the names say enough.
    let is_by_name = ["/proc/self/fd", "/dev/fd"]
        .map(Path::new)
        .contains(&folder);
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
    Ok(Identity {
        device: about.st_dev,
        inode: about.st_ino,
    })
}

/// An error unless a descriptor is open for writing.
fn is_writable(number: RawFd) -> io::Result<()> {
    // SAFETY: with `F_GETFL`, `fcntl` gets no pointer.
    match unsafe { libc::fcntl(number, libc::F_GETFL) } {
        -1 => Err(io::Error::last_os_error()),
        flags if flags & libc::O_ACCMODE == libc::O_RDONLY => Err(io::Error::other(format!(
            "descriptor {number} is open for reading alone"
        ))),
        _ => Ok(()),
    }
}

/// An error unless a file may be written by this process.
fn may_write(path: &Path) -> io::Result<()> {
    let name = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the name is a C string.
    match unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), libc::W_OK, libc::AT_EACCESS) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether an error says that there is no room, which another way of writing does not change.
fn is_lack(error: &io::Error) -> bool {
    matches!(
        error.raw_os_error(),
        Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG)
    )
}

/// Opens a file that is there for writing, and leaves its content. What is no plain file, or is a descriptor of another
/// process, is written behind what it has.
fn open_in_place(path: &Path) -> io::Result<File> {
    let is_link = fs::symlink_metadata(path)?.is_symlink();
    let end = if is_link { libc::O_APPEND } else { 0 };
    let until = Instant::now() + WAIT_FOR_READER;
    let file = loop {
        // Without O_NONBLOCK, a pipe would be waited for indefinitely if nobody ever reads it.
        let opened = OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | end)
            .open(path);
        match opened {
            Err(error)
                if error.raw_os_error() == Some(libc::ENXIO)
                    && Instant::now() < until
                    && fs::metadata(path)?.file_type().is_fifo() =>
            {
                thread::sleep(PAUSE);
            }
            other => break other?,
        }
    };
    above_standard(file)
}

/// The file with a descriptor that is none of the standard input, output and error. Where one of these is closed, a new
/// file would get its number, and be taken for it.
pub fn above_standard(file: File) -> io::Result<File> {
    if file.as_raw_fd() >= FIRST_DESCRIPTOR {
        return Ok(file);
    }
    // SAFETY: with `F_DUPFD_CLOEXEC`, `fcntl` gets a number and no pointer, and the descriptor is that of an open file.
    match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR) } {
        -1 => Err(io::Error::last_os_error()),
        // SAFETY: the descriptor was just made, and nothing else owns it.
        own => Ok(unsafe { File::from_raw_fd(own) }),
    }
}

/// Reserves room for so many bytes, so that a file whose content is replaced in place keeps the old one where there is
/// too
/// little. A file system that cannot do that goes on without.
fn reserve(file: &File, bytes: u64) -> io::Result<()> {
    if bytes == 0 {
        return Ok(());
    }
    let (own, keep) = (file.as_raw_fd(), libc::FALLOC_FL_KEEP_SIZE);
    // SAFETY: the call takes numbers, and the descriptor is that of an open file.
    if unsafe { libc::fallocate(own, keep, 0, bytes as libc::off_t) } == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    if is_lack(&error) { Err(error) } else { Ok(()) }
}

/// The extended attributes of a file, by their names. Access lists are among them.
fn attributes(file: &File) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
    let own = file.as_raw_fd();
    let names = grown(|place, room| {
        // SAFETY: `place` has `room` bytes, which the call may write, and the descriptor is that of an open file.
        unsafe { libc::flistxattr(own, place.cast(), room) }
    })?;
    let mut found = Vec::new();
    for name in names.split_inclusive(|&byte| byte == 0) {
        let value = grown(|place, room| {
            // SAFETY: `place` has `room` bytes, which the call may write; `name` ends in a zero byte, as the system has
            // written it, and the descriptor is that of an open file.
            unsafe { libc::fgetxattr(own, name.as_ptr().cast(), place.cast(), room) }
        })?;
        found.push((name.to_vec(), value));
    }
    found.sort_unstable();
    Ok(found)
}

/// What a call writes that says how much that is if it gets no room.
fn grown(mut call: impl FnMut(*mut u8, usize) -> isize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let wanted = call(ptr::null_mut(), 0);
        if wanted >= 0 {
            bytes.resize(wanted as usize, 0);
            let length = call(bytes.as_mut_ptr(), bytes.len());
            if length >= 0 {
                bytes.truncate(length as usize);
                return Ok(bytes);
            }
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::ENOTSUP | libc::ENODATA) => return Ok(Vec::new()),
            // Another process has added something meanwhile.
            Some(libc::ERANGE) => {}
            _ => return Err(error),
        }
    }
}

/// The signals that the system sends to a thread for what it writes: beyond the limit of file sizes, and to a pipe that
/// nobody reads.
const OF_WRITES: [libc::c_int; 2] = [libc::SIGXFSZ, libc::SIGPIPE];

/// Does some work in which a write that the system would end the process for is an error. The program's own handling of
/// these signals stays as it is.
pub fn without_signals<T>(work: impl FnOnce() -> T) -> T {
    // Miri has no signals.
    let _held = (!cfg!(miri)).then(|| HeldSignals::new(&OF_WRITES));
    work()
}

/// The same for the limit of file sizes alone: what the program itself has printed to a pipe that nobody reads ends it
/// as
/// it ends others.
pub fn without_limit_signal<T>(work: impl FnOnce() -> T) -> T {
    let _held = HeldSignals::new(&OF_WRITES[..1]);
    work()
}

/// The signals of writes are held back in this thread as long as this lives.
struct HeldSignals {
    /// Those that are held back.
    held: &'static [libc::c_int],
    /// What was held back before.
    before: libc::sigset_t,
    /// The signals that had come before, and that are not ours.
    pending: libc::sigset_t,
}

impl HeldSignals {
    fn new(held: &'static [libc::c_int]) -> HeldSignals {
        let (mut set, mut before, mut pending) = (no_signals(), no_signals(), no_signals());
        for signal in held {
            // SAFETY: the set is a variable, and the signal exists.
            unsafe { libc::sigaddset(&raw mut set, *signal) };
        }
        // SAFETY: both sets are variables.
        unsafe { libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, &raw mut before) };
        // SAFETY: the set is a variable.
        unsafe { libc::sigpending(&raw mut pending) };
        HeldSignals {
            held,
            before,
            pending,
        }
    }
}

impl Drop for HeldSignals {
    fn drop(&mut self) {
        const AT_ONCE: libc::timespec = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        for &signal in self.held {
            // SAFETY: the set is that of this value.
            if unsafe { libc::sigismember(&raw const self.pending, signal) } == 1 {
                continue;
            }
            let mut one = no_signals();
            // SAFETY: the set is a variable, and the signal exists.
            unsafe { libc::sigaddset(&raw mut one, signal) };
            // SAFETY: the set is a variable and the time a constant; nobody wants to know more of the signal.
            unsafe { libc::sigtimedwait(&raw const one, ptr::null_mut(), &AT_ONCE) };
        }
        // SAFETY: the set is that of this value; nobody wants the mask that was.
        unsafe {
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const self.before, ptr::null_mut())
        };
    }
}

fn no_signals() -> libc::sigset_t {
    let mut none = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the call fills the set.
    unsafe { libc::sigemptyset(none.as_mut_ptr()) };
    // SAFETY: the call has filled the set.
    unsafe { none.assume_init() }
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
