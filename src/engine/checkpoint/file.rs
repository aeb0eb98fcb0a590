//! The files of checkpoints: their beginning and end, and how one is written. Their names are in `names.rs`.
//!
//! ```text
//! OCRCHECK | version | what `objects.rs` passes, first the command line | index | pieces in the index
//!          | how many bytes stand before | their CRC-32
//! ```
//!
//! All numbers have 64 bits, the lowest byte first. What earlier files have of the content of blocks is not written
//! again; the index and the rule are in `pieces.rs`. A file is written under a temporary name, synced, and renamed.
//! Then the directory is synced. The last two stay, and those that they need. A program that is killed leaves a
//! temporary file, which the next one removes.

use super::names::{BEGIN, MAGIC, VERSION, all_in, name, path_of, remove_temporary, temporary};
use super::pieces::{Earlier, Piece, SMALLEST, files_of, remove_others};
use crate::object::saved::SavedFile;
use std::fs::{self, File};
use std::io::{self, Write};
use std::mem;
use std::path::Path;

/// How many checkpoints stay.
const KEPT: usize = 2;

/// Bytes that are written at once.
const BUFFER: usize = 1 << 20;

/// A file that is being written.
struct CheckpointOutput {
    file: File,
    buffer: Vec<u8>,
    sum: crc32fast::Hasher,
    written: u64,
    /// The number of this checkpoint.
    number: u64,
    earlier: Earlier,
    index: Vec<Piece>,
}

impl CheckpointOutput {
    fn write_buffer(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }
}

impl Write for CheckpointOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.sum.update(bytes);
        self.written += bytes.len() as u64;
        if self.buffer.len() + bytes.len() > BUFFER {
            self.write_buffer()?;
        }
        if bytes.len() > BUFFER {
            self.file.write_all(bytes)?;
        } else {
            self.buffer.extend_from_slice(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_buffer()
    }
}

impl SavedFile for CheckpointOutput {
    fn piece(&mut self, of: [u64; 2], bytes: &[u8]) -> io::Result<()> {
        if bytes.len() < SMALLEST {
            self.write_all(&0u64.to_le_bytes())?;
            return self.write_all(bytes);
        }
        let sum = u64::from(crc32fast::hash(bytes));
        let piece = match self.earlier.find(of, bytes, sum) {
            Some(piece) => {
                self.write_all(&piece.file.to_le_bytes())?;
                self.write_all(&piece.offset.to_le_bytes())?;
                piece
            }
            None => {
                self.write_all(&0u64.to_le_bytes())?;
                let piece = Piece { of, file: self.number, offset: self.written, len: bytes.len() as u64, sum };
                self.write_all(bytes)?;
                piece
            }
        };
        self.index.push(piece);
        Ok(())
    }
}

/// Writes the next checkpoint in a directory; `fill` writes what it has.
pub(super) fn write(directory: &Path, fill: impl FnOnce(&mut dyn SavedFile) -> io::Result<()>) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let last = all_in(directory)?.first().map_or(0, |&(last, _)| last);
    let number = last + 1;
    remove_temporary(directory);
    let temporary = temporary(directory, std::process::id());
    let file = File::create(&temporary)?;
    let (sum, earlier) = (crc32fast::Hasher::new(), Earlier::of(directory, last));
    let buffer = Vec::with_capacity(BUFFER);
    let mut output = CheckpointOutput { file, buffer, sum, written: 0, number, earlier, index: Vec::new() };
    let fill = || {
        output.write_all(&BEGIN)?;
        fill(&mut output)?;
        let index = mem::take(&mut output.index);
        for piece in &index {
            output.write_all(&piece.to_bytes())?;
        }
        output.write_all(&(index.len() as u64).to_le_bytes())?;
        let (written, sum) = (output.written, u64::from(output.sum.clone().finalize()));
        output.write_all(&written.to_le_bytes())?;
        output.write_all(&sum.to_le_bytes())?;
        output.flush()?;
        output.file.sync_all()?;
        name(&temporary, &path_of(directory, number))?;
        Ok(files_of(&index, number))
    };
    let mut needed = match fill() {
        Ok(needed) => needed,
        Err(error) => {
            // What is left of it takes room, perhaps the last on the disk.
            let _ = fs::remove_file(&temporary);
            return Err(error);
        }
    };
    File::open(directory)?.sync_all()?;
    needed.append(&mut output.earlier.needed);
    remove_others(directory, KEPT, &needed)
}

/// Why a file cannot be read.
pub(super) enum CheckpointError {
    /// It is torn or damaged: the one before it may be whole.
    Damaged(String),
    /// It is whole, and of another version of the runtime.
    OtherVersion(u64),
}

/// What a whole file has between its beginning and its index, and the index.
pub(super) fn content(bytes: &[u8]) -> Result<(&[u8], Vec<Piece>), CheckpointError> {
    let damaged = |why: &str| CheckpointError::Damaged(why.to_string());
    let (magic, rest) = bytes.split_first_chunk().ok_or_else(|| damaged("it ends in its first bytes"))?;
    if magic != MAGIC {
        return Err(damaged("it does not begin as a checkpoint does"));
    }
    let torn = || damaged("it is torn: its end is missing");
    let (version, rest) = rest.split_first_chunk().ok_or_else(torn)?;
    let (rest, sum) = rest.split_last_chunk().ok_or_else(torn)?;
    let (rest, len) = rest.split_last_chunk().ok_or_else(torn)?;
    let len = u64::from_le_bytes(*len);
    if len != bytes.len() as u64 - 16 {
        return Err(torn());
    }
    if u64::from_le_bytes(*sum) != u64::from(crc32fast::hash(&bytes[..len as usize])) {
        return Err(damaged("its checksum is wrong"));
    }
    match u64::from_le_bytes(*version) {
        VERSION => {
            let index = rest.split_last_chunk().and_then(|(rest, count)| {
                let bytes = usize::try_from(u64::from_le_bytes(*count)).ok()?.checked_mul(Piece::BYTES)?;
                rest.split_at_checked(rest.len().checked_sub(bytes)?)
            });
            let (content, index) = index.ok_or_else(|| damaged("its index is longer than the file"))?;
            Ok((content, Piece::all_of(index)))
        }
        version => Err(CheckpointError::OtherVersion(version)),
    }
}

impl CheckpointError {
    /// What is said of a file of another version.
    pub(super) fn of_version(version: u64) -> String {
        format!("it has version {version} of the format, and this runtime reads version {VERSION}")
    }
}
