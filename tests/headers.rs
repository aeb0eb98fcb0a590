//! The public C headers, as compilers see them.
//!
//! Each header under `include/` must compile alone and when included twice, as C11, C17, C23, GNU C
//! (of today and of 1990) and C++17, without a warning, with and without the flags that build files of
//! OCR programs pass. `tests/headers/usage.c` then uses them the way programs do, and asserts the values
//! that programs rely on; `tests/headers/signatures.c` asserts the types; `tests/headers/gates.c`
//! defines the macros of extensions as programs do.
//!
//! The compilers are `cc` and `c++`, or what `CC` and `CXX` name.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What the drivers and build files of OCR programs pass.
const DRIVER_FLAGS: &[&str] =
    &["-DOCR_ENABLE_EDT_NAMING", "-DOCR_ASSERT", "-DENABLE_EXTENSION_AFFINITY", "-DOCR_TYPE_H=x86.h"];

/// Sets of flags that every translation unit is compiled with.
const FLAG_SETS: &[&[&str]] = &[&[], DRIVER_FLAGS];

struct Language {
    /// Environment variable that overrides the compiler.
    variable: &'static str,
    compiler: &'static str,
    debian_package: &'static str,
    /// As `-x` wants it.
    name: &'static str,
    flags: &'static [&'static str],
}

const fn c(flags: &'static [&'static str]) -> Language {
    Language { variable: "CC", compiler: "cc", debian_package: "gcc", name: "c", flags }
}

const C11: Language = c(&["-std=c11", "-Wpedantic"]);
const C17: Language = c(&["-std=c17", "-Wpedantic"]);
const C23: Language = c(&["-std=c2x", "-Wpedantic"]);
const GNU17: Language = c(&["-std=gnu17"]);
const C90: Language = c(&["-std=c90"]);
const CXX17: Language = Language {
    variable: "CXX",
    compiler: "c++",
    debian_package: "g++",
    name: "c++",
    flags: &["-std=c++17", "-Wpedantic"],
};

/// One translation unit: what it is called in messages, its text, and where it looks for headers.
struct Unit {
    title: String,
    text: String,
    include_dirs: Vec<PathBuf>,
}

#[test]
fn headers_compile_as_c11() {
    check(&C11);
}

#[test]
fn headers_compile_as_c17() {
    check(&C17);
}

#[test]
fn headers_compile_as_c23() {
    check(&C23);
}

#[test]
fn headers_compile_as_gnu17() {
    check(&GNU17);
}

#[test]
fn headers_compile_as_c90() {
    check(&C90);
}

#[test]
fn headers_compile_as_cxx17() {
    check(&CXX17);
}

/// The build switch of a runtime's name selects one of the options headers that are installed.
#[test]
fn every_options_header_can_be_selected() {
    let include = root().join("include");
    let failures: Vec<String> = ["x86.h", "v1.h", "vsm.h", "vdm.h"]
        .iter()
        .filter_map(|name| {
            let unit = Unit {
                title: format!("-DOCR_TYPE_H={name}"),
                text: "#include \"ocr.h\"\n".to_owned(),
                include_dirs: vec![include.clone()],
            };
            let flag = format!("-DOCR_TYPE_H={name}");
            compile(&C11, &unit, &[flag.as_str()]).err()
        })
        .collect();
    report(&failures);
}

/// The program that compares versions with the library's.
const VERSIONS: &str = "tests/c/spec/2.1-conventions/version.c";

/// Every extension has a bit of `OCR_VERSION_EXTENSION_BITMAP`, which a program compares with the library's.
#[test]
fn every_extension_has_a_version_bit() {
    let include = root().join("include");
    let read = |name: &str| fs::read_to_string(include.join(name)).expect("a header");
    let versions = read("ocr-version.h");
    let program = fs::read_to_string(root().join(VERSIONS)).expect("a program");
    let mut failures = Vec::new();
    let mut names = vec!["ocr-edt.h".to_string()];
    for name in headers_in(&include.join("extensions")) {
        let name = format!("extensions/{name}");
        if !versions.contains(&format!("/* {name} */")) {
            failures.push(format!("ocr-version.h has no bit for {name}"));
        }
        names.push(name);
    }
    for text in names.iter().map(|name| read(name)) {
        let lines = text.lines();
        let gates = lines.filter_map(|line| line.strip_prefix("#define ENABLE_EXTENSION_"));
        for gate in gates.filter_map(|rest| rest.split(' ').next()) {
            if !versions.contains(&format!("#define EXTENSION_{gate}_BITPOS ")) {
                failures.push(format!("ocr-version.h has no bit for ENABLE_EXTENSION_{gate}"));
            }
        }
    }
    let bits = versions.lines();
    let bits = bits.filter_map(|line| line.strip_prefix("#define OCR_VERSION_"));
    let bits: Vec<_> = bits.filter_map(|rest| rest.split_once("_BIT ")).collect();
    assert!(bits.len() >= names.len());
    for (bit, _) in bits {
        if !program.contains(&format!("OCR_VERSION_{bit}_BIT,")) {
            failures.push(format!("{VERSIONS} lacks OCR_VERSION_{bit}_BIT"));
        }
    }
    report(&failures);
}

fn check(language: &Language) {
    let units = units();
    // Alone first: where there is no compiler, one message says so and not one a thread.
    if let Err(message) = compile(language, &units[0], &[]) {
        report(&[message]);
    }
    let jobs: Vec<(&Unit, &[&str])> =
        units.iter().flat_map(|unit| FLAG_SETS.iter().map(move |flags| (unit, *flags))).collect();

    let next = AtomicUsize::new(0);
    let failures = std::sync::Mutex::new(Vec::new());
    let threads = thread::available_parallelism().map_or(1, |n| n.get());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((unit, flags)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(message) = compile(language, unit, flags) {
                        failures.lock().unwrap().push(message);
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    report(&failures);
}

fn report(failures: &[String]) {
    assert!(failures.is_empty(), "{} failures:\n\n{}", failures.len(), failures.join("\n"));
}

/// The repository: where cargo says, or the current directory when built without cargo.
fn root() -> PathBuf {
    PathBuf::from(option_env!("CARGO_MANIFEST_DIR").unwrap_or("."))
}

fn units() -> Vec<Unit> {
    let root = root();
    let include = root.join("include");
    let extensions = include.join("extensions");

    let mut units = Vec::new();
    let core = headers_in(&include);
    let extension_headers = headers_in(&extensions);
    assert!(!core.is_empty() && !extension_headers.is_empty(), "no headers under {}", include.display());
    for name in core {
        add_units(&mut units, &name, &[&include]);
    }
    for name in extension_headers {
        add_units(&mut units, &format!("extensions/{name}"), &[&include]);
        // As a directory of its own, searched before or after the other.
        add_units(&mut units, &name, &[&include, &extensions]);
        add_units(&mut units, &name, &[&extensions, &include]);
    }

    for name in ["usage.c", "signatures.c", "gates.c"] {
        let path = root.join("tests/headers").join(name);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        units.push(Unit {
            title: format!("tests/headers/{name}"),
            text: format!("#line 1 \"{name}\"\n{text}"),
            include_dirs: vec![include.clone()],
        });
    }
    units
}

/// A unit that includes the header once, and one that includes it twice.
fn add_units(units: &mut Vec<Unit>, header: &str, include_dirs: &[&PathBuf]) {
    let line = format!("#include \"{header}\"\n");
    for times in [1, 2] {
        units.push(Unit {
            title: format!("{header}, included {times}x"),
            // ISO C wants a declaration; some headers have none.
            text: line.repeat(times) + "typedef int notEmpty;\n",
            include_dirs: include_dirs.iter().map(|dir| (*dir).clone()).collect(),
        });
    }
}

/// Names of the `.h` files in a directory, sorted.
fn headers_in(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".h"))
        .collect();
    names.sort();
    names
}

/// Compiles a unit for its diagnostics alone; the error is a message with the command and them.
fn compile(language: &Language, unit: &Unit, flags: &[&str]) -> Result<(), String> {
    let compiler = std::env::var(language.variable).unwrap_or_else(|_| language.compiler.to_owned());
    // CC may carry flags of its own, as make allows.
    let mut words = compiler.split_whitespace();
    let program = words.next().unwrap_or_else(|| panic!("{} is set, and empty", language.variable));

    let mut command = Command::new(program);
    command
        .args(words)
        .args(language.flags)
        .args(["-Wall", "-Wextra", "-Wconversion", "-Werror", "-fsyntax-only"])
        .args(flags);
    for dir in &unit.include_dirs {
        command.arg("-I").arg(dir);
    }
    command.args(["-x", language.name, "-"]);

    let child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(e) if e.kind() == ErrorKind::NotFound => panic!(
            "no compiler `{program}`: install the Debian package `{}`, or set {}",
            language.debian_package, language.variable
        ),
        Err(e) => panic!("cannot run `{program}`: {e}"),
    };
    // A compiler that gives up early closes the pipe; its diagnostics say why.
    let _ = child.stdin.take().expect("stdin is piped").write_all(unit.text.as_bytes());
    let output = child.wait_with_output().expect("the compiler has started");
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}: {:?}\n{}", unit.title, command, String::from_utf8_lossy(&output.stderr)))
}
