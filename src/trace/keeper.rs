//! The thread that has the file of a recording open: the keeper. Its descriptors are in a table of its own
//! (`ocr_base::apart`), and it is the only one that enlarges, maps, shortens and names the file.

use super::format::HEAD_BYTES;
use ocr_base::apart::{self, Kept};
use ocr_base::output_file::{NewFile, OutputFile};
use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::ptr::{self, NonNull};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// A part of the file that is mapped and can be written.
pub(super) struct Mapped {
    pub(super) at: NonNull<u8>,
    pub(super) bytes: usize,
    /// Where in the file it begins.
    pub(super) from: u64,
}

// SAFETY: a mapping belongs to the process, so any thread may use and unmap it.
unsafe impl Send for Mapped {}
// SAFETY: threads share the head of the file, of whose fields those that are still written are atomic, and pieces, of
// which each has segments of its own.
unsafe impl Sync for Mapped {}

impl Mapped {
    pub(super) fn has(&self, address: usize) -> bool {
        let begin = self.at.as_ptr().addr();
        (begin..begin + self.bytes).contains(&address)
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: the mapping was made with this address and length. References into it borrow the owner, which goes
        // now, so there are none.
        unsafe { libc::munmap(self.at.as_ptr().cast(), self.bytes) };
    }
}

/// What has become of a file that cannot grow or end as it should.
#[derive(Debug)]
pub(super) enum KeeperError {
    /// It has no name any more.
    Removed,
    /// It is shorter than it was made.
    Cut,
    /// The system refuses it.
    Full(io::Error),
}

impl From<io::Error> for KeeperError {
    fn from(error: io::Error) -> KeeperError {
        KeeperError::Full(error)
    }
}

/// What the keeper is asked for.
enum KeeperRequest {
    /// To enlarge a file that ends at `end`: by the first of these numbers of bytes for which there is room.
    Grow { end: u64, bytes: Vec<u64>, to: Sender<Result<Mapped, KeeperError>> },
    /// To close a file that has `whole` bytes. It is cut at `end`, and the ranges in it are given back to the disk.
    End { whole: u64, end: u64, unused: Vec<Range<u64>>, to: Sender<Result<bool, KeeperError>> },
}

/// The thread that has the file open, for those who ask it.
pub(super) struct FileKeeper {
    requests: Sender<KeeperRequest>,
    thread: JoinHandle<()>,
}

/// The file, as its thread has it.
struct KeptFile {
    path: PathBuf,
    file: File,
    /// What gets its name at the end, where the file cannot have its name before.
    unnamed: Option<NewFile>,
}

/// The error where the keeper does not answer.
fn gone() -> io::Error {
    io::Error::other("the thread that keeps the file open has ended")
}

impl FileKeeper {
    /// Makes a new file, has `write` write its head, and then gives it its name. Returns the head.
    pub(super) fn begin(path: &Path, write: impl Fn(&Mapped) + Send + 'static) -> io::Result<(FileKeeper, Mapped)> {
        let name = path.to_owned();
        // A name may be that of a descriptor of the process.
        let find = move |own: io::Result<()>| own.and_then(|()| OutputFile::new(&name));
        let found = apart::spawn("names", Kept::Everything, find)?;
        let output = found.join().map_err(|_| gone())??;
        let kept = match output.plain() {
            Some(_) => Kept::Nothing,
            None => Kept::Everything,
        };
        let (begun, begins) = channel();
        let (requests, asked) = channel();
        let path = path.to_owned();
        let work = move |own: io::Result<()>| match own.and_then(|()| KeptFile::begin(path, &output, &write)) {
            Ok((mut file, head)) => {
                if begun.send(Ok(head)).is_ok() {
                    file.serve(&asked);
                }
            }
            Err(error) => drop(begun.send(Err(error))),
        };
        let thread = apart::spawn("trace", kept, work)?;
        let head = begins.recv().map_err(|_| gone())??;
        Ok((FileKeeper { requests, thread }, head))
    }

    /// Asks for something, and waits for the answer.
    fn ask<T>(&self, request: impl FnOnce(Sender<Result<T, KeeperError>>) -> KeeperRequest) -> Result<T, KeeperError> {
        let (to, answer) = channel();
        let is_asked = self.requests.send(request(to)).is_ok();
        match answer.recv() {
            Ok(answer) if is_asked => answer,
            _ => Err(gone().into()),
        }
    }

    /// Enlarges a file that ends at `end`, by the first of these numbers of bytes for which there is room, and maps
    /// them.
    pub(super) fn grow(&self, end: u64, bytes: &[u64]) -> Result<Mapped, KeeperError> {
        let bytes = bytes.to_vec();
        self.ask(|to| KeeperRequest::Grow { end, bytes, to })
    }

    /// Closes a file that has `whole` bytes, and cuts it at `end`. The ranges in it are given back to the disk. Returns
    /// whether the file is under its name.
    pub(super) fn end(self, whole: u64, end: u64, unused: Vec<Range<u64>>) -> Result<bool, KeeperError> {
        let answer = self.ask(|to| KeeperRequest::End { whole, end, unused, to });
        drop(self.requests);
        // It ends, since no thread asks it any more.
        let _ = self.thread.join();
        answer
    }
}

impl KeptFile {
    fn begin(path: PathBuf, output: &OutputFile, write: &dyn Fn(&Mapped)) -> io::Result<(KeptFile, Mapped)> {
        let new = output.begin()?;
        let is_early = new.is_named_early();
        let head = map(new.file(), 0, HEAD_BYTES)?;
        write(&head);
        if is_early {
            let file = new.finish()?;
            if file.metadata()?.nlink() != 0 {
                let kept = KeptFile { path, file, unnamed: None };
                return Ok((kept, head));
            }
            // The name cannot be given to another file, as where it is a mount. It was copied there, so far.
            let new = output.begin()?;
            let head = map(new.file(), 0, HEAD_BYTES)?;
            write(&head);
            return KeptFile::late(path, new, head);
        }
        KeptFile::late(path, new, head)
    }

    /// A file that is copied to where its name leads at the end.
    fn late(path: PathBuf, new: NewFile, head: Mapped) -> io::Result<(KeptFile, Mapped)> {
        let kept = KeptFile { path, file: new.file().try_clone()?, unnamed: Some(new) };
        Ok((kept, head))
    }

    /// Does what it is asked for until no thread asks any more.
    fn serve(&mut self, asked: &Receiver<KeeperRequest>) {
        while let Ok(request) = asked.recv() {
            match request {
                KeeperRequest::Grow { end, bytes, to } => drop(to.send(self.grow(end, &bytes))),
                KeeperRequest::End { whole, end, unused, to } => drop(to.send(self.end(whole, end, &unused))),
            }
        }
    }

    /// Whether the file has a name and as many bytes as it should.
    fn check(&self, bytes: u64) -> Result<(), KeeperError> {
        let about = self.file.metadata()?;
        if about.nlink() == 0 {
            return Err(KeeperError::Removed);
        }
        if about.len() < bytes {
            return Err(KeeperError::Cut);
        }
        Ok(())
    }

    fn grow(&self, end: u64, bytes: &[u64]) -> Result<Mapped, KeeperError> {
        self.check(end)?;
        let mut error = gone();
        for bytes in bytes {
            match map(&self.file, end, *bytes) {
                Ok(piece) => return Ok(piece),
                Err(why) => error = why,
            }
        }
        Err(error.into())
    }

    fn end(&mut self, whole: u64, end: u64, unused: &[Range<u64>]) -> Result<bool, KeeperError> {
        self.check(whole)?;
        if end < whole {
            self.file.set_len(end)?;
        }
        for range in unused {
            give_back(&self.file, range);
        }
        if let Some(new) = self.unnamed.take() {
            new.finish()?;
            return Ok(true);
        }
        let about = self.file.metadata()?;
        let named = fs::metadata(&self.path);
        Ok(named.is_ok_and(|named| (named.dev(), named.ino()) == (about.dev(), about.ino())))
    }
}

/// Reserves room on the disk for `bytes` of the file from `offset` on, and maps them. The error is that of the system.
fn map(file: &File, offset: u64, bytes: u64) -> io::Result<Mapped> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is a variable, so its address is valid for a write.
    let is_known = unsafe { libc::getrlimit(libc::RLIMIT_FSIZE, &raw mut limit) } == 0;
    // Beyond the limit of the size of files, a signal would end the program.
    if is_known && offset + bytes > limit.rlim_cur {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    // SAFETY: the function takes no pointers, and the descriptor is that of an open file.
    let error = unsafe { libc::posix_fallocate(file.as_raw_fd(), offset as libc::off_t, bytes as libc::off_t) };
    if error != 0 {
        return Err(io::Error::from_raw_os_error(error));
    }
    // SAFETY: the system chooses the address, so the new mapping touches no memory that is in use. The descriptor
    // is that of an open file.
    let at = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes as usize,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_POPULATE,
            file.as_raw_fd(),
            offset as libc::off_t,
        )
    };
    match NonNull::new(at.cast()).filter(|_| at != libc::MAP_FAILED) {
        Some(at) => Ok(Mapped { at, bytes: bytes as usize, from: offset }),
        None => Err(io::Error::last_os_error()),
    }
}

/// Gives the disk back what a range has but its head. A file system that cannot do so keeps it.
fn give_back(file: &File, range: &Range<u64>) {
    /// The pages of all machines divide it.
    const PAGE: u64 = super::format::SEGMENT_UNIT;
    let begin = (range.start + super::format::SEGMENT_HEAD_BYTES as u64).next_multiple_of(PAGE);
    let end = range.end / PAGE * PAGE;
    if begin < end {
        // SAFETY: the function takes no pointers, and the descriptor is that of an open file.
        unsafe {
            libc::fallocate(
                file.as_raw_fd(),
                libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE,
                begin as libc::off_t,
                (end - begin) as libc::off_t,
            )
        };
    }
}
