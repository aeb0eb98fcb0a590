//! Files, and their parts that are data blocks (OCR-Vx): chunks.
//!
//! | state of a file | meaning | left by |
//! |---|---|---|
//! | open | its GUID is accepted | `ocrFileRelease` |
//! | released | chunks of it are still there | the last chunk that goes: it is closed |
//!
//! A chunk is an ordinary data block, with a mark. What it is a part of stands in a table here, by the
//! block's GUID, from before the block is known until it is written back. The thread that takes it out of the table is
//! the one that writes, and counts as that until it is done.

use super::guid::Guid;
use super::registry::{Numbers, Registry};
use ocr_base::lock::{Condvar, Mutex, rank};
use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::IntoRawFd;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;

/// A file that is open. A program may close descriptors that it knows nothing of, and open a file of its own, which
/// then
/// has the descriptor of this one. So each use looks first whether it is still the same file.
pub struct OpenFile {
    /// The open file, of the system. None when it is closed.
    file: Option<File>,
    /// What tells the file from others: its device and its number there.
    identity: Option<(u64, u64)>,
    /// Its name as the program gave it, for messages: what is not UTF-8 is marked.
    pub path: String,
    /// Whether chunks are written back.
    pub writable: bool,
    /// Where there are chunks: ends by beginnings.
    taken: Mutex<rank::FileChunksTaken, BTreeMap<u64, u64>>,
}

impl OpenFile {
    /// A file that was opened, of which there are no chunks yet.
    pub fn new(file: File, path: String, writable: bool) -> OpenFile {
        OpenFile { identity: identity(&file), file: Some(file), path, writable, taken: Mutex::default() }
    }

    /// The open file. The error says that the program has closed its descriptor.
    pub fn get(&self) -> io::Result<&File> {
        let file = self.file.as_ref();
        let own = file.filter(|file| self.identity.is_some() && identity(file) == self.identity);
        own.ok_or_else(|| {
            io::Error::other(
                "the program has closed the descriptor that the runtime has the file open with; it must not close \
                 descriptors that it has not opened while the file is in use",
            )
        })
    }

    /// Closes the file. A descriptor that has become another file is left alone.
    pub fn close(mut self) -> io::Result<()> {
        let is_own = self.get().is_ok();
        match self.file.take().map(File::into_raw_fd) {
            // SAFETY: the descriptor is this file's, which has let go of it.
            Some(descriptor) if is_own && unsafe { libc::close(descriptor) } != 0 => Err(io::Error::last_os_error()),
            _ => Ok(()),
        }
    }

    /// Takes a range of bytes for a chunk. False if there is one in it.
    pub fn take(&self, range: &Range<u64>) -> bool {
        let mut taken = self.taken.lock();
        // Chunks do not overlap: the last that begins before the end of this one ends last.
        let before = taken.range(..range.end).next_back();
        let free = range.is_empty() || before.is_none_or(|(_, &end)| end <= range.start);
        if free && !range.is_empty() {
            taken.insert(range.start, range.end);
        }
        free
    }

    /// Gives a range back that was taken.
    pub fn give_back(&self, range: &Range<u64>) {
        if !range.is_empty() {
            self.taken.lock().remove(&range.start);
        }
    }

    /// Has the file be so long at least. One at a time, so that none of two makes it shorter.
    pub fn enlarge(&self, len: u64) -> io::Result<()> {
        let _taken = self.taken.lock();
        let file = self.get()?;
        if file.metadata()?.len() < len { file.set_len(len) } else { Ok(()) }
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if self.get().is_err() {
            let _ = self.file.take().map(File::into_raw_fd);
        }
    }
}

/// What tells a file from others.
fn identity(file: &File) -> Option<(u64, u64)> {
    let about = file.metadata().ok()?;
    Some((about.dev(), about.ino()))
}

/// What a data block is a part of.
#[derive(Clone)]
pub struct Chunk {
    pub file: Arc<OpenFile>,
    /// Which bytes of the file the chunk stands for.
    pub range: Range<u64>,
    /// In strict mode, a fingerprint of what was read there.
    pub read: Option<u64>,
}

/// The files that are open, and their chunks.
#[derive(Default)]
pub struct Files {
    open: Registry<OpenFile>,
    chunks: Mutex<rank::FileChunks, Chunks>,
    /// Notified when the last chunk that was being written has been.
    written: Condvar,
}

#[derive(Default)]
struct Chunks {
    all: HashMap<Guid, Chunk>,
    /// How many have been taken out and are being written.
    writing: usize,
}

impl Files {
    /// Enters a file. `None` when GUIDs are used up.
    pub fn open(&self, numbers: &Numbers, file: OpenFile) -> Option<Guid> {
        self.open.add(numbers, file)
    }

    /// The file with this GUID.
    pub fn get(&self, guid: Guid) -> Option<Arc<OpenFile>> {
        self.open.get(guid)
    }

    /// Whether a file is open, or a block is a part of one.
    pub fn any_left(&self) -> bool {
        !self.open.is_empty() || !self.chunks.lock().all.is_empty()
    }

    /// Takes a file out: its GUID is not accepted any more.
    pub fn release(&self, guid: Guid) -> Option<Arc<OpenFile>> {
        self.open.remove(guid)
    }

    /// Takes all files out: no GUID of one is accepted any more.
    pub fn release_all(&self) -> Vec<Arc<OpenFile>> {
        self.open.remove_all()
    }

    /// A data block is about to become a part of a file.
    pub fn add_chunk(&self, block: Guid, chunk: Chunk) {
        self.chunks.lock().all.insert(block, chunk);
    }

    /// What a data block is a part of.
    pub fn chunk(&self, block: Guid) -> Option<Chunk> {
        self.chunks.lock().all.get(&block).cloned()
    }

    /// Takes a chunk out of the table: the caller writes it, and says then that it has.
    pub fn take_chunk(&self, block: Guid) -> Option<Chunk> {
        let mut chunks = self.chunks.lock();
        let chunk = chunks.all.remove(&block)?;
        chunks.writing += 1;
        Some(chunk)
    }

    /// The caller has written a chunk that it has taken out.
    pub fn wrote_chunk(&self) {
        let mut chunks = self.chunks.lock();
        chunks.writing -= 1;
        if chunks.writing == 0 {
            self.written.notify_all();
        }
    }

    /// Waits until no thread writes a chunk.
    pub fn wait_until_written(&self) {
        let mut chunks = self.chunks.lock();
        while chunks.writing != 0 {
            self.written.wait(&mut chunks);
        }
    }

    /// All chunks, by file and place.
    pub fn chunks(&self) -> Vec<(Guid, Chunk)> {
        let chunks = self.chunks.lock();
        let mut all: Vec<_> = (chunks.all.iter()).map(|(&guid, of)| (guid, of.clone())).collect();
        all.sort_by_key(|(_, chunk)| (Arc::as_ptr(&chunk.file), chunk.range.start));
        all
    }

    /// How many chunks there are that would have to be written, and one of them; 0 where the caller may be changing
    /// that.
    pub fn unwritten(&self) -> (usize, Option<Chunk>) {
        let Some(chunks) = self.chunks.try_lock() else {
            return (0, None);
        };
        let unwritten = chunks.all.values().filter(|chunk| chunk.file.writable);
        let first = unwritten.clone().min_by_key(|chunk| chunk.range.start);
        (unwritten.count(), first.cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::{AsRawFd, FromRawFd};

    #[test]
    fn a_descriptor_that_became_another_file_is_left_alone() {
        let open = |path: &str| File::open(path).expect("it is there");
        let file = OpenFile::new(open("/dev/null"), String::new(), false);
        let descriptor = file.get().expect("it is open").as_raw_fd();
        // What `dup2` of a program does.
        let other = open("/proc/self/status");
        // SAFETY: the call takes numbers. The descriptor is that of `file`, of which this test is about.
        unsafe { libc::dup2(other.as_raw_fd(), descriptor) };
        assert!(file.get().is_err());
        assert!(file.enlarge(10).is_err());
        assert!(file.close().is_ok());
        // SAFETY: `close` has left the descriptor alone, so nothing owns it.
        let left = unsafe { File::from_raw_fd(descriptor) };
        assert_eq!(identity(&left), identity(&other));
        assert!(identity(&left).is_some());
    }

    #[test]
    fn chunks_do_not_overlap() {
        let null = File::open("/dev/null").expect("it is there");
        let file = OpenFile::new(null, String::new(), false);
        assert!(file.take(&(10..20)));
        assert!(file.take(&(20..30)));
        assert!(file.take(&(0..10)));
        for range in [0..1, 5..12, 15..16, 10..20, 19..21, 0..30, 29..40] {
            assert!(!file.take(&range), "{range:?}");
        }
        // One of no bytes overlaps with no other.
        assert!(file.take(&(15..15)));
        file.give_back(&(15..15));
        assert!(!file.take(&(15..16)));
        file.give_back(&(10..20));
        assert!(file.take(&(12..18)));
        assert!(!file.take(&(10..13)));
        assert!(file.take(&(30..u64::MAX)));
    }
}
