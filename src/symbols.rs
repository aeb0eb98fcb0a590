//! The names of the program's functions, for messages.
//!
//! `ocrEdtTemplateCreate` is a macro that passes on how the function was written. Where a function of the
//! program makes its templates, or a template of C++, that is the name of a parameter, the same for all EDTs. The
//! symbol tables have the true ones, unless the program was stripped.

use cpp_demangle::DemangleOptions;
use memmap2::Mmap;
use object::read::{Object, ObjectKind, ObjectSymbol};
use ocr_base::lock::{Mutex, rank};
use ocr_base::text::Readable;
use std::collections::BTreeSet;
use std::ffi::{CStr, c_char};
use std::fs::File;
#[cfg(not(loom))]
use std::hash::Hasher;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The names that were asked for, each once: they are of functions, and there are no more of those.
static NAMES: Mutex<rank::SymbolNames, BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// The name of the function at an address, which the program has called `given`. That stays where it is true or
/// nothing better is known.
pub(crate) fn name_of(function: usize, given: &str) -> &'static str {
    let symbols = names_of(function).unwrap_or_default();
    match symbols.first() {
        Some(name) if !symbols.iter().any(|name| is_meant(name, given)) => kept(&plain(name)),
        _ => kept(given),
    }
}

/// The file that a function is from, `/proc/self/exe` for the program, and its distance from where that is loaded.
#[cfg(not(loom))]
pub(crate) fn home_of(function: usize) -> Option<(PathBuf, usize)> {
    let home = Home::of(function)?;
    Some((home.file, function - home.base))
}

/// What tells the file that is loaded at an address from one that was built otherwise: its build ID, or, where the
/// linker has given it none, a number of its content. With the file's name.
#[cfg(not(loom))]
pub(crate) fn build_of(address: usize) -> Option<(String, PathBuf)> {
    let home = Home::of(address)?;
    let bytes = contents(&home.file)?;
    let name = std::fs::read_link(&home.file).unwrap_or(home.file);
    let id = object::File::parse(&*bytes).ok()?.build_id().ok().flatten().map(|id| id.to_vec());
    let id = id.map(|id| id.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
    let of_content = || {
        let mut hasher = rustc_hash::FxHasher::default();
        hasher.write(&bytes);
        format!("content {:016x}", hasher.finish())
    };
    Some((id.unwrap_or_else(of_content), name))
}

/// Where an instruction is, in words: the function and the file, and what `addr2line` must be given. `None` if
/// nothing is loaded there.
#[cfg(not(loom))]
pub(crate) fn place_of(instruction: usize) -> Option<String> {
    let info = loaded_at(instruction)?;
    let home = Home::of(instruction)?;
    // SAFETY: `loaded_at` gives the loader's C string with the name of the file. It stays as long as that is loaded,
    // and `instruction`, at which the program has crashed or is, keeps it loaded.
    let file = Readable(unsafe { CStr::from_ptr(info.name) }.to_bytes());
    let bytes = contents(&home.file)?;
    let parsed = object::File::parse(&*bytes).ok()?;
    let within = (instruction - home.base) as u64;
    let at = match parsed.kind() {
        ObjectKind::Executable => instruction as u64,
        _ => within,
    };
    let symbols = parsed.symbols().chain(parsed.dynamic_symbols());
    let functions = symbols.filter(|symbol| symbol.kind() == object::SymbolKind::Text);
    let around = |symbol: &object::Symbol<'_, '_>| {
        let end = symbol.address().saturating_add(symbol.size());
        (symbol.address()..end).contains(&at)
    };
    let name = functions.filter(around).find_map(|symbol| {
        let name = Readable(symbol.name_bytes().ok()?).to_string();
        Some(format!("in {}, ", plain(without_suffix(&name))))
    });
    let name = name.unwrap_or_default();
    Some(format!("{name}at {at:#x} of {file} (addr2line -f -e {file} {at:#x})"))
}

fn kept(name: &str) -> &'static str {
    let mut names = NAMES.lock();
    if let Some(known) = names.get(name) {
        return known;
    }
    let name: &'static str = Box::leak(name.into());
    names.insert(name);
    name
}

/// The symbols of a function; `None` if its file cannot be read. A function may have several: what the compiler has
/// found to do the same is one function. Of the file, the table of symbols is looked through, which takes less than a
/// millisecond for a program of 30 MB. So no table of names is kept for the few functions that are asked for.
fn names_of(function: usize) -> Option<Vec<String>> {
    let home = Home::of(function)?;
    let bytes = contents(&home.file)?;
    let parsed = object::File::parse(&*bytes).ok()?;
    // A program that is loaded where it was linked to has addresses for distances.
    let linked_at = match parsed.kind() {
        ObjectKind::Executable => home.base,
        _ => 0,
    };
    let at = (linked_at + (function - home.base)) as u64;
    let mut names: Vec<String> = Vec::new();
    for symbol in parsed.symbols().chain(parsed.dynamic_symbols()) {
        if symbol.address() != at || symbol.kind() != object::SymbolKind::Text || symbol.is_undefined() {
            continue;
        }
        let Ok(name) = symbol.name_bytes() else {
            continue;
        };
        let name = Readable(name).to_string();
        let name = without_suffix(&name);
        if !name.is_empty() && !names.iter().any(|known| known == name) {
            names.push(name.to_string());
        }
    }
    Some(names)
}

/// Whether the file that is loaded at an address defines a symbol for others.
pub(crate) fn defines(address: usize, name: &[u8]) -> bool {
    let is_there = || {
        let bytes = contents(&Home::of(address)?.file)?;
        let parsed = object::File::parse(&*bytes).ok()?;
        let is_it = |symbol: object::Symbol<'_, '_>| !symbol.is_undefined() && symbol.name_bytes() == Ok(name);
        Some(parsed.dynamic_symbols().any(is_it))
    };
    is_there().unwrap_or(false)
}

/// Where a function is from.
struct Home {
    file: PathBuf,
    base: usize,
}

impl Home {
    fn of(function: usize) -> Option<Home> {
        let info = loaded_at(function)?;
        let base = info.start;
        // SAFETY: `getauxval` has no preconditions, and touches no memory of the caller.
        let headers = unsafe { libc::getauxval(libc::AT_PHDR) } as usize;
        let is_program = loaded_at(headers).is_some_and(|program| program.start == base);
        let file = if is_program {
            PathBuf::from("/proc/self/exe")
        } else {
            // SAFETY: `loaded_at` gives the loader's C string with the name of the file. It stays as long as that is
            // loaded, which is at least as long as a template has its function.
            let name = unsafe { CStr::from_ptr(info.name) };
            PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes()))
        };
        Some(Home { file, base })
    }
}

/// What is loaded at an address.
pub(crate) struct Loaded {
    /// Where it begins.
    pub(crate) start: usize,
    /// The name of the file, which stays as long as that is loaded.
    pub(crate) name: *const c_char,
}

/// What is loaded at an address. Without the lock of the dynamic loader, which `dladdr` takes: another thread may keep
/// it while it waits for this one.
#[cfg(not(loom))]
pub(crate) fn loaded_at(address: usize) -> Option<Loaded> {
    unsafe extern "C" {
        /// The name of the file that is loaded at an address, and where it begins; null if there is none
        /// (`src/capi/loader.c`).
        safe fn ocrLoadedAt(address: usize, start: &mut usize) -> *const c_char;
    }
    let mut start = 0;
    let name = ocrLoadedAt(address, &mut start);
    (!name.is_null()).then_some(Loaded { start, name })
}

/// Where the program and its libraries are loaded, each by its lowest address.
#[cfg(not(loom))]
pub(crate) fn loaded() -> Vec<usize> {
    unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _: usize, found: *mut std::ffi::c_void) -> libc::c_int {
        // SAFETY: the loader calls this with what it knows of a file, which stays during the call.
        let info = unsafe { &*info };
        // SAFETY: the loader gives as many headers of parts as it says, which stay as long as the file is loaded.
        let parts = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum as usize) };
        let loaded = parts.iter().filter(|part| part.p_type == libc::PT_LOAD);
        if let Some(lowest) = loaded.map(|part| part.p_vaddr).min() {
            // SAFETY: `found` is the list of the caller, which nothing else uses meanwhile.
            let found = unsafe { &mut *found.cast::<Vec<usize>>() };
            found.push(info.dlpi_addr.wrapping_add(lowest) as usize);
        }
        0
    }
    let mut found: Vec<usize> = Vec::new();
    // SAFETY: `add` has the form that the call asks for, and gets the list that it expects.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut found).cast()) };
    found
}

/// Models ask for no names.
#[cfg(loom)]
pub(crate) fn loaded_at(_: usize) -> Option<Loaded> {
    None
}

/// What a file has, mapped: pages that are not looked at are not read. Where addresses are scarce there is none, since
/// a name is not worth what would be kept for objects.
fn contents(file: &Path) -> Option<Mmap> {
    let file = File::open(file).ok()?;
    if !crate::heap::can_have(file.metadata().ok()?.len() as usize) {
        return None;
    }
    // SAFETY: the bytes must not change or go away while they are looked at. The file is one that this process
    // executes: the system lets no process write a program that runs, and whoever cuts off a library in place ends all
    // that use it.
    unsafe { Mmap::map(&file) }.ok()
}

/// The name of a function, of which the compiler may have made a copy: what it adds to that name begins with a dot.
fn without_suffix(symbol: &str) -> &str {
    symbol.split_once('.').map_or(symbol, |(name, _)| name)
}

/// Whether what the program wrote for a function says this one: `f`, `&f` and `(ocrEdt_t)f` for `f`, and
/// `Some::f` for `_ZN4Some1fEv`.
fn is_meant(symbol: &str, given: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let Some(last) = given.split(|c| !is_part(c)).rfind(|part| !part.is_empty()) else {
        return false;
    };
    symbol == last || symbol.starts_with("_Z") && symbol.contains(&format!("{}{last}", last.len()))
}

/// A symbol as people write it.
fn plain(symbol: &str) -> String {
    if !symbol.starts_with("_Z") {
        // A function of C: "w" is a type, too, in what C++ makes of names.
        return symbol.to_string();
    }
    // What EDTs' functions take and return is the same for all of them.
    let options = DemangleOptions::new().no_params().no_return_type();
    cpp_demangle::Symbol::new(symbol)
        .ok()
        .and_then(|parsed| parsed.demangle_with_options(&options).ok())
        .unwrap_or_else(|| symbol.to_string())
}

#[cfg(all(test, not(miri)))]
mod tests {
    use super::*;

    #[unsafe(no_mangle)]
    extern "C" fn ocr_test_of_symbols() -> u64 {
        // No other function does this: the compiler would make them one.
        0x6f63_7274_6573_7473
    }

    #[test]
    #[cfg(not(loom))]
    fn a_file_has_a_build() {
        let function = ocr_test_of_symbols as *const () as usize;
        let (id, file) = build_of(function).expect("the test is a file");
        assert!(id.len() >= 16 && file.is_absolute(), "{id} {file:?}");
        // SAFETY: `getauxval` has no preconditions.
        let headers = unsafe { libc::getauxval(libc::AT_PHDR) } as usize;
        assert_eq!(build_of(headers), Some((id.clone(), file)));
        let other = build_of(libc::malloc as *const () as usize).expect("the C library is a file");
        assert_ne!(other.0, id);
    }

    #[test]
    fn what_is_true_stays() {
        for (symbol, given) in [
            ("worker", "worker"),
            ("worker", "&worker"),
            ("worker", "(ocrEdt_t) worker"),
            ("_ZN4Some6workerEv", "Some::worker"),
            ("_ZN4Some6workerIiEEv", "(&Some::worker)"),
        ] {
            assert!(is_meant(symbol, given), "{symbol} {given}");
        }
        for (symbol, given) in [("worker", "f"), ("worker", "work"), ("worker", "")] {
            assert!(!is_meant(symbol, given), "{symbol} {given}");
        }
    }

    #[test]
    fn symbols_of_cpp_are_written_out() {
        assert_eq!(plain("worker"), "worker");
        assert_eq!(plain("w"), "w");
        assert_eq!(plain("_ZN1WILi3EE3runEjPmjP11ocrEdtDep_t"), "W<3>::run");
        assert_eq!(plain("_ZN"), "_ZN", "no such symbol");
    }

    #[test]
    fn functions_have_their_symbols() {
        let function = ocr_test_of_symbols as *const () as usize;
        assert_eq!(name_of(function, "f"), "ocr_test_of_symbols");
        assert_eq!(name_of(function, "&ocr_test_of_symbols"), "&ocr_test_of_symbols");
        assert_eq!(name_of(1, "f"), "f", "nothing is there");
    }
}
