//! Contents of data blocks in pieces, so that a checkpoint does not write again what an earlier one has.
//!
//! A content is cut into pieces of 64 KiB. A file has an index of its pieces at its end: of which block each is, and in
//! which file it stands. The process that writes looks for each piece in the index of the last checkpoint, at the same
//! place of the same block. Where the lengths and the CRC-32 agree, it reads that piece and compares it byte by byte.
//! Because bytes are compared, no write of the program has to be noted, nothing depends on a checksum, and a file that
//! was damaged meanwhile is not trusted. Contents below 4 KiB are always written, and are in no index.
//!
//! # Which files stay
//!
//! A file that one of the last two checkpoints refers to stays, too. To bound what these take, a checkpoint refers to
//! the last one, and to at most [`MOST_EARLIER`] files before it, of which the last one needs at least half. Other
//! pieces are written again. So all files together take at most about twice the content of all blocks, beside what the
//! last two have written.

use super::names::{BEGIN, all_in, map, path_of};
use crate::object::saved::malformed;
use memmap2::Mmap;
use rustc_hash::FxHashMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Contents of fewer bytes are in no index.
pub(super) const SMALLEST: usize = 4 << 10;

/// How many files before the last one a checkpoint refers to.
const MOST_EARLIER: usize = 8;

/// A piece of a content in an index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    /// The slot of the block, and which piece of its content.
    pub(super) of: [u64; 2],
    /// The number of the file that has it, and where.
    pub(super) file: u64,
    pub(super) offset: u64,
    /// In bytes.
    pub(super) len: u64,
    /// The CRC-32.
    pub(super) sum: u64,
}

impl Piece {
    /// Bytes of a piece in an index.
    pub(super) const BYTES: usize = 48;

    pub(super) fn to_bytes(self) -> [u8; Piece::BYTES] {
        let words = [self.of[0], self.of[1], self.file, self.offset, self.len, self.sum];
        let mut bytes = [0; Piece::BYTES];
        for (to, word) in bytes.chunks_exact_mut(8).zip(words) {
            to.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }

    /// The pieces of an index.
    pub(super) fn all_of(index: &[u8]) -> Vec<Piece> {
        let word = |bytes: &[u8], at: usize| bytes[at * 8..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
        let piece = |bytes: &[u8]| Piece {
            of: [word(bytes, 0), word(bytes, 1)],
            file: word(bytes, 2),
            offset: word(bytes, 3),
            len: word(bytes, 4),
            sum: word(bytes, 5),
        };
        index.chunks_exact(Piece::BYTES).map(piece).collect()
    }
}

/// The files that pieces refer to, other than this one.
pub(super) fn files_of(pieces: &[Piece], own: u64) -> Vec<u64> {
    let mut files: Vec<u64> = pieces.iter().map(|piece| piece.file).filter(|&file| file != own).collect();
    files.sort_unstable();
    files.dedup();
    files
}

/// What the next checkpoint in a directory can refer to.
#[derive(Default)]
pub(super) struct Earlier {
    pieces: FxHashMap<[u64; 2], Piece>,
    files: FxHashMap<u64, File>,
    /// What the last checkpoint refers to.
    pub(super) needed: Vec<u64>,
    buffer: Vec<u8>,
}

impl Earlier {
    /// What the next checkpoint in this directory can refer to, where the last one has this number. Nothing, where the
    /// last one cannot be read.
    pub(super) fn of(directory: &Path, last: u64) -> Earlier {
        Earlier::read(directory, last).unwrap_or_default()
    }

    fn read(directory: &Path, last: u64) -> io::Result<Earlier> {
        let file = File::open(path_of(directory, last))?;
        let pieces = index_of(&file)?;
        let needed = files_of(&pieces, last);
        let mut used: FxHashMap<u64, u64> = FxHashMap::default();
        for piece in &pieces {
            let used = used.entry(piece.file).or_default();
            *used = used.saturating_add(piece.len);
        }
        let mut before: Vec<(u64, u64, File)> = Vec::new();
        for &number in &needed {
            let used = used.get(&number).copied().unwrap_or(0);
            let Ok(file) = File::open(path_of(directory, number)) else { continue };
            if file.metadata().is_ok_and(|about| used >= about.len() / 2) {
                before.push((used, number, file));
            }
        }
        before.sort_by_key(|&(used, ..)| std::cmp::Reverse(used));
        let before = before.into_iter().take(MOST_EARLIER).map(|(_, number, file)| (number, file));
        let files: FxHashMap<u64, File> = before.chain([(last, file)]).collect();
        let pieces = pieces.into_iter().filter(|piece| files.contains_key(&piece.file));
        let pieces = pieces.map(|piece| (piece.of, piece)).collect();
        Ok(Earlier { pieces, files, needed, buffer: Vec::new() })
    }

    /// Where an earlier file has these bytes as this piece.
    pub(super) fn find(&mut self, of: [u64; 2], bytes: &[u8], sum: u64) -> Option<Piece> {
        let piece = *self.pieces.get(&of)?;
        if piece.sum != sum || piece.len != bytes.len() as u64 {
            return None;
        }
        self.buffer.resize(bytes.len(), 0);
        self.files.get(&piece.file)?.read_exact_at(&mut self.buffer, piece.offset).ok()?;
        (self.buffer == bytes).then_some(piece)
    }
}

/// The index of a file, by the numbers at its end (`file.rs`). An error where it does not begin and end as a checkpoint
/// does, as one that is torn.
fn index_of(file: &File) -> io::Result<Vec<Piece>> {
    let len = file.metadata()?.len();
    let (mut begin, mut end) = ([0; BEGIN.len()], [0; 16]);
    let end_at = len.checked_sub(24).ok_or_else(malformed)?;
    file.read_exact_at(&mut begin, 0)?;
    file.read_exact_at(&mut end, end_at)?;
    let [count, written] = [0, 8].map(|at| end[at..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word)));
    if begin != BEGIN || written != len - 16 {
        return Err(malformed());
    }
    let bytes = count.checked_mul(Piece::BYTES as u64).filter(|&bytes| bytes <= end_at).ok_or_else(malformed)?;
    let mut index = vec![0; bytes as usize];
    file.read_exact_at(&mut index, end_at - bytes)?;
    Ok(Piece::all_of(&index))
}

/// The earlier files that a checkpoint refers to, whose pieces are as they were.
pub(super) struct EarlierBytes(FxHashMap<u64, Mmap>);

impl EarlierBytes {
    /// Those of a checkpoint with this number and these pieces. The error is for people.
    pub(super) fn open(directory: &Path, own: u64, pieces: &[Piece]) -> Result<EarlierBytes, String> {
        let mut files = FxHashMap::default();
        for number in files_of(pieces, own) {
            let path = path_of(directory, number);
            let name = path.file_name().unwrap_or_default().display().to_string();
            let bytes = map(&path).map_err(|error| format!("it needs {name}, which cannot be read: {error}"))?;
            files.insert(number, bytes);
        }
        let earlier = EarlierBytes(files);
        for piece in pieces.iter().filter(|piece| piece.file != own) {
            let sum = earlier.piece(piece.file, piece.offset, piece.len as usize).map(crc32fast::hash);
            if sum.map(u64::from) != Some(piece.sum) {
                return Err(format!(
                    "it needs a part of {}, which has been changed since",
                    path_of(directory, piece.file).file_name().unwrap_or_default().display()
                ));
            }
        }
        Ok(earlier)
    }

    /// The bytes at this place of a file.
    pub(super) fn piece(&self, file: u64, offset: u64, len: usize) -> Option<&[u8]> {
        let bytes = self.0.get(&file)?;
        bytes.get(usize::try_from(offset).ok()?..)?.get(..len)
    }
}

/// Removes the files that no checkpoint among the last ones needs: `kept` stay, and the last `count`.
pub(super) fn remove_others(directory: &Path, count: usize, kept: &[u64]) -> io::Result<()> {
    for (number, path) in all_in(directory)?.into_iter().skip(count) {
        if !kept.contains(&number) {
            // One that stays takes room alone.
            let _ = std::fs::remove_file(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_read_as_they_were_written() {
        let piece = Piece { of: [7, 1], file: 3, offset: 99, len: 65536, sum: 0xffff_ffff };
        let other = Piece { of: [8, 0], file: 4, ..piece };
        let index: Vec<u8> = [piece, other].iter().flat_map(|piece| piece.to_bytes()).collect();
        assert_eq!(Piece::all_of(&index), [piece, other]);
        assert_eq!(files_of(&[piece, other, piece], 4), [3]);
    }
}
