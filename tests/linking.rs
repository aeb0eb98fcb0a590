//! What linking the library does to a program, and what it does not: runs under the lock of the dynamic loader,
//! names, other libraries in Rust.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A way to link the library into a library or a program.
#[derive(Clone, Copy, Debug)]
enum Link {
    Shared,
    Static,
}

const BOTH: [Link; 2] = [Link::Shared, Link::Static];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder for what one test builds.
fn fresh_folder(test: &str) -> PathBuf {
    let folder = root().join("target/linking").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("target/ can be written");
    folder
}

/// Compiles a file of `tests/linking` into `folder`, with these words behind it.
fn build(folder: &Path, name: &str, source: &str, words: &[&str]) -> PathBuf {
    let built = folder.join(name);
    let status = support::compiler("CC", "cc")
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-o"])
        .arg(&built)
        .arg(Path::new("tests/linking").join(source))
        .args(words)
        .current_dir(root())
        .status();
    assert!(status.expect("there is a C compiler").success(), "{source}");
    built
}

/// The words that link the library.
fn linked(link: Link) -> Vec<&'static str> {
    let library: &[&str] = match link {
        Link::Shared => &[
            "-Wl,--no-as-needed",
            "-Lbuild/lib",
            "-locr",
            concat!("-Wl,-rpath,", env!("CARGO_MANIFEST_DIR"), "/build/lib"),
        ],
        Link::Static => &["build/lib/libocr.a"],
    };
    [library, &["-lpthread", "-lm", "-ldl"]].concat()
}

/// A library of one of these sources.
fn build_library(folder: &Path, source: &str, link: Link) -> PathBuf {
    let words = [&["-shared", "-fPIC"][..], &linked(link)].concat();
    build(folder, &format!("{source}-{link:?}.so"), source, &words)
}

/// A command with settings of the runtime that no test inherits.
fn command(program: &Path, workers: &str) -> Command {
    let mut command = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("OCR_") {
            command.env_remove(name);
        }
    }
    // No test writes to the cache of the user.
    command.env("OCR_MODELS", "off").env("OCR_WORKERS", workers);
    command
}

/// How a command ended, and what it printed.
fn answer(mut command: Command) -> (Option<i32>, String, String) {
    let output = command.output().expect("it can be started");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The settings under which a run may want devices; that without any is the first.
fn ways() -> impl Iterator<Item = [(&'static str, &'static str); 3]> {
    let all = [
        [("UNUSED", "1"), ("OCR_SCHED", "cpu"), ("OCR_DEVICES", "none")],
        [("KERNEL", "1"), ("OCR_SCHED", "cpu"), ("OCR_DEVICES", "all")],
        [("KERNEL", "1"), ("OCR_SCHED", "static:0:1"), ("OCR_DEVICES", "all")],
        [("KERNEL", "1"), ("OCR_SCHED", "static:1:1"), ("OCR_DEVICES", "all")],
    ];
    let count = if support::is_without_opencl() { 1 } else { all.len() };
    all.into_iter().take(count)
}

/// The loader's lock is held meanwhile where a program opens or closes the library, and not where it is linked.
#[test]
fn runs_in_constructors_and_destructors_end() {
    let folder = fresh_folder("constructors");
    let opens = build(&folder, "opens", "opens.c", &["-ldl"]);
    let cases: [(&[(&str, &str)], usize); 6] = [
        (&[("RUN_IN", "constructor")], 1),
        (&[("RUN_IN", "destructor")], 1),
        (&[("RUN_IN", "destructor"), ("CLOSE", "1")], 1),
        (&[("RUN_IN", "function destructor")], 2),
        (&[("RUN_IN", "function destructor"), ("CLOSE", "1")], 2),
        (&[("RUN_IN", "constructor function destructor"), ("CLOSE", "1")], 3),
    ];
    for link in BOTH {
        let library = build_library(&folder, "plugin.c", link);
        for (settings, runs) in cases {
            for (way, workers) in ways().flat_map(|way| ["1", "2", "8"].map(|workers| (way, workers))) {
                let mut command = command(&opens, workers);
                command.arg(&library).envs(settings.iter().copied()).envs(way);
                let (status, printed, said) = answer(command);
                let what = format!("{link:?} {settings:?} {way:?} {workers}: {printed}{said}");
                assert_eq!(status, Some(0), "{what}");
                assert_eq!(printed.matches("sum 64, status 0\n").count(), runs, "{what}");
                assert!(printed.contains("ends\n"), "{what}");
            }
        }
    }
}

/// The thread that has the loader's lock is in no call of the runtime, and waits for one that is: that begins the first
/// run of the process.
#[test]
fn a_run_in_a_thread_that_a_constructor_waits_for_is_told() {
    let folder = fresh_folder("threads");
    let opens = build(&folder, "opens", "opens.c", &["-ldl"]);
    for link in BOTH {
        let library = build_library(&folder, "plugin.c", link);
        for place in ["constructor", "destructor"] {
            let mut command = command(&opens, "2");
            command.arg(&library).envs([("RUN_IN", place), ("THREAD", "1"), ("CLOSE", "1"), ("OCR_PATIENCE", "1")]);
            let (status, printed, said) = answer(command);
            // A destructor of a library that is closed may come when the lock is free again.
            if place == "destructor" && status == Some(0) {
                assert_eq!(printed.matches("sum 64, status 0\n").count(), 1, "{link:?}: {printed}{said}");
                continue;
            }
            assert_eq!(status, Some(1), "{link:?} {place}: {printed}{said}");
            for part in ["the run cannot begin: thread \"opens\"", "constructor or destructor", "For 1 s"] {
                assert!(said.contains(part), "{link:?} {place}: {printed}{said}");
            }
        }
    }
}

/// A program that is linked with such a library, which the loader opens before `main` and closes behind it.
#[test]
fn runs_before_and_behind_main_end() {
    let folder = fresh_folder("linked");
    let library = build_library(&folder, "plugin.c", Link::Shared);
    let library = library.to_str().expect("UTF-8");
    let words = ["-Wl,--no-as-needed", library, "-ldl"];
    let program = build(&folder, "opens", "opens.c", &words);
    for way in ways() {
        let mut command = command(&program, "2");
        command.arg(library).envs(way);
        command.env("RUN_IN", "constructor function destructor");
        let (status, printed, said) = answer(command);
        assert_eq!(status, Some(0), "{way:?}: {printed}{said}");
        assert_eq!(printed.matches("sum 64, status 0\n").count(), 3, "{way:?}: {printed}{said}");
    }
}

#[test]
fn a_constructor_that_an_edt_has_called_may_wait() {
    let folder = fresh_folder("edt");
    let program = build(&folder, "edt", "edt_opens.c", &[&["-rdynamic"][..], &linked(Link::Shared)].concat());
    let library = build_library(&folder, "waits.c", Link::Shared);
    for (way, workers) in ways().flat_map(|way| ["1", "2", "8"].map(|workers| (way, workers))) {
        let mut command = command(&program, workers);
        command.env("LIBRARY", &library).envs(way);
        let (status, printed, said) = answer(command);
        assert_eq!((status, &*printed), (Some(0), "is ready\n"), "{way:?} {workers}: {said}");
    }
}

/// What a driver does for a kernel may need the lock that a thread holds which waits for that kernel. Then the
/// program ends with a message; where the driver needs it not, the program goes on.
#[test]
fn a_kernel_that_is_waited_for_under_the_lock_hangs_nothing() {
    if support::is_without_opencl() {
        return;
    }
    let folder = fresh_folder("edt-before");
    let program = build(&folder, "edt", "edt_opens.c", &[&["-rdynamic"][..], &linked(Link::Shared)].concat());
    let library = build_library(&folder, "waits.c", Link::Shared);
    for workers in ["1", "2"] {
        let mut command = command(&program, workers);
        command.env("LIBRARY", &library).env("BEFORE", "1");
        command.envs([("OCR_SCHED", "static:0:1"), ("OCR_DEVICES", "all"), ("OCR_PATIENCE", "1")]);
        // So the driver has no kernel in its cache that it has loaded before.
        command.env("POCL_CACHE_DIR", folder.join(workers));
        let (status, printed, said) = answer(command);
        match status {
            Some(0) => assert_eq!(printed, "is ready\n"),
            Some(1) => assert!(said.contains("the dynamic loader's lock"), "{said}"),
            other => panic!("{other:?}: {printed}{said}"),
        }
    }
}

#[test]
fn the_static_library_lets_out_the_names_of_ocr_alone() {
    let mut readelf = Command::new("readelf");
    readelf.args(["-sW", "build/lib/libocr.a"]).env("LC_ALL", "C").current_dir(root());
    let output = readelf.output().expect("there is a readelf");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut names: Vec<&str> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [_, _, _, _, "GLOBAL" | "WEAK", _, section, name, ..] = words[..]
            && section != "UND"
        {
            names.push(name);
        }
    }
    let others =
        ["PRINTF", "SNPRINTF", "_ocrAssert", "addValueToGuid", "currentEdtUserGet", "getArgc", "getArgv", "main"];
    let is_of_ocr = |name: &str| name.starts_with("ocr") || name.starts_with("pdl") || others.contains(&name);
    let wrong: Vec<_> = names.iter().filter(|name| !is_of_ocr(name)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    for name in ["ocrEdtCreate", "ocrShutdown", "main"] {
        assert!(names.contains(&name), "{name} is missing");
    }
}

#[test]
fn two_libraries_in_rust_are_linked_into_one_program() {
    let folder = fresh_folder("two");
    let other = folder.join("libother.a");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let made = Command::new(rustc)
        .args(["--edition", "2024", "--crate-type", "staticlib", "-o"])
        .arg(&other)
        .arg("tests/linking/other.rs")
        .current_dir(root())
        .status();
    assert!(made.expect("there is a rustc").success());
    let other = other.to_str().expect("UTF-8");
    let ocr = "build/lib/libocr.a";
    let system = ["-lpthread", "-lm", "-ldl"];
    for (name, libraries) in [("behind", [other, ocr]), ("before", [ocr, other])] {
        for option in ["-O1", "-Wl,--gc-sections", "-static"] {
            let words = [&[option][..], &libraries, &system].concat();
            let program = build(&folder, &format!("{name}{option}"), "two.c", &words);
            let (status, printed, said) = answer(command(&program, "2"));
            assert_eq!((status, &*printed), (Some(0), "the other says 11\n"), "{name} {option}: {said}");
        }
    }
}

/// The bytes of a file in ELF's form that are loaded from it: code and data, without what debuggers read.
fn loaded_bytes(file: &Path) -> u64 {
    const LOAD: u64 = 1;
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    assert_eq!(&bytes[..5], b"\x7fELF\x02", "{} is an ELF file of 64 bits", file.display());
    let number =
        |at: usize, len: usize| bytes[at..at + len].iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    let (table, size, entries) = (number(0x20, 8), number(0x36, 2), number(0x38, 2));
    let header = |entry| (table + entry * size) as usize;
    (0..entries).map(header).filter(|&at| number(at, 4) == LOAD).map(|at| number(at + 0x20, 8)).sum()
}

#[test]
fn the_library_and_the_command_stay_small() {
    // What is built in haste, for a test of something else, is larger.
    if std::env::var_os("CARGO_PROFILE_RELEASE_OPT_LEVEL").is_some() {
        return;
    }
    // What was built on 2026-11-28 had 5.9 and 6.3 million bytes; a sixth more is growth that needs a reason. The
    // command had 8.4 a day later, and the library 6.8: the runtime can undo an EDT and work for other nodes. With
    // checkpoints, and labels of other nodes, the library has 7.3. It has 7.7 since kernels can be undone, and contents
    // and parts of blocks go between nodes, and 7.9 since functions can run beside their kernels. The command has 8.8
    // since it reads the recordings of all nodes as one run.
    for (file, most) in [("build/lib/libocr.so", 8_100_000), ("build/bin/ocr", 9_200_000)] {
        let bytes = loaded_bytes(&root().join(file));
        assert!(bytes <= most, "{file} has {bytes} bytes of code and data, and the bar is {most}");
    }
}
