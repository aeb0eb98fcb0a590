//! Files as data blocks (OCR-Vx): a chunk is read when it is created. It is written after it was destroyed, when it is
//! not used any more, by the thread that finds that out. What is on a device then is brought to the host first, by an
//! EDT that does nothing else. What is left when the program ends is written then.
//!
//! A chunk is a data block with a mark, which is looked at where a destroyed block is freed and nowhere else. The
//! thread that frees it writes in the call, so an EDT that depends on that one finds the content in the file. A
//! device's manager never waits for a disk: there an EDT that does nothing holds the block on the host first, and its
//! end frees the block again. The content is compared with the file's, and is written from the first difference on. A
//! table has what each block is a part of. The thread that takes an entry out of it writes, which settles the race with
//! the end of the run. No call could report that a chunk was not written, so that ends the program.

use crate::abi::Api;
use crate::check::checksum::fingerprint;
use crate::check::history::What;
use crate::device::DeviceError;
use crate::engine::state::context::Context;
use crate::engine::state::fatal::fatal;
use crate::engine::state::fetch_at_end::FETCH_AT_END;
use crate::engine::state::runtime::Runtime;
use crate::memory;
use crate::object::code::WorkKind;
use crate::object::code::{Code, EdtDep};
use crate::object::data_block::{DataBlock, Mark};
use crate::object::edt::{EdtFlags, EdtState, Mode, NO_SLOT};
use crate::object::file::{Chunk, OpenFile};
use crate::object::guid::Guid;
use crate::object::name::BlockName;
use crate::trace;
use ocr_base::output_file::{above_standard, without_signals};
use ocr_base::text::{Counted, Readable};
use ocr_place::place::Place;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io;
use std::io::ErrorKind;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::Arc;

/// What a file is opened for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OpenMode {
    /// Whether it must be there, as it is; or else made, and empty.
    pub keeps: bool,
    /// Whether chunks are written back.
    pub writes: bool,
}

impl OpenMode {
    /// The mode of `fopen` with this text. None that appends: a chunk says where it is.
    pub(crate) fn parse(text: &str) -> Option<OpenMode> {
        let (first, rest) = text.split_at_checked(1)?;
        let plus = rest.contains('+');
        let mode = match first {
            "r" => OpenMode { keeps: true, writes: plus },
            "w" => OpenMode { keeps: false, writes: true },
            _ => return None,
        };
        matches!(rest, "" | "b" | "+" | "b+" | "+b").then_some(mode)
    }
}

/// Why a call has not done what it was asked for.
#[derive(Debug)]
pub(crate) enum FileError {
    /// There is no such file.
    NoSuchFile,
    /// The range is too large, or has a chunk in it.
    Overlaps,
    /// A number is out of range.
    Range,
    /// What the name leads to is a directory, a device, or the like.
    NotRegular,
    /// No memory for the data block.
    OutOfMemory,
    /// The system has refused it.
    System(io::Error),
}

impl std::fmt::Display for FileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FileError::NoSuchFile => f.write_str("there is no such file"),
            FileError::Overlaps => f.write_str("there is a chunk in that range"),
            FileError::Range => f.write_str("no file has such a range"),
            FileError::NotRegular => f.write_str("it is a directory, a device or the like, not a file with bytes"),
            FileError::OutOfMemory => f.write_str("there is no memory for the data block"),
            FileError::System(error) => error.fmt(f),
        }
    }
}

/// What `ocrFileGetGuid` and `ocrFileGetSize` read.
#[repr(C)]
pub(crate) struct Descriptor {
    /// The GUID of the file, for calls that follow.
    pub file: Guid,
    /// Its size when it was opened, in bytes.
    pub size: u64,
    /// `OCR_FILE_EXISTS`, always: a file that could not be opened has no descriptor.
    pub status: u8,
}

const EXISTS: u8 = 1;

impl Context {
    /// Opens a file: its GUID and, if it is wanted, that of its descriptor.
    pub(crate) fn open_file(
        &mut self,
        path: &[u8],
        mode: OpenMode,
        wants_descriptor: bool,
    ) -> Result<(Guid, Guid), FileError> {
        // Before, since opening may make or empty the file.
        let descriptor = if wants_descriptor {
            self.create_block(size_of::<Descriptor>() as u64, true)
        } else {
            Ok((Guid::NULL, std::ptr::null_mut()))
        };
        let (descriptor, address) = descriptor.map_err(|_| FileError::OutOfMemory)?;
        let opened = open(path, mode).and_then(|(file, size)| {
            let objects = &self.runtime.objects;
            let guid = objects.files.open(&objects.numbers, file);
            Ok((guid.ok_or(FileError::OutOfMemory)?, size))
        });
        let (file, size) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let _ = self.destroy_block(descriptor);
                return Err(error);
            }
        };
        if let Some(check) = &self.runtime.check {
            let act = (Api::ocrFileOpen, self.who());
            check.created(&self.runtime.objects, file, What::File, act);
            let name = Readable(path).to_string();
            check.history.label(file, name);
        }
        if wants_descriptor {
            let text = Descriptor { file, size, status: EXISTS };
            // SAFETY: the block has this size, is aligned to 16 bytes, and no other thread knows it.
            unsafe { address.cast::<Descriptor>().write(text) };
            let _ = self.release_block(descriptor);
        }
        Ok((file, descriptor))
    }

    /// Releases a file, which is closed when its last chunk has gone. False if there is none.
    pub(crate) fn release_file(&mut self, file: Guid) -> bool {
        let Some(open) = self.runtime.objects.files.release(file) else {
            return false;
        };
        if let Some(check) = &self.runtime.check {
            check.ended(file, (Api::ocrFileRelease, self.who()));
        }
        let_go(open);
        true
    }

    /// Makes a range of a file a data block.
    pub(crate) fn file_chunk(&mut self, file: Guid, offset: u64, size: u64) -> Result<Guid, FileError> {
        let file = self.runtime.objects.files.get(file);
        let file = file.ok_or(FileError::NoSuchFile)?;
        let end = offset.checked_add(size);
        let range = match end.filter(|&end| i64::try_from(end).is_ok()) {
            None => Err(FileError::Range),
            Some(end) if !file.take(&(offset..end)) => Err(FileError::Overlaps),
            Some(end) => Ok(offset..end),
        };
        let chunk =
            range.and_then(|range| self.create_chunk(&file, range.clone()).inspect_err(|_| file.give_back(&range)));
        if let Err(error @ FileError::System(_)) = &chunk {
            warning!(
                "ocrFileGetChunk: no chunk of {} at {offset} of the file \"{}\": {error}",
                Counted(size, "byte"),
                file.path
            );
        }
        let_go(file);
        chunk
    }

    fn create_chunk(&mut self, file: &Arc<OpenFile>, range: Range<u64>) -> Result<Guid, FileError> {
        let size = range.end - range.start;
        let created = self.create_block(size, true);
        let (guid, address) = created.map_err(|_| FileError::OutOfMemory)?;
        // SAFETY: the block has this memory, and no other thread knows it.
        let read = unsafe { read_at(file, address, &range) }
            .and_then(|()| if file.writable { file.enlarge(range.end) } else { Ok(()) });
        if let Err(error) = read {
            let _ = self.destroy_block(guid);
            return Err(FileError::System(error));
        }
        let objects = &self.runtime.objects;
        // For messages that name the block.
        let name = format!("bytes {} to {} of {}", range.start, range.end, file.path);
        self.runtime.registry.labels.attach(objects, guid, &name);
        let file = file.clone();
        let check = self.runtime.check.as_ref();
        let read = check.map(|_| fingerprint(address, size as usize));
        let chunk = Chunk { file, range, read };
        objects.files.add_chunk(guid, chunk);
        if let Some((block, locked)) = objects.data_blocks.lock(guid) {
            block.mark(&locked, Mark::Chunk);
        }
        let _ = self.release_block(guid);
        Ok(guid)
    }

    /// A destroyed chunk is not used any more: writes it back. False if its content has to be brought
    /// first; then the block lives until that has happened.
    #[cold]
    pub(crate) fn end_chunk(&mut self, block: &'static DataBlock) -> bool {
        let files = &self.runtime.objects.files;
        let guid = block.guid();
        let Some(chunk) = files.chunk(guid) else {
            return true;
        };
        let writable = chunk.file.writable;
        let_go(chunk.file);
        // A device's manager does not wait for a disk.
        if writable && (self.is_manager || !block.copies().host_ready()) {
            self.bring_chunk(block);
            return false;
        }
        if let Some(chunk) = files.take_chunk(guid) {
            if let Err(message) = write_back(block, chunk) {
                fatal(&message);
            }
            files.wrote_chunk();
        }
        true
    }

    /// Has a worker write a chunk back, when its content has been brought: an EDT holds the block, and
    /// has nothing to do.
    fn bring_chunk(&mut self, block: &'static DataBlock) {
        let objects = &self.runtime.objects;
        let Some(edt) = objects.edts.allocate(&mut self.caches.edts, 1, 0) else {
            fatal(&format!("there is no memory to write back {}, a chunk of a file.", BlockName(block.guid())));
        };
        let work = Code::of_runtime(nothing, WorkKind::Writer);
        edt.work.set(objects.code_table.intern(work));
        edt.paramc.set(0);
        edt.scope.set(std::ptr::null());
        edt.place.set(Place::HOST);
        edt.flags.set(EdtFlags::FETCH);
        if trace::is_on() {
            self.record_created(edt, false, &[block.guid()]);
            self.record_runnable(edt, Place::HOST);
        }
        edt.slots()[0].satisfy(block.guid(), Mode::Ro);
        let word = edt.header.peek().with_count(0);
        edt.header.publish(word.with_state(EdtState::Runnable));
        edt.order_blocks();
        edt.cursor.set(NO_SLOT);
        memory::hold_again(block);
        self.locked(edt);
    }

    /// Writes what is left of files, when neither a worker nor a device runs any more. False if something
    /// could not be written; the message has been printed.
    fn write_left(&mut self) -> bool {
        let files = &self.runtime.objects.files;
        let mut all_written = true;
        let mut end = |result: Result<(), String>| {
            if let Err(message) = result {
                error!("{message}");
                all_written = false;
            }
        };
        // From here on there are no new chunks.
        let open = files.release_all();
        loop {
            let chunks = files.chunks();
            if chunks.is_empty() {
                break;
            }
            for (guid, chunk) in chunks {
                end(self.write_at_end(guid, chunk));
            }
            // What is left, if anything, others are about to write or to hold.
            std::thread::yield_now();
        }
        open.into_iter().for_each(|file| end(close(file)));
        files.wait_until_written();
        all_written
    }

    /// Writes a chunk that is left, unless a thread of the program or a device's manager is about to
    /// write it, or to hold it until it is written.
    fn write_at_end(&mut self, guid: Guid, chunk: Chunk) -> Result<(), String> {
        let objects = &self.runtime.objects;
        let Some((block, locked)) = objects.data_blocks.lock(guid) else {
            return close(chunk.file);
        };
        let stays = memory::hold_still(block, &locked);
        drop(locked);
        if !stays {
            return close(chunk.file);
        }
        let brought =
            if chunk.file.writable { self.bring_at_end(block).and_then(|()| self.gather_parts(block)) } else { Ok(()) };
        let mut written = Ok(());
        if let Some(taken) = objects.files.take_chunk(guid) {
            written = match brought {
                Ok(()) => write_back(block, taken),
                Err(error) => Err(message(&taken, guid, &error)),
            };
            objects.files.wrote_chunk();
        }
        let left = memory::release_unused(block, Mode::Ro, &mut self.steps.granted);
        self.dispose_if(block, left);
        written.and(close(chunk.file))
    }

    /// Brings a block to the host and waits for that.
    pub(crate) fn bring_at_end(&mut self, block: &'static DataBlock) -> Result<(), DeviceError> {
        let (valid, host_ready) = {
            let copies = block.copies();
            (copies.valid, copies.host_ready())
        };
        let from = valid.iter().next().filter(|_| !host_ready);
        let Some(from) = from else { return Ok(()) };
        let manager = self.runtime.devices.manager(from);
        self.runtime.fetch_at_end.wait(|| manager.fetch(block, FETCH_AT_END))
    }
}

impl Runtime {
    /// Writes what is left of files at the end of a run. False if something could not be written.
    pub(crate) fn write_files(&self) -> bool {
        let Some(context) = Context::get() else {
            return true;
        };
        // SAFETY: `Context::get` returns this thread's own context, which is alive; nothing else refers to it here.
        let written = unsafe { &mut *context }.write_left();
        Context::leave();
        written
    }

    /// Says what an abnormal end leaves unwritten.
    pub(crate) fn warn_unwritten(&self) {
        let (chunks, first) = self.objects.files.unwritten();
        if let Some(Chunk { file, range, .. }) = first {
            let (were, among) = match chunks {
                1 => (" of files was", ""),
                _ => ("s of files were", "among them "),
            };
            warning!(
                "{chunks} chunk{were} not written back, since ocrAbort or an error ended the run: {among}bytes {} \
                 to {} of \"{}\"",
                range.start,
                range.end,
                file.path
            );
        }
    }
}

/// What the EDT that writes a chunk back would run: nothing.
unsafe extern "C" fn nothing(_: u32, _: *mut u64, _: u32, _: *mut EdtDep) -> Guid {
    Guid::NULL
}

fn open(path: &[u8], mode: OpenMode) -> Result<(OpenFile, u64), FileError> {
    let name = Readable(path).to_string();
    let opened = OpenOptions::new()
        .read(true)
        .write(mode.writes)
        .create(!mode.keeps)
        .truncate(!mode.keeps)
        // Opening a pipe or a terminal, which is refused then, is not to wait or do more.
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(OsStr::from_bytes(path));
    // A program may have closed its standard output, which the file is not to become.
    let file = opened.and_then(above_standard).map_err(|error| match error.kind() {
        ErrorKind::IsADirectory => FileError::NotRegular,
        _ => FileError::System(error),
    })?;
    let about = file.metadata().map_err(FileError::System)?;
    if about.is_file() { Ok((OpenFile::new(file, name, mode.writes), about.len())) } else { Err(FileError::NotRegular) }
}

/// Reads a range as far as the file goes; zeros follow.
///
/// # Safety
/// `place` is the caller's, and has room for the range.
unsafe fn read_at(file: &OpenFile, place: *mut u8, range: &Range<u64>) -> io::Result<()> {
    let mut at = range.start;
    let rest = |at: u64| {
        let to = place.wrapping_add((at - range.start) as usize);
        (to, (range.end - at) as usize)
    };
    while at < range.end {
        let (to, len) = rest(at);
        let descriptor = file.get()?.as_raw_fd();
        // SAFETY: the caller promises that the place has room for the range, of which `to` and `len` are the rest; the
        // descriptor is open as long as the file is.
        let read = unsafe { libc::pread(descriptor, to.cast(), len, at as libc::off_t) };
        match read {
            0 => break,
            1.. => at += read as u64,
            _ => {
                let error = io::Error::last_os_error();
                if error.kind() != ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
    let (to, len) = rest(at);
    // SAFETY: the caller promises that the place has room for the range, of which `to` and `len` are the rest.
    unsafe { to.write_bytes(0, len) };
    Ok(())
}

/// Writes a chunk, whose content is on the host and which the caller has taken out of the table. The
/// message says what went wrong.
fn write_back(block: &DataBlock, chunk: Chunk) -> Result<(), String> {
    let Chunk { file, range, .. } = &chunk;
    let mut written = Ok(());
    if file.writable {
        let len = (range.end - range.start) as usize;
        // SAFETY: the block has this memory, which was written when it was created; it is the caller's,
        // or held for reading.
        let bytes = unsafe { std::slice::from_raw_parts(block.host_ptr(), len) };
        let same = same_in_file(file, bytes, range.start);
        written = if same == len {
            Ok(())
        } else {
            without_signals(|| {
                let file = file.get()?;
                file.write_all_at(&bytes[same..], range.start + same as u64)
            })
        };
    } else if let Some(read) = chunk.read
        && block.copies().host_ready()
        && fingerprint(block.host_ptr(), block.size() as usize) != read
    {
        note_lost(block.guid(), &chunk);
    }
    let written = written.map_err(|error| message(&chunk, block.guid(), &error));
    file.give_back(range);
    written.and(close(chunk.file))
}

/// How many of these bytes, from the first on, stand in the file at this offset already. A chunk that was only
/// read is not written so, whatever its EDTs have acquired it in: the file keeps its time, and each byte costs
/// one access as before, a look or a write. What cannot be read is written.
fn same_in_file(file: &OpenFile, bytes: &[u8], offset: u64) -> usize {
    let mut buffer = vec![0; bytes.len().min(256 << 10)];
    let mut same = 0;
    while same < bytes.len() {
        let most = buffer.len().min(bytes.len() - same);
        let read = file.get().and_then(|file| file.read_at(&mut buffer[..most], offset + same as u64));
        let read = match read {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Ok(read) if read > 0 => read,
            _ => break,
        };
        let pairs = buffer[..read].iter().zip(&bytes[same..]);
        if buffer[..read] != bytes[same..same + read] {
            same += pairs.take_while(|(old, new)| old == new).count();
            break;
        }
        same += read;
    }
    same
}

/// Says once that what was written to a chunk is lost.
fn note_lost(block: Guid, chunk: &Chunk) {
    let Chunk { file, range, .. } = chunk;
    strict_note_once!(
        "what was written to {}, bytes {} to {} of the file \"{}\", is lost: \
         the file was opened for reading alone. Open it with \"r+\" to keep it.",
        BlockName(block),
        range.start,
        range.end,
        file.path
    );
}

fn message(chunk: &Chunk, block: Guid, error: &dyn std::fmt::Display) -> String {
    let Chunk { file, range, .. } = chunk;
    format!(
        "{} cannot be written back to bytes {} to {} of the file \"{}\": {error}",
        BlockName(block),
        range.start,
        range.end,
        file.path
    )
}

/// Gives a reference to a file back. The last one closes it; what the system has kept to write may
/// turn out then to be lost, which the message says.
fn close(file: Arc<OpenFile>) -> Result<(), String> {
    let Some(file) = Arc::into_inner(file) else {
        return Ok(());
    };
    let (path, writable) = (file.path.clone(), file.writable);
    match file.close() {
        Err(error) if writable => {
            Err(format!("the file \"{path}\" cannot be closed, so what was written may be lost: {error}"))
        }
        _ => Ok(()),
    }
}

/// Gives a reference to a file back while the program runs. Ends the program if something that was written is lost.
fn let_go(file: Arc<OpenFile>) {
    if let Err(message) = close(file) {
        fatal(&message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_are_those_of_fopen_but_for_appending() {
        let mode = |keeps, writes| Some(OpenMode { keeps, writes });
        for text in ["r", "rb"] {
            assert_eq!(OpenMode::parse(text), mode(true, false), "{text}");
        }
        for text in ["r+", "rb+", "r+b"] {
            assert_eq!(OpenMode::parse(text), mode(true, true), "{text}");
        }
        for text in ["w", "wb", "w+", "wb+", "w+b"] {
            assert_eq!(OpenMode::parse(text), mode(false, true), "{text}");
        }
        for text in ["", "a", "ab+", "x", "R", "rw", "r++", "rb+b", "+r", "ü", "r "] {
            assert_eq!(OpenMode::parse(text), None, "{text}");
        }
    }
}
