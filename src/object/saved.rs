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

enum SavedWay<'a> {
    Write(&'a mut dyn Write),
    Read(&'a [u8]),
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

impl<'a> Saved<'a> {
    /// One that goes to a file.
    pub(crate) fn to(file: &'a mut dyn Write) -> Saved<'a> {
        Saved { way: SavedWay::Write(file), modules: Vec::new(), codes: Vec::new(), numbers: HashMap::new() }
    }

    /// One that comes from a file with these bytes.
    pub(crate) fn from(bytes: &'a [u8]) -> Saved<'a> {
        Saved { way: SavedWay::Read(bytes), modules: Vec::new(), codes: Vec::new(), numbers: HashMap::new() }
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
        matches!(self.way, SavedWay::Read(_))
    }

    /// Passes a number: writes this one, and gives it back, or gives the one that was read.
    pub(crate) fn word<T: AsWord>(&mut self, value: T) -> io::Result<T> {
        match &mut self.way {
            SavedWay::Write(file) => file.write_all(&value.to_word().to_le_bytes()).map(|()| value),
            SavedWay::Read(bytes) => {
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
            SavedWay::Read(bytes) => {
                let (taken, rest) = bytes.split_at_checked(len).ok_or_else(malformed)?;
                *bytes = rest;
                Ok(taken)
            }
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
