//! What a checkpoint has of objects. One function of each type passes its fields through a [`Saved`], which writes them
//! to a file or fills them from one: so what is read is what was written.
//!
//! No other thread changes an object meanwhile. A checkpoint is written in a process that was forked while all threads
//! stood still, and read before the first EDT of the new run.
//!
//! Slots of an arena are passed one by one, free ones with their generations, so that no GUID is given twice. Small
//! tables are passed as JSON. Addresses are passed as numbers: of a [`Code`] in the table of all of them, of a function
//! as its distance from where its file is loaded.

use super::code::Code;
use super::guid::Guid;
use crate::symbols;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::ptr;
use std::slice;

/// A program, or a library, from which functions are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Module {
    /// What distinguishes it from one that was built otherwise.
    pub(crate) build: String,
    /// The file, for messages.
    pub(crate) file: String,
    /// Where it is loaded; none where this process has not loaded it.
    pub(crate) start: Option<usize>,
}

/// Why a function of a checkpoint is not there.
#[derive(Debug)]
pub(crate) enum FunctionError {
    /// It is of no file.
    NoFile,
    /// Its file is not loaded, or was built otherwise.
    OtherBuild(Module),
}

impl std::fmt::Display for FunctionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FunctionError::NoFile => f.write_str("a function that EDTs run is in no file that the process has loaded"),
            FunctionError::OtherBuild(module) => {
                write!(f, "it was written by another build of {} (build ID {})", module.file, module.build)
            }
        }
    }
}

impl std::error::Error for FunctionError {}

/// The file does not hold what it should, though its checksum is right.
pub(crate) fn malformed() -> io::Error {
    io::Error::new(ErrorKind::InvalidData, "it holds what no checkpoint of this version does")
}

/// Bytes of a piece of a content; the last one may have fewer.
const PIECE: usize = 64 << 10;

/// A checkpoint's file that is written.
pub(crate) trait SavedFile: Write {
    /// Writes a piece of the content of a block, or that an earlier file has it: the number of that file, or 0, and its
    /// place in it, or the bytes. `of` is the slot of the block, and which piece.
    fn piece(&mut self, of: [u64; 2], bytes: &[u8]) -> io::Result<()>;
}

/// The bytes that a checkpoint has in an earlier file: its number, their place, and how many they are.
pub(crate) type EarlierPiece<'a> = &'a dyn Fn(u64, u64, usize) -> Option<&'a [u8]>;

enum SavedWay<'a> {
    Write(&'a mut dyn SavedFile),
    Read(&'a [u8], EarlierPiece<'a>),
}

/// A checkpoint on its way to a file, or from one.
pub(crate) struct Saved<'a> {
    way: SavedWay<'a>,
    /// The files from which functions are.
    modules: Vec<Module>,
    /// The codes by their numbers.
    codes: Vec<*const Code>,
    numbers: HashMap<*const Code, u64>,
}

/// What is passed as a number of 64 bits.
pub(crate) trait AsWord: Copy {
    fn to_word(self) -> u64;
    fn of_word(word: u64) -> Self;
}

macro_rules! as_words {
    ($($type:ty)*) => {$(impl AsWord for $type {
        fn to_word(self) -> u64 {
            self as u64
        }

        fn of_word(word: u64) -> $type {
            word as $type
        }
    })*};
}

as_words!(u64 i64 u32 u8 usize);

impl AsWord for bool {
    fn to_word(self) -> u64 {
        self.into()
    }

    fn of_word(word: u64) -> bool {
        word != 0
    }
}

impl AsWord for Guid {
    fn to_word(self) -> u64 {
        self.bits()
    }

    fn of_word(word: u64) -> Guid {
        Guid::from_bits(word)
    }
}

/// Takes so many of the bytes that are left.
fn take<'a>(bytes: &mut &'a [u8], len: usize) -> io::Result<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(len).ok_or_else(malformed)?;
    *bytes = rest;
    Ok(taken)
}

impl<'a> Saved<'a> {
    /// One that goes to a file.
    pub(crate) fn to(file: &'a mut dyn SavedFile) -> Saved<'a> {
        Saved { way: SavedWay::Write(file), modules: Vec::new(), codes: Vec::new(), numbers: HashMap::new() }
    }

    /// One that comes from a file with these bytes, and from earlier ones.
    pub(crate) fn from(bytes: &'a [u8], earlier: EarlierPiece<'a>) -> Saved<'a> {
        Saved { way: SavedWay::Read(bytes, earlier), modules: Vec::new(), codes: Vec::new(), numbers: HashMap::new() }
    }

    /// Passes the files from which functions are; `own` is what this process has loaded.
    pub(crate) fn modules(&mut self, own: &[Module]) -> io::Result<()> {
        let mut all: Vec<(String, String)> = own.iter().map(|own| (own.build.clone(), own.file.clone())).collect();
        self.table(&mut all)?;
        let start = |build: &str| own.iter().find(|own| own.build == build)?.start;
        let modules = all.into_iter().map(|(build, file)| Module { start: start(&build), build, file });
        self.modules = modules.collect();
        Ok(())
    }

    /// Whether objects are filled.
    pub(crate) fn restores(&self) -> bool {
        matches!(self.way, SavedWay::Read(..))
    }

    /// Passes a number: writes this one, and gives it back, or gives the one that was read.
    pub(crate) fn word<T: AsWord>(&mut self, value: T) -> io::Result<T> {
        match &mut self.way {
            SavedWay::Write(file) => file.write_all(&value.to_word().to_le_bytes()).map(|()| value),
            SavedWay::Read(bytes, _) => {
                let (word, rest) = bytes.split_first_chunk().ok_or_else(malformed)?;
                *bytes = rest;
                Ok(T::of_word(u64::from_le_bytes(*word)))
            }
        }
    }

    /// Passes what a cell has.
    pub(crate) fn cell<T: AsWord>(&mut self, cell: &Cell<T>) -> io::Result<()> {
        cell.set(self.word(cell.get())?);
        Ok(())
    }

    /// Passes bytes, and how many they are.
    pub(crate) fn bytes<'b>(&mut self, own: &'b [u8]) -> io::Result<&'b [u8]>
    where
        'a: 'b,
    {
        let len = self.word(own.len())?;
        match &mut self.way {
            SavedWay::Write(file) => file.write_all(own).map(|()| own),
            SavedWay::Read(bytes, _) => take(bytes, len),
        }
    }

    /// Passes the content of the block of this slot: writes what is in its memory, or fills that.
    ///
    /// # Safety
    /// The memory has so many bytes, and no other thread uses them meanwhile.
    pub(crate) unsafe fn content(&mut self, slot: u32, memory: *mut u8, size: usize) -> io::Result<()> {
        for (number, at) in (0..size).step_by(PIECE).enumerate() {
            let len = PIECE.min(size - at);
            // SAFETY: `at` is below the size of the memory.
            let memory = unsafe { memory.add(at) };
            match &mut self.way {
                SavedWay::Write(file) => {
                    // SAFETY: so many bytes are there, as the caller promises, and nobody writes them.
                    let bytes = unsafe { slice::from_raw_parts(memory, len) };
                    file.piece([slot.into(), number as u64], bytes)?;
                }
                SavedWay::Read(..) => {
                    let bytes = self.piece(len)?;
                    // SAFETY: the memory has so many bytes, which nobody uses; those of the file are elsewhere.
                    unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), memory, len) };
                }
            }
        }
        Ok(())
    }

    /// The next piece of a content.
    fn piece(&mut self, len: usize) -> io::Result<&'a [u8]> {
        let file = self.word(0)?;
        let offset = if file == 0 { 0 } else { self.word(0)? };
        match &mut self.way {
            SavedWay::Read(bytes, _) if file == 0 => take(bytes, len),
            SavedWay::Read(_, earlier) => earlier(file, offset, len).ok_or_else(malformed),
            SavedWay::Write(_) => Err(malformed()),
        }
    }

    /// Passes a small table.
    pub(crate) fn table<T: Serialize + DeserializeOwned>(&mut self, table: &mut T) -> io::Result<()> {
        let own = if self.restores() { Vec::new() } else { serde_json::to_vec(table)? };
        let bytes = self.bytes(&own)?;
        if self.restores() {
            *table = serde_json::from_slice(bytes)?;
        }
        Ok(())
    }

    /// Passes the address of a function; 0 is none.
    pub(crate) fn function(&mut self, function: usize) -> io::Result<usize> {
        let no_file = || io::Error::other(FunctionError::NoFile);
        let (mut module, mut distance) = (0, 0);
        if function != 0 && !self.restores() {
            let start = symbols::loaded_at(function).ok_or_else(no_file)?.start;
            let number = self.modules.iter().position(|module| module.start == Some(start)).ok_or_else(no_file)?;
            (module, distance) = (number + 1, function - start);
        }
        module = self.word(module)?;
        distance = self.word(distance)?;
        let Some(number) = module.checked_sub(1) else { return Ok(0) };
        let module = self.modules.get(number).ok_or_else(malformed)?;
        let start = module.start.ok_or_else(|| io::Error::other(FunctionError::OtherBuild(module.clone())))?;
        Ok(start + distance)
    }

    /// Passes a pointer to a function, if there is one.
    ///
    /// # Safety
    /// `F` is the type of a pointer to a function.
    pub(crate) unsafe fn pointer<F: Copy>(&mut self, function: Option<F>) -> io::Result<Option<F>> {
        const { assert!(size_of::<Option<F>>() == size_of::<usize>()) };
        // SAFETY: the caller promises a pointer to a function, which has the size of a number; none is 0.
        let address = unsafe { mem::transmute_copy::<Option<F>, usize>(&function) };
        let address = self.function(address)?;
        // SAFETY: the number is 0, or the address of a function that another run of the same build has passed here as
        // one of this type.
        Ok(unsafe { mem::transmute_copy::<usize, Option<F>>(&address) })
    }

    /// Gives the next number to a code that is passed by it from now on.
    pub(crate) fn add_code(&mut self, code: &'static Code) {
        self.codes.push(code);
        self.numbers.insert(code, self.codes.len() as u64);
    }

    /// Passes a code that was added, or null.
    pub(crate) fn code(&mut self, code: *const Code) -> io::Result<*const Code> {
        let number = self.numbers.get(&code).copied().unwrap_or(0);
        match self.word(number)?.checked_sub(1) {
            None => Ok(ptr::null()),
            Some(number) => self.codes.get(number as usize).copied().ok_or_else(malformed),
        }
    }
}
