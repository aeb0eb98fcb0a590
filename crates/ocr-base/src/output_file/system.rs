//! What the system is asked about a file that is written: whether it can be, how much room there is, which attributes
//! it has.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{ptr, thread};

/// The first descriptor that is none of the standard input, output and error.
pub(super) const FIRST_DESCRIPTOR: RawFd = 3;

/// How long a named pipe is given to get a reader.
const WAIT_FOR_READER: Duration = Duration::from_secs(5);
/// How long it is before a named pipe is tried again.
const PAUSE: Duration = Duration::from_millis(5);

/// A file that is written as it is opened: also one that does not wait where a pipe is full.
pub(super) struct InPlace(pub(super) File);

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
pub(super) fn wait_for_room(file: &File) {
    let mut polled = libc::pollfd { fd: file.as_raw_fd(), events: libc::POLLOUT, revents: 0 };
    // SAFETY: the address is that of a variable, which is one structure, the number that the call gets.
    unsafe { libc::poll(&raw mut polled, 1, -1) };
}

/// An error unless a descriptor is open for writing.
pub(super) fn is_writable(number: RawFd) -> io::Result<()> {
    // SAFETY: with `F_GETFL`, `fcntl` gets no pointer.
    match unsafe { libc::fcntl(number, libc::F_GETFL) } {
        -1 => Err(io::Error::last_os_error()),
        flags if flags & libc::O_ACCMODE == libc::O_RDONLY => {
            Err(io::Error::other(format!("descriptor {number} is open for reading alone")))
        }
        _ => Ok(()),
    }
}

/// An error unless a file may be written by this process.
pub(super) fn may_write(path: &Path) -> io::Result<()> {
    let name = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the name is a C string.
    match unsafe { libc::faccessat(libc::AT_FDCWD, name.as_ptr(), libc::W_OK, libc::AT_EACCESS) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Whether an error says that there is no room, which another way of writing does not change.
pub(super) fn is_lack(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT | libc::EFBIG))
}

/// Opens a file that is there for writing, and leaves its content. What is no plain file, or is a descriptor of another
/// process, is written behind what it has.
pub(super) fn open_in_place(path: &Path) -> io::Result<File> {
    let is_link = fs::symlink_metadata(path)?.is_symlink();
    let end = if is_link { libc::O_APPEND } else { 0 };
    let until = Instant::now() + WAIT_FOR_READER;
    let file = loop {
        // Without O_NONBLOCK, a pipe would be waited for indefinitely if no process ever reads it.
        let opened = OpenOptions::new().write(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | end).open(path);
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

/// Reserves room for this number of bytes, so that a file whose content is replaced in place keeps the old one where
/// there is too little. A file system that cannot do that goes on without.
pub(super) fn reserve(file: &File, bytes: u64) -> io::Result<()> {
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
pub(super) fn attributes(file: &File) -> io::Result<Vec<(Vec<u8>, Vec<u8>)>> {
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
pub(super) fn grown(mut call: impl FnMut(*mut u8, usize) -> isize) -> io::Result<Vec<u8>> {
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
